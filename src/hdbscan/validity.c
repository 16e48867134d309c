/* glshape_hdbscan_validity: the index DBCV of a clustering.
 *
 * Points of clusters are members; clusters of one point, and noise, have none. Members stand in order of
 * their cluster, then of their index. A member's distances are computed when they are needed, three times in
 * all: for its density, for the tree of its cluster, and for the gap to other clusters. */
#include <math.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/narrow.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "hdbscan/hdbscan.h"

#define BLOCK 16u     /* members that a thread takes at a time */
#define LARGE 4096u   /* members of a cluster whose tree all threads make together */
#define RANGE 1024u   /* of such a cluster, that a thread takes at a time */
#define TINY 0x1p-960 /* a sum below this may have lost digits */

typedef struct job {
    const glshape_source *source;
    const int32_t *labels;
    bool raw;           /* distances count as they are */
    double dim;         /* of the points */
    dist_reader reader; /* of distances; else there are rows */
    norm norm;
    double scale;
    size_t n, columns, clusters, members;
    size_t *start;    /* clusters + 1 */
    uint32_t *member; /* the points, by cluster */
    uint32_t *of;     /* of each member: its cluster */
    double *row;      /* of each member, times scale */
    double *core;     /* of each member: 0 where distances are raw */
    bool *inner;      /* of each member: the tree of its cluster goes on from it */
    double *gap;      /* of each member that is inner: the least reachability of one of another cluster */
    size_t *by_size;  /* the clusters, the largest first */
    glshape_validity *out;
} job;

