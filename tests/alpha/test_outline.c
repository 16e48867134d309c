/* One shape by passes against that of the family in memory, which tests/alpha/test_shapes.c compares with the
 * twin. */
#include <stdlib.h>

#include "alpha/family.h"
#include "alpha/fixture.h"
#include "gpu/context.h"

static bool same_shapes(const glshape_alpha_shape *a, const glshape_alpha_shape *b) {
    if (a->rank != b->rank || a->radius != b->radius || a->components != b->components ||
        a->rings != b->rings || memcmp(a->ring_start, b->ring_start, (a->rings + 1) * sizeof *a->ring_start))
        return false;
    for (size_t c = 0; c < a->components; c++) {
        const glshape_alpha_component *s = &a->component[c], *t = &b->component[c];
        if (s->triangles != t->triangles || s->first_ring != t->first_ring || s->rings != t->rings ||
            s->area != t->area || s->perimeter != t->perimeter)
            return false;
    }
    return !memcmp(a->ring, b->ring, a->ring_start[a->rings] * sizeof *a->ring);
}

static bool same(const glshape_alpha_outline *a, const glshape_alpha_outline *b) {
    return a->n == b->n && a->vertices == b->vertices && a->edge_count == b->edge_count &&
           a->triangle_count == b->triangle_count && a->ranks == b->ranks &&
           a->least_radius == b->least_radius && a->greatest_radius == b->greatest_radius &&
           same_shapes(&a->shape, &b->shape) && a->singular_edges == b->singular_edges &&
           a->singular_points == b->singular_points &&
           !memcmp(a->singular_edge, b->singular_edge, a->singular_edges * sizeof *a->singular_edge) &&
           !memcmp(a->singular_point, b->singular_point, a->singular_points * sizeof *a->singular_point);
}

typedef struct trial {
    gpu *g;
    glshape_matrix points;
    glshape_alpha_result family; /* by threads */
    int by_passes;               /* outlines */
} trial;

static void compare(trial *t, const glshape_alpha_choice *choice) {
    error *err = run_error(run_of(t->g));
    glshape_alpha_outline device = {0}, threads = {0};
    glshape_alpha_result rest = {0};
    bool done = false;
    glshape_status status =
        alpha_outline_find(t->g, &t->points, ALPHA_ON_DEVICE, choice, &rest, &device, &done);
    if (!status && !done) status = alpha_outline_of_family(err, &rest, choice, &device);
    ck_assert_msg(!status, "%s: %s", err->text, bench_place());
    HOLDS(!alpha_outline_of_family(err, &t->family, choice, &threads));
    HOLDS(same(&device, &threads));
    t->by_passes += done;
    glshape_alpha_free(&rest);
    glshape_alpha_outline_free(&device);
    glshape_alpha_outline_free(&threads);
}

/* Returns how many outlines were found by passes. */
static int check(const double *xy, uint32_t n, int ranks) {
    trial t = {.points = {GLSHAPE_F64, n, 2, (void *)xy}};
    ck_assert(!context_begin_closed(family_context(), &t.g));
    HOLDS(!family_find(t.g, &t.points, ALPHA_ON_CPU, false, &t.family));
    uint32_t all = (uint32_t)t.family.ranks;
    for (int k = 0; k <= ranks; k++) {
        uint32_t rank = k == ranks ? all : bench_random() % (all + 1);
        compare(&t, &(glshape_alpha_choice){.rank = rank, .regularized = k % 3 == 1});
        const double radius = t.family.radii[rank];
        const double alphas[] = {radius, nextafter(radius, 0), nextafter(radius, 1e300), 1.5 * radius};
        compare(&t,
                &(glshape_alpha_choice){.alpha = GLSHAPE_SET(alphas[k % 4]), .boundary_only = k % 3 == 2});
    }
    compare(&t, &(glshape_alpha_choice){.alpha = GLSHAPE_SET(INFINITY)});
    compare(&t, &(glshape_alpha_choice){.alpha = GLSHAPE_SET(0)});
    if (t.family.triangle_count) compare(&t, &(glshape_alpha_choice){.optimal = 2});
    glshape_alpha_free(&t.family);
    ck_assert(!context_end(family_context(), GLSHAPE_OK));
    bench_clear();
    return t.by_passes;
}

/* Ties, duplicates, rings that touch themselves, few points. */
START_TEST(integers) {
    static const uint32_t sides[] = {2, 4, 6, 9, 25, 1000};
    int by_passes = 0, turns = hunt(18, 200);
    for (int i = 0; i < turns; i++) {
        uint32_t n = i % 7 ? 20 + bench_random() % 200 : 1 + bench_random() % 12, side = sides[i % 6];
        bench_where("set %d: %u integers below %u", i, n, side);
        by_passes += check(family_integers(n, side), n, 2);
    }
    ck_assert_int_gt(18 * by_passes, 50 * turns);
}
END_TEST

/* More radii than are looked at together, and components that take many rounds. */
START_TEST(many) {
    enum { N = 3000 };
    static double xy[2 * N];
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < N; i++) {
            double x = bench_random() * 0x1p-32, y = bench_random() * 0x1p-32;
            xy[2 * i] = kind == 0 ? x : kind == 1 ? 40 * x : floor(i / 50.0);
            xy[2 * i + 1] = kind == 0 ? y : kind == 1 ? sin(40 * x) + 0.05 * y : i % 50 + 1e-9 * x;
        }
        bench_where("kind %d", kind);
        HOLDS(check(xy, N, 3) == 10);
    }
}
END_TEST

/* A fan of triangles around one point, which takes more than a run to turn around. */
START_TEST(fan) {
    enum { N = 1000 };
    static double xy[2 * N];
    for (int i = 1; i < N; i++) {
        xy[2 * i] = rint(1e6 * cos(i * 6.2 / N));
        xy[2 * i + 1] = rint(1e6 * sin(i * 6.2 / N));
    }
    bench_where("a fan");
    HOLDS(check(xy, N, 3) == 10);
}
END_TEST

START_TEST(refusals) {
    const double xy[] = {0, 0, 3, 0, 0, 3};
    const glshape_matrix m = {GLSHAPE_F64, 3, 2, (void *)xy};
    glshape_alpha_outline o;
    const struct {
        glshape_alpha_choice choice;
        const char *text;
    } bad[] = {{{.alpha = GLSHAPE_SET(-1)}, "alpha is -1; a radius is at least 0"},
               {{.alpha = GLSHAPE_SET(NAN)}, "a radius is at least 0"},
               {{.rank = 9}, "rank 9: the spectrum has ranks 0 to 2"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(glshape_alpha_outline_of(family_context(), &m, &bad[i].choice, &o),
                         GLSHAPE_BAD_ARGUMENT);
        ck_assert_msg(strstr(glshape_last_error(family_context()), bad[i].text) != NULL, "%s",
                      glshape_last_error(family_context()));
        ck_assert(!o.n && !o.singular_edge && !o.shape.ring);
    }
    ck_assert(!glshape_alpha_outline_of(family_context(), &m, &(glshape_alpha_choice){.optimal = 1}, &o));
    ck_assert(o.shape.components == 1 && o.shape.component[0].area == 4.5 && !o.singular_points);
    glshape_alpha_outline_free(&o);
}
END_TEST

Suite *alpha_outline_suite(void) {
    Suite *s = suite_create("alpha/outline");
    TCase *t = family_case(s, "outline");
    tcase_add_test(t, integers);
    tcase_add_test(t, many);
    tcase_add_test(t, fan);
    tcase_add_test(t, refusals);
    return s;
}
