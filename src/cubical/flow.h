/* The discrete gradient of a grid, and what is left of the coboundary of an edge when it flows along it.
 *
 * In each lower star, edges are paired with squares and squares with cubes; a cube in no such pair is
 * critical. Where the coboundary of an edge has a square that is paired with an edge, that edge's coboundary
 * is added, until no such square is left. Squares that are paired with cubes end no edge, so they are
 * dropped. The persistence of the critical cells is that of all (Robins, Wood, Sheppard 2011; the Morse
 * complex of Forman 1998). */
#ifndef GLSHAPE_CUBICAL_FLOW_H
#define GLSHAPE_CUBICAL_FLOW_H

#include "cubical/cubes.h"
#include "persistence/sparse.h"

/* Squares are terms of columns. order: cubes_order of the owner. part: the direction of a square on its way,
 * or FLOW_CRITICAL | the direction of a critical square. */
#define FLOW_CRITICAL SPARSE_STAYS

/* The room of a thread, zeroed at first. */
typedef struct flow {
    sparse_term *heap; /* squares on their way by order, the first one first */
    size_t count, room;
    sparse_term *terms; /* one edge's after the other's, each edge's in order */
    size_t term_count, term_room;
    uint64_t steps; /* edges whose coboundary was added */
} flow;

/* Appends the critical squares in which the coboundary of this edge ends to f->terms. A flow that has gone
 * through more edges than `far` stops at the first vertex with critical squares; the squares that are on
 * their way then are appended behind them. False: not enough memory. */
bool flow_edge(const cubes *c, flow *f, uint32_t owner, int edge, uint64_t far);

/* Makes room for so many terms behind those of f, which the caller fills; NULL: not enough memory. */
sparse_term *flow_append(flow *f, size_t count);

#define FLOW_MOST 36 /* squares that a vertex leaves, or sends to others */

/* Lets squares that are on their way to one owner pass it. Fills out with the critical squares there and with
 * those on their way to others; returns how many. */
size_t flow_pass(const cubes *c, const sparse_term *squares, size_t count, sparse_term *out);
void flow_free(flow *f);

#endif
