/* A layout in a file, for rows to be added to it later. */
#ifndef GLSHAPE_CLI_MDS_MODEL_H
#define GLSHAPE_CLI_MDS_MODEL_H

#include "cli/session.h"
#include "glshape.h"

/* A layout and the points that it is of, if it is of points. */
typedef struct mds_model {
    glshape_mds_result result; /* its arrays are those of `read` */
    glshape_source source;
    glshape_matrix points;
    void *read[4];
} mds_model;

/* GLSHAPE_BAD_ARGUMENT, unless path ends in .npz. */
glshape_status mds_model_check(error *err, const char *option, const char *path);
/* Writes an .npz file of layout, metric (that of glshape_metric), p, correction and constant; of classical
 * scaling also eigenvalues and mean_squares; of dense points also points. */
glshape_status mds_model_write(error *err, const char *path, const glshape_mds_result *r,
                               const glshape_source *source);
/* mds_model_free(), also after a failure. Errors as io_read_npz(). */
glshape_status mds_model_read(error *err, const char *path, mds_model *out);
void mds_model_free(mds_model *m);

#endif
