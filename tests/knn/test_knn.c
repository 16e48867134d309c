#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "neighbors/lists.h"
#include "prim/bench.h"
#include "reference/knn.h"

/* ---- points ------------------------------------------------------------------------------------ */

typedef enum {
    NORMAL,    /* doubles that float32 does not have */
    FLOATS,    /* values of float32 */
    FEW,       /* 0, 1, 2: most distances are equal */
    SAME,      /* all points are one */
    COPIES,    /* some forty of each point */
    NEAR_TIES, /* about the origin, at distances that only double tells apart */
    FAR_OUT,   /* a large constant and small noise */
    LINE,      /* in order on a line: everybody comes nearer and nearer to the last */
    PIXELS,    /* 0 … 255 */
    KINDS
} kind;

static double uniform(void) { return bench_random() * 0x1p-32; }

static double value(kind what, size_t i, size_t c, size_t columns) {
    switch (what) {
        case NORMAL:
            return uniform() + uniform() + uniform() - 1.5;
        case FLOATS:
            return (float)uniform() * 1e-3f;
        case FEW:
            return bench_random() % 3;
        case SAME:
            return 0.1 * (double)c;
        case COPIES:
            return sin((double)((i * 7919 % 13) * columns + c));
        case NEAR_TIES:
            return i == 3 || c != i % columns ? 0 : (i & 1 ? 1 : -1) * (1 + 1e-12 * (double)(i * 31 % 101));
        case FAR_OUT:
            return 1e8 + uniform();
        case LINE:
            return (double)i * 0.37;
        default:
            return bench_random() % 256;
    }
}

static double *make_points(kind what, size_t rows, size_t columns, double scale) {
    double *x = bench_memory(rows * columns, sizeof *x);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < columns; c++) x[i * columns + c] = value(what, i, c, columns) * scale;
    return x;
}

/* ---- running ----------------------------------------------------------------------------------- */

typedef struct answer {
    uint32_t *index;
    double *distance;
    size_t scanned;
} answer;

/* How it is searched: tiles for their rows, of `rows` at a time, or for both; either way of fetching;
 * candidates compared by the GPU, if it can, or by the processors; the GPU has all points or, searched by
 * rows, a page of at most so many tiles of them. */
typedef struct way {
    bool both, shared, compared;
    uint32_t rows, page;
} way;

/* When not hunting, tiles for both are fetched one way and tiles for rows the other: fewer programs. */
static way any_way(uint32_t rows) {
    bool both = bench_random() & 1, shared = bench_random() & 1;
    return (way){both, hunt(both, shared), bench_random() % 4 > 0, rows, both ? 0 : bench_random() % 4};
}

/* Whether the GPU could compare candidates, if it were no software renderer. */
static bool can_compare(gpu *g, const knn_points *p) {
    gpu_set_eager(g, true);
    run_why why;
    OK(run_error(run_of(g)), knn_compare_place(g, p, 1, &why));
    gpu_set_eager(g, false);
    return run_why_device(why);
}

/* As glshape_knn. */
static answer search(const glshape_matrix *m, glshape_metric metric, uint32_t k, way w) {
    gpu *g = test_gpu();
    error *err = run_error(run_of(g));
    knn_points p;
    knn_search s;
    answer a = {bench_memory(m->rows * k, sizeof *a.index), bench_memory(m->rows * k, sizeof *a.distance), 0};
    OK(err, knn_points_new(run_of(g), &ranks_alone, m, metric, 0, &p));
    p.most_page = w.page;
    OK(err, knn_search_new(g, &p, k, false, &s));
    s.both = w.both;
    if (!s.both && w.rows < s.rows) s.rows = w.rows;
    s.shared = w.shared && m->cols / 16 * 9 < GPU_TURNS; /* of two columns each, and of slices of 16 */
    w.compared = w.compared && can_compare(g, &p);
    knn_candidate *c = bench_memory((size_t)s.rows * s.keep, sizeof *c);
    float *beyond = bench_memory(s.rows, sizeof *beyond);
    for (uint32_t first = 0; first < p.n; first += s.rows) {
        uint32_t count = p.n - first < s.rows ? p.n - first : s.rows;
        knn_task what = {.first = first, .count = count, .k = k, .keep = s.keep, .candidates = c};
        OK(err, knn_search_rows(g, &s, &p, first, count));
        if (w.compared) {
            what.beyond = beyond;
            OK(err, knn_compare(g, &s, &p, first, count, k, a.index + (size_t)first * k,
                                a.distance + (size_t)first * k, beyond));
        } else OK(err, knn_take(g, &s, first, count, c));
        OK(err, knn_decide(g, &p, &s, &what, a.index + (size_t)first * k, a.distance + (size_t)first * k,
                           &a.scanned, NULL));
    }
    for (size_t e = 0; e < m->rows * k; e++) a.distance[e] = knn_distance(&p, a.distance[e]);
    knn_search_free(&s);
    knn_points_free(&p);
    return a;
}

