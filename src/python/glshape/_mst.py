"""Spanning forests of graphs, spanning trees of points."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import array, own
from ._context import Context, Progress, default
from ._library import ffi, lib
from ._linkage import linkage
from ._result import Result, common
from ._source import edges


@dataclass(repr=False, eq=False)
class MstResult(Result):
    """The edges of a spanning forest, the lightest first (with `maximum` the heaviest)."""

    i: np.ndarray  #: int64: the smaller end
    j: np.ndarray  #: int64
    weight: np.ndarray  #: float32; of points float64
    total: float  #: sum of the weights
    components: int


def _of_points(points, metric, p, search, maximum, context, progress):
    if maximum:
        raise ValueError("maximum is of a graph; of points mst finds the tree of least length")
    if metric == "precomputed":
        raise ValueError("metric='precomputed' is of linkage, whose edges are the tree; mst takes points or a graph")
    tree = linkage(points, metric=metric, p=p, search=search, context=context, progress=progress)
    return MstResult(tree.seconds, tree.facts, tree.gpu_bytes, i=tree.edges[:, 0], j=tree.edges[:, 1],
                     weight=tree.merges[:, 2], total=float(tree.merges[:, 2].sum()), components=tree.components)


def mst(graph: Any = None, *, points: Optional[ArrayLike] = None, metric: str = "euclidean",
        p: Optional[float] = None, search: str = "auto", maximum: bool = False, context: Optional[Context] = None, progress: Optional[Progress] = None) -> MstResult:
    """Finds the spanning forest of least weight, of a graph, or of points with all distances between them.

    Parameters
    ----------
    graph : scipy.sparse matrix, or (nodes, i, j), or (nodes, i, j, weight)
        Edges, in any order; an edge may be given from one end or from both. Weights are taken in single precision.
    points : array_like of shape (n, d), or scipy.sparse matrix
        In place of a graph. The answer is that of :func:`linkage`: the ends and the lengths of its edges.
    metric, p, search
        Of points, as :func:`linkage`.
    maximum : bool
        Of a graph: finds the forest of greatest weight.
    context, progress
        As :func:`mds`.

    Returns
    -------
    MstResult

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Examples
    --------
    >>> forest = glshape.mst((3, [0, 1, 0], [1, 2, 2], [1.0, 2.0, 3.0]))
    >>> forest.i, forest.j, forest.total
    (array([0, 1]), array([1, 2]), 3.0)
    >>> glshape.mst(points=[[0, 0], [0, 3], [4, 0]]).weight
    array([3., 4.])
    """
    if (graph is None) == (points is None):
        raise ValueError("mst takes a graph or points: give one of them")
    if points is not None:
        return _of_points(points, metric, p, search, maximum, context, progress)
    options = ffi.new("glshape_mst_options *", {"maximum": maximum})
    r = own("glshape_mst_result *", lib.glshape_mst_free)
    facts = (context or default())._run(lib.glshape_mst, edges(graph), options, r, progress=progress)
    return MstResult(**common(r, facts), i=array(r, r.i, r.count), j=array(r, r.j, r.count),
                     weight=array(r, r.weight, r.count), total=r.total, components=r.components)
