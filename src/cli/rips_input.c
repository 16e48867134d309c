#include "cli/rips_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/graph/graph.h"
#include "io/graph/scipy.h"
#include "io/market.h"
#include "io/read.h"
#include "io/text.h"

/* ---- before any work --------------------------------------------------------------------------- */

static glshape_status check_format(session *s) {
    io_distance_format format;
    glshape_status status = io_distance_format_from_name(&s->err, s->format, &format);
    if (!status) return GLSHAPE_OK;
    error why = s->err;
    return fail(&s->err, status, "%s; also sparse and point-cloud", why.text);
}

glshape_status rips_input_check(session *s, rips_input *in) {
    if (s->format && !strcmp(s->format, "point-cloud")) in->kind = RIPS_POINTS, in->as_ripser = true;
    if (s->format && !strcmp(s->format, "sparse")) in->kind = RIPS_SPARSE;
    if (s->format && in->kind == RIPS_DISTANCES) TRY(check_format(s));
    TRY(session_check_columns(s, in->kind == RIPS_POINTS));
    if (in->metric && in->kind != RIPS_POINTS)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--metric goes with --input points");
    TRY(session_read_p(s, in->p_text, in->metric, &in->p));
    if (in->symmetrize && in->kind != RIPS_DISTANCES)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--symmetrize goes with a matrix of distances");
    return GLSHAPE_OK;
}

/* ---- distances and points ---------------------------------------------------------------------- */

/* scipy's .npz, by its first array, and not one of other arrays. */
static bool is_scipy(const io_stream *file) {
    static const char *const arrays[] = {"indices.npy", "indptr.npy", "row.npy", "col.npy", "format.npy"};
    const char *name = file->window + file->at + 30; /* behind the member's header */
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && io_scipy_starts(file); i++)
        if (file->have >= 30 + strlen(arrays[i]) && !memcmp(name, arrays[i], strlen(arrays[i]))) return true;
    return false;
}

static bool is_sparse(const session *s) {
    OWNED_BY(io_stream_close) io_stream file = {.fd = -1};
    if (!strcmp(s->input, "-") || io_stream_open(NULL, s->input, &file)) return false;
    return is_scipy(&file) || io_market_starts(&file);
}

/* Points are what most often is no matrix of distances. */
static glshape_status open_distances(session *s, io_distance_format format, rips_input *in) {
    glshape_status status = io_distances_open(&s->err, s->input, format, &in->distances);
    if (status != GLSHAPE_BAD_INPUT || s->format) return status;
    error why = s->err;
    if (is_sparse(s))
        return fail(&s->err, status, "%s is a sparse matrix: read it with --format sparse",
                    io_input_name(s->input));
    return fail(&s->err, status, "%s; rows of coordinates are --input points", why.text);
}

static glshape_status read_distances(session *s, rips_input *in) {
    io_distance_format format = IO_DISTANCES_AUTO;
    if (s->format) TRY(io_distance_format_from_name(&s->err, s->format, &format));
    TRY(open_distances(s, format, in));
    if (in->symmetrize) TRY(io_distances_symmetrize(&s->err, in->distances));
    io_distances_take(in->distances, false, true);
    TRY(io_distances_check(&s->err, in->distances, 0, session_progress, s, NULL));
    in->source = (glshape_source){
        .reader = io_distances_reader, .user = in->distances, .n = io_distances_count(in->distances)};
    return GLSHAPE_OK;
}

/* Whether single precision has fewer digits for what some column's values differ by than for the values. */
static bool is_far_out(const glshape_matrix *m) {
    const double *x = m->data;
    for (size_t c = 0; c < m->cols; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t r = 0; r < m->rows; r++) {
            low = fmin(low, x[r * m->cols + c]);
            high = fmax(high, x[r * m->cols + c]);
        }
        if (high > low && fmax(-low, high) > 2 * (high - low)) return true;
    }
    return false;
}

/* Rounds doubles to floats, as Ripser reads them, so that equal distances are those that it finds equal. */
static glshape_status round_points(session *s, glshape_matrix *m) {
    OWNED double *x = m->data;
    float *rounded;
    m->data = NULL;
    TRY(allocate(&s->err, &rounded, times(m->rows, m->cols), sizeof *rounded, "the points"));
    for (size_t k = 0; k < m->rows * m->cols; k++) rounded[k] = (float)x[k];
    m->type = GLSHAPE_F32;
    m->data = rounded;
    return GLSHAPE_OK;
}

static glshape_status read_points(session *s, rips_input *in) {
    TRY(session_read_points(s, &in->points));
    if (in->as_ripser && in->points.type == GLSHAPE_F64 && !is_far_out(&in->points))
        TRY(round_points(s, &in->points));
    io_note_distances(&s->err, s->input, &in->points);
    in->source = (glshape_source){.points = &in->points, .metric = (glshape_metric)in->metric, .p = in->p};
    return GLSHAPE_OK;
}

/* ---- sparse distances -------------------------------------------------------------------------- */

/* Reads and checks row k of the triplets. */
static glshape_status parse_triplet(session *s, rips_input *in, size_t k, size_t ends[2], float *distance) {
    const double *row = (const double *)in->points.data + 3 * k;
    for (int i = 0; i < 2; i++) {
        if (!(row[i] >= 0 && row[i] < UINT32_MAX - 1.0 && row[i] == floor(row[i])))
            return fail(&s->err, GLSHAPE_BAD_INPUT,
                        "%s: row %zu, column %d: %g is no number of a point (0, 1, ...)",
                        io_input_name(s->input), k + 1, i + 1, row[i]);
        ends[i] = (size_t)row[i];
    }
    *distance = (float)row[2];
    if (*distance >= 0) return GLSHAPE_OK;
    return fail(&s->err, GLSHAPE_BAD_INPUT, "%s: row %zu, column 3: %g is no distance",
                io_input_name(s->input), k + 1, row[2]);
}

