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

/* The points of a diagram: births, deaths, and how far each is from the diagonal. They are filled up to whole
 * words of WORD with INFINITY, which is near nothing. */
enum { WORD = 64, LANES = 2 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t flags __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef uint64_t words __attribute__((vector_size(LANES * sizeof(uint64_t))));

static inline lanes all_lanes(double x) { return (lanes){x, x}; }

typedef struct side {
    const double *birth, *death, *diagonal;
    uint32_t n;
} side;

/* Matches the points of `a` that need a partner with points of `b`. Sets of points of b are bits, 64 in a
 * word. */
typedef struct matching {
    side a, b;
    double most;     /* the distance allowed */
    uint32_t *far;   /* points of a that need a partner */
    uint32_t count;  /* of them */
    uint32_t *right; /* of each of them: its partner, or NONE */
    uint32_t *left;  /* of each point of b: whose partner it is, or NONE */
    uint64_t *near;  /* of each of those that need a partner: the points of b that may be it */
    uint64_t *open;  /* points of b that no path has reached yet */
    uint32_t *depth, *queue, *next, *taken;
    const atomic_bool *stop;
} matching;

static bool is_stopped(const matching *m) { return atomic_load_explicit(m->stop, memory_order_relaxed); }

static uint32_t words_of(uint32_t n) { return (n + 63) / 64; }
static uint64_t *near_of(const matching *m, uint32_t u) { return m->near + (size_t)u * words_of(m->b.n); }

static inline double larger(double x, double y) { return x < y ? y : x; }
static inline double apart(double x, double y) { return x < y ? y - x : x - y; }

static inline double between(const side *a, uint32_t u, const side *b, uint32_t v) {
    return larger(apart(a->birth[u], b->birth[v]), apart(a->death[u], b->death[v]));
}

/* ---- a matching --------------------------------------------------------------------------------- */

/* The highest bit tells whether |x| is below a bound: it is the sign of the difference. */
static inline words below(lanes x, lanes bound) {
    const words size = (words){0} + UINT64_MAX / 2;
    return (words)((lanes)((words)x & size) - bound);
}

/* The points of b within reach of point u of a, as bits; no branch is taken for one. */
static void find_near(const matching *m, uint32_t u, uint64_t *bits) {
    const lanes birth = all_lanes(m->a.birth[u]), death = all_lanes(m->a.death[u]),
                bound = all_lanes(nextafter(m->most, INFINITY));
    const lanes *births = (const lanes *)m->b.birth, *deaths = (const lanes *)m->b.death;
    for (uint32_t w = 0; w < words_of(m->b.n); w++, births += WORD / LANES, deaths += WORD / LANES) {
        words found = {0}; /* from the last: bits of even points, and of odd ones */
        for (uint32_t k = WORD / LANES; k-- > 0;)
            found =
                found << LANES | (below(births[k] - birth, bound) & below(deaths[k] - death, bound)) >> 63;
        bits[w] = found[0] | found[1] << 1;
    }
}

static void open_all(matching *m) {
    for (uint32_t w = 0; w < words_of(m->b.n); w++) m->open[w] = UINT64_MAX;
}

/* Appends the holders of the open points near u to the queue, closes these points, and returns whether one
 * has no holder. */
static bool open_layer(matching *m, uint32_t u, uint32_t *tail) {
    const uint64_t *near = near_of(m, u);
    bool found = false;
    for (uint32_t w = 0; w < words_of(m->b.n); w++) {
        uint64_t bits = near[w] & m->open[w];
        m->open[w] &= ~bits;
        for (; bits; bits &= bits - 1) {
            uint32_t holder = m->left[64 * w + (uint32_t)__builtin_ctzll(bits)];
            if (holder == NONE) found = true;
            else m->depth[holder] = m->depth[u] + 1, m->queue[(*tail)++] = holder;
        }
    }
    return found;
}

/* Layers from those without a partner; whether a point of b that is nobody's partner is in one. */
static bool find_layers(matching *m) {
    uint32_t head = 0, tail = 0;
    bool found = false;
    for (uint32_t u = 0; u < m->count; u++) {
        m->depth[u] = m->right[u] == NONE ? 0 : NONE;
        if (m->right[u] == NONE) m->queue[tail++] = u;
    }
    open_all(m);
    while (head < tail && !is_stopped(m)) found |= open_layer(m, m->queue[head++], &tail);
    return found;
}

/* The first open point near u from m->next[u] on; NONE: there is none. */
static uint32_t next_near(const matching *m, uint32_t u) {
    const uint64_t *near = near_of(m, u);
    uint64_t mask = UINT64_MAX << m->next[u] % 64;
    for (uint32_t w = m->next[u] / 64; w < words_of(m->b.n); w++, mask = UINT64_MAX) {
        uint64_t bits = near[w] & m->open[w] & mask;
        if (bits) return 64 * w + (uint32_t)__builtin_ctzll(bits);
    }
    return NONE;
}

/* Goes down the layers from one without a partner, and changes partners along the path. A point of b is on
 * one path at most. */
static bool augment(matching *m, uint32_t from) {
    uint32_t *path = m->queue, length = 1;
    path[0] = from;
    while (length && !is_stopped(m)) {
        uint32_t u = path[length - 1], v = next_near(m, u);
        if (v == NONE) {
            length--;
            continue;
        }
        uint32_t holder = m->left[v];
        m->next[u] = v + 1;
        if (holder != NONE && m->depth[holder] != m->depth[u] + 1) continue;
        m->open[v / 64] &= ~((uint64_t)1 << v % 64);
        m->taken[u] = v;
        if (holder == NONE) break;
        path[length++] = holder;
    }
    for (uint32_t k = length; k-- > 0;) {
        m->right[path[k]] = m->taken[path[k]];
        m->left[m->taken[path[k]]] = path[k];
    }
    return length > 0;
}

/* Whether all points of a that need a partner can have one. */
static bool has_partners(matching *m) {
    uint32_t matched = 0;
    m->count = 0;
    for (uint32_t u = 0; u < m->a.n; u++)
        if (m->a.diagonal[u] > m->most) m->far[m->count++] = u;
    if (m->count > m->b.n) return false;
    for (uint32_t u = 0; u < m->count && !is_stopped(m); u++) find_near(m, m->far[u], near_of(m, u));
    for (uint32_t u = 0; u < m->count; u++) m->right[u] = NONE;
    for (uint32_t v = 0; v < m->b.n; v++) m->left[v] = NONE;
    while (matched < m->count && !is_stopped(m) && find_layers(m)) {
        memset(m->next, 0, m->count * sizeof *m->next);
        open_all(m);
        for (uint32_t u = 0; u < m->count; u++)
            if (m->right[u] == NONE) matched += augment(m, u);
    }
    return matched == m->count;
}

static bool suffices(matching *m, double most) {
    matching other = *m;
    m->most = other.most = most;
    other.a = m->b;
    other.b = m->a;
    return has_partners(m) && has_partners(&other);
}

/* ---- distances ---------------------------------------------------------------------------------- */

/* The larger and the smaller of two, and the distance, lane by lane. */
static inline lanes chosen(flags first, lanes x, lanes y) {
    return (lanes)(((flags)x & first) | ((flags)y & ~first));
}
static inline lanes lesser(lanes x, lanes y) { return chosen(x < y, x, y); }
static inline lanes size_of(lanes x) { return chosen(x < 0, -x, x); }

/* What a point has to move at least: to the diagonal, or to the nearest point of the other diagram. */
static double least_move(const side *of, uint32_t u, const side *others) {
    const lanes birth = all_lanes(of->birth[u]), death = all_lanes(of->death[u]);
    const lanes *births = (const lanes *)others->birth, *deaths = (const lanes *)others->death;
    lanes least = all_lanes(of->diagonal[u]);
    for (uint32_t k = 0; k < (others->n + LANES - 1) / LANES; k++) {
        lanes x = size_of(births[k] - birth), y = size_of(deaths[k] - death);
        least = lesser(chosen(x < y, y, x), least);
    }
    double all = least[0];
    for (int k = 1; k < LANES; k++) all = least[k] < all ? least[k] : all;
    return all;
}

/* All distances that may be the answer: from *least, which is most often the answer, to below *most, which
 * suffices, as no point needs to move farther than to the diagonal. */
static glshape_status list_costs(error *err, const matching *m, double **out, size_t *count, double *least,
                                 double *most) {
    const side *a = &m->a, *b = &m->b;
    size_t used = 0, all = times(a->n, b->n) + a->n + b->n + 1;
    TRY(allocate(err, out, all, sizeof **out, "the distances of two diagrams"));
    (*out)[used++] = *most = *least = 0;
    for (uint32_t u = 0; u < a->n; u++) (*out)[used++] = a->diagonal[u];
    for (uint32_t v = 0; v < b->n; v++) (*out)[used++] = b->diagonal[v];
    for (size_t k = 0; k < used; k++) *most = larger(*most, (*out)[k]);
    for (uint32_t u = 0; u < a->n && !is_stopped(m); u++) *least = larger(*least, least_move(a, u, b));
    for (uint32_t v = 0; v < b->n && !is_stopped(m); v++) *least = larger(*least, least_move(b, v, a));
    for (uint32_t u = 0; u < a->n; u++)
        for (uint32_t v = 0; v < b->n; v++) {
            double far = between(a, u, b, v);
            (*out)[used] = far; /* a place that the next one takes if this is none of them */
            used += (far < *most) & (far > *least);
        }
    *count = used;
    return GLSHAPE_OK;
}

/* Keeps those of the distances that are less than one that suffices, or greater than one that does not. */
static size_t keep(double *costs, size_t count, double than, bool less) {
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        double cost = costs[k];
        costs[kept] = cost;
        kept += less ? cost < than : cost > than;
    }
    return kept;
}

