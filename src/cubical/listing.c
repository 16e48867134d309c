#include "cubical/listing.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "cubical/passes.h"

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

void cubical_edges_free(cubical_edges *e) {
    free(e->left);
    free(e->birth);
    free(e->death);
    free(e->pairs);
    grid_field_free(&e->field);
    *e = (cubical_edges){0};
}
