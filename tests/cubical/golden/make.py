#!/usr/bin/python3
"""Makes fields.txt with GUDHI. Run in this folder: python3 make.py

For each field a line "dims shape construction periodic superlevel intervals", the values, and the intervals
"dim birth death" of non-zero length, sorted. construction t: (Periodic)CubicalComplex with top_dimensional_cells. v: the
same of an array that has a cell for each cube between the vertices, with the greatest value of its corners: the cells of
a closed set of cubes have its shape. Superlevel: of the negated values, negated. The first line names GUDHI's version.
"""
import gudhi
import numpy as np

rng = np.random.default_rng(20261122)


def cells(field, construction, periodic):
    if construction == "t":
        return field
    for axis, around in enumerate(periodic):
        n = field.shape[axis]
        at = np.arange(2 * n if around else 2 * n - 1)
        field = np.maximum(np.take(field, at // 2, axis), np.take(field, (at + 1) // 2 % n, axis))
    return field


def intervals(field, periodic):
    # GUDHI's first dimension is the fastest
    make = gudhi.PeriodicCubicalComplex if any(periodic) else gudhi.CubicalComplex
    more = {"periodic_dimensions": [bool(p) for p in periodic][::-1]} if any(periodic) else {}
    complex = make(dimensions=list(field.shape)[::-1], top_dimensional_cells=field.flatten(), **more)
    for dim, (birth, death) in complex.persistence(homology_coeff_field=2, min_persistence=0):
        if birth != death and birth != np.inf:
            yield dim, birth, death


def draw(shape, kind):
    if kind == "noise":
        return np.round(rng.normal(size=shape) * 1000)
    if kind == "plains":  # edges flow far in them
        blocks = rng.integers(0, 5, [n // 4 + 1 for n in shape])
        field = np.kron(blocks, np.ones([4] * len(shape)))[tuple(map(slice, shape))]
        return np.where(rng.random(shape) < 0.1, rng.integers(0, 5, shape), field)
    field = rng.integers(0, 2 if kind == "two" else 5, shape).astype(float)
    if kind == "holes":
        field[rng.random(shape) < 0.15] = np.inf
        field[rng.random(shape) < 0.05] = -np.inf
    return field


with open("fields.txt", "w") as f:
    f.write(f"# gudhi {gudhi.__version__}, numpy {np.__version__}\n")
    cases = [(shape, kind, construction, periodic, up)
             for shape in ((40,), (9, 12), (4, 5, 6))
             for kind in ("noise", "two", "five", "holes")
             for construction in "tv"
             for periodic in ((0, 0, 0), (1, 1, 1), (0, 1, 0), (1, 0, 1))
             for up in (0, 1)]
    cases += [((14, 13, 15), "plains", construction, (0, 0, 0), 0) for construction in "tv"]
    for shape, kind, construction, periodic, up in cases:
        periodic = periodic[:len(shape)]
        field = draw(shape, kind)
        sign = -1.0 if up else 1.0
        found = sorted((dim, sign * b + 0.0, d if d == np.inf else sign * d + 0.0)
                       for dim, b, d in intervals(cells(sign * field, construction, periodic), periodic))
        f.write(" ".join(map(str, (len(shape), *shape, construction, *periodic, up, len(found)))) + "\n")
        f.write(" ".join(f"{x:g}" for x in field.flatten()) + "\n")
        for dim, b, d in found:
            f.write(f"{dim} {b:g} {d:g}\n")
