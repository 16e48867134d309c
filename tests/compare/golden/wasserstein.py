"""Writes GUDHI's Wasserstein distances between the diagrams of diagrams.txt, which tests/compare/test_compare.c reads: for each
order and norm a line with both, then a row for each diagram.

Debian 12, python3-gudhi 3.7.1 with python3-pot 0.8.2 (network simplex):
    /usr/bin/python3 tests/compare/golden/wasserstein.py
"""
import os
import warnings
import numpy
from gudhi.wasserstein import wasserstein_distance

os.chdir(os.path.dirname(os.path.abspath(__file__)))
warnings.simplefilter("ignore")  # of distances that are infinite
numbers = iter(open("diagrams.txt").read().split())
diagrams = [numpy.array([float(next(numbers)) for _ in range(2 * int(count))]).reshape(-1, 2) for count in numbers]
with open("wasserstein.txt", "w") as f:
    for order, norm in ((1, numpy.inf), (2, 2), (1, 1), (3, 2.5)):
        f.write(f"{order} {norm}\n")
        for a in diagrams:
            f.write(" ".join(f"{float(wasserstein_distance(a, b, order=order, internal_p=norm)):.12g}" for b in diagrams) + "\n")
