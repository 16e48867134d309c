/* Fuzzers of the methods: bytes become a tiny input and options, and the answer is compared with the slow
 * twin's. FUZZ names the method; GLSHAPE_FUZZ_DEVICE the device, which one run in
 * GLSHAPE_FUZZ_SHARE (default 16) names. A hang is a finding (libFuzzer's -timeout).
 */
#define _DEFAULT_SOURCE /* M_PI */
#include <math.h>
#include <string.h>

#include "delaunay/triangulation.h"
#include "fuzz/fuzz.h"
#include "glshape.h"
#include "gpu/context.h"
#include "reference/alpha.h"
#include "reference/cubical.h"
#include "reference/delaunay.h"
#include "reference/hdbscan.h"
#include "reference/knn.h"
#include "reference/linkage.h"
#include "reference/mergetree.h"
#include "reference/rips.h"
#include "reference/tree.h"

enum { MOST = 24, MOST_CELLS = 64 };

static glshape_context *context;
static bool on_device; /* this run names the device; others do without, as far as methods can */

#define FUZZ_OK(expr)                                             \
    do {                                                          \
        if ((expr) != GLSHAPE_OK) {                               \
            fprintf(stderr, "%s\n", glshape_last_error(context)); \
            FUZZ_CHECK(!#expr);                                   \
        }                                                         \
    } while (0)

/* ---- bytes into inputs ------------------------------------------------------------------------- */

typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static unsigned byte(bytes *b) { return b->at < b->end ? *b->at++ : 0; }
static unsigned below(bytes *b, unsigned n) { return byte(b) % n; }
static int signed_byte(bytes *b) { return (int8_t)byte(b); }

static double raw_double(bytes *b) {
    uint64_t u = 0;
    double v;
    for (int i = 0; i < 8; i++) u = u << 8 | byte(b);
    memcpy(&v, &u, sizeof v);
    return isfinite(v) ? v : 0;
}

/* A search by pairs, and a method for trees, ask for the device. */
static glshape_search any_search(bytes *b) {
    glshape_search search = (glshape_search)below(b, 3);
    return search == GLSHAPE_SEARCH_PAIRS && !on_device ? GLSHAPE_SEARCH_AUTO : search;
}

static glshape_mergetree_method any_method(bytes *b) {
    glshape_mergetree_method method = (glshape_mergetree_method)below(b, 3);
    return on_device ? method : GLSHAPE_MERGETREE_AUTO;
}

/* The families that are hard: whole numbers, thirds, tenths, neighbours of 1, of a line and of a circle,
 * copies. */
static void point(bytes *b, bool wild, const double *before, double p[2]) {
    double s, t = signed_byte(b) / 16.0, angle;
    switch (below(b, wild ? 10 : 8)) {
        case 0:
            p[0] = signed_byte(b), p[1] = signed_byte(b);
            break;
        case 1:
            p[0] = signed_byte(b) / 10.0, p[1] = signed_byte(b) / 10.0;
            break;
        case 2:
            p[0] = t, p[1] = t / 3;
            break;
        case 3:
            p[0] = t / 7, p[1] = 0.1 + 0.7 * (t / 7);
            break;
        case 4:
            angle = 2 * M_PI * byte(b) / (1 + below(b, 64));
            p[0] = cos(angle), p[1] = sin(angle);
            break;
        case 5:
            p[0] = 1 + signed_byte(b) * 0x1p-52, p[1] = 1 + signed_byte(b) * 0x1p-52;
            break;
        case 6:
            p[0] = before[0], p[1] = before[1];
            break;
        case 7:
            p[0] = 1e9 + t, p[1] = -1e9 + signed_byte(b) / 8.0;
            break;
        case 8:
            s = ldexp(1, 4 * signed_byte(b));
            p[0] = t * s, p[1] = signed_byte(b) * s;
            break;
        default:
            p[0] = raw_double(b), p[1] = raw_double(b);
    }
}

static uint32_t points(bytes *b, bool wild, double xy[2 * MOST]) {
    uint32_t n = below(b, MOST + 1);
    double zero[2] = {0, 0};
    for (uint32_t i = 0; i < n; i++) point(b, wild, i ? xy + 2 * below(b, i) : zero, xy + 2 * i);
    return n;
}

/* ---- points in the plane ----------------------------------------------------------------------- */

/* The same triangles, merged by the device, which the method does not use for few points. */
static void check_on_device(const glshape_matrix *m, const glshape_delaunay_result *want) {
    gpu *g;
    exact_points p;
    delaunay_triangulation t;
    FUZZ_OK(context_begin_closed(context, &g));
    FUZZ_OK(gpu_need(g));
    FUZZ_OK(exact_points_new(run_error(run_of(g)), m, &p));
    FUZZ_OK(delaunay_triangulate(g, &p, DELAUNAY_ON_DEVICE, &t, NULL));
    FUZZ_OK(context_end(context, GLSHAPE_OK));
    FUZZ_CHECK(t.count == want->count);
    if (t.count) FUZZ_CHECK(!memcmp(t.vertex, want->triangles, 3 * sizeof *t.vertex * t.count));
    exact_points_free(&p);
    delaunay_triangulation_free(&t);
}

static void delaunay(bytes *b) {
    double xy[2 * MOST];
    uint32_t n = points(b, true, xy);
    glshape_delaunay_result r;
    glshape_matrix m = {GLSHAPE_F64, n, 2, xy};
    FUZZ_OK(glshape_delaunay(context, &m, &r));
    if (on_device) check_on_device(&m, &r);
    ref_plane *p = ref_plane_new(xy, n);
    const char *fault = ref_delaunay_fault(
        p, &(ref_triangulation){n, r.same, r.distinct, r.count, r.triangles, r.neighbors, r.chain});
    if (fault) fprintf(stderr, "%s\n", fault);
    FUZZ_CHECK(!fault);
    ref_plane_free(p);
    glshape_delaunay_free(&r);
}

static bool near(double got, double want) {
    double step = nextafter(want, INFINITY) - want;
    return got == want || fabs(got - want) <= 2 * step;
}

static void compare_alpha(const ref_alpha *want, const glshape_alpha_result *r) {
    FUZZ_CHECK(r->ranks == want->ranks && r->vertices == want->vertices && r->edge_count == want->edges);
    for (uint32_t k = 1; k <= want->ranks; k++)
        FUZZ_CHECK(r->radii[k] >= r->radii[k - 1] && near(r->radii[k], ref_alpha_radius(want, k)));
    for (uint32_t t = 0; t < want->triangles; t++)
        FUZZ_CHECK(r->triangle_ranks[t] == want->triangle_ranks[t]);
    for (uint32_t v = 0; v < 3 * want->n; v++)
        FUZZ_CHECK(r->vertex_ranks[v] == (&want->vertex_ranks[0][0])[v]);
    for (uint32_t e = 0; e < want->edges; e++) {
        uint32_t at = 0;
        while (at < want->edges && memcmp(want->edge[at], r->edges + 2 * (size_t)e, sizeof *want->edge)) at++;
        FUZZ_CHECK(at < want->edges);
        FUZZ_CHECK(!memcmp(r->edge_ranks + 3 * (size_t)e, want->edge_ranks[at], sizeof *want->edge_ranks));
    }
}

static void alpha(bytes *b) {
    double xy[2 * MOST];
    uint32_t n = points(b, true, xy);
    glshape_alpha_result r;
    ref_alpha want;
    if (n > 12) n = 12; /* the twin looks at every pair of faces */
    FUZZ_OK(glshape_alpha(context, &(glshape_matrix){GLSHAPE_F64, n, 2, xy}, NULL, &r));
    ref_alpha_new(&want, n, xy, r.same, (uint32_t)r.triangle_count, r.triangles);
    compare_alpha(&want, &r);
    ref_alpha_free(&want);
    glshape_alpha_free(&r);
}

/* ---- points in space --------------------------------------------------------------------------- */

typedef struct table {
    uint32_t n, columns;
    double v[MOST * 2 * 3];
} table;

static table rows(bytes *b) {
    table t = {.columns = 2 + 2 * below(b, 3)};
    double xy[2 * MOST];
    t.n = points(b, false, xy);
    for (uint32_t i = 0; i < t.n; i++)
        for (uint32_t c = 0; c < t.columns; c += 2)
            if (c) point(b, false, xy + 2 * i, t.v + i * t.columns + c);
            else memcpy(t.v + i * t.columns, xy + 2 * i, 2 * sizeof *xy);
    return t;
}

static glshape_metric any_metric(bytes *b) {
    static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                             GLSHAPE_METRIC_CHEBYSHEV};
    return metrics[byte(b) % 3];
}