/* Index and distance to the bit. */
static void check_same(const glshape_matrix *m, glshape_metric metric, uint32_t k, const answer *got) {
    uint32_t index[GLSHAPE_KNN_MOST];
    double distance[GLSHAPE_KNN_MOST];
    for (size_t i = 0; i < m->rows; i += 1 + m->rows / 150) {
        ref_knn(metric, m->data, m->rows, m->cols, i, k, index, distance);
        for (size_t a = 0; a < k; a++)
            ck_assert_msg(got->index[i * k + a] == index[a] && got->distance[i * k + a] == distance[a],
                          "%s: neighbor %zu of %zu is %u at %.17g, not %u at %.17g", bench_place(), a, i,
                          got->index[i * k + a], got->distance[i * k + a], index[a], distance[a]);
    }
}

/* By both metrics; when not hunting, by one and the next time by the other. */
static void check_neighbors(kind what, size_t rows, size_t columns, uint32_t k, double scale) {
    static unsigned calls;
    calls++;
    glshape_matrix m = {GLSHAPE_F64, rows, columns, make_points(what, rows, columns, scale)};
    for (glshape_metric metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_MANHATTAN; metric++) {
        if (hunt(calls % 2 != (unsigned)metric, 0)) continue;
        way w = any_way(256);
        bench_where(
            "points %d, %zu × %zu, k %u, metric %d, scale %g, shared %d, both %d, compared %d, page %u", what,
            rows, columns, k, metric, scale, w.shared, w.both, w.compared, w.page);
        answer got = search(&m, metric, k, w);
        check_same(&m, metric, k, &got);
    }
    bench_clear();
}

/* ---- tests ------------------------------------------------------------------------------------- */

START_TEST(test_sizes) {
    static const size_t rows[] = {2, 3, 128, 129, 400}, columns[] = {3, 33, 1};
    for (int r = 0; r < 5; r++)
        for (int c = 0; c < hunt(1, 3); c++) {
            size_t most = rows[r] - 1 < KNN_PAIRS_MOST ? rows[r] - 1 : KNN_PAIRS_MOST;
            check_neighbors((kind)((r + c) % KINDS), rows[r], columns[c], 1 + bench_random() % (uint32_t)most,
                            1);
        }
}
END_TEST

/* Several spans of columns; lists that overflow in every tile. */
START_TEST(test_kinds) {
    for (kind what = 0; what < KINDS; what++) {
        if (hunt(what % 4 == 1, 1)) check_neighbors(what, 900, 5, 10, 1);
        if (hunt(what % 4 == 2, 1)) check_neighbors(what, 900, 2, 128, 1);
    }
}
END_TEST

START_TEST(test_scales) {
    static const double scales[] = {1e-140, 1e-30, 1e-7, 1e20, 1e150};
    for (int s = 0; s < 5; s++) check_neighbors(s & 1 ? FEW : NORMAL, 300, 6, 7, scales[s]);
}
END_TEST

/* Where squares are no doubles any more: powers of two change no neighbor. */
START_TEST(test_extremes) {
    glshape_matrix m = {GLSHAPE_F64, 300, 6, make_points(NORMAL, 300, 6, 1)};
    answer want = search(&m, GLSHAPE_METRIC_EUCLIDEAN, 7, any_way(1024));
    for (int exponent = -990; exponent <= 1020; exponent += 2010) {
        double *x = bench_memory(300 * 6, sizeof *x);
        for (int i = 0; i < 300 * 6; i++) x[i] = ldexp(((double *)m.data)[i], exponent);
        glshape_matrix other = {GLSHAPE_F64, 300, 6, x};
        answer got = search(&other, GLSHAPE_METRIC_EUCLIDEAN, 7, any_way(1024));
        ck_assert(!memcmp(got.index, want.index, 300 * 7 * sizeof *got.index));
        for (int i = 0; i < 300 * 7; i++) ck_assert(got.distance[i] == ldexp(want.distance[i], exponent));
    }
}
END_TEST

/* The last tile overflows some lists, which are swept, and adds to others, which only the last sweep, at once
 * behind that, puts in order. Invocations that do not wait for each other in between lose some, now and then,
 * on hardware: software renderers run them one after the other. */
START_TEST(test_late) {
    enum { ROWS = 256, COLUMNS = 20, K = 10 };
    double *x = make_points(NORMAL, ROWS, COLUMNS, 1);
    glshape_matrix m = {GLSHAPE_F64, ROWS, COLUMNS, x};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < COLUMNS; c++) {
            double center = (i < 128 ? i % 2 : i >= 236) ? 50 : 0;
            x[i * COLUMNS + c] = center + x[i * COLUMNS + c] * (i < 128 ? 1 : 1e-3);
        }
    for (int time = 0; time < 20; time++) {
        answer got = search(&m, GLSHAPE_METRIC_EUCLIDEAN, K, (way){.shared = true, .rows = ROWS});
        bench_where("time %d", time);
        check_same(&m, GLSHAPE_METRIC_EUCLIDEAN, K, &got);
    }
}
END_TEST

