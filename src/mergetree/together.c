/* The tree of a field whose slabs several ranks have.
 *
 * A basin that no side between ranks touches is known to its own rank alone, and so are all its edges. A
 * component of such basins ends where it joins an older one, whatever other ranks know: its rank decides
 * that. What is left are open edges, between components that others see. The first rank applies the elder
 * rule to the open edges of all, which are about as many as basins at sides. Then each rank looks up there
 * who was the oldest where its own branches ended. (Morozov, Weber, "Distributed merge trees", 2013, split
 * trees into local and global parts in the same way.)
 *
 * Each rank numbers its vertices in 32 bits (order.origin). To compare saddles of several ranks, `at` has the
 * key and, in place of the vertex, the number of the edge among the sorted edges of all ranks, one rank's
 * behind the other's. Of equal keys these numbers ascend as the vertices do. */
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
#define SEEN 0x80000000u /* with the number of a minimum: another rank sees its component */

typedef struct together {
    slabs *s;
    together_known *known;
    uint32_t minima, first, own; /* minima of all; the own ones: first … first + own - 1 */
    uint32_t *set;               /* of all minima; the root of an own component is its oldest own minimum */
    uint8_t *seen;               /* of a root: another rank sees the component, too */
    uint64_t *birth;             /* of own minima */
    size_t *edges;               /* by rank: how many edges ranks before it have; and all */
    radix_item *ends; /* of own minima. at: where the branch ends; a: a minimum of the component that it joins
                         there, perhaps SEEN, in the end its parent; b: the vertex where it ends, if that was
                         decided here, else any */
    size_t open;      /* the first edges of s->edges */
    uint32_t *vertex; /* of open edges */
    branches tree;    /* of open edges */
    uint32_t *name;   /* of its branches: the numbers among all minima */
    uint32_t *node;   /* of all minima: the number in that tree, or NONE */
    char *saddles, *saddle;  /* values at open edges; where branches of that tree end */
    uint64_t *saddle_vertex; /* the vertices of these, of the field */
} together;

static error *err_of(const together *t) { return gpu_error(t->s->g); }

void together_known_free(together_known *known) {
    free(known->of_births);
    free(known->of_deaths);
    free(known->vertices);
    *known = (together_known){0};
}

static void together_free(together *t) {
    void *const all[] = {t->set,  t->seen, t->birth,   t->edges,  t->ends,         t->vertex,
                         t->name, t->node, t->saddles, t->saddle, t->saddle_vertex};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    branches_free(&t->tree);
}

/* ---- what a rank decides ----------------------------------------------------------------------- */

static void see_side(together *t, int q, bool last) {
    const uint32_t *side = slabs_outer(t->s, q, last);
    for (uint32_t k = 0; k < t->s->plane; k++) t->seen[side[k] ^ BASINS_ARRIVED] = 1;
}

static void begin_all(void *user, size_t first, size_t end) {
    const together *t = user;
    for (size_t m = first; m < end; m++) t->set[m] = (uint32_t)m;
}

static void begin_own(void *user, size_t first, size_t end) {
    const together *t = user;
    const slabs *s = t->s;
    for (size_t m = first; m < end; m++) {
        t->birth[m] = order_of(s->order, s->minimum[m]);
        t->ends[m] = (radix_item){BRANCH_ESSENTIAL, t->first + (uint32_t)m, s->minimum[m]};
    }
}

static glshape_status begin(together *t) {
    const slabs *s = t->s;
    error *err = err_of(t);
    TRY(allocate(err, &t->set, t->minima, sizeof *t->set, "components of minima"));
    TRY(allocate(err, &t->seen, t->minima, sizeof *t->seen, "components of minima"));
    TRY(allocate(err, &t->birth, t->own, sizeof *t->birth, "components of minima"));
    TRY(allocate(err, &t->ends, t->own, sizeof *t->ends, "the branches"));
    threads_ranges(t->minima, begin_all, t);
    threads_ranges(t->own, begin_own, t);
    for (int q = 0; q < s->ranks->size; q++) {
        see_side(t, q, false);
        see_side(t, q, true);
    }
    return GLSHAPE_OK;
}

