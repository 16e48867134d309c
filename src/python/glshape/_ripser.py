"""What programs that were written for ripser.py import from it, with its names, arguments and warnings."""
from __future__ import annotations

import warnings
from typing import Any, Callable, Optional, Union

import numpy as np

from ._arrays import doubles, numbers
from ._context import Context
from ._cubical import cubical
from ._rips import rips

_SCIPY_NAMES = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}


def _greedy(distances, n, count):
    """The greedy permutation: every next point is the farthest from those before. distances(i): of point i to all."""
    order, radii, rows = np.zeros(count, int), np.zeros(count), [distances(0)]
    nearest = rows[0]
    for k in range(1, count):
        order[k] = np.argmax(nearest)
        radii[k - 1] = nearest[order[k]]
        rows.append(distances(order[k]))
        nearest = np.minimum(nearest, rows[-1])
    radii[-1] = nearest.max(initial=0)
    return order, radii, np.array(rows)


def _dense(x, distance_matrix, metric, n_perm):
    """The matrix of distances, and what the dictionary says of it."""
    from scipy.spatial.distance import cdist

    x = numbers(x, "X")
    x = doubles(x, "X") if x.dtype.kind in "iu" else x
    n = len(x)
    if distance_matrix and x.shape[1] != n:
        raise ValueError(f"X: {n} × {x.shape[1]} numbers; a matrix of distances is square")
    if n_perm is not None and not 1 <= n_perm <= n:
        raise ValueError(f"n_perm is {n_perm}; it is from 1 to {n}, the number of points")
    metric = _SCIPY_NAMES.get(metric, metric) if isinstance(metric, str) else metric
    if n_perm in (None, n):
        d = x if distance_matrix else cdist(x, x, metric)
        return d, {"dperm2all": d, "idx_perm": np.arange(n), "r_cover": 0.0}
    row = (lambda i: x[i]) if distance_matrix else (lambda i: cdist(x[i:i + 1], x, metric)[0])
    order, radii, rows = _greedy(row, n, n_perm)
    return rows[:, order], {"dperm2all": rows, "idx_perm": order, "r_cover": float(radii[-1])}


def _without_diagonal(d):
    """The matrix with zeros on its diagonal, and what was there."""
    births = np.diagonal(d).copy()
    if np.any(births):
        d = d.copy()
        np.fill_diagonal(d, 0)
    return d, births


def _sparse(x, thresh):
    """ripser.py reads the upper triangle, in single precision."""
    from scipy.sparse import coo_matrix

    upper = x.tocoo()
    kept = (upper.row < upper.col) & (upper.data.astype(np.float32) <= np.float32(thresh))
    i, j, d = upper.row[kept], upper.col[kept], upper.data[kept]
    both = coo_matrix((np.r_[d, d], (np.r_[i, j], np.r_[j, i])), shape=upper.shape).tocsr()
    return both, len(d), x.diagonal()


def _warn_of_shape(x, distance_matrix):
    """Of what is probably a slip."""
    rows, columns = getattr(x, "shape", np.shape(x))[:2]
    if distance_matrix or rows > columns:
        return
    what = ("is square: if it is a matrix of distances, give distance_matrix=True" if rows == columns else
            "has more columns than rows: rows are points, X.T has them as columns")
    warnings.warn(f"X, {rows} × {columns}, {what}", stacklevel=3)


