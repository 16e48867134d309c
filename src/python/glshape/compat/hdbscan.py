"""What programs that were written for the package hdbscan 0.8 import from it, with its names, defaults and counts.

The tree is exact, which that package's is with ``approx_min_span_tree=False``. A point is not counted in `min_samples`, as
in that package: the same number is one less than that of :func:`glshape.hdbscan` and scikit-learn.
"""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _hdbscan
from ..sklearn import _Hdbscan, _refuse
from ._flat import (BranchDetector, HDBSCAN_flat, all_points_membership_vectors_flat, approximate_predict_flat,
                    membership_vector_flat)

__all__ = ["BranchDetector", "HDBSCAN", "HDBSCAN_flat", "all_points_membership_vectors",
           "all_points_membership_vectors_flat", "approximate_predict", "approximate_predict_flat", "hdbscan",
           "membership_vector", "membership_vector_flat", "validity_index"]


class HDBSCAN(_Hdbscan):
    """Clusters of varying density, and noise, with the signature of the package hdbscan.

    Parameters
    ----------
    min_cluster_size : int
    min_samples : int or None
        The core distance of a point reaches so many other points; None: `min_cluster_size`.
    cluster_selection_epsilon, cluster_selection_epsilon_max, alpha, cluster_selection_method, allow_single_cluster
        As :class:`glshape.sklearn.HDBSCAN`.
    max_cluster_size : int
        0: no limit.
    metric : str or callable
    p : float or None
        Of "minkowski".
    algorithm, leaf_size, memory, approx_min_span_tree, gen_min_span_tree, core_dist_n_jobs, prediction_data
        Taken, and change nothing: the tree is exact, found in parallel, and kept.
    cluster_selection_persistence : float
        Splits of the condensed tree are undone where a cluster lasts for less than this in lambda.
    branch_detection_data, match_reference_implementation
        Only their defaults: there is no BranchDetector.
    context : glshape.Context or None

    Attributes
    ----------
    labels_, probabilities_, outlier_scores_, condensed_tree_, single_linkage_tree_, minimum_spanning_tree_,
    cluster_persistence_, relative_validity_, exemplars_
        As :class:`glshape.sklearn.HDBSCAN`. Rows with NaN or infinity have the label -1 and probability 0. Labels are
        from 0 in order of first appearance.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> clusterer = hdbscan.HDBSCAN(min_cluster_size=2, min_samples=1, prediction_data=True)
    >>> clusterer.fit_predict([[0.0], [1], [2], [20], [22], [24], [99]])
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    _infinite, _missing = (-1, 0.0), (-1, 0.0)

    def __init__(self, min_cluster_size=5, min_samples=None, cluster_selection_epsilon=0.0,
                 cluster_selection_persistence=0.0, max_cluster_size=0, metric="euclidean", alpha=1.0, p=None,
                 algorithm="best", leaf_size=40, memory=None, approx_min_span_tree=True, gen_min_span_tree=False,
                 core_dist_n_jobs=4, cluster_selection_method="eom", allow_single_cluster=False, prediction_data=False,
                 branch_detection_data=False, match_reference_implementation=False, cluster_selection_epsilon_max=np.inf,
                 context=None):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.cluster_selection_persistence = cluster_selection_persistence
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.alpha = alpha
        self.p = p
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.memory = memory
        self.approx_min_span_tree = approx_min_span_tree
        self.gen_min_span_tree = gen_min_span_tree
        self.core_dist_n_jobs = core_dist_n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.prediction_data = prediction_data
        self.branch_detection_data = branch_detection_data
        self.match_reference_implementation = match_reference_implementation
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.context = context

    def _wanted(self, n):
        others = self.min_cluster_size if self.min_samples is None else self.min_samples
        if others != int(others) or others < 1:
            raise ValueError(f"min_samples is {others!r}; it is a whole number from 1 on, the point itself not counted")
        return {**super()._wanted(n), "min_samples": min(int(others), n - 1) + 1,
                "persistence": self.cluster_selection_persistence}

    def fit(self, X, y=None):
        """Finds the clusters. Rows with NaN or infinity are noise."""
        _refuse(branch_detection_data=(self.branch_detection_data, (False,)),
                match_reference_implementation=(self.match_reference_implementation, (False,)))
        return super().fit(X)

    def generate_prediction_data(self):
        """Does nothing: all that predictions need is kept."""


def hdbscan(X: Any, min_cluster_size: int = 5, min_samples: Optional[int] = None, **options: Any) -> tuple:
    """The package's function: clusters of X.

    Parameters
    ----------
    X : array_like of shape (n, d), or of shape (n, n) with ``metric="precomputed"``
    min_cluster_size, min_samples, **options
        As :class:`HDBSCAN`.

    Returns
    -------
    tuple
        Labels, probabilities, persistences of the clusters, the condensed tree, the single-linkage tree and the spanning
        tree, as arrays.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> hdbscan.hdbscan([[0.0], [1], [2], [20], [22], [24], [99]], 2, 1)[0]
    array([ 0,  0,  0,  1,  1,  1, -1])
    """
    model = HDBSCAN(min_cluster_size, min_samples, **options).fit(X)
    return (model.labels_, model.probabilities_, model.cluster_persistence_, model.condensed_tree_.to_numpy(),
            model.single_linkage_tree_.to_numpy(), model.minimum_spanning_tree_.to_numpy())


def approximate_predict(clusterer: HDBSCAN, points_to_predict: Any,
                        return_connecting_points: bool = False) -> tuple[np.ndarray, ...]:
    """The clusters that new points would be in, without changing the clusters.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted to points. An estimator of glshape.sklearn may be given, too.
    points_to_predict : array_like of shape (m, d)
    return_connecting_points : bool
        Also returns the point that each new point is nearest to by mutual reachability.

    Returns
    -------
    labels, probabilities, and the connecting points if asked for : ndarray of shape (m,)

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> clusterer = hdbscan.HDBSCAN(min_cluster_size=2, min_samples=1).fit([[0.0], [1], [2], [20], [22], [24]])
    >>> hdbscan.approximate_predict(clusterer, [[23.0], [0.5]])[0]
    array([1, 0])
    """
    check_is_fitted(clusterer)
    labels, probabilities = clusterer.approximate_predict(points_to_predict)
    if not return_connecting_points:
        return labels, probabilities
    return labels, probabilities, clusterer._rows[clusterer._result.membership(points_to_predict, top=1).nearest]


def membership_vector(clusterer: HDBSCAN, points_to_predict: Any) -> np.ndarray:
    """How much new points belong to each cluster.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted to points.
    points_to_predict : array_like of shape (m, d)

    Returns
    -------
    ndarray of shape (m, n_clusters)
        As :meth:`glshape.HdbscanResult.membership`.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> clusterer = hdbscan.HDBSCAN(min_cluster_size=2, min_samples=1).fit([[0.0], [1], [2], [20], [22], [24]])
    >>> hdbscan.membership_vector(clusterer, [[23.0], [0.5]]).argmax(axis=1)
    array([1, 0])
    """
    check_is_fitted(clusterer)
    return clusterer._result.membership(points_to_predict).strength


def all_points_membership_vectors(clusterer: HDBSCAN) -> np.ndarray:
    """How much each point belongs to each cluster.

    Parameters
    ----------
    clusterer : HDBSCAN
        Fitted to points.

    Returns
    -------
    ndarray of shape (n, n_clusters)
        As :meth:`glshape.HdbscanResult.membership`, which can give the greatest alone. Rows that had NaN or infinity
        are 0. Where there are no clusters, n zeros, as the package returns.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> clusterer = hdbscan.HDBSCAN(min_cluster_size=2, min_samples=1).fit([[0.0], [1], [2], [20], [22], [24]])
    >>> hdbscan.all_points_membership_vectors(clusterer).argmax(axis=1)
    array([0, 0, 0, 1, 1, 1])
    """
    check_is_fitted(clusterer)
    result, n = clusterer._result, len(clusterer.labels_)
    if not result.clusters:
        return np.zeros(n)
    out = np.zeros((n, result.clusters))
    out[clusterer._rows] = result.membership().strength
    return out


def validity_index(X: Any, labels: Any, metric: Any = "euclidean", d: Optional[int] = None,
                   per_cluster_scores: bool = False, mst_raw_dist: bool = False, verbose: bool = False,
                   p: Optional[float] = None) -> Union[float, tuple[float, np.ndarray]]:
    """The index DBCV of a clustering.

    Parameters
    ----------
    X : array_like of shape (n, d), or of shape (n, n) with ``metric="precomputed"``
    labels : array_like of shape (n,)
        -1 is noise.
    metric : str or callable
    d : int, optional
        The dimension of the points, if distances are given.
    per_cluster_scores : bool
        Also returns the index of each cluster.
    mst_raw_dist : bool
        Distances count as they are, not as mutual reachability.
    verbose : bool
        Changes nothing.
    p : float, optional
        Of "minkowski".

    Returns
    -------
    float, or (float, ndarray of shape (n_clusters,))
        As :func:`glshape.validity_index`; NaN if fewer than two clusters have 2 points.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> x = np.array([[0.0], [1], [2], [20], [21], [22.5]])
    >>> round(hdbscan.validity_index(x, np.array([0, 0, 0, 1, 1, 1])), 3)
    0.92
    """
    labels = np.asarray(labels)
    if np.count_nonzero(np.bincount(labels[labels >= 0]) > 1) < 2:
        return (np.nan, np.full(labels.max(initial=-1) + 1, np.nan)) if per_cluster_scores else np.nan
    result = _hdbscan.validity_index(X, labels, metric=metric, dim=d, p=p, reachability=not mst_raw_dist)
    return (result.index, result.cluster) if per_cluster_scores else result.index
