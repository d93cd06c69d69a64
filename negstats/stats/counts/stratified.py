"""Association of two dimensions within the strata of a third: the Cochran–Mantel–Haenszel test.

Use it when a third factor (a country, a session, a site) may drive both dimensions and only their association inside
its levels is of interest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.contingency import TableResult, check_filled, check_one_table, chi2_sf, table, totals
from negstats.stats.effects._effect import Effect
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.result import Interval
from negstats.stats.summaries.frames import By


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BreslowDay(TableResult):
    """Test that the odds ratios of 2 × 2 tables are the same in all strata.

    Attributes
    ----------
    statistic, df, p : float
        Chi-squared (with Tarone's correction), strata − 1, upper tail.
    odds_ratio : float
        Mantel and Haenszel's common odds ratio, at which counts are expected.
    strata : int
        Those with all margins above 0; the others say nothing.
    n : float
        Observations.
    missing : int
        Rows that were left out because a value was missing.
    """

    columns: ClassVar[tuple[str, ...]] = ("statistic", "df", "p", "odds_ratio", "strata", "n", "missing")

    statistic: float
    df: float
    p: float
    odds_ratio: float
    strata: int
    n: float
    missing: int = 0

    def apa(self) -> str:
        """Return ``χ²(df, N = n) = x, p = .xxx (odds ratios of k strata)``.

        Returns
        -------
        str
            The test that the odds ratios of all strata are the same, as a results section prints it.
        """
        test = apa.statistic("χ²", self.statistic, (self.df,), self.p, n=round(self.n))
        return f"{test} (odds ratios of {self.strata} strata)"


def breslow_day(data: Any, by: By = None) -> BreslowDay:
    """Test that the odds ratio of two dimensions is the same in all strata of the third.

    Parameters
    ----------
    data, by
        A table of 2 × 2 × strata, or a frame with the three columns `by`, the strata last.

    Returns
    -------
    BreslowDay
        The chi-squared statistic with df and p, and the common odds ratio that the strata are held against.

    Raises
    ------
    DesignError
        If the table is not 2 × 2 × strata, or a stack.
    NotEstimable
        If fewer than two strata have all margins above 0, or the common odds ratio is 0 or infinite.

    Notes
    -----
    The test of Breslow and Day (1980, sec. 4.4), with Tarone's (1985) correction for the odds ratio's being Mantel and
    Haenszel's; computed by statsmodels.

    References
    ----------
    - Breslow, N. E., & Day, N. E. (1980). Statistical Methods in Cancer Research: Vol. 1. The Analysis of Case-Control
      Studies. International Agency for Research on Cancer.
    - Tarone, R. E. (1985). On heterogeneity tests based on efficient scores. Biometrika, 72, 91–95.

    Examples
    --------
    >>> strata = [[[10, 6], [4, 12]], [[8, 9], [7, 9]], [[12, 3], [2, 11]]]
    >>> print(breslow_day(np.moveaxis(strata, 0, -1)).apa())
    χ²(2, N = 93) = 6.39, p = .041 (odds ratios of 3 strata)
    """
    counts = table(data, by, (3,))
    check_one_table(counts, "breslow_day")
    check_filled(counts, levels=False)
    if counts.shape[:2] != (2, 2):
        raise DesignError(
            f"odds ratios need 2 × 2 tables; this table has {counts.shape[0]} × {counts.shape[1]} a stratum"
        )
    n = np.moveaxis(counts.n, -1, 0)
    # A stratum with an empty margin says nothing of an odds ratio.
    informative = n[(n.sum(axis=1) > 0).all(axis=1) & (n.sum(axis=2) > 0).all(axis=1)]
    if len(informative) < 2:
        raise NotEstimable(f"{len(informative)} strata have all margins above 0; comparing odds ratios needs two")
    # Every stratum is expected to have the common odds ratio of Mantel and Haenszel.
    odds = float(_common_odds(informative)[0])
    if not 0 < odds < np.inf:
        raise NotEstimable(f"the common odds ratio is {odds:g}, so nothing can be expected in the cells")
    from statsmodels.stats.contingency_tables import StratifiedTable

    breslow_day_test = StratifiedTable(list(informative)).test_equal_odds(adjust=True)
    return BreslowDay(
        statistic=float(breslow_day_test.statistic),
        df=float(len(informative) - 1),
        p=float(breslow_day_test.pvalue),
        odds_ratio=odds,
        strata=len(informative),
        n=float(informative.sum()),
        missing=counts.missing,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CochranMantelHaenszel(TableResult):
    """Test of association of two dimensions within the strata of a third.

    Attributes
    ----------
    statistic, df, p : float or ndarray
        Chi-squared, (rows − 1)(columns − 1), upper tail.
    n : float or ndarray
        Observations.
    odds_ratio : float or ndarray
        Mantel and Haenszel's common odds ratio of 2 × 2 × K tables; NaN for larger ones.
    log_se : float or ndarray
        Robins, Breslow and Greenland's standard error of its logarithm.
    method : str
        "Mantel-Haenszel", with or without continuity correction, or "generalized".
    missing : int
        Rows that were left out because a value was missing.
    """

    columns: ClassVar[tuple[str, ...]] = ("statistic", "df", "p", "n", "odds_ratio", "log_se", "method", "missing")

    statistic: Number
    df: Number
    p: Number
    n: Number
    odds_ratio: Number
    log_se: Number
    method: str
    missing: int = 0

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Interval of the common odds ratio: its logarithm ± z standard errors.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, as odds ratios.
        """
        interval = t_interval(np.log(self.odds_ratio), self.log_se, np.inf, confidence_level)
        return Interval(
            plain(np.exp(interval.low)), plain(np.exp(interval.high)), confidence_level, "Robins-Breslow-Greenland"
        )

    def effect_size(self) -> Effect:
        """Return the common odds ratio with its interval; NaN for larger tables.

        Returns
        -------
        Effect
            The odds ratio that the strata share, 1 where there is no association.
        """
        return Effect("odds_ratio", self.odds_ratio, self.confidence_interval)

    def apa(self) -> str:
        """Return ``χ²(df, N = n) = x, p = .xxx`` with the common odds ratio of 2 × 2 × K tables.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        text = apa.statistic("χ²", self._one(self.statistic), (self.df,), self.p, n=round(float(self.n)))
        if np.isnan(self.odds_ratio):
            return text
        interval = self.confidence_interval()
        ratio = apa.with_interval(self.odds_ratio, interval.low, interval.high, interval.confidence_level)
        return f"{text}, common OR = {ratio}"


def cochran_mantel_haenszel(data: Any, by: By = None, *, correction: bool = False) -> CochranMantelHaenszel:
    """Test whether two dimensions are independent within each stratum of the third.

    Parameters
    ----------
    data, by
        A three-way table; the last dimension is the strata. Strata with fewer than two observations bear on nothing
        and are left out of the test.
    correction
        Continuity correction of 2 × 2 × K tables. Off unless asked for, here as in every test of this package that has
        such a correction (R's mantelhaen.test has it on).

    Returns
    -------
    CochranMantelHaenszel
        The statistic with df and p; of 2 × 2 strata also the common odds ratio and its interval.

    Raises
    ------
    DesignError
        If the table does not have three dimensions, or a correction is asked of larger tables.
    NotEstimable
        If the margins of every stratum leave no choice.

    References
    ----------
    - Agresti, A. (2013). Categorical Data Analysis (3rd ed.), 6.4.2 and 8.4.3 (generalized). Wiley.
    - Robins, J., Breslow, N., & Greenland, S. (1986). Estimators of the Mantel-Haenszel variance consistent in both
      sparse data and large-strata limiting models. Biometrics, 42, 311–323.

    Examples
    --------
    >>> strata = [[[0, 6], [0, 5]], [[3, 3], [0, 6]], [[6, 0], [2, 4]], [[5, 1], [6, 0]], [[2, 0], [5, 0]]]
    >>> print(cochran_mantel_haenszel(np.moveaxis(strata, 0, -1)).apa())
    χ²(1, N = 54) = 5.66, p = .017, common OR = 7.00, 95% CI [1.03, 47.73]
    """
    counts = table(data, by, (3,))
    check_filled(counts)
    rows, columns, _ = counts.shape
    if correction and (rows, columns) != (2, 2):
        raise DesignError(f"the continuity correction is for 2 × 2 tables, not {rows} × {columns}")
    n = np.moveaxis(counts.n, -1, -3)  # studies, strata, rows, columns
    deviations, covariance = _moments(n)
    if not counts.studies and np.linalg.matrix_rank(covariance) == 0:
        raise NotEstimable("the margins of every stratum leave no choice; nothing can be tested")
    if (rows, columns) == (2, 2):
        distance = np.abs(deviations[..., 0])
        distance = distance - np.minimum(0.5, distance) if correction else distance
        with np.errstate(divide="ignore", invalid="ignore"):
            value = distance**2 / covariance[..., 0, 0]
        df = np.where(covariance[..., 0, 0] > 0, 1.0, 0.0)
        value = np.where(df > 0, value, 0.0)
        odds, log_se = _common_odds(n)
        name = "Mantel-Haenszel, continuity corrected" if correction else "Mantel-Haenszel"
    else:
        inverse = np.linalg.pinv(covariance, hermitian=True)
        value = np.einsum("...i,...ij,...j->...", deviations, inverse, deviations)
        df = np.linalg.matrix_rank(covariance, hermitian=True).astype(np.float64)
        odds = log_se = np.full(value.shape, np.nan)
        name = "generalized"
    p, size = chi2_sf(value, df), plain(totals(counts))
    return CochranMantelHaenszel(
        statistic=plain(value),
        df=plain(df),
        p=p,
        n=size,
        odds_ratio=plain(odds),
        log_se=plain(log_se),
        method=name,
        missing=counts.missing,
    )


def _moments(n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Observed minus expected and its covariance given all margins, over strata; without the last row and column."""
    size = n.sum(axis=(-2, -1))
    is_informative = size > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        rows, columns = n.sum(axis=-1) / size[..., None], n.sum(axis=-2) / size[..., None]
        hypergeometric_scale = size**2 / (size - 1)
    rows, columns = (np.where(is_informative[..., None], share, 0.0)[..., :-1] for share in (rows, columns))
    hypergeometric_scale = np.where(is_informative, hypergeometric_scale, 0.0)
    deviations = np.where(is_informative[..., None, None], n[..., :-1, :-1], 0.0)
    deviations = (
        deviations - np.where(is_informative, size, 0.0)[..., None, None] * rows[..., :, None] * columns[..., None, :]
    )
    # The covariance of a table given its margins is the product of those of its rows and its columns.
    row_covariance, column_covariance = (_multinomial(share) for share in (rows, columns))
    covariance = np.einsum("...k,...kac,...kbd->...abcd", hypergeometric_scale, row_covariance, column_covariance)
    n_free = rows.shape[-1] * columns.shape[-1]
    total = deviations.sum(axis=-3)
    return total.reshape(*total.shape[:-2], n_free), covariance.reshape(*covariance.shape[:-4], n_free, n_free)


def _multinomial(share: FloatArray) -> FloatArray:
    return np.asarray(share[..., :, None] * (np.eye(share.shape[-1]) - share[..., None, :]))


def _common_odds(n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mantel and Haenszel's odds ratio and the standard error of its logarithm, over strata."""
    size = n.sum(axis=(-2, -1))
    n, size = np.where(size[..., None, None] > 0, n, 0.0), np.where(size > 0, size, 1.0)
    concordant, cross = n[..., 0, 0] * n[..., 1, 1] / size, n[..., 0, 1] * n[..., 1, 0] / size
    agree, differ = (n[..., 0, 0] + n[..., 1, 1]) / size, (n[..., 0, 1] + n[..., 1, 0]) / size
    r, s = concordant.sum(axis=-1), cross.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (
            (agree * concordant).sum(axis=-1) / (2 * r**2)
            + (agree * cross + differ * concordant).sum(axis=-1) / (2 * r * s)
            + (differ * cross).sum(axis=-1) / (2 * s**2)
        )
        return r / s, np.sqrt(variance)
