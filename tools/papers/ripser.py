"""Zhang, Xiao, Wang, "GPU-accelerated computation of Vietoris-Rips persistence barcodes", 2020 (Ripser++)."""
import numpy as np

from papers.common import Missing, attempt, fact, head, line, megabytes, seconds

KINDS = ("apparent pairs", "shortcut pairs", "emergent pairs", "pairs")
# name: file, options; to the enclosing radius (or the threshold): apparent, shortcut, emergent, all, cleared; the first four
# without a threshold; apparent per dimension, in per cent, with and without the radius
INPUTS = {
    "celegans": ("celegans.distance_matrix*", ("--dim", 3), (256633901, 256692978, 256704109, 256704712, 3777011),
                 (317664839, 317723916, 317723974, 317735650), ("99.638804", "99.956501", "99.972704")),
    "dragon1000": ("dragon_1000.txt", ("--format", "point-cloud", "--dim", 2), (56076794, 56104435, 56104513, 56110140, 318441),
                   (166132946, 166160587, 166160665, 166167000), ("99.901399", "99.940793")),
    "o3, t = 1.4": ("o3_4096.txt*", ("--format", "point-cloud", "--dim", 3, "--threshold", 1.4),
                    (43480968, 43940030, 43940686, 44081360, 4347112), None, ("98.928064", "98.651461", "98.634918")),
    "sphere_3_192": ("sphere_3_192.lower_distance_matrix*", ("--dim", 3), (46708109, 46799992, 46800007, 46817416, 1072739),
                     (54779316, 54871199, 54871214, 54888625), ("99.699989", "99.712574", "99.767795")),
    "Vicsek300": ("Vicsek300_300_of_300.distance_matrix*", ("--dim", 3), (283349749, 283424013, 283424029, 283441085, 4046908),
                  (330724672, 330818491, 330818507, 330835726), ("99.843304", "99.9223", "99.968447")),
}
TIMES = {"celegans": ("7.30", "228.56", "16.84", "10.53"), "dragon1000": ("5.79", "48.98", "8.81", "3.75"),
         "o3, t = 1.4": ("11.62", "64.18", "18.76", "2.77"), "sphere_3_192": ("2.43", "36.96", "2.03", "2.92"),
         "Vicsek300": ("9.98", "248.72", "17.53", "11.46")}
reports = {}


def counted(run, name, *more):
    """The report of an input without a collapse, once for all tables."""
    file, options, *_ = INPUTS[name]
    if (name, more) not in reports:
        reports[name, more] = run.measure("rips", run.file(file), *options, "--collapse", "off", *more, runs=1)
    return reports[name, more]


def total(report, kind):
    return sum(fact(report, f"dimension {dim}: {kind}") for dim in (1, 2, 3))


def pairs(run, which, *more):
    head("data", *(f"paper: {k}" for k in KINDS), *(f"ours: {k}" for k in KINDS), "left to reduce: paper", "ours")
    for name, values in INPUTS.items():
        paper = values[which]
        if not paper:
            continue

        def row():
            report = counted(run, name, *more)
            return *(f"{total(report, k):,.0f}" for k in KINDS), f"{paper[3] - paper[0]:,}", f"{total(report, 'columns reduced'):,.0f}"
        attempt((name, *(f"{v:,}" for v in paper[:4])), row)


def pairs_whole(run):
    """Tables 1 and 2, section 6.1: apparent, shortcut, emergent and all pairs, without a threshold (o3: table 2)."""
    pairs(run, 3, "--threshold", 1e9)


def pairs_radius(run):
    """Table 2 as the paper's other version has it: the same pairs up to the enclosing radius, o3 up to 1.4."""
    pairs(run, 2)


def times(run):
    """Table 3, section 6.2: seconds and memory. The paper's GPU is a V100 (32 GB), beside 28 cores."""
    head("data", "paper: Ripser++ s", "Ripser s", "GPU GB", "CPU GB", "ours, every simplex: s", "GPU", "CPU", "ours, edges collapsed: s",
         "GPU", "CPU")
    for name, (file, options, *_) in INPUTS.items():
        def row():
            cells = []
            for collapse in ("off", "auto"):
                r = run.measure("rips", run.file(file), *options, "--collapse", collapse)
                spent = r["seconds"]["total"] - sum(s["seconds"] for s in r["stages"] if s["stage"] == "count")
                cells += [seconds(spent), megabytes(r["result"]["gpu_bytes"]), megabytes(r["peak_host_bytes"])]
            return cells
        attempt((name, *TIMES[name]), row)


def shares(run):
    """Table 5, section A.1: apparent pairs of each dimension, in per cent, up to the enclosing radius (o3: 1.4)."""
    head("data", "paper: dim 1", "dim 2", "dim 3", "ours: dim 1", "dim 2", "dim 3")
    for name, values in INPUTS.items():
        def row():
            r = counted(run, name)
            return [f"{100 * fact(r, f'dimension {d}: apparent pairs') / max(fact(r, f'dimension {d}: pairs'), 1):.6f}"
                    for d in range(1, len(values[4]) + 1)]
        attempt((name, *values[4], *[""] * (3 - len(values[4]))), row)


