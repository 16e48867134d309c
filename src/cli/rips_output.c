#include "cli/rips_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"
#include "plot/picture.h"

#define MOST_EXACT (UINT64_C(1) << 53) /* whole numbers up to here are float64s */

/* ---- rows -------------------------------------------------------------------------------------- */

static void write_vertices(FILE *to, size_t n, glshape_simplex simplex, int vertices) {
    uint32_t v[GLSHAPE_RIPS_DIMS + 2];
    if (simplex == GLSHAPE_NO_SIMPLEX) return;
    glshape_simplex_vertices(n, simplex, vertices, v);
    for (int i = 0; i < vertices; i++) fprintf(to, i ? " %u" : "%u", v[i]);
}

static void write_text(FILE *to, const glshape_rips_result *r, char d) {
    char birth[IO_NUMBER_ROOM], death[IO_NUMBER_ROOM];
    if (d == ' ') d = '\t'; /* vertices stand between spaces */
    fprintf(to, "dim%cbirth%cdeath%cbirth_simplex%cdeath_simplex\n", d, d, d, d);
    for (size_t k = 0; k < r->count; k++) {
        const glshape_interval *i = &r->intervals[k];
        io_number_print_float(birth, i->birth);
        io_number_print_float(death, i->death);
        fprintf(to, "%d%c%s%c%s%c", i->dim, d, birth, d, death, d);
        write_vertices(to, r->n, i->birth_simplex, i->dim + 1);
        fputc(d, to);
        write_vertices(to, r->n, i->death_simplex, i->dim + 2);
        fputc('\n', to);
    }
}

static void put_vertices(json *j, const char *key, size_t n, glshape_simplex simplex, int vertices) {
    uint32_t v[GLSHAPE_RIPS_DIMS + 2];
    if (simplex == GLSHAPE_NO_SIMPLEX) {
        json_null(j, key);
        return;
    }
    glshape_simplex_vertices(n, simplex, vertices, v);
    json_flat_begin(j, key);
    for (int i = 0; i < vertices; i++) json_unsigned(j, NULL, v[i]);
    json_array_end(j);
}

static void write_json(FILE *to, const glshape_rips_result *r) {
    json j;
    json_open(&j, to);
    json_array_begin(&j, NULL);
    for (size_t k = 0; k < r->count; k++) {
        const glshape_interval *i = &r->intervals[k];
        json_object_begin(&j, NULL);
        json_integer(&j, "dim", i->dim);
        json_float(&j, "birth", i->birth);
        json_float(&j, "death", i->death); /* null: never */
        put_vertices(&j, "birth_simplex", r->n, i->birth_simplex, i->dim + 1);
        put_vertices(&j, "death_simplex", r->n, i->death_simplex, i->dim + 2);
        json_object_end(&j);
    }
    json_array_end(&j);
}