static void knn(bytes *b) {
    table t = rows(b);
    if (t.n < 2) return;
    glshape_knn_options o = {
        .n_neighbors = 1 + (int)below(b, t.n - 1), .metric = any_metric(b), .search = any_search(b)};
    glshape_knn_result r;
    uint32_t index[MOST];
    double distance[MOST];
    FUZZ_OK(glshape_knn(context, &(glshape_matrix){GLSHAPE_F64, t.n, t.columns, t.v}, &o, &r));
    for (uint32_t i = 0; i < t.n; i++) {
        size_t k = (size_t)r.n_neighbors;
        ref_knn(o.metric, t.v, t.n, t.columns, i, k, index, distance);
        FUZZ_CHECK(!memcmp(r.index + i * k, index, k * sizeof *index));
        FUZZ_CHECK(!memcmp(r.distance + i * k, distance, k * sizeof *distance));
    }
    glshape_knn_free(&r);
}

static void linkage(bytes *b) {
    table t = rows(b);
    if (t.n < 2) return;
    static double order[MOST * MOST], distance[MOST * MOST], want[4 * MOST];
    glshape_metric metric = any_metric(b);
    glshape_matrix m = {GLSHAPE_F64, t.n, t.columns, t.v};
    glshape_linkage_options o = {.n_neighbors = 1 + (int)below(b, t.n - 1), .search = any_search(b)};
    glshape_linkage_result r;
    FUZZ_OK(glshape_linkage(context, &(glshape_source){.points = &m, .metric = metric}, &o, &r));
    ref_distances(metric, t.v, t.n, t.columns, order, distance);
    ref_linkage(t.n, order, distance, want);
    FUZZ_CHECK(!memcmp(r.merges, want, 4 * sizeof *want * (t.n - 1)));
    glshape_linkage_free(&r);
}

