/* Normalized stress (Ingram 2007, equation 1.1) of the current layout. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mds/passes.h"
#include "mds/state.h"

#define COLUMNS 512u /* a group: this many points … */
#define SPAN 1024u   /* … against this many; both as in glsl/mds/stress.glsl */

static double ratio(double strain, double total) { return total > 0 ? strain / total : 0; }

/* Downloads count pairs of sums. *out is to be freed. */
static glshape_status download_pairs(mds_state *s, gpu_texture *t, uint32_t count, float (**out)[2]) {
    TRY(allocate(gpu_error(s->g), out, count, sizeof **out, "sums of the stress"));
    glshape_status status = gpu_download(s->g, t, 0, count, *out);
    if (status) free(*out), *out = NULL;
    return status;
}

static glshape_status exact(mds_state *s, double *stress) {
    uint32_t columns = (s->n + COLUMNS - 1) / COLUMNS, chunks = (s->n + SPAN - 1) / SPAN;
    uint32_t groups = columns * chunks;
    gpu_texture partial = {0};
    float(*pairs)[2] = NULL;
    double sums[2] = {0, 0};
    TRY(gpu_texture_new(s->g, &partial, "sums of the stress", GPU_RG32F, groups, 1));
    glshape_status status = gpu_run(s->g, &mds_passes[MDS_STRESS], .defines = s->defines,
                                    .textures = {&s->points.values, &s->place[0], &partial},
                                    .values = {GPU_U(s->n), GPU_U(chunks)}, .count = groups);
    if (!status) status = download_pairs(s, &partial, groups, &pairs);
    for (uint32_t i = 0; i < groups && !status; i++) sums[0] += pairs[i][0], sums[1] += pairs[i][1];
    *stress = ratio(sums[0], sums[1]);
    free(pairs);
    gpu_texture_free(s->g, &partial);
    return status;
}

/* Each point's 64 partners are one draw of (x, y) = (Σ(d-δ)², Σδ²); the estimate is the ratio of the means,
 * its error that of a ratio estimator, √(Σ(x - r·y)²) / Σy (Cochran, Sampling Techniques, section 6.4). */
static glshape_status sampled(mds_state *s, double *stress, double *standard_error) {
    float(*pairs)[2] = NULL;
    TRY(mds_shuffle(s, s->n));
    TRY(gpu_run(s->g, &mds_passes[MDS_ESTIMATE], .defines = s->defines,
                .textures = {&s->perm, &s->points.values, &s->place[0], &s->terms},
                .values = {GPU_U(s->n), GPU_U(0)}, .count = s->n));
    TRY(download_pairs(s, &s->terms, s->n, &pairs));
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

glshape_status mds_stress(mds_state *s, double *stress, double *standard_error) {
    *standard_error = 0;
    return s->n <= MDS_EXACT_POINTS ? exact(s, stress) : sampled(s, stress, standard_error);
}
