"""glshape.ripser beside ripser.py's own values, which are in golden/ripser.npz (golden/make_ripser.py says how)."""
import unittest
from pathlib import Path

import glshape
import numpy as np
from scipy import sparse

OPTIONS = {
    "circles": {},
    "correlation": {"distance_matrix": True},
    "sphere": {"distance_matrix": True, "maxdim": 2, "coeff": 3},
    "short": {"distance_matrix": True, "thresh": 0.6, "do_cocycles": True},
    "perm": {"n_perm": 30},
    "manhattan": {"metric": "manhattan"},
    "sparse": {"distance_matrix": True, "maxdim": 2},
}


def in_order(diagram):
    return diagram[np.lexsort(diagram.T)]


class Ripser(unittest.TestCase):
    golden = np.load(Path(__file__).parent / "golden" / "ripser.npz")

    def test_diagrams(self):
        for name, options in OPTIONS.items():
            with self.subTest(name):
                x = self.golden[f"{name}/x"]
                result = glshape.ripser(sparse.csr_matrix(x) if name == "sparse" else x, **options)
                for dim, diagram in enumerate(result["dgms"]):
                    expected = in_order(self.golden[f"{name}/dgm{dim}"])
                    self.assertEqual(diagram.shape, expected.shape)
                    # Of points ripser.py's distances are off by some bits: scikit-learn rounds them otherwise.
                    if options.get("distance_matrix"):
                        np.testing.assert_array_equal(in_order(diagram), expected)
                    else:
                        np.testing.assert_allclose(in_order(diagram), expected, rtol=1e-5, atol=1e-6)
                self.assertEqual(result["num_edges"], self.golden[f"{name}/num_edges"])
                self.assertAlmostEqual(result["r_cover"], float(self.golden[f"{name}/r_cover"]), places=6)
                np.testing.assert_array_equal(result["idx_perm"], self.golden[f"{name}/idx_perm"])
                if name == "perm":
                    np.testing.assert_allclose(result["dperm2all"], self.golden[f"{name}/dperm2all"], atol=1e-6)

    def test_permutation(self):
        """rips takes the points that ripser.py takes, and has the same intervals."""
        x, expected = self.golden["perm/x"], self.golden["perm/idx_perm"]
        result = glshape.rips(x, n_perm=30)
        np.testing.assert_array_equal(result.permutation, expected)
        self.assertAlmostEqual(result.cover_radius, float(self.golden["perm/r_cover"]), places=6)
        np.testing.assert_allclose(in_order(result.diagrams[1]), in_order(self.golden["perm/dgm1"]), rtol=1e-5)
        self.assertIsNone(glshape.rips(x).permutation)
        for bad in 0, -1, 1000:
            with self.assertRaisesRegex(ValueError, "n_perm"):
                glshape.rips(x, n_perm=bad)

    def test_births(self):
        """The diagonal of a matrix of distances has the births of points: a path from 0 (at 1) over 1 (at 3) to 2."""
        d = np.array([[1.0, 4, 9], [4, 3, 5], [9, 5, 0]])
        for x in d, sparse.csr_matrix(d):
            with self.subTest(type(x)):
                result = glshape.ripser(x, distance_matrix=True)
                np.testing.assert_array_equal(in_order(result["dgms"][0]), [[3, 4], [1, 5], [0, np.inf]])
        with self.assertRaisesRegex(ValueError, "weights: shape"):
            glshape.rips(self.golden["perm/x"], weights=[1, 2])

    def test_weights(self):
        x = self.golden["perm/x"]
        f = np.random.default_rng(3).random(len(x))
        d = np.linalg.norm(x[:, None] - x[None], axis=2)
        raised = np.maximum(d + f[:, None] + f[None], 2 * np.maximum(f[:, None], f[None]))
        np.fill_diagonal(raised, 2 * f)
        expected = glshape.ripser(raised, distance_matrix=True)["dgms"]
        result = glshape.rips(d, weights=f, metric="precomputed")
        for dim in 0, 1:
            np.testing.assert_allclose(in_order(result.diagrams[dim]), in_order(expected[dim]), rtol=1e-6)

    def test_collapse(self):
        for name in "circles", "sphere":
            x = self.golden[f"{name}/x"]
            metric = "precomputed" if name == "sphere" else "euclidean"
            with self.subTest(name):
                for a, b in zip(*[glshape.rips(x, 2, metric=metric, collapse=c).diagrams for c in (False, True)]):
                    np.testing.assert_array_equal(in_order(a), in_order(b))

    def test_cocycles(self):
        """Each is a cocycle up to the death of its interval, and is not one at death: checked on all triangles."""
        d = self.golden["short/x"].astype(np.float32)
        for n_perm in None, 45, len(d):
            with self.subTest(n_perm):
                result = glshape.ripser(d, thresh=0.6, distance_matrix=True, do_cocycles=True, coeff=3, n_perm=n_perm)
                self.assertEqual(result["cocycles"][0], [])
                self.assertGreater(len(result["dgms"][1]), 0)
                self.assertEqual(len(result["dgms"][1]), len(result["cocycles"][1]))
                self.assertEqual(list(result["idx_perm"]) == list(range(len(d))), n_perm != 45)
                for (birth, death), terms in zip(result["dgms"][1], result["cocycles"][1]):
                    self.check_cocycle(d, result["idx_perm"], birth, death, terms)

    def check_cocycle(self, d, rows, birth, death, terms):
        """terms: edges between rows of d, with coefficients modulo 3; the shortest of them is the birth."""
        n = len(d)
        a, b, c = (v.ravel() for v in np.meshgrid(*[np.sort(rows)] * 3))
        a, b, c = (v[(a > b) & (b > c)] for v in (a, b, c))
        diameter = np.max([d[a, b], d[a, c], d[b, c]], axis=0)
        diameter[diameter > np.float32(0.6)] = np.inf
        value = np.zeros((n, n), int)
        value[terms[:, 0], terms[:, 1]] = terms[:, 2]
        value -= value.T  # an edge that is named backwards
        lengths = d[terms[:, 0], terms[:, 1]]
        self.assertEqual(lengths.min(), birth)
        alive = value * (d < death)
        boundary = (alive[b, c] - alive[a, c] + alive[a, b]) % 3
        self.assertFalse(boundary[diameter < death].any())
        if np.isfinite(death):
            value = value * (d <= death)
            boundary = (value[b, c] - value[a, c] + value[a, b]) % 3
            self.assertTrue(boundary[diameter <= death].any())

    def test_refusals(self):
        d = np.ones((4, 4)) - np.eye(4)
        for words, arguments in {
            "square": (np.ones((3, 2)), {"distance_matrix": True}),
            "n_perm is 11": (np.zeros((10, 2)), {"n_perm": 11}),
            "n_perm is -1": (np.zeros((10, 2)), {"n_perm": -1}),
            "n_perm goes with": (sparse.csr_matrix(d), {"n_perm": 2}),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                glshape.ripser(arguments[0], **arguments[1])


if __name__ == "__main__":
    unittest.main()
