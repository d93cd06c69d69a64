"""Proportions and their differences with score intervals: Wilson's, and Newcombe's for two samples or matched pairs.

Score intervals stay inside the possible range and keep their level for small n and for 0 of n, where the textbook
interval (estimate ± 1.96 standard errors) has no width.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.counts.contingency import check_filled, matched_table
from negstats.stats.results import apa
from negstats.stats.results.intervals import difference_ends, quantile
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, check_share, check_single
from negstats.stats.results.result import Interval, Result, check_level, with_schema
from negstats.stats.summaries.frames import By

ShareInterval: TypeAlias = Literal["wilson", "clopper-pearson", "agresti-coull", "jeffreys"]
SHARE_INTERVALS = {
    "wilson": ("wilson", "Wilson"),
    "clopper-pearson": ("beta", "Clopper-Pearson"),
    "agresti-coull": ("agresti_coull", "Agresti-Coull"),
    "jeffreys": ("jeffreys", "Jeffreys"),
}


def wilson(
    successes: npt.ArrayLike, n: npt.ArrayLike, z: float, correction: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's score interval for arrays of successes and n.

    Wilson, E. B. (1927). JASA, 22, 209–212; with `correction` Newcombe, R. G. (1998). Statistics in Medicine, 17,
    857–872, method 4.
    """
    x, size = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = x / size
        step = 0.5 / size if correction else np.zeros_like(p)
        bounds = []
        for side in (-1, 1):
            centre = p + side * step
            midpoint = centre + z**2 / (2 * size)
            half_width = z * np.sqrt(centre * (1 - centre) / size + z**2 / (4 * size**2))
            bounds.append((midpoint + side * half_width) / (1 + z**2 / size))
    low = np.where((p == 0) | (p - step < 0), 0.0, bounds[0])
    high = np.where((p == 1) | (p + step > 1), 1.0, bounds[1])
    return np.where(size > 0, low, np.nan), np.where(size > 0, high, np.nan)


@dataclass(frozen=True, slots=True, repr=False)
class Proportion(Result):
    """A share of n independent observations.

    Attributes
    ----------
    estimate : float or ndarray
        successes / n.
    successes, n : float or ndarray
        Counts.
    """

    estimate: Number
    successes: Number
    n: Number

    def confidence_interval(
        self, confidence_level: float = 0.95, *, method: ShareInterval = "wilson", correction: bool = False
    ) -> Interval:
        """Return the interval of the share.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        method
            "wilson": the score interval, with or without continuity `correction`. "clopper-pearson": exact, and so
            conservative. "agresti-coull": Wald's about Wilson's middle. "jeffreys": of the beta posterior with the
            prior Beta(½, ½). See Brown, Cai and DasGupta (2001).
        correction
            Off unless asked for, as in every test of this package that has one (R's prop.test has it on).

        Returns
        -------
        Interval
            Its two ends, between 0 and 1.

        References
        ----------
        Brown, L. D., Cai, T. T., & DasGupta, A. (2001). Interval estimation for a binomial proportion. Statistical
        Science, 16, 101–133.
        """
        check_choice("method", method, tuple(SHARE_INTERVALS))
        if method == "wilson":
            low, high = wilson(self.successes, self.n, float(quantile(confidence_level)), correction)
            return Interval(
                plain(low), plain(high), confidence_level, "Wilson, continuity corrected" if correction else "Wilson"
            )
        if correction:
            raise DesignError(f"the continuity correction is Wilson's; method is {method!r}")
        return _share_interval(np.asarray(self.successes), np.asarray(self.n), confidence_level, method)

    def test(self, against: float = 0.5, *, alternative: Alternative = "two-sided") -> BinomialTest:
        """Test the share against a stated one, exactly.

        Two-sided p is the probability of the numbers that are no more probable than the observed one (as R's
        ``binom.test``).

        Parameters
        ----------
        against
            The share under the null hypothesis, between 0 and 1.
        alternative
            "two-sided", "greater" (the share is larger than `against`) or "less".

        Returns
        -------
        BinomialTest
            The share with the exact p.

        Raises
        ------
        DesignError
            If `against` is not between 0 and 1.
        """
        check_choice("alternative", alternative, ALTERNATIVES)
        check_share("against", against, 0.5)

        x, n = np.broadcast_arrays(self.successes, self.n)
        p = np.array(
            [
                scipy.stats.binomtest(int(a), int(b), against, alternative).pvalue if b else np.nan
                for a, b in zip(x.flat, n.flat, strict=True)
            ]
        )
        return BinomialTest(self, against, plain(p.reshape(x.shape)), alternative)

    def apa(self) -> str:
        """Return ``x of n (.xx, 95% CI [.xx, .xx])``.

        Returns
        -------
        str
            The count, the share, and its interval.
        """
        check_single(self.estimate, "apa()")
        share = f"{apa.bounded(self.estimate)}, {self.confidence_interval().apa(is_bounded=True)}"
        return f"{float(self.successes):.0f} of {float(self.n):.0f} ({share})"


