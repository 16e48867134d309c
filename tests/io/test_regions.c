/* Regions, written; columns by name, and cities, read. */
#include <math.h>
#include <stdlib.h>

#include "files.h"
#include "io/columns.h"
#include "io/graph/tsplib.h"
#include "io/read.h"
#include "io/regions.h"

Suite *io_regions_suite(void);

static error err;

/* ---- regions ----------------------------------------------------------------------------------- */

/* A square with a hole, a triangle, a line and two points. */
static const double xy[][2] = {{0, 0}, {4, 0}, {4, 4},    {0, 4},      {1, 1},
                               {1, 2}, {2, 1}, {9.5, -1}, {1e-7, 1e21}};
static const size_t first_ring[] = {0, 2, 3}, ring_start[] = {0, 4, 7, 10};
static const uint32_t ring[] = {0, 1, 2, 3, 4, 5, 6, 1, 7, 2}, line[][2] = {{0, 7}, {7, 8}}, point[] = {7, 8};
static const double measure[][2] = {{15.5, 19.4}, {1, 2}};
static const io_regions regions = {xy, 2, first_ring, ring_start, ring, measure, 2, 2, line, point};

static char *written(const char *name, const io_regions *r) {
    size_t count;
    IO_OK(&err, io_write_regions(&err, files_path(name), r));
    return files_load(files_path(name), &count);
}

static void check(const char *name, const io_regions *r, const char *want) {
    char *text = written(name, r);
    ck_assert_str_eq(text, want);
    free(text);
}

START_TEST(wkt_and_csv) {
    check("a.wkt", &regions,
          "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 2 1, 1 1))\nPOLYGON ((4 0, 9.5 -1, 4 4, 4 0))\n"
          "MULTILINESTRING ((0 0, 9.5 -1), (9.5 -1, 1e-07 1e+21))\nMULTIPOINT ((9.5 -1), (1e-07 1e+21))\n");
    check("a.CSV", &regions,
          "component,ring,point,x,y\n0,0,0,0,0\n0,0,1,4,0\n0,0,2,4,4\n0,0,3,0,4\n0,1,4,1,1\n0,1,5,1,2\n0,1,6,"
          "2,1\n"
          "1,0,1,4,0\n1,0,7,9.5,-1\n1,0,2,4,4\n");
    const io_regions none = {.xy = xy, .first_ring = first_ring, .ring_start = ring_start};
    check("b.wkt", &none, "");
    check("b.csv", &none, "component,ring,point,x,y\n");
}
END_TEST

START_TEST(geojson) {
    static const char *const parts[] = {"\"type\": \"FeatureCollection\"",
                                        "[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]",
                                        "[[1, 1], [1, 2], [2, 1], [1, 1]]",
                                        "\"component\": 1",
                                        "\"area\": 15.5",
                                        "\"perimeter\": 2",
                                        "\"MultiLineString\"",
                                        "[[0, 0], [9.5, -1]]",
                                        "\"MultiPoint\"",
                                        "\"kind\": \"singular\""};
    static const char *const names[] = {"a.geojson", "a.json"};
    for (int f = 0; f < 2; f++) {
        char *text = written(names[f], &regions);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            ck_assert_msg(strstr(text, parts[i]) != NULL, "no %s in %s", parts[i], text);
        free(text);
    }
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_write_regions(&err, files_path("a.shp"), &regions), ".geojson");
}
END_TEST

/* ---- columns ----------------------------------------------------------------------------------- */

static const char *make(const char *text) { return files_make("table", text, strlen(text)); }

static void reads_but(const char *text, const char *names, const char *left_out, size_t rows, size_t cols,
                      const double *want) {
    io_columns columns = {.chosen = names, .left_out = left_out};
    glshape_matrix m;
    IO_OK(&err, io_columns_check(&err, &columns));
    IO_OK(&err, io_read_columns(&err, make(text), &columns, &m, NULL));
    ck_assert(m.type == GLSHAPE_F64 && m.rows == rows && m.cols == cols);
    for (size_t k = 0; k < rows * cols; k++) ck_assert(((const double *)m.data)[k] == want[k]);
    io_matrix_free(&m);
}

static void reads(const char *text, const char *names, size_t rows, size_t cols, const double *want) {
    reads_but(text, names, NULL, rows, cols, want);
}

static void refuses(glshape_status status, const char *text, const char *names, const char *left_out,
                    const char *has) {
    io_columns columns = {.chosen = names, .left_out = left_out};
    glshape_matrix m;
    IO_OK(&err, io_columns_check(&err, &columns));
    IO_FAILS(&err, status, io_read_columns(&err, make(text), &columns, &m, NULL), has);
    ck_assert_ptr_null(m.data);
}

