/* The spectrum on the CPU, by threads: faces are sorted by the keys of the device, and those whose keys are
 * too close to decide by exact comparison. Points whose coordinates are too far apart for these keys are
 * compared exactly from the start. */
#include <stdatomic.h>
#include <stdlib.h>

#include "alpha/family.h"
#include "alpha/keys.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"

#define BLOCK 16384u /* faces of one item of work */
#define AHEAD 16     /* so many faces ahead, points are fetched from memory */

/* The faces that are not attached, as items: the key (0 without keys), the face, and whether its radius
 * equals that of the item before it. */
typedef struct spectrum {
    family *f;
    alpha_faces faces;
    bool keys;              /* keys tell radii apart */
    atomic_uchar *attached; /* of edges */
    radix_item *items, *spare;
    uint32_t count;
    size_t blocks;
    uint32_t *first;   /* of each block, what the current step counts; then what the blocks before it count */
    atomic_bool falls; /* an item's radius is less than that of the one before it */
    atomic_ullong compared;
} spectrum;

static void free_spectrum(spectrum *s) {
    free(s->attached);
    free(s->items);
    free(s->spare);
    free(s->first);
}

/* Replaces the counts of blocks by those of all blocks before them, plus `sum`. Returns the number of all. */
static uint32_t add_counts(spectrum *s, uint32_t sum) {
    for (size_t block = 0; block < s->blocks; block++) {
        uint32_t here = s->first[block];
        s->first[block] = sum;
        sum += here;
    }
    return sum;
}

static inline size_t end_of(size_t block, size_t count) {
    size_t end = (block + 1) * BLOCK;
    return end < count ? end : count;
}

/* ---- keys -------------------------------------------------------------------------------------- */

static inline unsigned obtuse_corners(alpha_radii *r, uint32_t t) {
    unsigned obtuse = 0;
    for (int k = 0; k < 3; k++) obtuse |= (unsigned)radii_obtuse(r, t, k) << k;
    return obtuse;
}

/* Makes the items of triangles, and marks the edges opposite obtuse corners. */
static void take_triangles(void *user, size_t block) {
    spectrum *s = user;
    const double *xy = s->faces.points->xy;
    OWNED_BY(radii_end) alpha_radii r;
    radii_begin(&r, &s->faces);
    for (size_t t = block * BLOCK; t < end_of(block, s->f->triangles); t++) {
        unsigned obtuse;
        if (t + AHEAD < s->f->triangles)
            for (int k = 1; k < 3; k++)
                __builtin_prefetch(xy + 2 * (size_t)s->faces.vertex[3 * (t + AHEAD) + k]);
        uint64_t key = 0;
        if (s->keys) key = alpha_triangle_key(&s->faces, (uint32_t)t, &obtuse);
        else obtuse = obtuse_corners(&r, (uint32_t)t);
        s->items[t] = (radix_item){key, s->f->edges + (uint32_t)t, false};
        for (int k = 0; k < 3; k++)
            if (obtuse >> k & 1)
                atomic_store_explicit(&s->attached[s->f->result->triangle_edges[3 * t + k]], 1,
                                      memory_order_relaxed);
    }
}

static inline bool is_attached(const spectrum *s, size_t e) {
    return atomic_load_explicit(&s->attached[e], memory_order_relaxed);
}

static void count_edges(void *user, size_t block) {
    const spectrum *s = user;
    s->first[block] = 0;
    for (size_t e = block * BLOCK; e < end_of(block, s->f->edges); e++) s->first[block] += !is_attached(s, e);
}

static void take_edges(void *user, size_t block) {
    const spectrum *s = user;
    const double *xy = s->faces.points->xy;
    radix_item *to = s->items + s->first[block];
    for (size_t e = block * BLOCK; e < end_of(block, s->f->edges); e++) {
        if (e + AHEAD < s->f->edges)
            for (int k = 0; k < 2; k++)
                __builtin_prefetch(xy + 2 * (size_t)s->faces.ends[2 * (e + AHEAD) + k]);
        if (is_attached(s, e)) continue;
        *to++ = (radix_item){s->keys ? alpha_edge_key(&s->faces, (uint32_t)e) : 0, (uint32_t)e, false};
    }
}

