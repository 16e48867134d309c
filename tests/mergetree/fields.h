/* Fields on grids, computed by glshape_mergetree and by its twin. */
#ifndef GLSHAPE_TESTS_MERGETREE_FIELDS_H
#define GLSHAPE_TESTS_MERGETREE_FIELDS_H

#include "prim/bench.h"
#include "reference/mergetree.h"

/* A test case with a context, and memory that ends with each test. */
TCase *fields_case(Suite *s, const char *name);
glshape_context *fields_context(void);

/* Gives the context so much memory from now on. */
void fields_limit(size_t gpu_memory);

/* Vertices of a grid. */
uint32_t fields_count(const ref_grid *d);
/* The values as a field of a type that can hold them. */
glshape_field fields_of(const ref_grid *d, glshape_type type, const double *values);

/* Triplets and branches of the field are the twin's. values: the field's, or with the same differences. d is
 * not looked at for a graph. Returns the planes in a slab; 0: the field in one piece. */
size_t fields_check(const glshape_field *f, const ref_grid *d, const double *values,
                    const glshape_mergetree_options *o);

#endif
