"""NumPy arrays to the library's structs and back, without copies where the types allow it."""
import functools
import math
import sys
import weakref
from numbers import Number

import numpy as np

from ._library import ffi, header, lib

_TYPES = {np.dtype(code): getattr(lib, name) for name, _, code in header.tables["GLSHAPE_TYPES"]}
_WIDER = {np.dtype(bool): np.uint8, np.dtype(np.float16): np.float32}
_WHOLE = 2.0**53  # float64 has every whole number up to here
_kept = weakref.WeakKeyDictionary()


def new(ctype, *initializer, keep=()):
    """ffi.new, whose result keeps alive what its pointers lead to."""
    struct = ffi.new(ctype, *initializer)
    _kept[struct] = keep
    return struct


# ---- in ------------------------------------------------------------------------------------------------


def _refuse_inexact(what, array, wrong):
    """Refuses the first value that float64 does not hold."""
    at = tuple(map(int, np.argwhere(wrong)[0]))
    raise ValueError(f"{what}: value {list(at)} is {array[at]!s:.40}, which float64 does not hold exactly; subtract an offset "
                     "first, or let astype(np.float64) round it")


def _number(value, what):
    """A Python number; None and pandas' NA are NaN."""
    if value is None or value is getattr(sys.modules.get("pandas"), "NA", None):
        return math.nan
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, Number) or isinstance(value, (complex, np.complexfloating)):
        raise ValueError(f"{what}: an array of object, one of which is {value!r:.60}; they are numbers")
    return value


def _float(number):
    """The nearest float64; NaN if it is beyond them."""
    try:
        return float(number)
    except OverflowError:
        return math.nan


def _of_objects(array, what):
    """Objects as int64, uint64 or float64, whichever holds all of them exactly."""
    given = [_number(value, what) for value in array.ravel().tolist()]
    if given and all(isinstance(value, int) for value in given):
        for dtype in (np.int64, np.uint64):
            if np.iinfo(dtype).min <= min(given) and max(given) <= np.iinfo(dtype).max:
                return np.array(given, dtype).reshape(array.shape)
    out = [_float(value) for value in given]
    wrong = np.array([a != b and b == b for a, b in zip(out, given)], bool).reshape(array.shape)
    if wrong.any():
        _refuse_inexact(what, array, wrong)
    return np.array(out, np.float64).reshape(array.shape)


def _of_long_doubles(array, what):
    wrong = inexact(array)
    if wrong.any():
        _refuse_inexact(what, array, wrong)
    return array.astype(np.float64)


def _was_rounded(values, array):
    """Whether NumPy may have rounded whole numbers beyond 2^53 that stood beside others."""
    mixed = isinstance(values, (list, tuple)) or hasattr(values, "dtypes")
    return mixed and array.dtype == np.float64 and bool((np.abs(array) >= _WHOLE).any())


def _made(values, what):
    """`values` as an array of numbers that has all their digits."""
    try:
        array = np.asarray(values)
        if _was_rounded(values, array):
            array = np.asarray(values.astype(object) if hasattr(values, "astype") else values, object)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: no array can be made of it: {error}") from error
    if array.dtype == object:
        return _of_objects(array, what)
    return _of_long_doubles(array, what) if array.dtype == np.longdouble and array.dtype != np.float64 else array


def numbers(values, what, dims=(2,)):
    """`values` as a C-contiguous array of a type that the library takes: the array itself if it is one."""
    if hasattr(values, "tocsr"):
        raise ValueError(f"{what}: a sparse matrix; this takes a dense array, as toarray() makes")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{what}: some values are masked; fill them first")
    array = _made(values, what)
    native = array.dtype.newbyteorder("=")
    native = np.dtype(_WIDER.get(native, native))
    if native not in _TYPES:
        raise ValueError(f"{what}: an array of {array.dtype}; it takes {', '.join(map(str, _TYPES))}; "
                         "convert it, as astype(np.float64) does")
    if array.ndim not in dims:
        wanted = " or ".join(str(d) for d in dims)
        raise ValueError(f"{what}: an array of {array.ndim} dimension{'s' * (array.ndim != 1)}, not {wanted}")
    return np.ascontiguousarray(array, dtype=native) if array.ndim else array.astype(native)


