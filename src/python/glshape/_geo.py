"""Polygons of alpha shapes for programs of maps: what shapely, geopandas and GeoJSON take."""
from __future__ import annotations

import json

import numpy as np


def _closed(points, ring):
    """The corners of a ring; the first one stands at the end, too."""
    return points[np.append(ring, ring[:1])].tolist()


class Mapped:
    """A shape of points and rings as a MultiPolygon: a polygon for each component, in the coordinates of its points."""

    @property
    def __geo_interface__(self) -> dict:
        """The MultiPolygon as ``shapely.geometry.shape`` and ``geopandas.GeoSeries`` take it."""
        polygons = [tuple(tuple(map(tuple, _closed(self.points, ring))) for ring in component) for component in self.rings]
        return {"type": "MultiPolygon", "coordinates": tuple(polygons)}

    def to_geojson(self) -> str:
        """The shape as text: a Feature of GeoJSON with its radius, and area and perimeter of each polygon.

        Examples
        --------
        >>> glshape.alpha_shape([[0, 0], [2, 0], [2, 2], [0, 2]], 2).to_geojson()[:50]
        '{"type": "Feature", "geometry": {"type": "MultiPol'
        """
        properties = {"radius": float(self.radius), "areas": self.areas.tolist(), "perimeters": self.perimeters.tolist()}
        if not np.isfinite(properties["radius"]):
            properties["radius"] = None  # JSON has no infinity
        return json.dumps({"type": "Feature", "geometry": self.__geo_interface__, "properties": properties})

    def to_wkt(self) -> str:
        """The shape as well-known text: a MULTIPOLYGON.

        Examples
        --------
        >>> glshape.alpha_shape([[0, 0], [2, 0], [2, 2]], 2).to_wkt()
        'MULTIPOLYGON (((0 0, 2 0, 2 2, 0 0)))'
        """
        def corners(ring):
            return ", ".join(f"{_digits(x)} {_digits(y)}" for x, y in _closed(self.points, ring))

        polygons = ["(" + ", ".join(f"({corners(ring)})" for ring in component) + ")" for component in self.rings]
        return f"MULTIPOLYGON ({', '.join(polygons)})" if polygons else "MULTIPOLYGON EMPTY"


def _digits(value):
    """As few digits as give the number back."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
