"""Distances between diagrams: beside GUDHI's, where it is installed, beside the command's, and what is refused."""
import os
import subprocess
import tempfile
import unittest

import numpy as np

import glshape

try:
    import gudhi
except ImportError:
    gudhi = None


def diagrams(count):
    rng = np.random.default_rng(4)
    return [np.c_[b := rng.random(k % 9), b + rng.random(k % 9)] for k in range(count)]


class Compare(unittest.TestCase):
    @unittest.skipUnless(gudhi, "GUDHI is not installed")
    def test_bottleneck(self):
        d = diagrams(12)
        got = glshape.compare(d, metric="bottleneck").distance
        want = [[gudhi.bottleneck_distance(a, b) for b in d] for a in d]
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-12)

    @unittest.skipUnless(gudhi, "GUDHI is not installed")
    def test_wasserstein(self):
        import gudhi.hera
        d = diagrams(12)
        for order, norm in ((1, np.inf), (2, 2), (3, 1.5)):
            got = glshape.compare(d, metric="wasserstein", order=order, internal_p=norm, tolerance=0)
            want = [[gudhi.hera.wasserstein_distance(a, b, order=order, internal_p=norm, delta=1e-9) for b in d] for a in d]
            np.testing.assert_allclose(got.distance, want, rtol=1e-6, atol=1e-12)
            self.assertEqual(got.gap, 0)

    def test_of_vectors(self):
        d = diagrams(9)
        for metric, options in (("image", {"bandwidth": 0.2, "resolution": (5, 4)}), ("landscape", {"landscapes": 2})):
            x = glshape.vectors(d, metric, **options).values.astype(float)
            want = np.sqrt(((x[:, None] - x) ** 2).sum(2))
            np.testing.assert_allclose(glshape.compare(d, metric=metric, vectors=options).distance, want, rtol=1e-6)

    def test_slices(self):
        d = diagrams(7)
        angles = np.linspace(-np.pi / 2, np.pi / 2, 21)[:-1]
        lines = np.array([np.cos(angles), np.sin(angles)])

        def sliced(a, b):
            on = [p.sum(1)[:, None] / 2 * lines.sum(0) for p in (a, b)]
            return np.abs(np.sort(np.r_[a @ lines, on[1]], 0) - np.sort(np.r_[b @ lines, on[0]], 0)).sum(0).mean()

        got = glshape.compare(d, directions=20).distance
        np.testing.assert_allclose(got, [[sliced(a, b) for b in d] for a in d], rtol=1e-5, atol=1e-6)

    def test_errors(self):
        d = diagrams(7)
        angles = np.linspace(-np.pi / 2, np.pi / 2, 21)[:-1]
        lines = np.array([np.cos(angles), np.sin(angles)])

        def error(a, b):
            on = [p.sum(1)[:, None] / 2 * lines.sum(0) for p in (a, b)]
            return np.abs(np.sort(np.r_[a @ lines, on[1]], 0) - np.sort(np.r_[b @ lines, on[0]], 0)).sum(0).std(ddof=1)

        got = glshape.compare(d, directions=20, errors=True)
        want = np.array([[error(a, b) for b in d] for a in d]) / np.sqrt(20)
        np.testing.assert_allclose(got.error, want, rtol=1e-5, atol=1e-6)
        self.assertEqual(got.largest_error, got.error.max())
        self.assertIsNone(glshape.compare(d).error)
        for options in ({"metric": "bottleneck"}, {"directions": 1}):
            with self.assertRaisesRegex(ValueError, "errors go with metric='sliced-wasserstein' and two directions"):
                glshape.compare(d, errors=True, **options)

    def test_more(self):
        d, e = diagrams(7), diagrams(9)[2:]
        for metric in ("sliced-wasserstein", "bottleneck", "landscape"):
            want = glshape.compare(d, metric=metric).distance + glshape.compare(e, metric=metric).distance
            np.testing.assert_array_equal(glshape.compare(d, metric=metric, more=[e]).distance, want)
        with self.assertRaisesRegex(ValueError, "7 diagrams, and 9 of another dimension"):
            glshape.compare(d, more=[diagrams(9)])

    def test_command(self):
        d = diagrams(5)[1:]
        with tempfile.TemporaryDirectory() as folder:
            for k, pairs in enumerate(d):
                np.save(f"{folder}/{k}.npy", pairs)
            out = f"{folder}.npy"
            subprocess.run([os.environ["GLSHAPE"], "compare", folder, "-q", "-o", out], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            np.testing.assert_array_equal(np.load(out), glshape.compare(d).distance)
            os.remove(out)

    def test_endless(self):
        a, b, c = [[0, np.inf], [0, 1]], [[0.5, np.inf], [0, 1]], [[0, 1]]
        for metric in ("bottleneck", "sliced-wasserstein", "wasserstein"):
            np.testing.assert_allclose(glshape.compare([a, b, c], metric=metric).distance,
                                       [[0, 0.5, np.inf], [0.5, 0, np.inf], [np.inf, np.inf, 0]])

    def test_refusals(self):
        for call, words in ((lambda: glshape.compare([[1, 2, 3]]), "diagram 1 has shape"),
                            (lambda: glshape.compare([[[0, 1]]], order=2), "go with metric='wasserstein'"),
                            (lambda: glshape.compare([[[0, 1]]], vectors={"bandwidth": 1}), "vectors go with metric='image'"),
                            (lambda: glshape.compare([[[0, 1]]], metric="wasserstein", order=0.5), "order is 0.5"),
                            (lambda: glshape.compare([]), "0 diagrams"),
                            (lambda: glshape.compare([[[np.nan, 1]]]), "diagram 1, pair 1: birth nan"),
                            (lambda: glshape.compare([[]], metric="x"), "metric"),
                            (lambda: glshape.compare([[]], metric="bottleneck", directions=3), "directions go with")):
            with self.assertRaisesRegex(ValueError, words):
                call()


if __name__ == "__main__":
    unittest.main()
