/* Clearing: columns that are known to be zero are not reduced. */
#ifndef GLSHAPE_RIPS_CLEAR_H
#define GLSHAPE_RIPS_CLEAR_H

#include "rips/enumerate.h"

/* Removes from c the columns of `count` different indices, in any order. GLSHAPE_NO_MEMORY. */
glshape_status rips_clear(error *err, const uint64_t *indices, size_t count, int threads, rips_columns *c);

#endif
