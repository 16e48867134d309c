#include "io/write.h"

#include <string.h>
#include <strings.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "io/npy.h"
#include "io/value.h"

enum { NPY_ALIGNMENT = 64, NPY_PREAMBLE = 10 };

#define CODE(type, ctype, code) [type] = code,
static const char *const codes[] = {GLSHAPE_TYPES(CODE)};
#undef CODE

/* ---- .npy ------------------------------------------------------------------------------------------- */

/* '|' where a value is one byte, else the byte order of this machine. */
static char order_of(glshape_type type) {
    return matrix_value_size(type) == 1 ? '|' : io_is_little_endian() ? '<' : '>';
}

/* (a, b): as Python writes a tuple. */
static void print_shape(char *text, size_t room, int dims, const size_t *shape) {
    size_t used = (size_t)snprintf(text, room, "(");
    for (int i = 0; i < dims; i++)
        used += (size_t)snprintf(text + used, room - used, i ? ", %zu" : "%zu", shape[i]);
    snprintf(text + used, room - used, dims == 1 ? ",)" : ")");
}

size_t io_npy_print_header(char out[IO_NPY_HEADER], const char *descr, int dims, const size_t *shape) {
    char tuple[IO_NPY_HEADER / 2], *text = out + NPY_PREAMBLE;
    print_shape(tuple, sizeof tuple, dims, shape);
    int length = snprintf(text, IO_NPY_HEADER - NPY_PREAMBLE,
                          "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, tuple);
    int used = NPY_PREAMBLE + length + 1;
    int padding = (NPY_ALIGNMENT - used % NPY_ALIGNMENT) % NPY_ALIGNMENT, rest = length + padding + 1;
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(rest & 255);
    out[9] = (char)(rest >> 8);
    memset(text + length, ' ', (size_t)padding);
    text[rest - 1] = '\n';
    return NPY_PREAMBLE + (size_t)rest;
}

void io_npy_descr(char out[8], glshape_type type) { snprintf(out, 8, "%c%s", order_of(type), codes[type]); }

static void write_npy_header(FILE *file, glshape_type type, int dims, const size_t *shape) {
    char header[IO_NPY_HEADER], descr[8];
    io_npy_descr(descr, type);
    size_t bytes = io_npy_print_header(header, descr, dims, shape);
    fwrite(header, 1, bytes, file);
}

static void write_npy(FILE *file, glshape_type type, int dims, const size_t *shape, const void *data) {
    size_t count = 1;
    write_npy_header(file, type, dims, shape);
    for (int i = 0; i < dims; i++) count *= shape[i];
    fwrite(data, matrix_value_size(type), count, file);
}

/* ---- text ------------------------------------------------------------------------------------------- */

/* Some rows of a matrix: m has them, `first` is the number of the first one. */
typedef struct text_rows {
    const glshape_matrix *m;
    char delimiter;
    io_row_names names;
    size_t first;
} text_rows;

size_t io_print_name(char *out, const char *text, char delimiter, bool quoted) {
    static const char special[] = "\"\t;, "; /* where one is the delimiter, those behind it are none */
    size_t used = 0, length = strlen(text), count = strchr(special, delimiter) - special + 1;
    quoted |= !length || *text == '#' || *text == ' ' || text[length - 1] == ' ';
    for (size_t i = 0; i < length && !quoted; i++) quoted = memchr(special, text[i], count) != NULL;
    if (quoted) out[used++] = '"';
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') out[used++] = '"';
        out[used++] = text[i];
    }
    if (quoted) out[used++] = '"';
    return used;
}

static const char *name_of(const io_row_names *names, size_t row) {
    return io_label_at(names->list, names->of ? names->of[row] : row);
}

/* The most bytes that the name of one of so many rows takes. */
static size_t longest_name(const io_row_names *names, size_t rows) {
    size_t most = 0;
    if (!names->list) return 0;
    for (size_t i = 0; i < rows; i++) {
        size_t length = strlen(name_of(names, i));
        if (length > most) most = length;
    }
    return 2 * most + 3;
}

static size_t print_row(const void *user, uint64_t row, char *out) {
    const text_rows *t = user;
    size_t used = 0, cols = t->m->cols;
    if (t->names.list) {
        const char *name = name_of(&t->names, t->first + row);
        double number;
        bool quoted = t->delimiter == ' ' || io_number_parse(name, strlen(name), &number);
        used = io_print_name(out, name, t->delimiter, quoted);
        out[used++] = t->delimiter;
    }
    for (size_t col = 0; col < cols; col++) {
        used += io_value_print(out + used, t->m, row * cols + col);
        out[used++] = col + 1 < cols ? t->delimiter : '\n';
    }
    return used;
}

