"""What a question of a plan expects: its cells laid out as arrays, and the test that the design leads to."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from negstats.analysis.methods.inputs import alternative_of
from negstats.analysis.plan.predictions import question_levels
from negstats.analysis.power.pool import Player, Pool, played, pooled
from negstats.analysis.questions.design import kind_of
from negstats.analysis.rules import Choice, DesignFeatures, Kind, Linked, Shape, choose_rule
from negstats.errors import DesignError, UsageError, shown
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import Alternative

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question

# What a cell says, and the kind of outcome that it is said of.
KINDS: Mapping[str, Kind] = {"mean": "interval", "p": "yes/no", "rate": "count", "shares": "ordered"}
# Models of rows, which a plan names, and how their units are linked.
OF_ROWS: Mapping[str, Linked] = {"dyad": "pairs", "mixed": "groups"}
# Tests whose power is of refits, by kind of outcome; of every kind those of a question with items are.
REFITTED: Mapping[str, tuple[str, ...]] = {
    "yes/no": ("mixed", "gee", "logistic"), "count": ("mixed", "gee", "logistic"), "ordered": ("mixed",),
}  # fmt: skip
BY_RANKS = ("wilcoxon", "friedman")  # of ordered answers of the same people, one a level
SDS: Mapping[str, str] = {"sd_people": "people", "sd_items": "items", "sd_effect": "effect"}
# In what the SDs of people and items are given.
UNITS: Mapping[str, str] = {
    "interval": "in the outcome's unit", "ordered": "on the log scale of the odds of a higher answer",
}  # fmt: skip
SEATS = ("players.role", "players.kind", "players.agent")


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What a question expects.

    Attributes
    ----------
    id : str
        Of the question.
    question : Question
        As the plan has it.
    kind : str
        Of the outcome.
    factors : Mapping of str to tuple of str
        Levels in order, the factors between units first.
    within : tuple of str
        Those of them at whose levels the same units stand.
    cells : Mapping of str to ndarray
        "mean", "sd", "p", "rate", "spread" or "shares" (with a last axis), one axis a factor.
    weights : ndarray
        Sizes of the cells between units, relative to each other; the smallest is 1.
    r : float
        Correlation of repeated values, or with the number that the question names.
    per_unit : int
        Rows of a unit: averaged, or, where the plan names a model of rows, correlated with r.
    items : int
        Items that every unit answers; 0 where the question names none.
    sds : Mapping of str to float
        SDs of "people", "items" and the "effect" within people on the scale of the link, those that are expected.
    whole : tuple of str
        Where the plan names a model of rows: factors that it says lie between units.
    refits : bool
        Whether studies are drawn row by row and each is fitted.
    choice : Choice
        The row of the table of tests that the design leads to.
    pool : Pool or None
        Played values of the cells, where the plan simulates a game.
    alternative : str
        The side of the test, signed as first level minus second.
    facts : DesignFeatures
        What of the design the choice rests on.
    """

    id: str
    question: Question
    kind: Kind
    factors: Mapping[str, tuple[str, ...]]
    within: tuple[str, ...]
    cells: Mapping[str, FloatArray]
    weights: FloatArray
    r: float | None
    per_unit: int
    choice: Choice
    pool: Pool | None = None
    alternative: Alternative = "two-sided"
    facts: DesignFeatures = field(default_factory=lambda: DesignFeatures("interval"))
    whole: tuple[str, ...] = ()
    items: int = 0
    sds: Mapping[str, float] = field(default_factory=dict)
    refits: bool = False

    @property
    def refitted(self) -> bool:
        """Whether studies are drawn row by row and each is fitted or ranked."""
        return self.refits or (self.kind == "ordered" and self.choice.rule.test in BY_RANKS)

    @property
    def between(self) -> dict[str, tuple[str, ...]]:
        """The factors between units with their levels."""
        return {name: levels for name, levels in self.factors.items() if name not in self.within}


