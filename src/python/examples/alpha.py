"""The outline of points in a ring, with its hole."""
# %%
import glshape
import numpy as np

random = np.random.default_rng(0)
angles, radii = random.random(2000) * 2 * np.pi, 1 + random.random(2000)
ring = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])

# %% All radii at once; then the shape at one of them.
shapes = glshape.alpha(ring)
shape = shapes.at(rank=shapes.optimal(1))
print(f"radius {shape.radius:.3f}: area {shape.areas.sum():.3f}, beside {3 * np.pi:.3f}")
print("rings of points:", [len(ring) for ring in shape.rings[0]][:4])

# %%
try:
    shape.plot().figure.savefig("alpha.png")
except ImportError as error:
    print(error)
