/* The suite mds_passes: one file a pass or two, and the shapes that all of them are tried on. */
#ifndef GLSHAPE_TESTS_MDS_CASES_H
#define GLSHAPE_TESTS_MDS_CASES_H

#include "mds/trial.h"

/* Each adds its cases. */
void mds_sample_cases(Suite *s);
void mds_move_cases(Suite *s);   /* and closing */
void mds_stress_cases(Suite *s); /* and estimate */
void mds_distance_cases(Suite *s);

/* Calls check with tiny, larger, degenerate, narrow and wide shapes of every metric. */
void mds_cases_each_shape(void (*check)(trial_shape));

/* The sets after the pass, by the twin, of a trial's points (fixed ones keep theirs). */
ref_sets *mds_cases_sets(const trial *t);

#endif
