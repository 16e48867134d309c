/* Small searches that show whether the passes of this folder are right: the CPU answers them, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "index/passes.h"
#include "index/points.h"
#include "prim/passes.h"

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

static glshape_status small_index(run *r, const spatial_index *as, spatial_index *out) {
    return index_new(run_error(r), POINTS, as->columns, as->norm, read_row, &as->columns, out);
}

/* ---- made by passes ------------------------------------------------------------------------------ */

#define MADE 2000u
#define FEW 100u  /* of these a bucket, at most on average */
#define MANY 150u /* buckets that have more show that cuts are not where they should be */

/* Floats, or doubles, that have all bits; some are denormal floats. */
static glshape_status read_made(error *err, const void *source, uint32_t i, double *out) {
    const index_source *s = source;
    (void)err;
    for (size_t c = 0, at = (size_t)i * s->columns; c < s->columns; c++, at++)
        out[c] = ldexp(s->floats ? (double)s->floats[at] : s->doubles[at], s->exponent);
    return GLSHAPE_OK;
}

static glshape_status make_values(run *r, index_source *s, float **floats, double **doubles) {
    size_t count = (size_t)s->n * s->columns;
    uint32_t state = 1;
    TRY(allocate(run_error(r), floats, count, sizeof **floats, "points"));
    TRY(allocate(run_error(r), doubles, count, sizeof **doubles, "points"));
    for (size_t v = 0; v < count; v++) {
        state = state * 1664525u + 1013904223u;
        double x = (double)(int32_t)state * (v % 3 ? 0x1p-29 : 0x1p-60) + 0x1p-40;
        (*doubles)[v] = state >> 24 ? x : 0x1p-140 * (double)(state & 15);
        (*floats)[v] = (float)(*doubles)[v];
    }
    if (s->floats) s->floats = *floats;
    else s->doubles = *doubles;
    return GLSHAPE_OK;
}

static bool has_all_points(const index_source *s, const spatial_index *x) {
    uint8_t met[MADE] = {0};
    double row[INDEX_PASS_COLUMNS];
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->point[i] >= x->n || met[x->point[i]]++) return false;
        if (read_made(NULL, s, x->point[i], row)) return false;
        if (memcmp(row, x->row + (size_t)i * x->columns, x->columns * sizeof *row) != 0) return false;
    }
    return true;
}

static bool has_right_boxes(spatial_index *x, const double *box, const uint32_t *least) {
    size_t each = 2 * (size_t)x->columns, nodes = 2 * (size_t)x->leaves;
    index_bound(x);
    for (size_t v = 1; v < nodes; v++)
        for (size_t c = 0; c < each; c++)
            if (box[v * each + c] != x->box[v * each + c] || least[v] != x->least[v]) return false;
    return true;
}

static glshape_status check_made(gpu *g, const void *user, bool *right) {
    const index_source *as = user;
    index_source s = {.n = MADE, .columns = as->columns, .norm = as->norm, .floats = as->floats, .k = as->k};
    OWNED_BY(index_free) spatial_index x = {0};
    OWNED float *floats = NULL;
    OWNED double *doubles = NULL, *box = NULL;
    OWNED uint32_t *least = NULL;
    s.per_bucket = FEW;
    s.exponent = 3;
    s.reader = read_made;
    TRY(make_values(run_of(g), &s, &floats, &doubles));
    TRY(index_make_by_passes(g, &s, &x));
    TRY(index_bring(g, &x));
    size_t bytes = 2 * (size_t)x.leaves * 2 * x.columns * sizeof *box;
    TRY(allocate(run_error(run_of(g)), &box, bytes, 1, "boxes"));
    TRY(allocate(run_error(run_of(g)), &least, 2 * (size_t)x.leaves, sizeof *least, "nodes"));
    memcpy(box, x.box, bytes);
    memcpy(least, x.least, 2 * (size_t)x.leaves * sizeof *least);
    *right = has_all_points(&s, &x) && has_right_boxes(&x, box, least);
    for (uint32_t k = 0; k < x.buckets; k++) *right = *right && x.first[k + 1] - x.first[k] <= MANY;
    return GLSHAPE_OK;
}

glshape_status index_make_trusted(gpu *g, const index_source *s, run_why *why) {
    const int floats = s->floats != NULL;
    gpu_exact e = {
        .program = {gpu_program(index_cut, .FLOATS = floats), gpu_program(index_descend, .FLOATS = floats),
                    gpu_program(index_rows, .FLOATS = floats), gpu_only_program(index_firsts),
                    gpu_only_program(index_leaves), gpu_only_program(index_nodes),
                    gpu_only_program(prim_radix_count), gpu_only_program(prim_radix_move),
                    gpu_only_program(prim_scan)},
        .check = check_made,
        .user = s,
        .without_doubles = true,
        .expect = index_expect};
    return gpu_trusts_for(g, &e, why);
}

/* ---- finishing ----------------------------------------------------------------------------------- */

