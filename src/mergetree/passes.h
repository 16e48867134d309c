/* The passes of this folder, one table. */
#ifndef GLSHAPE_MERGETREE_PASSES_H
#define GLSHAPE_MERGETREE_PASSES_H

#include "gpu/gpu.h"

enum {
    MERGETREE_STEEPEST,
    MERGETREE_LEAST,
    MERGETREE_LOWEST,
    MERGETREE_NUMBER,
    MERGETREE_LINK_SADDLES,
    MERGETREE_CHASE,
    MERGETREE_SADDLES,
    MERGETREE_BORN,
    MERGETREE_OFFER_KEY,
    MERGETREE_OFFER_AT,
    MERGETREE_HOOK,
    MERGETREE_RELABEL,
    MERGETREE_MOVE,
    MERGETREE_SCATTER,
    MERGETREE_SETTLE,
    MERGETREE_REGULAR,
    MERGETREE_DESCEND,
    MERGETREE_DESCEND_LINKS,
    MERGETREE_BEGIN,
    MERGETREE_GO_ON,
    MERGETREE_TIDY,
    MERGETREE_REPAIR,
    MERGETREE_PASSES
};

extern const gpu_pass mergetree_passes[];
extern const int mergetree_pass_count;

/* Vertices that an invocation of MERGETREE_STEEPEST takes: RUN of steepest.glsl. */
#define MERGETREE_RUN 16u

/* Invocations of a group: vertices that one takes. */
#define MERGETREE_LOCAL 256u
static inline uint32_t mergetree_groups(uint32_t n) {
    return n / MERGETREE_LOCAL + (n % MERGETREE_LOCAL != 0);
}

#endif
