#include "mds/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mds/passes.h"

#define STAGING_ELEMENTS 16384u
#define MOST_DIM 8192             /* loops over coordinates: GPU_TURNS */
#define SPARE_BYTES (1u << 20)    /* partial sums of reductions and stress */
#define RESIDENT_BYTES (1u << 30) /* a larger matrix is paged unless asked otherwise */
#define TABLE_BYTES (1u << 28)    /* dissimilarities of dear rows are tabulated up to this … */
#define DEAR_COLUMNS 128u         /* … dense rows longer than this, and all sparse ones */
#define SAMPLED_ROWS 16u          /* for the scale of a matrix */
#define SAMPLED_PAIRS 1024        /* for that of a feeder */

/* ---- textures ---------------------------------------------------------------------------------- */

typedef struct wanted_texture {
    gpu_texture *texture;
    const char *label;
    gpu_format format;
    uint32_t elements, texels;
} wanted_texture;

enum { TEXTURES = 13 + MDS_BATCH };

/* The one list of what a layout of n points needs, for making and for forecasting. */
static void list_textures(mds_state *s, wanted_texture out[TEXTURES]) {
    uint32_t n = s->n, p = (s->dim + 3) / 4;
    const wanted_texture list[TEXTURES] = {
        {&s->perm, "the permutation", GPU_R32UI, n, 1},
        {&s->place[0], "the layout", GPU_RGBA32F, n, p},
        {&s->place[1], "the next layout", GPU_RGBA32F, n, p},
        {&s->velocity[0], "the velocities", GPU_RGBA32F, n, p},
        {&s->velocity[1], "the next velocities", GPU_RGBA32F, n, p},
        {&s->near[0], "the Near sets", GPU_RGBA32UI, n, 1},
        {&s->near[1], "the next Near sets", GPU_RGBA32UI, n, 1},
        {&s->near_high[0], "the Near distances", GPU_RGBA32F, n, 1},
        {&s->near_high[1], "the next Near distances", GPU_RGBA32F, n, 1},
        {&s->drawn, "the Random sets", GPU_RGBA32UI, n, 1},
        {&s->strain[0], "the Near strains", GPU_RGBA32F, n, 1},
        {&s->strain[1], "the Random strains", GPU_RGBA32F, n, 1},
        {&s->history, "the stress history", GPU_RG32F, MDS_BATCH, 1},
    };
    memcpy(out, list, sizeof list);
    for (uint32_t i = 0; i < MDS_BATCH; i++)
        out[13 + i] =
            (wanted_texture){&s->terms[i], "the stress terms", GPU_RG32F, !i || n <= MDS_FEW ? n : 0, 1};
}

/* Of the weights; SIZE_MAX: no texture is large enough. */
static size_t weight_bytes(const mds_state *s) {
    return s->weight_reader.read ? gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, (s->n + 3) / 4) : 0;
}

static size_t plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

/* GPU memory for the layout and a source of so many bytes. */
static size_t need_with(mds_state *s, size_t source_bytes) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    size_t need = plus(source_bytes, SPARE_BYTES);
    for (int i = 0; i < TEXTURES; i++)
        need = plus(need, gpu_texture_bytes(s->g, list[i].format, list[i].elements, list[i].texels));
    return plus(need, weight_bytes(s));
}

