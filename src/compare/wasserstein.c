/* The Wasserstein distance of two diagrams. Each point is matched with one of the other diagram, or goes to
 * the diagonal, and the costs are the least in sum.
 *
 * Exactly: points of the smaller diagram, one after another, find the shortest augmenting path (Jonker,
 * Volgenant, 1987): to a point of the other diagram that is free, or to a point of their own diagram that
 * goes to the diagonal. Points of the other diagram that stay free pay for their way to the diagonal, so that
 * being matched is worth that much.
 *
 * To a tolerance, where there are many points: an auction (Bertsekas, 1979; for diagrams Kerber, Morozov,
 * Nigmetov, 2017). Each diagram has the other one's places on the diagonal, too, so that everybody is
 * matched. Points of a bid for those of b; prices rise by at least ε; prices of a round are where the next
 * one begins, with a smaller ε. Prices also say what no matching costs less than: so the gap is known. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "compare/compare.h"

#define NONE UINT32_MAX
enum { MOST_COSTS = 1 << 24 };    /* kept, 128 MB; of more they are found again and again */
enum { AUCTION_LEAST = 1000000 }; /* costs: of fewer the exact answer takes no longer */

typedef struct assignment {
    const double *a, *b; /* pairs */
    uint32_t na, nb;     /* na ≤ nb */
    const norms *n;
    double scale;           /* distances are in units of it: powers do not overflow */
    double *costs;          /* na × nb, or NULL */
    double *to_a, *to_b;    /* costs of the way to the diagonal */
    double *rows, *columns; /* duals of a, of b: no cost is below the sum of the two */
    double *reach;          /* of each b: the length of a path to it */
    uint32_t *of_a, *of_b;  /* whom it is matched with, or NONE */
    uint32_t *before;       /* of each b: the a before it on the path */
    uint32_t *seen;         /* the b's whose path is known, `count` of them … */
    uint32_t *left;         /* … and those that are left */
    uint32_t count, left_count;
    const atomic_bool *stop;
} assignment;

static bool is_stopped(const assignment *m) { return atomic_load_explicit(m->stop, memory_order_relaxed); }

static void assignment_free(assignment *m) {
    free(m->costs);
    free(m->to_a);
    free(m->of_a);
}

/* ---- costs -------------------------------------------------------------------------------------- */

static double norm_of(double p, double x, double y) {
    if (isinf(p)) return fmax(x, y);
    if (p == 1) return x + y;
    if (p == 2) return hypot(x, y);
    double most = fmax(x, y), least = fmin(x, y);
    return most > 0 ? most * pow(1 + pow(least / most, p), 1 / p) : 0;
}

static double power_of(double order, double x) { return order == 1 ? x : order == 2 ? x * x : pow(x, order); }

/* In the scale. */
static double between(const assignment *m, const double *p, const double *q) {
    return norm_of(m->n->internal, fabs(p[0] / m->scale - q[0] / m->scale),
                   fabs(p[1] / m->scale - q[1] / m->scale));
}

static double to_diagonal(const assignment *m, const double *p) {
    double half = fabs(p[1] / m->scale / 2 - p[0] / m->scale / 2);
    return norm_of(m->n->internal, half, half);
}

static double make_cost(const assignment *m, uint32_t u, uint32_t v) {
    return power_of(m->n->order, between(m, m->a + 2 * u, m->b + 2 * v));
}

static double cost(const assignment *m, uint32_t u, uint32_t v) {
    return m->costs ? m->costs[(size_t)u * m->nb + v] : make_cost(m, u, v);
}

/* The greatest lifetime: no point is farther from the diagonal, in any norm. */
static void set_scale(assignment *m) {
    m->scale = 0;
    for (size_t k = 0; k < m->na; k++) m->scale = fmax(m->scale, fabs(m->a[2 * k + 1] / 2 - m->a[2 * k] / 2));
    for (size_t k = 0; k < m->nb; k++) m->scale = fmax(m->scale, fabs(m->b[2 * k + 1] / 2 - m->b[2 * k] / 2));
    m->scale = m->scale > 0 ? fmin(2 * m->scale, 0x1.8p1023) : 1;
}

/* ---- paths -------------------------------------------------------------------------------------- */

/* Looks from u, at the end of a path, at all b's that are left. Returns the place in the list of the one that
 * is nearest now. */
static uint32_t look(assignment *m, uint32_t u, double length) {
    uint32_t best = NONE;
    double least = INFINITY, from = length - m->rows[u];
    for (uint32_t k = 0; k < m->left_count; k++) {
        uint32_t v = m->left[k];
        double reach = from + (cost(m, u, v) - m->to_b[v]) - m->columns[v];
        if (reach < m->reach[v]) m->reach[v] = reach, m->before[v] = u;
        if (m->reach[v] < least || best == NONE) least = m->reach[v], best = k;
    }
    return best;
}

