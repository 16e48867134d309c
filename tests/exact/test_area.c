/* Areas that rings go around against sums of 128-bit integers. */
#include "exact/area.h"

#include <math.h>

#include "prim/bench.h"

enum { POINTS = 64, RINGS = 3, MOST_BITS = 52 };

__extension__ typedef __int128 wide;

typedef struct rings {
    double xy[2 * POINTS];
    uint32_t ring[POINTS];
    size_t start[RINGS + 1];
} rings;

static double whole(int bits) {
    return (double)(((uint64_t)bench_random() << 32 | bench_random()) >> (64 - bits));
}

/* Rings of points below 2^bits, from a corner at `far` on; near: of a line. */
static void make(rings *r, int bits, double far, bool near) {
    for (size_t k = 0; k <= RINGS; k++) r->start[k] = k * POINTS / RINGS;
    for (uint32_t i = 0; i < POINTS; i++) {
        double x = whole(bits), y = near ? floor(x / 3) + bench_random() % 2 : whole(bits);
        r->ring[i] = i;
        r->xy[2 * i] = far + x;
        r->xy[2 * i + 1] = far + y;
    }
}

static double area_of(const rings *r) {
    wide sum = 0;
    for (size_t k = 0; k < RINGS; k++)
        for (size_t i = r->start[k]; i < r->start[k + 1]; i++) {
            size_t next = i + 1 < r->start[k + 1] ? i + 1 : r->start[k];
            wide ax = (wide)(r->xy[2 * i] - r->xy[0]), ay = (wide)(r->xy[2 * i + 1] - r->xy[1]),
                 bx = (wide)(r->xy[2 * next] - r->xy[0]), by = (wide)(r->xy[2 * next + 1] - r->xy[1]);
            sum += ax * by - ay * bx;
        }
    return (double)sum;
}

static void check(rings *r, int exponent) {
    double want = area_of(r);
    long got_exponent;
    for (int i = 0; i < 2 * POINTS; i++) r->xy[i] = ldexp(r->xy[i], exponent);
    double got = exact_twice_area_of_rings(r->xy, r->ring, r->start, RINGS, &got_exponent);
    got = ldexp(got, (int)(got_exponent - 2 * exponent));
    ck_assert_msg(fabs(got - want) <= 0x1p-40 * fabs(want), "%a, not %a: %s", got, want, bench_place());
}

START_TEST(areas) {
    static rings r;
    const int exponents[] = {0, -900, 900, -1060, 960};
    for (int bits = 1; bits <= MOST_BITS; bits++)
        for (int kind = 0; kind < 4; kind++)
            for (int e = 0; e < 5; e++) {
                bench_where("%d bits, kind %d, times 2^%d", bits, kind, exponents[e]);
                make(&r, bits, kind & 1 ? -0x1p52 : 0, kind & 2);
                check(&r, exponents[e]);
            }
}
END_TEST

/* A ring whose area is the least that there is, beside its size. */
START_TEST(slivers) {
    const double far = 0x1p52;
    rings r = {.xy = {0, 0, far + 1, far, far, far - 1}, .ring = {0, 1, 2}, .start = {0, 3, 3, 3}};
    long exponent;
    double twice = exact_twice_area_of_rings(r.xy, r.ring, r.start, 1, &exponent);
    ck_assert_double_eq(ldexp(twice, (int)exponent), -1);
}
END_TEST

Suite *exact_area_suite(void) {
    Suite *s = suite_create("exact/area");
    TCase *t = bench_case(s, "area");
    tcase_add_test(t, areas);
    tcase_add_test(t, slivers);
    return s;
}
