#include <math.h>
#include <string.h>

#include "prim/bench.h"
#include "reference/prim.h"

/* The pairs on the GPU, twice: [0] the data, [1] working space. */
typedef struct bench_pairs {
    gpu_texture keys[2], values[2], *moved;
} bench_pairs;

static void load(bench_pairs *t, gpu_format format, const void *keys, const uint32_t *values, uint32_t n) {
    for (int i = 0; i < 2; i++) {
        t->keys[i] = *bench_texture(format, n, i ? NULL : keys);
        t->values[i] = *bench_texture(GPU_R32UI, n, i ? NULL : values);
    }
    t->moved = bench_texture(GPU_R32UI, n, NULL);
}

/* The order of floats as integers, by comparison alone: how many of the n are smaller. */
static uint32_t rank(const float *x, uint32_t n, float of) {
    uint32_t smaller = 0;
    for (uint32_t i = 0; i < n; i++) smaller += x[i] < of;
    return smaller;
}

/* Keys, values and moved flags after some rounds; the pair behind the n-th is only copied. */
static void check_uints(pattern p, uint32_t n, uint32_t rounds) {
    gpu *g = test_gpu();
    bench_pairs t;
    uint32_t *keys = bench_uints(p, n), *values = bench_uints(RANDOM, n);
    uint32_t *moved = bench_memory((size_t)n + 1, sizeof *moved);
    ref_pair *pairs = bench_memory((size_t)n + 1, sizeof *pairs);
    for (uint32_t i = 0; i <= n; i++) pairs[i] = (ref_pair){0, keys[i], values[i] %= 3};
    load(&t, GPU_R32UI, keys, values, n + 1);
    BENCH_OK(prim_transpose(g, t.keys, t.values, t.moved, n, rounds));
    for (uint32_t r = 0; r < rounds; r++) ref_transpose(pairs, n, moved);
    for (uint32_t i = 0; i <= n; i++) keys[i] = pairs[i].low, values[i] = pairs[i].value;
    BENCH_CHECK(bench_same(bench_fetch(&t.keys[0], n + 1), keys, (size_t)n + 1));
    BENCH_CHECK(bench_same(bench_fetch(&t.values[0], n + 1), values, (size_t)n + 1));
    BENCH_CHECK(bench_same(bench_fetch(t.moved, n + 1), moved, (size_t)n + 1));
}

/* Float keys: the twin sorts their ranks. */
static void check_floats(pattern p, uint32_t n, uint32_t rounds) {
    bench_pairs t;
    const float *keys = bench_floats(p, n);
    uint32_t *values = bench_memory((size_t)n + 1, sizeof *values), *moved = bench_memory(n, sizeof *moved);
    ref_pair *pairs = bench_memory((size_t)n + 1, sizeof *pairs);
    for (uint32_t i = 0; i < n; i++) pairs[i] = (ref_pair){0, rank(keys, n, keys[i]), values[i] = i};
    load(&t, GPU_R32F, keys, values, n + 1);
    BENCH_OK(prim_transpose(test_gpu(), t.keys, t.values, t.moved, n, rounds));
    for (uint32_t r = 0; r < rounds; r++) ref_transpose(pairs, n, moved);
    const uint32_t *got = bench_fetch(&t.values[0], n);
    const float *got_keys = bench_fetch(&t.keys[0], n);
    for (uint32_t i = 0; i < n; i++) BENCH_CHECK(got[i] == pairs[i].value);
    for (uint32_t i = 0; i < n; i++) BENCH_CHECK(!memcmp(&got_keys[i], &keys[got[i]], sizeof *keys));
    BENCH_CHECK(bench_same(bench_fetch(t.moved, n), moved, n));
}

static void both_stages(void (*check)(pattern, uint32_t, uint32_t), const char *name, pattern p, uint32_t n,
                        uint32_t rounds) {
    for (gpu_stage s = GPU_STAGE_COMPUTE; s <= GPU_STAGE_FRAGMENT; s++) {
        bench_where("%s, pattern %d, n = %u, %u rounds, stage %d", name, p, n, rounds, s);
        gpu_set_stage(test_gpu(), s);
        check(p, n, rounds);
        bench_clear();
    }
}

START_TEST(test_uints) {
    for (int i = 0; i < bench_size_count; i++)
        for (pattern p = RANDOM; p < PATTERNS; p++)
            both_stages(check_uints, "uints", p, bench_sizes[i], 1 + p % 3);
}
END_TEST

START_TEST(test_floats) {
    for (int i = 0; i < 20; i++)
        for (pattern p = RANDOM; p < PATTERNS; p++)
            both_stages(check_floats, "floats", p, bench_sizes[i], 1 + p % 3);
}
END_TEST

/* (n + 1)/2 rounds sort the worst sequence; one more moves nothing. */
START_TEST(test_sorts) {
    gpu *g = test_gpu();
    for (uint32_t n = 1; n < 70; n++) {
        bench_pairs t;
        uint32_t largest;
        bench_where("reversed, n = %u", n);
        load(&t, GPU_R32UI, bench_uints(REVERSED, n), bench_uints(EQUAL, n), n);
        gpu_texture *any = bench_texture(GPU_R32UI, 1, NULL);
        BENCH_OK(prim_transpose(g, t.keys, t.values, t.moved, n, (n + 1) / 2 + 1));
        BENCH_OK(prim_reduce(g, bench_scratch(), PRIM_MAX, t.moved, n, any, 0));
        BENCH_OK(gpu_download(g, any, 0, 1, &largest));
        const uint32_t *keys = bench_fetch(&t.keys[0], n);
        for (uint32_t i = 1; i < n; i++) BENCH_CHECK(keys[i - 1] <= keys[i]);
        BENCH_CHECK(largest == 0);
        bench_clear();
    }
}
END_TEST

START_TEST(test_refusals) {
    gpu *g = test_gpu();
    bench_pairs t;
    load(&t, GPU_R32UI, NULL, NULL, 8);
    gpu_texture *small = bench_texture(GPU_R32UI, 7, NULL);
    ck_assert_int_eq(prim_transpose(g, t.keys, t.values, t.moved, 8, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_transpose(g, t.keys, t.values, t.moved, 9, 1), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_transpose(g, t.keys, t.values, small, 7, 1), GLSHAPE_BAD_ARGUMENT);
}
END_TEST

Suite *prim_transpose_suite(void) {
    Suite *s = suite_create("prim/transpose");
    TCase *c = bench_case(s, "transpose");
    tcase_add_test(c, test_uints);
    tcase_add_test(c, test_floats);
    tcase_add_test(c, test_sorts);
    tcase_add_test(c, test_refusals);
    return s;
}
