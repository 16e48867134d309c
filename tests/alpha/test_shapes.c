/* Shapes, the best of them, and persistence, against the definitions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "alpha/fixture.h"

/* ---- one shape --------------------------------------------------------------------------------- */

static void check_classes(const pair *p, const glshape_alpha_shape *s, bool regularized) {
    for (uint32_t v = 0; v < p->got.n; v++)
        HOLDS(s->vertex[v] == ref_alpha_vertex(&p->want, s->rank, regularized, v));
    for (uint32_t e = 0; e < p->got.edge_count; e++)
        HOLDS(s->edge[e] == ref_alpha_edge(&p->want, s->rank, regularized, p->edge[e]));
    for (uint32_t t = 0; t < p->got.triangle_count; t++)
        HOLDS(s->triangle[t] ==
              (p->want.triangle_ranks[t] <= s->rank ? GLSHAPE_ALPHA_INTERIOR : GLSHAPE_ALPHA_EXTERIOR));
}

static double cross_of(const double *xy, uint32_t a, uint32_t b, uint32_t c) {
    const double *p = xy + 2 * a, *q = xy + 2 * b, *r = xy + 2 * c;
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static double triangle_area(const pair *p, const uint32_t *component_of, uint32_t component) {
    double area = 0;
    for (uint32_t t = 0; t < p->got.triangle_count; t++) {
        const uint32_t *v = p->got.triangles + 3 * t;
        if (component_of[t] == component) area += cross_of(p->xy, v[0], v[1], v[2]) / 2;
    }
    return area;
}

/* Signed; no point twice; the least first. *length goes up by the ring's. */
static double ring_area(const pair *p, const glshape_alpha_shape *s, size_t ring, double *length) {
    size_t from = s->ring_start[ring], to = s->ring_start[ring + 1];
    double area = 0;
    HOLDS(to >= from + 3);
    for (size_t i = from; i < to; i++) {
        uint32_t a = s->ring[i], b = s->ring[i + 1 < to ? i + 1 : from];
        area += cross_of(p->xy, s->ring[from], a, b) / 2;
        *length += hypot(p->xy[2 * b] - p->xy[2 * a], p->xy[2 * b + 1] - p->xy[2 * a + 1]);
        HOLDS(i == from || a > s->ring[from]);
        for (size_t k = from; k < i; k++) HOLDS(s->ring[k] != a);
    }
    return area;
}

/* Every regular edge of triangles is on one ring, once, and nothing else is. */
static void check_sides(const pair *p, const glshape_alpha_shape *s) {
    bool *seen = bench_memory(p->got.edge_count, sizeof *seen);
    memset(seen, 0, p->got.edge_count);
    for (size_t r = 0; r < s->rings; r++)
        for (size_t i = s->ring_start[r]; i < s->ring_start[r + 1]; i++) {
            uint32_t a = s->ring[i], b = s->ring[i + 1 < s->ring_start[r + 1] ? i + 1 : s->ring_start[r]];
            size_t e = 0;
            while (e < p->got.edge_count &&
                   (p->got.edges[2 * e] != (a < b ? a : b) || p->got.edges[2 * e + 1] != (a < b ? b : a)))
                e++;
            HOLDS(e < p->got.edge_count && !seen[e] && s->edge[e] == GLSHAPE_ALPHA_REGULAR);
            seen[e] = true;
        }
    for (size_t e = 0; e < p->got.edge_count; e++) HOLDS(seen[e] == (s->edge[e] == GLSHAPE_ALPHA_REGULAR));
}

static void check_components(const pair *p, const glshape_alpha_shape *s) {
    uint32_t *label = bench_memory(p->got.triangle_count, sizeof *label);
    HOLDS(s->components == ref_alpha_components(&p->want, s->rank, label));
    HOLDS(bench_same(s->component_of, label, p->got.triangle_count));
    size_t rings = 0;
    for (uint32_t k = 0; k < s->components; k++) {
        const glshape_alpha_component *c = &s->component[k];
        double want = triangle_area(p, label, k), sum = 0, length = 0;
        HOLDS(c->first_ring == rings && c->rings >= 1);
        for (size_t r = 0; r < c->rings; r++) {
            double area = ring_area(p, s, c->first_ring + r, &length);
            HOLDS(r ? area < 0 : area > 0);
            HOLDS(r < 2 || s->ring[s->ring_start[rings + r]] >= s->ring[s->ring_start[rings + r - 1]]);
            sum += area;
        }
        HOLDS(bench_near(sum, want, 1e-9 * want) && bench_near(c->area, want, 1e-9 * want));
        HOLDS(bench_near(c->perimeter, length, 1e-9 * length));
        rings += c->rings;
    }
    HOLDS(rings == s->rings);
}

static void check_at(const pair *p, uint32_t rank, bool regularized) {
    glshape_alpha_shape s;
    ck_assert_msg(!glshape_alpha_at(family_context(), &p->got, rank, regularized, &s), "%s", bench_place());
    HOLDS(s.rank == rank && s.radius == p->got.radii[rank]);
    check_classes(p, &s, regularized);
    check_components(p, &s);
    check_sides(p, &s);
    glshape_alpha_shape_free(&s);
}

/* ---- queries ----------------------------------------------------------------------------------- */

/* At radii, and just beside them. */
static void check_ranks(const pair *p) {
    for (uint32_t k = 0; k < 2 * p->got.ranks; k++) {
        double alpha = k & 1 ? p->got.radii[k / 2 + 1] : 0.5 * (bench_random() % 30 + 1);
        const double near[3] = {nextafter(alpha, 0), alpha, nextafter(alpha, INFINITY)};
        for (int i = 0; i < 3; i++) {
            uint32_t rank;
            ck_assert(!glshape_alpha_rank(family_context(), &p->got, near[i], &rank));
            HOLDS(rank == ref_alpha_rank(&p->want, near[i]));
        }
    }
    uint32_t all, none;
    ck_assert(!glshape_alpha_rank(family_context(), &p->got, INFINITY, &all) && all == p->got.ranks);
    ck_assert(!glshape_alpha_rank(family_context(), &p->got, 0, &none) && none == 0);
}

static void check_optimal(const pair *p) {
    for (uint32_t most = 1; most < 4; most++) {
        uint32_t rank;
        glshape_status status = glshape_alpha_optimal(family_context(), &p->got, most, &rank);
        HOLDS(status == (p->got.triangle_count ? GLSHAPE_OK : GLSHAPE_BAD_INPUT));
        HOLDS(status || rank == ref_alpha_optimal(&p->want, most));
    }
}

static int by_words(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(uint32_t)); }

