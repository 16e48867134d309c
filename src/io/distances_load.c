#include "io/distances_load.h"

#include <stdlib.h>

#include "base/memory.h"
#include "io/npy.h"
#include "io/room.h"

enum { CHUNK = 1 << 16 }; /* values at a time */

typedef struct loader {
    error *err;
    io_stream *s;
    io_distances *d;
    uint64_t expected, count;
    const char *shape;
    size_t capacity;
    double *raw; /* room for CHUNK values of any type */
} loader;

uint64_t distances_bytes(uint64_t header, uint64_t count, size_t item) {
    const uint64_t most = INT64_MAX; /* of off_t */
    return count > (most - header) / item ? UINT64_MAX : header + count * item;
}

glshape_status distances_wrong_size(error *err, const char *name, const char *shape, uint64_t expected,
                                    uint64_t found, bool or_more) {
    return fail(err, GLSHAPE_BAD_INPUT, "%s: %llu bytes are expected (%s), the file has %llu%s; %s", name,
                (unsigned long long)expected, shape, (unsigned long long)found, or_more ? " or more" : "",
                found < expected ? "it is cut short" : "something follows the matrix");
}

static glshape_status append(loader *l, size_t bytes) {
    size_t item = l->d->item->bytes, some = bytes / item;
    if (!some) return GLSHAPE_OK;
    size_t limit = l->expected < SIZE_MAX ? (size_t)l->expected : SIZE_MAX;
    size_t need = (size_t)l->count + some;
    TRY(io_room_grow(l->err, l->s->name, &l->d->values, &l->capacity, need, limit, sizeof(float)));
    if (l->d->swapped) io_swap_bytes(l->raw, some, item);
    l->d->item->to_float(l->d->values + l->count, l->raw, some);
    l->count += some;
    return GLSHAPE_OK;
}

static glshape_status odd_bytes(const loader *l) {
    return fail(l->err, GLSHAPE_BAD_INPUT, "%s has %llu bytes, which is not a whole number of values of %zu",
                l->s->name, (unsigned long long)l->s->taken, l->d->item->bytes);
}

static glshape_status check_end(const loader *l, uint64_t header) {
    size_t item = l->d->item->bytes;
    uint64_t expected = distances_bytes(header, l->expected, item);
    if (l->s->taken < expected)
        return distances_wrong_size(l->err, l->s->name, l->shape, expected, l->s->taken, false);
    char extra;
    size_t got;
    TRY(io_stream_read(l->err, l->s, &extra, 1, &got));
    if (!got) return GLSHAPE_OK;
    return distances_wrong_size(l->err, l->s->name, l->shape, expected, l->s->taken, true);
}

static glshape_status read_chunks(loader *l) {
    uint64_t header = l->s->taken;
    size_t item = l->d->item->bytes, got = 1;
    while (l->count < l->expected && got) {
        size_t some = l->expected - l->count < CHUNK ? (size_t)(l->expected - l->count) : CHUNK;
        TRY(io_stream_read(l->err, l->s, l->raw, some * item, &got));
        if (l->expected == UINT64_MAX && got % item) return odd_bytes(l);
        TRY(append(l, got));
    }
    return l->expected == UINT64_MAX ? GLSHAPE_OK : check_end(l, header);
}

glshape_status distances_load(error *err, io_stream *s, uint64_t expected, const char *shape, io_distances *d,
                              uint64_t *count) {
    loader l = {.err = err, .s = s, .d = d, .expected = expected, .shape = shape};
    size_t known = expected != UINT64_MAX       ? (size_t)expected
                   : s->size != IO_SIZE_UNKNOWN ? (size_t)(s->size / d->item->bytes)
                                                : 0;
    TRY(io_room_check(err, s->name, times(known, sizeof(float))));
    TRY(allocate(err, &l.raw, CHUNK, sizeof *l.raw, s->name));
    if (s->size != IO_SIZE_UNKNOWN) /* the size is true: no growing by pieces */
        d->values = malloc(known ? times(known, sizeof(float)) : 1);
    if (d->values) l.capacity = known;
    glshape_status status = read_chunks(&l);
    free(l.raw);
    *count = l.count;
    return status;
}
