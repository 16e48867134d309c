"""HDBSCAN as programs know it: the keywords of scikit-learn and of the package hdbscan, its trees and functions, beside what
that package says (golden/make_hdbscan.py)."""
import inspect
import pickle
import unittest
from pathlib import Path

import glshape
import glshape.sklearn
import numpy as np
from glshape.compat import hdbscan
from sklearn.metrics import adjusted_rand_score

try:
    import matplotlib
    matplotlib.use("agg")
except ImportError:
    matplotlib = None
try:
    import networkx
    import pandas
except ImportError:
    networkx = pandas = None

GOLDEN = np.load(Path(__file__).parent / "golden" / "hdbscan.npz")
SETS = sorted({name.split("/")[0] for name in GOLDEN.files})
# The constructors of the originals, with their defaults.
THEIRS = {  # hdbscan 0.8.43
    "min_cluster_size": 5, "min_samples": None, "cluster_selection_epsilon": 0.0, "cluster_selection_persistence": 0.0,
    "max_cluster_size": 0, "metric": "euclidean", "alpha": 1.0, "p": None, "algorithm": "best", "leaf_size": 40,
    "memory": None, "approx_min_span_tree": True, "gen_min_span_tree": False, "core_dist_n_jobs": 4,
    "cluster_selection_method": "eom", "allow_single_cluster": False, "prediction_data": False,
    "branch_detection_data": False, "match_reference_implementation": False, "cluster_selection_epsilon_max": np.inf}
OF_SCIKIT_LEARN = {  # 1.3 to 1.8
    "min_cluster_size": 5, "min_samples": None, "cluster_selection_epsilon": 0.0, "max_cluster_size": None,
    "metric": "euclidean", "metric_params": None, "alpha": 1.0, "algorithm": "auto", "leaf_size": 40, "n_jobs": None,
    "cluster_selection_method": "eom", "allow_single_cluster": False, "store_centers": None, "copy": False}


def of(name):
    return {key[len(name) + 1:]: GOLDEN[key] for key in GOLDEN.files if key.startswith(f"{name}/")}


def model_of(name):
    return hdbscan.HDBSCAN(12, 5, prediction_data=True, gen_min_span_tree=True).fit(GOLDEN[f"{name}/x"])


def their_numbers(labels, theirs):
    """Their number of each of our clusters; both partitions are the same."""
    pairs = sorted(set(zip(labels.tolist(), theirs.tolist())) - {(-1, -1)})
    assert [ours for ours, _ in pairs] == list(range(len(pairs)))
    return [other for _, other in pairs]


