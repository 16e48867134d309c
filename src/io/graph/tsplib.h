/* TSPLIB (Reinelt 1991): cities with coordinates in the plane. */
#ifndef GLSHAPE_IO_GRAPH_TSPLIB_H
#define GLSHAPE_IO_GRAPH_TSPLIB_H

#include "base/error.h"

/* Reads the coordinates of path ("-": standard input; gzip is recognised) into *out (DIMENSION × 2, F64;
 * io_matrix_free): node k is row k - 1. Lines "KEY : VALUE", then NODE_COORD_SECTION and a line "number x y"
 * for each node, in any order. With EDGE_WEIGHT_TYPE GEO a node has latitude and longitude as DDD.MM,
 * degrees and minutes: they become x, the longitude, and y, the latitude, in degrees (TSPLIB 95, section 2.4,
 * with degrees cut off as its author's code does, not rounded). Others are taken as they stand.
 * GLSHAPE_BAD_INPUT, with the line: no DIMENSION or section, three coordinates, a node too few, too many or
 * twice, what is no number. */
glshape_status io_read_tsplib(error *err, const char *path, glshape_matrix *out);

#endif
