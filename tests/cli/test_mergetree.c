/* glshape mergetree: every form of input, every output, refusals with their place. */
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell.h"

/* ---- files --------------------------------------------------------------------------------------- */

/* Two valleys, 0 and 1, that meet at 5 in the middle; row 1 is a wall. 3 × 5. */
static const unsigned char valleys[15] = {0, 3, 5, 4, 1, 9, 9, 9, 9, 9, 9, 8, 9, 9, 9};

static void save_npy(const char *name, const char *descr, const char *shape, const char *order,
                     const void *data, size_t size) {
    char bytes[512], text[128];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr,
                          order, shape);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (char)length, bytes[9] = 0;
    memcpy(bytes + 10, text, (size_t)length);
    memcpy(bytes + 10 + length, data, size);
    shell_write(name, bytes, 10 + (size_t)length + size);
}

static void save_nrrd(const char *name, const char *head, const void *data, size_t size) {
    char bytes[1024];
    size_t length = strlen(head);
    memcpy(bytes, head, length);
    memcpy(bytes + length, data, size);
    shell_write(name, bytes, length + size);
}

/* The field as every format has it; u2 big, i2 little, f4 and f8 among the raw ones. */
static void save_all(void) {
    unsigned char big[30], turned[15];
    short small[15];
    float single[15];
    double wide[15];
    for (int v = 0; v < 15; v++) {
        big[2 * v] = 0, big[2 * v + 1] = valleys[v];
        small[v] = valleys[v], single[v] = valleys[v], wide[v] = valleys[v];
        turned[v % 5 * 3 + v / 5] = valleys[v];
    }
    save_npy("c.npy", "|u1", "3, 5", "False", valleys, 15);
    save_npy("fortran.npy", "|u1", "3, 5", "True", turned, 15);
    save_npy("fortran3.npy", "|u1", "3, 1, 5", "True", turned, 15);
    save_npy("wide.npy", "<f8", "3, 5", "False", wide, sizeof wide);
    shell_write("u1.raw", valleys, 15);
    shell_write("u2.raw", big, 30);
    shell_write("i2.raw", small, sizeof small);
    shell_write("f4.raw", single, sizeof single);
    shell_write("f8.raw", wide, sizeof wide);
#define HEAD "NRRD0004\n# made by hand\ndimension: 2\nsizes: 5 3\nkinds: domain domain\nunits:=none\n"
    save_nrrd("a.nrrd", HEAD "type: uchar\nencoding: raw\n\n", valleys, 15);
    save_nrrd("b.nrrd", HEAD "type: unsigned short\nendian: big\nencoding: raw\n\n", big, 30);
    SHELL_TEXT("g.nrrd", HEAD "type: uchar\nencoding: ascii\n\n 0 3 5 4 1\n9 9 9 9 9\n\n9 8\t9 9\r\n9");
    SHELL_TEXT("h.txt", "skip\n0\n3\n5\n4\n1\n9 9 9 9 9 9 8 9 9 9\n");
    SHELL_TEXT("h.nhdr", HEAD "type: double\nencoding: text\nbyte skip: 5\ndata file: h.txt\n");
    SHELL_TEXT("x.nrrd", HEAD
               "type: short\nencoding: hex\nendian: big\n\n0000 0003 0005 0004 0001\n"
               "00090009000900090009\n 0009 00080009000\n9\n0009\n");
    SHELL_TEXT("l.txt", "skip\nthis\n0\n3\n5\n4\n1\n9 9 9 9 9 9 8 9 9 9\n");
    SHELL_TEXT("l.nhdr", HEAD "type: double\nencoding: text\nline skip: 2\ndata file: l.txt\n");
    SHELL_TEXT("c.nhdr", HEAD "type: float\nendian: little\nencoding: raw\ndata file: f4.raw\n");
    SHELL_TEXT("d.nhdr", HEAD "type: uint8\nencoding: raw\nbyte skip: -1\ndata file: c.npy\n\n");
    SHELL_TEXT("e.nhdr", HEAD "type: uint8\nencoding: gzip\ndata file: u1.raw.gz\n");
    SHELL_TEXT("head", HEAD "type: uint8\nencoding: gzip\n\n");
    shell_do("gzip -k $D/u1.raw; gzip -k $D/c.npy; cat $D/head $D/u1.raw.gz >$D/f.nrrd");
}

