/* glshape knn: nearest neighbors. */
#include <string.h>

#include "base/owned.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cli/source_input.h"
#include "io/npz.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape knn [OPTIONS] INPUT\n\n"
    "Finds the nearest neighbors of every row of INPUT among the other rows, or of the rows of another\n"
    "file (--queries), or all within a distance (--radius), exactly. Neighbors are in order of their\n"
    "distance in double precision; of equal distances the smaller row comes first.\n\n"
    "INPUT (may be gzipped; - is standard input), as --input says:\n"
    "  points           .npy, .npz, HDF5, CSV, TSV, text, or a cloud: PLY, OFF, OBJ, XYZ, PCD, GeoJSON, WKT\n"
    "  distances        a matrix of distances; see glshape linkage --help; inf: the two are never near\n"
    "  query-distances  a matrix of any number of rows, each the distances of a query to all points:\n"
    "                   .npy or text\n"
    "  documents        sparse rows: Matrix Market, scipy's .npz, or a bag of words; see glshape mds --help\n"
    "  diagrams         persistence diagrams, many INPUTs or a folder; see glshape compare --help\n"
    "A matrix in an .npy file may be larger than memory: it is read row by row.\n\n"
    "The output (-o) has for each row the rows nearest to it, counted from 0, the nearest first. With\n"
    "--radius it is one list: the neighbors of row i are its entries indptr[i] to indptr[i + 1] - 1;\n"
    "or, in an .npz file, scipy's sparse matrix of the distances (scipy.sparse.load_npz reads it).\n";

/* Beside those of other commands. */
enum { KNN_POINTS, KNN_DISTANCES, KNN_QUERY_DISTANCES, KNN_DOCUMENTS, KNN_DIAGRAMS };

typedef struct knn_command {
    session s;
    source_input in;
    int kind, neighbors, search;
    const char *distances, *queries_file, *radius_text, *indptr;
    glshape_optional radius;
    glshape_matrix queries;
    io_sparse query_documents;
    glshape_sparse sparse_queries; /* as the library sees them */
    glshape_knn_result result;
} knn_command;

static glshape_status write_report(knn_command *c) {
    session_report *report;
    json *j;
    const glshape_knn_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.columns, &report, &j));
    json_object_begin(j, "result");
    if (r->start) json_unsigned(j, "pairs", r->start[r->n]);
    else json_integer(j, "neighbors", r->n_neighbors);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_object_end(j);
    const session_stage stages[] = {{"upload", r->seconds.upload},
                                    {"find", r->seconds.find},
                                    {"decide", r->seconds.decide},
                                    {"write", c->s.write_seconds},
                                    {0}};
    return session_report_end(&c->s, report, stages);
}

/* The distances within the radius as scipy.sparse.save_npz writes a csr_array. */
static glshape_status write_npz(knn_command *c) {
    const glshape_knn_result *r = &c->result;
    size_t all = r->start[r->n], points = c->kind == KNN_QUERY_DISTANCES ? c->in.source.n : c->in.rows;
    const int64_t shape[] = {(int64_t)r->n, (int64_t)points};
    const io_npz_array arrays[] = {
        {.name = "indices", .type = GLSHAPE_I32, .dims = 1, .shape = {all}, .data = r->index},
        {.name = "indptr", .type = GLSHAPE_I64, .dims = 1, .shape = {r->n + 1}, .data = r->start},
        {.name = "format", .text = "csr"},
        {.name = "shape", .type = GLSHAPE_I64, .dims = 1, .shape = {2}, .data = shape},
        {.name = "data", .type = GLSHAPE_F64, .dims = 1, .shape = {all}, .data = r->distance}};
    return io_write_npz(&c->s.err, c->s.output, arrays, sizeof arrays / sizeof *arrays);
}

static glshape_status write_lists(knn_command *c) {
    const glshape_knn_result *r = &c->result;
    size_t all = r->start[r->n];
    if (c->s.output && io_is_npz(c->s.output)) TRY(write_npz(c));
    else if (c->s.output) TRY(io_write_vector(&c->s.err, c->s.output, GLSHAPE_U32, all, r->index));
    if (c->distances) TRY(io_write_vector(&c->s.err, c->distances, GLSHAPE_F64, all, r->distance));
    return c->indptr ? io_write_vector(&c->s.err, c->indptr, GLSHAPE_U64, r->n + 1, r->start) : GLSHAPE_OK;
}

