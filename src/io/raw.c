#define _XOPEN_SOURCE 700 /* pread */
#include "io/raw.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/threads.h"

#define MOST ((size_t)1 << 30) /* bytes that the system is asked for at once */
#define PIECE ((size_t)1 << 20)

static glshape_status cannot_read(error *err, const char *name) {
    return fail(err, GLSHAPE_IO_ERROR, "cannot read %s: %s", name, strerror(errno));
}

glshape_status io_raw_read(error *err, const char *name, int fd, void *to, size_t room, size_t *got) {
    ssize_t count;
    do count = read(fd, to, room < MOST ? room : MOST);
    while (count < 0 && errno == EINTR);
    *got = count < 0 ? 0 : (size_t)count;
    return count < 0 ? cannot_read(err, name) : GLSHAPE_OK;
}

typedef struct pieces {
    const char *name;
    int fd;
    uint64_t from;
    char *to;
    size_t bytes;
    _Atomic size_t end; /* as far as the file goes */
} pieces;

static glshape_status read_piece(error *err, void *user, uint64_t piece, void *scratch) {
    pieces *p = user;
    size_t at = piece * PIECE, end = p->bytes - at < PIECE ? p->bytes : at + PIECE;
    (void)scratch;
    while (at < end) {
        ssize_t got = pread(p->fd, p->to + at, end - at, (off_t)(p->from + at));
        if (got > 0) at += (size_t)got;
        else if (!got) break;
        else if (errno != EINTR) return cannot_read(err, p->name);
    }
    for (size_t known = p->end; at < end && at < known;)
        if (atomic_compare_exchange_weak(&p->end, &known, at)) break;
    return GLSHAPE_OK;
}

glshape_status io_raw_read_at(error *err, const char *name, int fd, uint64_t from, void *to, size_t bytes,
                              size_t *got) {
    pieces p = {.name = name, .fd = fd, .from = from, .to = to, .bytes = bytes, .end = bytes};
    threads_job job = {.work = read_piece,
                       .user = &p,
                       .blocks = (bytes + PIECE - 1) / PIECE,
                       .name = name,
                       .threads = bytes < IO_RAW_LARGE};
    glshape_status status = threads_do(err, &job);
    *got = status ? 0 : p.end;
    return status;
}
