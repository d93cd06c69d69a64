"""The sign test of pairs: how many of the differences are above 0, and the interval of their median."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from negstats.errors import NotEstimable
from negstats.stats.counts.proportions import proportion
from negstats.stats.effects._effect import Effect
from negstats.stats.ranks.pairs import differences_of
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, check_single, count, sides
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries import ValueCounts


@dataclass(frozen=True, slots=True, repr=False)
class SignTest(Result):
    """Whether differences of pairs are more often above than below 0. Signed as first minus second.

    Attributes
    ----------
    positive, negative, zeros : int
        Pairs whose first is larger, smaller, and equal; the last have no say.
    p : float
        Exact binomial p; 1 where no pair differs in a stack.
    labels : tuple of str
        First and second level; the outcome's name where only differences were given.
    alternative : str
    outcome : str
    missing : int
        Subjects that were left out because a measure was missing.
    """

    positive: Number
    negative: Number
    zeros: Number
    p: Number
    labels: tuple[str, ...]
    alternative: Alternative
    outcome: str
    missing: int
    values: ValueCounts = field(repr=False, compare=False)

    def effect_size(self) -> Effect:
        """Return the share of the differing pairs whose first is larger, with Clopper and Pearson's interval.

        Returns
        -------
        Effect
            The share, from 0 to 1; .5 where neither measure is larger more often.
        """
        either = np.asarray(self.positive) + np.asarray(self.negative)
        share = proportion(self.positive, either)
        return Effect("share", share.estimate, lambda level: share.confidence_interval(level, method="clopper-pearson"))

    def median(self, confidence_level: float = 0.95) -> tuple[float, Interval]:
        """Return the median difference (zeros included) and its exact interval from order statistics.

        The interval holds at least `confidence_level`; it is infinite where there are too few pairs.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        tuple[float, Interval]
            The median and its interval, in units of the outcome.
        """
        check_single(self.p, "median()")
        sorted_values = np.repeat(self.values.values, self.values.n.astype(np.intp))
        tail_area, _ = sides(confidence_level, "two-sided")
        n = len(sorted_values)
        cumulative_p = special.bdtr(np.arange(n), n, 0.5)
        rank = int((cumulative_p <= tail_area).sum())
        ends = (float(sorted_values[rank - 1]), float(sorted_values[n - rank])) if rank else (-np.inf, np.inf)
        return float(np.median(sorted_values)), Interval(*ends, confidence_level, "order statistics")

    def apa(self) -> str:
        """Return such as ``sign test: 14 of 18 above 0 (3 without a difference), p = .031``.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.p, "apa()")
        tie_text = f" ({self.zeros} without a difference)" if self.zeros else ""
        either = int(np.asarray(self.positive) + np.asarray(self.negative))
        return f"sign test: {self.positive} of {either} above 0{tie_text}, {apa.p_value(self.p, self.alternative)}"


def sign_test(
    data: Any,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
    *,
    alternative: Alternative = "two-sided",
    levels: Sequence[object] | None = None,
) -> SignTest:
    """Compare two measures of the same subjects by the signs of their differences alone.

    Parameters
    ----------
    data, outcome, within, subject, alternative, levels
        As in `wilcoxon`.

    Returns
    -------
    SignTest
        The numbers of positive, negative and zero differences, and p.

    Raises
    ------
    DesignError
        As `wilcoxon`.
    NotEstimable
        If no pair differs.

    Examples
    --------
    >>> result = sign_test({"CL": [0.75, 0.81, 0.70, 0.77, 0.74], "FC": [0.71, 0.77, 0.71, 0.72, 0.68]})
    >>> print(result.apa())
    sign test: 4 of 5 above 0, p = .375
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    differences, labels = differences_of(data, outcome, within, subject, levels)
    up, down, none = (differences.n[..., differences.values > 0], differences.n[..., differences.values < 0],
                      differences.n[..., differences.values == 0])  # fmt: skip
    positive, negative, zeros = (np.asarray(part.sum(axis=-1)) for part in (up, down, none))
    either = positive + negative
    if either.ndim == 0 and either == 0:
        raise NotEstimable("no pair differs; a sign test needs differences")
    return SignTest(
        positive=count(positive),
        negative=count(negative),
        zeros=count(zeros),
        p=plain(_p(positive, either, alternative)),
        labels=labels,
        alternative=alternative,
        outcome=differences.outcome,
        missing=differences.missing,
        values=differences,
    )


def _p(positive: FloatArray, either: FloatArray, alternative: Alternative) -> FloatArray:
    size = either.astype(np.int64)
    if alternative == "two-sided":
        return np.minimum(1.0, 2 * special.bdtr(np.minimum(positive, either - positive), size, 0.5))
    return np.asarray(special.bdtr(either - positive if alternative == "greater" else positive, size, 0.5))