#define DIAGRAM "birth,death,birth_vertex,death_vertex\n0,inf,0,-1\n8,9,11,6\n1,5,4,2\n"

START_TEST(every_input) {
    static const char *const inputs[] = {"$D/c.npy",
                                         "$D/fortran.npy",
                                         "$D/fortran3.npy",
                                         "$D/wide.npy",
                                         "$D/c.npy.gz",
                                         "- <$D/c.npy",
                                         "$D/u1.raw --shape 3,5 --type u1",
                                         "$D/u1.raw.gz --shape 3,5 --type u1",
                                         "$D/u1.raw --shape 3,1,5 --type u1",
                                         "$D/u2.raw --shape 3,5 --type u2 --endian big",
                                         "$D/i2.raw --shape 3,5 --type i2 --endian little",
                                         "$D/f4.raw --shape 3,5 --type f4",
                                         "$D/f8.raw --shape 3,5 --type f8",
                                         "$D/a.nrrd",
                                         "$D/b.nrrd",
                                         "$D/c.nhdr",
                                         "$D/d.nhdr",
                                         "$D/e.nhdr",
                                         "$D/f.nrrd",
                                         "$D/g.nrrd",
                                         "$D/h.nhdr",
                                         "$D/l.nhdr",
                                         "$D/x.nrrd"};
    save_all();
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        shell_do("$G mergetree %s --diagram -", inputs[i]);
        ck_assert_msg(!strcmp(shell_out, DIAGRAM), "%s: %s", inputs[i], shell_out);
    }
}
END_TEST

/* By hand. The pits 0, 4 and 11 of a row; of the nines between 4 and 11 the last, 10, joins these. Its
 * contour tree is the row itself. */
START_TEST(rows) {
    char text[4096];
    static const unsigned on[15] = {0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0};
    save_all();
    shell_do(
        "$G mergetree $D/u1.raw --shape 15 --type u1 --neighborhood 2 --diagram - --segmentation $D/s.npy");
    ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\n0,inf,0,-1\n8,9,11,10\n1,5,4,2\n");
    size_t length = shell_slurp("s.npy", text, sizeof text);
    ck_assert(length > sizeof on && !memcmp(text + length - sizeof on, on, sizeof on));
    shell_has(text + 10, "'shape': (15,)");
    shell_do("$G mergetree $D/u1.raw --shape 15 --type u1 --contour - --picture $D/p.svg");
    ck_assert_str_eq(shell_out,
                     "lower,upper,lower_value,upper_value,regular\n0,2,0,5,1\n4,2,1,5,1\n"
                     "4,10,1,9,5\n11,10,8,9,0\n11,14,8,9,2\n");
}
END_TEST

START_TEST(every_output) {
    save_all();
    shell_do("$G mergetree --device 0 $D/c.npy -o - --report $D/r.json");
    ck_assert_str_eq(shell_out, "vertex,saddle,parent,birth,death\n0,-1,0,0,inf\n11,6,0,8,9\n4,2,0,1,5\n");
    char text[4096];
    shell_slurp("r.json", text, sizeof text);
    shell_has(text, "\"pairs_of_nonzero_persistence\": 2");
    shell_has(text, "\"extrema\": 3");
    shell_has(text, "\"edges between basins\": ");
    shell_has(text, "\"planes in a slab\": 0");
    shell_do("$G mergetree $D/c.npy -o $D/t.npy --segmentation $D/s.npy");
    shell_has(shell_out, "15 vertices: 3 minima, 2 pairs of non-zero persistence, 1 component");
    static const unsigned want[15][3] = {{0, 0, 0},   {1, 1, 0},  {2, 2, 0},   {3, 3, 4},   {4, 2, 0},
                                         {5, 5, 0},   {6, 6, 0},  {7, 7, 0},   {8, 8, 0},   {9, 9, 0},
                                         {10, 10, 0}, {11, 6, 0}, {12, 12, 0}, {13, 13, 0}, {14, 14, 0}};
    static const unsigned on[15] = {0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0};
    size_t length = shell_slurp("t.npy", text, sizeof text);
    ck_assert(length > sizeof want && !memcmp(text + length - sizeof want, want, sizeof want));
    shell_has(text + 10, "'descr': '<u4', 'fortran_order': False, 'shape': (15, 3)");
    length = shell_slurp("s.npy", text, sizeof text);
    ck_assert(length > sizeof on && !memcmp(text + length - sizeof on, on, sizeof on));
    shell_has(text + 10, "'shape': (3, 5)");
    shell_do("$G mergetree $D/c.npy --superlevel --diagram - --all-pairs --neighborhood 8 --periodic y,x");
    ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\n9,inf,5,-1\n");
    shell_do("$G mergetree $D/c.npy --superlevel --diagram - --all-pairs --neighbourhood 8 --periodic y,x");
    ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\n9,inf,5,-1\n"); /* its old name */
    shell_do("$G mergetree --help");
    ck_assert_ptr_null(strstr(shell_out, "neighbour"));
    shell_do(
        "$G mergetree $D/c.npy --diagram $D/all.csv && $G mergetree $D/c.npy --simplify 0 --diagram $D/0.csv "
        "&& cmp $D/all.csv $D/0.csv");
    shell_do("$G mergetree $D/c.npy --simplify 40%% --diagram -");
    ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\n0,inf,0,-1\n1,5,4,2\n");
    shell_do("$G mergetree $D/c.npy --simplify 4.5 --diagram -");
    ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\n0,inf,0,-1\n");
}
END_TEST

