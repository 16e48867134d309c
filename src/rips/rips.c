/* glshape_rips: the public call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/narrow.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "persistence/reduce.h"
#include "place/place.h"
#include "rips/births.h"
#include "rips/clear.h"
#include "rips/cocycles.h"
#include "rips/codes.h"
#include "rips/collapse.h"
#include "rips/count.h"
#include "rips/distances.h"
#include "rips/edges.h"
#include "rips/enumerate.h"
#include "rips/first.h"
#include "rips/graph.h"
#include "rips/isolated.h"
#include "rips/sample.h"
#include "rips/short.h"
#include "rips/wide.h"
#include "tree/tree.h"

#define SMALL_POINTS 2048u
#define SECONDS_TO_ASK 0.005
#define MOST_DENSE 92681u /* edges are counted in 32 bits (glsl/lib/triangle.glsl) */

typedef struct rips_run {
    gpu *g;
    glshape_rips_options o;
    int dim;
    bool small;         /* no device is used */
    bool alone;         /* there is none */
    run_why passes;     /* RUN_FOR_PASSES, or why passes do not look at a matrix, but threads at lists */
    bool by_lists;      /* passes look at lists of neighbors, not at a matrix … */
    run_why of_lists;   /* … and this is where the columns are then found */
    rips_sample sample; /* if n_perm is set */
    rips_births births;
    rips_codes codes; /* of the values of s, and of the result until it is done */
    rips_space s;
    float greatest;   /* of the distances of points whose lists were made in place of a matrix */
    rips_edges edges; /* if small, for dimensions 0 and 1 */
    rips_kept kept;
    rips_enumeration e;
    uint64_t *cleared; /* indices of columns of the next dimension that clearing removes */
    size_t cleared_count;
    size_t room;        /* intervals */
    rips_counts counts; /* if they are asked for */
    rips_wide wide;     /* for long columns */
    uint64_t ended;     /* simplices of the next dimension that end a pair: clearing removes their columns */
    rips_cocycles cocycles;
    double asked; /* when the caller was last asked whether to go on */
    glshape_rips_result *r;
} rips_run;

/* ---- options ----------------------------------------------------------------------------------- */

/* In dimension 1 nearly all edges are in apparent pairs, and take less time than their collapse. */
static bool may_collapse(const rips_run *run) {
    return run->o.collapse == GLSHAPE_RIPS_COLLAPSE_ON ||
           (run->o.collapse == GLSHAPE_RIPS_COLLAPSE_AUTO && run->dim > 1 && !run->o.cocycles);
}

static glshape_status take_options(error *err, const glshape_rips_options *options, glshape_rips_options *o) {
    *o = options ? *options : (glshape_rips_options){0};
    if (!o->modulus) o->modulus = 2;
    if (!o->ratio) o->ratio = 1;
    if (!o->dim.is_set) o->dim = GLSHAPE_SET(1);
    if (!(o->dim.value >= 0 && o->dim.value <= RIPS_MOST_DIM && o->dim.value == floor(o->dim.value)))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "dimension %g: it is a whole number from 0 to %d",
                    o->dim.value, RIPS_MOST_DIM);
    if (!(o->ratio >= 1))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "ratio %g: it is a number of at least 1", (double)o->ratio);
    TRY(persistence_check_modulus(err, o->modulus));
    if (o->cocycle_length.is_set && !(o->cocycle_length.value >= 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "cocycle_length %g: it is a number of at least 0",
                    o->cocycle_length.value);
    if (o->threshold.is_set && !(o->threshold.value >= (o->births ? -INFINITY : 0)))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "threshold %g: it is a number%s", o->threshold.value,
                    o->births ? "" : " of at least 0");
    return GLSHAPE_OK;
}

/* ---- intervals --------------------------------------------------------------------------------- */

static bool is_long(const rips_run *run, const glshape_interval *i) {
    float birth = rips_codes_value(&run->codes, (float)i->birth),
          death = rips_codes_value(&run->codes, (float)i->death);
    return rips_is_interval(birth, death, (float)run->o.ratio);
}

static glshape_status add_interval(rips_run *run, glshape_interval interval) {
    glshape_rips_result *r = run->r;
    if (!is_long(run, &interval)) return GLSHAPE_OK;
    TRY(memory_reserve(run_error(run_of(run->g)), &r->intervals, &run->room, r->count + 1, sizeof interval,
                       "the list of intervals"));
    r->intervals[r->count++] = interval;
    return GLSHAPE_OK;
}

/* Whether threads do the work, in lists, because there is no device, or a software renderer that was not
 * asked for: it is slower than the processor it runs on. */
static bool has_no_card(const rips_run *run) { return run->alone || !run_why_device(place_by_kind(run->g)); }

/* Whether there is memory for the lists of all points beside a matrix of n points: then threads can do
 * without a device. */
static bool has_room_for_lists(size_t n) {
    return times(times(n, n), 3 * sizeof(float)) < memory_of_machine();
}

/* Whether threads do all of a matrix, because there is no card and there is room. */
static bool has_threads_alone(const rips_run *run) {
    return has_no_card(run) && has_room_for_lists(run->s.n);
}

/* Whether the lists of a matrix are made, however long they are: threads need them. */
static bool needs_lists(const rips_run *run) {
    return run->small ? run->dim > 1 : run->dim && has_threads_alone(run);
}

static run_why why_no_card(const rips_run *run) {
    return run->alone ? gpu_why_absent(run->g) : RUN_NOT_SOFTWARE;
}

static run_why columns_place(const rips_run *run) {
    return run->by_lists                  ? run->of_lists
           : run->small                   ? RUN_NOT_SMALL
           : !run_why_device(run->passes) ? run->passes
           : has_threads_alone(run)       ? why_no_card(run)
                                          : gpu_why_passes(run->g);
}

