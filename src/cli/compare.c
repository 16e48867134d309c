/* glshape compare: distances between persistence diagrams. */
#include <stdio.h>

#include "base/owned.h"
#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/diagrams_input.h"

static const char usage[] =
    "usage: glshape compare [OPTIONS] INPUT…\n\n"
    "Finds the distances between persistence diagrams: a matrix that glshape mds, hdbscan, linkage and knn\n"
    "read with --input distances.\n\n" DIAGRAMS_USAGE
    "Each dimension is compared by itself, and the distances are added; --dim takes one.\n"
    "Intervals that never end are matched among themselves by their births; where two diagrams have not as\n"
    "many, the distance is inf.\n\n"
    "sliced-wasserstein: a mean over directions. bottleneck: the least ε that a matching moves points by.\n"
    "wasserstein: the least cost of a matching. image, landscape: the Euclidean distance between the "
    "vectors\n"
    "that glshape vectors makes, with its options; intervals that never end are left out, or end at "
    "--cut.\n\n"
    "The output (-o) has a row and a column for each diagram, in the order of the inputs; text has the\n"
    "names of the files.\n";

typedef struct compare_command {
    session s;
    const char *list; /* unused: the inputs are many */
    diagrams_input in;
    compare_texts how;
    const char *errors;       /* the file of standard errors */
    io_rows rows, error_rows; /* of the outputs */
    glshape_status failed;    /* when rows were written */
    glshape_compare_result r;
} compare_command;

/* ---- distances --------------------------------------------------------------------------------- */

/* Rows go to an output as they are ready; it is in place when all are. */
static glshape_status write_rows(compare_command *c, io_rows *out, const char *path, size_t first,
                                 size_t count, const float *distance) {
    const glshape_matrix shape = {GLSHAPE_F32, c->in.files.count, c->in.files.count, NULL};
    const io_row_names names = {.list = &c->in.names};
    if (!first) TRY(io_rows_open(&c->s.err, path, &shape, names, out));
    TRY(io_rows_write(&c->s.err, out, count, distance));
    return first + count == shape.rows ? io_rows_commit(&c->s.err, out) : GLSHAPE_OK;
}

static bool take_any(compare_command *c, io_rows *out, const char *path, size_t first, size_t count,
                     const float *distance) {
    double start = wall_seconds();
    c->failed = write_rows(c, out, path, first, count, distance);
    c->s.write_seconds += wall_seconds() - start;
    return c->failed == GLSHAPE_OK;
}

static bool take_rows(void *user, size_t first, size_t count, const float *distance) {
    compare_command *c = user;
    return take_any(c, &c->rows, c->s.output, first, count, distance);
}

static bool take_errors(void *user, size_t first, size_t count, const float *distance) {
    compare_command *c = user;
    return take_any(c, &c->error_rows, c->errors, first, count, distance);
}

static bool drop_rows(void *user, size_t first, size_t count, const float *distance) {
    (void)user, (void)first, (void)count, (void)distance;
    return true;
}

static glshape_status find_distances(compare_command *c) {
    glshape_diagrams in[DIAGRAMS_DIMENSIONS];
    glshape_compare_options options = c->how.o;
    size_t count = diagrams_input_all(&c->in, in);
    options.more = in + 1;
    options.more_count = count - 1;
    options.rows = c->s.output ? take_rows : drop_rows;
    options.error_rows = c->errors ? take_errors : NULL;
    options.rows_user = c;
    glshape_status status = glshape_compare(c->s.context, in, &options, &c->r);
    return c->failed ? c->failed : session_input_error(&c->s, status);
}

/* ---- out --------------------------------------------------------------------------------------- */

static glshape_status write_report(compare_command *c) {
    session_report *report;
    json *j;
    TRY(session_report_begin(&c->s, c->in.files.count, c->in.files.count, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "diagrams", c->in.files.count);
    json_unsigned(j, "pairs", c->r.pairs);
    json_unsigned(j, "gpu_bytes", c->r.gpu_bytes);
    if (c->how.metric == GLSHAPE_COMPARE_WASSERSTEIN) json_number(j, "gap", c->r.gap);
    if (c->errors) json_number(j, "largest_error", c->r.largest_error);
    json_object_end(j);
    const session_stage stages[] = {
        {"compare", c->r.seconds - c->s.write_seconds}, {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status check_options(compare_command *c) {
    if (c->errors && c->how.metric != GLSHAPE_COMPARE_SLICED_WASSERSTEIN)
        return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "--errors goes with --metric sliced-wasserstein");
    if (c->errors && c->how.directions == 1)
        return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "--errors needs two --directions or more, not one");
    TRY(compare_options_read(&c->s.err, &c->how));
    return session_check_outputs(&c->s);
}

static glshape_status run_compare(compare_command *c) {
    session *s = &c->s;
    TRY(check_options(c));
    TRY(diagrams_input_list(&c->in));
    TRY_TIMED(s->read_seconds, diagrams_input_read(&c->in));
    TRY(session_open(s));
    TRY(find_distances(c));
    if (s->report) TRY(write_report(c));
    char error[60] = "";
    if (c->errors) snprintf(error, sizeof error, ", largest standard error %.3g", c->r.largest_error);
    fprintf(session_summary(s), "%zu diagram%s, %zu pair%s%s, %.2f s\n", c->in.files.count,
            plural(c->in.files.count), c->r.pairs, plural(c->r.pairs), error, wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_compare(compare_command *c) {
    diagrams_input_free(&c->in);
    io_rows_abort(&c->rows);
    io_rows_abort(&c->error_rows);
    glshape_compare_free(&c->r);
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
        {"--metric", NULL, OPTION_CHOICE, &c.how.metric, COMPARE_METRICS,
         "how two diagrams are compared (default sliced-wasserstein)", 0},
        {"--errors", NULL, OPTION_MATRIX, &c.errors, "FILE",
         "sliced-wasserstein: write the standard error of each distance, over the directions, and print the "
         "largest",
         0},
        COMPARE_OPTIONS(c.how),
        {DIAGRAMS_DIM(c.in.dim, "compare intervals of this dimension only")},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_compare(&c));
}
