"""What the package promises beside results: memory, errors, interruption, threads, processes, cost."""
import base64
import copy
import ctypes
import gc
import html
import io
import itertools
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import timeit
import types
import unittest
import unittest.mock
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import glshape
import numpy as np
from glshape import _arrays, _header
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist, pdist, squareform

try:
    import pandas
except ImportError:
    pandas = None

ROOT = Path(__file__).resolve().parents[2]
X = np.load(ROOT / "data" / "cancer.npy")


def address(array):
    return array.__array_interface__["data"][0]


def resident():
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Header(unittest.TestCase):
    def test_agrees_with_c(self):
        """Sizes and offsets of every struct, and every constant, as the C compiler has them."""
        ffi, lib = _arrays.ffi, _arrays.lib
        lines, expected = [], []
        structs = [name for name in ffi.list_types()[0] if ffi.typeof(name).kind == "struct" and ffi.typeof(name).fields]
        for name in structs:
            ctype = ffi.typeof(name)
            lines.append(f"sizeof({name})")
            expected.append(ffi.sizeof(ctype))
            for field, of in ctype.fields:
                lines.append(f"offsetof({name}, {field})")
                expected.append(of.offset)
        for name in dir(lib):
            if name.startswith("GLSHAPE_"):
                lines.append(name)
                expected.append(getattr(lib, name))
        self.assertGreater(len(structs), 25)
        prints = "\n".join(f'printf("%lld\\n", (long long)({line}));' for line in lines)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "sizes.c")
            source.write_text("#include <glshape.h>\n#include <stdio.h>\nint main(void) {\n" + prints + "\n}\n",
                              encoding="ascii")
            program = Path(folder, "sizes")
            subprocess.run(["cc", "-I", ROOT / "include", source, "-o", program], check=True)
            got = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(dict(zip(lines, map(int, got))), dict(zip(lines, expected)))

    def test_tables(self):
        header = _header.read('#define T(X) \\\n X(A, "a, (b)") \\\n X(B, "c")\n#define E(n, t) n,\n'
                              "#ifdef __cplusplus\nno\n#else\nyes\n#endif\n#define N 3 /* n */\n#define M UINT32_MAX\n")
        self.assertEqual(header.tables["T"], [["A", "a, (b)"], ["B", "c"]])
        self.assertEqual(header.texts, {"M": "UINT32_MAX"})
        self.assertEqual(header.declarations.split(), ["yes", "#define", "N", "3"])


