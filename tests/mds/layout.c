#include "mds/layout.h"

#include <math.h>
#include <stdlib.h>

static glshape_context *context;

glshape_context *layout_context(void) { return context; }

glshape_options layout_options(void) {
    return (glshape_options){.debug = true, .device = getenv("GLSHAPE_TEST_NAME")};
}

/* ---- points ---------------------------------------------------------------------------------------- */

glshape_matrix layout_points(size_t n, size_t width, double (*value)(size_t row, size_t col)) {
    double *data = trial_memory(n * width, sizeof *data);
    for (size_t i = 0; i < n * width; i++) data[i] = value(i / width, i % width);
    return (glshape_matrix){GLSHAPE_F64, n, width, data};
}

double layout_normal(size_t row, size_t col) {
    (void)row, (void)col;
    return sqrt(-2 * log(1 - trial_between(0, 1))) * cos(trial_between(0, 2 * 3.14159265358979323846));
}

/* ---- results --------------------------------------------------------------------------------------- */

#define MOST 64
static glshape_mds_result results[MOST];
static int result_count;

glshape_status layout_try(glshape_context *c, const glshape_matrix *points, layout_request q,
                          glshape_mds_result *result) {
    trial_where("%zu × %zu, dim %d, metric %d, method %d, seed %llu", points->rows, points->cols, q.dim,
                q.metric, q.method, (unsigned long long)q.seed);
    glshape_source source = {.points = points, .metric = q.metric};
    glshape_mds_options options = {.dim = q.dim,
                                   .method = q.method,
                                   .seed = q.seed,
                                   .attempts = q.attempts,
                                   .decimation = q.decimation,
                                   .coarsest = q.coarsest};
    return glshape_mds(c, &source, &options, result);
}

glshape_mds_result layout_with(glshape_context *c, const glshape_matrix *points, layout_request q) {
    ck_assert_int_lt(result_count, MOST);
    glshape_mds_result *r = &results[result_count++];
    glshape_status status = layout_try(c, points, q, r);
    ck_assert_msg(status == GLSHAPE_OK, "%s: %s", glshape_last_error(c), trial_place());
    ck_assert_uint_eq(r->n, points->rows);
    ck_assert_int_eq(r->dim, q.dim ? q.dim : 2);
    for (size_t i = 0; i < r->n * (size_t)r->dim; i++) TRIAL_CHECK(isfinite(r->layout[i]));
    TRIAL_CHECK(isfinite(r->stress) && r->stress >= 0);
    return *r;
}

glshape_mds_result layout_of(const glshape_matrix *points, layout_request q) {
    return layout_with(context, points, q);
}

ref_spaces layout_spaces(const glshape_matrix *points, glshape_metric metric, const glshape_mds_result *r) {
    return (ref_spaces){.points = *points,
                        .metric = metric,
                        .n = (uint32_t)r->n,
                        .dim = (uint32_t)r->dim,
                        .place = r->layout};
}

double layout_mismatch(const ref_spaces *s) {
    double error = 0, largest = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < i; j++) {
            double high = ref_high(s, i, j);
            largest = fmax(largest, high);
            error = trial_worse(error, fabs(ref_low(s, i, j) - high));
        }
    return trial_relative(error, 0, largest);
}

double layout_extent(const glshape_mds_result *r) {
    double most = 0;
    for (size_t i = 0; i < r->n * (size_t)r->dim; i++) most = trial_worse(most, fabs((double)r->layout[i]));
    return most;
}

double layout_centre(const glshape_mds_result *r) {
    double most = 0;
    for (int c = 0; c < r->dim; c++) {
        double sum = 0;
        for (size_t i = 0; i < r->n; i++) sum += r->layout[i * (size_t)r->dim + (size_t)c];
        most = trial_worse(most, fabs(sum / (double)r->n));
    }
    return most;
}

/* ---- cases ----------------------------------------------------------------------------------------- */

static void open_context(void) {
    glshape_options options = layout_options();
    glshape_status status = glshape_open(&options, &context);
    ck_assert_msg(status == GLSHAPE_OK, "%s", context ? glshape_last_error(context) : "no memory");
}

static void close_context(void) {
    ck_assert_int_eq(glshape_close(context), 0);
    context = NULL;
}

static void clear(void) {
    while (result_count) glshape_mds_free(&results[--result_count]);
    trial_clear();
}

TCase *layout_case(Suite *s, const char *name) {
    TCase *c = tcase_create(name);
    tcase_add_unchecked_fixture(c, open_context, close_context);
    tcase_add_checked_fixture(c, trial_reseed, clear);
    tcase_set_timeout(c, 120);
    suite_add_tcase(s, c);
    return c;
}
