/* Shortest paths against Floyd and Warshall's, written the slow and obvious way, and against SciPy's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "dist/paths.h"
#include "dist/row_cache.h"
#include "io/files.h"
#include "io/graph.h"
#include "io/read.h"

Suite *dist_paths_suite(void);

enum { MOST = 40, GRAPHS = 200, MOST_ARCS = 8 * MOST };

/* UNIT: all 1. TIES: 1 to 3. FINE: random floats. WIDE: over so many orders that sums are rounded. */
typedef enum { UNIT, TIES, FINE, WIDE, KINDS } kind;

static error err;

/* A graph with memory for its arrays, as built from edges. */
typedef struct sample {
    glshape_graph graph;
    size_t start[MOST + 1];
    uint32_t to[MOST_ARCS];
    float weight[MOST_ARCS];
} sample;

static float random_length(random_state *r, kind k) {
    if (k == TIES) return (float)(1 + random_below(r, 3));
    if (k == FINE) return (float)(random_unit(r) + 1e-3);
    return (float)pow(10, 12 * random_unit(r) - 8);
}

/* Up to 3 edges a node: loops and several between two nodes among them; rarely connected. */
static void make_sample(random_state *r, kind k, sample *out) {
    uint32_t nodes = 1 + random_below(r, MOST), edges = random_below(r, 3 * nodes), ends[3 * MOST][2];
    float length[3 * MOST];
    *out = (sample){.graph = {.nodes = nodes}};
    for (uint32_t e = 0; e < edges; e++) {
        ends[e][0] = random_below(r, nodes);
        ends[e][1] = random_below(r, nodes);
        length[e] = random_length(r, k);
    }
    size_t used = 0;
    for (uint32_t v = 0; v < nodes; out->start[++v] = used)
        for (uint32_t e = 0; e < edges; e++)
            for (int end = 0; end < 2; end++)
                if (ends[e][end] == v) {
                    out->to[used] = ends[e][1 - end];
                    out->weight[used++] = length[e];
                }
    out->graph.start = out->start;
    out->graph.to = out->to;
    out->graph.weight = k == UNIT ? NULL : out->weight;
}

/* All distances, in double precision. */
static void floyd_warshall(const glshape_graph *g, double *d) {
    size_t n = g->nodes;
    for (size_t i = 0; i < n * n; i++) d[i] = i % (n + 1) ? INFINITY : 0;
    for (size_t u = 0; u < n; u++)
        for (size_t k = g->start[u]; k < g->start[u + 1]; k++)
            d[u * n + g->to[k]] = fmin(d[u * n + g->to[k]], g->weight ? (double)g->weight[k] : 1);
    for (size_t m = 0; m < n; m++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) d[i * n + j] = fmin(d[i * n + j], d[i * n + m] + d[m * n + j]);
}

static dist_paths *open_paths(const glshape_graph *g, int threads, size_t cache) {
    dist_paths *p;
    IO_OK(&err, dist_paths_new(&err, g, threads, cache, &p));
    return p;
}

static void all_rows(const glshape_graph *g, int threads, size_t cache, float *out) {
    uint32_t sources[MOST];
    for (uint32_t v = 0; v < g->nodes; v++) sources[v] = v;
    dist_paths *p = open_paths(g, threads, cache);
    IO_HOLDS(dist_paths_rows(&err, p, sources, g->nodes, out) == GLSHAPE_OK, "%s", err.text);
    IO_HOLDS(dist_paths_counted(p).rows == g->nodes, "rows are not counted");
    dist_paths_free(p);
}

static bool is_near(float got, double expected, bool exact) {
    if (exact || isinf(expected)) return got == (float)expected;
    return fabs(got - expected) <= 2e-7 * expected;
}

