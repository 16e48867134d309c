/* The filtered complex that everything in rips looks at: distances and a threshold. The value of a simplex is
 * its diameter, its index that of persistence/simplex.h. The value of a point is its birth. */
#ifndef GLSHAPE_RIPS_SPACE_H
#define GLSHAPE_RIPS_SPACE_H

#include "persistence/complex.h"
#include "persistence/simplex.h"

#define RIPS_MOST_DIM 16                       /* of a column; far more than any input can afford */
#define RIPS_MOST_VERTICES (RIPS_MOST_DIM + 2) /* of a simplex */

/* Points within the threshold of each point, ascending: CSR. */
typedef struct rips_graph {
    size_t *start;   /* n + 1 */
    uint32_t *point; /* start[n] */
    float *distance;
} rips_graph;

typedef struct rips_space {
    uint32_t n;
    int most_vertices;    /* simplices have at most so many */
    float greatest;       /* no finite distance is greater */
    float threshold;      /* finite; simplices beyond it do not exist */
    float *distance;      /* n × n, row after row, 0 on the diagonal; NULL: there is only the graph */
    bool may_be_negative; /* distances as they are given: points have births */
    float *birth;         /* of each point, at most the values of its edges; NULL: all are 0 */
    rips_graph graph;     /* of the distances up to the threshold; with a matrix only where it is faster */
    bool lists_are_short; /* so much shorter than rows that cofacets are found in the lists */
    bool matrix_of_lists; /* without a matrix: the device may make that of the graph */
    simplex_table simplices;
    uint32_t modulus;
    uint32_t *inverse; /* modulus entries */
} rips_space;

/* Whether a matrix of all distances is there, or may be on the device. */
static inline bool rips_may_have_matrix(const rips_space *s) { return s->distance || s->matrix_of_lists; }

static inline uint64_t rips_choose(const rips_space *s, uint32_t v, int k) {
    return simplex_choose(&s->simplices, v, k);
}

/* Refuses n and most_vertices whose indices overflow 63 bits, with the dimension that can be done. */
glshape_status rips_space_check(error *err, size_t n, int most_vertices);
/* Binomials and inverses for a space whose n is set; refuses what rips_space_check() refuses. */
glshape_status rips_space_prepare(error *err, rips_space *s, int most_vertices, uint32_t modulus);
/* Sets *few to whether a matrix has at most so many simplices of each of the dimensions 1 to dim. If it has
 * about as many, *few may be false. */
glshape_status rips_has_at_most(error *err, const rips_space *s, int dim, uint64_t most, bool *few);
/* How many threads go through the matrix of so many points, of those wanted: with few points one is done
 * before others begin. */
static inline int rips_threads(const rips_space *s, int wanted) { return s->n < 512 ? 1 : wanted; }
void rips_space_free(rips_space *s);
void rips_graph_free(rips_graph *g);

/* Returns the first place in [at, end) of ascending points that has p or more. The steps double. */
static inline size_t rips_skip_up(const uint32_t *point, size_t at, size_t end, uint32_t p) {
    if (at == end || point[at] >= p) return at;
    size_t step = 1, high;
    for (; end - at > step && point[at + step] < p; step *= 2) at += step;
    high = end - at > step ? at + step : end;
    for (at++; at < high;) {
        size_t middle = at + (high - at) / 2;
        if (point[middle] < p) at = middle + 1;
        else high = middle;
    }
    return at;
}

/* The same downwards: the last place in [first, end] before which all points are at most p. */
static inline size_t rips_skip_down(const uint32_t *point, size_t first, size_t end, uint32_t p) {
    if (end == first || point[end - 1] <= p) return end;
    size_t step = 1, low;
    for (end--; end - first >= step && point[end - step] > p; step *= 2) end -= step;
    low = end - first >= step ? end - step + 1 : first;
    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (point[middle] <= p) low = middle + 1;
        else end = middle;
    }
    return low;
}

/* The longest list of neighbors of s. */
size_t rips_longest_list(const rips_space *s);

/* The distance of two points in the graph; INFINITY where it has none. */
float rips_graph_distance(const rips_graph *g, uint32_t i, uint32_t j);
/* The distance of two points; INFINITY where there is only the graph and it has none. */
static inline float rips_distance(const rips_space *s, uint32_t i, uint32_t j) {
    return s->distance ? s->distance[(size_t)i * s->n + j] : rips_graph_distance(&s->graph, i, j);
}

/* Fills out, which has room for n entries, with the cofacets of the simplex e, of so many vertices, whose
 * diameters are wanted (upto is at most the threshold). They come by descending new vertex. The coefficient
 * of a cofacet is e's times its sign in the coboundary of e (Ripser's convention). Returns how many there
 * are. */
size_t rips_cofacets(const rips_space *s, cell e, int vertices, cell_range wanted, cell *out);

/* Returns true if c, of so many vertices, is the cofacet of an apparent pair; *facet is then the index of its
 * facet. That is the last of c's facets that have c's diameter, and c is the first of its cofacets that have
 * it. Both tests look at distances alone: no pair is stored (Bauer 2021, section 3.5). */
bool rips_apparent_facet(const rips_space *s, cell c, int vertices, uint64_t *facet);
/* Returns true if the simplex of so many vertices v, the greatest first, is in an apparent pair, with a facet
 * or with a cofacet. */
bool rips_is_apparent(const rips_space *s, const uint32_t *v, int vertices, float diameter);

/* Returns the complex for the reduction. It refers to s and lasts as long. */
filtered_complex rips_complex(const rips_space *s);

#endif
