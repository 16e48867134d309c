/* A cache of rows of floats, for the shortest paths of src/dist/paths. One thread at a time.
 *
 * Rows are asked for in batches. What a batch has used stays until the next batch: a batch that wants more
 * rows than fit does not drive out those that it has found. */
#ifndef GLSHAPE_DIST_ROW_CACHE_H
#define GLSHAPE_DIST_ROW_CACHE_H

#include "base/error.h"

typedef struct row_cache {
    size_t width;    /* floats in a row */
    size_t slots;    /* rows that fit */
    float **row;     /* slots; NULL until first used */
    uint32_t *owner; /* slots: which row it is */
    uint64_t *used;  /* slots: the last batch that used it; 0: never */
    uint32_t *slot;  /* of each row 0 .. width - 1, + 1; 0: not kept */
    uint64_t batch;
    size_t hand;  /* the slot that is tried next for room */
    size_t looks; /* slots that this batch has not tried yet */
} row_cache;

/* Makes *out a cache of at most `bytes` bytes for rows 0 .. width - 1 of width floats. row_cache_free(), also
 * after a failure. */
glshape_status row_cache_new(error *err, size_t width, size_t bytes, row_cache *out);
void row_cache_free(row_cache *rows);

/* Begins a batch. */
void row_cache_begin(row_cache *rows);

/* Returns row r, which then stays to the end of the batch; NULL if it is not in the cache. */
const float *row_cache_find(row_cache *rows, uint32_t r);

/* Returns where to write row r, which is not in the cache, before the next batch begins; NULL if there is no
 * room. */
float *row_cache_claim(row_cache *rows, uint32_t r);

#endif
