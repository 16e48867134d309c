/* The same as family.c, in memory, by threads. */
#include <stdatomic.h>
#include <stdlib.h>

#include "alpha/family.h"
#include "base/memory.h"
#include "base/owned.h"

#define BLOCK 16384u /* triangles or points of one item of work */
#define AHEAD 16

static size_t blocks_of(size_t count) { return count / BLOCK + 1; }

/* Which sides are edges of triangle t, a bit each: their ends come in ascending order there, or t alone has
 * them. */
static inline unsigned own_sides(const glshape_alpha_result *r, size_t t) {
    const uint32_t *v = r->triangles + 3 * t, *next = r->neighbors + 3 * t;
    unsigned own = 0;
    for (int k = 0; k < 3; k++)
        own |= (unsigned)((next[k] == GLSHAPE_NO_TRIANGLE) | (v[(k + 1) % 3] < v[(k + 2) % 3])) << k;
    return own;
}

static inline size_t end_of(size_t block, size_t count) {
    return count - block * BLOCK < BLOCK ? count : (block + 1) * BLOCK;
}

/* ---- edges ------------------------------------------------------------------------------------- */

typedef struct numbering {
    glshape_alpha_result *r;
    uint32_t *first; /* of each block: how many edges belong to its triangles; then the first of them */
} numbering;

static void count_block(void *user, size_t block) {
    const numbering *n = user;
    uint32_t count = 0;
    for (size_t t = block * BLOCK; t < end_of(block, n->r->triangle_count); t++)
        count += (uint32_t)__builtin_popcount(own_sides(n->r, t));
    n->first[block] = count;
}

static void number_block(void *user, size_t block) {
    const numbering *n = user;
    glshape_alpha_result *r = n->r;
    uint32_t e = n->first[block];
    for (size_t t = block * BLOCK; t < end_of(block, r->triangle_count); t++) {
        unsigned own = own_sides(r, t);
        for (int k = 0; k < 3; k++) {
            if (!(own >> k & 1)) continue;
            uint32_t a = r->triangles[3 * t + (k + 1) % 3], b = r->triangles[3 * t + (k + 2) % 3];
            r->edges[2 * (size_t)e] = a < b ? a : b;
            r->edges[2 * (size_t)e + 1] = a < b ? b : a;
            r->triangle_edges[3 * t + k] = e++;
        }
    }
}

/* The sides that are edges of other triangles. */
static void join_block(void *user, size_t block) {
    const glshape_alpha_result *r = user;
    for (size_t t = block * BLOCK; t < end_of(block, r->triangle_count); t++) {
        for (int k = 0; k < 3 && t + AHEAD < r->triangle_count; k++) {
            size_t next = r->neighbors[3 * (t + AHEAD) + k];
            if (next == GLSHAPE_NO_TRIANGLE) continue;
            __builtin_prefetch(r->neighbors + 3 * next);
            __builtin_prefetch(r->triangle_edges + 3 * next);
        }
        unsigned own = own_sides(r, t);
        for (int k = 0; k < 3; k++) {
            if (own >> k & 1) continue;
            size_t other = 3 * (size_t)r->neighbors[3 * t + k];
            other += r->neighbors[other] == t ? 0 : r->neighbors[other + 1] == t ? 1 : 2;
            r->triangle_edges[3 * t + k] = r->triangle_edges[other];
        }
    }
}

glshape_status family_edges_on_cpu(family *f) {
    glshape_alpha_result *r = f->result;
    error *err = run_error(run_of(f->g));
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

/* What triangle t + AHEAD needs is asked for. */
static inline void fetch_ahead(const thresholds *t, size_t triangle) {
    size_t ahead = triangle + AHEAD;
    if (ahead >= t->f->triangles) return;
    for (int k = 0; k < 3; k++) {
        uint32_t next = t->r->neighbors[3 * ahead + k];
        if (next != GLSHAPE_NO_TRIANGLE) __builtin_prefetch(t->f->ranks + t->f->edges + next);
        __builtin_prefetch(t->vertex[t->r->triangles[3 * ahead + k]], 1);
    }
}

/* An edge between triangles of these ranks (0: none): the ranks of its first and its last triangle (0 for the
 * last one of an edge of the hull), and what follows for its ends, whose triangles all are at some edge. */
static inline void take_edge(const thresholds *t, size_t e, uint32_t one, uint32_t two) {
    uint32_t *own = t->r->edge_ranks + 3 * e;
    bool on_hull = !two;
    own[0] = t->f->ranks[e];
    own[1] = on_hull || one < two ? one : two;
    own[2] = on_hull ? 0 : one < two ? two : one;
    for (int i = 0; i < 2; i++) {
        atomic_uint *vertex = t->vertex[t->r->edges[2 * e + i]];
        lower(&vertex[0], own[0] ? own[0] : own[1]);
        raise(&vertex[1], on_hull ? UINT32_MAX : own[2]);
        lower(&vertex[2], own[1]);
    }
}

static void take_block(void *user, size_t block) {
    const thresholds *t = user;
    const glshape_alpha_result *r = t->r;
    const uint32_t *ranks = t->f->ranks + t->f->edges; /* of triangles: at least 1 */
    for (size_t k = block * BLOCK; k < end_of(block, t->f->triangles); k++) {
        fetch_ahead(t, k);
        uint32_t rank = r->triangle_ranks[k] = ranks[k];
        unsigned own = own_sides(r, k);
        for (int i = 0; i < 3; i++) {
            uint32_t next = r->neighbors[3 * k + i];
            if (!(own >> i & 1)) continue;
            take_edge(t, r->triangle_edges[3 * k + i], rank, next == GLSHAPE_NO_TRIANGLE ? 0 : ranks[next]);
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
    TRY(allocate(run_error(run_of(f->g)), &vertex, r->n, sizeof *vertex, "the thresholds of vertices"));
    thresholds t = {f, r, vertex};
    threads_team_run(f->team, blocks_of(r->n), begin_block, &t);
    threads_team_run(f->team, blocks_of(f->triangles), take_block, &t);
    threads_team_run(f->team, blocks_of(r->n), end_block, &t);
    return GLSHAPE_OK;
}
