/* What a caller's function says when it fails, whoever asks it: it may fill all bytes of its message, or
 * none.
 */
#include <string.h>

#include "prim/bench.h"

enum { N = 600 /* points: more than any method does without its reader's own way */ };

static bool fill_message(char *message, size_t size) {
    memset(message, 'x', size);
    return false;
}

static bool fails_at_length(void *user, uint32_t first, uint32_t count, float *out, char *message,
                            size_t size) {
    (void)user, (void)first, (void)count, (void)out;
    return fill_message(message, size);
}

static bool fails_in_double(void *user, uint32_t first, uint32_t count, double *out, char *message,
                            size_t size) {
    (void)user, (void)first, (void)count, (void)out;
    return fill_message(message, size);
}

static bool fails_silently(void *user, uint32_t first, uint32_t count, float *out, char *message,
                           size_t size) {
    (void)user, (void)first, (void)count, (void)out, (void)message, (void)size;
    return false;
}

static bool feeds_at_length(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out,
                            char *message, size_t size) {
    (void)user, (void)count, (void)i, (void)j, (void)out;
    return fill_message(message, size);
}

static bool feeds_nothing(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out,
                          char *message, size_t size) {
    (void)user, (void)count, (void)i, (void)j, (void)out, (void)message, (void)size;
    return false;
}

static bool gives_zeros(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    (void)user, (void)first, (void)message, (void)size;
    memset(out, 0, (size_t)count * N * sizeof *out);
    return true;
}

/* ---- who asks ---------------------------------------------------------------------------------- */

static glshape_status mds(glshape_context *c, const glshape_source *s) {
    glshape_mds_result r;
    return glshape_mds(c, s, NULL, &r);
}

static glshape_status knn(glshape_context *c, const glshape_source *s) {
    glshape_knn_result r;
    return glshape_knn_source(c, s, NULL, &r);
}

static glshape_status linkage(glshape_context *c, const glshape_source *s) {
    glshape_linkage_result r;
    return glshape_linkage(c, s, NULL, &r);
}

static glshape_status hdbscan(glshape_context *c, const glshape_source *s) {
    glshape_hdbscan_result r;
    return glshape_hdbscan(c, s, NULL, &r);
}

static glshape_status rips(glshape_context *c, const glshape_source *s) {
    glshape_rips_result r;
    return glshape_rips(c, s, NULL, &r);
}

static glshape_status sample(glshape_context *c, const glshape_source *s) {
    glshape_rips_result r;
    return glshape_rips(c, s, &(glshape_rips_options){.n_perm = 20}, &r);
}

static const struct {
    const char *name;
    glshape_status (*ask)(glshape_context *c, const glshape_source *s);
} methods[] = {{"mds", mds},         {"knn", knn},   {"linkage", linkage},
               {"hdbscan", hdbscan}, {"rips", rips}, {"rips, n_perm", sample}};

/* ---- what it is told ---------------------------------------------------------------------------- */

/* The sentence ends with the message, one byte of which made room for its end. */
static void says_at_length(glshape_context *c, glshape_status status, const char *who) {
    const char *said = glshape_last_error(c), *from = strchr(said, 'x');
    ck_assert_msg(status == GLSHAPE_IO_ERROR, "%s: status %d: %s", who, status, said);
    ck_assert_msg(from && strspn(from, "x") == 511 && !from[511], "%s: '%s'", who, said);
}

static void says_something(glshape_context *c, glshape_status status, const char *who) {
    ck_assert_msg(status == GLSHAPE_IO_ERROR, "%s: status %d", who, status);
    ck_assert_msg(strstr(glshape_last_error(c), "it gives no reason"), "%s: '%s'", who,
                  glshape_last_error(c));
}

START_TEST(test_readers) {
    glshape_context *c;
    glshape_source loud = {.reader = fails_at_length, .n = N}, silent = {.reader = fails_silently, .n = N},
                   few = loud;
    few.n = 30;
    ck_assert_int_eq(glshape_open(NULL, &c), GLSHAPE_OK);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        says_at_length(c, methods[k].ask(c, &loud), methods[k].name);
        says_at_length(c, methods[k].ask(c, &few), methods[k].name);
        says_something(c, methods[k].ask(c, &silent), methods[k].name);
        loud.double_reader = fails_in_double;
        says_at_length(c, methods[k].ask(c, &loud), methods[k].name);
        loud.double_reader = NULL;
    }
    glshape_close(c);
}
END_TEST

START_TEST(test_weights_and_feeders) {
    glshape_context *c;
    glshape_source heavy = {.reader = gives_zeros, .n = N, .weights = fails_at_length};
    ck_assert_int_eq(glshape_open(NULL, &c), GLSHAPE_OK);
    says_at_length(c, mds(c, &heavy), "weights");
    for (size_t n = 30; n <= 20000; n = 20 * n + 8000) {
        says_at_length(c, mds(c, &(glshape_source){.feeder = feeds_at_length, .n = n}), "a feeder");
        says_something(c, mds(c, &(glshape_source){.feeder = feeds_nothing, .n = n}), "a silent feeder");
    }
    glshape_close(c);
}
END_TEST

Suite *dist_reasons_suite(void) {
    Suite *s = suite_create("dist/reasons");
    TCase *c = bench_case(s, "reasons");
    tcase_add_test(c, test_readers);
    tcase_add_test(c, test_weights_and_feeders);
    return s;
}
