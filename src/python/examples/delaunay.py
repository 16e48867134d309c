"""A Delaunay triangulation, exact even where points are on one circle."""
# %%
import glshape
import numpy as np

grid = np.stack(np.meshgrid(np.arange(20), np.arange(20)), axis=-1).reshape(-1, 2)

# %%
mesh = glshape.delaunay(grid)
print(mesh)
print("triangles at the border:", np.count_nonzero((mesh.neighbors == -1).any(axis=1)))