class Memory(unittest.TestCase):
    def test_no_copy_in(self):
        for dtype in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
            x = np.ones((4, 3), dtype)
            self.assertEqual(int(_arrays.ffi.cast("uintptr_t", _arrays.matrix(x).data)), address(x))
        field = np.ones((2, 3, 4), np.int16)
        self.assertEqual(address(_arrays.numbers(field, "field", (2, 3))), address(field))

    def test_other_layouts(self):
        """Copied, and the same: big-endian, Fortran's order, strides, halves, Booleans, lists, memory maps."""
        expected = glshape.knn(X, 3).index
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder, "x.npy"), X)
            mapped = np.load(Path(folder, "x.npy"), mmap_mode="r")
            wide = np.repeat(X, 2, axis=1)
            for x in (X.astype(">f4"), np.asfortranarray(X), X[::-1][::-1], X[::-1].copy()[::-1], wide[:, ::2],
                      X.astype(np.float16), X.tolist(), mapped, X.astype(">i8"), memoryview(X)):
                np.testing.assert_array_equal(glshape.knn(x, 3).index, expected)
        flags = X[:50] > 3
        np.testing.assert_array_equal(glshape.knn(flags, 3).index, glshape.knn(flags.astype(float), 3).index)

    def test_no_digit_is_lost(self):
        """Whole numbers from 2^24 on, which float32 does not have, in every form that NumPy and pandas give them."""
        x = np.arange(2**24, 2**24 + 9)[:, None]
        given = [x, x.astype(np.int32), x.astype(np.float64), x.astype(object), x.tolist(), x.astype(np.longdouble),
                 [[Fraction(int(v))] for v in x[:, 0]], [[Decimal(int(v))] for v in x[:, 0]]]
        if pandas:
            given += [pandas.DataFrame(x), pandas.DataFrame(x, dtype="Int64"), pandas.DataFrame(x, dtype="Float64"),
                      pandas.DataFrame({"a": x[:, 0]}).astype(object)]
        for values in given:
            with self.subTest(type(values)):
                np.testing.assert_array_equal(glshape.knn(values, 1).distance, np.ones((9, 1)))
        half = np.array([[Decimal("0.5")], [Fraction(1, 4)], [2]], object)
        np.testing.assert_array_equal(glshape.knn(half, 1).distance.ravel(), [0.25, 0.25, 1.5])
        for large, dtype in (2**60 + 1, np.int64), (2**64 - 1, np.uint64):
            for values in ([[large], [5]], np.array([[large], [5]], object)):
                array = _arrays.numbers(values, "points")
                self.assertEqual((array.dtype, int(array[0, 0])), (dtype, large))

    def test_digits_that_would_be_lost(self):
        mixed = [[2**53 + 1, 0.5], [1, 2]]
        given = {"9007199254740993": mixed, "0.1": np.array([[Decimal("0.1")], [1]], object),
                 "0.333": np.ones((2, 1), np.longdouble) / 3, "100000": [[10**400], [1]]}
        if np.finfo(np.longdouble).nmant <= 52:
            del given["0.333"]
        for words, values in given.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, rf"value \[0, 0\] is {words}.*astype\(np.float64"):
                glshape.knn(values, 1)
        for values in (pandas.DataFrame({"a": [2**53 + 1, 1], "b": [0.5, 2]}),) if pandas else ():
            with self.assertRaisesRegex(ValueError, "is 9007199254740993, which"):
                glshape.knn(values, 1)
        with self.assertRaisesRegex(ValueError, "does not hold 16777217; toarray"):
            glshape.mds(sparse.csr_matrix([[2**24 + 1], [1]]))
        with self.assertRaisesRegex(ValueError, "the value 9007199254740993, which float64 does not hold"):
            glshape.knn(sparse.csr_matrix([[2**53 + 1], [1]]), 1)
        for function in (glshape.ripser, lambda x: glshape.rips([[0.0], [1]], births=[row[0] for row in x])):
            with self.assertRaisesRegex(ValueError, "is 9007199254740993, which float64 does not hold"):
                function([[2**53 + 1], [1]])

    def test_results_own_their_memory(self):
        context = glshape.Context()
        layout = glshape.mds(X[:50], seed=1, context=context).layout
        births = glshape.mergetree(X, context=context).birth_value
        kept, kept_births = layout.copy(), births.copy()
        context.close()
        for _ in range(5):
            gc.collect()
            glshape.knn(X[:50], 3)
        np.testing.assert_array_equal(layout, kept)
        np.testing.assert_array_equal(births, kept_births)
        self.assertTrue(layout.flags.writeable and layout.flags.c_contiguous)
        self.assertEqual(layout.dtype, np.float32)

    def test_indices(self):
        """They are signed, as subtraction needs it, and of 64 bits, as torch indexes by; none is -1."""
        x, field = X[:40, :2].astype(float), np.arange(12.0).reshape(3, 4) % 5
        line, alpha, tree = np.arange(4.0)[:, None] * [1, 1], glshape.alpha(x, master=True), glshape.mergetree(field)
        contour, density = glshape.contour(field), glshape.hdbscan(X, 30)
        cubes = glshape.cubical(field).intervals
        signed = [glshape.knn(X, 3).index, glshape.knn(X, radius=1.0).index, glshape.knn(X, radius=1.0).indptr,
                  glshape.linkage(X).edges, glshape.linkage(X).cut(3), glshape.linkage(X).leaves(),
                  glshape.mst((3, [0, 1], [1, 2])).i, glshape.mst(points=x).j, glshape.rips(X[:30], n_perm=5).permutation,
                  glshape.delaunay(x).triangles, glshape.delaunay(x).neighbors, glshape.delaunay(line).chain, alpha.edges,
                  alpha.triangles, alpha.edge_ranks, alpha.vertex_ranks, alpha.triangle_ranks, alpha.same,
                  alpha.master["face"], alpha.master_start, alpha.at(1.0).component_of, alpha.at(9.0).rings[0][0],
                  tree.birth, tree.death, tree.parent, tree.triplets, contour.lower, contour.upper, contour.regular,
                  contour.arc, cubes["birth_vertex"], cubes["death_vertex"], density.exemplars[0],
                  density.condensed["parent"], density.condensed["child"], density.condensed["size"], density.tree["parent"]]
        for k, values in enumerate(signed):
            self.assertEqual((k, values.dtype), (k, np.int64))
        self.assertEqual(tree.death[0], -1)
        self.assertEqual(cubes["death_vertex"][np.isinf(cubes["death"])].tolist(), [-1])
        self.assertEqual((contour.arc == -1).sum(), len(set(contour.lower) | set(contour.upper)))
        self.assertEqual(glshape.delaunay(x).neighbors.min(), -1)
        given = []
        glshape.mds(glshape.Feeder(lambda i, j: given.append(i) or abs(i - j), 5))
        self.assertEqual({of.dtype for of in given}, {np.dtype(np.int64)})
        for result in tree, density, alpha.at(1.0):  # what goes back to the library
            self.assertIn(b"<svg", result.picture("svg"))
        self.assertEqual(density.predict(X[:5])[0].tolist(), density.labels[:5].tolist())

    def test_alpha_shape_is_that_of_the_family(self):
        x = np.random.default_rng(8).integers(0, 30, (300, 2)) / 7
        family = glshape.alpha(x)
        for regularized in (False, True):
            for radius in (0, 0.1, 0.15, 0.3, np.inf):
                one, shape = glshape.alpha_shape(x, radius, regularized=regularized), family.at(
                    radius, regularized=regularized)
                self.assertEqual((one.rank, one.radius, one.ranks), (shape.rank, shape.radius, len(family.radii) - 1))
                self.assertEqual([[list(r) for r in c] for c in one.rings], [[list(r) for r in c] for c in shape.rings])
                np.testing.assert_array_equal(one.areas, shape.areas)
                np.testing.assert_array_equal(one.perimeters, shape.perimeters)
                np.testing.assert_array_equal(one.singular_edges, family.edges[shape.edge == 1])
                vertices = np.flatnonzero((shape.vertex == 1) & (family.same == np.arange(len(x))))
                np.testing.assert_array_equal(one.singular_points, vertices)
        self.assertEqual(glshape.alpha_shape(x, optimal=1).rank, family.optimal(1))
        self.assertEqual(glshape.alpha_shape(x, rank=7).radius, family.radii[7])
        self.assertEqual(glshape.alpha_shape(x, rank=7).radii, (family.radii[1], family.radii[-1]))
        for given in ({}, {"radius": 1, "rank": 3}):
            self.assertRaisesRegex(ValueError, "give one of them", glshape.alpha_shape, x, **given)
        self.assertRaisesRegex(ValueError, "a radius is at least 0", glshape.alpha_shape, x, -1)

    def test_alpha_outlives_its_context(self):
        x = X[:40, :2].astype(float)
        with glshape.Context(when_needed=True) as context:
            result = glshape.alpha(x, master=True, context=context)
            radius = float(result.radii[7])
            shape, rank, intervals = result.at(radius), result.rank(radius), result.intervals()
        copies = [result, pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result),
                  pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(result))))]
        for other in copies:
            self.assertEqual((other.rank(radius), other.optimal(1)), (rank, result.optimal(1)))
            self.assertTrue(other.at(radius) == shape)
            self.assertFalse(other.at(rank=rank - 1) == shape)
            np.testing.assert_array_equal(other.intervals(), intervals)
            np.testing.assert_array_equal(other.triangles, result.triangles)
        self.assertTrue(pickle.loads(pickle.dumps(shape)) == shape)
        cocycles = [glshape.rips(X[:40], cocycles=0.0).cocycles for _ in range(2)]
        self.assertTrue(cocycles[0] == cocycles[1] and cocycles[0][0] != cocycles[0][1])

    def test_thousand_calls_leak_nothing(self):
        libc = ctypes.CDLL(None)
        cloud = X[:40, :3]

        def calls(count):
            for _ in range(count):
                glshape.rips(cloud, threads=1)
            gc.collect()
            libc.malloc_trim(0)
            return resident()

        before = calls(200)
        after = calls(1000)
        self.assertLess(after - before, 1 << 20)


