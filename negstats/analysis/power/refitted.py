"""Power of models of related rows: studies are drawn row by row, and each is fitted (or ranked)."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special
from scipy.optimize import brentq

from negstats.analysis.methods.people import random_terms
from negstats.analysis.power.expected import BY_RANKS, Expected, both_yes, check_pair
from negstats.analysis.rules import Kind
from negstats.errors import DesignError, NotEstimable, UsageError
from negstats.stats.models.random_terms import read_terms
from negstats.stats.models.responses.engine import EngineFit, ResponseRows, fit_columns, read_rows
from negstats.stats.models.responses.fit import check_fit, fit_rows
from negstats.stats.models.responses.likelihood import Distribution, hermite
from negstats.stats.models.responses.result import MixedResponses
from negstats.stats.power.drawing import Design
from negstats.stats.power.responses import LinearRefits, draw_scores
from negstats.stats.power.simulate import simulated_p
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import Factor

NODES = 60
PILOT = 40  # studies at each size while it is doubled
SPREAD = (0.85, 1.0, 1.2)  # of the size that was reached, where the studies are drawn
FEW_DECISIONS = 5  # rows a unit below which Laplace's approximation is not to be relied on


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Studies that were drawn: the columns that all share, and the answers of each, shape (studies, rows)."""

    frame: pd.DataFrame
    y: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class AnswersDesign(Design):
    """Units that answer repeatedly; draws `Answers`. n are the units of each cell between units.

    Attributes
    ----------
    kind : str
        Of the outcome: "yes/no", "count", "interval" or "ordered".
    mean : ndarray, shape (cells between, levels within)
        Shares, rates or means of the population; of ordered answers with a last axis, the share of each.
    within : tuple of tuple
        Levels of the factors of a row within a unit, by place of the row.
    names : tuple of str
        The columns of the factors, those between units first.
    per_unit, items : int
    sds : Mapping of str to float
        On the scale of the link: "people", "items", "effect" (of a difference within units, over units).
    spread : ndarray or None
        Of counts: variance over mean at one person's mean. Of numbers: their SD, of all people and items together.
    r : float or None
        Correlation of the two answers of a pair, in place of SDs.
    """

    kind: Kind
    mean: FloatArray
    levels: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    outer: int
    per_unit: int
    items: int
    sds: Mapping[str, float]
    spread: FloatArray | None = None
    r: float | None = None

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes, about."""
        return float(self.n.sum()) * self.per_unit

    def frame(self) -> tuple[pd.DataFrame, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the rows' columns, and the places of their cells between and within units."""
        people = self.n.astype(int).ravel()
        cell = np.repeat(np.repeat(np.arange(len(people)), people), self.per_unit)
        unit = np.repeat(np.arange(people.sum()), self.per_unit)
        row = np.tile(np.arange(self.per_unit), people.sum())
        inner_cell = row % self.mean.shape[1]
        outer_levels = list(itertools.product(*self.levels[: self.outer])) or [()]
        inner_levels = list(itertools.product(*self.levels[self.outer :])) or [()]
        columns: dict[str, Any] = {"unit": unit.astype(str)}
        for place, name in enumerate(self.names):
            own = ([outer_levels[code][place] for code in cell] if place < self.outer
                   else [inner_levels[code][place - self.outer] for code in inner_cell])  # fmt: skip
            columns[name] = pd.Categorical(own, categories=list(self.levels[place]))
        if self.items:
            columns["i0"] = (row % self.items).astype(str)
        return pd.DataFrame(columns), cell, inner_cell

    def draw(self, n_simulations: int, rng: np.random.Generator) -> Answers:
        """Draw people and items, and then each answer."""
        frame, cell, inner_cell = self.frame()
        if self.r is not None:
            return Answers(frame, self._pairs(n_simulations, rng, cell, inner_cell))
        units = int(self.n.sum())
        place = np.arange(units).repeat(self.per_unit)
        eta = (self.sds["people"] * rng.standard_normal((n_simulations, units)))[:, place]
        if self.kind != "ordered":
            eta += self._typical()[cell, inner_cell]
        if self.sds["effect"]:
            lean = inner_cell - (self.mean.shape[1] - 1) / 2
            eta += (self.sds["effect"] * rng.standard_normal((n_simulations, units)))[:, place] * lean
        if self.items:
            item = frame["i0"].astype(int).to_numpy()
            eta += (self.sds["items"] * rng.standard_normal((n_simulations, self.items)))[:, item]
        if self.kind == "ordered":
            return Answers(frame, draw_scores(rng, eta, self._cuts()[cell, inner_cell]))
        if self.spread is None:
            return Answers(frame, (rng.random(eta.shape) < special.expit(eta)).astype(np.float64))
        if self.kind == "interval":
            rest = np.sqrt(self.spread**2 - self.random_variance())
            return Answers(frame, eta + rest[cell, inner_cell] * rng.standard_normal(eta.shape))
        beyond = np.broadcast_to(self.spread[cell, inner_cell] - 1, eta.shape)
        mean = np.exp(eta)
        shape = np.divide(mean, beyond, out=np.ones_like(mean), where=beyond > 0)
        rate = np.where(beyond > 0, rng.gamma(shape, np.where(beyond > 0, beyond, 1.0)), mean)
        return Answers(frame, rng.poisson(rate).astype(np.float64))

    def _typical(self) -> FloatArray:
        """Return the scale of the link at a typical person and item, so that the population has the shares or rates."""
        if self.kind == "interval":
            return self.mean
        sd = np.sqrt(self.random_variance())
        if self.spread is not None:
            return np.asarray(np.log(self.mean) - sd**2 / 2)
        return np.array([[typical_logit(float(share), float(sd[at])) for at, share in enumerate(row)]
                         for row in self.mean])  # fmt: skip

    def _cuts(self) -> FloatArray:
        """Return where a typical person's scale is cut in each cell, so that the population has the shares."""
        sd = np.sqrt(self.random_variance())
        cumulative = np.cumsum(self.mean, axis=-1)[..., :-1]
        return np.array([[[typical_logit(float(share), float(sd[at])) for share in shares]
                          for at, shares in enumerate(row)] for row in cumulative])  # fmt: skip

    def random_variance(self) -> FloatArray:
        """Return the variance of all random effects at each level within units, on the scale of the link."""
        lean = np.arange(self.mean.shape[1]) - (self.mean.shape[1] - 1) / 2
        items = self.sds["items"] ** 2 if self.items else 0.0
        return np.asarray(self.sds["people"] ** 2 + items + (self.sds["effect"] * lean) ** 2)

    def _pairs(
        self, n_simulations: int, rng: np.random.Generator, cell: npt.NDArray[np.intp], inner_cell: npt.NDArray[np.intp]
    ) -> FloatArray:
        p = self.mean[cell, inner_cell]
        first, second = p[::2], p[1::2]
        both = both_yes(first, second, self.r or 0.0)
        first_answers = rng.random((n_simulations, len(first))) < first
        chance = np.where(first_answers, both / first, (second - both) / (1 - first))
        second_answers = rng.random(first_answers.shape) < chance
        return np.stack([first_answers, second_answers], axis=2).reshape(n_simulations, -1).astype(np.float64)


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
    design = AnswersDesign(
        n=np.round(100 * planned.weights).reshape(-1),
        factors=tuple(Factor(name, tuple(levels)) for name, levels in planned.between.items()),
        kind=planned.kind,
        mean=mean,
        levels=tuple(tuple(f"l{place}" for place in range(len(factor))) for factor in planned.factors.values()),
        names=tuple(names.values()),
        outer=len(planned.between),
        per_unit=per_unit,
        items=planned.items,
        sds={"people": 0.0, "items": 0.0, "effect": 0.0} | dict(planned.sds),
        spread=spread,
        r=r,
    )
    if planned.kind == "interval" and spread is not None and (spread**2 <= design.random_variance()).any():
        raise UsageError(
            f"{at}.sd: is {spread.min():g}, of all answers in a cell; sd_people and sd_items are parts of it: give a "
            "larger sd"
        )
    return design, names


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
        try:
            model = _Model(planned, answers.frame, formula)
        except NotEstimable:
            pass  # the analysis takes equations then
        else:
            return np.array([model.p(y, term) for y in answers.y])
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