/* A length as it is printed is at least that: 0.7 and 0.4 - 0.1 as floats, whose doubles are not. So
 * is 0.7 of 70 % of 1. A branch of length 0 is cut by any EPS. */
START_TEST(float_lengths) {
    static const float pits[5] = {0, 0.7f, -1, 0.4f, 0.1f}, part[3] = {0, 0.7f, -0.3f}, flat[3] = {2, 2, 1};
    static const struct {
        const char *simplify, *rest;
    } cases[] = {{"0.7", "0,0.7,0,1\n"},
                 {"0.7000001", ""},
                 {"0.3", "0,0.7,0,1\n0.1,0.4,4,3\n"},
                 {"0.30000004", "0,0.7,0,1\n"}};
    char want[200];
    save_npy("pits.npy", "<f4", "5,", "False", pits, sizeof pits);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        shell_do("$G mergetree $D/pits.npy --simplify %s --diagram -", cases[k].simplify);
        snprintf(want, sizeof want, "birth,death,birth_vertex,death_vertex\n-1,inf,2,-1\n%s", cases[k].rest);
        ck_assert_str_eq(shell_out, want);
    }
    save_npy("part.npy", "<f4", "3,", "False", part, sizeof part);
    shell_do("$G mergetree $D/part.npy --simplify 70%% --diagram -");
    ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\n-0.3,inf,2,-1\n0,0.7,0,1\n");
    save_npy("flat.npy", "<f4", "3,", "False", flat, sizeof flat);
    shell_do("$G mergetree $D/flat.npy --simplify 1e-60 -o - | wc -l");
    ck_assert_int_eq(atoi(shell_out), 2);
}
END_TEST

/* The valleys, from 2^60 on, as 64-bit integers: their differences are all there, and values are printed in
 * full. Thresholds are exact: one branch persists 4; 2^60 is less than 2^60 + 1. */
