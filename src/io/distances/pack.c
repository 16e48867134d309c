#define _XOPEN_SOURCE 700 /* realpath */

#include "io/distances/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/distances/pack_state.h"
#include "io/npy.h"
#include "io/temporary.h"
#include "io/write.h"

/* HEADER: a multiple of 64, as NumPy aligns. PART: rows one thread makes at a time. */
enum { HEADER = 128, STEP = 64 << 20, PART = 32, TILE = 512 };

typedef struct packer {
    error *err;
    io_distances *in;
    io_pack_options o;
    char *path, *part, *state; /* path: of the file that is written, not of a link to it */
    io_temporary watched[2];   /* part and state, if no later run can go on from them */
    int fd;
    uint32_t step, done; /* rows */
    float *rows;         /* step × n */
    uint32_t first;      /* of the rows being made */
} packer;

/* ---- rows ------------------------------------------------------------------------------------------- */

/* Replaces values of the rows by their means with the mirrored ones. mirror: room for a tile of these. */
static glshape_status symmetrize(error *err, const io_distances *d, uint32_t first, uint32_t rows, float *out,
                                 float *mirror) {
    for (uint32_t col = 0; col < d->n; col += TILE) {
        uint32_t cols = d->n - col < TILE ? d->n - col : TILE;
        TRY(distances_float_tile(err, d, col, cols, first, rows, mirror));
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < cols; c++) {
                float *here = &out[(size_t)r * d->n + col + c];
                *here = distances_mean(*here, mirror[(size_t)c * rows + r]);
            }
    }
    return GLSHAPE_OK;
}

/* Part i of the step; scratch is room for a mirrored tile. */
static glshape_status make_part(error *err, void *user, uint64_t i, void *scratch) {
    packer *p = user;
    uint32_t end = p->in->n - p->first < p->step ? p->in->n : p->first + p->step;
    uint32_t first = p->first + (uint32_t)i * PART, rows = end - first < PART ? end - first : PART;
    float *out = p->rows + (size_t)(first - p->first) * p->in->n;
    TRY(io_distances_rows(err, p->in, first, rows, out));
    return p->o.symmetrize ? symmetrize(err, p->in, first, rows, out, scratch) : GLSHAPE_OK;
}

/* ---- bytes ------------------------------------------------------------------------------------------ */

/* The failure of writing, and what became of the rows that are done. */
static glshape_status cannot(const packer *p, int number) {
    if (!p->in->identity.known)
        return fail(p->err, GLSHAPE_IO_ERROR, "cannot write %s: %s", p->part, strerror(number));
    return fail(p->err, GLSHAPE_IO_ERROR,
                "cannot write %s: %s; the first %lu of %lu rows are kept: run the same command again to go "
                "on, or remove %s and %s",
                p->part, strerror(number), (unsigned long)p->done, (unsigned long)p->in->n, p->part,
                p->state);
}

static glshape_status write_at(packer *p, const void *from, size_t bytes, uint64_t at) {
    for (const char *b = from; bytes;) {
        ssize_t put = pwrite(p->fd, b, bytes, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return cannot(p, put ? errno : EIO);
        b += put;
        at += (uint64_t)put;
        bytes -= (size_t)put;
    }
    return GLSHAPE_OK;
}

static glshape_status write_header(packer *p) {
    char header[HEADER + 1], dict[HEADER];
    unsigned long n = p->in->n;
    snprintf(dict, sizeof dict, "{'descr': '%cf4', 'fortran_order': False, 'shape': (%lu, %lu), }",
             io_is_little_endian() ? '<' : '>', n, n);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* 0x76: 128 - 10, little-endian */
    snprintf(header + 10, HEADER - 9, "%-117.117s\n", dict);
    return write_at(p, header, HEADER, 0);
}

static uint64_t row_at(const packer *p, uint64_t row) { return HEADER + row * p->in->n * sizeof(float); }

/* Makes the rows, and then the state that says so, reach the disk. */
static glshape_status write_step(packer *p, uint32_t count) {
    threads_job job = {.work = make_part,
                       .user = p,
                       .blocks = (count + (uint64_t)PART - 1) / PART,
                       .scratch_bytes = (size_t)TILE * PART * sizeof(float),
                       .name = p->in->name,
                       .threads = p->o.threads};
    p->first = p->done;
    TRY(threads_do(p->err, &job));
    TRY(write_at(p, p->rows, (size_t)count * p->in->n * sizeof(float), row_at(p, p->done)));
    if (!p->in->identity.known) {
        p->done += count;
        return GLSHAPE_OK;
    }
    if (fsync(p->fd)) return cannot(p, errno);
    if (!pack_state_write(p->state, p->in, p->o.symmetrize, p->done + count)) return cannot(p, errno);
    p->done += count;
    return GLSHAPE_OK;
}

static glshape_status write_rows(packer *p) {
    uint32_t n = p->in->n;
    const char *kept = p->in->identity.known ? "run the same command again to go on" : "nothing is kept";
    for (;;) {
        if (p->o.progress && !p->o.progress(p->o.user, (double)p->done / n))
            return fail(p->err, GLSHAPE_CANCELLED, "%s: interrupted after %lu of %lu rows; %s", p->path,
                        (unsigned long)p->done, (unsigned long)n, kept);
        if (p->done == n) return GLSHAPE_OK;
        TRY(write_step(p, n - p->done < p->step ? n - p->done : p->step));
    }
}

/* ---- files ------------------------------------------------------------------------------------------ */

static glshape_status join(error *err, const char *path, const char *tail, char **out) {
    size_t room = strlen(path) + strlen(tail) + 1;
    TRY(allocate(err, out, room, 1, path));
    snprintf(*out, room, "%s%s", path, tail);
    return GLSHAPE_OK;
}

static glshape_status name_files(packer *p, const char *path) {
    struct stat info;
    TRY(io_output_check(p->err, path));
    bool there = !stat(path, &info);
    if (!strcmp(path, "-") || (there && !S_ISREG(info.st_mode)))
        return fail(p->err, GLSHAPE_BAD_ARGUMENT, "%s is no file: distances are packed into a file",
                    strcmp(path, "-") ? path : "standard output");
    OWNED char *real = there ? realpath(path, NULL) : NULL;
    TRY(join(p->err, real ? real : path, "", &p->path));
    TRY(join(p->err, p->path, ".part", &p->part));
    return join(p->err, p->part, ".state", &p->state);
}

/* The lock ends with the process, however that ends. */
static glshape_status lock(const packer *p) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!fcntl(p->fd, F_SETLK, &whole) || (errno != EACCES && errno != EAGAIN)) return GLSHAPE_OK;
    return fail(p->err, GLSHAPE_IO_ERROR, "%s is being written by another process", p->part);
}

