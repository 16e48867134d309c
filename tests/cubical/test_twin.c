/* Random small fields against the boundary matrix of all cubes. */
#include <math.h>
#include <string.h>

#include "cubical/images.h"

static const glshape_type types[] = {GLSHAPE_F32, GLSHAPE_F64, GLSHAPE_I8,  GLSHAPE_I16, GLSHAPE_I32,
                                     GLSHAPE_I64, GLSHAPE_U8,  GLSHAPE_U16, GLSHAPE_U32, GLSHAPE_U64};

/* Returns a value that the type has, of `different` ones; some are infinite. */
static double draw(glshape_type type, uint32_t different, bool infinite) {
    double x = bench_random() % different;
    bool real = type == GLSHAPE_F32 || type == GLSHAPE_F64, positive = type >= GLSHAPE_U8;
    if (real && infinite && bench_random() % 5 == 0)
        return bench_random() & 3 ? (double)INFINITY : -(double)INFINITY;
    if (real && x == 0 && bench_random() & 1) return -0.0;
    return positive ? x : x - (double)(different / 2);
}

static void check_random(uint32_t most) {
    static const uint32_t different[] = {2, 3, 9, 100};
    static const int moduli[] = {0, 2, 3, 11};
    int dims = 1 + (int)(bench_random() % 3);
    glshape_type type = types[bench_random() % 10];
    bool infinite = bench_random() % 3 == 0, turns = bench_random() & 1, periodic[3] = {false};
    size_t shape[3], n = 1;
    for (int i = 0; i < dims; i++) {
        shape[i] = 1 + bench_random() % (dims == 1 ? 30 : dims == 2 ? 2 * most : most);
        periodic[i] = turns && shape[i] > 1 && bench_random() & 1;
        n *= shape[i];
    }
    uint32_t few = different[bench_random() % 4];
    double *values = bench_memory(n, sizeof *values);
    for (size_t v = 0; v < n; v++) values[v] = draw(type, few, infinite);
    glshape_field f = images_field(dims, shape, periodic, type, values);
    glshape_cubical_options o = {.construction = (glshape_cubical_construction)(bench_random() & 1),
                                 .superlevel = bench_random() & 1,
                                 .modulus = moduli[bench_random() % 4],
                                 .threads = 1 + (int)(bench_random() & 1)};
    if (bench_random() % 4 == 0) o.dim = GLSHAPE_SET(bench_random() % (unsigned)(dims + 1));
    if (bench_random() % 4 == 0) o.threshold = GLSHAPE_SET(draw(type, few, false));
    if (bench_random() % 4 == 0) o.min_persistence = bench_random() % 4 * 0.75;
    images_check(&f, values, &o);
    bench_clear();
}

START_TEST(random_fields) {
    for (int i = 0; i < hunt(60, 1500); i++) check_random(4);
}
END_TEST

/* Each dimension by itself, with every choice of periodic axes: what never ends is found in other ways then.
 */
START_TEST(single_dimensions) {
    for (int around = 0; around < 8; around++)
        for (int construction = 0; construction < 2; construction++)
            for (int dim = 0; dim < 4; dim++) {
                double values[36];
                bool periodic[3] = {around & 1, around & 2, around & 4};
                for (int v = 0; v < 36; v++) values[v] = bench_random() % 9;
                glshape_field f = images_field(3, (size_t[]){3, 4, 3}, periodic, GLSHAPE_U8, values);
                glshape_cubical_options o = {.construction = (glshape_cubical_construction)construction,
                                             .dim = GLSHAPE_SET(dim)};
                bench_where("periodic %d", around);
                images_check(&f, values, &o);
                bench_clear();
            }
}
END_TEST

