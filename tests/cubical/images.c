#include "cubical/images.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/cubical.h"

static glshape_context *context;

glshape_context *images_context(void) { return context; }

static void open_with(glshape_options options) {
    options.debug = true;
    if (!options.device) options.device = test_device();
    ck_assert_int_eq(glshape_open(&options, &context), GLSHAPE_OK);
}

static void set_up(void) { open_with((glshape_options){0}); }

static void tear_down(void) { ck_assert_int_eq(glshape_close(context), 0); }

void images_reopen(glshape_options options) {
    ck_assert_int_eq(glshape_close(context), 0);
    open_with(options);
}

TCase *images_case(Suite *s, const char *name) {
    TCase *c = tcase_create(name);
    tcase_add_unchecked_fixture(c, set_up, tear_down); /* its programs are compiled once */
    tcase_add_checked_fixture(c, NULL, bench_clear);
    tcase_set_timeout(c, 120);
    suite_add_tcase(s, c);
    return c;
}

static uint32_t count_values(const glshape_field *f) {
    size_t n = 1;
    for (int i = 0; i < f->dims; i++) n *= f->shape[i];
    return (uint32_t)n;
}

glshape_field images_field(int dims, const size_t *shape, const bool *periodic, glshape_type type,
                           const double *values) {
    glshape_field f = {.type = type, .dims = dims};
    for (int i = 0; i < dims; i++) {
        f.shape[i] = shape[i];
        f.periodic[i] = periodic && periodic[i];
    }
    uint32_t n = count_values(&f);
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

/* ---- the twin's intervals ---------------------------------------------------------------------- */

static const double *sorted_by;
static double sign;

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double p = sign * sorted_by[x], q = sign * sorted_by[y];
    return p != q ? (p < q ? -1 : 1) : (x > y) - (x < y);
}

/* The place of each value in the order of all. */
static uint32_t *place_values(const double *values, uint32_t n, bool superlevel) {
    uint32_t *order = bench_memory(n, sizeof *order), *place = bench_memory(n, sizeof *place);
    for (uint32_t v = 0; v < n; v++) order[v] = v;
    sorted_by = values;
    sign = superlevel ? -1 : 1;
    qsort(order, n, sizeof *order, by_value);
    for (uint32_t k = 0; k < n; k++) place[order[k]] = k;
    return place;
}

static const uint32_t *placed_by;

static uint64_t place_of(uint32_t v) { return v == GLSHAPE_NO_VERTEX ? UINT32_MAX : placed_by[v]; }

static int by_birth(const void *a, const void *b) {
    const ref_cubical_pair *x = a, *y = b;
    uint64_t p[3] = {x->dim, place_of(x->birth), place_of(x->death)};
    uint64_t q[3] = {y->dim, place_of(y->birth), place_of(y->death)};
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Keeps the pairs that the options ask for. */
static size_t keep_pairs(ref_cubical_pair *pairs, size_t count, const double *values,
                         const glshape_cubical_options *o) {
    double s = o->superlevel ? -1 : 1;
    double end = o->threshold.is_set ? s * o->threshold.value : (double)INFINITY;
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        ref_cubical_pair p = pairs[k];
        double birth = s * values[p.birth];
        double death = p.death == UINT32_MAX ? (double)INFINITY : s * values[p.death];
        if (birth == death || birth == INFINITY || birth > end) continue;
        if (o->dim.is_set && p.dim != o->dim.value) continue;
        if (death > end || death == INFINITY) p.death = UINT32_MAX;
        else if (death - birth < o->min_persistence) continue;
        pairs[kept++] = p;
    }
    return kept;
}

void images_check(const glshape_field *f, const double *values, const glshape_cubical_options *o) {
    uint32_t n = count_values(f), cubes = 1;
    ref_cubical_field twin = {.dims = f->dims,
                              .extent = {1, 1, 1},
                              .vertices = o->construction == GLSHAPE_CUBICAL_VERTICES,
                              .place = place_values(values, n, o->superlevel),
                              .modulus = o->modulus ? (uint32_t)o->modulus : 2};
    for (int i = 0; i < f->dims; i++) {
        twin.extent[f->dims - 1 - i] = (uint32_t)f->shape[i];
        twin.periodic[f->dims - 1 - i] = f->periodic[i];
        cubes *= 2 * (uint32_t)f->shape[i] + 1;
    }
    ref_cubical_pair *want = bench_memory(cubes, sizeof *want);
    size_t count = keep_pairs(want, ref_cubical(&twin, want), values, o);
    placed_by = twin.place;
    qsort(want, count, sizeof *want, by_birth);
    glshape_cubical_result r;
    ck_assert_msg(glshape_cubical(context, f, o, &r) == GLSHAPE_OK, "%s", glshape_last_error(context));
    ck_assert_msg(r.count == count, "%s: %zu intervals, not %zu, of %d dimensions, construction %d, dim %g",
                  bench_place(), r.count, count, f->dims, (int)o->construction,
                  o->dim.is_set ? o->dim.value : -1);
    for (size_t k = 0; k < count; k++) {
        const glshape_cubical_interval *i = &r.intervals[k];
        ck_assert_int_eq(i->dim, want[k].dim);
        ck_assert_uint_eq(i->birth_vertex, want[k].birth);
        ck_assert_uint_eq(i->death_vertex, want[k].death);
        ck_assert(i->birth == values[i->birth_vertex]);
        ck_assert(i->death ==
                  (i->death_vertex == GLSHAPE_NO_VERTEX ? (double)INFINITY : values[i->death_vertex]));
    }
    glshape_cubical_free(&r);
}
