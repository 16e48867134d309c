"""The spanning forest of a graph: a grid with random weights. The spanning tree of points."""
# %%
import glshape
import numpy as np

side = 40
node = np.arange(side * side).reshape(side, side)
i = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
j = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
weight = np.random.default_rng(0).random(i.size)

# %%
forest = glshape.mst((node.size, i, j, weight))
print(forest)

# %% Of points, all pairs are edges; the last ones of the tree are the gaps between clusters.
points = np.concatenate([np.random.default_rng(k).normal(9 * k, 1, (50, 2)) for k in range(3)])
tree = glshape.mst(points=points)
print(tree.weight[-4:])
