/* Merge trees of grids against sorted union-find. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "field/extremes.h"
#include "mergetree/fields.h"

static const int hoods[3][4] = {{2, 2, 0, 2}, {4, 8, 6, 4}, {6, 18, 26, 14}}; /* by dimensions */

static ref_grid random_grid(int most) {
    ref_grid d = {.dims = 1 + (int)((bench_random() % 5 + 1) / 2)};
    for (int i = 0; i < d.dims; i++) {
        d.shape[i] = 1 + bench_random() % (uint32_t)(d.dims == 1 ? 10 * most : d.dims == 2 ? 2 * most : most);
        d.periodic[i] = bench_random() % 3 == 0;
    }
    d.neighbours = hoods[d.dims - 1][bench_random() % 4];
    return d;
}

static double *random_values(uint32_t n, uint32_t different) {
    double *values = bench_memory(n, sizeof *values);
    for (uint32_t v = 0; v < n; v++) values[v] = bench_random() % different;
    return values;
}

/* Both directions, then one of them simplified. */
static void check_method(const ref_grid *d, const glshape_field *field, const double *values,
                         glshape_mergetree_method method) {
    glshape_mergetree_options o = {.method = method, .branches_only = bench_random() % 4 == 0};
    fields_check(field, d, values, &o);
    o = (glshape_mergetree_options){.method = method, .superlevel = true};
    fields_check(field, d, values, &o);
    o = (glshape_mergetree_options){.method = method,
                                    .superlevel = bench_random() & 1,
                                    .simplify = bench_random() & 1 ? 1 : 0.3,
                                    .relative = bench_random() & 1};
    fields_check(field, d, values, &o);
}

static void check(const ref_grid *d, glshape_type type, const double *values) {
    glshape_field f = fields_of(d, type, values);
    glshape_mergetree_options o = {.method = GLSHAPE_MERGETREE_TRIPLET,
                                   .superlevel = bench_random() & 1,
                                   .simplify = bench_random() & 1};
    check_method(d, &f, values, GLSHAPE_MERGETREE_BASINS);
    fields_check(&f, d, values, &o);
}

/* More rows than a thread takes at a time, and more vertices of a row. */
START_TEST(several_parts) {
    static const size_t shapes[][3] = {
        {1, 3, 90000}, {70, 60, 50}, {45000, 5, 1}, {1, 200000, 1}, {3, 260, 250}};
    for (int i = 0; i < hunt(5, 50); i++) {
        ref_grid d = {.dims = 3, .neighbours = hoods[2][bench_random() % 4]};
        memcpy(d.shape, shapes[i % 5], sizeof shapes[0]);
        for (int axis = 0; axis < 3; axis++) d.periodic[axis] = bench_random() % 3 == 0;
        double *values = random_values(fields_count(&d), i % 2 ? 3 : 100000);
        glshape_field f = fields_of(&d, GLSHAPE_F32, values);
        fields_check(&f, &d, values, &(glshape_mergetree_options){.superlevel = i % 3 == 0});
        bench_clear();
    }
}
END_TEST

/* Plateaus everywhere. */
START_TEST(random_fields) {
    static const uint32_t different[] = {2, 3, 5, 100, 100};
    for (int i = 0; i < hunt(60, 500); i++) {
        ref_grid d = random_grid(11);
        double *values = random_values(fields_count(&d), different[i % 5]);
        check(&d, (glshape_type)(i % 10), values);
        bench_clear();
    }
}
END_TEST

