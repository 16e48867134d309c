/* glshape linkage as a user meets it: every kind of input, every output, every refusal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell.h"

#define LINKAGE "$G linkage --quiet "

static void save_line(void) {
    SHELL_TEXT("line.csv", "0\n1\n3\n10\n12\n15\n");
    SHELL_TEXT("square.txt", "0 1 3 10\n1 0 2 9\n3 2 0 7\n10 9 7 0\n");
    SHELL_TEXT("upper.txt", "0 1 3 10\n0 2 9\n0 7\n0\n");
    SHELL_TEXT("named.csv", ",x\n0,0\n1,1\n");
    SHELL_TEXT("pieces.txt", "a b 1\nb c 2\nd e 0.5\n");
}

static void file_is(const char *name, const char *want) {
    char text[512];
    text[shell_slurp(name, text, sizeof text)] = 0;
    ck_assert_str_eq(text, want);
}

START_TEST(points) {
    save_line();
    shell_do(LINKAGE
             "$D/line.csv -o $D/z.csv --clusters 2 --labels-out $D/l.csv --leaves $D/o.txt --cophenetic "
             "--report $D/r.json --search pairs");
    shell_has(shell_out, "6 points: heights 1 to 7, 2 clusters, cophenetic correlation 0.9");
    file_is("z.csv", "0,1,1,2\n2,6,2,3\n3,4,2,2\n5,8,3,3\n7,9,7,6\n");
    file_is("l.csv", "0\n0\n0\n1\n1\n1\n");
    file_is("o.txt", "2\n0\n1\n5\n3\n4\n");
    char report[4096];
    report[shell_slurp("r.json", report, sizeof report)] = 0;
    static const char *const keys[] = {
        "\"edges certified\": ", "\"edges searched for\": ", "\"neighbors\": 5", "\"clusters\": 2",
        "\"cophenetic_correlation\": 0.9"};
    for (int i = 0; i < 5; i++) shell_has(report, keys[i]);
    shell_do(LINKAGE
             "$D/line.csv -k 1 -o $D/y.csv --distance 2 --labels-out $D/l.csv && cmp $D/z.csv $D/y.csv");
    file_is("l.csv", "0\n0\n0\n1\n1\n2\n");
    shell_do(LINKAGE "$D/line.csv --distance 2 --labels-out $D/l.npy && grep -aq '(6,)' $D/l.npy"); /* 1-D */
    shell_do(LINKAGE "- -o - --distance 0 --labels-out $D/l.csv < $D/line.csv");
    shell_has(shell_out, "7,9,7,6\n");
    shell_has(shell_err, "6 clusters");
    shell_do(
        "echo 1 2 3 >$D/one.txt && $G linkage $D/one.txt -o $D/one.npy --clusters 1 --labels-out $D/l.csv");
    file_is("l.csv", "0\n");
    shell_do("printf '0 0\\n3 4\\n' >$D/two.txt && $G linkage $D/two.txt -o $D/z.csv");
    file_is("z.csv", "0,1,5,2\n");
}
END_TEST

