"""Acceptance thresholds by person and their distribution: what people accept, and what decisions.

The model is logit P(person i accepts benefit b) = β₀ + γ′c + βb + u_i with u ~ N(0, σ²). Person i accepts with
probability ½ at T_i = −(β₀ + γ′c + u_i)/β, and in the population T ~ N(μ_T, σ_T²) with μ_T = −(β₀ + γ′c)/β and
σ_T = σ/β. Two questions have two answers: the benefit that a share q **of people** accepts (with p ≥ ½) is
μ_T + z_q σ_T; the benefit at which a share q **of decisions** is acceptance is where the curve averaged over people
reaches q.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import NotEstimable, UsageError, shown
from negstats.estimate._pooled import fit_pooled
from negstats.estimate._thresholds import Thresholds
from negstats.estimate.censored import fit_censored
from negstats.estimate.mixed_thresholds import NOT_RISING, fit_people, fit_slopes
from negstats.estimate.people import AnswersOf, PersonDecisions, read_decisions
from negstats.stats.models.responses.engine import MISSING_ENGINE, has_engine

ThresholdModel: TypeAlias = Literal["auto", "mixed", "pooled"]
FEWEST_PEOPLE, FEWEST_BOTH = 3, 2


def thresholds(
    tables: Mapping[str, pd.DataFrame],
    by: str | None = None,
    model: ThresholdModel = "auto",
    answers: AnswersOf = "humans",
    shares: Sequence[float] = (0.5, 0.8, 0.9),
    *,
    role: str | None = None,
    points_per_unit: float | None = None,
    slope: Literal["common", "person"] = "common",
    confidence_level: float = 0.95,
    seed: int = 1,
) -> Thresholds:
    """Estimate people's acceptance thresholds and their distribution from a study's tables.

    Parameters
    ----------
    tables
        ``offers``, ``players``, ``games`` (for `by`) and ``answers`` (least acceptable amounts) by name.
    by
        A factor of the games, such as "country": one model with a common slope and spread, a mean for each level.
    model
        "mixed": people differ. "pooled": one logistic curve. "auto": mixed if at least 3 people made 2 decisions or
        more, at least 2 gave both answers, and the fit is to be had; otherwise pooled, and a note says why.
    answers
        "humans": every decision by a human, whoever offered. "humans-to-humans": of games of humans only.
    shares
        Of people and of decisions, whose benefits are wanted.
    role, points_per_unit
        As for `acceptance_threshold`; without a role all offers count.
    slope
        "person": slopes differ by person too. Then thresholds are a ratio that has no mean: quantiles by 10,000 draws.
    confidence_level, seed
        Of intervals, and of draws (the pooled curve's bootstrap, quantiles with slopes by person, the test of groups
        where there are fewer than 30 people).

    Returns
    -------
    Thresholds
        One threshold a person, in points, and the mean and spread of the population.

    Raises
    ------
    UsageError
        If no offer was answered by a human, or an argument is unknown.
    NotEstimable
        If acceptance does not rise with benefit, or the answers do not give the model that is asked for.

    Notes
    -----
    Intervals by the delta method on (β, ln σ) with t on people less groups; of SDs on their logarithms. Least
    acceptable amounts are censored thresholds on a normal: ℓ = Σ ln[Φ((L − μ)/σ) − Φ((L − h − μ)/σ)].

    Examples
    --------
    >>> from negstats import datasets
    >>> result = thresholds(datasets.robot().tables)
    >>> result.apa()
    'M = 0.84, 95% CI [0.80, 0.88], SD = 0.08 (points; 66 people, 1569 decisions)'
    >>> result.shares.query("share == .9")[["of", "benefit"]].round(3).to_dict("records")
    [{'of': 'people', 'benefit': 0.936}, {'of': 'decisions', 'benefit': 1.022}]
    """
    person_decisions = read_decisions(tables, by, answers, role, points_per_unit)
    return fit_thresholds(person_decisions, model, shares, slope=slope, confidence_level=confidence_level, seed=seed)


def fit_thresholds(
    read: PersonDecisions,
    model: ThresholdModel = "auto",
    shares: Sequence[float] = (0.5, 0.8, 0.9),
    *,
    slope: Literal["common", "person"] = "common",
    confidence_level: float = 0.95,
    seed: int = 1,
) -> Thresholds:
    """Fit decisions that were read; parameters as for `thresholds`."""
    if model not in ("auto", "mixed", "pooled") or slope not in ("common", "person"):
        raise UsageError(
            f"model is {shown(model)} and slope {shown(slope)}; give model 'auto', 'mixed' or 'pooled', and slope "
            "'common' or 'person'"
        )
    if not all(0 < share < 1 for share in (*shares, confidence_level)):
        raise UsageError(f"shares are {shown(tuple(shares))}; give shares and a confidence level between 0 and 1")
    if read.elicited is not None:
        return fit_censored(read, shares, confidence_level)
    benefit = read.frame["benefit"]
    if benefit.nunique() == 1:
        raise NotEstimable(f"all offers have a benefit of {benefit.iloc[0]:g}; a curve needs different ones")
    reason = _why_pooled(read.frame)
    if model == "mixed" or (model == "auto" and not reason):
        if reason == f"mixed {MISSING_ENGINE}":
            raise NotEstimable(reason)
        try:
            if slope == "person":
                return fit_slopes(read, shares, confidence_level, seed)
            return fit_people(read, shares, confidence_level, seed)
        except NotEstimable as error:
            if NOT_RISING in str(error):
                raise
            if model == "mixed":
                raise NotEstimable(f"{error}; or model pooled, one curve for all people") from error
            reason = str(error)
    notes = (f"one curve for all people: {reason}",) if model == "auto" else ()
    return fit_pooled(read, shares, confidence_level, seed, notes)


def _why_pooled(frame: pd.DataFrame) -> str:
    """Return why people's decisions give no model of people; nothing if they do."""
    person = pd.factorize(frame["person"])[0]
    decided, accepted = np.bincount(person), np.bincount(person, weights=frame["accepted"].to_numpy(dtype=float))
    n_repeated = int((decided >= 2).sum())
    both = int(((accepted > 0) & (accepted < decided)).sum())
    if n_repeated < FEWEST_PEOPLE:
        return f"{n_repeated} people made two decisions or more; thresholds by person need at least {FEWEST_PEOPLE}"
    if both < FEWEST_BOTH:
        return f"{both} people both accepted and refused; thresholds by person need at least {FEWEST_BOTH}"
    return "" if has_engine() else f"mixed {MISSING_ENGINE}"
