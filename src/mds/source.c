/* The source of a layout: checked, scaled, and brought to the GPU whole, as a table or by pages. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mds/state.h"

#define RESIDENT_BYTES (1u << 30) /* a larger matrix is paged unless the caller says otherwise */
#define TABLE_BYTES (1u << 28)    /* dissimilarities of dear rows are tabulated up to this … */
#define DEAR_COLUMNS 128u         /* … dear: dense rows longer than this, and all sparse rows */
#define SAMPLED_ROWS 16u          /* for the scale of a matrix */
#define SAMPLED_PAIRS 1024        /* for the scale of a feeder */

/* ---- checks ------------------------------------------------------------------------------------ */

/* Refuses a graph in several pieces: the distance between them is infinite. */
static glshape_status check_connected(error *err, const glshape_graph *graph) {
    OWNED uint32_t *component = NULL;
    OWNED uint32_t *sizes = NULL;
    uint32_t count = 0, largest = 0;
    TRY(allocate(err, &component, graph->nodes, sizeof *component, "the components of the graph"));
    TRY(dist_components(err, graph, component, &count, &sizes));
    if (count == 1) return GLSHAPE_OK;
    for (uint32_t i = 0; i < count; i++) largest = sizes[i] > largest ? sizes[i] : largest;
    return fail(err, GLSHAPE_BAD_INPUT,
                "the graph is in %u pieces (the largest has %u of %zu nodes), which are infinitely far "
                "apart; lay out each by itself (--components)",
                count, largest, graph->nodes);
}

glshape_status mds_check_source(error *err, const glshape_source *source, size_t *n) {
    TRY(dist_source_check(err, source,
                          DIST_OF_POINTS | DIST_OF_SPARSE | DIST_OF_GRAPH | DIST_OF_READER | DIST_OF_FEEDER,
                          "a layout is of points, sparse rows, a graph, a reader or a feeder"));
    *n = source->points   ? source->points->rows
         : source->sparse ? source->sparse->rows
         : source->graph  ? source->graph->nodes
                          : source->n;
    if (source->points) return dist_points_check(err, source->points);
    if (source->sparse) return dist_sparse_check(err, source->sparse, NULL, source->metric);
    if (*n >= 2 && *n <= 0x7fffffffu) return source->graph ? check_connected(err, source->graph) : GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "the source has %zu point%s; a layout needs at least 2, and at most 2^31-1", *n,
                *n == 1 ? "" : "s");
}

/* ---- memory ------------------------------------------------------------------------------------ */

static size_t points_bytes(const mds_state *s, const glshape_matrix *m) {
    return gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, (uint32_t)((m->cols + 3) / 4));
}

bool mds_should_page(const mds_state *s, const glshape_source *source) {
    if (source->feeder || source->keep == GLSHAPE_KEEP_PAGED) return true;
    size_t bytes = gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, (s->n + 3) / 4), limit = gpu_memory_limit(s->g);
    if (source->keep == GLSHAPE_KEEP_RESIDENT) return false;
    return bytes > RESIDENT_BYTES || (limit && mds_plus(times(2, bytes), mds_weight_bytes(s)) > limit);
}

size_t mds_source_bytes(const mds_state *s, const glshape_source *source) {
    if (source->points) return points_bytes(s, source->points);
    if (source->sparse) return dist_sparse_bytes(s->g, source->sparse);
    return gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, mds_should_page(s, source) ? 2 : (s->n + 3) / 4);
}

/* Returns true if each pair of rows is to be compared once, into a table: where comparing costs much, and the
 * exact stress asks for all pairs anyway. The table of dense rows may take twice what the rows take: together
 * this is within the memory of the paper (Ingram 2007, figure 5.1). */
static bool should_tabulate(mds_state *s, const glshape_source *source) {
    bool dear = source->sparse || (source->points && source->points->cols > DEAR_COLUMNS);
    size_t table = dist_table_bytes(s->g, s->n), limit = gpu_memory_limit(s->g);
    if (source->points && table > times(2, points_bytes(s, source->points))) return false;
    return dear && table <= TABLE_BYTES &&
           (!limit || mds_memory_needed(s, mds_plus(mds_source_bytes(s, source), table)) <= limit);
}

/* ---- a matrix ---------------------------------------------------------------------------------- */

