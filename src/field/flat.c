/* By rows. One byte a vertex says which neighbors are lower; a table says what follows from it for each of
 * the two graphs: where to go on to an extremum, and which neighbors lead to different ones.
 *
 * A vertex that can go on to one before it, in its row or the row before, takes over the vertex that this one
 * stands at. The others are open: they and the extrema stand at themselves. Then open vertices are followed
 * to extrema. */
#include "field/flat.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define BLOCK 65536u /* vertices that a thread takes at a time, more or less */
#define PLACES 8     /* around a vertex, by y, then x */
#define AHEAD 4      /* the first of those after the vertex */
#define NOWHERE 8    /* the place that an extremum goes on to */
#define SETS 256     /* of places, as bits */
#define NUMBER 0x80000000u
#define NO_VERTEX UINT32_MAX
#define GRAPHS 2
#define PIECE 1024u /* vertices of a row that are picked at a time */

/* What a graph makes of the set of lower neighbors. */
typedef struct table {
    uint8_t to[SETS];     /* place to go on to; one before the vertex if possible */
    int32_t before[SETS]; /* how far that is; 0: it is not before the vertex */
    uint8_t stands[SETS]; /* whether there is none before it */
    uint8_t open[SETS];   /* whether there is one, but none before it */
    uint8_t leads[SETS];  /* a place of each component of neighbors on this side, as a set */
    uint8_t joins[SETS];  /* how many components there are beside the first */
    uint8_t parts[SETS];  /* whether there are several */
} table;

/* One of the graphs. */
typedef struct side {
    flat_graph *graph;
    bool high;
    table table;
    _Atomic uint32_t *at; /* of each vertex, then of the outside: a vertex on the way to an extremum; NUMBER |
                             that of the extremum */
} side;

/* The rows that a thread takes at a time. */
typedef struct part {
    uint32_t extrema[GRAPHS], first_extremum[GRAPHS];
    size_t edges[GRAPHS], first_edge[GRAPHS]; /* at first as many as there may be */
} part;

typedef struct flat {
    const order *order;
    const grid *grid;
    side sides[GRAPHS];
    int graphs;
    uint32_t n, rows; /* vertices; rows of a part */
    part *parts;
    size_t part_count;
    uint32_t *key;
    uint8_t *below; /* of each vertex: its lower neighbors, as a set */
    int32_t step[PLACES];
} flat;

void flat_graph_free(flat_graph *g) {
    free(g->extremum);
    free(g->edges);
    *g = (flat_graph){0};
}

static void flat_free(flat *f) {
    for (int i = 0; i < GRAPHS; i++) free(f->sides[i].at);
    free(f->parts);
    free(f->key);
    free(f->below);
}

/* ---- places ------------------------------------------------------------------------------------ */

static int column_of(int place) { return (place + (place >= AHEAD)) % 3 - 1; }
static int row_of(int place) { return (place + (place >= AHEAD)) / 3 - 1; }

/* The vertex at a place around (x, y); n or n + 1 for that part of the outside. */
static uint32_t vertex_at(const flat *f, uint32_t x, uint32_t y, int place) {
    const uint32_t *extent = f->grid->extent;
    uint32_t to[2] = {x + (uint32_t)column_of(place), y + (uint32_t)row_of(place)};
    for (int axis = 0; axis < 2; axis++) {
        if (to[axis] < extent[axis]) continue; /* below 0 it wraps */
        bool beyond = to[axis] == extent[axis];
        if (!(f->grid->periodic >> axis & 1)) return f->n + (beyond && f->grid->periodic & 3);
        to[axis] = beyond ? 0 : extent[axis] - 1;
    }
    return to[1] * extent[0] + to[0];
}

/* How many parts the outside has. */
static uint32_t outsides(const grid *d) {
    int periodic = __builtin_popcount(d->periodic & 3);
    return periodic == 2 ? 0 : 1 + (uint32_t)periodic;
}

/* ---- the tables -------------------------------------------------------------------------------- */

static bool in_hood(int hood, int x, int y) {
    if (abs(x) > 1 || abs(y) > 1 || (!x && !y)) return false;
    return hood == 26 || (hood == 14 ? x * y >= 0 : !x || !y);
}

/* Returns the places of `set` that are connected with this one through others of it. */
static uint32_t component_of(int hood, uint32_t set, int place) {
    uint32_t found = 1u << place, before = 0;
    while (found != before) {
        before = found;
        for (int a = 0; a < PLACES; a++)
            for (int b = 0; b < PLACES; b++)
                if (found >> a & set >> b & 1 &&
                    in_hood(hood, column_of(b) - column_of(a), row_of(b) - row_of(a)))
                    found |= 1u << b;
    }
    return found;
}

