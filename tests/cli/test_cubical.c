/* glshape cubical: every form of input, every output, refusals with their place. */
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell.h"

/* A ring of 1 around 9. 3 × 4. Pixels close it at the corner between 6 and 9, vertices only through 10. */
static const unsigned char ring[12] = {1, 1, 1, 2, 1, 9, 1, 2, 1, 1, 1, 0};

#define HEAD "dim,birth,death,birth_vertex,death_vertex\n"
static const char *const intervals[2] = {HEAD "0,0,inf,11,-1\n1,1,9,9,5\n",
                                         HEAD "0,0,inf,11,-1\n1,1,9,10,5\n"};

static void save_npy(const char *name, const char *descr, const char *shape, const void *data, size_t size) {
    char bytes[512], text[128];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n",
                          descr, shape);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (char)length, bytes[9] = 0;
    memcpy(bytes + 10, text, (size_t)length);
    memcpy(bytes + 10 + length, data, size);
    shell_write(name, bytes, 10 + (size_t)length + size);
}

static void save_png(const char *name, png_uint_32 format, const void *pixels) {
    png_image image = {.version = PNG_IMAGE_VERSION, .width = 4, .height = 3, .format = format};
    ck_assert(png_image_write_to_file(&image, shell_path(name), 0, pixels, 0, NULL));
}

/* factor: of 16 bits, so that the low byte matters, too. */
static void save_pngs(unsigned factor) {
    unsigned short deep[12];
    unsigned char colors[36], clear[24];
    for (int v = 0; v < 12; v++) {
        deep[v] = (unsigned short)(ring[v] * factor);
        for (int k = 0; k < 3; k++) colors[3 * v + k] = ring[v];
        clear[2 * v] = ring[v], clear[2 * v + 1] = 200;
    }
    save_png("gray.png", PNG_FORMAT_GRAY, ring);
    save_png("deep.png", PNG_FORMAT_LINEAR_Y, deep);
    save_png("color.png", PNG_FORMAT_RGB, colors);
    save_png("clear.png", PNG_FORMAT_GA, clear);
}

static void put64(unsigned char *to, unsigned long long x) {
    for (int i = 0; i < 8; i++) to[i] = (unsigned char)(x >> 8 * i);
}

static void save_dipha(const char *name, unsigned long long kind, unsigned long long values) {
    unsigned char bytes[48 + 96];
    const unsigned long long head[6] = {8067171840, kind, values, 2, 4, 3};
    for (int i = 0; i < 6; i++) put64(bytes + 8 * i, head[i]);
    for (int v = 0; v < 12; v++) {
        double x = ring[v];
        unsigned long long bits;
        memcpy(&bits, &x, 8);
        put64(bytes + 48 + 8 * v, bits);
    }
    shell_write(name, bytes, sizeof bytes);
}

static void save_all(void) {
    save_npy("c.npy", "|u1", "3, 4", ring, 12);
    save_npy("solid.npy", "|u1", "1, 3, 4", ring, 12);
    save_npy("line.npy", "|u1", "12,", ring, 12);
    shell_write("u1.raw", ring, 12);
    save_pngs(1);
    save_dipha("image.dipha", 1, 12);
    shell_do("gzip -k $D/gray.png; gzip -k $D/image.dipha");
}

START_TEST(every_input) {
    static const char *const inputs[] = {"$D/c.npy",          "$D/solid.npy",
                                         "- <$D/c.npy",       "$D/u1.raw --shape 3,4 --type u1",
                                         "$D/gray.png",       "$D/gray.png.gz",
                                         "$D/deep.png",       "$D/image.dipha",
                                         "$D/image.dipha.gz", "$D/u1.raw --shape 3,4 --type uint8"};
    save_all();
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (int construction = 0; construction < 2; construction++) {
            shell_do("$G cubical %s -o - --construction %c", inputs[i], "tv"[construction]);
            ck_assert_msg(!strcmp(shell_out, intervals[construction]), "%s: %s", inputs[i], shell_out);
        }
    shell_do("$G cubical $D/line.npy -o -");
    ck_assert_str_eq(shell_out, HEAD "0,0,inf,11,-1\n0,1,9,0,5\n0,1,2,4,3\n0,1,2,6,7\n");
    save_pngs(1000);
    shell_do("$G cubical $D/deep.png -o -");
    shell_has(shell_out, "1,1000,9000,9,5");
}
END_TEST

