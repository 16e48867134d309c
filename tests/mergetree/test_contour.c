/* Contour trees against those of slow twins: a tree is its own, and a small triangulated grid has its level
 * sets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mergetree/fields.h"

static const double *values_of; /* for before(): qsort takes no more */

static bool before(uint32_t a, uint32_t b) {
    return values_of[a] != values_of[b] ? values_of[a] < values_of[b] : a < b;
}

static uint32_t find(uint32_t *sets, uint32_t v) {
    while (sets[v] != v) v = sets[v];
    return v;
}

/* ---- comparison -------------------------------------------------------------------------------- */

/* above, below: of each vertex, how many arcs of the tree with all vertices go there, and one of these. Every
 * arc is walked from its lower node up; what lies on the way is what the result says; no arc is left over. */
static void check_arcs(const glshape_contour_result *r, uint32_t n, const uint32_t (*arcs)[2],
                       uint32_t count) {
    uint32_t *above = bench_memory(n, 4), *below = bench_memory(n, 4), *next = bench_memory(n, 4);
    size_t nodes = 0, used = 0, on = 0;
    for (uint32_t k = 0; k < count; k++)
        above[arcs[k][0]]++, below[arcs[k][1]]++, next[arcs[k][0]] = arcs[k][1];
#define REGULAR(v) (above[v] == 1 && below[v] == 1)
    for (uint32_t v = 0; v < n; v++) {
        nodes += !REGULAR(v);
        BENCH_CHECK((r->arc[v] == GLSHAPE_NO_VERTEX) == !REGULAR(v));
    }
    for (uint32_t k = 0; k < count; k++) {
        if (REGULAR(arcs[k][0])) continue;
        uint32_t top = arcs[k][1], regular = 0, at = 0;
        for (; REGULAR(top); top = next[top]) regular++;
        while (at < r->count && (r->arcs[at].lower != arcs[k][0] || r->arcs[at].upper != top)) at++;
        BENCH_CHECK(at < r->count && r->arcs[at].regular == regular);
        BENCH_CHECK(r->arcs[at].lower_value == values_of[arcs[k][0]] &&
                    r->arcs[at].upper_value == values_of[top]);
        for (uint32_t v = arcs[k][1]; v != top; v = next[v]) BENCH_CHECK(r->arc[v] == at), on++;
        used++;
    }
    BENCH_CHECK(used == r->count && nodes + on == n);
    for (size_t k = 1; k < r->count; k++)
        BENCH_CHECK(r->arcs[k - 1].lower < r->arcs[k].lower ||
                    (r->arcs[k - 1].lower == r->arcs[k].lower && r->arcs[k - 1].upper < r->arcs[k].upper));
}

static void check(const glshape_field *f, uint32_t n, const uint32_t (*arcs)[2], uint32_t count) {
    for (int method = 1; method < 3; method++) {
        glshape_contour_result r;
        glshape_status status = glshape_contour(fields_context(), f, (glshape_mergetree_method)method, &r);
        ck_assert_msg(!status, "%s: %s", glshape_last_error(fields_context()), bench_place());
        BENCH_CHECK(r.n == n);
        check_arcs(&r, n, arcs, count);
        glshape_contour_free(&r);
    }
}

/* ---- trees ------------------------------------------------------------------------------------- */

/* A level set of a tree is a set of points: the contour tree is the tree. So is a forest's. */
START_TEST(trees_and_forests) {
    for (int again = 0; again < 40; again++) {
        uint32_t n = 1 + bench_random() % 300, (*arcs)[2] = bench_memory(n, sizeof *arcs), count = 0;
        size_t *start = bench_memory(n + 1, sizeof *start);
        uint32_t *to = bench_memory(2 * n, sizeof *to), used = 0;
        double *values = bench_memory(n, sizeof *values);
        for (uint32_t v = 0; v < n; v++) values[v] = bench_random() % (again % 2 ? 4 : 1000);
        values_of = values;
        for (uint32_t v = 1; v < n; v++) {
            uint32_t w = again % 3 ? bench_random() % v : v - 1; /* or a path */
            if (again % 5 == 0 && bench_random() % 9 == 0) continue;
            arcs[count][0] = before(v, w) ? v : w, arcs[count++][1] = before(v, w) ? w : v;
        }
        for (uint32_t v = 0; v < n; v++, start[v] = used)
            for (uint32_t k = 0; k < count; k++)
                if (arcs[k][0] == v || arcs[k][1] == v) to[used++] = arcs[k][arcs[k][0] == v];
        glshape_graph graph = {.nodes = n, .start = start, .to = to};
        glshape_field f = {.type = GLSHAPE_F64, .values = values, .graph = &graph};
        bench_where("%u vertices, %u edges, case %d", n, count, again);
        check(&f, n, (const uint32_t(*)[2])arcs, count);
        bench_clear();
    }
}
END_TEST

/* ---- grids ------------------------------------------------------------------------------------- */

typedef struct level {
    uint32_t n, (*edges)[2], count;
    uint32_t *sets; /* of edges: those that cross one part of the level set */
} level;

static bool adjacent(const ref_grid *d, uint32_t a, uint32_t b) {
    uint32_t near[26];
    for (int i = ref_neighbours(d, a, near); i-- > 0;)
        if (near[i] == b) return true;
    return false;
}