def ripser(X: Any, maxdim: int = 1, thresh: float = np.inf, coeff: int = 2, distance_matrix: bool = False,
           do_cocycles: bool = False, metric: Union[str, Callable] = "euclidean", n_perm: Optional[int] = None, *,
           context: Optional[Context] = None) -> dict:
    """Persistence diagrams, with the arguments and the dictionary of ripser.py's function of this name.

    Parameters
    ----------
    X : array_like of shape (n, d), or with `distance_matrix` (n, n), or scipy.sparse matrix of distances
        Of a sparse matrix the upper triangle is read; pairs without an entry are never joined. The diagonal of a matrix
        of distances has the values at which points begin. They may be negative, and so may the other values then: the
        lower-star filtration of a time series or an image is such a matrix.
    maxdim : int
    thresh : float
    coeff : int
    distance_matrix : bool
    do_cocycles : bool
        The dictionary's cocycles are those of all intervals.
    metric : str or callable
        As scipy's ``cdist`` takes it.
    n_perm : int, optional
        Takes so many points of the greedy permutation.
    context : Context, optional

    Returns
    -------
    dict
        dgms : list of ndarray of shape (k, 2)
        cocycles : list, by dimension, of lists of ndarray of shape (terms, dim + 2): vertices and a coefficient.
        Vertices are rows of X, with `n_perm` too
        num_edges : int
        dperm2all : ndarray
        idx_perm : ndarray
        r_cover : float

    Notes
    -----
    Tralie, Saul, Bar-On, "Ripser.py: a lean persistent homology library for Python", 2018.

    Examples
    --------
    >>> angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    >>> circle = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> [len(diagram) for diagram in glshape.ripser(circle)["dgms"]]
    [12, 1]
    """
    if hasattr(X, "tocoo") or np.ndim(X) == 2:
        _warn_of_shape(X, distance_matrix)
    if hasattr(X, "tocoo"):
        if n_perm is not None:
            raise ValueError("n_perm goes with points or a dense matrix")
        d, edges, births = _sparse(X, thresh)
        rest = {"dperm2all": X, "idx_perm": np.arange(X.shape[0]), "r_cover": 0.0}
    else:
        d, rest = _dense(X, distance_matrix, metric, n_perm)
        d, births = _without_diagonal(d)
    result = rips(d, maxdim, metric="precomputed", threshold=None if np.isinf(thresh) else thresh, modulus=coeff,
                  births=births if np.any(births) else None, collapse="auto",
                  cocycles=0.0 if do_cocycles else False, context=context)
    if not hasattr(X, "tocoo"):
        edges = int(np.count_nonzero(d[np.triu_indices(len(d), 1)].astype(np.float32) <= np.float32(result.threshold)))
    cocycles = [[] for _ in range(maxdim + 1)]
    for c in result.cocycles:
        rows = rest["idx_perm"][c.vertices]
        cocycles[rows.shape[1] - 1].append(np.column_stack([rows, c.coefficients]))
    return {"dgms": result.diagrams, "cocycles": cocycles, "num_edges": edges, **rest}


