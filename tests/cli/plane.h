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

/* Text, a row a line. */
typedef enum { PLANE_LOWER, PLANE_UPPER, PLANE_ALL } plane_part;
void plane_text(const char *name, const plane *p, plane_part part);
/* scipy's pdist: .npy, above the diagonal, row after row. */
void plane_condensed(const char *name, const plane *p);
/* Ripser's: float32 below the diagonal, row after row. */
void plane_binary(const char *name, const plane *p);
/* Whose header says `claimed` points. */
void plane_dipha(const char *name, const plane *p, uint64_t claimed);
/* f8.npy f4.npy f2.npy condensed.npy lower.txt upper.txt full.txt lower.bin square.dipha */
void plane_every_form(const plane *p);

/* Runs `glshape mds OPTIONS FILE` (a shell line's words) and asserts that it succeeds, that the stress
 * printed is the layout's, recomputed here, and at most `most`, and that each distance of the layout is that
 * of p within `error` of the largest. */
void plane_lay_out(const plane *p, const char *words, double most, double error);

#endif