/* Some columns of a table, and all but one. */
START_TEST(columns_of_a_table) {
    static const char want[] = "0,1,1,2\n2,6,2,3\n3,4,2,2\n5,8,3,3\n7,9,7,6\n";
    SHELL_TEXT("t.csv", "who,x,zero,note\na,0,0,u\nb,1,0,v\nc,3,0,w\nd,10,0,\ne,12,0,u\nf,15,0,u\n");
    SHELL_TEXT("named.csv", "who,x,zero\na,0,0\nb,1,0\nc,3,0\nd,10,0\ne,12,0\nf,15,0\n");
    static const char *const lines[] = {"$D/t.csv --columns x",       "$D/t.csv --columns x,zero",
                                        "$D/t.csv --columns 2-3",     "$D/t.csv --columns x:zero",
                                        "$D/named.csv --index who",   "$D/named.csv --index 1",
                                        "- --index who <$D/named.csv"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell_do(LINKAGE "%s -o $D/z.csv", lines[i]);
        file_is("z.csv", want);
    }
    shell_do(LINKAGE
             "$D/named.csv --index who -o $D/z.npy && $G linkage -q $D/z.npy --columns 3 -o $D/z.csv");
    file_is("z.csv", "1,2,0,2\n0,5,1,3\n3,6,1,4\n4,7,4,5\n");
    shell_do("gzip $D/z.npy && " LINKAGE "$D/z.npy.gz --columns 3 -o $D/y.csv && cmp $D/y.csv $D/z.csv");
    shell_do("$G knn -q -k 1 $D/named.csv --index who --queries $D/t.csv --columns x,zero -o $D/k.csv");
    shell_do(
        "$G mst -q --input points $D/t.csv --columns x -o $D/m.csv && $G mds -q $D/t.csv --columns 2-3 -o "
        "$D/m.csv");
    shell_do(
        "$G rips -q --input points $D/t.csv --columns x,zero && $G hdbscan -q $D/t.csv --columns x -o "
        "$D/h.csv");
    SHELL_TEXT("square.txt", "0 1\n1 0\n");
    SHELL_TEXT("pieces.txt", "a b 1\n");
    static const bad_line cases[] = {
        {LINKAGE "$D/named.csv", {"line 2, column 1: 'a' is not a number", "as --index who"}},
        {LINKAGE "$D/t.csv", {"'a' is not a number", "as --columns x,zero"}},
        {LINKAGE "$D/t.csv --columns y", {"t.csv has no column 'y'", "'who' 'x' 'zero' 'note'"}},
        {LINKAGE "$D/t.csv --columns 2-9", {"t.csv has 4 columns"}},
    };
    static const bad_line usage[] = {
        {LINKAGE "--input distances $D/square.txt --columns 2", {"--columns goes with points"}},
        {LINKAGE "--input graph $D/pieces.txt --index 1", {"--index goes with points"}},
        {LINKAGE "$D/t.csv --columns x,,zero", {"--columns", "x,,zero"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    shell_expect(2, usage, sizeof usage / sizeof *usage);
}
END_TEST

/* Asserts that a line without --quiet leaves a note that has the words, and one with it none. */
static void notes(const char *line, const char *has) {
    shell_do("$G linkage %s -o $D/z.csv", line);
    shell_has(shell_err, "glshape: note: ");
    shell_has(shell_err, has);
    shell_do(LINKAGE "%s -o $D/z.csv", line);
    ck_assert_str_eq(shell_err, "");
}

/* What scipy, too, says of such rows, and what it computes from them as distances. */
START_TEST(suspicious_points) {
    save_line();
    notes("$D/square.txt", "square.txt looks suspiciously like a distance matrix, but is read as points");
    shell_do(LINKAGE "--input distances $D/square.txt -o $D/a.csv");
    shell_do("printf '1\n3\n10\n2\n9\n7\n' >$D/vector.txt");
    notes("$D/vector.txt", "vector.txt looks suspiciously like a condensed distance matrix, of 6 values");
    shell_do(LINKAGE "--input distances $D/vector.txt -o $D/b.csv && cmp $D/a.csv $D/b.csv");
    notes("--input distances $D/upper.txt", "say --format upper-distance if the zeros are distances");
    shell_do("cmp $D/a.csv $D/z.csv");
    notes("--input graph $D/pieces.txt", "pieces.txt has values, which are ignored");
    notes("$D/named.csv", "named.csv: the first column has no name");
    static const char *const plain[] = {"$D/two.txt", "$D/five.txt", "--input distances $D/square.txt",
                                        "--input graph --weighted $D/pieces.txt"};
    SHELL_TEXT("two.txt", "0 1\n2 0\n");
    SHELL_TEXT("five.txt", "0\n1\n3\n7\n9\n");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        shell_do("$G linkage %s -o $D/z.csv", plain[i]);
        ck_assert_ptr_null(strstr(shell_err, "note"));
    }
}
END_TEST

/* A matrix with inf where a graph has no edge: the same tree, by hand, and the same clusters. */
START_TEST(points_that_are_never_joined) {
    static const char *const inputs[] = {"--input distances $D/never.txt", "--input distances $D/never.npy",
                                         "--input distances --keep resident $D/never.npy",
                                         "--input graph --weighted $D/pieces.txt"};
    static const char plain[] = "0\n0\n0\n1\n1\n", named[] = ",cluster\na,0\nb,0\nc,0\nd,1\ne,1\n";
    save_line();
    SHELL_TEXT("never.txt",
               "0 1 inf inf inf\n1 0 2 inf inf\ninf 2 0 inf inf\ninf inf inf 0 0.5\n"
               "inf inf inf 0.5 0\n");
    SHELL_TEXT("missing.txt", "0 nan 1\nnan 0 2\n1 2 0\n");
    shell_do("$G pack -q $D/never.txt -o $D/never.npy");
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        shell_do(LINKAGE "%s -o $D/z.csv --distance 100 --labels-out $D/l.csv", inputs[i]);
        shell_has(shell_out, "5 points in 2 components");
        file_is("z.csv", "3,4,0.5,2\n0,1,1,2\n2,6,2,3\n5,7,inf,5\n");
        file_is("l.csv", i < 3 ? plain : named);
    }
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        shell_do("$G hdbscan -q %s --min-samples 2 --min-cluster-size 2 -o $D/l.csv --tree $D/z.csv",
                 inputs[i]);
        shell_has(shell_out, "5 points in 2 components: 2 clusters");
        file_is("l.csv", i < 3 ? plain : named);
        file_is("z.csv", "3,4,0.5,2\n0,1,1,2\n2,6,2,3\n5,7,inf,5\n");
    }
    shell_do("$G knn -q --input distances $D/never.txt -k 2 -o $D/k.csv --distances $D/d.csv");
    file_is("k.csv", "1,2\n0,2\n1,0\n4,0\n3,0\n");
    file_is("d.csv", "1,inf\n1,2\n2,inf\n0.5,inf\n0.5,inf\n");
    shell_do("$G knn -q --input distances $D/never.txt --radius 9 -o $D/k.csv");
    file_is("k.csv", "1\n0\n2\n1\n4\n3\n");
    static const bad_line bad[] = {
        {LINKAGE "--input distances $D/missing.txt", {"missing.txt: row 1, column 2 is nan; inf stands for"}},
        {"$G hdbscan --input distances $D/missing.txt --min-samples 1",
         {"missing.txt: row 1, column 2 is nan"}},
        {"$G knn --input distances $D/missing.txt -k 1", {"missing.txt: row 1, column 2 is nan"}},
        {"$G rips $D/missing.txt", {"missing.txt: row 1, column 2 is nan; inf stands for"}},
        {"$G mds --input distances $D/never.txt",
         {"row 1, column 3 is infinite", "nan stands for a missing"}},
        {LINKAGE "--input distances --cophenetic $D/never.txt", {"never.txt", "never joined"}},
    };
    shell_expect(1, bad, sizeof bad / sizeof *bad);
    /* A square without its diagonals, H1 [1.5, inf), as GUDHI has it. */
    SHELL_TEXT("circle.txt", "0 inf 1 1.5\ninf 0 1.5 1\n1 1.5 0 inf\n1.5 1 inf 0\n");
    shell_do("$G rips -q $D/circle.txt -o $D/r.csv && cut -d, -f1-3 $D/r.csv >$D/r.txt");
    file_is("r.txt", "dim,birth,death\n0,0,1\n0,0,1\n0,0,1.5\n0,0,inf\n1,1.5,inf\n");
    SHELL_TEXT("noise.txt", "1e-16 1 2\n1 0 -2e-16\n2 -1e-16 -4e-16\n");
    notes("--input distances $D/noise.txt",
          "values that rounding left below 0, or on the diagonal, are taken for 0");
    file_is("z.csv", "1,2,0,2\n0,3,1,3\n");
}
END_TEST

