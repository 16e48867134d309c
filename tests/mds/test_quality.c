/* glshape_mds: how good its layouts are, beside SMACOF's and the paper's. */
#include <math.h>
#include <stdlib.h>

#include "io/read.h"
#include "mds/layout.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The paper reports 0.027 for its Glimmer; SMACOF (scikit-learn) finds 0.0201 to 0.0209. */
START_TEST(test_cancer) {
    glshape_matrix m;
    error err = {0};
    OK(&err, io_read_matrix(&err, "data/cancer.npy", IO_AUTO, &m));
    double stress[5];
    for (uint64_t seed = 1; seed <= 5; seed++)
        stress[seed - 1] = layout_of(&m, (layout_request){.seed = seed}).stress;
    io_matrix_free(&m);
    qsort(stress, 5, sizeof *stress, by_size);
    ck_assert_msg(stress[2] <= 0.0215 && stress[4] <= 0.0225, "median stress %.5f, worst %.5f", stress[2],
                  stress[4]);
}
END_TEST

/* 1089 points of a spiral of one turn and a half, 21 wide, as tests/mds/swiss_roll.py makes them. */
static glshape_matrix swiss_roll(void) {
    enum { N = 1089 };
    double *rows = trial_memory(3 * N, sizeof *rows);
    random_state random = {N};
    for (int i = 0; i < N; i++) {
        double t = 1.5 * 3.14159265358979323846 * (1 + 2 * random_unit(&random));
        rows[3 * i] = t * cos(t);
        rows[3 * i + 1] = 21 * random_unit(&random);
        rows[3 * i + 2] = t * sin(t);
    }
    return (glshape_matrix){GLSHAPE_F64, N, 3, rows};
}

/* `python3 tests/mds/swiss_roll.py` with scikit-learn 1.2.1 (smacof, best of 8 starts, 3000 iterations at
 * most, eps 1e-9) prints 0.043598. */
#define SMACOF_SWISS_ROLL 0.043598

START_TEST(test_swiss_roll) {
    glshape_matrix m = swiss_roll();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double stress = layout_of(&m, (layout_request){.seed = seed}).stress;
        ck_assert_msg(stress <= 1.00001 * SMACOF_SWISS_ROLL, "stress %.5f, SMACOF's %.5f: %s", stress,
                      SMACOF_SWISS_ROLL, trial_place());
    }
}
END_TEST

/* 120 rows of exp(3x), x normal in 5 columns; 150 rows of 4 normal columns, and 3 that are 100 times as far
 * out. The best of SMACOF (scikit-learn 1.2.1; smacof(D, n_components=2, n_init=1, max_iter=600, eps=1e-7,
 * random_state=0 … 3) of the rows' distances), which finds 0.000790, 0.000658, 0.000840 and 0.000702;
 * 0.001669, 0.000385, 0.001641 and 0.000812. */
static const struct {
    const char *path;
    double smacof;
} tails[] = {{"tests/mds/golden/heavy_tails.npy", 0.000658}, {"tests/mds/golden/outliers.npy", 0.000385}};

START_TEST(test_heavy_tails) {
    glshape_matrix m;
    error err = {0};
    double stress[5];
    OK(&err, io_read_matrix(&err, tails[_i].path, IO_AUTO, &m));
    for (uint64_t seed = 0; seed < 5; seed++)
        stress[seed] = layout_of(&m, (layout_request){.seed = seed}).stress;
    io_matrix_free(&m);
    qsort(stress, 5, sizeof *stress, by_size);
    ck_assert_msg(stress[2] <= 1.01 * tails[_i].smacof, "%s: median stress %.6f, SMACOF's best of 4 %.6f",
                  tails[_i].path, stress[2], tails[_i].smacof);
}
END_TEST

/* ---- the paper's grid ------------------------------------------------------------------------------ */

enum { SIDE = 100, SPACE = 8 };

/* Two orthonormal directions of SPACE dimensions. */
static void two_directions(double u[SPACE], double v[SPACE]) {
    double uu = 0, vv = 0, uv = 0;
    for (int c = 0; c < SPACE; c++) u[c] = layout_normal(0, 0), uu += u[c] * u[c];
    for (int c = 0; c < SPACE; c++) u[c] /= sqrt(uu), v[c] = layout_normal(0, 0), uv += u[c] * v[c];
    for (int c = 0; c < SPACE; c++) v[c] -= uv * u[c], vv += v[c] * v[c];
    for (int c = 0; c < SPACE; c++) v[c] /= sqrt(vv);
}

static glshape_matrix grid(void) {
    double u[SPACE], v[SPACE], *rows = trial_memory(SIDE * SIDE * SPACE, sizeof *rows);
    two_directions(u, v);
    for (int i = 0; i < SIDE * SIDE * SPACE; i++) {
        int row = i / SPACE, c = i % SPACE;
        rows[i] = row % SIDE * u[c] + row / SIDE * v[c];
    }
    return (glshape_matrix){GLSHAPE_F64, SIDE * SIDE, SPACE, rows};
}

/* Glimmer unfolds it; gpu-sf never does, and is caught in twisted layouts (Ingram 2007, figure 6.2). */
START_TEST(test_grid) {
    glshape_matrix m = grid();
    double worst = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)hunt(1, 3); seed++) {
        double stress = layout_of(&m, (layout_request){.seed = seed}).stress;
        double baseline = layout_of(&m, (layout_request){.seed = seed, .method = GLSHAPE_MDS_GPU_SF}).stress;
        ck_assert_msg(stress <= 1e-4, "stress %g: %s", stress, trial_place());
        ck_assert_msg(baseline > 1e-4, "gpu-sf has stress %g: %s", baseline, trial_place());
        worst = fmax(worst, baseline);
    }
    if (hunt(0, 1)) ck_assert_msg(worst > 2e-3, "gpu-sf's worst stress is %g", worst); /* of three seeds */
}
END_TEST

void mds_quality_cases(Suite *s) {
    TCase *c = layout_case(s, "quality");
    tcase_add_test(c, test_cancer);
    tcase_add_test(c, test_swiss_roll);
    tcase_add_loop_test(c, test_heavy_tails, 0, 2);
    tcase_add_test(c, test_grid);
}