static bool uses_threads(const rips_run *run) { return !run_why_device(columns_place(run)); }

static float birth_of(const rips_run *run, uint32_t point) { return run->s.birth ? run->s.birth[point] : 0; }

#define FOREST_BLOCK 16384u /* edges of an item of work */

/* The intervals of dimension 0, which edges of a forest end. */
typedef struct adding {
    rips_run *run;
    const tree_forest *f;
    const uint32_t *dies;
    uint32_t count; /* of edges within the threshold */
    size_t *before; /* of each block: intervals that blocks before it add */
    bool *dead;     /* of vertices as the tree has them */
} adding;

static uint32_t forest_block_end(const adding *a, uint32_t first) {
    return a->count - first < FOREST_BLOCK ? a->count : first + FOREST_BLOCK;
}

/* The tree has the vertices in descending order. */
static glshape_interval interval_of(const adding *a, uint32_t k) {
    uint32_t point = a->run->s.n - 1 - a->dies[k];
    return (glshape_interval){0, birth_of(a->run, point), a->f->weight[k], point, a->run->cleared[k]};
}

static void end_components(void *user, size_t block) {
    const adding *a = user;
    uint32_t first = (uint32_t)block * FOREST_BLOCK, n = a->run->s.n;
    size_t count = 0;
    for (uint32_t k = first; k < forest_block_end(a, first); k++) {
        uint32_t ends[2] = {n - 1 - a->f->i[k], n - 1 - a->f->j[k]};
        a->run->cleared[k] = simplex_table_index(&a->run->s.simplices, ends, 2);
        a->dead[a->dies[k]] = true;
        const glshape_interval i = interval_of(a, k);
        count += is_long(a->run, &i);
    }
    a->before[block] = count;
}

static void list_intervals(void *user, size_t block) {
    const adding *a = user;
    uint32_t first = (uint32_t)block * FOREST_BLOCK;
    glshape_interval *to = a->run->r->intervals + a->before[block];
    for (uint32_t k = first; k < forest_block_end(a, first); k++) {
        const glshape_interval i = interval_of(a, k);
        if (is_long(a->run, &i)) *to++ = i;
    }
}

static glshape_status add_ended(adding *a) {
    OWNED size_t *before = NULL;
    rips_run *run = a->run;
    error *err = run_error(run_of(run->g));
    size_t blocks = (a->count + FOREST_BLOCK - 1) / FOREST_BLOCK, sum = run->r->count;
    TRY(allocate(err, &before, blocks, sizeof *before, "the components"));
    TRY(allocate(err, &run->cleared, a->count, sizeof *run->cleared, "the spanning tree"));
    run->cleared_count = a->count;
    a->before = before;
    threads_run(run->o.threads, blocks, end_components, a);
    for (size_t b = 0; b < blocks; b++) {
        size_t here = before[b];
        before[b] = sum;
        sum += here;
    }
    threads_run(run->o.threads, blocks, list_intervals, a);
    run->r->count = sum;
    return GLSHAPE_OK;
}

/* Adds the intervals of dimension 0, and makes the edges that end them the cleared columns of dimension 1.
 * The filtration has vertices of descending number: the elder of two components is the one with the greater
 * vertex. */
static glshape_status add_dimension_0(rips_run *run, const tree_forest *f, const uint32_t *dies) {
    OWNED bool *dead = NULL;
    uint32_t n = run->s.n;
    adding a = {.run = run, .f = f, .dies = dies};
    while (a.count < f->count && f->weight[a.count] <= run->s.threshold) a.count++;
    TRY(allocate(run_error(run_of(run->g)), &dead, n, sizeof *dead, "the components"));
    TRY(memory_reserve(run_error(run_of(run->g)), &run->r->intervals, &run->room, n,
                       sizeof *run->r->intervals, "the list of intervals"));
    a.dead = dead;
    TRY(add_ended(&a));
    uint32_t essential = n - a.count;
    for (uint32_t v = 0, point = n - 1; v < n && essential; v++, point--)
        if (!dead[v] && birth_of(run, point) <= run->r->threshold)
            TRY(add_interval(
                run, (glshape_interval){0, birth_of(run, point), INFINITY, point, GLSHAPE_NO_SIMPLEX}));
    return GLSHAPE_OK;
}

#define LIST_BLOCK 1024u /* points of an item of work */

/* The edges of a graph on their way to the tree: where those of each point with lower points begin. */
typedef struct edge_lists {
    const rips_graph *of;
    size_t *first;
    uint32_t n, *i, *j;
    float *weight;
} edge_lists;

/* How many lower points each has, one place further on. */
static void count_lower(void *user, size_t block) {
    const edge_lists *l = user;
    const rips_graph *g = l->of;
    for (uint32_t i = (uint32_t)block * LIST_BLOCK; i < l->n && i / LIST_BLOCK == block; i++)
        l->first[i + 1] = rips_skip_up(g->point, g->start[i], g->start[i + 1], i) - g->start[i];
}

/* Points are counted from the last one, as rips_enumeration_upload() says. */
static void list_edges(void *user, size_t block) {
    const edge_lists *l = user;
    for (uint32_t i = (uint32_t)block * LIST_BLOCK; i < l->n && i / LIST_BLOCK == block; i++) {
        size_t from = l->of->start[i];
        for (size_t at = l->first[i]; at < l->first[i + 1]; at++, from++) {
            l->i[at] = l->n - 1 - i;
            l->j[at] = l->n - 1 - l->of->point[from];
            l->weight[at] = l->of->distance[from];
        }
    }
}

