/* Normalized stress (Ingram 2007, equation 1.1) of the current layout. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mds/passes.h"
#include "mds/state.h"

#define COLUMNS 512u /* a group: this many points (four times its size, as in glsl/mds/stress.glsl) … */
#define ROW_BYTES (16u << 20) /* of a matrix on the GPU at a time */
#define MOST_SPAN 1024u       /* … against so many at most */

static double ratio(double strain, double total) { return total > 0 ? strain / total : 0; }

/* Downloads count pairs of sums. *out is to be freed. */
static glshape_status download_pairs(mds_state *s, gpu_texture *t, uint32_t count, float (**out)[2]) {
    TRY(allocate(gpu_error(s->g), out, count, sizeof **out, "sums of the stress"));
    glshape_status status = gpu_download(s->g, t, 0, count, *out);
    if (status) free(*out), *out = NULL;
    return status;
}

/* Rows that an invocation can go through without too many turns, four at a time. */
static uint32_t row_span(const mds_state *s) {
    uint32_t four = (s->source.sparse ? 4 : 1) * s->source.turns + s->place[0].texels + 16,
             fours = GPU_TURNS / four;
    return fours < 1 ? 4 : fours > MOST_SPAN / 4 ? MOST_SPAN : 4 * fours;
}

static glshape_status exact(mds_state *s, double *stress) {
    uint32_t columns = (s->n + COLUMNS - 1) / COLUMNS, span = row_span(s);
    uint32_t chunks = (s->n + span - 1) / span;
    uint32_t groups = columns * chunks;
    gpu_texture partial = {0};
    float(*pairs)[2] = NULL;
    double sums[2] = {0, 0};
    TRY(gpu_texture_new(s->g, &partial, "sums of the stress", GPU_RG32F, groups, 1));
    glshape_status status =
        gpu_run(s->g, mds_stress, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s), .partial = &partial, .n = s->n,
                .chunks = chunks, .span = span, .groups = groups);
    if (!status) status = download_pairs(s, &partial, groups, &pairs);
    for (uint32_t i = 0; i < groups && !status; i++) sums[0] += pairs[i][0], sums[1] += pairs[i][1];
    *stress = ratio(sums[0], sums[1]);
    free(pairs);
    gpu_texture_free(&partial);
    return status;
}

/* Each point's 64 partners are one draw of (x, y) = (Σw(d-δ)², Σwδ²); the estimate is the ratio of the means,
 * its error that of a ratio estimator, √(Σ(x - r·y)²) / Σy (Cochran, Sampling Techniques, section 6.4). */
static glshape_status sampled(mds_state *s, double *stress, double *standard_error) {
    float(*pairs)[2] = NULL;
    uint32_t offset;
    TRY(mds_phase(s, MDS_ESTIMATION(s)));
    TRY(mds_turn(s, MDS_ESTIMATION(s), 0, &offset));
    TRY(gpu_run(s->g, mds_estimate, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s), .perm = &s->perm,
                .terms = &s->terms[0], .m = s->n, .offset = offset, .elements = s->n));
    TRY(download_pairs(s, &s->terms[0], s->n, &pairs));
    double sums[2] = {0, 0}, squares = 0;
    for (uint32_t i = 0; i < s->n; i++) sums[0] += pairs[i][0], sums[1] += pairs[i][1];
    *stress = ratio(sums[0], sums[1]);
    for (uint32_t i = 0; i < s->n; i++) {
        double residual = pairs[i][0] - *stress * pairs[i][1];
        squares += residual * residual;
    }
    *standard_error = ratio(sqrt(squares), sums[1]);
    free(pairs);
    return GLSHAPE_OK;
}

/* ---- a matrix, row by row ---------------------------------------------------------------------- */

typedef struct row_scan {
    gpu_texture rows, weights, partial;
    uint32_t block; /* rows at a time */
    float *staging; /* block rows, each padded to whole texels */
    float (*pairs)[2];
} row_scan;

static void row_scan_free(row_scan *r) {
    gpu_texture_free(&r->rows);
    gpu_texture_free(&r->weights);
    gpu_texture_free(&r->partial);
    free(r->staging);
    free(r->pairs);
}

