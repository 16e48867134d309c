"""Start layouts, and layouts turned onto others, beside scipy's Procrustes."""
import unittest

import glshape
import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.spatial.distance import pdist, squareform


def stress(layout, d):
    return ((squareform(pdist(layout)) - d) ** 2).sum() / (d**2).sum()


class Start(unittest.TestCase):
    def test_never_worse(self):
        """A layout is at most as bad as the one that it starts from; a good one stays where it is, nearly."""
        rng = np.random.default_rng(1)
        for n in (30, 400):
            x = rng.normal(size=(n, 5))
            d = squareform(pdist(x))
            best = glshape.mds(x)
            again = glshape.mds(x, start=best.layout)
            self.assertLessEqual(again.stress, best.stress * (1 + 1e-6))
            self.assertLessEqual(np.abs(again.align(best.layout) - best.layout).max(), 0.5 * np.abs(best.layout).max())
            from_classical = glshape.mds(x, start="classical")
            classical = glshape.mds(x, method="classical").layout
            self.assertLess(from_classical.stress, stress(classical, d))
            given = glshape.mds(x, start=classical)
            np.testing.assert_array_equal(given.layout, from_classical.layout)
            if n == 30:  # so far from its end that a step would be worse: the flat start is only a saddle
                exact = glshape.mds(x[:, :2], start=x[:, :2] + 1000)
                self.assertLess(exact.stress, 1e-9)
                np.testing.assert_allclose(exact.layout, x[:, :2] - x[:, :2].mean(0), atol=1e-4)

    def test_distances_and_ordinal(self):
        rng = np.random.default_rng(2)
        for n in (50, 300):
            d = squareform(pdist(rng.gamma(0.3, size=(n, 20)), "braycurtis"))
            for method in ("glimmer", "ordinal"):
                first = glshape.mds(d, metric="precomputed", method=method, attempts=1)
                again = glshape.mds(d, metric="precomputed", method=method, start=first.layout)
                self.assertLessEqual(again.stress, first.stress * (1 + 1e-5))

    def test_refusals(self):
        x = np.random.default_rng(3).normal(size=(20, 3))
        for start, options, words in ((x[:5, :2], {}, "5 rows, but there are 20 points"), (x, {}, "3 columns, but dim is 2"),
                                      (np.full((20, 2), np.inf), {}, "row 0, column 0 is infinite"), ("some", {}, "classical"),
                                      (x[:, :2], {"method": "classical"}, "--start"), (x[:, :2], {"method": "gpu-sf"}, "--start")):
            for ordinal in (False, True):
                options = {**options, "method": "ordinal"} if ordinal and "method" not in options else options
                with self.subTest(words, **options), self.assertRaisesRegex(ValueError, words):
                    glshape.mds(x, start=start, **options)


class Align(unittest.TestCase):
    def test_procrustes(self):
        rng = np.random.default_rng(4)
        for n, dim in ((10, 1), (10, 2), (40, 3), (40, 7)):
            result = glshape.mds(rng.normal(size=(n, dim + 2)), dim)
            x = result.layout.astype(float)
            for columns in {1, dim}:
                target = rng.normal(size=(n, columns)) + 5
                whole = np.zeros((n, dim))
                whole[:, :columns] = target
                turn, _ = orthogonal_procrustes(x - x.mean(0), whole - whole.mean(0))
                want = (x - x.mean(0)) @ turn + whole.mean(0)
                found = result.align(target)
                with self.subTest(n=n, dim=dim, columns=columns):
                    self.assertAlmostEqual(((found - whole) ** 2).sum(), ((want - whole) ** 2).sum(), delta=1e-4 * (want**2).sum())
                    np.testing.assert_allclose(pdist(found), pdist(x), atol=1e-4)
                    if columns == dim:
                        np.testing.assert_allclose(found, want, atol=1e-4)

    def test_turned(self):
        """A layout that was turned and reflected comes back; onto one point it only moves."""
        rng = np.random.default_rng(5)
        result = glshape.mds(rng.normal(size=(30, 4)), 3)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        target = result.layout @ turn + [1, 2, 3]
        np.testing.assert_allclose(result.align(target), target, atol=1e-4)
        np.testing.assert_allclose(pdist(result.align(np.ones((30, 3)))), pdist(result.layout), atol=1e-4)
        for target, words in ((np.ones((5, 3)), "5 rows"), (np.ones((30, 4)), "4 columns, but dim is 3"),
                              (np.full((30, 3), np.nan), "NaN")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                result.align(target)


if __name__ == "__main__":
    unittest.main()