static void put_cocycle(json *j, const glshape_rips_result *r, const glshape_cocycle *c) {
    const glshape_interval *i = &r->intervals[c->interval];
    json_object_begin(j, NULL);
    json_integer(j, "dim", i->dim);
    json_float(j, "birth", i->birth);
    json_float(j, "death", i->death);
    json_array_begin(j, "terms");
    for (size_t k = 0; k < c->count; k++) {
        json_flat_begin(j, NULL);
        put_vertices(j, NULL, r->n, c->terms[k].simplex, i->dim + 1);
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

static glshape_status simplex_number(error *err, const char *path, glshape_simplex simplex, double *out) {
    *out = simplex == GLSHAPE_NO_SIMPLEX ? -1 : (double)simplex;
    if (simplex == GLSHAPE_NO_SIMPLEX || simplex <= MOST_EXACT) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%s: simplex %llu is beyond what float64 holds exactly; write .csv or .json instead", path,
                (unsigned long long)simplex);
}

static glshape_status fill_row(error *err, const char *path, const glshape_interval *i, double row[5]) {
    row[0] = i->dim;
    row[1] = (double)i->birth;
    row[2] = (double)i->death;
    TRY(simplex_number(err, path, i->birth_simplex, &row[3]));
    return simplex_number(err, path, i->death_simplex, &row[4]);
}

static glshape_status write_npy(error *err, const char *path, const glshape_rips_result *r) {
    double(*rows)[5];
    TRY(allocate(err, &rows, r->count, sizeof *rows, "the rows of the output"));
    glshape_status status = GLSHAPE_OK;
    for (size_t k = 0; k < r->count && !status; k++) status = fill_row(err, path, &r->intervals[k], rows[k]);
    glshape_matrix m = {GLSHAPE_F64, r->count, 5, rows};
    if (!status) status = io_write_matrix(err, path, &m);
    free(rows);
    return status;
}

/* ---- which ------------------------------------------------------------------------------------- */

static bool is_json(const char *path) {
    size_t length = strlen(path);
    return length >= 5 && !strcasecmp(path + length - 5, ".json");
}

glshape_status rips_output_check(error *err, const char *path) {
    if (is_json(path)) return GLSHAPE_OK;
    glshape_status status = io_output_format_check(err, path);
    if (!status) return GLSHAPE_OK;
    error why = *err;
    return fail(err, status, "%s, or .json", why.text);
}

glshape_status rips_output_write(error *err, const char *path, const glshape_rips_result *r) {
    io_output out;
    bool in_json = is_json(path);
    char delimiter = in_json ? 0 : io_output_delimiter(path);
    if (!in_json && !delimiter) return write_npy(err, path, r);
    TRY(io_output_open(err, path, &out));
    if (in_json) write_json(io_output_stream(&out), r);
    else write_text(io_output_stream(&out), r, delimiter);
    return io_output_commit(err, &out);
}

glshape_status rips_output_draw(session *s, const glshape_rips_result *r) {
    char title[256];
    snprintf(title, sizeof title, "%.120s: persistence of %zu point%s", session_title(s), r->n, plural(r->n));
    plot_barcode_options o = {.count = r->count,
                              .intervals = r->intervals,
                              .dims = r->dim + 1,
                              .end = r->threshold,
                              .title = title};
    return plot_barcode_picture(s->context, &s->err, &o, s->picture);
}

/* ---- report ------------------------------------------------------------------------------------ */

static void report_dimension(json *j, const glshape_rips_result *r, int dim) {
    const glshape_rips_dim *d = &r->dims[dim];
    size_t intervals = 0;
    for (size_t k = 0; k < r->count; k++) intervals += r->intervals[k].dim == dim;
    json_object_begin(j, NULL);
    json_integer(j, "dim", dim);
    json_unsigned(j, "intervals", intervals);
    if (dim) {
        json_unsigned(j, "simplices_examined", d->examined);
        json_number(j, "examined_per_second", d->enumerate > 0 ? (double)d->examined / d->enumerate : 0);
        json_unsigned(j, "in_no_apparent_pair", d->left);
        json_unsigned(j, "columns_reduced", d->columns);
        json_unsigned(j, "additions", d->additions);
        json_unsigned(j, "cofacets", d->cofacets);
        json_unsigned(j, "host_bytes", d->bytes);
        json_number(j, "enumerate_seconds", d->enumerate);
        json_number(j, "reduce_seconds", d->reduce);
    }
    json_object_end(j);
}

void rips_output_report(json *j, const glshape_rips_result *r) {
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_integer(j, "dim", r->dim);
    json_float(j, "threshold", r->threshold);
    json_unsigned(j, "intervals", r->count);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_array_begin(j, "dimensions");
    for (int dim = 0; dim <= r->dim; dim++) report_dimension(j, r, dim);
    json_array_end(j);
    json_object_end(j);
}

/* ---- screen ------------------------------------------------------------------------------------ */

static void print_heading(const rips_input *in, const glshape_rips_result *r, bool enclosing, FILE *to) {
    bool sparse = in->kind == RIPS_SPARSE;
    if (in->kind == RIPS_POINTS)
        fprintf(to, "point cloud with %zu points in dimension %zu\n", r->n, in->points.cols);
    if (r->least <= r->greatest) fprintf(to, "value range: [%g,%g]\n", (double)r->least, (double)r->greatest);
    fprintf(to, "%sdistance matrix with %zu points, using ", sparse ? "sparse " : "", r->n);
    if (sparse && enclosing) fprintf(to, "no threshold\n");
    else fprintf(to, "threshold %s%g\n", enclosing ? "at enclosing radius " : "", (double)r->threshold);
}

void rips_print_intervals(const rips_input *in, const glshape_rips_result *r, bool enclosing, FILE *to) {
    size_t at = 0;
    print_heading(in, r, enclosing, to);
    for (int dim = 0; dim <= r->dim; dim++) {
        fprintf(to, "persistence intervals in dim %d:\n", dim);
        for (; at < r->count && r->intervals[at].dim == dim; at++)
            if (isinf(r->intervals[at].death)) fprintf(to, " [%g, )\n", (double)r->intervals[at].birth);
            else fprintf(to, " [%g,%g)\n", (double)r->intervals[at].birth, (double)r->intervals[at].death);
    }
}

void rips_print_forecast(const glshape_rips_result *r, FILE *to) {
    const glshape_rips_forecast *f = &r->forecast;
    fprintf(to, "%zu points, dimension %d\n", r->n, r->dim);
    for (int dim = 1; dim <= r->dim && f->simplices[dim]; dim++)
        fprintf(to, "dimension %d: at most %.6g simplices, most of which are never looked at\n", dim,
                (double)f->simplices[dim]);
    fprintf(to,
            "host memory: %.1f MB, GPU memory: %.1f MB, and 16 bytes for each simplex that is in no apparent "
            "pair\n",
            1e-6 * (double)f->host_bytes, 1e-6 * (double)f->gpu_bytes);
}
