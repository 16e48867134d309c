/* The least ε for which a matching moves no point farther, found among all distances between two points, and
 * of a point from the diagonal. Points that lie within ε of the diagonal need no partner. So ε suffices if
 * the others of one diagram can be matched with points of the other one, and the others of that with points
 * of the first: there is then one matching of both (Mendelsohn, Dulmage, 1958). Matchings are found by
 * Hopcroft and Karp's algorithm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "compare/compare.h"

#define NONE UINT32_MAX

typedef struct matching {
    const double *a, *b; /* pairs */
    uint32_t na, nb;
    double most;     /* the distance allowed */
    uint32_t *far;   /* points of a that need a partner */
    uint32_t count;  /* of them */
    uint32_t *right; /* of each of them: its partner, or NONE */
    uint32_t *left;  /* of each point of b: whose partner it is, or NONE */
    uint32_t *depth, *queue, *next;
    const atomic_bool *stop;
} matching;

static bool is_stopped(const matching *m) { return atomic_load_explicit(m->stop, memory_order_relaxed); }

static double to_diagonal(const double *p) { return fabs(p[1] / 2 - p[0] / 2); }

static double between(const double *p, const double *q) { return fmax(fabs(p[0] - q[0]), fabs(p[1] - q[1])); }

static bool joins(const matching *m, uint32_t u, uint32_t v) {
    return between(m->a + 2 * m->far[u], m->b + 2 * v) <= m->most;
}

/* Layers from those without a partner; whether a point of b that is nobody's partner is in one. */
static bool find_layers(matching *m) {
    uint32_t head = 0, tail = 0;
    bool found = false;
    for (uint32_t u = 0; u < m->count; u++) {
        m->depth[u] = m->right[u] == NONE ? 0 : NONE;
        if (m->right[u] == NONE) m->queue[tail++] = u;
    }
    while (head < tail && !is_stopped(m)) {
        uint32_t u = m->queue[head++];
        for (uint32_t v = 0; v < m->nb; v++) {
            if (!joins(m, u, v)) continue;
            uint32_t w = m->left[v];
            if (w == NONE) found = true;
            else if (m->depth[w] == NONE) m->depth[w] = m->depth[u] + 1, m->queue[tail++] = w;
        }
    }
    return found;
}

/* Goes down the layers from one without a partner, and changes partners along the path. next: where to go on.
 */
static bool augment(matching *m, uint32_t from) {
    uint32_t *path = m->queue, length = 1;
    path[0] = from;
    while (length && !is_stopped(m)) {
        uint32_t u = path[length - 1], v = m->next[u];
        if (v == m->nb) {
            m->depth[u] = NONE;
            if (--length) m->next[path[length - 1]]++;
            continue;
        }
        bool near = joins(m, u, v);
        uint32_t w = near ? m->left[v] : NONE;
        if (near && w == NONE) break;
        if (near && m->depth[w] != NONE && m->depth[w] == m->depth[u] + 1) path[length++] = w;
        else m->next[u]++;
    }
    for (uint32_t k = length; k-- > 0;) {
        m->right[path[k]] = m->next[path[k]];
        m->left[m->next[path[k]]] = path[k];
    }
    return length > 0;
}

/* Whether all points of a that need a partner can have one. */
static bool has_partners(matching *m) {
    uint32_t matched = 0;
    m->count = 0;
    for (uint32_t u = 0; u < m->na; u++)
        if (to_diagonal(m->a + 2 * u) > m->most) m->far[m->count++] = u;
    if (m->count > m->nb) return false;
    for (uint32_t u = 0; u < m->count; u++) m->right[u] = NONE;
    for (uint32_t v = 0; v < m->nb; v++) m->left[v] = NONE;
    while (matched < m->count && !is_stopped(m) && find_layers(m)) {
        memset(m->next, 0, m->count * sizeof *m->next);
        for (uint32_t u = 0; u < m->count; u++)
            if (m->right[u] == NONE) matched += augment(m, u);
    }
    return matched == m->count;
}

