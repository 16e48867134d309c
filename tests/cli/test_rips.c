/* glshape rips: every form in, what other programs print, every way out, every refusal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plane.h"
#include "io/files.h"
#include "rips/golden.h"

#define RIPS "$G rips -q "
#define GOLDEN_RIPS "tests/rips/golden/"
#define LOWER ".lower_distance_matrix"

/* From the first interval on. */
static const char *intervals_of(const char *text) {
    const char *start = strstr(text, "persistence intervals");
    return start ? start : "";
}

/* Asserts that the words print the intervals of a listing, which may have more dimensions. */
static void prints_listing(const char *words, const char *listing) {
    size_t bytes;
    char *text = files_load(golden_path(listing), &bytes);
    shell_do(RIPS "%s", words);
    size_t length = strlen(intervals_of(shell_out));
    ck_assert_msg(length && !strncmp(intervals_of(shell_out), intervals_of(text), length),
                  "%s: not %s, but\n%s", words, listing, shell_out);
    free(text);
}

/* Asserts the same of a listing whose intervals are sorted. */
static void prints_sorted(const char *words, const char *listing) {
    shell_do("sed -n 's/^ //p' %s | sort >$D/wanted.txt; " RIPS
             "%s | sed -n 's/^ //p' | sort | cmp - $D/wanted.txt && "
             "echo same",
             golden_path(listing), words);
    ck_assert_msg(!strcmp(shell_out, "same\n"), "%s: not %s", words, listing);
}

/* ---- forms ------------------------------------------------------------------------------------- */

static plane plane_of(const char *golden) {
    uint32_t n;
    float *d = golden_distances(golden, &n);
    plane p = plane_zeros(n);
    for (size_t i = 0; i < (size_t)n * n; i++) p.d[i] = (double)d[i];
    free(d);
    return p;
}

START_TEST(every_form_of_distances) {
    static const char *const words[] = {
        GOLDEN_RIPS "random16" LOWER,
        "--format lower-distance " GOLDEN_RIPS "random16" LOWER,
        "--format lower-distance $D/lower.txt",
        "$D/lower.txt",
        "--format upper-distance $D/upper.txt",
        "$D/upper.txt",
        "--format distance $D/full.txt",
        "$D/full.txt",
        "--format dipha $D/square.dipha",
        "$D/square.dipha",
        "--format binary $D/lower.bin",
        "$D/lower.bin",
        "--format npy $D/f8.npy",
        "$D/f4.npy",
        "$D/f2.npy",
        "$D/condensed.npy",
        "$D/full.txt.gz",
        "$D/lower.bin.gz",
        "$D/square.dipha.gz",
        "- <$D/upper.txt",
        "- <$D/f8.npy",
        "- <$D/condensed.npy.gz",
        "--format binary - <$D/lower.bin",
        "--stage compute $D/full.txt",
        "--stage fragment $D/full.txt",
        "--format sparse $D/all.sparse",
        "--format sparse $D/market.sparse",
        "--format sparse - <$D/market.sparse",
    };
    plane p = plane_of("random16" LOWER);
    plane_every_form(&p);
    FILE *f = fopen(shell_path("all.sparse"), "w");
    for (size_t i = p.n; i-- > 0;)
        for (size_t j = 0; j < i; j++)
            fprintf(f, i % 2 ? "%zu %zu %g\n" : "%zu\t%zu\t%g\n", i, j, p.d[i * p.n + j]);
    ck_assert(!fclose(f));
    shell_do(
        "(echo %%%%MatrixMarket matrix coordinate real symmetric; echo 16 16 120; "
        "awk '{print $1 + 1, $2 + 1, $3}' $D/all.sparse) | tee $D/market.sparse");
    shell_do("gzip -k $D/full.txt $D/lower.bin $D/square.dipha $D/condensed.npy");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[160];
        snprintf(line, sizeof line, "--dim 2 %s", words[i]);
        if (strstr(words[i], "sparse")) snprintf(line, sizeof line, "--dim 2 --threshold 85.5 %s", words[i]);
        prints_listing(line, strstr(words[i], "sparse") ? "random16-t85.5.ripser" : "random16.ripser");
        shell_has(shell_out, "in dim 2:");
    }
    plane_free(&p);
}
END_TEST

/* The points of cloud40.txt as .npy and CSV. */
static void save_points(void) {
    size_t bytes;
    double x[120];
    char *text = files_load(golden_path("cloud40.txt"), &bytes), *at = text;
    FILE *csv = fopen(shell_path("cloud.csv"), "w");
    fprintf(csv, "x,y,z\n");
    for (int i = 0; i < 120; i++) {
        x[i] = strtod(at, &at);
        fprintf(csv, "%.17g%c", x[i], i % 3 == 2 ? '\n' : ',');
    }
    ck_assert(!fclose(csv));
    free(text);
    plane_npy("cloud8.npy", "f8", "(40, 3)", x, 120);
    plane_npy("cloud4.npy", "f4", "(40, 3)", x, 120);
    shell_do("gzip -c $D/cloud.csv >$D/cloud.csv.gz");
}

