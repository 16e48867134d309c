/* The closing phase. Stochastic forces with a constant step leave noise; steps that decrease remove it
 * (Zheng, Pawar, Goodman 2018, and before them Robbins and Monro). The step itself is glsl/mds/closing.glsl.
 *
 * Few points then settle: steps of SMACOF, over all pairs, take away the noise that is left, about a
 * thousandth of the stress. */
#include "base/memory.h"
#include "base/owned.h"
#include "mds/passes.h"
#include "mds/state.h"
#include "place/place.h"

#define LEAST_STEPS 256u
#define MOST_STEPS 2048u
#define POINT_STEPS (3u << 20) /* points × steps: small inputs can afford more steps … */
#define STEPS_A_POINT 32u      /* … but a handful of points needs fewer */
#define FIRST_STEP 1.9 /* over-relaxed: the full transform converges for steps below 2 (de Leeuw 1980) */

uint32_t mds_closing_steps(uint32_t n) {
    uint32_t steps = POINT_STEPS / n, enough = n < MOST_STEPS ? LEAST_STEPS + STEPS_A_POINT * n : MOST_STEPS;
    if (enough > MOST_STEPS) enough = MOST_STEPS;
    return steps < LEAST_STEPS ? LEAST_STEPS : steps > enough ? enough : steps;
}

#define GENTLE_STEP 0.1 /* the first one, of a layout that is near its end */

#define NEAR_STARTS 128u /* as in glsl/mds/closing_near.glsl */

/* Makes the inverse of the permutation. */
static glshape_status invert(mds_state *s, gpu_texture *out) {
    OWNED uint32_t *perm = NULL;
    OWNED uint32_t *inverse = NULL;
    TRY(allocate(run_error(run_of(s->g)), &perm, s->n, sizeof *perm, "a permutation"));
    TRY(allocate(run_error(run_of(s->g)), &inverse, s->n, sizeof *inverse, "a permutation"));
    TRY(gpu_download(s->g, &s->perm, 0, s->n, perm));
    for (uint32_t i = 0; i < s->n; i++) inverse[perm[i]] = i;
    TRY(gpu_texture_new(s->g, out, "the inverse of the permutation", GPU_R32UI, s->n, 1));
    return gpu_upload(s->g, out, 0, s->n, inverse);
}

/* One step, into place[1]. inverse: there is one if points go in tiles; then each rank moves all points,
 * which costs less than to share them. */
static glshape_status make_step(mds_state *s, gpu_texture *inverse, uint32_t offset, float step) {
    uint32_t first, end;
    mds_own(s, s->n, &first, &end);
    if (!inverse->id)
        return gpu_run(s->g, mds_closing, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s), .perm = &s->perm,
                       .place = &s->place[1], .m = s->n, .offset = offset, .step = step, .skip = first,
                       .elements = end - first);
    return gpu_run(s->g, mds_closing_near, MDS_TILES_OF(s), .perm = &s->perm, .inverse = inverse,
                   .place = &s->place[1], .m = s->n, .offset = offset, .step = step,
                   .groups = (s->n - 1) / NEAR_STARTS + 1);
}

glshape_status mds_closing(mds_state *s) {
    OWNED_BY(gpu_texture_free) gpu_texture inverse = {0};
    uint32_t steps = mds_closing_steps(s->n);
    TRY(mds_begin_phase(s, MDS_CLOSING(s)));
    if (mds_in_tiles(s)) TRY(invert(s, &inverse));
    for (uint32_t t = 0; t < steps; t++) {
        double left = 1 - (double)t / steps, step = (s->started ? GENTLE_STEP : FIRST_STEP) * left;
        if (s->weights.id) step *= left; /* heavy pairs are rarely drawn: their noise needs smaller steps */
        uint32_t offset;
        TRY(mds_begin_iteration(s, MDS_CLOSING(s), t, &offset));
        TRY(make_step(s, &inverse, offset, (float)step));
        gpu_texture_swap(&s->place[0], &s->place[1]);
        if (!inverse.id) TRY(mds_share(s, s->n, 1, &(gpu_texture *){&s->place[0]}));
        if (t % 16 == 15) {
            TRY(gpu_finish(s->g));
            TRY(mds_progress(s, 16.0 * s->n));
        }
    }
    s->iterations += (int)steps;
    s->closing += (int)steps;
    return GLSHAPE_OK;
}

/* ---- settling ---------------------------------------------------------------------------------- */

#define SETTLING_STEPS 20u
/* A quadratic function with eigenvalues of at most 1 settles with a momentum of 0.5 for steps below 3 (Polyak
 * 1964). */
#define SETTLING_STEP 2.5f
#define MOMENTUM 0.5f

/* Not a matrix, which may be paged: then its pairs come in an order of their own, and the layout is to be the
 * same. */
bool mds_settles(const mds_state *s) {
    double turns = s->source.turns + s->place[0].texels + 8;
    double work = (double)s->n * s->n * SETTLING_STEPS * s->source.turns;
    return !s->pager && !s->reader.read && !s->paths &&
           work <= (double)place_amount(s->g, PLACE_AMOUNT_SETTLING) && s->n * turns <= GPU_TURNS;
}

glshape_status mds_settle(mds_state *s) {
    /* steps with momentum; then the transform as it is, which takes back what they went too far */
    for (uint32_t t = 0; t <= SETTLING_STEPS; t++) {
        bool plain = t == SETTLING_STEPS;
        TRY(gpu_run(s->g, mds_settle, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s),
                    .before = t ? &s->velocity[0] : &s->place[0], .place = &s->place[1], .n = s->n,
                    .step = plain ? 1 : SETTLING_STEP, .momentum = plain ? 0 : MOMENTUM, .elements = s->n));
        gpu_texture_swap(&s->place[0], &s->place[1]);
        gpu_texture_swap(&s->place[1], &s->velocity[0]);
    }
    TRY(gpu_finish(s->g));
    return mds_progress(s, 0);
}
