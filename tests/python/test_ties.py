"""Thresholds that are equal to a given distance, of every type: what scipy and NumPy make of the same numbers."""
import unittest

import glshape
import numpy as np
from glshape.sklearn import HDBSCAN, NearestNeighbors, SingleLinkage
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

FAR = 2**24  # the whole numbers beyond are not all in float32
GIVEN = {"metric": "precomputed"}
FLOATS = np.float64, np.float32, np.float16


def decimals(random, n, dtype):
    """A matrix of the distances 0.01, 0.02, ..., 1.00."""
    return squareform(random.integers(1, 101, n * (n - 1) // 2) / 100).astype(dtype)


def wholes(random, n):
    return squareform(random.integers(FAR, FAR + 6, n * (n - 1) // 2))


def cases(seed, n, count, floats=FLOATS):
    """Matrices, a threshold as a caller writes it, and the number of the matrix's type that it stands for."""
    random = np.random.default_rng(seed)
    for k in range(count):
        for dtype in floats:
            d = decimals(random, n, dtype)
            written = round(float(random.choice(linkage(squareform(d.astype(float)), "single")[:, 2])), 2)
            yield d, written, dtype(written)
        d = wholes(random, n)
        heights = linkage(squareform(d.astype(float)), "single")[:, 2]
        yield d, int(heights[k % (n - 1)]), float(heights[k % (n - 1)])


def below(value):
    """The next number of its type."""
    return np.nextafter(value, type(value)(0))


def components(near, least=1):
    """Numbers of the components, -1: fewer nodes than least."""
    labels = connected_components(sparse.csr_matrix(near))[1]
    return np.where(np.bincount(labels)[labels] >= least, labels, -1)


def reachability(d, k):
    core = np.sort(d, axis=1)[:, k - 1]
    return np.maximum(d, np.maximum.outer(core, core))


class Ties(unittest.TestCase):
    def same_parts(self, ours, theirs):
        self.assertEqual(len(set(zip(ours, theirs))), len(set(theirs)))
        self.assertEqual(len(set(ours)), len(set(theirs)))

    def test_linkage(self):
        for d, written, value in cases(1, 8, 30):
            exact = linkage(squareform(d.astype(float)), "single")
            for x in (d, squareform(d)):
                tree = glshape.linkage(x, **GIVEN)
                np.testing.assert_array_equal(tree.merges[:, 2], exact[:, 2])
                for threshold, least in ((written, value), (below(value), below(value))):
                    self.same_parts(tree.cut(distance=threshold), fcluster(exact, float(least), "distance"))

    def test_cophenetic_correlation(self):
        """Numbers that float32 makes one number stay apart."""
        random = np.random.default_rng(10)
        for d in (random.integers(1, 101, 435) / 100, 2**30 + random.integers(0, 60, 435)):
            for x in (d, squareform(d)):
                tree = glshape.linkage(x, cophenetic=True, **GIVEN)
                self.assertAlmostEqual(tree.cophenetic, cophenet(linkage(d.astype(float), "single"), d)[0], 9)

    def test_linkage_of_a_graph(self):
        for d, written, value in cases(2, 12, 20, FLOATS[:2]):
            kept = d * (np.add.outer(range(12), range(12)) % 3 > 0)
            tree = glshape.linkage(sparse.csr_matrix(kept), **GIVEN)
            written = written if written in kept.astype(np.float64) else kept.max()
            value = d.dtype.type(written) if d.dtype.kind == "f" else float(written)
            for threshold, most in ((written, value), (below(value), below(value))):
                self.same_parts(tree.cut(distance=threshold), components((kept > 0) & (kept <= most)))

    def test_neighbors(self):
        for d, written, value in cases(3, 20, 20):
            for threshold, most in ((written, value), (below(value), below(value))):
                near = (d <= most) & ~np.eye(len(d), dtype=bool)
                found = glshape.knn(d, radius=threshold, **GIVEN)
                np.testing.assert_array_equal(np.diff(found.indptr), near.sum(axis=1))
                asked = glshape.knn(d, queries=d[:7], radius=threshold, **GIVEN)
                np.testing.assert_array_equal(np.diff(asked.indptr), (d[:7] <= most).sum(axis=1))
        d = decimals(np.random.default_rng(4), 20, float)
        for dtype in FLOATS[:2]:
            found = NearestNeighbors(radius=0.3, **GIVEN).fit(d.astype(dtype)).radius_neighbors()[1]
            self.assertEqual(list(map(len, found)), list((d < 0.305).sum(axis=1) - 1))

    def test_sparse_rows(self):
        """Of one value each, whose differences NumPy has as they are."""
        random = np.random.default_rng(7)
        for values in (random.integers(1, 100, 40) / 100, random.integers(FAR, FAR + 9, 40), 1e9 + random.random(40)):
            rows, d = sparse.csr_matrix(values[:, None]), np.abs(np.subtract.outer(values, values)).astype(float)
            cut = random.choice(linkage(squareform(d), "single")[:, 2])
            within = (d <= cut) & ~np.eye(40, dtype=bool)
            for queries in (None, rows):
                found = glshape.knn(rows, radius=cut, queries=queries)
                self.assertEqual(len(found.index), within.sum() + (0 if queries is None else 40))
            self.same_parts(glshape.linkage(rows).cut(distance=cut), components(within))
            self.same_parts(glshape.hdbscan(rows, min_samples=1, min_cluster_size=2).dbscan(cut),
                            components(within, 2))
            np.testing.assert_array_equal(NearestNeighbors(n_neighbors=1).fit(rows).kneighbors()[0][:, 0],
                                          np.where(np.eye(40, dtype=bool), np.inf, d).min(1))

    def test_dbscan(self):
        for d, written, value in cases(5, 12, 20):
            given = (d, sparse.csr_matrix(d)) if d.dtype != np.float16 else (d,)
            for x in given:
                result = glshape.hdbscan(x, 2, min_samples=3, **GIVEN)
                reach = reachability(d, 3)
                np.testing.assert_array_equal(result.core, np.sort(d, axis=1)[:, 2])
                for threshold, most in ((written, value), (below(value), below(value))):
                    self.same_parts(result.dbscan(threshold), components(reach <= most, 2))

    def test_selection(self):
        """Four pairs: two of two pairs, which split at `inner`; all split at `outer`."""
        pair, four = np.arange(8) // 2, np.arange(8) // 4
        pairs, fours = [0, 0, 1, 1, 2, 2, 3, 3], [0] * 4 + [1] * 4
        for dtype in FLOATS[:2]:
            for inner, outer in ((0.3, 0.9), (0.7, 0.8), (0.55, 0.6), (0.1, 0.2)):
                d = np.where(np.equal.outer(pair, pair), 0.01, np.where(np.equal.outer(four, four), inner, outer))
                np.fill_diagonal(d, 0)
                d = d.astype(dtype)
                above = float(np.nextafter(dtype(inner), dtype(2)))
                for x in (d, sparse.csr_matrix(d)):
                    for epsilon, labels in ((inner, pairs), (above, fours)):
                        result = glshape.hdbscan(x, 2, min_samples=1, epsilon=epsilon, **GIVEN)
                        np.testing.assert_array_equal(result.labels, labels)
                        model = HDBSCAN(2, 1, cluster_selection_epsilon=epsilon, **GIVEN).fit(x)
                        np.testing.assert_array_equal(model.labels_, labels)
                    for most, labels in ((outer, fours), (float(below(dtype(outer))), [-1] * 8)):
                        result = glshape.hdbscan(x, 4, min_samples=1, max_epsilon=most, **GIVEN)
                        np.testing.assert_array_equal(result.labels, labels)
                model = HDBSCAN(2, 1, **GIVEN).fit(d)
                np.testing.assert_array_equal(model.dbscan_clustering(inner, 2), fours)
                np.testing.assert_array_equal(model.dbscan_clustering(float(below(dtype(inner))), 2), pairs)

    def test_single_linkage(self):
        """At the threshold clusters are not merged, just above they are."""
        for d, written, value in cases(6, 8, 20, FLOATS[:2]):
            exact = linkage(squareform(d.astype(float)), "single")
            above = np.nextafter(value, type(value)(np.inf))
            for threshold, most in ((written, below(value)), (above, value)):
                model = SingleLinkage(None, distance_threshold=float(threshold), **GIVEN).fit(d)
                self.same_parts(model.labels_, fcluster(exact, float(most), "distance"))

    def test_thresholds_that_a_type_does_not_have(self):
        d = np.array([[0, 0.5], [0.5, 0]], np.float32)
        self.assertEqual(len(glshape.knn(d, radius=1e300, **GIVEN).index), 2)
        self.assertEqual(len(glshape.knn(d, radius=1e-300, **GIVEN).index), 0)
        self.assertEqual(list(glshape.linkage(d, **GIVEN).cut(distance=1e300)), [0, 0])
        self.assertEqual(list(glshape.hdbscan(d, 2, max_epsilon=1e-300, **GIVEN).labels), [-1, -1])


class Readers(unittest.TestCase):
    def test_precision(self):
        d = wholes(np.random.default_rng(7), 10)
        exact = linkage(squareform(d.astype(float)), "single")[:, 2]
        reader = glshape.Reader(lambda first, count: d[first:first + count], 10, np.float64)
        single = glshape.Reader(reader.rows, 10)
        np.testing.assert_array_equal(glshape.linkage(reader).merges[:, 2], exact)
        np.testing.assert_array_equal(glshape.linkage(single).merges[:, 2], exact.astype(np.float32))
        np.testing.assert_array_equal(glshape.hdbscan(reader, 2).core, np.sort(d, axis=1)[:, 1])
        self.assertEqual(glshape.mds(reader).layout.shape, (10, 2))
        tenths = glshape.Reader(lambda first, count: 0.1 * abs(np.arange(first, first + count)[:, None] - np.arange(3)), 3)
        for dtype in FLOATS[:2]:
            given = glshape.Reader(tenths.rows, 3, dtype)
            self.assertEqual(len(glshape.knn(given, radius=0.1).index), 4)
            self.assertEqual(list(glshape.linkage(given).cut(distance=0.1)), [0, 0, 0])

    def test_whole_numbers_that_double_does_not_have(self):
        d = squareform([2**53, 2**53 + 1, 2**53 + 2])
        for function, x in ((glshape.linkage, d), (glshape.linkage, squareform(d)), (glshape.hdbscan, d), (glshape.knn, d),
                            (glshape.linkage, sparse.csr_matrix(d)), (glshape.hdbscan, sparse.csr_matrix(d))):
            with self.assertRaisesRegex(ValueError, r"9007199254740993, .*; astype\(np.float64\) rounds it"):
                function(x, 2, **GIVEN) if function is not glshape.linkage else function(x, **GIVEN)
        rounded = glshape.linkage(d.astype(np.float64), **GIVEN)
        np.testing.assert_array_equal(rounded.merges[:, 2], linkage(squareform(d).astype(float), "single")[:, 2])

    def test_upper_side(self):
        """The upper side counts where only rounding made sides differ."""
        d = decimals(np.random.default_rng(8), 9, float)
        other = np.triu(d) + np.nextafter(np.tril(d), 0)
        np.testing.assert_array_equal(glshape.linkage(other, **GIVEN).merges[:, 2], linkage(squareform(d), "single")[:, 2])


class Infinity(unittest.TestCase):
    def test_never_joined(self):
        random = np.random.default_rng(9)
        for dtype in FLOATS[:2]:
            d = decimals(random, 12, dtype)
            apart = np.not_equal.outer(np.arange(12) % 3, np.arange(12) % 3)
            for x in (np.where(apart, dtype(np.inf), d), squareform(np.where(apart, dtype(np.inf), d))):
                tree, of = glshape.linkage(x, **GIVEN), glshape.hdbscan(x, 2, **GIVEN)
                finite = np.sort(np.concatenate([linkage(squareform(d[k::3, k::3].astype(float)), "single")[:, 2]
                                                 for k in range(3)]))
                np.testing.assert_array_equal(tree.merges[:, 2], [*finite, np.inf, np.inf])
                self.assertEqual((tree.components, of.components), (3, 3))
                np.testing.assert_array_equal(tree.cut(distance=1), np.arange(12) % 3)
                with self.assertRaisesRegex(ValueError, "infinity"):
                    glshape.mds(x, **GIVEN)


if __name__ == "__main__":
    unittest.main()
