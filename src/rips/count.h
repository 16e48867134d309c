/* The pairs of each dimension by their kinds, for reports: what tables 1, 2, 5 and 6 of Zhang, Xiao, Wang,
 * "GPU-accelerated computation of Vietoris-Rips persistence barcodes", 2020, count. */
#ifndef GLSHAPE_RIPS_COUNT_H
#define GLSHAPE_RIPS_COUNT_H

#include "persistence/reduce.h"
#include "rips/space.h"

/* Simplices up to the threshold, of each dimension. */
typedef struct rips_counts {
    uint64_t of[RIPS_MOST_DIM + 1];
} rips_counts;

typedef struct rips_count_job {
    const rips_space *s;
    int dim; /* of the highest simplices */
    int threads;
    bool (*go_on)(void *user, double fraction); /* asked now and then, always with 0 */
    void *user;
} rips_count_job;

/* Counts the simplices of dimensions 1 to dim; none is stored. Takes a step for each simplex of dimension
 * dim - 1 and each 64 points that may be neighbors of all its vertices, and for each thread a bit for each
 * pair of neighbors of a point. Errors: GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status rips_count(error *err, const rips_count_job *job, rips_counts *out);

/* Of the columns that were reduced: those that are paired with the oldest of their cofacets, which are in
 * emergent pairs, and those of them of length 0, which are in shortcut pairs. */
typedef struct rips_emergent {
    uint64_t emergent, shortcut;
} rips_emergent;

/* Looks at count columns, what they were paired with, and the oldest cofacet of each (persistence_job). */
rips_emergent rips_count_emergent(const cell *columns, const persistence_death *deaths,
                                  const uint64_t *oldest, size_t count);

#endif
