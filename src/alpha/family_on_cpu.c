/* The same as family.c, in memory, by threads. */
#include <stdatomic.h>
#include <stdlib.h>

#include "alpha/family.h"
#include "base/memory.h"
#include "base/owned.h"

#define BLOCK 16384u /* triangles or points of one item of work */
#define AHEAD 16

static size_t blocks_of(size_t count) { return count / BLOCK + 1; }

/* Whether side h = 3t + k is an edge of triangle t: its ends come in ascending order there, or t alone has
 * it. */
static bool belongs(const glshape_alpha_result *r, uint32_t h) {
    uint32_t t = h / 3, k = h % 3;
    return r->neighbors[h] == GLSHAPE_NO_TRIANGLE ||
           r->triangles[3 * t + (k + 1) % 3] < r->triangles[3 * t + (k + 2) % 3];
}

/* Calls work for each side of the triangles of a block. */
static inline void each_side(const glshape_alpha_result *r, size_t block, void *user,
                             void (*work)(void *user, uint32_t h)) {
    size_t end = (block + 1) * BLOCK;
    if (end > r->triangle_count) end = r->triangle_count;
    for (size_t h = 3 * block * BLOCK; h < 3 * end; h++) work(user, (uint32_t)h);
}

/* ---- edges ------------------------------------------------------------------------------------- */

typedef struct numbering {
    glshape_alpha_result *r;
    uint32_t *first; /* of each block: how many edges belong to its triangles; then the first of them */
} numbering;

static size_t last_side(const glshape_alpha_result *r, size_t block) {
    size_t end = (block + 1) * BLOCK;
    return 3 * (end < r->triangle_count ? end : r->triangle_count);
}

static void count_block(void *user, size_t block) {
    const numbering *n = user;
    uint32_t count = 0;
    for (size_t h = 3 * block * BLOCK; h < last_side(n->r, block); h++) count += belongs(n->r, (uint32_t)h);
    n->first[block] = count;
}

static void number_block(void *user, size_t block) {
    const numbering *n = user;
    glshape_alpha_result *r = n->r;
    size_t end = (block + 1) * BLOCK;
    uint32_t e = n->first[block];
    if (end > r->triangle_count) end = r->triangle_count;
    for (uint32_t h = 3 * (uint32_t)(block * BLOCK); h < 3 * end; h++) {
        if (!belongs(r, h)) continue;
        uint32_t a = r->triangles[h - h % 3 + (h + 1) % 3], b = r->triangles[h - h % 3 + (h + 2) % 3];
        r->edges[2 * (size_t)e] = a < b ? a : b;
        r->edges[2 * (size_t)e + 1] = a < b ? b : a;
        r->triangle_edges[h] = e++;
    }
}

static inline void join_side(void *user, uint32_t h) {
    const glshape_alpha_result *r = user;
    if (h + 3 * AHEAD < 3 * r->triangle_count && r->neighbors[h + 3 * AHEAD] != GLSHAPE_NO_TRIANGLE)
        __builtin_prefetch(r->neighbors + 3 * (size_t)r->neighbors[h + 3 * AHEAD]);
    if (belongs(r, h)) return;
    uint32_t other = 3 * r->neighbors[h];
    while (r->neighbors[other] != h / 3) other++;
    r->triangle_edges[h] = r->triangle_edges[other];
}

static void join_block(void *user, size_t block) { each_side(user, block, user, join_side); }

glshape_status family_edges_on_cpu(family *f) {
    glshape_alpha_result *r = f->result;
    error *err = gpu_error(f->g);
    size_t blocks = blocks_of(f->triangles);
    OWNED uint32_t *first = NULL;
    TRY(allocate(err, &r->edges, f->edges, 2 * sizeof *r->edges, "the edges"));
    TRY(allocate(err, &r->triangle_edges, f->triangles, 3 * sizeof *r->triangle_edges,
                 "the triangles' edges"));
    TRY(allocate(err, &first, blocks, sizeof *first, "the edges"));
    numbering n = {r, first};
    threads_team_run(f->team, blocks, count_block, &n);
    for (size_t block = 0, e = 0, here; block < blocks; block++, e += here) {
        here = first[block];
        first[block] = (uint32_t)e;
    }
    threads_team_run(f->team, blocks, number_block, &n);
    threads_team_run(f->team, blocks, join_block, r);
    return GLSHAPE_OK;
}

/* ---- thresholds -------------------------------------------------------------------------------- */