/* Small integers, and the same added to a number of 64 bits: a threshold leaves the same pairs of both. */
START_TEST(wide_thresholds) {
    enum { N = 24 };
    static const uint64_t bases[] = {0, 1760000000000000000, ((uint64_t)1 << 63) - 20, (uint64_t)1 << 53};
    for (int time = 0; time < hunt(200, 4000); time++) {
        double small[N];
        int64_t wide[N];
        bool of_signed = bench_random() & 1;
        uint64_t base = bases[bench_random() % 4];
        for (int v = 0; v < N; v++)
            small[v] = bench_random() % 10, wide[v] = (int64_t)(base + (uint64_t)small[v]);
        double t = bench_random() % 12, part = base ? 0 : 0.25 * (bench_random() % 4);
        glshape_field f = {.type = GLSHAPE_F64, .values = small, .dims = 2, .shape = {4, 6}}, g = f;
        g.type = of_signed ? GLSHAPE_I64 : GLSHAPE_U64;
        g.values = wide;
        glshape_cubical_options o = {.superlevel = bench_random() & 1, .threshold = GLSHAPE_SET(t + part)},
                                p = o;
        p.threshold_is_whole = base;
        p.threshold_whole = (int64_t)(base + (uint64_t)t);
        glshape_cubical_result a, b;
        ck_assert(!glshape_cubical(images_context(), &f, &o, &a) &&
                  !glshape_cubical(images_context(), &g, &p, &b));
        bench_where("base %llu, threshold %g", (unsigned long long)base, t + part);
        BENCH_CHECK(a.count == b.count && a.least_vertex == b.least_vertex &&
                    a.greatest_vertex == b.greatest_vertex);
        for (size_t k = 0; k < a.count; k++)
            BENCH_CHECK(a.intervals[k].birth_vertex == b.intervals[k].birth_vertex &&
                        a.intervals[k].death_vertex == b.intervals[k].death_vertex);
        glshape_cubical_free(&a);
        glshape_cubical_free(&b);
    }
}
END_TEST

