#include <math.h>
#include <string.h>

#include "prim/bench.h"
#include "reference/prim.h"

/* n pairs with keys by a pattern (64-bit keys: the high word by TIES, so that the low one decides often)
 * and values that repeat: ties go as far down as they can. One pair more must not move. */
static ref_pair *make_pairs(pattern p, uint32_t n, bool wide) {
    const uint32_t *low = bench_uints(p, n), *high = bench_uints(p == RANDOM ? TIES : p, n);
    ref_pair *pairs = bench_memory((size_t)n + 1, sizeof *pairs);
    for (uint32_t i = 0; i <= n; i++)
        pairs[i] =
            (ref_pair){wide ? high[i] : 0, low[i], p == EXTREME ? low[n - i] : bench_random() % (n + 1)};
    return pairs;
}

static void to_textures(const ref_pair *pairs, uint32_t n, bool wide, gpu_texture **keys,
                        gpu_texture **values) {
    int words = wide ? 2 : 1;
    uint32_t *k = bench_memory(words * (size_t)n, sizeof *k), *v = bench_memory(n, sizeof *v);
    for (uint32_t i = 0; i < n; i++) {
        if (wide) k[2 * i] = pairs[i].high;
        k[words * i + words - 1] = pairs[i].low;
        v[i] = pairs[i].value;
    }
    *keys = bench_texture(wide ? GPU_RG32UI : GPU_R32UI, n, k);
    *values = bench_texture(GPU_R32UI, n, v);
}

static bool holds(gpu_texture *keys, gpu_texture *values, const ref_pair *want, uint32_t n) {
    bool wide = keys->format == GPU_RG32UI;
    const uint32_t *k = bench_fetch(keys, n), *v = bench_fetch(values, n);
    ref_pair *got = bench_memory(n, sizeof *got);
    for (uint32_t i = 0; i < n; i++) got[i] = (ref_pair){wide ? k[2 * i] : 0, k[wide ? 2 * i + 1 : i], v[i]};
    return bench_same(got, want, 3 * (size_t)n);
}

static void check_sort(pattern p, uint32_t n, bool wide) {
    gpu_texture *keys, *values;
    bench_where("pattern %d, n = %u, %d-bit keys", p, n, wide ? 64 : 32);
    ref_pair *pairs = make_pairs(p, n, wide);
    to_textures(pairs, n + 1, wide, &keys, &values);
    BENCH_OK(prim_sort(test_gpu(), keys, values, n));
    ref_sort(pairs, n);
    BENCH_CHECK(holds(keys, values, pairs, n + 1));
}

static void each_size(bool wide) {
    for (int i = 0; i < bench_size_count; i++)
        for (pattern p = RANDOM; p < PATTERNS; p++) {
            if (hunt((i + (int)p) % 2 != wide, 0)) continue;
            if (bench_sizes[i] > (uint32_t)hunt(10000, 100000) && p != RANDOM && !hunt(0, p == EXTREME))
                continue;
            check_sort(p, bench_sizes[i], wide);
            bench_clear();
        }
}

START_TEST(test_keys_32) { each_size(false); }
END_TEST
START_TEST(test_keys_64) { each_size(true); }
END_TEST

/* Just above and below every power of two of blocks: runs without a partner, ranges half empty. */
START_TEST(test_odd_runs) {
    for (uint32_t blocks = 2; blocks <= 17; blocks++)
        for (int32_t off = -1; off <= 1; off++) {
            check_sort(RANDOM, blocks * 2048 + (uint32_t)off, blocks % 2);
            bench_clear();
        }
}
END_TEST

/* Floats sort through their keys, denormals and infinities included, and come back as they were. */
static void check_floats(pattern p, uint32_t n, gpu_stage stage) {
    gpu *g = test_gpu();
    bench_where("floats, pattern %d, n = %u, stage %d", p, n, stage);
    gpu_set_stage(g, stage);
    float *x = bench_floats(p, n);
    gpu_texture *floats = bench_texture(GPU_R32F, n + 1, x), *keys = bench_texture(GPU_R32UI, n, NULL),
                *values = bench_texture(GPU_R32UI, n, bench_uints(RANDOM, n));
    BENCH_OK(prim_ordered(g, floats, n, keys));
    const uint32_t *k = bench_fetch(keys, n);
    for (uint32_t i = 1; i < n; i++) {
        BENCH_CHECK((x[i - 1] < x[i]) == (k[i - 1] < k[i]));
        BENCH_CHECK((x[i - 1] == x[i]) == (k[i - 1] == k[i]));
    }
    BENCH_OK(prim_sort(g, keys, values, n));
    BENCH_OK(prim_unordered(g, keys, n, floats));
    const float *sorted = bench_fetch(floats, n);
    for (uint32_t i = 1; i < n; i++) BENCH_CHECK(sorted[i - 1] <= sorted[i]);
    for (uint32_t i = 0; i < n; i++) BENCH_CHECK(!signbit(sorted[i]) || sorted[i] != 0);
}

START_TEST(test_floats) {
    for (pattern p = RANDOM; p < PATTERNS; p++)
        for (gpu_stage s = GPU_STAGE_COMPUTE; s <= GPU_STAGE_FRAGMENT; s++) {
            check_floats(p, 10, s);
            check_floats(p, 5000, s);
            bench_clear();
        }
}
END_TEST

START_TEST(test_refusals) {
    gpu *g = test_gpu();
    gpu_texture *a = bench_texture(GPU_R32UI, 8, NULL), *b = bench_texture(GPU_R32UI, 7, NULL),
                *floats = bench_texture(GPU_R32F, 8, NULL);
    ck_assert_int_eq(prim_sort(g, a, b, 8), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_sort(g, b, a, 8), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_sort(g, floats, a, 8), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_ordered(g, a, 8, a), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_unordered(g, a, 9, floats), GLSHAPE_BAD_ARGUMENT);
}
END_TEST

/* Two pairs that changed places, and one that was lost, are caught. */
START_TEST(test_the_tester) {
    enum { N = 3000 };
    gpu_texture *keys, *values;
    ref_pair *pairs = make_pairs(RANDOM, N, false), wrong;
    to_textures(pairs, N, false, &keys, &values);
    BENCH_OK(prim_sort(test_gpu(), keys, values, N));
    ref_sort(pairs, N);
    ck_assert(holds(keys, values, pairs, N));
    const uint32_t swapped[2] = {pairs[2049].low, pairs[2048].low};
    BENCH_OK(gpu_upload(test_gpu(), keys, 2048, 2, swapped));
    ck_assert(!holds(keys, values, pairs, N));
    to_textures(pairs, N, false, &keys, &values);
    wrong = pairs[6];
    BENCH_OK(gpu_upload(test_gpu(), values, 5, 1, &wrong.value));
    ck_assert(!holds(keys, values, pairs, N));
}
END_TEST

Suite *prim_sort_suite(void) {
    Suite *s = suite_create("prim/sort");
    TCase *c = bench_case(s, "sort");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_keys_32);
    tcase_add_test(c, test_keys_64);
    tcase_add_test(c, test_odd_runs);
    tcase_add_test(c, test_floats);
    tcase_add_test(c, test_refusals);
    return s;
}
