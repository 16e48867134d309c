"""What all results have in common."""
from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ._library import ffi


@dataclass(repr=False, eq=False)
class Result:
    """Arrays that own their memory, and how they were made."""

    seconds: dict[str, float]  #: wall-clock time of the stages
    facts: dict[str, float]  #: what the method counted; names come and go with versions
    gpu_bytes: int  #: most texture memory in use at a time

    def __repr__(self) -> str:
        shown = []
        for field in (field for field in fields(self)[3:] if field.name[0] != "_"):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                shown.append(f"{field.name}: {' × '.join(map(str, value.shape))} {value.dtype.name}"
                             if not value.dtype.names else f"{field.name}: {len(value)}")
            elif isinstance(value, (int, float, str)):
                shown.append(f"{field.name}={value:.6g}" if isinstance(value, float) else f"{field.name}={value}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _equal(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    return a == b


class Compared:
    """Dataclasses with arrays are equal if all fields are."""

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
