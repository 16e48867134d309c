/* The tree of points by mutual reachability: linkage's rounds over lists of nearest neighbors, which know the
 * core distances. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "hdbscan/hdbscan.h"

/* Neighbors kept beside those within the core distance: where pairs are compared, and where an index makes
 * searches cheap. */
#define MORE 8u
#define MORE_IN_SPACE 1u
/* Where a core distance reaches further than lists do, so many neighbors are kept at a time: if points are
 * compared with all; if they are searched for through an index, which finds those of all points at once. */
#define SCANNED ((size_t)1 << 22)
#define SEARCHED ((size_t)1 << 28)
#define LEAST_ALPHA 1e-100 /* its power, which sums are divided by */

typedef struct lists {
    uint32_t k, within; /* neighbors of a point; those within its core distance, itself not counted */
    uint32_t *index;
    double *sum, *core;
    uint16_t *listed;
} lists;

static void lists_free(lists *l) {
    free(l->index);
    free(l->sum);
    free(l->core);
    free(l->listed);
}

/* What a metric's sums are divided by, where distances are divided by alpha. */
static double sum_alpha(glshape_metric metric, double p, double alpha) {
    norm n = dist_norm(metric, p);
    return dist_metric_is_angular(metric) ? alpha : norm_raise(&n, alpha);
}

/* ---- core distances ---------------------------------------------------------------------------- */

/* Sets the core distances, as sums, where more neighbors are within them than a list holds: through an index,
 * or by comparing each point with all in double. */
static glshape_status find_far_cores(gpu *g, knn_points *p, uint32_t within, double *core) {
    OWNED uint32_t *index = NULL;
    OWNED double *sum = NULL;
    bool in_space = p->search != GLSHAPE_SEARCH_PAIRS && times(p->n, within) <= SEARCHED;
    uint32_t rows = !in_space && SCANNED / within < p->n ? (uint32_t)(SCANNED / within) + 1 : p->n;
    uint64_t own = 0, end = p->n;
    knn_cost cost = {0};
    if (!in_space) ranks_share(run_ranks(run_of(g)), p->n, 1, &own, &end);
    TRY(allocate(run_error(run_of(g)), &index, times(rows, within), sizeof *index, "neighbors"));
    TRY(allocate(run_error(run_of(g)), &sum, times(rows, within), sizeof *sum, "distances of neighbors"));
    for (uint32_t first = (uint32_t)own; first < end; first += rows) {
        knn_task task = {.first = first, .k = within};
        task.count = (uint32_t)end - first < rows ? (uint32_t)end - first : rows;
        if (in_space) TRY(knn_lists(g, p, within, index, sum, true, &cost));
        else TRY(knn_certify(run_error(run_of(g)), p, &task, index, sum, &cost.scanned));
        for (uint32_t v = 0; v < task.count; v++) core[first + v] = sum[(size_t)(v + 1) * within - 1];
        TRY(run_tick(run_of(g), (double)first / p->n));
    }
    size_t bytes = p->n * sizeof *core;
    if (in_space)
        return ranks_broadcast(run_ranks(run_of(g)), run_error(run_of(g)), core,
                               bytes); /* the first rank's */
    return ranks_gather(run_ranks(run_of(g)), run_error(run_of(g)), core, sizeof *core, p->n, 1);
}

static glshape_status allocate_lists(error *err, uint32_t n, lists *l) {
    TRY(allocate(err, &l->index, times(n, l->k), sizeof *l->index, "lists of neighbors"));
    TRY(allocate(err, &l->sum, times(n, l->k), sizeof *l->sum, "distances of neighbors"));
    TRY(allocate(err, &l->core, n, sizeof *l->core, "core distances"));
    return allocate(err, &l->listed, n, sizeof *l->listed, "lists of neighbors");
}

static void set_cores(void *user, size_t first, size_t end) {
    lists *l = user;
    for (size_t v = first; v < end; v++) l->core[v] = l->within ? l->sum[v * l->k + l->within - 1] : 0;
}

/* Makes the lists, with distances that are not yet raised, and the core distances. Lists that do not reach
 * the core distance would show nothing: then they have one entry, of distance 0, which is not before its
 * bound. */
static glshape_status find_neighbors(gpu *g, knn_points *p, uint32_t within, lists *l) {
    knn_cost cost = {0};
    bool reach = within <= KNN_PAIRS_MOST, in_space = false;
    if (reach) TRY(knn_in_space(g, p, within ? within : 1, &in_space));
    uint32_t most = within + (in_space ? MORE_IN_SPACE : MORE);
    if (most > KNN_PAIRS_MOST) most = KNN_PAIRS_MOST;
    l->k = !reach ? 1 : most < p->n - 1 ? most : p->n - 1;
    TRY(allocate_lists(run_error(run_of(g)), p->n, l));
    if (!reach) return find_far_cores(g, p, within, l->core);
    TRY(knn_lists(g, p, l->k, l->index, l->sum, true, &cost));
    run_fact(run_of(g), (double)cost.scanned, "neighbors by comparing with all");
    l->within = within;
    threads_ranges(p->n, set_cores, l);
    return GLSHAPE_OK;
}

/* ---- lists ------------------------------------------------------------------------------------- */

typedef struct end {
    double sum;
    uint32_t index;
} end;

static bool less(end a, end b) { return a.sum < b.sum || (a.sum == b.sum && a.index < b.index); }

/* What no edge of v to a point that its list lacks comes before. Such a point is at least as far as the last,
 * so it has no less mutual reachability than that sum and v's core distance. Where it has just that sum, and
 * alpha rounds nothing, it is as far as the last, and comes after it by index. */
