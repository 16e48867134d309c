/* The nearest neighbors, certified in double.
 *
 * Let T be the sum in float32 of a point's last candidate. The sum in float32 of every point that is no
 * candidate is at least T. It has D terms, each rounded three times (a p-th power at most 2p times), so in
 * exact arithmetic it is at least T / (1 + γ). The distance of such a point is therefore at least the root of
 * this (for Manhattan and Chebyshev, this itself), less what rounding has moved both points. If the k-th
 * candidate is nearer than that in double, with allowance for the rounding of double, the candidates are
 * certified: no other point can be among the k nearest. If T is below exact_below, sums in float32 are exact,
 * and the candidates are the first by (sum, index) themselves. T may be that of any candidate, if the ones
 * before it are all that are compared: so most candidates are not.
 *
 * Sums from products are |x|² - 2 x·y + |y|², where x and y are as they were uploaded. With u = 2^-24 and D
 * columns: x·y is off by (D + 1) u |x||y| at most, to first order (Higham, Accuracy and Stability of
 * Numerical Algorithms, section 3.1; a fused multiply-add rounds less); so twice that, by (D + 1) u M / 2
 * with M = (|x| + |y|)² ≥ 4 |x||y|. Each square of a length is off by u of itself, together u M at most; the
 * first difference is M at most and rounds by u M, the second by u M as well. In all that is (D / 2 + 3.5) u
 * M. (The 1.01 and the 5 below have the rest.) Let y be a point nearer than r. Then |y| < |x| + r, so M < (2
 * |x| + r)², and its sum in float32 is less than r² + (D / 2 + 5) u (2 |x| + r)². If that is less than T, the
 * candidates are certified: all nearer points are among them.
 *
 * With core distances, sums of candidates are mutual reachabilities: the greatest of a sum and of the core
 * distances of both ends. Core distances in float32 are rounded up (search.c), and the bound allows for that:
 * by the roundings of that, four at most, and by what is added lest a denormal vanishes. Nothing is less than
 * the query's own core distance. If the k-th candidate has that, the candidates are certified: equals of it
 * are equals in float32, too, and the first of them by index are candidates.
 *
 * Candidates cannot be certified where, for example, more points than there are candidates are equally far.
 * Such a point is compared with all others. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "neighbors/lists.h"

#define BLOCK 16u                      /* points of a block of work, at most */
#define BLOCKS 64u                     /* blocks, at least, if there are as many points */
#define BLOCK_VALUES ((size_t)1 << 17) /* values in the rows of a block, about, at most */
#define COMPARED 4096u                 /* points of a block whose candidates have been compared */
#define CHUNK ((size_t)1 << 18)        /* sums that a thread converts */
#define AT_ONCE 4u                     /* rows that a point is compared with at once */
#define STEP 16u                       /* columns that are squared at once */
#define LINE 64u                       /* bytes that are fetched into caches together, about … */
#define FETCHED 1024u   /* … and of a row ahead of its use, at most: what follows comes by itself */
#define RANGE_ROWS 512u /* of a range, at least */
#define FEW_RANGES 16u  /* about: few points are compared in so many ranges rather than apart */

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
    bool certified, ready; /* ready: row is filled */
} point;

/* What a thread works on. */
typedef struct bench {
    const job *j;
    point points[BLOCK];
    double *row;
    double *other; /* the rows that points are compared with, side by side: AT_ONCE values of each column */
} bench;

glshape_status knn_row(error *err, const void *points, uint32_t i, double *out) {
    const knn_points *p = points;
    size_t columns = p->m->cols;
    if (dist_metric_is_angular(p->metric)) TRY(dist_row(err, p->m, p->metric, i, out));
    else matrix_doubles(p->m, i * columns, columns, out); /* knn_points_new has checked them */
    for (size_t c = 0; c < columns; c++) out[c] *= p->scale;
    return GLSHAPE_OK;
}

static glshape_status read_from(error *err, const void *source, uint32_t i, double *out) {
    const index_source *s = source;
    return knn_row(err, s->user, s->from + i, out);
}

/* Whether no value of a matrix of doubles is denormal, nor becomes so when it is scaled. */
static bool stays_normal(const knn_points *p) {
    int least = p->lowest + (p->scale < 1 ? ilogb(p->scale) : 0);
    return least >= DBL_MIN_EXP - 1;
}

