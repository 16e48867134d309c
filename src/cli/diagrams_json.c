#include "cli/diagrams_json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/number.h"
#include "io/read.h"

enum { DIM, BIRTH, DEATH, KEYS };
static const char *const keys[KEYS] = {"dim", "birth", "death"};

typedef struct reader {
    error *err;
    const char *name, *at, *end;
    size_t line;
    double (*rows)[KEYS];
    size_t count, room;
} reader;

static void reader_free(reader *r) { free(r->rows); }

static glshape_status refuse(const reader *r, const char *what) {
    return fail(
        r->err, GLSHAPE_BAD_INPUT,
        "%s, line %zu: %s; a diagram in JSON is a list of intervals: [{\"dim\": 0, \"birth\": 1, \"death\": "
        "null}, …]",
        r->name, r->line, what);
}

/* The next character that is no space; 0 at the end. */
static char peek(reader *r) {
    while (r->at < r->end && isspace((unsigned char)*r->at)) r->line += *r->at++ == '\n';
    return r->at < r->end ? *r->at : 0;
}

static bool take(reader *r, char wanted) {
    if (peek(r) != wanted) return false;
    r->at++;
    return true;
}

/* Without its quotes; escapes stay as they are. */
static glshape_status read_string(reader *r, const char **text, size_t *length) {
    if (!take(r, '"')) return refuse(r, "there is no string in quotes where one has to be");
    *text = r->at;
    while (r->at < r->end && *r->at != '"') r->at += *r->at == '\\' ? 2 : 1;
    if (r->at >= r->end) return refuse(r, "a string does not end");
    *length = (size_t)(r->at++ - *text);
    return GLSHAPE_OK;
}

/* A list or an object, with what is in it. */
static glshape_status skip_list(reader *r) {
    size_t depth = 0, length;
    const char *text;
    do {
        char c = peek(r);
        if (!c) return refuse(r, "a list does not end");
        if (c == '"') {
            TRY(read_string(r, &text, &length));
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        r->at++;
    } while (depth);
    return GLSHAPE_OK;
}

/* A number, or NaN for null; what is neither is passed over, but where a number has to be. */
static glshape_status read_value(reader *r, bool needed, double *out) {
    const char *text;
    size_t length;
    char c = peek(r);
    *out = NAN;
    if (c == '"' || c == '[' || c == '{') {
        if (needed) return refuse(r, "a dimension, birth or death is no number");
        return c == '"' ? read_string(r, &text, &length) : skip_list(r);
    }
    for (text = r->at; r->at < r->end && !strchr(",}] \t\r\n", *r->at);) r->at++;
    length = (size_t)(r->at - text);
    bool is_null = length == 4 && !memcmp(text, "null", 4);
    if (is_null || io_number_parse(text, length, out)) return GLSHAPE_OK;
    bool is_word = (length == 4 && !memcmp(text, "true", 4)) || (length == 5 && !memcmp(text, "false", 5));
    return !needed && is_word ? GLSHAPE_OK : refuse(r, "a value is no number");
}

static glshape_status read_interval(reader *r) {
    double row[KEYS] = {0, NAN, NAN}, value;
    bool has[KEYS] = {true, false, false};
    if (!take(r, '{')) return refuse(r, "an interval is no object");
    for (bool more = peek(r) != '}'; more; more = take(r, ',')) {
        const char *text;
        size_t length;
        int key = 0;
        TRY(read_string(r, &text, &length));
        if (!take(r, ':')) return refuse(r, "a key has no value");
        while (key < KEYS && (strlen(keys[key]) != length || memcmp(text, keys[key], length))) key++;
        TRY(read_value(r, key < KEYS, &value));
        if (key < KEYS) row[key] = value, has[key] = true;
    }
    if (!take(r, '}')) return refuse(r, "an interval does not end");
    if (!has[BIRTH] || !has[DEATH]) return refuse(r, "an interval has no birth or no death");
    TRY(memory_reserve(r->err, &r->rows, &r->room, r->count + 1, sizeof *r->rows, "the intervals"));
    memcpy(r->rows[r->count++], row, sizeof row);
    return GLSHAPE_OK;
}

static glshape_status read_list(reader *r) {
    if (!take(r, '[')) return refuse(r, "it begins with no list");
    for (bool more = peek(r) != ']'; more; more = take(r, ',')) TRY(read_interval(r));
    if (!take(r, ']')) return refuse(r, "the list does not end");
    return peek(r) ? refuse(r, "something follows the list") : GLSHAPE_OK;
}

/* Deaths of null. */
static void end_endless(reader *r) {
    bool falls = false;
    for (size_t k = 0; k < r->count; k++) falls = falls || r->rows[k][DEATH] < r->rows[k][BIRTH];
    for (size_t k = 0; k < r->count; k++)
        if (isnan(r->rows[k][DEATH])) r->rows[k][DEATH] = falls ? -INFINITY : INFINITY;
}

glshape_status diagrams_json_read(error *err, io_stream *s, glshape_matrix *out) {
    enum { PART = 1 << 20 };
    OWNED char *text = NULL;
    OWNED_BY(reader_free) reader r = {.err = err, .name = s->name, .line = 1};
    size_t have = 0, room = 0, before;
    do {
        before = have;
        TRY(io_stream_append(err, s, &text, &have, &room, PART));
    } while (have == before + PART);
    r.at = text;
    r.end = text + have;
    TRY(read_list(&r));
    end_endless(&r);
    *out = (glshape_matrix){GLSHAPE_F64, r.count, KEYS, MOVE(r.rows)};
    return GLSHAPE_OK;
}