START_TEST(whole_numbers) {
    uint64_t far[15], ends[5] = {0, (1ull << 60) + 1, 2, (1ull << 60) + 1, 1};
    char text[4096];
    for (int v = 0; v < 15; v++) far[v] = (1ull << 60) + valleys[v];
#define P "11529215046068469"
#define BRANCHES \
    "vertex,saddle,parent,birth,death\n0,-1,0," P "76,inf\n11,6,0," P "84," P "85\n4,2,0," P "77," P "81\n"
    save_npy("i8.npy", "<i8", "3, 5", "False", far, sizeof far);
    save_npy("u8.npy", "<u8", "3, 5", "False", far, sizeof far);
    save_npy("path.npy", "<i8", "5,", "False", far, 5 * sizeof *far);
    save_npy("ends.npy", "<i8", "1, 5", "False", ends, sizeof ends);
    SHELL_TEXT("path.csv", "source,target\n0,1\n1,2\n2,3\n3,4\n");
    static const char *const inputs[] = {"i8.npy", "u8.npy"};
    for (int i = 0; i < 2; i++) {
        shell_do("$G mergetree $D/%s -o - --report $D/r.json --picture $D/p.svg", inputs[i]);
        ck_assert_str_eq(shell_out, BRANCHES);
        shell_slurp("r.json", text, sizeof text);
        shell_has(text, "\"least\": " P "76,");
        shell_has(text, "\"greatest\": " P "85,");
        shell_has(text, "\"pairs_of_nonzero_persistence\": 2");
        shell_do("grep -c 'values count from " P "76<' $D/p.svg; grep -c '<line' $D/p.svg");
        ck_assert_str_eq(shell_out, "1\n6\n");
        shell_do("$G mergetree $D/%s --diagram - --simplify 4", inputs[i]);
        ck_assert_str_eq(shell_out,
                         "birth,death,birth_vertex,death_vertex\n" P "76,inf,0,-1\n" P "77," P "81,4,2\n");
        shell_do("$G mergetree $D/%s --diagram - --simplify 50%%", inputs[i]);
        ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\n" P "76,inf,0,-1\n");
        shell_do("$G mergetree $D/%s --contour - | sed -n 2p", inputs[i]);
        ck_assert_str_eq(shell_out, "0,2," P "76," P "81,1\n");
    }
    shell_do("$G mergetree $D/path.csv --values $D/path.npy -o -");
    ck_assert_str_eq(shell_out,
                     "vertex,saddle,parent,birth,death\n0,-1,0," P "76,inf\n4,2,0," P "77," P "81\n");
    shell_do("$G mergetree $D/ends.npy --diagram - --simplify 1152921504606846976 | cut -d, -f3");
    ck_assert_str_eq(shell_out, "birth_vertex\n0\n4\n");
    shell_do("$G mergetree $D/ends.npy --diagram - --simplify 1152921504606846977 | cut -d, -f3");
    ck_assert_str_eq(shell_out, "birth_vertex\n0\n");
#undef BRANCHES
#undef P
}
END_TEST

/* The summary has a grammar for one. */
START_TEST(one_of_all) {
    SHELL_TEXT("one.raw", "7");
    SHELL_TEXT("two.raw", "123123");
    shell_do("$G mergetree $D/one.raw --shape 1,1 --type u1");
    shell_has(shell_out, "1 vertex: 1 minimum, 0 pairs of non-zero persistence, 1 component, ");
    shell_do("$G mergetree $D/one.raw --shape 1,1 --type u1 --superlevel");
    shell_has(shell_out, "1 vertex: 1 maximum, ");
    shell_do("$G mergetree $D/two.raw --shape 1,6 --type u1");
    shell_has(shell_out, "6 vertices: 2 minima, 1 pair of non-zero persistence, 1 component, ");
}
END_TEST

/* Not one slab fits; what is short is the memory allowed, not the device. */
START_TEST(little_memory) {
    static const bad_line cases[] = {{"$G mergetree $D/c.npy --device 0 --gpu-memory 1K",
                                      {"needs", "the limit is 1.00 KiB", "raise the limit"}}};
    save_all();
    shell_expect(1, cases, 1);
    ck_assert(!strstr(shell_err, "4.3") && !strstr(shell_err, "0.00"));
}
END_TEST

/* Nothing but infinity, which is where its only component begins and does not end. */
START_TEST(all_infinite) {
    static const float infinite[] = {INFINITY, INFINITY, INFINITY, INFINITY};
    save_npy("inf.npy", "<f4", "2, 2", "False", infinite, sizeof infinite);
    shell_do("$G mergetree $D/inf.npy --diagram $D/inf.csv");
    shell_has(shell_out, " 0 pairs of non-zero persistence");
    shell_do("cat $D/inf.csv");
    ck_assert_str_eq(shell_out, "birth,death,birth_vertex,death_vertex\ninf,inf,0,-1\n");
}
END_TEST

/* By hand. Valleys 0 and 4 meet at 2, and with the pit 11 at 5, the first of the wall; of the other nines 10
 * has none but 5 and 11 beside it, and 14 comes last. */
