/* The collapse in rounds (glsl/rips/collapse.glsl). The lists go up once, the new values come down once; of a
 * round comes down whether anything changed. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "rips/collapse.h"
#include "rips/lists.h"
#include "rips/passes.h"

/* What changed in a round, and how many edges had too many neighbors or took too long. */
typedef struct round_result {
    uint32_t changed, too_many;
} round_result;

typedef struct rounds {
    gpu *g;
    rips_space *s;
    int room;
    uint32_t edge_count;
    const rips_collapse_way *way;
    rips_lists lists;
    gpu_texture edges, values, touched, changed, own, now;
    uint32_t *none; /* n zeros */
} rounds;

static void rounds_free(rounds *r) {
    gpu_texture *all[] = {&r->edges, &r->values, &r->touched, &r->changed, &r->own, &r->now};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    rips_lists_free(&r->lists);
    free(r->none);
}

static glshape_status make_textures(rounds *r) {
    uint32_t n = r->s->n, places = rips_lists_places(r->s);
    TRY(rips_lists_new(r->g, r->s, &r->lists));
    TRY(gpu_texture_new(r->g, &r->edges, "edges", GPU_RGBA32UI, r->edge_count, 1));
    TRY(gpu_texture_new(r->g, &r->values, "new values", GPU_R32F, places, 1));
    TRY(gpu_texture_new(r->g, &r->touched, "points with changes", GPU_R32UI, 2 * n, 1));
    TRY(gpu_texture_new(r->g, &r->changed, "number of changes", GPU_R32UI, 2, 1));
    TRY(rips_lists_lengths(r->g, r->s, &r->values));
    if (!r->way->matrix) return GLSHAPE_OK;
    TRY(gpu_texture_new(r->g, &r->own, "distances", GPU_R32F, n, n));
    TRY(gpu_texture_new(r->g, &r->now, "new values", GPU_R32F, n, n));
    return gpu_run(r->g, rips_collapse_rows, .start = &r->lists.start, .neighbors = &r->lists.neighbors,
                   .lengths = &r->lists.lengths, .own = &r->own, .now = &r->now, .n = n, .groups = n);
}

static glshape_status list_edges(rounds *r) {
    const round_result zero = {0};
    uint32_t places = rips_lists_places(r->s), listed;
    TRY(gpu_upload(r->g, &r->changed, 0, 2, &zero));
    TRY(gpu_run(r->g, rips_collapse_list, .start = &r->lists.start, .neighbors = &r->lists.neighbors,
                .lengths = &r->lists.lengths, .edges = &r->edges, .found = &r->changed, .n = r->s->n,
                .count = places, .groups = (places + RIPS_LOCAL - 1) / RIPS_LOCAL));
    TRY(gpu_download(r->g, &r->changed, 0, 1, &listed));
    return listed == r->edge_count ? GLSHAPE_OK
                                   : fail(run_error(run_of(r->g)), GLSHAPE_GPU_ERROR,
                                          "the device lists %u edges of %u", listed, r->edge_count);
}

static glshape_status run_round(rounds *r, uint32_t was, uint32_t is) {
    float threshold = fminf(r->s->threshold, FLT_MAX);
    return r->way->matrix
               ? gpu_run(r->g, rips_collapse_matrix, .ROOM = r->room, .start = &r->lists.start,
                         .neighbors = &r->lists.neighbors, .lengths = &r->lists.lengths, .edges = &r->edges,
                         .values = &r->values, .touched = &r->touched, .changed = &r->changed, .own = &r->own,
                         .now = &r->now, .n = r->s->n, .threshold = threshold, .was = was, .is = is,
                         .groups = r->edge_count)
               : gpu_run(r->g, rips_collapse, .ROOM = r->room, .start = &r->lists.start,
                         .neighbors = &r->lists.neighbors, .lengths = &r->lists.lengths, .edges = &r->edges,
                         .values = &r->values, .touched = &r->touched, .changed = &r->changed, .n = r->s->n,
                         .threshold = threshold, .was = was, .is = is, .groups = r->edge_count);
}

