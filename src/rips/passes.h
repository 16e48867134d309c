/* The passes of this folder, one table. */
#ifndef GLSHAPE_RIPS_PASSES_H
#define GLSHAPE_RIPS_PASSES_H

#include "gpu/gpu.h"

enum { RIPS_EDGES, RIPS_CANDIDATES, RIPS_COLUMNS };

#define RIPS_LOCAL 64u      /* invocations a group */
#define RIPS_MOST_ROOM 6144 /* points of a lune that a group has room for in shared memory */

extern const gpu_pass rips_passes[];
extern const int rips_pass_count;

#endif
