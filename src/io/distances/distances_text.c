/* Distance matrices as text: a square or a triangle, told apart by the number of values in each line. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "io/block.h"
#include "io/distances/distances_internal.h"
#include "io/fields.h"
#include "io/market.h"
#include "io/market_dense.h"
#include "io/number.h"
#include "io/read.h"
#include "io/room.h"
#include "io/text.h"

enum { FIRST_VALUES = 1 << 12, FIRST_LINES = 1 << 8 };

/* A line with values. */
typedef struct text_line {
    uint64_t number; /* in the file, from 1 */
    uint64_t count;
} text_line;

/* Names of rows and columns, which are no distances. */
typedef struct names {
    char delimiter;    /* between fields, once a name was seen */
    bool rows;         /* each line begins with one */
    char *header;      /* a line of columns' names; NULL: none */
    io_fields columns; /* of the header, from the one of the next row on */
    size_t length;     /* of the header */
    size_t count;      /* its fields */
    uint64_t points;   /* PHYLIP's first line; 0: there is none */
    bool indented;     /* PHYLIP's first name has blanks before it; else lines that have go on with a row */
    uint64_t words;    /* names of rows that are no numbers */
    uint64_t numbers;  /* and that are */
    uint64_t line;     /* of the first name of a row */
    char first[IO_QUOTED_ROOM];
} names;

typedef struct reader {
    error *err;
    io_stream *s;
    names names;
    io_label_list texts; /* the names of rows */
    distances_numbers values;
    bool lost; /* as distances_item's to_float says */
    size_t count, capacity;
    text_line *lines;
    size_t line_count, line_capacity;
    io_block block;
} reader;

/* ---- values ----------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
static bool is_comma(char c) { return c == ',' || c == ';'; }

static glshape_status bad_value(const reader *r, uint64_t column, const char *text, size_t length) {
    char shown[IO_QUOTED_ROOM];
    io_field field = {.text = text, .length = length};
    unsigned long long line = r->s->line, at = column;
    if (!length)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %llu is empty", r->s->name, line, at);
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %llu: %s is not a number", r->s->name, line,
                at, io_field_shown(&field, shown));
}

/* Appends the values of line[0 .. length); *count is their number. */
static glshape_status read_values(reader *r, const char *line, size_t length, uint64_t *count) {
    const char *p = line, *end = line + length;
    for (*count = 0;;) {
        while (p < end && is_blank(*p)) p++;
        if (p == end || (*p == '#' && *count)) return GLSHAPE_OK;
        const char *start = p;
        while (p < end && !is_blank(*p) && !is_comma(*p)) p++;
        double value;
        if (!io_number_parse(start, (size_t)(p - start), &value))
            return bad_value(r, *count + 1, start, (size_t)(p - start));
        if (r->values.wide && io_number_is_rounded(start, (size_t)(p - start), value, &(int64_t){0}))
            return fail(
                r->err, GLSHAPE_BAD_INPUT,
                "%s: line %llu, column %llu is an integer beyond 2^53 that double precision does not have; "
                "subtract or divide first",
                r->s->name, (unsigned long long)r->s->line, (unsigned long long)*count + 1);
        if (r->count == r->capacity)
            TRY(io_room_grow(r->err, r->s->name, &r->values.at, &r->capacity, r->count + FIRST_VALUES,
                             SIZE_MAX, distances_size(r->values)));
        distances_set(r->values, r->count, value);
        r->lost |= fabs(value) < FLT_MIN && distances_number(r->values, r->count) != value;
        r->count++;
        ++*count;
        while (p < end && is_blank(*p)) p++;
        if (p < end && is_comma(*p)) p++;
    }
}

/* ---- names ------------------------------------------------------------------------------------------ */

/* Values may be separated in several ways within a line. */
static bool is_name(const io_field *field) {
    const char *p = field->text, *end = p + field->length;
    double value;
    if (field->quoted || p == end) return true;
    while (p < end) {
        const char *start = p;
        while (p < end && !is_blank(*p) && !is_comma(*p)) p++;
        if (p > start && !io_number_parse(start, (size_t)(p - start), &value)) return true;
        p += p < end;
    }
    return false;
}