START_TEST(contours) {
    save_all();
    shell_do("$G mergetree $D/c.npy --neighborhood freudenthal-6 --contour - --contour-arcs $D/a.npy");
    ck_assert_str_eq(shell_out,
                     "lower,upper,lower_value,upper_value,regular\n0,2,0,5,1\n2,5,5,9,0\n4,2,1,5,1\n"
                     "5,10,9,9,0\n5,14,9,9,6\n11,5,8,9,0\n");
    char text[4096];
    size_t length = shell_slurp("a.npy", text, sizeof text);
    static const unsigned none = GLSHAPE_NO_VERTEX;
    const unsigned arcs[15] = {none, 0, none, 2, none, none, 4, 4, 4, 4, none, none, 4, 4, none};
    ck_assert(length > sizeof arcs && !memcmp(text + length - sizeof arcs, arcs, sizeof arcs));
    shell_has(text + 10, "'descr': '<u4', 'fortran_order': False, 'shape': (3, 5)");
    shell_do(
        "cp $D/a.npy $D/b.npy; $G mergetree $D/c.npy --neighborhood freudenthal-6 -o $D/f.npy >$D/log;"
        "$G mergetree $D/c.npy --contour $D/c.csv --contour-arcs $D/a.npy -o $D/g.npy >$D/log;"
        "cmp $D/a.npy $D/b.npy && cmp $D/f.npy $D/g.npy && wc -l <$D/c.csv");
    ck_assert_str_eq(shell_out, "7\n");
}
END_TEST

/* 0, 2 and 5 are extrema, which no tree has. */
START_TEST(no_contours) {
    static const bad_line cases[] = {
        {"$G mergetree $D/u1.raw --shape 2,3 --type u1 --neighborhood 4 --contour $D/a.csv",
         {"no contour tree", "with freudenthal-6 or 8 neighbors every field has one"}},
        {"$G mergetree $D/u1.raw --shape 1,2,3 --type u1 --neighborhood 6 --contour-arcs $D/a.npy",
         {"no contour tree", "with freudenthal-14, 18 or 26 neighbors every field has one"}},
        {"$G mergetree $D/square.csv --values $D/values.txt --contour $D/a.csv",
         {"no contour tree", "triangles fill all ways around"}}};
    static const unsigned char values[6] = {0, 1, 4, 3, 5, 2};
    shell_write("u1.raw", values, sizeof values);
    SHELL_TEXT("square.csv", "source,target\n0,1\n1,2\n3,4\n4,5\n0,3\n1,4\n2,5\n");
    SHELL_TEXT("values.txt", "0\n1\n4\n3\n5\n2\n");
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    ck_assert_int_eq(shell_count("a.*"), 0);
}
END_TEST

/* Three panels for a field of 3 branches: 3 lines up, 2 across, the diagonal; 3 discs. The cells of the field
 * are 12, 2 and 1 of 15, coloured by persistence: 0, 4, 11. A slice of a field in 3-D; no image of a graph.
 */
START_TEST(pictures) {
    save_all();
    SHELL_TEXT("path.csv", "source,target\n0,1\n1,2\n2,3\n3,4\n");
    SHELL_TEXT("values.txt", "0\n3\n5\n4\n1\n");
    shell_do(
        "$G mergetree $D/c.npy --picture $D/p.svg >$D/log; grep -c '<circle' $D/p.svg; grep -c '<line' "
        "$D/p.svg;"
        "grep -oE '>(c.npy|2 pairs, 1 branch without end|Merge tree|Persistence diagram|Segmentation)<' "
        "$D/p.svg");
    ck_assert_str_eq(shell_out,
                     "3\n6\n>c.npy<\n>2 pairs, 1 branch without end<\n>Merge tree<\n"
                     ">Persistence diagram<\n>Segmentation<\n");
    shell_do(
        "$G mergetree $D/fortran3.npy --picture $D/p.svg >$D/log; grep -c '>Segmentation, z = 1<' $D/p.svg");
    shell_do(
        "$G mergetree $D/path.csv --values $D/values.txt --picture $D/p.svg >$D/log;"
        "grep -c '<line' $D/p.svg; grep -c Segmentation $D/p.svg || true");
    ck_assert_str_eq(shell_out, "4\n0\n");
    shell_do(
        "$G mergetree $D/c.npy --picture $D/p.png; $G mergetree $D/c.npy --picture $D/q.png;"
        "cmp $D/p.png $D/q.png");
    static const bad_line cases[] = {{"$G mergetree $D/none.npy --picture $D/p.gif", {"p.gif", ".png"}}};
    shell_expect(2, cases, 1);
}
END_TEST

/* Pixels of a colour in the right third of a picture. */
static double area(const png_image *image, const unsigned char *pixels, unsigned colour) {
    double count = 0;
    for (size_t k = 0; k < (size_t)image->width * image->height; k++) {
        const unsigned char *p = pixels + 3 * k;
        count += 3 * (k % image->width) > 2 * image->width &&
                 colour == ((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]);
    }
    return count;
}

