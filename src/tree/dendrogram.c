/* scipy's linkage matrix from a spanning tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "tree/tree.h"

#define AHEAD 16u /* links whose clusters are fetched before they are needed */

/* A vertex in a set of vertices; of a root, the set's cluster and its size. */
typedef struct node {
    uint32_t parent, cluster, size;
} node;

/* A key in the order of heights, 0 being -0 too. */
static uint64_t key_of(double height) {
    uint64_t bits;
    height += 0.0;
    memcpy(&bits, &height, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static double height_of(uint64_t key) {
    double height;
    key = key >> 63 ? key & ~(1ull << 63) : ~key;
    memcpy(&height, &key, sizeof height);
    return height;
}

/* Fills links with the edges by (height, smaller end, larger end). links: 2 · (n - 1), half of it to work in.
 */
static glshape_status take_links(error *err, uint32_t n, const uint32_t *i, const uint32_t *j,
                                 const double *height, radix_item *links) {
    uint32_t count = n ? n - 1 : 0;
    for (uint32_t k = 0; k < count; k++) {
        if (i[k] >= n || j[k] >= n || isnan(height[k]))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "edge %u (%u, %u, %g) of the tree on %u vertices is none",
                        k, i[k], j[k], height[k], n);
        bool swap = i[k] > j[k];
        links[k] = (radix_item){key_of(height[k]), swap ? j[k] : i[k], swap ? i[k] : j[k]};
    }
    radix_sort_all(links, links + count, count);
    return GLSHAPE_OK;
}

static uint32_t find(node *nodes, uint32_t v) {
    while (nodes[v].parent != v) v = nodes[v].parent = nodes[nodes[v].parent].parent;
    return v;
}

/* Writes a row for each link. What links to come need is fetched ahead: the ends, then what they hang on. */
static glshape_status join_clusters(error *err, uint32_t n, const radix_item *links, node *nodes,
                                    double *out) {
    for (uint32_t v = 0; v < n; v++) nodes[v] = (node){v, v, 1};
    for (uint32_t k = 0; k + 1 < n; k++, out += 4) {
        const radix_item *link = &links[k];
        if (k + 2 * AHEAD + 1 < n) {
            __builtin_prefetch(&nodes[link[2 * AHEAD].a]);
            __builtin_prefetch(&nodes[link[2 * AHEAD].b]);
            __builtin_prefetch(&nodes[nodes[link[AHEAD].a].parent]);
            __builtin_prefetch(&nodes[nodes[link[AHEAD].b].parent]);
        }
        uint32_t a = find(nodes, link->a), b = find(nodes, link->b);
        if (a == b)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "edge {%u, %u} closes a circle: the edges are no tree",
                        link->a, link->b);
        double x = nodes[a].cluster, y = nodes[b].cluster;
        uint32_t root = nodes[a].size < nodes[b].size ? b : a, other = a + b - root;
        nodes[other].parent = root;
        nodes[root].size += nodes[other].size;
        nodes[root].cluster = n + k;
        out[0] = fmin(x, y);
        out[1] = fmax(x, y);
        out[2] = height_of(link->at);
        out[3] = nodes[root].size;
    }
    return GLSHAPE_OK;
}

glshape_status tree_dendrogram(error *err, uint32_t n, const uint32_t *i, const uint32_t *j,
                               const double *height, double *out, uint32_t *edges) {
    if (n > 0x7fffffffu)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a dendrogram of %u points has too many clusters", n);
    OWNED radix_item *links = NULL;
    OWNED node *nodes = NULL;
    TRY(allocate(err, &links, n, 2 * sizeof *links, "the edges of the tree"));
    TRY(allocate(err, &nodes, n, sizeof *nodes, "clusters"));
    TRY(take_links(err, n, i, j, height, links));
    for (uint32_t k = 0; edges && k + 1 < n; k++) edges[2 * k] = links[k].a, edges[2 * k + 1] = links[k].b;
    return join_clusters(err, n, links, nodes, out);
}