index_source knn_source(const knn_points *p, uint32_t first, uint32_t count) {
    index_source s = {.n = count,
                      .from = first,
                      .columns = (uint32_t)p->m->cols,
                      .norm = p->norm,
                      .reader = read_from,
                      .user = p};
    size_t at = first * p->m->cols;
    if (dist_metric_is_angular(p->metric)) return s;
    if (p->m->type == GLSHAPE_F32) s.floats = (const float *)p->m->data + at;
    if (p->m->type == GLSHAPE_F64 && stays_normal(p)) s.doubles = (const double *)p->m->data + at;
    if (s.floats || s.doubles) s.exponent = ilogb(p->scale);
    return s;
}

/* Sets sum[a] to the sum of x and row a of the others. Each is added column after column; AT_ONCE of them
 * side by side. */
static inline void add_up(const norm *n, const double *x, const double *other, size_t columns, uint32_t power,
                          double sum[AT_ONCE]) {
    double s[AT_ONCE] = {0};
    for (size_t c = 0; c < columns; c++, other += AT_ONCE)
        for (uint32_t a = 0; a < AT_ONCE; a++) s[a] = norm_add(n, power, s[a], x[c] - other[a]);
    memcpy(sum, s, sizeof s);
}

/* Of each type of values: sets out to the squares of the differences of STEP columns of x and of a matrix
 * from value `first` on, times scale. */
#define SQUARES(name, ctype, code)                                                                     \
    static void squares_##name(const void *data, size_t first, double scale, const double *restrict x, \
                               double *restrict out) {                                                 \
        const ctype *from = (const ctype *)data + first;                                               \
        for (uint32_t i = 0; i < STEP; i++)                                                            \
            out[i] = (x[i] - (double)from[i] * scale) * (x[i] - (double)from[i] * scale);              \
    }
GLSHAPE_TYPES(SQUARES)
#undef SQUARES
#define SQUARES(name, ctype, code) [name] = squares_##name,
static void (*const squares[])(const void *data, size_t first, double scale, const double *x,
                               double *out) = {GLSHAPE_TYPES(SQUARES)};
#undef SQUARES

