/* glshape mds --input distances: every form in, every refusal, files that change and disks that are full. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plane.h"

enum { N = 60, LARGE = 3000 };

/* ---- forms ----------------------------------------------------------------------------------------- */

/* Points of a plane fit into the plane. */
START_TEST(every_form_ends_at_no_stress) {
    static const char *const words[] = {"$D/f8.npy",
                                        "$D/f8.npy --keep paged",
                                        "$D/f4.npy",
                                        "$D/f4.npy --keep resident",
                                        "$D/f4.npy --keep paged",
                                        "$D/condensed.npy",
                                        "$D/condensed.npy --keep paged",
                                        "$D/lower.txt",
                                        "$D/lower.txt --symmetrize",
                                        "$D/full.txt --keep paged",
                                        "$D/full.txt --format distance",
                                        "$D/lower.bin",
                                        "$D/lower.bin --format binary",
                                        "$D/square.dipha",
                                        "$D/square.dipha --keep paged",
                                        "- <$D/square.dipha",
                                        "- <$D/lower.txt"};
    plane p = plane_new(N, 1);
    plane_every_form(&p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[128];
        snprintf(line, sizeof line, "--input distances %s", words[i]);
        plane_lay_out(&p, line, 1e-6, 3e-3);
    }
    plane_lay_out(&p, "--input distances $D/f2.npy", 1e-5, 1e-2); /* eleven bits */
    plane_lay_out(&p, "--input distances --keep paged $D/f2.npy", 1e-5, 1e-2);
    plane_free(&p);
}
END_TEST

/* The larger a matrix, the more levels: these are paged and have three. */
START_TEST(larger_ones_are_paged) {
    plane p = plane_new(1200, 2);
    plane_square("f4.npy", "f4", &p);
    plane_lay_out(&p, "--input distances --keep paged $D/f4.npy --report $D/r.json", 1e-6, 1e-2);
    char report[1 << 14];
    shell_slurp("r.json", report, sizeof report);
    shell_has(report, "\"bytes paged\": ");
    shell_has(report, "\"seconds waited for pages\": ");
    ck_assert_ptr_null(strstr(report, "\"bytes paged\": 0,"));
    plane_free(&p);
}
END_TEST

