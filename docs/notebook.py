# %% [markdown]
# # glshape in ten minutes
#
# Layouts, neighbors, clusters, persistence and outlines, on data that are in the repository. Each result shows itself: its
# picture and what it found. `docs/notebook.py` is this page as a script; `tools/notebook` runs it and writes `docs/notebook.html`.

# %%
import numpy as np

import glshape

tumours = np.load("data/cancer.npy")  # 683 tumours, nine measures each
tumours.shape

# %% [markdown]
# ## A layout
#
# Points that are near in nine dimensions are near in the plane. The stress says how well that went; 0 is perfect.

# %%
layout = glshape.mds(tumours, seed=1)
layout

# %% [markdown]
# ## Neighbors
#
# The rows of the five nearest neighbors of each tumour, and their distances.

# %%
near = glshape.knn(tumours, 5)
near.index[0], near.distance[0].round(2)

# %% [markdown]
# ## Clusters
#
# HDBSCAN finds clusters of varying density, and leaves noise out. Here is the tree that they are chosen from.

# %%
clusters = glshape.hdbscan(tumours, 30, min_samples=3)
clusters

# %% [markdown]
# The layout in the colors of the clusters; -1 is noise.

# %%
layout.plot(labels=clusters.labels)

# %% [markdown]
# How much a tumour belongs to each cluster. `top` keeps the greatest strengths only.

# %%
soft = clusters.membership()
soft.strength[:3].round(3), soft.noise[:3].round(3)

# %% [markdown]
# Programs that were written for the package hdbscan change one import. `HDBSCAN_flat` takes the number of clusters.

# %%
from glshape.compat import hdbscan

flat = hdbscan.HDBSCAN_flat(tumours, n_clusters=2, min_cluster_size=30, min_samples=2)
np.bincount(flat.labels_ + 1)  # noise, then the clusters

# %% [markdown]
# ## Loops
#
# A noisy circle has one loop that lasts.

# %%
random = np.random.default_rng(0)
angle = random.random(120) * 2 * np.pi
circle = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.1 * random.normal(size=(120, 2))
bars = glshape.rips(circle)
bars

# %% [markdown]
# With outliers inside, distances to a measure (DTM) as weights keep the loop: the root of the mean of the squared distances to
# the nearest points, the point itself among them.

# %%
dirty = np.concatenate([circle, random.uniform(-0.5, 0.5, (8, 2))])
dtm = np.sqrt((glshape.knn(dirty, 9).distance ** 2).sum(axis=1) / 10)
weighted = glshape.rips(dirty, weights=dtm)
longest = [np.ptp(of.diagrams[1], axis=1).max() for of in (glshape.rips(dirty), weighted)]
np.round(longest, 2)

# %% [markdown]
# ## Images
#
# The components and loops of an image, as its values rise.

# %%
grid = np.linspace(-3, 3, 60)
hills = np.sin(2 * grid)[:, None] * np.cos(2 * grid) + 0.05 * random.normal(size=(60, 60))
glshape.cubical(hills)

# %% [markdown]
# ## Outlines
#
# The alpha shape of points in the plane is a polygon with holes, which shapely takes.

# %%
outline = glshape.alpha_shape(circle, 0.4)
print(outline.to_wkt()[:60], "…")
try:
    import shapely.geometry

    print("area", round(shapely.geometry.shape(outline).area, 3))
except ImportError:
    print("shapely is not installed")

# %% [markdown]
# ## Pipelines
#
# Estimators go into pipelines and searches of scikit-learn: here the neighbors are found by glshape, and scikit-learn lays them
# out.

# %%
from glshape.sklearn import KNeighborsTransformer
from sklearn.manifold import Isomap
from sklearn.pipeline import make_pipeline

pipeline = make_pipeline(KNeighborsTransformer(n_neighbors=12), Isomap(n_neighbors=12, metric="precomputed"))
pipeline.fit_transform(np.unique(tumours, axis=0)).shape