/* Whether the line has names of columns: its first field is empty, or most are names, a later one among them.
 * Among numbers, a name is rather a number that is misspelled. */
static bool is_header(const char *line, size_t length, char delimiter) {
    io_fields fields = io_fields_of(line, length, delimiter);
    io_field field;
    if (!io_fields_next(&fields, &field)) return false;
    if (!field.length && fields.at) return true;
    bool first = field.length && is_name(&field);
    size_t names = first, numbers = !first;
    while (io_fields_next(&fields, &field)) {
        bool name = field.length && is_name(&field);
        names += name;
        numbers += field.length && !name;
    }
    return names > first && names > numbers;
}

static glshape_status keep_header(reader *r, const char *line, size_t length) {
    TRY(allocate(r->err, &r->names.header, length + 1, 1, "the names of columns"));
    memcpy(r->names.header, line, length + 1);
    r->names.length = length;
    r->names.columns = io_fields_of(r->names.header, length, r->names.delimiter);
    r->names.count = io_fields_count(r->names.columns);
    return GLSHAPE_OK;
}

/* Looks at the first line, or at the second if the first had one value, which may be PHYLIP's number of
 * points. *taken: the line is a header. */
static glshape_status look_for_names(reader *r, const char *line, size_t length, bool *taken) {
    char delimiter = io_fields_delimiter(line, length, "\t;, ");
    io_fields fields = io_fields_of(line, length, delimiter);
    io_field field = {.text = ""};
    bool second = r->line_count == 1 && r->count == 1;
    *taken = !r->line_count && is_header(line, length, delimiter);
    io_fields_next(&fields, &field);
    r->names.rows = !*taken && is_name(&field) && field.length;
    if (r->line_count && !(second && r->names.rows)) {
        r->names.rows = false;
        return GLSHAPE_OK;
    }
    if (*taken || r->names.rows) r->names.delimiter = delimiter;
    if (*taken) return keep_header(r, line, length);
    if (!r->line_count) return GLSHAPE_OK;
    double points = distances_number(r->values, 0);
    if (!(points >= 1 && points < 0x1p31 && points == floor(points)))
        return fail(
            r->err, GLSHAPE_BAD_INPUT,
            "%s: line %llu begins with a name, but the line before it is neither names of columns nor a "
            "number of points",
            r->s->name, (unsigned long long)r->s->line);
    r->names.points = (uint64_t)points;
    r->names.indented = is_blank(*line);
    r->count = r->line_count = 0;
    return GLSHAPE_OK;
}

/* What a header means is known by the first line of values: whether rows have names, too, and whether these
 * have a name of their own. */
static void settle_header(reader *r, const char *line, size_t length) {
    io_fields fields = io_fields_of(line, length, r->names.delimiter);
    size_t count = io_fields_count(fields);
    io_field first, corner;
    io_fields columns = r->names.columns;
    if (!io_fields_next(&fields, &first) || !io_fields_next(&columns, &corner)) return;
    bool as_many = count == r->names.count;
    r->names.rows = count == r->names.count + 1 || (as_many && (!corner.length || is_name(&first)));
    if (r->names.rows && as_many) r->names.columns = columns;
}

static glshape_status compare_names(reader *r, const io_field *row) {
    io_field column;
    char shown[2][IO_QUOTED_ROOM];
    if (!r->names.header || !io_fields_next(&r->names.columns, &column)) return GLSHAPE_OK;
    if (row->length == column.length && !memcmp(row->text, column.text, row->length)) return GLSHAPE_OK;
    return fail(
        r->err, GLSHAPE_BAD_INPUT,
        "%s: line %llu is the row of %s, but column %zu is that of %s; give rows and columns the same "
        "names in the same order, as df.loc[df.columns] of pandas does",
        r->s->name, (unsigned long long)r->s->line, io_field_shown(row, shown[0]), r->line_count + 1,
        io_field_shown(&column, shown[1]));
}