class Package(unittest.TestCase):
    def test_same(self):
        for name in SETS:
            golden, model = of(name), model_of(name)
            with self.subTest(name):
                order = their_numbers(model.labels_, golden["labels"])
                np.testing.assert_allclose(model.single_linkage_tree_[:, 2], golden["heights"], rtol=1e-12)
                np.testing.assert_allclose(model.cluster_persistence_, golden["persistence"][order], atol=1e-9)
                self.assertAlmostEqual(model.relative_validity_, float(golden["relative_validity"]), places=9)
                close = np.abs(model.probabilities_ - golden["probabilities"]) < 1e-9
                self.assertGreater(close.mean(), 0.99)  # which of two equal edges comes first is no property of points
                for center in ("centroid", "medoid"):
                    ours = getattr(model, f"weighted_cluster_{center}")(order.index(0))
                    np.testing.assert_allclose(ours, golden[center], atol=1e-6)

    def test_memberships(self):
        for name in SETS:
            golden, model = of(name), model_of(name)
            with self.subTest(name):
                order = their_numbers(model.labels_, golden["labels"])
                ours, theirs = hdbscan.all_points_membership_vectors(model), golden["membership"][:, order]
                # hdbscan adds 1e-8 to each lambda. Where edges are equal, their order says which points are exemplars.
                difference = np.abs(ours - theirs).max(axis=1)
                self.assertGreater((difference < 1e-7).mean(), 0.9)
                self.assertLess(difference.mean(), 0.005)
                np.testing.assert_array_equal(ours.argmax(axis=1)[difference < 1e-7], theirs.argmax(axis=1)[difference < 1e-7])
                top = model._result.membership(top=2)
                np.testing.assert_array_equal(np.sort(ours)[:, ::-1][:, :2], top.strength)
                np.testing.assert_allclose(ours.sum(axis=1) + top.noise, 1)

    def test_validity(self):
        for name in SETS:
            golden = of(name)
            index, each = hdbscan.validity_index(golden["x"], golden["labels"], per_cluster_scores=True)
            self.assertAlmostEqual(index, float(golden["index"]), places=9)
            np.testing.assert_allclose(each, golden["indices"], atol=1e-9)
            raw = hdbscan.validity_index(golden["x"], golden["labels"], mst_raw_dist=True)
            self.assertAlmostEqual(raw, float(golden["raw_index"]), places=9)
            d = np.linalg.norm(golden["x"][:, None] - golden["x"], axis=-1)
            given = hdbscan.validity_index(d, golden["labels"], metric="precomputed", d=golden["x"].shape[1])
            self.assertAlmostEqual(given, index, places=9)
        self.assertTrue(np.isnan(hdbscan.validity_index(golden["x"], np.zeros(len(golden["x"]), int))))
        for words, wrong in {"whole numbers": np.zeros(len(golden["x"])), "below": np.full(len(golden["x"]), 10**6)}.items():
            self.assertRaisesRegex(ValueError, words, glshape.validity_index, golden["x"], wrong)

    def test_new_points(self):
        """A new point at a point's place belongs where that does; far away it belongs to all less."""
        model, x = model_of("blobs"), GOLDEN["blobs/x"]
        labels, probabilities, at = hdbscan.approximate_predict(model, x, return_connecting_points=True)
        self.assertGreater((labels == model.labels_).mean(), 0.97)
        inside = model.labels_ >= 0
        np.testing.assert_array_equal(model.labels_[at[inside]], model.labels_[inside])
        vectors = hdbscan.membership_vector(model, np.concatenate([x, x[:1] + 1e6]))
        self.assertGreater((vectors[:-1].argmax(axis=1) == model.labels_)[inside].mean(), 0.99)
        self.assertLess(vectors[-1].sum(), 0.3)
        self.assertEqual(vectors.shape, (len(x) + 1, model.labels_.max() + 1))

    def test_min_samples(self):
        """The package does not count the point itself, scikit-learn does."""
        x = GOLDEN["moons/x"]
        for given, counted in ((5, 6), (None, 13), (10**6, len(x))):
            ours = hdbscan.HDBSCAN(12, given).fit(x)
            np.testing.assert_array_equal(ours.labels_, glshape.sklearn.HDBSCAN(12, counted).fit(x).labels_)
        self.assertRaisesRegex(ValueError, "min_samples is 0", hdbscan.HDBSCAN(5, 0).fit, x)

    def test_function(self):
        golden = of("iris")
        labels, probabilities, persistence, condensed, single, spanning = hdbscan.hdbscan(golden["x"], 12, 5)
        model = model_of("iris")
        for ours, other in ((labels, model.labels_), (probabilities, model.probabilities_), (single, model.single_linkage_tree_),
                            (persistence, model.cluster_persistence_), (condensed, model.condensed_tree_),
                            (spanning, model.minimum_spanning_tree_)):
            np.testing.assert_array_equal(ours, np.asarray(other))

    def test_no_clusters(self):
        model = hdbscan.HDBSCAN(20).fit(np.random.default_rng(0).random((30, 2)))
        np.testing.assert_array_equal(hdbscan.all_points_membership_vectors(model), np.zeros(30))
        self.assertEqual(hdbscan.membership_vector(model, [[0.0, 0]]).shape, (1, 0))


