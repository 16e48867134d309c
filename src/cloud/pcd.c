/* PCD of the Point Cloud Library: text, binary, and binary that is compressed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cloud/rows.h"
#include "io/npy.h"
#include "io/number.h"
#include "io/room.h"

enum { MOST_FIELDS = 64, BLOCK = 1 << 18 };

typedef struct pcd {
    cloud_rows *r;
    int fields;
    int size[MOST_FIELDS], count[MOST_FIELDS];
    char type[MOST_FIELDS];
    char name[MOST_FIELDS][40];
    unsigned long long points;
    const cloud_type *of[CLOUD_NAMES]; /* of each column */
    bool text, packed;
} pcd;

static glshape_status bad_header(const pcd *p, const char *why) {
    return fail(p->r->err, GLSHAPE_BAD_INPUT, "%s: line %llu of the header of PCD %s", p->r->s->name,
                (unsigned long long)p->r->s->line, why);
}

static bool whole(const io_field *field, double most, double *out) {
    return io_number_parse(field->text, field->length, out) && *out >= 0 && *out <= most &&
           *out == (double)(long long)*out;
}

/* A word for each field. */
static glshape_status take_words(pcd *p, const char *key, io_fields words) {
    io_field word;
    double value;
    int k = 0;
    for (; io_fields_next(&words, &word); k++) {
        if (k == MOST_FIELDS) return bad_header(p, "has too many fields");
        bool number = !strcmp(key, "SIZE") || !strcmp(key, "COUNT");
        if (number && !whole(&word, 1 << 12, &value)) return bad_header(p, "has a word that is no number");
        if (!strcmp(key, "SIZE")) p->size[k] = (int)value;
        if (!strcmp(key, "COUNT")) p->count[k] = (int)value;
        if (!strcmp(key, "TYPE")) p->type[k] = *word.text;
        if (!strcmp(key, "FIELDS"))
            snprintf(p->name[k], sizeof p->name[k], "%.*s", (int)word.length, word.text);
    }
    if (!strcmp(key, "FIELDS")) p->fields = k;
    return k == p->fields ? GLSHAPE_OK : bad_header(p, "has not a word for each of FIELDS");
}

static glshape_status take_data(pcd *p, io_fields words) {
    io_field word = {.text = ""};
    io_fields_next(&words, &word);
    p->text = word.length == 5 && !memcmp(word.text, "ascii", 5);
    p->packed = word.length == 17 && !memcmp(word.text, "binary_compressed", 17);
    bool binary = word.length == 6 && !memcmp(word.text, "binary", 6);
    return p->text || p->packed || binary
               ? GLSHAPE_OK
               : bad_header(p, "names no data: ascii, binary or binary_compressed");
}

static glshape_status read_header(pcd *p) {
    static const char *const keys[] = {"FIELDS", "SIZE",   "TYPE",   "COUNT",
                                       "WIDTH",  "HEIGHT", "POINTS", "DATA"};
    double sizes[3] = {-1, -1, -1}; /* WIDTH, HEIGHT, POINTS */
    char *line;
    size_t length;
    for (int k = 0; k < MOST_FIELDS; k++) p->count[k] = 1;
    for (int key = 0; key != 7;) {
        io_field word = {.text = ""}, value = {.text = ""};
        TRY(cloud_next_line(p->r, &line, &length));
        if (!line)
            return fail(p->r->err, GLSHAPE_BAD_INPUT, "%s: the header of PCD has no DATA", p->r->s->name);
        io_fields words = io_fields_of(line, length, IO_BLANKS);
        io_fields_next(&words, &word);
        for (key = 0;
             key < 8 && (strlen(keys[key]) != word.length || memcmp(keys[key], word.text, word.length));
             key++) {}
        if (key < 4) TRY(take_words(p, keys[key], words));
        io_fields one = words;
        if (key > 3 && key < 7 && (!io_fields_next(&one, &value) || !whole(&value, 0x1p53, &sizes[key - 4])))
            return bad_header(p, "has no number");
        if (key == 7) TRY(take_data(p, words));
    }
    if (sizes[2] < 0) sizes[2] = sizes[0] * (sizes[1] < 0 ? 1 : sizes[1]);
    if (sizes[2] > 0x1p53)
        return bad_header(p, "ends with WIDTH and HEIGHT of more points than there can be");
    if (!p->fields || sizes[2] < 0) return bad_header(p, "ends without FIELDS, or POINTS");
    p->points = (unsigned long long)sizes[2];
    return GLSHAPE_OK;
}

/* Fields of several values become several columns; a field called _ is padding, of bytes if its type is
 * unknown. */