/* Takes the name at the start of *line, and the delimiter behind it. */
static glshape_status pass_name(reader *r, const char **line, size_t *length) {
    io_fields fields = io_fields_of(*line, *length, r->names.delimiter);
    io_field name;
    if (!io_fields_next(&fields, &name)) return GLSHAPE_OK;
    TRY(compare_names(r, &name));
    TRY(io_label_list_add_field(r->err, &r->texts, &name));
    *(is_name(&name) ? &r->names.words : &r->names.numbers) += 1;
    if (!r->names.line) {
        r->names.line = r->s->line;
        io_field_shown(&name, r->names.first);
    }
    const char *rest = fields.at ? fields.at : *line + *length;
    *length -= (size_t)(rest - *line);
    *line = rest;
    return GLSHAPE_OK;
}

/* That rows have names is known from the first line. Where all others begin with numbers, it is no name. */
static glshape_status check_first(const reader *r) {
    if (r->names.header || r->names.points || r->names.words != 1 || !r->names.numbers) return GLSHAPE_OK;
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s: line %llu begins with %s, which is no number, but all other lines begin with numbers; "
                "names of rows that are numbers go in quotes, and names of columns after an empty field",
                r->s->name, (unsigned long long)r->names.line, r->names.first);
}

static glshape_status check_names(const reader *r) {
    if (r->names.points && r->line_count != r->names.points && r->line_count + 1 != r->names.points)
        return fail(r->err, GLSHAPE_BAD_INPUT,
                    "%s says that it has %llu points, but it has %zu lines of distances", r->s->name,
                    (unsigned long long)r->names.points, r->line_count);
    if (r->names.rows || r->names.header)
        note(r->err, "%s: %s have names; points count in the order of the file", r->s->name,
             !r->names.header ? "rows"
             : r->names.rows  ? "rows and columns"
                              : "columns");
    return GLSHAPE_OK;
}

/* ---- many lines at once ------------------------------------------------------------------------------ */

/* Lines that go on as the two before them say: each has as many values as the last, one more, or one less. */
typedef struct plain_lines {
    const reader *r;
    size_t width, step; /* of the line before the first; SIZE_MAX: one less */
    atomic_bool lost;
} plain_lines;

static size_t width_of(const plain_lines *p, size_t line) { return p->width + p->step * (line + 1); }

/* Values of the lines before it. */
static size_t values_before(const plain_lines *p, size_t line) {
    return line * p->width + p->step * (line * (line + 1) / 2);
}

static bool read_plain(void *user, size_t line, const char *text, size_t length) {
    plain_lines *l = user;
    const reader *r = l->r;
    const char *p = text, *end = text + length;
    size_t at = r->count + values_before(l, line), last = at + width_of(l, line);
    for (; at < last; at++) {
        while (p < end && is_blank(*p)) p++;
        const char *start = p;
        double value;
        while (p < end && !is_blank(*p) && !is_comma(*p)) p++;
        if (!io_number_parse(start, (size_t)(p - start), &value)) return false;
        if (r->values.wide && fabs(value) >= 0x1p53) return false;
        distances_set(r->values, at, value);
        if (fabs(value) < FLT_MIN && distances_number(r->values, at) != value) atomic_store(&l->lost, true);
        while (p < end && is_blank(*p)) p++;
        if (p < end && is_comma(*p)) p++;
    }
    while (p < end && is_blank(*p)) p++;
    return p == end;
}

