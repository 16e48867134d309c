#include "reference/delaunay.h"

#include <gmp.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

struct ref_plane {
    uint32_t n;
    mpz_t (*at)[2]; /* times a power of two */
    mpz_t m[3][3], t[4];
};

/* ---- points ------------------------------------------------------------------------------------ */

ref_plane *ref_plane_new(const double *xy, uint32_t n) {
    ref_plane *p = calloc(1, sizeof *p);
    mp_bitcnt_t shift = 0; /* with which all are integers: denominators are powers of two */
    mpq_t q;
    mpq_init(q);
    p->n = n;
    p->at = calloc(n + 1, sizeof *p->at);
    for (uint32_t i = 0; i < 2 * n; i++) {
        mpq_set_d(q, xy[i]);
        mp_bitcnt_t bits = mpz_sizeinbase(mpq_denref(q), 2) - 1;
        if (bits > shift) shift = bits;
    }
    for (uint32_t i = 0; i < 2 * n; i++) {
        mpq_set_d(q, xy[i]);
        mpq_mul_2exp(q, q, shift);
        mpz_init_set(p->at[i / 2][i % 2], mpq_numref(q));
    }
    mpq_clear(q);
    for (int i = 0; i < 9; i++) mpz_init(p->m[i / 3][i % 3]);
    for (int i = 0; i < 4; i++) mpz_init(p->t[i]);
    return p;
}

void ref_plane_free(ref_plane *p) {
    for (uint32_t i = 0; i < 2 * p->n; i++) mpz_clear(p->at[i / 2][i % 2]);
    for (int i = 0; i < 9; i++) mpz_clear(p->m[i / 3][i % 3]);
    for (int i = 0; i < 4; i++) mpz_clear(p->t[i]);
    free(p->at);
    free(p);
}

/* ---- predicates: determinants, row by row ------------------------------------------------------ */

static int det3(ref_plane *p) {
    mpz_set_ui(p->t[0], 0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpz_mul(p->t[1], p->m[1][j], p->m[2][k]);
        mpz_submul(p->t[1], p->m[1][k], p->m[2][j]);
        mpz_addmul(p->t[0], p->m[0][i], p->t[1]);
    }
    return mpz_sgn(p->t[0]);
}

int ref_orient2d(ref_plane *p, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t abc[3] = {a, b, c};
    for (int r = 0; r < 3; r++) {
        mpz_set(p->m[r][0], p->at[abc[r]][0]);
        mpz_set(p->m[r][1], p->at[abc[r]][1]);
        mpz_set_ui(p->m[r][2], 1);
    }
    return det3(p);
}

int ref_in_circle(ref_plane *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t abc[3] = {a, b, c};
    for (int r = 0; r < 3; r++) {
        mpz_sub(p->m[r][0], p->at[abc[r]][0], p->at[d][0]);
        mpz_sub(p->m[r][1], p->at[abc[r]][1], p->at[d][1]);
        mpz_mul(p->m[r][2], p->m[r][0], p->m[r][0]);
        mpz_addmul(p->m[r][2], p->m[r][1], p->m[r][1]);
    }
    return det3(p);
}

/* ---- by definition ----------------------------------------------------------------------------- */

/* i < j, k; i, j, k turn left. */
static bool belongs(ref_plane *p, uint32_t n, uint32_t i, uint32_t j, uint32_t k) {
    for (uint32_t d = 0; d < n; d++) {
        if (d == i || d == j || d == k) continue;
        int s = ref_in_circle(p, i, j, k, d);
        if (s > 0) return false;
        /* On the circle: i is the smallest of the polygon, and j, k are next to each other in it. */
        if (s == 0 && (d < i || ref_orient2d(p, j, k, d) < 0)) return false;
    }
    return true;
}

size_t ref_delaunay(ref_plane *p, uint32_t n, uint32_t (*triangles)[3], size_t room) {
    size_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            for (uint32_t k = i + 1; k < n; k++) {
                if (k == j || ref_orient2d(p, i, j, k) <= 0 || !belongs(p, n, i, j, k)) continue;
                if (count < room) memcpy(triangles[count], (uint32_t[3]){i, j, k}, sizeof *triangles);
                count++;
            }
    return count;
}

/* ---- faults ------------------------------------------------------------------------------------ */

static char sentence[256];

static const char *fault(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    return sentence;
}

static int compare(ref_plane *p, uint32_t a, uint32_t b) {
    int x = mpz_cmp(p->at[a][0], p->at[b][0]);
    return x ? x : mpz_cmp(p->at[a][1], p->at[b][1]);
}

static ref_plane *sorted;

static int by_place(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int s = compare(sorted, i, j);
    return s ? s : (i > j) - (i < j);
}

static const char *check_same(ref_plane *p, const ref_triangulation *t) {
    uint32_t *list = malloc((t->n + 1) * sizeof *list), first = 0;
    size_t distinct = 0;
    const char *wrong = NULL;
    for (uint32_t i = 0; i < t->n; i++) list[i] = i;
    sorted = p;
    qsort(list, t->n, sizeof *list, by_place);
    for (uint32_t k = 0; k < t->n; k++) {
        if (!k || compare(p, list[k - 1], list[k])) first = list[k], distinct++;
        if (!wrong && t->same[list[k]] != first)
            wrong = fault("point %u is the same as %u, not %u", list[k], first, t->same[list[k]]);
    }
    free(list);
    if (!wrong && distinct != t->distinct)
        wrong = fault("%zu points are distinct, not %zu", distinct, t->distinct);
    return wrong;
}

