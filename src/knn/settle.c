/* Who is nearest, in double.
 *
 * Let T be the sum in float32 of a point's last candidate. Everybody else's is at least T, and what it stands
 * for at least T / (1 + γ): sums of D terms of three roundings each. So others' distances are at least the
 * root of that (or that, of magnitudes), less the rounding of both points. If the k-th of the candidates lies
 * nearer, in double, with what rounding double may add, nobody else can be among the first k. Below
 * exact_below the sums are right, and the candidates are the first by (distance, index) themselves. If this
 * settles nothing, as where more points than candidates lie equally far, the point is compared with all. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "dist/source.h"
#include "knn/knn.h"

#define BLOCK 16u /* points of a block of work that have candidates */
#define AT_ONCE 4u

typedef struct job {
    const knn_points *p;
    const knn_settling *what;
    uint32_t *index;
    double *sum;
    uint8_t *scanned; /* of each point */
} job;

static uint32_t point_of(const knn_settling *s, uint32_t at) {
    return s->queries ? s->queries[at].point : s->first + at;
}

/* A neighbor: its sum in double. */
typedef struct neighbor {
    double sum;
    uint32_t index;
} neighbor;

/* A thread's own: rows, and the first k found so far. */
typedef struct bench {
    const job *j;
    double *own, *other[AT_ONCE];
    neighbor *best;
    uint32_t found;
} bench;

static glshape_status row(error *err, const knn_points *p, uint32_t i, double *out) {
    TRY(dist_row(err, p->m, p->metric, i, out));
    for (size_t c = 0; c < p->m->cols; c++) out[c] *= p->scale;
    return GLSHAPE_OK;
}

/* sum[a] of own and other[a]: each column after column, side by side. */
static void add_up(const bench *b, bool squares, double sum[AT_ONCE]) {
    const double *x = b->own;
    double s[AT_ONCE] = {0};
    for (size_t c = 0, columns = b->j->p->m->cols; c < columns; c++)
        for (uint32_t a = 0; a < AT_ONCE; a++) {
            double d = x[c] - b->other[a][c];
            s[a] += squares ? d * d : fabs(d);
        }
    memcpy(sum, s, sizeof s);
}

static void insert(bench *b, double sum, uint32_t index) {
    uint32_t k = b->j->what->k, at = b->found < k ? b->found++ : k;
    for (; at && (sum < b->best[at - 1].sum || (sum == b->best[at - 1].sum && index < b->best[at - 1].index));
         at--)
        if (at < k) b->best[at] = b->best[at - 1];
    if (at < k) b->best[at] = (neighbor){sum, index};
}

/* Compares own with up to AT_ONCE points. */
static glshape_status compare(error *err, bench *b, const uint32_t *with, uint32_t count) {
    const knn_points *p = b->j->p;
    double sum[AT_ONCE];
    for (uint32_t a = 0; a < count; a++) TRY(row(err, p, with[a], b->other[a]));
    if (p->metric == GLSHAPE_MANHATTAN) add_up(b, false, sum);
    else add_up(b, true, sum);
    for (uint32_t a = 0; a < count; a++) insert(b, sum[a], with[a]);
    return GLSHAPE_OK;
}

static glshape_status compare_candidates(error *err, bench *b, const knn_candidate *c, uint32_t count) {
    uint32_t with[AT_ONCE];
    for (uint32_t at = 0, taken; at < count; at += taken) {
        for (taken = 0; taken < AT_ONCE && at + taken < count; taken++) with[taken] = c[at + taken].index;
        TRY(compare(err, b, with, taken));
    }
    return GLSHAPE_OK;
}

static glshape_status compare_all(error *err, bench *b, uint32_t own) {
    uint32_t with[AT_ONCE], taken = 0;
    const uint32_t *label = b->j->what->label;
    b->found = 0;
    for (uint32_t i = 0; i < b->j->p->n; i++) {
        if (label ? label[i] != label[own] : i != own) with[taken++] = i;
        if (taken < AT_ONCE && i + 1 < b->j->p->n) continue;
        TRY(compare(err, b, with, taken));
        taken = 0;
    }
    return GLSHAPE_OK;
}

