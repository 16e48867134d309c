/* A matrix of dissimilarities, whole on the GPU, in the order of the elements. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dist/source.h"

glshape_status dist_read_raw(error *err, const dist_reader *r, uint32_t first, uint32_t count, float *out) {
    char message[512] = "";
    if (r->read(r->user, first, count, out, message, sizeof message)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_IO_ERROR, "rows %u to %u could not be read: %s", first + 1, first + count,
                message[0] ? message : "the reader gives no reason");
}

glshape_status dist_read_rows(error *err, const dist_reader *r, uint32_t first, uint32_t count, float *out,
                              uint64_t *missing) {
    uint64_t found = 0;
    TRY(dist_read_raw(err, r, first, count, out));
    for (size_t i = 0, end = (size_t)count * r->n; i < end; i++) {
        bool none = isnan(out[i]);
        found += none;
        out[i] = none ? DIST_NONE : (float)(out[i] / r->unit);
    }
    if (missing) *missing += found;
    return GLSHAPE_OK;
}

glshape_status dist_upload_matrix(gpu *g, const dist_reader *r, const uint32_t *order, const char *label,
                                  void (*finish)(uint32_t e, uint32_t n, float *row), gpu_texture *out) {
    uint32_t texels = (r->n + 3) / 4;
    float *row = NULL, *staging = NULL;
    glshape_status status = gpu_texture_new(g, out, label, GPU_RGBA32F, r->n, texels);
    if (!status) status = allocate(gpu_error(g), &row, r->n, sizeof *row, label);
    if (!status) status = allocate(gpu_error(g), &staging, texels, 4 * sizeof *staging, label);
    for (uint32_t e = 0; e < r->n && !status; e++) {
        status = dist_read_rows(gpu_error(g), r, order[e], 1, row, NULL);
        for (uint32_t j = 0; j < r->n && !status; j++) staging[j] = row[order[j]];
        if (!status && finish) finish(e, r->n, staging);
        if (!status) status = gpu_upload(g, out, e, 1, staging);
        if (!status && e % 64 == 0) status = gpu_tick(g, 0);
    }
    free(row);
    free(staging);
    return status;
}

glshape_status dist_matrix_new(gpu *g, const dist_reader *r, const uint32_t *order, dist_source *out) {
    *out = (dist_source){.n = r->n, .unit = r->unit, .kind = DIST_MATRIX};
    glshape_status status = dist_upload_matrix(g, r, order, "the distance matrix", NULL, &out->values);
    if (status) dist_source_free(out);
    return status;
}
