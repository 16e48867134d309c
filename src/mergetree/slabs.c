#include "mergetree/slabs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/pairs.h"
#include "place/place.h"

#define BLOCK 65536u

static error *err_of(const slabs *s) { return run_error(run_of(s->g)); }

static uint32_t planes_of(const slabs *s, uint32_t slab) { return s->first[slab + 1] - s->first[slab]; }

/* The fraction of a visit of all slabs, which is nearly half of the work, before a slab. */
static double part_before(const slabs *s, uint32_t slab) {
    return 0.45 * (slab - s->own) / (s->own_end - s->own);
}

/* ---- one slab ---------------------------------------------------------------------------------- */

typedef struct numbering {
    const slabs *s;
    const uint32_t *minimum; /* of a slab, as the GPU has them */
    uint32_t base;
    radix_item *items; /* at: the vertex; a: the GPU's number */
} numbering;

static void list_minima(void *user, size_t first, size_t end) {
    const numbering *n = user;
    for (size_t m = first; m < end; m++) n->items[m] = (radix_item){n->minimum[m], (uint32_t)m, 0};
}

static void take_minima(void *user, size_t first, size_t end) {
    const numbering *n = user;
    for (size_t k = first; k < end; k++) {
        n->s->rank[n->items[k].a] = n->base + (uint32_t)k;
        n->s->minimum[n->base + k] = (uint32_t)n->items[k].at;
    }
}

/* Numbers a slab's minima from base[slab] on, by vertex: so every visit of the slab gives the same numbers.
 */
static glshape_status number_minima(slabs *s, uint32_t slab, const uint32_t *minimum, uint32_t count) {
    OWNED radix_item *items = NULL;
    if (s->base[slab] + (uint64_t)count >= BASINS_OUTSIDE)
        return fail(err_of(s), GLSHAPE_BAD_ARGUMENT, "more than 2^30 minima: coarsen the field");
    TRY(memory_reserve(err_of(s), &s->minimum, &s->minimum_room, s->base[slab] + (size_t)count,
                       sizeof *s->minimum, "the minima of slabs"));
    free(MOVE(s->rank));
    TRY(allocate(err_of(s), &s->rank, count, sizeof *s->rank, "the minima of a slab"));
    TRY(allocate(err_of(s), &items, count, 2 * sizeof *items, "the minima of a slab"));
    numbering n = {s, minimum, s->base[slab], items};
    threads_ranges(count, list_minima, &n);
    radix_sort(items, items + count, count);
    threads_ranges(count, take_minima, &n);
    s->base[slab + 1] = s->base[slab] + count;
    return GLSHAPE_OK;
}

uint32_t slabs_label(const slabs *s, uint32_t raw) {
    raw &= ~BASINS_ARRIVED;
    return raw & BASINS_OUTSIDE ? raw : BASINS_ARRIVED | s->rank[raw];
}

/* The labels of the first or the last plane of an own slab. */
static uint32_t *side_of(const slabs *s, uint32_t slab, bool last) {
    return s->sides + (2 * (size_t)(slab - s->own) + last) * s->plane;
}

const uint32_t *slabs_outer(const slabs *s, int q, bool last) {
    return s->outer + (2 * (size_t)q + last) * s->plane;
}

glshape_status slabs_take_sides(slabs *s, uint32_t slab, basins *b) {
    const grid_field *f = b->field;
    for (int last = 0; last < 2; last++) {
        uint32_t *side = side_of(s, slab, last), z = last ? f->hi - 1 : f->lo;
        TRY(gpu_download(s->g, &b->basin, z * s->plane, s->plane, side));
        for (uint32_t k = 0; k < s->plane; k++) side[k] = slabs_label(s, side[k]);
    }
    return GLSHAPE_OK;
}

typedef struct labeling {
    const slabs *s;
    const radix_item *from;
    radix_item *to;
} labeling;

static void label_edges(void *user, size_t first, size_t end) {
    const labeling *l = user;
    for (size_t k = first; k < end; k++) {
        radix_item e = l->from[k];
        l->to[k] = (radix_item){e.at, slabs_label(l->s, e.a), slabs_label(l->s, e.b)};
    }
}

typedef struct ending {
    const slabs *s;
    const radix_item *ends; /* of a slab, by the GPU's numbers; NULL: nothing is decided */
} ending;

