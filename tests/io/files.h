/* Files for the io tests: golden ones, and ones made in a temporary folder that each test has for itself. */
#ifndef GLSHAPE_TESTS_IO_FILES_H
#define GLSHAPE_TESTS_IO_FILES_H

#include <check.h>
#undef fail /* Check's, deprecated; ours is in base/error.h */

#include <string.h>

#include "base/error.h"

#define GOLDEN "tests/io/golden/"

#define IO_OK(err, expr) ck_assert_msg((expr) == GLSHAPE_OK, "%s", (err)->text)

/* ck_assert_msg for the middle of a long loop: Check itself writes to a file at every assertion that holds.
 */
#define IO_HOLDS(condition, ...)                     \
    do {                                             \
        if (!(condition)) ck_abort_msg(__VA_ARGS__); \
    } while (0)

/* Asserts that expr, which reports to e, has the status expected and that the sentence has text in it. */
#define IO_FAILS(e, expected, expr, has)                                                                 \
    do {                                                                                                 \
        glshape_status status_ = (expr);                                                                 \
        ck_assert_msg(status_ == (expected), "status %d: %s", (int)status_, status_ ? (e)->text : "OK"); \
        ck_assert_msg(strstr((e)->text, has) != NULL, "no \"%s\" in: %s", has, (e)->text);               \
    } while (0)

/* A test case of that name whose tests have a folder. */
TCase *files_case(const char *name);

/* The path of name in the folder; the text is reused after sixteen calls. */
const char *files_path(const char *name);

/* Makes a file of the bytes and returns its path. */
const char *files_make(const char *name, const void *bytes, size_t count);

/* The same, gzipped. */
const char *files_make_gzip(const char *name, const void *bytes, size_t count);

/* The bytes of a file in a new block with a NUL after them; fails the test if it cannot be read. */
char *files_load(const char *path, size_t *count);

/* The number of files in the folder. */
size_t files_count(void);

/* Makes what reads standard input find path there; standard_input_restore() undoes it. */
void standard_input_from(const char *path);
void standard_input_restore(void);

#endif
