"""Scalar fields: merge trees and contour trees."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _picture
from ._arrays import array, new, numbers, own, pointer, structs, type_of
from ._context import Context, Progress, choose, count, default, optional
from ._library import ffi, lib
from ._result import Result, common
from ._source import graph as graph_of

_METHODS = {"auto": lib.GLSHAPE_MERGETREE_AUTO, "basins": lib.GLSHAPE_MERGETREE_BASINS,
            "triplet": lib.GLSHAPE_MERGETREE_TRIPLET}
_BRANCH = ("birth", "death", "parent", "birth_value", "death_value")


def field_of(values, graph, neighborhood, periodic):
    """A glshape_field * over the values' own memory."""
    if graph is not None:
        vertices, edges = numbers(values, "values", (1,)), graph_of(graph, weighted=False)
        if edges.nodes != vertices.size:
            raise ValueError(f"{vertices.size} values for a graph of {edges.nodes} nodes")
        fields, keep = {"graph": edges}, (vertices, edges)
    else:
        vertices = numbers(values, "values", (1, 2, 3))
        ends = [bool(periodic)] * vertices.ndim if np.ndim(periodic) == 0 else list(map(bool, periodic))
        if len(ends) != vertices.ndim:
            raise ValueError(f"periodic has {len(ends)} entries for an array of {vertices.ndim} dimensions")
        fields = {"dims": vertices.ndim, "shape": vertices.shape, "periodic": ends,
                  "neighborhood": count(neighborhood, "neighborhood")}
        keep = (vertices,)
    fields.update(type=type_of(vertices), values=pointer(vertices, "void *"))
    return new("glshape_field *", fields, keep=keep)


def persistence(field, name, value):
    """The option `name`, a difference of values of the field: of 64-bit integers exactly."""
    whole = field.type in (lib.GLSHAPE_I64, lib.GLSHAPE_U64) and 0 <= value < 2**64 and float(value).is_integer()
    return {f"{name}_whole": int(value)} if whole else {name: value}


def threshold_of(field, value):
    """The options of a value of the field: of 64-bit integers exactly."""
    least = {lib.GLSHAPE_I64: -2**63, lib.GLSHAPE_U64: 0}.get(field.type)
    whole = least is not None and isinstance(value, (int, np.integer)) and least <= value < least + 2**64
    if not whole: return {"threshold": optional(value)}
    return {"threshold_is_whole": True, "threshold_whole": int(value) - (2**64 if value >= 2**63 else 0)}


@dataclass(repr=False, eq=False)
class MergeTreeResult(_picture.Pictured, Result):
    """A merge tree. A branch is a component, from the extremum where it is born to the saddle where it joins an older
    one. Branches that never end come first, the others by descending death."""

    birth: np.ndarray  #: int64: vertices, counted in C order
    death: np.ndarray  #: int64; -1: it never ends
    parent: np.ndarray  #: birth of the branch that it joins
    birth_value: np.ndarray
    death_value: np.ndarray  #: infinity: it never ends
    triplets: Optional[np.ndarray]  #: (n, 3) int64: (u, s, v), the component that u began joins at s that of v
    components: int
    extrema: int  #: branches before simplification
    least: float
    greatest: float
    _values: np.ndarray
    _on_graph: bool
    _superlevel: bool
    _ends: tuple[int, int]  #: vertices of the least and the greatest value

    @property
    def diagram(self) -> np.ndarray:
        """Births and deaths, shape (k, 2)."""
        return np.column_stack([self.birth_value, self.death_value])

    def plot(self, ax=None):
        """Draws the diagram with matplotlib; returns the axes."""
        from ._plot import diagram

        return diagram([self.diagram], ax)

    def _chart(self):
        values = self._values
        branches = structs({name: getattr(self, name) for name in _BRANCH}, "glshape_branch")
        triplets = None if self.triplets is None else np.ascontiguousarray(self.triplets, np.uint32)
        tree = ffi.new("glshape_mergetree_result *", {
            "n": values.size, "count": len(branches), "branches": pointer(branches, "glshape_branch *"),
            "least": self.least, "greatest": self.greatest, "least_vertex": self._ends[0],
            "greatest_vertex": self._ends[1],
            "triplets": ffi.NULL if triplets is None else pointer(triplets, "uint32_t *")})
        field = ffi.new("glshape_field *", {"type": type_of(values), "values": pointer(values, "void *")})
        if self._on_graph:
            field.graph = graph = ffi.new("glshape_graph *")
        else:
            field.dims, graph = values.ndim, None
            field.shape[0:values.ndim] = values.shape
        return _picture.of("branches", of=tree, field=field, superlevel=self._superlevel,
                           keep=(graph, branches, triplets))


