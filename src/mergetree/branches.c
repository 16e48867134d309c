#include "mergetree/branches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tree/union.h"

static uint32_t vertex(uint64_t at) { return (uint32_t)at; }

/* ---- the elder rule ---------------------------------------------------------------------------- */

/* The root of a set is its oldest branch. Appends to fallen those that end at this saddle. */
static uint32_t meet(branches *b, uint32_t *sets, const order_item *edges, size_t count, uint32_t *fallen) {
    uint32_t fell = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t x = union_find(sets, edges[k].a), y = union_find(sets, edges[k].b);
        if (x == y) continue;
        uint32_t elder = b->birth[x] < b->birth[y] ? x : y, younger = elder == x ? y : x;
        sets[younger] = elder;
        b->death[younger] = edges[k].at;
        fallen[fell++] = younger;
    }
    for (uint32_t k = 0; k < fell; k++) b->parent[fallen[k]] = union_find(sets, fallen[k]);
    return fell;
}

/* Those that end, in ascending order of that, to falling. Returns how many. */
static uint32_t merge(branches *b, uint32_t *sets, const order_item *edges, size_t count) {
    uint32_t fell = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && edges[end].at == edges[first].at;) end++;
        fell += meet(b, sets, edges + first, end - first, b->falling + fell);
    }
    return fell;
}

/* ---- one order of all -------------------------------------------------------------------------- */

/* falling[0 … fell), those that end, in any order: turned round, behind the endless ones; each of these by
 * birth where the rest is equal. */
static void put_in_order(branches *b, uint32_t fell, order_item *items) {
    order_item *endless = items, *fallen = items + b->endless;
    for (uint32_t k = 0; k < fell; k++) {
        uint32_t m = b->falling[k];
        fallen[k] = (order_item){b->birth[m], m, 0};
    }
    for (uint32_t m = 0, used = 0; m < b->count; m++)
        if (b->death[m] == BRANCH_ENDLESS) endless[used++] = (order_item){b->birth[m], m, 0};
    order_item *spare = items + b->count;
    order_sort(endless, spare, b->endless);
    order_sort(fallen, spare, fell);
    for (uint32_t k = 0; k < fell; k++) fallen[k].at = ~b->death[fallen[k].a];
    order_sort(fallen, spare, fell);
    for (uint32_t k = 0; k < b->count; k++) b->falling[k] = items[k].a;
}