static void refuses_columns(const char *text, const char *names, const char *has) {
    refuses(GLSHAPE_BAD_INPUT, text, names, NULL, has);
}

START_TEST(columns_are_guessed) {
    static const char *const cases[][2] = {
        {"name,Lat,Longitude\nParis,48,2\n", "Longitude,Lat"},
        {",y;m,x\n0,1,2\n", NULL}, /* the delimiter is the semicolon */
        {"\ty\tx\n0\t1\t2\n", "x,y"},
        {"id;a b;\"a,b\";north;east;\n", "id,north"},
        {"lon,lat\n1,2\n", NULL},
        {"x y z\n1 2 3\n", NULL},
        {"x,y,3\n1,2,3\n", NULL},
        {"# nothing\n", NULL},
        {"PK\x03\x04,x,y\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[IO_COLUMN_PAIR] = "as it was";
        bool found = io_columns_guess(make(cases[i][0]), names);
        ck_assert_str_eq(names, cases[i][1] ? cases[i][1] : "as it was");
        ck_assert_int_eq(found, cases[i][1] != NULL);
    }
}
END_TEST

/* By numbers and ranges, and all but one. */
START_TEST(columns_by_number) {
    static const double all[] = {4, 0, 0.5, 3}, wide[] = {1, 2, 3, 4, 5, 6}, back[] = {3, 1, 6, 4};
    static const char table[] = "name,a,b-c,2\nx,4,0,7\ny,.5,3,8\n", numbers[] = "1 2 3\n4 5 6\n";
    reads(table, "2,b-c", 2, 2, (const double[]){7, 0, 8, 3}); /* a name comes first */
    reads(table, "a:b-c", 2, 2, all);
    reads(table, "2-3", 2, 2, all);
    reads(table, "a,3", 2, 2, all);
    reads_but("name,a,b\nx,4,0\ny,.5,3\n", NULL, "name", 2, 2, all);
    reads_but("name,a,b\nx,4,0\ny,.5,3\n", NULL, "1", 2, 2, all);
    reads_but("a;class;b\n4;u;0\n.5;v;3\n", NULL, "class", 2, 2, all);
    reads_but("a,b\nr1,4,0\nr2,.5,3\n", NULL, NULL, 2, 2, all); /* R's write.table */
    reads(numbers, "1-3", 2, 3, wide);                          /* no line of names */
    reads(numbers, "3,1", 2, 2, back);
    reads_but(numbers, NULL, "2", 2, 2, (const double[]){1, 3, 4, 6});
    refuses_columns(numbers, "4", "no column '4'; its first line has no names, so columns are called 1 to 3");
    refuses_columns(numbers, "a", "no column 'a'");
    refuses_columns(numbers, "2-4", "has 3 columns, not those of '2-4'");
    refuses_columns(numbers, "0", "no column '0'");
    refuses_columns(numbers, "3-2", "a range goes up, such as 2-3");
    reads("3-2,x\n4,0\n.5,3\n", "3-2,x", 2, 2, all); /* a name */
    refuses_columns(table, "b-c:a", "goes back");
    refuses_columns(table, "1-2", "line 2, column 'name': 'x' is not a number");
    refuses(GLSHAPE_BAD_ARGUMENT, table, "a,2-3", NULL, "'2-3' is chosen twice");
    refuses(GLSHAPE_BAD_INPUT, "a\n1\n", NULL, "a", "no column beside 'a'");
    refuses(GLSHAPE_BAD_INPUT, table, NULL, "z", "no column 'z'; its first line names");
    ck_assert_uint_eq(io_columns_count(&(io_columns){.chosen = "a,3,7"}), 3);
    ck_assert_uint_eq(io_columns_count(&(io_columns){.chosen = "a,5-7"}), 0);
    ck_assert_uint_eq(io_columns_count(&(io_columns){.chosen = "a,b:c"}), 0);
    ck_assert_uint_eq(io_columns_count(&(io_columns){.left_out = "a"}), 0);
}
END_TEST

/* A matrix has columns without names. */
START_TEST(columns_are_picked) {
    static const float values[] = {1, 2, 3, 4, 5, 6}, want[] = {3, 1, 6, 4};
    glshape_matrix m = {GLSHAPE_F32, 2, 3, malloc(sizeof values)};
    memcpy(m.data, values, sizeof values);
    IO_OK(&err, io_pick_columns(&err, "m.npy", &(io_columns){.chosen = "3,1"}, &m));
    ck_assert(m.rows == 2 && m.cols == 2 && !memcmp(m.data, want, sizeof want));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_pick_columns(&err, "m.npy", &(io_columns){.chosen = "x"}, &m),
             "m.npy has no");
    ck_assert(m.cols == 2);
    io_matrix_free(&m);
}
END_TEST