static void take_ends(void *user, size_t first, size_t end) {
    const ending *of = user;
    const slabs *s = of->s;
    for (size_t m = first; m < end; m++) {
        uint32_t own = s->rank[m];
        radix_item none = {BRANCH_ESSENTIAL, own, 0};
        s->ends[own] = of->ends ? of->ends[m] : none;
        if (of->ends) s->ends[own].a = s->rank[of->ends[m].a];
    }
}

/* What the slab decides alone, and the edges that are left. */
static glshape_status take_edges(slabs *s, uint32_t slab, basins *b) {
    OWNED radix_item *edges = NULL, *ends = NULL;
    TRY(basins_edges(s->g, b));
    s->found += b->edge_count;
    run_why why = planes_of(s, slab) > 2 ? place_by_size(s->g, PLACE_SADDLES, b->edge_count)
                                         : RUN_NOT_SMALL; /* all are at sides */
    TRY(pairs_are_for_slabs(s->g, s->grid.hood, &why));
    if (run_why_device(why)) TRY(pairs_decide(s->g, b, part_before(s, slab), &ends));
    TRY(memory_reserve(err_of(s), &s->ends, &s->end_room, s->base[slab + 1], sizeof *ends, "the branches"));
    threads_ranges(b->minima, take_ends, &(ending){s, ends});
    TRY(basins_fetch(s->g, b, &edges));
    size_t count = b->edge_count, used = s->edge_start[slab];
    TRY(memory_reserve(err_of(s), &s->edges, &s->room, used + count, sizeof *edges, "the saddles of slabs"));
    threads_ranges(count, label_edges, &(labeling){s, edges, s->edges + used});
    s->edge_start[slab + 1] = used + count;
    return GLSHAPE_OK;
}

static glshape_status slab_field(slabs *s, uint32_t slab, grid_field *out) {
    if (s->count == 1) return grid_field_new(s->g, s->order, &s->grid, out);
    return grid_slab_new(s->g, s->order, &s->grid, s->first[slab], planes_of(s, slab), out);
}

static glshape_status find_slab(slabs *s, uint32_t slab, grid_field *f, basins *b) {
    OWNED uint32_t *minimum = NULL;
    TRY(slab_field(s, slab, f));
    TRY(basins_begin(s->g, f, b));
    TRY(basins_minima(s->g, b, &minimum));
    return number_minima(s, slab, minimum, b->minima);
}

