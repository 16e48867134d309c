#!/usr/bin/python3
"""Makes the files beside it, as other programs write points; needs Debian's python3-meshio, python3-shapely, gdal-bin,
assimp-utils and liblzf1.

2026-11-26: meshio 7.0.0, shapely 1.8.5, GDAL 3.6.2 (ogr2ogr), Assimp 5.2.5 (assimp export), liblzf 3.6, numpy 1.24.2.
"""
import ctypes
import os
import struct
import subprocess

import meshio
import numpy as np
from shapely import wkt
from shapely.geometry import MultiPoint, Point

os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = np.random.default_rng(7)
n = 30
x = (rng.integers(-4000, 4000, (n, 3)) / 64).astype(np.float32)  # exact in decimals
x[0] = [-1.5, 2.25, 1e6]
np.save("points.npy", x.astype(np.float64))
triangles = np.arange(n).reshape(-1, 3)

mesh = meshio.Mesh(x.astype(np.float64), [("triangle", triangles)])
mesh.write("meshio_text.ply", binary=False)
mesh.write("meshio.ply", binary=True)
meshio.Mesh(x, [("triangle", triangles)], point_data={"confidence": np.arange(n, dtype=np.uint8)}).write("meshio_f4.ply")
mesh.write("meshio.off")
mesh.write("meshio.obj")
for name, kind in (("assimp_text.ply", "ply"), ("assimp.ply", "plyb"), ("assimp.obj", "obj")):
    subprocess.run(["assimp", "export", "meshio.obj", name, "-f" + kind], check=True, stdout=subprocess.DEVNULL)
if os.path.exists("assimp.mtl"):
    os.remove("assimp.mtl")

# Big-endian, with an element before the vertices, by the words of the format.
with open("big.ply", "wb") as f:
    f.write(b"ply\nformat binary_big_endian 1.0\ncomment by hand\nelement frame 2\nproperty uchar id\n"
            b"property list uchar short path\nelement vertex %d\nproperty uchar red\nproperty double x\n"
            b"property float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n" % n)
    f.write(struct.pack(">BBhhBB", 1, 2, 5, -6, 2, 0))
    for k, p in enumerate(x):
        f.write(struct.pack(">Bdff", k, *p))

# PCD 0.7, by the words of the format; compressed by liblzf.
head = ("# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F U\n"
        "COUNT 1 1 1 1\nWIDTH %d\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %d\nDATA " % (n, n))
rgb = np.arange(n, dtype=np.uint32)
with open("text.pcd", "w") as f:
    f.write(head + "ascii\n")
    for p, c in zip(x, rgb):
        f.write("%.10g %.10g %.10g %d\n" % (*p, c))
with open("binary.pcd", "wb") as f:
    f.write(head.encode() + b"binary\n")
    for p, c in zip(x, rgb):
        f.write(struct.pack("<fffI", *p, c))
raw = x.T.astype("<f4").tobytes() + (rgb * 0).astype("<u4").tobytes()
packed = ctypes.create_string_buffer(len(raw))
size = ctypes.CDLL("liblzf.so.1").lzf_compress(raw, len(raw), packed, len(raw))
assert 0 < size < len(raw)
with open("packed.pcd", "wb") as f:
    f.write(head.encode() + b"binary_compressed\n" + struct.pack("<II", size, len(raw)) + packed.raw[:size])

# Maps: longitude and latitude.
flat = np.column_stack([x[:, 0] * 2, x[:, 1]])[:, :2].astype(np.float64)
np.save("flat.npy", flat)
with open("flat.csv", "w") as f:
    f.write("name,lon,lat\n" + "".join("p%d,%r,%r\n" % (k, *map(float, p)) for k, p in enumerate(flat)))
for kind, name in (("GeoJSON", "ogr.geojson"), ("GeoJSONSeq", "ogr.geojsonl")):
    if os.path.exists(name):
        os.remove(name)
    subprocess.run(["ogr2ogr", "-f", kind, name, "flat.csv", "-oo", "X_POSSIBLE_NAMES=lon", "-oo", "Y_POSSIBLE_NAMES=lat",
                    "-lco", "COORDINATE_PRECISION=15"], check=True)
os.remove("flat.csv")
with open("shapely.wkt", "w") as f:
    f.write(MultiPoint([tuple(p) for p in flat]).wkt + "\n")
with open("shapely_lines.wkt", "w") as f:
    f.write("".join(wkt.dumps(Point(*p), rounding_precision=-1) + "\n" for p in flat))
with open("shapely_z.wkt", "w") as f:
    f.write(MultiPoint([tuple(map(float, p)) for p in x]).wkt + "\n")
