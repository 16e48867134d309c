/* What fuzzers share. */
#ifndef GLSHAPE_TESTS_FUZZ_FUZZ_H
#define GLSHAPE_TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A finding: says what does not hold, and ends as libFuzzer expects it. */
#define FUZZ_CHECK(condition)                                                              \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

#endif