BAD = [np.nan, np.inf]


class Errors(unittest.TestCase):
    def refuse(self, words, function, *arguments, error=ValueError, **keywords):
        with self.subTest(words), self.assertRaisesRegex(error, words):
            function(*arguments, **keywords)

    def test_arrays(self):
        for function in (glshape.mds, glshape.knn, glshape.linkage, glshape.hdbscan, glshape.rips, glshape.delaunay,
                         glshape.alpha):
            self.refuse("row 0, column 1 is", function, np.array([[1, None]] + [[2, 3]] * 19, object))
            self.refuse("array of object, one of which is '1'; they are numbers", function,
                        np.array([["1", 2], [2, 3]], object))
            self.refuse(r"array of datetime64.*convert it", function, np.ones((3, 2), "M8[ns]"))
            self.refuse("array of complex128", function, np.ones((3, 2), complex))
            self.refuse("array of <U1", function, [["a", "b"]])
            self.refuse("array of 1 dimension, not", function, np.ones(3))
            self.refuse("array of 4 dimensions, not", function, np.ones((3, 2, 2, 1)))
            self.refuse("masked", function, np.ma.masked_less(np.arange(6.0).reshape(3, 2), 2))
            self.refuse("no array can be made", function, [[1, 2], [3]])
            for bad in BAD:
                x = np.ones((20, 2))
                x[1, 0] = bad
                self.refuse("row 1, column 0 is", function, x)
        for function in (glshape.mds, glshape.knn, glshape.linkage):
            self.refuse(".", function, np.empty((0, 2)))
            self.refuse(".", function, np.empty((3, 0)))
        self.assertEqual(len(glshape.rips(np.empty((0, 2))).intervals), 0)

    def test_options(self):
        x = X[:20]
        self.refuse("metric is 'x'; it is one of euclidean", glshape.mds, x, metric="x")
        self.refuse("dim is 1.5", glshape.mds, x, 1.5)
        self.refuse("dim is None", glshape.mds, x, None)
        self.refuse("n_neighbors is 0", glshape.knn, x, 0)
        self.refuse("20 neighbors were asked for", glshape.knn, x, 20)
        self.refuse("2147483647", glshape.knn, x, 2**40)
        self.refuse("radius", glshape.knn, x, 3, radius=1)
        self.refuse("radius", glshape.knn, x, radius=np.nan)
        self.refuse("radius", glshape.knn, x, radius=-1)
        self.refuse("columns", glshape.knn, x, queries=x[:, :2])
        self.refuse("p goes with|it goes with", glshape.knn, x, p=3)
        self.refuse("Minkowski", glshape.knn, x, metric="minkowski", p=0.5)
        self.refuse("Minkowski", glshape.linkage, x, metric="minkowski", p=0)
        self.refuse("20 × 9 numbers", glshape.knn, np.ones((20, 9)), 2, metric="precomputed")
        self.refuse("a row has the distances to all 9", glshape.knn, np.zeros((9, 9)), 2, metric="precomputed",
                    queries=np.ones((3, 8)))
        self.refuse("queries: an array of 1 dim", glshape.knn, x, queries=x[0])
        self.refuse("queries", glshape.knn, x, queries=np.full((1, 9), np.nan))
        self.refuse("min_cluster_size is 1;", glshape.hdbscan, x, 1)
        self.refuse("min_samples is 21, but there are 20", glshape.hdbscan, x, min_samples=21)
        self.refuse("selection is 'x'", glshape.hdbscan, x, selection="x")
        self.refuse("epsilon is -1", glshape.hdbscan, x, epsilon=-1)
        self.refuse("max_epsilon is 0", glshape.hdbscan, x, max_epsilon=0)
        self.refuse("alpha is 0", glshape.hdbscan, x, alpha=0)
        self.refuse("alpha is nan", glshape.hdbscan, x, alpha=np.nan)
        self.refuse("max_cluster_size is 0", glshape.hdbscan, x, max_cluster_size=0)
        self.refuse("epsilon is nan", glshape.hdbscan(x).dbscan, np.nan)
        self.refuse("have 2 columns", glshape.hdbscan(x).predict, x[:, :2])
        self.refuse("row 0, column 1 is", glshape.hdbscan(x[:, :2]).predict, [[1, np.nan]])
        self.refuse("a graph or points", glshape.mst)
        self.refuse("precomputed' is of linkage", glshape.mst, points=x, metric="precomputed")
        self.refuse("a graph or points", glshape.mst, (1, [], []), points=x)
        self.refuse("maximum is of a graph", glshape.mst, points=x, maximum=True)
        self.refuse("modulus 4 is no prime", glshape.rips, x, modulus=4)
        self.refuse("dimension 99", glshape.rips, x, 99)
        self.refuse("sparse needs a threshold", glshape.rips, x, sparse=True)
        self.refuse("search is 'x'", glshape.knn, x, 3, search="x")
        self.refuse("n is -1", glshape.rips, glshape.Reader(len, -1))
        self.refuse("nodes is -1", glshape.mst, (-1, [0], [1]))
        self.refuse("[Ss]implif", glshape.mergetree, x.astype(np.int64), simplify=-1)
        self.refuse("method is 'x'", glshape.mergetree, x, method="x")
        self.refuse("construction is 'x'", glshape.cubical, x, construction="x")
        self.refuse("dim", glshape.cubical, x, dim=3)
        self.refuse("dim", glshape.cubical, x, dim=0.5)
        self.refuse("modulus 4|4 is no prime", glshape.cubical, x, modulus=4)
        self.refuse("persistence", glshape.cubical, x, min_persistence=-1)
        self.refuse("hreshold", glshape.cubical, x, threshold=np.nan)
        self.refuse("array of 4 dimensions", glshape.cubical, np.ones((1, 1, 1, 1)))
        self.refuse("periodic has 2", glshape.cubical, np.ones(3), periodic=(True, False))
        self.refuse(".", glshape.cubical, [])
        self.refuse("NaN", glshape.cubical, [1, np.nan])
        self.refuse("periodic has 3", glshape.mergetree, x, periodic=(True, False, True))
        self.refuse("gpu_memory is 'big'", glshape.Context, gpu_memory="big")
        self.refuse("stage is 'x'", glshape.Context, stage="x")
        self.refuse("give one of them", glshape.alpha(x[:, :2]).at)
        self.refuse("GPU memory|GB|MB", glshape.mds, np.ones((100000, 90), np.float32), error=MemoryError,
                    context=glshape.Context(gpu_memory="1M"))

    def test_distances(self):
        def with_bad(row, column, value):
            d = squareform(pdist(X[:10]))
            d[row, column] = value
            return d

        for function in (glshape.mds, glshape.linkage, glshape.hdbscan, glshape.rips):
            self.refuse("row 2, column 7 .*other side", function, with_bad(2, 7, 1e-3), metric="precomputed")
            self.refuse("row 2, column 7 .*negative", function, with_bad(2, 7, -1), metric="precomputed")
            self.refuse("row 4, column 4 .*diagonal", function, with_bad(4, 4, 1), metric="precomputed")
            self.refuse("square", function, np.ones((2, 3)), metric="precomputed")
            self.refuse("condensed", function, np.ones(4), metric="precomputed")
            self.refuse("array of 4 dimensions", function, np.ones((2, 2, 2, 2)), metric="precomputed")
            self.refuse("array of object", function, np.full((2, 2), "1", object), metric="precomputed")
            self.refuse("not symmetric", function, sparse.csr_matrix(with_bad(2, 7, 0)), metric="precomputed")
        large = 1e300 * pdist(X[:10])
        reader = glshape.Reader(lambda first, count: squareform(large)[first:first + count], 10)
        for x in (large, squareform(large), sparse.csr_matrix(squareform(large)), reader):
            for function in (glshape.mds, glshape.rips):
                keywords = {} if x is reader else {"metric": "precomputed"}
                self.refuse("beyond single precision", function, x, **keywords)
            if x is not reader:
                np.testing.assert_array_equal(glshape.linkage(x, metric="precomputed").merges[:, 2], linkage(large, "single")[:, 2])
        self.assertEqual(glshape.knn(squareform(large), 9, metric="precomputed").distance.max(), large.max())
        for tiny in (1e-50, 1e-39):
            d = tiny / pdist(X[:10]).max() * pdist(X[:10])
            for x in (d, squareform(d)):
                for function in (glshape.mds, glshape.rips):
                    self.refuse("few digits", function, x, metric="precomputed")
                np.testing.assert_array_equal(glshape.linkage(x, metric="precomputed").merges[:, 2], linkage(d, "single")[:, 2])
        self.assertEqual(glshape.linkage([0, 1e-50, 1], metric="precomputed").merges[1, 2], 1e-50)
        self.refuse("row 2, column 7 .*no number", glshape.rips, with_bad(2, 7, np.nan), metric="precomputed")

    def test_places(self):
        """Rows and columns count from 0, whoever finds what is wrong there."""
        x, zeros, d = X[:20].astype(float), X[:20].copy(), squareform(pdist(X[:20]))
        x[3, 4], zeros[5], d[6, 7] = np.nan, 0, np.nan
        weights = np.ones((20, 20))
        weights[8, 9] = weights[9, 8] = -1
        far = np.array([[0, 0], [3e38, 0], [0, 0], [-3e38, 0]])
        for words, function, arguments, keywords in [
                ("row 3, column 4 is NaN", glshape.knn, (x, 2), {}),
                ("of the queries, row 3, column 4 is NaN", glshape.knn, (X[:9], 2), {"queries": x}),
                ("row 3, column 1 is", glshape.delaunay, (x[:, 3:5],), {}),
                ("row 5 is all zeros", glshape.linkage, (zeros,), {"metric": "cosine"}),
                ("row 5 is all zeros", glshape.knn, (sparse.csr_matrix(zeros), 2), {"metric": "cosine"}),
                ("row 6, column 7: nan is no distance", glshape.knn, (d, 2), {"metric": "precomputed"}),
                ("row 6, column 7: nan is no distance", glshape.linkage, (glshape.Reader(lambda a, n: d[a:a + n], 20),), {}),
                ("row 6, column 7", glshape.rips, (np.fmax(d, d.T) * np.where(np.isnan(d + d.T), np.nan, 1),),
                 {"metric": "precomputed"}),
                ("row 8, column 9 of the weights is -1", glshape.mds, (X[:20],), {"weights": weights}),
                ("weight of row 1 is -1", glshape.rips, (X[:3],), {"weights": [0, -1, 0]}),
                ("birth of row 2 is inf", glshape.rips, (X[:3],), {"births": [0, 0, np.inf]}),
                ("rows 1 and 3 are so far apart", glshape.rips, (far,), {"threshold": np.inf}),
                ("input 1 of the batch: row 3, column 4", glshape.rips, ([X[:9].astype(float), x],), {})]:
            self.refuse(words, function, *arguments, **keywords)

    def test_edited_tree(self):
        tree = glshape.linkage(np.arange(5.0)[:, None])
        for row, column, value in ((0, 0, 1e9), (1, 1, -1), (2, 0, np.nan), (3, 3, 77), (1, 2, np.nan)):
            tree.merges = glshape.linkage(np.arange(5.0)[:, None]).merges.copy()
            tree.merges[row, column] = value
            for function, arguments in (tree.cut, (2,)), (tree.cut, (None, 1.0)), (tree.leaves, ()), (tree.picture, ("svg",)):
                self.refuse(f"row {row} of the merges", function, *arguments)

    def test_graphs(self):
        for words, edges in {"value 1 is -1": (3, [0, -1], [1, 2]), "value 0 is 0.5": (3, [0.5], [1]),
                             "different lengths: 2, 1": (3, [0, 1], [1]), "they are": [(0, 1)],
                             "2 × 3": sparse.csr_matrix((2, 3)), "3": (3, [0], [3])}.items():
            self.refuse(words, glshape.mst, edges)
        self.refuse("3 values for a graph of 2", glshape.mergetree, np.ones(3), graph=sparse.eye(2).tocsr())

    def test_no_device(self):
        self.refuse("nonsense", glshape.Context, device="nonsense", error=glshape.DeviceError)

    def test_closed(self):
        context = glshape.Context()
        self.assertIn("llvmpipe" if context.is_software else "", context.renderer)
        glshape.mds(X[:120], context=context)
        self.assertGreater(context.peak_gpu_bytes, 0)
        self.assertEqual(context.notes, [])
        context.close()
        self.assertTrue(context.closed)
        for call in (lambda: glshape.knn(X, 3, context=context), lambda: context.renderer,
                     context.close):
            self.refuse("context is closed", call)


