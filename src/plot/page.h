/* Pages: a chart as one file that opens in a browser, asks no network, and can be zoomed and selected in
 * (src/plot/page/README.md). A page has a table, a row for each point, interval or branch, and views of it.
 * Here it is written, from its beginning to its end, as JSON in HTML. */
#ifndef GLSHAPE_PLOT_PAGE_H
#define GLSHAPE_PLOT_PAGE_H

#include <stdio.h>

#include "base/error.h"

/* What all pages have: build/page-files.c. */
extern const char page_style[], page_body[], page_script[];

#define PAGE_DEPTH 16

typedef struct page {
    FILE *to;
    int depth;
    char closing[PAGE_DEPTH]; /* of the objects and arrays that are open */
    bool more[PAGE_DEPTH];    /* they have something before */
} page;

/* Writes what stands before the data, then title and line. title may be NULL; line, as printf. */
void page_open(page *p, FILE *to, const char *title, const char *line, ...)
    __attribute__((format(printf, 4, 5)));
/* Closes what is open and writes the end. GLSHAPE_IO_ERROR: not all could be written. */
glshape_status page_close(page *p, error *err);

/* ---- JSON; in an array name is NULL -------------------------------------------------------------- */

void page_object(page *p, const char *name);
void page_array(page *p, const char *name);
void page_end(page *p);
/* UTF-8; bytes that are none become U+FFFD. NULL: null. */
void page_text(page *p, const char *name, const char *text);
void page_number(page *p, const char *name, size_t number);
void page_flag(page *p, const char *name, bool flag);
/* {"type", "bytes"}: little-endian, in base64, in as few bytes each as hold all. */
void page_words(page *p, const char *name, size_t count, const uint32_t *words);
/* Values `step` apart from each other, in single precision if that holds them all exactly. */
void page_values(page *p, const char *name, size_t count, size_t step, const double *values);
/* A column of the table. */
void page_column(page *p, const char *name, size_t count, size_t step, const double *values);

/* Begins the table, up to the first of its columns: after these comes page_end, after its classes another.
 * what: a row is; names: count of them, or NULL. */
void page_begin_table(page *p, const char *what, size_t count, const char *const *names);

/* ---- classes of the rows -------------------------------------------------------------------------- */

/* Class k is called names[k], or, without names, kind and its number, in CSV its number alone; class `noise`
 * is gray and called noise, in CSV -1. */
typedef struct page_classes {
    const char *heading; /* of the column */
    size_t rows;
    const uint32_t *of; /* rows: below count */
    uint32_t count;
    const char *const *names;
    const char *kind;
    uint32_t noise; /* UINT32_MAX: none */
    bool hidden;    /* the classes are colors only: no legend, and no part of rows */
} page_classes;
void page_put_classes(page *p, const page_classes *c);

/* The first colors of classes, within an array. */
void page_put_colours(page *p, uint32_t count);

/* ---- views, within their array --------------------------------------------------------------------- */

/* Begins a view of points by the columns x1 and x2, which the caller may add to, and ends. title may be NULL.
 */
void page_put_points(page *p, size_t dim, const char *title);
/* Views of the columns birth and death, whole. scale: what their values are. */
void page_put_bars(page *p, const char *scale, bool falling);
void page_put_diagram(page *p, const char *scale, bool falling);

#endif
