/* Glimmer (Ingram 2007, chapter 3): one V-cycle over levels that are prefixes of the permuted points, with
 * GPU-SF (chapter 4) as relaxation and as interpolation. */
#include "mds/passes.h"
#include "mds/state.h"
#include "mds/termination.h"

#define DECIMATION 8u        /* section 3.3 */
#define COARSEST 1000u       /* levels shrink until smaller than this */
#define BATCH 8u             /* iterations between looks at the sparse stress */
#define MOST_ITERATIONS 5000 /* of one phase; none was seen to need 400 */

/* Sizes of the levels, coarsest first; returns how many. */
static int level_sizes(uint32_t n, bool single, uint32_t out[GLSHAPE_MDS_LEVELS]) {
    int count = 1;
    for (uint32_t size = n; !single && size >= COARSEST; size /= DECIMATION) count++;
    for (int i = count - 1; i >= 0; i--, n /= DECIMATION) out[i] = n;
    return count;
}

/* One iteration on points [fixed, n) of the level, partners from 0 … m-1; points from `fresh` on have no Near
 * set yet. Stages 1 to 8 in three passes. */
static glshape_status iterate(mds_state *s, uint32_t n, uint32_t fixed, uint32_t fresh, uint32_t iteration) {
    uint32_t m = fixed ? fixed : n, offset = (uint32_t)((4ull * iteration) % m);
    TRY(gpu_run(
        s->g, &mds_passes[MDS_SAMPLE], .defines = s->defines,
        .textures = {&s->perm, &s->points.values, &s->place[0], &s->near[0], &s->near_high[0], &s->near[1],
                     &s->near_high[1], &s->drawn, &s->strain[0], &s->strain[1], &s->terms},
        .values = {GPU_U(m), GPU_U(offset), GPU_U(fixed), GPU_U(fresh)}, .count = n));
    gpu_texture_swap(&s->near[0], &s->near[1]);
    gpu_texture_swap(&s->near_high[0], &s->near_high[1]);
    TRY(gpu_run(s->g, &mds_passes[MDS_MOVE], .defines = s->defines,
                .textures = {&s->place[0], &s->velocity[0], &s->near[0], &s->near_high[0], &s->drawn,
                             &s->strain[0], &s->strain[1], &s->place[1], &s->velocity[1]},
                .values = {GPU_U(fixed), GPU_F(iteration ? 1.0f : 0.0f)}, .count = n));
    gpu_texture_swap(&s->place[0], &s->place[1]);
    gpu_texture_swap(&s->velocity[0], &s->velocity[1]);
    return prim_reduce(s->g, &s->scratch, PRIM_SUM, &s->terms, n, &s->history, iteration % BATCH);
}

/* GPU-SF until the sparse stress has converged: relaxation (fixed 0) or interpolation of the points beyond
 * `fixed`; points from `fresh` on begin without Near sets. The stress is read once a batch, so a phase may
 * run up to BATCH - 1 iterations over. */
static glshape_status run_gpu_sf(mds_state *s, uint32_t n, uint32_t fixed, uint32_t fresh, int *iterations,
                                 double *sparse) {
    termination t;
    termination_start(&t);
    bool converged = false;
    for (uint32_t done = 0; !converged && done < MOST_ITERATIONS; done += BATCH) {
        float sums[BATCH][2];
        for (uint32_t i = 0; i < BATCH; i++) TRY(iterate(s, n, fixed, done + i ? n : fresh, done + i));
        TRY(gpu_download(s->g, &s->history, 0, BATCH, sums));
        for (uint32_t i = 0; i < BATCH; i++) {
            *sparse = sums[i][1] > 0 ? sums[i][0] / sums[i][1] : 0;
            converged |= termination_add(&t, *sparse);
        }
        *iterations += (int)BATCH;
        s->iterations += (int)BATCH;
        TRY(mds_progress(s, (double)BATCH * (n - fixed)));
    }
    return GLSHAPE_OK;
}

glshape_status mds_glimmer(mds_state *s, bool single, glshape_mds_result *result) {
    uint32_t sizes[GLSHAPE_MDS_LEVELS];
    int count = level_sizes(s->n, single, sizes);
    result->level_count = count;
    for (int i = 0; i < count; i++) {
        glshape_mds_level *level = &result->levels[i];
        *level = (glshape_mds_level){.points = sizes[i]};
        if (i)
            TRY(run_gpu_sf(s, sizes[i], sizes[i - 1], sizes[i - 1], &level->interpolation,
                           &level->sparse_stress));
        TRY(mds_shuffle(s, sizes[i]));
        TRY(run_gpu_sf(s, sizes[i], 0, i ? sizes[i] : 0, &level->relaxation, &level->sparse_stress));
    }
    return GLSHAPE_OK;
}
