/* Clusters of varying density: the points in their clusters' colors, and the condensed tree as icicles. An
 * icicle is a cluster. It hangs at the distance at which it forms, and grows thinner as points leave it. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/trees.h"
#include "plot/axes.h"
#include "plot/font.h"
#include "plot/head.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/sheet.h"

#define TICK 18
#define NAME 20           /* what a panel and its axes are called */
#define BEYOND 0.05       /* of the height: where distances 0 and INFINITY stand, off the others */
#define OUTSIDE 0xD4D4D4u /* clusters that no chosen one is around */
#define THIN 0.25         /* pixels: a thinner icicle is not drawn */

/* Sizes above are pixels at this size. */
static const sheet paper = {"a picture of clusters", 1600, 760, 480, 228, 0.3};

typedef struct chart {
    const glshape_chart_icicles *o;
    const char *title;
    const glshape_hdbscan_result *r;
    const int32_t *labels;
    size_t clusters;
    plot_canvas *canvas;
    double unit;
    axes points;
    axes_frame frame; /* of the icicles */
    legend legend;
    double low, high; /* logarithms of the least and greatest lambda that are neither 0 nor infinite */
    size_t *start;    /* of each cluster: its first row in order, and one more */
    uint32_t *rows;   /* rows by parent */
    double *middle;   /* of each cluster, in points from the left */
    uint32_t *colour;
} chart;

static void chart_free(chart *ch) {
    free(ch->start);
    free(ch->rows);
    free(ch->middle);
    free(ch->colour);
}

static glshape_status check_options(error *err, chart *ch) {
    const glshape_chart_icicles *o = ch->o;
    ch->labels = o->labels ? o->labels : ch->r->labels;
    ch->clusters = o->labels ? o->clusters : ch->r->clusters;
    for (size_t v = 0; v < ch->r->n; v++)
        if (ch->labels[v] >= 0 && (size_t)ch->labels[v] >= ch->clusters)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "point %zu is in cluster %d, but there are %zu", v,
                        ch->labels[v], ch->clusters);
    for (size_t i = 0; o->xy && i < ch->r->n * o->dim; i++)
        if (!isfinite(o->xy[i]))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "row %zu, column %zu of the points is not finite",
                        i / o->dim + 1, i % o->dim + 1);
    return GLSHAPE_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static size_t parent_of(const chart *ch, size_t c) { return ch->r->tree[c].parent - ch->r->n; }

static glshape_status sort_rows(error *err, chart *ch) {
    const glshape_hdbscan_result *r = ch->r;
    TRY(allocate(err, &ch->start, r->tree_clusters + 2, sizeof *ch->start, "the icicles"));
    TRY(allocate(err, &ch->rows, r->row_count, sizeof *ch->rows, "the icicles"));
    size_t *end = ch->start + 1;
    for (size_t k = 0; k < r->row_count; k++) end[r->rows[k].parent - r->n + 1]++;
    for (size_t c = 0; c < r->tree_clusters; c++) end[c + 1] += end[c];
    for (size_t k = 0; k < r->row_count; k++) ch->rows[end[r->rows[k].parent - r->n]++] = (uint32_t)k;
    return GLSHAPE_OK;
}

/* Children hang side by side below the middle of their parent. */
static void place_children(chart *ch, size_t c) {
    const glshape_hdbscan_result *r = ch->r;
    double width = 0;
    for (size_t e = ch->start[c]; e < ch->start[c + 1]; e++)
        if (r->rows[ch->rows[e]].child >= r->n) width += r->rows[ch->rows[e]].size;
    double left = ch->middle[c] - width / 2;
    for (size_t e = ch->start[c]; e < ch->start[c + 1]; e++) {
        const glshape_hdbscan_row *row = &r->rows[ch->rows[e]];
        if (row->child < r->n) continue;
        ch->middle[row->child - r->n] = left + row->size / 2.0;
        left += row->size;
    }
}

