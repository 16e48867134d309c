/* glshape alpha as a user meets it: every kind of input, every output, every refusal. */
#include <stdlib.h>
#include <string.h>

#include "cli/shell.h"

#define ALPHA "$G alpha --quiet "

/* A square of side 2 with its middle, and a far triangle. */
static const char points[] = "0 0\n2 0\n2 2\n0 2\n1 1\n10 0\n11 0\n10 1\n";

static void file_is(const char *name, const char *want) {
    char text[4096];
    text[shell_slurp(name, text, sizeof text)] = 0;
    ck_assert_str_eq(text, want);
}

static void file_has(const char *name, const char *part) {
    static char text[1 << 16];
    text[shell_slurp(name, text, sizeof text)] = 0;
    shell_has(text, part);
}

START_TEST(boundary) {
    SHELL_TEXT("p.xy", points);
    shell_do(ALPHA "$D/p.xy --alpha 1 -o $D/a.wkt --components $D/c.csv --faces $D/f.csv --report $D/r.json");
    file_has("r.json", "\"renderer\": \"none\"");
    shell_do(ALPHA
             "$D/p.xy --alpha 1 -o $D/a.wkt --components $D/c.csv --faces $D/f.csv --report $D/r.json "
             "--device '%s'",
             test_device());
    shell_has(shell_out, "8 points: ");
    shell_has(shell_out, "2 components, 2 rings, area 4.5");
    file_is("a.wkt", "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))\nPOLYGON ((10 0, 11 0, 10 1, 10 0))\n");
    file_is("c.csv", "0,4,1,4,8\n1,1,1,0.5,3.414213562373095\n");
    file_has("f.csv", "3,0,1,4\n");
    file_has("r.json", "\"exact comparisons on the GPU\": ");
    file_has("r.json", "\"area\": 4.5");
    shell_do(ALPHA "- --alpha 0.5 -o - < $D/p.xy");
    shell_has(shell_out, "[[10, 0], [11, 0]]");
    shell_has(shell_out, "\"MultiPoint\"");
    shell_has(shell_err, "0 components");
    shell_do(ALPHA "$D/p.xy --alpha 0 -o $D/0.wkt && " ALPHA "$D/p.xy --rank 0 -o $D/1.wkt");
    shell_do("cmp $D/0.wkt $D/1.wkt");
    file_has("0.wkt", "MULTIPOINT");
}
END_TEST

/* A square of side 8 with a square hole: its corners' circle is larger than 2. */
START_TEST(holes) {
    SHELL_TEXT("hole.csv", "x,y\n0,0\n4,0\n8,0\n8,4\n8,8\n4,8\n0,8\n0,4\n2,2\n6,2\n6,6\n2,6\n");
    shell_do(ALPHA "$D/hole.csv --alpha optimal:1 --regularized -o $D/h.wkt --picture $D/h.png");
    shell_has(shell_out, "radius 2: 1 component, 2 rings, area 48");
    file_is("h.wkt", "POLYGON ((0 0, 4 0, 8 0, 8 4, 8 8, 4 8, 0 8, 0 4, 0 0), (2 2, 2 6, 6 6, 6 2, 2 2))\n");
    ck_assert_int_eq(shell_count("*.png"), 1);
}
END_TEST

START_TEST(family) {
    SHELL_TEXT("t.csv", "\"name\",\"lat\",\"lon\",\"note\"\n\"a, b\",0,0,\nb,0,4,x\n# no row\nc,3,0,\"y\"\n");
    shell_do(ALPHA
             "$D/t.csv --columns lon,lat --rank 2 --spectrum $D/s.csv --intervals $D/i.csv --master $D/m.csv "
             "--diagram $D/d.csv --barcode $D/b.svg -o $D/p.svg");
    shell_has(shell_out, "3 points: 3 radii, 1.5 to 2.5; rank 2, radius 2: 0 components");
    file_is("s.csv", "1.5\n2\n2.5\n");
    file_is("i.csv",
            "0,-1,-1,0,1.5,inf\n1,-1,-1,0,2,inf\n2,-1,-1,0,1.5,inf\n1,2,-1,2.5,2.5,inf\n"
            "0,2,-1,1.5,2.5,inf\n0,1,-1,2,2.5,inf\n0,1,2,nan,nan,2.5\n");
    file_has("m.csv", "1,0,0,1\n1,0,2,1\n1,1,1,0\n2,0,1,1\n");
    file_is("d.csv", "dim,birth,death,birth_simplex,death_simplex\n0,0,1.5,2,2 0\n0,0,2,1,1 0\n0,0,inf,0,\n");
    file_has("b.svg", "radius");
    file_has("p.svg", "t.csv: alpha shape of radius 2");
}
END_TEST

