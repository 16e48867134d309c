#include "prim/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const uint32_t bench_sizes[] = {0,    1,    2,    3,    4,    5,    15,    16,    17,    63,
                                64,   65,   255,  256,  257,  1023, 1024,  1025,  2047,  2048,
                                2049, 4095, 4096, 4097, 8191, 8193, 65535, 65536, 65537, 1000003};
const int bench_size_count = sizeof bench_sizes / sizeof *bench_sizes, bench_small = 26;

/* ---- what a test makes ------------------------------------------------------------------------- */

#define MOST 128
static void *blocks[MOST];
static gpu_texture textures[MOST];
static int block_count, texture_count;
static prim_scratch scratch;
static gpu_stage stage_before;

void *bench_memory(size_t count, size_t size) {
    ck_assert_int_lt(block_count, MOST);
    void *memory = calloc(count + 1, size);
    ck_assert_ptr_nonnull(memory);
    return blocks[block_count++] = memory;
}

gpu_texture *bench_texture(gpu_format format, uint32_t elements, const void *data) {
    gpu *g = test_gpu();
    ck_assert_int_lt(texture_count, MOST);
    gpu_texture *t = &textures[texture_count++];
    OK(run_error(run_of(g)), gpu_texture_new(g, t, "test", format, elements, 1));
    if (data && elements) OK(run_error(run_of(g)), gpu_upload(g, t, 0, elements, data));
    return t;
}

void *bench_fetch(gpu_texture *t, uint32_t elements) {
    gpu *g = test_gpu();
    void *to = bench_memory(elements, gpu_texel_bytes(t->format));
    if (elements) OK(run_error(run_of(g)), gpu_download(g, t, 0, elements, to));
    return to;
}

prim_scratch *bench_scratch(void) { return &scratch; }

void bench_clear(void) {
    while (block_count) free(blocks[--block_count]);
    while (texture_count) gpu_texture_free(&textures[--texture_count]);
}

static uint64_t seed, state;

/* Each test draws the same numbers, whatever ran before it. */
static void set_up(void) {
    state = 0;
    stage_before = gpu_get_stage(test_gpu());
}

static void tear_down(void) {
    bench_clear();
    prim_scratch_free(&scratch);
    gpu_set_stage(test_gpu(), stage_before);
}

TCase *bench_case(Suite *s, const char *name) {
    TCase *c = tcase_create(name);
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 60);
    suite_add_tcase(s, c);
    return c;
}

/* ---- data -------------------------------------------------------------------------------------- */

uint32_t bench_random(void) {
    if (!state) {
        const char *given = getenv("GLSHAPE_TEST_SEED");
        state = seed = given ? strtoull(given, NULL, 10) | 1 : 20240229;
    }
    state ^= state << 13; /* xorshift64 */
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

uint32_t *bench_uints(pattern p, uint32_t n) {
    static const uint32_t extremes[] = {0, 0xffffffff, 1, 0x80000000, 0x7fffffff, 0xfffffffe};
    uint32_t *out = bench_memory((size_t)n + 1, sizeof *out), any = bench_random();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = bench_random();
        out[i] = p == RANDOM     ? r
                 : p == EQUAL    ? any
                 : p == SORTED   ? i * 4000u
                 : p == REVERSED ? 0xffffffffu - i * 4000u
                 : p == EXTREME  ? extremes[r % 6]
                                 : r % 7;
    }
    out[n] = bench_random() & 1 ? 0 : 0xffffffffu;
    return out;
}

static float real(void) { return (float)(bench_random() >> 8) * 0x1p-24f; }

static float float_at(pattern p, uint32_t i, float any) {
    static const float extremes[] = {0.0f,      -0.0f,    INFINITY,  -INFINITY, 0x1p-149f, -0x1p-149f,
                                     0x1p-126f, 3.4e+38f, -3.4e+38f, 1.0f,      -1.0f};
    switch (p) {
        case RANDOM:
            return (real() - 0.5f) * 1000;
        case EQUAL:
            return any;
        case SORTED:
            return (float)i - 1000.0f;
        case REVERSED:
            return 1000.0f - (float)i;
        case EXTREME:
            return extremes[bench_random() % 11];
        default:
            return (float)(int)(bench_random() % 5) - 2.0f;
    }
}

float *bench_floats(pattern p, uint32_t n) {
    float *out = bench_memory((size_t)n + 1, sizeof *out), any = real();
    for (uint32_t i = 0; i < n; i++) out[i] = float_at(p, i, any);
    out[n] = NAN;
    return out;
}

float *bench_summands(pattern p, uint32_t n) {
    float *out = bench_floats(p, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!(fabsf(out[i]) < 1e30f)) out[i] = copysignf(1e30f, out[i]);
        if (fabsf(out[i]) < 0x1p-126f) out[i] = 0;
    }
    return out;
}

/* ---- comparison -------------------------------------------------------------------------------- */

static char place[256], difference[96];

void bench_where(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(place, sizeof place, format, args);
    va_end(args);
    difference[0] = 0;
}

const char *bench_place(void) {
    static char text[512];
    snprintf(text, sizeof text, "%s%s (seed %llu)", place, difference, (unsigned long long)seed);
    return text;
}

bool bench_same(const void *a, const void *b, size_t words) {
    const uint32_t *x = a, *y = b;
    for (size_t i = 0; i < words; i++) {
        if (x[i] == y[i]) continue;
        snprintf(difference, sizeof difference, ", word %zu: 0x%08x against 0x%08x", i, x[i], y[i]);
        return false;
    }
    return true;
}

bool bench_near(double got, double want, double tolerance) {
    if (got == want || fabs(got - want) <= tolerance) return true;
    snprintf(difference, sizeof difference, ", %.9g against %.9g ± %.3g", got, want, tolerance);
    return false;
}
