/* Representative cocycles: which columns of the reduction matrix a caller of glshape_rips is given. */
#ifndef GLSHAPE_RIPS_COCYCLES_H
#define GLSHAPE_RIPS_COCYCLES_H

#include "glshape.h"
#include "persistence/reduce.h"
#include "rips/enumerate.h"

typedef struct rips_cocycles {
    glshape_rips_result *r;
    float ratio;             /* as the options say */
    glshape_optional length; /* likewise */
    size_t room;             /* cocycles */
    /* Of the dimension at work. */
    const rips_columns *columns;
    const persistence_death *deaths;
    float least;     /* intervals longer than this have their cocycles kept */
    size_t interval; /* the one that the next column with an interval will be */
    bool failed;     /* for want of memory */
} rips_cocycles;

/* Whether a pair is an interval that is asked for. */
static inline bool rips_is_interval(float birth, float death, float ratio) { return death > birth * ratio; }

/* Before the columns of a dimension are reduced; both must last until they are, and the intervals so far are
 * in the result. */
void rips_cocycles_begin(rips_cocycles *k, const rips_columns *columns, const persistence_death *deaths);
/* A persistence_cocycle; user: the rips_cocycles. Columns come in their order, when all deaths are known. */
void rips_cocycles_take(void *user, uint32_t j, const cell *terms, size_t count);

#endif
