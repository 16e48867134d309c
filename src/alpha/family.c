/* Edges with numbers, and the thresholds of all faces. */
#include <stdlib.h>

#include "alpha/spectrum.h"
#include "alpha/spectrum_passes.h"
#include "base/memory.h"
#include "prim/passes.h"
#include "prim/prim.h"

#define BLOCK 65536u
#define LOCAL 256u

static uint32_t groups(uint32_t n) { return n / LOCAL + (n % LOCAL != 0); }

exact_faces family_faces(const family *f) {
    return (exact_faces){&f->points, f->result->edges, f->result->triangles, f->edges};
}

/* ---- edges ------------------------------------------------------------------------------------- */

/* Three words a triangle as four. */
static glshape_status upload_corners(family *f, gpu_texture *to, const char *label, const uint32_t *from) {
    uint32_t(*staging)[4];
    TRY(gpu_texture_new(f->g, to, label, GPU_RGBA32UI, f->triangles, 1));
    TRY(allocate(gpu_error(f->g), &staging, BLOCK, sizeof *staging, "staging of triangles"));
    glshape_status status = GLSHAPE_OK;
    for (uint32_t first = 0; first < f->triangles && !status; first += BLOCK) {
        uint32_t count = f->triangles - first < BLOCK ? f->triangles - first : BLOCK;
        for (uint32_t i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) staging[i][k] = from[3 * (size_t)(first + i) + k];
        status = gpu_upload(f->g, to, first, count, staging);
    }
    free(staging);
    return status;
}

static glshape_status number_edges(family *f, gpu_texture *count, gpu_texture *start, prim_scratch *s) {
    const gpu_pass *own = &spectrum_passes[SPECTRUM_COUNT_EDGES], *name = &spectrum_passes[SPECTRUM_EDGES];
    TRY(gpu_texture_new(f->g, count, "edges of each triangle", GPU_R32UI, f->triangles, 1));
    TRY(gpu_texture_new(f->g, start, "first edges", GPU_R32UI, f->triangles, 1));
    TRY(gpu_run_at(f->g, own, .defines = own->variants[0], .textures = {&f->vertex, &f->neighbour, count},
                   .count = f->triangles));
    TRY(prim_scan(f->g, s, count, f->triangles, start, NULL, 0));
    return gpu_run_at(f->g, name, .defines = name->variants[0],
                      .textures = {&f->vertex, &f->neighbour, start, &f->half_edge, &f->ends, &f->sides},
                      .values = {GPU_U(f->triangles)}, .count = groups(f->triangles));
}

glshape_status family_edges(family *f) {
    glshape_alpha_result *r = f->result;
    error *err = gpu_error(f->g);
    TRY(allocate(err, &r->edges, f->edges, 2 * sizeof *r->edges, "the edges"));
    TRY(allocate(err, &r->triangle_edges, f->triangles, 3 * sizeof *r->triangle_edges,
                 "the triangles' edges"));
    TRY(upload_corners(f, &f->vertex, "triangles", r->triangles));
    TRY(upload_corners(f, &f->neighbour, "neighbors", r->neighbors));
    TRY(gpu_texture_new(f->g, &f->half_edge, "half edges", GPU_R32UI, f->edges, 1));
    TRY(gpu_texture_new(f->g, &f->ends, "ends of edges", GPU_RG32UI, f->edges, 1));
    TRY(gpu_texture_new(f->g, &f->sides, "edges of triangles", GPU_R32UI, f->triangles, 3));
    gpu_texture count = {0}, start = {0};
    prim_scratch scratch = {0};
    glshape_status status = number_edges(f, &count, &start, &scratch);
    gpu_texture_free(&count);
    gpu_texture_free(&start);
    prim_scratch_free(&scratch);
    if (!status) status = gpu_download(f->g, &f->ends, 0, f->edges, r->edges);
    if (!status) status = gpu_download(f->g, &f->sides, 0, f->triangles, r->triangle_edges);
    return status;
}

/* ---- thresholds -------------------------------------------------------------------------------- */

enum { LOW, HIGH, SOLID, PARTS };

/* Points that are no vertices have the thresholds of theirs. */
static void take_vertices(const family *f, const uint32_t *part[PARTS]) {
    glshape_alpha_result *r = f->result;
    for (size_t v = 0; v < r->n; v++)
        for (int i = 0; i < PARTS; i++) {
            uint32_t rank = part[i][r->same[v]];
            r->vertex_ranks[3 * v + i] = rank == UINT32_MAX ? 0 : rank;
        }
}

