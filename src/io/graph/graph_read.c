/* io_read_graph(): Matrix Market, DIMACS, scipy's .npz or an edge list, told apart by content. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/graph/edges.h"
#include "io/graph/graph.h"
#include "io/graph/scipy.h"
#include "io/market.h"
#include "io/npy.h"
#include "io/text.h"

static glshape_status check_market(error *err, const io_market *m, io_graph_values values) {
    if (m->rows != m->cols)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is %zu × %zu; a graph is a square matrix", m->s->name,
                    m->rows, m->cols);
    if (m->symmetry == IO_MARKET_SKEW)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s is skew-symmetric: its edges have directions or signs, not "
                    "lengths",
                    m->s->name);
    if ((values == IO_GRAPH_LENGTHS || values == IO_GRAPH_HEIGHTS) && m->field == IO_MARKET_PATTERN)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is a pattern: its edges have no lengths", m->s->name);
    if (m->rows < UINT32_MAX - 1) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s has more than %lu nodes", m->s->name,
                (unsigned long)UINT32_MAX - 2);
}

static glshape_status add_entry(error *err, const io_market *m, const io_market_entry *e,
                                io_graph_parts *parts) {
    bool loop = e->row == e->col;
    parts->has_lengths |= !loop && e->value != 0 && e->value != 1;
    if (!parts->values && !loop && e->value == 0) return GLSHAPE_OK;
    if (!loop) TRY(io_graph_check_value(err, m->s, parts->values, e->value));
    return io_graph_add(err, parts, e->row, e->col, parts->values ? e->value + 0.0 : 1);
}

static glshape_status read_market(error *err, io_stream *s, io_graph_parts *parts) {
    OWNED_BY(io_market_close) io_market m = {.s = s};
    io_market_entry e;
    TRY(io_market_open(err, s, &m));
    TRY(check_market(err, &m, parts->values));
    parts->nodes = m.rows;
    parts->first = 1;
    parts->arcs = m.symmetry == IO_MARKET_GENERAL;
    parts->has_values = m.field != IO_MARKET_PATTERN;
    parts->entries.limit = (size_t)m.count;
    for (bool more = true;;) {
        TRY(io_market_next(err, &m, &e, &more));
        if (!more) return GLSHAPE_OK;
        TRY(add_entry(err, &m, &e, parts));
    }
}

static glshape_status read_scipy(error *err, io_stream *s, io_graph_parts *parts) {
    OWNED_BY(io_entries_free) io_entries given = {.name = s->name};
    size_t rows, cols;
    TRY(io_scipy_read(err, s, &given, &rows, &cols));
    if (rows != cols)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is %zu × %zu; a graph is a square matrix", s->name, rows,
                    cols);
    parts->nodes = rows;
    parts->arcs = parts->has_values = true;
    parts->entries.limit = given.count;
    for (size_t k = 0; k < given.count; k++) {
        const io_entry *e = &given.at[k];
        double value = io_entries_value(&given, k);
        bool loop = e->row == e->col;
        parts->has_lengths |= !loop && value != 0 && value != 1;
        if (!parts->values && !loop && value == 0) continue;
        if (!loop && io_graph_check_value(NULL, s, parts->values, value))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "%s: the value of row %u and column %u, %g, is no length of an edge", s->name, e->row,
                        e->col, value);
        TRY(io_graph_add(err, parts, e->row, e->col, parts->values ? value + 0.0 : 1));
    }
    return GLSHAPE_OK;
}

static void parts_free(io_graph_parts *parts) {
    io_entries_free(&parts->entries);
    free(parts->names);
}

static glshape_status read_graph(error *err, io_stream *s, io_graph_parts *given, io_graph *out) {
    OWNED_BY(parts_free) io_graph_parts parts = *given;
    *out = (io_graph){.edges = 0};
    parts.entries.name = s->name;
    if (io_stream_starts(s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s is a .npy file; a graph is a Matrix Market file or a list of "
                    "edges",
                    s->name);
    bool scipy = io_scipy_starts(s);
    if (!scipy) TRY(io_check_text(err, s));
    if (scipy) TRY(read_scipy(err, s, &parts));
    else if (io_market_starts(s)) TRY(read_market(err, s, &parts));
    else if (io_edges_is_dimacs(s)) TRY(io_edges_read_dimacs(err, s, &parts));
    else TRY(io_edges_read(err, s, &parts));
    return io_graph_build(err, &parts, out);
}

glshape_status io_read_graph(error *err, const char *path, io_graph_values values, io_graph *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    *out = (io_graph){.edges = 0};
    TRY(io_stream_open(err, path, &s));
    return read_graph(err, &s, &(io_graph_parts){.values = values}, out);
}

glshape_status io_read_adjacency(error *err, const char *path, io_graph_values values, io_graph *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    *out = (io_graph){.edges = 0};
    TRY(io_stream_open(err, path, &s));
    return io_read_adjacency_stream(err, &s, values, out);
}

glshape_status io_read_adjacency_stream(error *err, io_stream *s, io_graph_values values, io_graph *out) {
    return read_graph(err, s, &(io_graph_parts){.values = values, .either = true}, out);
}