@dataclass(frozen=True, slots=True, repr=False)
class BinomialTest(Result):
    """The exact binomial test of a share.

    Attributes
    ----------
    proportion : Proportion
    against : float
        The share that it is tested against.
    p : float or ndarray
    alternative : str
        "two-sided", "greater" (the share is larger than `against`) or "less".
    """

    proportion: Proportion
    against: float
    p: Number
    alternative: Alternative

    def to_frame(self) -> pd.DataFrame:
        """Return one row a study: successes, n, estimate, against, p, alternative.

        Returns
        -------
        DataFrame
            ``estimate`` is the observed share, ``against`` the one of the null hypothesis.
        """
        share = self.proportion
        columns = {"successes": share.successes, "n": share.n, "estimate": share.estimate, "p": self.p}
        frame = pd.DataFrame({name: np.atleast_1d(value).ravel() for name, value in columns.items()})
        return with_schema(frame.assign(against=self.against, alternative=self.alternative), "BinomialTest/1")

    def apa(self) -> str:
        """Return ``x of n (.xx, 95% CI [.xx, .xx]), p = .xxx against .50 (exact binomial test)``.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        test_text = f"{apa.p_value(self.p, self.alternative)} against {apa.bounded(self.against)}"
        return f"{self.proportion.apa()}, {test_text} (exact binomial test)"


@dataclass(frozen=True, slots=True, repr=False)
class ProportionDifference(Result):
    """Difference of the proportions of two independent samples, first minus second.

    Attributes
    ----------
    difference : float or ndarray
        First minus second.
    proportions, successes, n : tuple of two floats or ndarrays
        Of each sample.
    """

    difference: Number
    proportions: tuple[Number, Number]
    successes: tuple[Number, Number]
    n: tuple[Number, Number]

    def confidence_interval(self, confidence_level: float = 0.95, *, correction: bool = False) -> Interval:
        """Newcombe's hybrid score interval (1998, method 10; corrected: 11).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        correction
            Whether the score intervals that it combines have a continuity correction.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.

        References
        ----------
        Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: Comparison of
        eleven methods. Statistics in Medicine, 17, 873–890.
        """
        z = float(quantile(confidence_level))
        first, second = (wilson(x, n, z, correction) for x, n in zip(self.successes, self.n, strict=True))
        low, high = difference_ends(self.proportions, first, second)
        method = "Newcombe, continuity corrected" if correction else "Newcombe"
        return Interval(plain(low), plain(high), confidence_level, method)

    def apa(self) -> str:
        """Return the two proportions, their difference and its interval.

        Returns
        -------
        str
            The sentence for a results section.
        """
        check_single(self.difference, "apa()")
        first, second = (apa.bounded(share) for share in self.proportions)
        return f"{first} – {second} = {apa.bounded(self.difference)}, {self.confidence_interval().apa(is_bounded=True)}"


@dataclass(frozen=True, slots=True, repr=False)
class PairedProportions(Result):
    """Difference of two proportions of the same pairs, first dimension minus second.

    Attributes
    ----------
    difference : float or ndarray
        Share of `level` on the first dimension minus its share on the second.
    proportions : tuple of two floats or ndarrays
        The two shares.
    cells : tuple of four floats or ndarrays
        Pairs with `level` on both, on the first only, on the second only, on neither.
    level : str
        The level that is counted.
    named : bool
        Whether the levels have names; those of a bare table are only numbered.
    missing : int
        Rows that were left out because a value was missing.
    """

    difference: Number
    proportions: tuple[Number, Number]
    cells: tuple[Number, Number, Number, Number]
    level: str
    missing: int = 0
    named: bool = field(default=True, repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Newcombe's score interval for matched pairs (1998, method 10).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.

        References
        ----------
        Newcombe, R. G. (1998). Improved confidence intervals for the difference between binomial proportions based on
        paired data. Statistics in Medicine, 17, 2635–2650.
        """
        z = float(quantile(confidence_level))
        a, b, c, d = (np.asarray(cell, dtype=np.float64) for cell in self.cells)
        n = a + b + c + d
        cross_difference, margins = a * d - b * c, (a + b) * (c + d) * (a + c) * (b + d)
        # The correlation of the two measures, corrected for
        # continuity if it is positive (Newcombe's method 10).
        cross_difference = np.where(cross_difference > 0, np.maximum(cross_difference - n / 2, 0.0), cross_difference)
        phi = np.divide(cross_difference, np.sqrt(margins), out=np.zeros_like(n), where=margins > 0)
        low, high = difference_ends(self.proportions, wilson(a + b, n, z), wilson(a + c, n, z), phi)
        return Interval(plain(low), plain(high), confidence_level, "Newcombe, paired")

    def apa(self) -> str:
        """Return the two proportions, their difference and its interval.

        Returns
        -------
        str
            The sentence for a results section.
        """
        check_single(self.difference, "apa()")
        first, second = (apa.bounded(share) for share in self.proportions)
        difference = (
            f"{first} – {second} = {apa.bounded(self.difference)}, {self.confidence_interval().apa(is_bounded=True)}"
        )
        return f"{difference} (event: {self.level})" if self.named else difference


