/* Weights of pairs: the passes and whole layouts against twins in double, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mds/layout.h"
#include "mds/passes.h"
#include "reference/weights.h"

/* ---- passes ---------------------------------------------------------------------------------------- */

/* n × n; a third of them 0, the others over four decades; some rows far lighter than others. */
static float *random_weights(uint32_t n) {
    float *w = trial_memory((size_t)n * n, sizeof *w);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            double value = pow(10, trial_between(-4, 0)) * (i % 7 && j % 7 ? 1 : 1e-3);
            bool link = j == i + 1 || trial_between(0, 3) > 1;
            w[(size_t)i * n + j] = w[(size_t)j * n + i] = link ? (float)value : 0;
        }
    return w;
}

/* As src/dist/weights.c has them: the means on the diagonal. */
static gpu_texture *weight_texture(uint32_t n, const float *weight) {
    float *w = trial_memory((size_t)n * n, sizeof *w);
    memcpy(w, weight, (size_t)n * n * sizeof *w);
    for (uint32_t i = 0; i < n; i++) w[(size_t)i * n + i] = (float)ref_mean_weight(weight, n, i);
    return trial_rows(n, n, w);
}

static const float *weight; /* of the run */

static void check_estimate(const trial *t) {
    uint32_t n = t->shape.n;
    gpu_texture *terms = trial_texture(GPU_RG32F, n, 1, NULL);
    TRIAL_OK(gpu_run(test_gpu(), mds_estimate, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape),
                     .WEIGHTED = 1, .perm = trial_texture(GPU_R32UI, n, 1, t->perm),
                     .given = trial_rows(n, t->shape.width, t->points),
                     .place_in = trial_rows(n, t->shape.dim, t->place), .terms = terms,
                     .weights = weight_texture(n, weight), .m = t->m, .offset = t->offset, .elements = n));
    const float *got = trial_fetch(terms);
    ref_spaces s = trial_spaces(t);
    ref_draw d = trial_draw(t);
    for (uint32_t e = 0; e < n; e++) {
        double want[2] = {0, 0};
        ref_weighted_estimate(&s, &d, weight, e, want);
        double scale = 3 * (want[0] + want[1]);
        for (int k = 0; k < 2; k++)
            trial_judge(TRIAL_ESTIMATE, trial_relative(got[2 * e + k], want[k], scale));
    }
}

static void check_closing(const trial *t) {
    uint32_t n = t->shape.n, dim = t->shape.dim;
    static const float steps[] = {1.9f, 1, 0.01f};
    for (int i = 0; i < 3; i++) {
        gpu_texture *place = trial_rows(n, dim, NULL);
        TRIAL_OK(gpu_run(test_gpu(), mds_closing, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape),
                         .WEIGHTED = 1, .perm = trial_texture(GPU_R32UI, n, 1, t->perm),
                         .given = trial_rows(n, t->shape.width, t->points),
                         .place_in = trial_rows(n, dim, t->place), .place = place,
                         .weights = weight_texture(n, weight), .m = t->m, .offset = t->offset,
                         .step = steps[i], .elements = n));
        const float *got = trial_fetch_rows(place, dim);
        ref_spaces s = trial_spaces(t);
        ref_draw d = trial_draw(t);
        for (uint32_t e = 0; e < n; e++) {
            double want[16];
            ref_weighted_closing_step(&s, &d, weight, e, steps[i], want);
            for (uint32_t c = 0; c < dim; c++) /* places are within 5 */
                trial_judge(TRIAL_CLOSING, trial_relative(got[e * dim + c], want[c], 5));
        }
    }
}

/* One iteration from empty sets: members weigh something, their strains are weighted, and so are the terms.
 */