/* How many lines of the block there are values for, of which each takes two bytes. */
static size_t lines_of(const io_block *b, const plain_lines *l) {
    size_t low = 0, high = b->lines, bytes = b->start[b->parts];
    if (l->step == SIZE_MAX && high >= l->width) high = l->width ? l->width - 1 : 0;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (values_before(l, middle) <= bytes / 2) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* Reads the lines that follow, as long as they are plain. */
static glshape_status read_block(reader *r) {
    if (r->line_count < 2 || r->names.rows || r->names.points) return GLSHAPE_OK;
    const text_line *last = r->lines + r->line_count - 1;
    plain_lines l = {.r = r, .width = (size_t)last->count, .step = (size_t)(last->count - last[-1].count)};
    if (l.step + 1 > 2) return GLSHAPE_OK;
    size_t lines, before = (size_t)r->s->line;
    TRY(io_block_next(r->err, &r->block));
    if (!r->block.lines) return GLSHAPE_OK;
    lines = lines_of(&r->block, &l);
    TRY(io_room_grow(r->err, r->s->name, &r->lines, &r->line_capacity, r->line_count + lines, SIZE_MAX,
                     sizeof *r->lines));
    TRY(io_room_grow(r->err, r->s->name, &r->values.at, &r->capacity, r->count + values_before(&l, lines),
                     SIZE_MAX, distances_size(r->values)));
    size_t read = io_block_read(&r->block, lines, read_plain, &l);
    for (size_t k = 0; k < read; k++)
        r->lines[r->line_count++] = (text_line){.number = before + k + 1, .count = width_of(&l, k)};
    r->count += values_before(&l, read);
    r->lost |= atomic_load(&l.lost);
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------------- */

/* empty: whether there may be no values, as in the triangle of one point. */
static glshape_status read_lines(reader *r, bool empty) {
    char *line;
    size_t length;
    r->block.s = r->s;
    for (;;) {
        TRY(read_block(r));
        TRY(io_stream_line(r->err, r->s, &line, &length));
        if (!line) break;
        if (io_line_is_skipped(line, length)) continue;
        bool taken = false, first = !r->line_count && !r->names.header;
        if ((first && !r->names.rows) || (r->line_count == 1 && r->count == 1 && !r->names.delimiter))
            TRY(look_for_names(r, line, length, &taken));
        if (taken) continue;
        if (!r->line_count && r->names.header) settle_header(r, line, length);
        if (r->names.points && !r->names.indented && r->line_count && is_blank(*line)) {
            uint64_t more;
            TRY(read_values(r, line, length, &more));
            r->lines[r->line_count - 1].count += more;
            continue;
        }
        const char *values = line;
        if (r->names.rows) TRY(pass_name(r, &values, &length));
        if (r->line_count == r->line_capacity)
            TRY(io_room_grow(r->err, r->s->name, &r->lines, &r->line_capacity, r->line_count + FIRST_LINES,
                             SIZE_MAX, sizeof *r->lines));
        text_line *at = &r->lines[r->line_count];
        *at = (text_line){.number = r->s->line};
        TRY(read_values(r, values, length, &at->count));
        r->line_count += at->count > 0;
    }
    TRY(check_first(r));
    if (r->count || empty) return check_names(r);
    if (r->names.header)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s has names of columns, but no distances", r->s->name);
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s has no numbers, only blank lines or comments", r->s->name);
}

/* ---- shapes ----------------------------------------------------------------------------------------- */

/* How many values line i (from 0) has, in a shape whose first line has first values. */
static uint64_t line_width(io_distance_format shape, uint64_t first, uint64_t i) {
    if (shape == IO_DISTANCES_LOWER) return i + 1;
    if (shape == IO_DISTANCES_UPPER) return first > i ? first - i : 0;
    return first;
}

/* The first line that has not as many values as the shape asks for; line_count if there is none. */
static size_t odd_line(const reader *r, io_distance_format shape) {
    size_t i = 0;
    while (i < r->line_count && r->lines[i].count == line_width(shape, r->lines[0].count, i)) i++;
    return i;
}

/* Whether the lines are of the shape, and as many as it has. */
static bool is_shape(const reader *r, io_distance_format shape) {
    uint64_t lines = shape == IO_DISTANCES_LOWER ? r->line_count : r->lines[0].count;
    return odd_line(r, shape) == r->line_count && r->line_count == lines;
}

/* GLSHAPE_BAD_INPUT: why the lines are not of the shape. */
static glshape_status refuse_shape(const reader *r, io_distance_format shape) {
    static const char *const as[] = {
        [IO_DISTANCES_FULL] = "the lines before it have as many as the first",
        [IO_DISTANCES_LOWER] = "in a lower triangle line after line has one more",
        [IO_DISTANCES_UPPER] = "in an upper triangle line after line has one less",
    };
    size_t i = odd_line(r, shape);
    unsigned long long lines = r->line_count, first = r->lines[0].count;
    if (i < r->line_count) {
        unsigned long long number = r->lines[i].number, found = r->lines[i].count;
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %llu value%s, not %llu: %s", r->s->name,
                    number, found, found == 1 ? "" : "s", (unsigned long long)line_width(shape, first, i),
                    as[shape]);
    }
    if (shape == IO_DISTANCES_FULL)
        return fail(r->err, GLSHAPE_BAD_INPUT,
                    "%s has %llu lines of %llu values each; a distance matrix has as many lines as columns",
                    r->s->name, lines, first);
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s is cut short: an upper triangle whose first line has %llu values has %llu lines, it has "
                "%llu",
                r->s->name, first, first, lines);
}

