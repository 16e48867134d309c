/* Fields larger than the GPU's memory, a slab at a time: as if they were in one piece. */
#include <string.h>

#include "cubical/images.h"

static void check_same(const glshape_cubical_result *whole, const glshape_cubical_result *cut) {
    ck_assert_uint_eq(cut->count, whole->count);
    for (size_t k = 0; k < cut->count; k++) {
        const glshape_cubical_interval *a = &cut->intervals[k], *b = &whole->intervals[k];
        ck_assert_int_eq(a->dim, b->dim);
        ck_assert_uint_eq(a->birth_vertex, b->birth_vertex);
        ck_assert_uint_eq(a->death_vertex, b->death_vertex);
    }
}

static void check(int i) {
    static const uint32_t different[] = {2, 5, 1000};
    size_t shape[3] = {60 + bench_random() % 40, 8 + bench_random() % 8, 8 + bench_random() % 8};
    bool periodic[3] = {i >> 1 & 1, i >> 2 & 1, i >> 3 & 1};
    size_t n = shape[0] * shape[1] * shape[2];
    double *values = bench_memory(n, sizeof *values);
    for (size_t v = 0; v < n; v++) values[v] = bench_random() % different[i % 3];
    glshape_field f = images_field(3, shape, periodic, GLSHAPE_I16, values);
    glshape_cubical_options o = {.construction = (glshape_cubical_construction)(i & 1),
                                 .superlevel = bench_random() & 1};
    glshape_cubical_result whole, cut;
    images_reopen((glshape_options){.device = test_device()});
    ck_assert_int_eq(glshape_cubical(images_context(), &f, &o, &whole), GLSHAPE_OK);
    ck_assert(fact_of(images_context(), "slabs of edges") == 1);
    images_reopen((glshape_options){.device = test_device(), .gpu_memory = 48 << 10});
    ck_assert_msg(glshape_cubical(images_context(), &f, &o, &cut) == GLSHAPE_OK, "%s",
                  glshape_last_error(images_context()));
    ck_assert(fact_of(images_context(), "slabs of edges") > 1);
    check_same(&whole, &cut);
    glshape_cubical_free(&whole);
    glshape_cubical_free(&cut);
    bench_clear();
}

START_TEST(random_fields) {
    /* Four for a second driver: every axis is and is not periodic, of both constructions. */
    for (int i = 0; i < 16; i += is_second_driver() ? 5 : 1) check(i);
}
END_TEST

/* A field whose keys fit beside those of the reversed one, but nothing else: they go, and all is found. */
START_TEST(room_for_keys) {
    double *values = bench_memory(20 * 19 * 18, sizeof *values);
    for (int v = 0; v < 20 * 19 * 18; v++) values[v] = bench_random();
    for (int axis = 0; axis < 3; axis++) {
        const bool periodic[3] = {axis == 0, axis == 1, axis == 2};
        glshape_field f = images_field(3, (size_t[]){20, 19, 18}, periodic, GLSHAPE_F32, values);
        glshape_cubical_result whole, short_of;
        images_reopen((glshape_options){.device = test_device()});
        ck_assert_int_eq(glshape_cubical(images_context(), &f, NULL, &whole), GLSHAPE_OK);
        images_reopen((glshape_options){.device = test_device(), .gpu_memory = 60000});
        ck_assert_msg(glshape_cubical(images_context(), &f, NULL, &short_of) == GLSHAPE_OK, "%s",
                      glshape_last_error(images_context()));
        check_same(&whole, &short_of);
        glshape_cubical_free(&whole);
        glshape_cubical_free(&short_of);
    }
    images_reopen((glshape_options){.device = test_device()});
}
END_TEST

START_TEST(no_room) {
    double *values = bench_memory(8000, sizeof *values);
    glshape_field f = images_field(3, (size_t[]){2, 40, 100}, NULL, GLSHAPE_U8, values);
    glshape_cubical_result r;
    images_reopen((glshape_options){.device = test_device(), .gpu_memory = 20 << 10});
    ck_assert_int_eq(glshape_cubical(images_context(), &f, NULL, &r), GLSHAPE_NO_GPU_MEMORY);
    ck_assert(strstr(glshape_last_error(images_context()), "raise the limit") != NULL);
    images_reopen((glshape_options){.device = test_device()});
}
END_TEST

Suite *cubical_slabs_suite(void) {
    Suite *s = suite_create("cubical/slabs");
    TCase *c = images_case(s, "cubical/slabs");
    tcase_add_test(c, random_fields);
    tcase_add_test(c, room_for_keys);
    tcase_add_test(c, no_room);
    return s;
}
