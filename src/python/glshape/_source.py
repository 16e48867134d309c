"""Where dissimilarities come from: arrays, sparse matrices and Python functions as a glshape_source."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

import numpy as np

from ._arrays import exactly, inexact, matrix, new, numbers, pointer
from ._context import choose, count
from ._library import ffi, lib

METRICS = {"euclidean": lib.GLSHAPE_METRIC_EUCLIDEAN, "manhattan": lib.GLSHAPE_METRIC_MANHATTAN,
           "cosine": lib.GLSHAPE_METRIC_COSINE, "correlation": lib.GLSHAPE_METRIC_CORRELATION,
           "chebyshev": lib.GLSHAPE_METRIC_CHEBYSHEV, "minkowski": lib.GLSHAPE_METRIC_MINKOWSKI,
           "haversine": lib.GLSHAPE_METRIC_HAVERSINE}
SEARCHES = {"auto": lib.GLSHAPE_SEARCH_AUTO, "pairs": lib.GLSHAPE_SEARCH_PAIRS, "index": lib.GLSHAPE_SEARCH_INDEX}
_OTHER_NAMES = {"l2": "euclidean", "cityblock": "manhattan", "l1": "manhattan"}
_TINY = np.finfo(np.float32).tiny
_TILE = 1024
_NOISE = 1e-6  # of the largest distance of a row, as base/noise.h has it


# Metrics that scipy computes, a block of rows at a time. Those of truth values look at whether numbers are 0.
_OF_NUMBERS = ("hamming", "canberra", "braycurtis")
_OF_TRUTH = ("jaccard", "dice", "rogerstanimoto", "sokalsneath")


def is_pairwise(metric):
    """Whether a metric is a function of two rows or one of scipy's, so that distances are given in place of points."""
    return callable(metric) or (isinstance(metric, str) and metric in _OF_NUMBERS + _OF_TRUTH)


def pairwise(x, metric, p=None, queries=None):
    """rows(first, count) of the distances between the rows of x, or from queries to them, in double precision."""
    from scipy.spatial.distance import cdist

    if hasattr(x, "tocsr") or isinstance(x, (Reader, Feeder)):
        raise ValueError(f"metric is {metric!r}, which is computed of dense rows; x is no array")
    name = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}.get(metric, metric) if isinstance(metric, str) else metric
    points = numbers(x, "points")
    asked = points if queries is None else numbers(queries, "queries")
    if isinstance(name, str) and name in _OF_TRUTH:
        points, asked = points != 0, asked != 0
    more = {"p": p} if p is not None else {}
    if name == "haversine":
        return lambda first, count: _haversine(asked[first:first + count], points)
    return lambda first, count: cdist(asked[first:first + count], points, name, **more)


def _haversine(a, b):
    """Along the unit sphere; rows are latitude and longitude in radians."""
    half = np.sin((a[:, None] - b) / 2) ** 2
    inner = half[..., 0] + np.cos(a[:, None, 0]) * np.cos(b[:, 0]) * half[..., 1]
    return 2 * np.arcsin(np.sqrt(np.minimum(inner, 1)))


def metric_of(name, p=None):
    """The fields metric and p of a struct, of a name, which may be scipy's or scikit-learn's."""
    metric = choose(METRICS, _OTHER_NAMES.get(name, name) if isinstance(name, str) else name, "metric")
    if p is not None and metric != lib.GLSHAPE_METRIC_MINKOWSKI:
        raise ValueError(f"p is {p!r}; it goes with metric='minkowski'")
    if metric == lib.GLSHAPE_METRIC_HAVERSINE:
        return {"metric": metric, "p": 0}  # on the sphere of radius 1
    return {"metric": metric, "p": 2 if p is None else p or math.nan}  # 0 is the library's default


