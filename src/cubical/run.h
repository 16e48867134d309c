/* A run of glshape_cubical, as its parts share it. Inside src/cubical. */
#ifndef GLSHAPE_CUBICAL_RUN_H
#define GLSHAPE_CUBICAL_RUN_H

#include <stdatomic.h>

#include "base/threads.h"
#include "cubical/cubes.h"
#include "field/grid.h"
#include "field/order.h"
#include "mergetree/mergetree.h"

#define CUBICAL_DIMS 4 /* dimensions of intervals: 0 to that of the field */

/* A field of keys with its order: the field, or the field reversed with the outside around it. */
typedef struct side {
    uint32_t *key;         /* there once cubical_need_keys() has returned */
    uint32_t n, extent[3]; /* x, y, z */
    uint32_t outside;      /* planes at either end of each axis that are the outside: a bit for x, y, z */
    bool reversed;
    uint32_t unused; /* 0, or: keys below it became greater by 1, to leave 0 to the outside */
    bool is_made;
    threads_aside *making; /* at work on the keys */
} side;

/* Which values are beyond the threshold: of a field of floats, CUBICAL_SOME if there is a threshold. */
typedef enum { CUBICAL_NONE, CUBICAL_SOME, CUBICAL_ALL } cubical_beyond;

typedef struct cubical_run {
    gpu *g;
    const glshape_field *given;
    glshape_field field; /* of 2 or 3 dimensions */
    glshape_cubical_options o;
    cubical_beyond beyond; /* the threshold */
    uint64_t last_key;     /* of integers of 64 bits: whole_key of the threshold */
    grid grid;             /* of the field */
    order order;
    bool flat; /* by rows, on the CPU, for this reason */
    run_why why;
    grid_field on_gpu;      /* the keys of the field; n 0: they are not there */
    side side;              /* at work */
    grid_field side_on_gpu; /* its keys, if it is reversed: the same */
    struct {
        radix_item
            *pairs; /* at: order_of the vertex of birth; a, b: key and vertex of death, or UINT32_MAX */
        size_t count, room;
        bool are_sorted;  /* by birth */
        gpu_texture kept; /* the pairs, while they are on the device: those that have a length, sorted */
    } dims[CUBICAL_DIMS];
    run_why rows;    /* where intervals are made of pairs that are on the device */
    double done;     /* of the work, as progress shows it */
    int8_t *balance; /* of each vertex: its cubes less those in known pairs; NULL: it is not needed */
    /* The critical squares of each vertex that cubes end (cubical/cubes.h), on the side that
     * cubical_add_middle() takes, if they are counted: here once cubical_need_ended() has returned, or, of
     * four vertices an element, on the device. */
    bool counts_ended;
    _Atomic uint8_t *ended;
    gpu_texture ended_on_gpu;
    glshape_cubical_result *r;
} cubical_run;

static inline error *err_of(const cubical_run *run) { return run_error(run_of(run->g)); }

/* ---- cubical.c --------------------------------------------------------------------------------- */

/* Whether the caller asked for this dimension. */
bool cubical_wants(const cubical_run *run, int dim);
/* Shows progress of the next part of the work, which is so large. */
void cubical_begin_part(cubical_run *run, double share);

/* ---- device.c ---------------------------------------------------------------------------------- */

/* *why becomes where trees and edges of n vertices are found. Opens the device if they are not few. */
glshape_status cubical_choose(cubical_run *run, size_t n, run_why *why);
/* Makes the order of the field. Its keys go to the device, if passes are to do it and there is room:
 * run->on_gpu. middle: what dimension 1 of three runs is compiled meanwhile. */
glshape_status cubical_send_field(cubical_run *run, bool middle);
/* The same of those of the reversed side, made of these; last: the field's own are needed no longer. */
glshape_status cubical_reverse_on_device(cubical_run *run, bool last);
/* The keys of the side on the device; NULL: they are not there. */
grid_field *cubical_side_on_device(cubical_run *run);
void cubical_drop_device(cubical_run *run);
/* Adds the pairs of a tree of the side by passes, if its keys are on the device. *done: it has. Else the
 * device has nothing of the field any longer. */
glshape_status cubical_add_tree_on_device(cubical_run *run, bool *done);

/* ---- settle.c ---------------------------------------------------------------------------------- */

/* Where pairs on the device come from: trees of the field, of the reversed side, and of the side that
 * cubical_add_middle() takes; edges and squares of that. */
typedef enum { CUBICAL_LOW, CUBICAL_HIGH, CUBICAL_MIDDLE, CUBICAL_EDGES } cubical_lot;
/* Adds so many pairs, in the form of mergetree_pairs: by passes, if they are many, else by threads. Takes the
 * texture over. */
glshape_status cubical_settle(cubical_run *run, cubical_lot lot, gpu_texture *pairs, uint32_t count);

