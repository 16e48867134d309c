/* The side at work: the field, or the field reversed with the outside around it, as keys. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/run.h"

glshape_status cubical_shape_of(const cubical_run *run, bool reversed, side *s) {
    size_t n = 1;
    *s = (side){.reversed = reversed};
    for (int axis = 0; axis < 3; axis++) {
        bool pad = reversed && axis < run->given->dims && !(run->grid.periodic >> axis & 1);
        s->outside |= (uint32_t)pad << axis;
        s->extent[axis] = run->grid.extent[axis] + 2 * pad;
        n = times(n, s->extent[axis]);
    }
    if (n >= UINT32_MAX)
        return fail(err_of(run), GLSHAPE_BAD_ARGUMENT,
                    "the field has more than 2^32 - 2 values together with its border; cut it into parts");
    s->n = (uint32_t)n;
    return GLSHAPE_OK;
}

static void take_plane(void *user, size_t z) {
    const cubical_run *run = user;
    size_t plane = (size_t)run->grid.extent[0] * run->grid.extent[1];
    order_keys(&run->order, z * plane, plane, run->side.key + z * plane);
}

/* A row of the reversed field that lies inside. */
static uint32_t *inner_row(const side *s, uint32_t y, uint32_t z) {
    uint32_t by = y + (s->outside >> 1 & 1), bz = z + (s->outside >> 2 & 1);
    return s->key + ((size_t)bz * s->extent[1] + by) * s->extent[0] + (s->outside & 1);
}

static void reverse_row(const cubical_run *run, uint32_t y, uint32_t z) {
    const uint32_t *extent = run->grid.extent;
    uint32_t width = extent[0], row = (extent[2] - 1 - z) * extent[1] + extent[1] - 1 - y, keys[1024];
    uint32_t *to = inner_row(&run->side, y, z);
    for (uint32_t x = 0; x < width; x += 1024) {
        uint32_t count = width - x < 1024 ? width - x : 1024;
        order_keys(&run->order, (size_t)row * width + x, count, keys);
        for (uint32_t k = 0; k < count; k++) to[width - 1 - x - k] = ~keys[k] + (~keys[k] < run->side.unused);
    }
}

static void reverse_plane(void *user, size_t z) {
    const cubical_run *run = user;
    for (uint32_t y = 0; y < run->grid.extent[1]; y++) reverse_row(run, y, (uint32_t)z);
}

/* The keys of the reversed field that are in use, as bits, up to the number of its vertices. */
typedef struct marking {
    const cubical_run *run;
    _Atomic uint32_t *used;
} marking;

static void mark_range(void *user, size_t first, size_t end) {
    const marking *m = user;
    uint32_t keys[1024];
    for (size_t at = first; at < end; at += 1024) {
        size_t count = end - at < 1024 ? end - at : 1024;
        order_keys(&m->run->order, at, count, keys);
        for (size_t i = 0; i < count; i++) {
            uint32_t k = ~keys[i], bit = 1u << (k & 31);
            if (k > m->run->order.n) continue;
            if (!(atomic_load_explicit(&m->used[k >> 5], memory_order_relaxed) & bit))
                atomic_fetch_or_explicit(&m->used[k >> 5], bit, memory_order_relaxed);
        }
    }
}

/* Whether a vertex of the reversed field has the key 0, which is that of the outside. */
static bool needs_zero(const cubical_run *run) {
    return run->side.outside && order_of(&run->order, run->order.greatest) >> 32 == UINT32_MAX;
}

/* Leaves the key 0 to the outside: the keys below the least one that no vertex has become greater by 1. */
static glshape_status reserve_outside(cubical_run *run) {
    OWNED _Atomic uint32_t *used = NULL;
    uint32_t n = run->order.n, least = 0;
    TRY(allocate(err_of(run), &used, (size_t)n / 32 + 1, sizeof *used, "the keys in use"));
    threads_ranges(n, mark_range, &(marking){run, used});
    while (least <= n && used[least >> 5] >> (least & 31) & 1) least++;
    run->side.unused = least;
    return GLSHAPE_OK;
}