START_TEST(rows_are_those_of_floyd_and_warshall) {
    static double d[MOST * MOST];
    static float one[MOST * MOST], many[MOST * MOST];
    int inexact = 0;
    for (uint64_t seed = 0; seed < GRAPHS * KINDS; seed++) {
        random_state r = {seed};
        sample s;
        make_sample(&r, (kind)(seed % KINDS), &s);
        size_t n = s.graph.nodes;
        dist_paths *p = open_paths(&s.graph, 1, 0);
        bool exact = dist_paths_exact(p);
        dist_paths_free(p);
        IO_HOLDS(exact || seed % KINDS == WIDE, "seed %d: sums are said to be inexact", (int)seed);
        inexact += !exact;
        floyd_warshall(&s.graph, d);
        all_rows(&s.graph, 1, 0, one);
        for (size_t i = 0; i < n * n; i++)
            IO_HOLDS(is_near(one[i], d[i], exact), "seed %d: from %zu to %zu is %g, not %g", (int)seed, i / n,
                     i % n, (double)one[i], d[i]);
        for (int threads = 2; threads <= 8; threads += 6) {
            all_rows(&s.graph, threads, 1 << 20, many);
            IO_HOLDS(!memcmp(one, many, n * n * sizeof *one), "seed %d: %d threads differ", (int)seed,
                     threads);
        }
    }
    ck_assert_int_gt(inexact, GRAPHS / 2);
}
END_TEST

/* Asks for the same random pairs, several batches of them, and puts all answers into out. */
static dist_paths_counts ask(const glshape_graph *g, uint64_t seed, int threads, size_t cache, size_t batches,
                             size_t count, uint32_t *i, uint32_t *j, float *out) {
    random_state r = {seed};
    dist_paths *p = open_paths(g, threads, cache);
    for (size_t b = 0; b < batches; b++, i += count, j += count, out += count) {
        for (size_t k = 0; k < count; k++) {
            i[k] = random_below(&r, (uint32_t)g->nodes);
            j[k] = random_below(&r, (uint32_t)g->nodes);
        }
        IO_HOLDS(dist_paths_pairs(&err, p, count, i, j, out) == GLSHAPE_OK, "%s", err.text);
    }
    dist_paths_counts counts = dist_paths_counted(p);
    dist_paths_free(p);
    return counts;
}

START_TEST(pairs_do_not_depend_on_threads_or_cache) {
    enum { BATCHES = 5, COUNT = 60, ALL = BATCHES * COUNT };
    static float rows[MOST * MOST], first[ALL], again[ALL];
    static uint32_t i[ALL], j[ALL];
    static const int threads[] = {1, 2, 8, 1, 8, 3};
    static const size_t kept[] = {0, 0, 0, 1, 3, MOST}; /* rows */
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        random_state r = {seed + 1000};
        sample s;
        make_sample(&r, (kind)(seed % KINDS), &s);
        size_t n = s.graph.nodes;
        all_rows(&s.graph, 1, 0, rows);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            float *out = t ? again : first;
            dist_paths_counts c =
                ask(&s.graph, seed, threads[t], kept[t] * n * sizeof *rows, BATCHES, COUNT, i, j, out);
            IO_HOLDS(c.pairs == ALL && c.rows <= BATCHES * n, "seed %d: wrong counts", (int)seed);
            IO_HOLDS(kept[t] || !c.hits, "seed %d: hits without a cache", (int)seed);
            IO_HOLDS(kept[t] < n || c.rows <= n, "seed %d: a kept row was computed again", (int)seed);
            IO_HOLDS(!t || !memcmp(first, again, sizeof first), "seed %d: setting %zu differs", (int)seed, t);
        }
        for (size_t k = 0; k < ALL; k++) {
            size_t low = i[k] < j[k] ? i[k] : j[k], high = i[k] < j[k] ? j[k] : i[k];
            IO_HOLDS(first[k] == rows[low * n + high], "seed %d: pair %zu, %zu", (int)seed, low, high);
        }
    }
}
END_TEST

