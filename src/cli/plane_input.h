/* Points in the plane as delaunay and alpha read them: .npy, text, two columns of a table, TSPLIB. */
#ifndef GLSHAPE_CLI_PLANE_INPUT_H
#define GLSHAPE_CLI_PLANE_INPUT_H

#include "cli/session.h"
#include "io/columns.h"

typedef struct plane_input {
    const char *column_text; /* --columns, or NULL */
    io_columns columns;
} plane_input;

/* The help of --format. */
#define PLANE_FORMATS "input format: auto, npy, csv, tsv, text or tsplib"
#define PLANE_TSPLIB \
    "TSPLIB (.tsp, or --format tsplib; type GEO: x is the longitude, y the latitude, in degrees)"

/* The row of --columns in a table of options, without its braces. */
#define PLANE_COLUMNS(input)                                     \
    "--columns", NULL, OPTION_TEXT, &(input).column_text, "X,Y", \
        "two columns of a table, by their names in its first line, such as lon,lat", 0

/* Checks the options before any work. GLSHAPE_BAD_ARGUMENT. */
glshape_status plane_check(session *s, plane_input *in);
/* Reads INPUT into *out, n × 2 finite numbers (io_matrix_free). Failures say how to choose two columns. */
glshape_status plane_read(session *s, const plane_input *in, glshape_matrix *out);

#endif
