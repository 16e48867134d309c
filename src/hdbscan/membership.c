/* glshape_hdbscan_membership: how much points belong to each cluster.
 *
 * The rows are worked on in the order of the clusters of the condensed tree that they leave. The heights at
 * which other clusters join that one do not depend on the row, and are found once. The
 * exemplars stand LANES at a time, column after column, so that a processor adds several sums at once.
 *
 * A block of rows looks only at some exemplars of a cluster. With the rows within `radius` of a center,
 * exemplar e is nearest to none of them if another one, f, is nearer to the center by more than the
 * block is wide in the direction from e to f: the difference of the squared distances to e and f is linear in
 * the row, and falls by at most 2 · radius · |e - f| on the way from the center. */
#include <math.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "base/trees.h"
#include "dist/narrow.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "hdbscan/hdbscan.h"
#include "hdbscan/membership.h"
#include "place/place.h"

#define BLOCK 256u         /* rows that a thread takes at a time, at most … */
#define LEAST_BLOCK 32u    /* … and at least, where … */
#define NUMBERS (1u << 18) /* … their distances, or their columns, are more numbers than this */
#define LANES 8u
#define TOGETHER 4u /* rows that are compared at a time: exemplars are loaded once for all of them */
/* Of TOGETHER rows, one behind the other, the least sum with so many groups of LANES exemplars. */
typedef void (*least_function)(const double *rows, const double *exemplar, size_t groups, size_t columns,
                               double least[TOGETHER]);
/* A sum below this may have lost digits: norm_distance has them. */
#define TINY 0x1p-960

/* Heights of clusters that have no height of their own beside a cluster: it is that cluster or around it, or
 * inside it. A row's own lambda stands for both. */
#define AROUND (-1)
#define INSIDE (-2)

typedef struct job {
    const glshape_source *source;
    const glshape_hdbscan_result *r;
    const glshape_matrix *rows; /* those whose memberships are wanted */
    bool is_new;                /* they are not the points */
    dist_narrowed
        narrowed; /* of both, in the precision in which they are compared; source and rows then point here */
    glshape_source narrow;
    size_t columns, clusters, top;
    norm norm;
    double scale;
    double *exemplar; /* by cluster, LANES of them at a time; the last ones of a cluster are repeated */
    size_t *start;    /* clusters + 1: of each its first LANES exemplars */
    uint32_t *place;  /* of each cluster: its entry of r->tree */
    uint32_t *leaf;   /* of each row: the entry of r->tree that it, or the point that it joins, leaves … */
    double *lambda;   /* … and where */
    uint32_t *order;  /* the rows, by leaf */
    size_t blocks, *begin; /* blocks + 1: where blocks of rows begin in that order */
    double *flat, *center; /* by passes: exemplars, a row each; the middle of what they are within */
    double reach;          /* how far rows are from it, in any column */
    bool *again;           /* by passes: in that order, rows that are left to threads */
    membership_exemplars given;
    membership_passes passes;
    size_t batch; /* its first block */
    least_function least;
    size_t block, most; /* rows of a block; groups of LANES exemplars of a cluster, at most */
    glshape_membership *out;
} job;

static void job_free(job *j) {
    dist_narrowed_free(&j->narrowed);
    free(j->exemplar);
    free(j->start);
    free(j->place);
    free(j->leaf);
    free(j->lambda);
    free(j->order);
    free(j->begin);
    free(j->flat);
    free(j->center);
    free(j->again);
    membership_passes_free(&j->passes);
}

/* A thread's own memory. */
typedef struct bench {
    double *rows, *work;     /* those of a block, and TOGETHER - 1 more; two rows more */
    double *joined;          /* of each entry of r->tree: the height at which it joins the leaf */
    double *height, *weight; /* of each cluster, of the leaf */
    double *distances;       /* of each cluster, of the rows of a block */
    const double *distance;  /* those of the row at hand */
    double *strength;        /* of each cluster, of that row */
    double *sum, *apart; /* of the exemplars of one cluster: from the center, from the nearest of them; … */
    double *few;         /* … those that are looked at */
    double highest;      /* of the leaf: the greatest height, and of which entry; … */
    size_t at, own;      /* … and the first entry that is around or inside it; NO_ENTRY: none is */
} bench;
#define NO_ENTRY SIZE_MAX

static size_t bench_values(const job *j) {
    return (j->block + TOGETHER + 1) * j->columns + j->r->tree_clusters +
           (3 + j->block + TOGETHER) * j->clusters + j->most * LANES * (j->columns + 2);
}

static bench bench_at(const job *j, double *memory) {
    bench b = {.rows = memory};
    b.work = b.rows + (j->block + TOGETHER - 1) * j->columns;
    b.joined = b.work + 2 * j->columns;
    b.height = b.joined + j->r->tree_clusters;
    b.weight = b.height + j->clusters;
    b.strength = b.weight + j->clusters;
    b.distances = b.strength + j->clusters;
    b.sum = b.distances + (j->block + TOGETHER) * j->clusters;
    b.apart = b.sum + j->most * LANES;
    b.few = b.apart + j->most * LANES;
    return b;
}