static uint32_t rank_of(const pair *p, double radius) {
    uint32_t rank = 0;
    while (rank < p->got.ranks && p->got.radii[rank] != radius) rank++;
    return isinf(radius) ? UINT32_MAX : rank;
}

/* Integers of few bits: doubles tell their radii apart. */
static void check_persistence(const pair *p) {
    glshape_interval *intervals;
    size_t count;
    ck_assert(!glshape_alpha_persistence(family_context(), &p->got, &intervals, &count));
    uint32_t(*want)[3] = bench_memory(p->got.n + 2 * p->got.triangle_count + 1, sizeof *want);
    uint32_t(*got)[3] = bench_memory(count + 1, sizeof *got);
    HOLDS(count == ref_alpha_persistence(&p->want, want));
    for (size_t k = 0; k < count; k++) {
        const glshape_interval *i = &intervals[k];
        got[k][0] = (uint32_t)i->dim;
        got[k][1] = rank_of(p, i->birth);
        got[k][2] = rank_of(p, i->death);
        HOLDS(!k || intervals[k - 1].dim < i->dim ||
              (i->dim ? intervals[k - 1].birth >= i->birth : intervals[k - 1].death <= i->death));
    }
    qsort(got, count, sizeof *got, by_words);
    qsort(want, count, sizeof *want, by_words);
    HOLDS(bench_same(got, want, 3 * count));
    free(intervals);
}

static void check(const double *xy, uint32_t n, bool every) {
    pair p;
    family_new(&p, xy, n);
    uint32_t ranks = (uint32_t)p.got.ranks, step = every ? 1 : ranks / 6 + 1;
    for (uint32_t rank = 0; rank <= ranks; rank += step)
        for (int regularized = 0; regularized < 2; regularized++) check_at(&p, rank, regularized);
    check_at(&p, ranks, true);
    check_ranks(&p);
    check_optimal(&p);
    check_persistence(&p);
    family_done(&p);
}

/* Many ties, and rings that touch themselves. */
START_TEST(integers) {
    static const uint32_t sides[] = {4, 6, 9, 25, 100};
    for (int i = 0; i < hunt(20, 60); i++) {
        uint32_t n = i % 25 ? 35 + bench_random() % 6 : 1 + bench_random() % 12, side = sides[i % 5];
        bench_where("set %d: %u integers below %u", i, n, side);
        check(family_integers(n, side), n, i % 10 == 0);
        bench_clear();
    }
}
END_TEST

