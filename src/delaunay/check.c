/* Small triangulations that show whether the passes that merge are right: the CPU makes them, too. */
#include <string.h>

#include "base/owned.h"
#include "delaunay/mesh.h"
#include "delaunay/passes.h"
#include "delaunay/triangulation.h"

#define SIDE 11
#define POINTS (SIDE * SIDE)

/* On a lattice: turned, of tenths, whose lines and circles are not quite such, so that both passes decide
 * signs exactly; or of whole numbers, and every other point at random, which need no such signs. */
static void make_points(bool exact, double xy[POINTS][2]) {
    uint32_t state = 1;
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < 2; c++) {
            int at = c ? i % SIDE : i / SIDE, other = c ? -(i / SIDE) : i % SIDE;
            state = state * 1664525u + 1013904223u;
            xy[i][c] = exact ? 0.1 * at + 0.3 * other : i % 2 ? 50.0 * at : (double)(state >> 23);
        }
}

static bool same(const delaunay_triangulation *t, const delaunay_triangulation *u) {
    size_t bytes = 3 * (size_t)t->count * sizeof *t->vertex;
    return t->count == u->count && t->count && !memcmp(t->vertex, u->vertex, bytes) &&
           !memcmp(t->neighbor, u->neighbor, bytes);
}

static glshape_status check(gpu *g, const void *exact, bool *right) {
    OWNED_BY(exact_points_free) exact_points points = {0};
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation device = {0};
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation cpu = {0};
    double xy[POINTS][2];
    make_points(*(const bool *)exact, xy);
    TRY(exact_points_new(gpu_error(g), &(glshape_matrix){GLSHAPE_F64, POINTS, 2, xy}, &points));
    TRY(delaunay_triangulate(g, &points, DELAUNAY_ON_CPU, &cpu, NULL));
    TRY(delaunay_triangulate(g, &points, DELAUNAY_ON_DEVICE, &device, NULL));
    *right = !device.cost.on_cpu && same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status delaunay_is_trusted(gpu *g, bool exact, bool *so) {
    static const gpu_job none;
    gpu_exact e = {.program = {{exact ? &delaunay_tangent_exactly_pass : &delaunay_tangent_pass, &none},
                               {exact ? &delaunay_zip_exactly_pass : &delaunay_zip_pass, &none}},
                   .check = check,
                   .user = &exact};
    return gpu_trusts(g, &e, so);
}
