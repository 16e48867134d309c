/* Glimmer (Ingram 2007, chapter 3): one V-cycle over levels that are prefixes of the permuted points, with
 * GPU-SF (chapter 4) as relaxation and as interpolation. */
#include "mds/passes.h"
#include "mds/state.h"
#include "mds/termination.h"

#define BATCH 8u             /* iterations between looks at the sparse stress */
#define MOST_ITERATIONS 5000 /* of one phase; none was seen to need 400 */

/* One iteration of a phase; points from `fresh` on have no Near set yet. Stages 1 to 8 in three passes. */
static glshape_status iterate(mds_state *s, int phase, uint32_t fresh, uint32_t iteration) {
    const dist_phase *p = &s->phases[phase];
    uint32_t offset;
    TRY(mds_turn(s, phase, iteration, &offset));
    TRY(gpu_run(
        s->g, &s->passes[MDS_SAMPLE], .defines = s->defines,
        .textures = {&s->perm, &s->source.values, &s->place[0], &s->near[0], &s->near_high[0], &s->near[1],
                     &s->near_high[1], &s->drawn, &s->strain[0], &s->strain[1], &s->terms, &s->weights},
        .values = {GPU_U(p->m), GPU_U(offset), GPU_U(p->first), GPU_U(fresh)}, .count = p->n));
    gpu_texture_swap(&s->near[0], &s->near[1]);
    gpu_texture_swap(&s->near_high[0], &s->near_high[1]);
    TRY(gpu_run(s->g, &s->passes[MDS_MOVE], .defines = s->defines,
                .textures = {&s->place[0], &s->velocity[0], &s->near[0], &s->near_high[0], &s->drawn,
                             &s->strain[0], &s->strain[1], &s->place[1], &s->velocity[1]},
                .values = {GPU_U(p->first), GPU_F(iteration ? 1.0f : 0.0f)}, .count = p->n));
    gpu_texture_swap(&s->place[0], &s->place[1]);
    gpu_texture_swap(&s->velocity[0], &s->velocity[1]);
    return prim_reduce(s->g, &s->scratch, PRIM_SUM, &s->terms, p->n, &s->history, iteration % BATCH);
}

/* GPU-SF until the sparse stress has converged: relaxation, or interpolation of the points beyond the phase's
 * first; points from `fresh` on begin without Near sets. The stress is read once a batch, so a phase may run
 * up to BATCH - 1 iterations over. */
static glshape_status run_gpu_sf(mds_state *s, int phase, uint32_t fresh, int *iterations, double *sparse) {
    const dist_phase *p = &s->phases[phase];
    termination t;
    termination_start(&t);
    TRY(mds_phase(s, phase));
    bool converged = false;
    for (uint32_t done = 0; !converged && done < MOST_ITERATIONS; done += BATCH) {
        float sums[BATCH][2];
        for (uint32_t i = 0; i < BATCH; i++) TRY(iterate(s, phase, done + i ? p->n : fresh, done + i));
        TRY(gpu_download(s->g, &s->history, 0, BATCH, sums));
        for (uint32_t i = 0; i < BATCH; i++) {
            *sparse = sums[i][1] > 0 ? sums[i][0] / sums[i][1] : 0;
            converged |= termination_add(&t, *sparse);
        }
        *iterations += (int)BATCH;
        s->iterations += (int)BATCH;
        TRY(mds_progress(s, (double)BATCH * (p->n - p->first)));
    }
    return GLSHAPE_OK;
}

glshape_status mds_glimmer(mds_state *s, glshape_mds_result *result) {
    result->level_count = s->level_count;
    for (int i = 0; i < s->level_count; i++) {
        glshape_mds_level *level = &result->levels[i];
        *level = (glshape_mds_level){.points = s->levels[i]};
        double *sparse = &level->sparse_stress;
        if (i) TRY(run_gpu_sf(s, MDS_INTERPOLATION(i), s->levels[i - 1], &level->interpolation, sparse));
        TRY(run_gpu_sf(s, MDS_RELAXATION(i), i ? s->levels[i] : 0, &level->relaxation, sparse));
    }
    return GLSHAPE_OK;
}
