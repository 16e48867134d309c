/* glshape linkage: single-linkage clustering. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/newick.h"
#include "cli/picture.h"
#include "cli/source_input.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape linkage [OPTIONS] INPUT\n\n"
    "Clusters INPUT by single linkage, exactly, as scipy's linkage(INPUT, 'single'). The output (-o)\n"
    "is scipy's linkage matrix. It has a row for each merge: the two clusters joined, their height,\n"
    "and the size of what they make. Row k of n points makes cluster n + k.\n\n"
    "INPUT (may be gzipped; - is standard input) is, by --input,\n"
    "  points     rows of .npy, .npz, HDF5, CSV, TSV, text, or a cloud: PLY, OFF, OBJ, XYZ, PCD, GeoJSON, "
    "WKT\n"
    "  distances  a square or condensed .npy, a full or triangular matrix as text, DIPHA, or Ripser's\n"
    "             binary; a square .npy or DIPHA file may be larger than memory; inf: the two are\n"
    "             never joined\n"
    "  graph      Matrix Market, scipy's .npz, an edge list or DIMACS .gr; only nodes with an edge can\n"
    "             join. Components join last, at height inf; a cut never joins them\n"
    "  documents  Matrix Market, scipy's .npz or UCI bag of words; cosine distances by "
    "default\n" INPUT_DIAGRAMS_USAGE
    "\n"
    "--picture draws the tree or, with --layout, the points in the colors of their clusters.\n";

typedef struct linkage_command {
    session s;
    source_input in;
    int neighbors, clusters, search;
    bool cophenetic;
    const char *distance_text, *labels_file, *leaves_file, *layout_file, *newick_file;
    const char *connectivity_file;
    glshape_optional distance; /* of the cut */
    io_graph connectivity;
    glshape_matrix layout;
    glshape_linkage_result result;
    uint32_t *labels;    /* the cluster of each point; NULL: no cut */
    size_t cut_clusters; /* how many clusters the cut makes */
} linkage_command;

/* ---- before any work --------------------------------------------------------------------------- */

static bool wants_cut(const linkage_command *c) { return c->clusters || c->distance_text; }

static glshape_status check_cut(linkage_command *c) {
    error *err = &c->s.err;
    const char *text = c->distance_text;
    if (c->clusters && text)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--clusters and --distance do not go together");
    if (text && (!io_number_parse(text, strlen(text), &c->distance.value) || !(c->distance.value >= 0)))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--distance takes a number of at least 0, not '%s'", text);
    c->distance.is_set = text != NULL;
    if (!wants_cut(c) && (c->labels_file || c->layout_file))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s needs clusters: give --clusters or --distance",
                    c->labels_file ? "--labels-out" : "--layout");
    if (c->layout_file && !c->s.picture)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--layout goes with --picture");
    return GLSHAPE_OK;
}

static glshape_status check_options(linkage_command *c) {
    session *s = &c->s;
    TRY(source_input_check(s, &c->in));
    if (c->in.kind != INPUT_POINTS && c->neighbors)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--neighbors goes with --input points");
    if ((c->in.kind == INPUT_GRAPH || c->in.kind == INPUT_DOCUMENTS) && c->cophenetic)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--cophenetic goes with --input points or distances");
    if (c->in.kind == INPUT_GRAPH && c->in.keep)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--keep goes with --input distances");
    if (c->connectivity_file && (c->in.kind != INPUT_POINTS || c->neighbors || c->cophenetic))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--connectivity goes with --input points, and with neither --neighbors nor --cophenetic");
    if (c->cophenetic && c->in.metric == GLSHAPE_METRIC_HAVERSINE)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--cophenetic does not go with --metric haversine");
    TRY(check_cut(c));
    return session_check_outputs(s);
}

/* ---- in ---------------------------------------------------------------------------------------- */

static glshape_status read_layout(linkage_command *c) {
    error *err = &c->s.err;
    TRY(io_read_matrix(err, c->layout_file, IO_AUTO, &c->layout));
    TRY(io_check_finite(err, c->layout_file, &c->layout));
    if (c->layout.rows == c->in.rows && c->layout.cols) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s lays out %zu points in %zu dimensions, but %s has %zu points",
                c->layout_file, c->layout.rows, c->layout.cols, io_input_name(c->s.input), c->in.rows);
}

/* Reads the graph of --connectivity. Its nodes are the rows of INPUT, so they must have numbers, one node
 * for each row. */
