#include "cubical/edges.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/passes.h"
#include "prim/sort.h"
#include "tree/union.h"

/* An edge between basins, as the pass lists it; then with the numbers of its owner in the list of all slabs,
 * and of minima among all. */
typedef struct join {
    uint32_t left, direction, basin[2];
} join;

typedef struct finder {
    gpu *g;
    const order *order;
    slabs slabs;
    gpu_texture state, left, listed; /* of a slab */
    uint32_t left_count, join_count;
    join *joins; /* of all slabs; those of slab k from join_start[k] on */
    size_t *join_start, join_room;
    cubical_edges *out;
    size_t left_room;
} finder;

static void free_textures(finder *f) {
    gpu_texture_free(&f->state);
    gpu_texture_free(&f->left);
    gpu_texture_free(&f->listed);
}

static void finder_free(finder *f) {
    free_textures(f);
    slabs_free(&f->slabs);
    free(f->joins);
    free(f->join_start);
}

static error *err_of(const finder *f) { return run_error(run_of(f->g)); }

/* ---- passes over a slab ------------------------------------------------------------------------ */

static uint32_t groups(uint32_t n) { return n / CUBICAL_LOCAL + (n % CUBICAL_LOCAL != 0); }

static glshape_status check_count(const finder *f, uint32_t count, uint64_t most) {
    return count <= most
               ? GLSHAPE_OK
               : fail(err_of(f), GLSHAPE_GPU_ERROR,
                      "a pass lists %u edges where there are at most %llu: this driver counts wrong", count,
                      (unsigned long long)most);
}

