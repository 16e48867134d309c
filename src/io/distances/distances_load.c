#include "io/distances/distances_load.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/npy.h"
#include "io/room.h"

enum { CHUNK = 1 << 16 }; /* values at a time */

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

/* All of a matrix has been read; nothing may follow it. header: bytes before it. */
static glshape_status check_end(error *err, io_stream *s, uint64_t header, uint64_t values, size_t item,
                                const char *shape) {
    uint64_t expected = distances_bytes(header, values, item);
    if (s->taken < expected) return distances_wrong_size(err, s->name, shape, expected, s->taken, false);
    char extra;
    size_t got;
    TRY(io_stream_read(err, s, &extra, 1, &got));
    return got ? distances_wrong_size(err, s->name, shape, expected, s->taken, true) : GLSHAPE_OK;
}

glshape_status distances_load(error *err, io_stream *s, uint64_t expected, const char *shape, io_distances *d,
                              uint64_t *count) {
    OWNED double *raw = NULL; /* room for CHUNK values of any type */
    uint64_t header = s->taken;
    size_t item = d->item->bytes, limit = expected < SIZE_MAX ? (size_t)expected : SIZE_MAX;
    size_t known = expected != UINT64_MAX       ? (size_t)expected
                   : s->size != IO_SIZE_UNKNOWN ? (size_t)(s->size / item)
                                                : 0;
    d->values.wide = d->precise && !distances_is_single(d->item);
    size_t value = distances_size(d->values);
    TRY(io_room_check(err, s->name, times(known, value)));
    TRY(allocate(err, &raw, CHUNK, sizeof *raw, s->name));
    if (s->size != IO_SIZE_UNKNOWN) /* the size is true: no growing by pieces */
        d->values.at = malloc(known ? times(known, value) : 1);
    size_t capacity = d->values.at ? known : 0, got = 1;
    for (*count = 0; *count < expected && got;) {
        size_t some = expected - *count < CHUNK ? (size_t)(expected - *count) : CHUNK;
        TRY(io_stream_read(err, s, raw, some * item, &got));
        if (expected == UINT64_MAX && got % item)
            return fail(err, GLSHAPE_BAD_INPUT,
                        "%s has %llu bytes, which is not a whole number of values of %zu", s->name,
                        (unsigned long long)s->taken, item);
        some = got / item;
        if (!some) continue;
        TRY(io_room_grow(err, s->name, &d->values.at, &capacity, (size_t)*count + some, limit, value));
        if (d->swapped) io_swap_bytes(raw, some, item);
        distances_convert(d, distances_from(d->values, (size_t)*count), raw, some);
        *count += some;
    }
    return expected == UINT64_MAX ? GLSHAPE_OK : check_end(err, s, header, expected, item, shape);
}
