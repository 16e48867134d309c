/* As the passes do (basins.c), by rows: each vertex points to its lowest neighbor, pointers are followed to
 * the minima, and edges between basins are those of vertices whose lower neighbors are not connected around
 * them. Which these are, a table says. */
#include "mergetree/flat.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define BLOCK 65536u /* vertices that a thread takes at a time, more or less */
#define AROUND 9     /* a vertex and those around it, by y, then x */
#define CENTER 4
#define SIDES 0xaau /* four neighbors, as a set of places */
#define ALL 0x1efu
#define MINIMUM 0x80000000u
#define NO_VERTEX UINT32_MAX

/* The vertices that a thread takes at a time: some rows. */
typedef struct part {
    uint32_t minima, first_minimum;
    size_t edges, first_edge; /* at first as many as there may be */
} part;

typedef struct flat {
    const order *order;
    const grid *grid;
    uint32_t rows; /* of a part */
    part *parts;
    size_t part_count;
    uint32_t *key;
    _Atomic uint32_t *basin; /* of each vertex: a vertex of its basin; of a minimum: MINIMUM | its number */
    uint8_t *below;          /* of each vertex: its lower neighbors, as a set without the center */
    uint16_t leads[256];     /* of each such set: the first neighbor of each component, as a set with it */
    uint8_t joins[256];      /* how many components there are beside the first */
    uint16_t hood;           /* neighbors, as a set with the center */
    uint32_t *minimum;
    radix_item *edges;
} flat;

static void flat_free(flat *f) {
    free(f->parts);
    free(f->key);
    free(f->basin);
    free(f->below);
    free(f->minimum);
    free(f->edges);
}

/* ---- the table --------------------------------------------------------------------------------- */

static bool in_hood(int hood, int x, int y) {
    if (abs(x) > 1 || abs(y) > 1 || (!x && !y)) return false;
    return hood == 26 || (hood == 14 ? x * y >= 0 : !x || !y);
}

static uint32_t with_center(uint32_t set) { return (set & 15) | (set >> CENTER) << (CENTER + 1); }

/* Returns the places of `below` that are connected with place i through others of it. */
static uint32_t component_of(int hood, uint32_t below, int i) {
    uint32_t found = 1u << i, before = 0;
    while (found != before) {
        before = found;
        for (int a = 0; a < AROUND; a++)
            for (int b = 0; b < AROUND; b++)
                if (found >> a & below >> b & 1 && in_hood(hood, b % 3 - a % 3, b / 3 - a / 3))
                    found |= 1u << b;
    }
    return found;
}

