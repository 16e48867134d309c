"""Estimators for scikit-learn: MDS, ClassicalMDS, SingleLinkage, HDBSCAN, NearestNeighbors, KNeighborsTransformer and
RadiusNeighborsTransformer. They take the keywords of scikit-learn's own, 1.3 to 1.8.

Transformers of lists of persistence diagrams: PersistenceImage, Landscape, Silhouette, BettiCurve and Entropy, which take the
keywords of GUDHI's, and SlicedWasserstein."""
from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6
    def validate_data(estimator, X, ensure_all_finite=True, **how):
        return estimator._validate_data(X, force_all_finite=ensure_all_finite, **how)

from . import _compare, _hdbscan, _knn, _linkage, _mds, _source, _vectors
from ._arrays import numbers
from ._context import count
from ._trees import CondensedTree, MinimumSpanningTree, SingleLinkageTree

__all__ = ["BettiCurve", "ClassicalMDS", "Entropy", "HDBSCAN", "KNeighborsTransformer", "Landscape", "MDS",
           "NearestNeighbors", "PersistenceImage", "RadiusNeighborsTransformer", "Silhouette", "SingleLinkage",
           "SlicedWasserstein"]


def _validated(estimator, X, **how):
    """What scikit-learn checks of X, of a type that has all its digits."""
    out = validate_data(estimator, X, dtype="numeric", **how)
    return out if sparse.issparse(out) else numbers(X if _may_be_rounded(out) else out, "X")


def _may_be_rounded(array):
    """Whether scikit-learn may have made float64 of whole numbers that this does not hold."""
    return array.dtype == np.float64 and bool((np.abs(array) >= 2.0**53).any())


def _is_precomputed(metric):
    return isinstance(metric, str) and metric == "precomputed"


class _Pairwise(BaseEstimator):
    """An estimator whose metric may be "precomputed"."""

    def _distances(self):
        """What `metric` of a function of glshape is."""
        return self.metric

    def _check(self, X, least=1, finite=True):
        X = _validated(self, X, accept_sparse="csr", ensure_min_samples=least, ensure_all_finite=finite)
        if _is_precomputed(self._distances()) and X.shape[0] != X.shape[1]:
            raise ValueError(f"metric='precomputed' takes a square matrix of distances, not {X.shape[0]} × {X.shape[1]}")
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = _is_precomputed(self._distances())
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"pairwise": _is_precomputed(self._distances())}


class _Layout(_Pairwise):
    """A layout that new rows can be placed in."""

    def transform(self, X):
        """The places of new rows in the layout, which stays as it is. Precomputed: their distances to all points of it."""
        check_is_fitted(self)
        return self._result.transform(_validated(self, X, accept_sparse="csr", reset=False), context=self.context)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # layouts are float32
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {**super()._more_tags(), "preserves_dtype": []}


class MDS(_Layout):
    """Multidimensional scaling.

    Parameters
    ----------
    n_components : int
    metric : {"euclidean", "manhattan", "cosine", "correlation", "precomputed"} or bool
        True and False, as before scikit-learn 1.8, stand for `metric_mds`; then `dissimilarity` says which distances.
    metric_mds : bool
        False: non-metric scaling, the method "ordinal".
    n_init : int or None
        The attempts of :func:`glshape.mds`.
    dissimilarity : {"euclidean", "precomputed"}
        Where `metric` is True or False.
    random_state : int, RandomState or None
    init : {"random", "classical_mds"} or None
        Where the layout begins.
    context : glshape.Context or None
    max_iter, eps, verbose, n_jobs
        Taken, and change nothing: the method has its own end, and runs in parallel.
    normalized_stress : {"auto", True, False}
        Changes nothing: `stress_` is always divided by the distances.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    stress_ : float
        Σ(d-δ)² / Σδ² over all pairs; non-metric: stress-1, √(Σ(d-d̂)² / Σd²).
    n_iter_ : int

    Examples
    --------
    >>> from glshape.sklearn import MDS
    >>> MDS(random_state=0).fit_transform([[0.0, 0], [0, 1], [1, 1]]).shape
    (3, 2)
    """

    def __init__(self, n_components=2, *, metric="euclidean", metric_mds=True, n_init=None, init=None, max_iter=300,
                 verbose=0, eps=1e-6, n_jobs=None, random_state=None, dissimilarity="euclidean", metric_params=None,
                 normalized_stress="auto", context=None):
        self.n_components = n_components
        self.metric = metric
        self.metric_mds = metric_mds
        self.dissimilarity = dissimilarity
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress
        self.random_state = random_state
        self.context = context

    def _distances(self):
        return self.dissimilarity if isinstance(self.metric, bool) else self.metric

    def fit(self, X, y=None):
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        X = self._check(X, least=2)
        _refuse(init=(self.init, (None, "random", "classical_mds")))
        p = _only_p(self._distances(), self.metric_params, None)
        ordinal = not (self.metric if isinstance(self.metric, bool) else self.metric_mds)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        result = _mds.mds(X, self.n_components, metric=self._distances(), p=p, seed=seed,
                          attempts=self.n_init, start="classical" if self.init == "classical_mds" else None,
                          method="ordinal" if ordinal else "glimmer", context=self.context)
        self._result = result
        self.embedding_ = result.layout
        self.stress_ = result.stress
        self.n_iter_ = result.iterations
        return self.embedding_


