"""Alpha shapes of points in the plane."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _diagram, _geo, _picture
from ._arrays import array, matrix, numbers, own, pointer
from ._context import Context, Progress, count, default
from ._library import ffi, lib
from ._result import Compared, Result, common

_libc = ffi.dlopen(None)
ffi.cdef("void free(void *);")


def _rings(owner, s):
    """Of each component of a shape, which owner has: the outer ring of points, then its holes."""
    start, ring = array(owner, s.ring_start, s.rings + 1), array(owner, s.ring, s.ring_start[s.rings])
    rings = [ring[first:last] for first, last in zip(start, start[1:])]
    components = array(owner, s.component, s.components)
    return [rings[c["first_ring"]:c["first_ring"] + c["rings"]] for c in components]


class _Drawn(Compared, _geo.Mapped, _picture.Pictured):
    """A shape with points, rings and _lines(), the ends of its singular edges."""

    def plot(self, ax=None):
        """Draws the shape with matplotlib; returns the axes."""
        from ._plot import rings

        return rings(self.points, self.rings, ax)

    def _chart(self):
        rings = [ring for component in self.rings for ring in component]
        start = np.cumsum([0] + [len(ring) for ring in rings], dtype=np.uintp)
        ring = np.concatenate(rings).astype(np.uint32) if rings else np.empty(0, np.uint32)
        lines = np.ascontiguousarray(self._lines(), np.uint32)
        region = ffi.new("glshape_chart_region *", {
            "rings": len(rings), "ring_start": pointer(start, "size_t *"), "ring": pointer(ring, "uint32_t *"),
            "lines": len(lines), "line": pointer(lines, "uint32_t (*)[2]")})
        return _picture.scatter(self.points, region=region, keep=(start, ring, lines))


@dataclass(repr=False, eq=False)
class AlphaOutline(_Drawn):
    """One alpha shape: its boundary, and what does not bound a triangle. Points are named by their rows."""

    rank: int  #: of its radius in the spectrum
    radius: float
    radii: tuple[float, float]  #: the least and the greatest of the spectrum
    ranks: int  #: how many radii the spectrum has
    rings: list[list[np.ndarray]]  #: of each component: the outer ring of points, then its holes
    areas: np.ndarray  #: of the components, (k,) float64
    perimeters: np.ndarray  #: (k,) float64, of all rings of a component
    singular_edges: np.ndarray  #: (m, 2) int64: edges that bound no triangle of the shape
    singular_points: np.ndarray  #: (l,) int64: points that bound no edge of the shape
    points: np.ndarray

    def _lines(self):
        return self.singular_edges


@dataclass(repr=False, eq=False)
class AlphaShape(_Drawn):
    """The alpha shape of one radius."""

    rank: int
    radius: float
    vertex: np.ndarray  #: class of each point, uint8: 0 exterior, 1 singular, 2 regular, 3 interior
    edge: np.ndarray
    triangle: np.ndarray
    component_of: np.ndarray  #: of each triangle, int64; -1: it is not in the shape
    areas: np.ndarray  #: of the components
    perimeters: np.ndarray
    rings: list[list[np.ndarray]]  #: of each component: the outer ring of points, then its holes
    points: np.ndarray
    _edges: np.ndarray = field(repr=False)  #: ends of each edge

    def _lines(self):
        return self._edges[self.edge == 1]


@dataclass(repr=False, eq=False)
class AlphaResult(Result):
    """The alpha shapes for all radii. In the tables of ranks 0 stands for "never"."""

    points: np.ndarray
    triangles: np.ndarray  #: (k, 3) int64: corners, counter-clockwise
    neighbors: np.ndarray  #: (k, 3) int64: the triangle opposite each corner; -1: none
    triangle_edges: np.ndarray  #: (k, 3) int64: the edge opposite each corner
    edges: np.ndarray  #: (m, 2) int64
    same: np.ndarray  #: (n,) int64: the first point at the same place
    radii: np.ndarray  #: by rank; rank 0 is radius 0
    triangle_ranks: np.ndarray  #: (k,) int64: it becomes interior
    edge_ranks: np.ndarray  #: (m, 3): it becomes singular, regular, interior
    vertex_ranks: np.ndarray  #: (n, 3): it becomes regular, interior, a corner of a triangle in the shape
    master: Optional[np.ndarray]  #: all thresholds by rank, if asked for: face, dim, threshold
    master_start: Optional[np.ndarray]
    _result: Any  #: the library's; None: it is still to be computed, as after unpickling
    _context: Optional[Context]

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_result": None, "_context": None}

    def _run(self, function, *arguments):
        """Calls a function of the result, on the context that made it or, if that is closed, on that which all share."""
        context = default() if self._context is None or self._context.closed else self._context
        if self._result is None:
            self._result = _compute(self.points, self.master is not None, context)[0]
        return context._run(function, self._result, *arguments)

    def rank(self, radius: float) -> int:
        """The rank of a radius: how many radii of the spectrum are at most this one, exactly."""
        rank = ffi.new("uint32_t *")
        self._run(lib.glshape_alpha_rank, radius, rank)
        return rank[0]

    def optimal(self, components: int = 1) -> int:
        """The least rank at which every point is on a triangle and there are at most so many solid components."""
        rank = ffi.new("uint32_t *")
        self._run(lib.glshape_alpha_optimal, count(components, "components", 1), rank)
        return rank[0]

    def at(self, radius: Optional[float] = None, *, rank: Optional[int] = None,
           regularized: bool = False) -> AlphaShape:
        """The shape at a radius, or at a rank. `regularized`: only triangles and what bounds them.

        Examples
        --------
        >>> shape = glshape.alpha([[0, 0], [2, 0], [2, 2], [0, 2], [9, 9]]).at(2)
        >>> shape.rings, shape.areas
        ([[array([0, 1, 2, 3])]], array([4.]))
        """
        if (radius is None) == (rank is None):
            raise ValueError("a shape is at a radius or at a rank: give one of them")
        s = own("glshape_alpha_shape *", lib.glshape_alpha_shape_free)
        rank = self.rank(radius) if rank is None else count(rank, "rank")
        self._run(lib.glshape_alpha_at, rank, regularized, s)
        components = array(s, s.component, s.components)
        return AlphaShape(
            rank=s.rank, radius=s.radius, vertex=array(s, s.vertex, len(self.same)),
            edge=array(s, s.edge, len(self.edges)), triangle=array(s, s.triangle, len(self.triangles)),
            component_of=array(s, s.component_of, len(self.triangles)), areas=components["area"],
            perimeters=components["perimeter"], points=self.points, _edges=self.edges, rings=_rings(s, s))

    def intervals(self) -> np.ndarray:
        """The intervals of persistent homology of the alpha filtration: dim, birth, death and simplices."""
        at, found = ffi.new("glshape_interval **"), ffi.new("size_t *")
        self._run(lib.glshape_alpha_persistence, at, found)
        return array(ffi.gc(at[0], _libc.free), at[0], found[0])

    @property
    def diagrams(self) -> list[np.ndarray]:
        """For dimensions 0 and 1 births and deaths, shape (k, 2). They are radii; GUDHI's alpha complex has their squares."""
        return _diagram.diagrams(self.intervals(), 2)


