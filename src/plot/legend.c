#include "plot/legend.h"

#include <math.h>
#include <stdio.h>

#include "plot/font.h"
#include "plot/palette.h"

/* In ems of the legend's font. Names have 15 % to spare: a viewer's own font may be wider than ours (SVG). */
#define ROW 1.5
#define NAME_AT 1.1
#define COUNT_GAP 1.0
#define COLUMN_GAP 2.0
#define DISC 0.34
#define SPARE 1.15

void legend_number(char *out, size_t size, uint64_t n) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i && (length - i) % 3 == 0) out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
}

void legend_add(legend *l, const char *name, uint64_t count, uint32_t colour) {
    size_t i = l->classes++;
    if (i >= LEGEND_ENTRIES) return;
    legend_entry *e = &l->entries[i];
    font_fit(e->name, sizeof e->name, name, l->font, INFINITY);
    legend_number(e->count, sizeof e->count, count);
    e->colour = colour;
}

static void measure(legend *l) {
    int n = l->classes < LEGEND_ENTRIES ? (int)l->classes : LEGEND_ENTRIES;
    l->name_width = l->count_width = 0;
    for (int i = 0; i < n; i++) {
        l->name_width = fmax(l->name_width, SPARE * font_width(l->entries[i].name, l->font));
        l->count_width = fmax(l->count_width, SPARE * font_width(l->entries[i].count, l->font));
    }
}

static double entry_width(const legend *l) {
    return NAME_AT * l->font + l->name_width + COUNT_GAP * l->font + l->count_width;
}

/* Makes all names narrow enough for `columns` columns within width. */
static void narrow(legend *l, double width, int columns) {
    double gaps = (columns - 1) * COLUMN_GAP * l->font;
    double room = (width - gaps) / columns - (entry_width(l) - l->name_width);
    room = fmax(room, 3 * l->font);
    for (size_t i = 0; i < l->classes && i < LEGEND_ENTRIES; i++) {
        char *name = l->entries[i].name;
        font_fit(name, LEGEND_NAME, name, l->font, room / SPARE);
    }
    measure(l);
}

/* Lines that an arrangement into so many rows and columns shows. */
static void place_entries(legend *l, int rows, int columns) {
    int lines = l->classes > LEGEND_ENTRIES ? LEGEND_ENTRIES + 1 : (int)l->classes;
    if (lines > rows * columns) lines = rows * columns;
    bool more = (size_t)lines < l->classes || l->classes > LEGEND_ENTRIES;
    l->shown = more ? lines - 1 : lines;
    l->columns = columns < lines ? columns : lines;
    if (l->columns < 1) l->columns = 1;
    l->rows = (lines + l->columns - 1) / l->columns;
    l->width = l->columns * (entry_width(l) + COLUMN_GAP * l->font) - COLUMN_GAP * l->font;
    l->height = l->rows * ROW * l->font;
}

void legend_fit(legend *l, double width, double height, int columns) {
    measure(l);
    int wanted = l->classes > 8 ? 3 : l->classes > 3 ? 2 : 1, roomy = (int)(width / (12 * l->font));
    if (wanted > roomy) wanted = roomy < 1 ? 1 : roomy;
    narrow(l, width, wanted < columns ? wanted : columns);
    int possible = (int)((width + COLUMN_GAP * l->font) / (entry_width(l) + COLUMN_GAP * l->font));
    int rows = (int)(height / (ROW * l->font));
    if (possible < 1) possible = 1;
    place_entries(l, rows < 1 ? 1 : rows, possible < columns ? possible : columns);
}

static void draw_entry(const legend *l, const legend_entry *e, plot_canvas *c, double x, double middle) {
    double font = l->font, baseline = middle + 0.3 * font;
    palette_disc(c, x + DISC * font, middle, DISC * font, e->colour);
    plot_text(c, x + NAME_AT * font, baseline, e->name, (plot_style){font, PALETTE_INK, PLOT_START, false});
    plot_text(c, x + entry_width(l), baseline, e->count, (plot_style){font, PALETTE_GREY, PLOT_END, false});
}

void legend_draw(const legend *l, plot_canvas *c, double x, double y) {
    double column = entry_width(l) + COLUMN_GAP * l->font, row = ROW * l->font;
    int lines = (size_t)l->shown < l->classes ? l->shown + 1 : l->shown;
    for (int i = 0; i < lines; i++) {
        double left = x + i / l->rows * column, middle = y + (i % l->rows + 0.5) * row;
        char more[48], number[32];
        if (i < l->shown) {
            draw_entry(l, &l->entries[i], c, left, middle);
            continue;
        }
        legend_number(number, sizeof number, l->classes - (size_t)l->shown);
        snprintf(more, sizeof more, "+ %s more", number);
        plot_text(c, left + NAME_AT * l->font, middle + 0.3 * l->font, more,
                  (plot_style){l->font, PALETTE_GREY, PLOT_START, false});
    }
}
