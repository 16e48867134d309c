/* Devices: listing, choosing, contexts beside each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/internal.h"
#include "suites.h"

START_TEST(list) {
    glshape_device devices[16];
    int count, usable = 0;
    ck_assert_int_eq(glshape_devices(devices, 16, &count, false), GLSHAPE_OK);
    for (int i = 0; i < count && i < 16; i++) {
        const glshape_device *d = &devices[i];
        ck_assert_msg(d->usable == !d->why[0], "device %d: usable %d, why '%s'", i, d->usable, d->why);
        if (!d->usable) continue;
        usable++;
        ck_assert(d->limits.texture_size >= 16384 && d->limits.shared_bytes >= 32768 &&
                  d->limits.image_units >= 8);
        ck_assert(d->two_sum && d->two_product && d->multi_limb && d->doubles);
    }
    ck_assert_int_ge(usable, 1);
}
END_TEST

START_TEST(choose) {
    glshape_context *c;
    ck_assert_int_eq(glshape_open(&(glshape_options){.device = "0"}, &c), GLSHAPE_OK);
    char part[8];
    snprintf(part, sizeof part, "%.5s", glshape_renderer(c));
    ck_assert_int_eq(glshape_close(c), 0);
    ck_assert_int_eq(glshape_open(&(glshape_options){.device = part}, &c), GLSHAPE_OK);
    ck_assert_int_eq(glshape_close(c), 0);
    static const char *const absent[] = {"99", "no such renderer"};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(glshape_open(&(glshape_options){.device = absent[i]}, &c), GLSHAPE_NO_DEVICE);
        ck_assert_msg(
            strstr(glshape_last_error(c), absent[i]) && strstr(glshape_last_error(c), "glshape devices"),
            "%s", glshape_last_error(c));
        glshape_mds_result r;
        ck_assert_int_eq(glshape_mds(c, &(glshape_source){0}, NULL, &r), GLSHAPE_BAD_ARGUMENT);
        glshape_close(c);
    }
}
END_TEST

/* Two contexts in one thread, used in turn, beside the shared one that stays current. */
START_TEST(side_by_side) {
    test_gpu();
    glshape_context *c[2];
    float x[] = {0, 0, 3, 4, 6, 8};
    glshape_matrix m = {GLSHAPE_F32, 3, 2, x};
    glshape_source source = {.points = &m};
    for (int i = 0; i < 2; i++) ck_assert_int_eq(glshape_open(NULL, &c[i]), GLSHAPE_OK);
    for (int round = 0; round < 4; round++) {
        glshape_mds_result r;
        ck_assert_msg(glshape_mds(c[round % 2], &source, NULL, &r) == GLSHAPE_OK, "%s",
                      glshape_last_error(c[round % 2]));
        ck_assert(r.stress < 1e-6);
        glshape_mds_free(&r);
    }
    for (int i = 0; i < 2; i++) ck_assert_int_eq(glshape_close(c[i]), 0);
    OK(run_error(run_of(test_gpu())), gpu_finish(test_gpu()));
}
END_TEST

static GLenum GLAPIENTRY guilty(void) { return GL_GUILTY_CONTEXT_RESET; }
static GLenum GLAPIENTRY innocent(void) { return GL_INNOCENT_CONTEXT_RESET; }

/* A driver that resets the device between a method's passes and its results: no result, a sentence, and the
 * next context works. No software renderer has to do it, so the driver's answer is put in its place. */
START_TEST(reset) {
    typedef GLenum(GLAPIENTRY * answer)(void);
    static const struct {
        answer says;
        const char *words;
    } cases[] = {{guilty, "a pass of this process did not end"}, {innocent, "another process"}};
    gpu *shared = test_gpu();
    if (!shared->tells) {
        printf("this driver tells of no reset\n");
        return;
    }
    float x[] = {0, 0, 3, 4, 6, 8};
    glshape_source source = {.points = &(glshape_matrix){GLSHAPE_F32, 3, 2, x}};
    for (int i = 0; i < 2; i++) {
        glshape_context *c;
        glshape_mds_result r;
        answer *asked = shared->tells == TELLS_CORE ? &epoxy_glGetGraphicsResetStatus
                                                    : &epoxy_glGetGraphicsResetStatusARB;
        answer real = *asked;
        ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &c), GLSHAPE_OK);
        *asked = cases[i].says;
        glshape_status status = glshape_mds(c, &source, NULL, &r);
        *asked = real;
        ck_assert_int_eq(status, GLSHAPE_GPU_ERROR);
        ck_assert_msg(strstr(glshape_last_error(c), cases[i].words), "%s", glshape_last_error(c));
        ck_assert_int_eq(glshape_mds(c, &source, NULL, &r), GLSHAPE_GPU_ERROR); /* it stays lost */
        ck_assert_msg(strstr(glshape_last_error(c), "open another context"), "%s", glshape_last_error(c));
        glshape_close(c);
        ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &c), GLSHAPE_OK);
        ck_assert_int_eq(glshape_mds(c, &source, NULL, &r), GLSHAPE_OK);
        glshape_mds_free(&r);
        ck_assert_int_eq(glshape_close(c), 0);
    }
}
END_TEST

START_TEST(status_words) {
    ck_assert_str_eq(glshape_status_text(GLSHAPE_OK), "done");
    ck_assert_str_eq(glshape_status_text((glshape_status)999), "unknown status");
}
END_TEST

Suite *gpu_device_suite(void) {
    Suite *s = suite_create("gpu/device");
    TCase *t = tcase_create("device");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, list);
    tcase_add_test(t, choose);
    tcase_add_test(t, side_by_side);
    tcase_add_test(t, reset);
    tcase_add_test(t, status_words);
    suite_add_tcase(s, t);
    return s;
}
