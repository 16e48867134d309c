"""What the papers share: running the program, finding data, printing tables."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("tools/reproduce needs numpy (Debian: apt-get install python3-numpy)")

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build" / "glshape"


NOT_YET = "its programs are compiled for later runs"  # of RUN_WHYS (src/run/run.h)


class Missing(Exception):
    """A file that is not there: its row is left out, and says so."""


class Run:
    """The options of this run, and a folder that goes with it."""

    def __init__(self, device=None, data=None, small=False, runs=2):
        self.device, self.small, self.runs = device, small, runs
        self.data = Path(data) if data else ROOT.parent / "shared" / "data"
        self.hold = tempfile.TemporaryDirectory()
        self.folder = Path(self.hold.name)

    def file(self, name):
        """A file by its name, in data/ or in the folder of --data."""
        for folder in (ROOT / "data", self.data):
            for path in sorted(folder.rglob(name)) if folder.is_dir() else ():
                return path
        raise Missing(f"{name} is not in data/ nor in {self.data}; --data names its folder")

    def save(self, array, name="x.npy"):
        np.save(self.folder / name, array)
        return self.folder / name

    def measure(self, *arguments, threads=None, runs=None, variables=()):
        """Runs the command, twice by default, and again while programs are compiled for later runs; returns the report of
        the last run."""
        report = self.folder / "report.json"
        environment = dict(os.environ, **dict(variables))
        if threads:
            environment["GLSHAPE_THREADS"] = str(threads)
        command = [PROGRAM, *arguments, "-q", "--report", report] + (["--device", self.device] if self.device else [])
        left = runs or self.runs
        for turn in range(8):
            done = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env=environment)
            if done.returncode:
                raise Missing(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
            if any(s["why"].startswith(NOT_YET) for s in json.loads(report.read_text())["stages"]):
                left = turn + 3  # one more compiles what is left, and one has all
                time.sleep(1)
            if turn + 1 >= left:
                break
        found = json.loads(report.read_text())
        seconds = found["seconds"]
        found["work"] = seconds["total"] - sum(seconds.get(part, 0) for part in ("read", "open", "write"))
        return found


def fact(report, name):
    return report["facts"].get(name, 0)


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells):
    line(*cells)
    line(*("---" for _ in cells))


def attempt(cells, row):
    """Prints a row; of one that cannot be measured, why."""
    try:
        line(*cells, *row())
    except Missing as why:
        line(*cells, str(why).replace("\n", " ")[:160])


def seconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def megabytes(value):
    return f"{value / 1e6:.0f} MB"


def ms(value):
    return f"{1000 * value:.1f}"


def load_gz(path):
    with gzip.open(path) as file:
        return np.load(file)
