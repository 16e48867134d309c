/* dist/rows: rows of floats kept under a cap, for src/dist/paths. One thread at a time.
 *
 * Asked in batches: what a batch has used stays until the next one, so that when rows are wanted by the
 * thousand, over and over, those that are there are not driven out by those that follow. */
#ifndef GLSHAPE_DIST_ROWS_H
#define GLSHAPE_DIST_ROWS_H

#include "base/error.h"

typedef struct dist_rows {
    size_t width;    /* floats in a row */
    size_t slots;    /* rows that fit */
    float **row;     /* slots; NULL until first used */
    uint32_t *owner; /* slots: which row it is */
    uint64_t *used;  /* slots: the last batch that used it; 0: never */
    uint32_t *slot;  /* of each row 0 .. width - 1, + 1; 0: not kept */
    uint64_t batch;
    size_t hand;  /* the next slot to look at for room */
    size_t looks; /* slots that are still to be looked at in this batch */
} dist_rows;

/* A cache of up to bytes for rows 0 .. width - 1 of width floats. dist_rows_free(), also after a failure. */
glshape_status dist_rows_new(error *err, size_t width, size_t bytes, dist_rows *out);
void dist_rows_free(dist_rows *rows);

/* Begins a batch. */
void dist_rows_begin(dist_rows *rows);

/* Row r, in use from now to the end of the batch; NULL if it is not kept. */
const float *dist_rows_find(dist_rows *rows, uint32_t r);

/* Where to write row r, which is not kept, before the next batch begins; NULL if there is no room for it. */
float *dist_rows_claim(dist_rows *rows, uint32_t r);

#endif
