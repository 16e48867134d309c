/* The spectrum on the device. Faces are sorted by approximate keys of their radii. Where two keys are too
 * close to decide, odd-even transposition by exact comparison puts the faces in order. What is then still
 * out of order, the CPU sorts. */
#include "alpha/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/passes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "place/place.h"
#include "prim/passes.h"
#include "prim/prim.h"

#define MOST_ROUNDS 32 /* rounds of transposition, at most; the CPU sorts what needs more */
#define KEY_BITS 64
#define BLOCK 65536u
#define COARSE_SHIFT 16
#define COARSE_ROUNDS 4
/* Close pairs are many if there is more than one for 16 items; then a 16th of the pairs is tried first. */
#define MANY 16u

typedef struct spectrum {
    family *f;
    gpu *g;
    uint32_t n; /* items */
    gpu_texture unattached, place, state;
    gpu_texture items[2]; /* (key high, key low, face, 0): see glsl/alpha/keys.glsl */
    /* Of items: close to the next one, or begins a rank; the places of those that are close. */
    gpu_texture flag, list;
    gpu_texture tie; /* of items: the radius equals that of the next one */
    uint32_t close;
    double since; /* when the current stage began */
} spectrum;

/* Waits for the device and adds the seconds of the stage that ends here. */
static glshape_status end_stage(spectrum *s, double *seconds) {
    TRY(gpu_finish(s->g));
    *seconds += clock_lap(&s->since);
    return GLSHAPE_OK;
}

/* exact/difference.glsl keeps differences below 2^53 in doubles, which takes 4. */
int family_limbs(const exact_points *points) {
    int limbs = exact_limbs(points, 2, 2);
    return limbs <= 2 ? 2 : points->bits <= 53 ? 4 : limbs <= 5 ? 5 : 8;
}

/* ---- keys -------------------------------------------------------------------------------------- */

static glshape_status write_keys(spectrum *s, uint32_t first, uint32_t end) {
    family *f = s->f;
    return gpu_run(s->g, alpha_keys, .LIMBS = family_limbs(&f->points), .points = &f->triangulation.points,
                   .vertex = &f->triangulation.vertex, .ends = &f->ends, .triangle_edge = &f->triangle_edges,
                   .place = &s->place, .unattached = &s->unattached, .item = &s->items[0], .first = first,
                   .end = end, .edges = f->edges, .triangles = f->triangles,
                   .groups = alpha_groups(end - first));
}

/* Sets place, of each edge that is not attached, and s->n. */
static glshape_status place_edges(spectrum *s) {
    family *f = s->f;
    uint32_t unattached;
    OWNED_BY(prim_scratch_free) prim_scratch scratch = {0};
    TRY(prim_scan(s->g, &scratch, &s->unattached, f->edges, &s->place, &s->state, 0));
    TRY(gpu_download(s->g, &s->state, 0, 1, &unattached));
    s->n = f->triangles + unattached;
    return GLSHAPE_OK;
}

static glshape_status make_keys(spectrum *s) {
    family *f = s->f;
    uint32_t faces = f->edges + f->triangles;
    run_begin_stage(run_of(s->g), "keys", f->why);
    TRY(gpu_texture_new(s->g, &s->unattached, "unattached edges", GPU_R32UI, f->edges, 1));
    TRY(gpu_texture_new(s->g, &s->place, "places of edges", GPU_R32UI, f->edges, 1));
    TRY(gpu_texture_new(s->g, &s->state, "state of the spectrum", GPU_R32UI, 2, 1));
    TRY(gpu_texture_new(s->g, &s->items[0], "items of the spectrum", GPU_RGBA32UI, faces, 1));
    TRY(gpu_run(s->g, prim_fill, .filled = &s->unattached, .value = 1, .elements = f->edges));
    TRY(write_keys(s, f->edges, faces));
    TRY(place_edges(s));
    TRY(write_keys(s, 0, f->edges));
    gpu_texture_free(&s->unattached);
    gpu_texture_free(&s->place);
    gpu_texture_free(&f->triangle_edges);
    return end_stage(s, &f->result->seconds.keys);
}