START_TEST(every_form_of_points) {
    static const char *const words[] = {
        "--format point-cloud " GOLDEN_RIPS "cloud40.txt",
        "--input points " GOLDEN_RIPS "cloud40.txt",
        "--input points --format text " GOLDEN_RIPS "cloud40.txt",
        "--input points $D/cloud.csv",
        "--input points --format csv $D/cloud.csv.gz",
        "--input points $D/cloud4.npy",
        "--input points --format npy $D/cloud8.npy",
        "--input points - <$D/cloud8.npy",
        "--format point-cloud - <$D/cloud.csv.gz",
    };
    save_points();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[160];
        snprintf(line, sizeof line, "--dim 3 %s", words[i]);
        prints_listing(line, "cloud40.ripser");
        shell_has(shell_out, "in dim 3:");
        shell_has(shell_out, "point cloud with 40 points in dimension 3\nvalue range: [0.334754,5.06571]\n");
        snprintf(line, sizeof line, "--dim 3 --threshold 1.75 --sparse %s", words[i]);
        prints_listing(line, "cloud40-t1.75.ripser");
    }
}
END_TEST

/* A square of side 0.3 m in UTM: its diagonal is 0.424264 (by hand), and neither format moves its corners. */
START_TEST(far_from_the_origin) {
    SHELL_TEXT("utm.csv",
               "450000.10,5400000.10\n450000.40,5400000.10\n450000.40,5400000.40\n450000.10,5400000.40\n");
    static const char *const forms[] = {"--input points", "--format point-cloud",
                                        "--input points --sparse --threshold 1"};
    for (int i = 0; i < 3; i++) {
        shell_do("$G rips -q %s $D/utm.csv", forms[i]);
        shell_has(shell_out, " [0,0.3)\n [0,0.3)\n [0,0.3)\n [0, )\n");
        shell_has(shell_out, " [0.3,0.424264)\n");
    }
}
END_TEST

