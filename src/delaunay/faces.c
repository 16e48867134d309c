/* From stars to triangles, in order. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "delaunay/stars.h"
#include "prim/passes.h"

#define HUB 64u /* MOST of glsl/delaunay/triangles.glsl */

glshape_status delaunay_count_faces(delaunay_stars *s) {
    gpu *g = s->g;
    uint32_t n = s->points->n;
    TRY(gpu_texture_new(g, &s->seam, "seams", GPU_RG32UI, 6 * s->counted[STARS_OPEN], 1));
    TRY(gpu_texture_new(g, &s->count, "counts of triangles", GPU_R32UI, n, 1));
    TRY(gpu_run(g, prim_fill, .filled = &s->count, .elements = n));
    return gpu_run(g, delaunay_faces, .FILL = 0, .star = &s->star, .list = &s->list, .row = &s->row,
                   .count = &s->count, .counters = &s->counters, .seam = &s->seam, .n = n,
                   .groups = delaunay_groups(n));
}

/* Puts the triangles of each least row together, in any order. */
static glshape_status group_faces(delaunay_stars *s) {
    gpu *g = s->g;
    uint32_t n = s->points->n;
    OWNED_BY(prim_scratch_free) prim_scratch scratch = {0};
    TRY(gpu_texture_new(g, &s->first, "first triangles", GPU_R32UI, n, 1));
    TRY(prim_scan(g, &scratch, &s->count, n, &s->first, &s->counters, STARS_LISTED));
    TRY(delaunay_stars_count(s));
    s->triangles = s->counted[STARS_LISTED];
    if (!s->triangles || s->triangles > 2 * (uint64_t)(n - s->counted[STARS_COPIES]))
        return delaunay_is_wrong(s);
    TRY(gpu_texture_new(g, &s->face, "triangles by least row", GPU_RG32UI, s->triangles, 1));
    TRY(gpu_run(g, delaunay_faces, .FILL = 1, .star = &s->star, .list = &s->list, .row = &s->row,
                .count = &s->count, .counters = &s->counters, .first = &s->first, .face = &s->face, .n = n,
                .groups = delaunay_groups(n)));
    return gpu_run(g, delaunay_more_faces, .FILL = 1, .more = &s->more, .count = &s->count,
                   .first = &s->first, .face = &s->face, .n = s->kept, .groups = delaunay_groups(s->kept));
}

static glshape_status write(delaunay_stars *s, bool sorted) {
    return gpu_run(s->g, delaunay_triangles, .first = &s->first, .face = &s->face, .vertex = &s->vertex,
                   .neighbor = &s->neighbor, .counters = &s->counters, .n = s->points->n,
                   .triangles = s->triangles, .sorted = sorted, .groups = delaunay_groups(s->points->n));
}

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the triangles of rows that have too many for a pass. */
static glshape_status sort_hubs(delaunay_stars *s) {
    OWNED uint32_t *first = NULL;
    OWNED uint32_t(*face)[2] = NULL;
    uint32_t n = s->points->n;
    TRY(allocate(run_error(run_of(s->g)), &first, (size_t)n + 1, sizeof *first, "first triangles"));
    TRY(allocate(run_error(run_of(s->g)), &face, s->triangles, sizeof *face, "triangles"));
    TRY(gpu_download(s->g, &s->first, 0, n, first));
    TRY(gpu_download(s->g, &s->face, 0, s->triangles, face));
    first[n] = s->triangles;
    for (uint32_t v = 0; v < n; v++) {
        if (first[v] > first[v + 1]) return delaunay_is_wrong(s);
        if (first[v + 1] - first[v] > HUB)
            qsort(face + first[v], first[v + 1] - first[v], sizeof *face, by_row);
    }
    TRY(gpu_upload(s->g, &s->face, 0, s->triangles, face));
    return write(s, true);
}

static glshape_status find_mates(delaunay_stars *s) {
    gpu *g = s->g;
    OWNED_BY(gpu_texture_free) gpu_texture table = {0};
    uint64_t slots =
        1024; /* up to three quarters of them are used: there are three edges for two triangles */
    while (slots < 2 * (uint64_t)s->triangles) slots *= 2;
    TRY(gpu_texture_new(g, &table, "edges of triangles", GPU_R32UI, (uint32_t)slots, 1));
    TRY(gpu_run(g, prim_fill, .filled = &table, .value = UINT32_MAX, .elements = (uint32_t)slots));
    return gpu_run(g, delaunay_mates, .vertex = &s->vertex, .neighbor = &s->neighbor, .table = &table,
                   .triangles = s->triangles, .mask = (uint32_t)slots - 1,
                   .groups = delaunay_groups(s->triangles));
}

glshape_status delaunay_write_faces(delaunay_stars *s) {
    gpu *g = s->g;
    TRY(group_faces(s));
    gpu_texture_free(&s->star);
    gpu_texture_free(&s->list);
    TRY(gpu_texture_new(g, &s->vertex, "corners of triangles", GPU_R32UI, s->triangles, 3));
    TRY(gpu_texture_new(g, &s->neighbor, "neighbors of triangles", GPU_R32UI, s->triangles, 3));
    TRY(write(s, false));
    TRY(delaunay_stars_count(s));
    if (s->counted[STARS_HUBS]) TRY(sort_hubs(s));
    return find_mates(s);
}
