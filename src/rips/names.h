/* Points without a neighbour are left out of the work on sparse distances; the result has the numbers of all.
 */
#ifndef GLSHAPE_RIPS_NAMES_H
#define GLSHAPE_RIPS_NAMES_H

#include "glshape.h"
#include "rips/space.h"

typedef struct rips_names {
    uint32_t n;      /* of all points */
    uint32_t *point; /* the numbers of those kept, ascending; NULL: all are kept */
} rips_names;

/* Renumbers s, which has a graph and no matrix, so that only points with a neighbour are left, in their
 * order: ties are broken as before. rips_names_free(), also after a failure. */
glshape_status rips_names_take(error *err, rips_space *s, rips_names *names);

/* Puts the numbers of all points into a result of s, and adds the intervals of the points left out; in
 * dimension 0, intervals without end stay in descending order of their points. Indices fit, as
 * rips_space_check() says. */
glshape_status rips_names_restore(error *err, const rips_names *names, const rips_space *s,
                                  glshape_rips_result *r);

void rips_names_free(rips_names *names);

#endif
