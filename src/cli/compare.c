/* glshape compare: distances between persistence diagrams. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/file_list.h"
#include "cli/session.h"
#include "io/columns.h"
#include "io/npy.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape compare [OPTIONS] INPUT…\n\n"
    "Finds the distances between persistence diagrams: a matrix that glshape mds, hdbscan, linkage and knn\n"
    "read with --input distances.\n\n"
    "Each INPUT is a diagram, or a folder of diagrams, which are taken in the order of their names: what\n"
    "glshape rips, cubical and alpha write (dim, birth, death), mergetree --diagram (birth, death), and\n"
    ".npy of two columns, or of three or more that begin with the dimension.\n"
    "Each dimension is compared by itself, and the distances are added; --dim takes one.\n"
    "Intervals that never end are matched among themselves by their births; where two diagrams have not as\n"
    "many, the distance is inf.\n\n"
    "The output (-o) has a row and a column for each diagram, in the order of the inputs; text has the\n"
    "names of the files.\n";

enum { DIMENSIONS = 16 };

/* Pairs of one dimension of all diagrams. */
typedef struct pair_list {
    double *pairs; /* birth, death */
    size_t count, room, *first;
} pair_list;

typedef struct compare_command {
    session s;
    const char *list; /* unused: the inputs are many */
    int metric, directions, dim;
    file_list files;
    pair_list of[DIMENSIONS];
    io_label_list names;
    float *distance;
    size_t pairs, gpu_bytes;
    double seconds;
} compare_command;

/* ---- inputs ------------------------------------------------------------------------------------ */

static glshape_status add_pair(compare_command *c, const char *path, size_t row, double dim, double birth,
                               double death) {
    if (!(dim >= 0 && dim < DIMENSIONS && dim == (int)dim))
        return fail(&c->s.err, GLSHAPE_BAD_INPUT, "%s: row %zu has the dimension %g; there are 0 to %d", path,
                    row + 1, dim, DIMENSIONS - 1);
    if (c->dim >= 0 && (int)dim != c->dim) return GLSHAPE_OK;
    if (!isfinite(birth) || isnan(death))
        return fail(&c->s.err, GLSHAPE_BAD_INPUT,
                    "%s: row %zu has birth %g, death %g; a birth is a finite number, a death a number or "
                    "infinite",
                    path, row + 1, birth, death);
    pair_list *l = &c->of[(int)dim];
    TRY(memory_reserve(&c->s.err, &l->pairs, &l->room, l->count + 1, 2 * sizeof *l->pairs, "the pairs"));
    l->pairs[2 * l->count] = birth;
    l->pairs[2 * l->count++ + 1] = death;
    return GLSHAPE_OK;
}

/* A table has columns of these names; one of mergetree's has no dimension, which is 0. */
static glshape_status read_table(error *err, io_stream *s, glshape_matrix *m) {
    const io_columns columns = {.chosen = "dim,birth,death", .instead = "birth,death", .perhaps_empty = true};
    return io_read_columns_stream(err, s, &columns, m, NULL);
}

/* An array without rows is a diagram without pairs. */
static glshape_status read_array(error *err, io_stream *s, glshape_matrix *m) {
    io_npy npy;
    TRY(io_npy_read_shape(err, s, &npy));
    TRY(io_npy_check_shape(err, s, &npy, true));
    if (npy.rows) return io_npy_read_numbers(err, s, &npy, m);
    *m = (glshape_matrix){.cols = 2};
    return GLSHAPE_OK;
}

static glshape_status read_diagram(compare_command *c, const char *path) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(io_matrix_free) glshape_matrix m = {0};
    OWNED double *values = NULL;
    error *err = &c->s.err;
    TRY(io_stream_open(err, path, &s));
    bool npy = io_stream_starts(&s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES);
    TRY(npy ? read_array(err, &s, &m) : read_table(err, &s, &m));
    if (m.cols < 2)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has one column; a diagram has birth and death, or dimension, birth and death",
                    s.name);
    TRY(io_matrix_doubles(err, &m, &values));
    for (size_t k = 0; k < m.rows; k++) {
        const double *row = values + k * m.cols;
        bool flat = m.cols == 2;
        TRY(add_pair(c, s.name, k, flat ? 0 : row[0], row[!flat], row[1 + !flat]));
    }
    return GLSHAPE_OK;
}

