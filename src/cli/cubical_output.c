#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/cubical.h"
#include "cli/intervals.h"
#include "io/value.h"
#include "io/write.h"
#include "plot/picture.h"

#define LOCATED 12 /* intervals of a dimension that --locate draws */

size_t cubical_output_count(const glshape_cubical_result *r, int dim) {
    size_t count = 0;
    for (size_t k = 0; k < r->count; k++) count += r->intervals[k].dim == dim;
    return count;
}

/* ---- values ------------------------------------------------------------------------------------ */

static long long vertex_number(uint32_t v) { return v == GLSHAPE_NO_VERTEX ? -1 : (long long)v; }

/* The value of a vertex as the field has it; inf for none. */
static const char *print_value(const cubical_command *c, char out[IO_NUMBER_ROOM], uint32_t v) {
    const glshape_matrix m = {c->in.field.type, c->result.n, 1, c->in.in.values};
    if (v == GLSHAPE_NO_VERTEX) return "inf";
    io_value_print(out, &m, v);
    return out;
}

static void put_value(const cubical_command *c, json *j, const char *key, uint32_t v, double value) {
    const void *values = c->in.in.values;
    if (v == GLSHAPE_NO_VERTEX) json_null(j, key);
    else if (c->in.field.type == GLSHAPE_I64) json_integer(j, key, ((const int64_t *)values)[v]);
    else if (c->in.field.type == GLSHAPE_U64) json_unsigned(j, key, ((const uint64_t *)values)[v]);
    else if (c->in.field.type == GLSHAPE_F32) json_float(j, key, (float)value);
    else json_number(j, key, value);
}

/* ---- files ------------------------------------------------------------------------------------- */

static double length_of(const glshape_cubical_interval *i) {
    return i->death_vertex == GLSHAPE_NO_VERTEX ? (double)INFINITY : fabs(i->death - i->birth);
}

/* By dimension, then the longest first, of equals as they were. */
static int by_length(const void *a, const void *b) {
    const glshape_cubical_interval *x = *(const glshape_cubical_interval *const *)a;
    const glshape_cubical_interval *y = *(const glshape_cubical_interval *const *)b;
    double p = length_of(x), q = length_of(y);
    if (x->dim != y->dim) return x->dim - y->dim;
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

/* order: of the intervals; NULL: as they are. */
static void write_text(const cubical_command *c, const glshape_cubical_interval *const *order, FILE *to,
                       char d) {
    char birth[IO_NUMBER_ROOM], death[IO_NUMBER_ROOM];
    fprintf(to, "dim%cbirth%cdeath%cbirth_vertex%cdeath_vertex\n", d, d, d, d);
    for (size_t k = 0; k < c->result.count; k++) {
        const glshape_cubical_interval *i = order ? order[k] : &c->result.intervals[k];
        fprintf(to, "%d%c%s%c%s%c%u%c%lld\n", i->dim, d, print_value(c, birth, i->birth_vertex), d,
                print_value(c, death, i->death_vertex), d, i->birth_vertex, d,
                vertex_number(i->death_vertex));
    }
}

static void write_json(const cubical_command *c, FILE *to) {
    json j;
    json_open(&j, to);
    json_array_begin(&j, NULL);
    for (size_t k = 0; k < c->result.count; k++) {
        const glshape_cubical_interval *i = &c->result.intervals[k];
        json_object_begin(&j, NULL);
        json_integer(&j, "dim", i->dim);
        put_value(c, &j, "birth", i->birth_vertex, i->birth);
        put_value(c, &j, "death", i->death_vertex, i->death);
        json_unsigned(&j, "birth_vertex", i->birth_vertex);
        if (i->death_vertex == GLSHAPE_NO_VERTEX) json_null(&j, "death_vertex");
        else json_unsigned(&j, "death_vertex", i->death_vertex);
        json_object_end(&j);
    }
    json_array_end(&j);
}

static glshape_status write_npy(cubical_command *c, const char *path) {
    OWNED double(*rows)[5] = NULL;
    const glshape_cubical_result *r = &c->result;
    TRY(allocate(&c->s.err, &rows, r->count, sizeof *rows, "the rows of the output"));
    for (size_t k = 0; k < r->count; k++) {
        const glshape_cubical_interval *i = &r->intervals[k];
        bool wide = fabs(i->birth) > 0x1p53 || (isfinite(i->death) && fabs(i->death) > 0x1p53);
        if (field_is_whole(&c->in.field) && wide)
            return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT,
                        "%s: values of interval %zu are beyond what float64 holds exactly; write .csv or "
                        ".json instead",
                        path, k);
        const double row[5] = {i->dim, i->birth, i->death, i->birth_vertex,
                               (double)vertex_number(i->death_vertex)};
        memcpy(rows[k], row, sizeof row);
    }
    const glshape_matrix m = {GLSHAPE_F64, r->count, 5, rows};
    return io_write_matrix(&c->s.err, path, &m);
}

