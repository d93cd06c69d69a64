"""What a plan asks of a study before it runs: names, levels, who came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
import scipy

from negstats.analysis.describe import available
from negstats.analysis.plan.model import Plan, Question
from negstats.analysis.questions.design import Lies, factor_place, standing
from negstats.analysis.questions.exclusions import RemainingRows, apply_exclusions, rules_of
from negstats.analysis.questions.frames import as_text, count, home
from negstats.analysis.questions.linked import LinkedGames, link_games
from negstats.analysis.questions.question_data import of_people
from negstats.analysis.questions.selection import Selection, keep_rows, select_rows
from negstats.analysis.questions.units import SEAT_FACTORS, factors_of, has_one_seat, measure_of
from negstats.errors import DesignError
from negstats.metrics import MEASURES, Measure
from negstats.metrics import measure as measure_called
from negstats.metrics.definition import AskedTables
from negstats.metrics.lookup import located
from negstats.studies.participation import Participation, has_people, participation
from negstats.studies.study import Study

Balance: TypeAlias = Literal["even", "uneven", "by chance"]
EVEN_UNITS = 0.8  # share of the units that must be alike, where a factor within units was set by a design
UNIT_TOLERANCE = 0.2  # by which the rarest level of a unit may lack rows of the most frequent
SHARE_TOLERANCE = 0.1  # by which the share of a level may differ between units
EVEN_P = 0.05  # lower tail of chi-squared below which units at each level are more equal than by chance
UNFINISHED = ("unknown", "timeout", "dormant", "disconnect")  # how games end that nobody ended
LARGEST_GAP = 0.5  # share of all games without a value, above which a column says nothing of which games are whole
FEWEST_EACH = 5  # units a level, below which equal counts say nothing


@dataclass(frozen=True, slots=True)
class FactorPlace:
    """The levels of a column, where they lie, and how many of how many units stand at two of them or more.

    `balance` says whether the levels lie as a design puts them: "even" where units at each level, or the rows of each
    unit, are more alike in number than chance makes them; "uneven" where they change within units without a pattern, as
    what people do does; else "by chance". `rarest` is the share of the rows that the rarest level has.
    """

    levels: tuple[str, ...]
    lies: Lies
    several: int
    units: int
    fewest: int = 0  # units at the rarest level
    balance: Balance = "by chance"
    rarest: float = 0.0


class StudyView:
    """A look at a study: distinct values and counts come home from its engine, no row."""

    def __init__(self, study: Study) -> None:
        self.study = study.with_frames()
        self._tables = AskedTables(self.study.frames)
        self._seats: dict[str, list[str]] = {}

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.study.rows("games")

    @cached_property
    def has_one_seat(self) -> bool:
        """Whether each game has one seat, so that a number of the game is that seat's."""
        return has_one_seat(self.study)

    @property
    def participation(self) -> Participation:
        """Who played the games."""
        return participation(self.study)

    @property
    def people(self) -> int:
        """How many people took part, as far as they are known; 0 where programs played all games."""
        return self.persons if has_people(self.participation) else 0

    @property
    def persons(self) -> int:
        """How many people who are not agents are known."""
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
        if column not in self._seats:
            names = home(self.study.frame("players").select(column).drop_nulls().unique())[column]
            self._seats[column] = sorted(names.astype("str"))
        return self._seats[column]

    def has_both(self, column: str) -> bool:
        """Whether each game has two seats that differ in a column of ``players``."""
        seats = self.study.frame("players").drop_nulls([column]).group_by("game_id")
        sizes = seats.agg(n=nw.len(), different=nw.col(column).n_unique())
        return count(sizes.filter((nw.col("n") == 2) & (nw.col("different") == 2))) == self.games

    def seat_of(self, factor: str) -> str | None:
        """Return the one of several seats whose agent is the level of a column of ``games`` in each game."""
        if factor not in self.columns("games") or len(self.seats("agent")) < 2:
            return None
        frame = self.study.frame("games")
        levels = frame.select("game_id", level=as_text(factor, frame.collect_schema()[factor])).drop_nulls()
        seats = self.study.frame("players").select("game_id", "player", "agent").join(levels, on="game_id")
        is_named = nw.when(nw.col("agent") == nw.col("level")).then(1).otherwise(0)
        counts = home(seats.group_by("player").agg(n=nw.len(), named=is_named.sum()))
        names = counts.loc[(counts["n"] == self.games) & (counts["named"] == self.games), "player"]
        return str(names.iloc[0]) if len(names) == 1 < len(counts) else None

    @property
    def questions(self) -> list[str]:
        """The survey items: as they were asked, in memory; an engine keeps no order."""
        if self.study.in_memory:
            return list(self.study.answers["question"].unique())
        return sorted(home(self.study.frame("answers").select("question").unique())["question"])

    def count_answers(self, question: str) -> pd.Series:
        """Return how often each answer to an item was given, by its words."""
        rows = self.study.frame("answers").filter((nw.col("question") == question) & ~nw.col("answer").is_null())
        answer_counts = home(rows.group_by("answer").agg(nw.len().alias("n"))).sort_values("answer")
        return answer_counts.set_index("answer")["n"]

    def lacking(self, measure: str) -> str | None:
        """Return what the study, or its engine, lacks for a measure."""
        definition = self.definition(measure)
        if definition.arrays and not self.study.in_memory:
            return "it needs the outcomes of each game as arrays, which no engine has"
        return definition.lacking(self._tables)

    def definition(self, name: str) -> Measure:
        """Return the measure of a name, without a look at its values."""
        return measure_called(located(self.study.frames, name))

    def measure(self, name: str) -> Measure:
        """Return the measure of a name, with what the study says of its own."""
        return measure_of(self.study, name)

    @property
    def measures(self) -> list[str]:
        """The measures that can be computed."""
        return [name for name in available(self.study) if name in MEASURES]

    def leave_out(self, plan: Plan) -> RemainingRows:
        """Return the study without what a plan leaves out."""
        return apply_exclusions(self.study, rules_of(self.study, plan))

    def linked(self, unit: Any) -> LinkedGames:
        """Return the unit of each game."""
        return link_games(self.study, unit)

    def usual_units(self) -> tuple[LinkedGames, Literal["independent", "game"]]:
        """Return the unit of each game, and how a plan names it: "game" where all people are linked through games."""
        try:
            return self.linked("independent"), "independent"
        except DesignError:
            return self.linked("game"), "game"

    def units(self, linked: LinkedGames) -> int:
        """Return how many units there are."""
        return count(linked.games.select("unit").unique())

    def place_of(self, table: str, column: str, linked: LinkedGames) -> FactorPlace:
        """Return the levels of a column of games or players, or of a question about people, and how units stand."""
        frame = self.study.frame(table)
        if table == "answers":
            answers = frame.filter((nw.col("question") == column) & nw.col("game_id").is_null())
            seats = self.study.frame("players").select("game_id", "participant_id")
            rows = answers.select("participant_id", level="answer").join(seats, on="participant_id")
        else:
            rows = frame.select("game_id", as_text(column, frame.collect_schema()[column]).alias("level"))
        rows = rows.drop_nulls(["level"]).join(linked.games, on="game_id")
        unit_levels = rows.select("unit", "level").unique()
        n_units_within, units = standing(unit_levels, "level")
        unit = nw.col("unit")
        level_counts = home(rows.group_by("level").agg(nw.len().alias("rows"), unit.n_unique().alias("units")))
        fewest = int(level_counts["units"].min()) if len(level_counts) else 0
        if n_units_within:
            balance = _compare_units(home(rows.group_by("unit", "level").agg(nw.len().alias("n"))))
            if balance == "uneven" and table == "games" and self._is_of_people(rows):
                balance = "by chance"  # people of one session stand at different levels, and each at one
        else:
            is_even = len(level_counts) > 1 and is_too_even(level_counts["units"].to_numpy(), EVEN_P)
            balance = "even" if is_even else "by chance"
        rarest = float(level_counts["rows"].min() / level_counts["rows"].sum()) if len(level_counts) else 0.0
        place = factor_place(unit_levels, "level")
        return FactorPlace(tuple(level_counts["level"]), place, n_units_within, units, fewest, balance, rarest)

    def _is_of_people(self, rows: Any) -> bool:
        """Whether each person stands at one level in all their games."""
        seats = self.study.frame("players").select("game_id", "participant_id").drop_nulls("participant_id")
        levels = seats.join(rows.select("game_id", "level"), on="game_id").select("participant_id", "level").unique()
        n_people = count(seats.select("participant_id").unique())
        return 0 < n_people == count(levels)

    def numbers_members(self, factor: str, linked: LinkedGames) -> bool:
        """Whether each unit has several people, each at a level of a factor of games that none of the others has."""
        games = self.study.frame("games")
        level = as_text(factor, games.collect_schema()[factor]).alias("level")
        seats = self.study.frame("players").select("game_id", "participant_id").drop_nulls("participant_id")
        rows = seats.join(games.select("game_id", level).drop_nulls("level"), on="game_id")
        members = rows.join(linked.games, on="game_id").select("unit", "level", "participant_id").unique()
        n_members, n_people, n_places, n_units = (
            count(members.select(*names).unique())
            for names in (["unit", "level", "participant_id"], ["participant_id"], ["unit", "level"], ["unit"])
        )
        return n_units < n_members == n_people == n_places

    def share_unfinished(self, factor: str) -> dict[str, float]:
        """Return for each level of a factor of games the share of its games that lack a value or were not finished.

        A column counts where half of all games have a value in it at least.
        """
        frame = self.study.frame("games")
        schema = frame.collect_schema()
        names = [name for name in schema.names() if name not in (factor, "game_id", "ended")]
        level = as_text(factor, schema[factor]).alias("level")
        ends = nw.col("ended").is_in(UNFINISHED).alias("unfinished")
        games = frame.select("game_id", level, ends, *(nw.col(name).is_null() for name in names))
        points = self.study.frame("players").group_by("game_id")
        seats = points.agg(points_missing=nw.col("points").is_null().cast(nw.Int64).max())
        table = home(games.join(seats, on="game_id", how="left").drop_nulls("level"))
        missing = table.drop(columns=["game_id", "level"]).fillna(1).astype(bool)
        missing = missing.loc[:, missing.mean() <= LARGEST_GAP]
        shares = missing.any(axis=1).groupby(table["level"].astype(str)).mean()
        return {str(level): float(share) for level, share in shares.items()}

    def select(
        self, remaining: RemainingRows, plan: Plan, question: Question, linked: LinkedGames, *, blind: bool
    ) -> Selection:
        """Return the rows that a question looks at."""
        rows = keep_rows(select_rows(remaining, plan, question, linked, blind=blind), remaining.study)
        return of_people(rows, question, remaining.study)[0]

    def units_by_cell(self, rows: Selection) -> dict[tuple[str, ...], int]:
        """Return how many units have a value at each combination of levels that occurs."""
        keys = [f"f{place}" for place in range(len(rows.levels))]
        units = rows.frame.filter(~nw.col("value").is_null()).select("unit", *keys).unique()
        if not keys:
            return {(): count(units)}
        unit_counts = home(units.group_by(*keys).agg(nw.len().alias("n")))
        return {tuple(key): int(n) for *key, n in unit_counts[[*keys, "n"]].itertuples(index=False)}

    def is_of_units(self, plan: Plan, name: str, remaining: Any) -> bool:
        """Whether a question compares within units what is one value of each: an age differs in no round."""
        rows = self.select(remaining, plan, plan.questions[name], self.linked(plan.data.unit), blind=False)
        known = rows.frame.filter(~nw.col("value").is_null())
        places = [f"f{place}" for place in range(len(rows.levels))]
        n_units, n_values, n_cells = (
            count(known.select("unit", *others).unique()) for others in ([], ["value"], places)
        )
        return n_units == n_values < n_cells

    def dealt(self, rows: Selection) -> int:
        """Return the rows with a value of the smallest cell, in units of as many rows as units have."""
        rows_with_value = rows.frame.filter(~nw.col("value").is_null())
        cells = home(
            rows_with_value.group_by(*(f"f{place}" for place in range(len(rows.levels)))).agg(nw.len().alias("n"))
        )["n"]
        return int(cells.min()) * count(rows_with_value.select("unit").unique()) // int(cells.sum())

    def standing(self, rows: Selection, factor: str) -> tuple[int, int]:
        """Return how many units stand at two levels of a factor or more, and how many there are."""
        return standing(rows.frame, f"f{list(rows.levels).index(factor)}")


