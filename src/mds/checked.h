/* A reader's matrix, checked as it is read. */
#ifndef GLSHAPE_MDS_CHECKED_H
#define GLSHAPE_MDS_CHECKED_H

#include <stdatomic.h>

#include "base/error.h"

typedef struct mds_checked {
    glshape_row_reader reader;
    void *user;
    uint32_t n;
    atomic_bool refused; /* a value was no distance */
} mds_checked;

/* Puts c between a source and its reader: then a value that is negative or infinite ends the reading, with
 * its row and column. c must outlive the source. */
void mds_check_reader(mds_checked *c, glshape_source *source);

/* GLSHAPE_BAD_INPUT if the points fall into pieces that no distance joins, as all between them are missing: a
 * layout would have no place for one beside the other. Reads few rows where few distances are missing, all at
 * most. */
glshape_status mds_check_joined(error *err, const glshape_source *source);

#endif
