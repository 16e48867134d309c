"""The merge tree of an image: its deep valleys."""
# %%
import glshape
import numpy as np

y, x = np.mgrid[:80, :100] / 10.0
image = np.sin(x) * np.cos(y) + 0.05 * np.random.default_rng(0).normal(size=x.shape)

# %%
tree = glshape.mergetree(image, simplify=0.5)
print(tree)
print("valleys deeper than 0.5, by (row, column):")
print(np.column_stack(np.unravel_index(tree.birth, image.shape))[:5])
