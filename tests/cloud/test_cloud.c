/* Clouds of points: files that other programs wrote (golden/make.py), beside the same points as .npy; and
 * what is refused, with what helps. */
#include <stdio.h>
#include <stdlib.h>

#include "base/matrix.h"
#include "base/owned.h"
#include "cloud/cloud.h"
#include "io/files.h"
#include "io/npy.h"
#include "suites.h"

#define CLOUDS "tests/cloud/golden/"

Suite *cloud_suite(void);

static glshape_status read_cloud(error *err, const char *path, io_format format, const char *columns,
                                 glshape_matrix *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    *out = (glshape_matrix){0};
    if (io_stream_open(err, path, &s)) return GLSHAPE_IO_ERROR;
    format = cloud_format_of(&s, path, format);
    if (!cloud_is_format(format)) return fail(err, GLSHAPE_BAD_ARGUMENT, "%s is no cloud", path);
    return cloud_read(err, &s, format, &(io_columns){.chosen = columns}, out);
}

static double number(const glshape_matrix *m, size_t i) {
    double value;
    matrix_doubles(m, i, 1, &value);
    return value;
}

static void same(const char *path, const char *columns, const char *npy) {
    error err = {0};
    glshape_matrix m, want;
    IO_OK(&err, read_cloud(&err, path, IO_AUTO, columns, &m));
    IO_OK(&err, io_read_matrix(&err, npy, IO_NPY, &want));
    ck_assert_msg(m.rows == want.rows && m.cols == want.cols, "%s: %zu x %zu", path, m.rows, m.cols);
    for (size_t i = 0; i < m.rows * m.cols; i++)
        IO_HOLDS(number(&m, i) == number(&want, i), "%s: %zu", path, i);
    io_matrix_free(&m);
    io_matrix_free(&want);
}

static const char *const solids[] = {"meshio_text.ply", "meshio.ply", "meshio_f4.ply", "assimp_text.ply",
                                     "assimp.ply",      "big.ply",    "meshio.off",    "meshio.obj",
                                     "assimp.obj",      "text.pcd",   "binary.pcd",    "packed.pcd",
                                     "shapely_z.wkt"};
static const char *const maps[] = {"ogr.geojson", "ogr.geojsonl", "shapely.wkt", "shapely_lines.wkt"};
enum { SOLIDS = sizeof solids / sizeof *solids, MAPS = sizeof maps / sizeof *maps };

START_TEST(of_other_programs) {
    char path[100];
    snprintf(path, sizeof path, CLOUDS "%s", _i < SOLIDS ? solids[_i] : maps[_i - SOLIDS]);
    same(path, NULL, _i < SOLIDS ? CLOUDS "points.npy" : CLOUDS "flat.npy");
}
END_TEST

/* What a text of a cloud is, as numbers; or why it is refused. */
typedef struct sample {
    const char *name, *text, *columns, *want;
} sample;

