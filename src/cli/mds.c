/* glshape mds: multidimensional scaling. */
#define _XOPEN_SOURCE 700 /* access */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/mds_model.h"
#include "cli/picture.h"
#include "cli/source_input.h"
#include "io/labels.h"
#include "io/read.h"
#include "io/write.h"

#define INPUTS                                                                                              \
    "INPUT (may be gzipped; - is standard input) is, by --input,\n"                                         \
    "  points     rows of .npy, .npz, HDF5, CSV, TSV, text, or a cloud: PLY, OFF, OBJ, XYZ, PCD, GeoJSON, " \
    "WKT\n"                                                                                                 \
    "  distances  a square or condensed .npy, a full or triangular matrix as text, DIPHA, or Ripser's\n"    \
    "             binary; a square .npy or DIPHA file may be larger than memory; nan: a\n"                  \
    "             distance is missing (not with --method classical)\n"                                      \
    "  graph      Matrix Market, scipy's .npz, edge list or DIMACS .gr; distances are shortest paths\n"     \
    "  documents  Matrix Market, scipy's .npz or UCI bag of words; cosine distances by "                    \
    "default\n" INPUT_DIAGRAMS_USAGE                                                                        \
    "\n"                                                                                                    \
    "The output (-o) has a row for each point: its coordinates.\n"

static const char usage[] =
    "usage: glshape mds [OPTIONS] INPUT\n\n"
    "Lays out INPUT so that distances in the layout resemble those of the data. Prints the normalized\n"
    "stress: 0 is a perfect layout. The method is Glimmer (multilevel stochastic force) with a\n"
    "closing phase that ends near SMACOF's stress. --method classical is classical scaling (PCoA): the\n"
    "leading eigenvectors of the doubly centered squared distances, largest first; it prints what they\n"
    "explain of the trace, the sum of all eigenvalues. --method ordinal is non-metric scaling: only the\n"
    "order of the dissimilarities counts; it prints Kruskal's stress-1.\n\n" INPUTS;

static const char pcoa_usage[] =
    "usage: glshape pcoa [OPTIONS] INPUT\n\n"
    "Classical scaling, also called principal coordinates analysis: the leading eigenvectors of the\n"
    "doubly centered squared distances, largest first, each times the root of its eigenvalue. Prints\n"
    "what they explain of the trace, the sum of all eigenvalues. The same as\n"
    "'glshape mds --method classical'.\n\n" INPUTS;

enum { MOST_DIM = 8192 /* of glshape_mds */, SHOWN_POINTS = 200 /* in a Shepard diagram */ };
#define NEGATIVE 1e-6 /* of the trace: an eigenvalue below is negative by more than distances are rounded */

typedef struct mds_command {
    session s;
    int dim, attempts, method, correction, ties, decimation, coarsest;
    bool exact, transform;
    const char *label_file, *model, *saved_model, *eigenvalues, *variable_file, *biplot, *start_file,
        *align_file, *shepard;
    glshape_matrix variables, start, target;
    source_input in;
    io_labels labels;
    glshape_mds_result result;
} mds_command;

static glshape_status read_variables(mds_command *c) {
    error *err = &c->s.err;
    TRY(io_read_matrix(err, c->variable_file, IO_AUTO, &c->variables));
    TRY(io_check_finite(err, c->variable_file, &c->variables));
    if (c->variables.rows == c->in.rows) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s has %zu row%s, but %s has %zu points", c->variable_file,
                c->variables.rows, plural(c->variables.rows), io_input_name(c->s.input), c->in.rows);
}

static glshape_status read_layout(mds_command *c, const char *path, glshape_matrix *out) {
    TRY(io_read_matrix(&c->s.err, path, IO_AUTO, out));
    return io_check_finite(&c->s.err, path, out);
}

