"""Spanning forests of graphs."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ._arrays import array, own
from ._context import Context, Progress, default
from ._library import ffi, lib
from ._result import Result, common
from ._source import edges


@dataclass(repr=False, eq=False)
class MstResult(Result):
    """The edges of a spanning forest, the lightest first (with `maximum` the heaviest)."""

    i: np.ndarray  #: uint32: the smaller end
    j: np.ndarray  #: uint32
    weight: np.ndarray  #: float32
    total: float  #: sum of the weights
    components: int


def mst(graph: Any, *, maximum: bool = False, context: Optional[Context] = None,
        progress: Optional[Progress] = None) -> MstResult:
    """Finds the spanning forest of least weight.

    Parameters
    ----------
    graph : scipy.sparse matrix, or (nodes, i, j), or (nodes, i, j, weight)
        Edges, in any order; an edge may be given from one end or from both. Weights are taken in single precision.
    maximum : bool
        Finds the forest of greatest weight.
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
    (array([0, 1], dtype=uint32), array([1, 2], dtype=uint32), 3.0)
    """
    options = ffi.new("glshape_mst_options *", {"maximum": maximum})
    r = own("glshape_mst_result *", lib.glshape_mst_free)
    facts = (context or default())._run(lib.glshape_mst, edges(graph), options, r, progress=progress)
    return MstResult(**common(r, facts), i=array(r, r.i, r.count), j=array(r, r.j, r.count),
                     weight=array(r, r.weight, r.count), total=r.total, components=r.components)
