#include "io/graph/edges.h"

#include <ctype.h>
#include <string.h>

#include "base/owned.h"
#include "io/graph/edges_names.h"
#include "io/graph/edges_number.h"
#include "io/graph/edges_plain.h"
#include "io/number.h"

typedef struct reader {
    error *err;
    io_stream *s;
    io_graph_parts *parts;
    io_names *names;
    char delimiter; /* 0 until a line has set it */
    bool maybe;     /* the first line, entries 0 and 1 or a loop of name 0, may yet be a header */
    bool headed;    /* names 0 and 1 are those of a first line whose third field, `third`, is no number */
    char third[IO_QUOTED_ROOM];
    bool bare;     /* weights are asked for, and the first edge has none */
    size_t lines;  /* edges, loops included */
    bool is_plain; /* all names but those of the first line are whole numbers as one writes them */
    io_edges_plain plain;
} reader;

static glshape_status bad_line(const reader *r, const io_line *line) {
    if (line->count == 2)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu has no third field, the %s of the edge",
                    r->s->name, (unsigned long long)r->s->line,
                    r->parts->values == IO_GRAPH_LENGTHS || r->parts->values == IO_GRAPH_HEIGHTS ? "length"
                                                                                                 : "weight");
    if (r->bare && line->count == 3)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu has a value, but the first edge has none",
                    r->s->name, (unsigned long long)r->s->line);
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s: line %llu has %zu field%s; an edge is two nodes and perhaps a value", r->s->name,
                (unsigned long long)r->s->line, line->count, line->count == 1 ? "" : "s");
}

static glshape_status check_nodes(const reader *r, const io_line *line) {
    if (memchr(line->text, '\0', line->length))
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu has a NUL byte: is it text?", r->s->name,
                    (unsigned long long)r->s->line);
    for (size_t i = 0; i < 2; i++) {
        if (line->field[i].bad)
            return io_field_fail(r->err, r->s, &line->field[i], "has an unfinished quote");
        if (!line->field[i].length)
            return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %zu is empty", r->s->name,
                        (unsigned long long)r->s->line, i + 1);
    }
    return GLSHAPE_OK;
}

static bool is_number(const io_field *field) {
    double ignored;
    return io_number_parse(field->text, field->length, &ignored);
}

static bool has_letter(const io_field *field) {
    size_t i = 0;
    while (i < field->length && !isalpha((unsigned char)field->text[i]) && !(field->text[i] & 0x80)) i++;
    return i < field->length;
}

/* Whether the first line is a header whatever the other lines are. */
static bool is_header(const io_line *line) {
    const io_field *f = line->field;
    if (line->count < 2 || line->count > 3) return false;
    if (io_field_is(&f[0], "source") && io_field_is(&f[1], "target")) return true;
    return io_field_is(&f[0], "from") && io_field_is(&f[1], "to");
}

/* Whether the first line is a header if no edge has its nodes: its third field names values. One whose nodes
 * are numbers is an edge. */
static bool names_values(const reader *r, const io_line *line) {
    const io_field *f = line->field;
    bool same = line->count == 3 && f[0].length == f[1].length && !memcmp(f[0].text, f[1].text, f[0].length);
    return r->parts->values && line->count == 3 && !same && !is_number(&f[0]) && !is_number(&f[1]) &&
           !is_number(&f[2]) && has_letter(&f[2]);
}

/* networkx writes {} after an edge without data. */
static void drop_empty_data(io_line *line) {
    if (line->count == 3 && io_field_is(&line->field[2], "{}")) line->count = 2;
}

/* GLSHAPE_BAD_INPUT: the fields of "0 1 1,5" stand between blanks, and its comma is a decimal one. */
static glshape_status check_decimals(const reader *r, const io_line *line) {
    if (r->delimiter != ',') return GLSHAPE_OK;
    io_line other = *line;
    io_line_split(&other, IO_BLANKS);
    if (other.count != 3 || !io_number_has_comma(other.field[2].text, other.field[2].length) ||
        memchr(other.field[0].text, ',', other.field[0].length) ||
        memchr(other.field[1].text, ',', other.field[1].length))
        return GLSHAPE_OK;
    return io_field_fail(r->err, r->s, &other.field[2], "is not a number: write decimals with a point");
}

static bool is_whole(const reader *r, uint32_t name) {
    uint64_t ignored;
    return io_names_whole(r->names, name, &ignored);
}

/* Called for each edge: keeps r->maybe true while the first line, of names 0 and 1, may be a header. It may
 * if it alone has names that are no whole numbers. */
static void watch_header(reader *r, uint32_t from, uint32_t to) {
    if (r->lines == 0) r->maybe = from == 0 && to == 1 && !is_whole(r, 0) && !is_whole(r, 1);
    else if (r->maybe && (from < 2 || to < 2 || !is_whole(r, from) || !is_whole(r, to))) r->maybe = false;
    r->lines++;
}

static glshape_status read_header(reader *r, const io_line *line) {
    uint32_t ignored;
    TRY(check_nodes(r, line));
    for (int i = 0; i < 2; i++)
        TRY(io_names_number(r->err, r->names, line->field[i].text, line->field[i].length, &ignored));
    io_field_shown(&line->field[2], r->third);
    r->headed = true;
    return GLSHAPE_OK;
}

