/* Which column owns a pivot: a hash table without locks, by open addressing. Inside src/persistence. */
#ifndef GLSHAPE_PERSISTENCE_OWNERS_H
#define GLSHAPE_PERSISTENCE_OWNERS_H

#include <stdatomic.h>

#include "base/memory.h"

typedef struct owner_slot {
    _Atomic uint64_t pivot; /* + 1; 0: free */
    _Atomic(void *) owner;  /* an immutable record; NULL: none yet */
} owner_slot;

/* At most half of the slots are ever taken. */
typedef struct owners {
    owner_slot *slots;
    int log2_slots;
} owners;

/* Makes *out for so many pivots; out->slots is the caller's to free. Errors: GLSHAPE_NO_MEMORY. */
static inline glshape_status owners_new(error *err, size_t pivots, owners *out) {
    *out = (owners){.log2_slots = 4};
    while (((size_t)1 << out->log2_slots) < 2 * pivots) out->log2_slots++;
    return allocate(err, &out->slots, (size_t)1 << out->log2_slots, sizeof *out->slots, "pivots");
}

static inline size_t owners_bytes(const owners *o) { return sizeof *o->slots << o->log2_slots; }

static inline size_t owners_scatter(const owners *o, uint64_t pivot) {
    return (size_t)(pivot * 0x9e3779b97f4a7c15u >> (64 - o->log2_slots));
}

/* Returns the slot of a pivot, sought from slot `at` on; takes a free one if the pivot has none. */
static inline owner_slot *owners_slot(const owners *o, size_t at, uint64_t pivot) {
    for (size_t mask = ((size_t)1 << o->log2_slots) - 1;; at++) {
        owner_slot *s = &o->slots[at &= mask];
        uint64_t key = atomic_load_explicit(&s->pivot, memory_order_acquire);
        if (!key && atomic_compare_exchange_strong(&s->pivot, &key, pivot + 1)) return s;
        if (key == pivot + 1) return s;
    }
}

/* The record of a pivot's owner; NULL: none. Takes no slot. */
static inline void *owners_find(const owners *o, uint64_t pivot) {
    for (size_t mask = ((size_t)1 << o->log2_slots) - 1, at = owners_scatter(o, pivot);; at++) {
        owner_slot *s = &o->slots[at & mask];
        uint64_t key = atomic_load_explicit(&s->pivot, memory_order_acquire);
        if (key == pivot + 1) return atomic_load_explicit(&s->owner, memory_order_acquire);
        if (!key) return NULL;
    }
}

#endif
