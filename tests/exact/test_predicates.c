/* The stages of glsl/exact/predicates.glsl against big integers. */
#include <math.h>

#include "exact/points.h"
#include "gpu/pass.h"
#include "prim/bench.h"
#include "reference/delaunay.h"

enum { CASES = 512, STAGES = 3, UNCERTAIN = 2 };

/* clang-format off */
#define TEST_PREDICATES(P) P(READ, RGBA32UI, given) P(WRITE, R32UI, found) P(UINT, cases) P(UINT, limbs)
#define TEST_PASSES(PASS) \
    PASS(test_predicates, "tests/predicates", GPU_GROUPS_OF(8) GPU_WITH("EXACT=1"), TEST_PREDICATES)
/* clang-format on */
GPU_DECLARE_PASSES(TEST_PASSES, test_predicates_passes)
GPU_DEFINE_PASSES(TEST_PASSES, test_predicates_passes)

static double uniform(void) { return bench_random() * 0x1p-32 + bench_random() * 0x1p-64; }
static double whole(int bits) { return floor(ldexp(uniform(), bits)) - ldexp(1, bits - 1); }

typedef enum { FEW, WHOLE, LINE, ON_CIRCLE, NEAR_LINE, NEAR_CIRCLE, BIG, KINDS } kind;

/* Four points, integers all, with differences below 2^bits. */
static void make(kind what, int bits, double xy[8]) {
    double x = whole(bits / 3), y = whole(bits / 3), angle, at, size = ldexp(1, bits - 2);
    for (int i = 0; i < 4; i++) {
        angle = 6.283185307179586 * uniform(), at = i == 3 ? 0 : whole(bits / 3);
        switch (what) {
            case FEW:
                xy[2 * i] = whole(3), xy[2 * i + 1] = whole(3);
                break;
            case LINE: /* exactly */
                xy[2 * i] = at * x, xy[2 * i + 1] = at * y;
                break;
            case ON_CIRCLE: /* around the middle, by symmetry */
                xy[2 * i] = i & 1 ? -x : x, xy[2 * i + 1] = i & 2 ? -y : y;
                break;
            case NEAR_LINE:
                xy[2 * i] = floor(size * uniform()), xy[2 * i + 1] = floor(xy[2 * i] / 3);
                break;
            case NEAR_CIRCLE:
                xy[2 * i] = floor(size * cos(angle)), xy[2 * i + 1] = floor(size * sin(angle));
                break;
            case BIG:
                xy[2 * i] = (bench_random() & 1 ? size : -size) - whole(bits < 42 ? bits - 2 : 40);
                xy[2 * i + 1] = size - whole(bits < 22 ? bits - 2 : 20);
                break;
            default:
                xy[2 * i] = whole(bits), xy[2 * i + 1] = whole(bits);
        }
    }
}

/* Returns how many signs stage 2 left open that are not 0. */
static int check(kind what, int bits) {
    gpu *g = test_gpu();
    double(*given)[8] = bench_memory(CASES, sizeof *given);
    for (int c = 0; c < CASES; c++) make(what, bits, given[c]);
    gpu_texture in, out;
    BENCH_OK(gpu_texture_new(g, &in, "test", GPU_RGBA32UI, CASES, 4));
    BENCH_OK(gpu_texture_new(g, &out, "test", GPU_R32UI, CASES, 2 * STAGES));
    BENCH_OK(gpu_upload(g, &in, 0, CASES, given));
    uint32_t limbs = exact_difference_limbs(&(exact_points){.bits = bits});
    BENCH_OK(gpu_run(g, test_predicates, .given = &in, .found = &out, .cases = CASES, .limbs = limbs,
                     .groups = CASES / 8));
    int(*found)[2 * STAGES] = bench_memory(CASES, sizeof *found), open = 0;
    BENCH_OK(gpu_download(g, &out, 0, CASES, found));
    for (int c = 0; c < CASES; c++) {
        bench_where("points %d of %d bits, case %d", what, bits, c);
        ref_plane *p = ref_plane_new(given[c], 4);
        int want[2] = {ref_in_circle(p, 0, 1, 2, 3), ref_orient2d(p, 1, 2, 3)};
        ref_plane_free(p);
        for (int s = 0; s < 2 * STAGES; s++) {
            int sign = found[c][s];
            open += s / 2 == 1 && sign == UNCERTAIN && want[s % 2];
            BENCH_CHECK(sign == want[s % 2] || (sign == UNCERTAIN && s < 4));
        }
    }
    gpu_texture_free(&in);
    gpu_texture_free(&out);
    bench_clear();
    return open;
}

START_TEST(test_signs) {
    static const int bits[] = {4, 20, 30, 31, 53, 62, 63, 94, 95, 107, 125, 126};
    for (kind what = 0; what < KINDS; what++)
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) check(what, bits[b]);
}
END_TEST

/* Pairs of doubles settle what is not exactly on one line or circle. */
START_TEST(test_pairs_settle) {
    for (int bits = 20; bits <= 60; bits += 20) {
        int open = check(NEAR_LINE, bits) + check(NEAR_CIRCLE, bits) + check(WHOLE, bits);
        ck_assert_msg(open < CASES / 32, "%d of %d bits left open", open, bits);
    }
}
END_TEST

Suite *exact_predicates_suite(void) {
    Suite *s = suite_create("exact/predicates");
    TCase *t = bench_case(s, "predicates");
    tcase_add_test(t, test_signs);
    tcase_add_test(t, test_pairs_settle);
    return s;
}
