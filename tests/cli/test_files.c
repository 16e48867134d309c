/* The files that a command line names: none is written over another, and none is left half. */
#include <string.h>

#include "cli/shell.h"

Suite *cli_files_suite(void);

static void make_inputs(void) {
    SHELL_TEXT("p.csv", "0,0\n0,1\n1,1\n1,0\n3,1\n");
    SHELL_TEXT("d.txt", "0 1 2\n1 0 2\n2 2 0\n");
    SHELL_TEXT("g.txt", "1 2 5\n2 3 6\n");
    SHELL_TEXT("labels.csv", "a\nb\na\nb\na\n");
    SHELL_TEXT("layout.csv", "0,0\n0,1\n1,1\n1,0\n3,1\n");
    shell_do(
        "cd $D; ln -s p.csv soft.csv; ln p.csv hard.csv; ln -s . here; ln -s p.csv soft.svg; "
        "printf '\\x93NUMPY\\x01\\x00\\x76\\x00%%-117s\\n' \"{'descr': '|u1', 'fortran_order': False, "
        "'shape': (2, 2), }\" >f.npy; printf abcd >>f.npy; ln -s f.npy f.csv");
}

/* Every kind of output over every kind of input, by every kind of name. */
START_TEST(inputs_are_not_written_over) {
    make_inputs();
    static const bad_line cases[] = {
        {"$G mds $D/p.csv -o $D/p.csv", {"-o", "p.csv is the same file as INPUT"}},
        {"$G mds $D/p.csv -o $D/./p.csv", {"./p.csv is the same file as INPUT, ", "name of its own"}},
        {"$G mds $D/p.csv -o $D/here/p.csv", {"INPUT"}},
        {"$G mds $D/p.csv -o $D/soft.csv", {"soft.csv is the same file as INPUT"}},
        {"$G mds $D/soft.csv -o $D/p.csv", {"INPUT"}},
        {"$G mds $D/p.csv -o $D/hard.csv", {"hard.csv is the same file as INPUT"}},
        {"$G mds - -o $D/p.csv <$D/p.csv", {"INPUT"}},
        {"$G mds $D/p.csv -o - >>$D/p.csv", {"-o", "INPUT"}},
        {"$G mds $D/p.csv --picture $D/soft.svg", {"--picture", "INPUT"}},
        {"$G mds $D/p.csv --report $D/p.csv", {"--report", "INPUT"}},
        {"$G mds $D/p.csv --labels $D/labels.csv -o $D/labels.csv", {"-o", "labels.csv", "--labels"}},
        {"$G mds --input distances $D/d.txt --weights $D/d.txt -o $D/d.txt", {"-o", "INPUT"}},
        {"$G rips $D/d.txt -o $D/d.txt", {"-o", "INPUT"}},
        {"$G rips $D/d.txt --cocycles $D/d.txt", {"--cocycles", "INPUT"}},
        {"$G knn -k 1 $D/p.csv --distances $D/p.csv", {"--distances", "INPUT"}},
        {"$G mst $D/g.txt -o $D/g.txt", {"-o", "INPUT"}},
        {"$G linkage $D/p.csv --clusters 2 --labels-out $D/p.csv", {"--labels-out", "INPUT"}},
        {"$G linkage $D/p.csv --leaves $D/p.csv", {"--leaves", "INPUT"}},
        {"$G linkage $D/p.csv --clusters 2 --layout $D/layout.csv --picture $D/a.svg -o $D/layout.csv",
         {"-o", "--layout"}},
        {"$G linkage $D/p.csv --connectivity $D/g.txt -o $D/g.txt", {"-o", "--connectivity"}},
        {"$G delaunay $D/p.csv --neighbors $D/p.csv", {"--neighbors", "INPUT"}},
        {"$G alpha $D/p.csv --alpha 1 -o $D/p.csv", {"-o", "INPUT"}},
        {"$G alpha $D/p.csv --spectrum $D/p.csv", {"--spectrum", "INPUT"}},
        {"$G mergetree $D/f.npy -o $D/f.npy", {"-o", "INPUT"}},
        {"$G mergetree $D/f.npy --diagram $D/f.csv", {"--diagram", "INPUT"}},
        {"$G mergetree $D/f.npy --segmentation $D/f.npy", {"--segmentation", "INPUT"}},
        {"$G mergetree $D/g.txt --values $D/p.csv --diagram $D/p.csv", {"--diagram", "--values"}},
        {"$G pack $D/f.npy -o $D/f.npy", {"-o", "INPUT"}},
        {"$G mds $D/p.csv --picture $D/p.jpg", {"p.jpg", "must end in .png, .svg or .html"}},
        {"$G mds $D/p.csv --picture $D/png", {"must end in .png, .svg or .html"}},
    };
    /* What an interrupted run has left is an input like others, also by another name. */
    static const bad_line parts[] = {
        {"$G pack $D/o.npy.part --format npy -o $D/o.npy", {"o.npy.part is the input"}},
        {"$G pack $D/zeros.npy -o $D/o.npy", {"o.npy.part is the input"}},
    };
    shell_do(
        "cd $D && printf '\\223NUMPY\\001\\000\\166\\000%%-117s\\n' \"{'descr': '<f4', 'fortran_order': "
        "False, "
        "'shape': (2, 2), }\" >zeros.npy; head -c 16 /dev/zero >>zeros.npy; ln zeros.npy o.npy.part; "
        ": >o.npy.part.state; cp zeros.npy copy");
    shell_expect(1, parts, 2);
    shell_do("cd $D && cmp copy o.npy.part && rm o.npy.part*");
    shell_do("cd $D && cat p.csv d.txt g.txt labels.csv layout.csv f.npy | cksum >before");
    shell_expect(2, cases, sizeof cases / sizeof *cases);
    shell_do("cd $D && cat p.csv d.txt g.txt labels.csv layout.csv f.npy | cksum | cmp - before");
    ck_assert_int_eq(shell_count("a.svg") + shell_count("*.tmp"), 0);
}
END_TEST

