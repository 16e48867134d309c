#include "reference/alpha.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rational geometry ------------------------------------------------------------------------- */

/* out = b - a in coordinate i. */
static void difference(const ref_alpha *w, mpq_t out, uint32_t a, uint32_t b, int i) {
    mpq_t x;
    mpq_init(x);
    mpq_set_d(out, w->xy[2 * b + i]);
    mpq_set_d(x, w->xy[2 * a + i]);
    mpq_sub(out, out, x);
    mpq_clear(x);
}

/* out = (b - a) · (d - c). */
static void inner(const ref_alpha *w, mpq_t out, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < 2; i++) {
        difference(w, x, a, b, i);
        difference(w, y, c, d, i);
        mpq_mul(x, x, y);
        mpq_add(out, out, x);
    }
    mpq_clears(x, y, NULL);
}

static void edge_square(const ref_alpha *w, mpq_t out, uint32_t a, uint32_t b) {
    inner(w, out, a, b, a, b);
    mpq_div_2exp(out, out, 2);
}

/* |ab|²|bc|²|ca|² / 4Δ². */
static void triangle_square(const ref_alpha *w, mpq_t out, const uint32_t *v) {
    mpq_t x, y, area;
    mpq_inits(x, y, area, NULL);
    difference(w, area, v[0], v[1], 0);
    difference(w, x, v[0], v[2], 1);
    mpq_mul(area, area, x);
    difference(w, x, v[0], v[1], 1);
    difference(w, y, v[0], v[2], 0);
    mpq_mul(x, x, y);
    mpq_sub(area, area, x);
    mpq_mul(area, area, area);
    mpq_mul_2exp(area, area, 2);
    mpq_set_ui(out, 1, 1);
    for (int k = 0; k < 3; k++) {
        inner(w, x, v[k], v[(k + 1) % 3], v[k], v[(k + 1) % 3]);
        mpq_mul(out, out, x);
    }
    mpq_div(out, out, area);
    mpq_clears(x, y, area, NULL);
}

void ref_alpha_square(const double *xy, const uint32_t *v, int corners, mpq_t out) {
    const ref_alpha w = {.xy = xy};
    if (corners == 2) edge_square(&w, out, v[0], v[1]);
    else triangle_square(&w, out, v);
}

/* Whether some point lies inside the circle that ab is the diameter of. */
static bool is_attached(const ref_alpha *w, uint32_t a, uint32_t b) {
    mpq_t x;
    bool found = false;
    mpq_init(x);
    for (uint32_t p = 0; p < w->n && !found; p++) {
        inner(w, x, p, a, p, b);
        found = w->same[p] == p && mpq_sgn(x) < 0;
    }
    mpq_clear(x);
    return found;
}

/* ---- faces and their radii --------------------------------------------------------------------- */

static bool has_edge(const uint32_t *v, const uint32_t *edge) {
    int hits = 0;
    for (int i = 0; i < 3; i++) hits += v[i] == edge[0] || v[i] == edge[1];
    return hits == 2;
}

static bool has_vertex(const uint32_t *face, int count, uint32_t v) {
    for (int i = 0; i < count; i++)
        if (face[i] == v) return true;
    return false;
}

static bool is_edge(const ref_alpha *w, const uint32_t *edge) {
    if (!w->triangles) return !is_attached(w, edge[0], edge[1]);
    for (uint32_t t = 0; t < w->triangles; t++)
        if (has_edge(w->triangle + 3 * t, edge)) return true;
    return false;
}

static void list_edges(ref_alpha *w) {
    w->edge = malloc((3 * (size_t)w->n + 1) * sizeof *w->edge);
    for (uint32_t a = 0; a < w->n; a++)
        for (uint32_t b = a + 1; b < w->n; b++) {
            uint32_t edge[2] = {a, b};
            if (w->same[a] != a || w->same[b] != b || !is_edge(w, edge)) continue;
            memcpy(w->edge[w->edges++], edge, sizeof edge);
        }
}

