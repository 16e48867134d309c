"""Single-linkage clustering."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _picture
from ._arrays import array, numbers, own, pointer
from ._context import Call, Context, Progress, choose, count, default, optional
from ._library import ffi, lib
from ._result import Result, common
from ._source import SEARCHES, graph, rounded, source


@dataclass(repr=False, eq=False)
class LinkageResult(_picture.Pictured, Result):
    """A tree of clusters."""

    merges: np.ndarray  #: (n - 1, 4) float64: what ``scipy.cluster.hierarchy.linkage(x, "single")`` returns
    edges: np.ndarray  #: (n - 1, 2) int64, the spanning tree: the points whose edge joins the clusters of each merge
    components: int  #: of a graph or a connectivity; else 1
    n_neighbors: int  #: how many of each point were kept
    cophenetic: float  #: the cophenetic correlation, if asked for; else NaN
    _precision: Any = None

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        """The linkage matrix: scipy's ``fcluster``, ``dendrogram`` and ``cophenet`` take the result itself."""
        out = self.merges if dtype is None else self.merges.astype(dtype)
        return out.copy() if copy else out

    def cut(self, clusters: Optional[int] = None, distance: Optional[float] = None) -> np.ndarray:
        """Cuts the tree: into at most so many clusters, or at a distance, which is rounded to the type of
        float32 distances that were given. Returns the number of each point's cluster, from 0 in order of first
        appearance.

        Examples
        --------
        >>> glshape.linkage([[0.0], [1], [5], [6]]).cut(clusters=2)
        array([0, 0, 1, 1])
        """
        return cut(self.merges, clusters, rounded(distance, self._precision))

    def leaves(self) -> np.ndarray:
        """The points in the order of the drawn tree's leaves, as scipy's ``leaves_list``."""
        out = np.empty(len(self.merges) + 1, np.uint32)
        default()._run(lib.glshape_linkage_leaves, pointer(self.merges, "double *"), out.size,
                       pointer(out, "uint32_t *"))
        return out.astype(np.int64)

    def plot(self, ax=None, **keywords):
        """Draws the tree with scipy's ``dendrogram``, which takes the keywords; returns the axes."""
        from ._plot import tree

        return tree(self.merges, ax, **keywords)

    def _chart(self, labels=None):
        return _picture.dendrogram(self.merges, labels)


def cut(merges, clusters=None, distance=None, context=None):
    """Cuts a linkage matrix, as LinkageResult.cut."""
    merges = numbers(merges, "merges") if len(merges) else np.empty((0, 4))
    if merges.shape[1] != 4 or merges.dtype != np.float64:
        raise ValueError("merges: a linkage matrix has four columns of float64")
    labels, found = np.empty(len(merges) + 1, np.uint32), ffi.new("size_t *")
    limit = ffi.new("glshape_optional *", optional(distance))
    (context or default())._run(lib.glshape_linkage_cut, pointer(merges, "double *"), labels.size,
                                count(clusters or 0, "clusters"), limit[0], pointer(labels, "uint32_t *"), found)
    return labels.astype(np.int64)


def _is_condensed(x, method):
    """Whether this is scipy's call with its condensed matrix of distances."""
    return method is not None and getattr(x, "ndim", 0) == 1


def linkage(x: Any, method: Optional[str] = None, *, metric: str = "euclidean", p: Optional[float] = None, connectivity: Any = None,
            n_neighbors: Optional[int] = None, cophenetic: bool = False, search: str = "auto", context: Optional[Context] = None,
            progress: Optional[Progress] = None) -> LinkageResult:
    """Clusters by single linkage, exactly. Memory grows with the points, not with their pairs.

    Parameters
    ----------
    x : array_like of shape (n, d), or scipy.sparse matrix, or Reader
        Points. With ``metric="precomputed"`` distances, as :func:`mds` takes them; infinity: two points are never
        joined. The edges of a graph are its only distances. Distances of float64 or whole numbers are compared in
        double precision.
    method : {"single"}, optional
        As scipy's ``linkage`` has it. If it is given, `x` may be scipy's condensed matrix of distances, an array of one
        dimension, without a `metric`.
    metric : {"euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "haversine", "precomputed"}
        "haversine" is along the unit sphere, as in scikit-learn: rows are latitude and longitude in radians, distances
        radians. (The command takes degrees, and gives kilometers.)
    p : float, optional
        Of "minkowski": 1 to 64, or infinity. The default is 2.
    connectivity : scipy.sparse matrix of shape (n, n), optional
        Only points with an entry may join.
    n_neighbors : int, optional
        How many neighbors of each point are kept, 1 to 1024. Only the time depends on it.
    cophenetic : bool
        Also computes the cophenetic correlation, from all pairs.
    search : {"auto", "pairs", "index"}
        As :func:`knn`.
    context, progress
        As :func:`mds`.

    Returns
    -------
    LinkageResult
        Merges of equal height are in order of the smaller, then of the larger point of their edge; scipy's are in the order
        in which it finds them. The heights are the same, and so are clusters that are cut at a distance.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Examples
    --------
    >>> glshape.linkage([[0.0], [1], [5], [7]]).merges
    array([[0., 1., 1., 2.],
           [2., 3., 2., 2.],
           [4., 5., 4., 4.]])
    """
    if method not in (None, "single"):
        raise ValueError(f"method is {method!r}; glshape has only 'single'")
    metric = "precomputed" if metric == "euclidean" and _is_condensed(x, method) else metric
    call = Call(progress)
    given = source(x, metric, call, p=p, infinite=True, double=True)
    joins = ffi.NULL if connectivity is None else graph(connectivity, "connectivity", weighted=False)
    options = ffi.new("glshape_linkage_options *", {"n_neighbors": count(n_neighbors or 0, "n_neighbors"),
                                                    "connectivity": joins, "cophenetic": cophenetic,
                                                    "search": choose(SEARCHES, search, "search")})
    r = own("glshape_linkage_result *", lib.glshape_linkage_free)
    facts = (context or default())._run(lib.glshape_linkage, given, options, r, call=call)
    return LinkageResult(**common(r, facts), merges=array(r, r.merges, r.n - 1, 4),
                         edges=array(r, r.edges, r.n - 1, 2), components=r.components, n_neighbors=r.n_neighbors,
                         cophenetic=r.cophenetic if cophenetic else float("nan"), _precision=call.precision)
