/* glshape mergetree: merge trees of scalar fields. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/field_input.h"
#include "cli/picture.h"
#include "io/graph/graph.h"
#include "io/read.h"
#include "io/value.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape mergetree [OPTIONS] INPUT\n\n"
    "Computes the merge tree of a scalar field, exactly: where the components of {values <= t} appear\n"
    "and join as t rises; with --superlevel those of {values >= t} as t falls. Of equal values the\n"
    "vertex of smaller index comes first, in both directions. Vertices count from 0 in C order.\n"
    "Prints how many extrema, pairs and components there are.\n\n"
    "INPUT (may be gzipped; - is standard input) is an array of 1, 2 or 3 dimensions: .npy, .npz, NRRD,\n"
    "NIfTI, MetaImage, VTK's structured points, TIFF (pages are planes; through libtiff), PNG, PGM, PPM, a\n"
    "DIPHA image, text (a row a line; also ESRI's grids), or raw bytes (--shape and --type). Values are as\n"
    "stored, of NIfTI scaled as it says. With --values it is a graph, as glshape mst reads it;\n"
    "vertices count from 0 in its order.\n\n"
    "The output (-o) in .npy is the triplets, N × 3 uint32: (u, s, v) says that the component which u\n"
    "began joins at vertex s the component of v. (u, u, v): u lies on the branch of v. (u, u, u): u\n"
    "begins a whole component. As text (.csv .tsv .txt) it is the branches: vertex, saddle, parent\n"
    "(vertices; -1: no saddle), birth, death.\n"
    "--diagram writes the pairs of dimension 0, the last death first: birth, death, birth_vertex,\n"
    "death_vertex. The oldest branch of a connected component has inf and -1, with --superlevel too.\n"
    "--segmentation writes for each vertex the vertex whose branch it lies on.\n"
    "--picture draws the most persistent branches of the tree, the diagram, and the segmentation of an\n"
    "image; of a volume its middle slice along z.\n"
    "--contour writes the arcs of the contour tree, whatever --simplify cuts: lower and upper node\n"
    "(vertices), their values, and how many regular vertices lie between them; by lower, then by\n"
    "upper node.\n"
    "--contour-arcs writes for each vertex the row of its arc in --contour, from 0, and 4294967295\n"
    "for a node. With either, the neighborhood of all outputs is Freudenthal's by default. A field\n"
    "that has no contour tree is refused; with 4 or 6 neighbors, periodic axes or a graph that can\n"
    "happen.\n\n"
    "A field of more than 2^32 - 2 vertices takes several ranks of MPI, and gives branches (text) only.\n";

static const char remedy[] =
    "share it among ranks of MPI (plain .npy or raw values of at most 32 bits), coarsen it, or cut it into "
    "parts";

#define METHODS "auto|basins|triplet"

typedef struct mergetree_command {
    session s;
    const char *values_path, *neighborhood, *simplify, *diagram, *segmentation;
    const char *contour, *contour_arcs;
    bool superlevel, all_pairs;
    int method;
    glshape_mergetree_options o;
    field_input in; /* its grid is one row for a graph */
    io_graph graph;
    glshape_matrix values; /* of the graph */
    glshape_mergetree_result result;
    glshape_contour_result contours;
    size_t pairs; /* that end, after some persistence */
} mergetree_command;

/* ---- before any work --------------------------------------------------------------------------- */

static glshape_status parse_simplify(mergetree_command *c) {
    size_t length = c->simplify ? strlen(c->simplify) : 0;
    if (!c->simplify) return GLSHAPE_OK;
    char text[IO_NUMBER_ROOM] = "";
    c->o.relative = length && c->simplify[length - 1] == '%';
    length -= c->o.relative;
    if (length < sizeof text) memcpy(text, c->simplify, length);
    if (length < sizeof text && io_number_parse(text, length, &c->o.simplify) && c->o.simplify >= 0) {
        if (c->o.relative) c->o.simplify /= 100;
        else c->o.simplify_whole = field_whole_persistence(c->simplify, c->o.simplify);
        return GLSHAPE_OK;
    }
    return fail(
        &c->s.err, GLSHAPE_BAD_ARGUMENT,
        "--simplify takes a persistence, or a percentage of the range of the values such as 5%%, not '%s'",
        c->simplify);
}

