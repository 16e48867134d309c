"""Delaunay triangulations in the plane."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import array, matrix, own
from ._context import Context, Progress, default
from ._library import lib
from ._result import Result, common


@dataclass(repr=False, eq=False)
class DelaunayResult(Result):
    """A triangulation."""

    triangles: np.ndarray  #: (k, 3) int64: corners, counter-clockwise
    neighbors: np.ndarray  #: (k, 3) int64: the triangle across the edge opposite each corner; -1: none
    same: np.ndarray  #: (n,) int64: the first point at the same place
    distinct: int  #: points at different places
    chain: Optional[np.ndarray]  #: if there are no triangles: the points in order along their line

    @property
    def simplices(self) -> np.ndarray:
        """The triangles, as scipy's Delaunay calls them."""
        return self.triangles


def delaunay(points: ArrayLike, *, context: Optional[Context] = None,
             progress: Optional[Progress] = None) -> DelaunayResult:
    """Triangulates points in the plane, exactly.

    Parameters
    ----------
    points : array_like of shape (n, 2)
    context, progress
        As :func:`mds`.

    Returns
    -------
    DelaunayResult

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Examples
    --------
    >>> glshape.delaunay([[0, 0], [2, 0], [1, 2], [1, 0.5]]).triangles
    array([[0, 1, 3],
           [0, 3, 2],
           [1, 2, 3]])
    """
    r = own("glshape_delaunay_result *", lib.glshape_delaunay_free)
    facts = (context or default())._run(lib.glshape_delaunay, matrix(points), r, progress=progress)
    chain = None if r.count else array(r, r.chain, r.distinct)
    return DelaunayResult(**common(r, facts), triangles=array(r, r.triangles, r.count, 3),
                          neighbors=array(r, r.neighbors, r.count, 3), same=array(r, r.same, r.n),
                          distinct=r.distinct, chain=chain)
