/* glshape alpha: alpha shapes of points in the plane. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "cli/alpha_output.h"
#include "cli/command.h"
#include "cli/plane_input.h"
#include "io/number.h"
#include "io/read.h"

static const char usage[] =
    "usage: glshape alpha [OPTIONS] INPUT\n\n"
    "Computes the alpha shapes of points in the plane, exactly, for all radii. --alpha or --rank\n"
    "chooses one shape. A triangle of the Delaunay triangulation is in the shape if its circumradius\n"
    "is at most alpha. An edge is in it if one of its triangles is, or if the disc that it is the\n"
    "diameter of holds no point and has a radius of at most alpha. Alpha is a radius; CGAL's alpha is\n"
    "its square.\n\n"
    "INPUT (may be gzipped; - is standard input) has x and y in its rows: .npy, CSV, TSV or text such\n"
    "as .xy files; GeoJSON or WKT; a table with --columns;\n" PLANE_TSPLIB
    ".\n"
    "Points at the same place count once.\n\n"
    "--alpha optimal:K is the least radius at which every point is on a triangle and the triangles\n"
    "make at most K solid components. CGAL's find_optimal_alpha gives the next value of the spectrum\n"
    "after it.\n\n"
    "The output (-o) is the boundary of the shape. Its extension says how:\n"
    "  .geojson, .json  a polygon for each component, with holes, area, perimeter; singular edges, points\n"
    "  .wkt             the same, one geometry a line\n"
    "  .csv             component, ring (0: the outer one), point (from 0), x, y\n"
    "  .ply, .off       a mesh of the triangles of the shape, and of all points, z being 0\n"
    "  .svg, .png       a picture, as --picture\n";

typedef struct alpha_command {
    session s;
    alpha_output out;
    const char *alpha_text, *rank_text;
    size_t optimal; /* K of --alpha optimal:K; 0: another --alpha */
    uint32_t rank;
    glshape_matrix in;
    double *xy;
    glshape_alpha_result family;
    glshape_alpha_outline outline;
} alpha_command;

/* ---- before any work --------------------------------------------------------------------------- */

static bool parse_whole(const char *text, double most, double *out) {
    return io_number_parse(text, strlen(text), out) && *out >= 0 && *out <= most && *out == floor(*out);
}

/* --alpha: a radius into c->out.alpha, or optimal[:K] into c->optimal. */
static glshape_status parse_alpha(alpha_command *c) {
    const char *text = c->alpha_text;
    double value = 1;
    if (!strncmp(text, "optimal", 7) && (!text[7] || text[7] == ':')) {
        if (!text[7] || (parse_whole(text + 8, UINT32_MAX, &value) && value >= 1)) {
            c->optimal = (size_t)value;
            return GLSHAPE_OK;
        }
    } else if (io_number_parse(text, strlen(text), &c->out.alpha) && c->out.alpha >= 0) {
        return GLSHAPE_OK;
    }
    return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT,
                "--alpha takes a radius of at least 0, optimal, or optimal:K with K of at least 1, not '%s'",
                text);
}

static glshape_status parse_shape(alpha_command *c) {
    error *err = &c->s.err;
    double rank = 0;
    const char *option = alpha_output_needs_shape(&c->s, &c->out);
    if (c->alpha_text && c->rank_text)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--alpha and --rank do not go together");
    if (option && !c->alpha_text && !c->rank_text)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s is of one shape: give --alpha or --rank", option);
    if (c->alpha_text) return parse_alpha(c);
    if (c->rank_text && !parse_whole(c->rank_text, UINT32_MAX, &rank))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--rank takes a whole number of at least 0, not '%s'",
                    c->rank_text);
    c->rank = (uint32_t)rank;
    return GLSHAPE_OK;
}

/* ---- the work ---------------------------------------------------------------------------------- */

/* One shape, of a family that is not wanted. */
static glshape_status find_outline(alpha_command *c) {
    glshape_alpha_choice choice = {.optimal = c->optimal,
                                   .rank = c->rank,
                                   .regularized = c->out.regularized,
                                   .boundary_only = !c->s.output && !c->s.picture};
    if (c->alpha_text && !c->optimal) choice.alpha = GLSHAPE_SET(c->out.alpha);
    return session_input_error(&c->s, glshape_alpha_outline_of(c->s.context, &c->in, &choice, &c->outline));
}

/* Finds the rank that --alpha or --rank means, and the shape of that rank. */
static glshape_status choose_shape(alpha_command *c) {
    glshape_context *context = c->s.context;
    uint32_t rank = c->rank;
    if (c->optimal)
        TRY(session_input_error(&c->s, glshape_alpha_optimal(context, &c->family, c->optimal, &rank)));
    else if (c->alpha_text)
        TRY(session_input_error(&c->s, glshape_alpha_rank(context, &c->family, c->out.alpha, &rank)));
    return session_input_error(
        &c->s, glshape_alpha_at(context, &c->family, rank, c->out.regularized, &c->outline.shape));
}

static glshape_status find_family(alpha_command *c) {
    glshape_alpha_options o = {.master = c->out.master != NULL};
    TRY(session_input_error(&c->s, glshape_alpha(c->s.context, &c->in, &o, &c->family)));
    if (c->out.shape) TRY_TIMED(c->outline.seconds.shape, choose_shape(c));
    return alpha_output_take_family(&c->s, &c->out);
}

