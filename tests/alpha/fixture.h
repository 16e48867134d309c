/* Families of alpha shapes for the tests, compared with the twin. */
#ifndef GLSHAPE_TESTS_ALPHA_FIXTURE_H
#define GLSHAPE_TESTS_ALPHA_FIXTURE_H

#include <string.h>

#include "prim/bench.h"
#include "reference/alpha.h"

/* BENCH_CHECK for long loops: Check writes to a file at every assertion that holds. */
#define HOLDS(condition)                                                     \
    do {                                                                     \
        if (!(condition)) ck_abort_msg("%s: %s", #condition, bench_place()); \
    } while (0)

glshape_context *family_context(void);
/* A test case with that context; it is closed at the end, with nothing left behind. */
TCase *family_case(Suite *s, const char *name);

/* The family of n points; both are released by family_done. */
typedef struct pair {
    double *xy;
    glshape_alpha_result got;
    ref_alpha want;
    uint32_t *edge; /* the twin's number of each of got's edges */
} pair;
/* Computes got alone, or both. xy is copied. */
void family_run(pair *p, const double *xy, uint32_t n);
void family_new(pair *p, const double *xy, uint32_t n);
void family_done(pair *p);

/* n points with whole coordinates below `side`. */
double *family_integers(uint32_t n, uint32_t side);

#endif