class Keywords(unittest.TestCase):
    def test_every_keyword(self):
        x = GOLDEN["iris/x"]
        plain = hdbscan.HDBSCAN().fit(x).labels_
        names = list(inspect.signature(hdbscan.HDBSCAN).parameters)
        self.assertEqual(names[:len(THEIRS)], list(THEIRS))  # in their order
        np.testing.assert_array_equal(hdbscan.HDBSCAN(**THEIRS).fit(x).labels_, plain)
        silent = {"algorithm": "boruvka_kdtree", "leaf_size": 7, "memory": "folder", "approx_min_span_tree": False,
                  "gen_min_span_tree": True, "core_dist_n_jobs": -1, "prediction_data": True}
        np.testing.assert_array_equal(hdbscan.HDBSCAN(**silent).fit(x).labels_, plain)
        same = glshape.sklearn.HDBSCAN(**OF_SCIKIT_LEARN).fit(x).labels_
        for keywords in ({"algorithm": "ball_tree", "n_jobs": -1, "leaf_size": 3, "copy": True}, silent,
                         {"metric": "minkowski", "metric_params": {"p": 2}}, {"metric": "minkowski", "p": 2}):
            np.testing.assert_array_equal(glshape.sklearn.HDBSCAN(**keywords).fit(x).labels_, same)

    def test_refusals_name_the_keyword(self):
        x = GOLDEN["iris/x"]
        for kind, keywords in ((hdbscan.HDBSCAN, {"branch_detection_data": True}),
                               (hdbscan.HDBSCAN, {"match_reference_implementation": True}),
                               (hdbscan.HDBSCAN, {"cluster_selection_method": "EOM"}),
                               (glshape.sklearn.HDBSCAN, {"store_centers": "mean"}),
                               (glshape.sklearn.HDBSCAN, {"metric_params": {"V": 1}})):
            (name, value), = keywords.items()
            self.assertRaisesRegex(ValueError, f"{name}.*{list(value)[0] if isinstance(value, dict) else value}",
                                   kind(**keywords).fit, x)

    def test_centers(self):
        x = GOLDEN["moons/x"]
        model = glshape.sklearn.HDBSCAN(12, store_centers="both").fit(x)
        self.assertEqual(model.centroids_.shape, (model.labels_.max() + 1, 2))
        for c, (centroid, medoid) in enumerate(zip(model.centroids_, model.medoids_)):
            own, weights = x[model.labels_ == c], model.probabilities_[model.labels_ == c]
            np.testing.assert_allclose(centroid, (own * weights[:, None]).sum(axis=0) / weights.sum())
            sums = (np.linalg.norm(own[:, None] - own, axis=-1) * weights).sum(axis=1)
            np.testing.assert_array_equal(medoid, own[sums.argmin()])
        self.assertFalse(hasattr(glshape.sklearn.HDBSCAN(12).fit(x), "centroids_"))


