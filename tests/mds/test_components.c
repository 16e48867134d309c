/* Graphs in several pieces: each laid out as by itself, side by side, nothing upon anything else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mds/layout.h"
#include "mds/shelves.h"

/* ---- shelves --------------------------------------------------------------------------------------- */

static bool overlap(const shelf_box *a, const shelf_box *b) {
    double slack = 1e-9;
    return a->x + a->width > b->x + slack && b->x + b->width > a->x + slack &&
           a->y + a->height > b->y + slack && b->y + b->height > a->y + slack;
}

START_TEST(test_shelves) {
    enum { MOST = 200 };
    shelf_box boxes[MOST];
    for (int trial = 0; trial < 50; trial++) {
        size_t count = 1 + random_below(trial_random(), MOST);
        double area = 0, widest = 0, right = 0;
        for (size_t i = 0; i < count; i++) {
            boxes[i] = (shelf_box){.width = trial_between(0.1, 5), .height = trial_between(0.1, 5)};
            area += boxes[i].width * boxes[i].height;
            widest = fmax(widest, boxes[i].width);
        }
        shelves_pack(boxes, count, trial % 5 == 0);
        for (size_t i = 0; i < count; i++) {
            ck_assert(boxes[i].x >= 0 && boxes[i].y >= 0);
            right = fmax(right, boxes[i].x + boxes[i].width);
            for (size_t j = 0; j < i; j++) ck_assert(!overlap(&boxes[i], &boxes[j]));
            if (trial % 5 == 0) ck_assert(boxes[i].y == 0);
        }
        if (trial % 5) ck_assert_msg(right <= fmax(widest, 1.5 * sqrt(area)), "%g wide", right);
    }
}
END_TEST

/* ---- rings ----------------------------------------------------------------------------------------- */

enum { MOST_NODES = 400 };

/* Rings of the given sizes (1: a node by itself; 2: an edge) whose nodes take turns: the graph's first nodes
 * are the first ones of each ring, and so on. */
typedef struct rings {
    glshape_graph graph;
    size_t start[MOST_NODES + 1];
    uint32_t to[2 * MOST_NODES];
    float length[2 * MOST_NODES];
    uint32_t ring[MOST_NODES], place[MOST_NODES], node[MOST_NODES][16]; /* node[place][ring] */
    const uint32_t *sizes;
    float edge; /* the length of all */
} rings;

static rings *make_rings(const uint32_t *sizes, uint32_t count, float edge) {
    rings *r = trial_memory(1, sizeof *r);
    uint32_t n = 0;
    size_t used = 0;
    for (uint32_t k = 0; k < MOST_NODES; k++)
        for (uint32_t i = 0; i < count; i++)
            if (k < sizes[i]) r->ring[n] = i, r->place[n] = k, r->node[k][i] = n++;
    for (uint32_t v = 0; v < n; r->start[++v] = used) {
        uint32_t i = r->ring[v], k = r->place[v], size = sizes[i];
        if (size > 1) r->to[used++] = r->node[(k + 1) % size][i];
        if (size > 2) r->to[used++] = r->node[(k + size - 1) % size][i];
    }
    for (size_t k = 0; k < used; k++) r->length[k] = edge;
    r->sizes = sizes;
    r->edge = edge;
    r->graph = (glshape_graph){n, r->start, r->to, edge == 1 ? NULL : r->length};
    return r;
}

/* The length of the shortest path between nodes of one ring. */
static double around(const rings *r, size_t u, size_t v) {
    int steps = abs((int)r->place[u] - (int)r->place[v]), size = (int)r->sizes[r->ring[u]];
    return r->edge * (2 * steps < size ? steps : size - steps);
}

static double apart(const glshape_mds_result *m, size_t u, size_t v) {
    double sum = 0;
    for (size_t c = 0; c < (size_t)m->dim; c++)
        sum += pow((double)m->layout[u * (size_t)m->dim + c] - m->layout[v * (size_t)m->dim + c], 2);
    return sqrt(sum);
}