glshape_status slabs_each(slabs *s, slabs_take take, void *user, double from) {
    if (s->kept.n) return take(s, s->own, &s->kept, user);
    for (uint32_t slab = s->own; slab < s->own_end; slab++) {
        OWNED_BY(grid_field_free) grid_field f = {0};
        OWNED_BY(basins_free) basins b = {0};
        TRY(find_slab(s, slab, &f, &b));
        TRY(take(s, slab, &b, user));
        TRY(run_tick(run_of(s->g), from + part_before(s, slab + 1)));
        if (s->own_end > s->own + 1 || s->ranks->size == 1) continue;
        s->field = MOVE(f);
        s->kept = MOVE(b);
        s->kept.field = &s->field;
    }
    return GLSHAPE_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

/* Where a label OUTSIDE of a slab leads, among `count` own slabs or, their planes being slabs, so many ranks,
 * of which the last and the first are beside each other, too. Returns the place in the labels of sides; *slab
 * becomes the slab there. */
static size_t next_place(const slabs *s, uint32_t count, uint32_t *slab, uint32_t label) {
    uint32_t at = label & ~(BASINS_ARRIVED | BASINS_OUTSIDE);
    bool below = at < s->plane;
    *slab = (*slab + (below ? count - 1 : 1)) % count;
    return (2 * (size_t)*slab + below) * s->plane + (below ? at : at - s->plane);
}

/* Whether a label that is OUTSIDE of an own slab leads to another rank. */
static bool leaves(const slabs *s, uint32_t slab, uint32_t label) {
    bool below = (label & ~BASINS_OUTSIDE) < s->plane;
    return s->ranks->size > 1 && slab == (below ? s->own : s->own_end - 1);
}

/* Follows the label of an own slab to where it has ARRIVED, on this rank or beside its planes. compress: so
 * does every label on the way. */
static uint32_t follow(const slabs *s, uint32_t slab, uint32_t label, bool compress) {
    uint32_t count = s->own_end - s->own, first = label, end = label;
    for (uint32_t at = slab - s->own; !(end & BASINS_ARRIVED);)
        end = leaves(s, at + s->own, end) ? end | BASINS_ARRIVED : s->sides[next_place(s, count, &at, end)];
    for (uint32_t at = slab - s->own;
         compress && !(first & BASINS_ARRIVED) && !leaves(s, at + s->own, first);) {
        uint32_t *place = &s->sides[next_place(s, count, &at, first)];
        first = *place;
        *place = end;
    }
    return end;
}

/* The same of a label that has ARRIVED on, or beside, rank q: follows it to a minimum. */
static uint32_t follow_outer(const slabs *s, uint32_t q, uint32_t label, bool compress) {
    uint32_t count = (uint32_t)s->ranks->size, first = label, end = label;
    for (uint32_t at = q; end & BASINS_OUTSIDE;) end = s->outer[next_place(s, count, &at, end)];
    for (uint32_t at = q; compress && first & BASINS_OUTSIDE;) {
        uint32_t *place = &s->outer[next_place(s, count, &at, first)];
        first = *place;
        *place = end;
    }
    return end;
}

/* Returns the number of the minimum that a slab's label leads to. */
static uint32_t resolve(const slabs *s, uint32_t slab, uint32_t label, bool compress) {
    label = follow(s, slab, label, compress);
    return follow_outer(s, (uint32_t)s->ranks->rank, label, compress) ^ BASINS_ARRIVED;
}

uint32_t slabs_resolve(const slabs *s, uint32_t slab, uint32_t label) {
    return resolve(s, slab, label, true);
}

/* Resolves the labels of the own edges. Keeps those between different basins and returns their number. */
static size_t resolve_edges(slabs *s) {
    size_t used = 0;
    for (uint32_t slab = s->own; slab < s->own_end; slab++)
        for (size_t k = s->edge_start[slab]; k < s->edge_start[slab + 1]; k++) {
            radix_item e = s->edges[k];
            e.a = slabs_resolve(s, slab, e.a);
            e.b = slabs_resolve(s, slab, e.b);
            if (e.a != e.b) s->edges[used++] = e;
        }
    return used;
}

static glshape_status take_slab(slabs *s, uint32_t slab, basins *b, void *user) {
    (void)user;
    TRY(slabs_take_sides(s, slab, b));
    return take_edges(s, slab, b);
}

/* A field of two dimensions has its rows as planes. */
static grid grid_of(const grid *d) {
    if (d->extent[2] > 1) return *d;
    return (grid){.extent = {d->extent[0], 1, d->extent[1]},
                  .periodic = (d->periodic & 1) | (d->periodic & 2) << 1,
                  .hood = d->hood};
}

/* Cuts the planes of each rank into slabs. */
static glshape_status cut(slabs *s, uint32_t planes) {
    const ranks *r = s->ranks;
    uint32_t all = s->grid.extent[2], most = all / planes + (uint32_t)r->size + 1;
    TRY(allocate(err_of(s), &s->first, (size_t)most + 1, sizeof *s->first, "the slabs"));
    TRY(allocate(err_of(s), &s->owned, (size_t)r->size + 1, sizeof *s->owned, "the slabs"));
    for (int q = 0; q < r->size; q++) {
        uint32_t at = slabs_plane_of_rank(r, all, q), end = slabs_plane_of_rank(r, all, q + 1);
        s->owned[q] = s->count;
        for (; at < end; at += planes) s->first[s->count++] = at;
    }
    s->owned[r->size] = s->count;
    s->first[s->count] = all;
    s->own = (uint32_t)s->owned[r->rank];
    s->own_end = (uint32_t)s->owned[r->rank + 1];
    return GLSHAPE_OK;
}

glshape_status slabs_new(gpu *g, const ranks *r, const order *o, const grid *d, uint32_t planes, slabs *out) {
    error *err = run_error(run_of(g));
    *out = (slabs){.g = g, .ranks = r, .order = o, .grid = *d, .plane = d->extent[0] * d->extent[1]};
    TRY(cut(out, planes));
    size_t sides = times(out->own_end - out->own, 2 * (size_t)out->plane);
    TRY(allocate(err, &out->base, out->count + 1, sizeof *out->base, "the slabs"));
    TRY(allocate(err, &out->edge_start, out->count + 1, sizeof *out->edge_start, "the slabs"));
    return allocate(err, &out->sides, sides, sizeof *out->sides, "the sides of slabs");
}

/* ---- several ranks ----------------------------------------------------------------------------- */

/* Gives the minima of all ranks one numbering: base becomes that of all. Returns in *before how many minima
 * stand before the own ones. */
static glshape_status number_together(slabs *s, uint32_t *before) {
    OWNED uint32_t *counts = NULL;
    TRY(allocate(err_of(s), &counts, s->count, sizeof *counts, "the minima of slabs"));
    for (uint32_t k = s->own; k < s->own_end; k++) counts[k] = s->base[k + 1] - s->base[k];
    TRY(ranks_gather_parts(s->ranks, err_of(s), counts, sizeof *counts, s->owned));
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->base[k] + (uint64_t)counts[k] >= BASINS_OUTSIDE)
            return fail(err_of(s), GLSHAPE_BAD_ARGUMENT, "more than 2^30 minima: coarsen the field");
        if (k == 0) s->base[0] = 0;
        s->base[k + 1] = s->base[k] + counts[k];
    }
    *before = s->base[s->own];
    return GLSHAPE_OK;
}