/* As read_row, but of floats. */
static glshape_status read_floats(error *err, const void *columns, uint32_t i, double *out) {
    TRY(read_row(err, columns, i, out));
    for (uint32_t c = 0; c < *(const uint32_t *)columns; c++) out[c] = (double)(float)out[c];
    return GLSHAPE_OK;
}

/* user: a task with the k that is to be tried. Results that the device finishes; of the points those of whole
 * numbers are uncertain in single precision. */
static glshape_status check_finish(gpu *g, const void *user, bool *right) {
    const index_task *as = user;
    OWNED_BY(index_free) spatial_index x = {0};
    uint32_t device[POINTS * INDEX_KEEP], cpu[POINTS * INDEX_KEEP], count = POINTS * as->k;
    double distance[POINTS * INDEX_KEEP], sum[POINTS * INDEX_KEEP];
    bool are_distances, floats = !index_has_pairs(as);
    TRY(index_new(run_error(run_of(g)), POINTS, as->x->columns, as->x->norm, floats ? read_floats : read_row,
                  &as->x->columns, &x));
    x.floats = floats;
    const index_task task = {.x = &x, .queries = &x, .k = as->k, .distances = &are_distances, .exponent = -2};
    TRY(index_nearest_by_passes(g, &task, device, distance));
    TRY(index_nearest_on_cpu(run_of(g), &task, cpu, sum));
    for (uint32_t e = 0; are_distances && e < count; e++) sum[e] = norm_root(&x.norm, sum[e]) / 4;
    *right = !memcmp(device, cpu, count * sizeof *cpu) && !memcmp(distance, sum, count * sizeof *sum);
    return GLSHAPE_OK;
}

/* Those that need no doubles. */
static glshape_status whole_trusted(gpu *g, const index_task *as, bool root, bool *so) {
    const int pairs = index_has_pairs(as), size = index_near_size(as);
    return gpu_trusts(
        g,
        &(gpu_exact){
            .program = {gpu_program(index_near, .COLUMNS = (int)as->x->columns, .PAIRS = pairs, .KEEP = size),
                        gpu_program(index_decide, .KEEP = size, .ROOT = root, .WHOLE = 1),
                        gpu_program(index_near_rows, .PAIRS = pairs),
                        gpu_program(index_near_boxes, .PAIRS = pairs)},
            .check = check_finish,
            .user = as,
            .without_doubles = true},
        so);
}

glshape_status index_finish_trusted(gpu *g, const index_task *task, bool root, bool *so) {
    const int pairs = index_has_pairs(task), size = index_near_size(task);
    index_task as = *task;
    if (as.k > INDEX_KEEP) as.k = INDEX_KEEP;
    if (size && !gpu_may_be_exact(g)) return whole_trusted(g, &as, root, so);
    if (!size)
        return gpu_trusts(
            g,
            &(gpu_exact){
                .program = {gpu_program(index_finish, .ROOT = root)}, .check = check_finish, .user = &as},
            so);
    return gpu_trusts(
        g,
        &(gpu_exact){
            .program = {gpu_program(index_near, .COLUMNS = (int)task->x->columns, .PAIRS = pairs,
                                    .KEEP = size),
                        gpu_program(index_decide, .KEEP = size, .ROOT = root),
                        gpu_program(index_finish, .ROOT = root), gpu_program(index_near_rows, .PAIRS = pairs),
                        gpu_program(index_near_boxes, .PAIRS = pairs), gpu_only_program(index_pick)},
            .check = check_finish,
            .user = &as},
        so);
}

/* ---- nearest ------------------------------------------------------------------------------------- */

/* user: a task with the k that is to be tried, full lists; those of fewer than they have room for are, too.
 * Positions are compared, of which an error does no harm. */
static glshape_status check_nearest(gpu *g, const void *user, bool *right) {
    const index_task *as = user;
    OWNED_BY(index_free) spatial_index x = {0};
    uint32_t device[POINTS * INDEX_KEEP], cpu[POINTS * INDEX_KEEP];
    TRY(small_index(run_of(g), as->x, &x));
    *right = true;
    for (uint32_t k = as->k - as->k / 4; *right && k <= as->k; k += as->k / 4 ? as->k / 4 : 1) {
        const index_task task = {.x = &x, .queries = &x, .k = k};
        TRY(index_nearest_by_passes(g, &task, device, NULL));
        TRY(index_nearest_on_cpu(run_of(g), &task, cpu, NULL));
        *right = !memcmp(device, cpu, POINTS * (size_t)k * sizeof *cpu);
    }
    return GLSHAPE_OK;
}