/* A path 1 3 4 5 6 7 2 whose short edges vanish beside the long one, unless they are summed first. */
START_TEST(inexact_pairs_are_those_of_the_lower_node) {
    static const uint32_t path[] = {1, 3, 4, 5, 6, 7, 2};
    static const float length[] = {0x1p-54f, 0x1p-54f, 0x1p-54f, 0x1p-54f, 0x1p-24f, 1};
    enum { NODES = 8, EDGES = 6 };
    size_t start[NODES + 1] = {0}, used = 0;
    uint32_t to[2 * EDGES], sources[] = {1, 2}, i[] = {2, 2, 4, 2}, j[] = {3, 4, 2, 1};
    float weight[2 * EDGES], rows[2 * NODES], out[4];
    for (uint32_t v = 0; v < NODES; start[++v] = used)
        for (int e = 0; e < EDGES; e++)
            if (path[e] == v || path[e + 1] == v) {
                to[used] = path[e] == v ? path[e + 1] : path[e];
                weight[used++] = length[e];
            }
    glshape_graph g = {NODES, start, to, weight};
    dist_paths *p = open_paths(&g, 1, 1 << 10);
    ck_assert(!dist_paths_exact(p));
    IO_OK(&err, dist_paths_rows(&err, p, sources, 2, rows));
    ck_assert(rows[2] == 1 + 0x1p-23f && rows[NODES + 1] == 1); /* different sums */
    IO_OK(&err, dist_paths_pairs(&err, p, 4, i, j, out));       /* of 1 and 2, though more ask for 2 */
    ck_assert(out[3] == rows[2]);
    dist_paths_free(p);
    p = open_paths(&g, 1, 1 << 10);
    IO_OK(&err, dist_paths_pairs(&err, p, 3, i, j, out)); /* keeps the row of 2 */
    IO_OK(&err, dist_paths_pairs(&err, p, 1, &i[3], &j[3], out));
    ck_assert(out[0] == rows[2] && dist_paths_counted(p).hits == 0 && dist_paths_counted(p).rows == 2);
    dist_paths_free(p);
}
END_TEST

/* A star, whose every pair can be had from few rows. */
START_TEST(each_row_is_computed_once) {
    enum { LEAVES = 20 };
    size_t start[LEAVES + 2] = {0, LEAVES};
    float out[LEAVES], row[LEAVES + 1];
    uint32_t to[2 * LEAVES], i[LEAVES], j[LEAVES], source = 3;
    for (uint32_t k = 0; k < LEAVES; k++) {
        to[k] = k + 1;
        to[LEAVES + k] = 0;
        start[k + 2] = LEAVES + k + 1;
        i[k] = k;
        j[k] = 7;
    }
    glshape_graph g = {LEAVES + 1, start, to, NULL};
    dist_paths *p = open_paths(&g, 2, 1 << 16);
    IO_OK(&err, dist_paths_pairs(&err, p, LEAVES, i, j, out));
    ck_assert_uint_eq(dist_paths_counted(p).rows, 1); /* that of 7 */
    ck_assert(out[0] == 1 && out[1] == 2 && out[7] == 0);
    IO_OK(&err, dist_paths_pairs(&err, p, LEAVES, j, i, out));
    dist_paths_counts c = dist_paths_counted(p);
    ck_assert(c.rows == 1 && c.hits == LEAVES - 1 && c.pairs == 2 * LEAVES);
    IO_OK(&err, dist_paths_rows(&err, p, &source, 1, row));
    ck_assert(row[3] == 0 && row[0] == 1 && row[4] == 2);
    dist_paths_free(p);
}
END_TEST

START_TEST(rows_in_use_are_not_driven_out) {
    enum { WIDTH = 10, KEPT = 4 };
    row_cache rows;
    IO_OK(&err, row_cache_new(&err, WIDTH, KEPT * WIDTH * sizeof(float) + 39, &rows));
    ck_assert_uint_eq(rows.slots, KEPT);
    row_cache_begin(&rows);
    for (uint32_t r = 0; r < WIDTH; r++) {
        float *row = row_cache_claim(&rows, r);
        ck_assert(!row == (r >= KEPT));
        if (row) row[0] = (float)r;
    }
    for (int batch = 0; batch < 3; batch++) {
        row_cache_begin(&rows);
        for (uint32_t r = 0; r < KEPT; r += 2) ck_assert(row_cache_find(&rows, r)[0] == (float)r);
        float *row = row_cache_claim(&rows, 8 + (uint32_t)batch % 2);
        ck_assert_ptr_nonnull(row);
        *row = 8;
    }
    row_cache_begin(&rows);
    ck_assert(row_cache_find(&rows, 0) && row_cache_find(&rows, 2));
    ck_assert(!row_cache_find(&rows, 1) && !row_cache_find(&rows, 3));
    row_cache_free(&rows);
}
END_TEST

