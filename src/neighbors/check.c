/* A small problem that shows whether the passes of the search for candidates are right: all sums are whole
 * numbers that float32 has, so that the processors' lists are those of the passes. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "neighbors/lists.h"
#include "neighbors/passes.h"

enum { POINTS = 300, QUADS = POINTS / 4, TILES = 3, KEEP = 14, LABELS = 3 };
#define LENGTH_TEXELS 4u /* as in points.c */
#define VALUES 64u       /* different ones: a third power of each still leaves whole sums below 2^24 */

/* What is tried: passes of this search. */
typedef struct trying {
    const knn_points *p;
    const knn_search *s;
    bool queries;
} trying;

typedef struct small {
    glshape_matrix m;
    knn_points p;
    knn_search s;
    float *values; /* as knn_points.values */
    uint32_t sums[POINTS][POINTS], label[POINTS];
    double core[POINTS];
    knn_candidate want[POINTS][KEEP], got[POINTS][KEEP];
} small;

static void small_free(small *s) {
    gpu_texture_free(&s->p.values);
    knn_search_free(&s->s);
    free(s->values);
}

static uint32_t value_of(uint32_t i, uint32_t c) {
    uint32_t x = (i * 4096u + c + 1) * 2654435761u;
    return (x ^ x >> 15) * 2246822519u >> 8 & (VALUES - 1);
}

static uint32_t add_up(const small *s, uint32_t i, uint32_t j) {
    double sum = 0;
    for (uint32_t c = 0; c < s->m.cols; c++)
        sum = norm_add(&s->p.norm, s->p.norm.power, sum, (double)value_of(i, c) - (double)value_of(j, c));
    return (uint32_t)sum;
}

/* All columns of two slices but one: the last texel is 0. */
static glshape_status make_points(gpu *g, const trying *as, small *s) {
    uint32_t columns = 2 * as->p->slice - 1, texels = columns + 1 + (as->s->products ? LENGTH_TEXELS : 0);
    s->m = (glshape_matrix){GLSHAPE_F32, POINTS, columns, NULL};
    s->p = (knn_points){.m = &s->m, .norm = as->p->norm, .n = POINTS, .slice = as->p->slice, .slices = 2};
    s->p.products = as->s->products;
    s->p.exact_below = 0x1p24;
    TRY(allocate(run_error(run_of(g)), &s->values, QUADS, 4 * texels * sizeof *s->values, "small points"));
    memset(s->values, 0, QUADS * 4 * texels * sizeof *s->values);
    for (uint32_t i = 0; i < POINTS; i++) {
        float *at = s->values + (size_t)i / 4 * 4 * texels + i % 4, square = 0;
        for (uint32_t c = 0; c < columns; c++) {
            at[4 * (size_t)c] = (float)value_of(i, c);
            square += at[4 * (size_t)c] * at[4 * (size_t)c];
        }
        if (s->p.products) at[4 * ((size_t)columns + 1)] = square;
        for (uint32_t j = 0; j < POINTS; j++) s->sums[i][j] = add_up(s, i, j);
    }
    TRY(gpu_texture_new(g, &s->p.values, "small points", GPU_RGBA32F, QUADS, texels));
    return gpu_upload(g, &s->p.values, 0, QUADS, s->values);
}

static glshape_status make_search(gpu *g, const trying *as, small *s) {
    const knn_search *like = as->s;
    s->s = (knn_search){.keep = KEEP, .capacity = like->capacity, .rows = TILES * KNN_TILE, .parts = 1};
    s->s.shared = like->shared;
    s->s.products = like->products;
    s->s.both = like->both;
    s->s.alone = true;
    s->s.whole = like->whole;
    TRY(gpu_texture_new(g, &s->s.list, "small lists", GPU_RG32UI, POINTS, like->capacity));
    TRY(gpu_texture_new(g, &s->s.progress, "sizes of small lists", GPU_R32UI, 3 * POINTS, 1));
    if (!like->labels.id) return GLSHAPE_OK;
    index_cores cores = {s->core, 1};
    return knn_search_across(g, &s->s, &s->p, s->label, like->raised ? &cores : NULL);
}

/* ---- what is right ----------------------------------------------------------------------------- */

static bool is_before(const knn_candidate *a, float sum, uint32_t index) {
    float its;
    memcpy(&its, &a->bits, sizeof its);
    return a->index != KNN_NOTHING && (its < sum || (its == sum && a->index < index));
}

static void insert(knn_candidate list[KEEP], float sum, uint32_t index) {
    uint32_t at = KEEP;
    while (at && !is_before(&list[at - 1], sum, index)) at--;
    if (at == KEEP) return;
    memmove(&list[at + 1], &list[at], (KEEP - 1 - at) * sizeof *list);
    memcpy(&list[at].bits, &sum, sizeof sum);
    list[at].index = index;
}

static void find_right(small *s, const trying *as) {
    memset(s->want, 0xff, sizeof s->want);
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t j = 0; j < POINTS; j++) {
            double sum = s->sums[i][j];
            bool labels = as->s->labels.id != 0;
            if (as->s->raised) sum = index_reach(&(index_cores){s->core, 1}, i, j, sum);
            if (labels ? s->label[i] != s->label[j] : i != j) insert(s->want[i], (float)sum, j);
        }
}

