#include "rips/isolated.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"

/* ---- without them ------------------------------------------------------------------------------ */

static bool has_neighbors(const rips_graph *g, uint32_t v) { return g->start[v + 1] > g->start[v]; }

/* to[v]: the new number of v. */
static void renumber(rips_space *s, const uint32_t *point, uint32_t count, uint32_t *to) {
    rips_graph *g = &s->graph;
    size_t edges = g->start[s->n];
    for (uint32_t k = 0; k < count; k++) {
        to[point[k]] = k;
        g->start[k] = g->start[point[k]];
    }
    g->start[count] = edges;
    for (size_t e = 0; e < edges; e++) g->point[e] = to[g->point[e]];
    s->n = count;
}

/* Leaves in s the births of the points that are kept. */
static glshape_status move_births(error *err, rips_space *s, rips_kept *kept, uint32_t count) {
    if (!s->birth) return GLSHAPE_OK;
    kept->birth = MOVE(s->birth);
    TRY(allocate(err, &s->birth, count, sizeof *s->birth, "births"));
    for (uint32_t k = 0; k < count; k++) s->birth[k] = kept->birth[kept->point[k]];
    return GLSHAPE_OK;
}

glshape_status rips_drop_isolated(error *err, rips_space *s, rips_kept *kept) {
    OWNED uint32_t *to = NULL;
    uint32_t count = 0;
    kept->n = s->n;
    for (uint32_t v = 0; v < s->n; v++) count += has_neighbors(&s->graph, v);
    if (count == s->n) return GLSHAPE_OK;
    TRY(allocate(err, &kept->point, count, sizeof *kept->point, "the points with neighbors"));
    TRY(allocate(err, &to, s->n, sizeof *to, "the points with neighbors"));
    for (uint32_t v = 0, k = 0; v < s->n; v++)
        if (has_neighbors(&s->graph, v)) kept->point[k++] = v;
    TRY(move_births(err, s, kept, count));
    renumber(s, kept->point, count, to);
    return GLSHAPE_OK;
}

/* ---- with them again --------------------------------------------------------------------------- */

typedef struct restoring {
    const rips_kept *kept;
    const rips_space *s;
    glshape_interval *out;
    size_t count;
    float threshold;
} restoring;

static glshape_simplex restored(const restoring *w, glshape_simplex simplex, int vertices) {
    uint32_t v[RIPS_MOST_VERTICES];
    if (simplex == GLSHAPE_NO_SIMPLEX) return simplex;
    simplex_table_vertices(&w->s->simplices, simplex, vertices, v);
    for (int i = 0; i < vertices; i++) v[i] = w->kept->point[v[i]];
    return simplex_index(v, vertices);
}

static void put_interval(restoring *w, glshape_interval i) {
    i.birth_simplex = restored(w, i.birth_simplex, i.dim + 1);
    i.death_simplex = restored(w, i.death_simplex, i.dim + 2);
    w->out[w->count++] = i;
}

/* Appends the intervals of the isolated points from *end - 1 down to least. *left: how many points below *end
 * are kept. Updates both. */
static void put_isolated(restoring *w, uint32_t least, uint32_t *end, uint32_t *left) {
    while (*end > least) {
        uint32_t v = --*end;
        float birth = w->kept->birth ? w->kept->birth[v] : 0;
        if (*left && w->kept->point[*left - 1] == v) --*left;
        else if (birth <= w->threshold)
            w->out[w->count++] = (glshape_interval){0, birth, INFINITY, v, GLSHAPE_NO_SIMPLEX};
    }
}

static bool is_essential(const glshape_interval *i) {
    return i->dim == 0 && i->death_simplex == GLSHAPE_NO_SIMPLEX;
}

static void put_all(restoring *w, const glshape_rips_result *r) {
    uint32_t end = w->kept->n, left = w->s->n;
    size_t k = 0;
    for (; k < r->count && r->intervals[k].dim == 0; k++) {
        const glshape_interval *i = &r->intervals[k];
        if (is_essential(i)) put_isolated(w, w->kept->point[i->birth_simplex] + 1, &end, &left);
        put_interval(w, *i);
    }
    put_isolated(w, 0, &end, &left);
    for (; k < r->count; k++) put_interval(w, r->intervals[k]);
}

glshape_status rips_restore_isolated(error *err, const rips_kept *kept, const rips_space *s,
                                     glshape_rips_result *r) {
    restoring w = {.kept = kept, .s = s, .threshold = r->threshold};
    size_t before = r->count;
    if (!kept->point) return GLSHAPE_OK;
    TRY(allocate(err, &w.out, r->count + (kept->n - s->n), sizeof *w.out, "the list of intervals"));
    put_all(&w, r);
    free(r->intervals);
    r->intervals = w.out;
    r->count = w.count;
    for (size_t k = 0; k < r->cocycle_count; k++) {
        glshape_cocycle *c = &r->cocycles[k];
        c->interval += r->count - before; /* points come first */
        for (size_t t = 0; t < c->count; t++)
            c->terms[t].simplex = restored(&w, c->terms[t].simplex, r->intervals[c->interval].dim + 1);
    }
    return GLSHAPE_OK;
}

void rips_kept_free(rips_kept *kept) {
    free(kept->point);
    free(kept->birth);
    *kept = (rips_kept){0};
}
