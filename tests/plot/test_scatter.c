/* The scatter chart: what lies where on its canvas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/axes.h"
#include "plot/font.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/raster.h"
#include "suites.h"

Suite *plot_scatter_suite(void);

static glshape_picture_options on; /* plain, but where a test says otherwise */

static error err;
static plot_canvas c;
static double *xy;
static uint32_t *labels;

static void teardown(void) {
    plot_canvas_free(&c);
    free(xy);
    free(labels);
    xy = NULL, labels = NULL;
}

static void draw(glshape_chart_scatter o) {
    plot_canvas_free(&c);
    OK(&err, plot_scatter(&err, &c, &on, &o));
}

static double random_in(double lo, double hi) { return lo + (hi - lo) * rand() / RAND_MAX; }

/* n points in the unit square, labelled 0, 0, … 1, 1, …. */
static void make_points(size_t n, uint32_t classes) {
    free(xy);
    free(labels);
    xy = malloc((n + 1) * 2 * sizeof *xy);
    labels = malloc((n + 1) * sizeof *labels);
    ck_assert(xy && labels);
    srand(5);
    for (size_t i = 0; i < 2 * n; i++) xy[i] = random_in(0, 1);
    for (size_t i = 0; i < n; i++) labels[i] = (uint32_t)(i * classes / n);
}

typedef struct box {
    double x0, y0, x1, y1;
} box;

static box box_of(const plot_shape *s) {
    double r = s->size;
    if (s->kind == PLOT_RECT) return (box){s->x0, s->y0, s->x1, s->y1};
    if (s->kind == PLOT_CAPSULE)
        return (box){fmin(s->x0, s->x1) - r, fmin(s->y0, s->y1) - r, fmax(s->x0, s->x1) + r,
                     fmax(s->y0, s->y1) + r};
    double width = font_width(c.text + s->first, s->size), shift[] = {0, width / 2, width};
    double left = s->x0 - shift[s->anchor];
    return (box){left, s->y0 - 0.8 * s->size, left + width, s->y0 + 0.25 * s->size};
}

static bool meet(box a, box b) { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1; }

static bool is_disc(const plot_shape *s) {
    return s->kind == PLOT_CAPSULE && s->x0 == s->x1 && s->y0 == s->y1;
}

/* The legend comes last and begins with a disc (two, if its colour is light) that a text follows; the points
 * are the discs before. Class 0 is not light, so its disc is one. */
static size_t first_of_legend(void) {
    for (size_t i = 0; i + 1 < c.count; i++)
        if (is_disc(&c.shapes[i]) && c.shapes[i + 1].kind == PLOT_TEXT) return i;
    return c.count;
}

static box box_of_points(void) {
    box all = {1e9, 1e9, -1e9, -1e9};
    for (size_t i = 0, end = first_of_legend(); i < end; i++) {
        if (!is_disc(&c.shapes[i])) continue;
        box b = box_of(&c.shapes[i]);
        all = (box){fmin(all.x0, b.x0), fmin(all.y0, b.y0), fmax(all.x1, b.x1), fmax(all.y1, b.y1)};
    }
    return all;
}

/* No text and no legend entry touches the points or leaves the picture. */
static void check_layout(const char *what) {
    box points = box_of_points(), picture = {0, 0, c.width, c.height};
    size_t legend = first_of_legend();
    ck_assert_msg(points.x0 >= 0 && points.y0 >= 0 && points.x1 <= c.width && points.y1 <= c.height,
                  "%s: points leave the picture", what);
    for (size_t i = 0; i < c.count; i++) {
        const plot_shape *s = &c.shapes[i];
        if (s->kind != PLOT_TEXT && i < legend) continue;
        box b = box_of(s);
        ck_assert_msg(!meet(b, points), "%s: shape %zu covers points", what, i);
        ck_assert_msg(b.x0 >= -1 && b.y0 >= 0 && b.x1 <= picture.x1 && b.y1 <= picture.y1,
                      "%s: shape %zu (%g,%g)-(%g,%g) leaves the picture", what, i, b.x0, b.y0, b.x1, b.y1);
    }
}

