#include "prim/bench.h"
#include "reference/prim.h"

static const uint32_t masks[] = {0, 1, 255, 1023, 2047, 4095};
static const uint32_t shifts[] = {0, 8, 20, 31};

/* The bins hold junk before, and one element behind them must survive. */
static void check_histogram(pattern p, uint32_t n, uint32_t shift, uint32_t mask) {
    gpu *g = test_gpu();
    bench_where("pattern %d, n = %u, shift %u, mask %u", p, n, shift, mask);
    const uint32_t *keys = bench_uints(p, n), *junk = bench_uints(RANDOM, mask + 1);
    uint32_t *want = bench_memory(mask + 2, sizeof *want);
    ref_histogram(keys, n, shift, mask, want);
    want[mask + 1] = junk[mask + 1];
    gpu_texture *in = bench_texture(GPU_R32UI, n + 1, keys), *bins = bench_texture(GPU_R32UI, mask + 2, junk);
    BENCH_OK(prim_histogram(g, in, n, shift, mask, bins));
    BENCH_CHECK(bench_same(bench_fetch(bins, mask + 2), want, mask + 2));
}

START_TEST(test_histogram) {
    for (int i = 0; i < bench_size_count; i++)
        for (pattern p = RANDOM; p < PATTERNS; p++) {
            for (int m = 0; m < 6; m++) {
                check_histogram(p, bench_sizes[i], shifts[(m + (int)p) % 4], masks[m]);
                bench_clear();
            }
        }
}
END_TEST

/* More groups than the device is given: each takes several blocks of keys. */
START_TEST(test_many_blocks) { check_histogram(RANDOM, 4096 * 1024 + 5, 7, 1023); }
END_TEST

START_TEST(test_refusals) {
    gpu *g = test_gpu();
    gpu_texture *keys = bench_texture(GPU_R32UI, 8, NULL), *bins = bench_texture(GPU_R32UI, 256, NULL);
    ck_assert_int_eq(prim_histogram(g, keys, 8, 0, 4, bins), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_histogram(g, keys, 8, 0, 8191, bins), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_histogram(g, keys, 8, 0, UINT32_MAX, bins), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_histogram(g, keys, 8, 32, 255, bins), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_histogram(g, keys, 8, 0, 511, bins), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_histogram(g, keys, 9, 0, 255, bins), GLSHAPE_BAD_ARGUMENT);
}
END_TEST

Suite *prim_histogram_suite(void) {
    Suite *s = suite_create("prim/histogram");
    TCase *c = bench_case(s, "histogram");
    tcase_add_test(c, test_histogram);
    tcase_add_test(c, test_many_blocks);
    tcase_add_test(c, test_refusals);
    return s;
}
