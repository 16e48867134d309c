/* The executor: regions, both stages, barriers, bands, cancellation, compile errors. */
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "gpu/pass.h"
#include "suites.h"

/* clang-format off */
#define TEST_ADD(P) P(READ, R32UI, source) P(WRITE, R32UI, target) P(UINT, amount)
#define TEST_WHERE(P) P(WRITE, RG32UI, target)
#define TEST_SCATTER(P) P(READ, R32UI, source) P(ATOMIC, R32UI, target) P(UINT, n) P(UINT, stride)
#define TEST_SWAP(P) P(ATOMIC, R32UI, cell) P(WRITE, R32UI, was)
#define TEST_BROKEN(P) P(WRITE, R32F, target)
#define TEST_VARIANTS(P)                                                                         \
    P(AXIS, TIMES, 2, 3) P(AXIS, WITH, 0, 1) P(SIZE, PLUS, 5)                                    \
    P(READ_BY, TIMES, source, GPU_R32UI, GPU_RG32UI) P(READ_BY, WITH, more, GPU_NONE, GPU_R32UI) \
    P(WRITE, R32UI, target)
#define TEST_PASSES(PASS)                                                 \
    PASS(test_add, "tests/add", GPU_EACH_ELEMENT, TEST_ADD)               \
    PASS(test_where, "tests/where", GPU_EACH_TEXEL, TEST_WHERE)           \
    PASS(test_scatter, "tests/scatter", GPU_GROUPS_OF(256), TEST_SCATTER) \
    PASS(test_swap, "tests/swap", GPU_GROUPS_OF(256), TEST_SWAP)          \
    PASS(test_broken, "tests/broken", GPU_EACH_ELEMENT, TEST_BROKEN)      \
    PASS(test_variants, "tests/variants", GPU_EACH_ELEMENT GPU_WITH("BASE=100"), TEST_VARIANTS)
/* clang-format on */
GPU_DECLARE_PASSES(TEST_PASSES, test_passes)
GPU_DEFINE_PASSES(TEST_PASSES, test_passes)

static const gpu_stage stages[] = {GPU_STAGE_COMPUTE, GPU_STAGE_FRAGMENT};

static gpu_texture make(gpu_format format, uint32_t n, uint32_t texels, const void *values) {
    gpu *g = test_gpu();
    gpu_texture t;
    OK(run_error(run_of(g)), gpu_texture_new(g, &t, "test", format, n, texels));
    if (values) OK(run_error(run_of(g)), gpu_upload(g, &t, 0, n, values));
    return t;
}

static uint32_t *read_back(gpu_texture *t) {
    uint32_t *out = malloc(t->elements * t->texels * gpu_texel_bytes(t->format));
    OK(run_error(run_of(test_gpu())), gpu_download(test_gpu(), t, 0, t->elements, out));
    return out;
}

/* A kernel sees every (element, texel) of its region once, in both stages, and writes nothing else. */
START_TEST(regions) {
    gpu *g = test_gpu();
    static const uint32_t shapes[][4] = {/* elements, texels, first, count */
                                         {1, 1, 0, 1},      {5, 3, 1, 3},         {1000, 1, 17, 900},
                                         {1000, 3, 999, 1}, {70000, 1, 1, 69998}, {33, 20000, 3, 29},
                                         {4096, 2, 64, 64}};
    for (int stage = 0; stage < 2; stage++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            const uint32_t n = shapes[k][0], p = shapes[k][1], first = shapes[k][2], count = shapes[k][3];
            uint32_t *blank = malloc((size_t)n * p * 8);
            memset(blank, 0x5a, (size_t)n * p * 8);
            gpu_texture t = make(GPU_RG32UI, n, p, blank);
            gpu_set_stage(g, stages[stage]);
            OK(run_error(run_of(g)), gpu_run(g, test_where, .target = &t, .skip = first, .elements = count));
            uint32_t *out = read_back(&t);
            for (uint32_t e = 0; e < n; e++)
                for (uint32_t x = 0; x < p; x++) {
                    const uint32_t *v = out + 2 * ((size_t)e * p + x);
                    bool inside = e >= first && e < first + count;
                    ck_assert_msg(v[0] == (inside ? e : 0x5a5a5a5au) && v[1] == (inside ? x : 0x5a5a5a5au),
                                  "stage %d shape %zu: element %u texel %u holds %u %u", stage, k, e, x, v[0],
                                  v[1]);
                }
            gpu_texture_free(&t);
            free(blank);
            free(out);
        }
    gpu_set_stage(g, GPU_STAGE_AUTO);
}
END_TEST

