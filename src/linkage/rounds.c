/* Borůvka's rounds over lists of nearest neighbors.
 *
 * An edge is (sum, lo, hi), and edges are ordered so. Of one point's edges that order is (sum, other end):
 * the order of its list. While the list holds a point of another component, the first such is the point's
 * least edge out. When it holds none, every edge out is greater than the list's last one: a bound. If a
 * component's least known edge is less than all its points' bounds, it is the least there is: certified.
 *
 * A round joins the components that are certified. When these become few, the points whose bounds stand in
 * the way are searched across components, in all components but the one that has the most of them; what
 * the search found is the point's least edge out, and, when that has gone inside, its new bound. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "linkage/linkage.h"
#include "tree/tree.h"
#include "tree/union.h"

#define FEW 4u /* a search when fewer than one in so many components are certified */
/* A search of fewer values than this takes the CPU less time than the GPU its shader's compilation. */
#define FEW_VALUES ((size_t)1 << 25)

typedef struct edge {
    double sum;
    uint32_t lo, hi;
} edge;

typedef struct rounds {
    gpu *g;
    knn_points *p;
    uint32_t n, k, components;
    const uint32_t *index;
    const double *sum;
    uint32_t *parent, *label;
    uint8_t *cursor; /* of each point, its first neighbor that may be in another component */
    uint32_t *found; /* by a search; TREE_NONE: not searched yet */
    double *found_sum;
    edge *best, *bound;  /* of component v */
    uint8_t *stuck;      /* of each point: it has a bound, no edge */
    uint32_t *uncertain; /* points of component v that stand in the way */
    uint8_t *searched;   /* of component v: its best edge was found by a search */
    size_t edges[2];     /* taken: certified by the lists, found by searching */
    size_t queries, scanned;
    uint32_t rounds;
    linkage_tree *tree;
    glshape_linkage_result *r;
} rounds;

static const edge nothing = {INFINITY, TREE_NONE, TREE_NONE};

static edge make_edge(double sum, uint32_t v, uint32_t u) {
    return v < u ? (edge){sum, v, u} : (edge){sum, u, v};
}

static bool less(const edge *a, const edge *b) {
    if (a->sum != b->sum) return a->sum < b->sum;
    return a->lo != b->lo ? a->lo < b->lo : a->hi < b->hi;
}

/* ---- candidates -------------------------------------------------------------------------------- */

static void offer(rounds *s, const edge *e, bool searched) {
    const uint32_t of[] = {s->label[e->lo], s->label[e->hi]};
    for (int i = 0; i < 2; i++)
        if (less(e, &s->best[of[i]])) s->best[of[i]] = *e, s->searched[of[i]] = searched;
}

/* The least edge out of v, or a bound that all its edges out exceed. */
static void look_at(rounds *s, uint32_t v) {
    const uint32_t *list = s->index + (size_t)v * s->k, own = s->label[v];
    while (s->cursor[v] < s->k && s->label[list[s->cursor[v]]] == own) s->cursor[v]++;
    uint32_t at = s->cursor[v];
    bool listed = at < s->k, searched = !listed && s->found[v] != TREE_NONE;
    s->stuck[v] = !listed && !(searched && s->label[s->found[v]] != own);
    if (!listed) at = s->k - 1;
    edge e = searched ? make_edge(s->found_sum[v], v, s->found[v])
                      : make_edge(s->sum[(size_t)v * s->k + at], v, list[at]);
    if (!s->stuck[v]) offer(s, &e, searched);
    else if (less(&e, &s->bound[own])) s->bound[own] = e;
}

static void look_at_all(rounds *s) {
    for (uint32_t v = 0; v < s->n; v++) {
        s->label[v] = union_find(s->parent, v);
        s->best[v] = s->bound[v] = nothing;
    }
    for (uint32_t v = 0; v < s->n; v++) look_at(s, v);
}

static bool certified(const rounds *s, uint32_t c) {
    return s->label[c] == c && s->best[c].lo != TREE_NONE && less(&s->best[c], &s->bound[c]);
}

static void join(rounds *s, uint32_t c) {
    const edge *e = &s->best[c];
    uint32_t a = union_find(s->parent, e->lo), b = union_find(s->parent, e->hi), k = s->tree->count;
    if (a == b) return; /* both ends chose it */
    s->parent[b] = a;
    s->components--;
    s->tree->i[k] = e->lo;
    s->tree->j[k] = e->hi;
    s->tree->height[k] = e->sum;
    s->tree->count++;
    s->edges[s->searched[c]]++;
}

/* ---- searching --------------------------------------------------------------------------------- */

/* Whether an edge out of v could be less than its component's best. */
static bool in_the_way(const rounds *s, uint32_t v) {
    uint32_t c = s->label[v], last = s->index[(size_t)v * s->k + s->k - 1];
    if (!s->stuck[v]) return false;
    edge e = s->found[v] != TREE_NONE ? make_edge(s->found_sum[v], v, s->found[v])
                                      : make_edge(s->sum[(size_t)v * s->k + s->k - 1], v, last);
    return less(&e, &s->best[c]);
}

