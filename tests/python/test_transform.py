"""New rows in layouts, beside numpy and beside layouts of all rows."""
import gzip
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import glshape
import numpy as np
from glshape.sklearn import MDS, ClassicalMDS
from scipy.spatial.distance import cdist, pdist, squareform

try:
    from sklearn.datasets import load_digits
except ImportError:
    load_digits = None


def stress(layouts, given):
    return ((layouts - given) ** 2).sum() / (given**2).sum()


class Transform(unittest.TestCase):
    def test_gower(self):
        """Beside the formula in float64, with corrections."""
        rng = np.random.default_rng(1)
        counts = rng.gamma(0.3, size=(70, 30)) + 1e-9
        d, new = squareform(pdist(counts[:50], "braycurtis")), cdist(counts[50:], counts[:50], "braycurtis")
        d = d.astype(np.float32).astype(float)
        for correction in (None, "lingoes", "cailliez"):
            result = glshape.mds(d, 3, metric="precomputed", method="classical", correction=correction, exact=True)
            c = result.constant
            square = {None: lambda d: d**2, "lingoes": lambda d: d**2 + 2 * c, "cailliez": lambda d: (d + c) ** 2}[correction]
            whole = square(d) * (1 - np.eye(50))
            b = -(whole - whole.mean(0) - whole.mean(1)[:, None] + whole.mean()) / 2
            value, vector = np.linalg.eigh(b)
            want = (whole.mean(1) - square(new)) @ vector[:, :-4:-1] / 2 / np.sqrt(value[:-4:-1])
            want *= np.sign((vector[:, :-4:-1] * result.layout).sum(0))
            with self.subTest(correction):
                np.testing.assert_allclose(result.transform(new), want, atol=1e-5)

    def check_held_out(self, x):
        """The stress of rows held out is within 5 % of what they have in a layout of all."""
        order = np.random.default_rng(2).permutation(len(x))
        fitted, held = order[:900], order[900:1200]
        given = cdist(x[held], x[fitted])
        for seed in range(2):
            part = glshape.mds(x[fitted], seed=seed, attempts=4)
            full = glshape.mds(x[order[:1200]], seed=seed, attempts=4).layout
            ours = stress(cdist(part.transform(x[held]), part.layout), given)
            self.assertLessEqual(ours, 1.05 * stress(cdist(full[900:], full[:900]), given))

    @unittest.skipUnless(load_digits, "scikit-learn is not installed")
    def test_digits(self):
        self.check_held_out(load_digits().data)

    def test_shuttle(self):
        """The same of the median of three draws: few far rows have most of the stress, and differ from draw to draw.
        Attempts are few, as above: it is the places of new rows that are looked at."""
        with gzip.open(Path(__file__).resolve().parents[2] / "data" / "shuttle.npy.gz") as file:
            all_rows = np.load(file).astype(float)
        ratios = []
        for draw in range(3):
            x = all_rows[np.random.default_rng(draw).permutation(len(all_rows))[:1200]]
            part, full = glshape.mds(x[:900], attempts=4), glshape.mds(x, attempts=4).layout
            given = cdist(x[900:], x[:900])
            ours = stress(cdist(part.transform(x[900:]), part.layout), given)
            ratios.append(ours / stress(cdist(full[900:], full[:900]), given))
        self.assertLessEqual(np.median(ratios), 1.05)
        self.assertLessEqual(max(ratios), 1.15)

    def test_far_rows(self):
        """Few far points tell where a far row belongs; no place of a grid is better."""
        with gzip.open(Path(__file__).resolve().parents[2] / "data" / "shuttle.npy.gz") as file:
            x = np.load(file)[np.random.default_rng(0).permutation(43500)[:4000]]
        model = glshape.mds(x[:3400], attempts=1)
        given = cdist(x[3400:], x[:3400])
        far = np.argsort(-given.mean(1))[:12]
        placed = model.transform(x[3400:])[far]
        axis = np.linspace(-1, 1, 70)
        for row, place in zip(given[far], placed):
            grid = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2) * 1.5 * row.max()
            least = min(((cdist(part, model.layout) - row) ** 2).sum(1).min() for part in np.array_split(grid, 10))
            self.assertLessEqual(((np.linalg.norm(model.layout - place, axis=1) - row) ** 2).sum(), least)

    def test_estimators(self):
        x = np.random.default_rng(3).normal(size=(60, 4))
        model = ClassicalMDS(3).fit(x[:50])
        np.testing.assert_allclose(model.transform(x[:50]), model.embedding_, atol=1e-5)
        given = ClassicalMDS(3, metric="precomputed").fit(squareform(pdist(x[:50])))
        np.testing.assert_allclose(given.transform(cdist(x[50:], x[:50])), model.transform(x[50:]), atol=1e-4)
        self.assertEqual(MDS(random_state=0).fit(x[:50]).transform(x[50:]).shape, (10, 2))
        with self.assertRaisesRegex(ValueError, "features"):
            model.transform(x[:, :2])

    def test_models_of_numpy(self):
        """The command reads what numpy.savez writes, and numpy what the command writes."""
        rng = np.random.default_rng(4)
        x = rng.normal(size=(40, 5))
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder)
            np.save(at / "x.npy", x)
            np.save(at / "new.npy", x[:7] + 0.1)

            def run(*arguments):
                done = subprocess.run([os.environ["GLSHAPE"], *arguments], cwd=at, capture_output=True, text=True)
                return done.returncode, done.stderr

            self.assertEqual(run("pcoa", "x.npy", "-q", "--save-model", "m.npz")[0], 0)
            model = dict(np.load(at / "m.npz"))
            np.testing.assert_array_equal(model["points"], x)
            want = glshape.mds(x, method="classical")
            np.testing.assert_allclose(model["layout"], want.layout)
            np.testing.assert_allclose(model["mean_squares"], (cdist(x, x) ** 2).mean(1))
            np.savez(at / "n.npz", other=np.arange(3), **model)
            self.assertEqual(run("mds", "--transform", "new.npy", "--model", "n.npz", "-o", "l.npy")[0], 0)
            np.testing.assert_allclose(np.load(at / "l.npy"), want.transform(x[:7] + 0.1), atol=1e-6)
            np.savez_compressed(at / "c.npz", **model)
            self.assertEqual(run("mds", "--transform", "new.npy", "--model", "c.npz", "-o", "c.npy")[0], 0)
            self.assertEqual((at / "c.npy").read_bytes(), (at / "l.npy").read_bytes())
            for name, value, words in (("metric", np.array([9.0]), "'metric'"), ("layout", None, "no array 'layout'"),
                                       ("eigenvalues", np.ones(5), "'eigenvalues' has 5 values, not 2"),
                                       ("mean_squares", None, "no array 'mean_squares'"), ("p", np.array([np.nan]), "NaN"),
                                       ("points", x[:9], "9 points, but the layout is of 40")):
                arrays = {**model, name: value}
                np.savez(at / "b.npz", **{key: array for key, array in arrays.items() if array is not None})
                with self.subTest(name):
                    self.assertRegex(run("mds", "--transform", "new.npy", "--model", "b.npz")[1], words)
            whole = (at / "m.npz").read_bytes()
            for cut in range(1, len(whole) - 1, 97):  # no length and no bit is an error that is not told
                (at / "b.npz").write_bytes(whole[:cut])
                flipped = bytearray(whole)
                flipped[cut] ^= 1 << cut % 8
                (at / "f.npz").write_bytes(flipped)
                for name in ("b.npz", "f.npz"):
                    code, said = run("mds", "--transform", "new.npy", "--model", name)
                    self.assertIn(code, (0, 1))
                    self.assertEqual(bool(code), bool(said))


if __name__ == "__main__":
    unittest.main()