static glshape_status make_items(spectrum *s) {
    family *f = s->f;
    error *err = run_error(run_of(f->g));
    size_t most = (size_t)f->edges + f->triangles;
    s->faces = family_faces(f);
    s->keys = exact_on_device(&f->points);
    s->blocks = most / BLOCK + 1;
    TRY(allocate(err, &s->attached, f->edges, sizeof *s->attached, "the spectrum"));
    TRY(allocate(err, &s->first, s->blocks, sizeof *s->first, "the spectrum"));
    TRY(allocate(err, &s->items, most, sizeof *s->items, "the spectrum"));
    TRY(allocate(err, &s->spare, most, sizeof *s->spare, "the spectrum"));
    threads_team_run(f->team, s->blocks, take_triangles, s);
    threads_team_run(f->team, s->blocks, count_edges, s);
    s->count = add_counts(s, f->triangles);
    threads_team_run(f->team, s->blocks, take_edges, s);
    return GLSHAPE_OK;
}

/* ---- order ------------------------------------------------------------------------------------- */

/* Compares items whose keys are too close to decide with the ones before them: keys that differ by 2 or more
 * are in the order of the radii (see glsl/alpha/keys.glsl). Notes which are equal. */
static void compare_close(void *user, size_t block) {
    spectrum *s = user;
    if (s->falls) return;
    OWNED_BY(radii_end) alpha_radii r;
    radii_begin(&r, &s->faces);
    bool falls = false;
    for (size_t i = block ? block * BLOCK : 1; i < end_of(block, s->count); i++) {
        radix_item *item = s->items + i;
        if (item->at - item[-1].at > 1) continue;
        int order = radii_compare(&r, item[-1].a, item->a);
        item->b = order == 0;
        falls |= order > 0;
    }
    s->compared += r.compared;
    if (falls) s->falls = true;
}

static inline bool is_close(const spectrum *s, size_t i) {
    const radix_item *item = s->items + i;
    return (i && item->at - item[-1].at <= 1) || (i + 1 < s->count && item[1].at - item->at <= 1);
}

static void count_close(void *user, size_t block) {
    const spectrum *s = user;
    s->first[block] = 0;
    for (size_t i = block * BLOCK; i < end_of(block, s->count); i++) s->first[block] += is_close(s, i);
}

/* Lists close items among the spare ones, with their places as b. */
static void list_close(void *user, size_t block) {
    const spectrum *s = user;
    radix_item *to = s->spare + s->first[block];
    for (size_t i = block * BLOCK; i < end_of(block, s->count); i++)
        if (is_close(s, i)) *to++ = (radix_item){s->items[i].at, s->items[i].a, (uint32_t)i};
}

/* Sorts close items exactly: together they keep the places that they have. */
static glshape_status sort_close(spectrum *s) {
    error *err = run_error(run_of(s->f->g));
    OWNED uint32_t *face = NULL, *order = NULL;
    OWNED bool *equal = NULL;
    threads_team_run(s->f->team, s->blocks, count_close, s);
    uint32_t close = add_counts(s, 0);
    threads_team_run(s->f->team, s->blocks, list_close, s);
    TRY(allocate(err, &face, close, sizeof *face, "the spectrum"));
    TRY(allocate(err, &order, close, sizeof *order, "the spectrum"));
    TRY(allocate(err, &equal, close, sizeof *equal, "the spectrum"));
    for (uint32_t i = 0; i < close; i++) face[i] = s->spare[i].a;
    OWNED_BY(radii_end) alpha_radii r;
    radii_begin(&r, &s->faces);
    TRY(radii_sort(err, &r, face, close, order, equal));
    for (uint32_t i = 0; i < close; i++) {
        const radix_item *from = &s->spare[order[i]];
        s->items[s->spare[i].b] = (radix_item){from->at, from->a, equal[i]};
    }
    s->compared += r.compared;
    return GLSHAPE_OK;
}

