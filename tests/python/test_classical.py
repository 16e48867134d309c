"""Classical scaling beside numpy's eigensolver."""
import unittest

import glshape
import numpy as np
from glshape.sklearn import ClassicalMDS
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

EIGENVALUES, VECTORS = 1e-5, 1e-4  # relative to the largest eigenvalue in magnitude


def centered(d):
    """B = -½ J D∘D J, of the distances as float32 has them."""
    square = -np.asarray(d, np.float32).astype(float) ** 2 / 2
    return square - square.mean(0) - square.mean(1)[:, None] + square.mean()


def uniform(rng, n):
    return squareform(rng.uniform(1, 2, n * (n - 1) // 2))


def matrices(rng):
    """Names and square matrices of distances: n from 3 to 300."""
    for n in (3, 4, 12, 13, 40, 100, 300):
        x = rng.normal(size=(n, 6)) * [9, 5, 3, 2, 1, 1]
        yield "points", squareform(pdist(x))
        yield "rank 2", squareform(pdist(x[:, :2]))
        yield "ties", squareform(pdist(rng.integers(0, 3, (n, 3)), "cityblock"))
        yield "duplicates", squareform(pdist(x[rng.integers(0, max(n // 3, 2), n)]))
        yield "Bray-Curtis", squareform(pdist(rng.gamma(0.3, size=(n, 30)) + 1e-9, "braycurtis"))
    for n in (20, 80, 200):
        yield "no metric", uniform(rng, n)
        yield "negative eigenvalues larger than positive ones", negative(n)
    yield "all equal", 1.0 - np.eye(50)
    yield "all 0", np.zeros((30, 30))
    yield "tiny", 1e-30 * squareform(pdist(rng.normal(size=(40, 3))))
    yield "huge", 1e30 * squareform(pdist(rng.normal(size=(40, 3))))


def negative(n):
    """Two halves, 1 apart from each other, in which points are 2.5 apart: one eigenvalue is far below 0."""
    half = np.arange(n) % 2
    d = np.where(half[:, None] == half, 2.5, 1.0)
    np.fill_diagonal(d, 0)
    return d


class Classical(unittest.TestCase):
    def check(self, d, result):
        b = centered(d)
        value = np.linalg.eigvalsh(b)
        scale = max(abs(value[0]), abs(value[-1])) or 1
        x, k = result.layout.astype(float), len(result.eigenvalues)
        self.assertTrue(result.converged)
        self.assertLessEqual(abs(result.eigenvalues - value[::-1][:k]).max(), EIGENVALUES * scale)
        self.assertLessEqual(abs(result.trace - np.trace(b)), 1e-6 * (abs(np.trace(b)) + scale))
        self.assertLessEqual(value[0], result.least_eigenvalue + 1e-6 * scale)
        positive = np.maximum(result.eigenvalues, 0)
        # Orthogonal columns of the right lengths, and eigenvectors: of equal eigenvalues any are right.
        self.assertLessEqual(abs(x.T @ x - np.diag(positive)).max(), VECTORS * scale)
        self.assertLessEqual(np.linalg.norm(b @ x - x * positive, axis=0).max(), VECTORS * scale * np.sqrt(scale))
        for column in x.T:  # of several entries that are as large, nearly, any may be the first in float64
            largest = column[abs(column) >= (1 - 1e-5) * abs(column).max()]
            self.assertTrue(largest.max() > 0 or not column.any())

    def test_matrices(self):
        with glshape.Context() as context:
            count = 0
            for name, d in matrices(np.random.default_rng(1)):
                for dim in {1, min(2, len(d) - 1), min(5, len(d) - 1)}:
                    with self.subTest(name, n=len(d), dim=dim):
                        self.check(d, glshape.mds(d, dim, metric="precomputed", method="classical", context=context))
                count += 1
        self.assertGreater(count, 40)

    def test_subspaces(self):
        """Where the eigenvalues are apart, the best approximation of rank k is one matrix."""
        rng = np.random.default_rng(2)
        for n in (30, 120, 300):
            d = squareform(pdist(rng.gamma(0.3, size=(n, 30)), "braycurtis"))
            d += squareform(pdist(rng.normal(size=(n, 2))))
            value, vector = np.linalg.eigh(centered(d))
            theirs = vector[:, -2:] * value[-2:] @ vector[:, -2:].T
            ours = glshape.mds(d, 2, metric="precomputed", method="classical").layout.astype(float)
            self.assertLessEqual(abs(ours @ ours.T - theirs).max(), VECTORS * value[-1])

    def test_exact(self):
        """100 random matrices: every eigenvalue to 1e-5 of itself, spaces of eigenvectors to 1e-4."""
        rng = np.random.default_rng(6)
        with glshape.Context() as context:
            for k in range(100):
                n = int(rng.integers(8, 301))
                d = squareform(pdist(rng.gamma(0.3, size=(n, 30)) + 1e-9, ("braycurtis", "cityblock", "euclidean")[k % 3]))
                if k % 4 == 0:
                    d = uniform(rng, n)
                dim = int(rng.integers(1, min(n - 1, 12)))
                result = glshape.mds(d, dim, metric="precomputed", method="classical", exact=True, context=context)
                value, vector = np.linalg.eigh(centered(d))
                with self.subTest(n=n, dim=dim, k=k):
                    self.assertTrue(result.converged)
                    np.testing.assert_allclose(result.eigenvalues, value[::-1][:dim], rtol=1e-5)
                    self.assertLessEqual(result.residuals.max(), 1e-10 * abs(value).max() * 1.001)
                    unit = result.layout / np.sqrt(result.eigenvalues)
                    for last in range(1, dim + 1):  # where a gap follows
                        if value[-last] - value[-last - 1] < 1e-2 * value[-1]:
                            continue
                        theirs = vector[:, -last:]
                        off = unit[:, :last] - theirs @ (theirs.T @ unit[:, :last])
                        self.assertLessEqual(np.linalg.norm(off, 2), VECTORS)

    def test_corrections(self):
        """The constants beside numpy's: the least eigenvalue, and the largest real one of Cailliez' matrix."""
        rng = np.random.default_rng(7)
        for n in (3, 5, 20, 60, 150):
            for name, d in (("uniform", uniform(rng, n)), ("negative", negative(n)),
                            ("Bray-Curtis", squareform(pdist(rng.gamma(0.3, size=(n, 9)) + 1e-9, "braycurtis")))):
                d = d.astype(np.float32).astype(float)
                dim = min(4, n - 1)
                b = centered(d)
                half = -d / 2
                half = half - half.mean(0) - half.mean(1)[:, None] + half.mean()
                zero, one = np.zeros((n, n)), np.eye(n)
                lingoes = max(-np.linalg.eigvalsh(b)[0], 0)
                cailliez = np.linalg.eigvals(np.block([[zero, 2 * b], [-one, -4 * half]]))
                cailliez = cailliez.real[abs(cailliez.imag) < 1e-9].max() if lingoes > 1e-9 else 0
                other = 1 - one
                for correction, constant, changed in (("lingoes", lingoes, np.sqrt(d**2 + 2 * lingoes) * other),
                                                      ("cailliez", cailliez, (d + cailliez) * other)):
                    with self.subTest(n=n, name=name, correction=correction):
                        for exact in (False, True):
                            result = glshape.mds(d, dim, metric="precomputed", method="classical", correction=correction,
                                                 exact=exact)
                            self.assertTrue(result.converged)
                            self.assertAlmostEqual(result.constant, constant, delta=1e-5 * (constant + d.max()))
                            value = np.linalg.eigvalsh(centered(changed))[::-1]
                            np.testing.assert_allclose(result.eigenvalues, value[:dim], atol=EIGENVALUES * value[0])
                            np.testing.assert_allclose(result.trace, value.sum(), rtol=1e-5)
        for correction in ("lingoes", "cailliez"):  # nothing is negative
            x = rng.normal(size=(40, 3))
            for given, metric in ((x, "euclidean"), (squareform(pdist(x)), "precomputed")):
                result = glshape.mds(given, 2, metric=metric, method="classical", correction=correction)
                self.assertLessEqual(result.constant, 1e-5)

    def test_negative(self):
        d = negative(200)
        self.assertLess(np.linalg.eigvalsh(centered(d))[0], -200)
        self.assertLess(glshape.mds(d, metric="precomputed", method="classical").least_eigenvalue, -200)

    def test_points(self):
        rng = np.random.default_rng(3)
        for n, columns in ((5, 2), (40, 1), (40, 3), (40, 100), (300, 40)):
            x = rng.normal(size=(n, columns)) * np.geomspace(1, 20, columns) + 1000
            d = squareform(pdist(x))
            for dim in (1, 2, 4):
                result = glshape.mds(x, dim, method="classical")
                value = np.linalg.eigvalsh(centered(d))[::-1]
                with self.subTest(n=n, columns=columns, dim=dim):
                    np.testing.assert_allclose(result.eigenvalues, value[:dim], atol=EIGENVALUES * value[0])
                    np.testing.assert_allclose(result.trace, value.sum(), rtol=1e-5)
                    if dim >= columns:
                        np.testing.assert_allclose(squareform(pdist(result.layout)), d, atol=1e-4 * d.max())
        for metric, name in (("manhattan", "cityblock"), ("cosine", "cosine"), ("chebyshev", "chebyshev")):
            x = rng.normal(size=(60, 5))
            self.check(squareform(pdist(x, name)), glshape.mds(x, 3, metric=metric, method="classical"))

    def test_sources(self):
        rng = np.random.default_rng(4)
        d = squareform(pdist(rng.normal(size=(90, 4)))).astype(np.float32)
        want = glshape.mds(d, 3, metric="precomputed", method="classical")
        fed = glshape.mds(glshape.Feeder(lambda i, j: d[i, j], 90), 3, method="classical")
        np.testing.assert_array_equal(want.layout, fed.layout)
        ring = np.minimum(abs(np.subtract.outer(range(9), range(9))), 9 - abs(np.subtract.outer(range(9), range(9))))
        graph = np.where(ring == 1, 1.0, 0)
        self.check(ring, glshape.mds(sparse.csr_matrix(graph), 4, metric="precomputed", method="classical"))

    def test_refusals(self):
        d = 1.0 - np.eye(6)
        d[3, 1] = d[1, 3] = np.nan
        for options, words in (({}, "row 1, column 3: the distance is missing.*--method glimmer"),
                               ({"weights": np.ones((6, 6))}, "no weights"), ({"correction": "some"}, "correction"), ({"attempts": 2}, "attempts"),
                               ({"dim": 6}, "of 6 points has at most 5 dimensions"), ({"components": True}, "one component")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, words):
                glshape.mds(d, metric="precomputed", method="classical", **options)
        for value, words in ((-1, "row 1, column 3.*negative"), (np.inf, "row 1, column 3.*inf")):
            d[3, 1] = d[1, 3] = value
            with self.subTest(value), self.assertRaisesRegex(ValueError, words):
                glshape.mds(d, metric="precomputed", method="classical")
        for options, words in (({"correction": "lingoes"}, "a correction .*classical"), ({"exact": True}, "exact .*classical")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, words):
                glshape.mds(np.eye(3), **options)
        with self.assertRaisesRegex(ValueError, "row 1, column 0 is NaN"):
            glshape.mds([[0.0], [np.nan], [1]], 1, method="classical")

    def test_estimator(self):
        x = np.random.default_rng(5).normal(size=(50, 4))
        model = ClassicalMDS(3).fit(x)
        of_distances = ClassicalMDS(3, metric="precomputed").fit(squareform(pdist(x)))
        np.testing.assert_allclose(model.embedding_, of_distances.embedding_, atol=1e-4)
        np.testing.assert_allclose(model.explained_ratio_.sum(), model.eigenvalues_.sum() / ((x - x.mean(0)) ** 2).sum())


if __name__ == "__main__":
    unittest.main()