static glshape_status write_outputs(knn_command *c) {
    const glshape_knn_result *r = &c->result;
    glshape_matrix index = {GLSHAPE_U32, r->n, (size_t)r->n_neighbors, r->index},
                   distance = {GLSHAPE_F64, r->n, (size_t)r->n_neighbors, r->distance};
    if (r->start) return write_lists(c);
    if (c->s.output) TRY(session_write_rows(&c->s, c->s.output, "neighbor", &index));
    return c->distances ? session_write_rows(&c->s, c->distances, "distance", &distance) : GLSHAPE_OK;
}

static glshape_status check_radius(knn_command *c) {
    session *s = &c->s;
    const char *text = c->radius_text;
    if (text && (!io_number_parse(text, strlen(text), &c->radius.value) || !(c->radius.value >= 0)))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--radius wants a number, 0 or more, not '%s'", text);
    c->radius.is_set = text != NULL;
    if (text && c->neighbors)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--radius and --neighbors do not go together");
    if (!text && c->indptr) return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--indptr goes with --radius");
    if (!text && s->output && io_is_npz(s->output))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "an .npz file is written with --radius; name it .npy");
    return s->output && !io_is_npz(s->output) ? io_output_format_check(&s->err, s->output) : GLSHAPE_OK;
}

static glshape_status check_options(knn_command *c) {
    static const int kinds[] = {INPUT_POINTS, INPUT_DISTANCES, INPUT_DISTANCES, INPUT_DOCUMENTS,
                                INPUT_DIAGRAMS};
    session *s = &c->s;
    bool matrix = c->kind == KNN_DISTANCES || c->kind == KNN_QUERY_DISTANCES;
    c->in.kind = kinds[c->kind];
    TRY(source_input_check(s, &c->in));
    if (matrix && c->queries_file)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--queries goes with --input points or documents; distances of queries are --input "
                    "query-distances");
    if (c->in.tfidf && c->queries_file)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--tfidf and --queries do not go together: each file would be weighed by its own words");
    if (c->kind == KNN_QUERY_DISTANCES && (s->format || c->in.symmetrize))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--format and --symmetrize do not go with --input query-distances");
    if (c->kind != KNN_POINTS && c->search == GLSHAPE_SEARCH_INDEX)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--search index goes with --input points");
    TRY(check_radius(c));
    if (c->radius_text && c->search == GLSHAPE_SEARCH_PAIRS)
        return fail(
            &s->err, GLSHAPE_BAD_ARGUMENT,
            "--search pairs goes with --neighbors; points within a radius are found through an index");
    return GLSHAPE_OK;
}

static glshape_status read_query_distances(knn_command *c) {
    source_input *in = &c->in;
    TRY(io_distances_open_rectangle(&c->s.err, c->s.input, &in->distances));
    in->rows = io_distances_height(in->distances);
    in->columns = in->source.n = io_distances_count(in->distances);
    in->source.reader = io_distances_reader;
    if (io_distances_are_double(in->distances)) in->source.double_reader = io_distances_double_reader;
    in->source.user = in->distances;
    return GLSHAPE_OK;
}

static glshape_status read_queries(knn_command *c) {
    session *s = &c->s;
    if (c->kind == KNN_DOCUMENTS) {
        io_sparse *q = &c->query_documents;
        TRY(source_input_documents(s, c->queries_file, c->in.transpose, q));
        c->sparse_queries = (glshape_sparse){q->rows, q->cols, q->start, q->column, q->value};
        return GLSHAPE_OK;
    }
    if (session_is_first()) {
        io_texts_free(&s->texts); /* rows of the result are those of queries */
        TRY(session_read_rows(s, c->queries_file, IO_AUTO, &c->queries, &s->texts));
    }
    return s->shared ? session_share_matrix(s, &c->queries) : GLSHAPE_OK;
}

static glshape_status read_input(knn_command *c) {
    TRY(c->kind == KNN_QUERY_DISTANCES ? read_query_distances(c) : source_input_read(&c->s, &c->in));
    return c->queries_file ? read_queries(c) : GLSHAPE_OK;
}

