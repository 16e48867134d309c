#include <string.h>

#include "base/memory.h"
#include "io/graph/edges.h"

/* The line of the window at p, without its end; NULL if it does not end there. */
static const char *window_line(const char *p, const char *end, size_t *length) {
    const char *stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    if (stop) *length = (size_t)(stop - p);
    return stop ? p : NULL;
}

static bool is_comment(const char *line, size_t length) {
    return length && *line == 'c' && (length == 1 || strchr(" \t\r", line[1]));
}

bool io_edges_is_dimacs(const io_stream *s) {
    const char *p = s->window + s->at, *end = p + s->have;
    size_t length = 0;
    while (window_line(p, end, &length) && is_comment(p, length)) p += length + 1;
    return end - p >= 5 && !memcmp(p, "p sp ", 5);
}

static glshape_status read_size(error *err, const io_stream *s, const io_line *line, io_graph_parts *parts,
                                uint64_t *arcs) {
    uint64_t nodes = 0;
    if (line->count != 4 || !io_field_is(&line->field[0], "p") || !io_field_is(&line->field[1], "sp") ||
        !io_field_whole(&line->field[2], &nodes) || !io_field_whole(&line->field[3], arcs))
        return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu is not 'p sp NODES ARCS'", s->name,
                    (unsigned long long)s->line);
    if (!nodes || nodes > UINT32_MAX - 2)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: %llu nodes; 1 to %lu are possible", s->name,
                    (unsigned long long)nodes, (unsigned long)UINT32_MAX - 2);
    parts->nodes = (size_t)nodes;
    parts->entries.limit = *arcs < SIZE_MAX ? (size_t)*arcs : SIZE_MAX;
    return GLSHAPE_OK;
}

static glshape_status read_arc(error *err, const io_stream *s, const io_line *line, io_graph_parts *parts) {
    uint32_t from, to;
    double length = 1;
    if (line->count != 4 || !io_field_is(&line->field[0], "a"))
        return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu is not 'a FROM TO LENGTH'", s->name,
                    (unsigned long long)s->line);
    TRY(io_field_place(err, s, &line->field[1], "node", parts->nodes, &from));
    TRY(io_field_place(err, s, &line->field[2], "node", parts->nodes, &to));
    if (parts->values && from != to) TRY(io_graph_value(err, s, parts->values, &line->field[3], &length));
    return io_graph_add(err, parts, from, to, length);
}

/* The next line that is no comment. */
static glshape_status next_line(error *err, io_stream *s, io_line *line) {
    do TRY(io_line_next(err, s, "", line));
    while (line->text && is_comment(line->text, line->length));
    if (line->text) io_line_split(line, IO_BLANKS);
    return GLSHAPE_OK;
}

glshape_status io_edges_read_dimacs(error *err, io_stream *s, io_graph_parts *parts) {
    io_line line = {.text = NULL};
    uint64_t arcs = 0, read = 0;
    parts->arcs = parts->has_values = parts->has_lengths = true;
    parts->first = 1;
    TRY(next_line(err, s, &line));
    if (line.text) TRY(read_size(err, s, &line, parts, &arcs));
    for (;; read++) {
        TRY(next_line(err, s, &line));
        if (!line.text) break;
        if (read == arcs)
            return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu is an arc more than the %llu announced",
                        s->name, (unsigned long long)s->line, (unsigned long long)arcs);
        TRY(read_arc(err, s, &line, parts));
    }
    if (read == arcs) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s ends after %llu of its %llu arcs", s->name,
                (unsigned long long)read, (unsigned long long)arcs);
}
