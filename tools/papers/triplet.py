"""Nigmetov, Morozov, "Fast merge tree computation via SYCL", 2022."""
import os

import numpy as np

from papers.common import attempt, head, seconds

FIELDS = {"nucleon": (41, 41, 41), "silicium": (34, 34, 98), "neghip": (64, 64, 64), "tooth": (161, 94, 103),
          "hydrogen_atom": (128, 128, 128), "engine": (128, 256, 256), "aneurism": (256, 256, 256)}


def load(run, name):
    z, y, x = FIELDS[name]
    return np.fromfile(run.file(f"{name}_{x}x{y}x{z}_uint8.raw"), np.uint8).reshape(z, y, x)


def made(side):
    """Smooth noise: rich in branches, as the paper's NYX and MAG are."""
    noise = np.random.default_rng(side).normal(size=(side,) * 3)
    wave = sum(k * k for k in np.meshgrid(*[np.fft.fftfreq(side)] * 3, indexing="ij"))
    return np.fft.ifftn(np.fft.fftn(noise) * np.exp(-wave * 8)).real.astype("f4")


def tree(run, method, path, **more):
    return run.measure("mergetree", path, "--superlevel", "--method", method, **more)


def stage_seconds(report, name="basins"):
    return sum(s["seconds"] for s in report["stages"] if s["stage"] == name)


def fields(run):
    """Table I and figures 2 to 10: seconds of merge trees of −f, on an RTX 2080 Ti. The table's numbers are not in the text
    at hand, and its fields are larger than those here, which are of the same database (Open SciVis Datasets). Memory: the
    paper has 12 bytes a vertex, field and tree (section 3.2)."""
    head("field", "vertices", "maxima", "triplet: work", "of it the tree", "passes", "bytes a vertex", "basins: work")
    rows = {name: (lambda name=name: load(run, name)) for name in FIELDS}
    for side in (128,) if run.small else (128, 256, 400):
        rows[f"smooth noise {side}³"] = lambda side=side: made(side)
    for name, field in rows.items():
        def row():
            values = field()
            path = run.save(values)
            triplet, basins = tree(run, "triplet", path), tree(run, "auto", path)
            return (f"{values.size:,}", f"{triplet['result']['extrema']:,}",
                    seconds(triplet["work"]), seconds(stage_seconds(triplet)), seconds(triplet["seconds"]["passes"]),
                    f"{triplet['result']['gpu_bytes'] / values.size:.1f}", seconds(basins["work"]))
        attempt((name,), row)


def scaling(run):
    """Figures 11 and 12: strong scaling over threads, and here over groups of invocations. Threads: GLSHAPE_THREADS, of the
    default method. Groups: a fixed number of vertices a group, so that time by size shows them; on llvmpipe LP_NUM_THREADS
    says how many run at once."""
    field = run.save(made(128 if run.small else 256))
    most = len(os.sched_getaffinity(0))
    head("threads", "default: work", "triplet: work")
    count = 1
    while count <= most:
        variables = {"LP_NUM_THREADS": str(count)}
        line_of = [seconds(tree(run, method, field, threads=count, variables=variables)["work"]) for method in ("auto", "triplet")]
        attempt((count,), lambda: line_of)
        count *= 2
    print()
    head("vertices", "groups of 256 invocations", "triplet, the tree: s", "ns a vertex")
    for side in (32, 64, 128) if run.small else (32, 64, 128, 256, 400):
        def row():
            n = side**3
            spent = stage_seconds(tree(run, "triplet", run.save(made(side))))
            return f"{(n + 255) // 256:,}", seconds(spent), f"{1e9 * spent / n:.1f}"
        attempt((f"{side**3:,}",), row)


TABLES = {"1": fields, "11": scaling}
