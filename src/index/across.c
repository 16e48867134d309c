/* The nearest point of another component. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/passes.h"
#include "index/walk.h"
#include "place/place.h"

#define BLOCK 1024u /* queries of a block of work, at most */
#define BLOCKS 64u  /* for threads to share */
#define CHUNK 65536u
#define PART 1024u /* leaves below a node that a thread takes */

/* ---- labels of nodes --------------------------------------------------------------------------- */

typedef struct labels {
    const spatial_index *x;
    const uint32_t *label;
    uint32_t *node_label;
} labels;

static uint32_t label_of_leaf(const labels *l, uint32_t leaf) {
    uint32_t from = index_leaf_start(l->x, leaf), end = index_leaf_start(l->x, leaf + 1);
    if (from == end) return INDEX_NONE;
    for (uint32_t i = from + 1; i < end; i++)
        if (l->label[i] != l->label[from]) return INDEX_NONE;
    return l->label[from];
}

static void label_node(const labels *l, uint32_t v) {
    l->node_label[v] = l->node_label[2 * v] == l->node_label[2 * v + 1] ? l->node_label[2 * v] : INDEX_NONE;
}

static void label_part(void *user, size_t part) {
    const labels *l = user;
    uint32_t leaves = l->x->leaves, size = leaves < PART ? leaves : PART,
             first = leaves + (uint32_t)part * size;
    for (uint32_t v = first; v < first + size; v++) l->node_label[v] = label_of_leaf(l, v - leaves);
    for (uint32_t level = 2; level <= size; level *= 2)
        for (uint32_t v = first / level; v < (first + size) / level; v++) label_node(l, v);
}

void index_label_nodes(const spatial_index *x, const uint32_t *label, uint32_t *node_label) {
    labels l = {x, label, node_label};
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
    return c->task->node_label[node] == c->own;
}

/* With core distances a walk leaves out what cannot be before the reach, however it is raised. Where alpha
 * rounds, that is only what is farther than the reach times alpha. */
typedef struct raised {
    crossing c;        /* first: is_own takes it */
    const double *row; /* of the query */
    double own;        /* its core distance */
    walk_reach before; /* what is looked for: mutual reachabilities before this */
} raised;

/* Whether what a node holds is own or, by its box and its least index, cannot be before, where alpha rounds:
 * many points may then be equally far, and the reach alone leaves none of them out. */
static bool cannot_be_before(void *user, uint32_t node) {
    const raised *r = user;
    const spatial_index *x = r->c.task->x;
    if (is_own(user, node)) return true;
    if (x->least[node] < r->before.point) return false;
    double bound = walk_bound(x, x->box + 2 * (size_t)node * x->columns, r->row, x->columns, x->norm.power);
    return fmax(bound / r->c.task->cores->alpha, r->own) >= r->before.sum;
}

/* No less than any sum that, divided by alpha, is at most w. */
static double sum_within(const index_cores *cores, double w) {
    return cores->alpha == 1 ? w : w * cores->alpha * (1 + 0x1p-50);
}