@dataclass(frozen=True)
class Reader:
    """A matrix of dissimilarities that a function gives row by row; it need not exist as a whole.

    Parameters
    ----------
    rows : callable
        ``rows(first, count)`` returns rows `first` to ``first + count - 1``: an array of shape (count, n). The whole
        has to be symmetric, not negative, and 0 on the diagonal: nobody checks that. NaN is a missing pair. Several
        threads may call it.
    n : int
        Points.
    dtype : {numpy.float32, numpy.float64}
        The precision in which the rows are taken. :func:`mds` and :func:`rips` take float32 of either.

    Examples
    --------
    >>> x = np.arange(5.0)
    >>> reader = glshape.Reader(lambda first, count: abs(x[first:first + count, None] - x), 5)
    >>> glshape.linkage(reader).merges[:, 2]
    array([1., 1., 1., 1.])
    """

    rows: Callable[[int, int], Any]
    n: int
    dtype: Any = np.float32


@dataclass(frozen=True)
class Feeder:
    """Dissimilarities of pairs, computed as a layout needs them: for those that are expensive. A layout of at most
    3,000 points needs all pairs.

    Parameters
    ----------
    pairs : callable
        ``pairs(i, j)`` takes two arrays of points and returns an array of their dissimilarities. NaN is a missing
        pair. It may run in another thread than the caller's, one at a time.
    n : int
        Points.

    Examples
    --------
    >>> words = ["kitten", "mitten", "sitting"]
    >>> def lengths(i, j):
    ...     return [abs(len(words[a]) - len(words[b])) for a, b in zip(i, j)]
    >>> glshape.mds(glshape.Feeder(lengths, 3)).layout.shape
    (3, 2)
    """

    pairs: Callable[[Any, Any], Any]
    n: int


# ---- precision -------------------------------------------------------------------------------------------


def precision_of(dtype):
    """A type that has fewer digits than float64; None for others, whose numbers are taken as float64."""
    return np.dtype(dtype).type if np.issubdtype(dtype, np.floating) and np.dtype(dtype).itemsize < 8 else None


def rounded(threshold, precision):
    """A threshold as the type of the distances has it: 0.1 is equal to an entry that was 0.1 before it became float32.
    Either may be None: there is no threshold, or no type to round to."""
    if threshold is None or precision is None:
        return threshold
    with np.errstate(all="ignore"):
        out = float(precision(threshold))
    return out if out != 0 and math.isfinite(out) else threshold


# ---- functions of the caller -----------------------------------------------------------------------------


def _fill(out, count, values, what, dtype=np.float32):
    """Copies `values` into count numbers of the type."""
    to = np.frombuffer(ffi.buffer(out, count * np.dtype(dtype).itemsize), dtype)
    got = np.asarray(values)
    if got.size != count:
        raise ValueError(f"{what} returned {got.size} numbers, not {count}")
    with np.errstate(over="ignore"):
        to[...] = got.reshape(count)
    if dtype is np.float32 and got.dtype.kind == "f" and got.dtype.itemsize > 4 and _beyond(got.reshape(count), to).any():
        raise ValueError(f"{what} returned {got.reshape(count)[np.isinf(to)][0]:g}, beyond single precision")


def _row_reader(call, reader):
    def read(user, first, count, out, message, size):
        _fill(out, count * reader.n, reader.rows(first, count), "the reader")

    return call.callback("glshape_row_reader", read)


def _double_reader(call, reader):
    def read(user, first, count, out, message, size):
        rows = np.asarray(reader.rows(first, count))
        wrong = inexact(rows)
        if wrong is not None and wrong.any():
            wrong, rows = wrong.reshape(count, -1), rows.reshape(count, -1)
            _refuse(wrong, first, 0, f"{rows[wrong][0]}, which float64 does not hold; astype(np.float64) rounds it")
        _fill(out, count * reader.n, rows, "the reader", np.float64)

    return call.callback("glshape_double_reader", read)


def _reader_fields(call, reader, double):
    """The fields of a glshape_source for a reader. In double precision, if that is wanted and the reader has it."""
    fields = {"reader": _row_reader(call, reader), "n": count(reader.n, "n")}
    if double and precision_of(reader.dtype) is None:
        fields["double_reader"] = _double_reader(call, reader)
    else:
        call.precision = precision_of(reader.dtype) or np.float32
    return fields