START_TEST(every_output) {
    char text[8192];
    double row[10];
    save_all();
    shell_do(
        "$G cubical --device 0 $D/c.npy -o $D/i.npy --picture $D/p.svg --locate $D/l.svg --report $D/r.json");
    ck_assert_msg(strstr(shell_out, "12 values: 1 in dimension 0, 1 in dimension 1, ") == shell_out, "%s",
                  shell_out);
    size_t length = shell_slurp("i.npy", text, sizeof text);
    ck_assert(length > sizeof row);
    memcpy(row, text + length - sizeof row, sizeof row);
    static const double want[] = {1, 1, 9, 9, 5};
    ck_assert(!memcmp(row + 5, want, sizeof want));
    shell_slurp("r.json", text, sizeof text);
    shell_has(text, "\"values\": 12");
    shell_has(text, "\"cells\": 63");
    ck_assert(shell_slurp("p.svg", text, sizeof text) > 1000);
    ck_assert(shell_slurp("l.svg", text, sizeof text) > 1000);
    shell_do("$G cubical $D/c.npy -o $D/i.json --superlevel --picture $D/p.png --locate $D/l.png");
    shell_slurp("i.json", text, sizeof text);
    shell_has(text, "\"death\": null");
    shell_has(text, "\"birth\": 9");
    shell_do("$G cubical $D/solid.npy --locate $D/l.png");
    shell_do("$G cubical $D/line.npy --locate $D/l.png --picture $D/p.png");
    shell_do("$G cubical $D/c.npy --dry-run");
    shell_has(shell_out, "12 values, 63 cells");
    shell_do("$G cubical $D/c.npy --dry-run --report $D/dry.json --diagram $D/dry.csv");
    text[shell_slurp("dry.json", text, sizeof text - 1)] = 0;
    shell_has(text, "\"cells\": 63");
    shell_has(text, "\"host_bytes\"");
    shell_has(shell_err, "--diagram is not written, as --dry-run stops");
    ck_assert_int_eq(shell_count("dry.csv"), 0);
}
END_TEST

START_TEST(options) {
    save_all();
    shell_do("$G cubical $D/c.npy --dim 1 -o -");
    ck_assert_str_eq(shell_out, HEAD "1,1,9,9,5\n");
    shell_do("$G cubical $D/c.npy --threshold 8 --modulus 3 --threads 1 -o -");
    shell_has(shell_out, "\n1,1,inf,9,-1\n");
    shell_do("$G cubical $D/line.npy --diagram -");
    ck_assert_str_eq(shell_out, HEAD "0,0,inf,11,-1\n0,1,9,0,5\n0,1,2,4,3\n0,1,2,6,7\n");
    shell_do("$G cubical $D/line.npy --superlevel --diagram -");
    ck_assert_str_eq(shell_out, HEAD "0,9,inf,5,-1\n0,2,1,3,4\n0,2,1,7,6\n");
    shell_do("$G cubical $D/c.npy --min-persistence 8.5 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,0,inf,11,-1\n");
    shell_do("$G cubical $D/c.npy --periodic x,y");
    shell_has(shell_out, "in dimension 1, 1 in dimension 2");
}
END_TEST