/* The stress over pairs within rings; of one ring only, if it is not UINT32_MAX. */
static double stress_within(const rings *r, const glshape_mds_result *m, uint32_t ring) {
    double strain = 0, total = 0;
    for (size_t u = 0; u < r->graph.nodes; u++)
        for (size_t v = 0; v < u; v++) {
            if (r->ring[u] != r->ring[v] || (ring != UINT32_MAX && r->ring[u] != ring)) continue;
            strain += pow(apart(m, u, v) - around(r, u, v), 2);
            total += pow(around(r, u, v), 2);
        }
    return total > 0 ? strain / total : 0;
}

static shelf_box box_of(const rings *r, const glshape_mds_result *m, uint32_t ring) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t v = 0; v < r->graph.nodes; v++)
        for (int c = 0; c < 2 && r->ring[v] == ring; c++) {
            double x = c < m->dim ? m->layout[v * (size_t)m->dim + (size_t)c] : 0;
            low[c] = fmin(low[c], x);
            high[c] = fmax(high[c], x);
        }
    double gap = 0.9 * r->edge; /* between any two */
    return (shelf_box){high[0] - low[0] + gap, high[1] - low[1] + gap, low[0], low[1]};
}

static glshape_mds_result lay_out(const rings *r, bool components, int dim, int attempts) {
    glshape_mds_result m;
    glshape_mds_options o = {.seed = 11, .components = components, .dim = dim, .attempts = attempts};
    glshape_status status = glshape_mds(layout_context(), &(glshape_source){.graph = &r->graph}, &o, &m);
    ck_assert_msg(!status, "%s", glshape_last_error(layout_context()));
    for (size_t i = 0; i < m.n * (size_t)m.dim; i++) ck_assert(isfinite(m.layout[i]));
    return m;
}

static void check_rings(const rings *r, uint32_t count, const uint32_t *order, int dim) {
    glshape_mds_result m = lay_out(r, true, dim, 2), again = lay_out(r, true, dim, 2);
    ck_assert(!memcmp(m.layout, again.layout, m.n * (size_t)dim * sizeof *m.layout));
    glshape_mds_free(&again);
    ck_assert_uint_eq(m.component_count, count);
    double want = stress_within(r, &m, UINT32_MAX);
    ck_assert_msg(fabs(m.stress - want) <= 1e-5, "%g, not %g", m.stress, want);
    TRIAL_CHECK(layout_centre(&m) <= 1e-4 * layout_extent(&m));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t ring = order[k];
        ck_assert_uint_eq(m.components[k].nodes, r->sizes[ring]);
        ck_assert_uint_eq(m.components[k].first, r->node[0][ring]);
        want = stress_within(r, &m, ring);
        ck_assert_msg(fabs(m.components[k].stress - want) <= 1e-5, "%g, not %g", m.components[k].stress,
                      want);
        shelf_box box = box_of(r, &m, ring);
        for (uint32_t l = 0; l < k; l++) {
            shelf_box other = box_of(r, &m, order[l]);
            ck_assert_msg(!overlap(&box, &other), "rings %u and %u", ring, order[l]);
        }
    }
    glshape_mds_free(&m);
}

/* Two rings and three nodes by themselves; edges, triangles, equal rings; lines and spaces, long and short.
 */
START_TEST(test_rings) {
    static const uint32_t two[] = {1, 20, 1, 31, 1}, many[] = {3, 2, 1, 5, 3, 2, 12, 5, 1};
    static const uint32_t two_order[] = {3, 1, 0, 2, 4}, many_order[] = {6, 3, 7, 0, 4, 1, 5, 2, 8};
    check_rings(make_rings(two, 5, 1000), 5, two_order, 2);
    for (int dim = 1; dim <= 3; dim += 2) check_rings(make_rings(many, 9, 0.01f), 9, many_order, dim);
}
END_TEST

