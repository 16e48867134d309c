/* The state of a packed matrix that is being written: of which input it is and how many rows are done. */
#ifndef GLSHAPE_IO_DISTANCES_PACK_STATE_H
#define GLSHAPE_IO_DISTANCES_PACK_STATE_H

#include "io/distances/distances_internal.h"

/* Writes to path, in one step and on the disk, that `rows` rows of the output of `in` are done. Returns
 * false, with errno, if it cannot. */
bool pack_state_write(const char *path, const io_distances *in, bool symmetrize, uint32_t rows);

/* Returns how many rows of this input are done, by the state at path; 0 if that is of another input or
 * damaged. *there: the state exists. */
uint32_t pack_state_read(const char *path, const io_distances *in, bool symmetrize, bool *there);

#endif
