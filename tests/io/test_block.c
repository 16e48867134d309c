/* Lines read by all processors, beside what was written: blocks themselves, and the readers that take them,
 * on files of several blocks in which some lines are odd. */
#include "io/block.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/owned.h"
#include "base/random.h"
#include "files.h"
#include "io/distances/distances.h"
#include "io/graph/graph.h"
#include "io/read.h"

Suite *io_block_suite(void);

static error err;

/* ---- blocks ------------------------------------------------------------------------------------------ */

enum { LINES = 150000, LONGEST = 40, ROOM = LINES * (LONGEST + 2) };

typedef struct lines {
    uint32_t sum[LINES]; /* of each line's bytes and length */
    size_t taken;        /* before the block */
} lines;

static uint32_t sum_of(const char *line, size_t length) {
    uint32_t sum = (uint32_t)length;
    for (size_t i = 0; i < length; i++) sum = 31 * sum + (unsigned char)line[i];
    return sum;
}

static bool read_line(void *user, size_t index, const char *line, size_t length) {
    lines *l = user;
    if (length && *line == 'x') return false;
    l->sum[l->taken + index] = sum_of(line, length);
    return true;
}

/* Lines of many lengths, in turns of which each has so many odd ones among a thousand. */
static size_t make_lines(random_state *random, char *text, lines *want, uint32_t odd, const char *end) {
    char *p = text;
    for (size_t i = 0; i < LINES; i++) {
        uint32_t length = random_below(random, LONGEST);
        memset(p, 'a' + (int)(i % 20), length);
        if (length && random_below(random, 1000) < odd) *p = 'x';
        want->sum[i] = sum_of(p, length);
        p += length;
        p += sprintf(p, "%s", end);
    }
    return (size_t)(p - text) - strlen(end); /* the last has none */
}

static void check_lines(const char *path, const lines *want, lines *got) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    char *line;
    size_t length;
    uint64_t alone = 0;
    IO_OK(&err, io_stream_open(&err, path, &s));
    io_block b = {.s = &s};
    for (got->taken = 0;;) {
        IO_HOLDS(!io_block_next(&err, &b), "%s", err.text);
        if (b.lines) got->taken += io_block_read(&b, b.lines, read_line, got);
        IO_HOLDS(s.line == got->taken, "line %llu after %zu", (unsigned long long)s.line, got->taken);
        IO_HOLDS(!io_stream_line(&err, &s, &line, &length), "%s", err.text);
        if (!line) break;
        got->sum[got->taken++] = sum_of(line, length);
        alone++;
    }
    ck_assert_uint_eq(got->taken, LINES);
    for (size_t i = 0; i < LINES; i++) IO_HOLDS(got->sum[i] == want->sum[i], "line %zu is wrong", i + 1);
    ck_assert_uint_ge(alone, 1);
}

START_TEST(all_lines_come_in_order) {
    static const uint32_t odd[] = {0, 1, 500};
    static const char *const ends[] = {"\n", "\r\n"};
    char *text = malloc(ROOM);
    lines *want = malloc(sizeof *want), *got = malloc(sizeof *got);
    ck_assert(text && want && got);
    random_state random = {1};
    for (int k = 0; k < 6; k++) {
        size_t bytes = make_lines(&random, text, want, odd[k % 3], ends[k / 3]);
        check_lines(files_make("lines", text, bytes), want, got);
        check_lines(files_make_gzip("lines.gz", text, bytes), want, got);
    }
    free(text);
    free(want);
    free(got);
}
END_TEST

/* A line that is longer than a block, and a file of one. */
START_TEST(long_lines_come_whole) {
    enum { LONG = 40 << 20 };
    char *text = malloc(LONG + 3), *line;
    size_t length;
    lines *got = calloc(1, sizeof *got);
    ck_assert(text && got);
    memset(text, 'a', LONG);
    memcpy(text + LONG, "\nb\n", 3);
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    IO_OK(&err, io_stream_open(&err, files_make("long", text, LONG + 3), &s));
    io_block b = {.s = &s};
    for (int i = 0; i < 2; i++) {
        IO_OK(&err, io_block_next(&err, &b));
        if (!b.lines) break;
        got->taken += io_block_read(&b, b.lines, read_line, got);
    }
    ck_assert_uint_eq(got->taken, 2);
    ck_assert_uint_eq(got->sum[0], sum_of(text, LONG));
    ck_assert_uint_eq(got->sum[1], sum_of("b", 1));
    IO_OK(&err, io_stream_line(&err, &s, &line, &length));
    ck_assert_ptr_null(line);
    free(text);
    free(got);
}
END_TEST

