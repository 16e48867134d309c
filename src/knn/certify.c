/* The nearest neighbors, certified in double.
 *
 * Let T be the sum in float32 of a point's last candidate. The sum in float32 of every point that is no
 * candidate is at least T. It has D terms, each rounded three times (a p-th power at most 2p times), so in
 * exact arithmetic it is at least T / (1 + γ). The distance of such a point is therefore at least the root of
 * this (for Manhattan and Chebyshev, this itself), less what rounding has moved both points. If the k-th
 * candidate is nearer than that in double, with allowance for the rounding of double, the candidates are
 * certified: no other point can be among the k nearest. If T is below exact_below, sums in float32 are exact,
 * and the candidates are the first by (sum, index) themselves.
 *
 * With core distances, sums of candidates are mutual reachabilities: the greatest of a sum and of the core
 * distances of both ends. Core distances in float32 are rounded up (search.c), and the bound allows for that:
 * by the roundings of that, four at most, and by what is added lest a denormal vanishes. Nothing is less than
 * the query's own core distance. If the k-th candidate has that, the candidates are certified: equals of it
 * are equals in float32, too, and the first of them by index are candidates.
 *
 * Candidates cannot be certified where, for example, more points than there are candidates are equally far.
 * Such a point is compared with all others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "knn/knn.h"

#define BLOCK 16u                      /* points of a block of work, at most */
#define BLOCKS 64u                     /* blocks, at least, if there are as many points */
#define BLOCK_VALUES ((size_t)1 << 17) /* values in the rows of a block, about, at most */
#define CHUNK ((size_t)1 << 18)        /* sums that a thread converts */
#define AT_ONCE 4u                     /* rows that a point is compared with at once */

typedef struct job {
    const knn_points *p;
    const knn_task *task;
    uint32_t *index;
    double *sum;
    uint8_t *scanned; /* of each point: it was compared with all */
    uint32_t block;   /* points of a block of work */
} job;

/* A neighbor: its sum in double. */
typedef struct neighbor {
    double sum;
    uint32_t index;
} neighbor;

/* A point of the task: its row, and the nearest found so far, k at most. */
typedef struct point {
    uint32_t index;
    double *row;
    neighbor *best;
    uint32_t found;
} point;

/* What a thread works on. */
typedef struct bench {
    const job *j;
    point points[BLOCK];
    double *other[AT_ONCE]; /* the rows that points are compared with */
} bench;

glshape_status knn_row(error *err, const void *points, uint32_t i, double *out) {
    const knn_points *p = points;
    TRY(dist_row(err, p->m, p->metric, i, out));
    for (size_t c = 0; c < p->m->cols; c++) out[c] *= p->scale;
    return GLSHAPE_OK;
}

/* Sets sum[a] to the sum of x and other[a]. Each is added column after column; AT_ONCE of them side by side.
 */
static inline void add_up(const bench *b, const double *x, uint32_t power, double sum[AT_ONCE]) {
    double s[AT_ONCE] = {0};
    for (size_t c = 0, columns = b->j->p->m->cols; c < columns; c++)
        for (uint32_t a = 0; a < AT_ONCE; a++) {
            s[a] = norm_add(&b->j->p->norm, power, s[a], x[c] - b->other[a][c]);
        }
    memcpy(sum, s, sizeof s);
}

/* Inserts a neighbor into v->best, which has the first k by (sum, index) in order. */
static void insert(point *v, uint32_t k, double sum, uint32_t index) {
    uint32_t at = v->found < k ? v->found++ : k;
    for (; at && (sum < v->best[at - 1].sum || (sum == v->best[at - 1].sum && index < v->best[at - 1].index));
         at--)
        if (at < k) v->best[at] = v->best[at - 1];
    if (at < k) v->best[at] = (neighbor){sum, index};
}

