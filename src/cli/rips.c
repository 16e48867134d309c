/* glshape rips: persistence barcodes of Vietoris-Rips filtrations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/session.h"
#include "io/distances.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape rips [OPTIONS] INPUT\n\n"
    "Computes the intervals of persistent homology of the Vietoris-Rips filtration, exactly, and prints them "
    "as\n"
    "Ripser does. INPUT (also gzipped; - is standard input) is a matrix of distances, or points.\n\n"
    "  --format auto (the default), lower-distance, upper-distance, distance, dipha, binary: distances, as "
    "Ripser\n"
    "           reads them; npy: a square or condensed matrix of distances\n"
    "  --format sparse: lines of two points, from 0 on, and their distance; other pairs are never joined\n"
    "  --format point-cloud, or --input points: a point a line (text, CSV) or a row (.npy)\n\n"
    "The output (-o) has a row for each interval: dimension, birth, death, and the vertices of the simplices "
    "that\n"
    "begin and end it, in descending order. .npy: float64 of dimension, birth, death and the simplices' "
    "indices\n"
    "in the combinatorial number system (-1: none).\n";

enum { INPUT_DISTANCES, INPUT_POINTS, INPUT_SPARSE };
#define INPUT_KINDS "distances|points"
#define METRICS "euclidean|manhattan|cosine|correlation"

typedef struct rips_command {
    session s;
    int input, metric, dim, modulus, threads;
    bool sparse, dry_run;
    const char *threshold, *ratio;
    glshape_rips_options o;
    glshape_matrix points;
    io_distances *distances;
    glshape_graph graph; /* of sparse distances */
    glshape_source source;
    glshape_rips_result result;
    double read_seconds, open_seconds;
} rips_command;

/* ---- before any work --------------------------------------------------------------------------- */

static glshape_status take_number(session *s, const char *option, const char *text, double least,
                                  float *out) {
    double value;
    if (!text) return GLSHAPE_OK;
    if (!io_number_parse(text, strlen(text), &value) || !(value >= least))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s takes a number of at least %g, not '%s'", option,
                    least, text);
    *out = (float)value;
    return GLSHAPE_OK;
}

static glshape_status check(rips_command *c) {
    session *s = &c->s;
    io_distance_format format;
    if (s->format && !strcmp(s->format, "point-cloud")) c->input = INPUT_POINTS, s->format = NULL;
    if (s->format && !strcmp(s->format, "sparse")) c->input = INPUT_SPARSE;
    if (s->format && c->input == INPUT_DISTANCES)
        TRY(io_distance_format_from_name(&s->err, s->format, &format));
    if (c->metric && c->input != INPUT_POINTS)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--metric goes with --input points");
    if (c->sparse && c->input != INPUT_POINTS)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--sparse goes with points; a matrix is dense");
    if (c->sparse && !c->threshold)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--sparse: up to which distance? give a --threshold");
    if (s->picture) return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "rips draws no --picture yet");
    TRY(take_number(s, "--threshold", c->threshold, 0, &c->o.threshold));
    TRY(take_number(s, "--ratio", c->ratio, 1, &c->o.ratio));
    if (c->threshold && c->o.threshold == 0)
        c->o.threshold = nextafterf(0, 1); /* points that coincide, no more */
    c->o.dim = c->dim ? c->dim : -1;
    c->o.modulus = c->modulus;
    c->o.threads = c->threads;
    c->o.sparse = c->sparse;
    c->o.dry_run = c->dry_run;
    if (s->output) TRY(io_output_format_check(&s->err, s->output));
    const char *const outputs[] = {s->output, s->report};
    for (int i = 0; i < 2; i++)
        if (outputs[i]) TRY(io_output_check(&s->err, outputs[i]));
    return GLSHAPE_OK;
}

/* ---- in ---------------------------------------------------------------------------------------- */

static bool read_rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    error err = {0};
    if (!io_distances_rows(&err, user, first, count, out)) return true;
    snprintf(message, size, "%s", err.text);
    return false;
}

static bool go_on(void *user, double fraction) { return session_progress(user, fraction); }

