#include "alpha/fixture.h"

#include <stdlib.h>

static glshape_context *context;

glshape_context *family_context(void) { return context; }

static void set_up(void) {
    glshape_options options = {.debug = true, .device = test_device()};
    ck_assert_int_eq(glshape_open(&options, &context), GLSHAPE_OK);
}

static void tear_down(void) {
    ck_assert_int_eq(glshape_close(context), 0);
    bench_clear();
}

TCase *family_case(Suite *s, const char *name) {
    TCase *c = tcase_create(name);
    tcase_add_unchecked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    suite_add_tcase(s, c);
    return c;
}

static uint32_t find_edge(const ref_alpha *want, const uint32_t *ends) {
    uint32_t e = 0;
    while (e < want->edges && (want->edge[e][0] != ends[0] || want->edge[e][1] != ends[1])) e++;
    return e;
}

void family_run(pair *p, const double *xy, uint32_t n) {
    *p = (pair){.xy = malloc(2 * n * sizeof *xy + 1)};
    memcpy(p->xy, xy, 2 * n * sizeof *xy);
    glshape_matrix m = {GLSHAPE_F64, n, 2, p->xy};
    glshape_alpha_options o = {.master = true};
    ck_assert_msg(!glshape_alpha(context, &m, &o, &p->got), "%s: %s", bench_place(),
                  glshape_last_error(context));
}

void family_new(pair *p, const double *xy, uint32_t n) {
    family_run(p, xy, n);
    const glshape_alpha_result *r = &p->got;
    ref_alpha_new(&p->want, n, p->xy, r->same, (uint32_t)r->triangle_count, r->triangles);
    p->edge = malloc((r->edge_count + 1) * sizeof *p->edge);
    HOLDS(r->edge_count == p->want.edges);
    for (size_t e = 0; e < r->edge_count; e++) {
        p->edge[e] = find_edge(&p->want, r->edges + 2 * e);
        HOLDS(p->edge[e] < p->want.edges);
    }
}

void family_done(pair *p) {
    glshape_alpha_free(&p->got);
    ref_alpha_free(&p->want);
    free(p->edge);
    free(p->xy);
    *p = (pair){0};
}

double *family_integers(uint32_t n, uint32_t side) {
    double *xy = bench_memory(n, 2 * sizeof *xy);
    for (uint32_t k = 0; k < 2 * n; k++) xy[k] = bench_random() % side;
    return xy;
}
