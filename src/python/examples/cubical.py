"""Persistence of an image: its bright spots, and its dark holes."""
# %%
import glshape
import numpy as np

y, x = np.mgrid[-2:2:120j, -2:2:120j]
ring = np.exp(-4 * (np.hypot(x, y) - 1.2) ** 2) + 0.05 * np.random.default_rng(0).normal(size=x.shape)

# %% As t falls, {ring >= t} becomes a ring around a hole.
bars = glshape.cubical(ring, superlevel=True, min_persistence=0.3)
print(bars)
born, filled = bars.cells(1)
print("the hole is closed at", born[0], "and filled at", filled[0])

# %% Many images are one job.
images = np.random.default_rng(1).random((20, 32, 32))
print([len(result.diagrams[1]) for result in glshape.cubical_batch(images, min_persistence=0.5)])

# %%
try:
    bars.plot().figure.savefig("cubical.png")
except ImportError as error:
    print(error)