START_TEST(inputs) {
    SHELL_TEXT("t.tsp", "NAME : t\nDIMENSION : 3\nNODE_COORD_SECTION\n2 4 0\n1 0 0\n 3 0.0 3e0\nEOF\n");
    shell_do("gzip -f $D/t.tsp && " ALPHA "$D/t.tsp.gz --alpha inf -o $D/a.wkt");
    file_is("a.wkt", "POLYGON ((0 0, 4 0, 0 3, 0 0))\n");
    SHELL_TEXT("one.xy", "5 5\n5 5\n");
    shell_do(ALPHA "$D/one.xy --alpha 1 -o $D/a.wkt");
    shell_has(shell_out, "2 points at 1 places: 0 radii");
    file_is("a.wkt", "MULTIPOINT ((5 5))\n");
    SHELL_TEXT("line.xy", "0 0\n3 3\n1 1\n");
    shell_do(ALPHA "$D/line.xy --alpha 1 -o $D/a.wkt");
    file_is("a.wkt", "MULTILINESTRING ((0 0, 1 1))\nMULTIPOINT ((3 3))\n");
}
END_TEST

/* A driver whose doubles are wrong, as far as the self-test can see: the same bytes come out. */
START_TEST(wrong_doubles) {
    SHELL_TEXT("p.xy", points);
    shell_do(
        "cp -r glsl $D/glsl && sed 's/p = x \\* y;/p = x * y + 1.0lf;/' glsl/gpu/arithmetic.glsl "
        ">$D/glsl/gpu/arithmetic.glsl && GLSHAPE_GLSL_DIR=$D/glsl $G devices");
    shell_has(shell_out, "NOT RIGHT");
    for (int wrong = 0; wrong < 2; wrong++)
        shell_do(
            "%s " ALPHA
            "$D/p.xy --alpha 1 -o $D/%d.wkt --intervals $D/%d.npy --master $D/%dm.npy --report $D/%d.json "
            "--device '%s'",
            wrong ? "GLSHAPE_GLSL_DIR=$D/glsl" : "", wrong, wrong, wrong, wrong, test_device());
    shell_do("cmp $D/0.wkt $D/1.wkt && cmp $D/0.npy $D/1.npy && cmp $D/0m.npy $D/1m.npy");
    file_has("0.json", "alpha/compare");
    shell_do("! grep -q 'alpha/compare\\|alpha/keys' $D/1.json");
}
END_TEST

/* A program that does nothing, and no OpenGL error: the same bytes come out, and it is said where. */
START_TEST(dropped_program) {
    static const char line[] =
        "GLSHAPE_CACHE=$D/cache $G alpha $D/p.xy --alpha 1 -o $D/%d.wkt --report $D/%d.json "
        "--device '%s'";
    char spoiled[512];
    SHELL_TEXT("p.xy", points);
    shell_do(line, 0, 0, test_device());
    ck_assert(!strstr(shell_err, "glshape:"));
    file_has("0.json", "\"notes\": []");
    shell_do(
        "cp -r glsl $D/glsl && sed 's/^void kernel.*/& if (true) return;/' glsl/alpha/keys.glsl "
        ">$D/glsl/alpha/keys.glsl");
    snprintf(spoiled, sizeof spoiled, "export GLSHAPE_GLSL_DIR=$D/glsl; %s", line);
    shell_do(spoiled, 1, 1, test_device());
    shell_has(shell_err, "computes something wrong: the processors do alpha/keys LIMBS=2\n");
    file_has("1.json", "computes something wrong: the processors do alpha/keys LIMBS=2\"");
    shell_do(
        "cmp $D/0.wkt $D/1.wkt; GLSHAPE_CACHE=$D/cache $G devices; GLSHAPE_CACHE=$D/cache $G devices --json");
    shell_has(shell_out, "   left to the processors: alpha/keys LIMBS=2 (it is wrong)\n");
    shell_has(shell_out, "\"left_to_processors\": \"alpha/keys LIMBS=2 (it is wrong)\"");
    snprintf(spoiled, sizeof spoiled, "export GLSHAPE_GLSL_DIR=$D/glsl; %s --quiet", line);
    shell_do(spoiled, 1, 1, test_device());
    ck_assert(!strstr(shell_err, "glshape:")); /* a driver may write there, too */
}
END_TEST

