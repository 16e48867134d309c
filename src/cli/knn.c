/* glshape knn: nearest neighbors. */
#include <string.h>

#include "cli/command.h"
#include "cli/session.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape knn [OPTIONS] INPUT\n\n"
    "Finds the nearest neighbors of every row of INPUT (.npy, CSV, TSV or text, also gzipped; - is standard\n"
    "input) among the other rows, exactly: by distance in double precision, then by row. The output has, "
    "for\n"
    "each row, the rows nearest to it, counted from 0, the nearest first.\n";

typedef struct knn_command {
    session s;
    int neighbors, metric;
    const char *distances;
    glshape_matrix in;
    glshape_knn_result result;
    double read_seconds, open_seconds, write_seconds;
} knn_command;

static glshape_status check_outputs(knn_command *c) {
    session *s = &c->s;
    if (s->picture) return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "knn draws no --picture");
    const char *const matrices[] = {s->output, c->distances};
    for (int i = 0; i < 2; i++)
        if (matrices[i]) TRY(io_output_format_check(&s->err, matrices[i]));
    const char *const outputs[] = {s->output, c->distances, s->report};
    for (int i = 0; i < 3; i++)
        if (outputs[i]) TRY(io_output_check(&s->err, outputs[i]));
    return GLSHAPE_OK;
}

static glshape_status read_input(knn_command *c) {
    session *s = &c->s;
    io_format format = IO_AUTO;
    double start = wall_seconds();
    if (s->format) TRY(io_format_from_name(&s->err, s->format, &format));
    TRY(io_read_matrix(&s->err, s->input, format, &c->in));
    TRY(io_check_finite(&s->err, s->input, &c->in));
    c->read_seconds = wall_seconds() - start;
    return GLSHAPE_OK;
}

static glshape_status compute(knn_command *c) {
    session *s = &c->s;
    double start = wall_seconds();
    TRY(session_open(s));
    c->open_seconds = wall_seconds() - start;
    glshape_knn_options options = {.neighbors = c->neighbors, .metric = (glshape_metric)c->metric};
    glshape_status status = glshape_knn(s->context, &c->in, &options, &c->result);
    if (!status) return status;
    return fail(&s->err, status, "%s: %s", io_input_name(s->input), glshape_last_error(s->context));
}

static glshape_status write_report(knn_command *c) {
    session_report *report;
    json *j;
    const glshape_knn_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.cols, &report, &j));
    json_object_begin(j, "result");
    json_integer(j, "neighbors", r->neighbors);
    json_unsigned(j, "scanned", r->scanned);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_object_end(j);
    json_object_begin(j, "seconds");
    json_number(j, "read", c->read_seconds);
    json_number(j, "open", c->open_seconds);
    json_number(j, "upload", r->seconds.upload);
    json_number(j, "find", r->seconds.find);
    json_number(j, "settle", r->seconds.settle);
    json_number(j, "write", c->write_seconds);
    json_number(j, "total", wall_seconds() - c->s.started);
    json_object_end(j);
    return session_report_end(&c->s, report);
}

static glshape_status write_outputs(knn_command *c) {
    double start = wall_seconds();
    const glshape_knn_result *r = &c->result;
    glshape_matrix index = {GLSHAPE_U32, r->n, (size_t)r->neighbors, r->index},
                   distance = {GLSHAPE_F64, r->n, (size_t)r->neighbors, r->distance};
    if (c->s.output) TRY(io_write_matrix(&c->s.err, c->s.output, &index));
    if (c->distances) TRY(io_write_matrix(&c->s.err, c->distances, &distance));
    c->write_seconds = wall_seconds() - start;
    return c->s.report ? write_report(c) : GLSHAPE_OK;
}

static glshape_status run(knn_command *c) {
    TRY(check_outputs(c));
    TRY(read_input(c));
    TRY(compute(c));
    TRY(write_outputs(c));
    bool taken = c->distances && !strcmp(c->distances, "-");
    fprintf(taken ? stderr : session_screen(&c->s), "%zu points, %d neighbor%s each, %.2f s\n", c->result.n,
            c->result.neighbors, c->result.neighbors == 1 ? "" : "s", wall_seconds() - c->s.started);
    return GLSHAPE_OK;
}

int command_knn(int argc, char **argv, const char *command_line) {
    knn_command c = {.s.command_line = command_line};
    const option_row rows[] = {
        {"--neighbors", "-k", OPTION_INTEGER, &c.neighbors, "K", "of each row, 1 to 128 (default 10)", 1},
        {"--metric", NULL, OPTION_CHOICE, &c.metric, "euclidean|manhattan|cosine|correlation",
         "dissimilarity of two rows", 0},
        {"--distances", NULL, OPTION_TEXT, &c.distances, "FILE", "their distances, in the shape of -o", 0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    glshape_status status = run(&c);
    io_matrix_free(&c.in);
    glshape_knn_free(&c.result);
    return session_end(&c.s, status);
}
