/* glshape compare as a user meets it: diagrams of each kind, names, refusals that name the file and the row.
 */
#include <string.h>

#include "cli/shell.h"

Suite *cli_compare_suite(void);

#define COMPARE "$G compare --quiet --metric bottleneck "

static void make_diagrams(void) {
    SHELL_TEXT("a.csv", "dim,birth,death\n0,0,1\n1,0,2\n");
    SHELL_TEXT("tree.csv", "birth,death,x\n0,1,7\n");
    SHELL_TEXT("none.csv", "dim,birth,death\n");
}

/* A table of mergetree's has no dimension; an array without rows is a diagram, too. */
START_TEST(kinds) {
    make_diagrams();
    shell_do(COMPARE "$D/a.csv - -o - <$D/tree.csv");
    shell_has(shell_out, "a,0,1\n-,1,0\n");
    shell_do(COMPARE "$D/a.csv $D/tree.csv $D/none.csv --dim 0 -o -");
    shell_has(shell_out, ",a,tree,none\na,0,0,0.5\ntree,0,0,0.5\nnone,0.5,0.5,0\n");
    shell_do(
        "for s in '(0, 3)' '(0, 2)' '(0,)'; do printf '\\223NUMPY\\001\\000\\166\\000%%-117s\\n' "
        "\"{'descr': '<f8', 'fortran_order': False, 'shape': $s, }\" >$D/none.npy; " COMPARE
        "$D/a.csv $D/none.npy -o - || exit 1; done");
    shell_has(shell_out, ",a,none\na,0,1.5\nnone,1.5,0\n");
}
END_TEST

