/* The spectrum, thresholds and master list against rational numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/fixture.h"
#include "alpha/radii.h"
#include "base/random.h"
#include "exact/area.h"
#include "gpu/context.h"

/* ---- comparison -------------------------------------------------------------------------------- */

/* Of the family that was computed last. */
#define FACT(name) fact_of(family_context(), name)

/* A driver that compares wrongly is noticed, and processors compare (virgl's of Mesa 22.3). */
static bool device_compares(void) { return !strstr(glshape_notes(family_context()), "alpha/compare"); }

static void check_radii(const pair *p) {
    const glshape_alpha_result *r = &p->got;
    HOLDS(r->ranks == p->want.ranks && r->radii[0] == 0);
    for (uint32_t k = 1; k <= p->want.ranks; k++) {
        double want = ref_alpha_radius(&p->want, k), step = nextafter(want, INFINITY) - want;
        HOLDS(r->radii[k] >= r->radii[k - 1] && bench_near(r->radii[k], want, 2 * step));
    }
}

static void check_thresholds(const pair *p) {
    const glshape_alpha_result *r = &p->got;
    HOLDS(r->vertices == p->want.vertices);
    HOLDS(bench_same(r->triangle_ranks, p->want.triangle_ranks, r->triangle_count));
    HOLDS(bench_same(r->vertex_ranks, p->want.vertex_ranks, 3 * r->n));
    for (size_t e = 0; e < r->edge_count; e++)
        HOLDS(bench_same(r->edge_ranks + 3 * e, p->want.edge_ranks[p->edge[e]], 3));
}

/* Edges are where the triangles say, and in their order. */
static void check_edges(const pair *p) {
    const glshape_alpha_result *r = &p->got;
    for (size_t h = 0; h < 3 * r->triangle_count; h++) {
        const uint32_t *corner = r->triangles + h / 3 * 3,
                       *ends = r->edges + 2 * (size_t)r->triangle_edges[h];
        uint32_t a = corner[(h + 1) % 3], b = corner[(h + 2) % 3];
        HOLDS(ends[0] == (a < b ? a : b) && ends[1] == (a < b ? b : a));
        uint32_t other = r->neighbors[h];
        HOLDS((other == GLSHAPE_NO_TRIANGLE) == !r->edge_ranks[3 * (size_t)r->triangle_edges[h] + 2]);
    }
}

static uint32_t threshold_of(const glshape_alpha_result *r, const glshape_alpha_entry *e) {
    size_t face = e->face;
    if (e->dim == 0) return r->vertex_ranks[3 * face + e->threshold - GLSHAPE_ALPHA_MU_LOW];
    return e->dim == 1 ? r->edge_ranks[3 * face + e->threshold] : r->triangle_ranks[face];
}

/* Ascending within a rank, each where its threshold says, and as many as there are thresholds. */
static void check_master(const pair *p) {
    const glshape_alpha_result *r = &p->got;
    size_t count = r->triangle_count;
    for (size_t k = 0; k < 3 * r->edge_count; k++) count += r->edge_ranks[k] != 0;
    for (size_t v = 0; v < r->n; v++)
        for (int i = 0; i < 2; i++) count += r->same[v] == v && r->vertex_ranks[3 * v + i] != 0;
    HOLDS(r->master_count == count && r->master_start[0] == 0 && r->master_start[r->ranks + 1] == count);
    for (size_t k = 0; k <= r->ranks; k++)
        for (size_t i = r->master_start[k]; i < r->master_start[k + 1]; i++) {
            const glshape_alpha_entry *e = &r->master[i], *was = e - 1;
            HOLDS(threshold_of(r, e) == k);
            if (i == r->master_start[k]) continue;
            HOLDS(was->dim < e->dim ||
                  (was->dim == e->dim &&
                   (was->face < e->face || (was->face == e->face && was->threshold < e->threshold))));
        }
}

static void check(const double *xy, uint32_t n) {
    pair p;
    family_new(&p, xy, n);
    check_radii(&p);
    check_thresholds(&p);
    check_edges(&p);
    check_master(&p);
    family_done(&p);
}

/* ---- inputs ------------------------------------------------------------------------------------ */

/* Few places: equal radii everywhere. Many: few. Most sets have sizes like each other: llvmpipe compiles a
 * program again for textures of another kind of size. */