/* Compares points with the rows `with`, AT_ONCE at most. */
static glshape_status compare(error *err, bench *b, point *const *points, uint32_t count,
                              const uint32_t *with, uint32_t rows) {
    const knn_task *task = b->j->task;
    for (uint32_t a = 0; a < rows; a++) TRY(knn_row(err, b->j->p, with[a], b->other[a]));
    for (point *const *at = points; at < points + count; at++) {
        point *v = *at;
        double sum[AT_ONCE];
        uint32_t power = b->j->p->norm.power;
        if (power == 2) add_up(b, v->row, 2, sum);
        else add_up(b, v->row, power, sum);
        for (uint32_t a = 0; a < rows; a++) {
            bool wanted = task->label ? task->label[with[a]] != task->label[v->index] : with[a] != v->index;
            if (wanted) insert(v, task->k, index_reach(task->cores, v->index, with[a], sum[a]), with[a]);
        }
    }
    return GLSHAPE_OK;
}

static glshape_status compare_candidates(error *err, bench *b, point *v, const knn_candidate *c,
                                         uint32_t count) {
    uint32_t with[AT_ONCE];
    for (uint32_t at = 0, taken; at < count; at += taken) {
        for (taken = 0; taken < AT_ONCE && at + taken < count; taken++) with[taken] = c[at + taken].index;
        TRY(compare(err, b, &v, 1, with, taken));
    }
    return GLSHAPE_OK;
}

static glshape_status compare_all(error *err, bench *b, point *const *open, uint32_t count) {
    uint32_t n = b->j->p->n, with[AT_ONCE];
    for (uint32_t v = 0; v < count; v++) open[v]->found = 0;
    for (uint32_t i = 0, taken; i < n; i += taken) {
        for (taken = 0; taken < AT_ONCE && i + taken < n; taken++) with[taken] = i + taken;
        TRY(compare(err, b, open, count, with, taken));
    }
    return GLSHAPE_OK;
}

/* If the sums of the count candidates c of v are exact in float32, takes them as they are and returns true.
 */
static bool take_exact(const job *j, point *v, const knn_candidate *c, uint32_t count) {
    float sum;
    if (!count || j->task->cores) return false;
    memcpy(&sum, &c[count - 1].bits, sizeof sum);
    if (!((double)sum < j->p->exact_below)) return false;
    for (uint32_t at = 0; at < count && at < j->task->k; at++) {
        memcpy(&sum, &c[at].bits, sizeof sum);
        v->best[v->found++] = (neighbor){(double)sum, c[at].index};
    }
    return true;
}

double knn_terms(const knn_points *p) {
    bool powers = p->norm.power > 2 && norm_is_whole(&p->norm);
    return (double)p->m->cols + 4 + (powers ? 2 * p->norm.p : 0);
}

/* Returns true if no point outside the count candidates c of v can be among the k nearest of v. */
static bool is_certified(const job *j, const point *v, const knn_candidate *c, uint32_t count) {
    const knn_points *p = j->p;
    if (count == p->n - 1 || count < j->task->keep) return true;
    if (!count) return false;
    float last;
    memcpy(&last, &c[count - 1].bits, sizeof last);
    const index_cores *cores = j->task->cores;
    if ((double)last < p->exact_below && (!cores || cores->alpha == 1)) return true;
    neighbor far = v->best[j->task->k - 1];
    if (cores && far.sum == cores->core[v->index]) return true;
    if (cores) far.sum *= cores->alpha;
    double columns = (double)p->m->cols, terms = knn_terms(p);
    /* All candidates coincide with v in float32, unless powers have vanished: they are those of least index.
     */
    if (last == 0) return far.sum == 0 && p->norm.power <= 2;
    double tiny = columns * (cores ? 0x1p-124 : 0x1p-126);
    double least = last / (1 + 1.01 * (terms + (cores ? 4 : 0)) * 0x1p-24) - tiny;
    least = least > 0 ? norm_root(&p->norm, least) * (1 - 0x1p-50) : 0;
    least -= 1.01 * ((cores ? p->most_rounding : (double)p->rounding[v->index]) + p->most_rounding) +
             columns * 0x1p-125; /* denormals that were flushed */
    double most = norm_root(&p->norm, far.sum + columns * 0x1p-1021) * (1 + terms * 0x1p-51);
    return most < least;
}

double knn_distance(const knn_points *p, double sum) {
    if (dist_metric_is_angular(p->metric)) return 0.5 * sum / (p->scale * p->scale);
    return norm_root(&p->norm, sum) / p->scale;
}

static double distance_of(const void *points, double sum) { return knn_distance(points, sum); }

double knn_sum_within(const knn_points *p, double distance) {
    return norm_sum_within(distance_of, p, distance);
}

