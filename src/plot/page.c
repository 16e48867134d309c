#include "plot/page.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "plot/font.h"
#include "plot/palette.h"

/* ---- JSON -------------------------------------------------------------------------------------- */

/* A string of JSON without <, which would begin a tag: the data stand in an element of HTML. */
static void put_string(FILE *to, const char *text) {
    fputc('"', to);
    for (uint32_t code; (code = font_decode(&text));)
        if (code < 0x20 || code == 0x7F || code == '"' || code == '\\' || code == '<' || code == '>' ||
            code == '&')
            fprintf(to, "\\u%04x", code);
        else font_encode(to, code);
    fputc('"', to);
}

static void begin_item(page *p, const char *name) {
    if (p->more[p->depth]) fputs(",\n", p->to);
    p->more[p->depth] = true;
    if (!name) return;
    put_string(p->to, name);
    fputc(':', p->to);
}

static void begin_group(page *p, const char *name, char opening, char closing) {
    begin_item(p, name);
    fputc(opening, p->to);
    p->depth++;
    p->closing[p->depth] = closing;
    p->more[p->depth] = false;
}

void page_object(page *p, const char *name) { begin_group(p, name, '{', '}'); }

void page_array(page *p, const char *name) { begin_group(p, name, '[', ']'); }

void page_end(page *p) { fputc(p->closing[p->depth--], p->to); }

void page_text(page *p, const char *name, const char *text) {
    begin_item(p, name);
    if (text) put_string(p->to, text);
    else fputs("null", p->to);
}

void page_number(page *p, const char *name, size_t number) {
    begin_item(p, name);
    fprintf(p->to, "%zu", number);
}

void page_flag(page *p, const char *name, bool flag) {
    begin_item(p, name);
    fputs(flag ? "true" : "false", p->to);
}

/* ---- the file ---------------------------------------------------------------------------------- */

void page_open(page *p, FILE *to, const char *title, const char *line, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, line);
    vsnprintf(text, sizeof text, line, arguments);
    va_end(arguments);
    *p = (page){.to = to};
    fputs(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
        "<title>glshape</title>\n<style>\n",
        to);
    fprintf(to, "%s</style>\n</head>\n<body>\n%s<script type=\"application/json\" id=\"data\">\n", page_style,
            page_body);
    page_object(p, NULL);
    page_text(p, "title", title ? title : "glshape");
    page_text(p, "line", text);
}

glshape_status page_close(page *p, error *err) {
    while (p->depth) page_end(p);
    fprintf(p->to, "\n</script>\n<script>\n\"use strict\";\n%s</script>\n</body>\n</html>\n", page_script);
    if (ferror(p->to)) return fail(err, GLSHAPE_IO_ERROR, "the page could not be written");
    return GLSHAPE_OK;
}

/* ---- numbers ----------------------------------------------------------------------------------- */

/* Bytes on their way into base64 (RFC 4648), three at a time. */
typedef struct packer {
    FILE *to;
    uint32_t bits;
    int count;
} packer;

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_group(packer *k) {
    char text[4];
    uint32_t bits = k->bits << 8 * (3 - k->count);
    for (int i = 0; i < 4; i++) text[i] = i > k->count ? '=' : digits[bits >> (18 - 6 * i) & 63];
    fwrite(text, 1, 4, k->to);
    k->bits = 0, k->count = 0;
}

static void pack(packer *k, uint64_t word, int bytes) {
    for (int i = 0; i < bytes; i++) {
        k->bits = k->bits << 8 | (word >> 8 * i & 255);
        if (++k->count == 3) put_group(k);
    }
}

static packer begin_packed(page *p, const char *name, const char *type) {
    page_object(p, name);
    page_text(p, "type", type);
    begin_item(p, "bytes");
    fputc('"', p->to);
    return (packer){.to = p->to};
}

static void end_packed(page *p, packer *k) {
    if (k->count) put_group(k);
    fputc('"', p->to);
    page_end(p);
}

void page_words(page *p, const char *name, size_t count, const uint32_t *words) {
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) most |= words[i];
    int bytes = most < 1 << 8 ? 1 : most < 1 << 16 ? 2 : 4;
    packer k = begin_packed(p, name, bytes == 1 ? "u8" : bytes == 2 ? "u16" : "u32");
    for (size_t i = 0; i < count; i++) pack(&k, words[i], bytes);
    end_packed(p, &k);
}

static bool is_single(double value) { return isnan(value) || (double)(float)value == value; }

static void pack_value(packer *k, double value, bool single) {
    uint64_t word = 0;
    uint32_t half;
    float narrow = (float)value;
    if (single) {
        memcpy(&half, &narrow, sizeof half);
        word = half;
    } else memcpy(&word, &value, sizeof word);
    pack(k, word, single ? 4 : 8);
}

static void put_values(page *p, const char *name, size_t count, size_t step, const double *values,
                       const char *title) {
    bool single = true;
    for (size_t i = 0; i < count && single; i++) single = is_single(values[i * step]);
    packer k = begin_packed(p, name, single ? "f32" : "f64");
    for (size_t i = 0; i < count; i++) pack_value(&k, values[i * step], single);
    if (k.count) put_group(&k);
    fputc('"', p->to);
    if (title) page_text(p, "name", title);
    page_end(p);
}

void page_values(page *p, const char *name, size_t count, size_t step, const double *values) {
    put_values(p, name, count, step, values, NULL);
}

void page_column(page *p, const char *name, size_t count, size_t step, const double *values) {
    put_values(p, NULL, count, step, values, name);
}

/* ---- the table --------------------------------------------------------------------------------- */

void page_begin_table(page *p, const char *what, size_t count, const char *const *names) {
    page_object(p, "table");
    page_text(p, "what", what);
    page_number(p, "count", count);
    if (names) page_array(p, "names");
    for (size_t i = 0; names && i < count; i++) page_text(p, NULL, names[i]);
    if (names) page_end(p);
    else page_text(p, "names", NULL);
    page_array(p, "columns");
}

/* ---- classes ----------------------------------------------------------------------------------- */

static void put_class_names(page *p, const page_classes *c) {
    char number[64];
    page_array(p, "names");
    for (uint32_t k = 0; k < c->count; k++) {
        snprintf(number, sizeof number, "%u", k);
        page_text(p, NULL, k == c->noise ? "-1" : c->names ? c->names[k] : number);
    }
    page_end(p);
    if (c->names) return;
    page_array(p, "words");
    for (uint32_t k = 0; k < c->count; k++) {
        snprintf(number, sizeof number, "%.32s %u", c->kind ? c->kind : "class", k);
        page_text(p, NULL, k == c->noise ? "noise" : number);
    }
    page_end(p);
}

static void put_colour(page *p, uint32_t colour) {
    char text[16];
    snprintf(text, sizeof text, "#%06x", colour);
    page_text(p, NULL, text);
}

void page_put_colours(page *p, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) put_colour(p, palette_colour(k));
}

static void put_class_colours(page *p, const page_classes *c) {
    page_array(p, "colors");
    for (uint32_t k = 0; k < c->count; k++) put_colour(p, k == c->noise ? PALETTE_NOISE : palette_colour(k));
    page_end(p);
}

void page_put_classes(page *p, const page_classes *c) {
    page_object(p, "classes");
    page_text(p, "heading", c->heading);
    page_flag(p, "legend", !c->hidden);
    put_class_names(p, c);
    put_class_colours(p, c);
    page_words(p, "of", c->rows, c->of);
    page_end(p);
}
