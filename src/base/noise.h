/* Rows of distances as arithmetic leaves them: 1 - X·Xᵀ has -1e-16 where a distance is 0. */
#ifndef GLSHAPE_BASE_NOISE_H
#define GLSHAPE_BASE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

/* A fraction of the largest distance of a row: as much as asymmetry may be. */
#define NOISE_TOLERANCE 1e-6

/* Sets to 0, in the count rows of n distances from row `first` on, what is negative, or stands on the
 * diagonal and is not 0, by at most tolerance times the row's largest finite value. Other values stay, so
 * that they can be refused. Returns true if there was such noise. Rows from n on have no diagonal. */
bool noise_clear(float *rows, size_t n, size_t first, size_t count, double tolerance);
bool noise_clear_doubles(double *rows, size_t n, size_t first, size_t count, double tolerance);

#endif
