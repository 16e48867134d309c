#include "rips/collapse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/random.h"
#include "base/threads.h"
#include "rips/domination.h"

#define ASKED (1u << 12)   /* edges after which the caller is asked whether to go on */
#define EDGES_AN_ITEM 8u   /* that a thread takes at a time */
#define POINTS_AN_EDGE 8u  /* of a block: the more edges, the more of them matter to each other */
#define LONG_BLOCK 256u    /* edges: the last ones are compared with all changed ones before them */
#define SAMPLE 64u         /* edges, at most */
#define SURE 16u           /* so far from the border the sample ends */
#define SAMPLE_TRIES 4096u /* pairs that are looked at for them */
#define GOING 3u           /* it pays if one of so many edges goes */

typedef struct collapse {
    rips_space *s;
    radix_item *edges;
    size_t count, first, end; /* of all edges; the block */
    domination_rows rows;     /* of a matrix */
    size_t level, behind;     /* edges before these are not in rows.most; not in rows.least */
    threads_team *team;       /* NULL: there is one worker */
    domination *workers;      /* one a thread */
    int worker_count;
    domination_verdict *verdicts; /* of the block */
    size_t *changed;              /* edges of the block whose values have changed */
    size_t changed_count;
    size_t
        *touched; /* of each point: one more than the first edge of the last block that changed it; 0: none */
    rips_collapsed *result;
} collapse;

/* ---- edges ------------------------------------------------------------------------------------- */

/* An edge is a radix_item, a > b, whose key is least for the greatest value. */
static uint64_t key_of(float value) {
    uint32_t bits;
    value += 0.0f; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return (uint64_t)(UINT32_MAX - bits) << 32;
}

static float value_of(const radix_item *edge) {
    uint32_t bits = UINT32_MAX - (uint32_t)(edge->at >> 32);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_edge(const rips_space *s, float value) { return value <= s->threshold && value < INFINITY; }

/* Fills out, if it is not NULL, with the edges. Returns how many there are. */
static size_t list_edges(const rips_space *s, radix_item *out) {
    const rips_graph *g = &s->graph;
    size_t count = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        size_t first = s->distance ? 0 : g->start[i], end = s->distance ? i : g->start[i + 1];
        for (size_t k = first; k < end; k++) {
            uint32_t j = s->distance ? (uint32_t)k : g->point[k];
            float value = s->distance ? s->distance[(size_t)i * s->n + j] : g->distance[k];
            if (j >= i || !is_edge(s, value)) continue;
            if (out) out[count] = (radix_item){key_of(value), i, j};
            count++;
        }
    }
    return count;
}

/* The edges in order: the greatest value first, as Glisse and Pritam have it. Any order is right. */
static glshape_status sort_edges(error *err, collapse *c) {
    OWNED radix_item *spare = NULL;
    c->count = list_edges(c->s, NULL);
    TRY(allocate(err, &c->edges, c->count, sizeof *c->edges, "the edges"));
    TRY(allocate(err, &spare, c->count, sizeof *spare, "the edges"));
    list_edges(c->s, c->edges);
    radix_sort_upper(c->edges, spare, c->count);
    return GLSHAPE_OK;
}

/* One direction of an edge of the graph. */
static float *value_in_list(const rips_graph *g, uint32_t i, uint32_t j) {
    size_t low = g->start[i], high = g->start[i + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->point[middle] < j) low = middle + 1;
        else high = middle;
    }
    return &g->distance[low];
}

static void set_value(rips_space *s, uint32_t a, uint32_t b, float value) {
    if (s->distance) s->distance[(size_t)a * s->n + b] = s->distance[(size_t)b * s->n + a] = value;
    else *value_in_list(&s->graph, a, b) = *value_in_list(&s->graph, b, a) = value;
}

void rips_drop_edges(rips_space *s) {
    rips_graph *g = &s->graph;
    size_t to = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        size_t first = g->start[i];
        g->start[i] = to;
        for (size_t k = first; k < g->start[i + 1]; k++)
            if (is_edge(s, g->distance[k])) {
                g->point[to] = g->point[k];
                g->distance[to++] = g->distance[k];
            }
    }
    g->start[s->n] = to;
}

/* ---- bits -------------------------------------------------------------------------------------- */

static void clear_bits(const collapse *c, uint64_t *bits, const radix_item *e) {
    if (!bits) return;
    bits[e->a * c->rows.words + e->b / 64] &= ~(UINT64_C(1) << e->b % 64);
    bits[e->b * c->rows.words + e->a / 64] &= ~(UINT64_C(1) << e->a % 64);
}

static glshape_status make_rows(error *err, collapse *c) {
    domination_rows *r = &c->rows;
    size_t words = times(c->s->n, r->words = c->s->n / 64 + 1);
    TRY(allocate(err, &r->most, words, sizeof *r->most, "neighbors"));
    TRY(allocate(err, &r->left, words, sizeof *r->left, "neighbors"));
    if (c->team) TRY(allocate(err, &r->least, words, sizeof *r->least, "neighbors"));
    else r->least = r->most;
    for (size_t k = 0; k < c->count; k++) {
        uint32_t a = c->edges[k].a, b = c->edges[k].b;
        r->left[a * r->words + b / 64] |= UINT64_C(1) << b % 64;
        r->left[b * r->words + a / 64] |= UINT64_C(1) << a % 64;
    }
    memcpy(r->most, r->left, words * sizeof *r->most);
    if (c->team) memcpy(r->least, r->left, words * sizeof *r->least);
    return GLSHAPE_OK;
}

