/* The closing phase. Stochastic forces with a constant step leave noise; steps that decrease remove it
 * (Zheng, Pawar, Goodman 2018, and before them Robbins and Monro). The step itself is glsl/mds/closing.glsl.
 */
#include "mds/passes.h"
#include "mds/state.h"

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

glshape_status mds_closing(mds_state *s) {
    uint32_t steps = mds_closing_steps(s->n);
    uint32_t first, end;
    mds_own(s, s->n, &first, &end);
    TRY(mds_begin_phase(s, MDS_CLOSING(s)));
    for (uint32_t t = 0; t < steps; t++) {
        double left = 1 - (double)t / steps, step = FIRST_STEP * left;
        if (s->weights.id) step *= left; /* heavy pairs are rarely drawn: their noise needs smaller steps */
        uint32_t offset;
        TRY(mds_begin_iteration(s, MDS_CLOSING(s), t, &offset));
        TRY(gpu_run(s->g, mds_closing, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s), .perm = &s->perm,
                    .place = &s->place[1], .m = s->n, .offset = offset, .step = (float)step, .skip = first,
                    .elements = end - first));
        gpu_texture_swap(&s->place[0], &s->place[1]);
        TRY(mds_share(s, s->n, 1, &(gpu_texture *){&s->place[0]}));
        if (t % 16 == 15) {
            TRY(gpu_finish(s->g));
            TRY(mds_progress(s, 16.0 * s->n));
        }
    }
    s->iterations += (int)steps;
    s->closing += (int)steps;
    return GLSHAPE_OK;
}
