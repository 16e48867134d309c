#include "io/json.h"

#include <inttypes.h>
#include <math.h>

#include "io/number.h"

void json_open(json *j, FILE *out) { *j = (json){.out = out}; }

static void new_line(const json *j) { fprintf(j->out, "\n%*s", 2 * j->depth, ""); }

/* Bytes of the UTF-8 sequence at p, shortest form and no surrogates; 0 if there is none. */
static int sequence(const unsigned char *p) {
    if (p[0] < 0x80) return 1;
    int length = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
    for (int i = 1; i < length; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    bool too_long = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    bool no_character = (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF4 && p[1] > 0x8F);
    return too_long || no_character ? 0 : length;
}

static void put_ascii(FILE *out, unsigned char c) {
    switch (c) {
        case '"':
            fputs("\\\"", out);
            break;
        case '\\':
            fputs("\\\\", out);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        case '\r':
            fputs("\\r", out);
            break;
        case '\t':
            fputs("\\t", out);
            break;
        default:
            fprintf(out, c < ' ' || c == 0x7F ? "\\u%04x" : "%c", c);
    }
}

static void put_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int length = sequence(p);
        if (length == 1) put_ascii(out, *p);
        else if (length) fwrite(p, 1, (size_t)length, out);
        else fputs("\xEF\xBF\xBD", out);
        p += length ? length : 1;
    }
    fputc('"', out);
}

/* What comes before a value: the comma, its own line, its key. */
static void begin(json *j, const char *key) {
    if (j->filled) fputs(j->flat ? ", " : ",", j->out);
    if (j->depth && !j->flat) new_line(j);
    if (key) {
        put_string(j->out, key);
        fputs(": ", j->out);
    }
    j->filled = true;
}

static void open_group(json *j, const char *key, char bracket) {
    begin(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

static void close_group(json *j, char bracket) {
    if (j->depth-- == j->flat) j->flat = 0;
    else if (j->filled && !j->flat) new_line(j);
    fputc(bracket, j->out);
    if (!j->depth) fputc('\n', j->out);
    j->filled = true;
}

void json_object_begin(json *j, const char *key) { open_group(j, key, '{'); }
void json_object_end(json *j) { close_group(j, '}'); }
void json_array_begin(json *j, const char *key) { open_group(j, key, '['); }
void json_flat_begin(json *j, const char *key) {
    json_array_begin(j, key);
    if (!j->flat) j->flat = j->depth;
}
void json_array_end(json *j) { close_group(j, ']'); }

static void put(json *j, const char *key, const char *word) {
    begin(j, key);
    fputs(word, j->out);
}

void json_number(json *j, const char *key, double value) {
    char text[IO_NUMBER_ROOM];
    io_number_print(text, value);
    put(j, key, isfinite(value) ? text : "null");
}

void json_float(json *j, const char *key, float value) {
    char text[IO_NUMBER_ROOM];
    io_number_print_float(text, value);
    put(j, key, isfinite(value) ? text : "null");
}

void json_integer(json *j, const char *key, int64_t value) {
    begin(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void json_unsigned(json *j, const char *key, uint64_t value) {
    begin(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void json_string(json *j, const char *key, const char *text) {
    begin(j, key);
    if (text) put_string(j->out, text);
    else fputs("null", j->out);
}

void json_bool(json *j, const char *key, bool value) { put(j, key, value ? "true" : "false"); }

void json_null(json *j, const char *key) { put(j, key, "null"); }
