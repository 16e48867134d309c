#include "io/graph/edges_plain.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/number.h"
#include "io/room.h"

/* ---- a line ------------------------------------------------------------------------------------------ */

typedef struct edge {
    io_entry ends;
    bool third, is_length; /* it has a third field, which is a number other than 1 */
    double value;
} edge;

/* Reads digits at p that are a name as one writes it; NULL: they are none, or more than nine. */
static const char *read_name(const char *p, uint32_t *out) {
    const char *first = p;
    uint32_t value = 0;
    for (; *p >= '0' && *p <= '9' && p - first < IO_PLAIN_DIGITS; p++)
        value = 10 * value + (uint32_t)(*p - '0');
    *out = value;
    return p == first || p - first == IO_PLAIN_DIGITS || (*first == '0' && p > first + 1) ? NULL : p;
}

/* Where the next field begins, p being where one ended; NULL: nothing follows, or no delimiter. */
static const char *next_field(const char *p, const char *end, char delimiter) {
    const char *q = io_fields_skip_blanks(p, end, delimiter);
    if (q == end || (delimiter == IO_BLANKS ? q == p : *q != delimiter)) return NULL;
    return delimiter == IO_BLANKS ? q : io_fields_skip_blanks(q + 1, end, delimiter);
}

/* Reads the field that is left, if it may be an edge's third. */
static bool read_third(const io_edges_plain *p, const char *text, const char *end, bool asked, edge *e) {
    io_graph_values values = p->parts->values;
    io_fields fields = {text, end, p->delimiter};
    io_field field, other;
    double value = 1;
    if (!io_fields_next(&fields, &field) || io_fields_next(&fields, &other) || field.quoted || !field.length)
        return false;
    bool empty = field.length == 2 && !memcmp(field.text, "{}", 2); /* networkx writes it where no value is */
    bool wanted = values && e->ends.row != e->ends.col;
    if (empty) return !values;
    if (p->bare || memchr(text, '\0', (size_t)(end - text))) return false;
    e->third = true;
    if (!wanted && !asked) return true;
    bool number = io_number_parse(field.text, field.length, &value);
    e->is_length = number && value != 1;
    if (!wanted) return true;
    if (!number || !isfinite((float)value)) return false;
    e->value = value + 0.0;
    if (values == IO_GRAPH_HEIGHTS && value == 0) return true;
    return (values != IO_GRAPH_LENGTHS && values != IO_GRAPH_HEIGHTS) || (float)value > 0;
}

/* asked: somebody asks whether the third field is a length. */
static bool read_edge(const io_edges_plain *p, const char *line, size_t length, bool asked, edge *e) {
    const char *end = line + length, *at = io_fields_skip_blanks(line, end, p->delimiter);
    *e = (edge){.value = 1};
    at = read_name(at, &e->ends.row);
    if (at) at = next_field(at, end, p->delimiter);
    if (at) at = read_name(at, &e->ends.col);
    if (!at) return false;
    if (io_fields_skip_blanks(at, end, p->delimiter) == end) return !p->parts->values || p->bare;
    at = next_field(at, end, p->delimiter);
    return at && read_third(p, at, end, asked, e);
}

/* ---- many lines -------------------------------------------------------------------------------------- */

typedef struct reading {
    const io_edges_plain *p;
    io_entry *at;  /* of the first line */
    double *value; /* NULL: all before are 1 */
    atomic_bool has_values, has_lengths, other;
} reading;

static void set(atomic_bool *flag) {
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}

static bool read_line(void *user, size_t index, const char *line, size_t length) {
    reading *r = user;
    edge e;
    if (!read_edge(r->p, line, length, !atomic_load_explicit(&r->has_lengths, memory_order_relaxed), &e))
        return false;
    if (!r->value && e.value != 1) {
        set(&r->other);
        return false;
    }
    r->at[index] = e.ends;
    if (r->value) r->value[index] = e.value;
    if (e.third) set(&r->has_values);
    if (e.is_length) set(&r->has_lengths);
    return true;
}

glshape_status io_edges_plain_read(error *err, io_edges_plain *p, size_t *read) {
    io_graph_parts *parts = p->parts;
    io_entries *entries = &parts->entries;
    for (*read = 0;;) {
        TRY(io_block_next(err, &p->block));
        if (!p->block.lines) return GLSHAPE_OK;
        TRY(io_entries_grow(err, entries, p->block.lines, entries->value));
        reading r = {.p = p, .at = entries->at + entries->count};
        if (entries->value) r.value = entries->value + entries->count;
        atomic_store(&r.has_lengths, parts->has_lengths);
        size_t taken = io_block_read(&p->block, p->block.lines, read_line, &r);
        parts->has_values |= atomic_load(&r.has_values);
        parts->has_lengths = atomic_load(&r.has_lengths);
        entries->count += taken;
        *read += taken;
        if (!atomic_load(&r.other)) continue;
        TRY(io_entries_grow(err, entries, 1, true)); /* the rest is read again, with values */
        p->block.resume = 0;
    }
}

glshape_status io_edges_plain_take(error *err, io_edges_plain *p, const char *line, size_t length,
                                   bool *taken) {
    edge e;
    io_graph_parts *parts = p->parts;
    *taken = read_edge(p, line, length, !parts->has_lengths, &e);
    if (!*taken) return GLSHAPE_OK;
    parts->has_values |= e.third;
    parts->has_lengths |= e.is_length;
    return io_entries_add(err, &parts->entries, e.ends.row, e.ends.col, e.value);
}