static void check_sample(const trial *t) {
    uint32_t n = t->shape.n;
    static const gpu_format formats[] = {GPU_RGBA32UI, GPU_RGBA32F, GPU_RGBA32UI,
                                         GPU_RGBA32F,  GPU_RGBA32F, GPU_RG32F};
    gpu_texture *out[6];
    for (int i = 0; i < 6; i++) out[i] = trial_texture(formats[i], n, 1, NULL);
    TRIAL_OK(gpu_run(
        test_gpu(), mds_sample, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape), .WEIGHTED = 1,
        .perm = trial_texture(GPU_R32UI, n, 1, t->perm), .given = trial_rows(n, t->shape.width, t->points),
        .place_in = trial_rows(n, t->shape.dim, t->place), .near_in = trial_texture(GPU_RGBA32UI, n, 1, NULL),
        .near_high_in = trial_texture(GPU_RGBA32F, n, 1, NULL), .near = out[0], .near_high = out[1],
        .random = out[2], .near_strain = out[3], .random_strain = out[4], .terms = out[5],
        .weights = weight_texture(n, weight), .m = t->m, .offset = t->offset, .fixed_count = 0,
        .fresh_from = 0, .elements = n));
    const uint32_t *near = trial_fetch(out[0]);
    const float *high = trial_fetch(out[1]), *strain = trial_fetch(out[3]), *terms = trial_fetch(out[5]);
    ref_spaces s = trial_spaces(t);
    ref_draw d = trial_draw(t);
    for (uint32_t e = 0; e < n; e++) {
        double mean = ref_mean_weight(weight, n, e), want[2] = {0, 0};
        int members = 0, expected = 0;
        for (uint32_t k = 0; k < 4; k++) { /* drawn into an empty Near set: all that count are near */
            uint32_t j = ref_partner(&d, e, k);
            bool twice = false;
            for (uint32_t b = 0; b < k; b++) twice |= ref_partner(&d, e, b) == j;
            if (twice || j == e || weight[(size_t)e * n + j] == 0) continue;
            double rest = ref_high(&s, e, j) - ref_low(&s, e, j);
            want[0] += weight[(size_t)e * n + j] * rest * rest;
            want[1] += weight[(size_t)e * n + j] * pow(ref_high(&s, e, j), 2);
            expected++;
        }
        for (uint32_t k = 0; k < 4; k++) {
            if (high[4 * e + k] >= REF_NONE) continue;
            uint32_t j = near[4 * e + k];
            double spring = fmin(1, weight[(size_t)e * n + j] / mean), up = ref_high(&s, e, j);
            double low = ref_low(&s, e, j);
            TRIAL_CHECK(spring > 0);
            trial_judge(TRIAL_SETS, trial_relative(strain[4 * e + k], spring * (up - low), up + low));
            members++;
        }
        TRIAL_CHECK(members == expected);
        for (int k = 0; k < 2; k++)
            trial_judge(TRIAL_TERMS, trial_relative(terms[2 * e + k], want[k], 3 * (want[0] + want[1])));
    }
}

static void each_pass(void (*check)(const trial *t)) {
    static const trial_shape shapes[] = {{.n = 3, .width = 3, .dim = 2},
                                         {.n = 9, .width = 5, .dim = 5},
                                         {.n = 257, .width = 3, .dim = 2},
                                         {.n = 257, .width = 3, .dim = 2, .coincident = true},
                                         {.n = 500, .width = 9, .dim = 5}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        trial t = trial_new(shapes[i]);
        weight = random_weights(t.shape.n);
        trial_each_stage(&t, check);
        trial_clear();
    }
}

START_TEST(test_estimate) { each_pass(check_estimate); }
END_TEST
START_TEST(test_closing) { each_pass(check_closing); }
END_TEST
START_TEST(test_sample) { each_pass(check_sample); }
END_TEST

/* ---- whole layouts --------------------------------------------------------------------------------- */

enum { WIDTH = 5 };

/* Points with dissimilarities and weights of all pairs; every source has the same. */
typedef struct cloud {
    uint32_t n;
    float *x; /* n × WIDTH */
    ref_weighted m;
    int attempts;
} cloud;

