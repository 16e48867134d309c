#include "cli/mds_model.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/npz.h"
#include "io/read.h"

enum { LAYOUT, METRIC, P, CORRECTION, CONSTANT, EIGENVALUES, MEAN_SQUARES, POINTS, ARRAYS };
static const char *const names[] = {"layout",      "metric",       "p",     "correction", "constant",
                                    "eigenvalues", "mean_squares", "points"};

glshape_status mds_model_check(error *err, const char *option, const char *path) {
    if (!path || io_is_npz(path)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s takes an .npz file, not '%s'", option, path);
}

glshape_status mds_model_write(error *err, const char *path, const glshape_mds_result *r,
                               const glshape_source *source) {
    const double metric = source->metric, p = source->p, correction = r->correction;
    const glshape_matrix *m = source->points;
    const io_npz_array all[] = {
        {.name = names[LAYOUT],
         .type = GLSHAPE_F32,
         .dims = 2,
         .shape = {r->n, (size_t)r->dim},
         .data = r->layout},
        {.name = names[METRIC], .type = GLSHAPE_F64, .dims = 1, .shape = {1}, .data = &metric},
        {.name = names[P], .type = GLSHAPE_F64, .dims = 1, .shape = {1}, .data = &p},
        {.name = names[CORRECTION], .type = GLSHAPE_F64, .dims = 1, .shape = {1}, .data = &correction},
        {.name = names[CONSTANT], .type = GLSHAPE_F64, .dims = 1, .shape = {1}, .data = &r->constant},
        {.name = names[EIGENVALUES],
         .type = GLSHAPE_F64,
         .dims = 1,
         .shape = {(size_t)r->dim},
         .data = r->eigenvalues},
        {.name = names[MEAN_SQUARES],
         .type = GLSHAPE_F64,
         .dims = 1,
         .shape = {r->n},
         .data = r->mean_squares},
        {.name = names[POINTS],
         .dims = 2,
         .type = m ? m->type : GLSHAPE_F32,
         .shape = {m ? m->rows : 0, m ? m->cols : 0},
         .data = m ? m->data : NULL}};
    io_npz_array written[ARRAYS];
    int count = 0;
    for (int i = 0; i < ARRAYS; i++)
        if (all[i].data) written[count++] = all[i];
    return io_write_npz(err, path, written, count);
}

/* The values of an array, as doubles; it has so many. */
static glshape_status take_doubles(error *err, const char *path, const io_npz_wanted *w, size_t count,
                                   double **out) {
    if (w->out.rows * w->out.cols != count)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: '%s' has %zu values, not %zu", path, w->name,
                    w->out.rows * w->out.cols, count);
    TRY(io_check_finite(err, path, &w->out));
    return io_matrix_doubles(err, &w->out, out);
}

static glshape_status take_number(error *err, const char *path, const io_npz_wanted *w, double *out) {
    OWNED double *values = NULL;
    if (!w->out.data) return GLSHAPE_OK;
    TRY(take_doubles(err, path, w, 1, &values));
    *out = values[0];
    return GLSHAPE_OK;
}

static glshape_status take_layout(error *err, const char *path, const io_npz_wanted *w, mds_model *m) {
    OWNED double *values = NULL;
    TRY(take_doubles(err, path, w, w->out.rows * w->out.cols, &values));
    m->result.n = w->out.rows;
    m->result.dim = (int)w->out.cols;
    TRY(allocate(err, &m->read[0], w->out.rows, w->out.cols * sizeof(float), "the layout"));
    m->result.layout = m->read[0];
    for (size_t k = 0; k < w->out.rows * w->out.cols; k++) m->result.layout[k] = (float)values[k];
    return GLSHAPE_OK;
}

static glshape_status take_eigenvalues(error *err, const char *path, const io_npz_wanted *w, mds_model *m) {
    if (!w[EIGENVALUES].out.data) return GLSHAPE_OK;
    TRY(take_doubles(err, path, &w[EIGENVALUES], (size_t)m->result.dim, &m->result.eigenvalues));
    m->read[1] = m->result.eigenvalues;
    if (!w[MEAN_SQUARES].out.data)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has no array '%s'", path, names[MEAN_SQUARES]);
    TRY(take_doubles(err, path, &w[MEAN_SQUARES], m->result.n, &m->result.mean_squares));
    m->read[2] = m->result.mean_squares;
    return GLSHAPE_OK;
}

static glshape_status take_all(error *err, const char *path, io_npz_wanted *w, mds_model *m) {
    double metric = 0, correction = 0;
    TRY(take_layout(err, path, &w[LAYOUT], m));
    TRY(take_eigenvalues(err, path, w, m));
    TRY(take_number(err, path, &w[METRIC], &metric));
    TRY(take_number(err, path, &w[P], &m->source.p));
    TRY(take_number(err, path, &w[CORRECTION], &correction));
    TRY(take_number(err, path, &w[CONSTANT], &m->result.constant));
    if (!(metric >= 0 && metric <= GLSHAPE_METRIC_MINKOWSKI && correction >= 0 &&
          correction <= GLSHAPE_MDS_CAILLIEZ))
        return fail(err, GLSHAPE_BAD_INPUT, "%s: '%s' or '%s' is none that there is", path, names[METRIC],
                    names[CORRECTION]);
    m->source.metric = (glshape_metric)metric;
    m->result.correction = (glshape_mds_correction)correction;
    if (!w[POINTS].out.data) return GLSHAPE_OK;
    m->points = w[POINTS].out;
    m->read[3] = m->points.data;
    w[POINTS].out.data = NULL;
    m->source.points = &m->points;
    return GLSHAPE_OK;
}

glshape_status mds_model_read(error *err, const char *path, mds_model *out) {
    io_npz_wanted wanted[ARRAYS];
    *out = (mds_model){0};
    for (int i = 0; i < ARRAYS; i++) wanted[i] = (io_npz_wanted){.name = names[i], .optional = i != LAYOUT};
    glshape_status status = io_read_npz(err, path, wanted, ARRAYS);
    if (!status) status = take_all(err, path, wanted, out);
    for (int i = 0; i < ARRAYS; i++) io_matrix_free(&wanted[i].out);
    return status;
}

void mds_model_free(mds_model *m) {
    for (int i = 0; i < 4; i++) free(m->read[i]);
}
