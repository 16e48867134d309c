"""The backend that pip calls: metadata at once, editable installs, sdists, and what is missing."""
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import unittest.mock
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load(path):
    spec = importlib.util.spec_from_file_location("backend", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BACKEND = load(ROOT / "src" / "python" / "backend.py")


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def without_building(self):
        """The library and the command, which the tests were given."""
        built = Path(os.environ["GLSHAPE_LIBRARY"]), Path(os.environ["GLSHAPE"]).resolve()
        return unittest.mock.patch.object(BACKEND, "_build", lambda version: built)

    def test_metadata_at_once(self):
        start = time.monotonic()
        with unittest.mock.patch.object(BACKEND, "_build", side_effect=AssertionError("it builds")):
            name = BACKEND.prepare_metadata_for_build_wheel(self.folder)
        self.assertLess(time.monotonic() - start, 2)
        text = (self.folder / name / "METADATA").read_text(encoding="utf-8")
        for line in ("Name: glshape", f"Version: {BACKEND._version()}", "Requires-Dist: numpy", "POSIX :: Linux"):
            self.assertIn(line, text)

    def test_wheel(self):
        with self.without_building():
            name = BACKEND.build_wheel(self.folder)
        with zipfile.ZipFile(self.folder / name) as wheel:
            names = set(wheel.namelist())
            info, = {name.split("/")[0] for name in names if ".dist-info/" in name}
            listed = {line.split(",")[0] for line in wheel.read(f"{info}/RECORD").decode().splitlines()}
            command = wheel.getinfo(f"glshape-{BACKEND._version()}.data/scripts/glshape")
            self.assertEqual(wheel.read(command), Path(os.environ["GLSHAPE"]).read_bytes())
        self.assertEqual(command.external_attr >> 16, 0o100755)
        self.assertEqual(names, listed)
        sources = {path.relative_to(ROOT / "src" / "python").as_posix()
                   for path in (ROOT / "src" / "python" / "glshape").rglob("*.py")}
        self.assertLessEqual(sources | {"glshape/py.typed", "glshape/glshape.h"}, names)
        self.assertIn("glshape/compat/hdbscan.py", names)

    def test_editable(self):
        with self.without_building():
            name = BACKEND.build_editable(self.folder)
        with zipfile.ZipFile(self.folder / name) as wheel:
            self.assertEqual(wheel.read("glshape.pth").decode(), f"{ROOT / 'src' / 'python'}\n")
            script = self.folder / "glshape"
            script.write_bytes(wheel.read(f"glshape-{BACKEND._version()}.data/scripts/glshape"))
        said = subprocess.run(["sh", script, "--version"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(said.split()[:2], ["glshape", BACKEND._version()])
        self.assertEqual(BACKEND.prepare_metadata_for_build_editable(self.folder), f"glshape-{BACKEND._version()}.dist-info")

    def test_sdist(self):
        """It has all that make needs to say how the library is built, and a backend that finds it there."""
        name = BACKEND.build_sdist(self.folder)
        with tarfile.open(self.folder / name) as archive:
            archive.extractall(self.folder)
        base = self.folder / name[:-len(".tar.gz")]
        self.assertTrue((base / "PKG-INFO").read_text(encoding="utf-8").startswith("Metadata-Version"))
        self.assertIn('backend-path = ["src/python"]', (base / "pyproject.toml").read_text(encoding="utf-8"))
        backend = load(base / "src" / "python" / "backend.py")
        self.assertEqual(backend._version(), BACKEND._version())
        target = f"build/libglshape.so.{BACKEND._version().split('.')[0]}"
        done = subprocess.run(["make", "-n", target], cwd=base, capture_output=True, text=True, env={
            name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(list(base.rglob("*.pyc")))

    def test_pip_in_the_root_and_in_the_folder(self):
        for folder, path in ((ROOT, "src/python"), (ROOT / "src" / "python", ".")):
            self.assertIn(f'backend-path = ["{path}"]', (folder / "pyproject.toml").read_text(encoding="utf-8"))

    def test_what_is_missing(self):
        """Packages are named as systems name them, before anything is built."""
        with unittest.mock.patch.dict(os.environ, {"PKG_CONFIG_LIBDIR": "/nonexistent", "PKG_CONFIG_PATH": ""}):
            with self.assertRaises(SystemExit) as raised:
                BACKEND._build(BACKEND._version())
        for words in ("libepoxy's headers", "apt-get install libepoxy-dev libegl-dev libpng-dev zlib1g-dev libgmp-dev",
                      "dnf install libepoxy-devel", "pacman -S libepoxy", "conda-forge libepoxy"):
            self.assertIn(words, str(raised.exception))
        with unittest.mock.patch.dict(os.environ, {"CC": "no-compiler"}), self.assertRaisesRegex(SystemExit, "(?s)compiler.*gcc"):
            BACKEND._check_system()
        with unittest.mock.patch.object(sys, "platform", "darwin"), self.assertRaisesRegex(SystemExit, "Linux only"):
            BACKEND._check_system()

    def test_what_a_wheel_may_link(self):
        library = Path(os.environ["GLSHAPE_LIBRARY"])
        strange = set(BACKEND._needs(library)) - BACKEND.ALLOWED - set(BACKEND.CARRIED)
        self.assertEqual(strange - {"libasan.so.8", "libubsan.so.1", "libtsan.so.2"}, set())
        with unittest.mock.patch.object(BACKEND, "CARRIED", ()), self.assertRaisesRegex(SystemExit, "libepoxy.so.0"):
            BACKEND.carrying_wheel(self.folder, library, os.environ["GLSHAPE"])


if __name__ == "__main__":
    unittest.main()
