#include "mds/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory and textures --------------------------------------------------------------------------- */

#define MOST 256
static void *blocks[MOST];
static gpu_texture textures[MOST];
static int block_count, texture_count;

void *trial_memory(size_t count, size_t size) {
    ck_assert_int_lt(block_count, MOST);
    void *memory = calloc(count + 1, size);
    ck_assert_ptr_nonnull(memory);
    return blocks[block_count++] = memory;
}

gpu_texture *trial_texture(gpu_format format, uint32_t elements, uint32_t texels, const void *data) {
    gpu *g = test_gpu();
    ck_assert_int_lt(texture_count, MOST);
    gpu_texture *t = &textures[texture_count++];
    OK(run_error(run_of(g)), gpu_texture_new(g, t, "test", format, elements, texels));
    size_t bytes = (size_t)elements * texels * gpu_texel_bytes(format);
    void *junk = data ? NULL : malloc(bytes);
    if (junk) data = memset(junk, 0x45, bytes); /* as a float 3156.3, as an index 0x45454545 */
    OK(run_error(run_of(g)), gpu_upload(g, t, 0, elements, data));
    free(junk);
    return t;
}

gpu_texture *trial_rows(uint32_t n, uint32_t width, const float *rows) {
    uint32_t texels = (width + 3) / 4;
    if (!rows) return trial_texture(GPU_RGBA32F, n, texels, NULL);
    float *padded = calloc((size_t)n * texels, 16);
    for (size_t i = 0; i < n; i++) memcpy(padded + i * texels * 4, rows + i * width, width * sizeof *rows);
    gpu_texture *t = trial_texture(GPU_RGBA32F, n, texels, padded);
    free(padded);
    return t;
}

void *trial_fetch(gpu_texture *t) {
    void *to = trial_memory((size_t)t->elements * t->texels, gpu_texel_bytes(t->format));
    OK(run_error(run_of(test_gpu())), gpu_download(test_gpu(), t, 0, t->elements, to));
    return to;
}

float *trial_fetch_rows(gpu_texture *t, uint32_t width) {
    const float *padded = trial_fetch(t);
    float *rows = trial_memory((size_t)t->elements * width, sizeof *rows);
    for (size_t i = 0; i < t->elements; i++)
        for (size_t c = 0; c < t->texels * 4; c++) {
            float value = padded[i * t->texels * 4 + c];
            if (c < width) rows[i * width + c] = value;
            else ck_assert_msg(value == 0, "padding is %g: %s", value, trial_place());
        }
    return rows;
}

void trial_clear(void) {
    while (block_count) free(blocks[--block_count]);
    while (texture_count) gpu_texture_free(&textures[--texture_count]);
}

/* ---- data ------------------------------------------------------------------------------------------ */

static uint64_t seed;
static random_state state;

random_state *trial_random(void) { return &state; }

void trial_reseed(void) {
    const char *given = getenv("GLSHAPE_TEST_SEED");
    state.state = seed = given ? strtoull(given, NULL, 10) : 20070817;
}

double trial_between(double low, double high) { return low + (high - low) * random_unit(trial_random()); }

static float value(const trial_shape *s) {
    switch (s->pattern) {
        case TRIAL_WHOLE:
            return (float)random_below(trial_random(), 16);
        case TRIAL_CLUSTERED:
            return (float)random_below(trial_random(), s->width < 4 ? 4 : 2);
        case TRIAL_SIGNS:
            return (random_bits(trial_random()) & 1 ? 1 : -1) / sqrtf((float)s->width);
        default:
            return (float)trial_between(-1, 1);
    }
}

static void fill_points(trial *t) {
    const trial_shape *s = &t->shape;
    size_t count = (size_t)s->n * s->width;
    for (size_t i = 0; i < count; i++)
        t->points[i] = s->pattern == TRIAL_SAME && i >= s->width ? t->points[i % s->width] : value(s);
}

static void fill_layout(trial *t) {
    size_t count = (size_t)t->shape.n * t->shape.dim;
    for (size_t i = 0; i < count; i++) {
        t->place[i] =
            t->shape.coincident ? (float)random_below(trial_random(), 2) : (float)trial_between(-5, 5);
        t->velocity[i] = (float)trial_between(-1, 1);
    }
}

