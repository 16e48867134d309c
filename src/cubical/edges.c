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
#include "place/place.h"
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

static glshape_status apply_rule(listing *l, bool outside, cubical_edges *e) {
    OWNED_BY(branches_free) branches tree = {0};
    TRY(sort_left(l));
    TRY(listing_joins(l, true));
    gpu_texture_swap(&l->b->edges, &l->joins);
    l->b->edge_count = l->join_count;
    TRY(pairs_find(l->g, l->b, PAIRS_ITEMS, &tree));
    TRY(drop_joined(l));
    TRY(listing_spread(l, outside, e));
    e->examined = (size_t)e->column_count + l->b->edge_count;
    e->pairs = MOVE(l->b->items);
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
static glshape_status find_whole(gpu *g, const cubical_keys *k, cubical_asking *elders, cubical_edges *out) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {.slabs = 1};
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(listing_free) listing l = {.g = g, .b = &b};
    grid_field *field = k->on_gpu ? k->on_gpu : &e.field;
    if (!k->on_gpu) {
        TRY(cubical_keys_need(k));
        TRY(grid_field_new(g, k->order, k->grid, &e.field));
    }
    TRY(basins_begin(g, field, &b));
    gpu_texture_free(&b.candidates);
    TRY(listing_left(&l));
    e.minima = b.minima;
    run_why why = elders ? place_by_size(g, PLACE_SADDLES, l.left_count) : RUN_NOT_SMALL;
    if (run_why_device(why)) TRY(elders(g, &why));
    if (run_why_device(why)) TRY(apply_rule(&l, k->outside, &e));
    else {
        TRY(cubical_keys_need(k));
        TRY(apply_rule_on_cpu(&l, &e));
    }
    TRY(run_tick(run_of(g), 1));
    e.field.order = NULL; /* the caller's, which may end before */
    *out = MOVE(e);
    return GLSHAPE_OK;
}

/* The field is borrowed, and with it for so long the order in which its vertices are numbered. */
static glshape_status find_borrowed(gpu *g, const cubical_keys *k, cubical_asking *elders,
                                    cubical_edges *out) {
    const order *before = k->on_gpu ? k->on_gpu->order : NULL;
    if (k->on_gpu) k->on_gpu->order = k->order;
    glshape_status status = find_whole(g, k, elders, out);
    if (k->on_gpu) k->on_gpu->order = before;
    return status;
}

glshape_status cubical_edges_find(gpu *g, const cubical_keys *k, cubical_asking *elders, cubical_edges *out) {
    uint32_t planes = k->grid->extent[2];
    *out = (cubical_edges){0};
    glshape_status status = find_borrowed(g, k, elders, out);
    if (status == GLSHAPE_NO_GPU_MEMORY && elders) status = find_borrowed(g, k, NULL, out);
    while (status == GLSHAPE_NO_GPU_MEMORY && planes > 1 && !k->on_gpu) {
        planes = (planes + 1) / 2;
        status = cubical_edges_of_slabs(g, k->order, k->grid, planes, out);
    }
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    error why = *run_error(run_of(g));
    return fail(
        run_error(run_of(g)), status,
        "%.600s, even a plane at a time with those beside it: raise the limit, or turn the field so that its "
        "first axis is the longest",
        why.text);
}

/* ---- a list of them ------------------------------------------------------------------------------ */

#define OWNERS 65536u /* that a thread takes at a time */

/* The edges that are left, on their way to a list. */
typedef struct edge_list {
    const cubes *cubes;
    const radix_item *left;
    size_t owners, *start; /* of each block of owners: the place of its first edge */
    uint32_t (*columns)[2];
    radix_item *edges;
} edge_list;

static bool is_column(const edge_list *l, size_t k) {
    return !l->cubes->outside || l->cubes->key[l->left[k].at];
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

/* Columns are numbered by 32 bits. */
static glshape_status new_list(error *err, size_t count, radix_item **edges) {
    if (count < UINT32_MAX) return allocate(err, edges, count, sizeof **edges, "the critical edges");
    return fail(err, GLSHAPE_NO_MEMORY,
                "%zu columns are more than can be numbered; smooth the field, or cut it into parts", count);
}

static glshape_status list_owners(error *err, edge_list *l, radix_item **edges, size_t *count) {
    OWNED size_t *start = NULL;
    size_t blocks = (l->owners + OWNERS - 1) / OWNERS;
    TRY(allocate(err, &start, blocks + 1, sizeof *start, "the critical edges"));
    l->start = start;
    threads_run(0, blocks, count_block, l);
    for (size_t k = 0; k < blocks; k++) start[k + 1] += start[k];
    *count = start[blocks];
    TRY(new_list(err, *count, edges));
    l->edges = *edges;
    threads_run(0, blocks, list_block, l);
    return GLSHAPE_OK;
}

static void list_columns(void *user, size_t first, size_t end) {
    const edge_list *l = user;
    for (size_t k = first; k < end; k++)
        l->edges[k] = (radix_item){cubes_order(l->cubes, l->columns[k][0]), (uint32_t)k, l->columns[k][1]};
}

glshape_status cubical_edges_list(gpu *g, const cubes *c, cubical_edges *e, radix_item **edges,
                                  size_t *count) {
    OWNED radix_item *left = MOVE(e->left);
    OWNED uint32_t(*columns)[2] = NULL;
    error *err = run_error(run_of(g));
    edge_list l = {.cubes = c, .left = left, .owners = e->count};
    if (!e->by_passes) return list_owners(err, &l, edges, count);
    *count = e->column_count;
    size_t n = (size_t)c->extent[0] * c->extent[1] * c->extent[2];
    TRY(allocate(err, &columns, *count, sizeof *columns, "the critical edges"));
    TRY(listing_bring_columns(g, &e->columns, *count, n, columns));
    TRY(new_list(err, *count, edges));
    l.columns = columns;
    l.edges = *edges;
    threads_ranges(*count, list_columns, &l);
    return GLSHAPE_OK;
}
