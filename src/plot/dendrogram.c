/* The tree of a linkage matrix, leaves at the left, heights to the right. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/trees.h"
#include "plot/axes.h"
#include "plot/font.h"
#include "plot/head.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/sheet.h"

#define MARGIN HEAD_MARGIN
#define TICK 18
#define LEAVES 60     /* drawn at most, by default */
#define LEAF_NAME 128 /* bytes of a name, cut if longer */
#define NAMES 0.25    /* of the picture's width that names take at most */
#define WIDTH 2.0     /* of lines */
#define MIXED UINT32_MAX
#define BEYOND 1.08 /* where an infinite height is drawn; the greatest finite one is at 1 */

/* Sizes above are pixels at this size. */
static const sheet paper = {"a tree", 1200, 1200, 200, 200, 0.5};

typedef struct chart {
    const glshape_chart_dendrogram *o;
    const char *title;
    plot_canvas *canvas;
    double unit; /* pixels per pixel at the default size */
    axes_frame frame;
    size_t n, shown; /* leaves of the picture: clusters of ids below 2·n - shown */
    double greatest; /* finite height; 1 if there is none above 0 */
    bool infinite;
    uint32_t *colour; /* of each cluster: a class, or MIXED */
    uint32_t *first;  /* the row of a cluster's first leaf */
    double *row;      /* where a cluster is drawn */
} chart;

static size_t base(const chart *ch) { return 2 * ch->n - ch->shown; }

/* Returns the height as a part of the greatest finite height, so that very small and very large doubles are
 * drawn like others. */
static double height_of(const chart *ch, size_t cluster) {
    if (cluster < base(ch)) return 0;
    double h = ch->o->merges[4 * (cluster - ch->n) + 2];
    return isinf(h) ? BEYOND : h / ch->greatest;
}

