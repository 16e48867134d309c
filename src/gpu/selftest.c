/* Measures what the arithmetic and the memory of a device really do: the self-test, and the calibration. */
#include <math.h>
#include <string.h>

#include "base/owned.h"
#include "gpu/cache.h"
#include "gpu/internal.h"
#include "gpu/pass.h"
#include "gpu/shader.h"

/* clang-format off */
#define GPU_ARITHMETIC(P) P(READ, RGBA32UI, given) P(WRITE, RGBA32UI, found)

#define GPU_COPY(P) P(READ, RGBA32F, source) P(WRITE, RGBA32F, target)

#define GPU_FETCH(P) P(READ, RGBA32F, source) P(WRITE, RGBA32F, target) P(UINT, n)

#define GPU_RATE(P) P(AXIS, DOUBLES, 0, 1) P(SIZE, SALT, 0, 1) P(WRITE, R32F, found) P(UINT, turns) P(FLOAT, factor)

#define GPU_PASSES(PASS)                                                      \
    PASS(gpu_arithmetic, "gpu/arithmetic", GPU_GROUPS_OF(64), GPU_ARITHMETIC) \
    PASS(gpu_copy, "gpu/copy", GPU_EACH_ELEMENT, GPU_COPY)                    \
    PASS(gpu_fetch, "gpu/fetch", GPU_EACH_ELEMENT, GPU_FETCH)                 \
    PASS(gpu_rate, "gpu/rate", GPU_GROUPS_OF(64), GPU_RATE)
/* clang-format on */
GPU_DECLARE_PASSES(GPU_PASSES, gpu_passes)
GPU_DEFINE_PASSES(GPU_PASSES, gpu_passes)

/* ---- arithmetic -------------------------------------------------------------------------------- */

/* The pass writes for each case (a, b): found[4c] = (TwoSum s, e, product p, e) as bits; found[4c+1] = 64-bit
 * product and sum of the integer bits of a and b; found[4c+2] = 128-bit square of the 64-bit number (a, b);
 * found[4c+3] = sum and product, as bits, of the doubles that arithmetic.glsl makes of a and b. */
#define CASES 64

static float float_of(uint32_t u) {
    float x;
    memcpy(&x, &u, 4);
    return x;
}

/* Full-mantissa numbers of moderate exponent, the same on every run. */
static void make_cases(uint32_t given[CASES][4]) {
    uint32_t state = 12345;
    for (int c = 0; c < CASES; c++) {
        for (int k = 0; k < 4; k++) {
            state = state * 1664525u + 1013904223u;
            uint32_t exponent = 107 + (state >> 9) % 40;
            given[c][k] =
                k < 2 ? (state & 0x80000000u) | exponent << 23 | (state & 0x7fffffu) : state ^ state >> 13;
        }
    }
}

static double double_of(uint32_t low, uint32_t high) {
    uint64_t u = (uint64_t)high << 32 | low;
    double x;
    memcpy(&x, &u, 8);
    return x;
}

static bool doubles_right(const uint32_t given[4], const uint32_t found[4]) {
    double x = double_of(given[2], (given[0] & 0x800fffffu) | (1003 + (given[3] & 31)) << 20);
    double y = double_of(given[3], (given[1] & 0x800fffffu) | (1023 + (given[2] & 31)) << 20);
    return double_of(found[0], found[1]) == x + y && double_of(found[2], found[3]) == x * y;
}

static bool exact_pair(uint32_t high, uint32_t low, double exact, float rounded) {
    return float_of(high) == rounded && (double)float_of(high) + (double)float_of(low) == exact;
}

