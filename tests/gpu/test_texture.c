/* Packed textures: what goes in comes out, for every shape; budgets; failures. */
#include <stdlib.h>
#include <string.h>

#include "suites.h"

/* A texture of the shape, filled, read back in odd pieces. */
static void round_trip(gpu_format format, uint32_t elements, uint32_t texels) {
    gpu *g = test_gpu();
    size_t size = (size_t)elements * texels * gpu_texel_bytes(format), one = texels * gpu_texel_bytes(format);
    unsigned char *in = malloc(size + 1), *out = calloc(size + 1, 1);
    for (size_t i = 0; i < size; i++) in[i] = (unsigned char)((i * 2654435761u >> 13) % 127);
    gpu_texture t;
    OK(run_error(run_of(g)), gpu_texture_new(g, &t, "round trip", format, elements, texels));
    uint32_t half = elements / 3;
    OK(run_error(run_of(g)), gpu_upload(g, &t, 0, half, in));
    OK(run_error(run_of(g)), gpu_upload(g, &t, half, elements - half, in + half * one));
    OK(run_error(run_of(g)), gpu_download(g, &t, 0, elements, out));
    ck_assert_msg(!memcmp(in, out, size), "format %d, %u elements of %u texels", format, elements, texels);
    uint32_t first = elements / 5, count = elements / 2;
    memset(out, 0, size);
    OK(run_error(run_of(g)), gpu_download(g, &t, first, count, out));
    ck_assert(!memcmp(in + first * one, out, count * one));
    gpu_texture_free(&t);
    free(in);
    free(out);
}

START_TEST(every_shape) {
    static const uint32_t elements[] = {1, 2, 3, 15, 16, 17, 255, 257, 1000, 4097};
    static const uint32_t texels[] = {1, 2, 3, 7, 64};
    for (gpu_format f = GPU_R32F; f < GPU_FORMATS; f++)
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
            for (size_t k = 0; k < sizeof texels / sizeof *texels; k++) round_trip(f, elements[i], texels[k]);
}
END_TEST

/* One element wider than any texture row: its texels fold into a block. */
START_TEST(wider_than_a_row) {
    uint32_t max = (uint32_t)gpu_get_limits(test_gpu())->texture_size;
    round_trip(GPU_RGBA32F, 5, max + 1);
    round_trip(GPU_R32UI, 3, 3 * max);
}
END_TEST

/* A limit that the self-test would not keep to is one of work: it is no fault of the device. */
START_TEST(tiny_budget) {
    error err = {0};
    gpu *g;
    OK(&err, gpu_open(&err, &(glshape_options){.gpu_memory = 30, .device = getenv("GLSHAPE_TEST_NAME")}, &g));
    gpu_enter(g);
    gpu_texture t = {0};
    FAILS(run_error(run_of(g)), GLSHAPE_NO_GPU_MEMORY,
          gpu_texture_new(g, &t, "three texels", GPU_RGBA32F, 3, 1), "three texels needs",
          "the limit is 30 bytes");
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}
END_TEST

typedef struct filler {
    uint32_t elements, texels, filled;
    bool fails; /* behind the first elements */
} filler;

static uint32_t number_of(uint32_t e, uint32_t t) { return (e * 64 + t) * 2654435761u; }

static glshape_status fill_numbers(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    filler *f = user;
    uint32_t *to = memory;
    ck_assert(first == f->filled && count && count <= f->elements - first);
    if (f->fails && first)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_INPUT, "element %u is no good", first);
    for (uint32_t e = 0; e < count; e++)
        for (uint32_t t = 0; t < f->texels; t++) to[e * f->texels + t] = number_of(first + e, t);
    f->filled += count;
    return GLSHAPE_OK;
}

