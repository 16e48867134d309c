/* Sorted union-find: the slow, obvious twin of glshape_mergetree. */
#ifndef GLSHAPE_TESTS_REFERENCE_MERGETREE_H
#define GLSHAPE_TESTS_REFERENCE_MERGETREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* neighbours: as glshape_field has it, but not 0. */
typedef struct ref_grid {
    int dims;
    size_t shape[3];
    bool periodic[3];
    int neighbours;
} ref_grid;

/* The neighbours of a vertex, at most 26, perhaps some twice; returns how many. */
int ref_neighbours(const ref_grid *d, uint32_t v, uint32_t out[26]);

/* The triplets (u, s, v) for u = 0 … n-1 of a grid, or (grid NULL) of a graph with CSR neighbours. */
void ref_mergetree(uint32_t n, const double *values, bool superlevel, const ref_grid *grid,
                   const size_t *start, const uint32_t *to, uint32_t (*triplets)[3]);

/* The same after branches that persist less than `least` are raised to their saddles. */
void ref_simplify(uint32_t n, const double *values, double least, uint32_t (*triplets)[3]);

#endif
