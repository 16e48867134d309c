#include <gmp.h>
#include <math.h>
#include <string.h>

#include "gpu/pass.h"
#include "prim/bench.h"

enum { CASES = 400, WORDS = 6 };

/* clang-format off */
#define TEST_LIMBS(P) P(AXIS, LIMBS, 6) P(READ, RGBA32UI, given) P(WRITE, R32UI, found) P(UINT, cases)
#define TEST_PASSES(PASS) PASS(test_limbs, "tests/limbs", GPU_GROUPS_OF(64), TEST_LIMBS)
/* clang-format on */
GPU_DECLARE_PASSES(TEST_PASSES, test_limbs_passes)
GPU_DEFINE_PASSES(TEST_PASSES, test_limbs_passes)

/* Integers of every size up to 2^90, 0 among them; neighbours of powers of two are frequent. */
static double integer(void) {
    static const double few[] = {0, 1, -1, 0x1p32, -0x1p32, 0x1p32 - 1, 0x1p64, -0x1p64 - 0x1p12, 0x1p52 + 1};
    if (bench_random() % 3 == 0) return few[bench_random() % 9];
    double mantissa = bench_random() * 0x1p21 + (bench_random() >> 11);
    double v = floor(ldexp(mantissa, (int)(bench_random() % 90) - 53));
    return bench_random() & 1 ? -v : v;
}

/* Word i of two's complement. */
static uint32_t word(const mpz_t z, int i) {
    mpz_t t;
    mpz_init(t);
    mpz_fdiv_q_2exp(t, z, 32 * (mp_bitcnt_t)i);
    mpz_fdiv_r_2exp(t, t, 32);
    uint32_t w = (uint32_t)mpz_get_ui(t);
    mpz_clear(t);
    return w;
}

START_TEST(test_arithmetic) {
    gpu *g = test_gpu();
    double(*given)[4] = bench_memory(CASES, sizeof *given);
    for (int c = 0; c < CASES; c++)
        for (int k = 0; k < 4; k++) given[c][k] = integer();
    given[0][0] = given[0][1] = 3, given[0][2] = 0, given[0][3] = 9; /* 0 */
    gpu_texture in, out;
    BENCH_OK(gpu_texture_new(g, &in, "test", GPU_RGBA32UI, CASES, 2));
    BENCH_OK(gpu_texture_new(g, &out, "test", GPU_R32UI, CASES, WORDS + 1));
    BENCH_OK(gpu_upload(g, &in, 0, CASES, given));
    BENCH_OK(gpu_run(g, test_limbs, .LIMBS = WORDS, .given = &in, .found = &out, .cases = CASES,
                     .groups = (CASES - 1) / 64 + 1));
    uint32_t(*found)[WORDS + 1] = bench_memory(CASES, sizeof *found);
    BENCH_OK(gpu_download(g, &out, 0, CASES, found));
    mpz_t z[4];
    for (int k = 0; k < 4; k++) mpz_init(z[k]);
    for (int c = 0; c < CASES; c++) {
        bench_where("%.17g · %.17g + %.17g - %.17g", given[c][0], given[c][1], given[c][2], given[c][3]);
        for (int k = 0; k < 4; k++) mpz_set_d(z[k], given[c][k]);
        mpz_mul(z[0], z[0], z[1]);
        mpz_add(z[0], z[0], z[2]);
        mpz_sub(z[0], z[0], z[3]);
        for (int i = 0; i < WORDS; i++) BENCH_CHECK(found[c][i] == word(z[0], i));
        BENCH_CHECK((int32_t)found[c][WORDS] == mpz_sgn(z[0]));
    }
    for (int k = 0; k < 4; k++) mpz_clear(z[k]);
    gpu_texture_free(&in);
    gpu_texture_free(&out);
}
END_TEST

Suite *exact_limbs_suite(void) {
    Suite *s = suite_create("exact/limbs");
    TCase *t = bench_case(s, "limbs");
    tcase_add_test(t, test_arithmetic);
    return s;
}
