/* glshape vectors: persistence diagrams as rows of numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/diagrams_input.h"
#include "cli/vectors_options.h"

static const char usage[] =
    "usage: glshape vectors [OPTIONS] INPUT…\n\n"
    "Makes a row of numbers of each persistence diagram, for any program that learns: persistence images,\n"
    "landscapes, silhouettes, Betti curves, entropy.\n\n" DIAGRAMS_USAGE
    "Each dimension has its own columns, in order; --dim takes one. Intervals that never end are left out,\n"
    "but for Betti curves, unless --cut says where they end.\n\n"
    "Samples and pixels lie evenly between the least and the greatest values of all diagrams; --range says\n"
    "where else. Image: a Gaussian for each interval at (birth, lifetime), --resolution births a row, rows "
    "of\n"
    "ascending lifetimes. Landscape: the --landscapes greatest of the intervals' tents at each sample.\n"
    "Silhouette: their mean, weighted. Betti: the intervals that cover a sample. Entropy: -Σ p log p, where "
    "p\n"
    "is a lifetime, divided by the sum of all; entropy-curve: of the intervals that cover a sample.\n"
    "These are the vectors of GUDHI, but for a factor of landscapes and silhouettes: see --gudhi-scale.\n\n"
    "The output (-o) has a row for each diagram, in the order of the inputs; text has the names of the "
    "files.\n";

typedef struct vectors_command {
    session s;
    const char *list; /* unused: the inputs are many */
    diagrams_input in;
    int kind;
    vectors_texts texts;
    glshape_vectors_result of[DIAGRAMS_DIMENSIONS];
    bool has[DIAGRAMS_DIMENSIONS]; /* dimensions that the output has */
    size_t columns, pairs, left_out, gpu_bytes;
    double seconds;
} vectors_command;

/* ---- vectors ------------------------------------------------------------------------------------- */

static glshape_status find_dimension(vectors_command *c, int dim) {
    const glshape_diagrams in = diagrams_input_of(&c->in, dim);
    glshape_vectors_result *r = &c->of[dim];
    TRY(session_input_error(&c->s, glshape_vectors(c->s.context, &in, &c->texts.o, r)));
    c->has[dim] = true;
    c->columns += r->columns;
    c->pairs += r->pairs;
    c->left_out += r->left_out;
    c->seconds += r->seconds;
    if (r->gpu_bytes > c->gpu_bytes) c->gpu_bytes = r->gpu_bytes;
    return GLSHAPE_OK;
}

/* Inputs without any interval have the vectors of dimension 0. */
static glshape_status find_vectors(vectors_command *c) {
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++)
        if (c->in.of[dim].count || dim == c->in.dim) TRY(find_dimension(c, dim));
    return c->columns ? GLSHAPE_OK : find_dimension(c, 0);
}

/* ---- out --------------------------------------------------------------------------------------- */

/* A name for each column: dim1_20. */
static glshape_status name_columns(vectors_command *c, char **out) {
    enum { ROOM = 32 };
    char *at;
    TRY(allocate(&c->s.err, out, times(c->columns, ROOM), 1, "the names of columns"));
    at = *out;
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++)
        for (size_t k = 0; c->has[dim] && k < c->of[dim].columns; k++)
            at += snprintf(at, ROOM, "%sdim%d_%zu", at > *out ? "," : "", dim, k + 1);
    return GLSHAPE_OK;
}

/* The dimensions' columns side by side. */
static glshape_status join(vectors_command *c, float **out) {
    size_t n = c->in.files.count, to = 0;
    TRY(allocate(&c->s.err, out, times(n, c->columns), sizeof **out, "the vectors"));
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++) {
        const glshape_vectors_result *r = &c->of[dim];
        for (size_t i = 0; c->has[dim] && i < n; i++)
            memcpy(*out + i * c->columns + to, r->values + i * r->columns, r->columns * sizeof **out);
        if (c->has[dim]) to += r->columns;
    }
    return GLSHAPE_OK;
}

static glshape_status write_output(vectors_command *c) {
    OWNED char *head = NULL;
    OWNED float *values = NULL;
    if (!c->s.output) return GLSHAPE_OK;
    TRY(name_columns(c, &head));
    TRY(join(c, &values));
    const glshape_matrix m = {GLSHAPE_F32, c->in.files.count, c->columns, values};
    return io_write_named(&c->s.err, c->s.output, 2, &m, (io_row_names){.list = &c->in.names, .head = head});
}

/* Where the samples of each dimension are. */
static void report_ranges(const vectors_command *c, json *j) {
    int ends = c->kind == GLSHAPE_VECTORS_IMAGE ? 4 : c->kind == GLSHAPE_VECTORS_ENTROPY ? 0 : 2;
    json_array_begin(j, "dimensions");
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++) {
        if (!c->has[dim]) continue;
        json_object_begin(j, NULL);
        json_integer(j, "dim", dim);
        json_unsigned(j, "columns", c->of[dim].columns);
        json_flat_begin(j, "range");
        for (int k = 0; k < ends; k++) json_number(j, NULL, c->of[dim].range[k]);
        json_array_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static glshape_status write_report(vectors_command *c) {
    session_report *report;
    json *j;
    TRY(session_report_begin(&c->s, c->in.files.count, c->columns, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "diagrams", c->in.files.count);
    json_unsigned(j, "pairs", c->pairs);
    json_unsigned(j, "left_out", c->left_out);
    json_unsigned(j, "gpu_bytes", c->gpu_bytes);
    report_ranges(c, j);
    json_object_end(j);
    const session_stage stages[] = {{"vectors", c->seconds}, {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status run_vectors(vectors_command *c) {
    session *s = &c->s;
    TRY(vectors_options_read(&s->err, &c->texts, (glshape_vectors_kind)c->kind));
    TRY(session_check_outputs(s));
    TRY(diagrams_input_list(&c->in));
    TRY_TIMED(s->read_seconds, diagrams_input_read(&c->in));
    TRY(session_open(s));
    TRY(find_vectors(c));
    TRY_TIMED(s->write_seconds, write_output(c));
    if (s->report) TRY(write_report(c));
    fprintf(session_summary(s), "%zu diagram%s, %zu pair%s: %zu number%s each, %.2f s\n", c->in.files.count,
            plural(c->in.files.count), c->pairs, plural(c->pairs), c->columns, plural(c->columns),
            wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_vectors(vectors_command *c) {
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++) glshape_vectors_free(&c->of[dim]);
    diagrams_input_free(&c->in);
}

int command_vectors(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_vectors)
    vectors_command c = {.s.command_line = command_line,
                         .s.format_help = "",
                         .s.pictureless = true,
                         .s.may_need_none = true,
                         .s.list = &c.list,
                         .in = {.s = &c.s, .dim = -1}};
    const option_row rows[] = {
        {"--kind", NULL, OPTION_CHOICE, &c.kind, "image|landscape|silhouette|betti|entropy|entropy-curve",
         "what a diagram becomes (default image)", 0},
        VECTORS_OPTIONS(c.texts),
        {"--unnormalized", NULL, OPTION_FLAG, &c.texts.o.unnormalized, NULL,
         "entropy-curve: not divided by the sum over all samples", 0},
        {DIAGRAMS_DIM(c.in.dim, "take intervals of this dimension only")},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_vectors(&c));
}
