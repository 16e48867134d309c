#include "reference/mergetree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- grids ------------------------------------------------------------------------------------- */

/* Whether d = (dz, dy, dx), each -1, 0 or 1, leads to a neighbour. */
static bool leads(int dims, int neighbours, const int d[3]) {
    int steps = abs(d[0]) + abs(d[1]) + abs(d[2]);
    bool up = d[0] >= 0 && d[1] >= 0 && d[2] >= 0, down = d[0] <= 0 && d[1] <= 0 && d[2] <= 0;
    if (!steps || (dims < 3 && d[0]) || (dims < 2 && d[1])) return false;
    if (neighbours == 14 || (dims == 2 && neighbours == 6)) return up || down;
    if (neighbours == 2 || neighbours == 4 || neighbours == 6) return steps == 1;
    return neighbours == 18 ? steps <= 2 : true;
}

int ref_neighbours(const ref_grid *g, uint32_t v, uint32_t out[26]) {
    long extent[3] = {1, 1, 1}, at[3];
    bool around[3] = {false};
    for (int i = 0; i < g->dims; i++) {
        extent[3 - g->dims + i] = (long)g->shape[i];
        around[3 - g->dims + i] = g->periodic[i];
    }
    at[2] = v % extent[2], at[1] = v / extent[2] % extent[1], at[0] = v / extent[2] / extent[1];
    int count = 0;
    for (int code = 0; code < 27; code++) {
        int d[3] = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
        long w = 0;
        bool there = leads(g->dims, g->neighbours, d);
        for (int i = 0; i < 3; i++) {
            long x = at[i] + d[i];
            if (x < 0 || x >= extent[i]) there = there && around[i];
            w = w * extent[i] + (x + extent[i]) % extent[i];
        }
        if (there && w != v) out[count++] = (uint32_t)w;
    }
    return count;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

typedef struct item {
    double value;
    uint32_t v;
} item;

static int rising(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->v < y->v ? -1 : 1;
}

static item *in_order(uint32_t n, const double *values, bool superlevel) {
    item *items = malloc((n + 1) * sizeof *items);
    for (uint32_t v = 0; v < n; v++) items[v] = (item){superlevel ? -values[v] : values[v], v};
    qsort(items, n, sizeof *items, rising);
    return items;
}

static uint32_t find(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

void ref_mergetree(uint32_t n, const double *values, bool superlevel, const ref_grid *grid,
                   const size_t *start, const uint32_t *to, uint32_t (*triplets)[3]) {
    item *items = in_order(n, values, superlevel);
    uint32_t *place = malloc((n + 1) * sizeof *place), *parent = malloc((n + 1) * sizeof *parent), room[26];
    for (uint32_t k = 0; k < n; k++) place[items[k].v] = k;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = items[k].v, eldest = s;
        size_t count = grid ? (size_t)ref_neighbours(grid, s, room) : start[s + 1] - start[s];
        const uint32_t *near = grid ? room : to + start[s];
        parent[s] = s;
        for (size_t i = 0; i < count; i++) {
            uint32_t root = place[near[i]] < k ? find(parent, near[i]) : s;
            if (place[root] < place[eldest]) eldest = root;
        }
        for (size_t i = 0; i < count; i++) {
            uint32_t root = place[near[i]] < k ? find(parent, near[i]) : eldest;
            if (root == eldest) continue;
            parent[root] = eldest;
            memcpy(triplets[root], (uint32_t[3]){root, s, eldest}, sizeof triplets[0]);
        }
        parent[s] = eldest;
        memcpy(triplets[s], (uint32_t[3]){s, s, eldest}, sizeof triplets[0]);
    }
    free(items);
    free(place);
    free(parent);
}

void ref_simplify(uint32_t n, const double *values, double least, uint32_t (*triplets)[3]) {
    for (bool changed = true; changed;) { /* until nobody lies on a branch that is cut */
        changed = false;
        for (uint32_t u = 0; u < n; u++) {
            uint32_t *t = triplets[u];
            double rise = values[t[1]] == values[u] ? 0 : fabs(values[t[1]] - values[u]);
            if (t[1] != u && rise < least) t[1] = u;
        }
        for (uint32_t u = 0; u < n; u++) {
            uint32_t *t = triplets[u], *on = triplets[t[2]];
            if (on[1] != t[2] || on[2] == t[2]) continue;
            t[2] = on[2];
            changed = true;
        }
    }
}
