#include "cubical/edges.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cubical/passes.h"
#include "tree/union.h"

const int cubical_directions[6] = {4, 10, 12, 14, 16, 22};

/* ---- passes ------------------------------------------------------------------------------------ */

typedef struct finder {
    gpu *g;
    const order *order;
    grid_field *field;
    basins basins;
    gpu_texture state, left, joins;
    uint32_t left_count, join_count;
} finder;

static void finder_free(finder *f) {
    basins_free(&f->basins);
    gpu_texture_free(&f->state);
    gpu_texture_free(&f->left);
    gpu_texture_free(&f->joins);
}

static uint32_t groups(uint32_t n) { return n / CUBICAL_LOCAL + (n % CUBICAL_LOCAL != 0); }

static glshape_status run_edges(finder *f, uint32_t room) {
    const grid_field *field = f->field;
    const uint32_t *extent = field->grid.extent;
    uint32_t columns = extent[0] * ((extent[1] - 1) / CUBICAL_RUN + 1) * (field->hi - field->lo);
    TRY(gpu_texture_new(f->g, &f->left, "vertices with edges", GPU_RG32UI, room, 1));
    TRY(gpu_upload(f->g, &f->state, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(f->g, cubical_edges, .key = &f->field->key, .left = &f->left, .state = &f->state,
                .nx = extent[0], .ny = extent[1], .nz = extent[2], .periodic = field->grid.periodic,
                .order_start = field->order_start, .lo = field->lo, .hi = field->hi, .room = room,
                .groups = groups(columns)));
    return gpu_download(f->g, &f->state, 0, 1, &f->left_count);
}

static glshape_status run_joins(finder *f, uint32_t room) {
    const grid *d = &f->field->grid;
    TRY(gpu_texture_new(f->g, &f->joins, "edges between basins", GPU_RGBA32UI, room, 1));
    TRY(gpu_upload(f->g, &f->state, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(f->g, cubical_joins, .basin = &f->basins.basin, .left = &f->left, .edges = &f->joins,
                .state = &f->state, .nx = d->extent[0], .ny = d->extent[1], .nz = d->extent[2],
                .periodic = d->periodic, .count = f->left_count, .room = room,
                .groups = groups(f->left_count)));
    return gpu_download(f->g, &f->state, 0, 1, &f->join_count);
}

/* Runs a pass that lists things, and runs it again if there are more than room for them. */
static glshape_status list(finder *f, glshape_status (*run)(finder *f, uint32_t room), gpu_texture *texture,
                           const uint32_t *count, uint32_t room) {
    TRY(run(f, room));
    if (*count <= room) return GLSHAPE_OK;
    room = *count;
    gpu_texture_free(texture);
    TRY(run(f, room));
    if (*count == room) return GLSHAPE_OK;
    return fail(gpu_error(f->g), GLSHAPE_GPU_ERROR,
                "one pass found %u vertices with edges, the next one %u: this driver counts wrong", room,
                *count);
}

static glshape_status fetch_left(finder *f, cubical_edges *out) {
    OWNED uint32_t(*left)[2] = NULL;
    OWNED radix_item *spare = NULL;
    error *err = gpu_error(f->g);
    size_t count = f->left_count;
    TRY(allocate(err, &left, count, sizeof *left, "the edges"));
    if (count) TRY(gpu_download(f->g, &f->left, 0, f->left_count, left));
    TRY(allocate(err, &out->left, count, sizeof *out->left, "the edges"));
    TRY(allocate(err, &spare, count, sizeof *spare, "the edges"));
    for (size_t k = 0; k < count; k++) {
        out->left[k] = (radix_item){order_of(f->order, left[k][0]), left[k][1] & 63, 0};
        out->examined += (size_t)__builtin_popcount(out->left[k].a);
    }
    radix_sort(out->left, spare, count);
    out->count = count;
    return GLSHAPE_OK;
}

/* ---- dimension 0 ------------------------------------------------------------------------------- */

/* An edge between basins, as the pass lists it. */
typedef struct join {
    uint32_t vertex, direction, basin[2];
} join;

/* Lists the edges between basins in their order: joins[items[k].a]. */
static glshape_status fetch_joins(finder *f, join **joins, radix_item **items) {
    OWNED radix_item *spare = NULL;
    error *err = gpu_error(f->g);
    TRY(allocate(err, joins, f->join_count, sizeof **joins, "the edges between basins"));
    TRY(allocate(err, items, f->join_count, sizeof **items, "the edges between basins"));
    TRY(allocate(err, &spare, f->join_count, sizeof **items, "the edges between basins"));
    if (f->join_count) TRY(gpu_download(f->g, &f->joins, 0, f->join_count, *joins));
    for (uint32_t k = 0; k < f->join_count; k++)
        (*items)[k] = (radix_item){order_of(f->order, (*joins)[k].vertex), k, 0};
    radix_sort(*items, spare, f->join_count);
    return GLSHAPE_OK;
}

/* Applies the elder rule to the edges between basins. An edge that ends a component is not left. */
static glshape_status apply_elder_rule(finder *f, const join *joins, const radix_item *items,
                                       cubical_edges *out) {
    OWNED uint32_t *sets = NULL;
    OWNED uint64_t *birth = NULL;
    error *err = gpu_error(f->g);
    TRY(allocate(err, &sets, out->minima, sizeof *sets, "the components"));
    TRY(allocate(err, &birth, out->minima, sizeof *birth, "the components"));
    TRY(allocate(err, &out->death, out->minima, sizeof *out->death, "the components"));
    for (uint32_t m = 0; m < out->minima; m++) {
        sets[m] = m;
        birth[m] = order_of(f->order, out->birth[m]);
        out->death[m] = GLSHAPE_NO_VERTEX;
    }
    radix_item *left = out->left;
    for (uint32_t k = 0; k < f->join_count; k++) {
        const join *j = &joins[items[k].a];
        uint32_t x = union_find(sets, j->basin[0]), y = union_find(sets, j->basin[1]);
        if (x == y) continue;
        uint32_t younger = birth[x] < birth[y] ? y : x;
        sets[younger] = x ^ y ^ younger;
        out->death[younger] = j->vertex;
        while (left->at < items[k].at) left++;
        left->a &= ~(1u << j->direction);
    }
    return GLSHAPE_OK;
}

static glshape_status pair_components(finder *f, cubical_edges *out) {
    OWNED join *joins = NULL;
    OWNED radix_item *items = NULL;
    TRY(basins_minima(f->g, &f->basins, &out->birth));
    out->minima = f->basins.minima;
    TRY(fetch_joins(f, &joins, &items));
    return apply_elder_rule(f, joins, items, out);
}

glshape_status cubical_edges_find(gpu *g, const order *o, const grid *d, cubical_edges *out) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    OWNED_BY(grid_field_free) grid_field field = {0};
    OWNED_BY(finder_free) finder f = {.g = g, .order = o, .field = &field};
    *out = (cubical_edges){0};
    TRY(grid_field_new(g, o, d, &field));
    TRY(basins_begin(g, &field, &f.basins));
    gpu_texture_free(&f.basins.candidates);
    TRY(gpu_texture_new(g, &f.state, "counter of edges", GPU_R32UI, 1, 1));
    TRY(list(&f, run_edges, &f.left, &f.left_count, o->n / 8 + 1024));
    TRY(list(&f, run_joins, &f.joins, &f.join_count, o->n / 16 + 1024));
    TRY(fetch_left(&f, &e));
    TRY(pair_components(&f, &e));
    *out = MOVE(e);
    return GLSHAPE_OK;
}

void cubical_edges_free(cubical_edges *e) {
    free(e->left);
    free(e->birth);
    free(e->death);
    *e = (cubical_edges){0};
}