/* Every a on the path to v takes the b after it. */
static void augment(assignment *m, uint32_t v, uint32_t start) {
    while (v != NONE) {
        uint32_t u = m->before[v], next = m->of_a[u];
        m->of_b[v] = u;
        m->of_a[u] = v;
        v = u == start ? NONE : next;
    }
}

static void change_duals(assignment *m, uint32_t start, double length) {
    for (uint32_t k = 0; k < m->count; k++) {
        uint32_t v = m->seen[k];
        m->columns[v] -= length - m->reach[v];
        m->rows[m->of_b[v]] += length - m->reach[v];
    }
    m->rows[start] += length;
}

/* Matches start, or has it or another one go to the diagonal. */
static void insert(assignment *m, uint32_t start) {
    uint32_t u = start, ends = NONE, k;
    double length = 0, shortest = INFINITY; /* of a path that ends with an a on the diagonal: `ends` */
    m->count = 0;
    m->left_count = m->nb;
    for (uint32_t v = 0; v < m->nb; v++) m->reach[v] = INFINITY, m->left[v] = v;
    for (;;) {
        double out = length + m->to_a[u] - m->rows[u];
        if (out < shortest) shortest = out, ends = u;
        k = look(m, u, length);
        if (k == NONE || m->reach[m->left[k]] >= shortest) break;
        uint32_t v = m->left[k];
        length = m->reach[v];
        if (m->of_b[v] == NONE) {
            change_duals(m, start, length);
            augment(m, v, start);
            return;
        }
        m->seen[m->count++] = v;
        m->left[k] = m->left[--m->left_count];
        u = m->of_b[v];
    }
    change_duals(m, start, shortest);
    uint32_t v = m->of_a[ends];
    m->of_a[ends] = NONE;
    if (ends != start) augment(m, v, start);
}

/* ---- an auction ---------------------------------------------------------------------------------- */

/* Items are the points of b, then the places of a's points on the diagonal. Bidders are the points of a, each
 * for those of b and its own place, then the places of b's points, each for its own point and all places of
 * a's, which cost nothing. */
typedef struct auction {
    const assignment *m;
    double *price;
    uint32_t *owner, *item; /* of an item; of a bidder; NONE */
    uint32_t *waiting;      /* bidders without an item */
    double step;            /* ε */
} auction;

static void auction_free(auction *t) {
    free(t->price);
    free(t->owner);
}

/* The best item for a bidder, and what it and the next best cost with their prices. */
typedef struct offer {
    uint32_t item;
    double least, next;
} offer;

static void consider(offer *o, uint32_t item, double all) {
    if (all < o->least) *o = (offer){item, all, o->least};
    else if (all < o->next) o->next = all;
}

static offer find_offer(const auction *t, uint32_t bidder) {
    const assignment *m = t->m;
    offer o = {NONE, INFINITY, INFINITY};
    if (bidder < m->na) {
        for (uint32_t v = 0; v < m->nb; v++) consider(&o, v, cost(m, bidder, v) + t->price[v]);
        consider(&o, m->nb + bidder, m->to_a[bidder] + t->price[m->nb + bidder]);
        return o;
    }
    for (uint32_t u = 0; u < m->na; u++) consider(&o, m->nb + u, t->price[m->nb + u]);
    consider(&o, bidder - m->na, m->to_b[bidder - m->na] + t->price[bidder - m->na]);
    return o;
}

static double cost_of(const auction *t, uint32_t bidder) {
    const assignment *m = t->m;
    uint32_t item = t->item[bidder];
    if (bidder < m->na) return item < m->nb ? cost(m, bidder, item) : m->to_a[bidder];
    return item < m->nb ? m->to_b[item] : 0;
}

/* Everybody bids until all have an item. Returns what these cost. */
static double hold(auction *t) {
    uint32_t all = t->m->na + t->m->nb, count = all;
    double sum = 0;
    for (uint32_t k = 0; k < all; k++) t->owner[k] = t->item[k] = NONE, t->waiting[k] = k;
    while (count && !is_stopped(t->m)) {
        uint32_t bidder = t->waiting[--count];
        offer o = find_offer(t, bidder);
        uint32_t before = t->owner[o.item];
        t->price[o.item] += o.next - o.least + t->step;
        t->owner[o.item] = bidder;
        t->item[bidder] = o.item;
        if (before != NONE) t->item[before] = NONE, t->waiting[count++] = before;
    }
    for (uint32_t k = 0; k < all && !count; k++) sum += cost_of(t, k);
    return sum;
}

/* What no matching costs less than: what all would like best, less what the prices give.
 */
static double bound(const auction *t) {
    const assignment *m = t->m;
    double sum = 0, place = INFINITY;
    for (uint32_t u = 0; u < m->na; u++) place = fmin(place, t->price[m->nb + u]);
    for (uint32_t u = 0; u < m->na && !is_stopped(m); u++)
        sum += find_offer(t, u).least - t->price[m->nb + u];
    for (uint32_t v = 0; v < m->nb; v++) sum += fmin(place, m->to_b[v] + t->price[v]) - t->price[v];
    return sum;
}

