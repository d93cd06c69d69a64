"""The inputs of a test: rows, one value for each unit, the design, names in models, and what could not be computed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

import narwhals as nw
import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, quantity
from negstats.analysis.plan.predictions import PredictionError, target_of
from negstats.analysis.questions.design import Design, wide
from negstats.analysis.questions.frames import Lazy, count, fetched, home, ones, whole_units
from negstats.analysis.questions.selection import Selection
from negstats.analysis.rules import Choice
from negstats.errors import DesignError, NegstatsError, UsageError, one_line
from negstats.stats.ranks.pairs import engine_differences
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import Alternative, t_tails
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import Factor
from negstats.studies import Study

if TYPE_CHECKING:
    from negstats.analysis.methods.records import TestRecord
    from negstats.analysis.plan.model import Plan, Question


# As `TestInput.coded` names columns: f0 with level l1, x0, i0, p0 of a partner; an interaction joins them by a colon.
CODE = re.compile(r"(?<![\w.])([fxip])(\d+)(?:\[(?:[TS]\.)?l(\d+)\])?(?![\w.])")
CROSSED = re.compile(rf"{CODE.pattern}(?::{CODE.pattern})+")


def in_plan_words(
    text: str,
    levels: Mapping[str, Sequence[str]],
    numbers: Sequence[str],
    items: Sequence[str],
    measure: str,
    partners: Sequence[str] = (),
) -> str:
    """Return a text of a model with the plan's names for what the model calls by codes.

    Examples
    --------
    >>> levels = {"condition": ("CL", "FC"), "country": ("China", "USA")}
    >>> in_plan_words("'x0' separates 'value'", levels, ["rounds"], [], "agreed")
    "'rounds' separates 'agreed'"
    >>> in_plan_words("f0[l1]:f1[l1] has no error", levels, [], [], "points")
    'condition = FC × country = USA has no error'
    """
    factors = list(levels)
    named: Mapping[str, Sequence[str]] = {
        "f": factors,
        "x": numbers,
        "i": items,
        "p": [f"{name} of the partner" for name in partners],
    }

    def name(match: re.Match[str]) -> str:
        kind, place, level = match[1], int(match[2]), match[3]
        if place >= len(named[kind]):
            return match[0]
        name = named[kind][place]
        if level is None or int(level) >= len(levels.get(name, ())):
            return name
        return f"{name} = {levels[name][int(level)]}"

    crossed = CROSSED.sub(lambda match: match[0].replace(":", " × "), text)
    return CODE.sub(name, crossed).replace("'value'", f"'{measure}'")


def record_in_plan_words(test: TestRecord, translate: Callable[[str], str]) -> TestRecord:
    """Return a test whose sentences and reasons are translated into the plan's names."""
    why = {field: translate(reason) for field, reason in test.why.items()}
    return replace(test, text=translate(test.text), why=why)


Omitted: TypeAlias = Literal["effect", "estimate", "interval", "part", "follow-up", "check", "cells", "values"]
Value = TypeVar("Value")
Default = TypeVar("Default")

# What these data can make of a computation: a refusal in words (`NegstatsError`, `numpy.linalg.LinAlgError` are
# ValueErrors), or a division by 0 and an overflow in a library.
FAULTS = (ValueError, ArithmeticError)


