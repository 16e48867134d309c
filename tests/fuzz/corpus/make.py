#!/usr/bin/env python3
"""Makes the seeds NAME/seed-* of the fuzzers, from golden files and by hand; run in this folder. README.md says more."""
import glob
import math
import os
import random
import struct
import zlib

GOLDEN = "../../io/golden/"
MOST = 600  # bytes of a golden file that is a seed as a whole; of longer text, the first lines
random.seed(1)


def save(name, number, data):
    os.makedirs(name, exist_ok=True)
    with open(f"{name}/seed-{number:02}", "wb") as f:
        f.write(data.encode() if isinstance(data, str) else bytes(data))


def golden(pattern):
    for path in sorted(glob.glob(GOLDEN + pattern)):
        with open(path, "rb") as f:
            data = f.read()
        if len(data) <= MOST:
            yield data
        elif path.endswith((".csv", ".txt", ".tsv")):
            yield b"".join(data.splitlines(True)[:4])


def written(text):
    """Seeds between lines of ----."""
    return text.strip("\n").split("----\n")


# ---- readers --------------------------------------------------------------------------------------

npy = [*golden("[bfiu][1248]-F-big.npy"), *golden("[bf]*-C-little.npy"), *golden("version[123].npy"),
       *(data for name in "cube empty no-columns scalar column square-F halves strings bytes structured3 void dates object longdouble".split()
         for data in golden(name + ".npy"))]
text = [*golden("savetxt.csv"), *golden("savetxt.txt"), *golden("repr.tsv"),
        *written("1,2\n3,4\n----\n# a b\n1 2\n\n3 4\n----\nx;y\n1;-2e-3\n----\n\"a\",\"b\"\n1,inf\nnan,0x1p3\n----\n1,2\r\n3,4\r\n----\n1 2\n3\n")]
columns = written("""id,lon,lat,name
1,9.5,47,"St. Gallen, a town"
2,-.5,1e1,""
----
x\ty\tz
1\t2\t3
4\t5\t6
----
name;y;x
"a ""b"" c";1;2
d;;3
----
x y
1 2
----
x,x
1,2
""")
tsplib = written("""NAME : four
TYPE : TSP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
3 1e2 1.5
2 -7 3
4 0.1 0.2
EOF
----
DIMENSION: 2
EDGE_WEIGHT_TYPE: GEO
NODE_COORD_SECTION
1 38.24 20.42
2 -39.57 26.15
----
DIMENSION 1
NODE_COORD_TYPE : THREED_COORDS
NODE_COORD_SECTION
1 0 0 0
----
DIMENSION : 3
NODE_COORD_SECTION
1 0 0
1 0 0
""")
labels = [*golden("label-*.npy"), *golden("strings.npy"), *golden("bytes.npy"),
          *written("a\nb\na\n----\n1\n1.0\n-2e3\n----\nclass\n\"two words\"\n'x'\n# no label\nx\n\n----\na,b\n")]
sparse = [*golden("documents/*.txt"), *golden("documents/*.mtx"), *golden("graphs/*-*.mtx")]
graph = [*golden("graphs/*.mtx"), *written("""source target weight
a b 1.5
b c 2
c a 1e-3
----
0 1
1 2
2 0
2 2
----
% a comment
1,2,3
2,1,3
3,4,inf
----
"Z\u00fcrich"\t"St. Gallen"\t85
"St. Gallen"\tBern\t208
----
c roads
p sp 3 4
a 1 2 803
a 2 1 803
a 2 3 158
a 3 2 158
----
p sp 2 1
a 1 3 4
----
1 1.0
18446744073709551615 2
""")]
whole = written("0 1 2\n1 0 3\n2 3 0\n----\n0,1\n1,0\n----\n0 nan\nnan 0\n----\n0 1\n2 0\n")
distances = [*golden("distances/*-C-little.npy"), *golden("distances/*-condensed*.npy"), *golden("distances/*.gz"),
             *golden("distances/whole-*.npy"), *golden("distances/half-*.npy")]