def _compute(points, master, context, progress=None):
    options = ffi.new("glshape_alpha_options *", (master,))
    r = own("glshape_alpha_result *", lib.glshape_alpha_free)
    return r, context._run(lib.glshape_alpha, matrix(points), options, r, progress=progress)


def alpha(points: ArrayLike, *, master: bool = False, context: Optional[Context] = None,
          progress: Optional[Progress] = None) -> AlphaResult:
    """Computes the alpha shapes of points in the plane, for all radii, exactly.

    Parameters
    ----------
    points : array_like of shape (n, 2)
    master : bool
        Also the master list of thresholds.
    context, progress
        As :func:`mds`.

    Returns
    -------
    AlphaResult
        Its methods give the shape at a radius, and barcodes.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Notes
    -----
    Edelsbrunner, Kirkpatrick, Seidel, "On the shape of a set of points in the plane", 1983.

    Examples
    --------
    >>> glshape.alpha([[0, 0], [2, 0], [2, 2], [0, 2]]).radii
    array([0.        , 1.        , 1.41421356])
    """
    given = numbers(points, "points")
    r, facts = _compute(given, master, context or default(), progress)
    faces = r.triangle_count
    return AlphaResult(
        **common(r, facts), points=given, triangles=array(r, r.triangles, faces, 3),
        neighbors=array(r, r.neighbors, faces, 3), triangle_edges=array(r, r.triangle_edges, faces, 3),
        edges=array(r, r.edges, r.edge_count, 2), same=array(r, r.same, r.n),
        radii=array(r, r.radii, r.ranks + 1), triangle_ranks=array(r, r.triangle_ranks, faces),
        edge_ranks=array(r, r.edge_ranks, r.edge_count, 3), vertex_ranks=array(r, r.vertex_ranks, r.n, 3),
        master=array(r, r.master, r.master_count) if master else None,
        master_start=array(r, r.master_start, r.ranks + 2) if master else None, _result=r, _context=context)


