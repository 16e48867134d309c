/* A legend: one entry a class, in columns, with a colour, a name and a count. */
#ifndef GLSHAPE_PLOT_LEGEND_H
#define GLSHAPE_PLOT_LEGEND_H

#include "plot/canvas.h"

#define LEGEND_ENTRIES 20 /* shown at most; then "+ N more" */
#define LEGEND_NAME 128   /* bytes of a name, cut if longer */

typedef struct legend_entry {
    char name[LEGEND_NAME]; /* UTF-8 */
    char count[32];
    uint32_t colour;
} legend_entry;

/* Zero-initialised it is empty. `width` and `height` are pixels used, set by legend_fit. */
typedef struct legend {
    legend_entry entries[LEGEND_ENTRIES];
    size_t classes; /* all of them; the first LEGEND_ENTRIES are in entries */
    double font;
    int shown, rows, columns;
    double name_width, count_width, width, height;
} legend;

/* Adds a class, if there is still room for its entry. */
void legend_add(legend *l, const char *name, uint64_t count, uint32_t colour);
/* Arranges the entries within width × height pixels in at most `columns` columns: cuts names that are too
 * long, and entries that have no room. At least one row is used. */
void legend_fit(legend *l, double width, double height, int columns);
/* Draws it with its top-left corner at (x,y). */
void legend_draw(const legend *l, plot_canvas *c, double x, double y);

/* 1234567 as 1,234,567. */
void legend_number(char *out, size_t size, uint64_t n);

#endif
