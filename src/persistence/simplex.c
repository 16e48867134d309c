#include "persistence/simplex.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define NO_ROOM UINT64_MAX
#define MOST_LISTED ((uint64_t)INT64_MAX)

/* ---- one at a time ------------------------------------------------------------------------------ */

uint64_t simplex_binomial(uint64_t n, int k) {
    uint64_t c = 1;
    if (n < (uint64_t)k) return 0;
    for (uint64_t i = 1; i <= (uint64_t)k;
         i++) { /* c (n - k + i) / i, whose parts have no fraction together */
        uint64_t factor = n - (uint64_t)k + i, rest = c % i * factor / i;
        if (c / i > (NO_ROOM - rest) / factor) return NO_ROOM;
        c = c / i * factor + rest;
    }
    return c;
}

glshape_simplex simplex_index(const uint32_t *v, int vertices) {
    uint32_t down[SIMPLEX_MOST_VERTICES];
    uint64_t index = 0;
    for (int i = 0; i < vertices; i++) {
        int at = i;
        for (; at && down[at - 1] < v[i]; at--) down[at] = down[at - 1];
        down[at] = v[i];
    }
    for (int i = 0; i < vertices; i++) {
        uint64_t term = simplex_binomial(down[i], vertices - i);
        if (term >= NO_ROOM - index) return GLSHAPE_NO_SIMPLEX;
        index += term;
    }
    return index;
}

/* The greatest v below `end` with C(v, 2) ≤ index: a root, which rounding may put beside it. */
static uint32_t greatest_end(uint64_t index, uint32_t end) {
    uint64_t v = (uint64_t)((1 + sqrt(1 + 8 * (double)index)) / 2);
    if (v >= end) v = end - 1;
    while (v * (v - 1) / 2 > index) v--;
    while (v + 1 < end && (v + 1) * v / 2 <= index) v++;
    return (uint32_t)v;
}

/* The same of C(v, 3), which is about (v - 1)^3 / 6. */
static uint32_t greatest_of_three(uint64_t index, uint32_t end) {
    uint64_t v = (uint64_t)(cbrt(6 * (double)index) + 1);
    if (v >= end) v = end - 1;
    while (v * (v - 1) / 2 * (v - 2) / 3 > index) v--;
    while (v + 1 < end && (v + 1) * v / 2 * (v - 1) / 3 <= index) v++;
    return (uint32_t)v;
}

/* The greatest v below `end` with C(v, k) ≤ index. */
static uint64_t search_vertex(uint64_t index, int k, uint64_t end) {
    uint64_t low = (uint64_t)k - 1;
    if (k == 1 && index < end) return index;
    if (k == 2 && end > 2 && end <= UINT32_MAX) return greatest_end(index, (uint32_t)end);
    if (k == 3 && end > 3 && end <= SIMPLEX_FACTORS_FIT) return greatest_of_three(index, (uint32_t)end);
    while (end - low > 1) {
        uint64_t middle = low + (end - low) / 2;
        if (simplex_binomial(middle, k) <= index) low = middle;
        else end = middle;
    }
    return low;
}

void glshape_simplex_vertices(size_t n, glshape_simplex simplex, int vertices, uint32_t *out) {
    uint64_t end = n;
    for (int k = vertices; k > 0; k--) {
        end = search_vertex(simplex, k, end);
        *out++ = (uint32_t)end;
        simplex -= simplex_binomial(end, k);
    }
}

/* ---- from a table ------------------------------------------------------------------------------- */

/* Row k of Pascal's triangle, from C(0, k) to C(n, k). */
static void fill_row(simplex_table *t, int k) {
    uint64_t *row = t->binomial + (size_t)(k - t->first) * ((size_t)t->n + 1);
    row[0] = k == 0;
    for (uint32_t v = 1; v <= t->n; v++) {
        uint64_t above = k ? simplex_choose(t, v - 1, k - 1) : 0;
        bool fits = row[v - 1] <= MOST_LISTED && above <= MOST_LISTED - row[v - 1];
        row[v] = fits ? row[v - 1] + above : NO_ROOM;
    }
}

static int first_of(size_t n) { return n < SIMPLEX_FACTORS_FIT ? SIMPLEX_FACTORS + 1 : 0; }

static size_t rows_of(size_t n, int most) {
    return most < first_of(n) ? 0 : (size_t)(most + 1 - first_of(n));
}

size_t simplex_table_bytes(size_t n, int most) {
    return times(times(n + 1, rows_of(n, most)), sizeof *((simplex_table *)0)->binomial);
}

glshape_status simplex_table_new(error *err, uint32_t n, int most, simplex_table *out) {
    *out = (simplex_table){.n = n, .first = first_of(n)};
    TRY(allocate(err, &out->binomial, times((size_t)n + 1, rows_of(n, most)), sizeof *out->binomial,
                 "binomial numbers"));
    for (int k = out->first; k <= most; k++) fill_row(out, k);
    return GLSHAPE_OK;
}

void simplex_table_free(simplex_table *t) {
    free(t->binomial);
    *t = (simplex_table){0};
}

/* The same of C(v, k), near a v. */
static uint32_t greatest_near(const simplex_table *t, uint64_t index, int k, uint32_t end, double near) {
    uint32_t v = near < end ? (uint32_t)near : end - 1;
    while (simplex_choose(t, v, k) > index) v--;
    while (v + 1 < end && simplex_choose(t, v + 1, k) <= index) v++;
    return v;
}

/* The greatest v below `end` with C(v, k) ≤ index. */
static uint32_t greatest_vertex(const simplex_table *t, uint64_t index, int k, uint32_t end) {
    if (k == 1) return (uint32_t)index;
    if (k == 2) return greatest_end(index, end);
    if (k == 3) return greatest_near(t, index, k, end, cbrt(6 * (double)index) + 1);
    if (k == 4) return greatest_near(t, index, k, end, sqrt(sqrt(24 * (double)index)) + 1.5);
    uint32_t low = (uint32_t)k - 1;
    while (end - low > 1) {
        uint32_t middle = low + (end - low) / 2;
        if (simplex_choose(t, middle, k) <= index) low = middle;
        else end = middle;
    }
    return low;
}

void simplex_table_vertices(const simplex_table *t, uint64_t index, int vertices, uint32_t *out) {
    uint32_t end = t->n;
    for (int k = vertices; k > 0; k--) {
        end = greatest_vertex(t, index, k, end);
        *out++ = end;
        index -= simplex_choose(t, end, k);
    }
}

uint64_t simplex_table_index(const simplex_table *t, const uint32_t *v, int vertices) {
    uint64_t index = 0;
    for (int i = 0; i < vertices; i++) index += simplex_choose(t, v[i], vertices - i);
    return index;
}