static void judge(const uint32_t given[CASES][4], const uint32_t found[4 * CASES][4], gpu *out) {
    out->two_sum = out->two_product = out->multi_limb = out->doubles = true;
    for (int c = 0; c < CASES; c++) {
        float a = float_of(given[c][0]), b = float_of(given[c][1]);
        out->doubles &= doubles_right(given[c], found[4 * c + 3]);
        const uint32_t *real = found[4 * c], *small = found[4 * c + 1], *large = found[4 * c + 2];
        out->two_sum &= exact_pair(real[0], real[1], (double)a + (double)b, a + b);
        out->two_product &= exact_pair(real[2], real[3], (double)a * (double)b, a * b);
        uint64_t x = given[c][2], y = given[c][3], product = x * y, sum = x + y;
        out->multi_limb &= small[0] == (uint32_t)(product >> 32) && small[1] == (uint32_t)product &&
                           small[2] == (uint32_t)(sum >> 32) && small[3] == (uint32_t)sum;
        /* (x·2³² + y)² = x²·2⁶⁴ + 2xy·2³² + y², by schoolbook in four 32-bit limbs, most significant first.
         */
        uint64_t low = y * y, middle = x * y, high = x * x;
        uint64_t limb1 = (low >> 32) + 2 * (middle & 0xffffffffu);
        uint64_t limb2 = (high & 0xffffffffu) + 2 * (middle >> 32) + (limb1 >> 32);
        uint64_t limb3 = (high >> 32) + (limb2 >> 32);
        out->multi_limb &= large[0] == (uint32_t)limb3 && large[1] == (uint32_t)limb2 &&
                           large[2] == (uint32_t)limb1 && large[3] == (uint32_t)low;
    }
}

static void set_all(gpu *g) { g->two_sum = g->two_product = g->multi_limb = g->doubles = true; }

glshape_status self_test(gpu *g) {
    OWNED_BY(gpu_texture_free) gpu_texture in = {0};
    OWNED_BY(gpu_texture_free) gpu_texture out = {0};
    uint32_t given[CASES][4], found[4 * CASES][4];
    make_cases(given);
    TRY(gpu_texture_new(g, &in, "self-test input", GPU_RGBA32UI, CASES, 1));
    TRY(gpu_texture_new(g, &out, "self-test output", GPU_RGBA32UI, 4 * CASES, 1));
    TRY(gpu_upload(g, &in, 0, CASES, given));
    TRY(gpu_run(g, gpu_arithmetic, .given = &in, .found = &out, .groups = 1));
    TRY(gpu_download(g, &out, 0, 4 * CASES, found));
    judge((const uint32_t(*)[4])given, (const uint32_t(*)[4])found, g);
    g->tested = true;
#ifdef GPU_BELIEVES
    set_all(
        g); /* a build for drivers without their cards, which compute nothing: make CPPFLAGS=-DGPU_BELIEVES */
#endif
    g->peak = 0; /* the self-test does not count */
    return GLSHAPE_OK;
}

/* The hash of its source; 0: there is none. */
static uint64_t hash_of_test(gpu *g) {
    const char *source;
    error before = *run_error(g->run);
    if (!program_source(g, &gpu_arithmetic_pass, &(gpu_job){0}, &source))
        return cache_hash(0, source, strlen(source));
    *run_error(g->run) = before;
    return 0;
}

/* A driver that computed all of it right once does so again. */
static bool was_right(gpu *g) {
    uint64_t hash = hash_of_test(g);
    if (!hash || !self_test_is_kept(g, hash)) return false;
    set_all(g);
    return g->tested = true;
}

void self_test_once(gpu *g) {
    if (g->tested || was_right(g)) return;
    size_t peak = g->peak, recent = g->recent, limit = g->memory_limit;
    error before = *run_error(g->run);
    bool hidden = run_hide(g->run, true);
    g->memory_limit = 0; /* of work, not of this */
    if (self_test(g)) *run_error(g->run) = before;
    g->tested = true;
    uint64_t hash = hash_of_test(g);
    if (hash && g->two_sum && g->two_product && g->multi_limb && g->doubles) self_test_keep(g, hash);
    g->memory_limit = limit;
    run_hide(g->run, hidden);
    g->peak = peak;
    g->recent = recent;
}

bool self_test_could_wait(gpu *g) {
    const char *source;
    error before = *run_error(g->run);
    if (g->tested || !trust_knows(g)) return false; /* others may emulate doubles, which comes first */
    if (was_right(g)) return false;
    if (!program_source(g, &gpu_arithmetic_pass, &(gpu_job){0}, &source)) return later_could_leave(g, source);
    *run_error(g->run) = before;
    return false;
}

