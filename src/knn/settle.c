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

#define BLOCK 16u                      /* points of a block of work, at most */
#define BLOCKS 64u                     /* at least, if there are as many points */
#define BLOCK_VALUES ((size_t)1 << 17) /* of the rows of its points */
#define AT_ONCE 4u

typedef struct job {
    const knn_points *p;
    const knn_settling *what;
    uint32_t *index;
    double *sum;
    uint8_t *scanned; /* of each point */
    uint32_t block;   /* points of a block of work */
} job;

static uint32_t point_of(const knn_settling *s, uint32_t at) {
    return s->queries ? s->queries[at].point : s->first + at;
}

/* A neighbor: its sum in double. */
typedef struct neighbor {
    double sum;
    uint32_t index;
} neighbor;

/* A point to be settled: its row, and the first k found so far. */
typedef struct point {
    uint32_t at, index;
    double *row;
    neighbor *best;
    uint32_t found;
} point;

/* A thread's own. */
typedef struct bench {
    const job *j;
    point points[BLOCK];
    double *other[AT_ONCE]; /* rows that points are compared with */
} bench;

static glshape_status row(error *err, const knn_points *p, uint32_t i, double *out) {
    TRY(dist_row(err, p->m, p->metric, i, out));
    for (size_t c = 0; c < p->m->cols; c++) out[c] *= p->scale;
    return GLSHAPE_OK;
}

/* sum[a] of x and other[a]: each column after column, side by side. */
static void add_up(const bench *b, const double *x, bool squares, double sum[AT_ONCE]) {
    double s[AT_ONCE] = {0};
    for (size_t c = 0, columns = b->j->p->m->cols; c < columns; c++)
        for (uint32_t a = 0; a < AT_ONCE; a++) {
            double d = x[c] - b->other[a][c];
            s[a] += squares ? d * d : fabs(d);
        }
    memcpy(sum, s, sizeof s);
}

static void insert(point *v, uint32_t k, double sum, uint32_t index) {
    uint32_t at = v->found < k ? v->found++ : k;
    for (; at && (sum < v->best[at - 1].sum || (sum == v->best[at - 1].sum && index < v->best[at - 1].index));
         at--)
        if (at < k) v->best[at] = v->best[at - 1];
    if (at < k) v->best[at] = (neighbor){sum, index};
}

static glshape_status fetch(error *err, bench *b, const uint32_t *which, uint32_t count) {
    for (uint32_t a = 0; a < count; a++) TRY(row(err, b->j->p, which[a], b->other[a]));
    return GLSHAPE_OK;
}

/* Whether a point is to be compared with v. */
static bool asked(const knn_settling *s, const point *v, uint32_t with) {
    return s->label ? s->label[with] != s->label[v->index] : with != v->index;
}

/* Compares v with the rows that were fetched. */
static void compare(const bench *b, point *v, const uint32_t *with, uint32_t count) {
    double sum[AT_ONCE];
    if (b->j->p->metric == GLSHAPE_METRIC_MANHATTAN) add_up(b, v->row, false, sum);
    else add_up(b, v->row, true, sum);
    for (uint32_t a = 0; a < count; a++)
        if (asked(b->j->what, v, with[a])) insert(v, b->j->what->k, sum[a], with[a]);
}

static glshape_status compare_candidates(error *err, bench *b, point *v, const knn_candidate *c,
                                         uint32_t count) {
    uint32_t with[AT_ONCE];
    for (uint32_t at = 0, taken; at < count; at += taken) {
        for (taken = 0; taken < AT_ONCE && at + taken < count; taken++) with[taken] = c[at + taken].index;
        TRY(fetch(err, b, with, taken));
        compare(b, v, with, taken);
    }
    return GLSHAPE_OK;
}

static glshape_status compare_all(error *err, bench *b, point *const *open, uint32_t count) {
    uint32_t n = b->j->p->n, with[AT_ONCE];
    for (uint32_t v = 0; v < count; v++) open[v]->found = 0;
    for (uint32_t i = 0, taken; i < n; i += taken) {
        for (taken = 0; taken < AT_ONCE && i + taken < n; taken++) with[taken] = i + taken;
        TRY(fetch(err, b, with, taken));
        for (uint32_t v = 0; v < count; v++) compare(b, open[v], with, taken);
    }
    return GLSHAPE_OK;
}