/* Radii that are equal, as those of a grid, are in order already: then it is enough to compare. */
static glshape_status order_close(spectrum *s) {
    s->falls = !s->keys;
    if (s->keys) threads_team_run(s->f->team, s->blocks, compare_close, s);
    if (s->falls) TRY(sort_close(s));
    if (s->compared) run_fact(run_of(s->f->g), (double)s->compared, "exact comparisons on the CPU");
    return GLSHAPE_OK;
}

/* ---- ranks ------------------------------------------------------------------------------------- */

static void count_ranks(void *user, size_t block) {
    const spectrum *s = user;
    s->first[block] = 0;
    for (size_t i = block * BLOCK; i < end_of(block, s->count); i++) s->first[block] += !s->items[i].b;
}

/* Notes the smallest face of the rank that begins with item i, and its radius. */
static double note_rank(const spectrum *s, alpha_radii *r, size_t i, uint32_t rank) {
    const radix_item *least = s->items + i;
    for (size_t k = i + 1; k < s->count && s->items[k].b; k++)
        if (s->items[k].a < least->a) least = s->items + k;
    s->f->result->exact->face[rank - 1] = least->a;
    if (!s->keys) return radii_radius(r, least->a);
    return radii_of_key((int)(least->at >> 54), least->at & ((UINT64_C(1) << 54) - 1), s->f->points.exponent);
}

/* Numbers ranks from 1 on. Within a block, a radius that rounding made smaller than the one before it becomes
 * equal to it. */
static void number_ranks(void *user, size_t block) {
    const spectrum *s = user;
    OWNED_BY(radii_end) alpha_radii r;
    radii_begin(&r, &s->faces);
    uint32_t rank = s->first[block];
    double most = 0;
    for (size_t i = block * BLOCK; i < end_of(block, s->count); i++) {
        if (i + AHEAD < s->count) __builtin_prefetch(s->f->ranks + s->items[i + AHEAD].a, 1);
        if (!s->items[i].b) {
            double radius = note_rank(s, &r, i, ++rank);
            s->f->result->radii[rank] = most = radius > most ? radius : most;
        }
        s->f->ranks[s->items[i].a] = rank;
    }
}

static glshape_status take_ranks(spectrum *s) {
    glshape_alpha_result *result = s->f->result;
    error *err = run_error(run_of(s->f->g));
    threads_team_run(s->f->team, s->blocks, count_ranks, s);
    uint32_t ranks = add_counts(s, 0);
    TRY(allocate(err, &result->radii, ranks + (size_t)1, sizeof *result->radii, "the spectrum"));
    TRY(allocate(err, &result->exact->face, ranks, sizeof *result->exact->face, "the spectrum"));
    TRY(allocate(err, &s->f->ranks, (size_t)s->f->edges + s->f->triangles, sizeof *s->f->ranks,
                 "the ranks of faces"));
    result->ranks = ranks;
    threads_team_run(s->f->team, s->blocks, number_ranks, s);
    for (size_t block = 1; block < s->blocks && s->first[block]; block++) /* from block to block */
        for (size_t k = s->first[block]; k < ranks && result->radii[k + 1] < result->radii[k]; k++)
            result->radii[k + 1] = result->radii[k];
    return GLSHAPE_OK;
}

glshape_status family_spectrum_on_cpu(family *f) {
    OWNED_BY(free_spectrum) spectrum s = {.f = f};
    double since = wall_seconds();
    run_begin_stage(run_of(f->g), "keys", f->why);
    TRY(make_items(&s));
    f->result->seconds.keys = clock_lap(&since);
    run_begin_stage(run_of(f->g), "sort", f->why);
    radix_sort(s.items, s.spare, s.count);
    f->result->seconds.sort = clock_lap(&since);
    run_begin_stage(run_of(f->g), "compare", f->why);
    TRY(order_close(&s));
    f->result->seconds.compare = clock_lap(&since);
    run_begin_stage(run_of(f->g), "ranks", f->why);
    TRY(take_ranks(&s));
    f->result->seconds.intervals = clock_lap(&since);
    return GLSHAPE_OK;
}
