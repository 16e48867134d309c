/* Diagrams against GUDHI's: golden/make.py says how they were made. */
#include <math.h>
#include <stdlib.h>

#include "mergetree/fields.h"

#define GOLDEN "tests/mergetree/golden/fields.txt"

static int by_birth(const void *a, const void *b) {
    const double *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static double take(FILE *f) {
    double x;
    ck_assert_int_eq(fscanf(f, "%lf", &x), 1);
    return x;
}

static void check(FILE *f, int dims) {
    ref_grid d = {.dims = dims};
    for (int i = 0; i < dims; i++) d.shape[i] = (size_t)take(f);
    d.neighbours = (int)take(f);
    for (int i = 0; i < dims; i++) d.periodic[i] = take(f) != 0;
    glshape_mergetree_options o = {.superlevel = take(f) != 0, .branches_only = true};
    size_t pairs = (size_t)take(f), count = 0;
    uint32_t n = fields_count(&d);
    double *values = bench_memory(n, sizeof *values), (*got)[2] = bench_memory(n, sizeof *got);
    for (uint32_t v = 0; v < n; v++) values[v] = take(f);
    glshape_field field = fields_of(&d, GLSHAPE_I16, values);
    glshape_mergetree_result r;
    ck_assert_int_eq(glshape_mergetree(fields_context(), &field, &o, &r), GLSHAPE_OK);
    for (size_t k = 0; k < r.count; k++)
        if (r.branches[k].birth_value != r.branches[k].death_value) {
            got[count][0] = r.branches[k].birth_value;
            got[count++][1] = r.branches[k].death_value;
        }
    glshape_mergetree_free(&r);
    ck_assert_uint_eq(count, pairs);
    qsort(got, count, sizeof *got, by_birth);
    for (size_t k = 0; k < count; k++) ck_assert(got[k][0] == take(f) && got[k][1] == take(f));
    bench_clear();
}

START_TEST(same_diagrams) {
    FILE *f = fopen(GOLDEN, "r");
    int dims, cases = 0, c = 0;
    ck_assert_msg(f != NULL, "%s is missing; run in the project's folder", GOLDEN);
    while (c != '\n' && c != EOF) c = fgetc(f);
    for (; fscanf(f, "%d", &dims) == 1; cases++) check(f, dims);
    fclose(f);
    ck_assert_int_eq(cases, 48);
}
END_TEST

Suite *mergetree_gudhi_suite(void) {
    Suite *s = suite_create("mergetree/gudhi");
    tcase_add_test(fields_case(s, "mergetree/gudhi"), same_diagrams);
    return s;
}
