"""A number of clusters, chosen from the tree of HDBSCAN by one distance: what hdbscan.flat has."""
from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted


def _stable(tree, parent, options):
    """Which clusters of the condensed tree are the most stable ones."""
    best, chosen = np.zeros(len(tree)), np.zeros(len(tree), bool)
    for c in range(len(tree) - 1, -1, -1):
        own = tree[c]
        allowed = ((c > 0 or options["allow_single_cluster"]) and own["size"] <= options["max_cluster_size"]
                   and not own["distance"] > options["max_epsilon"])
        chosen[c] = allowed and not best[c] > own["stability"]
        if chosen[c]:
            best[c] = own["stability"]
        if c:
            best[parent[c]] += best[c]
    return _outermost(parent, chosen)


def _leaves(tree, parent, options):
    chosen = np.ones(len(tree), bool)
    chosen[parent[1:]] = False
    chosen[0] = chosen[0] and options["allow_single_cluster"]
    return chosen


def _outermost(parent, chosen):
    covered = np.zeros(len(chosen), bool)
    for c in range(1, len(chosen)):
        covered[c] = covered[parent[c]] or chosen[parent[c]]
    return chosen & ~covered


def _joined(tree, parent, chosen, epsilon, single):
    """How many clusters are left where those that split below epsilon are one."""
    place, out = np.arange(len(tree)), np.zeros(len(tree), bool)
    for c in range(1, len(tree)):
        if tree["distance"][c] < epsilon and (parent[c] or single):
            place[c] = place[parent[c]]
    out[place[chosen]] = True
    return int(_outermost(parent, out).sum())


def _epsilon(result, method, n_clusters):
    """The greatest distance of a split with which so many clusters are left; and the most that there are."""
    tree, options = result.tree, result._options
    parent = tree["parent"].astype(np.int64) - len(result.labels)
    chosen = (_stable if method == "eom" else _leaves)(tree, parent, options)
    single = options["allow_single_cluster"]
    for epsilon in np.append(np.unique(tree["distance"][1:])[::-1], 0):
        if _joined(tree, parent, chosen, epsilon, single) == n_clusters:
            return float(epsilon), int(chosen.sum())
    return None, int(chosen.sum())


def _choose(clusterer, n_clusters):
    """The method and the distance that give so many clusters of a fitted clusterer's tree."""
    method = clusterer.cluster_selection_method
    if n_clusters != int(n_clusters) or n_clusters < 1:
        raise ValueError(f"n_clusters is {n_clusters!r}; it is a whole number from 1 on")
    epsilon, most = _epsilon(clusterer._result, method, n_clusters)
    if n_clusters > most and method == "eom":
        warnings.warn(f"the most stable clusters are {most}, fewer than {n_clusters}: the leaves of the tree are taken")
        method = "leaf"
        epsilon, most = _epsilon(clusterer._result, method, n_clusters)
    if n_clusters > most:
        warnings.warn(f"the tree has {most} leaves, fewer than {n_clusters}: these are the clusters")
        return method, 0.0
    if epsilon is None:
        raise ValueError(f"no distance gives {n_clusters} clusters; several clusters split at the same one")
    return method, epsilon


def _flat(clusterer, n_clusters, epsilon):
    """The clusterer, or one like it, fitted to its points with other clusters of the same tree."""
    check_is_fitted(clusterer)
    if n_clusters is None and (epsilon is None or epsilon == clusterer.cluster_selection_epsilon):
        return clusterer
    method = clusterer.cluster_selection_method
    if n_clusters is not None:
        method, epsilon = _choose(clusterer, n_clusters)
    out = clone(clusterer).set_params(cluster_selection_method=method, cluster_selection_epsilon=float(epsilon))
    return out.fit(clusterer._result._points)


