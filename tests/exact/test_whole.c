/* Doubles in whole numbers: every result is the one that the processor's doubles have. */
#include <math.h>
#include <string.h>

#include "gpu/pass.h"
#include "prim/bench.h"

enum { CASES = 20000 };

/* clang-format off */
#define TEST_WHOLE(P) P(READ, RGBA32UI, given) P(WRITE, RGBA32UI, found) P(UINT, cases)
#define TEST_PASSES(PASS) PASS(test_whole, "tests/whole", GPU_GROUPS_OF(64), TEST_WHOLE)
/* clang-format on */
GPU_DECLARE_PASSES(TEST_PASSES, test_whole_passes)
GPU_DEFINE_PASSES(TEST_PASSES, test_whole_passes)

static uint64_t bits(void) { return (uint64_t)bench_random() << 32 | bench_random(); }

/* A number of a power of two from `low` to `high`: with all bits, with few, or beside such a one. */
static double number(int low, int high) {
    static const double few[] = {0, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023, 1, 0x1p-537, 3};
    double x;
    if (bench_random() % 9 == 0) return few[bench_random() % 7];
    uint64_t mantissa = bits() >> 12, kind = bench_random() % 4;
    if (kind == 0) mantissa &= ~(uint64_t)0 << bench_random() % 52;
    if (kind == 1) mantissa >>= bench_random() % 52;
    mantissa |= (uint64_t)1023 << 52;
    memcpy(&x, &mantissa, sizeof x);
    x = ldexp(x, low + (int)(bench_random() % (uint32_t)(high - low + 1)));
    return bench_random() & 1 ? -x : x;
}

/* Numbers of all sizes; near each other; whose product is about the least there is; squares, and beside
 * squares. */
static void make_case(uint32_t c, double given[2]) {
    given[0] = number(-1074, 500);
    given[1] = number(-1074, 500);
    switch (c % 5) {
        case 1:
            given[1] = given[0] + number(-60, 3) * given[0];
            break;
        case 2:
            given[0] = number(-545, -530);
            given[1] = number(-545, -480);
            break;
        case 3:
            given[0] = ldexp(bench_random() >> bench_random() % 32, (int)(bench_random() % 60) - 30);
            given[0] *= given[0];
            if (c % 2) given[0] = nextafter(given[0], c % 4 == 1 ? 0 : INFINITY);
            break;
        case 4:
            given[0] = number(-1, 1);
            given[1] = number(-1, 1);
            break;
        default:
            break;
    }
}

START_TEST(test_arithmetic) {
    gpu *g = test_gpu();
    double(*given)[2] = bench_memory(CASES, sizeof *given), (*found)[4] = bench_memory(CASES, sizeof *found);
    gpu_texture in, out;
    for (uint32_t c = 0; c < CASES; c++) make_case(c, given[c]);
    BENCH_OK(gpu_texture_new(g, &in, "test", GPU_RGBA32UI, CASES, 1));
    BENCH_OK(gpu_texture_new(g, &out, "test", GPU_RGBA32UI, CASES, 2));
    BENCH_OK(gpu_upload(g, &in, 0, CASES, given));
    BENCH_OK(
        gpu_run(g, test_whole, .given = &in, .found = &out, .cases = CASES, .groups = (CASES - 1) / 64 + 1));
    BENCH_OK(gpu_download(g, &out, 0, CASES, found));
    for (uint32_t c = 0; c < CASES; c++) {
        double a = given[c][0], b = given[c][1], x = fabs(a), y = fabs(b);
        const double want[] = {fabs(a - b), x + y, x * y, sqrt(x)};
        bench_where("%a, %a: %a %a %a %a for %a %a %a %a", a, b, found[c][0], found[c][1], found[c][2],
                    found[c][3], want[0], want[1], want[2], want[3]);
        BENCH_CHECK(!memcmp(found[c], want, sizeof want));
    }
    gpu_texture_free(&in);
    gpu_texture_free(&out);
    bench_clear();
}
END_TEST

Suite *exact_whole_suite(void) {
    Suite *s = suite_create("exact/whole");
    tcase_add_test(bench_case(s, "whole"), test_arithmetic);
    return s;
}
