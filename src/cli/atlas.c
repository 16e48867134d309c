/* glshape atlas: from many inputs to one map of their shapes. */
#include "cli/atlas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/command.h"
#include "cli/picture.h"
#include "io/number.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape atlas [OPTIONS] INPUT...\n\n"
    "Makes a map of many shapes: the persistence diagram of each input, the sliced Wasserstein distances\n"
    "between all diagrams, a layout of these in the plane, and clusters of varying density. It is what\n"
    "glshape rips, cubical or alpha, then compare, mds and hdbscan do, in one command.\n\n"
    "Each INPUT is a cloud of points (--shape rips, alpha: rows of .npy, CSV, text, PLY, …) or an image or\n"
    "a volume (--shape cubical), or a folder of such files, which are taken in the order of their names. A\n"
    "single .npy of three dimensions is many inputs: clouds or images, one behind the other.\n"
    "An input that fails is named and left out, and the exit status is 1.\n\n"
    "Each dimension is compared by itself, and the distances are added. Intervals that never end are\n"
    "matched by their births; where diagrams have not as many of a dimension, they end at its last value.\n\n"
    "The output (-o) has a row for each input: x, y, its cluster (-1: noise), and 1 if it is the medoid of\n"
    "that, the one whose distances to the others have the least sum. Text also has the names of the files,\n"
    "or the numbers of the clouds in an array.\n"
    "--picture draws the map, and the barcodes of the medoids of the six largest clusters; in .html the\n"
    "barcode and the diagram of the input that the pointer is at.\n";

/* Parts of the whole for the progress bar, by what took long. */
#define UNTIL_DIAGRAMS 0.5
#define UNTIL_DISTANCES 0.7
#define UNTIL_LAYOUT 0.9

static void begin_part(atlas_command *c, double from, double to) {
    c->s.bar.from = from;
    c->s.bar.part = to - from;
}

/* ---- distances --------------------------------------------------------------------------------- */

/* The pairs of one dimension, of all inputs. */
typedef struct pair_list {
    double (*pairs)[2];
    size_t *first;
    bool uneven; /* inputs have not as many that never end */
    double last; /* of all finite values */
} pair_list;

typedef struct pair_lists {
    pair_list of[ATLAS_DIMS];
} pair_lists;

static void free_lists(pair_lists *l) {
    for (int dim = 0; dim < ATLAS_DIMS; dim++) {
        free(l->of[dim].pairs);
        free(l->of[dim].first);
    }
}

static glshape_status take_pairs(atlas_command *c, int dim, pair_list *l) {
    size_t count = 0, endless = 0;
    for (size_t k = 0; k < c->count; k++)
        for (size_t i = 0; i < c->diagrams[k].count; i++) count += c->diagrams[k].intervals[i].dim == dim;
    TRY(allocate(&c->s.err, &l->pairs, count, sizeof *l->pairs, "the pairs"));
    TRY(allocate(&c->s.err, &l->first, c->count + 1, sizeof *l->first, "the pairs"));
    l->last = c->superlevel ? INFINITY : -INFINITY;
    count = 0;
    for (size_t k = 0; k < c->count; k++) {
        size_t without = 0;
        l->first[k] = count;
        for (size_t i = 0; i < c->diagrams[k].count; i++) {
            const glshape_interval *at = &c->diagrams[k].intervals[i];
            if (at->dim != dim) continue;
            l->pairs[count][0] = at->birth;
            l->pairs[count++][1] = at->death;
            double end = isfinite(at->death) ? at->death : at->birth;
            l->last =
                c->superlevel ? fmin(l->last, fmin(end, at->birth)) : fmax(l->last, fmax(end, at->birth));
            without += isinf(at->death) != 0;
        }
        l->uneven |= k && without != endless;
        endless = without;
    }
    l->first[c->count] = count;
    return GLSHAPE_OK;
}

/* Returns how many pairs got an end. */
static size_t end_pairs(const atlas_command *c, pair_list *l) {
    size_t ended = 0;
    for (size_t k = 0; l->uneven && k < l->first[c->count]; k++)
        if (isinf(l->pairs[k][1])) l->pairs[k][1] = l->last, ended++;
    return ended;
}

