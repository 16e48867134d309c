/* Zip's format, as io/npz.c, numpy.savez and numpy.savez_compressed write it: files are stored or deflated,
 * and each local header has the sizes. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/npy.h"
#include "io/npz.h"

enum {
    LOCAL = 30,
    NAME = 64,
    EXTRA = 256,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    FLAG_SIZES_FOLLOW = 8,
    ZIP64 = 1
};
#define IN_ZIP64 0xffffffffu
#define MOST_ROOM ((size_t)1 << 24) /* what an array takes at first, before as many bytes were there */

/* A file of the zip. */
typedef struct entry {
    char name[NAME + 1];
    uint64_t bytes, stored; /* of the array, and in the file */
    bool deflated;
    uint32_t check;
} entry;

static uint64_t number(const unsigned char *at, int bytes) {
    uint64_t x = 0;
    for (int i = bytes; i-- > 0;) x = x << 8 | at[i];
    return x;
}

static glshape_status bad(error *err, const io_stream *s, const char *what) {
    return fail(err, GLSHAPE_BAD_INPUT, "%s: %s; it should be an .npz file as numpy.savez writes it", s->name,
                what);
}

static glshape_status read_all(error *err, io_stream *s, void *to, size_t bytes) {
    size_t got;
    TRY(io_stream_read(err, s, to, bytes, &got));
    return got == bytes ? GLSHAPE_OK : bad(err, s, "it ends within an array");
}

/* Takes sizes of 64 bits from the field of the extra ones that has them. */
static bool find_sizes(const unsigned char *extra, size_t length, entry *e) {
    for (size_t at = 0; at + 4 <= length; at += 4 + number(extra + at + 2, 2))
        if (number(extra + at, 2) == ZIP64 && at + 20 <= length) {
            e->bytes = number(extra + at + 4, 8);
            e->stored = number(extra + at + 12, 8);
            return true;
        }
    return false;
}

static glshape_status read_header(error *err, io_stream *s, entry *e) {
    unsigned char local[LOCAL], extra[EXTRA];
    TRY(read_all(err, s, local, LOCAL));
    size_t name = number(local + 26, 2), more = number(local + 28, 2);
    e->deflated = number(local + 8, 2) == METHOD_DEFLATED;
    if (!e->deflated && number(local + 8, 2) != METHOD_STORED)
        return bad(err, s, "its arrays are compressed by another method than deflate");
    if (name > NAME || more > EXTRA || number(local + 6, 2) & FLAG_SIZES_FOLLOW)
        return bad(err, s, "its headers are of another kind");
    TRY(read_all(err, s, e->name, name));
    TRY(read_all(err, s, extra, more));
    e->name[name] = 0;
    if (name > 4 && !strcmp(e->name + name - 4, ".npy")) e->name[name - 4] = 0;
    e->check = (uint32_t)number(local + 14, 4);
    e->stored = number(local + 18, 4);
    e->bytes = number(local + 22, 4);
    bool wide = e->bytes == IN_ZIP64 || e->stored == IN_ZIP64;
    if (wide && !find_sizes(extra, more, e)) return bad(err, s, "a size is missing");
    return e->deflated || e->bytes == e->stored ? GLSHAPE_OK : bad(err, s, "its sizes contradict each other");
}

/* Reads what is stored of an entry; room for it grows as it comes, unless the file has as much. */
static glshape_status read_stored(error *err, io_stream *s, const entry *e, char **out) {
    OWNED char *bytes = NULL;
    size_t room = 0, at = 0;
    while (at < e->stored || !bytes) {
        size_t next = at ? at : MOST_ROOM;
        bool whole = e->stored - at < next || io_stream_has(s, e->stored);
        size_t more = whole ? (size_t)(e->stored - at) : next;
        TRY(memory_reserve(err, &bytes, &room, at + more + 1, 1, "an array"));
        TRY(read_all(err, s, bytes + at, more));
        at += more;
    }
    *out = MOVE(bytes);
    return GLSHAPE_OK;
}

static void end_inflate(z_stream *z) { inflateEnd(z); }

/* Unpacks a deflated entry. Its claim of bytes is bounded by what deflate can do: 1 : 1032. */
static glshape_status unpack(error *err, const io_stream *s, const entry *e, char **bytes) {
    OWNED char *packed = *bytes, *all = NULL;
    OWNED_BY(end_inflate) z_stream z = {.next_in = (unsigned char *)packed};
    *bytes = NULL;
    if (e->bytes / 1032 > e->stored) return bad(err, s, "its sizes contradict each other");
    TRY(allocate(err, &all, e->bytes + 1, 1, "an array"));
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return fail(err, GLSHAPE_NO_MEMORY, "%s: no memory to unpack it", s->name);
    uint64_t in = e->stored, out = e->bytes;
    z.next_out = (unsigned char *)all;
    int result = Z_OK;
    while (result == Z_OK && (in || z.avail_in || out)) {
        uInt more = in < 1u << 30 ? (uInt)in : 1u << 30, room = out < 1u << 30 ? (uInt)out : 1u << 30;
        if (!z.avail_in) z.avail_in = more, in -= more;
        if (!z.avail_out) z.avail_out = room, out -= room;
        result = inflate(&z, Z_NO_FLUSH);
    }
    if (result != Z_STREAM_END || out || z.avail_out || in || z.avail_in)
        return bad(err, s, "its compressed data are damaged");
    *bytes = MOVE(all);
    return GLSHAPE_OK;
}

/* ---- the checksum ------------------------------------------------------------------------------- */

enum { SHARE = 1 << 20 }; /* bytes whose checksum a thread finds */

typedef struct shares {
    const char *bytes;
    size_t count;
    uLong *check; /* of each share */
} shares;

