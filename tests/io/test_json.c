/* The JSON writer, against texts written by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "io/json.h"

Suite *io_json_suite(void);

/* Asserts that what write does to a new text is expected. */
static void check(void (*write)(json *j), const char *expected) {
    char *text = NULL;
    size_t count = 0;
    FILE *stream = open_memstream(&text, &count);
    json j;
    json_open(&j, stream);
    write(&j);
    fclose(stream);
    ck_assert_str_eq(text, expected);
    free(text);
}

static void write_report(json *j) {
    json_object_begin(j, NULL);
    json_string(j, "version", "0.1.0");
    json_object_begin(j, "result");
    json_number(j, "stress", 0.1);
    json_integer(j, "least", INT64_MIN);
    json_unsigned(j, "most", UINT64_MAX);
    json_bool(j, "converged", true);
    json_bool(j, "cancelled", false);
    json_null(j, "none");
    json_string(j, "nothing", NULL);
    json_object_end(j);
    json_array_begin(j, "seconds");
    json_number(j, NULL, 1);
    json_number(j, NULL, 1e-300);
    json_object_begin(j, NULL);
    json_object_end(j);
    json_array_begin(j, NULL);
    json_array_end(j);
    json_array_end(j);
    json_object_end(j);
}

START_TEST(groups_nest_and_are_indented) {
    check(write_report,
          "{\n"
          "  \"version\": \"0.1.0\",\n"
          "  \"result\": {\n"
          "    \"stress\": 0.1,\n"
          "    \"least\": -9223372036854775808,\n"
          "    \"most\": 18446744073709551615,\n"
          "    \"converged\": true,\n"
          "    \"cancelled\": false,\n"
          "    \"none\": null,\n"
          "    \"nothing\": null\n"
          "  },\n"
          "  \"seconds\": [\n"
          "    1,\n"
          "    1e-300,\n"
          "    {},\n"
          "    []\n"
          "  ]\n"
          "}\n");
}
END_TEST

static void write_odd_numbers(json *j) {
    json_array_begin(j, NULL);
    json_number(j, NULL, NAN);
    json_number(j, NULL, INFINITY);
    json_number(j, NULL, -INFINITY);
    json_number(j, NULL, 1.0 / 3);
    json_array_end(j);
}

START_TEST(numbers_that_json_lacks_are_null) {
    check(write_odd_numbers, "[\n  null,\n  null,\n  null,\n  0.3333333333333333\n]\n");
}
END_TEST

static void write_flat(json *j) {
    json_array_begin(j, NULL);
    json_flat_begin(j, NULL);
    json_flat_begin(j, NULL);
    json_integer(j, NULL, 1);
    json_float(j, NULL, 0.1f);
    json_array_end(j);
    json_float(j, NULL, INFINITY);
    json_array_end(j);
    json_flat_begin(j, NULL);
    json_array_end(j);
    json_array_begin(j, NULL);
    json_integer(j, NULL, 2);
    json_array_end(j);
    json_array_end(j);
}

START_TEST(a_flat_array_stands_in_one_line) {
    check(write_flat, "[\n  [[1, 0.1], null],\n  [],\n  [\n    2\n  ]\n]\n");
}
END_TEST

static void write_strings(json *j) {
    json_array_begin(j, NULL);
    json_string(j, NULL, "a\"b\\c\n\r\t\x01\x1f\x7f/");
    json_string(j, NULL, "é漢\xf0\x9d\x84\x9e");
    json_string(j, NULL, "x\xff\xc3(\xed\xa0\x80\xc0\x80\xe6\xbc");
    json_array_end(j);
}

START_TEST(strings_are_escaped_and_made_utf8) {
#define BAD "\xef\xbf\xbd"
    check(write_strings,
          "[\n  \"a\\\"b\\\\c\\n\\r\\t\\u0001\\u001f\\u007f/\",\n  \"é漢\xf0\x9d\x84\x9e\",\n  \"x" BAD BAD
          "(" BAD BAD BAD BAD BAD BAD BAD "\"\n]\n");
}
END_TEST

static void write_odd_key(json *j) {
    json_object_begin(j, NULL);
    json_integer(j, "a\"\n", 0);
    json_object_end(j);
}

START_TEST(keys_are_escaped) { check(write_odd_key, "{\n  \"a\\\"\\n\": 0\n}\n"); }
END_TEST

Suite *io_json_suite(void) {
    Suite *suite = suite_create("io/json");
    TCase *tests = tcase_create("json");
    tcase_add_test(tests, groups_nest_and_are_indented);
    tcase_add_test(tests, numbers_that_json_lacks_are_null);
    tcase_add_test(tests, a_flat_array_stands_in_one_line);
    tcase_add_test(tests, strings_are_escaped_and_made_utf8);
    tcase_add_test(tests, keys_are_escaped);
    suite_add_tcase(suite, tests);
    return suite;
}
