#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/context.h"
#include "index/index.h"
#include "prim/bench.h"
#include "reference/space.h"

/* ---- points ------------------------------------------------------------------------------------ */

typedef enum {
    UNIFORM,
    LATTICE,   /* whole numbers 0 … 4: most distances are equal */
    SAME,      /* all points are one */
    COPIES,    /* some forty of each point */
    CLUSTERS,  /* of sizes 1e-12 and 1e12 */
    LINE,      /* on a sloped line, rounded */
    OUTLIER,   /* one point is far from all others */
    SLAB,      /* one column is a million times as wide as the others */
    SPHERE,    /* about the first point, which has no near and no far ones */
    DENORMALS, /* squares are 0 */
    KINDS,
    VANISHING /* one point is so far from all others that single precision has 0 for these */
} kind;

static double uniform(void) { return bench_random() * 0x1p-32; }

static double value(kind what, size_t i, size_t c) {
    switch (what) {
        case LATTICE:
            return bench_random() % 5;
        case SAME:
            return 0.1 * (double)c;
        case COPIES:
            return sin((double)(i * 7919 % 13 * 17 + c));
        case CLUSTERS:
            return i % 3 ? 1 + uniform() * 1e-12 : uniform() * 1e12;
        case LINE:
            return (double)i / 40 * (1 + (double)c / 3) + 0.1;
        case OUTLIER:
            return i ? uniform() : 1e200;
        case SLAB:
            return uniform() * (c ? 1e-6 : 1);
        case DENORMALS:
            return bench_random() % 9 * 0x1p-1074;
        case VANISHING:
            return i ? uniform() * 0x1p-200 : 1;
        default:
            return uniform();
    }
}

static double *make_points(kind what, size_t rows, size_t columns) {
    double *x = bench_memory(rows * columns, sizeof *x);
    for (size_t i = 0; i < rows; i++) {
        double length = 0, *row = x + i * columns;
        for (size_t c = 0; c < columns; c++) row[c] = value(what, i, c);
        if (what != SPHERE) continue;
        for (size_t c = 0; c < columns; c++) row[c] -= 0.5, length += row[c] * row[c];
        for (size_t c = 0; c < columns; c++) row[c] = i ? row[c] / sqrt(length) : 0;
    }
    return x;
}

/* ---- an index ---------------------------------------------------------------------------------- */

typedef struct cloud {
    uint32_t n, columns;
    const double *values;
} cloud;

static glshape_status read_row(error *err, const void *user, uint32_t i, double *out) {
    const cloud *c = user;
    (void)err;
    memcpy(out, c->values + (size_t)i * c->columns, c->columns * sizeof *out);
    return GLSHAPE_OK;
}

static spatial_index make_index(const cloud *c, double p) {
    spatial_index x;
    error err;
    OK(&err, index_new(&err, c->n, c->columns, norm_of(p), read_row, c, &x));
    return x;
}

static void check_box(const spatial_index *x, uint32_t v, uint32_t from, uint32_t end) {
    const double *box = x->box + (size_t)v * 2 * x->columns;
    uint32_t least = INDEX_NONE;
    for (uint32_t i = from; i < end; i++) least = x->point[i] < least ? x->point[i] : least;
    BENCH_CHECK(least == x->least[v]);
    for (uint32_t c = 0; c < x->columns; c++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = from; i < end; i++) {
            low = fmin(low, x->row[(size_t)i * x->columns + c]);
            high = fmax(high, x->row[(size_t)i * x->columns + c]);
        }
        BENCH_CHECK(box[2 * c] == low && box[2 * c + 1] == high);
    }
}

/* Every point is there once, and every box is that of its points. */
static void check_index(const spatial_index *x, const cloud *c) {
    uint8_t *met = bench_memory(c->n, 1);
    for (uint32_t i = 0; i < c->n; i++) {
        BENCH_CHECK(x->point[i] < c->n && !met[x->point[i]]++);
        BENCH_CHECK(!memcmp(x->row + (size_t)i * c->columns, c->values + (size_t)x->point[i] * c->columns,
                            c->columns * sizeof(double)));
    }
    for (uint32_t v = 1, first = x->leaves; v < 2 * x->leaves; v++) {
        if (v > 1 && !(v & (v - 1))) first /= 2; /* leaves below a node of this level */
        uint32_t leaf = v * first - x->leaves;
        check_box(x, v, index_leaf_start(x, leaf), index_leaf_start(x, leaf + first));
    }
}

/* The same points as floats, as doubles and by a reader; each makes an index by passes. */
typedef enum { AS_FLOATS, AS_DOUBLES, BY_READER, SOURCES } source_kind;

