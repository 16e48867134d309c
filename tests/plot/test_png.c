/* The GPU's picture equals the twin's, and the PNG file holds it. */
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "plot/raster.h"
#include "plot/twin.h"
#include "suites.h"

Suite *plot_png_suite(void);

#define TOLERANCE 1 /* of 255: the rounding of the colour curve's table */

static error err;
static plot_canvas c;
static uint32_t *gpu_picture, *twin_picture;

static void setup(void) { gpu_set_stage(test_gpu(), GPU_STAGE_AUTO); }
static void teardown(void) {
    gpu_set_stage(test_gpu(), GPU_STAGE_AUTO);
    plot_canvas_free(&c);
    free(gpu_picture);
    free(twin_picture);
    gpu_picture = twin_picture = NULL;
}

static void new_canvas(uint32_t width, uint32_t height) {
    OK(&err, plot_canvas_new(&err, &c, width, height, 0xFFFFFF));
    size_t n = (size_t)width * height;
    gpu_picture = malloc(n * sizeof *gpu_picture);
    twin_picture = malloc(n * sizeof *twin_picture);
    ck_assert(gpu_picture && twin_picture);
}

static void paint(raster_limits limits) {
    OK(&err, raster_paint(test_gpu(), &err, &c, &limits, gpu_picture));
}

static int difference(void) { return twin_difference(gpu_picture, twin_picture, (size_t)c.width * c.height); }

static void compare(raster_limits limits) {
    paint(limits);
    twin_paint(&c, twin_picture);
    int worst = difference();
    ck_assert_msg(worst <= TOLERANCE, "a pixel differs by %d of 255", worst);
}

static double random_in(double lo, double hi) { return lo + (hi - lo) * rand() / RAND_MAX; }

/* Shapes of all kinds, some of them outside, reproducibly. */
static void fill(unsigned seed, int shapes) {
    srand(seed);
    for (int i = 0; i < shapes; i++) {
        double x = random_in(-20, c.width + 20.0), y = random_in(-20, c.height + 20.0);
        uint32_t colour = (uint32_t)random_in(0, 0xFFFFFF);
        switch (i % 4) {
            case 0:
                plot_disc(&c, x, y, random_in(0, 9), colour);
                break;
            case 1:
                plot_line(&c, x, y, random_in(-50, 150), random_in(-50, 150), random_in(0, 6), colour);
                break;
            case 2:
                plot_rect(&c, x, y, x + random_in(0, 30), y + random_in(0, 30), colour);
                break;
            default:
                plot_text(&c, x, y, "Ag8", (plot_style){random_in(6, 30), colour, PLOT_MIDDLE, i % 8 > 4});
        }
    }
}

START_TEST(random_canvases_equal_the_twin) {
    new_canvas(97, 61);
    fill(100 + (unsigned)_i, 40);
    compare((raster_limits){0});
}
END_TEST

START_TEST(tiny_limits_change_nothing) {
    new_canvas(61, 97);
    fill(7, 60);
    compare((raster_limits){.sample_bytes = 1, .items = 3});
    compare((raster_limits){.sample_bytes = 61 * 16 * 4 * 10, .items = 1});
}
END_TEST

START_TEST(stages_agree) {
    new_canvas(70, 70);
    fill(8, 60);
    gpu_set_stage(test_gpu(), GPU_STAGE_FRAGMENT);
    compare((raster_limits){0});
    memcpy(twin_picture, gpu_picture, 70 * 70 * sizeof *gpu_picture);
    gpu_set_stage(test_gpu(), GPU_STAGE_COMPUTE);
    paint((raster_limits){0});
    ck_assert_int_eq(difference(), 0); /* to the bit */
}
END_TEST

START_TEST(empty_canvas_is_background) {
    new_canvas(33, 5);
    c.background = 0x123456;
    paint((raster_limits){0});
    for (int i = 0; i < 33 * 5; i++) ck_assert_uint_eq(gpu_picture[i], 0x123456);
}
END_TEST

START_TEST(one_pixel) {
    new_canvas(1, 1);
    plot_disc(&c, 0.5, 0.5, 0.3, 0);
    compare((raster_limits){0});
}
END_TEST

START_TEST(later_shapes_lie_on_top) {
    new_canvas(40, 40);
    for (uint32_t i = 0; i < 2000; i++) plot_rect(&c, 0, 0, 40, 40, i);
    paint((raster_limits){.items = 100});
    for (int i = 0; i < 40 * 40; i++) ck_assert_uint_eq(gpu_picture[i], 1999);
}
END_TEST

START_TEST(colours_survive) {
    new_canvas(256, 3);
    for (uint32_t i = 0; i < 256; i++)
        for (uint32_t k = 0; k < 3; k++) plot_rect(&c, i, k, i + 1, k + 1, i << 8 * k);
    paint((raster_limits){0});
    for (uint32_t i = 0; i < 256; i++)
        for (uint32_t k = 0; k < 3; k++) ck_assert_uint_eq(gpu_picture[k * 256 + i], i << 8 * k);
}
END_TEST