/* Sets the scale of a reader or feeder by a sample of its distances. */
static void set_scale(mds_state *s, const float *values, size_t count) {
    double largest = 0, squares = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        largest = fmax(largest, values[i]);
        squares += (double)values[i] * values[i];
        found++;
    }
    s->reader.unit = s->source.unit = largest > 0 ? largest : 1;
    s->source.radius = largest > 0 ? sqrt(squares / found / 2) / largest : 1;
}

static glshape_status sample_rows(mds_state *s) {
    OWNED float *rows = NULL;
    uint32_t count = s->n < SAMPLED_ROWS ? s->n : SAMPLED_ROWS;
    TRY(allocate(run_error(run_of(s->g)), &rows, count, s->n * sizeof *rows, "a sample of rows"));
    s->reader.unit = 1;
    for (uint32_t i = 0; i < count; i++)
        TRY(dist_read_raw(run_error(run_of(s->g)), &s->reader, (uint32_t)((uint64_t)i * s->n / count), 1,
                          rows + (size_t)i * s->n));
    set_scale(s, rows, (size_t)count * s->n);
    return GLSHAPE_OK;
}

/* The distances of a feeder stay in its own unit; only the radius is set. */
static glshape_status sample_pairs(mds_state *s) {
    uint32_t i[SAMPLED_PAIRS], j[SAMPLED_PAIRS];
    float found[SAMPLED_PAIRS];
    random_state r = {s->seed};
    for (int k = 0; k < SAMPLED_PAIRS; k++) {
        i[k] = random_below(&r, s->n);
        j[k] = (i[k] + 1 + random_below(&r, s->n - 1)) % s->n;
    }
    TRY(dist_pager_feed(run_error(run_of(s->g)), s->pager, SAMPLED_PAIRS, i, j, found));
    for (int k = 0; k < SAMPLED_PAIRS; k++)
        if (found[k] >= DIST_NONE) found[k] = NAN;
    set_scale(s, found, SAMPLED_PAIRS);
    s->source.radius *= s->source.unit;
    s->source.unit = 1;
    return GLSHAPE_OK;
}

/* Of several ranks each pages the rows of its own elements. */
static glshape_status make_pager(mds_state *s, const glshape_source *source) {
    dist_phase own[MDS_PHASES];
    s->source.kind = DIST_PAGES;
    s->source.paged = true;
    TRY(mds_plan_permutations(s));
    for (int i = 0; i <= MDS_ESTIMATION(s); i++) own[i] = mds_own_phase(s, i);
    dist_pager_options o = {.reader = s->reader,
                            .feeder = source->feeder,
                            .order = s->order,
                            .phases = own,
                            .phase_count = MDS_ESTIMATION(s) + (source->feeder ? 1 : 0)};
    return dist_pager_new(run_of(s->g), &o, &s->pager);
}

static glshape_status make_matrix(mds_state *s, const glshape_source *source) {
    s->reader = (dist_reader){.read = source->reader, .user = source->user, .n = s->n, .unit = 1};
    if (source->graph) {
        TRY(dist_paths_new(run_error(run_of(s->g)), source->graph, 0, &s->paths));
        s->reader =
            (dist_reader){.read = dist_paths_read, .user = s->paths, .n = s->n, .unit = 1, .alone = true};
    }
    s->source.n = s->n;
    bool paged = mds_should_page(s, source);
    if (s->reader.read) TRY(sample_rows(s));
    if (!paged) {
        double radius = s->source.radius;
        TRY(dist_matrix_new(s->g, &s->reader, s->order, &s->source));
        s->source.radius = radius;
        return GLSHAPE_OK;
    }
    TRY(make_pager(s, source));
    return source->feeder ? sample_pairs(s) : GLSHAPE_OK;
}

glshape_status mds_source_new(mds_state *s, const glshape_source *source) {
    if (source->weights) TRY(dist_weights_new(s->g, &s->weight_reader, s->order, &s->weights));
    if (!source->points && !source->sparse) return make_matrix(s, source);
    if (source->points) TRY(dist_points_new(s->g, source->points, source->metric, s->order, &s->source));
    else TRY(dist_sparse_new(s->g, source->sparse, source->metric, s->order, &s->source));
    return should_tabulate(s, source) ? dist_tabulate(s->g, &s->source) : GLSHAPE_OK;
}
