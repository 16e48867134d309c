/* Paths that lead from vertex to vertex to a minimum, by threads. */
#ifndef GLSHAPE_FIELD_FOREST_H
#define GLSHAPE_FIELD_FOREST_H

#include <stdatomic.h>

#include "base/error.h"

typedef struct forest {
    uint32_t n, count;     /* vertices; minima */
    _Atomic uint32_t *to;  /* of each vertex: one before it in the order; of a minimum: itself */
    uint64_t *is_minimum;  /* of each vertex a bit */
    uint32_t *number_from; /* of each 64 vertices: the number of the first minimum from there on */
} forest;

/* Makes room for the paths of n > 0 vertices: forest_set() each. forest_free(), also after a failure. */
glshape_status forest_new(error *err, uint32_t n, forest *out);
/* The minimum that v leads to, as a vertex, once paths are followed; before, one on the way. */
static inline uint32_t forest_minimum(const forest *f, uint32_t v) {
    return atomic_load_explicit(&f->to[v], memory_order_relaxed);
}
/* to: one before v in the order, or v itself. A thread that sets vertices one by one from `first` on takes
 * over where they lead. */
static inline void forest_set(forest *f, uint32_t v, uint32_t to, uint32_t first) {
    atomic_store_explicit(&f->to[v], to >= first && to < v ? forest_minimum(f, to) : to,
                          memory_order_relaxed);
}
/* Follows all paths: every vertex then leads to its minimum. Numbers the minima by vertex. */
void forest_follow(forest *f);
/* The number of a minimum. */
static inline uint32_t forest_number(const forest *f, uint32_t minimum) {
    uint64_t before = f->is_minimum[minimum / 64] & (((uint64_t)1 << minimum % 64) - 1);
    return f->number_from[minimum / 64] + (uint32_t)__builtin_popcountll(before);
}
/* *minima becomes all of them, by number; free() it. */
glshape_status forest_list(error *err, const forest *f, uint32_t **minima);
void forest_free(forest *f);

#endif
