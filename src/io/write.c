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

static void write_npy(FILE *file, glshape_type type, int dims, const size_t *shape, const void *data) {
    char header[IO_NPY_HEADER], descr[8];
    size_t count = 1;
    io_npy_descr(descr, type);
    size_t bytes = io_npy_print_header(header, descr, dims, shape);
    fwrite(header, 1, bytes, file);
    for (int i = 0; i < dims; i++) count *= shape[i];
    fwrite(data, matrix_value_size(type), count, file);
}

/* ---- text ------------------------------------------------------------------------------------------- */

typedef struct text_rows {
    const glshape_matrix *m;
    char delimiter;
    io_row_names names;
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

/* The most bytes that a row's name takes. */
static size_t longest_name(const text_rows *t) {
    size_t most = 0;
    if (!t->names.list) return 0;
    for (size_t i = 0; i < t->m->rows; i++) {
        size_t length = strlen(name_of(&t->names, i));
        if (length > most) most = length;
    }
    return 2 * most + 3;
}

static size_t print_row(const void *user, uint64_t row, char *out) {
    const text_rows *t = user;
    size_t used = 0, cols = t->m->cols;
    if (t->names.list) {
        const char *name = name_of(&t->names, row);
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

static glshape_status write_text(error *err, io_output *out, const text_rows *t) {
    size_t most = times(t->m->cols, IO_NUMBER_ROOM + 1) + longest_name(t);
    OWNED char *room = NULL;
    glshape_status status = allocate(err, &room, most, 1, "a name");
    if (status) return io_output_abort(out), status;
    if (t->names.list && !t->names.head) write_row_names(io_output_stream(out), t, room);
    else if (t->names.list) write_heads(io_output_stream(out), t);
    status = io_write_lines(err, io_output_stream(out), t->m->rows, most, print_row, t);
    if (status) io_output_abort(out);
    return status;
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

glshape_status io_write_named(error *err, const char *path, int dims, const glshape_matrix *m,
                              io_row_names names) {
    io_output out;
    TRY(io_output_format_check(err, path));
    TRY(io_output_open(err, path, &out));
    char delimiter = io_output_delimiter(path);
    if (delimiter) TRY(write_text(err, &out, &(text_rows){m, delimiter, names}));
    else write_npy(io_output_stream(&out), m->type, dims, (size_t[]){m->rows, m->cols}, m->data);
    return io_output_commit(err, &out);
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
