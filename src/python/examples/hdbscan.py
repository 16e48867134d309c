"""Clusters of varying density, with noise around them."""
# %%
import glshape
import numpy as np

random = np.random.default_rng(0)
blobs = [random.normal(middle, spread, (200, 2)) for middle, spread in ((0, 0.3), (4, 1.0), (12, 2.0))]
points = np.concatenate(blobs + [random.uniform(-5, 20, (60, 2))])

# %%
found = glshape.hdbscan(points, 15)
print(found)
for c in range(found.clusters):
    print("cluster", c, "around", points[found.labels == c].mean(axis=0).round(1))

# %% New points, and the clusters at one distance.
print(found.predict([[0, 0], [12, 12], [-5, 19]]))
print(np.unique(found.dbscan(1.0), return_counts=True))

# %%
try:
    found.plot().figure.savefig("hdbscan.png")
except ImportError as error:
    print(error)
