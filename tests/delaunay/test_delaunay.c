#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delaunay/triangulation.h"
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
    GRID,       /* ties everywhere */
    LARGE_GRID, /* the same, where double precision is in doubt */
    TENTHS,     /* a grid of rectangles that are not quite squares */
    CIRCLE,     /* all on one circle, to the last bit: point 0 is a corner of every triangle */
    CENTRE,     /* and its centre */
    LARGE_CIRCLE,
    NEAR_CIRCLE,
    COPIES,   /* most points are there several times */
    SAME,     /* all are */
    VERTICAL, /* on one line */
    SLOPE,    /* on one line, where double precision is in doubt */
    TWO_LINES,
    CROSS,
    CLUSTERS, /* 1e12 apart */
    TINY,     /* 1e-300 */
    DENORMAL,
    /* Nearly, in doubles, on lines and circles: double precision settles few of their predicates. */
    THIRDS,    /* y = x / 3 */
    SLOPED,    /* y = 0.1 + 0.7 x */
    DECIMALS,  /* the same, with 8 decimals */
    SLOPES,    /* two parallel sloped lines */
    OUTLIERS,  /* a sloped line and a few points beside it */
    SCORES,    /* of rank 1: one number times two */
    POLYGON,   /* regular */
    SIDES,     /* of a pentagon, sampled */
    TURNED,    /* a grid, by 0.5, row after row */
    QUARTER,   /* a grid, by π/2 in doubles */
    POLAR,     /* a polar grid */
    STAR,      /* of five rays */
    TRACK,     /* of straight legs */
    ALL_SIZES, /* from 1e-300 to 1e300 */
    KINDS
} kind;

/* A point of those that are nearly on lines and circles; t: its share of the way. */
static void nearly(kind what, uint32_t i, uint32_t n, double *p) {
    const double turn = 2 * 3.141592653589793, angle = what == QUARTER ? turn / 4 : 0.5;
    uint32_t side = (uint32_t)ceil(sqrt(n)), legs = n / 50 + 1, per = (n + 4) / 5;
    double t = (double)i / n, x = i % side, y = i / side, on = (double)(i % per) / per;
    double from = turn * (i / per) / 5, to = turn * (i / per + 1) / 5;
    switch (what) {
        case THIRDS:
            p[0] = t, p[1] = t / 3;
            break;
        case SLOPED:
            p[0] = t, p[1] = 0.1 + 0.7 * t;
            break;
        case DECIMALS:
            p[0] = round(t * 1e8) / 1e8, p[1] = round((0.1 + 0.7 * t) * 1e8) / 1e8;
            break;
        case SLOPES:
            p[0] = t, p[1] = (i % 2 ? 0.1 : 0.3) + 0.7 * t;
            break;
        case OUTLIERS:
            if (i >= 3) p[0] = t, p[1] = 0.1 + 0.7 * t;
            break;
        case SCORES:
            t = p[0] - 0.5, p[0] = t * 0.6, p[1] = t * 0.8;
            break;
        case POLYGON:
            p[0] = cos(turn * t), p[1] = sin(turn * t);
            break;
        case SIDES:
            p[0] = cos(from) * (1 - on) + cos(to) * on, p[1] = sin(from) * (1 - on) + sin(to) * on;
            break;
        case TURNED:
        case QUARTER:
            p[0] = x * cos(angle) - y * sin(angle), p[1] = x * sin(angle) + y * cos(angle);
            break;
        case POLAR:
            p[0] = (x + 1) * cos(turn * y / side), p[1] = (x + 1) * sin(turn * y / side);
            break;
        case STAR:
            p[0] = on * cos(from), p[1] = on * sin(from);
            break;
        case TRACK:
            t = (double)(i % 50) / 50, from = i / 50, to = (i / 50 + 1) % legs;
            p[0] = 10.75 + sin(3 * from) * (1 - t) + sin(3 * to) * t;
            p[1] = 59.91 + cos(5 * from) * (1 - t) + cos(5 * to) * t;
            break;
        default:
            break;
    }
}

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
        case GRID:
            p[0] = i % side, p[1] = i / side;
            break;
        case LARGE_GRID:
            p[0] = (i % side) * 0x1p40 + 1, p[1] = (i / side) * 0x1p40;
            break;
        case TENTHS:
            p[0] = (i % side) * 0.1, p[1] = (i / side) * 0.1;
            break;
        case NEAR_CIRCLE:
            p[0] = cos(angle) + 1000, p[1] = sin(angle);
            break;
        case COPIES:
            p[0] = whole(20), p[1] = whole(12);
            break;
        case SAME:
            p[0] = p[1] = 0.1;
            break;
        case VERTICAL:
            p[0] = 3, p[1] = i;
            break;
        case SLOPE:
            k = bench_random() >> 12;
            p[0] = k * (0x1p30 + 1), p[1] = k * (0x1p31 + 5);
            break;
        case TWO_LINES:
            p[0] = i % 2, p[1] = i;
            break;
        case CROSS:
            p[i % 2] = 0, p[1 - i % 2] = (double)i - n / 2;
            break;
        case CLUSTERS:
            p[0] += i % 2 * 1e12;
            break;
        case TINY:
            p[0] *= 1e-300, p[1] *= 1e-300;
            break;
        case DENORMAL:
            p[0] = whole(50) * 0x1p-1074, p[1] = -whole(50) * 0x1p-1074;
            break;
        case ALL_SIZES: {
            double scale[3] = {1, 1e-300, 1e300};
            p[0] *= scale[i % 3], p[1] *= scale[i % 3];
            break;
        }
        default:
            nearly(what, i, n, p);
            break;
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
    if (what != TURNED) shuffle(xy, n);
    return xy;
}