/* Refuses before any work if the textures would not fit the limit, with the size that would do. */
static glshape_status forecast(mds_state *s, size_t source_bytes) {
    size_t need = need_with(s, source_bytes), limit = gpu_memory_limit(s->g);
    if (weight_bytes(s) == SIZE_MAX)
        return fail(gpu_error(s->g), GLSHAPE_NO_GPU_MEMORY,
                    "the weights of all pairs of %u points do not fit the textures of %s (%d × %d texels): "
                    "they are kept on the GPU, 4 bytes each",
                    s->n, gpu_renderer(s->g), gpu_get_limits(s->g)->texture_size,
                    gpu_get_limits(s->g)->texture_size);
    if (need == SIZE_MAX)
        return fail(gpu_error(s->g), GLSHAPE_BAD_ARGUMENT,
                    "%u points in %u dimensions do not fit the textures of %s (%d × %d texels)", s->n, s->dim,
                    gpu_renderer(s->g), gpu_get_limits(s->g)->texture_size,
                    gpu_get_limits(s->g)->texture_size);
    if (!limit || need <= limit) return GLSHAPE_OK;
    return fail(gpu_error(s->g), GLSHAPE_NO_GPU_MEMORY,
                "a layout of %u points in %u dimensions%s needs %zu MiB of GPU memory, but the limit is %.3g "
                "MiB; raise it to %zuM",
                s->n, s->dim, s->weight_reader.read ? ", with weights," : "", (need >> 20) + 1,
                (double)limit / (1 << 20), (need >> 20) + 1);
}

static glshape_status make_textures(mds_state *s) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    for (int i = 0; i < TEXTURES; i++)
        TRY(gpu_texture_new(s->g, list[i].texture, list[i].label, list[i].format, list[i].elements,
                            list[i].texels));
    return GLSHAPE_OK;
}

/* ---- beginnings -------------------------------------------------------------------------------- */

/* Uniform in a cube as wide as the data. */
glshape_status mds_scatter(mds_state *s) {
    uint32_t width = s->place[0].texels * 4, block = s->n < STAGING_ELEMENTS ? s->n : STAGING_ELEMENTS;
    float *staging = NULL;
    TRY(allocate(gpu_error(s->g), &staging, block, width * sizeof *staging, "staging of the layout"));
    glshape_status status = GLSHAPE_OK;
    for (uint32_t first = 0; first < s->n && !status; first += block) {
        uint32_t count = s->n - first < block ? s->n - first : block;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t c = 0; c < s->dim; c++)
                staging[(size_t)i * width + c] =
                    (float)(s->source.radius * (2 * random_unit(&s->random) - 1));
        status = gpu_upload(s->g, &s->place[0], first, count, staging);
    }
    free(staging);
    return status;
}

/* ---- sources ----------------------------------------------------------------------------------- */

static size_t points_bytes(const mds_state *s, const glshape_matrix *m) {
    return gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, (uint32_t)((m->cols + 3) / 4));
}

/* Whether a matrix is to be paged: as asked, or if it is large. */
static bool should_page(const mds_state *s, const glshape_source *source) {
    if (source->feeder || source->keep == GLSHAPE_KEEP_PAGED) return true;
    size_t bytes = gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, (s->n + 3) / 4), limit = gpu_memory_limit(s->g);
    if (source->keep == GLSHAPE_KEEP_RESIDENT) return false;
    return bytes > RESIDENT_BYTES || (limit && plus(times(2, bytes), weight_bytes(s)) > limit);
}

static size_t source_bytes(const mds_state *s, const glshape_source *source) {
    if (source->points) return points_bytes(s, source->points);
    if (source->sparse) return dist_sparse_bytes(s->g, source->sparse);
    return gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, should_page(s, source) ? 2 : (s->n + 3) / 4);
}

/* Whether to compare each pair of rows once and for all: the exact stress at the end asks for all pairs
 * anyway. The table of dense rows may take twice what they take, with which all is within the paper's memory
 * (Ingram 2007, figure 5.1). */
static bool should_tabulate(mds_state *s, const glshape_source *source) {
    bool dear = source->sparse || (source->points && source->points->cols > DEAR_COLUMNS);
    size_t table = dist_table_bytes(s->g, s->n), limit = gpu_memory_limit(s->g);
    if (source->points && table > times(2, points_bytes(s, source->points))) return false;
    return dear && table <= TABLE_BYTES &&
           (!limit || need_with(s, plus(source_bytes(s, source), table)) <= limit);
}