static glshape_status read_source(error *err, const void *source, uint32_t i, double *out) {
    const index_source *s = source;
    return read_row(err, s->user, i, out);
}

/* per_bucket: few make many buckets of few points. Floats change c's values, which exponent then scales. */
static spatial_index make_by_passes(cloud *c, double *values, double p, source_kind from, uint32_t per_bucket,
                                    int exponent) {
    size_t count = (size_t)c->n * c->columns;
    spatial_index x = {0};
    index_source s = {.n = c->n,
                      .columns = c->columns,
                      .norm = norm_of(p),
                      .reader = read_source,
                      .user = c,
                      .per_bucket = per_bucket};
    float *floats = bench_memory(count, sizeof *floats);
    double *doubles = bench_memory(count, sizeof *doubles);
    for (size_t v = 0; v < count; v++) {
        floats[v] = (float)values[v];
        if (from == AS_DOUBLES && fabs(values[v]) < 0x1p-900) values[v] = 0;
        doubles[v] = values[v];
        if (from == AS_FLOATS) values[v] = ldexp((double)floats[v], exponent);
        if (from == AS_DOUBLES) values[v] = ldexp(doubles[v], exponent);
    }
    if (from != BY_READER) s.exponent = exponent;
    if (from == AS_FLOATS) s.floats = floats;
    if (from == AS_DOUBLES) s.doubles = doubles;
    BENCH_OK(index_make_by_passes(test_gpu(), &s, &x));
    return x;
}

/* p of a norm. For passes it goes by the kind, as their columns do: each pair of these is a variant to be
 * compiled, of which there are few unless tests hunt, and none has pow(). */
static double any_power(kind what, bool by_passes) {
    static const double powers[] = {2, INFINITY, 3, 1, 2, 7, 1.5, 2.5};
    return powers[by_passes ? what % (unsigned)hunt(3, 6) : bench_random() % 8];
}

/* ---- nearest ----------------------------------------------------------------------------------- */

typedef glshape_status (*searcher)(gpu *g, const index_task *task, uint32_t *index, double *sum);

/* queries NULL: the points themselves. */
static void check_nearest(const cloud *c, const cloud *queries, double p, uint32_t k, searcher search,
                          uint32_t step) {
    gpu *g = test_gpu();
    const cloud *q = queries ? queries : c;
    spatial_index x = make_index(c, p), y = {0};
    if (queries) y = make_index(queries, p);
    uint32_t *index = bench_memory((size_t)q->n * k, sizeof *index);
    double *sum = bench_memory((size_t)q->n * k, sizeof *sum);
    ref_neighbor *all = bench_memory(c->n, sizeof *all);
    index_task task = {.x = &x, .queries = queries ? &y : &x, .k = k};
    BENCH_OK(search(g, &task, index, sum));
    for (uint32_t i = 0; i < q->n; i += step) {
        const ref_neighbor *want = all;
        ref_by_sum(c->values, c->n, c->columns, p, q->values + (size_t)i * q->columns, all);
        for (size_t a = 0; a < k; a++, want++) {
            if (!queries && want->index == i) want++;
            ck_assert_msg(index[i * k + a] == want->index && sum[i * k + a] == want->sum,
                          "%s: neighbor %zu of %u is %u at %.17g, not %u at %.17g", bench_place(), a, i,
                          index[i * k + a], sum[i * k + a], want->index, want->sum);
        }
    }
    index_free(&x);
    index_free(&y);
}

static glshape_status nearest_by_threads(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    return index_nearest_on_cpu(run_of(g), task, index, sum);
}

static const searcher ways[] = {nearest_by_threads, index_nearest_by_passes};

static void try_nearest(kind what, uint32_t n, uint32_t columns, uint32_t k, int way) {
    cloud c = {n, columns, make_points(what, n, columns)};
    double p = any_power(what, way);
    bool other = bench_random() & 1;
    cloud q = {1 + n / 3, columns, make_points(other ? what : UNIFORM, 1 + n / 3, columns)};
    if (k > n - !other) k = n - !other;
    bench_where("points %d, %u × %u, k %u, p %g, of others %d, way %d", what, n, columns, k, p, other, way);
    if (k) check_nearest(&c, other ? &q : NULL, p, k, ways[way], 1);
    bench_clear();
}

/* ---- within ------------------------------------------------------------------------------------ */

typedef glshape_status (*counter)(gpu *g, const index_task *task, double most, uint64_t *start);
typedef glshape_status (*finder)(gpu *g, const index_task *task, double most, const uint64_t *start,
                                 uint32_t *index, double *sum);