class ClassicalMDS(_Layout):
    """Classical scaling, also called principal coordinates analysis (PCoA).

    The sign of each column is that which makes its entry of largest magnitude positive.

    Parameters
    ----------
    n_components : int
    metric : {"euclidean", "manhattan", "cosine", "correlation", "precomputed"}
    context : glshape.Context or None

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        The largest first.
    explained_ratio_ : ndarray of shape (n_components,)
        What each eigenvalue is of the sum of all.

    Examples
    --------
    >>> from glshape.sklearn import ClassicalMDS
    >>> ClassicalMDS(n_components=1).fit([[0.0], [1], [5]]).eigenvalues_.round(6).tolist()
    [14.0]
    """

    def __init__(self, n_components=2, *, metric="euclidean", context=None):
        self.n_components = n_components
        self.metric = metric
        self.context = context

    def fit(self, X, y=None):
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        X = self._check(X, least=2)
        result = _mds.mds(X, self.n_components, metric=self.metric, method="classical", context=self.context)
        self._result = result
        self.embedding_ = result.layout
        self.eigenvalues_ = result.eigenvalues
        self.explained_ratio_ = result.eigenvalues / (result.trace or 1)
        return self.embedding_


class SingleLinkage(ClusterMixin, _Pairwise):
    """Single-linkage clustering, exactly.

    Parameters
    ----------
    n_clusters : int or None
        At most so many clusters; None with a `distance_threshold`.
    metric : {"euclidean", "manhattan", "cosine", "correlation", "precomputed"}
    connectivity : sparse matrix, callable or None
        Of a matrix that is not symmetric both sides count. A function makes one of X.
    linkage : {"single"}
    distance_threshold : float or None
        The distance at and above which clusters are not merged. It is rounded to the type of float32 distances that
        are given.
    context : glshape.Context or None
    memory, compute_full_tree, compute_distances
        Taken, and change nothing: the whole tree and its distances are always there.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    children_ : ndarray of shape (n_samples - 1, 2)
        The two clusters of each merge, as in scikit-learn's AgglomerativeClustering.
    distances_ : ndarray of shape (n_samples - 1,)
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        As scipy has it.
    n_clusters_ : int
    n_leaves_ : int
    n_connected_components_ : int

    Examples
    --------
    >>> from glshape.sklearn import SingleLinkage
    >>> SingleLinkage(n_clusters=2).fit_predict([[0.0], [1], [5], [6]])
    array([0, 0, 1, 1])
    """

    def __init__(self, n_clusters=2, *, metric="euclidean", memory=None, connectivity=None, compute_full_tree="auto",
                 linkage="single", distance_threshold=None, compute_distances=True, context=None):
        self.n_clusters = n_clusters
        self.memory = memory
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.compute_distances = compute_distances
        self.metric = metric
        self.connectivity = connectivity
        self.distance_threshold = distance_threshold
        self.context = context

    def fit(self, X, y=None):
        _refuse(linkage=(self.linkage, ("single",)))
        X = self._check(X, least=2)
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("exactly one of n_clusters and distance_threshold is given; the other is None")
        result = _linkage.linkage(X, metric=self.metric, connectivity=self._joins(X), context=self.context)
        self.labels_ = self._cut(result)
        self.linkage_matrix_ = result.merges
        self.children_ = result.merges[:, :2].astype(np.int64)
        self.distances_ = result.merges[:, 2]
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.n_leaves_ = X.shape[0]
        self.n_connected_components_ = result.components
        return self

    def _joins(self, X):
        """The connectivity, from both sides of the diagonal."""
        joins = self.connectivity(X) if callable(self.connectivity) else self.connectivity
        if joins is None:
            return None
        joins = sparse.csr_matrix(joins)
        joins.eliminate_zeros()
        return joins.maximum(joins.T) if joins.shape[0] == joins.shape[1] else joins

    def _cut(self, result):
        if self.n_clusters is not None:
            clusters, below = count(self.n_clusters, "n_clusters", 1), None
        elif self.distance_threshold == 0:
            return np.arange(len(result.merges) + 1)
        else:
            clusters, below = None, np.nextafter(_source.rounded(self.distance_threshold, result._precision), -np.inf)
        return _linkage.cut(result.merges, clusters, below, self.context)


