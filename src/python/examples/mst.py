"""The spanning forest of a graph: a grid with random weights."""
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