/* Passes find the forest where they find columns in lists: these are on the device. *done: they do. */
static glshape_status forest_of_lists_there(rips_run *run, tree_forest *f, bool *done) {
    rips_lists *l = &run->e.lists;
    run_why why = gpu_why_passes(run->g);
    bool little = place_is_little(run->g, PLACE_FOREST, (double)run->s.graph.start[run->s.n] / 2);
    *done = false;
    if (!run->e.columns.id || !run->e.of_lists || little || run->r->greatest >= TREE_NO_EDGE)
        return GLSHAPE_OK;
    TRY(tree_trusts_lists(run->g, &why));
    if (!run_why_device(why)) return GLSHAPE_OK;
    run_begin_stage(run_of(run->g), "tree", why);
    TRY(rips_enumeration_upload(&run->e, false));
    *done = true;
    return tree_mst_lists(run->g, &(tree_neighbors){&l->start, &l->neighbors, &l->lengths}, run->s.n, f);
}

static glshape_status forest_of_lists(rips_run *run, tree_forest *f) {
    OWNED size_t *first = NULL;
    OWNED uint32_t *ends = NULL;
    OWNED float *weight = NULL;
    const rips_graph *g = &run->s.graph;
    error *err = run_error(run_of(run->g));
    bool done;
    TRY(forest_of_lists_there(run, f, &done));
    if (done) return GLSHAPE_OK;
    run_begin_stage(run_of(run->g), "tree", RUN_NOT_BY_PASSES);
    uint32_t n = run->s.n;
    size_t edges = g->start[n] / 2;
    TRY(allocate(err, &first, (size_t)n + 1, sizeof *first, "the edges"));
    TRY(allocate(err, &ends, edges, 2 * sizeof *ends, "the edges"));
    TRY(allocate(err, &weight, edges, sizeof *weight, "the edges"));
    edge_lists lists = {g, first, n, ends, ends + edges, weight};
    threads_run(run->o.threads, (n - 1) / LIST_BLOCK + 1, count_lower, &lists);
    for (uint32_t i = 0; i < n; i++) first[i + 1] += first[i];
    threads_run(run->o.threads, (n - 1) / LIST_BLOCK + 1, list_edges, &lists);
    tree_graph graph = {.n = n, .count = edges, .i = ends, .j = ends + edges, .weight = weight};
    return tree_mst(run->g, &graph, f);
}

static glshape_status forest_of_matrix(rips_run *run, tree_forest *f) {
    run_why why = run->r->greatest >= TREE_NO_EDGE                                       ? RUN_NOT_LIMITS
                  : run->small || place_is_little(run->g, PLACE_MATRIX_FOREST, run->s.n) ? RUN_NOT_SMALL
                  : !run_why_device(run->passes)                                         ? run->passes
                  : has_no_card(run)                                                     ? why_no_card(run)
                                     : gpu_why_passes(run->g);
    TRY(tree_trusts_dense(run->g, true, &why));
    run_begin_stage(run_of(run->g), "tree", why);
    if (run->edges.items) return rips_edges_forest(run_error(run_of(run->g)), &run->s, &run->edges, f);
    if (!run_why_device(why))
        return tree_mst_rows(run_error(run_of(run->g)), run->s.distance, run->s.n, true, f);
    TRY(rips_enumeration_upload(&run->e, true));
    return tree_mst_dense(run->g, &run->e.dist, run->s.n, false, f);
}

/* Births in the order of the tree: descending. */
static glshape_status reverse_births(const rips_run *run, float **out) {
    TRY(allocate(run_error(run_of(run->g)), out, run->s.n, sizeof **out, "births"));
    for (uint32_t v = 0; v < run->s.n; v++) (*out)[v] = run->s.birth[run->s.n - 1 - v];
    return GLSHAPE_OK;
}

static glshape_status compute_dimension_0(rips_run *run) {
    OWNED_BY(tree_forest_free) tree_forest f = {0};
    OWNED uint32_t *dies = NULL;
    OWNED float *births = NULL;
    double start = wall_seconds();
    bool lists = run->s.lists_are_short && !run->edges.items;
    TRY(lists ? forest_of_lists(run, &f) : forest_of_matrix(run, &f));
    TRY(allocate(run_error(run_of(run->g)), &dies, f.count, sizeof *dies, "the spanning tree"));
    if (run->s.birth) TRY(reverse_births(run, &births));
    TRY(tree_elder(run_error(run_of(run->g)), run->s.n, births, f.count, f.i, f.j, dies));
    TRY(add_dimension_0(run, &f, dies));
    run->r->seconds.tree = wall_seconds() - start;
    return GLSHAPE_OK;
}

/* ---- higher dimensions ------------------------------------------------------------------------- */

static glshape_status add_intervals(rips_run *run, int dim, const rips_columns *c,
                                    const persistence_death *deaths) {
    bool last = dim == run->dim;
    free(MOVE(run->cleared));
    run->cleared_count = 0;
    TRY(allocate(run_error(run_of(run->g)), &run->cleared, last ? 0 : c->count, sizeof *run->cleared,
                 "the ends of intervals"));
    for (size_t i = 0; i < c->count; i++) {
        if (!last && deaths[i].index != PERSISTENCE_ESSENTIAL)
            run->cleared[run->cleared_count++] = deaths[i].index;
        TRY(add_interval(run, (glshape_interval){dim, c->items[i].value, deaths[i].value, c->items[i].index,
                                                 deaths[i].index}));
    }
    return GLSHAPE_OK;
}

static void add_fact(const rips_run *run, int dim, const char *name, double value) {
    run_fact(run_of(run->g), value, "dimension %d: %s", dim, name);
}

/* Asks the caller seldom: a column may take a microsecond, and the caller longer, as Python does, which waits
 * for its interpreter's lock. */
