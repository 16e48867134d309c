/* Short columns of the reduction by passes, a group of invocations each (glsl/rips/short.glsl). What a group
 * has no room for, and what takes it too long, is left to threads, or to passes for long columns (wide.h). */
#ifndef GLSHAPE_RIPS_SHORT_H
#define GLSHAPE_RIPS_SHORT_H

#include "persistence/reduce.h"
#include "rips/enumerate.h"

/* How much room a group has for a column, and how many turns; less makes it take ways that are seldom taken.
 * There is no more for terms than for cells, because terms are added up where cells are. */
typedef struct rips_short_room {
    uint32_t cells, terms, turns;
    bool scarce;   /* records and terms are hardly more than columns */
    uint32_t each; /* terms that there is room for beside each column's first, on average; 0: three */
} rips_short_room;
#define RIPS_SHORT_ROOM \
    (rips_short_room) { 640, 320, 1u << 16, false, 0 }
/* Where distances are lists: columns have few cofacets and many terms. */
#define RIPS_SHORT_ROOM_OF_LISTS \
    (rips_short_room) { 640, 640, 1u << 20, false, 31 }

typedef struct rips_short {
    persistence_first *first;     /* of each column; NULL: they are not wanted */
    persistence_reduced *reduced; /* the same; NULL: none is */
    cell *terms;                  /* of those that have more than their own cell, */
    uint64_t term_count;          /* ... if some are left */
    uint64_t left;                /* columns that are not reduced */
    uint64_t added, cofacets;     /* columns added; cofacets made */
} rips_short;

/* Reduces columns of simplices of dimension dim; all of *out stays 0 where threads do it. wanted: the first
 * cofacets; where some columns are left they are found, too. rips_short_free(out). */
glshape_status rips_short_reduce(rips_enumeration *e, int dim, const rips_columns *c, bool wanted,
                                 rips_short *out);
/* The passes; e has what rips_enumeration_add_for_short() adds. */
glshape_status rips_short_by_passes(rips_enumeration *e, int dim, const rips_columns *c, rips_short_room room,
                                    bool wanted, rips_short *out);
void rips_short_free(rips_short *s);
/* *why stays, if it is for the device, where the driver runs the programs rightly (check.c). lists:
 * RIPS_OF_MATRIX … */
glshape_status rips_is_for_short(gpu *g, int lists, run_why *why);

#endif
