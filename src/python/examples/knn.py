"""Which tumours have neighbors of the other kind?"""
# %%
from pathlib import Path

import glshape
import numpy as np

data = Path(__file__).resolve().parents[3] / "data"
tumours = np.load(data / "cancer.npy")
kind = np.loadtxt(data / "cancer_labels.csv", dtype=str, skiprows=1)

# %%
neighbors = glshape.knn(tumours, 5)
same = kind[neighbors.index] == kind[:, None]
print(f"{np.mean(same.sum(axis=1) >= 3):.1%} of the tumours are of the kind of most of their 5 neighbors")

# %% Of other points: all tumours within a radius of three made-up ones.
near = glshape.knn(tumours, queries=[[1] * 9, [5] * 9, [10] * 9], radius=5)
for first, end in zip(near.indptr, near.indptr[1:]):
    print(end - first, "within 5:", np.unique(kind[near.index[first:end]], return_counts=True))
