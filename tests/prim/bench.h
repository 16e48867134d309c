/* The workbench of the tests of src/prim: data, textures and comparisons, cleared away after each test. */
#ifndef GLSHAPE_TESTS_PRIM_BENCH_H
#define GLSHAPE_TESTS_PRIM_BENCH_H

#include <stdarg.h>

#include "prim/prim.h"
#include "suites.h"

typedef enum { RANDOM, EQUAL, SORTED, REVERSED, EXTREME, TIES, PATTERNS } pattern;

/* Sizes around every block boundary, in rising order; the first BENCH_SMALL are under 10,000. */
extern const uint32_t bench_sizes[];
extern const int bench_size_count, bench_small;

/* Adds a test case whose tests leave no texture, no memory and no other stage behind. */
TCase *bench_case(Suite *s, const char *name);

/* Memory and textures that live until bench_clear (or the end of the test). */
void *bench_memory(size_t count, size_t size);
gpu_texture *bench_texture(gpu_format format, uint32_t elements, const void *data); /* data NULL: junk */
void *bench_fetch(gpu_texture *t, uint32_t elements);
prim_scratch *bench_scratch(void); /* one for the whole test */
void bench_clear(void);

/* n items by a pattern, and one more that must not matter. Floats hold no NaN but that last one. */
uint32_t *bench_uints(pattern p, uint32_t n);
float *bench_floats(pattern p, uint32_t n);
/* The same, for sums: at most 1e30 in magnitude, and no denormals, which a driver may flush. */
float *bench_summands(pattern p, uint32_t n);
uint32_t bench_random(void);

/* Says where the test is; a failing BENCH_CHECK prints it with the seed (GLSHAPE_TEST_SEED sets that). */
void bench_where(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *bench_place(void);
#define BENCH_CHECK(condition) ck_assert_msg((condition), "%s: %s", #condition, bench_place())
#define BENCH_OK(expr) \
    ck_assert_msg((expr) == GLSHAPE_OK, "%s: %s", run_error(run_of(test_gpu()))->text, bench_place())

/* Whether a and b agree in n words; says where not (bench_where's text then has it). */
bool bench_same(const void *a, const void *b, size_t words);
/* Whether |got - want| ≤ tolerance, or both are the same infinity; never for NaN. */
bool bench_near(double got, double want, double tolerance);

#endif
