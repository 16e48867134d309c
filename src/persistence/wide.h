/* A very long working column, which all threads reduce at once.
 *
 * Its cells lie in buckets by value. All cells of the first bucket are added up by sorting. Those in apparent
 * pairs are cancelled together, wherever they stand: the columns of their facets are added, and every thread
 * makes cofacets. This is repeated until no such cell is left in the bucket. The first cell that remains is
 * the pivot, as if one pivot had been cancelled after the other. */
#ifndef GLSHAPE_PERSISTENCE_WIDE_H
#define GLSHAPE_PERSISTENCE_WIDE_H

#include "base/threads.h"
#include "persistence/complex.h"

typedef struct wide_column wide_column;

/* The column of `terms`, whose cells below `value` are known to cancel; value is greater than that of the
 * column's own cell. Cofacets are made for a range of so many values (step) at a time. terms becomes the wide
 * column's until wide_free(). NULL: not enough memory. */
wide_column *wide_new(const filtered_complex *k, int dim, threads_team *team, cell_pile *terms, float value,
                      float step);
void wide_free(wide_column *w);

/* Appends the cells that are left of the first bucket that has any, in no order; they are in no apparent
 * pair. None: the column is zero. False: not enough memory. */
bool wide_left(wide_column *w, cell_pile *left);
/* Adds columns of terms whose pivots are not before the first cell that is left. False: the same. */
bool wide_add(wide_column *w, const cell *terms, size_t count);
/* Cofacets made so far. */
uint64_t wide_cofacets(const wide_column *w);
size_t wide_bytes(const wide_column *w);

#endif
