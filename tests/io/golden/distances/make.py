#!/usr/bin/env python3
"""Makes the distance matrices of the io tests; run in this folder. Those kept here are NumPy 1.24.2's and
SciPy 1.10.1's.

NAME.f4 is what any file whose name starts with NAME holds: 7 x 7 float32, little-endian, row after row. real:
distances of random points; missing: the same without some; half: rounded to half precision; whole: whole
numbers.
"""
import gzip

import numpy as np
from scipy.spatial.distance import pdist, squareform

N = 7
points = np.random.default_rng(7).standard_normal((N, 3))
real = squareform(pdist(points))
real[2, 5] = real[5, 2] = 0  # two points in one place
missing = real.copy()
for i, j in (0, 1), (3, 6), (4, 5):
    missing[i, j] = missing[j, i] = np.nan
half = real.astype("f2").astype("f8")
whole = np.rint(20 * real)


def lines(rows, separator, number="%.9g"):
    return "".join(separator.join(number % v for v in row) + "\n" for row in rows)


def write(name, data):
    with open(name, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def triangles(name, m, number="%.9g"):
    lower = [m[i, :i] for i in range(N)]
    upper = [m[i, i + 1 :] for i in range(N)]
    write(f"{name}-lower.csv", lines(lower, ",", number))  # the first line is empty
    write(f"{name}-lower-first.txt", lines(lower[1:], " ", number))
    write(f"{name}-lower-comma.txt", lines(lower[1:], ", ", number).replace("\n", ",\r\n"))
    write(f"{name}-upper.csv", lines(upper[:-1], ",", number))
    write(f"{name}-upper-last.txt", lines(upper, "\t", number))  # the last line is empty
    condensed = squareform(m, checks=False)
    np.save(f"{name}-condensed.npy", condensed)
    np.save(f"{name}-condensed-big.npy", condensed.astype(">f4"))
    write(f"{name}-lower.bin", np.concatenate(lower).astype("<f4").tobytes())


for name, m in ("real", real), ("missing", missing):
    write(name + ".f4", m.astype("<f4").tobytes())
    write(name + "-full.csv", "# comment\n" + lines(m, ","))
    write(name + "-full.txt", lines(m, "  ", "%.17g"))
    triangles(name, m)
    for code in "f4", "f8":
        for order in "CF":
            for endian, mark in ("little", "<"), ("big", ">"):
                np.save(f"{name}-{code}-{order}-{endian}.npy", np.asarray(m, dtype=mark + code, order=order))
    dipha = np.array([8067171840, 7, N], "<i8").tobytes() + m.astype("<f8").tobytes()
    write(name + ".dipha", dipha)
    write(name + ".dipha.gz", gzip.compress(dipha, mtime=0))
for suffix in "-f8-C-little.npy", "-lower.csv", "-lower.bin", "-condensed.npy":
    with open("real" + suffix, "rb") as f:
        write("real" + suffix + ".gz", gzip.compress(f.read(), mtime=0))

write("half.f4", half.astype("<f4").tobytes())
np.save("half-f2-little.npy", half.astype("<f2"))
np.save("half-f2-big.npy", half.astype(">f2"))
write("whole.f4", whole.astype("<f4").tobytes())
for code in "u1", "<u2", ">i4", "<i8":
    np.save(f"whole-{code.strip('<>')}.npy", whole.astype(code))
np.save("whole-condensed-u1.npy", squareform(whole).astype("u1"))
