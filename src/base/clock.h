#ifndef GLSHAPE_BASE_CLOCK_H
#define GLSHAPE_BASE_CLOCK_H

/* Seconds of a clock that only goes forward. */
double wall_seconds(void);

/* Returns the seconds since *since, a time of wall_seconds, and sets *since to now. */
double clock_lap(double *since);

#endif
