#!/usr/bin/env python3
"""Makes the golden graphs and sparse matrices; run in this folder. The ones kept here are SciPy 1.10.1's, with
NumPy 1.24.2.

NAME.mtx was written by scipy.io.mmwrite, NAME.npy is what scipy.io.mmread makes of it, as a dense matrix. Of the
graphs hops.npy and lengths.npy are all distances by scipy.sparse.csgraph.shortest_path, without and with values.
"""
import gzip

import numpy as np
import scipy.io
import scipy.sparse
import scipy.sparse.csgraph

rng = np.random.default_rng(3)


def save(name, matrix, **how):
    scipy.io.mmwrite(name + ".mtx", matrix, **how)
    np.save(name + ".npy", np.asarray(scipy.io.mmread(name + ".mtx").toarray()))


def sparse(rows, cols, density, integer=False):
    a = rng.standard_normal((rows, cols)) * 10.0 ** rng.integers(-3, 4, (rows, cols))
    a = np.round(a) if integer else a
    return scipy.sparse.coo_matrix(np.where(rng.random((rows, cols)) < density, a, 0))


real = sparse(7, 5, 0.4)
save("real-general", real)
save("integer-general", sparse(5, 8, 0.4, True).astype("i4"))
save("pattern-general", real, field="pattern")
square = sparse(6, 6, 0.4).toarray()
save("real-symmetric", scipy.sparse.coo_matrix(square + square.T), symmetry="symmetric")
save("real-skew", scipy.sparse.coo_matrix(square - square.T), symmetry="skew-symmetric")

# Out of order, places twice, values that cancel, a written zero, comments and blank lines.
with open("untidy.mtx", "w") as f:
    f.write("""%%MatrixMarket  MATRIX Coordinate Real General
% a comment

  3 4   8
3 4 1e2
1 2 0.5
%%another
2 1 -1

1 2 .25
2 1 1.0
1 1 0
1 4 7.
2	3	+3
""")
np.save("untidy.npy", np.array([[0, 0.75, 0, 7], [0, 0, 3, 0], [0, 0, 0, 100.0]]))

# A graph of 24 nodes in two parts, with values that are lengths.
n = 24
a = np.zeros((n, n))
for u in range(n):
    for v in range(u):
        if u % 3 != 0 and v % 3 != 0 and rng.random() < 0.2 or u % 3 == 0 and v % 3 == 0 and rng.random() < 0.5:
            a[u, v] = a[v, u] = np.float32(rng.random() + 0.01)
graph = scipy.sparse.coo_matrix(a)
scipy.io.mmwrite("graph.mtx", graph, symmetry="symmetric", precision=9)
scipy.io.mmwrite("graph-both.mtx", graph, symmetry="general", precision=9)
np.save("hops.npy", scipy.sparse.csgraph.shortest_path(graph.tocsr(), unweighted=True).astype("f4"))
np.save("lengths.npy", scipy.sparse.csgraph.shortest_path(graph.tocsr()).astype("f4"))
with gzip.GzipFile("graph.mtx.gz", "wb", mtime=0) as f:
    f.write(open("graph.mtx", "rb").read())
