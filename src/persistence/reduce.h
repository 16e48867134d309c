/* Persistent cohomology of one dimension, over the columns that are left when apparent pairs are taken out.
 */
#ifndef GLSHAPE_PERSISTENCE_REDUCE_H
#define GLSHAPE_PERSISTENCE_REDUCE_H

#include "persistence/complex.h"

#define PERSISTENCE_ESSENTIAL UINT64_MAX

/* What a column was paired with: the cell that ends it, one dimension higher; PERSISTENCE_ESSENTIAL if none
 * does. */
typedef struct persistence_death {
    uint64_t index;
    float value; /* INFINITY */
} persistence_death;

/* The final column j of the reduction matrix, count terms, the column's own cell among them: a cocycle. */
typedef void (*persistence_cocycle)(void *user, uint32_t j, const cell *terms, size_t count);

/* The first cofacet of a column's cell in the filtration, with the coefficient 1 or modulus - 1, and how many
 * cofacets there are up to the threshold. */
typedef struct persistence_first {
    cell cell;
    uint32_t cofacets; /* 0: cell is none */
} persistence_first;

/* A column that was reduced before, or begun. */
typedef struct persistence_reduced {
    cell pivot;        /* that it owns; index PERSISTENCE_ESSENTIAL: the column is zero, or left */
    const cell *terms; /* whose cofacets make the column; NULL: its own cell, with the coefficient 1 */
    uint32_t count;    /* of the terms */
    bool left;         /* threads go on with the column */
} persistence_reduced;

/* A device that reduces very long columns, one after another, in place of all threads. The functions are
 * called from the thread that calls persistence_reduce. *room false: it has no room for the column, which
 * threads then reduce from its beginning. */
typedef struct persistence_device {
    void *of;
    /* Begins with the column of `terms`, as wide_new does. */
    glshape_status (*begin)(void *of, const cell_pile *terms, float value, float step, bool *room);
    glshape_status (*left)(void *of, cell_pile *left, bool *room);                /* as wide_left */
    glshape_status (*add)(void *of, const cell *terms, size_t count, bool *room); /* as wide_add */
    glshape_status (*terms)(void *of, cell_pile *terms); /* appends all terms; equal ones may be apart */
    uint64_t (*cofacets)(const void *of);                /* made of this column so far */
} persistence_device;

typedef struct persistence_job {
    const filtered_complex *complex;
    int dim;                        /* of the cells that the columns belong to */
    const cell *columns;            /* in the order of reduction: descending value, then ascending index */
    const persistence_first *first; /* of each column; NULL: threads find them */
    uint32_t count;
    /* What each column was reduced to before; NULL: none was. Then `first` is there if columns are left, or
     * `oldest` is asked for. Not with cocycles. */
    const persistence_reduced *reduced;
    int threads; /* they share the columns; 0: one a processor */
    /* After so many cofacets of one column all threads reduce it at once; 0: after very many. Not with
     * cocycles. */
    uint64_t long_after;
    const persistence_device *device;           /* NULL: none */
    bool (*go_on)(void *user, double fraction); /* asked now and then; NULL: always */
    void *user;
    persistence_cocycle cocycle; /* called from one thread when all is done; NULL: none is asked for. There is
                                    one thread then, so that every run gives the same */
    void *cocycle_user;
    uint64_t *oldest; /* becomes the index of each column's first cofacet; PERSISTENCE_ESSENTIAL: it has none.
                         NULL: nobody asks */
} persistence_job;

/* What it took. */
typedef struct persistence_work {
    uint64_t additions; /* of columns to columns */
    uint64_t cofacets;  /* enumerated */
    uint64_t given_up;  /* long columns that the device began and threads reduced */
    size_t bytes;       /* most memory */
} persistence_work;

/* Fills deaths[count], which do not depend on the number of threads. Errors: GLSHAPE_NO_MEMORY,
 * GLSHAPE_CANCELLED. */
glshape_status persistence_reduce(error *err, const persistence_job *job, persistence_death *deaths,
                                  persistence_work *work);

/* Refuses a modulus that is no prime below 32768: GLSHAPE_BAD_ARGUMENT. */
glshape_status persistence_check_modulus(error *err, int modulus);

/* The inverses modulo a prime, for filtered_complex. *out is the caller's to free. */
glshape_status persistence_inverses(error *err, uint32_t modulus, uint32_t **out);

#endif
