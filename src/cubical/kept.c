/* Pairs that stay on the device until a pass makes the intervals of them, so that what comes down is what the
 * caller gets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cubical/passes.h"
#include "cubical/run.h"
#include "place/place.h"

/* ---- intervals by passes -------------------------------------------------------------------------- */

_Static_assert(sizeof(glshape_cubical_interval) == 8 * sizeof(uint32_t), "an interval fills two texels");

static glshape_status make_rows(gpu *g, gpu_texture *pairs, uint32_t count, int dim, const order *o,
                                glshape_cubical_interval *out) {
    OWNED_BY(gpu_texture_free) gpu_texture rows = {0};
    TRY(gpu_texture_new(g, &rows, "the intervals", GPU_RGBA32UI, count, 2));
    TRY(gpu_run(g, cubical_intervals, .pairs = pairs, .rows = &rows, .count = count,
                .dimension = (uint32_t)dim, .kind = order_kind(o), .flip = o->flip,
                .groups = (count - 1) / CUBICAL_LOCAL + 1));
    gpu_start(g);
    threads_touch(out, count * sizeof *out); /* while the device works */
    return gpu_download(g, &rows, 0, count, out);
}

/* ---- whether that is right ------------------------------------------------------------------------ */

enum { FEW = 2000, RUN = 5, VALUES = 6 };

static const float floats[VALUES] = {-INFINITY, -1.5f, -0x1p-149f, 0, 0x1.8p-127f, 3e38f};
static const int32_t integers[VALUES] = {INT32_MIN, -70000, -1, 0, 5, INT32_MAX};

/* A number of up to 32 bits; its rest by VALUES says which value it has. */
static uint32_t vertex_of(uint32_t value, uint32_t seed) {
    return value + VALUES * ((seed * 2654435761u ^ seed << 7) % (UINT32_MAX / VALUES));
}

/* RUN pairs of each birth, two of each key one after the other, which end at any vertex of any value; the
 * first of some births never ends. */
static void draw_pairs(const order *o, radix_item *pairs) {
    for (uint32_t k = 0; k < FEW; k++) {
        uint32_t run = k / RUN, birth = run / 2 % VALUES, death = (k * 40503u >> 7) % VALUES;
        bool ends = k % RUN || run % 4;
        pairs[k] = (radix_item){order_of(o, birth), UINT32_MAX, GLSHAPE_NO_VERTEX};
        pairs[k].at = pairs[k].at >> 32 << 32 | vertex_of(birth, run);
        if (ends) pairs[k].a = (uint32_t)(order_of(o, death) >> 32), pairs[k].b = vertex_of(death, k + FEW);
    }
}

static bool is_right(const order *o, const radix_item *pairs, const glshape_cubical_interval *got) {
    for (uint32_t k = 0; k < FEW; k++) {
        uint32_t from = k / RUN * RUN, place = from;
        const radix_item *own = &pairs[k];
        for (uint32_t i = from; i < from + RUN; i++)
            place += pairs[i].a < own->a || (pairs[i].a == own->a && pairs[i].b < own->b);
        const glshape_cubical_interval *is = &got[place];
        bool ends = own->b != GLSHAPE_NO_VERTEX;
        double birth = order_value_of(o, order_of(o, (uint32_t)own->at % VALUES));
        double death = ends ? order_value_of(o, order_of(o, own->b % VALUES)) : (double)INFINITY;
        if (is->dim != 2 || is->birth_vertex != (uint32_t)own->at || is->death_vertex != own->b) return false;
        if (memcmp(&is->birth, &birth, sizeof birth) || memcmp(&is->death, &death, sizeof death))
            return false;
    }
    return true;
}

