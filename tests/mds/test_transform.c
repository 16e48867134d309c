/* New rows in a layout: the places of points that are known, and the best one of a search over a grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mds/layout.h"

/* A layout of n points of the cube. */
static glshape_mds_result layout_in_cube(size_t n, int dim) {
    glshape_mds_result r = {.n = n, .dim = dim, .layout = trial_memory(n * (size_t)dim, sizeof(float))};
    for (size_t k = 0; k < n * (size_t)dim; k++) r.layout[k] = (float)trial_between(-1, 1);
    return r;
}

/* What computes the places: threads, as rows are few; passes; passes with room for few rows at a time. */
enum { PLACES = 3 };
static glshape_context *open_place(int place) {
    glshape_context *c;
    glshape_options o = {.debug = true, .when_needed = true};
    if (place) o.device = test_device();
    if (place == 2) o.gpu_memory = 200 << 10;
    ck_assert_int_eq(glshape_open(&o, &c), GLSHAPE_OK);
    return c;
}

/* Points, fewer on a renderer that computes all steps of a row itself: more than a group's threads hold at a
 * time. */
static size_t many_points(size_t many) { return gpu_is_software(test_gpu()) ? 300 : many; }

static double distance_to(const glshape_mds_result *r, size_t i, const double *y) {
    double sum = 0;
    for (int c = 0; c < r->dim; c++) {
        double d = y[c] - (double)r->layout[i * (size_t)r->dim + (size_t)c];
        sum += d * d;
    }
    return sqrt(sum);
}

/* The rows' distances are those of known places; some are missing. */
START_TEST(known_places) {
    enum { ROWS = 8, MOST_DIM = 20 };
    const size_t sizes[] = {30, many_points(700)};
    static const int dims[] = {1, 2, 3, MOST_DIM};
    glshape_context *contexts[] = {open_place(0), open_place(1), open_place(2)};
    for (int k = 0; k < 8; k++) {
        glshape_mds_result r = layout_in_cube(sizes[k / 4], dims[k % 4]);
        double *distance = trial_memory(ROWS * r.n, sizeof *distance);
        double(*place)[MOST_DIM] = trial_memory(ROWS, sizeof *place);
        float *found = trial_memory(ROWS * (size_t)r.dim, sizeof *found);
        for (size_t q = 0; q < ROWS; q++) {
            for (int c = 0; c < r.dim; c++) place[q][c] = trial_between(-2, 2);
            for (size_t i = 0; i < r.n; i++)
                distance[q * r.n + i] = q % 2 && i % 4 == 1 ? NAN : distance_to(&r, i, place[q]);
        }
        glshape_matrix rows = {GLSHAPE_F64, ROWS, r.n, distance};
        for (int at = 0; at < PLACES; at++) {
            ck_assert_int_eq(glshape_mds_transform(contexts[at], NULL, &r, &rows, found), GLSHAPE_OK);
            for (size_t q = 0; q < ROWS; q++)
                for (int c = 0; c < r.dim; c++)
                    ck_assert_double_eq_tol((double)found[q * (size_t)r.dim + (size_t)c], place[q][c], 1e-4);
        }
    }
    for (int at = 0; at < PLACES; at++) glshape_close(contexts[at]);
}
END_TEST

static double stress_at(const glshape_mds_result *r, const double *distance, const double *y) {
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) {
        double off = distance_to(r, i, y) - distance[i];
        if (!isnan(off)) sum += off * off;
    }
    return sum;
}

/* The least stress on a grid of 160 × 160, which reaches so far on either side. */
static double least_on_grid(const glshape_mds_result *r, const double *distance, double reach) {
    enum { STEPS = 160 };
    double least = INFINITY;
    for (int k = 0; k < STEPS * STEPS; k++) {
        double y[] = {reach * (2.0 * (k / STEPS) / STEPS - 1), reach * (2.0 * (k % STEPS) / STEPS - 1)};
        least = fmin(least, stress_at(r, distance, y));
    }
    return least;
}

/* Distances that no place has: there are several minima. */
START_TEST(best_places) {
    enum { ROWS = 60, MOST = 900 };
    static double distance[ROWS * MOST];
    const size_t sizes[] = {5, 40, many_points(MOST)};
    for (int k = 0; k < 3; k++) {
        glshape_mds_result r = layout_in_cube(sizes[k], 2);
        double least[ROWS];
        for (size_t v = 0; v < ROWS * r.n; v++) distance[v] = trial_between(0, 2);
        for (size_t q = 0; q < ROWS; q++) least[q] = least_on_grid(&r, distance + q * r.n, 3);
        glshape_matrix rows = {GLSHAPE_F64, ROWS, r.n, distance};
        for (int at = 0; at < PLACES; at++) {
            glshape_context *context = open_place(at);
            float found[2 * ROWS];
            int worse = 0;
            ck_assert_int_eq(glshape_mds_transform(context, NULL, &r, &rows, found), GLSHAPE_OK);
            glshape_close(context);
            for (size_t q = 0; q < ROWS; q++) {
                double y[] = {(double)found[2 * q], (double)found[2 * q + 1]},
                       ours = stress_at(&r, distance + q * r.n, y);
                worse += ours > least[q] * (1 + 1e-6);
                ck_assert_double_le(ours, 1.1 * least[q]);
            }
            ck_assert_int_le(worse, 3);
        }
    }
}
END_TEST