static void take_raised(void *user, double sum, uint32_t position, walk_reach *reach) {
    raised *r = user;
    const index_crossing *task = r->c.task;
    double w = sum / task->cores->alpha;
    if (task->label[position] == r->c.own) return;
    if (w < r->own) w = r->own;
    if (w < task->cores->core[position]) w = task->cores->core[position];
    if (!walk_before(w, task->x->point[position], &r->before)) return;
    r->c.found = position;
    r->before = (walk_reach){w, task->x->point[position]};
    if (task->cores->alpha == 1) *reach = r->before;
    else reach->sum = sum_within(task->cores, w);
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

/* Sets *reach to what is found from the point at a position; returns its position. */
static uint32_t nearest_across(const index_crossing *task, uint32_t position, walk_reach *reach,
                               uint64_t *seen) {
    const double *row = task->x->row + (size_t)position * task->x->columns;
    crossing c = {task, task->label[position], INDEX_NONE};
    *reach = (walk_reach){nearest_of(task, c.own), INDEX_NONE};
    if (!task->cores) {
        walk(task->x, row, reach, is_own, take, &c, seen);
        return c.found;
    }
    raised r = {c, row, task->cores->core[position], *reach};
    reach->sum = sum_within(task->cores, reach->sum);
    if (task->cores->alpha == 1) walk(task->x, row, reach, is_own, take_raised, &r, seen);
    else walk(task->x, row, reach, cannot_be_before, take_raised, &r, seen);
    *reach = r.before;
    return r.c.found;
}

typedef struct answering {
    const index_crossing *task;
    uint32_t block; /* queries of a block of work */
} answering;

static glshape_status answer_block(error *err, void *user, uint64_t block, void *scratch) {
    const answering *a = user;
    const index_crossing *task = a->task;
    uint64_t seen = 0;
    (void)err, (void)scratch;
    for (uint32_t i = (uint32_t)block * a->block; i < task->count && i / a->block == block; i++) {
        walk_reach reach;
        task->found[i] = nearest_across(task, task->query[i], &reach, &seen);
        task->sum[i] = reach.sum;
        if (task->found[i] != INDEX_NONE) lower(&task->nearest[task->label[task->query[i]]], reach.sum);
    }
    if (task->seen) atomic_fetch_add(task->seen, seen);
    return GLSHAPE_OK;
}

glshape_status index_across_on_cpu(run *r, const index_crossing *task) {
    answering a = {task, task->count < BLOCKS * BLOCK ? task->count / BLOCKS + 1 : BLOCK};
    threads_job work = {.work = answer_block,
                        .user = &a,
                        .blocks = task->count ? (task->count - 1) / a.block + 1 : 0,
                        .name = "a walk"};
    return task->count ? threads_do(run_error(r), &work) : GLSHAPE_OK;
}

/* ---- by passes --------------------------------------------------------------------------------- */

#define RESULT_BYTES ((size_t)512 << 20) /* of queries that are answered at a time */

typedef struct search {
    index_walks walks;
    gpu_texture asked, labels, node_label, limits, found, sums, cores;
} search;

static void search_free(search *s) {
    gpu_texture *const all[] = {&s->asked, &s->labels, &s->node_label, &s->limits,
                                &s->found, &s->sums,   &s->cores};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    index_walks_free(&s->walks);
}

static void set_limits(void *user, size_t part) {
    const index_crossing *const *task = user;
    uint32_t *limit = (uint32_t *)task[1];
    for (uint32_t c = (uint32_t)part * CHUNK; c < task[0]->x->n && c / CHUNK == part; c++)
        limit[c] = (uint32_t)(atomic_load_explicit(&task[0]->nearest[c], memory_order_relaxed) >> 32);
}

/* Copies labels and limits to the GPU. */
static glshape_status search_new(gpu *g, const index_crossing *task, uint32_t at_once, search *s) {
    OWNED uint32_t *limit = NULL;
    const spatial_index *x = task->x;
    TRY(index_walks_new(g, at_once, &s->walks));
    TRY(gpu_texture_new(g, &s->asked, "queries", GPU_R32UI, task->count, 1));
    TRY(gpu_texture_new(g, &s->labels, "components of points", GPU_R32UI, x->n, 1));
    TRY(gpu_texture_new(g, &s->node_label, "components of nodes", GPU_R32UI, 2 * x->leaves, 1));
    TRY(gpu_texture_new(g, &s->limits, "limits of components", GPU_R32UI, x->n, 1));
    TRY(gpu_texture_new(g, &s->found, "points found", GPU_R32UI, at_once, 1));
    TRY(gpu_texture_new(g, &s->sums, "distances found", GPU_RG32UI, at_once, 1));
    if (task->cores) {
        TRY(gpu_texture_new(g, &s->cores, "core distances", GPU_RG32UI, x->n, 1));
        TRY(gpu_upload(g, &s->cores, 0, x->n, task->cores->core));
    }
    TRY(allocate(run_error(run_of(g)), &limit, x->n, sizeof *limit, "limits of components"));
    const void *both[] = {task, limit};
    threads_run(0, (x->n - 1) / CHUNK + 1, set_limits, both);
    TRY(gpu_upload(g, &s->asked, 0, task->count, task->query));
    TRY(gpu_upload(g, &s->labels, 0, x->n, task->label));
    TRY(gpu_upload(g, &s->node_label, 0, 2 * x->leaves, task->node_label));
    return gpu_upload(g, &s->limits, 0, x->n, limit);
}

static void lower_part(void *user, size_t part) {
    const index_crossing *task = user;
    for (uint32_t i = (uint32_t)part * CHUNK; i < task->count && i / CHUNK == part; i++)
        if (task->found[i] != INDEX_NONE) lower(&task->nearest[task->label[task->query[i]]], task->sum[i]);
}

glshape_status index_across_by_passes(gpu *g, const index_crossing *task) {
    OWNED_BY(search_free) search s = {0};
    spatial_index *x = task->x;
    if (!task->count) return GLSHAPE_OK;
    TRY(index_upload(g, x));
    uint32_t at_once = index_at_once(g, 20, RESULT_BYTES, task->count), count;
    TRY(search_new(g, task, at_once, &s));
    for (uint32_t first = 0; first < task->count; first += count) {
        count = task->count - first < at_once ? task->count - first : at_once;
        for (index_walks_begin(&s.walks); s.walks.unfinished;) {
            TRY(index_walks_before(&s.walks));
            TRY(gpu_run(g, index_across, INDEX_WALKS(x, &s.walks), .queries = &x->rows, .asked = &s.asked,
                        .labels = &s.labels, .node_label = &s.node_label, .limits = &s.limits,
                        .found = &s.found, .sums = &s.sums, .CORES = task->cores != NULL,
                        .cores = task->cores ? &s.cores : NULL, .first = first, .count = count,
                        .groups = (count - 1) / INDEX_LOCAL + 1));
            TRY(index_walks_after(&s.walks));
        }
        TRY(gpu_download(g, &s.found, 0, count, task->found + first));
        TRY(gpu_download(g, &s.sums, 0, count, task->sum + first));
    }
    threads_run(0, (task->count - 1) / CHUNK + 1, lower_part, (void *)task);
    return GLSHAPE_OK;
}

/* ---- with results on the device ---------------------------------------------------------------- */

/* Turns in which a walk comes down to a leaf. All queries come so far before any goes on: most then learn
 * from others of their component that they have nothing to look for. */
#define FIRST_TURNS 64u

glshape_status index_crossings_new(gpu *g, index_crossings *c) {
    uint32_t n = c->x->n;
    c->at_once = index_at_once(g, 20, RESULT_BYTES, n);
    TRY(index_walks_new(g, c->at_once, &c->walks));
    c->walks.first_turns = FIRST_TURNS;
    TRY(gpu_texture_new(g, &c->node_label, "components of nodes", GPU_R32UI, 2 * c->x->leaves, 1));
    TRY(gpu_texture_new(g, &c->found, "points found", GPU_R32UI, c->at_once, 1));
    return gpu_texture_new(g, &c->sums, "distances found", GPU_RG32UI, c->at_once, 1);
}

void index_crossings_free(index_crossings *c) {
    gpu_texture_free(&c->node_label);
    gpu_texture_free(&c->found);
    gpu_texture_free(&c->sums);
    index_walks_free(&c->walks);
}

glshape_status index_label_nodes_by_passes(gpu *g, index_crossings *c) {
    spatial_index *x = c->x;
    TRY(gpu_run(g, index_leaf_labels, .labels = c->labels, .node_label = &c->node_label, .first = x->leaves,
                .count = x->leaves, .firsts = &x->firsts, .each = x->leaves / x->buckets,
                .groups = (x->leaves - 1) / INDEX_LOCAL + 1));
    for (uint32_t level = x->leaves / 2; level;
         level /= 2 * INDEX_LOCAL) /* a pass goes up to one node a group */
        TRY(gpu_run(g, index_node_labels, .labels = c->labels, .node_label = &c->node_label, .first = level,
                    .count = level, .groups = (level - 1) / INDEX_LOCAL + 1));
    return GLSHAPE_OK;
}

glshape_status index_cross(gpu *g, index_crossings *c, uint32_t first, uint32_t count) {
    index_walks *w = &c->walks;
    for (index_walks_begin(w); w->unfinished && !index_gave_up(c);) {
        uint32_t turns = index_turns(w, c->x);
        TRY(index_walks_before(w));
        TRY(gpu_run(g, index_across, INDEX_WALKS(c->x, w), .queries = &c->x->rows, .asked = c->asked,
                    .labels = c->labels, .node_label = &c->node_label, .limits = c->limits,
                    .found = &c->found, .sums = &c->sums, .CORES = c->cores != NULL, .cores = c->cores,
                    .first = first, .count = count, .groups = (count - 1) / INDEX_LOCAL + 1));
        if (c->meanwhile) {
            gpu_start(g);
            c->meanwhile(g);
            c->meanwhile = NULL;
        }
        TRY(index_walks_after(w));
        c->taken += (double)w->unfinished * turns;
    }
    return GLSHAPE_OK;
}

/* ---- either way -------------------------------------------------------------------------------- */

glshape_status index_across(gpu *g, const index_crossing *task) {
    bool divides = task->cores && task->cores->alpha != 1; /* OpenGL does not say how doubles are divided */
    bool few = task->x->columns <= PLACE_INDEX_COLUMNS && task->count < task->x->n / PLACE_POINTS_A_QUERY;
    run_why why = divides ? RUN_NOT_LIMITS : place_by_speed(g, !few);
    if (run_why_device(why)) TRY(index_across_place(g, task, &why));
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "walks", why);
    return run_why_device(why) ? index_across_by_passes(g, task) : index_across_on_cpu(run_of(g), task);
}
