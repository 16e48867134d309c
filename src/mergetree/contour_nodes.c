#include "mergetree/contour_nodes.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define BLOCK 65536u /* vertices that a thread takes at a time */

static const char what[] = "the contour tree";

static uint32_t block_end(uint32_t n, uint32_t first) { return n - first < BLOCK ? n : first + BLOCK; }
static size_t blocks_of(uint32_t n) { return (n - 1) / BLOCK + 1; }

/* ---- sums -------------------------------------------------------------------------------------- */

static uint32_t add_up(uint32_t *numbers, size_t count) {
    uint32_t sum = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t here = numbers[k];
        numbers[k] = sum;
        sum += here;
    }
    return sum;
}

typedef struct adding {
    uint32_t *numbers, *sums; /* sums: of each block; then of those before it */
    uint32_t count;
} adding;

static void add_block(void *user, size_t block) {
    const adding *a = user;
    uint32_t first = (uint32_t)block * BLOCK, sum = 0;
    for (uint32_t k = first; k < block_end(a->count, first); k++) sum += a->numbers[k];
    a->sums[block] = sum;
}

static void add_up_block(void *user, size_t block) {
    const adding *a = user;
    uint32_t first = (uint32_t)block * BLOCK, sum = a->sums[block];
    for (uint32_t k = first; k < block_end(a->count, first); k++) {
        uint32_t here = a->numbers[k];
        a->numbers[k] = sum;
        sum += here;
    }
}

glshape_status contour_add_up(error *err, uint32_t *numbers, uint32_t count, uint32_t *sum) {
    OWNED uint32_t *sums = NULL;
    uint32_t all;
    TRY(allocate(err, &sums, blocks_of(count), sizeof *sums, what));
    adding a = {numbers, sums, count};
    threads_run(0, blocks_of(count), add_block, &a);
    all = add_up(sums, blocks_of(count));
    if (sum) *sum = all;
    threads_run(0, blocks_of(count), add_up_block, &a);
    return GLSHAPE_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

typedef struct listing {
    contour_nodes *nodes;
    const contour_branches *side;
    uint32_t n, *rest; /* of each block of vertices: nodes; then of those before it */
    radix_item *items;
} listing;

static void mark(const listing *l, uint32_t v) {
    if (v != GLSHAPE_NO_VERTEX)
        atomic_store_explicit((_Atomic uint32_t *)&l->nodes->number[v], 1, memory_order_relaxed);
}

static void mark_nodes(void *user, size_t first, size_t end) {
    const listing *l = user;
    for (size_t k = first; k < end; k++) {
        mark(l, l->side->branch[k].birth);
        mark(l, l->side->branch[k].death);
    }
}

static void count_nodes(void *user, size_t block) {
    const listing *l = user;
    uint32_t first = (uint32_t)block * BLOCK, count = 0;
    for (uint32_t v = first; v < block_end(l->n, first); v++) count += l->nodes->number[v];
    l->rest[block] = count;
}

static void list_block(void *user, size_t block) {
    const listing *l = user;
    uint32_t first = (uint32_t)block * BLOCK, at = l->rest[block];
    for (uint32_t v = first; v < block_end(l->n, first); v++)
        if (l->nodes->number[v]) l->items[at++] = (radix_item){order_of(l->nodes->order, v), v, 0};
}

static void number_nodes(void *user, size_t first, size_t end) {
    const listing *l = user;
    for (size_t k = first; k < end; k++) {
        l->nodes->vertex[k] = l->items[k].a;
        l->nodes->number[l->items[k].a] = (uint32_t)k + 1;
    }
}

glshape_status contour_nodes_new(error *err, const order *o, const contour_branches sides[2],
                                 contour_nodes *out) {
    OWNED radix_item *items = NULL;
    OWNED uint32_t *rest = NULL;
    *out = (contour_nodes){.order = o, .n = o->n};
    TRY(allocate(err, &out->number, o->n, sizeof *out->number, what));
    TRY(allocate(err, &rest, blocks_of(o->n), sizeof *rest, what));
    listing l = {.nodes = out, .n = o->n, .rest = rest};
    for (int k = 0; k < 2; k++) {
        l.side = &sides[k];
        threads_ranges(sides[k].count, mark_nodes, &l);
    }
    threads_run(0, blocks_of(o->n), count_nodes, &l);
    TRY(contour_add_up(err, rest, (uint32_t)blocks_of(o->n), &out->count));
    TRY(allocate(err, &out->vertex, out->count, sizeof *out->vertex, what));
    TRY(allocate(err, &items, out->count, 2 * sizeof *items, what));
    l.items = items;
    threads_run(0, blocks_of(o->n), list_block, &l);
    radix_sort_upper(items, items + out->count, out->count); /* they come by vertex */
    threads_ranges(out->count, number_nodes, &l);
    return GLSHAPE_OK;
}

void contour_nodes_free(contour_nodes *n) {
    free(n->vertex);
    free(n->number);
    *n = (contour_nodes){0};
}
