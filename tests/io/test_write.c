/* Writing files whole or not at all, and matrices that read back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "io/read.h"
#include "io/write.h"

Suite *io_write_suite(void);

static error err;

/* Asserts that the file at path has the text. */
static void check_content(const char *path, const char *expected) {
    size_t count;
    char *bytes = files_load(path, &count);
    ck_assert_str_eq(bytes, expected);
    ck_assert_uint_eq(count, strlen(expected));
    free(bytes);
}

START_TEST(npy_is_written_as_numpy_writes_it) {
    static const char *const codes[] = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};
    char golden[128];
    for (size_t t = 0; t < sizeof codes / sizeof *codes; t++) {
        glshape_matrix m;
        snprintf(golden, sizeof golden, GOLDEN "%s-C-little.npy", codes[t]);
        IO_OK(&err, io_read_matrix(&err, golden, IO_AUTO, &m));
        const char *path = files_path("out.npy");
        IO_OK(&err, io_write_matrix(&err, path, &m));
        io_matrix_free(&m);
        size_t expected_count, count;
        char *expected = files_load(golden, &expected_count), *bytes = files_load(path, &count);
        ck_assert_uint_eq(count, expected_count);
        ck_assert_msg(!memcmp(bytes, expected, count), "%s differs", golden);
        free(expected);
        free(bytes);
    }
}
END_TEST

START_TEST(text_is_written_by_extension) {
    int8_t values[] = {1, -2, 3, 4, 5, 6};
    glshape_matrix m = {GLSHAPE_I8, 2, 3, values};
    const char *path = files_path("out.csv");
    IO_OK(&err, io_write_matrix(&err, path, &m));
    check_content(path, "1,-2,3\n4,5,6\n");
    path = files_path("out.TSV");
    IO_OK(&err, io_write_matrix(&err, path, &m));
    check_content(path, "1\t-2\t3\n4\t5\t6\n");
    path = files_path("out.txt");
    IO_OK(&err, io_write_matrix(&err, path, &m));
    check_content(path, "1 -2 3\n4 5 6\n");
}
END_TEST

START_TEST(extreme_integers_are_written_in_full) {
    int64_t least[] = {INT64_MIN, INT64_MAX};
    uint64_t most[] = {UINT64_MAX, 0};
    glshape_matrix m = {GLSHAPE_I64, 1, 2, least};
    const char *path = files_path("out.csv");
    IO_OK(&err, io_write_matrix(&err, path, &m));
    check_content(path, "-9223372036854775808,9223372036854775807\n");
    m = (glshape_matrix){GLSHAPE_U64, 2, 1, most};
    IO_OK(&err, io_write_matrix(&err, path, &m));
    check_content(path, "18446744073709551615\n0\n");
}
END_TEST

START_TEST(written_text_reads_back) {
    float values[] = {0.1f, 1.0f / 3, -0.0f, 1e-45f, 3.4028235e38f, INFINITY, 16777216, 1e10f};
    glshape_matrix m = {GLSHAPE_F32, 4, 2, values}, back;
    const char *path = files_path("out.csv");
    IO_OK(&err, io_write_matrix(&err, path, &m));
    IO_OK(&err, io_read_matrix(&err, path, IO_AUTO, &back));
    ck_assert(back.rows == 4 && back.cols == 2);
    for (int i = 0; i < 8; i++) ck_assert((float)((double *)back.data)[i] == values[i]);
    io_matrix_free(&back);
    IO_OK(&err, io_read_matrix(&err, GOLDEN "savetxt.npy", IO_AUTO, &m));
    IO_OK(&err, io_write_matrix(&err, path, &m));
    IO_OK(&err, io_read_matrix(&err, path, IO_AUTO, &back));
    ck_assert_int_eq(memcmp(m.data, back.data, m.rows * m.cols * sizeof(double)), 0);
    io_matrix_free(&back);
    io_matrix_free(&m);
}
END_TEST

/* Lines of any length, some with nothing: the longest fill several turns of all threads. */
static size_t print_some(const void *user, uint64_t line, char *out) {
    const size_t *most = user;
    size_t length = line % 7 ? (line * 2654435761u >> 7) % *most + 1 : 0;
    for (size_t k = 0; k < length; k++) out[k] = (char)('a' + (line + k) % 26);
    if (length) out[length - 1] = '\n';
    return length;
}

START_TEST(lines_that_threads_print_are_in_order) {
    static const struct {
        size_t lines, most;
    } cases[] = {{0, 5}, {1, 1}, {3, 400000}, {600, 131072}, {9000, 4000}, {300000, 40}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t most = cases[c].most, count, at = 0;
        io_output out;
        const char *path = files_path("lines.txt");
        IO_OK(&err, io_output_open(&err, path, &out));
        IO_OK(&err, io_write_lines(&err, io_output_stream(&out), cases[c].lines, most, print_some, &most));
        IO_OK(&err, io_output_commit(&err, &out));
        char *bytes = files_load(path, &count), *line = malloc(most);
        for (uint64_t k = 0; k < cases[c].lines; k++) {
            size_t length = print_some(&most, k, line);
            ck_assert_msg(at + length <= count && !memcmp(bytes + at, line, length), "line %lu of case %zu",
                          (unsigned long)k, c);
            at += length;
        }
        ck_assert_uint_eq(at, count);
        free(line);
        free(bytes);
    }
}
END_TEST

