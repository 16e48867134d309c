/* glshape_delaunay: the public call. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/owned.h"
#include "delaunay/triangulation.h"
#include "gpu/context.h"
#include "place/place.h"

static glshape_status triangulate(gpu *g, const glshape_matrix *m, glshape_delaunay_result *r) {
    OWNED_BY(exact_points_free) exact_points points = {0};
    delaunay_triangulation t;
    double start = wall_seconds(), seconds;
    TRY(exact_points_new(run_error(run_of(g)), m, &points));
    seconds = wall_seconds() - start;
    place_may_wait(g, PLACE_WORK_DELAUNAY, points.n);
    TRY(delaunay_triangulate(g, &points, DELAUNAY_AUTO, &t, NULL));
    *r = (glshape_delaunay_result){
        .n = t.n,
        .distinct = t.distinct,
        .same = t.same,
        .count = t.count,
        .triangles = t.vertex,
        .neighbors = t.neighbor,
        .chain = t.chain,
        .gpu_bytes = gpu_recent_bytes(g),
        .seconds = {seconds, t.cost.seconds.order, t.cost.seconds.merge, t.cost.seconds.collect}};
    run_fact(run_of(g), t.cost.open, "sites that passes left to the processors");
    run_fact(run_of(g), (double)t.cost.tests, "tests on the processors");
    run_fact(run_of(g), (double)t.cost.big, "tests in big integers");
    return run_tick(run_of(g), 1);
}

glshape_status glshape_delaunay(glshape_context *context, const glshape_matrix *points,
                                glshape_delaunay_result *result) {
    *result = (glshape_delaunay_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    glshape_status status = triangulate(g, points, result);
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