/* The list of a k above INDEX_KEEP takes walks of two sizes. */
glshape_status index_nearest_place(gpu *g, const index_task *task, run_why *why) {
    uint32_t k[] = {task->k < INDEX_KEEP ? task->k : INDEX_KEEP,
                    task->k > INDEX_KEEP ? task->k % INDEX_KEEP : 0};
    TRY(index_by_passes(g, task->x, task->queries->n, true, why));
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

static glshape_status lists_new(run *r, lists *l, size_t count) {
    TRY(allocate(run_error(r), &l->index, count + 1, sizeof *l->index, "neighbors of a point"));
    return allocate(run_error(r), &l->sum, count + 1, sizeof *l->sum, "neighbors of a point");
}

static glshape_status check_within(gpu *g, const void *user, bool *right) {
    OWNED_BY(index_free) spatial_index x = {0};
    OWNED_BY(free_lists) lists device = {0};
    OWNED_BY(free_lists) lists cpu = {0};
    TRY(small_index(run_of(g), user, &x));
    const index_task task = {.x = &x, .queries = &x};
    double most = some_sum(&x);
    TRY(index_within_count_on_cpu(run_of(g), &task, most, cpu.start));
    TRY(index_within_count_by_passes(g, &task, most, device.start));
    *right = !memcmp(device.start, cpu.start, sizeof cpu.start);
    if (!*right) return GLSHAPE_OK;
    size_t count = cpu.start[POINTS];
    TRY(lists_new(run_of(g), &device, count));
    TRY(lists_new(run_of(g), &cpu, count));
    TRY(index_within_on_cpu(run_of(g), &task, most, cpu.start, cpu.index, cpu.sum));
    TRY(index_within_by_passes(g, &task, most, device.start, device.index, device.sum));
    *right = count && !memcmp(device.index, cpu.index, count * sizeof *cpu.index) &&
             !memcmp(device.sum, cpu.sum, count * sizeof *cpu.sum);
    return GLSHAPE_OK;
}

glshape_status index_within_place(gpu *g, const index_task *task, run_why *why) {
    const spatial_index *x = task->x;
    gpu_exact e = {
        .program = {gpu_program(index_within_count, .POWER = (int)x->norm.power, .COLUMNS = (int)x->columns),
                    gpu_program(index_within_fill, .POWER = (int)x->norm.power, .COLUMNS = (int)x->columns)},
        .check = check_within,
        .user = x};
    TRY(index_by_passes(g, x, task->queries->n, true, why));
    return gpu_trusts_for(g, &e, why);
}

/* ---- sorted lists -------------------------------------------------------------------------------- */

enum { LISTS = 9, PLACES = 3000 };

/* Lists of all kinds, in no order; the last one is too long to be sorted. */
static uint32_t make_lists(uint32_t start[LISTS + 1], uint32_t list[PLACES]) {
    static const uint32_t lengths[LISTS] = {
        0, 1, 30, 128, 129, 0, 300, INDEX_MOST_SORTED, 1 + INDEX_MOST_SORTED};
    start[0] = 0;
    for (uint32_t k = 0; k < LISTS; k++) {
        start[k + 1] = start[k] + lengths[k];
        for (uint32_t i = 0; i < lengths[k]; i++) list[start[k] + i] = (i + 1) * 0x9e3779b1u ^ k;
    }
    return start[LISTS];
}

static glshape_status check_sort(gpu *g, const void *user, bool *right) {
    OWNED_BY(gpu_texture_free) gpu_texture starts = {0};
    OWNED_BY(gpu_texture_free) gpu_texture found = {0};
    uint32_t start[LISTS + 1], want[PLACES], got[PLACES], count = make_lists(start, want);
    (void)user;
    TRY(gpu_texture_new(g, &starts, "starts of lists", GPU_R32UI, LISTS + 1, 1));
    TRY(gpu_texture_new(g, &found, "lists", GPU_R32UI, count, 1));
    TRY(gpu_upload(g, &starts, 0, LISTS + 1, start));
    TRY(gpu_upload(g, &found, 0, count, want));
    TRY(gpu_run(g, index_sort, .starts = &starts, .found = &found, .groups = LISTS));
    TRY(gpu_download(g, &found, 0, count, got));
    for (uint32_t k = 0; k + 1 < LISTS; k++) index_sort_points(want + start[k], start[k + 1] - start[k]);
    *right = !memcmp(got, want, count * sizeof *got);
    return GLSHAPE_OK;
}

glshape_status index_trusts_sort(gpu *g, run_why *why) {
    const gpu_exact e = {
        .program = {gpu_only_program(index_sort)}, .check = check_sort, .without_doubles = true};
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
    return by_passes ? index_across_by_passes(g, &task) : index_across_on_cpu(run_of(g), &task);
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
    TRY(small_index(run_of(g), as->x, &x));
    TRY(allocate(run_error(run_of(g)), &node_label, 2 * (size_t)x.leaves, sizeof *node_label, "labels"));
    make_crossing(&cpu, 0);
    index_label_nodes(&x, cpu.label, node_label);
    TRY(answer(g, &x, node_label, as->cores, true, &device));
    TRY(answer(g, &x, node_label, as->cores, false, &cpu));
    *right = same_answer(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status index_across_place(gpu *g, const index_crossing *task, run_why *why) {
    gpu_exact e = {.program = {gpu_program(index_across, .POWER = (int)task->x->norm.power,
                                           .COLUMNS = (int)task->x->columns, .CORES = task->cores != NULL)},
                   .check = check_across,
                   .user = task};
    TRY(index_by_passes(g, task->x, task->count, true, why));
    return gpu_trusts_for(g, &e, why);
}