START_TEST(integers) {
    static const uint32_t sides[] = {3, 5, 8, 20, 1000, 1u << 20};
    for (int i = 0; i < hunt(30, 300); i++) {
        uint32_t n = i % 50 ? 35 + bench_random() % 6 : 1 + bench_random() % 12, side = sides[i % 6];
        bench_where("set %d: %u integers below %u", i, n, side);
        check(family_integers(n, side), n);
        bench_clear();
    }
}
END_TEST

START_TEST(tiny) {
    static const double sets[][8] = {
        {0, 0, 0, 0, 0, 0},       {1, 2, 1, 2, 1, 2, 1, 2},  {0, 0, 1, 0, 2, 0, 3, 0},
        {0, 0, 3, 3, 1, 1, 9, 9}, {0, 0, 1, 0, 0, 1, 1, 1},  {0, 0, 2, 0, 1, 1, 1, -1},
        {0, 0, 4, 0, 2, 1},       {0, 0, 4, 0, 2, 2, -4, 0}, {-0.0, 0, 0, -0.0, 1, 1}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (uint32_t n = 1; n <= 4; n++) {
            bench_where("set %zu, %u points", i, n);
            check(sets[i], n);
        }
}
END_TEST

/* Doubles of all sizes, and points that are almost, or quite, on a line or a circle. */
START_TEST(doubles) {
    for (int i = 0; i < 8; i++) {
        uint32_t n = 35 + bench_random() % 6;
        double *xy = bench_memory(n, 2 * sizeof *xy);
        for (uint32_t k = 0; k < n; k++) {
            double t = bench_random() * 0x1p-32, s = bench_random() * 0x1p-32;
            const double kinds[4][2] = {{t + s * 0x1p-30, s},
                                        {0.1 * k, 0.3 * k + (k % 3) * 0x1p-50},
                                        {cos(6.283 * t), sin(6.283 * t)},
                                        {ldexp(t, (int)(bench_random() % 20)), 1e3 * s}};
            for (int c = 0; c < 2; c++) xy[2 * k + c] = kinds[i % 4][c];
        }
        bench_where("doubles, set %d, %u points", i, n);
        check(xy, n);
        bench_clear();
    }
}
END_TEST

/* Grids that are not quite: near items everywhere, in no order. Most of them are sorted on the CPU. */
START_TEST(crooked_grids) {
    int on_cpu = 0;
    for (int i = 0; i < 4; i++) {
        double xy[80], c = cos(0.3), s = sin(0.3);
        for (int k = 0; k < 40; k++) {
            double x = 0.1 * (k % 8) + 3 * (i & 1), y = 0.1 * (k / 8);
            xy[2 * k] = i < 2 ? x : c * x - s * y;
            xy[2 * k + 1] = i < 2 ? y : s * x + c * y;
        }
        bench_where("grid %d", i);
        check(xy, 40);
        pair p;
        family_run(&p, xy, 40);
        HOLDS(FACT("close pairs") > 50);
        on_cpu += FACT("exact comparisons on the CPU") > 0;
        family_done(&p);
    }
    HOLDS(on_cpu >= 2);
}
END_TEST

/* Rungs whose lengths neither keys tell apart nor, in the second set, the CPU's longer ones; and there are
 * more of them in a row than transposition has rounds: the CPU merges them. Lengths are 2^60 - i, and squared
 * lengths 2^200 + i², i at random. */
START_TEST(long_runs) {
    enum { RUNGS = 150 };
    double xy[4 * RUNGS];
    pair p;
    uint32_t rank_of[RUNGS], order[RUNGS];
    random_permutation(&(random_state){5}, RUNGS, order);
    for (int set = 0; set < 2; set++) {
        for (uint32_t k = 0; k < RUNGS; k++) {
            const double rungs[2][4] = {{order[k], 0x1p61 * k, 0x1p60, 0x1p61 * k},
                                        {0x1p104 * k, 0, 0x1p104 * k + 0x1p100, order[k]}};
            memcpy(xy + 4 * k, rungs[set], sizeof *rungs);
        }
        bench_where("rungs, set %d", set);
        family_run(&p, xy, 2 * RUNGS);
        HOLDS(FACT("exact comparisons on the CPU") > 0);
        HOLDS(!device_compares() || FACT("exact comparisons on the GPU") > 0);
        for (size_t e = 0; e < p.got.edge_count; e++) {
            const uint32_t *ends = p.got.edges + 2 * e;
            if (ends[0] % 2 == 0 && ends[1] == ends[0] + 1)
                rank_of[order[ends[0] / 2]] = p.got.edge_ranks[3 * e];
        }
        for (uint32_t i = 0; i + 1 < RUNGS; i++)
            HOLDS(set ? rank_of[i] < rank_of[i + 1] : rank_of[i] == rank_of[i + 1] + 1);
        family_done(&p);
    }
}
END_TEST

/* Less than 400 bytes a point, with the master list 430, few or many, with and without ties. */
START_TEST(memory) {
    static const uint32_t sizes[] = {700, 4000, 30000};
    for (int i = 0; i < 6; i++) {
        uint32_t n = sizes[i / 2];
        double *xy = family_integers(n, 1u << 30);
        for (uint32_t k = 0; k < n && i % 2; k++) xy[2 * k] = k % 100, xy[2 * k + 1] = k / 100;
        pair p;
        bench_where("set %d", i);
        family_run(&p, xy, n);
        HOLDS(!device_compares() || p.got.gpu_bytes < 430 * (size_t)n);
        family_done(&p);
        bench_clear();
    }
}
END_TEST

/* ---- keys -------------------------------------------------------------------------------------- */

/* A triangle of points whose differences take up to `bits` bits, at up to `offset`. Three on a line have no
 * key. */
static bool draw_triangle(double xy[6], int bits, double offset) {
    double least = -1, most = 0;
    for (int k = 0; k < 6; k++) {
        double size = ldexp(1, (int)(bench_random() % (unsigned)bits));
        xy[k] = offset + floor(size * (double)(bench_random() % 4096) / 4096);
        if (least < 0 || xy[k] < least) least = xy[k];
        if (xy[k] > most) most = xy[k];
    }
    long exponent;
    return exact_twice_area(xy, xy + 2, xy + 4, &exponent) != 0;
}

/* Keys by integers of the processor say what those by big integers do. */
START_TEST(keys_of_faces) {
    const uint32_t corner[] = {0, 1, 2, 0, 1, 1, 2, 2, 0};
    static const int bits[] = {3, 12, 20, 40, 61, 64, 90, 124};
    for (int turn = 0; turn < hunt(4000, 400000); turn++) {
        double xy[6];
        if (!draw_triangle(xy, bits[turn % 8], turn % 3 ? 0 : ldexp(1, turn % 120))) continue;
        exact_points p;
        error err = {0};
        ck_assert(!exact_points_new(&err, &(glshape_matrix){GLSHAPE_F64, 3, 2, xy}, &p));
        ck_assert(exact_on_device(&p));
        const alpha_faces faces = {&p, corner + 3, corner, 3};
        alpha_radii r;
        radii_begin(&r, &faces);
        for (uint32_t f = 0; f < 4; f++) {
            unsigned obtuse = 0;
            uint64_t key = f < 3 ? alpha_edge_key(&faces, f) : alpha_triangle_key(&faces, 0, &obtuse);
            double radius = radii_of_key((int)(key >> 54), key & ((UINT64_C(1) << 54) - 1), p.exponent);
            HOLDS(radius == radii_radius(&r, f));
            for (int k = 0; f == 3 && k < 3; k++) HOLDS((obtuse >> k & 1) == radii_obtuse(&r, 0, k));
        }
        radii_end(&r);
        exact_points_free(&p);
    }
}
END_TEST

/* ---- fractions --------------------------------------------------------------------------------- */

/* 4ρ² is what rational numbers say, and its key is off by 1 at most. */
static void check_fraction(const alpha_fraction *a, mpq_t square) {
    const alpha_fraction_key key =
        alpha_key_of(a->numerator, a->numerators, a->denominator, a->denominators, a->exponent);
    const uint64_t words[] = {key.low, (key.high & ((UINT64_C(1) << 48) - 1)) | UINT64_C(1) << 48};
    int e = (int)(key.high >> 48) - (1 << 15) - 112;
    mpq_t value, bound;
    mpq_inits(value, bound, NULL);
    mpz_import(mpq_numref(value), (size_t)a->numerators, -1, sizeof *a->numerator, 0, 0, a->numerator);
    mpz_import(mpq_denref(value), (size_t)a->denominators, -1, sizeof *a->denominator, 0, 0, a->denominator);
    mpq_canonicalize(value);
    mpq_mul_2exp(value, value, 3000);
    mpq_div_2exp(value, value, (mp_bitcnt_t)(3002 - a->exponent)); /* over 4 */
    HOLDS(mpq_equal(value, square));
    mpq_mul_2exp(value, value, 10002);
    mpq_div_2exp(value, value, (mp_bitcnt_t)(10000 + e));
    for (int i = 0; i < 2; i++) { /* the key - 1 <= value < the key + 2 */
        mpz_import(mpq_numref(bound), 2, -1, sizeof *words, 0, 0, words);
        if (i) mpz_add_ui(mpq_numref(bound), mpq_numref(bound), 2);
        else mpz_sub_ui(mpq_numref(bound), mpq_numref(bound), 1);
        HOLDS(i ? mpq_cmp(value, bound) < 0 : mpq_cmp(value, bound) >= 0);
    }
    mpq_clears(value, bound, NULL);
}

/* Two triangles, near each other and of one size, or of any; the second is the first one turned by a quarter,
 * or nearly; or it is right, or nearly, over a side of the first. */
static bool draw_triangles(double xy[12], int turn) {
    static const int bits[] = {3, 12, 20, 40, 61, 64, 90, 124, 52, 53};
    int power = turn % 7 ? 0 : (int)(bench_random() % 900) - 450;
    if (!draw_triangle(xy, bits[turn % 10], turn % 3 ? 0 : ldexp(1, turn % 120))) return false;
    if (turn % 5 == 4) draw_triangle(xy + 6, bits[turn / 10 % 10], 0);
    else
        for (int k = 0; k < 3; k++) {
            xy[6 + 2 * k] = -xy[2 * k + 1] * (k || turn % 4 ? 1 : 1 + 0x1p-52);
            xy[7 + 2 * k] = xy[2 * k];
        }
    for (int k = 6; k < 12; k++) xy[k] = ldexp(xy[k], power);
    long exponent;
    return exact_twice_area(xy + 6, xy + 8, xy + 10, &exponent) != 0;
}

/* Fractions and their comparison, where points fit few limbs and where they do not. */
START_TEST(fractions_of_faces) {
    enum { FACES = 8 };
    const uint32_t ends[] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3}, corner[] = {0, 1, 2, 3, 4, 5};
    int few = 0, big = 0;
    mpq_t square[FACES];
    for (int f = 0; f < FACES; f++) mpq_init(square[f]);
    for (int turn = 0; turn < hunt(2000, 100000); turn++) {
        double xy[12];
        exact_points p;
        error err = {0};
        if (!draw_triangles(xy, turn)) continue;
        ck_assert(!exact_points_new(&err, &(glshape_matrix){GLSHAPE_F64, 6, 2, xy}, &p));
        const alpha_faces faces = {&p, ends, corner, 6};
        alpha_radii r;
        radii_begin(&r, &faces);
        bench_where("turn %d", turn);
        for (uint32_t f = 0; f < FACES; f++)
            ref_alpha_square(p.xy, f < 6 ? ends + 2 * f : corner + 3 * (f - 6), f < 6 ? 2 : 3, square[f]);
        for (uint32_t f = 0; f < FACES; f++)
            for (uint32_t g = 0; g < FACES; g++) {
                int order = mpq_cmp(square[f], square[g]);
                HOLDS(radii_compare(&r, f, g) == (order > 0) - (order < 0));
                HOLDS(p.bits > ALPHA_SMALL_BITS ||
                      alpha_compare_small(&faces, f, g) == radii_compare(&r, f, g));
            }
        for (uint32_t f = 0; f < FACES && exact_on_device(&p); f++) {
            alpha_fraction a;
            alpha_fraction_of(&faces, f, 0, &a);
            if (a.fits) check_fraction(&a, square[f]);
            few += a.fits;
        }
        big += !exact_on_device(&p);
        radii_end(&r);
        exact_points_free(&p);
    }
    HOLDS(few > 1000 && big > 20);
    for (int f = 0; f < FACES; f++) mpq_clear(square[f]);
}
END_TEST