static size_t child(const chart *ch, size_t cluster, int side) {
    return (size_t)ch->o->merges[4 * (cluster - ch->n) + (size_t)side];
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static void measure_tree(chart *ch) {
    const double *merges = ch->o->merges;
    ch->greatest = 0;
    for (size_t k = 0; k + 1 < ch->n; k++)
        if (isinf(merges[4 * k + 2])) ch->infinite = true;
        else ch->greatest = fmax(ch->greatest, merges[4 * k + 2]);
    if (ch->greatest <= 0) ch->greatest = 1;
    for (size_t v = 0; v < ch->n; v++) ch->colour[v] = ch->o->labels ? ch->o->labels[v] : MIXED;
    for (size_t c = ch->n; c < 2 * ch->n - 1; c++) {
        uint32_t a = ch->colour[child(ch, c, 0)], b = ch->colour[child(ch, c, 1)];
        ch->colour[c] = a == b ? a : MIXED;
    }
}

/* Gives rows to leaves, from the last merge down, and then to merges, from the first up. */
static void place_clusters(chart *ch, uint32_t *leaves) {
    size_t from = base(ch), last = 2 * ch->n - 1;
    for (size_t c = 0; c < from; c++) leaves[c] = 1;
    for (size_t c = from; c < last; c++) leaves[c] = leaves[child(ch, c, 0)] + leaves[child(ch, c, 1)];
    for (size_t c = last; c-- > from;) {
        ch->first[child(ch, c, 0)] = ch->first[c];
        ch->first[child(ch, c, 1)] = ch->first[c] + leaves[child(ch, c, 0)];
    }
    for (size_t c = 0; c < from; c++) ch->row[c] = ch->first[c];
    for (size_t c = from; c < last; c++)
        ch->row[c] = (ch->row[child(ch, c, 0)] + ch->row[child(ch, c, 1)]) / 2;
}

/* ---- drawing ----------------------------------------------------------------------------------- */

/* h: as height_of() says. */
static double at_height(const chart *ch, double h) {
    return ch->frame.x0 + (ch->frame.x1 - ch->frame.x0) * h / (ch->infinite ? BEYOND : 1);
}

static double at_row(const chart *ch, double row) {
    return ch->frame.y0 + (ch->frame.y1 - ch->frame.y0) * (row + 0.5) / (double)ch->shown;
}

/* A leaf's name is that of a point or its number, or the size of a cluster in parentheses. */
static const char *leaf_name(const chart *ch, size_t cluster, char out[LEAF_NAME]) {
    if (cluster >= ch->n) snprintf(out, LEAF_NAME, "(%.0f)", ch->o->merges[4 * (cluster - ch->n) + 3]);
    else if (!ch->o->names) snprintf(out, LEAF_NAME, "%zu", cluster);
    else font_fit(out, LEAF_NAME, ch->o->names[cluster], TICK * ch->unit, NAMES * ch->canvas->width);
    return out;
}

static double names_width(const chart *ch) {
    char name[LEAF_NAME];
    snprintf(name, sizeof name, "(%zu)", ch->n);
    double most = font_width(name, TICK * ch->unit);
    for (size_t c = 2 * ch->n - 1; ch->o->names && c-- > base(ch);)
        for (int side = 0; side < 2; side++)
            if (child(ch, c, side) < base(ch))
                most = fmax(most, font_width(leaf_name(ch, child(ch, c, side), name), TICK * ch->unit));
    return most;
}

static void draw_axis(const chart *ch) {
    const axes_frame *f = &ch->frame;
    double step = fmax(axes_nice(ch->greatest / 7), DBL_TRUE_MIN); /* a seventh may be 0 */
    double font = TICK * ch->unit, y = f->y1 + 1.5 * font;
    char text[32];
    for (int k = 0; k * step / ch->greatest <= 1 + 1e-9; k++) {
        double x = at_height(ch, k * step / ch->greatest);
        plot_line(ch->canvas, x, f->y0, x, f->y1, ch->unit, PALETTE_GRID);
        axes_label(text, sizeof text, k * step, step, ch->greatest);
        plot_text(ch->canvas, x, y, text, (plot_style){font, PALETTE_GREY, PLOT_MIDDLE, false});
    }
    if (!ch->infinite) return;
    plot_line(ch->canvas, f->x1, f->y0, f->x1, f->y1, ch->unit, PALETTE_AXIS);
    plot_text(ch->canvas, f->x1, y, "inf", (plot_style){font, PALETTE_GREY, PLOT_MIDDLE, false});
}

static uint32_t ink(const chart *ch, size_t cluster) {
    return ch->colour[cluster] == MIXED ? PALETTE_GREY : palette_colour(ch->colour[cluster]);
}

static void draw_leaf(const chart *ch, size_t cluster) {
    char name[LEAF_NAME];
    double font = fmin(TICK * ch->unit, 0.9 * (ch->frame.y1 - ch->frame.y0) / (double)ch->shown);
    plot_text(ch->canvas, ch->frame.x0 - 0.5 * TICK * ch->unit, at_row(ch, ch->row[cluster]) + 0.36 * font,
              leaf_name(ch, cluster, name), (plot_style){font, PALETTE_INK, PLOT_END, false});
}

static void draw_merge(const chart *ch, size_t cluster) {
    double x = at_height(ch, height_of(ch, cluster)), width = WIDTH * ch->unit;
    size_t a = child(ch, cluster, 0), b = child(ch, cluster, 1);
    plot_line(ch->canvas, x, at_row(ch, ch->row[a]), x, at_row(ch, ch->row[b]), width, ink(ch, cluster));
    for (int side = 0; side < 2; side++) {
        size_t c = side ? b : a;
        double y = at_row(ch, ch->row[c]);
        plot_line(ch->canvas, at_height(ch, height_of(ch, c)), y, x, y, width, ink(ch, c));
        if (c < base(ch)) draw_leaf(ch, c);
    }
}

static void draw_head(const chart *ch) {
    char number[32], text[128];
    legend_number(number, sizeof number, ch->n);
    int used = snprintf(text, sizeof text, "%s point%s", number, ch->n == 1 ? "" : "s");
    if (ch->shown < ch->n)
        snprintf(text + used, sizeof text - (size_t)used, " as %zu leaves, those of several points as (size)",
                 ch->shown);
    head_draw(ch->canvas, ch->unit, ch->title, text);
}

static void draw_dendrogram(chart *ch) {
    double u = ch->unit, margin = MARGIN * u;
    ch->frame = (axes_frame){margin + names_width(ch) + TICK * u / 2, head_height(ch->title != NULL, u),
                             ch->canvas->width - margin, ch->canvas->height - margin - 1.5 * TICK * u};
    draw_head(ch);
    draw_axis(ch);
    for (size_t c = 2 * ch->n - 1; c-- > base(ch);) draw_merge(ch, c);
    if (ch->n == 1) draw_leaf(ch, 0);
}

static void chart_free(chart *ch) {
    free(ch->colour);
    free(ch->first);
    free(ch->row);
}

glshape_status plot_dendrogram(error *err, plot_canvas *c, const glshape_picture_options *on,
                               const glshape_chart_dendrogram *o) {
    size_t most = o->leaves ? o->leaves : LEAVES, n = o->n;
    OWNED_BY(chart_free)
    chart ch = {.o = o, .title = on->title, .canvas = c, .n = n, .shown = n < most ? n : most};
    OWNED uint32_t *leaves = NULL;
    TRY(sheet_new(err, &paper, on, c, &ch.unit));
    if (!n || n > INT32_MAX)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a tree of %zu points: 1 to %d can be drawn", n, INT32_MAX);
    TRY(trees_check_merges(err, o->merges, n));
    TRY(allocate(err, &ch.colour, n, 2 * sizeof *ch.colour, "colors of clusters"));
    TRY(allocate(err, &ch.first, n, 2 * sizeof *ch.first, "places of clusters"));
    TRY(allocate(err, &ch.row, n, 2 * sizeof *ch.row, "places of clusters"));
    TRY(allocate(err, &leaves, n, 2 * sizeof *leaves, "leaves of clusters"));
    measure_tree(&ch);
    place_clusters(&ch, leaves);
    draw_dendrogram(&ch);
    return plot_canvas_check(err, c);
}
