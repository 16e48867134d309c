#include "mds/ranked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "mds/isotonic.h"
#include "mds/passes.h"

#define LOCAL 128u
#define REACH 64u      /* of glsl/mds/falls.glsl */
#define FEW_TIES 32u   /* FEW of glsl/mds/sort_few.glsl */
#define PARTS 64u      /* of what is more */
#define FEW (1u << 14) /* blocks that processors pool in no time */
/* A round that leaves more than 7 of 8 blocks is slow. After so many of these processors do the rest: where
 * one block after another falls, as between many pairs of one dissimilarity and of the next, rounds would be
 * as many as blocks. */
#define SLOW_ROUNDS 2u

void mds_ranked_free(mds_ranked *r) {
    for (int i = 0; i < 2; i++) {
        gpu_texture_free(&r->items[i]);
        gpu_texture_free(&r->blocks[i]);
        gpu_texture_free(&r->begins[i]);
    }
    gpu_texture *others[] = {&r->place, &r->pulls,  &r->fitted, &r->weights,
                             &r->heads, &r->places, &r->total,  &r->values};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) gpu_texture_free(others[i]);
    prim_scratch_free(&r->scan);
    prim_radix_free(&r->radix);
    free(r->x);
    free(r->sums);
    free(r->out);
    free(r->last);
}

uint64_t mds_ranked_bytes(uint32_t n, bool weighted) {
    uint64_t pairs = (uint64_t)n * (n - 1) / 2;
    /* Items, blocks and beginnings twice; heads, places and values; what sorting counts; matrices of numbers
     * and of weights. */
    return (1u << 20) + pairs * (32 + 16 + 8 + 12 + 1) + 4 * (uint64_t)n * n * (1 + weighted);
}

