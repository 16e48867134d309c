"""The eight notebooks of ripser.py's documentation, told anew and smaller: each takes a module with ripser and
lower_star_img, and returns what it finds. golden/make_notebooks.py runs them with ripser.py, test_notebooks.py with glshape."""
import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist


def circle(random, n, radius=1.0, noise=0.0):
    angle = random.random(n) * 2 * np.pi
    return np.column_stack([np.cos(angle), np.sin(angle)]) * radius + noise * random.normal(size=(n, 2))


def inputs():
    """What the notebooks look at."""
    random = np.random.default_rng(7)
    angle, across = random.random(150) * 4 * np.pi, 0.4  # twice around: the boundary of a strip
    strip = 1 + across * np.cos(angle / 2)
    at = np.linspace(-1, 1, 50)
    one, two = np.exp(-(at**2) / 0.01), np.exp(-((at - 0.4) ** 2) / 0.01)
    return {
        "basic": circle(random, 60) + 5 * circle(random, 60),
        "greedy": circle(random, 300, 5, 1),
        "image": -np.outer(one, one) - 2 * np.outer(two, one) - 3 * np.outer(two, two),
        "cells": random.integers(0, 256, (40, 50)),
        "series": np.cos(2 * np.pi * np.linspace(0, 5, 100)) + np.linspace(0, 5, 100),
        "moebius": np.column_stack([strip * np.cos(angle), strip * np.sin(angle), across * np.sin(angle / 2)]),
        "cocycles": circle(random, 40, 1, 0.1),
        "sparse": circle(random, 200, 1, 0.1),
    }


def diagrams(result):
    return {f"dgm{dim}": diagram for dim, diagram in enumerate(result["dgms"])}


def basic(of, x):
    """Fields of coefficients, dimensions and thresholds."""
    out = {}
    for name, options in {"default": {}, "Z3": {"coeff": 3}, "Z7": {"coeff": 7}, "H2": {"maxdim": 2}, "0.2": {"thresh": 0.2},
                          "1": {"thresh": 1}, "2": {"thresh": 2}, "999": {"thresh": 999}}.items():
        result = of.ripser(x["basic"], **options)
        out.update({f"{name} {key}": value for key, value in diagrams(result).items()})
        out[f"{name} edges"] = np.array(result["num_edges"])
    return out


def greedy(of, x):
    """A sample that covers the points."""
    result = of.ripser(x["greedy"], n_perm=60)
    return {**diagrams(result), "exact idx_perm": result["idx_perm"], "r_cover": np.array(result["r_cover"])}


def images(of, x):
    """Sublevels of images."""
    return {name: of.lower_star_img(x[name]) for name in ("image", "cells")} | {
        "negated": of.lower_star_img(-x["cells"].astype(float))}


def series(of, x):
    """Sublevels of a time series, as a sparse matrix whose diagonal has the values at which points begin."""
    y, n = x["series"], len(x["series"])
    i, j = np.arange(n - 1), np.arange(1, n)
    value, row, column = np.maximum(y[:-1], y[1:]), np.append(i, np.arange(n)), np.append(j, np.arange(n))
    matrix = sparse.coo_matrix((np.append(value, y), (row, column)), shape=(n, n)).tocsr()
    return diagrams(of.ripser(matrix, maxdim=0, distance_matrix=True))


def moebius(of, x):
    """A strip whose boundary goes around twice: two fields of coefficients see it differently."""
    return {f"Z{coeff} H1": of.ripser(x["moebius"], maxdim=1, coeff=coeff)["dgms"][1] for coeff in (2, 3)}


def cocycles(of, x):
    """The cocycle of the longest bar, modulo 17."""
    result = of.ripser(cdist(x["cocycles"], x["cocycles"]), coeff=17, do_cocycles=True, distance_matrix=True)
    bars = result["dgms"][1]
    longest = np.argmax(bars[:, 1] - bars[:, 0])
    return {**diagrams(result), "exact cocycle": in_order(result["cocycles"][1][longest])}


def sparse_matrix(of, x):
    """Only pairs up to a threshold."""
    d = cdist(x["sparse"], x["sparse"])
    near = sparse.coo_matrix(np.where(np.triu(d) <= 0.9, np.triu(d), 0))
    dense, few = of.ripser(d, thresh=0.9, distance_matrix=True), of.ripser(near, distance_matrix=True)
    return {**diagrams(few), **{f"dense {key}": value for key, value in diagrams(dense).items()},
            "exact edges": np.array([dense["num_edges"], few["num_edges"]])}


def approximate(of, x):
    """Few edges whose diagrams are near those of all (Cavanna, Jahanseir, Sheehy 2015)."""
    out = {}
    for eps in (0.1, 0.4):
        d = cdist(x["sparse"], x["sparse"])
        radius = insertion_radii(d)
        reach = (eps**2 + 3 * eps + 2) / eps * radius
        d[d > reach[:, None]] = np.inf
        i, j = np.nonzero(np.triu(np.isfinite(d), 1))
        length, small, large = d[i, j], np.minimum(radius[i], radius[j]), np.maximum(radius[i], radius[j])
        first, second = (1 + eps) / eps, (1 + eps) ** 2 / eps
        one_moves = (length > 2 * small * first) & (length <= (small + large) * first)
        bound = np.minimum(small * second, large)  # beyond this an edge is not needed
        late = np.where(one_moves, 2 * (length - small * first), length)
        both = (~one_moves) & (length > (small + large) * first)
        keep = ~both & (late <= 2 * bound + length)
        matrix = sparse.coo_matrix((late[keep], (i[keep], j[keep])), shape=d.shape)
        result = of.ripser(matrix, distance_matrix=True)
        out.update({f"{eps} {key}": value for key, value in diagrams(result).items()})
        out[f"exact {eps} edges"] = np.array(result["num_edges"])
    return out


def insertion_radii(d):
    """Of each point: how far it was from those before it in the greedy permutation."""
    radius, nearest = np.zeros(len(d)), d[0].copy()
    for _ in range(1, len(d)):
        at = np.argmax(nearest)
        radius[at] = nearest[at]
        nearest = np.minimum(nearest, d[at])
    radius[0] = np.inf
    return np.minimum(radius, radius[np.isfinite(radius)].max())


def in_order(table):
    return table[np.lexsort(table.T)]


NOTEBOOKS = (basic, greedy, images, series, moebius, cocycles, sparse_matrix, approximate)
