"""The 2 × 2 design with one repeated factor: two groups compared by their differences and by their means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from negstats.errors import DesignError
from negstats.stats.means.t_tests import TTest, paired_t, t_test
from negstats.stats.results.result import Result
from negstats.stats.summaries import Moments
from negstats.stats.summaries.coerce import as_moments


@dataclass(frozen=True, slots=True, repr=False)
class MixedTwoByTwo(Result):
    """Welch's t-tests of a design with two groups and two repeated measures.

    Attributes
    ----------
    interaction : TTest
        Whether the difference of the measures (first minus second) differs between the groups.
    group : TTest
        Whether the mean of the two measures differs between the groups.
    simple : tuple of TTest
        The paired t-test of the measures in each group.
    levels : tuple of str
        The groups, in the order of `simple`.
    between, within : str
    """

    interaction: TTest
    group: TTest
    simple: tuple[TTest, TTest]
    levels: tuple[str, str]
    between: str
    within: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test, behind its name in ``test``.

        Returns
        -------
        DataFrame
            The columns of a t test, for the interaction, the group, and the measures in each group.
        """
        names = [f"{self.between}:{self.within}", self.between, *(f"{self.within} at {level}" for level in self.levels)]
        tests = (self.interaction, self.group, *self.simple)
        frames = [test.to_frame().assign(test=name) for name, test in zip(names, tests, strict=True)]
        table = pd.concat(frames, ignore_index=True)
        table.insert(0, "test", table.pop("test"))
        table.attrs["schema"] = "MixedTwoByTwo/1"
        return table

    def apa(self) -> str:
        """Return the test of the interaction, of the group, and of the measures in each group.

        Returns
        -------
        str
            One clause a test, with semicolons between.
        """
        simple = (
            f"{self.within} at {level}: {test.apa()}" for level, test in zip(self.levels, self.simple, strict=True)
        )
        return "; ".join(
            [f"{self.between}:{self.within}: {self.interaction.apa()}", f"{self.between}: {self.group.apa()}", *simple]
        )


def mixed_two_by_two(
    data: Any, outcome: str | None = None, within: str | None = None, subject: str | None = None, between: str = ""
) -> MixedTwoByTwo:
    """Compare two groups in the difference and in the mean of two repeated measures, variances not taken as equal.

    Parameters
    ----------
    data
        A long frame with one row a subject and measure; or `Moments` of two measures grouped by one factor.
    outcome, within, subject, between
        The measured column, the repeated factor, the subjects' ids, and the groups.

    Returns
    -------
    MixedTwoByTwo
        Welch's tests of the interaction and of the groups, and the simple tests.

    Raises
    ------
    DesignError
        If there are not two groups and two measures, or the frame does not fit (see `Moments.from_frame`).
    NotEstimable
        If a group has one subject, or nothing varies.

    Notes
    -----
    With equal variances the squares of the first two t are the F of the mixed analysis of variance.

    Examples
    --------
    >>> rows = pd.DataFrame({"who": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "time": ["a", "b"] * 6})
    >>> rows["group"], rows["y"] = ["x"] * 6 + ["z"] * 6, [3, 5, 2, 6, 4, 5, 3, 3, 5, 4, 2, 4]
    >>> print(mixed_two_by_two(rows, "y", "time", "who", "group").interaction.apa())
    t(4) = −1.60, p = .184, d = −1.31, 95% CI [−3.07, 0.57]
    """
    summary: Moments = as_moments(data, outcome, within, subject, between)
    if len(summary.factors) != 1 or summary.studies or len(summary.factors[0]) != 2 or len(summary.variables) != 2:
        groups = ", ".join(f"{factor.name} ({len(factor)})" for factor in summary.factors) or "none"
        raise DesignError(
            f"this takes two groups and two measures of one study; there are {len(summary.variables)} measures and the "
            f"groups {groups}; larger designs are for repeated_anova"
        )
    (factor,) = summary.factors
    difference, middle = summary.contrast([1.0, -1.0]), summary.contrast([0.5, 0.5])
    return MixedTwoByTwo(
        interaction=t_test(difference),
        group=t_test(middle),
        simple=(_simple(summary, 0), _simple(summary, 1)),
        levels=(factor.levels[0], factor.levels[1]),
        between=factor.name,
        within=summary.variables.name,
    )


def _simple(summary: Moments, place: int) -> TTest:
    """Return the paired t-test of one group."""
    one = Moments(
        summary.n[place], summary.offset[place], summary.covariance[place], summary.variables, (), summary.outcome,
        summary.origin,
    )  # fmt: skip
    return paired_t(one)