START_TEST(distances_and_graphs) {
    save_line();
    const char *const keeps[] = {"", "--keep paged", "--keep resident"};
    for (int i = 0; i < 3; i++) {
        shell_do(LINKAGE "--input distances $D/square.txt -o $D/z.csv %s", keeps[i]);
        file_is("z.csv", "0,1,1,2\n2,4,2,3\n3,5,7,4\n");
    }
    SHELL_TEXT("zeros.csv", "a,b,0\na,c,3\nb,c,3\nc,d,12\nd,d,0\n"); /* single linkage by hand */
    shell_do(LINKAGE "--input graph --weighted $D/zeros.csv -o $D/z.csv");
    file_is("z.csv", "0,1,0,2\n2,4,3,3\n3,5,12,4\n");
    shell_do(
        "$G hdbscan -q --input graph --weighted $D/zeros.csv --min-samples 1 --min-cluster-size 2 "
        "--tree $D/z.csv");
    file_is("z.csv", "0,1,0,2\n2,4,3,3\n3,5,12,4\n");
    /* The first neighbor of each row, as scikit-learn's kneighbors_graph(X, 1) has it: 3 → 4, but not back.
     */
    SHELL_TEXT("near.mtx",
               "%%MatrixMarket matrix coordinate real general\n6 6 6\n1 2 1\n2 1 1\n3 2 1\n4 5 1\n"
               "5 4 1\n6 5 1\n");
    shell_do(LINKAGE "$D/line.csv --connectivity $D/near.mtx -o $D/z.csv");
    file_is("z.csv", "0,1,1,2\n2,6,2,3\n3,4,2,2\n5,8,3,3\n7,9,inf,6\n");
    shell_do(LINKAGE "--input graph --weighted $D/pieces.txt -o $D/z.csv --clusters 2 --labels-out $D/l.csv");
    shell_has(shell_out, "5 points in 2 components");
    file_is("z.csv", "3,4,0.5,2\n0,1,1,2\n2,6,2,3\n5,7,inf,5\n");
    file_is("l.csv", ",cluster\na,0\nb,0\nc,0\nd,1\ne,1\n");
    SHELL_TEXT("ring.txt", "0 3\n3 1\n1 4\n2 5\n5 2\n");
    shell_do(LINKAGE "$D/line.csv --connectivity $D/ring.txt -o $D/z.csv --clusters 2");
    file_is("z.csv", "1,3,9,2\n0,6,10,3\n4,7,11,4\n2,5,12,2\n8,9,inf,6\n");
}
END_TEST

