"""Power where rows repeat by person: studies of any kind of answer are drawn and their models fitted."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.fitted import FittedModel
from negstats.stats.models.estimators import EffectRows, engine_start
from negstats.stats.models.random_terms import read_terms
from negstats.stats.models.responses.engine import check_answers, fit_columns, read_rows
from negstats.stats.models.responses.fit import FEW_DECISIONS, check_fit, fit_rows
from negstats.stats.models.responses.likelihood import Distribution
from negstats.stats.power.closed import Power, SampleSize, check_alpha
from negstats.stats.power.drawing import Design
from negstats.stats.power.simulate import find_first
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import (
    Alternative,
    check_choice,
    check_count,
    check_number,
    check_rng,
    check_share,
    t_tails,
)
from negstats.stats.results.result import Interval


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
    typical : ndarray, shape (cells between, levels within)
        What a typical unit has of a typical item, on the scale of the link; of ordered answers with a last axis, where
        that scale is cut.
    levels : tuple of tuple
        Of each factor, those between units first.
    names : tuple of str
        The columns of the factors, in the same order.
    outer : int
        How many factors lie between units.
    per_unit, items : int
    sds : Mapping of str to float
        On the scale of the link: "people", "items", "effect" (of a difference within units, over units).
    centre : float
        The level within units, counted from 0, at which "people" is the SD of units.
    spread : ndarray or None
        Of counts: variance over mean at one person's mean. Of numbers: the SD of a unit's answers to one item.
    r : float or None
        Correlation of the two answers of a pair, in place of SDs; `typical` are shares then.
    benefit : float
        How much the scale of the link rises as a column "x", which goes through 0, .1, ..., 1, rises by 1.
    """

    kind: str
    typical: FloatArray
    levels: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    outer: int
    per_unit: int
    items: int
    sds: Mapping[str, float]
    centre: float = 0.0
    spread: FloatArray | None = None
    r: float | None = None
    benefit: float = 0.0

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes, about."""
        return float(self.n.sum()) * self.per_unit

    def _places(self) -> tuple[npt.NDArray[np.intp], ...]:
        """Return the unit of each row, its place in the unit, and the places of its cell between and within units."""
        people = self.n.astype(int).ravel()
        unit, row = np.repeat(np.arange(people.sum()), self.per_unit), np.tile(np.arange(self.per_unit), people.sum())
        return unit, row, np.repeat(np.arange(len(people)), people)[unit], row % self.typical.shape[1]

    def frame(self) -> pd.DataFrame:
        """Return the rows' columns."""
        unit, row, cell, inner_cell = self._places()
        outer_levels = list(itertools.product(*self.levels[: self.outer])) or [()]
        inner_levels = list(itertools.product(*self.levels[self.outer :])) or [()]
        columns: dict[str, Any] = {"unit": unit.astype(str)}
        for place, name in enumerate(self.names):
            own = ([outer_levels[code][place] for code in cell] if place < self.outer
                   else [inner_levels[code][place - self.outer] for code in inner_cell])  # fmt: skip
            columns[name] = pd.Categorical(own, categories=list(self.levels[place]))
        if self.items:
            columns["i0"] = (row % self.items).astype(str)
        if self.benefit:
            columns["x"] = benefits(len(row))
        return pd.DataFrame(columns)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> Answers:
        """Draw people and items, and then each answer."""
        return Answers(self.frame(), self.answers(n_simulations, rng))

    def answers(self, n_simulations: int, rng: np.random.Generator) -> FloatArray:
        """Return the answers of drawn studies, shape (studies, rows)."""
        unit, row, cell, inner_cell = self._places()
        if self.r is not None:
            return self._pairs(n_simulations, rng, self.typical[cell, inner_cell])
        shape = (n_simulations, int(self.n.sum()))
        eta = (self.sds["people"] * rng.standard_normal(shape))[:, unit]
        if self.kind != "ordered":
            eta += self.typical[cell, inner_cell]
        if self.sds["effect"]:
            eta += (self.sds["effect"] * rng.standard_normal(shape))[:, unit] * (inner_cell - self.centre)
        if self.items:
            eta += (self.sds["items"] * rng.standard_normal((n_simulations, self.items)))[:, row % self.items]
        if self.benefit:
            eta += self.benefit * benefits(len(row))
        if self.kind == "ordered":
            return draw_scores(rng, eta, self.typical[cell, inner_cell])
        if self.spread is None:
            return (rng.random(eta.shape) < special.expit(eta)).astype(np.float64)
        if self.kind == "interval":
            return np.asarray(eta + self.spread[cell, inner_cell] * rng.standard_normal(eta.shape))
        beyond = np.broadcast_to(self.spread[cell, inner_cell] - 1, eta.shape)
        mean = np.exp(eta)
        size = np.divide(mean, beyond, out=np.ones_like(mean), where=beyond > 0)
        rate = np.where(beyond > 0, rng.gamma(size, np.where(beyond > 0, beyond, 1.0)), mean)
        return rng.poisson(rate).astype(np.float64)

    def _pairs(self, n_simulations: int, rng: np.random.Generator, p: FloatArray) -> FloatArray:
        first, second = p[::2], p[1::2]
        both = both_yes(first, second, self.r or 0.0)
        first_answers = rng.random((n_simulations, len(first))) < first
        chance = np.where(first_answers, both / first, (second - both) / (1 - first))
        second_answers = rng.random(first_answers.shape) < chance
        return np.stack([first_answers, second_answers], axis=2).reshape(n_simulations, -1).astype(np.float64)