glshape_status cubical_output_write(cubical_command *c, const char *path) {
    io_output out;
    bool in_json = intervals_is_json(path);
    char delimiter = in_json ? 0 : io_output_delimiter(path);
    if (!in_json && !delimiter) return write_npy(c, path);
    TRY(io_output_open(&c->s.err, path, &out));
    if (in_json) write_json(c, io_output_stream(&out));
    else write_text(c, NULL, io_output_stream(&out), delimiter);
    return io_output_commit(&c->s.err, &out);
}

glshape_status cubical_output_diagram(cubical_command *c) {
    OWNED const glshape_cubical_interval **order = NULL;
    io_output out;
    size_t count = c->result.count;
    TRY(allocate(&c->s.err, &order, count, sizeof *order, "the order of the intervals"));
    for (size_t k = 0; k < count; k++) order[k] = &c->result.intervals[k];
    if (count) qsort(order, count, sizeof *order, by_length);
    TRY(io_output_open(&c->s.err, c->diagram, &out));
    write_text(c, order, io_output_stream(&out), io_output_delimiter(c->diagram));
    return io_output_commit(&c->s.err, &out);
}

/* ---- pictures ---------------------------------------------------------------------------------- */

/* The intervals as the barcode takes them: ascending, so superlevels have negated values. A birth at an
 * infinity is drawn at the least value that is finite. */
static void fill_bars(const cubical_command *c, double least, glshape_interval *bars) {
    for (size_t k = 0; k < c->result.count; k++) {
        const glshape_cubical_interval *i = &c->result.intervals[k];
        double sign = c->superlevel ? -1 : 1, birth = sign * i->birth, death = sign * i->death;
        bars[k] =
            (glshape_interval){.dim = i->dim,
                               .birth = isinf(birth) ? least : birth,
                               .death = i->death_vertex == GLSHAPE_NO_VERTEX ? (double)INFINITY : death};
    }
}

static void widen(double value, double *least, double *greatest) {
    if (!isfinite(value)) return;
    *least = fmin(*least, value);
    *greatest = fmax(*greatest, value);
}

glshape_status cubical_output_draw(cubical_command *c) {
    const glshape_cubical_result *r = &c->result;
    OWNED glshape_interval *bars = NULL;
    double sign = c->superlevel ? -1 : 1, least = INFINITY, greatest = -INFINITY;
    char title[256];
    TRY(allocate(&c->s.err, &bars, r->count, sizeof *bars, "the bars of the picture"));
    widen(sign * r->least, &least, &greatest);
    widen(sign * r->greatest, &least, &greatest);
    for (size_t k = 0; k < r->count; k++) {
        widen(sign * r->intervals[k].birth, &least, &greatest);
        widen(sign * r->intervals[k].death, &least, &greatest);
    }
    if (!(least <= greatest)) least = greatest = 0;
    fill_bars(c, least, bars);
    snprintf(title, sizeof title, "%.120s: persistence of %s", session_title(&c->s),
             c->superlevel ? "superlevels" : "sublevels");
    const plot_barcode_options o = {.count = r->count,
                                    .intervals = bars,
                                    .dims = r->dims + (cubical_output_count(r, r->dims) > 0),
                                    .end = greatest,
                                    .scale = c->superlevel ? "negated value" : "value",
                                    .title = title};
    return plot_barcode_picture(c->s.context, &c->s.err, &o, c->s.picture);
}

static double value_of(const glshape_field *f, size_t v) {
#define VALUE(name, ctype, code) \
    case name:                   \
        return (double)((const ctype *)f->values)[v];
    switch (f->type) { GLSHAPE_TYPES(VALUE) }
#undef VALUE
    return NAN;
}

