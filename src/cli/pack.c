/* glshape pack: distances as a square float32 .npy file. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/owned.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/session.h"
#include "io/distances/pack.h"

static const char usage[] =
    "usage: glshape pack [OPTIONS] INPUT -o OUT.npy\n\n"
    "Checks the distance matrix in INPUT and writes it as a square float32 .npy file, which may be\n"
    "far larger than memory. mds and linkage read such a file page by page. The same command\n"
    "continues a run that was interrupted.\n\n"
    "INPUT (- is standard input) is a square or condensed .npy, a full matrix or a lower or upper\n"
    "triangle as text, a DIPHA file, or a raw lower triangle of float32. Text and triangles may be\n"
    "gzipped. nan is a missing distance, for mds; inf one of points that are never joined, for the\n"
    "other commands.\n";

typedef struct pack_command {
    const char *input, *output, *format;
    bool symmetrize, help;
    int threads;
    terminal_bar bar;
    double bar_from, bar_to;
    io_distances_facts facts;
    uint32_t points, resumed;
    error err;
} pack_command;

static bool on_progress(void *user, double fraction) {
    pack_command *c = user;
    terminal_progress(&c->bar, c->bar_from + (c->bar_to - c->bar_from) * fraction);
    return true;
}

/* ---- the work --------------------------------------------------------------------------------------- */

/* Checks all that can be checked before the input is read. */
static glshape_status check_options(pack_command *c, const option_row *const *tables) {
    io_distance_format format;
    const char *dot = c->output ? strrchr(c->output, '.') : NULL;
    if (!c->input)
        return fail(&c->err, GLSHAPE_BAD_ARGUMENT, "which input? Give a file, or - for standard input");
    if (!c->output) return fail(&c->err, GLSHAPE_BAD_ARGUMENT, "which output? Give -o OUT.npy");
    if (!dot || strcasecmp(dot, ".npy"))
        return fail(&c->err, GLSHAPE_BAD_ARGUMENT, "-o %s: the output is a .npy file; name it .npy",
                    c->output);
    if (c->format) TRY(io_distance_format_from_name(&c->err, c->format, &format));
    return files_check(&c->err, tables, c->input);
}

static glshape_status check_and_pack(pack_command *c, io_distances *d) {
    io_pack_options o = {.symmetrize = c->symmetrize,
                         .threads = c->threads,
                         .progress = on_progress,
                         .user = c,
                         .resumed = &c->resumed};
    c->points = io_distances_count(d);
    if (c->symmetrize) io_distances_allow_asymmetry(d);
    io_distances_take(d, true, true);
    c->bar_to = 0.3;
    TRY(io_distances_check(&c->err, d, c->threads, on_progress, c, &c->facts));
    terminal_when_interrupted(io_distances_is_file(d) ? "; run the same command again to go on"
                                                      : "; nothing is kept");
    c->bar_from = 0.3;
    c->bar_to = 1;
    return io_pack(&c->err, d, c->output, &o);
}

static void close_distances(io_distances **d) { io_distances_close(*d); }

static glshape_status read_and_pack(pack_command *c) {
    io_distance_format format = IO_DISTANCES_AUTO;
    OWNED_BY(close_distances) io_distances *d = NULL;
    if (c->format) TRY(io_distance_format_from_name(&c->err, c->format, &format));
    terminal_catch_signals();
    terminal_when_interrupted("; nothing was written");
    TRY(io_distances_open(&c->err, c->input, format, &d));
    return check_and_pack(c, d);
}

static void print_result(const pack_command *c) {
    if (c->resumed) printf("continued after %lu rows\n", (unsigned long)c->resumed);
    const char *symmetry = !c->facts.asymmetric          ? ""
                           : c->facts.rounding_asymmetry ? ", symmetric within rounding"
                           : c->symmetrize               ? ", made symmetric"
                                                         : "";
    printf("%lu point%s: largest distance %.6g, %llu missing pair%s%s, %.2f s\n", (unsigned long)c->points,
           plural(c->points), (double)c->facts.largest, (unsigned long long)c->facts.missing,
           plural(c->facts.missing), symmetry, wall_seconds() - c->bar.started);
}

static int print_outcome(pack_command *c, glshape_status status) {
    terminal_hide(&c->bar);
    terminal_print_notes(&c->bar, &c->err);
    if (!status) {
        print_result(c);
        return EXIT_DONE;
    }
    fprintf(stderr, "glshape: %s\n", c->err.text);
    return EXIT_FAILED;
}

int command_pack(int argc, char **argv, const char *command_line) {
    (void)command_line; /* for reports, of which this command has none */
    pack_command c = {.bar.started = wall_seconds()};
    const option_row rows[] = {
        {"--output", "-o", OPTION_OUTPUT, &c.output, "FILE", "the .npy file to write", 0},
        {"--format", NULL, OPTION_TEXT, &c.format, "F",
         "input format: auto, npy, distance, lower-distance, upper-distance, dipha or binary", 0},
        {"--symmetrize", NULL, OPTION_FLAG, &c.symmetrize, NULL,
         "write the mean of the two sides of the diagonal", 0},
        {"--threads", NULL, OPTION_INTEGER, &c.threads, "N", "threads on the CPU (default: one a processor)",
         1},
        {"--quiet", "-q", OPTION_FLAG, &c.bar.quiet, NULL, "no progress bar and no notes on stderr", 0},
        {"--help", "-h", OPTION_FLAG, &c.help, NULL, "show this text", 0},
        {0},
    };
    const option_row *const tables[] = {rows, NULL};
    int inputs;
    glshape_status status = options_parse(&c.err, argc, argv, tables, &inputs);
    if (!status) status = options_one_input(&c.err, argv, inputs, &c.input);
    if (!status && c.help) {
        options_help(usage, tables);
        return EXIT_DONE;
    }
    if (!status && !session_is_first()) return EXIT_DONE;
    if (!status) status = check_options(&c, tables);
    if (status == GLSHAPE_BAD_ARGUMENT) return options_report_misuse(&c.err, argv[0]);
    return print_outcome(&c, status ? status : read_and_pack(&c));
}