/* Extents of 1 and 2, where neighbours around an end are oneself or the same twice. */
START_TEST(tiny_fields) {
    for (int code = 0; code < 64 * 8; code++) {
        ref_grid d = {.dims = 3, .neighbours = hoods[2][code & 3]};
        for (int i = 0; i < 3; i++) {
            d.shape[i] = 1 + (code >> (2 + i) & 1) * (1 + (code & 1));
            d.periodic[i] = code >> (5 + i) & 1;
        }
        double *values = random_values(fields_count(&d), 3);
        glshape_field f = fields_of(&d, GLSHAPE_U8, values);
        for (int i = 0; i < 2; i++)
            fields_check(&f, &d, values,
                         &(glshape_mergetree_options){.method = i ? GLSHAPE_MERGETREE_TRIPLET : 0,
                                                      .superlevel = bench_random() & 1,
                                                      .simplify = bench_random() % 3 == 0});
        bench_clear();
    }
}
END_TEST

/* ---- values ------------------------------------------------------------------------------------ */

START_TEST(nasty_floats) {
    static const float nasty[] = {0.0f, -0.0f, 0x1p-149f, -0x1p-149f, INFINITY,     -INFINITY,
                                  1.0f, -1.0f, 3.4e38f,   -3.4e38f,   0x1.fffffep0f};
    for (int i = 0; i < hunt(12, 40); i++) {
        ref_grid d = random_grid(9);
        uint32_t n = fields_count(&d);
        double *values = bench_memory(n, sizeof *values);
        for (uint32_t v = 0; v < n; v++) values[v] = (double)nasty[bench_random() % 11];
        glshape_field f = fields_of(&d, i & 1 ? GLSHAPE_F32 : GLSHAPE_F64, values);
        fields_check(&f, &d, values, &(glshape_mergetree_options){.superlevel = i & 2});
        bench_clear();
    }
}
END_TEST

/* Doubles that are one float, and integers beyond what a float tells apart. */
START_TEST(near_values) {
    for (int i = 0; i < hunt(12, 40); i++) {
        ref_grid d = random_grid(9);
        double *values = random_values(fields_count(&d), 50);
        for (uint32_t v = 0; v < fields_count(&d); v++)
            values[v] = i & 1 ? 1 + values[v] * 0x1p-52 : 0x1p40 + values[v];
        check(&d, i & 1 ? GLSHAPE_F64 : i & 2 ? GLSHAPE_I64 : GLSHAPE_U64, values);
        bench_clear();
    }
}
END_TEST

/* base + step × values, of integers of 64 bits. */
static glshape_field whole_field(const ref_grid *d, glshape_type type, uint64_t base, uint64_t step,
                                 const double *values) {
    uint32_t n = fields_count(d);
    glshape_field f = fields_of(d, type, values);
    uint64_t *to = bench_memory(n, sizeof *to);
    for (uint32_t v = 0; v < n; v++) to[v] = base + step * (uint64_t)values[v];
    f.values = to;
    return f;
}

/* Integers that one double stands for, up to the ends of their ranges; in one piece and in slabs. */
START_TEST(far_integers) {
    static const struct {
        glshape_type type;
        uint64_t base;
    } kinds[] = {{GLSHAPE_I64, 1ull << 60},         {GLSHAPE_I64, 1ull << 63},      /* -2^63 */
                 {GLSHAPE_I64, (1ull << 63) - 100}, {GLSHAPE_I64, UINT64_MAX - 49}, /* -50 */
                 {GLSHAPE_U64, (1ull << 63) - 50},  {GLSHAPE_U64, UINT64_MAX - 99}};
    for (int i = 0; i < 48; i++) {
        if (i == 36) fields_limit(64 << 10);
        ref_grid d = random_grid(i < 36 ? 9 : 40);
        double *values = random_values(fields_count(&d), 100);
        glshape_field f = whole_field(&d, kinds[i % 6].type, kinds[i % 6].base, 1, values);
        glshape_mergetree_method method =
            i < 36 && i & 8 ? GLSHAPE_MERGETREE_TRIPLET : GLSHAPE_MERGETREE_BASINS;
        check_method(&d, &f, values, method);
        fields_check(&f, &d, values, &(glshape_mergetree_options){.superlevel = i & 1, .simplify = 40});
        fields_check(&f, &d, values,
                     &(glshape_mergetree_options){.superlevel = i & 1, .simplify = 0.125, .relative = true});
        bench_clear();
    }
    fields_limit(0);
}
END_TEST

