/* glshape vectors: persistence diagrams as rows of numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/diagrams_input.h"
#include "io/number.h"

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
    const char *resolution, *bandwidth, *weight, *range, *cut;
    double ends[4];
    glshape_vectors_options o;
    glshape_vectors_result of[DIAGRAMS_DIMENSIONS];
    bool has[DIAGRAMS_DIMENSIONS]; /* dimensions that the output has */
    size_t columns, pairs, left_out, gpu_bytes;
    double seconds;
} vectors_command;

/* ---- options ------------------------------------------------------------------------------------ */

/* Reads numbers between commas; returns how many, 0 if something is none, or if there are more. `found` may
 * stand for NaN. */
static int read_numbers(const char *text, double *out, int most) {
    for (int count = 0; count < most; text++) {
        size_t length = strcspn(text, ",");
        if (length == 4 && !strncmp(text, "auto", length)) out[count] = NAN;
        else if (!io_number_parse(text, length, out + count) || !isfinite(out[count])) return 0;
        count++;
        text += length;
        if (!*text) return count;
    }
    return 0;
}

static glshape_status read_number(vectors_command *c, const char *option, const char *text, double least,
                                  double *out) {
    if (!text || (io_number_parse(text, strlen(text), out) && isfinite(*out) && *out >= least))
        return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s %s: it takes a number%s", option, text,
                isfinite(least) ? ", 0 or above" : "");
}

static glshape_status read_resolution(vectors_command *c) {
    double side[2] = {0, 0};
    int most = c->kind == GLSHAPE_VECTORS_IMAGE ? 2 : 1,
        count = c->resolution ? read_numbers(c->resolution, side, most) : 1;
    for (int k = 0; k < count; k++)
        if (!(side[k] >= (c->resolution != NULL) && side[k] <= 65536 && side[k] == floor(side[k]))) count = 0;
    if (!count)
        return fail(
            &c->s.err, GLSHAPE_BAD_ARGUMENT, "--resolution %s: it takes %s", c->resolution,
            most == 2 ? "how many births, and how many lifetimes: 20 or 20,10" : "a whole number of samples");
    c->o.resolution = (int)side[0];
    c->o.resolution_y = (int)side[1];
    return GLSHAPE_OK;
}

static glshape_status read_range(vectors_command *c) {
    int wanted = c->kind == GLSHAPE_VECTORS_IMAGE ? 4 : 2;
    if (!c->range) return GLSHAPE_OK;
    if (read_numbers(c->range, c->ends, wanted) != wanted)
        return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "--range %s: it takes %s", c->range,
                    wanted == 4 ? "four numbers, of births and of lifetimes: 0,10,0,5; auto stands for any"
                                : "two numbers: 0,10; auto stands for either");
    c->o.range = c->ends;
    return GLSHAPE_OK;
}

/* Refuses an option that the kind has no use for. */
static glshape_status check_use(vectors_command *c, bool given, const char *option, unsigned kinds) {
    if (!given || kinds >> c->kind & 1) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s does not go with this --kind", option);
}

#define OF(kind) (1u << GLSHAPE_VECTORS_##kind)
#define TENTS (OF(LANDSCAPE) | OF(SILHOUETTE))
#define CURVES (TENTS | OF(BETTI) | OF(ENTROPY_CURVE))

static glshape_status check_options(vectors_command *c) {
    c->o.kind = (glshape_vectors_kind)c->kind;
    TRY(check_use(c, c->resolution, "--resolution", CURVES | OF(IMAGE)));
    TRY(check_use(c, c->range, "--range", CURVES | OF(IMAGE)));
    TRY(check_use(c, c->bandwidth, "--bandwidth", OF(IMAGE)));
    TRY(check_use(c, c->weight, "--weight", OF(IMAGE) | OF(SILHOUETTE)));
    TRY(check_use(c, c->o.landscapes, "--landscapes", OF(LANDSCAPE)));
    TRY(check_use(c, c->o.gudhi_scale, "--gudhi-scale", TENTS));
    TRY(check_use(c, c->o.keep_endpoints, "--keep-endpoints", CURVES));
    TRY(check_use(c, c->o.unnormalized, "--unnormalized", OF(ENTROPY_CURVE)));
    TRY(read_resolution(c));
    TRY(read_range(c));
    TRY(read_number(c, "--bandwidth", c->bandwidth, 0, &c->o.bandwidth));
    TRY(read_number(c, "--weight", c->weight, 0, &c->o.weight));
    TRY(read_number(c, "--cut", c->cut, -INFINITY, &c->o.cut_at));
    c->o.cut = c->cut != NULL;
    return session_check_outputs(&c->s);
}

