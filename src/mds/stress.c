/* Normalized stress (Ingram 2007, equation 1.1) of the current layout. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mds/passes.h"
#include "mds/state.h"

#define COLUMNS 512u    /* a group compares so many points (four times its size: glsl/mds/stress.glsl) … */
#define MOST_SPAN 1024u /* … with so many others at most */
#define ROW_BYTES (16u << 20) /* of a matrix that are on the GPU at a time */

static double ratio(double strain, double total) { return total > 0 ? strain / total : 0; }

static void add_pairs(float (*pairs)[2], uint32_t count, double sums[2]) {
    for (uint32_t i = 0; i < count; i++) sums[0] += pairs[i][0], sums[1] += pairs[i][1];
}

/* Downloads count pairs of sums, and adds them up. */
static glshape_status download_pairs(mds_state *s, gpu_texture *t, uint32_t count, float (*pairs)[2],
                                     double sums[2]) {
    TRY(gpu_download(s->g, t, 0, count, pairs));
    add_pairs(pairs, count, sums);
    return GLSHAPE_OK;
}

/* How many rows, four at a time, an invocation can go through within GPU_TURNS. */
static uint32_t row_span(const mds_state *s) {
    uint32_t four = (s->source.sparse ? 4 : 1) * s->source.turns + s->place[0].texels + 16,
             fours = GPU_TURNS / four;
    return fours < 1 ? 4 : fours > MOST_SPAN / 4 ? MOST_SPAN : 4 * fours;
}

#define TILE 128u /* as in glsl/mds/stress_tile.glsl */

/* Runs the pass that compares all pairs; the sums of each group go to *partial. */
static glshape_status sum_pairs(mds_state *s, gpu_texture *partial) {
    uint32_t columns = (s->n + COLUMNS - 1) / COLUMNS, span = row_span(s);
    uint32_t chunks = (s->n + span - 1) / span, blocks = (s->n - 1) / TILE + 1;
    uint32_t groups = mds_in_tiles(s) ? blocks * (blocks / 2 + 1) : columns * chunks;
    TRY(gpu_texture_new(s->g, partial, "sums of the stress", GPU_RG32F, groups, 1));
    if (mds_in_tiles(s))
        return gpu_run(s->g, mds_stress_tile, MDS_TILES_OF(s), .partial = partial, .n = s->n,
                       .blocks = blocks, .groups = groups);
    return gpu_run(s->g, mds_stress, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s), .partial = partial,
                   .n = s->n, .chunks = chunks, .span = span, .groups = groups);
}

static glshape_status exact(mds_state *s, double *stress) {
    OWNED_BY(gpu_texture_free) gpu_texture partial = {0};
    OWNED float(*pairs)[2] = NULL;
    double sums[2] = {0, 0};
    TRY(sum_pairs(s, &partial));
    TRY(allocate(run_error(run_of(s->g)), &pairs, partial.elements, sizeof *pairs, "sums of the stress"));
    TRY(download_pairs(s, &partial, partial.elements, pairs, sums));
    *stress = ratio(sums[0], sums[1]);
    return GLSHAPE_OK;
}

/* The 64 partners of each point are one draw of (x, y) = (Σw(d-δ)², Σwδ²). The estimate r is the ratio of the
 * means; its standard error is that of a ratio estimator, √(Σ(x - r·y)²) / Σy (Cochran, Sampling Techniques,
 * section 6.4).
 */
static glshape_status sampled(mds_state *s, double *stress, double *standard_error) {
    OWNED float(*pairs)[2] = NULL;
    double sums[2] = {0, 0}, squares = 0;
    uint32_t offset;
    TRY(allocate(run_error(run_of(s->g)), &pairs, s->n, sizeof *pairs, "sums of the stress"));
    TRY(mds_begin_phase(s, MDS_ESTIMATION(s)));
    TRY(mds_begin_iteration(s, MDS_ESTIMATION(s), 0, &offset));
    TRY(gpu_run(s->g, mds_estimate, DIST_SOURCE_OF(&s->source), MDS_PAIRS_OF(s), .perm = &s->perm,
                .terms = &s->terms[0], .m = s->n, .offset = offset, .elements = s->n));
    TRY(download_pairs(s, &s->terms[0], s->n, pairs, sums));
    *stress = ratio(sums[0], sums[1]);
    for (uint32_t i = 0; i < s->n; i++) {
        double residual = pairs[i][0] - *stress * pairs[i][1];
        squares += residual * residual;
    }
    *standard_error = ratio(sqrt(squares), sums[1]);
    return GLSHAPE_OK;
}

