/* Calls that make no sense: each gets a status and a sentence, and none crashes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"

enum { N = 30, COLUMNS = 3 };

static glshape_context *c;
static double values[N * COLUMNS];
static glshape_matrix points = {GLSHAPE_F64, N, COLUMNS, values};

static void set_up(void) {
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &c), GLSHAPE_OK);
    for (int i = 0; i < N * COLUMNS; i++) values[i] = i * i % 17 + 0.25 * i;
}

static void tear_down(void) { glshape_close(c); }

#define REFUSED(status, expr, words)                                                          \
    do {                                                                                      \
        glshape_status got_ = (expr);                                                         \
        const char *said_ = glshape_last_error(c);                                            \
        ck_assert_msg(got_ == (status), #expr ": status %d, '%s'", got_, said_);              \
        ck_assert_msg(strstr(said_, words) != NULL, #expr ": '%s' lacks '%s'", said_, words); \
    } while (0)

static bool read_values(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const float *d = user;
    (void)message, (void)size;
    memcpy(out, d + (size_t)first * N, (size_t)count * N * sizeof *out);
    return true;
}

static bool read_doubles(void *user, uint32_t first, uint32_t count, double *out, char *message,
                         size_t size) {
    (void)user, (void)first, (void)count, (void)out, (void)message, (void)size;
    return false;
}

static bool feed_ones(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out,
                      char *message, size_t size) {
    (void)user, (void)i, (void)j, (void)message, (void)size;
    for (size_t k = 0; k < count; k++) out[k] = 1;
    return true;
}

/* ---- every method of a source ------------------------------------------------------------------- */

static glshape_status mds(const glshape_source *s) {
    glshape_mds_result r;
    return glshape_mds(c, s, NULL, &r);
}

static glshape_status components(const glshape_source *s) {
    glshape_mds_result r;
    return glshape_mds(c, s, &(glshape_mds_options){.components = true}, &r);
}

static glshape_status knn(const glshape_source *s) {
    glshape_knn_result r;
    return glshape_knn_source(c, s, NULL, &r);
}

static glshape_status linkage(const glshape_source *s) {
    glshape_linkage_result r;
    return glshape_linkage(c, s, NULL, &r);
}

static glshape_status hdbscan(const glshape_source *s) {
    glshape_hdbscan_result r;
    return glshape_hdbscan(c, s, &(glshape_hdbscan_options){.min_cluster_size = 2}, &r);
}

static glshape_status rips(const glshape_source *s) {
    glshape_rips_result r;
    return glshape_rips(c, s, NULL, &r);
}

typedef glshape_status (*method)(const glshape_source *s);
static const method methods[] = {mds, knn, linkage, hdbscan, rips};
enum { METHODS = sizeof methods / sizeof *methods };

static void all_refuse(glshape_source s, glshape_status status, const char *words) {
    for (int k = 0; k < METHODS; k++) REFUSED(status, methods[k](&s), words);
}

START_TEST(sources_that_are_several) {
    glshape_graph graph = {2, (size_t[]){0, 1, 2}, (uint32_t[]){1, 0}, NULL};
    glshape_sparse sparse = {1, 1, (size_t[]){0, 0}, NULL, NULL};
    all_refuse((glshape_source){0}, GLSHAPE_BAD_ARGUMENT, "0 of them are set");
    all_refuse((glshape_source){.points = &points, .reader = read_values, .n = N}, GLSHAPE_BAD_ARGUMENT,
               "2 of them are set");
    all_refuse((glshape_source){.points = &points, .graph = &graph}, GLSHAPE_BAD_ARGUMENT,
               "2 of them are set");
    all_refuse((glshape_source){.points = &points, .sparse = &sparse, .graph = &graph}, GLSHAPE_BAD_ARGUMENT,
               "3 of them are set");
    all_refuse((glshape_source){.points = &points, .double_reader = read_doubles}, GLSHAPE_BAD_ARGUMENT,
               "a double_reader goes with a reader");
    glshape_source both = {.points = &points, .graph = &graph}, fed = {.feeder = feed_ones, .n = N};
    REFUSED(GLSHAPE_BAD_ARGUMENT, components(&both), "2 of them are set");
    for (int k = 1; k < METHODS; k++)
        REFUSED(GLSHAPE_BAD_ARGUMENT, methods[k](&fed), "the source is of another kind");
}
END_TEST

