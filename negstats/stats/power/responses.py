"""Power where rows repeat by person: studies of any kind of answer are drawn and their models fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.models.estimators import EffectRows, engine_start
from negstats.stats.models.responses.engine import RandomPart, fit_columns
from negstats.stats.models.responses.likelihood import Distribution
from negstats.stats.power.closed import Power, SampleSize, check_alpha
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
from negstats.stats.summaries.frames import IntArray


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
            test = model.test(term)
        except NotEstimable:
            return float("nan")
        p = float(np.asarray(test.p))
        if alternative == "two-sided" or len(model.names) != 2:
            return p
        effect = model.effect(term)
        sign = -1.0 if term in model.coding.levels else 1.0  # sides are of the first level less the second
        t, df = sign * float(np.asarray(effect.statistic)), float(np.asarray(effect.df))
        return float(t_tails(t, df, alternative))


def draw_scores(rng: np.random.Generator, eta: FloatArray, cuts: FloatArray) -> FloatArray:
    """Return answers 1, 2, ... of a cumulative logit: how many cuts lie below η and a logistic error, and 1.

    `cuts` has the cuts of each row in its last axis, or one set for all.
    """
    latent = eta + special.logit(rng.random(eta.shape))
    return np.asarray(1.0 + (latent[..., None] > cuts).sum(axis=-1), dtype=np.float64)


Varies: TypeAlias = Literal["between", "within"]
Outcome: TypeAlias = Literal["yes/no", "number", "ordered"]
LAW = Distribution("binomial", "logit")
FEW = 5  # decisions a person below which Laplace's approximation is not to be relied on
MOST_TRIED = 4096
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
        Log odds of the first condition at benefit 0, and their rise from benefit 0 to 1, which is drawn evenly from
        11 steps; 0 for no benefit.
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
    if varies == "between" and slope_sd:
        raise DesignError("slope_sd is for an effect within people; leave it out with varies='between'")
    cuts = _check_outcome(outcome, residual_sd, shares)
    if outcome != "yes/no" and (intercept or benefit):
        raise DesignError("intercept and benefit are for yes or no; leave them out")
    design = DrawnDesign(people, decisions, items, varies, slope_sd > 0, benefit != 0)
    linear = None if outcome == "yes/no" else design.linear(sd, item_sd, slope_sd, residual_sd)
    n_significant, undefined = 0, 0
    # Each study has random numbers of its own, so that a longer run begins with the same studies.
    for study_rng in check_rng(rng).spawn(n_simulations):
        x, eta = design.draw(study_rng, effect, sd, item_sd, slope_sd, intercept, benefit)
        if linear is None:
            p = design.test(x, (study_rng.random(len(eta)) < special.expit(eta)).astype(np.float64))
        else:
            y = (
                eta + study_rng.normal(0.0, residual_sd or 0.0, len(eta))
                if cuts is None
                else draw_scores(study_rng, eta, cuts)
            )
            p = linear.p(y, "f")
        undefined += np.isnan(p)
        n_significant += bool(p <= alpha)
    label = f"{LABELS[outcome]}, {varies} people, {decisions} decisions each"
    return Power(
        n_significant / n_simulations, (float(people),), alpha, label, "simulation", n_simulations, int(undefined)
    )


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


class DrawnDesign:
    """The columns of a study that is drawn again and again."""

    def __init__(self, people: int, decisions: int, items: int, varies: Varies, slope: bool, benefit: bool) -> None:
        self.person = np.repeat(np.arange(people), decisions)
        decision = np.tile(np.arange(decisions), people)
        is_between = varies == "between"
        self.factor = np.asarray((self.person if is_between else decision) % 2 - 0.5, dtype=np.float64)
        self.item = decision % items if items else None
        self.benefit = benefit
        self.people, self.items, self.between = people, items, is_between
        labels = tuple(map(str, range(people)))
        slopes = (1,) if slope else ()
        random_parts = [RandomPart("person", ("Intercept",), slopes, self.person.astype(np.intp), labels)]
        if self.item is not None:
            item_labels = tuple(map(str, range(items)))
            random_parts.append(RandomPart("item", ("Intercept",), (), self.item.astype(np.intp), item_labels))
        self.parts = tuple(random_parts)
        self.nagq = 9 if decisions < FEW and not slope and not items else 1
        columns = 2 + benefit
        rows = len(self.person)
        self.df = float(
            people - 2
            if is_between
            else items - 2
            if items and items % 2 == 0  # every other item is in the second condition
            else people - 1
            if slope
            else rows - columns - (people - 1) - max(items - 1, 0)
        )

    def draw(
        self, rng: np.random.Generator, effect: float, sd: float, item_sd: float, slope_sd: float, intercept: float,
        benefit: float,
    ) -> tuple[FloatArray, FloatArray]:  # fmt: skip
        """Return the benefits of a study, and what its answers are drawn about, on the scale of the effect."""
        rows = len(self.person)
        x = rng.integers(0, 11, rows) / 10.0
        person_intercepts = rng.normal(0.0, sd, self.people)[self.person]
        person_slopes = rng.normal(0.0, slope_sd, self.people)[self.person]
        eta = intercept + benefit * x + person_intercepts + (effect + person_slopes) * (self.factor + 0.5)
        if self.item is not None:
            eta = eta + rng.normal(0.0, item_sd, self.items)[self.item]
        return x, eta

    def linear(self, sd: float, item_sd: float, slope_sd: float, residual_sd: float | None) -> LinearRefits:
        """Return the linear mixed model of these rows; searches begin at what is expected."""
        frame = pd.DataFrame({"f": np.where(self.factor < 0, "a", "b"), "person": self.person})
        random = "(1 + f | person)" if slope_sd else "(1 | person)"
        if self.item is not None:
            frame["item"] = self.item
            random += " + (1 | item)"
        residual_variance = residual_sd**2 if residual_sd is not None else LATENT
        variances = {
            "person": sd**2 + slope_sd**2 / 4,
            "item": item_sd**2,
            "slopes": slope_sd**2 / 4,
            "within": residual_variance,
        }
        return LinearRefits(frame, "f", random, variances)

    def test(self, x: FloatArray, y: FloatArray) -> float:
        """Return the p of the factor; NaN where there is no fit."""
        columns = [np.ones(len(y)), self.factor, *([x] if self.benefit else [])]
        if y.min() == y.max() or _is_separated(y, self.factor):
            return float("nan")
        try:
            fit = fit_columns(np.column_stack(columns), y, self.parts, LAW, self.nagq)
        except NotEstimable as error:
            if "pip install" in str(error):
                raise
            return float("nan")
        variance = fit.covariance[1, 1]
        if not variance > 0:
            return float("nan")
        return float(t_tails(fit.beta[1] / np.sqrt(variance), max(self.df, 1.0)))


def _is_separated(y: FloatArray, factor: FloatArray) -> bool:
    """Return whether all answers of a condition are alike."""
    codes: IntArray = (factor > 0).astype(np.intp)
    yes, n = np.bincount(codes, weights=y, minlength=2), np.bincount(codes, minlength=2)
    return bool(((yes == 0) | (yes == n)).any())
