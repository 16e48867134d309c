/* glshape knn: nearest neighbors. */
#include <string.h>

#include "base/owned.h"
#include "cli/command.h"
#include "cli/session.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape knn [OPTIONS] INPUT\n\n"
    "Finds the nearest neighbors of every row of INPUT among the other rows, or of the rows of another\n"
    "file (--queries), or all within a distance (--radius), exactly. Neighbors are in order of their\n"
    "distance in double precision; of equal distances the smaller row comes first.\n\n"
    "INPUT (may be gzipped; - is standard input) is .npy, CSV, TSV or text.\n\n"
    "The output (-o) has for each row the rows nearest to it, counted from 0, the nearest first. With\n"
    "--radius it is one list: the neighbors of row i are its entries indptr[i] to indptr[i + 1] - 1.\n";

typedef struct knn_command {
    session s;
    int neighbors, metric, search;
    const char *distances, *queries_file, *radius_text, *indptr, *p_text;
    double p;
    glshape_optional radius;
    glshape_matrix in, queries;
    glshape_knn_result result;
} knn_command;

static glshape_status write_report(knn_command *c) {
    session_report *report;
    json *j;
    const glshape_knn_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.cols, &report, &j));
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

static glshape_status write_outputs(knn_command *c) {
    const glshape_knn_result *r = &c->result;
    glshape_matrix index = {GLSHAPE_U32, r->n, (size_t)r->n_neighbors, r->index},
                   distance = {GLSHAPE_F64, r->n, (size_t)r->n_neighbors, r->distance};
    if (r->start) {
        size_t all = r->start[r->n];
        if (c->s.output) TRY(io_write_vector(&c->s.err, c->s.output, GLSHAPE_U32, all, r->index));
        if (c->distances) TRY(io_write_vector(&c->s.err, c->distances, GLSHAPE_F64, all, r->distance));
        return c->indptr ? io_write_vector(&c->s.err, c->indptr, GLSHAPE_U64, r->n + 1, r->start)
                         : GLSHAPE_OK;
    }
    if (c->s.output) TRY(io_write_matrix(&c->s.err, c->s.output, &index));
    if (c->distances) TRY(io_write_matrix(&c->s.err, c->distances, &distance));
    return GLSHAPE_OK;
}

static glshape_status check_options(knn_command *c) {
    session *s = &c->s;
    const char *text = c->radius_text;
    TRY(session_read_p(s, c->p_text, c->metric, &c->p));
    if (text && (!io_number_parse(text, strlen(text), &c->radius.value) || !(c->radius.value >= 0)))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--radius wants a number, 0 or more, not '%s'", text);
    c->radius.is_set = text != NULL;
    if (text && c->neighbors)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--radius and --neighbors do not go together");
    if (!text && c->indptr) return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--indptr goes with --radius");
    return session_check_most(s, "--neighbors", c->neighbors, GLSHAPE_KNN_MOST);
}

static glshape_status read_queries(knn_command *c) {
    session *s = &c->s;
    TRY(io_read_matrix(&s->err, c->queries_file, IO_AUTO, &c->queries));
    return io_check_finite(&s->err, c->queries_file, &c->queries);
}

static glshape_status run_knn(knn_command *c) {
    session *s = &c->s;
    TRY(check_options(c));
    TRY(session_check_outputs(s));
    TRY_TIMED(s->read_seconds, session_read_points(s, &c->in));
    if (c->queries_file) TRY(read_queries(c));
    TRY(session_open(s));
    glshape_knn_options options = {.n_neighbors = c->neighbors,
                                   .metric = (glshape_metric)c->metric,
                                   .p = c->p,
                                   .search = (glshape_search)c->search,
                                   .queries = c->queries_file ? &c->queries : NULL,
                                   .radius = c->radius};
    TRY(session_input_error(s, glshape_knn(s->context, &c->in, &options, &c->result)));
    TRY_TIMED(s->write_seconds, write_outputs(c));
    if (s->report) TRY(write_report(c));
    const glshape_knn_result *r = &c->result;
    if (r->start)
        fprintf(session_summary(s), "%zu points, %llu neighbors in all, %.2f s\n", r->n,
                (unsigned long long)r->start[r->n], wall_seconds() - s->started);
    else
        fprintf(session_summary(s), "%zu points, %d neighbor%s each, %.2f s\n", c->result.n,
                c->result.n_neighbors, plural((size_t)c->result.n_neighbors), wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_knn(knn_command *c) {
    io_matrix_free(&c->in);
    io_matrix_free(&c->queries);
    glshape_knn_free(&c->result);
}

int command_knn(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_knn)
    knn_command c = {.s.command_line = command_line, .s.pictureless = true, .s.may_need_none = true};
    const option_row rows[] = {
        {"--neighbors", "-k", OPTION_INTEGER, &c.neighbors, "K",
         "how many neighbors of each row, 1 to 1024 (default 10)", 1},
        {"--radius", "-r", OPTION_TEXT, &c.radius_text, "R", "all rows at a distance of at most R, instead",
         0},
        {"--queries", NULL, OPTION_INPUT, &c.queries_file, "FILE",
         "rows whose neighbors among those of INPUT are found", 0},
        {"--metric", NULL, OPTION_CHOICE, &c.metric, SESSION_METRICS,
         "how two rows are compared (default euclidean)", 0},
        SESSION_P(c.p_text),
        {"--search", NULL, OPTION_CHOICE, &c.search, "auto|pairs|index",
         "compare all pairs, or walk through a tree of boxes; the answer is the same (default auto)", 0},
        {"--distances", NULL, OPTION_MATRIX, &c.distances, "FILE",
         "write the distances of the neighbors, in the shape of -o", 0},
        {"--indptr", NULL, OPTION_MATRIX, &c.indptr, "FILE",
         "with --radius: write where each row's neighbors begin, one number more than rows", 0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_knn(&c));
}