typedef struct conversion {
    const knn_points *p;
    double *sum;
    size_t count;
} conversion;

static void convert_chunk(void *user, size_t chunk) {
    const conversion *c = user;
    for (size_t e = chunk * CHUNK; e < c->count && e / CHUNK == chunk; e++)
        c->sum[e] = isfinite(c->sum[e]) ? knn_distance(c->p, c->sum[e]) : c->sum[e];
}

void knn_distances(const knn_points *p, double *sum, size_t count) {
    threads_run(0, count / CHUNK + 1, convert_chunk, &(conversion){p, sum, count});
}

glshape_status knn_sum(error *err, const knn_points *p, uint32_t i, uint32_t j, double *rows, double *sum) {
    double *x = rows, *y = rows + p->m->cols;
    TRY(knn_row(err, p, i, x));
    TRY(knn_row(err, p, j, y));
    *sum = norm_sum(&p->norm, x, y, p->m->cols);
    return GLSHAPE_OK;
}

/* Certifies the points from … end - 1 of the task, and compares with all those that are not certified. */
static glshape_status certify_points(error *err, bench *b, uint32_t from, uint32_t end) {
    const job *j = b->j;
    const knn_task *task = j->task;
    point *open[BLOCK];
    uint32_t left = 0;
    for (uint32_t at = from; at < end; at++) {
        point *v = &b->points[at - from];
        uint32_t count = task->keep;
        const knn_candidate *c = count ? task->candidates + (size_t)at * count : NULL;
        while (count && c[count - 1].index == KNN_NOTHING) count--;
        v->index = task->queries ? task->queries[at].point : task->first + at;
        v->found = 0;
        if (take_exact(j, v, c, count)) continue;
        TRY(knn_row(err, j->p, v->index, v->row));
        TRY(compare_candidates(err, b, v, c, count));
        j->scanned[at] = !is_certified(j, v, c, count);
        if (j->scanned[at]) open[left++] = v;
    }
    if (left) TRY(compare_all(err, b, open, left));
    for (size_t at = from, k = task->k; at < end; at++)
        for (size_t e = 0; e < k; e++) {
            j->index[at * k + e] = b->points[at - from].best[e].index;
            j->sum[at * k + e] = b->points[at - from].best[e].sum;
        }
    return GLSHAPE_OK;
}

static glshape_status certify_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    size_t columns = j->p->m->cols, count = j->task->count;
    double *rows = scratch;
    neighbor *best = (neighbor *)(rows + (j->block + AT_ONCE) * columns);
    bench b = {.j = j};
    for (uint32_t a = 0; a < AT_ONCE; a++, rows += columns) b.other[a] = rows;
    for (uint32_t v = 0; v < j->block; v++, rows += columns, best += j->task->k)
        b.points[v] = (point){.row = rows, .best = best};
    size_t from = block * j->block, end = from + j->block < count ? from + j->block : count;
    return certify_points(err, &b, (uint32_t)from, (uint32_t)end);
}

/* How many points make a block of work. More of them share a row that is fetched; but the threads need
 * blocks, and wide rows memory. */
static uint32_t block_of(const job *j) {
    size_t most = BLOCK_VALUES / j->p->m->cols, share = j->task->count / BLOCKS;
    size_t least = most < share ? most : share;
    return least < 1 ? 1 : least < BLOCK ? (uint32_t)least : BLOCK;
}

glshape_status knn_certify(error *err, const knn_points *p, const knn_task *task, uint32_t *index,
                           double *sum, size_t *scanned) {
    OWNED uint8_t *flags = NULL;
    TRY(allocate(err, &flags, task->count, 1, "flags of points"));
    job j = {.p = p, .task = task, .index = index, .sum = sum, .scanned = flags};
    j.block = block_of(&j);
    threads_job work = {.work = certify_block,
                        .user = &j,
                        .blocks = (task->count - 1) / j.block + 1,
                        .scratch_bytes = (j.block + AT_ONCE) * p->m->cols * sizeof(double) +
                                         j.block * task->k * sizeof(neighbor),
                        .name = "rows being compared"};
    TRY(threads_do(err, &work));
    for (uint32_t at = 0; at < task->count; at++) *scanned += flags[at];
    return GLSHAPE_OK;
}
