/* Clusters by passes, of a dendrogram that is on the device: what condense.c and label.c do, in the same
 * order. Each merge finds by pointer jumping the lowest large merge that it is in, and each large merge the
 * first of its cluster. Splits are counted from the last merge on, which numbers clusters. A sort brings the
 * merges of a cluster together, whose terms are then summed; another brings points into the order in which
 * they leave. The processor chooses among the clusters, which are far fewer than the points. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/passes.h"
#include "place/place.h"
#include "prim/passes.h"

#define MOST_JUMPS 9 /* 16 steps each time: 2^36 */

/* Heights within which no lambda, term or quotient is denormal or infinite, but for those of height 0. */
#define LEAST_HEIGHT 0x1p-500
#define MOST_HEIGHT 0x1p500

/* What passes count. */
enum { UNDONE, SPLITS, LARGE, EXEMPLARS, COUNTS };

typedef struct clustering {
    gpu *g;
    glshape_hdbscan_result *r;
    tree_merges *m;
    hdbscan_way *way;
    uint32_t n, count, zeros, large_count, clusters, row_count; /* count: of merges */
    union {
        struct {
            gpu_texture up; /* of nodes: points, then merges */
            gpu_texture links, next, lambdas, large, split, order, splits_before, of, counts; /* of merges */
            gpu_texture chains[2], terms;                                        /* of large ones */
            gpu_texture leavers[2], rows;                                        /* of rows */
            gpu_texture firsts, lasts, starts, facts, marks, scales, appears;    /* of clusters */
            gpu_texture holders, labels, scores, outliers, exemplary, exemplars; /* of points */
        };
        gpu_texture all[29];
    };
    prim_radix_scratch radix;
    prim_scratch compact;
} clustering;

static void clustering_free(clustering *c) {
    for (size_t i = 0; i < sizeof c->all / sizeof *c->all; i++) gpu_texture_free(&c->all[i]);
    prim_radix_free(&c->radix);
    prim_scratch_free(&c->compact);
}

_Static_assert(offsetof(clustering, exemplars) == offsetof(clustering, all[28]), "all has all of them");

static glshape_status is_wrong(gpu *g) {
    return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                "clusters do not come out right: the driver of %s computes something wrong; take another "
                "device (--device)",
                gpu_renderer(g));
}

