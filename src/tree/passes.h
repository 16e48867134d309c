/* The passes of this folder, one table. */
#ifndef GLSHAPE_TREE_PASSES_H
#define GLSHAPE_TREE_PASSES_H

#include "gpu/gpu.h"

enum {
    TREE_NEAREST_KEY,
    TREE_NEAREST_TO,
    TREE_ALIVE,
    TREE_GATHER,
    TREE_DENSE,
    TREE_DENSE_PACKED,
    TREE_LEAST_KEY,
    TREE_LEAST_LO,
    TREE_LEAST_HI,
    TREE_HOOK,
    TREE_CHASE,
    TREE_PASSES
};

extern const gpu_pass tree_passes[];
extern const int tree_pass_count;

/* Invocations of a group: elements that one takes. */
#define TREE_LOCAL 256u
static inline uint32_t tree_groups(uint32_t n) { return n / TREE_LOCAL + (n % TREE_LOCAL != 0); }

#endif
