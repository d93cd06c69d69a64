"""The look of figures is seaborn's, written down: the same settings, the same colours of a theme, the same spines."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import seaborn as sns

from negstats.plots._look import SIZES, TICKS, colours, despine, themed


def test_the_settings_are_those_of_seaborn_s_style_ticks() -> None:
    style = sns.axes_style("ticks")
    assert style.pop("image.cmap")  # figures name their maps of colours themselves
    assert style == TICKS
    assert set(sns.plotting_context()) == set(SIZES)


@pytest.mark.parametrize("palette", ["deep", "colorblind", "Set3"])
def test_the_colours_of_a_theme_are_its_palette(palette: str) -> None:
    with mpl.rc_context():
        assert not themed()
        sns.set_theme(palette=palette)
        assert themed()
        assert colours(3) == list(sns.color_palette(palette))[:3]


@pytest.mark.parametrize(("left", "bottom"), [(False, False), (True, False), (False, True)])
def test_the_same_spines_are_hidden(*, left: bool, bottom: bool) -> None:
    figure, (ours, theirs) = plt.subplots(ncols=2)
    despine(ours, left=left, bottom=bottom)
    sns.despine(ax=theirs, left=left, bottom=bottom)
    names = ("top", "right", "left", "bottom")
    assert [ours.spines[side].get_visible() for side in names] == [theirs.spines[side].get_visible() for side in names]
    plt.close(figure)


@pytest.mark.slow
def test_figures_without_seaborn_s_help_do_not_import_it() -> None:
    none_of = {"seaborn", "scipy.stats", "scipy.optimize"}
    code = f"import sys, negstats.report.figures; print('heavy:', *{none_of} & set(sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == ["heavy:"]
