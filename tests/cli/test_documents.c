/* glshape mds --input documents: cosines worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plane.h"

/* Counts of five words in three documents; the first word is in all of them. */
enum { DOCS = 3, WORDS = 5 };
static const double counts[DOCS][WORDS] = {{3, 1, 0, 0, 0}, {2, 0, 4, 1, 0}, {1, 0, 1, 0, 5}};

/* scikit-learn's weight: ln((1 + n) / (1 + documents with the word)) + 1. */
static double weight(int word, bool tfidf) {
    int df = 0;
    for (int d = 0; d < DOCS; d++) df += counts[d][word] > 0;
    return tfidf ? log((1.0 + DOCS) / (1 + df)) + 1 : 1;
}

static double product(int a, int b, bool tfidf) {
    double sum = 0;
    for (int w = 0; w < WORDS; w++) sum += counts[a][w] * counts[b][w] * pow(weight(w, tfidf), 2);
    return sum;
}

static double metric(int a, int b, bool tfidf, bool euclidean) {
    double aa = product(a, a, tfidf), bb = product(b, b, tfidf), ab = product(a, b, tfidf);
    return euclidean ? sqrt(aa + bb - 2 * ab) : 1 - ab / sqrt(aa * bb);
}

/* Three distances fit into the plane if they are those of a triangle. */
static plane expected(bool tfidf, bool euclidean) {
    plane p = plane_zeros(DOCS);
    for (int a = 0; a < DOCS; a++)
        for (int b = 0; b < DOCS; b++) p.d[a * DOCS + b] = a == b ? 0 : metric(a, b, tfidf, euclidean);
    for (int a = 0; a < DOCS; a++)
        ck_assert_double_lt(p.d[a * 3 + (a + 1) % 3],
                            p.d[a * 3 + (a + 2) % 3] + p.d[(a + 1) % 3 * 3 + (a + 2) % 3]);
    return p;
}

/* As documents × words, words × documents, and bag of words. */
static void save_all(void) {
    FILE *f = fopen(shell_path("docs.mtx"), "w"), *t = fopen(shell_path("terms.mtx"), "w");
    FILE *bag = fopen(shell_path("docword.txt"), "w");
    fprintf(f, "%%%%MatrixMarket matrix coordinate integer general\n3 5 8\n");
    fprintf(t, "%%%%MatrixMarket matrix coordinate real general\n5 3 8\n");
    fprintf(bag, "3\n5\n8\n");
    for (int d = 0; d < DOCS; d++)
        for (int w = 0; w < WORDS; w++) {
            if (!counts[d][w]) continue;
            fprintf(f, "%d %d %g\n", d + 1, w + 1, counts[d][w]);
            fprintf(t, "%d %d %g\n", w + 1, d + 1, counts[d][w]);
            fprintf(bag, "%d %d %g\n", d + 1, w + 1, counts[d][w]);
        }
    ck_assert(!fclose(f) && !fclose(t) && !fclose(bag));
}

START_TEST(three_documents_are_a_triangle) {
    static const char *const words[] = {"$D/docs.mtx", "--transpose $D/terms.mtx", "$D/docword.txt",
                                        "- <$D/docword.txt"};
    save_all();
    for (int k = 0; k < 3; k++) { /* cosine, tf-idf, Euclidean */
        plane p = expected(k == 1, k == 2);
        for (int i = 0; i < 4; i++) {
            char line[128];
            snprintf(line, sizeof line, "--input documents %s %s",
                     k == 1   ? "--tfidf"
                     : k == 2 ? "--metric euclidean"
                              : "",
                     words[i]);
            plane_lay_out(&p, line, 1e-6, 1e-3);
        }
        plane_free(&p);
    }
}
END_TEST

/* Documents on three topics without a common word, alike but for their length: three points, 1 apart. */
START_TEST(topics_are_corners) {
    enum { N = 60 };
    plane p = plane_zeros(N);
    FILE *f = fopen(shell_path("topics.mtx"), "w");
    fprintf(f, "%%%%MatrixMarket matrix coordinate integer general\n%d 6 %d\n", N, 2 * N);
    for (int d = 0; d < N; d++)
        fprintf(f, "%d %d %d\n%d %d %d\n", d + 1, d % 3 * 2 + 1, 1 + d / 3, d + 1, d % 3 * 2 + 2,
                2 + d / 3 * 2);
    ck_assert(!fclose(f));
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) p.d[a * N + b] = a % 3 != b % 3;
    plane_lay_out(&p, "--input documents $D/topics.mtx", 1e-5, 1e-2);
    plane_lay_out(&p, "--input documents --tfidf $D/topics.mtx", 1e-5, 1e-2);
    plane_free(&p);
}
END_TEST