/* ---- points ------------------------------------------------------------------------------------------ */

enum { ROWS = 90000, COLS = 3 };

/* How a row is written: as the others, or so that it is read alone. */
static int print_row(char *p, const double *v, size_t row, char delimiter) {
    const char d[2] = {delimiter, 0};
    if (row % 40001 == 5) return sprintf(p, "# a comment\n%g%s%g%s%g\n", v[0], d, v[1], d, v[2]);
    if (row % 50021 == 9) return sprintf(p, "\"%g\"%s%g%s%g # c\n", v[0], d, v[1], d, v[2]);
    if (row % 977 == 9) return sprintf(p, "  %g %s %g%s%g\r\n", v[0], d, v[1], d, v[2]);
    return sprintf(p, "%g%s%g%s%g\n", v[0], d, v[1], d, v[2]);
}

START_TEST(rows_come_in_order) {
    static const char delimiters[] = " \t,;";
    char *text = malloc((size_t)ROWS * 64);
    double *want = malloc(ROWS * COLS * sizeof *want);
    ck_assert(text && want);
    random_state random = {2};
    for (int k = 0; k < 4; k++) {
        char *p = text;
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t c = 0; c < COLS; c++)
                want[i * COLS + c] = floor(random_unit(&random) * 2e5 - 1e5) / (c ? 64 : 1);
            p += print_row(p, want + i * COLS, i, delimiters[k]);
        }
        glshape_matrix m;
        IO_OK(&err, io_read_matrix(&err, files_make("rows.csv", text, (size_t)(p - text)), IO_AUTO, &m));
        ck_assert(m.rows == ROWS && m.cols == COLS && m.type == GLSHAPE_F64);
        for (size_t i = 0; i < ROWS * COLS; i++) {
            char shown[32];
            sprintf(shown, "%g", want[i]);
            double value = ((const double *)m.data)[i];
            IO_HOLDS(value == strtod(shown, NULL), "value %zu is %g, not %s", i, value, shown);
        }
        io_matrix_free(&m);
    }
    free(text);
    free(want);
}
END_TEST

/* Names of rows, some in quotes, under a header that leaves them out or has an empty field for them. */
START_TEST(names_of_rows_come_in_order) {
    static const char *const headers[] = {",a,b\n", "a,b\n"};
    char *text = malloc((size_t)ROWS * 32), want[16];
    ck_assert_ptr_nonnull(text);
    for (int k = 0; k < 2; k++) {
        OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
        OWNED_BY(io_label_list_free) io_label_list names = {.bytes = NULL};
        glshape_matrix m;
        char *p = text + sprintf(text, "%s", headers[k]);
        for (int i = 0; i < ROWS; i++)
            p += sprintf(p,
                         i % 5          ? "r%d,%d,%d.5\n"
                         : i % 997 == 5 ? "\"r%d\",\"%d\",%d.5\n"
                                        : "\"r%d\",%d,%d.5\n",
                         i, i, -i);
        IO_OK(&err, io_stream_open(&err, files_make("names.csv", text, (size_t)(p - text)), &s));
        IO_OK(&err, io_read_stream(&err, &s, IO_AUTO, &m, &names));
        ck_assert(m.rows == ROWS && m.cols == 2 && names.count == ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            const double *row = (const double *)m.data + 2 * i;
            sprintf(want, "r%zu", i);
            IO_HOLDS(!strcmp(names.bytes + names.starts[i], want), "row %zu is not called %s", i, want);
            IO_HOLDS(row[0] == (double)i && fabs(row[1]) == (double)i + 0.5, "row %zu is wrong", i);
        }
        io_matrix_free(&m);
    }
    free(text);
}
END_TEST

/* Points and commas do not go together, and which of both a file has is known by the first, whatever a thread
 * has read by then. */
