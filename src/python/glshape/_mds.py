"""Layouts."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _picture
from ._arrays import array, matrix, new, own, pointer
from ._context import Call, Context, Progress, choose, count, default
from ._library import ffi, lib
from ._result import Result, common
from ._source import graph, source

_CORRECTIONS = {"lingoes": lib.GLSHAPE_MDS_LINGOES, "cailliez": lib.GLSHAPE_MDS_CAILLIEZ}
_METHODS = {"glimmer": lib.GLSHAPE_MDS_GLIMMER, "gpu-sf": lib.GLSHAPE_MDS_GPU_SF, "classical": lib.GLSHAPE_MDS_CLASSICAL,
            "ordinal": lib.GLSHAPE_MDS_ORDINAL}
_TIES = {"primary": lib.GLSHAPE_MDS_TIES_PRIMARY, "secondary": lib.GLSHAPE_MDS_TIES_SECONDARY}


@dataclass(repr=False, eq=False)
class MdsResult(_picture.Pictured, Result):
    """A layout."""

    layout: np.ndarray  #: (n, dim) float32, in the unit of the input, centered on 0
    stress: float  #: Σw(d-δ)² / Σwδ² over all pairs; "classical": NaN, it is not computed; "ordinal": stress-1, √(Σw(d-d̂)² / Σwd²)
    stress_error: float  #: 0: the stress is exact; else the standard error of an estimate
    iterations: int  #: "classical": products with the matrix
    closing: int  #: how many of these are in the closing phase
    pairs: int
    missing: int  #: pairs given as NaN
    levels: np.ndarray  #: points, iterations and stress of each level, the coarsest first
    components: Optional[np.ndarray]  #: of a graph, if asked for: nodes, first, stress
    eigenvalues: Optional[np.ndarray]  #: "classical": (dim,) float64, the largest first; else None
    residuals: Optional[np.ndarray]  #: "classical": (dim,) ‖Bv - λv‖ of each
    trace: Optional[float]  #: "classical": the sum of all eigenvalues
    proportion_explained: Optional[np.ndarray]  #: "classical": what each eigenvalue is of the trace
    constant: Optional[float]  #: "classical": what the correction adds
    least_eigenvalue: Optional[float]  #: "classical": the least that was met; the least there is, is not above it
    converged: Optional[bool]  #: "classical": the residuals are as small as they should be
    _graph: Any  #: whose edges the picture has
    _mean_squares: Any
    _source: Any  #: points (or None), metric and p
    _correction: Any
    _method: Any
    _ties: Any

    def biplot(self, variables: Any, *, context: Optional[Context] = None) -> np.ndarray:
        """Scores of variables, for arrows beside the points of "classical": (variables, dim) float64. They are the slopes
        of each variable over each coordinate, as scikit-bio's ``pcoa_biplot`` and ape's ``biplot.pcoa`` have them.
        `variables`: a row for each point."""
        given = matrix(variables, "variables")
        scores = np.empty((given.cols, self.layout.shape[1]))
        model = self._model()
        (context or default())._run(lib.glshape_mds_biplot, model, given, pointer(scores, "double *"))
        return scores

    def align(self, target: Any, *, context: Optional[Context] = None) -> np.ndarray:
        """The layout rotated, reflected and shifted so that Σ|x - target|² is least; not scaled (Procrustes analysis).
        Returns (n, dim) float32; the result stays as it is. `target`: a row for each point, at most dim columns."""
        given, out = matrix(target, "the target"), self.layout.copy()
        model = ffi.new("glshape_mds_result *", {"n": len(out), "dim": out.shape[1], "layout": pointer(out, "float *")})
        (context or default())._run(lib.glshape_mds_align, model, given)
        return out

    def shepard(self, x: Any, points: int = 200, *, context: Optional[Context] = None) -> np.ndarray:
        """What a Shepard diagram shows of pairs of at most so many points, evenly taken from all: (pairs, 3) float64 with the
        dissimilarity δ, the distance in the layout, and what that should be: d̂ of "ordinal", by these pairs, else δ. In
        order of δ, without missing pairs. `x`: what the layout is of.

        Examples
        --------
        >>> line = [[0.0], [1], [3]]
        >>> glshape.mds(line, 1, method="classical").shepard(line).round(5).tolist()
        [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]
        """
        call, found = Call(None), ffi.new("size_t *")
        points = min(count(points, "points", 2), len(self.layout))
        of = source(x, self._source[1], call, p=self._source[2], missing=True)
        out = np.empty((points * (points - 1) // 2, 3))
        (context or default())._run(lib.glshape_mds_shepard, of, self._model(), points, pointer(out, "double *"), found,
                                    call=call)
        return out[:found[0]]

    def transform(self, x: Any, *, context: Optional[Context] = None, progress: Optional[Progress] = None) -> np.ndarray:
        """Places new rows in the layout, which stays as it is: (rows, dim) float32.

        Parameters
        ----------
        x : array_like
            Points, if the layout is of points, which are kept for this, not copied. Else a row has the distances to all
            points of the layout; NaN is a missing one, which "classical" does not take. Not with "ordinal".

        Notes
        -----
        "classical" takes Gower's formula (1968): a row equal to one of the layout gets its place. In other layouts each
        row by itself goes where Σ(d-δ)² over all points of the layout is least.

        Examples
        --------
        >>> model = glshape.mds([[0, 0], [0, 2], [4, 0], [4, 2]], method="classical")
        >>> model.transform([[0, 0], [2, 1]]).round(5).tolist()
        [[2.0, 1.0], [0.0, 0.0]]
        """
        call = Call(progress)
        given = matrix(x, "new rows")
        points, metric, p = self._source
        of = source(points, metric, call, p=p) if points is not None else ffi.NULL
        out = np.empty((given.rows, self.layout.shape[1]), np.float32)
        (context or default())._run(lib.glshape_mds_transform, of, self._model(), given, pointer(out, "float *"),
                                    call=call)
        return out

    def _model(self):
        """This as a glshape_mds_result *, which owns nothing."""
        fields = {"method": _METHODS[self._method], "ties": self._ties, "n": self.layout.shape[0], "dim": self.layout.shape[1], "layout": pointer(self.layout, "float *")}
        if self.components is not None:
            fields.update(components=pointer(self.components, "glshape_mds_component *"))
        if self.eigenvalues is not None:
            fields.update(eigenvalues=pointer(self.eigenvalues, "double *"), constant=self.constant,
                          correction=self._correction,
                          mean_squares=pointer(self._mean_squares, "double *"))
        return new("glshape_mds_result *", fields, keep=[self.layout, self.eigenvalues, self._mean_squares])

    def plot(self, ax=None, labels=None):
        """Draws the points, in the first two dimensions, with matplotlib; returns the axes. `labels`: their colors."""
        from ._plot import scatter

        title = None if self._method == "classical" else f"stress{'-1' * (self._method == 'ordinal')} {self.stress:.4g}"
        return scatter(self.layout, ax, labels, title=title)

    def _chart(self, labels=None):
        edges = ffi.NULL if self._graph is None else graph(self._graph, weighted=False)
        return _picture.scatter(self.layout, labels, edges=edges)


def mds(x: Any, dim: int = 2, *, metric: str = "euclidean", p: Optional[float] = None, seed: int = 0,
        attempts: Optional[int] = None, decimation: Optional[int] = None, coarsest: Optional[int] = None,
        method: str = "glimmer", correction: Optional[str] = None,
        exact: bool = False, ties: str = "primary", start: Any = None, weights: Any = None, components: bool = False, context: Optional[Context] = None,
        progress: Optional[Progress] = None) -> MdsResult:
    """Lays out points so that distances in the layout come close to the dissimilarities.

    Parameters
    ----------
    x : array_like of shape (n, d), or scipy.sparse matrix, or Reader, or Feeder
        Points. With ``metric="precomputed"`` distances: a square matrix (an array, or a memory-mapped file larger
        than memory), scipy's condensed vector, or a sparse symmetric matrix, which is a graph with the lengths of its
        edges. NaN in a matrix is a missing pair. Distances that are given are taken in single precision.
    dim : int
        Dimension of the layout.
    metric : {"euclidean", "manhattan", "cosine", "correlation", "chebyshev", "minkowski", "precomputed"}
    p : float, optional
        Of "minkowski": 1 to 64, or infinity. The default is 2.
    seed : int
        The same seed, device and stage give the same layout.
    attempts : int, optional
        Layouts from other random positions, of which the one of least stress is kept. None: two, if their stresses are
        within 1 % of each other; else at least 16, until two are as near to the least, but at most 24, and at most
        16384 / n.
    decimation : int, optional
        Of "glimmer" and more than 100 points: each level is so many times as large as the one below it, 2 to 32. The
        default is 8.
    coarsest : int, optional
        The coarsest level has fewer points than this, which is at least 64. The default is 1000.
    method : {"glimmer", "gpu-sf", "classical", "ordinal"}
        "gpu-sf" is the single-level method, a baseline. "classical" is classical scaling, also called principal
        coordinates analysis (PCoA): the leading eigenvectors of B = -½ J D∘D J, each times the root of its eigenvalue.
        It has no missing pairs, weights, components or attempts.
        "ordinal" is non-metric scaling (Kruskal 1964): only the order of the dissimilarities counts. 0 is one of them, not a
        missing pair. The layout has the mean square of the dissimilarities, and lies along its principal axes.
    ties : {"primary", "secondary"}
        Of "ordinal": whether pairs of equal dissimilarity may have distances that differ, or should not.
    start : array_like of shape (n, dim) or "classical", optional
        Of "glimmer" and "ordinal": goes downhill from this layout, or from that of classical scaling. One attempt, unless
        `attempts` says more.
    correction : {"lingoes", "cailliez"}, optional
        Of "classical": adds the least constant to distances between different points with which no eigenvalue is
        negative: √(d² + 2·constant), or d + constant.
    exact : bool
        Of "classical": residuals of at most 1e-10 of the largest eigenvalue, where they are else at most 1e-6, by
        products in double precision.
    weights : array_like of shape (n, n) or Reader, optional
        How much each pair counts.
    components : bool
        Lays out each component of a graph by itself; without it a graph has to be connected.
    context : Context, optional
    progress : callable or tqdm.tqdm, optional
        Called with the fraction done, 0 to 1. What it raises ends the call and comes out.

    Returns
    -------
    MdsResult

    Raises
    ------
    ValueError
        If the input cannot be used; the sentence says where, with rows and columns counted from 1.
    MemoryError
        If there is not enough memory, also of the GPU.

    Notes
    -----
    Ingram, "Multilevel Multidimensional Scaling on the GPU", 2007. Classical: Gower, "Some distance properties of
    latent root and vector methods used in multivariate analysis", 1966.

    Examples
    --------
    >>> square = glshape.mds([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]], seed=1)
    >>> square.layout.shape, bool(square.stress < 1e-6)
    ((4, 2), True)
    >>> classical = glshape.mds([[0, 0], [0, 2], [4, 0], [4, 2]], method="classical")
    >>> classical.eigenvalues.round(6).tolist(), classical.trace
    ([16.0, 4.0], 20.0)
    """
    call = Call(progress)
    if isinstance(start, str):
        choose({"classical": 0}, start, "start")
        start = mds(x, dim, metric=metric, p=p, method="classical", context=context).layout
    begin = None if start is None else matrix(start, "start")
    options = ffi.new("glshape_mds_options *", {"start": begin or ffi.NULL, "dim": count(dim, "dim", 1), "seed": seed % 2**64,
                                                "method": choose(_METHODS, method, "method"),
                                                "attempts": 0 if attempts is None else count(attempts, "attempts", 1),
                                                "decimation": 0 if decimation is None else
                                                count(decimation, "decimation", 2),
                                                "coarsest": 0 if coarsest is None else count(coarsest, "coarsest", 64),
                                                "components": components, "exact": exact,
                                                "ties": choose(_TIES, ties, "ties"),
                                                "correction": 0 if correction is None else
                                                choose(_CORRECTIONS, correction, "correction")})
    given = source(x, metric, call, p=p, missing=True, weights=weights)
    r = own("glshape_mds_result *", lib.glshape_mds_free)
    facts = (context or default())._run(lib.glshape_mds, given, options, r, call=call)
    classical = method == "classical"
    return MdsResult(**common(r, facts), layout=array(r, r.layout, r.n, r.dim),
                     stress=float("nan") if classical else r.stress,
                     stress_error=r.stress_error, iterations=r.iterations, closing=r.closing, pairs=r.pairs,
                     missing=r.missing, levels=array(r, ffi.addressof(r.levels, 0), r.level_count),
                     components=array(r, r.components, r.component_count) if components else None,
                     eigenvalues=array(r, r.eigenvalues, r.dim) if classical else None,
                     residuals=array(r, r.residuals, r.dim) if classical else None,
                     trace=r.trace if classical else None,
                     proportion_explained=array(r, r.eigenvalues, r.dim) / (r.trace or 1) if classical else None,
                     constant=r.constant if classical else None,
                     _mean_squares=array(r, r.mean_squares, r.n) if classical else None,
                     least_eigenvalue=r.least_eigenvalue if classical else None,
                     converged=bool(r.converged) if classical else None,
                     _source=(x if given.points else None, metric, p), _correction=r.correction, _method=method, _ties=r.ties,
                     _graph=x if given.graph else None)
