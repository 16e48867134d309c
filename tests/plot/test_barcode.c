/* The barcode chart: what lies where on its canvas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plot/font.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "suites.h"

Suite *plot_barcode_suite(void);

static glshape_picture_options on; /* plain, but where a test says otherwise */

enum { MOST = 30000 };

static error err;
static plot_canvas c;
static glshape_interval list[MOST];
static size_t count;

static void teardown(void) {
    plot_canvas_free(&c);
    on = (glshape_picture_options){0};
}

static void add(int dim, double birth, double death) {
    list[count++] = (glshape_interval){dim, birth, death, 0, 0};
}

static glshape_chart_barcode all(int dims) {
    return (glshape_chart_barcode){.count = count, .intervals = list, .dims = dims, .end = 1};
}

static void draw(glshape_chart_barcode o) {
    plot_canvas_free(&c);
    OK(&err, plot_barcode(&err, &c, &on, &o));
}

static bool is_disc(const plot_shape *s) {
    return s->kind == PLOT_CAPSULE && s->x0 == s->x1 && s->y0 == s->y1;
}

/* The dots of a dimension (not the legend's, which a text follows) or its bars, in painting order. */
static size_t shapes_of(int dim, bool bars, const plot_shape **out) {
    size_t found = 0;
    for (size_t k = 0; k < c.count; k++) {
        const plot_shape *s = &c.shapes[k];
        bool legend = k + 1 < c.count && s[1].kind == PLOT_TEXT;
        bool fits = bars ? s->kind == PLOT_RECT : is_disc(s) && !legend;
        if (fits && s->colour == palette_colour((uint32_t)dim)) out[found++] = s;
    }
    return found;
}

static const char *text_with(const char *part) {
    for (size_t k = 0; k < c.count; k++)
        if (c.shapes[k].kind == PLOT_TEXT && strstr(c.text + c.shapes[k].first, part))
            return c.text + c.shapes[k].first;
    return NULL;
}

/* ---- where things are -------------------------------------------------------------------------- */

/* Bars begin and end at places that are linear functions of birth and death; groups and births go down. */
START_TEST(bars_are_proportional) {
    static const struct {
        int dim;
        double birth, death;
    } wanted[] = {{0, 0, 2}, {0, 0, INFINITY}, {1, 1, 3}, {1, 1, 4}, {1, 3, 4}, {2, 2, 10}};
    static const plot_shape *bars[6];
    count = 0;
    add(1, 3, 4), add(0, 0, INFINITY), add(1, 1, 4), add(0, 0, 2), add(2, 2, 10), add(1, 1, 3);
    draw(all(3));
    ck_assert_uint_eq(shapes_of(0, true, bars), 2);
    ck_assert_uint_eq(shapes_of(1, true, bars + 2), 3);
    ck_assert_uint_eq(shapes_of(2, true, bars + 5), 1);
    double zero = bars[0]->x0, unit = (bars[0]->x1 - zero) / 2;
    ck_assert_double_gt(unit, 10);
    for (int k = 0; k < 6; k++) {
        double from = (bars[k]->x0 - zero) / unit, to = (bars[k]->x1 - zero) / unit;
        ck_assert_double_eq_tol(from, wanted[k].birth, 1e-3);
        if (k == 1) ck_assert_double_ge(to, 10);
        else ck_assert_double_eq_tol(to, wanted[k].death, 1e-3);
        if (k) ck_assert_double_gt(bars[k]->y0, bars[k - 1]->y1);
    }
    ck_assert(text_with("dim 0") && text_with("dim 1") && text_with("dim 2"));
    ck_assert_str_eq(text_with("interval"), "6 intervals");
}
END_TEST

START_TEST(dots_are_proportional) {
    static const plot_shape *at[2], *one, *two;
    count = 0;
    add(0, 0, 2), add(0, 0, INFINITY), add(1, 3, 4), add(2, 2, 10);
    draw(all(3));
    ck_assert_uint_eq(shapes_of(0, false, at), 2); /* the longer on top */
    ck_assert_uint_eq(shapes_of(1, false, &one), 1);
    ck_assert_uint_eq(shapes_of(2, false, &two), 1);
    double x0 = at[0]->x0, y2 = at[0]->y0, unit = (two->x0 - x0) / 2;
    ck_assert_double_gt(unit, 10);
    ck_assert_double_eq_tol(y2 - two->y0, 8 * unit, 1e-2);
    ck_assert_double_eq_tol(one->x0 - x0, 3 * unit, 1e-2);
    ck_assert_double_eq_tol(y2 - one->y0, 2 * unit, 1e-2);
    ck_assert_double_eq_tol(at[1]->x0, x0, 1e-3);
    ck_assert_double_lt(at[1]->y0, two->y0 - 10);
    ck_assert(text_with("never") && text_with("birth") && text_with("death"));
}
END_TEST