START_TEST(the_first_decimals_decide) {
    char *text = malloc((size_t)ROWS * 16), *p = text, has[80];
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < ROWS; i++)
        p += sprintf(p, i < ROWS / 2 ? "1;2\n" : i < ROWS / 2 + 99 ? "2,5;3\n" : "1.5;4\n");
    sprintf(has, "line %d, column 1: '1.5' has a point, where numbers before it have commas", ROWS / 2 + 100);
    for (int threads = 1; threads < 20; threads++) {
        char number[8];
        glshape_matrix m;
        sprintf(number, "%d", threads);
        setenv("GLSHAPE_THREADS", number, 1);
        IO_FAILS(&err, GLSHAPE_BAD_INPUT,
                 io_read_matrix(&err, files_make("decimals.csv", text, (size_t)(p - text)), IO_AUTO, &m),
                 has);
    }
    free(text);
}
END_TEST

/* One odd row in a large file is named with its line. */
START_TEST(an_odd_row_is_named) {
    static const struct {
        const char *row, *has;
    } cases[] = {{"1,2", "line 60002 has 2 fields, the lines before it have 3"},
                 {"1,2,3,4", "line 60002 has 4 fields, the lines before it have 3"},
                 {"1,x,3", "line 60002, column 2: 'x' is not a number"},
                 {"1,,3", "line 60002, column 2 is empty"},
                 {"1,2,", "line 60002, column 3 is empty"}};
    char *text = malloc((size_t)ROWS * 16);
    ck_assert_ptr_nonnull(text);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *p = text + sprintf(text, "a,b,c\n");
        for (size_t i = 0; i < ROWS; i++)
            p += i == 60000 ? sprintf(p, "%s\n", cases[k].row) : sprintf(p, "%zu,2,3\n", i % 1000);
        glshape_matrix m;
        IO_FAILS(&err, GLSHAPE_BAD_INPUT,
                 io_read_matrix(&err, files_make("odd.csv", text, (size_t)(p - text)), IO_AUTO, &m),
                 cases[k].has);
    }
    free(text);
}
END_TEST

/* A long row and many short ones: no room is taken for as many long ones. */
START_TEST(short_rows_after_a_long_one) {
    enum { LONG = 1 << 18, SHORT = 1 << 20 };
    char *text = malloc(2 * LONG + 2 * SHORT), *p = text;
    ck_assert_ptr_nonnull(text);
    for (size_t k = 0; k < LONG; k++) *p++ = '1', *p++ = k + 1 < LONG ? ',' : '\n';
    for (size_t k = 0; k < SHORT; k++) *p++ = '2', *p++ = '\n';
    const char *path = files_make("short.csv", text, (size_t)(p - text));
    glshape_matrix m;
    io_distances *d;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, path, IO_AUTO, &m), "line 2 has 1 field, the");
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_distances_open(&err, path, IO_DISTANCES_FULL, &d),
             "line 2 has 1 value");
    memmove(text + 4 * LONG, text + 2 * LONG, 2 * SHORT - 2 * LONG); /* two long rows */
    memcpy(text + 2 * LONG, text, 2 * LONG);
    path = files_make("short.csv", text, (size_t)(p - text));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_distances_open(&err, path, IO_DISTANCES_FULL, &d),
             "line 3 has 1 value");
    free(text);
}
END_TEST

/* ---- distances --------------------------------------------------------------------------------------- */

enum { POINTS = 600 };

static double distance(size_t i, size_t j) {
    return i == j ? 0 : (double)((i < j ? i * POINTS + j : j * POINTS + i) * 7919 % 65521 + 1) / 64;
}

/* Columns of row i from `first` to `end`. Some rows are written so that they are read alone. */
static char *print_distances(char *p, size_t i, size_t first, size_t end) {
    if (i % 307 == 3) p += sprintf(p, "# row\n");
    for (size_t j = first; j < end; j++) p += sprintf(p, "%g%s", distance(i, j), j + 1 < end ? "," : "");
    if (first == end) return p;
    return p + sprintf(p, i % 407 == 6 ? ", # the end\n" : i % 97 == 6 ? " \r\n" : "\n");
}