START_TEST(distances_are_those_of_scipy) {
    static const char *const golden[] = {GOLDEN "graphs/hops.npy", GOLDEN "graphs/lengths.npy"};
    static float d[MOST * MOST];
    for (int weighted = 0; weighted < 2; weighted++) {
        io_graph g;
        glshape_matrix m;
        IO_OK(&err, io_read_graph(&err, GOLDEN "graphs/graph.mtx", weighted, &g));
        IO_OK(&err, io_read_matrix(&err, golden[weighted], IO_NPY, &m));
        all_rows(&g.graph, 2, 0, d);
        ck_assert_mem_eq(d, m.data, m.rows * m.cols * sizeof *d);
        io_matrix_free(&m);
        io_graph_free(&g);
    }
}
END_TEST

START_TEST(components_are_found) {
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        static float d[MOST * MOST];
        random_state r = {seed};
        sample s;
        uint32_t of[MOST], count, *sizes, seen[MOST] = {0}, next = 0;
        make_sample(&r, UNIT, &s);
        size_t n = s.graph.nodes;
        IO_OK(&err, dist_components(&err, &s.graph, of, &count, &sizes));
        all_rows(&s.graph, 1, 0, d);
        for (size_t v = 0; v < n; v++) {
            IO_HOLDS(of[v] <= next && of[v] < count, "seed %d: not by the lowest node", (int)seed);
            next += of[v] == next;
            seen[of[v]]++;
            for (size_t u = 0; u < n; u++)
                IO_HOLDS((of[u] == of[v]) == !isinf(d[u * n + v]), "seed %d: %zu and %zu", (int)seed, u, v);
        }
        ck_assert_uint_eq(next, count);
        ck_assert_mem_eq(seen, sizes, count * sizeof *seen);
        free(sizes);
    }
}
END_TEST

/* A component by itself has the distances it has in the whole. */
START_TEST(components_are_taken_out) {
    static float whole[MOST * MOST], part[MOST * MOST];
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        random_state r = {seed};
        sample s;
        uint32_t of[MOST], place[MOST], node_of[MOST], count, *sizes;
        glshape_graph c;
        make_sample(&r, (kind)(seed % WIDE), &s);
        IO_OK(&err, dist_components(&err, &s.graph, of, &count, &sizes));
        all_rows(&s.graph, 1, 0, whole);
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t v = 0, next = 0; v < s.graph.nodes; v++)
                if (of[v] == k) place[v] = next, node_of[next++] = v;
            IO_OK(&err, dist_component(&err, &s.graph, node_of, sizes[k], place, &c));
            all_rows(&c, 2, 0, part);
            for (size_t i = 0; i < (size_t)sizes[k] * sizes[k]; i++) {
                size_t from = node_of[i / sizes[k]], to = node_of[i % sizes[k]];
                IO_HOLDS(part[i] == whole[from * s.graph.nodes + to], "seed %d: component %u", (int)seed, k);
            }
            dist_component_free(&c);
        }
        free(sizes);
    }
}
END_TEST

START_TEST(feeders_fail_where_there_is_no_path) {
    enum { NODES = 150, ROOM = 200 };
    static size_t start[NODES + 2];
    static uint32_t to[2 * NODES];
    static float out[(NODES + 1) * (NODES + 1)];
    char message[ROOM] = "";
    uint32_t i[] = {0, 2}, j[] = {NODES - 1, NODES};
    for (uint32_t v = 0, used = 0; v < NODES; start[++v] = used) {
        if (v > 0) to[used++] = v - 1;
        if (v + 1 < NODES) to[used++] = v + 1;
    }
    start[NODES + 1] = start[NODES];
    glshape_graph path = {NODES, start, to, NULL}, apart = {NODES + 1, start, to, NULL};
    dist_paths *p = open_paths(&path, 2, 0), *q = open_paths(&apart, 2, 0);
    glshape_feeder feed = dist_paths_feed;
    glshape_row_reader read = dist_paths_read;
    ck_assert(feed(p, 1, i, j, out, message, ROOM) && out[0] == NODES - 1);
    ck_assert(read(p, 1, NODES - 1, out, message, ROOM));
    ck_assert(out[0] == 1 && out[(NODES - 2) * NODES] == NODES - 1);
    ck_assert(!feed(q, 2, i, j, out, message, ROOM) && strstr(message, "between nodes 2 and 150"));
    ck_assert(!read(q, 3, 1, out, message, ROOM) && strstr(message, "between nodes 3 and 150"));
    ck_assert(!read(p, NODES - 1, 2, out, message, ROOM) && strstr(message, "node 150"));
    dist_paths_free(p);
    dist_paths_free(q);
}
END_TEST

