/* Reading by threads, against the bytes that were written. */
#include "io/raw.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "io/read.h"

Suite *io_raw_suite(void);

static error err;

enum { BYTES = (9 << 20) + 77 };

static char *make_bytes(void) {
    char *bytes = malloc(BYTES);
    uint32_t state = 1;
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < BYTES; i++) bytes[i] = (char)((state = state * 1664525u + 1013904223u) >> 24);
    return bytes;
}

static void check_part(int fd, const char *bytes, char *room, size_t from, size_t count) {
    size_t got = 0, there = from < BYTES ? BYTES - from : 0;
    if (count < there) there = count;
    IO_OK(&err, io_raw_read_at(&err, "the file", fd, from, room, count, &got));
    ck_assert_uint_eq(got, there);
    ck_assert_mem_eq(room, bytes + (there ? from : 0), there);
}

START_TEST(any_part_is_read) {
    static const size_t starts[] = {0, 1, 128, 1 << 20, 5 << 20, BYTES - 1, BYTES, BYTES + 5};
    static const size_t counts[] = {0, 1, 1 << 20, IO_RAW_LARGE - 1, IO_RAW_LARGE, BYTES, BYTES + (3 << 20)};
    char *bytes = make_bytes(), *room = malloc(2 * (size_t)BYTES);
    ck_assert_ptr_nonnull(room);
    int fd = open(files_make("raw", bytes, BYTES), O_RDONLY);
    ck_assert_int_ge(fd, 0);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            check_part(fd, bytes, room, starts[i], counts[k]);
    ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 0);
    close(fd);
    free(room);
    free(bytes);
}
END_TEST

START_TEST(what_cannot_be_read_is_said) {
    char room[16];
    size_t got = 7;
    int fd = open(files_make("raw", "x", 1), O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(io_raw_read_at(&err, "the file", fd, 0, room, sizeof room, &got), GLSHAPE_IO_ERROR);
    ck_assert_str_eq(err.text, "cannot read the file: Bad file descriptor");
    ck_assert_uint_eq(got, 0);
    close(fd);
}
END_TEST

#define HEADER "{'descr': '|u1', 'fortran_order': False, 'shape': (9437261,), }"

/* The array follows what the stream has read in advance; a byte too many or too few is still seen. */
START_TEST(a_large_array_is_read) {
    char *bytes = make_bytes(), *file = malloc(128 + BYTES + 1);
    ck_assert_ptr_nonnull(file);
    memset(file, ' ', 128);
    memcpy(file, "\x93NUMPY\1\0\x76\0" HEADER, 10 + sizeof HEADER - 1);
    file[127] = '\n';
    memcpy(file + 128, bytes, BYTES);
    file[128 + BYTES] = 0;
    for (int more = -1; more <= 1; more++) {
        glshape_matrix m;
        const char *path = files_make("large.npy", file, (size_t)(128 + BYTES + more));
        glshape_status status = io_read_matrix(&err, path, IO_AUTO, &m);
        ck_assert_int_eq(status, more ? GLSHAPE_BAD_INPUT : GLSHAPE_OK);
        if (!more) ck_assert_mem_eq(m.data, bytes, BYTES);
        io_matrix_free(&m);
    }
    free(file);
    free(bytes);
}
END_TEST

Suite *io_raw_suite(void) {
    Suite *s = suite_create("io/raw");
    TCase *t = files_case("io/raw");
    tcase_add_test(t, any_part_is_read);
    tcase_add_test(t, what_cannot_be_read_is_said);
    tcase_add_test(t, a_large_array_is_read);
    suite_add_tcase(s, t);
    return s;
}
