/* The page of a barcode: a row for each interval, as a bar and as a point of the diagram. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/legend.h"
#include "plot/page.h"
#include "plot/pages.h"

static glshape_status put_table(error *err, page *p, const glshape_chart_barcode *o) {
    OWNED uint32_t *dims = NULL;
    OWNED double(*pairs)[2] = NULL;
    TRY(allocate(err, &dims, o->count, sizeof *dims, "the intervals of the page"));
    TRY(allocate(err, &pairs, o->count, sizeof *pairs, "the intervals of the page"));
    for (size_t k = 0; k < o->count; k++) {
        dims[k] = (uint32_t)o->intervals[k].dim;
        pairs[k][0] = o->intervals[k].birth;
        pairs[k][1] = o->intervals[k].death;
    }
    page_begin_table(p, "interval", o->count, NULL);
    page_column(p, "birth", o->count, 2, &pairs[0][0]);
    page_column(p, "death", o->count, 2, &pairs[0][1]);
    page_end(p);
    page_put_classes(p, &(page_classes){.heading = "dim",
                                        .rows = o->count,
                                        .of = dims,
                                        .count = (uint32_t)o->dims,
                                        .kind = "dimension",
                                        .noise = UINT32_MAX});
    page_end(p);
    return GLSHAPE_OK;
}

void page_put_bars(page *p, const char *scale, bool falling) {
    page_object(p, NULL);
    page_text(p, "kind", "bars");
    page_text(p, "title", "Barcode");
    page_text(p, "birth", "birth");
    page_text(p, "death", "death");
    page_text(p, "axis", scale);
    page_flag(p, "falling", falling);
    page_end(p);
}

void page_put_diagram(page *p, const char *scale, bool falling) {
    char text[2][96];
    snprintf(text[0], sizeof *text, "birth: %.64s", scale);
    snprintf(text[1], sizeof *text, "death");
    page_object(p, NULL);
    page_text(p, "kind", "scatter");
    page_text(p, "title", "Persistence diagram");
    page_text(p, "x", "birth");
    page_text(p, "y", "death");
    page_array(p, "titles");
    for (int k = 0; k < 2; k++) page_text(p, NULL, text[k]);
    page_end(p);
    page_flag(p, "equal", true);
    page_flag(p, "diagonal", true);
    page_flag(p, "falling", falling);
    page_end(p);
}

glshape_status pages_barcode(error *err, const glshape_picture_options *on, const glshape_chart_barcode *o,
                             FILE *to) {
    page p;
    char number[32];
    const char *scale = o->falling ? "value" : o->scale ? o->scale : "diameter";
    TRY(plot_check_barcode(err, o));
    legend_number(number, sizeof number, o->count);
    page_open(&p, to, on->title, "%s interval%s", number, o->count == 1 ? "" : "s");
    TRY(put_table(err, &p, o));
    page_array(&p, "views");
    page_put_bars(&p, scale, o->falling);
    page_put_diagram(&p, scale, o->falling);
    return page_close(&p, err);
}