static void hdbscan(bytes *b) {
    table t = rows(b);
    if (t.n < 2) return;
    static double order[MOST * MOST], distance[MOST * MOST];
    static const double alphas[] = {1, 0.5, 1.3, 7}, distances[] = {0, 0.01, 1, 4};
    glshape_metric metric = any_metric(b);
    glshape_matrix m = {GLSHAPE_F64, t.n, t.columns, t.v};
    glshape_hdbscan_options o = {.min_cluster_size = 2 + (int)below(b, 6),
                                 .min_samples = 1 + (int)below(b, t.n),
                                 .selection = (glshape_hdbscan_selection)below(b, 2),
                                 .allow_single_cluster = below(b, 2),
                                 .alpha = alphas[below(b, 4)],
                                 .epsilon = distances[below(b, 4)],
                                 .max_epsilon = distances[below(b, 4)]};
    glshape_hdbscan_result r;
    ref_clusters want;
    FUZZ_OK(glshape_hdbscan(context, &(glshape_source){.points = &m, .metric = metric}, &o, &r));
    ref_distances(metric, t.v, t.n, t.columns, order, distance);
    ref_hdbscan(t.n, order, metric == GLSHAPE_METRIC_EUCLIDEAN, &o, &want);
    FUZZ_CHECK(!memcmp(r.merges, want.merges, 4 * sizeof *want.merges * (t.n - 1)));
    FUZZ_CHECK(!memcmp(r.labels, want.labels, t.n * sizeof *want.labels));
    FUZZ_CHECK(!memcmp(r.probabilities, want.probabilities, t.n * sizeof *want.probabilities));
    FUZZ_CHECK(!memcmp(r.outlier_scores, want.outlier_scores, t.n * sizeof *want.outlier_scores));
    ref_hdbscan_free(&want);
    glshape_hdbscan_free(&r);
}

