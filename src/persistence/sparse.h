/* Persistent cohomology of one dimension from columns that are given as lists of cells. Right where cells
 * have few cofacets, as critical cells of a grid. */
#ifndef GLSHAPE_PERSISTENCE_SPARSE_H
#define GLSHAPE_PERSISTENCE_SPARSE_H

#include "base/error.h"

/* A cell in a column. Cells come by order, then by part. The order of no other cell has the same lower 32
 * bits, but of cells at one place it is the same. */
typedef struct sparse_term {
    uint64_t order;
    uint32_t part;        /* below 64 */
    uint32_t coefficient; /* 1 … modulus - 1 */
} sparse_term;

/* Cells of lower parts are on their way: they stand for later ones, and for those that stay at their own
 * place. */
#define SPARSE_STAYS 32u

#define SPARSE_MOST_PASSED 64 /* cells that those of one place stand for */
#define SPARSE_ESSENTIAL UINT32_MAX

static inline bool sparse_before(const sparse_term *a, const sparse_term *b) {
    return a->order < b->order || (a->order == b->order && a->part < b->part);
}

/* A column is added to later ones alone: to those of a lower order, and of the same order to those of a lower
 * number. */
typedef struct sparse_column {
    uint64_t order;
    uint32_t number;
} sparse_column;

typedef struct sparse_job {
    const void *space; /* what the functions are called with, from several threads */
    uint32_t modulus;
    uint32_t turns;          /* columns to reduce */
    uint32_t columns;        /* the most that may own pivots: these, and others that do already */
    const uint32_t *inverse; /* modulus entries: i · inverse[i] = 1 */
    /* Returns the cells of the column of a turn, which last as long as the space. Threads take turns one
     * after another: those of neighbors make good use of caches. */
    const sparse_term *(*column)(const void *space, uint32_t turn, sparse_column *which, size_t *count);
    /* Fills out, of SPARSE_MOST_PASSED, with what the cells on their way at one place stand for, in any
     * order. Returns how many. */
    size_t (*pass)(const void *space, const sparse_term *terms, size_t count, sparse_term *out);
    /* Columns that own pivots from the start, and are in no turn; NULL: there are none. find_owner says
     * whether one of them owns this pivot, which it is, and how many cells it has at most. list_owner fills
     * out, which has room for these, with its cells in order, and returns how many there are; 0: they make no
     * sense. */
    bool (*find_owner)(const void *space, const sparse_term *pivot, sparse_column *which, size_t *cells);
    size_t (*list_owner)(const void *space, uint32_t number, sparse_term *out);
    int threads;                                /* they share the columns; 0: one a processor */
    bool (*go_on)(void *user, double fraction); /* asked now and then; NULL: always */
    void *user;
} sparse_job;

/* What it took. */
typedef struct sparse_work {
    uint64_t additions; /* of columns to columns */
    uint64_t passed;    /* places that cells on their way passed */
    uint64_t found;     /* columns of find_owner that were added, or lost their pivots */
    size_t bytes;       /* most memory */
} sparse_work;

/* Fills deaths, by number of the column, with the places of the cells that columns are paired with, or
 * SPARSE_ESSENTIAL: those of the turns, and of columns that lose their pivots to them. They do not depend on
 * the number of threads. Errors: GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED, GLSHAPE_GPU_ERROR. */
glshape_status sparse_reduce(error *err, const sparse_job *job, uint32_t *deaths, sparse_work *work);

#endif
