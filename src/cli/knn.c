/* glshape knn: nearest neighbors. */
#include "base/owned.h"
#include "cli/command.h"
#include "cli/session.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape knn [OPTIONS] INPUT\n\n"
    "Finds the nearest neighbors of every row of INPUT among the other rows, exactly. Neighbors are\n"
    "in order of their distance in double precision; of equal distances the smaller row comes first.\n\n"
    "INPUT (may be gzipped; - is standard input) is .npy, CSV, TSV or text.\n\n"
    "The output (-o) has for each row the rows nearest to it, counted from 0, the nearest first.\n";

typedef struct knn_command {
    session s;
    int neighbors, metric, search;
    const char *distances;
    glshape_matrix in;
    glshape_knn_result result;
} knn_command;

static glshape_status write_report(knn_command *c) {
    session_report *report;
    json *j;
    const glshape_knn_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.cols, &report, &j));
    json_object_begin(j, "result");
    json_integer(j, "neighbors", r->n_neighbors);
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
    if (c->s.output) TRY(io_write_matrix(&c->s.err, c->s.output, &index));
    if (c->distances) TRY(io_write_matrix(&c->s.err, c->distances, &distance));
    return GLSHAPE_OK;
}

static glshape_status run_knn(knn_command *c) {
    session *s = &c->s;
    TRY(session_check_most(s, "--neighbors", c->neighbors, GLSHAPE_KNN_MOST));
    TRY(session_check_outputs(s));
    TRY_TIMED(s->read_seconds, session_read_points(s, &c->in));
    TRY(session_open(s));
    glshape_knn_options options = {.n_neighbors = c->neighbors, .metric = (glshape_metric)c->metric,
                                   .search = (glshape_search)c->search};
    TRY(session_input_error(s, glshape_knn(s->context, &c->in, &options, &c->result)));
    TRY_TIMED(s->write_seconds, write_outputs(c));
    if (s->report) TRY(write_report(c));
    fprintf(session_summary(s), "%zu points, %d neighbor%s each, %.2f s\n", c->result.n,
            c->result.n_neighbors, plural((size_t)c->result.n_neighbors), wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_knn(knn_command *c) {
    io_matrix_free(&c->in);
    glshape_knn_free(&c->result);
}

int command_knn(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_knn) knn_command c = {.s.command_line = command_line, .s.pictureless = true};
    const option_row rows[] = {
        {"--neighbors", "-k", OPTION_INTEGER, &c.neighbors, "K",
         "how many neighbors of each row, 1 to 128 (default 10)", 1},
        {"--metric", NULL, OPTION_CHOICE, &c.metric, SESSION_METRICS,
         "how two rows are compared (default euclidean)", 0},
        {"--search", NULL, OPTION_CHOICE, &c.search, "auto|pairs|index",
         "compare all pairs, or walk through a tree of boxes; the answer is the same (default auto)", 0},
        {"--distances", NULL, OPTION_MATRIX, &c.distances, "FILE",
         "write the distances of the neighbors, in the shape of -o", 0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_knn(&c));
}