/* 200 dependent passes: each must see what the one before wrote, whatever stage wrote it. */
START_TEST(chains) {
    gpu *g = test_gpu();
    enum { N = 5000 };
    uint32_t zero[N] = {0};
    gpu_texture t[2] = {make(GPU_R32UI, N, 1, zero), make(GPU_R32UI, N, 1, NULL)};
    for (uint32_t i = 0; i < 200; i++) {
        gpu_set_stage(g, stages[i / 3 % 2]);
        OK(run_error(run_of(g)),
           gpu_run(g, test_add, .source = &t[0], .target = &t[1], .amount = i, .elements = N));
        gpu_texture_swap(&t[0], &t[1]);
    }
    uint32_t *out = read_back(&t[0]);
    for (uint32_t e = 0; e < N; e++) ck_assert_uint_eq(out[e], 199 * 200 / 2);
    free(out);
    for (int i = 0; i < 2; i++) gpu_texture_free(&t[i]);
    gpu_set_stage(g, GPU_STAGE_AUTO);
}
END_TEST

/* A variant has the constants, the formats and the ports that its axes say; a value that no axis has is
 * refused. */
START_TEST(variants) {
    gpu *g = test_gpu();
    uint32_t one[4] = {1, 2, 3, 4}, two[8] = {1, 10, 2, 20, 3, 30, 4, 40},
             thousand[4] = {1000, 1000, 1000, 1000};
    gpu_texture narrow = make(GPU_R32UI, 4, 1, one), wide = make(GPU_RG32UI, 4, 1, two),
                more = make(GPU_R32UI, 4, 1, thousand), out = make(GPU_R32UI, 4, 1, NULL);
    for (int times = 2; times <= 3; times++)
        for (int with = 0; with < 2; with++) {
            OK(run_error(run_of(g)), gpu_run(g, test_variants, .TIMES = times, .WITH = with, .PLUS = 7,
                                             .source = times == 2 ? &narrow : &wide,
                                             .more = with ? &more : NULL, .target = &out, .elements = 4));
            uint32_t *got = read_back(&out);
            for (uint32_t e = 0; e < 4; e++) {
                uint32_t sum = times == 2 ? one[e] : two[2 * e] + two[2 * e + 1];
                uint32_t bits = ((1u << times) - 1) << 20 | 3u << 28;
                ck_assert_uint_eq(got[e], 100 + 7 + (uint32_t)times * sum + (with ? 1000 : 0) + bits);
            }
            free(got);
        }
    FAILS(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
          gpu_run(g, test_variants, .TIMES = 4, .source = &wide, .target = &out, .elements = 4),
          "tests/variants", "TIMES", "4");
    FAILS(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
          gpu_run(g, test_variants, .TIMES = 2, .source = &wide, .target = &out, .elements = 4),
          "tests/variants", "source", "format");
    gpu_texture_free(&narrow);
    gpu_texture_free(&wide);
    gpu_texture_free(&more);
    gpu_texture_free(&out);
}
END_TEST

/* Atomic scatter, then a fragment or compute read of it, then a scatter into what was just read. */
START_TEST(scatter_and_read) {
    gpu *g = test_gpu();
    enum { N = 10007 };
    uint32_t *ones = malloc(N * 4), *zero = calloc(N, 4);
    for (int i = 0; i < N; i++) ones[i] = 1;
    for (int stage = 0; stage < 2; stage++) {
        gpu_texture one = make(GPU_R32UI, N, 1, ones), sum = make(GPU_R32UI, N, 1, zero),
                    copy = make(GPU_R32UI, N, 1, NULL);
        gpu_set_stage(g, stages[stage]);
        for (int round = 0; round < 20; round++) {
            OK(run_error(run_of(g)), gpu_run(g, test_scatter, .source = &one, .target = &sum, .n = N,
                                             .stride = 3, .groups = (N + 255) / 256));
            OK(run_error(run_of(g)), gpu_run(g, test_add, .source = &sum, .target = &copy, .elements = N));
        }
        uint32_t *out = read_back(&copy);
        for (int e = 0; e < N; e++) ck_assert_uint_eq(out[e], 20);
        free(out);
        gpu_texture_free(&one);
        gpu_texture_free(&sum);
        gpu_texture_free(&copy);
    }
    gpu_set_stage(g, GPU_STAGE_AUTO);
    free(ones);
    free(zero);
}
END_TEST

