/* Files that are cut anywhere or damaged at random: never a crash, never a matrix that the file does not
 * hold. Worth most under the sanitizers (make check-asan). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "files.h"
#include "io/labels.h"
#include "io/read.h"

Suite *io_hostile_suite(void);

enum { MUTATIONS = 4000 };

static error err;
static uint64_t state;

static uint64_t next_random(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static const char *path_of_bytes(const char *bytes, size_t count) {
    return files_make("hostile", bytes, count);
}

static size_t size_of(glshape_type type) {
#define SIZE(type, ctype, code) [type] = sizeof(ctype),
    static const size_t sizes[] = {GLSHAPE_TYPES(SIZE)};
#undef SIZE
    return sizes[type];
}

/* Reads every value, so that a sanitizer sees if one is missing. */
static void touch(const glshape_matrix *m) {
    const volatile char *bytes = m->data;
    for (size_t i = 0; i < m->rows * m->cols * size_of(m->type); i++) (void)bytes[i];
}

/* Reads the bytes as a matrix; true if it could be, with *m still to be released. A failure must say which
 * file and leave nothing. */
static bool survives(const char *bytes, size_t count, glshape_matrix *m) {
    const char *path = path_of_bytes(bytes, count);
    err.text[0] = '\0';
    if (io_read_matrix(&err, path, IO_AUTO, m) == GLSHAPE_OK) {
        touch(m);
        return true;
    }
    IO_HOLDS(!m->data && strstr(err.text, path), "a failure without the path: %s", err.text);
    return false;
}

/* .npy whose data are uncompressed hold a matrix of exactly the bytes after the header (halves grow). */
static bool fits(const glshape_matrix *m, const char *bytes, size_t count) {
    size_t header = 10 + (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
    size_t data = m->rows * m->cols * size_of(m->type), there = count - header;
    return data == there || (m->type == GLSHAPE_F32 && data == 2 * there);
}

static void each_prefix(const char *path, bool whole_only) {
    size_t count;
    char *bytes = files_load(path, &count);
    for (size_t n = 0; n <= count; n++) {
        glshape_matrix m;
        if (survives(bytes, n, &m))
            IO_HOLDS(!whole_only || n == count, "%s: the first %zu of %zu bytes are read", path, n, count);
        else IO_HOLDS(n < count, "%s: %s", path, err.text);
        io_matrix_free(&m);
    }
    free(bytes);
}

START_TEST(prefixes_of_npy_are_refused) {
    each_prefix(GOLDEN "f4-C-little.npy", true);
    each_prefix(GOLDEN "f8-F-big.npy", true);
    each_prefix(GOLDEN "version3.npy", true);
    each_prefix(GOLDEN "f2-C-big.npy", true);
}
END_TEST

START_TEST(prefixes_of_gzip_are_refused) { each_prefix(GOLDEN "version1.npy.gz", true); }
END_TEST

/* A text may be cut at the end of any number; it is then the numbers before. */
START_TEST(prefixes_of_text_are_what_they_are) {
    const char text[] = "a,b,c\r\n1.5,-2e3,\"3\"\r\n4,5,6\r\n7,8,9\r\n";
    for (size_t n = 0; n < sizeof text; n++) {
        glshape_matrix m;
        if (survives(text, n, &m)) {
            size_t complete = n < 23 ? 1 : n < 30 ? 2 : 3;
            IO_HOLDS(m.cols == 3 && m.rows <= complete, "%zu bytes give %zu x %zu", n, m.rows, m.cols);
        }
        io_matrix_free(&m);
    }
    each_prefix(GOLDEN "repr.tsv", false);
}
END_TEST

/* One to three random bytes become random, or something likely to hurt. */
static void mutate(char *bytes, size_t count) {
    static const char likely[] = "0123456789(),:'\"{}[]LTF<>|=fiubcOSUV \n\t;-+.eE\x00\xff\x1f";
    for (uint64_t i = next_random() % 3 + 1; i-- > 0;) {
        uint64_t r = next_random();
        bytes[next_random() % count] = r & 1 ? (char)(r >> 8) : likely[(r >> 8) % (sizeof likely - 1)];
    }
}

static void each_mutation(const char *path, bool npy) {
    size_t count;
    char *bytes = files_load(path, &count), *copy = malloc(count);
    for (uint64_t seed = 0; seed < MUTATIONS; seed++) {
        glshape_matrix m;
        state = seed;
        memcpy(copy, bytes, count);
        mutate(copy, count);
        if (survives(copy, count, &m)) {
            bool right = npy && copy[0] == '\x93' ? copy[6] != 1 || fits(&m, copy, count) : m.rows && m.cols;
            IO_HOLDS(right, "%s, seed %llu: read as %zu x %zu", path, (unsigned long long)seed, m.rows,
                     m.cols);
        }
        io_matrix_free(&m);
    }
    free(copy);
    free(bytes);
}

START_TEST(damaged_npy_is_survived) {
    each_mutation(GOLDEN "f4-C-little.npy", true);
    each_mutation(GOLDEN "f8-F-big.npy", true);
}
END_TEST

START_TEST(damaged_gzip_is_survived) { each_mutation(GOLDEN "version1.npy.gz", false); }
END_TEST

START_TEST(damaged_text_is_survived) { each_mutation(GOLDEN "repr.tsv", false); }
END_TEST

/* Labels, of text and of .npy: a class for each row. */
static void each_label_mutation(const char *path) {
    size_t count;
    char *bytes = files_load(path, &count), *copy = malloc(count);
    for (uint64_t seed = 0; seed < MUTATIONS / 2; seed++) {
        io_labels labels;
        state = seed;
        memcpy(copy, bytes, count);
        mutate(copy, count);
        glshape_status status = io_read_labels(&err, path_of_bytes(copy, count), 0, &labels);
        bool right = status != GLSHAPE_OK || labels.classes <= labels.count;
        for (size_t i = 0; i < labels.count && right; i++) right = labels.of[i] < labels.classes;
        IO_HOLDS(right, "%s, seed %llu: a class out of range", path, (unsigned long long)seed);
        io_labels_free(&labels);
    }
    free(copy);
    free(bytes);
}

START_TEST(damaged_labels_are_survived) {
    const char text[] = "\"a\"\"b\"\n1\n2.5\n# c\nsetosa\n1e3\n";
    each_label_mutation(files_make("labels", text, sizeof text - 1));
    each_label_mutation(GOLDEN "strings.npy");
    each_label_mutation(GOLDEN "bytes.npy");
    each_label_mutation(GOLDEN "label-ints.npy");
}
END_TEST

Suite *io_hostile_suite(void) {
    Suite *suite = suite_create("io/hostile");
    TCase *tests = files_case("hostile");
    tcase_add_test(tests, prefixes_of_npy_are_refused);
    tcase_add_test(tests, prefixes_of_gzip_are_refused);
    tcase_add_test(tests, prefixes_of_text_are_what_they_are);
    tcase_add_test(tests, damaged_npy_is_survived);
    tcase_add_test(tests, damaged_gzip_is_survived);
    tcase_add_test(tests, damaged_text_is_survived);
    tcase_add_test(tests, damaged_labels_are_survived);
    suite_add_tcase(suite, tests);
    return suite;
}
