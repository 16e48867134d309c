/* plot: pictures of results. A chart draws onto a canvas (canvas.h); plot_write turns the canvas into a file.
 */
#ifndef GLSHAPE_PLOT_PLOT_H
#define GLSHAPE_PLOT_PLOT_H

#include <stdio.h>

#include "gpu/gpu.h"
#include "plot/canvas.h"

/* Returns GLSHAPE_OK if plot_write can write the extension of path (.png, .svg, in upper or lower case),
 * else GLSHAPE_BAD_ARGUMENT. To be asked before any long work. */
glshape_status plot_format_check(error *err, const char *path);

/* Writes the canvas to `to` in the format that the extension of path says; path is not opened. A PNG is
 * painted on g; for an SVG g may be NULL. Errors: those of plot_format_check, plot_canvas_check and of the
 * GPU; GLSHAPE_IO_ERROR if writing fails. */
glshape_status plot_write(gpu *g, error *err, const plot_canvas *c, const char *path, FILE *to);

glshape_status plot_write_svg(error *err, const plot_canvas *c, FILE *to);
/* 8-bit RGB. The bytes are the same on every device. */
glshape_status plot_write_png(gpu *g, error *err, const plot_canvas *c, FILE *to);

/* ---- charts ----------------------------------------------------------------------------------- */

/* What is drawn beneath the points of a scatter plot: the inside of rings (points with an odd number of
 * rings around them), the rings, and lines. Points are named by number. */
typedef struct plot_region {
    size_t rings;
    const size_t *ring_start; /* rings + 1: where each ring starts in `ring` */
    const uint32_t *ring;
    size_t lines;
    const uint32_t (*line)[2];
} plot_region;

/* A 2-D layout as a scatter plot, with equal units on both axes. */
typedef struct plot_scatter_options {
    size_t n, dim;              /* dim 1: drawn along a line; dim > 2: the first two columns */
    const double *xy;           /* n × dim, row after row, finite; may be NULL if n is 0 */
    const glshape_graph *edges; /* of n nodes, drawn beneath the points; NULL: none */
    const plot_region *region;  /* drawn beneath edges and points; NULL: none */
    const uint32_t *labels;     /* n classes, each < classes; NULL: no classes */
    uint32_t classes;           /* number of classes */
    const char *const *names;   /* the classes' names (UTF-8); NULL: "class 0", "class 1", … */
    const char *kind;           /* without names, what they are instead of "class"; NULL: that */
    const char *title;          /* UTF-8; NULL: none */
    uint32_t width, height;     /* pixels; 0: 1200 */
} plot_scatter_options;

/* Makes the canvas *c (the caller frees it with plot_canvas_free, also after a failure) and draws the chart.
 * Points are painted in a random but reproducible order, so that no class hides the others.
 * GLSHAPE_BAD_ARGUMENT: dim is 0, a label is out of range, or a picture smaller than 200 × 200. */
glshape_status plot_scatter(error *err, plot_canvas *c, const plot_scatter_options *o);

/* The tree of a linkage matrix (glshape_linkage_result.merges): leaves at the left, heights to the right,
 * INFINITY a little beyond the greatest other height. */
typedef struct plot_dendrogram_options {
    size_t n;               /* points, at least 1 */
    const double *merges;   /* n - 1 rows of 4 */
    const uint32_t *labels; /* n clusters, which subtrees are coloured by; NULL: none */
    const char *title;      /* UTF-8; NULL: none */
    size_t leaves;          /* drawn at most: what was merged before is one leaf; 0: 60 */
    uint32_t width, height; /* pixels; 0: 1200 */
} plot_dendrogram_options;

/* As plot_scatter. GLSHAPE_BAD_ARGUMENT: no points, or a picture smaller than 200 × 200. */
glshape_status plot_dendrogram(error *err, plot_canvas *c, const plot_dendrogram_options *o);

/* Intervals of persistent homology: a bar for each on the left, a dot for each on the right. */
typedef struct plot_barcode_options {
    size_t count;
    const glshape_interval *intervals; /* in any order */
    int dims;                          /* 1 … PLOT_DIMS: dimensions 0 … dims - 1 */
    double end;                        /* where the filtration ends: used if no interval has another end */
    const char *scale;                 /* what births and deaths are; NULL: diameter */
    const char *title;                 /* UTF-8; NULL: none */
    uint32_t width, height;            /* pixels; 0: 1600 and 900 */
} plot_barcode_options;