def is_too_even(counts: np.ndarray[Any, Any], p: float) -> bool:
    """Whether counts of levels are more equal than random draws make them: the lower tail of chi-squared is below `p`.

    Examples
    --------
    >>> is_too_even(np.array([30, 30]), 0.05), is_too_even(np.array([33, 27]), 0.05)
    (True, False)
    """
    expected = counts.mean()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return expected >= FEWEST_EACH and bool(scipy.special.chdtr(len(counts) - 1, statistic) < p)


def _compare_units(counts: pd.DataFrame) -> Balance:
    """Return how levels lie within units, from the rows ``n`` of each unit at each level.

    Equal numbers in each unit, of the levels that it has, are a design; so are the same shares in all units, for what
    people do differs between them.
    """
    table = counts.set_index(["unit", "level"])["n"].unstack()  # noqa: PD010
    table = table[table.sum(axis=1) > 1]  # one row says nothing of how levels change
    n_units = len(table)
    is_even = (table.min(axis=1) >= (1 - UNIT_TOLERANCE) * table.max(axis=1)) & (table.count(axis=1) > 1)
    if int(is_even.sum()) >= EVEN_UNITS * n_units:
        return "even"
    shares = table.fillna(0).div(table.sum(axis=1), axis=0)
    deviations = (shares - shares.median()).abs().max(axis=1)
    return "by chance" if int((deviations <= SHARE_TOLERANCE).sum()) >= EVEN_UNITS * n_units else "uneven"


def counted(rows: Selection, units: dict[tuple[str, ...], int]) -> pd.DataFrame:
    """Return one row a cell: the factors, and in ``n`` how many units have a value there."""
    if not rows.levels:
        return pd.DataFrame({"n": [units.get((), 0)]})
    index = pd.MultiIndex.from_product(list(rows.levels.values()), names=list(rows.levels))
    return pd.Series([units.get(key, 0) for key in index], index=index, name="n").reset_index()


def names_of_seats(looks: StudyView, columns: Sequence[str] = SEAT_FACTORS) -> list[str]:
    """Return what seats can be called."""
    return list(dict.fromkeys(name for column in columns for name in looks.seats(column)))
