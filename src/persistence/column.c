/* The cofacets are made a range of values at a time, the earliest first: at first those up to a bound a
 * little beyond the column's own value. When none of these is left, the bound is raised and the next range is
 * made. Most columns find a pivot of their own long before the threshold. */
#include "persistence/column.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define NOTHING (-1.0f)  /* a bound below every value */
#define MOST_STEPS 32    /* of a column's bound from its value to the threshold; ... */
#define STEP_COFACETS 16 /* ... one step for so many cofacets of its cell: few cofacets are soon sorted */

static bool reserve(working_column *c, cell_pile *p, size_t more) {
    if (!memory_reserve(NULL, &p->items, &p->room, p->count + more, sizeof *p->items, NULL)) return true;
    atomic_store(c->status, GLSHAPE_NO_MEMORY);
    return false;
}

/* ---- batches of cofacets ----------------------------------------------------------------------- */

#define DIGIT 11         /* bits */
#define BATCH (1u << 20) /* entries at a time, more or less */
#define FEW 512          /* these do not cancel beforehand */
#define SORT_FEW 64      /* these are sorted by insertion */
#define INDEXED 64       /* fewer of one value are pushed sooner than put into buckets */
#define INDEX_BUCKETS 16 /* of them */

/* One pass of a radix sort by index. */
static void sort_digit(const cell *from, cell *to, size_t count, int shift) {
    size_t start[(1 << DIGIT) + 1] = {0};
    for (size_t i = 0; i < count; i++) start[(from[i].index >> shift & ((1 << DIGIT) - 1)) + 1]++;
    for (size_t d = 0; d < 1 << DIGIT; d++) start[d + 1] += start[d];
    for (size_t i = 0; i < count; i++) to[start[from[i].index >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Adds up equal entries, which lie side by side, and drops those that cancel. */
static void merge_equal(cell_pile *p, uint32_t modulus) {
    size_t kept = 0;
    for (size_t i = 0; i < p->count;) {
        cell e = p->items[i++];
        while (i < p->count && p->items[i].index == e.index)
            e.coefficient = (e.coefficient + p->items[i++].coefficient) % modulus;
        if (e.coefficient) p->items[kept++] = e;
    }
    p->count = kept;
}

static void sort_few(cell_pile *p) {
    for (size_t k = 1, at; k < p->count; k++) {
        cell e = p->items[k];
        for (at = k; at && p->items[at - 1].index > e.index; at--) p->items[at] = p->items[at - 1];
        p->items[at] = e;
    }
}

static bool sort_by_index(working_column *c, cell_pile *p) {
    uint64_t most = 0;
    if (p->count <= SORT_FEW) {
        sort_few(p);
        return true;
    }
    if (!reserve(c, &c->spare, p->count)) return false;
    for (size_t i = 0; i < p->count; i++) most |= p->items[i].index;
    for (int shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
        cell_pile sorted = {c->spare.items, p->count, c->spare.room};
        sort_digit(p->items, sorted.items, p->count, shift);
        c->spare = (cell_pile){p->items, 0, p->room};
        *p = sorted;
    }
    return true;
}

/* Adds up equal cells, if there are so many that most of them cancel. */
static bool cancel_equal(working_column *c, cell_pile *p) {
    if (p->count <= FEW) return true;
    if (!sort_by_index(c, p)) return false;
    merge_equal(p, c->complex->modulus);
    return true;
}

/* The bucket of a cell: never a lower one for a later cell, whatever is rounded. */
static int bucket_of(const working_column *c, cell e) {
    if (c->width) {
        if (e.value != c->single) return e.value < c->single ? 0 : COLUMN_BUCKETS - 1;
        uint64_t after = e.index > c->top ? 0 : (c->top - e.index) / c->width;
        return after < COLUMN_BUCKETS - 1 ? (int)after : COLUMN_BUCKETS - 1;
    }
    float at = (e.value - c->from) * c->scale;
    return at < 0 ? 0 : at < COLUMN_BUCKETS - 1 ? (int)at : COLUMN_BUCKETS - 1;
}

/* If all cells of the batch have one value, buckets go by their indices from now on: where many distances are
 * equal, most cells are never looked at. made: how many cells there are; if some have left the batch, they
 * are in buckets by value, and all others have to follow. */
static void bucket_by_index(working_column *c, uint64_t made) {
    uint64_t least = UINT64_MAX;
    if (c->batch.count < INDEXED || c->batch.count != made) return;
    c->single = c->batch.items[0].value;
    c->top = 0;
    for (size_t i = 0; i < c->batch.count; i++) {
        uint64_t index = c->batch.items[i].index;
        if (c->batch.items[i].value != c->single) return;
        c->top = index > c->top ? index : c->top;
        least = index < least ? index : least;
    }
    c->width = (c->top - least) / INDEX_BUCKETS + 1;
    c->current = 0;
}

static bool push_cell(working_column *c, cell e) {
    if (cell_heap_push(&c->heap, e)) return true;
    atomic_store(c->status, GLSHAPE_NO_MEMORY);
    return false;
}

static bool push_all(working_column *c, cell_pile *p) {
    if (!cancel_equal(c, p)) return false;
    for (size_t i = 0; i < p->count; i++)
        if (!push_cell(c, p->items[i])) return false;
    p->count = 0;
    return true;
}

bool column_flush(working_column *c) {
    if (c->current == COLUMN_BUCKETS - 1) return push_all(c, &c->batch);
    if (!cancel_equal(c, &c->batch)) return false;
    for (size_t i = 0; i < c->batch.count; i++) {
        cell e = c->batch.items[i];
        int bucket = bucket_of(c, e);
        cell_pile *p = &c->buckets[bucket];
        if (bucket <= c->current ? !push_cell(c, e) : !reserve(c, p, 1)) return false;
        if (bucket > c->current) p->items[p->count++] = e;
    }
    c->batch.count = 0;
    return true;
}

static size_t cofacets_of(const working_column *c, cell e, cell_range wanted, cell *out) {
    const filtered_complex *k = c->complex;
    return k->cofacets(k->space, e, c->dim, wanted, out);
}

static bool add_cofacets(working_column *c, cell e, cell_range wanted) {
    if (!reserve(c, &c->batch, c->complex->most_cofacets)) return false;
    size_t found = cofacets_of(c, e, wanted, c->batch.items + c->batch.count);
    c->batch.count += found;
    c->cofacets += found;
    return c->batch.count < BATCH || column_flush(c);
}

bool column_add_cell(working_column *c, cell e, uint32_t factor) {
    e.coefficient = (uint32_t)((uint64_t)e.coefficient * factor % c->complex->modulus);
    if (!reserve(c, &c->terms, 1)) return false;
    c->terms.items[c->terms.count++] = e;
    return c->bound < 0 || add_cofacets(c, e, (cell_range){NOTHING, c->bound});
}

bool column_merge_terms(working_column *c) {
    if (c->terms.count < 2) return true;
    if (!sort_by_index(c, &c->terms)) return false;
    merge_equal(&c->terms, c->complex->modulus);
    return true;
}

/* ---- its cells by value ------------------------------------------------------------------------- */

void column_clear(working_column *c, float value) {
    cell_heap_clear(&c->heap);
    c->terms.count = 0;
    while (c->current < COLUMN_BUCKETS - 1) c->buckets[++c->current].count = 0;
    c->begun = c->cofacets;
    c->bound = NOTHING;
    c->least = value;
    c->step = (c->complex->threshold - value) / (float)c->steps;
}

/* Returns the bound after this one; it is at least c->least. */
static float next_bound(working_column *c) {
    float end = c->complex->threshold, bound = c->bound < c->least ? c->least : c->bound;
    if (c->bound >= c->least) bound += c->step;
    return bound < end && bound > c->bound ? bound : end;
}

/* Raises the bound and makes the cofacets up to it. */
static bool raise_bound(working_column *c) {
    float from = c->bound;
    uint64_t before = c->cofacets;
    c->bound = next_bound(c);
    c->from = from < c->least ? c->least : from;
    c->scale = c->bound > c->from ? COLUMN_BUCKETS / (c->bound - c->from) : 0;
    c->current = c->scale > 0 && c->scale < INFINITY ? 0 : COLUMN_BUCKETS - 1;
    c->width = 0;
    if (!column_merge_terms(c)) return false;
    for (size_t i = 0; i < c->terms.count; i++)
        if (!add_cofacets(c, c->terms.items[i], (cell_range){from, c->bound})) return false;
    if (c->cofacets == before) c->step *= 2;
    bucket_by_index(c, c->cofacets - before);
    return column_flush(c);
}

bool column_pivot(working_column *c, cell *pivot, bool *zero) {
    for (;;) {
        *zero = !cell_heap_first(&c->heap, pivot);
        if (!*zero) return true;
        if (c->current < COLUMN_BUCKETS - 1) {
            if (!push_all(c, &c->buckets[++c->current])) return false;
        } else if (c->bound >= c->complex->threshold) return true;
        else if (!raise_bound(c)) return false;
    }
}

/* ---- its own cell ------------------------------------------------------------------------------ */

void column_begin_known(working_column *c, cell e, size_t cofacets) {
    c->steps = cofacets / STEP_COFACETS < MOST_STEPS ? 1 + (int)(cofacets / STEP_COFACETS) : MOST_STEPS;
    column_clear(c, e.value);
}

bool column_begin(working_column *c, cell e, cell *pivot, bool *zero) {
    const filtered_complex *k = c->complex;
    cell_range all = {NOTHING, k->threshold};
    if (!reserve(c, &c->batch, k->most_cofacets)) return false;
    const cell *made = c->batch.items, *first = made;
    size_t found = cofacets_of(c, e, all, c->batch.items);
    c->cofacets += found;
    for (size_t i = 1; i < found; i++)
        if (cell_before(made[i].value, made[i].index, first->value, first->index)) first = &made[i];
    *zero = !found;
    if (found) *pivot = *first;
    column_begin_known(c, e, found);
    return true;
}

bool column_make(working_column *c) { return c->bound >= 0 || raise_bound(c); }

size_t column_bytes(const working_column *c) {
    size_t cells = c->batch.room + c->spare.room + c->terms.room;
    for (int b = 0; b < COLUMN_BUCKETS; b++) cells += c->buckets[b].room;
    return cell_heap_bytes(&c->heap) + cells * sizeof(cell);
}

void column_free(working_column *c) {
    free(c->batch.items);
    free(c->spare.items);
    cell_heap_free(&c->heap);
    free(c->terms.items);
    for (int b = 0; b < COLUMN_BUCKETS; b++) free(c->buckets[b].items);
}
