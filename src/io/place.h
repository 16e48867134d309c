/* Which file a name stands for. */
#ifndef GLSHAPE_IO_PLACE_H
#define GLSHAPE_IO_PLACE_H

#include <stdbool.h>

/* A name, and the descriptor that "-" stands for: 0 of an input, 1 of an output. */
typedef struct io_place {
    const char *path;
    int standard;
} io_place;

/* Returns true if a and b are the same regular file: by device and inode if both exist, through links of
 * either kind; by folder and name if neither exists yet. Devices and pipes are never the same file. */
bool io_same_file(io_place a, io_place b);

#endif
