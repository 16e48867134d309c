"""Writes the files beside this one, which tests/io/test_grid.c reads: one field, as other programs write it.

Debian 12: python3-nibabel 5.0.0, python3-vtk9 9.1.0, python3-tifffile 20230203, python3-numpy 1.24.2, python3-h5py 3.7.0,
python3-netcdf4 1.6.2, netpbm 11.01.
    /usr/bin/python3 tests/io/golden/fields/make.py
"""
import os, struct, subprocess
import h5py, netCDF4, nibabel, numpy, tifffile, vtk
from vtk.util.numpy_support import numpy_to_vtk

os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = numpy.random.default_rng(7)
v = rng.integers(-900, 900, (4, 5, 6)).astype("i2")  # z, y, x
g = rng.integers(0, 256, (5, 6)).astype("u1")
c = rng.integers(0, 256, (5, 6, 3)).astype("u1")
numpy.save("volume.npy", v)
numpy.save("scaled.npy", v * 0.5 + 10.0)
numpy.save("gray.npy", g)
numpy.save("deep.npy", g.astype("u2") * 257)
numpy.save("green.npy", c[:, :, 1])
numpy.savez_compressed("packed.npz", v)

xyz = v.transpose(2, 1, 0)
nibabel.save(nibabel.Nifti1Image(xyz, numpy.eye(4)), "one.nii")
nibabel.save(nibabel.Nifti1Image(xyz, numpy.eye(4)), "one.nii.gz")
nibabel.save(nibabel.Nifti2Image(xyz, numpy.eye(4)), "two.nii")
nibabel.save(nibabel.Nifti1Pair(xyz, numpy.eye(4)), "pair.hdr")
big = nibabel.Nifti1Image(xyz, numpy.eye(4), nibabel.Nifti1Header(endianness=">"))
nibabel.save(big, "big.nii")
scaled = nibabel.Nifti1Image(xyz, numpy.eye(4))
scaled.header.set_slope_inter(0.5, 10)
scaled.to_file_map({"image": nibabel.FileHolder("scaled.nii"), "header": nibabel.FileHolder("scaled.nii")})
header = nibabel.load("scaled.nii").header  # to_file_map resets the slope: it is put into the bytes
with open("scaled.nii", "r+b") as f:
    f.seek(112)
    f.write(numpy.array([0.5, 10], "<f4").tobytes())
assert (nibabel.load("scaled.nii").get_fdata().transpose(2, 1, 0) == v * 0.5 + 10.0).all()
nibabel.save(nibabel.Nifti1Image(numpy.stack([xyz, xyz], 3), numpy.eye(4)), "time.nii")

image = vtk.vtkImageData()
image.SetDimensions(6, 5, 4)
image.GetPointData().SetScalars(numpy_to_vtk(v.ravel()))
for name, writer, text in (("text.vtk", vtk.vtkStructuredPointsWriter(), True), ("binary.vtk", vtk.vtkStructuredPointsWriter(), False)):
    writer.SetInputData(image)
    writer.SetFileTypeToASCII() if text else writer.SetFileTypeToBinary()
    writer.SetFileName(name)
    writer.Write()
for name, compress in (("local.mha", False), ("packed.mha", True), ("apart.mhd", False)):
    writer = vtk.vtkMetaImageWriter()
    writer.SetInputData(image)
    writer.SetFileName(name)
    writer.SetCompression(compress)
    if name == "apart.mhd":
        writer.SetRAWFileName("apart.raw")
    writer.Write()
cells = vtk.vtkImageData()
cells.SetDimensions(7, 6, 5)
array = numpy_to_vtk(v.ravel())
array.SetName("cells")
cells.GetCellData().AddArray(array)
writer = vtk.vtkStructuredPointsWriter()
writer.SetInputData(cells)
writer.SetFileName("cells.vtk")
writer.Write()

