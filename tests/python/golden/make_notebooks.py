"""Makes notebooks.npz: what ripser.py finds in the notebooks of tests/python/notebooks.py, and their inputs.

ripser.py 0.6.15, built as make_ripser.py says, on Debian 12 (NumPy 1.24.2, SciPy 1.10.1, scikit-learn 1.2.1), 2026-11-26:
    PYTHONPATH=ripser.py/src /usr/bin/python3 tests/python/golden/make_notebooks.py
"""
import sys
import types
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
sys.modules.setdefault("persim", types.SimpleNamespace(plot_diagrams=None))  # ripser.py's plots
import notebooks  # noqa: E402
import ripser  # noqa: E402


def main():
    given = notebooks.inputs()
    out = {f"input/{name}": value for name, value in given.items()}
    for notebook in notebooks.NOTEBOOKS:
        out.update({f"{notebook.__name__}/{name}": value for name, value in notebook(ripser, given).items()})
    np.savez_compressed(FOLDER / "notebooks.npz", **out)


if __name__ == "__main__":
    main()