/* A swap happens where the cell holds what is expected, and gives what was there; of invocations that swap
 * the same cell at once none is lost. */
START_TEST(compare_and_swap) {
    enum { N = 256, GROUPS = 8 };
    uint32_t cells[N + 1];
    for (uint32_t i = 0; i < N; i++) cells[i] = i;
    cells[N] = 0;
    gpu_texture cell = make(GPU_R32UI, N + 1, 1, cells), was = make(GPU_R32UI, N, 1, NULL);
    OK(run_error(run_of(test_gpu())),
       gpu_run(test_gpu(), test_swap, .cell = &cell, .was = &was, .groups = 1));
    uint32_t *now = read_back(&cell), *before = read_back(&was);
    for (uint32_t i = 0; i < N; i++) {
        ck_assert_uint_eq(before[i], i);
        ck_assert_uint_eq(now[i], i % 2 ? i : 1000 + i);
    }
    ck_assert_uint_eq(now[N], N);
    OK(run_error(run_of(test_gpu())),
       gpu_run(test_gpu(), test_swap, .cell = &cell, .was = &was, .groups = GROUPS));
    free(now);
    now = read_back(&cell);
    ck_assert_uint_eq(now[N], N * (1 + GROUPS));
    free(now);
    free(before);
    gpu_texture_free(&cell);
    gpu_texture_free(&was);
}
END_TEST

static bool count_calls(void *user, double fraction) {
    (void)fraction;
    return ++*(int *)user < 2;
}

/* A region larger than the first two bands: progress is called between bands and can cancel. Without a cache
 * there is no like work of an earlier run, which would be issued whole. */
START_TEST(cancel_between_bands) {
    error err = {0};
    gpu *g;
    int calls = 0;
    const char *cache = getenv("GLSHAPE_CACHE");
    OWNED char *before = cache ? strdup(cache) : NULL;
    setenv("GLSHAPE_CACHE", "off", 1);
    OK(&err, gpu_open(&err, &(glshape_options){.device = getenv("GLSHAPE_TEST_NAME"), .debug = true}, &g));
    gpu_enter(g);
    gpu_texture a, b;
    OK(run_error(run_of(g)), gpu_texture_new(g, &a, "a", GPU_R32UI, 1 << 22, 1));
    OK(run_error(run_of(g)), gpu_texture_new(g, &b, "b", GPU_R32UI, 1 << 22, 1));
    run_set_progress(run_of(g), count_calls, &calls);
    ck_assert_int_eq(gpu_run(g, test_add, .source = &a, .target = &b, .amount = 1, .elements = 1 << 22),
                     GLSHAPE_CANCELLED);
    ck_assert_int_eq(calls, 2);
    run_set_progress(run_of(g), NULL, NULL);
    OK(run_error(run_of(g)),
       gpu_run(g, test_add, .source = &a, .target = &b, .amount = 1, .elements = 1 << 22));
    gpu_texture_free(&a);
    gpu_texture_free(&b);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
    if (before) setenv("GLSHAPE_CACHE", before, 1);
    else unsetenv("GLSHAPE_CACHE");
}
END_TEST

START_TEST(compile_error_names_the_line) {
    gpu *g = test_gpu();
    gpu_texture t = make(GPU_R32F, 16, 1, NULL);
    for (int stage = 0; stage < 2; stage++) {
        gpu_set_stage(g, stages[stage]);
        FAILS(run_error(run_of(g)), GLSHAPE_GPU_ERROR, gpu_run(g, test_broken, .target = &t, .elements = 16),
              "tests/broken", "nowhere", "0=tests/broken.glsl");
        ck_assert_msg(
            strstr(run_error(run_of(g))->text, "0:3(") || strstr(run_error(run_of(g))->text, "0(3)"), "%s",
            run_error(run_of(g))->text);
    }
    gpu_set_stage(g, GPU_STAGE_AUTO);
    gpu_texture_free(&t);
}
END_TEST