static glshape_status read_input(mds_command *c) {
    session *s = &c->s;
    TRY(source_input_read(s, &c->in));
    if (c->variable_file) TRY(read_variables(c));
    if (c->start_file && strcmp(c->start_file, "classical")) TRY(read_layout(c, c->start_file, &c->start));
    if (c->align_file) TRY(read_layout(c, c->align_file, &c->target));
    if (s->columns.labels) return io_labels_of(&s->err, &s->texts.labels, &c->labels);
    if (!c->label_file || !session_is_first()) return GLSHAPE_OK;
    return io_read_labels(&s->err, c->label_file, c->in.rows, &c->labels);
}

/* The layout of classical scaling, as one to start from. */
static glshape_status start_classical(mds_command *c) {
    glshape_mds_result r;
    glshape_source source = c->in.source;
    source.weights = NULL;
    glshape_mds_options options = {.dim = c->dim, .method = GLSHAPE_MDS_CLASSICAL};
    TRY(glshape_mds(c->s.context, &source, &options, &r));
    c->start = (glshape_matrix){GLSHAPE_F32, r.n, (size_t)r.dim, r.layout};
    r.layout = NULL;
    glshape_mds_free(&r);
    return GLSHAPE_OK;
}

static glshape_status lay_out(mds_command *c) {
    session *s = &c->s;
    TRY(session_open(s));
    c->in.asks = (c->method == GLSHAPE_MDS_GLIMMER || c->method == GLSHAPE_MDS_GPU_SF) &&
                 !c->in.weight_file && !c->start_file;
    TRY(source_input_compare(s, &c->in));
    if (c->start_file && !c->start.data) TRY(session_input_error(s, start_classical(c)));
    glshape_mds_options options = {.dim = c->dim,
                                   .method = (glshape_mds_method)c->method,
                                   .seed = s->seed,
                                   .attempts = c->attempts,
                                   .decimation = c->decimation,
                                   .coarsest = c->coarsest,
                                   .correction = (glshape_mds_correction)c->correction,
                                   .exact = c->exact,
                                   .ties = (glshape_mds_ties)c->ties,
                                   .start = c->start.data ? &c->start : NULL,
                                   .components = c->in.components};
    glshape_status status = glshape_mds(s->context, &c->in.source, &options, &c->result);
    if (status == GLSHAPE_IO_ERROR || !status) {
        bool again;
        TRY(source_input_verify(s, &c->in, &again));
        if (again) status = glshape_mds(s->context, &c->in.source, &options, &c->result);
    }
    return session_input_error(s, status);
}

static glshape_matrix layout_of(const mds_command *c) {
    return (glshape_matrix){GLSHAPE_F32, c->result.n, (size_t)c->result.dim, c->result.layout};
}

static const char *stress_name(const mds_command *c) {
    return c->method == GLSHAPE_MDS_ORDINAL ? "stress-1" : "stress";
}

static bool is_classical(const mds_command *c) { return c->method == GLSHAPE_MDS_CLASSICAL; }

/* What eigenvalue k is of the trace; 0 if that is 0. */
static double proportion(const glshape_mds_result *r, int k) {
    return r->trace > 0 ? r->eigenvalues[k] / r->trace : 0;
}

/* What the layout is of the trace. */
static double explained(const glshape_mds_result *r) {
    double sum = 0;
    for (int k = 0; k < r->dim; k++) sum += r->eigenvalues[k] > 0 ? proportion(r, k) : 0;
    return sum;
}

static glshape_status write_eigenvalues(mds_command *c) {
    const glshape_mds_result *r = &c->result;
    OWNED double *rows = NULL;
    TRY(allocate(&c->s.err, &rows, (size_t)r->dim, 2 * sizeof *rows, "the eigenvalues"));
    for (int k = 0; k < r->dim; k++) {
        rows[2 * k] = r->eigenvalues[k];
        rows[2 * k + 1] = proportion(r, k);
    }
    return io_write_matrix(&c->s.err, c->eigenvalues,
                           &(glshape_matrix){GLSHAPE_F64, (size_t)r->dim, 2, rows});
}

static glshape_status write_biplot(mds_command *c) {
    session *s = &c->s;
    OWNED double *scores = NULL;
    size_t count = c->variables.cols, dim = (size_t)c->result.dim;
    TRY(allocate(&s->err, &scores, count, dim * sizeof *scores, "the scores"));
    TRY(session_library_error(s, glshape_mds_biplot(s->context, &c->result, &c->variables, scores)));
    return io_write_matrix(&s->err, c->biplot, &(glshape_matrix){GLSHAPE_F64, count, dim, scores});
}