/* Integers that no double holds. */
START_TEST(wide_integers) {
    static const unsigned long long big[3] = {9007199254740993, 9007199254740995, 9007199254740992};
    save_npy("big.npy", "<u8", "3,", big, sizeof big);
    shell_do("$G cubical $D/big.npy -o -");
    ck_assert_str_eq(shell_out, HEAD
                     "0,9007199254740992,inf,2,-1\n"
                     "0,9007199254740993,9007199254740995,0,1\n");
    shell_do("$G cubical $D/big.npy --min-persistence 3 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,9007199254740992,inf,2,-1\n");
    shell_do("$G cubical $D/big.npy --threshold 9007199254740992 -o - --report $D/r.json");
    ck_assert_str_eq(shell_out, HEAD "0,9007199254740992,inf,2,-1\n");
    char report[4096];
    report[shell_slurp("r.json", report, sizeof report)] = 0;
    shell_has(report, "\"least\": 9007199254740992");
    shell_has(report, "\"greatest\": 9007199254740995");
    shell_do("$G cubical $D/big.npy --threshold 9007199254740993 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,9007199254740992,inf,2,-1\n0,9007199254740993,inf,0,-1\n");
    static const char *const between[] = {"9007199254740992.5", "9007199254740993.0", "9007199254740992.000"};
    for (int k = 0; k < 3; k++) {
        shell_do("$G cubical $D/big.npy --threshold %s -o -", between[k]);
        ck_assert_str_eq(shell_out, k == 1 ? HEAD "0,9007199254740992,inf,2,-1\n0,9007199254740993,inf,0,-1\n"
                                           : HEAD "0,9007199254740992,inf,2,-1\n");
    }
    shell_do("$G cubical $D/big.npy --superlevel --threshold 9007199254740993.5 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,9007199254740995,inf,1,-1\n");
    /* Lengths 2^60 + 1 and 2^60 + 2 are one double. */
    static const long long gaps[5] = {0, 1152921504606846977, -1, 1152921504606846977, -2};
    save_npy("gaps.npy", "<i8", "5,", gaps, sizeof gaps);
    shell_do("$G cubical $D/gaps.npy --diagram -");
    ck_assert_str_eq(shell_out,
                     HEAD "0,-2,inf,4,-1\n0,-1,1152921504606846977,2,3\n0,0,1152921504606846977,0,1\n");
}
END_TEST

/* A threshold as it is printed leaves the float32 cells that print so. */
START_TEST(float_thresholds) {
    static const float tenths[3] = {0.3f, 0.7f, 0.1f};
    save_npy("tenths.npy", "<f4", "3,", tenths, sizeof tenths);
    shell_do("$G cubical $D/tenths.npy --threshold 0.3 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,0.1,inf,2,-1\n0,0.3,inf,0,-1\n");
    shell_do("$G cubical $D/tenths.npy --superlevel --threshold 0.7 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,0.7,inf,1,-1\n");
    shell_do("$G cubical $D/tenths.npy --superlevel --threshold 0.1 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,0.7,inf,1,-1\n");
}
END_TEST

/* A length as it is printed is at least that: 0.7 and 0.4 - 0.1 as floats, whose doubles are not. */
START_TEST(float_lengths) {
    static const float pits[5] = {0, 0.7f, -1, 0.4f, 0.1f};
    save_npy("pits.npy", "<f4", "5,", pits, sizeof pits);
    shell_do("$G cubical $D/pits.npy --min-persistence 0.7 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,-1,inf,2,-1\n0,0,0.7,0,1\n");
    shell_do("$G cubical $D/pits.npy --min-persistence 0.7000001 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,-1,inf,2,-1\n");
    shell_do("$G cubical $D/pits.npy --min-persistence 0.3 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,-1,inf,2,-1\n0,0,0.7,0,1\n0,0.1,0.4,4,3\n");
    shell_do("$G cubical $D/pits.npy --min-persistence 0.30000004 -o -");
    ck_assert_str_eq(shell_out, HEAD "0,-1,inf,2,-1\n0,0,0.7,0,1\n");
    static const float far[3] = {-3e38f, 3e38f, -3.2e38f}; /* a length beyond float32 */
    save_npy("far.npy", "<f4", "3,", far, sizeof far);
    shell_do("$G cubical $D/far.npy --min-persistence 5e38 -o - | wc -l");
    ck_assert_int_eq(atoi(shell_out), 3);
    shell_do("$G cubical $D/far.npy --min-persistence 7e38 -o - | wc -l");
    ck_assert_int_eq(atoi(shell_out), 2);
}
END_TEST

