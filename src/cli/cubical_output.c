#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/threads.h"
#include "base/whole.h"
#include "cli/cubical.h"
#include "cli/intervals.h"
#include "cli/picture.h"
#include "io/value.h"
#include "io/write.h"

/* The first interval of this dimension or a higher one. */
static size_t first_of(const glshape_cubical_result *r, int dim) {
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->intervals[middle].dim < dim) low = middle + 1;
        else high = middle;
    }
    return low;
}

size_t cubical_output_count(const glshape_cubical_result *r, int dim) {
    return first_of(r, dim + 1) - first_of(r, dim);
}

/* ---- values ------------------------------------------------------------------------------------ */

static long long vertex_number(uint32_t v) { return v == GLSHAPE_NO_VERTEX ? -1 : (long long)v; }

/* Prints the value of a vertex as the field has it, inf for none; returns the length. */
static size_t print_value(const cubical_command *c, char *out, uint32_t v) {
    const glshape_matrix m = {c->in.field.type, c->result.n, 1, c->in.in.values};
    if (v != GLSHAPE_NO_VERTEX) return io_value_print(out, &m, v);
    memcpy(out, "inf", 3);
    return 3;
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

/* Rows of the intervals, in this order; NULL: as they are. */
typedef struct text_rows {
    const cubical_command *c;
    const radix_item *order; /* b: the interval */
    char delimiter;
} text_rows;

#define TEXT_ROW (2 * IO_NUMBER_ROOM + 2 * 11 + 6)

static size_t print_row(const void *user, uint64_t k, char *out) {
    const text_rows *rows = user;
    const cubical_command *c = rows->c;
    const glshape_cubical_interval *i = &c->result.intervals[rows->order ? rows->order[k].b : k];
    char d = rows->delimiter, *at = intervals_print_whole(out, (uint32_t)i->dim);
    *at++ = d;
    at += print_value(c, at, i->birth_vertex);
    *at++ = d;
    at += print_value(c, at, i->death_vertex);
    *at++ = d;
    at = intervals_print_whole(at, i->birth_vertex);
    *at++ = d;
    if (i->death_vertex == GLSHAPE_NO_VERTEX) *at++ = '-', *at++ = '1';
    else at = intervals_print_whole(at, i->death_vertex);
    *at++ = '\n';
    return (size_t)(at - out);
}

static glshape_status write_text(cubical_command *c, const radix_item *order, FILE *to, char d) {
    fprintf(to, "dim%cbirth%cdeath%cbirth_vertex%cdeath_vertex\n", d, d, d, d);
    return io_write_lines(&c->s.err, to, c->result.count, TEXT_ROW, print_row, &(text_rows){c, order, d});
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
                        path, k + 1);
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
    glshape_status status = GLSHAPE_OK;
    if (in_json) write_json(c, io_output_stream(&out));
    else status = write_text(c, NULL, io_output_stream(&out), delimiter);
    return io_output_end(&c->s.err, &out, status);
}

/* ---- the longest first ------------------------------------------------------------------------- */

typedef struct measuring {
    const cubical_command *c;
    radix_item *order;
} measuring;

/* Fills `at` with what sorts the longest first: of 64-bit integers exactly. */
static void measure(void *user, size_t first, size_t end) {
    const measuring *m = user;
    const glshape_field *field = &m->c->in.field;
    for (size_t k = first; k < end; k++) {
        const glshape_cubical_interval *i = &m->c->result.intervals[k];
        double length = fabs(i->death - i->birth);
        uint64_t bits = 0;
        if (i->death_vertex == GLSHAPE_NO_VERTEX) bits = UINT64_MAX;
        else if (whole_is(field)) bits = whole_gap(field, i->birth_vertex, i->death_vertex);
        else memcpy(&bits, &length, sizeof bits); /* of numbers that are not negative in their order */
        m->order[k] = (radix_item){~bits, i->death_vertex != GLSHAPE_NO_VERTEX, (uint32_t)k};
    }
}

