/* Boxes side by side in the plane: shelf packing. */
#ifndef GLSHAPE_MDS_SHELVES_H
#define GLSHAPE_MDS_SHELVES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct shelf_box {
    double width, height; /* not negative */
    double x, y;          /* out: its lower left corner, from 0 */
} shelf_box;

/* Places boxes without overlap, in their order: from left to right until a shelf is about as wide as all
 * boxes together would be as a square, then on a shelf above. Boxes that come by falling size leave the least
 * gaps. one_shelf: all on one. */
void shelves_pack(shelf_box *boxes, size_t count, bool one_shelf);

#endif