/* *out becomes those of a dimension. */
static glshape_status list_pairs(atlas_command *c, int dim, pair_list *l, glshape_diagrams *out) {
    TRY(take_pairs(c, dim, l));
    size_t ended = end_pairs(c, l), count = l->first[c->count];
    if (ended)
        note(&c->s.err,
             "%zu interval%s of dimension %d that never end are taken to end at %.6g: not all inputs "
             "have as many",
             ended, plural(ended), dim, l->last);
    for (size_t k = 0; k < count; k++)
        c->pairs += isfinite(l->pairs[k][1]) && l->pairs[k][0] != l->pairs[k][1];
    *out = (glshape_diagrams){.count = c->count, .first = l->first, .pairs = count ? &l->pairs[0][0] : NULL};
    return GLSHAPE_OK;
}

/* Compares diagrams of all dimensions that an input has; if there are none, those of the first. */
static glshape_status find_distances(atlas_command *c) {
    OWNED_BY(free_lists) pair_lists lists = {0};
    glshape_diagrams in[ATLAS_DIMS];
    glshape_compare_options o = {.directions = c->directions};
    size_t count = 0;
    for (int dim = 0; dim < ATLAS_DIMS; dim++) {
        TRY(list_pairs(c, dim, &lists.of[dim], &in[count]));
        count += in[count].pairs != NULL;
    }
    if (count) o.more = in + 1, o.more_count = count - 1;
    begin_part(c, UNTIL_DIAGRAMS, UNTIL_DISTANCES);
    TRY(session_library_error(
        &c->s, glshape_comparison_new(c->s.context, in, &o, GLSHAPE_KEEP_RESIDENT, &c->distances)));
    session_take_stages(&c->s);
    c->source = (glshape_source){.reader = glshape_comparison_reader, .user = c->distances, .n = c->count};
    return GLSHAPE_OK;
}

/* ---- the map ----------------------------------------------------------------------------------- */

static glshape_status lay_out(atlas_command *c) {
    const glshape_mds_options o = {.seed = c->s.seed};
    begin_part(c, UNTIL_DISTANCES, UNTIL_LAYOUT);
    TRY(session_library_error(&c->s, glshape_mds(c->s.context, &c->source, &o, &c->layout)));
    session_take_stages(&c->s);
    return GLSHAPE_OK;
}

static glshape_status find_clusters(atlas_command *c) {
    int size = c->min_cluster_size ? c->min_cluster_size : 5;
    const glshape_hdbscan_options o = {.min_cluster_size = size,
                                       .min_samples = c->count < (size_t)size ? (int)c->count : size};
    begin_part(c, UNTIL_LAYOUT, 1);
    return session_library_error(&c->s, glshape_hdbscan(c->s.context, &c->source, &o, &c->clusters));
}

static double sum_within(const atlas_command *c, size_t row, const float *distance) {
    double sum = 0;
    for (size_t k = 0; k < c->count; k++)
        if (c->clusters.labels[k] == c->clusters.labels[row]) sum += distance[k];
    return sum;
}

/* Rows are read some at a time, because half of the matrix is kept: the other half of a row lies in columns.
 */
static glshape_status find_medoids(atlas_command *c) {
    enum { ROWS = 64 };
    OWNED double *least = NULL;
    OWNED float *rows = NULL;
    char message[256] = "";
    TRY(allocate(&c->s.err, &least, c->clusters.clusters, sizeof *least, "the medoids"));
    TRY(allocate(&c->s.err, &c->medoids, c->clusters.clusters, sizeof *c->medoids, "the medoids"));
    TRY(allocate(&c->s.err, &rows, times(ROWS, c->count), sizeof *rows, "the medoids"));
    for (size_t k = 0; k < c->clusters.clusters; k++) least[k] = INFINITY;
    for (size_t first = 0; first < c->count; first += ROWS) {
        size_t count = c->count - first < ROWS ? c->count - first : ROWS;
        if (!glshape_comparison_reader(c->distances, (uint32_t)first, (uint32_t)count, rows, message,
                                       sizeof message))
            return fail(&c->s.err, GLSHAPE_NO_MEMORY, "%s", message);
        for (size_t k = first; k < first + count; k++) {
            int32_t label = c->clusters.labels[k];
            if (label < 0) continue;
            double sum = sum_within(c, k, rows + (k - first) * c->count);
            if (!(sum < least[label])) continue;
            least[label] = sum;
            c->medoids[label] = (uint32_t)k;
        }
    }
    return GLSHAPE_OK;
}

