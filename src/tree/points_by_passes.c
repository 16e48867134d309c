/* The spanning tree of points by passes: Borůvka's rounds as in points.c, with all of their state on the
 * device. A round reads back how many points search, how many lead, and how many components are left.
 *
 * A component's least edge is found 32 bits at a time, by atomic minima of the words of (sum, smaller index,
 * larger index). The sums of lists and of searches are those of double precision, as in points.c. So there is
 * one tree, whatever the device. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/passes.h"
#include "place/place.h"
#include "prim/passes.h"
#include "tree/passes.h"
#include "tree/tree.h"

#define MOST_ROUNDS 64 /* a round at least halves the components */
#define MOST_JUMPS 7   /* 64^6 > 2^32 steps, and one run that sees that all have arrived */

/* What the passes of a round count. */
enum { QUERIES, LEADERS, ROOTS, UNDONE, COUNTS };

typedef struct rounds {
    gpu *g;
    spatial_index *x;
    uint32_t n, k, groups;
    gpu_texture lists, list_sums, label, to, sum, cursor, list, counts, parent, next;
    gpu_texture best_high, best_low, best_a, best_b; /* of each root, its least edge */
    gpu_texture edges;
    gpu_texture core;
    bool raised; /* sums are raised to core distances; there are no lists */
    double most; /* as tree_kept has it; so meanwhile */
    void (*meanwhile)(gpu *g);
    index_crossings crossings;
} rounds;

static void rounds_free(rounds *r) {
    gpu_texture *const all[] = {&r->lists,  &r->list_sums, &r->label,  &r->to,   &r->sum,      &r->cursor,
                                &r->list,   &r->counts,    &r->parent, &r->next, &r->best_low, &r->best_high,
                                &r->best_a, &r->best_b,    &r->edges,  &r->core};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    index_crossings_free(&r->crossings);
}

