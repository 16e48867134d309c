/* What passes list of a field, or of a slab: critical edges, and which of them may join components. Inside
 * src/cubical. */
#ifndef GLSHAPE_CUBICAL_LISTING_H
#define GLSHAPE_CUBICAL_LISTING_H

#include "field/basins.h"

/* The keys of a grid: on the host, on the device, or on both. */
typedef struct cubical_keys {
    const order *order;                 /* its values are there once need(user) has returned */
    const grid *grid;                   /* with the neighbors across sides */
    bool outside;                       /* as cubes have it */
    grid_field *on_gpu;                 /* NULL: they are not there */
    glshape_status (*need)(void *user); /* NULL: they are on the host */
    void *user;
} cubical_keys;
glshape_status cubical_keys_need(const cubical_keys *k);

/* What dimension 0 leaves. Its pairs are in birth and death, or in `pairs`; its edges in `left`, or with
 * these in `columns`. */
typedef struct cubical_edges {
    radix_item *left; /* at: an owner, ascending; a: set of directions (glsl/cubical/directions.glsl), which
                         may be empty; b: no matter */
    size_t count;     /* of them */
    gpu_texture columns; /* RG32UI, of each edge: (owner, direction), by these; none of the outside */
    bool by_passes;      /* there are these */
    uint32_t column_count;
    uint32_t minima;
    uint32_t *birth, *death; /* of each minimum: vertices; death GLSHAPE_NO_VERTEX: it never dies */
    gpu_texture pairs;       /* RGBA32UI, of each minimum, as mergetree_pairs has them */
    size_t examined;         /* critical edges */
    uint32_t slabs;          /* that the field was done in; 0: on the CPU */
    grid_field field;        /* of one slab: the keys, on the device, if they were not there before */
} cubical_edges;
void cubical_edges_free(cubical_edges *e);

typedef struct listing {
    gpu *g;
    basins *b;
    gpu_texture state;
    gpu_texture left;  /* RGBA32UI: {vertex, 0, set of directions, first edge}, as a radix_item */
    gpu_texture joins; /* RGBA32UI (glsl/cubical/joins.glsl) */
    uint32_t left_count, join_count;
    bool keys; /* of the joins */
} listing;
void listing_free(listing *l);

/* Lists the vertices that have critical edges. */
glshape_status listing_left(listing *l);
/* Lists the edges between basins. keys: with the vertex and its key. */
glshape_status listing_joins(listing *l, bool keys);
/* out->columns become the edges that are left of l->left, which is sorted by vertex. */
glshape_status listing_spread(listing *l, bool outside, cubical_edges *out);
/* Makes *columns, as cubical_edges has them, of a list as cubical_edges_list makes it. GLSHAPE_NO_GPU_MEMORY.
 */
glshape_status listing_send_columns(gpu *g, const radix_item *edges, size_t count, gpu_texture *columns);
/* Fills columns with `count` of these of a grid of n vertices. GLSHAPE_GPU_ERROR: they make no sense. */
glshape_status listing_bring_columns(gpu *g, gpu_texture *from, size_t count, size_t n,
                                     uint32_t (*columns)[2]);
/* The vertices with edges become out's last ones, of which it has out->count. GLSHAPE_GPU_ERROR: they make no
 * sense. */
glshape_status listing_take_left(listing *l, cubical_edges *out, size_t *room);

/* An edge between basins: the number of its owner in `left`, and of minima. */
typedef struct listing_join {
    uint32_t left, direction, basin[2];
} listing_join;

/* Applies the elder rule to edges between basins, on the CPU: e has `left`, minima and births. An edge that
 * ends a component is left no longer. (elder.c) */
glshape_status listing_apply_elder_rule(gpu *g, const order *o, const listing_join *joins, size_t count,
                                        cubical_edges *e);

/* In slabs of at most so many planes. (edges_of_slabs.c) */
glshape_status cubical_edges_of_slabs(gpu *g, const order *o, const grid *d, uint32_t planes,
                                      cubical_edges *out);

#endif
