/* Fields for glshape_cubical, and what it must answer. */
#ifndef GLSHAPE_TESTS_CUBICAL_IMAGES_H
#define GLSHAPE_TESTS_CUBICAL_IMAGES_H

#include "prim/bench.h"

/* A test case with a context, and memory that ends with each test. */
TCase *images_case(Suite *s, const char *name);
glshape_context *images_context(void);
/* Opens another context with these options. */
void images_reopen(glshape_options options);

/* A field of this type with these values. extents: slowest first. */
glshape_field images_field(int dims, const size_t *shape, const bool *periodic, glshape_type type,
                           const double *values);

/* The intervals are those of the twin: the same dimensions, vertices and values, in the order that glshape.h
 * says. values: the field's. */
void images_check(const glshape_field *f, const double *values, const glshape_cubical_options *o);

#endif
