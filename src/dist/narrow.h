/* Points of 64-bit integers that double precision does not have, such as nanoseconds since 1970. */
#ifndef GLSHAPE_DIST_NARROW_H
#define GLSHAPE_DIST_NARROW_H

#include "base/error.h"

/* Points, and perhaps queries. Where one of their values is an integer that double precision does not have,
 * they are copies in double, less the least value of each column: the differences of points are the same.
 * Otherwise they are the caller's. */
typedef struct dist_narrowed {
    glshape_matrix points, queries;
    double *copies[2];
} dist_narrowed;

/* queries may be NULL. Nothing is done for cosine distances. GLSHAPE_BAD_INPUT, with row and column: the
 * metric is correlation; or an integer is beyond double precision even so; or not all values of points and
 * queries are integers of one type, int64 or uint64. GLSHAPE_NO_MEMORY. dist_narrowed_free() it, also after a
 * failure. */
glshape_status dist_narrow(error *err, const glshape_matrix *points, const glshape_matrix *queries,
                           glshape_metric metric, dist_narrowed *out);
void dist_narrowed_free(dist_narrowed *n);

/* A source whose points are narrowed; other sources stay as they are. */
glshape_status dist_narrow_source(error *err, const glshape_source *source, dist_narrowed *narrowed,
                                  glshape_source *out);

#endif
