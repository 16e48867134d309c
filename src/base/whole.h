/* Values that are integers of 64 bits, which a double may not hold. */
#ifndef GLSHAPE_BASE_WHOLE_H
#define GLSHAPE_BASE_WHOLE_H

#include <glshape.h>

static inline bool whole_is(const glshape_field *f) {
    return f->type == GLSHAPE_I64 || f->type == GLSHAPE_U64;
}

/* The bits of an integer of type I64 or U64 as a number that is ordered as the integers are. */
static inline uint64_t whole_key_of(glshape_type type, uint64_t bits) {
    return bits ^ (type == GLSHAPE_I64 ? (uint64_t)1 << 63 : 0);
}

/* The value of vertex v of a field of such integers, so. */
static inline uint64_t whole_key(const glshape_field *f, size_t v) {
    return whole_key_of(f->type, ((const uint64_t *)f->values)[v]);
}

/* The exact difference of two values of such a field. */
static inline uint64_t whole_gap(const glshape_field *f, size_t v, size_t w) {
    uint64_t a = whole_key(f, v), b = whole_key(f, w);
    return a > b ? a - b : b - a;
}

/* Returns true if double precision has an integer of this magnitude: it has at most 53 bits between its first
 * and its last that is 1. */
static inline bool whole_is_double(uint64_t magnitude) {
    while (magnitude >> 53 && !(magnitude & 1)) magnitude >>= 1;
    return !(magnitude >> 53);
}

#endif