START_TEST(refusals) {
    static const bad_line cases[] = {
        {"$G cubical $D/color.png", {"color.png has 3 values a point", "--channel 0 to 2"}},
        {"$G cubical $D/clear.png", {"clear.png has 2 values a point", "--channel 0 to 1"}},
        {"$G cubical $D/cut.png", {"cut.png is a damaged PNG"}},
        {"$G cubical $D/five.npy", {"5 dimensions; a field has 1, 2 or 3: take slices of it"}},
        {"$G cubical $D/graph.dipha", {"kind 2", "an image has 1"}},
        {"$G cubical $D/few.dipha", {"11 values", "(3, 4)"}},
        {"$G cubical $D/cut.dipha", {"144 bytes are expected", "the file has 100", "cut short"}},
        {"$G cubical $D/head.dipha", {"head.dipha is cut short"}},
        {"$G cubical $D/nan.npy", {"nan.npy", "NaN"}},
        {"$G cubical $D/u1.raw", {"u1.raw is of no format that is read"}},
        {"$G cubical $D/line.npy --periodic y", {"--periodic y", "1 dimension, x"}},
        {"$G cubical $D/solid.npy --periodic z", {"axis 1 is periodic and has 1 value"}},
        {"$G cubical $D/c.npy --dim 3", {"dimension 3", "0 to 2"}}};
    static const bad_line usage[] = {
        {"$G cubical $D/u1.raw --shape 12,1,1,1,1 --type u1", {"--shape", "x, each", "'12,1,1,1,1'"}},
        {"$G cubical $D/u1.raw --shape 3,-3 --type u1", {"--shape", "'3,-3'"}},
        {"$G cubical $D/u1.raw --shape 3,4", {"--type: one of u1"}},
        {"$G cubical $D/u1.raw --shape 3,4 --type u3", {"--type: one of u1", "not u3"}},
        {"$G cubical $D/c.npy --dim 9", {"--dim", "at most 3", "'9'"}},
        {"$G cubical $D/c.npy --modulus 4", {"--modulus takes a prime below 32768, not '4'"}},
        {"$G cubical $D/c.npy --modulus 9", {"--modulus takes a prime below 32768, not '9'"}},
        {"$G cubical $D/c.npy --modulus 40009", {"--modulus takes a prime below 32768"}},
        {"$G cubical $D/c.npy --threshold high", {"--threshold takes a number, not 'high'"}},
        {"$G cubical $D/c.npy --min-persistence -1", {"--min-persistence", "not negative", "'-1'"}},
        {"$G cubical $D/c.npy --construction x", {"--construction"}},
        {"$G cubical $D/c.npy --type u1", {"--type goes with --shape"}},
        {"$G cubical $D/c.npy -o $D/o.png", {"o.png", ".json"}},
        {"$G cubical $D/c.npy --diagram $D/d.npy", {"--diagram is text", "d.npy"}},
        {"$G cubical $D/c.npy --locate $D/l.csv", {"l.csv"}},
        {"$G cubical $D/c.npy -o $D/c.npy", {"c.npy"}}};
    static const float nan[2] = {0, __builtin_nanf("")};
    save_all();
    save_npy("five.npy", "|u1", "1, 1, 3, 4, 1", ring, 12);
    save_npy("nan.npy", "<f4", "2,", nan, sizeof nan);
    save_dipha("graph.dipha", 2, 12);
    save_dipha("few.dipha", 1, 11);
    shell_do(
        "head -c 60 $D/gray.png >$D/cut.png; head -c 100 $D/image.dipha >$D/cut.dipha; head -c 40 "
        "$D/image.dipha >$D/head.dipha");
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    shell_expect(2, usage, sizeof usage / sizeof *usage);
}
END_TEST

Suite *cli_cubical_suite(void) {
    Suite *s = suite_create("cli/cubical");
    TCase *c = shell_case(s, "cli/cubical", 60);
    tcase_add_test(c, every_input);
    tcase_add_test(c, every_output);
    tcase_add_test(c, options);
    tcase_add_test(c, wide_integers);
    tcase_add_test(c, float_thresholds);
    tcase_add_test(c, float_lengths);
    tcase_add_test(c, refusals);
    return s;
}
