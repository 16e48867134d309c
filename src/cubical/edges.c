/* Critical edges and dimension 0 of a field, by passes. */
#include "cubical/edges.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/listing.h"
#include "cubical/passes.h"
#include "mergetree/pairs.h"
#include "prim/prim.h"
#include "prim/sort.h"

/* ---- the elder rule by passes -------------------------------------------------------------------- */

/* Sorts the vertices with edges. */
static glshape_status sort_left(listing *l) {
    OWNED_BY(prim_radix_free) prim_radix_scratch radix = {0};
    OWNED_BY(gpu_texture_free) gpu_texture spare = {0};
    TRY(gpu_texture_new(l->g, &spare, "vertices with edges", GPU_RGBA32UI, l->left.elements, 1));
    gpu_texture items[2] = {MOVE(l->left), MOVE(spare)};
    glshape_status status = prim_radix(l->g, &radix, items, l->left_count, 32, 32 + prim_radix_bits(l->b->n));
    l->left = items[0];
    spare = items[1];
    return status;
}

/* The edges that have joined components, b->edges, are left no longer. */
static glshape_status drop_joined(listing *l) {
    const grid *d = &l->b->field->grid;
    uint32_t wrong, count = l->b->edge_count;
    TRY(gpu_upload(l->g, &l->state, 0, 1, &(uint32_t){0}));
    if (!count) return GLSHAPE_OK;
    TRY(gpu_run(l->g, cubical_joined, .basin = &l->b->basin, .forest = &l->b->edges, .left = &l->left,
                .state = &l->state, .nx = d->extent[0], .ny = d->extent[1], .nz = d->extent[2],
                .periodic = d->periodic, .count = count, .owners = l->left_count,
                .groups = count / CUBICAL_LOCAL + (count % CUBICAL_LOCAL != 0)));
    TRY(gpu_download(l->g, &l->state, 0, 1, &wrong));
    if (!wrong) return GLSHAPE_OK;
    return fail(run_error(run_of(l->g)), GLSHAPE_GPU_ERROR,
                "%u vertices lack an edge that joins components: this driver computes something wrong",
                wrong);
}

/* Applies the rule while the system gives the memory of what comes down its pages. */
static glshape_status apply_rule(listing *l, cubical_edges *e) {
    OWNED_BY(branches_free) branches tree = {0};
    size_t room = 0;
    TRY(sort_left(l));
    TRY(listing_joins(l, true));
    gpu_texture_swap(&l->b->edges, &l->joins);
    l->b->edge_count = l->join_count;
    TRY(memory_reserve(run_error(run_of(l->g)), &e->left, &room, l->left_count, sizeof *e->left,
                       "the edges"));
    const threads_block memory[THREADS_BLOCKS] = {{e->left, l->left_count * sizeof *e->left}};
    threads_touching *touching = threads_touch_aside(memory);
    glshape_status status = pairs_find(l->g, l->b, PAIRS_PAIRED, &tree);
    if (!status) status = drop_joined(l);
    threads_touched(&touching);
    TRY(status);
    TRY(listing_take_left(l, e, &room));
    e->examined += l->b->edge_count;
    e->pairs = MOVE(tree.pairs);
    return GLSHAPE_OK;
}

/* ---- and on the CPU ------------------------------------------------------------------------------ */

typedef struct judging {
    const listing *of;
    const listing_join *joins;
    _Atomic size_t wrong; /* of what makes no sense, one + 1 */
} judging;

static void judge_joins(void *user, size_t first, size_t end) {
    judging *j = user;
    for (size_t k = first; k < end; k++)
        if (j->joins[k].left >= j->of->left_count || j->joins[k].direction >= 6 ||
            j->joins[k].basin[0] >= j->of->b->minima || j->joins[k].basin[1] >= j->of->b->minima)
            atomic_store(&j->wrong, k + 1);
}

static glshape_status apply_rule_on_cpu(listing *l, cubical_edges *e) {
    OWNED listing_join *joins = NULL;
    error *err = run_error(run_of(l->g));
    size_t room = 0;
    TRY(listing_joins(l, false));
    TRY(listing_take_left(l, e, &room));
    TRY(allocate(err, &joins, l->join_count, sizeof *joins, "the edges between basins"));
    if (l->join_count) TRY(gpu_download(l->g, &l->joins, 0, l->join_count, joins));
    judging j = {l, joins, 0};
    threads_ranges(l->join_count, judge_joins, &j);
    size_t wrong = atomic_load(&j.wrong);
    if (wrong)
        return fail(err, GLSHAPE_GPU_ERROR, "edge %u of owner %u between basins %u and %u of %u",
                    joins[wrong - 1].direction, joins[wrong - 1].left, joins[wrong - 1].basin[0],
                    joins[wrong - 1].basin[1], l->b->minima);
    TRY(basins_minima(l->g, l->b, &e->birth));
    listing_free(l); /* sorts may need the room */
    gpu_texture_free(&l->b->basin);
    gpu_texture_free(&l->b->minimum);
    TRY(listing_apply_elder_rule(l->g, l->b->field->order, joins, l->join_count, e));
    return prim_sort(l->g, true, e->left, e->count, 64);
}

/* ---- all ----------------------------------------------------------------------------------------- */

/* A field that fits on the device as a whole. */
static glshape_status find_whole(gpu *g, const order *o, const grid *d, cubical_asking *elders,
                                 cubical_edges *out) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {.slabs = 1};
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(listing_free) listing l = {.g = g, .b = &b};
    TRY(grid_field_new(g, o, d, &e.field));
    TRY(basins_begin(g, &e.field, &b));
    gpu_texture_free(&b.candidates);
    TRY(listing_left(&l));
    e.minima = b.minima;
    run_why why = elders && l.left_count >= pairs_few(g) ? gpu_why_passes(g) : RUN_NOT_SMALL;
    if (run_why_device(why)) TRY(elders(g, &why));
    TRY(run_why_device(why) ? apply_rule(&l, &e) : apply_rule_on_cpu(&l, &e));
    TRY(run_tick(run_of(g), 1));
    e.field.order = NULL; /* the caller's, which may end before */
    *out = MOVE(e);
    return GLSHAPE_OK;
}

glshape_status cubical_edges_find(gpu *g, const order *o, const grid *d, cubical_asking *elders,
                                  cubical_edges *out) {
    uint32_t planes = d->extent[2];
    *out = (cubical_edges){0};
    glshape_status status = find_whole(g, o, d, elders, out);
    if (status == GLSHAPE_NO_GPU_MEMORY && elders) status = find_whole(g, o, d, NULL, out);
    while (status == GLSHAPE_NO_GPU_MEMORY && planes > 1) {
        planes = (planes + 1) / 2;
        status = cubical_edges_of_slabs(g, o, d, planes, out);
    }
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    error why = *run_error(run_of(g));
    return fail(
        run_error(run_of(g)), status,
        "%.600s, even a plane at a time with those beside it: raise the limit, or turn the field so that its "
        "first axis is the longest",
        why.text);
}