/* Counts the neighbors of each point into start; or, if `to` is not NULL, puts the neighbors where start
 * says. */
static glshape_status place_neighbors(session *s, rips_input *in, size_t *start, uint32_t *to,
                                      float *weight) {
    for (size_t k = 0; k < in->points.rows; k++) {
        size_t ends[2];
        float distance;
        TRY(parse_triplet(s, in, k, ends, &distance));
        for (int i = 0; i < 2; i++) {
            size_t at = start[ends[i] + 1]++;
            if (to) to[at] = (uint32_t)ends[!i], weight[at] = distance;
        }
    }
    return GLSHAPE_OK;
}

static glshape_status count_points(session *s, rips_input *in) {
    size_t ends[2], *n = &in->graph.nodes;
    float distance;
    for (size_t k = 0; k < in->points.rows; k++) {
        TRY(parse_triplet(s, in, k, ends, &distance));
        for (int i = 0; i < 2; i++) *n = ends[i] >= *n ? ends[i] + 1 : *n;
    }
    return GLSHAPE_OK;
}

glshape_status rips_input_list_neighbors(session *s, rips_input *in) {
    size_t n = in->graph.nodes, *start;
    uint32_t *to;
    float *weight;
    error *err = &s->err;
    if (in->kind != RIPS_SPARSE || in->graph.start) return GLSHAPE_OK;
    TRY(allocate(err, &start, n + 2, sizeof *start, "the distances"));
    in->graph.start = start;
    TRY(place_neighbors(s, in, start, NULL, NULL)); /* start[v + 1]: neighbors of v */
    TRY(allocate(err, &to, 2 * in->points.rows, sizeof *to, "the distances"));
    in->graph.to = to;
    TRY(allocate(err, &weight, 2 * in->points.rows, sizeof *weight, "the distances"));
    in->graph.weight = weight;
    for (size_t v = 0, sum = 0; v <= n; v++) { /* start[v + 1]: first neighbor of v */
        size_t count = start[v + 1];
        start[v + 1] = sum;
        sum += v < n ? count : 0;
    }
    return place_neighbors(s, in, start, to, weight); /* start[v + 1]: one past the last */
}

/* A matrix of scipy or of Matrix Market: entries that are not there are points that are never joined; one
 * that is there on one side of the diagonal only counts for both. */
static glshape_status read_matrix(session *s, io_stream *file, rips_input *in) {
    OWNED_BY(io_graph_free) io_graph graph = {.edges = 0};
    TRY(io_read_adjacency_stream(&s->err, file, IO_GRAPH_HEIGHTS, &graph));
    in->graph = MOVE(graph.graph);
    in->source = (glshape_source){.graph = &in->graph};
    return GLSHAPE_OK;
}

static glshape_status read_sparse(session *s, rips_input *in) {
    OWNED_BY(io_stream_close) io_stream file = {.fd = -1};
    TRY(io_stream_open(&s->err, s->input, &file));
    if (io_scipy_starts(&file) || io_market_starts(&file)) return read_matrix(s, &file, in);
    TRY(io_check_text(&s->err, &file));
    TRY(io_text_read(&s->err, &file, (io_text_rules){.delimiters = "\t;, "}, &in->points));
    if (in->points.cols != 3)
        return fail(&s->err, GLSHAPE_BAD_INPUT,
                    "%s: %zu columns; sparse distances have three: two points and a distance",
                    io_input_name(s->input), in->points.cols);
    TRY(count_points(s, in));
    in->source = (glshape_source){.graph = &in->graph};
    return GLSHAPE_OK;
}

/* ---- weights ------------------------------------------------------------------------------------ */

static glshape_status read_weights(session *s, rips_input *in) {
    OWNED_BY(io_matrix_free) glshape_matrix m = {0};
    const char *name = io_input_name(in->weights_path);
    size_t n = rips_input_count(in);
    TRY(io_read_matrix(&s->err, in->weights_path, IO_AUTO, &m));
    if (m.rows * m.cols != n || (m.rows != n && m.cols != n))
        return fail(&s->err, GLSHAPE_BAD_INPUT,
                    "%s: %zu x %zu numbers; weights are one for each of %zu point%s", name, m.rows, m.cols, n,
                    plural(n));
    TRY(io_check_finite(&s->err, in->weights_path, &m));
    TRY(io_matrix_doubles(&s->err, &m, &in->weights));
    for (size_t i = 0; i < n; i++)
        if (in->weights[i] < 0)
            return fail(&s->err, GLSHAPE_BAD_INPUT, "%s: weight %zu is %g; it is at least 0", name, i + 1,
                        in->weights[i]);
    return GLSHAPE_OK;
}

/* ---- all ---------------------------------------------------------------------------------------- */

glshape_status rips_input_read(session *s, rips_input *in) {
    TRY(in->kind == RIPS_POINTS   ? read_points(s, in)
        : in->kind == RIPS_SPARSE ? read_sparse(s, in)
                                  : read_distances(s, in));
    return in->weights_path ? read_weights(s, in) : GLSHAPE_OK;
}

size_t rips_input_count(const rips_input *in) {
    return in->kind == RIPS_POINTS   ? in->points.rows
           : in->kind == RIPS_SPARSE ? in->graph.nodes
                                     : in->source.n;
}

void rips_input_free(rips_input *in) {
    io_distances_close(in->distances);
    io_matrix_free(&in->points);
    free(in->weights);
    free((void *)in->graph.start);
    free((void *)in->graph.to);
    free((void *)in->graph.weight);
}
