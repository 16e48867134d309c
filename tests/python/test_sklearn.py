"""The estimators: scikit-learn's own checks, and its results."""
import csv
import gzip
import os
import unittest
import warnings
from pathlib import Path

import glshape.compat.hdbscan
import numpy as np
import sklearn.cluster
import sklearn.neighbors
from glshape.sklearn import (HDBSCAN, MDS, ClassicalMDS, KNeighborsTransformer, NearestNeighbors, RadiusNeighborsTransformer,
                             SingleLinkage)
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

try:
    from sklearn.utils.estimator_checks import estimator_checks_generator
except ImportError:  # before scikit-learn 1.6
    from sklearn.utils.estimator_checks import check_estimator

    def estimator_checks_generator(estimator):
        return check_estimator(estimator, generate_only=True)

X = np.load(Path(__file__).resolve().parents[2] / "data" / "cancer.npy")
HUNT = bool(os.environ.get("GLSHAPE_TEST_HUNT"))
# Checks that take half a minute together, as they fit many layouts: only in a hunt.
SLOW = ("sparse_data", "pipeline_consistency", "estimators_dtypes", "dtype_object", "score_takes_y", "pickle",
        "dict_unchanged", "predict1d", "dont_overwrite", "check_methods")


class Checks(unittest.TestCase):
    def check(self, estimator, skipped=()):
        count = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for of, check in estimator_checks_generator(estimator):
                if not any(word in check.func.__name__ for word in skipped):
                    with self.subTest(check.func.__name__):
                        check(of)
                        count += 1
        self.assertGreater(count, 8)

    def test_mds(self):
        self.check(MDS(random_state=0), () if HUNT else SLOW)

    def test_classical_mds(self):
        self.check(ClassicalMDS(n_components=1))

    def test_single_linkage(self):
        self.check(SingleLinkage())

    def test_hdbscan(self):
        self.check(HDBSCAN())

    def test_nearest_neighbors(self):
        self.check(NearestNeighbors(n_neighbors=3))

    def test_transformers(self):
        self.check(KNeighborsTransformer(n_neighbors=3))
        self.check(RadiusNeighborsTransformer())

    def test_of_the_package(self):
        self.check(glshape.compat.hdbscan.HDBSCAN())


