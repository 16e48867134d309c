/* The pager (Ingram 2007, chapter 5). The permutations say in advance which dissimilarities each iteration
 * needs. The pager arranges these in that order, page by page; its thread streams the pages to the GPU before
 * they are needed. */
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

/* Where the dissimilarities come from: a matrix, which is scanned once, row by row; or a feeder, which is
 * asked for pairs. */
typedef struct dist_pager_options {
    dist_reader reader; /* .read NULL: the feeder */
    glshape_feeder feeder;
    const uint32_t *order; /* element e is point order[e] */
    const dist_phase *phases;
    int phase_count;
    int threads;  /* that scan; 0: one a processor */
    size_t block; /* bytes of rows that a thread reads at a time, at least a row; 0: 4 MiB */
    int ring;     /* most pages on their way at a time; 0: GPU_RING */
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
glshape_status dist_pager_new(run *r, const dist_pager_options *options, dist_pager **out);
void dist_pager_free(dist_pager *p);

/* Ends the phase before and begins this one: makes the texture page, which its pages go to, if it has another
 * shape, and starts streaming. */
glshape_status dist_pager_start(gpu *g, dist_pager *p, int phase, gpu_texture *page);
/* Puts the phase's next page into the texture; after the last one of the cycle comes the first one again. */
glshape_status dist_pager_next(gpu *g, dist_pager *p, gpu_texture *page);
void dist_pager_stop(dist_pager *p);

/* out[k] becomes the dissimilarity of points i[k] and j[k], in the scaled unit; DIST_NONE if it is missing.
 * Asks the feeder; with few points (at most 8192) at most once for each pair. */
glshape_status dist_pager_feed(error *err, dist_pager *p, size_t count, const uint32_t *i, const uint32_t *j,
                               float *out);

dist_pager_facts dist_pager_get_facts(dist_pager *p);

#endif