/* A square ring of points, closed at a corner only: at the radius of its squares a hole touches the outside.
 */
START_TEST(touching_rings) {
    double xy[60];
    uint32_t n = 0;
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            if (!(x == 2 && y > 0 && y < 4) && !(y == 2 && x > 0 && x < 4))
                xy[2 * n] = x, xy[2 * n++ + 1] = y;
    bench_where("ring of squares");
    check(xy, n, true);
}
END_TEST

/* The annulus: one hole; its interval is the longest of dimension 1. */
START_TEST(annulus) {
    enum { N = 60 };
    double xy[2 * N];
    pair p;
    for (int k = 0; k < N; k++) {
        xy[2 * k] = round(1000 * (4 + k % 2) * cos(k * 6.283185 / N));
        xy[2 * k + 1] = round(1000 * (4 + k % 2) * sin(k * 6.283185 / N));
    }
    bench_where("annulus");
    family_new(&p, xy, N);
    uint32_t rank;
    glshape_alpha_shape s;
    ck_assert(!glshape_alpha_optimal(family_context(), &p.got, 1, &rank));
    ck_assert(!glshape_alpha_at(family_context(), &p.got, rank, true, &s));
    HOLDS(s.components == 1 && s.rings == 2);
    glshape_alpha_shape_free(&s);
    check_persistence(&p);
    family_done(&p);
}
END_TEST

/* ---- sizes that single precision has not, and slivers ------------------------------------------- */

/* A power of two changes no pair, and each birth and death by itself alone. */
START_TEST(scales) {
    enum { N = 40 };
    static const int powers[] = {-400, -150, 130, 400};
    pair p, q;
    double *xy = family_integers(N, 100), scaled[2 * N];
    glshape_interval *want, *got;
    size_t count, same;
    bench_where("scales");
    family_run(&p, xy, N);
    ck_assert(!glshape_alpha_persistence(family_context(), &p.got, &want, &count));
    HOLDS(count > N);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2 * N; k++) scaled[k] = ldexp(p.xy[k], powers[i]);
        family_run(&q, scaled, N);
        ck_assert(!glshape_alpha_persistence(family_context(), &q.got, &got, &same));
        HOLDS(same == count);
        for (size_t k = 0; k < count; k++)
            HOLDS(got[k].birth == ldexp(want[k].birth, powers[i]) && got[k].birth < got[k].death &&
                  got[k].death == ldexp(want[k].death, powers[i]));
        free(got);
        family_done(&q);
    }
    free(want);
    family_done(&p);
}
END_TEST

/* Long thin triangles: integers of 62 bits hold twice their areas, doubles of their products do not. */
START_TEST(slivers) {
    enum { N = 30 };
    double xy[2 * N];
    pair p;
    glshape_alpha_shape s;
    for (int set = 0; set < 20; set++) {
        int64_t far = (INT64_C(1) << 25) + bench_random() % 1000, x[N], y[N], area = 0;
        for (int k = 0; k < N; k++) {
            x[k] = far * k + bench_random() % 3, y[k] = 3 * far * k + bench_random() % 3;
            xy[2 * k] = (double)x[k], xy[2 * k + 1] = (double)y[k];
        }
        bench_where("slivers %d", set);
        family_run(&p, xy, N);
        ck_assert(!glshape_alpha_at(family_context(), &p.got, (uint32_t)p.got.ranks, false, &s));
        for (size_t t = 0; t < p.got.triangle_count; t++) {
            const uint32_t *v = p.got.triangles + 3 * t;
            area += (x[v[1]] - x[v[0]]) * (y[v[2]] - y[v[0]]) - (y[v[1]] - y[v[0]]) * (x[v[2]] - x[v[0]]);
        }
        HOLDS(s.components == 1 && fabs(s.component[0].area - (double)area / 2) <= 1e-13 * (double)area);
        glshape_alpha_shape_free(&s);
        family_done(&p);
    }
}
END_TEST

/* An annulus of 2^400, and a point at 1e-300: its area is that of the small annulus, its outer ring comes
 * first. */
