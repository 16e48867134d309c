/* Writing regions of the plane: polygons with holes, lines and points, as GeoJSON (RFC 7946), WKT or CSV. */
#ifndef GLSHAPE_IO_REGIONS_H
#define GLSHAPE_IO_REGIONS_H

#include "base/error.h"

/* Rings are lists of points by number; polygon k has rings first_ring[k] … first_ring[k + 1] - 1, the outer
 * one first. */
typedef struct io_regions {
    const double (*xy)[2];
    size_t polygons;
    const size_t *first_ring; /* polygons + 1 */
    const size_t *ring_start; /* rings + 1: where each ring starts in `ring` */
    const uint32_t *ring;
    const double (*measure)[2]; /* area and perimeter of polygons */
    size_t lines, points;
    const uint32_t (*line)[2];
    const uint32_t *point;
} io_regions;

/* GLSHAPE_BAD_ARGUMENT unless the extension of path is .geojson, .json, .wkt or .csv. */
glshape_status io_regions_check(error *err, const char *path);

/* Writes by the extension of path; "-" is GeoJSON on standard output.
 *
 * GeoJSON: a FeatureCollection. Each polygon is a Feature with a Polygon and the properties component (from
 * 0), area and perimeter. Lines, if any, are one MultiLineString and points, if any, one MultiPoint, both
 * with the property kind "singular". Rings are closed: the first position comes again at the end.
 *
 * WKT: a POLYGON a line, then a MULTILINESTRING, then a MULTIPOINT.
 *
 * CSV: the line component,ring,point,x,y, then a line for each point of each ring; ring 0 of a component is
 * its outer one. Lines and points are left out. */
glshape_status io_write_regions(error *err, const char *path, const io_regions *r);

#endif