#define PLOT_DIMS GLSHAPE_RIPS_DIMS

/* Makes the canvas as plot_scatter. Bars are grouped by dimension, and lie in order of birth, then death. Of
 * each dimension the longest are drawn; the line beneath the title says so if there are more.
 * GLSHAPE_BAD_ARGUMENT: a dimension out of range, or a picture smaller than 480 × 270. */
glshape_status plot_barcode(error *err, plot_canvas *c, const plot_barcode_options *o);

#define PLOT_BRANCHES 48 /* drawn at most: as many as there are colours */

/* A tree of branches (a merge tree), its persistence diagram, and, if there are cells, an image of the
 * branches, each in a panel. A parent comes before its children, its persistence is at least theirs, and
 * children are in order of death, the last to join first. */
typedef struct plot_branches_options {
    size_t n;
    const double (*pairs)[2]; /* n times birth, death; that of a root does not matter */
    const uint32_t *parent;   /* n: the branch that it joins; its own index: a root, without end */
    bool falling;             /* births lie above deaths */
    double end;               /* the last value of all; it is shown if all births and deaths are equal */
    const char *origin;       /* the number that values are differences from, as text; NULL: 0 */
    size_t rows, columns;     /* of the image, from the top; 0: none */
    const uint32_t *cells;    /* rows × columns: a branch each */
    const char *image;        /* the title of the image; NULL: Segmentation */
    const char *title;        /* UTF-8; NULL: none */
    uint32_t width, height;   /* pixels; 0: 1600 and 680 */
} plot_branches_options;

/* Makes the canvas as plot_scatter. The most persistent branches are drawn, each in a colour of its own in
 * all panels; the line beneath the title says so if there are more. A cell on another has the colour of the
 * branch that this joins. GLSHAPE_BAD_ARGUMENT: a parent or a cell out of range, or a picture smaller than
 * 480 × 204. */
glshape_status plot_branches(error *err, plot_canvas *c, const plot_branches_options *o);

/* Clusters of varying density: the points in their clusters' colors, noise grey, and the condensed tree as
 * icicles, chosen clusters in their colors. */
typedef struct plot_icicles_options {
    const glshape_hdbscan_result *of;
    const int32_t *labels;  /* of the points: those of `of`, or of a cut */
    size_t clusters;        /* that labels has */
    glshape_optional cut;   /* the distance of the cut, which is drawn as a line; icicles are then grey */
    size_t dim;             /* dim 1: points are drawn along a line; dim > 2: by the first two columns */
    const double *xy;       /* points × dim, finite; NULL: there is no panel of points */
    const char *title;      /* UTF-8; NULL: none */
    uint32_t width, height; /* pixels; 0: 1600 and 760 */
} plot_icicles_options;

/* As plot_scatter. GLSHAPE_BAD_ARGUMENT: a picture smaller than 480 × 228. */
glshape_status plot_icicles(error *err, plot_canvas *c, const plot_icicles_options *o);

/* An interval of persistent homology in an image: columns and rows of its birth and its death. */
typedef struct plot_mark {
    int dim; /* below PLOT_DIMS */
    uint32_t birth[2], death[2];
    bool ends; /* else it has no death */
} plot_mark;

/* An image in gray with marks: a disc at a birth, and a line from there to a ring at the death. */
typedef struct plot_marks_options {
    size_t rows, columns; /* of the image, from the top; at least 1 */
    const double *image;  /* rows × columns: the least finite value is black, the greatest white */
    size_t count;
    const plot_mark *marks; /* the later ones on top */
    const char *what;       /* the image is; NULL: nothing is said */
    const char *title;      /* UTF-8; NULL: none */
    uint32_t width, height; /* pixels; 0: 1200 */
} plot_marks_options;

/* Makes the canvas as plot_scatter. GLSHAPE_BAD_ARGUMENT: a mark out of range, or a picture smaller than
 * 200 × 200. */
glshape_status plot_marks(error *err, plot_canvas *c, const plot_marks_options *o);

#endif