/* Whether nobody who is no candidate of point i can be among the first k. */
static bool settled(const bench *b, uint32_t i, const knn_candidate *c, uint32_t count) {
    const job *j = b->j;
    const knn_points *p = j->p;
    if (count == p->n - 1 || count < j->what->keep) return true;
    if (!count) return false;
    float last;
    memcpy(&last, &c[count - 1].bits, sizeof last);
    if ((double)last < p->exact_below) return true;
    neighbor far = b->best[j->what->k - 1];
    bool squares = p->metric != GLSHAPE_MANHATTAN;
    double columns = (double)p->m->cols, terms = columns + 4;
    /* Of equal points, and sums that vanish, the candidates are those of least index. */
    if (last == 0) return far.sum == 0;
    double least = last / (1 + 1.01 * terms * 0x1p-24) - columns * 0x1p-126;
    if (squares) least = least > 0 ? sqrt(least) : 0;
    least -= 1.01 * ((double)p->rounding[i] + p->most_rounding) + columns * 0x1p-125; /* flushed denormals */
    double most = (squares ? sqrt(far.sum) : far.sum) * (1 + terms * 0x1p-51);
    return most < least;
}

double knn_distance(const knn_points *p, double sum) {
    if (dist_metric_is_angular(p->metric)) return 0.5 * sum / (p->scale * p->scale);
    return (p->metric == GLSHAPE_MANHATTAN ? sum : sqrt(sum)) / p->scale;
}

glshape_status knn_sum(error *err, const knn_points *p, uint32_t i, uint32_t j, double *rows, double *sum) {
    double *x = rows, *y = rows + p->m->cols;
    TRY(row(err, p, i, x));
    TRY(row(err, p, j, y));
    *sum = 0;
    for (size_t c = 0; c < p->m->cols; c++) {
        double d = x[c] - y[c];
        *sum += p->metric == GLSHAPE_MANHATTAN ? fabs(d) : d * d;
    }
    return GLSHAPE_OK;
}

static glshape_status settle_point(error *err, bench *b, uint32_t at) {
    const job *j = b->j;
    const knn_settling *s = j->what;
    const knn_candidate *c = s->candidates + (size_t)at * s->keep;
    uint32_t own = point_of(s, at), count = s->keep;
    while (count && c[count - 1].index == KNN_NOTHING) count--;
    TRY(row(err, j->p, own, b->own));
    b->found = 0;
    TRY(compare_candidates(err, b, c, count));
    j->scanned[at] = !settled(b, own, c, count);
    if (j->scanned[at]) TRY(compare_all(err, b, own));
    for (uint32_t k = 0; k < s->k; k++) {
        j->index[(size_t)at * s->k + k] = b->best[k].index;
        j->sum[(size_t)at * s->k + k] = b->best[k].sum;
    }
    return GLSHAPE_OK;
}

static uint32_t block_of(const knn_settling *s) { return s->keep ? BLOCK : 1; }

static glshape_status settle_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    size_t columns = j->p->m->cols;
    bench b = {.j = j, .own = scratch, .best = (neighbor *)((double *)scratch + 5 * columns)};
    for (uint32_t a = 0; a < AT_ONCE; a++) b.other[a] = b.own + (a + 1) * columns;
    uint32_t size = block_of(j->what), from = (uint32_t)block * size;
    for (uint32_t at = from; at < j->what->count && at < from + size; at++) TRY(settle_point(err, &b, at));
    return GLSHAPE_OK;
}

static glshape_status run(error *err, job *j) {
    threads_job work = {
        .work = settle_block,
        .user = j,
        .blocks = (j->what->count - 1) / block_of(j->what) + 1,
        .scratch_bytes = (AT_ONCE + 1) * j->p->m->cols * sizeof(double) + j->what->k * sizeof(neighbor),
        .name = "rows being compared"};
    return threads_do(err, &work);
}

glshape_status knn_settle(error *err, const knn_points *p, const knn_settling *what, uint32_t *index,
                          double *sum, size_t *scanned) {
    job j = {p, what, index, sum, NULL};
    TRY(allocate(err, &j.scanned, what->count, 1, "flags of points"));
    glshape_status status = run(err, &j);
    for (uint32_t at = 0; at < what->count; at++) *scanned += j.scanned[at];
    free(j.scanned);
    return status;
}
