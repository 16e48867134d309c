/* Cuts primitives into items: pieces small enough for one GPU invocation each (glsl/plot/paint.glsl). */
#ifndef GLSHAPE_PLOT_ITEMS_H
#define GLSHAPE_PLOT_ITEMS_H

#include "plot/primitives.h"

/* The most samples an item is wide or high. */
#define ITEM_SIDE 64

typedef struct item_box {
    uint32_t rank, corner, size, unused; /* x | y << 16 */
} item_box;

typedef struct item_geometry {
    float x0, y0, x1, y1;
} item_geometry;

/* Rows and columns of samples: [x0,x1) × [y0,y1). */
typedef struct sample_region {
    uint32_t x0, y0, x1, y1;
} sample_region;

/* A primitive in samples, which is cut into items at a grid of cells, and at the edge of the region. */
typedef struct item_cutter {
    primitive shape;
    uint32_t rank;
    sample_region within;
    uint32_t x, y; /* the next cell */
} item_cutter;

/* Begins to cut p. rank: 1 + the place of p in the painting order. */
item_cutter item_begin(const primitive *p, uint32_t rank, sample_region region);
/* Sets *box to the next item; returns false if there is none. */
bool item_next(item_cutter *c, item_box *box);

#endif
