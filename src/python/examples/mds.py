"""A layout of 683 tumours, nine measures each: benign and malignant ones fall apart."""
# %%
from pathlib import Path

import glshape
import numpy as np

data = Path(__file__).resolve().parents[3] / "data"
tumours = np.load(data / "cancer.npy")
kind = np.loadtxt(data / "cancer_labels.csv", dtype=str, skiprows=1)

# %%
layout = glshape.mds(tumours, seed=1)
print(layout)

# %% How far apart the middles of the two kinds are, beside how far the tumours are from theirs.
middles = np.array([layout.layout[kind == k].mean(axis=0) for k in np.unique(kind)])
print("between:", np.linalg.norm(middles[0] - middles[1]))

# %%
try:
    layout.plot(labels=kind).figure.savefig("mds.png")
except ImportError as error:
    print(error)
