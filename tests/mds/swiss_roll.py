#!/usr/bin/env python3
"""SMACOF's normalized stress on the swiss roll of tests/mds/test_quality.c (numpy, scipy, scikit-learn)."""
import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import smacof

N = 1089
MASK = (1 << 64) - 1


def units(state):
    """The numbers of random_unit (src/base/random.h)."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield ((z ^ (z >> 31)) >> 11) * 2.0**-53


def row(random):
    t = 1.5 * np.pi * (1 + 2 * next(random))
    return t * np.cos(t), 21 * next(random), t * np.sin(t)


random = units(N)
distances = squareform(pdist(np.array([row(random) for _ in range(N)])))
_, raw = smacof(distances, n_components=2, n_init=8, max_iter=3000, eps=1e-9, random_state=0,
                normalized_stress=False)
print(f"{2 * raw / (distances**2).sum():.6f}")
