#include <math.h>
#include <string.h>

#include "plot/palette.h"
#include "plot/plot.h"
#include "suites.h"

static glshape_picture_options on; /* plain, but where a test says otherwise */

/* Eight points: one falls out of the root, 7 split into 3 and 4; one of the 4 falls out. A point of each
 * cluster stays for ever. */
static glshape_hdbscan_row rows[] = {{8, 0, 1, 0.1}, {8, 9, 3, 0.2},      {8, 10, 4, 0.2}, {9, 1, 1, 1},
                                     {9, 2, 1, 1},   {9, 3, 1, INFINITY}, {10, 4, 1, 0.5}, {10, 5, 1, 2},
                                     {10, 6, 1, 2},  {10, 7, 1, INFINITY}};
static glshape_hdbscan_cluster tree[] = {
    {8, 8, -1, 0, 0.2, 1, 10}, {8, 3, 0, 0.2, INFINITY, 2, 5}, {8, 4, 1, 0.2, INFINITY, 2, 5}};
static int32_t labels[] = {-1, 0, 0, 0, 1, 1, 1, 1};

static glshape_hdbscan_result result(void) {
    return (glshape_hdbscan_result){.n = 8, .rows = rows, .row_count = 10, .tree = tree, .tree_clusters = 3};
}

/* The width of the widest rectangle of a color, and the height of all of them. */
static double widest(const plot_canvas *c, uint32_t colour, double *height) {
    double width = 0;
    *height = 0;
    for (size_t i = 0; i < c->count; i++) {
        const plot_shape *s = &c->shapes[i];
        if (s->kind != PLOT_RECT || s->colour != colour) continue;
        ck_assert(s->x0 >= 0 && s->x1 <= (float)c->width && s->y0 < s->y1 && s->y1 < (float)c->height);
        width = fmax(width, (double)(s->x1 - s->x0));
        *height += (double)(s->y1 - s->y0);
    }
    return width;
}

static size_t count_discs(const plot_canvas *c, uint32_t colour) {
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += c->shapes[i].kind == PLOT_CAPSULE && c->shapes[i].colour == colour &&
                 c->shapes[i].x0 == c->shapes[i].x1 && c->shapes[i].y0 == c->shapes[i].y1;
    return count;
}

static bool has_text(const plot_canvas *c, const char *text) {
    for (size_t i = 0; i < c->count; i++)
        if (c->shapes[i].kind == PLOT_TEXT && !strcmp(c->text + c->shapes[i].first, text)) return true;
    return false;
}

START_TEST(widths_are_sizes) {
    glshape_hdbscan_result r = result();
    error err = {0};
    plot_canvas c;
    double all, three, four, height[3];
    OK(&err,
       plot_icicles(&err, &c, &on, &(glshape_chart_icicles){.of = &r, .labels = labels, .clusters = 2}));
    all = widest(&c, 0xD4D4D4, &height[0]);
    three = widest(&c, palette_colour(0), &height[1]);
    four = widest(&c, palette_colour(1), &height[2]);
    ck_assert(fabs(three / all - 3.0 / 8) < 1e-3 && fabs(four / all - 4.0 / 8) < 1e-3);
    ck_assert(height[0] > 0 && height[1] > height[0] && height[1] == height[2]);
    ck_assert(has_text(&c, "8 points: 2 clusters, 1 point of noise") && has_text(&c, "cluster 1"));
    ck_assert(has_text(&c, "0") && has_text(&c, "5") && !has_text(&c, "inf"));
    plot_canvas_free(&c);
}
END_TEST

START_TEST(points_and_cuts) {
    glshape_hdbscan_result r = result();
    error err = {0};
    plot_canvas c;
    double xy[16], height;
    for (int k = 0; k < 16; k++) xy[k] = k % 5;
    glshape_chart_icicles o = {
        .of = &r, .labels = labels, .clusters = 2, .xy = xy, .dim = 2, .cut = GLSHAPE_SET(0.7)};
    on = (glshape_picture_options){.title = "T"};
    OK(&err, plot_icicles(&err, &c, &on, &o));
    ck_assert_uint_eq(count_discs(&c, palette_colour(0)), 3 + 1); /* one in the legend */
    ck_assert_uint_eq(count_discs(&c, palette_colour(1)), 4 + 1);
    ck_assert(widest(&c, palette_colour(0), &height) == 0); /* all grey */
    plot_canvas_free(&c);
    on.width = 300;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_icicles(&err, &c, &on, &o), "480");
    plot_canvas_free(&c);
    on = (glshape_picture_options){0};
    o.clusters = 1;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_icicles(&err, &c, &on, &o), "in cluster 1");
    plot_canvas_free(&c);
    o.clusters = 2, xy[3] = NAN;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_icicles(&err, &c, &on, &o), "row 2, column 2");
    plot_canvas_free(&c);
}
END_TEST

/* All points leave at once, at a distance that is 0, or infinite. */
START_TEST(odd_trees) {
    for (int kind = 0; kind < 2; kind++) {
        glshape_hdbscan_row all[8];
        glshape_hdbscan_cluster root = {8, 8, -1, 0, kind ? INFINITY : 0, 0, 1};
        int32_t none[8];
        for (uint32_t v = 0; v < 8; v++) all[v] = (glshape_hdbscan_row){8, v, 1, root.death}, none[v] = -1;
        glshape_hdbscan_result r = {.n = 8, .rows = all, .row_count = 8, .tree = &root, .tree_clusters = 1};
        error err = {0};
        plot_canvas c;
        OK(&err, plot_icicles(&err, &c, &on, &(glshape_chart_icicles){.of = &r, .labels = none}));
        ck_assert(has_text(&c, kind ? "0" : "inf"));
        plot_canvas_free(&c);
    }
}
END_TEST

Suite *plot_icicles_suite(void) {
    Suite *s = suite_create("plot/icicles");
    TCase *t = tcase_create("icicles");
    tcase_add_test(t, widths_are_sizes);
    tcase_add_test(t, points_and_cuts);
    tcase_add_test(t, odd_trees);
    suite_add_tcase(s, t);
    return s;
}
