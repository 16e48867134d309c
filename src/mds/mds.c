/* glshape_mds: the public call. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "gpu/context.h"
#include "mds/state.h"

#define STAGING_ELEMENTS 16384u
#define TRIED_POINTS 8192u /* attempts × points, of small inputs */
#define MOST_ATTEMPTS 2u
#define FEW_POINTS 64u /* so few get many more */
#define NO_STRESS 1e-9 /* nothing left to improve */

/* Puts downloaded elements [first, first+count) into the rows they came from and adds up columns. */
static void place_rows(const mds_state *s, uint32_t first, uint32_t count, const float *staging,
                       float *layout, double *sums) {
    uint32_t width = s->place[0].texels * 4;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < s->dim; c++) {
            float x = (float)(staging[(size_t)i * width + c] * s->source.unit);
            layout[(size_t)s->order[first + i] * s->dim + c] = x;
            sums[c] += x;
        }
}

static glshape_status copy_layout(mds_state *s, float *layout, float *staging, double *sums, uint32_t block) {
    for (uint32_t first = 0; first < s->n; first += block) {
        uint32_t count = s->n - first < block ? s->n - first : block;
        TRY(gpu_download(s->g, &s->place[0], first, count, staging));
        place_rows(s, first, count, staging, layout, sums);
    }
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t c = 0; c < s->dim; c++) layout[i * s->dim + c] -= (float)(sums[c] / s->n);
    return GLSHAPE_OK;
}

/* The current layout into rows of the input's order and unit, centred. */
static glshape_status read_layout(mds_state *s, float *layout) {
    float *staging = NULL;
    double *sums = NULL;
    uint32_t block = s->n < STAGING_ELEMENTS ? s->n : STAGING_ELEMENTS;
    glshape_status status =
        allocate(gpu_error(s->g), &staging, block, 16 * s->place[0].texels, "staging of the layout");
    if (!status) status = allocate(gpu_error(s->g), &sums, s->dim, sizeof *sums, "column sums");
    if (!status) status = copy_layout(s, layout, staging, sums, block);
    free(staging);
    free(sums);
    return status;
}

/* Seconds since *since, after the GPU has finished; *since becomes now. */
static glshape_status lap(gpu *g, double *since, double *seconds) {
    TRY(gpu_finish(g));
    double now = wall_seconds();
    *seconds = now - *since;
    *since = now;
    return GLSHAPE_OK;
}

/* One layout from random positions, put into `layout`. r holds the best one so far, unless this is the first;
 * it gets this one if that is better, and the seconds added up. */
static glshape_status attempt(mds_state *s, const glshape_mds_options *o, bool first, float *layout,
                              glshape_mds_result *r) {
    glshape_mds_result now = {.layout = r->layout};
    double start = wall_seconds();
    TRY(mds_scatter(s));
    TRY(mds_glimmer(s, &now));
    TRY(lap(s->g, &start, &now.seconds.glimmer));
    if (o->method == GLSHAPE_MDS_GLIMMER) TRY(mds_settle(s));
    TRY(lap(s->g, &start, &now.seconds.closing));
    TRY(read_layout(s, layout));
    TRY(mds_stress(s, layout, &now.stress, &now.stress_error));
    bool better = first || now.stress < r->stress;
    if (better) memcpy(r->layout, layout, sizeof *layout * s->n * s->dim);
    TRY(lap(s->g, &start, &now.seconds.stress));
    now.seconds.upload = r->seconds.upload;
    now.seconds.scan = r->seconds.scan;
    now.seconds.glimmer += r->seconds.glimmer;
    now.seconds.closing += r->seconds.closing;
    now.seconds.stress += r->seconds.stress;
    r->seconds = now.seconds;
    if (better) *r = now;
    return GLSHAPE_OK;
}

/* Few points are more easily caught in a local minimum than many are, and cost next to nothing: they get
 * several attempts, of which the best counts (as SMACOF's n_init). */
static int attempts(const mds_state *s, const glshape_mds_options *o) {
    uint32_t count = TRIED_POINTS / s->n, most = s->n <= FEW_POINTS ? 12 * MOST_ATTEMPTS : MOST_ATTEMPTS;
    return o->method == GLSHAPE_MDS_GPU_SF || count < 1 ? 1 : (int)(count < most ? count : most);
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
    gpu_fact(s->g, (double)facts.pairs_fed, "pairs fed");
    gpu_fact(s->g, (double)facts.paged_bytes, "bytes paged");
    gpu_fact(s->g, facts.reading_seconds, "seconds of paging");
    gpu_fact(s->g, facts.stalled_seconds, "seconds waited for pages");
    r->seconds.scan = facts.scan_seconds;
    r->seconds.upload -= facts.scan_seconds;
}

static glshape_status run(mds_state *s, const glshape_mds_options *o, double start, glshape_mds_result *r) {
    TRY(lap(s->g, &start, &r->seconds.upload));
    float *layout = NULL;
    int count = attempts(s, o);
    s->work = (double)count * s->n * (250 + (o->method == GLSHAPE_MDS_GLIMMER ? mds_settle_steps(s->n) : 0));
    glshape_status status =
        allocate(gpu_error(s->g), &r->layout, times(s->n, s->dim), sizeof *r->layout, "the layout");
    if (!status)
        status = allocate(gpu_error(s->g), &layout, times(s->n, s->dim), sizeof *layout, "the layout");
    for (int i = 0; i < count && !status && (!i || r->stress > NO_STRESS); i++)
        status = attempt(s, o, !i, layout, r);
    free(layout);
    if (!status) take_facts(s, r);
    return status ? status : gpu_tick(s->g, 1);
}

glshape_status mds_lay_out(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                           glshape_mds_result *result, double *total) {
    mds_state s;
    double start = wall_seconds();
    *result = (glshape_mds_result){0};
    TRY(mds_state_new(g, source, o, &s));
    glshape_status status = run(&s, o, start, result);
    *total = s.total;
    mds_state_free(&s);
    if (status) glshape_mds_free(result);
    return status;
}

/* Dense rows that are mostly zero are laid out as the sparse rows that they are. */
static glshape_status lay_out(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                              glshape_mds_result *result) {
    glshape_source rows = *source;
    glshape_sparse sparse = {0};
    double total;
    if (source->points && !source->sparse)
        TRY(dist_sparsify(gpu_error(g), source->points, source->metric, &sparse));
    if (sparse.start) rows.points = NULL, rows.sparse = &sparse;
    glshape_status status = mds_lay_out(g, &rows, o, result, &total);
    dist_sparsify_free(&sparse);
    return status;
}

glshape_status glshape_mds(glshape_context *context, const glshape_source *source,
                           const glshape_mds_options *options, glshape_mds_result *result) {
    glshape_mds_options o = options ? *options : (glshape_mds_options){0};
    *result = (glshape_mds_result){0};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_begin_method(g);
    glshape_status status =
        o.components ? mds_components(g, source, &o, result) : lay_out(g, source, &o, result);
    if (status) glshape_mds_free(result);
    return context_end(context, status);
}

void glshape_mds_free(glshape_mds_result *result) {
    free(result->components);
    free(result->layout);
    *result = (glshape_mds_result){0};
}
