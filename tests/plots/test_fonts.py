"""The files of figures: fonts of PDF cut once and whole in each, the same bytes in any order, PNG as it is drawn."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes
from PIL import Image

from negstats import plots
from negstats.plots import _fonts
from negstats.plots._style import figure_of, lay_out


def _figure(words: str) -> Axes:
    _, ax = plt.subplots(layout="constrained")
    ax.set_xlabel(words)
    return ax


@pytest.mark.skipif(not _fonts._KNOWN, reason="this matplotlib cuts fonts in another way")
def test_the_common_subset_is_cut_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cutter = _fonts._THEIRS.subset.Subsetter
    cuts, cut = [], cutter.subset

    def counted(self: Any, font: Any) -> None:
        cuts.append(font)
        cut(self, font)

    monkeypatch.setattr(cutter, "subset", counted)
    _fonts._common.cache_clear()
    for place, words in enumerate(("difference of points", "Verhältnis der Mittel", "β ≤ 0.05")):
        plots.save_figure(_figure(words), tmp_path / f"{place}.pdf")
    assert len(cuts) == 1
    plots.save_figure(_figure("переговоры"), tmp_path / "other.pdf")  # letters beyond the common ones: a cut of its own
    assert len(cuts) == 2


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


def test_a_png_is_transparent_only_where_the_figure_is(tmp_path: Path) -> None:
    ax = _figure("points")
    with Image.open(plots.save_figure(ax, tmp_path / "a.png", dpi=150)) as opaque:
        assert (opaque.mode, round(opaque.info["dpi"][0])) == ("RGB", 150)
        figure_of(ax).savefig(tmp_path / "theirs.png", dpi=150)
        with Image.open(tmp_path / "theirs.png") as theirs:
            assert opaque.tobytes() == theirs.convert("RGB").tobytes()
    with mpl.rc_context({"savefig.transparent": True, "savefig.bbox": "tight"}):
        file = plots.save_figure(ax, tmp_path / "b.png")
    with Image.open(file) as clear:
        assert (clear.mode, clear.getchannel("A").getextrema()) == ("RGBA", (0, 255))
