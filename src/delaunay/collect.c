/* From directed edges to triangles, in order, by threads. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "delaunay/mesh.h"

#define NONE UINT32_MAX
#define CHUNK 16384u /* edges or rows of one item of work */
#define FEW 16u      /* triangles of one first corner that are sorted by insertion */

/* A triangle by its second corner's row and its first edge, which leaves the corner of smallest row. */
typedef struct triangle {
    uint32_t second, edge;
} triangle;

typedef struct collecting {
    delaunay_rings *r;
    delaunay_triangulation *out;
    atomic_uint *count; /* out->n: by first corner */
    uint32_t *first;    /* out->n + 1: by first corner, its first triangle */
    triangle *list;
    uint64_t *is_first; /* a bit for each edge: it is the first one of a triangle */
} collecting;

static void free_collecting(collecting *c) {
    free(c->count);
    free(c->first);
    free(c->list);
    free(c->is_first);
}

/* Sets the other two edges of e's face, if it is a triangle. */
static inline void rest_of_face(const delaunay_edge *edge, uint32_t face[3]) {
    face[1] = edge[face[0] ^ 1].prev;
    face[2] = edge[face[1] ^ 1].prev;
}

/* Returns true if e is the first edge of a triangle. */
static inline bool is_first(const delaunay_rings *r, uint32_t e) {
    const delaunay_edge *edge = r->edge;
    const uint32_t *row = r->order->row;
    uint32_t face[3] = {e}, from = edge[e].origin;
    if (from == NONE || row[from] > row[edge[e ^ 1].origin]) return false;
    rest_of_face(edge, face);
    return row[from] < row[edge[face[2]].origin] && edge[face[2] ^ 1].prev == e && face[0] != r->outer &&
           face[1] != r->outer && face[2] != r->outer;
}

static inline uint32_t origin_row(const collecting *c, uint32_t e) {
    return c->r->order->row[c->r->edge[e].origin];
}

/* Counts the triangles of a chunk's first edges, and marks these. Sets left of each to how many of its corner
 * were counted before. */
static void count_chunk(void *user, size_t item) {
    const collecting *c = user;
    uint32_t edges = 6 * c->r->order->n;
    for (uint32_t e = (uint32_t)item * CHUNK; e < edges && e / CHUNK == item; e++) {
        if (!is_first(c->r, e)) continue;
        c->is_first[e / 64] |= 1ull << e % 64;
        c->r->edge[e].left = atomic_fetch_add_explicit(&c->count[origin_row(c, e)], 1, memory_order_relaxed);
    }
}

/* Calls work for each first edge of the chunk. */
static inline void each_first(const collecting *c, size_t item, void (*work)(const collecting *, uint32_t)) {
    for (size_t word = item * (CHUNK / 64); word < (item + 1) * (CHUNK / 64); word++)
        for (uint64_t marks = c->is_first[word]; marks; marks &= marks - 1)
            work(c, (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(marks));
}

/* Sets first, and the number of all triangles. */
static void add_counts(collecting *c) {
    uint32_t total = 0;
    for (uint32_t v = 0; v < c->out->n; v++) {
        c->first[v] = total;
        total += atomic_load_explicit(&c->count[v], memory_order_relaxed);
    }
    c->out->count = c->first[c->out->n] = total;
}

static inline void place_triangle(const collecting *c, uint32_t e) {
    c->list[c->first[origin_row(c, e)] + c->r->edge[e].left] = (triangle){origin_row(c, e ^ 1), e};
}

static void place_chunk(void *user, size_t item) { each_first(user, item, place_triangle); }

static int by_corner(const void *a, const void *b) {
    const triangle *x = a, *y = b;
    return (x->second > y->second) - (x->second < y->second);
}

static void sort(triangle *t, uint32_t count) {
    if (count > FEW) {
        qsort(t, count, sizeof *t, by_corner);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        triangle x = t[i];
        uint32_t j = i;
        for (; j > 0 && t[j - 1].second > x.second; j--) t[j] = t[j - 1];
        t[j] = x;
    }
}

/* Sorts the triangles of each first corner. Sets left of their first edges to their numbers. */
static void sort_chunk(void *user, size_t item) {
    collecting *c = user;
    for (uint32_t v = (uint32_t)item * CHUNK; v < c->out->n && v / CHUNK == item; v++) {
        sort(c->list + c->first[v], c->first[v + 1] - c->first[v]);
        for (uint32_t t = c->first[v]; t < c->first[v + 1]; t++) c->r->edge[c->list[t].edge].left = t;
    }
}

/* Writes the corners of a triangle and its number as left of its other edges. */
static inline void write_corners(const collecting *c, uint32_t e) {
    uint32_t face[3] = {e};
    rest_of_face(c->r->edge, face);
    uint32_t t = c->r->edge[e].left, *corner = c->out->vertex + 3 * (size_t)t;
    for (int k = 0; k < 3; k++) corner[k] = origin_row(c, face[k]);
    c->r->edge[face[1]].left = c->r->edge[face[2]].left = t;
}

static void write_chunk(void *user, size_t item) { each_first(user, item, write_corners); }

static inline void write_neighbors(const collecting *c, uint32_t e) {
    uint32_t face[3] = {e};
    rest_of_face(c->r->edge, face);
    uint32_t *neighbor = c->out->neighbor + 3 * (size_t)c->r->edge[e].left;
    for (int k = 0; k < 3; k++) neighbor[k] = c->r->edge[face[(k + 1) % 3] ^ 1].left;
}

static void join_chunk(void *user, size_t item) { each_first(user, item, write_neighbors); }

glshape_status delaunay_collect(error *err, threads_team *team, delaunay_rings *r,
                                delaunay_triangulation *out) {
    OWNED_BY(free_collecting) collecting c = {.r = r, .out = out};
    size_t chunks = 6 * (size_t)r->order->n / CHUNK + 1;
    TRY(allocate(err, &c.count, out->n, sizeof *c.count, "counts of triangles"));
    TRY(allocate(err, &c.first, (size_t)out->n + 1, sizeof *c.first, "first triangles"));
    TRY(allocate(err, &c.is_first, chunks * (CHUNK / 64), sizeof *c.is_first, "first edges"));
    threads_team_run(team, chunks, count_chunk, &c);
    add_counts(&c);
    if (!out->count) return GLSHAPE_OK;
    size_t words = 3 * (size_t)out->count;
    TRY(allocate(err, &c.list, out->count, sizeof *c.list, "triangles"));
    TRY(allocate(err, &out->vertex, words, sizeof *out->vertex, "the triangles"));
    TRY(allocate(err, &out->neighbor, words, sizeof *out->neighbor, "the neighbors of triangles"));
    threads_team_run(team, chunks, place_chunk, &c);
    threads_team_run(team, out->n / CHUNK + 1, sort_chunk, &c);
    threads_team_run(team, chunks, write_chunk, &c);
    threads_team_run(team, chunks, join_chunk, &c);
    return GLSHAPE_OK;
}