/* ---- side.c ------------------------------------------------------------------------------------ */

/* The side becomes the field, or the field in reversed order within the outside, which comes before all
 * others: without keys. */
glshape_status cubical_shape_side(cubical_run *run, bool reversed);
/* Begins to make its keys on the host, beside what the caller does next. */
glshape_status cubical_begin_keys(cubical_run *run);
/* Makes them, or waits for them. */
glshape_status cubical_need_keys(cubical_run *run);
void cubical_drop_side(cubical_run *run);
/* Sets what either side is, but for its keys and `unused`. */
glshape_status cubical_shape_of(const cubical_run *run, bool reversed, side *s);
/* Makes room for run->ended, or brings it from the device; then counts, from several threads, a square whose
 * owner is a vertex of the field. */
glshape_status cubical_need_ended(cubical_run *run);
void cubical_count_ended(cubical_run *run, uint32_t vertex);
/* Returns the vertex of the field that a vertex of the side is; GLSHAPE_NO_VERTEX for one of the outside. */
uint32_t cubical_vertex_of(const cubical_run *run, uint32_t v);
/* The key in the field of a key of the side that is none of the outside. */
uint32_t cubical_key_of(const cubical_run *run, uint32_t key);
/* The cubes of the side. */
cubes cubical_side_cubes(const cubical_run *run);

/* ---- intervals.c ------------------------------------------------------------------------------- */

/* Adds a pair of vertices of the field; death GLSHAPE_NO_VERTEX: it never dies. */
glshape_status cubical_add_pair(cubical_run *run, int dim, uint32_t birth, uint32_t death);
/* The same of pairs [first, first + count), as cubical_run has them. Takes these over, also when it fails.
 * picked: all of them have a length. */
glshape_status cubical_add_pairs(cubical_run *run, int dim, radix_item *pairs, size_t first, size_t count,
                                 bool picked);
/* Birth and death of class k: birth[k * step], death[k * step]; death GLSHAPE_NO_VERTEX: it never ends. */
typedef struct cubical_ends {
    const uint32_t *birth, *death;
    size_t step, count;
} cubical_ends;
/* Adds components of the field: pairs of dimension 0. */
glshape_status cubical_add_components(cubical_run *run, const cubical_ends *ends);
/* The same of pairs in the form of mergetree_pairs, and of those of edges and squares; takes them over. */
glshape_status cubical_take_pairs(cubical_run *run, cubical_lot lot, radix_item *pairs, size_t count);
/* The dimension of these pairs; whether they are of a reversed side, turned; whether each ends a square. */
int cubical_dim_of(const cubical_run *run, cubical_lot lot);
bool cubical_is_turned(const cubical_run *run, cubical_lot lot);
bool cubical_ends_squares(const cubical_run *run, cubical_lot lot);
/* Adds pairs that are those of the field by now. others: births and deaths of those that could not be turned:
 * they have no end, or begin in the outside. */
glshape_status cubical_add_settled(cubical_run *run, cubical_lot lot, radix_item *pairs, size_t count,
                                   bool are_sorted, const uint32_t (*others)[2], uint32_t other_count);
#define CUBICAL_OTHERS 64u /* there are a few: parts of the outside, and classes of the whole grid */
/* Adds components of the side. The first one of a reversed side is the outside, or, if there is none, it is
 * the class of the whole. Two parts of the outside join at a surface around all periodic axes, which never
 * ends. */
glshape_status cubical_add_side_components(cubical_run *run, const cubical_ends *ends);
/* Whether no interval is left out but those that have no length. */
bool cubical_wants_all(const cubical_run *run);
/* Moves all pairs to the result. */
glshape_status cubical_list_intervals(cubical_run *run);

/* ---- kept.c ------------------------------------------------------------------------------------ */

/* Has the device keep the pairs of a dimension, which has none so far, in the texture, if passes are to make
 * the intervals of them. *kept: it does. */
glshape_status cubical_keep(cubical_run *run, int dim, gpu_texture *pairs, uint32_t count, bool *kept);
/* Brings the pairs that are kept. */
glshape_status cubical_bring(cubical_run *run, int dim);
/* Makes the intervals of the pairs that are kept. Brings them, if the device has no memory for that. */
glshape_status cubical_list_kept(cubical_run *run, int dim, glshape_cubical_interval *out);

/* ---- flat.c ------------------------------------------------------------------------------------ */

/* Adds the pairs of dimension 0 (low) and those of the others (high) of a field of two dimensions. */
glshape_status cubical_add_flat(cubical_run *run, bool low, bool high);

/* ---- middle.c ---------------------------------------------------------------------------------- */

/* Does dimension 1 of three, and the one that the components of the side are. */
glshape_status cubical_add_middle(cubical_run *run);

#endif