static const char *print(const glshape_matrix *m) {
    static char text[400];
    size_t used = 0;
    const double *x = m->data;
    for (size_t i = 0; i < m->rows * m->cols && used < sizeof text - 40; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%g%s", x[i], (i + 1) % m->cols ? " " : ";");
    return text;
}

START_TEST(read_as_meant) {
    static const sample samples[] = {
        {"a.ply",
         "ply\r\nformat ascii 1.0\r\nelement vertex 2\r\nproperty float x\r\nproperty float "
         "y\r\nend_header\r\n1 2\r\n3 4\r\n",
         NULL, "1 2;3 4;"},
        {"b.ply",
         "ply\nformat ascii 1.0\nelement a 1\nproperty int k\nelement vertex 1\nproperty int nx\nproperty "
         "int z\nproperty int x\nproperty int y\nelement face 1\nproperty list uchar int "
         "vertex_indices\nend_header\n9\n5 3 1 2\n3 0 0 0\n",
         NULL, "1 2 3;"},
        {"c.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty int nx\nproperty int x\nproperty int "
         "y\nend_header\n5 1 2\n",
         "y,nx", "2 5;"},
        {"a.off", "OFF\n# comment\n2 0 0\n0 1 2 255 0 0\n\n3 4 5 # last\n", NULL, "0 1 2;3 4 5;"},
        {"b.off", "COFF 1 0 0\n0 1 2 3 4 5 6\n", NULL, "0 1 2;"},
        {"c.off", "nOFF\n2\n2 0 0\n0 1\n3 4\n", NULL, "0 1;3 4;"},
        {"a.txt", "nOFF 4 1 0 0\n0 1 2 3\n", NULL, "0 1 2 3;"},
        {"a.obj", "# x\nmtllib a.mtl\nv 0 1 2\nvn 9 9 9\nv 3 4 5 1.0\nvt 1 1\nf 1//1 2//1 1//1\n", NULL,
         "0 1 2;3 4 5;"},
        {"o.txt", "v 0 1 2\nv 3 4 5\n", "z,x", "2 0;5 3;"},
        {"a.xyz", "2\nwater, 25 C\nO 0 1 2\nH 3 4 5 0.1\n", NULL, "0 1 2;3 4 5;"},
        {"b.xyz", "2\n\n8 0 1 2\n1 3 4 5\n\n", NULL, "0 1 2;3 4 5;"},
        {"c.xyz", "0 1 2\n3 4 5\n", NULL, "0 1 2;3 4 5;"},
        {"d.xyz", "0 1 2 9 9 8\n3 4 5 9 9 7\n", NULL, "0 1 2;3 4 5;"},
        {"e.xyz", "0 1 2 9 9 8\n3 4 5 9 9 7\n", "1-3,6", "0 1 2 8;3 4 5 7;"},
        {"f.xyz", "X Y Z\n0 1 2\n", NULL, "0 1 2;"},
        {"g.xyz", "0,1,2\n3, 4,5\n", NULL, "0 1 2;3 4 5;"},
        {"a.pcd",
         "VERSION .7\nFIELDS x y n\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 2\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA "
         "ascii\n1 2 8 9\n3 4 8 7\n",
         "x,n2", "1 9;3 7;"},
        {"b.pcd",
         "# .PCD v.5\nVERSION .5\nFIELDS x y\nSIZE 4 4\nTYPE F F\nWIDTH 1\nHEIGHT 2\nDATA ascii\n1 2\n3 4\n",
         NULL, "1 2;3 4;"},
        {"c.pcd",
         "# .PCD v.7\nVERSION .7\nFIELDS x y a,\"b z\nSIZE 4 4 4 4\nTYPE F F F F\nPOINTS 1\nDATA ascii\n1 2 "
         "3 4\n",
         NULL, "1 2 4;"},
        {"d.pcd",
         "# .PCD v.7\nFIELDS x _ y\nSIZE 1 8 1\nTYPE U U U\nCOUNT 1 1 1\nPOINTS 2\nDATA binary\n"
         "a12345678bc12345678d",
         NULL, "97 98;99 100;"},
        {"f.json", "\xef\xbb\xbf{\"type\":\"Point\",\"coordinates\":[1,2]}", NULL, "1 2;"},
        {"a.geojson", "{\"coordinates\": [1.5, -2e1, 7], \"type\": \"Point\"}", NULL, "1.5 -20;"},
        {"b.geojson", "{\"type\": \"Point\", \"coordinates\": [1, 2, 7]}", "lat,alt", "2 7;"},
        {"c.geojson",
         " {\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\"},\"features\":[{\"type\":\"Feature\","
         "\"properties\":{\"coordinates\":[9],\"a\":\"\\\"}\",\"b\":[{}],\"c\":null},\"geometry\":{\"type\":"
         "\"MultiPoint\","
         "\"coordinates\":[[1,2],[3,4]]}}]}",
         NULL, "1 2;3 4;"},
        {"d.json",
         "\x1e{\"type\":\"Point\",\"coordinates\":[1,2]}\n\x1e{\"type\":\"Point\",\"coordinates\":[3,4]}\n",
         NULL, "1 2;3 4;"},
        {"e.json",
         "{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\",\"coordinates\":[1,2]}]}",
         NULL, "1 2;"},
        {"a.wkt", "POINT (1 2)\nPOINT(3 4)\n", NULL, "1 2;3 4;"},
        {"b.wkt", "SRID=4326;MULTIPOINT(1 2,3 4)", NULL, "1 2;3 4;"},
        {"c.wkt", "multipoint z ((1 2 3), (4 5 6));", NULL, "1 2 3;4 5 6;"},
        {"d.wkt", "POINTZ(1 2 3)", NULL, "1 2 3;"},
        {"e.wkt", "GEOMETRYCOLLECTION (POINT (1 2), MULTIPOINT ((3 4)))", "y", "2;4;"},
        {"f.wkt", "POINT M (1 2 9)", NULL, "1 2;"},
        {"g.wkt", "POINTM(1 2 9)", "m,x", "9 1;"},
        {"h.wkt", "MULTIPOINT ZM (1 2 3 9)", NULL, "1 2 3;"},
    };
    const sample *s = &samples[_i];
    error err = {0};
    glshape_matrix m;
    if (_i >= (int)(sizeof samples / sizeof *samples)) return;
    IO_OK(&err, read_cloud(&err, files_make(s->name, s->text, strlen(s->text)), IO_AUTO, s->columns, &m));
    ck_assert_str_eq(print(&m), s->want);
    io_matrix_free(&m);
}
END_TEST

START_TEST(refused) {
    static const sample samples[] = {
        {"two.ply",
         "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar a\nelement vertex "
         "1\nproperty uchar b\nend_header\nab",
         NULL, "line 5 of the header of PLY announces vertices once more"},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nend_header\n1 2\n3 "
         "4\n",
         NULL, "announces 3 points, but ends after 2"},
        {"b.ply",
         "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nend_header\n12345", NULL,
         "announces 3 points, but ends after 1"},
        {"c.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nend_header\n1 2\n",
         NULL, "line 4 of the header of PLY gives vertices a list"},
        {"d.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\nend_header\n1 2\n", NULL,
         "no property of a known type"},
        {"e.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty int x\nend_header\n1\n", NULL,
         "without format, vertices"},
        {"f.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nend_header\n1 b\n", NULL,
         "line 7: 'b' is not a number"},
        {"g.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nend_header\n1\n",
         NULL, "line 7 has 1 numbers; a point has 2: x,y"},
        {"a.off", "OFF BINARY\n", NULL, "save it as text, or as PLY"},
        {"b.off", "4OFF\n1 0 0\n1 2 3 4\n", NULL, "four homogeneous coordinates"},
        {"c.off", "OFF\n2 0 0\n1 2 3\n", NULL, "announces 2 points, but ends after 1"},
        {"d.off", "OFF\n1 0\n1 2 3\n4 5 6\n", NULL, "line 3 goes on behind the counts"},
        {"a.obj", "v 1 2\n", NULL, "line 1 has 2 numbers"},
        {"b.obj", "# nothing\nf 1 2 3\n", NULL, "has no points"},
        {"a.xyz", "1\n\nC 1 2 3\n1\n\nC 1 2 3\n", NULL,
         "line 4 begins another molecule; keep one, as head -n 3"},
        {"b.xyz", "1 2\n", NULL, "line 1 has 2 fields; a point of XYZ has three or more; --format text"},
        {"c.pcd",
         "# .PCD v.7\nFIELDS x\nSIZE 4\nTYPE F\nWIDTH 9007199254740992\nHEIGHT 4096\nDATA binary\n1234", NULL,
         "more points than there can be"},
        {"a.pcd", "# .PCD v.7\nFIELDS x\nSIZE 4\nTYPE Q\nPOINTS 1\nDATA binary\n1234", NULL, "unknown type"},
        {"b.pcd", "# .PCD v.7\nFIELDS x\nSIZE 4\nTYPE F\nPOINTS 9\nDATA binary_compressed\n1234", NULL,
         "announces 9 points"},
        {"a.json", "{\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}", NULL,
         "Extract vertices"},
        {"b.json", "{\"type\": \"LineString\", \"coordinates\": [[0, 0], [1, 0]]}", NULL, "has a LineString"},
        {"c.json", "{\"type\": \"Feature\", \"geometry\": null}", NULL,
         "line 1: a feature has no geometry; leave it out"},
        {"d.json", "{\n\"x\": [1, 2]}", NULL, "no GeoJSON with points"},
        {"g.json", "{\"x\": \"\\", NULL, "a string has no end"},
        {"e.json", "{\n\"coordinates\": [1, 2}", NULL, "line 2: this is no position"},
        {"f.json", "{\"geometries\":[{\"coordinates\": [1, 2]},{\"coordinates\":[1,2,3]}]}", NULL,
         "not as many coordinates"},
        {"a.wkt", "POINT (1 2)\nPOLYGON ((0 0, 1 0, 0 1, 0 0))\n", NULL, "line 2 has a POLYGON"},
        {"b.wkt", "POINT EMPTY\n", NULL, "a geometry is empty"},
        {"c.wkt", "MULTIPOINT (1 2, 3)\n", NULL, "no position"},
        {"d.wkt", "GEOMETRYCOLLECTION (POINT (1 2)", NULL, "a collection has no end"},
    };
    const sample *s = &samples[_i];
    error err = {0};
    glshape_matrix m;
    if (_i >= (int)(sizeof samples / sizeof *samples)) return;
    const char *path = files_make(s->name, s->text, strlen(s->text));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, read_cloud(&err, path, IO_AUTO, s->columns, &m), s->want);
    ck_assert(strstr(err.text, path) && !m.data);
}
END_TEST

