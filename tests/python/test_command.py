"""Functions give what the command writes: the same bytes."""
import os
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

import glshape
import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

ROOT = Path(__file__).resolve().parents[2]
CANCER = ROOT / "data" / "cancer.npy"
COMMAND = os.environ.get("GLSHAPE", str(ROOT / "build" / "glshape"))


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.x = np.load(CANCER)

    def run_command(self, *arguments):
        """Runs it; returns the arrays that it wrote, {name: array}."""
        line = [COMMAND, arguments[0], "-q"] + [str(a) for a in arguments[1:]]
        subprocess.run(line, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, timeout=100)
        return {path.stem: np.load(path) for path in self.folder.glob("*.npy")}

    def table(self, name, skip=0):
        return np.loadtxt(self.folder / name, delimiter=",", skiprows=skip, ndmin=2)

    def write(self, name, array):
        np.save(self.folder / name, array)
        return self.folder / name

    def same(self, a, b):
        self.assertEqual(a.dtype, b.dtype)
        self.assertEqual(a.shape, b.shape)
        self.assertEqual(a.tobytes(), b.tobytes())

    def test_mds(self):
        x = self.write("x.npy", self.x[:300])
        wrote = self.run_command("mds", x, "--seed", 7, "-o", "layout.npy")
        self.same(glshape.mds(self.x[:300], seed=7).layout, wrote["layout"])
        wrote = self.run_command("mds", x, "--seed", 7, "--metric", "manhattan", "--dim", 3, "--attempts", 2, "-o", "layout.npy")
        self.same(glshape.mds(self.x[:300], 3, metric="cityblock", seed=7, attempts=2).layout, wrote["layout"])

    def test_pictures(self):
        """What a result draws by itself has the bytes of --picture; titles are the command's."""
        x = self.write("x.npy", self.x[:100])
        image, cube = self.x[:40].reshape(20, 18), self.x[:48].reshape(6, 8, 9).astype(np.int64) + 2**60
        field, volume = self.write("field.npy", image), self.write("cube.npy", cube)
        layout = glshape.mds(self.x[:100], seed=7, attempts=1)
        plane = self.write("plane.npy", layout.layout)
        names = np.where(np.arange(100) % 3, "few", "many")
        (self.folder / "names.csv").write_text("\n".join(names))
        tree = glshape.linkage(self.x[:100])
        shape = glshape.alpha(layout.layout).at(2)
        for drawn, arguments in (
                (layout.picture("svg", title=f"x.npy: stress {layout.stress:.4g}", labels=names),
                 ("mds", x, "--seed", 7, "--attempts", 1, "--labels", "names.csv")),
                (tree.picture("svg", title="x.npy: single linkage"), ("linkage", x)),
                (tree.picture("svg", title="x.npy: single linkage, 4 clusters", labels=tree.cut(4)),
                 ("linkage", x, "--clusters", 4)),
                (glshape.hdbscan(layout.layout).picture("svg", title="plane.npy: HDBSCAN*"), ("hdbscan", plane)),
                (glshape.rips(self.x[:100]).picture("svg", title="x.npy: persistence of 100 points"),
                 ("rips", "--input", "points", x)),
                (glshape.cubical(image).picture("svg", title="field.npy: persistence of sublevels"), ("cubical", field)),
                (glshape.cubical(image, superlevel=True).picture("svg", title="field.npy: persistence of superlevels"),
                 ("cubical", field, "--superlevel")),
                (glshape.mergetree(image).picture("svg", title="field.npy"), ("mergetree", field)),
                (glshape.mergetree(cube, superlevel=True).picture("svg", title="cube.npy"),
                 ("mergetree", volume, "--superlevel")),
                (shape.picture("svg", title="plane.npy: alpha shape of radius 2"), ("alpha", plane, "--alpha", 2))):
            self.run_command(*arguments, "--picture", "drawn.svg")
            self.assertEqual(drawn, (self.folder / "drawn.svg").read_bytes(), arguments)
        self.run_command("linkage", x, "--picture", "drawn.png")
        self.assertEqual(tree.picture(title="x.npy: single linkage"), (self.folder / "drawn.png").read_bytes())

    def test_knn(self):
        wrote = self.run_command("knn", CANCER, "-k", 7, "-o", "index.npy", "--distances", "d.npy")
        result = glshape.knn(self.x, 7)
        np.testing.assert_array_equal(result.index, wrote["index"])
        self.same(result.distance, wrote["d"])
        queries = self.write("queries.npy", self.x[:30] + 0.5)
        wrote = self.run_command("knn", CANCER, "--queries", queries, "--radius", 3, "-o", "index.npy",
                                 "--indptr", "indptr.npy", "--distances", "d.npy")
        result = glshape.knn(self.x, queries=self.x[:30] + 0.5, radius=3)
        for ours, name in ((result.indptr, "indptr"), (result.index, "index"), (result.distance, "d")):
            np.testing.assert_array_equal(ours, wrote[name].ravel())

    def test_knn_npz(self):
        """What scipy.sparse.load_npz reads, and that it is as NumPy and zip have it."""
        self.run_command("knn", CANCER, "--radius", 2.5, "-o", "near.npz")
        near, result = sparse.load_npz(self.folder / "near.npz"), glshape.knn(self.x, radius=2.5)
        self.assertEqual(near.shape, (683, 683))
        for ours, theirs in ((near.indptr, result.indptr), (near.indices, result.index), (near.data, result.distance)):
            np.testing.assert_array_equal(ours, theirs)
        with zipfile.ZipFile(self.folder / "near.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual({item.compress_type for item in archive.infolist()}, {zipfile.ZIP_STORED})
        none = self.write("far.npy", self.x[:3] + 1e6)
        self.run_command("knn", CANCER, "--queries", none, "--radius", 1, "-o", "none.npz")
        near = sparse.load_npz(self.folder / "none.npz")
        self.assertEqual((near.shape, near.nnz), ((3, 683), 0))

    def test_names_of_nodes(self):
        """Whole numbers that come before there is a table for them are the same nodes later; a text is among them."""
        order = [str(v) for v in np.random.default_rng(5).permutation(6000)] + ["x"]
        pairs = [(a, b) for step in (1, 7) for a, b in zip(order, order[step:])]
        (self.folder / "e.txt").write_text("".join(f"{a} {b} 1\n" for a, b in pairs))
        line = [COMMAND, "mst", "e.txt", "-o", "f.csv"]
        done = subprocess.run(line, cwd=self.folder, check=True, capture_output=True, text=True)
        self.assertIn(f"6001 nodes, {len(pairs)} edges", done.stdout + done.stderr)

    def test_large_npz(self):
        """Its checksum is found in shares of a megabyte: all count."""
        volume = np.random.default_rng(2).random((64, 64, 192)).astype("f4")
        np.savez(self.folder / "v.npz", volume)
        whole = (self.folder / "v.npz").read_bytes()
        self.run_command("mergetree", "v.npz", "-o", "a.npy")
        self.run_command("mergetree", self.write("v.npy", volume), "-o", "b.npy")
        self.assertEqual((self.folder / "a.npy").read_bytes(), (self.folder / "b.npy").read_bytes())
        for at in (200, 1_500_000, len(whole) - 300_000):
            (self.folder / "bad.npz").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            line = [COMMAND, "mergetree", "bad.npz", "-q", "-o", "c.npy"]
            done = subprocess.run(line, cwd=self.folder, capture_output=True, text=True)
            self.assertIn("its bytes are not those that were written", done.stderr)

    def test_knn_of_distances(self):
        d = squareform(pdist(self.x)).astype(np.float32)
        wrote = self.run_command("knn", "--input", "distances", self.write("d.npy", d), "-k", 6, "-o", "index.npy")
        result = glshape.knn(d, 6, metric="precomputed")
        np.testing.assert_array_equal(result.index, wrote["index"])
        asked = self.write("asked.npy", d[5:25])
        wrote = self.run_command("knn", "--input", "query-distances", asked, "-k", 6, "-o", "index.npy")
        result = glshape.knn(d, 6, queries=d[5:25], metric="precomputed")
        np.testing.assert_array_equal(result.index, wrote["index"])
        np.testing.assert_array_equal(result.index[:, 0], d[5:25].argmin(1))

    def test_linkage(self):
        wrote = self.run_command("linkage", CANCER, "--distance", 5, "-o", "z.npy", "--labels-out", "labels.npy",
                                 "--leaves", "leaves.npy")
        result = glshape.linkage(self.x)
        self.same(result.merges, wrote["z"])
        np.testing.assert_array_equal(result.cut(distance=5), wrote["labels"].ravel())
        np.testing.assert_array_equal(result.leaves(), wrote["leaves"].ravel())

    def test_hdbscan(self):
        queries = self.write("queries.npy", self.x[:40] + 0.3)
        wrote = self.run_command("hdbscan", CANCER, "--min-cluster-size", 30, "--min-samples", 3, "-o", "labels.npy",
                                 "--probabilities", "p.npy", "--outliers", "outliers.npy", "--tree", "z.npy",
                                 "--condensed", "condensed.npy", "--exemplars", "exemplars.csv", "--predict", queries,
                                 "--predicted", "predicted.csv")
        result = glshape.hdbscan(self.x, 30, min_samples=3)
        np.testing.assert_array_equal(result.labels, wrote["labels"].ravel())
        self.same(result.probabilities, wrote["p"].ravel())
        self.same(result.outlier_scores, wrote["outliers"].ravel())
        self.same(result.merges, wrote["z"])
        for name, column in zip(("parent", "child", "lambda", "size"), wrote["condensed"].T):
            np.testing.assert_array_equal(result.condensed[name], column)
        pairs = [(c, v) for c, of in enumerate(result.exemplars) for v in of]
        np.testing.assert_array_equal(pairs, self.table("exemplars.csv"))
        np.testing.assert_allclose(np.column_stack(result.predict(self.x[:40] + 0.3)), self.table("predicted.csv"))

    def test_rips(self):
        x = self.x[:100].astype(float)
        wrote = self.run_command("rips", "--input", "points", self.write("x.npy", x), "-o", "bars.npy")
        of = glshape.rips(x).intervals
        columns = [of["dim"], of["birth"], of["death"]] + [
            np.where(of[name] == 2**64 - 1, -1, of[name].astype(float)) for name in ("birth_simplex", "death_simplex")]
        self.same(np.column_stack(columns), wrote["bars"])

    def test_cubical(self):
        field = np.random.default_rng(3).integers(0, 50, (23, 31)).astype(np.int16)
        of = glshape.cubical(field, construction="vertices", superlevel=True, periodic=(False, True)).intervals
        wrote = self.run_command("cubical", self.write("f.npy", field), "--construction", "v", "--superlevel",
                                 "--periodic", "x", "-o", "bars.npy")
        self.same(np.column_stack([of["dim"], of["birth"], of["death"], of["birth_vertex"],
                                   of["death_vertex"]]), wrote["bars"])

    def test_delaunay_and_alpha(self):
        points = glshape.mds(self.x[:300], seed=1).layout
        given = self.write("p.npy", points)
        wrote = self.run_command("delaunay", given, "-o", "t.npy", "--neighbors", "n.npy")
        result = glshape.delaunay(points)
        np.testing.assert_array_equal(result.triangles, wrote["t"])
        np.testing.assert_array_equal(result.neighbors, wrote["n"].astype(np.uint32).view(np.int32))
        wrote = self.run_command("alpha", given, "--alpha", 1.5, "-o", "shape.csv", "--spectrum", "radii.npy",
                                 "--components", "parts.csv", "--diagram", "bars.npy")
        result = glshape.alpha(points)
        self.same(result.radii[1:], wrote["radii"].ravel())
        shape = result.at(1.5)
        np.testing.assert_allclose(shape.areas, self.table("parts.csv")[:, 3])
        bars = wrote["bars"]
        for dim, diagram in enumerate(result.diagrams):
            self.same(diagram, np.ascontiguousarray(bars[bars[:, 0] == dim, 1:3]))

    def test_mst(self):
        points = glshape.knn(self.x, 4)
        i = np.repeat(np.arange(len(self.x)), 4)
        j, weight = points.index.ravel().astype(int), points.distance.ravel().astype(np.float32) + 1
        a = sparse.csr_matrix((weight, (i, j)))
        np.savetxt(self.folder / "edges.csv", np.column_stack([i, j, weight]), "%d,%d,%.9g")
        self.run_command("mst", "edges.csv", "-o", "forest.csv")
        forest = self.table("forest.csv")
        result = glshape.mst(a)
        np.testing.assert_array_equal(np.column_stack([result.i, result.j]), forest[:, :2])
        self.same(result.weight, forest[:, 2].astype(np.float32))
        self.run_command("mst", "--input", "points", CANCER, "-o", "forest.csv")
        forest, result = self.table("forest.csv"), glshape.mst(points=self.x)
        np.testing.assert_array_equal(np.column_stack([result.i, result.j, result.weight]), forest)

    def test_mergetree(self):
        field = np.random.default_rng(3).integers(0, 50, (23, 31)).astype(np.int16)
        wrote = self.run_command("mergetree", self.write("f.npy", field), "-o", "t.npy", "--diagram", "d.csv")
        result = glshape.mergetree(field)
        np.testing.assert_array_equal(result.triplets, wrote["t"])
        pairs = result.diagram[result.birth_value != result.death_value]
        np.testing.assert_array_equal(pairs, self.table("d.csv", 1)[:, :2])
        wrote = self.run_command("mergetree", "f.npy", "--contour", "c.csv", "--contour-arcs", "a.npy")
        tree = glshape.contour(field)
        np.testing.assert_array_equal(tree.arc.ravel(), wrote["a"].ravel().view(np.int32))
        np.testing.assert_array_equal(tree.lower, self.table("c.csv", 1)[:, 0])


if __name__ == "__main__":
    unittest.main()