static glshape_status check_field(gpu *g, const glshape_field *f, bool superlevel, bool *right) {
    OWNED_BY(order_free) order o = {0};
    OWNED_BY(gpu_texture_free) gpu_texture texels = {0};
    radix_item pairs[FEW];
    OWNED glshape_cubical_interval *got = NULL;
    TRY(allocate(run_error(run_of(g)), &got, FEW, sizeof *got, "a few intervals"));
    TRY(order_new(run_error(run_of(g)), f, VALUES, superlevel, &o));
    draw_pairs(&o, pairs);
    TRY(gpu_texture_new(g, &texels, "a few pairs", GPU_RGBA32UI, FEW, 1));
    TRY(gpu_upload(g, &texels, 0, FEW, pairs));
    TRY(make_rows(g, &texels, FEW, 2, &o, got));
    *right = *right && is_right(&o, pairs, got);
    return GLSHAPE_OK;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    const glshape_field fields[] = {
        {.type = GLSHAPE_F32, .values = floats, .dims = 2, .shape = {1, VALUES}},
        {.type = GLSHAPE_I32, .values = integers, .dims = 2, .shape = {1, VALUES}},
        {.type = GLSHAPE_U32, .values = integers, .dims = 2, .shape = {1, VALUES}},
    };
    (void)user;
    *right = true;
    for (int k = 0; k < 6; k++) TRY(check_field(g, &fields[k / 2], k % 2, right));
    return GLSHAPE_OK;
}

static glshape_status place_rows(cubical_run *run, uint32_t count, run_why *why) {
    const gpu_exact e = {
        .program = {gpu_only_program(cubical_intervals)}, .check = check, .without_doubles = true};
    size_t bytes = gpu_texture_bytes(run->g, GPU_RGBA32UI, count, 2);
    bool can = order_kind(&run->order) && cubical_wants_all(run) && bytes != SIZE_MAX;
    /* The textures of the other side may take as much again as there was. */
    size_t room = can ? bytes + gpu_recent_bytes(run->g) : 0;
    TRY(place_choose(run->g, PLACE_INTERVALS, count, can, room, why));
    if (!cubical_wants_all(run)) *why = RUN_NOT_OPTION;
    if (run_why_device(*why) && room > gpu_memory_left(run->g))
        *why = RUN_NOT_ROOM; /* of a named device, too */
    return run_why_device(*why) ? gpu_trusts_for(run->g, &e, why) : GLSHAPE_OK;
}

/* ---- keeping --------------------------------------------------------------------------------------- */

glshape_status cubical_keep(cubical_run *run, int dim, gpu_texture *pairs, uint32_t count, bool *kept) {
    error before = *err_of(run);
    glshape_status status = place_rows(run, count, &run->rows);
    *kept = !status && run_why_device(run->rows) && count;
    if (status == GLSHAPE_NO_GPU_MEMORY) *err_of(run) = before, status = GLSHAPE_OK;
    if (!*kept) return status;
    free(MOVE(run->dims[dim].pairs));
    run->dims[dim].kept = MOVE(*pairs);
    run->dims[dim].count = count;
    run->dims[dim].are_sorted = true;
    return GLSHAPE_OK;
}

glshape_status cubical_bring(cubical_run *run, int dim) {
    gpu_texture *kept = &run->dims[dim].kept;
    size_t count = run->dims[dim].count;
    if (!kept->id) return GLSHAPE_OK;
    TRY(allocate(err_of(run), &run->dims[dim].pairs, count, sizeof(radix_item), "the intervals"));
    run->dims[dim].room = count;
    threads_touch(run->dims[dim].pairs, count * sizeof(radix_item));
    TRY(gpu_download(run->g, kept, 0, (uint32_t)count, run->dims[dim].pairs));
    gpu_texture_free(kept);
    return GLSHAPE_OK;
}

glshape_status cubical_list_kept(cubical_run *run, int dim, glshape_cubical_interval *out) {
    gpu_texture *kept = &run->dims[dim].kept;
    error before = *err_of(run);
    if (!kept->id) return GLSHAPE_OK;
    glshape_status status = make_rows(run->g, kept, (uint32_t)run->dims[dim].count, dim, &run->order, out);
    if (status == GLSHAPE_NO_GPU_MEMORY) {
        *err_of(run) = before;
        run_begin_stage(run_of(run->g), "intervals", RUN_NOT_ROOM);
        return cubical_bring(run, dim);
    }
    gpu_texture_free(kept);
    return status;
}