class _Hdbscan(ClusterMixin, _Pairwise):
    """What the estimators of HDBSCAN have in common."""

    _infinite, _missing = (-2, 0.0), (-3, np.nan)  # label and probability of rows that are no points

    def _wanted(self, n):
        """The arguments of :func:`glshape.hdbscan` for n points."""
        if self.cluster_selection_method not in ("eom", "leaf"):
            raise ValueError(f"cluster_selection_method is {self.cluster_selection_method!r}; it is one of eom, leaf")
        return {"min_samples": self.min_samples, "selection": self.cluster_selection_method,
                "epsilon": self.cluster_selection_epsilon, "max_epsilon": self.cluster_selection_epsilon_max,
                "max_cluster_size": self.max_cluster_size or None, "allow_single_cluster": self.allow_single_cluster,
                "alpha": self.alpha, "metric": self.metric, "p": self._p(), "context": self.context}

    def _p(self):
        return self.p if self.metric == "minkowski" else None

    def fit(self, X, y=None):
        """Finds the clusters. Rows with NaN or infinity are in none."""
        precomputed = _is_precomputed(self.metric)
        X = self._check(X, least=2, finite=precomputed)
        infinite, missing = _no_points(X) if not precomputed else (np.zeros(X.shape[0], bool),) * 2
        rows = np.flatnonzero(~(infinite | missing))
        if len(rows) < 2:
            raise ValueError(f"X: {len(rows)} of {X.shape[0]} rows have no NaN and no infinity; clusters need 2 rows")
        points = X if len(rows) == X.shape[0] else X[rows]
        result = self._result = _hdbscan.hdbscan(points, self.min_cluster_size, spanning_tree=True,
                                                 **self._wanted(len(rows)))
        self._rows, self._no_points = rows, (infinite, missing)
        self.labels_ = self._of_all(result.labels, 0).astype(np.int64)
        self.probabilities_ = self._of_all(result.probabilities, 1)
        self.outlier_scores_ = np.full(X.shape[0], np.nan)
        self.outlier_scores_[rows] = result.outlier_scores
        self.exemplar_indices_ = [rows[of] for of in result.exemplars]
        if not precomputed:
            self.exemplars_ = [X[of] for of in self.exemplar_indices_]
        self.condensed_tree_ = CondensedTree(self._condensed(), result)
        self.single_linkage_tree_ = SingleLinkageTree(self._merges())
        self.minimum_spanning_tree_ = MinimumSpanningTree(
            np.column_stack([rows[result.edges], result.merges[:, 2]]), None if precomputed or sparse.issparse(X) else X)
        self.cluster_persistence_ = _persistence(result)
        return self

    def _of_all(self, values, part):
        """A number of every row, from those of the rows that are points."""
        out = np.empty(len(self._no_points[0]), values.dtype if values.dtype.kind == "i" else np.float64)
        for what, mark in zip(self._no_points, (self._infinite, self._missing)):
            out[what] = mark[part]
        out[self._rows] = values
        return out

    def _others(self):
        return np.flatnonzero(np.logical_or(*self._no_points))

    def _condensed(self):
        """hdbscan's table. Rows that are no points leave the root at lambda 0."""
        rows, n, others = self._result.condensed, len(self._rows), self._others()
        total = n + len(others)
        child = np.where(rows["child"] < n, self._rows[np.minimum(rows["child"], n - 1)], rows["child"] + total - n)
        table = np.empty(len(rows) + len(others), [("parent", np.int64), ("child", np.int64), ("lambda_val", np.float64),
                                                   ("child_size", np.int64)])
        table["parent"] = np.append(rows["parent"] + total - n, np.full(len(others), total))
        table["child"] = np.append(child, others)
        table["lambda_val"] = np.append(rows["lambda"], np.zeros(len(others)))
        table["child_size"] = np.append(rows["size"], np.ones(len(others), np.int64))
        return table

    def _merges(self):
        """The linkage matrix. Rows that are no points join last, at infinity."""
        merges, n, others = self._result.merges, len(self._rows), self._others()
        if not len(others):
            return merges
        total = n + len(others)
        ends = merges[:, :2].astype(np.int64)
        ends = np.where(ends < n, self._rows[np.minimum(ends, n - 1)], ends + total - n)
        last = np.arange(len(others))
        late = np.column_stack([others, total + n - 2 + last, np.full(len(others), np.inf), n + 1 + last])
        return np.concatenate([np.column_stack([ends, merges[:, 2:]]), late])

    @property
    def relative_validity_(self):
        """The index DBCV, with the spanning tree of the clustering in place of one for each cluster: from -1 to 1, to
        compare clusterings of the same points."""
        check_is_fitted(self)
        return _relative_validity(self._result)

    def dbscan_clustering(self, cut_distance, min_cluster_size=5):
        """The clusters of DBSCAN* at one distance: labels, -1 is noise."""
        check_is_fitted(self)
        return self._of_all(self._result.dbscan(cut_distance, min_cluster_size), 0).astype(np.int64)

    def approximate_predict(self, X):
        """The clusters that new points would be in, without changing the clusters: labels and probabilities."""
        check_is_fitted(self)
        labels, probabilities = self._result.predict(_validated(self, X, reset=False))
        return labels.astype(np.int64), probabilities

    def weighted_cluster_centroid(self, cluster_id):
        """The mean of the points of a cluster, weighted by their probabilities."""
        return self._center(cluster_id, lambda points, weights: np.average(points, weights=weights, axis=0))

    def weighted_cluster_medoid(self, cluster_id):
        """The point of a cluster with the least sum of distances to its points, weighted by their probabilities. It
        compares all pairs of points of the cluster."""
        def medoid(points, weights):
            return points[_medoid(points, weights, self.metric, self._p())]

        return self._center(cluster_id, medoid)

    def _center(self, cluster, center):
        check_is_fitted(self)
        of = np.flatnonzero(self.labels_ == cluster)
        if cluster < 0 or not len(of):
            raise ValueError(f"cluster_id is {cluster}; clusters are 0 to {self._result.clusters - 1}")
        return center(np.asarray(self._points_of(of), np.float64), self.probabilities_[of])

    def _points_of(self, of):
        """Rows of X, which the result keeps."""
        if _is_precomputed(self._result._metric):
            raise ValueError("the clusters are of distances, which have no rows of points")
        return self._result._points[np.searchsorted(self._rows, of)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not _is_precomputed(self.metric)
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {**super()._more_tags(), "allow_nan": not _is_precomputed(self.metric)}


def _no_points(X):
    """Which rows have infinity and no NaN, and which have NaN."""
    if sparse.issparse(X):
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.tocsr().indptr))
        infinite, missing = np.zeros(X.shape[0], bool), np.zeros(X.shape[0], bool)
        infinite[row[np.isinf(X.tocsr().data)]] = True
        missing[row[np.isnan(X.tocsr().data)]] = True
    elif X.dtype.kind == "f":
        infinite, missing = np.isinf(X).any(axis=1), np.isnan(X).any(axis=1)
    else:
        infinite, missing = np.zeros(len(X), bool), np.zeros(len(X), bool)
    return infinite & ~missing, missing