/* A chosen cluster has the color of its label; those below it have lighter ones. Neighbors differ. */
static void choose_colours(chart *ch) {
    const glshape_hdbscan_result *r = ch->r;
    for (size_t c = 0; c < r->tree_clusters; c++) {
        size_t around = c;
        while (around && r->tree[around].label < 0) around = parent_of(ch, around);
        int32_t label = ch->o->cut.is_set ? -1 : r->tree[around].label;
        uint32_t colour = label < 0 ? OUTSIDE : palette_colour((uint32_t)label);
        double lighter = label < 0 ? (c % 2 ? 0.3 : 0) : around == c ? 0 : c % 2 ? 0.3 : 0.5;
        ch->colour[c] = palette_mix(colour, PALETTE_PAPER, lighter);
    }
}

static glshape_status arrange_tree(error *err, chart *ch) {
    const glshape_hdbscan_result *r = ch->r;
    TRY(sort_rows(err, ch));
    TRY(allocate(err, &ch->middle, r->tree_clusters, sizeof *ch->middle, "the icicles"));
    TRY(allocate(err, &ch->colour, r->tree_clusters, sizeof *ch->colour, "the icicles"));
    ch->middle[0] = (double)r->n / 2;
    for (size_t c = 0; c < r->tree_clusters; c++) place_children(ch, c);
    choose_colours(ch);
    ch->low = INFINITY, ch->high = -INFINITY;
    for (size_t k = 0; k < r->row_count; k++) {
        double lambda = r->rows[k].lambda;
        if (lambda > 0 && isfinite(lambda))
            ch->low = fmin(ch->low, log(lambda)), ch->high = fmax(ch->high, log(lambda));
    }
    if (!isfinite(ch->low)) ch->low = ch->high = 0;
    if (ch->high - ch->low < 1e-9) ch->low -= 0.5, ch->high += 0.5;
    return GLSHAPE_OK;
}

/* ---- icicles ----------------------------------------------------------------------------------- */

static double at_lambda(const chart *ch, double lambda) {
    double height = ch->frame.y1 - ch->frame.y0;
    if (lambda == 0) return ch->frame.y0;
    if (isinf(lambda)) return ch->frame.y1;
    double part = fmin(fmax((log(lambda) - ch->low) / (ch->high - ch->low), 0), 1);
    return ch->frame.y0 + height * (BEYOND + (1 - 2 * BEYOND) * part);
}

/* Draws points `count` wide around the middle of cluster c, from y0 to y1. */
static void draw_slice(const chart *ch, size_t c, double count, double y0, double y1) {
    double scale = (ch->frame.x1 - ch->frame.x0) / (double)ch->r->n;
    double middle = ch->frame.x0 + scale * ch->middle[c], half = scale * count / 2;
    plot_rect(ch->canvas, middle - half, y0, middle + half, y1, ch->colour[c]);
}

/* Slices end at whole pixels. */
static void draw_icicle(const chart *ch, size_t c) {
    const glshape_hdbscan_result *r = ch->r;
    double left = r->tree[c].size, from = floor(c ? at_lambda(ch, r->tree[c].birth) : ch->frame.y0);
    double scale = (ch->frame.x1 - ch->frame.x0) / (double)r->n;
    for (size_t e = ch->start[c]; e < ch->start[c + 1] && left * scale >= THIN; e++) {
        const glshape_hdbscan_row *row = &r->rows[ch->rows[e]];
        double y = floor(at_lambda(ch, row->lambda));
        if (y > from) draw_slice(ch, c, left, from, y), from = y;
        left -= row->size;
    }
}

/* The distances of all ticks in one manner: with exponents if one needs them. */
static void label_distance(const chart *ch, double distance, char out[32]) {
    double least = exp(-ch->high), greatest = exp(-ch->low);
    double power = pow(10, floor(log10(distance) + 1e-9));
    if (distance == 0 || isinf(distance)) snprintf(out, 32, "%g", distance);
    else axes_label(out, 32, distance, power, least < 1e-6 ? 1e7 : greatest);
}