static cloud make_cloud(uint32_t n) {
    cloud c = {.n = n, .x = trial_memory((size_t)n * WIDTH, sizeof *c.x), .attempts = 1};
    float *delta = trial_memory((size_t)n * n, sizeof *delta);
    for (size_t k = 0; k < (size_t)n * WIDTH; k++) c.x[k] = (float)trial_between(0.1, k % WIDTH < 2 ? 6 : 3);
    glshape_matrix points = {GLSHAPE_F32, n, WIDTH, c.x};
    for (size_t k = 0; k < (size_t)n * n; k++)
        delta[k] = (float)ref_dissimilarity(&points, GLSHAPE_METRIC_EUCLIDEAN, k / n, k % n);
    c.m = (ref_weighted){n, delta, random_weights(n)};
    return c;
}

static float *all_weights(uint32_t n, float value) {
    float *w = trial_memory((size_t)n * n, sizeof *w);
    for (size_t k = 0; k < (size_t)n * n; k++) w[k] = value;
    return w;
}

static bool rows_of(const float *matrix, uint32_t n, uint32_t first, uint32_t count, float *out) {
    memcpy(out, matrix + (size_t)first * n, (size_t)count * n * sizeof *out);
    return true;
}
static bool read_delta(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const cloud *c = user;
    return (void)message, (void)size, rows_of(c->m.delta, c->n, first, count, out);
}
static bool read_weight(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const cloud *c = user;
    return (void)message, (void)size, rows_of(c->m.weight, c->n, first, count, out);
}
static bool feed(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out, char *message,
                 size_t size) {
    const cloud *c = user;
    for (size_t k = 0; k < count; k++) out[k] = c->m.delta[(size_t)i[k] * c->n + j[k]];
    return (void)message, (void)size, true;
}

static glshape_mds_result lay_out(glshape_source source, cloud *c) {
    glshape_mds_result r;
    if (c->m.weight) source.weights = read_weight;
    source.weights_user = c;
    glshape_status status = glshape_mds(layout_context(), &source,
                                        &(glshape_mds_options){.seed = 5, .attempts = c->attempts}, &r);
    ck_assert_msg(!status, "%s", glshape_last_error(layout_context()));
    return r;
}

static glshape_mds_result lay_out_matrix(cloud *c) {
    return lay_out((glshape_source){.reader = read_delta, .user = c, .n = c->n}, c);
}

/* The stress reported is that of the layout, whatever the source; sampled, it is near. */
START_TEST(test_stress) {
    static const uint32_t sizes[] = {2, 7, 700};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        cloud c = make_cloud(sizes[k]);
        size_t n = c.n, *start = trial_memory(n + 1, sizeof *start);
        uint32_t *column = trial_memory(n * WIDTH, sizeof *column);
        for (size_t i = 0; i <= n; i++) start[i] = i * WIDTH;
        for (size_t i = 0; i < n * WIDTH; i++) column[i] = i % WIDTH;
        glshape_matrix points = {GLSHAPE_F32, n, WIDTH, c.x};
        glshape_sparse sparse = {n, WIDTH, start, column, c.x};
        const glshape_source sources[] = {
            {.points = &points},
            {.sparse = &sparse},
            {.reader = read_delta, .user = &c, .n = n, .keep = GLSHAPE_KEEP_RESIDENT},
            {.reader = read_delta, .user = &c, .n = n, .keep = GLSHAPE_KEEP_PAGED},
            {.feeder = feed, .user = &c, .n = n}};
        for (int i = 0; i < 5; i++) {
            trial_where("%zu points, source %d", n, i);
            glshape_mds_result r = lay_out(sources[i], &c);
            double want = ref_weighted_stress(&c.m, r.layout, 2);
            double allowed = i < 4 ? 2e-5 * want + 1e-9 : 6 * r.stress_error + 1e-6;
            ck_assert_msg(fabs(r.stress - want) <= allowed, "%g, not %g: %s", r.stress, want, trial_place());
            glshape_mds_free(&r);
        }
        trial_clear();
    }
}
END_TEST