/* Without sums the same points come in the order of their numbers. */
static void check_points(const index_task *task, double most, const uint64_t *start, const uint32_t *index,
                         finder find) {
    uint32_t n = task->queries->n, *points = bench_memory(start[n] + 1, sizeof *points);
    uint32_t *query = bench_memory(task->x->n, sizeof *query); /* the last one that has each point, from 1 */
    BENCH_OK(find(test_gpu(), task, most, start, points, NULL));
    memset(query, 0, task->x->n * sizeof *query);
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t at = start[i]; at < start[i + 1]; at++) query[index[at]] = i + 1;
        for (uint64_t at = start[i]; at < start[i + 1]; at++) {
            BENCH_CHECK(points[at] < task->x->n && query[points[at]] == i + 1);
            BENCH_CHECK(at == start[i] || points[at - 1] < points[at]);
        }
    }
}

/* All within a sum that some points have, or none, or all; by the CPU and by passes. */
static void check_within(const cloud *c, const cloud *queries, double p, double most, counter count,
                         finder find) {
    const cloud *q = queries ? queries : c;
    spatial_index x = make_index(c, p), y = {0};
    if (queries) y = make_index(queries, p);
    uint64_t *start = bench_memory(q->n + 1, sizeof *start);
    ref_neighbor *want = bench_memory(c->n, sizeof *want);
    index_task task = {.x = &x, .queries = queries ? &y : &x};
    BENCH_OK(count(test_gpu(), &task, most, start));
    uint32_t *index = bench_memory(start[q->n] + 1, sizeof *index);
    double *sum = bench_memory(start[q->n] + 1, sizeof *sum);
    BENCH_OK(find(test_gpu(), &task, most, start, index, sum));
    for (uint32_t i = 0; i < q->n; i++) {
        uint64_t at = start[i];
        ref_by_sum(c->values, c->n, c->columns, p, q->values + (size_t)i * q->columns, want);
        for (uint32_t a = 0; a < c->n && want[a].sum <= most; a++) {
            if (!queries && want[a].index == i) continue;
            BENCH_CHECK(at < start[i + 1] && index[at] == want[a].index && sum[at] == want[a].sum);
            at++;
        }
        BENCH_CHECK(at == start[i + 1]);
    }
    check_points(&task, most, start, index, find);
    index_free(&x);
    index_free(&y);
}

static double any_limit(const cloud *c, double p) {
    ref_neighbor *all = bench_memory(c->n, sizeof *all);
    if (bench_random() % 8 == 0) return bench_random() % 2 ? -1 : INFINITY;
    ref_by_sum(c->values, c->n, c->columns, p, c->values, all);
    return all[bench_random() % c->n].sum;
}

static glshape_status count_by_threads(gpu *g, const index_task *task, double most, uint64_t *start) {
    return index_within_count_on_cpu(run_of(g), task, most, start);
}

static glshape_status find_by_threads(gpu *g, const index_task *task, double most, const uint64_t *start,
                                      uint32_t *index, double *sum) {
    return index_within_on_cpu(run_of(g), task, most, start, index, sum);
}

static const counter counters[] = {count_by_threads, index_within_count_by_passes};
static const finder finders[] = {find_by_threads, index_within_by_passes};

START_TEST(test_within) {
    for (int way = 0; way < 2; way++)
        for (kind what = 0; what < KINDS; what++)
            for (int t = 0; t < hunt(4, 12); t++) {
                uint32_t n = 1 + bench_random() % (t ? 150 : 700), columns = 1 + what % 3u;
                cloud c = {n, columns, make_points(what, n, columns)};
                cloud q = {1 + n / 3, columns, make_points(what, 1 + n / 3, columns)};
                double p = any_power(what, way), most = any_limit(&c, p);
                bool other = bench_random() & 1;
                bench_where("points %d, %u × %u, p %g, within %g, of others %d, way %d", what, n, columns, p,
                            most, other, way);
                check_within(&c, other ? &q : NULL, p, most, counters[way], finders[way]);
                bench_clear();
            }
}
END_TEST

/* Some lists are longer than a group of sort.glsl takes, and some shorter, because a third of the points lies
 * wide apart. */
START_TEST(test_long_lists) {
    cloud c = {2600, 2, make_points(CLUSTERS, 2600, 2)};
    spatial_index x = make_index(&c, 2);
    index_task task = {.x = &x, .queries = &x};
    uint64_t *start = bench_memory(c.n + 1, sizeof *start);
    BENCH_OK(index_within_count_by_passes(test_gpu(), &task, 1, start));
    uint32_t *want = bench_memory(start[c.n], sizeof *want), *got = bench_memory(start[c.n], sizeof *got);
    BENCH_CHECK(start[1] - start[0] < 1024 && start[2] - start[1] > 1024);
    BENCH_OK(find_by_threads(test_gpu(), &task, 1, start, want, NULL));
    BENCH_OK(index_within_by_passes(test_gpu(), &task, 1, start, got, NULL));
    BENCH_CHECK(bench_same(want, got, start[c.n]));
    index_free(&x);
}
END_TEST