static glshape_status do_round(rounds *r, uint32_t number, round_result *out) {
    const round_result zero = {0};
    uint32_t n = r->s->n, is = number % 2 * n;
    TRY(gpu_upload(r->g, &r->touched, is, n, r->none));
    TRY(gpu_upload(r->g, &r->changed, 0, 2, &zero));
    TRY(run_round(r, n - is, is));
    return gpu_download(r->g, &r->changed, 0, 2, out);
}

/* Before the first round every point was touched. */
static glshape_status begin(rounds *r) {
    uint32_t n = r->s->n;
    TRY(allocate(run_error(run_of(r->g)), &r->none, n, sizeof *r->none, "points"));
    memset(r->none, 0xff, n * sizeof *r->none);
    TRY(gpu_upload(r->g, &r->touched, n, n, r->none));
    memset(r->none, 0, n * sizeof *r->none);
    return GLSHAPE_OK;
}

/* The matrix of a space that has one gets the new values, too. */
static void update_row(void *user, size_t i) {
    const rips_space *s = user;
    float *row = s->distance + i * s->n;
    for (size_t k = s->graph.start[i]; k < s->graph.start[i + 1]; k++)
        row[s->graph.point[k]] = s->graph.distance[k];
}

#define MATRIX_POINTS 8192u /* two matrices of more take more than 512 MB */
#define MATRIX_SHARE 256u   /* of a matrix that are edges: one of so many makes it pay */

static bool has_matrix(const gpu *g, uint32_t n, size_t places) {
    return n <= MATRIX_POINTS && places >= (size_t)n * n / MATRIX_SHARE &&
           gpu_texture_bytes(g, GPU_R32F, n, n) < SIZE_MAX;
}

rips_collapse_way rips_collapse_way_of(const gpu *g, const rips_space *s) {
    return (rips_collapse_way){has_matrix(g, s->n, s->graph.start[s->n]), rips_longest_list(s)};
}

glshape_status rips_collapse_by_passes(gpu *g, rips_space *s, const rips_collapse_way *way,
                                       rips_collapsed *out, bool *done) {
    size_t longest = rips_longest_list(s);
    OWNED_BY(rounds_free)
    rounds r = {.g = g,
                .s = s,
                .way = way,
                .room = rips_list_room(longest > way->longest ? longest : way->longest),
                .edge_count = rips_lists_places(s) / 2};
    round_result now = {.changed = r.edge_count};
    *out = (rips_collapsed){.edges = r.edge_count};
    TRY(make_textures(&r));
    TRY(list_edges(&r));
    TRY(begin(&r));
    for (; now.changed && !now.too_many; out->rounds++) {
        TRY(do_round(&r, out->rounds, &now));
        if (out->rounds > r.edge_count)
            return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR, "the collapse of %u edges did not end",
                        r.edge_count);
        TRY(run_tick(run_of(g), 0));
    }
    *done = !now.too_many;
    if (!*done) return GLSHAPE_OK;
    TRY(gpu_download(g, &r.values, 0, rips_lists_places(s), s->graph.distance));
    if (s->distance) threads_run(0, s->n, update_row, s);
    rips_drop_edges(s);
    out->left = s->graph.start[s->n] / 2;
    return GLSHAPE_OK;
}

size_t rips_collapse_bytes(const gpu *g, const rips_space *s) {
    uint32_t n = s->n;
    size_t places = s->graph.start[n], all = rips_lists_bytes(g, n, places);
    if (all == SIZE_MAX || n > UINT32_MAX / 2) return SIZE_MAX;
    const size_t more[] = {gpu_texture_bytes(g, GPU_RGBA32UI, (uint32_t)(places / 2), 1),
                           gpu_texture_bytes(g, GPU_R32F, (uint32_t)places, 1),
                           gpu_texture_bytes(g, GPU_R32UI, 2 * n, 1),
                           has_matrix(g, n, places) ? 2 * gpu_texture_bytes(g, GPU_R32F, n, n) : 0};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        all = more[i] > SIZE_MAX - all ? SIZE_MAX : all + more[i];
    return all;
}
