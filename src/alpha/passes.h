/* The passes of this folder. */
#ifndef GLSHAPE_ALPHA_PASSES_H
#define GLSHAPE_ALPHA_PASSES_H

#include "gpu/gpu.h"

enum {
    ALPHA_LEAF,
    ALPHA_MEET,
    ALPHA_MEET_EXACTLY,
    ALPHA_ZIP,
    ALPHA_ZIP_EXACTLY,
    ALPHA_OWN,
    ALPHA_PLACE,
    ALPHA_SORT,
    ALPHA_NUMBER,
    ALPHA_COLLECT,
    ALPHA_PASSES
};

extern const gpu_pass alpha_passes[];
extern const int alpha_pass_count;

#define ALPHA_LOCAL 64u /* invocations of a group of all but those that decide exactly */
#define ALPHA_EXACT_LOCAL 8u
static inline uint32_t alpha_groups(uint64_t n) { return (uint32_t)((n + ALPHA_LOCAL - 1) / ALPHA_LOCAL); }

#endif
