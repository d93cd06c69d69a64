"""How acceptance rises with benefit: a logistic and an isotonic curve, and the benefit at which 50 % and 90 % accept.

Intervals of the logistic curve come from a bootstrap that draws whole games, as the offers of one game are not
independent. They are bias-corrected and accelerated (BCa; Efron 1987, JASA 82, 171), the acceleration by leaving out
one game at a time: plain percentiles end too low where few games fix a steep curve. The isotonic curve has none: the
bootstrap of a monotone fit at a point is not consistent (Sen, Banerjee and Woodroofe 2010, Annals of Statistics 38).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoFrame
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit, ndtr, ndtri

from negstats.errors import NotEstimable, UsageError
from negstats.estimate._answers import Answers, answers, human_offers

__all__ = ["AcceptanceCurve", "AcceptancePoint", "acceptance_curve", "fit_acceptance"]

Floats = npt.NDArray[np.float64]

STEPS = 25  # of Newton's method; a sound fit needs about 6
STEEPEST = 50.0  # change of log odds over one SD of benefit beyond which answers are separated
FAILED = 0.05  # share of draws without a curve beyond which no interval is given


@dataclass(frozen=True, slots=True)
class AcceptancePoint:
    """The benefit, in points, at which a share of offers is accepted.

    `low` and `high` bound it at the confidence `level`; they are missing where too many draws of the bootstrap gave no
    rising curve. `isotonic` is the least benefit that was seen at which the isotonic curve is that high; None if
    it never is.
    """

    share: float
    benefit: float
    low: float | None
    high: float | None
    level: float
    isotonic: float | None


@dataclass(frozen=True, slots=True)
class AcceptanceCurve:
    """Acceptance by benefit. The log odds of acceptance are ``intercept + slope · benefit``.

    `isotonic` has a row a benefit that was seen: `benefit`, `n`, `accepted` and the fitted `share`. `draws` bootstrap
    draws were made and `failed` of them gave no rising curve.
    """

    intercept: float
    slope: float
    points: tuple[AcceptancePoint, ...]
    isotonic: pd.DataFrame
    n: int
    accepted: int
    games: int
    unanswered: int
    draws: int
    failed: int

    def share_at(self, benefit: float) -> float:
        """Return the share of offers with this benefit that the logistic curve has accepted."""
        return float(expit(self.intercept + self.slope * benefit))

    def to_frame(self) -> pd.DataFrame:
        """Return a row a point: `share`, `benefit`, `low`, `high`, `level`, `isotonic`."""
        names = ("share", "benefit", "low", "high", "level", "isotonic")
        rows = {name: [getattr(point, name) for point in self.points] for name in names}
        return pd.DataFrame(rows).astype(float)


def acceptance_curve(
    offers: IntoFrame,
    players: IntoFrame,
    role: str,
    *,
    rng: np.random.Generator,
    points_per_unit: float = 5,
    shares: tuple[float, ...] = (0.5, 0.9),
    draws: int = 2000,
    level: float = 0.95,
) -> AcceptanceCurve:
    """Fit how often the offers of a role are accepted in human-only games, by their benefit to the one who is asked.

    Parameters
    ----------
    offers, players, role, points_per_unit
        As for `negstats.estimate.acceptance_threshold`.
    rng
        For the bootstrap.
    shares
        At which shares of acceptance the benefit is wanted.
    draws
        Of the bootstrap; 0 for none.
    level
        Of the intervals.

    Raises
    ------
    NotEstimable
        If all offers got the same answer, answers do not overlap (acceptance jumps: see the threshold), or acceptance
        does not rise with benefit.
    UsageError
        If nobody of this role made an offer, or a number makes no sense.
    SchemaError
        If a column is not there.
    """
    asked = answers(human_offers(offers, players), role, points_per_unit)
    return fit_acceptance(asked, rng=rng, shares=shares, draws=draws, level=level)


def fit_acceptance(
    asked: Answers,
    *,
    rng: np.random.Generator,
    shares: tuple[float, ...] = (0.5, 0.9),
    draws: int = 2000,
    level: float = 0.95,
) -> AcceptanceCurve:
    """Fit the curves to offers and answers; parameters and errors as for `acceptance_curve`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> benefit = rng.integers(-20, 30, 300) * 5.0
    >>> accepted = rng.random(300) < expit((benefit - 40) / 15)
    >>> curve = fit_acceptance(Answers(benefit, accepted, np.arange(300) // 3), rng=rng, draws=500)
    >>> [round(point.benefit) for point in curve.points]
    [43, 80]
    """
    if not all(0 < share < 1 for share in (*shares, level)) or draws < 0:
        raise UsageError(
            f"shares are {shares}, level {level}, draws {draws}; shares and a level between 0 and 1 would do"
        )
    intercept, slope = _logistic(asked)
    counts = rng.multinomial(asked.games, np.full(asked.games, 1 / asked.games), size=draws)
    drawn, without = _refitted(asked, counts), _refitted(asked, 1 - np.eye(asked.games, dtype=np.int64))
    rising = drawn[:, 1] > 0
    failed = int((~rising).sum())
    sound = draws > 0 and failed <= FAILED * draws and bool((without[:, 1] > 0).all())
    steps = _isotonic(asked)
    points = []
    for share in shares:
        estimate, low, high = float((logit(share) - intercept) / slope), None, None
        if sound:
            low, high = _bca(estimate, _dose(share, drawn[rising]), _dose(share, without), level)
        reached = steps.loc[steps["share"] >= share, "benefit"]
        isotonic = float(reached.iloc[0]) if len(reached) else None
        points.append(AcceptancePoint(share, estimate, low, high, level, isotonic))
    return AcceptanceCurve(
        intercept,
        slope,
        tuple(points),
        steps,
        len(asked.benefit),
        int(asked.accepted.sum()),
        asked.games,
        asked.unanswered,
        draws,
        failed,
    )


def _logistic(asked: Answers) -> tuple[float, float]:
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import PerfectSeparationError, PerfectSeparationWarning

    benefit, accepted = asked.benefit, asked.accepted
    if not accepted.any() or accepted.all():
        raise NotEstimable(f"{accepted.sum()} of {len(accepted)} offers were accepted; a curve needs both answers")
    if np.ptp(benefit) == 0:
        raise NotEstimable(f"all offers have a benefit of {benefit[0]:g} points; a curve needs different ones")
    if benefit[accepted].min() >= benefit[~accepted].max() or benefit[accepted].max() <= benefit[~accepted].min():
        raise NotEstimable("accepted and refused offers do not overlap: acceptance jumps, see the acceptance threshold")
    with warnings.catch_warnings():
        warnings.simplefilter("error", PerfectSeparationWarning)
        try:
            scale = benefit.std()
            design = sm.add_constant((benefit - benefit.mean()) / scale)
            fit = sm.Logit(accepted.astype(float), design).fit(disp=0)
        except (PerfectSeparationError, PerfectSeparationWarning):  # pragma: no cover - overlap was checked
            raise NotEstimable("accepted and refused offers do not overlap") from None
    level, slope = (float(one) for one in fit.params)
    if slope <= 0:
        raise NotEstimable("acceptance does not rise with benefit in these offers")
    return level - slope * float(benefit.mean() / scale), slope / float(scale)


def _dose(share: float, fits: Floats) -> Floats:
    return np.asarray((logit(share) - fits[:, 0]) / fits[:, 1])


def _bca(estimate: float, drawn: Floats, without: Floats, level: float) -> tuple[float, float]:
    below = ((drawn < estimate).mean() + (drawn <= estimate).mean()) / 2
    bias = ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    lean = without.mean() - without
    spread = float((lean**2).sum())
    acceleration = float((lean**3).sum()) / (6 * spread**1.5) if spread else 0.0
    z = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(drawn, ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


def _refitted(asked: Answers, counts: npt.NDArray[np.int64]) -> Floats:
    """Return intercept and slope of the curve with each row of counts of the games; NaN where answers are separated."""
    centre, scale = asked.benefit.mean(), asked.benefit.std()
    x = (asked.benefit - centre) / scale
    found = _weighted_logistic(x, asked.accepted.astype(float), counts[:, asked.game].astype(float))
    found[~(np.abs(found[:, 1]) < STEEPEST)] = np.nan
    return np.column_stack([found[:, 0] - found[:, 1] * centre / scale, found[:, 1] / scale])


def _weighted_logistic(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Fit intercept and slope for each row of weights by Newton's method; a row of NaN where it does not settle."""
    beta = np.zeros((len(weights), 2))
    settled = np.zeros(len(weights), dtype=bool)
    for _ in range(STEPS):
        share = expit(beta[:, :1] + beta[:, 1:] * x)
        error, spread = weights * (y - share), weights * share * (1 - share)
        first, second = error.sum(axis=1), error @ x
        a, b, c = spread.sum(axis=1), spread @ x, spread @ x**2
        determinant = a * c - b**2
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.column_stack([c * first - b * second, a * second - b * first]) / determinant[:, None]
        step[~np.isfinite(step).all(axis=1)] = 0  # stuck: not settled
        beta += np.clip(step, -4, 4)
        settled = (np.abs(step).max(axis=1) < 1e-8) & (determinant > 1e-12)
        if settled.all():
            break
    beta[~settled] = np.nan
    return beta


def _isotonic(asked: Answers) -> pd.DataFrame:
    grouped = pd.DataFrame({"benefit": asked.benefit, "accepted": asked.accepted.astype(int)}).groupby("benefit")
    steps = grouped["accepted"].agg(n="size", accepted="sum").reset_index()
    share = isotonic_regression(steps["accepted"] / steps["n"], weights=steps["n"]).x
    return steps.assign(share=share)
