/* The page of a merge tree: a row for each branch, in the tree, the diagram and the image. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/legend.h"
#include "plot/page.h"
#include "plot/pages.h"

#define MOST_CELLS ((size_t)4 << 20) /* of an image */

typedef struct ranked {
    double persistence;
    uint32_t row;
} ranked;

static int by_persistence(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->persistence != y->persistence) return x->persistence < y->persistence ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The most persistent branches have colours of their own, and others that of the branch they join. */
static glshape_status choose_colours(error *err, const plot_branch_rows *o, uint32_t *of) {
    OWNED ranked *order = NULL;
    TRY(allocate(err, &order, o->n, sizeof *order, "the branches of the page"));
    for (uint32_t k = 0; k < o->n; k++) {
        double death = o->parent[k] == k ? INFINITY : o->pairs[k][1];
        order[k] = (ranked){fabs(death - o->pairs[k][0]), k};
        of[k] = UINT32_MAX;
    }
    if (o->n) qsort(order, o->n, sizeof *order, by_persistence);
    for (uint32_t k = 0; k < PLOT_BRANCHES && k < o->n; k++) of[order[k].row] = k;
    for (size_t k = 0; k < o->n; k++)
        if (of[k] == UINT32_MAX) of[k] = o->parent[k] == k ? 0 : of[o->parent[k]];
    return GLSHAPE_OK;
}

static glshape_status put_table(error *err, page *p, const plot_branch_rows *o) {
    OWNED uint32_t *of = NULL;
    TRY(allocate(err, &of, o->n, sizeof *of, "the branches of the page"));
    TRY(choose_colours(err, o, of));
    page_begin_table(p, "branch", o->n, NULL);
    page_column(p, "birth", o->n, 2, o->n ? &o->pairs[0][0] : NULL);
    page_column(p, "death", o->n, 2, o->n ? &o->pairs[0][1] : NULL);
    page_end(p);
    page_put_classes(p, &(page_classes){.heading = "branch",
                                        .rows = o->n,
                                        .of = of,
                                        .count = PLOT_BRANCHES,
                                        .kind = "branch",
                                        .noise = UINT32_MAX,
                                        .hidden = true});
    page_end(p);
    return GLSHAPE_OK;
}

static void put_tree(page *p, const plot_branch_rows *o, const char *scale) {
    page_object(p, NULL);
    page_text(p, "kind", "branches");
    page_text(p, "title", "Merge tree");
    page_text(p, "birth", "birth");
    page_text(p, "death", "death");
    page_text(p, "axis", scale);
    page_words(p, "parent", o->n, o->parent);
    page_values(p, "end", 1, 1, &o->end);
    page_end(p);
}

static void put_image(page *p, const plot_branch_rows *o) {
    page_object(p, NULL);
    page_text(p, "kind", "image");
    page_text(p, "title", o->image ? o->image : "Segmentation");
    page_number(p, "rows", o->rows);
    page_number(p, "columns", o->columns);
    page_words(p, "cells", o->rows * o->columns, o->cells);
    page_end(p);
}

glshape_status pages_branch_rows(error *err, const glshape_picture_options *on, const plot_branch_rows *o,
                                 FILE *to) {
    page p;
    char number[32], scale[64] = "value";
    TRY(plot_check_branches(err, o));
    if (o->origin) snprintf(scale, sizeof scale, "value less %.40s", o->origin);
    legend_number(number, sizeof number, o->n);
    page_open(&p, to, on->title, "%s branch%s%s%s", number, o->n == 1 ? "" : "es",
              o->origin ? ", values less " : "", o->origin ? o->origin : "");
    TRY(put_table(err, &p, o));
    page_array(&p, "views");
    put_tree(&p, o, scale);
    page_put_diagram(&p, scale, o->falling);
    if (o->rows && o->rows * o->columns <= MOST_CELLS) put_image(&p, o);
    return page_close(&p, err);
}