def alpha_shape(points: ArrayLike, radius: Optional[float] = None, *, rank: Optional[int] = None,
                optimal: Optional[int] = None, regularized: bool = False, context: Optional[Context] = None,
                progress: Optional[Progress] = None) -> AlphaOutline:
    """Computes one alpha shape of points in the plane, exactly: that of ``alpha(points).at(radius)``, in less time.

    Parameters
    ----------
    points : array_like of shape (n, 2)
    radius : float
        The shape of this radius; CGAL's alpha is its square.
    rank : int
        The shape of this rank in the spectrum; 0: only the points.
    optimal : int
        The shape of the least radius at which every point is on a triangle and there are at most so many solid
        components. One of these three is to be given.
    regularized : bool
        Only triangles and what bounds them: no singular edges and points.
    context, progress
        As :func:`mds`.

    Returns
    -------
    AlphaOutline

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Notes
    -----
    Edelsbrunner, Kirkpatrick, Seidel, "On the shape of a set of points in the plane", 1983.

    Examples
    --------
    >>> shape = glshape.alpha_shape([[0, 0], [2, 0], [2, 2], [0, 2], [9, 9]], 2)
    >>> shape.rings, shape.areas, shape.singular_points
    ([[array([0, 1, 2, 3])]], array([4.]), array([4]))
    """
    if sum(given is not None for given in (radius, rank, optimal)) != 1:
        raise ValueError("a shape is at a radius, at a rank, or optimal: give one of them")
    given = numbers(points, "points")
    choice = ffi.new("glshape_alpha_choice *", {"regularized": regularized})
    if radius is not None:
        choice.alpha = {"is_set": True, "value": radius}
    if optimal is not None:
        choice.optimal = count(optimal, "optimal", 1)
    if rank is not None:
        choice.rank = count(rank, "rank")
    o = own("glshape_alpha_outline *", lib.glshape_alpha_outline_free)
    (context or default())._run(lib.glshape_alpha_outline_of, matrix(given), choice, o, progress=progress)
    components = array(o, o.shape.component, o.shape.components)
    return AlphaOutline(
        rank=o.shape.rank, radius=o.shape.radius, radii=(o.least_radius, o.greatest_radius), ranks=o.ranks,
        rings=_rings(o, o.shape), areas=components["area"], perimeters=components["perimeter"],
        singular_edges=array(o, ffi.cast("uint32_t *", o.singular_edge), o.singular_edges, 2),
        singular_points=array(o, o.singular_point, o.singular_points), points=given)
