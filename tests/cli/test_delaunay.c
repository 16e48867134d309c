/* glshape delaunay: every form of input, every output, refusals with their place. */
#include <stdlib.h>
#include <string.h>

#include "cli/plane.h"

/* A square and its middle; then the last corner again. */
static const double square[12] = {0, 0, 4, 0, 4, 4, 0, 4, 2, 2, 4, 4};
#define TRIANGLES "0,1,4\n0,4,3\n1,2,4\n2,3,4\n"
#define NEIGHBOURS "2,1,4294967295\n3,4294967295,0\n3,0,4294967295\n1,2,4294967295\n"

START_TEST(every_input) {
    char text[4096];
    plane_npy("f4.npy", "f4", "(6, 2)", square, 12);
    plane_npy("f8.npy", "f8", "(6, 2)", square, 12);
    SHELL_TEXT("a.csv", "x,y\n0,0\n4,0\n4,4\n0,4\n2,2\n4,4\n");
    SHELL_TEXT("a.txt", "0 0\n4 0\n4 4\n0 4\n2 2\n4 4\n");
    shell_do("gzip -k $D/f8.npy");
    SHELL_TEXT("t.csv", "name,lat,lon\na,0,0\nb,0,4\nc,4,4\nd,4,0\ne,2,2\nf,4,4\n");
    SHELL_TEXT("a.tsp", "DIMENSION: 6\nNODE_COORD_SECTION\n1 0 0\n2 4 0\n3 4 4\n4 0 4\n5 2 2\n6 4 4\nEOF\n");
    static const char *const inputs[] = {
        "$D/t.csv --columns lon,lat", "$D/a.tsp", "$D/f4.npy", "$D/a.txt", "$D/f8.npy.gz",
        "--format csv - <$D/a.csv"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        shell_do("$G delaunay -o $D/out.csv --neighbors $D/n.csv %s", inputs[i]);
        shell_has(shell_out, "6 points (5 distinct), 4 triangles");
        shell_slurp("out.csv", text, sizeof text);
        ck_assert_str_eq(text, TRIANGLES);
        shell_slurp("n.csv", text, sizeof text);
        ck_assert_str_eq(text, NEIGHBOURS);
    }
}
END_TEST

START_TEST(outputs) {
    char text[1 << 14];
    SHELL_TEXT("a.txt", "0 0\n4 0\n4 4\n0 4\n2 2\n");
    SHELL_TEXT("line.txt", "0 0\n1 1\n2 2\n");
    SHELL_TEXT("two.txt", "0 0\n1 1\n");
    shell_do("$G delaunay $D/a.txt -o -");
    ck_assert_str_eq(shell_out, TRIANGLES);
    shell_has(shell_err, "5 points, 4 triangles");
    shell_do("$G delaunay $D/a.txt -o $D/t.npy --neighbors $D/n.npy --report $D/r.json");
    ck_assert_uint_eq(shell_slurp("t.npy", text, sizeof text), 128 + 48);
    ck_assert_uint_eq(shell_slurp("n.npy", text, sizeof text), 128 + 48);
    shell_slurp("r.json", text, sizeof text);
    static const char *const words[] = {"\"points\": 5",
                                        "\"distinct\": 5",
                                        "\"triangles\": 4",
                                        "\"facts\": ",
                                        "\"sites that passes left to the processors\": 0",
                                        "\"tests on the processors\": ",
                                        "\"merge\": ",
                                        "\"tests in big integers\": 0"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) shell_has(text, words[i]);
    shell_do("$G delaunay $D/line.txt -o $D/none.npy");
    shell_has(shell_out, "no triangles: all are on one line");
    shell_do("$G delaunay $D/two.txt -o $D/none.csv");
    shell_has(shell_out, "no triangles: there are too few");
    ck_assert_uint_eq(shell_slurp("none.csv", text, sizeof text), 0);
    shell_do("$G delaunay --help");
    shell_has(shell_out, "--neighbors");
    ck_assert_ptr_null(strstr(shell_out, "neighbour"));
    shell_do("$G delaunay $D/a.txt --neighbours $D/old.npy && cmp $D/n.npy $D/old.npy"); /* its old name */
}
END_TEST

