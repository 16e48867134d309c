/* glshape mst: the spanning forest of a graph. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/session.h"
#include "io/graph/graph.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape mst [OPTIONS] INPUT\n\n"
    "Finds the spanning forest of least total weight, by Borůvka's algorithm, and prints its weight.\n"
    "Of edges of equal weight the one with the smaller end comes first, so the forest is the same on\n"
    "every device. INPUT is a graph or, with --input points, the rows of a matrix: the spanning tree\n"
    "of all distances between them.\n\n"
    "INPUT (may be gzipped; - is standard input): a graph is Matrix Market, scipy's .npz, an edge list\n"
    "(a line has two nodes and perhaps a weight) or DIMACS .gr; points are .npy, CSV, TSV, text,\n"
    "PLY, OFF, OBJ, XYZ, PCD, GeoJSON or WKT.\n"
    "Without weights all edges weigh 1. Weights may be 0 or negative; they are kept in single precision.\n\n"
    "The output (-o) has a row for each edge, in order of weight: its two nodes, as INPUT calls them,\n"
    "and the weight. In .npy (float64), nodes whose names are no numbers count from 0 in INPUT's\n"
    "order.\n";

typedef struct mst_command {
    session s;
    bool maximum;
    int kind, metric, search;
    const char *p_text;
    double p;
    io_graph in;
    glshape_edges edges;
    glshape_matrix points;
    glshape_mst_result result;
    double *rows; /* of each edge its two nodes, as in c->in, and its weight */
} mst_command;

enum { INPUT_GRAPH, INPUT_POINTS };

/* ---- in ---------------------------------------------------------------------------------------- */

/* Lists each edge once, from its smaller end. */
static glshape_status list_edges(mst_command *c) {
    const glshape_graph *g = &c->in.graph;
    uint32_t *i, *j;
    float *weight = NULL;
    size_t used = 0;
    TRY(allocate(&c->s.err, &i, c->in.edges, sizeof *i, "the edges"));
    c->edges = (glshape_edges){.nodes = g->nodes, .count = c->in.edges, .i = i};
    TRY(allocate(&c->s.err, &j, c->in.edges, sizeof *j, "the edges"));
    c->edges.j = j;
    if (g->weight) TRY(allocate(&c->s.err, &weight, c->in.edges, sizeof *weight, "the edges"));
    c->edges.weight = weight;
    for (size_t v = 0; v < g->nodes; v++)
        for (size_t k = g->start[v]; k < g->start[v + 1]; k++) {
            if (g->to[k] < v) continue;
            i[used] = (uint32_t)v;
            j[used] = g->to[k];
            if (weight) weight[used] = g->weight[k];
            used++;
        }
    return GLSHAPE_OK;
}

static glshape_status read_input(mst_command *c) {
    session *s = &c->s;
    if (c->kind == INPUT_POINTS) return session_read_points(s, &c->points);
    TRY(io_read_graph(&s->err, s->input, c->maximum ? IO_GRAPH_GREATEST : IO_GRAPH_LEAST, &c->in));
    return list_edges(c);
}

/* ---- the forest -------------------------------------------------------------------------------- */

static glshape_status forest_of_graph(mst_command *c) {
    session *s = &c->s;
    glshape_mst_options options = {.maximum = c->maximum};
    glshape_mst_result *r = &c->result;
    TRY(session_library_error(s, glshape_mst(s->context, &c->edges, &options, r)));
    TRY(allocate(&s->err, &c->rows, r->count, 3 * sizeof *c->rows, "the edges of the forest"));
    for (size_t k = 0; k < r->count; k++) {
        c->rows[3 * k] = r->i[k];
        c->rows[3 * k + 1] = r->j[k];
        c->rows[3 * k + 2] = r->weight[k];
    }
    return GLSHAPE_OK;
}

static void free_tree(glshape_linkage_result *tree) { glshape_linkage_free(tree); }

