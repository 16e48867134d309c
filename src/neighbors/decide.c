/* Neighbors from the candidates of a search. What products cannot certify is searched again by differences,
 * whose error is less; so are points whose lists had no room. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "neighbors/lists.h"
#include "place/place.h"

#define MANY 4u /* more than one in so many points that are left open are too many */

/* Why a point is left open: its candidates are not certified, or it has none, as its list had no room. */
typedef enum { CERTIFIED, UNCERTIFIED, OVERFLOWED } outcome;

/* Points that are left open: as queries, and which of the task they are. */
typedef struct rest {
    uint32_t count;
    knn_query *queries;
    uint32_t *at;
    uint32_t *label; /* of all points: those that the task has, or each its own; NULL: the former */
    uint32_t *index; /* what is found */
    double *sum;
} rest;

static void rest_free(rest *r) {
    free(r->queries);
    free(r->at);
    free(r->label);
    free(r->index);
    free(r->sum);
}

/* Whether the list of point `at` of the task had no room. */
static bool is_given_up(const knn_task *task, uint32_t at) {
    return task->beyond ? isnan(task->beyond[at])
                        : knn_is_given_up(&task->candidates[(size_t)at * task->keep]);
}

/* Lists the points of an outcome; their number is count. */
static glshape_status list_rest(error *err, const knn_points *p, const knn_task *task, const uint8_t *open,
                                outcome which, uint32_t count, rest *r) {
    TRY(allocate(err, &r->queries, count, sizeof *r->queries, "points to search again"));
    TRY(allocate(err, &r->at, count, sizeof *r->at, "points to search again"));
    TRY(allocate(err, &r->index, times(count, task->k), sizeof *r->index, "neighbors"));
    TRY(allocate(err, &r->sum, times(count, task->k), sizeof *r->sum, "distances of neighbors"));
    for (uint32_t at = 0; at < task->count; at++) {
        uint32_t own = task->first + at;
        if (open[at] != which) continue;
        r->queries[r->count] = task->queries ? task->queries[at] : (knn_query){own, own};
        r->at[r->count++] = at;
    }
    if (task->label) return GLSHAPE_OK;
    TRY(allocate(err, &r->label, p->n, sizeof *r->label, "points to search again"));
    for (uint32_t i = 0; i < p->n; i++) r->label[i] = i;
    return GLSHAPE_OK;
}

/* Searches the rest by differences, with s. */
static glshape_status search_rest(gpu *g, knn_search *s, knn_points *p, const knn_task *task, rest *r,
                                  size_t *scanned) {
    OWNED knn_candidate *candidates = NULL;
    uint32_t room = s->rows < r->count ? s->rows : r->count;
    TRY(allocate(run_error(run_of(g)), &candidates, room, s->keep * sizeof *candidates,
                 "candidates of points"));
    for (uint32_t first = 0; first < r->count; first += room) {
        knn_task part = {.queries = r->queries + first, .k = task->k, .keep = s->keep};
        part.label = r->label ? r->label : task->label;
        part.count = r->count - first < room ? r->count - first : room;
        part.candidates = candidates;
        TRY(knn_search_queries(g, s, p, part.queries, part.count, candidates));
        TRY(knn_certify(run_error(run_of(g)), p, &part, r->index + (size_t)first * task->k,
                        r->sum + (size_t)first * task->k, scanned));
    }
    return GLSHAPE_OK;
}

/* Compares the rest with all. */
static glshape_status compare_rest(run *run, const knn_points *p, const knn_task *task, rest *r,
                                   size_t *scanned) {
    knn_task all = {.queries = r->queries, .label = task->label, .count = r->count, .k = task->k};
    return knn_certify(run_error(run), p, &all, r->index, r->sum, scanned);
}

