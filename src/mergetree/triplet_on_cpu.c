/* Triplets on the CPU: in order, each vertex joins the components of its lower neighbors
 * (Carr, Snoeyink, Axen 2003). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mergetree/triplet.h"
#include "tree/union.h"

#define PER_TICK (1u << 20) /* vertices */

enum { MOST_AROUND = 26 };

typedef struct sweep {
    const glshape_graph *graph; /* NULL: a grid */
    const grid *grid;
    int steps[MOST_AROUND][3];   /* to the neighbors of a vertex of the grid */
    uint32_t apart[MOST_AROUND]; /* what a step adds to a vertex, where it does not leave the grid */
    int step_count;
    uint32_t around[MOST_AROUND];
    uint32_t *sorted, *place; /* vertices in order; each one's place, TRIPLET_NONE before its turn */
    uint32_t *sets;           /* of places: the root of a set is the place of its oldest minimum */
} sweep;

static void sweep_free(sweep *s) {
    free(s->sorted);
    free(s->place);
    free(s->sets);
}

static void list_steps(sweep *s) {
    const uint32_t *extent = s->grid->extent;
    for (int k = 0; k < 27; k++) {
        const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        bool flat = false; /* an axis of one vertex leads nowhere */
        for (int axis = 0; axis < 3; axis++) flat |= step[axis] && extent[axis] == 1;
        if (flat || !grid_are_neighbors(s->grid->hood, step)) continue;
        memcpy(s->steps[s->step_count], step, sizeof step);
        uint32_t rows = (uint32_t)step[1] + extent[1] * (uint32_t)step[2];
        s->apart[s->step_count++] = (uint32_t)step[0] + extent[0] * rows;
    }
}

/* Fills s->around with the neighbors of v in the grid; returns how many. */
static size_t list_around(sweep *s, uint32_t v) {
    const uint32_t *extent = s->grid->extent;
    const uint32_t at[3] = {v % extent[0], v / extent[0] % extent[1], v / extent[0] / extent[1]};
    size_t count = 0;
    bool inner = true;
    for (int axis = 0; axis < 3; axis++)
        inner &= extent[axis] == 1 || (at[axis] > 0 && at[axis] + 1 < extent[axis]);
    for (int k = 0; inner && k < s->step_count; k++) s->around[k] = v + s->apart[k];
    if (inner) return (size_t)s->step_count;
    for (int k = 0; k < s->step_count; k++) {
        uint32_t to[3];
        bool there = true;
        for (int axis = 0; axis < 3; axis++) {
            to[axis] = at[axis] + (uint32_t)s->steps[k][axis];
            if (to[axis] < extent[axis]) continue; /* below 0 it wraps */
            to[axis] = s->steps[k][axis] < 0 ? extent[axis] - 1 : 0;
            there &= s->grid->periodic >> axis & 1;
        }
        if (there) s->around[count++] = (to[2] * extent[1] + to[1]) * extent[0] + to[0];
    }
    return count;
}

static uint32_t root_of(const sweep *s, uint32_t v) { return union_find(s->sets, s->place[v]); }

/* The vertex at this place takes its turn. */
static void take_vertex(sweep *s, uint32_t place, uint32_t *saddle, uint32_t *other) {
    uint32_t v = s->sorted[place], oldest = place;
    const uint32_t *to = s->graph ? s->graph->to + s->graph->start[v] : s->around;
    size_t count = s->graph ? s->graph->start[v + 1] - s->graph->start[v] : list_around(s, v);
    uint32_t youngest = 0;
    for (size_t k = 0; k < count; k++) {
        if (s->place[to[k]] == TRIPLET_NONE) continue;
        uint32_t root = root_of(s, to[k]);
        if (root < oldest) oldest = root;
        if (root > youngest) youngest = root;
    }
    for (size_t k = 0; oldest < youngest && k < count; k++) {
        if (s->place[to[k]] == TRIPLET_NONE) continue;
        uint32_t root = root_of(s, to[k]);
        if (root == oldest) continue;
        s->sets[root] = oldest;
        saddle[s->sorted[root]] = v;
        other[s->sorted[root]] = s->sorted[oldest];
    }
    s->place[v] = place;
    s->sets[place] = oldest;
    saddle[v] = oldest < place ? v : TRIPLET_NONE;
    other[v] = s->sorted[oldest];
}

glshape_status triplet_find_on_cpu(run *r, const order *o, const grid *d, uint32_t *saddle, uint32_t *other) {
    OWNED_BY(sweep_free) sweep s = {.graph = o->field->graph, .grid = d};
    error *err = run_error(r);
    uint32_t links;
    if (s.graph) TRY(grid_count_links(err, s.graph, &links));
    else list_steps(&s);
    TRY(order_sort(err, o, &s.sorted));
    TRY(allocate(err, &s.place, o->n, sizeof *s.place, "the vertices in order"));
    TRY(allocate(err, &s.sets, o->n, sizeof *s.sets, "the components"));
    for (uint32_t v = 0; v < o->n; v++) s.place[v] = TRIPLET_NONE;
    for (uint32_t k = 0; k < o->n; k++) {
        if (k % PER_TICK == PER_TICK - 1) TRY(run_tick(r, (double)k / o->n));
        take_vertex(&s, k, saddle, other);
    }
    return GLSHAPE_OK;
}