/* ---- on the CPU -------------------------------------------------------------------------------- */

static void check_same(const glshape_alpha_result *a, const glshape_alpha_result *b) {
    size_t sides = 3 * a->triangle_count;
    HOLDS(a->triangle_count == b->triangle_count && a->edge_count == b->edge_count && a->ranks == b->ranks);
    HOLDS(a->master_count == b->master_count);
    HOLDS(bench_same(a->same, b->same, a->n) && bench_same(a->triangles, b->triangles, sides));
    HOLDS(bench_same(a->neighbors, b->neighbors, sides));
    HOLDS(!sides || bench_same(a->triangle_edges, b->triangle_edges, sides));
    HOLDS(bench_same(a->edges, b->edges, 2 * a->edge_count));
    HOLDS(!sides || bench_same(a->triangle_ranks, b->triangle_ranks, a->triangle_count));
    HOLDS(bench_same(a->edge_ranks, b->edge_ranks, 3 * a->edge_count));
    HOLDS(bench_same(a->vertex_ranks, b->vertex_ranks, 3 * a->n));
    for (size_t k = 0; k < a->master_count; k++)
        HOLDS(a->master[k].face == b->master[k].face && a->master[k].dim == b->master[k].dim &&
              a->master[k].threshold == b->master[k].threshold);
    for (size_t k = 1; k <= a->ranks; k++) HOLDS(bench_near(a->radii[k], b->radii[k], 0x1p-51 * a->radii[k]));
}

