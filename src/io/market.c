#include "io/market.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/number.h"
#include "io/room.h"
#include "io/sparse_lines.h"

/* Without the last letter: 16 bytes, all that is certain to be in the window, may start with a byte order
 * mark and two signs. */
#define MAGIC "MatrixMarke"
/* Behind so many blanks and signs the next words of the banner are in the head, too. */
enum { MOST_BLANKS = IO_MARKET_HEAD / 2 };
enum { MAGIC_BYTES = sizeof MAGIC - 1, MARK_BYTES = 3, PLACE_DIGITS = 18 };

/* A word of the first line: a value for it, or why it is refused. */
typedef struct word {
    const char *text;
    int value;
    const char *refused;
} word;

static const word formats[] = {
    {"coordinate", 0, NULL},
    {"array", 0, "is the dense format; save the matrix as .npy or as text"},
    {NULL, 0, "is not a format of Matrix Market: coordinate is read"},
};
static const word fields[] = {
    {"real", IO_MARKET_REAL, NULL},
    {"double", IO_MARKET_REAL, NULL},
    {"integer", IO_MARKET_INTEGER, NULL},
    {"unsigned-integer", IO_MARKET_INTEGER, NULL},
    {"pattern", IO_MARKET_PATTERN, NULL},
    {"complex", 0, "values cannot be used; keep their moduli or their real parts"},
    {NULL, 0, "is not a kind of value: real, integer and pattern are read"},
};
static const word symmetries[] = {
    {"general", IO_MARKET_GENERAL, NULL},
    {"symmetric", IO_MARKET_SYMMETRIC, NULL},
    {"skew-symmetric", IO_MARKET_SKEW, NULL},
    {"hermitian", 0, "matrices are complex; keep their moduli or their real parts"},
    {NULL, 0, "is not a symmetry: general, symmetric and skew-symmetric are read"},
};

const char *io_market_banner(const io_stream *s, size_t *length) {
    const char *begin = s->window + s->at,
               *end = begin + (s->have < IO_MARKET_HEAD ? s->have : IO_MARKET_HEAD);
    const char *p = begin;
    if (io_stream_starts(s, "\xef\xbb\xbf", MARK_BYTES)) p += MARK_BYTES;
    while (p < end && strchr(" \t\r\n", *p) && *p) p++;
    const char *signs = p;
    while (p < end && (*p == '%' || (p > signs && *p == ' '))) p++;
    *length = (size_t)(end - p);
    bool fits = p > signs && p - begin < MOST_BLANKS && *length >= MAGIC_BYTES;
    return fits && !strncasecmp(p, MAGIC, MAGIC_BYTES) ? p : NULL;
}

bool io_market_starts(const io_stream *s) {
    size_t length;
    return io_market_banner(s, &length) != NULL;
}

/* Passes over the signs before the first word, as many as there are. */
static void skip_signs(io_line *line) {
    for (; line->length && strchr(" \t%", *line->text); line->length--) line->text++;
}

static glshape_status look_up(error *err, const io_stream *s, const io_field *field, const word *words,
                              int *out) {
    while (words->text && !io_field_is(field, words->text)) words++;
    *out = words->value;
    return words->refused ? io_field_fail(err, s, field, words->refused) : GLSHAPE_OK;
}

static glshape_status read_banner(error *err, io_market *m) {
    io_line line = {.text = NULL};
    TRY(io_line_next(err, m->s, "", &line));
    skip_signs(&line);
    io_line_split(&line, IO_BLANKS);
    if (line.count != IO_LINE_FIELDS || !io_field_is(&line.field[0], "MatrixMarket") ||
        !io_field_is(&line.field[1], "matrix"))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: line %llu is not '%%%%MatrixMarket matrix coordinate FIELD SYMMETRY'", m->s->name,
                    (unsigned long long)m->s->line);
    int format, field, symmetry;
    TRY(look_up(err, m->s, &line.field[2], formats, &format));
    TRY(look_up(err, m->s, &line.field[3], fields, &field));
    TRY(look_up(err, m->s, &line.field[4], symmetries, &symmetry));
    m->field = (io_market_field)field;
    m->symmetry = (io_market_symmetry)symmetry;
    if (field != IO_MARKET_PATTERN || symmetry != IO_MARKET_SKEW) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: a pattern, which has no signs, cannot be skew-symmetric",
                m->s->name);
}

static glshape_status read_size(error *err, io_market *m) {
    io_line line = {.text = NULL};
    uint64_t rows = 0, cols = 0;
    TRY(io_line_next(err, m->s, "%", &line));
    if (!line.text) return fail(err, GLSHAPE_BAD_INPUT, "%s ends before its size", m->s->name);
    io_line_split(&line, IO_BLANKS);
    if (line.count != 3 || !io_field_whole(&line.field[0], &rows) || !io_field_whole(&line.field[1], &cols) ||
        !io_field_whole(&line.field[2], &m->count))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: line %llu is not the size of the matrix, 'ROWS COLUMNS ENTRIES'", m->s->name,
                    (unsigned long long)m->s->line);
    m->rows = (size_t)rows;
    m->cols = (size_t)cols;
    if (!rows || !cols)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: a matrix of %llu × %llu has no values", m->s->name,
                    (unsigned long long)rows, (unsigned long long)cols);
    if (rows > UINT32_MAX || cols > UINT32_MAX)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: %llu × %llu is too large; at most %lu rows and columns",
                    m->s->name, (unsigned long long)rows, (unsigned long long)cols,
                    (unsigned long)UINT32_MAX);
    if (m->symmetry == IO_MARKET_GENERAL || rows == cols) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: a matrix of %llu × %llu cannot be symmetric", m->s->name,
                (unsigned long long)rows, (unsigned long long)cols);
}