/* A reader's or feeder's scale, from a sample of its distances. */
static void set_scale(mds_state *s, const float *values, size_t count) {
    double largest = 0, squares = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]) || values[i] >= DIST_NONE) continue;
        largest = fmax(largest, values[i]);
        squares += (double)values[i] * values[i];
        found++;
    }
    s->reader.unit = s->source.unit = largest > 0 ? largest : 1;
    s->source.radius = largest > 0 ? sqrt(squares / found / 2) / largest : 1;
}

static glshape_status sample_rows(mds_state *s) {
    float *rows = NULL;
    uint32_t count = s->n < SAMPLED_ROWS ? s->n : SAMPLED_ROWS;
    TRY(allocate(gpu_error(s->g), &rows, count, s->n * sizeof *rows, "a sample of rows"));
    glshape_status status = GLSHAPE_OK;
    s->reader.unit = 1;
    for (uint32_t i = 0; i < count && !status; i++)
        status = dist_read_rows(gpu_error(s->g), &s->reader, (uint32_t)((uint64_t)i * s->n / count), 1,
                                rows + (size_t)i * s->n, NULL);
    if (!status) set_scale(s, rows, (size_t)count * s->n);
    free(rows);
    return status;
}

/* A feeder's distances stay in its own unit. */
static glshape_status sample_pairs(mds_state *s) {
    uint32_t i[SAMPLED_PAIRS], j[SAMPLED_PAIRS];
    float found[SAMPLED_PAIRS];
    random_state r = {s->seed};
    for (int k = 0; k < SAMPLED_PAIRS; k++) {
        i[k] = random_below(&r, s->n);
        j[k] = (i[k] + 1 + random_below(&r, s->n - 1)) % s->n;
    }
    TRY(dist_pager_feed(gpu_error(s->g), s->pager, SAMPLED_PAIRS, i, j, found));
    set_scale(s, found, SAMPLED_PAIRS);
    s->source.radius *= s->source.unit;
    s->source.unit = 1;
    return GLSHAPE_OK;
}

static glshape_status make_pager(mds_state *s, const glshape_source *source) {
    s->source.kind = DIST_PAGES;
    s->source.paged = true;
    TRY(mds_plan_permutations(s));
    dist_pager_options o = {.reader = s->reader,
                            .feeder = source->feeder,
                            .order = s->order,
                            .phases = s->phases,
                            .phase_count = MDS_ESTIMATION(s) + (source->feeder ? 1 : 0)};
    return dist_pager_new(s->g, &o, &s->pager);
}

/* A graph in several pieces has no layout: the distance between them is infinite. */
static glshape_status check_connected(error *err, const glshape_graph *graph) {
    uint32_t *component = NULL, *sizes = NULL, count = 0, largest = 0;
    TRY(allocate(err, &component, graph->nodes, sizeof *component, "the components of the graph"));
    glshape_status status = dist_components(err, graph, component, &count, &sizes);
    for (uint32_t i = 0; i < count && !status; i++) largest = sizes[i] > largest ? sizes[i] : largest;
    free(component);
    free(sizes);
    if (status || count == 1) return status;
    return fail(err, GLSHAPE_BAD_INPUT,
                "the graph is in %u pieces (the largest has %u of %zu nodes), which are infinitely far "
                "apart; lay out each by itself (--components)",
                count, largest, graph->nodes);
}

static glshape_status make_paths(mds_state *s, const glshape_graph *graph) {
    TRY(dist_paths_new(gpu_error(s->g), graph, 0, 0, &s->paths));
    s->reader = (dist_reader){dist_paths_read, s->paths, s->n, 1, true};
    return GLSHAPE_OK;
}

