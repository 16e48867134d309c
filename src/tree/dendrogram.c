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

typedef struct dendrogram {
    uint32_t n;
    const uint32_t *i, *j;
    const double *height;
    const uint8_t *part;
    radix_item *links; /* n - 1, in order, and as many to work in */
    /* Sets of vertices. Of a vertex: the one above it in its set; of the last of these, the root, the cluster
     * that the set is: n + k, or the vertex itself. */
    uint32_t *up;
    uint32_t *size; /* of cluster n + k */
    double *out;
    uint32_t *edges;
    uint32_t *start; /* chunks × TREE_PARTS: how many links of a part a chunk has, then where they go … */
    uint32_t first[TREE_PARTS + 1], *list; /* … in the lists of links */
    uint8_t *left;                         /* of each link, whether the parts have left it */
    uint8_t *waits; /* of a root: what joins it next may be a link that another part of the vertices has */
} dendrogram;

static void dendrogram_free(dendrogram *d) {
    free(d->links);
    free(d->up);
    free(d->size);
    free(d->start);
    free(d->list);
    free(d->left);
    free(d->waits);
}

static uint32_t chunks_of(uint32_t count) { return count / CHUNK + 1; }

static uint32_t chunk_end(uint64_t chunk, uint32_t count) {
    return count - (uint32_t)chunk * CHUNK < CHUNK ? count : (uint32_t)(chunk + 1) * CHUNK;
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
        d->links[k] = (radix_item){tree_height_key(d->height[k]), i < j ? i : j, i < j ? j : i};
    }
    return GLSHAPE_OK;
}

static void write_edges(void *user, size_t chunk) {
    dendrogram *d = user;
    for (uint32_t k = (uint32_t)chunk * CHUNK; k < chunk_end(chunk, d->n - 1); k++) {
        d->edges[2 * (size_t)k] = d->links[k].a;
        d->edges[2 * (size_t)k + 1] = d->links[k].b;
    }
}

static void make_sets(void *user, size_t chunk) {
    dendrogram *d = user;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < chunk_end(chunk, d->n); v++) d->up[v] = v;
}

/* Writes the rows, once links have clusters for ends. */
static void write_rows(void *user, size_t chunk) {
    dendrogram *d = user;
    for (uint32_t k = (uint32_t)chunk * CHUNK; k < chunk_end(chunk, d->n - 1); k++) {
        double *row = d->out + 4 * (size_t)k;
        uint32_t x = d->links[k].a, y = d->links[k].b;
        row[0] = x < y ? x : y;
        row[1] = x < y ? y : x;
        row[2] = tree_height_of(d->links[k].at);
        row[3] = d->size[k];
    }
}

/* Makes the links, by (height, smaller end, larger end). */
static glshape_status make_links(error *err, dendrogram *d) {
    threads_job take = {.work = take_links, .user = d, .blocks = chunks_of(d->n - 1), .name = "an edge"};
    TRY(memory_resize(err, &d->links, d->n, 2 * sizeof *d->links, "the edges of the tree"));
    TRY(memory_resize(err, &d->up, d->n, sizeof *d->up, "clusters"));
    TRY(memory_resize(err, &d->size, d->n, sizeof *d->size, "clusters"));
    TRY(threads_do(err, &take));
    radix_sort_all(d->links, d->links + d->n - 1, d->n - 1);
    if (d->edges) threads_run(0, chunks_of(d->n - 1), write_edges, d);
    threads_run(0, chunks_of(d->n), make_sets, d);
    return GLSHAPE_OK;
}

/* ---- joining ----------------------------------------------------------------------------------- */

static bool is_root(const dendrogram *d, uint32_t v) { return d->up[v] >= d->n || d->up[v] == v; }

/* The root of v's set. Halves the way there. */
static uint32_t find(const dendrogram *d, uint32_t v) {
    while (!is_root(d, v)) {
        uint32_t up = d->up[v];
        if (is_root(d, up)) return up;
        v = d->up[v] = d->up[up];
    }
    return v;
}

static void fetch(const dendrogram *d, const radix_item *link) {
    __builtin_prefetch(&d->up[link->a]);
    __builtin_prefetch(&d->up[link->b]);
}

static glshape_status refuse_circle(error *err, const radix_item *link) {
    return fail(err, GLSHAPE_BAD_ARGUMENT, "edge {%u, %u} closes a circle: the edges are no tree", link->a,
                link->b);
}

static uint32_t size_of(const dendrogram *d, uint32_t cluster) {
    return cluster < d->n ? 1 : d->size[cluster - d->n];
}

/* Joins the sets of roots a and b by link k, whose ends become their clusters. */
static void join(dendrogram *d, uint32_t k, uint32_t a, uint32_t b) {
    uint32_t x = d->up[a], y = d->up[b], x_size = size_of(d, x), y_size = size_of(d, y);
    uint32_t root = x_size < y_size ? b : a;
    d->up[a] = d->up[b] = root;
    d->up[root] = d->n + k;
    d->size[k] = x_size + y_size;
    d->links[k].a = x;
    d->links[k].b = y;
}

/* Joins by the links of a list, in order; list NULL: by all. */
static glshape_status join_listed(error *err, dendrogram *d, const uint32_t *list, uint32_t count) {
#define LINK(k) (&d->links[list ? list[k] : (k)])
    for (uint32_t k = 0; k < count; k++) {
        const radix_item *link = LINK(k);
        if (list && k + 2 * AHEAD < count) __builtin_prefetch(LINK(k + 2 * AHEAD));
        if (k + AHEAD < count) fetch(d, LINK(k + AHEAD));
        uint32_t a = find(d, link->a), b = find(d, link->b);
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
    bool own_a = d->part[link->a] == part, own_b = d->part[link->b] == part;
    if (!own_a || !own_b) {
        d->waits[find(d, own_a ? link->a : link->b)] = 1;
        return GLSHAPE_OK;
    }
    uint32_t a = find(d, link->a), b = find(d, link->b);
    if (a == b) return refuse_circle(err, link);
    if (!d->waits[a] && !d->waits[b]) {
        join(d, k, a, b);
        return GLSHAPE_OK;
    }
    d->waits[a] = d->waits[b] = 1;
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
        if (k + 2 * AHEAD < count) __builtin_prefetch(&d->links[list[k + 2 * AHEAD]]);
        if (k + AHEAD < count) fetch(d, &d->links[list[k + AHEAD]]);
        TRY(join_in_part(err, d, (uint32_t)part, list[k]));
    }
    return GLSHAPE_OK;
}

static glshape_status join_in_parts(error *err, dendrogram *d) {
    uint32_t count = d->n - 1, left = 0;
    threads_job work = {.work = join_part, .user = d, .blocks = TREE_PARTS, .name = "clusters"};
    TRY(allocate(err, &d->start, chunks_of(count), TREE_PARTS * sizeof *d->start, "parts of the tree"));
    TRY(allocate(err, &d->left, count, 1, "parts of the tree"));
    TRY(allocate(err, &d->waits, d->n, 1, "parts of the tree"));
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
    TRY(part ? join_in_parts(err, &d) : join_listed(err, &d, NULL, n - 1));
    threads_run(0, chunks_of(n - 1), write_rows, &d);
    return GLSHAPE_OK;
}
