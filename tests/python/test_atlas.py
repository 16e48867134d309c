"""glshape atlas: the same as its parts one after the other, by the command and in Python; bad inputs; pictures."""
import csv
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import glshape


def run(*arguments, cwd):
    return subprocess.run([os.environ["GLSHAPE"], *arguments], cwd=cwd, capture_output=True, text=True)


def clouds(count=24):
    rng = np.random.default_rng(6)
    out = []
    for k in range(count):
        t = np.linspace(0, 2 * np.pi, 51)[1:]
        out.append(np.c_[np.cos(t), np.sin(t)] * (1, 0.1 + k % 2) + 0.03 * rng.normal(size=(50, 2)))
    return out


class Atlas(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = self.folder.name

    def path(self, *names):
        return os.path.join(self.at, *names)

    def shape(self, *arguments, code=0):
        done = run(*arguments, cwd=self.at)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def table(self, name):
        with open(self.path(name), newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["", "x", "y", "cluster", "medoid"])
        return [r[0] for r in rows[1:]], np.array([r[1:] for r in rows[1:]], float)

    def write(self, many):
        os.mkdir(self.path("in"))
        for k, cloud in enumerate(many):
            np.save(self.path("in", f"c{k:02d}.npy"), cloud)

    def parts(self, method, *options, ending="csv"):
        """The map of the folder in/ by the commands that atlas stands for."""
        os.mkdir(self.path("diagrams"))
        for name in sorted(os.listdir(self.path("in"))):
            self.shape(*method, f"in/{name}", "-q", *options, f"diagrams/{name[:-4]}.{ending}")
        self.shape("compare", "diagrams", "-q", "-o", "apart.npy")
        self.shape("mds", "--input", "distances", "apart.npy", "-q", "-o", "layout.npy")
        self.shape("hdbscan", "--input", "distances", "apart.npy", "-q", "-o", "clusters.npy")
        return np.load(self.path("apart.npy")), np.load(self.path("layout.npy")), np.load(self.path("clusters.npy")).ravel()

    def check(self, found, apart, layout, labels):
        names, rows = found
        self.assertEqual(names, [f"c{k:02d}" for k in range(len(labels))])
        np.testing.assert_array_equal(rows[:, :2].astype(np.float32), layout)
        np.testing.assert_array_equal(rows[:, 2], labels)
        self.assertGreater(labels.max(), 0, "there should be clusters")
        medoids = np.flatnonzero(rows[:, 3])
        self.assertEqual(sorted(labels[medoids]), list(range(labels.max() + 1)))
        for m in medoids:
            rows = np.flatnonzero(labels == labels[m])
            sums = apart[np.ix_(rows, rows)].astype(float).sum(1)
            self.assertLessEqual(sums[rows == m][0], sums.min() * (1 + 1e-12))

    def test_rips(self):
        self.write(clouds())
        self.shape("atlas", "in", "-q", "-o", "map.csv")
        self.check(self.table("map.csv"), *self.parts(("rips", "--input", "points"), "-o", ending="npy"))

    def test_alpha(self):
        self.write(clouds())
        self.shape("atlas", "in", "--shape", "alpha", "-q", "-o", "map.csv")
        self.check(self.table("map.csv"), *self.parts(("alpha",), "--diagram"))

    def test_cubical(self):
        rng = np.random.default_rng(1)
        self.write([np.round(rng.random((7, 6 + k % 2)) * (1, 9)[k % 2], 2) for k in range(24)])
        self.shape("atlas", "in", "--shape", "cubical", "-q", "-o", "map.csv", "--superlevel")
        self.check(self.table("map.csv"), *self.parts(("cubical", "--superlevel"), "-o"))

    def test_an_array_is_many(self):
        """Slices of an array are what files of them are; the names are numbers, from 0."""
        many = np.array(clouds())
        np.save(self.path("all.npy"), many.astype(np.float32))
        self.write(list(many.astype(np.float32)))
        self.shape("atlas", "all.npy", "-q", "-o", "a.csv")
        self.shape("atlas", "in", "-q", "-o", "b.csv")
        names, rows = self.table("a.csv")
        self.assertEqual(names, [str(k) for k in range(24)])
        np.testing.assert_array_equal(rows, self.table("b.csv")[1])
        images = np.arange(24 * 30).reshape(24, 5, 6) * 7 % 11
        np.save(self.path("images.npy"), images.astype(np.uint8))
        self.shape("atlas", "images.npy", "--shape", "cubical", "-q", "-o", "c.csv")
        self.assertEqual(len(self.table("c.csv")[0]), 24)

    def test_bad_inputs(self):
        """One bad input is named, is not on the map, and does not stop it."""
        self.write(clouds())
        with open(self.path("in", "c05.npy"), "wb") as file:
            file.write(b"nothing")
        done = self.shape("atlas", "in", "-o", "map.csv", "--report", "r.json", code=1)
        self.assertIn("c05.npy", done.stderr)
        self.assertIn("1 of 24 inputs failed", done.stderr)
        names, _ = self.table("map.csv")
        self.assertEqual(names, [f"c{k:02d}" for k in range(24) if k != 5])
        with open(self.path("r.json")) as file:
            self.assertEqual(json.load(file)["result"]["failed"], ["in/c05.npy"])
        for name in os.listdir(self.path("in")):
            os.remove(self.path("in", name))
        np.save(self.path("in", "nan.npy"), np.full((3, 2), np.nan))
        done = self.shape("atlas", "in", "-q", "-o", "none.csv", code=1)
        self.assertFalse(os.path.exists(self.path("none.csv")))

    def test_refusals(self):
        self.write(clouds(2))
        for arguments, words in ((("in/c00.npy",), "at least two shapes"), (("in", "--superlevel"), "--shape cubical"),
                                 (("in", "--shape", "alpha", "--dim", "1"), "--dim goes with"),
                                 (("in", "--threshold", "x"), "--threshold takes a number of at least 0, not 'x'"),
                                 (("missing",), "missing"), (("in", "-o", "in/c00.npy"), "same file")):
            done = run("atlas", *arguments, "-q", cwd=self.at)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
        self.shape("atlas", "in", "-q", "-o", "two.csv")
        np.testing.assert_array_equal(self.table("two.csv")[1][:, 2], [-1, -1])

    def test_uneven(self):
        """Below the threshold clouds have not as many components that never end; a note says what they become."""
        self.write(clouds())
        done = self.shape("atlas", "in", "--threshold", "0.3", "-o", "map.csv")
        self.assertIn("never end are taken to end at", done.stderr)
        self.assertTrue(np.isfinite(self.table("map.csv")[1]).all())

    def test_pictures(self):
        self.write(clouds())
        self.shape("atlas", "in", "-q", "--picture", "map.svg")
        with open(self.path("map.svg")) as file:
            svg = file.read()
        names, rows = self.shape("atlas", "in", "-q", "-o", "map.csv") and self.table("map.csv")
        for k in np.flatnonzero(rows[:, 3]):
            self.assertIn(f"Cluster {int(rows[k, 2])}: {names[k]}", svg)
        self.shape("atlas", "in", "-q", "--picture", "map.html")
        with open(self.path("map.html"), encoding="utf-8") as file:
            self.assertIn('"names":["c00"', file.read())

    def test_python(self):
        many = clouds()
        self.write(many)
        for shape in ("rips", "alpha"):
            self.shape("atlas", "in", "--shape", shape, "-q", "-o", "map.csv")
            _, rows = self.table("map.csv")
            result = glshape.atlas(many, shape=shape, names=[f"c{k:02d}" for k in range(24)])
            np.testing.assert_array_equal(result.labels, rows[:, 2])
            np.testing.assert_array_equal(result.layout, rows[:, :2].astype(np.float32))
            np.testing.assert_array_equal(sorted(result.medoids), np.flatnonzero(rows[:, 3]))
            self.assertIn(b'"names":["c00"', result.picture("html"))
        bad = many[:10] + [np.full((3, 2), np.nan)] + many[10:]
        self.assertEqual(glshape.atlas(bad, errors="return").kept.tolist(), [k for k in range(25) if k != 10])
        with self.assertRaises(ValueError):
            glshape.atlas(bad)
        with self.assertRaisesRegex(ValueError, "at least two"):
            glshape.atlas(many[:1])


if __name__ == "__main__":
    unittest.main()
