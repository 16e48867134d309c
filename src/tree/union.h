/* Union–find on the CPU. A root is its own parent. */
#ifndef GLSHAPE_TREE_UNION_H
#define GLSHAPE_TREE_UNION_H

#include <stdint.h>

/* The root of v's set. Halves the path on the way. */
static inline uint32_t union_find(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

#endif
