/* Reading and printing numbers, against strtod and against themselves. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "io/number.h"

Suite *io_number_suite(void);

static uint64_t state;

static uint64_t next_random(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_as_strtod(const char *text) {
    double value = 0, expected = strtod(text, NULL);
    IO_HOLDS(io_number_parse(text, strlen(text), &value), "'%s' is refused", text);
    IO_HOLDS(same_bits(value, expected), "'%s' gives %a, strtod %a", text, value, expected);
}

START_TEST(numbers_are_read_as_strtod_reads_them) {
    static const char *const texts[] = {
        "0",
        "-0",
        "+0.0",
        "0e5",
        "-0e99999",
        "1",
        "-1",
        "+1",
        ".5",
        "5.",
        "-.5e1",
        "1e0",
        "1E+2",
        "1e-2",
        "0.1",
        "0.3",
        "123456789",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000001",
        "18446744073709551615",
        "18446744073709551616",
        "184467440737095516150",
        "1e22",
        "1e23",
        "8.5e22",
        "7e27",
        "7e28",
        "7e-27",
        "7e-28",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e400",
        "4.9e-324",
        "2.4e-324",
        "2.5e-324",
        "2.2250738585072011e-308",
        "1e-400",
        "1e999999999999999999999",
        "0.000000000000000000000000000000000000000000000000001e51",
        "1000000000000000000000000000000000000e-36",
        "6929495644600919.5",
        "3377699720527872.5",
        "0.1000000000000000055511151231257827021181583404541015625",
        "0.10000000000000000555111512312578270211815834045410156250000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_as_strtod(texts[i]);
}
END_TEST

/* Digits and exponents around the limits of each way of conversion. */
START_TEST(random_texts_are_read_as_strtod_reads_them) {
    char text[64];
    state = 3;
    for (int i = 0; i < 300000; i++) {
        unsigned long long digits = next_random() >> next_random() % 64;
        int exponent = (int)(next_random() % 64) - 32;
        snprintf(text, sizeof text, "%llue%d", digits, exponent);
        check_as_strtod(text);
    }
}
END_TEST

/* The middle between two doubles, and its neighbours in the last digit: ties, the hard case of rounding. */
START_TEST(ties_are_rounded_to_even) {
    char text[64];
    state = 7;
    for (int i = 0; i < 100000; i++) {
        uint64_t middle = (next_random() >> 10 | (uint64_t)1 << 53) | 1; /* 54 bits, the last one set */
        int power = (int)(next_random() % 10);
        uint64_t scaled = middle << power;
        for (int step = -1; step <= 1; step++) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)(scaled + (uint64_t)step));
            check_as_strtod(text);
            snprintf(text, sizeof text, "%llu.0000", (unsigned long long)(scaled + (uint64_t)step));
            check_as_strtod(text);
        }
    }
}
END_TEST

START_TEST(words_are_read) {
    static const char *const nans[] = {"nan", "NaN", "NAN", "-nan", "NA", "na"};
    static const char *const infinities[] = {"inf", "Inf", "+inf", "INFINITY", "infinity"};
    double value;
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        ck_assert(io_number_parse(nans[i], strlen(nans[i]), &value) && isnan(value));
    for (size_t i = 0; i < sizeof infinities / sizeof *infinities; i++)
        ck_assert(io_number_parse(infinities[i], strlen(infinities[i]), &value) && value == INFINITY);
    ck_assert(io_number_parse("-inf", 4, &value) && value == -INFINITY);
}
END_TEST

START_TEST(other_text_is_no_number) {
    static const char *const texts[] = {"",    "-",     "+",    ".",   "-.",   "e5",  ".e5", "1e",
                                        "1e+", "1.2.3", "--1",  "+-1", "0x10", "1 2", "1,5", "abc",
                                        "1d5", "1_000", "nano", "in",  "n",    "i",   "1f",  " 1",
                                        "1 ",  "١",     "1e5e", "0x",  "na n", "infi"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!io_number_parse(texts[i], strlen(texts[i]), &value), "'%s' is read", texts[i]);
}
END_TEST

START_TEST(only_the_given_length_is_read) {
    double value;
    ck_assert(io_number_parse("12,34", 2, &value) && value == 12);
    ck_assert(io_number_parse("123456789012345678901234567890\t5", 30, &value) &&
              value == 123456789012345678901234567890.0);
}
END_TEST