/* Tables of text stay tables. */
START_TEST(no_clouds) {
    static const char *const texts[] = {"v x y\n1 2 3\n",    "POINT,X,Y\n1,2,3\n", "0 1 2\n3 4 5\n",
                                        "off,on\n1,2\n",     "OFFSET 1\n1 2\n",    "ply,x\n1,2\n",
                                        "version 0.7\n1 2\n"};
    error err = {0};
    glshape_matrix m;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT,
                 read_cloud(&err, files_make("t.txt", texts[i], strlen(texts[i])), IO_AUTO, NULL, &m),
                 "no cloud");
}
END_TEST

/* A damaged file is refused or read, but nothing else happens: any byte of it may be another. */
START_TEST(damaged) {
    char path[100], text[1 << 13];
    snprintf(path, sizeof path, CLOUDS "%s", _i < SOLIDS ? solids[_i] : maps[_i - SOLIDS]);
    FILE *f = fopen(path, "rb");
    size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t k = 0; k < length; k += 3) {
        error err = {0};
        glshape_matrix m;
        char kept = text[k];
        text[k] = (char)(kept ^ (1 << k % 8));
        glshape_status status = read_cloud(&err, files_make("d", text, length), IO_AUTO, NULL, &m);
        IO_HOLDS(!status == !err.text[0] && (!status || !m.data), "byte %zu", k);
        io_matrix_free(&m);
        status = read_cloud(&err, files_make("d", text, k), IO_AUTO, NULL, &m);
        io_matrix_free(&m);
        text[k] = kept;
    }
}
END_TEST

