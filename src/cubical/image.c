/* Fields of two dimensions by passes: both trees from one field on the device. */
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "cubical/passes.h"
#include "cubical/run.h"

/* The reversed field of nx × ny. */
static glshape_status reverse(gpu *g, gpu_texture *key, const side *s, gpu_texture *out) {
    TRY(gpu_texture_new(g, out, "the field, reversed", GPU_R32UI, s->n, 1));
    return gpu_run(g, cubical_reverse, .key = key, .reversed = out, .nx = s->extent[0], .ny = s->extent[1],
                   .outside = s->outside, .groups = (s->n - 1) / CUBICAL_LOCAL + 1);
}

/* ---- whether it is right ------------------------------------------------------------------------- */

enum { WIDE = 19, HIGH = 23, PADDED = (WIDE + 2) * (HIGH + 2) };

/* As cubical_take_reversed says: from the last value to the first, within the outside. */
static glshape_status check_one(gpu *g, uint32_t outside, bool *right) {
    OWNED_BY(gpu_texture_free) gpu_texture key = {0};
    OWNED_BY(gpu_texture_free) gpu_texture made = {0};
    uint32_t keys[WIDE * HIGH], want[PADDED] = {0}, got[PADDED], px = outside & 1, py = outside >> 1;
    side s = {.extent = {WIDE + 2 * px, HIGH + 2 * py, 1}, .outside = outside};
    s.n = s.extent[0] * s.extent[1];
    for (uint32_t v = 0; v < WIDE * HIGH; v++) keys[v] = v * 2654435761u;
    for (uint32_t v = 0; v < WIDE * HIGH; v++)
        want[(v / WIDE + py) * s.extent[0] + v % WIDE + px] = ~keys[WIDE * HIGH - 1 - v];
    TRY(gpu_texture_new(g, &key, "a small field", GPU_R32UI, WIDE * HIGH, 1));
    TRY(gpu_upload(g, &key, 0, WIDE * HIGH, keys));
    TRY(reverse(g, &key, &s, &made));
    TRY(gpu_download(g, &made, 0, s.n, got));
    *right = *right && !memcmp(got, want, s.n * sizeof *got);
    return GLSHAPE_OK;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    (void)user;
    *right = true;
    for (uint32_t outside = 0; outside < 4; outside++) TRY(check_one(g, outside, right));
    return GLSHAPE_OK;
}

/* ---- both trees ---------------------------------------------------------------------------------- */

/* *pairs.items stays NULL where passes do not find the pairs, or the device has not the memory. */
static glshape_status find_pairs(cubical_run *run, gpu_texture *key, const grid *d, mergetree_pairs *pairs) {
    glshape_status status = mergetree_pairs_of_keys(run->g, key, d, pairs);
    return status == GLSHAPE_NO_GPU_MEMORY ? GLSHAPE_OK : status;
}

static void pairs_free(mergetree_pairs *p) { free(p->items); }

static glshape_status take_low(cubical_run *run, gpu_texture *key, bool *done) {
    OWNED_BY(pairs_free) mergetree_pairs pairs = {0};
    grid d = run->grid;
    d.hood = run->o.construction == GLSHAPE_CUBICAL_VERTICES ? 6 : 26;
    TRY(find_pairs(run, key, &d, &pairs));
    *done = pairs.items != NULL;
    run_begin_stage(run_of(run->g), "pairs of vertices", RUN_NOT_BY_PASSES);
    return *done ? cubical_take_pairs(run, MOVE(pairs.items), pairs.count) : GLSHAPE_OK;
}

static glshape_status take_high(cubical_run *run, gpu_texture *key, bool *done) {
    OWNED_BY(pairs_free) mergetree_pairs pairs = {0};
    OWNED_BY(gpu_texture_free) gpu_texture reversed = {0};
    const side *s = &run->side;
    grid d = {.extent = {s->extent[0], s->extent[1], 1}, .periodic = run->grid.periodic};
    d.hood = run->o.construction == GLSHAPE_CUBICAL_VERTICES ? 26 : 6;
    glshape_status status = reverse(run->g, key, s, &reversed);
    if (status == GLSHAPE_NO_GPU_MEMORY) return GLSHAPE_OK;
    TRY(status);
    TRY(find_pairs(run, &reversed, &d, &pairs));
    *done = pairs.items != NULL;
    run_begin_stage(run_of(run->g), "pairs of vertices", RUN_NOT_BY_PASSES);
    return *done ? cubical_take_side_pairs(run, MOVE(pairs.items), pairs.count) : GLSHAPE_OK;
}

glshape_status cubical_add_image(cubical_run *run, bool *low, bool *high) {
    OWNED_BY(grid_field_free) grid_field f = {0};
    gpu *g = run->g;
    run_why why = gpu_why_passes(g);
    const gpu_exact e = {
        .program = {gpu_only_program(cubical_reverse)}, .check = check, .without_doubles = true};
    bool least =
        order_of(&run->order, run->order.greatest) >> 32 == UINT32_MAX; /* reversed, as the outside */
    bool done = false;
    TRY(gpu_trusts_for(g, &e, &why));
    if (!run_why_device(why) || (*high && least)) return GLSHAPE_OK;
    run_begin_stage(run_of(g), "trees", why);
    glshape_status status = grid_field_new(g, &run->order, &run->grid, &f);
    if (status == GLSHAPE_NO_GPU_MEMORY) return GLSHAPE_OK;
    TRY(status);
    if (*low) TRY(take_low(run, &f.key, &done));
    *low = *low && !done;
    done = false;
    run_begin_stage(run_of(g), "trees", why);
    TRY(cubical_shape_reversed(run));
    if (*high) TRY(take_high(run, &f.key, &done));
    *high = *high && !done;
    return GLSHAPE_OK;
}