START_TEST(far_apart) {
    enum { N = 24 };
    double xy[2 * N + 2];
    double area[3];
    static const int powers[] = {0, 400, 660};
    pair p;
    for (int big = 0; big < 3; big++) {
        for (int k = 0; k < N; k++) {
            xy[2 * k] = ldexp(round(100 * (4 + 2 * (k % 2)) * cos(k * 6.283185 / N)) + 9000, powers[big]);
            xy[2 * k + 1] = ldexp(round(100 * (4 + 2 * (k % 2)) * sin(k * 6.283185 / N)), powers[big]);
        }
        xy[2 * N] = xy[2 * N + 1] = big ? 1e-300 : 0;
        bench_where("far apart %d", big);
        family_run(&p, xy, N + 1);
        uint32_t rank;
        glshape_alpha_shape s;
        ck_assert(!glshape_alpha_rank(family_context(), &p.got, ldexp(250, powers[big]), &rank));
        ck_assert(!glshape_alpha_at(family_context(), &p.got, rank, true, &s));
        HOLDS(s.components == 1 && s.rings == 2);
        area[big] = s.component[0].area;
        HOLDS(s.ring_start[1] == N / 2);
        for (size_t i = 0; i < N / 2; i++) HOLDS(s.ring[i] % 2); /* the outer points */
        glshape_alpha_shape_free(&s);
        family_done(&p);
    }
    HOLDS(area[0] > 0 && fabs(ldexp(area[1], -800) - area[0]) <= 1e-12 * area[0] && isinf(area[2]));
}
END_TEST

/* ---- CGAL -------------------------------------------------------------------------------------- */

/* CGAL's general mode calls a vertex singular that is on edges, but on no triangle. */
static char digit_of(const pair *p, const glshape_alpha_shape *s, bool regularized, size_t v) {
    uint32_t solid = p->got.vertex_ranks[3 * v + 2];
    if (p->got.same[v] != v) return '-';
    if (!regularized && !(solid && s->rank >= solid)) return '1';
    return (char)('0' + s->vertex[v]);
}

static void check_radius(const pair *p, double radius, char (*want)[64]) {
    uint32_t rank;
    ck_assert(!glshape_alpha_rank(family_context(), &p->got, radius, &rank));
    for (int regularized = 0; regularized < 2; regularized++) {
        glshape_alpha_shape s;
        ck_assert(!glshape_alpha_at(family_context(), &p->got, rank, regularized, &s));
        HOLDS(strlen(want[regularized]) == p->got.n);
        for (size_t v = 0; v < p->got.n; v++) HOLDS(digit_of(p, &s, regularized, v) == want[regularized][v]);
        glshape_alpha_shape_free(&s);
    }
}

/* golden/shapes.cpp says what the file holds. */
START_TEST(cgal) {
    FILE *file = fopen("tests/alpha/golden/shapes.txt", "r");
    ck_assert_ptr_nonnull(file);
    int sets = 0;
    for (uint32_t n; fscanf(file, " set %u", &n) == 1; sets++) {
        double *xy = bench_memory(n, 2 * sizeof *xy), radius;
        size_t alphas;
        char digits[2][64];
        pair p;
        for (uint32_t k = 0; k < 2 * n; k++) ck_assert(fscanf(file, "%lf", &xy[k]) == 1);
        ck_assert(fscanf(file, " alphas %zu", &alphas) == 1);
        bench_where("CGAL's set %d", sets);
        family_run(&p, xy, n);
        HOLDS(p.got.ranks == alphas);
        while (fscanf(file, " radius %lf %63s %63s", &radius, digits[0], digits[1]) == 3)
            check_radius(&p, radius, digits);
        family_done(&p);
    }
    ck_assert_int_eq(sets, 20);
    fclose(file);
}
END_TEST

START_TEST(refusals) {
    pair p;
    uint32_t rank;
    glshape_alpha_shape s;
    glshape_context *c = family_context();
    bench_where("refusals");
    family_new(&p, family_integers(20, 9), 20);
    static const double bad[] = {-1, -INFINITY, NAN};
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(glshape_alpha_rank(c, &p.got, bad[i], &rank), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_alpha_optimal(c, &p.got, 0, &rank), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_alpha_at(c, &p.got, (uint32_t)p.got.ranks + 1, false, &s), GLSHAPE_BAD_ARGUMENT);
    ck_assert_ptr_null(s.vertex);
    family_done(&p);
}
END_TEST

Suite *alpha_shapes_suite(void) {
    Suite *s = suite_create("alpha/shapes");
    TCase *c = family_case(s, "shapes");
    tcase_add_test(c, integers);
    tcase_add_test(c, touching_rings);
    tcase_add_test(c, annulus);
    tcase_add_test(c, scales);
    tcase_add_test(c, slivers);
    tcase_add_test(c, far_apart);
    tcase_add_test(c, cgal);
    tcase_add_test(c, refusals);
    return s;
}