/* A spanning tree is what single linkage joins clusters by. */
static glshape_status tree_of_points(mst_command *c) {
    session *s = &c->s;
    OWNED_BY(free_tree) glshape_linkage_result tree = {0};
    glshape_source source = {.points = &c->points, .metric = (glshape_metric)c->metric, .p = c->p};
    glshape_linkage_options options = {.search = (glshape_search)c->search};
    double start = wall_seconds();
    TRY(session_input_error(s, glshape_linkage(s->context, &source, &options, &tree)));
    c->result = (glshape_mst_result){.count = tree.n - 1, .components = 1, .gpu_bytes = tree.gpu_bytes};
    TRY(allocate(&s->err, &c->rows, tree.n - 1, 3 * sizeof *c->rows, "the edges of the tree"));
    for (size_t k = 0; k + 1 < tree.n; k++) {
        c->rows[3 * k] = tree.edges[2 * k];
        c->rows[3 * k + 1] = tree.edges[2 * k + 1];
        c->rows[3 * k + 2] = tree.merges[4 * k + 2];
        c->result.total += tree.merges[4 * k + 2];
    }
    c->result.seconds = wall_seconds() - start;
    return GLSHAPE_OK;
}

/* ---- out --------------------------------------------------------------------------------------- */

/* The name of a node or of a row: what INPUT calls it, or its number. */
static const char *name_of(const mst_command *c, double node, char number[IO_NODE_ROOM]) {
    const io_label_list *rows = &c->s.texts.names;
    return rows->count ? io_label_at(rows, (size_t)node) : io_graph_name(&c->in, (uint32_t)node, number);
}

typedef struct text_rows {
    const mst_command *c;
    char delimiter;
} text_rows;

static size_t print_row(const void *user, uint64_t k, char *out) {
    const text_rows *rows = user;
    const mst_command *c = rows->c;
    const double *row = c->rows + 3 * k;
    char number[IO_NODE_ROOM];
    size_t used = 0;
    for (int i = 0; i < 2; i++) {
        const char *name = name_of(c, row[i], number);
        if (name == number) used += (size_t)sprintf(out + used, "%s", name);
        else used += io_print_name(out + used, name, rows->delimiter, false);
        out[used++] = rows->delimiter;
    }
    used += c->kind == INPUT_POINTS ? io_number_print(out + used, row[2])
                                    : io_number_print_float(out + used, (float)row[2]);
    out[used++] = '\n';
    return used;
}

/* The most bytes that a row takes. */
static size_t longest_row(const mst_command *c) {
    size_t longest = IO_NODE_ROOM;
    char number[IO_NODE_ROOM];
    bool named = c->in.names || c->s.texts.names.count;
    for (size_t k = 0; named && k < c->result.count; k++)
        for (int i = 0; i < 2; i++) {
            const char *name = name_of(c, c->rows[3 * k + (size_t)i], number);
            size_t length = 2 * strlen(name) + 3;
            if (length > longest) longest = length;
        }
    return 2 * longest + IO_NUMBER_ROOM;
}

static glshape_status write_text(mst_command *c, char delimiter) {
    io_output out;
    TRY(io_output_open(&c->s.err, c->s.output, &out));
    glshape_status status = io_write_lines(&c->s.err, io_output_stream(&out), c->result.count, longest_row(c),
                                           print_row, &(text_rows){c, delimiter});
    return io_output_end(&c->s.err, &out, status);
}

static glshape_status write_npy(mst_command *c) {
    const double first = c->in.names ? 0 : (double)c->in.first;
    for (size_t k = 0; k < c->result.count; k++) {
        c->rows[3 * k] += first;
        c->rows[3 * k + 1] += first;
    }
    glshape_matrix m = {GLSHAPE_F64, c->result.count, 3, c->rows};
    return io_write_matrix(&c->s.err, c->s.output, &m);
}

