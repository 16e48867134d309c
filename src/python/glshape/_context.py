"""Contexts: an open device. Errors of the library as exceptions, progress, interruption."""
from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from ._arrays import text
from ._library import ffi, lib

Progress = Union[Callable[[float], Any], Any]
_MOST_FACTS = 256


class DeviceError(RuntimeError):
    """There is no usable OpenGL 4.3 device, or its driver failed."""


_EXCEPTIONS = {
    lib.GLSHAPE_BAD_ARGUMENT: ValueError,
    lib.GLSHAPE_BAD_INPUT: ValueError,
    lib.GLSHAPE_IO_ERROR: OSError,
    lib.GLSHAPE_NO_MEMORY: MemoryError,
    lib.GLSHAPE_NO_GPU_MEMORY: MemoryError,
    lib.GLSHAPE_NO_DEVICE: DeviceError,
    lib.GLSHAPE_GPU_ERROR: DeviceError,
    lib.GLSHAPE_CANCELLED: InterruptedError,
}
_STAGES = {"auto": lib.GLSHAPE_STAGE_AUTO, "compute": lib.GLSHAPE_STAGE_COMPUTE,
           "fragment": lib.GLSHAPE_STAGE_FRAGMENT}


def choose(choices, value, what):
    """The number of a choice by its name, as the library has it."""
    if value not in choices:
        raise ValueError(f"{what} is {value!r}; it is one of {', '.join(choices)}")
    return choices[value]


def count(value, what, least=0):
    """A whole number of at least `least` that fits into an int."""
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = None
    if number is None or number != value or not least <= number < 2**31:
        raise ValueError(f"{what} is {value!r}; it is a whole number from {least} to {2**31 - 1}")
    return number


def threads_of(value):
    """-1 is all of the processors, as in scikit-learn; so is 0."""
    return 0 if isinstance(value, int) and value == -1 else count(value, "threads")


def optional(value):
    """A glshape_optional: None is left out."""
    return (False, 0.0) if value is None else (True, float(value))


def _bytes(size):
    """Bytes of 256 or '256M'."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    try:
        if isinstance(size, str):
            unit = units.get(size[-1:].upper(), 1)
            return int(size if unit == 1 else size[:-1]) * unit
        return 0 if size is None else int(size)
    except ValueError:
        raise ValueError(f"gpu_memory is {size!r}; it is bytes, as 268435456 or '256M'") from None


# The library counts rows and columns from 1.
_PLACES = re.compile(r"\b(?:rows?|columns?) \d+(?: (?:to|and) \d+)?")


def _from_0(match):
    """The same place as Python counts."""
    return re.sub(r"\d+", lambda number: str(int(number[0]) - 1), match[0])


# ---- processes -------------------------------------------------------------------------------------------


def _set_environment():
    """Tells drivers what the command tells them (src/cli/main.c)."""
    os.environ.setdefault("ZINK_INLINE_UNIFORMS", "0")
    folder = os.environ.get("GLSHAPE_CACHE", "off")
    if folder not in ("", "off"):
        os.environ.setdefault("__GL_SHADER_DISK_CACHE_PATH", folder)
        os.environ.setdefault("MESA_SHADER_CACHE_DIR", folder)


_states = weakref.WeakSet()  # of all contexts


def _after_fork():
    """In the child there is one thread, and nobody holds a lock. The default context goes on if its device was open, to
    say that this does not work; else a thread that is not here may have left a call on it."""
    global _default, _default_lock
    _default_lock = threading.Lock()
    for state in list(_states):
        state.lock = threading.RLock()
    if _default is not None and not _default.closed and lib.glshape_renderer(_default._pointer)[0] == b"\0":
        _default = None


os.register_at_fork(after_in_child=_after_fork)


# ---- calls -----------------------------------------------------------------------------------------------


class _Line:
    """A bar for where there is no tqdm: percents on a line of standard error."""

    total, n = 100, 0

    def update(self, more):
        before, self.n = int(self.n), self.n + more
        if int(self.n + 1e-9) != before:
            print(f"\r{int(self.n + 1e-9)} %", end="", file=sys.stderr, flush=True)

    def close(self):
        print(file=sys.stderr)


def _bar(kind):
    """A bar from 0 to 100 %: of a class such as tqdm, else the notebook's or the terminal's."""
    if kind is None:
        try:
            from tqdm.auto import tqdm as kind
        except ImportError:
            return _Line()
    return kind(total=100, bar_format="{l_bar}{bar}| {elapsed} < {remaining}")


class Call:
    """One call of the library. The first exception of a Python function that it calls back ends it."""

    def __init__(self, progress=None):
        self.error = None
        self.state = None
        self.precision = None  # of distances that are given: their type, if it has fewer digits than float64
        self.own = None  # a bar that is closed with the call
        if progress is True or isinstance(progress, type):
            progress = self.own = _bar(None if progress is True else progress)
        self.report = progress
        if hasattr(progress, "update"):  # tqdm's
            if progress.total is None:
                progress.total = 100
            self.report = lambda fraction: progress.update(fraction * progress.total - progress.n)

    def close(self):
        """Closes the bar that this made."""
        if self.own is not None:
            self.own.close()

    def catch(self, kind, error, traceback):
        """For cffi's onerror. A signal's handler may raise in a callback, too: Ctrl-C does."""
        if self.error is None:
            self.error = error.with_traceback(traceback)

    def callback(self, ctype, function):
        """A C function that calls a Python function, and returns whether that raised nothing."""

        def call_back(*arguments):
            with _used(self.state):
                function(*arguments)
            return self.error is None

        return ffi.callback(ctype, call_back, error=False, onerror=self.catch)


class _State:
    """What a context's progress callback needs. It does not keep the context alive."""

    def __init__(self):
        self.lock = threading.RLock()
        self.call = None
        _states.add(self)
        self.progress = ffi.callback("glshape_progress", self.go_on, error=False, onerror=self.catch)

    def go_on(self, user, fraction):
        """Python handles Ctrl-C when Python code runs: here."""
        if self.call.report:
            with _used(self):
                self.call.report(fraction)
        return self.call.error is None

    def catch(self, *error):
        if self.call:
            self.call.catch(*error)


