/* scipy's linkage matrix from a spanning tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/threads.h"
#include "tree/tree.h"

#define AHEAD 16u /* links whose clusters are fetched before they are needed */
#define CHUNK 65536u

/* A vertex in a set of vertices; of a root, the set's cluster and its size. */
typedef struct node {
    uint32_t parent, cluster, size;
    bool waits; /* of a root: what joins it next may be a link that another part of the vertices has */
} node;

typedef struct dendrogram {
    uint32_t n;
    const uint32_t *i, *j;
    const double *height;
    const uint8_t *part;
    radix_item *links; /* n - 1, in order, and as many to work in */
    node *nodes;
    double *out;
    uint32_t *edges;
    uint32_t *start; /* chunks × TREE_PARTS: how many links of a part a chunk has, then where they go … */
    uint32_t first[TREE_PARTS + 1], *list; /* … in the lists of links */
    uint8_t *left;                         /* of each link, whether the parts have left it */
} dendrogram;

static void dendrogram_free(dendrogram *d) {
    free(d->links);
    free(d->nodes);
    free(d->start);
    free(d->list);
    free(d->left);
}

static uint32_t chunks_of(uint32_t count) { return count / CHUNK + 1; }

static uint32_t chunk_end(uint64_t chunk, uint32_t count) {
    return count - (uint32_t)chunk * CHUNK < CHUNK ? count : (uint32_t)(chunk + 1) * CHUNK;
}

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

/* ---- links ------------------------------------------------------------------------------------- */

static glshape_status take_links(error *err, void *user, uint64_t chunk, void *scratch) {
    dendrogram *d = user;
    (void)scratch;
    for (uint32_t k = (uint32_t)chunk * CHUNK; k < chunk_end(chunk, d->n - 1); k++) {
        uint32_t i = d->i[k], j = d->j[k];
        if (i >= d->n || j >= d->n || isnan(d->height[k]))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "edge %u (%u, %u, %g) of the tree on %u vertices is none",
                        k, i, j, d->height[k], d->n);
        d->links[k] = (radix_item){key_of(d->height[k]), i < j ? i : j, i < j ? j : i};
    }
    return GLSHAPE_OK;
}

/* Writes what does not depend on clusters. */
static void write_links(void *user, size_t chunk) {
    dendrogram *d = user;
    for (uint32_t k = (uint32_t)chunk * CHUNK; k < chunk_end(chunk, d->n - 1); k++) {
        d->out[4 * (size_t)k + 2] = height_of(d->links[k].at);
        if (!d->edges) continue;
        d->edges[2 * (size_t)k] = d->links[k].a;
        d->edges[2 * (size_t)k + 1] = d->links[k].b;
    }
}

static void make_nodes(void *user, size_t chunk) {
    dendrogram *d = user;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < chunk_end(chunk, d->n); v++)
        d->nodes[v] = (node){v, v, 1, false};
}

/* Makes the links, by (height, smaller end, larger end). */
static glshape_status make_links(error *err, dendrogram *d) {
    threads_job take = {.work = take_links, .user = d, .blocks = chunks_of(d->n - 1), .name = "an edge"};
    TRY(allocate(err, &d->links, d->n, 2 * sizeof *d->links, "the edges of the tree"));
    TRY(allocate(err, &d->nodes, d->n, sizeof *d->nodes, "clusters"));
    TRY(threads_do(err, &take));
    radix_sort_all(d->links, d->links + d->n - 1, d->n - 1);
    threads_run(0, chunks_of(d->n - 1), write_links, d);
    threads_run(0, chunks_of(d->n), make_nodes, d);
    return GLSHAPE_OK;
}

/* ---- joining ----------------------------------------------------------------------------------- */

static uint32_t find(node *nodes, uint32_t v) {
    while (nodes[v].parent != v) v = nodes[v].parent = nodes[nodes[v].parent].parent;
    return v;
}

/* Fetches what links to come need: the ends, then what they hang on. */
static void fetch(const node *nodes, const radix_item *far, const radix_item *near) {
    __builtin_prefetch(&nodes[far->a]);
    __builtin_prefetch(&nodes[far->b]);
    __builtin_prefetch(&nodes[nodes[near->a].parent]);
    __builtin_prefetch(&nodes[nodes[near->b].parent]);
}

static glshape_status refuse_circle(error *err, const radix_item *link) {
    return fail(err, GLSHAPE_BAD_ARGUMENT, "edge {%u, %u} closes a circle: the edges are no tree", link->a,
                link->b);
}

/* Joins the sets of roots a and b by link k, and writes its row. */
static void join(dendrogram *d, uint32_t k, uint32_t a, uint32_t b) {
    node *nodes = d->nodes;
    double x = nodes[a].cluster, y = nodes[b].cluster, *out = d->out + 4 * (size_t)k;
    uint32_t root = nodes[a].size < nodes[b].size ? b : a, other = a + b - root;
    nodes[other].parent = root;
    nodes[root].size += nodes[other].size;
    nodes[root].cluster = d->n + k;
    out[0] = fmin(x, y);
    out[1] = fmax(x, y);
    out[3] = nodes[root].size;
}