/* ---- exemplars --------------------------------------------------------------------------------- */

static glshape_status read_row(error *err, const job *j, const glshape_matrix *m, size_t i, double *out) {
    TRY(dist_row(err, m, j->source->metric, i, out));
    for (size_t c = 0; c < j->columns; c++) out[c] *= j->scale;
    return GLSHAPE_OK;
}

static glshape_status place_exemplars(error *err, job *j, size_t cluster, double *row) {
    const glshape_hdbscan_result *r = j->r;
    size_t first = r->exemplar_start[cluster], count = r->exemplar_start[cluster + 1] - first;
    for (size_t e = 0; e < (j->start[cluster + 1] - j->start[cluster]) * LANES; e++) {
        double *to = j->exemplar + (j->start[cluster] + e / LANES) * LANES * j->columns + e % LANES;
        TRY(read_row(err, j, j->source->points, r->exemplars[first + (e < count ? e : count - 1)], row));
        for (size_t c = 0; c < j->columns; c++) to[c * LANES] = row[c];
    }
    return GLSHAPE_OK;
}

static glshape_status gather_exemplars(error *err, job *j) {
    const glshape_hdbscan_result *r = j->r;
    OWNED double *row = NULL;
    TRY(allocate(err, &row, j->columns, sizeof *row, "a row"));
    TRY(allocate(err, &j->start, j->clusters + 1, sizeof *j->start, "the exemplars"));
    for (size_t c = 0; c < j->clusters; c++)
        j->start[c + 1] = j->start[c] + (r->exemplar_start[c + 1] - r->exemplar_start[c] + LANES - 1) / LANES;
    TRY(allocate(err, &j->exemplar, times(j->start[j->clusters], LANES * sizeof(double)), j->columns,
                 "the exemplars"));
    for (size_t c = 0; c < j->clusters; c++) {
        TRY(place_exemplars(err, j, c, row));
        if (j->start[c + 1] - j->start[c] > j->most) j->most = j->start[c + 1] - j->start[c];
    }
    return GLSHAPE_OK;
}

/* LANES numbers: the compiler makes of them what the processor has. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t flags __attribute__((vector_size(LANES * sizeof(int64_t))));

/* Each of best becomes the lesser of it and sum's. */
static inline void lower(lanes *best, const lanes *sum) {
    flags less = *sum < *best;
    *best = (lanes)(((flags)*sum & less) | ((flags)*best & ~less));
}

static inline double least_lane(const lanes *l) {
    double least = (*l)[0];
    for (uint32_t k = 1; k < LANES; k++) least = (*l)[k] < least ? (*l)[k] : least;
    return least;
}

/* The least squared distance of each of TOGETHER rows, one behind the other, to so many groups of LANES
 * exemplars. Squares are added column after column, so that all processors have the same sums. */
static inline __attribute__((always_inline)) void least_squares(const double *rows, const double *exemplar,
                                                                size_t groups, size_t columns,
                                                                double least[TOGETHER]) {
    lanes none = (lanes){0} + INFINITY, best[TOGETHER] = {none, none, none, none};
    const double *a = rows, *b = a + columns, *p = b + columns, *q = p + columns;
    for (size_t g = 0; g < groups; g++) {
        lanes s = {0}, t = {0}, u = {0}, v = {0};
        for (size_t c = 0; c < columns; c++, exemplar += LANES) {
            lanes e;
            memcpy(&e, exemplar, sizeof e);
            s += (a[c] - e) * (a[c] - e);
            t += (b[c] - e) * (b[c] - e);
            u += (p[c] - e) * (p[c] - e);
            v += (q[c] - e) * (q[c] - e);
        }
        lower(&best[0], &s);
        lower(&best[1], &t);
        lower(&best[2], &u);
        lower(&best[3], &v);
    }
    for (uint32_t r = 0; r < TOGETHER; r++) least[r] = least_lane(&best[r]);
}

