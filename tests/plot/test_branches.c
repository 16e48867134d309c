/* The picture of a tree of branches: what lies where on its canvas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/font.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "suites.h"

Suite *plot_branches_suite(void);

static glshape_picture_options on; /* plain, but where a test says otherwise */

enum { MOST = 300 };

static error err;
static plot_canvas c;
static double pairs[MOST][2];
static uint32_t parent[MOST];

static void teardown(void) { plot_canvas_free(&c); }

/* Deaths 3n, 3(n-1), …; births below 0, but above the parent's. Falling: the same with other signs. */
static plot_branch_rows random_tree(size_t n, size_t roots, int sign) {
    srand((unsigned)n);
    for (size_t k = 0; k < n; k++) {
        bool root = k < roots;
        parent[k] = root ? (uint32_t)k : (uint32_t)rand() % (uint32_t)k;
        double share = 0.2 + 0.75 * rand() / RAND_MAX;
        pairs[k][0] = root ? -100 * sign : pairs[parent[k]][0] * share;
        pairs[k][1] = root ? INFINITY : sign * 3 * (double)(n - k);
    }
    return (plot_branch_rows){
        .n = n, .pairs = (const double(*)[2])pairs, .parent = parent, .falling = sign < 0};
}

static void draw(plot_branch_rows o) {
    plot_canvas_free(&c);
    OK(&err, plot_branches(&err, &c, &on, &o));
}

/* The lines of the tree, which upright or level; the diagonal of the diagram is neither. */
static size_t lines_of(bool upright, const plot_shape **out) {
    size_t found = 0;
    for (size_t k = 0; k < c.count; k++) {
        const plot_shape *s = &c.shapes[k];
        if (s->kind != PLOT_CAPSULE || (s->x0 == s->x1) == (s->y0 == s->y1)) continue;
        if ((s->x0 == s->x1) == upright) out[found++] = s;
    }
    return found;
}

static bool has_text(const char *part) {
    for (size_t k = 0; k < c.count; k++)
        if (c.shapes[k].kind == PLOT_TEXT && strstr(c.text + c.shapes[k].first, part)) return true;
    return false;
}

static size_t panels(void) {
    return (size_t)has_text("Merge tree") + has_text("Persistence diagram") + has_text("Segmentation");
}

/* ---- the tree ---------------------------------------------------------------------------------- */

