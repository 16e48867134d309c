#include "io/field/dipha.h"

#include <stdio.h>

#include "base/memory.h"

#define IMAGE 1
#define MOST_DIMENSIONS 8 /* that are read, so that a message can tell them; more are nonsense */

static glshape_status read_number(error *err, io_stream *s, uint64_t *out) {
    unsigned char bytes[8];
    size_t got;
    *out = 0;
    TRY(io_stream_read(err, s, bytes, sizeof bytes, &got));
    if (got < sizeof bytes)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: its DIPHA header ends after %llu bytes",
                    s->name, (unsigned long long)s->taken);
    for (int i = 0; i < 8; i++) *out |= (uint64_t)bytes[i] << 8 * i;
    return GLSHAPE_OK;
}

static glshape_status read_extents(error *err, io_stream *s, uint64_t dimensions, io_npy *out) {
    uint64_t extents[MOST_DIMENSIONS];
    size_t used = 0;
    for (uint64_t k = 0; k < dimensions; k++) {
        TRY(read_number(err, s, &extents[k]));
        if (!extents[k] || extents[k] > SIZE_MAX / 16)
            return fail(err, GLSHAPE_BAD_INPUT, "%s: extent %llu of its DIPHA header is %llu", s->name,
                        (unsigned long long)k + 1, (unsigned long long)extents[k]);
    }
    for (uint64_t k = 0; k < dimensions; k++) {
        if (k < 3) out->extent[k] = (size_t)extents[dimensions - 1 - k];
        used += (size_t)snprintf(out->shape + used, sizeof out->shape - used, k ? ", %llu" : "(%llu",
                                 (unsigned long long)extents[dimensions - 1 - k]);
        if (used >= sizeof out->shape - 1) break;
    }
    if (used < sizeof out->shape - 1) snprintf(out->shape + used, sizeof out->shape - used, ")");
    out->dimensions = (int)dimensions;
    return GLSHAPE_OK;
}

glshape_status io_dipha_read_header(error *err, io_stream *s, io_npy *out) {
    uint64_t magic, kind, values, dimensions, product = 1;
    *out = (io_npy){
        .descr = "<f8", .kind = 'f', .item = 8, .swapped = !io_is_little_endian(), .extent = {1, 1, 1}};
    TRY(read_number(err, s, &magic));
    TRY(read_number(err, s, &kind));
    if (kind != IMAGE)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is a DIPHA file of kind %llu; an image has 1", s->name,
                    (unsigned long long)kind);
    TRY(read_number(err, s, &values));
    TRY(read_number(err, s, &dimensions));
    if (!dimensions || dimensions > MOST_DIMENSIONS)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: its DIPHA header says %llu dimensions", s->name,
                    (unsigned long long)dimensions);
    TRY(read_extents(err, s, dimensions, out));
    for (int i = 0; i < 3 && out->dimensions <= 3; i++) product = times(product, out->extent[i]);
    if (out->dimensions <= 3 && product != values)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: its DIPHA header says %llu values, but its extents are %s",
                    s->name, (unsigned long long)values, out->shape);
    out->header = s->taken;
    return GLSHAPE_OK;
}
