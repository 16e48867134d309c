#ifndef GLSHAPE_BASE_CLOCK_H
#define GLSHAPE_BASE_CLOCK_H

/* Seconds of a clock that only goes forward. */
double wall_seconds(void);

#endif