/* ---- across components ------------------------------------------------------------------------- */

static int by_reach(const void *a, const void *b) {
    const ref_neighbor *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static glshape_status across_by_threads(gpu *g, const index_crossing *task) {
    return index_across_on_cpu(run_of(g), task);
}

/* alpha 0: there are no core distances. Each query finds its nearest in another component, if that is within
 * the component's limit; and if it is not, no point within the sum that it names. The component's least is
 * found by one of its points. */
static void check_across(kind what, uint32_t n, uint32_t columns, uint32_t components, bool limited,
                         double alpha, glshape_status (*search)(gpu *, const index_crossing *)) {
    cloud c = {n, columns, make_points(what, n, columns)};
    double p = any_power(what, search == index_across_by_passes);
    uint32_t *label = bench_memory(n, sizeof *label), *query = bench_memory(n, sizeof *query),
             *found = bench_memory(n, sizeof *found), count = 0;
    double *sum = bench_memory(n, sizeof *sum), *least = bench_memory(n, sizeof *least);
    atomic_uint_least64_t *nearest = bench_memory(n, sizeof *nearest);
    ref_neighbor *all = bench_memory(n, sizeof *all);
    spatial_index x = make_index(&c, p);
    uint32_t *node_label = bench_memory(2 * (size_t)x.leaves, sizeof *node_label);
    for (uint32_t v = 0; v < n; v++) {
        label[v] = bench_random() % 3 ? v / 20 % components : bench_random() % components;
        if (bench_random() % 4) query[count++] = v;
    }
    for (uint32_t v = 0; v < n; v++) {
        double limit = limited ? uniform() * uniform() : INFINITY;
        least[v] = limit;
        memcpy((void *)&nearest[v], &limit, sizeof limit);
    }
    uint32_t *place = bench_memory(n, sizeof *place);
    for (uint32_t i = 0; i < n; i++) place[x.point[i]] = i;
    index_label_nodes(&x, label, node_label);
    double *core = bench_memory(n, sizeof *core); /* by index */
    index_cores by_position = {bench_memory(n, sizeof *core), alpha}, by_index = {core, alpha};
    for (uint32_t v = 0; v < n; v++) core[v] = bench_random() % 3 ? uniform() / 4 : 0.125;
    for (uint32_t i = 0; i < n; i++) ((double *)by_position.core)[i] = core[x.point[i]];
    atomic_uint_least64_t seen = 0;
    index_crossing task = {
        &x, label, node_label, nearest, count, query, found, sum, alpha > 0 ? &by_position : NULL, &seen};
    BENCH_OK(search(test_gpu(), &task));
    BENCH_CHECK(!seen || search == across_by_threads);
    for (uint32_t q = 0; q < count; q++) {
        uint32_t v = query[q], at = 0;
        ref_by_sum(c.values, n, columns, p, x.row + (size_t)v * columns, all);
        for (uint32_t i = 0; i < n && alpha > 0; i++)
            all[i].sum = index_reach(&by_index, x.point[v], all[i].index, all[i].sum);
        if (alpha > 0) qsort(all, n, sizeof *all, by_reach);
        while (at < n && label[place[all[at].index]] == label[v]) at++;
        if (found[q] == INDEX_NONE) BENCH_CHECK(at == n || sum[q] < all[at].sum);
        else BENCH_CHECK(at < n && found[q] == place[all[at].index] && sum[q] == all[at].sum);
        BENCH_CHECK(found[q] == INDEX_NONE || seen || search != across_by_threads);
        if (at < n && all[at].sum <= least[label[v]]) least[label[v]] = all[at].sum;
    }
    for (uint32_t v = 0; v < components; v++) {
        double now;
        memcpy(&now, (void *)&nearest[v], sizeof now);
        BENCH_CHECK(now == least[v]);
    }
    index_free(&x);
    bench_clear();
}

START_TEST(test_across) {
    static glshape_status (*const ways[])(gpu *, const index_crossing *) = {across_by_threads,
                                                                            index_across_by_passes};
    for (int way = 0; way < 2; way++)
        for (kind what = 0; what < KINDS; what++)
            for (int t = 0; t < hunt(4, 16); t++) {
                uint32_t n = 2 + bench_random() % 200, components = 1 + bench_random() % 9;
                if (components > n) components = n;
                bench_where("points %d, %u × %u, %u components, way %d", what, n, 1 + what % 3u, components,
                            way);
                double alpha = t % 2 ? 0 : way || t % 4 ? 1 : 1.7;
                check_across(what, n, 1 + what % 3u, components, t / 2 & 1, alpha, ways[way]);
            }
}
END_TEST

START_TEST(test_order) {
    for (kind what = 0; what < KINDS; what++)
        for (int t = 0; t < 4; t++) {
            static const uint32_t sizes[] = {1, 13, 24, 700};
            cloud c = {sizes[t], 1 + bench_random() % 5, NULL};
            c.values = make_points(what, c.n, c.columns);
            bench_where("points %d, %u × %u", what, c.n, c.columns);
            spatial_index x = make_index(&c, 2);
            check_index(&x, &c);
            index_free(&x);
            bench_clear();
        }
}
END_TEST

/* The index by passes is as sound as that of the CPU, and no worse; searches in both find the same. */
static void try_made(kind what, uint32_t n, uint32_t columns, source_kind from, uint32_t per_bucket) {
    double *values = make_points(what, n, columns);
    cloud c = {n, columns, values};
    bench_where("points %d by passes, %u × %u, source %d, buckets of %u", what, n, columns, from, per_bucket);
    for (uint32_t v = 0; what == OUTLIER && from == AS_FLOATS && v < columns; v++) values[v] = 1e30;
    spatial_index x = make_by_passes(&c, values, 2, from, per_bucket, (int)(bench_random() % 5) - 2),
                  y = make_index(&c, 2);
    const uint32_t k = n > 9 ? 8 : n > 1 ? 1 : 0;
    size_t count = (size_t)n * k;
    uint32_t *index = bench_memory(count + 1, sizeof *index), *other = bench_memory(count + 1, sizeof *index);
    double *sum = bench_memory(count + 1, sizeof *sum), *distance = bench_memory(count + 1, sizeof *sum);
    bool are_distances = false;
    index_task made = {.x = &x, .queries = &x, .k = k, .distances = &are_distances, .exponent = 1};
    if (k) {
        BENCH_OK(index_nearest_by_passes(test_gpu(), &made, index, distance));
        BENCH_OK(index_nearest_on_cpu(run_of(test_gpu()), &(index_task){.x = &y, .queries = &y, .k = k},
                                      other, sum));
        BENCH_CHECK(are_distances && !x.row); /* nothing came down but the results */
    }
    for (size_t e = 0; e < count; e++) BENCH_CHECK(index[e] == other[e] && distance[e] == sqrt(sum[e]) * 2);
    BENCH_OK(index_bring(test_gpu(), &x));
    check_index(&x, &c);
    if (what != DENORMALS) /* whose keys are all 0 */
        BENCH_CHECK(index_cost(&x, 10 < n ? 10 : n) < 2.5 * index_cost(&y, 10 < n ? 10 : n) + 64);
    index_free(&x);
    index_free(&y);
    bench_clear();
}

START_TEST(test_made_by_passes) {
    static const uint32_t sizes[] = {1, 2, 13, 24, 700, 3000}, columns[] = {3, 2, 5, 1, 16};
    for (kind what = 0; what < KINDS; what++)
        for (int t = hunt((int)what % 2, 0); t < 6; t += hunt(2, 1))
            try_made(what, sizes[t], columns[what % (unsigned)hunt(2, 5)],
                     (source_kind)((what + (unsigned)t) % SOURCES), t % 2 ? 24 : 0);
    /* Six have each source with each number of buckets, which is enough for a second driver. */
    for (kind what = 0; what < (is_second_driver() ? 6 : KINDS); what++)
        try_made(what, 40000 + bench_random() % 60000, 1 + what % 3u, (source_kind)(what % SOURCES),
                 what % 2 ? 0 : 100);
    try_made(VANISHING, 700, 3, BY_READER, 0);
    try_made(VANISHING, 80000, 2, AS_DOUBLES, 100);
}
END_TEST

static double uncertain_queries(void) {
    static glshape_fact facts[64];
    int count = run_facts(run_of(test_gpu()), facts, 64);
    for (int i = 0; i < count && i < 64; i++)
        if (strstr(facts[i].name, "uncertain")) return facts[i].value;
    return -1;
}

/* Single precision leaves few queries uncertain, wherever the points lie; ties it cannot decide. */
START_TEST(test_uncertain) {
    enum { N = 3000, K = 10, FEW = N / 100 };
    static uint32_t index[N * K];
    static double sum[N * K];
    for (int t = 0; t < 8; t++) {
        double *values = make_points(t == 6 ? LATTICE : UNIFORM, N, 3);
        cloud c = {N, 3, values};
        spatial_index x;
        for (size_t v = 0; v < 3 * N; v++) /* far off; in clusters that are far from each other */
            if (t < 6)
                values[v] =
                    values[v] * (t & 1 ? 1e-7 : 1) + (t & 2 ? 0.7 : 0) + (t & 4 ? (double)(v / 3 % 5) : 0);
        bench_where("points of test %d", t);
        gpu_begin_method(test_gpu());
        x = make_by_passes(&c, values, 2, t == 7 ? AS_FLOATS : AS_DOUBLES, 0, 0);
        BENCH_OK(
            index_nearest_by_passes(test_gpu(), &(index_task){.x = &x, .queries = &x, .k = K}, index, sum));
        double uncertain = uncertain_queries();
        BENCH_CHECK(t == 6 ? uncertain > N / 2 : uncertain >= 0 && uncertain < FEW);
        index_free(&x);
        bench_clear();
    }
}
END_TEST

/* So many that there are buckets. */
START_TEST(test_buckets) {
    for (kind what = 0; what < KINDS; what++) {
        uint32_t columns = 1 + what % 5u, n = 40000 + bench_random() % 60000;
        cloud c = {n, columns, make_points(what, n, columns)};
        bench_where("many points %d, %u × %u", what, n, columns);
        spatial_index x = make_index(&c, 2);
        ck_assert_uint_gt(x.buckets, 1);
        check_index(&x, &c);
        index_free(&x);
        bench_clear();
    }
}
END_TEST

START_TEST(test_nearest_on_cpu) {
    for (kind what = 0; what < KINDS; what++)
        for (uint32_t columns = 1; columns <= 16; columns++)
            try_nearest(what, 1 + bench_random() % 200, columns, 1 + bench_random() % 40, 0);
}
END_TEST

/* One column count a kind, as each is a variant to be compiled. */
START_TEST(test_nearest_by_passes) {
    static const uint32_t columns[] = {2, 5, 3, 1, 2, 16, 3, 2, 3, 1};
    for (kind what = 0; what < KINDS; what++) {
        uint32_t c = columns[what % hunt(2, KINDS)];
        if (hunt(what % 2 == 0, 1)) try_nearest(what, 150, c, 7, 1);
        if (hunt(what % 2, 1)) try_nearest(what, 1 + bench_random() % 150, c, 40, 1);
        for (int t = 0; t < hunt(0, 4); t++)
            try_nearest(what, 1 + bench_random() % 400, c, 1 + bench_random() % 70, 1);
    }
}
END_TEST

/* A device that has no fast doubles: candidates are compared in whole numbers, and what is uncertain is the
 * processors'. */
START_TEST(test_without_doubles) {
    static const uint32_t columns[] = {2, 3, 1, 5};
    int on_device = 0, left = 0; /* large coordinates are left to the processors */
    for (kind what = 0; what < KINDS; what++)
        for (int t = 0; t < hunt(1, 4); t++) {
            uint32_t n = 40 + bench_random() % 400, d = columns[(what + (unsigned)t) % (unsigned)hunt(2, 4)],
                     k = 1 + bench_random() % 31;
            cloud c = {n, d, make_points(what, n, d)}, q = {30, d, make_points(what, 30, d)};
            bench_where("points %d, %u × %u, k %u, without doubles", what, n, d, k);
            gpu_set_exact(test_gpu(), false);
            gpu_begin_method(test_gpu());
            check_nearest(&c, t % 2 ? &q : NULL, 2, k, index_nearest_by_passes, 1);
            *(uncertain_queries() >= 0 ? &on_device : &left) += 1;
            gpu_set_exact(test_gpu(), true);
            bench_clear();
        }
    BENCH_CHECK(on_device > 3 * left);
}
END_TEST

/* The center of a circle must look at every point: its walk takes several dispatches. */
START_TEST(test_long_walks) {
    enum { N = 20000 };
    double *x = bench_memory(2 * N, sizeof *x);
    for (int i = 1; i < N; i++) x[2 * i] = cos(i), x[2 * i + 1] = sin(i);
    cloud c = {N, 2, x};
    for (int way = 0; way < 2; way++) {
        bench_where("a circle, way %d", way);
        check_nearest(&c, NULL, 2, 3, ways[way], N);
        check_within(&c, &(cloud){1, 2, x}, 2, 1, counters[way], finders[way]);
    }
}
END_TEST

/* Walks that look at most of many wide points: with the loops over their columns they take more turns than a
 * dispatch of a software renderer counts. */
START_TEST(test_wide_walks) {
    enum { N = 6000, COLUMNS = 40, STEP = 97 };
    cloud c = {N, COLUMNS, make_points(UNIFORM, N, COLUMNS)};
    bench_where("wide points");
    check_nearest(&c, NULL, 2, 7, index_nearest_by_passes, STEP);
}
END_TEST

/* What a search looks at does not grow with the number of points, but for its logarithm, whatever the points.
 */
START_TEST(test_cost) {
    static const kind kinds[] = {UNIFORM, LATTICE, SAME, COPIES, CLUSTERS, LINE, OUTLIER, SLAB};
    for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++)
        for (uint32_t columns = 1; columns <= 3; columns++) {
            cloud c = {100000, columns, make_points(kinds[t], 100000, columns)};
            spatial_index x = make_index(&c, 2);
            double seen = index_cost(&x, 5);
            ck_assert_msg(seen < 700, "points %d of %u columns: %g looked at", kinds[t], columns, seen);
            index_free(&x);
        }
}
END_TEST