/* ---- out --------------------------------------------------------------------------------------- */

static bool is_medoid(const atlas_command *c, size_t row) {
    int32_t label = c->clusters.labels[row];
    return label >= 0 && c->medoids[label] == row;
}

static glshape_status write_map(atlas_command *c) {
    OWNED double(*rows)[4] = NULL;
    TRY(allocate(&c->s.err, &rows, c->count, sizeof *rows, "the map"));
    for (size_t k = 0; k < c->count; k++) {
        rows[k][0] = c->layout.layout[2 * k];
        rows[k][1] = c->layout.layout[2 * k + 1];
        rows[k][2] = c->clusters.labels[k];
        rows[k][3] = is_medoid(c, k);
    }
    const glshape_matrix m = {GLSHAPE_F64, c->count, 4, rows};
    return io_write_named(&c->s.err, c->s.output, 2, &m,
                          (io_row_names){&c->names, "x,y,cluster,medoid", NULL});
}

static glshape_status draw_map(atlas_command *c) {
    static const char *const scales[] = {"diameter", "value", "radius"};
    size_t n = c->count, count = 0;
    OWNED double *xy = NULL;
    OWNED const char **names = NULL;
    OWNED size_t *first = NULL;
    OWNED glshape_interval *intervals = NULL;
    error *err = &c->s.err;
    for (size_t k = 0; k < n; k++) count += c->diagrams[k].count;
    TRY(allocate(err, &xy, n, 2 * sizeof *xy, "the map"));
    TRY(allocate(err, &names, n, sizeof *names, "the map"));
    TRY(allocate(err, &first, n + 1, sizeof *first, "the map"));
    TRY(allocate(err, &intervals, count, sizeof *intervals, "the map"));
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < 2; i++) xy[2 * k + i] = c->layout.layout[2 * k + i];
        names[k] = io_label_at(&c->names, k);
        if (c->diagrams[k].count)
            memcpy(intervals + first[k], c->diagrams[k].intervals, c->diagrams[k].count * sizeof *intervals);
        first[k + 1] = first[k] + c->diagrams[k].count;
    }
    const glshape_chart_atlas o = {.n = n,
                                   .xy = xy,
                                   .labels = c->clusters.labels,
                                   .clusters = c->clusters.clusters,
                                   .medoids = c->medoids,
                                   .names = names,
                                   .first = first,
                                   .intervals = intervals,
                                   .falling = c->superlevel,
                                   .scale = scales[c->shape]};
    return picture_write(c->s.context, err, c->s.picture, &(glshape_chart){.atlas = &o},
                         "Atlas of %zu shape%s: stress %.4g", n, plural(n), c->layout.stress);
}