class Rips:
    """ripser.py's transformer: diagrams of points or of a matrix of distances.

    Parameters
    ----------
    maxdim, thresh, coeff, do_cocycles, n_perm
        As :func:`ripser`.
    verbose : bool
        Changes nothing: nothing is printed.

    Attributes
    ----------
    dgms_ : list of ndarray of shape (k, 2)
    cocycles_, dperm2all_, num_edges_, idx_perm_, r_cover_
        As the dictionary of :func:`ripser`.
    metric_ : str or callable

    Examples
    --------
    >>> angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    >>> [len(diagram) for diagram in glshape.Rips().fit_transform(np.column_stack([np.cos(angles), np.sin(angles)]))]
    [12, 1]
    """

    def __init__(self, maxdim: int = 1, thresh: float = np.inf, coeff: int = 2, do_cocycles: bool = False,
                 n_perm: Optional[int] = None, verbose: bool = True) -> None:
        self.maxdim = maxdim
        self.thresh = thresh
        self.coeff = coeff
        self.do_cocycles = do_cocycles
        self.n_perm = n_perm
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Rips:
        """Does nothing: each call of :meth:`transform` computes its own diagrams."""
        return self

    def transform(self, X: Any, distance_matrix: bool = False, metric: Union[str, Callable] = "euclidean") -> list:
        """The diagrams of X, by dimension."""
        result = ripser(X, self.maxdim, self.thresh, self.coeff, distance_matrix, self.do_cocycles, metric, self.n_perm)
        for name, value in result.items():
            setattr(self, f"{name}_", value)
        self.metric_ = metric
        return self.dgms_

    def fit_transform(self, X: Any, y: Any = None, *, distance_matrix: bool = False,
                      metric: Union[str, Callable] = "euclidean") -> list:
        """The diagrams of X. `distance_matrix` may be given in second place, as ripser.py has it."""
        return self.transform(X, y if isinstance(y, bool) else distance_matrix, metric)

    def plot(self, diagrams: Any = None, **keywords: Any) -> Any:
        """Draws diagrams, those of the last call if none are given, with :func:`plot_diagrams`."""
        return plot_diagrams(self.dgms_ if diagrams is None else diagrams, **keywords)

    def get_params(self, deep: bool = True) -> dict:
        """The arguments of the constructor, for scikit-learn."""
        return {name: getattr(self, name) for name in ("maxdim", "thresh", "coeff", "do_cocycles", "n_perm", "verbose")}

    def set_params(self, **params: Any) -> Rips:
        """Sets arguments of the constructor, for scikit-learn."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"{name!r} is no parameter of Rips; it has {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self


def lower_star_img(img: Any) -> np.ndarray:
    """The persistence diagram of dimension 0 of an image: of {values <= t} as t rises, where pixels touch at corners, too.

    Parameters
    ----------
    img : array_like of shape (m, n)

    Returns
    -------
    ndarray of shape (k, 2)
        The bars that end first come first, as ripser.py has them; it rounds births and deaths to single precision, this
        does not.

    Examples
    --------
    >>> glshape.lower_star_img([[0.0, 9, 1], [9, 9, 9]])
    array([[ 1.,  9.],
           [ 0., inf]])
    """
    if np.ndim(img) != 2:
        raise ValueError(f"img: an array of {np.ndim(img)} dimensions; an image of one channel has 2")
    diagram = cubical(img, dim=0).diagrams[0]
    return diagram[np.argsort(diagram[:, 1], kind="stable")]


def correlation_to_distance(C: Any, check_input: bool = True) -> np.ndarray:
    """The distances √(2 (1 - c)) that stand for correlations c.

    Parameters
    ----------
    C : array_like of shape (n, n)
    check_input : bool
        Refuses what is no matrix of correlations: values are from -1 to 1, up to 0.05, and symmetric to 1e-5. It warns of
        values that are cut, and of a diagonal that is not 1 to 1e-3.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> glshape.correlation_to_distance([[1, 0.5], [0.5, 1]])
    array([[0., 1.],
           [1., 0.]])
    """
    c = np.asarray(C, float)
    if check_input:
        if c.ndim != 2 or c.shape[0] != c.shape[1]:
            raise ValueError(f"C: shape {c.shape}; a matrix of correlations is square")
        if not np.allclose(c, c.T, rtol=1e-5, atol=1e-5):
            raise ValueError("C: the other side of the diagonal differs; correlations are symmetric")
        if (np.abs(c) > 1.05).any():
            raise ValueError(f"C: a value of {np.abs(c).max():g}; correlations are from -1 to 1")
        if (np.abs(c) > 1).any():
            warnings.warn("C: values beyond -1 and 1 are cut to these", RuntimeWarning, stacklevel=2)
        if not np.allclose(np.diagonal(c), 1, atol=1e-3):
            warnings.warn("C: the diagonal is not 1; is it a matrix of correlations?", RuntimeWarning, stacklevel=2)
    out = np.sqrt(2 * (1 - np.clip(c, -1, 1)))
    np.fill_diagonal(out, 0)
    return out


def plot_diagrams(diagrams: Any, plot_only: Any = None, title: Optional[str] = None, xy_range: Any = None,
                  labels: Any = None, colormap: str = "default", size: float = 20, ax_color: Any = None,
                  diagonal: bool = True, lifetime: bool = False, legend: bool = True, show: bool = False,
                  ax: Any = None) -> Any:
    """Draws persistence diagrams with matplotlib, with the arguments of persim's function of this name.

    Parameters
    ----------
    diagrams : ndarray of shape (k, 2), or list of these
    plot_only : list of int, optional
        Which of them are drawn.
    title : str, optional
    xy_range : (xmin, xmax, ymin, ymax), optional
    labels : str or list of str, optional
        The default is H₀, H₁, ….
    colormap : str
        A style of matplotlib.
    size : float
        Of the marks.
    ax_color : color, optional
        Of the diagonal and the line "∞".
    diagonal, legend : bool
        Whether there are these.
    lifetime : bool
        Draws death - birth in place of death.
    show : bool
        Calls pyplot's ``show``.
    ax : matplotlib axes, optional
        The default is pyplot's current axes.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> axes = glshape.plot_diagrams(glshape.ripser(np.random.default_rng(0).random((30, 2)))["dgms"])  # doctest: +SKIP
    """
    from ._plot import persim

    return persim(diagrams, plot_only, labels, ax, title=title, xy_range=xy_range, colormap=colormap, size=size,
                  color=ax_color, diagonal=diagonal, lifetime=lifetime, legend=legend, show=show)