static glshape_status check_npy_extension(mergetree_command *c, const char *option, const char *path) {
    size_t length = path ? strlen(path) : 0;
    if (!path || (length >= 4 && !strcmp(path + length - 4, ".npy"))) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s is an array: name %s .npy", option, path);
}

static glshape_status check_outputs(mergetree_command *c) {
    session *s = &c->s;
    TRY(session_check_text(s, "--diagram", c->diagram));
    TRY(session_check_text(s, "--contour", c->contour));
    TRY(check_npy_extension(c, "--segmentation", c->segmentation));
    TRY(check_npy_extension(c, "--contour-arcs", c->contour_arcs));
    return session_check_outputs(s);
}

static const struct {
    int dims;
    const char *name;
    int neighbors;
} neighborhoods[] = {{1, "2", 2}, {2, "4", 4},   {2, "8", 8},   {2, "freudenthal-6", 6},
                     {3, "6", 6}, {3, "18", 18}, {3, "26", 26}, {3, "freudenthal-14", 14}};
enum { NEIGHBORHOODS = sizeof neighborhoods / sizeof *neighborhoods };

static glshape_status check_neighborhood(mergetree_command *c) {
    if (!c->neighborhood) return GLSHAPE_OK;
    for (int i = 0; i < NEIGHBORHOODS; i++)
        if (!strcmp(neighborhoods[i].name, c->neighborhood)) return GLSHAPE_OK;
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT,
                "--neighborhood takes 2 in 1 dimension, 4, 8 or freudenthal-6 in 2, 6, 18, 26 or "
                "freudenthal-14 in 3, not "
                "'%s'",
                c->neighborhood);
}

/* Refuses options of grids beside a graph, and options of raw values beside another format. */
static glshape_status check_input_options(mergetree_command *c) {
    const field_input *in = &c->in;
    const char *grid = in->shape         ? "--shape"
                       : in->type        ? "--type"
                       : in->endian >= 0 ? "--endian"
                       : c->neighborhood ? "--neighborhood"
                       : in->periodic    ? "--periodic"
                                         : NULL;
    if (c->values_path && grid)
        return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "%s goes with grids, but --values makes INPUT a graph",
                    grid);
    TRY(field_input_check(&c->s, in));
    return check_neighborhood(c);
}

/* ---- in ---------------------------------------------------------------------------------------- */

static glshape_status set_neighborhood(mergetree_command *c) {
    int dims = c->in.in.dims;
    if (!c->neighborhood) {
        if ((c->contour || c->contour_arcs) && dims > 1) c->in.field.neighborhood = dims == 2 ? 6 : 14;
        return GLSHAPE_OK;
    }
    for (int i = 0; i < NEIGHBORHOODS; i++)
        if (neighborhoods[i].dims == dims && !strcmp(neighborhoods[i].name, c->neighborhood)) {
            c->in.field.neighborhood = neighborhoods[i].neighbors;
            return GLSHAPE_OK;
        }
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "--neighborhood %s: %s", c->neighborhood,
                dims == 1   ? "a field of 1 dimension has 2"
                : dims == 2 ? "a field of 2 dimensions has 4, 8 or freudenthal-6"
                            : "a field of 3 dimensions has 6, 18, 26 or freudenthal-14");
}

static glshape_status read_grid(mergetree_command *c) {
    TRY(field_input_read(&c->s, &c->in));
    return c->s.shared || session_is_first() ? set_neighborhood(c) : GLSHAPE_OK;
}

