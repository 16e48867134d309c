#include "mergetree/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/context.h"

static glshape_context *context;
static glshape_context *closed; /* for threads: few fields here are large enough to open a device */

glshape_context *fields_context(void) { return context; }

static void open_with(size_t gpu_memory) {
    glshape_options options = {.debug = true, .device = test_device(), .gpu_memory = gpu_memory};
    ck_assert_int_eq(glshape_open(&options, &context), GLSHAPE_OK);
}

static void set_up(void) {
    open_with(0);
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &closed), GLSHAPE_OK);
}

static void tear_down(void) {
    ck_assert_int_eq(glshape_close(context), 0);
    ck_assert_int_eq(glshape_close(closed), 0);
}

void fields_limit(size_t gpu_memory) {
    ck_assert_int_eq(glshape_close(context), 0);
    open_with(gpu_memory);
}

TCase *fields_case(Suite *s, const char *name) {
    TCase *c = tcase_create(name);
    tcase_add_unchecked_fixture(c, set_up, tear_down); /* its programs are compiled once */
    tcase_add_checked_fixture(c, NULL, bench_clear);
    tcase_set_timeout(c, 120);
    suite_add_tcase(s, c);
    return c;
}

uint32_t fields_count(const ref_grid *d) {
    size_t n = 1;
    for (int i = 0; i < d->dims; i++) n *= d->shape[i];
    return (uint32_t)n;
}

glshape_field fields_of(const ref_grid *d, glshape_type type, const double *values) {
    uint32_t n = fields_count(d);
    glshape_field f = {.type = type, .dims = d->dims, .neighborhood = d->neighbours};
    memcpy(f.shape, d->shape, sizeof f.shape);
    memcpy(f.periodic, d->periodic, sizeof f.periodic);
    void *to = bench_memory(n, sizeof(double));
#define FILL(name, ctype, code)                                               \
    case name:                                                                \
        for (uint32_t v = 0; v < n; v++) ((ctype *)to)[v] = (ctype)values[v]; \
        break;
    switch (type) { GLSHAPE_TYPES(FILL) }
#undef FILL
    f.values = to;
    return f;
}

/* ---- comparison -------------------------------------------------------------------------------- */

static bool before(const double *values, bool superlevel, uint32_t a, uint32_t b) {
    double x = superlevel ? -values[a] : values[a], y = superlevel ? -values[b] : values[b];
    return x != y ? x < y : a < b;
}

/* A value of the field, as results have it. */
static double given(const glshape_field *f, uint32_t v) {
#define VALUE(name, ctype, code) \
    case name:                   \
        return (double)((const ctype *)f->values)[v];
    switch (f->type) { GLSHAPE_TYPES(VALUE) }
#undef VALUE
    return NAN;
}

/* Each branch is a triplet of the twin, none is missing, and they come in the order that is promised. */
static void check_branches(const glshape_field *f, const glshape_mergetree_result *r, const uint32_t (*t)[3],
                           const double *values, bool superlevel) {
    size_t expected = 0, essential = 0;
    for (uint32_t u = 0; u < r->n; u++) {
        expected += t[u][1] != u || t[u][2] == u;
        essential += t[u][1] == u && t[u][2] == u;
    }
    ck_assert_msg(r->count == expected && r->components == essential, "%zu branches, %zu essential: %s",
                  r->count, r->components, bench_place());
    for (size_t k = 0; k < r->count; k++) {
        const glshape_branch *b = &r->branches[k], *last = k ? b - 1 : NULL;
        const uint32_t *want = t[b->birth];
        bool ends = want[1] != b->birth;
        BENCH_CHECK(b->death == (ends ? want[1] : GLSHAPE_NO_VERTEX) && b->parent == want[2]);
        BENCH_CHECK(b->birth_value == given(f, b->birth));
        BENCH_CHECK(b->death_value == (ends ? given(f, want[1]) : (double)INFINITY));
        BENCH_CHECK(ends == (k >= r->components));
        if (!last) continue;
        bool younger = before(values, superlevel, last->birth, b->birth);
        if (last->death == b->death) BENCH_CHECK(younger);
        else if (last->death != GLSHAPE_NO_VERTEX)
            BENCH_CHECK(before(values, superlevel, b->death, last->death));
    }
}

static double cut_of(const double *values, uint32_t n, const glshape_mergetree_options *o) {
    double least = INFINITY, greatest = -INFINITY;
    for (uint32_t v = 0; v < n; v++) least = fmin(least, values[v]), greatest = fmax(greatest, values[v]);
    return o->relative ? o->simplify * (greatest - least) : o->simplify;
}

/* Whether a context finds the triplets wanted. */
static void check_by(glshape_context *by, const glshape_field *f, const double *values,
                     const glshape_mergetree_options *o, const uint32_t (*want)[3]) {
    glshape_mergetree_result r;
    size_t at = 0;
    ck_assert_msg(!glshape_mergetree(by, f, o, &r), "%s: %s", glshape_last_error(by), bench_place());
    BENCH_CHECK((r.triplets != NULL) == !o->branches_only);
    if (r.triplets) {
        while (at < r.n && !memcmp(r.triplets + 3 * at, want[at], sizeof want[at])) at++;
        ck_assert_msg(at == r.n, "(%u %u %u), not (%u %u %u): %s", r.triplets[3 * at], r.triplets[3 * at + 1],
                      r.triplets[3 * at + 2], want[at][0], want[at][1], want[at][2], bench_place());
    }
    check_branches(f, &r, want, values, o->superlevel);
    for (size_t v = 0; v < r.n; v++)
        BENCH_CHECK(values[r.least_vertex] <= values[v] && values[v] <= values[r.greatest_vertex]);
    glshape_mergetree_free(&r);
}

static bool processors_did_all(glshape_context *by) {
    glshape_stage_facts stages[16];
    int count = glshape_stages(by, stages, 16);
    for (int k = 0; k < count && k < 16; k++)
        if (stages[k].on_device) return false;
    return count > 0;
}

size_t fields_check(const glshape_field *f, const ref_grid *d, const double *values,
                    const glshape_mergetree_options *o) {
    uint32_t n = f->graph ? (uint32_t)f->graph->nodes : fields_count(d);
    uint32_t(*triplets)[3] = bench_memory(n, sizeof *triplets);
    const uint32_t(*want)[3] = (const uint32_t(*)[3])triplets;
    glshape_mergetree_options free = *o;
    ref_mergetree(n, values, o->superlevel, f->graph ? NULL : d, f->graph ? f->graph->start : NULL,
                  f->graph ? f->graph->to : NULL, triplets);
    ref_simplify(n, values, cut_of(values, n, o), triplets);
    bench_where("%d-D %zu × %zu × %zu, %d neighbours, periodic %d%d%d, type %d, %s, simplify %g, method %d",
                d->dims, d->shape[0], d->shape[1], d->dims == 3 ? d->shape[2] : 1, d->neighbours,
                d->periodic[0], d->periodic[1], d->periodic[2], f->type,
                o->superlevel ? "superlevel" : "sublevel", o->simplify, o->method);
    free.method = GLSHAPE_MERGETREE_AUTO;
    check_by(closed, f, values, &free, want);
    BENCH_CHECK(gpu_is_open(context_gpu(closed)) || processors_did_all(closed));
    gpu_set_eager(context_gpu(context), bench_random() % 2);
    check_by(context, f, values, o, want);
    gpu_set_eager(context_gpu(context), false);
    return (size_t)fact_of(context, "planes in a slab");
}
