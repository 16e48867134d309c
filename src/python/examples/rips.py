"""Persistence barcodes: one circle, with noise, and many small clouds as one job."""
# %%
import glshape
import numpy as np

random = np.random.default_rng(0)
angles = random.random(120) * 2 * np.pi
circle = np.column_stack([np.cos(angles), np.sin(angles)]) + 0.1 * random.normal(size=(120, 2))

# %%
bars = glshape.rips(circle, cocycles=True)
loops = bars.diagrams[1]
print("the longest loop:", loops[np.argmax(loops[:, 1] - loops[:, 0])])

# %% Many inputs share devices and threads.
clouds = random.random((50, 40, 3))
print([len(result.diagrams[1]) for result in glshape.rips(clouds)][:10])

# %% ripser.py's dictionary.
print(glshape.ripser(circle)["num_edges"], "edges")

# %%
try:
    bars.plot().figure.savefig("rips.png")
except ImportError as error:
    print(error)