/* What a graph of this neighborhood makes of the neighbors on its side, if those below are the others. */
static void fill_entry(table *t, const flat *f, int hood, uint32_t below, uint32_t set) {
    static const uint8_t best[PLACES] = {1, 2, 0, 3, 4, 5, 6, 7}; /* the row before, then the same row */
    uint32_t near = 0;
    for (int i = 0; i < PLACES; i++) near |= (uint32_t)in_hood(hood, column_of(i), row_of(i)) << i;
    t->to[below] = NOWHERE;
    for (int k = PLACES; k-- > 0;)
        if (set & near & 1u << best[k]) t->to[below] = best[k];
    t->before[below] = t->to[below] < AHEAD ? f->step[t->to[below]] : 0;
    t->stands[below] = !t->before[below];
    t->open[below] = t->stands[below] && t->to[below] != NOWHERE;
    for (uint32_t rest = set & near; rest;) {
        int lead = __builtin_ctz(rest);
        t->joins[below] = (uint8_t)(t->joins[below] + (t->leads[below] > 0));
        t->leads[below] |= (uint8_t)(1u << lead);
        rest &= ~component_of(hood, set, lead);
    }
    t->parts[below] = t->joins[below] > 0;
}

static int dual_of(int hood) { return hood == 6 ? 26 : hood == 26 ? 6 : hood; }

