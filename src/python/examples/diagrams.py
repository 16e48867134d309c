"""Persistence diagrams: distances, vectors, and a classifier that learns from them."""
# %%
import glshape
import numpy as np

rng = np.random.default_rng(0)


def cloud(holes):
    """Points on one circle, or on two."""
    angle, side = rng.random(60) * 2 * np.pi, rng.integers(0, holes, 60)
    return np.c_[np.cos(angle) + 3 * side, np.sin(angle)] + rng.normal(0, 0.05, (60, 2))


holes = np.arange(40) % 2 + 1
loops = [result.diagrams[1] for result in glshape.rips_batch([cloud(k) for k in holes], 1)]

# %% How far the diagrams are apart; a layout of that.
apart = glshape.compare(loops, metric="wasserstein").distance
print(apart.shape, glshape.mds(apart, metric="precomputed", seed=1).layout.shape)

# %% A row of numbers of each.
print(glshape.vectors(loops, "landscape", landscapes=2, resolution=50).values.shape)

# %%
try:
    from glshape.sklearn import PersistenceImage
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    line = make_pipeline(PersistenceImage(0.2, weight=1), SVC()).fit(loops[:30], holes[:30])
    print("right:", line.score(loops[30:], holes[30:]))
except ImportError as error:
    print(error)