static void least_anywhere(const double *rows, const double *exemplar, size_t groups, size_t columns,
                           double least[TOGETHER]) {
    least_squares(rows, exemplar, groups, columns, least);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void least_avx2(const double *rows, const double *exemplar,
                                                       size_t groups, size_t columns,
                                                       double least[TOGETHER]) {
    least_squares(rows, exemplar, groups, columns, least);
}

__attribute__((target("avx512f"))) static void least_avx512(const double *rows, const double *exemplar,
                                                            size_t groups, size_t columns,
                                                            double least[TOGETHER]) {
    least_squares(rows, exemplar, groups, columns, least);
}

static least_function choose_least(void) {
    if (__builtin_cpu_supports("avx512f")) return least_avx512;
    return __builtin_cpu_supports("avx2") ? least_avx2 : least_anywhere;
}
#else
static least_function choose_least(void) { return least_anywhere; }
#endif

/* The least sum of a row and a cluster's exemplars, of any norm. */
static double least_sum(const job *j, const double *row, size_t cluster) {
    double least = INFINITY;
    for (size_t g = j->start[cluster]; g < j->start[cluster + 1]; g++) {
        const double *exemplar = j->exemplar + g * LANES * j->columns;
        for (uint32_t l = 0; l < LANES; l++) {
            double sum = 0;
            for (size_t c = 0; c < j->columns; c++)
                sum = norm_add(&j->norm, j->norm.power, sum, row[c] - exemplar[c * LANES + l]);
            least = sum < least ? sum : least;
        }
    }
    return least;
}

/* The least distance to a cluster's exemplars, digits of which its sum has lost. work: a row. */
static double tiny_distance(const job *j, const double *row, size_t cluster, double *work) {
    double least = INFINITY;
    for (size_t e = j->start[cluster] * LANES; e < j->start[cluster + 1] * LANES; e++) {
        const double *exemplar = j->exemplar + e / LANES * LANES * j->columns + e % LANES;
        for (size_t c = 0; c < j->columns; c++) work[c] = exemplar[c * LANES];
        least = fmin(least, norm_distance(&j->norm, row, work, j->columns));
    }
    return least;
}

/* The distance that a least sum of a row and a cluster stands for. work: a row. */
static double distance_of_sum(const job *j, const double *row, size_t cluster, double sum, double *work) {
    if (dist_metric_is_angular(j->source->metric)) return sum / 2;
    return (sum < TINY ? tiny_distance(j, row, cluster, work) : norm_root(&j->norm, sum)) / j->scale;
}

/* The squared distances of x and the exemplars of a cluster. */
static void square_all(const job *j, size_t cluster, const double *x, double *out) {
    const double *exemplar = j->exemplar + j->start[cluster] * LANES * j->columns;
    for (size_t g = j->start[cluster]; g < j->start[cluster + 1]; g++, out += LANES) {
        lanes sum = {0};
        for (size_t c = 0; c < j->columns; c++, exemplar += LANES) {
            lanes e;
            memcpy(&e, exemplar, sizeof e);
            sum += (x[c] - e) * (x[c] - e);
        }
        memcpy(out, &sum, sizeof sum);
    }
}

static void copy_exemplar(const job *j, size_t cluster, size_t e, double *to, size_t step) {
    const double *exemplar = j->exemplar + (j->start[cluster] + e / LANES) * LANES * j->columns + e % LANES;
    for (size_t c = 0; c < j->columns; c++) to[c * step] = exemplar[c * LANES];
}

/* The rows of a block: all of them are within radius of the center. */
typedef struct around {
    const double *center;
    double radius;
} around;

static around surround(const job *j, const bench *b, size_t count) {
    double *center = b->work, most = 0;
    for (size_t c = 0; c < j->columns; c++) {
        center[c] = 0;
        for (size_t r = 0; r < count; r++) center[c] += b->rows[r * j->columns + c];
        center[c] /= (double)count;
    }
    for (size_t r = 0; r < count; r++)
        most = fmax(most, norm_sum(&j->norm, b->rows + r * j->columns, center, j->columns));
    return (around){center, sqrt(most) * (1 + 0x1p-30)};
}

/* Copies the exemplars of a cluster that may be nearest to a row of the block; returns how many groups of
 * LANES there are. What is left out is farther by more than all that rounding does: no least sum changes. */
static size_t choose_few(const job *j, const bench *b, around rows, size_t cluster) {
    size_t count = (j->start[cluster + 1] - j->start[cluster]) * LANES, nearest = 0, kept = 0;
    double *f = b->work + j->columns, doubt = (double)(j->columns + 4) * 0x1p-48;
    square_all(j, cluster, rows.center, b->sum);
    for (size_t e = 0; e < count; e++)
        if (b->sum[e] < b->sum[nearest]) nearest = e;
    copy_exemplar(j, cluster, nearest, f, 1);
    square_all(j, cluster, f, b->apart);
    for (size_t e = 0; e < count; e++) {
        double wide = 2 * rows.radius * sqrt(b->apart[e]),
               rounding = doubt * (b->sum[e] + rows.radius * rows.radius);
        if (b->sum[e] - b->sum[nearest] > wide * (1 + 0x1p-30) + rounding) continue;
        copy_exemplar(j, cluster, e, b->few + kept / LANES * LANES * j->columns + kept % LANES, LANES);
        kept++;
    }
    for (; kept % LANES; kept++)
        copy_exemplar(j, cluster, nearest, b->few + kept / LANES * LANES * j->columns + kept % LANES, LANES);
    return kept / LANES;
}

/* The least sums of TOGETHER rows with the exemplars of a cluster; groups: those of b->few. */
static void find_sums(const job *j, const bench *b, size_t cluster, size_t groups, size_t row,
                      double sum[TOGETHER]) {
    const double *rows = b->rows + row * j->columns;
    if (j->norm.power == 2) j->least(rows, b->few, groups, j->columns, sum);
    else
        for (uint32_t r = 0; r < TOGETHER; r++) sum[r] = least_sum(j, rows + r * j->columns, cluster);
}

/* Finds the distances of the rows of a block to the nearest exemplar of each cluster. */
static void find_distances(const job *j, const bench *b, size_t count) {
    bool squares = j->norm.power == 2;
    around rows = squares ? surround(j, b, count) : (around){0};
    for (size_t c = 0; c < j->clusters; c++) {
        size_t groups = squares ? choose_few(j, b, rows, c) : 0;
        for (size_t k = 0; k < count; k += TOGETHER) {
            double sum[TOGETHER];
            find_sums(j, b, c, groups, k, sum);
            for (size_t r = k; r < k + TOGETHER; r++)
                b->distances[r * j->clusters + c] =
                    distance_of_sum(j, b->rows + r * j->columns, c, sum[r - k], b->work + j->columns);
        }
    }
}

/* ---- heights ----------------------------------------------------------------------------------- */

/* Finds the lambda at which each entry of r->tree and `leaf` join, or that it is around or inside. */
static void find_joins(const job *j, size_t leaf, double *joined) {
    const glshape_hdbscan_result *r = j->r;
    for (size_t c = 0; c < r->tree_clusters; c++) joined[c] = 0;
    for (size_t c = leaf;; c = r->tree[c].parent - r->n) {
        joined[c] = AROUND;
        if (!c) break;
    }
    for (size_t c = 1; c < r->tree_clusters; c++) { /* parents come before their children */
        size_t up = r->tree[c].parent - r->n;
        if (joined[c] == AROUND) continue;
        if (up == leaf || joined[up] == INSIDE) joined[c] = INSIDE;
        else joined[c] = joined[up] == AROUND ? r->tree[c].birth : joined[up];
    }
}

/* most / height, where both may be 0 or infinite: nothing is above most. */
static double times_below(double most, double height) {
    if (isinf(height) || most == 0) return 1;
    return isinf(most) ? INFINITY : most / height;
}

/* How near the cluster of a point is to one that joins it at this height; most: where the point's ends. */
static double weight_of(double most, double height) { return exp(exp(-times_below(most, height))); }

/* The same of a new point, before exp() of it. */
static double score_of(double most, double height) {
    if (isinf(most)) return isinf(height) ? INFINITY : 1;
    return most > height ? most / (most - height) : INFINITY;
}

/* If heights are equal, the first entry of the tree counts. */
static void note_height(bench *b, double height, size_t entry) {
    if (height < 0) b->own = entry < b->own ? entry : b->own;
    else if (height > b->highest || (height == b->highest && entry < b->at))
        b->highest = height, b->at = entry;
}

static void describe_leaf(const job *j, size_t leaf, bench *b) {
    double most = j->r->tree[leaf].death, height = -1, weight = 0;
    find_joins(j, leaf, b->joined);
    b->highest = -1, b->at = b->own = NO_ENTRY;
    for (size_t c = 0; c < j->clusters; c++) {
        b->height[c] = b->joined[j->place[c]];
        note_height(b, b->height[c], j->place[c]);
        if (b->height[c] < 0) continue;
        if (b->height[c] != height) /* clusters join at few heights */
            weight = j->is_new ? score_of(most, b->height[c]) : weight_of(most, b->height[c]);
        height = b->height[c];
        b->weight[c] = weight;
    }
}

/* ---- a row ------------------------------------------------------------------------------------- */

/* Puts what the clusters that are around or inside the leaf weigh into strength, and what the others do. */
static void weigh(const job *j, const bench *b, double most, double lambda) {
    double own = j->is_new ? score_of(most, lambda) : weight_of(most, lambda), best = 0;
    for (size_t c = 0; c < j->clusters; c++) {
        b->strength[c] = b->height[c] < 0 ? own : b->weight[c];
        best = fmax(best, b->strength[c]);
    }
    if (!j->is_new) return;
    for (size_t c = 0; c < j->clusters; c++) {
        double w = isinf(best) ? (double)isinf(b->strength[c]) : exp(b->strength[c] - best);
        b->strength[c] = w * w;
    }
}

/* How near a cluster is: nearest / distance; of a new point its root. */
static double nearness(const job *j, double nearest, double distance) {
    double near = distance == nearest ? 1 : nearest / distance;
    return j->is_new ? sqrt(near) : near;
}

/* Multiplies what clusters weigh by how near they are; returns the sum. */
static double combine(const job *j, const bench *b) {
    double nearest = INFINITY, sum = 0;
    for (size_t c = 0; c < j->clusters; c++) nearest = fmin(nearest, b->distance[c]);
    for (size_t c = 0; c < j->clusters; c++) sum += b->strength[c] *= nearness(j, nearest, b->distance[c]);
    if (sum > 0) return sum;
    for (size_t c = 0; c < j->clusters; c++) /* the nearest weigh nothing, and others are too far */
        sum += b->strength[c] = nearness(j, nearest, b->distance[c]);
    return sum;
}

/* How probable it is that a row is in some cluster: the greatest height, of where that cluster ends. */
static double in_some(const job *j, const bench *b, double lambda) {
    double best = b->highest;
    size_t at = b->at;
    if (b->own != NO_ENTRY && (lambda > best || (lambda == best && b->own < at))) best = lambda, at = b->own;
    return hdbscan_share(best, fmax(j->r->tree[at].death, lambda));
}

/* Writes the greatest strengths and their clusters; of equals the smaller number comes first. */
static void write_top(const job *j, const bench *b, size_t row) {
    double *strength = j->out->strength + row * j->out->width;
    uint32_t *cluster = j->out->cluster + row * j->out->width;
    size_t count = 0, most = j->out->width;
    for (uint32_t c = 0; c < j->clusters; c++) {
        if (count == most && !(b->strength[c] > strength[most - 1])) continue;
        size_t at = count < most ? count++ : most - 1;
        for (; at && b->strength[c] > strength[at - 1]; at--)
            strength[at] = strength[at - 1], cluster[at] = cluster[at - 1];
        strength[at] = b->strength[c], cluster[at] = c;
    }
}

static void do_row(const job *j, const bench *b, size_t row) {
    double lambda = j->lambda[row];
    weigh(j, b, j->r->tree[j->leaf[row]].death, lambda);
    double sum = combine(j, b), share = in_some(j, b, lambda);
    for (size_t c = 0; c < j->clusters; c++) b->strength[c] = b->strength[c] / sum * share;
    j->out->noise[row] = 1 - share;
    if (j->top) write_top(j, b, row);
    else memcpy(j->out->strength + row * j->clusters, b->strength, j->clusters * sizeof *b->strength);
}

/* Reads the rows of a block, and the first ones again, so that they are a multiple of TOGETHER. */
static glshape_status read_block(error *err, const job *j, const bench *b, size_t first, size_t count) {
    for (size_t r = 0; r < count; r++)
        TRY(read_row(err, j, j->rows, j->order[first + r], b->rows + r * j->columns));
    for (size_t r = count; r % TOGETHER; r++)
        memcpy(b->rows + r * j->columns, b->rows, j->columns * sizeof *b->rows);
    return GLSHAPE_OK;
}

static glshape_status do_rows(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    bench b = bench_at(j, scratch);
    size_t first = j->begin[block], count = j->begin[block + 1] - first, leaf = j->leaf[j->order[first]];
    describe_leaf(j, leaf, &b);
    TRY(read_block(err, j, &b, first, count));
    find_distances(j, &b, count);
    for (size_t r = 0; r < count; r++) {
        size_t row = j->order[first + r];
        b.distance = b.distances + r * j->clusters;
        do_row(j, &b, row);
    }
    return GLSHAPE_OK;
}

/* How many rows are a block, whose distances and columns are in a thread's memory. */
static size_t block_of(const job *j) {
    size_t numbers = j->clusters > j->columns ? j->clusters : j->columns, rows = NUMBERS / numbers;
    return rows < LEAST_BLOCK ? LEAST_BLOCK : rows > BLOCK ? BLOCK : rows;
}

/* Without clusters all is noise. */
static void fill_noise(glshape_membership *out) {
    for (size_t q = 0; q < out->n; q++) out->noise[q] = 1;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Finds the entry of r->tree that each point leaves, and where. */
static void find_leaves(const glshape_hdbscan_result *r, uint32_t *leaf, double *lambda) {
    for (size_t k = 0; k < r->row_count; k++) {
        if (r->rows[k].child >= r->n) continue;
        leaf[r->rows[k].child] = (uint32_t)(r->rows[k].parent - r->n);
        lambda[r->rows[k].child] = r->rows[k].lambda;
    }
}

/* New points leave as the points that they join, but no later than they join. */
static glshape_status join_rows(run *r, job *j, const glshape_source *source, const glshape_matrix *queries) {
    OWNED uint32_t *leaf = NULL;
    OWNED double *lambda = NULL;
    error *err = run_error(r);
    size_t rows = j->rows->rows;
    TRY(allocate(err, &j->out->nearest, rows, sizeof *j->out->nearest, "the nearest points"));
    TRY(allocate(err, &leaf, j->r->n, sizeof *leaf, "clusters of points"));
    TRY(allocate(err, &lambda, j->r->n, sizeof *lambda, "clusters of points"));
    TRY(hdbscan_join(r, source, j->r, queries, j->out->nearest, j->lambda));
    find_leaves(j->r, leaf, lambda);
    for (size_t q = 0; q < rows; q++) {
        size_t v = j->out->nearest[q];
        j->leaf[q] = leaf[v];
        j->lambda[q] = fmin(j->lambda[q], lambda[v]);
    }
    return GLSHAPE_OK;
}

/* Blocks of rows, in order. of: NULL, or which of these. A block has rows of one leaf, which are near each
 * other. */
static glshape_status cut_rows(error *err, job *j, size_t rows) {
    free(j->begin);
    j->begin = NULL, j->blocks = 0;
    TRY(allocate(err, &j->begin, rows / j->block + j->r->tree_clusters + 1, sizeof *j->begin,
                 "blocks of rows"));
    for (size_t k = 0; k < rows; k++) {
        bool first = !k || j->leaf[j->order[k]] != j->leaf[j->order[k - 1]];
        if (first || k - j->begin[j->blocks - 1] == j->block) j->begin[j->blocks++] = k;
    }
    j->begin[j->blocks] = rows;
    return GLSHAPE_OK;
}

static glshape_status order_rows(error *err, job *j) {
    OWNED size_t *first = NULL;
    size_t rows = j->rows->rows, clusters = j->r->tree_clusters;
    TRY(allocate(err, &first, clusters + 1, sizeof *first, "clusters"));
    TRY(allocate(err, &j->order, rows, sizeof *j->order, "the order of rows"));
    for (size_t q = 0; q < rows; q++) first[j->leaf[q] + 1]++;
    for (size_t c = 0; c < clusters; c++) first[c + 1] += first[c];
    for (size_t q = 0; q < rows; q++) j->order[first[j->leaf[q]]++] = (uint32_t)q;
    return cut_rows(err, j, rows);
}

static glshape_status check_exemplars(error *err, const glshape_hdbscan_result *r) {
    const char *wrong = "the result of hdbscan has no exemplars, or some that are no points";
    if (!r->exemplar_start || (!r->exemplars && r->clusters))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s", wrong);
    for (size_t c = 0; c < r->clusters; c++)
        if (r->exemplar_start[c] >= r->exemplar_start[c + 1])
            return fail(err, GLSHAPE_BAD_ARGUMENT, "%s: cluster %zu", wrong, c);
    for (size_t e = 0; r->clusters && e < r->exemplar_start[r->clusters]; e++)
        if (r->exemplars[e] >= r->n) return fail(err, GLSHAPE_BAD_ARGUMENT, "%s: entry %zu", wrong, e);
    return GLSHAPE_OK;
}

static glshape_status find_places(error *err, job *j) {
    const glshape_hdbscan_result *r = j->r;
    TRY(allocate(err, &j->place, j->clusters, sizeof *j->place, "the clusters"));
    size_t found = 0;
    for (size_t c = 0; c < r->tree_clusters; c++) {
        if (r->tree[c].label < 0) continue;
        if ((size_t)r->tree[c].label >= j->clusters)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "the condensed tree has cluster %d, but there are %zu",
                        (int)r->tree[c].label, j->clusters);
        j->place[r->tree[c].label] = (uint32_t)c;
        found++;
    }
    if (found == j->clusters) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "the condensed tree has %zu clusters that are chosen, not %zu",
                found, j->clusters);
}

