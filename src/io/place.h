/* Which file a name leads to. */
#ifndef GLSHAPE_IO_PLACE_H
#define GLSHAPE_IO_PLACE_H

#include <stdbool.h>

/* A name, and the descriptor that "-" stands for: 0 of an input, 1 of an output. */
typedef struct io_place {
    const char *path;
    int standard;
} io_place;

/* Whether a and b lead to the same regular file: by device and inode if both exist, through links of either
 * kind; by folder and last part of the name if neither exists yet. Devices and pipes are no regular files. */
bool io_same_file(io_place a, io_place b);

#endif
