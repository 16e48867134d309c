#include "cubical/listing.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/passes.h"
#include "prim/prim.h"

#define MOST_VERTICES 0x7fffffffu /* of n vertices at most 2 n edges are critical: 32 bits number them */

void listing_free(listing *l) {
    gpu_texture_free(&l->state);
    gpu_texture_free(&l->left);
    gpu_texture_free(&l->joins);
}

static error *err_of(const listing *l) { return run_error(run_of(l->g)); }

static uint32_t groups(uint32_t n) { return n / CUBICAL_LOCAL + (n % CUBICAL_LOCAL != 0); }

static glshape_status check_count(const listing *l, uint32_t count, uint64_t most) {
    return count <= most
               ? GLSHAPE_OK
               : fail(err_of(l), GLSHAPE_GPU_ERROR,
                      "a pass lists %u edges where there are at most %llu: this driver counts wrong", count,
                      (unsigned long long)most);
}

static glshape_status run_left(listing *l, uint32_t room) {
    grid_field *field = l->b->field;
    const uint32_t *extent = field->grid.extent;
    uint32_t columns = extent[0] * ((extent[1] - 1) / CUBICAL_RUN + 1) * (field->hi - field->lo);
    TRY(gpu_texture_new(l->g, &l->left, "vertices with edges", GPU_RGBA32UI, room, 1));
    TRY(gpu_upload(l->g, &l->state, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(l->g, cubical_edges, .key = &field->key, .left = &l->left, .state = &l->state,
                .nx = extent[0], .ny = extent[1], .nz = extent[2], .periodic = field->grid.periodic,
                .order_start = field->order_start, .lo = field->lo, .hi = field->hi, .room = room,
                .groups = groups(columns)));
    TRY(gpu_download(l->g, &l->state, 0, 1, &l->left_count));
    return check_count(l, l->left_count, l->b->n);
}

static glshape_status run_joins(listing *l, uint32_t room) {
    grid_field *field = l->b->field;
    const grid *d = &field->grid;
    TRY(gpu_texture_new(l->g, &l->joins, "edges between basins", GPU_RGBA32UI, room, 1));
    TRY(gpu_upload(l->g, &l->state, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(l->g, cubical_joins, .KEYS = l->keys, .basin = &l->b->basin, .left = &l->left,
                .key = l->keys ? &field->key : NULL, .edges = &l->joins, .state = &l->state,
                .nx = d->extent[0], .ny = d->extent[1], .nz = d->extent[2], .periodic = d->periodic,
                .count = l->left_count, .room = room, .groups = groups(l->left_count)));
    TRY(gpu_download(l->g, &l->state, 0, 1, &l->join_count));
    return check_count(l, l->join_count, 6 * (uint64_t)l->left_count);
}

/* Runs a pass that lists things, and runs it again if there are more than room for them. */
static glshape_status list(listing *l, glshape_status (*run)(listing *l, uint32_t room), gpu_texture *texture,
                           const uint32_t *count, uint32_t room) {
    TRY(run(l, room));
    if (*count <= room) return GLSHAPE_OK;
    room = *count;
    gpu_texture_free(texture);
    TRY(run(l, room));
    if (*count == room) return GLSHAPE_OK;
    return fail(
        err_of(l), GLSHAPE_GPU_ERROR,
        "one pass found %u critical edges or their vertices, the next one %u: this driver counts wrong", room,
        *count);
}

glshape_status listing_left(listing *l) {
    if (!l->state.id) TRY(gpu_texture_new(l->g, &l->state, "counter of edges", GPU_R32UI, 1, 1));
    return list(l, run_left, &l->left, &l->left_count, l->b->n / 8 + 1024);
}

glshape_status listing_joins(listing *l, bool keys) {
    l->keys = keys;
    return list(l, run_joins, &l->joins, &l->join_count, l->b->n / 16 + 1024);
}

/* ---- columns ------------------------------------------------------------------------------------ */

static glshape_status run_spread(listing *l, bool lists, bool outside, gpu_texture *starts, gpu_texture *to) {
    return gpu_run(l->g, cubical_spread, .LISTS = lists, .key = &l->b->field->key, .left = &l->left,
                   .starts = lists ? starts : NULL, .amounts = lists ? NULL : to, .edges = lists ? to : NULL,
                   .count = l->left_count, .outside = outside, .room = lists ? to->elements : 0,
                   .groups = groups(l->left_count));
}

glshape_status listing_spread(listing *l, bool outside, cubical_edges *out) {
    OWNED_BY(prim_scratch_free) prim_scratch scratch = {0};
    OWNED_BY(gpu_texture_free) gpu_texture amounts = {0};
    OWNED_BY(gpu_texture_free) gpu_texture starts = {0};
    uint32_t n = l->left_count, count;
    out->by_passes = true;
    if (!n) return GLSHAPE_OK;
    if (l->b->n > MOST_VERTICES)
        return fail(err_of(l), GLSHAPE_NO_GPU_MEMORY, "edges of %u vertices are too many for passes",
                    l->b->n);
    TRY(gpu_texture_new(l->g, &amounts, "edges of vertices", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(l->g, &starts, "places of edges", GPU_R32UI, n, 1));
    TRY(run_spread(l, false, outside, NULL, &amounts));
    TRY(prim_scan(l->g, &scratch, &amounts, n, &starts, &l->state, 0));
    TRY(gpu_download(l->g, &l->state, 0, 1, &count));
    TRY(check_count(l, count, 6 * (uint64_t)n));
    out->column_count = count;
    if (!count) return GLSHAPE_OK;
    TRY(gpu_texture_new(l->g, &out->columns, "edges", GPU_RG32UI, count, 1));
    return run_spread(l, true, outside, &starts, &out->columns);
}

static glshape_status fill_columns(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    const radix_item *edges = (const radix_item *)user + first;
    uint32_t(*to)[2] = memory;
    (void)g;
    for (uint32_t k = 0; k < count; k++) {
        to[k][0] = (uint32_t)edges[k].at;
        to[k][1] = edges[k].b;
    }
    return GLSHAPE_OK;
}

glshape_status listing_send_columns(gpu *g, const radix_item *edges, size_t count, gpu_texture *columns) {
    uint32_t n = (uint32_t)count;
    if (!n) return GLSHAPE_OK;
    TRY(gpu_texture_new(g, columns, "edges", GPU_RG32UI, n, 1));
    return gpu_fill(g, columns, n, fill_columns, (void *)(uintptr_t)edges);
}

typedef struct judging {
    const uint32_t (*columns)[2];
    size_t n;
    _Atomic size_t wrong; /* one of what makes no sense, + 1 */
} judging;

static void judge_columns(void *user, size_t first, size_t end) {
    judging *j = user;
    for (size_t k = first; k < end; k++)
        if (j->columns[k][0] >= j->n || j->columns[k][1] >= 6) atomic_store(&j->wrong, k + 1);
}

glshape_status listing_bring_columns(gpu *g, gpu_texture *from, size_t count, size_t n,
                                     uint32_t (*columns)[2]) {
    if (count) TRY(gpu_download(g, from, 0, (uint32_t)count, columns));
    judging j = {(const uint32_t(*)[2])columns, n, 0};
    threads_ranges(count, judge_columns, &j);
    size_t wrong = atomic_load(&j.wrong);
    if (!wrong) return GLSHAPE_OK;
    return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR, "edge %u of vertex %u of %zu", columns[wrong - 1][1],
                columns[wrong - 1][0], n);
}

/* ---- vertices with edges ------------------------------------------------------------------------ */

/* What was listed, in the lists of all. */
typedef struct taking {
    const grid_field *field;
    radix_item *left;
    _Atomic size_t examined; /* edges */
    _Atomic size_t wrong;    /* of what makes no sense, one + 1 */
} taking;

static void take_owners(void *user, size_t first, size_t end) {
    taking *t = user;
    size_t examined = 0;
    for (size_t k = first; k < end; k++) {
        uint64_t v = t->left[k].at;
        if (v >= t->field->n) atomic_store(&t->wrong, k + 1);
        else t->left[k].at = grid_vertex(t->field, (uint32_t)v);
        t->left[k].a &= 63;
        examined += (size_t)__builtin_popcount(t->left[k].a);
    }
    atomic_fetch_add(&t->examined, examined);
}

glshape_status listing_take_left(listing *l, cubical_edges *out, size_t *room) {
    if (!l->left_count) return GLSHAPE_OK;
    TRY(memory_reserve(err_of(l), &out->left, room, out->count + l->left_count, sizeof *out->left,
                       "the edges"));
    taking t = {.field = l->b->field, .left = out->left + out->count};
    TRY(gpu_download(l->g, &l->left, 0, l->left_count, t.left));
    threads_ranges(l->left_count, take_owners, &t);
    size_t wrong = atomic_load(&t.wrong);
    if (wrong)
        return fail(err_of(l), GLSHAPE_GPU_ERROR, "an edge of vertex %llu of %u",
                    (unsigned long long)t.left[wrong - 1].at, l->b->n);
    out->count += l->left_count;
    out->examined += atomic_load(&t.examined);
    return GLSHAPE_OK;
}

glshape_status cubical_keys_need(const cubical_keys *k) { return k->need ? k->need(k->user) : GLSHAPE_OK; }

void cubical_edges_free(cubical_edges *e) {
    free(e->left);
    free(e->birth);
    free(e->death);
    gpu_texture_free(&e->pairs);
    gpu_texture_free(&e->columns);
    grid_field_free(&e->field);
    *e = (cubical_edges){0};
}
