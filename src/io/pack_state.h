/* The file beside a packed matrix that is being written: of what, and how far it is. */
#ifndef GLSHAPE_IO_PACK_STATE_H
#define GLSHAPE_IO_PACK_STATE_H

#include "io/distances_internal.h"

/* Writes that rows are done of the output of in to path, on the disk, in one step. false with
 * errno if it cannot. */
bool pack_state_write(const char *path, const io_distances *in, bool symmetrize, uint32_t rows);

/* How many rows the state at path says are done of this input; 0 if it is of another one or is damaged.
 * *there: it exists. */
uint32_t pack_state_read(const char *path, const io_distances *in, bool symmetrize, bool *there);

#endif