static glshape_status check_request(error *err, const glshape_source *source, const glshape_hdbscan_result *r,
                                    const glshape_matrix *queries) {
    if (!source->points || source->points->rows != r->n)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "membership needs the %zu points that the clusters are of; a matrix of distances, a graph or "
            "other points will not do",
            r->n);
    TRY(dist_source_check(err, source, DIST_OF_POINTS, "membership needs points"));
    TRY(matrix_check(err, source->points));
    if (queries) TRY(matrix_check(err, queries));
    if (queries && queries->cols != source->points->cols)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "the new points have %zu columns, but the clusters are of points with %zu", queries->cols,
                    source->points->cols);
    TRY(trees_check_condensed(err, r));
    return check_exemplars(err, r);
}

static glshape_status make_room(error *err, const job *j, glshape_membership *out) {
    out->n = j->rows->rows;
    out->width = j->top && j->top < j->clusters ? j->top : j->clusters;
    size_t count = times(out->n, out->width);
    if (j->top) TRY(allocate(err, &out->cluster, count, sizeof *out->cluster, "the clusters of memberships"));
    TRY(allocate(err, &out->strength, count, sizeof *out->strength,
                 "memberships (top asks for the greatest alone)"));
    return allocate(err, &out->noise, out->n, sizeof *out->noise, "memberships");
}

