"""The fonts of PDF files: the glyphs that a figure uses as the font has them, and the same bytes in any order."""

from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.font_manager import findfont

from negstats import plots
from negstats.plots import _fonts
from negstats.plots._style import lay_out

FONT = Path(findfont("DejaVu Sans"))
WHOLE: Any = TTFont(BytesIO(FONT.read_bytes()), lazy=True)


def _figure(words: str) -> Axes:
    _, ax = plt.subplots(layout="constrained")
    ax.set_xlabel(words)
    return ax


@settings(max_examples=25)
@given(st.sets(st.integers(0, WHOLE["maxp"].numGlyphs - 1), min_size=1, max_size=12))
def test_a_font_that_is_cut_has_the_outlines_and_widths_of_the_whole_one(glyphs: set[int]) -> None:
    tables = _fonts._read_tables(FONT)
    assert tables is not None
    file = _fonts.cut_font(tables, glyphs)
    part: Any = TTFont(BytesIO(file), checkChecksums=2)  # raises where a table is not what its sum of control says
    names = WHOLE.getGlyphOrder()
    part.setGlyphOrder(names)
    for glyph in glyphs:
        shapes = [font["glyf"][names[glyph]].getCoordinates(font["glyf"]) for font in (part, WHOLE)]
        for of_part, of_whole in zip(*shapes, strict=True):
            np.testing.assert_array_equal(np.asarray(of_part), np.asarray(of_whole))
        assert part["hmtx"][names[glyph]] == WHOLE["hmtx"][names[glyph]]
    assert len(file) < FONT.stat().st_size
    assert _fonts._sum(file) == 0xB1B0AFBA  # what the sum of a whole font file must be


@pytest.mark.skipif(not _fonts._KNOWN, reason="this matplotlib cuts fonts in another way")
def test_a_truetype_font_is_cut_here_and_any_other_by_matplotlib(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cuts, cut = [], _fonts._CUT

    def counted(*given: Any) -> Any:
        cuts.append(given)
        return cut(*given)

    monkeypatch.setattr(_fonts, "_CUT", counted)
    for place, words in enumerate(("difference of points", "Verhältnis der Mittel", "β ≤ 0.05", "переговоры")):
        plots.save_figure(_figure(words), tmp_path / f"{place}.pdf")
    assert not cuts
    monkeypatch.setattr(_fonts, "_read_tables", lambda _: None)
    plots.save_figure(_figure("points"), tmp_path / "other.pdf")
    assert len(cuts) == 1


def test_a_file_that_is_no_truetype_font_has_no_tables(tmp_path: Path) -> None:
    for content in (b"", b"OTTO" + bytes(60), _fonts.TRUETYPE + bytes(40)):
        (tmp_path / "font.ttf").write_bytes(content)
        _fonts._read_tables.cache_clear()
        assert _fonts._read_tables(tmp_path / "font.ttf") is None


def test_a_figure_has_the_same_bytes_whatever_was_written_before(tmp_path: Path) -> None:
    first = plots.save_figure(_figure("points"), tmp_path / "a.pdf").read_bytes()
    plots.save_figure(_figure("переговоры"), tmp_path / "b.pdf")
    assert plots.save_figure(_figure("points"), tmp_path / "c.pdf").read_bytes() == first


def test_a_figure_that_is_laid_out_is_drawn_once_for_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ax = _figure("points")
    lay_out(ax)
    draws, draw = [], Axes.draw

    def counted(self: Axes, renderer: Any) -> None:
        draws.append(renderer)
        draw(self, renderer)

    monkeypatch.setattr(Axes, "draw", counted)
    plots.save_figure(ax, tmp_path / "a.png")
    assert len(draws) == 1