static bool go_on(void *of, double fraction) {
    rips_run *run = of;
    double now = wall_seconds();
    if (now - run->asked < SECONDS_TO_ASK) return true;
    run->asked = now;
    return run_tick(run_of(run->g), fraction) == GLSHAPE_OK;
}

/* Counts the simplices of all dimensions. */
static glshape_status count_simplices(rips_run *run) {
    const rips_count_job job = {&run->s, run->dim, run->o.threads, go_on, run};
    run_begin_stage(run_of(run->g), "count", RUN_NOT_BY_PASSES);
    run->ended = run->cleared_count;
    return rips_count(run_error(run_of(run->g)), &job, &run->counts);
}

/* The kinds of pairs contain one another: apparent, shortcut, emergent, all. Of the columns of a dimension,
 * which are its pairs, those of apparent pairs were never made. */
static void count_pairs(rips_run *run, int dim, const rips_columns *c, const persistence_death *deaths,
                        const uint64_t *oldest) {
    const rips_emergent e = rips_count_emergent(c->items, deaths, oldest, c->count);
    uint64_t essential = 0, all = run->counts.of[dim] - run->ended, apparent = all - c->count;
    for (size_t i = 0; i < c->count; i++) essential += deaths[i].index == PERSISTENCE_ESSENTIAL;
    add_fact(run, dim, "simplices", (double)run->counts.of[dim]);
    add_fact(run, dim, "columns cleared", (double)run->ended);
    add_fact(run, dim, "pairs", (double)all);
    add_fact(run, dim, "apparent pairs", (double)apparent);
    add_fact(run, dim, "shortcut pairs", (double)(apparent + e.shortcut));
    add_fact(run, dim, "emergent pairs", (double)(apparent + e.emergent));
    add_fact(run, dim, "other pairs", (double)(c->count - e.emergent));
    run->ended = all - essential;
}

/* Why threads reduce columns: passes have left them, or reduce none. */
static run_why why_threads(const rips_short *s) { return s->reduced ? RUN_NOT_FINISHED : RUN_NOT_BY_PASSES; }

static glshape_status reduce_columns(rips_run *run, int dim, const rips_columns *c) {
    OWNED persistence_death *deaths = NULL;
    OWNED_BY(rips_short_free) rips_short some = {0};
    OWNED uint64_t *oldest = NULL;
    persistence_device device;
    error *err = run_error(run_of(run->g));
    if (!run->o.cocycles) TRY(rips_short_reduce(&run->e, dim, c, run->o.count_pairs, &some));
    if (!some.reduced) TRY(rips_first_cofacets(&run->e, dim, c, &some.first));
    TRY(allocate(err, &deaths, c->count, sizeof *deaths, "the ends of intervals"));
    if (run->o.count_pairs) TRY(allocate(err, &oldest, c->count, sizeof *oldest, "the oldest cofacets"));
    const filtered_complex complex = rips_complex(&run->s);
    rips_wide_begin(run->g, &run->s, &run->e.dist, dim, &run->wide, &device);
    const persistence_job job = {.complex = &complex,
                                 .dim = dim,
                                 .columns = c->items,
                                 .first = some.first,
                                 .count = (uint32_t)c->count,
                                 .reduced = some.reduced,
                                 .threads = run->o.threads,
                                 .device = run->e.dist.id && !run->by_lists ? &device : NULL,
                                 .go_on = go_on,
                                 .user = run,
                                 .cocycle = run->o.cocycles ? rips_cocycles_take : NULL,
                                 .cocycle_user = &run->cocycles,
                                 .oldest = oldest};
    persistence_work work = {0};
    if (!some.reduced || some.left) run_begin_stage(run_of(run->g), "reduction", why_threads(&some));
    rips_cocycles_begin(&run->cocycles, c, deaths);
    TRY(persistence_reduce(err, &job, deaths, &work));
    if (run->o.count_pairs) count_pairs(run, dim, c, deaths, oldest);
    if (run->cocycles.failed) return fail(err, GLSHAPE_NO_MEMORY, "not enough memory for the cocycles");
    if (run->wide.columns)
        add_fact(run, dim, "long columns by passes", (double)(run->wide.columns - work.given_up));
    if (some.reduced) add_fact(run, dim, "short columns by passes", (double)(c->count - some.left));
    add_fact(run, dim, "columns added", (double)(work.additions + some.added));
    add_fact(run, dim, "cofacets made", (double)(work.cofacets + some.cofacets));
    add_fact(run, dim, "host bytes",
             (double)(work.bytes + c->room * sizeof *c->items +
                      c->count * (sizeof *deaths + (some.first ? sizeof *some.first : 0) +
                                  (some.reduced ? sizeof *some.reduced : 0) + (oldest ? sizeof *oldest : 0)) +
                      some.term_count * sizeof *some.terms));
    return add_intervals(run, dim, c, deaths);
}

static glshape_status enumerate_by_threads(rips_run *run, int dim, rips_columns *c) {
    return rips_enumerate_sparse(run_error(run_of(run->g)), &run->s, dim + 1, run->o.threads, c);
}

static glshape_status enumerate_columns(rips_run *run, int dim, rips_columns *c) {
    if (dim == 1 && run->edges.items)
        return rips_edges_columns(run_error(run_of(run->g)), &run->s, &run->edges, c);
    if (uses_threads(run)) return enumerate_by_threads(run, dim, c);
    TRY(rips_enumerate(&run->e, dim + 1, c));
    if (!run->e.too_many) return GLSHAPE_OK;
    run->of_lists = RUN_NOT_LIMITS;
    run_begin_stage(run_of(run->g), "columns", RUN_NOT_LIMITS);
    return enumerate_by_threads(run, dim, c);
}