START_TEST(enumerators_that_are_none) {
    glshape_matrix strange = {(glshape_type)77, N, COLUMNS, values};
    all_refuse((glshape_source){.points = &strange}, GLSHAPE_BAD_ARGUMENT, "type 77");
    strange.type = (glshape_type)-1;
    all_refuse((glshape_source){.points = &strange}, GLSHAPE_BAD_ARGUMENT, "type -1");
    all_refuse((glshape_source){.points = &points, .metric = (glshape_metric)9}, GLSHAPE_BAD_ARGUMENT,
               "no metric 9");
    all_refuse((glshape_source){.points = &points, .keep = (glshape_keep)3}, GLSHAPE_BAD_ARGUMENT,
               "no way of keeping a matrix 3");
    glshape_matrix plane = {(glshape_type)10, 4, 2, values};
    glshape_field field = {.type = (glshape_type)10, .values = values, .dims = 1, .shape = {9}};
    glshape_delaunay_result d;
    glshape_alpha_result a;
    glshape_mergetree_result t;
    glshape_cubical_result u;
    glshape_contour_result o;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_delaunay(c, &plane, &d), "type 10");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_alpha(c, &plane, NULL, &a), "type 10");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_mergetree(c, &field, NULL, &t), "type 10");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_cubical(c, &field, NULL, &u), "type 10");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_contour(c, &field, GLSHAPE_MERGETREE_AUTO, &o), "type 10");
    glshape_source s = {.points = &points};
    glshape_knn_result k;
    glshape_linkage_result l;
    glshape_hdbscan_result h;
    glshape_mds_result m;
    glshape_search none = (glshape_search)5;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn(c, &points, &(glshape_knn_options){.search = none}, &k),
            "search 5");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_linkage(c, &s, &(glshape_linkage_options){.search = none}, &l),
            "search 5");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan(c, &s, &(glshape_hdbscan_options){.search = none}, &h),
            "search 5");
    glshape_hdbscan_options strange_selection = {.selection = (glshape_hdbscan_selection)2};
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan(c, &s, &strange_selection, &h), "selection 2");
    glshape_mds_options strange_method = {.method = (glshape_mds_method)4};
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_mds(c, &s, &strange_method, &m), "method 4");
}
END_TEST

/* A word that this version has no name for: any of them, of the options of every method. */
START_TEST(words_of_a_later_version) {
    double interval[2] = {0, 1};
    size_t first[2] = {0, 1};
    glshape_diagrams diagrams = {.count = 1, .first = first, .pairs = interval};
    glshape_matrix plane = {GLSHAPE_F64, 4, 2, values};
    glshape_field field = {.type = GLSHAPE_F64, .values = values, .dims = 1, .shape = {9}};
    glshape_edges edges = {.nodes = 2};
    glshape_source s = {.points = &points};
    glshape_hdbscan_result h = {0};
    int32_t labels[N] = {0};
    for (int word = 0; word < GLSHAPE_RESERVED; word++) {
#define LATER(method, ...)                                                                             \
    do {                                                                                               \
        glshape_##method##_options o = {0};                                                            \
        o.reserved[word] = 1;                                                                          \
        REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_##method(c, __VA_ARGS__), "of the options is 1, not 0"); \
    } while (0)
        LATER(mds, &s, &o, &(glshape_mds_result){0});
        LATER(knn, &points, &o, &(glshape_knn_result){0});
        LATER(linkage, &s, &o, &(glshape_linkage_result){0});
        LATER(hdbscan, &s, &o, &(glshape_hdbscan_result){0});
        LATER(mst, &edges, &o, &(glshape_mst_result){0});
        LATER(vectors, &diagrams, &o, &(glshape_vectors_result){0});
        LATER(compare, &diagrams, &o, &(glshape_compare_result){0});
        LATER(rips, &s, &o, &(glshape_rips_result){0});
        LATER(mergetree, &field, &o, &(glshape_mergetree_result){0});
        LATER(cubical, &field, &o, &(glshape_cubical_result){0});
        LATER(alpha, &plane, &o, &(glshape_alpha_result){0});
#undef LATER
        glshape_membership_options m = {0};
        glshape_validity_options v = {0};
        glshape_picture_options p = {0};
        glshape_compare_options x = {0};
        glshape_source later = s;
        glshape_options open = {.when_needed = true};
        m.reserved[word] = v.reserved[word] = p.reserved[word] = x.reserved[word] = 1;
        later.reserved[word] = open.reserved[word] = 1;
        glshape_comparison *comparison;
        const char *const words = "of the options is 1, not 0";
        REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_membership(c, &s, &h, &m, &(glshape_membership){0}),
                words);
        REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_validity(c, &s, labels, &v, &(glshape_validity){0}),
                words);
        REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_draw(c, &(glshape_chart){0}, &p, &(glshape_picture){0}), words);
        REFUSED(GLSHAPE_BAD_ARGUMENT,
                glshape_comparison_new(c, &diagrams, &x, GLSHAPE_KEEP_AUTO, &comparison), words);
        all_refuse(later, GLSHAPE_BAD_ARGUMENT, "of the source is 1, not 0");
        glshape_context *bad;
        ck_assert_int_eq(glshape_open(&open, &bad), GLSHAPE_BAD_ARGUMENT);
        ck_assert_msg(strstr(glshape_last_error(bad), words) != NULL, "%s", glshape_last_error(bad));
        glshape_close(bad);
        ck_assert_int_eq(glshape_compile_programs(&open, NULL, 0), GLSHAPE_BAD_ARGUMENT);
    }
}
END_TEST