START_TEST(long_lines_in_a_wide_picture) {
    new_canvas(PLOT_SIZE_MAX, 2);
    plot_line(&c, 0, 0, PLOT_SIZE_MAX, 2, 1, 0x0000FF);
    plot_line(&c, -1e6, 1, 1e6, 1, 0.5, 0xFF0000);
    plot_disc(&c, PLOT_SIZE_MAX, 1, 2, 0x00FF00);
    compare((raster_limits){0});
    ck_assert_uint_eq(gpu_picture[PLOT_SIZE_MAX - 1], 0x00FF00);
}
END_TEST

/* A disc darkens as much as its area says: an oracle that shares nothing with the shader. */
START_TEST(discs_have_their_area) {
    new_canvas(64, 64);
    c.background = 0;
    plot_disc(&c, 31.7, 32.4, 21.3, 0xFFFFFF);
    paint((raster_limits){0});
    double area = 0;
    for (int i = 0; i < 64 * 64; i++) {
        double v = (gpu_picture[i] & 255) / 255.0;
        area += v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    ck_assert_double_eq_tol(area, 3.14159265 * 21.3 * 21.3, 5);
}
END_TEST

START_TEST(comparison_sees_a_small_fault) {
    new_canvas(40, 40);
    plot_disc(&c, 20, 20, 5, 0);
    paint((raster_limits){0});
    c.shapes[0].x0 = c.shapes[0].x1 = 20.5f;
    twin_paint(&c, twin_picture);
    ck_assert_int_gt(difference(), TOLERANCE);
}
END_TEST

/* ---- the file --------------------------------------------------------------------------------- */

/* Decodes the PNG that was written to f into twin_picture. */
static void decode(FILE *f, uint32_t width, uint32_t height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    rewind(f);
    ck_assert_msg(png_image_begin_read_from_stdio(&image, f), "%s", image.message);
    ck_assert_uint_eq(image.width, width);
    ck_assert_uint_eq(image.height, height);
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    ck_assert_ptr_nonnull(rgb);
    ck_assert_msg(png_image_finish_read(&image, NULL, rgb, 0, NULL), "%s", image.message);
    for (size_t i = 0; i < (size_t)width * height; i++)
        twin_picture[i] = (uint32_t)rgb[3 * i] << 16 | (uint32_t)rgb[3 * i + 1] << 8 | rgb[3 * i + 2];
    free(rgb);
}

START_TEST(file_holds_the_picture) {
    FILE *f = tmpfile();
    ck_assert_ptr_nonnull(f);
    new_canvas(131, 77);
    fill(9, 60);
    paint((raster_limits){0});
    OK(&err, plot_write(test_gpu(), &err, &c, GLSHAPE_PICTURE_PNG, f));
    decode(f, 131, 77);
    ck_assert_int_eq(difference(), 0);
    fclose(f);
}
END_TEST

START_TEST(full_disk_is_reported) {
    FILE *full = fopen("/dev/full", "w");
    if (!full) return; /* only Linux has it */
    new_canvas(10, 10);
    ck_assert_int_eq(plot_write(test_gpu(), &err, &c, GLSHAPE_PICTURE_PNG, full), GLSHAPE_IO_ERROR);
    fclose(full);
}
END_TEST

/* ---- little GPU memory ------------------------------------------------------------------------ */

START_TEST(little_gpu_memory_means_smaller_bands) {
    gpu *small;
    glshape_options options = {.gpu_memory = 4 << 20};
    OK(&err, gpu_open(&err, &options, &small));
    new_canvas(500, 400);
    fill(10, 40);
    paint((raster_limits){0});
    memcpy(twin_picture, gpu_picture, 500 * 400 * sizeof *gpu_picture);
    OK(&err, raster_paint(small, &err, &c, &(raster_limits){0}, gpu_picture));
    ck_assert_int_eq(difference(), 0);
    ck_assert_uint_le(gpu_peak_bytes(small), 4 << 20);
    ck_assert_int_eq(gpu_close(small), 0);
}
END_TEST

START_TEST(too_little_gpu_memory_is_refused) {
    gpu *tiny;
    glshape_options options = {.gpu_memory = 64 << 10};
    OK(&err, gpu_open(&err, &options, &tiny));
    new_canvas(500, 400);
    fill(11, 40);
    ck_assert_int_eq(raster_paint(tiny, &err, &c, &(raster_limits){0}, gpu_picture), GLSHAPE_NO_GPU_MEMORY);
    ck_assert_int_eq(gpu_close(tiny), 0);
}
END_TEST

Suite *plot_png_suite(void) {
    Suite *s = suite_create("plot_png");
    TCase *t = tcase_create("png");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, random_canvases_equal_the_twin, 0, 5);
    tcase_add_test(t, tiny_limits_change_nothing);
    tcase_add_test(t, stages_agree);
    tcase_add_test(t, empty_canvas_is_background);
    tcase_add_test(t, one_pixel);
    tcase_add_test(t, later_shapes_lie_on_top);
    tcase_add_test(t, colours_survive);
    tcase_add_test(t, long_lines_in_a_wide_picture);
    tcase_add_test(t, discs_have_their_area);
    tcase_add_test(t, comparison_sees_a_small_fault);
    tcase_add_test(t, file_holds_the_picture);
    tcase_add_test(t, full_disk_is_reported);
    tcase_add_test(t, little_gpu_memory_means_smaller_bands);
    tcase_add_test(t, too_little_gpu_memory_is_refused);
    suite_add_tcase(s, t);
    return s;
}
