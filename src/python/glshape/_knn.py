"""Nearest neighbors."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ._arrays import array, own
from ._context import Call, Context, Progress, choose, count, default, optional
from ._library import ffi, lib
from ._result import Result, common
from ._source import SEARCHES, rounded, rows


@dataclass(repr=False, eq=False)
class KnnResult(Result):
    """The neighbors of every query. Within a radius, those of query q are entries ``indptr[q]`` to
    ``indptr[q + 1] - 1`` of `index` and `distance`, as in the rows of a scipy.sparse matrix."""

    index: np.ndarray  #: (m, n_neighbors) int64: rows of the points, the nearest first; with a radius (pairs,)
    distance: np.ndarray  #: float64, in the shape of index
    indptr: Optional[np.ndarray]  #: (m + 1,) int64; None without a radius


def knn(x: Any, n_neighbors: Optional[int] = None, *, queries: Any = None, radius: Optional[float] = None,
        metric: str = "euclidean", p: Optional[float] = None, search: str = "auto",
        context: Optional[Context] = None, progress: Optional[Progress] = None) -> KnnResult:
    """Finds the nearest neighbors of every row among the other rows, or all within a radius, exactly.

    Parameters
    ----------
    x : array_like of shape (n, d), or scipy.sparse matrix, or Reader
        Points. With ``metric="precomputed"`` an array of shape (n, n): row i has the distances from point i. They
        need not be symmetric; infinity: never near. Those of float64 or whole numbers are compared in double precision.
    n_neighbors : int, optional
        Of each query: 1 to 1024, at most as many as there are. The default is 10, or with a radius as many as are
        within it.
    queries : array_like of shape (m, d), or scipy.sparse matrix as x, optional
        With ``metric="precomputed"`` of shape (m, n): their distances from the points; of x only the length counts then.
        The rows whose neighbors among the points are found. The default is the points themselves; then a point is not
        its own neighbor.
    radius : float, optional
        All points at most so far from each query. Not with `n_neighbors`. It is rounded to the type of float32
        distances that are given.
    metric : {"euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "haversine", "precomputed"}
        "haversine" is along the unit sphere, as in scikit-learn: rows are latitude and longitude in radians, distances
        radians. (The command takes degrees, and gives kilometers.)
    p : float, optional
        Of "minkowski": 1 to 64, or infinity. The default is 2.
    search : {"auto", "pairs", "index"}
        Whether all pairs are compared, or a tree of boxes is searched; the answer is the same.
    context, progress
        As :func:`mds`.

    Returns
    -------
    KnnResult
        Of equal distances the smaller index comes first.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Examples
    --------
    >>> glshape.knn([[0, 0], [3, 4], [6, 8.5]], 1).distance.ravel()
    array([5.        , 5.        , 5.40832691])
    >>> near = glshape.knn([[0, 0], [3, 4], [6, 8.5]], queries=[[0, 1], [9, 9]], radius=5)
    >>> near.indptr, near.index
    (array([0, 2, 3]), array([0, 1, 2]))
    """
    call = Call(progress)
    given, asked = rows(x, metric, call, p, queries)
    options = ffi.new("glshape_knn_options *", {
        "n_neighbors": 0 if n_neighbors is None else count(n_neighbors, "n_neighbors", 1), **asked,
        "radius": optional(rounded(radius, call.precision)), "search": choose(SEARCHES, search, "search")})
    r = own("glshape_knn_result *", lib.glshape_knn_free)
    facts = (context or default())._run(lib.glshape_knn_source, given, options, r, call=call)
    shape = (r.n, r.n_neighbors) if radius is None else (r.start[r.n],)
    return KnnResult(**common(r, facts), index=array(r, r.index, *shape), distance=array(r, r.distance, *shape),
                     indptr=None if radius is None else array(r, r.start, r.n + 1))
