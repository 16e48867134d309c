/* The canvas, the font and the reduction of both to primitives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/font.h"
#include "plot/plot.h"
#include "plot/primitives.h"
#include "suites.h"

Suite *plot_canvas_suite(void);

static error err;
static plot_canvas c;

static void clean(void) { plot_canvas_free(&c); }

START_TEST(sizes_are_checked) {
    OK(&err, plot_canvas_new(&err, &c, 1, PLOT_SIZE_MAX, 0));
    ck_assert_int_eq(plot_canvas_new(&err, &c, 0, 10, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(plot_canvas_new(&err, &c, 10, PLOT_SIZE_MAX + 1, 0), GLSHAPE_BAD_ARGUMENT);
}
END_TEST

START_TEST(shapes_are_kept_in_order) {
    OK(&err, plot_canvas_new(&err, &c, 10, 10, 0));
    for (int i = 0; i < 1000; i++) plot_disc(&c, i, i, i, (uint32_t)i);
    plot_text(&c, 1, 2, "one", (plot_style){.size = 10});
    plot_text(&c, 1, 2, "two", (plot_style){.size = 10});
    ck_assert_uint_eq(c.count, 1002);
    for (uint32_t i = 0; i < 1000; i++) ck_assert_uint_eq(c.shapes[i].colour, i);
    ck_assert_str_eq(c.text + c.shapes[1000].first, "one");
    ck_assert_str_eq(c.text + c.shapes[1001].first, "two");
    OK(&err, plot_canvas_check(&err, &c));
}
END_TEST

START_TEST(lost_shapes_are_reported) {
    OK(&err, plot_canvas_new(&err, &c, 10, 10, 0));
    c.failed = true;
    plot_disc(&c, 1, 1, 1, 0);
    plot_text(&c, 1, 1, "gone", (plot_style){.size = 10});
    ck_assert_uint_eq(c.count, 0);
    ck_assert_int_eq(plot_canvas_check(&err, &c), GLSHAPE_NO_MEMORY);
    ck_assert_int_eq(plot_write(NULL, &err, &c, GLSHAPE_PICTURE_SVG, stdout), GLSHAPE_NO_MEMORY);
}
END_TEST

/* ---- font ------------------------------------------------------------------------------------- */

