#include "cli/alpha_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cli/intervals.h"
#include "cli/mesh.h"
#include "cli/picture.h"
#include "io/read.h"
#include "io/regions.h"
#include "io/write.h"

/* ---- before any work --------------------------------------------------------------------------- */

static bool is_picture(const char *path) { return !picture_check(NULL, path); }

glshape_status alpha_output_check(session *s, const alpha_output *out) {
    if (s->output && !is_picture(s->output) && !mesh_is(s->output) && io_regions_check(NULL, s->output))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "cannot tell the format of %s from its extension: name it .geojson, .json, .wkt, .csv, "
                    ".ply, .off, .svg or .png",
                    s->output);
    if (out->diagram) TRY(intervals_check(&s->err, out->diagram));
    return session_check_outputs(s);
}

const char *alpha_output_needs_shape(const session *s, const alpha_output *out) {
    if (s->output) return "-o";
    if (s->picture) return "--picture";
    if (out->faces) return "--faces";
    return out->components ? "--components" : out->regularized ? "--regularized" : NULL;
}

/* ---- the shape --------------------------------------------------------------------------------- */

static glshape_status list_singular(error *err, const glshape_alpha_result *r, glshape_alpha_outline *o) {
    TRY(allocate(err, &o->singular_edge, r->edge_count, sizeof *o->singular_edge, "the singular edges"));
    TRY(allocate(err, &o->singular_point, r->n, sizeof *o->singular_point, "the singular points"));
    for (size_t e = 0; e < r->edge_count; e++)
        if (o->shape.edge[e] == GLSHAPE_ALPHA_SINGULAR)
            memcpy(o->singular_edge[o->singular_edges++], r->edges + 2 * e, sizeof *o->singular_edge);
    for (uint32_t v = 0; v < r->n; v++)
        if (r->same[v] == v && o->shape.vertex[v] == GLSHAPE_ALPHA_SINGULAR)
            o->singular_point[o->singular_points++] = v;
    return GLSHAPE_OK;
}

bool alpha_output_needs_family(const session *s, const alpha_output *out) {
    return (s->output && mesh_is(s->output)) || !out->shape || out->faces || out->intervals ||
           out->spectrum || out->master || out->diagram || out->barcode;
}

glshape_status alpha_output_take_family(session *s, const alpha_output *out) {
    const glshape_alpha_result *r = out->family;
    glshape_alpha_outline *o = out->outline;
    o->n = r->n;
    o->vertices = r->vertices;
    o->edge_count = r->edge_count;
    o->triangle_count = r->triangle_count;
    o->ranks = r->ranks;
    o->least_radius = r->ranks ? r->radii[1] : 0;
    o->greatest_radius = r->radii[r->ranks];
    o->gpu_bytes = r->gpu_bytes;
    bool listed = out->shape && (s->output || s->picture);
    return listed ? list_singular(&s->err, r, o) : GLSHAPE_OK;
}

static glshape_status draw_shape(session *s, const alpha_output *out, const char *path) {
    const glshape_alpha_shape *shape = &out->outline->shape;
    const glshape_chart_region region = {shape->rings, shape->ring_start, shape->ring,
                                         out->outline->singular_edges,
                                         (const uint32_t(*)[2])out->outline->singular_edge};
    const glshape_chart_scatter o = {.n = out->outline->n, .dim = 2, .xy = out->xy, .region = &region};
    return picture_write(s->context, &s->err, path, &(glshape_chart){.scatter = &o},
                         "%.120s: alpha shape of radius %.6g", session_title(s),
                         out->alpha > 0 ? out->alpha : shape->radius);
}

/* A polygon for each component: its rings stand one after the other, the outer one first. */
static glshape_status write_regions(session *s, const alpha_output *out) {
    const glshape_alpha_outline *o = out->outline;
    const glshape_alpha_shape *shape = &o->shape;
    OWNED size_t *first = NULL;
    OWNED double(*measure)[2] = NULL;
    TRY(allocate(&s->err, &first, shape->components + 1, sizeof *first, "the components"));
    TRY(allocate(&s->err, &measure, shape->components, sizeof *measure, "the components"));
    for (size_t c = 0; c < shape->components; c++) {
        first[c] = shape->component[c].first_ring;
        measure[c][0] = shape->component[c].area;
        measure[c][1] = shape->component[c].perimeter;
    }
    first[shape->components] = shape->rings;
    const io_regions regions = {.xy = (const double(*)[2])out->xy,
                                .polygons = shape->components,
                                .first_ring = first,
                                .ring_start = shape->ring_start,
                                .ring = shape->ring,
                                .measure = (const double(*)[2])measure,
                                .lines = o->singular_edges,
                                .points = o->singular_points,
                                .line = (const uint32_t(*)[2])o->singular_edge,
                                .point = o->singular_point};
    return io_write_regions(&s->err, s->output, &regions);
}

