/* glshape_delaunay: the public call. */
#include <stdlib.h>

#include "alpha/triangulation.h"
#include "base/clock.h"
#include "gpu/context.h"

static glshape_status run(gpu *g, const glshape_matrix *m, glshape_delaunay_result *r) {
    alpha_points points;
    alpha_triangulation t;
    double start = wall_seconds();
    TRY(alpha_points_new(gpu_error(g), m, &points));
    r->seconds.upload = wall_seconds() - start;
    glshape_status status = alpha_triangulate(g, &points, &t);
    alpha_points_free(&points);
    if (status) return status;
    *r = (glshape_delaunay_result){
        .n = t.n,
        .distinct = t.distinct,
        .same = t.same,
        .count = t.count,
        .triangles = t.vertex,
        .neighbors = t.neighbour,
        .chain = t.chain,
        .gpu_bytes = gpu_recent_bytes(g),
        .seconds = {r->seconds.upload, t.cost.seconds.order, t.cost.seconds.merge, t.cost.seconds.collect}};
    gpu_fact(g, t.cost.rounds, "rounds of merging");
    gpu_fact(g, (double)t.cost.tests, "tests");
    gpu_fact(g, t.cost.on_device ? (double)t.cost.exact : 0, "tests in integers of several words");
    gpu_fact(g, t.cost.on_device ? 0 : (double)t.cost.exact, "tests in big integers");
    return gpu_tick(g, 1);
}

glshape_status glshape_delaunay(glshape_context *context, const glshape_matrix *points,
                                glshape_delaunay_result *result) {
    *result = (glshape_delaunay_result){0};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_begin_method(g);
    glshape_status status = run(g, points, result);
    if (status) glshape_delaunay_free(result);
    return context_end(context, status);
}

void glshape_delaunay_free(glshape_delaunay_result *result) {
    free(result->same);
    free(result->triangles);
    free(result->neighbors);
    free(result->chain);
    *result = (glshape_delaunay_result){0};
}