/* ---- methods ----------------------------------------------------------------------------------- */

/* Hunts name the device, so that small inputs, too, are compared there. */
static glshape_context *context(void) {
    static glshape_context *open;
    glshape_options o = {.device = getenv("GLSHAPE_TEST_HUNT") ? test_device() : NULL};
    if (!open) ck_assert_int_eq(glshape_open(&o, &open), GLSHAPE_OK);
    return open;
}

#define DONE(expr) ck_assert_msg((expr) == GLSHAPE_OK, "%s: %s", bench_place(), glshape_last_error(context()))

/* knn on a device without fast doubles, of floats and doubles: the index and the walks are by passes, and the
 * bytes are the same. Points of a lattice are left to the processors. */
START_TEST(test_knn_without_doubles) {
    enum { N = 3000, K = 7 };
    glshape_context *c;
    glshape_stage_facts stages[16];
    ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &c), GLSHAPE_OK);
    for (int t = 0; t < 4; t++) {
        double *x = make_points(t < 2 ? UNIFORM : LATTICE, N, 3);
        float *floats = bench_memory(3 * N, sizeof *floats);
        for (int v = 0; v < 3 * N; v++) floats[v] = (float)x[v];
        glshape_matrix m = {t % 2 ? GLSHAPE_F32 : GLSHAPE_F64, N, 3, t % 2 ? (void *)floats : x};
        glshape_knn_options o = {.n_neighbors = K, .search = GLSHAPE_SEARCH_INDEX};
        glshape_knn_result r[2];
        int on_device = 0;
        bench_where("points of test %d", t);
        for (int exact = 0; exact < 2; exact++) {
            gpu_set_exact(context_gpu(c), exact);
            ck_assert_msg(!glshape_knn(c, &m, &o, &r[exact]), "%s", glshape_last_error(c));
            int count = glshape_stages(c, stages, 16);
            for (int s = 0; s < count && !exact; s++)
                on_device += (!strcmp(stages[s].stage, "index") || !strcmp(stages[s].stage, "walks")) &&
                             stages[s].on_device;
        }
        BENCH_CHECK(on_device == 2);
        BENCH_CHECK(bench_same(r[0].index, r[1].index, K * N) &&
                    bench_same(r[0].distance, r[1].distance, 2 * K * N));
        for (int k = 0; k < 2; k++) glshape_knn_free(&r[k]);
        bench_clear();
    }
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

