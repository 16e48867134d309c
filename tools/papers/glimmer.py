"""Ingram, "Multilevel Multidimensional Scaling on the GPU", thesis, 2007."""
import numpy as np

from papers.common import ROOT, attempt, head, line, load_gz, seconds

METHODS = ("glimmer", "gpu-sf")


def grid(points):
    """A square grid, turned at random into 8 dimensions."""
    side = int(points**0.5)
    plane = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2)
    rotation, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(8, 8)))
    return (np.pad(plane, ((0, 0), (0, 6))) @ rotation).astype("f4")


def shuttle(run, count=None):
    rows = load_gz(run.file("shuttle.npy.gz"))
    order = np.random.default_rng(0).permutation(len(rows))
    return rows if count is None else rows[order[:count]]


def stress_text(result):
    return f"{result['stress']:.3g}" if "stress" in result else "—"


def layouts(run):
    """Figure 6.1, page 54: seconds on a GeForce 8800 GTX, and stress. Documents: of BBC news, as the paper's are not
    public."""
    head("data", "method", "paper: seconds", "stress", "ours: whole", "work", "stress")
    data = {"cancer, 683 × 9": (np.load(ROOT / "data" / "cancer.npy"), (0.22, 0.027), (0.22, 0.027)),
            "grid, 10,000 × 8": (grid(10000), (1.9, "illegible"), (1.31, "1e-6")),
            "shuttle, 43,500 × 9": (shuttle(run), (9.73, 0.00675), (2.44, 0.206))}
    for name, (points, *papers) in data.items():
        path = run.save(points)
        for method, paper in zip(METHODS, papers):
            report = run.measure("mds", path, "--method", method)
            line(name, method, *paper, seconds(report["seconds"]["total"]), seconds(report["work"]), stress_text(report["result"]))
    for method, paper in zip(METHODS, ("16.64 s, 0.157", "5.02 s, 0.215")):
        def row():
            report = run.measure("mds", run.file("bbc_terms_by_docs.mtx"), "--input", "documents", "--transpose", "--method", method)
            return seconds(report["seconds"]["total"]), seconds(report["work"]), stress_text(report["result"])
        attempt(("documents: BBC, 2,225 × 9,635", method, f"docs, 28,433 × 28,374: {paper}", ""), row)


def levels(run, data, settings, counts):
    """The last level's sparse stress is that of Glimmer as the paper has it, before the closing phase, which is ours."""
    head("points", *(cell for name in settings for cell in (f"{name}: glimmer s", "stress before closing", "stress")))
    for count in counts:
        path, cells = run.save(data(run, count)), []
        for options in settings.values():
            report = run.measure("mds", path, "--attempts", 1, *options)
            stress = report["result"]["levels"][-1]["sparse_stress"] if "--method" not in options else report["result"]["stress"]
            cells += [seconds(report["seconds"]["glimmer"]), f"{stress:.3g}", stress_text(report["result"])]
        line(count, *cells)


def factors(run):
    """Figure 3.3, page 17: F, the factor between levels, on samples of shuttle (M = 1000). The paper's curves: with 2, 16
    and 32 the stress has spikes above 0.03, with 4 and 8 none; 2 is slowest, 8 is 2 s faster than 4."""
    levels(run, shuttle, {f"F = {f}": ("--decimation", f) for f in (2, 4, 8, 16, 32)}, (4300, 17600, 43500))


def least_sets(run):
    """Figure 3.4, page 18: M, the bound of the coarsest level. The paper's data are its documents, where GPU-SF stays at
    a stress of some 0.21 from 10,000 points on, and Glimmer at 0.18 or less; these are samples of shuttle."""
    settings = {f"M = {m}": ("--coarsest", m) for m in (100, 500, 1000)}
    levels(run, shuttle, settings | {"gpu-sf": ("--method", "gpu-sf")}, (2300, 11700, 43500))


