/* glshape delaunay: triangulations in the plane. */
#include "base/owned.h"
#include "cli/command.h"
#include "cli/mesh.h"
#include "cli/plane_input.h"
#include "io/read.h"
#include "io/write.h"

static const char usage[] =
    "usage: glshape delaunay [OPTIONS] INPUT\n\n"
    "Computes the Delaunay triangulation of points in the plane. It is exact for the numbers as they\n"
    "are, and the same on every device.\n\n"
    "INPUT (may be gzipped; - is standard input) has x and y in its rows: .npy, CSV, TSV, text, GeoJSON\n"
    "or WKT; a "
    "table with --columns;\n" PLANE_TSPLIB
    ".\n"
    "Of points at the same place the first counts. Where more than three points lie on one empty\n"
    "circle, their polygon is cut into triangles from its point of smallest row.\n\n"
    "The output (-o) has a row for each triangle: its corners as rows of INPUT, from 0,\n"
    "counter-clockwise, the smallest first. Rows are in order. Points on one line have no triangles.\n"
    "A .ply or .off file is a mesh of all points, z being 0, and the triangles.\n";

typedef struct delaunay_command {
    session s;
    const char *neighbors;
    glshape_matrix in;
    glshape_delaunay_result result;
} delaunay_command;

static glshape_status write_report(delaunay_command *c) {
    session_report *report;
    json *j;
    const glshape_delaunay_result *r = &c->result;
    TRY(session_report_begin(&c->s, c->in.rows, c->in.cols, &report, &j));
    json_object_begin(j, "result");
    json_unsigned(j, "points", r->n);
    json_unsigned(j, "distinct", r->distinct);
    json_unsigned(j, "triangles", r->count);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    json_object_end(j);
    const session_stage stages[] = {{"upload", r->seconds.upload}, {"order", r->seconds.order},
                                    {"merge", r->seconds.merge},   {"collect", r->seconds.collect},
                                    {"write", c->s.write_seconds}, {0}};
    return session_report_end(&c->s, report, stages);
}

static glshape_status write_outputs(delaunay_command *c) {
    const glshape_delaunay_result *r = &c->result;
    glshape_matrix triangles = {GLSHAPE_U32, r->count, 3, r->triangles},
                   neighbors = {GLSHAPE_U32, r->count, 3, r->neighbors};
    if (c->s.output && mesh_is(c->s.output))
        TRY(mesh_write(&c->s.err, c->s.output, &c->in, r->count, r->triangles));
    else if (c->s.output) TRY(io_write_matrix(&c->s.err, c->s.output, &triangles));
    if (c->neighbors) TRY(io_write_matrix(&c->s.err, c->neighbors, &neighbors));
    return GLSHAPE_OK;
}

static glshape_status run_delaunay(delaunay_command *c) {
    session *s = &c->s;
    TRY(plane_check(s));
    if (s->output && !mesh_is(s->output)) TRY(io_output_format_check(&s->err, s->output));
    TRY(session_check_outputs(s));
    TRY_TIMED(s->read_seconds, plane_read(s, &c->in));
    TRY(session_open(s));
    TRY(session_input_error(s, glshape_delaunay(s->context, &c->in, &c->result)));
    TRY_TIMED(s->write_seconds, write_outputs(c));
    if (s->report) TRY(write_report(c));
    const glshape_delaunay_result *r = &c->result;
    FILE *to = session_summary(s);
    fprintf(to, "%zu point%s", r->n, plural(r->n));
    if (r->distinct < r->n) fprintf(to, " (%zu distinct)", r->distinct);
    if (r->count) fprintf(to, ", %zu triangle%s", r->count, plural(r->count));
    else fprintf(to, ", no triangles: %s", r->distinct < 3 ? "there are too few" : "all are on one line");
    fprintf(to, ", %.2f s\n", wall_seconds() - s->started);
    return GLSHAPE_OK;
}

static void free_delaunay(delaunay_command *c) {
    io_matrix_free(&c->in);
    glshape_delaunay_free(&c->result);
}

int command_delaunay(int argc, char **argv, const char *command_line) {
    OWNED_BY(free_delaunay)
    delaunay_command c = {
        .s.command_line = command_line,
        .s.tabular = true,
        .s.plane = true,
        .s.format_help = PLANE_FORMATS,
        .s.output_help =
            "write the triangles: .npy, .csv, .tsv, .txt, or with the points as a mesh: .ply, "
            ".off; - is standard output",
        .s.pictureless = true,
        .s.may_need_none = true};
    const option_row rows[] = {
        {"--neighbors", NULL, OPTION_MATRIX, &c.neighbors, "FILE",
         "write the triangles across the edges opposite the corners, in the shape of -o (4294967295: none)",
         0},
        {"--neighbours", NULL, OPTION_MATRIX, &c.neighbors, "FILE", "", 0},
        {0},
    };
    int code;
    if (!session_begin(&c.s, argc, argv, rows, usage, &code)) return code;
    return session_end(&c.s, run_delaunay(&c));
}
