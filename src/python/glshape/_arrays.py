"""NumPy arrays to the library's structs and back, without copies where the types allow it."""
import functools
import weakref

import numpy as np

from ._library import ffi, header, lib

_TYPES = {np.dtype(code): getattr(lib, name) for name, _, code in header.tables["GLSHAPE_TYPES"]}
_WIDER = {np.dtype(bool): np.uint8, np.dtype(np.float16): np.float32}
_kept = weakref.WeakKeyDictionary()


def new(ctype, *initializer, keep=()):
    """ffi.new, whose result keeps alive what its pointers lead to."""
    struct = ffi.new(ctype, *initializer)
    _kept[struct] = keep
    return struct


# ---- in ------------------------------------------------------------------------------------------------


def numbers(values, what, dims=(2,)):
    """`values` as a C-contiguous array of a type that the library takes: the array itself if it is one."""
    if hasattr(values, "tocsr"):
        raise ValueError(f"{what}: a sparse matrix; this takes a dense array, as toarray() makes")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{what}: some values are masked; fill them first")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what}: no array can be made of it: {error}") from error
    native = array.dtype.newbyteorder("=")
    native = np.dtype(_WIDER.get(native, native))
    if native not in _TYPES:
        raise ValueError(f"{what}: an array of {array.dtype}; it takes {', '.join(map(str, _TYPES))}")
    if array.ndim not in dims:
        wanted = " or ".join(str(d) for d in dims)
        raise ValueError(f"{what}: an array of {array.ndim} dimension{'s' * (array.ndim != 1)}, not {wanted}")
    return np.ascontiguousarray(array, dtype=native) if array.ndim else array.astype(native)


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


def array(owner, at, *shape):
    """The numbers or structs at a pointer, as an array over that memory, which `owner` owns. NULL gives None; but an
    empty array if the shape is empty."""
    dtype = dtype_of(ffi.typeof(at).item)
    if 0 in shape:
        return np.empty(shape, dtype)
    if at == ffi.NULL:
        return None
    interface = {"version": 3, "shape": shape, "data": (int(ffi.cast("uintptr_t", at)), False),
                 "typestr": f"|V{dtype.itemsize}"}
    return np.asarray(_Memory(owner, interface)).view(dtype)


def signed(values):
    """32-bit indices as signed numbers, over the same memory: "none" becomes -1."""
    return values.view(np.int32)


def own(ctype, free):
    """An empty result of the library, which is freed with the last array over it."""
    return ffi.gc(ffi.new(ctype), free)


def text(characters):
    return ffi.string(characters).decode(errors="replace")