/* Persistences are k × step, which no double is, and more than an int64 can hold: a threshold of just that
 * leaves them, one of 1 more cuts them. */
START_TEST(whole_thresholds) {
    const uint64_t step = (1ull << 57) + 1;
    for (int i = 0; i < hunt(8, 24); i++) {
        ref_grid d = random_grid(9);
        uint32_t n = fields_count(&d), (*want)[3] = bench_memory(n, sizeof *want), k = 1 + (uint32_t)i % 80;
        double *values = random_values(n, 127);
        glshape_field f =
            whole_field(&d, i & 1 ? GLSHAPE_I64 : GLSHAPE_U64, (uint64_t)(i & 1) << 63, step, values);
        glshape_mergetree_options o = {.superlevel = i & 2, .simplify_whole = k * step + (i & 4 ? 1 : 0)};
        glshape_mergetree_result r;
        ref_mergetree(n, values, o.superlevel, &d, NULL, NULL, want);
        ref_simplify(n, values, i & 4 ? k + 0.5 : k, want);
        ck_assert_int_eq(glshape_mergetree(fields_context(), &f, &o, &r), GLSHAPE_OK);
        bench_where("case %d", i);
        BENCH_CHECK(!memcmp(r.triplets, want, n * sizeof *want));
        glshape_mergetree_free(&r);
        bench_clear();
    }
}
END_TEST

/* The ends of every integer's range. */
START_TEST(extreme_integers) {
    static const struct {
        glshape_type type;
        double least, greatest;
    } ends[] = {{GLSHAPE_I8, -128, 127}, {GLSHAPE_U8, 0, 255},          {GLSHAPE_I16, -32768, 32767},
                {GLSHAPE_U16, 0, 65535}, {GLSHAPE_U32, 0, 0xffffffffu}, {GLSHAPE_I32, -0x1p31, 0x1p31 - 1}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int again = 0; again < hunt(2, 5); again++) {
            ref_grid d = random_grid(9);
            uint32_t n = fields_count(&d);
            double *values = bench_memory(n, sizeof *values);
            for (uint32_t v = 0; v < n; v++)
                values[v] = bench_random() & 1 ? ends[i].greatest : ends[i].least + bench_random() % 2;
            check(&d, ends[i].type, values);
            bench_clear();
        }
}
END_TEST

/* ---- shapes ------------------------------------------------------------------------------------ */

enum { SIDE = 61 };

static double constant(int y, int x) { return (void)y, (void)x, 7; }
static double ramp(int y, int x) { return y * SIDE + x; }
static double slope(int y, int x) { return -(y * SIDE + x); }
/* Teeth of rising depth between walls of rising height: each branch ends on the next. */
static double comb(int y, int x) { return y == SIDE - 1 ? 1000 + x : x % 2 ? 2000 + x : 500 - x; }
/* The same with teeth that all end on the first. */
static double rake(int y, int x) { return x % 2 ? (y == 0 ? 900 - x : 2000) : 100 + x; }
/* One way down, through every second row, as long as it gets. */
static double meander(int y, int x) {
    if (y % 2) return x == (y % 4 == 1 ? SIDE - 1 : 0) ? SIDE * y + 30 : 1e6;
    return SIDE * y + (y % 4 ? SIDE - 1 - x : x);
}
/* Down row after row, there and back. */
static double serpentine(int y, int x) { return -(y * SIDE + (y % 2 ? SIDE - 1 - x : x)); }
static double cross(int y, int x) { return abs(y - SIDE / 2) * (x % 3) + abs(x - SIDE / 2) * (y % 3); }