def _persistence(result):
    """Of each cluster: its stability, of what it would be if every point stayed to the end."""
    chosen = result.tree[result.tree["label"] >= 0]
    order = np.argsort(chosen["label"], kind="stable")
    stability, sizes = chosen["stability"][order], np.bincount(result.labels[result.labels >= 0], minlength=len(order))
    most = result.condensed["lambda"].max(initial=0)
    if not 0 < most < np.inf:
        return np.ones(len(order))
    return stability / (np.maximum(sizes, 1) * most)


def _relative_validity(result):
    """Of the spanning tree: how dense clusters are beside how far they are from others."""
    length = result.merges[:, 2]
    a, b = result.labels[result.edges].T
    clusters, longest = result.clusters, length.max()
    inside, outside = (a == b) & (a >= 0), (a != b) & (a >= 0) & (b >= 0)
    sparse_at, apart = np.zeros(clusters), np.full(clusters, np.inf)
    np.maximum.at(sparse_at, a[inside], length[inside])
    np.minimum.at(apart, a[outside], length[outside])
    np.minimum.at(apart, b[outside], length[outside])
    to_noise = length[(a < 0) != (b < 0)]
    far = longest if clusters > 1 else to_noise.min(initial=longest)
    apart[np.isinf(apart)] = 2 * far  # a cluster that only noise is beside
    with np.errstate(invalid="ignore"):
        index = (apart - sparse_at) / np.maximum(apart, sparse_at)
    sizes = np.bincount(result.labels[result.labels >= 0], minlength=clusters)
    return float((sizes * index).sum() / len(result.labels))


def _medoid(points, weights, metric, p):
    rows = _source.pairwise(points, metric, p)
    return int(np.argmin([(rows(i, 1)[0] * weights).sum() for i in range(len(points))]))


def _refuse(**given):
    """Refuses what glshape does not do by its own name. given: what it is, and what it has to be."""
    for name, (value, only) in given.items():
        if value not in only:
            raise ValueError(f"{name} is {value!r}; glshape has only {' and '.join(map(repr, only))}")