static int by_value(const void *a, const void *b) {
    return mpq_cmp(*(mpq_srcptr const *)a, *(mpq_srcptr const *)b);
}

/* 1 + how many different values of those that count are less; 0 of one that does not. */
static void rank_all(ref_alpha *w, mpq_t *value, const bool *counts, uint32_t count, uint32_t *rank) {
    mpq_srcptr *sorted = malloc((count + 1) * sizeof *sorted);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        if (counts[i]) sorted[used++] = value[i];
    qsort(sorted, used, sizeof *sorted, by_value);
    w->square = malloc((used + 1) * sizeof *w->square);
    for (uint32_t i = 0; i < used; i++) {
        if (i && !mpq_cmp(sorted[i], sorted[i - 1])) continue;
        mpq_init(w->square[w->ranks]);
        mpq_set(w->square[w->ranks++], sorted[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        rank[i] = 0;
        if (counts[i])
            while (rank[i] < w->ranks && mpq_cmp(w->square[rank[i]], value[i]) < 0) rank[i]++;
        rank[i] += counts[i];
    }
    free(sorted);
}

/* ---- thresholds, by all faces that contain a face ---------------------------------------------- */

static void least(uint32_t *x, uint32_t rank) {
    if (!*x || rank < *x) *x = rank;
}

static void greatest(uint32_t *x, uint32_t rank) {
    if (rank > *x) *x = rank;
}

static void edge_thresholds(ref_alpha *w, uint32_t e) {
    uint32_t *ranks = w->edge_ranks[e], around = 0;
    for (uint32_t t = 0; t < w->triangles; t++)
        if (has_edge(w->triangle + 3 * t, w->edge[e])) {
            least(&ranks[1], w->triangle_ranks[t]);
            greatest(&ranks[2], w->triangle_ranks[t]);
            around++;
        }
    if (around < 2) ranks[2] = 0;
}

static bool on_hull(const ref_alpha *w, uint32_t v) {
    if (!w->triangles) return true;
    for (uint32_t e = 0; e < w->edges; e++)
        if (has_vertex(w->edge[e], 2, v) && !w->edge_ranks[e][2]) return true;
    return false;
}

static void vertex_thresholds(ref_alpha *w, uint32_t v) {
    uint32_t *ranks = w->vertex_ranks[v], p = w->same[v];
    for (uint32_t e = 0; e < w->edges; e++)
        if (has_vertex(w->edge[e], 2, p) && w->edge_ranks[e][0]) least(&ranks[0], w->edge_ranks[e][0]);
    for (uint32_t t = 0; t < w->triangles; t++)
        if (has_vertex(w->triangle + 3 * t, 3, p)) {
            least(&ranks[0], w->triangle_ranks[t]);
            greatest(&ranks[1], w->triangle_ranks[t]);
            least(&ranks[2], w->triangle_ranks[t]);
        }
    if (on_hull(w, p)) ranks[1] = 0;
}

void ref_alpha_new(ref_alpha *w, uint32_t n, const double *xy, const uint32_t *same, uint32_t triangles,
                   const uint32_t *triangle) {
    *w = (ref_alpha){.n = n, .xy = xy, .same = same, .triangles = triangles, .triangle = triangle};
    for (uint32_t v = 0; v < n; v++) w->vertices += same[v] == v;
    list_edges(w);
    uint32_t faces = w->edges + triangles;
    mpq_t *value = malloc((faces + 1) * sizeof *value);
    bool *counts = malloc((faces + 1) * sizeof *counts);
    uint32_t *rank = malloc((faces + 1) * sizeof *rank);
    for (uint32_t f = 0; f < faces; f++) {
        const uint32_t *edge = w->edge[f];
        mpq_init(value[f]);
        if (f < w->edges) edge_square(w, value[f], edge[0], edge[1]);
        else triangle_square(w, value[f], triangle + 3 * (f - w->edges));
        counts[f] = f >= w->edges || !is_attached(w, edge[0], edge[1]);
    }
    rank_all(w, value, counts, faces, rank);
    w->edge_ranks = calloc(w->edges + 1, sizeof *w->edge_ranks);
    w->vertex_ranks = calloc(n + 1, sizeof *w->vertex_ranks);
    w->triangle_ranks = calloc(triangles + 1, sizeof *w->triangle_ranks);
    for (uint32_t t = 0; t < triangles; t++) w->triangle_ranks[t] = rank[w->edges + t];
    for (uint32_t e = 0; e < w->edges; e++) {
        w->edge_ranks[e][0] = rank[e];
        edge_thresholds(w, e);
    }
    for (uint32_t v = 0; v < n; v++) vertex_thresholds(w, v);
    for (uint32_t f = 0; f < faces; f++) mpq_clear(value[f]);
    free(value);
    free(counts);
    free(rank);
}

void ref_alpha_free(ref_alpha *w) {
    for (uint32_t r = 0; r < w->ranks; r++) mpq_clear(w->square[r]);
    free(w->square);
    free(w->edge);
    free(w->edge_ranks);
    free(w->vertex_ranks);
    free(w->triangle_ranks);
}

/* ---- queries ----------------------------------------------------------------------------------- */

uint32_t ref_alpha_rank(const ref_alpha *w, double alpha) {
    mpq_t square;
    uint32_t rank = 0;
    mpq_init(square);
    mpq_set_d(square, alpha);
    mpq_mul(square, square, square);
    while (rank < w->ranks && mpq_cmp(w->square[rank], square) <= 0) rank++;
    mpq_clear(square);
    return rank;
}

double ref_alpha_radius(const ref_alpha *w, uint32_t rank) {
    mpf_t x;
    mpf_init2(x, 256);
    mpf_set_q(x, w->square[rank - 1]);
    mpf_sqrt(x, x);
    double radius = mpf_get_d(x);
    mpf_clear(x);
    return radius;
}

static bool triangle_in(const ref_alpha *w, uint32_t rank, uint32_t t) {
    return w->triangle_ranks[t] <= rank;
}

static glshape_alpha_class judge(uint32_t around, uint32_t in, bool hull, bool bounds, bool born) {
    if (in && in == around && !hull) return GLSHAPE_ALPHA_INTERIOR;
    if (bounds) return GLSHAPE_ALPHA_REGULAR;
    return born ? GLSHAPE_ALPHA_SINGULAR : GLSHAPE_ALPHA_EXTERIOR;
}

glshape_alpha_class ref_alpha_edge(const ref_alpha *w, uint32_t rank, bool regularized, uint32_t e) {
    uint32_t around = 0, in = 0, own = w->edge_ranks[e][0];
    for (uint32_t t = 0; t < w->triangles; t++) {
        bool side = has_edge(w->triangle + 3 * t, w->edge[e]);
        around += side;
        in += side && triangle_in(w, rank, t);
    }
    bool hull = around < 2;
    return judge(around, in, hull, in > 0, !regularized && own && own <= rank);
}

glshape_alpha_class ref_alpha_vertex(const ref_alpha *w, uint32_t rank, bool regularized, uint32_t v) {
    uint32_t around = 0, in = 0;
    bool bounds = false;
    v = w->same[v];
    for (uint32_t t = 0; t < w->triangles; t++) {
        bool corner = has_vertex(w->triangle + 3 * t, 3, v);
        around += corner;
        in += corner && triangle_in(w, rank, t);
    }
    for (uint32_t e = 0; e < w->edges && !regularized; e++)
        bounds |= has_vertex(w->edge[e], 2, v) && ref_alpha_edge(w, rank, false, e) != GLSHAPE_ALPHA_EXTERIOR;
    return judge(around, in, on_hull(w, v), bounds || in, !regularized);
}

static bool touch(const uint32_t *a, const uint32_t *b) {
    int hits = 0;
    for (int i = 0; i < 3; i++) hits += has_vertex(b, 3, a[i]);
    return hits == 2;
}

uint32_t ref_alpha_components(const ref_alpha *w, uint32_t rank, uint32_t *label) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < w->triangles; t++) label[t] = UINT32_MAX;
    for (uint32_t t = 0; t < w->triangles; t++) {
        if (!triangle_in(w, rank, t) || label[t] != UINT32_MAX) continue;
        label[t] = count;
        for (bool more = true; more;) {
            more = false;
            for (uint32_t a = 0; a < w->triangles; a++)
                for (uint32_t b = 0; b < w->triangles; b++)
                    if (label[a] == count && label[b] == UINT32_MAX && triangle_in(w, rank, b) &&
                        touch(w->triangle + 3 * a, w->triangle + 3 * b))
                        label[b] = count, more = true;
        }
        count++;
    }
    return count;
}