START_TEST(contexts) {
    glshape_context *bad;
    glshape_options stage = {.when_needed = true, .stage = (glshape_stage)9},
                    ranks = {.when_needed = true, .ranks = (glshape_ranks)9};
    ck_assert_int_eq(glshape_open(&stage, &bad), GLSHAPE_BAD_ARGUMENT);
    ck_assert_msg(strstr(glshape_last_error(bad), "no stage 9") != NULL, "%s", glshape_last_error(bad));
    glshape_close(bad);
    ck_assert_int_eq(glshape_open(&ranks, &bad), GLSHAPE_BAD_ARGUMENT);
    ck_assert_msg(strstr(glshape_last_error(bad), "9") != NULL, "%s", glshape_last_error(bad));
    glshape_close(bad);
}
END_TEST

/* ---- pointers that are NULL ---------------------------------------------------------------------- */

START_TEST(values_that_are_not_there) {
    glshape_matrix empty = {GLSHAPE_F64, N, COLUMNS, NULL}, plane = {GLSHAPE_F32, 4, 2, NULL},
                   query = {GLSHAPE_F64, 1, COLUMNS, NULL};
    glshape_field field = {.type = GLSHAPE_F32, .dims = 1, .shape = {9}};
    glshape_sparse no_values = {1, 1, (size_t[]){0, 1}, (uint32_t[]){0}, NULL},
                   no_starts = {.rows = 1, .cols = 1};
    glshape_graph no_ends = {2, (size_t[]){0, 1, 2}, NULL, NULL}, starts_missing = {.nodes = 2};
    all_refuse((glshape_source){.points = &empty}, GLSHAPE_BAD_ARGUMENT, "NULL");
    const method of_sparse[] = {mds, knn, linkage, hdbscan},
                 of_graph[] = {mds, components, linkage, hdbscan, rips};
    for (int k = 0; k < 4; k++) {
        REFUSED(GLSHAPE_BAD_ARGUMENT, of_sparse[k](&(glshape_source){.sparse = &no_values}), "NULL");
        REFUSED(GLSHAPE_BAD_ARGUMENT, of_sparse[k](&(glshape_source){.sparse = &no_starts}), "NULL");
    }
    for (int k = 0; k < 5; k++) {
        REFUSED(GLSHAPE_BAD_ARGUMENT, of_graph[k](&(glshape_source){.graph = &no_ends}), "NULL");
        REFUSED(GLSHAPE_BAD_ARGUMENT, of_graph[k](&(glshape_source){.graph = &starts_missing}), "NULL");
    }
    glshape_delaunay_result d;
    glshape_alpha_result a;
    glshape_mergetree_result t;
    glshape_cubical_result u;
    glshape_knn_result r;
    glshape_mst_result f;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_delaunay(c, &plane, &d), "NULL");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_alpha(c, &plane, NULL, &a), "NULL");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_mergetree(c, &field, NULL, &t), "NULL");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_cubical(c, &field, NULL, &u), "NULL");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_mst(c, &(glshape_edges){.nodes = 3, .count = 2}, NULL, &f), "NULL");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn(c, &points, &(glshape_knn_options){.queries = &query}, &r),
            "NULL");
    query.data = values, query.type = (glshape_type)50;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn(c, &points, &(glshape_knn_options){.queries = &query}, &r),
            "type 50");
}
END_TEST

