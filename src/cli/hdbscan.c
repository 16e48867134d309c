/* glshape hdbscan: clusters of varying density. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/picture.h"
#include "cli/source_input.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape hdbscan [OPTIONS] INPUT\n\n"
    "Finds clusters of varying density, and noise, by HDBSCAN*. The tree of clusters is exact. Options\n"
    "and defaults are those of scikit-learn's HDBSCAN: --min-samples counts the point itself.\n\n"
    "INPUT (may be gzipped; - is standard input) is, by --input,\n"
    "  points     rows of .npy, .npz, HDF5, CSV, TSV, text, or a cloud: PLY, OFF, OBJ, XYZ, PCD, GeoJSON, "
    "WKT\n"
    "  distances  a square or condensed .npy, a full or triangular matrix as text, DIPHA, or Ripser's\n"
    "             binary; a square .npy or DIPHA file may be larger than memory; inf: the two are\n"
    "             never joined\n"
    "  graph      Matrix Market, scipy's .npz, an edge list or DIMACS .gr; edges that are not there are\n"
    "             infinite\n"
    "  documents  Matrix Market, scipy's .npz or UCI bag of words; cosine distances by "
    "default\n" INPUT_DIAGRAMS_USAGE
    "\n"
    "The output (-o) has the cluster of each point, from 0 in order of first appearance; -1 is noise.\n"
    "With --dbscan it has the clusters of DBSCAN* at one distance: merges up to D are made, and what\n"
    "has fewer than --min-cluster-size points is noise. The other outputs stay those of HDBSCAN*.\n\n"
    "--condensed has four columns: parent, child, lambda (1 / distance) and size. Of n points, child is\n"
    "a point below n, else a cluster; the root is n. --tree is scipy's linkage matrix. --exemplars has\n"
    "two: cluster and point. --predicted has two for each row of --predict: cluster and probability.\n\n"
    "--picture draws the condensed tree and, of points in 1 or 2 dimensions or with --layout, the points.\n";

/* Numbers that options give as text. */
typedef struct numbers {
    const char *epsilon, *max_epsilon, *alpha, *dbscan, *persistence;
} numbers;

typedef struct hdbscan_command {
    session s;
    source_input in;
    numbers text;
    int min_cluster_size, min_samples, selection, max_cluster_size, search;
    bool allow_single_cluster;
    const char *probabilities, *outliers, *condensed, *tree, *exemplars, *predict, *predicted, *layout_file;
    glshape_hdbscan_options options;
    double cut; /* of --dbscan */
    glshape_matrix queries, layout;
    io_texts texts; /* of queries */
    glshape_hdbscan_result result;
    int32_t *labels; /* of -o and the picture */
    size_t clusters, noise;
} hdbscan_command;

/* ---- before any work --------------------------------------------------------------------------- */

/* Sets *value to the number of an option, if it is given. */
static glshape_status take_number(hdbscan_command *c, const char *option, const char *text, bool above_zero,
                                  double *value) {
    if (!text) return GLSHAPE_OK;
    bool is_number = io_number_parse(text, strlen(text), value);
    if (is_number && isfinite(*value) && (above_zero ? *value > 0 : *value >= 0)) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s takes a number %s, not '%s'", option,
                above_zero ? "above 0" : "of at least 0", text);
}

static glshape_status check_files(hdbscan_command *c) {
    error *err = &c->s.err;
    if ((c->predict != NULL) != (c->predicted != NULL))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--predict and --predicted go together");
    if (c->predict && c->in.metric == GLSHAPE_METRIC_HAVERSINE)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "--predict does not go with --metric haversine; give all points to one run");
    if (c->text.alpha && c->in.metric == GLSHAPE_METRIC_HAVERSINE)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--alpha does not go with --metric haversine");
    if (c->predict && c->in.kind != INPUT_POINTS)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--predict goes with --input points");
    if (c->layout_file && !c->s.picture)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--layout goes with --picture");
    return GLSHAPE_OK;
}