/* ---- running ----------------------------------------------------------------------------------- */

/* The three ways: on the device, as far as it can; on the CPU; on the CPU, as coordinates that the device
 * does not hold. */
typedef enum { DEVICE, CPU, UNSCALED, WAYS } way;

static delaunay_triangulation triangulate(const double *xy, uint32_t n, way how) {
    exact_points p;
    delaunay_triangulation t;
    glshape_matrix m = {GLSHAPE_F64, n, 2, (void *)xy};
    BENCH_OK(exact_points_new(run_error(run_of(test_gpu())), &m, &p));
    if (how == UNSCALED) p.bits = EXACT_DEVICE_BITS + 1;
    BENCH_OK(
        delaunay_triangulate(test_gpu(), &p, how == CPU ? DELAUNAY_ON_CPU : DELAUNAY_ON_DEVICE, &t, NULL));
    exact_points_free(&p);
    return t;
}

static ref_triangulation as_seen(const delaunay_triangulation *t) {
    return (ref_triangulation){t->n, t->same, t->distinct, t->count, t->vertex, t->neighbor, t->chain};
}

static bool words_same(const uint32_t *a, const uint32_t *b, size_t words) {
    return !words || !memcmp(a, b, words * sizeof *a);
}

static void check_same(const delaunay_triangulation *t, const delaunay_triangulation *u) {
    BENCH_CHECK(t->count == u->count && t->distinct == u->distinct && words_same(t->same, u->same, t->n));
    BENCH_CHECK(words_same(t->vertex, u->vertex, 3 * (size_t)t->count));
    BENCH_CHECK(words_same(t->neighbor, u->neighbor, 3 * (size_t)t->count));
    BENCH_CHECK(words_same(t->chain, u->chain, t->count ? 0 : t->distinct));
}

/* By the checker; and all ways: the same words. Returns whether the CPU went on where the device stopped. */
static bool check_points(const double *xy, uint32_t n, bool device_can) {
    delaunay_triangulation t[WAYS];
    int ways = n > 5000 ? UNSCALED : WAYS; /* which is slow */
    for (int how = 0; how < ways; how++) t[how] = triangulate(xy, n, (way)how);
    ref_plane *p = ref_plane_new(xy, n);
    ref_triangulation seen = as_seen(&t[DEVICE]);
    const char *fault = ref_delaunay_fault(p, &seen);
    ck_assert_msg(!fault, "%s: %s", bench_place(), fault);
    BENCH_CHECK(t[DEVICE].distinct < 3 || t[DEVICE].cost.on_device == device_can);
    for (int how = CPU; how < ways; how++) {
        BENCH_CHECK(!t[how].cost.on_device && (t[how].cost.on_cpu || t[how].distinct < 3));
        check_same(&t[DEVICE], &t[how]);
    }
    bool both = t[DEVICE].cost.on_device && t[DEVICE].cost.on_cpu;
    ref_plane_free(p);
    for (int how = 0; how < ways; how++) delaunay_triangulation_free(&t[how]);
    return both;
}