static size_t put_face(int32_t (*rows)[4], size_t at, uint8_t class, const uint32_t *corner, int count) {
    if (class == GLSHAPE_ALPHA_EXTERIOR) return at;
    rows[at][0] = class;
    for (int i = 0; i < 3; i++) rows[at][1 + i] = i < count ? (int32_t)corner[i] : -1;
    return at + 1;
}

static glshape_status write_faces(session *s, const alpha_output *out) {
    const glshape_alpha_result *r = out->family;
    const glshape_alpha_shape *shape = &out->outline->shape;
    OWNED int32_t(*rows)[4] = NULL;
    size_t count = 0;
    TRY(allocate(&s->err, &rows, r->n + r->edge_count + r->triangle_count, sizeof *rows, "the faces"));
    for (uint32_t v = 0; v < r->n; v++)
        if (r->same[v] == v) count = put_face(rows, count, shape->vertex[v], &v, 1);
    for (size_t e = 0; e < r->edge_count; e++)
        count = put_face(rows, count, shape->edge[e], r->edges + 2 * e, 2);
    for (size_t t = 0; t < r->triangle_count; t++)
        count = put_face(rows, count, shape->triangle[t], r->triangles + 3 * t, 3);
    glshape_matrix m = {GLSHAPE_I32, count, 4, rows};
    return io_write_matrix(&s->err, out->faces, &m);
}

/* The triangles of the shape. */
static glshape_status write_mesh(session *s, const alpha_output *out) {
    const glshape_alpha_result *r = out->family;
    OWNED uint32_t *corner = NULL;
    size_t count = 0;
    TRY(allocate(&s->err, &corner, r->triangle_count, 3 * sizeof *corner, "the triangles"));
    for (size_t t = 0; t < r->triangle_count; t++)
        if (out->outline->shape.triangle[t] == GLSHAPE_ALPHA_INTERIOR)
            memcpy(corner + 3 * count++, r->triangles + 3 * t, 3 * sizeof *corner);
    const glshape_matrix points = {GLSHAPE_F64, r->n, 2, (void *)out->xy};
    return mesh_write(&s->err, s->output, &points, count, corner);
}

static glshape_status write_components(session *s, const alpha_output *out) {
    const glshape_alpha_shape *shape = &out->outline->shape;
    OWNED double(*rows)[5] = NULL;
    TRY(allocate(&s->err, &rows, shape->components, sizeof *rows, "the components"));
    for (size_t k = 0; k < shape->components; k++) {
        const glshape_alpha_component *c = &shape->component[k];
        const double row[5] = {(double)k, (double)c->triangles, (double)c->rings, c->area, c->perimeter};
        memcpy(rows[k], row, sizeof row);
    }
    glshape_matrix m = {GLSHAPE_F64, shape->components, 5, rows};
    return io_write_matrix(&s->err, out->components, &m);
}

static glshape_status write_shape(session *s, const alpha_output *out) {
    if (s->output)
        TRY(is_picture(s->output) ? draw_shape(s, out, s->output)
            : mesh_is(s->output)  ? write_mesh(s, out)
                                  : write_regions(s, out));
    if (s->picture) TRY(draw_shape(s, out, s->picture));
    if (out->faces) TRY(write_faces(s, out));
    return out->components ? write_components(s, out) : GLSHAPE_OK;
}

/* ---- the family -------------------------------------------------------------------------------- */

static double radius_or(const glshape_alpha_result *r, uint32_t rank, double never) {
    return rank ? r->radii[rank] : never;
}

static void put_interval(double *row, const uint32_t *corner, int count, double rho, double low,
                         double high) {
    for (int i = 0; i < 3; i++) row[i] = i < count ? (double)corner[i] : -1;
    row[3] = rho;
    row[4] = low;
    row[5] = high;
}

