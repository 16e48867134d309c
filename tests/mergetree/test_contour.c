/* Contour trees against those of slow twins: a tree is its own, a small triangulated grid has its level sets,
 * and any field has the join and the split tree of its contour tree, or no contour tree. */
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
        glshape_mergetree_result join, want;
        const glshape_mergetree_options o = {.method = (glshape_mergetree_method)method,
                                             .branches_only = true};
        glshape_status status = glshape_contour_and_join(fields_context(), f, o.method, &r, &join);
        if (!status) {
            ck_assert_int_eq(glshape_mergetree(fields_context(), f, &o, &want), GLSHAPE_OK);
            BENCH_CHECK(join.count == want.count && join.n == want.n && join.components == want.components &&
                        join.extrema == want.extrema && join.least == want.least && !join.triplets &&
                        join.greatest_vertex == want.greatest_vertex);
            for (size_t k = 0; k < want.count; k++) {
                const glshape_branch *a = &join.branches[k], *b = &want.branches[k];
                BENCH_CHECK(a->birth == b->birth && a->death == b->death && a->parent == b->parent);
                BENCH_CHECK(bench_same(&a->birth_value, &b->birth_value, 2));
                BENCH_CHECK(bench_same(&a->death_value, &b->death_value, 2));
            }
            glshape_mergetree_free(&want);
        }
        glshape_mergetree_free(&join);
        ck_assert_msg(!status, "%s: %s", glshape_last_error(fields_context()), bench_place());
        BENCH_CHECK(r.n == n);
        check_arcs(&r, n, arcs, count);
        glshape_contour_free(&r);
    }
}

/* ---- trees ------------------------------------------------------------------------------------- */