/* A ring among others has the shape it has alone. */
START_TEST(test_shape) {
    static const uint32_t both[] = {20, 31}, one[] = {31};
    const rings *r = make_rings(both, 2, 1), *alone = make_rings(one, 1, 1);
    glshape_mds_result m = lay_out(r, true, 2, 0), n = lay_out(alone, false, 2, 0);
    for (uint32_t k = 1; k < 31; k++) {
        double got = apart(&m, r->node[0][1], r->node[k][1]), want = apart(&n, 0, k);
        ck_assert_msg(fabs(got - want) <= 1e-4, "%g, not %g", got, want);
    }
    glshape_mds_free(&m);
    glshape_mds_free(&n);
}
END_TEST

START_TEST(test_connected) {
    static const uint32_t one[] = {50};
    const rings *r = make_rings(one, 1, 1);
    glshape_mds_result a = lay_out(r, false, 2, 1), b = lay_out(r, true, 2, 1);
    ck_assert(!memcmp(a.layout, b.layout, 50 * 2 * sizeof *a.layout) && a.stress == b.stress);
    ck_assert(a.pairs == b.pairs && !a.components && b.component_count == 1 && b.components[0].nodes == 50);
    glshape_mds_free(&a);
    glshape_mds_free(&b);
}
END_TEST

static void refused(const glshape_source *source, bool components, const char *part) {
    glshape_mds_result m;
    ck_assert_int_ne(
        glshape_mds(layout_context(), source, &(glshape_mds_options){.components = components}, &m),
        GLSHAPE_OK);
    ck_assert_msg(strstr(glshape_last_error(layout_context()), part) != NULL, "%s",
                  glshape_last_error(layout_context()));
    ck_assert(!m.layout && !m.components);
}

static bool rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    (void)user, (void)first, (void)out, (void)message, (void)size;
    return count > 0;
}

START_TEST(test_refusals) {
    static const uint32_t two[] = {5, 7}, single[] = {1};
    rings *r = make_rings(two, 2, 1);
    refused(&(glshape_source){.graph = &r->graph}, false, "--components");
    refused(&(glshape_source){.graph = &r->graph, .weights = rows}, true, "without weights");
    refused(&(glshape_source){.reader = rows, .n = 5}, true, "those of a graph");
    refused(&(glshape_source){.graph = &make_rings(single, 1, 1)->graph}, true, "at least 2");
    r->to[3] = 99;
    refused(&(glshape_source){.graph = &r->graph}, true, "99");
}
END_TEST

/* ---- progress -------------------------------------------------------------------------------------- */

typedef struct watcher {
    double last, until;
    bool orderly;
} watcher;

static bool watch(void *user, double fraction) {
    watcher *w = user;
    w->orderly = w->orderly && fraction >= w->last - 1e-9 && fraction <= 1;
    w->last = fraction;
    return fraction < w->until;
}

/* The bar goes once from 0 to 1, and a cancelled call leaves the next one a whole bar. */
START_TEST(test_progress) {
    static const uint32_t sizes[] = {90, 2, 60, 1};
    const rings *r = make_rings(sizes, 4, 1);
    watcher w = {.orderly = true};
    glshape_options options = layout_options();
    options.progress = watch;
    options.user = &w;
    glshape_context *c;
    ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
    for (int i = 0; i < 2; i++) {
        glshape_mds_result m;
        w = (watcher){.until = i ? 2 : 0.8, .orderly = true};
        glshape_status status = glshape_mds(c, &(glshape_source){.graph = &r->graph},
                                            &(glshape_mds_options){.components = true}, &m);
        ck_assert_int_eq(status, i ? GLSHAPE_OK : GLSHAPE_CANCELLED);
        ck_assert(w.orderly && w.last >= (i ? 1 : 0.8));
        glshape_mds_free(&m);
    }
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

Suite *mds_components_suite(void);
Suite *mds_components_suite(void) {
    Suite *s = suite_create("mds/components");
    TCase *c = layout_case(s, "components");
    tcase_add_test(c, test_shelves);
    tcase_add_test(c, test_rings);
    tcase_add_test(c, test_shape);
    tcase_add_test(c, test_connected);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_progress);
    return s;
}
