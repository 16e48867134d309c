/* glshape_mds: the public call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "dist/narrow.h"
#include "gpu/context.h"
#include "mds/attempts.h"
#include "mds/checked.h"
#include "mds/classical.h"
#include "mds/compare.h"
#include "mds/feed.h"
#include "mds/few.h"
#include "mds/ordinal.h"
#include "mds/passes.h"
#include "mds/start.h"
#include "mds/state.h"
#include "prim/passes.h"

#define TRIED_POINTS 16384u /* attempts × points, of small inputs */
#define MOST_ATTEMPTS 24u

/* Adds the seconds since *since, waiting for the GPU, to *seconds; *since becomes now. */
static glshape_status finish_stage(gpu *g, double *since, double *seconds) {
    TRY(gpu_finish(g));
    *seconds += clock_lap(since);
    return GLSHAPE_OK;
}

/* Makes one layout, from random positions or from a layout. Its levels and stress go into r, its seconds are
 * added there. */
static glshape_status lay_out_once(mds_state *s, glshape_mds_method method, const float *start, float *layout,
                                   glshape_mds_result *r) {
    double since = wall_seconds();
    run_begin_stage(run_of(s->g), "glimmer", gpu_why_passes(s->g));
    s->started = start != NULL;
    if (start) TRY(mds_write_layout(s, start, s->order));
    else TRY(mds_scatter(s));
    if (!start) TRY(mds_glimmer(s, r));
    TRY(finish_stage(s->g, &since, &r->seconds.glimmer));
    run_begin_stage(run_of(s->g), "closing", gpu_why_passes(s->g));
    if (method == GLSHAPE_MDS_GLIMMER) TRY(mds_closing(s));
    TRY(finish_stage(s->g, &since, &r->seconds.closing));
    run_begin_stage(run_of(s->g), "stress", gpu_why_passes(s->g));
    TRY(mds_read_layout(s, layout));
    TRY(mds_stress(s, layout, &r->stress, &r->stress_error));
    return finish_stage(s->g, &since, &r->seconds.stress);
}

/* How many attempts a layout gets at most, of which the best counts (as with SMACOF's n_init). Few points are
 * caught in a local minimum more easily than many, and cost next to nothing. */
static int attempt_count(uint32_t n, const glshape_mds_options *o) {
    uint32_t count = TRIED_POINTS / n;
    if (o->attempts) return o->attempts;
    if (o->start) return 1;
    return o->method == GLSHAPE_MDS_GPU_SF || count < 2
               ? 1
               : (int)(count < MOST_ATTEMPTS ? count : MOST_ATTEMPTS);
}

/* Lets the best layout settle. layout: room for another. */
static glshape_status settle_best(mds_state *s, float *layout, glshape_mds_result *r) {
    double since = wall_seconds(), stress, stress_error;
    if (!mds_settles(s) || !(r->stress > MDS_NO_STRESS)) return GLSHAPE_OK;
    run_begin_stage(run_of(s->g), "closing", gpu_why_passes(s->g));
    TRY(mds_write_layout(s, r->layout, s->order));
    TRY(mds_settle(s));
    TRY(finish_stage(s->g, &since, &r->seconds.closing));
    run_begin_stage(run_of(s->g), "stress", gpu_why_passes(s->g));
    TRY(mds_read_layout(s, layout));
    TRY(mds_stress(s, layout, &stress, &stress_error));
    if (stress < r->stress) {
        r->stress = stress;
        r->stress_error = stress_error;
        memcpy(r->layout, layout, sizeof *layout * s->n * s->dim);
    }
    return finish_stage(s->g, &since, &r->seconds.stress);
}

/* The start layout, if there is one, as passes take it, becomes the best so far. */
static glshape_status take_start(mds_state *s, const glshape_mds_options *o, float **start,
                                 glshape_mds_result *r) {
    OWNED double *given = NULL;
    size_t size = (size_t)s->n * s->dim;
    *start = NULL;
    TRY(mds_start_new(run_error(run_of(s->g)), o, s->n, s->dim, &given));
    if (!given) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(s->g)), start, size, sizeof **start, "the start layout"));
    for (uint32_t c = 0; c < s->dim; c++) {
        double mean = 0;
        for (size_t i = 0; i < s->n; i++) mean += given[i * s->dim + c] / s->n;
        for (size_t i = 0; i < s->n; i++) (*start)[i * s->dim + c] = (float)(given[i * s->dim + c] - mean);
    }
    memcpy(r->layout, *start, size * sizeof **start);
    return mds_stress(s, r->layout, &r->stress, &r->stress_error);
}

