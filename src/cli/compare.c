/* glshape compare: distances between persistence diagrams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/diagrams_input.h"

static const char usage[] =
    "usage: glshape compare [OPTIONS] INPUT…\n\n"
    "Finds the distances between persistence diagrams: a matrix that glshape mds, hdbscan, linkage and knn\n"
    "read with --input distances.\n\n" DIAGRAMS_USAGE
    "Each dimension is compared by itself, and the distances are added; --dim takes one.\n"
    "Intervals that never end are matched among themselves by their births; where two diagrams have not as\n"
    "many, the distance is inf.\n\n"
    "The output (-o) has a row and a column for each diagram, in the order of the inputs; text has the\n"
    "names of the files.\n";

typedef struct compare_command {
    session s;
    const char *list; /* unused: the inputs are many */
    diagrams_input in;
    int metric, directions;
    float *distance;
    size_t pairs, gpu_bytes;
    double seconds;
} compare_command;

/* ---- distances --------------------------------------------------------------------------------- */

static glshape_status add_dimension(compare_command *c, int dim) {
    session *s = &c->s;
    glshape_compare_result r;
    size_t n = c->in.file_count;
    const glshape_diagrams in = diagrams_input_of(&c->in, dim);
    const glshape_compare_options options = {.metric = (glshape_compare_metric)c->metric,
                                             .directions = c->directions};
    TRY(session_input_error(s, glshape_compare(s->context, &in, &options, &r)));
    for (size_t k = 0; k < n * n; k++) c->distance[k] += r.distance[k];
    c->pairs += r.pairs;
    c->seconds += r.seconds;
    if (r.gpu_bytes > c->gpu_bytes) c->gpu_bytes = r.gpu_bytes;
    glshape_compare_free(&r);
    return GLSHAPE_OK;
}

static glshape_status find_distances(compare_command *c) {
    size_t n = c->in.file_count;
    TRY(allocate(&c->s.err, &c->distance, times(n, n), sizeof *c->distance, "the distances"));
    memset(c->distance, 0, n * n * sizeof *c->distance);
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++)
        if (c->in.of[dim].count) TRY(add_dimension(c, dim));
    return GLSHAPE_OK;
}

/* ---- out --------------------------------------------------------------------------------------- */

static glshape_status write_output(compare_command *c) {
    const glshape_matrix m = {GLSHAPE_F32, c->in.file_count, c->in.file_count, c->distance};
    if (!c->s.output) return GLSHAPE_OK;
    return io_write_named(&c->s.err, c->s.output, 2, &m, (io_row_names){.list = &c->in.names});
}

static glshape_status write_report(compare_command *c) {
    session_report *report;
    json *j;
    TRY(session_report_begin(&c->s, c->in.file_count, c->in.file_count, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "diagrams", c->in.file_count);
    json_unsigned(j, "pairs", c->pairs);
    json_unsigned(j, "gpu_bytes", c->gpu_bytes);
    json_object_end(j);
    const session_stage stages[] = {{"compare", c->seconds}, {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status check_options(compare_command *c) {
    if (c->directions && c->metric != GLSHAPE_COMPARE_SLICED_WASSERSTEIN)
        return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "--directions goes with --metric sliced-wasserstein");
    return session_check_outputs(&c->s);
}

static glshape_status run_compare(compare_command *c) {
    session *s = &c->s;
    TRY(check_options(c));
    TRY(diagrams_input_list(&c->in));
    TRY_TIMED(s->read_seconds, diagrams_input_read(&c->in));
    TRY(session_open(s));
    TRY(find_distances(c));
    TRY_TIMED(s->write_seconds, write_output(c));
    if (s->report) TRY(write_report(c));
    fprintf(session_summary(s), "%zu diagram%s, %zu pair%s, %.2f s\n", c->in.file_count,
            plural(c->in.file_count), c->pairs, plural(c->pairs), wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_compare(compare_command *c) {
    diagrams_input_free(&c->in);
    free(c->distance);
}

int command_compare(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_compare)
    compare_command c = {.s.command_line = command_line,
                         .s.format_help = "",
                         .s.pictureless = true,
                         .s.may_need_none = true,
                         .s.list = &c.list,
                         .in = {.s = &c.s, .dim = -1}};
    const option_row rows[] = {
        {"--metric", NULL, OPTION_CHOICE, &c.metric, "sliced-wasserstein|bottleneck",
         "how two diagrams are compared (default sliced-wasserstein)", 0},
        {"--directions", NULL, OPTION_INTEGER, &c.directions, "K",
         "slices of sliced-wasserstein (default 50)", OPTION_RANGE(1, 4096)},
        {DIAGRAMS_DIM(c.in.dim, "compare intervals of this dimension only")},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_compare(&c));
}