class Results(unittest.TestCase):
    def test_single_linkage(self):
        d = squareform(pdist(X))
        ours = SingleLinkage(None, distance_threshold=5).fit(X)
        theirs = sklearn.cluster.AgglomerativeClustering(None, linkage="single", distance_threshold=5,
                                                         compute_distances=True).fit(X)
        self.assertEqual(ours.n_clusters_, theirs.n_clusters_)
        self.assertEqual(SingleLinkage(None, distance_threshold=0).fit(X[:9]).n_clusters_, 9)
        self.assertEqual(len(set(zip(ours.labels_, theirs.labels_))), ours.n_clusters_)
        np.testing.assert_allclose(ours.distances_, theirs.distances_, rtol=1e-6)
        of_distances = SingleLinkage(3, metric="precomputed").fit(d)
        self.assertEqual(of_distances.labels_.max(), 2)
        with self.assertRaisesRegex(ValueError, "exactly one of n_clusters"):
            SingleLinkage(None).fit(X)
        with self.assertRaisesRegex(ValueError, "square"):
            SingleLinkage(metric="precomputed").fit(X)

    def test_hdbscan(self):
        """Partitions and probabilities of scikit-learn 1.4.2, where they do not depend on the order of the rows."""
        folder = Path(__file__).resolve().parents[1] / "hdbscan" / "golden"
        with open(folder / "cases.csv", encoding="ascii") as file:
            cases = [case for case in csv.DictReader(file) if case["one_answer"] == "1"]
        self.assertGreater(len(cases), 25)
        for case in cases:
            x, answers = (np.load(gzip.open(folder / f"{case['set']}{end}.npy.gz")) for end in ("", "-answers"))
            labels, _, probabilities = np.split(answers, 3, axis=1)
            model = HDBSCAN(int(case["min_cluster_size"]), int(case["min_samples"]),
                            cluster_selection_epsilon=float(case["epsilon"]),
                            cluster_selection_method=case["selection"],
                            allow_single_cluster=case["allow_single_cluster"] == "1").fit(x)
            with self.subTest(case):
                theirs = labels[:, int(case["case"])]
                self.assertEqual(len(set(zip(model.labels_, theirs))), len(set(theirs)))
                self.assertEqual(len(set(model.labels_)), len(set(theirs)))
                np.testing.assert_allclose(model.probabilities_, probabilities[:, int(case["case"])], atol=1e-6)

    def test_hdbscan_of_distances(self):
        model = HDBSCAN(30, 3).fit(X)
        of = HDBSCAN(30, 3, metric="precomputed").fit(squareform(pdist(X)))
        np.testing.assert_array_equal(of.labels_, model.labels_)
        self.assertFalse(hasattr(of, "exemplars_"))
        self.assertRaisesRegex(ValueError, "needs the 683 points", of.approximate_predict, np.ones((1, 683)))
        np.testing.assert_array_equal(model.exemplars_[0], X[model.exemplar_indices_[0]])
        labels, cut = model.approximate_predict(X)[0], model.dbscan_clustering(2.5, 10)
        self.assertGreater(np.mean(labels == model.labels_), 0.9)
        theirs = sklearn.cluster.DBSCAN(2.5, min_samples=3).fit(X)
        core = np.isin(np.arange(len(X)), theirs.core_sample_indices_)  # DBSCAN* has no border points
        large = core & (np.bincount(theirs.labels_[core], minlength=len(X))[theirs.labels_] >= 10)
        np.testing.assert_array_equal(cut >= 0, large)
        self.assertEqual(len(set(zip(cut[large], theirs.labels_[large]))), cut.max() + 1)
        root = model.condensed_tree_["parent"] == len(X)
        self.assertEqual(model.condensed_tree_["child_size"][root].sum(), len(X))

    def test_nearest_neighbors(self):
        x = np.random.default_rng(0).random((300, 5))
        ours, theirs = NearestNeighbors(n_neighbors=4).fit(x), sklearn.neighbors.NearestNeighbors(n_neighbors=4).fit(x)
        for a, b in zip(ours.kneighbors(), theirs.kneighbors()):
            np.testing.assert_allclose(a, b)
        for mode in ("connectivity", "distance"):
            a, b = ours.kneighbors_graph(mode=mode), theirs.kneighbors_graph(mode=mode)
            self.assertLess(abs(a - b).max(), 1e-12)

    def test_no_digit_is_lost(self):
        """Whole numbers from 2^24 on, which float32 does not have, and from 2^53 on."""
        x = np.arange(2**24, 2**24 + 9)[:, None]
        for values in (x, x.astype(np.int32), x.astype(object), x.tolist(), x.astype(np.longdouble)):
            distance, _ = NearestNeighbors(n_neighbors=1).fit(values).kneighbors()
            np.testing.assert_array_equal(distance, np.ones((9, 1)))
            distance, _ = NearestNeighbors(n_neighbors=1).fit(values).kneighbors(values[1:2])
            np.testing.assert_array_equal(distance, [[0]])
            np.testing.assert_array_equal(SingleLinkage().fit(values).distances_, np.ones(8))
            model = HDBSCAN(2, 2, allow_single_cluster=True).fit(values)
            np.testing.assert_array_equal(model.single_linkage_tree_[:, 2], np.ones(8))
            np.testing.assert_array_equal(model.exemplars_[0][0], [2**24])
        self.assertEqual(NearestNeighbors().fit([[2**60 + 1], [2**60 + 5]])._fit_X[0, 0], 2**60 + 1)
        self.assertEqual(NearestNeighbors().fit([[2**64 - 1], [5]])._fit_X[0, 0], 2**64 - 1)
        with self.assertRaisesRegex(ValueError, "9007199254740993, which float64 does not hold"):
            NearestNeighbors().fit([[2**53 + 1, 0.5], [1, 2]])

    def test_precomputed_neighbors(self):
        random = np.random.default_rng(1)
        d, asked = random.integers(0, 50, (80, 80)).astype(float), random.integers(0, 50, (30, 80)).astype(float)
        np.fill_diagonal(d, 0)  # not symmetric
        of = {"n_neighbors": 5, "radius": 3, "metric": "precomputed"}
        ours, theirs = NearestNeighbors(**of).fit(d), sklearn.neighbors.NearestNeighbors(**of).fit(d)
        for queries in (None, asked):
            np.testing.assert_array_equal(ours.kneighbors(queries)[0], theirs.kneighbors(queries)[0])
            a, b = (of.radius_neighbors_graph(queries, mode="distance") for of in (ours, theirs))
            self.assertEqual(abs(a - b).max(), 0)
        with self.assertRaisesRegex(ValueError, "is no distance"):
            ours.kneighbors(-asked)

    def test_sparse_neighbors(self):
        x = sparse.random(300, 60, 0.1, "csr", random_state=0) + sparse.csr_matrix(np.eye(300, 60) + np.eye(300, 60, -60))
        x = sparse.csr_matrix(x + sparse.csr_matrix((np.ones(300), (range(300), np.arange(300) % 60)), (300, 60)))
        for metric in ("euclidean", "cosine", "manhattan"):
            ours = NearestNeighbors(n_neighbors=7, metric=metric).fit(x)
            theirs = sklearn.neighbors.NearestNeighbors(n_neighbors=7, metric=metric, algorithm="brute").fit(x)
            for queries in (None, x[:40] * 1.5):
                np.testing.assert_allclose(ours.kneighbors(queries)[0], theirs.kneighbors(queries)[0], atol=3e-6)

    def test_minkowski(self):
        x = np.random.default_rng(0).random((300, 3))
        for p in (1, 1.5, 3, np.inf):
            of = {"n_neighbors": 4, "metric": "minkowski", "p": p}
            ours, theirs = NearestNeighbors(**of).fit(x), sklearn.neighbors.NearestNeighbors(**of).fit(x)
            for a, b in zip(ours.kneighbors(), theirs.kneighbors()):
                np.testing.assert_allclose(a, b, atol=1e-12)
        a, b = (NearestNeighbors(metric="chebyshev").fit(x), sklearn.neighbors.NearestNeighbors(metric="chebyshev").fit(x))
        np.testing.assert_array_equal(a.kneighbors()[1], b.kneighbors()[1])

    def test_other_points(self):
        random = np.random.default_rng(0)
        x, y = random.random((300, 3)), random.random((40, 3))
        for metric in ("euclidean", "manhattan"):
            of = {"n_neighbors": 4, "radius": 0.2, "metric": metric}
            ours, theirs = NearestNeighbors(**of).fit(x), sklearn.neighbors.NearestNeighbors(**of).fit(x)
            for queries in (None, y, x):
                for a, b in zip(ours.kneighbors(queries), theirs.kneighbors(queries)):
                    np.testing.assert_allclose(a, b, atol=1e-12)
                for radius in (None, 1e-9, 9):
                    for a, b in zip(ours.radius_neighbors(queries, radius),
                                    theirs.radius_neighbors(queries, radius, sort_results=True)):
                        self.assertEqual(a.dtype, object)
                        for mine, other in zip(a, b):
                            np.testing.assert_allclose(mine, other, atol=1e-12)
                for mode in ("connectivity", "distance"):
                    a, b = (of.radius_neighbors_graph(queries, mode=mode) for of in (ours, theirs))
                    self.assertEqual(a.shape, b.shape)
                    self.assertLess(abs(a - b).max(), 1e-12)
                    a, b = (of.kneighbors_graph(queries, 3, mode) for of in (ours, theirs))
                    self.assertEqual(a.shape, b.shape)
                    self.assertLess(abs(a - b).max(), 1e-12)
        self.assertEqual(ours.radius_neighbors(y[:1], return_distance=False)[0].dtype, np.int64)
        for words, call in {"mode is 'x'": lambda: ours.radius_neighbors_graph(mode="x"),
                            "expecting 3 features": lambda: ours.kneighbors(y[:, :2])}.items():
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_mds(self):
        model = MDS(3, random_state=1, metric="precomputed")
        layout = model.fit_transform(squareform(pdist(X[:80])))
        self.assertEqual(layout.shape, (80, 3))
        self.assertIs(model.embedding_, layout)
        self.assertLess(model.stress_, 0.05)
        documents = sparse.csr_matrix(X[:80])
        self.assertEqual(MDS(metric="cosine").fit_transform(documents).shape, (80, 2))


if __name__ == "__main__":
    unittest.main()
