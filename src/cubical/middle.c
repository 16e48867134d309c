/* Dimension 1 of three: the edges that dimension 0 leaves are columns of a reduction. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/edges.h"
#include "cubical/flow.h"
#include "cubical/morse.h"
#include "cubical/run.h"
#include "persistence/reduce.h"
#include "place/place.h"
#include "prim/sort.h"

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
        for (uint32_t rest = is_column(l, k) ? l->left[k].a : 0; rest; rest &= rest - 1)
            *to++ = (radix_item){cubes_order(l->cubes, (uint32_t)l->left[k].at), 0,
                                 (uint32_t)__builtin_ctz(rest)};
}

/* Lists the edges that are left by vertex, each with the order of its owner and its number; none of the
 * outside, which comes last and is never added to others. Frees e. */
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

/* Threads take edges in blocks of neighbors, each block in the order of reduction: in smaller blocks more
 * columns are given up for others, in larger ones caches have less of what is needed. */
#define NEIGHBORS 65536u

/* The columns of the reduction: edges in descending order. */
typedef struct columns {
    const morse *morse;
    radix_item *items; /* a: the edges in ascending order */
    uint32_t *edge;    /* of each column */
    uint32_t *turns;   /* columns as threads take them */
} columns;

static void columns_free(columns *c) {
    free(c->items);
    free(c->edge);
    free(c->turns);
}

static void begin_items(void *user, size_t first, size_t end) {
    const columns *c = user;
    for (size_t k = first; k < end; k++) c->items[k] = (radix_item){c->morse->edges[k].at, (uint32_t)k, 0};
}

static void number_columns(void *user, size_t first, size_t end) {
    const columns *c = user;
    for (size_t k = first; k < end; k++) {
        c->edge[k] = c->items[c->morse->count - 1 - k].a;
        c->turns[c->edge[k]] = (uint32_t)k;
    }
}

#define DIGIT 8 /* bits */

/* Sorts the turns of a block of neighbors, which are the columns of its edges. */
static void sort_turns(void *user, size_t block) {
    const columns *c = user;
    size_t first = block * NEIGHBORS, rest = c->morse->count - first;
    size_t count = rest < NEIGHBORS ? rest : NEIGHBORS;
    uint32_t spare[NEIGHBORS], *from = c->turns + first, *to = spare;
    for (int shift = 0; shift < 32; shift += DIGIT) {
        size_t start[(1 << DIGIT) + 1] = {0};
        for (size_t k = 0; k < count; k++) start[(from[k] >> shift & ((1 << DIGIT) - 1)) + 1]++;
        for (size_t d = 0; d < 1 << DIGIT; d++) start[d + 1] += start[d];
        for (size_t k = 0; k < count; k++) to[start[from[k] >> shift & ((1 << DIGIT) - 1)]++] = from[k];
        uint32_t *moved = to;
        to = from;
        from = moved;
    }
}

static glshape_status list_columns(cubical_run *run, bool device, columns *c) {
    size_t count = c->morse->count;
    if (count >= UINT32_MAX)
        return fail(err_of(run), GLSHAPE_NO_MEMORY,
                    "%zu columns are more than can be numbered; smooth the field, or cut it into parts",
                    count);
    TRY(allocate(err_of(run), &c->items, count, sizeof *c->items, "the columns"));
    threads_ranges(count, begin_items, c);
    TRY(prim_sort(run->g, device, c->items, count, 64));
    TRY(allocate(err_of(run), &c->edge, count, sizeof *c->edge, "the columns"));
    TRY(allocate(err_of(run), &c->turns, count, sizeof *c->turns, "the columns"));
    threads_ranges(count, number_columns, c);
    threads_run(0, (count + NEIGHBORS - 1) / NEIGHBORS, sort_turns, c);
    free(MOVE(c->items));
    return GLSHAPE_OK;
}

static const sparse_term *column_of(const void *space, uint32_t column, size_t *count) {
    const columns *c = space;
    return morse_terms(c->morse, c->edge[column], count);
}

static size_t pass_vertex(const void *space, const sparse_term *squares, size_t count, sparse_term *out) {
    const columns *c = space;
    return flow_pass(c->morse->cubes, squares, count, out);
}

/* The owners of the edges, by column, and of the squares that end them. */
typedef struct outcome {
    const columns *columns;
    const uint64_t *deaths;
    uint32_t *birth, *death;
} outcome;

static void name_owners(void *user, size_t first, size_t end) {
    const outcome *o = user;
    const columns *c = o->columns;
    for (size_t k = first; k < end; k++) {
        o->birth[k] = (uint32_t)c->morse->edges[c->edge[k]].at;
        o->death[k] = o->deaths[k] == SPARSE_ESSENTIAL ? GLSHAPE_NO_VERTEX : (uint32_t)o->deaths[k];
    }
}

static glshape_status add_pairs(cubical_run *run, const columns *c, const uint64_t *deaths) {
    OWNED uint32_t *owners = NULL;
    size_t count = c->morse->count;
    TRY(allocate(err_of(run), &owners, count, 2 * sizeof *owners, "the intervals"));
    threads_ranges(count, name_owners, &(outcome){c, deaths, owners, owners + count});
    return cubical_add_side_edges(run, &(cubical_ends){owners, owners + count, 1, count});
}