/* Sorts items by the bits of their keys from `shift` on, a whole number of bytes. */
static glshape_status sort_items(spectrum *s, uint32_t shift) {
    OWNED_BY(prim_radix_free) prim_radix_scratch scratch = {0};
    run_begin_stage(run_of(s->g), "sort", s->f->why);
    if (!s->items[1].id)
        TRY(gpu_texture_new(s->g, &s->items[1], "items of the spectrum", GPU_RGBA32UI, s->items[0].elements,
                            1));
    TRY(prim_radix(s->g, &scratch, s->items, s->n, shift, KEY_BITS));
    return end_stage(s, &s->f->result->seconds.sort);
}

/* ---- close pairs ------------------------------------------------------------------------------- */

static glshape_status list_close(spectrum *s, uint32_t shift) {
    OWNED_BY(prim_scratch_free) prim_scratch scratch = {0};
    TRY(gpu_run(s->g, prim_fill, .filled = &s->tie, .value = 0, .elements = s->n));
    TRY(gpu_run(s->g, alpha_close, .item = &s->items[0], .close = &s->flag, .n = s->n, .shift = shift,
                .elements = s->n));
    TRY(prim_compact(s->g, &scratch, &s->flag, NULL, s->n, &s->list, &s->state, 1));
    TRY(gpu_download(s->g, &s->state, 1, 1, &s->close));
    s->f->close = s->close > s->f->close ? s->close : s->f->close;
    run_fact(run_of(s->g), s->close, "close pairs");
    return GLSHAPE_OK;
}

/* Compares the first `count` close pairs exactly, those at even places and then those at odd ones.
 * *swapped: how many it swapped. */
static glshape_status transposition_round(spectrum *s, uint32_t count, uint32_t *swapped) {
    family *f = s->f;
    TRY(gpu_upload(s->g, &s->state, 0, 1, &(uint32_t){0}));
    for (uint32_t parity = 0; parity < 2; parity++)
        TRY(gpu_run(s->g, alpha_compare, .LIMBS = family_limbs(&f->points),
                    .points = &f->triangulation.points, .vertex = &f->triangulation.vertex, .ends = &f->ends,
                    .list = &s->list, .item = &s->items[0], .tie = &s->tie, .state = &s->state, .n = count,
                    .edges = f->edges, .parity = parity,
                    .groups = count / ALPHA_COMPARE_LOCAL + (count % ALPHA_COMPARE_LOCAL != 0)));
    run_fact(run_of(s->g), 1, "rounds of transposition");
    run_fact(run_of(s->g), count, "exact comparisons on the GPU");
    return gpu_download(s->g, &s->state, 0, 1, swapped);
}

/* What the CPU sorts: the items that are close to another one. Together they keep the places that they have;
 * their order changes. */
typedef struct leftovers {
    uint32_t *list; /* the close pairs: the place of the first item of each */
    uint32_t (*item)[4], *place, *face, *order;
    uint32_t (*corner)[3]; /* of items, if they are few */
    bool *equal;
    size_t count;
} leftovers;

static void free_leftovers(leftovers *l) {
    free(l->list);
    free(l->item);
    free(l->place);
    free(l->corner);
    free(l->equal);
}

/* Lists the places of close items, ascending. */
static glshape_status list_leftovers(spectrum *s, leftovers *l) {
    error *err = run_error(run_of(s->g));
    size_t most = 2 * (size_t)s->close;
    TRY(allocate(err, &l->list, s->close, sizeof *l->list, "the spectrum"));
    TRY(allocate(err, &l->item, most, sizeof *l->item, "the spectrum"));
    TRY(allocate(err, &l->place, most, 3 * sizeof *l->place, "the spectrum"));
    TRY(allocate(err, &l->equal, most, sizeof *l->equal, "the spectrum"));
    l->face = l->place + most;
    l->order = l->face + most;
    TRY(gpu_download(s->g, &s->list, 0, s->close, l->list));
    for (uint32_t k = 0; k < s->close; k++)
        for (uint32_t at = l->list[k]; at < l->list[k] + 2; at++)
            if (!l->count || l->place[l->count - 1] < at) l->place[l->count++] = at;
    return GLSHAPE_OK;
}

