/* A field on the GPU, on a grid or a graph. */
#ifndef GLSHAPE_FIELD_GRID_H
#define GLSHAPE_FIELD_GRID_H

#include "field/order.h"
#include "gpu/gpu.h"

/* A grid as the passes know it: x fastest. */
typedef struct grid {
    uint32_t extent[3]; /* x, y, z; a z of 1 for two dimensions */
    uint32_t periodic;  /* a bit for x, y, z */
    int hood;           /* 6, 14, 18, 26: of three dimensions */
} grid;

/* Whether the neighborhood has this step, -1 to 1 along each axis. */
bool grid_are_neighbors(int hood, const int step[3]);

typedef struct grid_field {
    const order *order; /* NULL: there are keys alone */
    grid grid;
    uint32_t n;
    uint32_t key_bits;    /* order_key_bits() */
    bool turned;          /* vertex v is vertex n - 1 - v of the field (grid_field_turn) */
    uint32_t lo, hi;      /* the planes [lo, hi) of grid are its own; one more may be there on either side */
    size_t offset, total; /* vertex v here is vertex offset + v of the field, modulo the field's size */
    uint32_t order_start; /* vertices before this one come after all others in the order */
    gpu_texture key;
    gpu_texture links; /* RG32UI, of a graph: the ends of each edge, once */
    uint32_t link_count;
} grid_field;

/* The number, in the order's numbering, of an own vertex. */
static inline uint32_t grid_vertex(const grid_field *f, uint32_t v) {
    return (uint32_t)((f->offset + v) % f->total - f->order->origin);
}

/* Uploads the keys of the field, and the edges of a graph. GLSHAPE_BAD_ARGUMENT if an edge leads to no
 * vertex; GLSHAPE_NO_GPU_MEMORY. */
glshape_status grid_field_new(gpu *g, const order *o, const grid *d, grid_field *out);
/* The same, and looks at values that were left for later (order_new_later): o is settled then, also where the
 * device has no memory. GLSHAPE_BAD_INPUT. */
glshape_status grid_field_look(gpu *g, order *o, const grid *d, grid_field *out);
/* The same of the planes [first, first + planes), which are not all planes, and of those beside them. */
glshape_status grid_slab_new(gpu *g, const order *o, const grid *d, uint32_t first, uint32_t planes,
                             grid_field *out);
/* The field from its other end, as its split tree has it: of a whole grid, in which the last vertex comes
 * first. GLSHAPE_NO_GPU_MEMORY. */
glshape_status grid_field_turn(gpu *g, gpu_texture *key, uint32_t key_bits, const grid *d, grid_field *out);
void grid_field_free(grid_field *f);
/* *count becomes how many edges the graph has. GLSHAPE_BAD_ARGUMENT if they are too many to be numbered. */
glshape_status grid_count_links(error *err, const glshape_graph *graph, uint32_t *count);

/* The arguments that all passes over grids take. */
#define GRID_OF(f)                                                                             \
    .HOOD = (f)->grid.hood, .n = (f)->n, .nx = (f)->grid.extent[0], .ny = (f)->grid.extent[1], \
    .nz = (f)->grid.extent[2], .periodic = (f)->grid.periodic

#endif
