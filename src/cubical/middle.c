/* Dimension 1 of three: the edges that dimension 0 leaves are columns of a reduction. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/columns.h"
#include "cubical/edges.h"
#include "cubical/run.h"
#include "place/place.h"

#define OWNERS 65536u /* that a thread takes at a time */

/* The edges that are left, on their way to a list. */
typedef struct edge_list {
    const cubical_run *run;
    const cubes *cubes;
    const radix_item *left;
    size_t owners, *start; /* of each block of owners: the place of its first edge */
    radix_item *edges;
} edge_list;

static bool is_column(const edge_list *l, size_t k) {
    return cubical_vertex_of(l->run, (uint32_t)l->left[k].at) != GLSHAPE_NO_VERTEX;
}

static size_t owners_end(const edge_list *l, size_t block) {
    return l->owners - block * OWNERS < OWNERS ? l->owners : (block + 1) * OWNERS;
}

static void count_block(void *user, size_t block) {
    const edge_list *l = user;
    size_t count = 0;
    for (size_t k = block * OWNERS; k < owners_end(l, block); k++)
        if (is_column(l, k)) count += (size_t)__builtin_popcount(l->left[k].a);
    l->start[block + 1] = count;
}

static void list_block(void *user, size_t block) {
    const edge_list *l = user;
    radix_item *to = l->edges + l->start[block];
    for (size_t k = block * OWNERS; k < owners_end(l, block); k++)
        for (uint32_t rest = is_column(l, k) ? l->left[k].a : 0; rest; rest &= rest - 1, to++)
            *to = (radix_item){cubes_order(l->cubes, (uint32_t)l->left[k].at), (uint32_t)(to - l->edges),
                               (uint32_t)__builtin_ctz(rest)};
}

/* Lists the edges that are left by vertex, as columns_reduce has them; none of the outside, which comes last
 * and is never added to others. Frees e. */
static glshape_status list_edges(cubical_run *run, const cubes *c, cubical_edges *e, radix_item **edges,
                                 size_t *count) {
    OWNED radix_item *left = MOVE(e->left);
    OWNED size_t *start = NULL;
    edge_list l = {.run = run, .cubes = c, .left = left, .owners = e->count};
    size_t blocks = (l.owners + OWNERS - 1) / OWNERS;
    cubical_edges_free(e);
    TRY(allocate(err_of(run), &start, blocks + 1, sizeof *start, "the critical edges"));
    l.start = start;
    threads_run(0, blocks, count_block, &l);
    for (size_t k = 0; k < blocks; k++) start[k + 1] += start[k];
    *count = start[blocks];
    TRY(allocate(err_of(run), edges, *count, sizeof **edges, "the critical edges"));
    l.edges = *edges;
    threads_run(0, blocks, list_block, &l);
    return GLSHAPE_OK;
}

/* Columns are numbered by 32 bits. */
static glshape_status check_count(cubical_run *run, size_t count) {
    if (count < UINT32_MAX) return GLSHAPE_OK;
    return fail(err_of(run), GLSHAPE_NO_MEMORY,
                "%zu columns are more than can be numbered; smooth the field, or cut it into parts", count);
}

typedef struct naming {
    const cubical_run *run;
    const cubes *cubes;
    const radix_item *edges;
    const uint32_t *deaths;
    uint32_t *births;
    atomic_bool wrong;
} naming;

/* A square comes no earlier than its edge, and is none of the outside. */
static bool is_end(const naming *n, size_t k) {
    uint32_t death = n->deaths[k];
    return death < n->run->side.n && cubes_order(n->cubes, death) >= n->edges[k].at &&
           cubical_vertex_of(n->run, death) != GLSHAPE_NO_VERTEX;
}

static void name_births(void *user, size_t first, size_t end) {
    naming *n = user;
    for (size_t k = first; k < end; k++) {
        n->births[k] = (uint32_t)n->edges[k].at;
        if (n->deaths[k] != SPARSE_ESSENTIAL && !is_end(n, k)) atomic_store(&n->wrong, true);
    }
}

/* The cubes of the side as passes take them. */
typedef struct side_grid {
    glshape_field field;
    order order;
    grid grid;
} side_grid;

static void side_grid_new(const cubical_run *run, side_grid *out) {
    const side *s = &run->side;
    out->field = (glshape_field){.type = GLSHAPE_U32, .values = s->key};
    out->order = (order){.field = &out->field, .n = s->n};
    out->grid = (grid){{s->extent[0], s->extent[1], s->extent[2]}, run->grid.periodic, 6};
}

/* *why: of the edges. */
static glshape_status place_flow(cubical_run *run, const cubes *c, size_t count, run_why *why) {
    double each = (double)count / threads_count(run->o.threads);
    if (!run_why_device(*why)) return GLSHAPE_OK;
    TRY(place_choose(run->g, PLACE_FLOW, each, c->modulus == 2, 0, why));
    return cubical_reduction_is_for_passes(run->g, why);
}

