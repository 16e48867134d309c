/* The elder rule in rounds, against one edge after another. */
#include "cubical/joins.h"
#include "prim/bench.h"

/* The oldest component that this one has joined so far. */
static uint32_t root_of(const uint32_t *joined, uint32_t m) {
    while (joined[m] != m) m = joined[m];
    return m;
}

static void end_in_order(const uint64_t *birth, uint32_t count, const joins_edge *edges, size_t edge_count,
                         uint32_t *ended) {
    uint32_t *joined = bench_memory(count, sizeof *joined);
    for (uint32_t m = 0; m < count; m++) joined[m] = m, ended[m] = JOINS_NEVER;
    for (size_t k = 0; k < edge_count; k++) {
        uint32_t a = root_of(joined, edges[k].end[0]), b = root_of(joined, edges[k].end[1]);
        if (a == b) continue;
        uint32_t younger = birth[a] < birth[b] ? b : a;
        joined[younger] = a ^ b ^ younger;
        ended[younger] = edges[k].place;
    }
}

/* Draws births that all differ, and edges: mostly between components that are near, some from one to itself.
 */
static void check(uint32_t count, size_t edge_count, uint32_t near) {
    uint64_t *birth = bench_memory(count, sizeof *birth);
    joins_edge *edges = bench_memory(edge_count, sizeof *edges);
    uint32_t *ended = bench_memory(count, sizeof *ended), *expected = bench_memory(count, sizeof *expected);
    for (uint32_t m = 0; m < count; m++) birth[m] = (uint64_t)(bench_random() % 1000) << 32 | m;
    for (size_t k = 0; k < edge_count; k++) {
        uint32_t a = bench_random() % count, b = (a + bench_random() % near) % count;
        edges[k] = (joins_edge){{a, b}, (uint32_t)(3 * k)};
    }
    end_in_order(birth, count, edges, edge_count, expected);
    error err = {0};
    ck_assert_int_eq(joins_end(&err, birth, count, edges, edge_count, bench_random() & 1, ended), GLSHAPE_OK);
    bench_where("%u components, %zu edges, near %u", count, edge_count, near);
    BENCH_CHECK(bench_same(ended, expected, count));
    bench_clear();
}

START_TEST(small) {
    for (int i = 0; i < hunt(200, 5000); i++)
        check(1 + bench_random() % 40, bench_random() % 100, 1 + bench_random() % 40);
}
END_TEST

/* So many edges are joined in rounds. */
START_TEST(large) {
    for (int i = 0; i < hunt(6, 60); i++)
        check(1000 + bench_random() % 60000, 40000 + bench_random() % 100000, 2 + bench_random() % 900);
    check(100000, 200000, 2);
}
END_TEST

/* A path whose births fall and rise: components wait for one another. */
START_TEST(paths) {
    enum { COUNT = 70000 };
    for (int kind = 0; kind < 4; kind++) {
        uint64_t *birth = bench_memory(COUNT, sizeof *birth);
        joins_edge *edges = bench_memory(COUNT, sizeof *edges);
        uint32_t *ended = bench_memory(COUNT, sizeof *ended);
        for (uint32_t m = 0; m < COUNT; m++) birth[m] = kind & 1 ? m : COUNT - m;
        for (uint32_t k = 0; k + 1 < COUNT; k++) {
            uint32_t at = kind & 2 ? COUNT - 2 - k : k;
            edges[k] = (joins_edge){{at, at + 1}, k};
        }
        error err = {0};
        ck_assert_int_eq(joins_end(&err, birth, COUNT, edges, COUNT - 1, true, ended), GLSHAPE_OK);
        for (uint32_t m = 0; m < COUNT; m++) {
            /* Falling births: m ends where it meets m + 1. Rising: where it meets m - 1. */
            bool oldest = kind & 1 ? m == 0 : m == COUNT - 1;
            uint32_t meets = kind & 1 ? m - 1 : m, place = kind & 2 ? COUNT - 2 - meets : meets;
            bench_where("path %d, component %u", kind, m);
            BENCH_CHECK(ended[m] == (oldest ? JOINS_NEVER : place));
        }
        bench_clear();
    }
}
END_TEST

Suite *cubical_joins_suite(void) {
    Suite *s = suite_create("cubical/joins");
    TCase *c = tcase_create("joins");
    tcase_add_test(c, small);
    tcase_add_test(c, large);
    tcase_add_test(c, paths);
    suite_add_tcase(s, c);
    return s;
}
