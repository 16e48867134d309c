/* A small triangulation that shows whether the passes are right: threads make it, too. */
#include <string.h>

#include "base/owned.h"
#include "delaunay/mesh.h"
#include "delaunay/passes.h"

#define SIDE 20
#define POINTS (SIDE * SIDE)

/* Those of the first rows are on a lattice, where four are on a circle or, in its upper rows, nearly so.
 * Among the others every fifth equals one before it. Three far away are on the hull, and a triangle. */
static void make_points(int rows, double xy[POINTS][2]) {
    uint32_t state = 1;
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < 2; c++) {
            state = state * 1664525u + 1013904223u;
            int at = c ? i / SIDE : i % SIDE, noise = i / SIDE < SIDE / 4 ? 0 : (int)(state >> 31);
            xy[i][c] = i < rows * SIDE ? at * 0x1p26 + noise : (double)(state >> 1);
            if (i >= POINTS / 2 && i % 5 == 0) xy[i][c] = xy[i - 7][c];
            if (i >= POINTS - 3) xy[i][c] = 0x1p45 + (i % 3 != c) * 1000;
        }
}

static bool same(const delaunay_triangulation *t, const delaunay_triangulation *u) {
    size_t bytes = 3 * (size_t)t->count * sizeof *t->vertex;
    return t->count == u->count && t->count && !memcmp(t->same, u->same, t->n * sizeof *t->same) &&
           !memcmp(t->vertex, u->vertex, bytes) && !memcmp(t->neighbor, u->neighbor, bytes);
}

/* user: the rows of the lattice. */
static glshape_status check(gpu *g, const void *user, bool *right) {
    OWNED_BY(exact_points_free) exact_points points = {0};
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation device = {0};
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation cpu = {.n = POINTS};
    double xy[POINTS][2];
    make_points(*(const int *)user, xy);
    TRY(exact_points_new(run_error(run_of(g)), &(glshape_matrix){GLSHAPE_F64, POINTS, 2, xy}, &points));
    TRY(delaunay_by_threads(run_of(g), &points, &cpu));
    TRY(delaunay_by_stars(g, &points, &device, NULL, right));
    *right = *right && same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status delaunay_is_trusted(gpu *g, bool *so) {
    static const int rows = 0;
    gpu_exact e = {.program = {gpu_only_program(delaunay_tiles), gpu_program(delaunay_stars, .EXACT = 0)},
                   .check = check,
                   .user = &rows,
                   .without_doubles = true,
                   .expect = delaunay_expect};
    return gpu_trusts(g, &e, so);
}

glshape_status delaunay_trusts_signs(gpu *g, bool *so) {
    static const int rows = SIDE / 2;
    gpu_exact e = {.program = {gpu_program(delaunay_stars, .EXACT = 1)},
                   .check = check,
                   .user = &rows,
                   .without_doubles = true};
    return gpu_trusts(g, &e, so);
}