static glshape_status check_options(hdbscan_command *c) {
    session *s = &c->s;
    glshape_hdbscan_options *o = &c->options;
    TRY(source_input_check(s, &c->in));
    if (c->in.kind == INPUT_GRAPH && c->in.keep)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--keep goes with --input distances");
    TRY(check_files(c));
    TRY(take_number(c, "--epsilon", c->text.epsilon, false, &o->epsilon));
    TRY(take_number(c, "--max-epsilon", c->text.max_epsilon, true, &o->max_epsilon));
    TRY(take_number(c, "--persistence", c->text.persistence, false, &o->persistence));
    TRY(take_number(c, "--alpha", c->text.alpha, true, &o->alpha));
    if (c->text.alpha && !(o->alpha >= 1e-6 && o->alpha <= 1e6))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--alpha takes a number from 1e-6 to 1e6, not '%s'",
                    c->text.alpha);
    if (c->selection == GLSHAPE_HDBSCAN_LEAF && (c->text.max_epsilon || c->max_cluster_size))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s goes with --selection eom",
                    c->text.max_epsilon ? "--max-epsilon" : "--max-cluster-size");
    TRY(take_number(c, "--dbscan", c->text.dbscan, false, &c->cut));
    o->min_cluster_size = c->min_cluster_size;
    o->min_samples = c->min_samples;
    o->selection = (glshape_hdbscan_selection)c->selection;
    o->search = (glshape_search)c->search;
    o->max_cluster_size = (size_t)c->max_cluster_size;
    o->allow_single_cluster = c->allow_single_cluster;
    return session_check_outputs(s);
}

/* ---- in ---------------------------------------------------------------------------------------- */

static glshape_status read_input(hdbscan_command *c) {
    error *err = &c->s.err;
    const char *name = io_input_name(c->s.input);
    TRY(source_input_read(&c->s, &c->in));
    c->options.epsilon = source_input_round(&c->in, c->options.epsilon);
    c->options.max_epsilon = source_input_round(&c->in, c->options.max_epsilon);
    c->cut = source_input_round(&c->in, c->cut);
    if (!session_is_first()) return GLSHAPE_OK;
    if (c->predict) TRY(session_read_rows(&c->s, c->predict, IO_AUTO, &c->queries, &c->texts));
    if (c->predict && c->queries.cols != c->in.columns)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has %zu columns, but %s has %zu", c->predict, c->queries.cols,
                    name, c->in.columns);
    if (!c->layout_file) return GLSHAPE_OK;
    TRY(io_read_points(&c->s.err, c->layout_file, IO_AUTO, &c->layout));
    TRY(io_check_finite(&c->s.err, c->layout_file, &c->layout));
    if (c->layout.rows == c->in.rows && c->layout.cols) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s lays out %zu points in %zu dimensions, but %s has %zu points",
                c->layout_file, c->layout.rows, c->layout.cols, name, c->in.rows);
}

/* ---- clusters ---------------------------------------------------------------------------------- */

static glshape_status cluster(hdbscan_command *c) {
    session *s = &c->s;
    TRY(session_open(s));
    TRY(source_input_compare(s, &c->in));
    glshape_status status = glshape_hdbscan(s->context, &c->in.source, &c->options, &c->result);
    if (status == GLSHAPE_IO_ERROR || !status) {
        bool again;
        TRY(source_input_verify(s, &c->in, &again));
        if (again) {
            glshape_hdbscan_free(&c->result);
            status = glshape_hdbscan(s->context, &c->in.source, &c->options, &c->result);
        }
    }
    return session_input_error(s, status);
}

/* Sets the labels that are asked for: HDBSCAN's or, with --dbscan, those of the cut. */
static glshape_status choose_labels(hdbscan_command *c) {
    const glshape_hdbscan_result *r = &c->result;
    TRY(allocate(&c->s.err, &c->labels, r->n, sizeof *c->labels, "the labels"));
    memcpy(c->labels, r->labels, r->n * sizeof *c->labels);
    c->clusters = r->clusters;
    if (c->text.dbscan)
        TRY(session_library_error(
            &c->s, glshape_hdbscan_dbscan(c->s.context, r, c->cut, (size_t)r->options.min_cluster_size,
                                          c->labels, &c->clusters)));
    for (size_t v = 0; v < r->n; v++) c->noise += c->labels[v] < 0;
    return GLSHAPE_OK;
}