def _feeder(call, feeder):
    def feed(user, count, i, j, out, message, size):
        ends = (np.frombuffer(ffi.buffer(end, count * 4), np.uint32).astype(np.int64) for end in (i, j))
        _fill(out, count, feeder.pairs(*ends), "the feeder")

    return call.callback("glshape_feeder", feed)


# ---- matrices of distances -------------------------------------------------------------------------------


def _refuse(bad, first, first_column, what):
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(f"distances: row {first + row}, column {first_column + column} (from 0): {what}")


def _lost(d, single):
    """Whether values below the least normal float32 have lost digits."""
    return bool(((np.abs(single) < _TINY) & (single != d)).any())


_BEYOND = "beyond single precision; infinity stands for two points that are never joined"


def _beyond(d, single):
    """Where finite numbers are infinite in single precision."""
    return np.isinf(single) & np.isfinite(d)


def _refuse_tiny(lost, largest):
    if lost and largest < _TINY:
        raise ValueError(f"distances: all are below {_TINY:g}, where single precision has few digits; multiply them "
                         "by one number")


def _without_noise(d, i, tile, diagonal):
    """The tile of rows i, ..., with 0 for what rounding left below 0 or on the diagonal: 1 - X @ X.T has -4e-16. The
    library takes it for 0, too."""
    if not ((tile < 0).any() or (diagonal and np.diag(tile).any())):
        return tile
    rows = np.asarray(d[i:i + _TILE]).astype(np.float32, copy=False)
    limit = _NOISE * np.where(np.isfinite(rows), rows, 0).max(axis=1)[:, None]
    noise = (tile < 0) & (tile >= -limit)
    if diagonal:
        noise |= np.eye(len(tile), dtype=bool) & (np.abs(tile) <= limit)
    return np.where(noise, np.float32(0), tile)


class _Allowed(NamedTuple):
    """Which numbers a matrix may have that are no distances, and whether it is taken in double precision."""

    missing: bool  # NaN
    infinite: bool
    negative: bool
    double: bool


def _check_distances(d, allowed):
    """In tiles, so that a file larger than memory is read in order. Both sides of the diagonal are equal in single
    precision. Returns whether they are the same in double precision, if that is wanted."""
    n, lost, largest, same = len(d), False, 0.0, True
    for i in range(0, n, _TILE):
        for j in range(i, n, _TILE):
            with np.errstate(all="ignore"):
                tile = np.asarray(d[i:i + _TILE, j:j + _TILE])
                other = np.asarray(d[j:j + _TILE, i:i + _TILE])
                same = same and (not allowed.double or np.array_equal(tile, other.T))
                a = tile.astype(np.float32, copy=False)
                b = other.astype(np.float32, copy=False).T
                if not allowed.negative:
                    a = _without_noise(d, i, a, i == j)
                    b = _without_noise(d, j, b.T, i == j).T
            _refuse(a < (-np.inf if allowed.negative else 0), i, j, "a negative distance")
            if not allowed.missing:
                _refuse(np.isnan(a), i, j, "no number")
            if not allowed.infinite:
                _refuse(np.isinf(a), i, j, "infinity, or beyond single precision")
            elif not allowed.double:
                _refuse(_beyond(tile, a), i, j, _BEYOND)
            _refuse((a != b) & ~(np.isnan(a) & np.isnan(b)), i, j, "the other side of the diagonal differs")
            if i == j:
                _refuse(np.diag(a).astype(bool) * np.eye(len(a), dtype=bool), i, j, "the diagonal is not 0")
            lost, largest = lost or _lost(tile, a), np.fmax.reduce(abs(a), axis=None, initial=largest)
    if not allowed.double:
        _refuse_tiny(lost, largest)
    return same