/* 500 bars have no room: the longest stay, and the picture says how many. */
START_TEST(the_longest_stay) {
    static const plot_shape *bars[500], *dots[500];
    count = 0;
    for (int k = 0; k < 500; k++) add(0, 0, 1 + (float)(k * 37 % 500));
    add(1, 400, 401);
    draw(all(2));
    size_t kept = shapes_of(0, true, bars);
    ck_assert(kept >= 40 && kept <= 80);
    double unit = (bars[kept - 1]->x1 - bars[kept - 1]->x0) / 500;
    for (size_t k = 0; k < kept; k++)
        ck_assert_double_eq_tol((bars[k]->x1 - bars[k]->x0) / unit, 501 - (double)(kept - k), 0.05);
    ck_assert_uint_eq(shapes_of(0, false, dots), 500);
    ck_assert_uint_eq(shapes_of(1, true, bars), 1);
    char wanted[80];
    snprintf(wanted, sizeof wanted, "501 intervals; bars show the %zu longest of each dimension", kept);
    ck_assert_str_eq(text_with("intervals"), wanted);
}
END_TEST

START_TEST(many_dots) {
    static const plot_shape *dots[MOST];
    random_state dice = {9};
    count = 0;
    while (count < 25000) {
        float birth = (float)random_unit(&dice);
        add(1, birth, birth + (float)random_unit(&dice));
    }
    draw(all(2));
    ck_assert_uint_eq(shapes_of(1, false, dots), 20000);
    ck_assert_ptr_nonnull(text_with("dots the 20000 longest"));
    ck_assert_ptr_nonnull(text_with("25,000"));
}
END_TEST

/* ---- what holds always ------------------------------------------------------------------------- */

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
    return (box){left, s->y0 - 0.72 * s->size, left + width, s->y0 + 0.2 * s->size};
}

/* Everything is in the picture; no two texts meet. */
static void check_layout(const char *what) {
    for (size_t i = 0; i < c.count; i++) {
        box b = box_of(&c.shapes[i]);
        ck_assert_msg(b.x0 >= 0 && b.y0 >= 0 && b.x1 <= c.width && b.y1 <= c.height,
                      "%s: shape %zu (%g,%g)-(%g,%g) leaves the picture", what, i, b.x0, b.y0, b.x1, b.y1);
        for (size_t k = 0; k < i && c.shapes[i].kind == PLOT_TEXT; k++) {
            box other = box_of(&c.shapes[k]);
            if (c.shapes[k].kind != PLOT_TEXT) continue;
            ck_assert_msg(b.x0 >= other.x1 || other.x0 >= b.x1 || b.y0 >= other.y1 || other.y0 >= b.y1,
                          "%s: '%s' meets '%s'", what, c.text + c.shapes[i].first,
                          c.text + c.shapes[k].first);
        }
    }
}

static void none(void) {}
static void one_that_stays(void) { add(0, 0, INFINITY); }
static void huge(void) { add(0, 0, 3e38f), add(1, 1e38f, 3.4e38f), add(1, 3.4e38f, INFINITY); }
static void tiny(void) { add(0, 0, 1e-45f), add(1, 1e-45f, 3e-45f), add(1, 5e-324, 3e-46); }
static void least(void) { add(0, 0, 2e-323), add(1, 5e-324, 1.5e-323); }
static void times(void) { add(1, 1700000000, 1700000090), add(1, 1700000000.5, 1700000013); }
static void long_times(void) { add(0, 1700000000.001, 1700000000.0101), add(1, 1700000000.002, INFINITY); }
static void great(void) { add(0, 0, 1.7e308), add(1, 1e307, 1e308); }
static void far(void) { add(2, 1e6f, 1e6f + 1), add(2, 1e6f, INFINITY); }
static void many(void) {
    random_state dice = {3};
    for (int k = 0; k < 3000; k++) {
        float birth = (float)random_unit(&dice);
        add(k % 17, birth, k % 50 ? birth + (float)random_unit(&dice) : INFINITY);
    }
}

