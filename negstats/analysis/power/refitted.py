"""Power of models of related rows: studies are drawn row by row, and each is fitted (or ranked)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special
from scipy.optimize import brentq

from negstats.analysis.methods.people import random_terms
from negstats.analysis.power.expected import BY_RANKS, Expected, check_pair
from negstats.analysis.rules import Kind
from negstats.errors import DesignError, NotEstimable, UsageError
from negstats.stats.models.responses.likelihood import hermite
from negstats.stats.power.drawing import Design
from negstats.stats.power.responses import Answers, AnswersDesign, LinearRefits, ResponseRefits, p_on_side
from negstats.stats.power.simulate import simulated_p
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import Factor

NODES = 60
PILOT = 40  # studies at each size while it is doubled
SPREAD = (0.85, 1.0, 1.2)  # of the size that was reached, where the studies are drawn


def typical_logit(share: float, sd: float) -> float:
    """Return the log odds of a typical person where people's mean share is `share` and their log odds have SD `sd`.

    Examples
    --------
    >>> round(typical_logit(0.7, 1.5), 3), typical_logit(0.5, 1.5)
    (1.188, 0.0)
    """
    if share == 0.5:
        return 0.0
    nodes, weights = hermite(NODES)
    ends = 10 + 10 * sd + abs(float(special.logit(share)))
    return float(brentq(lambda eta: float(weights @ special.expit(eta + sd * nodes)) - share, -ends, ends))


def share_correlation(share: float, sd: float) -> float:
    """Return the correlation of two answers of a person where the mean share is `share` and log odds have SD `sd`.

    Examples
    --------
    >>> round(share_correlation(0.5, 1.5), 3)
    0.293
    """
    nodes, weights = hermite(NODES)
    own = special.expit(typical_logit(share, sd) + sd * nodes)
    return max(0.0, float(weights @ (own - share) ** 2) / (share * (1 - share)))


def score_moments(shares: FloatArray, sd: float) -> tuple[float, float, float]:
    """Return mean and SD of a score 1, 2, ... and the correlation of two of a person, whose logits have SD `sd`.

    Examples
    --------
    >>> mean, sd, r = score_moments(np.array([0.2, 0.3, 0.3, 0.2]), 1.2)
    >>> round(mean, 3), round(sd, 3), round(r, 3)
    (2.5, 1.025, 0.288)
    """
    nodes, weights = hermite(NODES)
    score = np.arange(1.0, len(shares) + 1)
    mean = float(shares @ score)
    variance = float(shares @ score**2) - mean**2
    cuts = [typical_logit(float(share), sd) for share in np.cumsum(shares)[:-1]]
    own = 1 + sum(special.expit(sd * nodes - cut) for cut in cuts)
    return mean, float(np.sqrt(variance)), max(0.0, float(weights @ (own - mean) ** 2) / variance)


def answers_of(planned: Expected) -> tuple[AnswersDesign, dict[str, str]]:
    """Return the design of a question's rows, and the name that each factor has in the formula.

    Raises
    ------
    UsageError
        If levels do not go into a unit's rows, or a number is missing; the message names the field.
    """
    at = f"questions.{planned.id}.expect"
    inner = int(np.prod([len(planned.factors[name]) for name in planned.within], initial=1))
    per_unit = inner if planned.choice.rule.test in BY_RANKS else planned.per_unit
    if per_unit % inner:
        raise UsageError(f"{at}.per_unit: is {per_unit}; {inner} levels within units need a multiple of them")
    mean, spread = _cells_of_rows(planned, inner, at)
    names = {name: f"f{place}" for place, name in enumerate(planned.factors)}
    r = planned.r if "people" not in planned.sds else None
    if r is not None:
        for row in mean:
            check_pair(row[0], row[-1], r, at)
    sds = {"people": 0.0, "items": 0.0, "effect": 0.0} | dict(planned.sds)
    # The variance of all random effects at each level within units; those of a unit are least in the middle.
    middle = (inner - 1) / 2
    items_variance = sds["items"] ** 2 if planned.items else 0.0
    variance = sds["people"] ** 2 + items_variance + (sds["effect"] * (np.arange(inner) - middle)) ** 2
    if planned.kind == "interval" and spread is not None:
        if (spread**2 <= variance).any():
            raise UsageError(
                f"{at}.sd: is {spread.min():g}, of all answers in a cell; sd_people and sd_items are parts of it: give "
                "a larger sd"
            )
        spread = np.sqrt(spread**2 - variance)
    design = AnswersDesign(
        n=np.round(100 * planned.weights).reshape(-1),
        factors=tuple(Factor(name, tuple(levels)) for name, levels in planned.between.items()),
        kind=planned.kind,
        typical=mean if r is not None else _typical(planned.kind, mean, np.sqrt(variance)),
        levels=tuple(tuple(f"l{place}" for place in range(len(factor))) for factor in planned.factors.values()),
        names=tuple(names.values()),
        outer=len(planned.between),
        per_unit=per_unit,
        items=planned.items,
        sds=sds,
        centre=middle,
        spread=spread,
        r=r,
    )
    return design, names


def _typical(kind: Kind, mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the scale of the link at a typical person and item, or its cuts, so that the population has the means."""
    if kind == "interval":
        return mean
    if kind == "count":
        return np.asarray(np.log(mean) - sd**2 / 2)
    shares, sds = (np.cumsum(mean, axis=-1)[..., :-1], sd[:, None]) if kind == "ordered" else (mean, sd)
    return np.asarray(np.vectorize(typical_logit, otypes=[np.float64])(shares, sds))