/* A threshold beyond all integers of 64 bits leaves all of them or nothing. */
START_TEST(thresholds_beyond) {
    int64_t values[] = {INT64_MIN, 5, INT64_MAX, 7};
    glshape_field f = {.type = GLSHAPE_I64, .values = values, .dims = 1, .shape = {4}};
    const struct {
        double threshold;
        bool superlevel;
        size_t count;
    } cases[] = {{-1e19, false, 0}, {-0x1p63, false, 1},  {0x1p63, false, 2},
                 {1e300, false, 2}, {INFINITY, false, 2}, {1e19, true, 0},
                 {0x1p62, true, 1}, {-0x1p63, true, 1},   {-1e300, true, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        glshape_cubical_options o = {.threshold = GLSHAPE_SET(cases[k].threshold),
                                     .superlevel = cases[k].superlevel};
        glshape_cubical_result r;
        ck_assert(!glshape_cubical(images_context(), &f, &o, &r));
        bench_where("threshold %g", cases[k].threshold);
        BENCH_CHECK(r.count == cases[k].count);
        glshape_cubical_free(&r);
    }
}
END_TEST

/* A ball, a shell and a full torus. */
START_TEST(known_shapes) {
    enum { SIDE = 11 };
    const size_t shape[3] = {SIDE, SIDE, SIDE};
    static const size_t loops[3] = {0, 0, 1}, voids[3] = {0, 1, 0};
    double *values = bench_memory(SIDE * SIDE * SIDE, sizeof *values);
    for (int kind = 0; kind < 3; kind++)
        for (int construction = 0; construction < 2; construction++) {
            size_t found[4] = {0};
            for (int v = 0; v < SIDE * SIDE * SIDE; v++) {
                int x = v % SIDE - 5, y = v / SIDE % SIDE - 5, z = v / SIDE / SIDE - 5;
                double around = kind == 2 ? hypot(hypot(x, y) - 3, z) : hypot(hypot(x, y), z);
                values[v] = kind == 0 ? around >= 3 : kind == 1 ? fabs(around - 3) >= 1 : around >= 1.5;
            }
            glshape_field f = images_field(3, shape, NULL, GLSHAPE_U8, values);
            glshape_cubical_options o = {.construction = (glshape_cubical_construction)construction};
            glshape_cubical_result r;
            ck_assert_int_eq(glshape_cubical(images_context(), &f, &o, &r), GLSHAPE_OK);
            for (size_t k = 0; k < r.count; k++) found[r.intervals[k].dim]++;
            glshape_cubical_free(&r);
            ck_assert_uint_eq(found[0], 1);
            ck_assert_uint_eq(found[1], loops[kind]);
            ck_assert_uint_eq(found[2], voids[kind]);
        }
}
END_TEST

static void refuse(glshape_status status, const glshape_field *f, const glshape_cubical_options *o,
                   const char *part) {
    glshape_cubical_result r;
    ck_assert_int_eq(glshape_cubical(images_context(), f, o, &r), status);
    ck_assert_msg(strstr(glshape_last_error(images_context()), part) != NULL, "'%s' lacks '%s'",
                  glshape_last_error(images_context()), part);
    ck_assert(!r.intervals);
}

START_TEST(refusals) {
    double values[8] = {0, 1, 2, NAN};
    const size_t shape[3] = {2, 2, 1};
    glshape_field f = images_field(2, shape, NULL, GLSHAPE_F64, values), g = f;
    refuse(GLSHAPE_BAD_INPUT, &f, NULL, "(y 1, x 1)");
    const size_t row[1] = {4};
    f = images_field(1, row, NULL, GLSHAPE_F64, values);
    refuse(GLSHAPE_BAD_INPUT, &f, NULL, "the value at x 3");
    values[3] = 3;
    f = g = images_field(2, shape, NULL, GLSHAPE_F64, values);
    refuse(GLSHAPE_BAD_ARGUMENT, &f, &(glshape_cubical_options){.modulus = 4}, "modulus 4 is no prime");
    refuse(GLSHAPE_BAD_ARGUMENT, &f, &(glshape_cubical_options){.dim = GLSHAPE_SET(3)}, "dimension 3");
    refuse(GLSHAPE_BAD_ARGUMENT, &f, &(glshape_cubical_options){.min_persistence = -1},
           "min_persistence is -1");
    refuse(GLSHAPE_BAD_ARGUMENT, &f, &(glshape_cubical_options){.threshold = GLSHAPE_SET(NAN)},
           "threshold is NaN");
    refuse(GLSHAPE_BAD_ARGUMENT, &f, &(glshape_cubical_options){.construction = 2}, "construction");
    g.dims = 4;
    refuse(GLSHAPE_BAD_ARGUMENT, &g, NULL, "4 dimensions");
    g = f;
    g.neighborhood = 8;
    refuse(GLSHAPE_BAD_ARGUMENT, &g, NULL, "neighborhood");
    g = f;
    g.shape[1] = 0;
    refuse(GLSHAPE_BAD_ARGUMENT, &g, NULL, "extent 2");
    g = images_field(3, (size_t[]){2, 2, 1}, (bool[]){false, false, true}, GLSHAPE_F64, values);
    refuse(GLSHAPE_BAD_ARGUMENT, &g, NULL, "periodic");
    g.shape[0] = g.shape[1] = 1 << 16;
    refuse(GLSHAPE_BAD_ARGUMENT, &(glshape_field){.dims = 2, .shape = {1 << 16, 1 << 16}, .values = values},
           NULL, "2^32");
}
END_TEST

/* Cancels on the second, third … call of progress. */
static bool stop_later(void *user, double fraction) {
    int *left = user;
    (void)fraction;
    return (*left)-- > 0;
}

START_TEST(cancelled) {
    double *values = bench_memory(1000, sizeof *values);
    for (int v = 0; v < 1000; v++) values[v] = bench_random() % 100;
    glshape_field f = images_field(3, (size_t[]){10, 10, 10}, NULL, GLSHAPE_U8, values);
    bool done = false;
    int left;
    images_reopen((glshape_options){.progress = stop_later, .user = &left});
    for (int calls = 0; !done && calls < 5000; calls += 1 + calls / 2) {
        left = calls;
        glshape_cubical_result r;
        glshape_status status = glshape_cubical(images_context(), &f, NULL, &r);
        done = status == GLSHAPE_OK;
        ck_assert(done || status == GLSHAPE_CANCELLED);
        glshape_cubical_free(&r);
    }
    ck_assert(done);
    images_reopen((glshape_options){0});
}
END_TEST

Suite *cubical_twin_suite(void) {
    Suite *s = suite_create("cubical/twin");
    TCase *c = images_case(s, "cubical/twin");
    tcase_add_test(c, random_fields);
    tcase_add_test(c, single_dimensions);
    tcase_add_test(c, wide_thresholds);
    tcase_add_test(c, thresholds_beyond);
    tcase_add_test(c, known_shapes);
    tcase_add_test(c, refusals);
    tcase_add_test(c, cancelled);
    return s;
}