static glshape_status refuse_count(const reader *r) {
    unsigned long long n = 2;
    while (distances_pairs(n) < r->count) n++;
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s has %llu values; a triangle has %llu for %llu points and %llu for %llu", r->s->name,
                (unsigned long long)r->count, (unsigned long long)distances_pairs(n - 1), n - 1,
                (unsigned long long)distances_pairs(n), n);
}

/* Whether the first value of every line, or the last, is 0 within rounding, as on a diagonal. */
static bool has_diagonal(const reader *r, bool first) {
    size_t at = 0, i = 0;
    double largest = 0;
    for (size_t k = 0; k < r->count; k++)
        if (isfinite(distances_number(r->values, k))) largest = fmax(largest, distances_number(r->values, k));
    for (; i < r->line_count; i++) {
        at += r->lines[i].count;
        double value = distances_number(r->values, first ? at - r->lines[i].count : at - 1);
        if (!(fabs(value) <= NOISE_TOLERANCE * largest)) return false;
    }
    return i > 1;
}

/* Leaves out the first value of every line of an upper triangle. */
static void drop_diagonal(reader *r) {
    size_t from = 0, to = 0;
    note(r->err,
         "%s: every line of this upper triangle begins with 0: it is taken for the diagonal, of %zu points; "
         "say "
         "--format upper-distance if the zeros are distances",
         r->s->name, r->line_count);
    for (size_t i = 0; i < r->line_count; i++) {
        size_t count = (size_t)r->lines[i].count - 1;
        memmove(distances_from(r->values, to).at, distances_from(r->values, from + 1).at,
                count * distances_size(r->values));
        from += count + 1;
        to += count;
    }
    r->count = to;
}

/* Whether a single column has as many values as n points have pairs: scipy's condensed vector. */
static bool is_column(const reader *r) {
    return r->line_count > 2 && r->count == r->line_count && distances_points(r->count);
}

/* Whether the lines are PHYLIP's, with names that look like values. */
static bool is_numbered(const reader *r) {
    double points = distances_number(r->values, 0);
    if (r->line_count < 3 || r->lines[0].count != 1 || points + 1 != (double)r->line_count) return false;
    uint64_t first = r->lines[1].count, second = r->lines[2].count;
    return (first == r->line_count && second == first) || (first == 1 && second == 2);
}

/* Sets *shape to what the first two lines suggest, which all lines must then follow. */
static glshape_status find_shape(reader *r, io_distance_format *shape) {
    uint64_t first = r->lines[0].count, second = r->line_count > 1 ? r->lines[1].count : 0;
    *shape = IO_DISTANCES_FULL;
    if (first == 1 && second != 1) *shape = IO_DISTANCES_LOWER;
    else if (is_column(r) || (second && second == first - 1)) *shape = IO_DISTANCES_UPPER;
    if (r->line_count == 1 && first > 1)
        return fail(r->err, GLSHAPE_BAD_INPUT,
                    "%s has all its %llu values in one line, which does not tell what they are; use --format "
                    "lower-distance or upper-distance",
                    r->s->name, (unsigned long long)first);
    if (is_column(r)) return GLSHAPE_OK;
    if (!is_shape(r, *shape) && is_numbered(r))
        return fail(
            r->err, GLSHAPE_BAD_INPUT,
            "%s is as PHYLIP writes distances, but its names are numbers: begin each with a letter, or "
            "leave names and first line out",
            r->s->name);
    if (!is_shape(r, *shape)) return refuse_shape(r, *shape);
    if (*shape == IO_DISTANCES_UPPER && has_diagonal(r, true)) drop_diagonal(r);
    if (*shape != IO_DISTANCES_LOWER || !has_diagonal(r, false)) return GLSHAPE_OK;
    return fail(
        r->err, GLSHAPE_BAD_INPUT,
        "%s: every line of this triangle ends with 0, as if the diagonal were in it; a lower triangle "
        "is without: leave out the zeros, or say --format lower-distance if they are distances",
        r->s->name);
}