static end bound_of(const index_cores *cores, uint32_t v, end last) {
    double core = cores->core[v], sum = last.sum / cores->alpha;
    if (sum < core) return (end){core, 0};
    return (end){sum, cores->alpha == 1 ? last.index : 0};
}

/* Raises v's list: the edges before its bound, in order, and the bound in the last place. whole: it has all
 * points, so that there is no bound. */
static void raise_list(const index_cores *cores, uint32_t v, lists *l, bool whole) {
    uint32_t *index = l->index + (size_t)v * l->k, count = 0;
    double *sum = l->sum + (size_t)v * l->k;
    end bound = bound_of(cores, v, (end){sum[l->k - 1], index[l->k - 1]});
    for (uint32_t e = 0; e < l->k; e++) {
        end x = {index_reach(cores, v, index[e], sum[e]), index[e]};
        if (!whole && !less(x, bound)) continue;
        uint32_t at = count++;
        for (; at && less(x, (end){sum[at - 1], index[at - 1]}); at--)
            sum[at] = sum[at - 1], index[at] = index[at - 1];
        sum[at] = x.sum, index[at] = x.index;
    }
    l->listed[v] = (uint16_t)count;
    if (!whole) sum[l->k - 1] = bound.sum, index[l->k - 1] = bound.index;
}

typedef struct raising {
    const index_cores *cores;
    lists *l;
    bool whole;
} raising;

static void raise_lists(void *user, size_t first, size_t end) {
    const raising *r = user;
    for (size_t v = first; v < end; v++) raise_list(r->cores, (uint32_t)v, r->l, r->whole);
}

/* ---- on the device ----------------------------------------------------------------------------- */

/* Core distances and the tree, on the device; *done says whether they are there. */
static glshape_status find_on_device(gpu *g, knn_points *p, double alpha, linkage_tree *tree,
                                     glshape_hdbscan_result *r, hdbscan_way *way, bool *done) {
    uint32_t within = (uint32_t)r->options.min_samples - 1;
    tree_scale scale;
    run_why why;
    bool in_space;
    *done = false;
    if (alpha != 1 || within > KNN_PAIRS_MOST || !linkage_has_scale(p, &scale)) return GLSHAPE_OK;
    TRY(knn_in_space(g, p, within ? within : 1, &in_space));
    if (!in_space || run_ranks(run_of(g))->rank) return GLSHAPE_OK;
    TRY(tree_raised_place(g, &p->space, within, scale.root, &why));
    if (run_why_device(why) || why == RUN_NOT_YET) hdbscan_expect_clusters(g);
    if (why == RUN_NOT_YET) return hdbscan_make_room(run_of(g), r, way);
    if (!run_why_device(why)) return GLSHAPE_OK;
    TRY(hdbscan_choose_way(g, tree, r, way));
    TRY(linkage_expect_rows(run_error(run_of(g)), tree, &r->merges,
                            r->options.spanning_tree ? &r->edges : NULL));
    run_begin_stage(run_of(g), "tree", why);
    tree->kept.most = linkage_patience(p);
    tree->kept.meanwhile = hdbscan_load_clusters;
    tree->kept.of_core = &way->touching;
    glshape_status status = tree_raised_kept(g, &p->space, within, &scale, r->core, &tree->kept);
    if (status) return status == GLSHAPE_NO_GPU_MEMORY ? GLSHAPE_OK : status;
    *done = tree->kept.edges.id;
    return *done ? linkage_keep(g, p, tree) : GLSHAPE_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

glshape_status hdbscan_points(gpu *g, const glshape_source *source, linkage_tree *tree,
                              glshape_hdbscan_result *r, hdbscan_way *way) {
    OWNED_BY(knn_points_free) knn_points p = {0};
    OWNED_BY(lists_free) lists l = {0};
    double since = wall_seconds();
    index_cores cores = {.alpha = sum_alpha(source->metric, source->p, r->options.alpha)};
    if (!(cores.alpha >= LEAST_ALPHA && cores.alpha <= 1 / LEAST_ALPHA))
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                    "alpha is %g; with p = %g it must be nearer to 1", r->options.alpha, source->p);
    run_begin_stage(run_of(g), "points", RUN_NOT_BY_PASSES);
    TRY(knn_points_new(run_of(g), run_ranks(run_of(g)), source->points, source->metric, source->p, &p));
    p.search = r->options.search;
    p.joins = true;
    r->seconds.upload = clock_lap(&since);
    bool done;
    TRY(find_on_device(g, &p, cores.alpha, tree, r, way, &done));
    if (done) return GLSHAPE_OK;
    run_set_span(run_of(g), 0, 0.5);
    TRY(find_neighbors(g, &p, (uint32_t)r->options.min_samples - 1, &l));
    run_set_span(run_of(g), 0.5, 1);
    r->seconds.cores = clock_lap(&since);
    cores.core = l.core;
    run_begin_stage(run_of(g), "cores", RUN_NOT_BY_PASSES);
    threads_ranges(p.n, raise_lists, &(raising){&cores, &l, l.k == p.n - 1});
    tree_lists known = {.k = l.k, .index = l.index, .sum = l.sum, .listed = l.listed, .cores = &cores};
    TRY(linkage_points(g, &p, &known, tree, &r->seconds.search));
    knn_distances(&p, tree->height, tree->count);
    threads_touched(&way->touching);
    memcpy(r->core, l.core, p.n * sizeof *r->core);
    knn_distances(&p, r->core, p.n);
    return GLSHAPE_OK;
}