def mergetree(values: ArrayLike, *, graph: Any = None, neighborhood: int = 0,
              periodic: Union[bool, Sequence[bool]] = False, superlevel: bool = False, simplify: float = 0,
              relative: bool = False, method: str = "auto", triplets: bool = True,
              context: Optional[Context] = None, progress: Optional[Progress] = None) -> MergeTreeResult:
    """Computes the merge tree of a scalar field: the components of {values <= t} as t rises.

    Parameters
    ----------
    values : array_like of shape (x,), (y, x) or (z, y, x), or (n,) with a graph
        Of equal values the smaller index is the smaller one.
    graph : scipy.sparse matrix of shape (n, n), optional
        Symmetric; an entry is an edge.
    neighborhood : int
        Of a grid: 2 in 1-D; 4, 8 or 6 (Freudenthal's triangles) in 2-D; 6, 18, 26 or 14 (Freudenthal's tetrahedra) in 3-D.
        0: 2, 4 or 6.
    periodic : bool or one for each axis
        The two ends of an axis are neighbors.
    superlevel : bool
        The components of {values >= t} as t falls.
    simplify : float or int
        Cuts the branches whose persistence is below this. For values of float32 both are rounded to float32.
    relative : bool
        `simplify` is a fraction of the range of the values.
    method : {"auto", "basins", "triplet"}
        The result is the same.
    triplets : bool
        Without them it is quicker.
    context, progress
        As :func:`mds`.

    Returns
    -------
    MergeTreeResult

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Notes
    -----
    Smirnov, Morozov, "Triplet merge trees", 2017; Lukasczyk et al., "ExTreeM", 2023.

    Examples
    --------
    >>> valleys = np.array([[9, 1, 9, 2, 9], [9, 5, 7, 8, 9]])
    >>> glshape.mergetree(valleys).diagram
    array([[ 1., inf],
           [ 2.,  8.]])
    """
    vertices = numbers(values, "values", (1, 2, 3) if graph is None else (1,))
    field = field_of(vertices, graph, neighborhood, periodic)
    limit = {"simplify": simplify} if relative else persistence(field, "simplify", simplify)
    options = ffi.new("glshape_mergetree_options *", {
        "method": choose(_METHODS, method, "method"), "superlevel": superlevel, "relative": relative,
        "branches_only": not triplets, **limit})
    r = own("glshape_mergetree_result *", lib.glshape_mergetree_free)
    facts = (context or default())._run(lib.glshape_mergetree, field, options, r, progress=progress)
    branches = array(r, r.branches, r.count)
    return MergeTreeResult(**common(r, facts), **{name: branches[name] for name in _BRANCH},
                           triplets=array(r, r.triplets, r.n, 3), components=r.components, extrema=r.extrema,
                           least=r.least, greatest=r.greatest, _values=vertices,
                           _on_graph=graph is not None, _superlevel=bool(superlevel),
                           _ends=(r.least_vertex, r.greatest_vertex))


@dataclass(repr=False, eq=False)
class ContourResult(Result):
    """A contour tree: arcs between the vertices where level sets appear, join, split or vanish."""

    lower: np.ndarray  #: int64: a vertex
    upper: np.ndarray
    regular: np.ndarray  #: how many vertices lie on the arc
    lower_value: np.ndarray
    upper_value: np.ndarray
    arc: np.ndarray  #: of each vertex, in the shape of the values, int64; -1 at a node


def contour(values: ArrayLike, *, graph: Any = None, neighborhood: int = 0,
            periodic: Union[bool, Sequence[bool]] = False, method: str = "auto",
            context: Optional[Context] = None, progress: Optional[Progress] = None) -> ContourResult:
    """Computes the contour tree of a scalar field: what becomes of the connected parts of {value = t} as t rises.

    Parameters
    ----------
    values, graph, neighborhood, periodic, method
        As :func:`mergetree`; but neighborhood 0 is Freudenthal's, with which every field has a contour tree.
    context, progress
        As :func:`mds`.

    Returns
    -------
    ContourResult

    Raises
    ------
    ValueError
        Also if the field has no contour tree.
    MemoryError
        As :func:`mds`.

    Notes
    -----
    Carr, Snoeyink, Axen, "Computing contour trees in all dimensions", 2003.

    Examples
    --------
    >>> tree = glshape.contour([[0.0, 1, 2], [1, 2, 3], [2, 3, 4]])
    >>> tree.lower, tree.upper, tree.regular
    (array([0]), array([8]), array([7]))
    """
    field = field_of(values, graph, neighborhood, periodic)
    r = own("glshape_contour_result *", lib.glshape_contour_free)
    facts = (context or default())._run(lib.glshape_contour, field, choose(_METHODS, method, "method"), r,
                                        progress=progress)
    arcs = array(r, r.arcs, r.count)
    return ContourResult(**common(r, facts), **{name: arcs[name] for name in arcs.dtype.names},
                         arc=array(r, r.arc, r.n).reshape(np.shape(values)))
