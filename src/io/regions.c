#include "io/regions.h"

#include <string.h>
#include <strings.h>

#include "io/json.h"
#include "io/number.h"
#include "io/write.h"

typedef enum { GEOJSON, WKT, CSV, NONE } format;

static format format_of(const char *path) {
    static const struct {
        const char *extension;
        format is;
    } known[] = {{".geojson", GEOJSON}, {".json", GEOJSON}, {".wkt", WKT}, {".csv", CSV}};
    if (!strcmp(path, "-")) return GEOJSON;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(dot, known[i].extension)) return known[i].is;
    return NONE;
}

glshape_status io_regions_check(error *err, const char *path) {
    if (format_of(path) != NONE) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "cannot tell the format of %s from its extension: name it .geojson, .json, .wkt or .csv",
                path);
}

/* ---- GeoJSON ----------------------------------------------------------------------------------- */

static void put_position(json *j, const io_regions *r, uint32_t point) {
    json_flat_begin(j, NULL);
    json_number(j, NULL, r->xy[point][0]);
    json_number(j, NULL, r->xy[point][1]);
    json_array_end(j);
}

static void put_ring(json *j, const io_regions *r, size_t ring) {
    size_t from = r->ring_start[ring], to = r->ring_start[ring + 1];
    json_flat_begin(j, NULL);
    for (size_t i = from; i < to; i++) put_position(j, r, r->ring[i]);
    put_position(j, r, r->ring[from]);
    json_array_end(j);
}

/* Up to the coordinates; end_feature ends it. */
static void begin_feature(json *j, const char *type, const double *measure, uint64_t component) {
    json_object_begin(j, NULL);
    json_string(j, "type", "Feature");
    json_object_begin(j, "properties");
    if (measure) {
        json_unsigned(j, "component", component);
        json_number(j, "area", measure[0]);
        json_number(j, "perimeter", measure[1]);
    } else {
        json_string(j, "kind", "singular");
    }
    json_object_end(j);
    json_object_begin(j, "geometry");
    json_string(j, "type", type);
    json_array_begin(j, "coordinates");
}

static void end_feature(json *j) {
    json_array_end(j);
    json_object_end(j);
    json_object_end(j);
}

static void put_lines(json *j, const io_regions *r) {
    begin_feature(j, "MultiLineString", NULL, 0);
    for (size_t i = 0; i < r->lines; i++) {
        json_flat_begin(j, NULL);
        for (int k = 0; k < 2; k++) put_position(j, r, r->line[i][k]);
        json_array_end(j);
    }
    end_feature(j);
}

static void write_geojson(FILE *to, const io_regions *r) {
    json j;
    json_open(&j, to);
    json_object_begin(&j, NULL);
    json_string(&j, "type", "FeatureCollection");
    json_array_begin(&j, "features");
    for (size_t k = 0; k < r->polygons; k++) {
        begin_feature(&j, "Polygon", r->measure[k], k);
        for (size_t i = r->first_ring[k]; i < r->first_ring[k + 1]; i++) put_ring(&j, r, i);
        end_feature(&j);
    }
    if (r->lines) put_lines(&j, r);
    if (r->points) {
        begin_feature(&j, "MultiPoint", NULL, 0);
        for (size_t i = 0; i < r->points; i++) put_position(&j, r, r->point[i]);
        end_feature(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
}

/* ---- WKT and CSV ------------------------------------------------------------------------------- */

static void print_place(FILE *to, const io_regions *r, uint32_t point, char delimiter) {
    char x[IO_NUMBER_ROOM], y[IO_NUMBER_ROOM];
    io_number_print(x, r->xy[point][0]);
    io_number_print(y, r->xy[point][1]);
    fprintf(to, "%s%c%s", x, delimiter, y);
}

static void print_polygon(FILE *to, const io_regions *r, size_t polygon) {
    fprintf(to, "POLYGON (");
    for (size_t k = r->first_ring[polygon]; k < r->first_ring[polygon + 1]; k++) {
        fprintf(to, k > r->first_ring[polygon] ? ", (" : "(");
        for (size_t i = r->ring_start[k]; i < r->ring_start[k + 1]; i++) {
            print_place(to, r, r->ring[i], ' ');
            fprintf(to, ", ");
        }
        print_place(to, r, r->ring[r->ring_start[k]], ' ');
        fputc(')', to);
    }
    fprintf(to, ")\n");
}

static void write_wkt(FILE *to, const io_regions *r) {
    for (size_t k = 0; k < r->polygons; k++) print_polygon(to, r, k);
    for (size_t i = 0; i < r->lines; i++) {
        fprintf(to, i ? ", (" : "MULTILINESTRING ((");
        print_place(to, r, r->line[i][0], ' ');
        fprintf(to, ", ");
        print_place(to, r, r->line[i][1], ' ');
        fprintf(to, i + 1 < r->lines ? ")" : "))\n");
    }
    for (size_t i = 0; i < r->points; i++) {
        fprintf(to, i ? ", (" : "MULTIPOINT ((");
        print_place(to, r, r->point[i], ' ');
        fprintf(to, i + 1 < r->points ? ")" : "))\n");
    }
}

static void write_csv(FILE *to, const io_regions *r) {
    fprintf(to, "component,ring,point,x,y\n");
    for (size_t k = 0; k < r->polygons; k++)
        for (size_t ring = r->first_ring[k]; ring < r->first_ring[k + 1]; ring++)
            for (size_t i = r->ring_start[ring]; i < r->ring_start[ring + 1]; i++) {
                fprintf(to, "%zu,%zu,%u,", k, ring - r->first_ring[k], r->ring[i]);
                print_place(to, r, r->ring[i], ',');
                fputc('\n', to);
            }
}

glshape_status io_write_regions(error *err, const char *path, const io_regions *r) {
    static void (*const writers[])(FILE *, const io_regions *) = {
        [GEOJSON] = write_geojson, [WKT] = write_wkt, [CSV] = write_csv};
    io_output out;
    TRY(io_regions_check(err, path));
    TRY(io_output_open(err, path, &out));
    writers[format_of(path)](io_output_stream(&out), r);
    return io_output_commit(err, &out);
}