START_TEST(unknown_extensions_are_refused) {
    static const char *const paths[] = {"out.xls", "out", "out.npy/x", ".d/out", "out.npy.gz", "", "out."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_output_format_check(&err, paths[i]),
                 ".npy, .csv, .tsv or .txt");
    IO_OK(&err, io_output_format_check(&err, "-"));
    IO_OK(&err, io_output_format_check(&err, "a.b/out.NPY"));
    glshape_matrix m = {GLSHAPE_F32, 0, 0, NULL};
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_write_matrix(&err, files_path("x.xls"), &m), "x.xls");
    ck_assert_uint_eq(files_count(), 0);
}
END_TEST

static void open_and_write(const char *path, const char *text, io_output *out) {
    IO_OK(&err, io_output_open(&err, path, out));
    fputs(text, io_output_stream(out));
    fflush(io_output_stream(out));
}

START_TEST(a_file_appears_only_when_committed) {
    io_output out;
    const char *path = files_path("out.json");
    open_and_write(path, "{}", &out);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_uint_eq(files_count(), 1);
    IO_OK(&err, io_output_commit(&err, &out));
    check_content(path, "{}");
    ck_assert_uint_eq(files_count(), 1);
    ck_assert_ptr_null(out.stream);
    io_output_abort(&out);
}
END_TEST

START_TEST(an_old_file_stays_until_committed) {
    io_output out;
    const char *path = files_make("out.json", "old", 3);
    open_and_write(path, "half", &out);
    check_content(path, "old");
    io_output_abort(&out);
    check_content(path, "old");
    ck_assert_uint_eq(files_count(), 1);
    open_and_write(path, "new", &out);
    IO_OK(&err, io_output_commit(&err, &out));
    check_content(path, "new");
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(two_runs_may_write_one_file) {
    io_output a, b;
    const char *path = files_path("out");
    open_and_write(path, "a", &a);
    open_and_write(path, "b", &b);
    IO_OK(&err, io_output_commit(&err, &b));
    check_content(path, "b");
    IO_OK(&err, io_output_commit(&err, &a));
    check_content(path, "a");
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(permissions_are_those_of_the_old_or_of_a_new_file) {
    io_output out;
    struct stat info;
    const char *path = files_path("out");
    mode_t mask = umask(027);
    open_and_write(path, "x", &out);
    IO_OK(&err, io_output_commit(&err, &out));
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0640);
    ck_assert_int_eq(chmod(path, 0604), 0);
    open_and_write(path, "y", &out);
    IO_OK(&err, io_output_commit(&err, &out));
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0604);
    umask(mask);
}
END_TEST

START_TEST(a_link_is_followed) {
    io_output out;
    struct stat info;
    const char *target = files_make("target", "old", 3), *link = files_path("link");
    ck_assert_int_eq(symlink("target", link), 0);
    open_and_write(link, "new", &out);
    IO_OK(&err, io_output_commit(&err, &out));
    check_content(target, "new");
    ck_assert_int_eq(lstat(link, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
}
END_TEST

START_TEST(devices_and_pipes_are_written_to_directly) {
    io_output out;
    struct stat info;
    open_and_write("/dev/null", "x", &out);
    ck_assert_ptr_null(out.temporary);
    IO_OK(&err, io_output_commit(&err, &out));
    const char *path = files_path("fifo");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    FILE *reader = fopen(path, "r+"); /* so that opening it for writing does not wait */
    open_and_write(path, "piped\n", &out);
    IO_OK(&err, io_output_commit(&err, &out));
    char line[16];
    ck_assert_ptr_nonnull(fgets(line, sizeof line, reader));
    ck_assert_str_eq(line, "piped\n");
    fclose(reader);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert(S_ISFIFO(info.st_mode));
}
END_TEST

START_TEST(a_full_disk_is_reported) {
    io_output out;
    if (access("/dev/full", W_OK)) return;
    IO_OK(&err, io_output_open(&err, "/dev/full", &out));
    fputs("x", io_output_stream(&out));
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_commit(&err, &out), "/dev/full: No space left");
    IO_OK(&err, io_output_open(&err, "/dev/full", &out));
    for (int i = 0; i < 100000; i++) fputs("more than one buffer", io_output_stream(&out));
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_commit(&err, &out), "/dev/full");
}
END_TEST

