/* Glimmer (Ingram 2007, chapter 3): one V-cycle over levels that are prefixes of the permuted points, with
 * GPU-SF (chapter 4) as relaxation and as interpolation. */
#include "mds/passes.h"
#include "mds/state.h"
#include "mds/termination.h"

#define MOST_ITERATIONS 5000 /* of one phase; none was seen to need 400 */

/* Tells all ranks where the first n points are, how they move, and their terms of the stress. */
static glshape_status share_moves(mds_state *s, uint32_t n, gpu_texture *terms) {
    gpu_texture *const moves[] = {&s->place[0], &s->velocity[0], terms};
    return mds_share(s, n, terms ? 3 : 2, moves);
}

/* Runs one iteration of a phase, stages 1 to 7 in two passes, and leaves its terms of the stress in `terms`,
 * of several ranks on the first. Points from `fresh` on begin with an empty Near set. */
static glshape_status iterate(mds_state *s, int phase, uint32_t fresh, uint32_t iteration,
                              gpu_texture *terms) {
    const dist_phase *p = &s->phases[phase];
    uint32_t offset, own, own_end;
    mds_own(s, p->n, &own, &own_end);
    TRY(mds_begin_iteration(s, phase, iteration, &offset));
    TRY(gpu_run(s->g, mds_sample, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s), .perm = &s->perm,
                .near_in = &s->near[0], .near_high_in = &s->near_high[0], .near = &s->near[1],
                .near_high = &s->near_high[1], .random = &s->drawn, .near_strain = &s->strain[0],
                .random_strain = &s->strain[1], .terms = terms, .m = p->m, .offset = offset,
                .fixed_count = p->first, .fresh_from = fresh, .skip = own, .elements = own_end - own));
    gpu_texture_swap(&s->near[0], &s->near[1]);
    gpu_texture_swap(&s->near_high[0], &s->near_high[1]);
    TRY(gpu_run(s->g, mds_move, MDS_LAYOUT_OF(s), .velocity_in = &s->velocity[0], .near = &s->near[0],
                .near_high = &s->near_high[0], .random = &s->drawn, .near_strain = &s->strain[0],
                .random_strain = &s->strain[1], .place = &s->place[1], .velocity = &s->velocity[1],
                .fixed_count = p->first, .inertia = iteration ? 1.0f : 0.0f, .skip = own,
                .elements = own_end - own));
    gpu_texture_swap(&s->place[0], &s->place[1]);
    gpu_texture_swap(&s->velocity[0], &s->velocity[1]);
    return mds_only_first(s, p->n) ? GLSHAPE_OK : share_moves(s, p->n, terms);
}

/* Adds up the terms of n ≤ MDS_FEW points on the CPU. */
static glshape_status add_up(mds_state *s, uint32_t n, gpu_texture *terms, double sums[2]) {
    float pairs[MDS_FEW][2];
    TRY(gpu_download(s->g, terms, 0, n, pairs));
    sums[0] = sums[1] = 0;
    for (uint32_t i = 0; i < n; i++) sums[0] += pairs[i][0], sums[1] += pairs[i][1];
    return GLSHAPE_OK;
}

/* Runs MDS_BATCH iterations and their stage 8, on the first rank: sums[i] are those of the terms of iteration
 * done + i. */
static glshape_status iterate_batch(mds_state *s, int phase, uint32_t fresh, uint32_t done,
                                    double sums[MDS_BATCH][2]) {
    uint32_t n = s->phases[phase].n;
    bool few = s->n <= MDS_FEW;
    float history[MDS_BATCH][2];
    for (uint32_t i = 0; i < MDS_BATCH; i++) {
        gpu_texture *terms = &s->terms[few ? i : 0];
        TRY(iterate(s, phase, done + i ? n : fresh, done + i, terms));
        if (!few && !s->ranks->rank) TRY(prim_reduce(s->g, &s->scratch, terms, n, &s->history, i));
    }
    if (s->ranks->rank) return GLSHAPE_OK;
    if (few) {
        for (uint32_t i = 0; i < MDS_BATCH; i++) TRY(add_up(s, n, &s->terms[i], sums[i]));
        return GLSHAPE_OK;
    }
    TRY(gpu_download(s->g, &s->history, 0, MDS_BATCH, history));
    for (uint32_t i = 0; i < MDS_BATCH; i++) sums[i][0] = history[i][0], sums[i][1] = history[i][1];
    return GLSHAPE_OK;
}

/* Runs GPU-SF until the sparse stress has converged: a relaxation, or an interpolation of the points beyond
 * the first of the phase. Points from `fresh` on begin with an empty Near set. As the stress is read once a
 * batch, a phase may run up to MDS_BATCH - 1 iterations more than it needs. */
static glshape_status run_gpu_sf(mds_state *s, int phase, uint32_t fresh, int *iterations, double *sparse) {
    const dist_phase *p = &s->phases[phase];
    termination t;
    termination_start(&t);
    TRY(mds_begin_phase(s, phase));
    bool converged = false;
    for (uint32_t done = 0; !converged && done < MOST_ITERATIONS; done += MDS_BATCH) {
        double sums[MDS_BATCH][2];
        TRY(iterate_batch(s, phase, fresh, done, sums));
        TRY(ranks_broadcast(s->ranks, run_error(run_of(s->g)), sums, sizeof sums));
        for (uint32_t i = 0; i < MDS_BATCH; i++) {
            *sparse = sums[i][1] > 0 ? sums[i][0] / sums[i][1] : 0;
            converged |= termination_add(&t, *sparse);
        }
        *iterations += (int)MDS_BATCH;
        s->iterations += (int)MDS_BATCH;
        TRY(mds_progress(s, (double)MDS_BATCH * (p->n - p->first)));
    }
    return mds_only_first(s, p->n) ? share_moves(s, p->n, NULL) : GLSHAPE_OK;
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