static void draw_tick(const chart *ch, double lambda) {
    double font = TICK * ch->unit, y = at_lambda(ch, lambda);
    char text[32];
    label_distance(ch, 1 / lambda, text);
    plot_line(ch->canvas, ch->frame.x0, y, ch->frame.x1, y, ch->unit, PALETTE_GRID);
    plot_text(ch->canvas, ch->frame.x0 - 0.6 * font, y + 0.36 * font, text,
              (plot_style){font, PALETTE_GREY, PLOT_END, false});
}

/* Ticks at 1, 2 and 5 times powers of ten, or at powers of ten alone; and at 0 and INFINITY, if they occur.
 */
static void draw_scale(const chart *ch) {
    static const double parts[] = {1, 2, 5};
    bool ends[2] = {false, false};
    double decades = (ch->high - ch->low) / log(10);
    int every = decades < 3 ? 1 : 3, step = 1 + (int)(decades / 12);
    for (int power = (int)floor(-ch->high / log(10)); power <= (int)ceil(-ch->low / log(10)); power += step)
        for (int k = 0; k < 3; k += every) {
            double d = parts[k] * pow(10, power), l = -log(d);
            if (l >= ch->low && l <= ch->high && d > 0) draw_tick(ch, 1 / d);
        }
    for (size_t k = 0; k < ch->r->row_count; k++) {
        ends[0] |= ch->r->rows[k].lambda == 0;
        ends[1] |= isinf(ch->r->rows[k].lambda) != 0;
    }
    if (ends[0]) draw_tick(ch, 0);
    if (ends[1]) draw_tick(ch, INFINITY);
}

static void draw_cut(const chart *ch) {
    if (!ch->o->cut.is_set) return;
    double y = at_lambda(ch, 1 / ch->o->cut.value);
    plot_line(ch->canvas, ch->frame.x0, y, ch->frame.x1, y, 2 * ch->unit, palette_colour(1));
}

/* ---- points ------------------------------------------------------------------------------------ */

static double coordinate(const chart *ch, size_t v, size_t k) {
    return k < ch->o->dim ? ch->o->xy[v * ch->o->dim + k] : 0;
}

static axes_range range_of(const chart *ch) {
    axes_range range = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}};
    for (size_t v = 0; v < ch->r->n; v++)
        for (size_t k = 0; k < 2; k++) {
            range.lo[k] = fmin(range.lo[k], coordinate(ch, v, k));
            range.hi[k] = fmax(range.hi[k], coordinate(ch, v, k));
        }
    return range;
}

/* Noise lies beneath the clusters. */
static glshape_status draw_points(error *err, const chart *ch) {
    OWNED uint32_t *order = NULL;
    double radius = fmin(fmax(pow(1e6 / (double)ch->r->n, 0.2) * ch->unit, 0.7), 6 * ch->unit);
    random_state state = {1};
    TRY(allocate(err, &order, ch->r->n, sizeof *order, "the order of the points"));
    random_permutation(&state, (uint32_t)ch->r->n, order);
    for (int clusters = 0; clusters < 2; clusters++)
        for (size_t i = 0; i < ch->r->n; i++) {
            int32_t label = ch->labels[order[i]];
            double x = axes_x(&ch->points, coordinate(ch, order[i], 0)),
                   y = axes_y(&ch->points, coordinate(ch, order[i], 1));
            if ((label >= 0) != clusters) continue;
            if (clusters) palette_disc(ch->canvas, x, y, radius, palette_colour((uint32_t)label));
            else plot_disc(ch->canvas, x, y, 0.7 * radius, PALETTE_NOISE);
        }
    return GLSHAPE_OK;
}

/* ---- the sheet --------------------------------------------------------------------------------- */

static glshape_status fill_legend(error *err, chart *ch) {
    OWNED size_t *count = NULL;
    size_t clusters = ch->clusters, noise = 0;
    TRY(allocate(err, &count, clusters, sizeof *count, "the sizes of clusters"));
    for (size_t v = 0; v < ch->r->n; v++)
        if (ch->labels[v] >= 0) count[ch->labels[v]]++;
        else noise++;
    ch->legend.font = NAME * ch->unit;
    if (noise) legend_add(&ch->legend, "noise", noise, PALETTE_NOISE);
    for (size_t c = 0; c < clusters; c++) {
        char name[32];
        snprintf(name, sizeof name, "cluster %zu", c);
        legend_add(&ch->legend, name, count[c], palette_colour((uint32_t)c));
    }
    return GLSHAPE_OK;
}