/* A row of the layout gets its own place. */
START_TEST(rows_of_the_layout) {
    enum { N = 60 };
    glshape_matrix m = layout_points(N, 5, layout_normal);
    glshape_mds_result r;
    float found[3 * N];
    for (glshape_metric metric = 0; metric <= GLSHAPE_METRIC_MINKOWSKI; metric++) {
        glshape_source source = {.points = &m, .metric = metric};
        glshape_mds_options o = {.dim = 3, .method = GLSHAPE_MDS_CLASSICAL};
        ck_assert_int_eq(glshape_mds(layout_context(), &source, &o, &r), GLSHAPE_OK);
        ck_assert_int_eq(glshape_mds_transform(layout_context(), &source, &r, &m, found), GLSHAPE_OK);
        double extent = layout_extent(&r);
        for (int k = 0; k < 3 * N; k++)
            ck_assert_double_eq_tol((double)found[k], (double)r.layout[k], 1e-4 * extent);
        glshape_mds_free(&r);
    }
}
END_TEST

static void refused(const glshape_source *source, const glshape_mds_result *r, glshape_matrix rows,
                    const char *part) {
    float found[64];
    ck_assert_int_ne(glshape_mds_transform(layout_context(), source, r, &rows, found), GLSHAPE_OK);
    ck_assert_msg(strstr(glshape_last_error(layout_context()), part), "'%s' lacks '%s'",
                  glshape_last_error(layout_context()), part);
}

/* Which place computed the stage "places". */
static bool by_passes(glshape_context *c) {
    glshape_stage_facts stages[8];
    int count = glshape_stages(c, stages, 8);
    for (int k = 0; k < count; k++)
        if (!strcmp(stages[k].stage, "places")) return stages[k].on_device;
    ck_abort_msg("no stage 'places'");
}

/* Passes beside threads: noise, few points, equal points, equal rows, missing distances, any unit, and a row
 * that is too far away for single precision. */
START_TEST(passes_beside_threads) {
    enum { ROWS = 30, MOST = 1100, MOST_DIM = 4 };
    static double distance[ROWS * MOST];
    const size_t sizes[] = {1, 2, 3, 7, 130, many_points(MOST)};
    static const double units[] = {1, 1e-30, 1e25};
    glshape_context *contexts[] = {open_place(0), open_place(1)};
    for (int k = 0; k < 72; k += gpu_is_software(test_gpu()) ? 7 : 1) { /* 7: some of each kind */
        glshape_mds_result r = layout_in_cube(sizes[k % 6], 1 + k / 6 % 4);
        double unit = units[k / 24], total[2] = {0};
        float found[2][ROWS * MOST_DIM];
        for (size_t v = 0; v < r.n * (size_t)r.dim; v++)
            r.layout[v] = k % 5 == 4 ? 0 : (float)(unit * floor(8 * (double)r.layout[v]) / 8);
        for (size_t v = 0; v < ROWS * r.n; v++)
            distance[v] = v % 11 == 5 && v % r.n ? NAN : unit * floor(trial_between(0, 9)) / 4;
        memset(distance + 7 * r.n, 0, r.n * sizeof *distance);
        for (size_t v = 0; v < r.n; v++) distance[8 * r.n + v] = unit * 1e12;
        for (size_t v = 0; v < r.n; v++) distance[9 * r.n + v] = unit * 1e7;
        for (size_t v = 0; v < r.n; v++) distance[10 * r.n + v] = unit * 3;
        glshape_matrix rows = {GLSHAPE_F64, ROWS, r.n, distance};
        for (int at = 0; at < 2; at++) {
            ck_assert_msg(!glshape_mds_transform(contexts[at], NULL, &r, &rows, found[at]), "%s",
                          glshape_last_error(contexts[at]));
            ck_assert_int_eq(by_passes(contexts[at]), at && k % 5 != 4);
        }
        int worse = 0;
        for (size_t q = 0; q < ROWS; q++) {
            double stress[2], least = 0;
            for (size_t i = 0; i < r.n; i++)
                if (!isnan(distance[q * r.n + i])) least += distance[q * r.n + i] * distance[q * r.n + i];
            for (int at = 0; at < 2; at++) {
                double y[MOST_DIM];
                for (int c = 0; c < r.dim; c++) y[c] = (double)found[at][q * (size_t)r.dim + (size_t)c];
                stress[at] = stress_at(&r, distance + q * r.n, y);
                if (q != 8 && q != 9) total[at] += stress[at];
            }
            worse += stress[1] > 1.001 * stress[0] + 1e-9 * least;
        }
        ck_assert_msg(worse <= 3, "k %d n %zu dim %d unit %g: %d worse, total %g, %g", k, r.n, r.dim, unit,
                      worse, total[0],
                      total[1]); /* another minimum, where starts have the same stress but for rounding */
        ck_assert_double_le(total[1], 1.03 * total[0] + 1e-9 * unit * unit);
    }
    for (int at = 0; at < 2; at++) glshape_close(contexts[at]);
}
END_TEST

