#include "prim/bench.h"
#include "reference/prim.h"

/* Scans x[0 … n) on the GPU into elements before an untouched one; BENCH_CHECKs it against the twin. */
static void check_scan(pattern p, uint32_t n, bool with_total) {
    gpu *g = test_gpu();
    bench_where("scan, pattern %d, n = %u", p, n);
    const uint32_t *x = bench_uints(p, n), junk = 77, before[3] = {1, 2, 3};
    uint32_t *want = bench_memory((size_t)n + 1, sizeof *want), total = ref_scan(x, n, want);
    gpu_texture *in = bench_texture(GPU_R32UI, n + 1, x), *out = bench_texture(GPU_R32UI, n + 1, NULL),
                *sum = bench_texture(GPU_R32UI, 3, before);
    BENCH_OK(gpu_upload(g, out, n, 1, &junk));
    BENCH_OK(prim_scan(g, bench_scratch(), in, n, out, with_total ? sum : NULL, 1));
    want[n] = junk;
    BENCH_CHECK(bench_same(bench_fetch(out, n + 1), want, (size_t)n + 1));
    const uint32_t after[3] = {1, with_total ? total : 2, 3};
    BENCH_CHECK(bench_same(bench_fetch(sum, 3), after, 3));
}

/* What is kept, in order; count is right even where out has no room for all. */
static void check_compact(pattern p, uint32_t n, bool copy, uint32_t room) {
    gpu *g = test_gpu();
    bench_where("compact, pattern %d, n = %u, copy %d, room %u", p, n, copy, room);
    uint32_t *flags = bench_uints(p, n), *from = bench_uints(RANDOM, n), odd = p != EQUAL ? 0 : 1;
    for (uint32_t i = 0; i <= n; i++) flags[i] = p == EQUAL || p == SORTED ? odd : flags[i] & 1;
    uint32_t *want = bench_memory((size_t)n + 1, sizeof *want);
    uint32_t kept = ref_compact(flags, copy ? from : NULL, n, want), after[2] = {5, kept};
    gpu_texture *in = bench_texture(GPU_R32UI, n + 1, flags), *items = bench_texture(GPU_R32UI, n + 1, from),
                *out = bench_texture(GPU_R32UI, room + 1, NULL), *count = bench_texture(GPU_R32UI, 2, after);
    out->elements = room; /* one element is behind the end: it must survive */
    BENCH_OK(gpu_upload(g, out, room, 1, &after[0]));
    BENCH_OK(prim_compact(g, bench_scratch(), in, copy ? items : NULL, n, out, count, 1));
    BENCH_CHECK(bench_same(bench_fetch(out, room + 1), want, kept < room ? kept : room));
    uint32_t last;
    BENCH_OK(gpu_download(g, out, room, 1, &last));
    BENCH_CHECK(last == after[0]);
    BENCH_CHECK(bench_same(bench_fetch(count, 2), after, 2));
}

START_TEST(test_scan) {
    for (int i = 0; i < bench_size_count; i++)
        for (pattern p = RANDOM; p < PATTERNS; p++) {
            check_scan(p, bench_sizes[i], p % 2);
            bench_clear();
        }
}
END_TEST

/* Two levels of block sums: beyond 16M elements. */
START_TEST(test_scan_deep) { check_scan(RANDOM, 4096u * 4096u + 1, true); }
END_TEST

START_TEST(test_compact) {
    for (int i = 0; i < bench_size_count; i++)
        for (pattern p = RANDOM; p < PATTERNS; p++) {
            check_compact(p, bench_sizes[i], p % 2, bench_sizes[i]);
            bench_clear();
        }
    for (int i = 0; i < bench_small; i++) {
        check_compact(RANDOM, bench_sizes[i], true, bench_sizes[i] / 3);
        check_compact(EQUAL, bench_sizes[i], false, 1);
        bench_clear();
    }
}
END_TEST

START_TEST(test_refusals) {
    gpu *g = test_gpu();
    prim_scratch *s = bench_scratch();
    gpu_texture *in = bench_texture(GPU_R32UI, 8, NULL), *out = bench_texture(GPU_R32UI, 7, NULL),
                *floats = bench_texture(GPU_R32F, 8, NULL);
    ck_assert_int_eq(prim_scan(g, s, in, 8, out, NULL, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_scan(g, s, in, 9, in, NULL, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_scan(g, s, in, 7, out, floats, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_scan(g, s, in, 7, out, in, 8), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_compact(g, s, floats, NULL, 7, out, NULL, 0), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(prim_compact(g, s, in, out, 8, floats, NULL, 0), GLSHAPE_BAD_ARGUMENT);
}
END_TEST

/* A corrupted scan is caught. */
START_TEST(test_the_tester) {
    uint32_t *x = bench_uints(RANDOM, 5000), *want = bench_memory(5000, sizeof *want), wrong;
    ref_scan(x, 5000, want);
    gpu_texture *in = bench_texture(GPU_R32UI, 5000, x), *out = bench_texture(GPU_R32UI, 5000, NULL);
    BENCH_OK(prim_scan(test_gpu(), bench_scratch(), in, 5000, out, NULL, 0));
    ck_assert(bench_same(bench_fetch(out, 5000), want, 5000));
    wrong = want[4096] + 1;
    BENCH_OK(gpu_upload(test_gpu(), out, 4096, 1, &wrong));
    ck_assert(!bench_same(bench_fetch(out, 5000), want, 5000));
}
END_TEST

Suite *prim_scan_suite(void) {
    Suite *s = suite_create("prim/scan");
    TCase *c = bench_case(s, "scan");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_scan);
    tcase_add_test(c, test_scan_deep);
    tcase_add_test(c, test_compact);
    tcase_add_test(c, test_refusals);
    return s;
}