START_TEST(wrong_textures_are_refused) {
    gpu *g = test_gpu();
    gpu_texture t = make(GPU_R32F, 16, 1, NULL);
    FAILS(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
          gpu_run(g, test_add, .source = &t, .target = &t, .elements = 16), "tests/add", "source");
    FAILS(run_error(run_of(g)), GLSHAPE_GPU_ERROR, gpu_run(g, test_add, .elements = 16), "tests/add",
          "no texture");
    OK(run_error(run_of(g)),
       gpu_run(g, test_add, .source = &t, .target = &t, .elements = 0)); /* nothing to do is nothing wrong */
    gpu_texture_free(&t);
}
END_TEST

START_TEST(passes_are_timed) {
    error err = {0};
    gpu *g;
    OK(&err, gpu_open(&err, &(glshape_options){.device = getenv("GLSHAPE_TEST_NAME"), .timing = true}, &g));
    gpu_enter(g);
    gpu_texture a, b;
    OK(run_error(run_of(g)), gpu_texture_new(g, &a, "a", GPU_R32UI, 1 << 16, 1));
    OK(run_error(run_of(g)), gpu_texture_new(g, &b, "b", GPU_R32UI, 1 << 16, 1));
    for (int i = 0; i < 100; i++)
        OK(run_error(run_of(g)),
           gpu_run(g, test_add, .source = &a, .target = &b, .amount = 1, .elements = 1 << 14));
    glshape_timing timings[8];
    int count = gpu_timings(g, timings, 8), found = 0;
    for (int i = 0; i < count; i++)
        if (!strcmp(timings[i].pass, "tests/add")) found += timings[i].runs == 100 && timings[i].seconds > 0;
    ck_assert_int_eq(found, 1);
    gpu_texture_free(&a);
    gpu_texture_free(&b);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}
END_TEST

static void check_stage(const glshape_stage_facts *f, const char *stage, bool on_device, const char *why,
                        uint64_t bytes_up, uint64_t bytes_down) {
    ck_assert_str_eq(f->stage, stage);
    ck_assert_str_eq(f->why, why);
    ck_assert_int_eq(f->on_device, on_device);
    ck_assert_uint_eq(f->bytes_up, bytes_up);
    ck_assert_uint_eq(f->bytes_down, bytes_down);
    ck_assert_int_eq(f->transfers > 0, bytes_up || bytes_down);
    ck_assert_int_eq(f->passes > 0, !strcmp(stage, "work"));
    ck_assert(f->seconds >= f->transfers);
}

/* Passes and transfers count for the stage that is the current one; copies in one piece as those in many,
 * which debug contexts make. */
START_TEST(stages_are_counted) {
    static char memory[20000 * 24];
    for (int debug = 0; debug < 2; debug++) {
        error err = {0};
        gpu *g;
        glshape_options o = {.device = getenv("GLSHAPE_TEST_NAME"), .timing = true, .debug = debug};
        OK(&err, gpu_open(&err, &o, &g));
        gpu_enter(g);
        gpu_texture a, b, wide;
        OK(run_error(run_of(g)), gpu_texture_new(g, &a, "a", GPU_R32UI, 1 << 14, 1));
        OK(run_error(run_of(g)), gpu_texture_new(g, &b, "b", GPU_R32UI, 1 << 14, 1));
        OK(run_error(run_of(g)), gpu_texture_new(g, &wide, "wide", GPU_RG32UI, 20000, 3));
        gpu_begin_method(g);
        run_begin_stage(run_of(g), "up", RUN_FOR_PASSES);
        OK(run_error(run_of(g)), gpu_upload(g, &wide, 0, 20000, memory));
        run_begin_stage(run_of(g), "work", RUN_FOR_OPTION);
        for (int i = 0; i < 100; i++)
            OK(run_error(run_of(g)),
               gpu_run(g, test_add, .source = &a, .target = &b, .amount = 1, .elements = 1 << 14));
        run_within inner = run_begin_within(run_of(g), "down", RUN_NOT_SMALL);
        OK(run_error(run_of(g)), gpu_download(g, &wide, 5, 1000, memory));
        run_end_within(&inner);
        OK(run_error(run_of(g)), gpu_upload(g, &a, 3, 1, memory));
        run_begin_stage(run_of(g), "up", RUN_FOR_PASSES);
        OK(run_error(run_of(g)), gpu_upload(g, &a, 0, 10, memory));
        run_begin_stage(run_of(g), "up", RUN_NOT_FASTER);
        run_end_stage(run_of(g));
        OK(run_error(run_of(g)), gpu_upload(g, &a, 0, 10, memory)); /* of no stage */
        glshape_stage_facts facts[8];
        ck_assert_int_eq(gpu_stages(g, facts, 8), 4);
        check_stage(&facts[0], "up", true, "passes do this", 20000 * 24 + 40, 0);
        check_stage(&facts[1], "work", true, "an option asks for the device", 4, 0);
        check_stage(&facts[2], "down", false, "the work is small", 0, 24000);
        check_stage(&facts[3], "up", false, "the processors are faster", 0, 0);
        gpu_begin_method(g);
        ck_assert_int_eq(gpu_stages(g, facts, 8), 0);
        gpu_texture_free(&a);
        gpu_texture_free(&b);
        gpu_texture_free(&wide);
        gpu_leave(g);
        ck_assert_int_eq(gpu_close(g), 0);
    }
}
END_TEST

