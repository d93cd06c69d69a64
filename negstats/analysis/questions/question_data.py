"""A question's rows, looked at: design and counts, the values that are tested, cells; in memory.

`negstats.analysis.lazy.question_data` says the same of rows that stay with an engine; `negstats.analysis.run` asks
either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats.analysis.methods.test_input import TestInput, alternative_of
from negstats.analysis.methods.test_record import number
from negstats.analysis.questions import quality as qualities
from negstats.analysis.questions.cells import cells_of, tested
from negstats.analysis.questions.design import Design, DesignCounts, averaged, count_design, design_of
from negstats.analysis.questions.exclusions import RemainingRows, apply_exclusions
from negstats.analysis.questions.selection import Selection, select_rows
from negstats.analysis.questions.units import LinkedGames, link_games
from negstats.analysis.rules import Choice
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question

__all__ = ["PreparedStudy", "QuestionData", "RowCounts", "described", "design_for", "variable"]


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows there are, lack a value, lack a number beside it, and were averaged to how many values."""

    rows: int
    missing: int
    lacking: int
    averaged: int


def described(name: str, values: Any) -> dict[str, Any]:
    """Return n, mean, SD and range of a variable as results.json holds them; the outcome has no name."""
    n = len(values)
    spread = float(values.std(ddof=1)) if n > 1 else float("nan")
    low, high = (float(values.min()), float(values.max())) if n else (float("nan"), float("nan"))
    return variable(name, n, float(values.mean()) if n else float("nan"), spread, low, high)


def variable(name: str, n: int, mean: float, sd: float, low: float, high: float) -> dict[str, Any]:
    """Return a variable as results.json holds it."""
    numbers = {"mean": number(mean), "sd": number(sd), "low": number(low), "high": number(high)}
    return {"name": name, "n": n, **numbers}


def design_for(found: Selection, question: Question, tally: DesignCounts | None = None) -> Design:
    """Return the design of a question's rows, looked at blind or not; `tally` is theirs if they are not in memory."""
    return design_of(
        tally or count_design(found.frame, found.levels, found.kind, question.with_),
        found.levels,
        found.kind,
        what=found.what,
        numbers=question.with_,
        covariates=question.covariates,
        asked=question.sought,
        seats=found.seats,
        competing=found.competing,
    )