static glshape_status run_edges(finder *f, basins *b, uint32_t room) {
    grid_field *field = b->field;
    const uint32_t *extent = field->grid.extent;
    uint32_t columns = extent[0] * ((extent[1] - 1) / CUBICAL_RUN + 1) * (field->hi - field->lo);
    TRY(gpu_texture_new(f->g, &f->left, "vertices with edges", GPU_RG32UI, room, 1));
    TRY(gpu_upload(f->g, &f->state, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(f->g, cubical_edges, .key = &field->key, .left = &f->left, .state = &f->state,
                .nx = extent[0], .ny = extent[1], .nz = extent[2], .periodic = field->grid.periodic,
                .order_start = field->order_start, .lo = field->lo, .hi = field->hi, .room = room,
                .groups = groups(columns)));
    TRY(gpu_download(f->g, &f->state, 0, 1, &f->left_count));
    return check_count(f, f->left_count, b->n);
}

static glshape_status run_joins(finder *f, basins *b, uint32_t room) {
    const grid *d = &b->field->grid;
    TRY(gpu_texture_new(f->g, &f->listed, "edges between basins", GPU_RGBA32UI, room, 1));
    TRY(gpu_upload(f->g, &f->state, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(f->g, cubical_joins, .basin = &b->basin, .left = &f->left, .edges = &f->listed,
                .state = &f->state, .nx = d->extent[0], .ny = d->extent[1], .nz = d->extent[2],
                .periodic = d->periodic, .count = f->left_count, .room = room,
                .groups = groups(f->left_count)));
    TRY(gpu_download(f->g, &f->state, 0, 1, &f->join_count));
    return check_count(f, f->join_count, 6 * (uint64_t)f->left_count);
}

/* Runs a pass that lists things, and runs it again if there are more than room for them. */
static glshape_status list(finder *f, basins *b, glshape_status (*run)(finder *f, basins *b, uint32_t room),
                           gpu_texture *texture, const uint32_t *count, uint32_t room) {
    TRY(run(f, b, room));
    if (*count <= room) return GLSHAPE_OK;
    room = *count;
    gpu_texture_free(texture);
    TRY(run(f, b, room));
    if (*count == room) return GLSHAPE_OK;
    return fail(err_of(f), GLSHAPE_GPU_ERROR,
                "one pass found %u vertices with edges, the next one %u: this driver counts wrong", room,
                *count);
}

/* What a slab has listed, on its way to the lists of all slabs. */
typedef struct taking {
    const finder *f;
    const basins *b;
    const uint32_t (*left)[2];
    size_t first;            /* of the owners, or of the edges between basins, in the lists of all slabs */
    _Atomic size_t examined; /* edges */
    _Atomic size_t wrong;    /* of what makes no sense, one + 1 */
} taking;

static void take_owners(void *user, size_t first, size_t end) {
    taking *t = user;
    const grid_field *field = t->b->field;
    size_t examined = 0;
    for (size_t k = first; k < end; k++) {
        uint32_t set = t->left[k][1] & 63;
        if (t->left[k][0] >= field->n) atomic_store(&t->wrong, k + 1);
        else t->f->out->left[t->first + k] = (radix_item){grid_vertex(field, t->left[k][0]), set, 0};
        examined += (size_t)__builtin_popcount(set);
    }
    atomic_fetch_add(&t->examined, examined);
}

static glshape_status take_left(finder *f, const basins *b) {
    OWNED uint32_t(*left)[2] = NULL;
    cubical_edges *out = f->out;
    taking t = {.f = f, .b = b, .first = out->count};
    if (!f->left_count) return GLSHAPE_OK;
    TRY(allocate(err_of(f), &left, f->left_count, sizeof *left, "the edges"));
    TRY(gpu_download(f->g, &f->left, 0, f->left_count, left));
    TRY(memory_reserve(err_of(f), &out->left, &f->left_room, out->count + f->left_count, sizeof *out->left,
                       "the edges"));
    t.left = (const uint32_t(*)[2])left;
    threads_ranges(f->left_count, take_owners, &t);
    size_t wrong = atomic_load(&t.wrong);
    if (wrong)
        return fail(err_of(f), GLSHAPE_GPU_ERROR, "an edge of vertex %u of %u", left[wrong - 1][0],
                    b->field->n);
    out->count += f->left_count;
    out->examined += atomic_load(&t.examined);
    return GLSHAPE_OK;
}

/* Whether a label is of a minimum, or of a vertex beside the slab. */
static bool is_label(const finder *f, const basins *b, uint32_t raw) {
    return raw & BASINS_OUTSIDE ? (raw ^ BASINS_OUTSIDE) < 2 * f->slabs.plane : raw < b->minima;
}

static void name_joins(void *user, size_t first, size_t end) {
    taking *t = user;
    const finder *f = t->f;
    size_t owners = f->out->count - f->left_count; /* of the slabs before */
    for (size_t k = t->first + first; k < t->first + end; k++) {
        join *j = &f->joins[k];
        if (j->left >= f->left_count || j->direction >= 6 || !is_label(f, t->b, j->basin[0]) ||
            !is_label(f, t->b, j->basin[1])) {
            atomic_store(&t->wrong, k + 1);
            return;
        }
        j->left += (uint32_t)owners;
        for (int side = 0; side < 2; side++) j->basin[side] = slabs_label(&f->slabs, j->basin[side]);
    }
}

static glshape_status take_joins(finder *f, uint32_t slab, const basins *b) {
    taking t = {.f = f, .b = b, .first = f->join_start[slab]};
    size_t end = t.first + f->join_count;
    f->join_start[slab + 1] = end;
    if (!f->join_count) return GLSHAPE_OK;
    TRY(memory_reserve(err_of(f), &f->joins, &f->join_room, end, sizeof *f->joins,
                       "the edges between basins"));
    TRY(gpu_download(f->g, &f->listed, 0, f->join_count, f->joins + t.first));
    threads_ranges(f->join_count, name_joins, &t);
    size_t wrong = atomic_load(&t.wrong);
    if (!wrong) return GLSHAPE_OK;
    const join *j = &f->joins[wrong - 1];
    return fail(err_of(f), GLSHAPE_GPU_ERROR, "edge %u of owner %u between basins %u and %u of %u",
                j->direction, j->left, j->basin[0], j->basin[1], b->minima);
}

static glshape_status take_slab(slabs *s, uint32_t slab, basins *b, void *user) {
    finder *f = user;
    gpu_texture_free(&b->candidates);
    TRY(slabs_take_sides(s, slab, b));
    TRY(gpu_texture_new(f->g, &f->state, "counter of edges", GPU_R32UI, 1, 1));
    TRY(list(f, b, run_edges, &f->left, &f->left_count, b->n / 8 + 1024));
    TRY(list(f, b, run_joins, &f->listed, &f->join_count, b->n / 16 + 1024));
    TRY(take_left(f, b));
    TRY(take_joins(f, slab, b));
    free_textures(f);
    return GLSHAPE_OK;
}

/* ---- dimension 0 ------------------------------------------------------------------------------- */

/* Edges between basins of a slab on their way to items that are sorted. */
typedef struct ordering {
    finder *f;
    uint32_t slab;
    radix_item *items;
} ordering;

static void order_joins(void *user, size_t first, size_t end) {
    const ordering *o = user;
    const finder *f = o->f;
    size_t start = f->join_start[o->slab];
    for (size_t k = start + first; k < start + end; k++) {
        join *j = &f->joins[k];
        for (int side = 0; side < 2; side++)
            j->basin[side] = slabs_resolve(&f->slabs, o->slab, j->basin[side]);
        o->items[k] = (radix_item){order_of(f->order, (uint32_t)f->out->left[j->left].at), (uint32_t)k, 0};
    }
}

/* Lists the edges between basins in their order: joins[items[k].a]. */
static glshape_status sort_joins(finder *f, radix_item **items) {
    size_t count = f->join_start[f->slabs.count];
    if (count >= UINT32_MAX)
        return fail(err_of(f), GLSHAPE_NO_MEMORY, "%zu edges between basins are more than can be numbered",
                    count);
    TRY(allocate(err_of(f), items, count, sizeof **items, "the edges between basins"));
    for (uint32_t slab = 0; slab < f->slabs.count; slab++) {
        ordering o = {f, slab, *items};
        size_t here = f->join_start[slab + 1] - f->join_start[slab];
        if (f->slabs.count == 1) threads_ranges(here, order_joins, &o);
        else order_joins(&o, 0, here); /* slabs_resolve shortens paths from slab to slab */
    }
    return prim_sort(f->g, true, *items, count, 64);
}

#define AHEAD 16 /* edges whose components are asked for before they are needed */

/* Applies the elder rule to the edges between basins. An edge that ends a component is not left. */
static glshape_status apply_elder_rule(finder *f, const radix_item *items) {
    OWNED uint32_t *sets = NULL;
    OWNED uint64_t *birth = NULL;
    cubical_edges *out = f->out;
    size_t count = f->join_start[f->slabs.count];
    TRY(allocate(err_of(f), &sets, out->minima, sizeof *sets, "the components"));
    TRY(allocate(err_of(f), &birth, out->minima, sizeof *birth, "the components"));
    TRY(allocate(err_of(f), &out->death, out->minima, sizeof *out->death, "the components"));
    for (uint32_t m = 0; m < out->minima; m++) {
        sets[m] = m;
        birth[m] = order_of(f->order, out->birth[m]);
        out->death[m] = GLSHAPE_NO_VERTEX;
    }
    for (size_t k = 0; k < count; k++) {
        const join *j = &f->joins[items[k].a];
        if (k + 2 * AHEAD < count) __builtin_prefetch(&f->joins[items[k + 2 * AHEAD].a]);
        if (k + AHEAD < count)
            for (int side = 0; side < 2; side++)
                __builtin_prefetch(&sets[f->joins[items[k + AHEAD].a].basin[side]]);
        uint32_t x = union_find(sets, j->basin[0]), y = union_find(sets, j->basin[1]);
        if (x == y) continue;
        uint32_t younger = birth[x] < birth[y] ? y : x;
        sets[younger] = x ^ y ^ younger;
        out->death[younger] = (uint32_t)items[k].at;
        out->left[j->left].a &= ~(1u << j->direction);
    }
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* In slabs of so many planes. */
static glshape_status attempt(gpu *g, const order *o, const grid *d, uint32_t planes, cubical_edges *out) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    OWNED_BY(finder_free) finder f = {.g = g, .order = o, .out = &e};
    OWNED radix_item *items = NULL;
    TRY(slabs_new(g, &ranks_alone, o, d, planes, &f.slabs));
    TRY(allocate(run_error(run_of(g)), &f.join_start, f.slabs.count + (size_t)1, sizeof *f.join_start,
                 "the slabs"));
    TRY(slabs_each(&f.slabs, take_slab, &f, 0));
    e.slabs = f.slabs.count;
    e.minima = f.slabs.base[f.slabs.count];
    e.birth = MOVE(f.slabs.minimum);
    TRY(sort_joins(&f, &items));
    TRY(apply_elder_rule(&f, items));
    TRY(prim_sort(g, true, e.left, e.count, 64));
    *out = MOVE(e);
    return GLSHAPE_OK;
}

glshape_status cubical_edges_find(gpu *g, const order *o, const grid *d, cubical_edges *out) {
    uint32_t planes = d->extent[2];
    glshape_status status;
    *out = (cubical_edges){0};
    while ((status = attempt(g, o, d, planes, out)) == GLSHAPE_NO_GPU_MEMORY && planes > 1)
        planes = (planes + 1) / 2;
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    error why = *run_error(run_of(g));
    return fail(
        run_error(run_of(g)), status,
        "%.600s, even a plane at a time with those beside it: raise the limit, or turn the field so that its "
        "first axis is the longest",
        why.text);
}

void cubical_edges_free(cubical_edges *e) {
    free(e->left);
    free(e->birth);
    free(e->death);
    *e = (cubical_edges){0};
}