/* Where the device's arithmetic is wrong, nothing is left to it. */
START_TEST(no_arithmetic) {
    static const uint32_t sides[] = {1, 4, 30, 1u << 30};
    gpu *g = context_gpu(family_context());
    for (int i = 0; i < 8; i++) {
        uint32_t n = 3 + (uint32_t)i * 60;
        double *xy = family_integers(n, sides[i % 4]);
        for (uint32_t k = 0; k < 2 * n && i > 3; k++) xy[k] *= 0.1;
        pair device, cpu;
        bench_where("set %d, %u points", i, n);
        family_run(&device, xy, n);
        gpu_set_exact(g, false);
        family_run(&cpu, xy, n);
        gpu_set_exact(g, true);
        HOLDS(FACT("exact comparisons on the GPU") == 0 && FACT("close pairs") == 0);
        check_same(&device.got, &cpu.got);
        family_done(&device);
        family_done(&cpu);
        bench_clear();
    }
}
END_TEST

/* Coordinates too far apart for the device, and ties among them. */
START_TEST(far_apart) {
    for (int i = 0; i < 4; i++) {
        double *xy = family_integers(36, 8);
        for (int k = 0; k < 72; k++)
            xy[k] = ldexp(xy[k] + (i & 1) * bench_random() * 0x1p-32, k / 2 % 3 * 180 - 200);
        bench_where("far apart, set %d", i);
        check(xy, 36);
        pair p;
        family_run(&p, xy, 36);
        HOLDS(p.got.triangle_count && FACT("close pairs") == 0 && FACT("exact comparisons on the GPU") == 0);
        family_done(&p);
        bench_clear();
    }
}
END_TEST