/* ---- matrices and graphs ----------------------------------------------------------------------- */

static bool read_matrix(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const ref_rips *r = user;
    (void)message, (void)size;
    memcpy(out, r->distances + (size_t)first * r->n, (size_t)count * r->n * sizeof *out);
    return true;
}

static float length(bytes *b) {
    unsigned v = byte(b);
    return v == 255 ? INFINITY : v < 200 ? (float)(v % 8) : (float)v / 7;
}

static void rips(bytes *b) {
    static const int moduli[] = {2, 2, 3, 5};
    static float d[MOST * MOST];
    ref_rips r = {.n = 1 + below(b, 9), .distances = d};
    glshape_rips_options o = {
        .dim = GLSHAPE_SET(below(b, 4)), .modulus = moduli[below(b, 4)], .threads = 1 + (int)below(b, 2)};
    unsigned way = byte(b);
    r.threshold = way & 1 ? INFINITY : (float)below(b, 17) / 2;
    o.collapse = way / 2 % 3;
    o.threshold = GLSHAPE_SET(r.threshold);
    for (uint32_t i = 0; i < r.n; i++)
        for (uint32_t j = d[i * r.n + i] = 0; j < i; j++) d[i * r.n + j] = d[j * r.n + i] = length(b);
    glshape_rips_result got;
    FUZZ_OK(glshape_rips(context, &(glshape_source){.reader = read_matrix, .user = &r, .n = r.n}, &o, &got));
    size_t count, wanted = 0;
    ref_rips_pair *pairs = ref_rips_pairs(&r, (int)o.dim.value, (uint32_t)o.modulus, &count);
    for (size_t k = 0; k < count; k++) {
        if (pairs[k].birth == pairs[k].death) continue;
        bool found = false;
        for (size_t i = 0; i < got.count && !found; i++) {
            const glshape_interval *g = &got.intervals[i];
            uint64_t died = pairs[k].died == REF_RIPS_NONE ? GLSHAPE_NO_SIMPLEX : pairs[k].died;
            bool named = g->birth_simplex == pairs[k].born && g->death_simplex == died;
            found = g->dim == pairs[k].dim && g->birth == pairs[k].birth && g->death == pairs[k].death &&
                    (named || o.collapse); /* which leaves the values alone */
        }
        FUZZ_CHECK(found);
        wanted++;
    }
    FUZZ_CHECK(wanted == got.count);
    free(pairs);
    glshape_rips_free(&got);
}

static void mst(bytes *b) {
    uint32_t n = 1 + below(b, MOST), i[2 * MOST], j[2 * MOST];
    float weight[2 * MOST];
    ref_edge want[2 * MOST];
    size_t count = below(b, 2 * MOST), kept = 0;
    bool maximum = byte(b) & 1;
    for (size_t k = 0; k < count; k++) {
        i[k] = below(b, n), j[k] = below(b, n), weight[k] = (byte(b) & 1 ? -1 : 1) * length(b);
        want[k] = (ref_edge){weight[k], i[k] < j[k] ? i[k] : j[k], i[k] < j[k] ? j[k] : i[k]};
    }
    glshape_mst_result r;
    FUZZ_OK(
        glshape_mst(context, &(glshape_edges){n, count, i, j, weight}, &(glshape_mst_options){maximum}, &r));
    kept = ref_mst(n, want, count, maximum);
    FUZZ_CHECK(r.count == kept && r.components == n - kept);
    for (size_t k = 0; k < kept; k++)
        FUZZ_CHECK(r.i[k] == want[k].lo && r.j[k] == want[k].hi && r.weight[k] == want[k].weight);
    glshape_mst_free(&r);
}

