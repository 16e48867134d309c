/* From points to triangles. */
#include <stdlib.h>

#include "alpha/mesh.h"
#include "base/clock.h"
#include "base/memory.h"

static double lap(double *since) {
    double now = wall_seconds(), seconds = now - *since;
    *since = now;
    return seconds;
}

/* ---- points on a line -------------------------------------------------------------------------- */

typedef struct on_line {
    double x, y;
    uint32_t name;
} on_line;

static int along(const void *a, const void *b) {
    const on_line *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static glshape_status make_chain(error *err, const alpha_order *o, alpha_triangulation *out) {
    on_line *line;
    TRY(allocate(err, &out->chain, o->n, sizeof *out->chain, "the chain of points"));
    TRY(allocate(err, &line, o->n, sizeof *line, "points on a line"));
    for (uint32_t i = 0; i < o->n; i++)
        line[i] = (on_line){o->xy[2 * (size_t)i], o->xy[2 * (size_t)i + 1], o->name[i]};
    qsort(line, o->n, sizeof *line, along);
    bool back = o->n && line[0].name > line[o->n - 1].name;
    for (uint32_t i = 0; i < o->n; i++) out->chain[i] = line[back ? o->n - 1 - i : i].name;
    free(line);
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status triangulate(gpu *g, const alpha_points *points, const alpha_order *o,
                                  alpha_triangulation *out) {
    alpha_mesh mesh;
    double since = wall_seconds();
    if (out->cost.on_device) TRY(alpha_merge_on_device(g, o, alpha_words(points), &mesh, &out->cost));
    else TRY(alpha_merge_on_cpu(g, o, &mesh, &out->cost));
    out->cost.seconds.merge = lap(&since);
    glshape_status status = alpha_collect(g, &mesh, out);
    alpha_mesh_free(&mesh);
    out->cost.seconds.collect = lap(&since);
    return status;
}

static glshape_status run(gpu *g, const alpha_points *points, alpha_triangulation *out) {
    alpha_order o;
    double since = wall_seconds();
    out->cost.on_device = alpha_on_device(points) && gpu_is_exact(g);
    TRY(allocate(gpu_error(g), &out->same, points->n, sizeof *out->same, "equal points"));
    TRY(alpha_order_new(gpu_error(g), points, out->same, &o));
    out->distinct = o.n;
    out->cost.seconds.order = lap(&since);
    glshape_status status = o.n > 2 ? triangulate(g, points, &o, out) : GLSHAPE_OK;
    if (!status && !out->count) status = make_chain(gpu_error(g), &o, out);
    alpha_order_free(&o);
    return status;
}

glshape_status alpha_triangulate(gpu *g, const alpha_points *points, alpha_triangulation *out) {
    *out = (alpha_triangulation){.n = points->n};
    glshape_status status = run(g, points, out);
    if (status) alpha_triangulation_free(out);
    return status;
}

void alpha_triangulation_free(alpha_triangulation *t) {
    free(t->same);
    free(t->vertex);
    free(t->neighbour);
    free(t->chain);
    *t = (alpha_triangulation){0};
}