def _square_reader(d, allowed):
    if d.shape[0] != d.shape[1]:
        raise ValueError(f"distances: {d.shape[0]} × {d.shape[1]} numbers; a matrix of distances is square")
    if _check_distances(d, allowed):
        return Reader(lambda first, count: d[first:first + count], len(d), d.dtype)

    def rows(first, count):
        """The upper of two numbers counts that only rounding made differ, as in scipy's squareform."""
        return np.where(np.arange(len(d)) < np.arange(first, first + count)[:, None], d[:, first:first + count].T,
                        d[first:first + count])

    return Reader(rows, len(d), d.dtype)


def _condensed_reader(d, allowed):
    """d: scipy's pdist."""
    n = (1 + int(round((1 + 8 * d.size) ** 0.5))) // 2
    if n * (n - 1) // 2 != d.size:
        raise ValueError(f"distances: {d.size} numbers are no condensed matrix, which has n (n - 1) / 2")
    _refuse(~(d >= (-np.inf if allowed.negative else 0))[None] & ~(allowed.missing & np.isnan(d))[None], 0, 0,
            "no distance")
    with np.errstate(all="ignore"):
        single = d.astype(np.float32)
    if not allowed.infinite:
        _refuse(np.isinf(single)[None], 0, 0, "infinity, or beyond single precision")
    elif not allowed.double:
        _refuse(_beyond(d, single)[None], 0, 0, _BEYOND)
    if not allowed.double:
        _refuse_tiny(_lost(d, single), np.fmax.reduce(abs(single), initial=0.0))
    before = np.arange(n, dtype=np.int64)
    before = before * (2 * n - before - 1) // 2  # entries of the rows before

    def rows(first, count):
        out = np.zeros((count, n), d.dtype)
        for row, i in zip(out, range(first, first + count)):
            row[:i] = d[before[:i] + i - np.arange(i) - 1]
            row[i + 1:] = d[before[i]:before[i] + n - i - 1]
        return out

    return Reader(rows, n, d.dtype)


def _matrix_reader(d, allowed):
    """An array stays as it is, of whatever type and order: a file may be larger than memory."""
    if not (isinstance(d, np.ndarray) and d.dtype.kind in "fiub" and d.ndim in (1, 2)):
        d = numbers(d, "distances", (1, 2))
    allowed = allowed._replace(double=allowed.double and precision_of(d.dtype) is None)
    return (_square_reader if d.ndim == 2 else _condensed_reader)(d, allowed)


# ---- sparse matrices -------------------------------------------------------------------------------------


def _canonical(x):
    csr = x.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    if csr.dtype.kind not in "fiub":
        raise ValueError(f"sparse matrix: values of {csr.dtype}; they are real numbers")
    return csr


def _parts(csr):
    start = csr.indptr.astype(np.uintp, copy=False)
    column = csr.indices.view(np.uint32) if csr.indices.dtype == np.int32 else csr.indices.astype(np.uint32)
    with np.errstate(over="ignore"):
        return start, column, csr.data.astype(np.float32, copy=False)


def sparse_rows(x, double=False):
    """A glshape_sparse * of a scipy.sparse matrix, and its values in double precision if that is wanted: an array, or
    None if single precision has them all. Otherwise values are taken in single precision; whole numbers are not
    rounded."""
    csr = _canonical(x)
    parts = _parts(csr)
    exact = None
    if double and precision_of(csr.dtype) is None:
        exact = _doubles(csr, "sparse matrix: the value")
        exact = None if (exact == parts[2]).all() else exact
    elif csr.dtype.kind in "iu":
        with np.errstate(all="ignore"):
            lost = csr.data[parts[2].astype(csr.dtype) != csr.data]
        if lost.size:
            raise ValueError(f"sparse matrix: single precision, in which sparse rows are taken, does not hold {lost[0]}; "
                             "toarray() makes dense rows, which are taken as they are")
    rows = new("glshape_sparse *", (*x.shape, *map(pointer, parts, ("size_t *", "uint32_t *", "float *"))), keep=parts)
    return rows, exact