/* ---- rates ------------------------------------------------------------------------------------- */

#define RATE_GROUPS 1024u
#define RATE_TURNS 256u

/* Measures floats (0) and doubles (1): seconds to compile a small program and to run it. */
static glshape_status measure_numbers(gpu *g, gpu_texture *found, int salt, double compile[2],
                                      double run[2]) {
    for (int doubles = 0; doubles < 2; doubles++)
        for (int whole = 0; whole < 2; whole++) {
            double since = wall_seconds();
            TRY(gpu_run(g, gpu_rate, .DOUBLES = doubles, .SALT = salt, .found = found, .turns = RATE_TURNS,
                        .factor = 0.5f, .groups = whole ? RATE_GROUPS : 1));
            TRY(gpu_finish(g));
            (whole ? run : compile)[doubles] = wall_seconds() - since;
        }
    return GLSHAPE_OK;
}

/* A compiler that emulates doubles takes 100 times as long for a small program of them as for one of floats
 * (Mesa for Intel from Ice Lake on: 0.15 s, then minutes and gigabytes for large programs); one that does not
 * takes up to twice as long. Doubles of cards for games run at a 64th of the rate of floats. */
#define EMULATED_SECONDS 0.02
#ifndef EMULATED_TIMES /* a build may try what there is beyond this */
#define EMULATED_TIMES 8
#endif
#define SLOW_TIMES 100

/* What looks slow is measured again, as another process may have been in the way. The salt, new each time,
 * keeps the driver from taking the programs out of a cache of its own. */
glshape_status doubles_time(gpu *g, double *times, bool *slow) {
    OWNED_BY(gpu_texture_free) gpu_texture found = {0};
    double compile[2], run[2];
    TRY(gpu_texture_new(g, &found, "calibration target", GPU_R32F, RATE_GROUPS * 64, 1));
    *slow = true;
    for (int i = 0; i < 2 && *slow; i++) {
        int salt = (int)((uint64_t)(wall_seconds() * 1e9) & 0x3fffffff);
        TRY(measure_numbers(g, &found, salt, compile, run));
        *times = run[1] / run[0];
        *slow = (compile[1] > EMULATED_SECONDS && compile[1] > EMULATED_TIMES * compile[0]) ||
                *times > SLOW_TIMES;
    }
    return GLSHAPE_OK;
}

static glshape_status time_copy(gpu *g, gpu_texture *from, gpu_texture *to, double *seconds) {
    TRY(gpu_finish(g));
    double start = wall_seconds();
    TRY(gpu_run(g, gpu_copy, .source = from, .target = to, .elements = from->elements));
    TRY(gpu_finish(g));
    *seconds = wall_seconds() - start;
    return GLSHAPE_OK;
}

static glshape_status time_fetch(gpu *g, gpu_texture *from, gpu_texture *to, double *seconds) {
    uint32_t n = from->elements;
    TRY(gpu_finish(g));
    double start = wall_seconds();
    TRY(gpu_run(g, gpu_fetch, .source = from, .target = to, .n = n, .elements = n));
    TRY(gpu_finish(g));
    *seconds = wall_seconds() - start;
    return GLSHAPE_OK;
}

/* Measures the seconds of one pass over both textures, in order or scattered: the best of three, after one
 * that compiles. */
static glshape_status best_of(gpu *g, bool scattered, gpu_texture *from, gpu_texture *to, double *out) {
    *out = INFINITY;
    for (int i = 0; i < 4; i++) {
        double seconds = 0;
        TRY((scattered ? time_fetch : time_copy)(g, from, to, &seconds));
        if (i && seconds < *out) *out = seconds;
    }
    return GLSHAPE_OK;
}