static bool has_text(const char *text) {
    for (size_t i = 0; i < c.count; i++)
        if (c.shapes[i].kind == PLOT_TEXT && !strcmp(c.text + c.shapes[i].first, text)) return true;
    return false;
}

/* ---- layout ----------------------------------------------------------------------------------- */

START_TEST(nothing_overlaps) {
    static const uint32_t classes[] = {1, 2, 7, 12, 21, 30, 300};
    static const uint32_t sides[][2] = {{0, 0},     {1600, 900}, {600, 1200},
                                        {300, 260}, {200, 200},  {3000, 3000}};
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
            char what[64];
            snprintf(what, sizeof what, "%u classes, %u wide", classes[k], sides[s][0]);
            make_points(600, classes[k]);
            on = (glshape_picture_options){
                .title = "A title that is far too long for a picture that is so small",
                .width = sides[s][0],
                .height = sides[s][1]};
            draw((glshape_chart_scatter){
                .n = 600, .dim = 2, .xy = xy, .labels = labels, .classes = classes[k]});
            on = (glshape_picture_options){0};
            check_layout(what);
        }
}
END_TEST

START_TEST(units_are_equal_and_y_points_up) {
    double square[] = {0, 0, 4, 0, 0, 3};
    plot_shape discs[3] = {0};
    uint32_t classes[] = {0, 1, 2};
    draw((glshape_chart_scatter){.n = 3, .dim = 2, .xy = square, .labels = classes, .classes = 3});
    for (size_t i = 0, end = first_of_legend(); i < end; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (is_disc(&c.shapes[i]) && c.shapes[i].colour == palette_colour(k)) discs[k] = c.shapes[i];
    double right = discs[1].x0 - discs[0].x0, up = discs[0].y0 - discs[2].y0;
    ck_assert_double_gt(right, 400);
    ck_assert_double_eq_tol(up / right, 0.75, 1e-4);
    ck_assert_double_eq_tol(discs[0].x0, discs[2].x0, 1e-3);
}
END_TEST

START_TEST(painted_in_class_colours) {
    double corners[] = {0, 0, 1, 0, 0, 1, 1, 1};
    uint32_t classes[] = {0, 1, 2, 3}, *picture = malloc(400 * 400 * sizeof *picture);
    int seen = 0;
    ck_assert_ptr_nonnull(picture);
    on = (glshape_picture_options){.width = 400, .height = 400};
    draw((glshape_chart_scatter){.n = 4, .dim = 2, .xy = corners, .labels = classes, .classes = 4});
    on = (glshape_picture_options){0};
    OK(&err, raster_paint(test_gpu(), &err, &c, &(raster_limits){0}, picture));
    for (size_t i = 0, end = first_of_legend(); i < end; i++) {
        const plot_shape *s = &c.shapes[i];
        if (!is_disc(s) || s->colour == PALETTE_PAPER) continue;
        ck_assert_uint_eq(picture[(size_t)s->y0 * 400 + (size_t)s->x0], s->colour);
        seen++;
    }
    ck_assert_int_eq(seen, 4);
    ck_assert_uint_eq(picture[0], 0xFFFFFF);
    free(picture);
}
END_TEST

START_TEST(no_class_hides_another) {
    make_points(2000, 2);
    for (size_t i = 0; i < 4000; i++) xy[i] = 0;
    xy[0] = 1;
    draw((glshape_chart_scatter){.n = 2000, .dim = 2, .xy = xy, .labels = labels, .classes = 2});
    size_t end = first_of_legend(), last[2] = {0, 0}, taken = 0;
    for (size_t i = end; i-- > 0 && taken < 200;)
        for (uint32_t k = 0; k < 2; k++)
            if (is_disc(&c.shapes[i]) && c.shapes[i].colour == palette_colour(k)) last[k]++, taken++;
    ck_assert_uint_gt(last[0], 60);
    ck_assert_uint_gt(last[1], 60);
}
END_TEST

START_TEST(same_input_same_picture) {
    make_points(500, 3);
    glshape_chart_scatter o = {.n = 500, .dim = 2, .xy = xy, .labels = labels, .classes = 3};
    plot_canvas again;
    draw(o);
    OK(&err, plot_scatter(&err, &again, &on, &o));
    ck_assert_uint_eq(again.count, c.count);
    for (size_t i = 0; i < c.count; i++) {
        ck_assert(again.shapes[i].x0 == c.shapes[i].x0 && again.shapes[i].y0 == c.shapes[i].y0);
        ck_assert_uint_eq(again.shapes[i].colour, c.shapes[i].colour);
    }
    plot_canvas_free(&again);
}
END_TEST

START_TEST(odd_inputs_are_drawn) {
    static const double one[] = {1e9, -3}, equal[] = {7, 7, 7, 7, 7, 7}, zero[] = {0, 0},
                        offset[] = {1e9f, 1e-3f, 1e9f + 640, 2e-3f},
                        huge[] = {3.4e38f, -3.4e38f, -3.4e38f, 3.4e38f}, tiny[] = {1e-45f, 0, 0, 1e-45f},
                        line[] = {3, 1, 2}, deep[] = {1, 2, 3, 4, 5, 6};
    static const struct {
        const char *name;
        size_t n, dim;
        const double *xy;
    } cases[] = {{"none", 0, 2, NULL}, {"one", 1, 2, one},       {"equal", 3, 2, equal},
                 {"zero", 1, 2, zero}, {"offset", 2, 2, offset}, {"huge", 2, 2, huge},
                 {"tiny", 2, 2, tiny}, {"line", 3, 1, line},     {"deep", 2, 3, deep}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draw((glshape_chart_scatter){.n = cases[i].n, .dim = cases[i].dim, .xy = cases[i].xy});
        if (cases[i].n) check_layout(cases[i].name);
        size_t discs = 0;
        for (size_t k = 0; k < c.count; k++) {
            ck_assert_msg(isfinite(c.shapes[k].x0) && isfinite(c.shapes[k].y0), "%s", cases[i].name);
            discs += is_disc(&c.shapes[k]) && c.shapes[k].colour == palette_colour(0);
        }
        ck_assert_uint_eq(discs, cases[i].n);
    }
    ck_assert(has_text("2 points, dimensions 1 and 2 of 3"));
}
END_TEST

/* Points of one dimension need no square. */
START_TEST(a_line_is_drawn_on_a_strip) {
    make_points(50, 3);
    draw((glshape_chart_scatter){.n = 50, .dim = 1, .xy = xy, .labels = labels, .classes = 3});
    ck_assert(c.width == 1200 && c.height == 360);
    draw((glshape_chart_scatter){.n = 25, .dim = 2, .xy = xy});
    ck_assert(c.width == 1200 && c.height == 1200);
}
END_TEST

START_TEST(bad_input_is_refused) {
    make_points(10, 2);
    glshape_chart_scatter good = {.n = 10, .dim = 2, .xy = xy, .labels = labels, .classes = 2}, bad[3];
    for (int i = 0; i < 3; i++) bad[i] = good;
    bad[0].dim = 0;
    bad[1].classes = 1;
    bad[2].xy = (const double[20]){[7] = INFINITY};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(plot_scatter(&err, &c, &on, &bad[i]), GLSHAPE_BAD_ARGUMENT);
        plot_canvas_free(&c);
    }
    on.width = 100;
    ck_assert_int_eq(plot_scatter(&err, &c, &on, &good), GLSHAPE_BAD_ARGUMENT);
    on.width = 0;
}
END_TEST