/* ---- vectors ------------------------------------------------------------------------------------- */

static glshape_status find_dimension(vectors_command *c, int dim) {
    const glshape_diagrams in = diagrams_input_of(&c->in, dim);
    glshape_vectors_result *r = &c->of[dim];
    TRY(session_input_error(&c->s, glshape_vectors(c->s.context, &in, &c->o, r)));
    c->has[dim] = true;
    c->columns += r->columns;
    c->pairs += r->pairs;
    c->left_out += r->left_out;
    c->seconds += r->seconds;
    if (r->gpu_bytes > c->gpu_bytes) c->gpu_bytes = r->gpu_bytes;
    return GLSHAPE_OK;
}

/* Of inputs without any interval: of dimension 0. */
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
    size_t n = c->in.file_count, to = 0;
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
    const glshape_matrix m = {GLSHAPE_F32, c->in.file_count, c->columns, values};
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
    TRY(session_report_begin(&c->s, c->in.file_count, c->columns, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "diagrams", c->in.file_count);
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
    TRY(check_options(c));
    TRY(diagrams_input_list(&c->in));
    TRY_TIMED(s->read_seconds, diagrams_input_read(&c->in));
    TRY(session_open(s));
    TRY(find_vectors(c));
    TRY_TIMED(s->write_seconds, write_output(c));
    if (s->report) TRY(write_report(c));
    fprintf(session_summary(s), "%zu diagram%s, %zu pair%s: %zu number%s each, %.2f s\n", c->in.file_count,
            plural(c->in.file_count), c->pairs, plural(c->pairs), c->columns, plural(c->columns),
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
        {"--resolution", NULL, OPTION_TEXT, &c.resolution, "N",
         "samples of a curve (default 100), or births of an image, or births and lifetimes: 20,10 (default "
         "20)",
         0},
        {"--range", NULL, OPTION_TEXT, &c.range, "A,B",
         "the first and the last sample; of an image A,B,C,D: births, then lifetimes; auto stands for any",
         0},
        {"--keep-endpoints", NULL, OPTION_FLAG, &c.o.keep_endpoints, NULL,
         "curves: the least and greatest values are samples, too; else they lie between them", 0},
        {"--bandwidth", NULL, OPTION_TEXT, &c.bandwidth, "S",
         "images: the standard deviation of the Gaussians, in the unit of births (default 1)", 0},
        {"--weight", NULL, OPTION_TEXT, &c.weight, "P",
         "images and silhouettes: an interval weighs its lifetime to the power P (default 0: all the same)",
         0},
        {"--landscapes", NULL, OPTION_INTEGER, &c.o.landscapes, "K", "how many landscapes (default 5)",
         OPTION_RANGE(1, 4096)},
        {"--gudhi-scale", NULL, OPTION_FLAG, &c.o.gudhi_scale, NULL,
         "landscapes and silhouettes: times the root of 2, as GUDHI has them; the papers have not", 0},
        {"--unnormalized", NULL, OPTION_FLAG, &c.o.unnormalized, NULL,
         "entropy-curve: not divided by the sum over all samples", 0},
        {"--cut", NULL, OPTION_TEXT, &c.cut, "T", "intervals that never end do so at T", 0},
        {DIAGRAMS_DIM(c.in.dim, "take intervals of this dimension only")},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_vectors(&c));
}