/* A level set of a tree is a set of points: the contour tree is the tree. So is a forest's. */
START_TEST(trees_and_forests) {
    for (int again = 0; again < hunt(8, 40); again++) {
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
    for (int again = 0; again < hunt(12, 30); again++) {
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

/* ---- any field ----------------------------------------------------------------------------------- */

/* A field on a grid, or (to not NULL) on a graph. Ranks are its values without ties. */
typedef struct problem {
    uint32_t n;
    ref_grid d;
    size_t *start;
    uint32_t *to;
    double *values, *ranks;
} problem;

/* Takes room for so many edges. */
static void new_graph(problem *p, uint32_t edges) {
    p->start = bench_memory(p->n + (size_t)1, sizeof *p->start);
    p->to = bench_memory(2 * (size_t)edges + 1, sizeof *p->to);
}

static void set_graph(problem *p, const uint32_t (*edges)[2], uint32_t count) {
    uint32_t used = 0;
    for (uint32_t v = 0; v < p->n; v++, p->start[v] = used)
        for (uint32_t k = 0; k < count; k++)
            if (edges[k][0] == v || edges[k][1] == v) p->to[used++] = edges[k][edges[k][0] == v];
}

/* Triplets of the join tree, then of the split tree. */
static void find_trees(const problem *p, uint32_t (*out)[3]) {
    for (int split = 0; split < 2; split++)
        ref_mergetree(p->n, p->ranks, split, p->to ? NULL : &p->d, p->start, p->to, out + p->n * split);
}

/* Whether a graph on the same vertices has these trees. */
static bool same_trees(problem *graph, const uint32_t (*edges)[2], uint32_t count,
                       const uint32_t (*want)[3]) {
    uint32_t got[2 * 256][3];
    set_graph(graph, edges, count);
    find_trees(graph, got);
    return !memcmp(got, want, 2 * sizeof *got * graph->n);
}

/* The tree of a code of n - 2 numbers below n (Prüfer): every tree has one. */
static void decode(uint32_t n, uint32_t code, uint32_t (*edges)[2]) {
    uint32_t degree[8], next[8] = {0};
    for (uint32_t v = 0; v < n; v++) degree[v] = 1;
    for (uint32_t k = 0; k + 2 < n; k++, code /= n) degree[next[k] = code % n]++;
    for (uint32_t k = 0; k + 2 < n; k++) {
        uint32_t leaf = 0;
        while (degree[leaf] != 1) leaf++;
        edges[k][0] = leaf, edges[k][1] = next[k];
        degree[leaf]--, degree[next[k]]--;
    }
    uint32_t last = 0;
    for (uint32_t v = 0; v < n; v++)
        if (degree[v]) edges[n - 2][last++] = v;
}

/* Looks at every tree there is. */
static bool any_tree(const problem *p, const uint32_t (*want)[3]) {
    problem tree = *p;
    uint32_t codes = 1, edges[8][2];
    new_graph(&tree, p->n);
    for (uint32_t k = 0; k + 2 < p->n; k++) codes *= p->n;
    for (uint32_t code = 0; code < codes; code++) {
        decode(p->n, code, edges);
        if (same_trees(&tree, (const uint32_t(*)[2])edges, p->n - 1, want)) return true;
    }
    return false;
}

/* The result, all vertices included, has the field's trees; its nodes are what is not regular. */
static void check_right(const problem *p, const uint32_t *sorted, const glshape_contour_result *r,
                        const uint32_t (*want)[3]) {
    problem tree = *p;
    uint32_t edges[256][2], count = 0, last[256], above[256] = {0}, below[256] = {0}, on[256] = {0};
    for (size_t k = 0; k < r->count; k++) last[k] = r->arcs[k].lower;
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t v = sorted[k], arc = r->arc[v];
        if (arc == GLSHAPE_NO_VERTEX) continue;
        edges[count][0] = last[arc], edges[count++][1] = v;
        last[arc] = v, on[arc]++;
    }
    for (size_t k = 0; k < r->count; k++) {
        edges[count][0] = last[k], edges[count++][1] = r->arcs[k].upper;
        BENCH_CHECK(r->arcs[k].regular == on[k]);
    }
    for (uint32_t k = 0; k < count; k++) {
        BENCH_CHECK(before(edges[k][0], edges[k][1]));
        above[edges[k][0]]++, below[edges[k][1]]++;
    }
    for (uint32_t v = 0; v < p->n; v++)
        BENCH_CHECK((r->arc[v] == GLSHAPE_NO_VERTEX) != (above[v] == 1 && below[v] == 1));
    new_graph(&tree, count);
    BENCH_CHECK(same_trees(&tree, (const uint32_t(*)[2])edges, count, want));
}

/* Returns true if the field has a contour tree, and it is right; false if it was refused. Up to 6 vertices of
 * one component it is refused for want of any tree. */
static bool right_or_refused(problem *p, glshape_mergetree_method method) {
    uint32_t sorted[256], want[2 * 256][3];
    glshape_graph graph = {.nodes = p->n, .start = p->start, .to = p->to};
    glshape_field f = p->to ? (glshape_field){.type = GLSHAPE_F64, .values = p->values, .graph = &graph}
                            : fields_of(&p->d, GLSHAPE_F64, p->values);
    glshape_contour_result r;
    values_of = p->values;
    p->ranks = bench_memory(p->n, sizeof *p->ranks);
    for (uint32_t v = 0; v < p->n; v++) sorted[v] = v;
    qsort(sorted, p->n, sizeof *sorted, by_order);
    for (uint32_t k = 0; k < p->n; k++) p->ranks[sorted[k]] = k;
    find_trees(p, want);
    glshape_status status = glshape_contour(fields_context(), &f, method, &r);
    if (status) {
        ck_assert_msg(status == GLSHAPE_BAD_INPUT, "%s", glshape_last_error(fields_context()));
        ck_assert(strstr(glshape_last_error(fields_context()), "no contour tree"));
        if (p->n <= 6) BENCH_CHECK(!any_tree(p, (const uint32_t(*)[3])want));
        return false;
    }
    check_right(p, sorted, &r, (const uint32_t(*)[3])want);
    glshape_contour_free(&r);
    return true;
}

/* A path with more edges: one component. */
static void give_graph(problem *p) {
    uint32_t edges[3 * 256][2], count = 0;
    for (uint32_t v = 1; v < p->n; v++) edges[count][0] = v - 1, edges[count++][1] = v;
    for (uint32_t more = bench_random() % (2 * p->n); more && p->n > 1; more--) {
        uint32_t a = bench_random() % p->n, b = bench_random() % p->n;
        if (a != b) edges[count][0] = a, edges[count++][1] = b;
    }
    new_graph(p, count);
    set_graph(p, (const uint32_t(*)[2])edges, count);
}

/* Few vertices every other time. neighbours 0: a graph. */
static problem random_problem(int dims, int neighbours, bool periodic, int again) {
    problem p = {.d = {.dims = dims, .shape = {1, 1, 1}, .neighbours = neighbours}};
    do {
        for (int i = 0; i < dims; i++) {
            p.d.shape[i] = 1 + bench_random() % (dims == 1 ? 30 : dims == 2 ? 7 : 5);
            p.d.periodic[i] = periodic && bench_random() % 4;
        }
        p.n = fields_count(&p.d);
    } while (again % 2 && p.n > 6);
    if (!neighbours) give_graph(&p);
    uint32_t different = again % 3 ? 1000 : 3;
    p.values = bench_memory(p.n, sizeof *p.values);
    for (uint32_t v = 0; v < p.n; v++) p.values[v] = bench_random() % different;
    return p;
}

/* How many fields of a kind have a contour tree: EITHER is not known from a few. */
typedef enum { ALL, SOME, EITHER } share;

START_TEST(any_field) {
    static const struct {
        int dims, neighbours;
        bool periodic;
        share have;
    } kinds[] = {{1, 2, false, ALL},   {1, 2, true, EITHER},  {2, 4, false, SOME},   {2, 8, false, ALL},
                 {2, 6, false, ALL},   {3, 6, false, SOME},   {3, 18, false, ALL},   {3, 26, false, ALL},
                 {3, 14, false, ALL},  {2, 4, true, EITHER},  {2, 8, true, EITHER},  {2, 6, true, EITHER},
                 {3, 6, true, EITHER}, {3, 18, true, EITHER}, {3, 26, true, EITHER}, {3, 14, true, EITHER},
                 {2, 0, false, SOME}};
    const int fields = hunt(16, 40);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int right = 0, again = 0;
        /* Where both outcomes are possible both must be seen: until then there are more fields, within
         * reason. */
        for (; again < fields || (kinds[i].have == SOME && (right == 0 || right == again) && again < 1000);
             again++) {
            problem p = random_problem(kinds[i].dims, kinds[i].neighbours, kinds[i].periodic, again);
            bench_where("%zu × %zu × %zu, %d neighbours, periodic %d%d%d, case %d", p.d.shape[0],
                        p.d.shape[1], p.d.shape[2], p.d.neighbours, p.d.periodic[0], p.d.periodic[1],
                        p.d.periodic[2], again);
            right += right_or_refused(&p, again % 4 ? GLSHAPE_MERGETREE_BASINS : GLSHAPE_MERGETREE_TRIPLET);
            bench_clear();
        }
        if (kinds[i].have == ALL) BENCH_CHECK(right == again);
        if (kinds[i].have == SOME) BENCH_CHECK(right > 0 && right < again);
    }
}
END_TEST

/* By hand: with 4 neighbours 0, 2 and 5 are extrema, and no tree has them. With Freudenthal's, the default, 2
 * and 4 are summits that meet at 5. */
START_TEST(no_tree) {
    static const double values[6] = {0, 1, 4, 3, 5, 2};
    static const glshape_arc want[3] = {{0, 5, 1, 0, 2}, {5, 2, 0, 2, 4}, {5, 4, 1, 2, 5}};
    glshape_field f = {.type = GLSHAPE_F64, .values = values, .dims = 2, .shape = {2, 3}, .neighborhood = 4};
    glshape_contour_result r;
    ck_assert_int_eq(glshape_contour(fields_context(), &f, GLSHAPE_MERGETREE_AUTO, &r), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(fields_context()), "freudenthal-6"));
    ck_assert(!r.arcs && !r.arc && !r.n);
    f.neighborhood = 0;
    ck_assert_int_eq(glshape_contour(fields_context(), &f, GLSHAPE_MERGETREE_AUTO, &r), GLSHAPE_OK);
    ck_assert(r.count == 3);
    for (int k = 0; k < 3; k++) {
        const glshape_arc *a = &r.arcs[k], *b = &want[k];
        ck_assert(a->lower == b->lower && a->upper == b->upper && a->regular == b->regular);
        ck_assert(a->lower_value == b->lower_value && a->upper_value == b->upper_value);
    }
    glshape_contour_free(&r);
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
    tcase_add_test(t, any_field);
    tcase_add_test(t, no_tree);
    tcase_add_test(t, refusals);
    return s;
}