static void shift(uint32_t *label, uint32_t by) {
    if ((*label & (BASINS_ARRIVED | BASINS_OUTSIDE)) == BASINS_ARRIVED) *label += by;
}

typedef struct shifting {
    radix_item *edges, *ends;
    uint32_t by;
} shifting;

static void shift_edges(void *user, size_t first, size_t end) {
    const shifting *h = user;
    for (size_t k = first; k < end; k++) {
        shift(&h->edges[k].a, h->by);
        shift(&h->edges[k].b, h->by);
    }
}

static void shift_ends(void *user, size_t first, size_t end) {
    const shifting *h = user;
    for (size_t m = first; m < end; m++) h->ends[m].a += h->by;
}

/* Follows the labels of the own sides as far as they go on this rank. */
static void follow_sides(slabs *s) {
    for (uint32_t slab = s->own; slab < s->own_end; slab++)
        for (uint32_t *side = side_of(s, slab, false), *end = side + 2 * (size_t)s->plane; side < end; side++)
            *side = follow(s, slab, *side, true);
}

/* Gives every rank the labels of the first and the last plane of each. */
static glshape_status share_outer(slabs *s) {
    size_t plane = s->plane, size = (size_t)s->ranks->size;
    TRY(allocate(err_of(s), &s->outer, size, 2 * plane * sizeof *s->outer, "the sides of ranks"));
    uint32_t *own = s->outer + 2 * plane * (size_t)s->ranks->rank;
    memcpy(own, side_of(s, s->own, false), plane * sizeof *own);
    memcpy(own + plane, side_of(s, s->own_end - 1, true), plane * sizeof *own);
    TRY(ranks_gather(s->ranks, err_of(s), s->outer, 2 * plane * sizeof *own, size, 1));
    for (size_t k = 0; k < 2 * plane * size; k++)
        s->outer[k] = follow_outer(s, (uint32_t)(k / (2 * plane)), s->outer[k], true);
    return GLSHAPE_OK;
}

/* Gives the minima of all ranks one numbering, and every rank the labels of all ranks' first and last planes.
 */
static glshape_status slabs_share(slabs *s) {
    uint32_t before = 0;
    if (s->ranks->size == 1) return GLSHAPE_OK;
    follow_sides(s);
    TRY(number_together(s, &before));
    for (uint32_t *at = s->sides, *end = side_of(s, s->own_end, false); at < end; at++) shift(at, before);
    for (uint32_t m = s->base[s->own_end - 1]; m < s->base[s->own_end]; m++)
        s->rank[m - s->base[s->own_end - 1]] += before;
    shifting by = {s->edges, s->ends, before};
    threads_ranges(s->edge_start[s->own_end], shift_edges, &by);
    threads_ranges(s->base[s->own_end] - before, shift_ends, &by);
    return share_outer(s);
}

/* ---- the tree of all --------------------------------------------------------------------------- */

