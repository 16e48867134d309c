/* The filtered complex that everything in rips looks at: distances and a threshold. The value of a simplex is
 * its diameter, its index that of persistence/simplex.h. */
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
    int most_vertices; /* simplices have at most so many */
    float greatest;    /* no finite distance is beyond */
    float threshold;   /* finite; simplices beyond it do not exist */
    float *distance;   /* n × n, row after row, 0 on the diagonal; NULL: there is only the graph */
    rips_graph graph;  /* of the distances up to the threshold; beside a matrix only if that is of use */
    bool few;          /* the lists are so much shorter than rows that cofacets are found in them */
    simplex_table simplices;
    uint32_t modulus;
    uint32_t *inverse; /* modulus entries */
} rips_space;

static inline uint64_t rips_choose(const rips_space *s, uint32_t v, int k) {
    return simplex_choose(&s->simplices, v, k);
}

/* Refuses n and most_vertices whose indices overflow 63 bits, with the dimension that can be done. */
glshape_status rips_space_check(error *err, size_t n, int most_vertices);
/* Binomials and inverses for a space whose n is set; refuses what rips_space_check() refuses. */
glshape_status rips_space_prepare(error *err, rips_space *s, int most_vertices, uint32_t modulus);
void rips_space_free(rips_space *s);

/* The distance of two points; INFINITY where the graph has none. */
float rips_distance(const rips_space *s, uint32_t i, uint32_t j);
/* The greatest distance among them; 0 of one. */
float rips_diameter(const rips_space *s, const uint32_t *v, int vertices);

/* Cofacets of the simplex e with `vertices` vertices, of the diameters wanted (upto at most the threshold),
 * by descending new vertex, with e's coefficient times their sign in the coboundary (Ripser's convention).
 * out has room for n entries. Returns how many. */
size_t rips_cofacets(const rips_space *s, cell e, int vertices, cell_range wanted, cell *out);

/* The simplex of which c (vertices many) is the apparent cofacet: the facet τ of c that lacks the greatest
 * possible vertex and has c's diameter, if c is also the cofacet of τ with the greatest new vertex and that
 * diameter. *tau gets its index. Both look at distances alone: nothing is stored (Bauer 2021, section 3.5).
 */
bool rips_apparent_facet(const rips_space *s, cell c, int vertices, uint64_t *tau);
/* Whether e (vertices many) is paired with a cofacet or with a facet in that way. */
bool rips_apparent(const rips_space *s, cell e, int vertices);

/* The complex as the reduction has it; it lasts as long as s. */
filtered_complex rips_complex(const rips_space *s);

#endif
