/* glshape cubical: persistence of images and volumes. */
#include "cli/cubical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "cli/command.h"
#include "cli/intervals.h"
#include "cli/picture.h"

static const char usage[] =
    "usage: glshape cubical [OPTIONS] INPUT\n\n"
    "Computes the persistent homology of an image or a volume, exactly and in all dimensions: where\n"
    "the components, loops and voids of {values <= t} appear and vanish as t rises; with --superlevel\n"
    "those of {values >= t} as t falls. Intervals of length 0 are left out. An infinite value stands\n"
    "for a cell that is never there. Prints how many intervals each dimension has.\n\n"
    "INPUT (may be gzipped; - is standard input) is an array of 1, 2 or 3 dimensions: .npy, .npz, NRRD,\n"
    "NIfTI, MetaImage, VTK's structured points, TIFF (pages are planes; through libtiff), PNG, PGM, PPM, a\n"
    "DIPHA image, text (a row a line; also ESRI's grids), or raw bytes (--shape and --type). Values are as\n"
    "stored, of NIfTI scaled as it says.\n\n"
    "--construction t: values are those of pixels or voxels, the top cells; those that touch at a corner\n"
    "are connected. v: values are those of vertices; only those beside each other are connected.\n\n"
    "The output (-o) has dim, birth, death, birth_vertex and death_vertex, by dimension, then by birth.\n"
    "The last two are the cells (or vertices) whose values these are, counted from 0 in C order; -1 and\n"
    "inf (in .json null): it never ends. Among equal values the cell of smaller index comes first. In .json\n"
    "the birth of a cell whose value is infinite is null, too.\n"
    "--diagram writes the same rows, in each dimension the longest first.\n"
    "--picture draws the barcode and the diagram; of superlevels with negated values.\n"
    "--locate draws the image with the longest intervals of each dimension, from the cell of birth to\n"
    "that of death; of a volume its mean along z.\n";

/* ---- options ----------------------------------------------------------------------------------- */

static glshape_status parse_number(session *s, const char *option, const char *text, double least,
                                   double *out) {
    if (!text) return GLSHAPE_OK;
    if (io_number_parse(text, strlen(text), out) && *out >= least) return GLSHAPE_OK;
    return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s takes a number%s, not '%s'", option,
                least < 0 ? "" : " that is not negative", text);
}

static glshape_status check_options(cubical_command *c) {
    session *s = &c->s;
    glshape_cubical_options *o = &c->o;
    TRY(field_input_check(s, &c->in));
    TRY(parse_number(s, "--threshold", c->threshold, -(double)INFINITY, &o->threshold.value));
    TRY(parse_number(s, "--min-persistence", c->min_persistence, 0, &o->min_persistence));
    o->threshold.is_set = c->threshold;
    if (c->min_persistence)
        o->min_persistence_whole = field_whole_persistence(c->min_persistence, o->min_persistence);
    o->construction = (glshape_cubical_construction)c->construction;
    o->superlevel = c->superlevel;
    if (c->dim >= 0) o->dim = GLSHAPE_SET(c->dim);
    TRY(session_check_modulus(s, c->modulus));
    o->modulus = c->modulus;
    o->threads = c->threads;
    o->dry_run = c->dry_run;
    if (s->output) TRY(intervals_check(&s->err, s->output));
    TRY(session_check_text(s, "--diagram", c->diagram));
    if (c->locate && picture_is_page(c->locate))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--locate %s: this picture is .png or .svg", c->locate);
    return session_check_outputs(s);
}

/* ---- work -------------------------------------------------------------------------------------- */

static void print_forecast(const cubical_command *c, FILE *to) {
    const glshape_cubical_forecast *f = &c->result.forecast;
    fprintf(to,
            "%zu value%s, %llu cell%s\nhost memory: %.1f MB beside the field, GPU memory: %.1f MB, and some "
            "hundreds of bytes for each pair of dimension 1\n",
            c->result.n, plural(c->result.n), (unsigned long long)f->cells, plural((size_t)f->cells),
            1e-6 * (double)f->host_bytes, 1e-6 * (double)f->gpu_bytes);
}

