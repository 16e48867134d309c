#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/triangulation.h"
#include "prim/bench.h"
#include "reference/delaunay.h"

/* ---- points ------------------------------------------------------------------------------------ */

static double uniform(void) { return (bench_random() * 0x1p32 + bench_random()) * 0x1p-64; }
static double whole(uint32_t below) { return bench_random() % below; }

/* Of a circle of radius 1185665 the points with integer coordinates: 972. */
static void on_circle(double *xy, uint32_t n) {
    const int64_t r = 5 * 13 * 17 * 29 * 37;
    uint32_t filled = 0;
    for (int64_t x = 0; x <= r && filled < n; x++) {
        int64_t y = (int64_t)sqrt((double)(r * r - x * x));
        if (x * x + y * y != r * r) continue;
        for (int s = 0; s < 4 && filled < n; s++, filled++) {
            xy[2 * filled] = (double)(s & 1 ? -x : x);
            xy[2 * filled + 1] = (double)(s & 2 ? -y : y);
        }
    }
}

static void shuffle(double *xy, uint32_t n) {
    for (uint32_t i = n; i > 1; i--) {
        double *a = xy + 2 * (size_t)(i - 1), *b = xy + 2 * (size_t)(bench_random() % i), t[2];
        memcpy(t, a, sizeof t);
        memcpy(a, b, sizeof t);
        memcpy(b, t, sizeof t);
    }
}

typedef enum {
    UNIFORM,
    GAUSS,
    GRID,      /* ties everywhere */
    LARGE_GRID, /* the same, where double precision is in doubt */
    CIRCLE,    /* all on one circle, to the last bit */
    CENTRE,    /* and its centre */
    LARGE_CIRCLE,
    NEAR_CIRCLE,
    COPIES,    /* most points are there several times */
    SAME,      /* all are */
    VERTICAL,  /* on one line */
    SLOPE,     /* on one line, where double precision is in doubt */
    TWO_LINES,
    CROSS,
    CLUSTERS,  /* 1e12 apart */
    TINY,      /* 1e-300 */
    DENORMAL,
    ALL_SIZES, /* from 1e-300 to 1e300 */
    KINDS
} kind;

static void point(kind what, uint32_t i, uint32_t n, double *p) {
    uint32_t side = (uint32_t)ceil(sqrt(n)), k;
    double angle = 2 * 3.141592653589793 * uniform();
    p[0] = uniform(), p[1] = uniform();
    switch (what) {
        case GAUSS: {
            double r = sqrt(-2 * log(uniform() + 1e-20));
            p[0] = r * cos(angle), p[1] = r * sin(angle);
            break;
        }
        case GRID: p[0] = i % side, p[1] = i / side; break;
        case LARGE_GRID: p[0] = (i % side) * 0x1p40 + 1, p[1] = (i / side) * 0x1p40; break;
        case NEAR_CIRCLE: p[0] = cos(angle) + 1000, p[1] = sin(angle); break;
        case COPIES: p[0] = whole(20), p[1] = whole(12); break;
        case SAME: p[0] = p[1] = 0.1; break;
        case VERTICAL: p[0] = 3, p[1] = i; break;
        case SLOPE:
            k = bench_random() >> 12;
            p[0] = k * (0x1p30 + 1), p[1] = k * (0x1p31 + 5);
            break;
        case TWO_LINES: p[0] = i % 2, p[1] = i; break;
        case CROSS: p[i % 2] = 0, p[1 - i % 2] = (double)i - n / 2; break;
        case CLUSTERS: p[0] += i % 2 * 1e12; break;
        case TINY: p[0] *= 1e-300, p[1] *= 1e-300; break;
        case DENORMAL: p[0] = whole(50) * 0x1p-1074, p[1] = -whole(50) * 0x1p-1074; break;
        case ALL_SIZES: {
            double scale[3] = {1, 1e-300, 1e300};
            p[0] *= scale[i % 3], p[1] *= scale[i % 3];
            break;
        }
        default: break;
    }
}

static double *make_points(kind what, uint32_t n) {
    double *xy = bench_memory(2 * (size_t)n + 1, sizeof *xy);
    bool circle = what == CIRCLE || what == CENTRE || what == LARGE_CIRCLE;
    if (circle) on_circle(xy, n);
    if (what == CENTRE && n) xy[0] = xy[1] = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!circle) point(what, i, n, xy + 2 * (size_t)i);
    for (uint32_t e = 0; e < 2 * n && what == LARGE_CIRCLE; e++) xy[e] = xy[e] * 0x1p20 + 0x1p50 + 1;
    shuffle(xy, n);
    return xy;
}

