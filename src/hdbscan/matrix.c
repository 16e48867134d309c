/* The tree of a matrix of distances, or of sparse rows, by mutual reachability. The matrix is read twice: for
 * core distances, then raised, as linkage reads it. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "hdbscan/hdbscan.h"

#define ROWS 8u /* that a thread reads at a time */

/* A matrix, and its core distances. */
typedef struct raised {
    const glshape_source *source;
    linkage_checked checked;
    uint32_t within; /* neighbors within the core distance */
    uint64_t own;    /* the first block of rows that this rank finds core distances of */
    double alpha;
    double *core;
} raised;

/* ---- core distances ---------------------------------------------------------------------------- */

/* Moves values below the pivot before those above it; returns the last place of the first part (Hoare). */
static size_t partition(double *value, size_t low, size_t high) {
    double pivot = value[low + (high - low) / 2];
    for (;; low++, high--) {
        while (value[low] < pivot) low++;
        while (value[high] > pivot) high--;
        if (low >= high) return high;
        double swap = value[low];
        value[low] = value[high];
        value[high] = swap;
    }
}

/* The value that would be at place k if the values were in order. Moves them. */
static double select_value(double *value, size_t count, size_t k) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = partition(value, low, high);
        if (k <= middle) high = middle;
        else low = middle + 1;
    }
    return value[k];
}

static glshape_status find_cores(error *err, void *user, uint64_t block, void *scratch) {
    raised *m = user;
    size_t n = m->source->n;
    dist_reader reader = linkage_checked_reader(&m->checked);
    uint32_t first = (uint32_t)(m->own + block) * ROWS,
             count = reader.n - first < ROWS ? reader.n - first : ROWS;
    double *row = scratch;
    TRY(dist_read_doubles(err, &reader, first, count, row));
    for (uint32_t i = first; i < first + count; i++, row += n) {
        row[i] = row[n - 1]; /* the diagonal does not count */
        m->core[i] = m->within ? select_value(row, n - 1, m->within - 1) : 0;
    }
    return GLSHAPE_OK;
}

/* ---- reading raised ---------------------------------------------------------------------------- */

static double larger(double a, double b) { return a < b ? b : a; }

/* A glshape_double_reader of the mutual reachabilities. */
static bool read_raised_double(void *user, uint32_t first, uint32_t count, double *out, char *message,
                               size_t size) {
    raised *m = user;
    size_t n = m->source->n;
    dist_reader reader = {.read = m->source->reader,
                          .read_double = m->source->double_reader,
                          .user = m->source->user,
                          .n = (uint32_t)n};
    if (!dist_ask_doubles(&reader, first, count, out, message, size)) return false;
    for (uint32_t i = first; i < first + count; i++, out += n)
        for (size_t j = 0; j < n; j++) out[j] = larger(out[j] / m->alpha, larger(m->core[i], m->core[j]));
    return true;
}

/* The same of a matrix in single precision with an alpha of 1: none is rounded. */
static bool read_raised(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const raised *m = user;
    size_t n = m->source->n;
    if (!m->source->reader(m->source->user, first, count, out, message, size)) return false;
    noise_clear(out, n, first, count, NOISE_TOLERANCE);
    for (uint32_t i = first; i < first + count; i++, out += n)
        for (size_t j = 0; j < n; j++) out[j] = (float)larger((double)out[j], larger(m->core[i], m->core[j]));
    return true;
}

static glshape_status tree_of_matrix(gpu *g, const glshape_source *source, linkage_tree *tree,
                                     glshape_hdbscan_result *r) {
    double since = wall_seconds();
    run_begin_stage(run_of(g), "cores", RUN_NOT_BY_PASSES);
    raised m = {.source = source, .checked = {.source = source}, .alpha = r->options.alpha, .core = r->core};
    m.within = (uint32_t)r->options.min_samples - 1;
    uint64_t end, blocks = (r->n + ROWS - 1) / ROWS;
    ranks_share(run_ranks(run_of(g)), blocks, 1, &m.own, &end);
    threads_job work = {.work = find_cores,
                        .user = &m,
                        .blocks = end - m.own,
                        .scratch_bytes = ROWS * r->n * sizeof(double),
                        .name = "rows of distances"};
    glshape_status status = threads_do(run_error(run_of(g)), &work);
    if (status) return m.checked.refused ? GLSHAPE_BAD_INPUT : status;
    TRY(ranks_gather(run_ranks(run_of(g)), run_error(run_of(g)), r->core, sizeof *r->core, r->n, ROWS));
    r->seconds.cores = clock_lap(&since);
    bool in_double = source->double_reader || m.alpha != 1;
    glshape_source reach = {.reader = read_raised,
                            .double_reader = in_double ? read_raised_double : NULL,
                            .user = &m,
                            .n = r->n,
                            .keep = source->keep};
    return linkage_matrix(g, &reach, tree, &r->components);
}

glshape_status hdbscan_matrix(gpu *g, const glshape_source *source, linkage_tree *tree,
                              glshape_hdbscan_result *r) {
    OWNED_BY(linkage_sparse_free) linkage_sparse_rows rows = {0};
    if (source->reader) return tree_of_matrix(g, source, tree, r);
    TRY(dist_sparse_rows_new(run_error(run_of(g)), source, &rows.rows));
    rows.whole = true;
    glshape_source matrix = linkage_sparse_source(&rows);
    return tree_of_matrix(g, &matrix, tree, r);
}