def inexact(array):
    """Where float64 does not hold an array's values; None if it holds all that its type has."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(all="ignore"):
            return (array.astype(np.float64) != array) & ~np.isnan(array)
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return None
    out = array.astype(np.float64)
    wrong = np.abs(out) >= _WHOLE
    wrong[wrong] = [int(a) != int(b) for a, b in zip(out[wrong], array[wrong])]
    return wrong


def doubles(values, what, dims=(2,)):
    """`values` as a C-contiguous array of float64: refuses whole numbers that it does not hold."""
    array = numbers(values, what, dims)
    wrong = inexact(array)
    if wrong is not None and wrong.any():
        _refuse_inexact(what, array, wrong)
    return array.astype(np.float64, copy=False)


def exactly(values, what, dtype):
    """`values`, one row of numbers, as a C-contiguous array of the type: refuses those that it does not hold."""
    array = numbers(values, what, (1,))
    with np.errstate(all="ignore"):
        out = array.astype(dtype, copy=False)
    wrong = np.flatnonzero(out != array)
    if np.issubdtype(dtype, np.integer) and wrong.size:
        raise ValueError(f"{what}: value {wrong[0]} is {array[wrong[0]]}; it is a whole number from 0 to "
                         f"{np.iinfo(dtype).max}")
    return out


def pointer(array, ctype):
    """A pointer to the array's memory. The caller keeps the array."""
    return ffi.cast(ctype, array.__array_interface__["data"][0])


def type_of(array):
    """The array's glshape_type."""
    return _TYPES[array.dtype]


def matrix(values, what="points"):
    """A glshape_matrix * over the array's own memory."""
    array = numbers(values, what)
    return new("glshape_matrix *", (type_of(array), *array.shape, pointer(array, "void *")), keep=array)


# ---- out -----------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def dtype_of(ctype):
    """The NumPy type of a C type: a number, or a struct of numbers."""
    if ctype.kind == "struct":
        fields = [(name, field) for name, field in ctype.fields if field.type.kind in ("primitive", "struct")]
        return np.dtype({"names": [name for name, _ in fields],
                         "formats": [dtype_of(field.type) for _, field in fields],
                         "offsets": [field.offset for _, field in fields],
                         "itemsize": ffi.sizeof(ctype)})
    if ctype.cname in ("float", "double"):
        return np.dtype(f"f{ffi.sizeof(ctype)}")
    if ctype.cname in ("_Bool", "bool"):
        return np.dtype(bool)
    sign = "i" if int(ffi.cast(ctype, -1)) < 0 else "u"
    return np.dtype(f"{sign}{ffi.sizeof(ctype)}")


class _Memory:
    """What an array over a result's memory has as its base: it keeps the result alive."""

    def __init__(self, owner, interface):
        self.owner = owner
        self.__array_interface__ = interface


_NONE = 2**32 - 1  # GLSHAPE_NO_VERTEX, and what else stands for no index


def _signed_type(name, dtype):
    """What a field is handed out as. Names of simplices are no indices."""
    unsigned = dtype.kind == "u" and dtype.itemsize >= 4 and not name.endswith("_simplex")
    return np.dtype(np.int64) if unsigned else dtype


def _signed(values):
    """Indices and counts as int64, which can be subtracted, and with which torch indexes; "none" becomes -1."""
    if values.dtype.names:
        types = [(name, _signed_type(name, values.dtype[name])) for name in values.dtype.names]
        if all(values.dtype[name] == dtype for name, dtype in types):
            return values
        out = np.empty(values.shape, types)
        for name, dtype in types:
            out[name] = values[name] if values.dtype[name] == dtype else _signed(values[name])
        return out
    if _signed_type("", values.dtype) == values.dtype:
        return values
    if values.dtype.itemsize == 8:
        return values.view(np.int64)
    out = values.astype(np.int64)
    out[values == _NONE] = -1
    return out


def structs(values, ctype):
    """Fields as `array` gives them, of an array or a dictionary, as C has them."""
    dtype = dtype_of(ffi.typeof(ctype))
    out = np.zeros(len(values[dtype.names[0]]), dtype)
    for name in dtype.names:
        out[name] = values[name]
    return out


def array(owner, at, *shape):
    """The numbers or structs at a pointer. Floats are an array over that memory, which `owner` owns; indices are copied, as
    int64. NULL gives None; but an empty array if the shape is empty."""
    dtype = dtype_of(ffi.typeof(at).item)
    if 0 in shape:
        return _signed(np.empty(shape, dtype))
    if at == ffi.NULL:
        return None
    interface = {"version": 3, "shape": shape, "data": (int(ffi.cast("uintptr_t", at)), False),
                 "typestr": f"|V{dtype.itemsize}"}
    return _signed(np.asarray(_Memory(owner, interface)).view(dtype))


def own(ctype, free):
    """An empty result of the library, which is freed with the last array over it."""
    return ffi.gc(ffi.new(ctype), free)


def text(characters):
    return ffi.string(characters).decode(errors="replace")
