/* Graphs as lists of edges and as DIMACS files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "io/graph/graph.h"
#include "io/graph/sparse_entries.h"

Suite *io_edges_suite(void);

enum { MUTATIONS = 2000, TEXT = 256 };

static error err;

static const char *make(const char *text) { return files_make("edges.txt", text, strlen(text)); }

/* The graph as text, each edge once: "a-b c-d", or "a-b:2" if weighted. */
static void describe(const io_graph *g, char out[TEXT]) {
    char one[IO_NODE_ROOM], other[IO_NODE_ROOM];
    const glshape_graph *a = &g->graph;
    size_t used = 0;
    out[0] = '\0';
    for (size_t v = 0; v < a->nodes; v++)
        for (size_t k = a->start[v]; k < a->start[v + 1] && used < TEXT; k++) {
            if (a->to[k] < v) continue;
            used += (size_t)snprintf(out + used, TEXT - used, "%s%s-%s", used ? " " : "",
                                     io_graph_name(g, v, one), io_graph_name(g, a->to[k], other));
            if (a->weight && used < TEXT)
                used += (size_t)snprintf(out + used, TEXT - used, ":%g", (double)a->weight[k]);
        }
}

static void reads(const char *text, io_graph_values values, size_t nodes, const char *edges) {
    io_graph g;
    char got[TEXT];
    ck_assert_msg(io_read_graph(&err, make(text), values, &g) == GLSHAPE_OK, "%s\nfrom:\n%s", err.text, text);
    describe(&g, got);
    ck_assert_msg(g.graph.nodes == nodes && !strcmp(got, edges), "%zu nodes, %s from:\n%s", g.graph.nodes,
                  got, text);
    io_graph_free(&g);
    ck_assert(!g.graph.start && !g.names);
}

START_TEST(numbered_nodes_keep_their_numbers) {
    reads("2 1\n3 2\n", false, 3, "1-2 2-3");
    reads("0 1\n2 1\n", false, 3, "0-1 1-2");
    reads("2.0000e+00 1.000e+00\n03 2\n", false, 3, "1-2 2-3"); /* as numpy.savetxt has it */
    reads("1 1\n2 1\n", false, 2, "1-2");
    reads("1 1.0\n2 1\n01 2\n", false, 2, "1-2"); /* one node, written in several ways */
}
END_TEST

START_TEST(numbers_with_gaps_become_names) {
    reads("30 7\n7 100\n", false, 3, "7-30 7-100");
    reads("1 2\n2 4\n", false, 3, "1-2 2-4");
    reads("2 3\n3 4\n", false, 3, "2-3 3-4");
    reads("0 9007199254740991\n", false, 2, "0-9007199254740991");
}
END_TEST

START_TEST(names_are_in_order_of_appearance) {
    reads("b a\na c\n", false, 3, "b-a a-c");
    reads("1 x\nx 0\n", false, 3, "1-x x-0");
    reads("-1 0\n0 1\n", false, 3, "-1-0 0-1");
    reads("9007199254740992 1\n", false, 2, "9007199254740992-1");
    reads("Smith, J\tDoe, J\n", false, 2, "Smith, J-Doe, J");
    reads("\"New York\",Oslo\nOslo, Rome \n", false, 3, "New York-Oslo Oslo-Rome");
}
END_TEST

START_TEST(any_delimiter_will_do) {
    reads("1\t2\n2\t3\n", false, 3, "1-2 2-3");
    reads("1,2\r\n2,3\r\n", false, 3, "1-2 2-3");
    reads("1;2;5\n2;3;6\n", true, 3, "1-2:5 2-3:6");
    reads("  1   2 \n\n2\t3", false, 3, "1-2 2-3");
    reads("# c\n% d\n\n1 2\n  # e\n2 3\n", false, 3, "1-2 2-3");
}
END_TEST

START_TEST(headers_are_skipped) {
    reads("Source,Target\na,b\n", false, 2, "a-b");
    reads("from to weight\na b 2\n", true, 2, "a-b:2");
    reads("one,other\n1,2\n2,3\n", false, 3, "1-2 2-3");
    reads("x y length\na b 2\n", true, 2, "a-b:2");
    reads("a b\n1 2\n2 a\n", false, 4, "a-b a-2 1-2");
    reads("a b\n", false, 2, "a-b");
}
END_TEST

