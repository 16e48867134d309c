/* Many inputs as one job: the files of single runs, in order of nothing but their names; failures that stay
 * alone; what is refused before any work. */
#include <string.h>

#include "cli/shell.h"

Suite *cli_batch_suite(void);

#define CLOUDS                                                                                           \
    "cd $D; for k in 1 2 3 4 5 6 7 8 9; do awk -v k=$k 'BEGIN { srand(k); for (i = 0; i < 20 + k; i++) " \
    "print "                                                                                             \
    "rand(), rand(), rand() }' >c$k.txt; done; cd - >/dev/null; "
#define RIPS "$G rips --format point-cloud -q "

START_TEST(files_are_those_of_single_runs) {
    shell_do(CLOUDS RIPS "$D/c?.txt -o $D/many/ && ls $D/c?.txt | tac >$D/list && " RIPS
                         "--batch $D/list --threads 3 -o \"$D/more/x*.json\"");
    shell_do("for k in 1 2 3 4 5 6 7 8 9; do " RIPS "$D/c$k.txt -o $D/one.csv >/dev/null; " RIPS
             "$D/c$k.txt -o $D/one.json >/dev/null; cmp $D/one.csv $D/many/c$k.csv && "
             "cmp $D/one.json $D/more/xc$k.json || exit 1; done");
    ck_assert_int_eq(shell_count("many/*"), 9);
    ck_assert_int_eq(shell_count("more/*"), 9);
    /* A folder that is there; names without an extension, or with two of them. */
    shell_do("cp $D/c1.txt $D/plain; gzip -c $D/c1.txt >$D/z.txt.gz; mkdir $D/few; " RIPS
             "$D/plain $D/z.txt.gz -o $D/few && cmp $D/few/plain.csv $D/many/c1.csv && "
             "cmp $D/few/z.csv $D/many/c1.csv");
    shell_do(": >$D/none; " RIPS "--batch $D/none -o $D/few/");
    shell_has(shell_out, "0 inputs");
    /* Large ones take all threads, one at a time. */
    shell_do(
        "awk 'BEGIN { srand(5); for (i = 0; i < 600; i++) print rand(), rand() }' >$D/large.txt; cp "
        "$D/large.txt "
        "$D/larger.txt; " RIPS "$D/large.txt $D/larger.txt $D/c1.txt -o $D/large/ && " RIPS
        "$D/large.txt -o $D/one.csv >/dev/null; cmp $D/one.csv $D/large/larger.csv");
}
END_TEST

START_TEST(failures_stay_alone) {
    shell_do(CLOUDS "printf '1 2\\n3 nan\\n' >$D/bad.txt");
    int code = shell(RIPS "$D/c1.txt $D/bad.txt $D/missing.txt $D/c2.txt -o $D/out/");
    ck_assert_int_eq(code, 1);
    shell_has(shell_err, "bad.txt: ");
    shell_has(shell_err, "missing.txt: ");
    shell_has(shell_err, "2 of 4 inputs failed");
    shell_do("ls $D/out | xargs");
    ck_assert_str_eq(shell_out, "c1.csv c2.csv\n");
    /* An output that cannot be written is a failure of its input. */
    shell_do("mkdir $D/out/c3.csv");
    ck_assert_int_eq(shell(RIPS "$D/c3.txt $D/c4.txt -o $D/out/"), 1);
    shell_has(shell_err, "1 of 2 inputs failed");
    ck_assert_int_eq(shell_count("out/c4.csv"), 1);
}
END_TEST

START_TEST(signals_leave_whole_files) {
    shell_do(
        "cd $D; for k in $(seq 1000 1400); do seq $k $((k + 30)) | awk '{ print sin($1 * $1), cos($1) }' "
        ">s$k.txt; "
        "done; for k in s1400 s1399; do " RIPS "$k.txt -o $k.csv >/dev/null 2>&1 || true; done");
    int code = shell_while("kill -INT $!", "[ -e $D/out/s1002.csv ]", 0.02, RIPS "$D/s*.txt -o $D/out/");
    ck_assert_int_eq(code, 130);
    ck_assert_int_eq(shell_count("out/*.tmp"), 0);
    shell_do(
        "for f in $D/out/*.csv; do head -n 1 $f | grep -q ^dim && [ -z \"$(tail -c 1 $f)\" ] || exit 1; "
        "done");
}
END_TEST

START_TEST(refusals) {
    shell_do(CLOUDS "mkdir $D/a; cp $D/c1.txt $D/a/");
    static const bad_line usage[] = {
        {RIPS "$D/c1.txt $D/c2.txt", {"several inputs need -o FOLDER/"}},
        {RIPS "$D/c1.txt $D/c2.txt -o $D/one.csv", {"several inputs need -o FOLDER/"}},
        {RIPS "$D/c1.txt $D/a/c1.txt -o $D/out/", {"two inputs have the same name", "out/c1.csv"}},
        {RIPS "$D/c1.txt $D/c2.txt -o \"$D/*.txt\"", {"the output", "is the input", "c1.txt"}},
        {RIPS "$D/c1.txt -o \"$D/*.xyz\"", {".xyz", ".npy"}},
        {RIPS "$D/c1.txt -o \"$D/*/*.csv\"", {"one * stands for"}},
        {RIPS "$D/c1.txt - -o $D/out/", {"standard input goes alone"}},
        {RIPS "$D/c1.txt $D/c2.txt -o $D/out/ --picture $D/p.png", {"--picture goes with one input"}},
        {RIPS "$D/c1.txt $D/c2.txt -o $D/out/ --cocycles $D/p.json", {"--cocycles goes with one input"}},
        {RIPS "$D/c1.txt $D/c2.txt -o $D/out/ --dry-run", {"--dry-run goes with one input"}},
        {"$G knn $D/c1.txt $D/c2.txt", {"one input at a time"}},
        {"$G pack $D/c1.txt $D/c2.txt", {"one input at a time"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    static const bad_line failures[] = {
        {RIPS "--batch $D/nowhere -o $D/out/", {"nowhere", "No such file"}},
        {RIPS "$D/c1.txt -o $D/c2.txt/x/", {"cannot be made"}},
        {RIPS "$D/c1.txt --device nonsense -o $D/out/", {"nonsense"}},
    };
    shell_expect(1, failures, sizeof failures / sizeof *failures);
}
END_TEST

Suite *cli_batch_suite(void) {
    Suite *s = suite_create("cli/batch");
    TCase *t = shell_case(s, "batch", 120);
    tcase_add_test(t, files_are_those_of_single_runs);
    tcase_add_test(t, failures_stay_alone);
    tcase_add_test(t, signals_leave_whole_files);
    tcase_add_test(t, refusals);
    return s;
}