/* Decimals are doubles: 0.1 from 0.2 is 0.1, which their floats are not. */
START_TEST(decimals) {
    SHELL_TEXT("tenths.mtx",
               "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 0.1\n2 1 0.2\n"
               "3 1 0.4\n3 2 0.7\n");
    SHELL_TEXT("across.mtx",
               "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 0.1\n1 2 0.2\n"
               "1 3 0.4\n2 3 0.7\n");
    SHELL_TEXT("first.txt", "1\n2\n1\n1 1 1\n");
    static const char *const inputs[] = {"$D/tenths.mtx", "--transpose $D/across.mtx"};
    for (int k = 0; k < 2; k++) {
        shell_do("$G knn --input documents --metric manhattan %s --radius 0.1 -q -o -", inputs[k]);
        ck_assert_str_eq(shell_out, "1\n0\n");
        shell_do("$G linkage --input documents --metric manhattan %s --distance 0.1 -q --labels-out -",
                 inputs[k]);
        ck_assert_str_eq(shell_out, "0\n0\n1\n");
        shell_do(
            "$G hdbscan --input documents --metric manhattan %s --min-samples 1 --min-cluster-size 2 "
            "--dbscan 0.1 -q -o -",
            inputs[k]);
        ck_assert_str_eq(shell_out, "0\n0\n-1\n");
    }
    shell_do(
        "$G knn --input documents --metric manhattan $D/first.txt --queries $D/tenths.mtx --radius 0.8 -q -o "
        "-");
    ck_assert_str_eq(shell_out, "0\n"); /* 1 from 0.2, not from 0.1 */
    shell_do(
        "$G knn --input documents --metric manhattan $D/tenths.mtx --queries $D/tenths.mtx --radius 0.1 -q "
        "-o -");
    ck_assert_str_eq(shell_out, "0\n1\n1\n0\n2\n");
}
END_TEST

#define MDS "$G mds --input documents -o $D/l.npy "
#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

START_TEST(bad_documents) {
    save_all();
    SHELL_TEXT("blank.mtx", GENERAL "3 5 2\n1 1 2\n3 2 1\n");
    SHELL_TEXT("nan.mtx", GENERAL "2 2 2\n1 1 nan\n2 2 1\n");
    SHELL_TEXT("cut.mtx", GENERAL "2 2 3\n1 1 1\n2 2 1\n");
    SHELL_TEXT("outside.txt", "2\n2\n2\n1 1 1\n2 3 1\n");
    SHELL_TEXT("dense.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
    SHELL_TEXT("one.mtx", GENERAL "1 2 1\n1 1 1\n");
    static const bad_line cases[] = {
        {MDS "$D/blank.mtx", {"blank.mtx", "row 2 is all zeros", "cosine"}},
        {MDS "--tfidf $D/blank.mtx", {"blank.mtx", "row 2 is all zeros"}},
        {MDS "$D/nan.mtx", {"nan.mtx", "line 3"}},
        {MDS "$D/cut.mtx", {"cut.mtx", "2 of its 3 entries"}},
        {MDS "$D/outside.txt", {"outside.txt", "line 5", "3"}},
        {MDS "$D/dense.mtx", {"dense.mtx"}},
        {MDS "$D/one.mtx", {"one.mtx", "1 row", "at least 2"}},
        {MDS "$D/docs.mtx --metric correlation", {"docs.mtx", "correlation", "dense"}},
        {MDS "data/cancer.npy", {"cancer.npy", "dense"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {MDS "$D/docs.mtx --keep paged", {"--keep"}},
        {MDS "$D/docs.mtx --format npy", {"--format"}},
        {"$G mds --attempts 1 data/cancer.npy --transpose", {"--transpose", "documents"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("l.*"), 0);
}
END_TEST

Suite *cli_documents_suite(void) {
    Suite *s = suite_create("cli/documents");
    TCase *t = shell_case(s, "documents", 180);
    tcase_add_test(t, three_documents_are_a_triangle);
    tcase_add_test(t, topics_are_corners);
    tcase_add_test(t, decimals);
    tcase_add_test(t, bad_documents);
    return s;
}
