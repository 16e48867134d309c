/* Every vertex leads to the lowest of its neighborhood. Threads take rows. A vertex is a saddle if its lower
 * neighbors are in several components of what is lower around it, corners included, and these lead to
 * different minima: then there is an edge from the first of these minima to each other one. Where a component
 * leads to several, edges of its own vertices say so. */
#include "field/basins_on_cpu.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define BLOCK 65536u /* vertices that a thread takes at a time, more or less */
#define STRIP 64u    /* vertices of a row that a processor takes a few at a time: compilers know how many */
#define ROWS 9       /* around a vertex */
#define CENTER 13    /* the bit of a vertex among those around it: x + 3 y + 9 z, each from 0 to 2 */

/* Rows that a thread takes. Its saddles are in finder.saddles, from the number of its first vertex on. */
typedef struct part {
    uint32_t saddles;
    size_t edges, first_edge; /* at first as many as there may be */
} part;

typedef struct finder {
    const order *order;
    grid grid;     /* whose first axis has more than one vertex, if any has */
    uint32_t rows; /* of the grid; of a part `step` */
    uint32_t step;
    uint32_t sides[ROWS]; /* of the rows around a vertex, by y, then z: which of their vertices, one back,
                             beside it and one ahead, are its neighbors or itself */
    uint32_t neighbors;   /* the bits of its neighbors */
    uint32_t *key, *saddles;
    part *parts;
    size_t part_count;
    grid_basins *out;
} finder;

void grid_basins_free(grid_basins *b) {
    forest_free(&b->paths);
    free(b->minimum);
    free(b->edges);
    *b = (grid_basins){0};
}

