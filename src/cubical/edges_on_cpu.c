/* The edges of a grid that dimension 0 leaves, by threads. A vertex leads to the other end of its first edge,
 * with which it is paired. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/edges.h"
#include "field/forest.h"

#define BLOCK 65536u /* vertices that a thread takes at a time */

/* Vertices that a thread takes, and the first of what it lists of them. */
typedef struct part {
    size_t owners, edges, joins;
} part;

typedef struct finder {
    const cubes *cubes;
    uint32_t n;
    part *parts;
    size_t part_count;
    forest paths;
    uint8_t *critical; /* of each vertex: its critical edges, as a set */
    listing_join *joins;
    size_t join_count;
    cubical_edges *out;
} finder;

static void finder_free(finder *f) {
    free(f->parts);
    forest_free(&f->paths);
    free(f->critical);
    free(f->joins);
}

static uint32_t part_end(const finder *f, size_t item) {
    uint32_t first = (uint32_t)item * BLOCK;
    return f->n - first < BLOCK ? f->n : first + BLOCK;
}

static void look(void *user, size_t item) {
    finder *f = user;
    part p = {0}; /* not in place: parts share lines of caches */
    uint32_t first = (uint32_t)item * BLOCK;
    for (uint32_t v = first; v < part_end(f, item); v++) {
        uint32_t to[6], paired, set = cubes_edges(f->cubes, v, to, &paired);
        forest_set(&f->paths, v, set ? to[__builtin_ctz(set)] : v, first);
        set &= ~paired & (set - 1);
        f->critical[v] = (uint8_t)set;
        p.owners += set > 0;
        p.edges += (size_t)__builtin_popcount(set);
    }
    f->parts[item] = p;
}

static void list_owners(void *user, size_t item) {
    const finder *f = user;
    radix_item *to = f->out->left + f->parts[item].owners;
    for (uint32_t v = (uint32_t)item * BLOCK; v < part_end(f, item); v++)
        if (f->critical[v]) *to++ = (radix_item){v, f->critical[v], 0};
}

/* The edges of an owner that lead from one basin to another. */
static listing_join *join_owner(const finder *f, size_t owner, listing_join *to) {
    uint32_t v = (uint32_t)f->out->left[owner].at, ends[6], paired, own = forest_minimum(&f->paths, v);
    cubes_edges(f->cubes, v, ends, &paired);
    for (uint32_t rest = f->out->left[owner].a; rest; rest &= rest - 1) {
        uint32_t edge = (uint32_t)__builtin_ctz(rest), other = forest_minimum(&f->paths, ends[edge]);
        if (other != own)
            *to++ = (listing_join){
                (uint32_t)owner, edge, {forest_number(&f->paths, own), forest_number(&f->paths, other)}};
    }
    return to;
}

/* There is room for all critical edges; parts become as long as their lists are. */
static void list_joins(void *user, size_t item) {
    const finder *f = user;
    part *p = &f->parts[item];
    listing_join *first = f->joins + p->edges, *to = first;
    size_t end = item + 1 < f->part_count ? p[1].owners : f->out->count;
    for (size_t owner = p->owners; owner < end; owner++) to = join_owner(f, owner, to);
    p->joins = (size_t)(to - first);
}

/* Counts become the places where lists begin. */
static void place_parts(finder *f) {
    for (part *p = f->parts; p < f->parts + f->part_count; p++) {
        size_t owners = p->owners, edges = p->edges;
        p->owners = f->out->count;
        p->edges = f->out->examined;
        f->out->count += owners;
        f->out->examined += edges;
    }
}

static void close_gaps(finder *f) {
    for (const part *p = f->parts; p < f->parts + f->part_count; f->join_count += p++->joins)
        memmove(f->joins + f->join_count, f->joins + p->edges, p->joins * sizeof *f->joins);
}

static glshape_status find_joins(run *r, finder *f) {
    cubical_edges *e = f->out;
    error *err = run_error(r);
    place_parts(f);
    TRY(allocate(err, &e->left, e->count, sizeof *e->left, "the edges"));
    TRY(allocate(err, &f->joins, e->examined, sizeof *f->joins, "the edges between basins"));
    TRY(run_by_threads(r, f->part_count, list_owners, f, 0.5, 0.6));
    TRY(run_by_threads(r, f->part_count, list_joins, f, 0.6, 0.7));
    close_gaps(f);
    return GLSHAPE_OK;
}

glshape_status cubical_edges_on_cpu(gpu *g, const order *o, const cubes *c, cubical_edges *out) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    OWNED_BY(finder_free) finder f = {.cubes = c, .n = o->n, .out = &e};
    error *err = run_error(run_of(g));
    *out = (cubical_edges){0};
    f.part_count = (f.n - 1) / BLOCK + (size_t)1;
    TRY(allocate(err, &f.parts, f.part_count, sizeof *f.parts, "the edges"));
    TRY(allocate(err, &f.critical, f.n, 1, "the edges"));
    TRY(forest_new(err, f.n, &f.paths));
    TRY(run_by_threads(run_of(g), f.part_count, look, &f, 0, 0.5));
    forest_follow(&f.paths);
    TRY(forest_list(err, &f.paths, &e.birth));
    e.minima = f.paths.count;
    TRY(find_joins(run_of(g), &f));
    TRY(listing_apply_elder_rule(g, o, f.joins, f.join_count, &e));
    TRY(run_tick(run_of(g), 1));
    *out = MOVE(e);
    return GLSHAPE_OK;
}