/* ---- out --------------------------------------------------------------------------------------- */

static glshape_status write_numbers(hdbscan_command *c, const char *path, const char *head, double *values) {
    return path ? session_write_column(&c->s, path, head, GLSHAPE_F64, c->result.n, values) : GLSHAPE_OK;
}

static glshape_status write_condensed(hdbscan_command *c) {
    const glshape_hdbscan_result *r = &c->result;
    OWNED double *rows = NULL;
    TRY(allocate(&c->s.err, &rows, r->row_count, 4 * sizeof *rows, "the condensed tree"));
    for (size_t k = 0; k < r->row_count; k++) {
        rows[4 * k] = r->rows[k].parent;
        rows[4 * k + 1] = r->rows[k].child;
        rows[4 * k + 2] = r->rows[k].lambda;
        rows[4 * k + 3] = r->rows[k].size;
    }
    return io_write_matrix(&c->s.err, c->condensed, &(glshape_matrix){GLSHAPE_F64, r->row_count, 4, rows});
}

static glshape_status write_exemplars(hdbscan_command *c) {
    const glshape_hdbscan_result *r = &c->result;
    OWNED uint32_t *rows = NULL;
    size_t count = r->exemplar_start[r->clusters];
    TRY(allocate(&c->s.err, &rows, count, 2 * sizeof *rows, "the exemplars"));
    for (uint32_t k = 0; k < r->clusters; k++)
        for (size_t e = r->exemplar_start[k]; e < r->exemplar_start[k + 1]; e++) {
            rows[2 * e] = k;
            rows[2 * e + 1] = r->exemplars[e];
        }
    const glshape_matrix m = {GLSHAPE_U32, count, 2, rows};
    return io_write_named(&c->s.err, c->exemplars, 2, &m,
                          session_names(&c->s, "cluster,point", r->exemplars));
}

static glshape_status write_predicted(hdbscan_command *c) {
    session *s = &c->s;
    size_t count = c->queries.rows;
    OWNED int32_t *labels = NULL;
    OWNED double *probabilities = NULL;
    OWNED double *rows = NULL;
    TRY(allocate(&s->err, &labels, count, sizeof *labels, "clusters of new points"));
    TRY(allocate(&s->err, &probabilities, count, sizeof *probabilities, "clusters of new points"));
    TRY(allocate(&s->err, &rows, count, 2 * sizeof *rows, "clusters of new points"));
    glshape_status status =
        glshape_hdbscan_predict(s->context, &c->in.source, &c->result, &c->queries, labels, probabilities);
    if (status) return fail(&s->err, status, "%s: %s", c->predict, glshape_last_error(s->context));
    for (size_t q = 0; q < count; q++) {
        rows[2 * q] = labels[q];
        rows[2 * q + 1] = probabilities[q];
    }
    const glshape_matrix m = {GLSHAPE_F64, count, 2, rows};
    const io_label_list *names = c->texts.names.count ? &c->texts.names : NULL;
    return io_write_named(&s->err, c->predicted, 2, &m, (io_row_names){names, "cluster,probability", NULL});
}

static glshape_status write_picture(hdbscan_command *c) {
    const glshape_matrix *m = c->layout_file ? &c->layout : c->in.points.cols <= 2 ? &c->in.points : NULL;
    OWNED double *xy = NULL;
    OWNED const char **names = NULL;
    if (m && m->rows) TRY(io_matrix_doubles(&c->s.err, m, &xy));
    TRY(session_list_names(&c->s, &names));
    bool map = c->s.columns.geographic && m == &c->in.points;
    for (size_t v = 0; map && v < m->rows; v++) {
        double latitude = xy[2 * v];
        xy[2 * v] = xy[2 * v + 1];
        xy[2 * v + 1] = latitude;
    }
    const glshape_chart_icicles o = {.of = &c->result,
                                     .labels = c->labels,
                                     .clusters = c->clusters,
                                     .cut = {c->text.dbscan != NULL, c->cut},
                                     .dim = m ? m->cols : 0,
                                     .xy = xy,
                                     .point_names = names};
    return picture_write(c->s.context, &c->s.err, c->s.picture, &(glshape_chart){.icicles = &o}, "%.120s: %s",
                         session_title(&c->s),
                         c->text.dbscan ? "DBSCAN* by the tree of HDBSCAN*" : "HDBSCAN*");
}