static glshape_status write_report(mst_command *c) {
    session_report *report;
    json *j;
    const glshape_mst_result *r = &c->result;
    bool points = c->kind == INPUT_POINTS;
    TRY(session_report_begin(&c->s, points ? c->points.rows : c->edges.nodes,
                             points ? c->points.cols : c->edges.count, &report, &j));
    json_object_begin(j, "result");
    json_number(j, "total_weight", r->total);
    json_unsigned(j, "edges", r->count);
    json_unsigned(j, "components", r->components);
    if (!points) {
        json_unsigned(j, "loops_left_out", c->in.loops);
        json_unsigned(j, "repeated_edges_left_out", c->in.repeated);
    }
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_object_end(j);
    const session_stage stages[] = {{"mst", r->seconds}, {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status write_output(mst_command *c) {
    char delimiter = c->s.output ? io_output_delimiter(c->s.output) : 0;
    if (!c->s.output) return GLSHAPE_OK;
    return delimiter ? write_text(c, delimiter) : write_npy(c);
}

static glshape_status check_options(mst_command *c) {
    error *err = &c->s.err;
    bool points = c->kind == INPUT_POINTS;
    if (c->s.format && !points)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "--format does not go with graphs: their content tells their format");
    if (c->maximum && points) return fail(err, GLSHAPE_BAD_ARGUMENT, "--maximum goes with --input graph");
    if ((c->metric || c->search) && !points)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--metric and --search go with --input points");
    TRY(session_read_p(&c->s, c->p_text, c->metric, &c->p));
    TRY(session_check_columns(&c->s, points));
    return session_check_outputs(&c->s);
}

static void print_summary(mst_command *c) {
    session *s = &c->s;
    const glshape_mst_result *r = &c->result;
    FILE *to = session_summary(s);
    if (c->kind == INPUT_POINTS) fprintf(to, "%zu point%s: ", c->points.rows, plural(c->points.rows));
    else
        fprintf(to, "%zu node%s, %zu edge%s: ", c->edges.nodes, plural(c->edges.nodes), c->edges.count,
                plural(c->edges.count));
    fprintf(to, "total weight %.15g, ", r->total);
    if (c->kind == INPUT_GRAPH) fprintf(to, "%zu component%s, ", r->components, plural(r->components));
    double rounds = session_fact(s, "rounds");
    if (rounds > 0) fprintf(to, "%.0f round%s, ", rounds, plural((size_t)rounds));
    fprintf(to, "%.2f s\n", wall_seconds() - s->started);
}

static glshape_status run_mst(mst_command *c) {
    session *s = &c->s;
    TRY(check_options(c));
    TRY_TIMED(s->read_seconds, read_input(c));
    TRY(session_open(s));
    TRY(c->kind == INPUT_POINTS ? tree_of_points(c) : forest_of_graph(c));
    TRY_TIMED(s->write_seconds, write_output(c));
    if (s->report) TRY(write_report(c));
    print_summary(c);
    return GLSHAPE_OK;
}

static void free_mst(mst_command *c) {
    io_graph_free(&c->in);
    io_matrix_free(&c->points);
    free(c->rows);
    free((void *)c->edges.i);
    free((void *)c->edges.j);
    free((void *)c->edges.weight);
    glshape_mst_free(&c->result);
}

int command_mst(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_mst)
    mst_command c = {.s.command_line = command_line,
                     .s.tabular = true,
                     .s.format_help = "",
                     .s.pictureless = true,
                     .s.may_need_none = true};
    const option_row rows[] = {
        {"--input", NULL, OPTION_CHOICE, &c.kind, "graph|points", "what INPUT is (default graph)", 0},
        {"--metric", NULL, OPTION_CHOICE, &c.metric, SESSION_METRICS,
         "points: how two rows are compared (default euclidean)", 0},
        {SESSION_P(c.p_text)},
        {SESSION_UNIT(c.s)},
        {SESSION_SEARCH(c.search)},
        {"--maximum", NULL, OPTION_FLAG, &c.maximum, NULL, "graph: find the forest of greatest total weight",
         0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_mst(&c));
}