static bool suffices(matching *m, double most) {
    matching other = *m;
    m->most = most;
    if (!has_partners(m)) return false;
    other.most = most;
    other.a = m->b, other.na = m->nb;
    other.b = m->a, other.nb = m->na;
    return has_partners(&other);
}

/* What a point has to move at least: to the diagonal, or to the nearest point of the other diagram. */
static double least_move(const double *p, const double *others, uint32_t count) {
    double least = to_diagonal(p);
    for (uint32_t k = 0; k < count; k++) least = fmin(least, between(p, others + 2 * k));
    return least;
}

/* All distances that may be the answer: from *least, which is most often the answer, to below *most, which
 * suffices, as no point needs to move farther than to the diagonal. */
static glshape_status list_costs(error *err, const matching *m, double **out, size_t *count, double *least,
                                 double *most) {
    size_t used = 0, all = times(m->na, m->nb) + m->na + m->nb + 1;
    TRY(allocate(err, out, all, sizeof **out, "the distances of two diagrams"));
    (*out)[used++] = *most = *least = 0;
    for (uint32_t u = 0; u < m->na; u++) (*out)[used++] = to_diagonal(m->a + 2 * u);
    for (uint32_t v = 0; v < m->nb; v++) (*out)[used++] = to_diagonal(m->b + 2 * v);
    for (size_t k = 0; k < used; k++) *most = fmax(*most, (*out)[k]);
    for (uint32_t u = 0; u < m->na && !is_stopped(m); u++)
        *least = fmax(*least, least_move(m->a + 2 * u, m->b, m->nb));
    for (uint32_t v = 0; v < m->nb && !is_stopped(m); v++)
        *least = fmax(*least, least_move(m->b + 2 * v, m->a, m->na));
    for (uint32_t u = 0; u < m->na; u++)
        for (uint32_t v = 0; v < m->nb; v++) {
            double far = between(m->a + 2 * u, m->b + 2 * v);
            if (far < *most && far > *least) (*out)[used++] = far;
        }
    *count = used;
    return GLSHAPE_OK;
}

/* Keeps those of the distances that are less than one that suffices, or greater than one that does not. */
static size_t keep(double *costs, size_t count, double than, bool less) {
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (less ? costs[k] < than : costs[k] > than) costs[kept++] = costs[k];
    return kept;
}

glshape_status bottleneck(error *err, const diagrams *d, uint32_t i, uint32_t j, const atomic_bool *stop,
                          double *out) {
    OWNED double *costs = NULL;
    OWNED uint32_t *lists = NULL;
    matching m = {.a = d->pairs + 2 * d->first[i],
                  .b = d->pairs + 2 * d->first[j],
                  .na = (uint32_t)(d->first[i + 1] - d->first[i]),
                  .nb = (uint32_t)(d->first[j + 1] - d->first[j]),
                  .stop = stop};
    size_t count, room = (m.na > m.nb ? m.na : m.nb) + (size_t)1;
    uint32_t turn = 1;
    double least;
    TRY(list_costs(err, &m, &costs, &count, &least, out));
    TRY(allocate(err, &lists, room, 6 * sizeof *lists, "a matching"));
    m.far = lists;
    m.right = lists + room;
    m.left = lists + 2 * room;
    m.depth = lists + 3 * room;
    m.queue = lists + 4 * room;
    m.next = lists + 5 * room;
    if (suffices(&m, least)) return *out = least, GLSHAPE_OK;
    count = keep(costs, keep(costs, count, *out, true), least, false);
    while (count && !is_stopped(&m)) { /* one of them at random halves those that are left */
        turn = turn * 1664525u + 1013904223u;
        double tried = costs[turn % count];
        bool enough = suffices(&m, tried);
        if (enough) *out = tried;
        count = keep(costs, count, tried, enough);
    }
    return GLSHAPE_OK;
}
