/* From points to triangles. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "delaunay/mesh.h"
#include "exact/integer.h"
#include "place/place.h"

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

#define STARS_BYTES 180   /* of textures, a point, at most */
#define TEXTURES_BYTES 64 /* those of the triangulation */

static glshape_status choose_place(gpu *g, const exact_points *points, delaunay_way way, run_why *why) {
    bool can = exact_on_device(points), trusted;
    *why = way == DELAUNAY_ON_CPU ? RUN_NOT_OPTION
           : points->n < 3        ? RUN_NOT_BY_PASSES
           : can                  ? gpu_why_passes(g)
                                  : RUN_NOT_LIMITS;
    if (!run_why_device(*why)) return GLSHAPE_OK;
    if (way == DELAUNAY_ON_DEVICE) TRY(gpu_need(g));
    else TRY(place_choose(g, PLACE_TRIANGULATION, points->n, can, (uint64_t)STARS_BYTES * points->n, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    TRY(delaunay_is_trusted(g, &trusted));
    if (!trusted) *why = gpu_why_untrusted(g);
    return GLSHAPE_OK;
}

static glshape_status upload_triangles(gpu *g, const exact_points *points, const delaunay_triangulation *t,
                                       delaunay_textures *to) {
    bool found;
    TRY(place_find(g, (uint64_t)TEXTURES_BYTES * points->n, &found));
    if (!found || gpu_why_untrusted(g) == RUN_NOT_YET || !gpu_is_exact(g)) return GLSHAPE_OK;
    TRY(gpu_texture_new(g, &to->vertex, "corners of triangles", GPU_R32UI, t->count, 3));
    TRY(gpu_texture_new(g, &to->neighbor, "neighbors of triangles", GPU_R32UI, t->count, 3));
    TRY(gpu_texture_new(g, &to->points, "points by row", GPU_RGBA32UI, points->n, 1));
    TRY(gpu_upload(g, &to->vertex, 0, t->count, t->vertex));
    TRY(gpu_upload(g, &to->neighbor, 0, t->count, t->neighbor));
    return gpu_upload(g, &to->points, 0, points->n, points->xy);
}

#define TEAM_POINTS 100000u /* from so many on, a team is worth its start */

glshape_status delaunay_by_threads(run *r, const exact_points *points, delaunay_triangulation *t) {
    OWNED_BY(delaunay_order_free) delaunay_order o = {0};
    OWNED_BY(threads_team_end) threads_team *team = points->n < TEAM_POINTS ? NULL : threads_team_new(0);
    OWNED_BY(delaunay_rings_free)
    delaunay_rings rings = {.order = &o, .shift = exact_on_device(points) ? 0 : EXACT_UNITS};
    double since = wall_seconds();
    TRY(allocate(run_error(r), &t->same, points->n, sizeof *t->same, "equal points"));
    TRY(delaunay_order_new(run_error(r), team, points, t->same, &o));
    t->distinct = o.n;
    t->cost.on_cpu = o.n > 2;
    t->cost.seconds.order += clock_lap(&since);
    if (o.n > 2) TRY(delaunay_merge(r, team, &rings, &t->cost));
    t->cost.seconds.merge += clock_lap(&since);
    if (o.n > 2) TRY(delaunay_collect(run_error(r), team, &rings, t));
    if (!t->count) TRY(make_chain(run_error(r), &o, t));
    t->cost.seconds.collect += clock_lap(&since);
    return GLSHAPE_OK;
}

glshape_status delaunay_triangulate(gpu *g, const exact_points *points, delaunay_way way,
                                    delaunay_triangulation *out, delaunay_textures *textures) {
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation t = {.n = points->n};
    OWNED_BY(delaunay_textures_free) delaunay_textures made = {.alone = textures && textures->alone};
    bool done = false;
    run_why why;
    *out = (delaunay_triangulation){0};
    TRY(choose_place(g, points, way, &why));
    run_begin_stage(run_of(g), "triangulate", why);
    if (run_why_device(why)) TRY(delaunay_by_stars(g, points, &t, textures ? &made : NULL, &done));
    if (run_why_device(why) && !done) run_begin_stage(run_of(g), "triangulate", RUN_NOT_BY_PASSES);
    t.cost.on_device = run_why_device(why);
    if (!done) TRY(delaunay_by_threads(run_of(g), points, &t));
    if (!done && textures && t.count && way != DELAUNAY_ON_CPU) TRY(upload_triangles(g, points, &t, &made));
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
