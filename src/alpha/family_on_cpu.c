/* The same as family.c, in memory. */
#include <stdlib.h>

#include "alpha/family.h"
#include "base/memory.h"
#include "base/owned.h"

/* ---- edges ------------------------------------------------------------------------------------- */

/* Whether side h = 3t + k is an edge of triangle t: its ends come in ascending order there, or t alone has
 * it. */
static bool belongs(const glshape_alpha_result *r, uint32_t h) {
    uint32_t t = h / 3, k = h % 3;
    return r->neighbors[h] == GLSHAPE_NO_TRIANGLE ||
           r->triangles[3 * t + (k + 1) % 3] < r->triangles[3 * t + (k + 2) % 3];
}

glshape_status family_edges_on_cpu(family *f) {
    glshape_alpha_result *r = f->result;
    error *err = gpu_error(f->g);
    uint32_t sides = 3 * f->triangles, e = 0;
    TRY(allocate(err, &r->edges, f->edges, 2 * sizeof *r->edges, "the edges"));
    TRY(allocate(err, &r->triangle_edges, f->triangles, 3 * sizeof *r->triangle_edges,
                 "the triangles' edges"));
    for (uint32_t h = 0; h < sides; h++) {
        if (!belongs(r, h)) continue;
        uint32_t a = r->triangles[h - h % 3 + (h + 1) % 3], b = r->triangles[h - h % 3 + (h + 2) % 3];
        r->edges[2 * (size_t)e] = a < b ? a : b;
        r->edges[2 * (size_t)e + 1] = a < b ? b : a;
        r->triangle_edges[h] = e++;
    }
    for (uint32_t h = 0; h < sides; h++) {
        if (belongs(r, h)) continue;
        uint32_t other = 3 * r->neighbors[h];
        while (r->neighbors[other] != h / 3) other++;
        r->triangle_edges[h] = r->triangle_edges[other];
    }
    return GLSHAPE_OK;
}

/* ---- thresholds -------------------------------------------------------------------------------- */

static void lower(uint32_t *least, uint32_t to) {
    if (to < *least) *least = to;
}

static void raise(uint32_t *most, uint32_t to) {
    if (to > *most) *most = to;
}

/* The ranks of the first and the last triangle of each edge; 0 for the last one of an edge of the hull. */
static void find_edge_ranks(const family *f) {
    glshape_alpha_result *r = f->result;
    for (size_t e = 0; e < f->edges; e++) {
        r->edge_ranks[3 * e] = f->ranks[e];
        r->edge_ranks[3 * e + 1] = UINT32_MAX;
    }
    for (size_t h = 0; h < 3 * (size_t)f->triangles; h++) {
        uint32_t *ranks = r->edge_ranks + 3 * (size_t)r->triangle_edges[h], rank = r->triangle_ranks[h / 3];
        lower(&ranks[1], rank);
        if (r->neighbors[h] != GLSHAPE_NO_TRIANGLE) raise(&ranks[2], rank);
    }
}

/* Takes into the thresholds of a point: the birth of an edge; whether that is on the hull. */
static void meet_edge(uint32_t ranks[3], uint32_t birth, bool on_hull) {
    lower(&ranks[0], birth);
    if (on_hull) ranks[1] = UINT32_MAX;
}

static void find_vertex_ranks(const family *f) {
    glshape_alpha_result *r = f->result;
    for (size_t v = 0; v < r->n; v++) {
        r->vertex_ranks[3 * v] = r->vertex_ranks[3 * v + 2] = UINT32_MAX;
        r->vertex_ranks[3 * v + 1] = 0;
    }
    for (size_t e = 0; e < f->edges; e++) {
        const uint32_t *own = r->edge_ranks + 3 * e;
        for (int i = 0; i < 2; i++)
            meet_edge(r->vertex_ranks + 3 * (size_t)r->edges[2 * e + i], own[0] ? own[0] : own[1], !own[2]);
    }
    for (size_t h = 0; h < 3 * (size_t)f->triangles; h++) {
        uint32_t *ranks = r->vertex_ranks + 3 * (size_t)r->triangles[h], rank = r->triangle_ranks[h / 3];
        raise(&ranks[1], rank);
        lower(&ranks[2], rank);
    }
}

void family_thresholds_on_cpu(family *f) {
    glshape_alpha_result *r = f->result;
    for (size_t t = 0; t < f->triangles; t++) r->triangle_ranks[t] = f->ranks[f->edges + t];
    find_edge_ranks(f);
    find_vertex_ranks(f);
    /* A point that equals an earlier one has the ranks of that one; a rank that is none is 0. */
    for (size_t v = 0; v < r->n; v++)
        for (int i = 0; i < 3; i++) {
            uint32_t rank = r->vertex_ranks[3 * (size_t)r->same[v] + i];
            r->vertex_ranks[3 * v + i] = rank == UINT32_MAX ? 0 : rank;
        }
}
