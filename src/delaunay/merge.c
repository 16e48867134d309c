/* Divide and conquer by threads. A leaf of the order has one edge or none. At each level the blocks of the
 * level below are merged in twos, side by side: first the common tangent below both is found, then both are
 * joined upwards from it. It does what passes do not: coordinates that they do not hold, few points, and
 * sites whose stars they leave open. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "delaunay/mesh.h"
#include "exact/predicates.h"

#define NONE UINT32_MAX
#define STEPS_A_TICK (1u << 14)
#define PART 4096u /* points that one thread merges, from leaves to one block */

/* What threads share. */
typedef struct merging {
    run *run;
    threads_team *team;
    delaunay_rings *r;
    double done; /* how much of all levels: 0 to 1 */
    atomic_bool stop;
    glshape_status status; /* the calling thread's */
    atomic_ullong tests, in_integers;
} merging;

/* What a thread works with. */
typedef struct merger {
    merging *w;
    delaunay_edge *edge;
    const uint32_t *row;
    uint32_t *hull, first_free, last_free;
    exact_predicates points;
    bool tells; /* it is the calling thread: it tells the progress */
} merger;

/* ---- rings ------------------------------------------------------------------------------------- */

static inline uint32_t target(const merger *m, uint32_t e) { return m->edge[e ^ 1].origin; }

static inline void link_between(delaunay_edge *edge, uint32_t x, uint32_t e, uint32_t y) {
    edge[x].next = e;
    edge[e].prev = x;
    edge[e].next = y;
    edge[y].prev = e;
}

static uint32_t new_edge(merger *m, uint32_t from, uint32_t to) {
    uint32_t e = 2 * m->first_free;
    m->first_free = m->edge[e].next;
    link_between(m->edge, e, e, e);
    link_between(m->edge, e + 1, e + 1, e + 1);
    m->edge[e].origin = from;
    m->edge[e + 1].origin = to;
    m->edge[e].left = m->edge[e + 1].left = NONE;
    return e;
}

static void release_pair(merger *m, uint32_t pair) {
    m->edge[2 * pair].origin = m->edge[2 * pair + 1].origin = NONE;
    m->edge[2 * pair].next = m->first_free;
    if (m->first_free == NONE) m->last_free = pair;
    m->first_free = pair;
}

static void delete_edge(merger *m, uint32_t edge) {
    for (uint32_t e = edge, i = 0; i < 2; i++, e ^= 1) {
        uint32_t x = m->edge[e].prev, y = m->edge[e].next;
        m->edge[x].next = y;
        m->edge[y].prev = x;
    }
    release_pair(m, edge / 2);
}

/* ---- one merger -------------------------------------------------------------------------------- */

static uint32_t least_row(const merger *m, uint32_t a, uint32_t b) { return m->row[a] < m->row[b] ? a : b; }

/* Returns true if d, not a, makes the next triangle with the base l, r: d is inside the circle through a, l
 * and r. If all four are on one circle, that of smallest row is joined to the others; fan is l or r. */
static bool replaces(merger *m, uint32_t a, uint32_t l, uint32_t r, uint32_t d, uint32_t fan) {
    int s = exact_in_circle(&m->points, a, l, r, d);
    if (s) return s > 0;
    uint32_t least = least_row(m, least_row(m, a, d), least_row(m, l, r));
    return least == d || least == fan;
}

/* Returns the common tangent below two blocks, as the edge from the right one to the left one. It searches
 * from a, of the left block's hull, clockwise, and b, of the right one's, counter-clockwise, which is NONE if
 * that block is the point `right`. */
static uint32_t find_tangent(merger *m, uint32_t a, uint32_t b, uint32_t right) {
    const delaunay_edge *edge = m->edge;
    for (;;) {
        uint32_t l = edge[a].origin, r = b == NONE ? right : edge[b].origin;
        if (exact_orient2d(&m->points, r, l, target(m, a)) > 0) a = edge[a ^ 1].prev;
        else if (b != NONE && exact_orient2d(&m->points, l, target(m, b), r) > 0) b = edge[b ^ 1].next;
        else break;
    }
    uint32_t l = edge[a].origin, e = new_edge(m, b == NONE ? right : edge[b].origin, l);
    if (b != NONE) link_between(m->edge, edge[b].prev, e, b);
    link_between(m->edge, a, e + 1, edge[a].next);
    m->hull[l] = e + 1;
    return e;
}

/* Returns the candidate on one side of the base from r to l; NONE if its end is not above the base. First
 * deletes each candidate whose circle with the base holds the end of the edge behind it. */
static uint32_t find_candidate(merger *m, uint32_t base, uint32_t l, uint32_t r, bool left) {
    const delaunay_edge *edge = m->edge;
    uint32_t begin = left ? base ^ 1 : base, e = left ? edge[begin].next : edge[begin].prev, a = target(m, e);
    if (e == begin || exact_orient2d(&m->points, a, l, r) <= 0) return NONE;
    for (;;) {
        uint32_t next = left ? edge[e].next : edge[e].prev, d = target(m, next);
        if (next == begin || exact_orient2d(&m->points, d, l, r) <= 0 ||
            !replaces(m, a, l, r, d, left ? r : l))
            return e;
        delete_edge(m, e);
        e = next;
        a = d;
    }
}

/* Goes on, or stops because another thread, or the user, says so. */
static bool goes_on(merger *m) {
    merging *w = m->w;
    if (m->tells && (w->status = run_tick(w->run, w->done))) atomic_store(&w->stop, true);
    return !atomic_load_explicit(&w->stop, memory_order_relaxed);
}