class RowsNeededError(UsageError):
    """A test needs the rows, and these stay with an engine; `what` names the test."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what


@dataclass(frozen=True, slots=True)
class Omission:
    """One thing beside an answer that these data do not give.

    Attributes
    ----------
    kind : str
        "effect", "estimate", "interval", "part" of the same model, "follow-up", "check", "cells" or "values".
    place : str
        The part of the address behind the question's id beside which it would stand: "/condition", or empty.
    what : str
        Its name for readers: "odds ratio", "Games–Howell".
    reason : str
        Why there is none, in a clause; empty where the rows that it needs stay with an engine.
    """

    kind: Omitted
    place: str
    what: str
    reason: str = ""

    def entry(self, question: str) -> dict[str, str]:
        """Return it as results.json holds it."""
        return {"kind": self.kind, "address": question + self.place, "what": self.what, "reason": self.reason}

    def __str__(self) -> str:
        if not self.reason:
            return f"Not computed: {self.what}, which needs data that were not loaded into memory."
        of = f" of {self.place.lstrip('/#')}" if self.place else ""
        return f"Not computed: {self.what}{of} ({self.reason})."


def compute_optional(
    omissions: list[Omission],
    kind: Omitted,
    what: str,
    make: Callable[[], Value],
    default: Default,
    place: str = "",
    describe: Callable[[str], str] = str,
) -> Value | Default:
    """Return what stands beside an answer, or `default` and a record of why there is none, in words of `describe`.

    Everything but the answer's own statistic and p is computed through here, so that no effect size, interval,
    follow-up or check that these data do not give takes the answer away.

    Examples
    --------
    >>> omissions = []
    >>> compute_optional(omissions, "effect", "ratio", lambda: 1 / 0, None)
    >>> print(omissions[0])
    Not computed: ratio (division by zero).
    """
    try:
        return make()
    except RowsNeededError as error:
        omission = Omission(kind, place, error.what)
    except FAULTS as error:
        reason = error.statement if isinstance(error, NegstatsError) else one_line(error)
        omission = Omission(kind, place, what, describe(reason).rstrip("."))
    if omission not in omissions:
        omissions.append(omission)
    return default


ANSWER = "\0answer"  # the outcome's own dimension of a table, which no factor is called


def random(seed: int, question: str) -> np.random.Generator:
    """Return the generator of a question: a child of the plan's seed by the question's id, whatever else is asked.

    Examples
    --------
    >>> first, second = random(1, "H1").random(), random(1, "H2").random()
    >>> first == random(1, "H1").random(), first == second
    (True, False)
    """
    digest = hashlib.sha256(question.encode()).digest()[:16]
    key = tuple(int(word) for word in np.frombuffer(digest, dtype=">u4"))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


TIMES = "\0times"
DISTINCT = 1_000_000  # distinct values of a measure that are counted at most: ranks bring one home for each


@dataclass(frozen=True, slots=True, eq=False)
class TestInput:
    """A question ready to be tested: what each test takes, a summary by one group-by where that is enough.

    A test that needs the values themselves says so by its name. It gets them if so many rows may be brought home;
    otherwise the question is refused, or, where the test stands beside an answer, a note names it.

    Attributes
    ----------
    id : str
    question : Question
    plan : Plan
    asked : Selection
        Its rows.
    design : Design
    choice : Choice
    data : narwhals.LazyFrame
        One row a unit and level: ``unit``, ``value``, and the columns of factors and numbers.
    alternative : str
        "two-sided", or the side that the plan's direction names, of first minus second.
    study : Study
        Keeps what is needed more than once.
    columns : Mapping of str to str
        The column of each factor and number.
    most : int
        Rows that may be brought home for a test that needs them.
    omissions : list of Omission
        What stands beside the answer and could not be computed.
    """

    __test__: ClassVar[bool] = False  # no test of pytest's

    id: str
    question: Question
    plan: Plan
    asked: Selection
    design: Design
    choice: Choice
    data: Lazy
    alternative: Alternative
    study: Study
    columns: Mapping[str, str]
    most: int = 0
    omissions: list[Omission] = field(default_factory=list)
    _made: dict[str, Lazy] = field(default_factory=dict)

    @property
    def level(self) -> float:
        """The level of intervals: 1 − alpha, or 1 − 2 alpha where p is one-sided."""
        return self.plan.confidence_level if self.alternative == "two-sided" else self.plan.one_sided_level

    @property
    def factors(self) -> list[str]:
        """The factors compared, in the plan's order."""
        return list(self.design.levels)

    @property
    def factor(self) -> str:
        """The only factor."""
        return self.factors[0]

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of the only factor."""
        return self.design.levels[self.factor]

    @property
    def numbers(self) -> list[str]:
        """The predictors and covariates."""
        return list(dict.fromkeys((*self.question.with_, *self.question.covariates)))

    def optional(
        self, kind: Omitted, what: str, make: Callable[[], Value], default: Default, place: str = ""
    ) -> Value | Default:
        """Return what stands beside the answer, or `default` and a record of why there is none."""
        return compute_optional(self.omissions, kind, what, make, default, place, self.in_plan_words)

    def in_plan_words(self, text: str) -> str:
        """Return a message about coded rows (`coded`) with the plan's names: 'f0[l1]' is 'condition = b'."""
        partners = self.numbers if self.design.features.linked == "pairs" and self.question.with_ else []
        names = (self.design.levels, self.numbers, self.question.items, self.question.measure, partners)
        return in_plan_words(text, *names)

    def effect(
        self, make: Callable[[], stats.Effect], what: str = "effect size", place: str = "", level: float | None = None
    ) -> Quantity | None:
        """Return an effect size with its interval, each only if these data give it."""
        effect = self.optional("effect", what, make, None, place)
        if effect is None:
            return None
        confidence_level = self.level if level is None else level
        interval = self.optional(
            "interval", f"interval of the {what}", lambda: effect.confidence_interval(confidence_level), None, place
        )
        return quantity(effect.name, effect.value, interval)

    @property
    def side_note(self) -> str:
        """What a sentence says behind a p on one side: " (one-sided)"."""
        return "" if self.alternative == "two-sided" else " (one-sided)"

    def p_on_side(self, statistic: float, df: float, p: float) -> float:
        """Return p on the plan's side, from a two-sided p and a statistic that is t (z where df is infinite)."""
        return p if self.alternative == "two-sided" else float(t_tails(statistic, df, self.alternative))

    def rng(self) -> np.random.Generator:
        """Return the question's generator, at its start."""
        return random(self.plan.seed, self.id)

    def values(self, what: str) -> pd.DataFrame:
        """Return one row a unit and level for the test `what`; RowsNeededError if these are too many."""
        return self._home(self.data, what)

    def rows(self, what: str) -> pd.DataFrame:
        """Return the complete rows for the test `what`; RowsNeededError if these are too many."""
        return self._home(self._rows, what)

    def wide(self, what: str) -> pd.DataFrame:
        """Return one row a whole unit with a column a combination of levels within units, for the test `what`."""
        return wide(self.values(what), self.design.levels, self.design.within)

    def cells(self, by: Sequence[str] | None = None, at: Mapping[str, str] | None = None) -> stats.Cells:
        """Return n, mean and variance of the units by factors (all of them), at given levels of others."""
        names = list(self.factors if by is None else by)
        rows = self.data
        for name, level in (at or {}).items():
            rows = rows.filter(nw.col(self.columns[name]) == level)
        cells = stats.Cells.from_frame(rows.to_native(), "value", [self.columns[name] for name in names])
        factors, picks = self._select_levels(cells.factors, names)
        n, offset, variance = (_select_cells(array, picks) for array in (cells.n, cells.offset, cells.variance))
        return replace(cells, n=n, offset=offset, variance=variance, factors=factors)

    def value_counts(self, by: Sequence[str] | None = None) -> stats.ValueCounts:
        """Return how often each value occurs; RowsNeededError if too many values differ."""
        names = list(self.factors if by is None else by)
        self._check_distinct(self.data.select("value"), "ranks of values of which nearly all differ")
        value_counts = stats.ValueCounts.from_frame(
            self.data.to_native(), "value", [self.columns[name] for name in names]
        )
        factors, picks = self._select_levels(value_counts.factors, names)
        return replace(
            value_counts, n=_select_cells(value_counts.n, [*picks, range(len(value_counts.values))]), factors=factors
        )

    def counts(self) -> Counts:
        """Return the counts: the factors in the plan's order, then yes and no (or the kinds)."""
        keys = [self.columns[name] for name in self.factors]
        answer_counts = home(self.data.group_by(*keys, "value").agg(nw.len().alias("n")))
        nominal = self.asked.kind == "nominal"
        words = list(self.asked.words) if nominal else ["yes", "no"]
        answer_texts = [
            words[int(value) - 1] if nominal else words[int(value != 1)] for value in answer_counts["value"]
        ]
        frame = pd.DataFrame({name: answer_counts[key] for name, key in zip(self.factors, keys, strict=True)})
        for name in self.factors:
            frame[name] = pd.Categorical(frame[name], categories=self.design.levels[name])
        answer = pd.Categorical(answer_texts, categories=words)
        answer = answer.remove_unused_categories() if nominal else answer
        frame[ANSWER], frame[TIMES] = answer, answer_counts["n"]
        return Counts.from_frame(frame, [*self.factors, ANSWER], TIMES)

    def pairs(self, levels: Sequence[str] | None = None) -> stats.Moments:  # noqa: ARG002 - two, of whole units
        """Return the moments of the whole units: a paired test takes two levels of them."""
        return self.moments()

    def differences(self) -> stats.ValueCounts:
        """Return how often each difference of the two levels occurs; RowsNeededError if too many differ."""
        both = self._whole().select(nw.col("w0").alias("first"), nw.col("w1").alias("second"))
        differences = both.select((nw.col("first") - nw.col("second")).alias("value"))
        self._check_distinct(differences, "ranks of differences of which nearly all differ")
        return engine_differences(both, "value")

    def signs(self) -> dict[str, float]:
        """Return how many whole units are higher at the first of two levels or the second, and how many are equal."""
        value, other = nw.col("w0"), nw.col("w1")
        largest = nw.when(value.abs() > other.abs()).then(value.abs()).otherwise(other.abs())
        is_different = (value - other).abs() > ROUNDING * largest
        higher = {"first": ones(is_different & (value > other)), "second": ones(is_different & (value < other))}
        sign_counts = home(self._whole().select(nw.len().alias("units"), **higher))
        first, second, units = (int(sign_counts[name].fillna(0).iloc[0]) for name in ("first", "second", "units"))
        return {"first": first, "second": second, "equal": units - first - second}

    def changes(self) -> Counts:
        """Return the whole units' yes and no at the first of two levels against the second."""
        change_counts = home(self._whole().group_by("w0", "w1").agg(nw.len().alias("n")))
        cells = np.zeros((2, 2))
        for first, second, n in change_counts[["w0", "w1", "n"]].itertuples(index=False):
            cells[int(first != 1), int(second != 1)] += n
        return Counts.from_table(cells, {"first": ["yes", "no"], "second": ["yes", "no"]})

    def of_two(self, levels: tuple[str, str]) -> TestInput:
        """Return the case of two levels of the only factor, asked on both sides."""
        design = replace(self.design, levels={self.factor: levels})
        is_kept = nw.col(self.columns[self.factor]).is_in(list(levels))
        selection = replace(self.asked, frame=self.asked.frame.filter(is_kept))
        return replace(
            self, design=design, alternative="two-sided", data=self.data.filter(is_kept), asked=selection, _made={}
        )

    def moments(self, at: Mapping[str, str] | None = None) -> stats.Moments:
        """Return the moments of the whole units: variables are the combinations of levels within units, in order.

        Those of a factor within units alone go by its name; factors between units group them. At given levels of some
        factors the moments are of the others.
        """
        fixed_levels = at or {}
        within = [name for name in self.design.within if name not in fixed_levels]
        between = [name for name in self.design.between if name not in fixed_levels]
        rows = self._whole()
        for name, level in fixed_levels.items():
            if name in self.design.between:
                rows = rows.filter(nw.col(self.columns[name]) == level)
        combinations = [codes for codes, _ in self.combinations(self.design.within)]
        column_names = [f"w{place}" for place, codes in enumerate(combinations)
                  if all(codes[name] == level for name, level in fixed_levels.items() if name in codes)]  # fmt: skip
        moments = stats.Moments.from_columns(rows.to_native(), column_names, [self.columns[name] for name in between])
        factors, picks = self._select_levels(moments.factors, between)
        k = range(len(column_names))
        return replace(
            moments,
            n=_select_cells(moments.n, picks),
            offset=_select_cells(moments.offset, [*picks, k]),
            covariance=_select_cells(moments.covariance, [*picks, k, k]),
            factors=factors,
            variables=variables(self.design.levels, within),
            outcome="value",
        )

    def related(self) -> stats.Moments:
        """Return the moments of the outcome (y) and the one number (x)."""
        (name,) = self.numbers
        both = self.data.select(nw.col(self.columns[name]).alias("x"), nw.col("value").alias("y"))
        return stats.Moments.from_columns(both.to_native(), ["x", "y"])

    def coded(self, rows: pd.DataFrame) -> Any:
        """Return rows whose factors and numbers have names that a formula can hold: f0, ..., x0, ... (`coded_names`).

        Levels become their place in the plan's order, so that "first" is the plan's first; numbers are centred at their
        mean, so that terms of factors are tested there.
        """
        frame = pd.DataFrame({"value": rows["value"].to_numpy(dtype=np.float64), "unit": rows["unit"].astype("str")})
        for place, factor in enumerate(self.factors):
            codes = level_codes(self.design.levels[factor])
            column = rows[factor].astype("object").map(codes)
            frame[f"f{place}"] = pd.Categorical(column.to_numpy(), categories=list(codes.values()))
        for place, number in enumerate(self.numbers):
            values = rows[number].to_numpy(dtype=np.float64)
            frame[f"x{place}"] = values - values.mean()
        for place, item in enumerate(self.question.items):
            frame[f"i{place}"] = rows[item].astype("str").to_numpy()
        return frame

    @property
    def coded_names(self) -> dict[str, str]:
        """The plan's name of each column of `coded`."""
        factors = {f"f{place}": name for place, name in enumerate(self.factors)}
        return factors | {f"x{place}": name for place, name in enumerate(self.numbers)}

    def for_clusters(self, what: str) -> Any:  # noqa: ARG002 - no row comes home
        """Return the coded rows as a lazy frame; see `coded`."""
        rows = self._rows
        expressions: list[nw.Expr] = [nw.col("value"), nw.col("unit")]
        for place, factor in enumerate(self.factors):
            level: nw.Expr = nw.lit(None).cast(nw.String)
            for name, code in level_codes(self.design.levels[factor]).items():
                level = nw.when(nw.col(self.columns[factor]) == name).then(nw.lit(code)).otherwise(level)
            expressions.append(level.alias(f"f{place}"))
        for place, name in enumerate(self.numbers):
            number = nw.col(self.columns[name])
            centre = float(home(rows.select(number.mean().alias("mean")))["mean"].iloc[0])
            expressions.append((number - centre).alias(f"x{place}"))
        return rows.select(*expressions).to_native()

    def combinations(self, factors: Sequence[str]) -> Iterator[tuple[dict[str, str], str]]:
        """Yield each combination of the levels of some factors, and its words: "country = China, half = 1"."""
        for levels in product(*(self.design.levels[name] for name in factors)):
            at = dict(zip(factors, levels, strict=True))
            yield at, ", ".join(f"{name} = {level}" for name, level in at.items())

    def asked_terms(self, terms: Sequence[str]) -> list[str]:
        """Return which of a model's terms answer: those that the plan names, or all.

        Raises
        ------
        DesignError
            If it names one that the model has not.
        """
        if not self.question.effect:
            return list(terms)
        by_set = {frozenset(term.split(":")): term for term in terms}
        selected_terms = []
        for name in self.question.effect:
            term = by_set.get(frozenset(name.split(":")))
            if term is None:
                raise DesignError(f"effect is {name!r}; the design has the terms {', '.join(terms)}")
            selected_terms.append(term)
        return [term for term in terms if term in selected_terms]

    @property
    def _rows(self) -> Lazy:
        frame: Lazy = self.asked.frame
        return frame.drop_nulls(["value", *(self.columns[name] for name in (*self.factors, *self.numbers))])

    def _whole(self) -> Lazy:
        """Return the units that lack no combination of levels, kept."""
        if "whole" not in self._made:
            within = {name: self.design.levels[name] for name in self.design.within}
            between = [self.columns[name] for name in self.design.between]
            whole = whole_units(self.data, self.columns, within, between)
            self._made["whole"] = self.study.keep(self.study.in_order(whole, ["unit"]))
        return self._made["whole"]

    def _select_levels(
        self, factors: Sequence[Factor], names: Sequence[str]
    ) -> tuple[tuple[Factor, ...], list[Sequence[int]]]:
        """Return factors under the plan's names with their levels in its order, and where each level was."""
        ordered_factors, picks = [], []
        for factor, name in zip(factors, names, strict=True):
            levels = [level for level in self.design.levels[name] if level in factor.levels]
            ordered_factors.append(Factor(name, tuple(levels)))
            picks.append([factor.levels.index(level) for level in levels])
        return tuple(ordered_factors), list(picks)

    def _check_distinct(self, values: Lazy, what: str) -> None:
        distinct = count(values.unique())
        if distinct > max(DISTINCT, self.most):
            raise RowsNeededError(self._needs(what, distinct), what)

    def _home(self, frame: Lazy, what: str) -> pd.DataFrame:
        rows = count(frame)
        if rows > self.most:
            raise RowsNeededError(self._needs(what, rows), what)
        table = fetched(frame, self.columns)
        for name in self.factors:
            table[name] = pd.Categorical(table[name], categories=list(self.design.levels[name]))
        return table

    def _needs(self, what: str, rows: int) -> str:
        return (
            f"{what} needs {rows:,} rows, which stay with {self.study.engine.name}; name a test that takes a summary, "
            f"allow so many (max_rows={rows}), or open the study without engine"
        )


