"""Sridharan, Nanjappa, Tan, "Computing 2D alpha shapes using GPU", 2012 (GAlpha)."""
import numpy as np

from papers.common import attempt, fact, head, seconds

STAGES = ("triangulate", "edges", "keys", "sort", "compare", "intervals", "master")


def series(run, draw):
    """Without close pairs none is compared exactly. The master list is asked for up to a million points: its file has 192
    bytes a point."""
    head("points", "all stages", *STAGES, "passes", "close pairs", "exact comparisons", "rounds of transposition")
    for count in (10**4, 10**5, 10**6) + (() if run.small else (10**7,)):
        def row():
            path = run.save(draw(np.random.default_rng(count), (count, 2)).astype("f4"))
            master = ("--master", run.folder / "master.npy") if count <= 10**6 else ()
            r = run.measure("alpha", path, "--alpha", "optimal:1", *master)
            return (seconds(sum(r["seconds"].get(stage, 0) for stage in STAGES)), *(seconds(r["seconds"].get(stage, 0)) for stage in STAGES), seconds(r["seconds"]["passes"]),
                    *(f"{sum(fact(r, name) for name in names):.0f}" for names in (
                        ("close pairs",), ("exact comparisons on the GPU", "exact comparisons on the CPU"), ("rounds of transposition",))))
        attempt((f"{count:,}",), row)


def uniform(run):
    """Figures 6.1 to 6.3, pages 38 and 39: uniform points, by stage, on a GTX 580. The figures are curves without numbers:
    a million points take 1 s for the triangulation, and CGAL with exact constructions 7 times as long as all of GAlpha."""
    series(run, lambda dice, shape: dice.random(shape))


def gaussian(run):
    """Figure 6.4, page 40: Gaussian points. The paper's take as long as CGAL's at a million points, as very many exact
    comparisons are made."""
    series(run, lambda dice, shape: dice.normal(size=shape))


TABLES = {"6.3": uniform, "6.4": gaussian}