START_TEST(test_paged_equals_resident) {
    cloud c = make_cloud(1200);
    glshape_mds_result r[2];
    for (int keep = 0; keep < 2; keep++) {
        r[keep] = lay_out((glshape_source){.reader = read_delta,
                                           .user = &c,
                                           .n = c.n,
                                           .keep = keep ? GLSHAPE_KEEP_PAGED : GLSHAPE_KEEP_RESIDENT},
                          &c);
        ck_assert((fact_of(layout_context(), "bytes paged") > 0) == keep);
    }
    ck_assert(!memcmp(r[0].layout, r[1].layout, (size_t)c.n * 2 * sizeof *r[0].layout));
    ck_assert(r[0].stress == r[1].stress);
    glshape_mds_free(&r[0]);
    glshape_mds_free(&r[1]);
}
END_TEST

/* Equal weights are none, and only proportions matter. */
START_TEST(test_equal_weights) {
    cloud c = make_cloud(1200);
    c.m.weight = NULL;
    glshape_mds_result none = lay_out_matrix(&c);
    c.m.weight = all_weights(c.n, 1);
    glshape_mds_result ones = lay_out_matrix(&c);
    c.m.weight = all_weights(c.n, 5);
    glshape_mds_result fives = lay_out_matrix(&c);
    ck_assert_msg(fabs(ones.stress - none.stress) <= 0.02 * none.stress, "%g, not %g", ones.stress,
                  none.stress);
    ck_assert(!memcmp(ones.layout, fives.layout, (size_t)c.n * 2 * sizeof *ones.layout));
    ck_assert_msg(fabs(fives.stress - ones.stress) <= 1e-6 * ones.stress, "%g, %g", fives.stress,
                  ones.stress);
    glshape_mds_free(&none);
    glshape_mds_free(&ones);
    glshape_mds_free(&fives);
}
END_TEST

static double best_smacof(const ref_weighted *m) {
    double best = INFINITY;
    random_state random = {7};
    for (int i = 0; i < 3; i++) best = fmin(best, ref_weighted_smacof(m, &random, 400));
    return best;
}

START_TEST(test_beside_smacof) {
    cloud c = make_cloud(300);
    c.attempts = 0; /* as the command has it */
    glshape_mds_result r = lay_out_matrix(&c);
    double best = best_smacof(&c.m);
    ck_assert_msg(best > 0.001 && r.stress <= 1.03 * best, "stress %g, SMACOF's %g", r.stress, best);
    glshape_mds_free(&r);
}
END_TEST

/* Two halves of a plane; what is said of the distances between them is nonsense, but for a few, and weighs 0.
 */
static cloud make_contradiction(uint32_t n) {
    cloud c = make_cloud(n);
    float *delta = (float *)c.m.delta, *w = all_weights(n, 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bool nonsense = (i < n / 2) != (j < n / 2) && (i + j) % 10;
            delta[(size_t)i * n + j] =
                hypotf(c.x[i * WIDTH] - c.x[j * WIDTH], c.x[i * WIDTH + 1] - c.x[j * WIDTH + 1]);
            if (nonsense) delta[(size_t)i * n + j] = (float)((i * j) % 13), w[(size_t)i * n + j] = 0;
        }
    c.m.weight = w;
    return c;
}

