#include "io/graph/sparse_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/room.h"

enum { FIRST_ENTRIES = 1 << 12, SHORT_ROW = 32, AHEAD = 12 };

/* A row costs 8 bytes, values or none: a header of a few bytes must not cost gigabytes. */
#define MOST_EMPTY_ROWS ((size_t)1 << 24)

glshape_status io_entries_add(error *err, io_entries *entries, uint32_t row, uint32_t col, double value) {
    if (entries->count == entries->capacity) {
        size_t limit = entries->limit ? entries->limit : SIZE_MAX, need = entries->count + FIRST_ENTRIES;
        if (need > limit) need = entries->count < limit ? limit : entries->count + 1;
        if (limit < need) limit = need;
        TRY(io_room_grow(err, entries->name, &entries->at, &entries->capacity, need, limit,
                         sizeof *entries->at));
    }
    entries->at[entries->count++] = (io_entry){row, col, value};
    return GLSHAPE_OK;
}

void io_entries_free(io_entries *entries) {
    free(entries->at);
    *entries = (io_entries){.at = NULL};
}

/* Sets start[r + 1] to where row r ends, and start[0] to 0. */
static void find_rows(const io_entries *entries, size_t rows, size_t *start) {
    for (size_t k = 0; k < entries->count; k++) start[entries->at[k].row + (size_t)1]++;
    for (size_t k = 0; entries->both && k < entries->count; k++) start[entries->at[k].col + (size_t)1]++;
    for (size_t r = 0; r < rows; r++) start[r + 1] += start[r];
}

/* Puts each entry into its row. start moves on meanwhile, and back at the end. */
static void scatter(const io_entries *entries, io_cells *out) {
    for (size_t k = 0; k < entries->count; k++) {
        const io_entry *e = &entries->at[k],
                       *later = &entries->at[k + AHEAD < entries->count ? k + AHEAD : k];
        __builtin_prefetch(&out->cell[out->start[later->row]], 1);
        if (entries->both) __builtin_prefetch(&out->cell[out->start[later->col]], 1);
        out->cell[out->start[e->row]++] = (io_cell){e->col, e->value};
        if (entries->both) out->cell[out->start[e->col]++] = (io_cell){e->row, e->value};
    }
    memmove(out->start + 1, out->start, out->rows * sizeof *out->start);
    out->start[0] = 0;
}

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

glshape_status io_cells_of(error *err, io_entries *entries, size_t rows, io_cells *out) {
    size_t count = times(entries->count, entries->both ? 2 : 1);
    size_t starts = times(rows + 1, sizeof *out->start), cells = times(count, sizeof *out->cell);
    *out = (io_cells){.rows = rows};
    if (rows > MOST_EMPTY_ROWS && rows / 64 > count)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s says that it has %zu rows, but only %zu values: is its header right?", entries->name,
                    rows, count);
    TRY(io_room_check(err, entries->name, starts > SIZE_MAX - cells ? SIZE_MAX : starts + cells));
    TRY(allocate(err, &out->start, rows + 1, sizeof *out->start, entries->name));
    TRY(allocate(err, &out->cell, count, sizeof *out->cell, entries->name));
    find_rows(entries, rows, out->start);
    scatter(entries, out);
    io_entries_free(entries);
    for (size_t r = 0; r < rows; r++) sort_row(out->cell + out->start[r], out->start[r + 1] - out->start[r]);
    return GLSHAPE_OK;
}

void io_cells_free(io_cells *cells) {
    free(cells->start);
    free(cells->cell);
    *cells = (io_cells){.rows = 0};
}
