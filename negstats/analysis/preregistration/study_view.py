"""What a plan asks of a study before it runs: names, levels, who came; of a study in memory or one of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from negstats import metrics
from negstats.analysis.plan.model import Plan, Question
from negstats.analysis.questions.design import Design, Lies, factor_place
from negstats.analysis.questions.exclusions import RemainingRows, apply_exclusions
from negstats.analysis.questions.question_data import QuestionData, design_for
from negstats.analysis.questions.selection import Selection, select_rows
from negstats.analysis.questions.units import SEAT_FACTORS, LinkedGames, factors_of, link_games, places
from negstats.studies import LazyStudy
from negstats.studies.study import Study

__all__ = ["FactorPlace", "StudyView", "counted", "names_of_seats", "view_study"]


@dataclass(frozen=True, slots=True)
class FactorPlace:
    """The levels of a column, where they lie, and how many of how many units stand at two of them or more."""

    levels: tuple[str, ...]
    lies: Lies
    several: int
    units: int
    fewest: int = 0  # units at the rarest level


class StudyView:
    """A look at a study in memory; `lazy.study_view` has that at one whose rows stay with an engine."""

    def __init__(self, study: Any) -> None:
        self.study = study

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.study.games)

    @property
    def people(self) -> int:
        """How many people are known."""
        return int(self.study.players["participant_id"].nunique())

    @property
    def persons(self) -> int:
        """How many people who are no agents are known."""
        players = self.study.players
        return int(players.loc[players["kind"] != "agent", "participant_id"].nunique())

    @property
    def factors(self) -> list[str]:
        """What the study can be compared by."""
        return factors_of(self.study)

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns."""
        return list(self.study.tables[table].columns)

    def levels(self, table: str, column: str) -> list[str] | None:
        """Return the levels of a column (of answers: of a question), in order; None if there is none."""
        if table == "answers":
            given = self.study.answers
            values = given.loc[given["question"] == column, "answer"]
            if values.empty:
                return None
        elif column not in self.columns(table):
            return None
        else:
            values = self.study.tables[table][column]
        return sorted(values.dropna().astype("str").unique())

    def seats(self, column: str) -> list[str]:
        """Return what seats are called in a column of ``players``."""
        return list(map(str, self.study.players[column].dropna().unique()))

    @property
    def questions(self) -> list[str]:
        """The survey items."""
        return list(self.study.answers["question"].unique())

    def given(self, question: str) -> pd.Series:
        """Return how often each answer to an item was given, by its words."""
        answers = self.study.answers
        found = answers.loc[answers["question"] == question, "answer"].dropna()
        counts: pd.Series = found.groupby(found, sort=False).size()
        return counts

    def lacking(self, measure: str) -> str | None:
        """Return what the study lacks for a measure."""
        return metrics.measure(measure).lacking(self.study.tables)

    @property
    def measures(self) -> list[str]:
        """The measures that can be computed."""
        return metrics.available(self.study.tables)

    def leave_out(self, plan: Plan) -> Any:
        """Return the study without what a plan leaves out."""
        return apply_exclusions(self.study, plan)

    def of(self, kept: Any) -> StudyView:
        """Return the look at what is left."""
        found: RemainingRows = kept
        return StudyView(found.study)

    def linked(self, unit: Any) -> Any:
        """Return the unit of each game."""
        return link_games(self.study, unit)

    def units(self, linked: Any) -> int:
        """Return how many units there are."""
        return len(np.unique(linked.of_game))

    def stands(self, table: str, column: str, linked: Any) -> FactorPlace:
        """Return the levels of a column of games or players, and how units stand at them."""
        found: LinkedGames = linked
        games, frame = self.study.games, self.study.tables[table]
        unit = np.asarray(found.names)[found.of_game[places(frame["game_id"], games["game_id"])]]
        rows = pd.DataFrame({"unit": unit, "level": frame[column].to_numpy()}).dropna(subset=["level"])
        rows["level"] = rows["level"].astype("str")
        of_unit = rows.groupby("unit", sort=False)["level"].nunique()
        return FactorPlace(
            tuple(rows["level"].unique()),
            factor_place(rows, "level"),
            int((of_unit > 1).sum()),
            len(of_unit),
            _fewest(rows),
        )

    def asked(self, kept: Any, plan: Plan, question: Question, linked: Any, *, blind: bool) -> Selection:
        """Return the rows that a question looks at."""
        return select_rows(kept, plan, question, linked, blind=blind)

    def held(self, kept: Any, plan: Plan, question: Question, linked: Any) -> Any:
        """Return the rows of a question with their values."""
        return QuestionData.of(kept, plan, question, linked)

    def design(self, rows: Selection, question: Question) -> Design:
        """Return the design of rows that were looked at blind."""
        return design_for(rows, question)

    def units_by_cell(self, rows: Selection) -> dict[tuple[str, ...], int]:
        """Return how many units have a value at each combination of levels that occurs."""
        frame = rows.frame[rows.frame["value"].notna()]
        if not rows.levels:
            return {(): int(frame["unit"].nunique())}
        counts = frame.groupby(list(rows.levels), sort=False)["unit"].nunique()
        return {key if isinstance(key, tuple) else (key,): int(n) for key, n in counts.items()}

    def dealt(self, rows: Selection) -> int:
        """Return the rows with a value of the smallest cell, in units of as many rows as units have."""
        frame = rows.frame[rows.frame["value"].notna()]
        least = int(frame.groupby(list(rows.levels), observed=True).size().min())
        return least * int(frame["unit"].nunique()) // len(frame)

    def standing(self, rows: Selection, factor: str) -> tuple[int, int]:
        """Return how many units stand at two levels of a factor or more, and how many there are."""
        levels = rows.frame.groupby("unit", sort=False)[factor].nunique()
        return int((levels > 1).sum()), len(levels)


def _fewest(rows: pd.DataFrame) -> int:
    at = rows.groupby("level", sort=False)["unit"].nunique()
    return int(at.min()) if len(at) else 0


def counted(rows: Selection, units: dict[tuple[str, ...], int]) -> pd.DataFrame:
    """Return one row a cell: the factors, and in ``n`` how many units have a value there."""
    if not rows.levels:
        return pd.DataFrame({"n": [units.get((), 0)]})
    index = pd.MultiIndex.from_product(list(rows.levels.values()), names=list(rows.levels))
    return pd.Series([units.get(key, 0) for key in index], index=index, name="n").reset_index()


def view_study(study: Study | LazyStudy) -> StudyView:
    """Return the look at a study, wherever its rows are."""
    if isinstance(study, LazyStudy):
        from negstats.analysis.lazy.study_view import LazyStudyView

        return LazyStudyView(study)
    return StudyView(study)


def names_of_seats(looks: StudyView, columns: Sequence[str] = SEAT_FACTORS) -> list[str]:
    """Return what seats can be called."""
    return list(dict.fromkeys(name for column in columns for name in looks.seats(column)))
