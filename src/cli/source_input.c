#include "cli/source_input.h"

#include <string.h>

#include "base/owned.h"
#include "io/read.h"
#include "ranks/ranks.h"

/* ---- checking ---------------------------------------------------------------------------------- */

enum { POINT_METRICS = GLSHAPE_METRIC_HAVERSINE + 1 };

/* Diagrams have metrics of their own, and there may be many INPUTs. */
static glshape_status check_diagrams(session *s, source_input *in) {
    bool diagrams = in->kind == INPUT_DIAGRAMS;
    const char *option = in->diagram_dim >= 0 ? "--diagram-dim" : compare_options_given(&in->how);
    if (!diagrams) TRY(options_one_input(&s->err, s->inputs - 1, s->input_count, &s->input));
    if (option && !diagrams)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s goes with --input diagrams", option);
    if (in->metric >= 0 && (in->metric >= POINT_METRICS) != diagrams)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    diagrams ? "--input diagrams goes with --metric " COMPARE_METRICS
                             : "--metric " COMPARE_METRICS " goes with --input diagrams");
    if (!diagrams) return GLSHAPE_OK;
    in->how.metric = in->metric < 0 ? 0 : in->metric - POINT_METRICS;
    return compare_options_read(&s->err, &in->how);
}

typedef struct option_use {
    bool used;
    int kind;
    const char *name, *only;
} option_use;

glshape_status source_input_check(session *s, source_input *in) {
    const option_use uses[] = {{in->tfidf, INPUT_DOCUMENTS, "--tfidf", "documents"},
                               {in->transpose, INPUT_DOCUMENTS, "--transpose", "documents"},
                               {in->weighted, INPUT_GRAPH, "--weighted", "graph"},
                               {in->components, INPUT_GRAPH, "--components", "graph"},
                               {in->symmetrize, INPUT_DISTANCES, "--symmetrize", "distances"}};
    TRY(session_check_columns(s, in->kind == INPUT_POINTS));
    TRY(check_diagrams(s, in));
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].used && in->kind != uses[i].kind)
            return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s goes with --input %s", uses[i].name, uses[i].only);
    if (in->directed)
        return fail(
            &s->err, GLSHAPE_BAD_ARGUMENT,
            "--directed: a layout has the same distance in both directions, but a directed graph does not; "
            "make the graph symmetric (each edge from both its ends)");
    if (in->metric >= 0 && (in->kind == INPUT_DISTANCES || in->kind == INPUT_GRAPH))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--metric goes with --input points or documents");
    bool layout = !strcmp(s->name, "mds") || !strcmp(s->name, "pcoa");
    if (in->metric == GLSHAPE_METRIC_HAVERSINE && (in->kind != INPUT_POINTS || layout))
        return fail(
            &s->err, GLSHAPE_BAD_ARGUMENT,
            "--metric haversine goes with --input points, for knn, linkage, hdbscan, mst and rips%s",
            layout ? "; for a layout of distances on a sphere give their matrix as --input distances" : "");
    TRY(session_read_p(s, in->p, in->metric, &in->source.p));
    if (in->keep && in->kind != INPUT_DISTANCES && in->kind != INPUT_GRAPH && in->kind != INPUT_DIAGRAMS)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--keep goes with --input distances, graph or diagrams");
    if (in->weight_file && in->components)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--weights and --components do not go together");
    io_format text;
    io_distance_format matrix;
    if (!s->format) return GLSHAPE_OK;
    if (in->kind == INPUT_POINTS) return io_format_from_name(&s->err, s->format, &text);
    if (in->kind == INPUT_DISTANCES) return io_distance_format_from_name(&s->err, s->format, &matrix);
    return fail(
        &s->err, GLSHAPE_BAD_ARGUMENT,
        "--format goes with --input points or distances; graphs, documents and diagrams tell their format "
        "themselves");
}

/* ---- reading ----------------------------------------------------------------------------------- */

static glshape_status read_points(session *s, source_input *in) {
    TRY(session_read_points(s, &in->points));
    io_note_distances(&s->err, s->input, &in->points);
    in->rows = in->points.rows;
    in->columns = in->points.cols;
    in->source.points = &in->points;
    return GLSHAPE_OK;
}

