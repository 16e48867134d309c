"""Estimators for scikit-learn: MDS, SingleLinkage and NearestNeighbors."""
from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from . import _knn, _linkage, _mds
from ._context import count

__all__ = ["MDS", "NearestNeighbors", "SingleLinkage"]
_TYPES = [np.float32, np.float64]


class _Pairwise(BaseEstimator):
    """An estimator whose metric may be "precomputed"."""

    def _check(self, X, least=1):
        X = self._validate_data(X, dtype=_TYPES, accept_sparse="csr", ensure_min_samples=least)
        if self.metric == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"metric='precomputed' takes a square matrix of distances, not {X.shape[0]} × {X.shape[1]}")
        return X

    def _more_tags(self):
        return {"pairwise": self.metric == "precomputed"}


class MDS(_Pairwise):
    """Multidimensional scaling.

    Parameters
    ----------
    n_components : int
    metric : {"euclidean", "manhattan", "cosine", "correlation", "precomputed"}
    random_state : int, RandomState or None
    context : glshape.Context or None

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    stress_ : float
        Σ(d-δ)² / Σδ² over all pairs.
    n_iter_ : int

    Examples
    --------
    >>> from glshape.sklearn import MDS
    >>> MDS(random_state=0).fit_transform([[0.0, 0], [0, 1], [1, 1]]).shape
    (3, 2)
    """

    def __init__(self, n_components=2, *, metric="euclidean", random_state=None, context=None):
        self.n_components = n_components
        self.metric = metric
        self.random_state = random_state
        self.context = context

    def fit(self, X, y=None):
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        X = self._check(X, least=2)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        result = _mds.mds(X, self.n_components, metric=self.metric, seed=seed, context=self.context)
        self.embedding_ = result.layout
        self.stress_ = result.stress
        self.n_iter_ = result.iterations
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
        The distance at and above which clusters are not merged.
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
        self.labels_ = self._cut(result.merges)
        self.linkage_matrix_ = result.merges
        self.children_ = result.merges[:, :2].astype(np.int64)
        self.distances_ = result.merges[:, 2]
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.n_leaves_ = X.shape[0]
        self.n_connected_components_ = result.components
        return self

    def _cut(self, merges):
        if self.n_clusters is not None:
            clusters, below = count(self.n_clusters, "n_clusters", 1), None
        elif self.distance_threshold == 0:
            return np.arange(len(merges) + 1)
        else:
            clusters, below = None, np.nextafter(self.distance_threshold, -np.inf)
        return _linkage.cut(merges, clusters, below, self.context).astype(np.int64)


class NearestNeighbors(BaseEstimator):
    """The nearest neighbors among the fitted points, exactly.

    `kneighbors` and `kneighbors_graph` take no other points than those of `fit`; a point is not its own neighbor.

    Parameters
    ----------
    n_neighbors : int
    metric : {"euclidean", "manhattan", "cosine", "correlation"}
    context : glshape.Context or None

    Examples
    --------
    >>> from glshape.sklearn import NearestNeighbors
    >>> NearestNeighbors(n_neighbors=1).fit([[0.0], [1], [5]]).kneighbors(return_distance=False).ravel()
    array([1, 0, 1])
    """

    def __init__(self, n_neighbors=5, *, metric="euclidean", context=None):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.context = context

    def fit(self, X, y=None):
        self._fit_X = self._validate_data(X, dtype=_TYPES)
        self.n_samples_fit_ = len(self._fit_X)
        return self

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        check_is_fitted(self)
        if X is not None:
            given = check_array(X, dtype=_TYPES)
            if given.shape != self._fit_X.shape or not np.array_equal(given, self._fit_X):
                raise ValueError("kneighbors takes X=None: the neighbors of the fitted points among themselves")
        result = _knn.knn(self._fit_X, n_neighbors or self.n_neighbors, metric=self.metric, context=self.context)
        index = result.index.astype(np.int64)
        return (result.distance, index) if return_distance else index

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"mode is {mode!r}; it is 'connectivity' or 'distance'")
        distance, index = self.kneighbors(X, n_neighbors)
        n, k = index.shape
        values = distance.ravel() if mode == "distance" else np.ones(n * k)
        return sparse.csr_matrix((values, index.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
