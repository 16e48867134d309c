/* Positions: drawn at random, read from the GPU, written to it. */
#include "base/memory.h"
#include "base/owned.h"
#include "mds/state.h"

#define STAGING_ELEMENTS 16384u

glshape_status mds_scatter(mds_state *s) {
    OWNED float *staging = NULL;
    uint32_t width = s->place[0].texels * 4, block = s->n < STAGING_ELEMENTS ? s->n : STAGING_ELEMENTS;
    TRY(allocate(run_error(run_of(s->g)), &staging, block, width * sizeof *staging, "staging of the layout"));
    for (uint32_t first = 0; first < s->n; first += block) {
        uint32_t count = s->n - first < block ? s->n - first : block;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t c = 0; c < s->dim; c++)
                staging[(size_t)i * width + c] =
                    (float)(s->source.radius * (2 * random_unit(&s->random) - 1));
        TRY(gpu_upload(s->g, &s->place[0], first, count, staging));
    }
    return GLSHAPE_OK;
}

glshape_status mds_read_layout(mds_state *s, float *layout) {
    OWNED float *staging = NULL;
    OWNED double *sums = NULL;
    error *err = run_error(run_of(s->g));
    /* Before it is centered, a layout may reach beyond single precision. */
    double scale = s->source.unit > 1e36 ? 0x1p-20 : 1, unit = s->source.unit * scale;
    uint32_t width = s->place[0].texels * 4, block = s->n < STAGING_ELEMENTS ? s->n : STAGING_ELEMENTS;
    TRY(allocate(err, &staging, block, width * sizeof *staging, "staging of the layout"));
    TRY(allocate(err, &sums, s->dim, sizeof *sums, "column sums"));
    for (uint32_t first = 0; first < s->n; first += block) {
        uint32_t count = s->n - first < block ? s->n - first : block;
        TRY(gpu_download(s->g, &s->place[0], first, count, staging));
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t c = 0; c < s->dim; c++) {
                float x = (float)(staging[(size_t)i * width + c] * unit);
                layout[(size_t)s->order[first + i] * s->dim + c] = x;
                sums[c] += x;
            }
    }
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t c = 0; c < s->dim; c++) {
            layout[i * s->dim + c] -= (float)(sums[c] / s->n);
            layout[i * s->dim + c] /= (float)scale;
        }
    return GLSHAPE_OK;
}

glshape_status mds_write_layout(mds_state *s, const float *layout, const uint32_t *order) {
    OWNED float *packed = NULL;
    uint32_t width = 4 * s->place[0].texels;
    TRY(allocate(run_error(run_of(s->g)), &packed, s->n, width * sizeof *packed, "the layout"));
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t c = 0; c < s->dim; c++)
            packed[i * width + c] = (float)(layout[(order ? order[i] : i) * s->dim + c] / s->source.unit);
    return gpu_upload(s->g, &s->place[0], 0, s->n, packed);
}