START_TEST(values_count_only_if_asked_for) {
    reads("1 2 5\n2 3 0\n", false, 3, "1-2 2-3");
    reads("1 2 {}\n2 3\n", false, 3, "1-2 2-3");
    reads("1 2 5\n2 3 1e-3\n", true, 3, "1-2:5 2-3:0.001");
    io_graph g;
    IO_OK(&err, io_read_graph(&err, make("1 2 5\n"), false, &g));
    ck_assert(g.has_values && g.has_lengths && !g.graph.weight);
    io_graph_free(&g);
    IO_OK(&err, io_read_graph(&err, make("1 2 1\n2 3 1.0\n3 1 x\n"), false, &g));
    ck_assert(g.has_values && !g.has_lengths);
    io_graph_free(&g);
}
END_TEST

START_TEST(the_shortest_of_several_edges_stays) {
    io_graph g;
    char got[TEXT];
    IO_OK(&err, io_read_graph(&err, make("1 2 5\n2 1 3\n1 2 4\n3 3 1\n3 1 1\n"), true, &g));
    describe(&g, got);
    ck_assert_str_eq(got, "1-2:3 1-3:1");
    ck_assert(g.edges == 2 && g.repeated == 2 && g.loops == 1);
    io_graph_free(&g);
}
END_TEST

START_TEST(dimacs_is_read) {
    reads("c road\nc\nc p q\np sp 3 4\na 1 2 5\na 2 1 5\nc x\na 2 3 1\na 3 2 1\n", true, 3, "1-2:5 2-3:1");
    reads("p sp 3 3\na 1 2 5\na 2 1 6\na 3 3 0\n", false, 3, "1-2");
    reads("c d\nd p\n", false, 3, "c-d d-p"); /* an edge list all the same */
}
END_TEST

static void refuses(const char *text, io_graph_values values, const char *has) {
    io_graph g;
    const char *path = make(text);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, path, values, &g), has);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, path, values, &g), path);
    ck_assert(!g.graph.start && !g.names);
}

/* A line whose nodes are numbers is an edge, whatever its third field is. */
START_TEST(a_first_edge_is_no_header) {
    refuses("0 1 -\n1 2 3\n", IO_GRAPH_LEAST, "line 1: '-' is not a number");
    refuses("0 1 weight\n1 2 3\n", IO_GRAPH_LENGTHS, "line 1: 'weight' is not a number");
    refuses("a b -\nb c 3\n", IO_GRAPH_LEAST, "line 1: '-' is not a number");
    reads("0 1 {}\n1 2 {}\n", IO_GRAPH_LEAST, 3, "0-1 1-2"); /* networkx.write_edgelist */
    refuses("0 1 {}\n1 2 {}\n", IO_GRAPH_LENGTHS, "line 1 has no third field");
    reads("u,v,w\n1,2,3\n", IO_GRAPH_LEAST, 2, "1-2:3");
    reads("u,v,w\nb,a,3\n", IO_GRAPH_LEAST, 2, "b-a:3");
    refuses("ann bob none\nbob eve 3\n", IO_GRAPH_LEAST,
            "line 2 has the node 'bob', as the first line has, whose third field, 'none', is not a number");
}
END_TEST

START_TEST(heights_may_be_0) {
    reads("a b 0\nb c 3\n", IO_GRAPH_HEIGHTS, 3, "a-b:0 b-c:3");
    reads("a b -0\n", IO_GRAPH_HEIGHTS, 2, "a-b:0");
    refuses("a b 0\n", IO_GRAPH_LENGTHS, "line 1: 0 is no length of an edge, which is more than 0");
    refuses("a b -1\n", IO_GRAPH_HEIGHTS, "line 1: -1 is no length of an edge, which is at least 0");
    refuses("a b 1e-60\n", IO_GRAPH_HEIGHTS, "too small for single precision");
    reads("0 0 0\n0 1 2\n1 1 -5\n", IO_GRAPH_LENGTHS, 2, "0-1:2"); /* loops are no matter */
    reads("p sp 2 3\na 1 1 0\na 1 2 0\na 2 1 0\n", IO_GRAPH_HEIGHTS, 2, "1-2:0");
}
END_TEST

