#include "io/graph/sparse_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "io/room.h"

enum { FIRST_ENTRIES = 1 << 12, SHORT_ROW = 32, AHEAD = 12 };

/* A row costs 8 bytes, values or none: a header of a few bytes must not cost gigabytes. */
#define MOST_EMPTY_ROWS ((size_t)1 << 24)

/* Makes room for so many more of an array of the entries. */
static glshape_status grow(error *err, const io_entries *entries, size_t more, void *data, size_t *capacity,
                           size_t size) {
    size_t limit = entries->limit ? entries->limit : SIZE_MAX, need = entries->count + FIRST_ENTRIES;
    if (need > limit) need = limit;
    if (need < entries->count + more) need = entries->count + more;
    if (limit < need) limit = need;
    return io_room_grow(err, entries->name, data, capacity, need, limit, size);
}

/* Makes room for the values of all entries, and of so many more. Those before the first are 1. */
static glshape_status grow_values(error *err, io_entries *entries, size_t more) {
    bool first = !entries->value;
    TRY(grow(err, entries, more, &entries->value, &entries->value_capacity, sizeof *entries->value));
    for (size_t k = 0; first && k < entries->count; k++) entries->value[k] = 1;
    return GLSHAPE_OK;
}

glshape_status io_entries_grow(error *err, io_entries *entries, size_t more, bool values) {
    TRY(grow(err, entries, more, &entries->at, &entries->capacity, sizeof *entries->at));
    return values ? grow_values(err, entries, more) : GLSHAPE_OK;
}

glshape_status io_entries_add(error *err, io_entries *entries, uint32_t row, uint32_t col, double value) {
    if (entries->count == entries->capacity)
        TRY(grow(err, entries, 1, &entries->at, &entries->capacity, sizeof *entries->at));
    if (entries->value ? entries->count == entries->value_capacity : value != 1)
        TRY(grow_values(err, entries, 1));
    if (entries->value) entries->value[entries->count] = value;
    entries->at[entries->count++] = (io_entry){row, col};
    return GLSHAPE_OK;
}

void io_entries_move(io_entries *entries, size_t to, size_t k, io_entry e) {
    entries->at[to] = e;
    if (entries->value) entries->value[to] = entries->value[k];
}

void io_entries_free(io_entries *entries) {
    free(entries->at);
    free(entries->value);
    *entries = (io_entries){.at = NULL};
}

/* ---- the way into rows ------------------------------------------------------------------------------- */

/* Each part takes the entries of its rows, of all entries: so parts share nothing, and more of them would
 * only read more. */
enum { PARTS = 16, FEW = 1 << 16 };

typedef struct arranging {
    const io_entries *entries;
    io_cells *out;
    size_t parts, first[PARTS + 1]; /* rows before each part */
} arranging;

static inline bool has(const arranging *a, size_t part, uint32_t row) {
    return row - a->first[part] < a->first[part + 1] - a->first[part];
}

static void count_rows(void *user, size_t part) {
    const arranging *a = user;
    const io_entries *entries = a->entries;
    size_t *start = a->out->start + 1;
    for (size_t k = 0; k < entries->count; k++) {
        io_entry e = entries->at[k];
        if (has(a, part, e.row)) start[e.row]++;
        if (entries->both && has(a, part, e.col)) start[e.col]++;
    }
}

static inline void put(io_cells *out, uint32_t row, uint32_t column, double value, bool plain) {
    size_t to = out->start[row]++;
    if (plain) out->column[to] = column;
    else out->cell[to] = (io_cell){column, value};
}

static inline void ask_for(const io_cells *out, uint32_t row, bool plain) {
    size_t to = out->start[row];
    if (plain) __builtin_prefetch(&out->column[to], 1);
    else __builtin_prefetch(&out->cell[to], 1);
}

static inline void scatter_of(const arranging *a, size_t part, bool plain) {
    const io_entries *entries = a->entries;
    io_cells *out = a->out;
    for (size_t k = 0; k < entries->count; k++) {
        io_entry e = entries->at[k], later = entries->at[k + AHEAD < entries->count ? k + AHEAD : k];
        if (has(a, part, later.row)) ask_for(out, later.row, plain);
        if (entries->both && has(a, part, later.col)) ask_for(out, later.col, plain);
        if (has(a, part, e.row)) put(out, e.row, e.col, plain ? 1 : entries->value[k], plain);
        if (entries->both && has(a, part, e.col))
            put(out, e.col, e.row, plain ? 1 : entries->value[k], plain);
    }
}