full = [*golden("distances/*-full.*"), *golden("distances/*.f4"), *golden("distances/*-F-big.npy"), *whole]
lower = [*golden("distances/*-lower*.csv"), *golden("distances/*-lower-*.txt"), *written("1\n2 3\n4 5 6\n----\n0\n1 0\n----\n1,inf\n")]
upper = [*golden("distances/*-upper*"), *written("1 2 3\n4 5\n6\n----\n1\n")]
dipha = list(golden("distances/*.dipha")) + list(golden("distances/*.dipha.gz"))
triangle = list(golden("distances/*-lower.bin")) + list(golden("distances/*-lower.bin.gz"))


def nrrd(lines, data):
    return ("NRRD0004\n" + lines + "\n\n").encode("latin-1") + bytes(data)


field = [*golden("*-C-little.npy"), *golden("cube.npy"),
         nrrd("type: uchar\ndimension: 2\nsizes: 3 2\nencoding: raw", range(6)),
         nrrd("# a comment\ntype: short\ndimension: 3\nsizes: 2 2 2\nendian: big\nencoding: raw", range(16)),
         nrrd("type: float\ndimension: 2\nsizes: 2 2\nendian: little\nencoding: ascii", b"1 2.5\n-3e4 inf\n"),
         nrrd("type: double\ndimension: 2\nsizes: 1 2\nendian: little\nencoding: raw\nbyte skip: -1", bytes(21)),
         nrrd("type: int64\ndimension: 2\nsizes: 1 1\nendian: little\nencoding: raw\nline skip: 1\nspace:=none", b"skipped\n" + bytes(8)),
         nrrd("type: uint8\ndimension: 2\nsizes: 2 2\nencoding: gzip\ndata file: none.gz", b"")]
raw = [f"{shape} {kind}{order}\n".encode() + bytes(count)
       for shape, kind, order, count in [("2,3", "u1", "", 6), ("2,2,2", "f4", " big", 32), ("1,2", "f8", " little", 16),
                                         ("3,1", "i2", " big", 5), ("0,4", "u8", "", 0), ("4294967296,4294967296", "u4", "", 9)]]
number = """0 -0 1 +1 1. .5 1e5 1E-5 -1.5e+308 1.7976931348623157e308 1.8e308 4.9e-324 2.4703282292062327e-324 2.4703282292062328e-324
2.2250738585072011e-308 9007199254740993 0.1 1e23 8.5e-45 123456789012345678901234567890 nan -nan inf Infinity 1e 1e+ . e5 0x1p3 1_0
179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880""".split()

for name in "npy text columns tsplib labels sparse graph distances full lower upper dipha triangle field raw number".split():
    for i, data in enumerate(globals()[name]):
        save(name, i, data)
for i, data in enumerate(text):
    save("csv", i, data)
for i, data in enumerate([*npy[::5], *text, *golden("version1.npy.gz")]):
    save("matrix", i, data)

# ---- methods: the bytes that tests/fuzz/methods.c takes for an input -------------------------------

WHOLE, TENTHS, THIRDS, SEVENTHS, CIRCLE, NEAR_ONE, COPY, FAR, SCALED, RAW = range(10)


def points(kinds):
    """Each: its kind, t (sixteenths), and the bytes that the kind takes besides; FAR's, and copies', is of the first point."""
    data = [len(kinds)]
    for i, (kind, t, *more) in enumerate(kinds):
        data += ([0] if i else []) + [t % 256, kind] + [m % 256 for m in more]
    return data