static glshape_status find_intervals(family *f, gpu_texture *edge_ranks, gpu_texture part[PARTS]) {
    static const char *const labels[] = {"births of vertices", "ends of vertices",
                                         "first triangles of vertices"};
    const gpu_pass *edges = &spectrum_passes[SPECTRUM_EDGE_INTERVALS],
                   *triangles = &spectrum_passes[SPECTRUM_TRIANGLE_INTERVALS];
    TRY(gpu_texture_new(f->g, edge_ranks, "thresholds of edges", GPU_R32UI, f->edges, 3));
    for (int i = 0; i < PARTS; i++) {
        TRY(gpu_texture_new(f->g, &part[i], labels[i], GPU_R32UI, f->points.n, 1));
        TRY(gpu_run(f->g, prim_fill, .filled = &part[i], .value = i == HIGH ? 0 : UINT32_MAX,
                    .elements = f->points.n));
    }
    TRY(gpu_run_at(
        f->g, edges, .defines = edges->variants[0],
        .textures = {&f->neighbour, &f->ends, &f->half_edge, &f->rank, edge_ranks, &part[LOW], &part[HIGH]},
        .values = {GPU_U(f->edges)}, .count = groups(f->edges)));
    return gpu_run_at(f->g, triangles, .defines = triangles->variants[0],
                      .textures = {&f->vertex, &f->rank, &part[HIGH], &part[SOLID]},
                      .values = {GPU_U(f->edges), GPU_U(f->triangles)}, .count = groups(f->triangles));
}

static glshape_status read_intervals(family *f, gpu_texture *edge_ranks, gpu_texture part[PARTS]) {
    glshape_alpha_result *r = f->result;
    uint32_t *words;
    TRY(gpu_download(f->g, edge_ranks, 0, f->edges, r->edge_ranks));
    TRY(gpu_download(f->g, &f->rank, f->edges, f->triangles, r->triangle_ranks));
    TRY(allocate(gpu_error(f->g), &words, r->n, PARTS * sizeof *words, "the thresholds of vertices"));
    const uint32_t *at[PARTS];
    glshape_status status = GLSHAPE_OK;
    for (int i = 0; i < PARTS && !status; i++) {
        at[i] = words + i * r->n;
        status = gpu_download(f->g, &part[i], 0, f->points.n, words + i * r->n);
    }
    if (!status) take_vertices(f, at);
    free(words);
    return status;
}

/* On a line: edges bound nothing. */
static void find_chain(const family *f) {
    glshape_alpha_result *r = f->result;
    for (size_t e = 0; e < f->edges; e++)
        for (int i = 0; i < 2; i++) {
            uint32_t *low = &r->vertex_ranks[3 * (size_t)r->edges[2 * e + i]], rank = r->edge_ranks[3 * e];
            if (!*low || rank < *low) *low = rank;
        }
    for (size_t v = 0; v < r->n; v++) r->vertex_ranks[3 * v] = r->vertex_ranks[3 * (size_t)r->same[v]];
}

glshape_status family_intervals(family *f) {
    glshape_alpha_result *r = f->result;
    error *err = gpu_error(f->g);
    TRY(allocate(err, &r->vertex_ranks, r->n, 3 * sizeof *r->vertex_ranks, "the thresholds of vertices"));
    if (!f->triangles) {
        find_chain(f);
        return GLSHAPE_OK;
    }
    TRY(allocate(err, &r->edge_ranks, f->edges, 3 * sizeof *r->edge_ranks, "the thresholds of edges"));
    TRY(allocate(err, &r->triangle_ranks, f->triangles, sizeof *r->triangle_ranks, "the ranks of triangles"));
    gpu_texture edge_ranks = {0}, part[PARTS] = {0};
    glshape_status status = find_intervals(f, &edge_ranks, part);
    if (!status) status = read_intervals(f, &edge_ranks, part);
    gpu_texture_free(&edge_ranks);
    for (int i = 0; i < PARTS; i++) gpu_texture_free(&part[i]);
    return status;
}

void family_free(family *f) {
    gpu_texture *const all[] = {&f->vertex, &f->neighbour, &f->half_edge, &f->ends, &f->sides, &f->rank};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}