static size_t share_bytes(const shares *s, size_t k) {
    return s->count - k * SHARE < SHARE ? s->count - k * SHARE : SHARE;
}

static void check_share(void *user, size_t k) {
    const shares *s = user;
    s->check[k] = crc32_z(0, (const unsigned char *)s->bytes + k * SHARE, share_bytes(s, k));
}

/* By all threads, because one takes as long as reading does. */
static glshape_status find_checksum(error *err, const char *bytes, size_t count, uint32_t *out) {
    OWNED uLong *check = NULL;
    size_t parts = (count + SHARE - 1) / SHARE;
    uLong all = crc32_z(0, NULL, 0);
    TRY(allocate(err, &check, parts + 1, sizeof *check, "checksums"));
    const shares s = {bytes, count, check};
    threads_run(0, parts, check_share, (void *)(uintptr_t)&s);
    for (size_t k = 0; k < parts; k++) all = crc32_combine(all, check[k], (z_off_t)share_bytes(&s, k));
    *out = (uint32_t)all;
    return GLSHAPE_OK;
}

/* Reads the bytes of an entry. */
static glshape_status read_bytes(error *err, io_stream *s, const entry *e, char **out) {
    OWNED char *bytes = NULL;
    uint32_t check;
    TRY(read_stored(err, s, e, &bytes));
    if (e->deflated) TRY(unpack(err, s, e, &bytes));
    TRY(find_checksum(err, bytes, (size_t)e->bytes, &check));
    if (check != e->check) return bad(err, s, "its bytes are not those that were written");
    *out = MOVE(bytes);
    return GLSHAPE_OK;
}

/* Makes a stream of an entry's bytes. */
static glshape_status open_entry(error *err, io_stream *s, const entry *e, io_stream *out) {
    char *bytes = NULL;
    TRY(read_bytes(err, s, e, &bytes));
    *out = (io_stream){.name = s->name, .fd = -1, .size = e->bytes, .ended = true, .window = bytes};
    out->have = out->capacity = (size_t)e->bytes;
    return GLSHAPE_OK;
}

glshape_status io_npz_find_only(error *err, io_stream *s, io_stream *array) {
    entry e, other;
    TRY(read_header(err, s, &e));
    TRY(open_entry(err, s, &e, array));
    TRY(io_stream_look(err, s));
    if (io_stream_starts(s, "PK\1\2", 4)) return GLSHAPE_OK; /* the list of all arrays */
    if (!io_stream_starts(s, "PK\3\4", 4)) return bad(err, s, "it is cut short");
    TRY(read_header(err, s, &other));
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s has several arrays, '%s' and '%s' among them; save one with numpy.save('x.npy', "
                "numpy.load('%s')['%s'])",
                s->name, e.name, other.name, s->name, e.name);
}

/* An empty array that is optional counts as one that is not there. */
static glshape_status read_array(error *err, io_stream *s, const entry *e, io_npz_wanted *w) {
    OWNED_BY(io_stream_close) io_stream array = {.fd = -1};
    TRY(open_entry(err, s, e, &array));
    if (w->optional) {
        io_stream look = array;
        io_npy npy;
        TRY(io_npy_read_shape(err, &look, &npy));
        if (!npy.rows || !npy.cols) return GLSHAPE_OK;
    }
    return io_npy_read(err, &array, &w->out);
}

/* The letters of an array that is one text: "|S3" or "<U3". */
static glshape_status read_word(error *err, io_stream *s, const entry *e, char word[8]) {
    OWNED_BY(io_stream_close) io_stream array = {.fd = -1};
    int used = 0;
    TRY(open_entry(err, s, e, &array));
    size_t begin = array.have < 10 ? array.have : 10 + (size_t)number((unsigned char *)array.window + 8, 2);
    for (size_t k = begin; k < array.have && used < 7; k++)
        if (array.window[k] >= 'a' && array.window[k] <= 'z') word[used++] = array.window[k];
    word[used] = 0;
    return used ? GLSHAPE_OK : bad(err, s, "a text is empty");
}

static io_npz_wanted *find(io_npz_wanted *wanted, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(wanted[i].name, name)) return &wanted[i];
    return NULL;
}

static glshape_status read_entries(error *err, io_stream *s, io_npz_wanted *wanted, int count) {
    while (io_stream_starts(s, "PK\3\4", 4)) {
        OWNED char *skipped = NULL;
        entry e;
        TRY(read_header(err, s, &e));
        io_npz_wanted *w = find(wanted, count, e.name);
        if (w && (w->out.data || (w->word && *w->word))) return bad(err, s, "an array is there twice");
        if (w && w->word) TRY(read_word(err, s, &e, w->word));
        else if (w) TRY(read_array(err, s, &e, w));
        else TRY(read_bytes(err, s, &e, &skipped));
        TRY(io_stream_look(err, s));
    }
    for (int i = 0; i < count; i++)
        if (!wanted[i].out.data && !wanted[i].optional && !(wanted[i].word && *wanted[i].word))
            return fail(err, GLSHAPE_BAD_INPUT, "%s has no array '%s'", s->name, wanted[i].name);
    return GLSHAPE_OK;
}

glshape_status io_read_npz_stream(error *err, io_stream *s, io_npz_wanted *wanted, int count) {
    if (!io_stream_starts(s, "PK\3\4", 4)) return bad(err, s, "it is no zip file");
    return read_entries(err, s, wanted, count);
}

glshape_status io_read_npz(error *err, const char *path, io_npz_wanted *wanted, int count) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    TRY(io_stream_open(err, path, &s));
    return io_read_npz_stream(err, &s, wanted, count);
}