/* What is born elsewhere, of which only its rank knows when, counts as young: so nothing ends that should
 * not. */
static uint64_t birth_of(const together *t, uint32_t root) {
    return root - t->first < t->own ? t->birth[root - t->first] : UINT64_MAX;
}

/* Joins the components of an edge at a vertex. Returns the minimum that ends there for certain, or NONE. */
static uint32_t join(together *t, radix_item e, uint32_t vertex) {
    uint32_t x = union_find(t->set, e.a), y = union_find(t->set, e.b);
    if (x == y) return NONE;
    uint32_t elder = birth_of(t, x) < birth_of(t, y) ? x : y, younger = elder == x ? y : x;
    t->set[younger] = elder;
    if (t->seen[younger]) {
        t->seen[elder] = true;
        t->vertex[t->open] = vertex;
        t->s->edges[t->open++] = (radix_item){e.at, elder, younger};
        return NONE;
    }
    t->ends[younger - t->first] = (radix_item){e.at, younger, vertex};
    return younger;
}

/* Gives the edges of all ranks one numbering. */
static glshape_status number_edges(together *t, size_t count) {
    const ranks *r = t->s->ranks;
    size_t all = 0;
    TRY(allocate(err_of(t), &t->edges, (size_t)r->size + 1, sizeof *t->edges, "the saddles of ranks"));
    t->edges[r->rank] = count;
    TRY(ranks_gather(r, err_of(t), t->edges, sizeof *t->edges, (uint64_t)r->size, 1));
    for (int q = 0; q <= r->size; q++) {
        size_t own = t->edges[q];
        t->edges[q] = all;
        all += own;
    }
    if (all <= UINT32_MAX) return GLSHAPE_OK;
    return fail(err_of(t), GLSHAPE_BAD_ARGUMENT,
                "more than 2^32 - 1 saddles between basins: coarsen the field");
}

static glshape_status sort_edges(together *t, size_t count) {
    OWNED radix_item *spare = NULL;
    TRY(allocate(err_of(t), &spare, count, sizeof *spare, "the saddles of slabs"));
    radix_sort(t->s->edges, spare, count);
    return GLSHAPE_OK;
}

/* Applies the elder rule to the own edges, as far as it is certain; the open ones are moved to the front. */
static glshape_status decide(together *t, size_t count) {
    OWNED uint32_t *ended = NULL; /* at one saddle */
    radix_item *edges = t->s->edges;
    TRY(sort_edges(t, count));
    TRY(allocate(err_of(t), &ended, t->own, sizeof *ended, "the branches"));
    TRY(allocate(err_of(t), &t->vertex, count, sizeof *t->vertex, "the saddles of slabs"));
    for (size_t k = 0, some = 0; k < count; some = 0) {
        uint64_t here = edges[k].at, at = here >> 32 << 32 | (t->edges[t->s->ranks->rank] + k);
        for (; k < count && edges[k].at == here; k++) {
            uint32_t m = join(t, (radix_item){at, edges[k].a, edges[k].b}, (uint32_t)here);
            if (m != NONE) ended[some++] = m;
        }
        while (some--) {
            uint32_t *joined = &t->ends[ended[some] - t->first].a;
            *joined = union_find(t->set, ended[some]);
            if (t->seen[*joined]) *joined |= SEEN;
        }
    }
    return GLSHAPE_OK;
}

/* ---- to the first rank ------------------------------------------------------------------------- */

/* Copies values at vertices; of these one comes every `step` bytes. */
typedef struct copying {
    const char *vertex;
    size_t step, count, size;
    const char *values;
    char *out;
} copying;

static void copy_block(void *user, size_t block) {
    const copying *c = user;
    size_t first = block * BLOCK, end = c->count - first < BLOCK ? c->count : first + BLOCK;
    for (size_t k = first; k < end; k++) {
        uint32_t v;
        memcpy(&v, c->vertex + k * c->step, sizeof v);
        memcpy(c->out + k * c->size, c->values + v * c->size, c->size);
    }
}

