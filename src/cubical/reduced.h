/* Columns of the reduction of dimension 1 that passes have made, and reduced as far as they do: an edge's
 * squares, to which earlier columns with the same first square were added. Modulo 2. */
#ifndef GLSHAPE_CUBICAL_REDUCED_H
#define GLSHAPE_CUBICAL_REDUCED_H

#include "base/radix.h"
#include "cubical/cubes.h"
#include "cubical/flow.h"
#include "cubical/listing.h"

#define REDUCED_SETTLED 0x80000000u /* of the second part of a column: it owns its first square */
#define REDUCED_COUNT 0x3fffffffu   /* how many entries it has */
#define REDUCED_STAYS 0x80000000u   /* of the second part of an entry: these squares are critical */

/* glsl/cubical/pivots.glsl says what these are. */
typedef struct cubical_reduced {
    size_t count;      /* edges */
    gpu_texture pairs; /* RGBA32UI, of each edge: owner and key of it, key and owner of the square that ends
                          it, or all bits: mergetree_pairs */
    grid_field *lent;  /* their keys; NULL: own */
    grid_field own;
    uint32_t (*edge)[2]; /* of each edge: owner, direction */
    uint32_t (*column)[2], (*entry)[2], *slots;
    uint32_t used, slot_bits; /* entries; the table has 2^slot_bits slots */
    uint64_t squares;         /* entries before columns were added */
    size_t lost;              /* edges whose squares are not known */
} cubical_reduced;
void cubical_reduced_free(cubical_reduced *r);
size_t cubical_reduced_bytes(const cubical_reduced *r); /* of host memory */

/* How far passes go. */
typedef struct cubical_effort {
    uint32_t first_turns, turns; /* of loops: an edge flows for about as many at first, a column in a round */
    uint32_t longest, brief;     /* entries that are added to others, and by one invocation */
    uint32_t rounds;             /* in which columns are added, at most */
} cubical_effort;
/* All that the device may do. */
cubical_effort cubical_full_effort(const gpu *g);

/* What is reduced. */
typedef struct cubical_job {
    const cubical_keys *keys;     /* on the device, or on the host */
    const _Atomic uint8_t *ended; /* as cubes have it, or */
    gpu_texture *ended_on_gpu;    /* NULL, or the same, of four vertices an element */
    gpu_texture *columns;         /* as cubical_edges has them */
    uint32_t count;               /* of them */
    int threads;                  /* to which few columns are left; 0: one a processor */
    cubical_effort effort;
} cubical_job;

/* Fills *out (cubical_reduced_free()), which uses the keys on the device as long as it is there. Errors:
 * GLSHAPE_NO_GPU_MEMORY, GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status cubical_reduce_by_passes(gpu *g, const cubical_job *job, cubical_reduced *out);
#define REDUCED_UNTOUCHED (UINT32_MAX - 1) /* of an edge that ends where passes have it */
/* Ends edges at other squares: deaths, of each edge: the owner of its square, or UINT32_MAX, or
 * REDUCED_UNTOUCHED. */
glshape_status cubical_reduced_end(gpu *g, cubical_reduced *r, const uint32_t *deaths);
/* *why stays, if it is for the device, where the driver does this rightly (check.c). */
glshape_status cubical_reduction_is_for_passes(gpu *g, run_why *why);

/* Whether passes have left this column to threads. */
static inline bool reduced_is_left(const cubical_reduced *r, size_t e) {
    return r->column[e][0] == UINT32_MAX || (r->column[e][1] && !(r->column[e][1] & REDUCED_SETTLED));
}
/* Whether its squares are not known. */
static inline bool reduced_is_lost(const cubical_reduced *r, size_t e) {
    return r->column[e][0] == UINT32_MAX;
}
/* Returns how many squares a column has; 0: it makes no sense. */
size_t reduced_squares(const cubical_reduced *r, size_t e);
/* Fills out, of as many, with them. False: they make no sense. */
bool reduced_list(const cubical_reduced *r, const cubes *c, size_t e, sparse_term *out);
/* Whether a column owns this square, and which. */
bool reduced_find(const cubical_reduced *r, const sparse_term *pivot, uint32_t *owner);

#endif
