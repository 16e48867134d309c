/* Values that are integers of 64 bits, which a double may not hold. */
#ifndef GLSHAPE_BASE_WHOLE_H
#define GLSHAPE_BASE_WHOLE_H

#include <glshape.h>

static inline bool whole_is(const glshape_field *f) {
    return f->type == GLSHAPE_I64 || f->type == GLSHAPE_U64;
}

/* The value of vertex v of such a field, as a number that is ordered as the values are. */
static inline uint64_t whole_key(const glshape_field *f, size_t v) {
    return ((const uint64_t *)f->values)[v] ^ (f->type == GLSHAPE_I64 ? (uint64_t)1 << 63 : 0);
}

/* The exact difference of two values of such a field. */
static inline uint64_t whole_gap(const glshape_field *f, size_t v, size_t w) {
    uint64_t a = whole_key(f, v), b = whole_key(f, w);
    return a > b ? a - b : b - a;
}

#endif
