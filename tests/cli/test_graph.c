/* glshape mds --input graph: paths, which lie on a line, in every form; what has no layout. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plane.h"

enum { N = 50 };

/* A path of N nodes whose edge (v, v+1) has length 1 + v mod 3, or 1: distances are those along it. */
static plane path_of(bool weighted) {
    plane p = plane_zeros(N);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            double sum = 0;
            for (int v = i; v < j; v++) sum += weighted ? 1 + v % 3 : 1;
            p.d[i * N + j] = p.d[j * N + i] = sum;
        }
    return p;
}

/* Edges in no order: 0, 7, 14 … modulo N - 1. line(f, v) writes edge v. */
static void save(const char *name, const char *head, void (*line)(FILE *f, int v)) {
    FILE *f = fopen(shell_path(name), "w");
    fputs(head, f);
    for (int k = 0; k < N - 1; k++) line(f, 5 * k % (N - 1));
    ck_assert(!fclose(f));
}

static void lower(FILE *f, int v) { fprintf(f, "%d %d %d\n", v + 2, v + 1, 1 + v % 3); }
static void pattern(FILE *f, int v) { fprintf(f, "%d %d\n", v + 2, v + 1); }
static void both(FILE *f, int v) {
    fprintf(f, "%d %d %d\n%d %d %d\n", v + 2, v + 1, 1 + v % 3, v + 1, v + 2, 1 + v % 3);
}
static void edge(FILE *f, int v) { fprintf(f, "%d\t%d\t%d\n", v, v + 1, 1 + v % 3); }
static void gaps(FILE *f, int v) { fprintf(f, "%d,%d\n", 10 * v, 10 * v + 10); }
static void arcs(FILE *f, int v) {
    fprintf(f, "a %d %d %d\na %d %d %d\n", v + 1, v + 2, 1 + v % 3, v + 2, v + 1, 1 + v % 3);
}

static void save_all(void) {
    save("lower.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n50 50 49\n", lower);
    save("both.mtx", "%%MatrixMarket matrix coordinate real general\n50 50 98\n", both);
    save("pattern.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n50 50 49\n", pattern);
    save("edges.tsv", "source\ttarget\tlength\n", edge);
    save("gaps.csv", "", gaps);
    save("arcs.gr", "c a path\np sp 50 98\n", arcs);
}

START_TEST(a_path_is_a_line) {
    static const char *const words[] = {"lower.mtx", "both.mtx", "pattern.mtx",
                                        "edges.tsv", "gaps.csv", "arcs.gr"};
    static const char *const keeps[] = {"", "--keep paged", "--keep resident --picture $D/l.png"};
    save_all();
    for (int weighted = 0; weighted < 2; weighted++) {
        plane p = path_of(weighted);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (weighted && (!strcmp(words[i], "pattern.mtx") || !strcmp(words[i], "gaps.csv"))) continue;
            if (hunt(weighted != (int)(i % 2), 0)) continue;
            char line[160];
            snprintf(line, sizeof line, "--input graph %s $D/%s %s", weighted ? "--weighted" : "", words[i],
                     keeps[i % 3]);
            plane_lay_out(&p, line, 1e-4, 0.03);
        }
        plane_free(&p);
    }
}
END_TEST

/* All distances of a complete graph are 1: three nodes make a triangle. */
START_TEST(a_triangle) {
    plane p = plane_zeros(3);
    for (int i = 0; i < 9; i++) p.d[i] = i % 4 ? 1 : 0;
    SHELL_TEXT("names.txt", "oslo rome\nrome kyiv\nkyiv oslo\nrome rome\nrome oslo\n");
    plane_lay_out(&p, "--input graph $D/names.txt", 1e-6, 1e-3);
    shell_do("gzip $D/names.txt");
    plane_lay_out(&p, "--input graph - <$D/names.txt.gz", 1e-6, 1e-3);
    plane_free(&p);
}
END_TEST

#define MDS "$G mds --input graph -o $D/l.npy "
#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

START_TEST(bad_graphs) {
    save_all();
    SHELL_TEXT("directed.mtx", GENERAL "3 3 3\n1 2 1\n2 1 1\n2 3 1\n");
    SHELL_TEXT("uneven.mtx", GENERAL "2 2 2\n1 2 1\n2 1 4\n");
    SHELL_TEXT("wide.mtx", GENERAL "2 3 1\n1 2 1\n");
    SHELL_TEXT("cut.mtx", GENERAL "3 3 4\n1 2 1\n2 1 1\n");
    SHELL_TEXT("outside.mtx", GENERAL "3 3 1\n1 4 1\n");
    SHELL_TEXT("arc.gr", "p sp 2 1\na 1 2 3\n");
    SHELL_TEXT("negative.txt", "0 1 2\n1 2 -3\n");
    SHELL_TEXT("zero.txt", "0 1 2\n1 2 0\n");
    SHELL_TEXT("infinite.txt", "0 1 2\n1 2 inf\n");
    SHELL_TEXT("bare.txt", "0 1\n1 2\n");
    SHELL_TEXT("pieces.txt", "0 1\n2 3\n3 4\n");
    SHELL_TEXT("ragged.txt", "0 1\n2\n");
    SHELL_TEXT("empty.txt", "# nothing\n");
    static const bad_line cases[] = {
        {MDS "$D/directed.mtx", {"directed.mtx", "edge 2 → 3 has no partner", "no distances"}},
        {MDS "--weighted $D/uneven.mtx", {"uneven.mtx", "1", "4", "directed"}},
        {MDS "$D/arc.gr", {"arc.gr", "edge 1 → 2 has no partner"}},
        {MDS "$D/wide.mtx", {"wide.mtx", "2 × 3", "square"}},
        {MDS "$D/cut.mtx", {"cut.mtx", "2 of its 4 entries"}},
        {MDS "$D/outside.mtx", {"outside.mtx", "line 3", "4"}},
        {MDS "--weighted $D/negative.txt", {"negative.txt", "line 2", "-3", "more than 0"}},
        {MDS "--weighted $D/zero.txt", {"zero.txt", "line 2", "0 is no length"}},
        {MDS "--weighted $D/infinite.txt", {"infinite.txt", "line 2", "inf"}},
        {MDS "--weighted $D/bare.txt", {"bare.txt", "line 1", "length"}},
        {MDS "--weighted $D/pattern.mtx", {"pattern.mtx", "pattern", "no lengths"}},
        {MDS "$D/pieces.txt", {"pieces.txt", "2 pieces", "3 of 5 nodes"}},
        {MDS "$D/ragged.txt", {"ragged.txt", "line 2", "1 field"}},
        {MDS "$D/empty.txt", {"empty.txt", "no edges"}},
        {MDS "data/cancer.npy", {"cancer.npy", "Matrix Market"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {MDS "--directed $D/lower.mtx", {"--directed", "same distance in both directions", "symmetric"}},
        {MDS "$D/lower.mtx --metric cosine", {"--metric", "points or documents"}},
        {MDS "$D/lower.mtx --symmetrize", {"--symmetrize", "distances"}},
        {"$G mds $D/lower.mtx --input points --weighted", {"--weighted", "graph"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("l.*"), 0);
}
END_TEST

Suite *cli_graph_suite(void) {
    Suite *s = suite_create("cli/graph");
    TCase *t = shell_case(s, "graph", 180);
    tcase_add_test(t, a_path_is_a_line);
    tcase_add_test(t, a_triangle);
    tcase_add_test(t, bad_graphs);
    return s;
}