/* Along the turns of a square spiral. */
static double spiral(int y, int x) {
    int ring = y < x ? y : x;
    ring = SIDE - 1 - y < ring ? SIDE - 1 - y : ring;
    ring = SIDE - 1 - x < ring ? SIDE - 1 - x : ring;
    return ring % 2 ? 1e6 - (x + y) : ring * 300 + (y <= x ? x + y : 4 * SIDE - x - y);
}

START_TEST(shapes) {
    double (*const all[])(int, int) = {constant, ramp, slope, comb, rake, meander, cross, serpentine, spiral};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int hood = 0; hood < 3; hood++) {
            ref_grid d = {.dims = 2, .shape = {SIDE, SIDE}, .neighbours = hoods[1][hood]};
            double *values = bench_memory(SIDE * SIDE, sizeof *values);
            for (int v = 0; v < SIDE * SIDE; v++) values[v] = all[i](v / SIDE, v % SIDE);
            check(&d, GLSHAPE_F32, values);
            bench_clear();
        }
}
END_TEST

/* Chases of more than one pass; edges that are left again and again. */
START_TEST(larger_fields) {
    for (int i = 0; i < hunt(2, 4); i++) {
        ref_grid d = {.dims = 3, .shape = {41, 47, 53}, .neighbours = hoods[2][i]};
        double *values = random_values(fields_count(&d), i & 1 ? 60000 : 4);
        glshape_field f = fields_of(&d, GLSHAPE_U16, values);
        check_method(&d, &f, values, GLSHAPE_MERGETREE_BASINS);
        if (!i)
            fields_check(&f, &d, values, &(glshape_mergetree_options){.method = GLSHAPE_MERGETREE_TRIPLET});
        bench_clear();
    }
}
END_TEST

static bool same(const glshape_mergetree_result *a, const glshape_mergetree_result *b) {
    bool equal = a->count == b->count && !memcmp(a->triplets, b->triplets, a->n * 3 * sizeof *a->triplets);
    for (size_t k = 0; k < a->count && equal; k++) {
        const glshape_branch *x = &a->branches[k], *y = &b->branches[k];
        equal = x->birth == y->birth && x->death == y->death && x->parent == y->parent &&
                x->birth_value == y->birth_value && x->death_value == y->death_value;
    }
    return equal;
}

static bool cancel_fifth(void *user, double fraction) {
    BENCH_CHECK(fraction >= 0 && fraction <= 1);
    return ++*(int *)user < 5;
}

/* A comb of so many teeth is the worst of fields for triplets: its repair takes a run for every 256. */
START_TEST(triplets_cancelled) {
    enum { Y = 4, X = 8192 };
    int calls = 0;
    float *values = bench_memory(Y * X, sizeof *values);
    for (int v = 0; v < Y * X; v++)
        values[v] = (float)(v / X == Y - 1 ? 100000 + v % X : v % 2 ? 200000 + v % X : 50000 - v % X);
    glshape_options options = {.device = test_device(), .progress = cancel_fifth, .user = &calls};
    glshape_field f = {.type = GLSHAPE_F32, .values = values, .dims = 2, .shape = {Y, X}};
    glshape_mergetree_options o = {.method = GLSHAPE_MERGETREE_TRIPLET};
    glshape_context *context;
    glshape_mergetree_result r;
    ck_assert_int_eq(glshape_open(&options, &context), GLSHAPE_OK);
    calls = 0;
    ck_assert_int_eq(glshape_mergetree(context, &f, &o, &r), GLSHAPE_CANCELLED);
    ck_assert_int_eq(calls, 5);
    ck_assert_int_eq(glshape_close(context), 0);
}
END_TEST