glshape_status slabs_edges(gpu *g, const ranks *r, const order *o, const grid *d, uint32_t planes, slabs *out,
                           size_t *edge_count) {
    const grid whole = grid_of(d);
    TRY(slabs_new(g, r, o, &whole, planes, out));
    TRY(slabs_each(out, take_slab, NULL, 0));
    TRY(slabs_share(out));
    *edge_count = resolve_edges(out);
    return GLSHAPE_OK;
}

/* ---- regular vertices -------------------------------------------------------------------------- */

typedef struct climber {
    const slabs *s;
    const branches *tree;
    uint32_t *on;
    uint32_t slab, first, end; /* vertices [first, end) */
} climber;

/* Returns the vertex of the first ancestor that ends after `then`, as regular.glsl does. */
static uint32_t climb(const branches *t, uint32_t at, uint64_t then) {
    return t->minimum[branches_survivor(t, branches_climb(t, at, then))];
}

static void climb_block(void *user, size_t item) {
    const climber *c = user;
    uint32_t keys[1024], first = c->first + (uint32_t)item * BLOCK;
    uint32_t end = c->end - first < BLOCK ? c->end : first + BLOCK;
    for (uint32_t v = first; v < end; v++) {
        uint32_t k = (v - first) % 1024;
        if (!k) order_keys(c->s->order, v, end - v < 1024 ? end - v : 1024, keys);
        uint32_t at = resolve(c->s, c->slab, slabs_label(c->s, c->on[v]), false);
        c->on[v] = climb(c->tree, at, (uint64_t)keys[k] << 32 | v);
    }
}

static glshape_status take_regular(slabs *s, uint32_t slab, basins *b, void *user) {
    climber *c = user;
    c->slab = slab;
    c->first = s->first[slab] * s->plane;
    c->end = c->first + planes_of(s, slab) * s->plane;
    TRY(gpu_download(s->g, &b->basin, b->field->lo * s->plane, c->end - c->first, c->on + c->first));
    threads_run(0, (c->end - c->first - 1) / BLOCK + 1, climb_block, c);
    return GLSHAPE_OK;
}

glshape_status slabs_share_tree(const slabs *s, branches *t) {
    const ranks *r = s->ranks;
    error *err = run_error(run_of(s->g));
    bool simplified = t->survivor != NULL;
    TRY(ranks_broadcast(r, err, &t->count, sizeof t->count));
    TRY(ranks_broadcast(r, err, &simplified, sizeof simplified));
    const struct {
        void *of;
        size_t size;
        bool wanted;
    } parts[] = {{&t->minimum, sizeof *t->minimum, true},
                 {&t->death, sizeof *t->death, true},
                 {&t->parent, sizeof *t->parent, true},
                 {&t->jump, sizeof *t->jump, true},
                 {&t->survivor, sizeof *t->survivor, simplified}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!parts[k].wanted) continue;
        if (r->rank) TRY(allocate(err, parts[k].of, t->count, parts[k].size, "the tree"));
        TRY(ranks_broadcast(r, err, *(void **)parts[k].of, t->count * parts[k].size));
    }
    return GLSHAPE_OK;
}

/* Brings the vertices of all ranks to the first. */
static glshape_status bring_regular(const slabs *s, uint32_t *on) {
    OWNED uint64_t *first = NULL;
    int ranks = s->ranks->size;
    TRY(allocate(err_of(s), &first, (size_t)ranks + 1, sizeof *first, "the slabs"));
    for (int q = 0; q <= ranks; q++) first[q] = (uint64_t)s->first[s->owned[q]] * s->plane;
    return ranks_bring_parts(s->ranks, err_of(s), on, sizeof *on, first);
}

glshape_status slabs_regular(slabs *s, branches *tree, uint32_t *on) {
    climber c = {.s = s, .tree = tree, .on = on};
    if (!s->ranks->rank) TRY(branches_find_jumps(err_of(s), tree));
    ranks_go_together(s->ranks);
    if (s->ranks->size > 1) TRY(slabs_share_tree(s, tree));
    TRY(slabs_each(s, take_regular, &c, 0.5));
    return bring_regular(s, on);
}

void slabs_free(slabs *s) {
    basins_free(&s->kept);
    grid_field_free(&s->field);
    void *const all[] = {s->first, s->owned, s->base,  s->minimum,    s->rank,
                         s->sides, s->outer, s->edges, s->edge_start, s->ends};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *s = (slabs){0};
}
