/* Numbers the edges, and finds the thresholds of all faces. */
#include <stdlib.h>

#include "alpha/family.h"
#include "alpha/passes.h"
#include "base/memory.h"
#include "base/owned.h"
#include "prim/passes.h"
#include "prim/prim.h"

#define BLOCK 65536u /* points of one item of work */

alpha_faces family_faces(const family *f) {
    return (alpha_faces){&f->points, f->result->edges, f->result->triangles, f->edges};
}

/* ---- edges ------------------------------------------------------------------------------------- */

glshape_status family_edges(family *f) {
    glshape_alpha_result *r = f->result;
    gpu *g = f->g;
    OWNED_BY(gpu_texture_free) gpu_texture count = {0}, start = {0};
    OWNED_BY(prim_scratch_free) prim_scratch scratch = {0};
    TRY(gpu_texture_new(g, &f->half_edge, "half edges", GPU_R32UI, f->edges, 1));
    TRY(gpu_texture_new(g, &f->ends, "ends of edges", GPU_RG32UI, f->edges, 1));
    TRY(gpu_texture_new(g, &f->triangle_edges, "edges of triangles", GPU_R32UI, f->triangles, 3));
    TRY(gpu_texture_new(g, &count, "edges of each triangle", GPU_R32UI, f->triangles, 1));
    TRY(gpu_texture_new(g, &start, "first edges", GPU_R32UI, f->triangles, 1));
    TRY(gpu_run(g, alpha_count_edges, .vertex = &f->triangulation.vertex,
                .neighbor = &f->triangulation.neighbor, .count = &count, .elements = f->triangles));
    TRY(prim_scan(g, &scratch, &count, f->triangles, &start, NULL, 0));
    TRY(gpu_run(g, alpha_edges, .vertex = &f->triangulation.vertex, .neighbor = &f->triangulation.neighbor,
                .start = &start, .half_edge = &f->half_edge, .ends = &f->ends,
                .triangle_edge = &f->triangle_edges, .n = f->triangles,
                .groups = alpha_groups(f->triangles)));
    gpu_start(g);
    if (f->alone) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(g)), &r->edges, f->edges, 2 * sizeof *r->edges, "the edges"));
    TRY(allocate(run_error(run_of(g)), &r->triangle_edges, f->triangles, 3 * sizeof *r->triangle_edges,
                 "the triangles' edges"));
    threads_touch(r->edges, f->edges * 2 * sizeof *r->edges);
    threads_touch(r->triangle_edges, f->triangles * 3 * sizeof *r->triangle_edges);
    TRY(gpu_download(g, &f->ends, 0, f->edges, r->edges));
    return gpu_download(g, &f->triangle_edges, 0, f->triangles, r->triangle_edges);
}

glshape_status family_fetch_faces(family *f) {
    glshape_alpha_result *r = f->result;
    if (!r->edges) {
        TRY(allocate(run_error(run_of(f->g)), &r->edges, f->edges, 2 * sizeof *r->edges, "the edges"));
        TRY(gpu_download(f->g, &f->ends, 0, f->edges, r->edges));
    }
    if (r->triangles) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(f->g)), &r->triangles, f->triangles, 3 * sizeof *r->triangles,
                 "the triangles"));
    return gpu_download(f->g, &f->triangulation.vertex, 0, f->triangles, r->triangles);
}

/* ---- thresholds -------------------------------------------------------------------------------- */

/* The parts of vertex_ranks: rank of the first edge; of the last triangle; of the first triangle. */
enum { LOW, HIGH, SOLID, PARTS };

static void free_parts(gpu_texture (*part)[PARTS]) {
    for (int i = 0; i < PARTS; i++) gpu_texture_free(&(*part)[i]);
}

typedef struct filling {
    glshape_alpha_result *r;
    const uint32_t *word; /* the three parts */
} filling;

/* Fills vertex_ranks; a point that equals an earlier one has the ranks of that one. */
static void fill_block(void *user, size_t block) {
    const filling *f = user;
    glshape_alpha_result *r = f->r;
    for (size_t v = block * BLOCK; v < r->n && v / BLOCK == block; v++)
        for (int i = 0; i < PARTS; i++) {
            uint32_t rank = f->word[i * r->n + r->same[v]];
            r->vertex_ranks[3 * v + i] = rank == UINT32_MAX ? 0 : rank;
        }
}