/* The GPU compares candidates where its points are those of the matrix: not doubles that it rounds, nor
 * numbers so far apart that some are denormal. */
START_TEST(test_compared) {
    static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                             GLSHAPE_METRIC_CHEBYSHEV};
    gpu *g = test_gpu();
    for (kind what = 0; what < KINDS + 1; what++) {
        glshape_matrix m = {GLSHAPE_F64, 400, 19, make_points(what % KINDS, 400, 19, 1)};
        if (what == KINDS) ((double *)m.data)[7] = 0x1p-130;
        glshape_metric metric = metrics[bench_random() % 3];
        bool whole = what == FLOATS || what == FEW || what == PIXELS;
        knn_points p;
        bench_where("points %d, metric %d", what, metric);
        OK(run_error(run_of(g)), knn_points_new(run_of(g), &ranks_alone, &m, metric, 0, &p));
        OK(run_error(run_of(g)), knn_points_upload(g, &p));
        ck_assert_int_eq(can_compare(g, &p), whole);
        knn_points_free(&p);
        for (int both = 0; both < 2 && whole; both++) {
            uint32_t k = 1 + bench_random() % 20;
            answer got = search(&m, metric, k, (way){both, false, true, 256, 0});
            check_same(&m, metric, k, &got);
        }
        bench_clear();
    }
}
END_TEST

/* Values up to the largest double, whose differences are more, have the neighbors of small ones. */
START_TEST(test_largest) {
    enum { N = 300, K = 4 };
    for (size_t columns = 3; columns < 20; columns += 14) {
        double *large = bench_memory(N * columns, sizeof *large),
               *small = bench_memory(N * columns, sizeof *small);
        for (size_t i = 0; i < N * columns; i++) {
            large[i] = (2 * uniform() - 1) * DBL_MAX;
            small[i] = large[i] * 0x1p-600;
        }
        for (int both = 0; both < 2; both++) {
            way w = {both, false, true, 256, 0};
            answer a = search(&(glshape_matrix){GLSHAPE_F64, N, columns, large}, GLSHAPE_METRIC_EUCLIDEAN, K,
                              w),
                   b = search(&(glshape_matrix){GLSHAPE_F64, N, columns, small}, GLSHAPE_METRIC_EUCLIDEAN, K,
                              w);
            bench_where("%zu columns, both %d", columns, both);
            BENCH_CHECK(bench_same(a.index, b.index, N * K));
        }
        bench_clear();
    }
}
END_TEST

START_TEST(test_wide) {
    check_neighbors(NORMAL, 140, hunt(1500, 5000), 5, 1);
    check_neighbors(PIXELS, 140, 784, 5, 1);
    check_neighbors(FLOATS, 7, hunt(9000, 70000), 3, 1);
    /* With narrow slices the loops would exceed GPU_TURNS. */
    if (hunt(0, 1)) check_neighbors(FEW, 14, 9 * 65537, 2, 1);
}
END_TEST

/* ---- across components ------------------------------------------------------------------------- */

/* The first by (order, index) whose label is not i's. */
static uint32_t nearest_across(const glshape_matrix *m, glshape_metric metric, const uint32_t *label,
                               uint32_t i, double *distance) {
    uint32_t best = KNN_NOTHING;
    double least = 0;
    for (uint32_t j = 0; j < m->rows; j++) {
        const double *x = (const double *)m->data + i * m->cols, *y = (const double *)m->data + j * m->cols;
        double order = 0;
        for (size_t c = 0; c < m->cols; c++)
            order += metric == GLSHAPE_METRIC_MANHATTAN ? fabs(x[c] - y[c]) : (x[c] - y[c]) * (x[c] - y[c]);
        if (label[j] == label[i] || (best != KNN_NOTHING && order >= least)) continue;
        best = j, least = order, *distance = ref_distance(metric, x, y, m->cols);
    }
    return best;
}

