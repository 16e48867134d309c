/* The page of a scatter plot: a row for each point. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/legend.h"
#include "plot/page.h"
#include "plot/pages.h"

#define MOST_VALUES 4000000 /* of more columns than two, if they have no more values than this */

static size_t columns_of(const glshape_chart_scatter *o) {
    return o->dim > 2 && times(o->n, o->dim) > MOST_VALUES ? 2 : o->dim;
}

static void put_table(page *p, const glshape_chart_scatter *o) {
    const page_classes classes = {.heading = o->kind ? o->kind : "class",
                                  .rows = o->n,
                                  .of = o->labels,
                                  .count = o->classes,
                                  .names = o->names,
                                  .kind = o->kind,
                                  .noise = o->noise ? o->classes - 1 : UINT32_MAX};
    char name[32];
    page_begin_table(p, "point", o->n, o->point_names);
    for (size_t k = 0; k < columns_of(o); k++) {
        snprintf(name, sizeof name, "x%zu", k + 1);
        page_column(p, name, o->n, o->dim, o->xy + k);
    }
    page_end(p);
    if (o->labels) page_put_classes(p, &classes);
    page_end(p);
}

/* Each edge once; it is there from both its ends. */
static glshape_status put_edges(error *err, page *p, size_t n, const glshape_graph *g) {
    OWNED uint32_t(*pairs)[2] = NULL;
    size_t count = 0;
    TRY(allocate(err, &pairs, g->start[n], sizeof *pairs, "the edges of the page"));
    for (size_t v = 0; v < n; v++)
        for (size_t k = g->start[v]; k < g->start[v + 1]; k++)
            if (g->to[k] > v) {
                pairs[count][0] = (uint32_t)v;
                pairs[count++][1] = (uint32_t)g->to[k];
            }
    page_words(p, "edges", 2 * count, (const uint32_t *)pairs);
    return GLSHAPE_OK;
}

static glshape_status put_region(error *err, page *p, const glshape_chart_region *r) {
    OWNED uint32_t *start = NULL;
    if (r->lines) page_words(p, "lines", 2 * r->lines, (const uint32_t *)r->line);
    if (!r->rings) return GLSHAPE_OK;
    TRY(allocate(err, &start, r->rings + 1, sizeof *start, "the rings of the page"));
    for (size_t k = 0; k <= r->rings; k++) start[k] = (uint32_t)r->ring_start[k];
    page_words(p, "ringStart", r->rings + 1, start);
    page_words(p, "rings", r->ring_start[r->rings], r->ring);
    return GLSHAPE_OK;
}

void page_put_points(page *p, size_t dim, const char *title) {
    page_object(p, NULL);
    page_text(p, "kind", "scatter");
    page_text(p, "title", title ? title : "Points");
    page_text(p, "x", "x1");
    page_text(p, "y", dim > 1 ? "x2" : NULL);
    page_array(p, "titles");
    page_end(p);
    page_flag(p, "equal", true);
}

static glshape_status put_view(error *err, page *p, const glshape_chart_scatter *o) {
    page_put_points(p, o->dim, NULL);
    if (o->edges) TRY(put_edges(err, p, o->n, o->edges));
    if (o->region) TRY(put_region(err, p, o->region));
    page_end(p);
    return GLSHAPE_OK;
}

glshape_status pages_scatter(error *err, const glshape_picture_options *on, const glshape_chart_scatter *o,
                             FILE *to) {
    page p;
    char more[64] = "", number[32];
    TRY(plot_check_scatter(err, o));
    if (o->dim > 2) snprintf(more, sizeof more, ", dimensions 1 and 2 of %zu", o->dim);
    legend_number(number, sizeof number, o->n);
    page_open(&p, to, on->title, "%s point%s%s", number, o->n == 1 ? "" : "s", more);
    put_table(&p, o);
    page_array(&p, "views");
    TRY(put_view(err, &p, o));
    return page_close(&p, err);
}
