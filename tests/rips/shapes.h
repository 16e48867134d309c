/* Small inputs of every kind for the suites of rips, and comparisons with its twin. */
#ifndef GLSHAPE_TESTS_RIPS_SHAPES_H
#define GLSHAPE_TESTS_RIPS_SHAPES_H

#include "base/random.h"
#include "reference/rips.h"
#include "suites.h"

enum { MOST = 40, SHAPES = 15, ROUNDS = 4 };

/* What the distances are: whole numbers 1 … `values`, or 0 … too; 0 values: reals. Some pairs have none if
 * gaps. */
typedef struct shape {
    uint32_t n, values;
    bool zeros, gaps;
    float threshold;
} shape;

extern const shape shapes_all[SHAPES];
extern random_state shapes_dice;
extern float shapes_matrix[MOST * MOST]; /* of the last one made */
extern glshape_context *shapes_context;  /* of a suite, from shapes_open to shapes_close */
void shapes_open(void);
void shapes_close(void);

/* Draws a matrix of this shape; with gaps, some of its points are joined to none. */
ref_rips shapes_make(const shape *s);
ref_rips shapes_make_gaps(const shape *s);
/* A reader of the matrix of a ref_rips. */
bool shapes_read(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size);
/* The graph of a matrix: every pair with a distance. start: n + 1; to, weight: n². */
void shapes_graph(const ref_rips *r, glshape_graph *g, size_t *start, uint32_t *to, float *weight);

/* The intervals of the matrix; the second up to the twin's threshold. */
glshape_rips_result shapes_intervals_with(ref_rips *r, glshape_rips_options o);
glshape_rips_result shapes_intervals(ref_rips *r, glshape_rips_options o);
/* Each of the twin's pairs of non-zero length must be among the intervals, and as many as they. */
void shapes_compare(const glshape_rips_result *result, const ref_rips *r, int top, uint32_t modulus);
/* The intervals of the graph of r must be the twin's. */
void shapes_compare_graph(const ref_rips *r, const ref_rips *twin, glshape_rips_options o);
bool shapes_same(const glshape_interval *a, const glshape_interval *b);

#endif
