/* glshape rips: persistence barcodes of Vietoris-Rips filtrations. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/owned.h"
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/intervals.h"
#include "cli/rips_output.h"
#include "io/number.h"

static const char usage[] =
    "usage: glshape rips [OPTIONS] INPUT...\n\n"
    "Computes the intervals of persistent homology of the Vietoris-Rips filtration, exactly, and\n"
    "prints them as Ripser does.\n\n"
    "INPUT (may be gzipped; - is standard input) is distances or points:\n"
    "  --format auto (the default), lower-distance, upper-distance, distance, dipha, binary:\n"
    "           distances, as Ripser reads them; npy: a square or condensed matrix of distances;\n"
    "           inf: the two are never joined\n"
    "  --format sparse: lines of two points, from 0 on, and their distance, or a file .npz of\n"
    "           scipy.sparse.save_npz or .mtx of Matrix Market; other pairs are never joined\n"
    "  --input points: a point a line (text, CSV) or a row (.npy); differences are made in double\n"
    "  --format point-cloud: the same, but unless the points lie far from the origin, numbers are first\n"
    "           rounded to single precision, as Ripser rounds them; each line may have its own delimiter\n\n"
    "The output (-o) has a row for each interval: dimension, birth, death, and the vertices of the\n"
    "simplices that begin and end it, in descending order, with spaces between them; the columns of\n"
    ".txt have tabs between them. .json has objects with these keys; death is null if the interval\n"
    "never ends. .npy has float64: dimension, birth, death and the simplices' indices in the\n"
    "combinatorial number system (-1: none); with --n-perm these are of places in the permutation,\n"
    "which --report has.\n\n"
    "--weights FILE has a number f >= 0 for each point of INPUT, such as its distance to a measure (DTM).\n"
    "Point x begins at 2f(x), the edge {x, y} at the greatest of d(x, y) + f(x) + f(y), 2f(x) and 2f(y):\n"
    "the filtration of Anai et al. with p = 1, doubled, as GUDHI has it. The diagonal of a matrix is 0;\n"
    "one that is not is refused, as it might be meant for weights.\n\n"
    "--collapse on takes edges away, or makes them appear later, where no interval changes by it: edges\n"
    "whose ends have a common neighbor near all others. Births and deaths stay the same; simplices and\n"
    "cocycles are those of the smaller complex. auto (the default) does so for --dim 2 and above, if a\n"
    "sample of the edges says that it saves time, and if neither -o nor --cocycles asks for simplices.\n\n"
    "--n-perm K takes the first K points of the greedy permutation. No other point is farther from them\n"
    "than the cover radius, which is printed. Of a metric, intervals are off by at most twice that.\n\n"
    "--cocycles writes objects with dim, birth, death and terms. A term is [vertices in descending\n"
    "order, coefficient 1 to P-1]. Leave out the terms of diameter above t: for birth <= t < death\n"
    "the rest is a cocycle of the complex at t and no coboundary; at death it is no longer a cocycle.\n\n"
    "Many inputs are one job: the device is opened once, and small inputs are done side by side. Each\n"
    "gets a file: with -o FOLDER/ a.npy gets FOLDER/a.csv, with -o 'FOLDER/*.npy' FOLDER/a.npy. If one\n"
    "fails, the others are done all the same, and the exit status is 1.\n\n"
    "--report also counts simplices, cleared columns, and apparent, shortcut, emergent and other pairs\n"
    "of each dimension, which takes about a tenth more time.\n";

/* Of many inputs, those of at most so many points are done by a thread each. The others take all threads, one
 * input at a time. */
enum { SMALL = 512 };

typedef struct rips_command {
    session s; /* first: it is a batch's item */
    rips_input in;
    int dim, modulus, threads, n_perm;
    bool sparse, dry_run;
    int collapse; /* of auto, on, off */
    const char *threshold, *ratio, *cocycles, *cocycle_length, *list;
    glshape_rips_options o;
    glshape_rips_result result;
} rips_command;

static void free_rips(rips_command *c) {
    rips_input_free(&c->in);
    glshape_rips_free(&c->result);
}

/* ---- before any work --------------------------------------------------------------------------- */

/* Parses a number of at least `least` and rounds it to single precision, as distances are. */
static glshape_status parse_number(session *s, const char *option, const char *text, double least,
                                   glshape_optional *out) {
    double value;
    *out = (glshape_optional){0};
    if (!text) return GLSHAPE_OK;
    if (!io_number_parse(text, strlen(text), &value) || !(value >= least))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s takes a number of at least %g, not '%s'", option,
                    least, text);
    *out = GLSHAPE_SET((float)value);
    return GLSHAPE_OK;
}

static glshape_status check_many(rips_command *c) {
    session *s = &c->s;
    const char *one = c->cocycles          ? "--cocycles"
                      : s->picture         ? "--picture"
                      : s->report          ? "--report"
                      : c->dry_run         ? "--dry-run"
                      : c->in.weights_path ? "--weights"
                                           : NULL;
    if (one) return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s goes with one input, not with many", one);
    return GLSHAPE_OK;
}

