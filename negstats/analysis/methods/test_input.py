"""What a test is made of: a question's rows, its values one a unit, its design, and what the plan says of p."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.questions.design import Design, wide
from negstats.analysis.questions.selection import Selection
from negstats.analysis.rules import Choice
from negstats.errors import DesignError, UsageError
from negstats.stats.results.options import Alternative
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import Factor

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question

__all__ = ["ANSWER", "RowsNeededError", "TestInput", "alternative_of", "random", "variables"]

ANSWER = "\0answer"  # the outcome's own dimension of a table, which no factor is called


class RowsNeededError(UsageError):
    """A test needs the rows, and these stay with an engine."""


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


@dataclass(frozen=True, slots=True, eq=False)
class TestInput:
    """A question ready to be tested: what each test takes, from values in memory.

    A test asks for a summary where one is enough, and names itself where it needs the values or rows themselves: of a
    study whose rows stay with an engine (`negstats.analysis.lazy.test_input`) it gets the one, and the other if they
    are few.

    Attributes
    ----------
    id : str
    question : Question
    plan : Plan
    asked : Asked
        Its rows; factor columns are categories in the plan's order.
    design : Design
    choice : Choice
    data : pandas.DataFrame
        One row a unit and level: ``unit``, the factors, ``value``, and the numbers.
    alternative : str
        "two-sided", or the side that the plan's direction names, of first minus second.
    """

    id: str
    question: Question
    plan: Plan
    asked: Selection
    design: Design
    choice: Choice
    data: pd.DataFrame
    alternative: Alternative

    @property
    def level(self) -> float:
        """The level of intervals: 1 − alpha, or 1 − 2 alpha where p is one-sided."""
        return 1 - self.plan.alpha * (1 if self.alternative == "two-sided" else 2)

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

    def rng(self) -> np.random.Generator:
        """Return the question's generator, at its start."""
        return random(self.plan.seed, self.id)

    def values(self, what: str) -> pd.DataFrame:  # noqa: ARG002 - as for an engine's rows
        """Return one row a unit and level for the test `what`, which needs them."""
        return self.data

    def rows(self, what: str) -> pd.DataFrame:  # noqa: ARG002
        """Return the rows that have a value, a level of each factor and every number, for the test `what`."""
        frame: pd.DataFrame = self.asked.frame
        return frame.dropna(subset=["value", *self.factors, *self.numbers])

    def wide(self, what: str) -> pd.DataFrame:
        """Return one row a whole unit with a column a combination of levels within units, for the test `what`."""
        return wide(self.values(what), self.design.levels, self.design.within)

    def cells(self, by: Sequence[str] | None = None, at: Mapping[str, str] | None = None) -> stats.Cells:
        """Return n, mean and variance of the units by factors (all of them), at given levels of others."""
        return stats.Cells.from_frame(self._at(at), "value", list(self.factors if by is None else by))

    def value_counts(self, by: Sequence[str] | None = None) -> stats.ValueCounts:
        """Return how often each value occurs, by factors (all of them)."""
        return stats.ValueCounts.from_frame(self.data, "value", list(self.factors if by is None else by))

    def counts(self) -> Counts:
        """Return the counts: the factors in the plan's order, then yes and no (or the kinds)."""
        found = self.data
        if self.asked.kind == "nominal":
            words = self.asked.words
            answer = pd.Categorical([words[int(value) - 1] for value in found["value"]], categories=list(words))
            answer = answer.remove_unused_categories()
        else:
            answer = pd.Categorical(np.where(found["value"] == 1, "yes", "no"), categories=["yes", "no"])
        frame = pd.DataFrame({name: found[name].to_numpy() for name in self.factors})
        for name in self.factors:
            frame[name] = pd.Categorical(frame[name], categories=self.design.levels[name])
        return Counts.from_frame(frame.assign(**{ANSWER: answer}), [*self.factors, ANSWER])

    def pairs(self, levels: Sequence[str] | None = None) -> Any:
        """Return what tests of means in the same units take: samples by level of the whole units."""
        whole = self.wide("pairs")
        return {level: whole[level].to_numpy() for level in (self.levels if levels is None else levels)}

    def differences(self) -> Any:
        """Return what tests of ranks of pairs take: samples of the two levels."""
        return self.pairs()

    def changes(self) -> Counts:
        """Return the whole units' yes and no at the first of two levels against the second."""
        first, second = (sample == 1 for sample in self.pairs().values())
        cells = [[(first & second).sum(), (first & ~second).sum()], [(~first & second).sum(), (~first & ~second).sum()]]
        return Counts.from_table(np.array(cells, dtype=float), {"first": ["yes", "no"], "second": ["yes", "no"]})

    def of_two(self, levels: tuple[str, str]) -> TestInput:
        """Return the case of two levels of the only factor, asked on both sides."""
        design = replace(self.design, levels={self.factor: levels})
        data = self.data[self.data[self.factor].isin(levels)]
        return replace(self, design=design, alternative="two-sided", data=data)

    def moments(self, at: Mapping[str, str] | None = None) -> stats.Moments:
        """Return the moments of the whole units: variables are the combinations of levels within units, in order.

        Those of a factor within units alone go by its name; factors between units group them. At given levels of some
        factors the moments are of the others.
        """
        within = [name for name in self.design.within if name not in (at or {})]
        between = [name for name in self.design.between if name not in (at or {})]
        held = wide(self.data, self.design.levels, self.design.within).index
        rows = self._at(at)
        whole = wide(rows[rows["unit"].isin(held)], self.design.levels, within)
        names = [f"x{place}" for place in range(whole.shape[1])]
        frame = whole.set_axis(names, axis=1)
        first = rows.drop_duplicates("unit").set_index("unit").reindex(whole.index)
        found = stats.Moments.from_columns(frame.assign(**{name: first[name] for name in between}), names, between)
        return replace(found, variables=variables(self.design.levels, within), outcome="value")

    def related(self) -> Any:
        """Return what a correlation of the outcome (y) and the one number (x) takes."""
        (name,) = self.numbers
        return {"x": self.data[name].to_numpy(), "y": self.data["value"].to_numpy()}

    def coded(self, rows: pd.DataFrame) -> Any:
        """Return rows whose factors and numbers have names that a formula can hold: f0, ..., x0, ... (`coded_names`).

        Levels become their place in the plan's order, so that "first" is the plan's first; numbers are centred at their
        mean, so that terms of factors are tested there.
        """
        frame = pd.DataFrame({"value": rows["value"].to_numpy(dtype=np.float64), "unit": rows["unit"].astype("str")})
        for place, factor in enumerate(self.factors):
            levels = self.design.levels[factor]
            column = rows[factor].astype("object").map({level: f"l{at}" for at, level in enumerate(levels)})
            frame[f"f{place}"] = pd.Categorical(column.to_numpy(), categories=[f"l{at}" for at in range(len(levels))])
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

    def for_clusters(self, what: str) -> Any:
        """Return the coded rows for a model of related rows that takes them from an engine too."""
        return self.coded(self.rows(what))

    def _at(self, at: Mapping[str, str] | None) -> pd.DataFrame:
        rows = self.data
        for name, level in (at or {}).items():
            rows = rows[rows[name] == level]
        return rows

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
        found = []
        for name in self.question.effect:
            term = by_set.get(frozenset(name.split(":")))
            if term is None:
                raise DesignError(f"effect is {name!r}; the design has the terms {', '.join(terms)}")
            found.append(term)
        return [term for term in terms if term in found]


