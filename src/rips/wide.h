/* A very long column of the reduction by passes, as all threads do it (persistence/wide.h). All of it stays
 * on the device: its cofacets of a range of values, each once with its sum, and its terms. In a round, cells
 * whose sum has changed are looked at; those in apparent pairs are cancelled by the cofacets of their facets,
 * and others settle. */
#ifndef GLSHAPE_RIPS_WIDE_H
#define GLSHAPE_RIPS_WIDE_H

#include "gpu/gpu.h"
#include "persistence/reduce.h"
#include "rips/space.h"

#define RIPS_WIDE_COUNTS 74

typedef struct rips_wide {
    gpu *g;
    const rips_space *s;
    gpu_texture *dist; /* of rips_enumeration */
    int dim;           /* of the terms */
    uint32_t room;     /* cells of a range; 0: as many as suit the device */
    bool made, unfit;  /* the textures are there; the device is not for long columns */
    bool fits;         /* the passes have bits for simplices of this dimension */
    gpu_texture cells, sums, slots, touched, settled, left, terms, term_sums, term_slots, added, counts;
    uint32_t count[RIPS_WIDE_COUNTS];             /* as last read */
    uint32_t busy;                                /* cells of a round, about */
    uint32_t round, term_count, in_table, before; /* terms in their table; terms before the range */
    uint32_t parts; /* of the range, from the first on, whose cells are listed */
    bool in_range;
    float from, bound, step, first_step;
    float next; /* the bound of the next range, if above `bound` */
    uint64_t cofacets;
    uint64_t columns; /* that the device has begun */
} rips_wide;

/* Makes *device one that reduces columns of simplices of dimension dim, whose matrix of distances is in dist.
 * w is all 0 the first time, and keeps its textures for the next dimension; none is made before a column is
 * long. rips_wide_free(w). */
void rips_wide_begin(gpu *g, const rips_space *s, gpu_texture *dist, int dim, rips_wide *w,
                     persistence_device *device);
void rips_wide_free(rips_wide *w);
/* *why stays, if it is for the device, where the driver runs the programs rightly (check.c). */
glshape_status rips_is_for_wide(gpu *g, run_why *why);

#endif
