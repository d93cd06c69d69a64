"""Comparisons of every two of several groups or measures, each with its effect size, p corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.stats.effects._effect import Effect
from negstats.stats.results import apa, multiplicity
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Interval, Result, with_schema


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs(Result):
    """Tests of every two, signed as first minus (or over) second. Arrays have the shape ``(pairs,)``.

    Attributes
    ----------
    first, second : tuple of str
        The two of each comparison.
    letter : str
        The letter of the statistic: "z", "t", "χ²", "G²"; empty where the test is exact; "F" on 1 and `df` degrees of
        freedom, which is chi-squared where they are infinite.
    statistic, df, p, p_adjusted : ndarray
        NaN where a test has no statistic, or no degrees of freedom; p before and after the correction.
    n : ndarray
        Observations in the two (subjects, of repeated measures).
    adjust, method : str
        What corrected p ("none" or a name of `negstats.stats.results.multiplicity.METHODS`), and the test.
    effect : Effect
        The effect size of each pair.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    letter: str
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    n: FloatArray
    adjust: str
    method: str
    effect: Effect = field(repr=False)

    def effect_size(self) -> Effect:
        """Return the effect size of each pair with its interval.

        Returns
        -------
        Effect
            Its value is an array with one entry a pair.
        """
        return self.effect

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of each pair's effect size.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1; it is not corrected for the number of pairs.

        Returns
        -------
        Interval
            Its ends are arrays with one entry a pair.
        """
        return self.effect.confidence_interval(confidence_level)

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a comparison.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the effect sizes, between 0 and 1.

        Returns
        -------
        DataFrame
            The two that are compared, the statistic, its df, p and corrected p, n, and the effect size (its name, value
            and the ends of its interval).
        """
        interval = self.confidence_interval(confidence_level)
        names = ("first", "second", "statistic", "df", "p", "p_adjusted", "n")
        frame = pd.DataFrame({name: np.array(getattr(self, name)) for name in names})
        frame = frame.assign(effect=self.effect.name, value=self.effect.value, low=interval.low, high=interval.high)
        return with_schema(frame.assign(method=self.method, adjust=self.adjust), "Pairs/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each comparison, such as ``a – b: z = −2.10, p = .036 (Holm), r_rb = −.40, 95% CI [...]``.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the effect sizes, between 0 and 1.

        Returns
        -------
        str
            One clause a comparison, with semicolons between; p is the corrected one.
        """
        correction = multiplicity.METHODS.get(self.adjust, "uncorrected")
        interval = self.confidence_interval(confidence_level)
        clauses = []
        for index, (first, second) in enumerate(zip(self.first, self.second, strict=True)):
            p, df = float(self.p_adjusted[index]), float(self.df[index])
            test = apa.p_value(p)
            if self.letter:
                n = round(float(self.n[index])) if self.letter in ("χ²", "G²") else None
                letter, dfs = self.letter, [df] if np.isfinite(df) else []
                if letter == "F":
                    letter, dfs = ("F", [1.0, df]) if dfs else ("χ²", [1.0])
                test = apa.statistic(letter, float(self.statistic[index]), tuple(dfs), p, n=n)
            symbol, is_bounded = self.effect.symbol
            value, low, high = (
                float(np.ravel(values)[index]) for values in (self.effect.value, interval.low, interval.high)
            )
            size = apa.with_interval(value, low, high, confidence_level, is_bounded=is_bounded)
            clauses.append(f"{first} – {second}: {test} ({correction}), {symbol} = {size}")
        return "; ".join(clauses)


def build_pairs(
    labels: Sequence[str], letter: str, statistic: npt.ArrayLike, df: npt.ArrayLike, p: FloatArray, *,
    n: FloatArray, adjust: str, method: str, effect: Effect,
) -> Pairs:  # fmt: skip
    """Return the tests of every two labels, in the order of ``np.triu_indices(len(labels), 1)``, p corrected."""
    first, second = zip(*combinations(labels, 2), strict=True)
    corrected, is_known = p.copy(), ~np.isnan(p)
    if adjust != "none" and is_known.any():
        corrected[is_known] = multiplicity.adjust(p[is_known], adjust).p_adjusted
    value, degrees, sizes = (
        np.broadcast_to(np.asarray(values, dtype=np.float64), p.shape) for values in (statistic, df, n)
    )
    return Pairs(first, second, letter, value, degrees, p, corrected, sizes, adjust, method, effect)


def check_correction(adjust: str) -> None:
    """Raise DesignError unless p can be corrected so."""
    check_choice("adjust", adjust, ("none", *multiplicity.METHODS))
