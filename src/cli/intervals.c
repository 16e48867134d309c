#include "cli/intervals.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/number.h"
#include "io/write.h"

#define MOST_EXACT (UINT64_C(1) << 53) /* float64 holds all whole numbers up to here */

/* ---- values and simplices ---------------------------------------------------------------------- */

/* Returns the length. */
static size_t print_value(char *out, const intervals *list, double value) {
    return list->single ? io_number_print_float(out, (float)value) : io_number_print(out, value);
}

void intervals_put_value(json *j, const char *key, const intervals *list, double value) {
    if (list->single) json_float(j, key, (float)value);
    else json_number(j, key, value);
}

/* The rows of the vertices of a simplex, descending. */
static void find_rows(const intervals *list, glshape_simplex simplex, int vertices, uint32_t *out) {
    glshape_simplex_vertices(list->n, simplex, vertices, out);
    for (int i = 0; list->row && i < vertices; i++) {
        uint32_t row = list->row[out[i]];
        int at = i;
        for (; at && out[at - 1] < row; at--) out[at] = out[at - 1];
        out[at] = row;
    }
}

enum { MOST_VERTICES = GLSHAPE_RIPS_DIMS + 1, WHOLE_ROOM = 10 };

char *intervals_print_whole(char *at, uint32_t value) {
    char digits[WHOLE_ROOM];
    int count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count) *at++ = digits[--count];
    return at;
}

/* Returns where the text ends, and a character after it. */
static char *print_vertices(char *at, const intervals *list, glshape_simplex simplex, int vertices,
                            char after) {
    uint32_t v[MOST_VERTICES];
    if (simplex != GLSHAPE_NO_SIMPLEX) {
        find_rows(list, simplex, vertices, v);
        for (int i = 0; i < vertices; i++) {
            if (i) *at++ = ' ';
            at = intervals_print_whole(at, v[i]);
        }
    }
    *at++ = after;
    return at;
}

typedef struct text_rows {
    const intervals *list;
    char delimiter;
} text_rows;

#define TEXT_ROW (2 * IO_NUMBER_ROOM + (2 * MOST_VERTICES + 1) * (WHOLE_ROOM + 1))

/* Without printf, which would take longer than the intervals of a few points. */
static size_t print_line(const void *user, uint64_t k, char *out) {
    const text_rows *rows = user;
    const intervals *list = rows->list;
    const glshape_interval *i = &list->at[k];
    char d = rows->delimiter, *at = intervals_print_whole(out, (uint32_t)i->dim);
    *at++ = d;
    at += print_value(at, list, i->birth);
    *at++ = d;
    at += print_value(at, list, i->death);
    *at++ = d;
    at = print_vertices(at, list, i->birth_simplex, i->dim + 1, d);
    at = print_vertices(at, list, i->death_simplex, i->dim + 2, '\n');
    return (size_t)(at - out);
}

static glshape_status write_text(error *err, FILE *to, const intervals *list, char d) {
    if (d == ' ') d = '\t'; /* vertices stand between spaces */
    fprintf(to, "dim%cbirth%cdeath%cbirth_simplex%cdeath_simplex\n", d, d, d, d);
    return io_write_lines(err, to, list->count, TEXT_ROW, print_line, &(text_rows){list, d});
}

void intervals_put_vertices(json *j, const char *key, const intervals *list, glshape_simplex simplex,
                            int vertices) {
    uint32_t v[GLSHAPE_RIPS_DIMS + 2];
    if (simplex == GLSHAPE_NO_SIMPLEX) {
        json_null(j, key);
        return;
    }
    find_rows(list, simplex, vertices, v);
    json_flat_begin(j, key);
    for (int i = 0; i < vertices; i++) json_unsigned(j, NULL, v[i]);
    json_array_end(j);
}

static void write_json(FILE *to, const intervals *list) {
    json j;
    json_open(&j, to);
    json_array_begin(&j, NULL);
    for (size_t k = 0; k < list->count; k++) {
        const glshape_interval *i = &list->at[k];
        json_object_begin(&j, NULL);
        json_integer(&j, "dim", i->dim);
        intervals_put_value(&j, "birth", list, i->birth);
        intervals_put_value(&j, "death", list, i->death); /* null: never */
        intervals_put_vertices(&j, "birth_simplex", list, i->birth_simplex, i->dim + 1);
        intervals_put_vertices(&j, "death_simplex", list, i->death_simplex, i->dim + 2);
        json_object_end(&j);
    }
    json_array_end(&j);
}

/* ---- .npy --------------------------------------------------------------------------------------- */

static glshape_status simplex_as_double(error *err, const char *path, glshape_simplex simplex, double *out) {
    *out = simplex == GLSHAPE_NO_SIMPLEX ? -1 : (double)simplex;
    if (simplex == GLSHAPE_NO_SIMPLEX || simplex <= MOST_EXACT) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%s: simplex %llu is beyond what float64 holds exactly; write .csv or .json instead", path,
                (unsigned long long)simplex);
}

static glshape_status write_npy(error *err, const char *path, const intervals *list) {
    OWNED double(*rows)[5] = NULL;
    TRY(allocate(err, &rows, list->count, sizeof *rows, "the rows of the output"));
    for (size_t k = 0; k < list->count; k++) {
        const glshape_interval *i = &list->at[k];
        rows[k][0] = i->dim;
        rows[k][1] = i->birth;
        rows[k][2] = i->death;
        TRY(simplex_as_double(err, path, i->birth_simplex, &rows[k][3]));
        TRY(simplex_as_double(err, path, i->death_simplex, &rows[k][4]));
    }
    glshape_matrix m = {GLSHAPE_F64, list->count, 5, rows};
    return io_write_matrix(err, path, &m);
}

/* ---- by extension ------------------------------------------------------------------------------------- */

bool intervals_is_json(const char *path) {
    size_t length = strlen(path);
    return length >= 5 && !strcasecmp(path + length - 5, ".json");
}

glshape_status intervals_check(error *err, const char *path) {
    if (intervals_is_json(path)) return GLSHAPE_OK;
    glshape_status status = io_output_format_check(err, path);
    if (!status) return GLSHAPE_OK;
    error why = *err;
    return fail(err, status, "%s, or .json", why.text);
}

glshape_status intervals_write(error *err, const char *path, const intervals *list) {
    io_output out;
    bool in_json = intervals_is_json(path);
    char delimiter = in_json ? 0 : io_output_delimiter(path);
    if (!in_json && !delimiter) return write_npy(err, path, list);
    TRY(io_output_open(err, path, &out));
    glshape_status status = GLSHAPE_OK;
    if (in_json) write_json(io_output_stream(&out), list);
    else status = write_text(err, io_output_stream(&out), list, delimiter);
    return io_output_end(err, &out, status);
}
