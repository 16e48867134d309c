/* What distances and vectors check of the diagrams that a caller gives. */
#ifndef GLSHAPE_COMPARE_DIAGRAMS_H
#define GLSHAPE_COMPARE_DIAGRAMS_H

#include "base/error.h"

/* GLSHAPE_BAD_ARGUMENT: there are none, or too many, or they do not follow one another. */
glshape_status diagrams_check(error *err, const glshape_diagrams *in);
/* GLSHAPE_BAD_INPUT, with the numbers of the diagram and of its pair k, from 1: a NaN, or an infinite birth.
 */
glshape_status diagrams_check_pair(error *err, size_t diagram, size_t k, const double *pair);

#endif