static glshape_status read_all(compare_command *c) {
    for (int dim = 0; dim < DIMENSIONS; dim++)
        TRY(allocate(&c->s.err, &c->of[dim].first, c->files.count + 1, sizeof(size_t), "the diagrams"));
    for (size_t k = 0; k < c->files.count; k++) {
        for (int dim = 0; dim < DIMENSIONS; dim++) c->of[dim].first[k] = c->of[dim].count;
        TRY(file_list_name(&c->s.err, c->files.at[k], &c->names));
        TRY(read_diagram(c, c->files.at[k]));
    }
    for (int dim = 0; dim < DIMENSIONS; dim++) c->of[dim].first[c->files.count] = c->of[dim].count;
    return GLSHAPE_OK;
}

/* ---- distances --------------------------------------------------------------------------------- */

static glshape_status add_dimension(compare_command *c, const pair_list *l) {
    session *s = &c->s;
    glshape_compare_result r;
    size_t n = c->files.count;
    const glshape_diagrams in = {.count = n, .first = l->first, .pairs = l->pairs};
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
    size_t n = c->files.count;
    TRY(allocate(&c->s.err, &c->distance, times(n, n), sizeof *c->distance, "the distances"));
    memset(c->distance, 0, n * n * sizeof *c->distance);
    for (int dim = 0; dim < DIMENSIONS; dim++)
        if (c->of[dim].count) TRY(add_dimension(c, &c->of[dim]));
    return GLSHAPE_OK;
}

/* ---- out --------------------------------------------------------------------------------------- */

static glshape_status write_output(compare_command *c) {
    const glshape_matrix m = {GLSHAPE_F32, c->files.count, c->files.count, c->distance};
    if (!c->s.output) return GLSHAPE_OK;
    return io_write_named(&c->s.err, c->s.output, 2, &m, (io_row_names){.list = &c->names});
}

static glshape_status write_report(compare_command *c) {
    session_report *report;
    json *j;
    TRY(session_report_begin(&c->s, c->files.count, c->files.count, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "diagrams", c->files.count);
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
    TRY(file_list_take(s, &c->files));
    TRY(file_list_check(s, &c->files));
    TRY_TIMED(s->read_seconds, read_all(c));
    TRY(session_open(s));
    TRY(find_distances(c));
    TRY_TIMED(s->write_seconds, write_output(c));
    if (s->report) TRY(write_report(c));
    fprintf(session_summary(s), "%zu diagram%s, %zu pair%s, %.2f s\n", c->files.count, plural(c->files.count),
            c->pairs, plural(c->pairs), wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_compare(compare_command *c) {
    for (int dim = 0; dim < DIMENSIONS; dim++) {
        free(c->of[dim].pairs);
        free(c->of[dim].first);
    }
    file_list_free(&c->files);
    free(c->distance);
    io_label_list_free(&c->names);
}

int command_compare(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_compare)
    compare_command c = {.s.command_line = command_line,
                         .s.format_help = "",
                         .s.pictureless = true,
                         .s.may_need_none = true,
                         .s.list = &c.list,
                         .dim = -1};
    const option_row rows[] = {
        {"--metric", NULL, OPTION_CHOICE, &c.metric, "sliced-wasserstein|bottleneck",
         "how two diagrams are compared (default sliced-wasserstein)", 0},
        {"--directions", NULL, OPTION_INTEGER, &c.directions, "K",
         "slices of sliced-wasserstein (default 50)", OPTION_RANGE(1, 4096)},
        {"--dim", NULL, OPTION_INTEGER, &c.dim, "K", "compare intervals of this dimension only",
         OPTION_RANGE(0, DIMENSIONS - 1)},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_compare(&c));
}
