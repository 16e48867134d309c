/* glshape_mds: what it refuses, cancelling, and how much memory it takes. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mds/layout.h"

static bool zeroed(const glshape_mds_result *r) {
    static const glshape_mds_result zero;
    return !memcmp(r, &zero, sizeof zero);
}

/* The call fails with the status, a sentence that holds part, and a zeroed result. */
static void refused_by(glshape_context *c, const glshape_matrix *m, layout_request request,
                       glshape_status status, const char *part) {
    glshape_mds_result r;
    memset(&r, 0x55, sizeof r);
    ck_assert_int_eq(layout_try(c, m, request, &r), status);
    ck_assert_msg(strstr(glshape_last_error(c), part), "'%s' lacks '%s': %s", glshape_last_error(c), part,
                  trial_place());
    TRIAL_CHECK(zeroed(&r));
}

static void refused(const glshape_matrix *m, layout_request request, glshape_status status,
                    const char *part) {
    refused_by(layout_context(), m, request, status, part);
}

/* Sizes are looked at before the values: there are not as many here. */
START_TEST(test_sizes) {
    static const struct {
        size_t rows, cols;
        glshape_status status;
        const char *part;
    } cases[] = {
        {0, 0, GLSHAPE_BAD_INPUT, "0 rows"},
        {0, 5, GLSHAPE_BAD_INPUT, "0 rows"},
        {1, 5, GLSHAPE_BAD_INPUT, "1 row;"},
        {5, 0, GLSHAPE_BAD_INPUT, "no columns"},
        {(size_t)1 << 31, 1, GLSHAPE_BAD_INPUT, "at most"},
        {2, 900001, GLSHAPE_BAD_INPUT, "at most"},
        {5000, 900000, GLSHAPE_BAD_ARGUMENT, "do not fit"},
        {SIZE_MAX, SIZE_MAX, GLSHAPE_BAD_INPUT, "at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        glshape_matrix m = {GLSHAPE_F64, cases[i].rows, cases[i].cols, (void *)cases};
        refused(&m, (layout_request){0}, cases[i].status, cases[i].part);
    }
}
END_TEST

START_TEST(test_values) {
    glshape_matrix m = layout_points(20, 4, layout_normal);
    double *x = m.data, was = x[4 * 16 + 2];
    layout_request o = {0};
    for (o.metric = 0; o.metric <= GLSHAPE_METRIC_CORRELATION; o.metric++) {
        x[4 * 16 + 2] = NAN;
        refused(&m, o, GLSHAPE_BAD_INPUT, "row 17, column 3 is NaN");
        x[4 * 16 + 2] = -INFINITY;
        refused(&m, o, GLSHAPE_BAD_INPUT, "row 17, column 3 is infinite");
        x[4 * 16 + 2] = was;
    }
    float singles[] = {1, 2, 3, 4, INFINITY, 6};
    refused(&(glshape_matrix){GLSHAPE_F32, 2, 3, singles}, (layout_request){0}, GLSHAPE_BAD_INPUT,
            "row 2, column 2 is infinite");
}
END_TEST

/* Finite doubles may lie where the layout, which is float, cannot follow: they are laid out rightly or
 * refused. */
START_TEST(test_magnitudes) {
    static const double units[] = {1e308, 1e300, 1e38, 1e20, 1e-20, 1e-36, 1e-46, 1e-300};
    for (int i = 0; i < 8; i++) {
        glshape_matrix m = layout_points(12, 2, layout_normal);
        for (int k = 0; k < 24; k++) ((double *)m.data)[k] *= units[i] / 4;
        glshape_mds_result r;
        glshape_status status = layout_try(layout_context(), &m, (layout_request){0}, &r);
        ref_spaces s = layout_spaces(&m, GLSHAPE_METRIC_EUCLIDEAN, &r);
        double mismatch = status ? 0 : layout_mismatch(&s);
        glshape_mds_free(&r);
        bool refused = status == GLSHAPE_BAD_INPUT && units[i] != 1e20 && units[i] != 1e-20;
        ck_assert_msg(refused || (status == GLSHAPE_OK && mismatch <= 1e-3),
                      "values about %g: status %d, distances differ by %g of the largest", units[i], status,
                      mismatch);
    }
}
END_TEST

/* Angles need rows that have one. */
START_TEST(test_rows_without_direction) {
    glshape_matrix m = layout_points(20, 4, layout_normal);
    double *x = m.data;
    for (int c = 0; c < 4; c++) x[4 * 9 + c] = 0;
    refused(&m, (layout_request){.metric = GLSHAPE_METRIC_COSINE}, GLSHAPE_BAD_INPUT, "row 10 is all zeros");
    refused(&m, (layout_request){.metric = GLSHAPE_METRIC_CORRELATION}, GLSHAPE_BAD_INPUT,
            "row 10 is constant");
    for (int c = 0; c < 4; c++) x[4 * 9 + c] = 0.1;
    refused(&m, (layout_request){.metric = GLSHAPE_METRIC_CORRELATION}, GLSHAPE_BAD_INPUT,
            "row 10 is constant");
    layout_of(&m, (layout_request){.metric = GLSHAPE_METRIC_COSINE});
    glshape_matrix column = layout_points(5, 1, layout_normal);
    refused(&column, (layout_request){.metric = GLSHAPE_METRIC_CORRELATION}, GLSHAPE_BAD_INPUT,
            "is constant");
}
END_TEST

START_TEST(test_options) {
    glshape_matrix m = layout_points(20, 4, layout_normal);
    refused(&m, (layout_request){.dim = -1}, GLSHAPE_BAD_ARGUMENT, "dim is -1");
    refused(&m, (layout_request){.dim = INT_MIN}, GLSHAPE_BAD_ARGUMENT, "dim is -2147483648");
    refused(&m, (layout_request){.dim = INT_MAX}, GLSHAPE_BAD_ARGUMENT, "do not fit");
    refused(&m, (layout_request){.attempts = -1}, GLSHAPE_BAD_ARGUMENT, "attempts is -1");
    refused(&m, (layout_request){.decimation = 1}, GLSHAPE_BAD_ARGUMENT, "decimation is 1");
    refused(&m, (layout_request){.decimation = 33}, GLSHAPE_BAD_ARGUMENT, "decimation is 33");
    refused(&m, (layout_request){.coarsest = 63}, GLSHAPE_BAD_ARGUMENT, "coarsest is 63");
    refused(&m, (layout_request){.method = GLSHAPE_MDS_GPU_SF, .coarsest = 100}, GLSHAPE_BAD_ARGUMENT,
            "only glimmer");
    refused(&m, (layout_request){.metric = (glshape_metric)17}, GLSHAPE_BAD_ARGUMENT, "17");
    glshape_mds_result r;
    ck_assert_int_eq(glshape_mds(layout_context(), &(glshape_source){.points = &m}, NULL, &r), GLSHAPE_OK);
    ck_assert_int_eq(r.dim, 2);
    glshape_mds_free(&r);
    ck_assert(zeroed(&r));
    glshape_mds_free(&r);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------------- */

static glshape_context *open_with(glshape_options options) {
    glshape_context *c;
    glshape_status status = glshape_open(&options, &c);
    ck_assert_msg(status == GLSHAPE_OK, "%s", glshape_last_error(c));
    return c;
}

/* The refusal says how much is needed, and that much is enough. */
START_TEST(test_memory_limit) {
    glshape_matrix m = layout_points(5000, 300, layout_normal);
    layout_request o = {.dim = 5, .method = GLSHAPE_MDS_GPU_SF};
    glshape_options limited = layout_options();
    limited.gpu_memory = 1 << 20;
    glshape_context *c = open_with(limited);
    glshape_matrix many = {GLSHAPE_F32, 1000000, 1000, m.data}; /* the values are not even looked at */
    refused_by(c, &many, o, GLSHAPE_NO_GPU_MEMORY, "raise it to ");
    refused_by(c, &m, o, GLSHAPE_NO_GPU_MEMORY, "raise it to ");
    const char *advice = strstr(glshape_last_error(c), "raise it to ");
    char unit = 0;
    ck_assert_int_eq(sscanf(advice, "raise it to %zu%c", &limited.gpu_memory, &unit), 2);
    ck_assert_int_eq(unit, 'M');
    limited.gpu_memory <<= 20;
    ck_assert_int_eq(glshape_close(c), 0);
    c = open_with(limited);
    layout_with(c, &m, o);
    ck_assert_uint_le(glshape_peak_gpu_bytes(c), limited.gpu_memory);
    ck_assert_uint_gt(glshape_peak_gpu_bytes(c), limited.gpu_memory / 2);
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

/* ---- progress -------------------------------------------------------------------------------------- */

/* What a progress callback saw; it cancels when the fraction passes `until`. */
typedef struct watcher {
    double until, last;
    int calls;
    bool orderly; /* fractions rise within 0 … 1 */
} watcher;

static bool watch(void *user, double fraction) {
    watcher *w = user;
    w->orderly = w->orderly && fraction >= w->last && fraction <= 1;
    w->last = fraction;
    w->calls++;
    return !(fraction > w->until);
}

static glshape_context *open_watched(watcher *w) {
    glshape_options options = layout_options();
    options.progress = watch;
    options.user = w;
    return open_with(options);
}

/* Wherever it is cancelled, the context goes on as if nothing had happened. */
START_TEST(test_cancelling) {
    static const double moments[] = {-1, 0, 0.1, 0.5, 0.9};
    glshape_matrix m = layout_points(1200, 3, layout_normal);
    watcher w = {.until = 2, .orderly = true};
    glshape_context *c = open_watched(&w);
    glshape_mds_result whole = layout_with(c, &m, (layout_request){.seed = 9});
    ck_assert(w.orderly && w.calls > 10 && w.last == 1);
    for (int i = 0; i < 5; i++) {
        w = (watcher){.until = moments[i], .orderly = true};
        refused_by(c, &m, (layout_request){.seed = 9}, GLSHAPE_CANCELLED, "");
        ck_assert(w.orderly && w.last > moments[i] && w.last < fmax(moments[i], 0) + 0.3);
    }
    w = (watcher){.until = 2, .orderly = true};
    glshape_mds_result again = layout_with(c, &m, (layout_request){.seed = 9});
    ck_assert_int_eq(memcmp(whole.layout, again.layout, 1200 * 2 * sizeof *whole.layout), 0);
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

/* Textures take at most a fifth more than the paper's (144 + 48 ⌈H/4⌉) bytes a point (figure 5.1). All of
 * them are there when the first progress comes. */
START_TEST(test_texture_bytes) {
    static const size_t shapes[][2] = {{43500, 9}, {5000, 3}, {5000, 300}};
    for (int i = 0; i < 3; i++) {
        size_t n = shapes[i][0], width = shapes[i][1];
        glshape_matrix m = layout_points(n, width, layout_normal);
        watcher w = {.until = 0};
        glshape_context *c = open_watched(&w);
        refused_by(c, &m, (layout_request){0}, GLSHAPE_CANCELLED, "");
        size_t peak = glshape_peak_gpu_bytes(c);
        double allowed = 1.2 * (144 + 48 * (double)((width + 3) / 4)) * (double)n;
        ck_assert_msg(peak > 16 * n && (double)peak <= allowed, "%zu × %zu: %zu bytes, %.0f allowed", n,
                      width, peak, allowed);
        ck_assert_int_eq(glshape_close(c), 0);
    }
}
END_TEST

/* A whole run takes no more than its beginning, and says so. */
START_TEST(test_texture_bytes_of_a_whole_run) {
    glshape_matrix m = layout_points(3000, 3, layout_normal);
    glshape_context *c = open_with(layout_options());
    glshape_mds_result r = layout_with(c, &m, (layout_request){0});
    ck_assert_uint_eq(r.gpu_bytes, glshape_peak_gpu_bytes(c));
    ck_assert_uint_le(r.gpu_bytes, (size_t)(1.2 * (144 + 48) * 3000));
    r = layout_with(c, &m, (layout_request){.dim = 3});
    ck_assert_uint_eq(r.gpu_bytes, glshape_peak_gpu_bytes(c));
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

void mds_refusal_cases(Suite *s) {
    TCase *c = layout_case(s, "refusals, memory, progress");
    tcase_add_test(c, test_sizes);
    tcase_add_test(c, test_values);
    tcase_add_test(c, test_magnitudes);
    tcase_add_test(c, test_rows_without_direction);
    tcase_add_test(c, test_options);
    tcase_add_test(c, test_memory_limit);
    tcase_add_test(c, test_cancelling);
    tcase_add_test(c, test_texture_bytes);
    tcase_add_test(c, test_texture_bytes_of_a_whole_run);
}
