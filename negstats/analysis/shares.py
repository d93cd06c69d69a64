"""Two conditions compared in a measure of yes or no: counts, an exact test, the difference of shares, and a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.questions.units import NOUNS
from negstats.errors import NotEstimable, UsageError
from negstats.stats.counts.clustered import ClusteredProportions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 10_000  # units of whose table Fisher's test is computed; of more the chi-squared test says the same
FEW = 25  # discordant pairs below which McNemar's test is exact

Test: TypeAlias = stats.FisherExact | stats.ChiSquared | stats.McNemar | ClusteredProportions
Difference: TypeAlias = stats.ProportionDifference | stats.PairedProportions | ClusteredProportions


@dataclass(frozen=True, slots=True, eq=False)
class ShareComparison:
    """A measure of yes (1) or no (0) at two levels of a factor.

    Attributes
    ----------
    measure, label : str
        The measure's name, and what it counts as yes.
    by : str
        The factor.
    levels : tuple of str
        The two levels; differences are first minus second.
    who : str or None
        Whose values.
    unit : str
        What the independent units are: participants, games, or groups of people who are linked through games.
    values : pandas.DataFrame
        One row a unit: the columns ``unit``, ``level`` and ``value``: 1 or 0, or the unit's share of yes where it has
        several values.
    rows : int
        Values before those of a unit were brought together.
    paired : bool
        Whether the same units stand at both levels.
    test : FisherExact, ChiSquared, McNemar or ClusteredProportions
        Of one value a unit: Fisher's exact test (of more than 10,000 units the chi-squared test) or, for pairs,
        McNemar's (exact below 25 discordant pairs). Of several: the t-test of the units' shares.
    difference : ProportionDifference, PairedProportions or ClusteredProportions
        Of the two shares, with Newcombe's interval.
    notes : tuple of str
        What is counted as yes; what was averaged or left out.
    yes_no : tuple of tuple of int
        How many units had yes and no: a row a level; for pairs yes and no at the first level against those at the
        second. Zeros where units have several values.
    """

    measure: str
    label: str
    by: str
    levels: tuple[str, str]
    who: str | None
    unit: str
    values: pd.DataFrame
    rows: int
    paired: bool
    test: Test
    difference: Difference
    notes: tuple[str, ...]
    yes_no: tuple[tuple[int, int], tuple[int, int]]

    @property
    def clustered(self) -> bool:
        """Whether units have several values, so that their shares were compared."""
        return isinstance(self.test, ClusteredProportions)

    def table(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a condition: n, yes, share and its interval (``low``, ``high``), which lies in 0 to 1.

        Where units have several values, ``yes`` is missing and the share is the mean of the units' shares.

        Parameters
        ----------
        confidence_level
            Level of the intervals, between 0 and 1.

        Returns
        -------
        DataFrame
            Shares are from 0 to 1, not rounded.
        """
        if isinstance(self.test, ClusteredProportions):
            both = self.test.intervals(confidence_level)
            rows = [
                [n, np.nan, share, float(ends.low), float(ends.high)]
                for n, share, ends in zip(self.test.n, self.test.proportions, both, strict=True)
            ]
        else:
            rows = []
            counts = np.array(self.yes_no)
            of_level = [counts.sum(axis=1), counts.sum(axis=0)] if self.paired else counts
            for yes, no in of_level:
                interval = stats.proportion(yes, yes + no).confidence_interval(confidence_level)
                rows.append([yes + no, yes, yes / (yes + no), float(interval.low), float(interval.high)])
        index = pd.Index(self.levels, name=self.by)
        table = pd.DataFrame(rows, columns=["n", "yes", "share", "low", "high"], index=index)
        return table.astype({"yes": "Int64"})

    def counts(self) -> pd.DataFrame:
        """Return how many units had yes and no: a row a condition; for pairs the first condition against the second.

        Returns
        -------
        DataFrame
            Counts of units.

        Raises
        ------
        NotEstimable
            If units have several values: then they have shares.
        """
        if self.clustered:
            raise NotEstimable(f"{self.unit}s have several values, so there is no table of yes and no; see table()")
        if not self.paired:
            index, columns = pd.Index(self.levels, name=self.by), pd.Index(["yes", "no"], name=self.measure)
        else:
            index, columns = (pd.Index(["yes", "no"], name=name) for name in self.levels)
        return pd.DataFrame(self.yes_no, index=index, columns=columns)

    def apa(self) -> str:
        """Return the sentence for the paper.

        Returns
        -------
        str
            Both shares, the test and the effect size.
        """
        table = self.table()
        if self.clustered:
            level_texts = " and ".join(
                f"{name} (mean share {stats.apa.bounded(row['share'])} of {row['n']:.0f} {self.unit}s)"
                for name, row in table.iterrows()
            )
            test_text = self.difference.apa()
        else:
            level_texts = " and ".join(f"{name} ({row['yes']:.0f} of {row['n']:.0f})" for name, row in table.iterrows())
            test_text = f"{self.difference.apa()}, {self.test.apa()}"
        owner = f" of {self.who}" if self.who else ""
        return f"{self.measure.replace('_', ' ')}{owner}, {level_texts}: {test_text}"

    def lines(self) -> list[str]:
        """Return what is printed under the table: the difference, the test, the notes and the sentence.

        Returns
        -------
        list[str]
            One line an entry.
        """
        first, second = self.levels
        interval = self.difference.confidence_interval()
        size = stats.apa.bounded(self.difference.difference, 3)
        difference = f"{first} − {second}: {size}, {interval.apa(3)} ({interval.method})"
        what = "t-test of shares" if self.clustered else "test"
        return [difference, f"{what}: {self.test.apa()}", *(f"note: {note}" for note in self.notes), "", self.apa()]

    def heading(self) -> str:
        """Return what stands over the table.

        Returns
        -------
        str
            The measure, whose values are compared, and the level of the intervals.
        """
        what = "share" if self.clustered else "value"
        return f"{self.label}, one {what} per {NOUNS.get(self.unit, self.unit)}; 95% CI of each share"

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON.

        Returns
        -------
        dict[str, object]
            Numbers are not rounded.
        """
        interval = self.difference.confidence_interval()
        ends = {
            "low": interval.low,
            "high": interval.high,
            "level": interval.confidence_level,
            "method": interval.method,
        }
        test = {str(name): value for name, value in self.test.to_frame().to_dict("records")[0].items()}
        return {
            "measure": self.measure,
            "by": self.by,
            "levels": list(self.levels),
            "who": self.who,
            "unit": self.unit,
            "shares": self.table().reset_index().to_dict("records"),
            "counts": None if self.clustered else self.counts().to_dict("split"),
            "test": {"name": type(self.test).__name__, **test},
            "difference": {"estimate": self.difference.difference, **ends},
            "apa": self.apa(),
            "notes": list(self.notes),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares with their intervals between 0 and 1; pairs of yes and no as a small table.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
            The axes with the drawing.
        """
        from negstats import plots
        from negstats.plots.groups import plural

        if self.clustered and self.values.empty:
            raise UsageError("the figure draws every unit, and these stay with the engine; `table` has the shares")
        from negstats.plots.comparison import paired_table

        if not self.clustered and self.paired:
            caption = f"{self.label}: {self.test.apa()}"
            return paired_table(self.counts(), label=plural(self.unit), caption=caption, ax=ax)
        if not self.clustered:
            counts = self.table()[["yes", "n"]]
            return plots.shares(counts, label=self.label, unit=plural(self.unit), caption=self.test.apa(), ax=ax)
        summary = self.table().rename(columns={"share": "mean"})
        look: Any = {"label": f"{self.label} (share)", "unit": self.unit, "caption": self.test.apa(), "ax": ax}
        if not self.paired:
            ax = plots.group_comparison(self.values, summary, bars="95% CI of the mean share", **look)
            ax.set_xlim(-0.02, 1.02)
            return ax
        ends = self.difference.confidence_interval()
        difference: Any = {
            "value": self.difference.difference,
            "low": ends.low,
            "high": ends.high,
            "level": ends.confidence_level,
        }
        ax = plots.paired_comparison(_wide(self.values, self.levels), difference, **look)
        ax.set_ylim(-0.02, 1.02)
        return ax


def shares_of_counts(table: tuple[tuple[int, int], tuple[int, int]], *, paired: bool) -> tuple[Test, Difference]:
    """Return the test and the difference of shares for how many units had yes and no.

    Parameters
    ----------
    table
        A row a level with yes and no; with `paired` yes and no at the first level against those at the second.
    paired
        Whether the same units stand at both levels.

    Raises
    ------
    NotEstimable
        If all units answered alike.
    """
    if paired:
        method = "exact" if table[0][1] + table[1][0] < FEW else "asymptotic"
        return stats.mcnemar(table, method=method), stats.paired_proportions(table)  # type: ignore[arg-type]
    yes, n = (table[0][0], table[1][0]), (sum(table[0]), sum(table[1]))
    if sum(yes) in (0, sum(n)):
        raise NotEstimable(f"all {sum(n)} units are {'1' if sum(yes) else '0'} at both levels; nothing varies")
    test = stats.fisher(table) if sum(n) <= MOST else stats.chi_squared(table)
    return test, stats.proportion_difference(yes, n)


def _wide(values: pd.DataFrame, levels: tuple[str, str]) -> pd.DataFrame:
    return values.pivot_table(index="unit", columns="level", values="value")[list(levels)]