static glshape_status write_picture(mds_command *c) {
    glshape_matrix layout = layout_of(c);
    OWNED double *xy = NULL;
    OWNED const char **names = NULL;
    TRY(io_matrix_doubles(&c->s.err, &layout, &xy));
    TRY(session_list_names(&c->s, &names));
    const glshape_chart_scatter o = {.n = layout.rows,
                                     .dim = layout.cols,
                                     .xy = xy,
                                     .edges = c->in.source.graph,
                                     .labels = c->labels.of,
                                     .classes = (uint32_t)c->labels.classes,
                                     .names = (const char *const *)c->labels.names,
                                     .point_names = names};
    if (is_classical(c))
        return picture_write(c->s.context, &c->s.err, c->s.picture, &(glshape_chart){.scatter = &o},
                             "%.120s: %.4g %% explained", session_title(&c->s), 100 * explained(&c->result));
    return picture_write(c->s.context, &c->s.err, c->s.picture, &(glshape_chart){.scatter = &o},
                         "%.120s: %s %.4g", session_title(&c->s), stress_name(c), c->result.stress);
}

/* Points of a Shepard diagram: distances, and what they should be. */
static void place_pairs(const double *pairs, size_t count, double *xy, uint32_t *labels) {
    for (size_t k = 0; k < 2 * count; k++) {
        const double *pair = pairs + 3 * (k % count);
        xy[2 * k] = pair[0];
        xy[2 * k + 1] = k < count ? pair[1] : pair[2];
        labels[k] = k >= count;
    }
}

static glshape_status draw_pairs(mds_command *c, const double *pairs, size_t count) {
    static const char *const ordinal[] = {"distance over dissimilarity", "in their order"},
                             *const metric[] = {"distance over dissimilarity", "perfect"};
    session *s = &c->s;
    OWNED double *xy = NULL;
    OWNED uint32_t *labels = NULL;
    TRY(allocate(&s->err, &xy, count, 4 * sizeof *xy, "pairs"));
    TRY(allocate(&s->err, &labels, count, 2 * sizeof *labels, "pairs"));
    place_pairs(pairs, count, xy, labels);
    const glshape_chart_scatter o = {.n = 2 * count,
                                     .dim = 2,
                                     .xy = xy,
                                     .labels = labels,
                                     .classes = 2,
                                     .names = c->method == GLSHAPE_MDS_ORDINAL ? ordinal : metric};
    return picture_write(s->context, &s->err, c->shepard, &(glshape_chart){.scatter = &o},
                         "%.120s: Shepard diagram", session_title(s));
}

static glshape_status write_shepard(mds_command *c) {
    session *s = &c->s;
    OWNED double *pairs = NULL;
    size_t count, most = (size_t)SHOWN_POINTS * (SHOWN_POINTS - 1) / 2;
    TRY(allocate(&s->err, &pairs, most, 3 * sizeof *pairs, "pairs"));
    TRY(session_input_error(
        s, glshape_mds_shepard(s->context, &c->in.source, &c->result, SHOWN_POINTS, pairs, &count)));
    return draw_pairs(c, pairs, count);
}

/* Components of one node are counted, not listed. */
static void write_components(json *j, const glshape_mds_result *r) {
    size_t listed = 0;
    while (listed < r->component_count && r->components[listed].nodes > 1) listed++;
    json_unsigned(j, "component_count", r->component_count);
    json_unsigned(j, "isolated_nodes", r->component_count - listed);
    json_array_begin(j, "components");
    for (size_t i = 0; i < listed; i++) {
        json_object_begin(j, NULL);
        json_unsigned(j, "nodes", r->components[i].nodes);
        json_unsigned(j, "first_node", r->components[i].first);
        json_number(j, "stress", r->components[i].stress);
        json_number(j, "stress_error", r->components[i].stress_error);
        json_object_end(j);
    }
    json_array_end(j);
}

