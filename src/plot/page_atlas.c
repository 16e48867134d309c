/* The page of an atlas: a row for each shape, and its intervals beside. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/legend.h"
#include "plot/page.h"
#include "plot/pages.h"

static glshape_status put_labels(error *err, page *p, const glshape_chart_atlas *o) {
    OWNED uint32_t *of = NULL;
    uint32_t clusters = (uint32_t)o->clusters;
    TRY(allocate(err, &of, o->n, sizeof *of, "the clusters of the page"));
    for (size_t k = 0; k < o->n; k++) of[k] = o->labels[k] < 0 ? clusters : (uint32_t)o->labels[k];
    page_put_classes(p, &(page_classes){.heading = "cluster",
                                        .rows = o->n,
                                        .of = of,
                                        .count = clusters + 1,
                                        .kind = "cluster",
                                        .noise = clusters});
    return GLSHAPE_OK;
}

static glshape_status put_table(error *err, page *p, const glshape_chart_atlas *o) {
    page_begin_table(p, "shape", o->n, o->names);
    page_column(p, "x1", o->n, 2, o->xy);
    page_column(p, "x2", o->n, 2, o->xy + 1);
    page_end(p);
    TRY(put_labels(err, p, o));
    page_end(p);
    return GLSHAPE_OK;
}

/* The intervals of all shapes, one behind the other. */
static glshape_status put_details(error *err, page *p, const glshape_chart_atlas *o) {
    size_t count = o->first[o->n];
    OWNED uint32_t *words = NULL;
    OWNED double(*pairs)[2] = NULL;
    TRY(allocate(err, &words, count + o->n + 1, sizeof *words, "the intervals of the page"));
    TRY(allocate(err, &pairs, count, sizeof *pairs, "the intervals of the page"));
    for (size_t k = 0; k < count; k++) {
        words[k] = (uint32_t)o->intervals[k].dim;
        pairs[k][0] = o->intervals[k].birth;
        pairs[k][1] = o->intervals[k].death;
    }
    page_object(p, "details");
    page_words(p, "dim", count, words);
    page_values(p, "birth", count, 2, &pairs[0][0]);
    page_values(p, "death", count, 2, &pairs[0][1]);
    for (size_t k = 0; k <= o->n; k++) words[k] = (uint32_t)o->first[k];
    page_words(p, "first", o->n + 1, words);
    page_text(p, "scale", o->falling ? "value" : o->scale ? o->scale : "diameter");
    page_flag(p, "falling", o->falling);
    page_words(p, "medoids", o->clusters, o->medoids);
    page_array(p, "colors");
    page_put_colours(p, PLOT_DIMS);
    page_end(p);
    page_end(p);
    return GLSHAPE_OK;
}

static void put_detail_view(page *p, const char *kind, const char *title) {
    page_object(p, NULL);
    page_text(p, "kind", "details");
    page_text(p, "of", kind);
    page_text(p, "title", title);
    page_end(p);
}

glshape_status pages_atlas(error *err, const glshape_picture_options *on, const glshape_chart_atlas *o,
                           FILE *to) {
    page p;
    char number[32];
    TRY(plot_check_atlas(err, o));
    if (o->first[o->n] > UINT32_MAX)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a page of %zu intervals: at most %u", o->first[o->n],
                    UINT32_MAX);
    legend_number(number, sizeof number, o->n);
    page_open(&p, to, on->title, "%s shape%s, %zu cluster%s", number, o->n == 1 ? "" : "s", o->clusters,
              o->clusters == 1 ? "" : "s");
    TRY(put_table(err, &p, o));
    TRY(put_details(err, &p, o));
    page_array(&p, "views");
    page_put_points(&p, 2, "Map");
    page_end(&p);
    put_detail_view(&p, "bars", "Barcode");
    put_detail_view(&p, "scatter", "Persistence diagram");
    return page_close(&p, err);
}
