/* scipy's linkage matrix from a spanning tree. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "tree/tree.h"
#include "tree/union.h"

typedef struct link {
    double height;
    uint32_t lo, hi;
} link;

static int by_height(const void *a, const void *b) {
    const link *x = a, *y = b;
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    if (x->lo != y->lo) return x->lo < y->lo ? -1 : 1;
    return x->hi < y->hi ? -1 : x->hi > y->hi;
}

static glshape_status take_links(error *err, uint32_t n, const uint32_t *i, const uint32_t *j,
                                 const double *height, link *links) {
    for (uint32_t k = 0; k + 1 < n; k++) {
        if (i[k] >= n || j[k] >= n || isnan(height[k]))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "edge %u (%u, %u, %g) of the tree on %u vertices is none",
                        k, i[k], j[k], height[k], n);
        bool swap = i[k] > j[k];
        links[k] = (link){height[k], swap ? j[k] : i[k], swap ? i[k] : j[k]};
    }
    qsort(links, n ? n - 1 : 0, sizeof *links, by_height);
    return GLSHAPE_OK;
}

/* Writes a row for each link. cluster[root] is the id of the cluster that root stands for. */
static glshape_status join_clusters(error *err, uint32_t n, const link *links, uint32_t *parent,
                                    uint32_t *cluster, double *out) {
    for (uint32_t v = 0; v < n; v++) parent[v] = cluster[v] = v;
    for (uint32_t k = 0; k + 1 < n; k++, out += 4) {
        uint32_t a = union_find(parent, links[k].lo), b = union_find(parent, links[k].hi);
        if (a == b)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "edge {%u, %u} closes a circle: the edges are no tree",
                        links[k].lo, links[k].hi);
        double x = cluster[a], y = cluster[b], size = 0;
        const uint32_t parts[] = {cluster[a], cluster[b]};
        for (int p = 0; p < 2; p++) /* a cluster's size is in the row that made it */
            size += parts[p] < n ? 1 : out[4 * ((ptrdiff_t)(parts[p] - n) - (ptrdiff_t)k) + 3];
        out[0] = fmin(x, y);
        out[1] = fmax(x, y);
        out[2] = links[k].height;
        out[3] = size;
        parent[b] = a;
        cluster[a] = n + k;
    }
    return GLSHAPE_OK;
}

glshape_status tree_dendrogram(error *err, uint32_t n, const uint32_t *i, const uint32_t *j,
                               const double *height, double *out) {
    if (n > 0x7fffffffu)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a dendrogram of %u points has too many clusters", n);
    OWNED link *links = NULL;
    OWNED uint32_t *sets = NULL;
    TRY(allocate(err, &links, n, sizeof *links, "the edges of the tree"));
    TRY(allocate(err, &sets, n, 2 * sizeof *sets, "clusters"));
    TRY(take_links(err, n, i, j, height, links));
    return join_clusters(err, n, links, sets, sets + n, out);
}
