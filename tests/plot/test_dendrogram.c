#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/palette.h"
#include "plot/plot.h"
#include "suites.h"

static glshape_picture_options on; /* plain, but where a test says otherwise */

/* A chain: point k + 1 joins the others at height k + 1. */
static double *chain(size_t n) {
    double *merges = calloc(n, 4 * sizeof *merges);
    for (size_t k = 0; k + 1 < n; k++) {
        double *row = merges + 4 * k;
        row[0] = k ? (double)k + 1 : 0;
        row[1] = k ? (double)(n + k - 1) : 1;
        row[2] = (double)k + 1;
        row[3] = (double)k + 2;
    }
    return merges;
}

typedef struct drawn {
    size_t leaves; /* names at the left */
    double points; /* that these stand for */
    size_t lines;  /* that are no grid */
    double right;  /* of these */
    size_t grid;   /* lines of the grid */
    char zero[8];  /* the first label of the axis */
} drawn;

static drawn draw(const glshape_chart_dendrogram *o) {
    error err = {0};
    plot_canvas c;
    drawn d = {0};
    OK(&err, plot_dendrogram(&err, &c, &on, o));
    for (size_t i = 0; i < c.count; i++) {
        const plot_shape *s = &c.shapes[i];
        const char *text = c.text + s->first;
        if (s->kind == PLOT_TEXT && s->anchor == PLOT_END) {
            d.leaves++;
            d.points += *text == '(' ? strtod(text + 1, NULL) : 1;
        }
        if (s->kind == PLOT_TEXT && s->anchor == PLOT_MIDDLE && !*d.zero)
            snprintf(d.zero, sizeof d.zero, "%s", text);
        d.grid += s->kind == PLOT_CAPSULE && s->colour == PALETTE_GRID;
        if (s->kind != PLOT_CAPSULE || s->colour == PALETTE_GRID || s->colour == PALETTE_AXIS) continue;
        d.lines++;
        d.right = fmax(d.right, (double)s->x1);
        ck_assert(s->x0 >= 0 && s->x1 < (float)c.width && s->y0 >= 0 && s->y1 < (float)c.height);
    }
    plot_canvas_free(&c);
    return d;
}

START_TEST(every_point_is_there) {
    static const size_t sizes[] = {1, 2, 3, 59, 60, 61, 2000};
    for (int i = 0; i < 7; i++) {
        size_t n = sizes[i], leaves = n < 60 ? n : 60;
        double *merges = chain(n);
        drawn d = draw(&(glshape_chart_dendrogram){.n = n, .merges = merges});
        ck_assert_uint_eq(d.leaves, leaves);
        ck_assert(d.points == (double)n);
        ck_assert_uint_eq(d.lines, 3 * (leaves - 1));
        on = (glshape_picture_options){.width = 200, .height = 200};
        d = draw(&(glshape_chart_dendrogram){.n = n, .merges = merges, .leaves = 2});
        ck_assert(d.points == (double)n && d.leaves == (n < 2 ? n : 2));
        on = (glshape_picture_options){0};
        free(merges);
    }
}
END_TEST

/* All heights 0; a height that is infinite, alone and beside others. */
START_TEST(odd_heights) {
    double *merges = chain(5), right;
    for (int k = 0; k < 4; k++) merges[4 * k + 2] = 0;
    right = draw(&(glshape_chart_dendrogram){.n = 5, .merges = merges}).right;
    ck_assert(right > 0 && right < 200);
    merges[4 * 3 + 2] = INFINITY;
    right = draw(&(glshape_chart_dendrogram){.n = 5, .merges = merges}).right;
    ck_assert(right > 1100 && right < 1200);
    merges[4 * 2 + 2] = 5;
    ck_assert(draw(&(glshape_chart_dendrogram){.n = 5, .merges = merges}).right == right);
    free(merges);
}
END_TEST

/* The least and the greatest doubles are drawn as 1, 2, 3, 4 are. */
START_TEST(extreme_heights) {
    static const double ones[] = {0x1p-1074, 0x1p-1073, 0x1p-1060, 0x1p-1022, 0x1p1021, DBL_MAX / 4};
    double *merges = chain(5), right = draw(&(glshape_chart_dendrogram){.n = 5, .merges = merges}).right;
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        for (int k = 0; k < 4; k++) merges[4 * k + 2] = (k + 1) * ones[i];
        drawn d = draw(&(glshape_chart_dendrogram){.n = 5, .merges = merges});
        ck_assert_msg(d.right == right, "%g: %g", ones[i], d.right);
        ck_assert(d.grid >= 2 && d.grid <= 15);
        ck_assert_str_eq(d.zero, "0");
    }
    free(merges);
}
END_TEST

START_TEST(refusals) {
    error err = {0};
    plot_canvas c;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_dendrogram(&err, &c, &on, &(glshape_chart_dendrogram){0}),
          "0 points");
    plot_canvas_free(&c);
    on.width = 100;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_dendrogram(&err, &c, &on, &(glshape_chart_dendrogram){.n = 1}),
          "100", "200");
    plot_canvas_free(&c);
    on.width = 0;
    double *merges = chain(5);
    const glshape_chart_dendrogram o = {.n = 5, .merges = merges};
    merges[4] = 6;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_dendrogram(&err, &c, &on, &o), "row 2");
    plot_canvas_free(&c);
    merges[4] = 0, merges[2] = NAN;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, plot_dendrogram(&err, &c, &on, &o), "row 1");
    plot_canvas_free(&c);
    free(merges);
}
END_TEST

Suite *plot_dendrogram_suite(void) {
    Suite *s = suite_create("plot/dendrogram");
    TCase *c = tcase_create("dendrogram");
    tcase_add_test(c, every_point_is_there);
    tcase_add_test(c, odd_heights);
    tcase_add_test(c, extreme_heights);
    tcase_add_test(c, refusals);
    suite_add_tcase(s, c);
    return s;
}
