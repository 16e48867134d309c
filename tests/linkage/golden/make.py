#!/usr/bin/python3
"""Makes linkage.txt with scipy, for tests/linkage. Run in this folder: python3 make.py

linkage.txt: the first line names numpy's and scipy's versions. Then, for each case, "case NAME METRIC n dim cophenetic", n
points of dim coordinates (dim 0: n × n distances; NAME cancer: none, they are in data/cancer.npy), the n-1 rows of
scipy.cluster.hierarchy.linkage(…, "single"), a line of numbers of clusters and what fcluster(…, "maxclust") makes of
each: a line of labels by first appearance. (fcluster's search for the height never tries the first merge: it is not
asked for n - 1 or n clusters.)

integers.txt: a line for each of 200 sets of points with integer coordinates, "n dim levels" and, for each distinct
height, its square (the points are made by generator() below) and a digest of the partition there.
"""
import numpy as np
import scipy
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import pdist, squareform

rng = np.random.default_rng(20261121)
out = open("linkage.txt", "w")
out.write(f"# numpy {np.__version__}, scipy {scipy.__version__}\n")


def first_appearance(labels):
    seen = {}
    return [seen.setdefault(x, len(seen)) for x in labels]


def rows(m):
    for row in m:
        out.write(" ".join(f"{x:.17g}" for x in row) + "\n")


def case(name, metric, x, square=None):
    d = pdist(x, {"manhattan": "cityblock"}.get(metric, metric)) if square is None else squareform(square)
    z = linkage(d, "single")
    n = len(x) if square is None else len(square)
    with np.errstate(invalid="ignore", divide="ignore"):
        c = cophenet(z, d)[0] if n > 2 else float("nan")
    given = x if square is None else square
    out.write(f"case {name} {metric} {n} {x.shape[1] if square is None else 0} {c:.17g}\n")
    if name != "cancer":
        rows(given)
    rows(z)
    counts = sorted({1, 2, 3, n // 3} & set(range(1, max(2, n - 1))))
    out.write(" ".join(map(str, counts)) + "\n")
    for k in counts:
        out.write(" ".join(map(str, first_appearance(fcluster(z, k, "maxclust")))) + "\n")


for metric in ("euclidean", "manhattan", "cosine"):
    case("cancer", metric, np.load("../../../data/cancer.npy").astype(float))
blobs = np.concatenate([rng.normal(size=(60, 4)) * s + c for s, c in ((0.3, 0), (1, 9), (0.1, -4))])
case("blobs", "euclidean", blobs)
case("blobs", "manhattan", blobs)
case("blobs", "cosine", blobs + 20)
case("counterexample", "euclidean", np.concatenate(
    [np.stack([np.linspace(0, 0.05, 60), rng.uniform(0, 0.05, 60)], 1),
     np.stack([np.linspace(0.95, 1, 60), rng.uniform(0, 0.05, 60)], 1), [[0.5, 3]]]))
square = rng.integers(1, 6, size=(40, 40))
square = np.triu(square, 1)
case("ties", "given", np.zeros((40, 0)), (square + square.T).astype(float))
case("two", "euclidean", np.array([[0.0, 0.0], [3.0, 4.0]]))
case("equal", "euclidean", np.full((9, 3), 0.1))

out.close()


def generator(seed):
    """A congruential generator, as in test_linkage.c."""
    state = seed
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield state >> 16


def digest(labels):
    return sum((i + 1) * (label * 2654435761 + 12345) for i, label in enumerate(first_appearance(labels))) % 2**32


with open("integers.txt", "w") as f:
    f.write(f"# numpy {np.__version__}, scipy {scipy.__version__}\n")
    for seed in range(200):
        n, dim, levels = seed + 1, 1 + seed % 4, 2 + seed % 7
        numbers = generator(seed)
        x = np.array([next(numbers) % levels for _ in range(n * dim)], float).reshape(n, dim)
        f.write(f"{n} {dim} {levels}")
        if n > 1:
            z = linkage(x, "single")
            for h in np.unique(z[:, 2]):
                f.write(f" {round(h * h)} {digest(fcluster(z, h, 'distance'))}")
        f.write("\n")
