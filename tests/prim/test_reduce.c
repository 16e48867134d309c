#include <math.h>
#include <string.h>

#include "prim/bench.h"
#include "reference/prim.h"

/* Adds up n of x (which has one element more), in both stages; the two must agree in every bit. The sum goes
 * between two elements that must survive. Leaves it in *out (two words at most). */
static void reduce(gpu_format format, const void *x, uint32_t n, void *out) {
    gpu *g = test_gpu();
    size_t words = gpu_texel_bytes(format) / 4;
    uint32_t before[6] = {1, 2, 3, 4, 5, 6}, *got[2];
    gpu_texture *in = bench_texture(format, n + 1, x), *to = bench_texture(format, 3, NULL);
    for (int stage = 0; stage < 2; stage++) {
        gpu_set_stage(g, stage ? GPU_STAGE_FRAGMENT : GPU_STAGE_COMPUTE);
        BENCH_OK(gpu_upload(g, to, 0, 3, before));
        BENCH_OK(prim_reduce(g, bench_scratch(), in, n, to, 1));
        got[stage] = bench_fetch(to, 3);
        BENCH_CHECK(bench_same(got[stage], before, words));
        BENCH_CHECK(bench_same(got[stage] + 2 * words, before + 2 * words, words));
        for (size_t i = words; i < 2 * words; i++)
            if (format == GPU_RG32F && got[stage][i] == 0x80000000u) got[stage][i] = 0;
    }
    BENCH_CHECK(bench_same(got[0], got[1], 3 * words));
    memcpy(out, got[0] + words, 4 * words);
}

/* The error that prim.h promises. */
static double bound(uint32_t n, double magnitude) {
    double depth = 12;
    for (double left = n; left > 4096; left /= 4096) depth += 12;
    return 0x1p-24 * depth * magnitude * 1.0001;
}

static void check_uints(pattern p, uint32_t n) {
    bench_where("uints, pattern %d, n = %u", p, n);
    const uint32_t *x = bench_uints(p, n);
    uint32_t want = ref_sum(x, n), got;
    reduce(GPU_R32UI, x, n, &got);
    BENCH_CHECK(bench_same(&got, &want, 1));
}

static void check_pairs(pattern p, uint32_t n) {
    bench_where("pairs, pattern %d, n = %u", p, n);
    const float *a = bench_summands(p, n), *b = bench_summands(RANDOM, n);
    float *x = bench_memory(2 * ((size_t)n + 1), sizeof *x), got[2];
    for (uint32_t i = 0; i <= n; i++) x[2 * i] = a[i], x[2 * i + 1] = b[i];
    reduce(GPU_RG32F, x, n, got);
    for (int k = 0; k < 2; k++) {
        double magnitude, want = ref_sum_floats(x + k, n, 2, &magnitude);
        BENCH_CHECK(bench_near(got[k], want, bound(n, magnitude)));
    }
}

static void each_size(void (*check)(pattern, uint32_t)) {
    for (int i = 0; i < bench_size_count; i++)
        for (pattern p = RANDOM; p < PATTERNS; p++) {
            if (bench_sizes[i] > 100000 && p != RANDOM && p != EXTREME) continue;
            check(p, bench_sizes[i]);
            bench_clear();
        }
}

START_TEST(test_uints) { each_size(check_uints); }
END_TEST
START_TEST(test_pairs) { each_size(check_pairs); }
END_TEST
START_TEST(test_four_million_pairs) { check_pairs(RANDOM, 4u << 20); }
END_TEST

START_TEST(test_refusals) {
    gpu *g = test_gpu();
    prim_scratch *s = bench_scratch();
    gpu_texture *floats = bench_texture(GPU_R32F, 8, NULL), *uints = bench_texture(GPU_R32UI, 8, NULL),
                *pairs = bench_texture(GPU_RG32F, 8, NULL);
    ck_assert_int_eq(prim_reduce(g, s, floats, 8, floats, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_reduce(g, s, pairs, 9, pairs, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_reduce(g, s, pairs, 8, uints, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_reduce(g, s, uints, 8, uints, 8), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_reduce(g, s, uints, 8, uints, UINT32_MAX), GLSHAPE_BAD_ARGUMENT);
}
END_TEST

/* A second call of the same size makes no texture. */
START_TEST(test_scratch_is_kept) {
    gpu *g = test_gpu();
    gpu_texture *in = bench_texture(GPU_RG32F, 100000, NULL), *out = bench_texture(GPU_RG32F, 1, NULL);
    BENCH_OK(prim_reduce(g, bench_scratch(), in, 100000, out, 0));
    unsigned id = bench_scratch()->textures[0].id, other = bench_scratch()->textures[2].id;
    BENCH_OK(prim_reduce(g, bench_scratch(), in, 99999, out, 0));
    ck_assert_uint_eq(bench_scratch()->textures[0].id, id);
    ck_assert_uint_eq(bench_scratch()->textures[2].id, other);
}
END_TEST

/* The comparisons themselves: a wrong word, a wrong sum and NaN do not pass. */
START_TEST(test_the_tester) {
    uint32_t a[3] = {1, 2, 3}, b[3] = {1, 2, 4};
    bench_where("tester");
    ck_assert(bench_same(a, b, 2));
    ck_assert(!bench_same(a, b, 3));
    ck_assert(bench_near(1.0, 1.0 + 1e-9, 1e-8));
    ck_assert(!bench_near(1.0, 1.0 + 1e-7, 1e-8));
    ck_assert(!bench_near(NAN, 1.0, 1e-8));
    ck_assert(!bench_near(0.0, 1.0, NAN));
    ck_assert(!bench_near(INFINITY, -INFINITY, 1e300));
    const float *x = bench_summands(RANDOM, 1000);
    double magnitude, want = ref_sum_floats(x, 1000, 1, &magnitude);
    ck_assert(!bench_near(want - x[500], want, bound(1000, magnitude)));
}
END_TEST

Suite *prim_reduce_suite(void) {
    Suite *s = suite_create("prim/reduce");
    TCase *c = bench_case(s, "reduce");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_uints);
    tcase_add_test(c, test_pairs);
    tcase_add_test(c, test_four_million_pairs);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_scratch_is_kept);
    return s;
}
