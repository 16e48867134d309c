"""Makes ripser.npz: inputs, and what ripser.py says of them.

ripser.py 0.6.15 (github.com/scikit-tda/ripser.py, commit 87ead88fe30534f1c2edc090a55d9aaa9c06cb79) with its module built by
    cython3 --cplus -3 pyRipser.pyx && g++ -O3 -std=c++11 -fPIC -shared -DUSE_COEFFICIENTS=1 -DNDEBUG=1
        -DASSEMBLE_REDUCTION_MATRIX … pyRipser.cpp -o pyRipser.so
on Debian 12 (Cython 0.29.32, NumPy 1.24.2, scikit-learn 1.2.1), 2026-11-22:
    PYTHONPATH=ripser.py/src /usr/bin/python3 tests/python/golden/make_ripser.py
circles and correlation are the examples of its documentation; the random state is ours.
"""
import sys
import types

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import datasets

sys.modules.setdefault("persim", types.SimpleNamespace(plot_diagrams=None))  # ripser.py's plots
from ripser import ripser  # noqa: E402

random = np.random.default_rng(1)
circles = datasets.make_circles(n_samples=110, random_state=0)[0]
correlation = np.sqrt(2 * (1 - np.array([[1.0, 0.4, -0.2], [0.4, 1.0, 0.1], [-0.2, 0.1, 1.0]])))
sphere = random.normal(size=(60, 3))
sphere /= np.linalg.norm(sphere, axis=1)[:, None]
distances = cdist(sphere, sphere)
CASES = {
    "circles": (circles, {}),
    "correlation": (correlation, {"distance_matrix": True}),
    "sphere": (distances, {"distance_matrix": True, "maxdim": 2, "coeff": 3}),
    "short": (distances, {"distance_matrix": True, "maxdim": 1, "thresh": 0.6, "do_cocycles": True}),
    "perm": (sphere, {"n_perm": 30}),
    "manhattan": (sphere, {"metric": "manhattan"}),
    "sparse": (distances * (distances <= 0.8), {"distance_matrix": True, "maxdim": 2, "sparse": True}),
}


def main():
    out = {}
    for name, (x, options) in CASES.items():
        options = dict(options)
        given = sparse.csr_matrix(x) if options.pop("sparse", False) else x
        result = ripser(given, **options)
        out[f"{name}/x"] = x
        for dim, diagram in enumerate(result["dgms"]):
            out[f"{name}/dgm{dim}"] = diagram
        for key in ("num_edges", "idx_perm", "r_cover"):
            out[f"{name}/{key}"] = result[key]
        if name == "perm":
            out[f"{name}/dperm2all"] = result["dperm2all"]
    np.savez_compressed("tests/python/golden/ripser.npz", **out)


if __name__ == "__main__":
    main()