/* Threads stop between parts. */
START_TEST(threads_cancelled) {
    int calls = 0;
    ref_grid d = {.dims = 3, .shape = {70, 60, 50}, .neighbours = 6};
    glshape_field f = fields_of(&d, GLSHAPE_F32, random_values(fields_count(&d), 1000));
    glshape_options options = {.when_needed = true, .progress = cancel_fifth, .user = &calls};
    glshape_context *closed;
    glshape_mergetree_result r;
    ck_assert_int_eq(glshape_open(&options, &closed), GLSHAPE_OK);
    ck_assert_int_eq(glshape_mergetree(closed, &f, NULL, &r), GLSHAPE_CANCELLED);
    ck_assert_int_eq(calls, 5);
    ck_assert_int_eq(glshape_close(closed), 0);
}
END_TEST

/* 20 runs, of which each gives its vertices, candidates and records numbers by chance. */
START_TEST(repeated_runs) {
    ref_grid d = {.dims = 3, .shape = {31, 37, 41}, .neighbours = 6};
    glshape_field f = fields_of(&d, GLSHAPE_U8, random_values(fields_count(&d), 20));
    glshape_mergetree_result first = {0}, r;
    for (int run = 0; run < 20; run++) {
        glshape_mergetree_options o = {.method = run % 4 == 3 ? GLSHAPE_MERGETREE_TRIPLET : 0};
        ck_assert_int_eq(glshape_mergetree(fields_context(), &f, &o, run ? &r : &first), GLSHAPE_OK);
        ck_assert_msg(!run || same(&first, &r), "run %d differs from the first", run);
        if (run) glshape_mergetree_free(&r);
    }
    glshape_mergetree_free(&first);
}
END_TEST

/* ---- the twin ---------------------------------------------------------------------------------- */

/* The first vertex, in order, of u's component among those up to s. */
static uint32_t deepest(const ref_grid *d, const double *values, uint32_t u, uint32_t s) {
    uint32_t n = fields_count(d), *queue = malloc(n * sizeof *queue), best = u, near[26], count = 1;
    bool *seen = calloc(n, sizeof *seen);
#define BEFORE(a, b) (values[a] != values[b] ? values[a] < values[b] : (a) < (b))
    queue[0] = u;
    seen[u] = true;
    for (uint32_t k = 0; k < count; k++) {
        if (BEFORE(queue[k], best)) best = queue[k];
        for (int i = ref_neighbours(d, queue[k], near); i-- > 0;) {
            if (seen[near[i]] || BEFORE(s, near[i])) continue;
            seen[near[i]] = true;
            queue[count++] = near[i];
        }
    }
    free(queue);
    free(seen);
    return best;
}

