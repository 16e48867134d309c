/* The plan of a layout, by which the pairs that every phase needs are known: levels (Ingram 2007,
 * section 3.2), permutations, cycles. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mds/state.h"

#define DECIMATION 8u  /* section 3.3 */
#define COARSEST 1000u /* levels shrink until smaller than this */
/* Matrices and feeders: after so many iterations the same pairs come again, so that what is read and arranged
 * is bounded. 4·96 partners a point are more than a phase uses; 8·64 keep the error of the closing phase
 * small. */
#define FORCE_CYCLE 96u
#define LEAST_CLOSING_CYCLE 64u
#define MOST_CLOSING_CYCLE 512u
#define CYCLE_POINTS (1u << 20)

static glshape_status plan_levels(mds_state *s, const glshape_mds_options *o) {
    uint32_t size = s->n, factor = o->decimation ? (uint32_t)o->decimation : DECIMATION,
             coarsest = o->coarsest ? (uint32_t)o->coarsest : COARSEST;
    s->level_count = 1;
    for (; o->method == GLSHAPE_MDS_GLIMMER && size >= coarsest; size /= factor) s->level_count++;
    if (s->level_count > GLSHAPE_MDS_LEVELS)
        return fail(
            run_error(run_of(s->g)), GLSHAPE_BAD_ARGUMENT,
            "%u points have %d levels, each %u times as large as the one below it, down to fewer than %u "
            "points; there may be %d: raise decimation (--decimation) or coarsest (--coarsest)",
            s->n, s->level_count, factor, coarsest, GLSHAPE_MDS_LEVELS);
    size = s->n;
    for (int i = s->level_count - 1; i >= 0; i--, size /= factor) s->levels[i] = size;
    return GLSHAPE_OK;
}

static uint32_t closing_cycle(uint32_t n) {
    uint32_t cycle = CYCLE_POINTS / n;
    return cycle < LEAST_CLOSING_CYCLE  ? LEAST_CLOSING_CYCLE
           : cycle > MOST_CLOSING_CYCLE ? MOST_CLOSING_CYCLE
                                        : cycle;
}

glshape_status mds_plan(mds_state *s, const glshape_mds_options *o, bool cyclic) {
    TRY(plan_levels(s, o));
    uint32_t force = cyclic ? FORCE_CYCLE : UINT32_MAX, closing = cyclic ? closing_cycle(s->n) : UINT32_MAX;
    for (int i = 0; i < s->level_count; i++) {
        uint32_t n = s->levels[i], below = i ? s->levels[i - 1] : 0;
        if (i)
            s->phases[MDS_INTERPOLATION(i)] =
                (dist_phase){.first = below, .n = n, .m = below, .cycle = force, .slots = 1};
        s->phases[MDS_RELAXATION(i)] = (dist_phase){.n = n, .m = n, .cycle = force, .slots = 1};
    }
    s->phases[MDS_CLOSING(s)] = (dist_phase){.n = s->n, .m = s->n, .cycle = closing, .slots = 2};
    s->phases[MDS_ESTIMATION(s)] = (dist_phase){.n = s->n, .m = s->n, .cycle = 1, .slots = 16};
    return GLSHAPE_OK;
}

/* The permutation of a phase depends on the seed and the phase alone. */
static void permute(const mds_state *s, int phase, uint32_t *out) {
    random_state r = {s->seed + 0x632be59bd9b4e019u * (uint64_t)(phase + 1)};
    random_permutation(&r, s->phases[phase].m, out);
}

glshape_status mds_plan_permutations(mds_state *s) {
    for (int i = 0; i <= MDS_ESTIMATION(s); i++) {
        uint32_t *perm = NULL;
        TRY(allocate(run_error(run_of(s->g)), &perm, s->phases[i].m, sizeof *perm, "a permutation"));
        permute(s, i, perm);
        s->phases[i].perm = perm;
    }
    return GLSHAPE_OK;
}

void mds_plan_free(mds_state *s) {
    for (int i = 0; i < MDS_PHASES; i++) free((void *)s->phases[i].perm);
}

dist_phase mds_own_phase(const mds_state *s, int phase) {
    dist_phase p = s->phases[phase];
    uint32_t first;
    mds_own(s, p.n, &first, &p.n);
    if (p.first < first) p.first = first;
    if (p.first > p.n) p.first = p.n;
    return p;
}

static bool has_pages(const mds_state *s, int phase) {
    dist_phase own = mds_own_phase(s, phase);
    return s->pager && own.first < own.n;
}

glshape_status mds_begin_phase(mds_state *s, int phase) {
    const dist_phase *p = &s->phases[phase];
    if (s->pager) {
        TRY(gpu_upload(s->g, &s->perm, 0, p->m, p->perm));
        return has_pages(s, phase) ? dist_pager_start(s->g, s->pager, phase, &s->source.values) : GLSHAPE_OK;
    }
    OWNED uint32_t *perm = NULL;
    TRY(allocate(run_error(run_of(s->g)), &perm, p->m, sizeof *perm, "a permutation"));
    permute(s, phase, perm);
    return gpu_upload(s->g, &s->perm, 0, p->m, perm);
}

glshape_status mds_begin_iteration(mds_state *s, int phase, uint32_t iteration, uint32_t *offset) {
    const dist_phase *p = &s->phases[phase];
    *offset = (uint32_t)(4ull * p->slots * (iteration % p->cycle) % p->m);
    return has_pages(s, phase) ? dist_pager_next(s->g, s->pager, &s->source.values) : GLSHAPE_OK;
}