glshape_status io_market_open(error *err, io_stream *s, io_market *out) {
    *out = (io_market){.s = s, .block = {.s = s}};
    TRY(read_banner(err, out));
    return read_size(err, out);
}

static glshape_status check_shape(error *err, const io_market *m, const io_line *line) {
    if (m->taken == m->count)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu is an entry more than the %llu announced",
                    m->s->name, (unsigned long long)m->s->line, (unsigned long long)m->count);
    bool pattern = m->field == IO_MARKET_PATTERN;
    if (line->count == (pattern ? 2 : 3)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu field%s, an entry is '%s'", m->s->name,
                (unsigned long long)m->s->line, line->count, line->count == 1 ? "" : "s",
                pattern ? "ROW COLUMN" : "ROW COLUMN VALUE");
}

static glshape_status read_value(error *err, const io_market *m, const io_field *field, double *out) {
    *out = 1;
    if (m->field == IO_MARKET_PATTERN) return GLSHAPE_OK;
    TRY(io_field_value(err, m->s, field, out));
    if (m->field == IO_MARKET_REAL || *out == floor(*out)) return GLSHAPE_OK;
    return io_field_fail(err, m->s, field, "is not an integer, as line 1 says of all values");
}

/* "symmetric: only entries in the lower triangular portion": the upper one is as good, but not both. */
static glshape_status check_triangle(error *err, io_market *m, const io_market_entry *e) {
    if (m->symmetry == IO_MARKET_GENERAL) return GLSHAPE_OK;
    if (m->symmetry == IO_MARKET_SKEW && e->row == e->col && e->value != 0)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu: the diagonal of a skew-symmetric matrix is 0",
                    m->s->name, (unsigned long long)m->s->line);
    m->below |= e->row > e->col;
    m->above |= e->row < e->col;
    if (!m->below || !m->above) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s: line %llu: entries both below and above the diagonal of a matrix that is declared "
                "symmetric; keep one triangle, or declare it general",
                m->s->name, (unsigned long long)m->s->line);
}

/* ---- many entries at once ---------------------------------------------------------------------------- */

/* Reads a number in 1 .. most at p, and the blanks behind it; NULL: there is none. */
static const char *read_place(const char *p, const char *end, size_t most, uint32_t *out) {
    const char *first = p;
    uint64_t place = 0;
    for (; p < end && *p >= '0' && *p <= '9' && place <= most; p++) place = 10 * place + (uint64_t)(*p - '0');
    const char *next = io_fields_skip_blanks(p, end, IO_BLANKS);
    if (p == first || p - first > PLACE_DIGITS || !place || place > most || (next == p && p < end))
        return NULL;
    *out = (uint32_t)(place - 1);
    return next;
}

static bool read_plain(void *user, size_t k, const char *line, size_t length) {
    const io_market *m = user;
    io_market_entry *e = &m->ahead[k];
    const char *end = line + length,
               *p = read_place(io_fields_skip_blanks(line, end, IO_BLANKS), end, m->rows, &e->row);
    if (p) p = read_place(p, end, m->cols, &e->col);
    e->value = 1;
    if (!p || m->field == IO_MARKET_PATTERN) return p == end;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return io_number_parse(p, (size_t)(end - p), &e->value) && isfinite((float)e->value) &&
           (m->field == IO_MARKET_REAL || e->value == floor(e->value));
}

/* Reads the entries that follow, as long as their lines are plain. */
static glshape_status read_ahead(error *err, io_market *m) {
    TRY(io_block_next(err, &m->block));
    if (!m->block.lines) return GLSHAPE_OK;
    uint64_t left = m->count - m->taken;
    size_t most = left < m->block.lines ? (size_t)left : m->block.lines;
    TRY(io_room_grow(err, m->s->name, &m->ahead, &m->room, most, SIZE_MAX, sizeof *m->ahead));
    m->at = 0;
    m->end = io_block_read(&m->block, most, read_plain, m);
    m->s->line -= m->end;
    return GLSHAPE_OK;
}

static glshape_status hand_out(error *err, io_market *m, io_market_entry *out) {
    *out = m->ahead[m->at++];
    m->s->line++;
    m->taken++;
    return check_triangle(err, m, out);
}

/* ---- entry by entry ---------------------------------------------------------------------------------- */

glshape_status io_market_next(error *err, io_market *m, io_market_entry *out, bool *more) {
    io_line line = {.text = NULL};
    *more = true;
    if (m->at == m->end) TRY(read_ahead(err, m));
    if (m->at < m->end) return hand_out(err, m, out);
    TRY(io_line_next(err, m->s, "%", &line));
    *more = line.text != NULL;
    if (!*more && m->taken < m->count)
        return fail(err, GLSHAPE_BAD_INPUT, "%s ends after %llu of its %llu entries", m->s->name,
                    (unsigned long long)m->taken, (unsigned long long)m->count);
    if (!*more) return GLSHAPE_OK;
    io_line_split(&line, IO_BLANKS);
    TRY(check_shape(err, m, &line));
    TRY(io_field_place(err, m->s, &line.field[0], "row", m->rows, &out->row));
    TRY(io_field_place(err, m->s, &line.field[1], "column", m->cols, &out->col));
    TRY(read_value(err, m, &line.field[2], &out->value));
    m->taken++;
    return check_triangle(err, m, out);
}

void io_market_close(io_market *m) {
    free(m->ahead);
    m->ahead = NULL;
}

size_t io_market_limit(const io_market *m) {
    return times((size_t)m->count, m->symmetry == IO_MARKET_GENERAL ? 1 : 2);
}
