/* Side by side: a tree of branches, their persistence diagram, and where in an image they lie. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/diagram.h"
#include "plot/font.h"
#include "plot/head.h"
#include "plot/image.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/sheet.h"

#define TICK 18
#define NAME 20    /* what a panel and its axes are called */
#define THICK 2.4  /* lines of the tree */
#define DOTS 20000 /* drawn in the diagram, at most */

/* Sizes above are pixels at this size. */
static const sheet paper = {"a tree", 1600, 680, 480, 204, 0.3};

typedef struct rank {
    double persistence;
    uint32_t branch;
} rank;

typedef struct chart {
    const plot_branch_rows *o;
    const char *title;
    plot_canvas *canvas;
    double unit;
    size_t shown, dots, essential;
    bool *drawn;
    uint32_t *dot;         /* the branches that the diagram shows: the most persistent */
    uint32_t *colour;      /* of each branch; one that is not drawn has that of the branch it lies on */
    uint32_t *size, *from; /* of those drawn: how many columns the subtree takes, and the first of them */
    axes tree;
    axes_frame diagram, image;
} chart;

glshape_status plot_check_branches(error *err, const plot_branch_rows *o) {
    for (size_t k = 0; k < o->n; k++)
        if (o->parent[k] > k)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "branch %zu joins branch %u, which comes after it", k,
                        o->parent[k]);
    for (size_t k = 0; k < o->rows * o->columns; k++)
        if (o->cells[k] >= o->n)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "cell %zu lies on branch %u, but there are %zu", k,
                        o->cells[k], o->n);
    return GLSHAPE_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static bool is_finite(const chart *ch, size_t k) { return isfinite(ch->o->pairs[k][1]); }
static bool is_root(const chart *ch, size_t k) { return ch->o->parent[k] == k; }

/* Order: the most persistent first; of equals the first in the input, so a parent before its children. */
static int by_persistence(const void *a, const void *b) {
    const rank *x = a, *y = b;
    int longer = (x->persistence < y->persistence) - (x->persistence > y->persistence);
    return longer ? longer : (x->branch > y->branch) - (x->branch < y->branch);
}

/* The most persistent branches get colours of their own. */
static glshape_status choose_branches(error *err, chart *ch) {
    const plot_branch_rows *o = ch->o;
    OWNED rank *ranks = NULL;
    TRY(allocate(err, &ranks, o->n, sizeof *ranks, "the branches of the picture"));
    for (size_t k = 0; k < o->n; k++)
        ranks[k] = (rank){is_finite(ch, k) ? fabs(o->pairs[k][1] - o->pairs[k][0]) : INFINITY, (uint32_t)k};
    qsort(ranks, o->n, sizeof *ranks, by_persistence);
    ch->shown = o->n < PLOT_BRANCHES ? o->n : PLOT_BRANCHES;
    for (size_t r = 0; r < ch->shown; r++) {
        ch->drawn[ranks[r].branch] = true;
        ch->colour[ranks[r].branch] = palette_colour((uint32_t)r);
    }
    ch->dots = o->n < DOTS ? o->n : DOTS;
    for (size_t r = 0; r < ch->dots; r++) ch->dot[r] = ranks[r].branch;
    for (size_t k = 0; k < o->n; k++) {
        ch->essential += is_root(ch, k);
        if (!ch->drawn[k]) ch->colour[k] = is_root(ch, k) ? PALETTE_GRID : ch->colour[o->parent[k]];
    }
    return GLSHAPE_OK;
}

/* Gives each branch a column. The subtrees that join it are right of it, the first to join nearest: so no
 * line crosses another. */
static void place_branches(chart *ch) {
    uint32_t next = 0;
    for (size_t k = ch->o->n; k-- > 0;) {
        if (!ch->drawn[k]) continue;
        ch->size[k]++;
        if (!is_root(ch, k)) ch->size[ch->o->parent[k]] += ch->size[k];
    }
    uint32_t *end = ch->size; /* of what is left right of a branch already placed */
    for (size_t k = 0; k < ch->o->n; k++) {
        if (!ch->drawn[k]) continue;
        uint32_t size = ch->size[k], parent = ch->o->parent[k];
        ch->from[k] = is_root(ch, k) ? next : (end[parent] -= size);
        if (is_root(ch, k)) next += size;
        end[k] = ch->from[k] + size;
    }
}