class Callbacks(unittest.TestCase):
    def test_their_exceptions_come_out(self):
        def fail(*arguments):
            raise LookupError("mine")

        for source in (glshape.Reader(fail, 30), glshape.Feeder(fail, 30)):
            with self.assertRaisesRegex(LookupError, "mine"):
                glshape.mds(source)
        for function in (glshape.linkage, glshape.rips):
            with self.assertRaisesRegex(LookupError, "mine"):
                function(glshape.Reader(fail, 30))
        with self.assertRaisesRegex(ValueError, "returned 1 numbers, not"):
            glshape.rips(glshape.Reader(lambda first, count: 1.0, 30))
        with self.assertRaisesRegex(LookupError, "mine"):
            glshape.mds(X, progress=fail)
        with self.assertRaisesRegex(LookupError, "mine"):
            glshape.hdbscan(X).predict(X, progress=fail)
        self.assertLess(glshape.mds(X[:100], seed=1).stress, 0.1)  # the context is as it was

    def test_reader_is_the_matrix(self):
        d = squareform(pdist(X[:80])).astype(np.float32)
        for x in (d, squareform(d, checks=False), d.astype(float), d[::-1][::-1], glshape.Reader(lambda a, n: d[a:a + n], 80)):
            np.testing.assert_array_equal(glshape.linkage(x, metric="precomputed").merges,
                                          glshape.linkage(d, metric="precomputed").merges)
        pairs = glshape.Feeder(lambda i, j: d[i, j], 80)
        self.assertLess(glshape.mds(pairs).stress, 0.1)

    def test_may_not_use_their_context(self):
        with self.assertRaisesRegex(ValueError, "open another Context"):
            glshape.mds(glshape.Feeder(lambda i, j: glshape.knn(X, 3).distance[:len(i), 0], 30))
        with self.assertRaisesRegex(ValueError, "open another Context"):
            glshape.mds(X, progress=lambda fraction: glshape.knn(X, 3))

    def test_progress(self):
        seen = []
        glshape.mds(X[:200], seed=1, progress=seen.append)
        self.assertEqual(seen[-1], 1.0)
        self.assertTrue(all(0 <= fraction <= 1 for fraction in seen) and len(seen) > 2)

        class Bar:  # as tqdm's
            total, n = 200, 0

            def update(self, count):
                self.n += count

        bar = Bar()
        glshape.mds(X[:200], seed=1, attempts=2, progress=bar)
        self.assertAlmostEqual(bar.n, 200)

    def test_interrupt(self):
        """SIGINT in the middle of a long call ends it with KeyboardInterrupt."""
        code = ("import glshape, numpy as np, sys\n"
                "x = np.random.default_rng(0).random((20000, 20))\n"
                "print('ready', flush=True)\n"
                "try:\n    glshape.mds(x, progress=lambda f: print(f, flush=True))\n"
                "except KeyboardInterrupt:\n    print(glshape.knn(x[:9], 2).index.shape); sys.exit(7)\n")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for line in itertools.islice(process.stdout, 2):
            self.assertTrue(line)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        rest = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 7)
        self.assertIn("(9, 2)", rest)
        self.assertLess(time.monotonic() - began, 10)