static glshape_status reduce(cubical_run *run, bool device, const morse *m, const uint32_t *inverse) {
    OWNED uint64_t *deaths = NULL;
    OWNED_BY(columns_free) columns c = {.morse = m};
    sparse_work work = {0};
    size_t count = m->count;
    TRY(list_columns(run, device, &c));
    const sparse_job job = {.space = &c,
                            .modulus = m->cubes->modulus,
                            .count = (uint32_t)count,
                            .inverse = inverse,
                            .turns = c.turns,
                            .column = column_of,
                            .pass = pass_vertex,
                            .threads = run->o.threads,
                            .go_on = run_go_on,
                            .user = run_of(run->g)};
    TRY(allocate(err_of(run), &deaths, count, sizeof *deaths, "the ends of intervals"));
    TRY(sparse_reduce(err_of(run), &job, deaths, &work));
    run_fact(run_of(run->g), (double)count, "columns reduced");
    run_fact(run_of(run->g), (double)m->steps, "edges that they flow through");
    run_fact(run_of(run->g), (double)m->squares, "critical squares that they flow to");
    run_fact(run_of(run->g), (double)work.additions, "columns added");
    run_fact(run_of(run->g), (double)work.passed, "vertices that columns flow through");
    run_fact(run_of(run->g),
             (double)(work.bytes + morse_bytes(m) +
                      count * (sizeof *c.edge + sizeof *c.turns + sizeof *deaths + sizeof *m->edges)),
             "host bytes of the reduction");
    return add_pairs(run, &c, deaths);
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

static glshape_status place_flow(cubical_run *run, const morse *m, bool device, run_why *why) {
    double each = (double)m->count / threads_count(run->o.threads);
    *why = RUN_NOT_SMALL;
    if (!device) return GLSHAPE_OK;
    TRY(place_choose(run->g, PLACE_FLOW, each, m->cubes->modulus == 2, 0, why));
    return cubical_flow_is_for_passes(run->g, why);
}

/* Lists the squares that edges flow to. device: it has found the edges; field: of cubical_edges. */
static glshape_status fill(cubical_run *run, morse *m, bool device, grid_field *field) {
    side_grid s;
    run_why why;
    TRY(place_flow(run, m, device, &why));
    run_begin_stage(run_of(run->g), "flow", why);
    side_grid_new(run, &s);
    if (run_why_device(why)) {
        glshape_status status =
            morse_fill_by_passes(run->g, &s.order, &s.grid, field, morse_turns(run->g), m, run->o.threads);
        if (status != GLSHAPE_NO_GPU_MEMORY) return status;
        run_begin_stage(run_of(run->g), "flow", RUN_NOT_ROOM);
    }
    return morse_fill(err_of(run), m, run->o.threads, run_go_on, run_of(run->g));
}

/* Reduces the edges that are left, and frees e. */
static glshape_status reduce_edges(cubical_run *run, cubical_edges *e) {
    OWNED uint32_t *inverse = NULL;
    OWNED radix_item *edges = NULL;
    OWNED_BY(morse_free) morse m = {0};
    OWNED_BY(grid_field_free) grid_field field = MOVE(e->field);
    const cubes c = cubical_side_cubes(run);
    bool device = e->slabs > 0;
    TRY(persistence_inverses(err_of(run), c.modulus, &inverse));
    run_fact(run_of(run->g), (double)e->examined, "critical edges");
    if (e->slabs) run_fact(run_of(run->g), e->slabs, "slabs of edges");
    TRY(list_edges(run, &c, e, &edges, &m.count));
    m.cubes = &c;
    m.edges = edges;
    TRY(fill(run, &m, device, &field));
    grid_field_free(&field);
    cubical_begin_part(run, 0.2);
    run_begin_stage(run_of(run->g), "reduction", RUN_NOT_BY_PASSES);
    return reduce(run, device, &m, inverse);
}

static glshape_status find_edges(cubical_run *run, cubical_edges *e) {
    const cubes c = cubical_side_cubes(run);
    bool device = !mergetree_is_small(run->g, run->side.n);
    side_grid s;
    run_why why = RUN_NOT_SMALL;
    if (device) {
        TRY(gpu_find(run->g, 0, &device));
        why = device ? gpu_why_passes(run->g) : gpu_why_absent(run->g);
        TRY(cubical_is_for_passes(run->g, &why));
        device = run_why_device(why);
    }
    run_begin_stage(run_of(run->g), "edges", why);
    side_grid_new(run, &s);
    return device ? cubical_edges_find(run->g, &s.order, &s.grid, cubical_elders_are_for_passes, e)
                  : cubical_edges_on_cpu(err_of(run), &s.order, &c, e);
}

glshape_status cubical_add_middle(cubical_run *run) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    glshape_cubical_result *r = run->r;
    double since = wall_seconds();
    cubical_begin_part(run, 0.3);
    TRY(find_edges(run, &e));
    TRY(e.pairs ? cubical_take_middle_pairs(run, MOVE(e.pairs), e.minima)
                : cubical_add_side_components(run, &(cubical_ends){e.birth, e.death, 1, e.minima}));
    r->seconds.edges += clock_lap(&since);
    cubical_begin_part(run, 0.2);
    TRY(reduce_edges(run, &e));
    r->seconds.reduction += clock_lap(&since);
    return GLSHAPE_OK;
}