static void check(kind what, uint32_t n) {
    double *xy = make_points(what, n);
    bench_where("points %d, %u of them", what, n);
    check_points(xy, n, what != ALL_SIZES);
    bench_clear();
}

/* ---- tests ------------------------------------------------------------------------------------- */

/* A few points with coordinates so small that ties abound, against the definition. */
START_TEST(test_definition) {
    for (uint32_t round = 0, rounds = (uint32_t)hunt(60, 120); round < rounds; round++) {
        uint32_t n = round % 13, side = 2 + round % 5, want[200][3];
        double xy[26];
        for (uint32_t i = 0; i < 2 * n; i++) xy[i] = whole(side);
        bench_where("round %u", round);
        delaunay_triangulation t = triangulate(xy, n, (way)(round % WAYS));
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
        delaunay_triangulation_free(&t);
    }
}
END_TEST

START_TEST(test_kinds) {
    for (kind what = 0; what < KINDS; what++) check(what, 900);
}
END_TEST

/* Small sets, in which exact ties come early. */
START_TEST(test_nearly) {
    for (kind what = THIRDS; what <= TRACK; what++)
        for (uint32_t n = 3; n < 60; n += 1 + n / 4) check(what, n);
}
END_TEST

START_TEST(test_sizes) {
    for (uint32_t n = 0; n < 20; n++) check((kind)(n * 7 % KINDS), n);
    check(UNIFORM, 20001);
    check(GRID, 20164);
    check(TURNED, 40000);
}
END_TEST

/* Passes leave few sites of these to threads: on the hull, and where points crowd. */
START_TEST(test_passes) {
    static const kind kinds[] = {UNIFORM, GAUSS, GRID, LARGE_GRID, COPIES};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uint32_t n = kinds[k] == COPIES ? 500 : 10000;
        double *xy = make_points(kinds[k], n);
        bench_where("points %d", kinds[k]);
        check_points(xy, n, true);
        delaunay_triangulation t = triangulate(xy, n, DEVICE);
        BENCH_CHECK(t.cost.on_device && !t.cost.on_cpu && t.cost.open < t.distinct / 3);
        delaunay_triangulation_free(&t);
        bench_clear();
    }
}
END_TEST

/* Sets that random search found, by the state of its generator: a sign was wrong but certain (three nearly in
 * line have circles much larger than they are far apart), and a site was alone in its boxes, which then have
 * no width. */
static uint64_t hard_state;

static uint64_t hard_next(void) {
    hard_state ^= hard_state << 13;
    hard_state ^= hard_state >> 7;
    return hard_state ^= hard_state << 17;
}

static double hard_uniform(void) { return (double)(hard_next() >> 11) * 0x1p-53; }

/* The size of everything, the offset of each coordinate, and of some kinds a step and noise. */
typedef struct hard_set {
    uint32_t n;
    uint64_t state;
} hard_set;

static double hard_offset(void) {
    if (hard_next() % 3) return 0;
    double radius = sqrt(-2 * log(hard_uniform() + 1e-300));
    return radius * cos(6.283185307179586 * hard_uniform()) * 1e6;
}

static void hard_point(uint64_t kind, uint32_t i, uint32_t n, const double step_noise[2], double p[2]) {
    uint32_t side = (uint32_t)ceil(sqrt(n));
    p[0] = hard_uniform(), p[1] = hard_uniform();
    if (kind == 7) { /* nearly a line */
        p[0] = hard_uniform();
        p[1] = p[0] * step_noise[0] + step_noise[1] * (hard_uniform() - 0.5);
    } else if (kind == 10) { /* a hub, its circle, and others around them */
        double angle = 6.283185307179586 * hard_uniform(), radius = i < n / 3 ? 1 : 1 + hard_uniform();
        p[0] = i ? radius * cos(angle) : 0, p[1] = i ? radius * sin(angle) : 0;
    } else { /* shifted rows */
        p[0] = i % side + i / side % 2 * 0.5;
        p[1] = i / side * (hard_next() % 2 ? 0.8660254037844386 : 0.75);
    }
}

