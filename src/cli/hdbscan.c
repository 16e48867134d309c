/* glshape hdbscan: clusters of varying density. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/source_input.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape hdbscan [OPTIONS] INPUT\n\n"
    "Finds clusters of varying density, and noise, by HDBSCAN*. The tree of clusters is exact. Options\n"
    "and defaults are those of scikit-learn's HDBSCAN: --min-samples counts the point itself.\n\n"
    "INPUT (may be gzipped; - is standard input) is, by --input,\n"
    "  points     rows of .npy, CSV, TSV or text\n"
    "  distances  a square or condensed .npy, a full or triangular matrix as text, DIPHA, or Ripser's\n"
    "             binary; a square .npy or DIPHA file may be larger than memory\n"
    "  graph      Matrix Market, an edge list or DIMACS .gr; edges that are not there are infinite\n"
    "  documents  Matrix Market or UCI bag of words; cosine distances by default\n\n"
    "The output (-o) has the cluster of each point, from 0 in order of first appearance; -1 is noise.\n";

/* Numbers that options give as text. */
typedef struct numbers {
    const char *epsilon, *max_epsilon, *alpha, *dbscan;
} numbers;

typedef struct hdbscan_command {
    session s;
    source_input in;
    numbers text;
    int min_cluster_size, min_samples, selection, max_cluster_size;
    bool allow_single_cluster;
    const char *probabilities, *outliers, *condensed, *tree, *exemplars;
    glshape_hdbscan_options options;
    double cut; /* of --dbscan */
    glshape_hdbscan_result result;
} hdbscan_command;

/* ---- before any work --------------------------------------------------------------------------- */

/* Sets *value to the number of an option, if it is given. */
static glshape_status take_number(hdbscan_command *c, const char *option, const char *text, bool above_zero,
                                  double *value) {
    if (!text) return GLSHAPE_OK;
    bool is_number = io_number_parse(text, strlen(text), value);
    if (is_number && isfinite(*value) && (above_zero ? *value > 0 : *value >= 0)) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s takes a number %s, not '%s'", option,
                above_zero ? "above 0" : "of at least 0", text);
}

static glshape_status check_options(hdbscan_command *c) {
    session *s = &c->s;
    glshape_hdbscan_options *o = &c->options;
    TRY(source_input_check(s, &c->in));
    if (c->in.kind == INPUT_GRAPH && c->in.keep)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--keep goes with --input distances");
    TRY(take_number(c, "--epsilon", c->text.epsilon, false, &o->epsilon));
    TRY(take_number(c, "--max-epsilon", c->text.max_epsilon, true, &o->max_epsilon));
    TRY(take_number(c, "--alpha", c->text.alpha, true, &o->alpha));
    TRY(take_number(c, "--dbscan", c->text.dbscan, false, &c->cut));
    o->min_cluster_size = c->min_cluster_size;
    o->min_samples = c->min_samples;
    o->selection = (glshape_hdbscan_selection)c->selection;
    o->max_cluster_size = (size_t)c->max_cluster_size;
    o->allow_single_cluster = c->allow_single_cluster;
    return session_check_outputs(s);
}

/* ---- clusters ---------------------------------------------------------------------------------- */

static glshape_status cluster(hdbscan_command *c) {
    session *s = &c->s;
    TRY(session_open(s));
    glshape_status status = glshape_hdbscan(s->context, &c->in.source, &c->options, &c->result);
    if (status == GLSHAPE_IO_ERROR || !status) {
        bool again;
        TRY(source_input_verify(s, &c->in, &again));
        if (again) status = glshape_hdbscan(s->context, &c->in.source, &c->options, &c->result);
    }
    return session_input_error(s, status);
}

/* ---- out --------------------------------------------------------------------------------------- */

