/* The picture of an image with marks: what lies where on its canvas. */
#include <math.h>
#include <string.h>

#include "plot/palette.h"
#include "plot/plot.h"
#include "suites.h"

Suite *plot_marks_suite(void);

static glshape_picture_options on; /* plain, but where a test says otherwise */

static error err;
static plot_canvas c;

static void teardown(void) { plot_canvas_free(&c); }

/* The discs of this colour, in order. */
static size_t discs(uint32_t colour, const plot_shape *out[8]) {
    size_t found = 0;
    for (size_t k = 0; k < c.count && found < 8; k++) {
        const plot_shape *s = &c.shapes[k];
        if (s->kind == PLOT_CAPSULE && s->x0 == s->x1 && s->y0 == s->y1 && s->colour == colour)
            out[found++] = s;
    }
    return found;
}

/* The colour of the image at a point; the paper's where there is no image. */
static uint32_t shade_at(double x, double y) {
    uint32_t colour = PALETTE_PAPER;
    for (size_t k = 0; k < c.count; k++) {
        const plot_shape *s = &c.shapes[k];
        if (s->kind == PLOT_RECT && x >= s->x0 && x < s->x1 && y >= s->y0 && y < s->y1) colour = s->colour;
    }
    return colour;
}

START_TEST(marks_lie_on_their_cells) {
    static const double image[6] = {0, 1, INFINITY, 4, 2, -INFINITY};
    static const plot_mark marks[2] = {{0, {0, 1}, {0, 1}, false}, {1, {1, 0}, {2, 1}, true}};
    const plot_marked o = {.rows = 2, .columns = 3, .image = image, .count = 2, .marks = marks};
    const plot_shape *at[8];
    OK(&err, plot_marks(&err, &c, &on, &o));
    ck_assert_uint_eq(discs(palette_colour(0), at), 2); /* the mark, and the legend's */
    ck_assert_uint_eq(shade_at(at[0]->x0, at[0]->y0), 0xffffff);
    ck_assert_uint_eq(discs(palette_colour(1), at), 3);
    ck_assert_uint_eq(shade_at(at[1]->x0, at[1]->y0), 0x404040); /* the birth is drawn after the death */
    ck_assert_uint_eq(shade_at(at[0]->x0, at[0]->y0), 0);
    ck_assert(at[0]->x0 > at[1]->x0 && at[0]->y0 > at[1]->y0);
}
END_TEST

START_TEST(flat_and_infinite_images) {
    static const double flat[2] = {3, 3}, never[2] = {INFINITY, -INFINITY}, wide[2] = {-1.7e308, 1.7e308};
    const double *const images[] = {flat, never, wide};
    for (int i = 0; i < 3; i++) {
        const plot_marked o = {.rows = 1, .columns = 2, .image = images[i]};
        plot_canvas_free(&c);
        OK(&err, plot_marks(&err, &c, &on, &o));
    }
    ck_assert_uint_eq(shade_at(50, c.height / 4.0), 0);
}
END_TEST

/* One row of many cells, which would be a line a few pixels high if they were square. */
START_TEST(a_row_is_a_band) {
    double row[100];
    for (int k = 0; k < 100; k++) row[k] = k;
    const plot_marked o = {.rows = 1, .columns = 100, .image = row};
    OK(&err, plot_marks(&err, &c, &on, &o));
    ck_assert(c.width == 1200 && c.height == 300);
    size_t height = 0;
    for (uint32_t y = 0; y < c.height; y++) height += shade_at(100, y) != PALETTE_PAPER;
    ck_assert_uint_ge(height, 60);
}
END_TEST

START_TEST(refusals) {
    static const double image[2] = {0, 1};
    static const plot_mark outside = {0, {2, 0}, {0, 0}, true}, high = {PLOT_DIMS, {0, 0}, {0, 0}, true};
    plot_marked o = {.rows = 1, .columns = 2, .image = image, .count = 1, .marks = &outside};
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_marks(&err, &c, &on, &o), "mark 0 is outside");
    o.marks = &high;
    plot_canvas_free(&c);
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_marks(&err, &c, &on, &o), "dimension 17");
    on.width = 100;
    plot_canvas_free(&c);
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_marks(&err, &c, &on, &o), "an image");
    on.width = 0;
}
END_TEST

Suite *plot_marks_suite(void) {
    Suite *s = suite_create("plot/marks");
    TCase *t = tcase_create("plot/marks");
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, marks_lie_on_their_cells);
    tcase_add_test(t, flat_and_infinite_images);
    tcase_add_test(t, a_row_is_a_band);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return s;
}
