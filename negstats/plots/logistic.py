"""Yes or no against a number: the fitted logistic curve with its band, and every unit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.plots.look import GREY, STRENGTH, colours
from negstats.plots.style import ONE, axes_for, check_table, finish, letters
from negstats.stats import logistic, proportion
from negstats.stats.results.intervals import quantile
from negstats.stats.summaries.counts import shares_over

_PLACES = 80  # at which the curve is drawn
_STRIP = 0.1  # height of a strip of marks, of the axes


@dataclass(frozen=True, slots=True)
class FittedLogOdds:
    """A line of log odds that was fitted elsewhere: what by, intercept and slope with their covariance, and the centre.

    Attributes
    ----------
    model : str
        What the caption calls it.
    estimate, covariance : array
        Of intercept and slope, shapes (2,) and (2, 2), in log odds.
    centre : float
        What was subtracted from the number.
    df : float
        Degrees of freedom of the errors; infinite for z.
    people : array
        Of each person the deviation from the intercept, shape (n,); none where the model has no people.
    who : str
        What they are called, in the plural.
    """

    model: str
    estimate: npt.NDArray[np.float64]
    covariance: npt.NDArray[np.float64]
    centre: float = 0.0
    df: float = np.inf
    people: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    who: str = "people"

    def lines_of_people(self, at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the share of each person at the places, shape (places, people)."""
        typical = self.estimate[0] + self.estimate[1] * (at - self.centre)
        return np.asarray(special.expit(typical[:, None] + self.people), dtype=float)

    def line(self, at: npt.NDArray[np.float64], confidence_level: float) -> tuple[npt.NDArray[np.float64], ...]:
        """Return places, the share there, and the low and high of its band, Wald's on the scale of log odds."""
        design = np.column_stack([np.ones(len(at)), at - self.centre])
        mean = design @ self.estimate
        variance = np.einsum("ij,jk,ik->i", design, self.covariance, design)
        reach = float(quantile(confidence_level, self.df)) * np.sqrt(variance)
        return at, special.expit(mean), special.expit(mean - reach), special.expit(mean + reach)