/* Every third point is asked for, in portions, by either way of fetching. */
static void check_across(kind what, uint32_t rows, uint32_t columns, uint32_t labels, bool shared) {
    gpu *g = test_gpu();
    error *err = run_error(run_of(g));
    glshape_matrix m = {GLSHAPE_F64, rows, columns, make_points(what, rows, columns, 1)};
    uint32_t *label = bench_memory(rows, sizeof *label), count = 0, to;
    knn_query *queries = bench_memory(rows, sizeof *queries);
    for (uint32_t i = 0; i < rows; i++) label[i] = i < labels ? i : bench_random() % labels;
    for (uint32_t i = 0; i < rows; i += 3) queries[count++] = (knn_query){i, label[i]};
    for (glshape_metric metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_MANHATTAN; metric++) {
        if (hunt(shared != (metric == GLSHAPE_METRIC_MANHATTAN), 0)) continue;
        knn_points p;
        knn_search s;
        size_t scanned = 0;
        bench_where("points %d, %u × %u, %u labels, metric %d, shared %d", what, rows, columns, labels,
                    metric, shared);
        OK(err, knn_points_new(run_of(g), &ranks_alone, &m, metric, 0, &p));
        p.most_page = bench_random() % 3;
        OK(err, knn_search_new(g, &p, 1, true, &s));
        s.shared = shared;
        OK(err, knn_search_across(g, &s, &p, label, NULL));
        knn_candidate *c = bench_memory((size_t)count * s.keep, sizeof *c);
        for (uint32_t first = 0; first < count; first += 70) {
            uint32_t some = count - first < 70 ? count - first : 70, index[70];
            double sum[70], distance = 0;
            OK(err, knn_search_queries(g, &s, &p, queries + first, some, c));
            knn_task task = {.count = some, .queries = queries + first, .label = label, .k = 1};
            task.keep = s.keep;
            task.candidates = c;
            OK(err, knn_decide(g, &p, &s, &task, index, sum, &scanned, NULL));
            for (uint32_t q = 0; q < some; q++) {
                to = nearest_across(&m, metric, label, queries[first + q].point, &distance);
                ck_assert_msg(index[q] == to && knn_distance(&p, sum[q]) == distance,
                              "%s: from %u to %u at %.17g, not %u at %.17g", bench_place(),
                              queries[first + q].point, index[q], knn_distance(&p, sum[q]), to, distance);
            }
        }
        knn_search_free(&s);
        knn_points_free(&p);
    }
    bench_clear();
}

/* All points are asked for at once: each pair is compared once. Labels are drawn, or are those of runs of
 * points. */
static void check_all_across(kind what, uint32_t rows, uint32_t columns, uint32_t labels, bool drawn) {
    gpu *g = test_gpu();
    error *err = run_error(run_of(g));
    glshape_matrix m = {GLSHAPE_F64, rows, columns, make_points(what, rows, columns, 1)};
    uint32_t *label = bench_memory(rows, sizeof *label), *index = bench_memory(rows, sizeof *index);
    knn_query *queries = bench_memory(rows, sizeof *queries);
    double *sum = bench_memory(rows, sizeof *sum), distance = 0;
    knn_points p;
    knn_search s;
    size_t scanned = 0;
    bench_where("points %d, %u × %u, %u labels, drawn %d", what, rows, columns, labels, drawn);
    for (uint32_t i = 0; i < rows; i++) {
        label[i] = i < labels && drawn ? i : drawn ? bench_random() % labels : i * labels / rows;
        queries[i] = (knn_query){i, label[i]};
    }
    OK(err, knn_points_new(run_of(g), &ranks_alone, &m, GLSHAPE_METRIC_EUCLIDEAN, 0, &p));
    OK(err, knn_search_new(g, &p, 1, false, &s));
    ck_assert(s.both);
    OK(err, knn_search_across(g, &s, &p, label, NULL));
    knn_candidate *c = bench_memory((size_t)rows * s.keep, sizeof *c);
    OK(err, knn_search_rows(g, &s, &p, 0, rows));
    OK(err, knn_take(g, &s, 0, rows, c));
    knn_task task = {
        .count = rows, .queries = queries, .label = label, .k = 1, .keep = s.keep, .candidates = c};
    OK(err, knn_decide(g, &p, &s, &task, index, sum, &scanned, NULL));
    for (uint32_t q = 0; q < rows; q++) {
        uint32_t to = nearest_across(&m, GLSHAPE_METRIC_EUCLIDEAN, label, q, &distance);
        ck_assert_msg(index[q] == to && knn_distance(&p, sum[q]) == distance,
                      "%s: from %u to %u at %.17g, not %u at %.17g", bench_place(), q, index[q],
                      knn_distance(&p, sum[q]), to, distance);
    }
    knn_search_free(&s);
    knn_points_free(&p);
    bench_clear();
}

START_TEST(test_all_across) {
    static const uint32_t rows[] = {2, 100, 129, 256, 300, 641, 900};
    for (int r = 0; r < 7; r++)
        for (int drawn = 0; drawn < 2; drawn++)
            check_all_across((kind)((2 * r + drawn + bench_random()) % KINDS), rows[r], hunt(20, 20 + r),
                             2 + (rows[r] > 2) * bench_random() % 9, drawn);
}
END_TEST