/* Simplices that are asked for are those of the full complex. */
static glshape_rips_collapse collapse_of(const rips_command *c) {
    static const glshape_rips_collapse choices[] = {GLSHAPE_RIPS_COLLAPSE_AUTO, GLSHAPE_RIPS_COLLAPSE_ON,
                                                    GLSHAPE_RIPS_COLLAPSE_OFF};
    bool names_simplices = c->s.output || c->cocycles || batch_is_wanted(&c->s, c->list);
    return c->collapse == 0 && names_simplices ? GLSHAPE_RIPS_COLLAPSE_OFF : choices[c->collapse];
}

static glshape_status check_options(rips_command *c) {
    session *s = &c->s;
    glshape_optional ratio;
    TRY(rips_input_check(s, &c->in));
    TRY(session_check_modulus(s, c->modulus));
    if (c->sparse && c->in.kind != RIPS_POINTS)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--sparse goes with points, not with a matrix");
    if (c->sparse && !c->threshold)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--sparse needs a --threshold: the distances up to it are kept");
    if (c->n_perm && c->in.kind == RIPS_SPARSE)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--n-perm goes with points or a matrix, not with --format sparse");
    if (c->cocycle_length && !c->cocycles)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--cocycle-length goes with --cocycles FILE");
    TRY(parse_number(s, "--threshold", c->threshold, 0, &c->o.threshold));
    TRY(parse_number(s, "--ratio", c->ratio, 1, &ratio));
    TRY(parse_number(s, "--cocycle-length", c->cocycle_length, 0, &c->o.cocycle_length));
    c->o.ratio = ratio.value;
    c->o.dim = GLSHAPE_SET(c->dim);
    c->o.modulus = c->modulus;
    c->o.threads = c->threads;
    c->o.sparse = c->sparse;
    c->o.collapse = collapse_of(c);
    c->o.count_pairs = s->report != NULL;
    c->o.n_perm = (size_t)c->n_perm;
    c->o.cocycles = c->cocycles != NULL;
    if (batch_is_wanted(s, c->list)) return check_many(c);
    if (s->output) TRY(intervals_check(&s->err, s->output));
    return session_check_outputs(s);
}

/* ---- the work ---------------------------------------------------------------------------------- */

static glshape_status call_library(rips_command *c, bool dry_run) {
    session *s = &c->s;
    glshape_rips_options o = c->o;
    o.dry_run = dry_run;
    o.weights = c->in.weights;
    glshape_status status = glshape_rips(s->context, &c->in.source, &o, &c->result);
    return status == GLSHAPE_BAD_INPUT ? session_input_error(s, status) : session_library_error(s, status);
}

/* With sparse distances a dry run comes first: too large a problem is refused before lists of neighbors are
 * made. */
static glshape_status compute_intervals(rips_command *c) {
    if (c->dry_run || c->in.kind == RIPS_SPARSE) TRY(call_library(c, true));
    if (c->dry_run) return GLSHAPE_OK;
    TRY(rips_input_list_neighbors(&c->s, &c->in));
    return call_library(c, false);
}