static void scatter(void *user, size_t part) {
    const arranging *a = user;
    if (a->out->cell) scatter_of(a, part, false);
    else scatter_of(a, part, true);
}

size_t io_cells_part(const io_cells *cells, size_t part, size_t parts) {
    size_t low = part == parts ? cells->rows : 0, high = cells->rows;
    size_t before = cells->start[cells->rows] / parts * part;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cells->start[middle] < before) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Puts each entry into its row. start moves on meanwhile, and back at the end. */
static void arrange(const io_entries *entries, io_cells *out) {
    size_t threads = (size_t)threads_count(0), parts = threads < PARTS ? threads : PARTS;
    arranging a = {.entries = entries, .out = out, .parts = entries->count < FEW ? 1 : parts};
    for (size_t p = 0; p <= a.parts; p++) a.first[p] = out->rows / a.parts * p;
    a.first[a.parts] = out->rows;
    threads_run(0, a.parts, count_rows, &a);
    for (size_t r = 0; r < out->rows; r++) out->start[r + 1] += out->start[r];
    for (size_t p = 0; p <= a.parts; p++) a.first[p] = io_cells_part(out, p, a.parts);
    threads_run(0, a.parts, scatter, &a);
    memmove(out->start + 1, out->start, out->rows * sizeof *out->start);
    out->start[0] = 0;
}

/* ---- rows with values ---------------------------------------------------------------------------- */

static bool is_after(const io_cell *a, const io_cell *b) {
    return a->column > b->column || (a->column == b->column && a->value > b->value);
}

static int compare_cells(const void *a, const void *b) { return is_after(a, b) - is_after(b, a); }

/* Puts each cell where it belongs among those before it. */
static void insert(io_cell *cell, size_t count) {
    for (size_t k = 1; k < count; k++) {
        io_cell moved = cell[k];
        size_t to = k;
        for (; to && is_after(&cell[to - 1], &moved); to--) cell[to] = cell[to - 1];
        cell[to] = moved;
    }
}

static bool is_sorted(const io_cell *cell, size_t count) {
    size_t k = 1;
    while (k < count && cell[k - 1].column < cell[k].column) k++;
    return k >= count;
}

static void sort_row(io_cell *cell, size_t count) {
    if (count <= SHORT_ROW) insert(cell, count);
    else if (!is_sorted(cell, count)) qsort(cell, count, sizeof *cell, compare_cells);
}

/* ---- rows without -------------------------------------------------------------------------------- */

static int compare_columns(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_columns(uint32_t *column, size_t count) {
    bool sorted = true;
    for (size_t k = 1; k < count && count > SHORT_ROW && sorted; k++) sorted = column[k - 1] <= column[k];
    if (count > SHORT_ROW && !sorted) qsort(column, count, sizeof *column, compare_columns);
    for (size_t k = 1; k < count && count <= SHORT_ROW; k++) {
        uint32_t moved = column[k];
        size_t to = k;
        for (; to && column[to - 1] > moved; to--) column[to] = column[to - 1];
        column[to] = moved;
    }
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void sort_rows(void *user, size_t from, size_t to) {
    const io_cells *c = user;
    for (size_t r = from; r < to; r++) {
        size_t first = c->start[r], count = c->start[r + 1] - first;
        if (c->cell) sort_row(c->cell + first, count);
        else sort_columns(c->column + first, count);
    }
}

glshape_status io_cells_of(error *err, io_entries *entries, size_t rows, io_cells *out) {
    size_t count = times(entries->count, entries->both ? 2 : 1);
    size_t size = entries->value ? sizeof *out->cell : sizeof *out->column;
    size_t starts = times(rows + 1, sizeof *out->start), cells = times(count, size);
    *out = (io_cells){.rows = rows};
    if (rows > MOST_EMPTY_ROWS && rows / 64 > count)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s says that it has %zu rows, but only %zu values: is its header right?", entries->name,
                    rows, count);
    TRY(io_room_check(err, entries->name, starts > SIZE_MAX - cells ? SIZE_MAX : starts + cells));
    TRY(allocate(err, &out->start, rows + 1, sizeof *out->start, entries->name));
    TRY(entries->value ? allocate(err, &out->cell, count, size, entries->name)
                       : allocate(err, &out->column, count, size, entries->name));
    arrange(entries, out);
    io_entries_free(entries);
    threads_ranges(rows, sort_rows, out);
    return GLSHAPE_OK;
}

void io_cells_free(io_cells *cells) {
    free(cells->start);
    free(cells->cell);
    free(cells->column);
    *cells = (io_cells){.rows = 0};
}
