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

/* Where the edges end, on its way to the pairs. */
typedef struct ending {
    const cubes *cubes;
    radix_item *pairs;
    const uint32_t *deaths;
} ending;

static void end_pairs(void *user, size_t first, size_t end) {
    const ending *e = user;
    for (size_t k = first; k < end; k++) {
        uint32_t death = e->deaths[k];
        e->pairs[k].a = death == SPARSE_ESSENTIAL ? UINT32_MAX : e->cubes->key[death];
        e->pairs[k].b = death;
    }
}

/* The cubes of the side as passes take them. */
typedef struct side_grid {
    glshape_field field;
    order order;
    grid grid;
} side_grid;

static glshape_status need_keys(void *run) { return cubical_need_keys(run); }

/* At s, which lasts as long as they. */
static cubical_keys side_keys(cubical_run *run, side_grid *s) {
    const side *of = &run->side;
    s->field = (glshape_field){.type = GLSHAPE_U32, .values = of->key};
    s->order = (order){.field = &s->field, .n = of->n};
    s->grid = (grid){{of->extent[0], of->extent[1], of->extent[2]}, run->grid.periodic, 6};
    return (cubical_keys){&s->order, &s->grid, of->outside != 0, cubical_side_on_device(run), need_keys, run};
}

/* *why: of the edges. */
static glshape_status place_flow(cubical_run *run, size_t count, run_why *why) {
    double each = (double)count / threads_count(run->o.threads);
    if (!run_why_device(*why)) return GLSHAPE_OK;
    TRY(place_choose(run->g, PLACE_FLOW, each, run->o.modulus == 2, 0, why));
    return cubical_reduction_is_for_passes(run->g, why);
}

/* edges: NULL where e has columns. */
static glshape_status reduce_on_device(cubical_run *run, cubical_edges *e, const radix_item *edges,
                                       size_t count, cubical_reduced *out) {
    side_grid s;
    cubical_keys keys = side_keys(run, &s);
    if (!keys.on_gpu && e->field.n) keys.on_gpu = &e->field;
    const cubical_job job = {.keys = &keys,
                             .ended = run->ended,
                             .ended_on_gpu = run->ended_on_gpu.id ? &run->ended_on_gpu : NULL,
                             .columns = &e->columns,
                             .count = (uint32_t)count,
                             .threads = run->o.threads,
                             .effort = cubical_full_effort(run->g)};
    if (edges && !e->columns.id) TRY(listing_send_columns(run->g, edges, count, &e->columns));
    return cubical_reduce_by_passes(run->g, &job, out);
}

/* Has passes do what they can, if they have found the edges, and *why, of these, says what threads do. */
static glshape_status reduce_by_passes(cubical_run *run, cubical_edges *e, const radix_item *edges,
                                       size_t count, cubical_reduced *out, run_why *why) {
    error before = *err_of(run);
    TRY(place_flow(run, count, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    run_begin_stage(run_of(run->g), "flow", *why);
    *why = RUN_NOT_BY_PASSES;
    glshape_status status = reduce_on_device(run, e, edges, count, out);
    if (status == GLSHAPE_NO_GPU_MEMORY && run->side.reversed && run->on_gpu.n) {
        grid_field_free(&run->on_gpu); /* of the side that comes later */
        *err_of(run) = before;
        status = reduce_on_device(run, e, edges, count, out);
    }
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

static glshape_status list_edges(cubical_run *run, cubical_edges *e, radix_item **edges, size_t *count) {
    TRY(cubical_need_keys(run));
    const cubes c = cubical_side_cubes(run);
    return cubical_edges_list(run->g, &c, e, edges, count);
}

/* Reduces the edges that are left. why: of the edges. */
static glshape_status reduce_edges(cubical_run *run, cubical_edges *e, run_why why) {
    OWNED uint32_t *deaths = NULL;
    OWNED radix_item *pairs = NULL;
    OWNED_BY(cubical_reduced_free) cubical_reduced of = {0};
    columns_work work;
    size_t count = e->column_count;
    run_fact(run_of(run->g), (double)e->examined, "critical edges");
    if (e->slabs) run_fact(run_of(run->g), e->slabs, "slabs of edges");
    if (!e->by_passes) TRY(list_edges(run, e, &pairs, &count));
    TRY(reduce_by_passes(run, e, pairs, count, &of, &why));
    if (!of.count && e->by_passes) TRY(list_edges(run, e, &pairs, &count));
    gpu_texture_free(&e->columns);
    TRY(cubical_need_keys(run));
    TRY(cubical_need_ended(run));
    const cubes c = cubical_side_cubes(run);
    cubical_begin_part(run, 0.2);
    TRY(allocate(err_of(run), &deaths, count, sizeof *deaths, "the intervals"));
    TRY(columns_reduce(run_of(run->g), why, &c, of.count ? NULL : pairs, count, of.count ? &of : NULL,
                       run->o.threads, deaths, &work));
    tell(run, &of, count, &work);
    if (of.count) {
        TRY(cubical_reduced_end(run->g, &of, deaths));
        OWNED_BY(gpu_texture_free) gpu_texture made = MOVE(of.pairs);
        cubical_reduced_free(&of);
        return cubical_settle(run, CUBICAL_EDGES, &made, (uint32_t)count);
    }
    threads_ranges(count, end_pairs, &(ending){&c, pairs, deaths});
    return cubical_take_pairs(run, CUBICAL_EDGES, MOVE(pairs), count);
}

/* Without room for more than the keys, these go from the device. */
static glshape_status find_by_passes(cubical_run *run, cubical_edges *e) {
    side_grid s;
    cubical_keys keys = side_keys(run, &s);
    error before = *err_of(run);
    glshape_status status = cubical_edges_find(run->g, &keys, cubical_elders_are_for_passes, e);
    if (status != GLSHAPE_NO_GPU_MEMORY || !keys.on_gpu) return status;
    *err_of(run) = before;
    cubical_drop_device(run);
    keys = side_keys(run, &s);
    return cubical_edges_find(run->g, &keys, cubical_elders_are_for_passes, e);
}

/* *why becomes why they are found where they are. */
static glshape_status find_edges(cubical_run *run, cubical_edges *e, run_why *why) {
    side_grid s;
    TRY(cubical_choose(run, run->side.n, why));
    if (run_why_device(*why)) TRY(cubical_is_for_passes(run->g, why));
    run_begin_stage(run_of(run->g), "edges", *why);
    if (run_why_device(*why)) return find_by_passes(run, e);
    TRY(cubical_need_keys(run));
    side_keys(run, &s);
    const cubes c = cubical_side_cubes(run);
    return cubical_edges_on_cpu(run->g, &s.order, &c, e);
}

glshape_status cubical_add_middle(cubical_run *run) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    glshape_cubical_result *r = run->r;
    double since = wall_seconds();
    run_why why;
    cubical_begin_part(run, 0.3);
    TRY(find_edges(run, &e, &why));
    TRY(e.by_passes ? cubical_settle(run, CUBICAL_MIDDLE, &e.pairs, e.minima)
                    : cubical_add_side_components(run, &(cubical_ends){e.birth, e.death, 1, e.minima}));
    r->seconds.edges += clock_lap(&since);
    cubical_begin_part(run, 0.2);
    TRY(reduce_edges(run, &e, why));
    r->seconds.reduction += clock_lap(&since);
    return GLSHAPE_OK;
}