static glshape_status write_report(rips_command *c) {
    session_report *report;
    json *j;
    const glshape_rips_result *r = &c->result;
    TRY(session_report_begin(&c->s, r->n, c->in.kind == RIPS_POINTS ? c->in.points.cols : r->n, &report, &j));
    rips_output_report(j, r, c->dry_run);
    const session_stage stages[] = {
        {"distances", r->seconds.distances}, {"upload", r->seconds.upload}, {"tree", r->seconds.tree}, {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status finish_dry_run(rips_command *c) {
    session_note_idle_outputs(&c->s);
    if (c->s.report) TRY(write_report(c));
    rips_print_forecast(&c->result, session_summary(&c->s));
    return GLSHAPE_OK;
}

/* ---- many inputs -------------------------------------------------------------------------------- */

static void begin_item(const session *s, void *item) {
    const rips_command *all = (const rips_command *)s;
    *(rips_command *)item = *all;
    ((rips_command *)item)->o.threads = 1;
}

static glshape_status compute_item(void *item) {
    static pthread_mutex_t one_large = PTHREAD_MUTEX_INITIALIZER;
    rips_command *c = item;
    TRY(rips_input_read(&c->s, &c->in));
    if (rips_input_count(&c->in) <= SMALL) return compute_intervals(c);
    c->o.threads = c->threads;
    pthread_mutex_lock(&one_large);
    glshape_status status = compute_intervals(c);
    pthread_mutex_unlock(&one_large);
    return status;
}

static glshape_status write_item(void *item) {
    rips_command *c = item;
    return rips_output_write(&c->s.err, c->s.output, &c->result);
}

static void end_item(void *item) { free_rips(item); }

static glshape_status run_many(rips_command *c) {
    OWNED_BY(batch_free) batch b = {0};
    const batch_job job = {.s = &c->s,
                           .item_bytes = sizeof *c,
                           .threads = c->threads,
                           .begin = begin_item,
                           .compute = compute_item,
                           .write = write_item,
                           .end = end_item};
    TRY(batch_list(&c->s, c->list, ".csv", &b));
    if (b.count) TRY(intervals_check(&c->s.err, b.outputs[0]));
    c->s.checked = true;
    TRY(batch_run(&job, &b));
    terminal_hide(&c->s.bar);
    printf("%zu input%s, %.2f s\n", b.count, plural(b.count), wall_seconds() - c->s.started);
    return GLSHAPE_OK;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static glshape_status run_rips(rips_command *c) {
    TRY(check_options(c));
    c->s.shared = false; /* beyond the handing out of inputs */
    if (batch_is_wanted(&c->s, c->list)) return run_many(c);
    if (!session_is_first()) return GLSHAPE_OK;
    TRY_TIMED(c->s.read_seconds, rips_input_read(&c->s, &c->in));
    TRY(session_open(&c->s));
    TRY(compute_intervals(c));
    if (c->dry_run) return finish_dry_run(c);
    if (c->s.output) TRY(rips_output_write(&c->s.err, c->s.output, &c->result));
    if (c->cocycles) TRY(rips_output_cocycles(&c->s, &c->result, c->cocycles));
    if (c->s.picture) TRY(rips_output_draw(&c->s, &c->result));
    if (c->s.report) TRY(write_report(c));
    if (session_summary(&c->s) == stdout)
        TRY(rips_print_intervals(&c->s.err, &c->in, &c->result, !c->threshold, stdout));
    return GLSHAPE_OK;
}

int command_rips(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_rips)
    rips_command c = {
        .s.command_line = command_line,
        .s.output_help =
            "write the intervals, by extension (.npy .json .csv .tsv .txt); - is .csv on standard output",
        .s.tabular = true,
        .s.format_help = "input format (see above); with --input points: auto, npy, csv, tsv or text",
        .s.list = &c.list,
        .s.may_need_none = true,
        .s.shared = true,
        .dim = 1};
    const option_row rows[] = {
        {"--dim", NULL, OPTION_INTEGER, &c.dim, "K", "highest dimension of the intervals (default 1)",
         OPTION_RANGE(0, GLSHAPE_RIPS_DIMS - 1)},
        {"--threshold", NULL, OPTION_TEXT, &c.threshold, "T",
         "largest diameter of a simplex (default: the enclosing radius; none with --format sparse)", 0},
        {"--ratio", NULL, OPTION_TEXT, &c.ratio, "R",
         "only intervals with death/birth above R, at least 1 (default 1)", 0},
        {"--modulus", NULL, OPTION_INTEGER, &c.modulus, "P", "coefficients in Z/P, a prime (default 2)", 2},
        {"--input", NULL, OPTION_CHOICE, &c.in.kind, RIPS_INPUT_KINDS, "what INPUT holds (default distances)",
         0},
        {"--metric", NULL, OPTION_CHOICE, &c.in.metric, SESSION_METRICS,
         "points: how two of them are compared (default euclidean)", 0},
        {SESSION_P(c.in.p_text)},
        {SESSION_UNIT(c.s)},
        {SESSION_SYMMETRIZE(c.in.symmetrize)},
        {"--sparse", NULL, OPTION_FLAG, &c.sparse, NULL,
         "points: keep only the distances up to the threshold, not a matrix", 0},
        {"--collapse", NULL, OPTION_CHOICE, &c.collapse, "auto|on|off",
         "take edges away first that do not change the intervals (see above; default auto)", 0},
        {"--weights", NULL, OPTION_INPUT, &c.in.weights_path, "FILE",
         "a weight for each point, and with them the weighted Rips filtration (see above)", 0},
        {"--n-perm", NULL, OPTION_INTEGER, &c.n_perm, "K",
         "only K points: each is the farthest from those before it, and row 0 is the first", 1},
        {"--cocycles", NULL, OPTION_OUTPUT, &c.cocycles, "FILE",
         "write cocycles that represent the long intervals of dimension 1 and above, as JSON", 0},
        {"--cocycle-length", NULL, OPTION_TEXT, &c.cocycle_length, "L",
         "cocycles: of intervals longer than L, and of those that never end (default: half the longest of "
         "the "
         "dimension that ends)",
         0},
        {"--dry-run", NULL, OPTION_FLAG, &c.dry_run, NULL,
         "print how much work and memory it would take, and stop", 0},
        {"--batch", NULL, OPTION_INPUT, &c.list, "LIST",
         "also the inputs that this file names, a line each (see above)", 0},
        {"--threads", NULL, OPTION_INTEGER, &c.threads, "N",
         "threads on the CPU (default: one a processor); the reduction for --cocycles has one", 1},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_rips(&c));
}