START_TEST(columns_are_advised) {
    static const char *const cases[][2] = {{"id,x,y\na,1,2\n", "--index id"},
                                           {"x,y,class\n1,2,red\n", "--index class"},
                                           {"a,x,b,y\nu,1,v,2\n", "--columns x,y"},
                                           {"x,y\n1,2\n", NULL},
                                           {"a,b\nu,v\n", NULL},
                                           {"1,2\nu,v\n", NULL},
                                           {"a,b c,d\nu,1,v\n", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char advice[IO_COLUMNS_ADVICE] = "as it was";
        ck_assert_int_eq(io_columns_advise(make(cases[i][0]), advice), cases[i][1] != NULL);
        ck_assert_str_eq(advice, cases[i][1] ? cases[i][1] : "as it was");
    }
}
END_TEST

START_TEST(columns) {
    static const double want[] = {4, 0, 0.5, 3};
    reads("name,lat,lon,note\n\"a, b\",0,4,\nb,3,.5,x\n", "lon,lat", 2, 2, want);
    reads("\xef\xbb\xbf# all\nlat\tlon\tn\n0\t4\tx y\n\n# no row\n3\t 5e-1\t", "lon,lat", 2, 2, want);
    reads("\"lat\" \"lon\"\n0 4\n3 0.5", "lon,lat", 2, 2, want);
    reads("a;b\n1;4\n2;0\n3;0.5\n4;3\n", "b", 4, 1, want);
    reads("x\n4\n0\n0.5\n3\n", "x", 4, 1, want);
    reads("0,0;4\n3;,5\n", "2,1", 2, 2, want); /* no names */
    refuses_columns("lat;lon\n1.000;2,5\n", "lat,lon", "line 2, column 'lon': '2,5' is not a number");
    refuses_columns("lat;lon\n2,5;1.000\n", "lat,lon", "line 2, column 'lon': '1.000' is not a number");
    refuses_columns("name,lat,lon\na,0,4\nb,3,x\n", "lon,lat", "line 3, column 'lon': 'x' is not a number");
    refuses_columns("name,lat,lon\na,0,4\nb,,3\n", "lon,lat", "line 3, column 'lat': '' is not a number");
    refuses_columns("name,lat,lon\na,0,4\n", "lon,long",
                    "no column 'long'; its first line names 'name' 'lat' 'lon'");
    refuses_columns("name,lat,lon\na,0,4\nb,3\n", "lon,lat",
                    "line 3 has 2 fields, the lines before it have 3");
    reads("V1 V2\n\"1\" 0 4\n\"2\" 3 .5\n", "V2,V1", 2, 2, want); /* R's write.table */
    reads("lat,lon\n0,4,\n3,.5,\n", "lon,lat", 2, 2, want);       /* a comma at the end of rows */
    reads("lat,lon,\n0,4\n3,.5\n", "lon,lat", 2, 2, want);        /* and of the names */
    refuses_columns("lat lon \n4\n", "lon,lat", "line 2 has 1 field, but the line of names has 2");
    refuses_columns("lat,\"lon,\n4\n", "lat", "line 2 has 1 field, but the line of names has 2");
    refuses_columns("lat,lon\n0,4\n7,3,.5\n", "lon,lat", "line 3 has 3 fields, the lines before it have 2");
    refuses_columns("n,m,lat,lon\n0,4\n", "lat,n", "line 2 has 2 fields, but the line of names has 4");
    refuses_columns("lat,lon\n7,0,4\n8,3,.5\n", "lon,lat",
                    "line 2 has 3 fields, but the line of names has 2");
    refuses_columns("lat,lon\n1,2,0,4\n", "lon,lat", "line 2 has 4 fields, but the line of names has 2");
    refuses_columns("x,x\n1,2\n", "x", "2 columns 'x'");
    refuses_columns("x,y\n", "x", "only a line of names");
    refuses_columns("# nothing\n", "x", "no lines");
    static const char *const bad[] = {"", "a,", ",a", "a,,b"};
    for (int i = 0; i < 4; i++)
        IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_columns_check(&err, &(io_columns){.chosen = bad[i]}),
                 "--columns");
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_columns_check(&err, &(io_columns){.left_out = ""}), "--index");
}
END_TEST

/* ---- cities ------------------------------------------------------------------------------------ */

static void refuses_cities(const char *text, const char *has) {
    glshape_matrix m;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_tsplib(&err, make(text), &m), has);
    ck_assert_ptr_null(m.data);
}