class HDBSCAN(_Hdbscan):
    """Clusters of varying density, and noise. Names and defaults are those of scikit-learn's HDBSCAN. It takes the
    keywords of the package hdbscan, too. That package does not count the point itself in `min_samples`:
    :class:`glshape.compat.hdbscan.HDBSCAN` has its defaults and its count.

    Parameters
    ----------
    min_cluster_size : int
    min_samples : int or None
        The core distance of a point reaches so many points, itself counted as scikit-learn does; None:
        `min_cluster_size`.
    cluster_selection_epsilon : float
        Clusters that split at a distance below this are one.
    cluster_selection_epsilon_max : float
        "eom" chooses no cluster that forms at a distance above this.
    max_cluster_size : int or None
        Nor one that has more points.
    metric : str or callable
        "euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "haversine", "precomputed"; any
        other that :func:`glshape.hdbscan` takes.
    metric_params : dict or None
        {"p": p} of "minkowski".
    p : float or None
        The same.
    alpha : float
    cluster_selection_method : {"eom", "leaf"}
    allow_single_cluster : bool
    store_centers : {None, "centroid", "medoid", "both"}
        Which of `centroids_` and `medoids_` are made.
    context : glshape.Context or None
    algorithm, leaf_size, n_jobs, copy, memory, core_dist_n_jobs, approx_min_span_tree, gen_min_span_tree, prediction_data
        Taken, and change nothing: the tree is exact, found in parallel, and kept; X is not changed.
    cluster_selection_persistence, branch_detection_data, match_reference_implementation
        Only their defaults.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        From 0 in order of first appearance; -1 is noise. As in scikit-learn, -2: the row has infinity, -3: it has NaN.
    probabilities_ : ndarray of shape (n_samples,)
    outlier_scores_ : ndarray of shape (n_samples,)
    condensed_tree_ : CondensedTree
        parent, child, lambda_val, child_size; has ``plot``, ``to_numpy``, ``to_pandas``, ``to_networkx``.
    single_linkage_tree_ : SingleLinkageTree
        As scipy's matrix; also ``get_clusters(cut_distance, min_cluster_size)``.
    minimum_spanning_tree_ : MinimumSpanningTree
        Two points and their mutual reachability.
    cluster_persistence_ : ndarray of shape (n_clusters,)
        The stability of each cluster, of the greatest that its points could have.
    relative_validity_ : float
    exemplar_indices_ : list of ndarray
        The samples in the densest parts of each cluster.
    exemplars_ : list of ndarray
        Their rows; not with distances.
    centroids_, medoids_ : ndarray of shape (n_clusters, n_features)
        If `store_centers` says so.

    Examples
    --------
    >>> from glshape.sklearn import HDBSCAN
    >>> HDBSCAN(min_cluster_size=2).fit_predict([[0.0], [1], [2], [20], [22], [24], [99]])
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    def __init__(self, min_cluster_size=5, min_samples=None, *, cluster_selection_epsilon=0.0,
                 cluster_selection_epsilon_max=np.inf, max_cluster_size=None, metric="euclidean", metric_params=None,
                 p=None, alpha=1.0, algorithm="auto", leaf_size=40, n_jobs=None, cluster_selection_method="eom",
                 allow_single_cluster=False, store_centers=None, copy=False, memory=None, core_dist_n_jobs=None,
                 approx_min_span_tree=False, gen_min_span_tree=True, prediction_data=True,
                 cluster_selection_persistence=0.0, branch_detection_data=False, match_reference_implementation=False,
                 context=None):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.p = p
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy
        self.memory = memory
        self.core_dist_n_jobs = core_dist_n_jobs
        self.approx_min_span_tree = approx_min_span_tree
        self.gen_min_span_tree = gen_min_span_tree
        self.prediction_data = prediction_data
        self.cluster_selection_persistence = cluster_selection_persistence
        self.branch_detection_data = branch_detection_data
        self.match_reference_implementation = match_reference_implementation
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.context = context

    def _p(self):
        return _only_p(self.metric, self.metric_params, super()._p())

    def fit(self, X, y=None):
        """Finds the clusters. Rows with NaN or infinity are in none."""
        _refuse(store_centers=(self.store_centers, (None, "centroid", "medoid", "both")),
                cluster_selection_persistence=(self.cluster_selection_persistence, (0,)),
                branch_detection_data=(self.branch_detection_data, (False,)),
                match_reference_implementation=(self.match_reference_implementation, (False,)))
        super().fit(X)
        for kind, make in (("centroid", self.weighted_cluster_centroid), ("medoid", self.weighted_cluster_medoid)):
            if self.store_centers in (kind, "both"):
                centers = [make(c) for c in range(self._result.clusters)]
                setattr(self, f"{kind}s_", np.reshape(centers, (len(centers), self.n_features_in_)))
        return self


def _only_p(metric, params, p):
    """The p of metric_params, which may have nothing else."""
    for name, value in (params or {}).items():
        if name != "p" or metric != "minkowski":
            raise ValueError(f"metric_params: {name!r} is not taken with metric={metric!r}; glshape takes {{'p': …}} with "
                             "metric='minkowski'")
        p = value
    return p


class NearestNeighbors(_Pairwise):
    """The nearest neighbors among the fitted points, exactly.

    The methods take other points, or None for those of `fit`; then a point is not its own neighbor.

    Parameters
    ----------
    n_neighbors : int
    radius : float
    metric : {"euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "haversine", "precomputed"}
        Precomputed: `fit` takes the distances between all points, the methods those of others from them.
        Any other that :func:`glshape.knn` takes: "hamming", "jaccard", a function of two rows.
    p : float or None
        Of "minkowski"; else it changes nothing.
    metric_params : dict or None
        {"p": p} of "minkowski".
    context : glshape.Context or None
    algorithm, leaf_size, n_jobs
        Taken, and change nothing: the search is exact and parallel.

    Examples
    --------
    >>> from glshape.sklearn import NearestNeighbors
    >>> NearestNeighbors(n_neighbors=1).fit([[0.0], [1], [5]]).kneighbors(return_distance=False).ravel()
    array([1, 0, 1])
    """

    def __init__(self, n_neighbors=5, *, radius=1.0, algorithm="auto", leaf_size=30, metric="euclidean", p=None,
                 metric_params=None, n_jobs=None, context=None):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.context = context

    def fit(self, X, y=None):
        self._fit_X = self._check(X)
        self.n_samples_fit_ = self._fit_X.shape[0]
        return self

    def _knn(self, X, **wanted):
        check_is_fitted(self)
        queries = None if X is None else _validated(self, X, accept_sparse="csr", reset=False)
        return _knn.knn(self._fit_X, queries=queries, metric=self.metric, p=self._p(), context=self.context, **wanted)

    def _p(self):
        return _only_p(self.metric, self.metric_params, self.p if self.metric == "minkowski" else None)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The nearest of each point: their distances and indices, of shape (n_queries, n_neighbors)."""
        result = self._knn(X, n_neighbors=self.n_neighbors if n_neighbors is None else n_neighbors)
        return (result.distance, result.index) if return_distance else result.index

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        """All within the radius of each point, the nearest first: two arrays, of distances and of indices, that have
        an array for each point."""
        result = self._knn(X, radius=self.radius if radius is None else radius)
        index = _by_query(result.indptr, result.index)
        return (_by_query(result.indptr, result.distance), index) if return_distance else index

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """A sparse matrix of shape (n_queries, n_samples_fit) with an entry for each neighbor: 1, or its distance."""
        distance, index = self.kneighbors(X, n_neighbors)
        return self._graph(np.arange(len(index) + 1) * index.shape[1], index.ravel(), distance.ravel(), mode)

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """As `kneighbors_graph`, of the neighbors within the radius."""
        result = self._knn(X, radius=self.radius if radius is None else radius)
        return self._graph(result.indptr, result.index, result.distance, mode)

    def _graph(self, indptr, index, distance, mode):
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"mode is {mode!r}; it is 'connectivity' or 'distance'")
        values = distance if mode == "distance" else np.ones(len(index))
        return sparse.csr_matrix((values, index, indptr), shape=(len(indptr) - 1, self.n_samples_fit_))


