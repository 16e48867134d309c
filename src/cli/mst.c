/* glshape mst: the spanning forest of a graph. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/session.h"
#include "io/graph.h"
#include "io/number.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape mst [OPTIONS] INPUT\n\n"
    "Finds the spanning forest of least total weight, by Borůvka's algorithm, and prints its weight.\n"
    "Of edges of equal weight the one with the smaller end comes first, so the forest is the same on\n"
    "every device.\n\n"
    "INPUT (may be gzipped; - is standard input) is Matrix Market, an edge list (a line has two nodes\n"
    "and perhaps a weight) or DIMACS .gr. Without weights all edges weigh 1. Weights may be 0 or\n"
    "negative; they are kept in single precision.\n\n"
    "The output (-o) has a row for each edge, in order of weight: its two nodes, as INPUT calls them,\n"
    "and the weight. In .npy (float64), nodes whose names are no numbers count from 0 in INPUT's\n"
    "order.\n";

typedef struct mst_command {
    session s;
    bool maximum;
    io_graph in;
    glshape_edges edges;
    glshape_mst_result result;
} mst_command;

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
    TRY(io_read_graph(&s->err, s->input, c->maximum ? IO_GRAPH_GREATEST : IO_GRAPH_LEAST, &c->in));
    return list_edges(c);
}

/* ---- out --------------------------------------------------------------------------------------- */

/* Writes a name as a field, in quotes if it needs them. */
static void write_name(FILE *to, const char *name, char delimiter) {
    const char special[] = {delimiter, '"', 0};
    bool quoted = strpbrk(name, special) != NULL;
    if (quoted) fputc('"', to);
    for (; *name; name++) {
        if (*name == '"') fputc('"', to);
        fputc(*name, to);
    }
    if (quoted) fputc('"', to);
    fputc(delimiter, to);
}

static glshape_status write_text(mst_command *c, char delimiter) {
    io_output out;
    char number[IO_NODE_ROOM], weight[IO_NUMBER_ROOM];
    const glshape_mst_result *r = &c->result;
    TRY(io_output_open(&c->s.err, c->s.output, &out));
    FILE *to = io_output_stream(&out);
    for (size_t k = 0; k < r->count; k++) {
        write_name(to, io_graph_name(&c->in, r->i[k], number), delimiter);
        write_name(to, io_graph_name(&c->in, r->j[k], number), delimiter);
        io_number_print_float(weight, r->weight[k]);
        fprintf(to, "%s\n", weight);
    }
    return io_output_commit(&c->s.err, &out);
}

static glshape_status write_npy(mst_command *c) {
    const glshape_mst_result *r = &c->result;
    const double first = c->in.names ? 0 : (double)c->in.first;
    OWNED double *rows = NULL;
    TRY(allocate(&c->s.err, &rows, r->count, 3 * sizeof *rows, "the rows of the output"));
    for (size_t k = 0; k < r->count; k++) {
        rows[3 * k] = first + r->i[k];
        rows[3 * k + 1] = first + r->j[k];
        rows[3 * k + 2] = r->weight[k];
    }
    glshape_matrix m = {GLSHAPE_F64, r->count, 3, rows};
    return io_write_matrix(&c->s.err, c->s.output, &m);
}

static glshape_status write_report(mst_command *c) {
    session_report *report;
    json *j;
    const glshape_mst_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->edges.nodes, c->edges.count, &report, &j));
    json_object_begin(j, "result");
    json_number(j, "total_weight", r->total);
    json_unsigned(j, "edges", r->count);
    json_unsigned(j, "components", r->components);
    json_unsigned(j, "loops_left_out", c->in.loops);
    json_unsigned(j, "repeated_edges_left_out", c->in.repeated);
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

static glshape_status run_mst(mst_command *c) {
    session *s = &c->s;
    if (s->format)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--format does not go with graphs: their content tells their format");
    TRY(session_check_outputs(s));
    TRY_TIMED(s->read_seconds, read_input(c));
    TRY(session_open(s));
    glshape_mst_options options = {.maximum = c->maximum};
    TRY(session_library_error(s, glshape_mst(s->context, &c->edges, &options, &c->result)));
    TRY_TIMED(s->write_seconds, write_output(c));
    if (s->report) TRY(write_report(c));
    const glshape_mst_result *r = &c->result;
    fprintf(session_summary(s),
            "%zu nodes, %zu edges: total weight %.15g, %zu component%s, %.0f rounds, %.2f s\n",
            c->edges.nodes, c->edges.count, r->total, r->components, plural(r->components),
            session_fact(s, "rounds"), wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_mst(mst_command *c) {
    io_graph_free(&c->in);
    free((void *)c->edges.i);
    free((void *)c->edges.j);
    free((void *)c->edges.weight);
    glshape_mst_free(&c->result);
}

int command_mst(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_mst)
    mst_command c = {.s.command_line = command_line, .s.format_help = "", .s.pictureless = true};
    const option_row rows[] = {
        {"--maximum", NULL, OPTION_FLAG, &c.maximum, NULL, "find the forest of greatest total weight", 0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_mst(&c));
}
