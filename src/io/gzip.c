#include "io/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/raw.h"

enum { LEAST = 1 << 16, MOST = 1 << 30, GZIP_OR_ZLIB = 32 + MAX_WBITS };

struct io_gzip {
    const char *name;
    int fd;
    bool between, ended; /* a member was read whole; all of them were */
    uint64_t earlier;    /* bytes that the finished members gave */
    z_stream z;
    size_t size;
    unsigned char input[];
};

glshape_status io_gzip_open(error *err, const char *name, int fd, const void *start, size_t count,
                            io_gzip **out) {
    OWNED io_gzip *gzip = NULL;
    size_t size = count < LEAST ? LEAST : count;
    TRY(allocate(err, &gzip, 1, sizeof *gzip + size, name));
    if (inflateInit2(&gzip->z, GZIP_OR_ZLIB) != Z_OK)
        return fail(err, GLSHAPE_NO_MEMORY, "%s: no memory to decompress it", name);
    gzip->name = name;
    gzip->fd = fd;
    gzip->size = size;
    memcpy(gzip->input, start, count);
    gzip->z.next_in = gzip->input;
    gzip->z.avail_in = (uInt)count;
    *out = MOVE(gzip);
    return GLSHAPE_OK;
}

/* Reads more input if all is used. The input may end between two members, which ends the file; inside a
 * member the file was cut. */
static glshape_status refill(error *err, io_gzip *gzip) {
    if (gzip->z.avail_in) return GLSHAPE_OK;
    size_t got;
    TRY(io_raw_read(err, gzip->name, gzip->fd, gzip->input, gzip->size, &got));
    gzip->z.next_in = gzip->input;
    gzip->z.avail_in = (uInt)got;
    gzip->ended = got == 0 && gzip->between;
    if (got || gzip->between) return GLSHAPE_OK; /* else each call fails */
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s is cut short: its gzip data end early, after %llu decompressed bytes", gzip->name,
                (unsigned long long)(gzip->earlier + gzip->z.total_out));
}

/* Passes over zeros after a member, with which tapes and blocks are filled up, as gzip(1) does. */
static glshape_status pass_zeros(error *err, io_gzip *gzip) {
    while (!gzip->ended && !*gzip->z.next_in) {
        gzip->z.next_in++;
        gzip->z.avail_in--;
        TRY(refill(err, gzip));
    }
    return GLSHAPE_OK;
}

static glshape_status inflate_some(error *err, io_gzip *gzip) {
    TRY(refill(err, gzip));
    if (gzip->ended) return GLSHAPE_OK;
    if (gzip->between) TRY(pass_zeros(err, gzip));
    if (gzip->ended) return GLSHAPE_OK;
    if (gzip->between) { /* another member begins */
        if (*gzip->z.next_in != 0x1f)
            return fail(err, GLSHAPE_BAD_INPUT, "%s: its gzip data are followed by something else",
                        gzip->name);
        gzip->earlier += gzip->z.total_out;
        inflateReset(&gzip->z);
        gzip->between = false;
    }
    int result = inflate(&gzip->z, Z_NO_FLUSH);
    gzip->between = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || (result == Z_BUF_ERROR && !gzip->z.avail_in))
        return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: its gzip data are damaged (%s)", gzip->name,
                gzip->z.msg ? gzip->z.msg : "no known header");
}

glshape_status io_gzip_read(error *err, io_gzip *gzip, void *to, size_t room, size_t *got) {
    uInt asked = room < MOST ? (uInt)room : MOST;
    gzip->z.next_out = to;
    gzip->z.avail_out = asked;
    while (asked && gzip->z.avail_out == asked && !gzip->ended) TRY(inflate_some(err, gzip));
    *got = asked - gzip->z.avail_out;
    return GLSHAPE_OK;
}

void io_gzip_close(io_gzip *gzip) {
    if (!gzip) return;
    inflateEnd(&gzip->z);
    free(gzip);
}
