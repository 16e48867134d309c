#include "io/graph/graph_parts.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/room.h"

glshape_status io_graph_add(error *err, io_graph_parts *parts, uint32_t from, uint32_t to, double length) {
    if (from == to) {
        parts->loops++;
        return GLSHAPE_OK;
    }
    return io_entries_add(err, &parts->entries, from, to, length);
}

glshape_status io_graph_check_value(error *err, const io_stream *s, io_graph_values values, double value) {
    bool heights = values == IO_GRAPH_HEIGHTS;
    if ((values != IO_GRAPH_LENGTHS && !heights) || (float)value > 0 || (heights && value == 0))
        return GLSHAPE_OK;
    if (value > 0)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: line %llu: %g is too small for single precision: multiply all lengths by one number",
                    s->name, (unsigned long long)s->line, value);
    return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu: %g is no length of an edge, which is %s 0", s->name,
                (unsigned long long)s->line, value, heights ? "at least" : "more than");
}

glshape_status io_graph_value(error *err, const io_stream *s, io_graph_values values, const io_field *field,
                              double *out) {
    TRY(io_field_value(err, s, field, out));
    *out += 0.0; /* without the sign of 0 */
    return io_graph_check_value(err, s, values, *out);
}

/* The arrays of an io_graph, while they are filled. */
typedef struct arrays {
    size_t *start;
    uint32_t *to;
    float *weight;  /* NULL if not weighted */
    double *length; /* NULL if single precision has all lengths */
} arrays;

static void arrays_free(arrays *a) {
    free(a->start);
    free(a->to);
    free(a->weight);
    free(a->length);
}

enum { KEEPING = 256, FEW = 1 << 16 }; /* parts of the rows, unless there are few cells */

typedef struct keeping {
    const io_cells *cells;
    bool last; /* of equal places the last cell is kept, else the first, which is the least */
    const arrays *out;
    size_t parts, kept[KEEPING + 1]; /* cells that are kept before each part */
} keeping;

/* Returns true if cell k, one of its row's, has a later one (last) or an earlier one at its place. */
static inline bool is_dropped(const keeping *g, size_t row, size_t k) {
    const io_cells *c = g->cells;
    size_t other = g->last ? k + 1 : k - 1;
    if (g->last ? other == c->start[row + 1] : k == c->start[row]) return false;
    return io_cells_column(c, other) == io_cells_column(c, k);
}

static void count_kept(void *user, size_t part) {
    keeping *g = user;
    size_t end = io_cells_part(g->cells, part + 1, g->parts), kept = 0;
    for (size_t v = io_cells_part(g->cells, part, g->parts); v < end; v++)
        for (size_t k = g->cells->start[v]; k < g->cells->start[v + 1]; k++) kept += !is_dropped(g, v, k);
    g->kept[part + 1] = kept;
}

static void keep_part(void *user, size_t part) {
    const keeping *g = user;
    const arrays *out = g->out;
    size_t end = io_cells_part(g->cells, part + 1, g->parts), to = g->kept[part];
    for (size_t v = io_cells_part(g->cells, part, g->parts); v < end; v++) {
        out->start[v] = to;
        for (size_t k = g->cells->start[v]; k < g->cells->start[v + 1]; k++) {
            if (is_dropped(g, v, k)) continue;
            out->to[to] = io_cells_column(g->cells, k);
            if (out->weight) out->weight[to] = (float)io_cells_value(g->cells, k);
            if (out->length) out->length[to] = io_cells_value(g->cells, k);
            to++;
        }
    }
}

/* Fills the arrays with one cell of each place. Returns how many there are. Columns that are moved within
 * their own array are moved by one thread. */
static size_t keep_one(const io_cells *cells, bool last, const arrays *out) {
    keeping g = {.cells = cells, .last = last, .out = out};
    size_t all = cells->start[cells->rows];
    g.parts = all < FEW ? 1 : KEEPING;
    threads_run(0, g.parts, count_kept, &g);
    for (size_t p = 0; p < g.parts; p++) g.kept[p + 1] += g.kept[p];
    threads_run(cells->column && g.kept[g.parts] < all ? 1 : 0, g.parts, keep_part, &g);
    return out->start[cells->rows] = g.kept[g.parts];
}

typedef struct fitting {
    const io_cell *cell;
    atomic_bool odd;
} fitting;

static void fit_range(void *user, size_t first, size_t end) {
    fitting *f = user;
    while (first < end && (double)(float)f->cell[first].value == f->cell[first].value) first++;
    if (first < end) atomic_store_explicit(&f->odd, true, memory_order_relaxed);
}

static bool fit_float(const io_cells *cells) {
    fitting f = {.cell = cells->cell};
    if (cells->cell) threads_ranges(cells->start[cells->rows], fit_range, &f);
    return !atomic_load(&f.odd);
}