/* ---- fields ------------------------------------------------------------------------------------ */

/* A grid, its values and what the two make a field. */
typedef struct lattice {
    ref_grid grid;
    double v[MOST_CELLS];
    glshape_field field;
    uint32_t n;
} lattice;

static void make_lattice(bytes *b, lattice *l) {
    static const int hoods[2][4] = {{4, 8, 6, 4}, {6, 18, 26, 14}};
    *l = (lattice){.grid = {.dims = 2 + (int)below(b, 2)}, .n = 1};
    ref_grid *g = &l->grid;
    for (int k = 0; k < g->dims; k++) {
        g->shape[k] = 1 + below(b, g->dims == 2 ? 8 : 4);
        g->periodic[k] = below(b, 4) == 0;
        l->n *= (uint32_t)g->shape[k];
    }
    g->neighbours = hoods[g->dims - 2][below(b, 4)];
    unsigned values = 1 + byte(b);
    for (uint32_t i = 0; i < l->n; i++)
        l->v[i] = values > 250 ? raw_double(b) : signed_byte(b) % (int)values / 4.0;
    l->field =
        (glshape_field){.type = GLSHAPE_F64, .values = l->v, .dims = g->dims, .neighborhood = g->neighbours};
    memcpy(l->field.shape, g->shape, sizeof g->shape);
    memcpy(l->field.periodic, g->periodic, sizeof g->periodic);
}

static void mergetree(bytes *b) {
    lattice l;
    make_lattice(b, &l);
    uint32_t(*want)[3] = malloc(l.n * sizeof *want);
    glshape_mergetree_options o = {
        .method = any_method(b), .superlevel = byte(b) & 1, .simplify = below(b, 3) ? 0 : 1.25};
    glshape_mergetree_result r;
    FUZZ_OK(glshape_mergetree(context, &l.field, &o, &r));
    ref_mergetree(l.n, l.v, o.superlevel, &l.grid, NULL, NULL, want);
    if (o.simplify > 0) ref_simplify(l.n, l.v, o.simplify, want);
    FUZZ_CHECK(!memcmp(r.triplets, want, l.n * sizeof *want));
    glshape_mergetree_free(&r);
    free(want);
}