clouds = [
    points([(THIRDS, 5 * i - 60) for i in range(24)]),                              # on y = x/3
    points([(SEVENTHS, 7 * i - 80) for i in range(24)]),                            # on y = 0.1 + 0.7x
    points([(CIRCLE, 0, 2 * i, 49) for i in range(24)]),                            # of a regular 50-gon
    points([(CIRCLE, 0, i, 23) for i in range(23)] + [(WHOLE, 0, 0, 0)]),           # a regular 24-gon and its centre
    points([(WHOLE, 0, i % 5, i // 5) for i in range(24)]),                         # a grid
    points([(TENTHS, 0, i % 4, i // 4) for i in range(24)]),
    points([(NEAR_ONE, 0, i % 5 - 2, i // 5 - 2) for i in range(24)]),
    points([(WHOLE, 0, 3, 4)] + [(COPY, 0)] * 11),                                  # all equal
    points([(WHOLE, 0, i * i % 7, i) if i % 3 else (FAR, i, i) for i in range(22)]),  # clusters far apart
    points([(FAR, i % 5, i // 5) for i in range(24)]),                              # a grid far away
]
wild = [
    points([(SCALED, i + 1, 20 * i - 120, i - 5) for i in range(12)]),              # of all sizes
    points([(RAW, 0, *struct.pack(">dd", 5e-324 * i, 5e-324 * (i * i % 7))) for i in range(12)]),  # denormal
    points([(RAW, 0, *struct.pack(">dd", math.nextafter(1, 2) * i, i / 3)) for i in range(12)]),
]
for i, data in enumerate(clouds + wild):
    save("delaunay", i, data)
    save("alpha", i, data)
for name, tail in ("knn", [3, 0]), ("linkage", [0, 4]), ("hdbscan", [0, 1, 2, 0, 0, 0, 0, 0]):
    for i, data in enumerate(clouds):
        save(name, i, [0] + data + tail)
        if i % 3 == 0:  # four columns
            save(name, len(clouds) + i // 3, [1] + data + [b for k in range(data[0]) for b in (k, WHOLE, k % 3, k % 2)] + tail)

some = random.randbytes
for i in range(8):
    n, dim, modulus, threads = [8, 7, 6, 4, 8, 8, 1, 2][i], i % 3, i % 4, i // 4
    lengths = [bytes([1] * 36), bytes(k % 3 + 1 for k in range(36)), some(36), bytes([255] * 36)][i % 4]
    save("rips", i, [n, dim, modulus, threads, i % 2, *([] if i % 2 else [4]), *lengths])
for i in range(6):
    n, count = [23, 5, 2, 23, 8, 0][i], [47, 20, 30, 10, 47, 3][i]
    save("mst", i, [n, count, i % 2] + [b for k in range(count) for b in (k, k * (i + 1) + 1, k % 2, k % 4 if i < 3 else some(1)[0])])

combs = [0, 20, 4, 20]
fields = [[2] * 64, list(range(64)), list(range(63, -1, -1)), combs * 16, [k // 8 % 2 for k in range(64)], [k % 3 for k in range(64)],
          list(some(64))]  # a plateau, ramps, a comb, terraces, stripes, noise
for i, values in enumerate(fields * 2):
    extents = [7, 1, 7, 1] if i < len(fields) else [3, i % 4, 3, 1, 3, 1]
    save("mergetree", i, [i >= len(fields), *extents, i, 200, *values, i % 3, i % 2, i % 3])
    save("cubical", i, [i >= len(fields), *extents, i, 200, *values, i % 2, i // 2 % 2, i % 2])


def png(width, height, depth, kind, rows):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


save("field", 20, png(3, 2, 8, 0, bytes([0, 1, 2, 3, 1, 9, 8, 7])))
save("field", 21, png(2, 2, 16, 0, bytes([0, 1, 2, 3, 4, 0, 9, 8, 7, 6])))
save("field", 22, png(9, 1, 1, 0, bytes([0, 170, 128])))
save("field", 23, png(1, 1, 8, 2, bytes([0, 1, 2, 3])))
save("field", 24, struct.pack("<6q", 8067171840, 1, 4, 2, 2, 2) + struct.pack("<4d", 1, 2, 3, -1))