static void job_free(job *j) {
    void *const parts[] = {j->start, j->member, j->of, j->row, j->core, j->inner, j->gap, j->by_size};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

/* ---- distances --------------------------------------------------------------------------------- */

static inline double distance_of_rows(const job *j, const double *a, const double *b) {
    double sum = 0;
    if (j->norm.power == 2)
        for (size_t c = 0; c < j->columns; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
    else sum = norm_sum(&j->norm, a, b, j->columns);
    if (dist_metric_is_angular(j->source->metric)) return sum / 2;
    return (sum < TINY ? norm_distance(&j->norm, a, b, j->columns) : norm_root(&j->norm, sum)) / j->scale;
}

/* What a member's distances are taken from: of a reader, the row of its point. */
static glshape_status open_member(error *err, const job *j, size_t a, double *row) {
    if (j->row) return GLSHAPE_OK;
    TRY(dist_read_doubles(err, &j->reader, j->member[a], 1, row));
    for (size_t b = 0; b < j->n; b++)
        if (!(row[b] >= 0))
            return fail(err, GLSHAPE_BAD_INPUT, "row %u, column %zu: %g is no distance", j->member[a] + 1,
                        b + 1, row[b]);
    return GLSHAPE_OK;
}

static inline double distance_to(const job *j, const double *row, size_t a, size_t b) {
    if (!j->row) return row[j->member[b]];
    return distance_of_rows(j, j->row + a * j->columns, j->row + b * j->columns);
}

static inline double reach_to(const job *j, const double *row, size_t a, size_t b) {
    double core = j->core[a] < j->core[b] ? j->core[b] : j->core[a], d = distance_to(j, row, a, b);
    return d < core ? core : d;
}

/* ---- densities --------------------------------------------------------------------------------- */

static double raise(double x, double power) {
    return power == (uint32_t)power ? norm_product((uint32_t)power, x) : pow(x, power);
}

/* The all-points core distance: (Σ d^-dim / (n - 1))^(-1/dim) over the other members of the cluster, but for
 * those at the same place. Distances are divided by the least, so that no power overflows. */
static double core_of(const job *j, const double *distance, size_t count) {
    double least = INFINITY, sum = 0;
    for (size_t k = 0; k < count; k++)
        if (distance[k] > 0 && distance[k] < least) least = distance[k];
    if (isinf(least)) return 0;
    for (size_t k = 0; k < count; k++)
        if (distance[k] > 0) sum += raise(least / distance[k], j->dim);
    return least * pow(sum / (double)(count - 1), -1 / j->dim);
}

static glshape_status find_cores(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    double *row = scratch, *distance = row + j->n;
    for (size_t a = block * BLOCK; a < j->members && a / BLOCK == block; a++) {
        size_t first = j->start[j->of[a]], end = j->start[j->of[a] + 1];
        TRY(open_member(err, j, a, row));
        for (size_t b = first; b < end; b++) distance[b - first] = b == a ? 0 : distance_to(j, row, a, b);
        j->core[a] = core_of(j, distance, end - first);
    }
    return GLSHAPE_OK;
}

/* ---- trees ------------------------------------------------------------------------------------- */

/* The tree of a cluster, as Prim makes it from its first member on. Where edges are equal, it takes the one
 * to the member that comes first, from the first of those in the tree. */
typedef struct growing {
    const job *j;
    size_t first, count;
    const double *row; /* the distances of the member that came last */
    size_t last;
    double *best;     /* of each member: its least edge to the tree; -1: it is in the tree */
    uint32_t *parent; /* where that edge leads */
    uint32_t *degree;
    size_t *range_next; /* of each range, the member that it offers */
} growing;

static void growing_free(growing *t) {
    free(t->best);
    free(t->parent);
    free(t->degree);
    free(t->range_next);
}

static bool is_nearer(const growing *t, size_t a, size_t b) {
    if (b == SIZE_MAX || t->best[a] < t->best[b]) return true;
    return a < b && t->best[a] == t->best[b];
}

/* Looks at the edges of the member that came last; returns which member of the range is nearest. */
static size_t relax(growing *t, size_t from, size_t to) {
    size_t next = SIZE_MAX;
    for (size_t b = from; b < to; b++) {
        if (t->best[b] < 0) continue;
        double reach = reach_to(t->j, t->row, t->first + t->last, t->first + b);
        if (reach < t->best[b] || (reach == t->best[b] && t->last < t->parent[b]))
            t->best[b] = reach, t->parent[b] = (uint32_t)t->last;
        if (is_nearer(t, b, next)) next = b;
    }
    return next;
}

static void relax_range(void *user, size_t range) {
    growing *t = user;
    size_t end = (range + 1) * RANGE < t->count ? (range + 1) * RANGE : t->count;
    t->range_next[range] = relax(t, range * RANGE, end);
}

static size_t relax_all(growing *t, threads_team *team) {
    size_t ranges = (t->count + RANGE - 1) / RANGE, next = SIZE_MAX;
    if (!team) return relax(t, 0, t->count);
    threads_team_run(team, ranges, relax_range, t);
    for (size_t k = 0; k < ranges; k++)
        if (t->range_next[k] != SIZE_MAX && is_nearer(t, t->range_next[k], next)) next = t->range_next[k];
    return next;
}

static glshape_status growing_new(error *err, growing *t) {
    TRY(allocate(err, &t->best, t->count, sizeof *t->best, "a tree"));
    TRY(allocate(err, &t->parent, t->count, sizeof *t->parent, "a tree"));
    TRY(allocate(err, &t->degree, t->count, sizeof *t->degree, "a tree"));
    return allocate(err, &t->range_next, (t->count + RANGE - 1) / RANGE, sizeof *t->range_next, "a tree");
}

/* The longest edge between two inner members; where there is none, the longest of all. weight[b]: of the edge
 * from b to its parent. */
static double longest_inner(const growing *t, const double *weight) {
    const bool *inner = t->j->inner + t->first;
    double longest = -1, all = 0;
    for (size_t b = 1; b < t->count; b++) {
        all = fmax(all, weight[b]);
        if (inner[b] && inner[t->parent[b]]) longest = fmax(longest, weight[b]);
    }
    return longest < 0 ? all : longest;
}

/* Members from which the tree goes on are inner. The two of a cluster of two both are. */
static void mark_inner(const growing *t) {
    bool *inner = t->j->inner + t->first;
    for (size_t b = 1; b < t->count; b++) t->degree[b]++, t->degree[t->parent[b]]++;
    for (size_t b = 0; b < t->count; b++) inner[b] = t->degree[b] > 1 || t->count == 2;
}

static glshape_status grow(error *err, const job *j, size_t cluster, double *row, threads_team *team) {
    OWNED_BY(growing_free)
    growing t = {.j = j, .first = j->start[cluster], .row = row};
    OWNED double *weight = NULL;
    t.count = j->start[cluster + 1] - t.first;
    if (!t.count) return GLSHAPE_OK;
    TRY(growing_new(err, &t));
    TRY(allocate(err, &weight, t.count, sizeof *weight, "a tree"));
    for (size_t b = 0; b < t.count; b++) t.best[b] = INFINITY;
    t.best[0] = -1;
    for (size_t k = 1; k < t.count; k++) {
        TRY(open_member(err, j, t.first + t.last, row));
        size_t next = relax_all(&t, team);
        weight[next] = t.best[next];
        t.best[next] = -1;
        t.last = next;
    }
    mark_inner(&t);
    j->out->sparseness[cluster] = longest_inner(&t, weight);
    return GLSHAPE_OK;
}

static glshape_status grow_small(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    size_t cluster = j->by_size[block];
    if (j->start[cluster + 1] - j->start[cluster] > LARGE) return GLSHAPE_OK;
    return grow(err, j, cluster, scratch, NULL);
}

/* Clusters are grown by all threads, one after the other, where they are large. */
static glshape_status grow_large(run *r, job *j) {
    OWNED double *row = NULL;
    OWNED_BY(threads_team_end) threads_team *team = NULL;
    TRY(allocate(run_error(r), &row, j->row ? 1 : j->n, sizeof *row, "a row of distances"));
    for (size_t k = 0; k < j->clusters; k++) {
        size_t cluster = j->by_size[k], count = j->start[cluster + 1] - j->start[cluster];
        if (count <= LARGE) break;
        if (!team) team = threads_team_for((count + RANGE - 1) / RANGE);
        TRY(run_tick(r, 0.3 * (double)k / (double)j->clusters));
        TRY(grow(run_error(r), j, cluster, row, team));
    }
    return GLSHAPE_OK;
}

/* ---- gaps -------------------------------------------------------------------------------------- */

static glshape_status find_gaps(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    for (size_t a = block * BLOCK; a < j->members && a / BLOCK == block; a++) {
        size_t first = j->start[j->of[a]], end = j->start[j->of[a] + 1];
        double least = INFINITY;
        j->gap[a] = INFINITY;
        if (!j->inner[a]) continue;
        TRY(open_member(err, j, a, scratch));
        for (size_t b = 0; b < j->members; b++) {
            if (b == first) b = end;
            if (b == j->members) break;
            if (!j->inner[b]) continue;
            double reach = reach_to(j, scratch, a, b);
            least = reach < least ? reach : least;
        }
        j->gap[a] = least;
    }
    return GLSHAPE_OK;
}

static void judge(job *j) {
    glshape_validity *out = j->out;
    for (size_t c = 0; c < j->clusters; c++) {
        size_t count = j->start[c + 1] - j->start[c];
        out->separation[c] = INFINITY;
        for (size_t a = j->start[c]; a < j->start[c + 1]; a++)
            out->separation[c] = fmin(out->separation[c], j->gap[a]);
        double apart = out->separation[c], dense = out->sparseness[c], larger = fmax(apart, dense);
        if (count) out->cluster[c] = larger > 0 ? apart / larger - dense / larger : 0;
        else out->separation[c] = 0;
        out->index += (double)count / (double)j->n * out->cluster[c];
    }
}

/* ---- all --------------------------------------------------------------------------------------- */

static size_t count_points(const glshape_source *s) { return s->points ? s->points->rows : s->n; }

static glshape_status count_clusters(error *err, job *j) {
    int32_t most = -1;
    for (size_t v = 0; v < j->n; v++) {
        if (j->labels[v] >= 0 && (size_t)j->labels[v] >= j->n)
            return fail(
                err, GLSHAPE_BAD_ARGUMENT,
                "row %zu: its label is %d; labels are numbers below that of the points, %zu, or below 0 for "
                "noise",
                v + 1, (int)j->labels[v], j->n);
        if (j->labels[v] > most) most = j->labels[v];
    }
    j->clusters = (size_t)(most + 1);
    return GLSHAPE_OK;
}

/* Starts of the clusters' members. Clusters of one point have none. */
static glshape_status gather_members(error *err, job *j) {
    OWNED size_t *size = NULL;
    TRY(allocate(err, &size, j->clusters, sizeof *size, "the clusters"));
    TRY(allocate(err, &j->start, j->clusters + 1, sizeof *j->start, "the clusters"));
    TRY(allocate(err, &j->member, j->n, sizeof *j->member, "the points of clusters"));
    TRY(allocate(err, &j->of, j->n, sizeof *j->of, "the clusters of points"));
    for (size_t v = 0; v < j->n; v++)
        if (j->labels[v] >= 0) size[j->labels[v]]++;
    for (size_t c = 0; c < j->clusters; c++) {
        j->start[c + 1] = j->start[c] + (size[c] > 1 ? size[c] : 0);
        size[c] = size[c] > 1 ? j->start[c] : SIZE_MAX;
    }
    for (size_t v = 0; v < j->n; v++) {
        int32_t c = j->labels[v];
        if (c < 0 || size[c] == SIZE_MAX) continue;
        j->of[size[c]] = (uint32_t)c;
        j->member[size[c]++] = (uint32_t)v;
    }
    j->members = j->start[j->clusters];
    return GLSHAPE_OK;
}

typedef struct sized {
    size_t size, cluster;
} sized;

static int larger_first(const void *a, const void *b) {
    const sized *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return x->cluster < y->cluster ? -1 : x->cluster > y->cluster;
}

static glshape_status sort_clusters(error *err, job *j) {
    OWNED sized *items = NULL;
    size_t with = 0;
    TRY(allocate(err, &items, j->clusters, sizeof *items, "the clusters"));
    TRY(allocate(err, &j->by_size, j->clusters, sizeof *j->by_size, "the clusters"));
    for (size_t c = 0; c < j->clusters; c++) {
        items[c] = (sized){j->start[c + 1] - j->start[c], c};
        with += items[c].size > 0;
    }
    qsort(items, j->clusters, sizeof *items, larger_first);
    for (size_t c = 0; c < j->clusters; c++) j->by_size[c] = items[c].cluster;
    if (with > 1) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%zu cluster%s at least 2 points; the index compares clusters, so it needs two of them", with,
                with == 1 ? " has" : "s have");
}

static glshape_status read_rows(error *err, job *j) {
    j->norm = dist_norm(j->source->metric, j->source->p);
    TRY(dist_scale(err, j->source->points, j->source->metric, &j->scale));
    TRY(allocate(err, &j->row, times(j->members, j->columns), sizeof *j->row, "rows of the points"));
    for (size_t a = 0; a < j->members; a++) {
        TRY(dist_row(err, j->source->points, j->source->metric, j->member[a], j->row + a * j->columns));
        for (size_t c = 0; c < j->columns; c++) j->row[a * j->columns + c] *= j->scale;
    }
    return GLSHAPE_OK;
}

static glshape_status make_room(error *err, job *j) {
    TRY(allocate(err, &j->core, j->members, sizeof *j->core, "core distances"));
    TRY(allocate(err, &j->inner, j->members, sizeof *j->inner, "the points of clusters"));
    TRY(allocate(err, &j->gap, j->members, sizeof *j->gap, "the points of clusters"));
    glshape_validity *out = j->out;
    out->clusters = j->clusters;
    TRY(allocate(err, &out->cluster, j->clusters, sizeof *out->cluster, "the clusters"));
    TRY(allocate(err, &out->sparseness, j->clusters, sizeof *out->sparseness, "the clusters"));
    return allocate(err, &out->separation, j->clusters, sizeof *out->separation, "the clusters");
}

static glshape_status share(run *r, job *j, glshape_status (*work)(error *, void *, uint64_t, void *),
                            size_t blocks, size_t values, double from, double to) {
    return threads_do(run_error(r), &(threads_job){.work = work,
                                                   .user = j,
                                                   .blocks = blocks,
                                                   .scratch_bytes = times(values, sizeof(double)),
                                                   .name = "distances of points",
                                                   .progress = run_go_on,
                                                   .progress_user = r,
                                                   .from = from,
                                                   .to = to});
}

static glshape_status check(error *err, const glshape_source *source, const int32_t *labels,
                            const glshape_validity_options *options) {
    TRY(dist_source_check(err, source, DIST_OF_POINTS | DIST_OF_READER,
                          "validity needs points or a matrix of distances"));
    if (source->points) TRY(matrix_check(err, source->points));
    if (!labels) return fail(err, GLSHAPE_BAD_ARGUMENT, "the labels are NULL");
    double dim = options ? options->dim : 0;
    if (!(dim >= 0) || isinf(dim))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "dim is %g; it is the number of dimensions, above 0", dim);
    if (source->points || dim > 0 || (options && options->raw)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "dim is not given; densities of points of which only distances are given need the number of "
                "dimensions");
}