static const struct {
    const char *name;
    void (*fill)(void);
    int dims;
} fills[] = {
    {"none", none, 1},   {"one", one_that_stays, 1}, {"huge", huge, 2},   {"tiny", tiny, 2},
    {"far", far, 3},     {"many", many, 17},         {"times", times, 2}, {"long times", long_times, 2},
    {"great", great, 2}, {"least", least, 2}};
enum { FILLS = sizeof fills / sizeof *fills };

START_TEST(nothing_overlaps) {
    static const uint32_t sides[][2] = {{0, 0}, {1200, 1200}, {3200, 1800}, {900, 600}, {2000, 700}};
    count = 0;
    fills[_i].fill();
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        glshape_chart_barcode o = all(fills[_i].dims);
        on.title =
            k ? "A title that is far too long for a picture that is so small, and goes on and on" : NULL;
        on.width = sides[k][0];
        on.height = sides[k][1];
        draw(o);
        char what[64];
        snprintf(what, sizeof what, "%s, %u × %u", fills[_i].name, c.width, c.height);
        check_layout(what);
    }
}
END_TEST

START_TEST(painted) {
    count = 0;
    many();
    draw(all(17));
    for (int k = 0; k < 2; k++) {
        FILE *f = tmpfile();
        ck_assert_ptr_nonnull(f);
        OK(&err, plot_write(test_gpu(), &err, &c, k ? GLSHAPE_PICTURE_SVG : GLSHAPE_PICTURE_PNG, f));
        ck_assert_int_gt(ftell(f), 10000);
        fclose(f);
    }
}
END_TEST

/* Superlevels are drawn as their negated values are; a birth at infinity at the least value that is finite.
 */
START_TEST(superlevels) {
    static const glshape_interval of[] = {{0, 9, INFINITY, 0, 0}, {0, 7, 2, 0, 0}, {1, 5, 3, 0, 0}};
    glshape_interval down[3], up[3];
    plot_canvas other;
    for (int k = 0; k < 3; k++) {
        down[k] = up[k] = of[k];
        up[k].birth = -of[k].birth, up[k].death = k ? -of[k].death : INFINITY;
    }
    for (int infinite = 0; infinite < 2; infinite++) {
        if (infinite) down[0].birth = INFINITY, up[0].birth = -7;
        draw((glshape_chart_barcode){.count = 3, .intervals = down, .dims = 2, .falling = true});
        OK(&err,
           plot_barcode(&err, &other, &on, &(glshape_chart_barcode){.count = 3, .intervals = up, .dims = 2}));
        ck_assert_uint_eq(c.count, other.count);
        for (size_t k = 0; k < c.count; k++)
            ck_assert(c.shapes[k].x0 == other.shapes[k].x0 && c.shapes[k].y0 == other.shapes[k].y0);
        plot_canvas_free(&other);
    }
}
END_TEST

START_TEST(bad_input_is_refused) {
    count = 0;
    add(1, 0, 1);
    glshape_chart_barcode bad[] = {all(1), all(0), all(18), all(2), all(2), all(2)};
    const glshape_interval none = {0, NAN, 1, 0, 0};
    bad[5].intervals = &none;
    for (int k = 0; k < 6; k++) {
        plot_canvas_free(&c);
        on = (glshape_picture_options){.width = k == 3 ? 100 : 0, .height = k == 4 ? 100 : 0};
        ck_assert_int_eq(plot_barcode(&err, &c, &on, &bad[k]), GLSHAPE_BAD_ARGUMENT);
    }
}
END_TEST

Suite *plot_barcode_suite(void) {
    Suite *s = suite_create("plot_barcode");
    TCase *t = tcase_create("barcode");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, bars_are_proportional);
    tcase_add_test(t, dots_are_proportional);
    tcase_add_test(t, the_longest_stay);
    tcase_add_test(t, many_dots);
    tcase_add_loop_test(t, nothing_overlaps, 0, FILLS);
    tcase_add_test(t, painted);
    tcase_add_test(t, superlevels);
    tcase_add_test(t, bad_input_is_refused);
    suite_add_tcase(s, t);
    return s;
}