static glshape_status prepare(run *r, job *j, const glshape_source *source, const glshape_matrix *queries) {
    error *err = run_error(r);
    TRY(dist_narrow(err, source->points, queries, source->metric, &j->narrowed));
    j->narrow = *source;
    j->narrow.points = &j->narrowed.points;
    j->source = &j->narrow;
    j->rows = queries ? &j->narrowed.queries : &j->narrowed.points;
    j->columns = source->points->cols;
    j->norm = dist_norm(source->metric, source->p);
    TRY(dist_scale(err, j->source->points, source->metric, &j->scale));
    TRY(find_places(err, j));
    TRY(gather_exemplars(err, j));
    TRY(allocate(err, &j->leaf, j->rows->rows, sizeof *j->leaf, "clusters of points"));
    TRY(allocate(err, &j->lambda, j->rows->rows, sizeof *j->lambda, "clusters of points"));
    if (queries) return join_rows(r, j, source, queries);
    find_leaves(j->r, j->leaf, j->lambda);
    return GLSHAPE_OK;
}

/* ---- by threads ---------------------------------------------------------------------------------- */

static glshape_status do_blocks(run *r, job *j, double from) {
    return threads_do(run_error(r), &(threads_job){.work = do_rows,
                                                   .user = j,
                                                   .blocks = j->blocks,
                                                   .scratch_bytes = times(bench_values(j), sizeof(double)),
                                                   .name = "memberships",
                                                   .progress = run_go_on,
                                                   .progress_user = r,
                                                   .from = from,
                                                   .to = 1});
}

