/* The tree of a matrix of distances. What does not fit the GPU is read once, row after row, by Sibson's
 * SLINK: lambda[j] is the edge at which the cluster whose last point is j joins one with a later point, pi[j]
 * the last point of that. Of all j these edges are the tree: each merge ends one cluster as the earlier of
 * two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "dist/source.h"
#include "linkage/linkage.h"
#include "tree/tree.h"

#define BLOCK_VALUES ((size_t)1 << 20) /* of rows read at a time, about */
#define ROWS 8u                        /* a thread reads at a time */
#define RESIDENT_MOST ((size_t)1 << 30)

/* ---- reading ----------------------------------------------------------------------------------- */

typedef struct checked {
    const glshape_source *source;
    bool refused;
} checked;

static bool is_distance(float d) { return d >= 0 && d < DIST_NONE; }

/* The first column, but for the diagonal, that has no distance; n if all have. */
static size_t bad_column(const float *row, size_t n, size_t diagonal) {
    size_t bad = 0, at = 0;
    for (size_t j = 0; j < n; j++) bad += !is_distance(row[j]);
    if (bad == !is_distance(row[diagonal])) return n;
    while (is_distance(row[at]) || at == diagonal) at++;
    return at;
}

/* The source's rows, if all values off the diagonal are distances. */
static bool read_checked(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    checked *c = user;
    size_t n = c->source->n;
    if (!c->source->reader(c->source->user, first, count, out, message, size)) return false;
    for (size_t i = 0; i < count; i++) {
        size_t bad = bad_column(out + i * n, n, first + i);
        if (bad == n) continue;
        snprintf(message, size, "row %zu, column %zu: %g is no distance", first + i + 1, bad + 1,
                 (double)out[i * n + bad]);
        c->refused = true;
        return false;
    }
    return true;
}

/* ---- on the GPU -------------------------------------------------------------------------------- */

static glshape_status upload(gpu *g, const dist_reader *reader, gpu_texture *matrix) {
    uint32_t *order;
    TRY(allocate(gpu_error(g), &order, reader->n, sizeof *order, "the order of the points"));
    for (uint32_t i = 0; i < reader->n; i++) order[i] = i;
    glshape_status status = dist_upload_matrix(g, reader, order, "the distance matrix", NULL, matrix);
    free(order);
    return status;
}

static glshape_status resident(gpu *g, const dist_reader *reader, linkage_tree *tree,
                               glshape_linkage_result *r) {
    gpu_texture matrix = {0};
    tree_forest f = {0};
    glshape_status status = upload(g, reader, &matrix);
    if (!status) status = tree_mst_dense(g, &matrix, reader->n, false, &f);
    gpu_texture_free(g, &matrix);
    for (uint32_t k = 0; k < f.count; k++) {
        tree->i[k] = f.i[k];
        tree->j[k] = f.j[k];
        tree->height[k] = f.weight[k];
    }
    tree->count = f.count;
    r->rounds = (int)f.rounds;
    tree_forest_free(&f);
    return status;
}

/* ---- row by row -------------------------------------------------------------------------------- */

/* An edge {lo, hi} as a number: bits of its distance, lo; then hi. */
typedef struct edge {
    uint64_t key;
    uint32_t hi;
} edge;

static const edge none = {UINT64_MAX, UINT32_MAX};

typedef struct slink {
    edge *lambda, *nearest; /* nearest: from the new point to the cluster whose last point is j, as far as
                               points before j tell; none before and after */
    uint32_t *pi;
} slink;

static bool less(edge a, edge b) { return a.key < b.key || (a.key == b.key && a.hi < b.hi); }

static void lower(edge *to, edge e) {
    if (less(e, *to)) *to = e;
}

/* Adds point i, whose distances to the points before it are in row. */
static void add_point(slink *s, uint32_t i, const float *row) {
    s->lambda[i] = s->nearest[i] = none;
    s->pi[i] = i;
    for (uint32_t j = 0; j < i; j++) {
        float d = row[j] + 0.0f; /* -0 is 0 */
        uint32_t bits;
        memcpy(&bits, &d, sizeof bits);
        edge old = s->lambda[j], new = {(uint64_t)bits << 32 | j, i};
        lower(&new, s->nearest[j]);
        s->nearest[j] = none;
        bool sooner = less(new, old);
        lower(&s->nearest[s->pi[j]], sooner ? old : new);
        if (sooner) s->lambda[j] = new, s->pi[j] = i;
    }
    for (uint32_t j = 0; j < i; j++)
        if (less(s->lambda[s->pi[j]], s->lambda[j])) s->pi[j] = i;
}

