/* Fields of two dimensions on the CPU: both trees at once. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/run.h"
#include "field/flat.h"
#include "tree/union.h"

/* The elder rule over the minima, or over the maxima: there the saddles come in reversed order, and the
 * outside is older than all. */
typedef struct elders {
    const order *order;
    flat_graph graph;
    bool high;
    uint64_t *birth; /* what comes first is the elder */
    uint32_t *sets;  /* the root of a set is its oldest extremum */
    radix_item
        *pairs; /* as cubical_run has them. Of minima: by vertex; of maxima: by birth, from `first` on */
    size_t first;
} elders;

static void elders_free(elders *e) {
    flat_graph_free(&e->graph);
    free(e->birth);
    free(e->sets);
    free(e->pairs);
}

static glshape_status elders_new(error *err, elders *e) {
    uint32_t count = e->graph.count;
    TRY(allocate(err, &e->birth, count, sizeof *e->birth, "the components"));
    TRY(allocate(err, &e->sets, count, sizeof *e->sets, "the components"));
    TRY(allocate(err, &e->pairs, count, sizeof *e->pairs, "the components"));
    e->first = e->high ? count : 0;
    return GLSHAPE_OK;
}

static void begin_components(elders *e) {
    for (uint32_t m = 0; m < e->graph.count; m++) {
        uint32_t v = e->graph.extremum[m];
        bool outside = v == GLSHAPE_NO_VERTEX;
        uint64_t at = outside ? UINT64_MAX : order_of(e->order, v);
        e->sets[m] = m;
        e->birth[m] = e->high ? ~at : at;
        if (!e->high) e->pairs[m] = (radix_item){at, UINT32_MAX, GLSHAPE_NO_VERTEX};
    }
}

static void join(elders *e, const radix_item *edge) {
    uint32_t x = union_find(e->sets, edge->a), y = union_find(e->sets, edge->b);
    if (x == y) return;
    uint32_t younger = e->birth[x] < e->birth[y] ? y : x;
    e->sets[younger] = x ^ y ^ younger;
    uint64_t birth = e->high ? edge->at : e->birth[younger], death = e->high ? ~e->birth[younger] : edge->at;
    e->pairs[e->high ? --e->first : younger] = (radix_item){birth, (uint32_t)(death >> 32), (uint32_t)death};
}

static void apply_elder_rule(void *user, size_t which) {
    elders *e = (elders *)user + which;
    const radix_item *edges = e->graph.edges;
    size_t count = e->graph.edge_count;
    if (!e->sets) return;
    begin_components(e);
    for (size_t k = 0; k < count; k++) join(e, &edges[e->high ? count - 1 - k : k]);
}

/* Adds the pairs of dimension 1 and, where there is no outside, the class of the whole. */
static glshape_status add_high(cubical_run *run, elders *e) {
    size_t first = e->first, count = e->graph.count - first;
    uint32_t root = e->graph.extremum[union_find(e->sets, 0)];
    TRY(cubical_add_pairs(run, 1, MOVE(e->pairs), first, count, false));
    return root == GLSHAPE_NO_VERTEX ? GLSHAPE_OK : cubical_add_pair(run, 2, root, GLSHAPE_NO_VERTEX);
}

static void both_free(elders (*both)[2]) {
    for (int i = 0; i < 2; i++) elders_free(&(*both)[i]);
}

glshape_status cubical_add_flat(cubical_run *run, bool low, bool high) {
    OWNED_BY(both_free) elders both[2] = {{.order = &run->order}, {.order = &run->order, .high = true}};
    bool wanted[2] = {low, high};
    grid d = run->grid;
    d.hood = run->o.construction == GLSHAPE_CUBICAL_VERTICES ? 6 : 26;
    TRY(flat_find(err_of(run), &run->order, &d, low ? &both[0].graph : NULL, high ? &both[1].graph : NULL));
    for (int i = 0; i < 2; i++)
        if (wanted[i]) TRY(elders_new(err_of(run), &both[i]));
    threads_run(0, 2, apply_elder_rule, both);
    run_fact(run_of(run->g), (double)(both[0].graph.edge_count + both[1].graph.edge_count),
             "edges between basins");
    if (low) TRY(cubical_add_pairs(run, 0, MOVE(both[0].pairs), 0, both[0].graph.count, false));
    return high ? add_high(run, &both[1]) : GLSHAPE_OK;
}