/* Up to 48 branches: each upright from birth to death, level from there to its parent; none crosses. */
START_TEST(nothing_crosses) {
    static const size_t sizes[] = {1, 2, 7, 47, 48};
    const plot_shape *up[MOST], *across[MOST];
    int sign = _i % 2 ? -1 : 1;
    size_t n = sizes[_i / 2], roots = n > 6 ? 3 : 1, drawn = 0;
    draw(random_tree(n, roots, sign));
    ck_assert_uint_eq(lines_of(true, up), n);
    ck_assert_uint_eq(lines_of(false, across), n - roots);
    ck_assert_uint_eq(panels(), 2);
    ck_assert(!has_text("most persistent"));
    for (size_t k = 0; k < n; k++) { /* in the order of the branches */
        ck_assert(sign * (up[k]->y0 - up[k]->y1) > 0);
        if (parent[k] == k) continue;
        const plot_shape *a = across[drawn++], *from = up[parent[k]];
        ck_assert(a->x0 == up[k]->x0 && a->y0 == up[k]->y1 && a->x1 == from->x0 &&
                  a->colour == up[k]->colour);
        ck_assert(sign * (from->y0 - a->y0) > 0 && sign * (a->y0 - from->y1) > 0);
        for (size_t j = 0; j < n; j++) {
            bool between = up[j]->x0 > a->x1 && up[j]->x0 < a->x0;
            ck_assert(!between || (up[j]->y0 - a->y0) * (up[j]->y1 - a->y0) > 0);
        }
        double unit = (up[0]->y0 - up[k]->y1) / (pairs[k][1] - pairs[0][0]);
        ck_assert_double_eq_tol(up[0]->y0 - up[k]->y0, (pairs[k][0] - pairs[0][0]) * unit, 0.01);
        ck_assert_double_eq_tol(
            unit * 3, fabs((double)up[0]->y0 - across[0]->y0) * 3 / fabs(pairs[roots][1] - pairs[0][0]),
            0.01);
    }
}
END_TEST

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Of 300 branches 48 are drawn, the most persistent; the others' cells are of the branch they join. */
START_TEST(the_most_persistent_stay) {
    const plot_shape *up[MOST];
    double lives[MOST], least, area[MOST] = {0}, all = 0;
    uint32_t cells[MOST], on[MOST];
    plot_branch_rows o = random_tree(MOST, 2, 1);
    for (uint32_t k = 0; k < MOST; k++) cells[k] = k, lives[k] = pairs[k][1] - pairs[k][0];
    qsort(lives, MOST, sizeof *lives, descending);
    least = lives[47];
    o.rows = 15, o.columns = 20, o.cells = cells;
    draw(o);
    ck_assert_uint_eq(lines_of(true, up), 48);
    ck_assert(has_text("298 pairs, 2 branches without end") && has_text("the 48 most persistent"));
    ck_assert_uint_eq(panels(), 3);
    for (size_t k = 0, drawn = 0; k < MOST; k++) {
        bool stays = pairs[k][1] - pairs[k][0] >= least;
        on[k] = stays ? up[drawn++]->colour : on[parent[k]];
        for (size_t s = 0; s < c.count; s++) {
            const plot_shape *r = &c.shapes[s];
            double side = (double)c.width - 44;
            if (k == 0 && r->kind == PLOT_RECT && r->x0 >= side * 2 / 3 && r->x1 <= side)
                all += ((double)r->x1 - r->x0) * ((double)r->y1 - r->y0);
            if (stays && r->kind == PLOT_RECT && r->colour == on[k])
                area[k] += ((double)r->x1 - r->x0) * ((double)r->y1 - r->y0);
        }
    }
    for (size_t k = 0; k < MOST; k++) {
        double share = 0;
        if (pairs[k][1] - pairs[k][0] < least) continue;
        for (size_t j = 0; j < MOST; j++) share += on[j] == on[k];
        ck_assert_double_eq_tol(area[k] / all, share / MOST, 0.15 * share / MOST);
    }
}
END_TEST

/* ---- the image --------------------------------------------------------------------------------- */

/* Two cells above one another; many more cells than pixels, of which the halves stay halves. */
START_TEST(images) {
    static uint32_t fine[900 * 1000];
    static const uint32_t two[] = {0, 1};
    for (size_t k = 0; k < 900 * 1000; k++) fine[k] = k >= 450 * 1000;
    plot_branch_rows o = random_tree(2, 1, 1);
    o.rows = _i ? 900 : 2, o.columns = _i ? 1000 : 1, o.cells = _i ? fine : two, o.image = "Slice";
    draw(o);
    ck_assert(has_text("Slice") && !has_text("Segmentation"));
    double area[2] = {0}, low[2] = {0, INFINITY};
    for (size_t k = 0; k < c.count; k++)
        for (uint32_t b = 0; b < 2; b++) {
            const plot_shape *s = &c.shapes[k];
            if (s->kind != PLOT_RECT || s->colour != palette_colour(b)) continue;
            area[b] += ((double)s->x1 - s->x0) * ((double)s->y1 - s->y0);
            low[0] = b ? low[0] : fmax(low[0], (double)s->y1);
            low[1] = b ? fmin(low[1], (double)s->y0) : low[1];
            ck_assert(s->x1 <= (float)c.width - 43 && s->x0 == floorf(s->x0) && s->y0 == floorf(s->y0));
        }
    ck_assert(low[0] == low[1] && area[0] > 30000);
    ck_assert_double_eq_tol(area[0], area[1], 0.01 * area[0]);
}
END_TEST

