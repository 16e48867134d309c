/* The pages of a matrix: one sequential scan puts what every page needs into a file, in the order in which
 * the GPU will ask for it. */
#ifndef GLSHAPE_DIST_ARRANGE_H
#define GLSHAPE_DIST_ARRANGE_H

#include "dist/pager.h"

/* Bytes of one page, and of all pages of the phases before `phase`. */
size_t arrange_page_bytes(const dist_phase *phase);
size_t arrange_offset(const dist_phase *phases, int phase);

/* Makes *out a mapped temporary file of `bytes` bytes for pages; munmap() releases it. GLSHAPE_IO_ERROR if
 * there is no room, with the bytes needed. */
glshape_status arrange_store(error *err, size_t bytes, float **out);

/* Scans the matrix and fills the store. */
glshape_status arrange(run *r, const dist_pager_options *o, float *store);

#endif
