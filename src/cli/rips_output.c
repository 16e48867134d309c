#include "cli/rips_output.h"

#include <math.h>

#include "cli/intervals.h"
#include "cli/picture.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

/* ---- files ------------------------------------------------------------------------------------- */

static intervals intervals_of(const glshape_rips_result *r) {
    return (intervals){
        .n = r->n, .row = r->permutation, .count = r->count, .at = r->intervals, .single = true};
}

glshape_status rips_output_write(error *err, const char *path, const glshape_rips_result *r) {
    const intervals list = intervals_of(r);
    return intervals_write(err, path, &list);
}

static void put_cocycle(json *j, const glshape_rips_result *r, const glshape_cocycle *c) {
    const glshape_interval *i = &r->intervals[c->interval];
    const intervals list = intervals_of(r);
    json_object_begin(j, NULL);
    json_integer(j, "dim", i->dim);
    intervals_put_value(j, "birth", &list, i->birth);
    intervals_put_value(j, "death", &list, i->death);
    json_array_begin(j, "terms");
    for (size_t k = 0; k < c->count; k++) {
        json_flat_begin(j, NULL);
        intervals_put_vertices(j, NULL, &list, c->terms[k].simplex, i->dim + 1);
        json_unsigned(j, NULL, c->terms[k].coefficient);
        json_array_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

glshape_status rips_output_cocycles(session *s, const glshape_rips_result *r, const char *path) {
    io_output out;
    json j;
    TRY(io_output_open(&s->err, path, &out));
    json_open(&j, io_output_stream(&out));
    json_array_begin(&j, NULL);
    for (size_t k = 0; k < r->cocycle_count; k++) put_cocycle(&j, r, &r->cocycles[k]);
    json_array_end(&j);
    return io_output_commit(&s->err, &out);
}

glshape_status rips_output_draw(session *s, const glshape_rips_result *r) {
    const glshape_chart_barcode o = {
        .count = r->count, .intervals = r->intervals, .dims = r->dim + 1, .end = (double)r->threshold};
    return picture_write(s->context, &s->err, s->picture, &(glshape_chart){.barcode = &o},
                         "%.120s: persistence of %zu point%s", session_title(s), r->n, plural(r->n));
}

/* ---- report ------------------------------------------------------------------------------------ */

static void report_dimension(json *j, const glshape_rips_result *r, int dim) {
    size_t intervals = 0;
    for (size_t k = 0; k < r->count; k++) intervals += r->intervals[k].dim == dim;
    json_object_begin(j, NULL);
    json_integer(j, "dim", dim);
    json_unsigned(j, "intervals", intervals);
    json_object_end(j);
}

static void report_permutation(json *j, const glshape_rips_result *r) {
    json_float(j, "cover_radius", r->cover_radius);
    json_flat_begin(j, "permutation");
    for (size_t k = 0; k < r->n; k++) json_unsigned(j, NULL, r->permutation[k]);
    json_array_end(j);
}

static void report_forecast(json *j, const glshape_rips_result *r) {
    json_object_begin(j, "forecast");
    json_flat_begin(j, "simplices");
    for (int dim = 1; dim <= r->dim; dim++) json_unsigned(j, NULL, r->forecast.simplices[dim]);
    json_array_end(j);
    json_unsigned(j, "host_bytes", r->forecast.host_bytes);
    json_unsigned(j, "gpu_bytes", r->forecast.gpu_bytes);
    json_object_end(j);
    json_object_end(j);
}

void rips_output_report(json *j, const glshape_rips_result *r, bool dry_run) {
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_integer(j, "dim", r->dim);
    if (dry_run) {
        report_forecast(j, r);
        return;
    }
    json_float(j, "threshold", r->threshold);
    json_unsigned(j, "intervals", r->count);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    if (r->permutation) report_permutation(j, r);
    json_array_begin(j, "dimensions");
    for (int dim = 0; dim <= r->dim; dim++) report_dimension(j, r, dim);
    json_array_end(j);
    json_object_end(j);
}

/* ---- screen ------------------------------------------------------------------------------------ */

static void print_heading(const rips_input *in, const glshape_rips_result *r, bool enclosing, FILE *to) {
    bool sparse = in->kind == RIPS_SPARSE;
    if (in->kind == RIPS_POINTS)
        fprintf(to, "point cloud with %zu points in dimension %zu\n", in->points.rows, in->points.cols);
    if (r->permutation)
        fprintf(to, "%zu point%s of the greedy permutation, cover radius %g\n", r->n, plural(r->n),
                (double)r->cover_radius);
    if (r->least <= r->greatest) fprintf(to, "value range: [%g,%g]\n", (double)r->least, (double)r->greatest);
    fprintf(to, "%sdistance matrix with %zu points, using ", sparse ? "sparse " : "", r->n);
    if (sparse && enclosing) fprintf(to, "no threshold\n");
    else fprintf(to, "threshold %s%g\n", enclosing ? "at enclosing radius " : "", (double)r->threshold);
}

static size_t print_interval(const void *user, uint64_t k, char *out) {
    const glshape_interval *i = (const glshape_interval *)user + k;
    char *at = out;
    *at++ = ' ', *at++ = '[';
    at += io_number_print_six(at, (float)i->birth);
    *at++ = ',';
    if (isinf(i->death)) *at++ = ' ';
    else at += io_number_print_six(at, (float)i->death);
    *at++ = ')', *at++ = '\n';
    return (size_t)(at - out);
}

/* As Ripser does, prints no dimension above n - 2 for n points: it can have no intervals. */
glshape_status rips_print_intervals(error *err, const rips_input *in, const glshape_rips_result *r,
                                    bool enclosing, FILE *to) {
    size_t at = 0, end;
    print_heading(in, r, enclosing, to);
    for (int dim = 0; dim <= r->dim && (dim == 0 || (size_t)dim + 2 <= r->n); dim++, at = end) {
        fprintf(to, "persistence intervals in dim %d:\n", dim);
        for (end = at; end < r->count && r->intervals[end].dim == dim;) end++;
        TRY(io_write_lines(err, to, end - at, 2 * IO_NUMBER_ROOM, print_interval, r->intervals + at));
    }
    return GLSHAPE_OK;
}

void rips_print_forecast(const glshape_rips_result *r, FILE *to) {
    const glshape_rips_forecast *f = &r->forecast;
    fprintf(to, "%zu point%s, dimension %d\n", r->n, plural(r->n), r->dim);
    for (int dim = 1; dim <= r->dim && f->simplices[dim]; dim++)
        fprintf(to, "dimension %d: at most %.6g simplices, most of which are never looked at\n", dim,
                (double)f->simplices[dim]);
    fprintf(to,
            "host memory: %.1f MB, GPU memory: %.1f MB, and 16 bytes for each simplex that is in no apparent "
            "pair\n",
            1e-6 * (double)f->host_bytes, 1e-6 * (double)f->gpu_bytes);
}