def proportion(successes: npt.ArrayLike, n: npt.ArrayLike) -> Proportion:
    """Return a proportion, whose method `confidence_interval` is Wilson's.

    Its score interval is that of Wilson [1]_.

    Parameters
    ----------
    successes, n
        Numbers, or arrays with one entry a study.

    Returns
    -------
    Proportion
        The share from 0 to 1 with the counts behind it.

    Raises
    ------
    DesignError
        If successes is negative, exceeds n, or is not whole.
    NotEstimable
        If n of a single study is 0.

    References
    ----------
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
       American Statistical Association, 22, 209–212.

    Examples
    --------
    >>> print(proportion(10, 103).apa())
    10 of 103 (.10, 95% CI [.05, .17])
    """
    x, size = _read_counts(successes, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Proportion(estimate=plain(x / size), successes=plain(x), n=plain(size))


def proportion_difference(successes: npt.ArrayLike, n: npt.ArrayLike) -> ProportionDifference:
    """Return the difference of two independent proportions, whose method `confidence_interval` is Newcombe's.

    Its interval combines the score intervals of both samples [1]_.

    Parameters
    ----------
    successes, n
        Two numbers each, first and second sample; a stack has the shape ``(*studies, 2)``.

    Returns
    -------
    ProportionDifference
        The difference first minus second, and each proportion with its counts.

    Raises
    ------
    DesignError
        If the last axis does not have two entries, or a count is negative, exceeds its n, or is not whole.
    NotEstimable
        If an n of a single study is 0.

    References
    ----------
    .. [1] Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: Comparison of
       eleven methods. Statistics in Medicine, 17, 873–890.

    Examples
    --------
    >>> print(proportion_difference([56, 48], [70, 80]).apa())
    .80 – .60 = .20, 95% CI [.05, .33]
    """
    x, size = _read_counts(successes, n)
    if x.ndim == 0 or x.shape[-1] != 2:
        raise DesignError(f"successes has the shape {x.shape}; give two samples on the last axis")
    with np.errstate(divide="ignore", invalid="ignore"):
        p = x / size
    first, second = ((plain(p[..., i]), plain(x[..., i]), plain(size[..., i])) for i in (0, 1))
    return ProportionDifference(
        difference=plain(p[..., 0] - p[..., 1]),
        proportions=(first[0], second[0]),
        successes=(first[1], second[1]),
        n=(first[2], second[2]),
    )


def paired_proportions(data: Any, by: By = None, *, level: str | None = None) -> PairedProportions:
    """Return the difference of two proportions of matched pairs, whose method `confidence_interval` is Newcombe's.

    Its interval combines the score intervals of both measures, and how they correlate [1]_.

    Parameters
    ----------
    data, by
        A 2 × 2 table of pairs with the same two levels on both dimensions, or a frame with one row a pair.
    level
        The level whose share is compared; the first by default (levels of a frame are in alphabetical order).

    Returns
    -------
    PairedProportions
        The difference first minus second, both proportions and the four cells.

    Raises
    ------
    DesignError
        If the table is not 2 × 2 with the same levels on both sides, or has no such level.

    References
    ----------
    .. [1] Newcombe, R. G. (1998). Improved confidence intervals for the difference between binomial proportions based
       on paired data. Statistics in Medicine, 17, 2635–2650.

    Examples
    --------
    >>> print(paired_proportions([[36, 12], [2, 0]]).apa())
    .96 – .76 = .20, 95% CI [.06, .34]
    """
    counts = matched_table(data, by)
    check_filled(counts, levels=False)
    first, second = counts.factors
    if counts.shape != (2, 2) or set(first.levels) != set(second.levels):
        raise DesignError(
            f"matched proportions need the same two levels on both sides; got {', '.join(first.levels)} and "
            f"{', '.join(second.levels)}"
        )
    level = first.levels[0] if level is None else str(level)
    i, j = first.place(level), second.place(level)
    n = counts.n
    # Yes twice, yes first only, yes second only, and never.
    cells = (n[..., i, j], n[..., i, 1 - j], n[..., 1 - i, j], n[..., 1 - i, 1 - j])
    size = sum(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p1, p2 = (cells[0] + cells[1]) / size, (cells[0] + cells[2]) / size
        difference = (cells[1] - cells[2]) / size
    a, b, c, d = map(plain, cells)
    return PairedProportions(
        difference=plain(difference),
        proportions=(plain(p1), plain(p2)),
        cells=(a, b, c, d),
        level=level,
        missing=counts.missing,
        named=not first.name.startswith("factor_"),
    )


def _share_interval(x: FloatArray, n: FloatArray, confidence_level: float, method: str) -> Interval:
    """Return the intervals of Clopper and Pearson, Agresti and Coull, and Jeffreys."""
    from statsmodels.stats.proportion import proportion_confint

    method_code, name = SHARE_INTERVALS[method]
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = proportion_confint(x, n, alpha=1 - check_level(confidence_level), method=method_code)
    low, high = (np.clip(np.where(n > 0, bound, np.nan), 0.0, 1.0) for bound in (low, high))
    if method != "agresti-coull":
        low, high = np.where((n > 0) & (x == 0), 0.0, low), np.where((n > 0) & (x == n), 1.0, high)
    return Interval(plain(low), plain(high), confidence_level, name)


def _read_counts(successes: npt.ArrayLike, n: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    try:
        x, size = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64))
    except (TypeError, ValueError):
        raise DesignError(f"successes {shown(successes)} and n {shown(n)} are not numbers of one shape") from None
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(size))) or np.any((x < 0) | (x > size)):
        raise DesignError(f"successes {shown(successes)} must lie between 0 and n {shown(n)}")
    if np.any(x % 1 != 0) or np.any(size % 1 != 0):
        raise DesignError(
            f"successes {shown(successes)} of n {shown(n)} are not whole; a proportion counts observations"
        )
    if np.all(size == 0) or (size.size <= 2 and np.any(size == 0)):
        raise NotEstimable("n is 0; a proportion of no observations is not known")
    return x, size