static glshape_status make_matrix(mds_state *s, const glshape_source *source) {
    s->reader = (dist_reader){source->reader, source->user, s->n, 1, false};
    if (source->graph) TRY(make_paths(s, source->graph));
    s->source.n = s->n;
    bool paged = should_page(s, source);
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

static glshape_status make_source(mds_state *s, const glshape_source *source) {
    if (source->weights) TRY(dist_weights_new(s->g, &s->weight_reader, s->order, &s->weights));
    if (!source->points && !source->sparse) return make_matrix(s, source);
    if (source->points) TRY(dist_points_new(s->g, source->points, source->metric, s->order, &s->source));
    else TRY(dist_sparse_new(s->g, source->sparse, source->metric, s->order, &s->source));
    return should_tabulate(s, source) ? dist_tabulate(s->g, &s->source) : GLSHAPE_OK;
}

/* Which member is set, and whether it can be laid out. */
static glshape_status check_source(error *err, const glshape_source *source, size_t *n) {
    int set = !!source->points + !!source->sparse + !!source->graph + !!source->reader + !!source->feeder;
    if (set != 1)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "a source is points, sparse rows, a graph, a reader or a feeder: %d of them are set",
                    set);
    if ((int)source->metric < 0 || source->metric > GLSHAPE_METRIC_CORRELATION)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no metric %d", (int)source->metric);
    *n = source->points   ? source->points->rows
         : source->sparse ? source->sparse->rows
         : source->graph  ? source->graph->nodes
                          : source->n;
    if (source->points) return dist_points_check(err, source->points);
    if (source->sparse) return dist_sparse_check(err, source->sparse, source->metric);
    if (*n >= 2 && *n <= 0x7fffffffu) return source->graph ? check_connected(err, source->graph) : GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "the source has %zu point%s; a layout needs at least 2, and at most 2^31-1", *n,
                *n == 1 ? "" : "s");
}

static glshape_status begin(mds_state *s, const glshape_source *source, bool single) {
    TRY(forecast(s, source_bytes(s, source)));
    TRY(allocate(gpu_error(s->g), &s->order, s->n, sizeof *s->order, "the order of the points"));
    random_permutation(&s->random, s->n, s->order);
    TRY(mds_plan(s, single, source->reader || source->feeder || source->graph));
    TRY(make_source(s, source));
    return make_textures(s);
}

glshape_status mds_check_options(error *err, const glshape_mds_options *o, uint32_t *out) {
    int dim = o->dim ? o->dim : 2;
    *out = (uint32_t)dim;
    if (dim < 1) return fail(err, GLSHAPE_BAD_ARGUMENT, "dim is %d; it must be at least 1", dim);
    if (o->method != GLSHAPE_MDS_GLIMMER && o->method != GLSHAPE_MDS_GPU_SF)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no method %d", (int)o->method);
    if (dim <= MOST_DIM) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "dim is %d; layouts of more than %d dimensions do not fit", dim,
                MOST_DIM);
}

glshape_status mds_state_new(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                             mds_state *s) {
    size_t n = 0;
    *s = (mds_state){.g = g, .seed = o->seed, .random = {o->seed}};
    TRY(mds_check_options(gpu_error(g), o, &s->dim));
    TRY(check_source(gpu_error(g), source, &n));
    s->n = (uint32_t)n;
    s->weight_reader = (dist_reader){source->weights, source->weights_user, s->n, 1, false};
    glshape_status status = begin(s, source, o->method == GLSHAPE_MDS_GPU_SF);
    if (status) mds_state_free(s);
    return status;
}

/* ---- endings ----------------------------------------------------------------------------------- */

void mds_state_free(mds_state *s) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    for (int i = 0; i < TEXTURES; i++) gpu_texture_free(list[i].texture);
    gpu_texture_free(&s->weights);
    prim_scratch_free(&s->scratch);
    dist_pager_free(s->pager);
    dist_paths_free(s->paths);
    s->pager = NULL;
    s->paths = NULL;
    mds_free_plan(s);
    dist_source_free(&s->source);
    free(s->order);
    s->order = NULL;
}

glshape_status mds_progress(mds_state *s, double point_iterations) {
    s->work_done += point_iterations;
    return gpu_tick(s->g, s->work_done < s->work ? s->work_done / s->work : 1);
}
