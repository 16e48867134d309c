#include "rips/head.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LEAST_LOG2 8

typedef rips_term term;

/* ---- the table --------------------------------------------------------------------------------- */

static size_t home(const rips_head *h, uint64_t simplex) {
    return simplex * 0x9e3779b97f4a7c15u >> (64 - h->log2_slots);
}

static size_t after(const rips_head *h, size_t at) { return (at + 1) & (((size_t)1 << h->log2_slots) - 1); }

/* Where the simplex is, or would be. */
static term *find(const rips_head *h, uint64_t simplex) {
    size_t at = home(h, simplex);
    while (h->table[at].simplex && h->table[at].simplex != simplex) at = after(h, at);
    return &h->table[at];
}

/* Frees a slot; those behind it move up where they may. */
static void forget(rips_head *h, term *gone) {
    size_t hole = (size_t)(gone - h->table), mask = ((size_t)1 << h->log2_slots) - 1;
    for (size_t at = after(h, hole); h->table[at].simplex; at = after(h, at)) {
        if (((at - home(h, h->table[at].simplex)) & mask) < ((at - hole) & mask)) continue;
        h->table[hole] = h->table[at];
        hole = at;
    }
    h->table[hole].simplex = 0;
    h->used--;
}

static bool resize(rips_head *h, int log2_slots) {
    size_t slots = (size_t)1 << log2_slots, old_slots = h->table ? (size_t)1 << h->log2_slots : 0;
    term *old = h->table, *table = calloc(slots, sizeof *table);
    if (!table) return false;
    h->table = table;
    h->allocated = slots;
    h->log2_slots = log2_slots;
    for (size_t k = 0; k < old_slots; k++)
        if (old[k].simplex) *find(h, old[k].simplex) = old[k];
    free(old);
    return true;
}

/* ---- the heap ---------------------------------------------------------------------------------- */

static bool before(const rips_entry *a, const rips_entry *b) {
    return rips_before(a->diameter, a->index, b->diameter, b->index);
}

static bool heap_push(rips_head *h, rips_entry e) {
    if (memory_reserve(NULL, &h->heap, &h->room, h->count + 1, sizeof e, NULL)) return false;
    size_t at = h->count++;
    for (size_t up; at && before(&e, &h->heap[up = (at - 1) / 2]); at = up) h->heap[at] = h->heap[up];
    h->heap[at] = e;
    return true;
}

static void heap_drop(rips_head *h) {
    rips_entry e = h->heap[--h->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && before(&h->heap[child + 1], &h->heap[child])) child++;
        if (!before(&h->heap[child], &e)) break;
        h->heap[at] = h->heap[child];
    }
    h->heap[at] = e;
}

/* ---- both -------------------------------------------------------------------------------------- */

bool rips_head_push(rips_head *h, rips_entry e) {
    if (!h->table || 2 * (h->used + 1) > (size_t)1 << h->log2_slots)
        if (!resize(h, h->table ? h->log2_slots + 1 : LEAST_LOG2)) return false;
    term *t = find(h, e.index + 1);
    if (t->simplex) {
        t->coefficient = (t->coefficient + e.coefficient) % h->modulus;
        return true;
    }
    *t = (term){e.index + 1, e.coefficient};
    h->used++;
    return heap_push(h, e);
}

bool rips_head_first(rips_head *h, rips_entry *first) {
    for (; h->count; heap_drop(h)) {
        term *t = find(h, h->heap[0].index + 1);
        *first = h->heap[0];
        first->coefficient = t->coefficient;
        if (t->coefficient) return true;
        forget(h, t);
    }
    return false;
}

void rips_head_clear(rips_head *h) {
    if (h->used) memset(h->table, 0, sizeof *h->table << h->log2_slots);
    if (h->table) h->log2_slots = LEAST_LOG2;
    h->count = h->used = 0;
}

void rips_head_free(rips_head *h) {
    free(h->heap);
    free(h->table);
    *h = (rips_head){0};
}

size_t rips_head_bytes(const rips_head *h) {
    return h->room * sizeof *h->heap + h->allocated * sizeof *h->table;
}