/* Leaves in the rows what they say of the block. An edge that has no new value is there at those of all later
 * edges of its own value. One worker's block is one edge, of which `most` has no other edges than `least`. */
static void move_rows(collapse *c) {
    for (; c->edges[c->level].at != c->edges[c->first].at; c->level++)
        clear_bits(c, c->rows.most, &c->edges[c->level]);
    if (!c->team) return;
    for (; c->behind < c->end; c->behind++) clear_bits(c, c->rows.least, &c->edges[c->behind]);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void look_at(collapse *c, int thread, size_t k) {
    const radix_item *e = &c->edges[k];
    domination_find(&c->workers[thread], e->a, e->b, value_of(e), &c->verdicts[k - c->first]);
}

static bool look_at_some(void *of, uint64_t item, int thread) {
    collapse *c = of;
    size_t first = c->first + item * EDGES_AN_ITEM, end = first + EDGES_AN_ITEM;
    for (size_t k = first; k < end && k < c->end; k++) look_at(c, thread, k);
    return true;
}

static bool is_touched(const collapse *c, uint32_t point) { return c->touched[point] == c->first + 1; }

/* Returns true if the point is an end of the edge, or a common neighbor of its ends at a value. */
static bool is_within(const collapse *c, const radix_item *e, uint32_t point, float value) {
    return point == e->a || point == e->b ||
           (rips_distance(c->s, e->a, point) <= value && rips_distance(c->s, e->b, point) <= value);
}

/* Returns true if edge j, which has changed since, may matter to whether e is dominated at a value. The
 * common neighbors at hand may be fewer than those that the verdict was about, but then by edges of an end of
 * e. */
static bool matters(const collapse *c, const radix_item *e, const radix_item *j, float value) {
    if (j->a == e->a || j->a == e->b || j->b == e->a || j->b == e->b) return true;
    return is_within(c, e, j->a, value) && is_within(c, e, j->b, value);
}

/* Returns true if a point that dominated e may not do so any more: an edge of it to an end of e, or to a
 * common neighbor, has changed. If that neighbor is none any more, it does not matter. */
static bool has_lost(const collapse *c, const radix_item *e, uint32_t w, float value) {
    if (!is_touched(c, w)) return false;
    for (size_t i = 0; i < c->changed_count; i++) {
        const radix_item *j = &c->edges[c->changed[i]];
        if (j->a == w && is_within(c, e, j->b, value)) return true;
        if (j->b == w && is_within(c, e, j->a, value)) return true;
    }
    return false;
}

/* Returns true if both ends of some changed edges may be common neighbors of the ends of e. */
static bool has_touched_neighbors(const collapse *c, const radix_item *e) {
    const uint64_t *x = c->rows.left + e->a * c->rows.words, *y = c->rows.left + e->b * c->rows.words;
    size_t count = 0;
    for (uint32_t i = 0; i < c->rows.words; i++)
        for (uint64_t both = x[i] & y[i]; both; both &= both - 1)
            if (is_touched(c, 64 * i + (uint32_t)__builtin_ctzll(both)) && ++count == 2) return true;
    return false;
}

/* Returns false if no edge has changed that matters to e, as far as bits or the list of one end show. */
static bool is_near_changes(const collapse *c, const radix_item *e) {
    const rips_graph *g = &c->s->graph;
    if (is_touched(c, e->a) || is_touched(c, e->b)) return true;
    if (c->s->distance) return has_touched_neighbors(c, e);
    for (size_t k = g->start[e->a]; k < g->start[e->a + 1]; k++)
        if (is_touched(c, g->point[k])) return true;
    return false;
}

/* Returns true if the verdict on edge k might be another one by now. That no point dominates it where it
 * appears may change by any edges between the points there. At its own value these are edges of the same
 * value: greater ones are not there. */
static bool is_stale(const collapse *c, size_t k) {
    const domination_verdict *v = &c->verdicts[k - c->first];
    const radix_item *e = &c->edges[k];
    if (v->steps > DOMINATION_STEPS) return c->changed_count > 0;
    for (int i = 0; i < v->steps; i++)
        if (has_lost(c, e, v->by[i], fminf(v->value, fminf(c->s->threshold, FLT_MAX)))) return true;
    if (v->value == INFINITY || !is_near_changes(c, e)) return false;
    for (size_t i = c->changed_count; i-- > 0;) {
        const radix_item *j = &c->edges[c->changed[i]];
        if (!v->steps && j->at != e->at) return false;
        if (matters(c, e, j, v->value)) return true;
    }
    return false;
}

static void give_value(collapse *c, size_t k, float value) {
    const radix_item *e = &c->edges[k];
    c->result->left += value < INFINITY;
    if (value == value_of(e)) return;
    set_value(c->s, e->a, e->b, value);
    clear_bits(c, c->rows.most, e);
    if (value == INFINITY) clear_bits(c, c->rows.left, e);
    c->changed[c->changed_count++] = k;
    c->touched[e->a] = c->touched[e->b] = c->first + 1;
}

static void end_block(collapse *c) {
    c->changed_count = 0;
    for (size_t k = c->first; k < c->end; k++) {
        if (is_stale(c, k)) {
            c->result->again++;
            look_at(c, 0, k);
        }
        give_value(c, k, c->verdicts[k - c->first].value);
    }
}

static void do_block(collapse *c) {
    if (c->rows.most) move_rows(c);
    size_t items = (c->end - c->first + EDGES_AN_ITEM - 1) / EDGES_AN_ITEM;
    if (c->team) threads_team_share(c->team, items, look_at_some, c);
    else look_at(c, 0, c->first);
    end_block(c);
}

/* ---- all --------------------------------------------------------------------------------------- */

static void collapse_free(collapse *c) {
    for (int k = 0; k < c->worker_count; k++) domination_free(&c->workers[k]);
    free(c->workers);
    threads_team_free(c->team);
    free(c->edges);
    if (c->rows.least != c->rows.most) free(c->rows.least);
    free(c->rows.most);
    free(c->rows.left);
    free(c->verdicts);
    free(c->changed);
    free(c->touched);
}

static glshape_status make_workers(error *err, collapse *c) {
    int count = c->team ? threads_team_size(c->team) : 1;
    TRY(allocate(err, &c->workers, (size_t)count, sizeof *c->workers, "the threads"));
    while (c->worker_count < count)
        TRY(domination_new(err, c->s, c->s->distance ? &c->rows : NULL, &c->workers[c->worker_count++]));
    return GLSHAPE_OK;
}

static size_t block_size(const collapse *c) {
    size_t size = c->s->n / POINTS_AN_EDGE;
    return !c->team ? 1 : size < LONG_BLOCK ? size : LONG_BLOCK;
}

/* Few points are left to one thread: there every edge of a block may matter to all others. */
static glshape_status begin(error *err, collapse *c, int threads, size_t *block) {
    TRY(sort_edges(err, c));
    threads = threads_count(rips_threads(c->s, threads));
    if (threads > 1) c->team = threads_team_new(threads);
    *block = block_size(c);
    if (c->s->distance) TRY(make_rows(err, c));
    TRY(make_workers(err, c));
    TRY(allocate(err, &c->verdicts, *block, sizeof *c->verdicts, "the edges"));
    TRY(allocate(err, &c->changed, *block, sizeof *c->changed, "the edges"));
    return allocate(err, &c->touched, c->s->n, sizeof *c->touched, "the points");
}

glshape_status rips_collapse(run *r, rips_space *s, int threads, rips_collapsed *out) {
    OWNED_BY(collapse_free) collapse c = {.s = s, .result = out};
    size_t block;
    TRY(begin(run_error(r), &c, threads, &block));
    *out = (rips_collapsed){.edges = c.count};
    for (; c.first < c.count; c.first = c.end) {
        c.end = c.count - c.first < block ? c.count : c.first + block;
        do_block(&c);
        if (c.first / ASKED != c.end / ASKED) TRY(run_tick(r, 0));
    }
    if (!s->distance) rips_drop_edges(s);
    return GLSHAPE_OK;
}

/* ---- whether it pays ---------------------------------------------------------------------------- */

/* Sets *edge to one that is drawn. False: the pair that was drawn is no edge. */
static bool draw_edge(const rips_space *s, random_state *dice, radix_item *edge) {
    const rips_graph *g = &s->graph;
    uint32_t a = random_below(dice, s->n), b = random_below(dice, s->n);
    if (!s->distance) {
        size_t degree = g->start[a + 1] - g->start[a];
        if (degree) b = g->point[g->start[a] + random_below(dice, (uint32_t)degree)];
        else return false;
    }
    float value = a == b ? INFINITY : rips_distance(s, a, b);
    *edge = (radix_item){key_of(value), a, b};
    return is_edge(s, value);
}

/* Returns true if so many going edges of a sample leave no doubt. */
static bool is_sure(size_t going, size_t edges) {
    return GOING * going >= edges + SURE || GOING * going + SURE <= edges;
}

glshape_status rips_collapse_pays(error *err, const rips_space *s, bool *pays) {
    OWNED_BY(domination_free) domination d = {0};
    random_state dice = {1};
    size_t edges = 0, going = 0;
    TRY(domination_new(err, s, NULL, &d));
    for (uint32_t tries = 0; s->n && tries < SAMPLE_TRIES && edges < SAMPLE; tries++) {
        domination_verdict v;
        radix_item e;
        if (!draw_edge(s, &dice, &e)) continue;
        domination_find(&d, e.a, e.b, value_of(&e), &v);
        edges++;
        going += v.value == INFINITY;
        if (is_sure(going, edges)) break;
    }
    *pays = edges && GOING * going >= edges;
    return GLSHAPE_OK;
}
