"""Examples run: those of docstrings, of the README and the scripts in src/python/examples."""
import contextlib
import doctest
import hashlib
import importlib
import io
import os
import pkgutil
import runpy
import sys
import tempfile
import unittest
from pathlib import Path

import glshape
import matplotlib
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "src" / "python"
NAMES = {"glshape": glshape, "np": np}


class Docs(unittest.TestCase):
    def test_docstrings(self):
        attempted = 0
        for module in pkgutil.walk_packages(glshape.__path__, "glshape."):
            result = doctest.testmod(importlib.import_module(module.name), extraglobs=NAMES)
            self.assertEqual(result.failed, 0)
            attempted += result.attempted
        self.assertGreater(attempted, 30)

    def test_every_function_has_an_example(self):
        for name in glshape.__all__:
            thing = getattr(glshape, name)
            self.assertTrue(thing.__doc__, name)
            if callable(thing) and not isinstance(thing, type):
                for part in ("Parameters", "Returns", "Examples"):
                    self.assertIn(f"{part}\n    ---", thing.__doc__, name)

    def test_readme(self):
        for page, least in ((PYTHON / "README.md", 6), (ROOT / "README.md", 4), (ROOT / "docs" / "coming-from.md", 18)):
            result = doctest.testfile(str(page), module_relative=False, globs=dict(NAMES))
            self.assertEqual(result.failed, 0)
            self.assertGreaterEqual(result.attempted, least)

    def test_scripts(self):
        matplotlib.use("agg")
        scripts = sorted((PYTHON / "examples").glob("*.py"))
        self.assertGreater(len(scripts), 10)
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for script in scripts:
                out = io.StringIO()
                with self.subTest(script.name), contextlib.redirect_stdout(out):
                    runpy.run_path(str(script))
                    self.assertTrue(out.getvalue())
                matplotlib.pyplot.close("all")
            self.assertTrue({"mds.png", "alpha.png"} <= set(os.listdir()))
        self.assertNotIn("cupy", sys.modules)


if __name__ == "__main__":
    unittest.main()

    def test_notebook(self):
        """docs/notebook.py runs as a script; docs/notebook.html was made of it, and loads nothing."""
        matplotlib.use("agg")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)
        found = {}
        with contextlib.redirect_stdout(io.StringIO()):
            found = runpy.run_path("docs/notebook.py")
        matplotlib.pyplot.close("all")
        self.assertEqual(found["clusters"].clusters, 2)
        self.assertEqual(found["flat"].labels_.max(), 1)
        self.assertGreater(found["longest"][1], 1.5 * found["longest"][0])  # what the weights are for
        page = Path("docs/notebook.html").read_text(encoding="utf-8")
        made = hashlib.sha256(Path("docs/notebook.py").read_bytes()).hexdigest()
        self.assertIn(made, page, "docs/notebook.py has changed; tools/notebook makes the page anew")
        self.assertNotRegex(page, r'(src|href)="(?!data:|#)')
        self.assertLess(len(page), 1_500_000)
