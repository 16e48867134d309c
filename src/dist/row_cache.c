#include "dist/row_cache.h"

#include <stdlib.h>

#include "base/memory.h"

glshape_status row_cache_new(error *err, size_t width, size_t bytes, row_cache *out) {
    size_t row = times(width, sizeof(float)), slots = row ? bytes / row : 0;
    *out = (row_cache){.width = width, .slots = slots < width ? slots : width, .batch = 1};
    TRY(allocate(err, &out->row, out->slots, sizeof *out->row, "the cache of rows"));
    TRY(allocate(err, &out->owner, out->slots, sizeof *out->owner, "the cache of rows"));
    TRY(allocate(err, &out->used, out->slots, sizeof *out->used, "the cache of rows"));
    return allocate(err, &out->slot, width, sizeof *out->slot, "the cache of rows");
}

void row_cache_free(row_cache *rows) {
    for (size_t s = 0; rows->row && s < rows->slots; s++) free(rows->row[s]);
    free(rows->row);
    free(rows->owner);
    free(rows->used);
    free(rows->slot);
    *rows = (row_cache){.width = 0};
}

void row_cache_begin(row_cache *rows) {
    rows->batch++;
    rows->looks = rows->slots;
}

const float *row_cache_find(row_cache *rows, uint32_t r) {
    if (!rows->slot[r]) return NULL;
    size_t s = rows->slot[r] - (size_t)1;
    rows->used[s] = rows->batch;
    return rows->row[s];
}

/* Gives slot s to row r. Returns NULL if there is no memory for it: the cache then has a slot less. */
static float *take(row_cache *rows, size_t s, uint32_t r) {
    if (!rows->row[s]) rows->row[s] = malloc(rows->width * sizeof *rows->row[s]);
    if (!rows->row[s]) return NULL;
    if (rows->used[s]) rows->slot[rows->owner[s]] = 0;
    rows->owner[s] = r;
    rows->used[s] = rows->batch;
    rows->slot[r] = (uint32_t)s + 1;
    return rows->row[s];
}

float *row_cache_claim(row_cache *rows, uint32_t r) {
    for (; rows->looks; rows->looks--) {
        size_t s = rows->hand;
        rows->hand = s + 1 < rows->slots ? s + 1 : 0;
        if (rows->used[s] == rows->batch) continue;
        rows->looks--;
        return take(rows, s, r);
    }
    return NULL;
}
