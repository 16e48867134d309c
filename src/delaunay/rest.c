/* The triangles between open sites. A triangle of the whole whose corners are all open is one of the
 * triangulation of the open sites alone, too. In that one it is told from others by edges: a seam has a
 * triangle of a closed star on its left. From the right sides of seams, edges lead to all the triangles that
 * are wanted, and over no seam. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "delaunay/mesh.h"
#include "delaunay/stars.h"

typedef struct rest {
    uint32_t count, seams;
    uint32_t *row, (*seam)[2]; /* of open sites; rows of edges; both sorted */
    delaunay_triangulation t;  /* of the open sites; its points are places in row */
    uint32_t *waiting;
    uint8_t *kept;
} rest;

static void free_rest(rest *r) {
    free(r->row);
    free(r->seam);
    free(r->waiting);
    free(r->kept);
    delaunay_triangulation_free(&r->t);
}

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_edge(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? by_row(x, y) : by_row(x + 1, y + 1);
}

/* Triangulates the open sites. In order of their rows, circles are cut as in the whole. */
static glshape_status triangulate(const delaunay_stars *s, rest *r) {
    OWNED_BY(exact_points_free) exact_points some = *s->points;
    error *err = run_error(run_of(s->g));
    some.xy = NULL;
    some.n = r->count;
    TRY(allocate(err, &some.xy, r->count, 2 * sizeof *some.xy, "open sites"));
    for (uint32_t i = 0; i < r->count; i++)
        memcpy(some.xy + 2 * (size_t)i, s->points->xy + 2 * (size_t)r->row[i], 2 * sizeof *some.xy);
    r->t.n = some.n;
    OWNED_BY(run_end_within)
    run_within stage = run_begin_within(run_of(s->g), "open sites", RUN_NOT_BY_PASSES);
    return delaunay_by_threads(run_of(s->g), &some, &r->t);
}

static glshape_status take_seams(delaunay_stars *s, rest *r) {
    TRY(delaunay_stars_count(s));
    r->seams = s->counted[STARS_SEAMS];
    TRY(allocate(run_error(run_of(s->g)), &r->seam, r->seams, sizeof *r->seam, "seams"));
    TRY(gpu_download(s->g, &s->seam, 0, r->seams, r->seam));
    qsort(r->seam, r->seams, sizeof *r->seam, by_edge);
    return GLSHAPE_OK;
}

/* Returns true if the edge of triangle t opposite corner k, or with `across` the same edge the other way, is
 * a seam. */
static bool is_seam(const rest *r, uint32_t t, int k, bool across) {
    const uint32_t *corner = r->t.vertex + 3 * (size_t)t;
    uint32_t a = r->row[corner[(k + 1) % 3]], b = r->row[corner[(k + 2) % 3]];
    uint32_t edge[2] = {across ? b : a, across ? a : b};
    return bsearch(edge, r->seam, r->seams, sizeof *r->seam, by_edge);
}

static void keep(rest *r, uint32_t t, uint32_t *waiting) {
    if (r->kept[t]) return;
    r->kept[t] = 1;
    r->waiting[(*waiting)++] = t;
}

static void keep_triangles(rest *r) {
    uint32_t waiting = 0;
    for (uint32_t t = 0; t < r->t.count; t++)
        for (int k = 0; k < 3; k++)
            if (is_seam(r, t, k, true) && !is_seam(r, t, k, false)) keep(r, t, &waiting);
    while (waiting) {
        uint32_t t = r->waiting[--waiting];
        for (int k = 0; k < 3; k++) {
            uint32_t across = r->t.neighbor[3 * (size_t)t + k];
            if (across != GLSHAPE_NO_TRIANGLE && !is_seam(r, t, k, true)) keep(r, across, &waiting);
        }
    }
}

/* Uploads the triangles that are kept, and counts them by least row. */
static glshape_status add_kept(delaunay_stars *s, const rest *r) {
    OWNED uint32_t(*rows)[4] = NULL;
    for (uint32_t t = 0; t < r->t.count; t++) s->kept += r->kept[t];
    TRY(allocate(run_error(run_of(s->g)), &rows, s->kept, sizeof *rows, "triangles of open sites"));
    for (uint32_t t = 0, at = 0; t < r->t.count; at += r->kept[t++])
        for (int k = 0; r->kept[t] && k < 3; k++) rows[at][k] = r->row[r->t.vertex[3 * (size_t)t + k]];
    TRY(gpu_texture_new(s->g, &s->more, "triangles of open sites", GPU_RGBA32UI, s->kept, 1));
    TRY(gpu_upload(s->g, &s->more, 0, s->kept, rows));
    return gpu_run(s->g, delaunay_more_faces, .FILL = 0, .more = &s->more, .count = &s->count, .n = s->kept,
                   .groups = delaunay_groups(s->kept));
}

glshape_status delaunay_join_rest(delaunay_stars *s, delaunay_cost *cost) {
    OWNED_BY(free_rest) rest r = {.count = s->counted[STARS_OPEN]};
    error *err = run_error(run_of(s->g));
    TRY(allocate(err, &r.row, r.count, sizeof *r.row, "open sites"));
    TRY(gpu_download(s->g, &s->open, 0, r.count, r.row));
    qsort(r.row, r.count, sizeof *r.row, by_row);
    for (uint32_t i = 0; i < r.count; i++)
        if (r.row[i] >= s->points->n || (i && r.row[i] == r.row[i - 1])) return delaunay_is_wrong(s);
    TRY(triangulate(s, &r));
    cost->tests += r.t.cost.tests;
    cost->big += r.t.cost.big;
    TRY(take_seams(s, &r));
    TRY(allocate(err, &r.waiting, r.t.count, sizeof *r.waiting, "triangles to look at"));
    TRY(allocate(err, &r.kept, r.t.count, sizeof *r.kept, "triangles that are kept"));
    keep_triangles(&r);
    return add_kept(s, &r);
}
