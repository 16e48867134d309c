/* Candidates compared in double on the GPU: it has the rows at hand, which the processors fetch from all over
 * the main memory. Its points must be those of the matrix to the bit, and its doubles right. */
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "neighbors/passes.h"
#include "neighbors/search.h"
#include "place/place.h"

#define LOCAL 256u /* as neighbors/compare runs */

/* The loop turns of an invocation of neighbors/compare beside its columns. */
#define TURNS (LOCAL + 100u)

typedef struct results {
    gpu_texture sums, nearest, least;
} results;

static void results_free(results *r) {
    gpu_texture_free(&r->sums);
    gpu_texture_free(&r->nearest);
    gpu_texture_free(&r->least);
}

glshape_status knn_compare(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t count, uint32_t k,
                           uint32_t *index, double *sum, float *beyond) {
    OWNED_BY(results_free) results r = {0};
    TRY(gpu_texture_new(g, &r.sums, "distances of neighbors", GPU_RG32UI, count, k));
    TRY(gpu_texture_new(g, &r.nearest, "nearest neighbors", GPU_R32UI, count, k));
    TRY(gpu_texture_new(g, &r.least, "what lists end with", GPU_R32UI, count, 1));
    TRY(gpu_run(g, knn_compare, .POWER = (int)p->norm.power, .points = &p->values, .list = &s->list,
                .progress = &s->progress, .sums = &r.sums, .nearest = &r.nearest, .least = &r.least,
                .keep = s->keep, .begin = s->both ? first : 0, .k = k, .columns = (uint32_t)p->m->cols,
                .first = first, .count = count, .groups = (count - 1) / (LOCAL / s->keep) + 1));
    gpu_start(g);
    threads_touch(index, (size_t)count * k * sizeof *index);
    threads_touch(sum, (size_t)count * k * sizeof *sum);
    TRY(gpu_download(g, &r.least, 0, count, beyond));
    TRY(gpu_download(g, &r.nearest, 0, count, index));
    return gpu_download(g, &r.sums, 0, count, sum);
}

/* ---- whether ------------------------------------------------------------------------------------- */

/* A small problem: 4 · QUADS points of COLUMNS columns. The candidates of a point are the KEEP points behind
 * it; the NEAREST nearest of these are wanted. */
enum { QUADS = 8, SMALL = 4 * QUADS, COLUMNS = 3, KEEP = 8, NEAREST = 5 };

typedef struct small {
    float values[QUADS][COLUMNS][4];
    uint32_t list[SMALL][KEEP][2], progress[SMALL][3];
    norm norm;
} small;

/* Whole numbers, of which many differences are equal; the same and a little more, so that some sums differ in
 * their low words only; and numbers with all bits. */
static void make_small(small *s) {
    uint32_t state = 1;
    for (int i = 0; i < SMALL; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            state = state * 1664525u + 1013904223u;
            const float whole = (float)(state >> 29),
                        kinds[] = {whole, whole + (float)(state >> 8 & 1) * 0x1p-21f,
                                   8 * (float)(state >> 8) * 0x1p-24f};
            s->values[i / 4][c][i % 4] = kinds[i % 3];
        }
        for (int a = 0; a < KEEP; a++) s->list[i][a][1] = (uint32_t)((i + 1 + a) % SMALL);
        s->progress[i][0] = KEEP;
    }
}

static double small_sum(const small *s, uint32_t i, uint32_t j) {
    double sum = 0;
    for (int c = 0; c < COLUMNS; c++)
        sum = norm_add(&s->norm, s->norm.power, sum,
                       (double)s->values[i / 4][c][i % 4] - (double)s->values[j / 4][c][j % 4]);
    return sum;
}

/* Whether these are the nearest of point i: as many candidates are before each of them as there should be. */
static bool small_is_right(const small *s, uint32_t i, const uint32_t *index, const double *sum) {
    for (uint32_t a = 0, before = 0; a < NEAREST; a++, before = 0) {
        if (index[a] >= SMALL || sum[a] != small_sum(s, i, index[a])) return false;
        for (int b = 0; b < KEEP; b++) {
            uint32_t other = s->list[i][b][1];
            double its = small_sum(s, i, other);
            before += its < sum[a] || (its == sum[a] && other < index[a]);
        }
        if (before != a || (index[a] + SMALL - i - 1) % SMALL >= KEEP) return false;
    }
    return true;
}

static glshape_status small_upload(gpu *g, const small *s, knn_points *p, knn_search *search) {
    TRY(gpu_texture_new(g, &p->values, "points", GPU_RGBA32F, QUADS, COLUMNS));
    TRY(gpu_texture_new(g, &search->list, "candidates", GPU_RG32UI, SMALL, KEEP));
    TRY(gpu_texture_new(g, &search->progress, "lists of candidates", GPU_R32UI, 3 * SMALL, 1));
    TRY(gpu_upload(g, &p->values, 0, QUADS, s->values));
    TRY(gpu_upload(g, &search->list, 0, SMALL, s->list));
    return gpu_upload(g, &search->progress, 0, 3 * SMALL, s->progress);
}

static glshape_status check(gpu *g, const void *norm_of_sums, bool *right) {
    small s = {.norm = *(const norm *)norm_of_sums};
    glshape_matrix m = {GLSHAPE_F32, SMALL, COLUMNS, NULL};
    knn_points p = {.m = &m, .norm = s.norm, .n = SMALL};
    knn_search search = {.keep = KEEP};
    uint32_t index[SMALL][NEAREST];
    double sum[SMALL][NEAREST];
    float beyond[SMALL];
    make_small(&s);
    glshape_status status = small_upload(g, &s, &p, &search);
    if (!status) status = knn_compare(g, &search, &p, 0, SMALL, NEAREST, *index, *sum, beyond);
    *right = !status;
    for (uint32_t i = 0; i < SMALL && *right; i++)
        *right = beyond[i] == 0 && small_is_right(&s, i, index[i], sum[i]);
    gpu_texture_free(&p.values);
    knn_search_free(&search);
    return status;
}

glshape_status knn_compare_place(gpu *g, const knn_points *p, uint32_t keep, run_why *why) {
    gpu_exact e = {
        .program = {gpu_program(knn_compare, .POWER = (int)p->norm.power)}, .check = check, .user = &p->norm};
    bool can = p->exact_values && !knn_is_paged(p) && p->norm.power <= 2 && p->m->cols + TURNS <= GPU_TURNS;
    *why =
        !can ? RUN_NOT_LIMITS : place_by_size(g, PLACE_CANDIDATES, (double)p->n * keep * (double)p->m->cols);
    return gpu_trusts_for(g, &e, why);
}