static uint32_t edge_between(const level *l, uint32_t a, uint32_t b) {
    uint32_t e = 0;
    while (l->edges[e][0] != (before(a, b) ? a : b) || l->edges[e][1] != (before(a, b) ? b : a)) e++;
    return e;
}

static bool crosses(const level *l, uint32_t e, uint32_t v) {
    return !before(v, l->edges[e][0]) && before(v, l->edges[e][1]);
}

/* The parts of the level set just above v: edges that cross it, joined across the triangles that they share.
 */
static void find_parts(const ref_grid *d, level *l, uint32_t v) {
    for (uint32_t e = 0; e < l->count; e++) l->sets[e] = e;
    for (uint32_t e = 0; e < l->count; e++) {
        uint32_t a = l->edges[e][0], b = l->edges[e][1], near[26];
        if (!crosses(l, e, v)) continue;
        for (int i = ref_neighbours(d, a, near); i-- > 0;) {
            if (near[i] == b || !adjacent(d, near[i], b)) continue;
            uint32_t f = edge_between(l, a, near[i]), g = edge_between(l, b, near[i]);
            l->sets[find(l->sets, crosses(l, f, v) ? f : g)] = find(l->sets, e);
        }
    }
}

/* The tree with all vertices: of each part of each level, the vertex where it began below; v ends the parts
 * that its edges from below cross, and begins those that its edges to above cross. */
static uint32_t reeb(const ref_grid *d, level *l, const uint32_t *sorted, uint32_t (*arcs)[2]) {
    uint32_t count = 0, *last = bench_memory(l->count, 4), *now = bench_memory(l->count, 4);
    for (uint32_t k = 0; k < l->n; k++) {
        uint32_t v = sorted[k];
        uint32_t first = count; /* arcs that end at v, each once */
        for (uint32_t e = 0; e < l->count; e++) {
            if (l->edges[e][1] != v) continue;
            uint32_t from = last[e], at = first;
            while (at < count && now[at] != find(l->sets, e)) at++;
            if (at < count) continue;
            now[count] = find(l->sets, e);
            arcs[count][0] = from, arcs[count++][1] = v;
        }
        find_parts(d, l, v);
        for (uint32_t e = 0; e < l->count; e++) {
            if (l->edges[e][0] != v) continue;
            for (uint32_t f = 0; f < l->count; f++)
                if (crosses(l, f, v) && find(l->sets, f) == find(l->sets, e)) last[f] = v;
        }
        /* an edge that only now crosses a part that v has nothing to do with cannot be */
    }
    return count;
}

static int by_order(const void *a, const void *b) {
    return before(*(const uint32_t *)a, *(const uint32_t *)b) ? -1 : 1;
}

/* Freudenthal's triangles and tetrahedra. */
START_TEST(level_sets) {
    for (int again = 0; again < 30; again++) {
        ref_grid d = {.dims = 2 + again % 2, .shape = {1, 1, 1}, .neighbours = again % 2 ? 14 : 6};
        for (int i = 0; i < d.dims; i++) d.shape[i] = 1 + bench_random() % (d.dims == 2 ? 7 : 4);
        uint32_t n = fields_count(&d), *sorted = bench_memory(n, 4),
                 (*arcs)[2] = bench_memory(9 * n, sizeof *arcs);
        double *values = bench_memory(n, sizeof *values);
        level l = {.n = n, .edges = bench_memory(9 * n, sizeof *l.edges), .sets = bench_memory(9 * n, 4)};
        for (uint32_t v = 0; v < n; v++) values[v] = bench_random() % (again % 3 ? 100 : 3), sorted[v] = v;
        values_of = values;
        qsort(sorted, n, sizeof *sorted, by_order);
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t w = 0; w < n; w++)
                if (before(v, w) && adjacent(&d, v, w)) l.edges[l.count][0] = v, l.edges[l.count++][1] = w;
        uint32_t count = reeb(&d, &l, sorted, arcs);
        glshape_field f = fields_of(&d, GLSHAPE_F64, values);
        bench_where("%zu × %zu × %zu, case %d", d.shape[0], d.shape[1], d.shape[2], again);
        BENCH_CHECK(count == n - 1);
        check(&f, n, (const uint32_t(*)[2])arcs, count);
        bench_clear();
    }
}
END_TEST

START_TEST(refusals) {
    float values[6] = {0, 1, 2, 3, 4, NAN};
    glshape_field f = {.type = GLSHAPE_F32, .values = values, .dims = 2, .shape = {2, 3}};
    glshape_contour_result r;
    ck_assert_int_eq(glshape_contour(fields_context(), &f, GLSHAPE_MERGETREE_AUTO, &r), GLSHAPE_BAD_INPUT);
    f.shape[0] = 0;
    ck_assert_int_eq(glshape_contour(fields_context(), &f, GLSHAPE_MERGETREE_AUTO, &r), GLSHAPE_BAD_ARGUMENT);
    ck_assert(!r.arcs && !r.arc && !r.n);
}
END_TEST

Suite *mergetree_contour_suite(void) {
    Suite *s = suite_create("mergetree/contour");
    TCase *t = fields_case(s, "mergetree/contour");
    tcase_add_test(t, trees_and_forests);
    tcase_add_test(t, level_sets);
    tcase_add_test(t, refusals);
    return s;
}
