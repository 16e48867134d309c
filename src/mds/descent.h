/* The least value of a smooth function, found downhill. */
#ifndef GLSHAPE_MDS_DESCENT_H
#define GLSHAPE_MDS_DESCENT_H

#include "base/error.h"

/* A function of n variables. look: returns its value at x in *value, and its gradient there. */
typedef struct mds_function {
    glshape_status (*look)(void *user, const double *x, double *value, double *gradient);
    void *user;
    size_t n;
} mds_function;

typedef struct mds_descent {
    int most;        /* in: steps, at most */
    double first;    /* in: the length of the first step */
    double progress; /* in: it ends where ten steps take less than this part of the value away */
    double value;    /* out */
    int steps;       /* out */
} mds_descent;

/* Moves x downhill from where it is: limited-memory BFGS (Nocedal, "Updating quasi-Newton matrices with
 * limited storage", 1980), with steps that are halved until they lead down far enough. Errors: those of look;
 * GLSHAPE_NO_MEMORY. */
glshape_status mds_descend(error *err, const mds_function *f, double *x, mds_descent *d);

#endif
