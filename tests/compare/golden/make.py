"""Writes diagrams and GUDHI's bottleneck distances between them, which tests/compare/test_compare.c reads.

Debian 12, python3-gudhi 3.7.1:
    /usr/bin/python3 tests/compare/golden/make.py
"""
import os
import gudhi, numpy

os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = numpy.random.default_rng(11)
diagrams = []
for k in range(24):
    n = int(rng.integers(0, 30))
    births = rng.random(n) * 10
    deaths = births + rng.random(n) * (1 if k % 2 else 6)
    if k % 4 == 2:  # ties
        births, deaths = numpy.round(births), numpy.round(births) + numpy.round(deaths - births) + 1
    never = [[float(rng.integers(0, 9)), numpy.inf]] * (k % 3)
    diagrams.append(numpy.array([*zip(births, deaths), *never]).reshape(-1, 2))
with open("diagrams.txt", "w") as f:
    for d in diagrams:
        f.write(f"{len(d)}\n" + "".join(f"{float(b)!r} {float(e)!r}\n" for b, e in d))
with open("bottleneck.txt", "w") as f:
    for a in diagrams:
        f.write(" ".join(repr(float(gudhi.bottleneck_distance(a, b))) for b in diagrams) + "\n")
