#!/usr/bin/env python3
"""Makes the inputs that are generated, and every listing, from independent programs; run in this folder.
README.md says which program made what, and of which version. Needs ripser, and gudhi with NumPy and SciPy.
"""
import math
import random
import subprocess

import gudhi
import gudhi.point_cloud.dtm
import gudhi.weighted_rips_complex
import scipy.spatial


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def lower(name, n, distance):
    """A lower triangle. Ripser takes its first line for the first point's, which has no distances."""
    rows = ([distance(i, j) for j in range(i)] for i in range(n))
    write(name, "".join(",".join(map(str, row)) + "\n" for row in rows))


def cloud(name, n):
    """Points in 3 dimensions in sixty-fourths: sums of squares are exact in float32, roots rounded once."""
    dice = random.Random(40)
    rows = ([dice.randrange(-128, 129) / 64 for _ in range(3)] for _ in range(n))
    write(name, "".join(" ".join(map(str, row)) + "\n" for row in rows))


def moore(p):
    """Edges of a flag triangulation of a disk whose rim winds p times around a circle of 4 points (0 … 3):
    H1 over Z is Z/p. A ring of 4p points follows, and the middle."""
    ring = [4 + k for k in range(4 * p)]
    edges = {frozenset((k, (k + 1) % 4)) for k in range(4)}
    for k, point in enumerate(ring):
        for other in k % 4, (k + 1) % 4, ring[(k + 1) % len(ring)], 4 + len(ring):
            edges.add(frozenset((point, other)))
    return edges


def ripser(listing, *arguments):
    out = subprocess.run(("ripser",) + arguments, capture_output=True, text=True, check=True).stdout
    write(listing, out)


def complex_of(matrix, dim):
    with open(matrix) as f:
        rows = [[float(x) for x in line.replace(",", " ").split()] for line in f]
    return gudhi.RipsComplex(distance_matrix=rows).create_simplex_tree(max_dimension=dim + 1)


def weighted(rows, weights, dim, **limit):
    complex = gudhi.weighted_rips_complex.WeightedRipsComplex(rows, weights, **limit)
    return complex.create_simplex_tree(max_dimension=dim + 1)


def by_gudhi(listing, tree, dim, p):
    tree.compute_persistence(homology_coeff_field=p, min_persistence=0)
    text = ""
    for d in range(dim + 1):
        text += f"persistence intervals in dim {d}:\n"
        for birth, death in sorted(map(tuple, tree.persistence_intervals_in_dimension(d))):
            text += f" [{birth:g},{' ' if math.isinf(death) else f'{death:g}'})\n"
    write(listing, text)


def index(simplex):
    return sum(math.comb(v, i + 1) for i, v in enumerate(sorted(simplex)))


def pairs(listing, matrix, dim, p):
    """Simplex pairs: dimension, index of the first, index of the second if there is one. Each simplex gets
    its place in the filtration for a value, so that GUDHI has no ties to break."""
    tree = complex_of(matrix, dim)
    order = sorted(tree.get_filtration(), key=lambda s: (s[1], len(s[0]), -index(s[0])))
    for place, (simplex, _) in enumerate(order):
        tree.assign_filtration(simplex, place)
    tree.compute_persistence(homology_coeff_field=p)
    lines = [(len(s) - 1, index(s)) + ((index(t),) if t else ()) for s, t in tree.persistence_pairs()]
    write(listing, "".join(" ".join(map(str, line)) + "\n" for line in sorted(lines) if line[0] <= dim))


dice = random.Random(25)
lower("ties25.lower_distance_matrix", 25, lambda i, j: dice.randint(1, 4))
cloud("cloud40.txt", 40)
for p in 3, 5:
    edges = moore(p)
    lower(f"moore{p}.lower_distance_matrix", 4 * p + 5, lambda i, j: 1 if frozenset((i, j)) in edges else 2)

for name, dim, thresholds in (
    ("random16", 5, (60, 85.5)),
    ("projective_plane", 3, (1,)),
    ("ties25", 4, (1, 2, 3)),
    ("moore3", 3, (1,)),
    ("moore5", 2, (1.5,)),
):
    file = name + ".lower_distance_matrix"
    ripser(f"{name}.ripser", "--dim", str(dim), file)
    for t in thresholds:
        ripser(f"{name}-t{t}.ripser", "--dim", str(dim), "--threshold", str(t), file)
with open("ties25.lower_distance_matrix") as f:
    rows = [line.split(",") for line in f.read().splitlines()]
near = [(i, j, d) for i, row in enumerate(rows) for j, d in enumerate(row) if d in ("1", "2")]
write("ties25.sparse", "".join("%d %d %s\n" % edge for edge in near))
write("gaps25.sparse", "".join("%d %d %s\n" % (3 * i + 2, 3 * j + 2, d) for i, j, d in near))
ripser("gaps25.ripser", "--format", "sparse", "--dim", "3", "gaps25.sparse")
ripser("ties25-sparse.ripser", "--format", "sparse", "--dim", "4", "ties25.sparse")
ripser("cloud40.ripser", "--format", "point-cloud", "--dim", "3", "cloud40.txt")
ripser("cloud40-t1.75.ripser", "--format", "point-cloud", "--dim", "3", "--threshold", "1.75", "cloud40.txt")
ripser("random16-r1.5.ripser", "--dim", "2", "--ratio", "1.5", "random16.lower_distance_matrix")

for name, dim, primes in (
    ("projective_plane", 2, (2, 3, 5)),
    ("moore3", 2, (2, 3, 5)),
    ("moore5", 2, (3, 5)),
    ("ties25", 3, (3, 11)),
    ("random16", 3, (7,)),
):
    for p in primes:
        by_gudhi(f"{name}-p{p}.gudhi", complex_of(name + ".lower_distance_matrix", dim), dim, p)

halves = [dice.randrange(5) / 2 for _ in rows]
write("ties25.weights", "".join(f"{x:g}\n" for x in halves))
ties = [[float(d) for d in row if d] for row in rows]
by_gudhi("ties25-weights.gudhi", weighted(ties, halves, 2), 2, 2)
by_gudhi("ties25-weights-t3.gudhi", weighted(ties, halves, 2, max_filtration=3), 2, 2)
with open("cloud40.txt") as f:
    points = [list(map(float, line.split())) for line in f]
matrix = scipy.spatial.distance.cdist(points, points)
dtm = gudhi.point_cloud.dtm.DistanceToMeasure(5, metric="precomputed").fit_transform(matrix)
write("cloud40.weights", "".join(f"{x!r}\n" for x in dtm.tolist()))
by_gudhi("cloud40-weights.gudhi", weighted(matrix, dtm, 2), 2, 2)

for name, dim, p in (
    ("projective_plane", 2, 2),
    ("projective_plane", 2, 3),
    ("moore3", 1, 3),
    ("random16", 2, 2),
    ("ties25", 1, 2),
):
    pairs(f"{name}-p{p}.pairs", name + ".lower_distance_matrix", dim, p)