static glshape_status find_neighbors(knn_command *c) {
    session *s = &c->s;
    glshape_knn_options options = {.n_neighbors = c->neighbors,
                                   .search = (glshape_search)c->search,
                                   .queries = c->queries.data ? &c->queries : NULL,
                                   .sparse_queries = c->sparse_queries.start ? &c->sparse_queries : NULL,
                                   .sparse_query_values = c->query_documents.exact,
                                   .reader_queries = c->kind == KNN_QUERY_DISTANCES ? c->in.rows : 0,
                                   .radius = {c->radius.is_set, source_input_round(&c->in, c->radius.value)}};
    bool again = false;
    glshape_status status = glshape_knn_source(s->context, &c->in.source, &options, &c->result);
    if (status == GLSHAPE_IO_ERROR || !status) TRY(source_input_verify(s, &c->in, &again));
    if (again) status = glshape_knn_source(s->context, &c->in.source, &options, &c->result);
    return session_input_error(s, status);
}

static glshape_status run_knn(knn_command *c) {
    session *s = &c->s;
    bool done;
    TRY(check_options(c));
    TRY(session_check_outputs(s));
    s->shared = c->kind == KNN_POINTS;
    if (!s->shared && !session_is_first()) return GLSHAPE_OK;
    TRY_TIMED(s->read_seconds, read_input(c));
    TRY(session_open(s));
    TRY(source_input_compare(s, &c->in));
    TRY(find_neighbors(c));
    TRY(session_end_sharing(s, &done));
    if (done) return GLSHAPE_OK;
    TRY_TIMED(s->write_seconds, write_outputs(c));
    if (s->report) TRY(write_report(c));
    const glshape_knn_result *r = &c->result;
    if (r->start)
        fprintf(session_summary(s), "%zu point%s, %llu neighbor%s in all, %.2f s\n", r->n, plural(r->n),
                (unsigned long long)r->start[r->n], plural((size_t)r->start[r->n]),
                wall_seconds() - s->started);
    else
        fprintf(session_summary(s), "%zu point%s, %d neighbor%s each, %.2f s\n", c->result.n,
                plural(c->result.n), c->result.n_neighbors, plural((size_t)c->result.n_neighbors),
                wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_knn(knn_command *c) {
    source_input_free(&c->in);
    io_matrix_free(&c->queries);
    io_sparse_free(&c->query_documents);
    glshape_knn_free(&c->result);
}

int command_knn(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_knn)
    knn_command c = {.s.command_line = command_line,
                     .s.pictureless = true,
                     .s.may_need_none = true,
                     .s.shared = true,
                     .s.tabular = true,
                     .s.format_help = INPUT_FORMATS,
                     .s.output_help =
                         "write the neighbors: .npy, .csv, .tsv, .txt; with --radius also .npz; - is "
                         "standard output",
                     SOURCE_START,
                     .in.joins = true,
                     .in.precise = true};
    c.s.list = &c.in.list;
    const option_row rows[] = {
        {"--input", NULL, OPTION_CHOICE, &c.kind, "points|distances|query-distances|documents|diagrams",
         "what INPUT is (default points)", 0},
        {"--neighbors", "-k", OPTION_INTEGER, &c.neighbors, "K",
         "how many neighbors of each row, 1 to 1024 (default 10)", OPTION_RANGE(1, GLSHAPE_KNN_MOST)},
        {"--radius", "-r", OPTION_TEXT, &c.radius_text, "R", "all rows at a distance of at most R, instead",
         0},
        {"--queries", NULL, OPTION_INPUT, &c.queries_file, "FILE",
         "rows whose neighbors among those of INPUT are found", 0},
        {"--metric", NULL, OPTION_CHOICE, &c.in.metric, SOURCE_METRICS,
         "how two rows are compared (default euclidean; of documents cosine); of diagrams sliced-wasserstein "
         "(default) and all behind it",
         0},
        {SESSION_P(c.in.p)},
        {SESSION_UNIT(c.s)},
        {"--search", NULL, OPTION_CHOICE, &c.search, "auto|pairs|index",
         "points: compare all pairs (not with --radius), or walk through a tree of boxes; the answer is the "
         "same "
         "(default auto)",
         0},
        {"--distances", NULL, OPTION_MATRIX, &c.distances, "FILE",
         "write the distances of the neighbors, in the shape of -o", 0},
        {"--indptr", NULL, OPTION_MATRIX, &c.indptr, "FILE",
         "with --radius: write where each row's neighbors begin, one number more than rows", 0},
        {SESSION_SYMMETRIZE(c.in.symmetrize)},
        {SOURCE_TFIDF(c.in)},
        {SOURCE_TRANSPOSE(c.in)},
        SOURCE_DIAGRAMS(c.in),
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_knn(&c));
}
