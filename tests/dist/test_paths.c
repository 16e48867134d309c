/* Shortest paths against Floyd and Warshall's, written the slow and obvious way, and against SciPy's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "dist/paths.h"
#include "io/files.h"
#include "io/graph/graph.h"
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

static dist_paths *open_paths(const glshape_graph *g, int threads) {
    dist_paths *p;
    IO_OK(&err, dist_paths_new(&err, g, threads, &p));
    return p;
}

static void all_rows(const glshape_graph *g, int threads, float *out) {
    uint32_t sources[MOST];
    for (uint32_t v = 0; v < g->nodes; v++) sources[v] = v;
    dist_paths *p = open_paths(g, threads);
    IO_HOLDS(dist_paths_rows(&err, p, sources, g->nodes, out) == GLSHAPE_OK, "%s", err.text);
    dist_paths_free(p);
}

static bool is_near(float got, double expected, bool exact) {
    if (exact || isinf(expected)) return got == (float)expected;
    return fabs(got - expected) <= 2e-7 * expected;
}

START_TEST(rows_are_those_of_floyd_and_warshall) {
    static double d[MOST * MOST];
    static float one[MOST * MOST], many[MOST * MOST];
    for (uint64_t seed = 0; seed < GRAPHS * KINDS; seed++) {
        random_state r = {seed};
        sample s;
        make_sample(&r, (kind)(seed % KINDS), &s);
        size_t n = s.graph.nodes;
        bool exact = seed % KINDS != WIDE;
        floyd_warshall(&s.graph, d);
        all_rows(&s.graph, 1, one);
        for (size_t i = 0; i < n * n; i++)
            IO_HOLDS(is_near(one[i], d[i], exact), "seed %d: from %zu to %zu is %g, not %g", (int)seed, i / n,
                     i % n, (double)one[i], d[i]);
        for (int threads = 2; threads <= 8; threads += 6) {
            all_rows(&s.graph, threads, many);
            IO_HOLDS(!memcmp(one, many, n * n * sizeof *one), "seed %d: %d threads differ", (int)seed,
                     threads);
        }
    }
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
        all_rows(&g.graph, 2, d);
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
        all_rows(&s.graph, 1, d);
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
        all_rows(&s.graph, 1, whole);
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t v = 0, next = 0; v < s.graph.nodes; v++)
                if (of[v] == k) place[v] = next, node_of[next++] = v;
            IO_OK(&err, dist_component(&err, &s.graph, node_of, sizes[k], place, &c));
            all_rows(&c, 2, part);
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

START_TEST(readers_fail_where_there_is_no_path) {
    enum { NODES = 150, ROOM = 200 };
    static size_t start[NODES + 2];
    static uint32_t to[2 * NODES];
    static float out[(NODES + 1) * (NODES + 1)];
    char message[ROOM] = "";
    for (uint32_t v = 0, used = 0; v < NODES; start[++v] = used) {
        if (v > 0) to[used++] = v - 1;
        if (v + 1 < NODES) to[used++] = v + 1;
    }
    start[NODES + 1] = start[NODES];
    glshape_graph path = {NODES, start, to, NULL}, apart = {NODES + 1, start, to, NULL};
    dist_paths *p = open_paths(&path, 2), *q = open_paths(&apart, 2);
    glshape_row_reader read = dist_paths_read;
    ck_assert(read(p, 1, NODES - 1, out, message, ROOM));
    ck_assert(out[0] == 1 && out[(NODES - 2) * NODES] == NODES - 1);
    ck_assert(!read(q, 3, 1, out, message, ROOM) && strstr(message, "between nodes 3 and 150"));
    ck_assert(!read(p, NODES - 1, 2, out, message, ROOM) && strstr(message, "node 150"));
    dist_paths_free(p);
    dist_paths_free(q);
}
END_TEST

static void refuses(const glshape_graph *g, const char *has) {
    dist_paths *p;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, dist_paths_new(&err, g, 1, &p), has);
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
    uint32_t bad = 3;
    float out[3];
    dist_paths *p = open_paths(&(glshape_graph){3, start, to, NULL}, 0);
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, dist_paths_rows(&err, p, &bad, 1, out), "node 3 of a graph of 3");
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
    tcase_add_test(tests, distances_are_those_of_scipy);
    tcase_add_test(tests, components_are_found);
    tcase_add_test(tests, components_are_taken_out);
    tcase_add_test(tests, readers_fail_where_there_is_no_path);
    tcase_add_test(tests, what_is_no_graph_is_refused);
    tcase_add_test(tests, a_missing_partner_is_found);
    suite_add_tcase(suite, tests);
    return suite;
}
