/* Clouds of points, as programs for geometry and maps write them: PLY, OFF, OBJ, XYZ, PCD, GeoJSON and WKT.
 */
#ifndef GLSHAPE_CLOUD_CLOUD_H
#define GLSHAPE_CLOUD_CLOUD_H

#include "io/columns.h"
#include "io/read.h"
#include "io/stream.h"

/* Returns which of these formats the input is in: the one that is asked for, or that its first bytes or the
 * extension of path tell; else format. s stands at the beginning, and stays there. */
io_format cloud_format_of(const io_stream *s, const char *path, io_format format);
bool cloud_is_format(io_format format);

/* Reads the points of s into *out (F64, or F32 where a file in binary has floats; io_matrix_free). Columns
 * are called as the format calls them: x, y, z, then, in PLY and PCD, other properties; lon, lat, alt in
 * GeoJSON. Those are read that columns say; by default the coordinates, in GeoJSON without the altitude.
 * GLSHAPE_BAD_INPUT: with the line or the point at fault. */
glshape_status cloud_read(error *err, io_stream *s, io_format format, const io_columns *columns,
                          glshape_matrix *out);

#endif
