#include "rips/clear.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define BLOCK 4096u     /* indices or columns of an item of work */
#define NONE UINT64_MAX /* no index: they have 63 bits */
#define LEAST_LOG2_ROOM 6

/* The indices in a table; each is in the first free place from the one on that its hash says. At most half of
 * the places are taken. */
typedef struct clearing {
    _Atomic uint64_t *table;
    int log2_room;
    const uint64_t *indices;
    size_t count;
    const rips_columns *c;
    bool *cleared; /* of each column */
} clearing;

static size_t first_place(const clearing *w, uint64_t index) {
    return index * 0x9e3779b97f4a7c15u >> (64 - w->log2_room);
}

static size_t next_place(const clearing *w, size_t place) {
    return (place + 1) & (((size_t)1 << w->log2_room) - 1);
}

static size_t block_end(size_t count, size_t first) { return count - first < BLOCK ? count : first + BLOCK; }

static void put_block(void *user, size_t block) {
    const clearing *w = user;
    for (size_t i = block * BLOCK; i < block_end(w->count, block * BLOCK); i++) {
        size_t place = first_place(w, w->indices[i]);
        uint64_t there = NONE;
        while (!atomic_compare_exchange_strong_explicit(&w->table[place], &there, w->indices[i],
                                                        memory_order_relaxed, memory_order_relaxed)) {
            place = next_place(w, place);
            there = NONE;
        }
    }
}

static void find_block(void *user, size_t block) {
    const clearing *w = user;
    for (size_t i = block * BLOCK; i < block_end(w->c->count, block * BLOCK); i++) {
        uint64_t index = w->c->items[i].index, there;
        size_t place = first_place(w, index);
        while ((there = atomic_load_explicit(&w->table[place], memory_order_relaxed)) != NONE &&
               there != index)
            place = next_place(w, place);
        w->cleared[i] = there == index;
    }
}

static size_t blocks_of(size_t count) { return (count + BLOCK - 1) / BLOCK; }

glshape_status rips_clear(error *err, const uint64_t *indices, size_t count, int threads, rips_columns *c) {
    OWNED uint64_t *table = NULL;
    OWNED bool *cleared = NULL;
    clearing w = {.log2_room = LEAST_LOG2_ROOM, .indices = indices, .count = count, .c = c};
    size_t kept = 0;
    if (!count) return GLSHAPE_OK;
    while ((size_t)1 << w.log2_room < 2 * count) w.log2_room++;
    TRY(allocate(err, &table, (size_t)1 << w.log2_room, sizeof *table, "the ends of intervals"));
    TRY(allocate(err, &cleared, c->count, sizeof *cleared, "the ends of intervals"));
    memset(table, 0xff, sizeof *table << w.log2_room);
    w.table = (_Atomic uint64_t *)table;
    w.cleared = cleared;
    threads_run(threads, blocks_of(count), put_block, &w);
    threads_run(threads, blocks_of(c->count), find_block, &w);
    for (size_t i = 0; i < c->count; i++)
        if (!cleared[i]) c->items[kept++] = c->items[i];
    c->count = kept;
    return GLSHAPE_OK;
}