static glshape_status rounds_new(rounds *r) {
    gpu *g = r->g;
    const struct {
        gpu_texture *t;
        const char *label;
    } parts[] = {{&r->label, "components of points"},     {&r->to, "ends of candidates"},
                 {&r->cursor, "places in lists"},         {&r->list, "listed points"},
                 {&r->parent, "parents of components"},   {&r->next, "parents of components"},
                 {&r->best_high, "sums of choices"},      {&r->best_low, "sums of choices"},
                 {&r->best_a, "smaller ends of choices"}, {&r->best_b, "larger ends of choices"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(g, parts[i].t, parts[i].label, GPU_R32UI, r->n, 1));
    TRY(gpu_texture_new(g, &r->sum, "sums of candidates", GPU_RG32UI, r->n, 1));
    TRY(gpu_texture_new(g, &r->edges, "edges of the tree", GPU_RGBA32UI, r->n, 1));
    TRY(gpu_texture_new(g, &r->counts, "counts of a round", GPU_R32UI, COUNTS, 1));
    r->crossings = (index_crossings){.most = r->most * r->n,
                                     .x = r->x,
                                     .labels = &r->label,
                                     .limits = &r->best_high,
                                     .asked = &r->list,
                                     .meanwhile = r->meanwhile};
    if (r->raised) {
        TRY(gpu_texture_new(g, &r->core, "core distances", GPU_RG32UI, r->n, 1));
        r->crossings.cores = &r->core;
    }
    return index_crossings_new(g, &r->crossings);
}

static glshape_status fill(rounds *r, gpu_texture *t, uint32_t value) {
    return gpu_run(r->g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

static glshape_status start(rounds *r) {
    gpu_texture *const none[] = {&r->best_low, &r->best_a, &r->best_b};
    TRY(gpu_run(r->g, tree_start, .label = &r->label, .to = &r->to, .sum = &r->sum, .cursor = &r->cursor,
                .edges = &r->edges, .n = r->n, .groups = r->groups));
    for (int i = 0; i < 3; i++) TRY(fill(r, none[i], TREE_NONE));
    return fill(r, &r->best_high, 0x7ff00000u); /* the high word of infinity */
}

static glshape_status get_count(rounds *r, uint32_t which, uint32_t most, uint32_t *count) {
    TRY(gpu_download(r->g, &r->counts, which, 1, count));
    return *count <= most ? GLSHAPE_OK : index_is_wrong(r->g);
}

/* ---- a round ----------------------------------------------------------------------------------- */

static glshape_status find_candidates(rounds *r, bool first) {
    gpu_texture *lists = r->raised ? &r->parent : &r->lists, *sums = r->raised ? &r->core : &r->list_sums;
    TRY(gpu_run(r->g, tree_candidates, .label = &r->label, .lists = lists, .list_sums = sums, .to = &r->to,
                .sum = &r->sum, .cursor = &r->cursor, .best_high = &r->best_high, .n = r->n, .k = r->k,
                .groups = r->groups));
    if (first && !r->raised) return GLSHAPE_OK; /* all lists have one */
    TRY(gpu_run(r->g, tree_bridges, .POWER = (int)r->x->norm.power, .rows = &r->x->rows, .label = &r->label,
                .CORES = r->raised, .cores = r->raised ? &r->core : NULL, .best_high = &r->best_high,
                .columns = r->x->columns, .n = r->n, .groups = r->groups));
    return gpu_run(r->g, tree_choose, .label = &r->label, .to = &r->to, .sum = &r->sum,
                   .best_high = &r->best_high, .list = &r->list, .counts = &r->counts, .n = r->n,
                   .groups = r->groups);
}

/* Answers the points that are to search. */
static glshape_status search(rounds *r) {
    index_crossings *c = &r->crossings;
    uint32_t queries, count;
    TRY(get_count(r, QUERIES, r->n, &queries));
    if (!queries) return GLSHAPE_OK;
    TRY(index_label_nodes_by_passes(r->g, c));
    for (uint32_t first = 0; first < queries && !index_gave_up(c); first += count) {
        count = queries - first < c->at_once ? queries - first : c->at_once;
        TRY(index_cross(r->g, c, first, count));
        TRY(gpu_run(r->g, tree_answers, .asked = &r->list, .found = &c->found, .sums = &c->sums, .to = &r->to,
                    .sum = &r->sum, .first = first, .count = count, .groups = tree_groups(count)));
    }
    run_fact(run_of(r->g), queries, "points searched for");
    return GLSHAPE_OK;
}

#define LISTED(r, leaders)                                                                             \
    .rows = &(r)->x->rows, .list = &(r)->list, .label = &(r)->label, .to = &(r)->to, .sum = &(r)->sum, \
    .best_low = &(r)->best_low, .columns = (r)->x->columns, .count = leaders, .groups = tree_groups(leaders)

/* Hooks components to those across their least edges. */
static glshape_status join(rounds *r) {
    gpu *g = r->g;
    uint32_t leaders;
    TRY(gpu_run(g, tree_leaders, .label = &r->label, .to = &r->to, .sum = &r->sum, .best_high = &r->best_high,
                .best_low = &r->best_low, .list = &r->list, .counts = &r->counts, .n = r->n,
                .groups = r->groups));
    TRY(get_count(r, LEADERS, r->n, &leaders));
    if (!leaders) return index_is_wrong(g);
    TRY(gpu_run(g, tree_leaders_a, LISTED(r, leaders), .best_a = &r->best_a));
    TRY(gpu_run(g, tree_leaders_b, LISTED(r, leaders), .best_a = &r->best_a, .best_b = &r->best_b));
    return gpu_run(g, tree_join, LISTED(r, leaders), .best_high = &r->best_high, .best_a = &r->best_a,
                   .best_b = &r->best_b, .parent = &r->parent, .edges = &r->edges);
}

/* Finds the new roots, and how many there are. Points get theirs once all are found; that is looked at
 * afterwards, because it hardly ever takes a second jump. */
static glshape_status find_roots(rounds *r, uint32_t *components) {
    uint32_t found[2] = {0, 1}; /* ROOTS, UNDONE */
    for (int jumps = 0; found[1]; jumps++) {
        if (jumps == MOST_JUMPS) return index_is_wrong(r->g);
        if (jumps) TRY(gpu_upload(r->g, &r->counts, UNDONE, 1, &(uint32_t){0}));
        TRY(gpu_run(r->g, tree_jump, .label = &r->label, .parent = &r->parent, .next = &r->next,
                    .counts = &r->counts, .n = r->n, .groups = r->groups));
        gpu_texture_swap(&r->parent, &r->next);
        TRY(gpu_run(r->g, tree_relabel, .parent = &r->parent, .label = &r->label, .best_high = &r->best_high,
                    .best_low = &r->best_low, .best_a = &r->best_a, .best_b = &r->best_b,
                    .counts = &r->counts, .n = r->n, .groups = r->groups));
        TRY(gpu_download(r->g, &r->counts, ROOTS, 2, found));
    }
    if (!found[0] || found[0] >= *components) return index_is_wrong(r->g);
    *components = found[0];
    return GLSHAPE_OK;
}

static glshape_status do_round(rounds *r, bool first, uint32_t *components) {
    TRY(fill(r, &r->counts, 0));
    TRY(find_candidates(r, first));
    if (!first || r->raised) TRY(search(r));
    if (index_gave_up(&r->crossings)) return GLSHAPE_OK;
    TRY(join(r));
    TRY(find_roots(r, components));
    run_fact(run_of(r->g), 1, "rounds");
    return run_tick(run_of(r->g), 1 - log((double)*components) / log((double)r->n));
}

/* The programs of the rounds. */
#define EACH_PROGRAM(X, g, x, raised)                                   \
    X(g, tree_start, .n = 0);                                           \
    X(g, tree_candidates, .n = 0);                                      \
    X(g, tree_leaders, .n = 0);                                         \
    X(g, tree_leaders_a, .count = 0);                                   \
    X(g, tree_leaders_b, .count = 0);                                   \
    X(g, tree_join, .count = 0);                                        \
    X(g, tree_jump, .n = 0);                                            \
    X(g, tree_relabel, .n = 0);                                         \
    X(g, tree_bridges, .POWER = (int)(x)->norm.power, .CORES = raised); \
    X(g, tree_choose, .n = 0);                                          \
    X(g, tree_answers, .count = 0)

static void expect_programs(gpu *g, const spatial_index *x, uint32_t k, bool raised) {
    index_expect_kept(g, x, k, raised);
    EACH_PROGRAM(gpu_soon, g, x, raised);
    tree_expect_dendrogram(g, x->norm.power == 2);
}

/* While the device makes lists, the processor loads what comes behind. */
static void load_programs(void *user) {
    const rounds *r = user;
    EACH_PROGRAM(gpu_load, r->g, r->x, r->raised);
    tree_load_dendrogram(r->g, r->x->norm.power == 2);
}

static glshape_status do_rounds(rounds *r, tree_kept *out) {
    uint32_t components = r->n;
    for (int round = 0; components > 1; round++) {
        if (round == MOST_ROUNDS) return index_is_wrong(r->g);
        TRY(do_round(r, round == 0, &components));
        if (index_gave_up(&r->crossings)) return GLSHAPE_OK;
    }
    TRY(gpu_download(r->g, &r->label, 0, 1, &out->hole));
    if (out->hole >= r->n) return index_is_wrong(r->g);
    out->edges = MOVE(r->edges);
    return GLSHAPE_OK;
}

glshape_status tree_points_kept(gpu *g, spatial_index *x, uint32_t k, tree_kept *out) {
    OWNED_BY(rounds_free) rounds r = {.g = g, .x = x, .n = x->n, .k = k, .groups = tree_groups(x->n)};
    r.most = out->most;
    r.meanwhile = out->meanwhile;
    expect_programs(g, x, k, false);
    TRY(index_nearest_kept(g, x, k, load_programs, &r, &r.lists, &r.list_sums));
    TRY(rounds_new(&r));
    TRY(start(&r));
    return do_rounds(&r, out);
}

/* Makes core distances of lists, which go. */
static glshape_status make_cores(rounds *r, uint32_t within, const tree_scale *scale,
                                 threads_touching **touching, double *core) {
    OWNED_BY(gpu_texture_free) gpu_texture distance = {0};
    uint32_t factor[2];
    memcpy(factor, &scale->factor, sizeof factor);
    TRY(gpu_texture_new(r->g, &distance, "core distances", GPU_RG32UI, r->n, 1));
    TRY(gpu_run(r->g, tree_cores, .ROOT = scale->root, .rows = &r->x->rows,
                .list_sums = within ? &r->list_sums : &r->crossings.sums, .core = &r->core, .sum = &r->sum,
                .distance = &distance, .within = within, .factor_low = factor[0], .factor_high = factor[1],
                .columns = r->x->columns, .n = r->n, .groups = r->groups));
    gpu_texture_free(&r->lists);
    gpu_texture_free(&r->list_sums);
    if (touching) threads_touched(touching);
    return gpu_download(r->g, &distance, 0, r->n, core);
}

glshape_status tree_raised_kept(gpu *g, spatial_index *x, uint32_t within, const tree_scale *scale,
                                double *core, tree_kept *out) {
    OWNED_BY(rounds_free) rounds r = {.g = g, .x = x, .n = x->n, .groups = tree_groups(x->n), .raised = true};
    r.most = out->most;
    r.meanwhile = out->meanwhile;
    expect_programs(g, x, within ? within : 1, true);
    gpu_soon(g, tree_cores, .ROOT = scale->root);
    TRY(index_upload(g, x));
    if (within) TRY(index_nearest_kept(g, x, within, load_programs, &r, &r.lists, &r.list_sums));
    TRY(rounds_new(&r));
    TRY(start(&r));
    TRY(make_cores(&r, within, scale, out->of_core, core));
    return do_rounds(&r, out);
}

void tree_kept_free(tree_kept *t) {
    gpu_texture_free(&t->edges);
    threads_touched(&t->touching);
}

/* ---- in host memory ---------------------------------------------------------------------------- */

#define STAGED (1u << 20) /* edges on their way to the host */
#define CHUNK 65536u

typedef struct staging {
    uint32_t (*words)[4];
    uint32_t first, count, hole, n;
    tree_edges *out;
} staging;

static glshape_status take_edges(error *err, void *user, uint64_t chunk, void *scratch) {
    const staging *s = user;
    (void)scratch;
    for (uint32_t k = (uint32_t)chunk * CHUNK; k < s->count && k / CHUNK == chunk; k++) {
        const uint32_t *edge = s->words[k], at = s->first + k, to = at - (at > s->hole);
        uint64_t bits = (uint64_t)edge[0] << 32 | edge[1];
        if (at == s->hole) continue;
        if (edge[2] >= edge[3] || edge[3] >= s->n)
            return fail(err, GLSHAPE_GPU_ERROR, "edge %u of a tree of points is none", at);
        s->out->i[to] = edge[2];
        s->out->j[to] = edge[3];
        memcpy(&s->out->sum[to], &bits, sizeof bits);
    }
    return GLSHAPE_OK;
}

glshape_status tree_kept_bring(gpu *g, tree_kept *t, tree_edges *out) {
    OWNED uint32_t(*words)[4] = NULL;
    staging s = {.hole = t->hole, .n = t->edges.elements, .out = out};
    uint32_t most = s.n < STAGED ? s.n : STAGED;
    TRY(allocate(run_error(run_of(g)), &words, most, sizeof *words, "edges of the tree"));
    for (s.words = words; s.first < s.n; s.first += s.count) {
        s.count = s.n - s.first < most ? s.n - s.first : most;
        TRY(gpu_download(g, &t->edges, s.first, s.count, words));
        threads_job work = {
            .work = take_edges, .user = &s, .blocks = (s.count - 1) / CHUNK + 1, .name = "an edge"};
        TRY(threads_do(run_error(run_of(g)), &work));
    }
    return GLSHAPE_OK;
}

/* ---- where ------------------------------------------------------------------------------------- */

#define MOST_LIST 32u /* lists are made at once */

/* What textures take for a point beside the index. */
static uint64_t bytes_of(const spatial_index *x, uint32_t k) { return (uint64_t)x->n * (12 * k + 100); }

/* Where the lists and the searches are made, with core distances or without. */
static glshape_status searches_place(gpu *g, const spatial_index *x, uint32_t k, bool cores, run_why *why) {
    static const index_cores some = {.alpha = 1};
    const index_task lists = {.x = (spatial_index *)x, .queries = x, .k = k};
    const index_crossing crossing = {.x = (spatial_index *)x, .count = x->n, .cores = cores ? &some : NULL};
    bool can = x->columns <= INDEX_PASS_COLUMNS && norm_is_whole(&x->norm) && k <= MOST_LIST && x->n >= 2;
    *why = place_by_speed(g, !can || x->columns <= PLACE_INDEX_COLUMNS);
    if (run_why_device(*why)) TRY(place_choose(g, PLACE_POINT_TREE, x->n, can, bytes_of(x, k), why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    if (gpu_texture_bytes(g, GPU_RG32UI, x->n, k) == SIZE_MAX) {
        *why = RUN_NOT_ROOM;
        return GLSHAPE_OK;
    }
    run_why searches;
    if (k) TRY(index_nearest_place(g, &lists, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    TRY(index_across_place(g, &crossing, &searches));
    if (!run_why_device(searches)) *why = searches;
    return GLSHAPE_OK;
}

glshape_status tree_points_place(gpu *g, const spatial_index *x, uint32_t k, run_why *why) {
    TRY(searches_place(g, x, k, false, why));
    TRY(tree_trusts_points(g, x, why));
    if (*why == RUN_NOT_YET) expect_programs(g, x, k, false); /* for later runs */
    return GLSHAPE_OK;
}

glshape_status tree_raised_place(gpu *g, const spatial_index *x, uint32_t within, bool root, run_why *why) {
    TRY(searches_place(g, x, within, true, why));
    TRY(tree_trusts_points(g, x, why));
    TRY(tree_trusts_raised(g, x, root, why));
    if (*why != RUN_NOT_YET) return GLSHAPE_OK;
    expect_programs(g, x, within ? within : 1, true);
    gpu_soon(g, tree_cores, .ROOT = root);
    return GLSHAPE_OK;
}