/* Columns are called as the rows are. `room` is for a name. */
static void write_row_names(FILE *to, const text_rows *t, char *room) {
    for (size_t k = 0; k < t->m->cols; k++) {
        const char *name = name_of(&t->names, k);
        double number;
        bool quoted = t->delimiter == ' ' || io_number_parse(name, strlen(name), &number);
        if (k || t->delimiter != ' ') fputc(t->delimiter, to);
        fwrite(room, 1, io_print_name(room, name, t->delimiter, quoted), to);
    }
    fputc('\n', to);
}

static void write_heads(FILE *to, const text_rows *t) {
    const char *head = t->names.head;
    bool numbered = t->m->cols > 1 && !strchr(head, ',');
    for (size_t k = 0; k < t->m->cols; k++) {
        size_t length = strcspn(head, ",");
        if (k || t->delimiter != ' ') fputc(t->delimiter, to);
        fwrite(head, 1, length, to);
        if (numbered) fprintf(to, "%zu", k + 1);
        else if (head[length]) head += length + 1;
    }
    fputc('\n', to);
}

/* ---- choice ----------------------------------------------------------------------------------------- */

static const struct {
    const char *extension;
    char delimiter;
} formats[] = {{".npy", 0}, {".csv", ','}, {".tsv", '\t'}, {".txt", ' '}};
enum { CSV = 1, FORMATS = sizeof formats / sizeof *formats };

/* Which of formats the extension of path says; FORMATS if none. */
static int format_of(const char *path) {
    if (!strcmp(path, "-")) return CSV;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int i = 0;
    while (i < FORMATS && (!dot || strcasecmp(dot, formats[i].extension))) i++;
    return i;
}

char io_output_delimiter(const char *path) {
    int format = format_of(path);
    return format < FORMATS ? formats[format].delimiter : 0;
}

glshape_status io_output_format_check(error *err, const char *path) {
    if (format_of(path) < FORMATS) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "cannot tell the format of %s from its extension: name it .npy, .csv, .tsv or .txt", path);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static glshape_status begin_text(error *err, io_rows *r) {
    const glshape_matrix m = {r->type, r->rows, r->cols, NULL};
    const text_rows t = {.m = &m, .delimiter = r->delimiter, .names = r->names};
    OWNED char *room = NULL;
    r->most = times(r->cols, IO_NUMBER_ROOM + 1) + longest_name(&r->names, r->rows);
    TRY(allocate(err, &room, r->most, 1, "a name"));
    if (r->names.list && !r->names.head) write_row_names(io_output_stream(&r->out), &t, room);
    else if (r->names.list) write_heads(io_output_stream(&r->out), &t);
    return GLSHAPE_OK;
}

static glshape_status open_rows(error *err, const char *path, int dims, const glshape_matrix *shape,
                                io_row_names names, io_rows *out) {
    *out = (io_rows){.type = shape->type, .rows = shape->rows, .cols = shape->cols, .names = names};
    TRY(io_output_format_check(err, path));
    out->delimiter = io_output_delimiter(path);
    TRY(io_output_open(err, path, &out->out));
    if (out->delimiter) return begin_text(err, out);
    write_npy_header(io_output_stream(&out->out), shape->type, dims, (size_t[]){shape->rows, shape->cols});
    return GLSHAPE_OK;
}

glshape_status io_rows_open(error *err, const char *path, const glshape_matrix *shape, io_row_names names,
                            io_rows *out) {
    return open_rows(err, path, 2, shape, names, out);
}

glshape_status io_rows_write(error *err, io_rows *r, size_t count, const void *data) {
    const glshape_matrix m = {r->type, count, r->cols, (void *)data};
    const text_rows t = {&m, r->delimiter, r->names, r->written};
    r->written += count;
    if (r->delimiter) return io_write_lines(err, io_output_stream(&r->out), count, r->most, print_row, &t);
    fwrite(data, matrix_value_size(r->type), count * r->cols, io_output_stream(&r->out));
    return GLSHAPE_OK;
}

glshape_status io_rows_commit(error *err, io_rows *r) { return io_output_commit(err, &r->out); }

void io_rows_abort(io_rows *r) { io_output_abort(&r->out); }

glshape_status io_write_named(error *err, const char *path, int dims, const glshape_matrix *m,
                              io_row_names names) {
    OWNED_BY(io_rows_abort) io_rows r = {0};
    TRY(open_rows(err, path, dims, m, names, &r));
    TRY(io_rows_write(err, &r, m->rows, m->data));
    return io_rows_commit(err, &r);
}

glshape_status io_write_matrix(error *err, const char *path, const glshape_matrix *m) {
    return io_write_named(err, path, 2, m, (io_row_names){0});
}

glshape_status io_write_vector(error *err, const char *path, glshape_type type, size_t n, void *data) {
    return io_write_named(err, path, 1, &(glshape_matrix){type, n, 1, data}, (io_row_names){0});
}

glshape_status io_write_array(error *err, const char *path, glshape_type type, int dims, const size_t *shape,
                              const void *data) {
    io_output out;
    TRY(io_output_open(err, path, &out));
    write_npy(io_output_stream(&out), type, dims, shape, data);
    return io_output_commit(err, &out);
}
