"""Pictures that the library draws itself, as the command does: no other package is needed."""
from __future__ import annotations

import base64
import html
from typing import Any, Optional

import numpy as np

from ._arrays import dtype_of, exactly, new, pointer
from ._context import Context, DeviceError, choose, count, default
from ._library import ffi, lib

_FORMATS = {"png": lib.GLSHAPE_PICTURE_PNG, "svg": lib.GLSHAPE_PICTURE_SVG, "html": lib.GLSHAPE_PICTURE_HTML}
_IN_A_NOTEBOOK = {"scatter": (720, 720), "dendrogram": (720, 720), "barcode": (960, 540), "icicles": (960, 456),
                  "branches": (960, 408), "atlas": (1600, 960)}  # pixels; the charts' own sizes are for print
_LARGE = 1 << 19  # bytes of an SVG that slows a notebook down


class Pictured:
    """A result of which there are pictures."""

    def picture(self, format: str = "png", *, title: Optional[str] = None, width: int = 0, height: int = 0,
                labels: Any = None, context: Optional[Context] = None) -> bytes:
        """Draws the result without matplotlib: what the command's ``--picture`` writes.

        Parameters
        ----------
        format : {"png", "svg", "html"}
            A PNG is painted on the GPU, and has the same bytes on every one; others need none. HTML is a page that a
            browser opens, without a network: it can be zoomed, and rows can be selected and saved as CSV.
        title : str, optional
        width, height : int
            Pixels; 0: what suits the chart, 1200 to 1600.
        labels : array_like of shape (n,), optional
            Of a layout: classes of the points, as colors. Of a linkage: clusters, as :meth:`LinkageResult.cut` gives
            them, in whose colors subtrees are drawn.
        context : Context, optional

        Returns
        -------
        bytes
            The content of a file.

        Examples
        --------
        >>> drawn = glshape.linkage([[0.0], [1], [5], [7]]).picture("svg", title="Four points")
        >>> drawn[:5]
        b'<?xml'
        """
        kind, chart = self._chart() if labels is None else self._chart(labels)
        return draw(kind, chart, format, title, width, height, context)

    def _chart(self):
        """The field of glshape_chart that is set, and what it points to."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """What a notebook shows: the library's own picture, and the text. One of very many marks is a PNG, where there is
        a device for that."""
        kind, chart = self._chart()
        content, subtype = draw(kind, chart, "svg", None, *_IN_A_NOTEBOOK[kind]), "svg+xml"
        painted = self._own_png() if len(content) > _LARGE else None
        if painted is not None:
            content, subtype = painted, "png"
        source = f"data:image/{subtype};base64,{base64.b64encode(content).decode()}"
        return (f'<img src="{source}" width="{_IN_A_NOTEBOOK[kind][0]}" style="background: white"/>'
                f'<pre style="white-space: pre-wrap">{html.escape(repr(self))}</pre>')

    def _own_png(self):
        kind, chart = self._chart()
        try:
            return draw(kind, chart, "png", None, *_IN_A_NOTEBOOK[kind])
        except DeviceError:
            return None


def draw(kind, chart, format, title, width, height, context=None):
    """The bytes of a picture of the chart, which is that field of glshape_chart."""
    words = ffi.NULL if title is None else ffi.new("char[]", title.encode())
    options = ffi.new("glshape_picture_options *", (
        choose(_FORMATS, format, "format"), words, count(width, "width"), count(height, "height")))
    out = ffi.gc(ffi.new("glshape_picture *"), lib.glshape_picture_free)
    (context or default())._run(lib.glshape_draw, ffi.new("glshape_chart *", {kind: chart}), options, out)
    return ffi.buffer(out.bytes, out.size)[:]


# ---- charts ----------------------------------------------------------------------------------------------


def of(kind, keep=(), **fields):
    """A chart and its kind. An array among the fields stands for a pointer to its memory."""
    ctype = ffi.typeof(f"glshape_chart_{kind}")
    types = {name: field.type for name, field in ctype.fields}
    arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    fields.update({name: pointer(value, types[name]) for name, value in arrays.items()})
    return kind, new(f"glshape_chart_{kind} *", fields, keep=(arrays, fields, keep))


def scatter(points, labels=None, **fields):
    """A chart of points in the plane, or on a line."""
    xy = np.ascontiguousarray(points, np.float64)
    if labels is not None:
        names, numbers = np.unique(np.asarray(labels), return_inverse=True)
        if numbers.shape != xy.shape[:1]:
            raise ValueError(f"labels: shape {numbers.shape}; there are {len(xy)} points")
        words = [ffi.new("char[]", str(name).encode()) for name in names]
        fields.update(labels=numbers.astype(np.uint32), classes=len(names), names=ffi.new("char *[]", words))
        fields = {"keep": (words, fields["names"], fields.pop("keep", ())), **fields}
    return of("scatter", n=len(xy), dim=xy.shape[1], xy=xy, **fields)


def barcode(intervals, dims, end, **fields):
    """A chart of intervals, of which dim, birth and death count."""
    bars = np.zeros(len(intervals), dtype_of(ffi.typeof("glshape_interval")))
    for name in ("dim", "birth", "death"):
        bars[name] = intervals[name]
    return of("barcode", count=len(bars), intervals=bars, dims=dims, end=end, **fields)


def dendrogram(merges, labels=None):
    """A chart of a linkage matrix."""
    merges, fields = np.ascontiguousarray(merges, np.float64), {}
    if labels is not None:
        fields["labels"] = exactly(labels, "labels", np.uint32)
        if len(fields["labels"]) != len(merges) + 1:
            raise ValueError(f"labels: {len(fields['labels'])} of them; there are {len(merges) + 1} points")
    return of("dendrogram", n=len(merges) + 1, merges=merges, **fields)


def text(words):
    """A C string, for a field of a chart."""
    return ffi.new("char[]", words.encode())