def clearing(run):
    """Table 6, section A.2: columns to reduce and columns cleared, up to the enclosing radius (o3: 1.4)."""
    head("data", "paper: to reduce", "cleared", "ours: to reduce", "cleared")
    for name, values in INPUTS.items():
        def row():
            r = counted(run, name)
            return f"{total(r, 'pairs'):,.0f}", f"{total(r, 'columns cleared'):,.0f}"
        attempt((name, f"{values[2][3]:,}", f"{values[2][4]:,}"), row)


def apparent_edges(run, d):
    """What share of the edges of a full matrix is in apparent pairs of dimensions 1 and 2."""
    n = len(d)
    path = run.save(d.astype("f4"))
    report = run.measure("rips", path, "--format", "npy", "--threshold", 1e9, runs=1)
    return fact(report, "dimension 1: apparent pairs"), n * (n - 1) // 2


def matrix_of(n, order):
    """Distances such that edge order[0] is the longest; edges are numbered (1, 0), (2, 0), (2, 1), …"""
    d = np.zeros((n, n))
    i, j = np.tril_indices(n, -1)
    d[i[order], j[order]] = np.arange(len(order), 0, -1)
    return d + d.T


def algorithm_9(n, order):
    """The paper's algorithm 9, step by step: an edge that still has a triangle is in an apparent pair, and takes all its
    triangles away. So a triangle is there as long as none of its edges was taken."""
    i, j = np.tril_indices(n, -1)
    left = ~np.eye(n, dtype=bool)  # edges that were not taken
    count = 0
    for e in order:
        count += (left[i[e]] & left[j[e]]).any()
        left[i[e], j[e]] = left[j[e], i[e]] = False
    return count


def greedy(n):
    """The order of algorithm 9 with its line 3 greedy: the edge of most triangles left, of equals the last."""
    i, j = np.tril_indices(n, -1)
    left = np.ones((n, n), bool)  # edges that are not taken yet
    triangles = np.full(len(i), n - 2)
    place = np.zeros((n, n), int)
    place[i, j] = place[j, i] = np.arange(len(i))
    order = []
    for _ in range(len(i)):
        e = len(i) - 1 - int(np.argmax(triangles[::-1]))
        a, b = i[e], j[e]
        third = np.flatnonzero(left[a] & left[b])
        third = third[(third != a) & (third != b)]
        triangles[place[a, third]] -= 1
        triangles[place[b, third]] -= 1
        triangles[e] = -1
        left[a, b] = left[b, a] = False
        order.append(e)
    return np.array(order)


def apparent_by_definition(d):
    """How many edges have a third point nearer to both ends than they are long: these are in apparent pairs, if no two
    distances are equal. Points are tried in blocks, until one is found for nearly all edges."""
    n, count = len(d), 0
    for a in range(1, n):
        left, tried, step = np.arange(a), 0, 8
        while len(left) and tried < n:
            third = slice(tried, tried + step)
            left = left[~(np.maximum(d[left, third], d[a, third]) < d[a, left, None]).any(1)]
            tried, step = tried + step, 2 * step
        count += a - len(left)
    return count


def fractions(run):
    """Figure 13, section 6.6: the apparent fraction of random permutations, below the bound (n − 2)/n of theorem 4.13, which
    equal distances reach. The paper: 0.991127743 for 10,000 points, the mean of ten; 0.993733522 for 20,000. The program
    and algorithm 9 (section 6.7) count the same pairs, sample by sample; above 200 points, where the reduction of random
    distances takes minutes, numpy counts them by their definition."""
    head("points", "samples", "mean", "least", "greatest", "(n − 2)/n", "the program, and equal distances", "algorithm 9")
    for n in (50, 100, 200, 400, 800, 1600) + (() if run.small else (3200, 10000)):
        dice, found, checks = np.random.default_rng(n), [], []
        edges = n * (n - 1) // 2
        for _ in range(10 if n <= 800 else 2):
            order = dice.permutation(edges)
            d = matrix_of(n, order)
            found.append(apparent_by_definition(d))
            if n <= 200:
                checks.append((apparent_edges(run, d)[0] == found[-1], algorithm_9(n, order) == found[-1]))
        assert max(found) <= (n - 2) / n * edges, "theorem 4.13 does not hold"
        equal = n > 1600 or apparent_edges(run, 1 - np.eye(n))[0] * n == (n - 2) * edges
        assert equal, "equal distances do not reach the bound of theorem 4.13"
        said = ["not run" if not checks else "the same counts" if all(c[k] for c in checks) else "OTHER COUNTS" for k in (0, 1)]
        line(f"{n:,}", len(found), *(f"{v / edges:.6f}" for v in (np.mean(found), min(found), max(found))), f"{(n - 2) / n:.6f}",
             f"{said[0]}, {'not run' if n > 1600 else '(n − 2)/n'}", said[1])


def greedy_fractions(run):
    """Figure 14, section 6.7.1: algorithm 9 with the edge of most triangles. The paper: never below 1/3, near 0.5."""
    head("points", "algorithm 9", "ours")
    for n in (20, 50, 100, 200):
        order = greedy(n)
        count, edges = apparent_edges(run, matrix_of(n, order))
        line(n, f"{algorithm_9(n, order) / edges:.6f}", f"{count / edges:.6f}")


TABLES = {"1": pairs_whole, "2": pairs_radius, "3": times, "5": shares, "6": clearing, "13": fractions, "14": greedy_fractions}
