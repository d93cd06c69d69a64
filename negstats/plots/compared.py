"""One call from data to figure: a measure at two levels of a factor, tested and drawn.

This is the one file of the plots that looks back to the analysis: everything else draws the finished tables that it is
given, and so does what is called here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from negstats.studies.study import Study


def compare(
    study: Study,
    measure: str,
    by: str,
    *,
    paired: bool = False,
    who: str | None = None,
    levels: Sequence[str] | None = None,
    unit: Literal["independent", "game"] = "independent",
    ax: Axes | None = None,
) -> Axes:
    """Draw a measure at two levels of a factor, with the test over the figure.

    The same as ``analysis.compare(...).plot()``: every unit by the size of its group, or a line a participant and the
    differences; of yes and no, the shares.

    Parameters
    ----------
    study, measure, by, paired, who, levels, unit
        As for `negstats.analysis.compare`.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    matplotlib.axes.Axes
        Its caption may be taken off by `take_caption`.

    Raises
    ------
    UsageError, DesignError, NotEstimable
        As `negstats.analysis.compare`.

    Examples
    --------
    >>> from negstats import datasets, plots
    >>> ax = plots.compare(datasets.robot(), "points", by="condition", who="agent", paired=True)
    >>> plots.take_caption(ax).split(". Left")[0]
    't(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.55]'
    """
    from negstats.analysis import compare as compared

    return compared(study, measure, by, paired=paired, who=who, levels=levels, unit=unit).plot(ax)