def benefits(rows: int) -> FloatArray:
    """Return the benefit of each row: 0, .1, ..., 1 in turn."""
    return np.asarray(np.arange(rows) % STEPS / (STEPS - 1))


def both_yes(p: Any, q: Any, r: float) -> Any:
    """Return how often both answers of a pair are yes, of shares p and q that correlate with r."""
    return p * q + r * np.sqrt(p * (1 - p) * q * (1 - q))


class LinearRefits:
    """Tests of terms by Kenward and Roger, in studies that share their rows and differ in their outcomes.

    Parameters
    ----------
    frame
        Its factors and clusters; one row an answer.
    formula
        The fixed part, such as "f0 * f1".
    random
        The random terms, such as "(1 + f0 | unit) + (1 | i0)".
    variances
        Of the intercepts by cluster, of "slopes", and "within": what is expected, where a search begins that no engine
        begins.
    """

    def __init__(self, frame: Any, formula: str, random: str, variances: Mapping[str, float]) -> None:
        stand_in = np.random.default_rng(len(frame)).normal(size=len(frame))  # each study's outcome takes its place
        self.rows = EffectRows.read(frame.assign(value=stand_in), f"value ~ {formula}", random, None, "reml")
        tables = []
        for term, effect in zip(self.rows.terms, self.rows.blocks.columns, strict=True):
            term_variances = [variances[term.name], *[variances.get("slopes", 0.0)] * (len(effect.names) - 1)]
            tables.append(np.diag(term_variances))
        self.start = self.rows.start(tables, variances["within"])

    def p(self, y: FloatArray, term: str, alternative: Alternative = "two-sided") -> float:
        """Return p of a term, of a factor of two levels on the side that is asked; NaN without a fit."""
        if np.ptp(y) == 0:
            return float("nan")
        try:
            y = y - y.mean()
            start = engine_start(self.rows, y)
            model = self.rows.fit(y, self.start if start is None else start)
            return float(p_on_side(model, term, alternative))
        except NotEstimable:
            return float("nan")


class ResponseRefits:
    """Wald's tests of terms of yes or no, or of counts, in studies that share their rows and differ in their answers.

    Parameters
    ----------
    frame, formula, random
        As in `LinearRefits`.
    family
        "binomial" or "negative binomial".
    n_rows
        Answers of a unit; of few Laplace's approximation is not to be relied on.
    """

    def __init__(
        self, frame: pd.DataFrame, formula: str, random: str, family: Literal["binomial", "negative binomial"],
        n_rows: int,
    ) -> None:  # fmt: skip
        stand_in = np.arange(len(frame)) % 2  # each study's answers take its place
        terms = read_terms(random, None)
        self.rows = read_rows(frame.assign(value=stand_in), f"value ~ {formula}", terms, family)
        self.law = Distribution(family, "logit" if family == "binomial" else "log")
        self.nagq = 9 if random == "(1 | unit)" and n_rows < FEW_DECISIONS else 1

    def p(self, y: FloatArray, term: str, alternative: Alternative = "two-sided") -> float:
        """Return p of a term, of a factor of two levels on the side that is asked; NaN without a fit."""
        rows = replace(self.rows, y=y)
        try:
            check_answers(rows, self.law.family)
            fit = fit_columns(rows.x, y, rows.parts, self.law, self.nagq)
            law = replace(self.law, size=fit.size)
            check_fit(rows, fit, law, 1)  # without the exact integral, which costs more than the fit
            return float(p_on_side(fit_rows(rows, fit, law, self.nagq), term, alternative))
        except NotEstimable as error:
            if "pip install" in str(error):
                raise
            return float("nan")