static glshape_status compute_dimension(rips_run *run, int dim) {
    OWNED_BY(rips_columns_free) rips_columns c = {0};
    double start = wall_seconds();
    run_begin_stage(run_of(run->g), "columns", columns_place(run));
    TRY(enumerate_columns(run, dim, &c));
    add_fact(run, dim, "simplices examined", (double)c.examined);
    add_fact(run, dim, "simplices in no apparent pair", (double)c.count);
    TRY(rips_clear(run_error(run_of(run->g)), run->cleared, run->cleared_count, run->o.threads, &c));
    add_fact(run, dim, "columns reduced", (double)c.count);
    double middle = wall_seconds();
    add_fact(run, dim, "seconds of enumeration", middle - start);
    TRY(reduce_columns(run, dim, &c));
    add_fact(run, dim, "seconds of reduction", wall_seconds() - middle);
    return GLSHAPE_OK;
}

/* Adds to the sentence of GLSHAPE_NO_MEMORY what the user can do. */
static glshape_status add_advice(rips_run *run, glshape_status status) {
    error why = *run_error(run_of(run->g));
    if (status != GLSHAPE_NO_MEMORY) return status;
    return fail(run_error(run_of(run->g)), status, "%s; lower the threshold or the dimension", why.text);
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* The least of some values, and the greatest that is finite; 0 if none is greater. */
typedef struct range {
    float least, greatest;
} range;

static range range_of(const float *values, size_t count) {
    float least = INFINITY, greatest = 0;
    for (size_t k = 0; k < count; k++) {
        float finite = values[k] < INFINITY ? values[k] : 0;
        least = values[k] < least ? values[k] : least;
        greatest = finite > greatest ? finite : greatest;
    }
    return (range){least, greatest};
}

typedef struct range_job {
    const rips_space *s;
    range *rows;
} range_job;

#define RANGE_BLOCK ((size_t)1 << 16) /* distances of lists that a thread takes at a time */

static void find_row_range(void *user, size_t i) {
    const range_job *job = user;
    const rips_graph *g = &job->s->graph;
    if (job->s->distance) job->rows[i] = range_of(job->s->distance + i * job->s->n, i);
    else {
        size_t left = g->start[job->s->n] - i * RANGE_BLOCK;
        job->rows[i] = range_of(g->distance + i * RANGE_BLOCK, left < RANGE_BLOCK ? left : RANGE_BLOCK);
    }
}

static glshape_status find_range(const rips_space *s, error *err, glshape_rips_result *r) {
    OWNED range *rows = NULL;
    size_t count = s->distance ? s->n : (s->graph.start[s->n] + RANGE_BLOCK - 1) / RANGE_BLOCK;
    TRY(allocate(err, &rows, count, sizeof *rows, "the range of the distances"));
    threads_run(rips_threads(s, 0), count, find_row_range, &(range_job){s, rows});
    r->least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        r->least = rows[i].least < r->least ? rows[i].least : r->least;
        r->greatest = rows[i].greatest > r->greatest ? rows[i].greatest : r->greatest;
    }
    return GLSHAPE_OK;
}

/* For a matrix: opens the device, where there is one or nothing else can do the work, and says how much of
 * its memory is needed. Where there are lists alone, each stage opens it that is large enough for it. */
static glshape_status open_device(rips_run *run) {
    bool found = true;
    TRY(has_room_for_lists(run->s.n) ? place_find(run->g, 0, &found) : gpu_need(run->g));
    run->alone = !found;
    if (run->s.n && !has_threads_alone(run))
        run->r->forecast.gpu_bytes = rips_enumeration_bytes(run->g, run->s.n, run->dim + 2);
    return GLSHAPE_OK;
}

/* Sets *so to whether threads do the most with lists of so many pairs: they are faster with a matrix. */
static glshape_status is_for_threads(rips_run *run, double pairs, bool *so) {
    *so = run->o.cocycles || (may_collapse(run) && place_is_little(run->g, PLACE_COLLAPSE, pairs));
    if (*so) return GLSHAPE_OK;
    TRY(open_device(run));
    *so = has_no_card(run);
    return GLSHAPE_OK;
}

/* Makes the lists of points whose pairs within the threshold are few: sooner than their matrix, of which
 * passes have no need. For threads a matrix is made of the lists. Without lists s->graph stays empty. */
static glshape_status list_points(rips_run *run, const glshape_source *source) {
    OWNED_BY(rips_points_free) rips_points points = {0};
    error *err = run_error(run_of(run->g));
    rips_space *s = &run->s;
    bool done, by_threads,
        plain = source->points && source->metric == GLSHAPE_METRIC_EUCLIDEAN && run->o.threshold.is_set &&
                !run->births.weights && !run->births.births;
    if (!plain || run->small || s->n <= SMALL_POINTS) return GLSHAPE_OK;
    TRY(rips_points_new(err, source, &points));
    TRY(rips_sweep_short(err, &points, run->o.threads, s, &run->greatest, &done));
    if (!done) return GLSHAPE_OK;
    size_t places = s->graph.start[s->n];
    run_fact(run_of(run->g), (double)(places / 2), "pairs in place of a matrix");
    s->lists_are_short = true;
    TRY(is_for_threads(run, (double)(places / 2), &by_threads));
    if (by_threads)
        return places * PLACE_MATRIX_SHARE < (size_t)s->n * s->n ? GLSHAPE_OK : rips_matrix_of_graph(err, s);
    s->matrix_of_lists = rips_enumeration_bytes(run->g, s->n, 2) <= gpu_memory_left(run->g) / 2;
    return GLSHAPE_OK;
}

