"""Finds and opens the library, and reads its declarations from glshape.h."""
import os
from pathlib import Path

import cffi

from . import _header

_HERE = Path(__file__).resolve().parent


def _candidates(*names):
    """The places of a file, the nearest first: inside the package (a wheel), then under the folders around it: those
    of an installation (PREFIX/lib/python3/…/glshape) and of a checkout (src/python/glshape)."""
    yield _HERE / names[0].rsplit("/", 1)[-1]
    for folder in list(_HERE.parents)[:5]:
        for name in names:
            yield folder / name


def _find(*names):
    return next((str(path) for path in _candidates(*names) if path.is_file()), None)


def _read_header():
    path = os.environ.get("GLSHAPE_HEADER") or _find("include/glshape.h")
    if not path:
        raise ImportError(f"glshape.h is not beside {_HERE}; install glshape, or name the file in GLSHAPE_HEADER")
    return _header.read(Path(path).read_text(encoding="utf-8"))


def _open(ffi, version):
    soname = f"libglshape.so.{version.split('.')[0]}"
    path = os.environ.get("GLSHAPE_LIBRARY") or _find(f"lib/{soname}", f"build/{soname}") or soname
    try:
        library = ffi.dlopen(path)
        found = ffi.string(library.glshape_version()).decode()
    except (OSError, AttributeError) as error:
        raise ImportError(f"the library cannot be opened: {error}; install glshape, build it with `make`, or name "
                          "the file in GLSHAPE_LIBRARY") from error
    if found != version:
        raise ImportError(f"{path} is version {found}, but glshape.h is {version}: they have to be installed together")
    return library


header = _read_header()
VERSION = header.texts["GLSHAPE_VERSION"]
ffi = cffi.FFI()
ffi.cdef(header.declarations)
lib = _open(ffi, VERSION)