START_TEST(cities) {
    static const double want[] = {0, 0, 4, 0.5, -3, 1e3};
    glshape_matrix m;
    IO_OK(&err,
          io_read_tsplib(&err,
                         make("NAME : t\r\nCOMMENT : a : b\r\nDIMENSION: 3\r\nEDGE_WEIGHT_TYPE : EUC_2D\r\n"
                              "NODE_COORD_SECTION\r\n 2 4 .5\r\n1 0 0\r\n3  -3 1e3 \r\nEOF\r\nrest"),
                         &m));
    ck_assert(m.type == GLSHAPE_F64 && m.rows == 3 && m.cols == 2);
    for (int k = 0; k < 6; k++) ck_assert(((const double *)m.data)[k] == want[k]);
    io_matrix_free(&m);
#define CITIES(n) "DIMENSION: " #n "\nNODE_COORD_SECTION\n"
    refuses_cities(CITIES(3) "1 0 0\n2 1 1\nEOF\n", "DIMENSION says 3 cities, but 2 are there");
    refuses_cities(CITIES(2) "1 0 0\n1 1 1\nEOF\n", "line 4: city 1 comes twice");
    refuses_cities(CITIES(2) "1 0 0\n3 1 1\nEOF\n", "line 4: city '3' is not in 1 .. 2");
    refuses_cities(CITIES(2) "1 0 0\n0 1 1\n", "line 4: city '0'");
    refuses_cities(CITIES(2) "1 0 0 0\n2 1 1 1\nEOF\n", "line 3 has 4 fields");
    refuses_cities(CITIES(2) "1 0 0\n2 one 1\nEOF\n", "line 4, column 2: 'one'");
    refuses_cities(CITIES(2) "1 0 0\n2 1 nan\nEOF\n", "line 4, column 3: 'nan'");
    refuses_cities("DIMENSION: 2\nEDGE_WEIGHT_SECTION\n1 0\nEOF\n", "NODE_COORD_SECTION");
    refuses_cities("NODE_COORD_SECTION\n1 0 0\nEOF\n", "DIMENSION");
    refuses_cities("DIMENSION: many\nNODE_COORD_SECTION\n", "line 1: DIMENSION");
    refuses_cities("NODE_COORD_TYPE : THREED_COORDS\n" CITIES(1), "line 1: cities in space");
    refuses_cities(CITIES(999999999999999999) "1 0 0\n", "999999999999999999 cities, but 1 are there");
}
END_TEST

/* TSPLIB 95's distance of type GEO, of longitude and latitude in degrees. */
static int geographic(const double a[2], const double b[2]) {
    const double pi = 3.141592, unit = pi / 180;
    double q1 = cos((a[0] - b[0]) * unit), q2 = cos((a[1] - b[1]) * unit), q3 = cos((a[1] + b[1]) * unit);
    return (int)(6378.388 * acos(0.5 * ((1 + q1) * q2 - (1 - q1) * q3)) + 1);
}

/* The first cities of ulysses16, and their distances to the first as published. */
START_TEST(geographic_cities) {
    static const int published[] = {0, 509, 501, 312, 1019};
    static const char text[] =
        "NAME: ulysses16.tsp\nDIMENSION: 5\nEDGE_WEIGHT_TYPE: GEO\n"
        "DISPLAY_DATA_TYPE: COORD_DISPLAY\nNODE_COORD_SECTION\n 1 38.24 20.42\n"
        " 2 39.57 26.15\n 3 40.56 25.32\n 4 36.26 23.12\n 5 33.48 10.54\n EOF\n";
    glshape_matrix m;
    IO_OK(&err, io_read_tsplib(&err, make(text), &m));
    const double(*xy)[2] = m.data;
    for (int k = 1; k < 5; k++) ck_assert_int_eq(geographic(xy[0], xy[k]), published[k]);
    ck_assert(xy[0][0] == 20.7 && xy[0][1] == 38.4); /* 20 degrees 42 minutes east, 38 degrees 24 north */
    io_matrix_free(&m);
    IO_OK(&err, io_read_tsplib(&err,
                               make("DIMENSION: 1\r\nEDGE_WEIGHT_TYPE : GEO \r\nNODE_COORD_SECTION\r\n"
                                    "1 -33.55 -0.3\r\nEOF\r\n"),
                               &m));
    xy = m.data;
    ck_assert(xy[0][0] == -0.5 && xy[0][1] == -(33 * 60 + 55) / 60.0);
    io_matrix_free(&m);
}
END_TEST

Suite *io_regions_suite(void) {
    Suite *s = suite_create("io/regions");
    TCase *c = files_case("regions");
    tcase_add_test(c, wkt_and_csv);
    tcase_add_test(c, geojson);
    tcase_add_test(c, columns);
    tcase_add_test(c, columns_by_number);
    tcase_add_test(c, columns_are_picked);
    tcase_add_test(c, columns_are_advised);
    tcase_add_test(c, columns_are_guessed);
    tcase_add_test(c, cities);
    tcase_add_test(c, geographic_cities);
    suite_add_tcase(s, c);
    return s;
}