/* Of each point its three ranks, UINT32_MAX and 0 for none, as vertex_ranks has them. */
typedef struct thresholds {
    const family *f;
    glshape_alpha_result *r;
    atomic_uint (*vertex)[3];
} thresholds;

static inline void lower(atomic_uint *least, uint32_t to) {
    unsigned was = atomic_load_explicit(least, memory_order_relaxed);
    while (was > to && !atomic_compare_exchange_weak_explicit(least, &was, to, memory_order_relaxed,
                                                              memory_order_relaxed)) {}
}

static inline void raise(atomic_uint *most, uint32_t to) {
    unsigned was = atomic_load_explicit(most, memory_order_relaxed);
    while (was < to && !atomic_compare_exchange_weak_explicit(most, &was, to, memory_order_relaxed,
                                                              memory_order_relaxed)) {}
}

static void begin_block(void *user, size_t block) {
    const thresholds *t = user;
    for (size_t v = block * BLOCK; v < t->r->n && v / BLOCK == block; v++) {
        atomic_init(&t->vertex[v][0], UINT32_MAX);
        atomic_init(&t->vertex[v][1], 0);
        atomic_init(&t->vertex[v][2], UINT32_MAX);
    }
}

/* The edge of side h, if it belongs to the triangle: the ranks of its first and its last triangle (0 for the
 * last one of an edge of the hull), and what follows for its ends. */
static inline void take_side(void *user, uint32_t h) {
    const thresholds *t = user;
    if (h + 3 * AHEAD < 3 * t->f->triangles) {
        uint32_t next = t->r->neighbors[h + 3 * AHEAD];
        if (next != GLSHAPE_NO_TRIANGLE) __builtin_prefetch(t->f->ranks + t->f->edges + next);
        if (h % 3) __builtin_prefetch(t->vertex[t->r->triangles[h + 3 * AHEAD]], 1);
    }
    if (!belongs(t->r, h)) return;
    const uint32_t *rank = t->f->ranks + t->f->edges, e = t->r->triangle_edges[h], other = t->r->neighbors[h];
    bool on_hull = other == GLSHAPE_NO_TRIANGLE;
    uint32_t one = rank[h / 3], two = on_hull ? one : rank[other], first = one < two ? one : two;
    uint32_t *own = t->r->edge_ranks + 3 * (size_t)e;
    own[0] = t->f->ranks[e];
    own[1] = first;
    own[2] = on_hull ? 0 : one < two ? two : one;
    for (int i = 0; i < 2; i++) {
        atomic_uint *vertex = t->vertex[t->r->edges[2 * (size_t)e + i]];
        lower(&vertex[0], own[0] ? own[0] : first);
        if (on_hull) raise(&vertex[1], UINT32_MAX);
    }
}

static void take_block(void *user, size_t block) {
    const thresholds *t = user;
    each_side(t->r, block, user, take_side);
    for (size_t k = block * BLOCK; k < t->f->triangles && k / BLOCK == block; k++) {
        if (k + AHEAD < t->f->triangles)
            for (int i = 1; i < 3; i++)
                __builtin_prefetch(t->vertex[t->r->triangles[3 * (k + AHEAD) + i]], 1);
        uint32_t rank = t->r->triangle_ranks[k] = t->f->ranks[t->f->edges + k];
        for (int i = 0; i < 3; i++) {
            atomic_uint *vertex = t->vertex[t->r->triangles[3 * k + i]];
            raise(&vertex[1], rank);
            lower(&vertex[2], rank);
        }
    }
}

/* A point that equals an earlier one has the ranks of that one; a rank that is none is 0. */
static void end_block(void *user, size_t block) {
    const thresholds *t = user;
    for (size_t v = block * BLOCK; v < t->r->n && v / BLOCK == block; v++)
        for (int i = 0; i < 3; i++) {
            uint32_t rank = atomic_load_explicit(&t->vertex[t->r->same[v]][i], memory_order_relaxed);
            t->r->vertex_ranks[3 * v + i] = rank == UINT32_MAX ? 0 : rank;
        }
}

glshape_status family_thresholds_on_cpu(family *f) {
    OWNED atomic_uint(*vertex)[3] = NULL;
    glshape_alpha_result *r = f->result;
    TRY(allocate(gpu_error(f->g), &vertex, r->n, sizeof *vertex, "the thresholds of vertices"));
    thresholds t = {f, r, vertex};
    threads_team_run(f->team, blocks_of(r->n), begin_block, &t);
    threads_team_run(f->team, blocks_of(f->triangles), take_block, &t);
    threads_team_run(f->team, blocks_of(r->n), end_block, &t);
    return GLSHAPE_OK;
}