/* Sorts items by the radii of l->face, which are numbers of these faces. */
static glshape_status sort_leftovers(spectrum *s, const alpha_faces *faces, leftovers *l) {
    OWNED_BY(radii_end) alpha_radii r;
    radii_begin(&r, faces);
    TRY(radii_sort(run_error(run_of(s->g)), &r, l->face, l->count, l->order, l->equal));
    run_fact(run_of(s->g), (double)r.compared, "exact comparisons on the CPU");
    return GLSHAPE_OK;
}

static glshape_status has_no_face(const spectrum *s) {
    return fail(run_error(run_of(s->g)), GLSHAPE_GPU_ERROR,
                "the spectrum has a face that is not there: this driver computes something wrong; take "
                "another device (--device)");
}

/* Does what transposition would do: keys move with their faces. */
static glshape_status order_on_cpu(spectrum *s) {
    OWNED_BY(free_leftovers) leftovers l = {0};
    OWNED uint32_t(*items)[4] = NULL, *tie = NULL;
    TRY(list_leftovers(s, &l));
    TRY(allocate(run_error(run_of(s->g)), &items, s->n, sizeof *items, "the spectrum"));
    TRY(allocate(run_error(run_of(s->g)), &tie, s->n, sizeof *tie, "the spectrum"));
    TRY(gpu_download(s->g, &s->items[0], 0, s->n, items));
    for (size_t i = 0; i < l.count; i++) {
        memcpy(l.item[i], items[l.place[i]], sizeof *items);
        l.face[i] = l.item[i][2];
        if (l.face[i] >= s->f->edges + s->f->triangles) return has_no_face(s);
    }
    TRY(family_fetch_faces(s->f));
    const alpha_faces faces = family_faces(s->f);
    TRY(sort_leftovers(s, &faces, &l));
    for (size_t i = 0; i < l.count; i++) {
        memcpy(items[l.place[i]], l.item[l.order[i]], sizeof *items);
        if (i) tie[l.place[i - 1]] = l.equal[i];
    }
    TRY(gpu_upload(s->g, &s->items[0], 0, s->n, items));
    return gpu_upload(s->g, &s->tie, 0, s->n, tie);
}

/* Downloads the items of the close pairs. */
static glshape_status read_leftovers(spectrum *s, leftovers *l) {
    OWNED_BY(gpu_texture_free) gpu_texture picked = {0};
    OWNED uint32_t(*pairs)[4][4] = NULL; /* two items, and their corners */
    TRY(allocate(run_error(run_of(s->g)), &pairs, s->close, sizeof *pairs, "the spectrum"));
    TRY(allocate(run_error(run_of(s->g)), &l->corner, l->count, sizeof *l->corner, "the spectrum"));
    TRY(gpu_texture_new(s->g, &picked, "items of close pairs", GPU_RGBA32UI, s->close, 4));
    TRY(gpu_run(s->g, alpha_pick, .item = &s->items[0], .list = &s->list,
                .vertex = &s->f->triangulation.vertex, .ends = &s->f->ends, .picked = &picked,
                .edges = s->f->edges, .elements = s->close));
    TRY(gpu_download(s->g, &picked, 0, s->close, pairs));
    for (size_t k = 0, i = 0; i < l->count; k++) /* the places of pair k, as list_leftovers takes them */
        for (int side = 0; side < 2 && i < l->count; side++)
            if (l->place[i] == l->list[k] + (uint32_t)side) {
                memcpy(l->corner[i], pairs[k][2 + side], sizeof *l->corner);
                memcpy(l->item[i++], pairs[k][side], sizeof *l->item);
            }
    return GLSHAPE_OK;
}

