/* src/dist/points: dissimilarities on the GPU, of every metric and type, against the matrix as given. */
#include <math.h>
#include <string.h>

#include "dist/source.h"
#include "mds/cases.h"
#include "mds/passes.h"
#include "mds/trial.h"

/* ---- reading them back ----------------------------------------------------------------------------------
 */

/* Four partners of every element from one run of mds/sample that starts with empty Near sets: they become
 * the Near sets, and their distances are written as they are. Puts them into the n × n table. */
static void read_four(dist_source *p, gpu_texture *const in[4], uint32_t offset, double *table) {
    static const gpu_format formats[] = {GPU_RGBA32UI, GPU_RGBA32F, GPU_RGBA32UI,
                                         GPU_RGBA32F,  GPU_RGBA32F, GPU_RG32F};
    uint32_t n = p->n;
    gpu_texture *out[6];
    for (int i = 0; i < 6; i++) out[i] = trial_texture(formats[i], n, 1, NULL);
    TRIAL_OK(gpu_run(test_gpu(), mds_sample, DIST_SOURCE_OF(p), .DIM = 1, .perm = in[0], .place_in = in[1],
                     .near_in = in[2], .near_high_in = in[3], .near = out[0], .near_high = out[1],
                     .random = out[2], .near_strain = out[3], .random_strain = out[4], .terms = out[5],
                     .m = n, .offset = offset, .fixed_count = 0, .fresh_from = 0, .elements = n));
    const uint32_t *near = trial_fetch(out[0]);
    const float *high = trial_fetch(out[1]);
    for (uint32_t i = 0; i < 4 * n; i++)
        if (high[i] < REF_NONE) table[i / 4 * n + near[i]] = high[i] * p->unit;
}

/* All dissimilarities in the unit of the input, element by element (n × n, NaN where none was read). */
static double *read_all(dist_source *p) {
    uint32_t n = p->n, *identity = trial_memory(n, sizeof *identity), *zeros = trial_memory(4 * n, 4);
    double *table = trial_memory((size_t)n * n, sizeof *table);
    for (uint32_t i = 0; i < n * n; i++) table[i] = NAN;
    for (uint32_t i = 0; i < n; i++) identity[i] = i;
    gpu_texture *in[] = {trial_texture(GPU_R32UI, n, 1, identity), trial_texture(GPU_RGBA32F, n, 1, zeros),
                         trial_texture(GPU_RGBA32UI, n, 1, zeros), trial_texture(GPU_RGBA32F, n, 1, zeros)};
    for (uint32_t offset = 0; offset < n; offset += 4) read_four(p, in, offset, table);
    return table;
}

/* ---- comparison ------------------------------------------------------------------------------------ */

/* What errors are relative to, given the largest dissimilarity: that, but unit rows are known to 1e-15 or so
 * in double precision, and |x-y|²/2 to 1e-15 |x-y|. */
static double scale_of(glshape_metric metric, double largest) {
    bool unit_rows = metric == GLSHAPE_METRIC_COSINE || metric == GLSHAPE_METRIC_CORRELATION;
    return unit_rows ? fmax(largest, 1e-9 * sqrt(largest)) : largest;
}

/* The largest, relative to scale_of the largest dissimilarity. Element e is row order[e]. */
static double table_error(const glshape_matrix *m, glshape_metric metric, const uint32_t *order,
                          const double *got) {
    size_t n = m->rows;
    double *want = trial_memory(n * n, sizeof *want), largest = 0, error = 0;
    for (size_t i = 0; i < n * n; i++) {
        want[i] = ref_dissimilarity(m, metric, order[i / n], order[i % n]);
        largest = trial_worse(largest, want[i]);
    }
    double scale = scale_of(metric, largest);
    for (size_t i = 0; i < n * n; i++)
        if (i / n != i % n) error = trial_worse(error, trial_relative(got[i], want[i], scale));
    return error;
}

static double measure(const glshape_matrix *m, glshape_metric metric) {
    dist_source p;
    uint32_t *order = trial_memory(m->rows, sizeof *order);
    random_permutation(trial_random(), (uint32_t)m->rows, order);
    gpu_set_stage(test_gpu(), GPU_STAGE_COMPUTE);
    TRIAL_OK(dist_points_new(test_gpu(), m, metric, order, &p));
    double error = table_error(m, metric, order, read_all(&p));
    TRIAL_OK(dist_tabulate(test_gpu(), &p));
    error = trial_worse(error, table_error(m, metric, order, read_all(&p)));
    dist_source_free(&p);
    return error;
}

static void check_distances(const glshape_matrix *m, const char *what) {
    for (glshape_metric metric = 0; metric <= GLSHAPE_METRIC_CORRELATION; metric++) {
        if (metric == GLSHAPE_METRIC_CORRELATION && m->cols < 2)
            continue; /* a row of one value is constant */
        trial_where("%s, %zu × %zu of type %d, metric %d", what, m->rows, m->cols, m->type, metric);
        trial_judge(TRIAL_DISTANCE, measure(m, metric));
        trial_clear();
    }
}

