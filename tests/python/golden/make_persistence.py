"""Makes persistence.npz: what hdbscan's cluster_selection_persistence leaves of the condensed tree, and the clusters.

The functions are those of hdbscan/_hdbscan_tree.pyx of the package hdbscan 0.8.43 (github.com/scikit-learn-contrib/hdbscan,
commit b792840bcdfe46bbc29bdc21424a7e01f41d6416), compiled alone, as the others take minutes:
    cython3 -3 _hdbscan_tree.pyx
    gcc -O1 -shared -fPIC $(python3-config --includes) -I$(python3 -c 'import numpy; print(numpy.get_include())') \\
        _hdbscan_tree.c -o _hdbscan_tree$(python3-config --extension-suffix)
on Debian 12 (Cython 0.29.32, NumPy 1.24.2, SciPy 1.10.1, scikit-learn 1.2.1), 2026-11-26. The single-linkage tree is scipy's, of
the mutual reachability of all pairs:
    PYTHONPATH=. /usr/bin/python3 tests/python/golden/make_persistence.py
"""
from pathlib import Path

import numpy as np
from _hdbscan_tree import compute_stability, condense_tree, get_clusters, simplify_hierarchy
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from sklearn import datasets


def sets():
    rng = np.random.default_rng(7)
    return {"moons": datasets.make_moons(300, noise=0.08, random_state=2)[0], "uniform": rng.random((400, 2)),
            "blobs": datasets.make_blobs(300, 3, centers=8, cluster_std=1.5, random_state=4)[0]}


def main():
    out = {}
    for name, x in sets().items():
        d = squareform(pdist(x))
        core = np.sort(d, axis=1)[:, 3]  # three others
        tree = linkage(squareform(np.maximum(d, np.maximum(core[:, None], core)) * (1 - np.eye(len(x))), checks=False), "single")
        spans = np.quantile(1 / tree[:, 2], [0, 0.3, 0.6, 0.9])
        thresholds = np.array([0.0, *(spans[1:] - spans[0]) / 3])
        out.update({f"{name}/x": x, f"{name}/thresholds": thresholds})
        for k, threshold in enumerate(thresholds):
            condensed = condense_tree(tree, 5)
            if threshold > 0:
                condensed = simplify_hierarchy(condensed, threshold)
            out[f"{name}/{k}/lambdas"] = np.sort(condensed["lambda_val"])
            out[f"{name}/{k}/clusters"] = len(np.unique(condensed["parent"]))
            for method in ("eom", "leaf"):
                labels, _, _ = get_clusters(condensed, compute_stability(condensed), method)
                out[f"{name}/{k}/{method}"] = labels
    np.savez_compressed(Path(__file__).parent / "persistence.npz", **out)


if __name__ == "__main__":
    main()
