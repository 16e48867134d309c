"""Reads glshape.h: what is left of it after C's preprocessor, for cffi, and its constants.

The header is the only declaration of the library. cffi parses C without directives; this module does what the header
needs of a preprocessor: comments, conditions, constants, and tables such as GLSHAPE_STATUSES(X).
"""
import re
from typing import NamedTuple

_ROW = re.compile(r'X\(([^()"]*(?:"[^"]*"[^()"]*)*)\)')
_TABLE_USE = re.compile(r"\b(GLSHAPE_\w+)\((GLSHAPE_\w+)\)")


class Header(NamedTuple):
    declarations: str  # for cffi.FFI.cdef
    texts: dict  # of a constant that cffi does not take: what it stands for, as text
    tables: dict  # of a table GLSHAPE_…S(X): its rows, lists of texts


def _active_lines(text):
    """Yields the lines that a C compiler that is neither C++ nor GNU sees."""
    active = []
    for line in text.splitlines():
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|else|endif)\b", line)
        word = directive and directive.group(1)
        if word in ("ifdef", "ifndef", "if"):
            active.append(word == "ifndef")
        elif word == "else":
            active[-1] = not active[-1]
        elif word == "endif":
            active.pop()
        elif all(active):
            yield line


def _rows(body):
    """The rows of a table's body: X(name, "text") X(…), as lists of texts without quotes."""
    return [[field.strip().strip('"') for field in re.findall(r'"[^"]*"|[^,"]+', row) if field.strip()]
            for row in _ROW.findall(body)]


def read(text: str) -> Header:
    """Takes apart the text of glshape.h."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
    lines, texts, tables = [], {}, {}
    for line in _active_lines(text):
        macro = re.match(r"\s*#\s*define\s+(\w+)(\(\w+(?:, *\w+)*\))?[ \t]*(.*)", line)
        if not macro:
            if not line.lstrip().startswith("#"):
                lines.append(line)
        elif macro.group(2):
            if "X(" in macro.group(3):
                tables[macro.group(1)] = _rows(macro.group(3))
        elif macro.group(3).strip().isdigit():
            lines.append(line)
        elif macro.group(3).strip():
            texts[macro.group(1)] = macro.group(3).strip().strip('"')
    code = "\n".join(lines).replace("GLSHAPE_API", "")
    # Every use of a table is an enum: GLSHAPE_TYPES(GLSHAPE_TYPE_ENUM) is the first fields of its rows.
    code = _TABLE_USE.sub(lambda use: ", ".join(row[0] for row in tables[use.group(1)]), code)
    return Header(code, texts, tables)