/* ---- drawing ----------------------------------------------------------------------------------- */

static double at_column(const chart *ch, size_t k) {
    const axes_frame *f = &ch->tree.frame;
    return f->x0 + (f->x1 - f->x0) * (ch->from[k] + 0.5) / (double)ch->shown;
}

static double at_value(const chart *ch, double v) {
    if (isfinite(v)) return axes_y(&ch->tree, v);
    return v > 0 ? ch->tree.frame.y0 : ch->tree.frame.y1;
}

static void draw_tree(const chart *ch) {
    const plot_branch_rows *o = ch->o;
    double width = THICK * ch->unit;
    axes_draw(&ch->tree, ch->canvas);
    for (size_t k = 0; k < o->n; k++) {
        if (!ch->drawn[k]) continue;
        double x = at_column(ch, k),
               death = is_root(ch, k) ? (o->falling ? -INFINITY : INFINITY) : o->pairs[k][1];
        double y = at_value(ch, death);
        plot_line(ch->canvas, x, at_value(ch, o->pairs[k][0]), x, y, width, ch->colour[k]);
        if (!is_root(ch, k))
            plot_line(ch->canvas, x, y, at_column(ch, o->parent[k]), y, width, ch->colour[k]);
    }
}

static int by_number(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static glshape_status draw_diagram(error *err, const chart *ch, axes_range range) {
    OWNED double(*pairs)[2] = NULL;
    uint32_t *colours;
    TRY(allocate(err, &pairs, ch->dots, sizeof *pairs + sizeof *colours, "the pairs of the diagram"));
    colours = (uint32_t *)(void *)(pairs + ch->dots);
    qsort(ch->dot, ch->dots, sizeof *ch->dot, by_number);
    for (size_t i = 0; i < ch->dots; i++) {
        uint32_t k = ch->dot[i];
        memcpy(pairs[i], ch->o->pairs[k], sizeof *pairs);
        colours[i] = ch->drawn[k] ? ch->colour[k] : PALETTE_AXIS;
    }
    diagram_draw(ch->canvas, ch->diagram, range, ch->unit,
                 &(diagram){ch->dots, (const double(*)[2])pairs, colours, ch->o->falling});
    return GLSHAPE_OK;
}

static void draw_cells(const chart *ch) {
    const image cells = {ch->o->rows, ch->o->columns, ch->o->cells, ch->colour};
    image_draw(&cells, ch->canvas, image_place(&cells, ch->image));
}

static void draw_head(const chart *ch) {
    char text[400], number[32];
    size_t ending = ch->o->n - ch->essential;
    legend_number(number, sizeof number, ending);
    int used = snprintf(text, sizeof text, "%s pair%s, %zu branch%s without end", number,
                        ending == 1 ? "" : "s", ch->essential, ch->essential == 1 ? "" : "es");
    if (ch->shown < ch->o->n)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "; tree: the %zu most persistent, the others count as part of these", ch->shown);
    if (ch->dots < ch->o->n)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "; diagram: the %zu most persistent", ch->dots);
    if (ch->o->origin)
        snprintf(text + used, sizeof text - (size_t)used, "; values count from %.32s", ch->o->origin);
    head_draw(ch->canvas, ch->unit, ch->title, text);
}

static void draw_name(const chart *ch, double x, double y, const char *text, plot_anchor anchor, bool bold) {
    plot_text(ch->canvas, x, y, text,
              (plot_style){NAME * ch->unit, bold ? PALETTE_INK : PALETTE_GREY, anchor, bold});
}

/* Returns the range of births and deaths. If all are equal, the range also has the last value of the field.
 */
static axes_range range_of(const plot_branch_rows *o) {
    axes_range r = diagram_range(o->n, o->pairs);
    if (r.lo[0] < r.hi[0] || !isfinite(o->end)) return r;
    double lo = fmin(r.lo[0], o->end), hi = fmax(r.hi[0], o->end);
    return (axes_range){{lo, lo}, {hi, hi}};
}

static bool has_image(const chart *ch) { return ch->o->rows && ch->o->columns; }