static glshape_status take_distances(rips_run *run, const glshape_source *source) {
    error *err = run_error(run_of(run->g));
    bool limited = run->o.threshold.is_set;
    run->s.threshold = limited ? (float)run->o.threshold.value : INFINITY;
    if (source->graph || run->o.sparse) {
        if (source->reader)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "sparse goes with points or a graph, not with a matrix");
        if (!source->graph && run->s.threshold == INFINITY)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "sparse needs a threshold: the distances up to it are kept");
        return rips_graph_new(run->g, source, run->o.threads, &run->s);
    }
    TRY(list_points(run, source));
    return run->s.graph.start ? GLSHAPE_OK : rips_distances(err, source, run->o.threads, &run->s);
}

/* Makes the filtration: the values of points and edges, and their threshold. */
static glshape_status make_filtration(rips_run *run, const glshape_source *source) {
    TRY(take_distances(run, source));
    TRY(rips_births_apply(run_error(run_of(run->g)), &run->births, &run->s));
    TRY(rips_codes_apply(run_error(run_of(run->g)), &run->s, &run->codes));
    TRY(find_range(&run->s, run_error(run_of(run->g)), run->r));
    run->r->greatest = fmaxf(run->r->greatest, run->greatest);
    if (!run->o.threshold.is_set && run->s.distance) run->s.threshold = rips_enclosing_radius(&run->s);
    run->r->threshold = run->s.threshold;
    return GLSHAPE_OK;
}

/* After a collapse: looks whether so little is left that no device is needed. */
static glshape_status find_if_small(rips_run *run) {
    if (!run->s.distance || !place_is_little(run->g, PLACE_SIMPLICES, 0)) return GLSHAPE_OK;
    return rips_has_at_most(run_error(run_of(run->g)), &run->s, run->dim,
                            (uint64_t)place_least(run->g, PLACE_SIMPLICES) - 1, &run->small);
}

/* Returns true if the sample of a collapse that was not asked for promises enough. */
static glshape_status sample_edges(rips_run *run, bool *pays) {
    double start = wall_seconds();
    *pays = run->o.collapse == GLSHAPE_RIPS_COLLAPSE_ON;
    if (*pays) return GLSHAPE_OK;
    TRY(rips_collapse_pays(run_error(run_of(run->g)), &run->s, pays));
    run_fact(run_of(run->g), wall_seconds() - start, "seconds of the sample for the collapse");
    return GLSHAPE_OK;
}

/* Where passes work on lists for which there is so much memory to take; the device is open if it is by
 * passes. longest: of the lists. */
