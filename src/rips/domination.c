#include "rips/domination.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define WITNESSES 8u

/* ---- common neighbors -------------------------------------------------------------------------- */

static void add_common(domination *d, uint32_t point, float from) {
    if (from <= d->s->threshold) d->common[d->count++] = (common_neighbor){point, from};
}

/* No value is NaN. fmaxf() would be a call. */
static float greater_of(float x, float y) { return x > y ? x : y; }

static const float *row_of(const domination *d, uint32_t point) {
    return d->s->distance + (size_t)point * d->s->n;
}

static void find_in_bits(domination *d, uint32_t a, uint32_t b) {
    const float *x = row_of(d, a), *y = row_of(d, b);
    const uint64_t *of_a = d->rows->left + a * d->rows->words, *of_b = d->rows->left + b * d->rows->words;
    for (uint32_t i = 0; i < d->rows->words; i++)
        for (uint64_t both = of_a[i] & of_b[i]; both; both &= both - 1) {
            uint32_t w = 64 * i + (uint32_t)__builtin_ctzll(both);
            add_common(d, w, greater_of(x[w], y[w]));
        }
}

static void find_in_matrix(domination *d, uint32_t a, uint32_t b) {
    const float *x = row_of(d, a), *y = row_of(d, b);
    for (uint32_t w = 0; w < d->s->n; w++)
        if (w != a && w != b) add_common(d, w, greater_of(x[w], y[w]));
}

static void find_in_lists(domination *d, uint32_t a, uint32_t b) {
    const rips_graph *g = &d->s->graph;
    size_t x = g->start[a], y = g->start[b];
    while (x < g->start[a + 1] && y < g->start[b + 1]) {
        uint32_t p = g->point[x], q = g->point[y];
        if (p == q) add_common(d, p, greater_of(g->distance[x], g->distance[y]));
        x += p <= q;
        y += q <= p;
    }
}

static void find_common(domination *d, uint32_t a, uint32_t b) {
    d->count = d->now = d->witnesses = 0;
    if (!d->s->distance) find_in_lists(d, a, b);
    else if (d->rows) find_in_bits(d, a, b);
    else find_in_matrix(d, a, b);
}

/* Moves the common neighbors at a value to the front. */
static void bring_forward(domination *d, float value) {
    for (size_t k = d->now; k < d->count; k++)
        if (d->common[k].from <= value) {
            common_neighbor n = d->common[k];
            d->common[k] = d->common[d->now];
            d->common[d->now++] = n;
        }
}

/* ---- at the edge's own value, in bits ------------------------------------------------------------ */

/* Returns true if all points in `both` but w may be near w. *hint: the word that is looked at first, and one
 * that refutes w. */
static bool may_have_all_near(const domination *d, uint32_t w, size_t *hint) {
    size_t words = d->rows->words;
    const uint64_t *near = d->rows->most + w * words;
    for (size_t k = 0, i = *hint; k < words; k++, i = i + 1 == words ? 0 : i + 1) {
        uint64_t far = d->both[i] & ~near[i];
        if (i == w / 64) far &= ~(UINT64_C(1) << w % 64);
        if (far) {
            *hint = i;
            return false;
        }
    }
    return true;
}

/* Returns false if certainly no point dominates the edge at its own value. */
static bool may_be_dominated(domination *d, uint32_t a, uint32_t b) {
    size_t words = d->rows->words, hint = 0;
    const uint64_t *x = d->rows->least + a * words, *y = d->rows->least + b * words;
    for (size_t i = 0; i < words; i++) d->both[i] = x[i] & y[i];
    x = d->rows->most + a * words, y = d->rows->most + b * words;
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t left = x[i] & y[i]; left; left &= left - 1)
            if (may_have_all_near(d, 64 * i + (uint32_t)__builtin_ctzll(left), &hint)) return true;
    return false;
}

/* ---- domination -------------------------------------------------------------------------------- */

static bool is_refuted(const domination *d, uint32_t w, float value) {
    for (size_t k = 0; k < d->witnesses && k < WITNESSES; k++)
        if (d->witness[k] != w && !(rips_distance(d->s, w, d->witness[k]) <= value)) return true;
    return false;
}

static bool dominates(domination *d, uint32_t w, float value) {
    if (is_refuted(d, w, value)) return false;
    for (size_t k = 0; k < d->now; k++) {
        uint32_t x = d->common[k].point;
        if (x == w || rips_distance(d->s, w, x) <= value) continue;
        d->witness[d->witnesses++ % WITNESSES] = x;
        return false;
    }
    return true;
}

/* Sets *w to a point that dominates the edge at a value. False: there is none. */
static bool find_dominating(domination *d, float value, uint32_t *w) {
    for (size_t k = 0; k < d->now; k++)
        if (dominates(d, *w = d->common[k].point, value)) return true;
    return false;
}

/* The first value at which w, which dominates the edge now, does not; INFINITY if there is none. */
static float end_of(const domination *d, uint32_t w) {
    float end = INFINITY;
    for (size_t k = d->now; k < d->count; k++) {
        const common_neighbor *n = &d->common[k];
        if (n->from < end && !(rips_distance(d->s, w, n->point) <= n->from)) end = n->from;
    }
    return end;
}

void domination_find(domination *d, uint32_t a, uint32_t b, float value, domination_verdict *out) {
    uint32_t w;
    *out = (domination_verdict){.value = value};
    if (d->rows && !may_be_dominated(d, a, b)) return;
    find_common(d, a, b);
    for (bring_forward(d, value); find_dominating(d, out->value, &w); bring_forward(d, out->value)) {
        if (out->steps < DOMINATION_STEPS) out->by[out->steps] = w;
        out->steps++;
        if (!((out->value = end_of(d, w)) < INFINITY)) return;
    }
}

glshape_status domination_new(error *err, const rips_space *s, const domination_rows *rows, domination *out) {
    *out = (domination){.s = s, .rows = rows};
    TRY(allocate(err, &out->common, s->n, sizeof *out->common, "common neighbors"));
    TRY(allocate(err, &out->witness, WITNESSES, sizeof *out->witness, "common neighbors"));
    return allocate(err, &out->both, rows ? rows->words : 0, sizeof *out->both, "common neighbors");
}

void domination_free(domination *d) {
    free(d->common);
    free(d->witness);
    free(d->both);
    *d = (domination){0};
}