/* ---- by passes ----------------------------------------------------------------------------------- */

/* Exemplars as rows, and the middle of the box that they are in. */
static glshape_status flatten(error *err, job *j) {
    const size_t *first = j->r->exemplar_start;
    TRY(allocate(err, &j->flat, times(first[j->clusters], j->columns), sizeof *j->flat, "the exemplars"));
    TRY(allocate(err, &j->center, j->columns, sizeof *j->center, "the exemplars"));
    for (size_t c = 0; c < j->clusters; c++)
        for (size_t e = first[c]; e < first[c + 1]; e++)
            copy_exemplar(j, c, e - first[c], j->flat + e * j->columns, 1);
    for (size_t c = 0; c < j->columns; c++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t e = 0; e < first[j->clusters]; e++) {
            least = fmin(least, j->flat[e * j->columns + c]);
            most = fmax(most, j->flat[e * j->columns + c]);
        }
        j->center[c] = least / 2 + most / 2;
    }
    return GLSHAPE_OK;
}

typedef struct reaching {
    const job *j;
    double *most; /* of each block */
} reaching;

static glshape_status find_block_reach(error *err, void *user, uint64_t block, void *scratch) {
    const reaching *r = user;
    const job *j = r->j;
    double most = 0, *x = scratch;
    for (size_t k = j->begin[block]; k < j->begin[block + 1]; k++) {
        TRY(read_row(err, j, j->rows, j->order[k], x));
        for (size_t c = 0; c < j->columns; c++) most = fmax(most, fabs(x[c] - j->center[c]));
    }
    r->most[block] = most;
    return GLSHAPE_OK;
}