FORKED = """
import multiprocessing, os, threading
import numpy as np, glshape
x = np.random.default_rng(0).random((60, 2))
PARENT
def work(k):
    try:
        return CHILD
    except Exception as error:
        return f"{type(error).__name__}: {error}"
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(*sorted(set(pool.map(work, range(4)))), sep="; ")
"""


class Threads(unittest.TestCase):
    def test_two_contexts_run_at_once(self):
        """Each thread's call waits, in a callback, for that of the other: this ends only if both run."""
        barrier = threading.Barrier(2, timeout=30)
        results, d = [None, None], squareform(pdist(X[:60]))

        def rows(first, count):
            if first == 0:
                barrier.wait()
            return d[first:first + count]

        def work(k):
            with glshape.Context() as context:
                results[k] = glshape.linkage(glshape.Reader(rows, 60), context=context).merges

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(results[0], results[1])

    def test_one_context_takes_turns(self):
        results = [None] * 4

        def work(k):
            results[k] = [glshape.knn(X[k:200 + k], 3).distance for _ in range(5)]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for k in range(4):
            np.testing.assert_array_equal(results[k][-1], glshape.knn(X[k:200 + k], 3).distance)

    def forked(self, parent, child):
        """What a process prints that runs `parent`, and then `child` in processes that are forked from it."""
        code = FORKED.replace("PARENT", parent).replace("CHILD", child)
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.stderr, "")
        return run.stdout.strip()

    def test_fork_without_a_device(self):
        """What opened no device goes on in child processes, whatever threads were at."""
        all_of = ("(glshape.knn(x, 2).distance.sum(), glshape.linkage(x).merges.sum(), glshape.hdbscan(x).clusters, "
                  "len(glshape.rips(x).intervals), len(glshape.alpha(x).radii), len(glshape.delaunay(x).triangles), "
                  "len(glshape.cubical(x).intervals), glshape.mergetree(x).extrema, glshape.mds(x[:30], seed=1).stress)")
        alone = self.forked("", all_of)
        self.assertTrue(alone.startswith("("), alone)
        for parent in (f"{all_of}\nassert glshape._context.default().renderer == ''",
                       "mine = glshape.Context(when_needed=True)\nglshape.knn(x, 2, context=mine)\n"
                       "def busy(context):\n    while True: glshape.knn(x, 2, context=context)\n"
                       "for c in (None, mine): threading.Thread(target=busy, args=(c,), daemon=True).start()"):
            with self.subTest(parent):
                self.assertEqual(self.forked(parent, all_of), alone)
        explicit = self.forked("c = glshape.Context(when_needed=True)\nglshape.knn(x, 2, context=c)",
                               "glshape.knn(x, 2, context=c).distance.sum() == glshape.knn(x, 2).distance.sum()")
        self.assertEqual(explicit, "True")
        self.assertEqual(self.forked("", "any(d.usable for d in glshape.devices())"), "True")

    def test_fork_with_a_device(self):
        sentence = "DeviceError: this process was forked from one that had used the OpenGL driver.*'spawn'"
        opened = "glshape.mds(np.random.default_rng(0).random((300, 2)))\nassert glshape._context.default().renderer"
        for parent, child in ((opened, "glshape.knn(x, 2)"), (opened, "glshape.Context()"), (opened, "glshape.devices()"),
                              ("c = glshape.Context()", "glshape.knn(x, 2, context=c)"),
                              ("glshape.devices()", "glshape.mds(np.random.default_rng(0).random((300, 2)))")):
            with self.subTest(f"{parent}; {child}"):
                self.assertRegex(self.forked(parent, child), sentence)
        self.assertRegex(self.forked("c = glshape.Context()", "len(glshape.knn(x, 2).index)"), "60")

    def test_fork_ends(self):
        """A child that ends as programs do, with what its parent had opened, neither waits nor fails."""
        code = ("import glshape, os, sys\nc = glshape.Context()\nglshape.knn([[0.0], [1]], 1)\npid = os.fork()\n"
                "if not pid: sys.exit(7)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), c.renderer != '')\n")
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((run.stdout, run.stderr), ("7 True\n", ""))


