/* Intervals against GUDHI's: golden/make.py says how they were made. */
#include <stdlib.h>
#include <string.h>

#include "cubical/images.h"

#define GOLDEN "tests/cubical/golden/fields.txt"

static double take(FILE *f) {
    double x;
    ck_assert_int_eq(fscanf(f, "%lf", &x), 1);
    return x;
}

static int by_interval(const void *a, const void *b) {
    const glshape_cubical_interval *x = a, *y = b;
    if (x->dim != y->dim) return x->dim - y->dim;
    if (x->birth != y->birth) return x->birth < y->birth ? -1 : 1;
    return (x->death > y->death) - (x->death < y->death);
}

static void check(FILE *f, int dims) {
    size_t shape[3], n = 1;
    bool periodic[3];
    char construction;
    for (int i = 0; i < dims; i++) n *= shape[i] = (size_t)take(f);
    ck_assert_int_eq(fscanf(f, " %c", &construction), 1);
    for (int i = 0; i < dims; i++) periodic[i] = take(f) != 0;
    glshape_cubical_options o = {.superlevel = take(f) != 0};
    if (construction == 'v') o.construction = GLSHAPE_CUBICAL_VERTICES;
    size_t count = (size_t)take(f);
    double *values = bench_memory(n, sizeof *values);
    for (size_t v = 0; v < n; v++) values[v] = take(f);
    glshape_field field = images_field(dims, shape, periodic, GLSHAPE_F32, values);
    glshape_cubical_result r;
    ck_assert_msg(glshape_cubical(images_context(), &field, &o, &r) == GLSHAPE_OK, "%s",
                  glshape_last_error(images_context()));
    ck_assert_uint_eq(r.count, count);
    qsort(r.intervals, r.count, sizeof *r.intervals, by_interval);
    for (size_t k = 0; k < count; k++) {
        ck_assert_int_eq(r.intervals[k].dim, (int)take(f));
        ck_assert(r.intervals[k].birth == take(f));
        ck_assert(r.intervals[k].death == take(f));
    }
    glshape_cubical_free(&r);
    bench_clear();
}

START_TEST(same_diagrams) {
    FILE *f = fopen(GOLDEN, "r");
    int dims, cases = 0, c = 0;
    ck_assert_msg(f != NULL, "%s is missing; run in the project's folder", GOLDEN);
    while (c != '\n' && c != EOF) c = fgetc(f);
    for (; fscanf(f, "%d", &dims) == 1; cases++) check(f, dims);
    fclose(f);
    ck_assert_int_eq(cases, 194);
}
END_TEST

Suite *cubical_gudhi_suite(void) {
    Suite *s = suite_create("cubical/gudhi");
    tcase_add_test(images_case(s, "cubical/gudhi"), same_diagrams);
    return s;
}