/* Skew-binary jumps (Myers 1983): as far as the parent's last two together, if those are equally far. */
static void find_jumps(branches *b, uint32_t *depth) {
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t m = b->falling[k], p = b->parent[m], near = b->jump[p], far = b->jump[near];
        bool endless = k < b->endless, equal = depth[p] - depth[near] == depth[near] - depth[far];
        depth[m] = endless ? 0 : depth[p] + 1;
        b->jump[m] = endless ? m : equal ? far : p;
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

static glshape_status new_arrays(error *err, branches *b) {
    static const char what[] = "the branches";
    TRY(allocate(err, &b->birth, b->count, sizeof *b->birth, what));
    TRY(allocate(err, &b->death, b->count, sizeof *b->death, what));
    TRY(allocate(err, &b->parent, b->count, sizeof *b->parent, what));
    TRY(allocate(err, &b->jump, b->count, sizeof *b->jump, what));
    TRY(allocate(err, &b->survivor, b->count, sizeof *b->survivor, what));
    return allocate(err, &b->falling, b->count, sizeof *b->falling, what);
}

static void begin(branches *b, const order *o, uint32_t *sets) {
    for (uint32_t m = 0; m < b->count; m++) {
        b->birth[m] = order_of(o, b->minimum[m]);
        b->death[m] = BRANCH_ENDLESS;
        b->parent[m] = b->jump[m] = b->survivor[m] = sets[m] = m;
    }
}

glshape_status branches_new(error *err, const order *o, uint32_t *minimum, uint32_t count, order_item *edges,
                            size_t edge_count, branches *out) {
    *out = (branches){.count = count, .minimum = minimum};
    uint32_t *sets = NULL;
    order_item *items = NULL;
    size_t spare = edge_count > 2 * (size_t)count ? edge_count : 2 * (size_t)count;
    glshape_status status = new_arrays(err, out);
    if (!status) status = allocate(err, &sets, count, sizeof *sets, "the branches");
    if (!status) status = allocate(err, &items, spare, sizeof *items, "the branches");
    if (!status) {
        begin(out, o, sets);
        order_sort(edges, items, edge_count);
        uint32_t fell = merge(out, sets, edges, edge_count);
        out->endless = count - fell;
        put_in_order(out, fell, items);
        memset(sets, 0, count * sizeof *sets);
        find_jumps(out, sets);
    }
    free(items);
    free(sets);
    if (status) branches_free(out);
    return status;
}

static bool extremum(const uint32_t *saddle, uint32_t u) { return saddle[u] != u; }

/* Numbers the extrema; *number is the map back, n words. */
static glshape_status find_extrema(error *err, uint32_t n, const uint32_t *saddle, branches *b,
                                   uint32_t **number) {
    for (uint32_t u = 0; u < n; u++) b->count += extremum(saddle, u);
    TRY(allocate(err, number, n, sizeof **number, "the extrema"));
    TRY(allocate(err, &b->minimum, b->count, sizeof *b->minimum, "the extrema"));
    for (uint32_t u = 0, m = 0; u < n; u++)
        if (extremum(saddle, u)) b->minimum[m] = u, (*number)[u] = m++;
    return GLSHAPE_OK;
}

/* Sets all but jumps and order. Returns how many end; these are the first of falling. */
static uint32_t list_fallen(branches *b, const uint32_t *saddle, const order *o, const uint32_t *other) {
    uint32_t fell = 0;
    for (uint32_t m = 0; m < b->count; m++) {
        uint32_t u = b->minimum[m];
        b->birth[m] = order_of(o, u);
        b->death[m] = saddle[u] == UINT32_MAX ? BRANCH_ENDLESS : order_of(o, saddle[u]);
        b->parent[m] = other[u];
        b->survivor[m] = m;
        if (b->death[m] != BRANCH_ENDLESS) b->falling[fell++] = m;
    }
    return fell;
}

glshape_status branches_of_triplets(error *err, const order *o, const uint32_t *saddle, uint32_t *other,
                                    branches *out) {
    *out = (branches){0};
    uint32_t *number = NULL;
    order_item *items = NULL;
    glshape_status status = find_extrema(err, o->n, saddle, out, &number);
    if (!status) status = new_arrays(err, out);
    if (!status) status = allocate(err, &items, out->count, 2 * sizeof *items, "the branches");
    if (!status) {
        for (uint32_t u = 0; u < o->n; u++) other[u] = number[other[u]];
        uint32_t fell = list_fallen(out, saddle, o, other);
        out->endless = out->count - fell;
        put_in_order(out, fell, items);
    }
    free(items);
    free(number);
    if (status) branches_free(out);
    return status;
}

double branches_persistence(const branches *b, const glshape_field *field, uint32_t m) {
    if (b->death[m] == BRANCH_ENDLESS) return INFINITY;
    double birth = order_value(field, b->minimum[m]), death = order_value(field, vertex(b->death[m]));
    return birth == death ? 0 : fabs(death - birth);
}

/* A parent persists no less than its children, and comes before them. */
void branches_simplify(branches *b, const glshape_field *field, double least) {
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t m = b->falling[k];
        bool stays = branches_persistence(b, field, m) >= least;
        b->survivor[m] = stays ? m : b->survivor[b->parent[m]];
    }
}

void branches_free(branches *b) {
    void *const all[] = {b->minimum, b->birth, b->death, b->parent, b->jump, b->survivor, b->falling};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *b = (branches){0};
}
