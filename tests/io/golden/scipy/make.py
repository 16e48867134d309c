"""Writes a graph and a table of counts as scipy's and as Matrix Market's files, which hold the same numbers.

Debian 12: python3-scipy 1.10.1.
    /usr/bin/python3 tests/io/golden/scipy/make.py
"""
import os
import numpy, scipy.io, scipy.sparse

os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = numpy.random.default_rng(2)
d = numpy.triu(rng.integers(0, 9, (12, 12)) / 4, 1)
d[d > 1.5] = 0
graph = scipy.sparse.csr_matrix(d + d.T)
counts = scipy.sparse.random(9, 20, 0.3, random_state=4, data_rvs=lambda n: numpy.arange(1, n + 1)).tocsr()
for name, m in (("graph", graph), ("counts", counts)):
    scipy.io.mmwrite(name + ".mtx", m.tocoo())
    for format in ("csr", "csc", "coo"):
        scipy.sparse.save_npz(f"{name}_{format}.npz", m.asformat(format), compressed=format != "csr")
for format in ("csr", "coo"):
    scipy.sparse.save_npz(f"none_{format}.npz", scipy.sparse.csr_matrix((3, 3)).asformat(format))
scipy.sparse.save_npz("dia.npz", scipy.sparse.eye(5, format="dia"))