START_TEST(distances_come_in_order) {
    static const io_distance_format shapes[] = {IO_DISTANCES_FULL, IO_DISTANCES_LOWER, IO_DISTANCES_UPPER};
    char *text = malloc((size_t)POINTS * POINTS * 16);
    float *rows = malloc(POINTS * POINTS * sizeof *rows);
    ck_assert(text && rows);
    for (int k = 0; k < 6; k++) {
        io_distance_format shape = shapes[k % 3];
        char *p = text;
        for (size_t i = 0; i < POINTS; i++)
            p = print_distances(p, i, shape == IO_DISTANCES_UPPER ? i + 1 : 0,
                                shape == IO_DISTANCES_LOWER ? i : POINTS);
        io_distances *d;
        const char *path = files_make("distances.csv", text, (size_t)(p - text));
        IO_OK(&err, io_distances_open(&err, path, k < 3 ? shape : IO_DISTANCES_AUTO, &d));
        ck_assert_uint_eq(io_distances_count(d), POINTS);
        IO_OK(&err, io_distances_rows(&err, d, 0, POINTS, rows));
        for (size_t i = 0; i < POINTS; i++)
            for (size_t j = 0; j < POINTS; j++) {
                char shown[32];
                sprintf(shown, "%g", distance(i, j));
                IO_HOLDS(rows[i * POINTS + j] == (float)strtod(shown, NULL), "distance %zu, %zu", i, j);
            }
        io_distances_close(d);
    }
    free(text);
    free(rows);
}
END_TEST

/* What follows the last row of a triangle is looked at once. */
START_TEST(blank_lines_after_a_triangle) {
    enum { BLANK = 500000 };
    char *text = malloc(BLANK + 16);
    ck_assert_ptr_nonnull(text);
    memcpy(text, "1 2\n3\n", 6);
    memset(text + 6, '\n', BLANK);
    io_distances *d;
    IO_OK(&err, io_distances_open(&err, files_make("blank", text, BLANK + 6), IO_DISTANCES_AUTO, &d));
    ck_assert_uint_eq(io_distances_count(d), 3);
    io_distances_close(d);
    free(text);
}
END_TEST

/* ---- edges ------------------------------------------------------------------------------------------- */

enum { EDGES = 120000, NODES = 30000 };

typedef struct pair {
    uint32_t low, high;
    double value;
} pair;

static int compare_pairs(const void *a, const void *b) {
    const pair *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return (p->value > q->value) - (p->value < q->value);
}

/* What the graph must be: of the pairs, the least of each, without loops; then each way. */
static void check_graph(const io_graph *g, pair *pairs, size_t count, uint32_t first, uint32_t step) {
    size_t kept = 0, loops = 0, seen = 0;
    char name[IO_NODE_ROOM], want[IO_NODE_ROOM];
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t k = 0; k < count; k++) {
        bool loop = pairs[k].low == pairs[k].high;
        loops += loop;
        if (loop || (kept && pairs[kept - 1].low == pairs[k].low && pairs[kept - 1].high == pairs[k].high))
            continue;
        pairs[kept++] = pairs[k];
    }
    ck_assert_uint_eq(g->graph.nodes, NODES);
    ck_assert_uint_eq(g->edges, kept);
    ck_assert_uint_eq(g->loops, loops);
    ck_assert_uint_eq(g->repeated, count - kept - loops);
    for (size_t v = 0; v < NODES; v++) {
        sprintf(want, "%u", (unsigned)(first + v * step));
        IO_HOLDS(!strcmp(io_graph_name(g, v, name), want), "node %zu is %s, not %s", v, name, want);
        for (size_t k = g->graph.start[v]; k < g->graph.start[v + 1]; k++) {
            if (g->graph.to[k] < v) continue;
            const pair *p = &pairs[seen++];
            IO_HOLDS(p->low == v && p->high == g->graph.to[k], "edge %zu is wrong", seen);
            IO_HOLDS(!g->graph.weight || g->graph.weight[k] == (float)p->value, "value %zu is wrong", seen);
        }
    }
    ck_assert_uint_eq(seen, kept);
}

static const struct {
    const char *header, *delimiter;
    uint32_t first, step; /* the names of nodes: first + step v */
    bool values;
    size_t odd; /* the edge before which a comment and a name in another writing stand; EDGES: none */
} graphs[] = {{"", " ", 0, 1, true, EDGES},           {"", ",", 1, 1, true, 2},
              {"from,to\n", ",", 0, 1, false, EDGES}, {"u v w\n", " ", 1, 1, true, EDGES / 2},
              {"u v\n", " ", 7, 1, false, EDGES},     {"u v\n", "\t", 3, 5, false, EDGES - 1},
              {"", ";", 1, 30001, true, EDGES},       {"# c\n", "  ", 5, 30001, true, 70000}};

