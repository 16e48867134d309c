/* What the tests of whole layouts share: one context, made-up points, results, all cleared away. */
#ifndef GLSHAPE_TESTS_MDS_LAYOUT_H
#define GLSHAPE_TESTS_MDS_LAYOUT_H

#include "mds/trial.h"

/* Each adds its cases. */
void mds_classical_cases(Suite *s);
void mds_few_cases(Suite *s);
void mds_ordinal_cases(Suite *s);
void mds_quality_cases(Suite *s);
void mds_refusal_cases(Suite *s);
void mds_transform_cases(Suite *s);

/* Adds a test case with one context for all its tests, which must close without a live object. */
TCase *layout_case(Suite *s, const char *name);

/* The context of the running case, and its options, which other contexts of the test start from. */
glshape_context *layout_context(void);
glshape_options layout_options(void);

/* n × width doubles from a function of row and column; lives until the end of the test. */
glshape_matrix layout_points(size_t n, size_t width, double (*value)(size_t row, size_t col));
/* Normally distributed, of unit variance; ignores row and column. */
double layout_normal(size_t row, size_t col);

/* What glshape_mds is asked for, beside the points. */
typedef struct layout_request {
    int dim;
    glshape_metric metric;
    glshape_mds_method method;
    uint64_t seed;
    int attempts, decimation, coarsest;
} layout_request;

/* glshape_mds of dense points, as it is. */
glshape_status layout_try(glshape_context *context, const glshape_matrix *points, layout_request request,
                          glshape_mds_result *result);
/* The same, but it must succeed; the result is freed at the end of the test. */
glshape_mds_result layout_with(glshape_context *context, const glshape_matrix *points,
                               layout_request request);
glshape_mds_result layout_of(const glshape_matrix *points, layout_request request); /* in layout_context() */

/* The result beside the points it came from. */
ref_spaces layout_spaces(const glshape_matrix *points, glshape_metric metric, const glshape_mds_result *r);
/* The largest |d - δ| of all pairs, relative to the largest δ. */
double layout_mismatch(const ref_spaces *s);
/* The largest coordinate, and the largest mean of one, in magnitude. */
double layout_extent(const glshape_mds_result *r);
double layout_centre(const glshape_mds_result *r);

#endif
