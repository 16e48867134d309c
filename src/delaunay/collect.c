/* From directed edges to triangles: they are counted by their first corner, put in order, and numbered. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "delaunay/mesh.h"
#include "delaunay/passes.h"
#include "prim/passes.h"
#include "prim/prim.h"

#define MOST_SORTED 128u /* an invocation sorts up to so many triangles that have one first corner */

typedef struct collecting {
    gpu *g;
    delaunay_mesh *m;
    uint32_t points; /* all of them; rows are below */
    uint32_t triangles;
    gpu_texture count, first, total; /* by first corner: how many triangles, and the place of the first; the
                                        number of all triangles */
    gpu_texture triangle;            /* RG32UI: (second corner, first edge) */
} collecting;

static void free_collecting(collecting *c) {
    gpu_texture *const all[] = {&c->count, &c->first, &c->total, &c->triangle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

static glshape_status fill_texture(gpu *g, gpu_texture *t, uint32_t value) {
    return gpu_run(g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* Puts the triangles of each first corner together, in any order. Overwrites m->next. */
static glshape_status group_triangles(collecting *c) {
    gpu *g = c->g;
    delaunay_mesh *m = c->m;
    uint32_t groups = delaunay_groups(6 * (uint64_t)m->n);
    OWNED_BY(prim_scratch_free) prim_scratch scratch = {0};
    TRY(gpu_texture_new(g, &c->count, "counts of triangles", GPU_R32UI, c->points, 1));
    TRY(gpu_texture_new(g, &c->first, "first triangles", GPU_R32UI, c->points, 1));
    TRY(gpu_texture_new(g, &c->total, "the number of triangles", GPU_R32UI, 1, 1));
    TRY(fill_texture(g, &c->count, 0));
    TRY(gpu_run(g, delaunay_count, .prev = &m->prev, .origin = &m->origin, .row = &m->row, .count = &c->count,
                .place = &m->next, .edges = 6 * m->n, .outer = m->outer, .groups = groups));
    TRY(prim_scan(g, &scratch, &c->count, c->points, &c->first, &c->total, 0));
    TRY(gpu_download(g, &c->total, 0, 1, &c->triangles));
    TRY(gpu_texture_new(g, &c->triangle, "triangles", GPU_RG32UI, c->triangles, 1));
    return gpu_run(g, delaunay_place, .origin = &m->origin, .row = &m->row, .first = &c->first,
                   .place = &m->next, .triangle = &c->triangle, .edges = 6 * m->n, .groups = groups);
}

/* ---- order ------------------------------------------------------------------------------------- */

static int by_corner(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Sorts on the CPU the triangles of each first corner that has more than MOST_SORTED. */
static glshape_status sort_on_cpu(collecting *c) {
    OWNED uint32_t *count = NULL;
    OWNED uint32_t(*list)[2] = NULL;
    uint32_t begin = 0;
    TRY(allocate(gpu_error(c->g), &count, c->points, sizeof *count, "counts of triangles"));
    TRY(allocate(gpu_error(c->g), &list, c->triangles, sizeof *list, "triangles"));
    TRY(gpu_download(c->g, &c->count, 0, c->points, count));
    TRY(gpu_download(c->g, &c->triangle, 0, c->triangles, list));
    for (uint32_t v = 0; v < c->points; begin += count[v++])
        if (count[v] > MOST_SORTED) qsort(list + begin, count[v], sizeof *list, by_corner);
    return gpu_upload(c->g, &c->triangle, 0, c->triangles, list);
}

/* Sorts the triangles of each first corner by their second corner. */
static glshape_status sort_triangles(collecting *c) {
    uint32_t too_long = 0;
    TRY(gpu_upload(c->g, &c->total, 0, 1, &too_long));
    TRY(gpu_run(c->g, delaunay_sort, .first = &c->first, .count = &c->count, .triangle = &c->triangle,
                .too_long = &c->total, .n = c->points, .most = MOST_SORTED,
                .groups = delaunay_groups(c->points)));
    TRY(gpu_download(c->g, &c->total, 0, 1, &too_long));
    return too_long ? sort_on_cpu(c) : GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Writes the corners and neighbors of the triangles. */
static glshape_status write_triangles(collecting *c, delaunay_textures *to) {
    gpu *g = c->g;
    delaunay_mesh *m = c->m;
    gpu_texture *left_triangle = &m->next;
    uint32_t groups = delaunay_groups(c->triangles);
    TRY(fill_texture(g, left_triangle, GLSHAPE_NO_TRIANGLE));
    TRY(gpu_run(g, delaunay_number, .prev = &m->prev, .origin = &m->origin, .row = &m->row,
                .triangle = &c->triangle, .left_triangle = left_triangle, .triangles = c->triangles,
                .outer = m->outer, .groups = groups));
    TRY(gpu_texture_new(g, &to->vertex, "corners of triangles", GPU_R32UI, c->triangles, 3));
    TRY(gpu_texture_new(g, &to->neighbor, "neighbors of triangles", GPU_R32UI, c->triangles, 3));
    return gpu_run(g, delaunay_collect, .prev = &m->prev, .origin = &m->origin, .row = &m->row,
                   .triangle = &c->triangle, .left_triangle = left_triangle, .vertex = &to->vertex,
                   .neighbor = &to->neighbor, .triangles = c->triangles, .outer = m->outer, .groups = groups);
}

glshape_status delaunay_collect(gpu *g, delaunay_mesh *m, delaunay_triangulation *out,
                                delaunay_textures *textures) {
    OWNED_BY(free_collecting) collecting c = {.g = g, .m = m, .points = out->n};
    OWNED_BY(delaunay_textures_free) delaunay_textures made = {0};
    TRY(group_triangles(&c));
    if (!c.triangles) return GLSHAPE_OK;
    TRY(sort_triangles(&c));
    size_t words = 3 * (size_t)c.triangles;
    TRY(allocate(gpu_error(g), &out->vertex, words, sizeof *out->vertex, "the triangles"));
    TRY(allocate(gpu_error(g), &out->neighbor, words, sizeof *out->neighbor, "the neighbors of triangles"));
    TRY(write_triangles(&c, &made));
    TRY(gpu_download(g, &made.vertex, 0, c.triangles, out->vertex));
    TRY(gpu_download(g, &made.neighbor, 0, c.triangles, out->neighbor));
    out->count = c.triangles;
    if (!textures) return GLSHAPE_OK;
    textures->vertex = MOVE(made.vertex);
    textures->neighbor = MOVE(made.neighbor);
    return GLSHAPE_OK;
}