/* ---- what the passes find ----------------------------------------------------------------------- */

static glshape_status find_all(gpu *g, small *s) {
    TRY(knn_search_rows(g, &s->s, &s->p, 0, POINTS));
    return knn_take(g, &s->s, 0, POINTS, s->got[0]);
}

/* Queries are all points, the last first. */
static glshape_status find_for_queries(gpu *g, small *s) {
    knn_query queries[POINTS];
    for (uint32_t q = 0; q < POINTS; q++) queries[q] = (knn_query){POINTS - 1 - q, s->label[POINTS - 1 - q]};
    TRY(knn_search_queries(g, &s->s, &s->p, queries, POINTS, s->got[0]));
    for (uint32_t i = 0; i < POINTS / 2; i++) {
        knn_candidate list[KEEP];
        memcpy(list, s->got[i], sizeof list);
        memcpy(s->got[i], s->got[POINTS - 1 - i], sizeof list);
        memcpy(s->got[POINTS - 1 - i], list, sizeof list);
    }
    return GLSHAPE_OK;
}

/* What other ranks are to have found, from the back, which joins empty lists. */
static glshape_status find_by_joining(gpu *g, small *s) {
    OWNED_BY(gpu_texture_free) gpu_texture given = {0};
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t a = 0; a < KEEP; a++) s->got[i][a] = s->want[i][KEEP - 1 - a];
    TRY(gpu_texture_new(g, &given, "what is joined", GPU_RG32UI, POINTS, KEEP));
    TRY(gpu_upload(g, &given, 0, POINTS, s->got));
    TRY(knn_join_lists(g, &s->s, &s->p, &given));
    return knn_take(g, &s->s, 0, POINTS, s->got[0]);
}

static glshape_status solve_both(gpu *g, const trying *as, small *s, bool *right) {
    for (uint32_t i = 0; i < POINTS; i++) s->label[i] = i * i % LABELS, s->core[i] = value_of(i, 0) * 100.0;
    TRY(make_points(g, as, s));
    TRY(make_search(g, as, s));
    find_right(s, as);
    TRY(as->queries ? find_for_queries(g, s) : find_all(g, s));
    *right = !memcmp(s->got, s->want, sizeof s->got);
    if (!*right || !as->s->both || run_ranks(run_of(g))->size == 1) return GLSHAPE_OK;
    TRY(find_by_joining(g, s));
    *right = !memcmp(s->got, s->want, sizeof s->got);
    return GLSHAPE_OK;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    OWNED small *s = NULL;
    TRY(allocate(run_error(run_of(g)), &s, 1, sizeof *s, "a small problem"));
    memset(s, 0, sizeof *s);
    glshape_status status = solve_both(g, user, s, right);
    small_free(s);
    return status;
}

/* ---- whether ------------------------------------------------------------------------------------- */

#define TILES_OF(p, s)                                                                                   \
    .SHARED = (s)->shared, .POWER = (s)->products ? -1 : (int)(p)->norm.power, .SLICE = (int)(p)->slice, \
    .CAPACITY = (int)(s)->capacity

static glshape_status trust_both(gpu *g, const trying *as, run_why *why) {
    const ranks *r = run_ranks(run_of(g));
    const int capacity = (int)as->s->capacity;
    gpu_exact e = {
        .program = {gpu_program(knn_pairs, TILES_OF(as->p, as->s), .LABELS = as->s->labels.id != 0),
                    gpu_program(knn_trim, .CAPACITY = capacity), gpu_only_program(knn_take),
                    gpu_program(knn_join, .CAPACITY = capacity)},
        .check = check,
        .user = as,
        .without_doubles = true};
    if (r->size == 1) e.program[3].pass = NULL;
    if (as->s->whole) {
        e.program[2] = e.program[3];
        e.program[3].pass = NULL;
    }
    TRY(gpu_trusts_for(g, &e, why));
    uint64_t so = run_why_device(*why);
    TRY(ranks_least(r, run_error(run_of(g)), &so));
    if (!so) *why = RUN_NOT_EXACT;
    return GLSHAPE_OK;
}

glshape_status knn_trusts(gpu *g, const knn_points *p, const knn_search *s, bool queries, run_why *why) {
    const trying as = {p, s, queries};
    gpu_may_wait(g, false); /* threads would compare all pairs, which takes them long */
    gpu_exact rows = {.program = {gpu_program(knn_spans, TILES_OF(p, s)), gpu_only_program(knn_take)},
                      .check = check,
                      .user = &as,
                      .without_doubles = true};
    gpu_exact asked = {.program = {gpu_program(knn_across, TILES_OF(p, s), .CORES = s->raised),
                                   gpu_only_program(knn_gather), gpu_only_program(knn_take)},
                       .check = check,
                       .user = &as,
                       .without_doubles = true};
    if (s->both) return trust_both(g, &as, why);
    return gpu_trusts_for(g, queries ? &asked : &rows, why);
}