bool mds_ranked_fits(const gpu *g, uint32_t n) {
    return gpu_texture_bytes(g, GPU_R32F, n, n) < SIZE_MAX &&
           gpu_texture_bytes(g, GPU_RGBA32UI, (uint32_t)((uint64_t)n * (n - 1) / 2), 1) < SIZE_MAX;
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static uint32_t key_of(float x) {
    uint32_t bits;
    x += 0.0F; /* not -0 */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Pairs on their way to the device: the next one. */
typedef struct pairs {
    const mds_ranked *r;
    const float *given, *weight;
    uint32_t i, j;
    size_t at;
} pairs;

static glshape_status fill(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    pairs *p = user;
    uint32_t *to = memory;
    (void)g, (void)first;
    for (uint32_t done = 0; done < count; p->at++) {
        if (!isnan(p->given[p->at]) && (!p->weight || p->weight[p->at] > 0)) {
            memcpy(to + 4 * (size_t)done, (uint32_t[]){0, key_of(p->given[p->at]), p->i, p->j}, 16);
            done++;
        }
        if (++p->j == p->r->n) p->i++, p->j = p->i + 1;
    }
    return GLSHAPE_OK;
}

/* How many pairs have another dissimilarity than the pair that is so many places before. */
static glshape_status count_others(mds_ranked *r, uint32_t places, uint32_t *count) {
    TRY(gpu_run(r->g, mds_ties, .items = &r->items[0], .heads = &r->heads, .places = places,
                .elements = r->count));
    TRY(prim_scan(r->g, &r->scan, &r->heads, r->count, &r->places, &r->total, 0));
    return gpu_download(r->g, &r->total, 0, 1, count);
}

/* Sorts the pairs, and numbers their dissimilarities. */
static glshape_status sort_pairs(mds_ranked *r, const float *given, const float *weight) {
    pairs p = {r, given, weight, 0, 1, 0};
    uint32_t others;
    TRY(gpu_fill(r->g, &r->items[0], r->count, fill, &p));
    TRY(prim_radix(r->g, &r->radix, r->items, r->count, 0, 32));
    TRY(count_others(r, FEW_TIES, &others));
    r->many = r->count > FEW_TIES && others < r->count - FEW_TIES;
    TRY(count_others(r, 1, &others));
    r->tied = others + 1 < r->count;
    TRY(gpu_run(r->g, mds_key, .items = &r->items[0], .place_in = &r->place, .heads = &r->heads,
                .ties = &r->places, .keyed = &r->items[1], .elements = r->count));
    gpu_texture_swap(&r->items[0], &r->items[1]);
    return GLSHAPE_OK;
}

static glshape_status send_weights(mds_ranked *r, const float *weight) {
    OWNED float *row = NULL;
    uint32_t n = r->n;
    if (!weight) return GLSHAPE_OK;
    TRY(gpu_texture_new(r->g, &r->weights, "weights", GPU_R32F, n, n));
    TRY(allocate(run_error(run_of(r->g)), &row, n, sizeof *row, "weights"));
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            row[j] = i == j ? 0 : weight[mds_pair_number(n, i < j ? i : j, i < j ? j : i)];
        TRY(gpu_upload(r->g, &r->weights, i, 1, row));
    }
    return GLSHAPE_OK;
}

/* No pair has a number yet. */
static glshape_status clear(mds_ranked *r) {
    OWNED float *row = NULL;
    TRY(allocate(run_error(run_of(r->g)), &row, r->n, sizeof *row, "pairs"));
    for (uint32_t j = 0; j < r->n; j++) row[j] = DIST_NONE;
    for (uint32_t i = 0; i < r->n; i++) TRY(gpu_upload(r->g, &r->fitted, i, 1, row));
    return GLSHAPE_OK;
}

static glshape_status textures_new(mds_ranked *r) {
    gpu *g = r->g;
    for (int i = 0; i < 2; i++) {
        TRY(gpu_texture_new(g, &r->items[i], "pairs", GPU_RGBA32UI, r->count, 1));
        TRY(gpu_texture_new(g, &r->blocks[i], "blocks of pairs", GPU_RG32F, r->count, 1));
        TRY(gpu_texture_new(g, &r->begins[i], "beginnings of blocks", GPU_R32UI, r->count, 1));
    }
    TRY(gpu_texture_new(g, &r->heads, "heads of blocks", GPU_R32UI, r->count, 1));
    TRY(gpu_texture_new(g, &r->places, "places of blocks", GPU_R32UI, r->count, 1));
    TRY(gpu_texture_new(g, &r->values, "numbers of blocks", GPU_R32F, r->count, 1));
    TRY(gpu_texture_new(g, &r->total, "a total", GPU_R32UI, 1, 1));
    TRY(gpu_texture_new(g, &r->place, "the layout", GPU_RGBA32F, r->n, 1));
    TRY(gpu_texture_new(g, &r->pulls, "slopes", GPU_RGBA32F, r->n, 3));
    TRY(gpu_texture_new(g, &r->fitted, "numbers of pairs", GPU_R32F, r->n, r->n));
    return clear(r);
}

static glshape_status send_layout(mds_ranked *r, const double *x) {
    for (size_t i = 0; i < r->n; i++)
        for (size_t c = 0; c < MDS_RANKED_DIMS; c++)
            r->x[i * MDS_RANKED_DIMS + c] = x && c < r->dim ? (float)x[i * r->dim + c] : 0;
    return gpu_upload(r->g, &r->place, 0, r->n, r->x);
}

glshape_status mds_ranked_new(gpu *g, uint32_t n, uint32_t dim, const float *given, const float *weight,
                              mds_ranked *r) {
    error *err = run_error(run_of(g));
    size_t all = (size_t)n * (n - 1) / 2;
    *r = (mds_ranked){.g = g, .n = n, .dim = dim};
    for (size_t p = 0; p < all; p++) r->count += !isnan(given[p]) && (!weight || weight[p] > 0);
    TRY(allocate(err, &r->x, n, MDS_RANKED_DIMS * sizeof *r->x, "the layout"));
    TRY(allocate(err, &r->out, n, 12 * sizeof *r->out, "slopes"));
    TRY(textures_new(r));
    TRY(send_weights(r, weight));
    TRY(send_layout(r, NULL));
    return sort_pairs(r, given, weight);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/* Pools in one round what falls, but for one block in REACH; *count blocks become fewer. */
static glshape_status pool_once(mds_ranked *r, uint32_t round, uint32_t *count) {
    gpu *g = r->g;
    uint32_t before = *count;
    TRY(gpu_run(g, mds_falls, .blocks = &r->blocks[0], .heads = &r->heads, .offset = round * (REACH / 2 + 1),
                .elements = before));
    TRY(prim_scan(g, &r->scan, &r->heads, before, &r->places, &r->total, 0));
    TRY(gpu_run(g, mds_pool, .blocks = &r->blocks[0], .heads = &r->heads, .places = &r->places,
                .begin = &r->begins[0], .pooled = &r->blocks[1], .begins = &r->begins[1], .n = before,
                .first = round == 0, .groups = (before - 1) / LOCAL + 1));
    gpu_texture_swap(&r->blocks[0], &r->blocks[1]);
    gpu_texture_swap(&r->begins[0], &r->begins[1]);
    r->rounds++;
    return gpu_download(g, &r->total, 0, 1, count);
}

static glshape_status make_room(mds_ranked *r, size_t count) {
    if (count <= r->room) return GLSHAPE_OK;
    free(r->sums);
    free(r->last);
    r->sums = NULL, r->last = NULL;
    r->room = 0;
    TRY(allocate(run_error(run_of(r->g)), &r->sums, count, 3 * sizeof *r->sums, "blocks of pairs"));
    TRY(allocate(run_error(run_of(r->g)), &r->last, count, sizeof *r->last, "blocks of pairs"));
    r->room = count;
    return GLSHAPE_OK;
}

/* What is left, on the processors: each part pools its own blocks; then those at the seams between parts are
 * pooled. */
typedef struct rest {
    float *sums, *values; /* count blocks of two; what each comes to */
    uint32_t *last;       /* of each pooled block, the block that it ends before */
    uint32_t count, parts;
    uint32_t from[PARTS], to[PARTS]; /* where the pooled blocks of each part stand */
    uint32_t begin[PARTS];           /* what the first of these begins with */
} rest;

static uint32_t part_begin(const rest *s, size_t part) {
    return (uint32_t)((uint64_t)s->count * part / s->parts);
}

/* Whether block k is not below a sum that follows it. */
static bool falls(const rest *s, uint32_t k, double sum, double total) {
    return (double)s->sums[2 * k] * total >= sum * (double)s->sums[2 * k + 1];
}

static void add_block(const rest *s, uint32_t k, double *sum, double *total) {
    *sum += (double)s->sums[2 * k];
    *total += (double)s->sums[2 * k + 1];
}

static void pool_part(void *user, size_t part) {
    rest *s = user;
    uint32_t first = part_begin(s, part), at = first;
    for (uint32_t k = first; k < part_begin(s, part + 1); k++) {
        double sum = (double)s->sums[2 * k], total = (double)s->sums[2 * k + 1];
        while (at > first && falls(s, at - 1, sum, total)) add_block(s, --at, &sum, &total);
        s->sums[2 * at] = (float)sum;
        s->sums[2 * at + 1] = (float)total;
        s->last[at++] = k + 1;
    }
    s->from[part] = first;
    s->to[part] = at;
}

/* Pools the first block of a part with those before it and behind it. */
static void pool_seam(rest *s, uint32_t part) {
    uint32_t at = s->from[part], left = part - 1;
    double sum = (double)s->sums[2 * at], total = (double)s->sums[2 * at + 1];
    for (bool more = true; more;) {
        while (left && s->from[left] == s->to[left]) left--;
        more = s->from[left] < s->to[left] && falls(s, s->to[left] - 1, sum, total);
        if (more) add_block(s, --s->to[left], &sum, &total);
        bool right =
            at + 1 < s->to[part] && sum * (double)s->sums[2 * at + 3] >= (double)s->sums[2 * at + 2] * total;
        if (right) add_block(s, ++at, &sum, &total);
        more |= right;
    }
    s->sums[2 * at] = (float)sum;
    s->sums[2 * at + 1] = (float)total;
    s->from[part] = at;
}

static void write_part(void *user, size_t part) {
    const rest *s = user;
    uint32_t k = s->begin[part];
    for (uint32_t b = s->from[part]; b < s->to[part]; b++)
        for (float value = s->sums[2 * b] / s->sums[2 * b + 1]; k < s->last[b]; k++) s->values[k] = value;
}

/* Pools what is left. */
static glshape_status pool_rest(mds_ranked *r, uint32_t count) {
    TRY(make_room(r, count));
    rest s = {.sums = r->sums, .values = r->sums + 2 * (size_t)count, .last = r->last, .count = count};
    int threads = count > FEW ? 0 : 1;
    s.parts = count > FEW ? PARTS : 1;
    TRY(gpu_download(r->g, &r->blocks[0], 0, count, s.sums));
    threads_run(threads, s.parts, pool_part, &s);
    for (uint32_t part = 1; part < s.parts; part++) pool_seam(&s, part);
    for (uint32_t part = 0, end = 0; part < s.parts; part++) {
        s.begin[part] = end;
        if (s.from[part] < s.to[part]) end = s.last[s.to[part] - 1];
    }
    threads_run(threads, s.parts, write_part, &s);
    return gpu_upload(r->g, &r->values, 0, count, s.values);
}

/* Puts pairs of equal dissimilarity in order of distance. */
static glshape_status sort_ties(mds_ranked *r) {
    gpu *g = r->g;
    if (!r->tied) return GLSHAPE_OK;
    TRY(gpu_run(g, mds_key, .items = &r->items[0], .place_in = &r->place, .heads = &r->heads,
                .ties = &r->places, .keyed = &r->items[1], .numbered = 1, .elements = r->count));
    gpu_texture_swap(&r->items[0], &r->items[1]);
    if (r->many) return prim_radix(g, &r->radix, r->items, r->count, 0, 32 + prim_radix_bits(r->count));
    return gpu_run(g, mds_sort_few, .items = &r->items[0], .n = r->count,
                   .groups = (r->count - 1) / LOCAL + 1);
}

/* Isotonic regression of the distances of the layout on the device. */
static glshape_status fit(mds_ranked *r) {
    gpu *g = r->g;
    uint32_t count = r->count, slow = 0;
    TRY(sort_ties(r));
    TRY(gpu_run(g, mds_blocks, .WEIGHTED = r->weights.id != 0, .place_in = &r->place, .weights = &r->weights,
                .items = &r->items[0], .blocks = &r->blocks[0], .elements = r->count));
    for (uint32_t round = 0; round == 0 || (slow < SLOW_ROUNDS && count > FEW); round++) {
        uint32_t before = count;
        TRY(pool_once(r, round, &count));
        slow += count > before - before / 8;
    }
    TRY(pool_rest(r, count));
    return gpu_run(g, mds_spread, .items = &r->items[0], .begins = &r->begins[0], .values = &r->values,
                   .fitted = &r->fitted, .n = r->count, .count = count, .groups = (r->count - 1) / LOCAL + 1);
}

/* ---- layouts ----------------------------------------------------------------------------------- */

/* Each pair was met from both its points. */
static void add_up(mds_ranked *r, double *value, double *gradient) {
    double off = 0, square = 0;
    for (size_t i = 0; i < r->n; i++) {
        off += (double)r->out[12 * i + 8] / 2;
        square += (double)r->out[12 * i + 9] / 2;
    }
    *value = square > 0 ? off / square : 0;
    r->square = square;
    for (size_t i = 0; i < r->n; i++)
        for (size_t c = 0; c < r->dim; c++) {
            double slope = (double)r->out[12 * i + c] - *value * (double)r->out[12 * i + 4 + c];
            gradient[i * r->dim + c] = square > 0 ? 2 * slope / square : 0;
        }
}

glshape_status mds_ranked_look(mds_ranked *r, const double *x, double *value, double *gradient) {
    TRY(send_layout(r, x));
    if (r->count) TRY(fit(r));
    TRY(gpu_run(r->g, mds_pull, .WEIGHTED = r->weights.id != 0, .place_in = &r->place, .weights = &r->weights,
                .fitted = &r->fitted, .pulls = &r->pulls, .n = r->n, .groups = r->n));
    TRY(gpu_download(r->g, &r->pulls, 0, r->n, r->out));
    add_up(r, value, gradient);
    return run_tick(run_of(r->g), 0);
}
