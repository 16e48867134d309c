/* The pager (Ingram 2007, chapter 5): the permutations say in advance which dissimilarities every iteration
 * needs. They are arranged in that order, page by page, and streamed to the GPU ahead of it by a thread of
 * its own. */
#ifndef GLSHAPE_DIST_PAGER_H
#define GLSHAPE_DIST_PAGER_H

#include "dist/source.h"

/* A run of pages. Page t, t < cycle, has for each element e of [first, n) `slots` texels; texel k has the
 * dissimilarities of e to its partners P[(P[e mod m] + 4·(t·slots + k) + c) mod m], c = 0 … 3, P a
 * permutation of 0 … m-1 that the caller keeps. */
typedef struct dist_phase {
    uint32_t first, n, m, cycle, slots;
    const uint32_t *perm;
} dist_phase;

/* What is behind the pages: a matrix that is scanned once, row by row, or a feeder that is asked for pairs.
 */
typedef struct dist_pager_options {
    dist_reader reader; /* .read NULL: the feeder */
    glshape_feeder feeder;
    const uint32_t *order; /* element e is point order[e] */
    const dist_phase *phases;
    int phase_count;
    int threads;  /* of the scan; 0: one a processor */
    size_t block; /* bytes of rows that each of them reads at a time, a row at least; 0: 4 MiB */
    int ring;     /* pages on their way at most; 0: GPU_RING */
} dist_pager_options;

typedef struct dist_pager dist_pager;

typedef struct dist_pager_facts {
    uint64_t paged_bytes, pairs_fed;
    double scan_seconds, stalled_seconds;
    double reading_seconds; /* that the thread spent filling pages */
} dist_pager_facts;

/* With a reader: scans it and arranges every page of every phase in a temporary file (in TMPDIR, or /tmp; it
 * has no name and goes with the process). Errors: GLSHAPE_IO_ERROR (the reader's, or no room for the file,
 * with the bytes needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status dist_pager_new(gpu *g, const dist_pager_options *options, dist_pager **out);
void dist_pager_free(dist_pager *p);

/* Begins a phase: page (re)makes the texture that its pages go to; streaming starts. Ends the phase before.
 */
glshape_status dist_pager_start(gpu *g, dist_pager *p, int phase, gpu_texture *page);
/* Puts the phase's next page into the texture; after the last one of the cycle comes the first one again. */
glshape_status dist_pager_next(gpu *g, dist_pager *p, gpu_texture *page);
void dist_pager_stop(dist_pager *p);

/* Dissimilarities of count pairs of points, in the scaled unit, missing ones as DIST_NONE: from the feeder,
 * each pair at most once where there are few points. */
glshape_status dist_pager_feed(error *err, dist_pager *p, size_t count, const uint32_t *i, const uint32_t *j,
                               float *out);

dist_pager_facts dist_pager_get_facts(dist_pager *p);

#endif