static glshape_status read_connectivity(linkage_command *c) {
    io_graph *g = &c->connectivity;
    TRY(io_read_adjacency(&c->s.err, c->connectivity_file, IO_GRAPH_PLAIN, g));
    if (g->names)
        return fail(&c->s.err, GLSHAPE_BAD_INPUT, "%s: its nodes have names, but rows of points have numbers",
                    c->connectivity_file);
    if (g->graph.nodes == c->in.rows) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_INPUT,
                "%s has %zu nodes, but %s has %zu points; a Matrix Market file says how many nodes there are",
                c->connectivity_file, g->graph.nodes, io_input_name(c->s.input), c->in.rows);
}

static glshape_status read_input(linkage_command *c) {
    TRY(source_input_read(&c->s, &c->in));
    if (c->connectivity_file) TRY(read_connectivity(c));
    if (c->layout_file && session_is_first()) TRY(read_layout(c));
    if ((size_t)c->clusters <= c->in.rows) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "--clusters %d: %s has %zu point%s", c->clusters,
                io_input_name(c->s.input), c->in.rows, plural(c->in.rows));
}

static glshape_status cut(linkage_command *c) {
    session *s = &c->s;
    if (!wants_cut(c)) return GLSHAPE_OK;
    glshape_optional at = {c->distance.is_set, source_input_round(&c->in, c->distance.value)};
    TRY(allocate(&s->err, &c->labels, c->result.n, sizeof *c->labels, "the clusters"));
    return session_library_error(
        s, glshape_linkage_cut(s->context, c->result.merges, c->result.n, (size_t)c->clusters, at, c->labels,
                               &c->cut_clusters));
}

static glshape_status cluster(linkage_command *c) {
    session *s = &c->s;
    TRY(session_open(s));
    TRY(source_input_compare(s, &c->in));
    glshape_linkage_options options = {
        .n_neighbors = c->neighbors, .cophenetic = c->cophenetic, .search = (glshape_search)c->search};
    if (c->connectivity_file) options.connectivity = &c->connectivity.graph;
    glshape_status status = glshape_linkage(s->context, &c->in.source, &options, &c->result);
    if (status == GLSHAPE_IO_ERROR || !status) {
        bool again;
        TRY(source_input_verify(s, &c->in, &again));
        if (again) status = glshape_linkage(s->context, &c->in.source, &options, &c->result);
    }
    TRY(session_input_error(s, status));
    return session_is_first() ? cut(c) : GLSHAPE_OK;
}

/* ---- out --------------------------------------------------------------------------------------- */

static glshape_status write_leaves(linkage_command *c) {
    session *s = &c->s;
    OWNED uint32_t *leaves = NULL;
    TRY(allocate(&s->err, &leaves, c->result.n, sizeof *leaves, "the leaves"));
    TRY(session_library_error(s, glshape_linkage_leaves(s->context, c->result.merges, c->result.n, leaves)));
    const glshape_matrix m = {GLSHAPE_U32, c->result.n, 1, leaves};
    return io_write_named(&s->err, c->leaves_file, 1, &m, session_names(s, "leaf", leaves));
}

static void write_result(json *j, const linkage_command *c) {
    const glshape_linkage_result *r = &c->result;
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_unsigned(j, "components", r->components);
    if (r->n_neighbors) json_integer(j, "neighbors", r->n_neighbors);
    if (c->labels) json_unsigned(j, "clusters", c->cut_clusters);
    if (c->cophenetic) json_number(j, "cophenetic_correlation", r->cophenetic);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_object_end(j);
}