/* Wide enough for products, of all kinds: many are not certified by them. */
START_TEST(test_products) {
    for (kind what = 0; what < KINDS; what++) {
        check_neighbors(what, 700, 20, 10, what & 1 ? 1e-30 : 1);
        if (hunt(0, 1)) check_neighbors(what, 500, 33, 128, 1e20);
        if (hunt(0, 1)) check_neighbors(what, 1300, 16, 1, 1);
    }
}
END_TEST

/* As the command does it: a search that certifies too little is repeated in another way. */
START_TEST(test_repeated) {
    enum { ROWS = 1100, COLUMNS = 17, K = 6 };
    glshape_context *c;
    ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &c), GLSHAPE_OK);
    for (kind what = 0; what < KINDS; what++) {
        glshape_matrix m = {GLSHAPE_F64, ROWS, COLUMNS, make_points(what, ROWS, COLUMNS, 1)};
        glshape_knn_result r;
        bench_where("points %d", what);
        ck_assert_int_eq(glshape_knn(c, &m, &(glshape_knn_options){.n_neighbors = K}, &r), GLSHAPE_OK);
        check_same(&m, GLSHAPE_METRIC_EUCLIDEAN, K, &(answer){.index = r.index, .distance = r.distance});
        glshape_knn_free(&r);
        bench_clear();
    }
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

/* Notes that the fraction has not gone back. */
static bool ascends(void *last, double fraction) {
    ck_assert_msg(fraction >= *(double *)last, "%s: progress %g after %g", bench_place(), fraction,
                  *(double *)last);
    *(double *)last = fraction;
    return true;
}

/* Points that the GPU has no room for come in pages: by three metrics, the neighbors of all, and of other
 * rows, are those that are found where it has. */
START_TEST(test_pages) {
    enum { ROWS = 2000, COLUMNS = 200, QUERIES = 300, K = 6, LIMIT = 1000000 };
    glshape_context *c[2];
    double last;
    for (int i = 0; i < 2; i++) {
        glshape_options options = {.device = test_device(), .gpu_memory = i ? LIMIT : 0, .user = &last};
        if (i) options.progress = ascends;
        ck_assert_int_eq(glshape_open(&options, &c[i]), GLSHAPE_OK);
    }
    for (int turn = 0; turn < 6; turn++) {
        glshape_metric metric = (glshape_metric)(turn % 3);
        kind what = metric == GLSHAPE_METRIC_COSINE ? NORMAL : (kind)(bench_random() % KINDS);
        glshape_matrix m = {GLSHAPE_F64, ROWS, COLUMNS, make_points(what, ROWS, COLUMNS, 1)};
        glshape_matrix q = {GLSHAPE_F64, QUERIES, COLUMNS, make_points(what, QUERIES, COLUMNS, 1)};
        glshape_knn_options o = {.n_neighbors = K, .metric = metric, .search = GLSHAPE_SEARCH_PAIRS};
        glshape_knn_result r[2];
        o.queries = turn < 3 ? NULL : &q;
        bench_where("points %d, metric %d, queries %d", what, metric, turn >= 3);
        last = 0;
        for (int i = 0; i < 2; i++)
            ck_assert_msg(!glshape_knn(c[i], &m, &o, &r[i]), "%s: %s", bench_place(),
                          glshape_last_error(c[i]));
        BENCH_CHECK(r[1].gpu_bytes <= LIMIT && fact_of(c[1], "pages of points") > 3);
        BENCH_CHECK(fact_of(c[0], "pages of points") <= 0);
        BENCH_CHECK(bench_same(r[0].index, r[1].index, r[0].n * K));
        BENCH_CHECK(bench_same(r[0].distance, r[1].distance, 2 * r[0].n * K));
        for (int i = 0; i < 2; i++) glshape_knn_free(&r[i]);
        bench_clear();
    }
    for (int i = 0; i < 2; i++) ck_assert_int_eq(glshape_close(c[i]), 0);
}
END_TEST

START_TEST(test_across) {
    for (int shared = 0; shared < 2; shared++) {
        for (kind what = 0; what < KINDS; what++)
            if (hunt(what % 2 == (kind)shared, 1)) check_across(what, 300, 5, 2 + 7 * (what % 3), shared);
        check_across(NORMAL, 130, 33, 130, shared);
        check_across(PIXELS, 7, 20, 2, shared);
        check_across(FLOATS, 2, 1, 2, shared);
    }
}
END_TEST

