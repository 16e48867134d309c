/* plot: pictures of results, behind glshape_draw. A chart draws onto a canvas (canvas.h); plot_write turns
 * the canvas into a file. */
#ifndef GLSHAPE_PLOT_PLOT_H
#define GLSHAPE_PLOT_PLOT_H

#include <stdio.h>

#include "gpu/gpu.h"
#include "plot/canvas.h"

/* Writes the canvas to `to`. A PNG has 8-bit RGB, and its bytes are the same on every device. g paints it;
 * for an SVG g may be NULL. Errors: those of plot_canvas_check and of the GPU; GLSHAPE_IO_ERROR if writing
 * fails.
 */
glshape_status plot_write(gpu *g, error *err, const plot_canvas *c, glshape_picture_format format, FILE *to);
glshape_status plot_write_svg(error *err, const plot_canvas *c, FILE *to);
glshape_status plot_write_png(gpu *g, error *err, const plot_canvas *c, FILE *to);

/* ---- charts ----------------------------------------------------------------------------------- */

/* All make the canvas *c, which the caller frees with plot_canvas_free, also after a failure, and draw the
 * chart. on: its format does not matter. */

/* Points are painted in a random but reproducible order, so that no class hides the others. */
glshape_status plot_scatter(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_scatter *o);
/* The checks of their options alone. */
glshape_status plot_check_scatter(error *err, const glshape_chart_scatter *o);
glshape_status plot_check_barcode(error *err, const glshape_chart_barcode *o);
glshape_status plot_check_icicles(error *err, const glshape_chart_icicles *o);
glshape_status plot_dendrogram(error *err, plot_canvas *c, const glshape_picture_options *on,
                               const glshape_chart_dendrogram *o);
/* Bars are grouped by dimension, and lie in order of birth, then death. Of each dimension the longest are
 * drawn; the line beneath the title says so if there are more. */
glshape_status plot_barcode(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_barcode *o);
glshape_status plot_icicles(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_icicles *o);

#define PLOT_DIMS GLSHAPE_RIPS_DIMS

#define PLOT_BRANCHES 48 /* drawn at most: as many as there are colours */

/* A tree of branches (a merge tree), its persistence diagram, and, if there are cells, an image of the
 * branches, each in a panel. A parent comes before its children, its persistence is at least theirs, and
 * children are in order of death, the last to join first. */
typedef struct plot_branch_rows {
    size_t n;
    const double (*pairs)[2]; /* n times birth, death; that of a root does not matter */
    const uint32_t *parent;   /* n: the branch that it joins; its own index: a root, without end */
    bool falling;             /* births lie above deaths */
    double end;               /* the last value of all; it is shown if all births and deaths are equal */
    const char *origin;       /* the number that values are differences from, as text; NULL: 0 */
    size_t rows, columns;     /* of the image, from the top; 0: none */
    const uint32_t *cells;    /* rows × columns: a branch each */
    const char *image;        /* the title of the image; NULL: Segmentation */
} plot_branch_rows;

glshape_status plot_check_branches(error *err, const plot_branch_rows *o);
/* The most persistent branches are drawn, each in a colour of its own in all panels; the line beneath the
 * title says so if there are more. A cell on another has the colour of the branch that this joins.
 * GLSHAPE_BAD_ARGUMENT: a parent or a cell out of range. */
glshape_status plot_branches(error *err, plot_canvas *c, const glshape_picture_options *on,
                             const plot_branch_rows *o);
/* The same of a merge tree. */
glshape_status plot_merge_tree(error *err, plot_canvas *c, const glshape_picture_options *on,
                               const glshape_chart_branches *o);

/* An interval of persistent homology in an image: columns and rows of its birth and its death. */
typedef struct plot_mark {
    int dim; /* below PLOT_DIMS */
    uint32_t birth[2], death[2];
    bool ends; /* else it has no death */
} plot_mark;

/* An image in gray with marks: a disc at a birth, and a line from there to a ring at the death. */
typedef struct plot_marked {
    size_t rows, columns; /* of the image, from the top; at least 1 */
    const double *image;  /* rows × columns: the least finite value is black, the greatest white */
    size_t count;
    const plot_mark *marks; /* the later ones on top */
    const char *what;       /* the image is; NULL: nothing is said */
} plot_marked;

/* GLSHAPE_BAD_ARGUMENT: a mark out of range. */
glshape_status plot_marks(error *err, plot_canvas *c, const glshape_picture_options *on,
                          const plot_marked *o);
/* The same of the longest intervals of a field. */
glshape_status plot_located(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_located *o);

/* A map of shapes, and beside it barcodes of medoids. */
glshape_status plot_atlas(error *err, plot_canvas *c, const glshape_picture_options *on,
                          const glshape_chart_atlas *o);
glshape_status plot_check_atlas(error *err, const glshape_chart_atlas *o);

#endif
