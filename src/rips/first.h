/* The first cofacet of each column, by passes. It is the pivot with which the reduction begins, and for most
 * columns the one with which it ends. */
#ifndef GLSHAPE_RIPS_FIRST_H
#define GLSHAPE_RIPS_FIRST_H

#include "persistence/reduce.h"
#include "rips/enumerate.h"

/* Fills *out (the caller's to free) for columns of simplices of dimension dim. It stays NULL where threads
 * find the cofacets as they reduce: where the device has no matrix of distances, or there are few columns. */
glshape_status rips_first_cofacets(rips_enumeration *e, int dim, const rips_columns *c,
                                   persistence_first **out);
/* A column as the pass takes it, and the first cofacet as it gives it; false: what it gives is no cofacet. */
void rips_pack_column(const cell *from, uint32_t to[4]);
bool rips_unpack_first(const rips_space *s, int dim, const cell *column, const uint32_t from[4],
                       persistence_first *to);
/* The pass; out: c->count. */
glshape_status rips_find_first(rips_enumeration *e, int dim, const rips_columns *c, persistence_first *out);
/* *why stays, if it is for the device, where the driver runs the program rightly (check.c). */
glshape_status rips_is_for_first(gpu *g, run_why *why);

#endif