static glshape_status name_columns(pcd *p) {
    for (int k = 0; k < p->fields; k++) {
        const cloud_type *type = cloud_type_of(p->type[k], p->size[k]);
        if (!type && !p->text && p->name[k][0] != '_')
            return bad_header(p, "has fields of an unknown type or size");
        int columns = type || p->text ? p->count[k] : p->count[k] * p->size[k];
        for (int i = 0; i < columns; i++) {
            char name[60];
            snprintf(name, sizeof name, columns > 1 ? "%s%d" : "%s", p->name[k], i + 1);
            TRY(cloud_add_column(p->r, name, strlen(name)));
            p->of[p->r->width - 1] = type ? type : cloud_type_of('U', 1);
        }
    }
    return GLSHAPE_OK;
}

static glshape_status read_text(pcd *p) {
    for (unsigned long long left = p->points; left; left--) {
        char *line;
        size_t length;
        TRY(cloud_next_line(p->r, &line, &length));
        if (!line) return cloud_refuse_end(p->r, p->points);
        TRY(cloud_add_line(p->r, io_fields_of(line, length, IO_BLANKS), false));
    }
    return GLSHAPE_OK;
}

static size_t row_bytes(const pcd *p) {
    size_t bytes = 0;
    for (size_t k = 0; k < p->r->width; k++) bytes += (size_t)p->of[k]->bytes;
    return bytes;
}

/* PCD is little-endian. */
static glshape_status read_binary(pcd *p) {
    return cloud_read_records(
        p->r, &(cloud_records){.type = p->of, .count = p->points, .swapped = !io_is_little_endian()});
}

/* LZF: a control byte below 32 says how many bytes follow as they are; else how long a copy is and, with the
 * next byte, how far back it begins. Returns false unless it gives exactly the bytes of to. */
static bool unpack(const unsigned char *from, size_t have, unsigned char *to, size_t bytes) {
    size_t at = 0, used = 0;
    while (at < have) {
        size_t control = from[at++], length = control < 32 ? control + 1 : control >> 5;
        if (control < 32) {
            if (length > have - at || length > bytes - used) return false;
            memcpy(to + used, from + at, length);
            at += length, used += length;
            continue;
        }
        if (length == 7 && at < have) length += from[at++];
        if (at == have) return false;
        size_t back = ((control & 31) << 8 | from[at++]) + 1;
        length += 2;
        if (back > used || length > bytes - used) return false;
        for (; length; length--, used++) to[used] = to[used - back];
    }
    return used == bytes;
}

static uint32_t size_at(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Compressed, all values of a field stand before those of the next. */
static glshape_status take_packed(pcd *p, const char *bytes) {
    cloud_rows *r = p->r;
    double *rows;
    TRY(cloud_new_rows(r, (size_t)p->points, &rows));
    for (size_t k = 0; k < r->width; bytes += p->points * (size_t)p->of[k++]->bytes)
        cloud_take_column(r, k, p->of[k],
                          (cloud_bytes){bytes, (size_t)p->of[k]->bytes, !io_is_little_endian()},
                          (size_t)p->points, rows);
    return GLSHAPE_OK;
}

static glshape_status read_packed(pcd *p) {
    OWNED char *packed = NULL;
    OWNED char *bytes = NULL;
    cloud_rows *r = p->r;
    unsigned char sizes[8];
    size_t got, capacity = 0;
    TRY(io_stream_read(r->err, r->s, sizes, 8, &got));
    size_t have = size_at(sizes), all = size_at(sizes + 4), want = row_bytes(p);
    if (got < 8) return cloud_refuse_end(r, p->points);
    if (p->points > UINT32_MAX || all != want * p->points || all / 300 > have)
        return fail(r->err, GLSHAPE_BAD_INPUT,
                    "%s: %zu bytes for %llu points of %zu bytes each: it is damaged", r->s->name, all,
                    p->points, want);
    for (size_t read = 0; read < have; read += got) {
        size_t step = have - read < BLOCK ? have - read : BLOCK;
        if (read + step > capacity)
            TRY(io_room_grow(r->err, r->s->name, &packed, &capacity, read + step, have, 1));
        TRY(io_stream_read(r->err, r->s, packed + read, step, &got));
        if (got < step) return cloud_refuse_end(r, p->points);
    }
    TRY(allocate(r->err, &bytes, all, 1, r->s->name));
    if (!unpack((unsigned char *)packed, have, (unsigned char *)bytes, all))
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: its compressed values are damaged", r->s->name);
    return take_packed(p, bytes);
}

glshape_status cloud_read_pcd(cloud_rows *r) {
    OWNED pcd *p = NULL;
    TRY(allocate(r->err, &p, 1, sizeof *p, r->s->name));
    p->r = r;
    TRY(read_header(p));
    TRY(name_columns(p));
    if (!r->width) return bad_header(p, "ends without a field");
    TRY(cloud_choose(r, 0));
    return p->text ? read_text(p) : p->packed ? read_packed(p) : read_binary(p);
}
