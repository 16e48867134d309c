"""From many shapes to one map."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

import numpy as np

from . import _picture
from ._alpha import alpha
from ._arrays import dtype_of, pointer
from ._compare import compare
from ._context import Context, Progress
from ._cubical import cubical_batch
from ._hdbscan import hdbscan
from ._library import ffi
from ._mds import mds
from ._result import Compared
from ._rips import rips_batch

_SCALES = {"rips": "diameter", "cubical": "value", "alpha": "radius"}


@dataclass(repr=False, eq=False)
class AtlasResult(_picture.Pictured, Compared):
    """A map of shapes."""

    layout: np.ndarray  #: float32, shape (n, 2)
    labels: np.ndarray  #: int32, shape (n,): the cluster of each shape; -1: noise
    medoids: np.ndarray  #: int64, of each cluster the shape whose distances to the others have the least sum
    distance: np.ndarray  #: float32, shape (n, n): sliced Wasserstein distances, those of all dimensions added
    stress: float  #: of the layout
    diagrams: list[list[np.ndarray]]  #: of each shape, of each dimension: births and deaths, shape (k, 2)
    kept: np.ndarray  #: int64, the inputs that are on the map: all that did not fail
    names: Optional[list[str]]  #: of the shapes
    shape: str  #: "rips", "cubical" or "alpha"
    superlevel: bool  #: whether the diagrams are of superlevel sets

    def __repr__(self) -> str:
        return f"{len(self.labels)} shapes in {len(self.medoids)} clusters, stress {self.stress:.4g}"

    def _chart(self):
        xy, labels = np.ascontiguousarray(self.layout, np.float64), np.ascontiguousarray(self.labels, np.int32)
        rows = [(dim, birth, death) for d in self.diagrams for dim, pairs in enumerate(d) for birth, death in pairs]
        intervals = np.zeros(len(rows), dtype_of(ffi.typeof("glshape_interval")))
        if rows:
            intervals["dim"], intervals["birth"], intervals["death"] = map(np.array, zip(*rows))
        first = np.cumsum([0] + [sum(map(len, d)) for d in self.diagrams]).astype(np.uintp)
        words = [ffi.new("char[]", str(name).encode()) for name in self.names or ()]
        names = ffi.new("char *[]", words) if words else ffi.NULL
        scale = ffi.new("char[]", _SCALES[self.shape].encode())
        return _picture.of("atlas", n=len(xy), xy=xy, labels=labels, clusters=len(self.medoids),
                           medoids=self.medoids.astype(np.uint32), names=names, first=first, intervals=intervals,
                           falling=self.superlevel, scale=scale, keep=(words, names, scale))


def _diagrams(inputs, shape, dim, threshold, superlevel, errors, context):
    if shape == "rips":
        return rips_batch(inputs, 1 if dim is None else dim, threshold=threshold, errors=errors, context=context)
    if shape == "cubical":
        return cubical_batch(inputs, dim=dim, threshold=threshold, superlevel=superlevel, errors=errors, context=context)
    found = []
    for points in inputs:
        try:
            found.append(alpha(points, context=context))
        except (ValueError, TypeError) as failure:
            if errors == "raise":
                raise
            found.append(failure)
    return found


def _ended(diagrams, superlevel):
    """Where diagrams have not as many pairs that never end, these end at the last value of all."""
    endless = {int(np.isinf(d[:, 1]).sum()) for d in diagrams}
    values = np.concatenate([d.ravel() for d in diagrams])
    values = values[np.isfinite(values)]
    if len(endless) < 2 or not len(values):
        return diagrams
    last = values.min() if superlevel else values.max()
    return [np.where(np.isinf(d), last, d) for d in diagrams]


def atlas(inputs: Iterable[Any], *, shape: str = "rips", dim: Optional[int] = None, threshold: Optional[float] = None,
          superlevel: bool = False, directions: Optional[int] = None, min_cluster_size: int = 5, seed: int = 0,
          names: Optional[Sequence[str]] = None, errors: str = "raise", context: Optional[Context] = None,
          progress: Optional[Progress] = None) -> AtlasResult:
    """Makes a map of many shapes: their persistence diagrams, the sliced Wasserstein distances between these, a layout of
    the distances in the plane, and clusters of varying density.

    Parameters
    ----------
    inputs : iterable
        Clouds of points (shape "rips", "alpha") or images and volumes ("cubical"), at least two.
    shape : {"rips", "cubical", "alpha"}
        The complex that each becomes.
    dim : int, optional
        Highest dimension of the intervals: by default 1 for "rips", all for "cubical". "alpha" has 0 and 1.
    threshold, superlevel
        As :func:`rips` and :func:`cubical`.
    directions : int, optional
        As :func:`compare`.
    min_cluster_size : int
        As :func:`hdbscan`.
    seed : int
        As :func:`mds`.
    names : sequence of str, optional
        What pictures call the inputs.
    errors : {"raise", "return"}
        What becomes of an input that cannot be used: "return" leaves it out of the map, and out of ``kept``.
    context, progress
        As :func:`mds`; progress is that of the distances, the layout and the clusters, one after the other.

    Returns
    -------
    AtlasResult
        ``picture("html")`` is a page that a browser opens, with the barcode of the shape that the pointer is at.

    Raises
    ------
    ValueError, MemoryError
        As :func:`mds`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rings = [np.c_[np.cos(t), np.sin(t)] for t in rng.random((10, 60)) * 2 * np.pi]
    >>> blobs = list(rng.normal(size=(10, 60, 2)))
    >>> result = glshape.atlas(rings + blobs)
    >>> len(set(result.labels[:10])), len(set(result.labels[10:])), result.labels[0] == result.labels[-1]
    (1, 1, False)
    """
    if shape not in _SCALES:
        raise ValueError(f"shape: {shape!r}; there are {', '.join(map(repr, _SCALES))}")
    if superlevel and shape != "cubical":
        raise ValueError("superlevel goes with shape='cubical'")
    if shape == "alpha" and (dim is not None or threshold is not None):
        raise ValueError("dim and threshold go with shape='rips' or 'cubical'")
    results = _diagrams(inputs, shape, dim, threshold, superlevel, errors, context)
    kept = np.array([k for k, r in enumerate(results) if not isinstance(r, Exception)], np.int64)
    if len(kept) < 2:
        raise ValueError(f"a map is of at least two shapes; there are {len(kept)}")
    found = [[np.asarray(d, np.float64).reshape(-1, 2) for d in results[k].diagrams] for k in kept]
    found = [[d[np.isfinite(d[:, 0])] for d in diagrams] for diagrams in found]
    dims = max(map(len, found))
    found = [d + [np.empty((0, 2))] * (dims - len(d)) for d in found]
    columns = [[d[k] for d in found] for k in range(dims)]
    columns = [_ended(column, superlevel) for column in columns if sum(map(len, column))] or [[np.empty((0, 2))] * len(kept)]
    distance = compare(columns[0], more=columns[1:], directions=directions, context=context, progress=progress).distance
    laid = mds(distance, metric="precomputed", seed=seed, context=context, progress=progress)
    clusters = hdbscan(distance, min_cluster_size, min_samples=min(min_cluster_size, len(kept)), metric="precomputed",
                       context=context, progress=progress)
    medoids = []
    for c in range(clusters.clusters):
        rows = np.flatnonzero(clusters.labels == c)
        medoids.append(rows[distance[np.ix_(rows, rows)].sum(1, dtype=np.float64).argmin()])
    return AtlasResult(layout=laid.layout, labels=clusters.labels, medoids=np.array(medoids, np.int64), distance=distance,
                       stress=laid.stress, diagrams=found, kept=kept,
                       names=None if names is None else [str(names[k]) for k in kept], shape=shape, superlevel=superlevel)