/* GLSHAPE_BAD_INPUT: a node of the first line has another edge, so that the first line is an edge, too. */
static glshape_status check_header(const reader *r, const io_field *node, uint32_t name) {
    char shown[IO_QUOTED_ROOM];
    if (!r->headed || name > 1) return GLSHAPE_OK;
    return fail(
        r->err, GLSHAPE_BAD_INPUT,
        "%s: line %llu has the node %s, as the first line has, whose third field, %s, is not a number",
        r->s->name, (unsigned long long)r->s->line, io_field_shown(node, shown), r->third);
}

static void watch_value(reader *r, const io_line *line) {
    double value;
    if (line->count != 3 || r->parts->has_lengths) return;
    r->parts->has_values = true;
    r->parts->has_lengths = io_number_parse(line->field[2].text, line->field[2].length, &value) && value != 1;
}

/* The first edge says whether weights are there. */
static void settle_values(reader *r, const io_line *line) {
    io_graph_values *values = &r->parts->values;
    if (*values == IO_GRAPH_LEAST || *values == IO_GRAPH_GREATEST) r->bare = line->count == 2;
    if (r->bare) *values = IO_GRAPH_PLAIN;
    r->plain.bare = r->bare;
}

static glshape_status read_named(reader *r, const io_line *line) {
    uint32_t from, to;
    double length = 1;
    const io_graph_values *values = &r->parts->values;
    if (line->count < 2 || line->count > 3 || (*values && line->count != 3) || (r->bare && line->count != 2))
        return bad_line(r, line);
    TRY(check_nodes(r, line));
    TRY(io_names_number(r->err, r->names, line->field[0].text, line->field[0].length, &from));
    TRY(io_names_number(r->err, r->names, line->field[1].text, line->field[1].length, &to));
    TRY(check_header(r, &line->field[0], from));
    TRY(check_header(r, &line->field[1], to));
    if (*values && from != to) TRY(io_graph_value(r->err, r->s, *values, &line->field[2], &length));
    watch_value(r, line);
    watch_header(r, from, to);
    return io_graph_add(r->err, r->parts, from, to, length);
}

static glshape_status read_edge(reader *r, const io_line *line) {
    bool plain = r->is_plain;
    if (!r->lines) settle_values(r, line);
    if (plain) TRY(io_edges_plain_take(r->err, &r->plain, line->text, line->length, &plain));
    if (plain) {
        r->lines++;
        return GLSHAPE_OK;
    }
    if (r->is_plain) TRY(io_edges_plain_name(r->err, &r->plain, r->names));
    TRY(read_named(r, line));
    r->is_plain &= r->lines == 1 && r->maybe;
    r->plain.first = r->parts->entries.count;
    return GLSHAPE_OK;
}

/* Reads the lines that follow as long as they are plain edges; the first edge is never one of them. */
static glshape_status read_block(reader *r) {
    size_t read = 0;
    if (r->is_plain && r->lines) TRY(io_edges_plain_read(r->err, &r->plain, &read));
    r->lines += read;
    return GLSHAPE_OK;
}

static glshape_status read_lines(reader *r) {
    io_line line = {.text = NULL};
    for (;;) {
        TRY(read_block(r));
        TRY(io_line_next(r->err, r->s, "#%", &line));
        if (!line.text) return GLSHAPE_OK;
        bool first = !r->delimiter;
        if (first) r->plain.delimiter = r->delimiter = io_fields_delimiter(line.text, line.length, "\t;, ");
        io_line_split(&line, r->delimiter);
        drop_empty_data(&line);
        TRY(check_decimals(r, &line));
        if (first && is_header(&line)) continue;
        TRY(first && names_values(r, &line) ? read_header(r, &line) : read_edge(r, &line));
    }
}

/* The edge that the header was taken for. */
static void drop_first(reader *r) {
    io_entries *entries = &r->parts->entries;
    entries->count--;
    for (size_t k = 0; k < entries->count; k++) io_entries_move(entries, k, k + 1, entries->at[k + 1]);
    r->plain.first = 0;
}

glshape_status io_edges_read(error *err, io_stream *s, io_graph_parts *parts) {
    OWNED_BY(io_names_free) io_names names = {.list = {.name = s->name}};
    reader r = {.err = err, .s = s, .parts = parts, .names = &names, .is_plain = true};
    r.plain.parts = parts;
    r.plain.block.s = s;
    TRY(read_lines(&r));
    if (!r.lines)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has no edges, only blank lines or comments", s->name);
    bool header = r.maybe && r.lines > 1;
    if (header) drop_first(&r);
    if (r.is_plain && parts->entries.count > r.plain.first) {
        bool done;
        TRY(io_edges_plain_number(err, &r.plain, &done));
        if (done) return GLSHAPE_OK;
        TRY(io_edges_plain_name(err, &r.plain, &names));
    }
    return io_edges_number(err, &names, header || r.headed, parts);
}
