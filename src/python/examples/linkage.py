"""Single-linkage clusters, as scipy has them."""
# %%
from pathlib import Path

import glshape
import numpy as np
from scipy.cluster.hierarchy import fcluster

tumours = np.load(Path(__file__).resolve().parents[3] / "data" / "cancer.npy")

# %%
tree = glshape.linkage(tumours, cophenetic=True)
print(tree)

# %% The matrix is scipy's: its functions take it.
print(len(set(fcluster(tree.merges, 5, "distance"))), "clusters at distance 5")
print(tree.cut(distance=5)[:10])

# %%
try:
    tree.plot(truncate_mode="lastp").figure.savefig("linkage.png")
except ImportError as error:
    print(error)