static glshape_status read_distances(rips_command *c) {
    session *s = &c->s;
    io_distance_format format = IO_DISTANCES_AUTO;
    if (s->format) TRY(io_distance_format_from_name(&s->err, s->format, &format));
    TRY(io_distances_open(&s->err, s->input, format, &c->distances));
    TRY(io_distances_check(&s->err, c->distances, 0, go_on, s, NULL));
    c->source =
        (glshape_source){.reader = read_rows, .user = c->distances, .n = io_distances_count(c->distances)};
    return GLSHAPE_OK;
}

static glshape_status read_points(rips_command *c) {
    session *s = &c->s;
    io_format format = IO_AUTO;
    if (s->format) TRY(io_format_from_name(&s->err, s->format, &format));
    TRY(io_read_matrix(&s->err, s->input, format, &c->points));
    TRY(io_check_finite(&s->err, s->input, &c->points));
    c->source = (glshape_source){.points = &c->points, .metric = (glshape_metric)c->metric};
    return GLSHAPE_OK;
}

/* Row k of the triplets, checked. */
static glshape_status take_triplet(rips_command *c, size_t k, size_t ends[2], float *distance) {
    const double *row = (const double *)c->points.data + 3 * k;
    for (int i = 0; i < 2; i++) {
        if (!(row[i] >= 0 && row[i] < UINT32_MAX - 1.0 && row[i] == floor(row[i])))
            return fail(&c->s.err, GLSHAPE_BAD_INPUT,
                        "%s: row %zu, column %d: %g is no point's number (0, 1, ...)",
                        io_input_name(c->s.input), k + 1, i + 1, row[i]);
        ends[i] = (size_t)row[i];
    }
    *distance = (float)row[2];
    if (*distance >= 0) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_INPUT, "%s: row %zu, column 3: %g is no distance",
                io_input_name(c->s.input), k + 1, row[2]);
}

/* Counts neighbours into start, or puts them where start says. */
static glshape_status place_triplets(rips_command *c, size_t *start, uint32_t *to, float *weight) {
    for (size_t k = 0; k < c->points.rows; k++) {
        size_t ends[2];
        float distance;
        TRY(take_triplet(c, k, ends, &distance));
        for (int i = 0; i < 2; i++) {
            size_t at = start[ends[i] + 1]++;
            if (to) to[at] = (uint32_t)ends[!i], weight[at] = distance;
        }
    }
    return GLSHAPE_OK;
}

static glshape_status build_graph(rips_command *c) {
    size_t n = 0, ends[2], *start;
    uint32_t *to;
    float *weight, distance;
    error *err = &c->s.err;
    for (size_t k = 0; k < c->points.rows; k++) {
        TRY(take_triplet(c, k, ends, &distance));
        for (int i = 0; i < 2; i++) n = ends[i] >= n ? ends[i] + 1 : n;
    }
    TRY(allocate(err, &start, n + 2, sizeof *start, "the distances"));
    c->graph = (glshape_graph){.nodes = n, .start = start};
    TRY(place_triplets(c, start, NULL, NULL)); /* start[v + 1]: neighbours of v */
    TRY(allocate(err, &to, 2 * c->points.rows, sizeof *to, "the distances"));
    c->graph.to = to;
    TRY(allocate(err, &weight, 2 * c->points.rows, sizeof *weight, "the distances"));
    c->graph.weight = weight;
    for (size_t v = 0, sum = 0; v <= n; v++) { /* start[v + 1]: first neighbour of v */
        size_t count = start[v + 1];
        start[v + 1] = sum;
        sum += v < n ? count : 0;
    }
    return place_triplets(c, start, to, weight); /* start[v + 1]: one past the last */
}

static glshape_status read_sparse(rips_command *c) {
    session *s = &c->s;
    TRY(io_read_matrix(&s->err, s->input, IO_TEXT, &c->points));
    if (c->points.cols != 3)
        return fail(&s->err, GLSHAPE_BAD_INPUT,
                    "%s: %zu columns; sparse distances have three: two points and a distance",
                    io_input_name(s->input), c->points.cols);
    TRY(build_graph(c));
    c->source = (glshape_source){.graph = &c->graph};
    return GLSHAPE_OK;
}

static glshape_status compute(rips_command *c) {
    session *s = &c->s;
    double start = wall_seconds();
    TRY(c->input == INPUT_POINTS   ? read_points(c)
        : c->input == INPUT_SPARSE ? read_sparse(c)
                                   : read_distances(c));
    double middle = wall_seconds();
    c->read_seconds = middle - start;
    TRY(session_open(s));
    c->open_seconds = wall_seconds() - middle;
    return session_failed(s, glshape_rips(s->context, &c->source, &c->o, &c->result));
}