START_TEST(refusals) {
    SHELL_TEXT("a.txt", "0 0\n4 0\n4 4\n");
    SHELL_TEXT("three.csv", "0,0,1\n1,0,3\n");
    SHELL_TEXT("one.csv", "0\n1\n");
    SHELL_TEXT("nan.csv", "0,0\n1,nan\n");
    SHELL_TEXT("inf.csv", "0,0\n-inf,1\n");
    plane_npy("space.npy", "f8", "(2, 3)", square, 6);
    static const bad_line cases[] = {
        {"$G delaunay $D/space.npy", {"space.npy", "3 columns", "two, x and y", "arr[:, :2]"}},
        {"$G delaunay $D/three.csv", {"three.csv", "3 columns", "two, x and y: keep two"}},
        {"$G delaunay $D/one.csv", {"one.csv", "1 column;", "two"}},
        {"$G delaunay $D/nan.csv", {"nan.csv", "row 2, column 2", "NaN"}},
        {"$G delaunay $D/inf.csv", {"inf.csv", "row 2, column 1", "inf"}},
        {"$G delaunay $D/nothing.csv", {"nothing.csv"}},
        {"$G delaunay $D/a.txt -o $D/no/t.npy", {"no/t.npy"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {"$G delaunay $D/nan.csv --columns x", {"--columns x", "two"}},
        {"$G delaunay $D/nan.csv --format what", {"what", "tsplib"}},
        {"$G delaunay $D/a.txt -o $D/t.dat", {"t.dat", ".npy"}},
        {"$G delaunay $D/a.txt --neighbors $D/t.dat", {"t.dat", ".npy"}},
        {"$G delaunay $D/a.txt --picture $D/t.png", {"--picture"}},
        {"$G delaunay", {"which input"}},
        {"$G delaunay --nonsense x", {"--nonsense"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("t.*"), 0);
}
END_TEST

/* A device that is right about few points, and about more names rows, triangles and neighbors that are not
 * there, or too few triangles. Rows that equal others have no part in the outline: where they do not come
 * down, it is right. */
START_TEST(wrong_device) {
    static const struct {
        const char *pass, *from, *to;
    } spoiled[] = {
        {"triangles", "1u, rest.x)", "1u, n > 500u ? rest.x * 7919u : rest.x)"},
        {"mates", "corner, was / 3u)", "corner, triangles > 900u ? was * 7919u : was / 3u)"},
        {"sites", "same_store(item.z, first)", "same_store(item.z, n > 500u ? first * 7919u : first)"},
        {"faces", "if (s.y == 0u ||", "if (s.y == 0u || (n > 500u \\&\\& e % 50u == 7u) ||"}};
    shell_do(
        "awk 'BEGIN { for (x = 1; i < 1200; i++) {"
        " if (i %% 7 < 6) { x = x * 16807 %% 2147483647; y = x * 16807 %% 2147483647 } print x \",\" y } }' "
        ">$D/p.csv");
    shell_do("$G alpha $D/p.csv --alpha 9e7 -o $D/right.wkt");
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        const char *pass = spoiled[i].pass;
        shell_do(
            "rm -rf $D/glsl && cp -r glsl $D/glsl && sed 's#%s#%s#' glsl/delaunay/%s.glsl "
            ">$D/glsl/delaunay/%s.glsl && ! cmp -s glsl/delaunay/%s.glsl $D/glsl/delaunay/%s.glsl",
            spoiled[i].from, spoiled[i].to, pass, pass, pass, pass);
        int code = shell("GLSHAPE_GLSL_DIR=$D/glsl $G alpha $D/p.csv --alpha 9e7 -o $D/a.wkt --device '%s'",
                         test_device());
        if (!code && !strcmp(pass, "sites")) {
            shell_do("cmp $D/a.wkt $D/right.wkt");
            continue;
        }
        ck_assert_msg(code == 1, "%s: %d, '%s'", pass, code, shell_err);
        bool outline =
            strstr(shell_err, "sides that are not there") != NULL; /* which sees it first, differs */
        shell_has(shell_err,
                  outline ? "take another device (--device)" : "triangulation does not come out right");
    }
}
END_TEST

Suite *cli_delaunay_suite(void) {
    Suite *s = suite_create("cli/delaunay");
    TCase *t = shell_case(s, "delaunay", 60);
    tcase_add_test(t, every_input);
    tcase_add_test(t, outputs);
    tcase_add_test(t, refusals);
    tcase_add_test(t, wrong_device);
    return s;
}
