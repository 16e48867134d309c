/* Simplices as the passes keep those of columns (glsl/rips/packed.glsl): up to five vertices of 16 bits. */
#ifndef GLSHAPE_RIPS_PACKED_H
#define GLSHAPE_RIPS_PACKED_H

#include <string.h>

#include "rips/space.h"

#define RIPS_PACKED_POINTS 65536u
#define RIPS_PACKED_VERTICES 5

static inline void rips_pack(const rips_space *s, const cell *from, int vertices, uint32_t to[4]) {
    uint32_t v[RIPS_PACKED_VERTICES + 1] = {0};
    simplex_table_vertices(&s->simplices, from->index, vertices, v);
    to[0] = v[0] << 16 | v[1];
    to[1] = v[2] << 16 | v[3];
    to[2] = v[4] << 16 | from->coefficient;
    memcpy(&to[3], &from->value, sizeof to[3]);
}

/* Returns false for what is no simplex of so many vertices. */
static inline bool rips_unpack(const rips_space *s, const uint32_t from[4], int vertices, cell *to) {
    const uint32_t v[RIPS_PACKED_VERTICES + 1] = {from[0] >> 16, from[0] & 0xffff, from[1] >> 16,
                                                  from[1] & 0xffff, from[2] >> 16};
    bool right = v[0] < s->n;
    for (int k = 1; k < vertices; k++) right = right && v[k] < v[k - 1];
    to->coefficient = from[2] & 0xffff;
    memcpy(&to->value, &from[3], sizeof to->value);
    if (!right || to->coefficient >= s->modulus) return false;
    to->index = simplex_table_index(&s->simplices, v, vertices);
    return true;
}

#endif
