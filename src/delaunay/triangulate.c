/* From points to triangles. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "delaunay/mesh.h"
#include "exact/integer.h"

/* ---- points on a line -------------------------------------------------------------------------- */

typedef struct on_line {
    double x, y;
    uint32_t row;
} on_line;

static int along(const void *a, const void *b) {
    const on_line *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static glshape_status make_chain(error *err, const delaunay_order *o, delaunay_triangulation *out) {
    OWNED on_line *line = NULL;
    TRY(allocate(err, &out->chain, o->n, sizeof *out->chain, "the chain of points"));
    TRY(allocate(err, &line, o->n, sizeof *line, "points on a line"));
    for (uint32_t i = 0; i < o->n; i++)
        line[i] = (on_line){o->xy[2 * (size_t)i], o->xy[2 * (size_t)i + 1], o->row[i]};
    qsort(line, o->n, sizeof *line, along);
    bool back = o->n && line[0].row > line[o->n - 1].row;
    for (uint32_t i = 0; i < o->n; i++) out->chain[i] = line[back ? o->n - 1 - i : i].row;
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Microseconds that merging and collecting take a point, on one processor and on a device, and a device takes
 * besides. Measured: 0.31 s for a million points on two processors, 0.04 s on sixteen; 0.08 s, and 0.4 s for
 * ten million, on an NVIDIA H200. */
#define CPU_POINT 0.65
#define DEVICE_POINT 0.04
#define DEVICE_BEGIN 30e3
#define MERGE_BYTES 190   /* of textures, a point, at most */
#define TEXTURES_BYTES 64 /* those of the triangulation */

static glshape_status choose_place(gpu *g, const exact_points *points, uint32_t distinct, delaunay_way way,
                                   gpu_why *why) {
    double slower = CPU_POINT / threads_count(0) - DEVICE_POINT;
    bool must = way == DELAUNAY_ON_DEVICE || gpu_is_named(g), trusted;
    *why = way == DELAUNAY_ON_CPU                       ? GPU_NOT_FASTER
           : !exact_on_device(points)                   ? GPU_NOT_LIMITS
           : !must && distinct * slower <= DEVICE_BEGIN ? GPU_NOT_FASTER
                                                        : gpu_why_passes(g);
    if (!gpu_why_device(*why)) return GLSHAPE_OK;
    if (way == DELAUNAY_ON_DEVICE) TRY(gpu_need(g));
    else TRY(gpu_choose(g, (uint64_t)MERGE_BYTES * distinct, why));
    if (!gpu_why_device(*why)) return GLSHAPE_OK;
    TRY(delaunay_is_trusted(g, false, &trusted));
    if (!trusted) *why = GPU_NOT_EXACT;
    return GLSHAPE_OK;
}

static glshape_status upload_triangles(gpu *g, const delaunay_triangulation *t, delaunay_textures *to) {
    TRY(gpu_texture_new(g, &to->vertex, "corners of triangles", GPU_R32UI, t->count, 3));
    TRY(gpu_texture_new(g, &to->neighbor, "neighbors of triangles", GPU_R32UI, t->count, 3));
    TRY(gpu_upload(g, &to->vertex, 0, t->count, t->vertex));
    return gpu_upload(g, &to->neighbor, 0, t->count, t->neighbor);
}

static glshape_status make_triangles(gpu *g, threads_team *team, const exact_points *points,
                                     const delaunay_order *o, delaunay_triangulation *out,
                                     delaunay_textures *textures) {
    OWNED_BY(delaunay_mesh_free) delaunay_mesh mesh = {0};
    OWNED_BY(delaunay_rings_free)
    delaunay_rings rings = {.order = o, .shift = exact_on_device(points) ? 0 : EXACT_UNITS};
    double since = wall_seconds();
    if (out->cost.on_device)
        TRY(delaunay_merge_on_device(g, o, exact_difference_limbs(points), &mesh, &rings, &out->cost));
    out->cost.on_cpu = !mesh.n;
    if (out->cost.on_cpu && out->cost.on_device) gpu_begin_stage(g, "merge", GPU_NOT_EXACT);
    if (out->cost.on_cpu) TRY(delaunay_merge_on_cpu(g, team, &rings, &out->cost));
    out->cost.seconds.merge = clock_lap(&since);
    gpu_begin_stage(g, "collect", out->cost.on_cpu ? GPU_NOT_BY_PASSES : gpu_why_passes(g));
    if (out->cost.on_cpu) TRY(delaunay_collect_on_cpu(gpu_error(g), team, &rings, out));
    else TRY(delaunay_collect(g, &mesh, out, textures));
    bool wanted = textures && out->count;
    if (wanted) TRY(gpu_find(g, (uint64_t)TEXTURES_BYTES * points->n, &wanted));
    if (wanted && gpu_is_exact(g)) {
        if (out->cost.on_cpu) TRY(upload_triangles(g, out, textures));
        TRY(gpu_texture_new(g, &textures->points, "points by row", GPU_RGBA32UI, points->n, 1));
        TRY(gpu_upload(g, &textures->points, 0, points->n, points->xy));
    }
    out->cost.seconds.collect = clock_lap(&since);
    return GLSHAPE_OK;
}

#define TEAM_POINTS 100000u /* from so many on, a team is worth its start */

glshape_status delaunay_triangulate(gpu *g, const exact_points *points, delaunay_way way,
                                    delaunay_triangulation *out, delaunay_textures *textures) {
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation t = {.n = points->n};
    OWNED_BY(delaunay_textures_free) delaunay_textures made = {0};
    OWNED_BY(delaunay_order_free) delaunay_order o = {0};
    OWNED_BY(threads_team_end) threads_team *team = points->n < TEAM_POINTS ? NULL : threads_team_new(0);
    double since = wall_seconds();
    gpu_why why;
    gpu_begin_stage(g, "order", GPU_NOT_BY_PASSES);
    *out = (delaunay_triangulation){0};
    TRY(allocate(gpu_error(g), &t.same, points->n, sizeof *t.same, "equal points"));
    TRY(delaunay_order_new(gpu_error(g), team, points, t.same, &o));
    t.distinct = o.n;
    TRY(choose_place(g, points, o.n, way, &why));
    t.cost.on_device = gpu_why_device(why);
    gpu_begin_stage(g, "merge", why);
    t.cost.seconds.order = clock_lap(&since);
    if (o.n > 2) TRY(make_triangles(g, team, points, &o, &t, textures ? &made : NULL));
    if (!t.count) TRY(make_chain(gpu_error(g), &o, &t));
    *out = MOVE(t);
    if (textures) *textures = MOVE(made);
    return GLSHAPE_OK;
}

void delaunay_triangulation_free(delaunay_triangulation *t) {
    free(t->same);
    free(t->vertex);
    free(t->neighbor);
    free(t->chain);
    *t = (delaunay_triangulation){0};
}

void delaunay_textures_free(delaunay_textures *t) {
    gpu_texture_free(&t->points);
    gpu_texture_free(&t->vertex);
    gpu_texture_free(&t->neighbor);
}
