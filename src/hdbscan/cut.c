/* glshape_hdbscan_dbscan: the clusters at one distance. */
#include "base/memory.h"
#include "base/owned.h"
#include "base/trees.h"
#include "gpu/context.h"
#include "hdbscan/hdbscan.h"

static glshape_status cut_tree(error *err, const glshape_hdbscan_result *r, double epsilon,
                               size_t min_cluster_size, int32_t *labels, size_t *clusters) {
    OWNED uint32_t *top = NULL; /* of each cluster of the single-linkage tree: the last that it is in */
    OWNED int32_t *number = NULL;
    size_t n = r->n, made = 0;
    if (!(epsilon >= 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "epsilon is %g; it is a distance of at least 0", epsilon);
    if (!min_cluster_size) return fail(err, GLSHAPE_BAD_ARGUMENT, "min_cluster_size is 0; it is at least 1");
    TRY(trees_check_merges(err, r->merges, n));
    while (made + 1 < n && r->merges[4 * made + 2] <= epsilon) made++;
    TRY(allocate(err, &top, n + made, sizeof *top, "clusters"));
    TRY(allocate(err, &number, n + made, sizeof *number, "numbers of clusters"));
    for (size_t c = 0; c < n + made; c++) top[c] = (uint32_t)c;
    for (size_t k = made; k-- > 0;)
        for (int side = 0; side < 2; side++) top[(size_t)r->merges[4 * k + side]] = top[n + k];
    for (size_t v = 0; v < n; v++) {
        size_t size = top[v] < n ? 1 : (size_t)r->merges[4 * (top[v] - n) + 3];
        labels[v] = size < min_cluster_size ? -1 : (int32_t)top[v];
    }
    hdbscan_number(n, n + made, labels, number, clusters);
    return GLSHAPE_OK;
}

glshape_status glshape_hdbscan_dbscan(glshape_context *context, const glshape_hdbscan_result *result,
                                      double epsilon, size_t min_cluster_size, int32_t *labels,
                                      size_t *clusters) {
    run *r;
    TRY(context_begin_run(context, &r));
    return context_end(context, cut_tree(run_error(r), result, epsilon, min_cluster_size, labels, clusters));
}
