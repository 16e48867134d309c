"""Scaling beside R: cmdscale, vegan and MASS. Their values are in golden/vegan.txt.gz (golden/make_vegan.R says how)."""
import gzip
import unittest
from pathlib import Path

import glshape
import numpy as np


def read_golden():
    """Name to array."""
    out = {}
    with gzip.open(Path(__file__).parent / "golden" / "vegan.txt.gz", "rt", encoding="ascii") as lines:
        next(lines)
        for line in lines:
            name, rows, columns = line.rsplit(maxsplit=2)
            out[name] = np.array([next(lines).split() for _ in range(int(rows))], float).reshape(int(rows), int(columns))
    return out


GOLDEN = read_golden()


def signed(x):
    """Each column with the sign that makes its entry of largest magnitude positive."""
    return x * np.sign(x[abs(x).argmax(axis=0), range(x.shape[1])])


class Vegan(unittest.TestCase):
    def scale(self, name, **options):
        return glshape.mds(GOLDEN[f"{name}/d"], 4, metric="precomputed", method="classical", **options)

    def test_principal_coordinates(self):
        for name in ("dune", "varespec"):
            for exact in (False, True):
                result = self.scale(name, exact=exact)
                for theirs in ("cmdscale", "wcmdscale"):
                    value = GOLDEN[f"{name}/{theirs}/eig"].ravel()
                    np.testing.assert_allclose(result.eigenvalues, value[:4], rtol=1e-6)
                    np.testing.assert_allclose(result.trace, value.sum(), rtol=1e-6)
                    np.testing.assert_allclose(result.proportion_explained, value[:4] / value.sum(), rtol=1e-6)
                    np.testing.assert_allclose(result.layout, signed(GOLDEN[f"{name}/{theirs}/points"]), atol=1e-5)
                    np.testing.assert_allclose(result.least_eigenvalue, value.min(), rtol=0.01)
                np.testing.assert_allclose(result.eigenvalues, GOLDEN[f"{name}/capscale/eig"].ravel(), rtol=1e-6)

    def test_corrections(self):
        for name in ("dune", "varespec"):
            for correction, theirs in (("lingoes", "lingoes"), ("cailliez", "cailliez"), ("cailliez", "cmdscale add")):
                for exact in (False, True):
                    with self.subTest(name, theirs=theirs, exact=exact):
                        result = self.scale(name, correction=correction, exact=exact)
                        np.testing.assert_allclose(result.constant, GOLDEN[f"{name}/{theirs}/constant"].item(), rtol=1e-6)
                        np.testing.assert_allclose(result.layout, signed(GOLDEN[f"{name}/{theirs}/points"]), atol=2e-5)
                        if theirs != "cmdscale add":
                            value = GOLDEN[f"{name}/{theirs}/eig"].ravel()
                            np.testing.assert_allclose(result.eigenvalues, value[:4], rtol=2e-6)
                            np.testing.assert_allclose(result.trace, value.sum(), rtol=2e-6)

    def test_biplot(self):
        for name in ("dune", "varespec"):
            result = self.scale(name)
            signs = np.sign(np.sum(result.layout * GOLDEN[f"{name}/cmdscale/points"], axis=0))
            want = GOLDEN[f"{name}/biplot"] * signs
            np.testing.assert_allclose(result.biplot(GOLDEN[f"{name}/community"]), want, atol=1e-5 * abs(want).max())
        with self.assertRaisesRegex(ValueError, "3 rows, but the layout has 24 points"):
            result.biplot(np.ones((3, 2)))
        with self.assertRaisesRegex(ValueError, "classical"):
            glshape.mds(np.eye(4)).biplot(np.ones((4, 1)))


if __name__ == "__main__":
    unittest.main()
