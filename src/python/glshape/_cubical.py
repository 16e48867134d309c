"""Persistence of images and volumes."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Iterable, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _batch, _diagram, _picture
from ._arrays import array, own
from ._context import Context, Progress, choose, count, default, optional, threads_of
from ._field import field_of, persistence, threshold_of
from ._library import ffi, lib
from ._result import Result, common

_CONSTRUCTIONS = {"top_cells": lib.GLSHAPE_CUBICAL_TOP_CELLS, "vertices": lib.GLSHAPE_CUBICAL_VERTICES}


@dataclass(repr=False, eq=False)
class CubicalResult(_picture.Pictured, Result):
    """The intervals of persistent homology of an image or a volume."""

    intervals: np.ndarray  #: dim, birth_vertex, death_vertex, birth, death; vertices (or top cells) counted in C order
    shape: tuple[int, ...]  #: of the values
    dim: int  #: the highest dimension that an interval may have
    least: float  #: value
    greatest: float
    _superlevel: bool

    @property
    def diagrams(self) -> list[np.ndarray]:
        """For each dimension births and deaths, shape (k, 2). What never ends dies at infinity, of superlevels, too."""
        return _diagram.diagrams(self.intervals, self.dim + 1)

    def cells(self, dim: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the intervals of a dimension begin and end in the array: two arrays with a place a row, as
        ``np.argwhere`` gives them; -1 where there is none.

        Examples
        --------
        >>> ring = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]])
        >>> glshape.cubical(ring).cells(1)[1]
        array([[1, 1]])
        """
        of = self.intervals[self.intervals["dim"] == dim]
        ends = of["death"] < np.inf
        births, deaths = (np.full((len(of), len(self.shape)), -1) for _ in range(2))
        births[:] = np.column_stack(np.unravel_index(of["birth_vertex"], self.shape))
        deaths[ends] = np.column_stack(np.unravel_index(of["death_vertex"][ends], self.shape))
        return births, deaths

    def plot(self, ax=None):
        """Draws the diagram with matplotlib; returns the axes."""
        from ._plot import diagram

        return diagram(self.diagrams, ax)

    def _chart(self):
        dims = len(self.shape)
        return _picture.barcode(
            self.intervals, dims + bool((self.intervals["dim"] == dims).any()),
            self.least if self._superlevel else self.greatest, falling=self._superlevel,
            scale=_picture.text("negated value" if self._superlevel else "value"))


def cubical(values: ArrayLike, *, construction: str = "top_cells", superlevel: bool = False,
            periodic: Union[bool, Sequence[bool]] = False, dim: Optional[int] = None,
            threshold: Optional[float] = None, min_persistence: float = 0, modulus: int = 2, threads: int = 0,
            context: Optional[Context] = None, progress: Optional[Progress] = None) -> CubicalResult:
    """Computes the persistent homology of an image or a volume, exactly and in all dimensions: where the components,
    loops and voids of {values <= t} appear and vanish as t rises.

    Parameters
    ----------
    values : array_like of shape (x,), (y, x) or (z, y, x)
        An infinite value is that of a cell which is never there: infinity, for superlevels minus infinity.
    construction : {"top_cells", "vertices"}
        Values are those of pixels or voxels, which touch at corners, too; or those of vertices, of which only those
        beside each other are connected.
    superlevel : bool
        Those of {values >= t} as t falls.
    periodic : bool or one for each axis
        The two ends of an axis are neighbors.
    dim : int, optional
        Only this dimension; the default is all.
    threshold : float or int, optional
        Where the filtration ends: cells beyond it are left out. It is rounded to float32 for values of float32, and
        compared exactly with integers.
    min_persistence : float or int
        Shorter intervals are left out; those of length 0 are in any case. For values of float32 it and the lengths are
        rounded to float32.
    modulus : int
        Coefficients are in Z/modulus, a prime.
    threads : int
        Of the work on the CPU; 0 or -1: one a processor. The answer does not depend on it.
    context, progress
        As :func:`mds`.

    Returns
    -------
    CubicalResult
        Of equal values the smaller index comes first, so the pairs of cells are the same on every device.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Notes
    -----
    Robins, Wood, Sheppard, "Theory and algorithms for constructing discrete Morse complexes from grayscale digital
    images", 2011; Bleile, Garin, Heiss, Maggs, Robins, "The persistent homology of dual digital image constructions",
    2022; Bauer, "Ripser", 2021.

    Examples
    --------
    >>> ring = np.array([[1, 1, 1, 9], [1, 5, 1, 9], [1, 1, 1, 0]])
    >>> glshape.cubical(ring).diagrams
    [array([[ 0., inf]]), array([[1., 5.]])]
    >>> glshape.cubical(ring, construction="vertices", min_persistence=3).diagrams
    [array([[ 0., inf]]), array([[1., 5.]])]
    """
    field = field_of(values, None, 0, periodic)
    options = ffi.new("glshape_cubical_options *", {
        "construction": choose(_CONSTRUCTIONS, construction, "construction"), "superlevel": superlevel,
        "dim": optional(dim), "modulus": count(modulus, "modulus"),
        "threads": threads_of(threads), **threshold_of(field, threshold),
        **persistence(field, "min_persistence", min_persistence)})
    r = own("glshape_cubical_result *", lib.glshape_cubical_free)
    facts = (context or default())._run(lib.glshape_cubical, field, options, r, progress=progress)
    around = all(field.periodic[0:field.dims])  # only then is there a class of the dimension of the field
    return CubicalResult(**common(r, facts), intervals=array(r, r.intervals, r.count),
                         shape=tuple(field.shape[0:field.dims]), dim=field.dims - (not around), least=r.least,
                         greatest=r.greatest, _superlevel=bool(superlevel))


# ---- many images -------------------------------------------------------------------------------------------

_SMALL = 1 << 16  # values: of such images each thread does one, larger ones take all threads, one at a time
_one_large = threading.Lock()


def cubical_batch(images: Iterable[ArrayLike], *, threads: int = 0, errors: str = "raise",
                  context: Optional[Context] = None, progress: Optional[Progress] = None,
                  **options) -> list[CubicalResult]:
    """Computes the intervals of many images, as one job: several threads, each with an open device.

    Parameters
    ----------
    images : iterable
        Each is what :func:`cubical` takes. It is read as results are made, so a generator's images are not all in
        memory.
    threads : int
        How many images are worked on at a time; 0 or -1: one a processor.
    errors : {"raise", "return"}
        What becomes of an image that cannot be used: "return" puts the exception into the list, in its place.
    context, progress
        As :func:`mds`.
    **options
        As :func:`cubical`.

    Returns
    -------
    list of CubicalResult
        In the order of the images; the same as that of one call for each.

    Examples
    --------
    >>> ring = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]])
    >>> [len(result.diagrams[1]) for result in glshape.cubical_batch([ring, -ring], min_persistence=3)]
    [1, 0]
    """

    def work(image, context, progress):
        if np.size(image) <= _SMALL:
            return cubical(image, threads=1, context=context, progress=progress, **options)
        with _one_large:
            return cubical(image, context=context, progress=progress, **options)

    return _batch.run(images, work, threads=threads, context=context, errors=errors, progress=progress)