/* Brings the values at vertices of all ranks to the first, in *all; free() it. */
static glshape_status bring_values(together *t, const void *vertex, size_t step, size_t count, void *all) {
    OWNED char *out = NULL;
    const order *o = t->s->order;
    size_t size = matrix_value_size(o->field->type), bytes;
    TRY(allocate(err_of(t), &out, count, size, "values of saddles"));
    const char *values = (const char *)o->field->values + o->origin * size;
    copying c = {vertex, step, count, size, values, out};
    threads_run(0, (count + BLOCK - 1) / BLOCK, copy_block, &c);
    return ranks_collect(t->s->ranks, err_of(t), out, count * size, all, &bytes);
}

/* Brings an array of all ranks to the first, in place of its own one. */
static glshape_status bring(together *t, void *array, size_t *count, size_t size) {
    OWNED void *all = NULL;
    void *own;
    size_t bytes;
    memcpy(&own, array, sizeof own);
    TRY(ranks_collect(t->s->ranks, err_of(t), own, *count * size, &all, &bytes));
    if (t->s->ranks->rank) return GLSHAPE_OK;
    free(own);
    own = MOVE(all);
    memcpy(array, &own, sizeof own);
    *count = bytes / size;
    return GLSHAPE_OK;
}

/* Brings the minima and the open edges of all. */
static glshape_status bring_open(together *t) {
    slabs *s = t->s;
    together_known *known = t->known;
    size_t minima = t->own, vertices = t->open;
    TRY(bring_values(t, s->minimum, sizeof *s->minimum, minima, &known->of_births));
    TRY(bring(t, &s->minimum, &minima, sizeof *s->minimum));
    TRY(bring_values(t, t->vertex, sizeof *t->vertex, vertices, &t->saddles));
    TRY(bring(t, &t->vertex, &vertices, sizeof *t->vertex));
    TRY(bring(t, &s->edges, &t->open, sizeof *s->edges));
    if (s->ranks->rank) return GLSHAPE_OK;
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

/* The vertex of the field that the vertices of rank q are numbered from. */
static uint64_t origin_of(const together *t, int q) {
    const slabs *s = t->s;
    return (uint64_t)s->first[s->owned[q]] * s->plane;
}

/* The vertex of the field at open edge k, of a number among all edges. */
static uint64_t vertex_of_edge(const together *t, uint32_t k, uint32_t number) {
    int q = 0;
    while (t->edges[q + 1] <= number) q++;
    return origin_of(t, q) + t->vertex[k];
}

/* Notes where branches end at open edges, and at which values. */
static glshape_status note_saddles(together *t, radix_item *edges) {
    OWNED radix_item *spare = NULL;
    branches *tree = &t->tree;
    size_t size = matrix_value_size(t->known->births.type);
    TRY(allocate(err_of(t), &spare, t->open, sizeof *spare, "the saddles of slabs"));
    TRY(allocate(err_of(t), &t->saddle, tree->count, size, "values of saddles"));
    TRY(allocate(err_of(t), &t->saddle_vertex, tree->count, sizeof *t->saddle_vertex, "vertices of saddles"));
    radix_sort(edges, spare, t->open);
    for (uint32_t k = 0; k < tree->count; k++) {
        size_t first = 0, end = t->open;
        while (first + 1 < end) {
            size_t middle = first + (end - first) / 2;
            if (edges[middle].at <= tree->death[k]) first = middle;
            else end = middle;
        }
        memcpy(t->saddle + k * size, t->saddles + edges[first].a * size, size);
        t->saddle_vertex[k] = vertex_of_edge(t, edges[first].a, (uint32_t)edges[first].at);
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

/* Completes the ends of own branches. */
static void complete_ends(void *user, size_t first, size_t last) {
    const together *t = user;
    const branches *tree = &t->tree;
    for (size_t m = first; m < last; m++) {
        radix_item *end = &t->ends[m];
        bool seen = end->a & SEEN;
        end->a &= ~SEEN;
        uint32_t node = t->node[t->first + m], joined = t->node[end->a];
        if (node != NONE) *end = (radix_item){tree->death[node], t->name[tree->parent[node]], end->b};
        else if (seen && joined != NONE) end->a = t->name[branches_climb(tree, joined, end->at)];
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

/* Gives each branch the vertices of the field where it begins and ends, in place of what stands for them. */
static glshape_status name_vertices(together *t, radix_item *ends, bool wide) {
    const slabs *s = t->s;
    uint32_t *minimum = s->minimum, count = t->minima;
    if (wide)
        TRY(allocate(err_of(t), &t->known->vertices, 2 * (size_t)count, sizeof(uint64_t), "the branches"));
    uint64_t *vertices = t->known->vertices;
    for (int q = 0; q < s->ranks->size; q++) {
        uint64_t origin = origin_of(t, q);
        for (uint32_t m = s->base[s->owned[q]]; m < s->base[s->owned[q + 1]]; m++) {
            uint64_t birth = origin + minimum[m], at = ends[m].at;
            uint64_t death = t->node[m] == NONE ? origin + ends[m].b : t->saddle_vertex[t->node[m]];
            minimum[m] = wide ? m : (uint32_t)birth;
            if (wide) vertices[m] = birth, vertices[(size_t)count + m] = death;
            else if (at != BRANCH_ESSENTIAL) ends[m].at = at >> 32 << 32 | death;
        }
    }
    return GLSHAPE_OK;
}

static void number_all(void *user, size_t first, size_t end) {
    for (size_t m = first; m < end; m++) ((uint32_t *)user)[m] = (uint32_t)m;
}

/* Makes of the ends what branches_of_forest() reads. */
static void spell_ends(void *user, size_t first, size_t last) {
    for (size_t m = first; m < last; m++) {
        radix_item *item = (radix_item *)user + m, end = *item;
        const uint32_t words[4] = {(uint32_t)(end.at >> 32), (uint32_t)end.at, end.a, 0};
        memcpy(item, words, sizeof words);
    }
}

/* Makes the tree of the ends of all branches. */
static glshape_status make_tree(together *t, radix_item **ends, branches *out) {
    OWNED uint32_t *number = NULL;
    uint32_t count = t->minima;
    t->s->minimum_room = 0;
    note_deaths(t);
    TRY(allocate(err_of(t), &number, count, sizeof *number, "the branches"));
    threads_ranges(count, number_all, number);
    TRY(memory_resize(err_of(t), ends, 2 * (size_t)count, sizeof **ends, "the branches"));
    threads_ranges(count, spell_ends, *ends);
    TRY(branches_of_forest(err_of(t), &t->known->order, MOVE(number), count, *ends, out));
    free(out->minimum);
    out->minimum = MOVE(t->s->minimum);
    return GLSHAPE_OK;
}

glshape_status together_find(slabs *s, size_t count, bool wide, together_known *known, branches *tree) {
    uint32_t first = s->base[s->own], own = s->base[s->own_end] - first;
    OWNED_BY(together_free)
    together t = {.s = s, .known = known, .minima = s->base[s->count], .first = first, .own = own};
    size_t all = own;
    TRY(begin(&t));
    TRY(number_edges(&t, count));
    TRY(decide(&t, count));
    TRY(bring_open(&t));
    if (!s->ranks->rank) TRY(decide_open(&t));
    TRY(share_decisions(&t));
    threads_ranges(own, complete_ends, &t);
    TRY(bring_values(&t, &t.ends->b, sizeof *t.ends, own, &known->of_deaths));
    TRY(bring(&t, &t.ends, &all, sizeof *t.ends));
    if (s->ranks->rank) return GLSHAPE_OK;
    ranks_first_alone(s->ranks, true);
    TRY(name_vertices(&t, t.ends, wide));
    return make_tree(&t, &t.ends, tree);
}