static void fill_table(flat *f) {
    for (int i = 0; i < AROUND; i++) f->hood |= (uint16_t)(in_hood(f->grid->hood, i % 3 - 1, i / 3 - 1) << i);
    for (uint32_t set = 0; set < 256; set++) {
        uint32_t below = with_center(set);
        for (uint32_t rest = below & f->hood; rest;) {
            int lead = __builtin_ctz(rest);
            f->joins[set] = (uint8_t)(f->joins[set] + (f->leads[set] > 0));
            f->leads[set] |= (uint16_t)(1u << lead);
            rest &= ~component_of(f->grid->hood, below, lead);
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* The vertex at a place around (x, y); NO_VERTEX if there is none. */
static inline uint32_t vertex_at(const flat *f, uint32_t x, uint32_t y, uint32_t i) {
    const uint32_t *extent = f->grid->extent;
    uint32_t to[2] = {x + i % 3 - 1, y + i / 3 - 1};
    for (int axis = 0; axis < 2; axis++) {
        if (to[axis] < extent[axis]) continue; /* below 0 it wraps */
        if (!(f->grid->periodic >> axis & 1)) return NO_VERTEX;
        to[axis] = to[axis] == extent[axis] ? 0 : extent[axis] - 1;
    }
    return to[1] * extent[0] + to[0];
}

/* Finds the lower neighbors of a vertex, and sets *to to the lowest one in the neighborhood, or to itself. */
static uint32_t look_around(const flat *f, uint32_t x, uint32_t y, uint32_t *to) {
    uint32_t v = y * f->grid->extent[0] + x, below = 0;
    uint64_t own = (uint64_t)f->key[v] << 32 | v, least = own;
    for (uint32_t i = 0; i < AROUND; i++) {
        uint32_t there = vertex_at(f, x, y, i);
        if (there == NO_VERTEX) continue;
        uint64_t at = (uint64_t)f->key[there] << 32 | there;
        if (at < own) below |= 1u << i;
        if (at < least && f->hood >> i & 1) least = at;
    }
    *to = (uint32_t)least;
    return below;
}

static inline void take_vertex(flat *f, uint32_t v, uint32_t to, uint32_t below, part *p) {
    uint32_t set = (below & 15) | (below >> (CENTER + 1)) << CENTER;
    f->below[v] = (uint8_t)set;
    atomic_store_explicit(&f->basin[v], to, memory_order_relaxed);
    p->minima += to == v;
    p->edges += f->joins[set];
}

/* The same as look_around() for a vertex with all neighbors beside it: indices ascend with places. */
#define LOOK(i, row, at)                                                     \
    {                                                                        \
        uint32_t there = (row)[at];                                          \
        below |= (uint32_t)((i) < CENTER ? there <= own : there < own) << i; \
        uint64_t here = (uint64_t)there << 4 | i;                            \
        if (hood >> i & 1 && here < least) least = here;                     \
    }

static inline void look_along(flat *f, uint32_t y, part *p, uint32_t hood) {
    uint32_t nx = f->grid->extent[0], first = y * nx;
    const uint32_t *here = f->key + first, *back = here - nx, *ahead = here + nx;
    for (uint32_t x = 1; x + 1 < nx; x++) {
        uint32_t own = here[x], below = 0;
        uint64_t least = (uint64_t)own << 4 | CENTER;
        LOOK(0, back, x - 1)
        LOOK(1, back, x)
        LOOK(2, back, x + 1)
        LOOK(3, here, x - 1)
        LOOK(5, here, x + 1)
        LOOK(6, ahead, x - 1)
        LOOK(7, ahead, x)
        LOOK(8, ahead, x + 1)
        uint32_t place = least & 15, row = place / 3;
        take_vertex(f, first + x, first + x + (row - 1) * nx + place - row * 3 - 1, below, p);
    }
}

/* The same, compiled once for each neighborhood. */
static void look_along_row(flat *f, uint32_t y, part *p) {
    if (f->hood == SIDES) look_along(f, y, p, SIDES);
    else if (f->hood == ALL) look_along(f, y, p, ALL);
    else look_along(f, y, p, f->hood);
}

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

static void find_lowest(void *user, size_t item) {
    flat *f = user;
    uint32_t nx = f->grid->extent[0], ny = f->grid->extent[1];
    for (uint32_t y = row_begin(f, item); y < row_end(f, item); y++) {
        bool inner = nx > 2 && y > 0 && y + 1 < ny;
        if (inner) look_along_row(f, y, &f->parts[item]);
        for (uint32_t x = 0, to; x < nx; x += inner ? nx - 1 : 1) {
            uint32_t below = look_around(f, x, y, &to);
            take_vertex(f, y * nx + x, to, below, &f->parts[item]);
        }
    }
}

/* ---- basins ------------------------------------------------------------------------------------ */

static uint32_t load(const flat *f, uint32_t v) {
    return atomic_load_explicit(&f->basin[v], memory_order_relaxed);
}

/* Vertices point to their minima. Whatever another thread stores, it leads to the same minimum. */
static void follow(void *user, size_t item) {
    flat *f = user;
    uint32_t nx = f->grid->extent[0];
    for (uint32_t v = row_begin(f, item) * nx; v < row_end(f, item) * nx; v++) {
        uint32_t root = load(f, v);
        for (uint32_t next; (next = load(f, root)) != root;) root = next;
        for (uint32_t at = v, next; (next = load(f, at)) != root; at = next)
            atomic_store_explicit(&f->basin[at], root, memory_order_relaxed);
    }
}

static void number_minima(void *user, size_t item) {
    flat *f = user;
    uint32_t nx = f->grid->extent[0], number = f->parts[item].first_minimum;
    for (uint32_t v = row_begin(f, item) * nx; v < row_end(f, item) * nx; v++) {
        if (load(f, v) != v) continue;
        f->minimum[number] = v;
        atomic_store_explicit(&f->basin[v], MINIMUM | number++, memory_order_relaxed);
    }
}

static uint32_t basin_of(const flat *f, uint32_t v) {
    uint32_t to = load(f, v);
    return (to & MINIMUM ? to : load(f, to)) & ~MINIMUM;
}

/* ---- edges ------------------------------------------------------------------------------------- */

/* Lists the edges of a vertex that has several leads. */
static void list_edges_of(const flat *f, uint32_t x, uint32_t y, uint32_t leads, part *p) {
    uint32_t v = y * f->grid->extent[0] + x;
    uint32_t first = basin_of(f, vertex_at(f, x, y, (uint32_t)__builtin_ctz(leads)));
    while (leads &= leads - 1) {
        uint32_t basin = basin_of(f, vertex_at(f, x, y, (uint32_t)__builtin_ctz(leads)));
        if (basin != first)
            f->edges[p->first_edge + p->edges++] = (radix_item){(uint64_t)f->key[v] << 32 | v, first, basin};
    }
}

static void list_edges(void *user, size_t item) {
    flat *f = user;
    uint32_t nx = f->grid->extent[0];
    part *p = &f->parts[item];
    p->edges = 0;
    for (uint32_t y = row_begin(f, item); y < row_end(f, item); y++)
        for (uint32_t x = 0; x < nx; x++) {
            uint32_t leads = f->leads[f->below[y * nx + x]];
            if (leads & (leads - 1)) list_edges_of(f, x, y, leads, p);
        }
}

/* Finds where the minima and the edges of each part begin. */
static void place_parts(flat *f, uint32_t *minima, size_t *edges) {
    *minima = 0;
    *edges = 0;
    for (size_t k = 0; k < f->part_count; k++) {
        f->parts[k].first_minimum = *minima;
        f->parts[k].first_edge = *edges;
        *minima += f->parts[k].minima;
        *edges += f->parts[k].edges;
    }
}

/* Closes the gaps between the edges of the parts; returns how many there are. */
static size_t close_gaps(flat *f) {
    size_t count = 0;
    for (const part *p = f->parts; p < f->parts + f->part_count; count += p++->edges)
        memmove(f->edges + count, f->edges + p->first_edge, p->edges * sizeof *f->edges);
    return count;
}

glshape_status flat_find(error *err, const order *o, const grid *d, branches *tree, size_t *edges) {
    OWNED_BY(flat_free) flat f = {.order = o, .grid = d};
    OWNED radix_item *spare = NULL;
    uint32_t minima;
    f.rows = BLOCK / d->extent[0] + 1;
    f.part_count = (d->extent[1] - 1) / f.rows + (size_t)1;
    TRY(allocate(err, &f.parts, f.part_count, sizeof *f.parts, "the field"));
    TRY(allocate(err, &f.key, o->n, sizeof *f.key, "the field"));
    TRY(allocate(err, &f.basin, o->n, sizeof *f.basin, "the basins"));
    TRY(allocate(err, &f.below, o->n, 1, "the basins"));
    fill_table(&f);
    threads_run(0, f.part_count, fill_keys, &f);
    threads_run(0, f.part_count, find_lowest, &f);
    threads_run(0, f.part_count, follow, &f);
    place_parts(&f, &minima, edges);
    TRY(allocate(err, &f.minimum, minima, sizeof *f.minimum, "the basins"));
    TRY(allocate(err, &f.edges, *edges, sizeof *f.edges, "the edges between basins"));
    threads_run(0, f.part_count, number_minima, &f);
    threads_run(0, f.part_count, list_edges, &f);
    *edges = close_gaps(&f);
    free(MOVE(f.key));
    free(MOVE(f.basin));
    free(MOVE(f.below));
    TRY(allocate(err, &spare, *edges, sizeof *spare, "the edges between basins"));
    radix_sort_upper(f.edges, spare, *edges); /* they come by vertex */
    free(MOVE(spare));
    return branches_of_sorted(err, o, MOVE(f.minimum), minima, f.edges, *edges, tree);
}