START_TEST(printed_doubles_read_back) {
    char text[IO_NUMBER_ROOM];
    state = 11;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i & 1) value = ldexp((double)(bits >> 11), -40);
        size_t length = io_number_print(text, value);
        IO_HOLDS(length == strlen(text), "%zu is not the length of '%s'", length, text);
        if (!isnan(value))
            ck_assert_msg(same_bits(strtod(text, NULL), value), "%a is printed '%s'", value, text);
    }
}
END_TEST

START_TEST(printed_floats_read_back) {
    char text[IO_NUMBER_ROOM];
    state = 12;
    for (int i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)next_random();
        float value, back;
        memcpy(&value, &bits, sizeof value);
        io_number_print_float(text, value);
        back = strtof(text, NULL);
        if (!isnan(value))
            ck_assert_msg(!memcmp(&back, &value, 4), "%a is printed '%s'", (double)value, text);
    }
}
END_TEST

/* Of %.6g to %.9g the first that reads back, also where no printf is called. */
static void check_float(float value) {
    char text[IO_NUMBER_ROOM], want[IO_NUMBER_ROOM];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(want, sizeof want, "%.*g", digits, (double)value);
        if (strtof(want, NULL) == value) break;
    }
    size_t length = io_number_print_float(text, value);
    ck_assert_msg(length == strlen(text) && !strcmp(text, want), "%a is printed '%s', not '%s'",
                  (double)value, text, want);
    snprintf(want, sizeof want, "%g", (double)value);
    length = io_number_print_six(text, value);
    ck_assert_msg(length == strlen(text) && !strcmp(text, want), "%a in six digits is '%s', not '%s'",
                  (double)value, text, want);
}

START_TEST(floats_are_printed_as_printf_does) {
    state = 13;
    for (int i = 0; i < 400000; i++) {
        float whole = (float)(next_random() >> (40 + i % 23)), scale = powf(10, (float)(i % 18 - 12));
        check_float((i & 1 ? -1 : 1) * whole * scale);
        check_float(nextafterf(powf(10, (float)(i % 22 - 13)) * (1 + (float)(i % 7)), i & 1 ? 0 : INFINITY));
    }
    for (uint32_t bits = 0x2b000000; bits < 0x4a000000; bits += 1201) {
        float value;
        memcpy(&value, &bits, sizeof value);
        check_float(value);
    }
}
END_TEST

START_TEST(printed_digits_are_few) {
    static const struct {
        double value;
        const char *text, *as_float;
    } cases[] = {{0.1, "0.1", "0.1"},      {1, "1", "1"},
                 {-0.0, "-0", "-0"},       {1e100, "1e+100", "inf"},
                 {100, "100", "100"},      {1.0 / 3, "0.3333333333333333", "0.33333334"},
                 {INFINITY, "inf", "inf"}, {-INFINITY, "-inf", "-inf"},
                 {NAN, "nan", "nan"},      {5e-324, "4.94065645841247e-324", "0"}};
    char text[IO_NUMBER_ROOM];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        io_number_print(text, cases[i].value);
        ck_assert_str_eq(text, cases[i].text);
        io_number_print_float(text, (float)cases[i].value);
        ck_assert_str_eq(text, cases[i].as_float);
    }
}
END_TEST

Suite *io_number_suite(void) {
    Suite *suite = suite_create("io/number");
    TCase *tests = files_case("numbers");
    tcase_add_test(tests, numbers_are_read_as_strtod_reads_them);
    tcase_add_test(tests, random_texts_are_read_as_strtod_reads_them);
    tcase_add_test(tests, ties_are_rounded_to_even);
    tcase_add_test(tests, words_are_read);
    tcase_add_test(tests, other_text_is_no_number);
    tcase_add_test(tests, only_the_given_length_is_read);
    tcase_add_test(tests, printed_doubles_read_back);
    tcase_add_test(tests, printed_floats_read_back);
    tcase_add_test(tests, floats_are_printed_as_printf_does);
    tcase_add_test(tests, printed_digits_are_few);
    suite_add_tcase(suite, tests);
    return suite;
}
