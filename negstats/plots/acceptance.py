"""The acceptance curve: how likely an offer is accepted given what it brings, and the threshold above which it is."""

from __future__ import annotations

from typing import Protocol

import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import UsageError
from negstats.plots._panels import CURVES
from negstats.plots.look import ACCENT, COLOURS, GREY, LINES, despine
from negstats.plots.style import TWO, axes_for, captioned, check_table, keyed

_AREA = 16.0  # of the mark of one offer, in square points


class Accepting(Protocol):
    """A finished estimate, such as `negstats.estimate.Acceptance`, that has all that the figure shows."""

    @property
    def offers(self) -> pd.DataFrame:
        """What was seen."""

    @property
    def curve(self) -> pd.DataFrame:
        """The fitted curves."""

    @property
    def label(self) -> str:
        """The benefit with its unit."""

    @property
    def threshold_at(self) -> float | None:
        """The benefit to mark."""

    @property
    def threshold_interval(self) -> tuple[float, float] | None:
        """Its interval."""

    @property
    def caption(self) -> str:
        """What the figure shows."""


def acceptance_curve(
    offers: pd.DataFrame | Accepting,
    curve: pd.DataFrame | None = None,
    *,
    x: str = "benefit",
    accepted: str = "accepted",
    label: str = "",
    threshold: float | None = None,
    threshold_interval: tuple[float, float] | None = None,
    band_name: str = "95% CI",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of accepted offers at each benefit, the fitted curves, and the threshold.

    Parameters
    ----------
    offers
        An estimate (`negstats.estimate.acceptance`), which has all the rest; or a frame with a row an offer: its
        benefit to who answers, and whether it was accepted (truth values). With a column ``n`` a row is as many offers,
        and `accepted` the share of them.
    curve
        The fit, needed with a frame: columns `x` and ``probability``; ``low`` and ``high`` where there is a band;
        ``method`` where there is more than one curve; more than five have no bands.
    x, accepted
        Names of the columns.
    label
        The benefit with its unit, for the axis.
    threshold, threshold_interval
        Benefit to mark, with the ends of its interval.
    band_name
        What ``low`` and ``high`` are.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curves.

    Raises
    ------
    DesignError
        If there is no offer or no curve.
    UsageError
        If a column is not there, or `curve` or `label` is not given with a frame.

    Examples
    --------
    >>> offers = pd.DataFrame({"benefit": [0, 50, 50], "accepted": [False, True, False]})
    >>> curve = pd.DataFrame({"benefit": [0, 50], "probability": [0.1, 0.6]})
    >>> ax = acceptance_curve(offers, curve, label="benefit (points)", threshold=50)
    >>> ax.collections[0].get_offsets().tolist()
    [[0.0, 0.0], [50.0, 0.5]]
    """
    if not isinstance(offers, pd.DataFrame):
        return acceptance_curve(
            offers.offers,
            offers.curve,
            label=label or offers.label,
            threshold=offers.threshold_at if threshold is None else threshold,
            threshold_interval=threshold_interval or offers.threshold_interval,
            band_name=band_name,
            caption=caption or offers.caption,
            ax=ax,
        )
    if curve is None or not label:
        raise UsageError("give curve, the fit, and label, the benefit with its unit, with a frame of offers")
    check_table(offers, [x, accepted], "offers")
    check_table(curve, [x, "probability"], "curve")
    ax = axes_for(ax, width=TWO, height=2.9)
    each = pd.DataFrame({x: offers[x], "n": offers.get("n", 1.0), "yes": offers[accepted].astype(float)})
    share_table = each.assign(yes=each["yes"] * each["n"]).groupby(x)[["n", "yes"]].sum()
    share_table = pd.DataFrame({"mean": share_table["yes"] / share_table["n"], "size": share_table["n"]})
    ax.scatter(
        share_table.index.to_numpy(dtype=float),
        share_table["mean"],
        s=_AREA * share_table["size"].to_numpy(dtype=float).clip(max=20),
        facecolors="none",
        edgecolors=GREY,
        linewidths=1.1,
        label=f"share accepted\n(n = {each['n'].sum():,.0f} offers; area: number)",
        zorder=2,
    )
    fits = [("fit", curve)] if "method" not in curve else list(curve.groupby("method", sort=False))
    is_banded = len(fits) <= CURVES  # more bands cover each other
    for i, (name, rows) in enumerate(fits):
        _one_fit(ax, rows.sort_values(x), x, str(name), i, band_name, is_banded=is_banded)
    if threshold is not None:
        reach = f"\n[{threshold_interval[0]:.3g}, {threshold_interval[1]:.3g}]" if threshold_interval else ""
        threshold_label = f"threshold {threshold:.3g}{reach}"
        ax.axvline(threshold, color=ACCENT, linewidth=1.6, linestyle=(0, (3, 2)), label=threshold_label)
        if threshold_interval:
            ax.axvspan(*threshold_interval, color=ACCENT, alpha=0.15, linewidth=0)
    ax.set_ylim(-0.06, 1.06)
    ax.set_xlabel(label)
    ax.set_ylabel("probability of acceptance")
    despine(ax)
    captioned(ax, caption, "" if is_banded else f"The bands of {len(fits)} curves would cover each other: not drawn")
    keyed(ax)
    return ax


def _one_fit(ax: Axes, rows: pd.DataFrame, x: str, name: str, place: int, band_name: str, *, is_banded: bool) -> None:
    steps = "steps-post" if name == "isotonic" else "default"
    at = rows[x].to_numpy(dtype=float)
    banded = is_banded and {"low", "high"} <= set(rows.columns) and rows[["low", "high"]].notna().all(axis=None)
    ax.plot(
        at,
        rows["probability"].to_numpy(dtype=float),
        drawstyle=steps,
        color=COLOURS[place % 3],
        linestyle=LINES[place % len(LINES)],
        linewidth=1.8,
        label=f"{name}, {band_name}" if banded else name,
        zorder=3,
    )
    if banded:
        ax.fill_between(
            at, rows["low"], rows["high"], color=COLOURS[place % 3], alpha=0.15, linewidth=0,
            step="post" if steps == "steps-post" else None,
        )  # fmt: skip