/* What rips, cubical and alpha write as .json is the same diagram as their .csv. */
START_TEST(of_json) {
    SHELL_TEXT("points.csv", "0,0\n1,0\n1,1.1\n0,1\n5,5\n");
    shell_do("printf 9192995789 >$D/valleys.raw");
    shell_do(
        "for e in csv json; do $G rips -q --format point-cloud $D/points.csv -o $D/r.$e >$D/text; "
        "$G cubical -q $D/valleys.raw --shape 2,5 --type u1 -o $D/c.$e; done");
    shell_do(COMPARE "$D/r.csv $D/r.json -o -");
    shell_has(shell_out, ",r,r\nr,0,0\nr,0,0\n");
    shell_do(COMPARE "$D/c.csv $D/c.json -o -");
    shell_has(shell_out, "c,0,0\nc,0,0\n");
    SHELL_TEXT("a.json",
               "[{\"birth\": 3, \"death\": 1, \"x\": [1, \"]\", {\"a\": null}], \"y\": true},\n"
               " {\"birth\": 4, \"death\": null}]\n");
    SHELL_TEXT("a.csv", "dim,birth,death\n0,3,1\n0,5,-inf\n");
    shell_do(COMPARE "$D/a.json $D/a.csv -o -");
    shell_has(shell_out, "a,0,1\na,1,0\n");
    SHELL_TEXT("none.json", "[]\n");
    shell_do(COMPARE "$D/none.json $D/none.json -o -");
    SHELL_TEXT("cut.json", "[{\"birth\": 3,\n");
    SHELL_TEXT("word.json", "[{\"birth\": 3, \"death\": \"x\"}]");
    SHELL_TEXT("half.json", "[\n{\"birth\": 3}]");
    SHELL_TEXT("more.json", "[] 5");
    SHELL_TEXT("null.json", "[{\"birth\": null, \"death\": 1}]");
    static const bad_line cases[] = {
        {COMPARE "$D/cut.json -o -", {"cut.json, line 2: there is no string in quotes"}},
        {COMPARE "$D/word.json -o -", {"word.json, line 1: a dimension, birth or death is no number"}},
        {COMPARE "$D/half.json -o -", {"half.json, line 2: an interval has no birth or no death"}},
        {COMPARE "$D/more.json -o -", {"more.json, line 1: something follows the list"}},
        {COMPARE "$D/null.json -o -", {"null.json: row 1 has birth nan"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
}
END_TEST

/* Other metrics, and what does not go with them. */
START_TEST(metrics) {
    make_diagrams();
    SHELL_TEXT("b.csv", "dim,birth,death\n0,0,2\n0,5,9\n1,0,2\n");
    shell_do("$G compare -q --metric wasserstein $D/a.csv $D/b.csv -o - --report $D/r.json");
    shell_has(shell_out, ",a,b\na,0,3\nb,3,0\n");
    shell_do("cat $D/r.json");
    shell_has(shell_out, "\"gap\": 0");
    shell_do(
        "$G compare -q --metric wasserstein --order 2 --internal-p 2 --tolerance 0 $D/a.csv $D/b.csv --dim 0 "
        "-o -");
    shell_has(shell_out, "a,0,3\n");
    shell_do(
        "$G compare -q --metric landscape --landscapes 1 --resolution 3 --range 0,2 $D/a.csv $D/b.csv --dim "
        "0 -o -");
    shell_has(shell_out, "a,0,1\nb,1,0\n");
    static const bad_line cases[] = {
        {"$G compare $D/a.csv --order 2", {"--order goes with --metric wasserstein"}},
        {"$G compare $D/a.csv --metric wasserstein --order 0.5",
         {"--order 0.5: it takes a number from 1 to 64"}},
        {"$G compare $D/a.csv --metric wasserstein --tolerance -1",
         {"--tolerance -1: it takes a number, 0 or above"}},
        {"$G compare $D/a.csv --metric bottleneck --cut 1", {"--cut go with --metric image or landscape"}},
        {"$G compare $D/a.csv --metric landscape --bandwidth 1", {"--bandwidth does not go with"}},
        {"$G compare $D/a.csv --metric image --directions 5",
         {"--directions goes with --metric sliced-wasserstein"}},
    };
    shell_expect(2, cases, sizeof cases / sizeof *cases);
}
END_TEST

/* Along deaths, which is the first of two directions, the diagrams differ by 3, along births by 1: the mean
 * is 2, the standard deviation the root of 2. */
START_TEST(errors) {
    SHELL_TEXT("a.csv", "birth,death\n0,2\n");
    SHELL_TEXT("b.csv", "birth,death\n0,4\n");
    shell_do("$G compare $D/a.csv $D/b.csv --directions 2 --errors - -o $D/d.csv --report $D/r.json");
    shell_has(shell_out, ",a,b\na,0,1\nb,1,0\n");
    shell_has(shell_err, "largest standard error 1,");
    shell_do("cat $D/d.csv; grep largest_error $D/r.json");
    shell_has(shell_out, ",a,b\na,0,2\nb,2,0\n");
    shell_has(shell_out, "\"largest_error\": 1");
    static const bad_line cases[] = {
        {"$G compare $D/a.csv --errors - --metric bottleneck",
         {"--errors goes with --metric sliced-wasserstein"}},
        {"$G compare $D/a.csv --errors - --directions 1", {"--errors needs two --directions or more"}},
    };
    shell_expect(2, cases, sizeof cases / sizeof *cases);
}
END_TEST

/* What other commands make of diagrams is what they make of the matrix, of which nothing is written. */
static void same_of_matrix(const char *command, const char *options, const char *keep) {
    shell_do("$G compare -q $D/all %s -o $D/d.npy && $G %s %s -q --input distances $D/d.npy -o $D/a.npy",
             options, command, keep);
    shell_do("$G %s -q --input diagrams $D/all %s %s -o $D/b.npy", command, options, keep);
    shell_do("cmp $D/a.npy $D/b.npy");
}

START_TEST(of_other_commands) {
    shell_do(
        "mkdir $D/all; for k in $(seq 10 49); do (echo dim,birth,death; seq 1 $((k %% 7 + 1)) | "
        "awk -v k=$k '{print $1 %% 2 \",\" $1 * k %% 5 \",\" $1 * k %% 5 + $1 * k %% 11 + 1}') "
        ">$D/all/$k.csv; done");
    same_of_matrix("mds", "", "");
    same_of_matrix("linkage", "", "--keep paged");
    same_of_matrix("linkage", "--metric bottleneck", "");
    same_of_matrix("hdbscan", "--metric wasserstein --order 2 --tolerance 0", "--keep paged");
    same_of_matrix("knn", "--metric image --bandwidth 0.5", "");
    same_of_matrix("linkage", "--metric landscape --landscapes 2", "--keep paged");
    shell_do("$G compare -q $D/all --dim 1 -o $D/d.npy && $G pcoa -q --input distances $D/d.npy -o $D/a.npy");
    shell_do("$G pcoa -q --input diagrams --diagram-dim 1 $D/all -o $D/b.npy && cmp $D/a.npy $D/b.npy");
    shell_do("$G mds -q --input diagrams $D/all/10.csv $D/all/11.csv $D/all/12.csv -o -");
    shell_has(shell_out, "\"10\",");
    static const bad_line cases[] = {
        {"$G mds $D/all/10.csv $D/all/11.csv", {"there is one input at a time, not both '"}},
        {"$G mds $D/all/10.csv --metric bottleneck", {"goes with --input diagrams"}},
        {"$G mds $D/all/10.csv --directions 7", {"--directions goes with --input diagrams"}},
        {"$G mds $D/all/10.csv --diagram-dim 0", {"--diagram-dim goes with --input diagrams"}},
        {"$G knn $D/all --input diagrams --metric cosine", {"--input diagrams goes with --metric sliced-"}},
        {"$G linkage $D/all --input diagrams --order 2", {"--order goes with --metric wasserstein"}},
        {"$G mds $D/all --input diagrams --format csv", {"--format goes with --input points or distances"}},
    };
    shell_expect(2, cases, sizeof cases / sizeof *cases);
}
END_TEST

START_TEST(refusals) {
    make_diagrams();
    shell_do("mkdir $D/all; cp $D/a.csv $D/tree.csv $D/all");
    SHELL_TEXT("nan.csv", "dim,birth,death\n0,0,1\n1,3,nan\n");
    SHELL_TEXT("inf.csv", "birth,death\n# one\n3,4\ninf,4\n");
    SHELL_TEXT("word.csv", "birth,death\n3,4\n3,x\n");
    SHELL_TEXT("dim.csv", "dim,birth,death\n17,3,4\n");
    SHELL_TEXT("other.csv", "u,v\n3,4\n");
    static const bad_line cases[] = {
        {COMPARE "$D/a.csv $D/nan.csv -o -", {"nan.csv: row 2 has birth 3, death nan"}},
        {COMPARE "$D/a.csv $D/inf.csv -o -", {"inf.csv: row 2 has birth inf, death 4"}},
        {COMPARE "$D/a.csv $D/word.csv -o -", {"word.csv: line 3, column 'death': 'x' is not a number"}},
        {COMPARE "$D/a.csv $D/dim.csv -o -", {"dim.csv: row 1 has the dimension 17"}},
        {COMPARE "$D/a.csv $D/other.csv -o -", {"other.csv has no column 'dim'"}},
        {COMPARE "$D/a.csv $D/tree.csv -o $D/tree.csv", {"tree.csv is the same file as INPUT"}},
        {COMPARE "$D/all -o $D/all/tree.csv", {"tree.csv is the same file as INPUT"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    shell_do(COMPARE "$D/a.csv $D/nan.csv --dim 0 -o -");
}
END_TEST

Suite *cli_compare_suite(void) {
    Suite *s = suite_create("cli/compare");
    TCase *t = shell_case(s, "all", 60);
    tcase_add_test(t, kinds);
    tcase_add_test(t, of_json);
    tcase_add_test(t, metrics);
    tcase_add_test(t, errors);
    tcase_add_test(t, of_other_commands);
    tcase_add_test(t, refusals);
    return s;
}