/* ---- graphs -------------------------------------------------------------------------------------- */

START_TEST(graphs) {
    size_t start[] = {0, 1, 3, 4}, falling[] = {0, 3, 1, 4}, late[] = {1, 1, 3, 4};
    uint32_t to[] = {1, 0, 2, 1}, beyond[] = {1, 0, 3, 1};
    const method of_graph[] = {mds, components, linkage, hdbscan, rips};
    for (int k = 0; k < 5; k++) {
        glshape_graph bad = {3, start, beyond, NULL};
        REFUSED(GLSHAPE_BAD_INPUT, of_graph[k](&(glshape_source){.graph = &bad}), "node 1 to node 3 of 3");
        bad = (glshape_graph){3, falling, to, NULL};
        REFUSED(GLSHAPE_BAD_INPUT, of_graph[k](&(glshape_source){.graph = &bad}), "end before they start");
        bad = (glshape_graph){3, late, to, NULL};
        REFUSED(GLSHAPE_BAD_INPUT, of_graph[k](&(glshape_source){.graph = &bad}), "start at 1, not 0");
        for (int v = 0; v < 2; v++) {
            float length = v ? NAN : -1, weight[] = {1, 1, length, length};
            bad = (glshape_graph){3, start, to, weight};
            REFUSED(GLSHAPE_BAD_INPUT, of_graph[k](&(glshape_source){.graph = &bad}), v ? "nan" : "-1");
        }
    }
    for (int v = 0; v < 2; v++) { /* lengths in double */
        double length = v ? NAN : -1, lengths[] = {1, 1, length, length};
        glshape_graph fine = {3, start, to, NULL};
        for (int k = 0; k < 5; k++)
            REFUSED(GLSHAPE_BAD_INPUT,
                    of_graph[k](&(glshape_source){.graph = &fine, .graph_lengths = lengths}),
                    v ? "nan" : "-1");
    }
    glshape_graph bad = {3, start, beyond, NULL};
    glshape_field field = {.type = GLSHAPE_F64, .values = values, .graph = &bad};
    glshape_matrix three = {GLSHAPE_F64, 3, 1, values};
    glshape_mergetree_result t;
    glshape_linkage_result l;
    REFUSED(GLSHAPE_BAD_INPUT, glshape_mergetree(c, &field, NULL, &t), "node 1 to node 3 of 3");
    REFUSED(GLSHAPE_BAD_INPUT,
            glshape_linkage(c, &(glshape_source){.points = &three},
                            &(glshape_linkage_options){.connectivity = &bad}, &l),
            "node 1 to node 3 of 3");
}
END_TEST

/* ---- trees that are handed back ------------------------------------------------------------------- */

static void refuse_merges(const double *merges, size_t n, const char *words) {
    uint32_t labels[N], classes[N] = {0};
    size_t count;
    glshape_picture picture;
    glshape_chart_dendrogram tree = {.n = n, .merges = merges, .labels = classes};
    glshape_hdbscan_result h = {.n = n, .merges = (double *)merges};
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_linkage_cut(c, merges, n, 2, (glshape_optional){0}, labels, &count),
            words);
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_linkage_leaves(c, merges, n, labels), words);
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_dbscan(c, &h, 1, 2, (int32_t *)labels, &count), words);
    REFUSED(GLSHAPE_BAD_ARGUMENT,
            glshape_draw(c, &(glshape_chart){.dendrogram = &tree},
                         &(glshape_picture_options){.format = GLSHAPE_PICTURE_SVG}, &picture),
            words);
}

