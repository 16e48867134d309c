/* Simplices as the passes keep those of columns (glsl/rips/packed.glsl): vertices, the greatest first, of as
 * many bits each as the program is told; 80 bits in all, from the highest one of three words down. */
#ifndef GLSHAPE_RIPS_PACKED_H
#define GLSHAPE_RIPS_PACKED_H

#include <string.h>

#include "rips/space.h"

#define RIPS_PACKED_VERTICES 5
#define RIPS_PACKED_BITS 80
#define RIPS_VERTEX_BITS (RIPS_PACKED_BITS / RIPS_PACKED_VERTICES)
#define RIPS_PACKED_POINTS (UINT32_C(1) << RIPS_VERTEX_BITS)

/* bits: of a vertex. */
static inline void rips_pack(const rips_space *s, const cell *from, int vertices, uint32_t bits,
                             uint32_t to[4]) {
    uint32_t v[RIPS_PACKED_VERTICES];
    simplex_table_vertices(&s->simplices, from->index, vertices, v);
    to[0] = to[1] = 0;
    to[2] = from->coefficient;
    for (int k = 0; k < vertices; k++) {
        uint32_t at = 96 - bits * ((uint32_t)k + 1), word = 2 - at / 32;
        uint64_t moved = (uint64_t)v[k] << at % 32;
        to[word] |= (uint32_t)moved;
        if (word) to[word - 1] |= (uint32_t)(moved >> 32);
    }
    memcpy(&to[3], &from->value, sizeof to[3]);
}

/* Returns false for what is no simplex of so many vertices. */
static inline bool rips_unpack(const rips_space *s, const uint32_t from[4], int vertices, uint32_t bits,
                               cell *to) {
    uint32_t v[RIPS_PACKED_VERTICES];
    bool right = true;
    for (int k = 0; k < vertices; k++) {
        uint32_t at = 96 - bits * ((uint32_t)k + 1), word = 2 - at / 32;
        uint64_t both = (word ? (uint64_t)from[word - 1] << 32 : 0) | from[word];
        v[k] = (uint32_t)(both >> at % 32) & ((UINT32_C(1) << bits) - 1);
        right = right && v[k] < (k ? v[k - 1] : s->n);
    }
    to->coefficient = from[2] & 0xffff;
    memcpy(&to->value, &from[3], sizeof to->value);
    if (!right || to->coefficient >= s->modulus) return false;
    to->index = simplex_table_index(&s->simplices, v, vertices);
    return true;
}

#endif