def _is_refitted(kind: Kind, question: Question, expectation: Mapping[str, Any]) -> bool:
    """Return whether a model of rows is fitted; of yes or no that people decide repeatedly it is the default."""
    repeats = "sd_people" in expectation and int(expectation.get("per_unit", 1)) > 1
    by_default = kind == "yes/no" and question.test == "auto" and question.sought == "effect" and repeats
    return question.test in REFITTED.get(kind, ()) or bool(question.items) or by_default


def expected(
    plan: Plan, name: str, observed_levels: Mapping[str, Sequence[str]] | None = None, *, play: Player = played
) -> Expected:
    """Return what a question expects, laid out.

    Parameters
    ----------
    plan
        The plan.
    name
        The question's id.
    observed_levels
        Levels of factors that neither the plan nor the cells name, from a study.
    play
        Plays the games of a cell, where the plan simulates them.

    Raises
    ------
    UsageError
        If the cells do not cover the design once, say different things, or lack a number; the message names the field.
    DesignError
        If no test is for the design.
    """
    question = plan.questions[name]
    expectation = dict(question.expect or {})
    at = f"questions.{name}.expect"
    layout = _lay_out(plan, question, expectation, observed_levels, at, play)
    factors, within, kind, numbers = layout.factors, layout.within, layout.kind, layout.numbers
    refits, of_rows = _is_refitted(kind, question, expectation), question.test in OF_ROWS
    per_unit = _rows_of_refits(kind, question, expectation, at) if refits else _rows_a_unit(question, expectation, at)
    if refits:
        shape = _shape(factors, within)
        facts = DesignFeatures(kind, shape, _extra(question), question.sought, "groups", inside=True,
                               items=bool(question.items))  # fmt: skip
    elif of_rows:
        shape, linked = _shape(factors, ()), OF_ROWS[question.test]
        facts = DesignFeatures(kind, shape, _extra(question), question.sought, linked, inside=True)
    else:
        facts = _features_of_means(plan, question, layout, per_unit)
        numbers = _averaged(kind, numbers, per_unit, _correlation(kind, numbers, expectation, at))
    choice = choose_rule(facts, question.test)
    return Expected(
        id=name,
        question=question,
        kind=facts.kind,
        factors=factors,
        within=within,
        cells=numbers,
        weights=layout.unit_weights,
        r=None if expectation.get("r") is None else float(expectation["r"]),
        per_unit=per_unit,
        choice=choice,
        pool=None if refits else layout.pool,
        alternative=alternative_of(question, factors),
        facts=facts,
        whole=_whole_factors(plan, factors) if of_rows and not refits else (),
        items=int(expectation.get("items", 0)) if refits else 0,
        sds=_sds(facts, choice, expectation, at, refits=refits),
        refits=refits,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """The cells of a question as arrays, one axis a factor, the factors between units first."""

    factors: Mapping[str, tuple[str, ...]]
    within: tuple[str, ...]
    kind: Kind
    numbers: Mapping[str, FloatArray]
    weights: FloatArray
    pool: Pool | None

    @property
    def unit_weights(self) -> FloatArray:
        """Sizes of the cells between units; the smallest is 1."""
        between = tuple(len(levels) for name, levels in self.factors.items() if name not in self.within)
        weights = self.weights.reshape(*between, -1)[..., 0] if between else np.ones(())
        unit_weights: FloatArray = weights / weights.min()
        return unit_weights


def _lay_out(
    plan: Plan,
    question: Question,
    expectation: Mapping[str, Any],
    observed_levels: Mapping[str, Sequence[str]] | None,
    at: str,
    play: Player,
) -> _Layout:
    """Return the cells of a question: those that games are played for, or those that the plan gives."""
    cells = [dict(cell) for cell in expectation.get("cells", ())]
    factors = _levels(plan, question, cells, observed_levels, at)
    within = _find_within(plan, question, expectation, at)
    factors = {name: factors[name] for name in sorted(factors, key=lambda name: name in within)}
    if plan.power.simulate and not cells and expectation.get("r") is None:
        pool = pooled(plan, question, factors, f"{at.removesuffix('.expect')}.by", play)
        return _Layout(factors, within, *_expect_pool(plan, question, pool), pool)
    stated_kind, stated_numbers, weights = _numbers_of_cells(factors, cells, expectation, at)
    kind, numbers = _to_measure(_kind(plan, question), stated_kind if cells else None, stated_numbers, at)
    return _Layout(factors, within, kind, numbers, weights, None)


def _features_of_means(plan: Plan, question: Question, layout: _Layout, per_unit: int) -> DesignFeatures:
    """Return what the choice of a test rests on where each unit has one value, its rows averaged."""
    return DesignFeatures(
        kind="interval" if per_unit > 1 else layout.kind,
        shape=_shape(layout.factors, layout.within),
        extra=_extra(question),
        asked=question.sought,
        seats=any(plan.factor(name).column in SEATS for name in layout.within),
        several=per_unit > 1,
        people=per_unit > 1,
        averaged=layout.kind,
    )


def _sds(
    facts: DesignFeatures, choice: Choice, expectation: Mapping[str, Any], at: str, *, refits: bool
) -> dict[str, float]:
    """Return the SDs that studies are drawn with: of refits all that are expected, of ranks those of people."""
    if refits:
        return {SDS[key]: float(expectation[key]) for key in SDS if key in expectation}
    is_ranked = facts.kind == "ordered" and choice.rule.test in BY_RANKS
    return _sds_of_ranks(expectation, at) if is_ranked else {}


def _sds_of_ranks(expectation: Mapping[str, Any], at: str) -> dict[str, float]:
    """Return the SD of people, whose answers at several levels are ranked."""
    if "sd_people" not in expectation:
        raise UsageError(f"{at}: has no sd_people; give the SD of people {UNITS['ordered']}, from a pilot or a model")
    return {SDS[key]: float(expectation[key]) for key in ("sd_people", "sd_effect") if key in expectation}


def _rows_a_unit(question: Question, expectation: Mapping[str, Any], at: str) -> int:
    """Return how many rows a unit has; a model of rows must know it, and how they correlate."""
    if question.test not in OF_ROWS:
        return int(expectation.get("per_unit", 1))
    rows = int(expectation.get("per_unit", 2 if question.test == "dyad" else 1))
    if rows < 2 or (question.test == "dyad" and rows != 2):
        least = "a pair has 2" if question.test == "dyad" else "give how many rows a unit has, at least 2"
        raise UsageError(f"{at}.per_unit: is {rows}; {least}")
    if expectation.get("r") is None:
        raise UsageError(f"{at}: has no r; give the correlation of two rows of a unit")
    return rows


def _levels(
    plan: Plan,
    question: Question,
    cells: Sequence[Mapping[str, Any]],
    study_levels: Mapping[str, Sequence[str]] | None,
    at: str,
) -> dict[str, tuple[str, ...]]:
    # Levels come from the plan and the study, or else from the expected cells.
    cell_levels = {name: {str(cell[name]) for cell in cells if name in cell} for name in question.by}
    known_levels = question_levels(
        plan,
        question,
        {**{name: sorted(levels) for name, levels in cell_levels.items() if levels}, **(study_levels or {})},
    )
    levels_by_factor = {}
    for name in question.by:
        levels = known_levels[name]
        if not levels:
            how = f"give [factors.{name}] levels, or name them in cells"
            raise UsageError(f"{at}: no level of {name!r} is known; {how}")
        unknown = sorted(cell_levels[name] - set(levels))
        if unknown:
            raise UsageError(f"{at}.cells: {shown(unknown[0])} is not a level of {name!r}; it has {', '.join(levels)}")
        if len(levels) < 2:
            raise UsageError(f"{at}.cells: only {levels[0]} of {name!r} is expected; give a cell for each level")
        levels_by_factor[name] = levels
    # A cell holds levels of the factors and expected numbers, nothing else.
    for cell in cells:
        extra = sorted(key for key in cell if key not in (*levels_by_factor, *NUMBERS))
        if extra:
            raise UsageError(
                f"{at}.cells: {shown(extra[0])} is neither a factor of the question nor a number of a cell"
            )
    return levels_by_factor


NUMBERS = ("mean", "sd", "p", "rate", "spread", "shares", "n", "rate_agree", "rate_leave")


def _whole_factors(plan: Plan, factors: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in factors if plan.factor(name).within is False)


def _find_within(plan: Plan, question: Question, expectation: Mapping[str, Any], at: str) -> tuple[str, ...]:
    """Return the factors within units: those that the plan says, or the only one where a correlation is expected."""
    sure = tuple(name for name in question.by if plan.factor(name).within)
    open_ = [name for name in question.by if plan.factor(name).within is None]
    if (
        sure
        or question.test in OF_ROWS
        or expectation.get("r") is None
        or int(expectation.get("per_unit", 1)) > 1
        or question.with_
    ):
        return sure
    if len(open_) != 1:
        raise UsageError(f"{at}.r: say which factor lies within units with [factors.…] within = true")
    return (open_[0],)


def _numbers_of_cells(
    factors: Mapping[str, tuple[str, ...]], cells: Sequence[Mapping[str, Any]], expectation: Mapping[str, Any], at: str
) -> tuple[Kind, dict[str, FloatArray], FloatArray]:
    """Return the kind of outcome, the numbers of the cells and their weights."""
    shape = tuple(len(levels) for levels in factors.values())
    if not cells:
        return "interval", {}, np.ones(shape)
    number = _number_stated(cells, at)
    cell_at = _cells_by_place(factors, cells, at)
    spread = {"mean": "sd", "rate": "spread"}.get(number)
    arrays = {
        name: _array_of(name, factors, cell_at, expectation, at) for name in (number, *([spread] if spread else []))
    }
    weights = np.array([cell_at[place].get("n", 1.0) for place in np.ndindex(shape)], dtype=np.float64)
    return KINDS[number], arrays, weights.reshape(shape)


def _number_stated(cells: Sequence[Mapping[str, Any]], at: str) -> str:
    """Return which one number all cells give: a mean, a share, a rate, or shares."""
    if any("rate_agree" in cell for cell in cells):
        raise UsageError(f"{at}.cells: power of times needs simulated rows and is not computed; give a mean, p or rate")
    numbers = {key for cell in cells for key in KINDS if key in cell}
    if len(numbers) != 1:
        problem = "mix " + ", ".join(sorted(numbers)) if numbers else "say nothing"
        raise UsageError(f"{at}.cells: {problem}; give one of {', '.join(KINDS)}")
    return numbers.pop()


def _cells_by_place(
    factors: Mapping[str, tuple[str, ...]], cells: Sequence[Mapping[str, Any]], at: str
) -> dict[tuple[int, ...], Mapping[str, Any]]:
    """Return the cell of each place of the design; one that leaves out a factor covers all its levels."""
    cell_at: dict[tuple[int, ...], Mapping[str, Any]] = {}
    for cell in cells:
        places = [
            [levels.index(str(cell[name]))] if name in cell else range(len(levels)) for name, levels in factors.items()
        ]
        for place in itertools.product(*places):
            if place in cell_at:
                raise UsageError(f"{at}.cells: {_describe_cell(factors, place)} is covered twice; each cell once")
            cell_at[place] = cell
    for place in np.ndindex(*map(len, factors.values())):
        if place not in cell_at:
            raise UsageError(
                f"{at}.cells: {_describe_cell(factors, place)} is not covered; give every cell of the design"
            )
    return cell_at


def _array_of(
    name: str,
    factors: Mapping[str, tuple[str, ...]],
    cell_at: Mapping[tuple[int, ...], Mapping[str, Any]],
    expectation: Mapping[str, Any],
    at: str,
) -> FloatArray:
    """Return one number of all cells as an array, of those that leave it out as the expectation gives it for all."""
    shape = tuple(map(len, factors.values()))
    default = expectation.get(name, 1.0 if name == "spread" else None)
    numbers = [cell_at[place].get(name, default) for place in np.ndindex(shape)]
    for place, value in zip(np.ndindex(shape), numbers, strict=True):
        if value is None:
            whose = _describe_cell(factors, place) or "the cell"
            raise UsageError(f"{at}: {whose} has no {name}; give {name} for it, or one for all")
    lengths = {len(shares) for shares in numbers} if name == "shares" else set()
    if len(lengths) > 1:
        several = " and ".join(map(str, sorted(lengths)))
        raise UsageError(f"{at}.cells: shares have {several} numbers; give as many in each cell")
    return np.array(numbers, dtype=np.float64).reshape((*shape, *lengths))


def _kind(plan: Plan, question: Question) -> Kind:
    """Return the kind of outcome that the question's test will see, as far as it can be told without data."""
    from negstats import metrics

    measure = plan.measure(question.measure)
    definition = None if measure.answer is not None else metrics.measure(measure.measure)
    return measure.kind or kind_of(definition, scale=bool(measure.scale), ends=True)


def _to_measure(
    measured: Kind, stated_kind: Kind | None, arrays: Mapping[str, FloatArray], at: str
) -> tuple[Kind, dict[str, FloatArray]]:
    """Return the outcome's own kind with the numbers that its test takes; what the cells say must be of that kind."""
    numbers = dict(arrays)
    if measured == "count" and stated_kind == "interval":
        numbers |= {"rate": arrays["mean"], "spread": arrays["sd"] ** 2 / arrays["mean"]}
    elif (
        stated_kind not in (None, measured)
        and not (measured == "nominal" and stated_kind == "ordered")
        and measured != "time"
    ):
        number_name = {kind: name for name, kind in KINDS.items()}.get(measured, "shares")
        raise UsageError(f"{at}.cells: the outcome is {measured}; give {number_name} in the cells")
    return measured, numbers


def _expect_pool(plan: Plan, question: Question, pool: Pool) -> tuple[Kind, dict[str, FloatArray], FloatArray]:
    """Return the kind of a played outcome, the means of its cells, and equal weights."""
    kind = _kind(plan, question)
    if kind not in ("interval", "yes/no", "count"):
        raise UsageError(f"{question.measure} is {kind}; games are simulated for numbers, counts and yes and no")
    return kind, {{"yes/no": "p", "count": "rate"}.get(kind, "mean"): pool.mean}, np.ones(pool.mean.shape)


def _describe_cell(factors: Mapping[str, tuple[str, ...]], place: Sequence[int]) -> str:
    return ", ".join(f"{name} = {levels[code]}" for (name, levels), code in zip(factors.items(), place, strict=True))


def _rows_of_refits(kind: Kind, question: Question, expectation: Mapping[str, Any], at: str) -> int:
    """Return how many rows a unit has, where each study is fitted; how far people lie apart must be said."""
    if question.contrasts or question.with_ or question.covariates or not question.by:
        raise DesignError("the power of refits is simulated for factors; leave out contrasts, with and covariates")
    rows = int(expectation.get("per_unit", 1))
    if "per_unit" not in expectation and kind == "yes/no" and question.test != "mixed" and not question.items:
        raise DesignError(
            f"the power of test = {question.test!r} is simulated for units of several rows; give expect.per_unit, or "
            "of independent units leave test out"
        )
    if rows < 2:
        raise UsageError(f"{at}.per_unit: is {rows}; give how many rows a unit has, at least 2")
    pairs = rows == 2 and expectation.get("r") is not None and question.test in ("gee", "logistic")
    unit = UNITS.get(kind, "on the log scale of odds or rates")
    if "sd_people" not in expectation and not pairs:
        other_r = ", or r of the two answers of a pair" if question.test in ("gee", "logistic") else ""
        raise UsageError(
            f"{at}: has no sd_people; give the SD of people {unit}, from a pilot or a published model{other_r}"
        )
    if bool(question.items) != ("items" in expectation):
        raise UsageError(f"{at}.items: say how many items there are, and name them with items in the question")
    if "items" in expectation and "sd_items" not in expectation:
        raise UsageError(f"{at}: has no sd_items; give the SD of items {unit}")
    if "items" in expectation and rows % int(expectation["items"]):
        raise UsageError(
            f"{at}.items: is {expectation['items']}, and a unit has {rows} rows; each item is answered as often"
        )
    return rows


def _correlation(kind: Kind, arrays: Mapping[str, FloatArray], expectation: Mapping[str, Any], at: str) -> Any:
    """Return the correlation of two rows of a unit: as expected, or what the SD of people makes of shares."""
    if "sd_people" not in expectation or int(expectation.get("per_unit", 1)) == 1:
        return expectation.get("r")
    from negstats.analysis.power.refitted import score_moments, share_correlation

    sd = float(expectation["sd_people"])
    if kind == "ordered":
        shares = arrays["shares"]
        return np.array(
            [score_moments(cell_shares, sd)[2] for cell_shares in shares.reshape(-1, shares.shape[-1])]
        ).reshape(shares.shape[:-1])
    if kind != "yes/no":
        raise UsageError(
            f'{at}.sd_people: is for yes or no, counts and answers in order in a model of rows; name test = "mixed", '
            "or give r"
        )
    p = arrays["p"]
    return np.array([share_correlation(float(share), sd) for share in p.ravel()]).reshape(p.shape)


def _averaged(kind: Kind, arrays: Mapping[str, FloatArray], per_unit: int, r: Any) -> dict[str, FloatArray]:
    """Return means and SDs of one value a unit, where several rows that correlate with r are averaged."""
    if per_unit == 1:
        return dict(arrays)
    variance_ratio = (1 + (per_unit - 1) * np.asarray(0.0 if r is None else r, dtype=np.float64)) / per_unit
    if kind == "yes/no":
        return {"mean": arrays["p"], "sd": np.sqrt(arrays["p"] * (1 - arrays["p"]) * variance_ratio)}
    if kind == "count":
        return {"mean": arrays["rate"], "sd": np.sqrt(arrays["rate"] * arrays["spread"] * variance_ratio)}
    if kind == "interval":
        return {"mean": arrays["mean"], "sd": arrays["sd"] * np.sqrt(variance_ratio)}
    if kind == "ordered":
        score = np.arange(1.0, arrays["shares"].shape[-1] + 1)
        mean = arrays["shares"] @ score
        return {"mean": mean, "sd": np.sqrt((arrays["shares"] @ score**2 - mean**2) * variance_ratio)}
    raise UsageError("per_unit averages numbers, counts, yes and no, and answers in order; leave it out for others")


def check_pair(p: float, q: float, r: float, at: str) -> None:
    """Raise UsageError if no two answers can have these shares and this correlation."""
    from negstats.stats.power.responses import both_yes

    both = both_yes(p, q, r)
    if min(both, p - both, q - both, 1 - p - q + both) < 0:
        raise UsageError(f"{at}.r: no two answers of shares {p:g} and {q:g} correlate with {r:g}")


def _shape(factors: Mapping[str, tuple[str, ...]], within: tuple[str, ...]) -> Shape:
    inner = [len(factors[name]) for name in within]
    outer = [len(levels) for name, levels in factors.items() if name not in within]
    match (len(outer), len(inner)):
        case (0, 0):
            return "none"
        case (1, 0):
            return "two groups" if outer == [2] else "groups"
        case (0, 1):
            return "pairs" if inner == [2] else "within"
        case (_, 0):
            return "factorial"
        case (0, 2):
            return "two within"
        case (1, 1) if outer == inner == [2]:
            return "2 x 2 mixed"
        case _:
            return "mixed"


def _extra(question: Question) -> Any:
    if question.covariates:
        return "covariate"
    if question.with_ and question.by:
        return "number and factor"
    return {0: "none", 1: "number"}.get(len(question.with_), "numbers")