class _Graph(TransformerMixin, NearestNeighbors):
    """Neighbors as a sparse matrix, for estimators with ``metric="precomputed"``. A point is its own first neighbor."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # distances are float64
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {**super()._more_tags(), "preserves_dtype": []}


class KNeighborsTransformer(_Graph):
    """The nearest neighbors as a sparse matrix, for Isomap, TSNE, SpectralClustering, UMAP and scanpy.

    Parameters
    ----------
    mode : {"distance", "connectivity"}
        "distance": the point itself and `n_neighbors` more, as scikit-learn has it. "connectivity": `n_neighbors` with it.
    n_neighbors : int
    metric, p, metric_params, algorithm, leaf_size, n_jobs, context
        As :class:`NearestNeighbors`.

    Examples
    --------
    >>> from glshape.sklearn import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1], [5]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 4., 0.]])
    """

    def __init__(self, *, mode="distance", n_neighbors=5, algorithm="auto", leaf_size=30, metric="euclidean", p=None,
                 metric_params=None, n_jobs=None, context=None):
        super().__init__(n_neighbors, algorithm=algorithm, leaf_size=leaf_size, metric=metric, p=p,
                         metric_params=metric_params, n_jobs=n_jobs, context=context)
        self.mode = mode

    def transform(self, X):
        """The neighbors of each row of X: a matrix of shape (n_queries, n_samples_fit)."""
        check_is_fitted(self)
        return self.kneighbors_graph(X, self.n_neighbors + (self.mode == "distance"), self.mode)

    def fit_transform(self, X, y=None):
        """The neighbors of each row of X among the rows of X."""
        return self.fit(X).transform(X)


class RadiusNeighborsTransformer(_Graph):
    """All neighbors within a radius as a sparse matrix, for DBSCAN and others.

    Parameters
    ----------
    mode : {"distance", "connectivity"}
    radius : float
    metric, p, metric_params, algorithm, leaf_size, n_jobs, context
        As :class:`NearestNeighbors`.

    Examples
    --------
    >>> from glshape.sklearn import RadiusNeighborsTransformer
    >>> RadiusNeighborsTransformer(radius=2).fit_transform([[0.0], [1], [5]]).nnz
    5
    """

    def __init__(self, *, mode="distance", radius=1.0, algorithm="auto", leaf_size=30, metric="euclidean", p=None,
                 metric_params=None, n_jobs=None, context=None):
        super().__init__(radius=radius, algorithm=algorithm, leaf_size=leaf_size, metric=metric, p=p,
                         metric_params=metric_params, n_jobs=n_jobs, context=context)
        self.mode = mode

    def transform(self, X):
        """The neighbors of each row of X: a matrix of shape (n_queries, n_samples_fit)."""
        check_is_fitted(self)
        return self.radius_neighbors_graph(X, mode=self.mode)

    def fit_transform(self, X, y=None):
        """The neighbors of each row of X among the rows of X."""
        return self.fit(X).transform(X)


def _by_query(indptr, values):
    """An array of arrays, one for each query."""
    out = np.empty(len(indptr) - 1, object)
    for q, (first, end) in enumerate(zip(indptr, indptr[1:])):
        out[q] = values[first:end]
    return out


# ---- persistence diagrams --------------------------------------------------------------------------------


class _Vectors(TransformerMixin, BaseEstimator):
    """Rows of numbers of diagrams: `fit` finds where they are sampled, `transform` samples."""

    def _options(self):
        """The arguments of :func:`glshape.vectors` that say what is sampled."""
        raise NotImplementedError

    def _places(self):
        """Those that say where."""
        return {"resolution": self.resolution, "range": self.sample_range, "keep_endpoints": self.keep_endpoints}

    def fit(self, X, y=None):
        """Finds the samples. X: a list of diagrams, each of shape (pairs, 2)."""
        found = _vectors.vectors(_listed(X), "betti", cut=self.cut, context=self.context, **self._places())
        self.grid_ = found.grid
        return self

    def transform(self, X):
        """A row of each diagram of a list: an array of shape (n_diagrams, n_features_out), float32."""
        check_is_fitted(self)
        return _vectors.vectors(_listed(X), grid=self.grid_, cut=self.cut, context=self.context, **self._options()).values

    def __call__(self, diagram):
        """The row of a single diagram, as GUDHI has it."""
        return self.fit_transform([diagram])[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # X is a list of arrays
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"X_types": ["list"], "preserves_dtype": [], "no_validation": True}


def _listed(X):
    """A list of diagrams: scikit-learn's tools pass lists and arrays of objects. A single diagram is refused."""
    X = list(X)
    for k, diagram in enumerate(X):
        if np.ndim(diagram) != 2 and np.size(diagram):
            raise ValueError(f"diagram {k + 1} has {np.ndim(diagram)} dimension{'s' * (np.ndim(diagram) != 1)}; X is a list of "
                             "diagrams, each of shape (pairs, 2)")
    return X


