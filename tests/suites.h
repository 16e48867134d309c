/* Every suite, one function a file; main.c runs them all. */
#ifndef GLSHAPE_TESTS_SUITES_H
#define GLSHAPE_TESTS_SUITES_H

#include <check.h>

#include "gpu/gpu.h"

/* The device every GPU test shares: opened on first use with GL debug output on. */
gpu *test_gpu(void);
/* Asserts that expr is GLSHAPE_OK, printing the sentence of err otherwise. */
#define OK(err, expr) ck_assert_msg((expr) == GLSHAPE_OK, "%s", (err)->text)

#endif
