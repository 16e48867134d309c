"""Alpha shapes as polygons for programs of maps, beside shapely where it is installed."""
import json
import pickle
import unittest

import glshape
import numpy as np

try:
    import shapely.geometry
    import shapely.wkt
except ImportError:
    shapely = None


def ring_of_points(seed):
    """Two rings, which have holes, and points apart."""
    random = np.random.default_rng(seed)
    angle, radius = random.random(500) * 2 * np.pi, random.uniform(1, 1.4, 500)
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return np.concatenate([ring[:250], ring[250:] + 5, random.random((5, 2)) + 20])


def area(ring):
    """Above 0: counter-clockwise."""
    x, y = np.array(ring).T
    return (x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2


class Geo(unittest.TestCase):
    def test_areas_and_orientation(self):
        for seed in range(3):
            shape = glshape.alpha_shape(ring_of_points(seed), 0.4)
            self.assertGreater(max(map(len, shape.rings)), 1)  # there is a hole
            polygons = shape.__geo_interface__["coordinates"]
            for polygon, expected in zip(polygons, shape.areas):
                areas = [area(ring) for ring in polygon]
                self.assertAlmostEqual(sum(areas), expected)
                self.assertTrue(areas[0] > 0 and all(hole < 0 for hole in areas[1:]))
                for ring in polygon:
                    self.assertEqual(ring[0], ring[-1])
            feature = json.loads(shape.to_geojson())
            self.assertEqual(feature["geometry"]["type"], "MultiPolygon")
            np.testing.assert_array_equal(feature["geometry"]["coordinates"][0][0], polygons[0][0])
            self.assertEqual(feature["properties"]["areas"], shape.areas.tolist())

    @unittest.skipIf(shapely is None, "python3-shapely is not installed")
    def test_shapely(self):
        shape = glshape.alpha(ring_of_points(0)).at(0.4)
        for polygons in (shapely.geometry.shape(shape), shapely.wkt.loads(shape.to_wkt()),
                         shapely.geometry.shape(json.loads(shape.to_geojson())["geometry"])):
            self.assertTrue(polygons.is_valid)
            self.assertAlmostEqual(polygons.area, shape.areas.sum())
            self.assertAlmostEqual(polygons.length, shape.perimeters.sum())
        coordinates = np.array(shapely.wkt.loads(shape.to_wkt()).geoms[0].exterior.coords)
        np.testing.assert_array_equal(coordinates[:-1], shape.points[shape.rings[0][0]])  # every digit

    def test_no_triangles(self):
        shape = glshape.alpha_shape([[0, 0], [1, 0], [2, 0]], 9)
        self.assertEqual(shape.to_wkt(), "MULTIPOLYGON EMPTY")
        self.assertEqual(shape.__geo_interface__["coordinates"], ())

    def test_diagrams_and_equality(self):
        x = ring_of_points(1)
        family = glshape.alpha(x)
        self.assertEqual(len(family.diagrams), 2)
        self.assertTrue(family.at(0.4) == pickle.loads(pickle.dumps(family)).at(0.4))
        self.assertFalse(family.at(0.4) == family.at(0.1))


if __name__ == "__main__":
    unittest.main()