class PersistenceImage(_Vectors):
    """Persistence images: sums of Gaussians at (birth, lifetime), seen at a grid of points.

    Parameters
    ----------
    bandwidth : float
        The standard deviation of the Gaussians.
    weight : float or function
        A pair weighs its lifetime to this power: 0, all the same, as in GUDHI. Or a function of (birth, lifetime).
    resolution : (int, int) or int
        How many births and lifetimes.
    im_range : sequence of 4 numbers
        The first and last birth, the first and last lifetime; NaN: the least and greatest of the diagrams of `fit`.
    cut : float or None
        Where pairs end that never end. None: they are left out.
    context : glshape.Context or None

    Attributes
    ----------
    im_range_ : tuple of 4 floats

    Examples
    --------
    >>> from glshape.sklearn import PersistenceImage
    >>> PersistenceImage(resolution=[4, 3]).fit_transform([[[0, 1]], [[0, 2], [1, 3]]]).shape
    (2, 12)
    """

    def __init__(self, bandwidth=1.0, weight=0.0, resolution=(20, 20), im_range=(np.nan, np.nan, np.nan, np.nan), *, cut=None,
                 context=None):
        self.bandwidth = bandwidth
        self.weight = weight
        self.resolution = resolution
        self.im_range = im_range
        self.cut = cut
        self.context = context

    def _make(self, X, resolution, range, weight):
        return _vectors.vectors(_listed(X), "image", resolution=resolution, range=range, weight=weight,
                                bandwidth=self.bandwidth, cut=self.cut, context=self.context)

    def fit(self, X, y=None):
        """Finds the least and greatest births and lifetimes. X: a list of diagrams, each of shape (pairs, 2)."""
        self.im_range_ = self._make(X, 1, self.im_range, 0.0).range
        return self

    def transform(self, X):
        """An image of each diagram: rows of ascending lifetimes, one after the other; float32."""
        check_is_fitted(self)
        return self._make(X, self.resolution, self.im_range_, self.weight).values


class Landscape(_Vectors):
    """Persistence landscapes, one after the other.

    Parameters
    ----------
    num_landscapes : int
    resolution : int
        Samples of each.
    sample_range : (float, float)
        The first and the last sample; NaN: within the least and greatest values of the diagrams of `fit`.
    keep_endpoints : bool
        Those are samples, too.
    gudhi_scale : bool
        Multiplied by √2, as GUDHI's are. Bubenik's, and so these, are not.
    cut : float or None
        Where pairs end that never end. None: they are left out.
    context : glshape.Context or None

    Attributes
    ----------
    grid_ : ndarray of shape (resolution,)

    Examples
    --------
    >>> from glshape.sklearn import Landscape
    >>> Landscape(num_landscapes=1, resolution=3).fit_transform([[[0, 4], [1, 3]]])
    array([[1., 2., 1.]], dtype=float32)
    """

    def __init__(self, num_landscapes=5, resolution=100, sample_range=(np.nan, np.nan), *, keep_endpoints=False,
                 gudhi_scale=False, cut=None, context=None):
        self.num_landscapes = num_landscapes
        self.resolution = resolution
        self.sample_range = sample_range
        self.keep_endpoints = keep_endpoints
        self.gudhi_scale = gudhi_scale
        self.cut = cut
        self.context = context

    def _options(self):
        return {"kind": "landscape", "landscapes": self.num_landscapes, "gudhi_scale": self.gudhi_scale}


class Silhouette(_Vectors):
    """Persistence silhouettes: weighted means of the pairs' tents.

    Parameters
    ----------
    weight : float or function
        A pair weighs its lifetime to this power: 0, all the same, as in GUDHI. Or a function of (birth, death).
    resolution, sample_range, keep_endpoints, gudhi_scale, cut, context
        As :class:`Landscape`.

    Attributes
    ----------
    grid_ : ndarray of shape (resolution,)

    Examples
    --------
    >>> from glshape.sklearn import Silhouette
    >>> Silhouette(resolution=3).fit_transform([[[0, 4], [1, 3]]])
    array([[0.5, 1.5, 0.5]], dtype=float32)
    """

    def __init__(self, weight=0.0, resolution=100, sample_range=(np.nan, np.nan), *, keep_endpoints=False, gudhi_scale=False,
                 cut=None, context=None):
        self.weight = weight
        self.resolution = resolution
        self.sample_range = sample_range
        self.keep_endpoints = keep_endpoints
        self.gudhi_scale = gudhi_scale
        self.cut = cut
        self.context = context

    def _options(self):
        return {"kind": "silhouette", "weight": self.weight, "gudhi_scale": self.gudhi_scale}