/* Many pieces; a piece that is refused leaves nothing behind. */
START_TEST(filled_in_pieces) {
    static const uint32_t texels[] = {1, 3, 64};
    gpu *g = test_gpu();
    for (int k = 0; k < 3; k++) {
        filler f = {.elements = 5000000 / texels[k], .texels = texels[k]}, broken = f;
        uint32_t *out = malloc((size_t)f.elements * f.texels * 4);
        broken.fails = true;
        gpu_texture t;
        OK(run_error(run_of(g)), gpu_texture_new(g, &t, "numbers", GPU_R32UI, f.elements, f.texels));
        FAILS(run_error(run_of(g)), GLSHAPE_BAD_INPUT, gpu_fill(g, &t, t.elements, fill_numbers, &broken),
              "is no good");
        OK(run_error(run_of(g)), gpu_fill(g, &t, t.elements, fill_numbers, &f));
        ck_assert_uint_eq(f.filled, f.elements);
        OK(run_error(run_of(g)), gpu_download(g, &t, 0, f.elements, out));
        bool same = true;
        for (uint32_t e = 0; e < f.elements; e++)
            for (uint32_t i = 0; i < f.texels; i++) same &= out[e * f.texels + i] == number_of(e, i);
        ck_assert_msg(same, "%u elements of %u texels", f.elements, f.texels);
        gpu_texture_free(&t);
        free(out);
    }
}
END_TEST

START_TEST(budget) {
    error err = {0};
    gpu *g;
    OK(&err,
       gpu_open(&err, &(glshape_options){.gpu_memory = 1 << 20, .device = getenv("GLSHAPE_TEST_NAME")}, &g));
    gpu_enter(g);
    gpu_texture small, large = {0};
    OK(run_error(run_of(g)), gpu_texture_new(g, &small, "small", GPU_RGBA32F, 1024, 1));
    FAILS(run_error(run_of(g)), GLSHAPE_NO_GPU_MEMORY,
          gpu_texture_new(g, &large, "the large one", GPU_RGBA32F, 1 << 16, 1), "the large one", "1.00 MiB",
          "limit");
    ck_assert_uint_eq(gpu_bytes(g), small.bytes);
    FAILS(run_error(run_of(g)), GLSHAPE_NO_GPU_MEMORY,
          gpu_texture_new(g, &large, "the large one", GPU_RGBA32F, 1 << 16, 1),
          "beside the 16.00 KiB in use");
    bool fits, exceeds;
    OK(run_error(run_of(g)), gpu_find(g, (1 << 20) - small.bytes, &fits));
    OK(run_error(run_of(g)), gpu_find(g, (1 << 20) - small.bytes + 1, &exceeds));
    ck_assert(fits && exceeds == gpu_is_named(g));
    gpu_texture_free(&small);
    ck_assert_uint_eq(gpu_bytes(g), 0);
    ck_assert_uint_eq(gpu_peak_bytes(g), 16384);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}
END_TEST

START_TEST(impossible_size) {
    gpu *g = test_gpu();
    gpu_texture t = {0};
    FAILS(run_error(run_of(g)), GLSHAPE_NO_GPU_MEMORY,
          gpu_texture_new(g, &t, "the huge one", GPU_R32F, 0xffffffffu, 4), "the huge one", "texels");
    ck_assert_uint_eq(gpu_texture_bytes(g, GPU_R32F, 0xffffffffu, 4), SIZE_MAX);
}
END_TEST

/* The tester is tested: a copy beyond the texture is an OpenGL error, and the debug output reports it. */
START_TEST(errors_are_seen) {
    gpu *g = test_gpu();
    gpu_texture t;
    float memory[4096] = {0};
    OK(run_error(run_of(g)), gpu_texture_new(g, &t, "small", GPU_R32F, 16, 1));
    ck_assert_int_eq(gpu_upload(g, &t, 1000, 16, memory), GLSHAPE_GPU_ERROR);
    OK(run_error(run_of(g)), gpu_finish(g)); /* reported once, not for ever */
    gpu_texture_free(&t);
}
END_TEST

START_TEST(leaks_are_seen) {
    error err = {0};
    gpu *g;
    gpu_texture t;
    OK(&err, gpu_open(&err, &(glshape_options){.device = getenv("GLSHAPE_TEST_NAME")}, &g));
    gpu_enter(g);
    OK(run_error(run_of(g)), gpu_texture_new(g, &t, "forgotten", GPU_R32F, 16, 1));
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 1);
}
END_TEST

Suite *gpu_texture_suite(void) {
    Suite *s = suite_create("gpu/texture");
    TCase *t = tcase_create("texture");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_shape);
    tcase_add_test(t, wider_than_a_row);
    tcase_add_test(t, filled_in_pieces);
    tcase_add_test(t, budget);
    tcase_add_test(t, tiny_budget);
    tcase_add_test(t, impossible_size);
    tcase_add_test(t, errors_are_seen);
    tcase_add_test(t, leaks_are_seen);
    suite_add_tcase(s, t);
    return s;
}