/* Points that float32 decides are certified by their candidates. The others are compared with all. */
START_TEST(test_scanned) {
    static const struct {
        kind what;
        size_t least, most;
    } cases[] = {{FLOATS, 0, 0}, {FEW, 0, 0}, {SAME, 0, 1000}, {PIXELS, 0, 0}, {NEAR_TIES, 1, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        glshape_matrix m = {GLSHAPE_F64, 1000, 4, make_points(cases[i].what, 1000, 4, 1)};
        answer got = search(&m, GLSHAPE_METRIC_EUCLIDEAN, 8, any_way(1024));
        ck_assert_msg(got.scanned >= cases[i].least && got.scanned <= cases[i].most, "points %d: %zu scanned",
                      cases[i].what, got.scanned);
    }
}
END_TEST

static knn_candidate *candidates(gpu *g, knn_points *p, uint32_t k, bool both, uint32_t *keep) {
    knn_search s;
    OK(run_error(run_of(g)), knn_search_new(g, p, k, false, &s));
    knn_candidate *c = bench_memory((size_t)p->n * s.keep, sizeof *c);
    s.both = both;
    *keep = s.keep;
    OK(run_error(run_of(g)), knn_search_rows(g, &s, p, 0, p->n));
    OK(run_error(run_of(g)), knn_take(g, &s, 0, p->n, c));
    knn_search_free(&s);
    return c;
}

/* The least (sum, index), whichever tile came first, though many are equal. Tiles in order are held to the
 * twin above; here, tiles in any order to them, candidate by candidate, but for the points that have more
 * than their lists hold: they are given up, and have none. */
START_TEST(test_candidates) {
    gpu *g = test_gpu();
    for (kind what = 0; what < KINDS; what += (kind)hunt(2, 1)) {
        uint32_t rows = what == COPIES ? 1900 : 130 + 100 * what, keep, k = what % 2 ? 5 : 99;
        glshape_matrix m = {GLSHAPE_F64, rows, 3, make_points(what, rows, 3, 1)};
        knn_points p;
        OK(run_error(run_of(g)),
           knn_points_new(run_of(g), &ranks_alone, &m, GLSHAPE_METRIC_EUCLIDEAN, 0, &p));
        knn_candidate *a = candidates(g, &p, k, false, &keep), *b = candidates(g, &p, k, true, &keep);
        bench_where("points %d", what);
        uint32_t given_up = 0;
        for (size_t e = 0; e < (size_t)rows * keep; e += keep) {
            if (b[e].index == KNN_NOTHING) given_up++;
            else BENCH_CHECK(bench_same(a + e, b + e, 2 * keep));
        }
        BENCH_CHECK(what == SAME ? given_up < rows : !given_up);
        knn_points_free(&p);
        bench_clear();
    }
}
END_TEST

/* The textbook formulas, to the accuracy that they have. */
START_TEST(test_angular) {
    enum { ROWS = 300, COLUMNS = 12, K = 9 };
    double *x = make_points(NORMAL, ROWS, COLUMNS, 1), distance[K];
    glshape_matrix m = {GLSHAPE_F64, ROWS, COLUMNS, x};
    uint32_t index[K];
    for (glshape_metric metric = GLSHAPE_METRIC_COSINE; metric <= GLSHAPE_METRIC_CORRELATION; metric++) {
        answer got = search(&m, metric, K, any_way(1024));
        for (size_t i = 0; i < ROWS; i++) {
            ref_knn(metric, x, ROWS, COLUMNS, i, K, index, distance);
            for (size_t a = 0; a < K; a++) {
                bench_where("metric %d, neighbor %zu of %zu", metric, a, i);
                BENCH_CHECK(bench_near(got.distance[i * K + a], distance[a], 1e-14));
                BENCH_CHECK(got.index[i * K + a] == index[a]);
            }
        }
    }
}
END_TEST

/* Powers of two change neither cosine nor correlation, not where squares, or values, are no normal doubles.
 */
START_TEST(test_angular_extremes) {
    static const int exponents[] = {-1074, -700, 1000};
    double *whole = make_points(PIXELS, 300, 6, 1);
    glshape_matrix m = {GLSHAPE_F64, 300, 6, whole};
    for (int i = 0; i < 300; i++) whole[6 * i + i % 6] = 1 + i % 5, whole[6 * i + (i + 1) % 6] = 7;
    for (glshape_metric metric = GLSHAPE_METRIC_COSINE; metric <= GLSHAPE_METRIC_CORRELATION; metric++) {
        answer want = search(&m, metric, 7, any_way(1024));
        for (int e = 0; e < 3; e++) {
            double *x = bench_memory(300 * 6, sizeof *x);
            for (int i = 0; i < 300 * 6; i++) x[i] = ldexp(whole[i], exponents[e]);
            glshape_matrix other = {GLSHAPE_F64, 300, 6, x};
            answer got = search(&other, metric, 7, any_way(1024));
            ck_assert(!memcmp(got.index, want.index, 300 * 7 * sizeof *got.index));
            ck_assert(!memcmp(got.distance, want.distance, 300 * 7 * sizeof *got.distance));
        }
    }
}
END_TEST

/* The distance between a row and its multiples is 0, so that their indices order them. */
START_TEST(test_multiples) {
    enum { DIRECTIONS = 60, FACTORS = 9, ROWS = DIRECTIONS * FACTORS, K = FACTORS - 1 };
    double *x = bench_memory(ROWS * 3, sizeof *x);
    for (int r = 0; r < ROWS; r++) {
        int i = r % DIRECTIONS, factor = r / DIRECTIONS + 1;
        x[3 * r] = factor * (7 + i), x[3 * r + 1] = factor * 3, x[3 * r + 2] = factor * (1 + i % 3);
    }
    glshape_matrix m = {GLSHAPE_F64, ROWS, 3, x};
    answer got = search(&m, GLSHAPE_METRIC_COSINE, K, any_way(1024));
    for (int r = 0; r < ROWS; r++)
        for (int a = 0, other = r % DIRECTIONS; a < K; a++, other += DIRECTIONS) {
            other += other == r ? DIRECTIONS : 0;
            bench_where("neighbor %d of %d", a, r);
            BENCH_CHECK(got.distance[r * K + a] == 0 && got.index[r * K + a] == (uint32_t)other);
        }
}
END_TEST

/* 1 + k 2^-52 correlate as the k do. */
START_TEST(test_correlation_of_nearly_constant_rows) {
    enum { ROWS = 200, COLUMNS = 37, K = 5 };
    double *whole = make_points(PIXELS, ROWS, COLUMNS, 1), *x = make_points(PIXELS, ROWS, COLUMNS, 1);
    double distance[K];
    uint32_t index[K];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        whole[i] = bench_random() % 5;
        x[i] = 1 + (whole[i] - 2) * 0x1p-52;
    }
    glshape_matrix m = {GLSHAPE_F64, ROWS, COLUMNS, x};
    answer got = search(&m, GLSHAPE_METRIC_CORRELATION, K, any_way(1024));
    for (size_t i = 0; i < ROWS; i++) {
        ref_knn(GLSHAPE_METRIC_CORRELATION, whole, ROWS, COLUMNS, i, K, index, distance);
        for (size_t a = 0; a < K; a++) {
            bench_where("neighbor %zu of %zu", a, i);
            BENCH_CHECK(bench_near(got.distance[i * K + a], distance[a], 1e-14));
        }
    }
}
END_TEST