static int by_place(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* The place of each value in the order of all. */
static void place_values(const lattice *l, bool superlevel, uint32_t *place) {
    double(*order)[2] = malloc(l->n * sizeof *order);
    for (uint32_t v = 0; v < l->n; v++) {
        order[v][0] = superlevel ? -l->v[v] : l->v[v];
        order[v][1] = v;
    }
    qsort(order, l->n, sizeof *order, by_place);
    for (uint32_t k = 0; k < l->n; k++) place[(uint32_t)order[k][1]] = k;
    free(order);
}

/* As many intervals of each dimension as the boundary matrix has, and each with a pair of it. */
static void cubical(bytes *b) {
    lattice l;
    make_lattice(b, &l);
    l.field.neighborhood = 0;
    uint32_t place[MOST_CELLS];
    const glshape_cubical_options o = {
        .construction = byte(b) & 1, .superlevel = byte(b) & 1, .modulus = below(b, 2) ? 2 : 3};
    glshape_cubical_result r;
    ref_cubical_field twin = {.dims = l.grid.dims,
                              .extent = {1, 1, 1},
                              .vertices = o.construction,
                              .place = place,
                              .modulus = (uint32_t)o.modulus};
    size_t cubes = 1, count = 0, matched = 0;
    for (int k = 0; k < l.grid.dims; k++) {
        if (l.grid.shape[k] < 2) l.field.periodic[k] = false;
        twin.extent[l.grid.dims - 1 - k] = (uint32_t)l.grid.shape[k];
        twin.periodic[l.grid.dims - 1 - k] = l.field.periodic[k];
        cubes *= 2 * l.grid.shape[k] + 1;
    }
    ref_cubical_pair *want = malloc(cubes * sizeof *want);
    FUZZ_OK(glshape_cubical(context, &l.field, &o, &r));
    place_values(&l, o.superlevel, place);
    size_t pairs = ref_cubical(&twin, want);
    for (size_t k = 0; k < pairs; k++) {
        double birth = l.v[want[k].birth], end = want[k].death == UINT32_MAX ? INFINITY : l.v[want[k].death];
        double never = o.superlevel ? -INFINITY : INFINITY;
        if (birth == end || birth == never) continue;
        uint32_t death = end == never ? UINT32_MAX : want[k].death;
        count++;
        for (size_t i = 0; i < r.count; i++)
            matched += r.intervals[i].dim == (int)want[k].dim &&
                       r.intervals[i].birth_vertex == want[k].birth && r.intervals[i].death_vertex == death;
    }
    FUZZ_CHECK(r.count == count && matched >= count);
    glshape_cubical_free(&r);
    free(want);
}

/* ---- contour trees ----------------------------------------------------------------------------- */

typedef struct links {
    uint32_t count[MOST_CELLS], to[MOST_CELLS][MOST_CELLS];
} links;

static void join(links *t, uint32_t a, uint32_t b) {
    t->to[a][t->count[a]++] = b;
    t->to[b][t->count[b]++] = a;
}

/* The vertex that comes next on arc k, after v, by (value, index); the upper end after the last. */
static uint32_t next_on(const lattice *l, const glshape_contour_result *r, size_t k, uint32_t v) {
    uint32_t next = r->arcs[k].upper;
    for (uint32_t w = 0; w < l->n; w++) {
        bool after = l->v[w] > l->v[v] || (l->v[w] == l->v[v] && w > v);
        bool sooner = l->v[w] < l->v[next] || (l->v[w] == l->v[next] && w < next);
        if (r->arc[w] == k && after && sooner) next = w;
    }
    return next;
}

/* The place of every vertex by (value, index): values without ties, in the order that contour trees have both
 * up and down. */
static void rank_all(const lattice *l, double *rank) {
    for (uint32_t v = 0; v < l->n; v++) {
        rank[v] = 0;
        for (uint32_t w = 0; w < l->n; w++) rank[v] += l->v[w] < l->v[v] || (l->v[w] == l->v[v] && w < v);
    }
}

/* The join and the split tree of the contour tree must be the field's; or the field is refused. */
static void contour(bytes *b) {
    lattice l;
    double rank[MOST_CELLS];
    make_lattice(b, &l);
    rank_all(&l, rank);
    glshape_contour_result r;
    if (glshape_contour(context, &l.field, any_method(b), &r)) {
        FUZZ_CHECK(strstr(glshape_last_error(context), "no contour tree"));
        bool periodic = l.grid.periodic[0] || l.grid.periodic[1] || l.grid.periodic[2];
        FUZZ_CHECK(periodic || l.grid.neighbours == (l.grid.dims == 2 ? 4 : 6));
        return;
    }
    links *t = calloc(1, sizeof *t);
    for (size_t k = 0; k < r.count; k++)
        for (uint32_t v = r.arcs[k].lower, w; v != r.arcs[k].upper; v = w)
            join(t, v, w = next_on(&l, &r, k, v));
    size_t start[MOST_CELLS + 1] = {0};
    uint32_t to[2 * MOST_CELLS], want[MOST_CELLS][3], got[MOST_CELLS][3];
    for (uint32_t v = 0; v < l.n; v++) {
        FUZZ_CHECK(start[v] + t->count[v] <= 2 * MOST_CELLS);
        memcpy(to + start[v], t->to[v], t->count[v] * sizeof *to);
        start[v + 1] = start[v] + t->count[v];
    }
    for (int superlevel = 0; superlevel < 2; superlevel++) {
        ref_mergetree(l.n, rank, superlevel, &l.grid, NULL, NULL, want);
        ref_mergetree(l.n, rank, superlevel, NULL, start, to, got);
        FUZZ_CHECK(!memcmp(got, want, l.n * sizeof *want));
    }
    free(t);
    glshape_contour_free(&r);
}

/* ---- layouts ----------------------------------------------------------------------------------- */

/* Finite, and of the stress that is told. */
static void mds(bytes *b) {
    table t = rows(b);
    if (t.n < 2) return;
    glshape_metric metric = byte(b) & 1 ? GLSHAPE_METRIC_MANHATTAN : GLSHAPE_METRIC_EUCLIDEAN;
    glshape_matrix m = {GLSHAPE_F64, t.n, t.columns, t.v};
    glshape_mds_options o = {.dim = 1 + (int)below(b, 3), .seed = byte(b)};
    o.attempts = o.seed % 8 ? 1 : 2; /* an attempt takes hundreds of passes */
    glshape_mds_result r;
    static double order[MOST * MOST], distance[MOST * MOST];
    double above = 0, under = 0;
    FUZZ_OK(glshape_mds(context, &(glshape_source){.points = &m, .metric = metric}, &o, &r));
    ref_distances(metric, t.v, t.n, t.columns, order, distance);
    for (uint32_t i = 0; i < t.n; i++)
        for (uint32_t j = 0; j < i; j++) {
            double low = 0, high = distance[i * t.n + j];
            for (int c = 0; c < o.dim; c++) {
                double d =
                    (double)r.layout[i * (uint32_t)o.dim + c] - (double)r.layout[j * (uint32_t)o.dim + c];
                low += d * d;
            }
            FUZZ_CHECK(isfinite(low));
            above += (sqrt(low) - high) * (sqrt(low) - high);
            under += high * high;
        }
    double want = under > 0 ? above / under : 0;
    FUZZ_CHECK(fabs(r.stress - want) <= 1e-3 * want + 1e-6);
    glshape_mds_free(&r);
}

/* ---- all --------------------------------------------------------------------------------------- */

static const struct method {
    const char *name;
    void (*run)(bytes *);
} methods[] = {{"delaunay", delaunay}, {"alpha", alpha},     {"knn", knn}, {"linkage", linkage},
               {"hdbscan", hdbscan},   {"rips", rips},       {"mst", mst}, {"mergetree", mergetree},
               {"cubical", cubical},   {"contour", contour}, {"mds", mds}};
enum { METHODS = sizeof methods / sizeof *methods };

static const struct method *chosen(void) {
    const char *name = getenv("FUZZ");
    for (size_t i = 0; i < METHODS; i++)
        if (name && !strcmp(name, methods[i].name)) return &methods[i];
    fprintf(stderr, "FUZZ names no method; there are:");
    for (size_t i = 0; i < METHODS; i++) fprintf(stderr, " %s", methods[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct method *m;
    static size_t share = 16;
    static glshape_context *contexts[2]; /* the second names the device: what is small does not do without */
    if (!m) {
        const char *name = getenv("GLSHAPE_FUZZ_DEVICE"), *asked = getenv("GLSHAPE_FUZZ_SHARE");
        if (asked && atoi(asked) > 0) share = (size_t)atoi(asked);
        m = chosen();
        FUZZ_OK(glshape_open(&(glshape_options){.debug = true}, &contexts[0]));
        if (!name) name = glshape_renderer(contexts[0]);
        FUZZ_OK(glshape_open(&(glshape_options){.device = name, .debug = true}, &contexts[1]));
    }
    on_device = size && (size + 257u * data[size / 2]) % share == 0;
    context = contexts[on_device];
    m->run(&(bytes){data, data + size});
    return 0;
}
