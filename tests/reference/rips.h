/* Slow, obvious twins of rips: simplices, persistence pairs by the standard algorithm on explicit matrices,
 * apparent pairs by their definition. Conventions of Zhang, Xiao and Wang, "GPU-accelerated computation of
 * Vietoris-Rips persistence barcodes", 2020, sections 2.2 and 2.3, which are Ripser's:
 * - the diameter of a simplex is its longest edge, a vertex's is its birth, or 0;
 * - the filtration goes by rising diameter, then rising dimension, then falling combinatorial index;
 * - the index of vertices v_0 > v_1 > … > v_d is Σ C(v_i, d + 1 - i). */
#ifndef GLSHAPE_TESTS_REFERENCE_RIPS_H
#define GLSHAPE_TESTS_REFERENCE_RIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REF_RIPS_VERTICES = 8 }; /* of a simplex, at most */
#define REF_RIPS_NONE UINT64_MAX

/* Distances: n × n, symmetric, INFINITY where there is no edge; the diagonal is not read. Edges above the
 * threshold are in no simplex. */
typedef struct ref_rips {
    uint32_t n;
    const float *distances;
    float threshold;
    const float *births; /* of vertices, none above an edge's value; NULL: 0 */
} ref_rips;

typedef struct ref_simplex {
    int dim;
    float diameter;
    uint64_t index;
    uint32_t v[REF_RIPS_VERTICES]; /* dim + 1 of them, falling */
} ref_simplex;

/* A class of dimension dim; death INFINITY and died REF_RIPS_NONE where it never dies. birth == death: of
 * zero persistence. */
typedef struct ref_rips_pair {
    int dim;
    float birth, death;
    uint64_t born, died; /* indices of a simplex of dimension dim and of one of dimension dim + 1 */
} ref_rips_pair;

/* C(n, k). */
uint64_t ref_binomial(uint64_t n, uint64_t k);

/* Lists below are new blocks (never NULL), which the caller frees. */

/* All simplices of a dimension, in filtration order. */
ref_simplex *ref_rips_simplices(const ref_rips *r, int dim, size_t *count);

/* All pairs of dimensions 0 … top over Z/modulus, a prime: by dimension, then as their births stand in the
 * filtration. Takes simplices(top)·simplices(top + 1) steps or more. */
ref_rips_pair *ref_rips_pairs(const ref_rips *r, int top, uint32_t modulus, size_t *count);

/* The other half of the apparent pair (s, t) of zero persistence: s is the youngest facet of t (last in the
 * filtration), t the oldest cofacet of s (first in it), their diameters are equal. Dimension 0 has pairs
 * that meet the first two and not the third; above it the third follows. False: there is none. */
bool ref_rips_apparent_cofacet(const ref_rips *r, const ref_simplex *s, ref_simplex *t);
bool ref_rips_apparent_facet(const ref_rips *r, const ref_simplex *t, ref_simplex *s);

/* How many apparent pairs there are of simplices of dimensions dim and dim + 1. */
size_t ref_rips_apparent(const ref_rips *r, int dim);

/* The simplices of a dimension in no apparent pair, neither as facet nor as cofacet: by falling diameter,
 * then rising index, which is the filtration backwards. */
ref_simplex *ref_rips_left(const ref_rips *r, int dim, size_t *count);

/* The first `count` points of the greedy permutation: point 0, then always the one farthest from those before
 * it, of equal ones the smallest. Returns how far the next one is; 0 if there is none. */
float ref_rips_greedy(const ref_rips *r, uint32_t count, uint32_t *order);

#endif
