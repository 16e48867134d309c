/* Small problems that show whether the passes with exact arithmetic are right: the CPU solves them, too. */
#include <math.h>
#include <string.h>

#include "alpha/family.h"
#include "alpha/passes.h"
#include "base/owned.h"

/* Differences of coordinates that take so many bits are computed with in so many limbs (family_limbs). */
static int most_bits(int limbs) { return limbs == 2 ? 31 : limbs == 4 ? 53 : limbs == 5 ? 79 : 126; }

/* ---- keys ---------------------------------------------------------------------------------------- */

#define POINTS 80

/* user: the limbs. A point is as far away as these allow. Close keys are left to the CPU, as the pass
 * that compares them is not trusted here. */
static glshape_status solve(gpu *g, const void *limbs, alpha_way way, glshape_alpha_result *r) {
    double xy[POINTS][2], far = ldexp(1, most_bits(*(const int *)limbs) - 1) - 0x1p21;
    uint32_t state = 1;
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < 2; c++) {
            state = state * 1664525u + 1013904223u;
            xy[i][c] = (i == 0 && c == 0 ? far : 0) + (state >> 12);
        }
    return family_find(g, &(glshape_matrix){GLSHAPE_F64, POINTS, 2, xy}, way, false, r);
}

static bool same_ranks(const glshape_alpha_result *a, const glshape_alpha_result *b) {
    return a->ranks == b->ranks && a->edge_count == b->edge_count && a->triangle_count == b->triangle_count &&
           !memcmp(a->edge_ranks, b->edge_ranks, 3 * a->edge_count * sizeof *a->edge_ranks) &&
           !memcmp(a->triangle_ranks, b->triangle_ranks, a->triangle_count * sizeof *a->triangle_ranks) &&
           !memcmp(a->vertex_ranks, b->vertex_ranks, 3 * (size_t)a->n * sizeof *a->vertex_ranks) &&
           !memcmp(a->radii, b->radii, (a->ranks + 1) * sizeof *a->radii);
}

static glshape_status check_keys(gpu *g, const void *limbs, bool *right) {
    glshape_alpha_result device = {0}, cpu = {0};
    glshape_status status = solve(g, limbs, ALPHA_ON_CPU, &cpu);
    if (!status) status = solve(g, limbs, ALPHA_ON_DEVICE, &device);
    *right = !status && same_ranks(&device, &cpu);
    glshape_alpha_free(&device);
    glshape_alpha_free(&cpu);
    return status;
}

glshape_status family_trusts_keys(const family *f, bool *so) {
    const int limbs = family_limbs(&f->points);
    gpu_exact e = {.program = {gpu_program(alpha_keys, .LIMBS = limbs)}, .check = check_keys, .user = &limbs};
    return gpu_trusts(f->g, &e, so);
}

/* ---- outlines ------------------------------------------------------------------------------------ */

/* Points around two holes, with a bridge that the shape of half the ranks may have; a fan around the first
 * one takes more than one run of alpha/turn. */
enum { FAN = 90, SCATTERED = 480, OUTLINED = FAN + SCATTERED + 1 };

/* The last is as far away as these limbs allow: so the keys are those that are trusted. */
static void make_outlined(int limbs, double xy[OUTLINED][2]) {
    uint32_t state = 7;
    for (int i = 0; i < FAN; i++) {
        double angle = 6.283185307179586 * i / (FAN - 1) * 0.97;
        xy[i][0] = i ? rint(1000 * cos(angle)) : 0;
        xy[i][1] = i ? rint(1000 * sin(angle)) : 0;
    }
    for (int i = FAN; i < OUTLINED; i++)
        for (int c = 0; c < 2; c++) {
            state = state * 1664525u + 1013904223u;
            xy[i][c] = 3000 + (state >> 20);
        }
    xy[OUTLINED - 1][0] = ldexp(1, most_bits(limbs) - 1) - 0x1p21;
}