static const char *check_triangle(ref_plane *p, const ref_triangulation *t, size_t k) {
    const uint32_t *v = t->triangles + 3 * k;
    for (int c = 0; c < 3; c++)
        if (v[c] >= t->n || t->same[v[c]] != v[c]) return fault("triangle %zu has no corner %u", k, v[c]);
    if (v[0] > v[1] || v[0] > v[2]) return fault("triangle %zu starts from %u", k, v[0]);
    if (k && (v[-3] > v[0] || (v[-3] == v[0] && v[-2] >= v[1])))
        return fault("triangle %zu is out of order", k);
    if (ref_orient2d(p, v[0], v[1], v[2]) <= 0) return fault("triangle %zu does not turn left", k);
    return NULL;
}

/* The edge opposite corner c, and what is across it. */
static const char *check_edge(ref_plane *p, const ref_triangulation *t, size_t k, int c) {
    const uint32_t *v = t->triangles + 3 * k;
    uint32_t across = t->neighbours[3 * k + c], a = v[(c + 1) % 3], b = v[(c + 2) % 3];
    if (across == NOBODY) return NULL;
    if (across >= t->count) return fault("triangle %zu has the neighbour %u", k, across);
    const uint32_t *w = t->triangles + 3 * (size_t)across;
    int d = 0;
    while (d < 3 && !(w[(d + 1) % 3] == b && w[(d + 2) % 3] == a)) d++;
    if (d == 3 || t->neighbours[3 * (size_t)across + d] != k)
        return fault("triangles %zu and %u do not share the edge %u %u", k, across, a, b);
    int s = ref_in_circle(p, v[0], v[1], v[2], w[d]);
    if (s > 0) return fault("point %u is in the circle of triangle %zu", w[d], k);
    uint32_t ends = a < b ? a : b, tips = v[c] < w[d] ? v[c] : w[d];
    if (s == 0 && tips < ends) return fault("edge %u %u is not at the smallest of four on a circle", a, b);
    return NULL;
}

/* next[v]: behind v on the boundary, counter-clockwise; NOBODY. */
static const char *check_hull(ref_plane *p, const ref_triangulation *t, const uint32_t *next, size_t edges) {
    uint32_t start = 0, lowest = 0;
    size_t seen = 0;
    while (start < t->n && next[start] == NOBODY) start++;
    for (uint32_t v = start; seen <= edges; seen++) {
        uint32_t w = next[v], x = w == NOBODY ? NOBODY : next[w];
        if (x == NOBODY) return fault("the boundary ends behind %u", v);
        if (ref_orient2d(p, v, w, x) < 0) return fault("the boundary is not convex at %u", w);
        lowest += compare(p, w, v) < 0 && compare(p, w, x) < 0;
        if (w == start) break;
        v = w;
    }
    if (seen + 1 != edges) return fault("the boundary is not one ring");
    return lowest == 1 ? NULL : fault("the boundary goes round %u times", lowest);
}

static const char *check_whole(ref_plane *p, const ref_triangulation *t) {
    uint32_t *next = malloc((t->n + 1) * sizeof *next);
    bool *used = calloc(t->n + 1, 1);
    size_t edges = 0, corners = 0;
    const char *wrong = NULL;
    memset(next, 0xff, t->n * sizeof *next);
    for (size_t k = 0; k < 3 * t->count; k++) {
        used[t->triangles[k]] = true;
        if (t->neighbours[k] != NOBODY) continue;
        const uint32_t *v = t->triangles + k / 3 * 3;
        if (next[v[(k + 1) % 3]] != NOBODY) wrong = fault("the boundary passes %u twice", v[(k + 1) % 3]);
        next[v[(k + 1) % 3]] = v[(k + 2) % 3];
        edges++;
    }
    for (uint32_t v = 0; v < t->n; v++) corners += used[v];
    if (!wrong && corners != t->distinct)
        wrong = fault("%zu points of %zu are corners", corners, t->distinct);
    if (!wrong && t->count + edges + 2 != 2 * t->distinct)
        wrong = fault("%zu triangles and %zu edges around %zu points", t->count, edges, t->distinct);
    if (!wrong) wrong = check_hull(p, t, next, edges);
    free(next);
    free(used);
    return wrong;
}

/* No triangles: all points in a row. */
static const char *check_chain(ref_plane *p, const ref_triangulation *t) {
    const uint32_t *c = t->chain;
    if (!c) return fault("there are no triangles and no chain");
    bool *used = calloc(t->n + 1, 1);
    const char *wrong = NULL;
    for (size_t k = 0; k < t->distinct && !wrong; k++) {
        if (c[k] >= t->n || t->same[c[k]] != c[k] || used[c[k]]) wrong = fault("%u is in the chain", c[k]);
        else if (k > 1 && ref_orient2d(p, c[k - 2], c[k - 1], c[k]))
            wrong = fault("%u is not on the line", c[k]);
        else if (k > 1 && (compare(p, c[k - 2], c[k - 1]) < 0) != (compare(p, c[k - 1], c[k]) < 0))
            wrong = fault("the chain turns back at %u", c[k]);
        if (!wrong) used[c[k]] = true;
    }
    if (!wrong && t->distinct && c[0] > c[t->distinct - 1]) wrong = fault("the chain starts from the end");
    free(used);
    return wrong;
}

const char *ref_delaunay_fault(ref_plane *p, const ref_triangulation *t) {
    const char *wrong = check_same(p, t);
    if (wrong || !t->count) return wrong ? wrong : check_chain(p, t);
    for (size_t k = 0; k < t->count && !wrong; k++) wrong = check_triangle(p, t, k);
    for (size_t k = 0; k < 3 * t->count && !wrong; k++) wrong = check_edge(p, t, k / 3, (int)(k % 3));
    return wrong ? wrong : check_whole(p, t);
}
