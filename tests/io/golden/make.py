#!/usr/bin/env python3
"""Makes the golden files of the io tests; run in this folder. The ones kept here are NumPy 1.24.2's.

numbers: TYPE-ORDER-ENDIAN.npy, each a 3 x 4 array whose value at row r, column c is 10 r + c - 5 for signed
and floating types (f types add 0.5), 10 r + c for unsigned ones, (r + c) odd for bool.
"""
import gzip
import io

import numpy as np


def array(code):
    r, c = np.mgrid[0:3, 0:4]
    if code == "b1":
        return (r + c) % 2 == 1
    a = 10 * r + c - (0 if code[0] == "u" else 5)
    return (a + (0.5 if code[0] == "f" else 0)).astype(code)


def save(name, a, version=None):
    with open(name + ".npy", "wb") as f:
        np.lib.format.write_array(f, a, version=version)


for code in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1".split():
    for order in "CF":
        for endian, mark in ("little", "<"), ("big", ">"):
            if endian == "big" and code[1] == "1":
                continue
            a = np.asarray(array(code), dtype=mark + code, order=order)
            save(f"{code}-{order}-{endian}", a)

f4 = array("f4")
save("version1", f4, (1, 0))
save("version2", f4, (2, 0))
save("version3", f4, (3, 0))
save("column", np.arange(5, dtype="<i4"))
save("square-F", np.asfortranarray(np.arange(9, dtype="<u2").reshape(3, 3)))
save("scalar", np.float32(3))
save("cube", np.zeros((2, 3, 4), "<f4"))
save("empty", np.zeros((0, 4), "<f4"))
save("no-columns", np.zeros((4, 0), "<f4"))
save("complex", np.zeros((3, 4), "<c8"))
save("strings", np.array(["setosa", "virginica", "na\u00efve \u6f22\U0001d11e", "setosa"]))
save("bytes", np.array([b"b", b"a", b"b"]))
save("structured", np.zeros(3, [("x", "<f4"), ("y", "<i4")]))
save("structured3", np.zeros(3, [("\u00e9", "<f4"), ("y", "<i4")]))
save("void", np.zeros(3, "V8"))
save("dates", np.array(["2020-01-01"] * 3, "M8[D]"))
save("spans", np.array([1, 2], "m8[s]"))
save("object", np.array([[1, None]], dtype=object))
save("longdouble", np.zeros(3, np.longdouble))
save("label-floats", np.array([2.0, -1.5, 2.0, 10.0]))
save("label-ints", np.array([[2**63 + 1], [2**63], [2**63 + 1]], "u8"))

halves = np.array([0, 1, 0x3FF, 0x400, 0x3C00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x8000, 0xC500], "<u2")
save("halves", halves.view("<f2"))

# Text and the doubles that NumPy reads from it: every way of writing, extreme exponents, 17 digits.
rng = np.random.default_rng(1)
bits = rng.integers(0, 2**64, 600, dtype=np.uint64).view("<f8")
wild = np.where(np.isfinite(bits), bits, 1.0).reshape(-1, 3)
tame = rng.standard_normal((200, 3)) * 10.0 ** rng.integers(-12, 12, (200, 3))
doubles = np.vstack([wild, tame])
np.savetxt("savetxt.csv", doubles, delimiter=",")
np.savetxt("savetxt.txt", doubles, fmt="%.17g", header="a b c")
save("savetxt", doubles)
buffer = io.BytesIO()
np.savetxt(buffer, doubles[:20], fmt="%r", delimiter="\t", newline="\r\n", header="x\ty\tz", comments="")
with open("repr.tsv", "wb") as f:
    f.write(buffer.getvalue())
with open("savetxt.csv", "rb") as f, open("savetxt.csv.gz", "wb") as g:
    g.write(gzip.compress(f.read(), mtime=0))
with open("version1.npy", "rb") as f, open("version1.npy.gz", "wb") as g:
    data = f.read()
    g.write(gzip.compress(data[:70], mtime=0) + gzip.compress(data[70:], mtime=0))  # two members