static glshape_status outline_of(gpu *g, int limbs, alpha_way way, double alpha, glshape_alpha_outline *out) {
    OWNED_BY(glshape_alpha_free) glshape_alpha_result r = {0};
    double xy[OUTLINED][2];
    bool done;
    make_outlined(limbs, xy);
    const glshape_alpha_choice choice = {.alpha = GLSHAPE_SET(alpha)};
    const glshape_matrix points = {GLSHAPE_F64, OUTLINED, 2, xy};
    TRY(alpha_outline_find(g, &points, way, &choice, &r, out, &done));
    if (way == ALPHA_ON_DEVICE && !done)
        return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR, "no pass was run");
    return done ? GLSHAPE_OK : alpha_outline_of_family(run_error(run_of(g)), &r, &choice, out);
}

static bool same_outlines(const glshape_alpha_outline *a, const glshape_alpha_outline *b) {
    const glshape_alpha_shape *s = &a->shape, *t = &b->shape;
    bool same = s->rank == t->rank && s->radius == t->radius && s->components == t->components &&
                s->rings == t->rings && a->singular_edges == b->singular_edges &&
                a->singular_points == b->singular_points &&
                s->ring_start[s->rings] == t->ring_start[t->rings];
    for (size_t c = 0; same && c < s->components; c++)
        same = s->component[c].triangles == t->component[c].triangles;
    return same && !memcmp(s->ring_start, t->ring_start, (s->rings + 1) * sizeof *s->ring_start) &&
           !memcmp(s->ring, t->ring, s->ring_start[s->rings] * sizeof *s->ring) &&
           !memcmp(a->singular_edge, b->singular_edge, a->singular_edges * sizeof *a->singular_edge) &&
           !memcmp(a->singular_point, b->singular_point, a->singular_points * sizeof *a->singular_point);
}

static glshape_status check_outline(gpu *g, const void *user, bool *right) {
    static const double alphas[] = {510, 300};
    const int limbs = *(const int *)user;
    *right = true;
    for (int k = 0; k < 2 && *right; k++) {
        OWNED_BY(glshape_alpha_outline_free) glshape_alpha_outline device = {0};
        OWNED_BY(glshape_alpha_outline_free) glshape_alpha_outline cpu = {0};
        TRY(outline_of(g, limbs, ALPHA_ON_CPU, alphas[k], &cpu));
        TRY(outline_of(g, limbs, ALPHA_ON_DEVICE, alphas[k], &device));
        *right = same_outlines(&device, &cpu);
    }
    return GLSHAPE_OK;
}

glshape_status family_trusts_outline(const family *f, bool *so) {
    const int limbs = family_limbs(&f->points);
    gpu_exact e = {.program = {gpu_only_program(alpha_inside), gpu_only_program(alpha_count_sides),
                               gpu_only_program(alpha_sides), gpu_only_program(alpha_turn),
                               gpu_only_program(alpha_sample), gpu_only_program(alpha_singular),
                               gpu_only_program(alpha_list_singular), gpu_only_program(alpha_greatest)},
                   .check = check_outline,
                   .user = &limbs,
                   .without_doubles = true};
    return gpu_trusts(f->g, &e, so);
}

/* ---- comparing ----------------------------------------------------------------------------------- */

/* Edges from point 0 to points (A + i, A - i) and (A - i, A + i), whose lengths differ by the least possible,
 * and one to a point that is far away; and triangles of points 0, j and j + 2 or, the last, the far one. All
 * pairs of faces are compared. */
enum {
    A = 1 << 20,
    ARMS = 5,
    FAR = 2 * ARMS + 1,
    EDGES = FAR,
    TRIANGLES = 2 * ARMS - 1,
    FACES = EDGES + TRIANGLES,
    PAIRS = FACES * FACES
};

typedef struct comparing {
    double xy[FAR + 1][2];
    uint32_t edges[EDGES][2], triangles[TRIANGLES][3], items[2 * PAIRS][4], list[PAIRS], ties[2 * PAIRS],
        swapped;
} comparing;

static void make_comparing(comparing *c, int limbs) {
    *c = (comparing){0};
    for (int i = 0; i < ARMS; i++)
        for (int side = 0; side < 2; side++) {
            c->xy[2 * i + side + 1][side] = A + i;
            c->xy[2 * i + side + 1][!side] = A - i;
        }
    c->xy[FAR][0] = ldexp(1, most_bits(limbs) - 1);
    c->xy[FAR][1] = 1;
    for (uint32_t e = 0; e < EDGES; e++) c->edges[e][1] = e + 1;
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        const double *p = c->xy[t + 1], *q = c->xy[t + 3];
        bool left = p[0] * q[1] > p[1] * q[0]; /* corners are in counter-clockwise order */
        c->triangles[t][1] = left ? t + 1 : t + 3;
        c->triangles[t][2] = left ? t + 3 : t + 1;
    }
    for (uint32_t p = 0; p < PAIRS; p++) {
        c->list[p] = 2 * p;
        c->items[2 * p][2] = p / FACES;
        c->items[2 * p + 1][2] = p % FACES;
    }
}

