"""The fonts of PDF files: only the glyphs that a figure uses, cut out here as the file is written.

Matplotlib has fontTools cut them, which takes longer than the rest of the file. A TrueType font is a list of tables,
and a PDF file needs few of them; here these are copied, with every other glyph empty in its place. What is no plain
TrueType font is left to matplotlib.
"""

from __future__ import annotations

import importlib.util
import inspect
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

TRUETYPE = b"\0\1\0\0"
# What PDF asks of a TrueType font, and the programs that place its outlines on few pixels.
TABLES = (b"cvt ", b"fpgm", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp", b"prep")
_MORE_PARTS, _LONG, _ONE_SCALE, _TWO_SCALES, _FOUR_SCALES = 0x20, 0x1, 0x8, 0x40, 0x80  # flags of a composite glyph


def _import_at_first_use(package: str, name: str) -> None:
    """Let a module be loaded by its first use, where nobody has loaded it: the others import it in vain."""
    whole = f"{package}.{name}"
    spec = None if whole in sys.modules else importlib.util.find_spec(whole)
    if spec is None or spec.loader is None:
        return
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[whole] = module
    spec.loader.exec_module(module)
    setattr(sys.modules[package], name, module)


_import_at_first_use("fontTools", "subset")

from matplotlib.backends import _backend_pdf_ps  # noqa: E402 - imports fontTools.subset

_THEIRS: Any = _backend_pdf_ps
_CUT: Any = getattr(_THEIRS, "get_glyphs_subset", None)
_WRITE: Any = getattr(_THEIRS, "font_as_file", None)
# How matplotlib cuts is its own affair: where it is not done in the way that is known here, it is left as it is.
_KNOWN = None not in (_CUT, _WRITE) and list(inspect.signature(_CUT).parameters) == ["fontfile", "glyphs"]


@dataclass(frozen=True, slots=True)
class Subset:
    """A font with some of its glyphs: its file, and which of its glyphs each glyph of the font is."""

    font: bytes
    glyph_index_map: dict[int, int]


@contextmanager
def plain_subsets() -> Iterator[None]:
    """Write PDF files with the fonts that `cut_font` cuts."""
    if not _KNOWN:
        yield
        return
    original_functions = _THEIRS.get_glyphs_subset, _THEIRS.font_as_file
    _THEIRS.get_glyphs_subset, _THEIRS.font_as_file = _subset, _file
    try:
        yield
    finally:
        _THEIRS.get_glyphs_subset, _THEIRS.font_as_file = original_functions


def _subset(fontfile: Any, glyphs: Iterable[int]) -> Any:
    tables = _read_tables(Path(fontfile))
    if tables is None:
        return _CUT(fontfile, glyphs)
    indices = set(glyphs)
    return nullcontext(Subset(cut_font(tables, indices), {index: index for index in indices}))


def _file(font: Any) -> BytesIO:
    return BytesIO(font) if isinstance(font, bytes) else _WRITE(font)


@lru_cache
def _read_tables(path: Path) -> dict[bytes, bytes] | None:
    """Return the tables of a TrueType font that a PDF file needs, None for any other font."""
    content = path.read_bytes()
    if content[:4] != TRUETYPE:
        return None
    (count,) = struct.unpack(">H", content[4:6])
    entries = [struct.unpack(">4sIII", content[12 + 16 * place : 28 + 16 * place]) for place in range(count)]
    tables = {name: content[start : start + size] for name, _, start, size in entries if name in TABLES}
    return tables if {b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp"} <= tables.keys() else None


def cut_font(tables: dict[bytes, bytes], glyphs: Iterable[int]) -> bytes:
    """Return the file of a TrueType font with these glyphs and those that they are composed of, the others empty.

    Parameters
    ----------
    tables
        The tables of the font by their names.
    glyphs
        Indices of glyphs. Each keeps its index.
    """
    outlines = tables[b"glyf"]
    is_long = tables[b"head"][50:52] == b"\0\1"
    starts = np.frombuffer(tables[b"loca"], ">u4").astype(int) if is_long else 2 * np.frombuffer(tables[b"loca"], ">u2")
    used = {0}  # what stands where a glyph lacks
    waiting = set(glyphs)
    while waiting:
        glyph = waiting.pop()
        used.add(glyph)
        waiting |= _parts(outlines[starts[glyph] : starts[glyph + 1]]) - used
    sizes = np.zeros(len(starts), int)
    sizes[[glyph + 1 for glyph in used]] = [-(-(starts[glyph + 1] - starts[glyph]) // 4) * 4 for glyph in used]
    return _write_font(
        {
            **tables,
            b"glyf": b"".join(_pad(outlines[starts[glyph] : starts[glyph + 1]]) for glyph in sorted(used)),
            b"loca": np.cumsum(sizes).astype(">u4").tobytes(),
            b"head": tables[b"head"][:8] + bytes(4) + tables[b"head"][12:50] + b"\0\1" + tables[b"head"][52:],
            b"hmtx": _widths(tables, used),
        }
    )


def _parts(outline: bytes) -> set[int]:
    """Return the glyphs that a glyph is composed of: none of one that has contours of its own."""
    parts: set[int] = set()
    if not outline or struct.unpack(">h", outline[:2])[0] >= 0:
        return parts
    place, flags = 10, _MORE_PARTS
    while flags & _MORE_PARTS:
        flags, glyph = struct.unpack(">HH", outline[place : place + 4])
        parts.add(glyph)
        place += 4 + (4 if flags & _LONG else 2)
        place += 2 * bool(flags & _ONE_SCALE) + 4 * bool(flags & _TWO_SCALES) + 8 * bool(flags & _FOUR_SCALES)
    return parts


def _widths(tables: dict[bytes, bytes], used: set[int]) -> bytes:
    """Return the table of widths with zeros for the glyphs that are not used, which take no room in a PDF file."""
    (count,) = struct.unpack(">H", tables[b"hhea"][34:36])  # the glyphs after the last of these have its width
    widths = np.frombuffer(tables[b"hmtx"], ">u4", count).copy()
    widths[[glyph for glyph in range(count - 1) if glyph not in used]] = 0
    return widths.tobytes() + tables[b"hmtx"][4 * count :]


def _write_font(tables: dict[bytes, bytes]) -> bytes:
    """Return a font file of these tables, with its sums of control."""
    power = 1 << (len(tables).bit_length() - 1)
    head = TRUETYPE + struct.pack(">4H", len(tables), 16 * power, power.bit_length() - 1, 16 * (len(tables) - power))
    place = len(head) + 16 * len(tables)
    starts = {}
    for name, content in sorted(tables.items()):
        starts[name] = place
        head += struct.pack(">4sIII", name, _sum(content), place, len(content))
        place += len(_pad(content))
    file = bytearray(head + b"".join(_pad(content) for _, content in sorted(tables.items())))
    adjustment = starts[b"head"] + 8
    file[adjustment : adjustment + 4] = struct.pack(">I", (0xB1B0AFBA - _sum(bytes(file))) % (1 << 32))
    return bytes(file)


def _pad(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)


def _sum(content: bytes) -> int:
    return int(np.frombuffer(_pad(content), ">u4").sum(dtype=np.uint64)) % (1 << 32)