def small_sets(run):
    """Figure 3.5, page 19: the same M on fewer than 1,000 points: the smaller M, the longer it takes (the paper's axis ends
    at some hundreds of milliseconds)."""
    levels(run, shuttle, {f"M = {m}": ("--coarsest", m) for m in (100, 500, 1000)}, (111, 212, 413, 622, 950))


def sizes(run, name, make, counts):
    head(name, "glimmer: work", "stress", "gpu-sf: work", "stress")
    for count in counts:
        path = run.save(make(count))
        reports = [run.measure("mds", path, "--method", method) for method in METHODS]
        line(count, *(cell for r in reports for cell in (seconds(r["work"]), stress_text(r["result"]))))


def grid_sizes(run):
    """Figure 6.3, page 56: curves of seconds and stress by the grid's points. The paper's are drawn, not printed: glimmer
    takes some 1.9 s for 10,000 points (figure 6.1)."""
    sizes(run, "grid", grid, (1024, 2500, 10000, 40000) + (() if run.small else (90000, 202500)))


def shuttle_sizes(run):
    """Figure 6.4, page 57: the same of rows of shuttle; 9.73 s for all (figure 6.1)."""
    sizes(run, "shuttle", lambda count: shuttle(run, count), (2300, 5300, 10300, 20300, 43500))


def other_programs(run):
    """Figures 6.3 to 6.6, pages 56 to 59, compare with SMACOF, landmark and pivot MDS. Debian has SMACOF, in
    scikit-learn (python3-sklearn); landmark and pivot MDS are in no package of Debian 12. Ours beside it, by processors."""
    try:
        from sklearn import __version__, manifold
    except ImportError:
        print("scikit-learn is not here (Debian: apt-get install python3-sklearn)")
        return
    import time
    head("data", f"SMACOF (scikit-learn {__version__}): s", "stress", "glimmer: work", "stress", "classical: work", "stress")
    for name, points in {"cancer, 683": np.load(ROOT / "data" / "cancer.npy"), "grid, 1,024": grid(1024), "shuttle, 1,500": shuttle(run, 1500)}.items():
        x = points.astype(float)
        delta = np.sqrt(((x[:, None] - x) ** 2).sum(2))
        start = time.time()
        y, _ = manifold.smacof(delta, n_init=1, random_state=0)
        took = time.time() - start
        path, out = run.save(points), run.folder / "y.npy"
        ours = run.measure("mds", path, "--attempts", 1)
        classical = run.measure("mds", path, "--method", "classical", "-o", out)
        stress = [((np.sqrt(((l[:, None] - l) ** 2).sum(2)) - delta) ** 2).sum() / (delta**2).sum() for l in (y, np.load(out).astype(float))]
        line(name, seconds(took), f"{stress[0]:.3g}", seconds(ours["work"]), stress_text(ours["result"]), seconds(classical["work"]),
             f"{stress[1]:.3g}")


def simplex(run):
    """Figure 6.7, page 60: a regular simplex of 100 points. Distance scaling keeps its diameter better, and hides fewer
    points, than classical scaling."""
    path = run.save(1 - np.eye(100))
    head("method", "largest distance (1 in the simplex)", "root mean square distance", "points within 0.01 of another")
    for method in ("glimmer", "classical"):
        run.measure("mds", "--input", "distances", path, "--method", method, "-o", run.folder / "y.npy")
        y = np.load(run.folder / "y.npy").astype(float)
        d = np.linalg.norm(y[:, None] - y, axis=2) + np.diag(np.full(100, np.nan))
        line(method, f"{np.nanmax(d):.3f}", f"{np.nanmean(d**2)**0.5:.3f}", int((np.nanmin(d, axis=1) < 0.01).sum()))


TABLES = {"3.3": factors, "3.4": least_sets, "3.5": small_sets, "6.1": layouts, "6.3": grid_sizes, "6.4": shuttle_sizes,
          "6.6": other_programs, "6.7": simplex}
