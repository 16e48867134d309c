/* When GPU-SF stops (Ingram 2007, section 4.3.2): the sparse stress, low-pass filtered by a windowed sinc,
 * has a derivative near zero. Filter and derivative are one convolution. */
#ifndef GLSHAPE_MDS_TERMINATION_H
#define GLSHAPE_MDS_TERMINATION_H

#include <stdbool.h>

#define TERMINATION_WINDOW 50
#define TERMINATION_EPSILON 1e-4

typedef struct termination {
    double kernel[TERMINATION_WINDOW + 1];  /* derivative of the filter; sums to 0 */
    double history[TERMINATION_WINDOW + 1]; /* ring of sparse stress */
    int count;                              /* samples so far */
} termination;

void termination_start(termination *t);
/* Takes the sparse stress of one more iteration; true if the phase has converged. Never before the window
 * is full. */
bool termination_add(termination *t, double sparse_stress);

#endif