START_TEST(outputs_have_names_of_their_own) {
    make_inputs();
    SHELL_TEXT("old.csv", "old");
    static const bad_line cases[] = {
        {"$G mds $D/p.csv -o $D/o.csv --report $D/o.csv", {"--report", "o.csv is the same file as -o"}},
        {"$G mds $D/p.csv -o $D/o.csv --report $D/./o.csv", {"--report", "o.csv"}},
        {"$G mds $D/p.csv -o $D/o.csv --report $D/here/o.csv", {"--report", "-o"}},
        {"cd $D && $OLDPWD/$G mds p.csv -o o.csv --report ./o.csv", {"--report", "-o"}},
        {"$G mds $D/p.csv -o $D/old.csv --report $D/old.csv", {"--report", "-o"}},
        {"$G knn -k 1 $D/p.csv -o $D/o.csv --distances $D/o.csv", {"-o", "--distances"}},
        {"$G linkage $D/p.csv --leaves $D/o.csv -o $D/o.csv", {"-o", "--leaves"}},
        {"$G alpha $D/p.csv --picture $D/o.svg --barcode $D/o.svg --alpha 1", {"--barcode", "--picture"}},
        {"$G mds $D/p.csv -o - --report -", {"--report and -o cannot both be standard output"}},
        {"$G alpha $D/p.csv --alpha 1 -o - --diagram -", {"cannot both be standard output"}},
        {"$G mds $D/p.csv -o - --report $D/old.csv >>$D/old.csv", {"--report", "-o"}},
        {"$G mds - --labels - <$D/p.csv", {"--labels and INPUT cannot both be standard input"}},
    };
    shell_expect(2, cases, sizeof cases / sizeof *cases);
    ck_assert_int_eq(shell_count("o.*") + shell_count("*.tmp"), 0);
    shell_do("printf old | cmp - $D/old.csv");
    /* What is no file may be named twice, and another folder has the same name. */
    shell_do(
        "mkdir $D/other; $G knn -k 1 $D/p.csv -o $D/o.csv --distances $D/other/o.csv --report /dev/null");
    shell_do("$G alpha $D/p.csv --report /dev/null --alpha 1 -o - --diagram $D/e.csv >/dev/null");
    shell_do("ln -s /dev/null $D/null.csv; $G knn -k 1 $D/p.csv -o $D/null.csv --distances $D/null.csv");
}
END_TEST

/* A descriptor's name is the descriptor: what its file has is kept, and no line is printed over the report.
 */
START_TEST(descriptors_keep_their_files) {
    make_inputs();
    shell_do(
        "cd $D; G=$OLDPWD/$G; for to in '/dev/stdout >>log' '/dev/fd/1 >>log' '/dev/fd/3 3>>log'; do "
        "echo kept >log; eval \"$G knn -k 1 p.csv --report $to\" || exit; "
        "[ \"$(sed -n '1p;2p;$p' log | tr -d '\\n')\" = 'kept{}' ] || exit; done; "
        "$G knn -k 1 p.csv --report /dev/stdout >log; head -c 1 log | grep -q {");
    static const bad_line cases[] = {
        {"$G mds $D/p.csv -o - --report /dev/stdout", {"cannot both be standard output"}},
    };
    shell_expect(2, cases, sizeof cases / sizeof *cases);
    static const bad_line closed[] = {{"$G mds $D/p.csv --report /dev/fd/9", {"/dev/fd/9"}}};
    shell_expect(1, closed, 1);
}
END_TEST

Suite *cli_files_suite(void) {
    Suite *s = suite_create("cli/files");
    TCase *t = shell_case(s, "files", 180);
    tcase_add_test(t, inputs_are_not_written_over);
    tcase_add_test(t, outputs_have_names_of_their_own);
    tcase_add_test(t, descriptors_keep_their_files);
    return s;
}