static double *hard_points(const hard_set *set) {
    double *xy = bench_memory(2 * (size_t)set->n, sizeof *xy);
    hard_state = set->state;
    uint64_t kind = hard_next() % 16;
    double size = ldexp(1, (int)(hard_next() % 60) - 30), x = hard_offset(), y = hard_offset();
    double step = hard_next() % 2   ? 1
                  : hard_next() % 2 ? 0.1
                                    : 1.0 / 3,
           noise = ldexp(1, -(int)(hard_next() % 52));
    for (uint32_t i = 0; i < set->n; i++) {
        hard_point(kind, i, set->n, (double[]){step, noise}, xy + 2 * (size_t)i);
        xy[2 * (size_t)i] = xy[2 * (size_t)i] * size + x;
        xy[2 * (size_t)i + 1] = xy[2 * (size_t)i + 1] * size + y;
    }
    for (uint32_t i = set->n - 1; i > 0 && hard_next() % 8; i--) {
        uint32_t j = (uint32_t)(hard_next() % (i + 1));
        for (int c = 0; c < 2; c++) {
            double was = xy[2 * (size_t)i + c];
            xy[2 * (size_t)i + c] = xy[2 * (size_t)j + c];
            xy[2 * (size_t)j + c] = was;
        }
    }
    return xy;
}

START_TEST(test_hard) {
    static const hard_set sets[] = {{1057, 9471027305862378464u},
                                    {2445, 14413427530055443990u},
                                    {2491, 14549624801962784871u},
                                    {2593, 14846455786326654420u}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        bench_where("hard set %zu", k);
        check_points(hard_points(&sets[k]), sets[k].n, true);
        bench_clear();
    }
}
END_TEST

/* A centre with so many neighbors that passes neither find nor sort them; others around it. */
START_TEST(test_hub) {
    enum { N = 6000 };
    double *xy = bench_memory(2 * N, sizeof *xy);
    for (uint32_t i = 0; i < N; i++) {
        double angle = 6.283185307179586 * uniform(), radius = i < N / 6 ? 1 : 1.5 + uniform();
        xy[2 * i] = radius * cos(angle), xy[2 * i + 1] = radius * sin(angle);
    }
    xy[0] = xy[1] = 0;
    bench_where("a hub");
    check_points(xy, N, true);
    bench_clear();
}
END_TEST

/* Four on one circle, of which two are so close that single precision does not tell on which side of one the
 * other is, as seen from the others. */
START_TEST(test_close_on_circle) {
    double xy[] = {1995125451, 603958299,  354511389,  487895502,  289908494,  680783428,  2672183222,
                   2464884448, 1970446197, 477550204,  255235690,  3196980565, 1817551673, 496327353,
                   1970446197, 477550206,  2580782603, 1742149963, 354511389,  873671356,  1386388273,
                   2202153292, 928162517,  432953347,  4154075482, 2330423061, 1995125451, 351142111,
                   2155062162, 165941088,  599493978,  3020596220};
    bench_where("two close points on a circle");
    check_points(xy, sizeof xy / sizeof *xy / 2, true);
}
END_TEST

/* Sites whose box is as small as can be, and others as far away as can be: where each point is there many
 * times, and around a few points of small coordinates. */
START_TEST(test_crowds) {
    enum { N = 480, FEW = 60 };
    double *xy = bench_memory(2 * N, sizeof *xy);
    for (int turn = 0; turn < 40; turn++) {
        bool copies = turn % 2;
        uint32_t n = copies ? N : FEW + 40;
        for (uint32_t i = 0; i < n; i++)
            for (int c = 0; c < 2; c++)
                xy[2 * i + c] = copies    ? i % 40 ? xy[2 * i + c - 2] : floor(uniform() * 0x1p53)
                                   : i < FEW ? whole(8)
                                          : floor((uniform() - 0.5) * 0x1p53);
        bench_where("crowds %d", turn);
        check_points(xy, n, true);
    }
    bench_clear();
}
END_TEST

/* A site on a side so nearly straight that the circle through it and its neighbors ends between the ghosts of
 * its tile and those of its own boxes, and a site beyond that circle. */