/* A stream that fails while the temporary file is there: the old file stays and nothing is left behind. */
START_TEST(a_failed_write_leaves_the_old_file) {
    io_output out;
    const char *path = files_make("out", "old", 3);
    open_and_write(path, "half", &out);
    FILE *full = freopen("/dev/full", "w", out.stream);
    if (full) {
        fputs("rest", out.stream);
        IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_commit(&err, &out), path);
    }
    check_content(path, "old");
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(unwritable_places_are_refused_before_the_work) {
    char path[600];
    const char *file = files_make("file", "x", 1), *folder = files_path("");
    IO_OK(&err, io_output_check(&err, "-"));
    IO_OK(&err, io_output_check(&err, "/dev/null"));
    IO_OK(&err, io_output_check(&err, "relative.csv"));
    IO_OK(&err, io_output_check(&err, file));
    IO_OK(&err, io_output_check(&err, files_path("new")));
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_check(&err, ""), "without a name");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_check(&err, folder), "is a folder");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_check(&err, files_path("new/")), "is a folder");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_check(&err, files_path("none/out.csv")),
             "none/: No such file");
    snprintf(path, sizeof path, "%s/out.csv", file);
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_check(&err, path), "cannot write");
    io_output out;
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_open(&err, path, &out), path);
    ck_assert_ptr_null(out.stream);
    ck_assert_int_eq(chmod(file, 0444), 0);
    if (geteuid()) IO_FAILS(&err, GLSHAPE_IO_ERROR, io_output_check(&err, file), "Permission denied");
    ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(standard_output_stays_open) {
    io_output out;
    const char *path = files_path("stdout");
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    FILE *file = fopen(path, "w");
    dup2(fileno(file), STDOUT_FILENO);
    double values[] = {0.5, 2};
    glshape_matrix m = {GLSHAPE_F64, 1, 2, values};
    glshape_status first = io_write_matrix(&err, "-", &m), second = io_output_open(&err, "-", &out);
    if (second == GLSHAPE_OK) second = io_output_commit(&err, &out);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    fclose(file);
    IO_OK(&err, first);
    IO_OK(&err, second);
    check_content(path, "0.5,2\n");
}
END_TEST

/* Outputs that are held are in place only after io_outputs_place(); one that cannot be takes no other along.
 */
START_TEST(outputs_are_held) {
    static io_outputs list;
    char names[IO_OUTPUTS][32];
    glshape_matrix m = {GLSHAPE_I8, 1, 1, &(int8_t){7}};
    io_held *held = NULL;
    int there = 0;
    io_outputs_hold(&held);
    for (int k = 0; k < IO_OUTPUTS; k++) {
        snprintf(names[k], sizeof names[k], "held%d.csv", k);
        IO_OK(&err, io_write_matrix(&err, files_path(names[k]), &m));
    }
    ck_assert_int_eq(io_write_matrix(&err, files_path("nowhere/a.csv"), &m), GLSHAPE_IO_ERROR);
    io_outputs_hold(NULL);
    for (const io_held *at = held; at; at = at->next) {
        ck_assert(at->length == 2 && !memcmp(at->text, "7\n", 2));
        IO_OK(&err, io_outputs_write(&err, &list, at));
    }
    io_held_free(held);
    ck_assert_uint_eq(list.count, IO_OUTPUTS);
    for (int k = 0; k < IO_OUTPUTS; k++) there += !access(files_path(names[k]), F_OK);
    ck_assert_int_eq(there, 0);
    ck_assert_int_eq(mkdir(files_path(names[1]), 0777), 0);
    io_outputs_place(&list);
    ck_assert_uint_eq(io_outputs_end(&err, &list), 1);
    ck_assert_msg(strstr(err.text, names[1]) != NULL, "%s", err.text);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_int_eq(rmdir(files_path(names[1])), 0);
    for (int k = 0; k < IO_OUTPUTS; k++) {
        if (k == 1) continue;
        check_content(files_path(names[k]), "7\n");
        remove(files_path(names[k]));
    }
    io_outputs_place(&list);
    ck_assert_uint_eq(io_outputs_end(&err, &list), 0);
}
END_TEST

Suite *io_write_suite(void) {
    Suite *suite = suite_create("io/write");
    TCase *tests = files_case("write");
    tcase_add_test(tests, npy_is_written_as_numpy_writes_it);
    tcase_add_test(tests, text_is_written_by_extension);
    tcase_add_test(tests, extreme_integers_are_written_in_full);
    tcase_add_test(tests, written_text_reads_back);
    tcase_add_test(tests, lines_that_threads_print_are_in_order);
    tcase_add_test(tests, unknown_extensions_are_refused);
    tcase_add_test(tests, a_file_appears_only_when_committed);
    tcase_add_test(tests, an_old_file_stays_until_committed);
    tcase_add_test(tests, two_runs_may_write_one_file);
    tcase_add_test(tests, permissions_are_those_of_the_old_or_of_a_new_file);
    tcase_add_test(tests, a_link_is_followed);
    tcase_add_test(tests, devices_and_pipes_are_written_to_directly);
    tcase_add_test(tests, a_full_disk_is_reported);
    tcase_add_test(tests, a_failed_write_leaves_the_old_file);
    tcase_add_test(tests, unwritable_places_are_refused_before_the_work);
    tcase_add_test(tests, standard_output_stays_open);
    tcase_add_test(tests, outputs_are_held);
    suite_add_tcase(suite, tests);
    return suite;
}