/* What is expected compiles as it would when it runs; what does not compile is an error only then, each time;
 * and what never runs is released. */
START_TEST(expected_passes) {
    error err = {0};
    gpu *g;
    uint32_t values[16] = {5};
    OK(&err, gpu_open(&err, &(glshape_options){.device = test_device()}, &g));
    gpu_enter(g);
    gpu_texture a, b, t;
    OK(run_error(run_of(g)), gpu_texture_new(g, &a, "a", GPU_R32UI, 16, 1));
    OK(run_error(run_of(g)), gpu_texture_new(g, &b, "b", GPU_R32UI, 16, 1));
    OK(run_error(run_of(g)), gpu_texture_new(g, &t, "t", GPU_R32F, 16, 1));
    OK(run_error(run_of(g)), gpu_upload(g, &a, 0, 16, values));
    for (int stage = 0; stage < 2; stage++) {
        gpu_set_stage(g, stages[stage]);
        for (int twice = 0; twice < 2; twice++) {
            gpu_soon(g, test_broken, .elements = 16);
            gpu_soon(g, test_variants, .TIMES = 4);
            gpu_soon(g, test_add, .elements = 16);
            ck_assert_int_eq(run_error(run_of(g))->status,
                             stage || twice ? GLSHAPE_GPU_ERROR : GLSHAPE_OK); /* as before */
            OK(run_error(run_of(g)),
               gpu_run(g, test_add, .source = &a, .target = &b, .amount = 2, .elements = 16));
            OK(run_error(run_of(g)), gpu_download(g, &b, 0, 1, values));
            ck_assert_uint_eq(values[0], 7);
            FAILS(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                  gpu_run(g, test_broken, .target = &t, .elements = 16), "tests/broken", "nowhere",
                  "0=tests/broken.glsl");
            FAILS(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                  gpu_run(g, test_variants, .TIMES = 4, .elements = 16), "tests/variants", "TIMES");
        }
        gpu_soon(g, test_broken, .elements = 16);
        gpu_soon(g, test_scatter, .groups = 1);
    }
    gpu_texture_free(&a);
    gpu_texture_free(&b);
    gpu_texture_free(&t);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}
END_TEST

Suite *gpu_execute_suite(void) {
    Suite *s = suite_create("gpu/execute");
    TCase *t = tcase_create("execute");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, regions);
    tcase_add_test(t, variants);
    tcase_add_test(t, chains);
    tcase_add_test(t, scatter_and_read);
    tcase_add_test(t, compare_and_swap);
    tcase_add_test(t, cancel_between_bands);
    tcase_add_test(t, compile_error_names_the_line);
    tcase_add_test(t, wrong_textures_are_refused);
    tcase_add_test(t, expected_passes);
    tcase_add_test(t, passes_are_timed);
    tcase_add_test(t, stages_are_counted);
    suite_add_tcase(s, t);
    return s;
}