/* ---- out --------------------------------------------------------------------------------------- */

static void print_intervals(const rips_command *c, FILE *to) {
    const glshape_rips_result *r = &c->result;
    if (c->input == INPUT_POINTS)
        fprintf(to, "point cloud with %zu points in dimension %zu\n", r->n, c->points.cols);
    fprintf(to, "value range: [%g,%g]\n", (double)r->least, (double)r->greatest);
    fprintf(to, "distance matrix with %zu points, using threshold %s%g\n", r->n,
            c->threshold ? "" : "at enclosing radius ", (double)r->threshold);
    size_t at = 0;
    for (int dim = 0; dim <= r->dim; dim++) {
        fprintf(to, "persistence intervals in dim %d:\n", dim);
        for (; at < r->count && r->intervals[at].dim == dim; at++)
            if (isinf(r->intervals[at].death)) fprintf(to, " [%g, )\n", (double)r->intervals[at].birth);
            else fprintf(to, " [%g,%g)\n", (double)r->intervals[at].birth, (double)r->intervals[at].death);
    }
}

static void write_vertices(FILE *to, size_t n, glshape_simplex simplex, int vertices) {
    uint32_t v[GLSHAPE_RIPS_DIMS + 2];
    if (simplex == GLSHAPE_NO_SIMPLEX) return;
    glshape_simplex_vertices(n, simplex, vertices, v);
    for (int i = 0; i < vertices; i++) fprintf(to, i ? " %u" : "%u", v[i]);
}

static glshape_status write_text(rips_command *c, char delimiter) {
    io_output out;
    char birth[IO_NUMBER_ROOM], death[IO_NUMBER_ROOM];
    const glshape_rips_result *r = &c->result;
    if (delimiter == ' ') delimiter = '\t'; /* vertices stand between spaces */
    TRY(io_output_open(&c->s.err, c->s.output, &out));
    FILE *to = io_output_stream(&out);
    fprintf(to, "dim%cbirth%cdeath%cbirth_simplex%cdeath_simplex\n", delimiter, delimiter, delimiter,
            delimiter);
    for (size_t k = 0; k < r->count; k++) {
        const glshape_interval *i = &r->intervals[k];
        io_number_print_float(birth, i->birth);
        io_number_print_float(death, i->death);
        fprintf(to, "%d%c%s%c%s%c", i->dim, delimiter, birth, delimiter, death, delimiter);
        write_vertices(to, r->n, i->birth_simplex, i->dim + 1);
        fputc(delimiter, to);
        write_vertices(to, r->n, i->death_simplex, i->dim + 2);
        fputc('\n', to);
    }
    return io_output_commit(&c->s.err, &out);
}

static double simplex_number(glshape_simplex simplex) {
    return simplex == GLSHAPE_NO_SIMPLEX ? -1 : (double)simplex;
}

static glshape_status write_rows(rips_command *c) {
    const glshape_rips_result *r = &c->result;
    double(*rows)[5];
    TRY(allocate(&c->s.err, &rows, r->count, sizeof *rows, "the rows of the output"));
    for (size_t k = 0; k < r->count; k++) {
        const glshape_interval *i = &r->intervals[k];
        const double row[5] = {i->dim, (double)i->birth, (double)i->death, simplex_number(i->birth_simplex),
                               simplex_number(i->death_simplex)};
        memcpy(rows[k], row, sizeof row);
    }
    glshape_matrix m = {GLSHAPE_F64, r->count, 5, rows};
    glshape_status status = io_write_matrix(&c->s.err, c->s.output, &m);
    free(rows);
    return status;
}

static void report_dimension(json *j, const glshape_rips_result *r, int dim) {
    const glshape_rips_dim *d = &r->dims[dim];
    size_t intervals = 0;
    for (size_t k = 0; k < r->count; k++) intervals += r->intervals[k].dim == dim;
    json_object_begin(j, NULL);
    json_integer(j, "dim", dim);
    json_unsigned(j, "intervals", intervals);
    if (dim) {
        json_unsigned(j, "simplices_examined", d->examined);
        json_number(j, "examined_per_second", d->enumerate > 0 ? (double)d->examined / d->enumerate : 0);
        json_unsigned(j, "in_no_apparent_pair", d->left);
        json_unsigned(j, "columns_reduced", d->columns);
        json_unsigned(j, "additions", d->additions);
        json_unsigned(j, "cofacets", d->cofacets);
        json_unsigned(j, "host_bytes", d->bytes);
        json_number(j, "enumerate_seconds", d->enumerate);
        json_number(j, "reduce_seconds", d->reduce);
    }
    json_object_end(j);
}