/* Exemplars are rows, too. */
static glshape_status find_reach(error *err, job *j) {
    OWNED double *most = NULL;
    TRY(allocate(err, &most, j->blocks, sizeof *most, "blocks of rows"));
    reaching r = {j, most};
    TRY(threads_do(err, &(threads_job){.work = find_block_reach,
                                       .user = &r,
                                       .blocks = j->blocks,
                                       .scratch_bytes = times(j->columns, sizeof(double)),
                                       .name = "a row"}));
    for (size_t b = 0; b < j->blocks; b++) j->reach = fmax(j->reach, most[b]);
    return GLSHAPE_OK;
}

/* Where share is denormal, or nearly, products of it are. */
#define LEAST_SHARE 0x1p-300

/* The rows of a block, and what clusters weigh for them, into the batch. */
static glshape_status put_block(error *err, void *user, uint64_t block, void *scratch) {
    job *j = user;
    bench b = bench_at(j, scratch);
    block += j->batch;
    uint32_t line = (uint32_t)(block - j->batch);
    size_t first = j->begin[block], leaf = j->leaf[j->order[first]];
    double *weight = j->passes.batch.weight + line * j->clusters, death = j->r->tree[leaf].death;
    describe_leaf(j, leaf, &b);
    for (size_t c = 0; c < j->clusters; c++) weight[c] = b.height[c] < 0 ? MEMBERSHIP_OWN : b.weight[c];
    for (size_t k = first; k < j->begin[block + 1]; k++) {
        size_t row = j->order[k];
        double share = in_some(j, &b, j->lambda[row]);
        TRY(read_row(err, j, j->rows, row, b.rows));
        membership_put(&j->passes, (uint32_t)(k - j->begin[j->batch]), b.rows, line,
                       weight_of(death, j->lambda[row]), share);
        j->out->noise[row] = 1 - share;
        j->again[k] = share > 0 && share < LEAST_SHARE;
    }
    return GLSHAPE_OK;
}

/* Puts blocks into the batch from block on, as many as there is room for; returns how many. */
static glshape_status put_batch(error *err, job *j, size_t block, size_t *blocks) {
    membership_batch *b = &j->passes.batch;
    size_t end = block, first = j->begin[block];
    while (end < j->blocks && end - block < j->passes.most_lines &&
           j->begin[end + 1] - first <= j->passes.most_rows)
        end++;
    j->batch = block;
    b->lines = (uint32_t)(end - block);
    b->rows = (uint32_t)(j->begin[end] - first);
    *blocks = end - block;
    return threads_do(err, &(threads_job){.work = put_block,
                                          .user = j,
                                          .blocks = *blocks,
                                          .scratch_bytes = times(bench_values(j), sizeof(double)),
                                          .name = "memberships"});
}

typedef struct taking {
    job *j;
    size_t first; /* of the rows, in order */
} taking;

static void take_row(const taking *t, size_t k) {
    const job *j = t->j;
    const uint32_t *found = j->passes.batch.strongest + 4 * j->out->width * k;
    size_t at = j->order[t->first + k] * j->out->width;
    for (size_t i = 0; i < j->out->width; i++, found += 4) {
        memcpy(j->out->strength + at + i, found, sizeof(double)); /* the low word first, as here */
        j->out->cluster[at + i] = found[2];
        j->again[t->first + k] = j->again[t->first + k] || found[3];
    }
}

static void take_rows(void *user, size_t first, size_t end) {
    for (size_t k = first; k < end; k++) take_row(user, k);
}

