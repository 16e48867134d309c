"""ripser.py's call and its dictionary."""
from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np

from ._arrays import doubles, numbers
from ._context import Context
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
