"""Persistence barcodes."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Union

import numpy as np

from . import _batch, _diagram, _picture
from ._arrays import array, doubles, own
from ._context import Call, Context, Progress, choose, count, default, optional, threads_of
from ._library import ffi, lib
from ._result import Compared, Result, common
from ._source import Reader, source


_COLLAPSE = {"off": lib.GLSHAPE_RIPS_COLLAPSE_OFF, "auto": lib.GLSHAPE_RIPS_COLLAPSE_AUTO,
             "on": lib.GLSHAPE_RIPS_COLLAPSE_ON}


@dataclass(repr=False, eq=False)
class Cocycle(Compared):
    """Represents the class of an interval in cohomology."""

    interval: int  #: its place in the intervals
    vertices: np.ndarray  #: (terms, dim + 1): simplices
    coefficients: np.ndarray  #: int64, 1 to modulus - 1


@dataclass(repr=False, eq=False)
class RipsResult(_picture.Pictured, Result):
    """The intervals of persistent homology."""

    n: int
    intervals: np.ndarray  #: dim, birth, death, birth_simplex, death_simplex: as the command writes them
    dim: int
    threshold: float  #: the largest diameter of a simplex
    least: float  #: the least distance
    greatest: float
    cocycles: list[Cocycle]  #: of the long intervals, if asked for
    permutation: Optional[np.ndarray]  #: with n_perm: the row of each point; simplices have places in it
    cover_radius: float  #: no row is farther from those of the permutation

    @property
    def diagrams(self) -> list[np.ndarray]:
        """For each dimension births and deaths, shape (k, 2)."""
        return _diagram.diagrams(self.intervals, self.dim + 1)

    def simplices(self, dim: int) -> tuple[np.ndarray, np.ndarray]:
        """The vertices of the simplices that begin and that end the intervals of a dimension, in descending order;
        -1 where there is none."""
        of = self.intervals[self.intervals["dim"] == dim]
        return (_diagram.vertices(self.n, of["birth_simplex"], dim + 1),
                _diagram.vertices(self.n, of["death_simplex"], dim + 2))

    def plot(self, ax=None):
        """Draws the diagram with matplotlib; returns the axes."""
        from ._plot import diagram

        return diagram(self.diagrams, ax)

    def _chart(self):
        return _picture.barcode(self.intervals, self.dim + 1, self.threshold)


def _cocycles(r):
    out = []
    for k in range(r.cocycle_count):
        c = r.cocycles[k]
        terms = array(r, c.terms, c.count)
        dim = r.intervals[c.interval].dim
        out.append(Cocycle(c.interval, _diagram.vertices(r.n, terms["simplex"], dim + 1), terms["coefficient"]))
    return out


def rips(x: Any, dim: int = 1, *, metric: str = "euclidean", p: Optional[float] = None,
         threshold: Optional[float] = None, ratio: float = 1, modulus: int = 2, sparse: bool = False, collapse: str = "off",
         n_perm: Optional[int] = None, weights: Any = None, births: Any = None,
         cocycles: Union[bool, float] = False, count_pairs: bool = False, threads: int = 0,
         context: Optional[Context] = None, progress: Optional[Progress] = None) -> RipsResult:
    """Computes the intervals of persistent homology of the Vietoris-Rips filtration, exactly.

    Parameters
    ----------
    x : array_like of shape (n, d), or scipy.sparse matrix, or Reader
        Points. With ``metric="precomputed"`` distances, as :func:`mds` takes them; infinity: two points are never
        joined. The edges of a graph are its only distances. They are taken in single precision.

        An array of shape (m, n, d), or a list of such inputs, is many problems: see :func:`rips_batch`.
    dim : int
        Highest dimension of the intervals, 0 to 16.
    metric : {"euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "haversine", "precomputed"}
        "haversine" is along the unit sphere, as in scikit-learn: rows are latitude and longitude in radians, distances
        radians. (The command takes degrees, and gives kilometers.)
    p : float, optional
        Of "minkowski": 1 to 64, or infinity. The default is 2.
    threshold : float, optional
        The largest diameter of a simplex. The default is the enclosing radius, beyond which nothing changes.
    ratio : float
        Only intervals with death > ratio · birth.
    modulus : int
        Coefficients are in Z/modulus, a prime.
    sparse : bool
        Keeps only the distances up to the threshold, not a matrix.
    collapse : {"off", "auto", "on"}
        "on" takes edges away, or makes them appear later, where no interval changes by it: births and deaths stay the
        same, and simplices and cocycles are those of the smaller complex. "auto" does so without `cocycles`, for
        dimension 2 and above, if a sample of the edges says that it saves time: right for whoever needs no simplices.
    n_perm : int, optional
        Only so many points: the first of the greedy permutation, of which every next point is the farthest from those
        before it.
    weights : array_like of shape (n,), optional
        Weighted Rips: point x begins at 2 f(x), the edge {x, y} at max(d(x, y) + f(x) + f(y), 2 f(x), 2 f(y)). That is
        the filtration of Anai et al., "DTM-based filtrations", 2020, with p = 1, doubled, as GUDHI has it.
    births : array_like of shape (n,), optional
        The value at which each point begins, instead of weights; no edge begins before its ends. Births may be any
        numbers that single precision holds; distances and `threshold` may then be negative, too, as in a lower-star
        filtration. (For superlevels negate all values.)
    cocycles : bool or float
        Also cocycles that represent the intervals longer than this, and those that never end. True: longer than half
        the longest of the dimension that ends.
    count_pairs : bool
        Also counts the simplices and pairs of each dimension from 1 on, in the result's `facts`; takes about a tenth more
        time.
    threads : int
        Of the work on the CPU; 0 or -1: one a processor. The answer does not depend on it.
    context, progress
        As :func:`mds`.

    Returns
    -------
    RipsResult
        A list of them for many problems.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Notes
    -----
    Bauer, "Ripser", 2021. Glisse, Pritam, "Swap, shift and trim to edge collapse a filtration", 2022 (collapse).

    Examples
    --------
    >>> square = glshape.rips([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> square.diagrams[1]
    array([[1.        , 1.41421354]])
    """
    options = {"metric": metric, "p": p, "threshold": threshold, "ratio": ratio, "modulus": modulus, "sparse": sparse,
               "collapse": collapse, "n_perm": n_perm, "weights": weights, "births": births, "cocycles": cocycles,
               "count_pairs": count_pairs}
    if _is_batch(x):
        return rips_batch(x, dim, threads=threads, context=context, progress=progress, **options)
    return _rips(x, dim, threads=threads, context=context, progress=progress, **options)


def _sample(n_perm):
    if n_perm is not None and n_perm < 1:
        raise ValueError(f"n_perm is {n_perm}; it is at least 1")
    return count(n_perm or 0, "n_perm")


def _per_point(options, name, values, of):
    """Sets an option of a number a point; returns what has to live as long."""
    if values is None:
        return None
    values = doubles(values, name, (1,))
    n = of.points.rows if of.points else of.graph.nodes if of.graph else of.n
    if values.shape != (n,):
        raise ValueError(f"{name}: shape {values.shape}; there are {n} points")
    at = ffi.cast("double *", values.ctypes.data)
    setattr(options, name, at)
    return values, at


def _rips(x, dim, *, metric, p, threshold, ratio, modulus, sparse, collapse, n_perm, weights, births,
          cocycles, count_pairs, threads, context, progress=None):
    call = Call(progress)
    length = None if isinstance(cocycles, bool) else cocycles
    options = ffi.new("glshape_rips_options *", {
        "dim": optional(dim), "threshold": optional(threshold), "ratio": ratio, "modulus": count(modulus, "modulus"),
        "sparse": sparse, "collapse": choose(_COLLAPSE, collapse, "collapse"), "threads": threads_of(threads),
        "cocycles": cocycles is not False, "count_pairs": count_pairs,
        "cocycle_length": optional(length), "n_perm": _sample(n_perm)})
    given = source(x, metric, call, p=p, infinite=True, negative=births is not None)
    kept = [_per_point(options, name, values, given) for name, values in (("weights", weights), ("births", births))]
    r = own("glshape_rips_result *", lib.glshape_rips_free)
    facts = (context or default())._run(lib.glshape_rips, given, options, r, call=call)
    del kept
    return RipsResult(**common(r, facts), n=r.n, dim=r.dim, intervals=array(r, r.intervals, r.count),
                      threshold=r.threshold, least=r.least, greatest=r.greatest, cocycles=_cocycles(r),
                      permutation=None if n_perm is None else array(r, r.permutation, r.n),
                      cover_radius=r.cover_radius)


# ---- many problems -----------------------------------------------------------------------------------------

_SMALL = 512  # points: of such problems each thread does one, larger ones take all threads, one at a time
_one_large = threading.Lock()


def _is_batch(x):
    if isinstance(x, (list, tuple)):
        return len(x) > 0 and (hasattr(x[0], "tocsr") or isinstance(x[0], Reader) or getattr(x[0], "ndim", 0) == 2)
    return getattr(x, "ndim", 0) == 3


def _size(x):
    return x.n if isinstance(x, Reader) else x.shape[0] if hasattr(x, "shape") else len(x)


def rips_batch(inputs: Iterable[Any], dim: int = 1, *, metric: str = "euclidean", p: Optional[float] = None,
               threshold: Optional[float] = None, ratio: float = 1, modulus: int = 2, sparse: bool = False, collapse: str = "off",
               n_perm: Optional[int] = None, weights: Any = None, births: Any = None,
               cocycles: Union[bool, float] = False, count_pairs: bool = False, threads: int = 0,
               errors: str = "raise", context: Optional[Context] = None,
               progress: Optional[Progress] = None) -> list[RipsResult]:
    """Computes the intervals of many inputs, as one job: several threads, each with an open device.

    Parameters
    ----------
    inputs : iterable
        Each is what :func:`rips` takes. It is read as results are made, so a generator's inputs are not all in memory.
    threads : int
        How many inputs are worked on at a time; 0 or -1: one a processor.
    errors : {"raise", "return"}
        What becomes of an input that cannot be used: "return" puts the exception into the list, in its place.
    dim, metric, p, threshold, ratio, modulus, sparse, collapse, n_perm, weights, births, cocycles, count_pairs, context, progress
        As :func:`rips`; weights and births are the same for every input.

    Returns
    -------
    list of RipsResult
        In the order of the inputs; the same as that of one call for each.

    Examples
    --------
    >>> clouds = np.random.default_rng(0).random((5, 20, 3))
    >>> [len(result.diagrams[0]) for result in glshape.rips_batch(clouds)]
    [20, 20, 20, 20, 20]
    """

    def work(x, context, progress):
        options = {"metric": metric, "p": p, "threshold": threshold, "ratio": ratio, "modulus": modulus,
                   "sparse": sparse, "collapse": collapse, "n_perm": n_perm, "weights": weights, "births": births, "cocycles": cocycles,
                   "count_pairs": count_pairs, "context": context, "progress": progress}
        if _size(x) <= _SMALL:
            return _rips(x, dim, threads=1, **options)
        with _one_large:
            return _rips(x, dim, threads=0, **options)

    return _batch.run(inputs, work, threads=threads, context=context, errors=errors, progress=progress)