static glshape_status read_graph(mergetree_command *c) {
    session *s = &c->s;
    TRY(io_read_graph(&s->err, s->input, IO_GRAPH_PLAIN, &c->graph));
    TRY(io_read_matrix(&s->err, c->values_path, IO_AUTO, &c->values));
    size_t count = c->values.rows * c->values.cols, nodes = c->graph.graph.nodes;
    if (count != nodes)
        return fail(&s->err, GLSHAPE_BAD_INPUT, "%s has %zu values, but %s has %zu vertices", c->values_path,
                    count, io_input_name(s->input), nodes);
    c->in.field = (glshape_field){.type = c->values.type, .values = c->values.data, .graph = &c->graph.graph};
    c->in.in.dims = 1;
    c->in.in.shape[0] = nodes;
    return GLSHAPE_OK;
}

/* ---- values ------------------------------------------------------------------------------------ */

/* The value of vertex v, an integer of 64 bits; a signed one modulo 2^64. */
static uint64_t whole_value(const mergetree_command *c, size_t v) {
    return ((const uint64_t *)c->in.field.values)[v];
}

/* Returns true if branch b belongs in the diagram: if it is essential, or its birth and death differ. */
static bool in_diagram(const mergetree_command *c, const glshape_branch *b) {
    if (b->death == GLSHAPE_NO_VERTEX) return true;
    return field_is_whole(&c->in.field) ? whole_value(c, b->birth) != whole_value(c, b->death)
                                        : b->birth_value != b->death_value;
}

/* The value at a vertex; inf for GLSHAPE_NO_VERTEX. */
static const char *print_value(const mergetree_command *c, char out[IO_NUMBER_ROOM], uint32_t v) {
    glshape_matrix m = {c->in.field.type, c->result.n, 1, c->values_path ? c->values.data : c->in.in.values};
    if (v == GLSHAPE_NO_VERTEX) return "inf";
    io_value_print(out, &m, v);
    return out;
}

static void report_value(const mergetree_command *c, json *j, const char *key, size_t v, double value) {
    if (c->in.field.type == GLSHAPE_I64) json_integer(j, key, (int64_t)whole_value(c, v));
    else if (c->in.field.type == GLSHAPE_U64) json_unsigned(j, key, whole_value(c, v));
    else json_number(j, key, value);
}

/* What numbers vertices in 32 bits; NULL: nothing. */
static const char *find_narrow(const mergetree_command *c) {
    if (c->segmentation) return "--segmentation";
    if (c->s.picture) return "--picture";
    return c->s.output && !io_output_delimiter(c->s.output) ? "-o in .npy" : NULL;
}

#define BRANCHES 65536u /* that a thread looks at, at a time */

typedef struct pair_count {
    const mergetree_command *c;
    atomic_size_t pairs;
} pair_count;

static void count_block(void *user, size_t block) {
    pair_count *p = user;
    const glshape_mergetree_result *r = &p->c->result;
    size_t first = block * BRANCHES, end = r->count - first < BRANCHES ? r->count : first + BRANCHES, in = 0;
    for (size_t k = first; k < end; k++) in += in_diagram(p->c, &r->branches[k]);
    atomic_fetch_add(&p->pairs, in);
}

/* How many pairs end, after some persistence. */
static size_t count_pairs(const mergetree_command *c) {
    pair_count p = {.c = c};
    threads_run(0, (c->result.count + BRANCHES - 1) / BRANCHES, count_block, &p);
    return atomic_load(&p.pairs) - c->result.components; /* these never end */
}

/* ---- work -------------------------------------------------------------------------------------- */

/* The library does not know the file of the values. */
static glshape_status field_error(mergetree_command *c, glshape_status status) {
    const char *name = io_input_name(c->values_path ? c->values_path : c->s.input);
    if (status != GLSHAPE_BAD_INPUT) return session_library_error(&c->s, status);
    return fail(&c->s.err, status, "%s: %s", name, glshape_last_error(c->s.context));
}

