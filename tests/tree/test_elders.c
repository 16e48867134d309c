/* The elder rule by passes, over graphs of any kind, beside one edge after another. */
#include <stdlib.h>
#include <string.h>

#include "prim/bench.h"
#include "tree/tree.h"

typedef struct graph {
    uint32_t n, count;
    uint32_t (*edges)[4]; /* {vertex, key, component, component} */
    uint32_t (*birth)[2]; /* {key, vertex} */
    uint32_t vertices, key_bits;
} graph;

static int by_saddle(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : (x[0] > y[0]) - (x[0] < y[0]);
}

static int by_words(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool begins_before(const graph *t, uint32_t a, uint32_t b) {
    const uint32_t *x = t->birth[a], *y = t->birth[b];
    return x[0] < y[0] || (x[0] == y[0] && x[1] < y[1]);
}

static uint32_t root_of(const uint32_t *older, uint32_t v) {
    while (older[v] != v) v = older[v];
    return v;
}

/* Edge by edge. ends: {~ key, ~ vertex, key, vertex} of each component; parent: its own where it does not
 * end. */
static void meet(const graph *t, uint32_t (*ends)[4], uint32_t *parent) {
    uint32_t *older = bench_memory(t->n, sizeof *older), *fallen = bench_memory(t->n, sizeof *fallen),
             falls = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        older[k] = parent[k] = k;
        memcpy(ends[k], (uint32_t[4]){0, 0, t->birth[k][0], t->birth[k][1]}, sizeof ends[k]);
    }
    if (t->count) qsort(t->edges, t->count, sizeof *t->edges, by_saddle);
    for (uint32_t first = 0, end; first < t->count; first = end) {
        uint32_t before = falls;
        for (end = first; end < t->count && !by_saddle(t->edges[first], t->edges[end]); end++) {
            uint32_t a = root_of(older, t->edges[end][2]), b = root_of(older, t->edges[end][3]);
            uint32_t younger = begins_before(t, a, b) ? b : a;
            if (a == b) continue;
            older[younger] = a ^ b ^ younger;
            ends[younger][0] = ~t->edges[end][1], ends[younger][1] = ~t->edges[end][0];
            fallen[falls++] = younger;
        }
        for (; before < falls; before++) parent[fallen[before]] = root_of(older, fallen[before]);
    }
}

static void check(const graph *t) {
    gpu *g = test_gpu();
    gpu_texture edges = {0}, birth = {0};
    tree_elders found;
    uint32_t n = t->n, (*ends)[4] = bench_memory(n, sizeof *ends), *parent = bench_memory(n, sizeof *parent);
    uint32_t(*got)[4] = bench_memory(n, sizeof *got), *given = bench_memory(n, sizeof *given);
    uint32_t *number = bench_memory(t->vertices, sizeof *number), essential = 0;
    BENCH_OK(gpu_texture_new(g, &edges, "edges", GPU_RGBA32UI, t->count, 1));
    BENCH_OK(gpu_texture_new(g, &birth, "births", GPU_RG32UI, n, 1));
    if (t->count) BENCH_OK(gpu_upload(g, &edges, 0, t->count, t->edges));
    BENCH_OK(gpu_upload(g, &birth, 0, n, t->birth));
    meet(t, ends, parent);
    BENCH_OK(
        tree_elders_find(g, &(tree_saddles){&edges, &birth, t->count, n, t->vertices, t->key_bits}, &found));
    BENCH_OK(gpu_download(g, &found.ends, 0, n, got));
    if (n > found.essential) BENCH_OK(gpu_download(g, &found.parent, 0, n - found.essential, given));
    for (uint32_t k = 0; k < n; k++) number[t->birth[k][1]] = k;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t k = number[got[p][3]];
        BENCH_CHECK(!memcmp(got[p], ends[k], sizeof ends[k]));
        BENCH_CHECK(!p || by_words(got[p - 1], got[p]) < 0);
        BENCH_CHECK(parent[k] == (p < found.essential ? k : given[n - 1 - p]));
        essential += parent[k] == k;
    }
    BENCH_CHECK(essential == found.essential);
    tree_elders_free(&found);
    gpu_texture_free(&edges);
    gpu_texture_free(&birth);
}

/* n components, which begin at vertices in any order, and room for edges at the vertices behind these. */
static graph new_graph(uint32_t n, uint32_t count, uint32_t keys) {
    graph t = {n,         count, bench_memory(count, sizeof *t.edges), bench_memory(n, sizeof *t.birth),
               n + count, 1};
    while (keys && t.key_bits < 32 && (keys - 1) >> t.key_bits) t.key_bits++;
    if (!keys) t.key_bits = 32;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = bench_random() % (k + 1);
        t.birth[k][1] = t.birth[at][1];
        t.birth[at][1] = k;
    }
    for (uint32_t k = 0; k < n; k++) t.birth[k][0] = keys ? bench_random() % keys : bench_random();
    return t;
}

/* The key of a vertex. */
static uint32_t key_of(uint32_t v, uint32_t keys) {
    uint32_t x = v * 2654435761u;
    x ^= x >> 15;
    return keys ? x % keys : x;
}

/* Edges between any two, `at_once` at a vertex, of one component. */
START_TEST(random_graphs) {
    for (int i = 0; i < 60; i++) {
        static const uint32_t many_keys[] = {0, 2, 9, 500, 70000};
        uint32_t keys = many_keys[i % 5], n = 1 + bench_random() % (i % 7 ? 3000 : 20), at_once = 1 + i % 3;
        uint32_t count = bench_random() % (i % 4 ? 4 * n : n / 2 + 1);
        graph t = new_graph(n, count, keys);
        bench_where("%u components, %u edges, keys of %u", n, count, keys);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t v = n + k / at_once;
            memcpy(t.edges[k], (uint32_t[4]){v, key_of(v, keys), key_of(v + 1, n), bench_random() % n},
                   sizeof t.edges[k]);
        }
        check(&t);
        bench_clear();
    }
}
END_TEST

/* Paths whose edges rise, fall or neither, of components whose births do; stars, of which all edges lie at
 * one vertex or come in any order; combs. */
START_TEST(shapes) {
    enum { N = 5000 };
    for (int i = 0; i < 36; i++) {
        graph t = new_graph(N, N - 1, 0);
        bool falls = i % 3 == 1, neither = i % 3 == 2;
        int births = i / 3 % 3, shape = i / 9;
        bench_where("shape %d, births %d, edges %d", shape, births, i % 3);
        for (uint32_t k = 0; k < N; k++) {
            if (births < 2) t.birth[k][0] = births ? N - k : k;
        }
        for (uint32_t k = 0; k + 1 < N; k++) {
            uint32_t key = N + (neither ? bench_random() % 1000 : falls ? N - k : k);
            uint32_t v = shape == 3 ? N : N + k, other = shape == 0 ? k : shape == 1 ? k & ~1u : 0;
            if (shape == 1 && k % 2) other = k - 1;
            if (shape == 3) key = N;
            memcpy(t.edges[k], (uint32_t[4]){v, key, k + 1, other}, sizeof t.edges[k]);
        }
        check(&t);
        bench_clear();
    }
}
END_TEST

Suite *tree_elders_suite(void) {
    Suite *s = suite_create("tree/elders");
    TCase *t = bench_case(s, "twin");
    tcase_add_test(t, random_graphs);
    tcase_add_test(t, shapes);
    return s;
}