/* Threads do what passes have left; rows stay in order. */
static glshape_status do_again(run *r, job *j) {
    size_t count = 0;
    for (size_t k = 0; k < j->rows->rows; k++)
        if (j->again[k]) j->order[count++] = j->order[k];
    run_fact(r, (double)count, "rows whose memberships threads found");
    if (!count) return run_tick(r, 1);
    TRY(cut_rows(run_error(r), j, count));
    return do_blocks(r, j, 0.9);
}

/* The batch behind is put while the device has one. */
static glshape_status do_batches(gpu *g, job *j) {
    size_t block = 0, blocks, rows, next;
    TRY(put_batch(run_error(run_of(g)), j, 0, &blocks));
    while (block < j->blocks) {
        taking t = {j, j->begin[block]};
        rows = j->passes.batch.rows;
        next = block + blocks;
        TRY(membership_begin(g, &j->passes));
        if (next < j->blocks) TRY(put_batch(run_error(run_of(g)), j, next, &blocks));
        TRY(membership_fetch(g, &j->passes, (uint32_t)rows));
        threads_ranges(rows, take_rows, &t);
        block = next;
        TRY(run_tick(run_of(g), 0.9 * (double)j->begin[block] / (double)j->rows->rows));
    }
    return GLSHAPE_OK;
}

static glshape_status do_by_passes(gpu *g, job *j) {
    TRY(allocate(run_error(run_of(g)), &j->again, j->rows->rows, sizeof *j->again, "the order of rows"));
    TRY(find_reach(run_error(run_of(g)), j));
    j->given.rows = j->flat, j->given.center = j->center, j->given.reach = j->reach;
    TRY(membership_passes_new(g, &j->given, j->rows->rows, &j->passes));
    TRY(do_batches(g, j));
    for (size_t k = 0; k < j->rows->rows * j->out->width; k++)
        if (j->out->cluster[k] >= j->clusters)
            return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                        "memberships do not come out right: the driver of %s computes something wrong; take "
                        "another device (--device)",
                        gpu_renderer(g));
    membership_passes_free(&j->passes);
    j->passes = (membership_passes){0};
    return do_again(run_of(g), j);
}

/* ---- where --------------------------------------------------------------------------------------- */

/* Passes do the points themselves: of new points what clusters weigh depends on each. */
static glshape_status choose(gpu *g, job *j, run_why *why) {
    const size_t *first = j->r->exemplar_start;
    double rows = (double)j->rows->rows, work = rows * (double)j->columns * (double)first[j->clusters];
    *why = RUN_NOT_BY_PASSES;
    j->given = (membership_exemplars){.clusters = j->clusters,
                                      .columns = j->columns,
                                      .top = j->out->cluster ? j->out->width : 0,
                                      .first = first,
                                      .angular = dist_metric_is_angular(j->source->metric),
                                      .unit = 1 / j->scale};
    if (j->is_new || j->norm.power != 2 || !j->clusters) return GLSHAPE_OK;
    TRY(place_choose(g, PLACE_MEMBERSHIPS, work, membership_can(&j->given),
                     membership_bytes(&j->given, j->rows->rows), why));
    return membership_trusts(g, j->given.top, why);
}

static glshape_status compute(gpu *g, const glshape_source *source, const glshape_hdbscan_result *r,
                              const glshape_membership_options *options, glshape_membership *result) {
    const glshape_matrix *queries = options ? options->queries : NULL;
    OWNED_BY(glshape_membership_free) glshape_membership out = {0};
    OWNED_BY(job_free)
    job j = {.r = r,
             .is_new = queries,
             .clusters = r->clusters,
             .top = options ? options->top : 0,
             .least = choose_least(),
             .out = &out};
    run_why why;
    TRY(check_request(run_error(run_of(g)), source, r, queries));
    run_begin_stage(run_of(g), "exemplars", RUN_NOT_BY_PASSES);
    run_set_span(run_of(g), 0, queries ? 0.5 : 0);
    TRY(prepare(run_of(g), &j, source, queries));
    run_set_span(run_of(g), queries ? 0.5 : 0, 1);
    TRY(make_room(run_error(run_of(g)), &j, &out));
    TRY(choose(g, &j, &why));
    run_begin_stage(run_of(g), "membership", why);
    run_fact(run_of(g), (double)j.start[j.clusters] * LANES, "exemplars that rows are compared with");
    j.block = run_why_device(why) ? BLOCK : block_of(&j);
    TRY(order_rows(run_error(run_of(g)), &j));
    if (!j.clusters) fill_noise(&out);
    else if (run_why_device(why)) {
        TRY(flatten(run_error(run_of(g)), &j));
        TRY(do_by_passes(g, &j));
    } else TRY(do_blocks(run_of(g), &j, 0));
    *result = MOVE(out);
    return GLSHAPE_OK;
}

glshape_status glshape_hdbscan_membership(glshape_context *context, const glshape_source *source,
                                          const glshape_hdbscan_result *result,
                                          const glshape_membership_options *options,
                                          glshape_membership *out) {
    gpu *g;
    *out = (glshape_membership){0};
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    return context_end(context, compute(g, source, result, options, out));
}

void glshape_membership_free(glshape_membership *m) {
    free(m->cluster);
    free(m->strength);
    free(m->noise);
    free(m->nearest);
    *m = (glshape_membership){0};
}
