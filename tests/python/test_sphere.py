"""Haversine distances, beside the formula in numpy, and beside the same methods of the matrix of them."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import glshape
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GLSHAPE", str(ROOT / "build" / "glshape"))
EARTH = 6371.0088


def haversine(a, b):
    """The textbook formula, for all pairs of rows (latitude, longitude) in radians."""
    d = a[:, None] - b[None]
    h = np.sin(d[..., 0] / 2) ** 2 + np.cos(a[:, None, 0]) * np.cos(b[None, :, 0]) * np.sin(d[..., 1] / 2) ** 2
    return 2 * np.arcsin(np.minimum(1, np.sqrt(h)))


def places(n, seed=3):
    """A quarter in one town, others all over the sphere, both poles and the date line among them; in degrees."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.degrees(np.arcsin(rng.uniform(-1, 1, n))), rng.uniform(-180, 180, n)])
    x[:n // 4] = [48.1, 11.6] + rng.normal(0, 0.01, (n // 4, 2))
    x[n // 4:n // 4 + 4] = [[90, 0], [-90, 50], [0, 180], [0.001, -180]]
    return x


class Sphere(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def command(self, *arguments):
        line = [COMMAND, *[str(a) for a in arguments], "-q"]
        return subprocess.run(line, cwd=self.folder, capture_output=True, text=True, timeout=100)

    def close(self, a, b, tolerance=1e-9):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=1e-11)

    def test_functions(self):
        for n in (60, 1500):
            x = np.radians(places(n))
            d = haversine(x, x)
            np.fill_diagonal(d, 0)
            d = np.maximum(d, d.T)
            near = glshape.knn(x, 7, metric="haversine")
            self.close(near.distance, np.sort(d + np.diag(np.full(n, np.inf)), axis=1)[:, :7])
            self.close(near.distance, np.take_along_axis(d, near.index.astype(np.int64), axis=1))
            for search in ("pairs", "index"):
                other = glshape.knn(x, 7, metric="haversine", search=search)
                self.assertTrue((other.index == near.index).all() and (other.distance == near.distance).all())
            asked = glshape.knn(x, 3, metric="haversine", queries=x[5:9] + 0.1)
            self.close(asked.distance, np.sort(haversine(x[5:9] + 0.1, x), axis=1)[:, :3])
            tree = glshape.linkage(x, metric="haversine")
            self.close(tree.merges[:, 2], glshape.linkage(d, metric="precomputed").merges[:, 2])
            a = glshape.hdbscan(x, metric="haversine", min_cluster_size=6)
            b = glshape.hdbscan(d, metric="precomputed", min_cluster_size=6)
            self.assertTrue((a.labels == b.labels).all())
            self.close(a.probabilities, b.probabilities, 1e-6)
        for count, threshold in ((300, None), (1500, 0.1)):  # the second through an index
            a = glshape.rips(x[:count], 1, metric="haversine", threshold=threshold).diagrams
            b = glshape.rips(d[:count, :count], 1, metric="precomputed", threshold=threshold).diagrams
            for mine, other in zip(a, b):
                self.assertEqual(mine.shape, other.shape)
                np.testing.assert_allclose(np.sort(mine, axis=0), np.sort(other, axis=0), rtol=1e-5, atol=1e-7)

    def test_a_distance_is_within_itself(self):
        x = np.radians(places(300))
        near = glshape.knn(x, 4, metric="haversine")
        for row in range(0, 300, 7):
            for k in (0, 3):
                r = near.distance[row, k]
                within = glshape.knn(x, radius=r, metric="haversine")
                of = within.index[within.indptr[row]:within.indptr[row + 1]]
                self.assertIn(near.index[row, k], of)
                self.assertEqual(len(of), k + 1)

    def test_far_sides(self):
        x = np.array([[0, 0], [0, np.pi], [np.pi / 2, 1], [-np.pi / 2, 2], [0, np.pi / 2]])
        merges = glshape.linkage(x[:2], metric="haversine").merges
        self.close(merges[0, 2], np.pi)
        self.close(glshape.knn(x, 4, metric="haversine").distance[4], np.full(4, np.pi / 2))
        self.assertEqual(glshape.knn(x, radius=3.2, metric="haversine").indptr[-1], 20)

    def test_single_precision(self):
        """In float32, a pole is a little beyond pi/2."""
        x = np.radians(places(60)).astype(np.float32)
        x[:2] = [[np.pi / 2, 0], [-np.pi / 2, 1]]
        self.assertGreater(float(x[0, 0]), np.pi / 2)
        d = haversine(x.astype(float), x.astype(float))
        near = glshape.knn(x, 3, metric="haversine")
        self.close(near.distance, np.sort(d, axis=1)[:, 1:4])

    def test_refusals(self):
        x = np.radians(places(30))
        for call, word in ((lambda: glshape.mds(x, metric="haversine"), "haversine"),
                           (lambda: glshape.knn(x * 100, 2, metric="haversine"), "no latitude"),
                           (lambda: glshape.knn(np.zeros((5, 3)), 2, metric="haversine"), "latitude and longitude"),
                           (lambda: glshape.hdbscan(x, metric="haversine", alpha=2), "alpha"),
                           (lambda: glshape.knn(x, 2, metric="haversine", p=2), "minkowski")):
            with self.assertRaisesRegex(Exception, word):
                call()

    def test_command(self):
        x = places(200)
        np.save(self.folder / "x.npy", x)
        names = ["p%d" % k for k in range(200)]
        rows = list(zip(names, x))
        (self.folder / "a.csv").write_text("id,lat,lon\n" + "".join(f"{n},{p[0]!r},{p[1]!r}\n" for n, p in rows))
        (self.folder / "b.csv").write_text("Longitude,id,decimalLatitude\n" + "".join(f"{p[1]!r},{n},{p[0]!r}\n" for n, p in rows))
        (self.folder / "c.geojson").write_text('{"type":"MultiPoint","coordinates":[' + ",".join(f"[{p[1]!r},{p[0]!r}]" for p in x) + "]}")
        (self.folder / "d.wkt").write_text("".join(f"POINT ({p[1]!r} {p[0]!r})\n" for p in x))
        (self.folder / "e.txt").write_text("".join(f"{p[0]!r} {p[1]!r}\n" for p in x))
        want = glshape.linkage(np.radians(x), metric="haversine").merges
        for unit, factor in (("km", EARTH), ("radians", 1)):
            for given in (["x.npy"], ["a.csv"], ["b.csv"], ["a.csv", "--columns", "lon,lat"], ["a.csv", "--index", "id"],
                          ["c.geojson"], ["d.wkt"], ["e.txt"]):
                done = self.command("linkage", *given, "--metric", "haversine", "--unit", unit, "-o", "z.npy")
                self.assertEqual(done.returncode, 0, (given, done.stderr))
                merges = np.load(self.folder / "z.npy")
                self.close(merges[:, 2], want[:, 2] * factor)
                self.assertTrue((merges[:, :2] == want[:, :2]).all(), given)
        self.assertEqual(self.command("knn", "x.npy", "--metric", "haversine", "-r", "500", "-o", "r.npz").returncode, 0)
        d = haversine(np.radians(x), np.radians(x)) * EARTH
        with np.load(self.folder / "r.npz") as r:
            self.assertEqual(r["indptr"][-1], (d <= 500).sum() - 200)
        self.command("mst", "--input", "points", "x.npy", "--metric", "haversine", "-o", "m.npy")
        self.close(np.load(self.folder / "m.npy")[:, 2], np.sort(want[:, 2]) * EARTH)

    def test_command_refuses(self):
        np.save(self.folder / "x.npy", places(20)[:, ::-1])
        np.save(self.folder / "w.npy", np.zeros((4, 3)))
        (self.folder / "y.wkt").write_text("POINT (48 120)\nPOINT (49 121)\n")  # latitude first
        for line, words in ((["mds", "x.npy"], "--input distances"), (["linkage", "x.npy"], "--columns 2,1"),
                            (["linkage", "y.wkt"], "--columns x,y"),
                            (["knn", "w.npy", "-k", "2"], "--columns 1,2"), (["linkage", "x.npy", "--cophenetic"], "cophenetic"),
                            (["hdbscan", "x.npy", "--alpha", "2"], "--alpha")):
            done = self.command(*line, "--metric", "haversine")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
        for line in (["linkage", "x.npy", "--columns", "2,1"], ["linkage", "y.wkt", "--columns", "x,y"],
                     ["knn", "w.npy", "-k", "2", "--columns", "1,2"]):  # the remedies
            self.assertEqual(self.command(*line, "--metric", "haversine").returncode, 0)
        self.assertIn("--metric haversine", self.command("linkage", "w.npy", "--unit", "radians").stderr)


if __name__ == "__main__":
    unittest.main()