/* A triangle fits whatever its sides. 4 and 6 become 5; a pair given on one side only is that one. */
START_TEST(symmetrize_averages) {
    plane p = plane_zeros(3);
    const double sides[3][3] = {{0, 5, 3}, {5, 0, 4}, {3, 4, 0}};
    memcpy(p.d, sides, sizeof sides);
    SHELL_TEXT("skew.txt", "0 4 3\n6 0 4\n3 nan 0\n");
    plane_lay_out(&p, "--input distances --symmetrize $D/skew.txt", 1e-6, 1e-3);
    const double skew[] = {0, 4, 3, 6, 0, 4, 3, NAN, 0};
    plane_npy("skew.npy", "f8", "(3, 3)", skew, 9);
    static const bad_line in_file[] = {
        {"$G mds --input distances --symmetrize $D/skew.npy", {"skew.npy", "glshape pack --symmetrize"}}};
    shell_expect(1, in_file, 1);
    shell_do("$G pack --symmetrize $D/skew.npy -o $D/even.npy");
    shell_has(shell_out, "made symmetric");
    plane_lay_out(&p, "--input distances $D/even.npy", 1e-6, 1e-3);
    plane_free(&p);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------------- */

/* The matrix of p with one value changed. */
static void save_changed(const char *name, plane *p, size_t row, size_t col, double value) {
    double was = p->d[row * p->n + col];
    p->d[row * p->n + col] = value;
    plane_square(name, "f8", p);
    p->d[row * p->n + col] = was;
}

static void make_bad_files(void) {
    plane p = plane_new(N, 3);
    plane_every_form(&p);
    save_changed("asymmetric.npy", &p, 41, 17, 777.25);
    save_changed("negative.npy", &p, 12, 50, -0.5);
    save_changed("diagonal.npy", &p, 33, 33, 0.125);
    save_changed("infinite.npy", &p, 2, 3, INFINITY);
    save_changed("missing.npy", &p, 8, 8, NAN);
    plane_dipha("more.dipha", &p, N + 1);
    plane_dipha("none.dipha", &p, 0);
    plane_npy("wide.npy", "f8", "(30, 120)", p.d, N * N);
    plane_npy("claims.npy", "f8", "(61, 61)", p.d, N * N);
    plane_npy("four.npy", "f8", "(4,)", p.d, 4);
    plane_npy("cube.npy", "f8", "(4, 30, 30)", p.d, N * N);
    plane_npy("one.npy", "f8", "(1, 1)", p.d, 1);
    plane_free(&p);
    SHELL_TEXT("short.txt", "0 1 2\n1 0 3\n2 3\n");
    SHELL_TEXT("cut.txt", "1\n2 3\n4 5\n");
    SHELL_TEXT("asymmetric.txt", "0 1 2\n1 0 3\n2 4 0\n");
    SHELL_TEXT("negative.txt", "1\n2 -3\n");
    SHELL_TEXT("infinite.txt", "1\n2 inf\n");
    SHELL_TEXT("word.txt", "1\n2 far\n");
    SHELL_TEXT("empty.txt", "");
    shell("for f in f8.npy condensed.npy square.dipha lower.bin; do head -c 1001 $D/$f >$D/cut-$f; done");
}

#define MDS "$G mds --input distances -o $D/l.npy "

START_TEST(bad_distances) {
    make_bad_files();
    static const bad_line cases[] = {
        {MDS "$D/cut-f8.npy", {"cut-f8.npy", "(60, 60)", "28928", "1001"}},
        {MDS "$D/cut-condensed.npy", {"cut-condensed.npy", "(1770,)", "14288", "1001"}},
        {MDS "$D/cut-square.dipha", {"cut-square.dipha", "60 points", "28824", "1001"}},
        {MDS "$D/cut-lower.bin", {"cut-lower.bin", "1001"}},
        {MDS "- <$D/cut-square.dipha", {"standard input", "60 points", "28824", "1001"}},
        {MDS "$D/short.txt", {"short.txt", "line 3", "2", "3"}},
        {MDS "$D/cut.txt", {"cut.txt", "line 3"}},
        {MDS "$D/asymmetric.npy",
         {"asymmetric.npy", "row 18, column 42", "row 42, column 18 is 777.25", "symmetric", "--symmetrize"}},
        {MDS "$D/asymmetric.txt", {"asymmetric.txt", "row 2, column 3 is 3", "row 3, column 2 is 4"}},
        {MDS "$D/negative.npy", {"negative.npy", "row 13, column 51 is -0.5", "not negative"}},
        {MDS "$D/negative.npy --keep paged", {"negative.npy", "row 13, column 51 is -0.5"}},
        {MDS "$D/negative.txt", {"negative.txt", "-3", "not negative"}},
        {MDS "$D/diagonal.npy", {"diagonal.npy", "row 34, column 34 is 0.125", "diagonal"}},
        {MDS "$D/missing.npy", {"missing.npy", "row 9, column 9 is missing", "diagonal"}},
        {MDS "$D/infinite.npy", {"infinite.npy", "row 3, column 4", "infinite", "nan stands for"}},
        {MDS "$D/infinite.txt", {"infinite.txt", "infinite"}},
        {MDS "$D/word.txt", {"word.txt", "line 2", "far"}},
        {MDS "$D/empty.txt", {"empty.txt"}},
        {MDS "$D/wide.npy", {"wide.npy", "(30, 120)", "square"}},
        {MDS "$D/claims.npy", {"claims.npy", "(61, 61)", "29896", "28928"}},
        {MDS "$D/four.npy", {"four.npy", "(4,)", "n(n-1)/2"}},
        {MDS "$D/cube.npy", {"cube.npy", "(4, 30, 30)"}},
        {MDS "$D/one.npy", {"one.npy", "1 point", "at least 2"}},
        {MDS "$D/more.dipha", {"more.dipha", "61 points", "29792", "28824"}},
        {MDS "$D/none.dipha", {"none.dipha", "0 points"}},
        {MDS "$D/nowhere.npy", {"nowhere.npy", "No such file"}},
        {MDS "$D/f8.npy --format dipha", {"f8.npy", "not a DIPHA file"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {MDS "$D/f8.npy --metric cosine", {"--metric goes with", "points or documents"}},
        {MDS "$D/f8.npy --tfidf", {"--tfidf", "documents"}},
        {MDS "$D/f8.npy --format xml", {"xml", "lower-distance"}},
        {"$G mds --attempts 1 data/cancer.npy --symmetrize", {"--symmetrize", "distances"}},
        {"$G mds --attempts 1 data/cancer.npy --keep paged", {"--keep", "distances, graph or diagrams"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("l.*"), 0);
    ck_assert_int_eq(shell_count("*.tmp"), 0);
}
END_TEST

/* ---- things that go wrong on the way --------------------------------------------------------------- */

/* Points on a line, so that the layout is known, and enough of them for the run to take a while. */
static void save_large(void) {
    float *row = malloc(LARGE * sizeof *row);
    char text[118];
    FILE *f = fopen(shell_path("large.npy"), "wb");
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", LARGE,
             LARGE);
    fwrite("\x93NUMPY\x01\x00\x76", 1, 10, f);
    fprintf(f, "%-117s\n", text);
    for (int i = 0; i < LARGE; i++) {
        for (int j = 0; j < LARGE; j++) row[j] = (float)abs(i - j);
        fwrite(row, sizeof *row, LARGE, f);
    }
    ck_assert(!fclose(f));
    free(row);
    shell_do("mkdir -p $D/pages");
}

#define PAGED \
    "TMPDIR=$D/pages $G mds --input distances --keep paged $D/large.npy -o $D/l.npy --report $D/l.json "
static const double delays[] = {0, 0.05, 0.2, 0.5};
enum { DELAYS = sizeof delays / sizeof *delays };

static void nothing_left(void) {
    ck_assert_int_eq(shell_count("l.*"), 0);
    ck_assert_int_eq(shell_count("*.tmp"), 0);
    ck_assert_int_eq(shell_count("pages/*"), 0);
}

/* A signal may come when the outputs are in place already: then they are whole. */
static void nothing_left_or_whole(void) {
    static unsigned char layout[1 << 16];
    if (shell_count("l.npy")) {
        size_t size = shell_slurp("l.npy", layout, sizeof layout), head = layout[8] + 256u * layout[9];
        ck_assert_uint_eq(size, 10 + head + LARGE * 2 * sizeof(float));
        shell_do("rm $D/l.*");
    }
    nothing_left();
}

/* Another process cuts the file, or lengthens it: a message, never SIGBUS. */
START_TEST(a_file_that_changes_while_it_is_paged) {
    save_large();
    shell_do("mv $D/large.npy $D/kept.npy");
    for (int i = 0; i < 2 * DELAYS; i++) {
        const char *change = i % 2 ? "truncate -s +1000 $D/large.npy" : "truncate -s 20000000 $D/large.npy";
        int code = shell_while(change, NULL, delays[i / 2],
                               "rm -f $D/l.* $D/pages/*; cp $D/kept.npy $D/large.npy; " PAGED);
        ck_assert_msg(code == 1, "after %g s: exit %d: %s", delays[i / 2], code, shell_err);
        shell_has(shell_err, "large.npy");
        /* Before it is opened, the file has another size than its header says. */
        ck_assert_msg(
            strstr(shell_err, "changed while it was being read") || strstr(shell_err, "the file has"),
            "after %g s: %s", delays[i / 2], shell_err);
        nothing_left();
    }
}
END_TEST

START_TEST(ends_while_paging) {
    static const struct {
        const char *name;
        int code;
    } signals[] = {{"INT", 128 + 2}, {"TERM", 128 + 15}, {"KILL", 128 + 9}};
    save_large();
    for (int i = 0; i < 3 * DELAYS; i++) {
        char act[32];
        snprintf(act, sizeof act, "kill -%s $!", signals[i % 3].name);
        int code = shell_while(act, NULL, delays[i / 3], "rm -f $D/l.* $D/pages/*; " PAGED);
        ck_assert_msg(code == signals[i % 3].code, "%s after %g s: exit %d: %s", signals[i % 3].name,
                      delays[i / 3], code, shell_err);
        if (code != 128 + 9) shell_has(shell_err, "interrupted");
        /* Some file systems make no file without a name: killed in that moment, an empty one stays. */
        if (code == 128 + 9) shell_do("find $D/pages -type f -empty -delete");
        nothing_left_or_whole();
    }
}
END_TEST

/* /dev/full takes nothing; a limit on file sizes stands for a disk that fills up. */
START_TEST(full_disks) {
    save_large();
    plane p = plane_new(N, 4);
    plane_square("f4.npy", "f4", &p);
    plane_free(&p);
    shell_do("for e in npy csv png svg json; do ln -s /dev/full $D/full.$e; done");
    static const bad_line cases[] = {
        {"$G mds --input distances $D/f4.npy -o $D/full.npy", {"full.npy", "No space left"}},
        {"$G mds --input distances $D/f4.npy -o $D/full.csv", {"full.csv", "No space left"}},
        {"$G mds --input distances $D/f4.npy --picture $D/full.png", {"full.png", "No space left"}},
        {"$G mds --input distances $D/f4.npy --picture $D/full.svg", {"full.svg", "No space left"}},
        {"$G mds --input distances $D/f4.npy --report $D/full.json", {"full.json", "No space left"}},
        {"$G mds --input distances $D/f4.npy -o - >/dev/full", {"standard output", "No space left"}},
        {"TMPDIR=$D/nowhere $G mds --input distances --keep paged $D/f4.npy", {"nowhere", "TMPDIR"}},
    };
    static const bad_line limited[] = {
        {"(ulimit -f 1; " PAGED "--quiet)", {"pages", "MiB", "File too large", "TMPDIR"}},
        {"(ulimit -f 8; $G mds --input distances $D/large.npy -o $D/l.npy)", {"l.npy", "File too large"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    if (shell_driver_bears_limits()) shell_expect(1, limited, sizeof limited / sizeof *limited);
    nothing_left();
}
END_TEST

/* Whether a file of few numbers between commas and lines has these, within 1e-5. */
static void numbers_are(const char *name, int count, const double *want) {
    char text[512], *at = text;
    text[shell_slurp(name, text, sizeof text)] = 0;
    for (int i = 0; i < count; i++) {
        ck_assert_double_eq_tol(strtod(at, &at), want[i], 1e-5);
        at += *at != 0;
    }
    ck_assert_str_eq(at, "");
}

#define CLASSICAL "$G mds --quiet --method classical --input distances "

/* A rectangle of 4 × 3: Σx² is 16, Σy² is 9. A star of three leaves, each 1 from the middle and 2 from the
 * others: B has the eigenvalues 2, 2 and -1/4, beside the 0 of the constant vector. */
START_TEST(classical) {
    static const double corners[] = {16, 0.64, 9, 0.36},
                        star[] = {2, 2 / 3.75, 2, 2 / 3.75, -0.25, -0.25 / 3.75};
    static const char *const keys[] = {"\"trace\": 25",          "\"converged\": true",
                                       "\"least_eigenvalue\": ", "\"residual\": ",
                                       "\"proportion\": ",       "\"readings of the matrix\": 1"};
    SHELL_TEXT("r.txt", "0 3 4 5\n3 0 5 4\n4 5 0 3\n5 4 3 0\n");
    SHELL_TEXT("star.txt", "0 1 1 1\n1 0 2 2\n1 2 0 2\n1 2 2 0\n");
    shell_do(CLASSICAL "$D/r.txt -o $D/l.csv --eigenvalues $D/e.csv --report $D/r.json --picture $D/p.svg");
    shell_has(shell_out, "4 points in 2 dimensions: 100 % of the trace explained, ");
    numbers_are("e.csv", 4, corners);
    char report[8192];
    report[shell_slurp("r.json", report, sizeof report)] = 0;
    for (int i = 0; i < 6; i++) shell_has(report, keys[i]);
    shell_do(CLASSICAL "$D/star.txt --dim 3 -o $D/l.csv --eigenvalues $D/e.csv");
    shell_has(shell_out,
              "106.7 % of the trace explained; not Euclidean: the least eigenvalue is at most -0.25, ");
    numbers_are("e.csv", 6, star);
}
END_TEST

/* The star: Lingoes adds 1/4 to every eigenvalue. Cailliez adds (2 - √3) / (√3 - 1): then the middle is as
 * far from the leaves as the centre of their triangle is. The corners of the rectangle are (0, 0), (0, 3),
 * (4, 0) and (4, 3), and the first coordinates of the layout positive there: slopes are negative. */
START_TEST(corrections_and_biplots) {
    static const double lingoes[] = {2.25, 0.5, 2.25, 0.5, 0, 0}, slopes[] = {-1, 0, -1, -2};
    SHELL_TEXT("r.txt", "0 3 4 5\n3 0 5 4\n4 5 0 3\n5 4 3 0\n");
    SHELL_TEXT("star.txt", "0 1 1 1\n1 0 2 2\n1 2 0 2\n1 2 2 0\n");
    SHELL_TEXT("v.txt", "0 0\n0 6\n4 4\n4 10\n");
    shell_do(CLASSICAL "$D/star.txt --dim 3 --exact --correction lingoes --eigenvalues $D/e.csv");
    shell_has(shell_out, "100 % of the trace explained; corrected by 0.25, ");
    numbers_are("e.csv", 6, lingoes);
    shell_do("$G pcoa --quiet --input distances $D/star.txt --correction cailliez --report $D/r.json");
    shell_has(shell_out, "corrected by 0.36602");
    char report[8192];
    report[shell_slurp("r.json", report, sizeof report)] = 0;
    shell_has(report, "\"correction\": 0.36602");
    shell_do("$G pcoa --quiet --input distances $D/r.txt --variables $D/v.txt --biplot $D/b.csv");
    numbers_are("b.csv", 4, slopes);
}
END_TEST

/* The rectangle again. A row with the distances of a corner gets its place; one as far from all is the
 * middle. */
START_TEST(new_rows) {
    static const double places[] = {2, 1.5, 0, 0}, of_points[] = {2, 1.5, 0, 0, -6, -4.5};
    SHELL_TEXT("r.txt", "0 3 4 5\n3 0 5 4\n4 5 0 3\n5 4 3 0\n");
    SHELL_TEXT("new.txt", "0 3 4 5\n2.5 2.5 2.5 2.5\n");
    SHELL_TEXT("points.txt", "0 0\n0 3\n4 0\n4 3\n");
    SHELL_TEXT("more.txt", "0 0\n2 1.5\n8 6\n");
    SHELL_TEXT("no.npz", "0 0\n");
    shell_do("$G pcoa --quiet --input distances $D/r.txt --save-model $D/m.npz");
    shell_do("$G mds --quiet --transform $D/new.txt --model $D/m.npz -o $D/l.csv");
    shell_has(shell_out, "2 rows placed among 4 points in 2 dimensions, ");
    numbers_are("l.csv", 4, places);
    shell_do("$G pcoa --quiet $D/points.txt --save-model $D/p.npz");
    shell_do("$G mds --quiet --transform $D/more.txt --model $D/p.npz -o $D/l.csv");
    numbers_are("l.csv", 6, of_points);
    shell_do("$G mds --quiet --seed 1 --input distances $D/r.txt -o $D/fit.csv --save-model $D/s.npz");
    shell_do("$G mds --quiet --transform $D/r.txt --model $D/s.npz -o $D/l.csv");
    shell_do("head -c 300 $D/m.npz >$D/cut.npz");
    double fit[8];
    char text[512], *at = text;
    text[shell_slurp("fit.csv", text, sizeof text)] = 0;
    for (int i = 0; i < 8; i++, at += *at != 0) fit[i] = strtod(at, &at);
    numbers_are("l.csv", 8, fit);
    static const bad_line cases[] = {
        {"$G mds --transform $D/more.txt --model $D/m.npz",
         {"more.txt: new rows have 2 distances", "4 points"}},
        {"$G mds --transform $D/new.txt --model $D/p.npz", {"new.txt: new rows have 4 columns", "have 2"}},
        {"$G mds --transform $D/new.txt --model $D/no.npz", {"no.npz: it is no zip file"}},
        {"$G mds --transform $D/new.txt --model $D/cut.npz", {"cut.npz: it", "an array"}}};
    static const bad_line usage[] = {
        {"$G mds --transform $D/new.txt", {"--transform and --model go together"}},
        {"$G mds --transform $D/new.txt --model $D/r.txt", {"--model takes an .npz file, not"}},
        {"$G mds $D/r.txt --save-model $D/m.csv", {"--save-model takes an .npz file, not"}},
        {"$G mds --transform $D/new.txt --model $D/m.npz --picture $D/p.svg", {"one output, -o"}}};
    shell_expect(1, cases, 4);
    shell_expect(2, usage, 4);
}
END_TEST

/* Squares of the rectangle's sides are in the same order. Only the side of a triangle may be 0. */
START_TEST(ordinal) {
    SHELL_TEXT("r.txt", "0 9 16 25\n9 0 25 16\n16 25 0 9\n25 16 9 0\n");
    SHELL_TEXT("zero.txt", "0 0 4\n0 0 5\n4 5 0\n");
    shell_do(
        "$G mds --quiet --method ordinal --input distances $D/r.txt --report $D/r.json --picture $D/p.svg");
    shell_has(shell_out, "4 points in 2 dimensions: stress-1 ");
    char report[8192];
    report[shell_slurp("r.json", report, sizeof report)] = 0;
    double stress = strtod(strstr(report, "\"stress\": ") + 10, NULL);
    ck_assert_double_lt(stress, 1e-3);
    shell_do("$G mds --quiet --method ordinal --ties secondary --input distances $D/zero.txt -o $D/l.csv");
    static const bad_line usage[] = {
        {"$G mds --input distances $D/r.txt --ties secondary", {"--ties goes with --method ordinal"}},
        {"$G mds --input distances $D/r.txt --method ordinal --save-model $D/m.npz",
         {"--save-model does not go"}},
        {"$G mds --input distances $D/r.txt --method ordinal --exact",
         {"--exact goes with --method classical"}}};
    shell_expect(2, usage, 3);
}
END_TEST

/* The corners of the rectangle, turned by a quarter and shifted, are its layout. */
START_TEST(starts_and_targets) {
    static const double turned[] = {10, 20, 7, 20, 10, 24, 7, 24};
    SHELL_TEXT("r.txt", "0 3 4 5\n3 0 5 4\n4 5 0 3\n5 4 3 0\n");
    SHELL_TEXT("t.txt", "10 20\n7 20\n10 24\n7 24\n");
    SHELL_TEXT("few.txt", "10 20\n7 20\n");
    shell_do("$G mds --quiet --input distances $D/r.txt --start classical --align $D/t.txt -o $D/l.csv");
    shell_has(shell_out, "stress 0, 1 iteration");
    numbers_are("l.csv", 8, turned);
    shell_do("$G mds --quiet --input distances $D/r.txt --start $D/t.txt --align $D/t.txt -o $D/l.csv");
    numbers_are("l.csv", 8, turned);
    shell_do("$G pcoa --quiet --input distances $D/r.txt --align $D/t.txt -o $D/l.csv");
    numbers_are("l.csv", 8, turned);
    static const bad_line cases[] = {{"$G mds --input distances $D/r.txt --start $D/few.txt",
                                      {"start layout has 2 rows, but there are 4"}},
                                     {"$G mds --input distances $D/r.txt --align $D/few.txt",
                                      {"few.txt: the layout to align with has 2 rows"}},
                                     {"$G mds --input distances $D/r.txt --start $D/none.txt", {"none.txt"}}};
    static const bad_line usage[] = {
        {"$G pcoa --input distances $D/r.txt --start $D/t.txt",
         {"--start goes with --method glimmer or ordinal"}},
        {"$G pcoa --input distances $D/r.txt --align $D/t.txt --save-model $D/m.npz",
         {"--align does not go"}}};
    shell_expect(1, cases, 3);
    shell_expect(2, usage, 2);
}
END_TEST

START_TEST(shepard_diagrams) {
    SHELL_TEXT("r.txt", "0 9 16 25\n9 0 25 16\n16 25 0 9\n25 16 9 0\n");
    shell_do("$G mds --quiet --method ordinal --input distances $D/r.txt --shepard $D/o.svg");
    shell_do("grep -q 'r.txt: Shepard diagram' $D/o.svg && grep -q 'in their order' $D/o.svg");
    shell_do("$G pcoa --quiet --input distances $D/r.txt --shepard $D/c.svg && grep -q 'perfect' $D/c.svg");
    static const bad_line usage[] = {
        {"$G mds $D/r.txt --shepard $D/s.csv", {"s.csv", "name must end in .png, .svg or .html"}},
        {"$G mds --input graph --components $D/r.txt --shepard $D/s.svg", {"--shepard does not go"}}};
    shell_expect(2, usage, 2);
}
END_TEST

START_TEST(bad_classical) {
    SHELL_TEXT("gap.txt", "0 3 nan\n3 0 5\nnan 5 0\n");
    SHELL_TEXT("four.txt", "1\n2\n3\n4\n");
    SHELL_TEXT("r.txt", "0 3 4\n3 0 5\n4 5 0\n");
    static const bad_line cases[] = {
        {CLASSICAL "$D/gap.txt", {"gap.txt: row 1, column 3: the distance is missing", "--method glimmer"}},
        {CLASSICAL "$D/r.txt --variables $D/four.txt --biplot $D/b.csv",
         {"four.txt has 4 rows, but", "r.txt has 3 points"}}};
    static const bad_line usage[] = {
        {"$G mds $D/r.txt --eigenvalues $D/e.csv", {"--eigenvalues goes with --method classical"}},
        {"$G mds $D/r.txt --exact", {"--exact goes with --method classical"}},
        {"$G mds $D/r.txt --correction lingoes", {"--correction goes with --method classical"}},
        {CLASSICAL "$D/r.txt --variables $D/four.txt", {"--variables and --biplot go together"}},
        {CLASSICAL "$D/r.txt --eigenvalues $D/e.xyz", {"e.xyz"}}};
    static const bad_line refused[] = {
        {CLASSICAL "$D/r.txt --dim 3", {"3 points has at most 2 dimensions"}},
        {CLASSICAL "$D/r.txt --attempts 2", {"--attempts"}},
        {CLASSICAL "$D/r.txt --weights $D/r.txt", {"no weights", "--method glimmer"}}};
    shell_expect(1, cases, 2);
    shell_expect(2, usage, 5);
    shell_expect(1, refused, 3);
    shell_do("$G mds --quiet --input distances $D/gap.txt --method glimmer");
}
END_TEST

Suite *cli_distances_suite(void) {
    Suite *s = suite_create("cli/distances");
    TCase *t = shell_case(s, "distances", 300);
    tcase_add_test(t, every_form_ends_at_no_stress);
    tcase_add_test(t, larger_ones_are_paged);
    tcase_add_test(t, symmetrize_averages);
    tcase_add_test(t, bad_distances);
    tcase_add_test(t, a_file_that_changes_while_it_is_paged);
    tcase_add_test(t, ends_while_paging);
    tcase_add_test(t, full_disks);
    tcase_add_test(t, classical);
    tcase_add_test(t, corrections_and_biplots);
    tcase_add_test(t, new_rows);
    tcase_add_test(t, ordinal);
    tcase_add_test(t, starts_and_targets);
    tcase_add_test(t, shepard_diagrams);
    tcase_add_test(t, bad_classical);
    return s;
}
