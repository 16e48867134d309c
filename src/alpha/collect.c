/* Triangles out of rings of edges: counted by their first corner, put in order, numbered. */
#include <stdlib.h>

#include "alpha/mesh.h"
#include "alpha/passes.h"
#include "base/memory.h"
#include "prim/passes.h"
#include "prim/prim.h"

#define MOST_SORTED 128u /* triangles of a first corner that an invocation sorts */

typedef struct collecting {
    gpu *g;
    alpha_mesh *m;
    uint32_t points; /* names are below */
    gpu_texture count, first, total;
    gpu_texture triangle; /* RG32UI: (second corner, first edge) */
    gpu_texture vertex, neighbour;
    prim_scratch scratch;
} collecting;

static glshape_status fill(gpu *g, gpu_texture *t, uint32_t value) {
    return gpu_run(g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* Counts the triangles of each first corner, and puts them together; around is used up. */
static glshape_status own(collecting *c, uint32_t *triangles) {
    gpu *g = c->g;
    uint32_t groups = alpha_groups(6 * (uint64_t)c->m->n);
    alpha_mesh *m = c->m;
    TRY(gpu_texture_new(g, &c->count, "counts of triangles", GPU_R32UI, c->points, 1));
    TRY(gpu_texture_new(g, &c->first, "first triangles", GPU_R32UI, c->points, 1));
    TRY(gpu_texture_new(g, &c->total, "the number of triangles", GPU_R32UI, 1, 1));
    TRY(fill(g, &c->count, 0));
    TRY(gpu_run_at(g, &alpha_passes[ALPHA_OWN],
                   .textures = {&m->before, &m->origin, &m->name, &c->count, &m->around},
                   .values = {GPU_U(6 * m->n), GPU_U(m->outer)}, .count = groups));
    TRY(prim_scan(g, &c->scratch, &c->count, c->points, &c->first, &c->total, 0));
    TRY(gpu_download(g, &c->total, 0, 1, triangles));
    TRY(gpu_texture_new(g, &c->triangle, "triangles", GPU_RG32UI, *triangles, 1));
    return gpu_run_at(g, &alpha_passes[ALPHA_PLACE],
                      .textures = {&m->origin, &m->name, &c->first, &m->around, &c->triangle},
                      .values = {GPU_U(6 * m->n)}, .count = groups);
}

/* ---- order ------------------------------------------------------------------------------------- */

static int by_corner(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static glshape_status sort_long(collecting *c, uint32_t triangles, uint32_t *count, uint32_t (*list)[2]) {
    uint32_t begin = 0;
    TRY(gpu_download(c->g, &c->count, 0, c->points, count));
    TRY(gpu_download(c->g, &c->triangle, 0, triangles, list));
    for (uint32_t v = 0; v < c->points; begin += count[v++])
        if (count[v] > MOST_SORTED) qsort(list + begin, count[v], sizeof *list, by_corner);
    return gpu_upload(c->g, &c->triangle, 0, triangles, list);
}

/* On the CPU, where a point is the first corner of very many triangles. */
static glshape_status sort_on_cpu(collecting *c, uint32_t triangles) {
    uint32_t *count = NULL, (*list)[2] = NULL;
    error *err = gpu_error(c->g);
    glshape_status status = allocate(err, &count, c->points, sizeof *count, "counts of triangles");
    if (!status) status = allocate(err, &list, triangles, sizeof *list, "triangles");
    if (!status) status = sort_long(c, triangles, count, list);
    free(count);
    free(list);
    return status;
}

static glshape_status sort(collecting *c, uint32_t triangles) {
    uint32_t too_long = 0;
    TRY(gpu_upload(c->g, &c->total, 0, 1, &too_long));
    TRY(gpu_run_at(c->g, &alpha_passes[ALPHA_SORT],
                   .textures = {&c->first, &c->count, &c->triangle, &c->total},
                   .values = {GPU_U(c->points), GPU_U(MOST_SORTED)}, .count = alpha_groups(c->points)));
    TRY(gpu_download(c->g, &c->total, 0, 1, &too_long));
    return too_long ? sort_on_cpu(c, triangles) : GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status gather(collecting *c, uint32_t triangles, alpha_triangulation *out) {
    gpu *g = c->g;
    alpha_mesh *m = c->m;
    gpu_texture *number = &m->around;
    TRY(fill(g, number, ALPHA_HULL));
    TRY(gpu_run_at(g, &alpha_passes[ALPHA_NUMBER],
                   .textures = {&m->before, &m->origin, &m->name, &c->triangle, number},
                   .values = {GPU_U(triangles), GPU_U(m->outer)}, .count = alpha_groups(triangles)));
    TRY(gpu_texture_new(g, &c->vertex, "corners of triangles", GPU_R32UI, triangles, 3));
    TRY(gpu_texture_new(g, &c->neighbour, "neighbors of triangles", GPU_R32UI, triangles, 3));
    TRY(gpu_run_at(
        g, &alpha_passes[ALPHA_COLLECT],
        .textures = {&m->before, &m->origin, &m->name, &c->triangle, number, &c->vertex, &c->neighbour},
        .values = {GPU_U(triangles), GPU_U(m->outer)}, .count = alpha_groups(triangles)));
    TRY(gpu_download(g, &c->vertex, 0, triangles, out->vertex));
    return gpu_download(g, &c->neighbour, 0, triangles, out->neighbour);
}

static glshape_status collect(collecting *c, alpha_triangulation *out) {
    error *err = gpu_error(c->g);
    TRY(own(c, &out->count));
    if (!out->count) return GLSHAPE_OK;
    TRY(sort(c, out->count));
    size_t words = 3 * (size_t)out->count;
    TRY(allocate(err, &out->vertex, words, sizeof *out->vertex, "the triangles"));
    TRY(allocate(err, &out->neighbour, words, sizeof *out->neighbour, "the neighbors of triangles"));
    return gather(c, out->count, out);
}

glshape_status alpha_collect(gpu *g, alpha_mesh *m, alpha_triangulation *out) {
    collecting c = {.g = g, .m = m, .points = out->n};
    glshape_status status = collect(&c, out);
    gpu_texture *const all[] = {&c.count, &c.first, &c.total, &c.triangle, &c.vertex, &c.neighbour};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_scratch_free(&c.scratch);
    return status;
}