def _cells_of_rows(planned: Expected, inner: int, at: str) -> tuple[FloatArray, FloatArray | None]:
    """Return what the cells expect, and of counts and numbers how they scatter."""
    key = {"yes/no": "p", "count": "rate", "interval": "mean", "ordered": "shares"}[planned.kind]
    if key not in planned.cells:
        raise UsageError(f"{at}.cells: have no {key}; give {key} in each cell")
    mean = planned.cells[key]
    mean = mean.reshape(-1, inner, mean.shape[-1]) if key == "shares" else mean.reshape(-1, inner)
    if key == "rate":
        spread = planned.cells["spread"].reshape(-1, inner)
        if spread.min() < 1:
            raise UsageError(f"{at}.spread: is {spread.min():g}; give 1 (Poisson) or more")
        return mean, spread
    if key == "mean":
        return mean, planned.cells["sd"].reshape(-1, inner)
    if not ((mean > 0) & (mean < 1)).all():
        raise UsageError(f"{at}.cells: a share of 0 or 1 separates the answers; give a number between")
    return mean, None


def describe_refits(planned: Expected) -> str:
    """Return what was drawn and fitted, in a sentence."""
    if planned.choice.rule.test in BY_RANKS:
        return " Answers are drawn from a cumulative logit, and each study is ranked."
    parts = [f" Units have {planned.per_unit} rows"]
    if planned.items:
        parts.append(f" of {planned.items} items")
    scores_note = ", drawn from a cumulative logit and fitted as scores" if planned.kind == "ordered" else ""
    return "".join(parts) + scores_note + "; each study is fitted, and one without a fit is not a rejection."


def p_of_refits(planned: Expected, term: str, answers: Answers) -> FloatArray:
    """Return p of a term in each study that was drawn; NaN where no fit is to be had."""
    factors = list(planned.factors)
    formula = " * ".join(f"f{place}" for place in range(len(factors))) or "1"
    test = planned.choice.rule.test
    if test in BY_RANKS:
        return np.array([_compute_rank_p(planned, y) for y in answers.y])
    if planned.kind in ("interval", "ordered"):
        linear = _linear(planned, answers.frame, formula)
        return np.array([linear.p(y, term, planned.alternative) for y in answers.y])
    if test == "mixed":
        family: Literal["binomial", "negative binomial"] = (
            "binomial" if planned.kind == "yes/no" else "negative binomial"
        )
        try:
            random = _random_terms(planned, answers.frame)
            model = ResponseRefits(answers.frame, formula, random, family, planned.per_unit)
        except NotEstimable:
            pass  # the analysis takes equations then
        else:
            return np.array([model.p(y, term, planned.alternative) for y in answers.y])
    return np.array([_equations(planned, answers.frame, y, formula, term) for y in answers.y])


def _random_terms(planned: Expected, frame: pd.DataFrame) -> str:
    """Return the random terms that the analysis fits; of numbers and scores without items intercepts alone."""
    has_slopes = planned.kind not in ("interval", "ordered") or planned.items > 0
    return random_terms(frame, len(planned.factors) if has_slopes else 0, int(planned.items > 0))


def _linear(planned: Expected, frame: pd.DataFrame, formula: str) -> LinearRefits:
    """Return the linear model of the rows of numbers or scores."""
    scale = 1.0
    if planned.kind == "ordered":
        shares = planned.cells["shares"].reshape(-1, planned.cells["shares"].shape[-1])
        score = np.arange(shares.shape[-1])
        scale = float(np.mean(shares @ score**2 - (shares @ score) ** 2)) / (np.pi**2 / 3)
        residual_variance = np.pi**2 / 3
    else:
        residual_variance = float(planned.cells["sd"].min()) ** 2 - sum(
            planned.sds.get(part, 0.0) ** 2 for part in ("people", "items")
        )
    people, items, effect = (planned.sds.get(part, 0.0) ** 2 for part in ("people", "items", "effect"))
    variances = {"unit": people, "i0": items, "slopes": effect / 4, "within": residual_variance}
    return LinearRefits(
        frame, formula, _random_terms(planned, frame), {part: scale * value for part, value in variances.items()}
    )