/* A cut at a decimal joins what is that far apart, and a cut at the double before it does not: of distances
 * as text, as float64, as whole numbers beyond single precision, as float32 and of a graph's lengths. */
START_TEST(thresholds) {
    SHELL_TEXT("third.txt", "0 0.1 0.3\n0.1 0 0.2\n0.3 0.2 0\n");
    SHELL_TEXT("third.edges", "0 1 0.1\n1 2 0.2\n3 4 0.1\n");
    SHELL_TEXT("wide.txt", "16777217\n16777219 16777218\n");
    shell_do(LINKAGE "--input distances $D/third.txt --distance 0.1 --labels-out -");
    shell_has(shell_out, "0\n0\n1\n");
    shell_do(LINKAGE "--input distances $D/third.txt --distance 0.09999999999999999 --labels-out -");
    shell_has(shell_out, "0\n1\n2\n");
    shell_do(LINKAGE "--input distances $D/wide.txt --distance 16777216 --labels-out -");
    shell_has(shell_out, "0\n1\n2\n");
    shell_do(LINKAGE "--input distances $D/wide.txt --distance 16777217 --labels-out -");
    shell_has(shell_out, "0\n0\n1\n");
    shell_do("! printf '0 9007199254740993\\n9007199254740993 0\\n' | " LINKAGE "--input distances - -o -");
    shell_has(shell_err, "line 1, column 2 is an integer beyond 2^53");
    shell_do(LINKAGE "--input graph --weighted $D/third.edges --distance 0.1 --labels-out -");
    shell_has(shell_out, "0\n0\n1\n2\n2\n");
    shell_do(
        "$G hdbscan -q --input distances $D/third.txt --min-samples 1 --min-cluster-size 2 --dbscan 0.1 -o "
        "-");
    shell_has(shell_out, "0\n0\n-1\n");
    shell_do("$G knn -q --input distances $D/third.txt --radius 0.1 -o -");
    shell_has(shell_out, "1\n0\n");
    shell_do("$G knn -q --input query-distances $D/third.txt --radius 0.1 -o -");
    shell_has(shell_out, "0\n1\n1\n0\n2\n");
}
END_TEST

/* Words shared by half, in other proportions, and not at all. */
START_TEST(documents) {
    SHELL_TEXT("words.mtx",
               "%%MatrixMarket matrix coordinate real general\n4 3 6\n1 1 3\n2 1 3\n2 2 4\n3 1 6\n"
               "3 2 8\n4 3 5\n");
    shell_do(LINKAGE "--input documents $D/words.mtx -o $D/z.csv --clusters 2 --labels-out $D/l.csv");
    char text[256], *end;
    text[shell_slurp("z.csv", text, sizeof text)] = 0;
    ck_assert(!strncmp(text, "1,2,0,2\n0,4,", 12) &&
              fabs(strtod(text + 12, &end) - 0.4) < 1e-15); /* 1 - 3/5 */
    ck_assert_str_eq(end, ",3\n3,5,1,4\n");
    file_is("l.csv", "0\n0\n0\n1\n");
    shell_do(LINKAGE "--input documents --metric manhattan --transpose $D/words.mtx -o $D/z.csv");
    file_is("z.csv", "0,1,6,2\n2,3,17,3\n");
}
END_TEST

START_TEST(pictures) {
    save_line();
    char text[1 << 14];
    shell_do(LINKAGE
             "$D/line.csv --picture $D/tree.png && $G linkage $D/line.csv --clusters 2 --layout $D/line.csv "
             "--picture $D/points.svg && $G linkage $D/line.csv --picture $D/tree.svg");
    text[shell_slurp("points.svg", text, sizeof text)] = 0;
    shell_has(text, "cluster 1");
    text[shell_slurp("tree.svg", text, sizeof text)] = 0;
    shell_has(text, "line.csv: single linkage");
    ck_assert_int_eq(shell_count("*.png"), 1);
}
END_TEST