/* Runs the passes that find them. */
static glshape_status run_thresholds(family *f, gpu_texture part[PARTS]) {
    static const char *const labels[] = {"births of vertices", "ends of vertices",
                                         "first triangles of vertices"};
    gpu *g = f->g;
    TRY(gpu_texture_new(g, &f->edge_ranks, "thresholds of edges", GPU_R32UI, f->edges, 3));
    for (int i = 0; i < PARTS; i++) {
        TRY(gpu_texture_new(g, &part[i], labels[i], GPU_R32UI, f->points.n, 1));
        TRY(gpu_run(g, prim_fill, .filled = &part[i], .value = i == HIGH ? 0 : UINT32_MAX,
                    .elements = f->points.n));
    }
    TRY(gpu_run(g, alpha_edge_intervals, .neighbor = &f->triangulation.neighbor, .ends = &f->ends,
                .half_edge = &f->half_edge, .rank = &f->rank, .edge_ranks = &f->edge_ranks, .low = &part[LOW],
                .high = &part[HIGH], .edges = f->edges, .groups = alpha_groups(f->edges)));
    TRY(gpu_run(g, alpha_triangle_intervals, .vertex = &f->triangulation.vertex, .rank = &f->rank,
                .high = &part[HIGH], .solid = &part[SOLID], .edges = f->edges, .triangles = f->triangles,
                .groups = alpha_groups(f->triangles)));
    gpu_start(g);
    return GLSHAPE_OK;
}

glshape_status family_thresholds(family *f) {
    OWNED_BY(free_parts) gpu_texture part[PARTS] = {0};
    TRY(run_thresholds(f, part));
    f->low = MOVE(part[LOW]);
    return GLSHAPE_OK;
}

static glshape_status find_thresholds(family *f) {
    glshape_alpha_result *r = f->result;
    gpu *g = f->g;
    OWNED_BY(free_parts) gpu_texture part[PARTS] = {0};
    OWNED uint32_t *word = NULL;
    TRY(run_thresholds(f, part));
    threads_touch(r->edge_ranks, f->edges * 3 * sizeof *r->edge_ranks);
    threads_touch(r->triangle_ranks, f->triangles * sizeof *r->triangle_ranks);
    TRY(gpu_download(g, &f->edge_ranks, 0, f->edges, r->edge_ranks));
    TRY(gpu_download(g, &f->rank, f->edges, f->triangles, r->triangle_ranks));
    TRY(allocate(run_error(run_of(g)), &word, r->n, PARTS * sizeof *word, "the thresholds of vertices"));
    for (int i = 0; i < PARTS; i++) TRY(gpu_download(g, &part[i], 0, f->points.n, word + i * r->n));
    threads_team_run(f->team, r->n / BLOCK + 1, fill_block, &(filling){r, word});
    return GLSHAPE_OK;
}

/* The thresholds of points on a line: an edge bounds no triangle. */
static void find_thresholds_on_line(const family *f) {
    glshape_alpha_result *r = f->result;
    for (size_t e = 0; e < f->edges; e++)
        for (int i = 0; i < 2; i++) {
            uint32_t *low = &r->vertex_ranks[3 * (size_t)r->edges[2 * e + i]],
                     rank = r->edge_ranks[3 * e] = f->ranks[e];
            if (!*low || rank < *low) *low = rank;
        }
    for (size_t v = 0; v < r->n; v++) r->vertex_ranks[3 * v] = r->vertex_ranks[3 * (size_t)r->same[v]];
}

glshape_status family_intervals(family *f) {
    glshape_alpha_result *r = f->result;
    error *err = run_error(run_of(f->g));
    TRY(allocate(err, &r->vertex_ranks, r->n, 3 * sizeof *r->vertex_ranks, "the thresholds of vertices"));
    TRY(allocate(err, &r->edge_ranks, f->edges, 3 * sizeof *r->edge_ranks, "the thresholds of edges"));
    if (!f->triangles) {
        find_thresholds_on_line(f);
        return GLSHAPE_OK;
    }
    TRY(allocate(err, &r->triangle_ranks, f->triangles, sizeof *r->triangle_ranks, "the ranks of triangles"));
    return f->on_device ? find_thresholds(f) : family_thresholds_on_cpu(f);
}

void family_free_textures(family *f) {
    gpu_texture *const all[] = {&f->half_edge, &f->ends,   &f->triangle_edges, &f->rank,
                                &f->radius,    &f->chosen, &f->edge_ranks,     &f->low};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    delaunay_textures_free(&f->triangulation);
}

void family_free(family *f) {
    family_free_textures(f);
    threads_team_free(f->team);
    free(f->ranks);
}