glshape_status cubical_shape_side(cubical_run *run, bool reversed) {
    cubical_drop_side(run);
    TRY(cubical_shape_of(run, reversed, &run->side));
    return needs_zero(run) ? reserve_outside(run) : GLSHAPE_OK;
}

static glshape_status new_keys(cubical_run *run) {
    side *s = &run->side;
    return s->key ? GLSHAPE_OK : allocate(err_of(run), &s->key, s->n, sizeof *s->key, "the keys of the side");
}

static void make_keys(void *user) {
    cubical_run *run = user;
    threads_run(0, run->grid.extent[2], run->side.reversed ? reverse_plane : take_plane, run);
}

glshape_status cubical_begin_keys(cubical_run *run) {
    side *s = &run->side;
    if (s->is_made || s->making) return GLSHAPE_OK;
    TRY(new_keys(run));
    s->making = threads_begin_aside(make_keys, run);
    return GLSHAPE_OK;
}

glshape_status cubical_need_keys(cubical_run *run) {
    side *s = &run->side;
    bool begun = s->making != NULL;
    if (s->is_made) return GLSHAPE_OK;
    TRY(new_keys(run));
    threads_end_aside(&s->making);
    if (!begun) make_keys(run);
    s->is_made = true;
    return GLSHAPE_OK;
}

uint32_t cubical_key_of(const cubical_run *run, uint32_t key) {
    const side *s = &run->side;
    return s->reversed ? ~(key <= s->unused ? key - (s->unused > 0) : key) : key;
}

uint32_t cubical_vertex_of(const cubical_run *run, uint32_t v) {
    const side *s = &run->side;
    const uint32_t *extent = run->grid.extent;
    if (!s->reversed) return v;
    uint32_t row = v / s->extent[0], plane = row / s->extent[1];
    uint32_t at[3] = {v - row * s->extent[0], row - plane * s->extent[1], plane};
    for (int axis = 0; axis < 3; axis++) {
        at[axis] -= s->outside >> axis & 1;
        if (at[axis] >= extent[axis]) return GLSHAPE_NO_VERTEX; /* wraps below 0, too */
    }
    return ((extent[2] - 1 - at[2]) * extent[1] + extent[1] - 1 - at[1]) * extent[0] + extent[0] - 1 - at[0];
}

void cubical_drop_side(cubical_run *run) {
    threads_end_aside(&run->side.making);
    free(run->side.key);
    run->side = (side){0};
}

/* Whole elements of the device. */
static uint32_t ended_elements(const side *s) { return s->n / 4 + 1; }

glshape_status cubical_need_ended(cubical_run *run) {
    OWNED_BY(gpu_texture_free) gpu_texture counted = MOVE(run->ended_on_gpu);
    side s;
    if (!run->counts_ended || run->ended) return GLSHAPE_OK;
    TRY(cubical_shape_of(run, run->o.construction == GLSHAPE_CUBICAL_TOP_CELLS, &s));
    TRY(allocate(err_of(run), &run->ended, ended_elements(&s), 4, "the squares that cubes end"));
    if (!counted.id) return GLSHAPE_OK;
    threads_touch((void *)run->ended, 4 * (size_t)ended_elements(&s));
    return gpu_download(run->g, &counted, 0, ended_elements(&s), (void *)run->ended);
}

void cubical_count_ended(cubical_run *run, uint32_t vertex) {
    const uint32_t *extent = run->grid.extent;
    bool reversed = run->o.construction == GLSHAPE_CUBICAL_TOP_CELLS;
    uint32_t row = vertex / extent[0], at[3] = {vertex - row * extent[0], row % extent[1], row / extent[1]};
    size_t v = 0;
    for (int axis = 2; axis >= 0; axis--) {
        uint32_t pad = reversed && !(run->grid.periodic >> axis & 1);
        v = v * (extent[axis] + 2 * pad) + (reversed ? extent[axis] - 1 - at[axis] : at[axis]) + pad;
    }
    atomic_fetch_add_explicit(&run->ended[v], 1, memory_order_relaxed);
}

cubes cubical_side_cubes(const cubical_run *run) {
    const side *s = &run->side;
    cubes c = cubes_of(s->key, s->extent, run->grid.periodic, (uint32_t)run->o.modulus);
    c.ended = run->ended;
    c.outside = s->outside != 0;
    return c;
}