/* The image that --locate draws: the field, or its mean along z over the values that are finite. */
static void fill_image(const glshape_field *f, size_t planes, size_t pixels, double *image) {
    for (size_t p = 0; p < pixels; p++) {
        double sum = 0, first = value_of(f, p);
        size_t count = 0;
        for (size_t z = 0; z < planes; z++) {
            double value = value_of(f, z * pixels + p);
            if (!isfinite(value)) continue;
            sum += value;
            count++;
        }
        image[p] = count ? sum / (double)count : first;
    }
}

/* Adds interval i to the longest ones, which are count and in order of length. Of equals the first one stays.
 */
static void take_longest(const glshape_cubical_interval *i, const glshape_cubical_interval **longest,
                         size_t *count) {
    size_t at = *count;
    while (at && length_of(longest[at - 1]) < length_of(i)) at--;
    if (at == LOCATED) return;
    if (*count < LOCATED) ++*count;
    memmove(longest + at + 1, longest + at, (*count - at - 1) * sizeof *longest);
    longest[at] = i;
}

/* Lists a mark for each of the longest intervals. */
static size_t list_marks(const cubical_command *c, size_t columns, size_t pixels, plot_mark *marks) {
    const glshape_cubical_result *r = &c->result;
    const glshape_cubical_interval *longest[4][LOCATED];
    size_t count[4] = {0}, used = 0;
    for (size_t k = 0; k < r->count; k++) {
        int dim = r->intervals[k].dim;
        take_longest(&r->intervals[k], longest[dim], &count[dim]);
    }
    for (int dim = 0; dim < 4; dim++)
        for (size_t k = 0; k < count[dim]; k++) {
            uint32_t birth = longest[dim][k]->birth_vertex, death = longest[dim][k]->death_vertex;
            bool ends = death != GLSHAPE_NO_VERTEX;
            size_t from = birth % pixels, to = (ends ? death : birth) % pixels;
            marks[used++] = (plot_mark){dim,
                                        {(uint32_t)(from % columns), (uint32_t)(from / columns)},
                                        {(uint32_t)(to % columns), (uint32_t)(to / columns)},
                                        ends};
        }
    return used;
}

glshape_status cubical_output_locate(cubical_command *c) {
    const glshape_field *f = &c->in.field;
    OWNED double *image = NULL;
    plot_mark marks[4 * LOCATED];
    size_t columns = f->shape[f->dims - 1], rows = f->dims > 1 ? f->shape[f->dims - 2] : 1;
    size_t pixels = rows * columns;
    char title[256];
    TRY(allocate(&c->s.err, &image, pixels, sizeof *image, "the image"));
    fill_image(f, f->dims == 3 ? f->shape[0] : 1, pixels, image);
    snprintf(title, sizeof title, "%.120s: the longest intervals", session_title(&c->s));
    const plot_marks_options o = {.rows = rows,
                                  .columns = columns,
                                  .image = image,
                                  .count = list_marks(c, columns, pixels, marks),
                                  .marks = marks,
                                  .what = f->dims == 3 ? "the mean along z" : NULL,
                                  .title = title};
    return plot_marks_picture(c->s.context, &c->s.err, &o, c->locate);
}

/* ---- report ------------------------------------------------------------------------------------ */

glshape_status cubical_output_report(cubical_command *c) {
    session_report *report;
    json *j;
    const glshape_cubical_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.in.shape[0], r->n / c->in.in.shape[0], &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "values", r->n);
    json_number(j, "least", r->least);
    json_number(j, "greatest", r->greatest);
    json_unsigned(j, "cells", r->forecast.cells);
    json_unsigned(j, "intervals", r->count);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_array_begin(j, "dimensions");
    for (int dim = 0; dim <= r->dims; dim++) {
        json_object_begin(j, NULL);
        json_integer(j, "dim", dim);
        json_unsigned(j, "intervals", cubical_output_count(r, dim));
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
    const session_stage stages[] = {{"upload", r->seconds.upload}, {"trees", r->seconds.trees},
                                    {"edges", r->seconds.edges},   {"reduction", r->seconds.reduction},
                                    {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}
