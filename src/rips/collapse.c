#include "rips/collapse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"

#define WITNESSES 8u     /* points that refuted others are asked first */
#define MANY_EDGES 4096u /* of fewer, all are tried */
#define ASKED (1u << 12) /* edges after which the caller is asked whether to go on */

typedef struct neighbor {
    uint32_t point;
    float from; /* value from which on it is a common neighbor */
} neighbor;

/* One edge at work: the common neighbors of its ends, the first `now` of them at the value at hand. */
typedef struct collapse {
    rips_space *s;
    neighbor *common;
    size_t count, now;
    uint32_t witness[WITNESSES];
    size_t witnesses;
    /* Of a matrix: the neighbors of each point, a bit each. near: at the value of the edge; left: at the
     * threshold. */
    uint64_t *near, *left, *both;
    size_t words;
} collapse;

/* ---- common neighbors -------------------------------------------------------------------------- */

static void add_common(collapse *c, uint32_t point, float from) {
    if (from <= c->s->threshold) c->common[c->count++] = (neighbor){point, from};
}

static void find_in_rows(collapse *c, uint32_t a, uint32_t b) {
    const float *x = c->s->distance + (size_t)a * c->s->n, *y = c->s->distance + (size_t)b * c->s->n;
    const uint64_t *of_a = c->left + a * c->words, *of_b = c->left + b * c->words;
    for (uint32_t i = 0; i < c->words; i++)
        for (uint64_t both = of_a[i] & of_b[i]; both; both &= both - 1) {
            uint32_t w = 64 * i + (uint32_t)__builtin_ctzll(both);
            add_common(c, w, fmaxf(x[w], y[w]));
        }
}

static void find_in_lists(collapse *c, uint32_t a, uint32_t b) {
    const rips_graph *g = &c->s->graph;
    size_t x = g->start[a], y = g->start[b];
    while (x < g->start[a + 1] && y < g->start[b + 1]) {
        uint32_t p = g->point[x], q = g->point[y];
        if (p == q) add_common(c, p, fmaxf(g->distance[x], g->distance[y]));
        x += p <= q;
        y += q <= p;
    }
}

/* Moves the common neighbors at a value to the front. */
static void bring_forward(collapse *c, float value) {
    for (size_t k = c->now; k < c->count; k++)
        if (c->common[k].from <= value) {
            neighbor n = c->common[k];
            c->common[k] = c->common[c->now];
            c->common[c->now++] = n;
        }
}

/* ---- of a matrix, at the edge's own value -------------------------------------------------------- */

static void clear_bits(const collapse *c, uint64_t *bits, uint32_t a, uint32_t b) {
    bits[a * c->words + b / 64] &= ~(UINT64_C(1) << b % 64);
    bits[b * c->words + a / 64] &= ~(UINT64_C(1) << a % 64);
}

/* Returns true if all points in `both` but w are near w. *hint: the word that is looked at first, and one
 * that refutes w. */
static bool has_all_near(const collapse *c, uint32_t w, size_t *hint) {
    const uint64_t *near = c->near + w * c->words;
    for (size_t k = 0, i = *hint; k < c->words; k++, i = i + 1 == c->words ? 0 : i + 1) {
        uint64_t far = c->both[i] & ~near[i];
        if (i == w / 64) far &= ~(UINT64_C(1) << w % 64);
        if (far) return *hint = i, false;
    }
    return true;
}

/* Returns true if a point dominates the edge at its own value. */
static bool is_dominated(collapse *c, uint32_t a, uint32_t b) {
    const uint64_t *x = c->near + a * c->words, *y = c->near + b * c->words;
    size_t hint = 0;
    for (size_t i = 0; i < c->words; i++) c->both[i] = x[i] & y[i];
    for (uint32_t i = 0; i < c->words; i++)
        for (uint64_t left = c->both[i]; left; left &= left - 1)
            if (has_all_near(c, 64 * i + (uint32_t)__builtin_ctzll(left), &hint)) return true;
    return false;
}

/* ---- domination -------------------------------------------------------------------------------- */

static bool is_refuted(const collapse *c, uint32_t w, float value) {
    for (size_t k = 0; k < c->witnesses && k < WITNESSES; k++)
        if (c->witness[k] != w && !(rips_distance(c->s, w, c->witness[k]) <= value)) return true;
    return false;
}

static bool dominates(collapse *c, uint32_t w, float value) {
    if (is_refuted(c, w, value)) return false;
    for (size_t k = 0; k < c->now; k++) {
        uint32_t x = c->common[k].point;
        if (x == w || rips_distance(c->s, w, x) <= value) continue;
        c->witness[c->witnesses++ % WITNESSES] = x;
        return false;
    }
    return true;
}

/* Sets *w to a point that dominates the edge at a value. False: there is none. */
static bool find_dominating(collapse *c, float value, uint32_t *w) {
    for (size_t k = 0; k < c->now; k++)
        if (dominates(c, *w = c->common[k].point, value)) return true;
    return false;
}