/* A rank that is wrong by one is caught. */
START_TEST(the_tester) {
    pair p;
    double *xy = family_integers(20, 6);
    family_new(&p, xy, 20);
    check_thresholds(&p);
    p.got.edge_ranks[4]++;
    HOLDS(!bench_same(p.got.edge_ranks + 3, p.want.edge_ranks[p.edge[1]], 3));
    family_done(&p);
}
END_TEST

START_TEST(refusals) {
    glshape_context *c = family_context();
    glshape_alpha_result r;
    double xy[] = {0, 0, 1, NAN, 1, 1};
    const struct {
        glshape_matrix m;
        glshape_status status;
        const char *parts[2];
    } cases[] = {{{GLSHAPE_F64, 2, 3, xy}, GLSHAPE_BAD_INPUT, {"3", "column"}},
                 {{GLSHAPE_F64, 6, 1, xy}, GLSHAPE_BAD_INPUT, {"1", "column"}},
                 {{GLSHAPE_F64, 3, 2, xy}, GLSHAPE_BAD_INPUT, {"row 2", "NaN"}},
                 {{GLSHAPE_F64, 715827883, 2, xy}, GLSHAPE_BAD_INPUT, {"715827883", "at most 715827882"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(glshape_alpha(c, &cases[i].m, NULL, &r), cases[i].status);
        for (int k = 0; k < 2; k++)
            ck_assert_msg(strstr(glshape_last_error(c), cases[i].parts[k]) != NULL, "%s",
                          glshape_last_error(c));
        ck_assert_ptr_null(r.same);
    }
}
END_TEST

Suite *alpha_spectrum_suite(void) {
    Suite *s = suite_create("alpha/spectrum");
    TCase *c = family_case(s, "spectrum");
    tcase_add_test(c, the_tester);
    tcase_add_test(c, tiny);
    tcase_add_test(c, integers);
    tcase_add_test(c, doubles);
    tcase_add_test(c, crooked_grids);
    tcase_add_test(c, long_runs);
    tcase_add_test(c, memory);
    tcase_add_test(c, keys_of_faces);
    tcase_add_test(c, fractions_of_faces);
    tcase_add_test(c, no_arithmetic);
    tcase_add_test(c, far_apart);
    tcase_add_test(c, refusals);
    return s;
}