/* Rows [first, first + count) are read while the `before` rows before them are added. */
typedef struct rows_job {
    const dist_reader *reader;
    slink *s;
    uint32_t added, before, first, count;
    float *ready, *read;
} rows_job;

static glshape_status do_some(error *err, void *user, uint64_t block, void *scratch) {
    const rows_job *j = user;
    uint32_t n = j->reader->n;
    (void)scratch;
    if (!block) {
        for (uint32_t k = 0; k < j->before; k++) add_point(j->s, j->added + k, j->ready + (size_t)k * n);
        return GLSHAPE_OK;
    }
    uint32_t from = (uint32_t)(block - 1) * ROWS, count = j->count - from < ROWS ? j->count - from : ROWS;
    return dist_read_raw(err, j->reader, j->first + from, count, j->read + (size_t)from * n);
}

static glshape_status stream_rows(gpu *g, const dist_reader *reader, slink *s, uint32_t at_once,
                                  float *rows) {
    uint32_t n = reader->n;
    rows_job j = {.reader = reader, .s = s, .ready = rows, .read = rows + (size_t)at_once * n};
    while (j.added < n) {
        j.count = n - j.first < at_once ? n - j.first : at_once;
        threads_job work = {.work = do_some,
                            .user = &j,
                            .blocks = 1 + (j.count + ROWS - 1) / ROWS,
                            .name = "rows of distances"};
        TRY(threads_do(gpu_error(g), &work));
        j = (rows_job){reader, s, j.first, j.count, j.first + j.count, 0, j.read, j.ready};
        TRY(gpu_tick(g, (double)j.added / n));
    }
    return GLSHAPE_OK;
}

static void take_edges(const slink *s, linkage_tree *tree) {
    for (uint32_t j = 0; j + 1 < tree->n; j++) {
        uint32_t bits = (uint32_t)(s->lambda[j].key >> 32);
        float distance;
        memcpy(&distance, &bits, sizeof distance);
        tree->i[j] = (uint32_t)s->lambda[j].key;
        tree->j[j] = s->lambda[j].hi;
        tree->height[j] = distance;
    }
    tree->count = tree->n - 1;
}

static glshape_status stream(gpu *g, const dist_reader *reader, linkage_tree *tree) {
    error *err = gpu_error(g);
    slink s = {0};
    float *rows = NULL;
    uint32_t n = reader->n, at_once = (uint32_t)(BLOCK_VALUES / n / ROWS + 1) * ROWS;
    glshape_status status = allocate(err, &s.lambda, n, sizeof *s.lambda, "the tree");
    if (!status) status = allocate(err, &s.nearest, n, sizeof *s.nearest, "distances of a point");
    if (!status) status = allocate(err, &s.pi, n, sizeof *s.pi, "the tree");
    if (!status) status = allocate(err, &rows, 2 * at_once, n * sizeof *rows, "rows of distances");
    if (!status) status = stream_rows(g, reader, &s, at_once, rows);
    if (!status) take_edges(&s, tree);
    free(s.lambda);
    free(s.nearest);
    free(s.pi);
    free(rows);
    return status;
}

/* ---- either ------------------------------------------------------------------------------------ */

/* A software renderer gains nothing by a copy of the matrix. */
static bool fits(gpu *g, uint32_t n) {
    size_t limit = gpu_memory_limit(g), needed = gpu_texture_bytes(g, GPU_RGBA32F, n, (n + 3) / 4);
    return !gpu_is_software(g) && needed <= RESIDENT_MOST && (!limit || needed + 64 * (size_t)n <= limit);
}

glshape_status linkage_matrix(gpu *g, const glshape_source *source, linkage_tree *tree,
                              glshape_linkage_result *r) {
    checked c = {.source = source};
    dist_reader reader = {.read = read_checked, .user = &c, .n = (uint32_t)source->n, .unit = 1};
    bool on_gpu =
        source->keep == GLSHAPE_RESIDENT || (source->keep == GLSHAPE_KEEP_AUTO && fits(g, reader.n));
    if (source->n < 2) return GLSHAPE_OK;
    glshape_status status = on_gpu ? resident(g, &reader, tree, r) : stream(g, &reader, tree);
    return status && c.refused ? GLSHAPE_BAD_INPUT : status;
}