static void finder_free(finder *f) {
    free(f->key);
    free(f->saddles);
    free(f->parts);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* A row beside the row at work, or this row itself. */
typedef struct near_row {
    uint32_t first; /* its first vertex */
    uint32_t sides; /* of finder */
    int bit;        /* of its vertex one back */
} near_row;

typedef struct around {
    near_row rows[ROWS]; /* in their order */
    int count;
    uint32_t first; /* the first vertex of the row at work */
    uint32_t set;   /* the first of the part */
} around;

/* Sets *to to the coordinate a step, -1 to 1, from `at`. Returns false if there is none. */
static bool step_to(const grid *d, int axis, uint32_t at, int step, uint32_t *to) {
    uint32_t extent = d->extent[axis];
    *to = at + (uint32_t)step;
    if (*to < extent) return true; /* below 0 it wraps */
    *to = step < 0 ? extent - 1 : 0;
    return extent > 1 && d->periodic >> axis & 1;
}

static void add_row(around *a, near_row r) {
    int k = a->count++;
    for (; k > 0 && a->rows[k - 1].first > r.first; k--) a->rows[k] = a->rows[k - 1];
    a->rows[k] = r;
}

static around around_row(const finder *f, uint32_t row) {
    const uint32_t *extent = f->grid.extent;
    uint32_t y = row % extent[1], z = row / extent[1];
    around a = {.first = row * extent[0], .set = (row - row % f->step) * extent[0]};
    for (int k = 0; k < ROWS; k++) {
        uint32_t to[2];
        if (!step_to(&f->grid, 1, y, k % 3 - 1, &to[0]) || !step_to(&f->grid, 2, z, k / 3 - 1, &to[1]))
            continue;
        add_row(&a, (near_row){(to[1] * extent[1] + to[0]) * extent[0], f->sides[k], 3 * k});
    }
    return a;
}

static uint64_t order_at(const finder *f, uint32_t v) { return (uint64_t)f->key[v] << 32 | v; }

/* Fills to[bit] with the lower vertices around a vertex; returns their bits. */
static uint32_t look_at_end(const finder *f, const around *a, uint32_t x, uint32_t to[27]) {
    uint64_t own = order_at(f, a->first + x);
    uint32_t set = 0;
    for (const near_row *r = a->rows; r < a->rows + a->count; r++)
        for (int side = 0; side < 3; side++) {
            uint32_t at;
            if (!step_to(&f->grid, 0, x, side - 1, &at)) continue;
            to[r->bit + side] = r->first + at;
            set |= (uint32_t)(order_at(f, r->first + at) < own) << (r->bit + side);
        }
    return set;
}

/* The same of a vertex that has one on either side in its row. The smaller index is lower where keys are
 * equal. */
static uint32_t look_around(const finder *f, const around *a, uint32_t x, uint32_t to[27]) {
    uint32_t set = 0;
    if (x - 1 >= f->grid.extent[0] - 2 || f->grid.extent[0] < 3) return look_at_end(f, a, x, to);
    for (const near_row *r = a->rows; r < a->rows + a->count; r++) {
        uint32_t from = r->first + x - 1, *there = to + r->bit;
        const uint32_t *key = f->key + from;
        uint64_t most = (uint64_t)f->key[a->first + x] + (r->first < a->first),
                 back = most + (r->first == a->first);
        set |= ((uint32_t)(key[0] < back) | (uint32_t)(key[1] < most) << 1 | (uint32_t)(key[2] < most) << 2)
               << r->bit;
        there[0] = from, there[1] = from + 1, there[2] = from + 2;
    }
    return set;
}

/* ---- paths ----------------------------------------------------------------------------------------- */

static void look_at(const finder *f, const around *a, uint32_t x) {
    uint32_t to[27], best = a->first + x;
    for (uint32_t rest = look_around(f, a, x, to) & f->neighbors; rest; rest &= rest - 1) {
        uint32_t v = to[__builtin_ctz(rest)];
        if (order_at(f, v) < order_at(f, best)) best = v;
    }
    forest_set(&f->out->paths, a->first + x, best, a->set);
}

/* Vertices [x, x + count) of a row, with all neighbors beside them: in the order in which they come, so that
 * of equal keys the first counts. */
static inline void look_along(const finder *f, const around *a, uint32_t x, uint32_t count) {
    uint32_t best[STRIP], to[STRIP];
    const near_row *first = a->rows;
    while (!first->sides) first++;
    for (uint32_t k = 0; k < count; k++) { /* the first neighbor, if all have the greatest key */
        best[k] = UINT32_MAX;
        to[k] = first->first + x + (uint32_t)__builtin_ctz(first->sides) - 1 + k;
    }
    for (const near_row *r = first; r < a->rows + a->count; r++)
        for (uint32_t side = 0; side < 3; side++) {
            uint32_t from = r->first + x + side - 1;
            const uint32_t *key = f->key + from;
            if (!(r->sides >> side & 1)) continue;
            for (uint32_t k = 0; k < count; k++) {
                uint32_t here = key[k], before = best[k];
                to[k] = here < before ? from + k : to[k];
                best[k] = here < before ? here : before;
            }
        }
    for (uint32_t k = 0; k < count; k++) forest_set(&f->out->paths, a->first + x + k, to[k], a->set);
}

static uint32_t part_end(const finder *f, size_t item) {
    uint32_t begin = (uint32_t)item * f->step;
    return f->rows - begin < f->step ? f->rows : begin + f->step;
}

/* How many vertices to take from x on, but for the last of a row. */
static uint32_t strip_at(uint32_t x, uint32_t nx) { return nx - 1 - x < STRIP ? nx - 1 - x : STRIP; }

static void look(void *user, size_t item) {
    const finder *f = user;
    uint32_t nx = f->grid.extent[0];
    for (uint32_t row = (uint32_t)item * f->step; row < part_end(f, item); row++) {
        around a = around_row(f, row);
        look_at(f, &a, 0);
        for (uint32_t x = 1, count; x + 1 < nx; x += count) {
            count = strip_at(x, nx);
            if (count == STRIP) look_along(f, &a, x, STRIP);
            else look_along(f, &a, x, count);
        }
        if (nx > 1) look_at(f, &a, nx - 1);
    }
}

/* ---- saddles --------------------------------------------------------------------------------------- */

#define FACE_X 0x1249249u /* bits with x 0, y 0, z 0 */
#define FACE_Y 0x1c0e07u
#define FACE_Z 0x1ffu

static uint32_t along_x(uint32_t set) { return (set & ~(FACE_X << 2)) << 1 | (set & ~FACE_X) >> 1; }
static uint32_t along_y(uint32_t set) { return (set & ~(FACE_Y << 6)) << 3 | (set & ~FACE_Y) >> 3; }
static uint32_t along_z(uint32_t set) { return (set & ~(FACE_Z << 18)) << 9 | (set & ~FACE_Z) >> 9; }

/* Returns the set and its neighbors. */
static uint32_t grown(int hood, uint32_t set) {
    uint32_t x = along_x(set), y = along_y(set), z = along_z(set);
    if (hood == 6) return set | x | y | z;
    if (hood == 18) return set | x | y | z | along_y(x) | along_z(x) | along_z(y);
    if (hood == 26) {
        set |= x;
        set |= along_y(set);
        return set | along_z(set);
    }
    uint32_t ahead = set, back = set; /* 14: along axes in the same direction */
    ahead |= (ahead & ~(FACE_X << 2)) << 1, back |= (back & ~FACE_X) >> 1;
    ahead |= (ahead & ~(FACE_Y << 6)) << 3, back |= (back & ~FACE_Y) >> 3;
    ahead |= (ahead & ~(FACE_Z << 18)) << 9, back |= (back & ~FACE_Z) >> 9;
    return ahead | back;
}

/* Fills lead with a neighbor in each component of what is lower around a vertex; returns how many there are.
 */
static uint32_t find_leads(const finder *f, const around *a, uint32_t x, uint32_t lead[27]) {
    uint32_t to[27], count = 0, lower = look_around(f, a, x, to);
    for (uint32_t rest = lower & f->neighbors; rest;) {
        uint32_t set = rest & (0u - rest), last = 0;
        lead[count++] = to[__builtin_ctz(rest)];
        while (set != last && rest & ~set) {
            last = set;
            set = grown(f->grid.hood, set) & lower;
        }
        rest &= ~set;
    }
    return count;
}

/* A vertex between basins may be a saddle. */
static void take_vertex(const finder *f, const around *a, uint32_t x, part *p, uint32_t *saddles) {
    uint32_t lead[27], count = find_leads(f, a, x, lead), edges = 0;
    for (uint32_t k = 1; k < count; k++)
        edges += forest_minimum(&f->out->paths, lead[k]) != forest_minimum(&f->out->paths, lead[0]);
    if (edges) saddles[p->saddles++] = a->first + x;
    p->edges += edges;
}

/* Takes those of [x, x + count) whose neighbors are not all of one basin. */
static inline void pick_along(const finder *f, const around *a, uint32_t x, uint32_t count, part *p,
                              uint32_t *saddles) {
    const uint32_t *minimum = (const uint32_t *)f->out->paths.to, *own = minimum + a->first + x;
    uint32_t differ[STRIP] = {0};
    for (const near_row *r = a->rows; r < a->rows + a->count; r++)
        for (uint32_t side = 0; side < 3; side++) {
            const uint32_t *other = minimum + r->first + x + side - 1;
            if (!(r->sides >> side & 1)) continue;
            for (uint32_t k = 0; k < count; k++) differ[k] |= own[k] ^ other[k];
        }
    for (uint32_t k = 0; k < count; k++)
        if (differ[k]) take_vertex(f, a, x + k, p, saddles);
}

static void find_saddles(void *user, size_t item) {
    const finder *f = user;
    uint32_t nx = f->grid.extent[0], *saddles = f->saddles + (size_t)item * f->step * nx;
    part here = {0}, *p = &here; /* not in place: parts share lines of caches */
    for (uint32_t row = (uint32_t)item * f->step; row < part_end(f, item); row++) {
        around a = around_row(f, row);
        take_vertex(f, &a, 0, p, saddles);
        for (uint32_t x = 1, count; x + 1 < nx; x += count) {
            count = strip_at(x, nx);
            if (count == STRIP) pick_along(f, &a, x, STRIP, p, saddles);
            else pick_along(f, &a, x, count, p, saddles);
        }
        if (nx > 1) take_vertex(f, &a, nx - 1, p, saddles);
    }
    f->parts[item] = here;
}

static void list_edges(void *user, size_t item) {
    const finder *f = user;
    const forest *paths = &f->out->paths;
    const part *p = &f->parts[item];
    uint32_t nx = f->grid.extent[0], lead[27];
    const uint32_t *saddles = f->saddles + (size_t)item * f->step * nx;
    radix_item *to = f->out->edges + p->first_edge;
    around a = around_row(f, (uint32_t)item * f->step);
    for (uint32_t s = 0; s < p->saddles; s++) {
        uint32_t v = saddles[s];
        if (v - a.first >= nx) a = around_row(f, v / nx);
        uint32_t count = find_leads(f, &a, v - a.first, lead), first = forest_minimum(paths, lead[0]);
        for (uint32_t k = 1; k < count; k++) {
            uint32_t other = forest_minimum(paths, lead[k]);
            if (other != first)
                *to++ =
                    (radix_item){order_at(f, v), forest_number(paths, first), forest_number(paths, other)};
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------------- */

static void fill_keys(void *user, size_t item) {
    const finder *f = user;
    size_t nx = f->grid.extent[0], first = item * f->step * nx;
    order_keys(f->order, first, part_end(f, item) * nx - first, f->key + first);
}

static void find_sides(finder *f) {
    const uint32_t *extent = f->grid.extent;
    for (int k = 0; k < ROWS; k++)
        for (int side = 0; side < 3; side++) {
            const int step[3] = {side - 1, k % 3 - 1, k / 3 - 1};
            bool there = true; /* an axis of one vertex leads nowhere */
            for (int axis = 0; axis < 3; axis++) there &= !step[axis] || extent[axis] > 1;
            bool near = there && grid_are_neighbors(f->grid.hood, step);
            f->neighbors |= (uint32_t)near << (3 * k + side);
            f->sides[k] |= (uint32_t)(near || 3 * k + side == CENTER) << side;
        }
}

/* Axes of one vertex come last: rows are as long as can be. Vertices have the numbers that they had. */
static grid with_long_rows(grid d) {
    for (int k = 0; k < 2 && d.extent[0] == 1; k++) {
        d.extent[0] = d.extent[1], d.extent[1] = d.extent[2], d.extent[2] = 1;
        d.periodic >>= 1;
    }
    return d;
}

static glshape_status make_room(error *err, finder *f) {
    const uint32_t *extent = f->grid.extent;
    f->rows = extent[1] * extent[2];
    f->step = BLOCK / extent[0] + 1;
    f->part_count = (f->rows - 1) / f->step + (size_t)1;
    TRY(allocate(err, &f->parts, f->part_count, sizeof *f->parts, "the basins"));
    TRY(allocate(err, &f->key, f->order->n, sizeof *f->key, "the keys of the field"));
    TRY(allocate(err, &f->saddles, f->order->n, sizeof *f->saddles, "the saddles"));
    return forest_new(err, f->order->n, &f->out->paths);
}

static glshape_status find_edges(run *r, finder *f) {
    OWNED radix_item *spare = NULL;
    grid_basins *b = f->out;
    error *err = run_error(r);
    TRY(run_by_threads(r, f->part_count, find_saddles, f, 0.4, 0.7));
    for (part *p = f->parts; p < f->parts + f->part_count; p++) {
        p->first_edge = b->edge_count;
        b->edge_count += p->edges;
    }
    TRY(allocate(err, &b->edges, b->edge_count, sizeof *b->edges, "the edges between basins"));
    TRY(allocate(err, &spare, b->edge_count, sizeof *spare, "the edges between basins"));
    TRY(run_by_threads(r, f->part_count, list_edges, f, 0.7, 0.8));
    radix_sort_upper(b->edges, spare, b->edge_count); /* they come by vertex */
    return GLSHAPE_OK;
}

glshape_status grid_basins_find(run *r, const order *o, const grid *d, grid_basins *out) {
    OWNED_BY(grid_basins_free) grid_basins b = {0};
    OWNED_BY(finder_free) finder f = {.order = o, .grid = with_long_rows(*d), .out = &b};
    error *err = run_error(r);
    *out = (grid_basins){0};
    find_sides(&f);
    TRY(make_room(err, &f));
    TRY(run_by_threads(r, f.part_count, fill_keys, &f, 0, 0.1));
    TRY(run_by_threads(r, f.part_count, look, &f, 0.1, 0.4));
    forest_follow(&b.paths);
    TRY(forest_list(err, &b.paths, &b.minimum));
    TRY(find_edges(r, &f)); /* what is left of 1 are branches */
    *out = MOVE(b);
    return GLSHAPE_OK;
}