START_TEST(either_direction_is_an_edge) {
    io_graph g;
    char got[TEXT];
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1\n2 1 1\n2 3 1\n",
        "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n3 2\n1 2\n", "p sp 3 2\na 2 1 1\na 2 3 1\n",
        "1 2\n3 2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        IO_OK(&err, io_read_adjacency(&err, make(texts[i]), IO_GRAPH_PLAIN, &g));
        describe(&g, got);
        ck_assert_str_eq(got, "1-2 2-3");
        ck_assert(g.edges == 2 && g.graph.start[3] == 4);
        io_graph_free(&g);
    }
}
END_TEST

START_TEST(decimal_commas_are_named) {
    refuses("0 1 1,5\n1 2 3,0\n", IO_GRAPH_LEAST,
            "line 1: '1,5' is not a number: write decimals with a point");
    refuses("0 1 1,5\n", IO_GRAPH_PLAIN, "'1,5'");
    refuses("a b  1,5e-3\n", IO_GRAPH_LENGTHS, "'1,5e-3' is not a number: write decimals with a point");
    refuses("0 1 2\n0 2 1,5\n", IO_GRAPH_LENGTHS,
            "line 2: '1,5' is not a number: write decimals with a point");
    refuses("0;1;1,5\n", IO_GRAPH_LENGTHS, "line 1: '1,5' is not a number: write decimals with a point");
    reads("New York,Oslo\n", IO_GRAPH_PLAIN, 2, "New York-Oslo");
}
END_TEST

START_TEST(what_is_no_edge_is_refused) {
    refuses("1 2\n3\n", false, "line 2 has 1 field;");
    refuses("1 2 3 4\n", false, "line 1 has 4 fields;");
    refuses("1,2\n,3\n", false, "line 2, column 1 is empty");
    refuses("\"a b\n", false, "line 1 has 1 field");
    refuses("# only\n", false, "has no edges");
    refuses("from to\n", false, "has no edges");
    refuses("\x93NUMPY", false, "is a .npy file");
    refuses("", false, "is empty");
    io_graph g;
    const char *path = files_make("nul", "1 2\n1 \0\n", 8);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, path, false, &g), "line 2 has a NUL byte");
}
END_TEST

START_TEST(weights_are_any_number) {
    const char *text = "1 2 5\n2 1 -3\n1 2 0\n3 3 1\n3 1 0\n";
    reads(text, IO_GRAPH_LEAST, 3, "1-2:-3 1-3:0");
    reads(text, IO_GRAPH_GREATEST, 3, "1-2:5 1-3:0");
    reads("a b\nb c\n", IO_GRAPH_LEAST, 3, "a-b b-c");
    reads("source target\n1 2\n", IO_GRAPH_LEAST, 2, "1-2");
    reads("p sp 2 2\na 1 2 -5\na 2 1 -5\n", IO_GRAPH_GREATEST, 2, "1-2:-5");
    refuses("1 2\n2 3 4\n", IO_GRAPH_LEAST, "line 2 has a value, but the first edge has none");
    refuses("1 2 4\n2 3\n", IO_GRAPH_LEAST, "line 2 has no third field");
    refuses("1 2 1\n2 3 nan\n", IO_GRAPH_GREATEST, "line 2: 'nan'");
    refuses("1 2 1\n2 3 1e39\n", IO_GRAPH_GREATEST, "line 2: '1e39'");
}
END_TEST

START_TEST(what_is_no_length_is_refused) {
    refuses("1 2 1\n2 3\n", true, "line 2 has no third field");
    refuses("1 2 1\n2 3 -1\n", true, "line 2: -1 is no length");
    refuses("1 2 1\n2 3 0\n", true, "line 2: 0 is no length");
    refuses("1 2 1\n2 3 1e-50\n", true, "line 2: 1e-50 is too small for single precision");
    refuses("1 2 1\n2 3 nan\n", true, "line 2: 'nan'");
    refuses("1 2 1\n2 3 inf\n", true, "line 2: 'inf' is infinite");
    refuses("1 2 1\n2 3 x\n", true, "line 2: 'x' is not a number");
}
END_TEST

