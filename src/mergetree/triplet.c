#include "mergetree/triplet.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mergetree/passes.h"
#include "place/place.h"
#include "prim/passes.h"

#define MOST_TASKS (1u << 20)
#define PASSES_OF_CHECK 16u /* a small field takes one or two each time */
#define FIRST_STEPS 256u    /* for each of at most 13 edges of a vertex */
#define MORE_STEPS 2048u    /* for a task that was left */
#define DOWN_STEPS 16u      /* few: each run makes all paths so much shorter */
#define REPAIR_STEPS 256u   /* paths are no longer shortened */

typedef struct merger {
    gpu *g;
    grid_field *field;
    uint32_t records, used; /* records in all; those that are not free */
    gpu_texture record, saddle, other, tasks, left, state;
} merger;

static uint32_t edges_of(const grid *d) { return (uint32_t)d->hood / 2; }

static glshape_status merger_new(merger *m) {
    uint32_t n = m->field->n, half = edges_of(&m->field->grid), room = MOST_TASKS;
    if (m->field->links.id && m->field->link_count < room) room = m->field->link_count;
    if (!m->field->links.id && n < room / half) room = n * half;
    m->records = n + n / 4 + 64;
    m->used = n;
    TRY(gpu_texture_new(m->g, &m->record, "references to records", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(m->g, &m->saddle, "saddles of records", GPU_R32UI, m->records, 1));
    TRY(gpu_texture_new(m->g, &m->other, "ends of records", GPU_R32UI, m->records, 1));
    TRY(gpu_texture_new(m->g, &m->tasks, "edges to go on with", GPU_RGBA32UI, room, 1));
    TRY(gpu_texture_new(m->g, &m->left, "edges left", GPU_RGBA32UI, room, 1));
    return gpu_texture_new(m->g, &m->state, "counters of merging", GPU_R32UI, 2, 1);
}

/* Sets m->other to the lowest neighbor of each vertex of a graph. m->saddle is working space. */
static glshape_status find_lowest(merger *m) {
    grid_field *f = m->field;
    gpu_texture *const both[] = {&m->saddle, &m->other};
    for (int i = 0; i < 2; i++)
        TRY(gpu_run(m->g, prim_fill, .filled = both[i], .value = UINT32_MAX, .elements = f->n));
    TRY(gpu_run(m->g, field_least, .links = &f->links, .key = &f->key, .least = &m->saddle,
                .count = f->link_count, .groups = field_groups(f->link_count)));
    return gpu_run(m->g, field_lowest, .links = &f->links, .key = &f->key, .least = &m->saddle,
                   .basin = &m->other, .count = f->link_count, .groups = field_groups(f->link_count));
}

static glshape_status descend_links(merger *m) {
    TRY(find_lowest(m));
    return gpu_run(m->g, mergetree_descend_links, .record = &m->record, .saddle = &m->saddle,
                   .other = &m->other, .n = m->field->n, .groups = field_groups(m->field->n));
}

static glshape_status descend_grid(merger *m) {
    return gpu_run(m->g, mergetree_descend, GRID_OF(m->field), .key = &m->field->key, .record = &m->record,
                   .saddle = &m->saddle, .other = &m->other, .groups = field_groups(m->field->n));
}

/* Moves the triplet of each vertex into its own record: all other records are then free. */
static glshape_status free_records(merger *m) {
    uint32_t n = m->field->n;
    m->used = n;
    return gpu_run(m->g, mergetree_free_records, .record = &m->record, .saddle = &m->saddle,
                   .other = &m->other, .n = n, .groups = field_groups(n));
}

/* Reads the counters after a pass, and frees records if many are used. *left becomes the number of tasks that
 * remain. */
static glshape_status read_counters(merger *m, uint32_t *left) {
    uint32_t state[2];
    TRY(gpu_download(m->g, &m->state, 0, 2, state));
    *left = state[1];
    if (*left > m->left.elements)
        return fail(run_error(run_of(m->g)), GLSHAPE_GPU_ERROR,
                    "%u edges are left of %u: this driver counts wrong", *left, m->left.elements);
    m->used = state[0] < m->records ? state[0] : m->records;
    return m->used - m->field->n > m->records / 10 ? free_records(m) : GLSHAPE_OK;
}

/* Each pass brings at least one task a step further. If there are more passes than there can be steps, the
 * device computes something wrong. */
static glshape_status count_pass(merger *m, uint64_t *passes) {
    uint64_t most = gpu_is_checking(m->g) ? PASSES_OF_CHECK : 1000 + (uint64_t)m->field->n;
    if (++*passes <= most) return GLSHAPE_OK;
    return fail(run_error(run_of(m->g)), GLSHAPE_GPU_ERROR,
                "merging triplets of %u vertices has no end after %" PRIu64
                " passes: this driver computes something wrong; take another device, or the method basins",
                m->field->n, *passes);
}

static glshape_status set_counters(merger *m) {
    return gpu_upload(m->g, &m->state, 0, 2, (uint32_t[]){m->used, 0});
}

/* Merges the edges from count vertices, from `first` on, to half of their neighbors. */
static glshape_status merge_vertices(merger *m, uint32_t first, uint32_t count, uint32_t *left) {
    TRY(set_counters(m));
    TRY(gpu_run(m->g, mergetree_merge_vertices, GRID_OF(m->field), .IN_ORDER = place_in_order(m->g),
                .key = &m->field->key, .record = &m->record, .saddle = &m->saddle, .other = &m->other,
                .left = &m->left, .state = &m->state, .first = first, .count = count, .records = m->records,
                .steps = FIRST_STEPS, .groups = field_groups(count)));
    return read_counters(m, left);
}

/* Goes on with the tasks that remain. */
static glshape_status merge_tasks(merger *m, uint32_t *left) {
    uint32_t count = *left;
    gpu_texture_swap(&m->tasks, &m->left);
    TRY(set_counters(m));
    TRY(gpu_run(m->g, mergetree_merge_tasks, .IN_ORDER = place_in_order(m->g), .key = &m->field->key,
                .record = &m->record, .saddle = &m->saddle, .other = &m->other, .left = &m->left,
                .state = &m->state, .tasks = &m->tasks, .n = m->field->n, .count = count,
                .records = m->records, .steps = MORE_STEPS, .groups = field_groups(count)));
    return read_counters(m, left);
}

/* Runs passes until no task is left. done: the fraction of the work done before. */
static glshape_status finish_tasks(merger *m, uint32_t left, double done) {
    uint64_t passes = 0;
    while (left) {
        TRY(count_pass(m, &passes));
        TRY(merge_tasks(m, &left));
        TRY(run_tick(run_of(m->g), done));
    }
    return GLSHAPE_OK;
}

/* Makes tasks of count edges of a graph, from `first` on. from: room for them. */
static glshape_status list_tasks(merger *m, uint32_t first, uint32_t count, uint32_t (*from)[4]) {
    uint32_t(*links)[2] = (uint32_t(*)[2])(void *)from;
    TRY(gpu_download(m->g, &m->field->links, first, count, links));
    for (uint32_t k = count; k-- > 0;) {
        uint32_t a = links[k][0], b = links[k][1];
        bool down = order_of(m->field->order, b) < order_of(m->field->order, a);
        from[k][0] = a, from[k][1] = down ? a : b, from[k][2] = b, from[k][3] = 0;
    }
    return gpu_upload(m->g, &m->left, 0, count, from);
}

static glshape_status merge_links(merger *m) {
    OWNED uint32_t(*staging)[4] = NULL;
    uint32_t total = m->field->link_count, room = total < MOST_TASKS ? total : MOST_TASKS;
    TRY(allocate(run_error(run_of(m->g)), &staging, room, sizeof *staging, "a batch of edges"));
    for (uint32_t first = 0, count; first < total; first += count) {
        count = total - first < MOST_TASKS ? total - first : MOST_TASKS;
        TRY(list_tasks(m, first, count, staging));
        TRY(finish_tasks(m, count, 0.9 * first / total));
    }
    return free_records(m);
}

static glshape_status merge_grid(merger *m) {
    uint32_t n = m->field->n, batch = MOST_TASKS / edges_of(&m->field->grid);
    for (uint32_t first = 0, count; first < n; first += count) {
        uint32_t left;
        count = n - first < batch ? n - first : batch;
        TRY(merge_vertices(m, first, count, &left));
        TRY(finish_tasks(m, left, 0.9 * first / n));
        TRY(run_tick(run_of(m->g), 0.9 * ((double)first + count) / n));
    }
    return free_records(m);
}

/* Makes triplets minimal. A pass takes so many steps. done: the fraction of the work done before. */
static glshape_status repair(merger *m, uint32_t steps, double done) {
    uint32_t n = m->field->n, state[2] = {0, 1};
    uint64_t passes = 0;
    while (state[1]) {
        TRY(count_pass(m, &passes));
        TRY(gpu_upload(m->g, &m->state, 0, 2, (uint32_t[]){0, 0}));
        TRY(gpu_run(m->g, mergetree_repair, .key = &m->field->key, .saddle = &m->saddle, .other = &m->other,
                    .state = &m->state, .n = n, .steps = steps, .groups = field_groups(n)));
        TRY(gpu_download(m->g, &m->state, 0, 2, state));
        TRY(run_tick(run_of(m->g), done));
    }
    return GLSHAPE_OK;
}

static void merger_free(merger *m) {
    gpu_texture *const all[] = {&m->record, &m->saddle, &m->other, &m->tasks, &m->left, &m->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

/* The steepest edges make a forest without any merging. Its paths are shortened at once, so that merging the
 * other edges does not walk them step by step. */
glshape_status triplet_find(gpu *g, grid_field *f, uint32_t *saddle, uint32_t *other) {
    OWNED_BY(merger_free) merger m = {.g = g, .field = f};
    bool links = f->links.id;
    TRY(merger_new(&m));
    TRY(links ? descend_links(&m) : descend_grid(&m));
    TRY(repair(&m, DOWN_STEPS, 0));
    TRY(links ? merge_links(&m) : merge_grid(&m));
    TRY(repair(&m, REPAIR_STEPS, 0.9));
    TRY(gpu_download(g, &m.saddle, 0, f->n, saddle));
    return gpu_download(g, &m.other, 0, f->n, other);
}