/* Sets p->done to the rows that are there and are of this input. A part without a state is not ours: the
 * state is there before the first byte of the part. */
static glshape_status find_done(packer *p) {
    struct stat info;
    bool there;
    const distances_identity *input = &p->in->identity;
    if (fstat(p->fd, &info)) return cannot(p, errno);
    if (input->known && info.st_dev == input->device && info.st_ino == input->inode)
        return fail(p->err, GLSHAPE_BAD_ARGUMENT,
                    "%s is the input, and would be written over: give the output another name", p->part);
    p->done = pack_state_read(p->state, p->in, p->o.symmetrize, &there);
    if (info.st_size && !there)
        return fail(p->err, GLSHAPE_BAD_ARGUMENT,
                    "%s is in the way and was not left by an earlier run (%s is missing): remove it", p->part,
                    p->state);
    if ((uint64_t)info.st_size < row_at(p, p->done)) p->done = 0;
    return GLSHAPE_OK;
}

static glshape_status start_part(packer *p) {
    bool removed = !p->in->identity.known; /* if the run is interrupted: there would be no other like it */
    bool fresh = removed && access(p->part, F_OK);
    if (fresh) io_temporary_watch(&p->watched[0], p->part);
    p->fd = open(p->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (p->fd < 0) return fail(p->err, GLSHAPE_IO_ERROR, "cannot write %s: %s", p->part, strerror(errno));
    TRY(lock(p));
    TRY(find_done(p));
    if (p->o.resumed) *p->o.resumed = p->done;
    if (p->done) return GLSHAPE_OK;
    if (removed && !fresh) io_temporary_watch(&p->watched[0], p->part);
    if (removed) io_temporary_watch(&p->watched[1], p->state);
    if (!pack_state_write(p->state, p->in, p->o.symmetrize, 0)) return cannot(p, errno);
    if (ftruncate(p->fd, 0)) return cannot(p, errno);
    return write_header(p);
}

static void discard(const packer *p) {
    unlink(p->part);
    unlink(p->state);
}

/* Puts the file in place, if the input is what it was when it was opened: rows of two versions are of no use.
 */
static glshape_status finish(packer *p) {
    struct stat old;
    const distances_identity *was = &p->in->identity;
    distances_identity is = p->in->fd < 0 ? *was : distances_identify(p->in->fd);
    if (is.size != was->size || is.seconds != was->seconds || is.nanoseconds != was->nanoseconds) {
        discard(p);
        return fail(p->err, GLSHAPE_IO_ERROR, "%s changed while it was being read; nothing is kept",
                    p->in->name);
    }
    if (!stat(p->path, &old)) (void)!fchmod(p->fd, old.st_mode & 0777);
    if (ftruncate(p->fd, (off_t)row_at(p, p->in->n)) || fsync(p->fd)) return cannot(p, errno);
    if (rename(p->part, p->path)) return cannot(p, errno);
    unlink(p->state);
    return GLSHAPE_OK;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

/* However the call ends, the caller learns how far it came. */
static void packer_end(packer *p) {
    if (p->o.done) *p->o.done = p->done;
    if (p->fd >= 0) close(p->fd);
    for (int i = 0; i < 2; i++) io_temporary_forget(&p->watched[i]);
    free(p->rows);
    free(p->path);
    free(p->part);
    free(p->state);
}

glshape_status io_pack(error *err, io_distances *in, const char *path, const io_pack_options *o) {
    OWNED_BY(packer_end) packer p = {.err = err, .in = in, .fd = -1};
    if (o) p.o = *o;
    TRY(name_files(&p, path));
    size_t row = in->n * sizeof(float), step = p.o.step ? p.o.step : STEP;
    size_t rows = step / row ? step / row : 1;
    p.step = rows < in->n ? (uint32_t)rows : in->n;
    TRY(allocate(err, &p.rows, p.step, row, in->name));
    TRY(start_part(&p));
    glshape_status status = write_rows(&p);
    if (status && !in->identity.known) discard(&p);
    return status ? status : finish(&p);
}