START_TEST(utf8_is_decoded) {
    static const struct {
        const char *text;
        uint32_t codes[6];
    } cases[] = {
        {"aZ~", {'a', 'Z', '~'}},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", {0xE9, 0x20AC, 0x1F600}},
        {"\xff\x80x", {0xFFFD, 0xFFFD, 'x'}},                   /* not UTF-8 at all */
        {"\xc0\xaf", {0xFFFD, 0xFFFD}},                         /* overlong */
        {"\xed\xa0\x80", {0xFFFD, 0xFFFD, 0xFFFD}},             /* surrogate */
        {"\xf4\x90\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}}, /* above U+10FFFF */
        {"\xe2\x82", {0xFFFD, 0xFFFD}},                         /* cut */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        for (int k = 0; cases[i].codes[k]; k++) ck_assert_uint_eq(font_decode(&text), cases[i].codes[k]);
        ck_assert_uint_eq(font_decode(&text), 0);
        ck_assert_uint_eq(font_decode(&text), 0);
    }
}
END_TEST

typedef struct extent {
    float x0, y0, x1, y1;
    int lines;
} extent;

static void widen(void *user, float x0, float y0, float x1, float y1, float radius) {
    extent *e = user;
    e->x0 = fminf(e->x0, fminf(x0, x1) - radius), e->x1 = fmaxf(e->x1, fmaxf(x0, x1) + radius);
    e->y0 = fminf(e->y0, fminf(y0, y1) - radius), e->y1 = fmaxf(e->y1, fmaxf(y0, y1) + radius);
    e->lines++;
}

static extent extent_of(const char *text, float size, plot_anchor anchor) {
    extent e = {1e9f, 1e9f, -1e9f, -1e9f, 0};
    font_draw(&(plot_shape){.kind = PLOT_TEXT, .anchor = anchor, .size = size}, text, widen, &e);
    return e;
}

START_TEST(every_glyph_stays_in_its_box) {
    for (char ch = '!'; ch <= '~'; ch++) {
        char text[2] = {ch, 0};
        extent e = extent_of(text, 100, PLOT_START);
        double width = font_width(text, 100);
        ck_assert_msg(e.lines > 0, "'%c' has no stroke", ch);
        ck_assert_msg(e.x0 > -3 && e.x1 < width + 3, "'%c' is %g..%g of %g", ch, e.x0, e.x1, width);
        ck_assert_msg(e.y0 > -90 && e.y1 < 30, "'%c' is %g..%g", ch, e.y0, e.y1);
    }
    ck_assert_int_eq(extent_of(" ", 100, PLOT_START).lines, 0);
}
END_TEST

START_TEST(digits_are_equally_wide) {
    for (char ch = '1'; ch <= '9'; ch++) ck_assert(font_width((char[]){ch, 0}, 20) == font_width("0", 20));
}
END_TEST

START_TEST(other_characters_are_boxes) {
    const font_glyph *box = font_letter_of(0xFFFD).glyph;
    ck_assert_ptr_eq(font_letter_of('\n').glyph, box);
    ck_assert_ptr_eq(font_letter_of(0x7F).glyph, box);
    ck_assert_ptr_eq(font_letter_of(0x416).glyph, box);
    for (uint32_t code = ' '; code < 0x180; code++)
        if (code < 0x7F || code >= 0xC0) ck_assert_ptr_ne(font_letter_of(code).glyph, box);
    ck_assert_int_eq(extent_of("\xd0\x96", 20, PLOT_START).lines, 4);
}
END_TEST

START_TEST(anchors_shift_by_the_width) {
    double width = font_width("Anchor", 30);
    extent start = extent_of("Anchor", 30, PLOT_START), middle = extent_of("Anchor", 30, PLOT_MIDDLE),
           end = extent_of("Anchor", 30, PLOT_END);
    ck_assert_double_eq_tol(start.x0 - middle.x0, width / 2, 1e-3);
    ck_assert_double_eq_tol(start.x0 - end.x0, width, 1e-3);
}
END_TEST

START_TEST(long_text_is_cut) {
    char out[16];
    font_fit(out, sizeof out, "short", 10, 1000);
    ck_assert_str_eq(out, "short");
    font_fit(out, sizeof out, "exactly 15 long", 10, 1000);
    ck_assert_str_eq(out, "exactly 15 long");
    font_fit(out, sizeof out, "sixteen bytes ok", 10, 1000);
    ck_assert_str_eq(out, "sixteen byte...");
    font_fit(out, sizeof out, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10, 1000);
    ck_assert_str_eq(out, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9..."); /* no half character */
    strcpy(out, "in its place");
    double width = font_width("in its...", 10) + 0.01;
    font_fit(out, sizeof out, out, 10, width);
    ck_assert(font_width(out, 10) <= width);
    ck_assert_str_eq(out, "in its...");
    font_fit(out, sizeof out, "narrow", 10, 0);
    ck_assert_str_eq(out, "...");
}
END_TEST

START_TEST(primitives_follow_the_canvas) {
    primitives list;
    OK(&err, plot_canvas_new(&err, &c, 10, 10, 0));
    OK(&err, primitives_of(&err, &c, &list));
    ck_assert_uint_eq(list.count, 0);
    free(list.at);
    plot_rect(&c, 1, 2, 3, 4, 5);
    plot_text(&c, 0, 9, "-I", (plot_style){.size = 10, .colour = 7});
    plot_line(&c, 1, 2, 3, 4, 6, 8);
    OK(&err, primitives_of(&err, &c, &list));
    ck_assert_uint_eq(list.count, 4);
    ck_assert(list.at[0].radius < 0 && list.at[0].colour == 5 && list.at[0].y1 == 4);
    ck_assert(list.at[1].colour == 7 && list.at[2].colour == 7 && list.at[2].x0 > list.at[1].x1);
    ck_assert(list.at[3].radius == 3 && list.at[3].colour == 8);
    free(list.at);
}
END_TEST

/* é is e and a stroke above it, which no other letter touches; Å is higher than A; ç reaches below c. */
START_TEST(marked_letters) {
    extent e = extent_of("e", 100, PLOT_START), acute = extent_of("\xC3\xA9", 100, PLOT_START);
    ck_assert(acute.y0 < e.y0 - 10 && acute.y1 == e.y1 && acute.x0 == e.x0 && acute.x1 == e.x1);
    extent a = extent_of("A", 100, PLOT_START), ring = extent_of("\xC3\x85", 100, PLOT_START);
    ck_assert(ring.y0 < a.y0 - 5 && ring.y1 == a.y1);
    extent c = extent_of("c", 100, PLOT_START), cedilla = extent_of("\xC3\xA7", 100, PLOT_START);
    ck_assert(cedilla.y1 > c.y1 + 10 && cedilla.y0 == c.y0);
    ck_assert(font_width("\xC3\xA9", 100) == font_width("e", 100));
    for (uint32_t code = 0xC0; code < 0x180; code++) { /* nothing is higher than a line or empty */
        char text[] = {(char)(0xC0 | code >> 6), (char)(0x80 | (code & 63)), 0};
        extent all = extent_of(text, 100, PLOT_START);
        ck_assert_msg(all.y0 > -110 && all.y1 < 35 && all.y1 > all.y0 + 20, "U+%04X: %g to %g", code,
                      (double)all.y0, (double)all.y1);
    }
}
END_TEST

/* A square with a square hole, reaching beyond the top; their area, and nothing in the hole. */
START_TEST(polygons_become_rows) {
    static const plot_corner corners[] = {{2, -9, false}, {12, -9, false}, {12, 9, false}, {2, 9, true},
                                          {4, 3, false},  {4, 7, false},   {8, 7, false},  {8, 3, true}};
    primitives list;
    double area = 0;
    OK(&err, plot_canvas_new(&err, &c, 20, 8, 0));
    plot_polygon(&c, corners, 8, 0x123456);
    OK(&err, primitives_of(&err, &c, &list));
    for (size_t k = 0; k < list.count; k++) {
        const primitive *p = &list.at[k];
        area += (p->x1 - p->x0) * (p->y1 - p->y0);
        ck_assert(p->radius < 0 && p->colour == 0x123456 && p->y0 >= 0 && p->y1 <= 8);
        ck_assert(p->y1 <= 3 || p->y0 >= 7 || p->x1 <= 4 || p->x0 >= 8);
    }
    ck_assert_double_eq(area, 10 * 8 - 4 * 4);
    free(list.at);
}
END_TEST

Suite *plot_canvas_suite(void) {
    Suite *s = suite_create("plot_canvas");
    TCase *t = tcase_create("canvas");
    tcase_add_checked_fixture(t, NULL, clean);
    tcase_add_test(t, sizes_are_checked);
    tcase_add_test(t, shapes_are_kept_in_order);
    tcase_add_test(t, lost_shapes_are_reported);
    tcase_add_test(t, primitives_follow_the_canvas);
    tcase_add_test(t, polygons_become_rows);
    suite_add_tcase(s, t);
    t = tcase_create("font");
    tcase_add_test(t, utf8_is_decoded);
    tcase_add_test(t, every_glyph_stays_in_its_box);
    tcase_add_test(t, digits_are_equally_wide);
    tcase_add_test(t, marked_letters);
    tcase_add_test(t, other_characters_are_boxes);
    tcase_add_test(t, anchors_shift_by_the_width);
    tcase_add_test(t, long_text_is_cut);
    suite_add_tcase(s, t);
    return s;
}
