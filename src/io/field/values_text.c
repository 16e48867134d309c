#include "io/field/values_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/number.h"

#define BLANKS " \t\v\f\r"

typedef struct reader {
    error *err;
    io_stream *s;
    const io_npy *npy;
    char *data;
    size_t count, used, room;
    bool more; /* others may follow */
} reader;

static glshape_status refuse(const reader *r, const char *token, const char *why) {
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s, line %llu: value %zu, '%.40s', is %s", r->s->name,
                (unsigned long long)r->s->line, r->used + 1, token, why);
}

/* The low bytes of a wider number. */
static void store(char *to, const void *from, size_t size, size_t whole) {
    memcpy(to, (const char *)from + (io_is_little_endian() ? 0 : whole - size), size);
}

static glshape_status refuse_range(const reader *r, const char *token) {
    static const char *const unsigned_ranges[] = {"0 to 255", "0 to 65535", "0 to 2^32 - 1", "0 to 2^64 - 1"};
    size_t size = r->npy->item, bits = 8 * size;
    char why[64];
    if (r->npy->kind == 'i') snprintf(why, sizeof why, "not in -2^%zu to 2^%zu - 1", bits - 1, bits - 1);
    else
        snprintf(why, sizeof why, "not in %s",
                 unsigned_ranges[size == 1   ? 0
                                 : size == 2 ? 1
                                 : size == 4 ? 2
                                             : 3]);
    return refuse(r, token, why);
}

/* Reads up to 18 digits, which no type of 64 bits is too narrow for; false if token is anything else. Almost
 * all values are such, and strtoull() takes five times as long. */
static bool parse_digits(const char *token, uint64_t *out) {
    const char *at = token;
    for (*out = 0; *at >= '0' && *at <= '9'; at++) *out = 10 * *out + (uint64_t)(*at - '0');
    return at > token && !*at && at - token <= 18;
}

static glshape_status take_unsigned(reader *r, const char *token, char *to) {
    size_t size = r->npy->item;
    uint64_t value;
    errno = 0;
    if (!parse_digits(token, &value)) {
        char *end;
        value = strtoull(token, &end, 10);
        if (end == token || *end) return refuse(r, token, "no whole number");
    }
    if (errno || *token == '-' || (size < 8 && value >> 8 * size)) return refuse_range(r, token);
    store(to, &value, size, sizeof value);
    return GLSHAPE_OK;
}

static glshape_status take_signed(reader *r, const char *token, char *to) {
    int64_t value, most = (int64_t)(UINT64_MAX >> (65 - 8 * r->npy->item));
    uint64_t digits;
    errno = 0;
    if (parse_digits(token, &digits)) value = (int64_t)digits;
    else {
        char *end;
        value = strtoll(token, &end, 10);
        if (end == token || *end) return refuse(r, token, "no whole number");
    }
    if (errno || value > most || value < -most - 1) return refuse_range(r, token);
    store(to, &value, r->npy->item, sizeof value);
    return GLSHAPE_OK;
}

static glshape_status take_float(reader *r, const char *token, char *to) {
    double value;
    if (!io_number_parse(token, strlen(token), &value)) return refuse(r, token, "no number");
    float single = (float)value;
    memcpy(to, r->npy->item == 4 ? (const void *)&single : (const void *)&value, r->npy->item);
    return GLSHAPE_OK;
}

static glshape_status take(reader *r, const char *token) {
    if (r->used == r->count && r->more) return GLSHAPE_OK;
    if (r->used == r->count)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s, line %llu: %zu values are expected, but '%.40s' follows",
                    r->s->name, (unsigned long long)r->s->line, r->count, token);
    TRY(memory_reserve(r->err, &r->data, &r->room, r->used + 1, r->npy->item, "the values"));
    char *to = r->data + r->used * r->npy->item, kind = r->npy->kind;
    TRY(kind == 'f'   ? take_float(r, token, to)
        : kind == 'i' ? take_signed(r, token, to)
                      : take_unsigned(r, token, to));
    r->used++;
    return GLSHAPE_OK;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }

static glshape_status take_line(reader *r, char *line) {
    char *tag = r->more ? strchr(line, '<') : NULL; /* of XML, which ends the values */
    if (tag) *tag = 0;
    for (char *at = line, *end; *(at += strspn(at, BLANKS)); at = end) {
        for (end = at; *end && !is_blank(*end);) end++;
        if (*end) *end++ = 0;
        TRY(take(r, at));
    }
    return GLSHAPE_OK;
}

static glshape_type type_of(const io_npy *npy) {
    static const struct {
        const char *descr;
        glshape_type type;
    } types[] = {
#define TYPE(name, ctype, code) {code, name},
        GLSHAPE_TYPES(TYPE)
#undef TYPE
    };
    size_t i = 0;
    while (strcmp(types[i].descr, npy->descr)) i++;
    return types[i].type;
}

static void reader_free(reader *r) { free(r->data); }

glshape_status io_values_read_text(error *err, io_stream *s, const io_npy *npy, bool more,
                                   glshape_matrix *out) {
    OWNED_BY(reader_free) reader r = {.err = err, .s = s, .npy = npy, .more = more};
    size_t count = times(npy->rows, npy->cols), length;
    char *line;
    *out = (glshape_matrix){.data = NULL};
    if (s->size != IO_SIZE_UNKNOWN && s->size / 2 + 1 < count) /* a digit and a blank each */
        return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: %zu values are expected, but it has %llu bytes",
                    s->name, count, (unsigned long long)s->size);
    r.count = count;
    if (s->size != IO_SIZE_UNKNOWN) { /* else a header's claim is not believed before the values come */
        TRY(allocate(err, &r.data, count, npy->item, "the values"));
        r.room = count;
    }
    while (!more || r.used < count) {
        TRY(io_stream_line(err, s, &line, &length));
        if (!line) break;
        TRY(take_line(&r, line));
    }
    if (r.used < count)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: %zu values are expected, but it has %zu",
                    s->name, count, r.used);
    *out = (glshape_matrix){type_of(npy), npy->rows, npy->cols, MOVE(r.data)};
    return GLSHAPE_OK;
}

/* ---- hexadecimal digits ------------------------------------------------------------------------ */

static int digit_of(char c) {
    const char *digits = "0123456789abcdef", *at = strchr(digits, tolower((unsigned char)c));
    return c && at ? (int)(at - digits) : -1;
}

/* Appends the digits of a line to data, which has room for `room` of them; *used are there already. */
static glshape_status take_digits(error *err, const io_stream *s, const char *line, unsigned char *data,
                                  size_t room, size_t *used) {
    for (; *line; line++) {
        int digit = digit_of(*line);
        if (strchr(BLANKS, *line)) continue;
        if (digit < 0)
            return fail(err, GLSHAPE_BAD_INPUT, "%s, line %llu: '%c' is no hexadecimal digit", s->name,
                        (unsigned long long)s->line, *line);
        if (*used == room)
            return fail(err, GLSHAPE_BAD_INPUT, "%s, line %llu: %zu bytes are expected, but more follow",
                        s->name, (unsigned long long)s->line, room / 2);
        data[*used / 2] = (unsigned char)(data[*used / 2] << 4 | digit);
        ++*used;
    }
    return GLSHAPE_OK;
}

glshape_status io_values_read_hex(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out) {
    OWNED unsigned char *data = NULL;
    size_t count = times(npy->rows, npy->cols), digits = times(times(count, npy->item), 2), used = 0, length;
    char *line;
    *out = (glshape_matrix){.data = NULL};
    if (s->size != IO_SIZE_UNKNOWN && s->size < digits)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: %zu digits are expected, but it has %llu bytes",
                    s->name, digits, (unsigned long long)s->size);
    TRY(allocate(err, &data, count, npy->item, "the values"));
    for (;;) {
        TRY(io_stream_line(err, s, &line, &length));
        if (!line) break;
        TRY(take_digits(err, s, line, data, digits, &used));
    }
    if (used < digits)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: %zu digits are expected, but it has %zu",
                    s->name, digits, used);
    if (npy->swapped && npy->item > 1) io_swap_bytes(data, count, npy->item);
    *out = (glshape_matrix){type_of(npy), npy->rows, npy->cols, MOVE(data)};
    return GLSHAPE_OK;
}
