"""Cox's regression of the rate of an event by Efron's partial likelihood: hazard ratios, strata, clusters, checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.design import ModelDesign, read_design
from negstats.stats.fitted import WaldModel, no_likelihood, wald_columns
from negstats.stats.models.random_terms import quote_column
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.numerics import newton
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray, settled
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries.coerce import as_frame
from negstats.stats.summaries.formulas import Formula, Reference
from negstats.stats.summaries.frames import IntArray, level_codes, numbers
from negstats.stats.time.ends import Names, kinds_of, listed
from negstats.stats.time.risk_sets import Partial, RiskSets

# Newton's steps; a coefficient that still moves after so many has no finite best value.
STEPS = 30
# Of the information of all coefficients, what is not information.
FLAT = 1e-9

Transform = Literal["km", "rank", "identity", "log"]
TRANSFORMS = ("km", "rank", "identity", "log")


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
        return with_schema(pd.DataFrame({"name": list(self.names)} | columns), "Proportionality/1")

    def apa(self) -> str:
        """Return each test."""
        rows = zip(self.names, self.statistic, self.df, self.p, strict=True)
        return "; ".join(f"{name}: {apa.statistic('χ²', x, (df,), p)}" for name, x, df, p in rows)


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """When each complete row ended, whether with the event, and what it belongs to."""

    time: FloatArray
    event: FloatArray
    stratum: IntArray
    cluster: IntArray | None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Cox(WaldModel):
    """A fitted Cox model: how predictors multiply the rate of an event; what is not named here as `FittedModel`.

    Attributes
    ----------
    outcome, event : str
        The column of times, and whose rate is modelled.
    names : tuple of str
        The coefficients, log hazard ratios; there is no intercept.
    estimate, se, statistic, p : ndarray, shape (coefficients,)
        With standard errors from the information, or the sandwich over clusters; z, or t with clusters.
    df : float
        Infinite; with clusters, clusters less coefficients (our choice; R gives z).
    covariance, naive : ndarray, shape (coefficients, coefficients)
        Of the estimates; `naive` takes rows as independent.
    log_likelihood, null_log_likelihood : float
        Partial log-likelihood, and without predictors.
    n, events, competing : int
        Rows, events, and rows that ended otherwise, taken as censored.
    strata, clusters, missing : int
        Strata (1 if none), clusters (0 without any), and rows that lacked a value.
    """

    RATIO = "HR"

    event: str
    naive: FloatArray = field(repr=False)
    log_likelihood: float
    null_log_likelihood: float
    events: int
    competing: int
    strata: int
    clusters: int
    ends: Ends = field(repr=False)
    fit: Partial = field(repr=False)  # of the columns that were fitted, as `measured` is
    measured: tuple[FloatArray, FloatArray] = field(repr=False)
    martingale: FloatArray = field(repr=False)

    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the columns that were fitted, 0 of the intercept, and their covariance."""
        beta, covariance = self.measured
        with_intercept = np.zeros((len(beta) + 1, len(beta) + 1))
        with_intercept[1:, 1:] = covariance
        return np.append(0.0, beta), with_intercept

    def _mean(self, eta: FloatArray) -> FloatArray:
        """Return the rate relative to that of a unit with numbers at their means and factors at reference levels."""
        return np.exp(eta)

    @property
    def residuals(self) -> pd.Series:
        """Martingale residuals: 1 for the event, less how many the model expects by the end, with the frame's index."""
        return pd.Series(self.martingale, index=self.design.outcome.index, name="residual")

    def _criterion(self) -> tuple[float, int, int]:
        """Return the partial log-likelihood, the coefficients, and the events, which it is made of (as in R)."""
        if self.clusters:
            raise no_likelihood("rows of a cluster are not independent")
        return self.log_likelihood, len(self.names), self.events

    def likelihood_ratio(self) -> LikelihoodRatio:
        """Return the test of all predictors; DesignError with clusters, whose rows have no joint likelihood.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.
        """
        if self.clusters:
            raise DesignError("rows of a cluster are not independent, so likelihoods do not compare; use test()")
        return LikelihoodRatio.of(self.log_likelihood, self.null_log_likelihood, len(self.names))

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

        References
        ----------
        Therneau, T. M., & Grambsch, P. M. (2000). Modeling Survival Data: Extending the Cox Model. Springer.
        """
        check_choice("transform", transform, TRANSFORMS)
        transformed = self._transformed(transform)
        fit, p = self.fit, len(self.names)
        if np.ptp(transformed) <= ROUNDING * np.abs(transformed).max():
            raise NotEstimable(f"every {self.event!r} was at one time; whether ratios change needs events at several")
        # Scores add up to 0, so that only how far times lie from each other counts.
        weight = np.einsum("tii->t", fit.information)
        transformed = transformed - float(weight @ transformed / weight.sum())
        # The score of a slope of each coefficient on the transformed time, at no slope.
        score = transformed @ fit.score
        weighted_information, squared_information = (
            np.einsum("t,tij->ij", powers, fit.information) for powers in (transformed, transformed**2)
        )
        # Its variance, less what is lost because the coefficients themselves were estimated.
        score_variance = (
            squared_information
            - weighted_information @ np.linalg.inv(fit.information.sum(axis=0)) @ weighted_information
        )
        to_printed = np.linalg.inv(self.design.back[1:, 1:])  # the score of a coefficient as it is printed
        variance, largest_variance = (
            np.einsum("ij,ik,kj->j", to_printed, matrix, to_printed) for matrix in (score_variance, squared_information)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            single_statistics = np.where(
                variance > ROUNDING * largest_variance, (score @ to_printed) ** 2 / variance, np.nan
            )
        size = np.sqrt(np.diagonal(squared_information))
        is_full_rank = np.linalg.eigvalsh(score_variance / np.multiply.outer(size, size))[0] > ROUNDING * p
        statistic = np.append(
            single_statistics, score @ np.linalg.solve(score_variance, score) if is_full_rank else np.nan
        )
        df = np.append(np.ones(p), float(p))
        p_values = np.asarray(special.chdtrc(df, statistic), dtype=np.float64)
        return Proportionality((*self.names, "together"), statistic, df, p_values, transform)

    def _transformed(self, transform: Transform) -> FloatArray:
        """Return the transform of each event time."""
        times = self.fit.time
        if transform == "identity":
            return times
        if transform == "log":
            if not (times > 0).all():
                raise DesignError("transform is 'log' and an event is at time 0; choose another transform")
            return np.asarray(np.log(times))
        data = self.ends
        distinct, positions = np.unique(data.time, return_inverse=True)
        at_risk = np.bincount(positions)[::-1].cumsum()[::-1]
        n_events = np.bincount(positions, data.event)
        if transform == "rank":  # of all times, not of events only, as in R
            n_ended = np.bincount(positions)
            transformed = np.cumsum(n_ended) - (n_ended - 1) / 2
        else:
            transformed = 1 - np.append(1.0, np.cumprod(1 - n_events / at_risk)[:-1])
        return np.asarray(transformed[np.searchsorted(distinct, times)])


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
    reference: Reference = None,
) -> Cox:
    """Regress the rate of an event on predictors (Cox, 1972), ties after Efron.

    Ends that compete with the event are taken as censored: the model is of the cause-specific rate. Fit one for each
    end, since either rate changes how many have the event.

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row a unit.
    formula
        The predictors, such as "agent + ask", as in `logistic`.
    time, ended
        When each unit ended or was last seen, and how (levels, or truth values: true is the event).
    event, censored
        The levels of `ended` that are the event, and those that only say that watching stopped.
    strata
        The column of strata, each with its own baseline rate.
    cluster
        The column of what makes rows dependent (pair, person, game): standard errors are the sandwich over clusters.
    reference
        As in `logistic`.

    Returns
    -------
    Cox
        One coefficient a row, in log hazard ratios, with standard error, z and p.

    Raises
    ------
    DesignError
        If a column is wrong or the formula cannot be read.
    NotEstimable
        If there is no event, a predictor follows from others, or a coefficient has no finite best value because a level
        had no event or the predictors tell in which order units had it.

    Notes
    -----
    Newton's method on Efron's partial likelihood, as in R's coxph; the sandwich sums score residuals by cluster (Lin
    and Wei, 1989).

    References
    ----------
    - Cox, D. R. (1972). Regression models and life-tables. Journal of the Royal Statistical Society, Series B, 34,
      187–220.
    - Lin, D. Y., & Wei, L. J. (1989). The robust inference for the Cox proportional hazards model. Journal of the
      American Statistical Association, 84, 1074–1078.

    Examples
    --------
    >>> games = {"rounds": [3, 5, 6, 8, 9, 4, 5, 7, 11, 12], "agreed": [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]}
    >>> games["agent"] = ["fair"] * 5 + ["tough"] * 5
    >>> cox(games, "agent", "rounds", "agreed").apa()
    'agent: χ²(1) = 1.12, p = .290, HR = 0.40, 95% CI [0.07, 2.20]'
    """
    design, survival_times, event_name, competing = _read(
        data, formula, time, ended, (event, censored), strata, cluster, reference
    )
    columns = design.columns()[:, 1:]
    x = columns - columns.mean(axis=0)
    size = x.std(axis=0)
    sets = RiskSets.of(x / size, survival_times.time, survival_times.event, survival_times.stratum)
    null = sets.at(np.zeros(x.shape[1]))
    maximum, fit = _maximum(design.names[1:], event_name, sets, null)
    coefficients, scale = maximum / size, np.multiply.outer(size, size)
    # the fit was of columns of unit size
    fit = Partial(fit.log_likelihood, fit.time, fit.score * size, fit.information * scale)
    naive_covariance = np.linalg.inv(fit.information.sum(axis=0))
    measured_covariance, df = naive_covariance, float("inf")
    if survival_times.cluster is not None:
        measured_covariance, df = _sandwich(naive_covariance, sets.row_scores(maximum) * size, survival_times.cluster)
    to_printed = design.back[1:, 1:]
    return Cox(
        outcome=time,
        event=event_name,
        names=design.names[1:],
        **wald_columns(to_printed @ coefficients, to_printed @ measured_covariance @ to_printed.T, df),
        naive=to_printed @ naive_covariance @ to_printed.T,
        log_likelihood=fit.log_likelihood,
        null_log_likelihood=null.log_likelihood,
        n=len(x),
        events=int(survival_times.event.sum()),
        competing=competing,
        strata=int(survival_times.stratum.max()) + 1,
        clusters=0 if survival_times.cluster is None else int(survival_times.cluster.max()) + 1,
        missing=design.missing,
        design=design,
        ends=survival_times,
        fit=fit,
        measured=(coefficients, measured_covariance),
        martingale=sets.martingale(maximum),
    )


def _read(
    data: Any, formula: str, time: str, ended: str, names: tuple[Names | None, Names], strata: str | None,
    cluster: str | None, reference: Reference,
) -> tuple[ModelDesign, Ends, str, int]:  # fmt: skip
    """Return the design of the complete rows, how they ended, the event's name, and how many ended otherwise."""
    if not isinstance(formula, str) or "~" in formula.lstrip(" ~"):
        raise DesignError(f"formula is {shown(formula)}; name predictors, such as 'agent + ask', and the time apart")
    parsed_formula = Formula.parse(f"{quote_column(time)} ~ {formula.lstrip(' ~')}")
    if not parsed_formula.terms:
        raise DesignError(f"the formula {shown(formula)} names no predictor")
    extra = [name for name in dict.fromkeys([ended, strata, cluster]) if name is not None]
    columns = list(dict.fromkeys([*parsed_formula.columns, *extra]))
    frame = as_frame(data, columns, "formula, time, ended")
    if not frame.notna().all(axis=1).any():
        raise NotEstimable(f"no row has a value in every column of {', '.join(columns)}")
    design = read_design(frame, parsed_formula, cluster, None, reference, extra)
    rows, times = frame[design.whole], numbers(design.outcome, time)
    if (times < 0).any():
        raise DesignError(f"{time!r} is {times.min():g} in a row; times are counted from 0")
    event, censored = names
    end_codes, end_names = kinds_of(rows[ended].reset_index(drop=True), ended, listed(event), listed(censored))
    is_event = (end_codes == 1).astype(np.float64)
    if not is_event.any():
        raise NotEstimable(f"no unit ended with {end_names[1]!r}; there is no rate to model")
    stratum = np.zeros(len(rows), dtype=np.intp)
    if strata is not None:
        stratum = np.unique(level_codes(rows[strata])[0], return_inverse=True)[1]
    survival_times = Ends(_merge_times(times), is_event, stratum, None if cluster is None else design.clusters)
    return design, survival_times, end_names[1], int((end_codes > 1).sum())


