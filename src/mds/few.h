/* Layouts of few points, which need no device. */
#ifndef GLSHAPE_MDS_FEW_H
#define GLSHAPE_MDS_FEW_H

#include "mds/state.h"

/* Up to so many points, all pairs of many attempts take less time than passes would. */
#define MDS_FEW_POINTS 100u
/* There is nothing left to improve in a layout of so little stress. */
#define MDS_NO_STRESS 1e-9

/* Whether a layout of n points, n >= 2, is made without a device: a user who names one wants its passes, who
 * has a matrix paged or fed wants that. */
bool mds_is_few(const gpu *g, const glshape_source *source, const glshape_mds_options *o, uint32_t n);
/* As mds_lay_out, of a source that mds_check_source has seen. */
glshape_status mds_lay_out_few(run *run, const glshape_source *source, const glshape_mds_options *o,
                               uint32_t n, uint32_t dim, int attempts, glshape_mds_result *r, double *total);

#endif
