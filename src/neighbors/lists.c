#include "neighbors/lists.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"

/* ---- through an index -------------------------------------------------------------------------- */

glshape_status knn_task_in_space(gpu *g, knn_points *p, spatial_index *queries, uint32_t k,
                                 index_task *task) {
    *task = (index_task){.x = &p->space, .queries = p->queries ? queries : &p->space, .k = k};
    if (!p->queries) return GLSHAPE_OK;
    index_source s = knn_source(p, p->n - p->queries, p->queries);
    TRY(knn_make_index(g, &s, queries));
    return p->lists_only ? GLSHAPE_OK : index_bring(g, queries);
}

static glshape_status lists_in_space(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum,
                                     knn_cost *cost) {
    OWNED_BY(index_free) spatial_index queries = {0};
    index_task task;
    double since = wall_seconds();
    if (run_ranks(run_of(g))->rank) return GLSHAPE_OK;
    TRY(knn_task_in_space(g, p, &queries, k, &task));
    task.exponent = -ilogb(p->scale);
    task.touching = &p->touching;
    if (p->lists_only && !dist_metric_is_angular(p->metric)) task.distances = &p->distances;
    TRY(index_nearest(g, &task, index, sum));
    run_fact(run_of(g), task.queries->n, "walks through the index");
    cost->search += clock_lap(&since);
    return run_tick(run_of(g), 1);
}

/* ---- by pairs --------------------------------------------------------------------------------------- */

#define AT_ONCE 1024u /* points that the CPU alone compares with all */

/* A search of points, some at a time. */
typedef struct finder {
    knn_search search;
    run_why pairs, compares;   /* where pairs are searched, where candidates are compared */
    knn_candidate *candidates; /* of these points, if the processors compare them … */
    float *beyond;             /* … else what their lists end with */
} finder;

static void finder_free(finder *f) {
    knn_search_free(&f->search);
    free(f->candidates);
    free(f->beyond);
}

static glshape_status finder_new(gpu *g, knn_points *p, uint32_t k, finder *f) {
    knn_search *s = &f->search;
    s->rows = AT_ONCE;
    TRY(knn_pairs_place(g, p, &f->pairs));
    f->compares = f->pairs;
    run_begin_stage(run_of(g), "pairs", f->pairs);
    if (run_why_device(f->pairs)) {
        TRY(knn_search_new(g, p, k, false, s));
        TRY(knn_trusts(g, p, s, false, &f->pairs));
        p->untrusted = !run_why_device(f->pairs);
    }
    if (run_why_device(f->pairs)) TRY(knn_compare_place(g, p, s->keep, &f->compares));
    else {
        knn_search_free(s);
        s->rows = AT_ONCE;
        f->compares = f->pairs;
    }
    uint32_t room = s->rows < p->n ? s->rows : p->n;
    if (run_why_device(f->compares))
        return allocate(run_error(run_of(g)), &f->beyond, room, sizeof *f->beyond, "lists of points");
    return allocate(run_error(run_of(g)), &f->candidates, room, s->keep * sizeof *f->candidates,
                    "candidates of points");
}

/* Finds the candidates of the task's points and, if the GPU does, compares them. */
static glshape_status find_candidates(gpu *g, finder *f, knn_points *p, knn_task *task, uint32_t *index,
                                      double *sum) {
    TRY(knn_search_rows(g, &f->search, p, task->first, task->count));
    task->beyond = f->beyond;
    task->candidates = f->candidates;
    if (run_why_device(f->compares))
        return knn_compare(g, &f->search, p, task->first, task->count, task->k, index, sum, f->beyond);
    return knn_take(g, &f->search, task->first, task->count, f->candidates);
}

/* The lists of this rank's share of the points. *again: they are to be made once more, as knn_decide says. */
static glshape_status lists_by_pairs(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum,
                                     knn_cost *cost, bool *again) {
    OWNED_BY(finder_free) finder f = {0};
    uint64_t own, end;
    *again = false;
    ranks_share(run_ranks(run_of(g)), p->n, KNN_TILE, &own, &end);
    bool final = p->untrusted || !p->lists_only || run_ranks(run_of(g))->size > 1;
    TRY(finder_new(g, p, k, &f));
    if (!final && p->untrusted) { /* processors may find an index faster than all pairs */
        p->in_pairs = false;
        *again = true;
        return GLSHAPE_OK;
    }
    double since = wall_seconds();
    for (uint32_t first = (uint32_t)own; first < end && !*again; first += f.search.rows) {
        uint32_t left = (uint32_t)end - first, *to = index + (size_t)first * k;
        knn_task task = {.first = first, .k = k, .keep = f.search.keep};
        task.count = left < f.search.rows ? left : f.search.rows;
        double *sums = sum + (size_t)first * k;
        f.search.from = (double)(first - own) / (double)(end - own);
        f.search.to = (double)(first - own + task.count) / (double)(end - own);
        run_begin_stage(run_of(g), "pairs", f.pairs);
        TRY(run_why_device(f.pairs) ? find_candidates(g, &f, p, &task, to, sums)
                                    : run_tick(run_of(g), (double)first / p->n));
        cost->search += clock_lap(&since);
        run_begin_stage(run_of(g), "decide", run_why_device(f.compares) ? RUN_NOT_BY_PASSES : f.compares);
        TRY(knn_decide(g, p, &f.search, &task, to, sums, &cost->scanned, again));
        cost->certify += clock_lap(&since);
    }
    return GLSHAPE_OK;
}

/* Gives all ranks the lists of all, or only the first. */
static glshape_status gather_lists(run *run, const knn_points *p, uint32_t k, uint32_t *index, double *sum,
                                   bool to_all, knn_cost *cost) {
    const ranks *r = run_ranks(run);
    error *err = run_error(run);
    uint32_t count = p->queries ? p->queries : p->n;
    glshape_status (*gather)(const ranks *, error *, void *, size_t, uint64_t, uint64_t) =
        to_all ? ranks_gather : ranks_bring;
    TRY(gather(r, err, index, k * sizeof *index, count, KNN_TILE));
    TRY(gather(r, err, sum, k * sizeof *sum, count, KNN_TILE));
    return ranks_sum(r, err, &cost->scanned);
}

glshape_status knn_lists(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum, bool to_all,
                         knn_cost *cost) {
    for (bool again = true; again;) {
        bool in_space;
        again = false;
        TRY(knn_in_space(g, p, k, &in_space));
        if (in_space) return lists_in_space(g, p, k, index, sum, cost);
        threads_touched(&p->touching);
        TRY(p->queries ? knn_lists_of_queries(g, p, k, index, sum, cost)
                       : lists_by_pairs(g, p, k, index, sum, cost, &again));
    }
    TRY(gather_lists(run_of(g), p, k, index, sum, to_all, cost));
    return run_tick(run_of(g), 1);
}
