"""Persistence diagrams: what rips, alpha and cubical share."""
from __future__ import annotations

import numpy as np

from ._library import ffi, lib

NO_SIMPLEX = 2**64 - 1


def diagrams(intervals, dims):
    """A list of (births, deaths), shape (k, 2), by dimension."""
    pairs = np.column_stack([intervals["birth"], intervals["death"]])
    ends = np.searchsorted(intervals["dim"], np.arange(dims + 1))
    return [pairs[first:last] for first, last in zip(ends, ends[1:])]


def vertices(n, simplices, count):
    """The vertices of simplices of `count` vertices by their names: (k, count) int64, descending; -1 for none."""
    out, row = np.full((len(simplices), count), -1, np.int64), ffi.new("uint32_t[]", max(count, 1))
    for to, name in zip(out, simplices.tolist()):
        if name != NO_SIMPLEX:
            lib.glshape_simplex_vertices(n, name, count, row)
            to[:] = list(row)
    return out