/* Some faces as if there were no others. Their numbers are in the order of the faces. */
typedef struct some_faces {
    uint32_t (*face)[2], *ends, *vertex; /* the face, and which of the leftovers it is */
} some_faces;

static void free_some_faces(some_faces *s) {
    free(s->face);
    free(s->ends);
    free(s->vertex);
}

static int by_face(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Numbers the faces of the leftovers: sets l->face. */
static glshape_status number_faces(const spectrum *s, leftovers *l, some_faces *some, alpha_faces *out) {
    error *err = run_error(run_of(s->g));
    uint32_t edges = 0, all = s->f->edges + s->f->triangles;
    TRY(allocate(err, &some->face, l->count, sizeof *some->face, "the spectrum"));
    TRY(allocate(err, &some->ends, l->count, 2 * sizeof *some->ends, "the spectrum"));
    TRY(allocate(err, &some->vertex, l->count, 3 * sizeof *some->vertex, "the spectrum"));
    for (uint32_t i = 0; i < l->count; i++) {
        some->face[i][0] = l->item[i][2];
        some->face[i][1] = i;
        edges += l->item[i][2] < s->f->edges;
        if (l->item[i][2] >= all) return has_no_face(s);
        for (int c = 0; c < 3; c++)
            if (l->corner[i][c] >= s->f->points.n) return has_no_face(s);
    }
    qsort(some->face, l->count, sizeof *some->face, by_face);
    for (uint32_t k = 0; k < l->count; k++) {
        uint32_t i = some->face[k][1],
                 *to = k < edges ? some->ends + 2 * (size_t)k : some->vertex + 3 * (size_t)(k - edges);
        memcpy(to, l->corner[i], (k < edges ? 2 : 3) * sizeof *to);
        l->face[i] = k;
    }
    *out = (alpha_faces){&s->f->points, some->ends, some->vertex, edges};
    return GLSHAPE_OK;
}

/* Puts them back in order, by a pass: NVIDIA's driver takes 60 ms to write into a large texture straight,
 * however little. */
static glshape_status write_leftovers(spectrum *s, const leftovers *l) {
    OWNED_BY(gpu_texture_free) gpu_texture moved = {0};
    OWNED uint32_t(*items)[2][4] = NULL;
    TRY(allocate(run_error(run_of(s->g)), &items, l->count, sizeof *items, "the spectrum"));
    for (size_t i = 0; i < l->count; i++) {
        memcpy(items[i][0], l->item[l->order[i]], sizeof items[i][0]);
        items[i][1][0] = l->place[i];
        items[i][1][1] = i + 1 < l->count && l->equal[i + 1];
    }
    TRY(gpu_texture_new(s->g, &moved, "items of close pairs", GPU_RGBA32UI, (uint32_t)l->count, 2));
    TRY(gpu_upload(s->g, &moved, 0, (uint32_t)l->count, items));
    return gpu_run(s->g, alpha_put, .moved = &moved, .item = &s->items[0], .tie = &s->tie,
                   .n = (uint32_t)l->count, .groups = alpha_groups((uint32_t)l->count));
}

/* The same, without the items between. */
static glshape_status order_few_on_cpu(spectrum *s) {
    OWNED_BY(free_leftovers) leftovers l = {0};
    TRY(list_leftovers(s, &l));
    OWNED_BY(free_some_faces) some_faces some = {0};
    alpha_faces faces;
    TRY(read_leftovers(s, &l));
    TRY(number_faces(s, &l, &some, &faces));
    TRY(sort_leftovers(s, &faces, &l));
    return write_leftovers(s, &l);
}

/* Compares close pairs until none is out of order. Stops early, with *swapped not 0, if that takes more
 * rounds. If close pairs are many, rounds are slow: then a part of the pairs is tried first, and each round
 * has to halve the number of swaps. */
static glshape_status order_close_pairs(spectrum *s, uint32_t shift, int rounds, uint32_t *swapped) {
    run_begin_stage(run_of(s->g), "compare", s->f->why);
    TRY(list_close(s, shift));
    bool passes = s->close && !place_is_little(s->g, PLACE_CLOSE_RADII, s->close);
    run_why why = passes ? RUN_NOT_EXACT : RUN_NOT_SMALL; /* of the processors */
    if (passes) TRY(family_trusts_compare(s->f, &passes));
    if (!passes) {
        *swapped = 0;
        if (s->close) run_begin_stage(run_of(s->g), "compare", why);
        if (s->close) TRY(order_few_on_cpu(s));
        return end_stage(s, &s->f->result->seconds.compare);
    }
    bool many = s->close > s->n / MANY;
    uint32_t last = s->close / MANY, least = UINT32_MAX;
    *swapped = s->close != 0;
    if (many) TRY(transposition_round(s, last, swapped));
    if (many && *swapped > last / 8) return end_stage(s, &s->f->result->seconds.compare);
    *swapped = s->close != 0;
    for (int round = 0; *swapped && round < rounds && (!many || *swapped <= least); round++) {
        least = *swapped / 2;
        TRY(transposition_round(s, s->close, swapped));
    }
    return end_stage(s, &s->f->result->seconds.compare);
}

/* Sorts by fewer bits first: they tell nearly all radii apart, unless radii are very close or equal. */
static glshape_status order_items(spectrum *s) {
    uint32_t swapped;
    TRY(gpu_texture_new(s->g, &s->flag, "close items", GPU_R32UI, s->n, 1));
    TRY(gpu_texture_new(s->g, &s->list, "list of close items", GPU_R32UI, s->n, 1));
    TRY(gpu_texture_new(s->g, &s->tie, "equal items", GPU_R32UI, s->n, 1));
    TRY(sort_items(s, COARSE_SHIFT));
    TRY(order_close_pairs(s, COARSE_SHIFT, COARSE_ROUNDS, &swapped));
    if (swapped) {
        TRY(sort_items(s, 0));
        TRY(order_close_pairs(s, 0, MOST_ROUNDS, &swapped));
    }
    if (swapped) run_begin_stage(run_of(s->g), "compare", RUN_NOT_LIMITS);
    if (swapped) TRY(order_on_cpu(s));
    gpu_texture *const done[] = {&s->items[1], &s->list, &s->f->triangulation.points};
    for (int i = 0; i < 3; i++) gpu_texture_free(done[i]);
    return end_stage(s, &s->f->result->seconds.compare);
}

/* ---- ranks ------------------------------------------------------------------------------------- */

/* Keys become radii, in place. A radius that rounding made smaller than the one before it becomes equal to
 * it. */
static void read_block(void *user, size_t block) {
    const family *f = user;
    double *radius = f->result->radii + 1, most = 0;
    size_t first = block * BLOCK, end = f->result->ranks - first < BLOCK ? f->result->ranks : first + BLOCK;
    for (size_t k = first; k < end; k++) {
        uint64_t key;
        memcpy(&key, &radius[k], sizeof key);
        double r = radii_of_key((int)(key >> 54), key & ((UINT64_C(1) << 54) - 1), f->points.exponent);
        radius[k] = most = r > most ? r : most;
    }
}

/* Fills the result's radii and exact->face: of each rank, from its smallest face. */
static glshape_status fill_radii(spectrum *s, gpu_texture *key, gpu_texture *face) {
    glshape_alpha_result *r = s->f->result;
    error *err = run_error(run_of(s->g));
    _Static_assert(sizeof(double) == sizeof(uint64_t), "a key has the size of a radius");
    TRY(allocate(err, &r->radii, r->ranks + 1, sizeof *r->radii, "the spectrum"));
    TRY(allocate(err, &r->exact->face, r->ranks, sizeof *r->exact->face, "the spectrum"));
    threads_touch(r->radii, (r->ranks + 1) * sizeof *r->radii);
    threads_touch(r->exact->face, r->ranks * sizeof *r->exact->face);
    TRY(gpu_download(s->g, key, 0, (uint32_t)r->ranks, r->radii + 1));
    TRY(gpu_download(s->g, face, 0, (uint32_t)r->ranks, r->exact->face));
    threads_team_run(s->f->team, r->ranks / BLOCK + 1, read_block, s->f);
    for (size_t at = BLOCK; at < r->ranks; at += BLOCK) /* within blocks that is done */
        for (size_t k = at; k < r->ranks && r->radii[k + 1] < r->radii[at]; k++)
            r->radii[k + 1] = r->radii[at];
    return GLSHAPE_OK;
}

static glshape_status number_ranks(spectrum *s) {
    family *f = s->f;
    uint32_t faces = f->edges + f->triangles, ranks;
    OWNED_BY(gpu_texture_free) gpu_texture before = {0}, radius = {0}, chosen = {0}, least = {0};
    OWNED_BY(prim_scratch_free) prim_scratch scratch = {0};
    run_begin_stage(run_of(s->g), "ranks", f->why);
    TRY(gpu_run(s->g, alpha_begins, .tie = &s->tie, .begins = &s->flag, .elements = s->n));
    gpu_texture_free(&s->tie);
    TRY(gpu_texture_new(s->g, &before, "ranks of the spectrum", GPU_R32UI, s->n, 1));
    TRY(prim_scan(s->g, &scratch, &s->flag, s->n, &before, &s->state, 0));
    TRY(gpu_download(s->g, &s->state, 0, 1, &ranks));
    if (ranks > s->n)
        return fail(run_error(run_of(s->g)), GLSHAPE_GPU_ERROR,
                    "%u ranks of %u radii: this driver counts wrong", ranks, s->n);
    f->result->ranks = ranks;
    TRY(gpu_texture_new(s->g, &radius, "radii", GPU_RG32UI, ranks, 1));
    TRY(gpu_texture_new(s->g, &chosen, "faces of radii", GPU_R32UI, ranks, 1));
    TRY(gpu_texture_new(s->g, &f->rank, "ranks of faces", GPU_R32UI, faces, 1));
    TRY(gpu_run(s->g, prim_fill, .filled = &f->rank, .value = 0, .elements = faces));
    TRY(gpu_texture_new(s->g, &least, "first faces of radii", GPU_R32UI, ranks, 1));
    TRY(gpu_run(s->g, prim_fill, .filled = &least, .value = UINT32_MAX, .elements = ranks));
    TRY(gpu_run(s->g, alpha_ranks, .item = &s->items[0], .begins = &s->flag, .before = &before,
                .rank = &f->rank, .least = &least, .n = s->n, .groups = alpha_groups(s->n)));
    TRY(gpu_run(s->g, alpha_first_items, .item = &s->items[0], .begins = &s->flag, .before = &before,
                .least = &least, .radius = &radius, .chosen = &chosen, .n = s->n,
                .groups = alpha_groups(s->n)));
    if (!f->alone) return fill_radii(s, &radius, &chosen);
    f->radius = MOVE(radius);
    f->chosen = MOVE(chosen);
    return GLSHAPE_OK;
}

static void free_spectrum(spectrum *s) {
    gpu_texture *const all[] = {&s->unattached, &s->place, &s->state, &s->items[0],
                                &s->items[1],   &s->flag,  &s->list,  &s->tie};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

glshape_status family_spectrum(family *f) {
    OWNED_BY(free_spectrum) spectrum s = {.f = f, .g = f->g, .since = wall_seconds()};
    TRY(make_keys(&s));
    TRY(order_items(&s));
    TRY(number_ranks(&s));
    return end_stage(&s, &f->result->seconds.intervals);
}
