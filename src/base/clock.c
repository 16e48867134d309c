#include "base/clock.h"

#include <time.h>

double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_lap(double *since) {
    double now = wall_seconds(), seconds = now - *since;
    *since = now;
    return seconds;
}