for name, mode, packing, word, order in (
    ("text.vti", "Ascii", None, 32, 0), ("inline.vti", "Binary", None, 64, 0), ("inline_zlib.vti", "Binary", "ZLib", 32, 0),
    ("base64.vti", "Appended", None, 32, 0), ("base64_zlib.vti", "Appended", "ZLib", 64, 0),
    ("raw.vti", "Appended", None, 64, 0), ("raw_zlib.vti", "Appended", "ZLib", 32, 1), ("lz4.vti", "Appended", "LZ4", 32, 0)):
    second = numpy_to_vtk((v.ravel() * 2).astype("f4"))
    second.SetName("before")
    both = vtk.vtkImageData()
    both.SetDimensions(6, 5, 4)
    both.GetPointData().AddArray(second)
    named = numpy_to_vtk(v.ravel())
    named.SetName("the field")
    both.GetPointData().SetScalars(named)
    writer = vtk.vtkXMLImageDataWriter()
    writer.SetInputData(both)
    getattr(writer, "SetDataModeTo" + mode)()
    getattr(writer, "SetCompressorTypeTo" + (packing or "None"))()
    writer.SetHeaderTypeToUInt64() if word == 64 else writer.SetHeaderTypeToUInt32()
    writer.SetByteOrder(vtk.vtkXMLWriter.BigEndian if order else vtk.vtkXMLWriter.LittleEndian)
    writer.SetBlockSize(96) if packing else None  # several blocks
    writer.SetEncodeAppendedData("base64" in name or "lz4" in name)
    writer.SetFileName(name)
    writer.Write()
writer = vtk.vtkXMLImageDataWriter()
writer.SetInputData(cells)
writer.SetFileName("cells.vti")
writer.Write()

