/* The field on the device. Its keys go up once; those of the reversed side are made of them there. */
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "cubical/edges.h"
#include "cubical/passes.h"
#include "cubical/run.h"
#include "field/narrow.h"
#include "place/place.h"

static glshape_status reverse(gpu *g, gpu_texture *key, const side *s, gpu_texture *out) {
    const uint32_t *extent = s->extent;
    TRY(gpu_texture_new(g, out, "the field, reversed", GPU_R32UI, s->n, 1));
    return gpu_run(g, cubical_reverse, .key = key, .reversed = out, .nx = extent[0], .ny = extent[1],
                   .nz = extent[2], .outside = s->outside, .unused = s->unused,
                   .groups = (s->n - 1) / CUBICAL_LOCAL + 1);
}

/* ---- whether it is right ------------------------------------------------------------------------- */

enum { WIDE = 19, HIGH = 23, DEEP = 3, INSIDE = WIDE * HIGH * DEEP };
enum { PADDED = (WIDE + 2) * (HIGH + 2) * (DEEP + 2) };

/* As side.c does it: from the last value to the first, within the outside. */
static glshape_status check_one(gpu *g, uint32_t outside, uint32_t unused, bool *right) {
    OWNED_BY(gpu_texture_free) gpu_texture key = {0};
    OWNED_BY(gpu_texture_free) gpu_texture made = {0};
    uint32_t keys[INSIDE], want[PADDED] = {0}, got[PADDED];
    uint32_t px = outside & 1, py = outside >> 1 & 1, pz = outside >> 2;
    side s = {.extent = {WIDE + 2 * px, HIGH + 2 * py, DEEP + 2 * pz}, .outside = outside, .unused = unused};
    s.n = s.extent[0] * s.extent[1] * s.extent[2];
    for (uint32_t v = 0; v < INSIDE; v++) keys[v] = v * 2654435761u;
    for (uint32_t v = 0; v < INSIDE; v++) {
        uint32_t x = v % WIDE + px, y = v / WIDE % HIGH + py, z = v / WIDE / HIGH + pz;
        uint32_t k = ~keys[INSIDE - 1 - v];
        want[(z * s.extent[1] + y) * s.extent[0] + x] = k + (k < unused);
    }
    TRY(gpu_texture_new(g, &key, "a small field", GPU_R32UI, INSIDE, 1));
    TRY(gpu_upload(g, &key, 0, INSIDE, keys));
    TRY(reverse(g, &key, &s, &made));
    TRY(gpu_download(g, &made, 0, s.n, got));
    *right = *right && !memcmp(got, want, s.n * sizeof *got);
    return GLSHAPE_OK;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    (void)user;
    *right = true;
    for (uint32_t k = 0; k < 8; k++) TRY(check_one(g, k, k & 1 ? 0x80000000u : 0, right));
    return GLSHAPE_OK;
}

static glshape_status trust(gpu *g, run_why *why) {
    const gpu_exact e = {
        .program = {gpu_only_program(cubical_reverse)}, .check = check, .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

/* ---- the keys ------------------------------------------------------------------------------------ */

/* What there is no room for is done in another way. */
static glshape_status unless_full(cubical_run *run, glshape_status status, const error *before) {
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    cubical_drop_device(run);
    *err_of(run) = *before;
    return GLSHAPE_OK;
}

glshape_status cubical_choose(cubical_run *run, size_t n, run_why *why) {
    *why = RUN_NOT_SMALL;
    place_work work = run->given->dims == 3 ? PLACE_WORK_VOLUME : PLACE_WORK_BRANCHES;
    return mergetree_is_small(run->g, n) ? GLSHAPE_OK : mergetree_choose(run->g, run->given, n, work, why);
}

/* *why: where the field goes. */
static glshape_status choose(cubical_run *run, bool middle, run_why *why) {
    bool narrow; /* grid_field_look() asks again */
    TRY(cubical_choose(run, run->r->n, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    if (middle) cubical_expect(run->g, run->o.modulus == 2);
    TRY(trust(run->g, why));
    if (!run_why_device(*why) && *why != RUN_NOT_YET) return GLSHAPE_OK;
    return narrow_is_for_passes(run->g, run->given, &narrow);
}

/* What is wrong with the field comes before a failure to open the device. */
glshape_status cubical_send_field(cubical_run *run, bool middle) {
    error *err = err_of(run), before = *err, failed;
    uint32_t n = (uint32_t)run->r->n;
    grid d = run->grid;
    run_why why;
    glshape_status chosen = choose(run, middle, &why);
    if (chosen || !run_why_device(why)) {
        failed = *err;
        TRY(order_new(err, run->given, n, run->o.superlevel, &run->order));
        *err = failed;
        return chosen;
    }
    d.hood = 6;
    run_begin_stage(run_of(run->g), "upload", why);
    TRY(order_new_later(err, run->given, n, run->o.superlevel, &run->order));
    return unless_full(run, grid_field_look(run->g, &run->order, &d, &run->on_gpu), &before);
}

glshape_status cubical_reverse_on_device(cubical_run *run, bool last) {
    const side *s = &run->side;
    error before = *err_of(run);
    gpu_texture key = {0};
    if (!run->on_gpu.n) return GLSHAPE_OK;
    glshape_status status = reverse(run->g, &run->on_gpu.key, s, &key);
    if (status) gpu_texture_free(&key);
    else
        run->side_on_gpu =
            (grid_field){.grid = {{s->extent[0], s->extent[1], s->extent[2]}, run->grid.periodic, 6},
                         .n = s->n,
                         .key_bits = s->outside ? 32 : run->on_gpu.key_bits,
                         .hi = s->extent[2],
                         .total = s->n,
                         .key = key};
    if (last && !status) grid_field_free(&run->on_gpu);
    return unless_full(run, status, &before);
}

grid_field *cubical_side_on_device(cubical_run *run) {
    grid_field *f = run->side.reversed ? &run->side_on_gpu : &run->on_gpu;
    return f->n ? f : NULL;
}

void cubical_drop_device(cubical_run *run) {
    grid_field_free(&run->on_gpu);
    grid_field_free(&run->side_on_gpu);
}

/* ---- trees --------------------------------------------------------------------------------------- */

glshape_status cubical_add_tree_on_device(cubical_run *run, bool *done) {
    OWNED_BY(gpu_texture_free) gpu_texture pairs = {0};
    grid_field *f = cubical_side_on_device(run);
    bool reversed = run->side.reversed, vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    error before = *err_of(run);
    uint32_t count = 0;
    *done = false;
    if (!f) return GLSHAPE_OK;
    grid d = f->grid;
    d.hood = vertices != reversed ? 6 : 26;
    run_begin_stage(run_of(run->g), "trees", gpu_why_passes(run->g));
    TRY(unless_full(run, mergetree_pairs_of_keys(run->g, &f->key, f->key_bits, &d, &pairs, &count), &before));
    *done = count > 0;
    if (*done) return cubical_settle(run, reversed ? CUBICAL_HIGH : CUBICAL_LOW, &pairs, count);
    cubical_drop_device(run);
    return GLSHAPE_OK;
}
