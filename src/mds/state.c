/* The state of a layout, from its options to its end. */
#include <math.h>

#include "mds/state.h"

#include <stdlib.h>

#include "base/memory.h"
#include "place/place.h"

#define MOST_DIM 8192 /* loops over coordinates: GPU_TURNS */
#define LEAST_COARSEST 64
#define MOST_DECIMATION 32

static glshape_status check_levels(error *err, const glshape_mds_options *o) {
    if (o->decimation && (o->decimation < 2 || o->decimation > MOST_DECIMATION))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "decimation is %d; it is 2 to %d, or 0 for the default",
                    o->decimation, MOST_DECIMATION);
    if (o->coarsest && o->coarsest < LEAST_COARSEST)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "coarsest is %d; it must be at least %d, or 0 for the default",
                    o->coarsest, LEAST_COARSEST);
    if ((o->decimation || o->coarsest) && o->method != GLSHAPE_MDS_GLIMMER)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "only glimmer has levels; decimation (--decimation) and coarsest (--coarsest) are its own");
    return GLSHAPE_OK;
}

glshape_status mds_check_options(error *err, const glshape_mds_options *o, uint32_t *out) {
    int dim = o->dim ? o->dim : 2;
    *out = (uint32_t)dim;
    if (dim < 1) return fail(err, GLSHAPE_BAD_ARGUMENT, "dim is %d; it must be at least 1", dim);
    if (o->attempts < 0)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "attempts is %d; it must be at least 1, or 0 for the default",
                    o->attempts);
    TRY(error_check_choice(err, (int)o->method, GLSHAPE_MDS_ORDINAL, "method"));
    TRY(check_levels(err, o));
    if (dim <= MOST_DIM) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "dim is %d; layouts of more than %d dimensions do not fit", dim,
                MOST_DIM);
}

glshape_status mds_state_new(gpu *g, const ranks *r, const glshape_source *source,
                             const glshape_mds_options *o, uint32_t n, uint32_t dim, mds_state *s) {
    uint64_t own, end;
    error *err = run_error(run_of(g));
    ranks_share(r, n, 1, &own, &end);
    *s = (mds_state){.g = g, .ranks = r, .n = n, .dim = dim, .seed = o->seed, .random = {o->seed}};
    s->own = (uint32_t)own;
    s->own_end = (uint32_t)end;
    s->weight_reader =
        (dist_reader){.read = source->weights, .user = source->weights_user, .n = s->n, .unit = 1};
    TRY(mds_check_memory(s, mds_source_bytes(s, source)));
    TRY(allocate(err, &s->order, s->n, sizeof *s->order, "the order of the points"));
    random_permutation(&s->random, s->n, s->order);
    TRY(mds_plan(s, o, source->reader || source->feeder || source->graph));
    TRY(mds_source_new(s, source));
    return mds_textures_new(s);
}

void mds_state_free(mds_state *s) {
    mds_textures_free(s);
    gpu_texture_free(&s->weights);
    prim_scratch_free(&s->scratch);
    dist_pager_free(s->pager);
    dist_paths_free(s->paths);
    mds_plan_free(s);
    dist_source_free(&s->source);
    free(s->order);
    free(s->exchange);
}

bool mds_in_tiles(const mds_state *s) {
    return !gpu_asks_fragment(s->g) && s->source.kind == DIST_POINTS &&
           s->source.texels <= (int)place_count(s->g, PLACE_AMOUNT_TILED_TEXELS) && !s->weights.id &&
           !s->pager;
}

glshape_status mds_progress(mds_state *s, double point_iterations) {
    s->work_done += point_iterations;
    double share = s->work_done / s->work;
    return run_tick(run_of(s->g), s->open_ended ? 1 - exp2(-share) : fmin(share, 1));
}
