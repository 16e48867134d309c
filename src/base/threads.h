/* Work shared out among threads. */
#ifndef GLSHAPE_BASE_THREADS_H
#define GLSHAPE_BASE_THREADS_H

#include <stddef.h>

/* Calls work(user, item) once for each item < count, on up to `threads` threads (0: one a processor), the
 * caller's among them, and returns when all are done. Items are taken in ascending order. Fewer threads are
 * no failure. */
void threads_run(int threads, size_t count, void (*work)(void *user, size_t item), void *user);
/* `threads`, or the number of processors if that is 0; at most 256. */
int threads_count(int threads);

#endif