/* Sets *sum to a cost that exceeds the least one by no more than the tolerance, and *gap to what is known of
 * that. If rounding lets it find none, *gap is infinite. */
static glshape_status hold_auctions(error *err, const assignment *m, double *sum, double *gap) {
    OWNED_BY(auction_free) auction t = {.m = m};
    size_t all = (size_t)m->na + m->nb;
    double most = 0, least = 0;
    TRY(allocate(err, &t.price, all, sizeof *t.price, "an auction"));
    TRY(allocate(err, &t.owner, all, 3 * sizeof *t.owner, "an auction"));
    t.item = t.owner + all;
    t.waiting = t.item + all;
    for (uint32_t u = 0; u < m->na; u++) most = fmax(most, m->to_a[u]);
    for (uint32_t v = 0; v < m->nb; v++) most = fmax(most, m->to_b[v]);
    *sum = *gap = INFINITY;
    for (t.step = most / 4; t.step > most * 1e-11 && *gap > m->n->tolerance && !is_stopped(m); t.step /= 5) {
        *sum = fmin(*sum, hold(&t));
        least = fmax(least, bound(&t));
        *gap = *sum > least ? pow(*sum / least, 1 / m->n->order) - 1 : 0;
    }
    if (!(*gap <= m->n->tolerance)) *gap = INFINITY;
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status make_room(error *err, assignment *m) {
    size_t na = m->na, nb = m->nb;
    TRY(allocate(err, &m->to_a, 2 * na + 3 * nb, sizeof(double), "a matching"));
    TRY(allocate(err, &m->of_a, na + 4 * nb, sizeof(uint32_t), "a matching"));
    if (times(na, nb) <= MOST_COSTS) TRY(allocate(err, &m->costs, na * nb, sizeof(double), "a matching"));
    m->rows = m->to_a + na;
    m->to_b = m->rows + na;
    m->columns = m->to_b + nb;
    m->reach = m->columns + nb;
    m->of_b = m->of_a + na;
    m->before = m->of_b + nb;
    m->seen = m->before + nb;
    m->left = m->seen + nb;
    return GLSHAPE_OK;
}

static void make_costs(assignment *m) {
    for (uint32_t u = 0; u < m->na; u++) {
        m->of_a[u] = NONE;
        m->to_a[u] = power_of(m->n->order, to_diagonal(m, m->a + 2 * u));
    }
    for (uint32_t v = 0; v < m->nb; v++) {
        m->of_b[v] = NONE;
        m->to_b[v] = power_of(m->n->order, to_diagonal(m, m->b + 2 * v));
    }
    for (size_t k = 0; m->costs && k < (size_t)m->na * m->nb; k++)
        m->costs[k] = make_cost(m, (uint32_t)(k / m->nb), (uint32_t)(k % m->nb));
}

static double sum_costs(const assignment *m) {
    double sum = 0;
    for (uint32_t u = 0; u < m->na; u++) sum += m->of_a[u] == NONE ? m->to_a[u] : cost(m, u, m->of_a[u]);
    for (uint32_t v = 0; v < m->nb; v++)
        if (m->of_b[v] == NONE) sum += m->to_b[v];
    return sum;
}

glshape_status wasserstein(error *err, const diagrams *d, uint32_t i, uint32_t j, const norms *n,
                           const atomic_bool *stop, double *out, double *gap) {
    size_t ni = d->first[i + 1] - d->first[i], nj = d->first[j + 1] - d->first[j];
    if (ni > nj) return wasserstein(err, d, j, i, n, stop, out, gap);
    OWNED_BY(assignment_free)
    assignment m = {.a = d->pairs + 2 * d->first[i],
                    .b = d->pairs + 2 * d->first[j],
                    .na = (uint32_t)ni,
                    .nb = (uint32_t)nj,
                    .n = n,
                    .stop = stop};
    double sum = 0;
    *gap = INFINITY;
    set_scale(&m);
    TRY(make_room(err, &m));
    make_costs(&m);
    if (n->tolerance > 0 && times(ni, nj) >= AUCTION_LEAST) TRY(hold_auctions(err, &m, &sum, gap));
    if (isinf(*gap)) {
        for (uint32_t u = 0; u < m.na && !is_stopped(&m); u++) insert(&m, u);
        sum = sum_costs(&m);
        *gap = 0;
    }
    *out = m.scale * pow(sum, 1 / n->order);
    return GLSHAPE_OK;
}

double wasserstein_join(const norms *n, double ending, double endless) {
    double most = fmax(ending, endless), least = fmin(ending, endless);
    if (!(most > 0) || isinf(most)) return most;
    return n->order == 1 ? ending + endless : most * pow(1 + pow(least / most, n->order), 1 / n->order);
}