static glshape_status write_intervals(session *s, const alpha_output *out) {
    const glshape_alpha_result *r = out->family;
    const double never = INFINITY;
    OWNED double(*rows)[6] = NULL;
    size_t at = 0;
    TRY(allocate(&s->err, &rows, r->vertices + r->edge_count + r->triangle_count, sizeof *rows,
                 "the intervals"));
    for (uint32_t v = 0; v < r->n; v++) {
        const uint32_t *ranks = r->vertex_ranks + 3 * (size_t)v;
        if (r->same[v] == v)
            put_interval(rows[at++], &v, 1, 0, radius_or(r, ranks[0], never), radius_or(r, ranks[1], never));
    }
    for (size_t e = 0; e < r->edge_count; e++) {
        const uint32_t *ranks = r->edge_ranks + 3 * e;
        put_interval(rows[at++], r->edges + 2 * e, 2, radius_or(r, ranks[0], NAN),
                     radius_or(r, ranks[1], never), radius_or(r, ranks[2], never));
    }
    for (size_t t = 0; t < r->triangle_count; t++) {
        double rho = r->radii[r->triangle_ranks[t]];
        put_interval(rows[at++], r->triangles + 3 * t, 3, NAN, NAN, rho);
    }
    glshape_matrix m = {GLSHAPE_F64, at, 6, rows};
    return io_write_matrix(&s->err, out->intervals, &m);
}

static glshape_status write_master(session *s, const alpha_output *out) {
    const glshape_alpha_result *r = out->family;
    OWNED uint32_t(*rows)[4] = NULL;
    TRY(allocate(&s->err, &rows, r->master_count, sizeof *rows, "the master list"));
    for (uint32_t k = 0; k <= r->ranks; k++)
        for (size_t i = r->master_start[k]; i < r->master_start[k + 1]; i++) {
            const uint32_t row[4] = {k, r->master[i].dim, r->master[i].face, r->master[i].threshold};
            memcpy(rows[i], row, sizeof row);
        }
    glshape_matrix m = {GLSHAPE_U32, r->master_count, 4, rows};
    return io_write_matrix(&s->err, out->master, &m);
}

static glshape_status draw_persistence(session *s, const alpha_output *out, const intervals *bars) {
    const glshape_chart_barcode o = {.count = bars->count,
                                     .intervals = bars->at,
                                     .dims = 2,
                                     .end = out->family->radii[out->family->ranks],
                                     .scale = "radius"};
    return picture_write(s->context, &s->err, out->barcode, &(glshape_chart){.barcode = &o},
                         "%.120s: persistence of alpha shapes", session_title(s));
}

static glshape_status write_persistence(session *s, const alpha_output *out) {
    const glshape_alpha_result *r = out->family;
    OWNED glshape_interval *found = NULL;
    intervals bars = {.n = r->n};
    TRY(session_library_error(s, glshape_alpha_persistence(s->context, r, &found, &bars.count)));
    bars.at = found;
    if (out->diagram) TRY(intervals_write(&s->err, out->diagram, &bars));
    return out->barcode ? draw_persistence(s, out, &bars) : GLSHAPE_OK;
}

glshape_status alpha_output_write(session *s, const alpha_output *out) {
    const glshape_alpha_result *r = out->family;
    if (out->shape) TRY(write_shape(s, out));
    if (out->spectrum) TRY(io_write_vector(&s->err, out->spectrum, GLSHAPE_F64, r->ranks, r->radii + 1));
    if (out->intervals) TRY(write_intervals(s, out));
    if (out->master) TRY(write_master(s, out));
    return out->diagram || out->barcode ? write_persistence(s, out) : GLSHAPE_OK;
}

/* ---- report ------------------------------------------------------------------------------------ */

static void report_shape(json *j, const glshape_alpha_shape *shape) {
    double area = 0, perimeter = 0;
    for (size_t k = 0; k < shape->components; k++) {
        area += shape->component[k].area;
        perimeter += shape->component[k].perimeter;
    }
    json_object_begin(j, "shape");
    json_unsigned(j, "rank", shape->rank);
    json_number(j, "radius", shape->radius);
    json_unsigned(j, "components", shape->components);
    json_unsigned(j, "rings", shape->rings);
    json_number(j, "area", area);
    json_number(j, "perimeter", perimeter);
    json_object_end(j);
}

void alpha_output_report(json *j, const alpha_output *out) {
    const glshape_alpha_outline *r = out->outline;
    json_object_begin(j, "result");
    json_unsigned(j, "n", r->n);
    json_unsigned(j, "vertices", r->vertices);
    json_unsigned(j, "edges", r->edge_count);
    json_unsigned(j, "triangles", r->triangle_count);
    json_unsigned(j, "ranks", r->ranks);
    json_number(j, "least_radius", r->least_radius);
    json_number(j, "greatest_radius", r->greatest_radius);
    json_unsigned(j, "gpu_bytes", r->gpu_bytes);
    if (out->shape) report_shape(j, &r->shape);
    json_object_end(j);
}