/* Joins by the links of a list, in order; list NULL: by all. */
static glshape_status join_listed(error *err, dendrogram *d, const uint32_t *list, uint32_t count) {
#define LINK(k) (&d->links[list ? list[k] : (k)])
    for (uint32_t k = 0; k < count; k++) {
        const radix_item *link = LINK(k);
        if (list && k + 4 * AHEAD < count) __builtin_prefetch(LINK(k + 4 * AHEAD));
        if (k + 2 * AHEAD < count) fetch(d->nodes, LINK(k + 2 * AHEAD), LINK(k + AHEAD));
        uint32_t a = find(d->nodes, link->a), b = find(d->nodes, link->b);
        if (a == b) return refuse_circle(err, link);
        join(d, (uint32_t)(link - d->links), a, b);
    }
#undef LINK
    return GLSHAPE_OK;
}

/* ---- joining in parts --------------------------------------------------------------------------
 *
 * Threads join the vertices of one part each, by the links inside it, in order. A set that a link into
 * another part has met waits from then on, and so do those that a link would join to it: these links are
 * left, and joined in the end, in order. So every set is joined as in one thread. */

static void count_parts(void *user, size_t chunk) {
    dendrogram *d = user;
    uint32_t *count = d->start + chunk * TREE_PARTS;
    for (uint32_t k = (uint32_t)chunk * CHUNK; k < chunk_end(chunk, d->n - 1); k++) {
        uint8_t a = d->part[d->links[k].a], b = d->part[d->links[k].b];
        count[a]++;
        if (a != b) count[b]++;
    }
}

static void list_parts(void *user, size_t chunk) {
    dendrogram *d = user;
    uint32_t *to = d->start + chunk * TREE_PARTS;
    for (uint32_t k = (uint32_t)chunk * CHUNK; k < chunk_end(chunk, d->n - 1); k++) {
        uint8_t a = d->part[d->links[k].a], b = d->part[d->links[k].b];
        d->list[to[a]++] = k;
        if (a != b) d->list[to[b]++] = k;
        d->left[k] = a != b;
    }
}

/* Makes counts places, part by part. Returns their sum. */
static uint32_t place_parts(dendrogram *d) {
    uint32_t at = 0;
    for (uint32_t part = 0; part < TREE_PARTS; part++) {
        d->first[part] = at;
        for (uint32_t chunk = 0; chunk < chunks_of(d->n - 1); chunk++) {
            uint32_t *start = &d->start[(size_t)chunk * TREE_PARTS + part], here = *start;
            *start = at;
            at += here;
        }
    }
    return d->first[TREE_PARTS] = at;
}

/* Joins by link k, or leaves it. */
static glshape_status join_in_part(error *err, dendrogram *d, uint32_t part, uint32_t k) {
    radix_item *link = &d->links[k];
    node *nodes = d->nodes;
    bool own_a = d->part[link->a] == part, own_b = d->part[link->b] == part;
    if (!own_a || !own_b) {
        nodes[find(nodes, own_a ? link->a : link->b)].waits = true;
        return GLSHAPE_OK;
    }
    uint32_t a = find(nodes, link->a), b = find(nodes, link->b);
    if (a == b) return refuse_circle(err, link);
    if (!nodes[a].waits && !nodes[b].waits) return join(d, k, a, b), GLSHAPE_OK;
    nodes[a].waits = nodes[b].waits = true;
    d->left[k] = 1;
    link->a = a; /* the way there is known */
    link->b = b;
    return GLSHAPE_OK;
}

static glshape_status join_part(error *err, void *user, uint64_t part, void *scratch) {
    dendrogram *d = user;
    const uint32_t *list = d->list + d->first[part], count = d->first[part + 1] - d->first[part];
    (void)scratch;
    for (uint32_t k = 0; k < count; k++) {
        if (k + 4 * AHEAD < count) __builtin_prefetch(&d->links[list[k + 4 * AHEAD]]);
        if (k + 2 * AHEAD < count) {
            __builtin_prefetch(&d->nodes[d->links[list[k + 2 * AHEAD]].a]);
            __builtin_prefetch(&d->nodes[d->links[list[k + 2 * AHEAD]].b]);
        }
        TRY(join_in_part(err, d, (uint32_t)part, list[k]));
    }
    return GLSHAPE_OK;
}

static glshape_status join_in_parts(error *err, dendrogram *d) {
    uint32_t count = d->n - 1, left = 0;
    threads_job work = {.work = join_part, .user = d, .blocks = TREE_PARTS, .name = "clusters"};
    TRY(allocate(err, &d->start, chunks_of(count), TREE_PARTS * sizeof *d->start, "parts of the tree"));
    TRY(allocate(err, &d->left, count, 1, "parts of the tree"));
    threads_run(0, chunks_of(count), count_parts, d);
    TRY(allocate(err, &d->list, place_parts(d), sizeof *d->list, "parts of the tree"));
    threads_run(0, chunks_of(count), list_parts, d);
    TRY(threads_do(err, &work));
    for (uint32_t k = 0; k < count; k++) {
        d->list[left] = k;
        left += d->left[k];
    }
    return join_listed(err, d, d->list, left);
}

glshape_status tree_dendrogram(error *err, uint32_t n, const uint32_t *i, const uint32_t *j,
                               const double *height, const uint8_t *part, double *out, uint32_t *edges) {
    OWNED_BY(dendrogram_free)
    dendrogram d = {.n = n, .i = i, .j = j, .height = height, .part = part, .out = out, .edges = edges};
    if (n > 0x7fffffffu)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a dendrogram of %u points has too many clusters", n);
    if (n < 2) return GLSHAPE_OK;
    TRY(make_links(err, &d));
    return part ? join_in_parts(err, &d) : join_listed(err, &d, NULL, n - 1);
}
