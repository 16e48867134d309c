/* Pages of trees: a row for each point. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/trees.h"
#include "plot/legend.h"
#include "plot/page.h"
#include "plot/pages.h"

/* ---- linkage ----------------------------------------------------------------------------------- */

static glshape_status put_merges(error *err, page *p, const glshape_chart_dendrogram *o) {
    OWNED uint32_t(*pairs)[2] = NULL;
    TRY(allocate(err, &pairs, o->n, sizeof *pairs, "the tree of the page"));
    for (size_t k = 0; k + 1 < o->n; k++)
        for (int side = 0; side < 2; side++) pairs[k][side] = (uint32_t)o->merges[4 * k + (size_t)side];
    page_object(p, NULL);
    page_text(p, "kind", "dendrogram");
    page_text(p, "title", "Dendrogram");
    page_words(p, "merges", 2 * (o->n - 1), &pairs[0][0]);
    page_values(p, "heights", o->n - 1, 4, o->merges + 2);
    page_end(p);
    return GLSHAPE_OK;
}

static uint32_t count_classes(size_t n, const uint32_t *labels) {
    uint32_t most = 0;
    for (size_t v = 0; v < n; v++) most = labels[v] > most ? labels[v] : most;
    return most + 1;
}

glshape_status pages_dendrogram(error *err, const glshape_picture_options *on,
                                const glshape_chart_dendrogram *o, FILE *to) {
    page p;
    char number[32];
    if (!o->n || o->n > INT32_MAX)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a tree of %zu points: 1 to %d can be drawn", o->n, INT32_MAX);
    TRY(trees_check_merges(err, o->merges, o->n));
    legend_number(number, sizeof number, o->n);
    page_open(&p, to, on->title, "%s point%s", number, o->n == 1 ? "" : "s");
    page_begin_table(&p, "point", o->n, o->names);
    page_end(&p);
    if (o->labels)
        page_put_classes(&p, &(page_classes){.heading = "cluster",
                                             .rows = o->n,
                                             .of = o->labels,
                                             .count = count_classes(o->n, o->labels),
                                             .kind = "cluster",
                                             .noise = UINT32_MAX});
    page_end(&p);
    page_array(&p, "views");
    TRY(put_merges(err, &p, o));
    return page_close(&p, err);
}

/* ---- clusters by density ----------------------------------------------------------------------- */

/* Columns of the clusters of the condensed tree, as Icicles in tree.js takes them. */
static glshape_status put_clusters(error *err, page *p, const glshape_hdbscan_result *r) {
    OWNED uint32_t(*words)[3] = NULL;
    OWNED double(*values)[3] = NULL;
    OWNED uint32_t *column = NULL;
    static const char *const names[] = {"parent", "size", "label", "birth", "death", "stability"};
    size_t count = r->tree_clusters;
    TRY(allocate(err, &words, count, sizeof *words, "the clusters of the page"));
    TRY(allocate(err, &values, count, sizeof *values, "the clusters of the page"));
    TRY(allocate(err, &column, count, sizeof *column, "the clusters of the page"));
    page_object(p, "clusters");
    for (int k = 0; k < 3; k++) {
        for (size_t c = 0; c < count; c++) {
            const glshape_hdbscan_cluster *at = &r->tree[c];
            column[c] = k == 0 ? at->parent - (uint32_t)r->n : k == 1 ? at->size : (uint32_t)(at->label + 1);
        }
        page_words(p, names[k], count, column);
    }
    for (size_t c = 0; c < count; c++) {
        values[c][0] = r->tree[c].birth;
        values[c][1] = r->tree[c].death;
        values[c][2] = r->tree[c].stability;
    }
    for (size_t k = 0; k < 3; k++) page_values(p, names[3 + k], count, 3, &values[0][k]);
    page_end(p);
    return GLSHAPE_OK;
}

/* Lambdas are rounded to single precision, because they are only drawn. */
static glshape_status put_rows(error *err, page *p, const glshape_hdbscan_result *r) {
    OWNED uint32_t *column = NULL;
    OWNED double *lambda = NULL;
    TRY(allocate(err, &column, r->row_count, sizeof *column, "the tree of the page"));
    TRY(allocate(err, &lambda, r->row_count, sizeof *lambda, "the tree of the page"));
    for (size_t k = 0; k < r->row_count; k++) column[k] = r->rows[k].parent - (uint32_t)r->n;
    page_words(p, "parent", r->row_count, column);
    for (size_t k = 0; k < r->row_count; k++) column[k] = r->rows[k].child;
    page_words(p, "child", r->row_count, column);
    for (size_t k = 0; k < r->row_count; k++) lambda[k] = (float)r->rows[k].lambda;
    page_values(p, "lambda", r->row_count, 1, lambda);
    return GLSHAPE_OK;
}

static glshape_status put_tree(error *err, page *p, const glshape_chart_icicles *o) {
    page_object(p, NULL);
    page_text(p, "kind", "icicles");
    page_text(p, "title", "Condensed tree");
    TRY(put_rows(err, p, o->of));
    TRY(put_clusters(err, p, o->of));
    if (o->cut.is_set) page_values(p, "cut", 1, 1, &o->cut.value);
    else page_text(p, "cut", NULL);
    page_end(p);
    return GLSHAPE_OK;
}

static glshape_status put_labels(error *err, page *p, const glshape_chart_icicles *o) {
    const glshape_hdbscan_result *r = o->of;
    const int32_t *labels = o->labels ? o->labels : r->labels;
    uint32_t clusters = (uint32_t)(o->labels ? o->clusters : r->clusters);
    OWNED uint32_t *of = NULL;
    TRY(allocate(err, &of, r->n, sizeof *of, "the clusters of the page"));
    for (size_t v = 0; v < r->n; v++) of[v] = labels[v] < 0 ? clusters : (uint32_t)labels[v];
    page_put_classes(p, &(page_classes){.heading = "cluster",
                                        .rows = r->n,
                                        .of = of,
                                        .count = clusters + 1,
                                        .kind = "cluster",
                                        .noise = clusters});
    return GLSHAPE_OK;
}

static glshape_status put_points(error *err, page *p, const glshape_chart_icicles *o) {
    const glshape_hdbscan_result *r = o->of;
    size_t shown = !o->xy ? 0 : o->dim < 2 ? o->dim : 2;
    page_begin_table(p, "point", r->n, o->point_names);
    for (size_t k = 0; k < shown; k++) page_column(p, k ? "x2" : "x1", r->n, o->dim, o->xy + k);
    page_column(p, "probability", r->n, 1, r->probabilities);
    page_column(p, "outlier_score", r->n, 1, r->outlier_scores);
    page_end(p);
    TRY(put_labels(err, p, o));
    page_end(p);
    return GLSHAPE_OK;
}

glshape_status pages_icicles(error *err, const glshape_picture_options *on, const glshape_chart_icicles *o,
                             FILE *to) {
    page p;
    char number[32];
    const glshape_hdbscan_result *r = o->of;
    size_t clusters = o->labels ? o->clusters : r->clusters;
    TRY(plot_check_icicles(err, o));
    legend_number(number, sizeof number, r->n);
    page_open(&p, to, on->title, "%s point%s, %zu cluster%s", number, r->n == 1 ? "" : "s", clusters,
              clusters == 1 ? "" : "s");
    TRY(put_points(err, &p, o));
    page_array(&p, "views");
    if (o->xy) page_put_points(&p, o->dim, NULL), page_end(&p);
    TRY(put_tree(err, &p, o));
    return page_close(&p, err);
}
