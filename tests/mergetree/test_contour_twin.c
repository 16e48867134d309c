/* Contour trees, the bytes of their twin: many small fields of every neighborhood, and fields that are hard
 * for leaves in parallel: paths that zigzag, combs, plateaus. */
#include <stdlib.h>
#include <string.h>

#include "mergetree/fields.h"
#include "reference/contour.h"

/* A field on a grid, or (to not NULL) on a graph. */
typedef struct problem {
    uint32_t n;
    ref_grid d;
    size_t *start;
    uint32_t *to;
    double *values;
} problem;

/* Returns true if there is a contour tree. */
static bool compare(const problem *p, glshape_mergetree_method method) {
    glshape_graph graph = {.nodes = p->n, .start = p->start, .to = p->to};
    glshape_field f = p->to ? (glshape_field){.type = GLSHAPE_F64, .values = p->values, .graph = &graph}
                            : fields_of(&p->d, GLSHAPE_F64, p->values);
    ref_arc *arcs = bench_memory(p->n, sizeof *arcs);
    uint32_t *arc = bench_memory(p->n, sizeof *arc);
    long count = ref_contour(p->n, p->values, p->to ? NULL : &p->d, p->start, p->to, arcs, arc);
    glshape_contour_result r;
    glshape_status status = glshape_contour(fields_context(), &f, method, &r);
    if (count < 0) {
        ck_assert_msg(status == GLSHAPE_BAD_INPUT, "%s: %s", bench_place(),
                      glshape_last_error(fields_context()));
        return false;
    }
    ck_assert_msg(!status, "%s: %s", glshape_last_error(fields_context()), bench_place());
    BENCH_CHECK(r.n == p->n && r.count == (size_t)count);
    for (long k = 0; k < count; k++) {
        const glshape_arc *a = &r.arcs[k];
        BENCH_CHECK(a->lower == arcs[k].lower && a->upper == arcs[k].upper && a->regular == arcs[k].regular);
        BENCH_CHECK(a->lower_value == p->values[a->lower] && a->upper_value == p->values[a->upper]);
    }
    BENCH_CHECK(bench_same(r.arc, arc, p->n));
    glshape_contour_free(&r);
    return true;
}

/* ---- many small fields --------------------------------------------------------------------------- */

/* As many values as this, or a ramp, or a shape of W. */
static double value_at(int kind, uint32_t v) {
    switch (kind) {
        case 0:
            return bench_random() % 1000;
        case 1:
            return bench_random() % 3;
        case 2:
            return 7;
        case 3:
            return v;
        case 4:
            return -(double)v;
        case 5:
            return v % 2 ? 500 + bench_random() % 500 : bench_random() % 500;
        case 6:
            return v % 2 ? 1000 + (double)v : -(double)v;
        default:
            return bench_random() % 2 ? v : bench_random() % 8;
    }
}
enum { KINDS = 8 };

static void fill(problem *p, int kind) {
    p->values = bench_memory(p->n, sizeof *p->values);
    for (uint32_t v = 0; v < p->n; v++) p->values[v] = value_at(kind, v);
}

static problem small_grid(int dims, int neighbours, bool periodic, int kind) {
    problem p = {.d = {.dims = dims, .shape = {1, 1, 1}, .neighbours = neighbours}};
    uint32_t most = dims == 1 ? 60 : dims == 2 ? 9 : 5;
    int thin = (int)(bench_random() % 8); /* an extent of 1 now and then */
    for (int i = 0; i < dims; i++) {
        p.d.shape[i] = thin == i ? 1 : 1 + bench_random() % most;
        p.d.periodic[i] = periodic && bench_random() % 4;
    }
    p.n = fields_count(&p.d);
    fill(&p, kind);
    return p;
}

typedef enum { ALL, SOME } share;

START_TEST(small_fields) {
    static const struct {
        int dims, neighbours;
        bool periodic;
        share have;
    } kinds[] = {{1, 2, false, ALL},  {1, 2, true, SOME},  {2, 4, false, SOME}, {2, 8, false, ALL},
                 {2, 6, false, ALL},  {3, 6, false, SOME}, {3, 18, false, ALL}, {3, 26, false, ALL},
                 {3, 14, false, ALL}, {2, 4, true, SOME},  {2, 8, true, SOME},  {2, 6, true, SOME},
                 {3, 6, true, SOME},  {3, 18, true, SOME}, {3, 26, true, SOME}, {3, 14, true, SOME}};
    const int fields = hunt(20, 2000);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int right = 0;
        for (int again = 0; again < fields; again++) {
            problem p = small_grid(kinds[i].dims, kinds[i].neighbours, kinds[i].periodic, again % KINDS);
            bench_where("%zu × %zu × %zu, %d neighbours, periodic %d%d%d, field %d", p.d.shape[0],
                        p.d.shape[1], p.d.shape[2], p.d.neighbours, p.d.periodic[0], p.d.periodic[1],
                        p.d.periodic[2], again);
            right += compare(&p, again % 16 ? GLSHAPE_MERGETREE_AUTO : GLSHAPE_MERGETREE_TRIPLET);
            bench_clear();
        }
        if (kinds[i].have == ALL) BENCH_CHECK(right == fields);
    }
}
END_TEST

/* ---- large trees ----------------------------------------------------------------------------------- */

/* The contour tree of a field on a tree is the tree, so its shape can be chosen: vertex v hangs on above[v].
 */
