"""Clusters of varying density."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _picture
from ._arrays import array, matrix, new, own, pointer, structs
from ._context import Call, Context, Progress, choose, count, default
from ._library import ffi, lib
from ._result import Result, common
from ._source import SEARCHES, rounded, source

_SELECTIONS = {"eom": lib.GLSHAPE_HDBSCAN_EOM, "leaf": lib.GLSHAPE_HDBSCAN_LEAF}


@dataclass(repr=False, eq=False)
class HdbscanResult(_picture.Pictured, Result):
    """Clusters of varying density, and the tree that they are chosen from. Of n points, cluster c of the tree is called
    n + c; lambda is 1 / distance."""

    labels: np.ndarray  #: (n,) int32: the cluster of each point, from 0 in order of first appearance; -1: noise
    probabilities: np.ndarray  #: (n,): how firmly a point is in its cluster, 0 to 1; noise: 0
    outlier_scores: np.ndarray  #: (n,): GLOSH, 0 to 1; high: an outlier
    core: np.ndarray  #: (n,): core distances
    merges: np.ndarray  #: (n - 1, 4): the single-linkage tree, as scipy's linkage matrix
    condensed: np.ndarray  #: parent, child, size, lambda: child, a point or a cluster, leaves its parent at lambda
    tree: np.ndarray  #: of each cluster of the condensed tree: parent, size, label, birth, death, stability
    exemplars: list[np.ndarray]  #: of each cluster, the points that are in its densest parts
    clusters: int
    noise: int  #: points in no cluster
    components: int  #: of a graph; else 1
    edges: Optional[np.ndarray]  #: (n - 1, 2) int64, if asked for: the points whose edge makes each merge; else None
    min_cluster_size: int  #: as used
    min_samples: int
    _options: dict[str, Any]
    _points: Any
    _metric: str
    _p: Optional[float]
    _precision: Any = None

    def _struct(self):
        """A glshape_hdbscan_result * over the arrays, as far as the library's calls look at it."""
        of = {"labels": "int32_t *", "probabilities": "double *", "core": "double *", "merges": "double *"}
        rows, tree = structs(self.condensed, "glshape_hdbscan_row"), structs(self.tree, "glshape_hdbscan_cluster")
        return new("glshape_hdbscan_result *", {
            "options": self._options, "n": len(self.labels), "clusters": self.clusters, "noise": self.noise,
            "row_count": len(self.condensed), "rows": pointer(rows, "glshape_hdbscan_row *"),
            "tree_clusters": len(tree), "tree": pointer(tree, "glshape_hdbscan_cluster *"), **{name: pointer(getattr(self, name), of[name]) for name in of}},
            keep=(self, rows, tree))

    def dbscan(self, epsilon: float, min_cluster_size: Optional[int] = None) -> np.ndarray:
        """The clusters of DBSCAN* at one distance: the merges up to it are made, and what has fewer than
        `min_cluster_size` points is noise (the default is that of the call). `epsilon` is rounded as :func:`hdbscan`
        rounds its own. Returns labels, -1: noise.

        Examples
        --------
        >>> line = np.array([[0.0], [1], [2], [20], [22], [24], [99]])
        >>> glshape.hdbscan(line, 2).dbscan(1.5)
        array([ 0,  0,  0, -1, -1, -1, -1], dtype=int32)
        """
        least = self.min_cluster_size if min_cluster_size is None else count(min_cluster_size, "min_cluster_size", 1)
        labels, found = np.empty(len(self.labels), np.int32), ffi.new("size_t *")
        default()._run(lib.glshape_hdbscan_dbscan, self._struct(), rounded(epsilon, self._precision), least,
                       pointer(labels, "int32_t *"), found)
        return labels

    def predict(self, queries: ArrayLike, *,
                progress: Optional[Progress] = None) -> tuple[np.ndarray, np.ndarray]:
        """Which clusters new points would be in, without changing the clusters, and how firmly: labels and
        probabilities. The result has to be of points, which are kept for this, not copied.

        Examples
        --------
        >>> line = np.array([[0.0], [1], [2], [20], [22], [24]])
        >>> glshape.hdbscan(line, 2).predict([[23.0], [0.5]])[0]
        array([1, 0], dtype=int32)
        """
        given, call = matrix(queries, "queries"), Call(progress)
        labels, probabilities = np.empty(given.rows, np.int32), np.empty(given.rows)
        points = source(self._points, self._metric, call, p=self._p, infinite=True)
        default()._run(lib.glshape_hdbscan_predict, points, self._struct(), given,
                       pointer(labels, "int32_t *"), pointer(probabilities, "double *"), call=call)
        return labels, probabilities

    def plot(self, ax=None):
        """Draws the condensed tree as icicles with matplotlib, chosen clusters in colors; returns the axes. A cluster
        hangs at the distance at which it forms, and grows thinner as points leave it."""
        from ._plot import icicles

        return icicles(self.condensed, self.tree, ax)

    def _chart(self):
        x, fields = self._points, {}
        if self._metric != "precomputed" and not hasattr(x, "tocsr") and np.ndim(x) == 2 and np.shape(x)[1] <= 2:
            fields = {"dim": np.shape(x)[1], "xy": np.ascontiguousarray(x, np.float64)}
        return _picture.of("icicles", of=self._struct(), **fields)


