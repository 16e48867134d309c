"""The contour tree of a surface with two hills."""
# %%
import glshape
import numpy as np

y, x = np.mgrid[-3:3:60j, -3:3:60j]
hills = np.exp(-((x - 1) ** 2) - y**2) + 0.8 * np.exp(-((x + 1) ** 2) - y**2)

# %%
tree = glshape.contour(hills)
print(tree)
top = np.argsort(tree.upper_value)[-2:]
print("the hills' heights:", tree.upper_value[top])
