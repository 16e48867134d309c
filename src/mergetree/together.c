/* The tree of a field whose slabs several ranks have.
 *
 * A basin that no side between ranks touches is known to its own rank alone, and so are all its edges. A
 * component of such basins ends where it joins an older one, whatever other ranks know: its rank decides
 * that. What is left are open edges, between components that others see. The first rank applies the elder
 * rule to the open edges of all, which are about as many as basins at sides. Then each rank looks up there
 * who was the oldest where its own branches ended. (Morozov, Weber, "Distributed merge trees", 2013, split
 * trees into local and global parts in the same way.) */
#include "mergetree/together.h"

#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "tree/union.h"

#define BLOCK 65536u
#define NONE UINT32_MAX

typedef struct together {
    slabs *s;
    together_known *known;
    uint32_t minima, first, own; /* minima of all; the own ones: first … first + own - 1 */
    uint32_t *set;               /* of all minima; the root of an own component is its oldest own minimum */
    uint8_t *seen;               /* of a root: another rank sees the component, too */
    uint64_t *birth;             /* of own minima */
    radix_item *ends; /* of own minima. at: where the branch ends; a: a minimum of the component that it joins
                         there, in the end its parent; b: whether that is seen, in the end a vertex that has
                         a value here: where the branch ends, if that was decided here */
    size_t open;      /* the first edges of s->edges */
    branches tree;    /* of open edges */
    uint32_t *name;   /* of its branches: the numbers among all minima */
    uint32_t *node;   /* of all minima: the number in that tree, or NONE */
    char *saddles, *saddle; /* values at open edges; where branches of that tree end */
} together;

static error *err_of(const together *t) { return gpu_error(t->s->g); }

void together_known_free(together_known *known) {
    free(known->of_births);
    free(known->of_deaths);
    *known = (together_known){0};
}

