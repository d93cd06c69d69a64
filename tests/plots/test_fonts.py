"""The files of figures: fonts of PDF cut once and whole in each, the same bytes in any order."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

from negstats import plots
from negstats.plots import _fonts
from negstats.plots._style import lay_out


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
