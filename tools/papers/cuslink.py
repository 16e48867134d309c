"""Nolet et al., "cuSLINK: Single-linkage agglomerative clustering on the GPU", 2023."""
import gzip

import numpy as np

from papers.common import attempt, fact, head, ms, seconds

COLUMNS = 128  # table 1 does not say how many


def random_rows(rows, columns, seed=0):
    return np.random.default_rng(seed).random((rows, columns), dtype="f4")


def lists(run):
    """Table 1, section 4.1: 32 nearest neighbors of random rows, milliseconds on an A100. The paper does not say how many
    columns; ours have 128. Its last row, a million in 1,218 ms, is faster than its 400,000, so it has fewer."""
    head("index and query rows", "paper: FAISS ms", "cuSLINK ms", "ours: ms of all work", "ms of passes")
    rows = {10000: ("", "")} if run.small else {100000: (261, 143), 200000: (783, 537)}
    for n, paper in rows.items():
        def row():
            path, queries = run.save(random_rows(n, COLUMNS)), run.save(random_rows(n, COLUMNS, 1), "q.npy")
            r = run.measure("knn", path, "--queries", queries, "-k", 32)
            return ms(r["work"]), ms(r["seconds"]["passes"])
        attempt((f"{n:,}", *paper), row)


def nearest(run):
    """Table 2, section 4.1: the nearest neighbor of random rows among 100,000, milliseconds on an A100."""
    head("query rows", "columns", "paper: FAISS ms", "cuSLINK ms", "ours: ms of all work", "ms of passes")
    table = {(100, 128): (98.4, 0.55), (100, 256): (95.6, 0.967), (1000, 64): (96.6, 1.85), (1000, 128): (98.9, 3.39),
             (1000, 256): (104, 6.46), (10000, 64): (126, 17), (10000, 128): (146, 32), (10000, 256): (156, 62.2)}
    for (queries, columns), paper in table.items():
        if run.small and queries > 1000:
            continue

        def row():
            path, q = run.save(random_rows(100000, columns)), run.save(random_rows(queries, columns, 1), "q.npy")
            r = run.measure("knn", path, "--queries", q, "-k", 1)
            return ms(r["work"]), ms(r["seconds"]["passes"])
        attempt((f"{queries:,}", columns, *paper), row)


def roads(nodes, edges):
    """A plane graph of as many nodes and edges (each in both directions, as DIMACS counts): a square grid without some of
    its edges, lengths 1 to 10,000. Rows and columns of its ends, and lengths, each edge once."""
    side = int(np.ceil(nodes**0.5))
    at = np.arange(nodes)
    right = at[(at % side < side - 1) & (at + 1 < nodes)]
    down = at[at + side < nodes]
    i, j = np.concatenate([right, down]), np.concatenate([right + 1, down + side])
    dice = np.random.default_rng(nodes)
    keep = dice.permutation(len(i))[: edges // 2]
    return i[keep], j[keep], dice.integers(1, 10001, len(keep))


def write_dimacs(path, nodes, i, j, length):
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write(f"p sp {nodes} {2 * len(i)}\n")
        np.savetxt(file, np.stack([np.r_[i, j] + 1, np.r_[j, i] + 1, np.r_[length, length]], 1), "a %d %d %d")


def write_csr(path, nodes, i, j, length):
    """As scipy.sparse.save_npz writes it, each edge in both directions."""
    i, j, length = np.r_[i, j], np.r_[j, i], np.r_[length, length]
    order = np.argsort(i, kind="stable")
    start = np.r_[0, np.cumsum(np.bincount(i, minlength=nodes))]
    np.savez(path, indices=j[order].astype("i4"), indptr=start.astype("i4"), format=np.array(b"csr"),
             shape=np.array([nodes, nodes]), data=length[order].astype("f4"))


def forests(run):
    """Table 3, section 4.2: spanning forests of DIMACS' road networks, milliseconds on an A100. The networks are not here:
    ours are square grids of as many nodes and edges, with random lengths; the first is read as DIMACS writes it, the others
    as scipy's .npz."""
    head("paper: network", "nodes", "edges", "Sousa2015 ms", "cuSLINK ms", "ours: ms of the forest", "ms of passes", "rounds")
    table = [("New York City", 263346, 733846, 29.265, 20.217), ("FL", 1070376, 2712798, 82.822, 35.552),
             ("Eastern USA", 3598623, 8778114, 265.426, 96.1), ("Full USA", 23947347, 58333344, 1685.172, 478.898)]
    for name, nodes, edges, *paper in table[:2 if run.small else 4]:
        def row():
            i, j, length = roads(nodes, edges)
            path = run.folder / ("g.gr.gz" if nodes < 500000 else "g.npz")
            (write_dimacs if nodes < 500000 else write_csr)(path, nodes, i, j, length)
            r = run.measure("mst", path)
            stage = sum(s["seconds"] for s in r["stages"] if s["stage"] == "forest")
            return ms(stage), ms(r["seconds"]["passes"]), f"{fact(r, 'rounds') or r['result'].get('rounds', '')}"
        attempt((name, f"{nodes:,}", f"{edges:,}", *paper), row)


def digits(run):
    path = run.file("train-images-idx3-ubyte.gz")
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype("f4")


def clusters(run):
    """Table 4, section 4.3: single linkage, seconds on a DGX-1. MNIST is public; Fashion MNIST, NYTimes, SIFT and Deep-1B are
    not here. A Gaussian mixture stands for NYTimes' shape."""
    head("data", "clusters", "paper: scikit-learn s", "cuSLINK s", "ours: work", "whole")

    def measured(rows, count):
        r = run.measure("linkage", run.save(rows), "--clusters", count, "--labels-out", run.folder / "l.npy")
        return seconds(r["work"]), seconds(r["seconds"]["total"])
    if run.small:
        attempt(("MNIST, its first 5,000", 10, "", ""), lambda: measured(digits(run)[:5000], 10))
    else:
        attempt(("MNIST, 60,000 × 784", 10, "2171", "0.926"), lambda: measured(digits(run), 10))

        def mixture():
            dice = np.random.default_rng(0)
            return dice.normal(size=(290000, 256)).astype("f4") + 4 * dice.normal(size=(100, 256)).astype("f4")[dice.integers(0, 100, 290000)]
        attempt(("a mixture of 100, as NYTimes 290,000 × 256", 100, "", "9.227 (NYTimes)"), lambda: measured(mixture(), 100))


TABLES = {"1": lists, "2": nearest, "3": forests, "4": clusters}