static void write_classical(json *j, const glshape_mds_result *r) {
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_integer(j, "dim", r->dim);
    json_number(j, "trace", r->trace);
    json_number(j, "explained", explained(r));
    json_number(j, "correction", r->constant);
    json_number(j, "least_eigenvalue", r->least_eigenvalue);
    json_bool(j, "converged", r->converged);
    json_integer(j, "products", r->iterations);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_array_begin(j, "eigenvalues");
    for (int k = 0; k < r->dim; k++) {
        json_object_begin(j, NULL);
        json_number(j, "value", r->eigenvalues[k]);
        json_number(j, "proportion", proportion(r, k));
        json_number(j, "residual", r->residuals[k]);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

static void write_result(json *j, const glshape_mds_result *r) {
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_integer(j, "dim", r->dim);
    json_number(j, "stress", r->stress);
    json_number(j, "stress_error", r->stress_error);
    json_integer(j, "iterations", r->iterations);
    json_integer(j, "closing_iterations", r->closing);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_unsigned(j, "pairs", r->pairs);
    json_unsigned(j, "missing", r->missing);
    json_array_begin(j, "levels");
    for (int i = 0; i < r->level_count; i++) {
        json_object_begin(j, NULL);
        json_unsigned(j, "points", r->levels[i].points);
        json_integer(j, "interpolation_iterations", r->levels[i].interpolation);
        json_integer(j, "relaxation_iterations", r->levels[i].relaxation);
        json_number(j, "sparse_stress", r->levels[i].sparse_stress);
        json_object_end(j);
    }
    json_array_end(j);
    if (r->components) write_components(j, r);
    json_object_end(j);
}

static glshape_status write_report(mds_command *c) {
    session_report *report;
    json *j;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.columns, &report, &j));
    if (is_classical(c)) write_classical(j, &c->result);
    else write_result(j, &c->result);
    const session_stage stages[] = {{"upload", c->result.seconds.upload},
                                    {"scan", c->result.seconds.scan},
                                    {"glimmer", c->result.seconds.glimmer},
                                    {"closing", c->result.seconds.closing},
                                    {"stress", c->result.seconds.stress},
                                    {"classical", c->result.seconds.classical},
                                    {"ordinal", c->result.seconds.ordinal},
                                    {"write", c->s.write_seconds},
                                    {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status write_outputs(mds_command *c) {
    session *s = &c->s;
    if (c->saved_model) TRY(mds_model_write(&s->err, c->saved_model, &c->result, &c->in.source));
    if (s->output) {
        glshape_matrix layout = layout_of(c);
        TRY(session_write_rows(s, s->output, "x", &layout));
    }
    if (c->eigenvalues) TRY(write_eigenvalues(c));
    if (c->biplot) TRY(write_biplot(c));
    if (s->picture) TRY(write_picture(c));
    if (c->shepard) TRY(write_shepard(c));
    return GLSHAPE_OK;
}

/* Tells of negative eigenvalues, distances that no points have, or of what corrects them. */
static void print_classical(mds_command *c) {
    const glshape_mds_result *r = &c->result;
    char negative[100] = "";
    double least = r->least_eigenvalue;
    if (r->constant > 0) snprintf(negative, sizeof negative, "; corrected by %.9g", r->constant);
    else if (least < -NEGATIVE * r->trace)
        snprintf(negative, sizeof negative, "; not Euclidean: the least eigenvalue is at most %.3g", least);
    fprintf(session_summary(&c->s),
            "%zu point%s in %d dimension%s: %.4g %% of the trace explained%s, %d product%s, %.2f s\n", r->n,
            plural(r->n), r->dim, plural((size_t)r->dim), 100 * explained(r), negative, r->iterations,
            plural((size_t)r->iterations), wall_seconds() - c->s.started);
}

static void print_result(mds_command *c) {
    const glshape_mds_result *r = &c->result;
    char error[40] = "";
    if (r->stress_error > 0) snprintf(error, sizeof error, " ± %.2g (sampled)", r->stress_error);
    char pieces[60] = "";
    if (r->component_count > 1) snprintf(pieces, sizeof pieces, " in %zu components", r->component_count);
    fprintf(session_summary(&c->s), "%zu point%s%s in %d dimension%s: %s %.6g%s, %d iteration%s, %.2f s\n",
            r->n, plural(r->n), pieces, r->dim, plural((size_t)r->dim), stress_name(c), r->stress, error,
            r->iterations, plural((size_t)r->iterations), wall_seconds() - c->s.started);
}

/* ---- new rows ------------------------------------------------------------------------------------ */

static glshape_status report_rows(session *s, const glshape_matrix *rows, size_t points) {
    session_report *report;
    json *j;
    TRY(session_report_begin(s, rows->rows, rows->cols, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "rows", rows->rows);
    json_unsigned(j, "points", points);
    json_object_end(j);
    return session_report_end(s, report, (session_stage[]){{NULL, 0}});
}

/* INPUT is rows that a layout gets. */
static glshape_status place_rows(mds_command *c, const mds_model *m, glshape_matrix *rows, float *layout) {
    session *s = &c->s;
    TRY(session_open(s));
    glshape_status status = glshape_mds_transform(s->context, &m->source, &m->result, rows, layout);
    TRY(session_input_error(s, status));
    glshape_matrix out = {GLSHAPE_F32, rows->rows, (size_t)m->result.dim, layout};
    if (s->output) TRY(session_write_rows(s, s->output, "x", &out));
    if (s->report) TRY(report_rows(s, rows, m->result.n));
    fprintf(session_summary(s), "%zu row%s placed among %zu points in %d dimension%s, %.2f s\n", rows->rows,
            plural(rows->rows), m->result.n, m->result.dim, plural((size_t)m->result.dim),
            wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static glshape_status transform(mds_command *c) {
    OWNED_BY(mds_model_free) mds_model m = {0};
    OWNED_BY(io_matrix_free) glshape_matrix rows = {.data = NULL};
    OWNED float *layout = NULL;
    session *s = &c->s;
    io_format format = IO_AUTO;
    TRY(session_check_outputs(s));
    if (!session_is_first()) return GLSHAPE_OK;
    if (s->format) TRY(io_format_from_name(&s->err, s->format, &format));
    TRY(mds_model_read(&s->err, c->model, &m));
    TRY(session_check_columns(s, m.source.points != NULL));
    TRY(m.source.points ? session_read_rows(s, s->input, format, &rows, &s->texts)
                        : io_read_matrix(&s->err, s->input, format, &rows));
    TRY(allocate(&s->err, &layout, rows.rows, (size_t)m.result.dim * sizeof *layout, "the layout"));
    return place_rows(c, &m, &rows, layout);
}

static glshape_status check_model(mds_command *c) {
    error *err = &c->s.err;
    if (c->transform != (c->model != NULL))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--transform and --model go together");
    if (c->transform && (c->saved_model || c->s.picture || c->label_file || c->s.columns.labels))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--transform has one output, -o, beside --report");
    if (c->saved_model && c->method == GLSHAPE_MDS_ORDINAL)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "--save-model does not go with --method ordinal: new rows have no "
                    "distances to compare with an order");
    if (c->saved_model && c->in.components)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--save-model does not go with --components");
    TRY(mds_model_check(err, "--model", c->model));
    return mds_model_check(err, "--save-model", c->saved_model);
}

/* Ranks share matrices of distances. */
static bool can_share(const mds_command *c) {
    return c->in.kind == INPUT_DISTANCES && source_input_can_share(&c->s, &c->in) && !c->in.weight_file &&
           !is_classical(c) && !c->start_file && !c->shepard && c->method != GLSHAPE_MDS_ORDINAL;
}

/* Options that go with classical scaling, or with each other. */
static glshape_status check_classical(mds_command *c) {
    error *err = &c->s.err;
    const char *option = c->eigenvalues  ? "--eigenvalues"
                         : c->biplot     ? "--biplot"
                         : c->exact      ? "--exact"
                         : c->correction ? "--correction"
                                         : NULL;
    if (c->ties && c->method != GLSHAPE_MDS_ORDINAL)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--ties goes with --method ordinal");
    if (c->align_file && is_classical(c) && (c->saved_model || c->biplot))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "--align does not go with --save-model or --biplot: those are of axes, which it turns");
    if (c->shepard && c->in.components)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--shepard does not go with --components");
    if (c->start_file && (is_classical(c) || c->method == GLSHAPE_MDS_GPU_SF || c->in.components))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "--start goes with --method glimmer or ordinal, and not with "
                    "--components");
    if ((c->variable_file != NULL) != (c->biplot != NULL))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--variables and --biplot go together");
    if (!option || is_classical(c)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s goes with --method classical", option);
}

/* --labels that is no file says a column. */
static void settle_labels(mds_command *c) {
    const char *name = c->label_file;
    if (!name || !strcmp(name, "-") || !access(name, F_OK)) return;
    c->s.columns.labels = name;
    c->label_file = NULL;
}

static glshape_status run_mds(mds_command *c) {
    bool done;
    settle_labels(c);
    TRY(source_input_check(&c->s, &c->in));
    TRY(check_classical(c));
    TRY(check_model(c));
    if (c->transform) return transform(c);
    TRY(session_check_outputs(&c->s));
    c->s.shared = can_share(c);
    if (!c->s.shared && !session_is_first()) return GLSHAPE_OK;
    TRY_TIMED(c->s.read_seconds, read_input(c));
    TRY(lay_out(c));
    TRY(session_end_sharing(&c->s, &done));
    if (done) return GLSHAPE_OK;
    if (c->align_file && glshape_mds_align(c->s.context, &c->result, &c->target))
        return fail(&c->s.err, GLSHAPE_BAD_INPUT, "%s: %s", c->align_file, glshape_last_error(c->s.context));
    if (is_classical(c) && !c->result.converged)
        note(&c->s.err, "the eigenvalues had not converged after %d products; --report has their residuals",
             c->result.iterations);
    TRY_TIMED(c->s.write_seconds, write_outputs(c));
    if (c->s.report) TRY(write_report(c));
    if (is_classical(c)) print_classical(c);
    else print_result(c);
    return GLSHAPE_OK;
}

static void free_mds(mds_command *c) {
    source_input_free(&c->in);
    io_labels_free(&c->labels);
    io_matrix_free(&c->variables);
    io_matrix_free(&c->start);
    io_matrix_free(&c->target);
    glshape_mds_free(&c->result);
}

static int command_layout(int argc, char **argv, const char *command_line, int method, const char *help) {
    OWNED_BY(free_mds)
    mds_command c = {.s.command_line = command_line,
                     .s.tabular = true,
                     .s.format_help = INPUT_FORMATS,
                     .s.seeded = true,
                     .s.may_need_none = true,
                     .s.shared = true,
                     .dim = 2,
                     .method = method,
                     SOURCE_START};
    c.s.list = &c.in.list;
    const option_row rows[] = {
        {SOURCE_KIND(c.in)},
        {"--dim", NULL, OPTION_INTEGER, &c.dim, "N", "dimension of the layout (default 2)",
         OPTION_RANGE(1, MOST_DIM)},
        {"--attempts", NULL, OPTION_INTEGER, &c.attempts, "N",
         "how often to start from other positions, for the layout of least stress (default: by the points)",
         1},
        {"--decimation", NULL, OPTION_INTEGER, &c.decimation, "F",
         "glimmer: each level is F times as large as the one below it (default 8)", OPTION_RANGE(2, 32)},
        {"--coarsest", NULL, OPTION_INTEGER, &c.coarsest, "M",
         "glimmer: the coarsest level has fewer than M points (default 1000)", 64},
        {SOURCE_METRIC(c.in)},
        {SESSION_P(c.in.p)},
        {"--method", NULL, OPTION_CHOICE, &c.method, "glimmer|gpu-sf|classical|ordinal",
         "multilevel (default); the single-level baseline GPU-SF; classical scaling (PCoA); ordinal "
         "(non-metric) "
         "scaling",
         0},
        {"--ties", NULL, OPTION_CHOICE, &c.ties, "primary|secondary",
         "ordinal: whether pairs of equal dissimilarity may have distances that differ (default), or should "
         "not",
         0},
        {"--eigenvalues", NULL, OPTION_MATRIX, &c.eigenvalues, "FILE",
         "classical: a row for each dimension: its eigenvalue, and what this is of the trace", 0},
        {"--correction", NULL, OPTION_CHOICE, &c.correction, "none|lingoes|cailliez",
         "classical: add the least constant to the distances that makes no eigenvalue negative: to half "
         "their "
         "squares, or to themselves (default none)",
         0},
        {"--exact", NULL, OPTION_FLAG, &c.exact, NULL,
         "classical: residuals of at most 1e-10 of the largest eigenvalue, not 1e-6, in double precision", 0},
        {"--variables", NULL, OPTION_INPUT, &c.variable_file, "FILE",
         "classical: variables for --biplot, a row for each point (.npy or text)", 0},
        {"--biplot", NULL, OPTION_MATRIX, &c.biplot, "FILE",
         "classical: a row for each variable: its slope over each coordinate", 0},
        {"--save-model", NULL, OPTION_OUTPUT, &c.saved_model, "FILE",
         "write the layout, and the points, as an .npz file for --model", 0},
        {"--transform", NULL, OPTION_FLAG, &c.transform, NULL,
         "INPUT is new rows, which get places in the layout of --model: points, or else their distances to "
         "all "
         "points of the layout; of other options only -o, --format, --device, --gpu-memory and --report "
         "count",
         0},
        {"--model", NULL, OPTION_INPUT, &c.model, "FILE", "the layout for --transform", 0},
        {"--start", NULL, OPTION_TEXT, &c.start_file, "FILE|classical",
         "glimmer, ordinal: go downhill from this layout (.npy or text), or from that of classical scaling",
         0},
        {"--align", NULL, OPTION_INPUT, &c.align_file, "FILE",
         "rotate, reflect and shift the layout onto this one (.npy or text): Procrustes analysis without "
         "scaling",
         0},
        {"--shepard", NULL, OPTION_PICTURE, &c.shepard, "FILE",
         "draw distances in the layout over dissimilarities, of at most 200 points (.png, .svg or .html)", 0},
        {"--keep", NULL, OPTION_CHOICE, &c.in.keep, "auto|resident|paged",
         "distances, graph: keep the matrix on the GPU, or stream it to the GPU (default auto); diagrams: "
         "find all "
         "distances first, or those that the layout asks for (auto: all of up to 23,170 diagrams)",
         0},
        {"--weights", NULL, OPTION_INPUT, &c.in.weight_file, "FILE",
         "how much each pair counts: a matrix in any form of distances; 0 ignores the pair", 0},
        {SESSION_SYMMETRIZE(c.in.symmetrize)},
        {SOURCE_WEIGHTED(c.in)},
        {"--directed", NULL, OPTION_FLAG, &c.in.directed, NULL,
         "graph: refused, as a layout has the same distance in both directions", 0},
        {"--components", NULL, OPTION_FLAG, &c.in.components, NULL,
         "graph: lay out its connected components side by side", 0},
        {SOURCE_TFIDF(c.in)},
        {SOURCE_TRANSPOSE(c.in)},
        SOURCE_DIAGRAMS(c.in),
        {"--labels", NULL, OPTION_INPUT, &c.label_file, "FILE|COLUMN",
         "classes of the rows, which the picture colors: a file (.npy or text), or a column of INPUT's "
         "table, which "
         "is then no coordinate",
         0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, help, &code)) return code;
    return session_end(&c.s, run_mds(&c));
}

int command_mds(int argc, char **argv, const char *command_line) {
    return command_layout(argc, argv, command_line, GLSHAPE_MDS_GLIMMER, usage);
}

int command_pcoa(int argc, char **argv, const char *command_line) {
    return command_layout(argc, argv, command_line, GLSHAPE_MDS_CLASSICAL, pcoa_usage);
}
