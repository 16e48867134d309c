/* Every suite, one function a file, in one list; main.c runs them all. */
#ifndef GLSHAPE_TESTS_SUITES_H
#define GLSHAPE_TESTS_SUITES_H

#include "gpu/gpu.h"

#include <check.h>
#undef fail /* Check's, deprecated; ours is in base/error.h */

/* The device every GPU test shares, current on this thread: opened on first use with GL debug output on, so
 * that any GL error or undefined behaviour fails the call that caused it. */
gpu *test_gpu(void);

/* The name of that device. In contexts that are opened with it small inputs, too, are computed on the device.
 */
const char *test_device(void);

/* A fact of the context's last method; 0 if there is none of this name. */
double fact_of(glshape_context *context, const char *name);

/* Turns of a loop that draws at random: few; many if GLSHAPE_TEST_HUNT is "all", or, if it is set at all, as
 * `make check-all` does, where few is 0. On a second driver a third of few, of 8 to 200, as each new program
 * is compiled for seconds there. */
int hunt(int few, int many);

/* Whether these are the tests once more, with another driver: what no driver has a part in was tested then.
 */
bool is_second_driver(void);

/* Asserts that expr is GLSHAPE_OK, printing the sentence of err otherwise. */
#define OK(err, expr) ck_assert_msg((expr) == GLSHAPE_OK, "%s", (err)->text)

/* Asserts that expr fails with the status, and that the sentence holds every part (a NULL-ended list). */
#define FAILS(err, expected, expr, ...)                                                            \
    do {                                                                                           \
        ck_assert_int_eq(expr, expected);                                                          \
        static const char *const parts_[] = {__VA_ARGS__, NULL};                                   \
        for (int i_ = 0; parts_[i_]; i_++)                                                         \
            ck_assert_msg(strstr((err)->text, parts_[i_]) != NULL, "'%s' lacks '%s'", (err)->text, \
                          parts_[i_]);                                                             \
    } while (0)

#endif
