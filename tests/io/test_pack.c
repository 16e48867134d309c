/* Packed distances: the bytes NumPy writes, also when the run was cut anywhere and taken up again. */
#define _XOPEN_SOURCE 700 /* symlink */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "files.h"
#include "io/distances/distances.h"
#include "io/distances/pack.h"

Suite *io_pack_suite(void);

#define FOLDER GOLDEN "distances/"
enum { N = 150, ROW = N * 4 };

static error err;

static io_distances *open_it(const char *path) {
    io_distances *d;
    IO_OK(&err, io_distances_open(&err, path, IO_DISTANCES_AUTO, &d));
    return d;
}

static void same_bytes(const char *path, const char *expected_path, size_t from) {
    size_t count, expected_count;
    char *bytes = files_load(path, &count), *expected = files_load(expected_path, &expected_count);
    ck_assert_uint_eq(count, expected_count);
    ck_assert_msg(!memcmp(bytes + from, expected + from, count - from), "%s differs from %s", path,
                  expected_path);
    free(bytes);
    free(expected);
}

/* Only the file and what was there before are left. */
static void nothing_else(const char *out) {
    char path[600];
    snprintf(path, sizeof path, "%s.part", out);
    ck_assert_int_ne(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s.part.state", out);
    ck_assert_int_ne(access(path, F_OK), 0);
}

START_TEST(every_format_packs_to_what_numpy_saves) {
    static const char *const tails[] = {"-f4-C-little.npy", "-f4-F-big.npy",  "-f8-C-big.npy",
                                        "-f8-F-little.npy", "-condensed.npy", "-full.csv",
                                        "-lower.csv",       "-upper.csv",     "-lower.bin",
                                        ".dipha",           ".dipha.gz"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        char in[256];
        snprintf(in, sizeof in, FOLDER "real%s", tails[i]);
        io_distances *d = open_it(in);
        const char *out = files_path("out.npy");
        IO_OK(&err, io_pack(&err, d, out, NULL));
        same_bytes(out, FOLDER "real-f4-C-little.npy", 0);
        nothing_else(out);
        io_distances_close(d);
    }
}
END_TEST

START_TEST(standard_input_is_packed) {
    standard_input_from(FOLDER "missing.dipha");
    io_distances *d = open_it("-");
    const char *out = files_path("out.npy");
    IO_OK(&err, io_pack(&err, d, out, NULL));
    io_distances_close(d);
    d = open_it(out);
    io_distances_facts facts;
    IO_OK(&err, io_distances_check(&err, d, 0, NULL, NULL, &facts));
    ck_assert_uint_eq(facts.missing, 3);
    io_distances_close(d);
}
END_TEST

/* ---- interruption ----------------------------------------------------------------------------------- */

/* A matrix that is not symmetric, as doubles in .npy (swapped: in the other byte order). */
static const char *make_input(const char *name, uint64_t seed) {
    static char file[128 + N * N * 8];
    random_state random = {seed};
    memcpy(file, "\x93NUMPY\x01\x00\x76", 10);
    memset(file + 10, ' ', 117);
    int length = sprintf(file + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", N, N);
    file[10 + length] = ' ';
    file[127] = '\n';
    for (int i = 0; i < N * N; i++) {
        double value = i % (N + 1) ? random_unit(&random) : 0;
        memcpy(file + 128 + 8 * i, &value, 8);
    }
    return files_make(name, file, sizeof file);
}

/* Stops at the call that makes left 0. */
static bool count_down(void *user, double fraction) {
    ck_assert(fraction >= 0 && fraction <= 1);
    return --*(int *)user > 0;
}

static glshape_status pack_until(const char *in, const char *out, bool symmetrize, int calls,
                                 uint32_t *resumed) {
    io_pack_options o = {.symmetrize = symmetrize,
                         .threads = 2,
                         .step = 40 * ROW,
                         .progress = count_down,
                         .user = &calls,
                         .resumed = resumed};
    io_distances *d = open_it(in);
    glshape_status status = io_pack(&err, d, out, &o);
    io_distances_close(d);
    return status;
}

/* Cut after every step; and after every step of the rest, and so on: each start does calls - 1 steps. */
START_TEST(an_interrupted_run_is_continued) {
    const char *in = make_input("in.npy", 1), *whole = files_path("whole.npy"), *out = files_path("out.npy");
    for (int symmetrize = 0; symmetrize < 2; symmetrize++) {
        uint32_t resumed, expected = 0;
        IO_OK(&err, pack_until(in, whole, symmetrize, 100, &resumed));
        for (int calls = 1; calls <= 5; calls++) {
            ck_assert_int_eq(pack_until(in, out, symmetrize, calls, &resumed), GLSHAPE_CANCELLED);
            ck_assert_uint_eq(resumed, 0);
            ck_assert_msg(strstr(err.text, "run the same command again") != NULL, "%s", err.text);
            ck_assert_int_ne(access(out, F_OK), 0);
            IO_OK(&err, pack_until(in, out, symmetrize, 100, &resumed));
            expected = calls == 5 ? N : (uint32_t)(calls - 1) * 40;
            ck_assert_uint_eq(resumed, expected);
            same_bytes(out, whole, 0);
            nothing_else(out);
            remove(out);
        }
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(pack_until(in, out, symmetrize, 2, &resumed), GLSHAPE_CANCELLED);
        ck_assert_uint_eq(resumed, 80);
        IO_OK(&err, pack_until(in, out, symmetrize, 100, &resumed));
        same_bytes(out, whole, 0);
        remove(out);
    }
}
END_TEST

/* Kills itself at the call that makes left 0. */
static bool kill_down(void *user, double fraction) {
    (void)fraction;
    if (--*(int *)user == 0) raise(SIGKILL);
    return true;
}

START_TEST(a_killed_run_is_continued) {
    const char *in = make_input("in.npy", 1), *whole = files_path("whole.npy"), *out = files_path("out.npy");
    IO_OK(&err, pack_until(in, whole, true, 100, NULL));
    for (int calls = 1; calls <= 5; calls++) {
        pid_t child = fork();
        if (!child) {
            io_pack_options o = {
                .symmetrize = true, .threads = 1, .step = 40 * ROW, .progress = kill_down, .user = &calls};
            io_distances *d = open_it(in);
            io_pack(&err, d, out, &o);
            _exit(1);
        }
        int status;
        waitpid(child, &status, 0);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        uint32_t resumed;
        IO_OK(&err, pack_until(in, out, true, 100, &resumed));
        ck_assert_uint_eq(resumed, calls == 5 ? N : (uint32_t)(calls - 1) * 40);
        same_bytes(out, whole, 0);
        nothing_else(out);
    }
}
END_TEST

/* Another input, another option, a damaged state, a part that is too short: from the start. */
START_TEST(what_is_not_of_this_input_is_not_continued) {
    const char *in = make_input("in.npy", 1), *other = make_input("other.npy", 2);
    const char *whole = files_path("whole.npy"), *out = files_path("out.npy");
    uint32_t resumed;
    IO_OK(&err, pack_until(other, whole, false, 100, NULL));
    for (int i = 0; i < 4; i++) {
        bool symmetrize = i == 1;
        ck_assert_int_eq(pack_until(i ? other : in, out, symmetrize, 3, &resumed), GLSHAPE_CANCELLED);
        ck_assert_uint_eq(resumed, 0);
        if (i == 2) files_make("out.npy.part.state", "rows 80\n", 8);
        if (i == 3) ck_assert_int_eq(truncate(files_path("out.npy.part"), 1000), 0);
        IO_OK(&err, pack_until(other, out, false, 100, &resumed));
        ck_assert_uint_eq(resumed, 0);
        same_bytes(out, whole, 0);
        nothing_else(out);
    }
}
END_TEST

START_TEST(a_changed_input_is_packed_anew) {
    const char *in = make_input("in.npy", 1), *out = files_path("out.npy"), *whole = files_path("whole.npy");
    uint32_t resumed;
    ck_assert_int_eq(pack_until(in, out, false, 3, &resumed), GLSHAPE_CANCELLED);
    make_input("in.npy", 2);
    IO_OK(&err, pack_until(in, out, false, 100, &resumed));
    ck_assert_uint_eq(resumed, 0);
    IO_OK(&err, pack_until(in, whole, false, 100, NULL));
    same_bytes(out, whole, 0);
}
END_TEST

static const char *changing;

static bool change_input(void *user, double fraction) {
    if (fraction > 0.5 && !(*(int *)user)++) {
        const struct timespec times[2] = {{1, 0}, {1, 0}};
        utimensat(AT_FDCWD, changing, times, 0);
    }
    return true;
}

START_TEST(an_input_that_changes_meanwhile_is_an_error) {
    changing = make_input("in.npy", 1);
    int calls = 0;
    io_pack_options o = {.step = 40 * ROW, .progress = change_input, .user = &calls};
    io_distances *d = open_it(changing);
    const char *out = files_path("out.npy");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_pack(&err, d, out, &o), "changed while it was being read");
    io_distances_close(d);
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(cancelled_standard_input_leaves_nothing) {
    const char *in = make_input("in.npy", 1);
    int calls = 3;
    io_pack_options o = {.step = 40 * ROW, .progress = count_down, .user = &calls};
    standard_input_from(in);
    io_distances *d = open_it("-");
    IO_FAILS(&err, GLSHAPE_CANCELLED, io_pack(&err, d, files_path("out.npy"), &o), "nothing is kept");
    io_distances_close(d);
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* A file size limit stands for a full disk. */
START_TEST(a_full_disk_keeps_what_is_done) {
    const char *in = make_input("in.npy", 1), *whole = files_path("whole.npy"), *out = files_path("out.npy");
    IO_OK(&err, pack_until(in, whole, false, 100, NULL));
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 60 * ROW;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    fflush(stdout);
    setrlimit(RLIMIT_FSIZE, &limit);
    glshape_status status = pack_until(in, out, false, 100, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    IO_FAILS(&err, GLSHAPE_IO_ERROR, status, "File too large; the first 40 of 150 rows are kept");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, status, "run the same command again");
    uint32_t resumed;
    IO_OK(&err, pack_until(in, out, false, 100, &resumed));
    ck_assert_uint_eq(resumed, 40);
    same_bytes(out, whole, 0);
}
END_TEST

/* ---- places ----------------------------------------------------------------------------------------- */

START_TEST(a_foreign_part_is_not_touched) {
    const char *in = make_input("in.npy", 1), *part = files_make("out.npy.part", "mine", 4);
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, pack_until(in, files_path("out.npy"), false, 9, NULL),
             "was not left by an earlier run");
    size_t count;
    char *bytes = files_load(part, &count);
    ck_assert_str_eq(bytes, "mine");
    free(bytes);
}
END_TEST

START_TEST(places_that_are_no_file_are_refused) {
    const char *in = make_input("in.npy", 1);
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, pack_until(in, "-", false, 9, NULL), "standard output is no file");
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, pack_until(in, "/dev/null", false, 9, NULL), "/dev/null");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, pack_until(in, files_path("none/x.npy"), false, 9, NULL),
             "No such file");
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(links_and_permissions_stay) {
    const char *in = make_input("in.npy", 1), *target = files_make("target.npy", "old", 3);
    const char *link = files_path("link.npy");
    struct stat info;
    ck_assert_int_eq(symlink("target.npy", link), 0);
    ck_assert_int_eq(chmod(target, 0604), 0);
    IO_OK(&err, pack_until(in, link, false, 100, NULL));
    ck_assert(!lstat(link, &info) && S_ISLNK(info.st_mode));
    ck_assert(!stat(target, &info) && (info.st_mode & 0777) == 0604 && info.st_size == 128 + N * ROW);
    ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(a_file_can_be_packed_onto_itself) {
    const char *in = make_input("in.npy", 1), *whole = files_path("whole.npy");
    IO_OK(&err, pack_until(in, whole, true, 100, NULL));
    ck_assert_int_eq(pack_until(in, in, true, 3, NULL), GLSHAPE_CANCELLED);
    IO_OK(&err, pack_until(in, in, true, 100, NULL));
    same_bytes(in, whole, 0);
}
END_TEST

/* ---- symmetrize ------------------------------------------------------------------------------------- */

START_TEST(packing_makes_symmetric) {
    enum { LARGE = 1300 };
    size_t bytes = 128 + (size_t)LARGE * LARGE * 4;
    char *file = calloc(bytes, 1);
    random_state random = {8};
    memcpy(file, "\x93NUMPY\x01\x00\x76", 10);
    sprintf(file + 10, "%-117s", "{'descr': '<f4', 'fortran_order': False, 'shape': (1300, 1300), }");
    file[127] = '\n';
    float *m = malloc(bytes), *packed = malloc(bytes);
    for (size_t i = 0; i < (size_t)LARGE * LARGE; i++)
        m[i] = i % (LARGE + 1) ? (float)random_unit(&random) : 0;
    memcpy(file + 128, m, bytes - 128);
    io_distances *d = open_it(files_make("in.npy", file, bytes));
    io_pack_options o = {.symmetrize = true, .step = 100 * LARGE * 4};
    IO_OK(&err, io_pack(&err, d, files_path("out.npy"), &o));
    io_distances_close(d);
    d = open_it(files_path("out.npy"));
    io_distances_facts facts;
    IO_OK(&err, io_distances_check(&err, d, 0, NULL, NULL, &facts));
    ck_assert(!facts.asymmetric);
    IO_OK(&err, io_distances_rows(&err, d, 0, LARGE, packed));
    for (size_t r = 0; r < LARGE; r++)
        for (size_t c = 0; c < LARGE; c++)
            IO_HOLDS(packed[r * LARGE + c] == (float)(((double)m[r * LARGE + c] + m[c * LARGE + r]) / 2),
                     "row %zu, column %zu", r, c);
    io_distances_close(d);
    free(file);
    free(m);
    free(packed);
}
END_TEST

Suite *io_pack_suite(void) {
    Suite *suite = suite_create("io/pack");
    TCase *tests = files_case("pack");
    tcase_add_test(tests, every_format_packs_to_what_numpy_saves);
    tcase_add_test(tests, standard_input_is_packed);
    tcase_add_test(tests, an_interrupted_run_is_continued);
    tcase_add_test(tests, a_killed_run_is_continued);
    tcase_add_test(tests, what_is_not_of_this_input_is_not_continued);
    tcase_add_test(tests, a_changed_input_is_packed_anew);
    tcase_add_test(tests, an_input_that_changes_meanwhile_is_an_error);
    tcase_add_test(tests, cancelled_standard_input_leaves_nothing);
    tcase_add_test(tests, a_full_disk_keeps_what_is_done);
    tcase_add_test(tests, a_foreign_part_is_not_touched);
    tcase_add_test(tests, places_that_are_no_file_are_refused);
    tcase_add_test(tests, links_and_permissions_stay);
    tcase_add_test(tests, a_file_can_be_packed_onto_itself);
    tcase_add_test(tests, packing_makes_symmetric);
    suite_add_tcase(suite, tests);
    return suite;
}
