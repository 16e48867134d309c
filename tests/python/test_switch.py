"""What programs for scikit-learn, scipy and tqdm expect: keywords, metrics, sparse neighbors, matrices, bars, docstrings."""
import contextlib
import inspect
import io
import pickle
import unittest

import glshape
import numpy as np
import sklearn.cluster
import sklearn.manifold
import sklearn.metrics
import sklearn.neighbors
from glshape import sklearn as ours
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, fcluster, leaves_list, linkage
from scipy.spatial.distance import pdist

X = np.random.default_rng(3).random((150, 3))
# The constructors of scikit-learn 1.8, with their defaults (of MDS those that it warns of are left out).
KEYWORDS = {
    "NearestNeighbors": {"n_neighbors": 5, "radius": 1.0, "algorithm": "auto", "leaf_size": 30, "metric": "minkowski", "p": 2,
                         "metric_params": None, "n_jobs": None},
    "KNeighborsTransformer": {"mode": "distance", "n_neighbors": 5, "algorithm": "auto", "leaf_size": 30,
                              "metric": "minkowski", "p": 2, "metric_params": None, "n_jobs": None},
    "RadiusNeighborsTransformer": {"mode": "distance", "radius": 1.0, "algorithm": "auto", "leaf_size": 30,
                                   "metric": "minkowski", "p": 2, "metric_params": None, "n_jobs": None},
    "MDS": {"n_components": 2, "metric_mds": True, "n_init": 1, "init": "random", "max_iter": 300, "verbose": 0, "eps": 1e-6,
            "n_jobs": None, "random_state": 0, "dissimilarity": "euclidean", "metric": "euclidean", "metric_params": None,
            "normalized_stress": "auto"},
    "SingleLinkage": {"n_clusters": 2, "metric": "euclidean", "memory": None, "connectivity": None,
                      "compute_full_tree": "auto", "linkage": "single", "distance_threshold": None,
                      "compute_distances": False}}  # AgglomerativeClustering


class Keywords(unittest.TestCase):
    def test_taken(self):
        for name, keywords in KEYWORDS.items():
            with self.subTest(name):
                kind = getattr(ours, name)
                self.assertLessEqual(set(keywords), set(inspect.signature(kind).parameters))
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    kind(**keywords).fit(X)
                self.assertEqual(out.getvalue(), "")

    def test_refused_by_name(self):
        for name, keywords in {"SingleLinkage": {"linkage": "ward"}, "MDS": {"init": "spectral"},
                               "NearestNeighbors": {"metric_params": {"V": 1}}}.items():
            model = getattr(ours, name)(**keywords)
            with self.assertRaisesRegex(ValueError, list(keywords)[0]):
                model.fit(X).kneighbors()

    def test_connectivity(self):
        """Of a graph of neighbors, which is not symmetric, both sides count; so they do of a function's."""
        graph = sklearn.neighbors.kneighbors_graph(X, 8, include_self=False)
        theirs = sklearn.cluster.AgglomerativeClustering(None, linkage="single", distance_threshold=0.15,
                                                         connectivity=graph).fit(X)
        for given in (graph, lambda x: sklearn.neighbors.kneighbors_graph(x, 8, include_self=False)):
            model = ours.SingleLinkage(None, distance_threshold=0.15, connectivity=given).fit(X)
            self.assertEqual(model.n_clusters_, theirs.n_clusters_)
            self.assertEqual(len(set(zip(model.labels_, theirs.labels_))), theirs.n_clusters_)


class Neighbors(unittest.TestCase):
    def test_transformers(self):
        new = np.random.default_rng(4).random((20, 3))
        for name, size in (("KNeighborsTransformer", {"n_neighbors": 6}), ("RadiusNeighborsTransformer", {"radius": 0.3})):
            for mode in ("distance", "connectivity"):
                a, b = (getattr(of, name)(mode=mode, **size) for of in (ours, sklearn.neighbors))
                for left, right in ((a.fit_transform(X), b.fit_transform(X)), (a.transform(new), b.transform(new))):
                    self.assertEqual(left.shape, right.shape)
                    self.assertLess(abs(left - right).max(), 1e-12)
                    self.assertEqual(left.nnz, right.nnz)

    def test_in_a_pipeline(self):
        """Isomap of a graph of neighbors, as scikit-learn's guide has it."""
        layouts = [sklearn.manifold.Isomap(n_neighbors=8, metric="precomputed").fit_transform(
            of.KNeighborsTransformer(n_neighbors=8).fit_transform(X)) for of in (ours, sklearn.neighbors)]
        np.testing.assert_allclose(*layouts, atol=1e-8)