static glshape_status prepare(error *err, job *j, const glshape_validity_options *options) {
    const glshape_source *s = j->source;
    j->n = count_points(s);
    j->columns = s->points ? s->points->cols : 0;
    j->raw = options && options->raw;
    j->dim = options && options->dim > 0 ? options->dim : (double)j->columns;
    j->scale = 1;
    j->reader = (dist_reader){
        .read = s->reader, .read_double = s->double_reader, .user = s->user, .n = (uint32_t)j->n, .unit = 1};
    TRY(count_clusters(err, j));
    TRY(gather_members(err, j));
    TRY(sort_clusters(err, j));
    if (s->points) TRY(read_rows(err, j));
    return make_room(err, j);
}

static glshape_status compute(run *r, const glshape_source *source, const int32_t *labels,
                              const glshape_validity_options *options, glshape_validity *result) {
    OWNED_BY(glshape_validity_free) glshape_validity out = {0};
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    OWNED_BY(job_free) job j = {.labels = labels, .out = &out};
    glshape_source narrow;
    error *err = run_error(r);
    TRY(check(err, source, labels, options));
    TRY(dist_narrow_source(err, source, &narrowed, &narrow));
    j.source = &narrow;
    run_begin_stage(r, "validity", RUN_NOT_BY_PASSES);
    TRY(prepare(err, &j, options));
    size_t blocks = (j.members + BLOCK - 1) / BLOCK;
    if (!j.raw) TRY(share(r, &j, find_cores, blocks, 2 * j.n, 0, 0.3));
    TRY(grow_large(r, &j));
    TRY(share(r, &j, grow_small, j.clusters, j.n, 0.3, 0.6));
    TRY(share(r, &j, find_gaps, blocks, j.n, 0.6, 1));
    judge(&j);
    *result = MOVE(out);
    return GLSHAPE_OK;
}

glshape_status glshape_hdbscan_validity(glshape_context *context, const glshape_source *source,
                                        const int32_t *labels, const glshape_validity_options *options,
                                        glshape_validity *out) {
    gpu *g;
    *out = (glshape_validity){0};
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    return context_end(context, compute(run_of(g), source, labels, options, out));
}

void glshape_validity_free(glshape_validity *v) {
    free(v->cluster);
    free(v->sparseness);
    free(v->separation);
    *v = (glshape_validity){0};
}