class BettiCurve(_Vectors):
    """Betti curves: how many pairs cover a sample. Pairs that never end are among them.

    Parameters
    ----------
    resolution : int or None
        Samples. None: all births and deaths of the diagrams of `fit`, between which nothing changes.
    predefined_grid : array_like or None
        The samples.
    sample_range, keep_endpoints, cut, context
        As :class:`Landscape`.

    Attributes
    ----------
    grid_ : ndarray

    Examples
    --------
    >>> from glshape.sklearn import BettiCurve
    >>> BettiCurve(resolution=None).fit_transform([[[0, 4], [1, 3]]])
    array([[1., 2., 1., 0.]], dtype=float32)
    """

    def __init__(self, resolution=100, sample_range=(np.nan, np.nan), predefined_grid=None, *, keep_endpoints=False, cut=None,
                 context=None):
        self.resolution = resolution
        self.sample_range = sample_range
        self.predefined_grid = predefined_grid
        self.keep_endpoints = keep_endpoints
        self.cut = cut
        self.context = context

    def _places(self):
        return {} if self.resolution is None or self.predefined_grid is not None else super()._places()

    def fit(self, X, y=None):
        """Finds the samples. X: a list of diagrams, each of shape (pairs, 2)."""
        X = _listed(X)
        super().fit(X)
        if self.predefined_grid is not None:
            self.grid_ = np.array(self.predefined_grid, np.float64)
        elif self.resolution is None:
            ends = np.unique(np.concatenate([np.ravel(d) for d in X] + [np.ravel(self.cut if self.cut is not None else [])]))
            self.grid_ = ends[np.isfinite(ends)] if np.isfinite(ends).any() else np.zeros(1)
        return self

    def _options(self):
        return {"kind": "betti"}


class Entropy(_Vectors):
    """Persistent entropy.

    Parameters
    ----------
    mode : {"scalar", "vector"}
        A number, or a curve: the part of the pairs that cover a sample.
    normalized : bool
        Curves are divided by their sum.
    resolution, sample_range, keep_endpoints, cut, context
        As :class:`Landscape`; of curves.

    Attributes
    ----------
    grid_ : ndarray of shape (resolution,)

    Examples
    --------
    >>> from glshape.sklearn import Entropy
    >>> Entropy().fit_transform([[[0, 1], [0, 1]]])
    array([[0.6931472]], dtype=float32)
    """

    def __init__(self, mode="scalar", normalized=True, resolution=100, sample_range=(np.nan, np.nan), *, keep_endpoints=False,
                 cut=None, context=None):
        self.mode = mode
        self.normalized = normalized
        self.resolution = resolution
        self.sample_range = sample_range
        self.keep_endpoints = keep_endpoints
        self.cut = cut
        self.context = context

    def fit(self, X, y=None):
        _refuse(mode=(self.mode, ("scalar", "vector")))
        return super().fit(X)

    def transform(self, X):
        """A number, or a curve, of each diagram of a list; float32."""
        check_is_fitted(self)
        if self.mode == "vector":
            return super().transform(X)
        return _vectors.vectors(_listed(X), "entropy", cut=self.cut, context=self.context).values

    def _options(self):
        return {"kind": "entropy-curve", "normalized": self.normalized}


class SlicedWasserstein(TransformerMixin, BaseEstimator):
    """Sliced Wasserstein distances from the diagrams of `fit`, or their kernel: a matrix for metric="precomputed".

    Parameters
    ----------
    num_directions : int
    kernel : bool
        True: exp(-distance / (2 bandwidth²)), as in Carrière, Cuturi, Oudot, 2017.
    bandwidth : float
    context : glshape.Context or None

    Attributes
    ----------
    diagrams_ : list of ndarray

    Examples
    --------
    >>> from glshape.sklearn import SlicedWasserstein
    >>> SlicedWasserstein().fit([[[0, 1]], []]).transform([[[0, 1]]]).shape
    (1, 2)
    """

    def __init__(self, num_directions=50, *, kernel=False, bandwidth=1.0, context=None):
        self.num_directions = num_directions
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.context = context

    def fit(self, X, y=None):
        """Keeps the diagrams. X: a list of diagrams, each of shape (pairs, 2)."""
        if not self.bandwidth > 0:
            raise ValueError(f"bandwidth is {self.bandwidth}; it is above 0")
        self.diagrams_ = [np.array(d, np.float64).reshape(-1, 2) for d in _listed(X)]
        if not self.diagrams_:
            raise ValueError("X is empty; fit takes a diagram at least")
        return self

    def _compare(self, diagrams):
        distance = _compare.compare(diagrams, directions=self.num_directions, context=self.context).distance
        return np.exp(-distance / (2 * self.bandwidth**2)) if self.kernel else distance

    def transform(self, X):
        """The distances of other diagrams from those of `fit`: shape (n_diagrams, n_fitted), float32."""
        check_is_fitted(self)
        X = _listed(X)
        return self._compare(X + self.diagrams_)[:len(X), len(X):]

    def fit_transform(self, X, y=None):
        """The distances of the diagrams from one another."""
        return self._compare(self.fit(X).diagrams_)

    __sklearn_tags__, _more_tags = _Vectors.__sklearn_tags__, _Vectors._more_tags
