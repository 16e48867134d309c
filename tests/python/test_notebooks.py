"""ripser.py's notebooks with glshape in its place, beside what ripser.py found (golden/make_notebooks.py); its class,
its warnings, and its pictures."""
import unittest
import warnings
from pathlib import Path

import glshape
import notebooks
import numpy as np

try:
    import matplotlib
    matplotlib.use("agg")
except ImportError:
    matplotlib = None


class Notebooks(unittest.TestCase):
    golden = np.load(Path(__file__).parent / "golden" / "notebooks.npz")

    def test_same(self):
        given = {name[6:]: self.golden[name] for name in self.golden.files if name.startswith("input/")}
        compared = 0
        for notebook in notebooks.NOTEBOOKS:
            for name, found in notebook(glshape, given).items():
                expected = self.golden[f"{notebook.__name__}/{name}"]
                with self.subTest(f"{notebook.__name__}: {name}"):
                    self.assertEqual(np.shape(found), expected.shape)
                    if "exact" in name:
                        np.testing.assert_array_equal(found, expected)
                    elif expected.ndim == 2:  # scikit-learn's distances, which ripser.py takes, are rounded otherwise
                        np.testing.assert_allclose(notebooks.in_order(np.float32(found)),
                                                   notebooks.in_order(np.float32(expected)), rtol=1e-5, atol=2e-6)
                    else:
                        np.testing.assert_allclose(found, expected, rtol=1e-6)
                    compared += 1
        self.assertGreater(compared, 45)

    def test_two_fields_differ(self):
        """A Möbius strip's longest bar is shorter modulo 3, and another begins where it ends."""
        long = [np.sort(self.golden[f"moebius/Z{p} H1"] @ [-1, 1])[-2:] for p in (2, 3)]
        self.assertGreater(abs(long[0] - long[1]).max(), 0.1)


class Rips(unittest.TestCase):
    def test_class(self):
        x = notebooks.inputs()["basic"]
        model = glshape.Rips(maxdim=1, coeff=3, do_cocycles=True)
        for a, b in zip(model.fit_transform(x), glshape.ripser(x, coeff=3)["dgms"]):
            np.testing.assert_array_equal(a, b)
        d = np.linalg.norm(x[:, None] - x, axis=-1)
        for a, b in zip(model.fit_transform(d, distance_matrix=True), model.transform(d, True)):
            np.testing.assert_array_equal(a, b)
        self.assertEqual(len(model.cocycles_[1]), len(model.dgms_[1]))
        self.assertEqual((model.idx_perm_.tolist(), model.r_cover_, model.dperm2all_.shape), (list(range(60)), 0, (60, 60)))
        self.assertRaisesRegex(ValueError, "'dim' is no parameter", model.set_params, dim=3)

    def test_scikit_learn(self):
        import sklearn.base
        import sklearn.pipeline

        x = notebooks.inputs()["basic"]
        pipeline = sklearn.pipeline.make_pipeline(sklearn.base.clone(glshape.Rips(2)))
        self.assertEqual(len(pipeline.fit_transform(x[:30])), 3)
        self.assertEqual(len(pipeline.set_params(rips__maxdim=0).transform(x)), 1)

    def test_warnings(self):
        with self.assertWarnsRegex(UserWarning, "is square: .* distance_matrix=True"):
            glshape.ripser(np.eye(4))
        with self.assertWarnsRegex(UserWarning, "more columns than rows"):
            glshape.ripser(np.eye(2, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            glshape.ripser(1 - np.eye(4), distance_matrix=True)
            glshape.ripser(np.eye(4, 2))

    def test_correlations(self):
        c = np.array([[1.0, 0.4, -0.2], [0.4, 1.0, 0.1], [-0.2, 0.1, 1.0]])
        d = glshape.correlation_to_distance(c)
        np.testing.assert_allclose(d**2, 2 * (1 - c), atol=1e-15)
        for words, wrong in {"square": c[:2], "symmetric": np.triu(c), "from -1 to 1": 3 * c}.items():
            self.assertRaisesRegex(ValueError, words, glshape.correlation_to_distance, wrong)
        with self.assertWarnsRegex(RuntimeWarning, "are cut"):
            glshape.correlation_to_distance(c * [[1.01]])
        with self.assertWarnsRegex(RuntimeWarning, "the diagonal"):
            glshape.correlation_to_distance(c * 0.9)
        self.assertRaisesRegex(ValueError, "2", glshape.lower_star_img, np.zeros((2, 2, 2)))

    @unittest.skipIf(matplotlib is None, "matplotlib is not installed")
    def test_pictures(self):
        import matplotlib.pyplot as pyplot

        model = glshape.Rips()
        diagrams = model.fit_transform(notebooks.inputs()["basic"])
        for options, marks, words in (({}, 2, "Death"), ({"plot_only": [1]}, 1, "Death"), ({"lifetime": True}, 2, "Lifetime"),
                                      ({"labels": ["a", "b"], "title": "t", "xy_range": [-2, 10, -1, 20]}, 2, "Death")):
            ax = glshape.plot_diagrams(diagrams, ax=pyplot.figure().gca(), **options)
            self.assertEqual((len(ax.collections), ax.get_ylabel()), (marks, words))
            if "xy_range" in options:
                self.assertEqual((*ax.get_xlim(), *ax.get_ylim(), ax.get_title()), (-2, 10, -1, 20, "t"))
                self.assertIn("a", [text.get_text() for text in ax.get_legend().get_texts()])
        self.assertTrue(model.plot(legend=False, ax=pyplot.figure().gca()))
        pyplot.close("all")


if __name__ == "__main__":
    unittest.main()
