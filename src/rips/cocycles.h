/* Representative cocycles: the columns of the reduction matrix that glshape_rips returns. */
#ifndef GLSHAPE_RIPS_COCYCLES_H
#define GLSHAPE_RIPS_COCYCLES_H

#include "glshape.h"
#include "persistence/reduce.h"
#include "rips/codes.h"
#include "rips/enumerate.h"

typedef struct rips_cocycles {
    glshape_rips_result *r;
    const rips_codes *codes; /* that births and deaths have */
    float ratio;             /* as the options say */
    glshape_optional length; /* likewise */
    size_t room;             /* cocycles */
    /* Of the dimension at work. */
    const rips_columns *columns;
    const persistence_death *deaths;
    float least;     /* the cocycles of intervals longer than this are kept */
    size_t interval; /* the interval that the next column with an interval will be */
    bool failed;     /* for want of memory */
} rips_cocycles;

/* Returns true if a pair is an interval that the options ask for. */
static inline bool rips_is_interval(float birth, float death, float ratio) { return death > birth * ratio; }

/* Called before the columns of a dimension are reduced, when the intervals of lower dimensions are in the
 * result. columns and deaths must last until the reduction is done. */
void rips_cocycles_begin(rips_cocycles *k, const rips_columns *columns, const persistence_death *deaths);
/* A persistence_cocycle, whose user is the rips_cocycles. It is called for the columns in their order, when
 * all deaths are known. */
void rips_cocycles_take(void *user, uint32_t j, const cell *terms, size_t count);

#endif