/* Fills queries, which has room for n, with the points to search. Returns how many these are. */
static uint32_t choose_queries(rounds *s, knn_query *queries) {
    uint32_t most = 0, count = 0;
    for (uint32_t v = 0; v < s->n; v++) s->uncertain[v] = 0;
    for (uint32_t v = 0; v < s->n; v++) s->uncertain[s->label[v]] += in_the_way(s, v);
    for (uint32_t v = 1; v < s->n; v++)
        if (s->uncertain[v] > s->uncertain[most]) most = v;
    for (uint32_t v = 0; v < s->n; v++)
        if (s->label[v] != most && in_the_way(s, v)) queries[count++] = (knn_query){v, s->label[v]};
    return count;
}

/* candidates: `keep` of each query, or none. */
static glshape_status settle_queries(rounds *s, const knn_query *queries, uint32_t count, uint32_t keep,
                                     const knn_candidate *candidates, uint32_t *to, double *sum) {
    knn_settling what = {.count = count,
                         .queries = queries,
                         .label = s->label,
                         .k = 1,
                         .keep = keep,
                         .candidates = candidates};
    TRY(knn_settle(gpu_error(s->g), s->p, &what, to, sum, &s->scanned));
    for (uint32_t q = 0; q < count; q++) {
        s->found[queries[q].point] = to[q];
        s->found_sum[queries[q].point] = sum[q];
    }
    s->queries += count;
    return GLSHAPE_OK;
}

/* to, sum: room for what is found. */
static glshape_status search_on_gpu(rounds *s, const knn_query *queries, uint32_t count, uint32_t *to,
                                    double *sum) {
    OWNED_BY(knn_search_free) knn_search f = {0};
    OWNED knn_candidate *candidates = NULL;
    TRY(knn_search_new(s->g, s->p, 1, true, &f));
    uint32_t room = f.rows < count ? f.rows : count;
    TRY(allocate(gpu_error(s->g), &candidates, room, f.keep * sizeof *candidates, "candidates"));
    TRY(knn_search_across(s->g, &f, s->p, s->label));
    for (uint32_t first = 0; first < count; first += room) {
        uint32_t some = count - first < room ? count - first : room;
        TRY(knn_search_queries(s->g, &f, s->p, queries + first, some, candidates));
        TRY(settle_queries(s, queries + first, some, f.keep, candidates, to, sum));
    }
    return GLSHAPE_OK;
}

static glshape_status search(rounds *s) {
    OWNED knn_query *queries = NULL;
    OWNED uint32_t *to = NULL;
    OWNED double *sum = NULL;
    error *err = gpu_error(s->g);
    double start = wall_seconds();
    TRY(allocate(err, &queries, s->n, sizeof *queries, "points to search"));
    uint32_t count = choose_queries(s, queries);
    TRY(allocate(err, &to, count, sizeof *to, "what a search found"));
    TRY(allocate(err, &sum, count, sizeof *sum, "what a search found"));
    if (times(times(count, s->n), s->p->m->cols) < FEW_VALUES)
        TRY(settle_queries(s, queries, count, 0, NULL, to, sum));
    else TRY(search_on_gpu(s, queries, count, to, sum));
    s->r->seconds.search += wall_seconds() - start;
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status make(rounds *s) {
    const struct {
        void *out;
        size_t size;
    } parts[] = {{&s->parent, sizeof *s->parent},       {&s->label, sizeof *s->label},
                 {&s->cursor, sizeof *s->cursor},       {&s->found, sizeof *s->found},
                 {&s->found_sum, sizeof *s->found_sum}, {&s->best, sizeof *s->best},
                 {&s->bound, sizeof *s->bound},         {&s->stuck, sizeof *s->stuck},
                 {&s->uncertain, sizeof *s->uncertain}, {&s->searched, sizeof *s->searched}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(allocate(gpu_error(s->g), parts[i].out, s->n, parts[i].size, "components"));
    for (uint32_t v = 0; v < s->n; v++) {
        s->parent[v] = v;
        s->found[v] = TREE_NONE;
    }
    return GLSHAPE_OK;
}

static void rounds_free(rounds *s) {
    void *const parts[] = {s->parent, s->label, s->cursor, s->found,     s->found_sum,
                           s->best,   s->bound, s->stuck,  s->uncertain, s->searched};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

glshape_status linkage_rounds(gpu *g, knn_points *p, uint32_t k, const uint32_t *index, const double *sum,
                              linkage_tree *tree, glshape_linkage_result *r) {
    OWNED_BY(rounds_free) rounds s = {.g = g, .p = p, .n = p->n, .k = k, .components = p->n};
    s.index = index;
    s.sum = sum;
    s.tree = tree;
    s.r = r;
    TRY(make(&s));
    while (s.components > 1) {
        uint32_t sure = 0, before = s.components;
        look_at_all(&s);
        for (uint32_t c = 0; c < s.n; c++) sure += certified(&s, c);
        if (sure < (before + FEW - 1) / FEW) {
            TRY(search(&s));
            look_at_all(&s);
        }
        for (uint32_t c = 0; c < s.n; c++)
            if (certified(&s, c)) join(&s, c);
        s.rounds++;
        if (s.components == before)
            return fail(gpu_error(g), GLSHAPE_GPU_ERROR, "a search across components found nothing");
        TRY(gpu_tick(g, 1 - log((double)s.components) / log((double)s.n)));
    }
    gpu_fact(g, (double)s.edges[0], "edges certified");
    gpu_fact(g, (double)s.edges[1], "edges searched for");
    gpu_fact(g, (double)s.queries, "points searched for");
    gpu_fact(g, (double)s.scanned, "points compared with all");
    gpu_fact(g, s.rounds, "rounds");
    return GLSHAPE_OK;
}
