/* Points in binary, a record each, as PLY and PCD have them. */
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cloud/rows.h"
#include "io/raw.h"
#include "io/room.h"

enum { BLOCK = 1 << 18 /* bytes of records that are read at a time */ };

typedef struct reading {
    cloud_rows *r;
    const cloud_records *of;
    size_t bytes, each; /* of a record; records of a block */
    bool straight;      /* a record is a row of values */
    /* Where all are, and where they go. */
    uint64_t at;
    char *to;
} reading;

/* Single precision where all that is read is: doubles would take longer, and twice the memory. */
static bool is_single(const cloud_rows *r, const cloud_type *const *type) {
    for (size_t k = 0; k < r->width; k++)
        if (r->place[k] < r->cols && !cloud_is_single(type[k])) return false;
    return true;
}

static bool is_straight(const reading *d) {
    const cloud_rows *r = d->r;
    bool straight = !d->of->swapped && r->cols == r->width && d->bytes == r->cols * cloud_value_size(r);
    for (size_t k = 0; straight && k < r->width; k++)
        straight = r->place[k] == k && cloud_is_float(d->of->type[k]);
    return straight;
}

void cloud_take_column(cloud_rows *r, size_t k, const cloud_type *type, cloud_bytes from, size_t count,
                       void *rows) {
    if (r->place[k] >= r->cols) return;
    if (r->single) cloud_singles(from, count, (float *)rows + r->place[k], r->cols);
    else cloud_numbers(type, from, count, (double *)rows + r->place[k], r->cols);
}

static void take_records(const reading *d, const char *from, size_t count, void *rows) {
    for (size_t k = 0; k < d->r->width; from += d->of->type[k++]->bytes)
        cloud_take_column(d->r, k, d->of->type[k], (cloud_bytes){from, d->bytes, d->of->swapped}, count,
                          rows);
}

static glshape_status read_block(error *err, void *user, uint64_t block, void *scratch) {
    const reading *d = user;
    uint64_t first = block * d->each, left = d->of->count - first;
    size_t count = left < d->each ? (size_t)left : d->each, got;
    void *rows = d->to + first * d->r->cols * cloud_value_size(d->r), *bytes = d->straight ? rows : scratch;
    TRY(io_raw_read_at(err, d->r->s->name, d->r->s->fd, d->at + first * d->bytes, bytes, count * d->bytes,
                       &got));
    if (got < count * d->bytes)
        return fail(err, GLSHAPE_IO_ERROR, "cannot read %s: it has become shorter while it was read",
                    d->r->s->name);
    if (!d->straight) take_records(d, bytes, count, rows);
    return GLSHAPE_OK;
}

/* By threads, from a plain file that has them all. */
static glshape_status read_by_threads(reading *d) {
    cloud_rows *r = d->r;
    void *rows;
    TRY(io_room_check(r->err, r->s->name, times((size_t)d->of->count, r->cols * cloud_value_size(r))));
    TRY(cloud_new_records(r, (size_t)d->of->count, &rows));
    d->to = rows;
    d->straight = is_straight(d);
    return threads_do(r->err, &(threads_job){.work = read_block,
                                             .user = d,
                                             .blocks = (d->of->count + d->each - 1) / d->each,
                                             .scratch_bytes = d->straight ? 1 : d->each * d->bytes,
                                             .name = r->s->name});
}

static glshape_status read_in_order(const reading *d) {
    OWNED char *block = NULL;
    cloud_rows *r = d->r;
    TRY(allocate(r->err, &block, d->each, d->bytes, r->s->name));
    for (unsigned long long left = d->of->count; left;) {
        size_t count = left < d->each ? (size_t)left : d->each, got;
        void *rows;
        TRY(io_stream_read(r->err, r->s, block, count * d->bytes, &got));
        TRY(cloud_new_records(r, got / d->bytes, &rows));
        take_records(d, block, got / d->bytes, rows);
        if (got < count * d->bytes) return cloud_refuse_end(r, d->of->count);
        left -= count;
    }
    return GLSHAPE_OK;
}

glshape_status cloud_read_records(cloud_rows *r, const cloud_records *of) {
    reading d = {.r = r, .of = of};
    for (size_t k = 0; k < r->width; k++) d.bytes += (size_t)of->type[k]->bytes;
    d.each = BLOCK / d.bytes + 1;
    if (d.each > of->count) d.each = (size_t)of->count + 1;
    r->single = is_single(r, of->type);
    off_t at = r->s->fd >= 0 && of->count < SIZE_MAX / 2 ? lseek(r->s->fd, 0, SEEK_CUR) : -1;
    bool whole = at >= 0 && !r->s->gzip && io_stream_has(r->s, times((size_t)of->count, d.bytes));
    d.at = (uint64_t)at - r->s->have; /* what is in the window comes next */
    return whole && of->count ? read_by_threads(&d) : read_in_order(&d);
}