/* As many as ROW_BYTES hold, fewer where the limit leaves less. */
static uint32_t rows_at_a_time(const mds_state *s, uint32_t texels) {
    uint32_t block = ROW_BYTES / (16 * texels) + 1;
    size_t limit = gpu_memory_limit(s->g), room = limit ? limit - gpu_bytes(s->g) : SIZE_MAX;
    if (block > s->n) block = s->n;
    while (block > 1 && 3 * gpu_texture_bytes(s->g, GPU_RGBA32F, block, texels) > room) block /= 2;
    return block;
}

static glshape_status row_scan_new(mds_state *s, row_scan *r) {
    error *err = gpu_error(s->g);
    uint32_t texels = (s->n + 3) / 4;
    r->block = rows_at_a_time(s, texels);
    TRY(gpu_texture_new(s->g, &r->rows, "rows of distances", GPU_RGBA32F, r->block, texels));
    if (s->weight_reader.read)
        TRY(gpu_texture_new(s->g, &r->weights, "rows of weights", GPU_RGBA32F, r->block, texels));
    TRY(gpu_texture_new(s->g, &r->partial, "sums of the stress", GPU_RG32F, r->block, 1));
    TRY(allocate(err, &r->staging, (size_t)r->block * texels, 4 * sizeof *r->staging, "rows of distances"));
    return allocate(err, &r->pairs, r->block, sizeof *r->pairs, "sums of the stress");
}

/* The layout in the order of the matrix, into place[0]: this is the layout's last use. */
static glshape_status upload_layout(mds_state *s, const float *layout) {
    uint32_t width = 4 * s->place[0].texels;
    float *packed = NULL;
    TRY(allocate(gpu_error(s->g), &packed, s->n, width * sizeof *packed, "the layout"));
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t c = 0; c < s->dim; c++)
            packed[i * width + c] = (float)(layout[i * s->dim + c] / s->source.unit);
    glshape_status status = gpu_upload(s->g, &s->place[0], 0, s->n, packed);
    free(packed);
    return status;
}

/* Reads rows, pads each to whole texels, and uploads them. */
static glshape_status send_rows(mds_state *s, const dist_reader *reader, uint32_t first, uint32_t count,
                                float *staging, gpu_texture *to, uint64_t *missing) {
    uint32_t width = 4 * to->texels;
    TRY(dist_read_rows(gpu_error(s->g), reader, first, count, staging, missing));
    for (uint32_t i = count; width != s->n && i-- > 0;)
        memmove(staging + (size_t)i * width, staging + (size_t)i * s->n, s->n * sizeof *staging);
    return gpu_upload(s->g, to, 0, count, staging);
}

static glshape_status scan_rows(mds_state *s, row_scan *r, double sums[2]) {
    uint64_t missing = 0;
    for (uint32_t first = 0; first < s->n; first += r->block) {
        uint32_t count = s->n - first < r->block ? s->n - first : r->block;
        if (r->weights.id) TRY(send_rows(s, &s->weight_reader, first, count, r->staging, &r->weights, NULL));
        TRY(send_rows(s, &s->reader, first, count, r->staging, &r->rows, &missing));
        TRY(gpu_run(s->g, mds_row_stress, MDS_LAYOUT_OF(s), .weights = &r->weights, .given = &r->rows,
                    .partial = &r->partial, .n = s->n, .first = first, .groups = count));
        TRY(gpu_download(s->g, &r->partial, 0, count, r->pairs));
        for (uint32_t i = 0; i < count; i++) sums[0] += r->pairs[i][0], sums[1] += r->pairs[i][1];
        TRY(mds_progress(s, 0));
    }
    s->missing = missing / 2; /* each from both its points */
    return GLSHAPE_OK;
}

static glshape_status of_matrix(mds_state *s, const float *layout, double *stress) {
    row_scan r = {.block = 0};
    double sums[2] = {0, 0};
    glshape_status status = upload_layout(s, layout);
    if (!status) status = row_scan_new(s, &r);
    if (!status) status = scan_rows(s, &r, sums);
    row_scan_free(&r);
    s->total = sums[1] * s->source.unit * s->source.unit * s->weight_reader.unit;
    *stress = ratio(sums[0], sums[1]);
    return status;
}

glshape_status mds_stress(mds_state *s, const float *layout, double *stress, double *standard_error) {
    *standard_error = 0;
    if (s->reader.read) return of_matrix(s, layout, stress);
    return s->n <= MDS_EXACT_POINTS && !s->pager ? exact(s, stress) : sampled(s, stress, standard_error);
}
