/* Radix sort against a stable sort. */
#include <stdlib.h>
#include <string.h>

#include "gpu/context.h"
#include "prim/bench.h"
#include "prim/sort.h"

static uint32_t (*sorting)[4];
static uint32_t from_bit, to_bit;

static uint64_t key_of(const uint32_t *item) {
    uint64_t key = (uint64_t)item[0] << 32 | item[1];
    key = to_bit < 64 ? key & ((UINT64_C(1) << to_bit) - 1) : key;
    return key >> from_bit;
}

static int by_key(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    uint64_t x = key_of(sorting[i]), y = key_of(sorting[j]);
    return x != y ? (x < y ? -1 : 1) : i < j ? -1 : i > j;
}

/* z is the place; w anything. */
static uint32_t (*make_items(pattern p, uint32_t n))[4] {
    uint32_t(*items)[4] = bench_memory(n + 1, sizeof *items), *high = bench_uints(p, n),
    *low = bench_uints(p, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t item[4] = {high[i], low[i], i, bench_random()};
        memcpy(items[i], item, sizeof item);
    }
    return items;
}

static bool holds(gpu_texture *t, uint32_t (*items)[4], uint32_t n) {
    uint32_t *order = bench_memory(n + 1, sizeof *order), (*want)[4] = bench_memory(n + 1, sizeof *want);
    sorting = items;
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    qsort(order, n, sizeof *order, by_key);
    for (uint32_t i = 0; i < n; i++) memcpy(want[i], items[order[i]], sizeof *want);
    return bench_same(bench_fetch(t, n), want, 4 * (size_t)n);
}

static void check_radix(pattern p, uint32_t n, uint32_t from, uint32_t to) {
    gpu *g = test_gpu();
    prim_radix_scratch s = {0};
    uint32_t(*items)[4] = make_items(p, n);
    gpu_texture *t[2] = {bench_texture(GPU_RGBA32UI, n, items), bench_texture(GPU_RGBA32UI, n, NULL)};
    gpu_texture pair[2] = {*t[0], *t[1]};
    bench_where("pattern %d, %u items, bits %u to %u", p, n, from, to);
    from_bit = from;
    to_bit = to;
    BENCH_OK(prim_radix(g, &s, pair, n, from, to));
    BENCH_CHECK(holds(&pair[0], items, n));
    prim_radix_free(&s);
    bench_clear();
}

START_TEST(test_patterns) {
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 2048, 2049, 40000};
    for (pattern p = RANDOM; p < PATTERNS; p++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check_radix(p, sizes[i], 0, 64);
    check_radix(RANDOM, 300000, 0, 64);
}
END_TEST

START_TEST(test_bits) {
    for (uint32_t from = 0; from < 64; from += 8)
        for (uint32_t to = from + 8; to <= 64; to += 24) check_radix(RANDOM, 3000, from, to);
}
END_TEST

START_TEST(test_refusals) {
    gpu *g = test_gpu();
    prim_radix_scratch s = {0};
    gpu_texture pair[2] = {*bench_texture(GPU_RGBA32UI, 8, NULL), *bench_texture(GPU_RGBA32UI, 7, NULL)};
    ck_assert_int_eq(prim_radix(g, &s, pair, 8, 0, 64), GLSHAPE_BAD_ARGUMENT);
    pair[1] = *bench_texture(GPU_RG32UI, 8, NULL);
    ck_assert_int_eq(prim_radix(g, &s, pair, 8, 0, 64), GLSHAPE_BAD_ARGUMENT);
    prim_radix_free(&s);
}
END_TEST

/* A list that passes would sort, while no device is open: processors sort it. */
START_TEST(test_closed) {
    enum { LONG = (1 << 20) + 7 };
    glshape_context *closed;
    radix_item *items = bench_memory(LONG, sizeof *items);
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &closed), GLSHAPE_OK);
    for (uint32_t k = 0; k < LONG; k++) items[k] = (radix_item){bench_random() % 1000, k, 0};
    ck_assert_int_eq(prim_sort(context_gpu(closed), true, items, LONG, 64), GLSHAPE_OK);
    for (uint32_t k = 1; k < LONG; k++)
        ck_assert(items[k - 1].at < items[k].at ||
                  (items[k - 1].at == items[k].at && items[k - 1].a < items[k].a));
    ck_assert_int_eq(glshape_close(closed), 0);
}
END_TEST

Suite *prim_radix_suite(void) {
    Suite *s = suite_create("prim/radix");
    TCase *c = bench_case(s, "radix");
    tcase_add_test(c, test_patterns);
    tcase_add_test(c, test_bits);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_closed);
    return s;
}