/* With few points the places of rows take more memory than their distances; with many points a pass would
 * take more turns than it may. */
START_TEST(few_points_and_many) {
    glshape_context *c;
    glshape_options o = {.debug = true, .device = test_device(), .gpu_memory = 100 << 10};
    for (int many = 0; many < 2; many++) {
        glshape_mds_result r = layout_in_cube(many ? (1 << 20) + 1 : 3, 1);
        size_t rows = many ? 1 : 900;
        double *distance = trial_memory(rows * r.n, sizeof *distance);
        float *found = trial_memory(rows, sizeof *found);
        if (many) o.gpu_memory = 0;
        ck_assert_int_eq(glshape_open(&o, &c), GLSHAPE_OK);
        for (size_t q = 0; q < rows; q++)
            for (size_t i = 0; i < r.n; i++)
                distance[q * r.n + i] = distance_to(&r, i, (double[]){(double)q / 450 - 1});
        ck_assert_msg(
            !glshape_mds_transform(c, NULL, &r, &(glshape_matrix){GLSHAPE_F64, rows, r.n, distance}, found),
            "%s", glshape_last_error(c));
        ck_assert_int_eq(by_passes(c), !many);
        for (size_t q = 0; q < rows; q++)
            ck_assert_double_eq_tol((double)found[q], (double)q / 450 - 1, 1e-3);
        glshape_close(c);
    }
}
END_TEST

START_TEST(refusals) {
    glshape_mds_result r = layout_in_cube(3, 2), none = {.n = 3, .dim = 2}, classical = r, pieces = r;
    double eigenvalues[] = {2, 1}, squares[] = {1, 1, 1}, points[] = {1, 2, 3}, good[] = {1, 1, 1},
           missing[] = {1, 1, 1, 1, NAN, 1}, gone[] = {NAN, NAN, NAN}, negative[] = {1, -1, 1},
           infinite[] = {1, 1, INFINITY}, far[] = {1, 1e30, 1}, beyond[] = {1, 1, 1e39};
    glshape_mds_component component = {.nodes = 3};
    classical.eigenvalues = eigenvalues;
    classical.mean_squares = squares;
    pieces.components = &component;
    refused(NULL, &none, (glshape_matrix){GLSHAPE_F64, 1, 3, good}, "no layout");
    refused(NULL, &pieces, (glshape_matrix){GLSHAPE_F64, 1, 3, good}, "laid out by themselves");
    refused(NULL, &r, (glshape_matrix){GLSHAPE_F64, 3, 1, good}, "1 distance, but the layout has 3 points");
    refused(NULL, &r, (glshape_matrix){GLSHAPE_F64, 1, 3, gone}, "row 1: all distances are missing");
    refused(NULL, &r, (glshape_matrix){GLSHAPE_F64, 1, 3, negative}, "row 1, column 2: -1 is no distance");
    refused(NULL, &r, (glshape_matrix){GLSHAPE_F64, 1, 3, infinite}, "row 1, column 3: inf is no distance");
    refused(NULL, &r, (glshape_matrix){GLSHAPE_F64, 1, 3, beyond}, "1e+39 is no distance that float32 holds");
    refused(NULL, &classical, (glshape_matrix){GLSHAPE_F64, 1, 3, far}, "its place is beyond float32");
    refused(NULL, &classical, (glshape_matrix){GLSHAPE_F64, 2, 3, missing},
            "row 2, column 2: the distance is missing");
    glshape_matrix two = {GLSHAPE_F64, 2, 1, points}, three = {GLSHAPE_F64, 3, 1, points};
    refused(&(glshape_source){.points = &two}, &r, three, "2 points, but the layout is of 3");
    refused(&(glshape_source){.points = &three}, &r, (glshape_matrix){GLSHAPE_F64, 1, 3, points},
            "3 columns, but the points of the layout have 1");
    refused(&(glshape_source){.points = &three}, &r, (glshape_matrix){GLSHAPE_F64, 1, 1, gone},
            "row 1, column 1 is NaN");
}
END_TEST

void mds_transform_cases(Suite *s) {
    TCase *c = layout_case(s, "new rows");
    tcase_add_test(c, known_places);
    tcase_add_test(c, best_places);
    tcase_add_test(c, rows_of_the_layout);
    tcase_add_test(c, passes_beside_threads);
    tcase_add_test(c, few_points_and_many);
    tcase_add_test(c, refusals);
}