/* Lays out with a number of attempts; r gets the best of them. */
static glshape_status lay_out_best(mds_state *s, const glshape_mds_options *o, glshape_mds_result *r) {
    OWNED float *layout = NULL, *start = NULL;
    int count = attempt_count(s->n, o);
    s->open_ended = !o->attempts && count > 1;
    s->work = (s->open_ended ? 1.0 : count) * s->n *
              (250 + (o->method == GLSHAPE_MDS_GLIMMER ? mds_closing_steps(s->n) : 0));
    TRY(allocate(run_error(run_of(s->g)), &r->layout, times(s->n, s->dim), sizeof *r->layout, "the layout"));
    TRY(allocate(run_error(run_of(s->g)), &layout, times(s->n, s->dim), sizeof *layout, "the layout"));
    TRY(take_start(s, o, &start, r));
    for (mds_attempts a = mds_attempts_of(count, o->attempts); mds_goes_on(&a, MDS_NO_STRESS);) {
        glshape_mds_result attempt = {.layout = r->layout, .seconds = r->seconds};
        TRY(lay_out_once(s, o->method, a.made ? NULL : start, layout, &attempt));
        mds_take_stress(&a, attempt.stress);
        r->seconds = attempt.seconds;
        if ((a.made > 1 || start) && !(attempt.stress < r->stress)) continue;
        *r = attempt;
        memcpy(r->layout, layout, sizeof *layout * s->n * s->dim);
    }
    return o->method == GLSHAPE_MDS_GLIMMER ? settle_best(s, layout, r) : GLSHAPE_OK;
}

static void take_facts(const mds_state *s, glshape_mds_result *r) {
    r->gpu_bytes = gpu_recent_bytes(s->g);
    r->n = s->n;
    r->dim = (int)s->dim;
    r->iterations = s->iterations;
    r->closing = s->closing;
    r->pairs = (uint64_t)s->n * (s->n - 1) / 2;
    r->missing = s->missing;
    if (!s->pager) return;
    dist_pager_facts facts = dist_pager_get_facts(s->pager);
    run_fact(run_of(s->g), (double)facts.pairs_fed, "pairs fed");
    run_fact(run_of(s->g), (double)facts.paged_bytes, "bytes paged");
    run_fact(run_of(s->g), facts.reading_seconds, "seconds of paging");
    run_fact(run_of(s->g), facts.stalled_seconds, "seconds waited for pages");
    r->seconds.scan = facts.scan_seconds;
    r->seconds.upload -= facts.scan_seconds;
}

/* Has the passes compiled of an iteration, the closing phase and the stress, beside what is being uploaded.
 * That of the stress takes the driver longest and is run last. So it comes first, and the others are finished
 * meanwhile: two fifths of a program's compiling are done by the thread that asks for it (NVIDIA). */
static void expect_passes(mds_state *s) {
    bool tiles = mds_in_tiles(s), sums = s->n > MDS_FEW;
    if (tiles) gpu_soon(s->g, mds_stress_tile, MDS_TILES_OF(s));
    if (tiles) gpu_soon(s->g, mds_closing_near, MDS_TILES_OF(s));
    gpu_soon(s->g, mds_sample, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s));
    gpu_soon(s->g, mds_move, MDS_LAYOUT_OF(s));
    if (sums) gpu_soon(s->g, prim_reduce_group, .PAIR = 1);
    if (!tiles) return;
    gpu_load(s->g, mds_closing_near, MDS_TILES_OF(s));
    gpu_load(s->g, mds_sample, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s));
    gpu_load(s->g, mds_move, MDS_LAYOUT_OF(s));
    if (sums) gpu_load(s->g, prim_reduce_group, .PAIR = 1);
}