void trial_shuffle(trial *t, uint32_t m) {
    t->m = m;
    t->offset = random_below(trial_random(), m);
    random_permutation(trial_random(), m, t->perm);
    for (uint32_t i = m; i < t->shape.n; i++) t->perm[i] = 0x7fffffff; /* beyond m nothing may be read */
}

trial trial_new(trial_shape shape) {
    trial t = {.shape = shape, .fresh = shape.n};
    t.points = trial_memory((size_t)shape.n * shape.width, sizeof *t.points);
    t.place = trial_memory((size_t)shape.n * shape.dim, sizeof *t.place);
    t.velocity = trial_memory((size_t)shape.n * shape.dim, sizeof *t.velocity);
    t.perm = trial_memory(shape.n, sizeof *t.perm);
    t.sets = trial_memory(shape.n, sizeof *t.sets);
    fill_points(&t);
    fill_layout(&t);
    trial_shuffle(&t, shape.n);
    return t;
}

ref_spaces trial_spaces(const trial *t) {
    return (ref_spaces){.points = {GLSHAPE_F32, t->shape.n, t->shape.width, t->points},
                        .metric = t->shape.metric,
                        .n = t->shape.n,
                        .dim = t->shape.dim,
                        .place = t->place};
}

ref_draw trial_draw(const trial *t) { return (ref_draw){t->perm, t->m, t->offset}; }

int trial_metric(glshape_metric metric) {
    static const int power[] = {0, 1, 2, 2}; /* as src/dist/points.c numbers them */
    return power[metric];
}

/* ---- comparison ------------------------------------------------------------------------------------ */

static const struct {
    double tolerance;
    const char *text;
} measures[] = {
#define MEASURE(name, tolerance, text) {tolerance, text},
    TRIAL_MEASURES(MEASURE)
#undef MEASURE
};
static double largest[TRIAL_MEASURE_COUNT];
static char place[256];

void trial_where(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(place, sizeof place, format, args);
    va_end(args);
}

void trial_where_is(const trial *t) {
    const trial_shape *s = &t->shape;
    trial_where(
        "n %u, width %u, dim %u, metric %d, pattern %d%s; m %u, offset %u, fixed %u, fresh from %u; stage %d",
        s->n, s->width, s->dim, s->metric, s->pattern, s->coincident ? ", coincident" : "", t->m, t->offset,
        t->fixed, t->fresh, gpu_get_stage(test_gpu()));
}

const char *trial_place(void) {
    static char text[300];
    snprintf(text, sizeof text, "%s (seed %llu)", place, (unsigned long long)seed);
    return text;
}

double trial_worse(double a, double b) { return isnan(a) || a > b ? a : b; }

double trial_relative(double got, double want, double scale) {
    return got == want ? 0 : fabs(got - want) / scale;
}

bool trial_passes(trial_measure m, double error) { return error <= measures[m].tolerance; }

void trial_judge(trial_measure m, double error) {
    largest[m] = trial_worse(largest[m], error);
    ck_assert_msg(trial_passes(m, error), "%s: error %.3g, allowed %.3g: %s", measures[m].text, error,
                  measures[m].tolerance, trial_place());
}

/* ---- cases ----------------------------------------------------------------------------------------- */

void trial_each_stage(const trial *t, void (*check)(const trial *t)) {
    static const gpu_stage stages[] = {GPU_STAGE_COMPUTE, GPU_STAGE_FRAGMENT};
    for (int i = 0; i < 2; i++) {
        gpu_set_stage(test_gpu(), stages[i]);
        trial_where_is(t);
        check(t);
    }
}

static void set_up(void) {
    test_gpu();
    trial_reseed();
}

static void tear_down(void) {
    trial_clear();
    gpu_set_stage(test_gpu(), GPU_STAGE_AUTO);
    if (!getenv("GLSHAPE_TEST_ERRORS")) return;
    for (int m = 0; m < TRIAL_MEASURE_COUNT; m++) {
        if (largest[m] > 0)
            printf("%s: error %.2e of %.2e\n", measures[m].text, largest[m], measures[m].tolerance);
        largest[m] = 0;
    }
}

TCase *trial_case(Suite *s, const char *name) {
    TCase *c = tcase_create(name);
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 60);
    suite_add_tcase(s, c);
    return c;
}