/* A triangle that was asked for may be broken into lines anywhere, if the number of values is right. */
static glshape_status check_shape(const reader *r, io_distance_format shape) {
    if (is_shape(r, shape) || (shape != IO_DISTANCES_FULL && distances_points(r->count))) return GLSHAPE_OK;
    bool lines = shape == IO_DISTANCES_FULL || odd_line(r, shape) > 1;
    return lines ? refuse_shape(r, shape) : refuse_count(r);
}

static void reader_free(reader *r) {
    free(r->values.at);
    free(r->lines);
    free(r->names.header);
    io_label_list_free(&r->texts);
}

/* Points without names of rows have those of columns. */
static glshape_status settle_names(reader *r, io_distances *d) {
    const char *header = r->names.rows ? NULL : r->names.header;
    io_field name;
    if (header)
        for (io_fields columns = io_fields_of(header, r->names.length, r->names.delimiter);
             io_fields_next(&columns, &name);)
            TRY(io_label_list_add_field(r->err, &r->texts, &name));
    if (r->texts.count == d->n && !io_label_list_counts(&r->texts)) d->names = MOVE(r->texts);
    return GLSHAPE_OK;
}

/* A square of Matrix Market's array format. */
static glshape_status take_array(reader *r, io_distances *d) {
    OWNED_BY(io_matrix_free) glshape_matrix m = {.data = NULL};
    TRY(io_market_read_array(r->err, r->s, &m));
    if (m.rows != m.cols || m.rows > INT32_MAX)
        return fail(r->err, GLSHAPE_BAD_INPUT,
                    "%s is %zu × %zu; a matrix of distances is square; rows of "
                    "coordinates are --input points",
                    r->s->name, m.rows, m.cols);
    size_t count = m.rows * m.cols;
    TRY(allocate(r->err, &r->values.at, count, distances_size(r->values), r->s->name));
    for (size_t k = 0; k < count; k++) {
        double value = ((const double *)m.data)[k];
        distances_set(r->values, k, value);
        r->lost |= fabs(value) < FLT_MIN && distances_number(r->values, k) != value;
    }
    d->n = (uint32_t)m.rows;
    d->layout = DISTANCES_SQUARE;
    d->item = distances_item_of(d->precise ? "f8" : "f4");
    d->values = MOVE(r->values);
    *d->lost = r->lost;
    return GLSHAPE_OK;
}

glshape_status distances_read_text(error *err, io_stream *s, io_distance_format format, io_distances *d) {
    OWNED_BY(reader_free) reader r = {.err = err, .s = s, .values.wide = d->precise, .texts.name = s->name};
    io_distance_format shape = format;
    bool array;
    TRY(io_market_is_array(err, s, &array));
    if (array) return take_array(&r, d);
    if (io_market_starts(s))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s is a sparse matrix of Matrix Market: it is read as a graph, as documents and by rips "
                    "--format sparse",
                    s->name);
    TRY(io_check_text(err, s));
    TRY(read_lines(&r, format == IO_DISTANCES_LOWER || format == IO_DISTANCES_UPPER));
    if (format == IO_DISTANCES_AUTO) TRY(find_shape(&r, &shape));
    else if (r.count) TRY(check_shape(&r, shape));
    d->n = shape == IO_DISTANCES_FULL ? (uint32_t)r.line_count : distances_points(r.count);
    d->layout = shape == IO_DISTANCES_FULL    ? DISTANCES_SQUARE
                : shape == IO_DISTANCES_LOWER ? DISTANCES_LOWER
                                              : DISTANCES_UPPER;
    d->item = distances_item_of(d->precise ? "f8" : "f4");
    if (r.count) memory_resize(NULL, &r.values.at, r.count, distances_size(r.values), NULL);
    d->values = MOVE(r.values);
    *d->lost = r.lost;
    return settle_names(&r, d);
}