/* Panels of equal width; `labels` pixels of each are left of its frame, but of the image. */
static void place_panels(chart *ch, axes_range range, double labels) {
    double width = ch->canvas->width, u = ch->unit, margin = HEAD_MARGIN * u, gap = margin / 2;
    double top = floor(head_height(ch->title != NULL, u) + 1.6 * NAME * u);
    double bottom =
        floor(ch->canvas->height - margin - 1.6 * NAME * u - axes_below(&(axes){.font = TICK * u}));
    int panels = has_image(ch) ? 3 : 2;
    double slot = (width - 2 * margin - (panels - 1) * gap) / panels;
    double side = floor(fmin(slot - labels, bottom - top)), x = floor(margin + labels);
    axes_frame tree = {x, top, floor(margin + slot), bottom};
    axes_range heights = {{0, range.lo[1]}, {0, range.hi[1]}};
    ch->tree = axes_fit(tree, heights, 0.06 * (bottom - top), TICK * u, false);
    ch->tree.bare_x = true;
    x = floor(margin + slot + gap + labels);
    ch->diagram = (axes_frame){x, bottom - side, x + side, bottom};
    ch->image = (axes_frame){floor(width - margin - slot + gap), top, floor(width - margin), bottom};
}

/* The width of labels depends on the scale, and the scale on the width of labels: three rounds are enough. */
static void lay_out(chart *ch, axes_range range) {
    double labels = font_width("0000000", TICK * ch->unit);
    for (int round = 0; round < 3; round++) {
        place_panels(ch, range, labels);
        axes dots = diagram_axes(ch->diagram, range, ch->unit, ch->dots);
        labels = fmax(labels, fmax(axes_left(&ch->tree), axes_left(&dots)));
    }
}

static glshape_status draw_tree_picture(error *err, chart *ch) {
    const axes_frame *tree = &ch->tree.frame, *dots = &ch->diagram;
    axes_range range = range_of(ch->o);
    lay_out(ch, range);
    double u = ch->unit, above = tree->y0 - 0.7 * NAME * u;
    draw_head(ch);
    draw_tree(ch);
    draw_name(ch, tree->x0, above, "Merge tree", PLOT_START, true);
    draw_name(ch, tree->x0 - 0.6 * NAME * u, above, "value", PLOT_END, false);
    TRY(draw_diagram(err, ch, range));
    draw_name(ch, dots->x0, above, "Persistence diagram", PLOT_START, true);
    draw_name(ch, dots->x0 - 0.6 * NAME * u, above, "death", PLOT_END, false);
    draw_name(ch, (dots->x0 + dots->x1) / 2, dots->y1 + axes_below(&ch->tree) + 1.6 * NAME * u, "birth",
              PLOT_MIDDLE, false);
    if (!has_image(ch)) return GLSHAPE_OK;
    draw_cells(ch);
    draw_name(ch, ch->image.x0, above, ch->o->image ? ch->o->image : "Segmentation", PLOT_START, true);
    return GLSHAPE_OK;
}

static void chart_free(chart *ch) {
    free(ch->drawn);
    free(ch->dot);
    free(ch->colour);
    free(ch->size);
    free(ch->from);
}

glshape_status plot_branches(error *err, plot_canvas *c, const glshape_picture_options *on,
                             const plot_branch_rows *o) {
    OWNED_BY(chart_free) chart ch = {.o = o, .title = on->title, .canvas = c};
    size_t n = o->n;
    TRY(sheet_new(err, &paper, on, c, &ch.unit));
    TRY(plot_check_branches(err, o));
    TRY(allocate(err, &ch.drawn, n, sizeof *ch.drawn, "the branches of the picture"));
    TRY(allocate(err, &ch.colour, n, sizeof *ch.colour, "the branches of the picture"));
    TRY(allocate(err, &ch.size, n, sizeof *ch.size, "the branches of the picture"));
    TRY(allocate(err, &ch.from, n, sizeof *ch.from, "the branches of the picture"));
    TRY(allocate(err, &ch.dot, n < DOTS ? n : DOTS, sizeof *ch.dot, "the branches of the picture"));
    TRY(choose_branches(err, &ch));
    place_branches(&ch);
    TRY(draw_tree_picture(err, &ch));
    return plot_canvas_check(err, c);
}