/* ---- running ----------------------------------------------------------------------------------- */

static alpha_triangulation triangulate(const double *xy, uint32_t n, bool on_cpu) {
    alpha_points p;
    alpha_triangulation t;
    glshape_matrix m = {GLSHAPE_F64, n, 2, (void *)xy};
    BENCH_OK(alpha_points_new(gpu_error(test_gpu()), &m, &p));
    if (on_cpu) p.bits = ALPHA_DEVICE_BITS + 1;
    BENCH_OK(alpha_triangulate(test_gpu(), &p, &t));
    alpha_points_free(&p);
    return t;
}

static ref_triangulation as_seen(const alpha_triangulation *t) {
    return (ref_triangulation){t->n, t->same, t->distinct, t->count, t->vertex, t->neighbour, t->chain};
}

static bool words_same(const uint32_t *a, const uint32_t *b, size_t words) {
    return !words || !memcmp(a, b, words * sizeof *a);
}

/* By the checker; and on the CPU: the same words. */
static void check(kind what, uint32_t n) {
    double *xy = make_points(what, n);
    bench_where("points %d, %u of them", what, n);
    alpha_triangulation t = triangulate(xy, n, false), u = triangulate(xy, n, true);
    ref_plane *p = ref_plane_new(xy, n);
    ref_triangulation seen = as_seen(&t);
    const char *fault = ref_delaunay_fault(p, &seen);
    ck_assert_msg(!fault, "%s: %s", bench_place(), fault);
    ck_assert_int_eq(t.cost.on_device, n < 3 || what != ALL_SIZES);
    BENCH_CHECK(!u.cost.on_device || u.distinct < 3);
    BENCH_CHECK(t.count == u.count && t.distinct == u.distinct && words_same(t.same, u.same, n));
    BENCH_CHECK(words_same(t.vertex, u.vertex, 3 * (size_t)t.count));
    BENCH_CHECK(words_same(t.neighbour, u.neighbour, 3 * (size_t)t.count));
    BENCH_CHECK(words_same(t.chain, u.chain, t.count ? 0 : t.distinct));
    ref_plane_free(p);
    alpha_triangulation_free(&t);
    alpha_triangulation_free(&u);
    bench_clear();
}

/* ---- tests ------------------------------------------------------------------------------------- */

/* A few points with coordinates so small that ties abound, against the definition. */
START_TEST(test_definition) {
    for (uint32_t round = 0; round < 150; round++) {
        uint32_t n = round % 13, side = 2 + round % 5, want[200][3];
        double xy[26];
        for (uint32_t i = 0; i < 2 * n; i++) xy[i] = whole(side);
        bench_where("round %u", round);
        alpha_triangulation t = triangulate(xy, n, round % 4 == 3);
        uint32_t at[13], distinct = 0, to[13];
        double own[26];
        for (uint32_t i = 0; i < n; i++)
            if (t.same[i] == i) {
                memcpy(own + 2 * distinct, xy + 2 * i, 2 * sizeof *own);
                to[i] = distinct;
                at[distinct++] = i;
            }
        ref_plane *p = ref_plane_new(own, distinct);
        size_t count = ref_delaunay(p, distinct, want, 200);
        BENCH_CHECK(count == t.count && distinct == t.distinct);
        for (size_t k = 0; k < 3 * count; k++) BENCH_CHECK(to[t.vertex[k]] == want[k / 3][k % 3]);
        for (size_t k = 0; k < 3 * count; k++) BENCH_CHECK(at[want[k / 3][k % 3]] == t.vertex[k]);
        ref_plane_free(p);
        ref_plane *all = ref_plane_new(xy, n);
        ref_triangulation seen = as_seen(&t);
        const char *fault = ref_delaunay_fault(all, &seen);
        ck_assert_msg(!fault, "%s: %s", bench_place(), fault);
        ref_plane_free(all);
        alpha_triangulation_free(&t);
    }
}
END_TEST

START_TEST(test_kinds) {
    for (kind what = 0; what < KINDS; what++) check(what, 900);
}
END_TEST

START_TEST(test_sizes) {
    for (uint32_t n = 0; n < 20; n++) check((kind)(n * 7 % KINDS), n);
    check(UNIFORM, 20001);
    check(GRID, 20164);
}
END_TEST

/* A corner of very many triangles, whose order the CPU makes. */
START_TEST(test_fan) {
    check(CENTRE, 972);
}
END_TEST
