/* Vectors of diagrams beside their definitions, in double, and beside GUDHI's; by passes beside threads. */
#include <glshape.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "suites.h"

enum {
    MOST_DIAGRAMS = 64,
    MOST_PAIRS = 4096,
    KINDS = GLSHAPE_VECTORS_ENTROPY_CURVE + 1,
    MOST_COLUMNS = 4096
};

static size_t first[MOST_DIAGRAMS + 1];
static double pairs[2 * MOST_PAIRS], weights[MOST_PAIRS];
static glshape_diagrams in = {.first = first, .pairs = pairs};
static glshape_context *context;

static uint64_t state;
static double draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Random diagrams: of ties, of copies, empty, far from 0, of superlevel sets, in some unit. */
static void make(uint64_t seed, size_t count, size_t most, double unit) {
    state = seed * 2654435761u + 1;
    in.count = count;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = (size_t)(draw() * (double)(most + 1));
        int kind = (int)(seed + i) % 5;
        first[i] = at;
        for (size_t k = 0; k < n && at < MOST_PAIRS; k++, at++) {
            double birth = draw() * 10, length = draw() * 5;
            if (kind == 1) birth = floor(birth), length = 1 + floor(length);
            if (kind == 2) length *= 1e-3;
            if (kind == 3) birth += 100;
            pairs[2 * at] = birth * unit;
            pairs[2 * at + 1] = (seed % 7 == 3 ? birth - length : birth + length) * unit;
            if (kind == 4 && k % 3) memcpy(pairs + 2 * at, pairs + 2 * at - 2, 2 * sizeof *pairs);
            if (draw() < 0.05) pairs[2 * at + 1] = pairs[2 * at];
            if (draw() < 0.05) pairs[2 * at + 1] = seed % 7 == 3 ? -INFINITY : INFINITY;
            weights[at] = draw() * 3 - 1;
        }
    }
    first[count] = at;
}

/* ---- the definitions --------------------------------------------------------------------------- */

/* The pairs of a diagram that count, and their weights. */
typedef struct counted {
    double pair[MOST_PAIRS][2], weight[MOST_PAIRS];
    size_t count;
} counted;

static void count_pairs(const glshape_vectors_options *o, size_t i, counted *out) {
    out->count = 0;
    for (size_t k = first[i]; k < first[i + 1]; k++) {
        double b = pairs[2 * k], d = pairs[2 * k + 1];
        if (isinf(d) && o->cut) {
            bool late = d > 0 ? b >= o->cut_at : b <= o->cut_at;
            d = late ? b : o->cut_at;
        }
        if (b == d || (isinf(d) && o->kind != GLSHAPE_VECTORS_BETTI)) continue;
        out->pair[out->count][0] = b, out->pair[out->count][1] = d;
        out->weight[out->count++] = o->weights ? o->weights[k] : pow(fabs(d - b), o->weight);
    }
}

