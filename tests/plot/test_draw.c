/* glshape_draw: every kind of chart becomes the bytes of a file, or a sentence. The command's tests look into
 * the pictures of real results. */
#include <math.h>
#include <string.h>

#include "suites.h"

Suite *plot_draw_suite(void);

static glshape_context *context;
static glshape_picture picture;

static void setup(void) {
    glshape_options options = {.device = test_device(), .when_needed = true};
    ck_assert_int_eq(glshape_open(&options, &context), GLSHAPE_OK);
}

static void teardown(void) {
    glshape_picture_free(&picture);
    ck_assert_int_eq(glshape_close(context), 0);
}

static const double xy[] = {0, 0, 2, 1, 1, 3};
static const double merges[] = {0, 1, 2, 2, 2, 3, 3, 3};
static const glshape_chart_scatter points = {.n = 3, .dim = 2, .xy = xy};
static const glshape_chart_dendrogram tree = {.n = 3, .merges = merges};

static bool starts_with(const void *text, size_t size) {
    return picture.size >= size && !memcmp(picture.bytes, text, size);
}

START_TEST(an_svg_needs_no_device) {
    const glshape_picture_options options = {.format = GLSHAPE_PICTURE_SVG, .title = "A <title>"};
    ck_assert_int_eq(glshape_draw(context, &(glshape_chart){.dendrogram = &tree}, &options, &picture),
                     GLSHAPE_OK);
    ck_assert(starts_with("<?xml", 5));
    ck_assert(strstr(picture.bytes, "A &lt;title&gt;"));
    ck_assert_str_eq(glshape_renderer(context), "");
}
END_TEST

START_TEST(a_page_needs_no_device) {
    static const char *const names[] = {"</script>", "\xff\"\\", "c"};
    const glshape_picture_options options = {.format = GLSHAPE_PICTURE_HTML, .title = "A <title>"};
    const glshape_chart_scatter named = {.n = 3, .dim = 2, .xy = xy, .point_names = names};
    ck_assert_int_eq(glshape_draw(context, &(glshape_chart){.scatter = &named}, &options, &picture),
                     GLSHAPE_OK);
    ck_assert(starts_with("<!doctype html>", 15));
    ck_assert(strstr(picture.bytes, "\"title\":\"A \\u003ctitle\\u003e\""));
    ck_assert(strstr(picture.bytes, "[\"\\u003c/script\\u003e\",\n\"\xEF\xBF\xBD\\u0022\\u005c\",\n\"c\"]"));
    ck_assert(strstr(picture.bytes, "\"AAAAAAAAAEAAAIA/\"")); /* 0, 2, 1 in single precision */
    ck_assert_str_eq(glshape_renderer(context), "");
}
END_TEST