/* Columns without values become the neighbors where they are. */
static glshape_status allocate_arrays(error *err, const char *name, const io_graph_parts *parts,
                                      const io_cells *cells, size_t count, arrays *a) {
    bool in_double = parts->values == IO_GRAPH_HEIGHTS && !fit_float(cells);
    size_t weight = (parts->values ? sizeof *a->weight : 0) + (in_double ? sizeof *a->length : 0);
    size_t to = cells->cell ? sizeof *a->to : 0;
    size_t starts = times(cells->rows + 1, sizeof *a->start), edges = times(count, to + weight);
    TRY(io_room_check(err, name, starts > SIZE_MAX - edges ? SIZE_MAX : starts + edges));
    TRY(allocate(err, &a->start, cells->rows + 1, sizeof *a->start, name));
    if (cells->cell) TRY(allocate(err, &a->to, count, sizeof *a->to, name));
    if (in_double) TRY(allocate(err, &a->length, count, sizeof *a->length, name));
    return parts->values ? allocate(err, &a->weight, count, sizeof *a->weight, name) : GLSHAPE_OK;
}

/* ---- directions -------------------------------------------------------------------------------------- */

/* Where v is among the neighbours of u; SIZE_MAX if it is none. */
static size_t place_of_arc(const glshape_graph *g, uint32_t u, uint32_t v) {
    size_t low = g->start[u], high = g->start[u + (size_t)1], end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->to[middle] < v) low = middle + 1;
        else high = middle;
    }
    return low < end && g->to[low] == v ? low : SIZE_MAX;
}

/* GLSHAPE_BAD_INPUT unless each arc is there in both directions, with one value. */
static glshape_status check_partners(error *err, const char *name, const io_graph *graph) {
    const glshape_graph *g = &graph->graph;
    char one[IO_NODE_ROOM], other[IO_NODE_ROOM];
    for (size_t u = 0; u < g->nodes; u++)
        for (size_t k = g->start[u]; k < g->start[u + 1]; k++) {
            size_t back = place_of_arc(g, g->to[k], (uint32_t)u);
            if (back == SIZE_MAX)
                return fail(err, GLSHAPE_BAD_INPUT,
                            "%s is directed (edge %s → %s has no partner); edges must have no directions: "
                            "shortest paths would be no distances; store both directions, or declare the "
                            "matrix symmetric",
                            name, io_graph_name(graph, u, one), io_graph_name(graph, g->to[k], other));
            if (g->weight && g->weight[back] != g->weight[k])
                return fail(err, GLSHAPE_BAD_INPUT,
                            "%s is directed (edge %s → %s has the value %g, its partner %g); edges must have "
                            "no directions",
                            name, io_graph_name(graph, u, one), io_graph_name(graph, g->to[k], other),
                            (double)g->weight[k], (double)g->weight[back]);
        }
    return GLSHAPE_OK;
}

glshape_status io_graph_build(error *err, io_graph_parts *parts, io_graph *out) {
    OWNED_BY(io_graph_free)
    io_graph graph = {.graph = {.nodes = parts->nodes},
                      .first = parts->first,
                      .names = MOVE(parts->names),
                      .loops = parts->loops,
                      .has_values = parts->has_values,
                      .has_lengths = parts->has_lengths};
    OWNED_BY(io_cells_free) io_cells cells = {.rows = 0};
    OWNED_BY(arrays_free) arrays a = {.start = NULL};
    const char *name = parts->entries.name;
    bool arcs = parts->arcs && !parts->either;
    size_t count = times(parts->entries.count, arcs ? 1 : 2), nodes = parts->nodes;
    *out = (io_graph){.edges = 0};
    parts->entries.both = !arcs;
    TRY(io_cells_of(err, &parts->entries, nodes, &cells));
    TRY(allocate_arrays(err, name, parts, &cells, count, &a));
    if (!cells.cell) a.to = cells.column;
    size_t kept = keep_one(&cells, parts->values == IO_GRAPH_GREATEST, &a);
    cells.column = NULL; /* it is a.to */
    memory_resize(NULL, &a.to, kept, sizeof *a.to, NULL);
    if (a.weight) memory_resize(NULL, &a.weight, kept, sizeof *a.weight, NULL);
    if (a.length) memory_resize(NULL, &a.length, kept, sizeof *a.length, NULL);
    graph.graph.start = MOVE(a.start);
    graph.graph.to = MOVE(a.to);
    graph.graph.weight = MOVE(a.weight);
    graph.length = MOVE(a.length);
    graph.edges = kept / 2;
    graph.repeated = arcs ? count - kept : (count - kept) / 2;
    if (arcs) TRY(check_partners(err, name, &graph));
    *out = MOVE(graph);
    return GLSHAPE_OK;
}