class NoPoints(unittest.TestCase):
    """Rows with NaN and infinity."""

    def setUp(self):
        self.x, self.bad = GOLDEN["blobs/x"].copy(), np.zeros(500, bool)
        self.x[3, 0], self.x[77, 4], self.x[77, 5], self.x[200, 1] = np.nan, np.inf, np.nan, -np.inf
        self.bad[[3, 77, 200]] = True

    def test_labels(self):
        rest = hdbscan.HDBSCAN(12, 5).fit(self.x[~self.bad])
        model, other = hdbscan.HDBSCAN(12, 5).fit(self.x), glshape.sklearn.HDBSCAN(12, 6).fit(self.x)
        np.testing.assert_array_equal(model.labels_[~self.bad], rest.labels_)
        np.testing.assert_array_equal(model.labels_[self.bad], [-1, -1, -1])
        np.testing.assert_array_equal(model.probabilities_[self.bad], [0, 0, 0])
        np.testing.assert_array_equal(other.labels_[self.bad], [-3, -3, -2])  # as scikit-learn's
        np.testing.assert_array_equal(other.probabilities_[self.bad], [np.nan, np.nan, 0])
        np.testing.assert_array_equal(other.dbscan_clustering(5.0)[self.bad], [-3, -3, -2])
        self.assertTrue((hdbscan.all_points_membership_vectors(model)[self.bad] == 0).all())
        self.assertRaisesRegex(ValueError, "1 of 2 rows", model.fit, [[0.0], [np.nan]])

    def test_trees(self):
        model = hdbscan.HDBSCAN(12, 5).fit(self.x)
        tree, single = model.condensed_tree_, model.single_linkage_tree_
        leaves = tree["child"] < 500
        np.testing.assert_array_equal(np.sort(tree["child"][leaves]), np.arange(500))
        self.assertEqual(tree["parent"].min(), 500)
        self.assertTrue((tree["lambda_val"][np.isin(tree["child"], np.flatnonzero(self.bad))] == 0).all())
        self.assertEqual((single.shape, single[-1, 3]), ((499, 4), 500))
        np.testing.assert_array_equal(np.sort(single[:, :2].ravel()), np.arange(998))
        np.testing.assert_array_equal(np.isinf(single[-4:, 2]), [False, True, True, True])
        ends = model.minimum_spanning_tree_[:, :2].astype(int)
        self.assertFalse(self.bad[ends].any())
        d = np.linalg.norm(self.x[ends[:, 0]] - self.x[ends[:, 1]], axis=1)
        self.assertTrue((d <= model.minimum_spanning_tree_[:, 2] * (1 + 1e-12)).all())
        for c, of_cluster in enumerate(model.exemplar_indices_):
            np.testing.assert_array_equal(model.labels_[of_cluster], np.full(len(of_cluster), c))


class Trees(unittest.TestCase):
    def test_clusters_at_a_distance(self):
        for name in SETS:
            model, golden = model_of(name), of(name)
            at = float(golden["at"])  # between two heights
            ours = model.single_linkage_tree_.get_clusters(at, 5)
            their_numbers(ours, golden["cut"])
            np.testing.assert_array_equal(ours, model.dbscan_clustering(at, 5))

    def test_pickle(self):
        model = pickle.loads(pickle.dumps(model_of("iris")))
        self.assertEqual(len(model.condensed_tree_), len(model_of("iris").condensed_tree_))
        self.assertIn("parent, child", repr(model.condensed_tree_))

    @unittest.skipIf(pandas is None, "pandas or networkx is not installed")
    def test_tables_and_graphs(self):
        model = model_of("iris")
        frame = model.condensed_tree_.to_pandas()
        self.assertEqual(list(frame.columns), ["parent", "child", "lambda_val", "child_size"])
        graph = model.condensed_tree_.to_networkx()
        self.assertTrue(networkx.is_arborescence(graph))
        self.assertEqual(graph.nodes[0]["size"], 1)
        frame = model.single_linkage_tree_.to_pandas()
        self.assertEqual(list(frame.columns), ["parent", "left_child", "right_child", "distance", "size"])
        self.assertEqual((frame["parent"].iloc[0], frame["parent"].iloc[-1]), (150, 298))
        self.assertTrue(networkx.is_arborescence(model.single_linkage_tree_.to_networkx()))
        frame = model.minimum_spanning_tree_.to_pandas()
        self.assertEqual((list(frame.columns), len(frame)), (["from", "to", "distance"], 149))
        graph = model.minimum_spanning_tree_.to_networkx()
        self.assertTrue(networkx.is_tree(graph))
        self.assertEqual(graph.nodes[7]["data"], tuple(GOLDEN["iris/x"][7]))

    @unittest.skipIf(matplotlib is None, "matplotlib is not installed")
    def test_pictures(self):
        import matplotlib.pyplot as pyplot

        model = model_of("moons")
        ax = model.condensed_tree_.plot(select_clusters=True, selection_palette=["red", "blue", "green"])
        self.assertEqual([text.get_text() for text in ax.texts], ["0", "1"])
        self.assertEqual(len(model.condensed_tree_.plot(pyplot.figure().gca(), select_clusters=False).texts), 0)
        self.assertTrue(model.single_linkage_tree_.plot(pyplot.figure().gca()))
        ax = model.minimum_spanning_tree_.plot(pyplot.figure().gca(), edge_cmap="viridis", node_size=8)
        self.assertEqual(len(ax.collections[0].get_segments()), 399)
        pyplot.close("all")
        of_distances = hdbscan.HDBSCAN(metric="precomputed").fit(1 - np.eye(9))
        self.assertRaisesRegex(ValueError, "has no points", of_distances.minimum_spanning_tree_.plot)


