#!/usr/bin/python3
"""Makes fields.txt with GUDHI. Run in this folder: python3 make.py

For each field a line "dims shape neighbours periodic superlevel pairs", the values, and the pairs "birth death"
of dimension 0 and non-zero persistence, sorted. 2, 8 and 26 neighbours: (Periodic)CubicalComplex with
top_dimensional_cells, whose cells are joined as soon as they touch in a corner. Others: a SimplexTree of the
grid's vertices and edges. Superlevel: of the negated values, negated. The first line names GUDHI's version.
"""
import itertools
import gudhi
import numpy as np

rng = np.random.default_rng(20261121)


def steps(dims, neighbours):
    for d in itertools.product((-1, 0, 1), repeat=dims):
        length = sum(map(abs, d))
        same = all(x >= 0 for x in d)
        if d <= (0,) * dims:
            continue
        if (dims, neighbours) in ((2, 4), (3, 6)) and length == 1 or neighbours == 18 and length <= 2:
            yield d
        if (dims, neighbours) in ((2, 6), (3, 14)) and same:
            yield d


def graph(field, neighbours, periodic):
    tree = gudhi.SimplexTree()
    index = np.arange(field.size).reshape(field.shape)
    for at in np.ndindex(field.shape):
        tree.insert([index[at]], field[at])
    for at in np.ndindex(field.shape):
        for d in steps(field.ndim, neighbours):
            to = [x + y for x, y in zip(at, d)]
            if any(not p and not 0 <= x < n for x, n, p in zip(to, field.shape, periodic)):
                continue
            to = tuple(x % n for x, n in zip(to, field.shape))
            if to != at:
                tree.insert([index[at], index[to]], max(field[at], field[to]))
    tree.compute_persistence(persistence_dim_max=True)
    return tree.persistence_intervals_in_dimension(0)


def cubical(field, periodic):
    # GUDHI's first dimension is the fastest
    make = gudhi.PeriodicCubicalComplex if any(periodic) else gudhi.CubicalComplex
    more = {"periodic_dimensions": list(periodic)[::-1]} if any(periodic) else {}
    cells = make(dimensions=list(field.shape)[::-1], top_dimensional_cells=field.flatten(), **more)
    cells.compute_persistence()
    return cells.persistence_intervals_in_dimension(0)


with open("fields.txt", "w") as f:
    f.write(f"# gudhi {gudhi.__version__}, numpy {np.__version__}\n")
    cases = [(shape, n, p, up)
             for shape, hoods in (((17, 23), (4, 8, 6)), ((7, 9, 8), (6, 18, 26, 14)), ((97,), (2,)))
             for n in hoods
             for p in ((0,) * len(shape), (1,) * len(shape), (0, 1, 0)[:len(shape)])
             for up in (0, 1)]
    for shape, neighbours, periodic, up in cases:
        field = np.round(rng.normal(size=shape) * 20)
        sign = -1.0 if up else 1.0
        if neighbours in (2, 8, 26):
            pairs = cubical(sign * field, periodic)
        else:
            pairs = graph(sign * field, neighbours, periodic)
        pairs = sorted((sign * b, d if np.isinf(d) else sign * d) for b, d in pairs if b != d)
        f.write(" ".join(map(str, (len(shape), *shape, neighbours, *periodic, up, len(pairs)))) + "\n")
        f.write(" ".join(f"{x:.0f}" for x in field.flatten()) + "\n")
        for b, d in pairs:
            f.write(f"{b:.0f} {d:.0f}\n")
