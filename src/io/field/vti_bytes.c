#include "io/field/vti_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/owned.h"

enum { CHUNK = 1 << 20, TEXT = 1 << 16, DEFLATE_MOST = 1100 }; /* deflate makes at most 1032 bytes of one */

typedef struct block {
    unsigned char *at;
    size_t count, room;
} block;

static void block_free(block *b) { free(b->at); }

typedef struct reader {
    error *err;
    io_stream *s;
    const io_vti_bytes *how;
    size_t whole;           /* bytes of the values */
    unsigned char group[3]; /* of base64: bytes that are decoded and not taken */
    int group_count;
    size_t at, have; /* of text */
    signed char digits[256];
    char text[TEXT];
} reader;

static glshape_status bad(const reader *r, const char *what) {
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s: its array %s", r->s->name, what);
}

static glshape_status cut_short(const reader *r) { return bad(r, "is cut short"); }

/* ---- base64 ------------------------------------------------------------------------------------ */

static glshape_status next_character(reader *r, char *c) {
    do {
        if (r->at == r->have) {
            r->at = 0;
            TRY(io_stream_read(r->err, r->s, r->text, TEXT, &r->have));
            if (!r->have) return cut_short(r);
        }
        *c = r->text[r->at++];
    } while (*c == ' ' || *c == '\t' || *c == '\r' || *c == '\n');
    return GLSHAPE_OK;
}