static glshape_status write_outputs(hdbscan_command *c) {
    session *s = &c->s;
    const glshape_hdbscan_result *r = &c->result;
    if (s->output) TRY(io_write_vector(&s->err, s->output, GLSHAPE_I32, r->n, r->labels));
    if (c->probabilities)
        TRY(io_write_vector(&s->err, c->probabilities, GLSHAPE_F64, r->n, r->probabilities));
    return GLSHAPE_OK;
}

static void print_result(hdbscan_command *c) {
    const glshape_hdbscan_result *r = &c->result;
    fprintf(session_summary(&c->s), "%zu points: %zu cluster%s, %zu point%s of noise, %.2f s\n", r->n,
            r->clusters, plural(r->clusters), r->noise, plural(r->noise), wall_seconds() - c->s.started);
}

static glshape_status run_hdbscan(hdbscan_command *c) {
    TRY(check_options(c));
    TRY_TIMED(c->s.read_seconds, source_input_read(&c->s, &c->in));
    TRY(cluster(c));
    TRY_TIMED(c->s.write_seconds, write_outputs(c));
    print_result(c);
    return GLSHAPE_OK;
}

static void free_hdbscan(hdbscan_command *c) {
    source_input_free(&c->in);
    glshape_hdbscan_free(&c->result);
}

int command_hdbscan(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_hdbscan)
    hdbscan_command c = {.s.command_line = command_line, .s.format_help = INPUT_FORMATS, .in.metric = -1};
    const option_row rows[] = {
        {"--input", NULL, OPTION_CHOICE, &c.in.kind, INPUT_KINDS, "what INPUT is (default points)", 0},
        {"--metric", NULL, OPTION_CHOICE, &c.in.metric, SESSION_METRICS,
         "points, documents: how two rows are compared", 0},
        {"--min-cluster-size", NULL, OPTION_INTEGER, &c.min_cluster_size, "N",
         "the least number of points of a cluster (default 5)", 2},
        {"--min-samples", NULL, OPTION_INTEGER, &c.min_samples, "N",
         "how many points the core distance reaches, the point itself counted (default --min-cluster-size)", 1},
        {"--selection", NULL, OPTION_CHOICE, &c.selection, "eom|leaf",
         "choose the most stable clusters (excess of mass), or the leaves of the tree (default eom)", 0},
        {"--epsilon", NULL, OPTION_TEXT, &c.text.epsilon, "D",
         "join clusters that split at a distance below D (default 0)", 0},
        {"--max-epsilon", NULL, OPTION_TEXT, &c.text.max_epsilon, "D",
         "eom: choose no cluster that forms at a distance above D", 0},
        {"--max-cluster-size", NULL, OPTION_INTEGER, &c.max_cluster_size, "N",
         "eom: choose no cluster of more than N points", 1},
        {"--allow-single-cluster", NULL, OPTION_FLAG, &c.allow_single_cluster, NULL,
         "all points may be one cluster", 0},
        {"--alpha", NULL, OPTION_TEXT, &c.text.alpha, "A",
         "divide distances, but not core distances, by A (default 1)", 0},
        {"--probabilities", NULL, OPTION_MATRIX, &c.probabilities, "FILE",
         "write how firmly each point is in its cluster, 0 to 1", 0},
        {"--keep", NULL, OPTION_CHOICE, &c.in.keep, "auto|resident|paged",
         "distances: keep the matrix on the GPU, or read it row by row, twice (default auto)", 0},
        {"--symmetrize", NULL, OPTION_FLAG, &c.in.symmetrize, NULL,
         "distances: average the two sides of the diagonal", 0},
        {"--tfidf", NULL, OPTION_FLAG, &c.in.tfidf, NULL,
         "documents: weigh words by how rare they are (tf-idf)", 0},
        {"--transpose", NULL, OPTION_FLAG, &c.in.transpose, NULL,
         "documents: the columns are documents, not the rows", 0},
        {"--weighted", NULL, OPTION_FLAG, &c.in.weighted, NULL,
         "graph: its values are lengths (else every edge has length 1)", 0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_hdbscan(&c));
}