static void add_side(flat *f, flat_graph *graph, bool high) {
    side *s = &f->sides[f->graphs++];
    int hood = high ? dual_of(f->grid->hood) : f->grid->hood;
    s->graph = graph;
    s->high = high;
    for (uint32_t below = 0; below < SETS; below++)
        fill_entry(&s->table, f, hood, below, high ? below ^ (SETS - 1) : below);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static uint32_t row_begin(const flat *f, size_t item) { return (uint32_t)item * f->rows; }

static uint32_t row_end(const flat *f, size_t item) {
    uint32_t begin = row_begin(f, item), left = f->grid->extent[1] - begin;
    return begin + (left < f->rows ? left : f->rows);
}

static void fill_keys(void *user, size_t item) {
    const flat *f = user;
    size_t nx = f->grid->extent[0], first = row_begin(f, item) * nx;
    order_keys(f->order, first, row_end(f, item) * nx - first, f->key + first);
}

/* Returns the lower neighbors of a vertex, as a set. */
static uint32_t look_around(const flat *f, uint32_t x, uint32_t y) {
    uint32_t v = y * f->grid->extent[0] + x, below = 0;
    uint64_t own = (uint64_t)f->key[v] << 32 | v;
    for (int i = 0; i < PLACES; i++) {
        uint32_t there = vertex_at(f, x, y, i);
        if (there < f->n) below |= (uint32_t)(((uint64_t)f->key[there] << 32 | there) < own) << i;
    }
    return below;
}

/* The same for vertices with all neighbors beside them, [1, end) of a row: indices ascend with places. */
static void look_along(const uint32_t *here, size_t nx, uint32_t end, uint8_t *below) {
    const uint32_t *back = here - nx, *ahead = here + nx;
    for (uint32_t x = 1; x < end; x++) {
        uint32_t own = here[x], set = own > ahead[x + 1];
        set = set + set + (own > ahead[x]);
        set = set + set + (own > ahead[x - 1]);
        set = set + set + (own > here[x + 1]);
        set = set + set + (own >= here[x - 1]);
        set = set + set + (own >= back[x + 1]);
        set = set + set + (own >= back[x]);
        set = set + set + (own >= back[x - 1]);
        below[x] = (uint8_t)set;
    }
}

static uint32_t load(const side *s, uint32_t v) {
    return atomic_load_explicit(&s->at[v], memory_order_relaxed);
}

static void store(side *s, uint32_t v, uint32_t at) {
    atomic_store_explicit(&s->at[v], at, memory_order_relaxed);
}

/* Vertices [first, end) of a row stand at themselves, or where those before them stand. */
static void go_back(side *s, const uint8_t *below, uint32_t v, uint32_t count) {
    for (const uint8_t *end = below + count; below < end; below++, v++) {
        int32_t before = s->table.before[*below];
        uint32_t there = load(s, v + (uint32_t)before);
        store(s, v, before ? there : v);
    }
}

static void count_row(const flat *f, const uint8_t *below, part *p) {
    for (int i = 0; i < f->graphs; i++) {
        const table *t = &f->sides[i].table;
        uint32_t extrema = 0, edges = 0;
        for (uint32_t x = 0; x < f->grid->extent[0]; x++) {
            extrema += t->to[below[x]] == NOWHERE;
            edges += t->joins[below[x]];
        }
        p->extrema[i] += extrema;
        p->edges[i] += edges;
    }
}

/* Vertices of the first row of a part are all open, as the part before is another thread's. */
static void look(void *user, size_t item) {
    flat *f = user;
    uint32_t nx = f->grid->extent[0], ny = f->grid->extent[1], begin = row_begin(f, item);
    for (uint32_t y = begin; y < row_end(f, item); y++) {
        bool inner = nx > 2 && y > 0 && y + 1 < ny, after = inner && y > begin;
        uint32_t v = y * nx;
        if (inner) look_along(f->key + v, nx, nx - 1, f->below + v);
        for (uint32_t x = 0; x < nx; x += inner ? nx - 1 : 1) f->below[v + x] = (uint8_t)look_around(f, x, y);
        for (int i = 0; i < f->graphs; i++) {
            side *s = &f->sides[i];
            for (uint32_t x = 0; x < nx; x += after ? nx - 1 : 1) store(s, v + x, v + x);
            if (after) go_back(s, f->below + v + 1, v + 1, nx - 2);
        }
        count_row(f, f->below + v, &f->parts[item]);
    }
}

/* ---- picked vertices --------------------------------------------------------------------------- */

/* A vertex of a graph, and the part that has it. */
typedef struct visit {
    flat *f;
    side *s;
    int graph;
    part *p;
    uint32_t v, x, y;
    bool inner; /* all neighbors are beside it */
} visit;

typedef void taker(const visit *at);

/* Calls take for each vertex of a row whose set is wanted, and for those at its ends. */
static inline void pick_row(visit at, const uint8_t *wanted, taker *take) {
    uint32_t nx = at.f->grid->extent[0], picked[PIECE], row = at.y * nx;
    const uint8_t *below = at.f->below + row;
    for (uint32_t first = 1, end; first + 1 < nx; first = end) {
        uint32_t count = 0;
        end = nx - 1 - first < PIECE ? nx - 1 : first + PIECE;
        for (uint32_t x = first; x < end; x++) {
            picked[count] = row + x;
            count += wanted[below[x]];
        }
        at.inner = true;
        for (uint32_t k = 0; k < count; k++) {
            at.v = picked[k];
            take(&at);
        }
    }
}

/* The same for a part, for those at the ends of rows, and for all vertices of rows where all are open. */
static inline void pick(flat *f, int graph, size_t item, const uint8_t *wanted, taker *take) {
    uint32_t nx = f->grid->extent[0], begin = row_begin(f, item);
    visit at = {.f = f, .s = &f->sides[graph], .graph = graph, .p = &f->parts[item]};
    for (at.y = begin; at.y < row_end(f, item); at.y++) {
        bool some = at.y > begin && at.y + 1 < f->grid->extent[1];
        for (at.x = 0; at.x < nx; at.x++) {
            at.v = at.y * nx + at.x;
            take(&at);
            if (!some || at.x) continue;
            pick_row(at, wanted, take);
            if (nx > 2) at.x = nx - 2;
        }
    }
}

static inline uint32_t neighbor(const visit *at, int place) {
    return at->inner ? at->v + (uint32_t)at->f->step[place] : vertex_at(at->f, at->x, at->y, place);
}

/* ---- basins ------------------------------------------------------------------------------------ */

/* Numbers an extremum; an open vertex goes on. */
static inline void go_on(const visit *at) {
    side *s = at->s;
    uint32_t to = s->table.to[at->f->below[at->v]];
    if (to != NOWHERE) {
        store(s, at->v, neighbor(at, (int)to));
        return;
    }
    uint32_t number = at->p->first_extremum[at->graph]++;
    s->graph->extremum[number] = at->v;
    store(s, at->v, NUMBER | number);
}

/* Whatever another thread stores, it leads to the same extremum. */
static inline void follow(const visit *visit) {
    side *s = visit->s;
    uint32_t v = visit->v, at = v, next;
    while (!((next = load(s, at)) & NUMBER)) at = next;
    for (uint32_t end = next; !((next = load(s, v)) & NUMBER); v = next) store(s, v, end);
}

static inline uint32_t basin_of(const side *s, uint32_t v) {
    uint32_t at = load(s, v);
    return load(s, at & NUMBER ? v : at) & ~NUMBER; /* without a branch that no processor foresees */
}

static inline void list_edges(const visit *at) {
    const side *s = at->s;
    uint32_t leads = s->table.leads[at->f->below[at->v]];
    if (!(leads & (leads - 1))) return;
    uint32_t first = basin_of(s, neighbor(at, __builtin_ctz(leads)));
    radix_item *edges = s->graph->edges + at->p->first_edge[at->graph];
    while (leads &= leads - 1) {
        uint32_t basin = basin_of(s, neighbor(at, __builtin_ctz(leads)));
        if (basin != first)
            edges[at->p->edges[at->graph]++] =
                (radix_item){(uint64_t)at->f->key[at->v] << 32 | at->v, first, basin};
    }
}

/* ---- all --------------------------------------------------------------------------------------- */

static void number_part(void *user, size_t item) {
    flat *f = user;
    for (int i = 0; i < f->graphs; i++) pick(f, i, item, f->sides[i].table.stands, go_on);
}

static void follow_part(void *user, size_t item) {
    flat *f = user;
    for (int i = 0; i < f->graphs; i++) pick(f, i, item, f->sides[i].table.open, follow);
}

static void list_part(void *user, size_t item) {
    flat *f = user;
    for (int i = 0; i < f->graphs; i++) {
        f->parts[item].edges[i] = 0;
        pick(f, i, item, f->sides[i].table.parts, list_edges);
    }
}

/* Makes room for the extrema and the edges of the parts. */
static glshape_status place_parts(error *err, flat *f, int i) {
    flat_graph *g = f->sides[i].graph;
    for (size_t k = 0; k < f->part_count; k++) {
        part *p = &f->parts[k];
        p->first_extremum[i] = g->count;
        p->first_edge[i] = g->edge_count;
        g->count += p->extrema[i];
        g->edge_count += p->edges[i];
    }
    uint32_t maxima = g->count, parts = f->sides[i].high ? outsides(f->grid) : 0;
    g->count += parts;
    TRY(allocate(err, &g->extremum, g->count, sizeof *g->extremum, "the basins"));
    TRY(allocate(err, &g->edges, g->edge_count, sizeof *g->edges, "the edges between basins"));
    for (uint32_t k = 0; k < parts; k++) {
        g->extremum[maxima + k] = GLSHAPE_NO_VERTEX;
        store(&f->sides[i], f->n + k, NUMBER | (maxima + k));
    }
    return GLSHAPE_OK;
}

/* Closes the gaps between the edges of the parts. */
static void close_gaps(const flat *f, int i) {
    flat_graph *g = f->sides[i].graph;
    g->edge_count = 0;
    for (const part *p = f->parts; p < f->parts + f->part_count; g->edge_count += p++->edges[i])
        memmove(g->edges + g->edge_count, g->edges + p->first_edge[i], p->edges[i] * sizeof *g->edges);
}

static glshape_status sort_edges(error *err, flat_graph *g) {
    OWNED radix_item *spare = NULL;
    TRY(allocate(err, &spare, g->edge_count, sizeof *spare, "the edges between basins"));
    radix_sort_upper(g->edges, spare, g->edge_count); /* they come by vertex */
    return GLSHAPE_OK;
}

static glshape_status make_room(error *err, flat *f) {
    const grid *d = f->grid;
    f->rows = BLOCK / d->extent[0] + 1;
    f->part_count = (d->extent[1] - 1) / f->rows + (size_t)1;
    TRY(allocate(err, &f->parts, f->part_count, sizeof *f->parts, "the field"));
    TRY(allocate(err, &f->key, f->n, sizeof *f->key, "the field"));
    TRY(allocate(err, &f->below, f->n, 1, "the basins"));
    for (int i = 0; i < f->graphs; i++)
        TRY(allocate(err, &f->sides[i].at, f->n + (size_t)2, sizeof(uint32_t), "the basins"));
    return GLSHAPE_OK;
}

/* Fills the graphs; edges are not sorted. */
static glshape_status fill_graphs(error *err, flat *f) {
    TRY(make_room(err, f));
    threads_run(0, f->part_count, fill_keys, f);
    threads_run(0, f->part_count, look, f);
    for (int i = 0; i < f->graphs; i++) TRY(place_parts(err, f, i));
    threads_run(0, f->part_count, number_part, f);
    threads_run(0, f->part_count, follow_part, f);
    threads_run(0, f->part_count, list_part, f);
    for (int i = 0; i < f->graphs; i++) close_gaps(f, i);
    return GLSHAPE_OK;
}

/* Fills the graphs but for the order of their edges. */
static glshape_status find_unsorted(error *err, const order *o, const grid *d, flat_graph *low,
                                    flat_graph *high) {
    OWNED_BY(flat_free) flat f = {.order = o, .grid = d, .n = o->n};
    for (int i = 0; i < PLACES; i++) f.step[i] = row_of(i) * (int32_t)d->extent[0] + column_of(i);
    if (low) add_side(&f, low, false);
    if (high) add_side(&f, high, true);
    return fill_graphs(err, &f);
}

glshape_status flat_find(error *err, const order *o, const grid *d, flat_graph *low, flat_graph *high) {
    flat_graph *const graphs[] = {low, high};
    for (int i = 0; i < GRAPHS; i++)
        if (graphs[i]) *graphs[i] = (flat_graph){0};
    TRY(find_unsorted(err, o, d, low, high));
    for (int i = 0; i < GRAPHS; i++)
        if (graphs[i]) TRY(sort_edges(err, graphs[i]));
    return GLSHAPE_OK;
}