/* ---- legend, palette, axes -------------------------------------------------------------------- */

START_TEST(legend_names_and_counts) {
    static const char *const names[] = {"<a> & \"b\"", "caf\xc3\xa9", "empty", "last"};
    make_points(9, 4);
    memcpy(labels, (uint32_t[]){0, 0, 0, 0, 0, 1, 1, 3, 3}, 9 * sizeof *labels);
    draw((glshape_chart_scatter){.n = 9, .dim = 2, .xy = xy, .labels = labels, .classes = 4, .names = names});
    ck_assert(has_text(names[0]) && has_text(names[1]) && has_text("last") && has_text("5"));
    ck_assert(!has_text("empty"));
    make_points(3000, 21);
    draw((glshape_chart_scatter){.n = 3000, .dim = 2, .xy = xy, .labels = labels, .classes = 21});
    ck_assert(has_text("class 19") && !has_text("class 20") && has_text("+ 1 more"));
    make_points(3000, 30);
    draw((glshape_chart_scatter){.n = 3000, .dim = 2, .xy = xy, .labels = labels, .classes = 30});
    ck_assert(has_text("class 19") && !has_text("class 20") && has_text("+ 10 more") &&
              has_text("3,000 points"));
}
END_TEST

START_TEST(numbers_are_grouped) {
    static const struct {
        uint64_t n;
        const char *text;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {1234567, "1,234,567"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        legend_number(text, sizeof text, cases[i].n);
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

START_TEST(colours_differ) {
    for (uint32_t i = 0; i < 48; i++)
        for (uint32_t k = 0; k < i; k++) ck_assert_uint_ne(palette_colour(i), palette_colour(k));
    ck_assert_uint_eq(palette_colour(48), palette_colour(0));
    ck_assert_uint_eq(palette_mix(0x000000, 0xFF8040, 0.5), 0x804020);
}
END_TEST

START_TEST(ticks_are_round) {
    ck_assert_double_eq_tol(axes_nice(0.7), 1, 1e-12);
    ck_assert_double_eq_tol(axes_nice(1), 1, 1e-12);
    ck_assert_double_eq_tol(axes_nice(1.3), 2, 1e-12);
    ck_assert_double_eq_tol(axes_nice(2300), 5000, 1e-9);
    ck_assert_double_eq_tol(axes_nice(5.1), 10, 1e-12);
    ck_assert(axes_nice(5e-324) > 0);
}
END_TEST

START_TEST(labels_have_the_digits_they_need) {
    static const struct {
        double value, step, most;
        const char *text;
    } cases[] = {{-20, 10, 30, "-20"},
                 {0.5, 0.25, 2, "0.5"},
                 {1e-17, 0.1, 1, "0"},
                 {-0.02, 0.01, 0.1, "-0.02"},
                 {2e38, 1e38, 3e38, "2e38"},
                 {1000000100, 100, 1000000500, "1.0000001e9"},
                 {1.5e-8, 5e-9, 2e-8, "1.5e-8"},
                 {1e8, 5e7, 1e8, "1e8"},
                 {123456, 2000, 200000, "123456"}};
    char text[40];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        axes_label(text, sizeof text, cases[i].value, cases[i].step, cases[i].most);
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

START_TEST(a_million_points) {
    FILE *f = tmpfile();
    ck_assert_ptr_nonnull(f);
    make_points(1000000, 10);
    draw((glshape_chart_scatter){.n = 1000000, .dim = 2, .xy = xy, .labels = labels, .classes = 10});
    OK(&err, plot_write(test_gpu(), &err, &c, GLSHAPE_PICTURE_PNG, f));
    ck_assert_int_gt(ftell(f), 10000);
    fclose(f);
}
END_TEST

/* Labels are right where sums of coordinates are no doubles. */
START_TEST(greatest_doubles) {
    static const double most[] = {1.7e308, 0, -1.7e308, 1e308};
    draw((glshape_chart_scatter){.n = 2, .dim = 2, .xy = most});
    double at[2] = {NAN, NAN};
    for (size_t k = 0; k < c.count; k++) {
        const plot_shape *s = &c.shapes[k];
        if (s->kind != PLOT_TEXT || s->anchor != PLOT_MIDDLE) continue;
        if (!strcmp(c.text + s->first, "0")) at[0] = s->x0;
        if (!strcmp(c.text + s->first, "1e308")) at[1] = s->x0;
    }
    const plot_shape *a = NULL, *b = NULL;
    for (size_t k = 0; k < c.count; k++)
        if (is_disc(&c.shapes[k]))
            b = a && c.shapes[k].x0 != a->x0 ? &c.shapes[k] : b, a = a ? a : &c.shapes[k];
    ck_assert(a && b);
    double unit = fabs((double)a->x0 - b->x0) / 3.4; /* pixels of 1e308 */
    ck_assert_msg(fabs(at[1] - at[0] - unit) < 0.5, "%g to %g, unit %g", at[0], at[1], unit);
}
END_TEST

/* Each label of an axis is another number where few doubles are left. */
START_TEST(least_doubles) {
    static const double least[] = {0, 0, 3 * 0x1p-1074, 0};
    char seen[64][40];
    int labels = 0;
    draw((glshape_chart_scatter){.n = 2, .dim = 2, .xy = least});
    for (size_t k = 0; k < c.count; k++) {
        const plot_shape *s = &c.shapes[k];
        if (s->kind != PLOT_TEXT || s->anchor != PLOT_MIDDLE) continue;
        for (int i = 0; i < labels; i++) ck_assert_str_ne(c.text + s->first, seen[i]);
        snprintf(seen[labels++], sizeof *seen, "%s", c.text + s->first);
    }
    ck_assert_int_ge(labels, 2);
}
END_TEST

/* Where points are is as exact far from zero, where floats are half a unit apart, as near it. */
START_TEST(far_from_zero) {
    enum { N = 200 };
    static double near[2 * N], far[2 * N];
    static plot_shape shapes[4 * N];
    srand(3);
    for (int k = 0; k < 2 * N; k++) {
        near[k] = floor(random_in(0, 20) * 1024) / 1024;
        far[k] = near[k] + (k % 2 ? 5400000 : 500000);
    }
    for (int k = 0; k < 2; k++)
        near[k] = 0, near[2 + k] = 20, far[k] = k ? 5400000 : 500000, far[2 + k] = far[k] + 20;
    draw((glshape_chart_scatter){.n = N, .dim = 2, .xy = near});
    size_t count = 0, at = 0;
    for (size_t k = 0; k < c.count; k++)
        if (c.shapes[k].kind == PLOT_CAPSULE) shapes[count++] = c.shapes[k];
    draw((glshape_chart_scatter){.n = N, .dim = 2, .xy = far});
    /* The labels are wider, and the scale a little less. */
    double x0 = 0, x1 = 0, scale = 0;
    for (size_t k = 0; k < c.count; k++) {
        if (c.shapes[k].kind != PLOT_CAPSULE) continue;
        if (!at) x0 = c.shapes[k].x0, x1 = shapes[0].x0;
        else if (fabs(shapes[at].x0 - x1) > 300) scale = (c.shapes[k].x0 - x0) / (shapes[at].x0 - x1);
        at++;
    }
    ck_assert(at == count && scale > 0.8 && scale <= 1);
    at = 0;
    for (size_t k = 0; k < c.count; k++)
        if (c.shapes[k].kind == PLOT_CAPSULE)
            ck_assert(fabs(c.shapes[k].x0 - x0 - scale * (shapes[at++].x0 - x1)) < 0.01);
}
END_TEST

Suite *plot_scatter_suite(void) {
    Suite *s = suite_create("plot_scatter");
    TCase *t = tcase_create("scatter");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, far_from_zero);
    tcase_add_test(t, greatest_doubles);
    tcase_add_test(t, least_doubles);
    tcase_add_test(t, nothing_overlaps);
    tcase_add_test(t, units_are_equal_and_y_points_up);
    tcase_add_test(t, painted_in_class_colours);
    tcase_add_test(t, no_class_hides_another);
    tcase_add_test(t, same_input_same_picture);
    tcase_add_test(t, odd_inputs_are_drawn);
    tcase_add_test(t, a_line_is_drawn_on_a_strip);
    tcase_add_test(t, bad_input_is_refused);
    tcase_add_test(t, legend_names_and_counts);
    tcase_add_test(t, numbers_are_grouped);
    tcase_add_test(t, colours_differ);
    tcase_add_test(t, ticks_are_round);
    tcase_add_test(t, labels_have_the_digits_they_need);
    tcase_add_test(t, a_million_points);
    suite_add_tcase(s, t);
    return s;
}
