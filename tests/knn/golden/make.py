#!/usr/bin/python3
"""Makes distances.txt with scipy, for tests/knn/test_metrics.c. Run in this folder: python3 make.py

The first line names numpy's and scipy's versions, the second has n and the number of columns. Then n points; then, for each
of several metrics, its name, p, and scipy.spatial.distance.cdist of the points with themselves."""
import numpy as np
import scipy
from scipy.spatial.distance import cdist

rng = np.random.default_rng(20261122)
x = np.concatenate([rng.normal(size=(20, 4)), rng.integers(-3, 4, size=(20, 4))]).astype(float)
with open("distances.txt", "w") as out:
    out.write(f"# numpy {np.__version__}, scipy {scipy.__version__}\n{len(x)} {x.shape[1]}\n")
    rows = lambda m: out.writelines(" ".join(f"{v:.17g}" for v in row) + "\n" for row in m)
    rows(x)
    for name, p in (("chebyshev", 0), ("minkowski", 1), ("minkowski", 1.5), ("minkowski", 2), ("minkowski", 3),
                    ("minkowski", 4.5), ("minkowski", 17), ("minkowski", 64), ("minkowski", np.inf)):
        out.write(f"{name} {p}\n")
        rows(cdist(x, x, name, **({"p": p} if p else {})))