/* ---- a matrix, row by row ---------------------------------------------------------------------- */

/* How many rows of so many texels are on the GPU at a time: ROW_BYTES, or what the limit leaves. */
static uint32_t rows_at_a_time(const mds_state *s, uint32_t texels) {
    uint32_t block = ROW_BYTES / (16 * texels) + 1;
    size_t limit = gpu_memory_limit(s->g), room = limit ? limit - gpu_bytes(s->g) : SIZE_MAX;
    if (block > s->n) block = s->n;
    while (block > 1 && 3 * gpu_texture_bytes(s->g, GPU_RGBA32F, block, texels) > room) block /= 2;
    return block;
}

static glshape_status send_rows(mds_state *s, const dist_reader *reader, uint32_t first, uint32_t count,
                                float *staging, uint64_t *missing_of, gpu_texture *to, uint64_t *missing) {
    TRY(dist_make_rows(run_error(run_of(s->g)), reader, first, count, 4 * ((s->n + 3) / 4), staging,
                       missing_of));
    for (uint32_t i = 0; i < count; i++) *missing += missing_of[i];
    return gpu_upload(s->g, to, 0, count, staging);
}

/* Reads the whole matrix once more, row by row, as it may be paged; of several ranks, each its share. */
static glshape_status of_matrix(mds_state *s, const float *layout, double *stress) {
    OWNED_BY(gpu_texture_free) gpu_texture rows = {0};
    OWNED_BY(gpu_texture_free) gpu_texture weights = {0};
    OWNED_BY(gpu_texture_free) gpu_texture partial = {0};
    OWNED float *staging = NULL;
    OWNED uint64_t *missing_of = NULL;
    OWNED float(*pairs)[2] = NULL;
    error *err = run_error(run_of(s->g));
    uint64_t missing = 0, none = 0, own, end;
    double sums[2] = {0, 0};
    ranks_share(s->ranks, s->n, 1, &own, &end);
    TRY(mds_write_layout(s, layout, NULL));
    uint32_t texels = (s->n + 3) / 4, block = rows_at_a_time(s, texels);
    TRY(gpu_texture_new(s->g, &rows, "rows of distances", GPU_RGBA32F, block, texels));
    if (s->weight_reader.read)
        TRY(gpu_texture_new(s->g, &weights, "rows of weights", GPU_RGBA32F, block, texels));
    TRY(gpu_texture_new(s->g, &partial, "sums of the stress", GPU_RG32F, block, 1));
    TRY(allocate(err, &staging, (size_t)block * texels, 4 * sizeof *staging, "rows of distances"));
    TRY(allocate(err, &missing_of, block, sizeof *missing_of, "rows of distances"));
    TRY(allocate(err, &pairs, s->n, sizeof *pairs, "sums of the stress"));
    for (uint32_t first = (uint32_t)own; first < end; first += block) {
        uint32_t count = end - first < block ? (uint32_t)end - first : block;
        if (weights.id)
            TRY(send_rows(s, &s->weight_reader, first, count, staging, missing_of, &weights, &none));
        TRY(send_rows(s, &s->reader, first, count, staging, missing_of, &rows, &missing));
        TRY(gpu_run(s->g, mds_row_stress, MDS_LAYOUT_OF(s), .weights = &weights, .given = &rows,
                    .partial = &partial, .n = s->n, .first = first, .groups = count));
        TRY(gpu_download(s->g, &partial, 0, count, pairs + first));
        TRY(mds_progress(s, 0));
    }
    TRY(ranks_gather(s->ranks, err, pairs, sizeof *pairs, s->n, 1));
    size_t all_missing = (size_t)missing;
    TRY(ranks_sum(s->ranks, err, &all_missing));
    add_pairs(pairs, s->n, sums);
    s->missing = all_missing / 2; /* a pair is missing from both its points */
    s->total = sums[1] * s->source.unit * s->source.unit * s->weight_reader.unit;
    *stress = ratio(sums[0], sums[1]);
    return GLSHAPE_OK;
}

glshape_status mds_stress(mds_state *s, const float *layout, double *stress, double *standard_error) {
    *standard_error = 0;
    if (s->reader.read) return of_matrix(s, layout, stress);
    return s->n <= MDS_EXACT_POINTS && !s->pager ? exact(s, stress) : sampled(s, stress, standard_error);
}
