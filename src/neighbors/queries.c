/* Neighbors of other rows among the points. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"
#include "neighbors/lists.h"

/* Fails with a sentence that names the row of the queries, not of both. */
static glshape_status check_queries(error *err, const glshape_matrix *queries, glshape_metric metric) {
    OWNED double *row = NULL;
    TRY(allocate(err, &row, queries->cols, sizeof *row, "a row"));
    for (size_t r = 0; r < queries->rows; r++) {
        error why = {0};
        glshape_status status = dist_row(&why, queries, metric, r, row);
        if (status) return fail(err, status, "of the queries, %s", why.text);
    }
    return GLSHAPE_OK;
}

glshape_status knn_join_queries(error *err, const glshape_matrix *points, const glshape_matrix *queries,
                                glshape_metric metric, glshape_matrix *out) {
    const glshape_matrix *const parts[] = {points, queries};
    size_t cols = points->cols, rows = points->rows + queries->rows;
    OWNED void *data = NULL;
    if (queries->cols != cols)
        return fail(err, GLSHAPE_BAD_INPUT, "the queries have %zu columns, but the points have %zu",
                    queries->cols, cols);
    if (!queries->rows) return fail(err, GLSHAPE_BAD_INPUT, "there are no queries");
    TRY(check_queries(err, queries, metric));
    bool same = points->type == queries->type;
    glshape_type type = same ? points->type : GLSHAPE_F64;
    size_t row = cols * matrix_value_size(type), done = 0;
    TRY(allocate(err, &data, rows, row, "the points and the queries"));
    for (int part = 0; part < 2; part++)
        for (size_t r = 0; r < parts[part]->rows; r++, done++) {
            if (same) memcpy((char *)data + done * row, (const char *)parts[part]->data + r * row, row);
            else matrix_doubles(parts[part], r * cols, cols, (double *)data + done * cols);
        }
    *out = (glshape_matrix){type, rows, cols, MOVE(data)};
    return GLSHAPE_OK;
}

/* Searches across components: the points are one, the queries the other. */
glshape_status knn_lists_of_queries(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum,
                                    knn_cost *cost) {
    OWNED_BY(knn_search_free) knn_search s = {.rows = p->queries};
    OWNED knn_candidate *candidates = NULL;
    OWNED uint32_t *label = NULL;
    OWNED knn_query *queries = NULL;
    error *err = run_error(run_of(g));
    uint32_t points = p->n - p->queries;
    run_why why;
    TRY(knn_pairs_place(g, p, &why));
    bool on_gpu = run_why_device(why);
    run_begin_stage(run_of(g), "pairs", why);
    if (on_gpu) TRY(knn_search_new(g, p, k, true, &s));
    uint32_t room = s.rows < p->queries ? s.rows : p->queries;
    TRY(allocate(err, &candidates, room, s.keep * sizeof *candidates, "candidates of queries"));
    TRY(allocate(err, &label, p->n, sizeof *label, "components"));
    TRY(allocate(err, &queries, p->queries, sizeof *queries, "queries"));
    for (uint32_t q = 0; q < p->queries; q++) {
        queries[q] = (knn_query){points + q, 1};
        label[points + q] = 1;
    }
    if (on_gpu) TRY(knn_search_across(g, &s, p, label, NULL));
    double since = wall_seconds();
    uint64_t own, end;
    ranks_share(run_ranks(run_of(g)), p->queries, KNN_TILE, &own, &end);
    for (uint32_t first = (uint32_t)own; first < end; first += room) {
        uint32_t count = (uint32_t)end - first < room ? (uint32_t)end - first : room;
        knn_task task = {.count = count,
                         .queries = queries + first,
                         .label = label,
                         .k = k,
                         .keep = s.keep,
                         .candidates = candidates};
        s.from = (double)(first - own) / (double)(end - own);
        s.to = (double)(first - own + count) / (double)(end - own);
        run_begin_stage(run_of(g), "pairs", why);
        if (on_gpu) TRY(knn_search_queries(g, &s, p, queries + first, count, candidates));
        cost->search += clock_lap(&since);
        run_begin_stage(run_of(g), "decide", on_gpu ? RUN_NOT_BY_PASSES : why);
        TRY(knn_decide(g, p, &s, &task, index + (size_t)first * k, sum + (size_t)first * k, &cost->scanned,
                       NULL));
        cost->certify += clock_lap(&since);
    }
    return GLSHAPE_OK;
}