static glshape_status compute_trees(mergetree_command *c) {
    session *s = &c->s;
    TRY(session_open(s));
    c->o.method = (glshape_mergetree_method)c->method;
    c->o.superlevel = c->superlevel;
    c->o.branches_only = !c->segmentation && !(s->picture && !c->values_path) &&
                         !(s->output && !io_output_delimiter(s->output));
    bool contours = c->contour || c->contour_arcs, whole = !(c->o.simplify > 0) && !c->o.simplify_whole;
    if (contours && whole && c->o.branches_only && !c->superlevel) {
        TRY(field_error(
            c, glshape_contour_and_join(s->context, &c->in.field, c->o.method, &c->contours, &c->result)));
        c->pairs = count_pairs(c);
        return GLSHAPE_OK;
    }
    if (contours) { /* first: the facts of the report are those of the last method */
        TRY(field_error(c, glshape_contour(s->context, &c->in.field, c->o.method, &c->contours)));
        session_take_stages(s);
    }
    TRY(field_error(c, glshape_mergetree(s->context, &c->in.field, &c->o, &c->result)));
    c->pairs = count_pairs(c);
    return GLSHAPE_OK;
}

/* ---- out --------------------------------------------------------------------------------------- */

/* The vertex that a branch tells of; -1: none. */
static long long vertex_number(const mergetree_command *c, uint32_t v) {
    const uint64_t *vertices = c->result.vertices;
    return v == GLSHAPE_NO_VERTEX ? -1 : vertices ? (long long)vertices[v] : (long long)v;
}

/* The same of a branch, whose value is known. Of several ranks the first has read its own planes only. */
static const char *print_end(const mergetree_command *c, char out[IO_NUMBER_ROOM], uint32_t v, double value) {
    if (!c->s.shared || v == GLSHAPE_NO_VERTEX) return print_value(c, out, v);
    field_input_print(&c->in, value, out);
    return out;
}

typedef struct branch_rows {
    const mergetree_command *c;
    bool diagram;
    char delimiter;
} branch_rows;

#define BRANCH_ROW (5 * (IO_NUMBER_ROOM + 1))

/* A row of a branch: of the diagram birth and death, then their vertices; else the vertices, then birth and
 * death. */
static size_t print_branch(const void *user, uint64_t k, char *out) {
    const branch_rows *rows = user;
    const mergetree_command *c = rows->c;
    const glshape_branch *b = &c->result.branches[k];
    char room[2][IO_NUMBER_ROOM], d = rows->delimiter;
    if (rows->diagram && !c->all_pairs && !in_diagram(c, b)) return 0;
    long long begin = vertex_number(c, b->birth), saddle = vertex_number(c, b->death);
    const char *birth = print_end(c, room[0], b->birth, b->birth_value),
               *death = print_end(c, room[1], b->death, b->death_value);
    if (rows->diagram)
        return (size_t)snprintf(out, BRANCH_ROW, "%s%c%s%c%lld%c%lld\n", birth, d, death, d, begin, d,
                                saddle);
    return (size_t)snprintf(out, BRANCH_ROW, "%lld%c%lld%c%lld%c%s%c%s\n", begin, d, saddle, d,
                            vertex_number(c, b->parent), d, birth, d, death);
}

/* Writes a header, whose names have commas between them, and count rows. */
static glshape_status write_rows(mergetree_command *c, const char *path, const char *names, size_t count,
                                 size_t (*print)(const void *rows, uint64_t k, char *out),
                                 const branch_rows *rows) {
    io_output out;
    TRY(io_output_open(&c->s.err, path, &out));
    FILE *to = io_output_stream(&out);
    for (; *names; names++) fputc(*names == ',' ? rows->delimiter : *names, to);
    fputc('\n', to);
    glshape_status status = io_write_lines(&c->s.err, to, count, BRANCH_ROW, print, rows);
    return io_output_end(&c->s.err, &out, status);
}

static glshape_status write_branches(mergetree_command *c, const char *path, bool diagram) {
    const branch_rows rows = {c, diagram, io_output_delimiter(path)};
    const char *names =
        diagram ? "birth,death,birth_vertex,death_vertex" : "vertex,saddle,parent,birth,death";
    return write_rows(c, path, names, c->result.count, print_branch, &rows);
}