START_TEST(merges) {
    static const struct {
        size_t at;
        double value;
        const char *words;
    } cases[] = {{0, 1e9, "row 1 of the merges joins clusters 1e+09 and 1"},
                 {0, -1, "joins clusters -1"},
                 {1, NAN, "joins clusters 0 and nan"},
                 {4, 0.5, "joins clusters 0.5"},
                 {0, 1, "joins clusters 1 and 1"},
                 {4, 1, "row 2 of the merges joins clusters 1 "},
                 {5, 6, "joins clusters 2 and 6"},
                 {2, NAN, "row 1 of the merges has height nan"},
                 {6, 0.5, "row 2 of the merges has height 0.5"},
                 {2, -1, "height -1"},
                 {7, 4, "row 2 of the merges has size 4"},
                 {11, INFINITY, "row 3 of the merges has size inf"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double tree[] = {0, 1, 1, 2, 2, 4, 2, 3, 3, 5, 4, 4}; /* four points */
        tree[cases[k].at] = cases[k].value;
        refuse_merges(tree, 4, cases[k].words);
    }
    refuse_merges(NULL, 4, "no merges");
}
END_TEST

START_TEST(condensed_trees) {
    glshape_source s = {.points = &points};
    glshape_hdbscan_result h;
    int32_t labels[N];
    double probabilities[N];
    glshape_matrix query = {GLSHAPE_F64, 1, COLUMNS, values};
    glshape_picture picture;
    ck_assert_int_eq(glshape_hdbscan(c, &s, NULL, &h), GLSHAPE_OK);
    ck_assert_int_eq(glshape_hdbscan_predict(c, &s, &h, &query, labels, probabilities), GLSHAPE_OK);
    for (int time = 0; time < 3; time++) {
        glshape_hdbscan_row row = h.rows[0];
        glshape_hdbscan_cluster cluster = h.tree[h.tree_clusters - 1];
        if (time == 0) h.rows[0].parent = 3;
        if (time == 1) h.rows[0].child = 4000000000u;
        if (time == 2) h.tree[h.tree_clusters - 1].parent = (uint32_t)(N + h.tree_clusters);
        const char *words = time < 2 ? "row 1 of the condensed tree" : "which is no cluster before it";
        REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_predict(c, &s, &h, &query, labels, probabilities),
                words);
        REFUSED(GLSHAPE_BAD_ARGUMENT,
                glshape_draw(c, &(glshape_chart){.icicles = &(glshape_chart_icicles){.of = &h}},
                             &(glshape_picture_options){.format = GLSHAPE_PICTURE_SVG}, &picture),
                words);
        h.rows[0] = row;
        h.tree[h.tree_clusters - 1] = cluster;
    }
    query.type = (glshape_type)50;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_predict(c, &s, &h, &query, labels, probabilities),
            "type 50");
    query = (glshape_matrix){GLSHAPE_F64, 1, COLUMNS, NULL};
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_predict(c, &s, &h, &query, labels, probabilities), "NULL");
    query.data = values;
    s.metric = (glshape_metric)9;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_predict(c, &s, &h, &query, labels, probabilities),
            "metric 9");
    glshape_hdbscan_free(&h);
}
END_TEST

/* ---- readers -------------------------------------------------------------------------------------- */

/* 0 is nearest to 1, 1 to 2, 2 to 0: no order of these distances is one of pairs. */
START_TEST(asymmetric_reader) {
    static float d[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) d[i * N + j] = i == j ? 0 : (float)(1 + (j - i + N) % N);
    for (int k = 0; k < 2; k++) {
        glshape_source s = {.reader = read_values, .user = d, .n = N, .keep = GLSHAPE_KEEP_RESIDENT};
        REFUSED(GLSHAPE_BAD_INPUT, (k ? hdbscan : linkage)(&s), "not the same from both ends");
    }
}
END_TEST

Suite *api_misuse_suite(void) {
    Suite *s = suite_create("api/misuse");
    TCase *t = tcase_create("misuse");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, sources_that_are_several);
    tcase_add_test(t, enumerators_that_are_none);
    tcase_add_test(t, words_of_a_later_version);
    tcase_add_test(t, contexts);
    tcase_add_test(t, values_that_are_not_there);
    tcase_add_test(t, graphs);
    tcase_add_test(t, merges);
    tcase_add_test(t, condensed_trees);
    tcase_add_test(t, asymmetric_reader);
    suite_add_tcase(s, t);
    return s;
}