START_TEST(edges_come_in_order) {
    char *text = malloc((size_t)EDGES * 48), *p = text;
    pair *pairs = malloc(EDGES * sizeof *pairs);
    ck_assert(text && pairs);
    random_state random = {(uint64_t)_i};
    p += sprintf(p, "%s", graphs[_i].header);
    for (uint32_t k = 0; k < EDGES; k++) {
        /* the first ones name all nodes, in a strange order */
        uint32_t a = k < NODES ? k * 7919 % NODES : random_below(&random, NODES),
                 b = random_below(&random, NODES);
        double value = 1 + random_below(&random, 50) * 0.125;
        if (k % 1000 == 7) b = a;
        if (k % 1000 == 8 && k > 1000) a = pairs[k - 5].low, b = pairs[k - 5].high;
        const char *d = graphs[_i].delimiter, *zero = k == graphs[_i].odd ? "0" : "";
        if (*zero) p += sprintf(p, "# a comment\n\n");
        p += sprintf(p, "%s%u%s%u", zero, graphs[_i].first + graphs[_i].step * a, d,
                     graphs[_i].first + graphs[_i].step * b);
        if (graphs[_i].values || k % 3 == 1) p += sprintf(p, "%s%g", d, value);
        p += sprintf(p, k % 100 == 3 ? " \r\n" : "\n");
        pairs[k] = (pair){a < b ? a : b, a < b ? b : a, graphs[_i].values ? value : 1};
    }
    io_graph g;
    IO_OK(&err, io_read_graph(&err, files_make("edges", text, (size_t)(p - text)),
                              graphs[_i].values ? IO_GRAPH_LENGTHS : IO_GRAPH_PLAIN, &g));
    ck_assert(g.has_values && g.has_lengths);
    check_graph(&g, pairs, EDGES, graphs[_i].first, graphs[_i].step);
    io_graph_free(&g);
    free(text);
    free(pairs);
}
END_TEST

/* Matrix Market: some entries are read alone; after the last comes one more, or a line that is none. */
START_TEST(entries_come_in_order) {
    static const char *const last[] = {"", "9 9 9\n", "2 1\n"};
    static const char *const has[] = {"", "is an entry more than the", "has 2 fields, an entry is"};
    char *text = malloc((size_t)EDGES * 24), want[80];
    pair *pairs = malloc(EDGES * sizeof *pairs);
    ck_assert(text && pairs);
    for (int i = 0; i < 3; i++) {
        random_state random = {5};
        char *p = text;
        p += sprintf(p, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", NODES, NODES,
                     EDGES + (i == 2));
        for (uint32_t k = 0; k < EDGES; k++) {
            uint32_t a = random_below(&random, NODES), b = random_below(&random, a + 1);
            double value = 1 + random_below(&random, 50) * 0.125;
            if (k == 70000 || k == 70002) p += sprintf(p, "%% a comment\n");
            p += sprintf(p, k % 1000 == 5 ? "  %u\t%u  %g \r\n" : "%u %u %g\n", a + 1, b + 1, value);
            pairs[k] = (pair){b, a, value};
        }
        p += sprintf(p, "%s", last[i]);
        io_graph g;
        const char *path = files_make("entries.mtx", text, (size_t)(p - text));
        sprintf(want, "line %d %s", EDGES + 5, has[i]);
        if (i) IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, path, IO_GRAPH_LENGTHS, &g), want);
        else IO_OK(&err, io_read_graph(&err, path, IO_GRAPH_LENGTHS, &g));
        if (!i) check_graph(&g, pairs, EDGES, 1, 1);
        io_graph_free(&g);
    }
    free(text);
    free(pairs);
}
END_TEST