static double tent(const double *p, double x) {
    return fmax(0, fmin(x - fmin(p[0], p[1]), fmax(p[0], p[1]) - x));
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double landscape(const counted *c, size_t level, double x) {
    static double heights[MOST_PAIRS];
    for (size_t k = 0; k < c->count; k++) heights[k] = tent(c->pair[k], x);
    qsort(heights, c->count, sizeof *heights, descending);
    return level < c->count ? heights[level] : 0;
}

static double silhouette(const counted *c, double x) {
    double sum = 0, all = 0;
    for (size_t k = 0; k < c->count; k++) sum += c->weight[k] * tent(c->pair[k], x), all += c->weight[k];
    return all != 0 ? sum / all : 0;
}

static double image(const counted *c, double bandwidth, double x, double y) {
    double sum = 0;
    for (size_t k = 0; k < c->count; k++) {
        double u = (x - c->pair[k][0]) / bandwidth, v = (y - fabs(c->pair[k][1] - c->pair[k][0])) / bandwidth;
        sum += c->weight[k] * exp(-(u * u + v * v) / 2);
    }
    return sum / (2 * 3.14159265358979323846 * bandwidth * bandwidth);
}

static bool covers(const double *p, double x) {
    return p[0] < p[1] ? p[0] <= x && x < p[1] : p[1] < x && x <= p[0];
}

static double betti(const counted *c, double x) {
    double count = 0;
    for (size_t k = 0; k < c->count; k++) count += covers(c->pair[k], x);
    return count;
}

/* All, or of those that cover x. */
static double entropy(const counted *c, const double *x) {
    double all = 0, sum = 0;
    for (size_t k = 0; k < c->count; k++) all += fabs(c->pair[k][1] - c->pair[k][0]);
    for (size_t k = 0; k < c->count; k++) {
        double p = fabs(c->pair[k][1] - c->pair[k][0]) / all;
        if (!x || covers(c->pair[k], *x)) sum -= p * log(p);
    }
    return sum;
}

/* The vector of diagram i, in double. */
static void define(const glshape_vectors_options *o, const glshape_vectors_result *r, size_t i, double *out) {
    static counted c;
    count_pairs(o, i, &c);
    if (o->kind == GLSHAPE_VECTORS_ENTROPY) out[0] = entropy(&c, NULL);
    if (o->kind == GLSHAPE_VECTORS_IMAGE) {
        size_t width = (size_t)o->resolution, height = r->columns / width;
        for (size_t e = 0; e < r->columns; e++) {
            double px = width > 1 ? (double)(e % width) / (double)(width - 1) : 0,
                   py = height > 1 ? (double)(e / width) / (double)(height - 1) : 0;
            out[e] = image(&c, o->bandwidth, r->range[0] * (1 - px) + r->range[1] * px,
                           r->range[2] * (1 - py) + r->range[3] * py);
        }
    }
    for (size_t e = 0; r->grid && e < r->columns; e++) {
        double x = r->grid[e % r->samples];
        out[e] = o->kind == GLSHAPE_VECTORS_LANDSCAPE    ? landscape(&c, e / r->samples, x)
                 : o->kind == GLSHAPE_VECTORS_SILHOUETTE ? silhouette(&c, x)
                 : o->kind == GLSHAPE_VECTORS_BETTI      ? betti(&c, x)
                                                         : entropy(&c, &x);
        if (o->gudhi_scale && (o->kind == GLSHAPE_VECTORS_LANDSCAPE || o->kind == GLSHAPE_VECTORS_SILHOUETTE))
            out[e] *= sqrt(2);
    }
    double all = 0;
    for (size_t e = 0; o->kind == GLSHAPE_VECTORS_ENTROPY_CURVE && e < r->columns; e++) all += out[e];
    for (size_t e = 0; all > 0 && !o->unnormalized && e < r->columns; e++) out[e] /= all;
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void find(glshape_context *c, const glshape_vectors_options *o, glshape_vectors_result *r) {
    ck_assert_msg(!glshape_vectors(c, &in, o, r), "%s", glshape_last_error(c));
    ck_assert_uint_eq(r->n, in.count);
}

/* Options of all kinds, some of which the kind does not look at. */
static glshape_vectors_options draw_options(int seed, double unit) {
    static double range[4];
    glshape_vectors_options o = {.kind = (glshape_vectors_kind)(seed % KINDS),
                                 .resolution = 1 + (int)(draw() * 40),
                                 .resolution_y = 1 + (int)(draw() * 9),
                                 .landscapes = 1 + (int)(draw() * 6),
                                 .bandwidth = (0.1 + 2 * draw()) * unit,
                                 .weight = draw() < 0.4 ? 0 : draw() * 3,
                                 .weights = draw() < 0.2 ? weights : NULL,
                                 .keep_endpoints = draw() < 0.4,
                                 .gudhi_scale = draw() < 0.3,
                                 .unnormalized = draw() < 0.3,
                                 .cut = draw() < 0.4,
                                 .cut_at = 7 * unit};
    for (int k = 0; k < 4; k++) range[k] = draw() < 0.3 ? NAN : (k % 2 * 8 + 4 * draw() - 1) * unit;
    if (draw() < 0.5) o.range = range;
    return o;
}

/* What the vectors of a diagram may differ by: parts of singles of the greatest terms. Weights may cancel. */
static double error_of(const glshape_vectors_options *o, size_t i, double greatest, double unit) {
    static counted c;
    double all = 0, sum = 0;
    count_pairs(o, i, &c);
    for (size_t k = 0; k < c.count; k++) all += fabs(c.weight[k]), sum += c.weight[k];
    double tiny =
        o->kind == GLSHAPE_VECTORS_IMAGE ? all * 1e-7 / (o->bandwidth * o->bandwidth) : 1e-12 * unit * 110;
    if (o->kind == GLSHAPE_VECTORS_SILHOUETTE && sum != 0) tiny += all / fabs(sum) * greatest * 1e-6;
    if (o->kind == GLSHAPE_VECTORS_ENTROPY_CURVE || o->kind == GLSHAPE_VECTORS_ENTROPY) tiny = 1e-12;
    return tiny;
}

static void check_definition(const glshape_vectors_options *o, const glshape_vectors_result *r, double unit,
                             int seed) {
    static double want[MOST_COLUMNS];
    for (size_t i = 0; i < r->n; i++) {
        double greatest = 0;
        define(o, r, i, want);
        for (size_t e = 0; e < r->columns; e++) greatest = fmax(greatest, fabs(want[e]));
        if (o->kind == GLSHAPE_VECTORS_SILHOUETTE) greatest = 8 * unit;
        for (size_t e = 0; e < r->columns; e++) {
            double got = r->values[i * r->columns + e];
            ck_assert_msg(fabs(got - want[e]) <= 2e-6 * fabs(want[e]) + error_of(o, i, greatest, unit),
                          "seed %d, kind %d: diagram %zu, number %zu: %.9g, not %.9g", seed, (int)o->kind, i,
                          e, got, want[e]);
        }
    }
}

START_TEST(definitions) {
    const double units[] = {1, 1e-30, 1e15};
    for (int seed = 0; seed < hunt(120, 1200); seed++) {
        double unit = seed % 4 == 3 ? units[seed / 4 % 3] : 1;
        glshape_vectors_result r;
        make((uint64_t)seed, 3 + (size_t)seed % 9, 2 + (size_t)seed * 7 % 50, unit);
        glshape_vectors_options o = draw_options(seed, unit);
        find(context, &o, &r);
        check_definition(&o, &r, unit, seed);
        glshape_vectors_free(&r);
    }
}
END_TEST

/* The same bits by passes, which small inputs are given to on a device with a name. */
START_TEST(by_passes) {
    glshape_context *device;
    ck_assert(!glshape_open(&(glshape_options){.device = test_device(), .debug = true}, &device));
    for (int seed = 0; seed < hunt(30, 200); seed++) {
        glshape_vectors_result a, b;
        make((uint64_t)seed + 1000, 1 + (size_t)seed * 5 % 60, seed % 3 ? 20 : 70, seed % 5 == 4 ? 1e-36 : 1);
        glshape_vectors_options o = draw_options(seed % 3, seed % 5 == 4 ? 1e-36 : 1);
        find(context, &o, &a);
        find(device, &o, &b);
        ck_assert(b.gpu_bytes > 0);
        ck_assert_msg(!memcmp(a.values, b.values, a.n * a.columns * sizeof *a.values), "seed %d", seed);
        glshape_vectors_free(&a);
        glshape_vectors_free(&b);
    }
    glshape_close(device);
}
END_TEST

/* ---- GUDHI -------------------------------------------------------------------------------------- */

static void close_file(FILE **f) {
    if (*f) fclose(*f);
}

/* Diagrams with pairs that end, as tests/compare/golden/vectors.py takes them. */
static void read_diagrams(void) {
    OWNED_BY(close_file) FILE *f = fopen("tests/compare/golden/diagrams.txt", "r");
    size_t at = 0, count;
    ck_assert(f);
    in.count = 0;
    first[0] = 0;
    while (fscanf(f, "%zu", &count) == 1) {
        for (size_t k = 0; k < count; k++) {
            ck_assert_int_eq(fscanf(f, "%lf %lf", &pairs[2 * at], &pairs[2 * at + 1]), 2);
            at += isfinite(pairs[2 * at + 1]);
        }
        if (at > first[in.count]) first[++in.count] = at;
    }
    ck_assert_uint_eq(in.count, 24);
}

static const double im_range[] = {0, 10, 0.5, 4}, sample_range[] = {1, 9.5}, curve_range[] = {0.25, 9.9};
static const struct {
    const char *name;
    glshape_vectors_options o;
} golden[] = {
    {"image", {.bandwidth = 0.7, .resolution = 9, .resolution_y = 6}},
    {"weighted", {.bandwidth = 2, .weight = 1.5, .resolution = 5, .resolution_y = 7, .range = im_range}},
    {"landscape",
     {.kind = GLSHAPE_VECTORS_LANDSCAPE, .landscapes = 4, .resolution = 31, .gudhi_scale = true}},
    {"range",
     {.kind = GLSHAPE_VECTORS_LANDSCAPE,
      .landscapes = 2,
      .resolution = 12,
      .range = sample_range,
      .gudhi_scale = true}},
    {"silhouette",
     {.kind = GLSHAPE_VECTORS_SILHOUETTE, .resolution = 25, .keep_endpoints = true, .gudhi_scale = true}},
    {"heavy", {.kind = GLSHAPE_VECTORS_SILHOUETTE, .resolution = 25, .weight = 1.5, .gudhi_scale = true}},
    {"betti", {.kind = GLSHAPE_VECTORS_BETTI, .resolution = 40}},
    {"entropy", {.kind = GLSHAPE_VECTORS_ENTROPY}},
    {"curve", {.kind = GLSHAPE_VECTORS_ENTROPY_CURVE, .resolution = 17, .range = curve_range}},
    {"raw",
     {.kind = GLSHAPE_VECTORS_ENTROPY_CURVE, .resolution = 17, .range = curve_range, .unnormalized = true}},
};

START_TEST(as_gudhi) {
    OWNED_BY(close_file) FILE *f = fopen("tests/compare/golden/vectors.txt", "r");
    char name[32];
    size_t rows, columns, kinds = 0;
    ck_assert(f);
    read_diagrams();
    for (; fscanf(f, "%31s %zu %zu", name, &rows, &columns) == 3; kinds++) {
        glshape_vectors_result r;
        ck_assert_str_eq(name, golden[kinds].name);
        find(context, &golden[kinds].o, &r);
        ck_assert(r.n == rows && r.columns == columns);
        for (size_t k = 0; k < rows * columns; k++) {
            double want, tiny = strcmp(name, "image") ? 1e-12 : 1e-14;
            ck_assert_int_eq(fscanf(f, "%lf", &want), 1);
            ck_assert_msg(fabs(r.values[k] - want) <= 1e-5 * fabs(want) + tiny, "%s: %zu: %.9g, not %.9g",
                          name, k, r.values[k], want);
        }
        glshape_vectors_free(&r);
    }
    ck_assert_uint_eq(kinds, sizeof golden / sizeof *golden);
}
END_TEST

/* ---- edges --------------------------------------------------------------------------------------- */

static void take(size_t count, const size_t *counts, const double *values) {
    in.count = count;
    for (size_t i = 0; i < count; i++) first[i + 1] = first[i] + counts[i];
    memcpy(pairs, values, 2 * first[count] * sizeof *values);
}

/* Nothing at all, pairs on the diagonal, pairs that never end: zeros between 0 and 1. */
START_TEST(nothing) {
    for (int kind = 0; kind < KINDS; kind++) {
        glshape_vectors_result r;
        take(3, (const size_t[]){0, 1, 1}, (const double[]){3, 3, 4, INFINITY});
        find(context, &(glshape_vectors_options){.kind = (glshape_vectors_kind)kind, .resolution = 7}, &r);
        for (size_t k = 0; k < r.n * r.columns; k++) ck_assert(r.values[k] == 0);
        ck_assert_uint_eq(r.left_out, kind != GLSHAPE_VECTORS_BETTI);
        ck_assert(!r.grid || (r.grid[0] > 0 && r.grid[6] < 1));
        glshape_vectors_free(&r);
    }
}
END_TEST

/* A grid of the caller's, and pairs of sub- and superlevel sets at its samples. */
START_TEST(ends) {
    const double grid[] = {0, 1, 1, 2, 3, 5};
    const float want[3][6] = {{0, 1, 1, 1, 0, 0}, {0, 0, 0, 1, 1, 0}, {0, 0, 0, 1, 1, 1}};
    const glshape_vectors_options o = {.kind = GLSHAPE_VECTORS_BETTI, .resolution = 6, .grid = grid};
    glshape_vectors_result r;
    take(3, (const size_t[]){1, 1, 1}, (const double[]){1, 3, 3, 1, 2, INFINITY});
    find(context, &o, &r);
    ck_assert(!memcmp(r.values, want, sizeof want) && !memcmp(r.grid, grid, sizeof grid));
    glshape_vectors_free(&r);
}
END_TEST

/* Values of which the sum of two is none, and the least there are. */
START_TEST(extremes) {
    const double values[] = {-1.7e308, 1.7e308, -1.7e308, 0, 0, 1.7e308},
                 least[] = {0, 5e-324, 0, 1e-323, 0, 0};
    for (int kind = GLSHAPE_VECTORS_LANDSCAPE; kind < KINDS; kind++)
        for (int small = 0; small < 2; small++) {
            glshape_vectors_result r;
            take(2, (const size_t[]){1, 2}, small ? least : values);
            find(context, &(glshape_vectors_options){.kind = (glshape_vectors_kind)kind, .resolution = 5},
                 &r);
            for (size_t k = 0; k < r.n * r.columns; k++) ck_assert(!isnan(r.values[k]) && r.values[k] >= 0);
            if (kind == GLSHAPE_VECTORS_ENTROPY && !small) ck_assert(r.values[1] == (float)log(2));
            glshape_vectors_free(&r);
        }
}
END_TEST

START_TEST(refusals) {
    static const double nan_weights[64] = {1, NAN}, range[] = {2, 1}, grid[] = {1, 0}, far[] = {0, INFINITY};
    static const struct {
        glshape_vectors_options o;
        const char *text;
    } cases[] = {
        {{.kind = (glshape_vectors_kind)KINDS}, "kind"},
        {{.resolution = 5000}, "resolution is 5000; it is 1 to 4096, or 0 for 20"},
        {{.kind = GLSHAPE_VECTORS_BETTI, .resolution = -1}, "resolution is -1; it is 1 to 65536"},
        {{.kind = GLSHAPE_VECTORS_LANDSCAPE, .landscapes = -1}, "landscapes is -1"},
        {{.bandwidth = -1}, "bandwidth is -1"},
        {{.weight = NAN}, "power of weights is"},
        {{.weights = nan_weights}, "pair 2: its weight is"},
        {{.range = range}, "range of births is 2 to 1"},
        {{.kind = GLSHAPE_VECTORS_BETTI, .range = far}, "range of samples is 0 to inf"},
        {{.kind = GLSHAPE_VECTORS_BETTI, .resolution = 2, .grid = grid}, "sample 2 of the grid is 0"},
        {{.grid = grid, .resolution = 2}, "a grid goes with curves"},
        {{.cut = true, .cut_at = NAN}, "are cut at"},
    };
    glshape_vectors_result r;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        take(1, (const size_t[]){2}, (const double[]){0, 1, 1, 4});
        ck_assert_int_ne(glshape_vectors(context, &in, &cases[k].o, &r), GLSHAPE_OK);
        ck_assert_msg(strstr(glshape_last_error(context), cases[k].text) != NULL, "%zu: %s", k,
                      glshape_last_error(context));
        ck_assert_ptr_null(r.values);
    }
    pairs[2] = NAN;
    ck_assert_int_eq(glshape_vectors(context, &in, NULL, &r), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(context), "diagram 1, pair 2: birth nan") != NULL);
    take(2, (const size_t[]){2, 0}, (const double[]){0, 1, 1, 4});
    first[1] = 3;
    ck_assert_int_eq(glshape_vectors(context, &in, NULL, &r), GLSHAPE_BAD_ARGUMENT);
    ck_assert(strstr(glshape_last_error(context), "first ascends") != NULL);
}
END_TEST

static void begin(void) { ck_assert(!glshape_open(NULL, &context)); }
static void end(void) { glshape_close(context); }

Suite *compare_vectors_suite(void) {
    Suite *s = suite_create("compare/vectors");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, begin, end);
    tcase_set_timeout(t, 200);
    tcase_add_test(t, definitions);
    tcase_add_test(t, by_passes);
    tcase_add_test(t, as_gudhi);
    tcase_add_test(t, nothing);
    tcase_add_test(t, ends);
    tcase_add_test(t, extremes);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return s;
}
