/* glshape compare: distances between persistence diagrams. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/owned.h"
#include "cli/command.h"
#include "cli/diagrams_input.h"
#include "cli/vectors_options.h"
#include "io/number.h"

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
    int metric;
    const char *order, *internal_p, *tolerance;
    glshape_compare_options o;
    vectors_texts texts;
    io_rows rows;          /* of the output */
    glshape_status failed; /* when rows were written */
    glshape_compare_result r;
} compare_command;

/* ---- distances --------------------------------------------------------------------------------- */

/* Rows go to the output as they are ready; it is in place when all are. */
static glshape_status write_rows(compare_command *c, size_t first, size_t count, const float *distance) {
    const glshape_matrix shape = {GLSHAPE_F32, c->in.files.count, c->in.files.count, NULL};
    const io_row_names names = {.list = &c->in.names};
    if (!first) TRY(io_rows_open(&c->s.err, c->s.output, &shape, names, &c->rows));
    TRY(io_rows_write(&c->s.err, &c->rows, count, distance));
    return first + count == shape.rows ? io_rows_commit(&c->s.err, &c->rows) : GLSHAPE_OK;
}

static bool take_rows(void *user, size_t first, size_t count, const float *distance) {
    compare_command *c = user;
    double start = wall_seconds();
    c->failed = write_rows(c, first, count, distance);
    c->s.write_seconds += wall_seconds() - start;
    return c->failed == GLSHAPE_OK;
}

static bool drop_rows(void *user, size_t first, size_t count, const float *distance) {
    (void)user, (void)first, (void)count, (void)distance;
    return true;
}

/* All dimensions that any diagram has; of none of them, the first. */
static glshape_status find_distances(compare_command *c) {
    glshape_diagrams in[DIAGRAMS_DIMENSIONS];
    glshape_compare_options options = c->o;
    size_t count = 0;
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++)
        if (c->in.of[dim].count) in[count++] = diagrams_input_of(&c->in, dim);
    if (!count) in[count++] = diagrams_input_of(&c->in, 0);
    options.more = in + 1;
    options.more_count = count - 1;
    options.rows = c->s.output ? take_rows : drop_rows;
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
    if (c->metric == GLSHAPE_COMPARE_WASSERSTEIN) json_number(j, "gap", c->r.gap);
    json_object_end(j);
    const session_stage stages[] = {
        {"compare", c->r.seconds - c->s.write_seconds}, {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}

/* Refuses an option that the metric has no use for. */
static glshape_status check_use(compare_command *c, bool given, const char *option, int metric,
                                const char *name) {
    if (!given || c->metric == metric) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s goes with --metric %s", option, name);
}

static glshape_status read_number(compare_command *c, const char *option, const char *text, const char *takes,
                                  double least, double most, double *out) {
    if (!text || (io_number_parse(text, strlen(text), out) && *out >= least && *out <= most))
        return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s %s: it takes %s", option, text, takes);
}

static glshape_status check_wasserstein(compare_command *c) {
    const int metric = GLSHAPE_COMPARE_WASSERSTEIN;
    TRY(check_use(c, c->order, "--order", metric, "wasserstein"));
    TRY(check_use(c, c->internal_p, "--internal-p", metric, "wasserstein"));
    TRY(check_use(c, c->tolerance, "--tolerance", metric, "wasserstein"));
    TRY(read_number(c, "--order", c->order, "a number from 1 to 64", 1, 64, &c->o.order));
    TRY(read_number(c, "--internal-p", c->internal_p, "a number, 1 or above, or inf", 1, INFINITY,
                    &c->o.internal_p));
    TRY(read_number(c, "--tolerance", c->tolerance, "a number, 0 or above", 0, 1e6, &c->o.tolerance));
    c->o.exact = c->tolerance && c->o.tolerance == 0;
    return GLSHAPE_OK;
}

/* Those of vectors. */
static glshape_status check_vectors(compare_command *c) {
    bool image = c->metric == GLSHAPE_COMPARE_IMAGE, landscape = c->metric == GLSHAPE_COMPARE_LANDSCAPE;
    const vectors_texts *t = &c->texts;
    const glshape_vectors_options *o = &t->o;
    if (image || landscape)
        return vectors_options_read(&c->s.err, &c->texts,
                                    image ? GLSHAPE_VECTORS_IMAGE : GLSHAPE_VECTORS_LANDSCAPE);
    if (t->resolution || t->range || t->bandwidth || t->weight || t->cut || o->landscapes || o->gudhi_scale ||
        o->keep_endpoints)
        return fail(
            &c->s.err, GLSHAPE_BAD_ARGUMENT,
            "--resolution, --range, --bandwidth, --weight, --landscapes, --gudhi-scale, --keep-endpoints and "
            "--cut go with --metric image or landscape");
    return GLSHAPE_OK;
}

static glshape_status check_options(compare_command *c) {
    c->o.metric = (glshape_compare_metric)c->metric;
    TRY(check_use(c, c->o.directions, "--directions", GLSHAPE_COMPARE_SLICED_WASSERSTEIN,
                  "sliced-wasserstein"));
    TRY(check_wasserstein(c));
    TRY(check_vectors(c));
    c->o.vectors = &c->texts.o;
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
    fprintf(session_summary(s), "%zu diagram%s, %zu pair%s, %.2f s\n", c->in.files.count,
            plural(c->in.files.count), c->r.pairs, plural(c->r.pairs), wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_compare(compare_command *c) {
    diagrams_input_free(&c->in);
    io_rows_abort(&c->rows);
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
        {"--metric", NULL, OPTION_CHOICE, &c.metric,
         "sliced-wasserstein|bottleneck|wasserstein|image|landscape",
         "how two diagrams are compared (default sliced-wasserstein)", 0},
        {"--directions", NULL, OPTION_INTEGER, &c.o.directions, "K",
         "slices of sliced-wasserstein (default 50)", OPTION_RANGE(1, 4096)},
        {"--order", NULL, OPTION_TEXT, &c.order, "Q",
         "wasserstein: costs are distances to the power Q, 1 to 64 (default 1)", 0},
        {"--internal-p", NULL, OPTION_TEXT, &c.internal_p, "P",
         "wasserstein: of two points, the norm: 1 or above, or inf (default inf)", 0},
        {"--tolerance", NULL, OPTION_TEXT, &c.tolerance, "T",
         "wasserstein: at most 1 + T times the least (default 0.01); 0: exact", 0},
        VECTORS_OPTIONS(c.texts),
        {DIAGRAMS_DIM(c.in.dim, "compare intervals of this dimension only")},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_compare(&c));
}
