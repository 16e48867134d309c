/* Points in the plane as delaunay and alpha read them: .npy, text, two columns of a table, TSPLIB. */
#ifndef GLSHAPE_CLI_PLANE_INPUT_H
#define GLSHAPE_CLI_PLANE_INPUT_H

#include "cli/session.h"

/* The help of --format. */
#define PLANE_FORMATS "input format: auto, npy, csv, tsv, text, tsplib, " SESSION_CLOUDS
#define PLANE_TSPLIB \
    "TSPLIB (.tsp, or --format tsplib; type GEO: x is the longitude, y the latitude, in degrees)"

/* Checks the options before any work. GLSHAPE_BAD_ARGUMENT. */
glshape_status plane_check(session *s);
/* Reads INPUT into *out, n × 2 finite numbers (io_matrix_free). Failures say how to choose two columns. */
glshape_status plane_read(session *s, glshape_matrix *out);

#endif
