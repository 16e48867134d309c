#include "persistence/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LEAST_LOG2 8
#define MOST_KEPT ((size_t)1 << 16) /* slots of an empty heap */

typedef heap_term term;

/* ---- the table --------------------------------------------------------------------------------- */

static size_t home(const cell_heap *h, uint64_t cell) {
    return cell * 0x9e3779b97f4a7c15u >> (64 - h->log2_slots);
}

static size_t following(const cell_heap *h, size_t at) {
    return (at + 1) & (((size_t)1 << h->log2_slots) - 1);
}

/* Returns the slot where the cell is, or else the free slot where it would be. */
static term *slot_of(const cell_heap *h, uint64_t cell) {
    size_t at = home(h, cell);
    while (h->table[at].cell && h->table[at].cell != cell) at = following(h, at);
    return &h->table[at];
}

/* Frees a slot, and moves terms behind it up where they may, so that no search ends early. */
static void free_slot(cell_heap *h, term *gone) {
    size_t hole = (size_t)(gone - h->table), mask = ((size_t)1 << h->log2_slots) - 1;
    for (size_t at = following(h, hole); h->table[at].cell; at = following(h, at)) {
        if (((at - home(h, h->table[at].cell)) & mask) < ((at - hole) & mask)) continue;
        h->table[hole] = h->table[at];
        hole = at;
    }
    h->table[hole].cell = 0;
    h->used--;
}

static bool resize(cell_heap *h, int log2_slots) {
    size_t slots = (size_t)1 << log2_slots, old_slots = h->table ? (size_t)1 << h->log2_slots : 0;
    term *old = h->table, *table = calloc(slots, sizeof *table);
    if (!table) return false;
    h->table = table;
    h->allocated = slots;
    h->log2_slots = log2_slots;
    for (size_t k = 0; k < old_slots; k++)
        if (old[k].cell) *slot_of(h, old[k].cell) = old[k];
    free(old);
    return true;
}

/* ---- the heap ---------------------------------------------------------------------------------- */

static bool before(const cell *a, const cell *b) {
    return cell_before(a->value, a->index, b->value, b->index);
}

static bool heap_push(cell_heap *h, cell e) {
    if (memory_reserve(NULL, &h->heap, &h->room, h->count + 1, sizeof e, NULL)) return false;
    size_t at = h->count++;
    for (size_t up; at && before(&e, &h->heap[up = (at - 1) / 2]); at = up) h->heap[at] = h->heap[up];
    h->heap[at] = e;
    return true;
}

static void heap_drop(cell_heap *h) {
    cell e = h->heap[--h->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && before(&h->heap[child + 1], &h->heap[child])) child++;
        if (!before(&h->heap[child], &e)) break;
        h->heap[at] = h->heap[child];
    }
    h->heap[at] = e;
}

/* ---- both -------------------------------------------------------------------------------------- */

bool cell_heap_push(cell_heap *h, cell e) {
    if (!h->table || 2 * (h->used + 1) > (size_t)1 << h->log2_slots)
        if (!resize(h, h->table ? h->log2_slots + 1 : LEAST_LOG2)) return false;
    term *t = slot_of(h, e.index + 1);
    if (t->cell) {
        t->coefficient = (t->coefficient + e.coefficient) % h->modulus;
        return true;
    }
    *t = (term){e.index + 1, e.coefficient};
    h->used++;
    return heap_push(h, e);
}

bool cell_heap_first(cell_heap *h, cell *first) {
    for (; h->count; heap_drop(h)) {
        term *t = slot_of(h, h->heap[0].index + 1);
        *first = h->heap[0];
        first->coefficient = t->coefficient;
        if (t->coefficient) return true;
        free_slot(h, t);
    }
    return false;
}

static void cell_heap_free_memory(cell_heap *h) {
    uint32_t modulus = h->modulus;
    cell_heap_free(h);
    h->modulus = modulus;
}

void cell_heap_clear(cell_heap *h) {
    if (h->allocated > MOST_KEPT) cell_heap_free_memory(h);
    if (h->used) memset(h->table, 0, sizeof *h->table << h->log2_slots);
    if (h->table) h->log2_slots = LEAST_LOG2;
    h->count = h->used = 0;
}

void cell_heap_free(cell_heap *h) {
    free(h->heap);
    free(h->table);
    *h = (cell_heap){0};
}

size_t cell_heap_bytes(const cell_heap *h) {
    return h->room * sizeof *h->heap + h->allocated * sizeof *h->table;
}
