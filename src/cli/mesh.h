/* Triangles of points in the plane as a mesh: PLY (in binary) or OFF. */
#ifndef GLSHAPE_CLI_MESH_H
#define GLSHAPE_CLI_MESH_H

#include "base/error.h"

/* Whether path ends in .ply or .off. */
bool mesh_is(const char *path);

/* Writes all points as vertices, z being 0, and the triangles, whose corners are rows of points (two
 * columns). */
glshape_status mesh_write(error *err, const char *path, const glshape_matrix *points, size_t triangles,
                          const uint32_t *corner);

#endif