/* The same as add_up, of squares, for rows of the matrix itself. */
static void add_up_squares(const knn_points *p, const double *x, const size_t first[AT_ONCE],
                           double sum[AT_ONCE]) {
    double square[AT_ONCE][STEP], y, s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t c = 0;
    for (; c + STEP <= p->m->cols; c += STEP) {
        for (uint32_t a = 0; a < AT_ONCE; a++)
            squares[p->m->type](p->m->data, first[a] + c, p->scale, x + c, square[a]);
        for (uint32_t i = 0; i < STEP; i++)
            s0 += square[0][i], s1 += square[1][i], s2 += square[2][i], s3 += square[3][i];
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
    for (; c < p->m->cols; c++)
        for (uint32_t a = 0; a < AT_ONCE; a++) {
            matrix_doubles(p->m, first[a] + c, 1, &y);
            sum[a] += (x[c] - y * p->scale) * (x[c] - y * p->scale);
        }
}

/* Inserts a neighbor into v->best, which has the first k by (sum, index) in order. */
static void insert(point *v, uint32_t k, double sum, uint32_t index) {
    uint32_t at = v->found < k ? v->found++ : k;
    for (; at && (sum < v->best[at - 1].sum || (sum == v->best[at - 1].sum && index < v->best[at - 1].index));
         at--)
        if (at < k) v->best[at] = v->best[at - 1];
    if (at < k) v->best[at] = (neighbor){sum, index};
}

/* Puts the rows `with`, AT_ONCE at most, side by side. */
static glshape_status set_others(error *err, bench *b, const uint32_t *with, uint32_t rows) {
    size_t columns = b->j->p->m->cols;
    for (uint32_t a = 0; a < rows; a++) {
        TRY(knn_row(err, b->j->p, with[a], b->row));
        for (size_t c = 0; c < columns; c++) b->other[c * AT_ONCE + a] = b->row[c];
    }
    return GLSHAPE_OK;
}

/* Whether the row at `with` may be a neighbor of v. */
static bool is_wanted(const job *j, const point *v, uint32_t with) {
    const uint32_t *label = j->task->label;
    return label ? label[with] != label[v->index] : with != v->index;
}

/* Inserts the rows `with`, whose sums are known. */
static void insert_rows(const job *j, point *v, const uint32_t *with, uint32_t rows, const double *sum) {
    const knn_task *task = j->task;
    for (uint32_t a = 0; a < rows; a++)
        if (is_wanted(j, v, with[a]))
            insert(v, task->k, index_reach(task->cores, v->index, with[a], sum[a]), with[a]);
}

/* Compares points with the rows `with`, AT_ONCE at most. */
static glshape_status compare(error *err, bench *b, point *points, uint32_t count, const uint32_t *with,
                              uint32_t rows) {
    const norm *n = &b->j->p->norm;
    TRY(set_others(err, b, with, rows));
    for (point *v = points; v < points + count; v++) {
        double sum[AT_ONCE];
        size_t columns = b->j->p->m->cols;
        if (n->power == 2) add_up(n, v->row, b->other, columns, 2, sum);
        else add_up(n, v->row, b->other, columns, n->power, sum);
        insert_rows(b->j, v, with, rows, sum);
    }
    return GLSHAPE_OK;
}

/* Whether rows are compared as they are in the matrix. */
static bool is_direct(const knn_points *p) {
    return p->norm.power == 2 && !dist_metric_is_angular(p->metric);
}

/* Compares one point with rows. */
static glshape_status compare_one(error *err, bench *b, point *v, const uint32_t *with, uint32_t rows) {
    const knn_points *p = b->j->p;
    double sum[AT_ONCE];
    size_t first[AT_ONCE];
    if (!v->ready) TRY(knn_row(err, p, v->index, v->row));
    v->ready = true;
    if (!is_direct(p)) return compare(err, b, v, 1, with, rows);
    for (uint32_t a = 0; a < AT_ONCE; a++) first[a] = with[a < rows ? a : 0] * p->m->cols;
    add_up_squares(p, v->row, first, sum);
    insert_rows(b->j, v, with, rows, sum);
    return GLSHAPE_OK;
}

/* Has the rows of up to AT_ONCE candidates fetched into caches, which takes longer than to compare them. */
static void fetch_rows(const knn_points *p, const knn_candidate *c, uint32_t count) {
    size_t row = p->m->cols * matrix_value_size(p->m->type), bytes = row < FETCHED ? row : FETCHED;
    for (uint32_t a = 0; a < count && a < AT_ONCE; a++)
        for (size_t at = 0; at < bytes; at += LINE)
            __builtin_prefetch((const char *)p->m->data + c[a].index * row + at);
}

double knn_terms(const knn_points *p) {
    bool powers = p->norm.power > 2 && norm_is_whole(&p->norm);
    return (double)p->m->cols + 4 + (powers ? 2 * p->norm.p : 0);
}

/* By how much a sum from products is off, at most, for points of which one has this length and the other is
 * nearer than r. */
static double product_error(const knn_points *p, double length, double r) {
    double columns = (double)p->m->cols, reach = 2 * length + r;
    return 1.01 * (columns / 2 + 5) * 0x1p-24 * reach * reach + columns * 0x1p-123;
}

/* Whether all sums of point i up to `last` are exact, and those of no other point are less. From products
 * they are where both lengths, squared, are below exact_below: so if no point nearer than r is longer, and
 * from r on all sums are more than last. */
static bool is_exact(const job *j, uint32_t i, float last) {
    const knn_points *p = j->p;
    if (!((double)last < p->exact_below)) return false;
    if (!j->task->products || p->exact_products) return true;
    double length = p->length[i], r = sqrt(last), columns = (double)p->m->cols;
    r = sqrt(last + 2 * product_error(p, length, r));
    bool beyond =
        r * r - product_error(p, length, r) > last && r > columns * 0x1p-20 * length; /* and rises */
    return beyond && (length + r) * (length + r) * (1 + 0x1p-40) < p->exact_below;
}

/* Whether this sum of point i and a candidate is exact. */
static bool is_sum_exact(const job *j, uint32_t i, uint32_t candidate, float sum) {
    const knn_points *p = j->p;
    if (j->task->cores || !((double)sum < p->exact_below)) return false;
    if (!j->task->products || p->exact_products) return true;
    double x = p->length[i], y = p->length[candidate];
    return x * x < p->exact_below && y * y < p->exact_below;
}

/* If the sums of the count candidates c of v are exact in float32, takes them as they are and returns true.
 */
static bool take_exact(const job *j, point *v, const knn_candidate *c, uint32_t count) {
    float sum;
    if (!count || j->task->cores) return false;
    memcpy(&sum, &c[count - 1].bits, sizeof sum);
    if (!is_exact(j, v->index, sum)) return false;
    for (uint32_t at = 0; at < count && at < j->task->k; at++) {
        memcpy(&sum, &c[at].bits, sizeof sum);
        v->best[v->found++] = (neighbor){(double)sum, c[at].index};
    }
    return true;
}

/* What rounding has moved point i and another, at most. */
static double moved(const job *j, uint32_t i) {
    const knn_points *p = j->p;
    double own = j->task->cores ? p->most_rounding : (double)p->rounding[i];
    return 1.01 * (own + p->most_rounding) + (double)p->m->cols * 0x1p-125; /* denormals that were flushed */
}

/* Returns true if each point whose sum of point i in float32 is `last` or more is farther than `far`, a sum
 * in double. */
static bool is_beyond(const job *j, uint32_t i, float last, double far) {
    const knn_points *p = j->p;
    double columns = (double)p->m->cols, terms = knn_terms(p);
    double most = norm_root(&p->norm, far + columns * 0x1p-1021) * (1 + terms * 0x1p-51);
    if (j->task->products) {
        double r = most + moved(j, i);
        return r * r * (1 + 0x1p-50) + product_error(p, p->length[i], r) < last;
    }
    bool cores = j->task->cores;
    double tiny = columns * (cores ? 0x1p-124 : 0x1p-126);
    double least = last / (1 + 1.01 * (terms + (cores ? 4 : 0)) * 0x1p-24) - tiny;
    least = least > 0 ? norm_root(&p->norm, least) * (1 - 0x1p-50) : 0;
    return most < least - moved(j, i);
}

/* Returns true if a point that is no candidate of point i, and whose sum in float32 is therefore `last` or
 * more, cannot be among the k nearest. far: the sum of the k-th of the candidates. */
static bool is_certified(const job *j, uint32_t i, float last, double far) {
    const knn_points *p = j->p;
    const index_cores *cores = j->task->cores;
    if (is_exact(j, i, last) && (!cores || cores->alpha == 1)) return true;
    if (cores && far == cores->core[i]) return true;
    if (cores) far *= cores->alpha;
    /* All candidates coincide with i in float32, unless powers have vanished: they are those of least index.
     */
    if (last == 0 && !j->task->products) return far == 0 && p->norm.power <= 2;
    return is_beyond(j, i, last, far);
}

/* Inserts up to AT_ONCE candidates c. Sums that are exact in float32 are taken as they are. */
static glshape_status insert_candidates(error *err, bench *b, point *v, const knn_candidate *c,
                                        uint32_t count) {
    uint32_t with[AT_ONCE], rows = 0;
    for (uint32_t a = 0; a < count && a < AT_ONCE; a++) {
        float sum;
        memcpy(&sum, &c[a].bits, sizeof sum);
        if (is_sum_exact(b->j, v->index, c[a].index, sum))
            insert_rows(b->j, v, &c[a].index, 1, &(double){(double)sum});
        else with[rows++] = c[a].index;
    }
    return rows ? compare_one(err, b, v, with, rows) : GLSHAPE_OK;
}

/* Compares v with its candidates, until the others are known to be farther than the k nearest. */
static glshape_status compare_candidates(error *err, bench *b, point *v, const knn_candidate *c,
                                         uint32_t count) {
    const job *j = b->j;
    uint32_t k = j->task->k;
    for (uint32_t at = 0; at < count; at += AT_ONCE) {
        float sum;
        memcpy(&sum, &c[at].bits, sizeof sum);
        v->certified = at >= k && !j->task->cores && is_beyond(j, v->index, sum, v->best[k - 1].sum);
        if (v->certified) return GLSHAPE_OK;
        if (is_direct(j->p) && at + AT_ONCE < count) fetch_rows(j->p, c + at + AT_ONCE, count - at - AT_ONCE);
        TRY(insert_candidates(err, b, v, c + at, count - at));
    }
    float last;
    memcpy(&last, &c[count - 1].bits, sizeof last);
    v->certified =
        count == j->p->n - 1 || count < j->task->keep || is_certified(j, v->index, last, v->best[k - 1].sum);
    return GLSHAPE_OK;
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

static void store(const job *j, const point *v, uint32_t at) {
    for (size_t e = 0, k = j->task->k; e < k && e < v->found; e++) {
        j->index[at * k + e] = v->best[e].index;
        j->sum[at * k + e] = v->best[e].sum;
    }
}

static uint32_t point_at(const job *j, uint32_t at) {
    return j->task->queries ? j->task->queries[at].point : j->task->first + at;
}

/* A thread's bench, in its scratch, with room for j->block points. */
static bench bench_of(const job *j, void *scratch) {
    size_t columns = j->p->m->cols;
    bench b = {.j = j, .row = scratch};
    b.other = b.row + columns;
    double *rows = b.other + AT_ONCE * columns;
    neighbor *best = (neighbor *)(rows + j->block * columns);
    memset(b.other, 0, AT_ONCE * columns * sizeof *b.other);
    for (uint32_t v = 0; v < j->block; v++, rows += columns, best += j->task->k)
        b.points[v] = (point){.row = rows, .best = best};
    return b;
}

static size_t bench_bytes(const job *j) {
    return (j->block + AT_ONCE + 1) * j->p->m->cols * sizeof(double) +
           j->block * j->task->k * sizeof(neighbor);
}

/* Certifies a block of the points of the task. */
static glshape_status certify_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    const knn_task *task = j->task;
    bench b = bench_of(j, scratch);
    point *v = b.points;
    for (uint32_t at = (uint32_t)block * j->block; at < task->count && at / j->block == block; at++) {
        uint32_t count = task->keep;
        const knn_candidate *c = count ? task->candidates + (size_t)at * count : NULL;
        while (count && c[count - 1].index == KNN_NOTHING) count--;
        v->index = point_at(j, at);
        v->found = 0;
        v->ready = false;
        v->certified = take_exact(j, v, c, count);
        if (!v->certified && count) TRY(compare_candidates(err, &b, v, c, count));
        j->scanned[at] = !v->certified;
        if (v->certified) store(j, v, at);
    }
    return GLSHAPE_OK;
}

/* Certifies a block of points whose candidates have been compared. */
static glshape_status certify_compared(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    const knn_task *task = j->task;
    (void)err, (void)scratch;
    for (uint32_t at = (uint32_t)block * j->block; at < task->count && at / j->block == block; at++) {
        size_t last = (size_t)at * task->k + task->k - 1;
        float beyond = task->beyond[at];
        bool all = task->keep == j->p->n - 1 || beyond == INFINITY;
        j->scanned[at] = j->index[last] == KNN_NOTHING ||
                         (!all && !is_certified(j, point_at(j, at), beyond, j->sum[last]));
    }
    return GLSHAPE_OK;
}

/* ---- comparing with all ------------------------------------------------------------------------ */

/* Points that are compared with all: in blocks, each of which goes through a range of the rows at a time.
 * What the ranges of a block find is merged. */
typedef struct scan {
    job *j;
    uint32_t *at; /* which of the task */
    uint32_t count, ranges;
    neighbor *best; /* of each block, range and point k */
    uint32_t *found;
} scan;

static void scan_free(scan *s) {
    free(s->at);
    free(s->best);
    free(s->found);
}

static glshape_status scan_range(error *err, void *user, uint64_t unit, void *scratch) {
    const scan *s = user;
    const job *j = s->j;
    bench b = bench_of(j, scratch);
    uint32_t n = j->p->n, block = (uint32_t)(unit / s->ranges), range = (uint32_t)(unit % s->ranges),
             with[AT_ONCE];
    uint32_t first = block * j->block, count = s->count - first < j->block ? s->count - first : j->block;
    uint32_t from = (uint32_t)((uint64_t)n * range / s->ranges);
    uint32_t end = (uint32_t)((uint64_t)n * (range + 1) / s->ranges);
    for (uint32_t v = 0; v < count; v++) {
        b.points[v].index = point_at(j, s->at[first + v]);
        if (s->best) b.points[v].best = s->best + (unit * j->block + v) * j->task->k;
        TRY(knn_row(err, j->p, b.points[v].index, b.points[v].row));
    }
    for (uint32_t i = from, taken; i < end; i += taken) {
        for (taken = 0; taken < AT_ONCE && i + taken < end; taken++) with[taken] = i + taken;
        TRY(compare(err, &b, b.points, count, with, taken));
    }
    for (uint32_t v = 0; v < count; v++) {
        if (s->best) s->found[unit * j->block + v] = b.points[v].found;
        else store(j, &b.points[v], s->at[first + v]);
    }
    return GLSHAPE_OK;
}

/* Merges what the ranges have found for point e of the scan. */
static void merge_ranges(const scan *s, uint32_t e, neighbor *best) {
    const job *j = s->j;
    point v = {.best = best};
    for (uint32_t range = 0; range < s->ranges; range++) {
        size_t slot = ((size_t)(e / j->block) * s->ranges + range) * j->block + e % j->block;
        const neighbor *part = s->best + slot * j->task->k;
        for (uint32_t a = 0; a < s->found[slot]; a++) insert(&v, j->task->k, part[a].sum, part[a].index);
    }
    store(j, &v, s->at[e]);
}

/* Compares those that are flagged in j->scanned with all. */
static glshape_status compare_with_all(error *err, job *j, uint32_t count) {
    OWNED_BY(scan_free) scan s = {.j = j};
    OWNED neighbor *best = NULL;
    TRY(allocate(err, &s.at, count, sizeof *s.at, "points to compare"));
    for (uint32_t at = 0; at < j->task->count; at++)
        if (j->scanned[at]) s.at[s.count++] = at;
    uint32_t blocks = (count - 1) / j->block + 1, most = (j->p->n - 1) / RANGE_ROWS + 1;
    s.ranges = BLOCKS / blocks < 1 ? 1 : BLOCKS / blocks < most ? BLOCKS / blocks : most;
    if (s.ranges > 1) {
        size_t slots = times(times(blocks, s.ranges), j->block);
        TRY(allocate(err, &s.best, times(slots, j->task->k), sizeof *s.best, "neighbors"));
        TRY(allocate(err, &s.found, slots, sizeof *s.found, "neighbors"));
        TRY(allocate(err, &best, j->task->k, sizeof *best, "neighbors"));
    }
    threads_job work = {.work = scan_range,
                        .user = &s,
                        .blocks = (uint64_t)blocks * s.ranges,
                        .scratch_bytes = bench_bytes(j),
                        .name = "rows being compared"};
    TRY(threads_do(err, &work));
    for (uint32_t e = 0; s.ranges > 1 && e < s.count; e++) merge_ranges(&s, e, best);
    return GLSHAPE_OK;
}

/* How many of so many points make a block of work. More of them share a row that is fetched; but the threads
 * need blocks, and wide rows memory. */
static uint32_t block_of(const job *j, uint32_t points) {
    size_t most = BLOCK_VALUES / j->p->m->cols, share = points / BLOCKS;
    size_t least = most < share ? most : share;
    return least < 1 ? 1 : least < BLOCK ? (uint32_t)least : BLOCK;
}

glshape_status knn_certify(error *err, const knn_points *p, const knn_task *task, uint32_t *index,
                           double *sum, size_t *scanned) {
    OWNED uint8_t *flags = NULL;
    uint32_t left = 0;
    TRY(allocate(err, &flags, task->count, 1, "flags of points"));
    job j = {.p = p, .task = task, .index = index, .sum = sum, .scanned = task->open ? task->open : flags};
    j.block = task->beyond ? COMPARED : block_of(&j, task->count);
    threads_job work = {.work = task->beyond ? certify_compared : certify_block,
                        .user = &j,
                        .blocks = (task->count - 1) / j.block + 1,
                        .scratch_bytes = task->beyond ? 0 : bench_bytes(&j),
                        .name = "rows being compared"};
    TRY(threads_do(err, &work));
    for (uint32_t at = 0; at < task->count; at++) left += j.scanned[at];
    *scanned += left;
    if (!left || task->open) return GLSHAPE_OK;
    j.block = block_of(&j, left < UINT32_MAX / FEW_RANGES ? left * FEW_RANGES : left);
    return compare_with_all(err, &j, left);
}