typedef struct textures {
    gpu_texture points, vertex, ends, list, item, tie, state;
} textures;

static void free_textures(textures *t) {
    gpu_texture *const all[] = {&t->points, &t->vertex, &t->ends, &t->list, &t->item, &t->tie, &t->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

static glshape_status upload(gpu *g, gpu_texture *t, gpu_format format, uint32_t elements, uint32_t texels,
                             const void *data) {
    TRY(gpu_texture_new(g, t, "a small problem", format, elements, texels));
    return gpu_upload(g, t, 0, elements, data);
}

/* Compares the pairs by the pass: c gets items in their order, ties, and the number of swaps. */
static glshape_status compare(gpu *g, comparing *c, int limbs) {
    OWNED_BY(free_textures) textures t = {0};
    TRY(upload(g, &t.points, GPU_RGBA32UI, FAR + 1, 1, c->xy));
    TRY(upload(g, &t.vertex, GPU_R32UI, TRIANGLES, 3, c->triangles));
    TRY(upload(g, &t.ends, GPU_RG32UI, EDGES, 1, c->edges));
    TRY(upload(g, &t.list, GPU_R32UI, PAIRS, 1, c->list));
    TRY(upload(g, &t.item, GPU_RGBA32UI, 2 * PAIRS, 1, c->items));
    TRY(upload(g, &t.tie, GPU_R32UI, 2 * PAIRS, 1, c->ties));
    TRY(upload(g, &t.state, GPU_R32UI, 1, 1, &c->swapped));
    TRY(gpu_run(g, alpha_compare, .LIMBS = limbs, .points = &t.points, .vertex = &t.vertex, .ends = &t.ends,
                .list = &t.list, .item = &t.item, .tie = &t.tie, .state = &t.state, .n = PAIRS,
                .edges = EDGES, .groups = (PAIRS - 1) / ALPHA_COMPARE_LOCAL + 1));
    TRY(gpu_download(g, &t.item, 0, 2 * PAIRS, c->items));
    TRY(gpu_download(g, &t.tie, 0, 2 * PAIRS, c->ties));
    return gpu_download(g, &t.state, 0, 1, &c->swapped);
}

static bool is_right(comparing *c, int limbs) {
    const exact_points points = {.n = FAR + 1, .xy = *c->xy, .bits = most_bits(limbs)};
    const alpha_faces faces = {.points = &points, .edges = EDGES, .ends = *c->edges, .vertex = *c->triangles};
    OWNED_BY(radii_end) alpha_radii radii;
    uint32_t swapped = 0;
    bool right = true;
    radii_begin(&radii, &faces);
    for (uint32_t p = 0; p < PAIRS; p++) {
        int order = radii_compare(&radii, p / FACES, p % FACES);
        uint32_t first = order > 0 ? p % FACES : p / FACES, second = order > 0 ? p / FACES : p % FACES;
        right &= c->items[2 * p][2] == first && c->items[2 * p + 1][2] == second;
        right &= c->ties[2 * p] == (order == 0);
        swapped += order > 0;
    }
    return right && swapped == c->swapped;
}

static glshape_status check_compare(gpu *g, const void *limbs, bool *right) {
    comparing c;
    make_comparing(&c, *(const int *)limbs);
    TRY(compare(g, &c, *(const int *)limbs));
    *right = is_right(&c, *(const int *)limbs);
    return GLSHAPE_OK;
}

glshape_status family_trusts_compare(const family *f, bool *so) {
    const int limbs = family_limbs(&f->points);
    gpu_exact e = {
        .program = {gpu_program(alpha_compare, .LIMBS = limbs)}, .check = check_compare, .user = &limbs};
    return gpu_trusts(f->g, &e, so);
}