/* Minimality, by a search for each triplet; and that s is the first vertex at which u is not the oldest. */
START_TEST(twin_is_minimal) {
    for (int i = 0; i < 60; i++) {
        ref_grid d = random_grid(5);
        uint32_t n = fields_count(&d);
        double *values = random_values(n, 4);
        uint32_t(*t)[3] = bench_memory(n, sizeof *t);
        ref_mergetree(n, values, false, &d, NULL, NULL, t);
        for (uint32_t u = 0; u < n; u++) {
            ck_assert(t[u][0] == u && t[u][2] == deepest(&d, values, u, t[u][1]));
            ck_assert((t[u][2] == u) <= (t[u][1] == u));
            for (uint32_t w = 0; w < n; w++)
                if (BEFORE(w, t[u][1]) && !BEFORE(w, u)) ck_assert_uint_eq(deepest(&d, values, u, w), u);
        }
        bench_clear();
    }
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------------------- */

#define REFUSES(expected, f, o, ...)                                                   \
    do {                                                                               \
        glshape_mergetree_result r_;                                                   \
        error e_ = {0};                                                                \
        glshape_status got_ = glshape_mergetree(fields_context(), &(f), &(o), &r_);    \
        snprintf(e_.text, sizeof e_.text, "%s", glshape_last_error(fields_context())); \
        FAILS(&e_, expected, got_, __VA_ARGS__);                                       \
        ck_assert(!r_.triplets && !r_.branches && !r_.n);                              \
    } while (0)

START_TEST(refusals) {
    float values[24] = {0};
    glshape_mergetree_options o = {0};
    glshape_field good = {.type = GLSHAPE_F32, .values = values, .dims = 3, .shape = {2, 3, 4}}, f = good;
    f.dims = 4;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "4 dimensions", "1, 2 and 3");
    f = good, f.shape[1] = 0;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "extent 2", "is 0");
    f = good, f.neighborhood = 4;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "4", "3 dimensions", "6, 18, 26");
    f = good, f.dims = 2, f.neighborhood = 26;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "26", "2 dimensions", "4, 8");
    f = good, f.shape[0] = f.shape[1] = f.shape[2] = (size_t)1 << 22;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "2^32 - 2");
    f.shape[0] = 1024;
    f.shape[1] = f.shape[2] = 2048;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "4294967296 vertices", "ranks of MPI");
    f = good, values[12 + 2 * 4 + 3] = NAN;
    REFUSES(GLSHAPE_BAD_INPUT, f, o, "z 1, y 2, x 3", "NaN");
    f.dims = 2, f.shape[0] = 6, f.shape[1] = 4;
    REFUSES(GLSHAPE_BAD_INPUT, f, o, "y 5, x 3", "NaN");
    f.dims = 1, f.shape[0] = 24;
    REFUSES(GLSHAPE_BAD_INPUT, f, o, "at x 23", "NaN");
    f.neighborhood = 4;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "4 is no neighborhood of 1 dimension:", "is 2");
    f = good, values[23] = 0, o.simplify = -1;
    REFUSES(GLSHAPE_BAD_ARGUMENT, f, o, "simplify", "-1");
}
END_TEST

/* In noise 2 of 3, 5 and 7 vertices are less than 2, 4 and 6 others, or greater. */
START_TEST(rough_and_smooth) {
    static const double share[] = {2 / 3.0, 2 / 5.0, 2 / 7.0};
    static const glshape_type types[] = {GLSHAPE_F32, GLSHAPE_F64, GLSHAPE_I32, GLSHAPE_U16};
    for (int i = 0; i < 12; i++) {
        ref_grid d = {.dims = 1 + i % 3, .shape = {30, 31, 32}, .neighbours = hoods[i % 3][0]};
        if (d.dims == 1) d.shape[0] = 5000;
        double *values = random_values(fields_count(&d), 60000);
        glshape_field f = fields_of(&d, types[i / 3], values);
        ck_assert_double_eq_tol(field_extremes(&f), share[i % 3], 0.1);
        for (uint32_t v = 0; v < fields_count(&d); v++) values[v] = v;
        f = fields_of(&d, types[i / 3], values);
        ck_assert_double_eq(field_extremes(&f), 0);
        for (uint32_t v = 0; v < fields_count(&d); v++) values[v] = 7;
        f = fields_of(&d, types[i / 3], values);
        ck_assert_double_eq(field_extremes(&f), 0);
        bench_clear();
    }
}
END_TEST

Suite *mergetree_grids_suite(void) {
    Suite *s = suite_create("mergetree/grids");
    TCase *t = fields_case(s, "mergetree/grids");
    tcase_add_test(t, twin_is_minimal);
    tcase_add_test(t, random_fields);
    tcase_add_test(t, several_parts);
    tcase_add_test(t, tiny_fields);
    tcase_add_test(t, nasty_floats);
    tcase_add_test(t, near_values);
    tcase_add_test(t, far_integers);
    tcase_add_test(t, whole_thresholds);
    tcase_add_test(t, extreme_integers);
    tcase_add_test(t, shapes);
    tcase_add_test(t, larger_fields);
    tcase_add_test(t, triplets_cancelled);
    tcase_add_test(t, threads_cancelled);
    tcase_add_test(t, repeated_runs);
    tcase_add_test(t, refusals);
    tcase_add_test(t, rough_and_smooth);
    return s;
}