START_TEST(refusals) {
    SHELL_TEXT("p.xy", points);
    SHELL_TEXT("line.xy", "0 0\n3 3\n1 1\n");
    SHELL_TEXT("space.xy", "0 0 1\n3 3 1\n1 1 2\n");
    SHELL_TEXT("wide.csv", "y,pop,area\n1,2,3\n3,4,5\n");
    SHELL_TEXT("cities.csv", "name,lat,lon\nParis,48,2\nRome,41,12\n");
    SHELL_TEXT("one.txt", "1\n2\n3\n");
    SHELL_TEXT("names.csv", "name,x,y\na,0,0\n");
    SHELL_TEXT("twice.tsp", "DIMENSION: 3\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n2 3 4\nEOF\n");
    SHELL_TEXT("space.tsp", "DIMENSION: 2\nNODE_COORD_SECTION\n1 0 0 0\n2 1 1 1\nEOF\n");
    SHELL_TEXT("word.tsp", "DIMENSION: 2\nNODE_COORD_SECTION\n1 0 0\n2 1 x\nEOF\n");
    SHELL_TEXT("none.tsp", "NAME: t\nEOF\n");
    SHELL_TEXT("late.tsp", "NODE_COORD_SECTION\n1 0 0\nDIMENSION: 1\nEOF\n");
    SHELL_TEXT("nan.csv", "1,2\n0,nan\n3,1\n");
    SHELL_TEXT("t.csv", "name,lat,lon\na,0,4\nb,3,x\n");
    SHELL_TEXT("few.tsp", "DIMENSION: 3\nNODE_COORD_SECTION\n1 0 0\n2 1 1\nEOF\n");
    static const bad_line cases[] = {
        {ALPHA "$D/p.xy --rank 99", {"p.xy", "rank 99", "ranks 0 to"}},
        {ALPHA "$D/p.xy --alpha 1 -o $D/no/z.wkt", {"no/z.wkt"}},
        {ALPHA "$D/line.xy --alpha optimal", {"line.xy", "on one line"}},
        {ALPHA "$D/space.xy", {"space.xy has 3 columns", "keep two of them"}},
        {ALPHA "$D/wide.csv", {"wide.csv has 3 columns", "--columns y,pop"}},
        {ALPHA "$D/cities.csv", {"line 2, column 1: 'Paris' is not", "--columns lon,lat"}},
        {ALPHA "$D/one.txt", {"one.txt has 1 column;"}},
        {ALPHA "$D/nan.csv", {"nan.csv", "row 2, column 2 is NaN"}},
        {ALPHA "$D/t.csv --columns lon,lat", {"t.csv", "line 3", "'lon'", "'x'"}},
        {ALPHA "$D/t.csv --columns lon,long", {"t.csv has no column 'long'", "'name' 'lat' 'lon'"}},
        {ALPHA "$D/few.tsp", {"few.tsp", "3 cities", "2 are there"}},
        {ALPHA "$D/names.csv", {"names.csv", "line 2, column 1", "'a'"}},
        {ALPHA "$D/twice.tsp", {"twice.tsp: line 5", "city 2 comes twice"}},
        {ALPHA "$D/space.tsp", {"space.tsp: line 3 has 4 fields", "three: number, x, y"}},
        {ALPHA "$D/word.tsp", {"word.tsp: line 4, column 3", "'x'"}},
        {ALPHA "$D/none.tsp", {"none.tsp has no NODE_COORD_SECTION"}},
        {ALPHA "$D/late.tsp", {"late.tsp: line 1", "DIMENSION"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {ALPHA "$D/p.xy --alpha -2", {"--alpha", "at least 0", "'-2'"}},
        {ALPHA "$D/p.xy --alpha nan", {"--alpha", "'nan'"}},
        {ALPHA "$D/p.xy --alpha optimal:0", {"--alpha", "optimal:K"}},
        {ALPHA "$D/p.xy --alpha 1 --rank 1", {"--alpha and --rank"}},
        {ALPHA "$D/p.xy --rank 1.5", {"--rank", "1.5"}},
        {ALPHA "$D/p.xy -o $D/z.wkt", {"-o", "give --alpha or --rank"}},
        {ALPHA "$D/p.xy --regularized", {"--regularized", "--alpha"}},
        {ALPHA "$D/p.xy --alpha 1 -o $D/z.npy", {"z.npy", ".geojson"}},
        {ALPHA "$D/p.xy --alpha 1 --faces $D/z.pdf", {"z.pdf"}},
        {ALPHA "$D/p.xy --format what", {"what", "tsplib"}},
        {ALPHA "$D/t.csv --columns lon", {"--columns lon", "two"}},
        {ALPHA "$D/t.csv --columns lon,,lat", {"--columns", "lon,,lat"}},
        {ALPHA "$D/few.tsp --columns x,y", {"--columns", "few.tsp"}},
        {ALPHA "$D/few.tsp --columns 1-2", {"--columns 1-2", "few.tsp"}},
        {ALPHA "$D/few.tsp --index 1", {"--index 1", "few.tsp", "leave --index out"}},
        {ALPHA "$D/a.npy --columns x,y", {"--columns", "a.npy", "have no names"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("z.*"), 0);
}
END_TEST

Suite *cli_alpha_suite(void) {
    Suite *s = suite_create("cli/alpha");
    TCase *c = shell_case(s, "alpha", 120);
    tcase_add_test(c, boundary);
    tcase_add_test(c, holes);
    tcase_add_test(c, family);
    tcase_add_test(c, inputs);
    tcase_add_test(c, wrong_doubles);
    tcase_add_test(c, dropped_program);
    tcase_add_test(c, refusals);
    return s;
}
