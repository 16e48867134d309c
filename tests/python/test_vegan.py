"""Scaling beside R: cmdscale, vegan and MASS. Their values are in golden/vegan.txt.gz (golden/make_vegan.R says how)."""
import gzip
import unittest
from pathlib import Path

import glshape
import numpy as np
from glshape.sklearn import MDS


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


def stress_1(layout, d, secondary, weights=None):
    """Kruskal's stress-1 in plain Python: pairs in order, adjacent violators pooled."""
    i, j = np.triu_indices(len(d), 1)
    given = d[i, j].astype(np.float32)
    own = np.linalg.norm(layout[i].astype(float) - layout[j], axis=1)
    weight = np.ones(len(i)) if weights is None else weights[i, j]
    kept = ~np.isnan(given) & (weight > 0)
    given, own, weight = given[kept], own[kept], weight[kept]
    order = np.lexsort((own, given))
    blocks = []  # sum, weight, pairs
    for k in order:
        tied = secondary and blocks and given[k] == given[blocks[-1][2][-1]]
        block = [weight[k] * own[k], weight[k], [k]]
        if tied:
            last = blocks.pop()
            block = [last[0] + block[0], last[1] + block[1], last[2] + block[2]]
        blocks.append(block)
    pooled = []
    for block in blocks:
        pooled.append(block)
        while len(pooled) > 1 and pooled[-2][0] / pooled[-2][1] >= pooled[-1][0] / pooled[-1][1]:
            last = pooled.pop()
            pooled[-1] = [pooled[-1][0] + last[0], pooled[-1][1] + last[1], pooled[-1][2] + last[2]]
    fitted = np.empty(len(own))
    for total, weights_of, pairs in pooled:
        fitted[pairs] = total / weights_of
    return np.sqrt((weight * (own - fitted) ** 2).sum() / (weight * own**2).sum())


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

    def test_ordinal(self):
        """Stress-1 is that of the layout, and not above isoMDS's and monoMDS's; on ten sets."""
        sets = [name[:-7] for name in GOLDEN if name.endswith("/isoMDS")]
        self.assertEqual(len(sets), 10)
        for name in sets:
            d = GOLDEN[f"{name}/d"]
            theirs = {"primary": ("isoMDS", "monoMDS"), "secondary": ("monoMDS secondary",)}
            for ties, programs in theirs.items():
                with self.subTest(name, ties=ties):
                    result = glshape.mds(d, metric="precomputed", method="ordinal", ties=ties)
                    self.assertAlmostEqual(result.stress, stress_1(result.layout, d, ties == "secondary"), places=5)
                    self.assertLessEqual(result.stress, min(GOLDEN[f"{name}/{p}"].item() for p in programs) + 2e-6)

    def test_ordinal_weights(self):
        """Weights and missing pairs count in stress-1; zeros are dissimilarities."""
        rng = np.random.default_rng(1)
        d = GOLDEN["mite/d"][:30, :30].copy()
        d[4, 5] = d[5, 4] = 0
        weights = rng.integers(0, 4, (30, 30)) + 0.0
        weights = np.triu(weights, 1) + np.triu(weights, 1).T
        d[2, 9:13] = d[9:13, 2] = np.nan
        for ties in ("primary", "secondary"):
            result = glshape.mds(d, metric="precomputed", method="ordinal", ties=ties, weights=weights)
            want = stress_1(result.layout, d, ties == "secondary", weights)
            self.assertAlmostEqual(result.stress, want, places=5)
            self.assertEqual(result.missing, 4)
            plain = glshape.mds(d, metric="precomputed", method="ordinal", ties=ties)
            self.assertLess(result.stress, stress_1(plain.layout, d, ties == "secondary", weights))
            near = np.linalg.norm(plain.layout[4] - plain.layout[5])
            self.assertLess(near, 0.2 * np.median(np.linalg.norm(plain.layout - plain.layout[4], axis=1)))

    def test_shepard(self):
        d = GOLDEN["mite binary/d"]
        i, j = np.triu_indices(len(d), 1)
        for method, ties in (("ordinal", "primary"), ("ordinal", "secondary"), ("classical", "primary"), ("glimmer", "primary")):
            result = glshape.mds(d, metric="precomputed", method=method, ties=ties)
            pairs = result.shepard(d)
            self.assertEqual(pairs.shape, (len(i), 3))
            np.testing.assert_allclose(pairs[:, 0], np.sort(d[i, j]), rtol=1e-6)
            own = np.linalg.norm(result.layout[i].astype(float) - result.layout[j], axis=1)
            np.testing.assert_allclose(sorted(map(tuple, pairs[:, :2])), sorted(zip(d[i, j].astype(np.float32), own)), atol=1e-6)
            if method == "ordinal":
                off = np.sqrt(((pairs[:, 1] - pairs[:, 2]) ** 2).sum() / (pairs[:, 1] ** 2).sum())
                self.assertAlmostEqual(off, result.stress, places=5)
            else:
                np.testing.assert_array_equal(pairs[:, 2], pairs[:, 0])
        holes = d.copy()
        holes[3, 5:9] = holes[5:9, 3] = np.nan
        result = glshape.mds(holes, metric="precomputed", method="ordinal")
        self.assertEqual(len(result.shepard(holes)), len(i) - 4)
        self.assertLessEqual(len(result.shepard(holes, 10)), 45)
        with self.assertRaisesRegex(ValueError, "source has 5 points, but the layout is of 70"):
            result.shepard(d[:5, :5])

    def test_ordinal_estimators(self):
        d = GOLDEN["dune/d"]
        want = glshape.mds(d, metric="precomputed", method="ordinal").stress
        for names in ({"metric": False, "dissimilarity": "precomputed"}, {"metric": "precomputed", "metric_mds": False}):
            model = MDS(random_state=0, **names).fit(d)
            self.assertAlmostEqual(model.stress_, want, places=2)
            with self.assertRaisesRegex(ValueError, "lay out all rows together"):
                model.transform(d)
        x = GOLDEN["dune/community"]
        self.assertLess(MDS(random_state=0, metric=False).fit(x).stress_, 0.2)
        self.assertLess(MDS(random_state=0, metric=True).fit(x).stress_, 0.2)

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
