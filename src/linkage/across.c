/* Searches by pairs for the nearest point of another component. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "linkage/linkage.h"
#include "place/place.h"

#define MANY 2u /* more than one in so many points are searched as all are */
#define LEAST_BLOCKS \
    6u /* of each rank then; each takes an offset between a third and a half of all blocks first */

/* The search for the least edge out of each query. */
static knn_task task_of(const linkage_across *s, const knn_query *queries, uint32_t count) {
    return (knn_task){.count = count, .queries = queries, .label = s->label, .cores = s->cores, .k = 1};
}

/* Searches all points for those of other components, and decides for the queries, which are all of this
 * rank's share of the points. */
static glshape_status search_all(linkage_across *s, knn_search *f, const knn_query *queries, uint32_t count,
                                 uint32_t *to, double *sum) {
    OWNED knn_candidate *candidates = NULL;
    uint64_t first, end;
    knn_task task = task_of(s, queries, count);
    task.keep = f->keep;
    ranks_share(run_ranks(run_of(s->g)), s->p->n, KNN_TILE, &first, &end);
    TRY(allocate(run_error(run_of(s->g)), &candidates, end - first, f->keep * sizeof *candidates,
                 "candidates"));
    TRY(knn_search_across(s->g, f, s->p, s->label, NULL));
    run_why why = gpu_why_passes(s->g);
    TRY(knn_trusts(s->g, s->p, f, false, &why));
    if (!run_why_device(why)) {
        task.keep = 0;
        return knn_certify(run_error(run_of(s->g)), s->p, &task, to, sum, &s->scanned);
    }
    TRY(knn_search_rows(s->g, f, s->p, (uint32_t)first, (uint32_t)(end - first)));
    TRY(knn_take(s->g, f, (uint32_t)first, (uint32_t)(end - first), candidates));
    for (size_t q = 0; q < count; q++) /* queries are in order */
        memmove(candidates + q * f->keep, candidates + (queries[q].point - first) * f->keep,
                f->keep * sizeof *candidates);
    task.candidates = candidates;
    return knn_decide(s->g, s->p, f, &task, to, sum, &s->scanned, NULL);
}

/* Runs the queries on the GPU. to, sum: room for count results. all: the ranks search all points, if these
 * have room. */
static glshape_status search_on_gpu(linkage_across *s, bool all, const knn_query *queries, uint32_t count,
                                    uint32_t *to, double *sum) {
    OWNED_BY(knn_search_free) knn_search f = {0};
    OWNED knn_candidate *candidates = NULL;
    TRY(knn_search_new(s->g, s->p, 1, !all, &f));
    if (f.both) return search_all(s, &f, queries, count, to, sum);
    if (!count) return GLSHAPE_OK;
    uint32_t room = f.rows < count ? f.rows : count;
    TRY(allocate(run_error(run_of(s->g)), &candidates, room, f.keep * sizeof *candidates, "candidates"));
    TRY(knn_search_across(s->g, &f, s->p, s->label, s->cores));
    for (uint32_t first = 0; first < count; first += room) {
        knn_task task = task_of(s, queries + first, count - first < room ? count - first : room);
        task.keep = f.keep;
        task.candidates = candidates;
        TRY(knn_search_queries(s->g, &f, s->p, task.queries, task.count, candidates));
        TRY(knn_decide(s->g, s->p, &f, &task, to + first, sum + first, &s->scanned, NULL));
    }
    return GLSHAPE_OK;
}

/* Whether so many queries are more than a few. */
bool linkage_is_much(const gpu *g, const knn_points *p, uint32_t count) {
    return (double)count * p->n * (double)p->m->cols >= place_least(g, PLACE_PAIRS_ACROSS);
}

static bool is_for_gpu(const gpu *g, const knn_points *p, uint32_t count) {
    return linkage_is_much(g, p, count) && norm_is_whole(&p->norm);
}