static glshape_status fill(clustering *c, gpu_texture *t, uint32_t value) {
    return gpu_run(c->g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

static glshape_status words(clustering *c, gpu_texture *t, gpu_format format, uint32_t elements) {
    return gpu_texture_new(c->g, t, "merges and their clusters", format, elements, 1);
}

#define STAYS(c)                                                                                      \
    .child = &(c)->m->child, .size = &(c)->m->size, .up = &(c)->up, .n = (c)->n, .count = (c)->count, \
    .zeros = (c)->zeros, .least = (uint32_t)(c)->r->options.min_cluster_size

/* ---- which merges are large --------------------------------------------------------------------- */

static glshape_status jump(clustering *c, uint32_t counts[COUNTS]) {
    counts[UNDONE] = 1;
    for (int jumps = 0; counts[UNDONE]; jumps++) {
        if (jumps == MOST_JUMPS) return is_wrong(c->g);
        if (jumps) TRY(gpu_upload(c->g, &c->counts, UNDONE, 1, &(uint32_t){0}));
        TRY(gpu_run(c->g, hdbscan_jump, .links = &c->links, .next = &c->next, .counts = &c->counts,
                    .count = c->count, .groups = hdbscan_groups(c->count)));
        gpu_texture_swap(&c->links, &c->next);
        TRY(gpu_download(c->g, &c->counts, 0, COUNTS, counts));
    }
    return GLSHAPE_OK;
}

static glshape_status find_large(clustering *c) {
    gpu *g = c->g;
    uint32_t counts[COUNTS], groups = hdbscan_groups(c->count);
    TRY(words(c, &c->up, GPU_R32UI, c->n + c->count));
    TRY(words(c, &c->links, GPU_RG32UI, c->count));
    TRY(words(c, &c->next, GPU_RG32UI, c->count));
    TRY(words(c, &c->lambdas, GPU_RG32UI, c->count));
    TRY(words(c, &c->large, GPU_R32UI, c->count));
    TRY(words(c, &c->split, GPU_R32UI, c->count));
    TRY(words(c, &c->order, GPU_R32UI, c->count));
    TRY(words(c, &c->splits_before, GPU_R32UI, c->count));
    TRY(words(c, &c->counts, GPU_R32UI, COUNTS));
    TRY(fill(c, &c->counts, 0));
    TRY(gpu_run(g, hdbscan_hang, .child = &c->m->child, .up = &c->up, .n = c->n, .count = c->count,
                .groups = groups));
    TRY(gpu_run(g, hdbscan_mark, STAYS(c), .items = &c->m->items, .lambdas = &c->lambdas, .links = &c->links,
                .large = &c->large, .split = &c->split, .groups = groups));
    TRY(prim_scan(g, &c->radix.scan, &c->split, c->count, &c->splits_before, &c->counts, SPLITS));
    TRY(prim_compact(g, &c->compact, &c->large, NULL, c->count, &c->order, &c->counts, LARGE));
    TRY(jump(c, counts));
    c->large_count = counts[LARGE];
    if (!c->large_count || c->large_count > c->count || counts[SPLITS] > c->count / 2) return is_wrong(g);
    c->clusters = 2 * counts[SPLITS] + 1;
    c->row_count = c->n + 2 * counts[SPLITS];
    return GLSHAPE_OK;
}

/* ---- clusters ---------------------------------------------------------------------------------- */

static glshape_status number(clustering *c) {
    uint32_t most = c->n > c->large_count ? c->n : c->large_count;
    TRY(words(c, &c->of, GPU_R32UI, c->count));
    for (int k = 0; k < 2; k++) {
        TRY(words(c, &c->chains[k], GPU_RGBA32UI, c->large_count));
        TRY(words(c, &c->leavers[k], GPU_RGBA32UI, c->row_count));
    }
    TRY(words(c, &c->firsts, GPU_R32UI, c->clusters));
    TRY(words(c, &c->lasts, GPU_R32UI, c->clusters));
    return gpu_run(c->g, hdbscan_number, STAYS(c), .links = &c->links, .order = &c->order,
                   .splits_before = &c->splits_before, .of = &c->of, .chains = &c->chains[0],
                   .leavers = &c->leavers[0], .firsts = &c->firsts, .lasts = &c->lasts,
                   .large_count = c->large_count, .groups = hdbscan_groups(most));
}

static glshape_status sum(clustering *c) {
    gpu *g = c->g;
    uint32_t groups = hdbscan_groups(c->large_count);
    TRY(words(c, &c->starts, GPU_R32UI, c->clusters));
    TRY(words(c, &c->terms, GPU_RG32UI, c->large_count));
    TRY(gpu_texture_new(g, &c->facts, "clusters", GPU_RGBA32UI, c->clusters, 2));
    TRY(prim_radix(g, &c->radix, c->chains, c->large_count, 0, prim_radix_bits(c->clusters)));
    TRY(gpu_run(g, hdbscan_terms, STAYS(c), .chains = &c->chains[0], .lambdas = &c->lambdas,
                .firsts = &c->firsts, .starts = &c->starts, .terms = &c->terms, .large_count = c->large_count,
                .groups = groups));
    for (uint64_t stride = 1; stride < c->large_count; stride *= 64)
        TRY(gpu_run(g, hdbscan_sums, .chains = &c->chains[0], .starts = &c->starts, .terms = &c->terms,
                    .large_count = c->large_count, .clusters = c->clusters, .stride = (uint32_t)stride,
                    .groups = groups));
    return gpu_run(g, hdbscan_clusters, .up = &c->up, .of = &c->of, .firsts = &c->firsts, .lasts = &c->lasts,
                   .starts = &c->starts, .terms = &c->terms, .facts = &c->facts, .n = c->n,
                   .clusters = c->clusters, .groups = hdbscan_groups(c->clusters));
}

/* What the device says of a cluster. */
typedef struct cluster_facts {
    uint32_t first, last, parent, above; /* above: the merge where it appears; the root's: none */
    double stability, nothing;
} cluster_facts;

static double height_of(const clustering *c, uint32_t rank) { return c->r->merges[4 * (size_t)rank + 2]; }

/* The entry of r->tree, of facts that make sense. */
static glshape_status take_cluster(clustering *c, uint32_t at, const cluster_facts *f) {
    glshape_hdbscan_result *r = c->r;
    glshape_hdbscan_cluster *own = &r->tree[at];
    uint32_t above = at ? f->above : f->first; /* where it appears; the root: as the last merge */
    if (f->first >= c->count || f->last > f->first || f->parent > (at ? at - 1 : 0) || above >= c->count)
        return is_wrong(c->g);
    *own = (glshape_hdbscan_cluster){.parent = c->n + f->parent, .label = -1};
    own->size = (uint32_t)r->merges[4 * (size_t)f->first + 3];
    own->stability = f->last < c->zeros ? INFINITY : f->stability;
    own->death = 1 / height_of(c, f->last);
    own->distance = height_of(c, above);
    own->birth = at ? 1 / own->distance : 0;
    return GLSHAPE_OK;
}

static glshape_status bring_clusters(clustering *c) {
    glshape_hdbscan_result *r = c->r;
    OWNED cluster_facts *facts = NULL;
    error *err = run_error(run_of(c->g));
    TRY(allocate(err, &facts, c->clusters, sizeof *facts, "clusters"));
    TRY(allocate(err, &r->tree, c->clusters, sizeof *r->tree, "clusters"));
    TRY(gpu_download(c->g, &c->facts, 0, c->clusters, facts));
    r->tree_clusters = c->clusters;
    for (uint32_t at = 0; at < c->clusters; at++) TRY(take_cluster(c, at, &facts[at]));
    return GLSHAPE_OK;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static glshape_status make_rows(clustering *c) {
    gpu *g = c->g;
    TRY(gpu_texture_new(g, &c->rows, "the condensed tree", GPU_RG32UI, c->row_count, 3));
    TRY(words(c, &c->holders, GPU_R32UI, c->n));
    TRY(prim_radix(g, &c->radix, c->leavers, c->row_count, 0, prim_radix_bits(c->n)));
    return gpu_run(g, hdbscan_rows, .leavers = &c->leavers[0], .of = &c->of, .size = &c->m->size,
                   .firsts = &c->firsts, .lambdas = &c->lambdas, .rows = &c->rows, .holders = &c->holders,
                   .n = c->n, .count = c->count, .row_count = c->row_count,
                   .groups = hdbscan_groups(c->row_count));
}

static glshape_status bring_rows(clustering *c) {
    glshape_hdbscan_result *r = c->r;
    _Static_assert(sizeof *r->rows == 24, "a row is three texels of two words");
    TRY(memory_reserve(run_error(run_of(c->g)), &r->rows, &c->way->row_room, c->row_count, sizeof *r->rows,
                       "the condensed tree"));
    r->row_count = c->row_count;
    return gpu_download(c->g, &c->rows, 0, c->row_count, r->rows);
}

/* ---- points ------------------------------------------------------------------------------------ */

/* What the device knows of marks: {around, label, is_leaf, 0} and {death of the chosen one, deepest}. */
typedef struct device_marks {
    uint32_t (*mark)[4];
    double (*scale)[2];
} device_marks;

static void device_marks_free(device_marks *d) {
    free(d->mark);
    free(d->scale);
}

static glshape_status upload_marks(clustering *c, const hdbscan_marks *m, device_marks *d) {
    TRY(allocate(run_error(run_of(c->g)), &d->mark, c->clusters, sizeof *d->mark, "clusters chosen"));
    TRY(allocate(run_error(run_of(c->g)), &d->scale, c->clusters, sizeof *d->scale, "clusters chosen"));
    for (uint32_t at = 0; at < c->clusters; at++) {
        int32_t around = m->around[at];
        d->mark[at][0] = (uint32_t)around;
        d->mark[at][1] = 0xffffffffu;
        d->mark[at][2] = m->is_leaf[at];
        d->scale[at][0] = around < 0 ? 1 : c->r->tree[around].death;
        d->scale[at][1] = m->deepest[at];
    }
    TRY(words(c, &c->marks, GPU_RGBA32UI, c->clusters));
    TRY(words(c, &c->scales, GPU_RGBA32UI, c->clusters));
    TRY(gpu_upload(c->g, &c->marks, 0, c->clusters, d->mark));
    return gpu_upload(c->g, &c->scales, 0, c->clusters, d->scale);
}

/* What is in the root, if it is chosen. */
typedef union until {
    double lambda;
    uint32_t word[2];
} until;

#define MEMBER(c, u)                                                                                       \
    .holders = &(c)->holders, .of = &(c)->of, .lambdas = &(c)->lambdas, .marks = &(c)->marks, .n = (c)->n, \
    .until_low = (u).word[0], .until_high = (u).word[1], .groups = hdbscan_groups((c)->n)

/* A cluster and its first point. */
typedef struct appearance {
    uint32_t point, cluster;
} appearance;

static int by_point(const void *a, const void *b) {
    const appearance *x = a, *y = b;
    return (x->point > y->point) - (x->point < y->point);
}

/* Numbers chosen clusters by their first points. */
static glshape_status number_chosen(clustering *c, hdbscan_marks *m, device_marks *d, const uint32_t *point) {
    OWNED appearance *a = NULL;
    OWNED int32_t *number = NULL;
    size_t count = 0;
    TRY(allocate(run_error(run_of(c->g)), &a, c->clusters, sizeof *a, "numbers of clusters"));
    TRY(allocate(run_error(run_of(c->g)), &number, c->clusters, sizeof *number, "numbers of clusters"));
    for (uint32_t at = 0; at < c->clusters; at++) {
        number[at] = -1;
        if (point[at] < c->n) a[count++] = (appearance){point[at], at};
    }
    qsort(a, count, sizeof *a, by_point);
    for (size_t k = 0; k < count; k++) number[a[k].cluster] = (int32_t)k;
    c->r->clusters = count;
    hdbscan_number_marks(c->r, number, m);
    for (uint32_t at = 0; at < c->clusters; at++) d->mark[at][1] = (uint32_t)m->around[at];
    return gpu_upload(c->g, &c->marks, 0, c->clusters, d->mark);
}

static glshape_status find_first_points(clustering *c, until u, hdbscan_marks *m, device_marks *d) {
    OWNED uint32_t *point = NULL;
    TRY(allocate(run_error(run_of(c->g)), &point, c->clusters, sizeof *point, "numbers of clusters"));
    TRY(words(c, &c->appears, GPU_R32UI, c->clusters));
    TRY(fill(c, &c->appears, 0xffffffffu));
    TRY(gpu_run(c->g, hdbscan_appear, MEMBER(c, u), .appears = &c->appears));
    TRY(gpu_download(c->g, &c->appears, 0, c->clusters, point));
    return number_chosen(c, m, d, point);
}

static glshape_status bring_exemplars(clustering *c) {
    OWNED uint32_t *points = NULL;
    uint32_t count;
    TRY(words(c, &c->exemplars, GPU_R32UI, c->n));
    TRY(prim_compact(c->g, &c->compact, &c->exemplary, NULL, c->n, &c->exemplars, &c->counts, EXEMPLARS));
    TRY(gpu_download(c->g, &c->counts, EXEMPLARS, 1, &count));
    if (count > c->n) return is_wrong(c->g);
    TRY(allocate(run_error(run_of(c->g)), &points, count, sizeof *points, "exemplars"));
    if (count) TRY(gpu_download(c->g, &c->exemplars, 0, count, points));
    for (uint32_t e = 0; e < count; e++)
        if (points[e] >= c->n || (c->r->labels[points[e]] < 0 && c->r->tree[0].label < 0))
            return is_wrong(c->g);
    return hdbscan_group_exemplars(run_error(run_of(c->g)), points, count, c->r);
}

static glshape_status score(clustering *c, until u) {
    glshape_hdbscan_result *r = c->r;
    gpu *g = c->g;
    TRY(words(c, &c->labels, GPU_R32UI, c->n));
    TRY(words(c, &c->scores, GPU_RG32UI, c->n));
    TRY(words(c, &c->outliers, GPU_RG32UI, c->n));
    TRY(words(c, &c->exemplary, GPU_R32UI, c->n));
    TRY(gpu_run(g, hdbscan_score, MEMBER(c, u), .scales = &c->scales, .labels = &c->labels,
                .scores = &c->scores, .outliers = &c->outliers, .exemplary = &c->exemplary));
    if (!r->labels) TRY(hdbscan_label_new(run_error(run_of(g)), r));
    threads_touched(&c->way->touching);
    TRY(gpu_download(g, &c->labels, 0, c->n, r->labels));
    TRY(gpu_download(g, &c->scores, 0, c->n, r->probabilities));
    TRY(gpu_download(g, &c->outliers, 0, c->n, r->outlier_scores));
    for (size_t v = 0; v < r->n; v++) {
        if (r->labels[v] >= (int32_t)r->clusters) return is_wrong(g);
        r->noise += r->labels[v] < 0;
    }
    return bring_exemplars(c);
}

static glshape_status label(clustering *c, const bool *chosen) {
    OWNED_BY(hdbscan_marks_free) hdbscan_marks m = {0};
    OWNED_BY(device_marks_free) device_marks d = {0};
    until u = {.lambda = hdbscan_root_lambda(c->r)};
    TRY(hdbscan_marks_new(run_error(run_of(c->g)), c->r, chosen, &m));
    TRY(upload_marks(c, &m, &d));
    TRY(find_first_points(c, u, &m, &d));
    return score(c, u);
}

/* ---- all --------------------------------------------------------------------------------------- */

/* How many merges are at distance 0; heights that passes compute with? */
static bool count_zeros(const clustering *c, uint32_t *zeros) {
    uint32_t first = 0, end = c->count;
    while (first < end) {
        uint32_t half = first + (end - first) / 2;
        if (height_of(c, half) > 0) end = half;
        else first = half + 1;
    }
    *zeros = first;
    return height_of(c, 0) >= 0 && height_of(c, c->count - 1) <= MOST_HEIGHT &&
           (first == c->count || height_of(c, first) >= LEAST_HEIGHT);
}

static glshape_status find_all(clustering *c) {
    OWNED bool *chosen = NULL;
    TRY(find_large(c));
    TRY(number(c));
    TRY(sum(c));
    TRY(make_rows(c));
    gpu_start(c->g);
    TRY(bring_clusters(c));
    TRY(allocate(run_error(run_of(c->g)), &chosen, c->clusters, sizeof *chosen, "the clusters"));
    TRY(hdbscan_select(run_error(run_of(c->g)), c->r, chosen));
    TRY(label(c, chosen));
    return bring_rows(c);
}

/* Leaves r as it was. */
static void forget(glshape_hdbscan_result *r) {
    free(r->tree);
    free(r->exemplar_start);
    free(r->exemplars);
    r->tree = NULL, r->exemplar_start = NULL, r->exemplars = NULL;
    r->tree_clusters = r->row_count = r->clusters = r->noise = 0;
}

glshape_status hdbscan_clusters_by_passes(gpu *g, hdbscan_way *way, glshape_hdbscan_result *r, bool *done) {
    OWNED_BY(clustering_free)
    clustering c = {
        .g = g, .r = r, .m = &way->merges, .way = way, .n = (uint32_t)r->n, .count = (uint32_t)r->n - 1};
    *done = false;
    if (!r->rows) way->row_room = 0;
    if (!count_zeros(&c, &c.zeros)) return GLSHAPE_OK;
    glshape_status status = find_all(&c);
    *done = status != GLSHAPE_NO_GPU_MEMORY;
    if (status) forget(r);
    return *done ? status : GLSHAPE_OK;
}

/* ---- where ------------------------------------------------------------------------------------- */

#define BYTES 250u              /* of textures for a point, beside the merges */
#define MOST_POINTS 0x40000000u /* nodes and rows have numbers */

glshape_status hdbscan_clusters_place(gpu *g, uint32_t n, run_why *why) {
    *why = n < 2 || n > MOST_POINTS ? RUN_NOT_LIMITS : RUN_FOR_PASSES;
    if (run_why_device(*why)) TRY(place_choose_any(g, (uint64_t)BYTES * n, why));
    return hdbscan_trusts(g, why);
}

/* The programs of this file, but for those of trees. */
#define EACH_PROGRAM(X, g)             \
    X(g, hdbscan_hang, .count = 0);    \
    X(g, hdbscan_mark, .count = 0);    \
    X(g, hdbscan_jump, .count = 0);    \
    X(g, prim_compact, .n = 0);        \
    X(g, hdbscan_number, .count = 0);  \
    X(g, hdbscan_terms, .count = 0);   \
    X(g, hdbscan_sums, .clusters = 0); \
    X(g, hdbscan_clusters, .n = 0);    \
    X(g, hdbscan_rows, .count = 0);    \
    X(g, hdbscan_appear, .n = 0);      \
    X(g, hdbscan_score, .n = 0)

void hdbscan_expect_clusters(gpu *g) { EACH_PROGRAM(gpu_soon, g); }
void hdbscan_load_clusters(gpu *g) { EACH_PROGRAM(gpu_load, g); }
