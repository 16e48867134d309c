/* The same intervals whichever way they are found. */
#include <string.h>

#include "cubical/images.h"
#include "gpu/context.h"

static glshape_field draw_of(glshape_type type, double least, int dims, const size_t *shape, unsigned around,
                             uint32_t different) {
    bool periodic[3];
    size_t n = 1;
    for (int i = 0; i < dims; n *= shape[i++]) periodic[i] = around >> i & 1;
    double *values = bench_memory(n, sizeof *values);
    for (size_t v = 0; v < n; v++) values[v] = least + bench_random() % different;
    return images_field(dims, shape, periodic, type, values);
}

static glshape_field draw(int dims, const size_t *shape, unsigned around, uint32_t different) {
    return draw_of(GLSHAPE_F32, 0, dims, shape, around, different);
}

static void check_same(const glshape_cubical_result *a, const glshape_cubical_result *b) {
    size_t differ = 0;
    ck_assert_uint_eq(a->count, b->count);
    for (size_t k = 0; k < a->count; k++) {
        const glshape_cubical_interval *x = &a->intervals[k], *y = &b->intervals[k];
        differ += x->dim != y->dim || x->birth_vertex != y->birth_vertex ||
                  x->death_vertex != y->death_vertex || memcmp(&x->birth, &y->birth, sizeof x->birth) ||
                  memcmp(&x->death, &y->death, sizeof x->death);
    }
    ck_assert_uint_eq(differ, 0);
}

/* Without a device threads share the rows of an image; passes know no rows. */
START_TEST(images) {
    static const uint32_t different[] = {2, 40, UINT32_MAX};
    glshape_context *closed;
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &closed), GLSHAPE_OK);
    for (int i = 0; i < 4; i++) {
        size_t shape[2] = {250 + bench_random() % 100, 250 + bench_random() % 300};
        glshape_field f = draw(2, shape, (unsigned)i, different[i % 3]);
        glshape_cubical_options o = {.construction = (glshape_cubical_construction)(bench_random() & 1),
                                     .superlevel = bench_random() & 1};
        glshape_cubical_result by_rows, by_passes;
        ck_assert_int_eq(glshape_cubical(closed, &f, &o, &by_rows), GLSHAPE_OK);
        ck_assert_int_eq(glshape_cubical(images_context(), &f, &o, &by_passes), GLSHAPE_OK);
        check_same(&by_rows, &by_passes);
        glshape_cubical_free(&by_rows);
        glshape_cubical_free(&by_passes);
        bench_clear();
    }
    glshape_close(closed);
}
END_TEST

/* With no device threads do all; eager: passes go on until nothing is left, and do what is little, too. */
static void check_passes(glshape_context *closed, const glshape_field *f, const glshape_cubical_options *o,
                         bool eager) {
    glshape_cubical_result by_threads, by_passes;
    ck_assert_int_eq(glshape_cubical(closed, f, o, &by_threads), GLSHAPE_OK);
    gpu_set_eager(context_gpu(images_context()), eager);
    ck_assert_int_eq(glshape_cubical(images_context(), f, o, &by_passes), GLSHAPE_OK);
    gpu_set_eager(context_gpu(images_context()), false);
    check_same(&by_threads, &by_passes);
    glshape_cubical_free(&by_threads);
    glshape_cubical_free(&by_passes);
}

/* Passes let edges flow, and list them; with no device threads do. */
START_TEST(volumes) {
    static const uint32_t different[] = {2, 3, 40, UINT32_MAX};
    glshape_context *closed;
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &closed), GLSHAPE_OK);
    for (int i = 0; i < hunt(16, 200); i++) {
        size_t shape[3] = {1 + bench_random() % 30, 1 + bench_random() % 30, 2 + bench_random() % 30};
        unsigned around = i & 1 ? bench_random() : 0;
        for (int axis = 0; axis < 2; axis++)
            if (shape[axis] < 2) around &= ~(1u << axis);
        glshape_field f = draw(3, shape, around, different[i / 2 % 4]);
        glshape_cubical_options o = {.construction = (glshape_cubical_construction)(bench_random() & 1),
                                     .superlevel = bench_random() & 1};
        if (bench_random() % 4 == 0) o.dim = GLSHAPE_SET(1);
        bench_where("field %d, %zu x %zu x %zu", i, shape[0], shape[1], shape[2]);
        check_passes(closed, &f, &o, i & 2);
        ck_assert(fact_of(images_context(), "edges that they flow through") == 0);
        bench_clear();
    }
    glshape_close(closed);
}
END_TEST

/* Values that have the key of the outside, from either end: other keys make room for it. */
START_TEST(ends_of_types) {
    static const struct {
        glshape_type type;
        double least;
        uint32_t different;
    } of[] = {{GLSHAPE_U8, 0, 256},          {GLSHAPE_U8, 0, 3},           {GLSHAPE_U16, 0, 40},
              {GLSHAPE_U32, 4294967288., 8}, {GLSHAPE_U32, 0, UINT32_MAX}, {GLSHAPE_I32, -2147483648., 9}};
    glshape_context *closed;
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &closed), GLSHAPE_OK);
    for (int i = 0; i < hunt(24, 240); i++) {
        size_t shape[3] = {2 + bench_random() % 20, 2 + bench_random() % 20, 2 + bench_random() % 20};
        glshape_field f = draw_of(of[i % 6].type, of[i % 6].least, i % 5 ? 3 : 2, shape,
                                  i % 3 ? 0 : bench_random(), of[i % 6].different);
        glshape_cubical_options o = {.construction = (glshape_cubical_construction)(i / 12 % 2),
                                     .superlevel = i / 6 % 2};
        bench_where("field %d, %zu x %zu x %zu", i, shape[0], shape[1], shape[2]);
        check_passes(closed, &f, &o, true);
        bench_clear();
    }
    glshape_close(closed);
}
END_TEST

/* Where threads let edges flow, with many threads every flow ends beforehand, with one it stops where it goes
 * far. */
START_TEST(flows) {
    glshape_field f = draw(3, (size_t[]){36, 36, 36}, 0, 3);
    glshape_cubical_result stopping, ending;
    ck_assert_int_eq(glshape_cubical(images_context(), &f,
                                     &(glshape_cubical_options){.threads = 1, .modulus = 3}, &stopping),
                     GLSHAPE_OK);
    ck_assert(fact_of(images_context(), "columns reduced") > 4096);
    ck_assert(fact_of(images_context(), "vertices that columns flow through") > 0);
    ck_assert_int_eq(glshape_cubical(images_context(), &f,
                                     &(glshape_cubical_options){.threads = 16, .modulus = 3}, &ending),
                     GLSHAPE_OK);
    ck_assert(fact_of(images_context(), "vertices that columns flow through") == 0);
    check_same(&stopping, &ending);
    glshape_cubical_free(&stopping);
    glshape_cubical_free(&ending);
}
END_TEST

Suite *cubical_ways_suite(void) {
    Suite *s = suite_create("cubical/ways");
    TCase *c = images_case(s, "cubical/ways");
    tcase_add_test(c, images);
    tcase_add_test(c, volumes);
    tcase_add_test(c, ends_of_types);
    tcase_add_test(c, flows);
    return s;
}