static glshape_status read_distances(session *s, source_input *in) {
    io_distance_format format = IO_DISTANCES_AUTO;
    if (s->format) TRY(io_distance_format_from_name(&s->err, s->format, &format));
    TRY((in->precise ? io_distances_open_precise : io_distances_open)(&s->err, s->input, format,
                                                                      &in->distances));
    if (in->symmetrize) TRY(io_distances_symmetrize(&s->err, in->distances));
    if (in->joins) io_distances_take(in->distances, false, true);
    s->texts.names = MOVE(*io_distances_names(in->distances));
    TRY(io_distances_watch_new(&s->err, in->distances, &in->watch));
    in->rows = in->columns = in->source.n = io_distances_count(in->distances);
    in->source.reader = io_distances_watch_reader;
    if (io_distances_are_double(in->distances)) in->source.double_reader = io_distances_watch_double_reader;
    in->source.user = in->watch;
    return GLSHAPE_OK;
}

/* The names of nodes become those of rows, unless nodes are numbers. */
static glshape_status take_names(session *s, const io_graph *g) {
    char number[IO_NODE_ROOM];
    s->texts.names.name = io_input_name(s->input);
    for (uint32_t v = 0; g->names && v < g->graph.nodes; v++) {
        const char *name = io_graph_name(g, v, number);
        TRY(io_label_list_add(&s->err, &s->texts.names, name, strlen(name)));
    }
    if (io_label_list_counts(&s->texts.names)) io_label_list_free(&s->texts.names);
    return GLSHAPE_OK;
}

static glshape_status read_graph(session *s, source_input *in) {
    io_graph_values lengths = in->joins ? IO_GRAPH_HEIGHTS : IO_GRAPH_LENGTHS;
    TRY(io_read_graph(&s->err, s->input, in->weighted ? lengths : IO_GRAPH_PLAIN, &in->graph));
    if (in->graph.has_lengths && !in->weighted)
        note(&s->err,
             "%s has values, which are ignored: every edge has length 1; --weighted takes them as lengths",
             io_input_name(s->input));
    in->rows = in->graph.graph.nodes;
    in->columns = in->graph.edges;
    in->source.graph = &in->graph.graph;
    in->source.graph_lengths = in->graph.length;
    return take_names(s, &in->graph);
}

static glshape_status transpose(session *s, io_sparse *m) {
    io_sparse transposed;
    TRY(io_sparse_transpose(&s->err, m, &transposed));
    io_sparse_free(m);
    *m = transposed;
    return GLSHAPE_OK;
}

glshape_status source_input_documents(session *s, const char *path, bool transposed, io_sparse *out) {
    TRY(io_read_sparse(&s->err, path, out));
    return transposed ? transpose(s, out) : GLSHAPE_OK;
}

static glshape_status read_documents(session *s, source_input *in) {
    TRY(source_input_documents(s, s->input, in->transpose, &in->documents));
    if (in->tfidf) TRY(io_sparse_tfidf(&s->err, &in->documents));
    in->sparse = (glshape_sparse){in->documents.rows, in->documents.cols, in->documents.start,
                                  in->documents.column, in->documents.value};
    in->rows = in->sparse.rows;
    in->columns = in->sparse.cols;
    in->source.sparse = &in->sparse;
    in->source.sparse_values = in->documents.exact;
    return GLSHAPE_OK;
}

static glshape_status read_diagrams(session *s, source_input *in) {
    in->diagrams = (diagrams_input){.s = s, .dim = in->diagram_dim};
    TRY(diagrams_input_list(&in->diagrams));
    TRY(diagrams_input_read(&in->diagrams));
    s->texts.names = MOVE(in->diagrams.names);
    in->rows = in->columns = in->diagrams.files.count;
    return GLSHAPE_OK;
}