START_TEST(refusals) {
    save_line();
    SHELL_TEXT("zero.csv", "1,2\n0,0\n3,1\n");
    SHELL_TEXT("uneven.txt", "0 1 3\n1 0 2\n3 2.5 0\n");
    SHELL_TEXT("missing.txt", "0 1 3\n1 0 nan\n3 nan 0\n");
    SHELL_TEXT("short.txt", "0 1\n1 2\n");
    SHELL_TEXT("ring.txt", "0 3\n3 1\n1 4\n2 5\n5 2\n");
    SHELL_TEXT("nan.csv", "1,2\n0,nan\n3,1\n");
    static const bad_line cases[] = {
        {LINKAGE "$D/line.csv --clusters 7", {"--clusters 7", "line.csv has 6 points"}},
        {LINKAGE "$D/line.csv -k 6", {"line.csv", "6 neighbors", "of 6 points each has 5 others"}},
        {LINKAGE "$D/zero.csv --metric cosine", {"zero.csv", "row 2"}},
        {LINKAGE "$D/nan.csv", {"nan.csv", "row 2"}},
        {LINKAGE "$D/line.csv --clusters 2 --layout $D/zero.csv --picture $D/p.png",
         {"zero.csv", "3 points", "6"}},
        {LINKAGE "--input distances $D/uneven.txt", {"uneven.txt", "2.5"}},
        {LINKAGE "--input distances $D/missing.txt", {"missing.txt", "row 2, column 3"}},
        {LINKAGE "--input graph --weighted $D/pieces.txt --clusters 1", {"nothing joins the 2 components"}},
        {LINKAGE "$D/line.csv --connectivity $D/pieces.txt", {"pieces.txt", "names"}},
        {LINKAGE "$D/line.csv --connectivity $D/short.txt",
         {"short.txt has 3 nodes", "line.csv has 6 points"}},
        {LINKAGE "$D/line.csv --connectivity $D/ring.txt --clusters 1", {"nothing joins the 2 components"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {LINKAGE "$D/line.csv --distance -1", {"--distance", "at least 0", "-1"}},
        {LINKAGE "$D/line.csv --distance nan", {"--distance", "nan"}},
        {LINKAGE "$D/line.csv --distance 1 --clusters 2", {"--clusters and --distance"}},
        {LINKAGE "$D/line.csv -k 1025", {"--neighbors", "at most 1024", "'1025'"}},
        {LINKAGE "$D/line.csv --labels-out $D/l.csv", {"--labels-out needs clusters"}},
        {LINKAGE "$D/line.csv --layout $D/line.csv --picture $D/p.png", {"--layout needs clusters"}},
        {LINKAGE "$D/line.csv --clusters 2 --layout $D/line.csv", {"--layout goes with --picture"}},
        {LINKAGE "$D/line.csv --keep paged", {"--keep"}},
        {LINKAGE "$D/line.csv -o $D/z.pdf", {"z.pdf"}},
        {LINKAGE "--input distances $D/square.txt -k 2", {"--neighbors goes with --input points"}},
        {LINKAGE "--input graph $D/pieces.txt --cophenetic", {"--cophenetic goes with"}},
        {LINKAGE "--input documents $D/words.mtx --cophenetic", {"--cophenetic goes with"}},
        {LINKAGE "--input documents $D/words.mtx -k 2", {"--neighbors goes with"}},
        {LINKAGE "$D/line.csv --tfidf", {"--tfidf goes with --input documents"}},
        {LINKAGE "--input graph $D/pieces.txt --metric cosine", {"--metric"}},
        {LINKAGE "$D/line.csv --connectivity $D/short.txt -k 2", {"--connectivity goes with"}},
        {LINKAGE "$D/line.csv --clusters 0", {"--clusters"}},
        {LINKAGE "$D/line.csv --neighbors 0", {"--neighbors"}},
        {LINKAGE "$D/line.csv --input rows", {"--input"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("z.*"), 0);
}
END_TEST

Suite *cli_linkage_suite(void) {
    Suite *s = suite_create("cli/linkage");
    TCase *c = shell_case(s, "linkage", 120);
    tcase_add_test(c, points);
    tcase_add_test(c, columns_of_a_table);
    tcase_add_test(c, suspicious_points);
    tcase_add_test(c, points_that_are_never_joined);
    tcase_add_test(c, distances_and_graphs);
    tcase_add_test(c, documents);
    tcase_add_test(c, thresholds);
    tcase_add_test(c, pictures);
    tcase_add_test(c, refusals);
    return s;
}