static glshape_status write_report(atlas_command *c) {
    session_report *report;
    json *j;
    TRY(session_report_begin(&c->s, c->count, c->count, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "inputs", c->count);
    json_unsigned(j, "pairs", c->pairs);
    json_number(j, "stress", c->layout.stress);
    json_unsigned(j, "clusters", c->clusters.clusters);
    json_unsigned(j, "noise", c->clusters.noise);
    json_array_begin(j, "failed");
    for (size_t k = 0; k < c->failed_count; k++) json_string(j, NULL, c->failed[k]);
    json_array_end(j);
    json_object_end(j);
    const session_stage stages[] = {{"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status write_outputs(atlas_command *c) {
    if (c->s.output) TRY(write_map(c));
    return c->s.picture ? draw_map(c) : GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status check_options(atlas_command *c) {
    session *s = &c->s;
    double threshold = 0;
    if (c->superlevel && c->shape != ATLAS_CUBICAL)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--superlevel goes with --shape cubical");
    if (c->dim >= 0 && c->shape == ATLAS_ALPHA)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--dim goes with --shape rips or cubical; alpha shapes have dimensions 0 and 1");
    if (c->threshold_text && c->shape == ATLAS_ALPHA)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--threshold goes with --shape rips or cubical");
    if (c->shape == ATLAS_CUBICAL && (s->format || s->columns.chosen || s->columns.left_out))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--format, --columns and --index go with --shape rips or alpha");
    if (c->threshold_text && (!io_number_parse(c->threshold_text, strlen(c->threshold_text), &threshold) ||
                              (c->shape == ATLAS_RIPS && !(threshold >= 0))))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--threshold takes a number%s, not '%s'",
                    c->shape == ATLAS_RIPS ? " of at least 0" : "", c->threshold_text);
    if (c->threshold_text) c->threshold = GLSHAPE_SET(c->shape == ATLAS_RIPS ? (float)threshold : threshold);
    if (c->shape != ATLAS_CUBICAL) TRY(session_check_columns(s, true));
    return session_check_outputs(s);
}

static glshape_status make_map(atlas_command *c) {
    TRY(find_distances(c));
    TRY(lay_out(c));
    TRY(find_clusters(c));
    return find_medoids(c);
}

static glshape_status run_atlas(atlas_command *c) {
    session *s = &c->s;
    TRY(check_options(c));
    TRY(atlas_inputs_list(c));
    s->checked = true;
    begin_part(c, 0, UNTIL_DIAGRAMS);
    TRY(atlas_inputs_read(c));
    if (c->count < 2)
        return fail(&s->err, GLSHAPE_BAD_INPUT, "a map is of at least two shapes, but %s is the only one",
                    io_label_at(&c->names, 0));
    TRY(session_open(s));
    TRY(make_map(c));
    TRY_TIMED(s->write_seconds, write_outputs(c));
    if (s->report) TRY(write_report(c));
    fprintf(session_summary(s), "%zu shape%s, %zu pair%s: stress %.6g, %zu cluster%s, %zu of noise, %.2f s\n",
            c->count, plural(c->count), c->pairs, plural(c->pairs), c->layout.stress, c->clusters.clusters,
            plural(c->clusters.clusters), c->clusters.noise, wall_seconds() - s->started);
    if (!c->failed_count) return GLSHAPE_OK;
    return fail(&s->err, GLSHAPE_BAD_INPUT, "%zu of %zu inputs failed and are not on the map",
                c->failed_count, c->failed_count + c->count);
}

static void free_atlas(atlas_command *c) {
    atlas_inputs_free(c);
    glshape_comparison_free(c->distances);
    free(c->medoids);
    glshape_mds_free(&c->layout);
    glshape_hdbscan_free(&c->clusters);
}

int command_atlas(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_atlas)
    atlas_command c = {.s.command_line = command_line,
                       .s.tabular = true,
                       .s.seeded = true,
                       .s.may_need_none = true,
                       .s.list = &c.list,
                       .dim = -1};
    const option_row rows[] = {
        {"--shape", NULL, OPTION_CHOICE, &c.shape, ATLAS_SHAPES,
         "the complex of each input: Vietoris-Rips (default) or alpha of points, cubical of images", 0},
        {"--dim", NULL, OPTION_INTEGER, &c.dim, "K",
         "highest dimension of the intervals (rips: default 1; cubical: default all)",
         OPTION_RANGE(0, ATLAS_DIMS - 1)},
        {"--threshold", NULL, OPTION_TEXT, &c.threshold_text, "T",
         "rips: largest diameter of a simplex (default: the enclosing radius); cubical: the last value", 0},
        {"--superlevel", NULL, OPTION_FLAG, &c.superlevel, NULL, "cubical: of {values >= t} as t falls", 0},
        {"--directions", NULL, OPTION_INTEGER, &c.directions, "K",
         "slices of the distance between diagrams (default 50)", OPTION_RANGE(1, 4096)},
        {"--min-cluster-size", NULL, OPTION_INTEGER, &c.min_cluster_size, "N",
         "fewest inputs that make a cluster (default 5)", 2},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_atlas(&c));
}
