/* Fields larger than the GPU's memory, a slab at a time: as if they were in one piece. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mergetree/fields.h"

static size_t check(const ref_grid *d, const double *values) {
    glshape_field f = fields_of(d, GLSHAPE_I16, values);
    glshape_mergetree_options o = {.superlevel = bench_random() & 1, .simplify = bench_random() % 3};
    return fields_check(&f, d, values, &o);
}

static void fill(double *values, uint32_t n, uint32_t different) {
    for (uint32_t v = 0; v < n; v++) values[v] = bench_random() % different;
}

/* Every neighbourhood and kind of periodicity; ties across the ends, where the order of a slab is not that of
 * its memory. */
START_TEST(random_fields) {
    static const int hoods[2][4] = {{4, 8, 6, 4}, {6, 18, 26, 14}};
    static const uint32_t different[] = {2, 4, 1000};
    size_t cut = 0;
    fields_limit(48 << 10);
    for (int i = 0; i < 64; i++) {
        ref_grid d = {.dims = 2 + (i & 1), .neighbours = hoods[i & 1][i >> 1 & 3]};
        for (int k = 0; k < d.dims; k++) d.periodic[k] = i >> (3 + k) & 1;
        d.shape[0] = d.dims == 2 ? 100 + bench_random() % 100 : 40 + bench_random() % 60;
        d.shape[1] = d.dims == 2 ? 40 + bench_random() % 40 : 5 + bench_random() % 8;
        d.shape[2] = 5 + bench_random() % 8;
        double *values = bench_memory(fields_count(&d), sizeof *values);
        fill(values, fields_count(&d), different[i % 3]);
        cut += check(&d, values) > 0;
        bench_clear();
    }
    ck_assert_msg(cut > 40, "only %zu of 64 fields were cut", cut);
}
END_TEST

/* A slab that is many basins thick decides most alone, where the GPU applies the elder rule. */
START_TEST(slabs_decide) {
    double least = 1;
    fields_limit(1 << 20);
    for (int i = 0; i < 8; i++) {
        ref_grid d = {.dims = 3, .shape = {90, 35, 36}, .neighbours = i & 1 ? 6 : 14, .periodic = {i & 2}};
        double *values = bench_memory(fields_count(&d), sizeof *values);
        fill(values, fields_count(&d), i & 4 ? 5 : 30000);
        size_t planes = check(&d, values);
        ck_assert_msg(planes > 10 && planes < 90, "slabs of %zu planes", planes);
        double left = fact_of(fields_context(), "edges left by slabs");
        least = fmin(least, left / fact_of(fields_context(), "edges between basins"));
        bench_clear();
    }
    ck_assert_msg(least < 0.5, "slabs leave %g of the edges", least);
}
END_TEST

/* So many branches that threads share the finding of jumps: of noise; on a slope, under noise. */
START_TEST(many_branches) {
    fields_limit(4 << 20);
    for (int i = 0; i < 2; i++) {
        ref_grid d = {.dims = 2, .shape = {700, 700}, .neighbours = 4};
        double *values = bench_memory(fields_count(&d), sizeof *values);
        for (uint32_t v = 0; v < fields_count(&d); v++)
            values[v] =
                i ? (v / 700 + v % 700) * 8. + (v % 2 ? 0 : bench_random() % 64) : bench_random() % 32768;
        ck_assert_uint_gt(check(&d, values), 0);
        bench_clear();
    }
}
END_TEST

/* One plane a slab. */
START_TEST(thin_slabs) {
    fields_limit(110 << 10);
    ref_grid d = {.dims = 3, .shape = {7, 50, 60}, .periodic = {true}, .neighbours = 26};
    double *values = bench_memory(fields_count(&d), sizeof *values);
    for (uint32_t v = 0; v < fields_count(&d); v++) values[v] = v % 60 * (v / 3000 % 3) % 7;
    ck_assert_uint_eq(check(&d, values), 1);
}
END_TEST

/* A valley that crosses all slabs again and again on its way down. */
START_TEST(a_way_through_all) {
    enum { Y = 90, X = 81 };
    ref_grid d = {.dims = 2, .shape = {Y, X}, .neighbours = 4};
    double *values = bench_memory(Y * X, sizeof *values);
    for (int y = 0; y < Y; y++)
        for (int x = 0; x < X; x++) {
            bool wall = x % 2 && y != (x % 4 == 1 ? Y - 1 : 0);
            int down = x * Y + (x % 4 ? Y - 1 - y : y);
            values[y * X + x] = wall ? 20000 + x : X * Y - down;
        }
    fields_limit(40 << 10);
    ck_assert_uint_gt(check(&d, values), 0);
}
END_TEST

/* Fields of one row are cut along it. */
START_TEST(rows) {
    static const int hoods[3][4] = {{4, 8, 6, 4}, {6, 18, 26, 14}, {2, 2, 2, 2}};
    fields_limit(64 << 10);
    for (int i = 0; i < 36; i++) {
        int dims = i < 32 ? 2 + (i & 1) : 1;
        ref_grid d = {.dims = dims, .shape = {1, 1, 1}, .neighbours = hoods[(dims + 1) % 3][i >> 1 & 3]};
        d.shape[d.dims - 1] = 20000 + bench_random() % 100;
        d.periodic[d.dims - 1] = i & 8;
        d.periodic[0] = i & 16;
        double *values = bench_memory(fields_count(&d), sizeof *values);
        fill(values, fields_count(&d), i & 4 ? 4 : 1000);
        ck_assert_uint_gt(check(&d, values), 0);
        bench_clear();
    }
}
END_TEST

/* The message names what would help. */
START_TEST(no_slab_fits) {
    ref_grid d = {.dims = 3, .shape = {4, 100, 100}, .neighbours = 6};
    double *values = bench_memory(fields_count(&d), sizeof *values);
    glshape_field f = fields_of(&d, GLSHAPE_U8, values);
    glshape_mergetree_result r;
    error e = {0};
    fields_limit(64 << 10);
    glshape_status status = glshape_mergetree(fields_context(), &f, NULL, &r);
    snprintf(e.text, sizeof e.text, "%s", glshape_last_error(fields_context()));
    FAILS(&e, GLSHAPE_NO_GPU_MEMORY, status, "needs", "the limit is 64.00 KiB", "a plane at a time",
          "raise the limit", "first axis");
    glshape_mergetree_options o = {.method = GLSHAPE_MERGETREE_TRIPLET};
    status = glshape_mergetree(fields_context(), &f, &o, &r);
    snprintf(e.text, sizeof e.text, "%s", glshape_last_error(fields_context()));
    FAILS(&e, GLSHAPE_NO_GPU_MEMORY, status, "limit", "triplet method", "in slabs");
}
END_TEST

Suite *mergetree_slabs_suite(void) {
    Suite *s = suite_create("mergetree/slabs");
    TCase *t = fields_case(s, "mergetree/slabs");
    tcase_add_test(t, random_fields);
    tcase_add_test(t, slabs_decide);
    tcase_add_test(t, many_branches);
    tcase_add_test(t, thin_slabs);
    tcase_add_test(t, a_way_through_all);
    tcase_add_test(t, rows);
    tcase_add_test(t, no_slab_fits);
    return s;
}