def _merge_times(times: FloatArray) -> FloatArray:
    """Return times in which those that differ by rounding alone are one."""
    distinct, at = np.unique(times, return_inverse=True)
    codes = settled(distinct)
    return distinct[np.flatnonzero(np.diff(codes, prepend=-1))][codes][at]


def _maximum(names: tuple[str, ...], event: str, sets: RiskSets, null: Partial) -> tuple[FloatArray, Partial]:
    """Return the coefficients of the largest partial likelihood, and it."""
    last_tried = np.zeros(null.score.shape[1])

    def derivatives(b: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        nonlocal last_tried
        last_tried = b
        fit = sets.at(b)
        information = fit.information.sum(axis=0)
        if np.linalg.eigvalsh(information)[0] <= FLAT * max(np.trace(information), 1e-300):
            information = np.zeros_like(information)  # a coefficient runs off, and nothing is left to tell of it
        return fit.log_likelihood, fit.score.sum(axis=0), information

    maximum = newton(derivatives, last_tried, steps=STEPS)
    if maximum is not None:
        return maximum.point, sets.at(maximum.point)
    raise NotEstimable(
        f"the coefficient {names[int(np.abs(last_tried).argmax())]!r} has no finite best value: a level without the "
        f"event {event!r}, or predictors that tell the order of the events; leave it out or join levels"
    )


def _sandwich(naive_covariance: FloatArray, row_scores: FloatArray, cluster: IntArray) -> tuple[FloatArray, float]:
    clusters, n_columns = int(cluster.max()) + 1, len(naive_covariance)
    if clusters <= n_columns:
        raise NotEstimable(
            f"{clusters} clusters cannot give standard errors of {n_columns} coefficients; leave terms out"
        )
    # Scores summed inside clusters may depend in any way; only clusters are independent.
    cluster_scores = np.stack(
        [np.bincount(cluster, row_scores[:, column], clusters) for column in range(n_columns)], axis=-1
    )
    return np.asarray(naive_covariance @ (cluster_scores.T @ cluster_scores) @ naive_covariance), float(
        clusters - n_columns
    )