static void refuses(const glshape_graph *g, const char *has) {
    dist_paths *p;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, dist_paths_new(&err, g, 1, 0, &p), has);
}

START_TEST(what_is_no_graph_is_refused) {
    const size_t start[] = {0, 1, 2, 2}, late[] = {1, 1, 2, 2}, back[] = {0, 2, 1, 2};
    const uint32_t to[] = {1, 0}, far[] = {3, 0}, arc[] = {1, 2};
    const float uneven[] = {1, 2}, zero[] = {1, 0}, none[] = {NAN, 1}, huge[] = {3e38f, 3e38f};
    refuses(&(glshape_graph){0, start, to, NULL}, "a graph of 0 nodes");
    refuses(&(glshape_graph){3, late, to, NULL}, "start at 1, not 0");
    refuses(&(glshape_graph){3, back, to, NULL}, "node 1 of a graph end before they start");
    refuses(&(glshape_graph){3, start, far, NULL}, "from node 0 to node 3 of 3");
    refuses(&(glshape_graph){3, start, arc, NULL},
            "from node 0 to node 1 (counted from 0) has length 1, back inf");
    refuses(&(glshape_graph){3, start, to, uneven}, "has length 1, back 2");
    refuses(&(glshape_graph){3, start, to, zero}, "from node 1 to node 0 (counted from 0) has length 0");
    refuses(&(glshape_graph){3, start, to, none}, "has length nan");
    refuses(&(glshape_graph){3, start, to, huge}, "more than single precision holds");
    uint32_t bad = 3, good = 0;
    float out[3];
    dist_paths *p = open_paths(&(glshape_graph){3, start, to, NULL}, 0, 0);
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, dist_paths_rows(&err, p, &bad, 1, out), "node 3 of a graph of 3");
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, dist_paths_pairs(&err, p, 1, &good, &bad, out), "node 3");
    dist_paths_free(p);
}
END_TEST

START_TEST(a_missing_partner_is_found) {
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        random_state r = {seed};
        sample s;
        make_sample(&r, FINE, &s);
        size_t arcs = s.start[s.graph.nodes], k = random_below(&r, (uint32_t)arcs);
        if (!arcs || (s.start[s.to[k]] <= k && k < s.start[s.to[k] + 1])) continue; /* none, or a loop */
        s.weight[k] *= 1e-6f; /* shorter than edges beside it */
        IO_HOLDS(dist_graph_check(&err, &s.graph) == GLSHAPE_BAD_INPUT, "seed %d: not noticed", (int)seed);
    }
}
END_TEST

Suite *dist_paths_suite(void) {
    Suite *suite = suite_create("dist/paths");
    TCase *tests = tcase_create("paths");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, rows_are_those_of_floyd_and_warshall);
    tcase_add_test(tests, pairs_do_not_depend_on_threads_or_cache);
    tcase_add_test(tests, inexact_pairs_are_those_of_the_lower_node);
    tcase_add_test(tests, each_row_is_computed_once);
    tcase_add_test(tests, rows_in_use_are_not_driven_out);
    tcase_add_test(tests, distances_are_those_of_scipy);
    tcase_add_test(tests, components_are_found);
    tcase_add_test(tests, components_are_taken_out);
    tcase_add_test(tests, feeders_fail_where_there_is_no_path);
    tcase_add_test(tests, what_is_no_graph_is_refused);
    tcase_add_test(tests, a_missing_partner_is_found);
    suite_add_tcase(suite, tests);
    return suite;
}