/* Whether nobody who is no candidate of point i can be among the first k. */
static bool settled(const job *j, const point *v, const knn_candidate *c, uint32_t count) {
    const knn_points *p = j->p;
    if (count == p->n - 1 || count < j->what->keep) return true;
    if (!count) return false;
    float last;
    memcpy(&last, &c[count - 1].bits, sizeof last);
    if ((double)last < p->exact_below) return true;
    neighbor far = v->best[j->what->k - 1];
    bool squares = p->metric != GLSHAPE_METRIC_MANHATTAN;
    double columns = (double)p->m->cols, terms = columns + 4;
    /* Of equal points, and sums that vanish, the candidates are those of least index. */
    if (last == 0) return far.sum == 0;
    double least = last / (1 + 1.01 * terms * 0x1p-24) - columns * 0x1p-126;
    if (squares) least = least > 0 ? sqrt(least) : 0;
    least -= 1.01 * ((double)p->rounding[v->index] + p->most_rounding) +
             columns * 0x1p-125; /* flushed denormals */
    double most = (squares ? sqrt(far.sum) : far.sum) * (1 + terms * 0x1p-51);
    return most < least;
}

double knn_distance(const knn_points *p, double sum) {
    if (dist_metric_is_angular(p->metric)) return 0.5 * sum / (p->scale * p->scale);
    return (p->metric == GLSHAPE_METRIC_MANHATTAN ? sum : sqrt(sum)) / p->scale;
}

glshape_status knn_sum(error *err, const knn_points *p, uint32_t i, uint32_t j, double *rows, double *sum) {
    double *x = rows, *y = rows + p->m->cols;
    TRY(row(err, p, i, x));
    TRY(row(err, p, j, y));
    *sum = 0;
    for (size_t c = 0; c < p->m->cols; c++) {
        double d = x[c] - y[c];
        *sum += p->metric == GLSHAPE_METRIC_MANHATTAN ? fabs(d) : d * d;
    }
    return GLSHAPE_OK;
}

/* Settles v by its candidates, if they are enough. */
static glshape_status look_at(error *err, bench *b, point *v, bool *done) {
    const job *j = b->j;
    uint32_t count = j->what->keep;
    const knn_candidate *c = count ? j->what->candidates + (size_t)v->at * count : NULL;
    while (count && c[count - 1].index == KNN_NOTHING) count--;
    TRY(row(err, j->p, v->index, v->row));
    TRY(compare_candidates(err, b, v, c, count));
    *done = settled(j, v, c, count);
    return GLSHAPE_OK;
}

static glshape_status settle_points(error *err, bench *b, uint32_t from, uint32_t end) {
    const job *j = b->j;
    point *open[BLOCK];
    uint32_t unsettled = 0;
    for (uint32_t at = from; at < end; at++) {
        point *v = &b->points[at - from];
        bool done;
        v->at = at, v->index = point_of(j->what, at), v->found = 0;
        TRY(look_at(err, b, v, &done));
        j->scanned[at] = !done;
        if (!done) open[unsettled++] = v;
    }
    if (unsettled) TRY(compare_all(err, b, open, unsettled));
    for (size_t at = from, k = j->what->k; at < end; at++)
        for (size_t e = 0; e < k; e++) {
            j->index[at * k + e] = b->points[at - from].best[e].index;
            j->sum[at * k + e] = b->points[at - from].best[e].sum;
        }
    return GLSHAPE_OK;
}

static glshape_status settle_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    size_t columns = j->p->m->cols, count = j->what->count;
    double *rows = scratch;
    neighbor *best = (neighbor *)(rows + (j->block + AT_ONCE) * columns);
    bench b = {.j = j};
    for (uint32_t a = 0; a < AT_ONCE; a++, rows += columns) b.other[a] = rows;
    for (uint32_t v = 0; v < j->block; v++, rows += columns, best += j->what->k)
        b.points[v] = (point){.row = rows, .best = best};
    size_t from = block * j->block, end = from + j->block < count ? from + j->block : count;
    return settle_points(err, &b, (uint32_t)from, (uint32_t)end);
}

/* Points at a time, that rows be fetched once for all: few where there are few, or wide ones. */
static uint32_t block_of(const job *j) {
    size_t most = BLOCK_VALUES / j->p->m->cols, share = j->what->count / BLOCKS;
    size_t least = most < share ? most : share;
    return least < 1 ? 1 : least < BLOCK ? (uint32_t)least : BLOCK;
}

static glshape_status run(error *err, job *j) {
    j->block = block_of(j);
    threads_job work = {.work = settle_block,
                        .user = j,
                        .blocks = (j->what->count - 1) / j->block + 1,
                        .scratch_bytes = (j->block + AT_ONCE) * j->p->m->cols * sizeof(double) +
                                         j->block * j->what->k * sizeof(neighbor),
                        .name = "rows being compared"};
    return threads_do(err, &work);
}

glshape_status knn_settle(error *err, const knn_points *p, const knn_settling *what, uint32_t *index,
                          double *sum, size_t *scanned) {
    job j = {.p = p, .what = what, .index = index, .sum = sum};
    TRY(allocate(err, &j.scanned, what->count, 1, "flags of points"));
    glshape_status status = run(err, &j);
    for (uint32_t at = 0; at < what->count; at++) *scanned += j.scanned[at];
    free(j.scanned);
    return status;
}
