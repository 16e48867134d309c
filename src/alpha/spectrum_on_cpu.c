/* The spectrum on the CPU: of few points, of coordinates that are too far apart for the device, and of points
 * on a line. */
#include <stdlib.h>

#include "alpha/family.h"
#include "base/memory.h"
#include "base/owned.h"

typedef struct listing {
    /* Faces that are not attached; their places in order of radius; the rank of every face, the family's. */
    uint32_t *faces, *order, *rank;
    bool *same;
    uint32_t count;
} listing;

static bool is_attached(alpha_radii *r, const uint32_t *opposite, uint32_t e) {
    for (int i = 0; i < 2; i++) {
        uint32_t h = opposite[2 * (size_t)e + i];
        if (h != UINT32_MAX && radii_obtuse(r, h / 3, (int)(h % 3))) return true;
    }
    return false;
}

/* opposite[2e] and opposite[2e + 1]: the corners opposite edge e, as 3t + k; UINT32_MAX: none. */
static glshape_status list_faces(family *f, alpha_radii *r, listing *l) {
    const glshape_alpha_result *result = f->result;
    OWNED uint32_t *opposite = NULL;
    TRY(allocate(gpu_error(f->g), &opposite, f->edges, 2 * sizeof *opposite, "the edges"));
    for (size_t k = 0; k < 2 * (size_t)f->edges; k++) opposite[k] = UINT32_MAX;
    for (uint32_t h = 0; h < 3 * f->triangles; h++) {
        size_t e = result->triangle_edges[h];
        opposite[2 * e + (opposite[2 * e] != UINT32_MAX)] = h;
    }
    for (uint32_t face = 0; face < f->edges + f->triangles; face++) {
        if (face < f->edges && is_attached(r, opposite, face)) continue;
        l->faces[l->count++] = face;
    }
    return GLSHAPE_OK;
}

/* Numbers the ranks from 1 on, and notes the radius and a face of each. */
static void take_ranks(family *f, alpha_radii *r, listing *l) {
    glshape_alpha_result *result = f->result;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t face = l->faces[l->order[i]];
        if (!l->same[i]) {
            result->exact->face[result->ranks++] = face;
            double before = result->radii[result->ranks - 1], radius = radii_radius(r, face);
            result->radii[result->ranks] = radius > before ? radius : before;
        }
        l->rank[face] = (uint32_t)result->ranks;
    }
}

static void free_listing(listing *l) {
    free(l->faces);
    free(l->same);
}

glshape_status family_spectrum_on_cpu(family *f) {
    const alpha_faces faces = family_faces(f);
    glshape_alpha_result *result = f->result;
    error *err = gpu_error(f->g);
    size_t most = (size_t)f->edges + f->triangles;
    OWNED_BY(free_listing) listing l = {0};
    OWNED_BY(radii_end) alpha_radii r;
    radii_begin(&r, &faces);
    TRY(allocate(err, &l.faces, most, 2 * sizeof *l.faces, "the spectrum"));
    TRY(allocate(err, &f->ranks, most, sizeof *f->ranks, "the ranks of faces"));
    TRY(allocate(err, &l.same, most, sizeof *l.same, "the spectrum"));
    l.order = l.faces + most;
    l.rank = f->ranks;
    TRY(list_faces(f, &r, &l));
    TRY(radii_sort(err, &r, l.faces, l.count, l.order, l.same));
    TRY(allocate(err, &result->radii, l.count + (size_t)1, sizeof *result->radii, "the spectrum"));
    TRY(allocate(err, &result->exact->face, l.count, sizeof *result->exact->face, "the spectrum"));
    take_ranks(f, &r, &l);
    gpu_fact(f->g, (double)r.compared, "exact comparisons on the CPU");
    return GLSHAPE_OK;
}
