"""Builds the wheel for pip (PEP 517), with nothing but Python, make and a C compiler: the library is built by the
checkout's Makefile and goes into the wheel, with glshape.h. It links libepoxy, libpng, GMP and the driver dynamically."""
import base64
import hashlib
import re
import subprocess
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUMMARY = "The shape of data on any GPU with OpenGL 4.3: layouts, neighbors, clusters, barcodes, merge trees"
METADATA = """Metadata-Version: 2.1
Name: glshape
Version: {version}
Summary: {summary}
License: MIT
Requires-Python: >=3.10
Requires-Dist: cffi
Requires-Dist: numpy
Provides-Extra: all
Requires-Dist: scipy; extra == "all"
Requires-Dist: scikit-learn; extra == "all"
Requires-Dist: matplotlib; extra == "all"
Description-Content-Type: text/markdown

{readme}"""


def _version():
    header = ROOT / "include" / "glshape.h"
    if not header.is_file():
        raise SystemExit(f"{header} is not there: the package is built in a checkout, as `pip install ./src/python`")
    return re.search(r'GLSHAPE_VERSION "(.*)"', header.read_text(encoding="utf-8")).group(1)


def _library(version):
    name = f"libglshape.so.{version.split('.')[0]}"
    subprocess.run(["make", "-C", ROOT, f"build/{name}"], check=True)
    return ROOT / "build" / name


def _files(version):
    """What is in the wheel: {name: bytes}."""
    info = f"glshape-{version}.dist-info"
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    files = {f"glshape/{path.name}": path.read_bytes()
             for path in [*sorted((HERE / "glshape").glob("*.py")), HERE / "glshape" / "py.typed",
                          ROOT / "include" / "glshape.h", _library(version)]}
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    metadata = METADATA.format(version=version, summary=SUMMARY, readme=readme)
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: glshape\nRoot-Is-Purelib: false\n"
                              f"Tag: py3-none-{tag}\n").encode()
    return files, info, tag


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    files, info, tag = _files(version)
    name = f"glshape-{version}-py3-none-{tag}.whl"
    record = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")
            wheel.writestr(path, content)
        wheel.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return name
