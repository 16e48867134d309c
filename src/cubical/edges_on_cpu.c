/* The edges of a small grid that dimension 0 leaves, on the CPU. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cubical/edges.h"
#include "tree/union.h"

/* Vertices come in order; those before have their places. */
typedef struct sweep {
    const cubes *cubes;
    uint32_t *sorted, *place;
    uint32_t *sets, *death; /* by place. The root of a set is its oldest vertex; where it dies */
    cubical_edges *out;
} sweep;

static void sweep_free(sweep *s) {
    free(s->sorted);
    free(s->place);
    free(s->sets);
    free(s->death);
}

/* Joins the components at the ends of an edge of the vertex at this place; false if they are one. */
static bool join_ends(sweep *s, uint32_t place, uint32_t to) {
    uint32_t a = union_find(s->sets, place), b = union_find(s->sets, s->place[to]);
    uint32_t younger = a < b ? b : a;
    if (a == b) return false;
    s->sets[younger] = a ^ b ^ younger;
    s->death[younger] = s->sorted[place];
    return true;
}

static void take_vertex(sweep *s, uint32_t place) {
    cubical_edges *out = s->out;
    uint32_t v = s->sorted[place], to[6], paired, left = 0, set = cubes_edges(s->cubes, v, to, &paired);
    s->place[v] = s->sets[place] = place;
    s->death[place] = GLSHAPE_NO_VERTEX;
    for (int i = 0; i < 6; i++)
        if ((set & ~paired) >> i & 1 && !join_ends(s, place, to[i])) left |= 1u << i;
    set &= ~paired & (set - 1); /* the first edge is paired with v */
    out->examined += (size_t)__builtin_popcount(set);
    if (left) out->left[out->count++] = (radix_item){v, left, 0};
}

/* Lists the minima: all vertices but those that die as they come. */
static glshape_status list_minima(error *err, const sweep *s, uint32_t n) {
    cubical_edges *out = s->out;
    for (uint32_t k = 0; k < n; k++) out->minima += s->death[k] != s->sorted[k];
    TRY(allocate(err, &out->birth, out->minima, sizeof *out->birth, "the components"));
    TRY(allocate(err, &out->death, out->minima, sizeof *out->death, "the components"));
    for (uint32_t k = 0, m = 0; k < n; k++) {
        if (s->death[k] == s->sorted[k]) continue;
        out->birth[m] = s->sorted[k];
        out->death[m++] = s->death[k];
    }
    return GLSHAPE_OK;
}

glshape_status cubical_edges_on_cpu(error *err, const order *o, const cubes *c, cubical_edges *out) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    OWNED radix_item *spare = NULL;
    OWNED_BY(sweep_free) sweep s = {.cubes = c, .out = &e};
    *out = (cubical_edges){0};
    TRY(order_sort(err, o, &s.sorted));
    TRY(allocate(err, &s.place, o->n, sizeof *s.place, "the vertices in order"));
    TRY(allocate(err, &s.sets, o->n, sizeof *s.sets, "the components"));
    TRY(allocate(err, &s.death, o->n, sizeof *s.death, "the components"));
    TRY(allocate(err, &e.left, o->n, sizeof *e.left, "the edges"));
    for (uint32_t k = 0; k < o->n; k++) take_vertex(&s, k);
    TRY(list_minima(err, &s, o->n));
    TRY(allocate(err, &spare, e.count, sizeof *spare, "the edges"));
    radix_sort(e.left, spare, e.count);
    *out = MOVE(e);
    return GLSHAPE_OK;
}
