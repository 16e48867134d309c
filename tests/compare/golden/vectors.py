"""Writes GUDHI's vectors of the finite pairs of diagrams.txt, which tests/compare/test_vectors.c reads: vectors.txt, a line
for each kind with its name, then a line for each diagram. Diagrams without finite pairs are left out: GUDHI takes none of
them everywhere.

Debian 12, python3-gudhi 3.7.1, python3-sklearn 1.2.1:
    /usr/bin/python3 tests/compare/golden/vectors.py
"""
import os
import numpy
from gudhi.representations import BettiCurve, Entropy, Landscape, PersistenceImage, Silhouette

os.chdir(os.path.dirname(os.path.abspath(__file__)))
numbers = iter(open("diagrams.txt").read().split())
diagrams = []
for count in numbers:
    pairs = numpy.array([float(next(numbers)) for _ in range(2 * int(count))]).reshape(-1, 2)
    diagrams.append(pairs[numpy.isfinite(pairs[:, 1])])
diagrams = [d for d in diagrams if len(d)]
persistence = lambda p: p[1] ** 1.5          # of (birth, lifetime)
of_pair = lambda p: (p[1] - p[0]) ** 1.5     # of (birth, death)
kinds = {
    "image": PersistenceImage(bandwidth=0.7, resolution=[9, 6]),
    "weighted": PersistenceImage(bandwidth=2, weight=persistence, resolution=[5, 7], im_range=[0, 10, 0.5, 4]),
    "landscape": Landscape(num_landscapes=4, resolution=31),
    "range": Landscape(num_landscapes=2, resolution=12, sample_range=[1, 9.5]),
    "silhouette": Silhouette(resolution=25, keep_endpoints=True),
    "heavy": Silhouette(weight=of_pair, resolution=25),
    "betti": BettiCurve(resolution=40),
    "entropy": Entropy(),
    "curve": Entropy(mode="vector", resolution=17, sample_range=[0.25, 9.9]),
    "raw": Entropy(mode="vector", normalized=False, resolution=17, sample_range=[0.25, 9.9]),
}
with open("vectors.txt", "w") as f:
    for name, kind in kinds.items():
        rows = kind.fit(diagrams).transform(diagrams)
        f.write(f"{name} {len(rows)} {rows.shape[1]}\n")
        f.writelines(" ".join(f"{float(x):.9g}" for x in row) + "\n" for row in rows)