/* ---- numbers of nodes -------------------------------------------------------------------------------- */

enum { WORD = 64 };

/* Which numbers there are, a bit each, and how many before each word. */
typedef struct numbering {
    io_entry *at;
    _Atomic uint64_t *has;
    uint32_t *before;
    atomic_uint most;
    atomic_size_t loops;
} numbering;

static void find_most(void *user, size_t first, size_t end) {
    numbering *n = user;
    uint32_t most = 0, had = atomic_load(&n->most);
    for (size_t k = first; k < end; k++) {
        if (n->at[k].row > most) most = n->at[k].row;
        if (n->at[k].col > most) most = n->at[k].col;
    }
    while (most > had && !atomic_compare_exchange_weak(&n->most, &had, most)) continue;
}

static void mark(numbering *n, uint32_t value) {
    _Atomic uint64_t *word = &n->has[value / WORD];
    uint64_t bit = (uint64_t)1 << value % WORD;
    if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

static void mark_all(void *user, size_t first, size_t end) {
    numbering *n = user;
    for (size_t k = first; k < end; k++) mark(n, n->at[k].row), mark(n, n->at[k].col);
}

static uint64_t word_of(const numbering *n, size_t word) {
    return atomic_load_explicit(&n->has[word], memory_order_relaxed);
}

static uint32_t node_of(const numbering *n, uint32_t value) {
    uint64_t below = word_of(n, value / WORD) & (((uint64_t)1 << value % WORD) - 1);
    return n->before[value / WORD] + (uint32_t)__builtin_popcountll(below);
}

static void number(void *user, size_t first, size_t end) {
    numbering *n = user;
    size_t loops = 0;
    for (size_t k = first; k < end; k++) {
        io_entry *e = &n->at[k];
        loops += e->row == e->col;
        *e = (io_entry){node_of(n, e->row), node_of(n, e->col)};
    }
    if (loops) atomic_fetch_add(&n->loops, loops);
}

static void drop_loops(io_graph_parts *parts, size_t first) {
    io_entries *entries = &parts->entries;
    size_t kept = first;
    for (size_t k = first; k < entries->count; k++)
        if (entries->at[k].row != entries->at[k].col) io_entries_move(entries, kept++, k, entries->at[k]);
    parts->loops += entries->count - kept;
    entries->count = kept;
}

static size_t print_whole(char out[IO_PLAIN_DIGITS], uint32_t value) {
    char digits[IO_PLAIN_DIGITS];
    size_t count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    for (size_t k = 0; k < count; k++) out[k] = digits[count - 1 - k];
    out[count] = '\0';
    return count;
}

/* The numbers as texts, by ascending ones. */
static glshape_status print_names(error *err, const numbering *n, size_t words, io_graph_parts *parts) {
    size_t node = 0;
    TRY(allocate(err, &parts->names, parts->nodes, sizeof *parts->names + IO_PLAIN_DIGITS,
                 parts->entries.name));
    char *text = (char *)(parts->names + parts->nodes);
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = word_of(n, w); left; left &= left - 1) {
            parts->names[node++] = text;
            text += print_whole(text, (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left)) + 1;
        }
    return GLSHAPE_OK;
}

glshape_status io_edges_plain_number(error *err, const io_edges_plain *p, bool *done) {
    io_graph_parts *parts = p->parts;
    io_entries *entries = &parts->entries;
    const char *name = entries->name;
    OWNED _Atomic uint64_t *has = NULL;
    OWNED uint32_t *before = NULL;
    numbering n = {.at = entries->at + p->first};
    size_t count = entries->count - p->first, least = 0;
    threads_ranges(count, find_most, &n);
    size_t most = atomic_load(&n.most), words = most / WORD + 1, nodes = 0;
    *done = words / 2 <= count + WORD;
    if (!*done) return GLSHAPE_OK;
    TRY(io_room_check(err, name, times(words, sizeof *has + sizeof *before)));
    TRY(allocate(err, &has, words, sizeof *has, name));
    TRY(allocate(err, &before, words, sizeof *before, name));
    n.has = has;
    n.before = before;
    threads_ranges(count, mark_all, &n);
    for (size_t w = 0; w < words; w++) {
        before[w] = (uint32_t)nodes;
        nodes += (size_t)__builtin_popcountll(word_of(&n, w));
    }
    while (!word_of(&n, least / WORD)) least += WORD;
    least += (size_t)__builtin_ctzll(word_of(&n, least / WORD));
    threads_ranges(count, number, &n);
    if (atomic_load(&n.loops)) drop_loops(parts, p->first);
    parts->nodes = nodes;
    if (least > 1 || most - least + 1 != nodes) return print_names(err, &n, words, parts);
    parts->first = least;
    return GLSHAPE_OK;
}

glshape_status io_edges_plain_name(error *err, const io_edges_plain *p, io_names *names) {
    io_entries *entries = &p->parts->entries;
    char text[IO_PLAIN_DIGITS];
    for (size_t k = p->first; k < entries->count; k++) {
        io_entry *e = &entries->at[k], given = *e;
        TRY(io_names_number(err, names, text, print_whole(text, given.row), &e->row));
        TRY(io_names_number(err, names, text, print_whole(text, given.col), &e->col));
    }
    drop_loops(p->parts, p->first);
    return GLSHAPE_OK;
}
