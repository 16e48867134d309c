/* Small searches that show whether the passes of this folder are right: the CPU answers them, too. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "index/passes.h"

#define POINTS 96u
#define LABELS 3u

/* Every other point of whole numbers, so that many sums are equal; the others with all bits. */
static glshape_status read_row(error *err, const void *columns, uint32_t i, double *out) {
    uint32_t state = i + 1;
    (void)err;
    for (uint32_t c = 0; c < *(const uint32_t *)columns; c++) {
        state = state * 1664525u + 1013904223u;
        out[c] = i % 2 ? (double)(state >> 29) : state * 0x1p-29;
    }
    return GLSHAPE_OK;
}

static glshape_status small_index(gpu *g, const spatial_index *as, spatial_index *out) {
    return index_new(gpu_error(g), POINTS, as->columns, as->norm, read_row, &as->columns, out);
}

/* ---- nearest ------------------------------------------------------------------------------------- */

/* user: a task with the k that is to be tried. Positions are compared, of which an error does no harm. */
static glshape_status check_nearest(gpu *g, const void *user, bool *right) {
    const index_task *as = user;
    OWNED_BY(index_free) spatial_index x = {0};
    uint32_t device[POINTS * INDEX_KEEP], cpu[POINTS * INDEX_KEEP];
    TRY(small_index(g, as->x, &x));
    const index_task task = {.x = &x, .queries = &x, .k = as->k};
    TRY(index_nearest_by_passes(g, &task, device, NULL));
    TRY(index_nearest_on_cpu(g, &task, cpu, NULL));
    *right = !memcmp(device, cpu, POINTS * (size_t)as->k * sizeof *cpu);
    return GLSHAPE_OK;
}

/* The list of a k above INDEX_KEEP takes walks of two sizes. */
glshape_status index_nearest_place(gpu *g, const index_task *task, gpu_why *why) {
    uint32_t k[] = {task->k < INDEX_KEEP ? task->k : INDEX_KEEP,
                    task->k > INDEX_KEEP ? task->k % INDEX_KEEP : 0};
    TRY(index_by_passes(g, task->x, task->queries->n, why));
    for (int i = 0; i < 2 && k[i]; i++) {
        const int size = index_list_size(k[i]);
        const index_task as = {.x = task->x, .k = (uint32_t)size};
        gpu_exact e = {.program = {gpu_program(index_nearest, .POWER = (int)task->x->norm.power,
                                               .COLUMNS = (int)task->x->columns, .KEEP = size)},
                       .check = check_nearest,
                       .user = &as};
        TRY(gpu_trusts_for(g, &e, why));
    }
    return GLSHAPE_OK;
}

/* ---- within -------------------------------------------------------------------------------------- */

/* A sum within which a part of the points is: that of two of them. */
static double some_sum(const spatial_index *x) {
    return norm_sum(&x->norm, x->row, x->row + (size_t)(x->n / 4) * x->columns, x->columns);
}

typedef struct lists {
    uint64_t start[POINTS + 1];
    uint32_t *index;
    double *sum;
} lists;

static void free_lists(lists *l) {
    free(l->index);
    free(l->sum);
}

static glshape_status lists_new(gpu *g, lists *l, size_t count) {
    TRY(allocate(gpu_error(g), &l->index, count + 1, sizeof *l->index, "neighbors of a point"));
    return allocate(gpu_error(g), &l->sum, count + 1, sizeof *l->sum, "neighbors of a point");
}

static glshape_status check_within(gpu *g, const void *user, bool *right) {
    OWNED_BY(index_free) spatial_index x = {0};
    OWNED_BY(free_lists) lists device = {0};
    OWNED_BY(free_lists) lists cpu = {0};
    TRY(small_index(g, user, &x));
    const index_task task = {.x = &x, .queries = &x};
    double most = some_sum(&x);
    TRY(index_within_count_on_cpu(g, &task, most, cpu.start));
    TRY(index_within_count_by_passes(g, &task, most, device.start));
    *right = !memcmp(device.start, cpu.start, sizeof cpu.start);
    if (!*right) return GLSHAPE_OK;
    size_t count = cpu.start[POINTS];
    TRY(lists_new(g, &device, count));
    TRY(lists_new(g, &cpu, count));
    TRY(index_within_on_cpu(g, &task, most, cpu.start, cpu.index, cpu.sum));
    TRY(index_within_by_passes(g, &task, most, device.start, device.index, device.sum));
    *right = count && !memcmp(device.index, cpu.index, count * sizeof *cpu.index) &&
             !memcmp(device.sum, cpu.sum, count * sizeof *cpu.sum);
    return GLSHAPE_OK;
}