static glshape_status read_weights(session *s, source_input *in) {
    TRY(io_distances_open(&s->err, in->weight_file, IO_DISTANCES_AUTO, &in->weights));
    io_distances_are_weights(in->weights);
    if (io_distances_count(in->weights) != in->rows)
        return fail(&s->err, GLSHAPE_BAD_INPUT, "%s has the weights of %lu points, but %s has %zu points",
                    io_distances_name(in->weights), (unsigned long)io_distances_count(in->weights),
                    io_input_name(s->input), in->rows);
    in->source.weights = io_distances_reader;
    in->source.weights_user = in->weights;
    return io_distances_check(&s->err, in->weights, 0, session_progress, s, NULL);
}

glshape_status source_input_read(session *s, source_input *in) {
    static glshape_status (*const readers[])(session *, source_input *) = {[INPUT_POINTS] = read_points,
                                                                           [INPUT_DISTANCES] = read_distances,
                                                                           [INPUT_GRAPH] = read_graph,
                                                                           [INPUT_DOCUMENTS] = read_documents,
                                                                           [INPUT_DIAGRAMS] = read_diagrams};
    in->source.keep = (glshape_keep)in->keep;
    in->source.metric = in->kind == INPUT_DIAGRAMS    ? GLSHAPE_METRIC_EUCLIDEAN
                        : in->metric >= 0             ? (glshape_metric)in->metric
                        : in->kind == INPUT_DOCUMENTS ? GLSHAPE_METRIC_COSINE
                                                      : GLSHAPE_METRIC_EUCLIDEAN;
    TRY(readers[in->kind](s, in));
    return in->weight_file ? read_weights(s, in) : GLSHAPE_OK;
}

/* Takes the first half of the progress bar. */
glshape_status source_input_compare(session *s, source_input *in) {
    glshape_diagrams of[DIAGRAMS_DIMENSIONS];
    glshape_compare_options o = in->how.o;
    if (in->kind != INPUT_DIAGRAMS) return GLSHAPE_OK;
    s->bar.part = 0.5;
    o.more_count = diagrams_input_all(&in->diagrams, of) - 1;
    o.more = of + 1;
    glshape_status status =
        glshape_comparison_new(s->context, of, &o, (glshape_keep)in->keep, &in->comparison);
    TRY(session_input_error(s, status));
    session_take_stages(s);
    s->bar.from = 0.5;
    in->source.n = in->rows;
    in->source.user = in->comparison;
    if (in->asks && !glshape_comparison_is_kept(in->comparison))
        in->source.feeder = glshape_comparison_feeder;
    else in->source.reader = glshape_comparison_reader;
    return GLSHAPE_OK;
}

double source_input_round(const source_input *in, double threshold) {
    return in->distances ? io_distances_round(in->distances, threshold) : threshold;
}

bool source_input_can_share(const session *s, const source_input *in) {
    return in->kind == INPUT_POINTS || (in->kind == INPUT_DISTANCES && strcmp(s->input, "-") != 0);
}

/* Tells the first rank which rows the others have seen. */
static glshape_status join_watches(session *s, source_input *in) {
    OWNED void *seen = NULL;
    OWNED void *all = NULL;
    size_t bytes;
    TRY(io_distances_watch_report(&s->err, in->watch, &seen, &bytes));
    TRY(ranks_collect(ranks_world(), &s->err, seen, bytes, &all, &bytes));
    if (all) io_distances_watch_add(in->watch, all, bytes);
    return GLSHAPE_OK;
}

glshape_status source_input_verify(session *s, source_input *in, bool *again) {
    bool shared = s->shared && ranks_world()->size > 1;
    *again = false;
    if (!in->watch) return GLSHAPE_OK;
    if (shared) ranks_begin(ranks_world()); /* a rank that could not read may have failed */
    if (shared) TRY(join_watches(s, in));
    if (session_is_first()) TRY(io_distances_watch_end(&s->err, in->watch, session_progress, s, again));
    return shared ? ranks_broadcast(ranks_world(), &s->err, again, sizeof *again) : GLSHAPE_OK;
}

void source_input_free(source_input *in) {
    io_distances_watch_free(in->watch);
    io_matrix_free(&in->points);
    io_distances_close(in->distances);
    io_distances_close(in->weights);
    io_graph_free(&in->graph);
    io_sparse_free(&in->documents);
    diagrams_input_free(&in->diagrams);
    glshape_comparison_free(in->comparison);
}
