"""What all results have in common."""
from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from ._library import ffi


_FIELD = re.compile(r"^    ([a-z]\w*): ([^#\n]+?)(?: = [^#\n]+?)?(?:  #: (.*))?$", re.M)


@functools.lru_cache(maxsize=None)
def _classes(path):
    """The body of each class of a module, as text."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError:  # there is no source
        return {}
    return dict(re.findall(r"^class (\w+)[^\n]*\n(.*?)(?=^\S|\Z)", text, re.M | re.S))


def documented(cls):
    """Adds the fields to the docstring of a dataclass, from the comments `#:` beside them: help() shows them, too."""
    body = _classes(getattr(sys.modules[cls.__module__], "__file__", "")).get(cls.__name__, "")
    lines = [f"{name} : {kind}" + (f"\n        {words}" if words else "")
             for name, kind, words in _FIELD.findall(body.split("\n    def ")[0].split("\n    @")[0])]
    if lines and cls.__doc__:
        cls.__doc__ += "\n\n    Attributes\n    ----------\n    " + "\n    ".join(lines)
    return cls


def _shown(values):
    """Fields on one line; arrays by their shape."""
    for name, value in values:
        if isinstance(value, np.ndarray) and value.dtype.names:
            yield f"{name}: {len(value)}"
        elif isinstance(value, np.ndarray):
            yield f"{name}: {' × '.join(map(str, value.shape))} {value.dtype.name}"
        elif isinstance(value, float):
            yield f"{name}={value:.6g}"
        elif isinstance(value, (int, str)):
            yield f"{name}={value}"
        elif isinstance(value, list):
            yield f"{name}: {len(value)}"


def _line(self, skipped=0):
    values = [(field.name, getattr(self, field.name)) for field in fields(self)[skipped:] if field.name[0] != "_"]
    return f"{type(self).__name__}({', '.join(_shown(values))})"


@dataclass(repr=False, eq=False)
class Result:
    """Arrays that own their memory, and how they were made."""

    seconds: dict[str, float]  #: wall-clock time of the stages
    facts: dict[str, float]  #: what the method counted; names come and go with versions
    gpu_bytes: int  #: most texture memory in use at a time

    def __init_subclass__(cls) -> None:
        documented(cls)

    def __repr__(self) -> str:
        return _line(self, 3)


def _equal(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    return a == b


class Compared:
    """Dataclasses with arrays are equal if all fields are."""

    def __init_subclass__(cls) -> None:
        documented(cls)

    def __repr__(self) -> str:
        return _line(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    __hash__ = None


def common(result, facts):
    """The fields of Result from a C result."""
    seconds = getattr(result, "seconds", 0.0)
    if isinstance(seconds, ffi.CData):
        seconds = {name: getattr(seconds, name) for name, _ in ffi.typeof(seconds).fields}
    else:
        seconds = {"all": seconds}
    return {"seconds": seconds, "facts": facts, "gpu_bytes": int(getattr(result, "gpu_bytes", 0))}