/* All within the radius, as far as lists of the k nearest show them. */
static void check_radius(const glshape_source *source, const glshape_knn_result *nearest, uint32_t k,
                         double radius) {
    glshape_knn_result within;
    glshape_knn_options o = {.radius = GLSHAPE_SET(isinf(radius) ? 1e300 : radius)};
    DONE(glshape_knn_source(context(), source, &o, &within));
    for (size_t i = 0; i < source->points->rows; i++) {
        size_t count = within.start[i + 1] - within.start[i], shown = count < k ? count : k;
        BENCH_CHECK(bench_same(nearest->index + i * k, within.index + within.start[i], shown));
        BENCH_CHECK(bench_same(nearest->distance + i * k, within.distance + within.start[i], 2 * shown));
        BENCH_CHECK(count >= k || nearest->distance[i * k + count] > o.radius.value);
    }
    glshape_knn_free(&within);
}

/* The k nearest by pairs and through an index; and all within a distance that occurs, unless of many points
 * with many copies, where it would be all pairs. */
static void check_neighbors(const glshape_source *source, uint32_t k) {
    glshape_knn_result pairs, space;
    glshape_knn_options o = {.n_neighbors = (int)k, .search = GLSHAPE_SEARCH_PAIRS};
    size_t n = source->points->rows;
    DONE(glshape_knn_source(context(), source, &o, &pairs));
    o.search = GLSHAPE_SEARCH_INDEX;
    DONE(glshape_knn_source(context(), source, &o, &space));
    BENCH_CHECK(bench_same(pairs.index, space.index, n * k));
    BENCH_CHECK(bench_same(pairs.distance, space.distance, 2 * n * k));
    const double *row = pairs.distance + bench_random() % n * k;
    if (n < 20000 || row[0] < row[k - 1]) check_radius(source, &pairs, k, row[bench_random() % k]);
    glshape_knn_free(&pairs);
    glshape_knn_free(&space);
}