static void together_free(together *t) {
    void *const all[] = {t->set, t->seen, t->birth, t->ends, t->name, t->node, t->saddles, t->saddle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    branches_free(&t->tree);
}

/* ---- what a rank decides ----------------------------------------------------------------------- */

static void see_side(together *t, uint32_t slab, bool last) {
    const uint32_t *side = slabs_side(t->s, slab, last);
    for (uint32_t k = 0; k < t->s->plane; k++) t->seen[side[k] ^ BASINS_ARRIVED] = 1;
}

static glshape_status begin(together *t) {
    const slabs *s = t->s;
    error *err = err_of(t);
    TRY(allocate(err, &t->set, t->minima, sizeof *t->set, "components of minima"));
    TRY(allocate(err, &t->seen, t->minima, sizeof *t->seen, "components of minima"));
    TRY(allocate(err, &t->birth, t->own, sizeof *t->birth, "components of minima"));
    TRY(allocate(err, &t->ends, t->own, sizeof *t->ends, "the branches"));
    for (uint32_t m = 0; m < t->minima; m++) t->set[m] = m;
    for (uint32_t m = 0; m < t->own; m++) {
        t->birth[m] = order_of(s->order, s->minimum[m]);
        t->ends[m] = (radix_item){BRANCH_ESSENTIAL, t->first + m, false};
    }
    for (int q = 0; q < s->ranks->size; q++) {
        see_side(t, (uint32_t)s->owned[q], false);
        see_side(t, (uint32_t)s->owned[q + 1] - 1, true);
    }
    return GLSHAPE_OK;
}

/* What is born elsewhere, of which only its rank knows when, counts as young: so nothing ends that should
 * not. */
static uint64_t birth_of(const together *t, uint32_t root) {
    return root - t->first < t->own ? t->birth[root - t->first] : UINT64_MAX;
}

/* Joins the components of an edge. Returns the minimum that ends there for certain, or NONE. */
static uint32_t join(together *t, radix_item e) {
    uint32_t x = union_find(t->set, e.a), y = union_find(t->set, e.b);
    if (x == y) return NONE;
    uint32_t elder = birth_of(t, x) < birth_of(t, y) ? x : y, younger = elder == x ? y : x;
    t->set[younger] = elder;
    if (t->seen[younger]) {
        t->seen[elder] = true;
        t->s->edges[t->open++] = (radix_item){e.at, elder, younger};
        return NONE;
    }
    t->ends[younger - t->first].at = e.at;
    return younger;
}

/* Applies the elder rule to the own edges, as far as it is certain; the open ones are moved to the front. */
static glshape_status decide(together *t, size_t count) {
    OWNED radix_item *spare = NULL;
    OWNED uint32_t *ended = NULL; /* at one saddle */
    radix_item *edges = t->s->edges;
    TRY(allocate(err_of(t), &spare, count, sizeof *spare, "the saddles of slabs"));
    TRY(allocate(err_of(t), &ended, t->own, sizeof *ended, "the branches"));
    radix_sort(edges, spare, count);
    for (size_t k = 0, some = 0; k < count; some = 0) {
        for (uint64_t at = edges[k].at; k < count && edges[k].at == at; k++) {
            uint32_t m = join(t, edges[k]);
            if (m != NONE) ended[some++] = m;
        }
        while (some--) {
            radix_item *end = &t->ends[ended[some] - t->first];
            end->a = union_find(t->set, ended[some]);
            end->b = t->seen[end->a];
        }
    }
    return GLSHAPE_OK;
}

/* ---- to the first rank ------------------------------------------------------------------------- */

typedef uint32_t (*vertex_of)(const void *items, size_t k);
static uint32_t vertex_of_minimum(const void *items, size_t k) { return ((const uint32_t *)items)[k]; }
static uint32_t vertex_of_edge(const void *items, size_t k) {
    return (uint32_t)((const radix_item *)items)[k].at;
}
static uint32_t vertex_of_end(const void *items, size_t k) { return ((const radix_item *)items)[k].b; }

/* Copies the values at the vertices of items. */
typedef struct copying {
    const void *items;
    size_t count, size;
    vertex_of at;
    const char *field;
    char *out;
} copying;

static void copy_block(void *user, size_t block) {
    const copying *c = user;
    size_t first = block * BLOCK, end = c->count - first < BLOCK ? c->count : first + BLOCK;
    for (size_t k = first; k < end; k++)
        memcpy(c->out + k * c->size, c->field + c->at(c->items, k) * c->size, c->size);
}

/* Brings items of all ranks to the first, in *all, and the values at their vertices, in *values; free() both.
 */
static glshape_status bring(together *t, const void *own, size_t count, size_t item, vertex_of at, void *all,
                            size_t *all_count, void *values) {
    OWNED char *out = NULL;
    const glshape_field *field = t->s->order->field;
    size_t size = matrix_value_size(field->type), bytes;
    TRY(allocate(err_of(t), &out, count, size, "values of saddles"));
    copying c = {own, count, size, at, field->values, out};
    threads_run(0, (count + BLOCK - 1) / BLOCK, copy_block, &c);
    TRY(ranks_collect(t->s->ranks, err_of(t), out, count * size, values, &bytes));
    TRY(ranks_collect(t->s->ranks, err_of(t), own, count * item, all, &bytes));
    *all_count = bytes / item;
    return GLSHAPE_OK;
}

/* Brings the minima and the open edges of all. */
static glshape_status bring_open(together *t) {
    OWNED uint32_t *minimum = NULL;
    OWNED radix_item *edges = NULL;
    slabs *s = t->s;
    together_known *known = t->known;
    size_t count;
    TRY(bring(t, s->minimum, t->own, sizeof *minimum, vertex_of_minimum, &minimum, &count,
              &known->of_births));
    TRY(bring(t, s->edges, t->open, sizeof *edges, vertex_of_edge, &edges, &t->open, &t->saddles));
    if (s->ranks->rank) return GLSHAPE_OK;
    free(s->minimum);
    free(s->edges);
    s->minimum = MOVE(minimum);
    s->edges = MOVE(edges);
    known->births = *s->order->field;
    known->births.values = known->of_births;
    known->order = *s->order;
    known->order.n = t->minima;
    known->order.field = &known->births;
    return GLSHAPE_OK;
}

/* ---- what the first rank decides --------------------------------------------------------------- */

static glshape_status number_nodes(together *t) {
    TRY(allocate(err_of(t), &t->node, t->minima, sizeof *t->node, "components of minima"));
    memset(t->node, 0xff, t->minima * sizeof *t->node);
    for (uint32_t k = 0; k < t->tree.count; k++) t->node[t->name[k]] = k;
    return GLSHAPE_OK;
}

/* Lists the ends of open edges. */
static glshape_status list_nodes(together *t) {
    OWNED uint8_t *has = NULL;
    TRY(allocate(err_of(t), &has, t->minima, sizeof *has, "components of minima"));
    for (size_t k = 0; k < t->open; k++) has[t->s->edges[k].a] = has[t->s->edges[k].b] = 1;
    for (uint32_t m = 0; m < t->minima; m++) t->tree.count += has[m];
    TRY(allocate(err_of(t), &t->name, t->tree.count, sizeof *t->name, "components of minima"));
    for (uint32_t m = 0, k = 0; m < t->minima; m++)
        if (has[m]) t->name[k++] = m;
    return number_nodes(t);
}

/* Notes the values at which branches end at open edges. */
static glshape_status note_saddles(together *t, radix_item *edges) {
    OWNED radix_item *spare = NULL;
    branches *tree = &t->tree;
    size_t size = matrix_value_size(t->known->births.type);
    TRY(allocate(err_of(t), &spare, t->open, sizeof *spare, "the saddles of slabs"));
    TRY(allocate(err_of(t), &t->saddle, tree->count, size, "values of saddles"));
    radix_sort(edges, spare, t->open);
    for (uint32_t k = 0; k < tree->count; k++) {
        size_t first = 0, end = t->open;
        while (first + 1 < end) {
            size_t middle = first + (end - first) / 2;
            if (edges[middle].at <= tree->death[k]) first = middle;
            else end = middle;
        }
        memcpy(t->saddle + k * size, t->saddles + edges[first].a * size, size);
    }
    return GLSHAPE_OK;
}

static glshape_status decide_open(together *t) {
    OWNED uint32_t *name = NULL;
    OWNED radix_item *edges = NULL; /* a: the place among the saddles' values */
    TRY(list_nodes(t));
    uint32_t count = t->tree.count;
    TRY(allocate(err_of(t), &name, count, sizeof *name, "components of minima"));
    TRY(allocate(err_of(t), &edges, t->open, sizeof *edges, "the saddles of slabs"));
    memcpy(name, t->name, count * sizeof *name);
    for (size_t k = 0; k < t->open; k++) {
        radix_item *e = &t->s->edges[k];
        edges[k] = (radix_item){e->at, (uint32_t)k, 0};
        *e = (radix_item){e->at, t->node[e->a], t->node[e->b]};
    }
    TRY(branches_new(err_of(t), &t->known->order, MOVE(name), count, t->s->edges, t->open, &t->tree));
    return note_saddles(t, edges);
}

/* Tells all ranks what the first has decided. */
static glshape_status share_decisions(together *t) {
    const slabs *s = t->s;
    TRY(slabs_share_tree(s, &t->tree));
    if (s->ranks->rank)
        TRY(allocate(err_of(t), &t->name, t->tree.count, sizeof *t->name, "components of minima"));
    TRY(ranks_broadcast(s->ranks, err_of(t), t->name, t->tree.count * sizeof *t->name));
    return s->ranks->rank ? number_nodes(t) : GLSHAPE_OK;
}

/* ---- the tree of all --------------------------------------------------------------------------- */

/* Completes the ends of own branches; minimum: the own minima. */
static void complete_ends(together *t, const uint32_t *minimum) {
    const branches *tree = &t->tree;
    for (uint32_t m = 0; m < t->own; m++) {
        radix_item *end = &t->ends[m];
        uint32_t node = t->node[t->first + m], joined = t->node[end->a];
        bool elsewhere = node != NONE || end->at == BRANCH_ESSENTIAL;
        if (node != NONE) *end = (radix_item){tree->death[node], t->name[tree->parent[node]], 0};
        else if (end->b && joined != NONE) end->a = t->name[branches_climb(tree, joined, end->at)];
        end->b = elsewhere ? minimum[m] : (uint32_t)end->at;
    }
}

/* Makes the values of deaths those of all. */
static void note_deaths(together *t) {
    together_known *known = t->known;
    size_t size = matrix_value_size(known->births.type);
    for (uint32_t k = 0; k < t->tree.count; k++)
        memcpy((char *)known->of_deaths + t->name[k] * size, t->saddle + k * size, size);
    known->deaths = known->births;
    known->deaths.values = known->of_deaths;
}

/* Makes the tree of the ends of all branches. */
static glshape_status make_tree(together *t, radix_item **ends, branches *out) {
    OWNED uint32_t *number = NULL;
    uint32_t count = t->minima;
    t->s->minimum_room = 0;
    note_deaths(t);
    TRY(allocate(err_of(t), &number, count, sizeof *number, "the branches"));
    for (uint32_t m = 0; m < count; m++) number[m] = m;
    TRY(memory_resize(err_of(t), ends, 2 * (size_t)count, sizeof **ends, "the branches"));
    for (uint32_t m = 0; m < count; m++) {
        radix_item end = (*ends)[m];
        const uint32_t words[4] = {(uint32_t)(end.at >> 32), (uint32_t)end.at, end.a, 0};
        memcpy(&(*ends)[m], words, sizeof words);
    }
    TRY(branches_of_forest(err_of(t), &t->known->order, MOVE(number), count, *ends, out));
    free(out->minimum);
    out->minimum = MOVE(t->s->minimum);
    return GLSHAPE_OK;
}

glshape_status together_find(slabs *s, size_t count, together_known *known, branches *tree) {
    uint32_t first = s->base[s->own], own = s->base[s->own_end] - first;
    OWNED_BY(together_free)
    together t = {.s = s, .known = known, .minima = s->base[s->count], .first = first, .own = own};
    OWNED radix_item *ends = NULL;
    size_t all;
    TRY(begin(&t));
    TRY(decide(&t, count));
    TRY(bring_open(&t));
    if (!s->ranks->rank) TRY(decide_open(&t));
    TRY(share_decisions(&t));
    complete_ends(&t, s->minimum + (s->ranks->rank ? 0 : first));
    TRY(bring(&t, t.ends, own, sizeof *ends, vertex_of_end, &ends, &all, &known->of_deaths));
    if (s->ranks->rank) return GLSHAPE_OK;
    ranks_first_alone(s->ranks, true);
    return make_tree(&t, &ends, tree);
}