/* The first value at which w, which dominates the edge now, does not; INFINITY if there is none. */
static float end_of(const collapse *c, uint32_t w) {
    float end = INFINITY;
    for (size_t k = c->now; k < c->count; k++) {
        const neighbor *n = &c->common[k];
        if (n->from < end && !(rips_distance(c->s, w, n->point) <= n->from)) end = n->from;
    }
    return end;
}

/* The value at which an edge of this value has to appear; INFINITY: never. */
static float new_value(collapse *c, uint32_t a, uint32_t b, float value) {
    uint32_t w;
    c->count = c->now = c->witnesses = 0;
    if (c->near && !is_dominated(c, a, b)) return value;
    if (c->s->distance) find_in_rows(c, a, b);
    else find_in_lists(c, a, b);
    for (bring_forward(c, value); find_dominating(c, value, &w); bring_forward(c, value))
        if (!((value = end_of(c, w)) < INFINITY)) break;
    return value;
}

/* ---- edges ------------------------------------------------------------------------------------- */

/* An edge is a radix_item, a > b, whose key is least for the greatest value. */
static uint64_t key_of(float value) {
    uint32_t bits;
    value += 0.0f; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return UINT32_MAX - bits;
}

static float value_of(const radix_item *edge) {
    uint32_t bits = UINT32_MAX - (uint32_t)edge->at;
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

static void drop_edges(rips_space *s) {
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

static void collapse_free(collapse *c) {
    free(c->common);
    free(c->near);
    free(c->left);
    free(c->both);
}

static glshape_status make_near(error *err, collapse *c, const radix_item *edges, size_t count) {
    c->words = c->s->n / 64 + 1;
    TRY(allocate(err, &c->near, times(c->s->n, c->words), sizeof *c->near, "neighbors"));
    TRY(allocate(err, &c->both, c->words, sizeof *c->both, "neighbors"));
    TRY(allocate(err, &c->left, times(c->s->n, c->words), sizeof *c->left, "neighbors"));
    for (size_t k = 0; k < count; k++) {
        uint32_t a = edges[k].a, b = edges[k].b;
        c->near[a * c->words + b / 64] |= UINT64_C(1) << b % 64;
        c->near[b * c->words + a / 64] |= UINT64_C(1) << a % 64;
    }
    memcpy(c->left, c->near, c->s->n * c->words * sizeof *c->left);
    return GLSHAPE_OK;
}

/* The edges in order: the greatest value first, as Glisse and Pritam have it. Any order is right. */
static glshape_status sorted_edges(error *err, const rips_space *s, radix_item **out, size_t *count) {
    OWNED radix_item *spare = NULL;
    *count = list_edges(s, NULL);
    TRY(allocate(err, out, *count, sizeof **out, "the edges"));
    TRY(allocate(err, &spare, *count, sizeof *spare, "the edges"));
    list_edges(s, *out);
    radix_sort(*out, spare, *count);
    return GLSHAPE_OK;
}

/* Returns true if of the first edges too few went: then hardly any will, and edges that only come later make
 * columns longer. Measured on 9 sets: after a sixteenth more than 9 of 10 are gone, or fewer than 1 of 7. */
static bool is_hopeless(size_t done, size_t count, uint64_t left) {
    return count >= MANY_EDGES && done == count / 16 && 2 * left > done;
}

static void restore_edges(rips_space *s, const radix_item *edges, size_t count) {
    for (size_t k = 0; k < count; k++) set_value(s, edges[k].a, edges[k].b, value_of(&edges[k]));
}

glshape_status rips_collapse(gpu *g, rips_space *s, rips_collapsed *out) {
    OWNED radix_item *edges = NULL;
    OWNED_BY(collapse_free) collapse c = {.s = s};
    error *err = gpu_error(g);
    size_t count, level = 0; /* edges of the value at hand begin at level */
    TRY(sorted_edges(err, s, &edges, &count));
    TRY(allocate(err, &c.common, s->n, sizeof *c.common, "common neighbors"));
    if (s->distance) TRY(make_near(err, &c, edges, count));
    *out = (rips_collapsed){.edges = count};
    for (size_t k = 0; k < count; k++) {
        const radix_item *e = &edges[k];
        for (; c.near && edges[level].at != e->at; level++)
            clear_bits(&c, c.near, edges[level].a, edges[level].b);
        float old = value_of(e), value = new_value(&c, e->a, e->b, old);
        out->left += value < INFINITY;
        if (value != old) {
            set_value(s, e->a, e->b, value);
            if (c.near) clear_bits(&c, c.near, e->a, e->b);
            if (c.left && value == INFINITY) clear_bits(&c, c.left, e->a, e->b);
        }
        if (k % ASKED == 0) TRY(gpu_tick(g, 0));
        if (!is_hopeless(k + 1, count, out->left)) continue;
        restore_edges(s, edges, k + 1);
        out->left = count;
        return GLSHAPE_OK;
    }
    if (!s->distance) drop_edges(s);
    return GLSHAPE_OK;
}
