"""One subset of a font for all PDF files of a process: cutting it anew for each takes longer than the rest of the file.

Matplotlib embeds the glyphs that a figure uses. Here a figure whose glyphs are in `LETTERS` gets the subset of all of
`LETTERS`, which is cut once and without the tables that no PDF reads; any other is left to matplotlib. So the same
figure gives the same bytes, whatever was drawn before it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from io import BytesIO
from typing import Any

from matplotlib.backends import _backend_pdf_ps
from matplotlib.font_manager import get_font

# Printable ASCII, what labels, captions and numbers have besides, and the ligatures that letters are set as.
LETTERS = "".join(map(chr, range(32, 127))) + "−–—‘’“”…·×±÷°²³√≤≥≠≈αβγδεηθκλμρστφχψωΔΣΦΩäöüÄÖÜßéèêàáçñíóúãõﬀﬁﬂﬃﬄ"
# How letters are set side by side, and what the font says of itself: a PDF places each glyph alone, and reads none.
UNREAD = ("BASE", "FFTM", "GDEF", "GPOS", "GSUB", "JSTF", "MATH", "gasp", "kern", "name")
_THEIRS: Any = _backend_pdf_ps
_CUT: Any = getattr(_THEIRS, "get_glyphs_subset", None)
_WRITE: Any = getattr(_THEIRS, "font_as_file", None)
# How matplotlib cuts is its own affair: where it is not done in the way that is known here, it is left as it is.
_USED = (_CUT, _WRITE, getattr(_THEIRS, "SubsetResults", None), getattr(_THEIRS, "subset", None))
_KNOWN = None not in _USED and list(inspect.signature(_CUT).parameters) == ["fontfile", "glyphs"]


@contextmanager
def one_subset() -> Iterator[None]:
    """Write PDF files with the common subset of each font."""
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
    common = _common(fontfile)
    return nullcontext(common) if set(glyphs) <= common.glyph_index_map.keys() else _CUT(fontfile, glyphs)


def _file(font: Any) -> BytesIO:
    return BytesIO(font) if isinstance(font, bytes) else _WRITE(font)


@lru_cache
def _common(fontfile: Any) -> Any:
    """Return the common subset of a font, its file in the place of the font."""
    font: Any = get_font(fontfile)
    options: Any = _THEIRS.subset.Options(recommended_glyphs=True)
    options.drop_tables = [*options.drop_tables, *UNREAD]
    options.font_number = fontfile.face_index
    cutter = _THEIRS.subset.Subsetter(options)
    cutter.populate(gids={font.get_char_index(ord(letter)) for letter in LETTERS})
    with _THEIRS.subset.load_font(fontfile, options) as whole:
        cutter.subset(whole)
        return _THEIRS.SubsetResults(_WRITE(whole).getvalue(), cutter.glyph_index_map)
