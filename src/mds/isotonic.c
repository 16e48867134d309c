#include "mds/isotonic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"

#define SMALL 32u /* blocks of ties up to here are sorted by insertion */

void mds_isotonic_free(mds_isotonic *m) {
    free(m->pair);
    free(m->end);
    free(m->sum);
    free(m->total);
    free(m->last);
    free(m->items);
}

/* Bits that are in the order of the values, which are not negative. */
static uint64_t key_of(double x) {
    uint64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Puts the pairs that count into order; returns how large the largest block of ties is. */
static glshape_status sort_pairs(error *err, const float *dissimilarity, mds_isotonic *m, uint32_t *largest) {
    OWNED radix_item *items = NULL;
    size_t pairs = (size_t)m->n * (m->n - 1) / 2, p = 0, k = 0;
    for (; p < pairs; p++) m->count += !isnan(dissimilarity[p]) && (!m->weight || m->weight[p] > 0);
    TRY(allocate(err, &items, m->count, 2 * sizeof *items, "the order of the pairs"));
    TRY(allocate(err, &m->pair, m->count, sizeof *m->pair, "the order of the pairs"));
    TRY(allocate(err, &m->end, m->count, sizeof *m->end, "ties"));
    p = 0;
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t j = i + 1; j < m->n; j++, p++)
            if (!isnan(dissimilarity[p]) && (!m->weight || m->weight[p] > 0))
                items[k++] = (radix_item){key_of((double)dissimilarity[p]), i, j};
    radix_sort(items, items + k, k);
    *largest = 0;
    for (uint32_t first = 0, end; first < m->count; first = end) {
        for (end = first; end < m->count && items[end].at == items[first].at; end++)
            m->pair[end] = (mds_pair){items[end].a, items[end].b};
        m->end[first] = end;
        *largest = end - first > *largest ? end - first : *largest;
    }
    return GLSHAPE_OK;
}

glshape_status mds_isotonic_new(error *err, uint32_t n, const float *dissimilarity, const float *weight,
                                bool secondary, mds_isotonic *m) {
    uint32_t largest;
    *m = (mds_isotonic){.n = n, .secondary = secondary, .weight = weight};
    TRY(sort_pairs(err, dissimilarity, m, &largest));
    TRY(allocate(err, &m->sum, m->count, sizeof *m->sum, "isotonic regression"));
    TRY(allocate(err, &m->total, m->count, sizeof *m->total, "isotonic regression"));
    TRY(allocate(err, &m->last, m->count, sizeof *m->last, "isotonic regression"));
    if (secondary || largest <= SMALL) return GLSHAPE_OK;
    return allocate(err, &m->items, largest, 2 * sizeof *m->items, "ties");
}

static void sort_few(mds_pair *pair, double *distance, uint32_t count) {
    for (uint32_t k = 1; k < count; k++) {
        uint32_t at = k;
        mds_pair p = pair[k];
        double d = distance[k];
        for (; at > 0 && distance[at - 1] > d; at--) {
            pair[at] = pair[at - 1];
            distance[at] = distance[at - 1];
        }
        pair[at] = p;
        distance[at] = d;
    }
}

static void sort_many(radix_item *items, mds_pair *pair, double *distance, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) items[k] = (radix_item){key_of(distance[k]), pair[k].i, pair[k].j};
    radix_sort(items, items + count, count);
    for (uint32_t k = 0; k < count; k++) {
        pair[k] = (mds_pair){items[k].a, items[k].b};
        memcpy(&distance[k], &items[k].at, sizeof distance[k]);
    }
}

/* Puts a block of ties in order of distance: so they violate nothing among themselves. */
static void sort_ties(mds_isotonic *m, uint32_t first, uint32_t count, double *distance) {
    if (count <= SMALL) sort_few(m->pair + first, distance + first, count);
    else sort_many(m->items, m->pair + first, distance + first, count);
}

/* Adds a block that ends before `end` to those pooled so far, `blocks` of them; returns how many there then
 * are. */
static uint32_t pool(mds_isotonic *m, uint32_t blocks, double sum, double total, uint32_t end) {
    while (blocks > 0 && m->sum[blocks - 1] * total >= sum * m->total[blocks - 1]) {
        blocks--;
        sum += m->sum[blocks];
        total += m->total[blocks];
    }
    m->sum[blocks] = sum;
    m->total[blocks] = total;
    m->last[blocks] = end;
    return blocks + 1;
}

static uint32_t pool_range(mds_isotonic *m, uint32_t blocks, uint32_t first, uint32_t end,
                           const double *distance) {
    double sum = 0, total = 0;
    for (uint32_t k = first; k < end; k++) {
        double weight = mds_pair_weight(m, k);
        sum += weight * distance[k];
        total += weight;
    }
    return pool(m, blocks, sum, total, end);
}

void mds_isotonic_fit(mds_isotonic *m, double *distance, double *fitted) {
    uint32_t blocks = 0;
    for (uint32_t k = 0, end; k < m->count; k = end) {
        end = m->end[k];
        if (!m->secondary && end - k > 1) sort_ties(m, k, end - k, distance);
        if (m->secondary) blocks = pool_range(m, blocks, k, end, distance);
        else
            for (uint32_t one = k; one < end; one++) blocks = pool_range(m, blocks, one, one + 1, distance);
    }
    for (uint32_t b = 0, k = 0; b < blocks; b++)
        for (double value = m->sum[b] / m->total[b]; k < m->last[b]; k++) fitted[k] = value;
}
