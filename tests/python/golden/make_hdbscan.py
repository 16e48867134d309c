"""Makes hdbscan.npz: small sets, and what the package hdbscan says of them.

hdbscan 0.8.43 (github.com/scikit-learn-contrib/hdbscan, commit b792840bcdfe46bbc29bdc21424a7e01f41d6416), built by
    sed -i '/distutils: define_macros/d' hdbscan/*.pyx && python3 setup.py build_ext --inplace
on Debian 12 (Cython 0.29.32, NumPy 1.24.2, SciPy 1.10.1, scikit-learn 1.2.1, whose check_array calls ensure_all_finite
force_all_finite), 2026-11-26:
    PYTHONPATH=hdbscan /usr/bin/python3 tests/python/golden/make_hdbscan.py
The sets were chosen among several draws, so that both programs find the same partition: edges of equal length may come in another order.
"""
from pathlib import Path

import hdbscan
import numpy as np
from hdbscan.validity import validity_index
from sklearn import datasets


def sets():
    return {"iris": datasets.load_iris().data, "moons": datasets.make_moons(400, noise=0.06, random_state=1)[0],
            "blobs": datasets.make_blobs(500, 10, centers=6, cluster_std=2, random_state=1)[0], "three": datasets.make_blobs(500, 3, centers=5, random_state=9)[0]}


def main():
    out = {}
    for name, x in sets().items():
        of = hdbscan.HDBSCAN(12, 5, approx_min_span_tree=False, algorithm="prims_kdtree", prediction_data=True,
                             gen_min_span_tree=True).fit(x)
        heights = of.single_linkage_tree_.to_numpy()[:, 2]
        at = (heights[len(x) // 2 - 1] + heights[np.searchsorted(heights, heights[len(x) // 2 - 1], "right")]) / 2
        index, each = validity_index(x, of.labels_, per_cluster_scores=True)
        out.update({f"{name}/{key}": value for key, value in {
            "x": x, "labels": of.labels_, "probabilities": of.probabilities_, "persistence": of.cluster_persistence_,
            "heights": heights, "at": at, "membership": hdbscan.all_points_membership_vectors(of),
            "relative_validity": of.relative_validity_, "index": index, "indices": each,
            "raw_index": validity_index(x, of.labels_, mst_raw_dist=True),
            "cut": of.single_linkage_tree_.get_clusters(at, 5),
            "centroid": of.weighted_cluster_centroid(0), "medoid": of.weighted_cluster_medoid(0)}.items()})
    np.savez_compressed(Path(__file__).parent / "hdbscan.npz", **out)


if __name__ == "__main__":
    main()