/* Has passes do what they can, if they have found the edges, and *why, of these, says what threads do. field:
 * of cubical_edges, taken over. */
static glshape_status reduce_by_passes(cubical_run *run, const cubes *c, const radix_item *edges,
                                       size_t count, grid_field *field, cubical_reduced *out, run_why *why) {
    side_grid s;
    TRY(place_flow(run, c, count, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    run_begin_stage(run_of(run->g), "flow", *why);
    side_grid_new(run, &s);
    error before = *err_of(run);
    *why = RUN_NOT_BY_PASSES;
    glshape_status status = cubical_reduce_by_passes(run->g, &s.order, &s.grid, field, c, edges, count,
                                                     run->o.threads, cubical_full_effort(run->g), out);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    *err_of(run) = before;
    *why = RUN_NOT_ROOM;
    return GLSHAPE_OK;
}

static void tell(const cubical_run *run, const cubical_reduced *of, size_t count, const columns_work *work) {
    run_fact(run_of(run->g), (double)count, "columns reduced");
    run_fact(run_of(run->g), (double)work->left, "columns that passes leave to threads");
    run_fact(run_of(run->g), (double)of->lost, "edges that passes leave to threads");
    run_fact(run_of(run->g), (double)work->steps, "edges that they flow through");
    run_fact(run_of(run->g), (double)work->squares, "critical squares that they flow to");
    run_fact(run_of(run->g), (double)work->sparse.additions, "columns added");
    run_fact(run_of(run->g), (double)work->sparse.found, "columns of passes that were looked at");
    run_fact(run_of(run->g), (double)work->sparse.passed, "vertices that columns flow through");
    run_fact(run_of(run->g),
             (double)(work->sparse.bytes + cubical_reduced_bytes(of) + count * sizeof(radix_item)),
             "host bytes of the reduction");
}

/* Reduces the edges that are left, and frees e. why: of the edges. */
static glshape_status reduce_edges(cubical_run *run, cubical_edges *e, run_why why) {
    OWNED uint32_t *owners = NULL;
    OWNED radix_item *edges = NULL;
    OWNED_BY(cubical_reduced_free) cubical_reduced of = {0};
    OWNED_BY(grid_field_free) grid_field field = MOVE(e->field);
    const cubes c = cubical_side_cubes(run);
    columns_work work;
    size_t count;
    run_fact(run_of(run->g), (double)e->examined, "critical edges");
    if (e->slabs) run_fact(run_of(run->g), e->slabs, "slabs of edges");
    TRY(list_edges(run, &c, e, &edges, &count));
    TRY(check_count(run, count));
    TRY(reduce_by_passes(run, &c, edges, count, &field, &of, &why));
    grid_field_free(&field);
    cubical_begin_part(run, 0.2);
    TRY(allocate(err_of(run), &owners, count, 2 * sizeof *owners, "the intervals"));
    TRY(columns_reduce(run_of(run->g), why, &c, edges, count, of.count ? &of : NULL, run->o.threads,
                       owners + count, &work));
    tell(run, &of, count, &work);
    naming n = {run, &c, edges, owners + count, owners, false};
    threads_ranges(count, name_births, &n);
    if (atomic_load(&n.wrong))
        return fail(err_of(run), GLSHAPE_GPU_ERROR,
                    "a pass ends edges at squares that are not there: this driver computes something wrong");
    return cubical_add_side_edges(run, &(cubical_ends){owners, owners + count, 1, count});
}

/* *why becomes why they are found where they are. */
static glshape_status find_edges(cubical_run *run, cubical_edges *e, run_why *why) {
    const cubes c = cubical_side_cubes(run);
    bool device = !mergetree_is_small(run->g, run->side.n);
    side_grid s;
    *why = RUN_NOT_SMALL;
    if (device) {
        TRY(mergetree_choose(run->g, run->side.n, PLACE_FIELD_MORE, why));
        TRY(cubical_is_for_passes(run->g, why));
        device = run_why_device(*why);
    }
    run_begin_stage(run_of(run->g), "edges", *why);
    side_grid_new(run, &s);
    return device ? cubical_edges_find(run->g, &s.order, &s.grid, cubical_elders_are_for_passes, e)
                  : cubical_edges_on_cpu(run->g, &s.order, &c, e);
}

glshape_status cubical_add_middle(cubical_run *run) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    glshape_cubical_result *r = run->r;
    double since = wall_seconds();
    run_why why;
    cubical_begin_part(run, 0.3);
    TRY(find_edges(run, &e, &why));
    TRY(e.pairs ? cubical_take_middle_pairs(run, MOVE(e.pairs), e.minima)
                : cubical_add_side_components(run, &(cubical_ends){e.birth, e.death, 1, e.minima}));
    r->seconds.edges += clock_lap(&since);
    cubical_begin_part(run, 0.2);
    TRY(reduce_edges(run, &e, why));
    r->seconds.reduction += clock_lap(&since);
    return GLSHAPE_OK;
}
