/* Blocks are cut in two across their longer side until pairs are left. Blocks of one level are independent of
 * each other: a thread cuts one. While there are fewer blocks than threads, all threads cut one together. */
#include "delaunay/cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define SERIAL_HALF 4096u   /* below this size of a half, one thread cuts a block down to pairs */
#define SHARED_HALF 65536u  /* from this size on, threads cut a block together */
#define CHUNK 8192u         /* points of one item of work: of a few ten thousand, all threads have some */
#define SAMPLED 128u        /* one item in so many of a block that is cut together is a sample … */
#define MOST_SAMPLES 16384u /* … up to so many */
#define DEVIATIONS 4.5      /* standard deviations around the cut within which samples are trusted */

typedef delaunay_item item;

typedef struct division {
    item *items, *room; /* room: n, while blocks are cut together */
    uint32_t n, half, *ends;
} division;

static inline bool before(const item *a, const item *b, bool rotated) {
    if (rotated) return (a->y < b->y) | ((a->y == b->y) & (a->x > b->x));
    return (a->x < b->x) | ((a->x == b->x) & (a->y < b->y));
}

/* ---- bounds ------------------------------------------------------------------------------------ */

typedef struct bounds {
    double least[2], most[2];
} bounds;

static inline void include(bounds *b, const double least[2], const double most[2]) {
    for (int c = 0; c < 2; c++) {
        if (least[c] < b->least[c]) b->least[c] = least[c];
        if (most[c] > b->most[c]) b->most[c] = most[c];
    }
}

static bounds bounds_of(const item *v, uint32_t count) {
    bounds b = {{v->x, v->y}, {v->x, v->y}};
    for (uint32_t i = 1; i < count; i++)
        include(&b, (const double[2]){v[i].x, v[i].y}, (const double[2]){v[i].x, v[i].y});
    return b;
}

/* Returns whether the block is cut across its y side. */
static inline bool is_tall(const bounds *b) {
    return b->most[1] / 2 - b->least[1] / 2 > b->most[0] / 2 - b->least[0] / 2;
}

/* ---- one thread cuts a block ------------------------------------------------------------------- */

static inline void swap(item *a, item *b) {
    item t = *a;
    *a = *b;
    *b = t;
}

/* The median of three items spread over [low, high]. */
static inline item *middle(item *v, uint32_t low, uint32_t high, bool rotated) {
    uint32_t step = (high - low) / 4;
    item *a = v + low + step, *b = v + low + 2 * step, *c = v + high - step;
    if (before(b, a, rotated)) {
        item *t = a;
        a = b;
        b = t;
    }
    return before(c, b, rotated) ? before(c, a, rotated) ? a : c : b;
}

/* Moves the item of rank k to v[k], the items before it below, those after it above: selection by parting,
 * without a branch on what a comparison says, which no processor foretells. */
static inline void select_rank(item *v, uint32_t count, uint32_t k, bool rotated) {
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        swap(&v[low], middle(v, low, high, rotated));
        item pivot = v[low];
        uint32_t end = low + 1; /* of the items before the pivot */
        for (uint32_t i = low + 1; i <= high; i++) {
            item t = v[i];
            v[i] = v[end];
            v[end] = t;
            end += before(&t, &pivot, rotated);
        }
        swap(&v[low], &v[--end]);
        if (k == end) return;
        if (k < end) high = end - 1;
        else low = end + 1;
    }
}

/* Cuts `count` items after `half` of them. */
static inline void cut_along(item *v, uint32_t count, uint32_t half, bool rotated, uint32_t *ends) {
    select_rank(v, count, half, rotated);
    const item *last = v;
    for (uint32_t i = 1; i < half; i++)
        if (before(last, &v[i], rotated)) last = &v[i];
    ends[0] = last->row;
    ends[1] = v[half].row;
}

/* Cuts the block of up to 2·half points at v across its longer side. Sets ends[0] and ends[1] to rows, for
 * now. */
static void cut(item *v, uint32_t count, uint32_t half, bool rotated, uint32_t *ends) {
    if (rotated) cut_along(v, count, half, true, ends);
    else cut_along(v, count, half, false, ends);
}

/* ---- threads cut a block together -------------------------------------------------------------- */

/* Items before `low` come first, those from `high` on last, and the cut is somewhere between. */
typedef struct together {
    threads_team *team;
    item *items, *room, *sample;
    uint32_t count;
    bool rotated, has_high;
    item low, high;
    uint32_t (*at)[3]; /* of each chunk: how many items of each part; then where its next one goes */
    bounds *bounds;    /* of each chunk */
} together;