START_TEST(listings) {
    static const struct {
        const char *words, *listing;
    } cases[] = {
        {"--dim 5 --threshold 60 " GOLDEN_RIPS "random16" LOWER, "random16-t60.ripser"},
        {"--dim 2 --ratio 1.5 " GOLDEN_RIPS "random16" LOWER, "random16-r1.5.ripser"},
        {"--dim 4 " GOLDEN_RIPS "ties25" LOWER, "ties25.ripser"},
        {"--dim 4 --threshold 2 --threads 1 " GOLDEN_RIPS "ties25" LOWER, "ties25-t2.ripser"},
        {"--dim 4 --format sparse " GOLDEN_RIPS "ties25.sparse", "ties25-sparse.ripser"},
        {"--dim 3 --format sparse " GOLDEN_RIPS "gaps25.sparse", "gaps25.ripser"},
        {"--dim 4 --format sparse - <" GOLDEN_RIPS "ties25.sparse", "ties25-sparse.ripser"},
        {"--dim 3 --threshold 1.75 --format point-cloud " GOLDEN_RIPS "cloud40.txt", "cloud40-t1.75.ripser"},
        {"--dim 3 " GOLDEN_RIPS "projective_plane" LOWER, "projective_plane.ripser"},
        {"--dim 2 --modulus 2 " GOLDEN_RIPS "projective_plane" LOWER, "projective_plane-p2.gudhi"},
        {"--dim 2 --modulus 3 " GOLDEN_RIPS "projective_plane" LOWER, "projective_plane-p3.gudhi"},
        {"--dim 2 --modulus 5 " GOLDEN_RIPS "moore5" LOWER, "moore5-p5.gudhi"},
        {"--dim 2 --modulus 3 " GOLDEN_RIPS "moore5" LOWER, "moore5-p3.gudhi"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        prints_listing(cases[i].words, cases[i].listing);
}
END_TEST

/* ---- out --------------------------------------------------------------------------------------- */

/* Four points of a circle, worked out by hand: edges of length 1 come as (3,2) (3,0) (2,1), which end
 * points 2, 0 and 1, and (1,0), which begins the loop. Of the diagonals and triangles at 1.5, (3,2,1) and
 * (3,2,0) go with the diagonals, and (3,1,0) ends the loop. */
static const char circle[] = "1\n1.5 1\n1 1.5 1\n";
#define ROWS(d)                                                                                        \
    "dim" d "birth" d "death" d "birth_simplex" d                                                      \
    "death_simplex\n"                                                                                  \
    "0" d "0" d "1" d "2" d "3 2\n0" d "0" d "1" d "0" d "3 0\n0" d "0" d "1" d "1" d "2 1\n0" d "0" d \
    "inf" d "3" d "\n1" d "1" d "1.5" d "1 0" d "3 1 0\n"

static void holds(const char *name, const char *text) {
    char got[4096];
    shell_slurp(name, got, sizeof got);
    ck_assert_msg(!strcmp(got, text), "%s holds\n%s, not\n%s", name, got, text);
}

START_TEST(rows_of_text) {
    SHELL_TEXT("circle.txt", circle);
    for (int threads = 1; threads <= 16; threads *= 4)
        for (int i = 0; i < 4; i++) {
            static const char *const names[] = {"o.csv", "o.tsv", "o.txt", "O.CSV"};
            shell_do(RIPS "$D/circle.txt --threads %d -o $D/%s", threads, names[i]);
            holds(names[i], i % 3 ? ROWS("\t") : ROWS(","));
            shell_has(shell_out, " [1,1.5)\n");
        }
    shell_do(RIPS "$D/circle.txt -o -");
    ck_assert_str_eq(shell_out, ROWS(","));
}
END_TEST

#define POINT(v, w, d)                                                                           \
    "  {\n    \"dim\": 0,\n    \"birth\": 0,\n    \"death\": " d ",\n    \"birth_simplex\": [" v \
    "],\n    \"death_simplex\": " w "\n  },\n"

/* A length of -0 is 0, wherever the work is done. Equal values go by descending index, so the edge 1 0 closes
 * the loop and the triangle 4 1 0 fills it. */
START_TEST(lengths_of_minus_zero) {
    static const char *const places[] = {"", "--device 0"};
    SHELL_TEXT("zeros.txt", "0 1 -0\n1 2 -0\n2 3 -0\n3 0 -0\n0 4 1\n1 4 1\n2 4 1\n3 4 1\n");
    for (int i = 0; i < 2; i++) {
        shell_do("$G rips -q --format sparse --collapse off %s $D/zeros.txt -o - | grep '^1,'", places[i]);
        ck_assert_str_eq(shell_out, "1,0,1,1 0,4 1 0\n");
    }
}
END_TEST

START_TEST(objects_of_json) {
    SHELL_TEXT("circle.txt", circle);
    shell_do(RIPS "$D/circle.txt -o $D/o.json");
    holds("o.json",
          "[\n" POINT("2", "[3, 2]", "1") POINT("0", "[3, 0]", "1") POINT("1", "[2, 1]", "1")
              POINT("3", "null", "null") "  {\n    \"dim\": 1,\n    \"birth\": 1,\n    \"death\": 1.5,\n"
          "    \"birth_simplex\": [1, 0],\n    \"death_simplex\": [3, 1, 0]\n  }\n]\n");
    SHELL_TEXT("one.txt", "7 7\n");
    shell_do(RIPS "--dim 0 --format point-cloud $D/one.txt --ratio 1e9 -o $D/one.JSON");
    shell_slurp("one.JSON", shell_out, sizeof shell_out);
    shell_has(shell_out, "\"birth_simplex\": [0],\n    \"death_simplex\": null");
}
END_TEST

/* Simplices as numbers: (3,2) is C(3,2) + C(2,1) = 5, (3,1,0) is C(3,3) + C(1,2) + C(0,1) = 1. */
START_TEST(rows_of_npy) {
    static const double rows[5][5] = {
        {0, 0, 1, 2, 5}, {0, 0, 1, 0, 3}, {0, 0, 1, 1, 2}, {0, 0, INFINITY, 3, -1}, {1, 1, 1.5, 0, 1}};
    static char file[128 + sizeof rows + 2];
    SHELL_TEXT("circle.txt", circle);
    shell_do(RIPS "$D/circle.txt -o $D/o.npy");
    ck_assert_uint_eq(shell_slurp("o.npy", file, sizeof file), 128 + sizeof rows);
    ck_assert(strstr(file + 10, "'<f8'") && strstr(file + 10, "(5, 5)"));
    ck_assert_mem_eq(file + 128, rows, sizeof rows);
}
END_TEST

START_TEST(threads_make_no_difference) {
    plane p = plane_new(150, 8);
    plane_square("p.npy", "f8", &p);
    plane_free(&p);
    for (int threads = 1; threads <= 16; threads += threads == 1 ? 1 : 14)
        shell_do(RIPS "--dim 2 --modulus 3 $D/p.npy --threads %d -o $D/o%d.csv >$D/%d.txt", threads, threads,
                 threads);
    shell_do(
        "cmp $D/o1.csv $D/o2.csv; cmp $D/o1.csv $D/o16.csv; cmp $D/1.txt $D/2.txt; cmp $D/1.txt $D/16.txt");
    ck_assert_str_eq(shell_out, "");
    shell_do("wc -l <$D/o1.csv");
    ck_assert_int_gt(atoi(shell_out), 160);
}
END_TEST

START_TEST(report) {
    static const char *const parts[] = {"\"rows\": 25,",
                                        "\"columns\": 25\n",
                                        "\"n\": 25,",
                                        "\"dim\": 4,",
                                        "\"threshold\": 2,",
                                        "\"dimensions\": [",
                                        "\"dimension 1: simplices examined\": ",
                                        "\"dimension 4: simplices in no apparent pair\": ",
                                        "\"dimension 4: columns reduced\": ",
                                        "\"dimension 4: pairs\": ",
                                        "\"dimension 4: other pairs\": ",
                                        "\"dimension 2: columns added\": ",
                                        "\"dimension 2: cofacets made\": ",
                                        "\"dimension 1: host bytes\": ",
                                        "\"gpu_bytes\": ",
                                        "\"dimension 1: seconds of enumeration\": ",
                                        "\"dimension 1: seconds of reduction\": ",
                                        "\"tree\": ",
                                        "\"total\": ",
                                        "\"passes\": [",
                                        "\"peak_host_bytes\": "};
    char text[1 << 14];
    shell_do(RIPS "--dim 4 --threshold 2 " GOLDEN_RIPS "ties25" LOWER " --report $D/r.json -o $D/o.csv");
    shell_slurp("r.json", text, sizeof text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) shell_has(text, parts[i]);
    shell_do("tail -n +2 $D/o.csv | wc -l");
    char intervals[64];
    snprintf(intervals, sizeof intervals, "\"intervals\": %d,", atoi(shell_out));
    shell_has(text, intervals);
}
END_TEST

/* (1,0) begins the loop. At threshold 1 there are no triangles: it is a cocycle by itself. */
START_TEST(cocycles) {
    char text[4096];
    SHELL_TEXT("circle.txt", circle);
    shell_do(RIPS "$D/circle.txt --modulus 3 --cocycles $D/c.json");
    shell_slurp("c.json", text, sizeof text);
    shell_has(text, "[\n  {\n    \"dim\": 1,\n    \"birth\": 1,\n    \"death\": 1.5,\n    \"terms\": [\n");
    shell_has(text, "      [[1, 0], 1]");
    shell_do(RIPS "$D/circle.txt --threshold 1 --cocycles -");
    ck_assert_str_eq(shell_out,
                     "[\n  {\n    \"dim\": 1,\n    \"birth\": 1,\n    \"death\": null,\n"
                     "    \"terms\": [\n      [[1, 0], 1]\n    ]\n  }\n]\n");
    shell_do(RIPS "$D/circle.txt --cocycles - --cocycle-length 0.5");
    ck_assert_str_eq(shell_out, "[]\n");
    shell_do(RIPS "$D/circle.txt --cocycles - --cocycle-length 0");
    shell_has(shell_out, "[[1, 0], 1]");
    shell_do(RIPS "$D/circle.txt --cocycles - --threshold 0");
    ck_assert_str_eq(shell_out, "[]\n");
    static const bad_line cases[] = {
        {RIPS "$D/circle.txt --cocycle-length 1", {"--cocycles"}},
        {RIPS "$D/circle.txt --cocycles $D/p.json --cocycle-length -1", {"--cocycle-length", "'-1'"}}};
    static const bad_line nowhere[] = {{RIPS "$D/circle.txt --cocycles $D/no/p.json", {"no/p.json"}}};
    shell_expect(2, cases, 2);
    shell_expect(1, nowhere, 1);
    ck_assert_int_eq(shell_count("p.json"), 0);
}
END_TEST

/* Four points on a line: 0, 1, 5 and 6; the greedy permutation is 0, 3 (at 6), 1, 2. */
START_TEST(weights) {
    prints_sorted("--dim 2 --weights " GOLDEN_RIPS "ties25.weights " GOLDEN_RIPS "ties25" LOWER,
                  "ties25-weights.gudhi");
    prints_sorted("--dim 2 --threshold 3 --weights " GOLDEN_RIPS "ties25.weights " GOLDEN_RIPS "ties25" LOWER,
                  "ties25-weights-t3.gudhi");
    shell_do("for x in '' '--sparse --threshold 9'; do " RIPS "--input points $x --weights " GOLDEN_RIPS
             "cloud40.weights " GOLDEN_RIPS "cloud40.txt -o - | sort | md5sum; done | uniq | wc -l");
    ck_assert_str_eq(shell_out, "1\n");
    SHELL_TEXT("circle.txt", circle);
    SHELL_TEXT("three.txt", "1\n2\n3\n");
    SHELL_TEXT("minus.txt", "1 2 -3 4\n");
    SHELL_TEXT("nan.txt", "1 2 nan 4\n");
    SHELL_TEXT("square.txt", "1 2\n3 4\n");
    static const bad_line cases[] = {
        {RIPS "--weights $D/three.txt $D/circle.txt", {"three.txt: 3 x 1 numbers", "each of 4 points"}},
        {RIPS "--weights $D/square.txt $D/circle.txt", {"square.txt: 2 x 2 numbers", "each of 4 points"}},
        {RIPS "--weights $D/minus.txt $D/circle.txt", {"minus.txt: weight 3 is -3"}},
        {RIPS "--weights $D/nan.txt $D/circle.txt", {"nan.txt", "row 1, column 3"}},
        {RIPS "--weights $D/nowhere.txt $D/circle.txt", {"nowhere.txt"}}};
    static const bad_line many[] = {{RIPS "--weights $D/three.txt $D/circle.txt $D/circle.txt -o '$D/o*.csv'",
                                     {"--weights goes with one input"}}};
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    shell_expect(2, many, 1);
}
END_TEST

START_TEST(collapse) {
    static const struct {
        const char *words, *listing;
    } cases[] = {
        {"--dim 4 " GOLDEN_RIPS "ties25" LOWER, "ties25.ripser"},
        {"--dim 3 --format sparse " GOLDEN_RIPS "gaps25.sparse", "gaps25.ripser"},
        {"--dim 3 --threshold 1.75 --sparse --format point-cloud " GOLDEN_RIPS "cloud40.txt",
         "cloud40-t1.75.ripser"},
        {"--dim 2 --modulus 5 " GOLDEN_RIPS "moore5" LOWER, "moore5-p5.gudhi"},
        {"--dim 2 --weights " GOLDEN_RIPS "ties25.weights " GOLDEN_RIPS "ties25" LOWER,
         "ties25-weights.gudhi"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[256];
        static const char *const ways[] = {"auto", "on", "off"};
        for (int k = 0; k < 3; k++) {
            snprintf(words, sizeof words, "--collapse %s %s", ways[k], cases[i].words);
            prints_sorted(words, cases[i].listing);
        }
    }
    char text[1 << 14];
    shell_do(RIPS "--collapse on " GOLDEN_RIPS "cloud40.txt --input points -o $D/o.csv --report $D/r.json");
    shell_slurp("r.json", text, sizeof text);
    shell_has(text, "\"edges before the collapse\": ");
    shell_has(text, "\"edges after the collapse\": ");
    shell_has(text, "\"seconds of the collapse\": ");
}
END_TEST

/* By itself nothing is collapsed where simplices are written, and none of dimension 1. */
START_TEST(collapse_by_itself) {
    static const struct {
        const char *words;
        bool collapses;
    } cases[] = {{"--dim 2", true},
                 {"--dim 2 --collapse auto", true},
                 {"--dim 2 --collapse off", false},
                 {"--dim 1", false},
                 {"--dim 1 --collapse on", true},
                 {"--dim 2 -o $D/o.csv", false},
                 {"--dim 2 -o $D/o.csv --collapse on", true},
                 {"--dim 2 --cocycles $D/c.json", false}};
    static const bad_line bad[] = {{RIPS "--collapse $D/grid.txt", {"--collapse", "auto", "on", "off"}}};
    FILE *grid = fopen(shell_path("grid.txt"), "w");
    for (int k = 0; k < 64; k++) fprintf(grid, "%g %d\n", k / 8 + 0.01 * (k % 8), k % 8);
    fclose(grid);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[256], text[1 << 14];
        snprintf(command, sizeof command, RIPS "--input points %s $D/grid.txt --report $D/r.json",
                 cases[i].words);
        shell_do(command);
        shell_slurp("r.json", text, sizeof text);
        ck_assert_msg(!strstr(text, "edges after the collapse") == !cases[i].collapses, "%s", command);
    }
    shell_expect(2, bad, 1);
}
END_TEST

START_TEST(greedy_permutation) {
    char text[1 << 14];
    SHELL_TEXT("line.txt", "0\n1\n5\n6\n");
    shell_do(RIPS "--input points --n-perm 3 $D/line.txt --report $D/r.json -o $D/o.csv --dim 0");
    shell_has(shell_out,
              "point cloud with 4 points in dimension 1\n"
              "3 points of the greedy permutation, cover radius 1\n");
    holds("o.csv", "dim,birth,death,birth_simplex,death_simplex\n0,0,1,0,1 0\n0,0,5,3,3 1\n0,0,inf,1,\n");
    shell_slurp("r.json", text, sizeof text);
    shell_has(text, "\"cover_radius\": 1,");
    shell_has(text, "\"permutation\": [0, 3, 1]");
    shell_do(RIPS "--n-perm 16 --dim 5 " GOLDEN_RIPS "random16" LOWER
                  " | tail -n +3 >$D/all.txt;"
                  "tail -n +3 " GOLDEN_RIPS
                  "random16.ripser | tail -n +1 >$D/ripser.txt;"
                  "tail -n 30 $D/all.txt >$D/a; tail -n 30 $D/ripser.txt | cmp - $D/a && echo same");
    shell_has(shell_out, "same");
    static const bad_line cases[] = {{RIPS "--input points --n-perm 5 $D/line.txt", {"n_perm 5", "4 points"}},
                                     {RIPS "--input points --n-perm 0 $D/line.txt", {"--n-perm"}}};
    shell_expect(1, cases, 1);
    shell_expect(2, cases + 1, 1);
}
END_TEST

START_TEST(pictures) {
    char text[1 << 16];
    SHELL_TEXT("circle.txt", circle);
    shell_do(RIPS "$D/circle.txt --picture $D/o.svg --report $D/r.json");
    shell_slurp("o.svg", text, sizeof text);
    shell_has(text, "circle.txt: persistence of 4 points");
    shell_has(text, "5 intervals");
    shell_do(RIPS "$D/circle.txt --threshold 0.5 --dim 3 --picture $D/o.PNG");
    shell_slurp("o.PNG", text, sizeof text);
    shell_has(text, "\x89PNG");
    static const bad_line cases[] = {{RIPS "$D/circle.txt --picture $D/p.gif", {"p.gif", ".png", ".svg"}},
                                     {RIPS "$D/circle.txt --picture $D/no/p.png", {"no/p.png"}}};
    shell_expect(2, cases, 1);
    shell_expect(1, cases + 1, 1);
}
END_TEST

START_TEST(dry_run) {
    shell_do(RIPS "--dim 2 --dry-run -o $D/o.csv " GOLDEN_RIPS "random16" LOWER);
    shell_has(shell_out, "16 points, dimension 2");
    shell_has(shell_out, "dimension 2: at most 560 simplices"); /* C(16, 3) */
    ck_assert_int_eq(shell_count("o.*"), 0);
    char text[4096];
    shell_do("$G rips --dim 2 --dry-run -o $D/o.csv --report $D/dry.json " GOLDEN_RIPS "random16" LOWER);
    text[shell_slurp("dry.json", text, sizeof text - 1)] = 0;
    shell_has(text, "\"simplices\": [120, 560]"); /* C(16, 2), C(16, 3) */
    shell_has(text, "\"host_bytes\"");
    shell_has(shell_err, "-o is not written, as --dry-run stops");
    shell_do(RIPS "--dry-run --report - " GOLDEN_RIPS "random16" LOWER);
    shell_has(shell_out, "\"forecast\": {");
    shell_has(shell_err, "16 points, dimension 1");
    ck_assert_int_eq(shell_count("o.*"), 0);
}
END_TEST

/* ---- small inputs ------------------------------------------------------------------------------ */

#define DIM0 "persistence intervals in dim 0:\n"
#define DIM1 "persistence intervals in dim 1:\n"
#define NEVER " [0, )\n"

START_TEST(small_inputs) {
    SHELL_TEXT("three.txt", "3\n4 5\n");
    SHELL_TEXT("skew.txt", "0 2 4\n4 0 5\n4 5 0\n");
    SHELL_TEXT("rounded.txt", "0 3 4\n3.0000002 0 5\n4 5 0\n");
    SHELL_TEXT("two.txt", "5\n");
    SHELL_TEXT("zero.txt", "0\n");
    SHELL_TEXT("point.txt", "1 2 3\n");
    SHELL_TEXT("same.txt", "1 2\n1 2\n4 6\n1 2\n4 6\n");
    SHELL_TEXT("mixed.txt", "1 2\n1,2\n4; 6\n1\t2\n4, 6\n");
    SHELL_TEXT("nothing.txt", "");
    SHELL_TEXT("loops.txt", "0 1 2\n0 1 1\n3 3 0.5\n");
    SHELL_TEXT("circle.txt", circle);
    const double nothing = 0;
    plane_npy("one.npy", "f8", "(1, 1)", &nothing, 1);
    static const struct {
        const char *words, *intervals;
    } cases[] = {
        {"$D/three.txt", DIM0 " [0,3)\n [0,4)\n" NEVER DIM1},
        {"--symmetrize $D/skew.txt", DIM0 " [0,3)\n [0,4)\n" NEVER DIM1},
        {"$D/rounded.txt", DIM0 " [0,3)\n [0,4)\n" NEVER DIM1},
        {"--threshold 2.5 $D/three.txt", DIM0 NEVER NEVER NEVER DIM1},
        {"--threshold 0 $D/three.txt", DIM0 NEVER NEVER NEVER DIM1},
        {"--threshold 3 $D/three.txt", DIM0 " [0,3)\n" NEVER NEVER DIM1},
        {"--threshold inf $D/three.txt", DIM0 " [0,3)\n [0,4)\n" NEVER DIM1},
        {"--threshold 1 $D/circle.txt", DIM0 " [0,1)\n [0,1)\n [0,1)\n" NEVER DIM1 " [1, )\n"},
        {"--dim 0 $D/circle.txt", DIM0 " [0,1)\n [0,1)\n [0,1)\n" NEVER},
        /* of two points and of one Ripser has no dimension 1 */
        {"$D/two.txt", DIM0 " [0,5)\n" NEVER},
        {"$D/zero.txt", DIM0 NEVER},
        {"$D/one.npy", DIM0 NEVER},
        {"--format point-cloud $D/point.txt", DIM0 NEVER},
        {"--format point-cloud $D/same.txt", DIM0 " [0,5)\n" NEVER DIM1},
        {"--format point-cloud $D/mixed.txt", DIM0 " [0,5)\n" NEVER DIM1}, /* Ripser 1.2.1, too */
        {"--format lower-distance $D/nothing.txt", DIM0 NEVER},
        {"--format point-cloud --sparse --threshold 6 $D/same.txt", DIM0 " [0,5)\n" NEVER DIM1},
        {"--format point-cloud --threshold 0 $D/same.txt", DIM0 NEVER NEVER DIM1},
        {"--format point-cloud --metric manhattan $D/same.txt", DIM0 " [0,7)\n" NEVER DIM1},
        {"--format sparse $D/loops.txt", DIM0 " [0,1)\n" NEVER NEVER NEVER DIM1},
        {"--format sparse --threshold 0.75 $D/loops.txt", DIM0 NEVER NEVER NEVER NEVER DIM1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell_do(RIPS "%s", cases[i].words);
        ck_assert_msg(!strcmp(intervals_of(shell_out), cases[i].intervals), "%s: %s", cases[i].words,
                      shell_out);
        ck_assert_ptr_null(strstr(shell_out, "inf]"));
        ck_assert_ptr_null(strstr(shell_out, "[inf"));
    }
    SHELL_TEXT("far.txt", "0 1 1.5\n1 1000000 2\n"); /* points that no line names are points all the same */
    shell_do(RIPS "--format sparse $D/far.txt | uniq -c | sed 's/^ *//'");
    shell_has(shell_out, "1  [0,1.5)\n1  [0,2)\n999999  [0, )\n1 persistence intervals in dim 1:\n");
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------------------- */

static void make_bad_files(void) {
    plane p = plane_new(60, 3);
    plane_every_form(&p);
    plane_free(&p);
    double zeros[2000] = {0};
    plane_npy("many.npy", "f8", "(1000, 2)", zeros, 2000);
    plane_npy("none.npy", "f8", "(0, 3)", zeros, 0);
    SHELL_TEXT("three.txt", "3\n4 5\n");
    SHELL_TEXT("wide.txt", "0 1 2\n1 0 3\n");
    SHELL_TEXT("short.txt", "0 1 2\n1 0 3\n2 3\n");
    SHELL_TEXT("skew.txt", "0 1 2\n1 0 3\n2 4 0\n");
    SHELL_TEXT("negative.txt", "1\n2 -3\n");
    SHELL_TEXT("nan.txt", "1\n2 nan\n");
    SHELL_TEXT("infinite.txt", "1\n2 -inf\n");
    SHELL_TEXT("word.txt", "# head\n1\n2 far\n");
    SHELL_TEXT("empty.txt", "");
    SHELL_TEXT("blank.txt", "\n# nothing\n");
    SHELL_TEXT("points.txt", "1 2\n3 x\n");
    SHELL_TEXT("nan-points.txt", "1 2\n3 nan\n");
    SHELL_TEXT("ragged-points.txt", "1 2\n3 4\n5\n");
    SHELL_TEXT("zero-points.txt", "1 2\n0 0\n");
    SHELL_TEXT("half.sparse", "0 1 1\n1 2.5 1\n");
    SHELL_TEXT("minus.sparse", "0 1 1\n-1 2 1\n");
    SHELL_TEXT("huge.sparse", "0 1 1\n1 5000000000 1\n");
    SHELL_TEXT("far.sparse", "0 1 1.5\n1 4000000000 2\n");
    SHELL_TEXT("two.sparse", "0 1\n1 2\n");
    SHELL_TEXT("ragged.sparse", "0 1 1\n1 2\n");
    SHELL_TEXT("nan.sparse", "0 1 1\n1 2 nan\n");
    SHELL_TEXT("negative.sparse", "0 1 1\n1 2 -4\n");
    SHELL_TEXT("word.sparse", "0 1 1\n1 b 2\n");
    shell_do("for f in f8.npy condensed.npy square.dipha lower.bin; do head -c 1001 $D/$f >$D/cut-$f; done");
    shell_do("head -c 1000 $D/lower.bin >$D/even.bin; mkdir $D/folder.csv");
}

START_TEST(bad_files) {
    make_bad_files();
    static const bad_line cases[] = {
        {RIPS "$D/wide.txt", {"wide.txt", "2 lines of 3 values"}},
        {RIPS "$D/short.txt", {"short.txt", "line 3", "2 values, not 3"}},
        {RIPS "$D/skew.txt", {"skew.txt", "row 2, column 3 is 3", "row 3, column 2 is 4", "--symmetrize"}},
        {RIPS "$D/negative.txt", {"negative.txt", "row 2, column 3 is -3", "not negative"}},
        {RIPS "$D/nan.txt", {"nan.txt", "row 3, column 2", "nan"}},
        {RIPS "$D/infinite.txt", {"infinite.txt", "row 2, column 3 is beyond", "never joined"}},
        {RIPS "$D/word.txt", {"word.txt", "line 3, column 2", "'far' is not a number"}},
        {RIPS "$D/empty.txt", {"empty.txt is empty"}},
        {RIPS "--input points $D/empty.txt", {"empty.txt is empty"}},
        {RIPS "--format sparse $D/empty.txt", {"empty.txt is empty"}},
        {RIPS "- </dev/null", {"standard input is empty"}},
        {RIPS "$D/blank.txt", {"blank.txt", "no numbers"}},
        {RIPS "--input points $D/none.npy", {"none.npy", "(0, 3)"}},
        {RIPS "$D/cut-f8.npy", {"cut-f8.npy", "28928", "1001"}},
        {RIPS "$D/cut-condensed.npy", {"cut-condensed.npy", "14288", "1001"}},
        {RIPS "$D/cut-square.dipha", {"cut-square.dipha", "60 points", "28824", "1001"}},
        {RIPS "$D/cut-lower.bin", {"cut-lower.bin", "1001 bytes", "whole number"}},
        {RIPS "$D/even.bin", {"even.bin", "250 float32 values", "n(n-1)/2"}},
        {RIPS "$D/nowhere.txt", {"nowhere.txt", "No such file"}},
        {RIPS "--input points $D/points.txt", {"points.txt", "line 2", "x"}},
        {RIPS "--input points $D/nan-points.txt", {"nan-points.txt", "row 2, column 2 is NaN"}},
        {RIPS "--input points $D/ragged-points.txt", {"ragged-points.txt", "line 3", "1 field"}},
        {RIPS "--input points --metric cosine $D/zero-points.txt", {"zero-points.txt: ", "row 2"}},
        {RIPS "--format sparse $D/half.sparse", {"half.sparse", "row 2, column 2: 2.5"}},
        {RIPS "--format sparse $D/minus.sparse", {"minus.sparse", "row 2, column 1: -1"}},
        {RIPS "--format sparse $D/huge.sparse", {"huge.sparse", "row 2, column 2: 5e+09"}},
        {RIPS "--format sparse $D/two.sparse", {"two.sparse", "2 columns", "three"}},
        {RIPS "--format sparse $D/ragged.sparse", {"ragged.sparse", "line 2"}},
        {RIPS "--format sparse $D/nan.sparse", {"nan.sparse", "row 2, column 3: nan"}},
        {RIPS "--format sparse - <$D/negative.sparse", {"standard input", "row 2, column 3: -4"}},
        {RIPS "--format sparse $D/word.sparse", {"word.sparse", "line 2", "b"}},
        {RIPS "--format sparse $D/far.sparse", {"3 vertices among 4000000001 points", "dimension 0 can"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
}
END_TEST

START_TEST(bad_options) {
    make_bad_files();
    static const bad_line cases[] = {
        {RIPS "--input points --dim 6 $D/many.npy", {"1000 points", "dimension 5 can be done"}},
        {RIPS "--format binary $D/three.txt", {"three.txt"}},
        {RIPS "--format dipha $D/three.txt", {"three.txt", "not a DIPHA file"}},
        {RIPS "--device nosuch $D/three.txt", {"nosuch"}},
        {RIPS "-o $D/no/o.csv $D/three.txt", {"no/o.csv", "No such file"}},
        {RIPS "-o $D/folder.csv $D/three.txt", {"folder.csv", "folder"}},
        {RIPS "--report $D/no/r.json $D/three.txt", {"no/r.json", "No such file"}},
        {RIPS "$D/three.txt >/dev/full", {"standard output"}},
    };
    static const bad_line usage[] = {
        {RIPS "--modulus 0 $D/three.txt", {"--modulus", "'0'"}},
        {RIPS "--threads 0 $D/three.txt", {"--threads", "'0'"}},
        {RIPS "--dim -1 $D/three.txt", {"--dim", "'-1'"}},
        {RIPS "--input graph $D/three.txt", {"--input", "distances", "points"}},
        {RIPS, {"which input"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line values[] = {
        {RIPS "--modulus 4 $D/three.txt", {"--modulus", "a prime below 32768", "'4'"}},
        {RIPS "--modulus 40009 $D/three.txt", {"--modulus", "32768", "'40009'"}},
        {RIPS "--dim 17 $D/three.txt", {"17", "16"}},
        {RIPS "--threshold far $D/three.txt", {"--threshold", "'far'"}},
        {RIPS "--threshold nan $D/three.txt", {"--threshold", "'nan'"}},
        {RIPS "--threshold -1 $D/three.txt", {"--threshold", "'-1'"}},
        {RIPS "--ratio 0.5 $D/three.txt", {"--ratio", "at least 1", "0.5"}},
        {RIPS "--sparse $D/three.txt --threshold 3", {"--sparse goes with points"}},
        {RIPS "--sparse --input points $D/many.npy", {"--sparse", "--threshold"}},
        {RIPS "--metric cosine $D/three.txt", {"--metric", "points"}},
        {RIPS "--symmetrize --input points $D/many.npy", {"--symmetrize", "distances"}},
        {RIPS "--format xml $D/three.txt", {"'xml'", "lower-distance", "sparse", "point-cloud"}},
        {RIPS "-o $D/o.xml $D/three.txt", {"o.xml", ".csv", ".json"}},
    };
    shell_expect(2, values, sizeof values / sizeof *values);
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("o.*"), 0);
    ck_assert_int_eq(shell_count("*.tmp"), 0);
}
END_TEST

START_TEST(interrupted) {
    static const double delays[] = {0, 0.5, 1.5};
    plane p = plane_new(700, 4);
    plane_square("p.npy", "f4", &p);
    plane_free(&p);
    for (int i = 0; i < 3; i++) {
        int code = shell_while("kill -INT $!", NULL, delays[i],
                               "rm -f $D/o.*; " RIPS "--dim 4 $D/p.npy -o $D/o.csv --report $D/o.json");
        ck_assert_msg(code == 130, "after %g s: exit %d: %s", delays[i], code, shell_err);
        ck_assert_str_eq(shell_out, "");
        ck_assert_int_eq(shell_count("o.*"), 0);
        ck_assert_int_eq(shell_count("*.tmp"), 0);
    }
}
END_TEST

/* ---- what a paper counts ------------------------------------------------------------------------ */

/* The sum over dimensions 1 to 3 of what a report says. */
static double counted(const char *report, const char *name) {
    double sum = 0;
    for (int dim = 1; dim <= 3; dim++) {
        char key[64];
        snprintf(key, sizeof key, "\"dimension %d: %s\": ", dim, name);
        const char *at = strstr(report, key);
        ck_assert_msg(at != NULL, "no %s in %s", key, report);
        sum += atof(at + strlen(key));
    }
    return sum;
}

/* Zhang, Xiao, Wang, "GPU-accelerated computation of Vietoris-Rips persistence barcodes", 2020: table 1
 * (apparent, shortcut, emergent, all), without a threshold and up to the enclosing radius; table 6 (cleared),
 * up to the radius. What is left to reduce is all - apparent. Of celegans up to the radius the paper has
 * 256,704,109 emergent pairs, 11,131 more than shortcut ones; without a threshold it has 58 more, as we have
 * for both. */
START_TEST(counts_of_the_paper) {
    static const struct {
        const char *options, *file;
        double apparent, shortcut, emergent, all, cleared, left; /* 0: not looked at */
    } cases[] = {
        {"", "celegans.distance_matrix", 256633901, 256692978, 0, 256704712, 3777011, 70811},
        {"--threshold 9", "celegans.distance_matrix", 317664839, 317723916, 317723974, 317735650, 0, 70811},
        {"", "sphere_3_192" LOWER, 46708109, 46799992, 46800007, 46817416, 1072739, 109307},
        {"", "Vicsek300_300_of_300.distance_matrix", 283349749, 283424013, 283424029, 283441085, 4046908,
         91336},
        {"--format point-cloud --threshold 1.4", "o3_4096.txt", 43480968, 43940030, 43940686, 44081360,
         4347112, 600392}};
    char text[1 << 15];
    shell_do(RIPS "%s --dim 3 --collapse off --report $D/r.json data/rips/%s.gz", cases[_i].options,
             cases[_i].file);
    shell_slurp("r.json", text, sizeof text);
    ck_assert_double_eq(counted(text, "apparent pairs"), cases[_i].apparent);
    ck_assert_double_eq(counted(text, "shortcut pairs"), cases[_i].shortcut);
    if (cases[_i].emergent) ck_assert_double_eq(counted(text, "emergent pairs"), cases[_i].emergent);
    ck_assert_double_eq(counted(text, "pairs"), cases[_i].all);
    if (cases[_i].cleared) ck_assert_double_eq(counted(text, "columns cleared"), cases[_i].cleared);
    ck_assert_double_eq(counted(text, "columns reduced"), cases[_i].left);
}
END_TEST

Suite *cli_rips_suite(void) {
    Suite *s = suite_create("cli/rips");
    TCase *t = shell_case(s, "rips", 180);
    tcase_add_test(t, every_form_of_distances);
    tcase_add_test(t, every_form_of_points);
    tcase_add_test(t, far_from_the_origin);
    tcase_add_test(t, listings);
    tcase_add_test(t, rows_of_text);
    tcase_add_test(t, lengths_of_minus_zero);
    tcase_add_test(t, objects_of_json);
    tcase_add_test(t, rows_of_npy);
    tcase_add_test(t, threads_make_no_difference);
    tcase_add_test(t, report);
    tcase_add_test(t, cocycles);
    tcase_add_test(t, pictures);
    tcase_add_test(t, greedy_permutation);
    tcase_add_test(t, weights);
    tcase_add_test(t, collapse);
    tcase_add_test(t, collapse_by_itself);
    tcase_add_test(t, dry_run);
    tcase_add_test(t, small_inputs);
    tcase_add_test(t, bad_files);
    tcase_add_test(t, bad_options);
    tcase_add_test(t, interrupted);
    tcase_add_loop_test(t, counts_of_the_paper, 0, 5);
    return s;
}
