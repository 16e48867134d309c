"""Distances between persistence diagrams."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import array, own, pointer
from ._context import Context, Progress, choose, default
from ._library import ffi, lib
from ._result import Result, common

_METRICS = {"sliced-wasserstein": lib.GLSHAPE_COMPARE_SLICED_WASSERSTEIN, "bottleneck": lib.GLSHAPE_COMPARE_BOTTLENECK,
            "wasserstein": lib.GLSHAPE_COMPARE_WASSERSTEIN, "image": lib.GLSHAPE_COMPARE_IMAGE,
            "landscape": lib.GLSHAPE_COMPARE_LANDSCAPE}


@dataclass(repr=False, eq=False)
class CompareResult(Result):
    """The distances between diagrams."""

    distance: np.ndarray  #: float32, shape (n, n): symmetric, 0 on the diagonal; inf where diagrams have not as many pairs without an end
    error: Optional[np.ndarray]  #: float32, shape (n, n): the standard error of each distance, with ``errors``; else None
    largest_error: float  #: of all errors; 0 without them
    gap: float  #: Wasserstein: by how much a distance may exceed the least at most, divided by that


def _flat(diagrams):
    """All pairs, shape (k, 2) float64, and where those of each diagram begin."""
    arrays = [np.asarray(d, np.float64).reshape(-1, 2) if np.size(d) == 0 else np.asarray(d, np.float64) for d in diagrams]
    for k, d in enumerate(arrays):
        if d.ndim != 2 or d.shape[1] != 2:
            raise ValueError(f"diagram {k + 1} has shape {d.shape}; a diagram has a birth and a death a row: (pairs, 2)")
    first = np.cumsum([0] + [len(d) for d in arrays]).astype(np.uintp)
    return np.ascontiguousarray(np.concatenate(arrays) if arrays else np.empty((0, 2))), first


def compare(diagrams: Iterable[ArrayLike], *, metric: str = "sliced-wasserstein", directions: Optional[int] = None,
            order: Optional[float] = None, internal_p: Optional[float] = None, tolerance: Optional[float] = None,
            vectors: Optional[dict] = None, more: Sequence[Iterable[ArrayLike]] = (), errors: bool = False,
            context: Optional[Context] = None, progress: Optional[Progress] = None) -> CompareResult:
    """Finds the distances between all persistence diagrams.

    Parameters
    ----------
    diagrams : iterable of array_like of shape (pairs, 2)
        Births and deaths of one dimension each: of ``glshape.rips(x).diagrams[1]``, of GUDHI, ripser.py or giotto. A death
        may be infinite; such pairs are matched among themselves, in the order of births.
    metric : {"sliced-wasserstein", "bottleneck", "wasserstein", "image", "landscape"}
        The sliced Wasserstein distance (Carrière, Cuturi, Oudot, 2017), a mean over directions; the bottleneck distance, in
        the maximum norm; the Wasserstein distance; or the Euclidean distance of what :func:`vectors` makes.
    directions : int, optional
        Of slices: 50 by default.
    order, internal_p : float, optional
        Of "wasserstein", as GUDHI calls them: costs are distances to the power `order`, 1 to 64, 1 by default; distances are of the
        norm `internal_p`, infinite by default.
    tolerance : float, optional
        Of "wasserstein": distances are at most 1 + tolerance times the least, 0.01 by default. 0: exact.
    vectors : dict, optional
        Of "image" and "landscape": arguments of :func:`vectors`, such as ``{"bandwidth": 0.1}``.
    more : sequence of iterables, optional
        Diagrams of the same things in other dimensions, as many in each: they are compared by themselves, and the distances
        are added.
    errors : bool
        "sliced-wasserstein": whether the standard errors over the directions are found, too; processors then compare. The
        error of a distance is the standard deviation of the distances on the lines, divided by the root of
        `directions`, at least 2. Errors of several dimensions are added.
    context, progress
        As :func:`mds`.

    Returns
    -------
    CompareResult
        What :func:`mds`, :func:`hdbscan` and :func:`linkage` take with ``metric="precomputed"``.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Examples
    --------
    >>> glshape.compare([[[0, 1]], [[0, 2], [5, 5.5]], []], metric="bottleneck").distance
    array([[0. , 1. , 0.5],
           [1. , 0. , 1. ],
           [0.5, 1. , 0. ]], dtype=float32)
    """
    from . import _vectors  # which imports this

    which = choose(_METRICS, metric, "metric")
    if directions is not None and metric != "sliced-wasserstein":
        raise ValueError("directions go with metric='sliced-wasserstein'")
    if metric != "wasserstein" and not order is internal_p is tolerance is None:
        raise ValueError("order, internal_p and tolerance go with metric='wasserstein'")
    for name, value, least in (("order", order, 1), ("internal_p", internal_p, 1), ("tolerance", tolerance, 0)):
        if value is not None and not value >= least:
            raise ValueError(f"{name} is {value}; it is {least} or above")
    if vectors and metric not in ("image", "landscape"):
        raise ValueError("vectors go with metric='image' or 'landscape'")
    if errors and (metric != "sliced-wasserstein" or directions == 1):
        raise ValueError("errors go with metric='sliced-wasserstein' and two directions or more")
    flat = [_flat(d) for d in (diagrams, *more)]
    for _, first in flat[1:]:
        if len(first) != len(flat[0][1]):
            raise ValueError(f"{len(flat[0][1]) - 1} diagrams, and {len(first) - 1} of another dimension; they are as many")
    every = np.concatenate([pairs for pairs, _ in flat])
    made = _vectors.sampled(every, metric, **vectors or {}) if metric in ("image", "landscape") else ffi.NULL
    given = ffi.new("glshape_diagrams[]", [{"count": len(first) - 1, "first": pointer(first, "size_t *"),
                                            "pairs": pointer(pairs, "double *")} for pairs, first in flat])
    options = ffi.new("glshape_compare_options *", {"metric": which, "directions": directions or 0, "order": order or 0,
                                                        "internal_p": internal_p or 0, "tolerance": tolerance or 0,
                                                        "exact": tolerance == 0, "vectors": made, "more": given + 1,
                                                        "more_count": len(flat) - 1, "errors": errors})
    r = own("glshape_compare_result *", lib.glshape_compare_free)
    facts = (context or default())._run(lib.glshape_compare, given, options, r, progress=progress)
    return CompareResult(**common(r, facts), distance=array(r, r.distance, r.n, r.n),
                         error=array(r, r.error, r.n, r.n) if errors else None, largest_error=float(r.largest_error),
                         gap=float(r.gap))