/* Doubles, n × width; to be overwritten by patterns. */
static glshape_matrix doubles(size_t n, size_t width) {
    static double values[60 * 800];
    ck_assert_uint_le(n * width, sizeof values / sizeof *values);
    return (glshape_matrix){GLSHAPE_F64, n, width, values};
}

typedef double (*maker)(size_t row, size_t col);

static void check_made(const char *what, size_t n, size_t width, maker make) {
    glshape_matrix m = doubles(n, width);
    for (size_t i = 0; i < n * width; i++) ((double *)m.data)[i] = make(i / width, i % width);
    check_distances(&m, what);
}

/* ---- cases ----------------------------------------------------------------------------------------- */

static double uniform(size_t row, size_t col) { return (void)row, (void)col, trial_between(-3, 5); }
/* Rows that differ in the twelfth digit. */
static double offset(size_t row, size_t col) {
    return (void)row, 1e6 * (double)(col + 1) + trial_between(0, 1e-6);
}
static double magnitudes(size_t row, size_t col) {
    return (void)row, (void)col, copysign(pow(10, trial_between(-20, 20)), trial_between(-1, 1));
}
static double tiny(size_t row, size_t col) { return (void)row, (void)col, 1e-30 * trial_between(0.5, 1); }
static double huge(size_t row, size_t col) { return (void)row, (void)col, 1e30 * trial_between(-1, 1); }
static double nearly_equal(size_t row, size_t col) {
    return 1 + (double)col + (row % 2 ? 0 : 1e-9 * (double)col * (double)row);
}

static double angle;

/* Rows of any length at about that angle to each other; of values and of their deviations from the row's
 * mean. */
static double nearly_parallel(size_t row, size_t col) {
    double direction = sin(1.0 + 3.0 * (double)col), aside = angle * trial_between(-1, 1);
    return pow(10, (double)(row % 5) - 2) * (direction + aside) + (row % 3 == 0 ? 0 : 1e-9);
}

START_TEST(test_nearly_parallel) {
    static const double angles[] = {1e-2, 1e-4, 1e-5, 1e-6, 1e-8};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        angle = angles[i];
        check_made("nearly parallel", 30, 5, nearly_parallel);
        check_made("nearly parallel, wide", 30, 300, nearly_parallel);
    }
}
END_TEST

/* Multiples of one row: parallel but for rounding, which must not be taken for a difference. */
static double multiples(size_t row, size_t col) {
    return (1 + (double)row / 7) * (0.1 + (double)(col * col));
}

START_TEST(test_parallel) {
    glshape_matrix m = doubles(30, 9);
    uint32_t *order = trial_memory(30, sizeof *order);
    for (size_t i = 0; i < 30 * 9; i++) ((double *)m.data)[i] = multiples(i / 9, i % 9);
    random_permutation(trial_random(), 30, order);
    for (glshape_metric metric = GLSHAPE_METRIC_COSINE; metric <= GLSHAPE_METRIC_CORRELATION; metric++) {
        dist_source p;
        TRIAL_OK(dist_points_new(test_gpu(), &m, metric, order, &p));
        const double *got = read_all(&p);
        dist_source_free(&p);
        for (uint32_t i = 0; i < 30 * 30; i++) TRIAL_CHECK(i % 31 == 0 || got[i] == 0);
    }
}
END_TEST

START_TEST(test_widths) {
    static const size_t widths[] = {1, 3, 4, 5, 9, 33, 784};
    for (int i = 0; i < 7; i++) check_made("uniform", 21, widths[i], uniform);
}
END_TEST

START_TEST(test_few_rows) {
    for (size_t n = 2; n < 10; n++) check_made("uniform", n, 3, uniform);
}
END_TEST

START_TEST(test_nasty) {
    check_made("huge offsets", 33, 5, offset);
    check_made("1e-20 to 1e20", 33, 5, magnitudes);
    check_made("tiny", 20, 3, tiny);
    check_made("huge", 20, 3, huge);
}
END_TEST

/* Every type holds the same small numbers, and its own extremes. */
START_TEST(test_types){
#define TYPE(name, ctype, code)                                                                         \
    {                                                                                                   \
        ctype values[30 * 4];                                                                           \
        for (size_t i = 0; i < 30 * 4; i++) values[i] = (ctype)(random_below(trial_random(), 100) + 1); \
        for (size_t i = 0; i < 30; i++) values[4 * i + 3] = (ctype)(values[4 * i] + 7);                 \
        glshape_matrix m = {name, 30, 4, values};                                                       \
        check_distances(&m, code);                                                                      \
        memset(values, 0x7f, 3 * sizeof *values);                                                       \
        values[5] = (ctype)(-1);                                                                        \
        if (name != GLSHAPE_F32 && name != GLSHAPE_F64) check_distances(&m, code " with extremes");     \
    }
    GLSHAPE_TYPES(TYPE)
#undef TYPE
} END_TEST

    /* All rows equal: every dissimilarity is exactly 0. */
    static double equal_rows(size_t row, size_t col) {
    return (void)row, 0.1 + (double)col;
}