class Metrics(unittest.TestCase):
    def test_neighbors(self):
        whole = np.random.default_rng(5).integers(0, 3, (60, 8))
        for metric in ("hamming", "canberra", "braycurtis", "jaccard", "dice"):
            data = whole.astype(bool) if metric in ("jaccard", "dice") else whole
            model = ours.NearestNeighbors(n_neighbors=7, metric=metric).fit(whole)
            theirs = sklearn.neighbors.NearestNeighbors(n_neighbors=7, metric=metric, algorithm="brute").fit(data)
            for queries in (None, 9):
                np.testing.assert_allclose(model.kneighbors(None if queries is None else whole[:9])[0],
                                           theirs.kneighbors(None if queries is None else data[:9])[0], atol=1e-12)

    def test_functions(self):
        """A function of two rows is as the metric that it computes."""
        def city(a, b):
            return np.abs(a - b).sum()

        for method, part in ((glshape.linkage, "merges"), (glshape.hdbscan, "labels"), (glshape.knn, "distance")):
            a, b = (getattr(method(X, metric=metric), part) for metric in (city, "manhattan"))
            np.testing.assert_allclose(a, b, atol=1e-12)
        a, b = (glshape.rips(X[:50], metric=metric).diagrams[1] for metric in (city, "manhattan"))
        np.testing.assert_allclose(a, b, rtol=1e-6)
        labels = [ours.HDBSCAN(metric=metric).fit(X).labels_ for metric in (city, "manhattan")]
        np.testing.assert_array_equal(*labels)
        self.assertEqual(glshape.mds(X[:40], metric=city, seed=1).layout.shape, (40, 2))
        with self.assertRaisesRegex(ValueError, "dense rows"):
            glshape.knn(sparse.eye(5, format="csr"), 1, metric="hamming")

    def test_a_function_that_fails(self):
        def broken(a, b):
            raise KeyError("mine")

        self.assertRaisesRegex(KeyError, "mine", glshape.linkage, X, metric=broken)

    def test_medoid_on_a_sphere(self):
        from glshape import _source

        x = np.random.default_rng(0).uniform(-1, 1, (30, 2))
        want = sklearn.metrics.pairwise.haversine_distances(x)
        np.testing.assert_allclose(_source.pairwise(x, "haversine")(0, 30), want, atol=1e-12)


class Scipy(unittest.TestCase):
    def test_linkage(self):
        theirs = linkage(X, "single")
        for tree in (glshape.linkage(X, "single"), glshape.linkage(pdist(X), method="single")):
            np.testing.assert_allclose(np.asarray(tree), theirs)
            np.testing.assert_array_equal(fcluster(tree, 0.12, "distance"), fcluster(theirs, 0.12, "distance"))
            np.testing.assert_allclose(cophenet(tree), cophenet(theirs))
            np.testing.assert_array_equal(leaves_list(tree), leaves_list(theirs))
        self.assertRaisesRegex(ValueError, "method is 'ward'", glshape.linkage, X, "ward")

    def test_ties(self):
        """The order of equal merges differs from scipy's; heights, and clusters at a distance, do not."""
        x = np.array([2, 8, 0, 4, 1, 9, 9, 0.0])[:, None]  # the example of scipy's documentation
        tree, theirs = glshape.linkage(x, "single"), linkage(x, "single")
        np.testing.assert_array_equal(tree.merges[:, 2], theirs[:, 2])
        for at in (0, 1, 1.5, 2, 3, 4):
            a, b = fcluster(tree, at, "distance"), fcluster(theirs, at, "distance")
            self.assertEqual(len(set(zip(a, b))), len(set(b)))
        np.testing.assert_array_equal(glshape.delaunay(X[:, :2]).simplices, glshape.delaunay(X[:, :2]).triangles)


class Bar:
    """What glshape uses of tqdm's bars."""

    made = []

    def __init__(self, total=None, **more):
        self.total, self.n, self.open = total, 0, True
        Bar.made.append(self)

    def update(self, more):
        self.n += more

    def close(self):
        self.open = False


class Progress(unittest.TestCase):
    def test_bars(self):
        """Bars count to 100 %. What the call makes it closes, also if it fails."""
        Bar.made.clear()
        given = Bar()
        glshape.rips(X[:60], progress=given)
        glshape.rips(X[:60], progress=Bar)
        glshape.rips_batch([X[:20]] * 5, progress=Bar)
        self.assertEqual([(bar.total, round(bar.n, 6), bar.open) for bar in Bar.made],
                         [(100, 100, True), (100, 100, False), (100, 100, False)])
        self.assertRaises(ValueError, glshape.linkage, np.full((3, 2), np.nan), progress=Bar)
        self.assertFalse(Bar.made[-1].open)

    def test_true(self):
        with contextlib.redirect_stderr(io.StringIO()) as out:
            glshape.rips(X[:60], progress=True)
        self.assertIn("100", out.getvalue())


class Results(unittest.TestCase):
    def test_fields_are_documented(self):
        for name in glshape.__all__:
            thing = getattr(glshape, name)
            if name.endswith("Result") or name in ("AlphaShape", "AlphaOutline", "Cocycle"):
                for field in thing.__dataclass_fields__:
                    if field[0] != "_" and field not in ("seconds", "facts", "gpu_bytes"):
                        self.assertIn(f"\n    {field} : ", inspect.getdoc(thing).replace("\n", "\n    "), name)
        self.assertIn("as scipy's linkage matrix", glshape.HdbscanResult.__doc__)

    def test_short(self):
        for result in (glshape.alpha_shape(X[:, :2], 0.2), glshape.alpha(X[:, :2]).at(0.2), glshape.hdbscan(X),
                       glshape.rips(X[:40], cocycles=True).cocycles):
            self.assertLess(len(repr(result)), 1500)

    def test_contexts_are_pickled(self):
        with glshape.Context(when_needed=True, gpu_memory="300M") as context:
            model = pickle.loads(pickle.dumps(ours.HDBSCAN(context=context).fit(X)))
        self.assertEqual(model.context._options, {"device": None, "gpu_memory": "300M", "stage": "auto", "when_needed": True})
        np.testing.assert_array_equal(model.fit(X).labels_, ours.HDBSCAN().fit(X).labels_)
        model.context.close()


if __name__ == "__main__":
    unittest.main()