_threads = threading.local()


@contextlib.contextmanager
def _used(state):
    """While a function of the caller runs, on whichever thread, it may not use the context that calls it."""
    outer = getattr(_threads, "used", ())
    _threads.used = outer + (state,)
    try:
        yield
    finally:
        _threads.used = outer


class Context:
    """An open device.

    Functions use one context that is opened by the first call, unless they are given another. Calls on one context
    wait for one another; calls on several contexts, from several threads, run at once.

    Parameters
    ----------
    device : int or str, optional
        A number or a part of a name from :func:`devices`. The default is the first hardware device, or the software
        renderer if there is none.
    gpu_memory : int or str, optional
        Limit of texture memory: bytes, or as ``"256M"``.
    stage : {"auto", "compute", "fragment"}
        How texel kernels run.
    when_needed : bool
        Opens the device when a call first needs it: small inputs need none. (So does the context that functions use.)

    Raises
    ------
    DeviceError
        If there is no such device.

    Examples
    --------
    >>> with glshape.Context(gpu_memory="512M") as context:
    ...     neighbors = glshape.knn([[0, 0], [1, 0], [5, 0]], 1, context=context)
    >>> neighbors.index.ravel()
    array([1, 0, 1])
    """

    def __init__(self, device: Union[int, str, None] = None, gpu_memory: Union[int, str, None] = None, *,
                 stage: str = "auto", when_needed: bool = False) -> None:
        _set_environment()
        self._options = {"device": device, "gpu_memory": gpu_memory, "stage": stage, "when_needed": when_needed}
        self._twins = []
        self._state = _State()
        self._facts = ffi.new("glshape_fact[]", _MOST_FACTS)
        name = ffi.NULL if device is None else ffi.new("char[]", str(device).encode())
        options = ffi.new("glshape_options *", {"device": name, "stage": choose(_STAGES, stage, "stage"),
                                                "gpu_memory": _bytes(gpu_memory), "when_needed": when_needed,
                                                "progress": self._state.progress})
        out = ffi.new("glshape_context **")
        status = lib.glshape_open(options, out)
        self._pointer = out[0]
        self._close = weakref.finalize(self, _close, self._pointer, self._state)
        if status:
            error = self._exception(status)
            self._close()
            raise error

    def close(self) -> None:
        """Closes the device. Results stay as they are."""
        with self._entered(None):
            for twin in self._twins:
                twin.close()
            self._close()

    @property
    def closed(self) -> bool:
        """Whether the device is closed."""
        return not self._close.alive

    @property
    def renderer(self) -> str:
        """OpenGL's name of the device; "" while it is not open."""
        with self._entered(None) as pointer:
            return text(lib.glshape_renderer(pointer))

    @property
    def is_software(self) -> bool:
        """Whether the device is a software renderer."""
        with self._entered(None) as pointer:
            return bool(lib.glshape_is_software(pointer))

    @property
    def peak_gpu_bytes(self) -> int:
        """The most texture memory in use at a time since the device was opened."""
        with self._entered(None) as pointer:
            return int(lib.glshape_peak_gpu_bytes(pointer))

    @property
    def notes(self) -> list[str]:
        """Why work that the device could have done was left to the processors."""
        with self._entered(None) as pointer:
            return text(lib.glshape_notes(pointer)).splitlines()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *exception) -> None:
        if not self.closed:
            self.close()

    def __deepcopy__(self, memo: dict) -> Context:
        """A device is shared: copies of what refers to it, as scikit-learn makes of its estimators, refer to it."""
        return self

    def __reduce__(self) -> tuple:
        """What is unpickled opens the device when it needs it, also in another process."""
        return _unpickled, ({**self._options, "when_needed": True},)

    def __repr__(self) -> str:
        return "<glshape.Context, closed>" if self.closed else f"<glshape.Context on {self.renderer}>"

    # ---- for the methods ----

    @contextlib.contextmanager
    def _entered(self, call):
        """Nobody else's call runs on this context, and callbacks belong to `call`."""
        if self._state in getattr(_threads, "used", ()):
            raise ValueError("a callback of a call may not use the context of that call; open another Context for it")
        with self._state.lock:
            if self.closed:
                raise ValueError("this context is closed")
            self._state.call = call
            if call:
                call.state = self._state
            try:
                yield self._pointer
            finally:
                self._state.call = None

    def _run(self, function, *arguments, call=None, progress=None):
        """Calls a function of the library. Returns the facts of its method; raises if it fails."""
        call = call or Call(progress)
        try:
            with self._entered(call) as pointer:
                status = function(pointer, *arguments)
                if call.error is not None:
                    raise call.error
                if status:
                    raise self._exception(status)
                count = lib.glshape_facts(pointer, self._facts, _MOST_FACTS)
                facts = {text(f.name): f.value for f in self._facts[0:count]}
            if call.report:
                call.report(1.0)
        finally:
            call.close()
        return facts

    def _others(self, count):
        """So many further contexts on the same device, which are opened once and closed with this one."""
        with self._entered(None):
            while len(self._twins) < count:
                self._twins.append(Context(**self._options))
            return self._twins[:count]

    def _exception(self, status):
        sentence = text(lib.glshape_last_error(self._pointer)) if self._pointer else ""
        sentence = _PLACES.sub(_from_0, sentence)
        return _EXCEPTIONS[status](sentence or text(lib.glshape_status_text(status)))


