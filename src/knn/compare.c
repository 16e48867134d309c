/* Candidates compared in double on the GPU: it has the rows at hand, which the processors fetch from all over
 * the main memory. Its points must be those of the matrix to the bit, and its doubles right. */
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "knn/knn.h"
#include "knn/passes.h"

#define LOCAL 256u /* as knn/compare runs */

/* The loop turns of an invocation of knn/compare beside its columns. */
#define TURNS (LOCAL + 100u)

bool knn_compares(const gpu *g, const knn_points *p) {
    return p->exact_values && !knn_is_paged(p) && p->norm.power <= 2 && p->m->cols + TURNS <= GPU_TURNS &&
           gpu_is_exact(g) && (!gpu_is_software(g) || gpu_is_eager(g));
}

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