def p_on_side(model: FittedModel, term: str, alternative: Alternative) -> FloatArray:
    """Return p of a term, on the side of the one slope or factor of two levels where a model has no more than that."""
    if alternative == "two-sided" or len(model.names) != 2:
        return np.asarray(model.test(term).p, dtype=np.float64)
    effect = model.effect(term)
    sign = -1.0 if term in model.design.coding.levels else 1.0  # sides are of the first level less the second
    return t_tails(sign * np.asarray(effect.statistic), effect.df, alternative)


def draw_scores(rng: np.random.Generator, eta: FloatArray, cuts: FloatArray) -> FloatArray:
    """Return answers 1, 2, ... of a cumulative logit: how many cuts lie below η and a logistic error, and 1.

    `cuts` has the cuts of each row in its last axis, or one set for all.
    """
    latent = eta + special.logit(rng.random(eta.shape))
    return np.asarray(1.0 + (latent[..., None] > cuts).sum(axis=-1), dtype=np.float64)


Varies: TypeAlias = Literal["between", "within"]
Outcome: TypeAlias = Literal["yes/no", "number", "ordered"]
STEPS = 11  # of a benefit from 0 to 1

MOST_TRIED = 4096
KINDS: dict[Outcome, str] = {"yes/no": "yes/no", "number": "interval", "ordered": "ordered"}
LABELS: dict[Outcome, str] = {"yes/no": "yes or no", "number": "numbers", "ordered": "answers in order"}
LATENT = np.pi**2 / 3  # variance of a logistic error


def _check_numbers(
    *, least: Mapping[str, tuple[int, int]], any_number: Mapping[str, float], sds: Mapping[str, float]
) -> None:
    """Check counts, each with the least that it may be, numbers, and standard deviations, which are 0 or more."""
    for name, (count, minimum) in least.items():
        check_count(name, count, minimum)
    for name, value in any_number.items():
        check_number(name, value)
    for name, value in sds.items():
        if check_number(name, value) < 0:
            raise DesignError(f"{name} is {shown(value)}; an SD is 0 or more")