/* PNG specification, section 11.2: the header has width and height, of 4 bytes, the highest first. */
START_TEST(a_png_has_its_size) {
    static const unsigned char header[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\x2c\0\0\0\xc8";
    const glshape_picture_options options = {.width = 300, .height = 200};
    ck_assert_int_eq(glshape_draw(context, &(glshape_chart){.scatter = &points}, &options, &picture),
                     GLSHAPE_OK);
    ck_assert(starts_with(header, sizeof header - 1));
    glshape_picture_free(&picture);
    ck_assert_int_eq(glshape_draw(context, &(glshape_chart){.scatter = &points}, NULL, &picture), GLSHAPE_OK);
    ck_assert_uint_gt(picture.size, 5000);
}
END_TEST

static void refused(const glshape_chart *chart, const glshape_picture_options *options, const char *part) {
    picture = (glshape_picture){.size = 1, .bytes = &picture};
    ck_assert_int_eq(glshape_draw(context, chart, options, &picture), GLSHAPE_BAD_ARGUMENT);
    ck_assert_msg(strstr(glshape_last_error(context), part), "'%s' lacks '%s'", glshape_last_error(context),
                  part);
    ck_assert(!picture.bytes && !picture.size);
}

START_TEST(refusals) {
    static const uint32_t labels[] = {0, 3, 0};
    static const double nan[] = {0, NAN, 0, 0, 0, 0};
    refused(&(glshape_chart){0}, NULL, "not 0");
    refused(&(glshape_chart){.scatter = &points, .dendrogram = &tree}, NULL, "not 2");
    refused(&(glshape_chart){.scatter = &points}, &(glshape_picture_options){.format = 7}, "format 7");
    refused(&(glshape_chart){.scatter = &points}, &(glshape_picture_options){.width = 9}, "at least 200");
    refused(&(glshape_chart){.scatter = &points}, &(glshape_picture_options){.width = 99999}, "16384");
    refused(&(glshape_chart){.scatter = &(glshape_chart_scatter){.n = 3, .dim = 2, .xy = nan}}, NULL,
            "row 1, column 2");
    refused(
        &(glshape_chart){
            .scatter = &(glshape_chart_scatter){.n = 3, .dim = 2, .xy = xy, .labels = labels, .classes = 3}},
        NULL, "point 1 has class 3");
}
END_TEST

START_TEST(refusals_of_an_atlas) {
    static const int32_t labels[] = {0, 0, -1}, beyond[] = {0, 1, -1};
    static const uint32_t medoid = 1, none = 3;
    static const size_t first[] = {0, 1, 1, 2};
    static const glshape_interval bars[] = {{.birth = 0, .death = 1}, {.birth = 0, .death = INFINITY}},
                                  high[] = {{.birth = 0, .death = 1}, {.dim = 99, .birth = 0, .death = 1}};
    const glshape_chart_atlas map = {.n = 3,
                                     .xy = xy,
                                     .labels = labels,
                                     .clusters = 1,
                                     .medoids = &medoid,
                                     .first = first,
                                     .intervals = bars};
    for (int format = GLSHAPE_PICTURE_SVG; format <= GLSHAPE_PICTURE_HTML; format++) {
        const glshape_picture_options options = {.format = (glshape_picture_format)format};
        glshape_chart_atlas bad = map;
        ck_assert_int_eq(glshape_draw(context, &(glshape_chart){.atlas = &map}, &options, &picture),
                         GLSHAPE_OK);
        glshape_picture_free(&picture);
        bad.labels = beyond;
        refused(&(glshape_chart){.atlas = &bad}, &options, "shape 1 is in cluster 1");
        bad = map, bad.medoids = &none;
        refused(&(glshape_chart){.atlas = &bad}, &options, "medoid of cluster 0 is 3");
        bad = map, bad.intervals = high;
        refused(&(glshape_chart){.atlas = &bad}, &options, "interval 1 has dimension 99");
    }
    refused(&(glshape_chart){.atlas = &map}, &(glshape_picture_options){.width = 900}, "at least");
}
END_TEST

START_TEST(refusals_of_pages) {
    static const double nan[] = {0, NAN, 0, 0, 0, 0}, crossed[] = {0, 1, 2, 2, 2, 9, 3, 3};
    static const glshape_interval bar = {.dim = 2, .birth = 0, .death = 1};
    const glshape_picture_options page = {.format = GLSHAPE_PICTURE_HTML};
    refused(&(glshape_chart){.scatter = &(glshape_chart_scatter){.n = 3, .dim = 2, .xy = nan}}, &page,
            "row 1, column 2");
    refused(&(glshape_chart){.dendrogram = &(glshape_chart_dendrogram){.n = 3, .merges = crossed}}, &page,
            "row");
    refused(&(glshape_chart){.dendrogram = &(glshape_chart_dendrogram){.n = 0, .merges = merges}}, &page,
            "a tree of 0 points");
    refused(&(glshape_chart){.barcode = &(glshape_chart_barcode){.count = 1, .intervals = &bar, .dims = 2}},
            &page, "interval 0 has dimension 2");
    refused(&(glshape_chart){.located = &(glshape_chart_located){0}}, &page, "no page of this chart");
}
END_TEST

START_TEST(fields_are_of_their_results) {
    glshape_branch branch = {.birth = 0, .death = 9, .parent = 0};
    const glshape_mergetree_result grown = {.n = 4, .count = 1, .branches = &branch};
    const glshape_field field = {.dims = 2, .shape = {2, 2}}, graph = {.graph = &(glshape_graph){0}},
                        empty = {.dims = 2, .shape = {2, 0}};
    glshape_cubical_interval interval = {.dim = 9};
    const glshape_cubical_result found = {.count = 1, .intervals = &interval}, none = {0};
    refused(&(glshape_chart){.branches = &(glshape_chart_branches){.of = &grown, .field = &field}}, NULL,
            "branch 0");
    refused(&(glshape_chart){.located = &(glshape_chart_located){&found, &field}}, NULL, "dimension 9");
    refused(&(glshape_chart){.located = &(glshape_chart_located){&none, &graph}}, NULL, "grid");
    refused(&(glshape_chart){.located = &(glshape_chart_located){&none, &empty}}, NULL, "without values");
}
END_TEST

Suite *plot_draw_suite(void) {
    Suite *s = suite_create("plot/draw");
    TCase *t = tcase_create("draw");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_svg_needs_no_device);
    tcase_add_test(t, a_page_needs_no_device);
    tcase_add_test(t, refusals_of_an_atlas);
    tcase_add_test(t, refusals_of_pages);
    tcase_add_test(t, a_png_has_its_size);
    tcase_add_test(t, refusals);
    tcase_add_test(t, fields_are_of_their_results);
    suite_add_tcase(s, t);
    return s;
}