class _Model:
    """The rows of the mixed model that all studies of a size share."""

    def __init__(self, planned: Expected, frame: pd.DataFrame, formula: str) -> None:
        random = _random_terms(planned, frame)
        self.planned = planned
        self.family: Literal["binomial", "negative binomial"] = (
            "binomial" if planned.kind == "yes/no" else "negative binomial"
        )
        stand_in = np.random.default_rng(len(frame)).integers(0, 2, len(frame))  # each study's answers take its place
        self.rows: ResponseRows = read_rows(
            frame.assign(value=stand_in), f"value ~ {formula}", read_terms(random, None), self.family
        )
        simple = random == "(1 | unit)"
        self.nagq = 9 if simple and planned.per_unit < FEW_DECISIONS else 1

    def p(self, y: FloatArray, term: str) -> float:
        """Return p of a term, on the side that the plan names."""
        if np.ptp(y) == 0:
            return float("nan")
        law = Distribution(self.family, "logit" if self.family == "binomial" else "log")
        rows = replace(self.rows, y=y)
        try:
            fit: EngineFit = fit_columns(rows.x, y, rows.parts, law, self.nagq)
            law = replace(law, size=fit.size)
            check_fit(rows, fit, law, 1)  # without the exact integral, which costs more than the fit
            model = fit_rows(rows, fit, law, self.nagq)
        except NotEstimable as error:
            if "pip install" in str(error):
                raise
            return float("nan")
        return _one_side(self.planned, model, term)


def _one_side(planned: Expected, model: MixedResponses, term: str) -> float:
    two_sided_p = float(np.asarray(model.test(term).p))
    if planned.alternative == "two-sided" or len(model.names) != 2:
        return two_sided_p
    # A level is held against the first: a larger second level is a smaller first.
    t, df = -float(model.statistic[1]), float(model.df[1])
    return float(special.stdtr(df, -t if planned.alternative == "greater" else t))


def _equations(planned: Expected, frame: pd.DataFrame, y: FloatArray, formula: str, term: str) -> float:
    from negstats.stats.outcomes.gee import gee

    correlation: Literal["exchangeable", "independence"] = (
        "independence" if planned.choice.rule.test == "logistic" else "exchangeable"
    )
    kind: Literal["binomial", "poisson"] = "binomial" if planned.kind == "yes/no" else "poisson"
    try:
        model = gee(frame.assign(value=y.astype(int)), f"value ~ {formula}", cluster="unit", family=kind,
                    correlation=correlation)  # fmt: skip
        test = model.test(term)
    except (NotEstimable, DesignError):
        return float("nan")
    p = float(np.asarray(test.p))
    if planned.alternative == "two-sided" or len(model.names) != 2:
        return p
    # A level is held against the first: a larger second level is a smaller first.
    greater = float(model.estimate[1]) < 0
    return p / 2 if greater == (planned.alternative == "greater") else 1 - p / 2


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