class Cost(unittest.TestCase):
    def test_of_a_call(self):
        """What the package does around the library's call, on cancer, takes at most a millisecond. The call itself is
        replaced by one that answers at once."""
        ffi, lib = _arrays.ffi, _arrays.lib
        answer = glshape.knn(X, 5)
        index = answer.index.astype(np.uint32)
        made = ffi.new("glshape_knn_result *", {
            "n": len(X), "n_neighbors": 5, "index": _arrays.pointer(index, "uint32_t *"),
            "distance": _arrays.pointer(answer.distance, "double *")})

        def call(context, points, options, result):
            ffi.memmove(result, made, ffi.sizeof("glshape_knn_result"))
            return lib.GLSHAPE_OK

        instead = types.SimpleNamespace(glshape_knn_source=call, glshape_knn_free=lambda result: None)
        with unittest.mock.patch("glshape._knn.lib", instead):
            np.testing.assert_array_equal(glshape.knn(X, 5).index, answer.index)
            seconds = min(timeit.repeat(lambda: glshape.knn(X, 5), number=20, repeat=5)) / 20
        self.assertLess(seconds, 1e-3)


class Options(unittest.TestCase):
    """Options of the commands that are rarely needed."""

    def test_levels(self):
        x = np.random.default_rng(0).random((1000, 3))
        levels = glshape.mds(x, decimation=2, coarsest=130, seed=1, attempts=1).levels
        np.testing.assert_array_equal(levels["points"], [125, 250, 500, 1000])
        for name, wrong in (("decimation", 1), ("decimation", 33), ("coarsest", 63), ("coarsest", 0.5)):
            with self.assertRaisesRegex(ValueError, name):
                glshape.mds(x[:200], **{name: wrong})

    def test_counts(self):
        """Of 4 points there are 6 edges, of which 3 join components; the loop of a square ends."""
        square = [[0.0, 0], [0, 1], [1, 1], [1, 0]]
        facts = glshape.rips(square, count_pairs=True).facts
        self.assertEqual((facts["dimension 1: simplices"], facts["dimension 1: columns cleared"]), (6, 3))
        self.assertEqual(facts["dimension 1: pairs"], 3)
        self.assertNotIn("dimension 1: pairs", glshape.rips(square).facts)
        self.assertEqual(glshape.rips_batch([np.array(square)], count_pairs=True)[0].facts["dimension 1: pairs"], 3)