static glshape_status write_outputs(hdbscan_command *c) {
    session *s = &c->s;
    const glshape_hdbscan_result *r = &c->result;
    glshape_matrix merges = {GLSHAPE_F64, r->n - 1, 4, r->merges};
    if (s->output) TRY(session_write_column(s, s->output, "cluster", GLSHAPE_I32, r->n, c->labels));
    TRY(write_numbers(c, c->probabilities, "probability", r->probabilities));
    TRY(write_numbers(c, c->outliers, "outlier_score", r->outlier_scores));
    if (c->condensed) TRY(write_condensed(c));
    if (c->tree) TRY(io_write_matrix(&s->err, c->tree, &merges));
    if (c->exemplars) TRY(write_exemplars(c));
    if (c->predicted) TRY(write_predicted(c));
    if (s->picture) TRY(write_picture(c));
    return GLSHAPE_OK;
}

static void write_result(json *j, const hdbscan_command *c) {
    const glshape_hdbscan_result *r = &c->result;
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_unsigned(j, "components", r->components);
    json_unsigned(j, "clusters", c->clusters);
    json_unsigned(j, "noise", c->noise);
    json_unsigned(j, "min_cluster_size", (size_t)r->options.min_cluster_size);
    json_unsigned(j, "min_samples", (size_t)r->options.min_samples);
    json_unsigned(j, "condensed_clusters", r->tree_clusters);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_object_end(j);
}

static glshape_status write_report(hdbscan_command *c) {
    session_report *report;
    json *j;
    const glshape_hdbscan_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.columns, &report, &j));
    write_result(j, c);
    const session_stage stages[] = {{"upload", r->seconds.upload},
                                    {"cores", r->seconds.cores},
                                    {"search", r->seconds.search},
                                    {"tree", r->seconds.tree},
                                    {"clusters", r->seconds.clusters},
                                    {"write", c->s.write_seconds},
                                    {0}};
    return session_report_end(&c->s, report, stages);
}

/* Points that have not as many neighbors as a core distance needs: no edge of theirs counts. */
static size_t count_lonely(const glshape_hdbscan_result *r) {
    size_t lonely = 0;
    for (size_t v = 0; v < r->n; v++) lonely += isinf(r->core[v]) != 0;
    return lonely;
}

static void print_result(hdbscan_command *c) {
    const glshape_hdbscan_result *r = &c->result;
    FILE *to = session_summary(&c->s);
    fprintf(to, "%zu point%s", r->n, plural(r->n));
    if (r->components > 1) fprintf(to, " in %zu components", r->components);
    fprintf(to, ": %zu cluster%s, %zu point%s of noise", c->clusters, plural(c->clusters), c->noise,
            plural(c->noise));
    size_t lonely = count_lonely(r);
    int needed = (c->min_samples ? c->min_samples : c->min_cluster_size ? c->min_cluster_size : 5) - 1;
    if (lonely)
        fprintf(to, "; %zu point%s %s fewer than %d neighbor%s", lonely, plural(lonely),
                lonely == 1 ? "has" : "have", needed, plural((size_t)needed));
    fprintf(to, ", %.2f s\n", wall_seconds() - c->s.started);
}

static glshape_status run_hdbscan(hdbscan_command *c) {
    bool done;
    TRY(check_options(c));
    c->s.shared = source_input_can_share(&c->s, &c->in);
    if (!c->s.shared && !session_is_first()) return GLSHAPE_OK;
    TRY_TIMED(c->s.read_seconds, read_input(c));
    TRY(cluster(c));
    TRY(session_end_sharing(&c->s, &done));
    if (done) return GLSHAPE_OK;
    TRY(choose_labels(c));
    TRY_TIMED(c->s.write_seconds, write_outputs(c));
    if (c->s.report) TRY(write_report(c));
    print_result(c);
    return GLSHAPE_OK;
}