uint32_t ref_alpha_optimal(const ref_alpha *w, uint32_t components) {
    uint32_t *label = malloc((w->triangles + 1) * sizeof *label), rank = 1;
    for (;; rank++) {
        bool all = true;
        for (uint32_t v = 0; v < w->n; v++)
            all &= ref_alpha_vertex(w, rank, true, v) != GLSHAPE_ALPHA_EXTERIOR;
        if (all && ref_alpha_components(w, rank, label) <= components) break;
    }
    free(label);
    return rank;
}

/* ---- persistence ------------------------------------------------------------------------------- */

typedef struct cell {
    uint32_t rank, dim, id;
} cell;

static int by_filtration(const void *a, const void *b) {
    const cell *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->dim != y->dim) return x->dim < y->dim ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

static bool is_side(const ref_alpha *w, const cell *side, const cell *of) {
    if (side->dim + 1 != of->dim) return false;
    if (of->dim == 1) return has_vertex(w->edge[of->id], 2, side->id);
    return has_edge(w->triangle + 3 * of->id, w->edge[side->id]);
}

uint32_t ref_alpha_persistence(const ref_alpha *w, uint32_t (*out)[3]) {
    uint32_t cells = 0, found = 0;
    cell *c = malloc((w->n + w->edges + w->triangles + 1) * sizeof *c);
    for (uint32_t v = 0; v < w->n; v++)
        if (w->same[v] == v) c[cells++] = (cell){0, 0, v};
    for (uint32_t e = 0; e < w->edges; e++) {
        const uint32_t *ranks = w->edge_ranks[e];
        c[cells++] = (cell){ranks[0] ? ranks[0] : ranks[1], 1, e};
    }
    for (uint32_t t = 0; t < w->triangles; t++) c[cells++] = (cell){w->triangle_ranks[t], 2, t};
    qsort(c, cells, sizeof *c, by_filtration);
    bool *matrix = calloc((size_t)cells * cells + 1, 1), *paired = calloc(cells + 1, 1);
    uint32_t *low = malloc((cells + 1) * sizeof *low); /* low[row]: the column with this lowest row */
    for (uint32_t i = 0; i < cells; i++) low[i] = UINT32_MAX;
    for (uint32_t j = 0; j < cells; j++) {
        bool *column = matrix + (size_t)j * cells;
        for (uint32_t i = 0; i < j; i++) column[i] = is_side(w, &c[i], &c[j]);
        for (uint32_t i = cells; i-- > 0;) {
            if (!column[i]) continue;
            if (low[i] == UINT32_MAX) {
                low[i] = j;
                paired[i] = paired[j] = true;
                if (c[i].rank != c[j].rank) {
                    out[found][0] = c[i].dim, out[found][1] = c[i].rank;
                    out[found++][2] = c[j].rank;
                }
                break;
            }
            for (uint32_t k = 0; k <= i; k++) column[k] ^= matrix[(size_t)low[i] * cells + k];
        }
    }
    for (uint32_t i = 0; i < cells; i++)
        if (!paired[i]) out[found][0] = c[i].dim, out[found][1] = c[i].rank, out[found++][2] = UINT32_MAX;
    free(c);
    free(matrix);
    free(paired);
    free(low);
    return found;
}
