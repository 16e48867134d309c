/* The suite of the passes of mds, each against its twin. */
#include "mds/cases.h"

#define EUC GLSHAPE_METRIC_EUCLIDEAN
#define MAN GLSHAPE_METRIC_MANHATTAN
#define COS GLSHAPE_METRIC_COSINE

/* n, width, dim, metric, pattern, coincident. */
static const trial_shape shapes[] = {
    /* fewer points than a draw takes: partners repeat, and a point meets itself */
    {2, 1, 1, EUC, TRIAL_WHOLE, false},
    {2, 3, 2, EUC, TRIAL_REAL, true},
    {3, 3, 2, EUC, TRIAL_WHOLE, false},
    {5, 1, 1, EUC, TRIAL_REAL, false},
    {5, 3, 2, EUC, TRIAL_WHOLE, true},
    {8, 3, 2, EUC, TRIAL_WHOLE, false},
    {9, 3, 2, EUC, TRIAL_SAME, true},
    {9, 9, 5, EUC, TRIAL_REAL, false},
    /* every width and dimension on both sides of a texel */
    {257, 1, 1, EUC, TRIAL_WHOLE, false},
    {257, 1, 1, EUC, TRIAL_WHOLE, true},
    {257, 3, 2, EUC, TRIAL_REAL, false},
    {257, 4, 3, MAN, TRIAL_WHOLE, false},
    {257, 5, 4, EUC, TRIAL_REAL, false},
    {257, 9, 5, EUC, TRIAL_WHOLE, false},
    {257, 9, 5, EUC, TRIAL_WHOLE, true},
    {257, 33, 9, MAN, TRIAL_REAL, false},
    {257, 33, 9, EUC, TRIAL_REAL, true},
    {257, 784, 2, EUC, TRIAL_REAL, false},
    {257, 784, 2, EUC, TRIAL_WHOLE, false},
    {257, 784, 5, MAN, TRIAL_REAL, false},
    /* ties without end */
    {257, 4, 2, COS, TRIAL_SIGNS, false},
    {257, 16, 3, COS, TRIAL_SIGNS, false},
    {257, 64, 2, COS, TRIAL_SIGNS, true},
    {1000, 3, 2, EUC, TRIAL_CLUSTERED, false},
    {1000, 3, 2, EUC, TRIAL_SAME, false},
    {1000, 9, 5, EUC, TRIAL_CLUSTERED, true},
    /* larger */
    {1000, 9, 5, EUC, TRIAL_REAL, false},
    {5000, 3, 2, EUC, TRIAL_REAL, false},
    {5000, 9, 5, EUC, TRIAL_WHOLE, false},
};

void mds_cases_each_shape(void (*check)(trial_shape)) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check(shapes[i]);
}

Suite *mds_passes_suite(void);
Suite *mds_passes_suite(void) {
    Suite *s = suite_create("mds/passes");
    mds_distance_cases(s);
    mds_sample_cases(s);
    mds_move_cases(s);
    mds_stress_cases(s);
    return s;
}