START_TEST(test_ghosts) {
    static const double xy[][2] = {{-1, 1642393},
                                   {-3221326, 3478808},
                                   {-1, 3328570},
                                   {-1, 3320726},
                                   {-2, 1567253},
                                   {-224605803, 53095082},
                                   {-108998011, -108502175},
                                   {311401821260, 186187203},
                                   {0, 1595780},
                                   {2, 3813638},
                                   {-1127967, 201975},
                                   {3, 118619},
                                   {-2347914, 429231},
                                   {-2824691, 372742},
                                   {-215019411, 126414400},
                                   {-86105824, 125346076},
                                   {0, 3508698},
                                   {-1, 1691040},
                                   {-1, 1698674},
                                   {-58281792, -2028223},
                                   {-745079, 110755},
                                   {-1, 1775563},
                                   {-3614893, 3531775},
                                   {3, 4032004},
                                   {-181686013, -40097928},
                                   {274332636685, -50348930992},
                                   {0, 2930739},
                                   {-1703133, 3470577},
                                   {1, 3566736},
                                   {257689816632, 9258098596},
                                   {-2, 1580568},
                                   {-2, 2236566},
                                   {197211556427, -21446817898},
                                   {-219251736, -67201592},
                                   {-1951202, 1851073},
                                   {-1, 1045942},
                                   {0, 1499330},
                                   {-2, 2249034},
                                   {-77954111, 21604696},
                                   {3, 4179642},
                                   {-196092, 4110382},
                                   {0, 2092673},
                                   {-3848304, 1931298},
                                   {-181394932, 42099611},
                                   {-34116072, 56642594},
                                   {1, 3206816},
                                   {-192354849, 122450403},
                                   {0, 3177027},
                                   {-192480775, 113817141},
                                   {0, 2612823},
                                   {-1, 1485529},
                                   {0, 813354},
                                   {-103510102, 59672459},
                                   {-225626763, -55665341},
                                   {0, 3424957},
                                   {-753262, 242485},
                                   {0, 1354745},
                                   {2, 552644},
                                   {2, 403694},
                                   {2, 72977},
                                   {754712697948, -735200707},
                                   {-1, 804112},
                                   {-132672147, -88582258},
                                   {-1, 2988998},
                                   {-60898411, -67991445},
                                   {-98660646, 93922776},
                                   {-209584209, 19029455},
                                   {1, 200668},
                                   {-4, 4030111},
                                   {-215368174, -121426900},
                                   {-72060786, 115621984},
                                   {-1, 1710566},
                                   {-1, 1318939},
                                   {-47073810, -103266582},
                                   {-1, 2843900},
                                   {0, 3722943},
                                   {0, 2612169},
                                   {-2213388, 162594},
                                   {-2, 1676635},
                                   {1, 4081942},
                                   {-80662987, -77604379},
                                   {3, 104567},
                                   {2, 3681623},
                                   {1, 151070},
                                   {-1, 2732476},
                                   {-154082535, -117018030},
                                   {274716168049, -731855807},
                                   {-260051927, 107112983}};
    bench_where("between ghosts");
    check_points(xy[0], sizeof xy / sizeof *xy, true);
}
END_TEST

/* Points of a convex curve, all of which passes leave to threads. */
START_TEST(test_curves) {
    static const uint32_t sizes[] = {30000, 60001};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t n = sizes[k];
        double *xy = bench_memory(2 * (size_t)n, sizeof *xy);
        bench_where("%u points of a parabola", n);
        for (uint32_t i = 0; i < n; i++) xy[2 * i] = (double)i - n / 3, xy[2 * i + 1] = xy[2 * i] * xy[2 * i];
        shuffle(xy, n);
        BENCH_CHECK(check_points(xy, n, true));
        bench_clear();
    }
}
END_TEST