@dataclass(frozen=True, slots=True, eq=False)
class QuestionData:
    """The rows of a question.

    Attributes
    ----------
    asked : Asked
    design : Design
    data : pandas.DataFrame
        One row a unit and level: ``unit``, the factors, ``value``, the numbers.
    lost : Lost
    lacking : list of str
        Tests that needed rows which stay with an engine: none here.
    """

    asked: Selection
    design: Design
    data: pd.DataFrame
    lost: RowCounts
    lacking: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, kept: RemainingRows, plan: Plan, question: Question, linked: LinkedGames) -> QuestionData:
        """Return the rows of a question with its design; errors as of `questions.selection.select_rows`."""
        found = select_rows(kept, plan, question, linked)
        numbers = list(dict.fromkeys((*question.with_, *question.covariates)))
        design = design_for(found, question)
        for name, levels in found.levels.items():
            found.frame[name] = pd.Categorical(found.frame[name], categories=list(levels))
        held = found.frame.dropna(subset=["value"])
        whole = held.dropna(subset=numbers) if numbers else held
        data = averaged(found.frame, list(found.levels), numbers)
        lost = RowCounts(len(found.frame), len(found.frame) - len(held), len(held) - len(whole), len(data))
        return cls(found, design, data, lost)

    def cells(self, confidence_level: float) -> list[dict[str, Any]]:
        """Return the cells as results.json holds them."""
        return cells_of(self.data, self.design, self.asked, confidence_level)

    def case(self, name: str, question: Question, plan: Plan, choice: Choice) -> TestInput:
        """Return the question ready to be tested."""
        side = alternative_of(question, self.design.levels)
        return TestInput(name, question, plan, self.asked, self.design, choice, self.data, side)

    def at_levels(self, name: str) -> dict[str, int]:
        """Return how many units have a value at each level of a factor."""
        units = self.data.groupby(name, observed=False)["unit"].nunique()
        return {level: int(units.get(level, 0)) for level in self.design.levels[name]}

    def standing(self, name: str, few: int) -> tuple[int, int, list[str]]:
        """Return how many units stand at several levels of a factor, how many there are, and the first few of these."""
        held = self.asked.frame[["unit", name]].drop_duplicates().groupby("unit", sort=True, observed=True).size()
        several = held[held > 1].index
        return len(several), len(held), [str(unit) for unit in several[:few]]

    @property
    def units(self) -> int:
        """How many units are tested."""
        return int(tested(self.data, self.design)["unit"].nunique()) if len(self.data) else 0

    @property
    def with_value(self) -> int:
        """How many units have a value with all that stands beside it, at any level."""
        return int(self.data["unit"].nunique()) if len(self.data) else 0

    @property
    def games(self) -> int:
        """How many games have a row whose unit is tested."""
        numbers = [name for name in self.data.columns if name not in {"unit", "value", *self.design.levels}]
        whole = self.asked.frame.dropna(subset=["value", *numbers])
        return int(whole.loc[whole["unit"].isin(tested(self.data, self.design)["unit"]), "game_id"].nunique())

    def variables(self, question: Question) -> list[dict[str, Any]]:
        """Return n, mean, SD and range of the outcome and of each number, of the rows that have all of them."""
        numbers = list(dict.fromkeys((*question.with_, *question.covariates)))
        rows = self.asked.frame.dropna(subset=["value", *numbers])
        return [described(name, rows[column].to_numpy(dtype=np.float64))
                for name, column in (("", "value"), *((one, one) for one in numbers))]  # fmt: skip

    @property
    def missing(self) -> tuple[int, int]:
        """How many rows lack a value, of how many."""
        return int(self.asked.frame["value"].isna().sum()), len(self.asked.frame)

    def drawn(self, question: Question) -> pd.DataFrame | None:
        """Return what a figure draws: the values, or the rows of a model over rows."""
        values, frame = self.data, self.asked.frame
        if self.design.features.inside or self.asked.kind == "time":
            columns = ["unit", *self.design.levels, *question.with_, *question.covariates]
            if self.asked.kind == "time":
                values = frame[[*columns, "ended"]].assign(time=frame["value"]).dropna(subset=["time"])
            else:
                values = frame[[*columns, "value"]].dropna()
        return values.assign(**{name: values[name].astype("object") for name in self.design.levels if name in values})


@dataclass(frozen=True, slots=True, eq=False)
class PreparedStudy:
    """A study without what a plan leaves out, as `negstats.analysis.run` looks at it."""

    kept: RemainingRows

    @classmethod
    def of(cls, study: Study, plan: Plan) -> PreparedStudy:
        """Leave out what the plan says."""
        return cls(apply_exclusions(study, plan))

    def linked(self, plan: Plan) -> LinkedGames:
        """Return the unit of each game."""
        return link_games(self.kept.study, plan.data.unit)

    def held(self, plan: Plan, question: Question, linked: LinkedGames) -> QuestionData:
        """Return the rows of a question."""
        return QuestionData.of(self.kept, plan, question, linked)

    def units(self, linked: LinkedGames) -> int:
        """Return how many units the games are of."""
        return len(np.unique(linked.of_game))

    @property
    def games(self) -> int:
        """How many games are left."""
        return len(self.kept.study.games)

    @property
    def ends(self) -> dict[str, int]:
        """How many of the games that are left ended in each way."""
        ended = self.kept.study.games["ended"].astype("object")
        return {str(end): int(n) for end, n in sorted(ended.value_counts().items(), key=lambda one: (-one[1], one[0]))}

    @property
    def people(self) -> int:
        """How many people are left, as far as they are known."""
        players = self.kept.study.players
        left = players.loc[self.kept.seats & (players["kind"] != "agent").to_numpy(), "participant_id"]
        return int(left.nunique())

    def quality(self, missing: Mapping[str, tuple[int, int]]) -> list[dict[str, Any]]:
        """Return what was looked for in the data, and found; of outcomes by name, values missing and rows."""
        return qualities.quality(self.kept.study, missing)
