"""Cox's regression of the rate of an event: hazard ratios, strata, clusters, and the check of proportionality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.outcomes.term_tests import ratio_text
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import check_choice, t_interval
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries.codes import IntArray
from negstats.stats.time._columns import Columns
from negstats.stats.time._partial import Partial, RiskSets
from negstats.stats.time.ends import Names

# Newton's steps; a coefficient that still moves after so many has no finite best value.
STEPS = 30
SMALLEST_STEP = 1e-9

Transform = Literal["km", "rank", "identity", "log"]
TRANSFORMS = ("km", "rank", "identity", "log")


@dataclass(frozen=True, slots=True, repr=False)
class Wald(Result):
    """The test that several coefficients are 0 together.

    Attributes
    ----------
    term : str
    statistic, df1, df2, p : float
        Chi-squared on df1, and df2 is infinite; with clusters F.
    """

    term: str
    statistic: float
    df1: float
    df2: float
    p: float

    def apa(self) -> str:
        """Return chi-squared, or F where there are clusters."""
        if np.isinf(self.df2):
            return apa.statistic("χ²", self.statistic, (self.df1,), self.p)
        return apa.statistic("F", self.statistic, (self.df1, self.df2), self.p)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Proportionality(Result):
    """Whether hazard ratios stay the same over time.

    Attributes
    ----------
    names : tuple of str
        The coefficients, and last "together".
    statistic, df, p : ndarray
        Chi-squared of each coefficient's change with time, and of all together.
    transform : str
        Of time: "km" (1 − Kaplan and Meier), "rank", "identity" or "log".
    """

    names: tuple[str, ...]
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    transform: Transform

    def to_frame(self) -> pd.DataFrame:
        """Return one row a coefficient, and one for all."""
        columns = {"statistic": self.statistic, "df": self.df, "p": self.p, "transform": self.transform}
        frame = pd.DataFrame({"name": list(self.names)} | columns)
        frame.attrs["schema"] = "Proportionality/1"
        return frame

    def apa(self) -> str:
        """Return each test."""
        rows = zip(self.names, self.statistic, self.df, self.p, strict=True)
        return "; ".join(f"{name}: {apa.statistic('χ²', x, (df,), p)}" for name, x, df, p in rows)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Cox(Result):
    """A fitted Cox model: how predictors multiply the rate of an event.

    Attributes
    ----------
    event : str
        Whose rate.
    names : tuple of str
        The coefficients, log hazard ratios; a factor's ``g[T.a]`` is level a against the first.
    estimate, se, statistic, p : ndarray, shape (coefficients,)
        With standard errors from the information, or the sandwich over clusters; z, or t with clusters.
    df : float
        Infinite; with clusters, clusters less coefficients (our choice; R gives z).
    covariance, naive : ndarray, shape (coefficients, coefficients)
        Of the estimates; `naive` takes rows as independent.
    log_likelihood, null : float
        Partial log-likelihood, and without predictors.
    n, events, competing : int
        Rows, events, and rows that ended otherwise, taken as censored.
    strata, clusters, missing : int
        Strata (1 if none), clusters (0 without any), and rows that lacked a value.
    """

    event: str
    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    df: float
    p: FloatArray
    covariance: FloatArray = field(repr=False)
    naive: FloatArray = field(repr=False)
    log_likelihood: float
    null: float
    n: int
    events: int
    competing: int
    strata: int
    clusters: int
    missing: int
    terms: dict[str, tuple[int, ...]] = field(repr=False)
    columns: Columns = field(repr=False)
    fit: Partial = field(repr=False)  # of `columns`, as `measured` is: coefficients and their covariance
    measured: tuple[FloatArray, FloatArray] = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return each coefficient's interval (of the log hazard ratio).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its ends are arrays with one entry a coefficient.
        """
        low, high = t_interval(self.estimate, self.se, np.float64(self.df), check_level(confidence_level), "two-sided")
        return Interval(low, high, confidence_level, "t" if self.clusters else "normal")

    def hazard_ratios(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a coefficient: its hazard ratio with the interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            The coefficient, its ratio, and the ends of the interval; 1 is no effect.
        """
        ends = self.confidence_interval(confidence_level)
        columns = {"hazard_ratio": self.estimate, "low": np.asarray(ends.low), "high": np.asarray(ends.high)}
        with np.errstate(over="ignore"):
            return pd.DataFrame({"name": list(self.names)} | {name: np.exp(value) for name, value in columns.items()})

    def likelihood_ratio(self) -> LikelihoodRatio:
        """Return the test of all predictors; DesignError with clusters, whose rows have no joint likelihood.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.
        """
        if self.clusters:
            raise DesignError("rows of a cluster are not independent, so likelihoods do not compare; use test()")
        ratio = max(0.0, 2 * (self.log_likelihood - self.null))
        return LikelihoodRatio(ratio, len(self.names), float(special.chdtrc(len(self.names), ratio)), False)

    def test(self, term: str | Sequence[str] | None = None) -> Wald:
        """Test that the coefficients of a term, named ones, or (by default) all are 0 together.

        Of a term that others contain, as agent in ``agent * ask``: its effect at the mean of numbers that the formula
        names as they are (transformed ones at 0), averaged over the levels of other factors, each with the same weight,
        as in `linear_model`, `mixed` and `logistic`. Named coefficients are tested as they are printed.

        Parameters
        ----------
        term
            A term as the formula names it, or the names of several coefficients.

        Returns
        -------
        Wald
            Chi-squared or, with clusters, F, with its degrees of freedom and p.
        """
        if term is None:
            places, name = list(range(len(self.names))), "all"
        elif isinstance(term, str) and term in self.terms:
            places, name = list(self.terms[term]), term
        else:
            coefficients = [term] if isinstance(term, str) else list(term)
            all_names = [*self.terms, *self.names]
            for one in coefficients:
                if one not in self.names:
                    raise DesignError(f"there is no term or coefficient {shown(one)}; {meant(one, all_names)}")
            places, name = [self.names.index(one) for one in coefficients], ", ".join(coefficients)
        rows = self.columns.averaged if isinstance(term, str) and term in self.terms else self.columns.back
        if term is None:
            rows = np.eye(len(self.names))
        b, spread = rows[places] @ self.measured[0], rows[places] @ self.measured[1] @ rows[places].T
        q = float(len(places))
        chi2 = float(b @ np.linalg.solve(spread, b))
        if not self.clusters:
            return Wald(name, chi2, q, self.df, float(special.chdtrc(q, chi2)))
        return Wald(name, chi2 / q, q, self.df, float(special.fdtrc(q, self.df, chi2 / q)))

    def proportionality(self, transform: Transform = "km") -> Proportionality:
        """Test whether each log hazard ratio changes with time, and all together.

        The score test of an interaction with the transformed time (Therneau and Grambsch, 2000, sec. 6.2; R's cox.zph
        since survival 3.0). It takes rows as independent: with clusters it rejects too often. A test is missing where
        too few times have events to tell a change of several ratios.

        Parameters
        ----------
        transform
            How time enters: "km" (one minus the share that still waits), "rank", "identity" or "log".

        Returns
        -------
        Proportionality
            The test of each coefficient and of all together.

        Raises
        ------
        NotEstimable
            If all events were at one time.
        """
        check_choice("transform", transform, TRANSFORMS)
        g = self._transformed(transform)
        fit, p = self.fit, len(self.names)
        if np.ptp(g) <= ROUNDING * np.abs(g).max():
            raise NotEstimable(f"every {self.event!r} was at one time; whether ratios change needs events at several")
        # Scores add up to 0, so that only how far times lie from each other counts.
        weight = np.einsum("tii->t", fit.information)
        g = g - float(weight @ g / weight.sum())
        u = g @ fit.score
        both, squared = (np.einsum("t,tij->ij", power, fit.information) for power in (g, g**2))
        spread = squared - both @ np.linalg.inv(fit.information.sum(axis=0)) @ both
        each = self.columns.out  # the score of a coefficient as it is printed
        variance, most = (np.einsum("ij,ik,kj->j", each, matrix, each) for matrix in (spread, squared))
        with np.errstate(divide="ignore", invalid="ignore"):
            single = np.where(variance > ROUNDING * most, (u @ each) ** 2 / variance, np.nan)
        size = np.sqrt(np.diagonal(squared))
        full = np.linalg.eigvalsh(spread / np.multiply.outer(size, size))[0] > ROUNDING * p
        statistic = np.append(single, u @ np.linalg.solve(spread, u) if full else np.nan)
        df = np.append(np.ones(p), float(p))
        chance = np.asarray(special.chdtrc(df, statistic), dtype=np.float64)
        return Proportionality((*self.names, "together"), statistic, df, chance, transform)

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a coefficient: log hazard ratio, its test, hazard ratio and interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            Ratios have no unit; the interval is that of the ratio.
        """
        ratios = self.hazard_ratios(confidence_level)
        columns = {"estimate": self.estimate, "se": self.se, "statistic": self.statistic, "df": self.df, "p": self.p}
        frame = pd.concat([pd.DataFrame({"name": list(self.names)} | columns), ratios.drop(columns="name")], axis=1)
        frame.attrs["schema"] = "Cox/1"
        return frame

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each hazard ratio with its interval and test: for one unit, or for the step that is said.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the ratios, between 0 and 1.

        Returns
        -------
        str
            One clause a coefficient, with semicolons between.
        """
        symbol, df = ("t", (self.df,)) if self.clusters else ("z", ())
        each = []
        ends = self.confidence_interval(confidence_level)
        for place, name in enumerate(self.names):
            test_text = apa.statistic(symbol, float(self.statistic[place]), df, float(self.p[place]))
            low, high = float(np.asarray(ends.low)[place]), float(np.asarray(ends.high)[place])
            step = self.columns.step(place)
            hazard = ratio_text("HR", float(self.estimate[place]), low, high, confidence_level, step)
            each.append(f"{name}: {hazard}, {test_text}")
        return "; ".join(each)

    def _transformed(self, transform: Transform) -> FloatArray:
        """Return the transform of each event time."""
        times = self.fit.time
        if transform == "identity":
            return times
        if transform == "log":
            if not (times > 0).all():
                raise DesignError("transform is 'log' and an event is at time 0; choose another transform")
            return np.asarray(np.log(times))
        data = self.columns
        distinct, at = np.unique(data.time, return_inverse=True)
        y = np.bincount(at)[::-1].cumsum()[::-1]
        d = np.bincount(at, data.event)
        if transform == "rank":  # of all times, not of events only, as in R
            size = np.bincount(at)
            place = np.cumsum(size) - (size - 1) / 2
        else:
            place = 1 - np.append(1.0, np.cumprod(1 - d / y)[:-1])
        return np.asarray(place[np.searchsorted(distinct, times)])


def cox(
    data: Any,
    formula: str,
    time: str = "time",
    ended: str = "ended",
    event: Names | None = None,
    censored: Names = (),
    *,
    strata: str | None = None,
    cluster: str | None = None,
) -> Cox:
    """Regress the rate of an event on predictors (Cox, 1972), ties after Efron.

    Ends that compete with the event are taken as censored: the model is of the cause-specific rate. Fit one for each
    end, since either rate changes how many have the event.

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row a unit.
    formula
        The predictors, such as "agent + ask" (formulaic's syntax; text becomes treatment-coded levels).
    time, ended
        When each unit ended or was last seen, and how (levels, or truth values: true is the event).
    event, censored
        The levels of `ended` that are the event, and those that only say that watching stopped.
    strata
        The column of strata, each with its own baseline rate.
    cluster
        The column of what makes rows dependent (pair, person, game): standard errors are the sandwich over clusters.

    Returns
    -------
    Cox
        One coefficient a row, in log hazard ratios, with standard error, z and p.

    Raises
    ------
    DesignError
        If a column is wrong, the formula cannot be read, or a predictor follows from others.
    NotEstimable
        If there is no event, or a coefficient has no finite best value because a level had no event or the predictors
        tell in which order units had it.

    Notes
    -----
    Newton's method on Efron's partial likelihood, as in R's coxph; the sandwich sums score residuals by cluster (Lin
    and Wei, 1989, JASA 84, 1074-1078).

    Examples
    --------
    >>> games = {"rounds": [3, 5, 6, 8, 9, 4, 5, 7, 11, 12], "agreed": [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]}
    >>> games["agent"] = ["fair"] * 5 + ["tough"] * 5
    >>> cox(games, "agent", "rounds", "agreed").apa()
    'agent[T.tough]: HR = 0.40, 95% CI [0.07, 2.20], z = −1.06, p = .290'
    """
    columns = Columns.of(data, formula, time, ended, event, censored, strata, cluster)
    x = columns.x - columns.x.mean(axis=0)
    size = x.std(axis=0)
    sets = RiskSets.of(x / size, columns.time, columns.event, columns.stratum)
    null = sets.at(np.zeros(x.shape[1]))
    maximum, fit = _maximum(columns, sets, null)
    best, scale = maximum / size, np.multiply.outer(size, size)
    # the fit was of columns of unit size
    fit = Partial(fit.log_likelihood, fit.time, fit.score * size, fit.information * scale)
    naive = np.linalg.inv(fit.information.sum(axis=0))
    measured, df = naive, float("inf")
    if columns.cluster is not None:
        measured, df = _sandwich(naive, sets.row_scores(maximum) * size, columns.cluster)
    back = columns.back
    b, covariance = back @ best, back @ measured @ back.T
    se = np.sqrt(np.diagonal(covariance))
    z = b / se
    return Cox(
        event=columns.name,
        names=columns.names,
        estimate=b,
        se=se,
        statistic=z,
        df=df,
        p=np.asarray(2 * special.stdtr(df, -np.abs(z)) if np.isfinite(df) else 2 * special.ndtr(-np.abs(z))),
        covariance=covariance,
        naive=back @ naive @ back.T,
        log_likelihood=fit.log_likelihood,
        null=null.log_likelihood,
        n=len(x),
        events=int(columns.event.sum()),
        competing=columns.competing,
        strata=int(columns.stratum.max()) + 1,
        clusters=0 if columns.cluster is None else int(columns.cluster.max()) + 1,
        missing=columns.missing,
        terms=columns.terms,
        columns=columns,
        fit=fit,
        measured=(best, measured),
    )


def _maximum(columns: Columns, sets: RiskSets, null: Partial) -> tuple[FloatArray, Partial]:
    """Return the coefficients of the largest partial likelihood, by Newton's steps, halved where they overshoot."""
    step = b = np.zeros(null.score.shape[1])
    fit = null
    for _ in range(STEPS):
        information = fit.information.sum(axis=0)
        values = np.linalg.eigvalsh(information)
        if values[0] <= 1e-9 * max(values[-1], 1e-300):
            break
        step = np.linalg.solve(information, fit.score.sum(axis=0))
        if np.abs(step).max() < SMALLEST_STEP * (1 + np.abs(b).max()):
            return b, fit
        for _ in range(20):
            candidate = sets.at(b + step)
            if candidate.log_likelihood >= fit.log_likelihood - 1e-10 * abs(fit.log_likelihood):
                break
            step = step / 2
        else:
            candidate = sets.at(b + step)
        b, fit = b + step, candidate
    worst = columns.names[int(np.abs(step).argmax())] if np.abs(step).any() else columns.names[0]
    raise NotEstimable(
        f"the coefficient {worst!r} has no finite best value: a level without the event {columns.name!r}, or "
        "predictors that tell the order of the events; leave it out or join levels"
    )


def _sandwich(naive: FloatArray, rows: FloatArray, cluster: IntArray) -> tuple[FloatArray, float]:
    clusters, p = int(cluster.max()) + 1, len(naive)
    if clusters <= p:
        raise NotEstimable(f"{clusters} clusters cannot give standard errors of {p} coefficients; leave terms out")
    total = np.stack([np.bincount(cluster, rows[:, place], clusters) for place in range(p)], axis=-1)
    return np.asarray(naive @ (total.T @ total) @ naive), float(clusters - p)
