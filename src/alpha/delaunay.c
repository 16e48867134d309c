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
        .neighbours = t.neighbour,
        .chain = t.chain,
        .rounds = t.cost.rounds,
        .tests = t.cost.tests,
        .limbs = t.cost.on_device ? t.cost.exact : 0,
        .cpu = t.cost.on_device ? 0 : t.cost.exact,
        .gpu_bytes = gpu_recent_bytes(g),
        .seconds = {r->seconds.upload, t.cost.seconds.order, t.cost.seconds.merge, t.cost.seconds.collect}};
    return gpu_tick(g, 1);
}

glshape_status glshape_delaunay(glshape_context *context, const glshape_matrix *points,
                                glshape_delaunay_result *result) {
    *result = (glshape_delaunay_result){0};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_reset_recent(g);
    glshape_status status = run(g, points, result);
    if (status) glshape_delaunay_free(result);
    return context_end(context, status);
}

void glshape_delaunay_free(glshape_delaunay_result *result) {
    free(result->same);
    free(result->triangles);
    free(result->neighbours);
    free(result->chain);
    *result = (glshape_delaunay_result){0};
}