START_TEST(test_equal_rows) {
    check_made("equal rows", 12, 5, equal_rows);
    check_made("equal but for a little", 12, 5, nearly_equal);
}
END_TEST

/* ---- sparse rows ----------------------------------------------------------------------------------- */

/* Rows of which about a third of the values are there, none empty; dense in doubles, sparse in m. */
static glshape_sparse sparse_rows(const glshape_matrix *dense) {
    size_t n = dense->rows, width = dense->cols, used = 0, *start = trial_memory(n + 1, sizeof *start);
    uint32_t *column = trial_memory(n * width, sizeof *column);
    float *value = trial_memory(n * width, sizeof *value);
    for (size_t i = 0; i < n * width; i++) {
        size_t row = i / width, col = i % width;
        if (!col) start[row] = used;
        bool there = col == row % width || random_below(trial_random(), 3) == 0;
        float x = there ? (float)trial_between(-3, 5) : 0;
        ((double *)dense->data)[i] = x;
        if (there) column[used] = (uint32_t)col, value[used++] = x;
    }
    start[n] = used;
    return (glshape_sparse){n, width, start, column, value};
}

START_TEST(test_sparse_tables) {
    static const size_t sizes[][2] = {{2, 1}, {3, 4}, {31, 9}, {32, 2}, {33, 40}, {60, 800}};
    for (int i = 0; i < 6; i++)
        for (glshape_metric metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_COSINE; metric++) {
            glshape_matrix m = doubles(sizes[i][0], sizes[i][1]);
            glshape_sparse rows = sparse_rows(&m);
            uint32_t *order = trial_memory(m.rows, sizeof *order);
            dist_source p;
            random_permutation(trial_random(), (uint32_t)m.rows, order);
            trial_where("sparse, %zu × %zu, metric %d", m.rows, m.cols, metric);
            TRIAL_OK(dist_sparse_new(test_gpu(), &rows, metric, order, &p));
            TRIAL_OK(dist_tabulate(test_gpu(), &p));
            trial_judge(TRIAL_DISTANCE, table_error(&m, metric, order, read_all(&p)));
            dist_source_free(&p);
            trial_clear();
        }
}
END_TEST

START_TEST(test_the_tester) {
    glshape_matrix m = doubles(20, 3);
    for (size_t i = 0; i < 60; i++) ((double *)m.data)[i] = uniform(0, 0);
    uint32_t *order = trial_memory(20, sizeof *order);
    random_permutation(trial_random(), 20, order);
    dist_source p;
    TRIAL_OK(dist_points_new(test_gpu(), &m, GLSHAPE_METRIC_EUCLIDEAN, order, &p));
    double *got = read_all(&p);
    dist_source_free(&p);
    TRIAL_CHECK(trial_passes(TRIAL_DISTANCE, table_error(&m, GLSHAPE_METRIC_EUCLIDEAN, order, got)));
    TRIAL_CHECK(!trial_passes(TRIAL_DISTANCE, table_error(&m, GLSHAPE_METRIC_MANHATTAN, order, got)));
    got[33] += 1e-4;
    TRIAL_CHECK(!trial_passes(TRIAL_DISTANCE, table_error(&m, GLSHAPE_METRIC_EUCLIDEAN, order, got)));
    got[33] = NAN;
    TRIAL_CHECK(!trial_passes(TRIAL_DISTANCE, table_error(&m, GLSHAPE_METRIC_EUCLIDEAN, order, got)));
    got[33] = ref_dissimilarity(&m, GLSHAPE_METRIC_EUCLIDEAN, order[1], order[13]);
    uint32_t first = order[0];
    order[0] = order[1], order[1] = first;
    TRIAL_CHECK(!trial_passes(TRIAL_DISTANCE, table_error(&m, GLSHAPE_METRIC_EUCLIDEAN, order, got)));
}
END_TEST

void mds_distance_cases(Suite *s) {
    TCase *c = trial_case(s, "dissimilarities");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_widths);
    tcase_add_test(c, test_few_rows);
    tcase_add_test(c, test_nearly_parallel);
    tcase_add_test(c, test_parallel);
    tcase_add_test(c, test_nasty);
    tcase_add_test(c, test_types);
    tcase_add_test(c, test_equal_rows);
    tcase_add_test(c, test_sparse_tables);
}