glshape_status index_within_place(gpu *g, const index_task *task, gpu_why *why) {
    const spatial_index *x = task->x;
    gpu_exact e = {
        .program = {gpu_program(index_within_count, .POWER = (int)x->norm.power, .COLUMNS = (int)x->columns),
                    gpu_program(index_within_fill, .POWER = (int)x->norm.power, .COLUMNS = (int)x->columns)},
        .check = check_within,
        .user = x};
    TRY(index_by_passes(g, x, task->queries->n, why));
    return gpu_trusts_for(g, &e, why);
}

/* ---- across -------------------------------------------------------------------------------------- */

typedef struct crossing {
    uint32_t label[POINTS], query[POINTS], found[POINTS];
    double core[POINTS], sum[POINTS];
    atomic_uint_least64_t nearest[POINTS];
} crossing;

/* Each component lies in all of space, and some core distances are large. */
static void make_crossing(crossing *c, double core) {
    for (uint32_t i = 0; i < POINTS; i++) {
        c->label[i] = i % LABELS;
        c->query[i] = i;
        c->core[i] = i % 4 ? 0 : core;
        atomic_init(&c->nearest[i], UINT64_C(0x7ff0000000000000)); /* the bits of infinity */
    }
}

static glshape_status answer(gpu *g, spatial_index *x, const uint32_t *node_label, bool cores, bool by_passes,
                             crossing *c) {
    make_crossing(c, some_sum(x));
    const index_cores with = {.core = c->core, .alpha = 1};
    const index_crossing task = {.x = x,
                                 .label = c->label,
                                 .node_label = node_label,
                                 .nearest = c->nearest,
                                 .count = POINTS,
                                 .query = c->query,
                                 .found = c->found,
                                 .sum = c->sum,
                                 .cores = cores ? &with : NULL};
    return by_passes ? index_across_by_passes(g, &task) : index_across_on_cpu(g, &task);
}

/* Whether query i has found a point at the sum of these bits. */
static bool finds(const crossing *c, uint32_t i, uint64_t bits) {
    return c->found[i] != INDEX_NONE && !memcmp(&c->sum[i], &bits, sizeof bits);
}

/* A search may miss what is farther than another of its component has found: the nearest of each component
 * are the answer. */
static bool same_answer(const crossing *a, const crossing *b) {
    for (uint32_t i = 0; i < POINTS; i++) {
        uint64_t nearest = atomic_load(&a->nearest[a->label[i]]);
        if (nearest != atomic_load(&b->nearest[a->label[i]])) return false;
        if (a->found[i] != b->found[i] && (finds(a, i, nearest) || finds(b, i, nearest))) return false;
    }
    return true;
}

static glshape_status check_across(gpu *g, const void *user, bool *right) {
    const index_crossing *as = user;
    OWNED_BY(index_free) spatial_index x = {0};
    OWNED uint32_t *node_label = NULL;
    crossing device, cpu;
    TRY(small_index(g, as->x, &x));
    TRY(allocate(gpu_error(g), &node_label, 2 * (size_t)x.leaves, sizeof *node_label, "labels"));
    make_crossing(&cpu, 0);
    index_label_nodes(&x, cpu.label, node_label);
    TRY(answer(g, &x, node_label, as->cores, true, &device));
    TRY(answer(g, &x, node_label, as->cores, false, &cpu));
    *right = same_answer(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status index_across_place(gpu *g, const index_crossing *task, gpu_why *why) {
    gpu_exact e = {.program = {gpu_program(index_across, .POWER = (int)task->x->norm.power,
                                           .COLUMNS = (int)task->x->columns, .CORES = task->cores != NULL)},
                   .check = check_across,
                   .user = task};
    TRY(index_by_passes(g, task->x, task->count, why));
    return gpu_trusts_for(g, &e, why);
}