def _compute_rank_p(planned: Expected, y: FloatArray) -> float:
    """Return p of Wilcoxon's or Friedman's test of the units' answers."""
    from negstats.stats.ranks import friedman, wilcoxon

    levels = len(next(iter(planned.factors.values())))
    unit_rows = y.reshape(-1, levels)  # a unit's rows are its levels in order
    try:
        if planned.choice.rule.test == "friedman":
            return float(friedman({str(place): unit_rows[:, place] for place in range(levels)}).p)
        samples = {"0": unit_rows[:, 0], "1": unit_rows[:, 1]}
        test = wilcoxon(samples, zero_method="pratt", alternative=planned.alternative)
        return float(np.asarray(test.p))
    except (NotEstimable, DesignError):
        return float("nan")


def _equations(planned: Expected, frame: pd.DataFrame, y: FloatArray, formula: str, term: str) -> float:
    from negstats.stats.outcomes.gee import gee

    correlation: Literal["exchangeable", "independence"] = (
        "independence" if planned.choice.rule.test == "logistic" else "exchangeable"
    )
    kind: Literal["binomial", "poisson"] = "binomial" if planned.kind == "yes/no" else "poisson"
    try:
        model = gee(frame.assign(value=y.astype(int)), f"value ~ {formula}", cluster="unit", family=kind,
                    correlation=correlation)  # fmt: skip
        return float(p_on_side(model, term, planned.alternative))
    except (NotEstimable, DesignError):
        return float("nan")


def needed_by_curve(
    design: Design,
    test: Callable[[Any], FloatArray],
    rng: np.random.Generator,
    *,
    power: float,
    n_simulations: int,
    alpha: float,
    least: int,
    most: int,
) -> tuple[int, int, int]:
    """Return the units in the smallest cell that reach a power, and the ends of its interval of simulation error.

    A pilot doubles the size until the power is reached; then the studies are drawn at three sizes about that, and a
    curve, probit of the power by the root of n, is fitted to all (each study is used, where a search by bisection needs
    as many at each of some twenty sizes). The interval is the 95 % interval of the curve's crossing, by the delta
    method.

    Raises
    ------
    NotEstimable
        If even `most` units do not reach the power, or the power does not grow with n.
    """
    power_counts: dict[int, list[int]] = {}

    def run(size: int, count: int) -> float:
        p = simulated_p(design.resized(size), test, count, rng.spawn(1)[0])
        counts_at_size = power_counts.setdefault(size, [0, 0])
        counts_at_size[0] += count
        counts_at_size[1] += int((p <= alpha).sum())
        return counts_at_size[1] / counts_at_size[0]

    # Sizes are doubled until a pilot reaches the power, so that the curve crosses it between two sizes.
    pilot = max(PILOT, n_simulations // 20)
    size = least
    while run(size, pilot) < power:
        if size == most:
            raise NotEstimable(
                f"with {most} in the smallest cell the power is {power_counts[most][1] / pilot:.3f}, not {power:g}"
            )
        size = min(2 * size, most)
    # The simulations are spread around the crossing, which each batch locates better.
    for share in SPREAD:
        middle, _, _ = _crossing(power_counts, power)
        run(int(np.clip(round(share * middle), least, most)), -(-n_simulations // len(SPREAD)))
    middle, low, high = _crossing(power_counts, power)
    ends = (int(np.clip(np.ceil(crossing - 1e-9), least, most)) for crossing in (middle, low, high))
    n, first, last = ends
    return n, first, last


def _crossing(power_counts: Mapping[int, Sequence[int]], power: float) -> tuple[float, float, float]:
    """Return where the curve reaches a power, and the ends of its 95 % interval."""
    import statsmodels.api as sm

    sizes = np.array(sorted(power_counts), dtype=np.float64)
    totals, hits = (np.array([power_counts[int(size)][place] for size in sizes], dtype=np.float64) for place in (0, 1))
    if len(sizes) == 1:
        return float(sizes[0]), float(sizes[0]), float(sizes[0])
    family = sm.families.Binomial(sm.families.links.Probit())
    columns = np.column_stack([np.ones(len(sizes)), np.sqrt(sizes)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = sm.GLM(np.column_stack([hits + 0.5, totals - hits + 0.5]), columns, family=family).fit()
    a, b = map(float, fit.params)
    if not b > 0:
        raise NotEstimable("the power does not grow with n in the studies that were drawn; draw more")
    root = (float(special.ndtri(power)) - a) / b
    gradient = np.array([-1.0, -root]) / b
    se = float(np.sqrt(gradient @ np.asarray(fit.cov_params()) @ gradient))
    low, high = max(root - 1.96 * se, 0.0), root + 1.96 * se
    return max(root, 0.0) ** 2, low**2, high**2