/* Rows that are parallel to five digits: float32 would not tell them apart. */
START_TEST(test_nearly_parallel) {
    enum { ROWS = 400, COLUMNS = 20, K = 6 };
    double *x = make_points(NORMAL, ROWS, COLUMNS, 1e-5), distance[K];
    glshape_matrix m = {GLSHAPE_F64, ROWS, COLUMNS, x};
    uint32_t index[K];
    for (size_t i = 0; i < ROWS * COLUMNS; i++) x[i] += 1 + (double)(i % COLUMNS);
    answer got = search(&m, GLSHAPE_METRIC_COSINE, K, any_way(1024));
    ck_assert_uint_eq(got.scanned, 0);
    for (size_t i = 0; i < ROWS; i++) {
        ref_knn(GLSHAPE_METRIC_COSINE, x, ROWS, COLUMNS, i, K, index, distance);
        for (size_t a = 0; a < K; a++) {
            bench_where("neighbor %zu of %zu", a, i);
            BENCH_CHECK(bench_near(got.distance[i * K + a], distance[a], 1e-15));
        }
    }
}
END_TEST

/* Every type of value. */
START_TEST(test_types) {
    enum { ROWS = 50, COLUMNS = 3, K = 4 };
    double *x = bench_memory(ROWS * COLUMNS, sizeof *x);
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = bench_random() % 100;
    glshape_matrix m = {GLSHAPE_F64, ROWS, COLUMNS, x};
#define AS(type, ctype, code)                                                    \
    {                                                                            \
        ctype *y = bench_memory(ROWS * COLUMNS, sizeof *y);                      \
        for (int i = 0; i < ROWS * COLUMNS; i++) y[i] = (ctype)x[i];             \
        glshape_matrix other = {type, ROWS, COLUMNS, y};                         \
        answer got = search(&other, GLSHAPE_METRIC_EUCLIDEAN, K, any_way(1024)); \
        bench_where(code);                                                       \
        check_same(&m, GLSHAPE_METRIC_EUCLIDEAN, K, &got);                       \
    }
    GLSHAPE_TYPES(AS)
}
END_TEST

