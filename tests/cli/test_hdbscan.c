/* glshape hdbscan as a user meets it: every kind of input, every output, every refusal. */
#include <stdlib.h>
#include <string.h>

#include "cli/shell.h"

#define HDBSCAN "$G hdbscan --quiet "

static void save_line(void) {
    SHELL_TEXT("line.csv", "0\n1\n2\n10\n11\n12\n50\n");
    SHELL_TEXT("pieces.txt", "a b 1\nb c 2\nc a 3\nd e 0.5\ne f 0.7\nf d 1\ng h 4\n");
}

static void file_is(const char *name, const char *want) {
    char text[1024];
    text[shell_slurp(name, text, sizeof text)] = 0;
    ck_assert_str_eq(text, want);
}

START_TEST(points) {
    save_line();
    SHELL_TEXT("new.csv", "1\n11\n30\n");
    shell_do(
        HDBSCAN
        "$D/line.csv --min-cluster-size 3 --min-samples 1 -o $D/l.csv --probabilities $D/p.csv --outliers "
        "$D/g.csv --exemplars $D/e.csv --condensed $D/c.csv --tree $D/t.csv --predict $D/new.csv "
        "--predicted $D/n.csv --report $D/r.json");
    shell_has(shell_out, "7 points: 2 clusters, 1 point of noise");
    file_is("l.csv", "0\n0\n0\n1\n1\n1\n-1\n");
    file_is("p.csv", "1\n1\n1\n1\n1\n1\n0\n");
    file_is("g.csv", "0\n0\n0\n0\n0\n0\n0.9736842105263158\n");
    file_is("e.csv", "0,0\n0,1\n0,2\n1,3\n1,4\n1,5\n");
    file_is("c.csv",
            "7,6,0.02631578947368421,1\n7,8,0.125,3\n7,9,0.125,3\n9,3,1,1\n9,4,1,1\n9,5,1,1\n"
            "8,0,1,1\n8,1,1,1\n8,2,1,1\n");
    file_is("t.csv", "0,1,1,2\n2,7,1,3\n3,4,1,2\n5,9,1,3\n8,10,8,6\n6,11,38,7\n");
    file_is("n.csv", "0,1\n1,1\n-1,0\n");
    char report[4096];
    report[shell_slurp("r.json", report, sizeof report)] = 0;
    static const char *const keys[] = {"\"clusters\": 2", "\"noise\": 1", "\"min_samples\": 1",
                                       "\"condensed_clusters\": 3", "\"rounds\": "};
    for (int i = 0; i < 5; i++) shell_has(report, keys[i]);
    shell_do(HDBSCAN "- -o - --min-cluster-size 3 --min-samples 1 < $D/line.csv");
    shell_has(shell_out, "0\n0\n0\n1\n1\n1\n-1\n");
    shell_has(shell_err, "2 clusters");
}
END_TEST

START_TEST(options) {
    save_line();
    shell_do(HDBSCAN "$D/line.csv --min-cluster-size 3 --min-samples 1 --dbscan 8 -o $D/l.csv");
    file_is("l.csv", "0\n0\n0\n0\n0\n0\n-1\n");
    shell_do(
        HDBSCAN
        "$D/line.csv --min-cluster-size 3 --min-samples 1 --dbscan 0.5 -o $D/l.csv --exemplars $D/e.csv");
    shell_has(shell_out, "0 clusters, 7 points of noise");
    shell_do(HDBSCAN
             "$D/line.csv --min-cluster-size 3 --min-samples 1 --epsilon 9 --allow-single-cluster "
             "-o $D/l.csv");
    file_is("l.csv", "0\n0\n0\n0\n0\n0\n-1\n");
    shell_do(HDBSCAN "$D/line.csv --min-cluster-size 2 --min-samples 1 --selection leaf -o $D/l.csv");
    shell_has(shell_out, "2 clusters");
    shell_do(
        HDBSCAN
        "$D/line.csv --min-cluster-size 3 --min-samples 1 --max-epsilon 7 -o $D/l.csv --exemplars $D/e.csv");
    shell_has(shell_out, "0 clusters, 7 points");
    file_is("e.csv", "");
    shell_do(HDBSCAN "$D/line.csv --min-cluster-size 3 --max-cluster-size 2");
    shell_has(shell_out, "0 clusters");
    shell_do(HDBSCAN "$D/line.csv --min-cluster-size 3 --alpha 2 --tree $D/t.csv");
    file_is("t.csv", "0,1,2,2\n2,7,2,3\n3,4,2,2\n5,9,2,3\n8,10,4,6\n6,11,39,7\n");
}
END_TEST

START_TEST(other_inputs) {
    save_line();
    SHELL_TEXT("square.txt", "0 1 2 9 9\n1 0 1 9 9\n2 1 0 9 9\n9 9 9 0 1\n9 9 9 1 0\n");
    const char *const keeps[] = {"", "--keep paged", "--keep resident"};
    for (int i = 0; i < 3; i++) {
        shell_do(HDBSCAN "--input distances $D/square.txt -o $D/l.csv --min-cluster-size 2 %s", keeps[i]);
        file_is("l.csv", "0\n0\n0\n1\n1\n");
    }
    shell_do(HDBSCAN
             "--input graph --weighted $D/pieces.txt -o $D/l.csv --min-cluster-size 3 --min-samples 2 "
             "--tree $D/t.csv --outliers $D/g.csv");
    shell_has(shell_out, "8 points in 3 components: 2 clusters, 2 points of noise");
    file_is("l.csv", ",cluster\na,0\nb,0\nc,0\nd,1\ne,1\nf,1\ng,-1\nh,-1\n");
    file_is("g.csv", ",outlier_score\na,0\nb,0\nc,0\nd,0\ne,0\nf,0\ng,1\nh,1\n");
    SHELL_TEXT("words.mtx",
               "%%MatrixMarket matrix coordinate real general\n4 3 6\n1 1 3\n2 1 3\n2 2 4\n3 1 6\n"
               "3 2 8\n4 3 5\n");
    shell_do(HDBSCAN
             "--input documents $D/words.mtx -o $D/l.csv --min-cluster-size 2 --allow-single-cluster");
    file_is("l.csv", "-1\n0\n0\n-1\n");
}
END_TEST