def _sparse_fields(x, double, names=("sparse", "sparse_values")):
    """The fields of a struct for sparse rows, and what has to live as long."""
    rows, exact = sparse_rows(x, double)
    fields = {names[0]: rows}
    if exact is not None:
        fields[names[1]] = pointer(exact, "double *")
    return fields, (rows, exact)


def _symmetric(x, what, weighted):
    if not hasattr(x, "tocsr") or x.shape[0] != x.shape[1]:
        raise ValueError(f"{what}: it is a square scipy.sparse matrix, whose entries are the lengths of edges")
    csr = _canonical(x)
    other = csr.T.tocsr()
    other.sort_indices()
    if not (np.array_equal(csr.indices, other.indices) and np.array_equal(csr.indptr, other.indptr)
            and (not weighted or np.array_equal(csr.data, other.data))):
        raise ValueError(f"{what}: the matrix is not symmetric; A.maximum(A.T) is")
    return csr


def graph(x, what="graph", weighted=True):
    """A glshape_graph * of a symmetric scipy.sparse matrix: an entry is an edge, its value the length."""
    return _graph_of(_symmetric(x, what, weighted), weighted)


def _graph_of(csr, weighted=True):
    start, column, value = parts = _parts(csr)
    return new("glshape_graph *", (csr.shape[0], pointer(start, "size_t *"), pointer(column, "uint32_t *"),
                                   pointer(value, "float *") if weighted else ffi.NULL), keep=parts)


def _doubles(csr, what):
    """Its values as float64."""
    wrong = inexact(csr.data)
    if wrong is not None and wrong.any():
        raise ValueError(f"{what} {csr.data[wrong][0]}, which float64 does not hold; astype(np.float64) rounds it")
    return csr.data.astype(np.float64, copy=False)


def _graph_fields(x, call, double):
    """The fields of a glshape_source for a graph, and what has to live as long."""
    csr = _symmetric(x, "graph", True)
    fields, call.precision = {"graph": _graph_of(csr)}, precision_of(csr.dtype)
    if not double or call.precision:
        with np.errstate(over="ignore"):
            beyond = csr.data[_beyond(csr.data, csr.data.astype(np.float32, copy=False))]
        if beyond.size:
            raise ValueError(f"graph: the length {beyond[0]:g} is beyond single precision")
        return fields, ()
    lengths = _doubles(csr, "graph: the length")
    fields["graph_lengths"] = pointer(lengths, "double *")
    return fields, (lengths,)


# ---- all -------------------------------------------------------------------------------------------------


def rows(x, metric, call, p=None, queries=None):
    """A glshape_source * whose rows are searched for neighbors, and the fields of glshape_knn_options for the queries.
    A matrix of distances need not be symmetric; that of queries is all that counts."""
    if is_pairwise(metric):
        between = pairwise(x, metric, p, queries)
        n = len(numbers(x, "points"))
        x, p = Reader(between, n, np.float64), None
        if queries is not None:
            queries = between(0, len(queries))
    if metric != "precomputed" and not isinstance(x, (Reader, Feeder)):
        fields, asked, kept = metric_of(metric, p), {}, ()
        sparse = hasattr(x, "tocsr")
        if sparse:
            more, kept = _sparse_fields(x, double=True)
            fields.update(more)
        else:
            fields["points"] = matrix(x)
        if queries is not None and sparse and not hasattr(queries, "tocsr"):
            raise ValueError("queries: a dense array; those of a sparse matrix are one, too")
        if queries is not None and sparse:
            asked, more = _sparse_fields(queries, True, ("sparse_queries", "sparse_query_values"))
            kept += more
        elif queries is not None:
            asked = {"queries": matrix(queries, "queries")}
        return new("glshape_source *", fields, keep=[*fields.values(), *kept]), asked
    if isinstance(x, Feeder):
        raise ValueError("a Feeder gives pairs; neighbors are of rows of distances, which a Reader gives")
    if p is not None:
        raise ValueError(f"p is {p!r}; it goes with metric='minkowski'")
    points = x.n if isinstance(x, Reader) else x.shape[0] if hasattr(x, "shape") else len(x)
    given = x if queries is None else queries
    if not isinstance(given, Reader):
        given = _any_reader(given, points, "distances" if queries is None else "queries")
    fields = _reader_fields(call, given, double=True)
    if queries is not None and isinstance(queries, Reader):
        raise ValueError("queries: a Reader; distances of queries from points are an array")
    asked = {} if queries is None else {"reader_queries": len(queries)}
    return new("glshape_source *", fields, keep=list(fields.values())), asked