/* ---- many points in binary ---------------------------------------------------------------------- */

enum { MANY = 70000 }; /* points: several blocks, the last of them short */

static const char *const kinds[] = {"fff", "ddd", "ffdu", "fdui", "uffi", "uuii"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A property of point i that each type has. */
static double value_of(size_t i, size_t k) { return (double)((i * 7919 + 31 * k) % 251); }

static size_t put(char *to, char type, double value, bool big) {
    float f = (float)value;
    int32_t n = (int32_t)value;
    uint8_t u = (uint8_t)value;
    size_t size = type == 'd' ? 8 : type == 'u' ? 1 : 4;
    memcpy(to,
           type == 'd'   ? (void *)&value
           : type == 'f' ? (void *)&f
           : type == 'i' ? (void *)&n
                         : (void *)&u,
           size);
    if (big) io_swap_bytes(to, 1, size);
    return size;
}

static size_t make_ply(const char *kind, bool big, char *to) {
    static const char *const names[] = {"x", "y", "z", "rest"};
    size_t used = (size_t)sprintf(to, "ply\nformat binary_%s_endian 1.0\nelement vertex %d\n",
                                  big ? "big" : "little", MANY);
    for (size_t k = 0; kind[k]; k++)
        used += (size_t)sprintf(to + used, "property %s %s\n",
                                kind[k] == 'd'   ? "double"
                                : kind[k] == 'f' ? "float"
                                : kind[k] == 'i' ? "int"
                                                 : "uchar",
                                names[k]);
    used += (size_t)sprintf(to + used, "end_header\n");
    for (size_t i = 0; i < MANY; i++)
        for (size_t k = 0; kind[k]; k++) used += put(to + used, kind[k], value_of(i, k), big);
    return used;
}

static void check_many(const char *path, const char *kind, const char *columns) {
    error err = {0};
    glshape_matrix m;
    size_t place[3] = {0, 1, 2}, cols = 3;
    if (columns) place[0] = 2, place[1] = 0, cols = 2; /* z,x */
    bool single = true;
    for (size_t k = 0; k < cols; k++) single = single && kind[place[k]] == 'f';
    IO_OK(&err, read_cloud(&err, path, IO_AUTO, columns, &m));
    ck_assert_msg(m.rows == MANY && m.cols == cols && m.type == (single ? GLSHAPE_F32 : GLSHAPE_F64), "%s",
                  kind);
    for (size_t i = 0; i < MANY * cols; i++)
        IO_HOLDS(number(&m, i) == value_of(i / cols, place[i % cols]), "%s: %zu", kind, i);
    io_matrix_free(&m);
}

/* Points of all types and both byte orders, from a plain file by threads and unpacked in order; and one that
 * is cut short. */
START_TEST(many) {
    const char *kind = kinds[_i / 2];
    char *bytes = malloc(MANY * 32 + 1000);
    size_t count = make_ply(kind, _i % 2, bytes);
    for (int columns = 0; columns < 2; columns++) {
        check_many(files_make("m.ply", bytes, count), kind, columns ? "z,x" : NULL);
        check_many(files_make_gzip("m.ply.gz", bytes, count), kind, columns ? "z,x" : NULL);
    }
    error err = {0};
    glshape_matrix m;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT,
             read_cloud(&err, files_make("s.ply", bytes, count - 1), IO_AUTO, NULL, &m),
             "announces 70000 points, but ends after 69999: it is cut off");
    free(bytes);
}
END_TEST

Suite *cloud_suite(void) {
    Suite *s = suite_create("cloud");
    TCase *all = files_case("all");
    suite_add_tcase(s, all);
    tcase_add_loop_test(all, of_other_programs, 0, SOLIDS + MAPS);
    tcase_add_loop_test(all, read_as_meant, 0, 34);
    tcase_add_loop_test(all, refused, 0, 30);
    tcase_add_test(all, no_clouds);
    tcase_add_loop_test(all, damaged, 0, SOLIDS + MAPS);
    tcase_add_loop_test(all, many, 0, 2 * KINDS);
    return s;
}