def HDBSCAN_flat(X: Any, n_clusters: Optional[int] = None, cluster_selection_epsilon: float = 0.0, clusterer: Any = None,
                 inplace: bool = False, **kwargs: Any) -> Any:
    """HDBSCAN with a number of clusters, as the package's hdbscan.flat.

    The distance is the greatest of a split with which so many clusters are left, where clusters that split below it are
    one. (The package takes 1e-12 less, and may then count clusters that split at that distance as one.)

    Parameters
    ----------
    X : array_like of shape (n, d)
    n_clusters : int, optional
        With "eom", more than are stable are leaves of the tree, with a warning. None: as `cluster_selection_epsilon` says.
    cluster_selection_epsilon : float
        Clusters that split at a distance below this are one. Ignored, with a warning, with `n_clusters`.
    clusterer : HDBSCAN, optional
        Whose parameters are taken.
    inplace : bool
        The clusterer itself is fitted.
    **kwargs
        Of :class:`HDBSCAN`, without `clusterer`.

    Returns
    -------
    HDBSCAN
        Fitted to X.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> x = [[0.0], [1], [2], [20], [22], [24], [99], [100], [101]]
    >>> hdbscan.HDBSCAN_flat(x, 2, min_cluster_size=2, min_samples=1).labels_
    array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    """
    from .hdbscan import HDBSCAN

    if n_clusters is not None and cluster_selection_epsilon:
        warnings.warn("cluster_selection_epsilon is ignored, as n_clusters is given")
    model = HDBSCAN(**kwargs) if clusterer is None else clusterer if inplace else clone(clusterer)
    if n_clusters is None:
        if cluster_selection_epsilon:
            model.set_params(cluster_selection_epsilon=float(cluster_selection_epsilon))
        return model.fit(X)
    model.set_params(cluster_selection_epsilon=0.0).fit(X)
    method, epsilon = _choose(model, n_clusters)
    return model.set_params(cluster_selection_method=method, cluster_selection_epsilon=epsilon).fit(X)


def approximate_predict_flat(clusterer: Any, points_to_predict: Any, n_clusters: Optional[int] = None,
                             cluster_selection_epsilon: Optional[float] = None, prediction_data: Any = None,
                             return_prediction_data: bool = False) -> tuple:
    """As :func:`approximate_predict`, with a number of clusters or a distance.

    `prediction_data` is what an earlier call returned with `return_prediction_data`: a fitted clusterer.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> x = [[0.0], [1], [2], [20], [22], [24], [99], [100], [101]]
    >>> model = hdbscan.HDBSCAN(min_cluster_size=2, min_samples=1).fit(x)
    >>> hdbscan.approximate_predict_flat(model, [[21.0], [100.5]], n_clusters=2)[0]
    array([0, 1])
    """
    model = prediction_data if prediction_data is not None else _flat(clusterer, n_clusters, cluster_selection_epsilon)
    labels, probabilities = model.approximate_predict(points_to_predict)
    return (labels, probabilities, model) if return_prediction_data else (labels, probabilities)


def membership_vector_flat(clusterer: Any, points_to_predict: Any, prediction_data: Any = None,
                           n_clusters: Optional[int] = None, cluster_selection_epsilon: float = 0.0) -> np.ndarray:
    """As :func:`membership_vector`, with a number of clusters or a distance; 0: the clusterer's own.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> x = [[0.0], [1], [2], [20], [22], [24], [99], [100], [101]]
    >>> model = hdbscan.HDBSCAN(min_cluster_size=2, min_samples=1).fit(x)
    >>> hdbscan.membership_vector_flat(model, [[21.0], [100.5]], n_clusters=2).argmax(axis=1)
    array([0, 1])
    """
    model = prediction_data
    if model is None:
        model = _flat(clusterer, n_clusters, cluster_selection_epsilon or None)
    return model._result.membership(points_to_predict).strength


def all_points_membership_vectors_flat(clusterer: Any, prediction_data: Any = None, n_clusters: Optional[int] = None,
                                       cluster_selection_epsilon: Optional[float] = None) -> np.ndarray:
    """As :func:`all_points_membership_vectors`, with a number of clusters or a distance.

    Examples
    --------
    >>> from glshape.compat import hdbscan
    >>> x = [[0.0], [1], [2], [20], [22], [24], [99], [100], [101]]
    >>> model = hdbscan.HDBSCAN(min_cluster_size=2, min_samples=1).fit(x)
    >>> hdbscan.all_points_membership_vectors_flat(model, n_clusters=2).shape
    (9, 2)
    """
    model = prediction_data if prediction_data is not None else _flat(clusterer, n_clusters, cluster_selection_epsilon)
    result, n = model._result, len(clusterer.labels_)
    if not result.clusters:
        return np.zeros(n)
    out = np.zeros((n, result.clusters))
    out[clusterer._rows] = result.membership().strength
    return out


class BranchDetector:
    """The package's BranchDetector, which is not here: making one says so."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("BranchDetector: glshape has no branches within clusters, which are trees of each "
                                  "cluster's own graph; the package hdbscan has them, and takes its own HDBSCAN")