static bool zip(merger *m, uint32_t base) {
    uint32_t r = m->edge[base].origin, l = target(m, base);
    for (uint32_t step = 1;; step++) {
        if (step % STEPS_A_TICK == 0 && !goes_on(m)) return false;
        uint32_t a = find_candidate(m, base, l, r, true), b = find_candidate(m, base, l, r, false), e;
        if (a == NONE && b == NONE) break;
        if (a == NONE || (b != NONE && replaces(m, target(m, a), l, r, target(m, b), l))) {
            e = new_edge(m, r = target(m, b), l);
            link_between(m->edge, m->edge[b ^ 1].prev, e, b ^ 1);
            link_between(m->edge, base ^ 1, e + 1, m->edge[base ^ 1].next);
        } else {
            e = new_edge(m, r, l = target(m, a));
            link_between(m->edge, m->edge[base].prev, e, base);
            link_between(m->edge, a ^ 1, e + 1, m->edge[a ^ 1].next);
        }
        base = e;
    }
    m->hull[r] = base;
    return true;
}

/* Joins the unused pairs of two blocks. */
static void join_free(merger *m, const uint32_t *left, const uint32_t *right) {
    m->first_free = left[0] == NONE ? right[0] : left[0];
    m->last_free = right[0] == NONE ? left[1] : right[1];
    if (left[0] != NONE && right[0] != NONE) m->edge[2 * left[1]].next = right[0];
}

/* Merges the blocks that meet at place `middle`. */
static bool merge_blocks(merger *m, uint32_t half, uint32_t middle) {
    const delaunay_rings *r = m->w->r;
    uint32_t *left = r->unused[(middle - half) / 2], *right = r->unused[middle / 2];
    uint32_t end = r->order->ends[middle], first = r->order->ends[middle + 1];
    join_free(m, left, right);
    uint32_t base = find_tangent(m, m->edge[m->hull[end]].prev, m->hull[first], first);
    if (!zip(m, base)) return false;
    left[0] = m->first_free;
    left[1] = m->last_free;
    return true;
}

/* ---- all mergers ------------------------------------------------------------------------------- */

static merger merger_new(merging *w, int thread) {
    delaunay_rings *r = w->r;
    merger m = {.w = w, .edge = r->edge, .row = r->order->row, .hull = r->hull, .tells = thread == 0};
    exact_predicates_begin(&m.points, r->order->xy, r->shift);
    return m;
}

static void merger_end(merger *m) {
    atomic_fetch_add(&m->w->tests, m->points.tests);
    atomic_fetch_add(&m->w->in_integers, m->points.in_integers);
    exact_predicates_end(&m->points);
}

/* Makes the leaf that begins at place `start`. */
static void make_leaf(merger *m, uint32_t start) {
    delaunay_rings *r = m->w->r;
    uint32_t count = start + 1 < r->order->n ? 2 : 1;
    m->first_free = NONE;
    for (uint32_t pair = 3 * (start + count); pair-- > 3 * start;) release_pair(m, pair);
    m->hull[start] = count == 2 ? new_edge(m, start, start + 1) : NONE;
    if (count == 2) m->hull[start + 1] = m->hull[start] + 1;
    r->unused[start / 2][0] = m->first_free;
    r->unused[start / 2][1] = m->last_free;
}

/* Makes the leaves of a part and merges them to one block. */
static bool merge_part(void *user, uint64_t part, int thread) {
    merging *w = user;
    OWNED_BY(merger_end) merger m = merger_new(w, thread);
    uint32_t n = w->r->order->n, start = (uint32_t)part * PART, end = n - start < PART ? n : start + PART;
    for (uint32_t at = start; at < end; at += 2) make_leaf(&m, at);
    for (uint32_t half = 2; half < PART; half *= 2)
        for (uint32_t middle = start + half; middle < end; middle += 2 * half)
            if (!merge_blocks(&m, half, middle)) return false;
    return goes_on(&m);
}

static bool merge_pair(void *user, uint64_t pair, int thread) {
    merging *w = user;
    OWNED_BY(merger_end) merger m = merger_new(w, thread);
    uint32_t half = w->r->half, middle = half + (uint32_t)pair * 2 * half;
    return merge_blocks(&m, half, middle) && goes_on(&m);
}

static glshape_status merge_levels(merging *w) {
    delaunay_rings *r = w->r;
    uint32_t n = r->order->n;
    for (; r->half < n; r->half *= 2) {
        w->done = log2(r->half) / log2(n);
        threads_team_share(w->team, (n - 1 - r->half) / (2 * r->half) + 1, merge_pair, w);
        TRY(w->status);
        TRY(run_tick(w->run, w->done));
    }
    r->outer = r->hull[delaunay_order_least(r->order)] ^ 1;
    return GLSHAPE_OK;
}

glshape_status delaunay_merge(run *run, threads_team *team, delaunay_rings *r, delaunay_cost *cost) {
    merging w = {.run = run, .team = team, .r = r};
    uint32_t n = r->order->n;
    TRY(allocate(run_error(run), &r->edge, 6 * (size_t)n, sizeof *r->edge, "edges around points"));
    TRY(allocate(run_error(run), &r->hull, n, sizeof *r->hull, "edges of hulls"));
    TRY(allocate(run_error(run), &r->unused, n / 2 + 1, sizeof *r->unused, "unused edges"));
    threads_team_share(team, (n - 1) / PART + 1, merge_part, &w);
    TRY(w.status);
    r->half = PART;
    TRY(merge_levels(&w));
    cost->tests += w.tests;
    cost->big += w.in_integers;
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

void delaunay_rings_free(delaunay_rings *r) {
    free(r->edge);
    free(r->hull);
    free(r->unused);
    *r = (delaunay_rings){0};
}