/* ---- out --------------------------------------------------------------------------------------- */

static glshape_status write_report(alpha_command *c) {
    session_report *report;
    json *j;
    const glshape_alpha_result *f = &c->family;
    const glshape_alpha_outline *o = &c->outline;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.cols, &report, &j));
    alpha_output_report(j, &c->out);
    const session_stage stages[] = {{"triangulate", f->seconds.triangulate + o->seconds.triangulate},
                                    {"edges", f->seconds.edges + o->seconds.edges},
                                    {"keys", f->seconds.keys + o->seconds.keys},
                                    {"sort", f->seconds.sort + o->seconds.sort},
                                    {"compare", f->seconds.compare + o->seconds.compare},
                                    {"intervals", f->seconds.intervals + o->seconds.intervals},
                                    {"master", f->seconds.master},
                                    {"shape", o->seconds.shape},
                                    {"write", c->s.write_seconds},
                                    {0}};
    return session_report_end(&c->s, report, stages);
}

static void print_result(alpha_command *c) {
    const glshape_alpha_outline *r = &c->outline;
    FILE *to = session_summary(&c->s);
    fprintf(to, "%zu point%s", r->n, plural(r->n));
    if (r->vertices < r->n) fprintf(to, " at %zu places", r->vertices);
    fprintf(to, ": %zu radi%s", r->ranks, r->ranks == 1 ? "us" : "i");
    if (r->ranks) fprintf(to, ", %.6g to %.6g", r->least_radius, r->greatest_radius);
    if (c->out.shape) {
        double area = 0;
        const glshape_alpha_shape *shape = &r->shape;
        for (size_t k = 0; k < shape->components; k++) area += shape->component[k].area;
        fprintf(to, "; rank %u, radius %.6g: %zu component%s, %zu ring%s, area %.6g", shape->rank,
                shape->radius, shape->components, plural(shape->components), shape->rings,
                plural(shape->rings), area);
    }
    fprintf(to, ", %.2f s\n", wall_seconds() - c->s.started);
}

static glshape_status run_alpha(alpha_command *c) {
    session *s = &c->s;
    TRY(plane_check(s));
    TRY(parse_shape(c));
    TRY(alpha_output_check(s, &c->out));
    TRY_TIMED(s->read_seconds, plane_read(s, &c->in));
    if (s->output || s->picture) TRY(io_matrix_doubles(&s->err, &c->in, &c->xy));
    TRY(session_open(s));
    c->out.family = &c->family;
    c->out.outline = &c->outline;
    c->out.xy = c->xy;
    c->out.shape = c->alpha_text || c->rank_text;
    TRY(alpha_output_needs_family(&c->s, &c->out) ? find_family(c) : find_outline(c));
    TRY_TIMED(s->write_seconds, alpha_output_write(s, &c->out));
    if (s->report) TRY(write_report(c));
    print_result(c);
    return GLSHAPE_OK;
}

static void free_alpha(alpha_command *c) {
    io_matrix_free(&c->in);
    free(c->xy);
    glshape_alpha_outline_free(&c->outline);
    glshape_alpha_free(&c->family);
}

int command_alpha(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_alpha)
    alpha_command c = {
        .s.command_line = command_line,
        .s.may_need_none = true,
        .s.output_help =
            "write the boundary of the shape, by extension (see above); - is GeoJSON on standard output",
        .s.tabular = true,
        .s.plane = true,
        .s.format_help = PLANE_FORMATS};
    alpha_output *o = &c.out;
    const option_row rows[] = {
        {"--alpha", NULL, OPTION_TEXT, &c.alpha_text, "A",
         "the shape of radius A, or optimal[:K] (see above; K is 1 by default)", 0},
        {"--rank", NULL, OPTION_TEXT, &c.rank_text, "R",
         "the shape of the R-th radius of the spectrum (0: only the points)", 0},
        {"--regularized", NULL, OPTION_FLAG, &o->regularized, NULL,
         "only triangles and their sides: no singular edges and points", 0},
        {"--faces", NULL, OPTION_MATRIX, &o->faces, "FILE",
         "write the faces of the shape: class (1 singular, 2 regular, 3 interior), points (-1: none)", 0},
        {"--components", NULL, OPTION_MATRIX, &o->components, "FILE",
         "write the solid components: number, triangles, rings, area, perimeter", 0},
        {"--spectrum", NULL, OPTION_MATRIX, &o->spectrum, "FILE", "write the radii of all shapes, ascending",
         0},
        {"--intervals", NULL, OPTION_MATRIX, &o->intervals, "FILE",
         "write all faces: points (-1: none) and the radii at which they become singular, regular, interior "
         "(inf: never, or a radius beyond 1.8e308; nan: there is no such radius)",
         0},
        {"--master", NULL, OPTION_MATRIX, &o->master, "FILE",
         "write all thresholds by rank: rank, dimension, face, which (0 rho, 1 lower mu, 2 upper mu)", 0},
        {"--diagram", NULL, OPTION_OUTPUT, &o->diagram, "FILE",
         "write the persistence intervals, dimensions 0 and 1, as -o of glshape rips does", 0},
        {"--barcode", NULL, OPTION_PICTURE, &o->barcode, "FILE",
         "draw these intervals as .png, .svg or .html", 0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_alpha(&c));
}