START_TEST(damaged_dimacs_is_refused) {
    refuses("p sp 3 1\na 1 2 5\n", false, "directed (edge 1 → 2 has no partner)");
    refuses("p sp 3 2\na 1 2 5\na 2 1 6\n", true, "edge 1 → 2 has the value 5, its partner 6");
    refuses("p sp 3 1\na 1 4 5\n", false, "line 2: node '4' is not in 1 .. 3");
    refuses("p sp 3 1\ne 1 2\n", false, "line 2 is not 'a FROM TO LENGTH'");
    refuses("p sp 3 1\n", false, "ends after 0 of its 1 arcs");
    refuses("p sp 3 0\na 1 2 3\n", false, "line 2 is an arc more than the 0");
    refuses("p sp x 0\n", false, "line 1 is not 'p sp NODES ARCS'");
    refuses("p sp 0 0\n", false, "0 nodes");
}
END_TEST

/* ---- damaged files ----------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t next_random(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static bool is_sound(const io_graph *g) {
    const glshape_graph *a = &g->graph;
    char number[IO_NODE_ROOM];
    bool right = a->nodes && a->start[0] == 0 && a->start[a->nodes] == 2 * g->edges;
    for (size_t v = 0; v < a->nodes && right; v++) {
        right = io_graph_name(g, v, number)[0] != '\0';
        for (size_t k = a->start[v]; k < a->start[v + 1] && right; k++)
            right = a->to[k] < a->nodes && a->to[k] != v && (!a->weight || a->weight[k] > 0);
    }
    return right;
}

static void survive(const char *bytes, size_t count) {
    io_graph g;
    const char *path = files_make("hostile", bytes, count);
    for (int weighted = 0; weighted < 2; weighted++) {
        err.text[0] = '\0';
        if (io_read_graph(&err, path, weighted, &g) == GLSHAPE_OK)
            IO_HOLDS(is_sound(&g), "wrongly read:\n%s", bytes);
        else IO_HOLDS(!g.graph.start && strstr(err.text, path), "without the path: %s", err.text);
        io_graph_free(&g);
    }
}

static void survive_mutations(const char *text) {
    static const char likely[] = "0123456789 \n\t-+.eE%#,;\"acp\x00\xff";
    size_t count = strlen(text);
    char *copy = calloc(count + 1, 1);
    for (uint64_t seed = 0; seed < MUTATIONS; seed++) {
        state = seed;
        memcpy(copy, text, count);
        for (uint64_t i = next_random() % 4 + 1; i-- > 0;)
            copy[next_random() % count] = likely[next_random() % (sizeof likely - 1)];
        survive(copy, 1 + next_random() % count);
    }
    free(copy);
}

START_TEST(damaged_files_are_survived) {
    survive_mutations("# c\nx,y,z\n1,2,0.5\n2,3,1e3\n\"3\",1,7\n4,5,6\n");
    survive_mutations("c road\np sp 3 4\na 1 2 5\na 2 1 5\na 2 3 1\na 3 2 1\n");
}
END_TEST

/* A hundred thousand names, over every growth of the tables. */
START_TEST(many_names_are_told_apart) {
    enum { NAMES = 100000, ROOM = 24 };
    char *text = calloc(NAMES, ROOM), *at = text;
    for (int i = 0; i < NAMES; i++) at += snprintf(at, ROOM, "n%d n%d\n", i, i + 1);
    io_graph g;
    IO_OK(&err, io_read_graph(&err, files_make("many", text, (size_t)(at - text)), false, &g));
    ck_assert(g.graph.nodes == NAMES + 1 && g.edges == NAMES);
    for (int i = 0; i <= NAMES; i++) {
        char name[ROOM];
        snprintf(name, ROOM, "n%d", i);
        IO_HOLDS(!strcmp(g.names[i], name), "%s is not %s", g.names[i], name);
    }
    io_graph_free(&g);
    free(text);
}
END_TEST