/* ---- two diagrams ------------------------------------------------------------------------------- */

static size_t padded(size_t n) { return times((n + WORD - 1) / WORD, WORD); }

/* Fills three times padded(n) numbers at `to`, and returns what is behind them. */
static double *make_side(const double *pairs, size_t n, double *to, side *out) {
    double *birth = to, *death = birth + padded(n), *diagonal = death + padded(n);
    for (size_t k = 0; k < padded(n); k++) {
        birth[k] = k < n ? pairs[2 * k] : INFINITY;
        death[k] = k < n ? pairs[2 * k + 1] : INFINITY;
        diagonal[k] = fabs(death[k] / 2 - birth[k] / 2);
    }
    *out = (side){birth, death, diagonal, (uint32_t)n};
    return diagonal + padded(n);
}

/* Room for matchings either way. */
static glshape_status make_room(error *err, matching *m, void **out) {
    size_t room = (m->a.n > m->b.n ? m->a.n : m->b.n) + (size_t)1, row = words_of((uint32_t)room);
    size_t bits = times(times(room + 1, row), sizeof(uint64_t)), numbers = times(room, 7 * sizeof(uint32_t));
    TRY(allocate(err, (char **)out, bits + numbers, 1, "a matching"));
    m->near = *out;
    m->open = m->near + room * row;
    m->far = (uint32_t *)(m->open + row);
    m->right = m->far + room;
    m->left = m->far + 2 * room;
    m->depth = m->far + 3 * room;
    m->queue = m->far + 4 * room;
    m->next = m->far + 5 * room;
    m->taken = m->far + 6 * room;
    return GLSHAPE_OK;
}

glshape_status bottleneck(error *err, const diagrams *d, uint32_t i, uint32_t j, const atomic_bool *stop,
                          double *out) {
    OWNED double *costs = NULL, *points = NULL;
    OWNED void *memory = NULL;
    matching m = {.stop = stop};
    size_t na = d->first[i + 1] - d->first[i], nb = d->first[j + 1] - d->first[j], count;
    uint32_t turn = 1;
    double least;
    TRY(allocate(err, &points, padded(na) + padded(nb), 3 * sizeof *points, "the points of two diagrams"));
    make_side(d->pairs + 2 * d->first[j], nb, make_side(d->pairs + 2 * d->first[i], na, points, &m.a), &m.b);
    TRY(list_costs(err, &m, &costs, &count, &least, out));
    TRY(make_room(err, &m, &memory));
    if (suffices(&m, least)) {
        *out = least;
        return GLSHAPE_OK;
    }
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