/* The spanning tree and the clusters by pairs and through an index. */
static void check_trees(const glshape_source *source, int neighbors, int samples) {
    size_t n = source->points->rows;
    glshape_linkage_result a, b;
    glshape_hdbscan_result c, d;
    glshape_linkage_options o = {.n_neighbors = neighbors, .search = GLSHAPE_SEARCH_PAIRS};
    glshape_hdbscan_options h = {.min_samples = samples, .search = GLSHAPE_SEARCH_PAIRS};
    DONE(glshape_linkage(context(), source, &o, &a));
    DONE(glshape_hdbscan(context(), source, &h, &c));
    o.search = h.search = GLSHAPE_SEARCH_INDEX;
    DONE(glshape_linkage(context(), source, &o, &b));
    DONE(glshape_hdbscan(context(), source, &h, &d));
    BENCH_CHECK(bench_same(a.edges, b.edges, 2 * (n - 1)) && bench_same(a.merges, b.merges, 8 * (n - 1)));
    BENCH_CHECK(bench_same(c.merges, d.merges, 8 * (n - 1)) && bench_same(c.core, d.core, 2 * n));
    BENCH_CHECK(bench_same(c.labels, d.labels, n));
    glshape_linkage_free(&a);
    glshape_linkage_free(&b);
    glshape_hdbscan_free(&c);
    glshape_hdbscan_free(&d);
}

