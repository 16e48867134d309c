/* Isolated points have no neighbor within the threshold. The work on neighbor lists leaves them out; each of
 * them is an essential class of dimension 0 in the result. */
#ifndef GLSHAPE_RIPS_ISOLATED_H
#define GLSHAPE_RIPS_ISOLATED_H

#include "glshape.h"
#include "rips/space.h"

/* The points that are not isolated. */
typedef struct rips_kept {
    uint32_t n;      /* all points */
    uint32_t *point; /* their numbers before, ascending; NULL: no point is isolated */
    float *birth;    /* of all points; NULL: all are 0 */
} rips_kept;

/* Renumbers s, which has a graph and no matrix, so that only points with a neighbor are left, in their order:
 * ties are broken as before. Fills *kept (rips_kept_free(), also after a failure). GLSHAPE_NO_MEMORY. */
glshape_status rips_drop_isolated(error *err, rips_space *s, rips_kept *kept);

/* Gives the simplices of a result of s the indices that they have among all points, and adds the intervals of
 * the isolated points, those of births up to r->threshold; essential classes of dimension 0 stay in
 * descending order of their points. The indices fit, as rips_space_check() says. GLSHAPE_NO_MEMORY. */
glshape_status rips_restore_isolated(error *err, const rips_kept *kept, const rips_space *s,
                                     glshape_rips_result *r);

void rips_kept_free(rips_kept *kept);

#endif