/* Sorts the intervals of each dimension: the longest first, equals as they are. Those that never end come
 * before one that is as long as 64-bit integers go. */
static glshape_status order_by_length(cubical_command *c, radix_item *order) {
    OWNED radix_item *spare = NULL;
    const glshape_cubical_result *r = &c->result;
    TRY(allocate(&c->s.err, &spare, r->count, sizeof *spare, "the order of the intervals"));
    threads_ranges(r->count, measure, &(measuring){c, order});
    for (int dim = 0; dim <= c->in.field.dims; dim++)
        radix_sort_all(order + first_of(r, dim), spare, cubical_output_count(r, dim));
    return GLSHAPE_OK;
}

glshape_status cubical_output_diagram(cubical_command *c) {
    OWNED radix_item *order = NULL;
    io_output out;
    TRY(allocate(&c->s.err, &order, c->result.count, sizeof *order, "the order of the intervals"));
    TRY(order_by_length(c, order));
    TRY(io_output_open(&c->s.err, c->diagram, &out));
    return io_output_end(&c->s.err, &out,
                         write_text(c, order, io_output_stream(&out), io_output_delimiter(c->diagram)));
}

/* ---- pictures ---------------------------------------------------------------------------------- */

glshape_status cubical_output_draw(cubical_command *c) {
    const glshape_cubical_result *r = &c->result;
    OWNED glshape_interval *bars = NULL;
    TRY(allocate(&c->s.err, &bars, r->count, sizeof *bars, "the bars of the picture"));
    for (size_t k = 0; k < r->count; k++) {
        const glshape_cubical_interval *i = &r->intervals[k];
        bars[k] = (glshape_interval){.dim = i->dim, .birth = i->birth, .death = i->death};
    }
    const glshape_chart_barcode o = {.count = r->count,
                                     .intervals = bars,
                                     .dims = r->dims + (cubical_output_count(r, r->dims) > 0),
                                     .falling = c->superlevel,
                                     .end = c->superlevel ? r->least : r->greatest,
                                     .scale = c->superlevel ? "negated value" : "value"};
    return picture_write(c->s.context, &c->s.err, c->s.picture, &(glshape_chart){.barcode = &o},
                         "%.120s: persistence of %s", session_title(&c->s),
                         c->superlevel ? "superlevels" : "sublevels");
}

glshape_status cubical_output_locate(cubical_command *c) {
    const glshape_chart_located o = {.of = &c->result, .field = &c->in.field};
    return picture_write(c->s.context, &c->s.err, c->locate, &(glshape_chart){.located = &o},
                         "%.120s: the longest intervals", session_title(&c->s));
}

/* ---- report ------------------------------------------------------------------------------------ */

static void report_forecast(json *j, const glshape_cubical_forecast *f) {
    json_object_begin(j, "forecast");
    json_unsigned(j, "host_bytes", f->host_bytes);
    json_unsigned(j, "gpu_bytes", f->gpu_bytes);
    json_object_end(j);
}

static void report_intervals(json *j, const glshape_cubical_result *r) {
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
}

glshape_status cubical_output_report(cubical_command *c) {
    session_report *report;
    json *j;
    const glshape_cubical_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.in.shape[0], r->n / c->in.in.shape[0], &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "values", r->n);
    if (!c->dry_run) put_value(c, j, "least", r->least_vertex, r->least);
    if (!c->dry_run) put_value(c, j, "greatest", r->greatest_vertex, r->greatest);
    json_unsigned(j, "cells", r->forecast.cells);
    if (c->dry_run) report_forecast(j, &r->forecast);
    else report_intervals(j, r);
    json_object_end(j);
    const session_stage stages[] = {{"upload", r->seconds.upload}, {"trees", r->seconds.trees},
                                    {"edges", r->seconds.edges},   {"reduction", r->seconds.reduction},
                                    {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}