bool linkage_is_of_all(const linkage_across *s, uint32_t count, uint32_t ranks) {
    return count > s->p->n / MANY && !s->cores && is_for_gpu(s->g, s->p, count / ranks) &&
           s->p->n > LEAST_BLOCKS * KNN_TILE * ranks;
}

glshape_status linkage_find_across(linkage_across *s, bool all, const knn_query *queries, uint32_t count,
                                   uint32_t *to, double *sum) {
    knn_task task = task_of(s, queries, count);
    if (!all && !count) return GLSHAPE_OK;
    run_why why = !norm_is_whole(&s->p->norm)                   ? RUN_NOT_LIMITS
                  : !all && !linkage_is_much(s->g, s->p, count) ? RUN_NOT_SMALL
                                                                : gpu_why_passes(s->g);
    bool device = run_why_device(why);
    OWNED_BY(run_end_within)
    run_within stage = run_begin_within(run_of(s->g), device ? "pairs" : "rest", why);
    if (!device) return knn_certify(run_error(run_of(s->g)), s->p, &task, to, sum, &s->scanned);
    return search_on_gpu(s, all, queries, count, to, sum);
}

/* ---- of the points of an index ----------------------------------------------------------------- */

/* The queries of a task, in the order of their indices, and what is found for them. */
typedef struct in_order {
    uint32_t *label, *place; /* of each index: its label, its position */
    uint32_t *asked;         /* of each index: which of the task's queries, TREE_NONE */
    knn_query *queries;
    uint32_t *to;
    double *sum;
} in_order;

static void in_order_free(in_order *o) {
    free(o->label);
    free(o->place);
    free(o->asked);
    free(o->queries);
    free(o->to);
    free(o->sum);
}

static glshape_status in_order_new(error *err, const index_crossing *task, in_order *o) {
    const spatial_index *x = task->x;
    uint32_t n = x->n, count = 0;
    TRY(allocate(err, &o->label, n, sizeof *o->label, "components"));
    TRY(allocate(err, &o->place, n, sizeof *o->place, "components"));
    TRY(allocate(err, &o->asked, n, sizeof *o->asked, "points to search"));
    TRY(allocate(err, &o->queries, task->count, sizeof *o->queries, "points to search"));
    TRY(allocate(err, &o->to, task->count, sizeof *o->to, "what a search found"));
    TRY(allocate(err, &o->sum, task->count, sizeof *o->sum, "what a search found"));
    for (uint32_t v = 0; v < n; v++) {
        o->label[x->point[v]] = task->label[v];
        o->place[x->point[v]] = v;
        o->asked[v] = TREE_NONE;
    }
    for (uint32_t q = 0; q < task->count; q++) o->asked[x->point[task->query[q]]] = q;
    for (uint32_t i = 0; i < n; i++)
        if (o->asked[i] != TREE_NONE) o->queries[count++] = (knn_query){i, o->label[i]};
    return GLSHAPE_OK;
}

glshape_status linkage_most(void *user, double *most) {
    const linkage_across *s = user;
    return knn_most_seen(s->g, s->p, most);
}

glshape_status linkage_answer(void *user, const index_crossing *task) {
    OWNED_BY(in_order_free) in_order o = {0};
    linkage_across s = *(const linkage_across *)user;
    TRY(in_order_new(run_error(run_of(s.g)), task, &o));
    s.label = o.label;
    bool all = run_ranks(run_of(s.g))->size == 1 &&
               linkage_is_of_all(&s, task->count, 1); /* the others are not here */
    TRY(linkage_find_across(&s, all, o.queries, task->count, o.to, o.sum));
    for (uint32_t k = 0; k < task->count; k++) {
        uint32_t q = o.asked[o.queries[k].point];
        task->found[q] = o.place[o.to[k]];
        task->sum[q] = o.sum[k];
    }
    run_fact(run_of(s.g), (double)s.scanned, "points compared with all");
    return GLSHAPE_OK;
}