/* A row costs memory: there may be 64 for each cell, and an edge has two cells. */
START_TEST(edges_among_many_nodes) {
    for (uint32_t edges = 130000; edges <= 200000; edges += 70000) {
        io_entries entries = {.name = "many", .both = true};
        io_cells cells;
        size_t rows = ((size_t)1 << 24) + 1000;
        for (uint32_t k = 0; k < edges; k++)
            ck_assert_int_eq(io_entries_add(&err, &entries, k, k + 1, 1), GLSHAPE_OK);
        glshape_status status = io_cells_of(&err, &entries, rows, &cells);
        ck_assert_int_eq(status, edges == 200000 ? GLSHAPE_OK : GLSHAPE_BAD_INPUT);
        if (status) ck_assert_msg(strstr(err.text, "only 260000 values") != NULL, "%s", err.text);
        else ck_assert_uint_eq(cells.start[rows], 2 * (size_t)edges);
        io_cells_free(&cells);
        io_entries_free(&entries);
    }
}
END_TEST

/* Rows of any length come out by column, then by value, whatever the order of the entries. */
START_TEST(cells_are_in_order) {
    for (uint32_t turn = 0, count = 1; count < 200; count += turn++ % 2 * (1 + count / 8)) {
        bool plain = turn % 2; /* without values, which are 1 then; else from the second on */
        io_entries entries = {.name = "rows"};
        io_cells cells;
        for (uint32_t k = 0; k < count; k++)
            ck_assert_int_eq(
                io_entries_add(&err, &entries, 0, k * 37 % 101, plain ? 1 : (double)(k * 53 % 7)),
                GLSHAPE_OK);
        ck_assert_int_eq(io_cells_of(&err, &entries, 1, &cells), GLSHAPE_OK);
        ck_assert_uint_eq(cells.start[1], count);
        ck_assert(!cells.cell == plain && !cells.column == !plain);
        uint64_t sum = 0, want = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t column = io_cells_column(&cells, k), before = k ? io_cells_column(&cells, k - 1) : 0;
            want += (k * 37 % 101 + 1) * (plain ? 2 : k * 53 % 7 + 1);
            sum += (column + 1) * (uint64_t)(io_cells_value(&cells, k) + 1);
            ck_assert(!k || before < column ||
                      (before == column && io_cells_value(&cells, k - 1) <= io_cells_value(&cells, k)));
        }
        ck_assert_uint_eq(sum, want);
        io_cells_free(&cells);
    }
}
END_TEST

Suite *io_edges_suite(void) {
    Suite *suite = suite_create("io/edges");
    TCase *tests = files_case("edges");
    tcase_add_test(tests, numbered_nodes_keep_their_numbers);
    tcase_add_test(tests, numbers_with_gaps_become_names);
    tcase_add_test(tests, names_are_in_order_of_appearance);
    tcase_add_test(tests, any_delimiter_will_do);
    tcase_add_test(tests, headers_are_skipped);
    tcase_add_test(tests, values_count_only_if_asked_for);
    tcase_add_test(tests, the_shortest_of_several_edges_stays);
    tcase_add_test(tests, weights_are_any_number);
    tcase_add_test(tests, dimacs_is_read);
    tcase_add_test(tests, a_first_edge_is_no_header);
    tcase_add_test(tests, heights_may_be_0);
    tcase_add_test(tests, either_direction_is_an_edge);
    tcase_add_test(tests, decimal_commas_are_named);
    tcase_add_test(tests, what_is_no_edge_is_refused);
    tcase_add_test(tests, what_is_no_length_is_refused);
    tcase_add_test(tests, damaged_dimacs_is_refused);
    tcase_add_test(tests, damaged_files_are_survived);
    tcase_add_test(tests, many_names_are_told_apart);
    tcase_add_test(tests, edges_among_many_nodes);
    tcase_add_test(tests, cells_are_in_order);
    suite_add_tcase(suite, tests);
    return suite;
}