/* Weights that are all 1, but for a few from some place on. */
START_TEST(ones_before_other_weights) {
    char *text = malloc((size_t)EDGES * 16), *p = text;
    ck_assert_ptr_nonnull(text);
    for (int k = 0; k < EDGES; k++)
        p += sprintf(p, "%d %d %s\n", k, k + 1, k > EDGES / 2 && k % 7 == 0 ? "2.5" : "1");
    io_graph g;
    IO_OK(&err, io_read_graph(&err, files_make("ones", text, (size_t)(p - text)), IO_GRAPH_LENGTHS, &g));
    ck_assert_uint_eq(g.edges, EDGES);
    for (size_t k = 0; k < EDGES; k++) {
        float want = k > EDGES / 2 && k % 7 == 0 ? 2.5f : 1;
        IO_HOLDS(g.graph.weight[g.graph.start[k + 1] - 1] == want, "edge %zu is wrong", k);
    }
    io_graph_free(&g);
    free(text);
}
END_TEST

/* An error is that of the first line that has one, also where the data end too early or no end of them is
 * there. */
START_TEST(the_first_error_is_told) {
    enum { FEW = 20000 };
    char *text = malloc((size_t)FEW * 16), *p = text;
    ck_assert_ptr_nonnull(text);
    for (int k = 0; k < FEW; k++) p += sprintf(p, k == 3 ? "1 2 3 4\n" : "%d %d\n", k * 7919 % 10007, k);
    io_graph g;
    size_t count;
    OWNED char *packed = files_load(files_make_gzip("whole.gz", text, (size_t)(p - text)), &count);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT,
             io_read_graph(&err, files_make("cut.gz", packed, count - 100), IO_GRAPH_PLAIN, &g),
             "line 4 has 4 fields");
    int ends[2];
    ck_assert(!pipe(ends) && write(ends[1], text, 60) == 60);
    int before = dup(STDIN_FILENO);
    ck_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    signal(SIGALRM, SIG_DFL); /* Check's own handler ends the processes of the whole group */
    alarm(3);                 /* the pipe has no end */
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, "-", IO_GRAPH_PLAIN, &g), "line 4 has 4 fields");
    alarm(0);
    dup2(before, STDIN_FILENO);
    free(text);
}
END_TEST

/* One odd line in a large file is named. */
START_TEST(an_odd_edge_is_named) {
    static const struct {
        const char *line, *has;
    } cases[] = {
        {"1 2", "line 50001 has no third field"},     {"1 2 3 4", "line 50001 has 4 fields"},
        {"1 2 -3", "line 50001: -3 is no length"},    {"1 2 nan", "line 50001: 'nan' is not a value"},
        {"1 2 x", "line 50001: 'x' is not a number"}, {"1", "line 50001 has 1 field"}};
    char *text = malloc((size_t)EDGES * 16);
    ck_assert_ptr_nonnull(text);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *p = text;
        for (size_t i = 0; i < EDGES; i++)
            p +=
                i == 50000 ? sprintf(p, "%s\n", cases[k].line) : sprintf(p, "%zu %zu 2\n", i % 1000, i % 999);
        io_graph g;
        IO_FAILS(&err, GLSHAPE_BAD_INPUT,
                 io_read_graph(&err, files_make("odd", text, (size_t)(p - text)), IO_GRAPH_LENGTHS, &g),
                 cases[k].has);
    }
    free(text);
}
END_TEST

Suite *io_block_suite(void) {
    Suite *suite = suite_create("io/block");
    TCase *tests = files_case("block");
    tcase_add_test(tests, all_lines_come_in_order);
    tcase_add_test(tests, long_lines_come_whole);
    tcase_add_test(tests, rows_come_in_order);
    tcase_add_test(tests, an_odd_row_is_named);
    tcase_add_test(tests, short_rows_after_a_long_one);
    tcase_add_test(tests, distances_come_in_order);
    tcase_add_loop_test(tests, edges_come_in_order, 0, sizeof graphs / sizeof *graphs);
    tcase_add_test(tests, an_odd_edge_is_named);
    tcase_add_test(tests, entries_come_in_order);
    tcase_add_test(tests, ones_before_other_weights);
    tcase_add_test(tests, the_first_error_is_told);
    tcase_add_test(tests, blank_lines_after_a_triangle);
    tcase_add_test(tests, the_first_decimals_decide);
    tcase_add_test(tests, names_of_rows_come_in_order);
    suite_add_tcase(suite, tests);
    return suite;
}
