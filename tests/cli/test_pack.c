/* glshape pack: what comes out, killed at any time and continued, disks that are full. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plane.h"

/* Each step of pack is 64 MiB of output: so many points make three. */
enum { LARGE = 6000 };

static void save_large(void) {
    float *row = malloc(LARGE * sizeof *row);
    FILE *f = fopen(shell_path("in.npy"), "wb");
    char text[118];
    snprintf(text, sizeof text, "{'descr': '>f4', 'fortran_order': False, 'shape': (%d, %d), }", LARGE,
             LARGE);
    fwrite("\x93NUMPY\x01\x00\x76", 1, 10, f);
    fprintf(f, "%-117s\n", text);
    for (int i = 0; i < LARGE; i++) {
        for (int j = 0; j < LARGE; j++) { /* big-endian 2^k, so that every row is worth comparing */
            unsigned char *bytes = (unsigned char *)&row[j];
            int k = i == j ? -127 : (i ^ j) % 61;
            bytes[0] = (unsigned char)((127 + k) >> 1);
            bytes[1] = (unsigned char)((127 + k) << 7);
            bytes[2] = bytes[3] = 0;
        }
        fwrite(row, sizeof *row, LARGE, f);
    }
    ck_assert(!fclose(f));
    free(row);
}

#define STATE(rows) "grep -qs 'rows " rows "' $D/out.npy.part.state"

/* Sends a signal. A run that has its whole output in place by then has ended first, though not exited. */
#define STOP(number, out) \
    "kill -" number " $!; wait $!; code=$?; cmp -s $D/whole.npy $D/" out " && exit 0; exit $code"

/* Kills the run as soon as its state says that rows are done: once early, once late. */
START_TEST(killed_runs_are_continued) {
    static const char *const states[] = {STATE("[1-9]"), STATE("[4-9]"), STATE("0")};
    save_large();
    shell_do("$G pack $D/in.npy -o $D/whole.npy");
    for (int i = 0; i < 3; i++) {
        int code = shell_while(STOP("KILL", "out.npy"), states[i], 0,
                               "rm -f $D/out.npy; $G pack --threads 1 $D/in.npy -o $D/out.npy");
        ck_assert_msg(code == 128 + 9, "%s: exit %d: %s", states[i], code, shell_err);
        ck_assert_int_eq(shell_count("out.npy"), 0);
        ck_assert_int_eq(shell_count("out.npy.part"), 1);
        shell_do("$G pack $D/in.npy -o $D/out.npy");
        if (i < 2) shell_has(shell_out, "continued after ");
        shell_do("cmp $D/whole.npy $D/out.npy");
        ck_assert_int_eq(shell_count("out.npy.*"), 0);
    }
}
END_TEST

START_TEST(interrupted_runs_are_continued) {
    save_large();
    shell_do("$G pack $D/in.npy -o $D/whole.npy");
    int code = shell_while(STOP("INT", "out.npy"), STATE("[1-9]"), 0,
                           "rm -f $D/out.npy; $G pack $D/in.npy -o $D/out.npy");
    ck_assert_msg(code == 130, "exit %d: %s", code, shell_err);
    shell_has(shell_err, "run the same command again");
    ck_assert_int_eq(shell_count("out.npy"), 0);
    shell_do("$G pack $D/in.npy -o $D/out.npy && cmp $D/whole.npy $D/out.npy");
    /* While it checks. */
    code = shell_while(STOP("INT", "new.npy"), NULL, 0, "rm -f $D/new.npy; $G pack $D/in.npy -o $D/new.npy");
    ck_assert_msg(code == 130, "exit %d: %s", code, shell_err);
    shell_has(shell_err, "interrupted");
    ck_assert_int_eq(shell_count("new.npy"), 0);
}
END_TEST

/* What is packed is laid out as what it was packed from. */
START_TEST(packed_is_what_it_was) {
    plane p = plane_new(40, 6);
    FILE *f = fopen(shell_path("lower.txt"), "w");
    for (size_t i = 1; i < p.n; i++)
        for (size_t j = 0; j < i; j++) fprintf(f, "%.9g%c", (float)p.d[i * p.n + j], j + 1 < i ? ' ' : '\n');
    fclose(f);
    shell_do("gzip -c $D/lower.txt | $G pack - -o $D/out.npy");
    shell_has(shell_out, "40 points");
    plane_square("f4.npy", "f4", &p);
    shell_do("cmp $D/out.npy $D/f4.npy");
    plane_lay_out(&p, "--input distances --keep paged $D/out.npy", 1e-6, 3e-3);
    plane_free(&p);
}
END_TEST

START_TEST(bad_packs) {
    plane p = plane_new(40, 7);
    plane_square("good.npy", "f4", &p);
    p.d[40 * 3 + 5] += 1;
    plane_square("skew.npy", "f4", &p);
    p.d[40 * 3 + 5] = -1;
    plane_square("negative.npy", "f4", &p);
    plane_free(&p);
    shell_do("ln -s /dev/full $D/full.npy; head -c 5000 $D/good.npy >$D/cut.npy; mkdir $D/folder.npy");
    static const bad_line cases[] = {
        {"$G pack $D/cut.npy -o $D/l.npy", {"cut.npy", "(40, 40)", "6528", "5000"}},
        {"$G pack $D/skew.npy -o $D/l.npy", {"skew.npy", "row 4, column 6", "--symmetrize"}},
        {"$G pack $D/negative.npy -o $D/l.npy", {"negative.npy", "row 4, column 6 is -1"}},
        {"$G pack $D/nowhere.npy -o $D/l.npy", {"nowhere.npy", "No such file"}},
        {"$G pack $D/good.npy -o $D/nowhere/l.npy", {"nowhere"}},
        {"$G pack $D/good.npy -o $D/folder.npy", {"folder.npy"}},
        {"$G pack $D/good.npy -o $D/full.npy", {"full.npy", "no file"}},
        {"(ulimit -f 4; $G pack - -o $D/l.npy <$D/good.npy)", {"l.npy", "File too large"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {"$G pack $D/good.npy -o $D/l.csv", {"l.csv", ".npy"}},
        {"$G pack $D/good.npy --format xml -o $D/l.npy", {"xml"}},
        {"$G pack", {"which input"}},
        {"$G pack $D/good.npy", {"which output"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("l.*"), 0);
}
END_TEST

/* A disk that fills up: what is done is kept, and used once there is room. */
START_TEST(a_full_disk) {
    save_large();
    int code = shell("(ulimit -f 200000; $G pack $D/in.npy -o $D/out.npy)");
    ck_assert_msg(code == 1, "exit %d: %s", code, shell_err);
    shell_has(shell_err, "out.npy.part: File too large");
    shell_has(shell_err, "run the same command again");
    ck_assert_int_eq(shell_count("out.npy"), 0);
    shell_do("$G pack $D/in.npy -o $D/out.npy");
    shell_has(shell_out, "continued after ");
    shell_do("$G pack $D/in.npy -o $D/whole.npy && cmp $D/whole.npy $D/out.npy");
}
END_TEST

Suite *cli_pack_suite(void) {
    Suite *s = suite_create("cli/pack");
    TCase *t = shell_case(s, "pack", 180);
    tcase_add_test(t, killed_runs_are_continued);
    tcase_add_test(t, interrupted_runs_are_continued);
    tcase_add_test(t, packed_is_what_it_was);
    tcase_add_test(t, bad_packs);
    tcase_add_test(t, a_full_disk);
    return s;
}