/* Random points of all kinds: the same bytes by pairs and through an index. On hardware some are so many that
 * passes walk. */
START_TEST(test_same_by_pairs) {
    for (int turn = 0, turns = hunt(KINDS, 70); turn < turns; turn++) {
        kind what = (kind)(turn % KINDS);
        size_t n = 3 + bench_random() % 400, columns = 1 + bench_random() % 16;
        if (bench_random() % 50 == 0 && !gpu_is_software(test_gpu())) n += 20000;
        glshape_matrix m = {GLSHAPE_F64, n, columns, make_points(what, n, columns)};
        glshape_source source = {.points = &m};
        uint32_t most = n - 1 < 100 ? (uint32_t)n - 1 : 100, k = 1 + bench_random() % most;
        int neighbors = 1 + (int)(bench_random() % (most < 20 ? most : 20)),
            samples = 1 + (int)(bench_random() % most);
        bench_where("points %d, %zu × %zu, k %u, lists of %d, samples %d", what, n, columns, k, neighbors,
                    samples);
        check_neighbors(&source, k);
        check_trees(&source, neighbors, samples);
        bench_clear();
    }
}
END_TEST

static glshape_status refuse_row(error *err, const void *user, uint32_t i, double *out) {
    (void)user, (void)out;
    return i == 3 ? fail(err, GLSHAPE_BAD_INPUT, "row 3 is bad") : GLSHAPE_OK;
}

START_TEST(test_reader_fails) {
    spatial_index x = {0};
    error err;
    FAILS(&err, GLSHAPE_BAD_INPUT, index_new(&err, 10, 2, norm_of(2), refuse_row, NULL, &x), "row 3 is bad");
    ck_assert(!x.row);
}
END_TEST

Suite *index_suite(void) {
    Suite *s = suite_create("index");
    TCase *c = bench_case(s, "index");
    tcase_set_timeout(c, 180);
    tcase_add_test(c, test_order);
    tcase_add_test(c, test_buckets);
    tcase_add_test(c, test_made_by_passes);
    tcase_add_test(c, test_uncertain);
    tcase_add_test(c, test_nearest_on_cpu);
    tcase_add_test(c, test_nearest_by_passes);
    tcase_add_test(c, test_without_doubles);
    tcase_add_test(c, test_knn_without_doubles);
    tcase_add_test(c, test_within);
    tcase_add_test(c, test_long_lists);
    tcase_add_test(c, test_across);
    tcase_add_test(c, test_long_walks);
    tcase_add_test(c, test_wide_walks);
    tcase_add_test(c, test_cost);
    tcase_add_test(c, test_same_by_pairs);
    tcase_add_test(c, test_reader_fails);
    return s;
}