static inline uint32_t chunks_of(uint32_t count) { return (count - 1) / CHUNK + 1; }
static inline uint32_t chunk_size(const together *t, size_t chunk) {
    uint32_t left = t->count - (uint32_t)chunk * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

static void find_bounds(void *user, size_t chunk) {
    together *t = user;
    t->bounds[chunk] = bounds_of(t->items + chunk * CHUNK, chunk_size(t, chunk));
}

static inline int part_of(const together *t, const item *i) {
    if (before(i, &t->low, t->rotated)) return 0;
    return t->has_high && !before(i, &t->high, t->rotated) ? 2 : 1;
}

static void count_parts(void *user, size_t chunk) {
    together *t = user;
    const item *v = t->items + chunk * CHUNK;
    uint32_t count[3] = {0};
    for (uint32_t i = 0; i < chunk_size(t, chunk); i++) count[part_of(t, &v[i])]++;
    memcpy(t->at[chunk], count, sizeof count);
}

static void move_parts(void *user, size_t chunk) {
    together *t = user;
    const item *v = t->items + chunk * CHUNK;
    uint32_t *at = t->at[chunk];
    for (uint32_t i = 0; i < chunk_size(t, chunk); i++) t->room[at[part_of(t, &v[i])]++] = v[i];
}

static void copy_back(void *user, size_t chunk) {
    together *t = user;
    memcpy(t->items + chunk * CHUNK, t->room + chunk * CHUNK, chunk_size(t, chunk) * sizeof *t->items);
}

/* Sets low and high around the item of rank half, as far as samples tell. half is count / 2 or more. */
static void choose_limits(together *t, uint32_t half) {
    uint32_t samples = t->count / SAMPLED < MOST_SAMPLES ? t->count / SAMPLED : MOST_SAMPLES;
    uint32_t around = (uint32_t)(DEVIATIONS / 2 * sqrt(samples));
    for (uint32_t i = 0; i < samples; i++) t->sample[i] = t->items[(uint64_t)i * t->count / samples];
    uint32_t rank = (uint32_t)((uint64_t)half * samples / t->count), low = rank - around;
    t->has_high = rank + around < samples;
    select_rank(t->sample, samples, low, t->rotated);
    t->low = t->sample[low];
    if (!t->has_high) return;
    select_rank(t->sample + low, samples - low, 2 * around, t->rotated);
    t->high = t->sample[rank + around];
}

/* Turns counts into places. Sets start to where the parts start. */
static void add_counts(together *t, uint32_t start[4]) {
    uint32_t at = 0;
    for (int part = 0; part < 3; part++) {
        start[part] = at;
        for (uint32_t chunk = 0; chunk < chunks_of(t->count); chunk++) {
            uint32_t here = t->at[chunk][part];
            t->at[chunk][part] = at;
            at += here;
        }
    }
    start[3] = at;
}

static void cut_together(together *t, uint32_t half, uint32_t *ends) {
    uint32_t chunks = chunks_of(t->count), start[4];
    threads_team_run(t->team, chunks, find_bounds, t);
    for (uint32_t c = 1; c < chunks; c++) include(t->bounds, t->bounds[c].least, t->bounds[c].most);
    t->rotated = is_tall(t->bounds);
    choose_limits(t, half);
    threads_team_run(t->team, chunks, count_parts, t);
    add_counts(t, start);
    if (half <= start[1] || half >= start[2]) { /* the samples deceived */
        cut(t->items, t->count, half, t->rotated, ends);
        return;
    }
    threads_team_run(t->team, chunks, move_parts, t);
    cut(t->room + start[1], start[2] - start[1], half - start[1], t->rotated, ends);
    threads_team_run(t->team, chunks, copy_back, t);
}

/* ---- all --------------------------------------------------------------------------------------- */

static inline uint32_t block_size(const division *d, uint32_t start) {
    return d->n - start < 2 * d->half ? d->n - start : 2 * d->half;
}

static void cut_block(void *user, size_t block) {
    const division *d = user;
    uint32_t start = (uint32_t)block * 2 * d->half, count = block_size(d, start);
    if (count <= d->half) return;
    bounds b = bounds_of(d->items + start, count);
    cut(d->items + start, count, d->half, is_tall(&b), d->ends + start + d->half);
}

static void cut_to_pairs(void *user, size_t block) {
    division part = *(const division *)user;
    uint32_t start = (uint32_t)block * 2 * part.half, count = block_size(&part, start);
    part.items += start;
    part.ends += start;
    part.n = count;
    for (; part.half > 1; part.half /= 2)
        for (uint32_t at = 0; at < count; at += 2 * part.half) cut_block(&part, at / (2 * part.half));
}

static glshape_status cut_shared_levels(error *err, threads_team *team, division *d, uint32_t threads) {
    OWNED item *room = NULL, *sample = NULL;
    OWNED uint32_t(*at)[3] = NULL;
    OWNED bounds *b = NULL;
    TRY(allocate(err, &room, d->n, sizeof *room, "the points in order"));
    TRY(allocate(err, &sample, MOST_SAMPLES, sizeof *sample, "the points in order"));
    TRY(allocate(err, &at, chunks_of(d->n), sizeof *at, "counts of points"));
    TRY(allocate(err, &b, chunks_of(d->n), sizeof *b, "bounds of points"));
    for (; d->half > SHARED_HALF && (d->n - 1) / (2 * d->half) + 1 < threads; d->half /= 2)
        for (uint32_t start = 0; start < d->n && d->n - start > d->half; start += 2 * d->half) {
            together t = {.team = team,
                          .items = d->items + start,
                          .room = room,
                          .sample = sample,
                          .count = block_size(d, start),
                          .at = at,
                          .bounds = b};
            cut_together(&t, d->half, d->ends + start + d->half);
        }
    return GLSHAPE_OK;
}

glshape_status delaunay_cut(error *err, threads_team *team, delaunay_item *items, uint32_t n,
                            uint32_t *ends) {
    division d = {.items = items, .n = n, .half = 2, .ends = ends};
    uint32_t threads = (uint32_t)threads_count(0);
    if (n <= 2) return GLSHAPE_OK;
    while (2 * d.half < n) d.half *= 2;
    if (d.half > SHARED_HALF && threads > 1) TRY(cut_shared_levels(err, team, &d, threads));
    for (; d.half > SERIAL_HALF; d.half /= 2)
        threads_team_run(team, (n - 1) / (2 * d.half) + 1, cut_block, &d);
    threads_team_run(team, (n - 1) / (2 * d.half) + 1, cut_to_pairs, &d);
    return GLSHAPE_OK;
}