static void hang(problem *p, const uint32_t *above) {
    uint32_t *used = bench_memory(p->n, sizeof *used);
    p->start = bench_memory(p->n + (size_t)1, sizeof *p->start);
    p->to = bench_memory(2 * (size_t)p->n, sizeof *p->to);
    for (uint32_t v = 1; v < p->n; v++) used[v]++, used[above[v]]++;
    for (uint32_t v = 0; v < p->n; v++) p->start[v + 1] = p->start[v] + used[v], used[v] = 0;
    for (uint32_t v = 1; v < p->n; v++) {
        p->to[p->start[v] + used[v]++] = above[v];
        p->to[p->start[above[v]] + used[above[v]]++] = v;
    }
}

/* shape 0: a path; 1: a path with a leaf at each vertex; 2: each hangs on one of the last few; 3: on any one;
 * 4: paths of 700; 5: a star of paths; 6: a star. */
enum { SHAPES = 7 };
static uint32_t hangs_on(int shape, uint32_t v) {
    switch (shape) {
        case 0:
            return v - 1;
        case 1:
            return v % 2 ? v - 1 : v - (v > 1 ? 2 : 1);
        case 2:
            return v - 1 - bench_random() % (v < 5 ? v : 5);
        case 3:
            return bench_random() % v;
        case 4:
            return v % 700 ? v - 1 : bench_random() % v;
        case 5:
            return v % 300 ? v - 1 : 0;
        default:
            return 0;
    }
}

/* Each second vertex of a W is high: kinds 5 and 6. */
static problem large_tree(int shape, int kind, uint32_t n) {
    problem p = {.n = n};
    uint32_t *above = bench_memory(n, sizeof *above);
    for (uint32_t v = 1; v < n; v++) above[v] = hangs_on(shape, v);
    hang(&p, above);
    fill(&p, kind);
    return p;
}

START_TEST(large_trees) {
    for (int shape = 0; shape < SHAPES; shape++)
        for (int kind = 0; kind < KINDS; kind++) {
            uint32_t n = 1 + bench_random() % (uint32_t)hunt(40000, 400000);
            problem p = large_tree(shape, kind, n);
            bench_where("a tree of shape %d, %u vertices, values of kind %d", shape, n, kind);
            BENCH_CHECK(compare(&p, GLSHAPE_MERGETREE_AUTO));
            bench_clear();
        }
}
END_TEST

START_TEST(larger_grids) {
    static const int around[5][2] = {{2, 8}, {2, 6}, {3, 14}, {3, 18}, {3, 26}};
    for (int i = 0; i < 5; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            problem p = {.d = {.dims = around[i][0], .shape = {30, 31, 32}, .neighbours = around[i][1]}};
            if (p.d.dims == 2) p.d.shape[0] = 150, p.d.shape[1] = 211, p.d.shape[2] = 1;
            p.n = fields_count(&p.d);
            fill(&p, kind);
            bench_where("a grid of %u vertices, %d neighbours, values of kind %d", p.n, p.d.neighbours, kind);
            BENCH_CHECK(compare(&p, GLSHAPE_MERGETREE_AUTO));
            bench_clear();
        }
}
END_TEST

/* ---- places -------------------------------------------------------------------------------------- */

/* Whether the device has named the arcs of vertices; in parts: the field was done in slabs. */
static bool names_on_device(bool *parts) {
    glshape_stage_facts stages[32];
    int count = glshape_stages(fields_context(), stages, 32);
    bool so = false;
    for (int k = 0; k < count && k < 32; k++)
        if (!strcmp(stages[k].stage, "arcs")) so = stages[k].on_device;
    *parts = fact_of(fields_context(), "planes in a slab") > 0;
    return so;
}

/* With ever less memory: vertices stay on the device, or those of one tree alone, or of none, or the field is
 * done in slabs. A path that turns at almost every vertex has as many nodes: these take more memory than
 * it takes to begin, and threads do them after all. */
START_TEST(less_memory) {
    problem p = {.d = {.dims = 3, .shape = {24, 20, 18}, .neighbours = 14}};
    int on_device = 0, on_cpu = 0, in_parts = 0;
    if (_i) p.d = (ref_grid){.dims = 1, .shape = {9001, 1, 1}, .neighbours = 2};
    p.n = fields_count(&p.d);
    p.values = malloc(p.n * sizeof *p.values);
    for (uint32_t v = 0; v < p.n; v++) p.values[v] = value_at(_i ? 5 : 0, v + v / 9);
    for (uint32_t bytes = 160; bytes >= 16; bytes -= bytes > 60 ? 4 : 8) {
        bool parts;
        fields_limit((size_t)bytes * p.n);
        bench_where("%u bytes a vertex", bytes);
        BENCH_CHECK(compare(&p, GLSHAPE_MERGETREE_AUTO));
        bool here = names_on_device(&parts);
        on_device += here, on_cpu += !here && !parts, in_parts += parts;
        bench_clear();
    }
    free(p.values);
    fields_limit(0);
    ck_assert_msg(on_device && on_cpu && (in_parts || _i), "%d on the device, %d on processors, %d in slabs",
                  on_device, on_cpu, in_parts);
}
END_TEST

Suite *mergetree_contour_twin_suite(void) {
    Suite *s = suite_create("mergetree/contour_twin");
    TCase *t = fields_case(s, "mergetree/contour_twin");
    tcase_add_test(t, small_fields);
    tcase_add_test(t, large_trees);
    tcase_add_test(t, larger_grids);
    tcase_add_loop_test(t, less_memory, 0, 2);
    return s;
}