def logistic_curve(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    labels: tuple[str, str],
    unit: str = "units",
    banded: bool = True,
    fitted: FittedLogOdds | None = None,
    curved: bool = True,
    confidence_level: float = 0.95,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the fitted share of yes over the observed range, shares with Wilson's intervals, and each unit as a mark.

    Marks of yes are in a strip at the top, of no in one at the bottom. Open circles are the shares at each value of x,
    of more than 12 values those of tenths of the units.

    Parameters
    ----------
    table
        A row a unit.
    x, y
        Columns of the number and of yes (1) or no (0).
    labels
        The number with its unit, and what counts as yes.
    unit
        What a row is, in the plural: "games".
    banded
        Draw the band and the intervals; False where rows are related, for both take them as independent.
    fitted
        The model that was tested, whose curve is drawn; else a logistic regression of the rows.
    curved
        Draw the curve; False where the model that was tested has none over the number alone.
    confidence_level
        Level of the band and of the intervals.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curve.

    Raises
    ------
    DesignError
        If no row has both numbers, or an outcome is neither 0 nor 1.

    Examples
    --------
    >>> table = pd.DataFrame({"price": range(1, 11), "agreed": [1, 1, 1, 0, 1, 1, 0, 0, 1, 0]})
    >>> ax = logistic_curve(table, x="price", y="agreed", labels=("price", "agreed"))
    >>> [text.get_text() for text in ax.texts]
    ['yes: 6', 'no: 4']
    """
    check_table(table, [x, y], "table")
    rows = table.dropna(subset=[x, y])
    check_table(rows, [], "rows with both numbers")
    at, yes = rows[x].to_numpy(dtype=float), rows[y].to_numpy(dtype=float)
    if not np.isin(yes, (0, 1)).all():
        raise DesignError(f"table: {y!r} holds {yes[~np.isin(yes, (0, 1))][0]:g}; give 1 for yes and 0 for no")
    ax = axes_for(ax, width=ONE, height=2.9)
    dark, light = colours(2)
    places = np.linspace(at.min(), at.max(), _PLACES)
    curve = fitted.line(places, confidence_level) if fitted else logistic_line(at, yes, confidence_level)
    curve = curve if curved else None
    if curve is not None:
        if fitted is not None and len(fitted.people):
            width, lines = max(0.15, min(0.6, 15 / len(fitted.people))), fitted.lines_of_people(places)
            ax.plot(places, 100 * lines, color=GREY, linewidth=width, alpha=STRENGTH, zorder=1)
        ax.plot(curve[0], 100 * curve[1], color=dark, linewidth=1.4, zorder=3, label="_curve")
        if banded:
            ax.fill_between(curve[0], 100 * curve[2], 100 * curve[3], color=dark, alpha=0.2, linewidth=0)
    tenths = _draw_shares(ax, at, yes, confidence_level if banded and fitted is None else None)
    _draw_strips(ax, at, yes, (dark, light))
    band = f" with its {100 * confidence_level:g}% band" if banded else " (no band, as rows are related)"
    model = "fitted logistic regression" if fitted is None else fitted.model
    reason = (
        f"{labels[0]} separates yes from no" if curved else "the model that was tested has none over this number alone"
    )
    line = f"Curve: {model}{band}" if curve is not None else f"No curve: {reason}"
    if curve is not None and fitted is not None and len(fitted.people):
        line += f". Thin lines: each of {len(fitted.people):,} {fitted.who}, as the model estimates them"
    bars = f" with {100 * confidence_level:g}% CI (Wilson)" if banded and fitted is None else ""
    circles = f"Open circles: shares {'in each decile' if tenths else 'at each value'}{bars}"
    strips = f"Marks above and below: each of {len(rows):,} {unit}"
    return finish(ax, (labels[0], f"{labels[1]} (%)"), caption, f"{line}. {circles}", strips, key=None)


def _draw_shares(
    ax: Axes, at: npt.NDArray[np.float64], yes: npt.NDArray[np.float64], confidence_level: float | None
) -> bool:
    """Draw open circles, and say whether they are of tenths."""
    table, tenths = shares_over(at, yes)
    share = 100 * (table["yes"] / table["n"]).to_numpy(dtype=float)
    reach = None
    if confidence_level is not None:
        ends = proportion(table["yes"].to_numpy(), table["n"].to_numpy()).confidence_interval(confidence_level)
        reach = [np.maximum(share - 100 * np.asarray(ends.low), 0), np.maximum(100 * np.asarray(ends.high) - share, 0)]
    ax.errorbar(
        table["x"].to_numpy(dtype=float), share, yerr=reach, fmt="o", markersize=3.5, markerfacecolor="white",
        color="#555555", ecolor=GREY, linewidth=0.7, capsize=1.5, zorder=2,
    )  # fmt: skip
    return tenths


def _draw_strips(ax: Axes, at: npt.NDArray[np.float64], yes: npt.NDArray[np.float64], own: tuple[object, ...]) -> None:
    """Draw every unit in a strip above (yes) or below (no) the shares, which keep the room between."""
    # Room for a strip above 100 % and one below 0 %, without ticks there.
    low, high = ax.get_ylim()
    low, high = max(low, -4.0), min(high, 104.0)
    room = high - low
    strip = 1.8 * _STRIP * room
    ticks = [tick for tick in ax.get_yticks() if max(low, 0) <= tick <= min(high, 100)]
    ax.set_ylim(low - strip, high + strip)
    ax.set_yticks(ticks)
    rng, jitter = np.random.default_rng(1), 0.008 * (float(np.ptp(at)) or 1.0)
    strips = ((1, "yes", high + 0.25 * strip, "o", own[0]), (0, "no", low - 0.85 * strip, "x", own[1]))
    for answer, name, base, marker, colour in strips:
        these = at[yes == answer]
        is_dense = len(these) > 200
        places = these + rng.uniform(-jitter, jitter, len(these)), base + rng.uniform(0, 0.6 * strip, len(these))
        ax.scatter(
            *places, s=3 if is_dense else 8,
            marker=marker, color=colour, alpha=STRENGTH if is_dense else 0.9, linewidths=0 if marker == "o" else 0.6,
            label="_marks", rasterized=len(these) > 2000, zorder=1,
        )  # fmt: skip
        ax.annotate(
            f"{name}: {len(these):,}", (1, base + 0.3 * strip), (3, 0), xycoords=ax.get_yaxis_transform(),
            textcoords="offset points", va="center", fontsize=letters(ax), annotation_clip=False,
        )  # fmt: skip
    ax.axhline(high + 0.1 * strip, color=GREY, linewidth=0.4)
    ax.axhline(low - 0.1 * strip, color=GREY, linewidth=0.4)


def logistic_line(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], confidence_level: float = 0.95
) -> tuple[npt.NDArray[np.float64], ...] | None:
    """Return places, the fitted share, and the low and high of its band there; None where x separates yes from no.

    The band is Wald's on the scale of log odds, so it stays between 0 and 1.

    Examples
    --------
    >>> rows = np.arange(1.0, 11), np.array([1.0, 1, 1, 0, 1, 1, 0, 0, 1, 0])
    >>> at, share, low, high = logistic_line(*rows)
    >>> [round(float(value), 3) for value in (share[0], low[0], high[0])]
    [0.922, 0.295, 0.997]
    """
    if len(np.unique(y)) < 2 or len(np.unique(x)) < 2:
        return None
    try:
        fit = logistic({"x": x, "y": y}, "y ~ x")
    except NotEstimable:
        return None
    odds = FittedLogOdds("fitted logistic regression", fit.estimate, fit.covariance)
    return odds.line(np.linspace(x.min(), x.max(), _PLACES), confidence_level)