def _any_reader(d, n, what):
    """Rows of n distances; an array stays as it is."""
    if not (isinstance(d, np.ndarray) and d.dtype.kind in "fiub" and d.ndim == 2):
        d = numbers(d, what)
    if d.shape[1] != n:
        raise ValueError(f"{what}: {d.shape[0]} × {d.shape[1]} numbers; a row has the distances to all {n} points")
    return Reader(lambda first, rows: d[first:first + rows], n, d.dtype)


def source(x, metric, call, *, p=None, missing=False, infinite=False, negative=False, double=False, weights=None):
    """A glshape_source *. Callbacks belong to `call`. Whether a matrix of distances may have NaN, infinity, and negative
    numbers. double: distances that are given in more than single precision are taken in double."""
    fields, kept = {}, ()
    if is_pairwise(metric):
        x, p = Reader(pairwise(x, metric, p), len(numbers(x, "points")), np.float64), None
    if p is not None and (metric == "precomputed" or isinstance(x, (Reader, Feeder))):
        raise ValueError(f"p is {p!r}; it goes with metric='minkowski'")
    if isinstance(metric, str) and metric == "precomputed" and not isinstance(x, (Reader, Feeder)):
        if hasattr(x, "tocsr"):
            fields, kept = _graph_fields(x, call, double)
        else:
            x = _matrix_reader(x, _Allowed(missing, infinite, negative, double))
    elif hasattr(x, "tocsr"):
        fields, kept = _sparse_fields(x, double)
        fields.update(metric_of(metric, p))
    elif not isinstance(x, (Reader, Feeder)):
        fields.update(points=matrix(x), **metric_of(metric, p))
    if isinstance(x, Reader):
        fields.update(_reader_fields(call, x, double))
    elif isinstance(x, Feeder):
        fields.update(feeder=_feeder(call, x), n=count(x.n, "n"))
    if weights is not None:
        if not isinstance(weights, Reader):
            w = numbers(weights, "weights")
            weights = Reader(lambda first, count: w[first:first + count], len(w))
        fields["weights"] = _row_reader(call, weights)
    return new("glshape_source *", fields, keep=[*fields.values(), *kept])


def edges(x):
    """A glshape_edges * of a scipy.sparse matrix, each entry an edge, or of (nodes, i, j) or (nodes, i, j, weight)."""
    if hasattr(x, "tocoo"):
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"edges: a matrix of {x.shape[0]} × {x.shape[1]}; a graph's is square")
        coo = x.tocoo()
        x = (x.shape[0], coo.row, coo.col, coo.data)
    if not isinstance(x, tuple) or len(x) not in (3, 4):
        raise ValueError("edges: they are a scipy.sparse matrix, or (nodes, i, j) or (nodes, i, j, weight)")
    ends = [exactly(end, "edges", np.uint32) for end in x[1:3]]
    weight = [exactly(w, "edges", np.float32) for w in x[3:] if w is not None]
    if len({len(part) for part in ends + weight}) > 1:
        raise ValueError("edges: their parts have different lengths: " + ", ".join(str(len(p)) for p in ends + weight))
    keep = ends + weight
    at = [pointer(part, ctype) for part, ctype in zip(keep, ("uint32_t *", "uint32_t *", "float *"))]
    return new("glshape_edges *", (count(x[0], "nodes"), len(ends[0]), *at), keep=keep)
