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


def lower_star(births, edges):
    """The diagram of dimension 0 by the elder rule, in float32: {(i, j): value}."""
    births, parent, bars = np.float32(births), list(range(len(births))), []

    def find(v):
        return v if parent[v] == v else find(parent[v])

    for (i, j), value in sorted(edges.items(), key=lambda edge: np.float32(edge[1])):
        a, b = sorted((find(i), find(j)), key=lambda v: births[v])
        if a != b:
            parent[b] = a
            bars.append((births[b], np.float32(value)))
    bars += [(births[v], np.inf) for v in range(len(births)) if find(v) == v]
    return in_order(np.array([bar for bar in bars if bar[0] < bar[1]], float))


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

    def test_sparse_threshold(self):
        """Distances that print as the threshold are within it, whatever their type: ripser.py's are floats."""
        for value in 0.1, 0.3, 0.7, 0.9:
            for dtype in np.float32, np.float64:
                for thresh in value, np.float64(value), np.float32(value):
                    d = sparse.csr_matrix(np.array([[0, value], [value, 0]], dtype))
                    result = glshape.ripser(d, thresh=thresh, distance_matrix=True)
                    self.assertEqual((result["num_edges"], np.isinf(result["dgms"][0][:, 1]).sum()), (1, 1))

    def test_births(self):
        """The diagonal of a matrix of distances has the births of points: a path from 0 (at 1) over 1 (at 3) to 2."""
        d = np.array([[1.0, 4, 9], [4, 3, 5], [9, 5, 0]])
        for x in d, sparse.csr_matrix(d):
            with self.subTest(type(x)):
                result = glshape.ripser(x, distance_matrix=True)
                np.testing.assert_array_equal(in_order(result["dgms"][0]), [[3, 4], [1, 5], [0, np.inf]])
        with self.assertRaisesRegex(ValueError, "weights: shape"):
            glshape.rips(self.golden["perm/x"], weights=[1, 2])

    def check_lower_star(self, births, edges):
        """The matrix with births on its diagonal, sparse and dense, as the lower-star notebooks of ripser.py make it."""
        n, expected = len(births), lower_star(births, edges)
        (i, j), v = np.array(list(edges)).T, list(edges.values())
        upper = sparse.coo_matrix((np.r_[v, births], (np.r_[i, range(n)], np.r_[j, range(n)])), shape=(n, n))
        dense = np.full((n, n), np.inf)
        dense[i, j] = dense[j, i] = v
        np.fill_diagonal(dense, births)
        for x in upper, upper.tocsr(), dense:
            result = glshape.ripser(x, maxdim=0, distance_matrix=True)
            np.testing.assert_array_equal(in_order(result["dgms"][0]), expected)
            self.assertEqual(result["num_edges"], n * (n - 1) // 2 if x is dense else len(edges))
        return len(expected)

    def test_lower_star_of_a_time_series(self):
        random = np.random.default_rng(5)
        t = np.linspace(0, 1, 100)
        for sign in 1, -1:  # of superlevels
            x = sign * (np.cos(10 * np.pi * t) + t + random.normal(scale=0.1, size=100) - 0.5)
            edges = {(k, k + 1): max(x[k], x[k + 1]) for k in range(99)}
            self.assertGreater(self.check_lower_star(x, edges), 5)
            self.assertLess(max(x[:-1].min(), min(edges.values())), 0)

    def test_lower_star_of_an_image(self):
        random = np.random.default_rng(6)
        image = random.normal(size=(12, 15))
        at = {(r, c): 15 * r + c for r in range(12) for c in range(15)}
        edges = {(at[p], at[q]): max(image[p], image[q]) for p in at for q in at
                 if at[p] < at[q] and max(abs(p[0] - q[0]), abs(p[1] - q[1])) == 1}
        self.assertGreater(self.check_lower_star(image.ravel(), edges), 10)

    def test_negative_values(self):
        """A triangle whose edges appear at -3, -2, -1: nothing but components, as it is filled at once."""
        d = np.array([[-9.0, -3, -2], [-3, -8, -1], [-2, -1, -7]])
        result = glshape.ripser(d, distance_matrix=True, do_cocycles=True)
        np.testing.assert_array_equal(in_order(result["dgms"][0]), [[-8, -3], [-7, -2], [-9, np.inf]])
        self.assertEqual(len(result["dgms"][1]), 0)
        cut = glshape.ripser(d, thresh=-2.5, distance_matrix=True)["dgms"][0]
        np.testing.assert_array_equal(in_order(cut), [[-8, -3], [-9, np.inf], [-7, np.inf]])
        square = np.array([[0.0, -1, 1, -1], [-1, 0, -1, 2], [1, -1, 0, -1], [-1, 2, -1, 0]])  # the diagonals at 1, 2
        result = glshape.rips(square, births=[-2, -2, -2, -2], metric="precomputed")
        np.testing.assert_array_equal(result.diagrams[1], [[-1, 1]])
        for words, births in {"birth of row 1 is -inf": [0, -np.inf, 0], "shape": [0, 1]}.items():
            with self.assertRaisesRegex(ValueError, words):
                glshape.rips(d - np.diag(np.diag(d)), births=births, metric="precomputed")

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
                off, auto, on = [glshape.rips(x, 2, metric=metric, collapse=c).diagrams for c in ("off", "auto", "on")]
                for a, b, c in zip(off, auto, on):
                    np.testing.assert_array_equal(in_order(a), in_order(b))
                    np.testing.assert_array_equal(in_order(a), in_order(c))

    def test_automatic_collapse(self):
        """Nearly all edges of a disc go, and none in dimension 1 or with cocycles; what the library did is a fact."""
        x = np.random.default_rng(6).random((60, 2))
        name = "edges after the collapse"
        self.assertIn(name, glshape.rips(x, 2, collapse="auto").facts)
        self.assertNotIn(name, glshape.rips(x, 1, collapse="auto").facts)
        self.assertNotIn(name, glshape.rips(x, 2, collapse="auto", cocycles=True).facts)
        self.assertNotIn(name, glshape.rips(x, 2).facts)
        with self.assertRaisesRegex(ValueError, "collapse is 'yes'; it is one of off, auto, on"):
            glshape.rips(x, 2, collapse="yes")

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