static glshape_status write_report(rips_command *c) {
    session_report *report;
    json *j;
    const glshape_rips_result *r = &c->result;
    TRY(session_report_begin(&c->s, r->n, c->input == INPUT_POINTS ? c->points.cols : r->n, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_integer(j, "dim", r->dim);
    json_number(j, "threshold", (double)r->threshold);
    json_unsigned(j, "intervals", r->count);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_array_begin(j, "dimensions");
    for (int dim = 0; dim <= r->dim; dim++) report_dimension(j, r, dim);
    json_array_end(j);
    json_object_end(j);
    json_object_begin(j, "seconds");
    json_number(j, "read", c->read_seconds);
    json_number(j, "open", c->open_seconds);
    json_number(j, "distances", r->seconds.distances);
    json_number(j, "upload", r->seconds.upload);
    json_number(j, "tree", r->seconds.tree);
    json_number(j, "total", wall_seconds() - c->s.started);
    json_object_end(j);
    return session_report_end(&c->s, report);
}

static void print_forecast(const rips_command *c) {
    const glshape_rips_forecast *f = &c->result.forecast;
    printf("%zu points, dimension %d\n", c->result.n, c->result.dim);
    for (int dim = 1; dim <= c->result.dim && f->simplices[dim]; dim++)
        printf("dimension %d: at most %.6g simplices, most of which are never looked at\n", dim,
               (double)f->simplices[dim]);
    printf(
        "host memory: %.1f MB, GPU memory: %.1f MB, and 16 bytes for each simplex that is in no apparent "
        "pair\n",
        1e-6 * (double)f->host_bytes, 1e-6 * (double)f->gpu_bytes);
}

static glshape_status run(rips_command *c) {
    TRY(check(c));
    TRY(compute(c));
    if (c->dry_run) return print_forecast(c), GLSHAPE_OK;
    if (c->s.output) {
        char delimiter = io_output_delimiter(c->s.output);
        TRY(delimiter ? write_text(c, delimiter) : write_rows(c));
    }
    if (c->s.report) TRY(write_report(c));
    if (session_screen(&c->s) == stdout) print_intervals(c, stdout);
    return fflush(stdout) ? fail(&c->s.err, GLSHAPE_IO_ERROR, "standard output: cannot be written")
                          : GLSHAPE_OK;
}

int command_rips(int argc, char **argv, const char *command_line) {
    rips_command c = {.s.command_line = command_line, .dim = 1};
    const option_row rows[] = {
        {"--dim", NULL, OPTION_INTEGER, &c.dim, "K", "highest dimension of the intervals (default 1)", 0},
        {"--threshold", NULL, OPTION_TEXT, &c.threshold, "T",
         "largest diameter of a simplex (default: the enclosing radius)", 0},
        {"--ratio", NULL, OPTION_TEXT, &c.ratio, "R", "only intervals with death/birth above R", 0},
        {"--modulus", NULL, OPTION_INTEGER, &c.modulus, "P", "coefficients in Z/P, a prime (default 2)", 2},
        {"--input", NULL, OPTION_CHOICE, &c.input, INPUT_KINDS, "what INPUT holds (default distances)", 0},
        {"--metric", NULL, OPTION_CHOICE, &c.metric, METRICS, "how points are compared", 0},
        {"--sparse", NULL, OPTION_FLAG, &c.sparse, NULL,
         "of points keep only the distances up to the threshold, not a matrix", 0},
        {"--dry-run", NULL, OPTION_FLAG, &c.dry_run, NULL, "say what it would take, and stop", 0},
        {"--threads", NULL, OPTION_INTEGER, &c.threads, "N", "of the reduction (default: one a processor)",
         1},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    glshape_status status = run(&c);
    io_distances_close(c.distances);
    io_matrix_free(&c.points);
    free((void *)c.graph.start);
    free((void *)c.graph.to);
    free((void *)c.graph.weight);
    glshape_rips_free(&c.result);
    return session_end(&c.s, status);
}
