/* The signs of glsl/delaunay/circle.glsl against big integers. */
#include <math.h>

#include "gpu/pass.h"
#include "prim/bench.h"
#include "reference/delaunay.h"

enum { CASES = 512, UNCERTAIN = 2, MOST_BITS = 55, SURE_BITS = 29, CUT = 3 };

/* clang-format off */
#define TEST_PREDICATES(P) P(READ, RGBA32UI, given) P(WRITE, R32UI, found) P(UINT, cases) P(UINT, n)
#define TEST_PASSES(PASS) \
    PASS(test_predicates, "tests/circle", GPU_GROUPS_OF(64), TEST_PREDICATES)
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

/* Signs of the points, cut off by `cut` bits for the device, as the device finds them. */
static void find(const double (*given)[8], int cut, int (*found)[2]) {
    gpu *g = test_gpu();
    gpu_texture in, out;
    uint64_t(*units)[8] = bench_memory(CASES, sizeof *units);
    for (int k = 0; k < 8 * CASES; k++)
        units[k / 8][k % 8] = (uint64_t)((int64_t)given[k / 8][k % 8] + (INT64_C(1) << MOST_BITS)) >> cut;
    BENCH_OK(gpu_texture_new(g, &in, "test", GPU_RGBA32UI, CASES, 4));
    BENCH_OK(gpu_texture_new(g, &out, "test", GPU_R32UI, CASES, 2));
    BENCH_OK(gpu_upload(g, &in, 0, CASES, units));
    BENCH_OK(gpu_run(g, test_predicates, .given = &in, .found = &out, .cases = CASES, .n = CASES,
                     .groups = CASES / 64));
    BENCH_OK(gpu_download(g, &out, 0, CASES, found));
    gpu_texture_free(&in);
    gpu_texture_free(&out);
}

/* Returns how many signs are left open. Whole points of few bits leave none open; points that are cut off
 * have the signs of the points before, or none. */
static int check(kind what, int bits) {
    double(*given)[8] = bench_memory(CASES, sizeof *given);
    int(*found)[2] = bench_memory(CASES, sizeof *found), (*rough)[2] = bench_memory(CASES, sizeof *rough),
    open = 0;
    for (int c = 0; c < CASES; c++) make(what, bits, given[c]);
    find((const double(*)[8])given, 0, found);
    find((const double(*)[8])given, CUT, rough);
    for (int c = 0; c < CASES; c++) {
        bench_where("points %d of %d bits, case %d", what, bits, c);
        ref_plane *p = ref_plane_new(given[c], 4);
        int want = ref_in_circle(p, 0, 1, 2, 3);
        ref_plane_free(p);
        BENCH_CHECK(found[c][1] == want || (found[c][1] == UNCERTAIN && bits > SURE_BITS));
        BENCH_CHECK(found[c][0] == want || found[c][0] == UNCERTAIN);
        BENCH_CHECK(rough[c][0] == want || rough[c][0] == UNCERTAIN);
        open += found[c][1] == UNCERTAIN;
    }
    bench_clear();
    return open;
}

START_TEST(test_signs) {
    static const int bits[] = {4, 20, 28, 29, 30, 31, 32, 33, 45, 53, 55};
    for (kind what = 0; what < KINDS; what++)
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) check(what, bits[b]);
}
END_TEST

/* Almost all signs of points in no order are certain. */
START_TEST(test_settled) {
    for (int bits = 30; bits <= 55; bits += 5) {
        int open = check(WHOLE, bits);
        ck_assert_msg(open < CASES / 32, "%d of %d bits left open", open, bits);
    }
}
END_TEST

Suite *exact_predicates_suite(void) {
    Suite *s = suite_create("exact/predicates");
    TCase *t = bench_case(s, "predicates");
    tcase_add_test(t, test_signs);
    tcase_add_test(t, test_settled);
    return s;
}