static glshape_status choose_for_lists(rips_run *run, place_stage stage, double items, place_quantity longest,
                                       size_t (*bytes_of)(const gpu *, const rips_space *), run_why *why) {
    TRY(place_choose(run->g, stage, items, true, 0, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    size_t bytes = bytes_of(run->g, &run->s);
    if (bytes == SIZE_MAX || rips_longest_list(&run->s) > place_amount(run->g, longest)) {
        *why = RUN_NOT_LIMITS;
        return GLSHAPE_OK;
    }
    return place_choose_any(run->g, bytes, why);
}

/* Collapses the edges of lists. Sets *done to whether passes have done it. */
static glshape_status collapse_lists(rips_run *run, rips_collapsed *c, bool *done) {
    rips_space *s = &run->s;
    run_why why;
    TRY(choose_for_lists(run, PLACE_COLLAPSE, (double)(s->graph.start[s->n] / 2), PLACE_AMOUNT_COLLAPSE_LIST,
                         rips_collapse_bytes, &why));
    rips_collapse_way way = rips_collapse_way_of(run->g, s);
    place_may_wait(run->g, PLACE_WORK_COLLAPSE, (double)(s->graph.start[s->n] / 2));
    if (run_why_device(why)) TRY(rips_is_for_collapse(run->g, &way, &why));
    run_begin_stage(run_of(run->g), "collapse", why);
    if (run_why_device(why)) TRY(rips_collapse_by_passes(run->g, s, &way, c, done));
    if (run_why_device(why) && !*done) run_begin_stage(run_of(run->g), "collapse", RUN_NOT_LIMITS);
    return GLSHAPE_OK;
}

static glshape_status collapse_by_passes(rips_run *run, rips_collapsed *c, bool *done) {
    rips_space *s = &run->s;
    double n = (double)s->n;
    *done = false;
    if (!s->distance) return collapse_lists(run, c, done);
    if (place_is_little(run->g, PLACE_COLLAPSE, n * n / 2)) {
        run_begin_stage(run_of(run->g), "collapse", RUN_NOT_SMALL);
        return GLSHAPE_OK;
    }
    TRY(rips_graph_of_matrix(run_error(run_of(run->g)), s, true));
    TRY(collapse_lists(run, c, done));
    if (!*done) rips_graph_free(&s->graph);
    return GLSHAPE_OK;
}

static glshape_status collapse_edges(rips_run *run) {
    rips_collapsed c;
    double start = wall_seconds();
    bool pays, done;
    if (!may_collapse(run)) return GLSHAPE_OK;
    TRY(sample_edges(run, &pays));
    if (!pays) return GLSHAPE_OK;
    TRY(collapse_by_passes(run, &c, &done));
    if (!done && run->s.matrix_of_lists) {
        TRY(rips_matrix_of_graph(run_error(run_of(run->g)), &run->s));
        rips_graph_free(&run->s.graph);
    }
    if (!done) TRY(rips_collapse(run_of(run->g), &run->s, run->o.threads, &c));
    run_fact(run_of(run->g), (double)c.edges, "edges before the collapse");
    run_fact(run_of(run->g), (double)c.left, "edges after the collapse");
    if (done) run_fact(run_of(run->g), (double)c.rounds, "rounds of the collapse");
    else run_fact(run_of(run->g), (double)c.again, "edges looked at twice by the collapse");
    run_fact(run_of(run->g), wall_seconds() - start, "seconds of the collapse");
    return find_if_small(run);
}

/* For the forecast of a graph only its nodes count: it may have no more. */
static glshape_status check_source(error *err, const glshape_source *source, const glshape_rips_options *o) {
    bool nodes_only = o->dry_run && source->graph && !source->graph->start;
    int kinds = DIST_OF_POINTS | DIST_OF_READER | DIST_OF_GRAPH | DIST_ON_SPHERE;
    return nodes_only
               ? GLSHAPE_OK
               : dist_source_check(err, source, kinds, "rips needs points, a matrix of distances or a graph");
}

static size_t count_points(const glshape_source *source) {
    return source->points ? source->points->rows : source->graph ? source->graph->nodes : source->n;
}

/* Sets *n to the number of points that the run looks at, of the n that there are. */
static glshape_status count_sample(rips_run *run, const glshape_source *source, size_t *n) {
    size_t all = count_points(source);
    *n = run->o.n_perm ? run->o.n_perm : all;
    if (run->o.n_perm && source->graph)
        return fail(run_error(run_of(run->g)), GLSHAPE_BAD_ARGUMENT,
                    "n_perm goes with points or a matrix, not with sparse distances");
    if (*n <= all && all < UINT32_MAX) return GLSHAPE_OK;
    return *n > all
               ? fail(run_error(run_of(run->g)), GLSHAPE_BAD_ARGUMENT, "n_perm %zu: there are %zu points", *n,
                      all)
               : fail(run_error(run_of(run->g)), GLSHAPE_BAD_INPUT, "%zu points are more than 2^32 - 2", all);
}

/* Replaces *source by the sample that the options ask for. */
static glshape_status take_sample(rips_run *run, const glshape_source **source) {
    if (!run->o.n_perm) return GLSHAPE_OK;
    TRY(rips_sample_new(run_of(run->g), *source, run->s.n, run->o.threads, &run->sample));
    run->r->cover_radius = run->sample.cover;
    run->births.row = run->r->permutation = MOVE(run->sample.row);
    *source = &run->sample.source;
    return GLSHAPE_OK;
}

/* Returns true if the work on a matrix of n points is too little for a device. */
static bool is_small(const rips_run *run, size_t n) {
    uint64_t most = n;
    for (int dim = 1; dim <= run->dim && n <= SMALL_POINTS; dim++) {
        uint64_t simplices = simplex_binomial(n, dim + 1);
        if (simplices > most) most = simplices;
    }
    return n <= SMALL_POINTS && place_is_little(run->g, PLACE_SIMPLICES, (double)most);
}

/* Adds the lists of a matrix, which are shorter if the threshold leaves out edges. */
static void add_lists(const rips_run *run, glshape_rips_forecast *f) {
    size_t n = run->s.n;
    if (needs_lists(run)) f->host_bytes += times(times(n, n), sizeof(uint32_t) + sizeof(float));
}

/* Fills the forecast, and refuses what can be refused before any work. Opens the device if it will be used:
 * of a matrix whose edges may be collapsed, that is known later.
 */
static glshape_status forecast(rips_run *run, const glshape_source *source, size_t n) {
    glshape_rips_forecast *f = &run->r->forecast;
    error *err = run_error(run_of(run->g));
    bool dense = !source->graph && !run->o.sparse;
    size_t memory = memory_of_machine();
    if (dense && n > MOST_DENSE)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%zu points: a matrix may have %u; keep only distances up to a threshold (sparse)", n,
                    MOST_DENSE);
    run->s.n = (uint32_t)n;
    run->small = dense && is_small(run, n);
    bool waits = dense && may_collapse(run) && !run->o.dry_run && place_may_stay_closed(run->g);
    if (dense && !run->small && !waits) TRY(open_device(run));
    TRY(rips_space_check(err, n, run->dim + 2));
    f->host_bytes = simplex_table_bytes(n, run->dim + 2);
    if (!dense) return GLSHAPE_OK;
    f->host_bytes += times(times(n, n), sizeof *run->s.distance);
    for (int dim = 1; dim <= run->dim; dim++) f->simplices[dim] = simplex_binomial(n, dim + 1);
    if (f->host_bytes < memory) {
        add_lists(run, f);
        return GLSHAPE_OK;
    }
    return fail(
        err, GLSHAPE_NO_MEMORY,
        "the matrix of %zu points needs %.1f GB, and this machine has %.1f GB; keep only distances up to a "
        "threshold (sparse)",
        n, 1e-9 * (double)f->host_bytes, 1e-9 * (double)memory);
}

/* The simplices that the lists may have, at most: walks of so many edges. */
static double count_walks(const rips_space *s, int dim) {
    double walks = 0;
    for (size_t i = 0; i < s->n; i++) walks += pow((double)(s->graph.start[i + 1] - s->graph.start[i]), dim);
    return walks / 2;
}

/* Leaves the dimensions to threads if the driver's passes do not find them. */
static glshape_status choose_passes(rips_run *run) {
    if (!run->dim || !run->s.n) return GLSHAPE_OK;
    if (run->by_lists)
        TRY(choose_for_lists(run, run->dim > 1 ? PLACE_WALKS_IN_LISTS : PLACE_LISTED_EDGES,
                             count_walks(&run->s, run->dim), PLACE_AMOUNT_LIST, rips_enumeration_list_bytes,
                             &run->of_lists));
    run_why why = columns_place(run);
    if (!run_why_device(why)) return GLSHAPE_OK;
    if (run->by_lists)
        place_may_wait(run->g, PLACE_WORK_WALKS, run->dim > 1 ? count_walks(&run->s, run->dim) : INFINITY);
    else place_may_wait(run->g, PLACE_WORK_SIMPLICES, (double)simplex_binomial(run->s.n, run->dim + 1));
    TRY(rips_is_for_passes(run->g, &run->s, run->by_lists, run->dim, &why));
    if (run->by_lists) run->of_lists = why;
    else if (!run_why_device(why)) run->passes = why;
    return GLSHAPE_OK;
}

/* Makes lists of a matrix where they are short, or where threads need them. Passes are faster with short
 * lists than with the matrix. */
static glshape_status make_lists(rips_run *run) {
    rips_space *s = &run->s;
    if (s->distance) TRY(rips_graph_of_matrix(run_error(run_of(run->g)), s, needs_lists(run)));
    run->by_lists = !s->distance || (s->lists_are_short && !run->small && !has_no_card(run));
    return GLSHAPE_OK;
}

static glshape_status prepare_space(rips_run *run, const glshape_source *source) {
    double start = wall_seconds();
    run_begin_stage(run_of(run->g), "distances", RUN_NOT_BY_PASSES);
    TRY(make_filtration(run, source));
    run->s.threshold =
        fminf(run->s.threshold, run->r->greatest); /* pairs that are infinitely far are no edges */
    TRY(collapse_edges(run));
    if (run->s.distance && !run->small) TRY(open_device(run));
    if (!run->s.distance) TRY(rips_drop_isolated(run_error(run_of(run->g)), &run->s, &run->kept));
    TRY(rips_space_prepare(run_error(run_of(run->g)), &run->s, run->dim + 2, (uint32_t)run->o.modulus));
    TRY(make_lists(run));
    TRY(choose_passes(run));
    if (!run_why_device(run->passes) && !run->s.graph.start)
        TRY(rips_graph_of_matrix(run_error(run_of(run->g)), &run->s, true));
    if (run->small && run->dim && run->s.distance)
        TRY(rips_edges_new(run_error(run_of(run->g)), &run->s, &run->edges));
    double middle = wall_seconds();
    run->r->seconds.distances = middle - start;
    if (run->s.n) run_begin_stage(run_of(run->g), "columns", columns_place(run));
    if (run->s.n && !uses_threads(run)) TRY(rips_enumeration_new(run->g, &run->s, run->by_lists, &run->e));
    run->r->seconds.upload = wall_seconds() - middle;
    return GLSHAPE_OK;
}

static void rips_run_free(rips_run *run) {
    rips_wide_free(&run->wide);
    rips_sample_free(&run->sample);
    rips_enumeration_free(&run->e);
    rips_space_free(&run->s);
    rips_edges_free(&run->edges);
    rips_kept_free(&run->kept);
    rips_codes_free(&run->codes);
    free(run->cleared);
}

static glshape_status compute_barcode(gpu *g, const glshape_source *source,
                                      const glshape_rips_options *options, glshape_rips_result *result) {
    OWNED_BY(glshape_rips_free) glshape_rips_result r = {0};
    OWNED_BY(rips_run_free) rips_run run = {.g = g, .e.g = g, .r = &r, .of_lists = RUN_NOT_SMALL};
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    glshape_source narrow;
    TRY(dist_narrow_source(run_error(run_of(g)), source, &narrowed, &narrow));
    source = &narrow;
    TRY(take_options(run_error(run_of(g)), options, &run.o));
    run.dim = (int)run.o.dim.value;
    size_t n;
    run.s.may_be_negative = run.o.births != NULL;
    run.births = (rips_births){.weights = run.o.weights, .births = run.o.births};
    TRY(count_sample(&run, source, &n));
    TRY(check_source(run_error(run_of(g)), source, &run.o));
    TRY(rips_births_check(run_error(run_of(g)), &run.births, count_points(source)));
    TRY(forecast(&run, source, n));
    r.n = run.s.n;
    r.dim = run.dim;
    if (!run.o.dry_run) {
        run.cocycles = (rips_cocycles){
            .r = &r, .codes = &run.codes, .ratio = run.o.ratio, .length = run.o.cocycle_length};
        TRY(take_sample(&run, &source));
        TRY(prepare_space(&run, source));
        if (run.s.n) TRY(compute_dimension_0(&run));
        if (run.e.columns.id) TRY(rips_enumeration_upload(&run.e, false));
        if (run.o.count_pairs) TRY(count_simplices(&run));
        for (int dim = 1; dim <= run.dim && run.s.n > (uint32_t)dim; dim++)
            TRY(add_advice(&run, compute_dimension(&run, dim)));
        TRY(rips_restore_isolated(run_error(run_of(g)), &run.kept, &run.s, &r));
        rips_codes_remove(&run.codes, &r);
        if (run.codes.value && run.o.threshold.is_set) r.threshold = (float)run.o.threshold.value;
        r.gpu_bytes = gpu_recent_bytes(g);
        TRY(run_tick(run_of(g), 1));
    }
    *result = MOVE(r);
    return GLSHAPE_OK;
}

glshape_status glshape_rips(glshape_context *context, const glshape_source *source,
                            const glshape_rips_options *options, glshape_rips_result *result) {
    gpu *g;
    *result = (glshape_rips_result){0};
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    return context_end(context, compute_barcode(g, source, options, result));
}

void glshape_rips_free(glshape_rips_result *result) {
    for (size_t k = 0; k < result->cocycle_count; k++) free(result->cocycles[k].terms);
    free(result->cocycles);
    free(result->intervals);
    free(result->permutation);
    *result = (glshape_rips_result){0};
}
