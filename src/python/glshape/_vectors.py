"""Persistence diagrams as rows of numbers."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Iterable, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import array, doubles, new, own, pointer
from ._compare import _flat
from ._context import Context, Progress, choose, count, default
from ._library import ffi, lib
from ._result import Result, common

_KINDS = {"image": lib.GLSHAPE_VECTORS_IMAGE, "landscape": lib.GLSHAPE_VECTORS_LANDSCAPE,
          "silhouette": lib.GLSHAPE_VECTORS_SILHOUETTE, "betti": lib.GLSHAPE_VECTORS_BETTI,
          "entropy": lib.GLSHAPE_VECTORS_ENTROPY, "entropy-curve": lib.GLSHAPE_VECTORS_ENTROPY_CURVE}


@dataclass(repr=False, eq=False)
class VectorsResult(Result):
    """A vector of each diagram."""

    values: np.ndarray  #: float32, shape (n, columns); of landscapes one after the other, of images rows of ascending lifetimes
    grid: Optional[np.ndarray]  #: float64: the samples of curves; None of images and entropy
    range: tuple  #: the first and the last sample; of images those of births, then of lifetimes
    left_out: int  #: pairs that never end and count for nothing


def _numbers(values, what, size):
    """`size` numbers as doubles; None and "auto" are NaN."""
    if values is None:
        return None
    out = doubles([math.nan if x is None or x == "auto" else x for x in values], what, (1,))
    if len(out) != size:
        raise ValueError(f"{what} has {len(out)} numbers; it takes {size}")
    return out


def _resolution(resolution, kind):
    """Samples, or births and lifetimes."""
    sides = (resolution, None) if resolution is None or np.ndim(resolution) == 0 else tuple(resolution)
    if len(sides) > 2 or (len(sides) == 2 and sides[1] is not None and kind != "image"):
        raise ValueError(f"resolution is {resolution!r}; it is a number, or of images two: births and lifetimes")
    return [0 if side is None else count(side, "resolution", 1) for side in (*sides, None)[:2]]


def _weights(weight, pairs, kind):
    """The power of the lifetime, or a weight for each pair: a function gets what GUDHI's gets."""
    if callable(weight):
        of = np.c_[pairs[:, 0], pairs[:, 1] - pairs[:, 0]] if kind == "image" else pairs
        return 0.0, np.array([weight(p) if math.isfinite(p[1]) else 0.0 for p in of], np.float64)
    return float(weight), None


def sampled(pairs, kind, *, resolution=None, range=None, grid=None, keep_endpoints=False, bandwidth=1.0, weight=0.0,
            landscapes=5, gudhi_scale=False, normalized=True, cut=None):
    """A glshape_vectors_options *, which keeps alive what it points to, of the arguments of :func:`vectors`."""
    if not bandwidth > 0:
        raise ValueError(f"bandwidth is {bandwidth}; it is above 0")
    power, weights = _weights(weight, pairs, kind)
    ends = _numbers(range, "range", 4 if kind == "image" else 2)
    samples = None if grid is None else doubles(grid, "grid", (1,))
    if samples is not None and not len(samples):
        raise ValueError("grid is empty; it has a sample at least")
    sides = _resolution(resolution if samples is None else len(samples), kind)
    options = new("glshape_vectors_options *", {
        "kind": choose(_KINDS, kind, "kind"), "resolution": sides[0], "resolution_y": sides[1],
        "landscapes": count(landscapes, "landscapes", 1), "bandwidth": bandwidth, "weight": power,
        "keep_endpoints": keep_endpoints, "gudhi_scale": gudhi_scale, "unnormalized": not normalized,
        "cut": cut is not None, "cut_at": 0 if cut is None else cut}, keep=(weights, ends, samples))
    for name, values in (("weights", weights), ("range", ends), ("grid", samples)):
        if values is not None:
            setattr(options, name, pointer(values, "double *"))
    return options


def vectors(diagrams: Iterable[ArrayLike], kind: str = "image", *, resolution: Union[int, Sequence[int], None] = None,
            range: Optional[Sequence[float]] = None, grid: Optional[ArrayLike] = None, keep_endpoints: bool = False,
            bandwidth: float = 1.0, weight: Union[float, Callable] = 0.0, landscapes: int = 5, gudhi_scale: bool = False,
            normalized: bool = True, cut: Optional[float] = None, context: Optional[Context] = None,
            progress: Optional[Progress] = None) -> VectorsResult:
    """Makes a row of numbers of each persistence diagram.

    Parameters
    ----------
    diagrams : iterable of array_like of shape (pairs, 2)
        As :func:`compare`. Pairs whose birth is their death count for nothing; a diagram without pairs becomes zeros.
    kind : {"image", "landscape", "silhouette", "betti", "entropy", "entropy-curve"}
        A sum of Gaussians at (birth, lifetime), seen at a grid of points (Adams et al., 2017); the greatest of the pairs'
        tents (Bubenik, 2015); their weighted mean (Chazal et al., 2014); how many pairs cover a sample; persistent entropy,
        one number (Chintakunta et al., 2015); or its curve (Atienza et al., 2020).
    resolution : int or (int, int), optional
        Samples of a curve: 100 by default. Births of an image: 20 by default, and lifetimes: as births.
    range : sequence of 2 or, for images, 4 numbers, optional
        The first and the last sample; births, then lifetimes. None, or NaN among them: the least and greatest of all pairs.
    grid : array_like, optional
        The samples of a curve, ascending, in place of `range` and `resolution`.
    keep_endpoints : bool
        Curves: where ends are found, they are samples. Else samples lie between them.
    bandwidth : float
        The standard deviation of an image's Gaussians.
    weight : float or function
        Images and silhouettes: a pair weighs its lifetime to this power, or what the function makes of it: of (birth,
        lifetime) for images, of (birth, death) for silhouettes, as in GUDHI.
    landscapes : int
        How many.
    gudhi_scale : bool
        Landscapes and silhouettes are multiplied by √2, as GUDHI has them. The papers do not.
    normalized : bool
        Entropy curves are divided by their sum.
    cut : float, optional
        Where pairs end that never end. Without it they are left out, but for Betti curves.
    context, progress
        As :func:`mds`.

    Returns
    -------
    VectorsResult

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Examples
    --------
    >>> glshape.vectors([[[0, 4], [1, 3]], []], "landscape", landscapes=2, grid=[1, 2, 3]).values
    array([[1., 2., 1., 0., 1., 0.],
           [0., 0., 0., 0., 0., 0.]], dtype=float32)
    """
    pairs, first = _flat(diagrams)
    given = ffi.new("glshape_diagrams *", {"count": len(first) - 1, "first": pointer(first, "size_t *"),
                                           "pairs": pointer(pairs, "double *")})
    options = sampled(pairs, kind, resolution=resolution, range=range, grid=grid, keep_endpoints=keep_endpoints,
                      bandwidth=bandwidth, weight=weight, landscapes=landscapes, gudhi_scale=gudhi_scale,
                      normalized=normalized, cut=cut)
    r = own("glshape_vectors_result *", lib.glshape_vectors_free)
    facts = (context or default())._run(lib.glshape_vectors, given, options, r, progress=progress)
    return VectorsResult(**common(r, facts), values=array(r, r.values, r.n, r.columns),
                         grid=array(r, r.grid, r.samples) if r.samples else None,
                         range=tuple(r.range[0:0 if kind == "entropy" else 4 if kind == "image" else 2]),
                         left_out=int(r.left_out))