def mixed(
    *,
    people: int,
    decisions: int,
    effect: float,
    sd: float,
    rng: np.random.Generator,
    items: int = 0,
    item_sd: float = 0.0,
    slope_sd: float = 0.0,
    intercept: float = 0.0,
    benefit: float = 0.0,
    varies: Varies = "between",
    outcome: Outcome = "yes/no",
    residual_sd: float | None = None,
    shares: Sequence[float] | None = None,
    n_simulations: int = 1000,
    alpha: float = 0.05,
) -> Power:
    """Return the power to find an effect on what people decide or answer repeatedly, by simulated studies.

    Parameters
    ----------
    people
        Half of them in each condition ("between"), or all of them in both ("within").
    decisions
        Of each person; with `varies` "within" every other one is in the second condition.
    effect
        Difference between the conditions for one person: of log odds, of answers in order the log odds of a higher
        one; of numbers in their unit.
    sd
        SD of people on that scale. It decides the power and has no default: take it from a pilot or a published model.
    rng
        For the draws.
    items, item_sd
        How many items people decide about, each as often, and their SD on the same scale; 0 for none. The condition is
        then constant within an item if it varies within people and the number of items is even.
    slope_sd
        SD over people of the effect within people; it is fitted as a random slope.
    intercept, benefit
        Log odds of the first condition at benefit 0, and their rise from benefit 0 to 1, of which the answers have 11
        steps in turn; 0 for no benefit.
    varies
        "between" people or "within" them.
    outcome
        "yes/no"; "number"; or "ordered", answers such as 1 to 5.
    residual_sd
        Of numbers: SD of the answers of one person to one item.
    shares
        Of answers in order: the share of each, from the lowest, that one person with random effects of 0 gives in the
        first condition at benefit 0.
    n_simulations
        How many studies are drawn and tested.
    alpha
        Level of the test.

    Returns
    -------
    Power
        `undefined` counts studies without a fit (answers that separate); they are not a rejection.

    Raises
    ------
    DesignError
        If a number makes no sense.
    NotEstimable
        If the engine of mixed models is not installed.

    Notes
    -----
    The test of yes or no is Wald's t on between–within degrees of freedom, as `negstats.stats.mixed` gives it;
    Laplace's approximation from 5 decisions a person on, nine nodes below. Numbers are tested in the linear mixed model
    on Kenward and Roger's degrees of freedom. Answers in order are drawn from a cumulative logit, and their scores 1,
    2, ... are tested in that linear model, as a plan tests them.

    Examples
    --------
    >>> mixed(people=30, decisions=20, effect=1.0, sd=1.5, intercept=-2, benefit=5, rng=np.random.default_rng(1),
    ...       n_simulations=20).n_simulations
    20

    Numbers, of 20 scenarios that every other person sees in the second condition:

    >>> mixed(people=30, decisions=20, effect=0.8, sd=1.0, items=20, item_sd=0.5, outcome="number", residual_sd=1.5,
    ...       rng=np.random.default_rng(1), n_simulations=20).test
    'numbers, between people, 20 decisions each'
    """
    check_alpha(alpha)
    check_choice("outcome", outcome, tuple(LABELS))
    check_choice("varies", varies, ("between", "within"))
    counts = {"people": (people, 4), "decisions": (decisions, 2), "items": (items, 0)}
    _check_numbers(
        least={**counts, "n_simulations": (n_simulations, 1)},
        any_number={"effect": effect, "intercept": intercept, "benefit": benefit},
        sds={"sd": sd, "item_sd": item_sd, "slope_sd": slope_sd},
    )
    if items and decisions % items:
        raise DesignError(f"decisions is {decisions} and items {items}; each item is decided about as often")
    if outcome == "yes/no" and items in (1, 2):
        raise DesignError(
            f"items is {items}; a model of yes or no needs 3 to say how items differ: give 0 or more than 2"
        )
    if varies == "between" and slope_sd:
        raise DesignError("slope_sd is for an effect within people; leave it out with varies='between'")
    cuts = _check_outcome(outcome, residual_sd, shares)
    if outcome != "yes/no" and (intercept or benefit):
        raise DesignError("intercept and benefit are for yes or no; leave them out")
    shift, is_between = effect * np.array([0.0, 1.0]), varies == "between"
    of_levels = intercept + shift if cuts is None else cuts - shift[:, None]
    design = AnswersDesign(
        n=np.array([people - people // 2, people // 2] if is_between else [people], dtype=np.float64),
        factors=(),
        kind=KINDS[outcome],
        typical=of_levels[:, None] if is_between else of_levels[None],
        levels=(("a", "b"),),
        names=("f",),
        outer=int(is_between),
        per_unit=decisions,
        items=items,
        sds={"people": sd, "items": item_sd, "effect": slope_sd},
        spread=None if residual_sd is None else np.full((2, 2), residual_sd),
        benefit=benefit,
    )
    refits = _refits(design, residual_sd)
    # Each study has random numbers of its own, so that a longer run begins with the same studies.
    p = np.array([refits.p(design.answers(1, study)[0], "f") for study in check_rng(rng).spawn(n_simulations)])
    label = f"{LABELS[outcome]}, {varies} people, {decisions} decisions each"
    power, undefined = float((p <= alpha).mean()), int(np.isnan(p).sum())
    return Power(power, (float(people),), alpha, label, "simulation", n_simulations, undefined)


def _refits(design: AnswersDesign, residual_sd: float | None) -> LinearRefits | ResponseRefits:
    """Return the model of the design's rows: a slope of the effect over people where it varies, and items if any."""
    formula = "f + x" if design.benefit else "f"
    random = "(1 + f | unit)" if design.sds["effect"] else "(1 | unit)"
    if design.items:
        random += " + (1 | i0)"
    if design.kind == "yes/no":
        return ResponseRefits(design.frame(), formula, random, "binomial", design.per_unit)
    people, items, slopes = (design.sds[part] ** 2 for part in ("people", "items", "effect"))
    within = LATENT if residual_sd is None else residual_sd**2
    variances = {"unit": people + slopes / 4, "i0": items, "slopes": slopes / 4, "within": within}
    return LinearRefits(design.frame(), formula, random, variances)


def _check_outcome(outcome: Outcome, residual_sd: float | None, shares: Sequence[float] | None) -> FloatArray | None:
    """Return the cuts of answers in order on the logit."""
    if (residual_sd is not None) != (outcome == "number"):
        raise DesignError("residual_sd is for numbers, which need it: give it with outcome='number' alone")
    if (shares is not None) != (outcome == "ordered"):
        raise DesignError("shares are for ordered answers, which need them: give them with outcome='ordered' alone")
    if residual_sd is not None and not check_number("residual_sd", residual_sd) > 0:
        raise DesignError(f"residual_sd is {shown(residual_sd)}; give a positive SD")
    if shares is None:
        return None
    values = np.array([check_number("shares", share) for share in shares])
    if len(values) < 2 or not (values > 0).all() or abs(values.sum() - 1) > 1e-9:
        raise DesignError(f"shares is {shown(list(shares))}; give two or more positive shares that sum to 1")
    return np.asarray(special.logit(np.cumsum(values)[:-1]), dtype=np.float64)


def mixed_sample_size(*, power: float = 0.8, rng: np.random.Generator, start: int = 16, **design: object) -> SampleSize:
    """Return how many people reach a power; arguments as for `mixed`, without `people`.

    Sizes are tried in doubled steps, then by halves in between; every size has the same random numbers.

    Parameters
    ----------
    power
        What is to be reached.
    rng
        For the draws.
    start
        The number of people that is tried first.
    **design
        The arguments of `mixed` other than `people` and `rng`.

    Returns
    -------
    SampleSize
        The number of people and the simulated power that it has.

    Examples
    --------
    >>> result = mixed_sample_size(decisions=10, effect=2.0, sd=1.0, rng=np.random.default_rng(2), n_simulations=60)
    >>> result.power >= 0.8
    True
    """
    check_share("power", power, 0.8)
    seed = int(check_rng(rng).integers(2**63))

    power_by_people: dict[int, Power] = {}

    def is_reached(people: int) -> bool:
        power_by_people[people] = mixed(people=people, rng=np.random.default_rng(seed), **design)  # type: ignore[arg-type]
        return float(np.asarray(power_by_people[people].power)) >= power

    # Every size draws the same random numbers, and half of an even number of people is in each condition.
    people = 2 * find_first(lambda half: is_reached(2 * half), (max(start, 4) + 1) // 2, 2, MOST_TRIED // 2)
    if people > MOST_TRIED:
        most_people = max(power_by_people)
        largest_power = float(np.asarray(power_by_people[most_people].power))
        raise NotEstimable(f"{most_people} people have a power of {largest_power:.2f}; more were not tried")
    return _build_size(people, power, power_by_people)


def _build_size(people: int, power: float, power_by_people: Mapping[int, Power]) -> SampleSize:
    """Return the size that reaches a power, with those of the sizes that were tried between which it lies."""
    result = power_by_people[people]
    intervals = {size: tried.confidence_interval() for size, tried in sorted(power_by_people.items())}
    # The sizes whose interval reaches the power, and those whose interval lies above it.
    smallest_possible = min(
        (size for size, interval in intervals.items() if float(np.asarray(interval.high)) >= power), default=people
    )
    smallest_certain = min(
        (size for size, interval in intervals.items() if float(np.asarray(interval.low)) >= power), default=np.inf
    )
    return SampleSize(
        n=(people,),
        total=people,
        target=power,
        power=float(np.asarray(result.power)),
        power_interval=intervals[people],
        n_interval=Interval(float(smallest_possible), float(smallest_certain), 0.95, "of the sizes that were tried"),
        alpha=result.alpha,
        test=result.test,
        method=result.method,
        n_simulations=result.n_simulations,
    )