def _above_zero(value, what):
    """The library takes 0 for its default; here None is that."""
    if not value > 0:
        raise ValueError(f"{what} is {value!r}; it is a number above 0")
    return value


def hdbscan(x: Any, min_cluster_size: int = 5, *, min_samples: Optional[int] = None, selection: str = "eom",
            epsilon: float = 0, max_epsilon: Optional[float] = None, max_cluster_size: Optional[int] = None,
            allow_single_cluster: bool = False, alpha: float = 1, metric: str = "euclidean",
            p: Optional[float] = None, search: str = "auto", spanning_tree: bool = False,
            context: Optional[Context] = None, progress: Optional[Progress] = None) -> HdbscanResult:
    """Finds clusters of varying density, and noise, by HDBSCAN*. The tree of clusters is exact.

    Parameters
    ----------
    x : array_like of shape (n, d), or scipy.sparse matrix, or Reader
        Points. With ``metric="precomputed"`` distances, as :func:`mds` takes them; infinity: two points are never
        joined. Edges that a graph does not have are infinite. Distances of float64 or whole numbers are compared in
        double precision. If they are float32 and `alpha` is 1, `epsilon` and `max_epsilon` are rounded to float32.
    min_cluster_size : int
        Smaller groups count as points that fall out of a cluster; at least 2.
    min_samples : int, optional
        The core distance of a point reaches so many points, itself counted. The default is `min_cluster_size`.
    selection : {"eom", "leaf"}
        The clusters of greatest total stability (excess of mass), or the leaves of the tree.
    epsilon : float
        Clusters that split at a distance below this are one.
    max_epsilon : float, optional
        "eom" chooses no cluster that forms at a distance above this,
    max_cluster_size : int, optional
        nor one that has more points.
    allow_single_cluster : bool
        All points may be one cluster.
    alpha : float
        Distances are divided by this, core distances are not.
    metric : {"euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "haversine", "precomputed"}
        "haversine" is along the unit sphere, as in scikit-learn: rows are latitude and longitude in radians, distances
        radians. (The command takes degrees, and gives kilometers.)
    p : float, optional
        Of "minkowski": 1 to 64, or infinity. The default is 2.
    search : {"auto", "pairs", "index"}
        As :func:`knn`.
    spanning_tree : bool
        Also gives the edges of the spanning tree of mutual reachability.
    context, progress
        As :func:`mds`.

    Returns
    -------
    HdbscanResult
        The same on every device. Many pairs are equal in mutual reachability, and they are in order of their points;
        other programs may order them in other ways, and then find other clusters.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Notes
    -----
    Campello, Moulavi, Zimek, Sander, "Hierarchical density estimates for data clustering, visualization, and outlier
    detection", 2015; McInnes, Healy, "Accelerated hierarchical density based clustering", 2017; Malzer, Baum, "A hybrid
    approach to hierarchical density-based cluster selection", 2020.

    Examples
    --------
    >>> line = np.array([[0.0], [1], [2], [20], [22], [24], [99]])
    >>> glshape.hdbscan(line, 2).labels
    array([ 0,  0,  0,  1,  1,  1, -1], dtype=int32)
    """
    call = Call(progress)
    given = source(x, metric, call, p=p, infinite=True, double=True)
    precision = call.precision if alpha == 1 else None  # quotients have digits of double precision
    options = ffi.new("glshape_hdbscan_options *", {
        "min_cluster_size": count(min_cluster_size, "min_cluster_size", 2),
        "min_samples": 0 if min_samples is None else count(min_samples, "min_samples", 1),
        "selection": choose(_SELECTIONS, selection, "selection"), "epsilon": rounded(epsilon, precision),
        "max_epsilon": 0 if max_epsilon is None else rounded(_above_zero(max_epsilon, "max_epsilon"), precision),
        "max_cluster_size": 0 if max_cluster_size is None else count(max_cluster_size, "max_cluster_size", 1),
        "allow_single_cluster": allow_single_cluster, "alpha": _above_zero(alpha, "alpha"),
        "search": choose(SEARCHES, search, "search"), "spanning_tree": spanning_tree})
    r = own("glshape_hdbscan_result *", lib.glshape_hdbscan_free)
    facts = (context or default())._run(lib.glshape_hdbscan, given, options, r, call=call)
    start = array(r, r.exemplar_start, r.clusters + 1)
    exemplars = array(r, r.exemplars, int(start[-1]))
    return HdbscanResult(
        **common(r, facts), labels=array(r, r.labels, r.n), probabilities=array(r, r.probabilities, r.n),
        outlier_scores=array(r, r.outlier_scores, r.n), core=array(r, r.core, r.n),
        merges=array(r, r.merges, r.n - 1, 4), condensed=array(r, r.rows, r.row_count),
        tree=array(r, r.tree, r.tree_clusters), clusters=r.clusters, noise=r.noise, components=r.components,
        edges=array(r, r.edges, r.n - 1, 2) if spanning_tree else None,
        exemplars=[exemplars[first:end] for first, end in zip(start, start[1:])],
        min_cluster_size=r.options.min_cluster_size, min_samples=r.options.min_samples,
        _options={name: getattr(r.options, name) for name, _ in ffi.typeof(r.options).fields}, _points=x,
        _metric=metric, _p=p, _precision=precision)
