"""Vectors of diagrams, and their transformers: beside GUDHI's, where it is installed, and in scikit-learn's pipelines."""
import os
import pickle
import subprocess
import tempfile
import unittest

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import SVC

import glshape
from glshape.sklearn import BettiCurve, Entropy, Landscape, PersistenceImage, Silhouette, SlicedWasserstein

try:
    import gudhi.representations as theirs
except ImportError:
    theirs = None

TRANSFORMERS = (PersistenceImage(), Landscape(), Silhouette(), BettiCurve(), Entropy(), Entropy("vector"), SlicedWasserstein(),
                SlicedWasserstein(kernel=True))


def diagrams(count, seed=4):
    rng = np.random.default_rng(seed)
    return [np.c_[b := rng.random(3 + k % 9) * (1 + k % 2), b + rng.random(3 + k % 9)] for k in range(count)]


class Vectors(unittest.TestCase):
    def test_command(self):
        d = diagrams(5)
        with tempfile.TemporaryDirectory() as folder:
            for k, pairs in enumerate(d):
                np.save(f"{folder}/{k}.npy", pairs)
            out = f"{folder}.npy"
            subprocess.run([os.environ["GLSHAPE"], "vectors", folder, "-q", "--kind", "silhouette", "--weight", "2", "-o", out],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            np.testing.assert_array_equal(np.load(out), glshape.vectors(d, "silhouette", weight=2).values)
            os.remove(out)

    def test_results(self):
        d = diagrams(3) + [[[0.5, np.inf]]]
        r = glshape.vectors(d, resolution=(4, 3), weight=lambda p: p[1])
        self.assertEqual((r.values.shape, len(r.range), r.grid, r.left_out), ((4, 12), 4, None, 1))
        np.testing.assert_allclose(r.values, glshape.vectors(d, resolution=(4, 3), weight=1).values, rtol=1e-6)
        r = glshape.vectors(d, "betti", resolution=7, range=(0, None))
        self.assertEqual((r.grid[0], len(r.range), r.left_out), (0, 2, 0))
        self.assertEqual(glshape.vectors(d, "entropy").range, ())
        self.assertEqual(glshape.vectors(d, "landscape", cut=2).left_out, 0)

    def test_refusals(self):
        for call, words in ((lambda: glshape.vectors([[1, 2, 3]]), "diagram 1 has shape"),
                            (lambda: glshape.vectors([[[0, 1]]], "picture"), "kind is 'picture'"),
                            (lambda: glshape.vectors([[[0, 1]]], range=[0, 1]), "range has 2 numbers; it takes 4"),
                            (lambda: glshape.vectors([[[0, 1]]], "betti", resolution=(3, 4)), "resolution is"),
                            (lambda: glshape.vectors([[[0, 1]]], "betti", grid=[]), "grid is empty"),
                            (lambda: glshape.vectors([[[0, 1]]], "betti", grid=[1, 0]), "sample 2 of the grid"),
                            (lambda: glshape.vectors([[[0, 1]]], bandwidth=0), "bandwidth is 0"),
                            (lambda: glshape.vectors([[[0, 1]]], weight=lambda p: np.nan), "its weight is nan"),
                            (lambda: glshape.vectors([]), "0 diagrams")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(words, str(caught.exception))


@unittest.skipUnless(theirs, "GUDHI is not installed")
class Gudhi(unittest.TestCase):
    """Fitted to some diagrams, and used on others."""

    def check(self, mine, his):
        fitted, others = diagrams(9), diagrams(7, 5)
        want = his.fit(fitted).transform(others)
        np.testing.assert_allclose(mine.fit(fitted).transform(others), want, rtol=1e-5, atol=1e-9)

    def test_image(self):
        self.check(PersistenceImage(0.3, resolution=[7, 5]), theirs.PersistenceImage(0.3, resolution=[7, 5]))
        self.check(PersistenceImage(0.3, weight=lambda p: p[0] + p[1] ** 2), theirs.PersistenceImage(0.3, lambda p: p[0] + p[1] ** 2))

    def test_landscape(self):
        self.check(Landscape(3, 20, gudhi_scale=True), theirs.Landscape(3, 20))

    def test_silhouette(self):
        self.check(Silhouette(lambda p: p[1] - p[0], 20, [0.1, np.nan], gudhi_scale=True),
                   theirs.Silhouette(lambda p: p[1] - p[0], 20, [0.1, np.nan]))

    def test_betti(self):
        self.check(BettiCurve(33), theirs.BettiCurve(33))
        self.check(BettiCurve(33, keep_endpoints=True), theirs.BettiCurve(33, keep_endpoints=True))
        grid = np.linspace(0, 2, 9)
        self.check(BettiCurve(predefined_grid=grid), theirs.BettiCurve(predefined_grid=grid))

    def test_entropy(self):
        self.check(Entropy(), theirs.Entropy())
        self.check(Entropy("vector", resolution=30, keep_endpoints=True), theirs.Entropy("vector", resolution=30, keep_endpoints=True))


class Transformers(unittest.TestCase):
    def test_parameters(self):
        for t in TRANSFORMERS:
            with self.subTest(t):
                self.assertEqual(repr(clone(t)), repr(t))
                self.assertEqual(set(t.get_params()), set(type(t)().set_params(**t.get_params()).get_params()))
                with self.assertRaises(Exception) as caught:
                    t.transform(diagrams(2))
                self.assertEqual(type(caught.exception).__name__, "NotFittedError")

    def test_fit_and_transform(self):
        d = diagrams(8) + [np.empty((0, 2))]
        for t in TRANSFORMERS:
            with self.subTest(t):
                t = clone(t)
                whole = t.fit_transform(d)
                self.assertEqual(whole.dtype, np.float32)
                np.testing.assert_allclose(t.transform(d), whole, rtol=1e-6, atol=1e-6)
                np.testing.assert_allclose(t.transform(d[2:5]), whole[2:5], rtol=1e-6, atol=1e-6)
                np.testing.assert_array_equal(pickle.loads(pickle.dumps(t)).transform(d[:3]), t.transform(d[:3]))

    def test_pipelines(self):
        """Diagrams of long and of short lifetimes are told apart, also after the pipeline was pickled."""
        rng = np.random.default_rng(1)
        y = np.arange(60) % 2
        d = [np.c_[b := rng.random(6), b + rng.random(6) * (0.2 + k)] for k in y]
        for first in (make_union(PersistenceImage(0.2), Landscape(), Entropy(), BettiCurve()), Silhouette()):
            line = make_pipeline(first, SVC()).fit(d[:40], y[:40])
            self.assertGreater(line.score(d[40:], y[40:]), 0.85)
            self.assertEqual(pickle.loads(pickle.dumps(line)).score(d[40:], y[40:]), line.score(d[40:], y[40:]))
        line = make_pipeline(SlicedWasserstein(kernel=True), SVC(kernel="precomputed")).fit(d[:40], y[:40])
        self.assertGreater(line.score(d[40:], y[40:]), 0.85)

    def test_refusals(self):
        for call, words in ((lambda: Landscape().fit([[0, 1]]), "diagram 1 has 1 dimension; X is a list"),
                            (lambda: Entropy("curve").fit(diagrams(2)), "mode"),
                            (lambda: SlicedWasserstein(bandwidth=0).fit(diagrams(2)), "bandwidth is 0"),
                            (lambda: SlicedWasserstein().fit([]), "X is empty")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(words, str(caught.exception))

    def test_exact_betti(self):
        t = BettiCurve(resolution=None)
        np.testing.assert_array_equal(t.fit_transform([[[0, 4], [1, np.inf]], [[1, 3]]]), [[1, 2, 2, 1], [0, 1, 0, 0]])
        np.testing.assert_array_equal(t.grid_, [0, 1, 3, 4])


if __name__ == "__main__":
    unittest.main()
