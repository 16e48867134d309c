/* Any source as the rows of its matrix of distances, checked as they are read. */
#ifndef GLSHAPE_MDS_ROWS_H
#define GLSHAPE_MDS_ROWS_H

#include "dist/paths.h"
#include "mds/checked.h"
#include "mds/compare.h"
#include "mds/feed.h"

typedef struct mds_rows {
    glshape_source source; /* with a reader */
    dist_reader reader;
    mds_checked checked; /* .refused: reading failed as a value was no distance */
    mds_compared compared;
    mds_fed fed;
    dist_paths *paths;
} mds_rows;

/* The rows of a source that mds_check_source has seen; it must outlive r, which stays where it is.
 * mds_rows_free(), also after a failure. Errors: as glshape_mds. */
glshape_status mds_rows_new(run *run, const glshape_source *source, mds_rows *r);
void mds_rows_free(mds_rows *r);

#endif