START_TEST(segmentation_in_colours) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    save_all();
    shell_do("$G mergetree $D/c.npy --picture $D/p.png");
    ck_assert(png_image_begin_read_from_file(&image, shell_path("p.png")));
    image.format = PNG_FORMAT_RGB;
    ck_assert(image.width == 1600 && image.height == 680);
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
    ck_assert(pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL));
    double first = area(&image, pixels, 0x0072B2), second = area(&image, pixels, 0xD55E00);
    double third = area(&image, pixels, 0x009E73), all = first + second + third;
    ck_assert_double_gt(all, 400 * 200);
    ck_assert_double_eq_tol(first / all, 12. / 15, 0.01);
    ck_assert_double_eq_tol(second / all, 2. / 15, 0.01);
    ck_assert_double_eq_tol(third / all, 1. / 15, 0.01);
    free(pixels);
}
END_TEST

/* The first row of the valleys as a path. */
/* A third of a range of 3e308, which no double holds. */
START_TEST(parts_of_ranges_beyond_doubles) {
    SHELL_TEXT("path.csv", "0,1\n1,2\n2,3\n");
    SHELL_TEXT("values.txt", "-1.5e308\n1e308\n0\n1.5e308\n");
    for (int percent = 33; percent <= 34; percent++) {
        shell_do("$G mergetree $D/path.csv --values $D/values.txt --simplify %d%% --diagram - | wc -l",
                 percent);
        ck_assert_int_eq(atoi(shell_out), percent == 33 ? 3 : 2);
    }
}
END_TEST

