/* The nearest point of another component. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/walk.h"

#define BLOCK 1024u /* queries of a block of work */
#define PART 1024u  /* leaves below a node that a thread takes */

/* ---- labels of nodes --------------------------------------------------------------------------- */

typedef struct labels {
    const spatial_index *x;
    const uint32_t *label;
    uint32_t *common;
} labels;

static uint32_t label_of_leaf(const labels *l, uint32_t leaf) {
    uint32_t from = index_leaf_start(l->x, leaf), end = index_leaf_start(l->x, leaf + 1);
    for (uint32_t i = from + 1; i < end; i++)
        if (l->label[i] != l->label[from]) return INDEX_NONE;
    return l->label[from];
}

static void label_node(const labels *l, uint32_t v) {
    l->common[v] = l->common[2 * v] == l->common[2 * v + 1] ? l->common[2 * v] : INDEX_NONE;
}

static void label_part(void *user, size_t part) {
    const labels *l = user;
    uint32_t leaves = l->x->leaves, size = leaves < PART ? leaves : PART, first = leaves + (uint32_t)part * size;
    for (uint32_t v = first; v < first + size; v++) l->common[v] = label_of_leaf(l, v - leaves);
    for (uint32_t level = 2; level <= size; level *= 2)
        for (uint32_t v = first / level; v < (first + size) / level; v++) label_node(l, v);
}

void index_common(const spatial_index *x, const uint32_t *label, uint32_t *common) {
    labels l = {x, label, common};
    uint32_t parts = x->leaves < PART ? 1 : x->leaves / PART;
    threads_run(0, parts, label_part, &l);
    for (uint32_t v = parts; v-- > 1;) label_node(&l, v);
}

/* ---- on the CPU -------------------------------------------------------------------------------- */

typedef struct crossing {
    const index_crossing *task;
    uint32_t own, found;
} crossing;

static bool is_own(void *user, uint32_t node) {
    const crossing *c = user;
    return c->task->common[node] == c->own;
}

static void take(void *user, double sum, uint32_t position, walk_reach *reach) {
    crossing *c = user;
    if (c->task->label[position] == c->own) return;
    c->found = position;
    *reach = (walk_reach){sum, c->task->x->point[position]};
}

/* Lowers *least to the bits of a sum; sums are not negative, so their order is that of their bits. */
static void lower(atomic_uint_least64_t *least, double sum) {
    uint64_t bits, was = atomic_load_explicit(least, memory_order_relaxed);
    memcpy(&bits, &sum, sizeof bits);
    while (bits < was && !atomic_compare_exchange_weak_explicit(least, &was, bits, memory_order_relaxed,
                                                                memory_order_relaxed)) {}
}

static double nearest_of(const index_crossing *task, uint32_t component) {
    double sum;
    uint64_t bits = atomic_load_explicit(&task->nearest[component], memory_order_relaxed);
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

static glshape_status answer_block(error *err, void *user, uint64_t block, void *scratch) {
    const index_crossing *task = user;
    const spatial_index *x = task->x;
    uint64_t seen = 0;
    (void)err, (void)scratch;
    for (uint32_t i = (uint32_t)block * BLOCK; i < task->count && i / BLOCK == block; i++) {
        crossing c = {task, task->label[task->query[i]], INDEX_NONE};
        walk_reach reach = {nearest_of(task, c.own), INDEX_NONE};
        walk(x, x->row + (size_t)task->query[i] * x->columns, &reach, is_own, take, &c, &seen);
        task->found[i] = c.found;
        task->sum[i] = reach.sum;
        if (c.found != INDEX_NONE) lower(&task->nearest[c.own], reach.sum);
    }
    return GLSHAPE_OK;
}

glshape_status index_across_on_cpu(gpu *g, const index_crossing *task) {
    threads_job work = {.work = answer_block,
                        .user = (void *)task,
                        .blocks = task->count ? (task->count - 1) / BLOCK + 1 : 0,
                        .name = "a walk"};
    return task->count ? threads_do(gpu_error(g), &work) : GLSHAPE_OK;
}

glshape_status index_across(gpu *g, const index_crossing *task) { return index_across_on_cpu(g, task); }