def _unpickled(options):
    return Context(**options)


def _close(pointer, state):
    """Not while a thread that the interpreter does not wait for is in a call."""
    if state.lock.acquire(blocking=False):
        lib.glshape_close(pointer)
        state.lock.release()


_default = None
_default_lock = threading.Lock()


def default() -> Context:
    """The context that calls without one share; opened by the first of them."""
    global _default
    with _default_lock:
        if _default is None or _default.closed:
            _default = Context(when_needed=True)
        return _default


# ---- devices ---------------------------------------------------------------------------------------------


@dataclass
class Device:
    """A GPU of this machine, as :func:`devices` lists them."""

    renderer: str  #: OpenGL's name of it; "" if it is not usable
    vendor: str
    version: str
    usable: bool
    why: str  #: why it is not usable
    software: bool  #: it runs on the CPU
    limits: dict[str, int]  #: what it allows
    two_sum: bool  #: the self-test: sums of two numbers and their rounding errors are exact
    two_product: bool
    multi_limb: bool
    doubles: bool
    keeps_programs: bool  #: its driver hands out linked programs, which are kept on disk
    copy_rate: tuple[float, float]  #: bytes a second, of the compute and of the fragment stage; 0: not measured
    fetch_rate: tuple[float, float]
    double_times: float  #: how many times as long as floats doubles take; 0: not measured
    slow_doubles: bool  #: too long, or emulated: processors do the work of exact programs
    left: str  #: programs whose work processors do, as its driver compiles them too slowly or wrongly


def _python(value):
    """A field of a C struct as Python has it."""
    if not isinstance(value, ffi.CData):
        return value
    kind = ffi.typeof(value)
    if kind.kind == "array":
        return text(value) if kind.item.cname == "char" else tuple(value)
    return {name: _python(getattr(value, name)) for name, _ in kind.fields}


def devices(measure: bool = False) -> list[Device]:
    """Lists the GPUs of this machine.

    Parameters
    ----------
    measure : bool
        Also measures how fast they are, about a second each.

    Returns
    -------
    list of Device
        In EGL's order, which is what ``Context(device=…)`` counts by.

    Examples
    --------
    >>> any(device.usable for device in glshape.devices())
    True
    """
    _set_environment()
    most = 64
    out, found = ffi.new("glshape_device[]", most), ffi.new("int *")
    status = lib.glshape_devices(out, most, found, measure)
    if status == lib.GLSHAPE_NO_DEVICE:
        Context().close()  # raises, with the reason
    if status:
        raise _EXCEPTIONS[status](text(lib.glshape_status_text(status)))
    return [Device(**_python(out[k])) for k in range(min(most, found[0]))]
