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