START_TEST(test_refusals) {
    glshape_context *c;
    glshape_knn_result r;
    float x[] = {0, 1, 2, 3, 4, 5, NAN, 7};
    glshape_matrix m = {GLSHAPE_F32, 3, 2, x}, bad = {GLSHAPE_F32, 4, 2, x}, wide = {GLSHAPE_F32, 2, 3, x},
                   none = {GLSHAPE_F32, 0, 2, x};
    ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &c), GLSHAPE_OK);
    const struct {
        const glshape_matrix *m;
        glshape_knn_options o;
        glshape_status status;
        const char *says;
    } cases[] = {
        {&m, {.n_neighbors = 3}, GLSHAPE_BAD_ARGUMENT, "of 3 rows each has 2 others"},
        {&m, {.n_neighbors = -1}, GLSHAPE_BAD_ARGUMENT, "-1 neighbors"},
        {&m, {.n_neighbors = 1025}, GLSHAPE_BAD_ARGUMENT, "1 to 1024"},
        {&bad, {.n_neighbors = 1}, GLSHAPE_BAD_INPUT, "row 4, column 1 is NaN"},
        {&m, {.n_neighbors = 1, .metric = (glshape_metric)9}, GLSHAPE_BAD_ARGUMENT, "metric 9"},
        {&m, {.search = (glshape_search)3}, GLSHAPE_BAD_ARGUMENT, "no search 3"},
        {&m, {.n_neighbors = 4, .queries = &m}, GLSHAPE_BAD_ARGUMENT, "there are 3 points"},
        {&m, {.n_neighbors = 1, .queries = &wide}, GLSHAPE_BAD_INPUT, "3 columns, but the points have 2"},
        {&m, {.n_neighbors = 1, .queries = &none}, GLSHAPE_BAD_INPUT, "no queries"},
        {&m,
         {.n_neighbors = 1, .queries = &bad},
         GLSHAPE_BAD_INPUT,
         "of the queries, row 4, column 1 is NaN"},
        {&m, {.radius = GLSHAPE_SET(-1)}, GLSHAPE_BAD_ARGUMENT, "the radius is -1"},
        {&m, {.radius = GLSHAPE_SET(NAN)}, GLSHAPE_BAD_ARGUMENT, "the radius is"},
        {&m, {.radius = GLSHAPE_SET(1), .n_neighbors = 2}, GLSHAPE_BAD_ARGUMENT, "2 neighbors and a radius"},
        {&m,
         {.radius = GLSHAPE_SET(1), .search = GLSHAPE_SEARCH_PAIRS},
         GLSHAPE_BAD_ARGUMENT,
         "not by pairs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(glshape_knn(c, cases[i].m, &cases[i].o, &r), cases[i].status);
        ck_assert_msg(strstr(glshape_last_error(c), cases[i].says) != NULL, "%s", glshape_last_error(c));
        ck_assert(!r.index && !r.distance);
    }
    ck_assert_int_eq(glshape_knn(c, &m, &(glshape_knn_options){.n_neighbors = 2}, &r), GLSHAPE_OK);
    ck_assert(r.n == 3 && r.index[0] == 1 && r.index[1] == 2 && r.distance[0] == sqrt(8));
    glshape_knn_free(&r);
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

/* A search that loses a candidate is noticed: not by the bound, but by the twin. */
START_TEST(test_the_tester) {
    glshape_matrix m = {GLSHAPE_F64, 200, 3, make_points(NORMAL, 200, 3, 1)};
    uint32_t index[5];
    double distance[5];
    answer got = search(&m, GLSHAPE_METRIC_EUCLIDEAN, 5, any_way(256));
    ref_knn(GLSHAPE_METRIC_EUCLIDEAN, m.data, 200, 3, 7, 5, index, distance);
    ck_assert(!memcmp(index, got.index + 35, sizeof index));
    ((double *)m.data)[3 * index[2]] += 1e-9;
    ref_knn(GLSHAPE_METRIC_EUCLIDEAN, m.data, 200, 3, 7, 5, index, distance);
    ck_assert(distance[2] != got.distance[37]);
}
END_TEST

Suite *knn_suite(void) {
    Suite *s = suite_create("knn");
    TCase *c = bench_case(s, "knn");
    tcase_set_timeout(c, 180);
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_sizes);
    tcase_add_test(c, test_kinds);
    tcase_add_test(c, test_scales);
    tcase_add_test(c, test_extremes);
    tcase_add_test(c, test_late);
    tcase_add_test(c, test_compared);
    tcase_add_test(c, test_largest);
    tcase_add_test(c, test_wide);
    tcase_add_test(c, test_scanned);
    tcase_add_test(c, test_candidates);
    tcase_add_test(c, test_across);
    tcase_add_test(c, test_pages);
    tcase_add_test(c, test_all_across);
    tcase_add_test(c, test_products);
    tcase_add_test(c, test_repeated);
    tcase_add_test(c, test_angular);
    tcase_add_test(c, test_angular_extremes);
    tcase_add_test(c, test_multiples);
    tcase_add_test(c, test_correlation_of_nearly_constant_rows);
    tcase_add_test(c, test_nearly_parallel);
    tcase_add_test(c, test_types);
    tcase_add_test(c, test_refusals);
    return s;
}
