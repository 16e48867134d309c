"""Nearest neighbors."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import array, matrix, own
from ._context import Context, Progress, choose, count, default
from ._library import ffi, lib
from ._result import Result, common
from ._source import SEARCHES, metric_of


@dataclass(repr=False, eq=False)
class KnnResult(Result):
    """The nearest neighbors of every point."""

    index: np.ndarray  #: (n, n_neighbors) uint32: rows of the input, the nearest first
    distance: np.ndarray  #: (n, n_neighbors) float64


def knn(x: ArrayLike, n_neighbors: int = 10, *, metric: str = "euclidean", search: str = "auto",
        context: Optional[Context] = None, progress: Optional[Progress] = None) -> KnnResult:
    """Finds the nearest neighbors of every row among the other rows, exactly.

    Parameters
    ----------
    x : array_like of shape (n, d)
    n_neighbors : int
        Of each row, itself not counted: 1 to 128, below the number of rows.
    metric : {"euclidean", "manhattan", "cosine", "correlation"}
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
    """
    options = ffi.new("glshape_knn_options *", {"n_neighbors": count(n_neighbors, "n_neighbors", 1),
                                                "metric": metric_of(metric),
                                                "search": choose(SEARCHES, search, "search")})
    r = own("glshape_knn_result *", lib.glshape_knn_free)
    facts = (context or default())._run(lib.glshape_knn, matrix(x), options, r, progress=progress)
    return KnnResult(**common(r, facts), index=array(r, r.index, r.n, r.n_neighbors),
                     distance=array(r, r.distance, r.n, r.n_neighbors))