def variables(levels: Mapping[str, Sequence[str]], within: Sequence[str]) -> Factor:
    """Return the combinations of levels within units as the variables of `Moments`, the last factor fastest.

    Examples
    --------
    >>> variables({"agent": ["CL", "FC"], "half": ["1", "2"]}, ["agent", "half"]).levels
    ('CL × 1', 'CL × 2', 'FC × 1', 'FC × 2')
    """
    labels = [" × ".join(parts) for parts in itertools.product(*(levels[name] for name in within))]
    return Factor(" × ".join(within), tuple(labels))


def alternative_of(question: Question, factors: Mapping[str, Sequence[str]]) -> Alternative:
    """Return the side that a direction names, of first minus second.

    Raises
    ------
    DesignError
        If it names levels that are not the two compared.
    """
    if question.direction is None:
        return "two-sided"
    pair = question.above
    if pair is None:
        return "greater" if question.direction in ("positive", "above") else "less"
    for name, levels in factors.items():
        if set(pair) <= set(levels):
            if len(levels) != 2:
                raise DesignError(
                    f"direction needs two levels, {name!r} has {len(levels)}; name them with only, or give contrasts"
                )
            return "greater" if levels[0] == pair[0] else "less"
    raise DesignError(f"direction is {question.direction!r}, which names no two levels of {', '.join(factors)}")