class Others(unittest.TestCase):
    def test_scipy(self):
        z = glshape.linkage(X)
        np.testing.assert_allclose(z.merges[:, 2], linkage(X.astype(float), "single")[:, 2])
        labels = fcluster(z.merges, 5, "distance")
        self.assertEqual(len(set(zip(labels, z.cut(distance=5)))), labels.max())
        documents = sparse.random(60, 40, 0.2, "csr", np.float32, random_state=1) + sparse.csr_matrix(
            np.eye(60, 40, dtype=np.float32)) + sparse.csr_matrix(np.ones((60, 1)) @ np.eye(1, 40), dtype=np.float32)
        np.testing.assert_allclose(glshape.linkage(documents, metric="cosine").merges[:, 2],
                                   linkage(documents.toarray().astype(float), "single", "cosine")[:, 2], rtol=1e-5)

    def test_mapped_distances(self):
        """A file of distances in another byte order is read in pieces."""
        d = squareform(pdist(X[:90])).astype(">f8")
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder, "d.npy"), d)
            mapped = np.load(Path(folder, "d.npy"), mmap_mode="r")
            with unittest.mock.patch("glshape._source.numbers", side_effect=AssertionError):
                np.testing.assert_array_equal(glshape.linkage(mapped, metric="precomputed").merges,
                                              glshape.linkage(d, metric="precomputed").merges)

    def test_estimators_share_a_context(self):
        from glshape.sklearn import SingleLinkage
        from sklearn.base import clone

        with glshape.Context() as context:
            model = clone(SingleLinkage(context=context))
            self.assertIs(model.context, context)
            self.assertEqual(len(model.fit_predict(X)), len(X))

    def test_queries(self):
        """Rows that are no points; within a radius; more neighbors than 128: as from all distances."""
        random = np.random.default_rng(2)
        x, y = random.integers(0, 9, (500, 3)).astype(float), random.integers(0, 9, (70, 3)).astype(np.float32)
        d = cdist(y, x, "sqeuclidean")
        order = np.argsort(d, axis=1, kind="stable")
        for k in (1, 200, 500):
            result = glshape.knn(x, k, queries=y)
            np.testing.assert_array_equal(result.index, order[:, :k])
            np.testing.assert_array_equal(result.distance, np.sqrt(np.take_along_axis(d, order[:, :k], 1)))
            self.assertIsNone(result.indptr)
        for radius in (0, 2, 100):
            result = glshape.knn(x, queries=y, radius=radius)
            self.assertEqual(result.indptr.dtype, np.int64)
            for row, first, end, to in zip(order, result.indptr, result.indptr[1:], d):
                np.testing.assert_array_equal(result.index[first:end], row[:end - first])
                np.testing.assert_array_equal(result.distance[first:end], np.sqrt(to[row[:end - first]]))
                self.assertEqual(end - first, np.count_nonzero(to <= radius**2))
        self.assertEqual(len(glshape.knn([[0.0], [5]], radius=1).index), 0)
        self.assertEqual(glshape.knn(x).index.shape, (500, 10))

    def test_tree_of_points(self):
        tree, forest = glshape.linkage(X), glshape.mst(points=X)
        ends = X[tree.edges.astype(int)].astype(float)
        np.testing.assert_allclose(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1), tree.merges[:, 2])
        np.testing.assert_array_equal(np.column_stack([forest.i, forest.j]), tree.edges)
        np.testing.assert_array_equal(forest.weight, tree.merges[:, 2])
        self.assertAlmostEqual(forest.total, minimum_spanning_tree(squareform(pdist(X) + 1)).sum() - len(X) + 1)
        self.assertEqual(glshape.mst(points=X[:1]).total, 0)

    def test_hdbscan(self):
        result = glshape.hdbscan(X, 30, min_samples=3)
        again = pickle.loads(pickle.dumps(result))
        for a, b in zip(result.predict(X[:99]), again.predict(X[:99])):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(result.dbscan(3), again.dbscan(3))
        self.assertEqual(result.noise, np.count_nonzero(result.labels == -1))
        for k, points in enumerate(result.exemplars):
            self.assertTrue((result.labels[points] == k).all())
        np.testing.assert_allclose(result.core, glshape.knn(X, 2).distance[:, 1])
        small = glshape.hdbscan(X, 30, min_samples=3, max_cluster_size=200)
        self.assertLessEqual(np.bincount(small.labels[small.labels >= 0]).max(), 200)
        graph = sparse.csr_matrix(([1.0] * 4, ([0, 1, 2, 3], [1, 0, 3, 2])))
        apart = glshape.hdbscan(graph, 2, metric="precomputed")
        self.assertEqual(apart.components, 2)
        np.testing.assert_array_equal(apart.labels, [0, 0, 1, 1])

    def test_row(self):
        """A row is a field of one dimension, and as the graph of a path the same."""
        row, path = np.round(X[:, 0], 1), sparse.diags([np.ones(len(X) - 1)] * 2, [1, -1]).tocsr()
        got, want = glshape.mergetree(row, superlevel=True), glshape.mergetree(row, graph=path, superlevel=True)
        np.testing.assert_array_equal(got.triplets, want.triplets)
        np.testing.assert_array_equal(got.diagram, want.diagram)
        np.testing.assert_array_equal(glshape.contour(row).arc, glshape.contour(row, graph=path).arc)
        self.assertEqual(glshape.mergetree(row, periodic=True).components, 1)

    def test_cubical(self):
        """GUDHI's intervals, of many images as one job."""
        lines = (ROOT / "tests" / "cubical" / "golden" / "fields.txt").read_text(encoding="ascii").splitlines()[1:]
        jobs, expected, at = {}, {}, 0
        while at < len(lines):
            head = lines[at].split()
            dims, end = int(head[0]), at + 2 + int(head[-1])
            shape, around, up = map(int, head[1:1 + dims]), map(int, head[2 + dims:2 + 2 * dims]), head[-2] == "1"
            of = (head[1 + dims], tuple(around), up)
            jobs.setdefault(of, []).append(np.array(lines[at + 1].split(), float).reshape(tuple(shape)))
            expected.setdefault(of, []).append([tuple(map(float, line.split())) for line in lines[at + 2:end]])
            at = end
        self.assertGreater(len(jobs), 30)
        for (construction, around, up), images in jobs.items():
            construction = {"t": "top_cells", "v": "vertices"}[construction]
            results = glshape.cubical_batch(images, construction=construction, periodic=around, superlevel=up)
            for image, result, bars in zip(images, results, expected[construction[0], around, up]):
                got = [(dim, *pair) for dim, diagram in enumerate(result.diagrams) for pair in diagram]
                self.assertEqual(sorted(got), bars)
                for dim, diagram in enumerate(result.diagrams):
                    births, deaths = result.cells(dim)
                    np.testing.assert_array_equal(image[tuple(births.T)], diagram[:, 0])
                    ends = deaths[:, 0] >= 0
                    np.testing.assert_array_equal(image[tuple(deaths[ends].T)], diagram[ends, 1])
                    self.assertTrue(np.isinf(diagram[~ends, 1]).all())

    def test_cubical_options(self):
        image = np.random.default_rng(5).integers(2**62, 2**62 + 9, (20, 30))
        bars = glshape.cubical(image)
        self.assertEqual([len(d) for d in glshape.cubical(image, dim=1).diagrams], [0, len(bars.diagrams[1])])
        longer = glshape.cubical(image, min_persistence=4).intervals
        length = (image.ravel()[bars.intervals["death_vertex"] % image.size]
                  - image.ravel()[bars.intervals["birth_vertex"]])
        np.testing.assert_array_equal(longer, bars.intervals[np.isinf(bars.intervals["death"]) | (length >= 4)])
        self.assertEqual(glshape.cubical([3, 1, 2, 1, 3], threshold=1).diagrams[0].tolist(), [[1, np.inf]] * 2)
        for dtype, kept in ((np.float32, 2), (float, 2), (np.int64, 1)):  # float32(0.7) is below 0.7
            pits = np.array([0, 0.7, -1]).astype(dtype)
            self.assertEqual(len(glshape.cubical(pits, min_persistence=0.7).diagrams[0]), kept)
            self.assertEqual(len(glshape.mergetree(pits, simplify=0.7).birth), kept)
        large = np.random.default_rng(5).random((300, 300))
        with self.assertRaisesRegex(ValueError, "threads is -2"):
            glshape.cubical_batch([large], threads=-2)
        a, b = glshape.cubical_batch([large, large], threads=2)
        np.testing.assert_array_equal(a.intervals, b.intervals)
        np.testing.assert_array_equal(glshape.cubical(large, threads=-1).intervals, a.intervals)
        kept = glshape.cubical_batch([image, np.full((2, 2), np.nan)], errors="return")
        self.assertIsInstance(kept[1], ValueError)
        self.assertEqual(glshape.cubical(np.full((2, 2), np.inf)).diagrams[0].shape, (0, 2))
        self.assertEqual(len(glshape.cubical(np.full((2, 2), np.inf)).cells(0)[0]), 0)

    def test_search(self):
        for search in ("pairs", "index"):
            np.testing.assert_array_equal(glshape.knn(X, 5, search=search).index, glshape.knn(X, 5).index)
            np.testing.assert_array_equal(glshape.linkage(X, search=search).merges, glshape.linkage(X).merges)

    def test_batch_is_interrupted(self):
        code = ("import glshape, numpy as np, sys\n"
                "clouds = (np.random.default_rng(k).random((200, 3)) for k in range(10**6))\n"
                "class Told:\n    def __iter__(self):\n        for k, c in enumerate(clouds):\n"
                "            if k == 20: print('ready', flush=True)\n            yield c\n"
                "try:\n    glshape.rips_batch(Told(), threads=3)\n"
                "except KeyboardInterrupt:\n    sys.exit(7)\n")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 7)

    def test_batch(self):
        clouds = np.random.default_rng(1).random((40, 30, 3))
        alone = [glshape.rips(cloud) for cloud in clouds]
        seen = []
        for threads in (1, 2, 0):
            for inputs in (clouds, list(clouds), iter(clouds)):
                results = glshape.rips_batch(inputs, threads=threads, progress=seen.append)
                for a, b in zip(alone, results):
                    np.testing.assert_array_equal(a.intervals, b.intervals)
        self.assertEqual(seen[39], 1.0)
        self.assertEqual(len(glshape.rips(clouds)), 40)
        bad = [clouds[0], np.full((3, 2), np.nan), clouds[1]]
        for _ in range(5):
            with self.assertRaisesRegex(ValueError, "input 1 of the batch: row"):
                glshape.rips(bad + bad)
        kept = glshape.rips_batch(bad, errors="return")
        self.assertIsInstance(kept[1], ValueError)
        np.testing.assert_array_equal(kept[2].intervals, alone[1].intervals)
        self.assertEqual(glshape.rips_batch([]), [])

    def test_pictures(self):
        import matplotlib
        import matplotlib.pyplot

        matplotlib.use("agg")
        for result in self.pictured():
            self.assertTrue(result.plot())
            self.assertIn(type(result).__name__, repr(result))
            matplotlib.pyplot.close("all")

    def test_notebooks(self):
        """The library's own picture, and the text beside it."""
        for result in self.pictured():
            for most, kind, start in ((1 << 30, "svg+xml", b"<?xml"), (0, "png", b"\x89PNG")):
                with unittest.mock.patch("glshape._picture._LARGE", most):
                    shown = result._repr_html_()
                found = re.search(rf'src="data:image/{re.escape(kind)};base64,([^"]*)"', shown)
                self.assertEqual(base64.b64decode(found[1])[:len(start)], start)
                self.assertIn(html.escape(repr(result)), shown)

    @staticmethod
    def pictured():
        """A result of each kind that has a picture."""
        layout, path = glshape.mds(X[:60], attempts=1), sparse.diags([np.ones(19)] * 2, [1, -1]).tocsr()
        return (layout, glshape.mds(path, metric="precomputed", attempts=1), glshape.linkage(X[:60]), glshape.hdbscan(X),
                glshape.hdbscan(X[:9] * 0), glshape.hdbscan(layout.layout), glshape.rips(X[:60]),
                glshape.mergetree(X[:60]), glshape.mergetree(X[:20, 0], graph=path), glshape.cubical(X[:60]),
                glshape.cubical(X[:60], superlevel=True), glshape.alpha(layout.layout).at(3),
                glshape.alpha(layout.layout).at(0))

    def test_pictures_without_matplotlib(self):
        from matplotlib.image import imread

        none = {name: None for name in ("matplotlib", "matplotlib.figure", "matplotlib.backends.backend_agg")}
        small = {"scatter": (200, 250), "dendrogram": (200, 210), "barcode": (480, 270), "icicles": (490, 240),
                 "branches": (480, 204)}
        with unittest.mock.patch.dict(sys.modules, none), \
                unittest.mock.patch.dict("glshape._picture._IN_A_NOTEBOOK", small):
            for result in self.pictured():
                image = imread(io.BytesIO(result._own_png()), format="png")
                self.assertEqual(image.shape[1::-1], small[result._chart()[0]])
                self.assertGreater(len(np.unique(image.reshape(-1, image.shape[2]), axis=0)), 20)
                self.assertEqual(image[0, 0, :3].tolist(), [1, 1, 1])  # paper
                self.assertEqual(pickle.loads(pickle.dumps(result)).picture("svg"), result.picture("svg"))
        tree = glshape.linkage(X[:5])
        for refused in ({"format": "gif"}, {"width": 10}, {"width": -1}, {"height": 2**40}, {"labels": [0, 1]}, {"labels": [-1] * 5}):
            with self.assertRaises(ValueError):
                tree.picture(**refused)
        self.assertNotEqual(tree.picture(labels=tree.cut(2)), tree.picture())

    def test_no_picture_without_a_device(self):
        code = ("import sys; sys.modules['matplotlib'] = None; import glshape; tree = glshape.linkage([[0.0], [1]]); "
                "print(tree._own_png(), tree.picture('svg')[:5], 'svg' in tree._repr_html_())")
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                             env={**os.environ, "__EGL_VENDOR_LIBRARY_FILENAMES": "/dev/null"})
        self.assertEqual(run.stdout, "None b'<?xml' True\n")

    def test_import_needs_no_device(self):
        code = "import glshape; print(glshape.knn([[0, 0], [1, 1]], 1)); glshape.mds([[i] for i in range(101)])"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                             env={**os.environ, "__EGL_VENDOR_LIBRARY_FILENAMES": "/dev/null"})
        self.assertIn("KnnResult", run.stdout)
        self.assertIn("glshape._context.DeviceError", run.stderr)

    def test_library_that_is_missing(self):
        for variable, words in (("GLSHAPE_LIBRARY", "the library cannot be opened"),):
            run = subprocess.run([sys.executable, "-c", "import glshape"], capture_output=True, text=True, check=False,
                                 env={**os.environ, variable: "/nowhere"})
            self.assertRegex(run.stderr, f"ImportError: {words}")


if __name__ == "__main__":
    unittest.main()