/* The vertex that began the branch which vertex v lies on. */
static uint32_t branch_of(const glshape_mergetree_result *r, size_t v) {
    const uint32_t *t = r->triplets + 3 * v;
    return t[1] == t[0] ? t[2] : t[0];
}

static glshape_status write_segmentation(mergetree_command *c) {
    const glshape_mergetree_result *r = &c->result;
    OWNED uint32_t *on = NULL;
    TRY(allocate(&c->s.err, &on, r->n, sizeof *on, "the segmentation"));
    for (size_t v = 0; v < r->n; v++) on[v] = branch_of(r, v);
    return io_write_array(&c->s.err, c->segmentation, GLSHAPE_U32, c->in.in.dims, c->in.in.shape, on);
}

static size_t print_arc(const void *user, uint64_t k, char *out) {
    const branch_rows *rows = user;
    const glshape_arc *a = &rows->c->contours.arcs[k];
    char room[2][IO_NUMBER_ROOM], d = rows->delimiter;
    return (size_t)snprintf(out, BRANCH_ROW, "%u%c%u%c%s%c%s%c%u\n", a->lower, d, a->upper, d,
                            print_value(rows->c, room[0], a->lower), d,
                            print_value(rows->c, room[1], a->upper), d, a->regular);
}

static glshape_status write_arcs(mergetree_command *c) {
    const branch_rows rows = {.c = c, .delimiter = io_output_delimiter(c->contour)};
    return write_rows(c, c->contour, "lower,upper,lower_value,upper_value,regular", c->contours.count,
                      print_arc, &rows);
}

static glshape_status write_picture(mergetree_command *c) {
    const glshape_chart_branches o = {
        .of = &c->result, .field = &c->in.field, .superlevel = c->superlevel, .all = c->all_pairs};
    return picture_write(c->s.context, &c->s.err, c->s.picture, &(glshape_chart){.branches = &o}, "%s",
                         session_title(&c->s));
}

