"""The result of thresholds by person: people, their distribution, and the benefits that shares of them accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import UsageError, shown
from negstats.estimate.answers import PersonDecisions
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.multiplicity import adjust
from negstats.stats.results.options import t_tails
from negstats.stats.results.result import with_schema

DRAWN = 81  # points of a curve
TOLERANCE = 1e-9  # of the largest benefit
DIFFERENCE = ["first", "second", "difference", "se", "low", "high", "statistic", "df", "p", "p_adjusted"]


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """Thresholds of people, and of the population.

    Attributes
    ----------
    model : str
        "mixed", "pooled" (one curve for all, which knows no person), or "censored" (least acceptable amounts).
    people : pandas.DataFrame
        A row a person: ``person``, ``group``, ``threshold`` (shrunken to the mean), ``sd`` (given the fit), ``n``,
        ``accepted``. Their spread is less than the population's: see `population`.
    population : pandas.DataFrame
        A row a group: ``group``, ``mean`` with ``se``, ``low``, ``high``, and ``sd`` with ``sd_low``, ``sd_high``.
    shares : pandas.DataFrame
        A row an answer: ``of`` ("people", "decisions"), ``share``, ``group``, ``benefit``, ``se``, ``low``, ``high``.
    difference : pandas.DataFrame
        A row a pair of groups: ``first``, ``second``, ``difference`` of mean thresholds, ``se``, ``low``, ``high``,
        ``statistic``, ``df``, ``p``, ``p_adjusted`` (Holm).
    curve : pandas.DataFrame
        ``group``, ``benefit``, ``probability`` averaged over people with ``low``, ``high``, a ``typical`` person's.
    slope : float
        By how much the log odds of acceptance rise with one unit of benefit; NaN of least acceptable amounts.
    n, accepted, persons, unanswered : int
    unit : str
        Of benefits.
    interaction_p : float
        Of the likelihood-ratio test that slopes of the groups differ; NaN with one group.
    confidence_level : float
        Of all intervals.
    caption : str
    notes : tuple of str
    most : float, optional
        The largest benefit that an offer can bring, where it is known.
    """

    model: str
    people: pd.DataFrame
    population: pd.DataFrame
    shares: pd.DataFrame
    difference: pd.DataFrame
    curve: pd.DataFrame = field(repr=False)
    slope: float
    n: int
    accepted: int
    persons: int
    unanswered: int
    unit: str
    interaction_p: float
    confidence_level: float
    caption: str
    notes: tuple[str, ...]
    most: float | None = None

    def beyond(self, benefit: float) -> str:
        """Return that a benefit is more than any offer can bring, in words to follow its number; "" where it is not.

        Parameters
        ----------
        benefit
            A mean threshold, or where a share accepts.

        Returns
        -------
        str
            Such as ", more than the 1 that an offer can bring".
        """
        is_beyond = self.most is not None and benefit > self.most * (1 + TOLERANCE)
        return f", more than the {self.most:.4g} that an offer can bring" if is_beyond else ""

    def benefit(self, of: str, share: float, group: str | None = None) -> pd.Series:
        """Return the row of `shares` for a share of "people" or of "decisions".

        Parameters
        ----------
        of
            "people" or "decisions".
        share
            The share that accepts, from 0 to 1, one of those that were asked for.
        group
            The name of the group, where there are groups.

        Returns
        -------
        Series
            The benefit with its interval, in the units of the data.

        Raises
        ------
        UsageError
            If it was not asked for.
        """
        rows = self.shares[(self.shares["of"] == of) & np.isclose(self.shares["share"], share)]
        if group is not None:
            rows = rows[rows["group"] == group]
        if len(rows) != 1:
            raise UsageError(f"there are {len(rows)} rows of {share:g} of {shown(of)} in {shown(group)}; see shares")
        return rows.iloc[0]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a number of the population: ``quantity``, ``group``, ``estimate``, ``low``, ``high``.

        Returns
        -------
        DataFrame
            Estimates and intervals are in the units of the benefit.
        """
        rows = []
        for record in self.population.to_dict("records"):
            rows.append(("mean threshold", record["group"], record["mean"], record["low"], record["high"]))
            rows.append(("SD of thresholds", record["group"], record["sd"], record["sd_low"], record["sd_high"]))
        rows += [
            (
                f"{record['share']:.0%} of {record['of']}",
                record["group"],
                record["benefit"],
                record["low"],
                record["high"],
            )
            for record in self.shares.to_dict("records")
        ]
        return with_schema(pd.DataFrame(rows, columns=["quantity", "group", "estimate", "low", "high"]), "Thresholds/1")

    def apa(self) -> str:
        """Return mean and SD of thresholds of each group, the benefits of 90 %, and the differences of groups.

        Returns
        -------
        str
            The sentence for a results section.
        """
        texts = []
        for record in self.population.to_dict("records"):
            group_text = f"{record['group']}: " if len(self.population) > 1 else ""
            interval_text = (
                f"{100 * self.confidence_level:g}% CI [{apa.number(record['low'])}, {apa.number(record['high'])}]"
            )
            texts.append(
                f"{group_text}M = {apa.number(record['mean'])}, {interval_text}, SD = {apa.number(record['sd'])}"
            )
        for comparison in self.difference.to_dict("records"):
            test = apa.statistic("t", comparison["statistic"], (comparison["df"],), comparison["p_adjusted"])
            texts.append(
                f"{comparison['first']} − {comparison['second']}: {apa.number(comparison['difference'])}, {test}"
            )
        return f"{'; '.join(texts)} ({self.unit}; {self.persons} people, {self.n} decisions)"


def compare_groups(
    differences: Sequence[tuple[str, str, float, float]], df: float, confidence_level: float
) -> pd.DataFrame:
    """Return the table of differences between groups (first, second, difference, se), p corrected for their number."""
    first_names, second_names, values, se = ([row[column] for row in differences] for column in range(4))
    value, error = np.array(values, dtype=np.float64), np.array(se, dtype=np.float64)
    interval, t = t_interval(value, error, df, confidence_level), value / error
    p = t_tails(t, df)
    p_adjusted = adjust(p, "holm").p_adjusted if len(p) else p
    columns = (first_names, second_names, value, error, interval.low, interval.high, t, df, p, p_adjusted)
    return pd.DataFrame(dict(zip(DIFFERENCE, columns, strict=True)))


def describe_decisions(read: PersonDecisions) -> dict[str, Any]:
    """Return the fields of `Thresholds` that are of the decisions, whichever model is fitted."""
    return {
        "n": len(read.frame),
        "accepted": int(read.frame["accepted"].sum()),
        "persons": int(read.frame["person"].nunique()),
        "unanswered": read.unanswered,
        "unit": read.unit,
        "caption": read.caption,
    }


def note_extrapolation(rows: Sequence[Mapping[str, Any]], frame: pd.DataFrame) -> list[str]:
    """Return a note where benefits lie outside those that people decided about."""
    smallest, largest = float(frame["benefit"].min()), float(frame["benefit"].max())
    values = [float(row["benefit"]) for row in rows]
    n_outside = sum(not smallest <= value <= largest for value in values if np.isfinite(value))
    if not n_outside:
        return []
    return [
        f"{n_outside} of the {len(values)} benefits at which shares accept lie outside the offers that were answered "
        f"({smallest:.4g} to {largest:.4g}): they are extrapolated"
    ]