/* Infinite births; all values equal; one branch, which the end of the values gives a scale. */
START_TEST(odd_values) {
    const plot_shape *up[MOST];
    plot_branch_rows o = random_tree(3, 1, 1);
    pairs[0][0] = -INFINITY;
    draw(o);
    ck_assert_uint_eq(lines_of(true, up), 3);
    for (size_t k = 0; k < 3; k++) ck_assert(up[k]->y0 <= 680 && up[k]->y1 >= 0 && up[k]->y0 > up[k]->y1);
    o = random_tree(1, 1, 1);
    o.end = -10;
    draw(o);
    ck_assert(has_text("0 pairs, 1 branch without end"));
    o.end = 300;
    draw(o);
    ck_assert(lines_of(true, up) == 1 && up[0]->y0 - up[0]->y1 > 350);
    ck_assert(has_text("300"));
}
END_TEST

/* Of 25,000 pairs the diagram shows 20,000: those that live longest. */
START_TEST(many_pairs) {
    enum { MANY = 25000 };
    static double many[MANY][2];
    static uint32_t roots[MANY];
    for (uint32_t k = 1; k < MANY; k++)
        many[k][0] = -(double)(k % 7919), many[k][1] = k % 6007 + 1.0, roots[k] = 0;
    many[0][0] = -9000, many[0][1] = INFINITY;
    draw((plot_branch_rows){.n = MANY, .pairs = (const double(*)[2])many, .parent = roots});
    size_t discs = 0;
    for (size_t k = 0; k < c.count; k++)
        discs += c.shapes[k].kind == PLOT_CAPSULE && c.shapes[k].x0 == c.shapes[k].x1 &&
                 c.shapes[k].y0 == c.shapes[k].y1;
    ck_assert(discs >= 20000 && discs <= 2 * 20000);
    ck_assert(has_text("diagram: the 20000 most persistent") && has_text("24,999 pairs"));
}
END_TEST

/* Labels of many digits have room: they lie in the picture, and right of what is left of their panel. */
START_TEST(long_labels) {
    static const double at[][2] = {
        {1700000000, INFINITY}, {1700000000.5, 1700000090}, {1700000040, 1700000042}};
    static const double fine[][2] = {{123456.0000001, INFINITY}, {123456.0000002, 123456.0000009}};
    static const uint32_t zero[] = {0, 0, 0}, cells[] = {0, 0, 1, 1};
    for (int i = 0; i < 2; i++) {
        draw((plot_branch_rows){
            .n = i ? 2 : 3, .pairs = i ? fine : at, .parent = zero, .rows = 2, .columns = 2, .cells = cells});
        const plot_shape *up[MOST];
        ck_assert_uint_eq(lines_of(true, up), i ? 2 : 3);
        double tree = up[0]->x0;
        for (size_t k = 0; k < c.count; k++) {
            const plot_shape *s = &c.shapes[k];
            if (s->kind != PLOT_TEXT) continue;
            double width = font_width(c.text + s->first, s->size);
            if (s->anchor == PLOT_END) ck_assert(s->x0 - width >= (s->x0 < tree ? 0 : up[i ? 1 : 2]->x0));
            if (s->anchor == PLOT_MIDDLE) ck_assert(s->x0 - width / 2 >= 0 && s->x0 + width / 2 <= c.width);
        }
    }
}
END_TEST

START_TEST(refusals) {
    static const uint32_t cells[] = {0, 3};
    plot_branch_rows o = random_tree(3, 1, 1);
    on.width = 300;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_branches(&err, &c, &on, &o), "300", "480");
    on.width = 0, o.rows = 1, o.columns = 2, o.cells = cells;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_branches(&err, &c, &on, &o), "cell 1", "branch 3");
    parent[1] = 2;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_branches(&err, &c, &on, &o), "branch 1", "branch 2");
}
END_TEST

Suite *plot_branches_suite(void) {
    Suite *s = suite_create("plot/branches");
    TCase *t = tcase_create("branches");
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_loop_test(t, nothing_crosses, 0, 10);
    tcase_add_test(t, the_most_persistent_stay);
    tcase_add_loop_test(t, images, 0, 2);
    tcase_add_test(t, odd_values);
    tcase_add_test(t, many_pairs);
    tcase_add_test(t, long_labels);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return s;
}