static glshape_status search_or_compare_rest(gpu *g, knn_points *p, knn_search *s, const knn_task *task,
                                             rest *r, size_t *scanned) {
    if ((double)r->count * p->n * (double)p->m->cols < place_least(g, PLACE_PAIRS_ACROSS))
        return compare_rest(run_of(g), p, task, r, scanned);
    if (task->queries && !s->both) { /* s searches for queries, and has the labels */
        bool products = s->products;
        s->products = false;
        s->from = s->to;
        glshape_status status = search_rest(g, s, p, task, r, scanned);
        s->products = products;
        return status;
    }
    OWNED_BY(knn_search_free) knn_search again = {0};
    glshape_status status = knn_search_new(g, p, task->k, true, &again);
    again.products = false;
    if (!status) status = knn_search_across(g, &again, p, r->label ? r->label : task->label, NULL);
    if (status == GLSHAPE_NO_GPU_MEMORY) return compare_rest(run_of(g), p, task, r, scanned);
    TRY(status);
    return search_rest(g, &again, p, task, r, scanned);
}

/* Decides for the points of an outcome. search: another search may certify them. */
static glshape_status decide_rest(gpu *g, knn_points *p, knn_search *s, const knn_task *task,
                                  const uint8_t *open, outcome which, bool search, uint32_t *index,
                                  double *sum, size_t *scanned) {
    OWNED_BY(rest_free) rest r = {0};
    uint32_t count = 0;
    size_t k = task->k;
    for (uint32_t at = 0; at < task->count; at++) count += open[at] == which;
    if (!count) return GLSHAPE_OK;
    TRY(list_rest(run_error(run_of(g)), p, task, open, which, count, &r));
    TRY(search ? search_or_compare_rest(g, p, s, task, &r, scanned)
               : compare_rest(run_of(g), p, task, &r, scanned));
    for (size_t e = 0; e < r.count; e++)
        for (size_t a = 0; a < k; a++) {
            index[r.at[e] * k + a] = r.index[e * k + a];
            sum[r.at[e] * k + a] = r.sum[e * k + a];
        }
    return GLSHAPE_OK;
}

/* Whether so many points of all ranks are left open that a search of all in another way is better: one that
 * is more exact, or whose lists always have room. */
static glshape_status is_to_repeat(run *r, knn_points *p, size_t open, size_t overflowed, bool *again) {
    TRY(ranks_sum(run_ranks(r), run_error(r), &open));
    TRY(ranks_sum(run_ranks(r), run_error(r), &overflowed));
    bool unsuited = overflowed > p->n / MANY;
    *again = unsuited || (p->products && open > p->n / MANY);
    if (unsuited) p->by_rows = true;
    else if (*again) p->products = false;
    return GLSHAPE_OK;
}

glshape_status knn_decide(gpu *g, knn_points *p, knn_search *s, const knn_task *task, uint32_t *index,
                          double *sum, size_t *scanned, bool *again) {
    OWNED uint8_t *open = NULL;
    size_t count = 0, overflowed = 0;
    if (again) *again = false;
    if (!s->products && !s->both) return knn_certify(run_error(run_of(g)), p, task, index, sum, scanned);
    TRY(allocate(run_error(run_of(g)), &open, task->count, 1, "flags of points"));
    knn_task first = *task;
    first.products = s->products;
    first.open = open;
    TRY(knn_certify(run_error(run_of(g)), p, &first, index, sum, &count));
    for (uint32_t at = 0; at < task->count; at++)
        if (is_given_up(task, at)) open[at] = OVERFLOWED, overflowed++;
    if (again && s->both) TRY(is_to_repeat(run_of(g), p, count, overflowed, again));
    if (again && *again) return GLSHAPE_OK;
    if (count) run_fact(run_of(g), (double)count, "points searched again");
    TRY(decide_rest(g, p, s, task, open, OVERFLOWED, true, index, sum, scanned));
    TRY(decide_rest(g, p, s, task, open, UNCERTIFIED, s->products, index, sum, scanned));
    if (!s->both && count > task->count / MANY) s->products = false; /* for the points that follow */
    return GLSHAPE_OK;
}
