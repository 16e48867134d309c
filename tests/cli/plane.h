/* Points whose distances are known, as files in every form, and what glshape mds makes of them. */
#ifndef GLSHAPE_TESTS_CLI_PLANE_H
#define GLSHAPE_TESTS_CLI_PLANE_H

#include "cli/shell.h"

/* A square matrix of n × n distances. */
typedef struct plane {
    size_t n;
    double *d;
} plane;

plane plane_new(size_t n, unsigned seed); /* between n points in [0, 100)² */
plane plane_zeros(size_t n);
void plane_free(plane *p);

/* Writes values of type "f2", "f4" or "f8" after a .npy header with this shape, such as "(3, 4)". */
void plane_npy(const char *name, const char *type, const char *shape, const double *values, size_t count);
void plane_square(const char *name, const char *type, const plane *p);

/* Runs `glshape mds OPTIONS FILE` (a shell line's words) and asserts that it succeeds, that the stress
 * printed is the layout's, recomputed here, and at most `most`, and that each distance of the layout is that
 * of p within `error` of the largest. */
void plane_lay_out(const plane *p, const char *words, double most, double error);

#endif
