/* A matrix of dissimilarities, whole on the GPU, in the order of the elements. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dist/source.h"

glshape_status dist_read_rows(error *err, const dist_reader *r, uint32_t first, uint32_t count, float *out) {
    char message[512] = "";
    if (!r->read(r->user, first, count, out, message, sizeof message))
        return fail(err, GLSHAPE_IO_ERROR, "rows %u to %u could not be read: %s", first + 1, first + count,
                    message[0] ? message : "the reader gives no reason");
    for (size_t i = 0, end = (size_t)count * r->n; i < end; i++)
        out[i] = isnan(out[i]) ? DIST_NONE : (float)(out[i] / r->unit);
    return GLSHAPE_OK;
}

/* Row order[e] of the matrix, its columns in the order of the elements too. */
static glshape_status upload_row(gpu *g, const dist_reader *r, const uint32_t *order, uint32_t e, float *row,
                                 float *staging, dist_source *out) {
    TRY(dist_read_rows(gpu_error(g), r, order[e], 1, row));
    for (uint32_t j = 0; j < r->n; j++) staging[j] = row[order[j]];
    return gpu_upload(g, &out->values, e, 1, staging);
}

glshape_status dist_matrix_new(gpu *g, const dist_reader *r, const uint32_t *order, dist_source *out) {
    *out = (dist_source){.n = r->n, .unit = r->unit, .defines = "SOURCE=2"};
    uint32_t texels = (r->n + 3) / 4;
    float *row = NULL, *staging = NULL;
    glshape_status status =
        gpu_texture_new(g, &out->values, "the distance matrix", GPU_RGBA32F, r->n, texels);
    if (!status) status = allocate(gpu_error(g), &row, r->n, sizeof *row, "a row of distances");
    if (!status) status = allocate(gpu_error(g), &staging, texels, 4 * sizeof *staging, "a row of distances");
    for (uint32_t e = 0; e < r->n && !status; e++) {
        status = upload_row(g, r, order, e, row, staging, out);
        if (!status && e % 64 == 0) status = gpu_tick(g, 0);
    }
    free(row);
    free(staging);
    if (status) dist_source_free(g, out);
    return status;
}