START_TEST(graphs) {
    SHELL_TEXT("path.csv", "source,target\n0,1\n1,2\n2,3\n3,4\n");
    SHELL_TEXT("values.txt", "0\n3\n5\n4\n1\n");
    SHELL_TEXT("few.txt", "0\n3\n5\n4\n");
    static const char *const methods[] = {"basins", "auto", "triplet"};
    for (int i = 0; i < 3; i++) {
        shell_do("$G mergetree $D/path.csv --values $D/values.txt --method %s -o -", methods[i]);
        ck_assert_str_eq(shell_out, "vertex,saddle,parent,birth,death\n0,-1,0,0,inf\n4,2,0,1,5\n");
    }
    static const bad_line cases[] = {
        {"$G mergetree $D/path.csv --values $D/few.txt", {"few.txt has 4 values", "5 vertices"}},
        {"$G mergetree $D/path.csv --values $D/none.txt", {"none.txt"}}};
    static const bad_line usage[] = {
        {"$G mergetree $D/path.csv --values $D/values.txt --endian big", {"--endian goes with grids"}},
        {"$G mergetree $D/path.csv --values $D/values.txt --periodic x", {"--periodic goes with grids"}}};
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    shell_expect(2, usage, sizeof usage / sizeof *usage);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------------ */

START_TEST(bad_fields) {
    static const bad_line cases[] = {
        {"$G mergetree $D/u1.raw --shape 3,6 --type u1",
         {"u1.raw", "18 bytes are expected", "has 15", "cut short"}},
        {"$G mergetree $D/u1.raw --shape 3,4 --type u1", {"has 15 bytes", "is 12", "--skip 3"}},
        {"$G mergetree $D/u1.raw.gz --shape 3,6 --type u1", {"18 bytes are expected", "15"}},
        {"$G mergetree $D/u1.raw --shape 65536,65536 --type u1",
         {"(65536,65536)", "more than the 4294967294", "ranks of MPI"}},
        {"$G mergetree $D/u1.raw", {"u1.raw is of no format that is read", "--shape z,y,x"}},
        {"$G mergetree $D/none.raw --shape 3,5 --type u1", {"cannot open", "none.raw"}},
        {"$G mergetree $D/nan.npy", {"nan.npy: ", "NaN", "z 1, y 0, x 2"}},
        {"$G mergetree $D/zero.npy", {"zero.npy is empty", "(3, 0)"}},
        {"$G mergetree $D/line.npy", {"at x 8,", "NaN"}},
        {"$G mergetree $D/four.npy", {"4 dimensions;", "1, 2 or 3"}},
        {"$G mergetree $D/cut.nrrd", {"cut.nrrd", "123 bytes are expected", "cut short"}},
        {"$G mergetree $D/cuthead.nrrd", {"cuthead.nrrd is cut short", "header does not end"}},
        {"$G mergetree $D/rgb.nrrd", {"rgb.nrrd has 3 values a point", "--channel 0 to 2"}},
        {"$G mergetree $D/vector.nrrd", {"axis 1 is of kind 'vector'", "2 values"}},
        {"$G mergetree $D/bzip2.nrrd", {"line 8", "encoding", "'bzip2'"}},
        {"$G mergetree $D/odd.nrrd", {"odd.nrrd is cut short: 30 digits are expected, but it has 29"}},
        {"$G mergetree $D/no.nrrd", {"no.nrrd, line 10: 'x' is no hexadecimal digit"}},
        {"$G mergetree $D/over.nrrd", {"over.nrrd, line 10: 15 bytes are expected, but more follow"}},
        {"$G mergetree $D/ascii.nrrd", {"ascii.nrrd is cut short", "15 values are expected", "it has"}},
        {"$G mergetree $D/word.nrrd", {"word.nrrd, line 11", "value 6", "'nine'"}},
        {"$G mergetree $D/range.nrrd", {"range.nrrd, line 10", "value 3", "'256'", "0 to 255"}},
        {"$G mergetree $D/more.nrrd", {"more.nrrd, line 12", "15 values are expected", "'7'"}},
        {"$G mergetree $D/noend.nrrd", {"no field 'endian'"}},
        {"$G mergetree $D/sizes.nrrd", {"dimension 3", "sizes '5 3'"}},
        {"$G mergetree $D/list.nhdr", {"several data files", "'LIST'"}},
        {"$G mergetree $D/lost.nhdr", {"cannot open", "lost.raw"}},
        {"mkfifo $D/pipe && $G mergetree $D/pipe.nhdr", {"pipe.nhdr says", "no regular file"}}};
    static const float values[12] = {0};
    float nan[12];
    memcpy(nan, values, sizeof nan);
    memcpy(nan + 8, "\0\0\xc0\x7f", 4);
    save_all();
    save_npy("nan.npy", "<f4", "2, 2, 3", "False", nan, sizeof nan);
    save_npy("zero.npy", "<f4", "3, 0", "False", nan, 0);
    save_npy("line.npy", "<f4", "12,", "False", nan, sizeof nan);
    save_npy("four.npy", "<f4", "2, 2, 3, 1", "False", nan, sizeof nan);
    save_nrrd("cut.nrrd", HEAD "type: uchar\nencoding: raw\n\n", valleys, 14);
    SHELL_TEXT("cuthead.nrrd", HEAD "type: uchar\nencoding: raw\n");
    SHELL_TEXT("bzip2.nrrd", HEAD "type: uchar\nencoding: bzip2\n\n1 2 3\n");
    SHELL_TEXT("odd.nrrd", HEAD "type: uchar\nencoding: hex\n\n00030504010909090909090809090\n");
    SHELL_TEXT("no.nrrd", HEAD "type: uchar\nencoding: hex\n\n0003050401090909090909080909x9\n");
    SHELL_TEXT("over.nrrd", HEAD "type: uchar\nencoding: hex\n\n00030504010909090909090809090909\n");
    SHELL_TEXT("ascii.nrrd", HEAD "type: uchar\nencoding: ascii\n\n1 2 3 4");
    SHELL_TEXT("word.nrrd", HEAD "type: uchar\nencoding: ascii\n\n1 2 3 4 5\nnine\n");
    SHELL_TEXT("range.nrrd", HEAD "type: uchar\nencoding: ascii\n\n1 2 256\n");
    SHELL_TEXT("more.nrrd", HEAD "type: uchar\nencoding: ascii\n\n1 2 3 4 5 1 2 3 4 5\n1 2 3 4 5\n7");
    SHELL_TEXT("noend.nrrd", HEAD "type: short\nencoding: raw\n\n");
    SHELL_TEXT("rgb.nrrd",
               "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 3 1 2\nkinds: RGB-color domain domain\n"
               "encoding: raw\n\nabcdef");
    SHELL_TEXT("vector.nrrd",
               "NRRD0004\ntype: uchar\nkinds: space vector\ndimension: 2\nsizes: 3 2\n"
               "encoding: raw\n\nabcdef");
    SHELL_TEXT("sizes.nrrd", "NRRD0001\ntype: uchar\ndimension: 3\nsizes: 5 3\nencoding: raw\n\n");
    SHELL_TEXT("list.nhdr", HEAD "type: uchar\nencoding: raw\ndata file: LIST\na\nb\n");
    SHELL_TEXT("pipe.nhdr", HEAD "type: uchar\nencoding: raw\ndata file: pipe\n");
    SHELL_TEXT("lost.nhdr", HEAD "type: uchar\nencoding: raw\ndata file: lost.raw\n");
    shell_expect(1, cases, sizeof cases / sizeof *cases);
}
END_TEST

START_TEST(bad_options) {
    static const bad_line cases[] = {
        {"$G mergetree $D/c.npy --neighborhood 6",
         {"--neighborhood 6", "2 dimensions", "4, 8 or freudenthal-6"}},
        {"$G mergetree $D/u1.raw --shape 15 --type u1 --neighborhood 4",
         {"--neighborhood 4", "1 dimension has 2"}},
        {"$G mergetree $D/fortran3.npy --neighborhood 8", {"--neighborhood 8", "3 dimensions", "6, 18, 26"}},
        {"$G mergetree $D/c.npy --periodic z", {"--periodic z", "2 dimensions"}},
        {"$G mergetree $D/u1.raw --shape 3,5 --type uint16", {"30 bytes"}},
        {"$G mergetree $D/c.npy -o $D/none/t.npy", {"none"}}};
    static const bad_line usage[] = {
        {"$G mergetree $D/u1.raw --shape 3,5,1,1 --type u1", {"--shape", "z,y,x"}},
        {"$G mergetree $D/u1.raw --shape 15, --type u1", {"--shape", "'15,'"}},
        {"$G mergetree $D/u1.raw --shape 3,-5 --type u1", {"--shape", "'3,-5'"}},
        {"$G mergetree $D/u1.raw --shape 3,5", {"--type", "u1, u2"}},
        {"$G mergetree $D/u1.raw --shape 3,5 --type f2", {"--type", "f2"}},
        {"$G mergetree $D/u1.raw --shape 3,5 --type uint9", {"--type", "uint9"}},
        {"$G mergetree $D/u1.raw --shape 3,0 --type u1", {"--shape", "each at least 1", "'3,0'"}},
        {"$G mergetree $D/c.npy --type u1", {"--type goes with --shape"}},
        {"$G mergetree $D/c.npy --endian little", {"--endian goes with --shape"}},
        {"$G mergetree $D/b.nrrd --endian big", {"--endian goes with --shape"}},
        {"$G mergetree $D/c.npy --neighborhood few", {"--neighborhood", "'few'"}},
        {"$G mergetree $D/c.npy --periodic xy", {"--periodic", "'xy'"}},
        {"$G mergetree $D/c.npy --simplify -1", {"--simplify", "'-1'"}},
        {"$G mergetree $D/c.npy --simplify 5%%", {"--simplify", "'5%%'"}},
        {"$G mergetree $D/c.npy --diagram $D/p.npy", {"--diagram is text", "p.npy"}},
        {"$G mergetree $D/c.npy --segmentation $D/s.csv", {"--segmentation", "s.csv .npy"}},
        {"$G mergetree $D/c.npy --contour $D/s.npy", {"--contour is text", "s.npy"}},
        {"$G mergetree $D/c.npy --format npy", {"--format does not go with fields"}}};
    save_all();
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell("$G mergetree $D/c.npy --endian middle"), 2);
    ck_assert_int_eq(shell_count("*.csv"), 0);
}
END_TEST

Suite *cli_mergetree_suite(void) {
    Suite *s = suite_create("cli/mergetree");
    TCase *t = shell_case(s, "cli/mergetree", 120);
    tcase_add_test(t, every_input);
    tcase_add_test(t, rows);
    tcase_add_test(t, every_output);
    tcase_add_test(t, float_lengths);
    tcase_add_test(t, whole_numbers);
    tcase_add_test(t, parts_of_ranges_beyond_doubles);
    tcase_add_test(t, one_of_all);
    tcase_add_test(t, little_memory);
    tcase_add_test(t, all_infinite);
    tcase_add_test(t, contours);
    tcase_add_test(t, no_contours);
    tcase_add_test(t, pictures);
    tcase_add_test(t, segmentation_in_colours);
    tcase_add_test(t, graphs);
    tcase_add_test(t, bad_fields);
    tcase_add_test(t, bad_options);
    return s;
}