static void set_digits(reader *r) {
    static const char order[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    memset(r->digits, -1, sizeof r->digits);
    for (int k = 0; k < 64; k++) r->digits[(unsigned char)order[k]] = (signed char)k;
}

static int digit_of(const reader *r, char c) { return r->digits[(unsigned char)c]; }

/* Decodes the next four characters. A group that ends with = has fewer bytes; what is encoded apart may
 * follow it. */
static glshape_status next_group(reader *r) {
    unsigned bits = 0;
    int digits = 0;
    char c = 0;
    for (int k = 0; k < 4; k++) {
        TRY(next_character(r, &c));
        if (c == '<') return cut_short(r);
        bool pad = c == '=' && digits == k - (k == 3 && digits == 2) && k > 1;
        if (digit_of(r, c) < 0 ? !pad : digits < k) return bad(r, "is not base64");
        digits += !pad;
        bits = bits << 6 | (pad ? 0u : (unsigned)digit_of(r, c));
    }
    r->group_count = digits - 1;
    for (int k = 0; k < 3; k++) r->group[k] = (unsigned char)(bits >> (16 - 8 * k));
    return GLSHAPE_OK;
}

/* Decodes whole groups as long as they stand in a row, and returns the bytes they make. */
static size_t decode_groups(reader *r, unsigned char *to, size_t bytes) {
    size_t done = 0;
    for (; bytes - done >= 3 && r->have - r->at >= 4; r->at += 4, done += 3) {
        const char *c = r->text + r->at;
        int d[4] = {digit_of(r, c[0]), digit_of(r, c[1]), digit_of(r, c[2]), digit_of(r, c[3])};
        if ((d[0] | d[1] | d[2] | d[3]) < 0) break;
        to[done] = (unsigned char)(d[0] << 2 | d[1] >> 4);
        to[done + 1] = (unsigned char)(d[1] << 4 | d[2] >> 2);
        to[done + 2] = (unsigned char)(d[2] << 6 | d[3]);
    }
    return done;
}

static glshape_status decode(reader *r, unsigned char *to, size_t bytes) {
    for (; bytes; bytes--) {
        size_t done = r->group_count ? 0 : decode_groups(r, to, bytes);
        to += done;
        bytes -= done;
        if (!bytes) break;
        if (!r->group_count) TRY(next_group(r));
        *to++ = r->group[0];
        r->group[0] = r->group[1];
        r->group[1] = r->group[2];
        r->group_count--;
    }
    return GLSHAPE_OK;
}

/* ---- bytes, counts, blocks --------------------------------------------------------------------- */

static glshape_status read_bytes(reader *r, void *to, size_t bytes) {
    size_t got;
    if (r->how->base64) return decode(r, to, bytes);
    TRY(io_stream_read(r->err, r->s, to, bytes, &got));
    return got == bytes ? GLSHAPE_OK : cut_short(r);
}

static glshape_status read_count(reader *r, uint64_t *out) {
    unsigned char b[8];
    unsigned size = r->how->wide ? 8 : 4;
    TRY(read_bytes(r, b, size));
    *out = 0;
    for (unsigned k = 0; k < size; k++) *out = *out << 8 | b[r->how->big ? k : size - 1 - k];
    return GLSHAPE_OK;
}

/* Appends bytes to b, whose room grows as they come, unless the file has as many. */
static glshape_status append(reader *r, block *b, uint64_t bytes) {
    while (bytes) {
        size_t most = b->count > CHUNK ? b->count : CHUNK;
        size_t now = bytes < most || io_stream_has(r->s, bytes) ? (size_t)bytes : most;
        TRY(memory_reserve(r->err, &b->at, &b->room, b->count + now, 1, "the values"));
        TRY(read_bytes(r, b->at + b->count, now));
        b->count += now;
        bytes -= now;
    }
    return GLSHAPE_OK;
}

/* Appends the bytes of a block of zlib's to b. */
static glshape_status unpack(reader *r, block *b, uint64_t packed, uint64_t bytes) {
    OWNED_BY(block_free) block from = {.at = NULL};
    uLongf got = (uLongf)bytes;
    if (bytes > r->whole - b->count || packed > r->whole + CHUNK || bytes / DEFLATE_MOST > packed)
        return bad(r, "has blocks of other sizes than its Extent says");
    TRY(append(r, &from, packed));
    TRY(memory_reserve(r->err, &b->at, &b->room, b->count + (size_t)bytes, 1, "the values"));
    if (!bytes) return GLSHAPE_OK;
    if (uncompress(b->at + b->count, &got, from.at, (uLong)packed) != Z_OK || got != bytes)
        return bad(r, "has a block that is damaged");
    b->count += (size_t)bytes;
    return GLSHAPE_OK;
}

/* Before the blocks: their number, their size, the size of the last if it is another, and what each takes
 * packed; encoded apart. */
static glshape_status read_packed(reader *r, block *b) {
    OWNED uint64_t *packed = NULL;
    size_t room = 0;
    uint64_t count, bytes, last;
    TRY(read_count(r, &count));
    TRY(read_count(r, &bytes));
    TRY(read_count(r, &last));
    if (count > r->whole) return bad(r, "has more blocks than values");
    for (size_t k = 0; k < count; k++) {
        TRY(memory_reserve(r->err, &packed, &room, k + 1, sizeof *packed, "the sizes of blocks"));
        TRY(read_count(r, &packed[k]));
    }
    r->group_count = 0;
    for (size_t k = 0; k < count; k++) TRY(unpack(r, b, packed[k], k + 1 == count && last ? last : bytes));
    return GLSHAPE_OK;
}

static glshape_status read_values(reader *r, block *b) {
    uint64_t bytes;
    if (r->how->packed) TRY(read_packed(r, b));
    else TRY(read_count(r, &bytes));
    if (!r->how->packed && bytes == r->whole) TRY(append(r, b, bytes));
    return b->count == r->whole ? GLSHAPE_OK : bad(r, "has another number of values than its Extent says");
}

glshape_status io_vti_read_bytes(error *err, io_stream *s, const io_vti_bytes *how, size_t whole,
                                 void *bytes) {
    OWNED reader *r = NULL;
    OWNED_BY(block_free) block b = {.at = NULL};
    TRY(allocate(err, &r, 1, sizeof *r, "a reader"));
    *r = (reader){.err = err, .s = s, .how = how, .whole = whole};
    set_digits(r);
    TRY(read_values(r, &b));
    *(void **)bytes = MOVE(b.at);
    return GLSHAPE_OK;
}
