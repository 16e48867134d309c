/* Trees as Newick text. */
#ifndef GLSHAPE_CLI_NEWICK_H
#define GLSHAPE_CLI_NEWICK_H

#include "io/label_list.h"

/* Writes the tree of a linkage matrix. A branch is as long as what lies between the heights of its ends;
 * above a merge at height inf there is no length. Leaves have their names, in single quotes if these need
 * them, or without names their numbers from 0. */
glshape_status newick_write(error *err, const char *path, size_t n, const double *merges,
                            const io_label_list *names);

#endif
