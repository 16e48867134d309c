/* Merge trees of values on graphs against sorted union-find. */
#include <stdlib.h>
#include <string.h>

#include "mergetree/fields.h"

/* CSR from edges; loops are left out. */
static glshape_graph graph_of(uint32_t n, size_t count, const uint32_t *i, const uint32_t *j) {
    size_t *start = bench_memory(n + 1, sizeof *start), *at = bench_memory(n, sizeof *at);
    uint32_t *to = bench_memory(2 * count, sizeof *to);
    for (size_t k = 0; k < count; k++)
        if (i[k] != j[k]) start[i[k] + 1]++, start[j[k] + 1]++;
    for (uint32_t v = 0; v < n; v++) start[v + 1] += start[v], at[v] = start[v];
    for (size_t k = 0; k < count; k++)
        if (i[k] != j[k]) to[at[i[k]]++] = j[k], to[at[j[k]]++] = i[k];
    return (glshape_graph){.nodes = n, .start = start, .to = to};
}

static void check(const glshape_graph *graph, uint32_t different) {
    float *values = bench_memory(graph->nodes, sizeof *values);
    double *wide = bench_memory(graph->nodes, sizeof *wide);
    for (size_t v = 0; v < graph->nodes; v++)
        wide[v] = (double)(values[v] = (float)(bench_random() % different));
    glshape_field f = {.type = GLSHAPE_F32, .values = values, .graph = graph};
    ref_grid none = {.dims = 2};
    for (int i = 0; i < 4; i++) {
        glshape_mergetree_options o = {.method = i & 1 ? GLSHAPE_MERGETREE_TRIPLET : GLSHAPE_MERGETREE_BASINS,
                                       .superlevel = i & 2,
                                       .simplify = bench_random() % 3};
        fields_check(&f, &none, wide, &o);
    }
}

/* Several components, vertices without edges, edges twice. */
START_TEST(random_graphs) {
    for (int again = 0; again < hunt(20, 60); again++) {
        uint32_t n = 1 + bench_random() % 400, count = bench_random() % (3 * n);
        uint32_t *i = bench_memory(count, sizeof *i), *j = bench_memory(count, sizeof *j);
        for (uint32_t k = 0; k < count; k++) i[k] = bench_random() % n, j[k] = bench_random() % n;
        glshape_graph graph = graph_of(n, count, i, j);
        check(&graph, again & 1 ? 3 : 1000);
        bench_clear();
    }
}
END_TEST

/* One vertex with more neighbours than an invocation may take turns, and a long path. */
START_TEST(stars_and_paths) {
    enum { N = 66000 };
    for (int star = 0; star < 2; star++) {
        uint32_t *i = bench_memory(N, sizeof *i), *j = bench_memory(N, sizeof *j);
        for (uint32_t k = 0; k + 1 < N; k++) i[k] = star ? N / 2 : k, j[k] = star && k < N / 2 ? k : k + 1;
        glshape_graph graph = graph_of(N, N - 1, i, j);
        check(&graph, 100000);
        bench_clear();
    }
}
END_TEST

START_TEST(refusals) {
    size_t start[3] = {0, 1, 2};
    uint32_t to[2] = {1, 2};
    float values[2] = {0, 0};
    glshape_graph graph = {.nodes = 2, .start = start, .to = to};
    glshape_field f = {.type = GLSHAPE_F32, .values = values, .graph = &graph};
    glshape_mergetree_result r;
    error e = {0};
#define REFUSED(status, ...)                                                         \
    do {                                                                             \
        glshape_status got_ = glshape_mergetree(fields_context(), &f, NULL, &r);     \
        snprintf(e.text, sizeof e.text, "%s", glshape_last_error(fields_context())); \
        FAILS(&e, status, got_, __VA_ARGS__);                                        \
    } while (0)
    REFUSED(GLSHAPE_BAD_INPUT, "from node 1 to node 2 of 2");
    to[1] = 0;
    fields_limit(4);
    REFUSED(GLSHAPE_NO_GPU_MEMORY, "the limit is 4 bytes", "a graph is done in one piece");
    fields_limit(0);
    memcpy(&values[1], "\0\0\xc0\x7f", 4);
    REFUSED(GLSHAPE_BAD_INPUT, "vertex 1", "NaN");
    graph.nodes = 0;
    REFUSED(GLSHAPE_BAD_ARGUMENT, "0 vertices");
}
END_TEST

Suite *mergetree_graphs_suite(void) {
    Suite *s = suite_create("mergetree/graphs");
    TCase *t = fields_case(s, "mergetree/graphs");
    tcase_add_test(t, random_graphs);
    tcase_add_test(t, stars_and_paths);
    tcase_add_test(t, refusals);
    return s;
}
