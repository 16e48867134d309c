"""Builds wheels and sdists for pip (PEP 517, PEP 660), with nothing but Python, make and a C compiler: the library and the command
are built by the checkout's Makefile and go into the wheel, with glshape.h. They link libepoxy, libpng, GMP and the driver dynamically.

`make wheel` calls this file to make a wheel that carries the first three of these, `make install` for the .dist-info."""
import base64
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
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
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.10
Requires-Dist: cffi
Requires-Dist: numpy
Provides-Extra: all
Requires-Dist: scipy; extra == "all"
Requires-Dist: scikit-learn; extra == "all"
Requires-Dist: matplotlib; extra == "all"
Description-Content-Type: text/markdown

{readme}"""
# What is needed to build: how it is looked for; its packages in Debian, Fedora, Arch and conda-forge.
NEEDED = (
    ("a C compiler, cc", "cc", "gcc libc6-dev", "gcc glibc-devel", "gcc", "c-compiler"),
    ("make", "make", "make", "make", "make", "make"),
    ("pkg-config", "pkg-config", "pkg-config", "pkgconf-pkg-config", "pkgconf", "pkg-config"),
    ("libepoxy's headers", "epoxy", "libepoxy-dev", "libepoxy-devel", "libepoxy", "libepoxy"),
    ("EGL's headers", "egl", "libegl-dev", "libglvnd-devel", "libglvnd", "libegl-devel"),
    ("libpng's headers", "libpng", "libpng-dev", "libpng-devel", "libpng", "libpng"),
    ("zlib's headers", "zlib", "zlib1g-dev", "zlib-devel", "zlib", "zlib"),
    ("GMP's headers", "gmp", "libgmp-dev", "gmp-devel", "gmp", "gmp"),
)
SYSTEMS = ("Debian, Ubuntu: apt-get install", "Fedora: dnf install", "Arch: pacman -S", "conda: conda install -c conda-forge")
SOURCES = ("CHANGELOG.md", "LICENSE", "Makefile", "README.md", "glsl", "include", "src", "tools")


def _version():
    header = ROOT / "include" / "glshape.h"
    if not header.is_file():
        raise SystemExit(f"{header} is not there: the package is built in a checkout, as `pip install ./src/python`")
    return re.search(r'GLSHAPE_VERSION "(.*)"', header.read_text(encoding="utf-8")).group(1)


# ---- what is needed --------------------------------------------------------------------------------------


def _has(how):
    """Whether there is a program, or what pkg-config knows; without that all headers are named."""
    if how in ("cc", "make", "pkg-config"):
        return shutil.which(os.environ.get("CC", "cc") if how == "cc" else how) is not None
    return shutil.which("pkg-config") is not None and subprocess.run(["pkg-config", "--exists", how], check=False).returncode == 0


def _check_system():
    """Says what is missing, and how each system names it, before anything is built."""
    if sys.platform != "linux":
        raise SystemExit(f"glshape runs on Linux only, not on {sys.platform}: it needs EGL and OpenGL 4.3")
    missing = [needed for needed in NEEDED if not _has(needed[1])]
    if missing:
        lines = [f"    {system} {' '.join(needed[2 + k] for needed in missing)}" for k, system in enumerate(SYSTEMS)]
        raise SystemExit(f"To build glshape, these are missing: {', '.join(needed[0] for needed in missing)}. Install them:\n"
                         + "\n".join(lines))


def _build(version):
    """Makes the library and the command; returns their paths."""
    name = f"libglshape.so.{version.split('.')[0]}"
    _check_system()
    jobs = f"-j{len(os.sched_getaffinity(0))}"
    subprocess.run(["make", "-C", ROOT, jobs, f"build/{name}", "build/glshape"], check=True)
    return ROOT / "build" / name, ROOT / "build" / "glshape"


# ---- wheels ----------------------------------------------------------------------------------------------


def _tag():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _info(version, tag):
    """What is in the folder .dist-info of a wheel, but for the list of files: {name: bytes}."""
    info = f"glshape-{version}.dist-info"
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    metadata = METADATA.format(version=version, summary=SUMMARY, readme=readme)
    return {f"{info}/METADATA": metadata.encode(), f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: glshape\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode()}


def _package():
    """The package's own files."""
    files = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sorted((HERE / "glshape").rglob("*.py"))}
    files["glshape/py.typed"] = (HERE / "glshape" / "py.typed").read_bytes()
    return files


def _write(folder, version, tag, files):
    name, info = f"glshape-{version}-py3-none-{tag}.whl", f"glshape-{version}.dist-info"
    record = []
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in {**files, **_info(version, tag)}.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
        wheel.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return name