/* Whole numbers of every type are the same points; those of 64 bits, beyond 2^53 too. */
START_TEST(test_types) {
    enum { N = 60 };
    double xy[2 * N];
    int8_t i8[2 * N];
    int16_t i16[2 * N];
    int32_t i32[2 * N];
    int64_t i64[2 * N];
    uint8_t u8[2 * N];
    uint16_t u16[2 * N];
    uint32_t u32[2 * N];
    uint64_t u64[2 * N];
    float f32[2 * N];
    for (int e = 0; e < 2 * N; e++) {
        xy[e] = whole(100);
        i8[e] = (int8_t)xy[e], i16[e] = i8[e], i32[e] = i8[e], u8[e] = (uint8_t)i8[e], u16[e] = u8[e];
        i64[e] = ((int64_t)xy[e] << 56) + INT64_MIN, u64[e] = (uint64_t)xy[e] << 57;
        u32[e] = u8[e], f32[e] = (float)xy[e] / 1024;
    }
    void *const data[] = {f32, xy, i8, i16, i32, i64, u8, u16, u32, u64};
    delaunay_triangulation want = triangulate(xy, N, DEVICE);
    for (glshape_type type = GLSHAPE_F32; type <= GLSHAPE_U64; type++) {
        exact_points p;
        delaunay_triangulation t;
        glshape_matrix m = {type, N, 2, data[type]};
        bench_where("type %d", type);
        BENCH_OK(exact_points_new(run_error(run_of(test_gpu())), &m, &p));
        BENCH_OK(delaunay_triangulate(test_gpu(), &p, DELAUNAY_AUTO, &t, NULL));
        BENCH_CHECK(t.count == want.count && words_same(t.vertex, want.vertex, 3 * (size_t)want.count));
        exact_points_free(&p);
        delaunay_triangulation_free(&t);
    }
    delaunay_triangulation_free(&want);
}
END_TEST