static glshape_status write_report(mergetree_command *c) {
    session_report *report;
    json *j;
    const glshape_mergetree_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.in.shape[0], r->n / c->in.in.shape[0], &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "vertices", r->n);
    report_value(c, j, "least", r->least_vertex, r->least);
    report_value(c, j, "greatest", r->greatest_vertex, r->greatest);
    json_unsigned(j, "extrema", r->extrema);
    json_unsigned(j, "branches", r->count);
    json_unsigned(j, "components", r->components);
    json_unsigned(j, "pairs_of_nonzero_persistence", c->pairs);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_object_end(j);
    const session_stage stages[] = {{"upload", r->seconds.upload},
                                    {"basins", r->seconds.basins},
                                    {"branches", r->seconds.branches},
                                    {"triplets", r->seconds.triplets},
                                    {"contour", c->contours.seconds},
                                    {"write", c->s.write_seconds},
                                    {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status write_outputs(mergetree_command *c) {
    session *s = &c->s;
    const glshape_mergetree_result *r = &c->result;
    if (s->output && io_output_delimiter(s->output)) TRY(write_branches(c, s->output, false));
    else if (s->output)
        TRY(io_write_array(&s->err, s->output, GLSHAPE_U32, 2, (size_t[]){r->n, 3}, r->triplets));
    if (c->diagram) TRY(write_branches(c, c->diagram, true));
    if (c->segmentation) TRY(write_segmentation(c));
    if (c->contour) TRY(write_arcs(c));
    if (c->contour_arcs)
        TRY(io_write_array(&s->err, c->contour_arcs, GLSHAPE_U32, c->in.in.dims, c->in.in.shape,
                           c->contours.arc));
    return s->picture ? write_picture(c) : GLSHAPE_OK;
}

/* Of several ranks the first has read its own planes only; a picture shows values at minima and saddles of
 * others. */
static void take_values(mergetree_command *c) {
    const glshape_branch *b = c->result.branches;
    for (size_t k = 0; c->s.shared && c->s.picture && k < c->result.count; k++) {
        field_input_set(&c->in, b[k].birth, b[k].birth_value);
        field_input_set(&c->in, b[k].death, b[k].death_value);
    }
}

static glshape_status run_mergetree(mergetree_command *c) {
    bool done;
    TRY(parse_simplify(c));
    TRY(check_input_options(c));
    TRY(check_outputs(c));
    c->s.shared = !c->values_path && !c->contour && !c->contour_arcs;
    if (!c->s.shared && !session_is_first()) return GLSHAPE_OK;
    c->in.narrow = find_narrow(c);
    TRY_TIMED(c->s.read_seconds, c->values_path ? read_graph(c) : read_grid(c));
    if (!c->s.shared && !session_is_first()) return GLSHAPE_OK;
    TRY(compute_trees(c));
    TRY(session_end_sharing(&c->s, &done));
    if (done) return GLSHAPE_OK;
    take_values(c);
    TRY_TIMED(c->s.write_seconds, write_outputs(c));
    if (c->s.report) TRY(write_report(c));
    const glshape_mergetree_result *r = &c->result;
    fprintf(session_summary(&c->s),
            "%zu %s: %zu %s%s, %zu pair%s of non-zero persistence, %zu component%s, %.2f s\n", r->n,
            r->n == 1 ? "vertex" : "vertices", r->extrema, c->superlevel ? "maxim" : "minim",
            r->extrema == 1 ? "um" : "a", c->pairs, plural(c->pairs), r->components, plural(r->components),
            wall_seconds() - c->s.started);
    return GLSHAPE_OK;
}

static void free_mergetree(mergetree_command *c) {
    field_input_free(&c->in);
    io_graph_free(&c->graph);
    io_matrix_free(&c->values);
    glshape_mergetree_free(&c->result);
    glshape_contour_free(&c->contours);
}

int command_mergetree(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_mergetree)
    mergetree_command c = {.s.command_line = command_line,
                           .s.format_help = "",
                           .s.may_need_none = true,
                           .s.shared = true,
                           .in = {.endian = -1, .remedy = remedy}};
    const option_row rows[] = {
        {"--superlevel", NULL, OPTION_FLAG, &c.superlevel, NULL,
         "components of {values >= t}: from maxima down, not from minima up", 0},
        {"--neighborhood", NULL, OPTION_TEXT, &c.neighborhood, "H",
         "1-D: 2; 2-D: 4 (the default), 8, freudenthal-6 (the default with --contour); 3-D: 6 (the default), "
         "18, 26, "
         "freudenthal-14 (the default with --contour)",
         0},
        {"--neighbourhood", NULL, OPTION_TEXT, &c.neighborhood, "H", "", 0},
        {"--values", NULL, OPTION_INPUT, &c.values_path, "FILE",
         "values of the vertices (.npy, or text in double precision); INPUT is a graph", 0},
        FIELD_INPUT_ROWS(c.in),
        {"--diagram", NULL, OPTION_OUTPUT, &c.diagram, "FILE",
         "write the persistence diagram of dimension 0 (.csv .tsv .txt)", 0},
        {"--all-pairs", NULL, OPTION_FLAG, &c.all_pairs, NULL, "list the pairs of persistence 0, too", 0},
        {"--segmentation", NULL, OPTION_OUTPUT, &c.segmentation, "FILE",
         "write the branch of each vertex (.npy)", 0},
        {"--contour", NULL, OPTION_OUTPUT, &c.contour, "FILE",
         "write the arcs of the contour tree (.csv .tsv .txt)", 0},
        {"--contour-arcs", NULL, OPTION_OUTPUT, &c.contour_arcs, "FILE",
         "write the arc of each vertex (.npy)", 0},
        {"--simplify", NULL, OPTION_TEXT, &c.simplify, "EPS|P%",
         "cut the branches whose persistence is below EPS, or below P % of the range of the values (of "
         "float32 "
         "values both are rounded to float32)",
         0},
        {"--method", NULL, OPTION_CHOICE, &c.method, METHODS,
         "how the tree is found: by basins and saddles (auto, the default) or by the triplet merge "
         "algorithm; the "
         "result is the same",
         0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_mergetree(&c));
}