static glshape_status write_report(linkage_command *c) {
    session_report *report;
    json *j;
    const glshape_linkage_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.columns, &report, &j));
    write_result(j, c);
    const session_stage stages[] = {{"upload", r->seconds.upload},
                                    {"neighbors", r->seconds.neighbors},
                                    {"search", r->seconds.search},
                                    {"tree", r->seconds.tree},
                                    {"cophenetic", r->seconds.cophenetic},
                                    {"write", c->s.write_seconds},
                                    {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status draw_layout(linkage_command *c, const char *title) {
    const glshape_matrix *m = &c->layout;
    OWNED double *xy = NULL;
    OWNED const char **names = NULL;
    TRY(session_list_names(&c->s, &names));
    TRY(io_matrix_doubles(&c->s.err, m, &xy));
    const glshape_chart_scatter o = {.n = m->rows,
                                     .dim = m->cols,
                                     .xy = xy,
                                     .labels = c->labels,
                                     .classes = (uint32_t)c->cut_clusters,
                                     .kind = "cluster",
                                     .point_names = names};
    return picture_write(c->s.context, &c->s.err, c->s.picture, &(glshape_chart){.scatter = &o}, "%s", title);
}

static glshape_status write_picture(linkage_command *c) {
    char title[256];
    int used = snprintf(title, sizeof title, "%.120s: single linkage", session_title(&c->s));
    if (c->labels)
        snprintf(title + used, sizeof title - (size_t)used, ", %zu cluster%s", c->cut_clusters,
                 plural(c->cut_clusters));
    if (c->layout_file) return draw_layout(c, title);
    OWNED const char **names = NULL;
    TRY(session_list_names(&c->s, &names));
    const glshape_chart_dendrogram o = {
        .n = c->result.n, .merges = c->result.merges, .labels = c->labels, .names = names};
    return picture_write(c->s.context, &c->s.err, c->s.picture, &(glshape_chart){.dendrogram = &o}, "%s",
                         title);
}

static glshape_status write_outputs(linkage_command *c) {
    session *s = &c->s;
    glshape_matrix merges = {GLSHAPE_F64, c->result.n - 1, 4, c->result.merges};
    if (s->output) TRY(io_write_matrix(&s->err, s->output, &merges));
    if (c->labels_file)
        TRY(session_write_column(s, c->labels_file, "cluster", GLSHAPE_U32, c->result.n, c->labels));
    if (c->leaves_file) TRY(write_leaves(c));
    if (c->newick_file)
        TRY(newick_write(&s->err, c->newick_file, c->result.n, c->result.merges, &s->texts.names));
    if (s->picture) TRY(write_picture(c));
    return GLSHAPE_OK;
}

static void print_result(linkage_command *c) {
    const glshape_linkage_result *r = &c->result;
    FILE *to = session_summary(&c->s);
    fprintf(to, "%zu point%s", r->n, plural(r->n));
    if (r->components > 1) fprintf(to, " in %zu components", r->components);
    if (r->n > 1) fprintf(to, ": heights %.6g to %.6g", r->merges[2], r->merges[4 * r->n - 6]);
    if (c->labels) fprintf(to, ", %zu cluster%s", c->cut_clusters, plural(c->cut_clusters));
    if (c->cophenetic) fprintf(to, ", cophenetic correlation %.6g", r->cophenetic);
    fprintf(to, ", %.2f s\n", wall_seconds() - c->s.started);
}

static glshape_status run_linkage(linkage_command *c) {
    bool done;
    TRY(check_options(c));
    c->s.shared = source_input_can_share(&c->s, &c->in) && !c->connectivity_file;
    if (!c->s.shared && !session_is_first()) return GLSHAPE_OK;
    TRY_TIMED(c->s.read_seconds, read_input(c));
    TRY(cluster(c));
    TRY(session_end_sharing(&c->s, &done));
    if (done) return GLSHAPE_OK;
    TRY_TIMED(c->s.write_seconds, write_outputs(c));
    if (c->s.report) TRY(write_report(c));
    print_result(c);
    return GLSHAPE_OK;
}

static void free_linkage(linkage_command *c) {
    source_input_free(&c->in);
    io_graph_free(&c->connectivity);
    io_matrix_free(&c->layout);
    free(c->labels);
    glshape_linkage_free(&c->result);
}

int command_linkage(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_linkage)
    linkage_command c = {.s.command_line = command_line,
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
        {"--clusters", NULL, OPTION_INTEGER, &c.clusters, "K",
         "cut the tree into K clusters (fewer where heights are equal)", 1},
        {"--distance", NULL, OPTION_TEXT, &c.distance_text, "T",
         "cut the tree at height T: merges up to T are made", 0},
        {"--labels-out", NULL, OPTION_MATRIX, &c.labels_file, "FILE",
         "write the cluster of each point, from 0 in order of first appearance", 0},
        {"--leaves", NULL, OPTION_MATRIX, &c.leaves_file, "FILE",
         "write the points in the order of the tree's leaves", 0},
        {"--newick", NULL, OPTION_OUTPUT, &c.newick_file, "FILE",
         "write the tree as Newick text, for ape, ggtree or FigTree: leaves by their names, or from 0", 0},
        {"--cophenetic", NULL, OPTION_FLAG, &c.cophenetic, NULL,
         "points, distances: print the cophenetic correlation, from all pairs, on the CPU", 0},
        {"--layout", NULL, OPTION_INPUT, &c.layout_file, "FILE",
         "coordinates of the points, as of glshape mds: --picture draws the points there", 0},
        {"--neighbors", "-k", OPTION_INTEGER, &c.neighbors, "K",
         "points: how many neighbors of each are kept, 1 to 1024 (default 8); only the time depends on it",
         OPTION_RANGE(1, GLSHAPE_KNN_MOST)},
        {SESSION_SEARCH(c.search)},
        {"--connectivity", NULL, OPTION_INPUT, &c.connectivity_file, "FILE",
         "points: a graph of the rows; only rows with an edge between them, in either direction, join", 0},
        {"--keep", NULL, OPTION_CHOICE, &c.in.keep, "auto|resident|paged",
         "distances: keep the matrix on the GPU, or read it once, row by row (default auto); diagrams: find "
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
    return session_end(&c.s, run_linkage(&c));
}