def _select_cells(array: FloatArray, picks: Sequence[Sequence[int]]) -> FloatArray:
    return np.asarray(array[np.ix_(*picks)]) if picks else array


def variables(levels: Mapping[str, Sequence[str]], within: Sequence[str]) -> Factor:
    """Return the combinations of levels within units as the variables of `Moments`, the last factor fastest.

    Examples
    --------
    >>> variables({"agent": ["CL", "FC"], "half": ["1", "2"]}, ["agent", "half"]).levels
    ('CL × 1', 'CL × 2', 'FC × 1', 'FC × 2')
    """
    labels = [" × ".join(parts) for parts in product(*(levels[name] for name in within))]
    return Factor(" × ".join(within), tuple(labels))


def alternative_of(question: Question, factors: Mapping[str, Sequence[str]]) -> Alternative:
    """Return the side that a direction names, of first minus second.

    Raises
    ------
    DesignError
        If it does not fit the levels compared.
    """
    if question.direction is None:
        return "two-sided"
    try:
        levels = {name: tuple(own) for name, own in factors.items()}
        target = target_of(question, "direction", question.direction, levels)
    except PredictionError as error:
        raise DesignError(f"direction {error}") from None
    return "greater" if target is None or target.sign > 0 else "less"


def level_codes(levels: Sequence[str]) -> dict[str, str]:
    """Return a code for each level, whose order as text, by which an engine sorts, is that of the plan.

    >>> list(level_codes([f"agent {place}" for place in range(11)]).values())[:3]
    ['l00', 'l01', 'l02']
    """
    width = len(str(len(levels) - 1))
    return {level: f"l{place:0{width}d}" for place, level in enumerate(levels)}