START_TEST(pictures) {
    save_line();
    char text[1 << 14];
    shell_do(
        HDBSCAN
        "$D/line.csv --min-cluster-size 3 --picture $D/line.svg && $G hdbscan -q --input graph --weighted "
        "$D/pieces.txt --min-cluster-size 2 --picture $D/graph.png && $G hdbscan -q $D/line.csv "
        "--min-cluster-size 3 --dbscan 2 --layout $D/line.csv --picture $D/cut.svg");
    text[shell_slurp("line.svg", text, sizeof text)] = 0;
    shell_has(text, "line.csv: HDBSCAN*");
    shell_has(text, "cluster 1");
    text[shell_slurp("cut.svg", text, sizeof text)] = 0;
    shell_has(text, "DBSCAN* by the tree");
    ck_assert_int_eq(shell_count("*.png"), 1);
}
END_TEST

START_TEST(refusals) {
    save_line();
    SHELL_TEXT("nan.csv", "1,2\n0,nan\n3,1\n2,2\n5,5\n");
    SHELL_TEXT("one.csv", "1,2\n");
    SHELL_TEXT("wide.csv", "1,2\n3,4\n");
    SHELL_TEXT("missing.txt", "0 1 3\n1 0 nan\n3 nan 0\n");
    static const bad_line cases[] = {
        {HDBSCAN "$D/line.csv --min-samples 8", {"line.csv", "min_samples is 8, but there are 7 points"}},
        {HDBSCAN "$D/line.csv --min-cluster-size 9", {"line.csv", "min_samples is 9", "min_cluster_size"}},
        {HDBSCAN "$D/nan.csv", {"nan.csv", "row 2"}},
        {HDBSCAN "$D/one.csv --min-samples 1", {"one.csv", "1 point cannot be clustered"}},
        {HDBSCAN "$D/line.csv --predict $D/wide.csv --predicted $D/z.csv",
         {"wide.csv has 2 columns", "line.csv has 1"}},
        {HDBSCAN "$D/line.csv --predict $D/nan.csv --predicted $D/z.csv", {"nan.csv", "row 2"}},
        {HDBSCAN "$D/line.csv --layout $D/wide.csv --picture $D/z.png", {"wide.csv", "2 points", "7"}},
        {HDBSCAN "--input distances $D/missing.txt --min-samples 2", {"missing.txt", "row 2, column 3"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {HDBSCAN "$D/line.csv --alpha 1e300", {"--alpha", "from 1e-6 to 1e6", "'1e300'"}},
        {HDBSCAN "$D/line.csv --selection leaf --max-epsilon 3", {"--max-epsilon goes with --selection eom"}},
        {HDBSCAN "$D/line.csv --selection leaf --max-cluster-size 3", {"--max-cluster-size goes with"}},
        {HDBSCAN "$D/line.csv --min-cluster-size 1", {"--min-cluster-size", "2"}},
        {HDBSCAN "$D/line.csv --min-samples 0", {"--min-samples"}},
        {HDBSCAN "$D/line.csv --epsilon -1", {"--epsilon", "at least 0", "-1"}},
        {HDBSCAN "$D/line.csv --epsilon nan", {"--epsilon", "nan"}},
        {HDBSCAN "$D/line.csv --max-epsilon 0", {"--max-epsilon", "above 0"}},
        {HDBSCAN "$D/line.csv --alpha 0", {"--alpha", "above 0"}},
        {HDBSCAN "$D/line.csv --alpha -2", {"--alpha", "above 0"}},
        {HDBSCAN "$D/line.csv --dbscan x", {"--dbscan", "'x'"}},
        {HDBSCAN "$D/line.csv --selection best", {"--selection"}},
        {HDBSCAN "$D/line.csv --predict $D/one.csv", {"--predict and --predicted"}},
        {HDBSCAN "$D/line.csv --predicted $D/z.csv", {"--predict and --predicted"}},
        {HDBSCAN "--input graph $D/pieces.txt --predict $D/one.csv --predicted $D/z.csv",
         {"--predict goes with"}},
        {HDBSCAN "--input graph $D/pieces.txt --keep paged", {"--keep goes with"}},
        {HDBSCAN "--input distances $D/missing.txt --metric cosine", {"--metric"}},
        {HDBSCAN "$D/line.csv --layout $D/line.csv", {"--layout goes with --picture"}},
        {HDBSCAN "$D/line.csv --exemplars $D/line.csv", {"--exemplars", "INPUT"}},
        {HDBSCAN "$D/line.csv --predict $D/one.csv --predicted $D/one.csv", {"--predicted", "--predict"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("z.*"), 0);
}
END_TEST

Suite *cli_hdbscan_suite(void) {
    Suite *s = suite_create("cli/hdbscan");
    TCase *c = shell_case(s, "hdbscan", 120);
    tcase_add_test(c, points);
    tcase_add_test(c, options);
    tcase_add_test(c, other_inputs);
    tcase_add_test(c, pictures);
    tcase_add_test(c, refusals);
    return s;
}