static void lay_out(chart *ch) {
    double u = ch->unit, margin = HEAD_MARGIN * u, width = ch->canvas->width,
           labels = font_width("distance", NAME * u);
    double top = floor(head_height(ch->title != NULL, u) + 1.6 * NAME * u),
           bottom = floor(ch->canvas->height - margin - (TICK + 10) * u), right = width - margin;
    legend_fit(&ch->legend, 0.2 * width, bottom - top, 1);
    right -= ch->legend.width + margin / 2;
    double left = margin + labels;
    if (ch->o->xy) {
        double end = left + (right - left - labels - margin) * 0.5;
        axes_range range = range_of(ch);
        for (int round = 0; round < 3; round++) {
            axes_frame f = {floor(left), top, floor(end), bottom};
            ch->points = axes_fit(f, range, 10 * u, TICK * u, ch->o->dim == 1);
            left = margin + axes_left(&ch->points);
        }
        left = end + margin + labels;
    }
    ch->frame = (axes_frame){floor(left), top, floor(right), bottom};
}

static void draw_name(const chart *ch, double x, const char *text, plot_anchor anchor, bool bold) {
    plot_text(ch->canvas, x, ch->frame.y0 - 0.7 * NAME * ch->unit, text,
              (plot_style){NAME * ch->unit, bold ? PALETTE_INK : PALETTE_GREY, anchor, bold});
}

static void draw_head(const chart *ch) {
    char text[200], number[32], noise[32];
    size_t none = 0;
    for (size_t v = 0; v < ch->r->n; v++) none += ch->labels[v] < 0;
    legend_number(number, sizeof number, ch->r->n);
    legend_number(noise, sizeof noise, none);
    snprintf(text, sizeof text, "%s point%s: %zu cluster%s, %s point%s of noise", number,
             ch->r->n == 1 ? "" : "s", ch->clusters, ch->clusters == 1 ? "" : "s", noise,
             none == 1 ? "" : "s");
    head_draw(ch->canvas, ch->unit, ch->title, text);
}

static glshape_status draw_panels(error *err, const chart *ch) {
    draw_head(ch);
    draw_scale(ch);
    for (size_t c = 0; c < ch->r->tree_clusters; c++) draw_icicle(ch, c);
    draw_cut(ch);
    draw_name(ch, ch->frame.x0, "Condensed tree", PLOT_START, true);
    draw_name(ch, ch->frame.x0 - 0.6 * NAME * ch->unit, "distance", PLOT_END, false);
    legend_draw(&ch->legend, ch->canvas, ch->frame.x1 + HEAD_MARGIN * ch->unit / 2, ch->frame.y0);
    if (!ch->o->xy) return GLSHAPE_OK;
    axes_draw(&ch->points, ch->canvas);
    draw_name(ch, ch->points.frame.x0, "Points", PLOT_START, true);
    return draw_points(err, ch);
}

glshape_status plot_check_icicles(error *err, const glshape_chart_icicles *o) {
    chart ch = {.o = o, .r = o->of};
    TRY(trees_check_condensed(err, ch.r));
    return check_options(err, &ch);
}

glshape_status plot_icicles(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_icicles *o) {
    OWNED_BY(chart_free) chart ch = {.o = o, .title = on->title, .r = o->of, .canvas = c};
    TRY(sheet_new(err, &paper, on, c, &ch.unit));
    TRY(trees_check_condensed(err, ch.r));
    TRY(check_options(err, &ch));
    TRY(arrange_tree(err, &ch));
    TRY(fill_legend(err, &ch));
    lay_out(&ch);
    TRY(draw_panels(err, &ch));
    return plot_canvas_check(err, c);
}