static void print_summary(const cubical_command *c, FILE *to) {
    const glshape_cubical_result *r = &c->result;
    fprintf(to, "%zu value%s:", r->n, plural(r->n));
    for (int dim = 0; dim <= r->dims; dim++) {
        size_t count = cubical_output_count(r, dim);
        if (count || dim < r->dims) fprintf(to, "%s %zu in dimension %d", dim ? "," : "", count, dim);
    }
    fprintf(to, ", %.2f s\n", wall_seconds() - c->s.started);
}

static glshape_status compute_intervals(cubical_command *c) {
    session *s = &c->s;
    if (c->threshold)
        c->o.threshold_is_whole =
            field_whole_value(&c->in.field, c->threshold, c->superlevel, &c->o.threshold_whole);
    TRY(session_open(s));
    glshape_status status = glshape_cubical(s->context, &c->in.field, &c->o, &c->result);
    return status == GLSHAPE_BAD_INPUT ? session_input_error(s, status) : session_library_error(s, status);
}

static glshape_status write_outputs(cubical_command *c) {
    if (c->s.output) TRY(cubical_output_write(c, c->s.output));
    if (c->diagram) TRY(cubical_output_diagram(c));
    if (c->locate) TRY(cubical_output_locate(c));
    return c->s.picture ? cubical_output_draw(c) : GLSHAPE_OK;
}

static glshape_status finish_dry_run(cubical_command *c) {
    session_note_idle_outputs(&c->s);
    if (c->s.report) TRY(cubical_output_report(c));
    print_forecast(c, session_summary(&c->s));
    return GLSHAPE_OK;
}

static glshape_status run_cubical(cubical_command *c) {
    TRY(check_options(c));
    TRY_TIMED(c->s.read_seconds, field_input_read(&c->s, &c->in));
    TRY(compute_intervals(c));
    if (c->dry_run) return finish_dry_run(c);
    TRY_TIMED(c->s.write_seconds, write_outputs(c));
    if (c->s.report) TRY(cubical_output_report(c));
    print_summary(c, session_summary(&c->s));
    return GLSHAPE_OK;
}

static void free_cubical(cubical_command *c) {
    field_input_free(&c->in);
    glshape_cubical_free(&c->result);
}

int command_cubical(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_cubical)
    cubical_command c = {
        .s.command_line = command_line,
        .s.format_help = "",
        .s.may_need_none = true,
        .s.output_help =
            "write the intervals, by extension (.npy .json .csv .tsv .txt); - is .csv on standard output",
        .dim = -1,
        .in = {.endian = -1}};
    const option_row rows[] = {
        {"--construction", NULL, OPTION_CHOICE, &c.construction, "t|v",
         "values are those of top cells (t, the default) or of vertices (v)", 0},
        {"--superlevel", NULL, OPTION_FLAG, &c.superlevel, NULL,
         "cells of {values >= t} as t falls, not of {values <= t} as t rises", 0},
        {"--dim", NULL, OPTION_INTEGER, &c.dim, "K", "only the intervals of dimension K (default: all)",
         OPTION_RANGE(0, 3)},
        {"--threshold", NULL, OPTION_TEXT, &c.threshold, "T",
         "where the filtration ends: cells beyond T are left out (T in the type of the values)", 0},
        {"--min-persistence", NULL, OPTION_TEXT, &c.min_persistence, "P",
         "only intervals of length P or more, and those that never end (of float32 values both are rounded "
         "to "
         "float32)",
         0},
        {"--modulus", NULL, OPTION_INTEGER, &c.modulus, "P",
         "coefficients in Z/P, a prime (default 2); only with periodic axes it may matter", 2},
        FIELD_INPUT_ROWS(c.in),
        {"--diagram", NULL, OPTION_OUTPUT, &c.diagram, "FILE",
         "write the intervals of longest life first, as text (.csv .tsv .txt)", 0},
        {"--locate", NULL, OPTION_PICTURE, &c.locate, "FILE",
         "draw the image with its longest intervals (.png .svg)", 0},
        {"--dry-run", NULL, OPTION_FLAG, &c.dry_run, NULL, "print how much memory it would take, and stop",
         0},
        {"--threads", NULL, OPTION_INTEGER, &c.threads, "N", "threads on the CPU (default: one a processor)",
         1},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_cubical(&c));
}
