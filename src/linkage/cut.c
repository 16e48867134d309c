/* glshape_linkage_cut and glshape_linkage_leaves: clusters and order from a linkage matrix. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/trees.h"
#include "gpu/context.h"
#include "linkage/cophenetic.h"

/* ---- clusters ---------------------------------------------------------------------------------- */

/* Sets *out to how many merges a cut makes. Merges of equal height are all made, or none. */
static glshape_status merges_to_make(error *err, const double *merges, size_t n, size_t clusters,
                                     glshape_optional distance, size_t *out) {
    if (distance.is_set == (clusters > 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a cut needs either a number of clusters or a distance");
    if (clusters > n)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%zu clusters were asked for of %zu point%s", clusters, n,
                    n == 1 ? "" : "s");
    if (!clusters && !(distance.value >= 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a cut at distance %g: it is a number of at least 0",
                    distance.value);
    size_t made = clusters ? n - clusters : 0, components = 1;
    for (size_t k = 0; k + 1 < n; k++) components += isinf(merges[4 * k + 2]);
    if (clusters && clusters < components)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "%zu cluster%s asked for, but nothing joins the %zu components of the graph", clusters,
                    clusters == 1 ? " was" : "s were", components);
    double height = clusters && made ? merges[4 * made - 2] : distance.value;
    if (!clusters || made)
        while (made + components < n && merges[4 * made + 2] <= height) made++;
    *out = made;
    return GLSHAPE_OK;
}

/* Labels the points by the clusters that the first merges leave; returns how many these are. top: room for 4
 * · n numbers; top[c] becomes the cluster that cluster c ends in, from the last merge down. */
static size_t label_points(const double *merges, size_t n, size_t made, uint32_t *top, uint32_t *labels) {
    size_t count = 0;
    uint32_t *label = top + 2 * n;
    for (size_t c = 0; c < n + made; c++) top[c] = (uint32_t)c;
    for (size_t c = 0; c < n + made; c++) label[c] = UINT32_MAX;
    for (size_t k = made; k-- > 0;)
        for (int side = 0; side < 2; side++) top[(size_t)merges[4 * k + side]] = top[n + k];
    for (size_t v = 0; v < n; v++) {
        if (label[top[v]] == UINT32_MAX) label[top[v]] = (uint32_t)count++;
        labels[v] = label[top[v]];
    }
    return count;
}

static glshape_status cut(error *err, const double *merges, size_t n, size_t clusters,
                          glshape_optional distance, uint32_t *labels, size_t *count) {
    size_t made = 0;
    OWNED uint32_t *top = NULL;
    TRY(trees_check_merges(err, merges, n));
    TRY(merges_to_make(err, merges, n, clusters, distance, &made));
    TRY(allocate(err, &top, n, 4 * sizeof *top, "clusters"));
    *count = label_points(merges, n, made, top, labels);
    return GLSHAPE_OK;
}

glshape_status glshape_linkage_cut(glshape_context *context, const double *merges, size_t n, size_t clusters,
                                   glshape_optional distance, uint32_t *labels, size_t *count) {
    run *r;
    TRY(context_begin_run(context, &r));
    return context_end(context, cut(run_error(r), merges, n, clusters, distance, labels, count));
}

/* ---- order ------------------------------------------------------------------------------------- */

/* first[c]: the place of cluster c's first leaf, from the last merge down. */
glshape_status linkage_leaves(error *err, const double *merges, uint32_t n, uint32_t *leaves, double *gap) {
    OWNED uint32_t *first = NULL;
    TRY(allocate(err, &first, n, 2 * sizeof *first, "places of clusters"));
    for (size_t k = n ? n - 1 : 0; k-- > 0;) {
        size_t left = (size_t)merges[4 * k], right = (size_t)merges[4 * k + 1];
        first[left] = first[n + k];
        first[right] = first[n + k] + (left < n ? 1 : (uint32_t)merges[4 * (left - n) + 3]); /* its size */
        if (gap) gap[first[right] - 1] = merges[4 * k + 2];
    }
    for (uint32_t v = 0; v < n; v++) leaves[first[v]] = v;
    return GLSHAPE_OK;
}

static glshape_status checked_leaves(error *err, const double *merges, size_t n, uint32_t *leaves) {
    TRY(trees_check_merges(err, merges, n));
    return linkage_leaves(err, merges, (uint32_t)n, leaves, NULL);
}

glshape_status glshape_linkage_leaves(glshape_context *context, const double *merges, size_t n,
                                      uint32_t *leaves) {
    run *r;
    TRY(context_begin_run(context, &r));
    return context_end(context, checked_leaves(run_error(r), merges, n, leaves));
}