static glshape_status measure(gpu *g, bool scattered, uint32_t n, double *seconds) {
    OWNED_BY(gpu_texture_free) gpu_texture from = {0};
    OWNED_BY(gpu_texture_free) gpu_texture to = {0};
    TRY(gpu_texture_new(g, &from, "calibration source", GPU_RGBA32F, n, 1));
    TRY(gpu_texture_new(g, &to, "calibration target", GPU_RGBA32F, n, 1));
    return best_of(g, scattered, &from, &to, seconds);
}

#define FEW_TEXELS (1u << 20)
#define MANY_TEXELS (1u << 24) /* what a card with many processors needs to show its rate */
#define SLOW_SECONDS 0.01      /* a device that takes so long for few has shown it */

/* Texels a second. */
static glshape_status measure_rate(gpu *g, bool scattered, double *rate) {
    double seconds = INFINITY;
    glshape_status status = measure(g, scattered, FEW_TEXELS, &seconds);
    *rate = FEW_TEXELS / seconds;
    if (status || g->software || seconds > SLOW_SECONDS) return status;
    seconds = INFINITY;
    status = measure(g, scattered, MANY_TEXELS, &seconds);
    *rate = MANY_TEXELS / seconds;
    return status;
}

glshape_status calibrate(gpu *g, glshape_device *d) {
    gpu_stage was = g->stage;
    glshape_status status = GLSHAPE_OK;
    for (int i = 0; i < 2 && !status; i++) {
        double copy = 0, fetch = 0;
        g->stage = i ? GPU_STAGE_FRAGMENT : GPU_STAGE_COMPUTE;
        status = measure_rate(g, false, &copy);
        if (!status) status = measure_rate(g, true, &fetch);
        d->copy_rate[i] = 32.0 * copy;
        d->fetch_rate[i] = 8.0 * fetch;
    }
    g->stage = was;
    return status;
}

#define TURNS 16

/* Copies a small texture by each stage in turn, because other processes on the device slow either: they stand
 * between all turns of one stage, but hardly between nearly all of them. *wins: how often the fragment stage
 * took less than half of the time. */
static glshape_status race(gpu *g, int *wins) {
    const uint32_t n = 1u << 18;
    OWNED_BY(gpu_texture_free) gpu_texture from = {0};
    OWNED_BY(gpu_texture_free) gpu_texture to = {0};
    TRY(gpu_texture_new(g, &from, "calibration source", GPU_RGBA32F, n, 1));
    TRY(gpu_texture_new(g, &to, "calibration target", GPU_RGBA32F, n, 1));
    *wins = 0;
    for (int turn = 0; turn <= TURNS; turn++) {
        double seconds[2];
        g->stage = GPU_STAGE_COMPUTE;
        TRY(time_copy(g, &from, &to, &seconds[0]));
        g->stage = GPU_STAGE_FRAGMENT;
        TRY(time_copy(g, &from, &to, &seconds[1]));
        *wins += turn && 2 * seconds[1] < seconds[0]; /* the first turn compiles */
    }
    return GLSHAPE_OK;
}

/* AUTO is compute, unless the fragment stage copies at least twice as fast, nearly always. So noise does not
 * decide: a device must always choose the same stage, or results would differ in their bits. So the choice is
 * kept, too, beside the programs. */
gpu_stage gpu_get_stage(gpu *g) {
    if (g->stage != GPU_STAGE_AUTO) return g->stage;
    /* Compute: of software renderers both are within 1.5 of each other (measured); of NVIDIA's cards, which
     * the H100 stands for, it is 30 times as fast there. */
    if (g->software || trust_knows(g)) return g->stage = GPU_STAGE_COMPUTE;
    if (stage_find(g, &g->stage)) return g->stage;
    int wins;
    size_t peak = g->peak, recent = g->recent;
    bool hidden = run_hide(g->run, true); /* not the user's business, and too short to cancel */
    bool ran = !race(g, &wins);
    if (!ran) wins = 0;
    run_hide(g->run, hidden);
    g->peak = peak;
    g->recent = recent;
    g->stage = wins >= TURNS - 1 ? GPU_STAGE_FRAGMENT : GPU_STAGE_COMPUTE;
    if (ran) stage_keep(g, g->stage);
    return g->stage;
}
