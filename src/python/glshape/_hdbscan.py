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
class MembershipResult(Result):
    """How much points belong to clusters."""

    strength: np.ndarray  #: (n, clusters), or (n, top), the greatest first: 0 to 1
    noise: np.ndarray  #: (n,): 1 less the strengths of all clusters
    cluster: Optional[np.ndarray]  #: (n, top) int64: which clusters; None: all, in order
    nearest: Optional[np.ndarray]  #: (n,) int64: of new points, the point that each joins; else None


@dataclass(repr=False, eq=False)
class ValidityResult(Result):
    """The index DBCV of a clustering."""

    index: float  #: -1 to 1; high: dense clusters, far apart
    cluster: np.ndarray  #: (clusters,): the index of each; 0 of those with fewer than 2 points
    sparseness: np.ndarray  #: (clusters,): the longest edge inside
    separation: np.ndarray  #: (clusters,): the least reachability of another cluster


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
        start = np.cumsum([0] + [len(of) for of in self.exemplars], dtype=np.uintp)
        exemplars = np.concatenate([np.empty(0, np.int64), *self.exemplars]).astype(np.uint32)
        return new("glshape_hdbscan_result *", {
            "options": self._options, "n": len(self.labels), "clusters": self.clusters, "noise": self.noise,
            "row_count": len(self.condensed), "rows": pointer(rows, "glshape_hdbscan_row *"),
            "tree_clusters": len(tree), "tree": pointer(tree, "glshape_hdbscan_cluster *"),
            "exemplar_start": pointer(start, "size_t *"), "exemplars": pointer(exemplars, "uint32_t *"),
            **{name: pointer(getattr(self, name), of[name]) for name in of}}, keep=(self, rows, tree, start, exemplars))

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

    def membership(self, queries: Optional[ArrayLike] = None, *, top: Optional[int] = None,
                   context: Optional[Context] = None, progress: Optional[Progress] = None) -> MembershipResult:
        """How much each point belongs to each cluster, or new points do. The result has to be of points.

        Parameters
        ----------
        queries : array_like of shape (m, d), optional
            New points. The default is those that the clusters are of.
        top : int, optional
            Only so many clusters of each point: those that it belongs to most. Memory then does not grow with the number
            of clusters.
        context, progress
            As :func:`mds`.

        Returns
        -------
        MembershipResult
            As hdbscan's ``all_points_membership_vectors`` and ``membership_vector``; include/glshape.h has the formulas.

        Examples
        --------
        >>> line = np.array([[0.0], [1], [2], [20], [22], [24], [99]])
        >>> glshape.hdbscan(line, 2).membership(top=1).cluster.ravel()
        array([0, 0, 0, 1, 1, 1, 1])
        """
        call = Call(progress)
        points = source(self._points, self._metric, call, p=self._p, infinite=True)
        given = ffi.NULL if queries is None else matrix(queries, "queries")
        options = new("glshape_membership_options *", (given, 0 if top is None else count(top, "top", 1)), keep=given)
        r = own("glshape_membership *", lib.glshape_membership_free)
        facts = (context or default())._run(lib.glshape_hdbscan_membership, points, self._struct(), options, r, call=call)
        return MembershipResult(
            **common(r, facts), strength=array(r, r.strength, r.n, r.width), noise=array(r, r.noise, r.n),
            cluster=None if top is None else array(r, r.cluster, r.n, r.width),
            nearest=None if queries is None else array(r, r.nearest, r.n))

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
            p: Optional[float] = None, search: str = "auto", spanning_tree: bool = False, persistence: float = 0,
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
    persistence : float
        A split of the condensed tree is undone if one of its two clusters lasts for less than this, from the lambda of
        the split to the greatest lambda in it.
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
        "search": choose(SEARCHES, search, "search"), "spanning_tree": spanning_tree,
        "persistence": persistence})
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
        _options={name: getattr(r.options, name) for name, _ in ffi.typeof(r.options).fields
                  if name != "reserved"}, _points=x,
        _metric=metric, _p=p, _precision=precision)


def validity_index(x: Any, labels: ArrayLike, *, metric: str = "euclidean", p: Optional[float] = None,
                   dim: Optional[float] = None, reachability: bool = True, context: Optional[Context] = None,
                   progress: Optional[Progress] = None) -> ValidityResult:
    """Measures how good a clustering by density is: the index DBCV.

    Parameters
    ----------
    x : array_like of shape (n, d), or Reader
        Points; with ``metric="precomputed"`` distances, as :func:`hdbscan` takes them.
    labels : array_like of shape (n,)
        Each point's cluster: 0 to n - 1; below 0: noise.
    metric, p
        As :func:`hdbscan`, but for "haversine".
    dim : float, optional
        The number of dimensions of the points. The default is their columns; distances need it.
    reachability : bool
        False: distances count as they are, not as mutual reachability.
    context, progress
        As :func:`mds`.

    Returns
    -------
    ValidityResult

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`; also if fewer than two clusters have 2 points.

    Notes
    -----
    Moulavi, Jaskowiak, Campello, Zimek, Sander, "Density-based clustering validation", 2014.

    Examples
    --------
    >>> x = np.array([[0.0], [1], [2], [20], [21], [22.5]])
    >>> glshape.validity_index(x, [0, 0, 0, 1, 1, 1]).cluster.round(3)
    array([0.933, 0.906])
    """
    call = Call(progress)
    given = source(x, metric, call, p=p, infinite=True, double=True)
    labels = np.asarray(labels)
    n = given.points.rows if given.points else given.n
    if labels.shape != (n,) or labels.dtype.kind not in "iub":
        raise ValueError(f"labels: {labels.dtype} of shape {labels.shape}; they are {n} whole numbers, one of each point")
    if labels.size and int(labels.max()) >= n:
        raise ValueError(f"labels: {labels.max()}; they are below {n}, the number of points")
    labels = np.where(labels < 0, -1, labels).astype(np.int32)
    options = ffi.new("glshape_validity_options *", {"dim": 0 if dim is None else _above_zero(dim, "dim"),
                                                     "raw": not reachability})
    r = own("glshape_validity *", lib.glshape_validity_free)
    facts = (context or default())._run(lib.glshape_hdbscan_validity, given, pointer(labels, "int32_t *"), options, r,
                                        call=call)
    return ValidityResult(**common(r, facts), index=r.index, cluster=array(r, r.cluster, r.clusters),
                          sparseness=array(r, r.sparseness, r.clusters), separation=array(r, r.separation, r.clusters))
