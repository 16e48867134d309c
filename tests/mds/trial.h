/* The workbench of the tests of mds: made-up points, layouts and sets, their textures, and comparisons with
 * the twins of tests/reference, cleared away after each test. */
#ifndef GLSHAPE_TESTS_MDS_TRIAL_H
#define GLSHAPE_TESTS_MDS_TRIAL_H

#include "base/random.h"
#include "reference/mds.h"
#include "suites.h"

/* ---- data ------------------------------------------------------------------------------------------ */

/* REAL: uniform. WHOLE: small integers, so that float32 distances are exact and ties have one order.
 * CLUSTERED: whole, few different rows. SAME: all rows equal. SIGNS: ±1/√H, H a power of 4: unit rows whose
 * cosines are exact. */
typedef enum { TRIAL_REAL, TRIAL_WHOLE, TRIAL_CLUSTERED, TRIAL_SAME, TRIAL_SIGNS } trial_pattern;

/* What a test asks for. */
typedef struct trial_shape {
    uint32_t n, width, dim;
    glshape_metric metric;
    trial_pattern pattern;
    bool coincident; /* the layout: few different positions, each shared by many */
} trial_shape;

/* One input of the passes of mds, on the host. */
typedef struct trial {
    trial_shape shape;
    float *points;           /* n × width */
    float *place, *velocity; /* n × dim */
    uint32_t *perm;          /* the first m of n count */
    uint32_t m, offset, fixed, fresh;
    ref_sets *sets; /* of n points, before the pass */
} trial;

/* Adds a test case whose tests leave no texture, no memory and no other stage behind. */
TCase *trial_case(Suite *s, const char *name);

/* A trial of a shape: all points drawn from (m = n), none fixed, none fresh, velocities, no sets yet. */
trial trial_new(trial_shape shape);
/* Redraws the permutation, of 0 … m-1, and the offset. */
void trial_shuffle(trial *t, uint32_t m);
ref_spaces trial_spaces(const trial *t);
ref_draw trial_draw(const trial *t);

random_state *trial_random(void);
void trial_reseed(void); /* at the start of every test; GLSHAPE_TEST_SEED sets the seed */
double trial_between(double low, double high);

/* ---- memory and textures, until trial_clear (or the end of the test) ------------------------------- */

void *trial_memory(size_t count, size_t size); /* zeroed */
/* data NULL: the texture is filled with junk, so that what a pass leaves out is noticed. */
gpu_texture *trial_texture(gpu_format format, uint32_t elements, uint32_t texels, const void *data);
/* Rows of width floats as elements of ⌈width/4⌉ texels, padded with 0. rows NULL: junk. */
gpu_texture *trial_rows(uint32_t n, uint32_t width, const float *rows);
void *trial_fetch(gpu_texture *t);
/* Rows as floats; the padding must still be 0. */
float *trial_fetch_rows(gpu_texture *t, uint32_t width);
void trial_clear(void);
/* METRIC of a pass for a metric. */
int trial_metric(glshape_metric metric);
/* As arguments of a pass, the variant for a shape: with points, and of the layout. */
#define TRIAL_POINTS(shape) \
    .SOURCE = DIST_POINTS, .METRIC = trial_metric((shape)->metric), .TEXELS = (int)((shape)->width + 3) / 4
#define TRIAL_LAYOUT(shape) .DIM = (int)(shape)->dim
/* Runs check(t) with texel kernels in the compute and in the fragment stage. */
void trial_each_stage(const trial *t, void (*check)(const trial *t));

/* ---- comparison ------------------------------------------------------------------------------------ */

/* What is measured, its largest allowed relative error, and relative to what. */
#define TRIAL_MEASURES(X)                                                                         \
    X(TRIAL_SETS, 4e-6, "near and random sets: to δ + d")                                         \
    X(TRIAL_TERMS, 4e-6, "terms of the sparse stress: to Σ(δ² + d²)")                             \
    X(TRIAL_MOVE, 1e-6, "positions and velocities: to the largest")                               \
    X(TRIAL_CLOSING, 2e-6, "positions after a closing step: to the largest position or distance") \
    X(TRIAL_SETTLING, 1e-5, "the same of a settling step, which adds up all points")              \
    X(TRIAL_ESTIMATE, 1e-6, "terms of the sampled stress: to Σ(δ² + d²)")                         \
    X(TRIAL_STRESS, 1e-6, "sums of the exact stress: to Σ(δ² + d²)")                              \
    X(TRIAL_PRODUCT, 2e-6, "products of squared distances: to the largest")                       \
    X(TRIAL_DISTANCE, 2e-6, "dissimilarities: to the largest")

#define TRIAL_MEASURE_ENUM(name, tolerance, text) name,
typedef enum { TRIAL_MEASURES(TRIAL_MEASURE_ENUM) TRIAL_MEASURE_COUNT } trial_measure;
#undef TRIAL_MEASURE_ENUM

/* Says where the test is; a failing check prints it with the seed. */
void trial_where(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *trial_place(void);
/* Says where: the shape and the draw of a trial. */
void trial_where_is(const trial *t);

#define TRIAL_OK(expr) \
    ck_assert_msg((expr) == GLSHAPE_OK, "%s: %s", run_error(run_of(test_gpu()))->text, trial_place())
#define TRIAL_CHECK(condition) ck_assert_msg((condition), "%s: %s", #condition, trial_place())

/* Fails unless error ≤ the measure's tolerance. GLSHAPE_TEST_ERRORS set: prints the largest at the end. */
void trial_judge(trial_measure measure, double error);
bool trial_passes(trial_measure measure, double error);

/* The larger of two errors; NaN wins. */
double trial_worse(double a, double b);
/* |got - want| / scale; 0 if both are equal, whatever the scale. */
double trial_relative(double got, double want, double scale);

#endif
