#include "io/field/hdf5_pieces.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "io/raw.h"

glshape_status io_hdf5_is_unreadable(error *err, const io_stream *s, const io_dataset *d) {
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s: the values of '%s' cannot be read: it is damaged or cut short, or somebody writes it",
                s->name, d->name);
}

typedef struct reading {
    const io_stream *s;
    const io_dataset *d;
    const io_hdf5_pieces *p;
    char *to;
    size_t item, bytes; /* of a value, of a piece */
    size_t abreast;     /* pieces that begin at the same place of the first axis */
    bool slabs;
} reading;

/* Whether pieces are whole along all axes but the first: then each is one piece in memory, too. */
static bool are_slabs(const io_dataset *d, const io_hdf5_pieces *p) {
    for (int k = 1; k < d->dims; k++)
        if (p->extent[k] != d->extent[k]) return false;
    return true;
}

typedef struct runs {
    size_t bytes, count, from_step, to_step;
} runs;

/* A copy of so many bytes is one instruction if the compiler knows how many. */
static void copy_runs(const runs *r, const char *from, char *to) {
#define COPY(size) \
    for (size_t k = 0; k < r->count; k++) memcpy(to + k * r->to_step, from + k * r->from_step, size)
    if (r->bytes == 8) COPY(8);
    else if (r->bytes == 4) COPY(4);
    else COPY(r->bytes);
#undef COPY
}

/* Copies the values of a piece of two axes or more to where they belong; beyond the last value a piece has
 * none. */
static void place(const reading *r, const io_hdf5_piece *p, const char *from) {
    int last = r->d->dims - 1, rows = last - 1;
    size_t at[IO_DATASET_DIMENSIONS] = {0};
    uint64_t end[IO_DATASET_DIMENSIONS] = {0};
    for (int k = 0; k <= last; k++) {
        uint64_t left = r->d->extent[k] - p->first[k];
        end[k] = left < r->p->extent[k] ? left : r->p->extent[k];
    }
    const runs rows_of = {.bytes = end[last] * r->item,
                          .count = end[rows],
                          .from_step = r->p->extent[last] * r->item,
                          .to_step = r->d->extent[last] * r->item};
    for (;;) {
        size_t source = 0, target = 0;
        for (int k = 0; k <= last; k++) {
            source = source * r->p->extent[k] + at[k];
            target = target * r->d->extent[k] + p->first[k] + at[k];
        }
        copy_runs(&rows_of, from + source * r->item, r->to + target * r->item);
        int k = rows - 1;
        for (; k >= 0 && ++at[k] == end[k]; k--) at[k] = 0;
        if (k < 0) return;
    }
}

static glshape_status read_whole(error *err, const reading *r, uint64_t at, char *to, size_t bytes) {
    size_t got;
    TRY(io_raw_read_at(err, r->s->name, r->s->fd, at, to, bytes, &got));
    return got == bytes ? GLSHAPE_OK : io_hdf5_is_unreadable(err, r->s, r->d);
}

/* Reads a piece; by way of `piece`, unless it is one in memory, too. */
static glshape_status read_piece(error *err, const reading *r, const io_hdf5_piece *p, char *piece) {
    for (int k = 0; k < r->d->dims; k++)
        if (p->first[k] >= r->d->extent[k]) return io_hdf5_is_unreadable(err, r->s, r->d);
    size_t row = r->bytes / (size_t)r->p->extent[0], left = (size_t)(r->d->extent[0] - p->first[0]) * row;
    if (r->slabs)
        return read_whole(err, r, p->at, r->to + p->first[0] * row, left < r->bytes ? left : r->bytes);
    TRY(read_whole(err, r, p->at, piece, r->bytes));
    place(r, p, piece);
    return GLSHAPE_OK;
}

/* Pieces abreast are read by one thread, because two that store into the same lines of caches wait for each
 * other. */
static glshape_status read_abreast(error *err, void *user, uint64_t block, void *piece) {
    const reading *r = user;
    for (uint64_t k = 0; k < r->abreast; k++)
        TRY(read_piece(err, r, &r->p->all[block * r->abreast + k], piece));
    return GLSHAPE_OK;
}

glshape_status io_hdf5_read_pieces(error *err, const io_stream *s, const io_dataset *d,
                                   const io_hdf5_pieces *p, char *to) {
    reading r = {.s = s, .d = d, .p = p, .to = to, .slabs = are_slabs(d, p)};
    r.bytes = r.item = (size_t)(d->code[1] - '0');
    r.abreast = 1;
    for (int k = 0; k < d->dims; k++) {
        r.bytes = times(r.bytes, (size_t)p->extent[k]);
        if (k && r.bytes) r.abreast = times(r.abreast, (size_t)((d->extent[k] - 1) / p->extent[k] + 1));
    }
    if (!r.bytes || r.bytes > s->size || p->count % r.abreast ||
        p->count / r.abreast != (d->extent[0] - 1) / p->extent[0] + 1)
        return io_hdf5_is_unreadable(err, s, d);
    threads_job job = {.work = read_abreast,
                       .user = &r,
                       .blocks = p->count / r.abreast,
                       .scratch_bytes = r.slabs ? 0 : r.bytes,
                       .name = s->name,
                       /* a large piece is read by threads itself, and few bytes are not worth them */
                       .threads = r.bytes >= IO_RAW_LARGE || s->size < IO_RAW_LARGE};
    return threads_do(err, &job);
}