class Persistence(unittest.TestCase):
    """Splits that are undone, beside the package's own function (golden/make_persistence.py)."""

    def test_same(self):
        golden = np.load(Path(__file__).parent / "golden" / "persistence.npz")
        for name in sorted({key.split("/")[0] for key in golden.files}):
            for k, threshold in enumerate(golden[f"{name}/thresholds"]):
                for method in ("eom", "leaf"):
                    with self.subTest(name, threshold=threshold, method=method):
                        model = hdbscan.HDBSCAN(5, 3, cluster_selection_persistence=float(threshold),
                                                cluster_selection_method=method).fit(golden[f"{name}/x"])
                        theirs = golden[f"{name}/{k}/{method}"]
                        self.assertEqual(len(model._result.tree), golden[f"{name}/{k}/clusters"])
                        self.assertEqual(model.labels_.max(), theirs.max())
                        if threshold:  # at 0 the smallest clusters are of edges of equal length, which have no one order
                            np.testing.assert_allclose(np.sort(model.condensed_tree_["lambda_val"]),
                                                       golden[f"{name}/{k}/lambdas"], rtol=1e-6)  # theirs are single
                            self.assertGreater(adjusted_rand_score(theirs, model.labels_), 0.97)

    def test_what_is_left(self):
        """Both clusters of a split last; every point and cluster leaves once; the more has to last, the fewer are left."""
        random = np.random.default_rng(11)
        for turn in range(40):
            n = int(random.integers(2, 150))
            x = random.random((n, 2)) if turn % 2 else random.integers(0, 7, (n, 2)).astype(float)  # a lattice, and copies
            x *= 10.0 ** random.integers(-100, 100) if turn % 5 == 0 else 1
            before = glshape.hdbscan(x, 2 + turn % 4, min_samples=1 + turn % 2)
            count, lambdas = len(before.tree), before.condensed["lambda"]
            for share in (0, 1e-9, 0.1, 0.5, 2, 1e9):
                threshold = share * float(lambdas[np.isfinite(lambdas)].max(initial=0))
                r = glshape.hdbscan(x, 2 + turn % 4, min_samples=1 + turn % 2, persistence=min(threshold, 1e300))
                with self.subTest(turn=turn, share=share):
                    self.assertLessEqual(len(r.tree), count)
                    count = len(r.tree)
                    np.testing.assert_array_equal(np.sort(r.condensed["child"]),
                                                  np.delete(np.arange(n + count), n))
                    deepest = r.tree["death"].copy()
                    for c in range(count - 1, 0, -1):
                        up = r.tree["parent"][c] - n
                        deepest[up] = max(deepest[up], deepest[c])
                        self.assertLess(up, c)
                        self.assertGreaterEqual(deepest[c] - r.tree["birth"][c], threshold)
                    np.testing.assert_array_equal(np.bincount(r.tree["parent"][1:] - n, minlength=count) % 2, 0)
                    if not share:
                        np.testing.assert_array_equal(r.condensed, before.condensed)

    def test_all(self):
        """Nothing lasts so long: the root is left, whose points are in no cluster unless it may be one."""
        x = np.random.default_rng(0).random((100, 2))
        self.assertEqual(len(glshape.hdbscan(x, 5, persistence=1e9).tree), 1)
        self.assertEqual(glshape.hdbscan(x, 5, persistence=1e9, allow_single_cluster=True).clusters, 1)
        for wrong in (-1, np.nan, np.inf):
            with self.assertRaisesRegex(ValueError, "persistence is"):
                glshape.hdbscan(x, 5, persistence=wrong)