static void free_hdbscan(hdbscan_command *c) {
    source_input_free(&c->in);
    io_matrix_free(&c->queries);
    io_texts_free(&c->texts);
    io_matrix_free(&c->layout);
    free(c->labels);
    glshape_hdbscan_free(&c->result);
}

int command_hdbscan(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_hdbscan)
    hdbscan_command c = {.s.command_line = command_line,
                         .s.tabular = true,
                         .s.format_help = INPUT_FORMATS,
                         .s.may_need_none = true,
                         .s.shared = true,
                         SOURCE_START,
                         .in.joins = true,
                         .in.precise = true};
    c.s.list = &c.in.list;
    const option_row rows[] = {
        {SOURCE_KIND(c.in)},
        {SOURCE_METRIC(c.in)},
        {SESSION_P(c.in.p)},
        {SESSION_UNIT(c.s)},
        {"--min-cluster-size", NULL, OPTION_INTEGER, &c.min_cluster_size, "N",
         "the least number of points of a cluster (default 5)", 2},
        {"--min-samples", NULL, OPTION_INTEGER, &c.min_samples, "N",
         "how many points the core distance reaches, the point itself counted (default --min-cluster-size)",
         1},
        {"--selection", NULL, OPTION_CHOICE, &c.selection, "eom|leaf",
         "choose the most stable clusters (excess of mass), or the leaves of the tree (default eom)", 0},
        {"--epsilon", NULL, OPTION_TEXT, &c.text.epsilon, "D",
         "join clusters that split at a distance below D (default 0)", 0},
        {"--max-epsilon", NULL, OPTION_TEXT, &c.text.max_epsilon, "D",
         "eom: choose no cluster that forms at a distance above D", 0},
        {"--max-cluster-size", NULL, OPTION_INTEGER, &c.max_cluster_size, "N",
         "eom: choose no cluster of more than N points", 1},
        {"--persistence", NULL, OPTION_TEXT, &c.text.persistence, "L",
         "undo splits where a cluster lasts for less than L of lambda = 1 / distance (default 0)", 0},
        {"--allow-single-cluster", NULL, OPTION_FLAG, &c.allow_single_cluster, NULL,
         "all points may be one cluster", 0},
        {"--alpha", NULL, OPTION_TEXT, &c.text.alpha, "A",
         "divide distances, but not core distances, by A (default 1)", 0},
        {"--probabilities", NULL, OPTION_MATRIX, &c.probabilities, "FILE",
         "write how firmly each point is in its cluster, 0 to 1", 0},
        {"--outliers", NULL, OPTION_MATRIX, &c.outliers, "FILE",
         "write how much of an outlier each is, 0 to 1", 0},
        {"--exemplars", NULL, OPTION_MATRIX, &c.exemplars, "FILE",
         "write the points that stand for each cluster", 0},
        {"--condensed", NULL, OPTION_MATRIX, &c.condensed, "FILE", "write the condensed tree", 0},
        {"--tree", NULL, OPTION_MATRIX, &c.tree, "FILE", "write the single-linkage tree", 0},
        {"--dbscan", NULL, OPTION_TEXT, &c.text.dbscan, "D", "cut the tree at distance D, as DBSCAN* does",
         0},
        {"--predict", NULL, OPTION_INPUT, &c.predict, "FILE", "points: new points to find the clusters of",
         0},
        {"--predicted", NULL, OPTION_MATRIX, &c.predicted, "FILE", "write the clusters of --predict", 0},
        {"--layout", NULL, OPTION_INPUT, &c.layout_file, "FILE",
         "coordinates of the points, as of glshape mds: --picture draws the points there", 0},
        {SESSION_SEARCH(c.search)},
        {"--keep", NULL, OPTION_CHOICE, &c.in.keep, "auto|resident|paged",
         "distances: keep the matrix on the GPU, or read it row by row, twice (default auto); diagrams: find "
         "all "
         "distances first, or each when it is read (auto: all of up to 23,170 diagrams)",
         0},
        {SESSION_SYMMETRIZE(c.in.symmetrize)},
        {SOURCE_TFIDF(c.in)},
        {SOURCE_TRANSPOSE(c.in)},
        SOURCE_DIAGRAMS(c.in),
        {SOURCE_WEIGHTED(c.in)},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_hdbscan(&c));
}