START_TEST(test_contradiction) {
    cloud c = make_contradiction(300);
    c.attempts = 0;
    glshape_mds_result r = lay_out_matrix(&c);
    double best = best_smacof(&c.m);
    ck_assert_msg(r.stress <= 1e-4 && r.stress <= 1.03 * best + 1e-5, "stress %g, SMACOF's %g", r.stress,
                  best);
    glshape_mds_free(&r);
    c.m.weight = NULL;
    c.attempts = 1;
    r = lay_out_matrix(&c);
    ck_assert_msg(r.stress > 0.05, "without weights, stress is %g", r.stress);
    glshape_mds_free(&r);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------------- */

static void refused(glshape_context *context, const glshape_source *source, glshape_status status,
                    const char *part) {
    glshape_mds_result r;
    ck_assert_int_eq(glshape_mds(context, source, NULL, &r), status);
    ck_assert_msg(strstr(glshape_last_error(context), part) != NULL, "'%s' lacks '%s'",
                  glshape_last_error(context), part);
    ck_assert_ptr_null(r.layout);
}

static bool torn(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    (void)user, (void)first, (void)count, (void)out;
    return snprintf(message, size, "torn"), false;
}

START_TEST(test_refusals) {
    cloud c = make_cloud(50);
    float *w = (float *)c.m.weight;
    const glshape_source source = {
        .reader = read_delta, .user = &c, .n = 50, .weights = read_weight, .weights_user = &c};
    static const float bad[] = {-1e-6f, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        float was = w[3 * 50 + 4];
        w[3 * 50 + 4] = bad[i];
        refused(layout_context(), &source, GLSHAPE_BAD_INPUT, "row 4, column 5 of the weights");
        w[3 * 50 + 4] = was;
        w[3 * 50 + 3] = bad[i]; /* no pair */
        glshape_mds_result r = lay_out(source, &c);
        glshape_mds_free(&r);
        w[3 * 50 + 3] = 0;
    }
    for (int j = 0; j < 50; j++) w[7 * 50 + j] = w[50 * j + 7] = j == 7;
    refused(layout_context(), &source, GLSHAPE_BAD_INPUT, "row 8 of the weights is all zeros");
    glshape_source broken = source;
    broken.weights = torn;
    refused(layout_context(), &broken, GLSHAPE_IO_ERROR, "torn");
}
END_TEST

/* Weights are on the GPU whole: what they need is said before they are read. */
START_TEST(test_memory) {
    cloud c = make_cloud(2);
    glshape_options limited = layout_options();
    limited.gpu_memory = 64 << 20;
    glshape_context *context;
    ck_assert_int_eq(glshape_open(&limited, &context), GLSHAPE_OK);
    glshape_source source = {.feeder = feed, .user = &c, .n = 10000, .weights = torn};
    refused(context, &source, GLSHAPE_NO_GPU_MEMORY, "with weights, needs");
    source.n = 1 << 20;
    refused(context, &source, GLSHAPE_NO_GPU_MEMORY, "the weights of all pairs of 1048576 points");
    c = make_cloud(1500); /* 9 MiB of weights; rows of distances and weights are scanned in what is left */
    source = (glshape_source){
        .reader = read_delta, .user = &c, .n = c.n, .weights = read_weight, .weights_user = &c};
    ck_assert_int_eq(glshape_close(context), 0);
    limited.gpu_memory = 12 << 20;
    ck_assert_int_eq(glshape_open(&limited, &context), GLSHAPE_OK);
    glshape_mds_result r;
    ck_assert_msg(!glshape_mds(context, &source, &(glshape_mds_options){.attempts = 1}, &r), "%s",
                  glshape_last_error(context));
    ck_assert(fact_of(context, "bytes paged") > 0 && r.gpu_bytes <= limited.gpu_memory);
    glshape_mds_free(&r);
    ck_assert_int_eq(glshape_close(context), 0);
}
END_TEST

Suite *mds_weights_suite(void);
Suite *mds_weights_suite(void) {
    Suite *s = suite_create("mds/weights");
    TCase *passes = trial_case(s, "passes");
    tcase_add_test(passes, test_estimate);
    tcase_add_test(passes, test_closing);
    tcase_add_test(passes, test_sample);
    TCase *c = layout_case(s, "layouts");
    tcase_add_test(c, test_stress);
    tcase_add_test(c, test_paged_equals_resident);
    tcase_add_test(c, test_equal_weights);
    tcase_add_test(c, test_beside_smacof);
    tcase_add_test(c, test_contradiction);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_memory);
    return s;
}