static glshape_status lay_out_checked(gpu *g, glshape_source source, const glshape_mds_options *o,
                                      glshape_mds_result *result, double *total) {
    OWNED_BY(mds_state_free) mds_state s = {0};
    const ranks *ranks;
    double since = wall_seconds();
    size_t points;
    uint32_t dim;
    *result = (glshape_mds_result){0};
    TRY(mds_check_options(run_error(run_of(g)), o, &dim));
    TRY(mds_check_source(run_error(run_of(g)), &source, &points));
    uint32_t n = (uint32_t)points;
    TRY(mds_find_ranks(g, &source, n, &ranks));
    if (ranks->size < run_ranks(run_of(g))->size && !ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    if (source.reader) TRY(mds_check_joined(run_error(run_of(g)), &source));
    if (mds_is_few(g, &source, o, n))
        return mds_lay_out_few(run_of(g), &source, o, n, dim, attempt_count(n, o), result, total);
    TRY(gpu_need(g));
    run_begin_stage(run_of(g), "upload", gpu_why_passes(g));
    TRY(mds_state_new(g, ranks, &source, o, n, dim, &s));
    expect_passes(&s);
    TRY(finish_stage(g, &since, &result->seconds.upload));
    TRY(lay_out_best(&s, o, result));
    take_facts(&s, result);
    *total = s.total;
    return run_tick(run_of(g), 1);
}

glshape_status mds_lay_out(gpu *g, const glshape_source *given, const glshape_mds_options *o,
                           glshape_mds_result *result, double *total) {
    glshape_source source = *given;
    mds_checked checked;
    mds_check_reader(&checked, &source);
    glshape_status status = lay_out_checked(g, source, o, result, total);
    return status && checked.refused ? GLSHAPE_BAD_INPUT : status;
}

/* Lays out a source; dense rows that are mostly zero as the sparse rows that they are; rows that the passes
 * cannot compare, and what a feeder of few points says, as a matrix. */
static glshape_status lay_out_source(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                                     glshape_mds_result *result) {
    OWNED_BY(dist_sparsify_free) glshape_sparse sparse = {0};
    OWNED_BY(mds_compared_free) mds_compared compared = {0};
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    OWNED_BY(mds_fed_free) mds_fed fed = {0};
    glshape_source rows, narrow;
    double total;
    run_begin_stage(run_of(g), "rows", RUN_NOT_BY_PASSES);
    TRY(dist_narrow_source(run_error(run_of(g)), source, &narrowed, &narrow));
    source = &narrow;
    rows = narrow;
    if (mds_compares(source)) {
        TRY(mds_compare(run_error(run_of(g)), source, &compared, &rows));
        return mds_lay_out(g, &rows, o, result, &total);
    }
    if (mds_feeds_all(source)) {
        TRY(mds_feed_all(run_of(g), source, &fed, &rows));
        return mds_lay_out(g, &rows, o, result, &total);
    }
    if (source->points && !source->sparse)
        TRY(dist_sparsify(run_error(run_of(g)), source->points, source->metric, &sparse));
    if (sparse.start) rows.points = NULL, rows.sparse = &sparse;
    return mds_lay_out(g, &rows, o, result, &total);
}

static glshape_status lay_out(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                              glshape_mds_result *result) {
    bool classical = o->method == GLSHAPE_MDS_CLASSICAL, ordinal = o->method == GLSHAPE_MDS_ORDINAL;
    TRY(error_check_reserved(run_error(run_of(g)), "options", o->reserved));
    if (o->start && o->components)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, "a start layout does not go with components");
    if (o->ties && !ordinal)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                    "a way with ties (--ties) goes with ordinal scaling (--method ordinal) only");
    if (!classical && (o->correction || o->exact))
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                    "%s goes with classical scaling (--method classical) only",
                    o->correction ? "a correction (--correction)" : "exact (--exact)");
    if ((classical || ordinal) && o->components)
        return fail(
            run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
            "%s scaling lays out one component; extract each, or use another method (--method glimmer)",
            classical ? "classical" : "ordinal");
    if (classical || ordinal)
        return run_ranks(run_of(g))->rank ? GLSHAPE_OK
                                          : (classical ? mds_classical : mds_ordinal)(g, source, o, result);
    if (!o->components) return lay_out_source(g, source, o, result);
    return run_ranks(run_of(g))->rank ? GLSHAPE_OK
                                      : mds_components(g, source, o, result); /* the first works alone */
}

glshape_status glshape_mds(glshape_context *context, const glshape_source *source,
                           const glshape_mds_options *options, glshape_mds_result *result) {
    glshape_mds_options o = options ? *options : (glshape_mds_options){0};
    *result = (glshape_mds_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    glshape_status status = context_agree(context, lay_out(g, source, &o, result));
    result->method = o.method;
    result->ties = o.ties;
    if (status || run_ranks(run_of(g))->rank) glshape_mds_free(result);
    return context_end(context, status);
}

void glshape_mds_free(glshape_mds_result *result) {
    free(result->components);
    free(result->layout);
    free(result->eigenvalues);
    free(result->residuals);
    free(result->mean_squares);
    *result = (glshape_mds_result){0};
}