def _command(version, content):
    """What pip puts beside its interpreter's other commands."""
    return {f"glshape-{version}.data/scripts/glshape": content}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    library, command = _build(version)
    files = {**_package(), "glshape/glshape.h": (ROOT / "include" / "glshape.h").read_bytes(),
             f"glshape/{library.name}": library.read_bytes(), **_command(version, command.read_bytes())}
    return _write(wheel_directory, version, _tag(), files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that names the checkout's folder; the library and the command are those of the checkout's build."""
    version = _version()
    _, command = _build(version)
    script = f'#!/bin/sh\nexec {shlex.quote(str(command))} "$@"\n'
    return _write(wheel_directory, version, _tag(), {"glshape.pth": f"{HERE}\n".encode(), **_command(version, script.encode())})


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """At once: without this, pip builds the library to learn the package's name."""
    version = _version()
    for name, content in _info(version, _tag()).items():
        path = Path(metadata_directory) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return f"glshape-{version}.dist-info"


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


# ---- sources ---------------------------------------------------------------------------------------------


def _source_files():
    for name in SOURCES:
        path = ROOT / name
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in inside if file.is_file() and "__pycache__" not in file.parts)


def build_sdist(sdist_directory, config_settings=None):
    version = _version()
    base = f"glshape-{version}"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in _source_files():
            archive.add(path, f"{base}/{path.relative_to(ROOT).as_posix()}", recursive=False)
        metadata = _info(version, _tag())[f"{base}.dist-info/METADATA"]
        project = (HERE / "pyproject.toml").read_text(encoding="utf-8").replace('["."]', '["src/python"]').encode()
        for name, content in (("PKG-INFO", metadata), ("pyproject.toml", project)):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return f"{base}.tar.gz"


# ---- make wheel: a wheel that carries its libraries ------------------------------------------------------

# What a wheel may link that it does not carry, of the policy manylinux (PEP 600), as far as glshape does.
ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libz.so.1", "libGL.so.1",
           "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
CARRIED = ("libepoxy.so.0", "libpng16.so.16", "libgmp.so.10")


def _said_by(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _needs(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", _said_by("readelf", "-d", str(path)))


def _glibc(path):
    """The youngest glibc that a library asks for."""
    versions = re.findall(r"\(?GLIBC_(\d+)\.(\d+)", _said_by("objdump", "-T", str(path)))
    return max((int(major), int(minor)) for major, minor in versions)


def _found(name, library):
    """Where the loader finds what a library needs."""
    return Path(re.search(rf"{re.escape(name)} => (\S+)", _said_by("ldd", str(library)))[1])


def _notices():
    """Licenses of what is carried, as Debian keeps them."""
    out = {}
    for name in ("libepoxy0", "libpng16-16", "libgmp10"):
        path = Path("/usr/share/doc") / name / "copyright"
        if not path.is_file():
            raise SystemExit(f"{path} is not there: a wheel has the licenses of what it carries; make it on Debian")
        out[f"glshape/licenses/{name}"] = path.read_bytes()
    return out


def carrying_wheel(target, library, command):
    """A wheel with libepoxy, libpng and GMP beside `library`, and in lib/glshape beside the folder of `command`: each finds them there,
    because no path leads from the one to the other on all systems. It never carries a driver."""
    version, library, command = _version(), Path(library), Path(command)
    carried = {name: _found(name, library) for name in CARRIED}
    glibc = (2, 17)
    for path in (library, command, *carried.values()):
        strange = set(_needs(path)) - ALLOWED - set(CARRIED)
        if strange:
            raise SystemExit(f"{path} links {', '.join(sorted(strange))}, which a wheel may neither carry nor expect")
        glibc = max(glibc, _glibc(path))
    files = {**_package(), **_notices(), "glshape/glshape.h": (ROOT / "include" / "glshape.h").read_bytes(),
             f"glshape/{library.name}": library.read_bytes(),
             **_command(version, command.read_bytes()),
             **{f"{folder}/{name}": path.read_bytes() for name, path in carried.items()
                for folder in ("glshape", f"glshape-{version}.data/data/lib/glshape")}}
    return _write(target, version, f"manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}", files)


def installed_info(folder):
    """For `make install`: the folder .dist-info, by which pip and importlib.metadata know the package."""
    info = Path(folder) / prepare_metadata_for_build_wheel(folder)
    (info / "INSTALLER").write_text("make\n", encoding="ascii")
    listed = [path for part in (info, Path(folder) / "glshape") for path in sorted(part.rglob("*")) if path.is_file()]
    lines = [f"{path.relative_to(folder).as_posix()},,\n" for path in listed]
    (info / "RECORD").write_text("".join(lines) + f"{info.name}/RECORD,,\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "wheel":
        print(Path(sys.argv[2]) / carrying_wheel(*sys.argv[2:]))
    else:
        installed_info(sys.argv[2])
