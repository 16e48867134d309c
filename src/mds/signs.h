/* The signs of a layout's columns, which eigenvectors leave open. */
#ifndef GLSHAPE_MDS_SIGNS_H
#define GLSHAPE_MDS_SIGNS_H

#include "base/error.h"

/* Column c of the layout becomes x[0], x[step], … times a factor, which is not negative; or minus this, if
 * the entry of largest magnitude would be negative, of equal ones the first. */
void mds_write_column(glshape_mds_result *r, int c, const double *x, size_t step, double factor);

#endif