/* Points are the integers that they should be, and bits bounds their differences. */
START_TEST(test_integers) {
    static const struct {
        double xy[4];
        int exponent, least, most; /* of bits */
    } cases[] = {{{0, 0, 0, 0}, 0, 0, 1},
                 {{1, 2, 3, 4}, 0, 2, 3},
                 {{0.5, 6, -0.5, 8}, -1, 2, 4},
                 {{1e300, 0, -1e300, 0}, 946, 52, 54},
                 {{0x1p-1074, 0, 0x1p-1073, -0.0}, -1074, 1, 3},
                 {{0x1p1023, -0x1p1023, -0x1p1023, 0x1p970}, 970, 54, 56},
                 {{1, 0x1p-125, 0, 0}, -125, 125, 127},
                 {{1e300, 1e-300, 1e300, 2e-300}, 0, 1000, 3000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        exact_points p;
        glshape_matrix m = {GLSHAPE_F64, 2, 2, (void *)cases[k].xy};
        bench_where("case %zu", k);
        BENCH_OK(exact_points_new(run_error(run_of(test_gpu())), &m, &p));
        BENCH_CHECK(p.exponent == cases[k].exponent && p.bits >= cases[k].least && p.bits <= cases[k].most);
        for (int e = 0; e < 4; e++) BENCH_CHECK(ldexp(p.xy[e], p.exponent) == cases[k].xy[e]);
        for (int e = 0; e < 4; e++) BENCH_CHECK(!signbit(p.xy[e]) || p.xy[e] < 0);
        exact_points_free(&p);
    }
}
END_TEST

/* ---- CGAL -------------------------------------------------------------------------------------- */

/* Edges of t that any Delaunay triangulation has are marked in edge[a · n + b], a < b. */
static void mark_certain(ref_plane *p, const delaunay_triangulation *t, uint8_t *edge) {
    for (size_t k = 0; k < 3 * (size_t)t->count; k++) {
        const uint32_t *v = t->vertex + k / 3 * 3, across = t->neighbor[k];
        uint32_t a = v[(k + 1) % 3], b = v[(k + 2) % 3], lo = a < b ? a : b, tip = 0;
        if (across != GLSHAPE_NO_TRIANGLE) {
            const uint32_t *w = t->vertex + 3 * (size_t)across;
            while (w[tip] == a || w[tip] == b) tip++;
            if (ref_in_circle(p, v[0], v[1], v[2], w[tip]) == 0) continue;
        }
        edge[(size_t)lo * t->n + (a ^ b ^ lo)] = 1;
    }
}

static void compare_set(FILE *f, uint32_t n, size_t edges) {
    double *xy = bench_memory(2 * (size_t)n, sizeof *xy);
    uint8_t *mine = bench_memory((size_t)n * n, 1);
    size_t count = 0;
    for (uint32_t e = 0; e < 2 * n; e++) ck_assert_int_eq(fscanf(f, "%la", &xy[e]), 1);
    memset(mine, 0, (size_t)n * n);
    delaunay_triangulation t = triangulate(xy, n, DEVICE);
    ref_plane *p = ref_plane_new(xy, n);
    mark_certain(p, &t, mine);
    for (size_t e = 0; e < (size_t)n * n; e++) count += mine[e];
    BENCH_CHECK(count == edges);
    for (size_t e = 0; e < edges; e++) {
        uint32_t a, b;
        ck_assert_int_eq(fscanf(f, "%u %u", &a, &b), 2);
        ck_assert_msg(mine[(size_t)a * n + b], "%s: no edge %u %u", bench_place(), a, b);
    }
    ref_plane_free(p);
    delaunay_triangulation_free(&t);
    bench_clear();
}

START_TEST(test_cgal) {
    FILE *f = fopen("tests/delaunay/golden/triangulations.txt", "r");
    ck_assert_ptr_nonnull(f);
    char name[32];
    uint32_t n;
    size_t edges;
    int sets = 0;
    ck_assert_int_eq(fscanf(f, "# CGAL %31s", name), 1);
    for (; fscanf(f, " set %31s %u %zu", name, &n, &edges) == 3; sets++) {
        bench_where("set %s", name);
        compare_set(f, n, edges);
    }
    ck_assert_int_eq(sets, 5);
    fclose(f);
}
END_TEST

/* ---- the checker and the limits ---------------------------------------------------------------- */

/* The checker sees what is wrong. */
START_TEST(test_checker) {
    double xy[] = {0, 0, 1, 0, 1, 1, 0, 1};
    uint32_t same[] = {0, 1, 2, 3};
    static const struct {
        uint32_t triangles[6], neighbours[6];
        const char *fault;
    } cases[] = {
        {{0, 1, 2, 0, 2, 3}, {-1, 1, -1, -1, -1, 0}, NULL},
        {{0, 1, 3, 1, 2, 3}, {1, -1, -1, -1, 0, -1}, "smallest of four"},
        {{0, 1, 2, 0, 2, 3}, {-1, -1, -1, -1, -1, -1}, "passes"},
        {{0, 1, 2, 0, 2, 3}, {-1, 1, -1, -1, 0, -1}, "share"},
        {{0, 2, 1, 0, 2, 3}, {-1, 1, -1, -1, -1, 0}, "turn left"},
        {{0, 2, 3, 0, 1, 2}, {-1, -1, 1, -1, 0, -1}, "order"},
        {{1, 2, 0, 0, 2, 3}, {-1, 1, -1, -1, -1, 0}, "starts"},
    };
    ref_plane *p = ref_plane_new(xy, 4);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ref_triangulation t = {4, same, 4, 2, cases[k].triangles, cases[k].neighbours, NULL};
        const char *fault = ref_delaunay_fault(p, &t);
        ck_assert_msg(cases[k].fault ? fault && strstr(fault, cases[k].fault) : !fault, "case %zu: %s", k,
                      fault ? fault : "nothing");
    }
    ref_triangulation half = {4, same, 4, 1, cases[0].triangles, cases[2].neighbours, NULL};
    ck_assert(strstr(ref_delaunay_fault(p, &half), "are corners"));
    ref_plane_free(p);
    double inside[] = {0, 0, 4, 0, 0, 4, 1, 1};
    p = ref_plane_new(inside, 4);
    uint32_t large[] = {0, 1, 2}, none[] = {-1, -1, -1};
    ref_triangulation hole = {4, same, 4, 1, large, none, NULL};
    ck_assert(strstr(ref_delaunay_fault(p, &hole), "are corners"));
    ref_plane_free(p);
}
END_TEST

