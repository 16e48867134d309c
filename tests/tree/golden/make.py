#!/usr/bin/python3
"""Makes the golden files of tests/tree with scipy. Run in this folder: python3 make.py

linkage.txt  "n dim", n points, then the n-1 rows of scipy.cluster.hierarchy.linkage(points, "single")
forest.txt   "n m edges total", m edges "i j weight", of which `edges`, `total` heavy, are in
             scipy.sparse.csgraph.minimum_spanning_tree; weights are float32
The first line of each names numpy's and scipy's versions.
"""
import numpy as np
import scipy
from scipy.cluster.hierarchy import linkage
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import minimum_spanning_tree

made = f"# numpy {np.__version__}, scipy {scipy.__version__}\n"
rng = np.random.default_rng(20261121)

points = rng.normal(size=(200, 3))
points[:60] += 4
with open("linkage.txt", "w") as f:
    f.write(made + "200 3\n")
    for row in points:
        f.write(" ".join(f"{x:.17g}" for x in row) + "\n")
    for row in linkage(points, "single"):
        f.write(f"{row[0]:.0f} {row[1]:.0f} {row[2]:.17g} {row[3]:.0f}\n")

# A sparse random graph in several components; scipy takes weight 0 for no edge and adds up duplicates.
n, m = 1000, 1100
ends = rng.integers(0, n, size=(m, 2))
ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
weight = rng.uniform(1, 2, size=len(ends)).astype(np.float32)
tree = minimum_spanning_tree(coo_matrix((weight.astype(float), ends.T), shape=(n, n)).tocsr())
with open("forest.txt", "w") as f:
    f.write(made + f"{n} {len(ends)} {tree.nnz} {tree.sum():.17g}\n")
    for (i, j), w in zip(ends, weight):
        f.write(f"{i} {j} {w:.9g}\n")
