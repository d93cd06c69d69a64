"""What a plan asks of a study whose rows stay with an engine; see `negstats.analysis.preregistration.study_view`."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd

from negstats.analysis.lazy.describe import available
from negstats.analysis.lazy.design import factor_place, standing
from negstats.analysis.lazy.exclusions import LazyRemainingRows, apply_exclusions
from negstats.analysis.lazy.frames import as_text, count, home
from negstats.analysis.lazy.linked import LazyLinkedGames, link_games
from negstats.analysis.lazy.question_data import LazyQuestionData, designed
from negstats.analysis.lazy.selection import select_rows
from negstats.analysis.lazy.units import factors_of
from negstats.analysis.plan.model import Plan, Question
from negstats.analysis.preregistration.study_view import FactorPlace, StudyView
from negstats.analysis.questions.design import Design
from negstats.analysis.questions.selection import Selection
from negstats.metrics import measure as measure_called
from negstats.studies import LazyStudy

__all__ = ["LazyStudyView"]


class LazyStudyView(StudyView):
    """A look at a lazy study: distinct values and counts come home, no row."""

    study: LazyStudy

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.study.rows("games")

    @property
    def people(self) -> int:
        """How many people are known."""
        return count(self.study.frame("players").select("participant_id").drop_nulls().unique())

    @property
    def persons(self) -> int:
        """How many people who are no agents are known."""
        people = self.study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
        return count(people.select("participant_id").drop_nulls().unique())

    @property
    def factors(self) -> list[str]:
        """What the study can be compared by."""
        return factors_of(self.study)

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns."""
        return self.study.frame(table).collect_schema().names()

    def levels(self, table: str, column: str) -> list[str] | None:
        """Return the levels of a column (of answers: of a question), in order; None if there is none."""
        frame = self.study.frame(table)
        if table == "answers":
            frame, column = frame.filter(nw.col("question") == column), "answer"
            if not count(frame.head(1)):
                return None
        elif column not in self.columns(table):
            return None
        text = as_text(column, frame.collect_schema()[column]).alias("level")
        return sorted(home(frame.select(text).drop_nulls().unique())["level"])

    def seats(self, column: str) -> list[str]:
        """Return what seats are called in a column of ``players``."""
        return sorted(home(self.study.frame("players").select(column).drop_nulls().unique())[column].astype("str"))

    @property
    def questions(self) -> list[str]:
        """The survey items."""
        return sorted(home(self.study.frame("answers").select("question").unique())["question"])

    def given(self, question: str) -> pd.Series:
        """Return how often each answer to an item was given, by its words."""
        rows = self.study.frame("answers").filter((nw.col("question") == question) & ~nw.col("answer").is_null())
        found = home(rows.group_by("answer").agg(nw.len().alias("n"))).sort_values("answer")
        return found.set_index("answer")["n"]

    def lacking(self, measure: str) -> str | None:
        """Return what the study, or its engine, lacks for a measure."""
        known = measure_called(measure)
        lack = known.lacking(self.study.tables)
        return "it needs the outcomes of each game as arrays, which no engine has" if known.arrays else lack

    @property
    def measures(self) -> list[str]:
        """The measures that the engine can compute."""
        return available(self.study)

    def leave_out(self, plan: Plan) -> LazyRemainingRows:
        """Return the study without what a plan leaves out."""
        return apply_exclusions(self.study, plan)

    def of(self, kept: LazyRemainingRows) -> LazyStudyView:
        """Return the look at what is left."""
        return LazyStudyView(kept.study)

    def linked(self, unit: Any) -> LazyLinkedGames:
        """Return the unit of each game."""
        return link_games(self.study, unit)

    def units(self, linked: LazyLinkedGames) -> int:
        """Return how many units there are."""
        return count(linked.games.select("unit").unique())

    def stands(self, table: str, column: str, linked: LazyLinkedGames) -> FactorPlace:
        """Return the levels of a column of games or players, and how units stand at them."""
        frame = self.study.frame(table)
        level = as_text(column, frame.collect_schema()[column]).alias("level")
        rows = frame.select("game_id", level).drop_nulls(["level"]).join(linked.games, on="game_id")
        there = rows.select("unit", "level").unique()
        several, units = standing(there, "level")
        found = home(there.group_by("level").agg(nw.len().alias("units")))
        fewest = int(found["units"].min()) if len(found) else 0
        return FactorPlace(tuple(found["level"]), factor_place(there, "level"), several, units, fewest)

    def asked(
        self, kept: LazyRemainingRows, plan: Plan, question: Question, linked: LazyLinkedGames, *, blind: bool
    ) -> Selection:
        """Return the rows that a question looks at."""
        return select_rows(kept, plan, question, linked, blind=blind)

    def held(
        self, kept: LazyRemainingRows, plan: Plan, question: Question, linked: LazyLinkedGames
    ) -> LazyQuestionData:
        """Return the rows of a question with their values, which stay with the engine."""
        return LazyQuestionData.of(kept, plan, question, linked, 0)

    def design(self, rows: Selection, question: Question) -> Design:
        """Return the design of rows that were looked at blind."""
        return designed(rows, question)

    def units_by_cell(self, rows: Selection) -> dict[tuple[str, ...], int]:
        """Return how many units have a value at each combination of levels that occurs."""
        keys = [f"f{place}" for place in range(len(rows.levels))]
        units = rows.frame.filter(~nw.col("value").is_null()).select("unit", *keys).unique()
        if not keys:
            return {(): count(units)}
        found = home(units.group_by(*keys).agg(nw.len().alias("n")))
        return {tuple(key): int(n) for *key, n in found[[*keys, "n"]].itertuples(index=False)}

    def dealt(self, rows: Selection) -> int:
        """Return the rows with a value of the smallest cell, in units of as many rows as units have."""
        there = rows.frame.filter(~nw.col("value").is_null())
        cells = home(there.group_by(*(f"f{place}" for place in range(len(rows.levels)))).agg(nw.len().alias("n")))["n"]
        return int(cells.min()) * count(there.select("unit").unique()) // int(cells.sum())

    def standing(self, rows: Selection, factor: str) -> tuple[int, int]:
        """Return how many units stand at two levels of a factor or more, and how many there are."""
        return standing(rows.frame, f"f{list(rows.levels).index(factor)}")
