"""Estimators for scikit-learn: MDS, ClassicalMDS, SingleLinkage, HDBSCAN and NearestNeighbors."""
from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6
    def validate_data(estimator, X, **how):
        return estimator._validate_data(X, **how)

from . import _hdbscan, _knn, _linkage, _mds, _source
from ._arrays import numbers
from ._context import count

__all__ = ["ClassicalMDS", "HDBSCAN", "MDS", "NearestNeighbors", "SingleLinkage"]


def _validated(estimator, X, **how):
    """What scikit-learn checks of X, of a type that has all its digits."""
    out = validate_data(estimator, X, dtype="numeric", **how)
    return out if sparse.issparse(out) else numbers(X if _may_be_rounded(out) else out, "X")


def _may_be_rounded(array):
    """Whether scikit-learn may have made float64 of whole numbers that this does not hold."""
    return array.dtype == np.float64 and bool((np.abs(array) >= 2.0**53).any())


class _Pairwise(BaseEstimator):
    """An estimator whose metric may be "precomputed"."""

    def _distances(self):
        """What `metric` of a function of glshape is."""
        return self.metric

    def _check(self, X, least=1):
        X = _validated(self, X, accept_sparse="csr", ensure_min_samples=least)
        if self._distances() == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"metric='precomputed' takes a square matrix of distances, not {X.shape[0]} × {X.shape[1]}")
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._distances() == "precomputed"
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"pairwise": self._distances() == "precomputed"}


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
    context : glshape.Context or None

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

    def __init__(self, n_components=2, *, metric="euclidean", metric_mds=True, n_init=None, random_state=None,
                 dissimilarity="euclidean", context=None):
        self.n_components = n_components
        self.metric = metric
        self.metric_mds = metric_mds
        self.dissimilarity = dissimilarity
        self.n_init = n_init
        self.random_state = random_state
        self.context = context

    def _distances(self):
        return self.dissimilarity if isinstance(self.metric, bool) else self.metric

    def fit(self, X, y=None):
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        X = self._check(X, least=2)
        ordinal = not (self.metric if isinstance(self.metric, bool) else self.metric_mds)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        result = _mds.mds(X, self.n_components, metric=self._distances(), seed=seed, attempts=self.n_init,
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
    connectivity : sparse matrix or None
    distance_threshold : float or None
        The distance at and above which clusters are not merged. It is rounded to the type of float32 distances that
        are given.
    context : glshape.Context or None

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

    def __init__(self, n_clusters=2, *, metric="euclidean", connectivity=None, distance_threshold=None, context=None):
        self.n_clusters = n_clusters
        self.metric = metric
        self.connectivity = connectivity
        self.distance_threshold = distance_threshold
        self.context = context

    def fit(self, X, y=None):
        X = self._check(X, least=2)
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("exactly one of n_clusters and distance_threshold is given; the other is None")
        result = _linkage.linkage(X, metric=self.metric, connectivity=self.connectivity, context=self.context)
        self.labels_ = self._cut(result)
        self.linkage_matrix_ = result.merges
        self.children_ = result.merges[:, :2].astype(np.int64)
        self.distances_ = result.merges[:, 2]
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.n_leaves_ = X.shape[0]
        self.n_connected_components_ = result.components
        return self

    def _cut(self, result):
        if self.n_clusters is not None:
            clusters, below = count(self.n_clusters, "n_clusters", 1), None
        elif self.distance_threshold == 0:
            return np.arange(len(result.merges) + 1)
        else:
            clusters, below = None, np.nextafter(_source.rounded(self.distance_threshold, result._precision), -np.inf)
        return _linkage.cut(result.merges, clusters, below, self.context)


class HDBSCAN(ClusterMixin, _Pairwise):
    """Clusters of varying density, and noise. Names and defaults are those of scikit-learn's HDBSCAN and of the package
    hdbscan.

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
    metric : {"euclidean", "manhattan", "cosine", "correlation", "precomputed"}
    alpha : float
    cluster_selection_method : {"eom", "leaf"}
    allow_single_cluster : bool
    context : glshape.Context or None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        From 0 in order of first appearance; -1 is noise.
    probabilities_ : ndarray of shape (n_samples,)
    outlier_scores_ : ndarray of shape (n_samples,)
    condensed_tree_ : structured ndarray
        parent, child, lambda_val, child_size, as hdbscan's ``condensed_tree_.to_numpy()``.
    single_linkage_tree_ : ndarray of shape (n_samples - 1, 4)
        As scipy has it.
    exemplar_indices_ : list of ndarray
        The samples in the densest parts of each cluster.
    exemplars_ : list of ndarray
        Their rows; not with distances.

    Examples
    --------
    >>> from glshape.sklearn import HDBSCAN
    >>> HDBSCAN(min_cluster_size=2).fit_predict([[0.0], [1], [2], [20], [22], [24], [99]])
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    def __init__(self, min_cluster_size=5, min_samples=None, *, cluster_selection_epsilon=0.0,
                 cluster_selection_epsilon_max=np.inf, max_cluster_size=None, metric="euclidean", alpha=1.0,
                 cluster_selection_method="eom", allow_single_cluster=False, context=None):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.alpha = alpha
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.context = context

    def fit(self, X, y=None):
        X = self._check(X, least=2)
        result = self._result = _hdbscan.hdbscan(
            X, self.min_cluster_size, min_samples=self.min_samples, selection=self.cluster_selection_method,
            epsilon=self.cluster_selection_epsilon, max_epsilon=self.cluster_selection_epsilon_max,
            max_cluster_size=self.max_cluster_size, allow_single_cluster=self.allow_single_cluster, alpha=self.alpha,
            metric=self.metric, context=self.context)
        self.labels_ = result.labels.astype(np.int64)
        self.probabilities_ = result.probabilities
        self.outlier_scores_ = result.outlier_scores
        self.single_linkage_tree_ = result.merges
        self.condensed_tree_ = np.empty(len(result.condensed), [
            ("parent", np.int64), ("child", np.int64), ("lambda_val", np.float64), ("child_size", np.int64)])
        for theirs, ours in zip(self.condensed_tree_.dtype.names, ("parent", "child", "lambda", "size")):
            self.condensed_tree_[theirs] = result.condensed[ours]
        self.exemplar_indices_ = result.exemplars
        if self.metric != "precomputed":
            self.exemplars_ = [X[of] for of in self.exemplar_indices_]
        return self

    def dbscan_clustering(self, cut_distance, min_cluster_size=5):
        """The clusters of DBSCAN* at one distance: labels, -1 is noise."""
        check_is_fitted(self)
        return self._result.dbscan(cut_distance, min_cluster_size).astype(np.int64)

    def approximate_predict(self, X):
        """The clusters that new points would be in, without changing the clusters: labels and probabilities."""
        check_is_fitted(self)
        labels, probabilities = self._result.predict(_validated(self, X, reset=False))
        return labels.astype(np.int64), probabilities


class NearestNeighbors(_Pairwise):
    """The nearest neighbors among the fitted points, exactly.

    The methods take other points, or None for those of `fit`; then a point is not its own neighbor.

    Parameters
    ----------
    n_neighbors : int
    radius : float
    metric : {"euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "haversine", "precomputed"}
        Precomputed: `fit` takes the distances between all points, the methods those of others from them.
    p : float or None
        Of "minkowski".
    context : glshape.Context or None

    Examples
    --------
    >>> from glshape.sklearn import NearestNeighbors
    >>> NearestNeighbors(n_neighbors=1).fit([[0.0], [1], [5]]).kneighbors(return_distance=False).ravel()
    array([1, 0, 1])
    """

    def __init__(self, n_neighbors=5, *, radius=1.0, metric="euclidean", p=None, context=None):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.metric = metric
        self.p = p
        self.context = context

    def fit(self, X, y=None):
        self._fit_X = self._check(X)
        self.n_samples_fit_ = self._fit_X.shape[0]
        return self

    def _knn(self, X, **wanted):
        check_is_fitted(self)
        queries = None if X is None else _validated(self, X, accept_sparse="csr", reset=False)
        return _knn.knn(self._fit_X, queries=queries, metric=self.metric, p=self.p, context=self.context, **wanted)

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


def _by_query(indptr, values):
    """An array of arrays, one for each query."""
    out = np.empty(len(indptr) - 1, object)
    for q, (first, end) in enumerate(zip(indptr, indptr[1:])):
        out[q] = values[first:end]
    return out