class Flat(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(3)
        centers = np.array([[0, 0], [0, 6], [30, 0], [30, 9], [80, 40]])
        self.of = np.repeat(np.arange(5), 40)
        self.x = centers[self.of] + rng.normal(size=(200, 2)) * 0.8

    def test_numbers(self):
        """Groups join from the nearest on."""
        base = hdbscan.HDBSCAN(10, 3).fit(self.x)
        self.assertEqual(base.labels_.max(), 4)
        for count, joined in ((5, self.of), (4, [0, 0, 1, 2, 3]), (3, [0, 0, 1, 1, 2]), (2, [0, 0, 0, 0, 1])):
            want = np.asarray(joined)[self.of] if count < 5 else self.of
            for model in (hdbscan.HDBSCAN_flat(self.x, count, min_cluster_size=10, min_samples=3),
                          hdbscan.HDBSCAN_flat(self.x, count, clusterer=base)):
                labels = model.labels_
                self.assertEqual(labels.max() + 1, count)
                np.testing.assert_array_equal(labels[labels >= 0], want[labels >= 0])
                self.assertGreater((labels >= 0).mean(), 0.8)
            vectors = hdbscan.all_points_membership_vectors_flat(base, n_clusters=count)
            np.testing.assert_array_equal(vectors, model._result.membership().strength)
            found, firm, data = hdbscan.approximate_predict_flat(base, self.x[::40], count, return_prediction_data=True)
            np.testing.assert_array_equal(found, want[::40])
            again = hdbscan.approximate_predict_flat(base, self.x[::40], prediction_data=data)
            np.testing.assert_array_equal(again[1], firm)
            self.assertEqual(hdbscan.membership_vector_flat(base, self.x[:3], n_clusters=count).shape, (3, count))
        self.assertEqual(base.cluster_selection_epsilon, 0)  # the clusterer stays as it was

    def test_more(self):
        """More than are stable are leaves; more than there are leaves are all leaves."""
        with self.assertWarnsRegex(UserWarning, "leaves of the tree"):
            model = hdbscan.HDBSCAN_flat(self.x, 6, min_cluster_size=5, min_samples=3)
        self.assertEqual((model.cluster_selection_method, model.labels_.max() + 1), ("leaf", 6))
        with self.assertWarnsRegex(UserWarning, "fewer than 150"):
            hdbscan.HDBSCAN_flat(self.x, 150, min_cluster_size=5, min_samples=3)
        for wrong in (0, 1.5):
            with self.assertRaisesRegex(ValueError, "n_clusters is"):
                hdbscan.HDBSCAN_flat(self.x, wrong, min_cluster_size=5)
        with self.assertWarnsRegex(UserWarning, "ignored"):
            hdbscan.HDBSCAN_flat(self.x, 2, 3.0, min_cluster_size=10)

    def test_distance(self):
        base = hdbscan.HDBSCAN(10, 3).fit(self.x)
        want = hdbscan.HDBSCAN(10, 3, cluster_selection_epsilon=12.0).fit(self.x)
        np.testing.assert_array_equal(hdbscan.HDBSCAN_flat(self.x, None, 12.0, clusterer=base).labels_, want.labels_)
        np.testing.assert_array_equal(hdbscan.approximate_predict_flat(base, self.x, cluster_selection_epsilon=12.0)[0],
                                      want.approximate_predict(self.x)[0])
        np.testing.assert_array_equal(hdbscan.all_points_membership_vectors_flat(base),
                                      hdbscan.all_points_membership_vectors(base))

    def test_branches(self):
        with self.assertRaisesRegex(NotImplementedError, "BranchDetector"):
            hdbscan.BranchDetector()


if __name__ == "__main__":
    unittest.main()