tifffile.imwrite("stack.tif", v, photometric="minisblack")
tifffile.imwrite("zlib.tif", v, photometric="minisblack", compression="zlib", byteorder=">")
tifffile.imwrite("big.tif", v, photometric="minisblack", bigtiff=True)
tifffile.imwrite("imagej.tif", v, imagej=True, metadata={"axes": "ZYX"}, truncate=True)  # as ImageJ beyond 4 GB
tifffile.imwrite("colors.tif", c, photometric="rgb")
with open("many.tif", "wb") as f:  # four million rows, all of them the first 60 bytes
    f.write(b"II*\0\x08\0\0\0")
    tags = [(256, 6), (257, 4000000), (258, 16), (259, 1), (262, 1), (273, 8), (277, 1), (278, 5), (279, 60)]
    f.write(struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", t, 4, 1, x) for t, x in tags) + bytes(4))
m = numpy.arange(12, dtype="u1").reshape(2, 2, 3)
numpy.save("mixed.npy", m)
with open("mixed.tif", "wb") as f:  # a plain page and one in PackBits, as tiffcp -a makes it
    f.write(b"II*\0\x08\0\0\0")
    for page, (packing, data) in enumerate([(1, m[0].tobytes()), (32773, b"\x05" + m[1].tobytes())]):
        tags = [(256, 3), (257, 2), (258, 8), (259, packing), (262, 1), (273, 0), (277, 1), (278, 2), (279, len(data))]
        at = f.tell() + 2 + 12 * len(tags) + 4
        tags[5] = (273, at)
        f.write(struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", t, 4, 1, x) for t, x in tags))
        f.write(struct.pack("<I", 0 if page else at + len(data)) + data)
tifffile.imwrite("tiles.tif", rng.integers(0, 9, (32, 32)).astype("u1"), tile=(16, 16))

with h5py.File("one.h5", "w") as f:
    f.create_dataset("volume", data=v, compression="gzip", chunks=(2, 5, 3), shuffle=True)
    f["title"] = "one array of numbers"
with h5py.File("several.h5", "w") as f:
    f["group/volume"] = v.astype(">i2")
    f["group/other"] = v[0]
    f["half"] = v.astype("f2")
    f.create_dataset("empty", (4, 5, 6), "f4")
    f["complex"] = v * 1j
for name, block, version, chunks in (("chunks.h5", 0, "earliest", (3, 2, 4)), ("columns.h5", 0, "earliest", (3, 5, 1)),
                                     ("block_chunks.h5", 512, "earliest", (3, 2, 4)), ("new_chunks.h5", 0, "latest", (3, 2, 4))):
    with h5py.File(name, "w", userblock_size=block, libver=version) as f:
        f.create_dataset("volume", data=v, chunks=chunks)
for name, block in (("block.h5", 1024), ("matlab.mat", 512)):
    with h5py.File(name, "w", userblock_size=block) as f:
        f["volume"] = v
with open("matlab.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
with h5py.File("elsewhere.h5", "w") as f:  # pipe.h5 is no file, and nothing is to open it
    f["alone"], f["a/b/c/d/e/f/g/h/i/j/deep"] = v[0], v[0]
    f["link"] = h5py.ExternalLink("pipe.h5", "/x")
    f.create_dataset("outside", (4,), "u1", external=[("pipe.h5", 0, 4)])
    f["one"] = 3.0
    f["gone"] = v[0].astype("f4")
    f["gone"].attrs["_FillValue"], f["gone"].attrs["missing_value"] = numpy.float32(-1), v[0, 0, 1].astype("f4")
for name, kind in (("three.nc", "NETCDF3_CLASSIC"), ("offset.nc", "NETCDF3_64BIT_OFFSET"), ("data.nc", "NETCDF3_64BIT_DATA"), ("four.nc", "NETCDF4")):
    with netCDF4.Dataset(name, "w", format=kind) as f:
        for axis, size in (("z", 4), ("y", 5), ("x", 6)):
            f.createDimension(axis, size)
            f.createVariable(axis, "f8", (axis,))[:] = numpy.arange(size)
        packed = f.createVariable("packed", "i2", ("z", "y", "x"), fill_value=-32768)
        packed.set_auto_maskandscale(False)
        packed.scale_factor, packed.add_offset = 0.5, 10.0
        packed[:] = v
for name, count in (("records.nc", 2), ("record.nc", 1)):  # of odd sizes; one variable alone is not padded
    with netCDF4.Dataset(name, "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("time", None), f.createDimension("y", 5), f.createDimension("x", 3)
        for k in range(count):
            f.createVariable("bytes" if k == 0 else "shorts", "i1" if k == 0 else "i2", ("time", "y", "x"))[:] = v[:, :, :3] // 8 * (k + 1)
numpy.save("records.npy", v[:, :, :3] // 8)
with netCDF4.Dataset("holes.nc", "w", format="NETCDF3_CLASSIC") as f:
    f.createDimension("y", 2), f.createDimension("x", 3)
    f.createVariable("t", "f4", ("y", "x"), fill_value=-999)[:] = [[1, 2, 3], [4, -999, 6]]
    f.createVariable("u", "f4", ("y", "x"))[:] = 1
with netCDF4.Dataset("gone.nc", "w", format="NETCDF3_CLASSIC") as f:
    f.createDimension("y", 2), f.createDimension("x", 3)
    f.createVariable("t", "f4", ("y", "x"), fill_value=-999)[:] = [[1, 2, 3], [4, -999, 6]]
    f["t"].missing_value = numpy.array([7], "f4")

raw = b"P5\n6 5\n255\n" + g.tobytes()
open("gray.pgm", "wb").write(raw)
open("plain.pgm", "wb").write(subprocess.run(["pnmtoplainpnm"], input=raw, stdout=subprocess.PIPE, check=True).stdout)
open("deep.pgm", "wb").write(subprocess.run(["pamdepth", "65535"], input=raw, stdout=subprocess.PIPE, check=True).stdout)
open("colors.ppm", "wb").write(b"P6\n# three\n6 5\n255\n" + c.tobytes())
numpy.savetxt("gray.txt", g, fmt="%d")
numpy.savetxt("gray.csv", g, fmt="%d", delimiter=",")
with open("gray.asc", "w") as f:
    f.write("ncols 6\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n")
    numpy.savetxt(f, g, fmt="%d")