START_TEST(test_refusals) {
    error err = {0};
    exact_points p;
    double bad[] = {0, 1, 2, NAN}, far[] = {0, 1, -INFINITY, 3};
    int64_t odd[] = {0, 1, 2, (1ll << 53) + 1};
    uint64_t most[] = {0, UINT64_MAX, 1, 1};
    FAILS(&err, GLSHAPE_BAD_INPUT, exact_points_new(&err, &(glshape_matrix){GLSHAPE_F64, 2, 2, bad}, &p),
          "row 2, column 2", "NaN");
    FAILS(&err, GLSHAPE_BAD_INPUT, exact_points_new(&err, &(glshape_matrix){GLSHAPE_F64, 2, 2, far}, &p),
          "row 2, column 1", "infinite");
    FAILS(&err, GLSHAPE_BAD_INPUT, exact_points_new(&err, &(glshape_matrix){GLSHAPE_I64, 2, 2, odd}, &p),
          "row 2, column 2", "2^53");
    FAILS(&err, GLSHAPE_BAD_INPUT, exact_points_new(&err, &(glshape_matrix){GLSHAPE_U64, 2, 2, most}, &p),
          "row 1, column 2", "2^53");
    FAILS(&err, GLSHAPE_BAD_INPUT, exact_points_new(&err, &(glshape_matrix){GLSHAPE_F64, 1, 3, bad}, &p),
          "3 columns", "two");
    FAILS(&err, GLSHAPE_BAD_INPUT, exact_points_new(&err, &(glshape_matrix){GLSHAPE_F64, 4, 1, bad}, &p),
          "1 column;");
    FAILS(&err, GLSHAPE_BAD_INPUT,
          exact_points_new(&err, &(glshape_matrix){GLSHAPE_F64, 715827883, 2, bad}, &p), "715827883 points",
          "at most 715827882", "take a part");
    FAILS(&err, GLSHAPE_BAD_ARGUMENT,
          exact_points_new(&err, &(glshape_matrix){(glshape_type)77, 2, 2, bad}, &p), "type 77");
}
END_TEST

static bool stop(void *user, double fraction) {
    (void)fraction;
    return --*(int *)user > 0;
}

/* On a device with too little memory. */
START_TEST(test_memory) {
    double *xy = make_points(UNIFORM, 3000);
    glshape_matrix m = {GLSHAPE_F64, 3000, 2, xy};
    glshape_options small = {.gpu_memory = 100000};
    error err = {0};
    gpu *g;
    exact_points p;
    delaunay_triangulation t;
    BENCH_OK(gpu_open(&err, &small, &g));
    BENCH_OK(exact_points_new(&err, &m, &p));
    FAILS(run_error(run_of(g)), GLSHAPE_NO_GPU_MEMORY,
          delaunay_triangulate(g, &p, DELAUNAY_ON_DEVICE, &t, NULL), "limit");
    ck_assert(!t.vertex && !t.same);
    exact_points_free(&p);
    gpu_close(g);
    bench_clear();
}
END_TEST

/* Through the public API: cancelled at any moment, and right. */
START_TEST(test_public) {
    double *xy = make_points(UNIFORM, 3000);
    glshape_matrix m = {GLSHAPE_F64, 3000, 2, xy};
    glshape_context *c;
    glshape_delaunay_result r;
    for (int calls = 1; calls < 40; calls += 9) {
        int left = calls;
        glshape_options options = {.progress = stop, .user = &left};
        ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
        glshape_status status = glshape_delaunay(c, &m, &r);
        ck_assert_int_eq(status, left > 0 ? GLSHAPE_OK : GLSHAPE_CANCELLED);
        if (status) ck_assert(!r.triangles && !r.count);
        else
            ck_assert(r.count > 5900 && fact_of(c, "sites that passes left to the processors") == 0 &&
                      fact_of(c, "tests in big integers") == 0 && !r.gpu_bytes);
        glshape_delaunay_free(&r);
        ck_assert_int_eq(glshape_close(c), 0);
    }
    bench_clear();
}
END_TEST

Suite *delaunay_suite(void) {
    Suite *s = suite_create("delaunay");
    TCase *t = bench_case(s, "delaunay");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, test_checker);
    tcase_add_test(t, test_integers);
    tcase_add_test(t, test_refusals);
    tcase_add_test(t, test_definition);
    tcase_add_test(t, test_kinds);
    tcase_add_test(t, test_nearly);
    tcase_add_test(t, test_sizes);
    tcase_add_test(t, test_passes);
    tcase_add_test(t, test_hard);
    tcase_add_test(t, test_hub);
    tcase_add_test(t, test_close_on_circle);
    tcase_add_test(t, test_crowds);
    tcase_add_test(t, test_ghosts);
    tcase_add_test(t, test_curves);
    tcase_add_test(t, test_types);
    tcase_add_test(t, test_cgal);
    tcase_add_test(t, test_memory);
    tcase_add_test(t, test_public);
    return s;
}
