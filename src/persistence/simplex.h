/* The combinatorial number system that names simplices: one with vertices v[0] > v[1] > … > v[d] has the
 * index Σ C(v[i], d + 1 - i). Source: Zhang et al., "GPU-accelerated computation of Vietoris-Rips persistence
 * barcodes", 2020, section 3.1. */
#ifndef GLSHAPE_PERSISTENCE_SIMPLEX_H
#define GLSHAPE_PERSISTENCE_SIMPLEX_H

#include "base/error.h"

/* C(n, k); UINT64_MAX if that, or more, is what it is. */
uint64_t simplex_binomial(uint64_t n, int k);
/* The index of distinct vertices in any order, at most SIMPLEX_MOST_VERTICES; GLSHAPE_NO_SIMPLEX if 64 bits
 * do not hold it. */
#define SIMPLEX_MOST_VERTICES 18
glshape_simplex simplex_index(const uint32_t *v, int vertices);

/* The same for points below n, where many simplices are named. */
typedef struct simplex_table {
    uint32_t n;
    int first;          /* C(v, k) is looked up from this k on */
    uint64_t *binomial; /* C(v, k) at [(k - first) × (n + 1) + v]; UINT64_MAX where it does not fit 63 bits */
} simplex_table;

/* For up to `most` vertices. GLSHAPE_NO_MEMORY. */
glshape_status simplex_table_new(error *err, uint32_t n, int most, simplex_table *out);
void simplex_table_free(simplex_table *t);
size_t simplex_table_bytes(size_t n, int most);

/* Few factors are multiplied sooner than a table of many points is read, which no cache holds. */
#define SIMPLEX_FACTORS 3
#define SIMPLEX_FACTORS_FIT (1u << 21) /* C(v, 3) of less fits 63 bits, and three times that, too */
static inline uint64_t simplex_choose(const simplex_table *t, uint32_t v, int k) {
    uint64_t x = v;
    if (k >= t->first) return t->binomial[(size_t)(k - t->first) * (t->n + 1) + v];
    if (k == 1) return x;
    if (k == 2) return x * (x - 1) / 2;
    return k ? x * (x - 1) / 2 * (x - 2) / 3 : 1;
}

/* The vertices of a simplex, descending; the index of descending vertices. */
void simplex_table_vertices(const simplex_table *t, uint64_t index, int vertices, uint32_t *out);
uint64_t simplex_table_index(const simplex_table *t, const uint32_t *v, int vertices);

#endif
