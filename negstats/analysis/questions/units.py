"""Which rows are independent of each other: the measure of a study brought to one value a unit and level.

A test needs independent units. Rounds of one game are not, nor are two seats of one game, nor two games of one person,
nor two people who played with the same third. So a unit is all people who are linked through games: the person, where
everybody plays with agents; the pair, where the same two meet again and again; the session, where strangers are matched
anew in each round. Where nobody's id is known, it is the game.

A seat whose person is not known (no `participant_id`) is taken for somebody who plays in no other game, while the known
people still link theirs. Where known people play several games that is a guess: the units that hang on it are named in
`LinkedGames.unsure`, and whoever tests independent groups refuses if two of them are among these.

Several values of a unit at one level are averaged, and what was averaged or left out is said in notes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import narwhals as nw
import pandas as pd

from negstats import metrics
from negstats.analysis.questions.frames import Lazy, count, distinct, home
from negstats.analysis.questions.linked import LinkedGames, is_key, link_games
from negstats.errors import DesignError, UsageError, meant, shown
from negstats.metrics.definition import Measure
from negstats.sanitize import counted
from negstats.stats.summaries.aggregation import Function, aggregate
from negstats.studies.study import Study

__all__ = ["Unit", "Units", "factors_of", "measured", "names_of_seats", "seats", "units"]

NOUNS = {"participant": "person"}  # what a unit of analysis is called in sentences
VARIES = {"between": "varies between units", "within": "varies within units", "partly": "varies within some units"}

SEAT_FACTORS = ("kind", "role", "agent", "player")

Unit: TypeAlias = Literal["independent", "game"]
UNITS = ("independent", "game")


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """One value a unit and level.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        Columns ``unit``, ``level`` and ``value``; no two rows share unit and level. Kept by the study's engine.
    unit : str
        What a unit is: "participant", "game", or "group" of people who are linked through games.
    notes : tuple of str
        What was averaged or left out.
    rows : int
        Values before they were averaged.
    linked : LinkedGames
        The unit of each game.
    study : Study
        The study, which holds the files of `frame` as long as it is there.
    """

    frame: Lazy
    unit: str
    notes: tuple[str, ...]
    rows: int
    linked: LinkedGames
    study: Study

    def to_frame(self) -> pd.DataFrame:
        """Return the values as a frame in memory, in the order of units and levels."""
        return home(self.frame).sort_values(["unit", "level"], kind="stable", ignore_index=True)

    def check_linked(self, frame: Lazy) -> None:
        """Refuse units of which two may be linked through people who are not known.

        Raises
        ------
        DesignError
            Saying which seats these people had and what would do.
        """
        if self.linked.unsure is None:
            return
        unsure = count(distinct(frame, "unit").join(self.linked.unsure, on="unit"))
        if unsure > 1:
            raise DesignError(
                f"{self.linked.doubt}, while people who are known play in several games: {unsure} units may be linked "
                "through them. Fill in the ids, or leave those games out; unit='game' takes all games for independent"
            )


def factors_of(study: Study) -> list[str]:
    """Return what a study can be compared by: its games' factors and the columns that tell seats apart."""
    distinct = [nw.col(name).n_unique().alias(name) for name in SEAT_FACTORS]
    known_counts = [nw.col(name).count().alias(f"{name}_known") for name in SEAT_FACTORS]
    counts = study.frame("players").select(nw.len().alias("rows"), *distinct, *known_counts).collect("pyarrow")
    rows = int(counts["rows"][0])
    seat_factors = []
    for name in SEAT_FACTORS:  # a missing value counts as one in n_unique
        values = int(counts[name][0] or 0) - (int(counts[f"{name}_known"][0] or 0) < rows)
        seat_factors += [name] if values > 1 else []
    return [*study.factors, *seat_factors]


def check_factor(by: str, study: Study, known: Sequence[str], columns: Collection[str] = ()) -> None:
    """Check that a study can be compared by a factor, in a table with `columns` of its own.

    Raises
    ------
    UsageError
        If nothing is called so, or more than one thing is.
    """
    if by not in known:
        raise UsageError(f"no factor is called {shown(by)}; {meant(by, known)}")
    if by in SEAT_FACTORS and by in study.factors:
        raise UsageError(f"{by!r} is a factor of the games and also tells seats apart; give the factor another name")
    if by in columns:
        raise UsageError(f"{by!r} is a column of this table too; give the factor another name")


def seats(study: Study, who: str | None) -> Lazy:
    """Return the rows of ``players`` that `who` names: a kind, role, agent or seat; all of them for None.

    Raises
    ------
    UsageError
        If nothing is called so.
    """
    players = study.frame("players")
    if who is None:
        return players
    seat_rows = players.filter(nw.any_horizontal(*(nw.col(name) == who for name in SEAT_FACTORS), ignore_nulls=True))
    if not count(seat_rows.select("player").head(1)):  # memory may hold all of a row's columns for the first
        raise UsageError(f"no seat is called {who!r}; there are {', '.join(names_of_seats(study))}")
    return seat_rows


def names_of_seats(study: Study) -> list[str]:
    """Return what seats can be called: the first kinds, roles, agents and seats."""
    names: list[str] = []
    for column in SEAT_FACTORS:
        names_table = (
            study.frame("players").select(column).drop_nulls().unique().sort(column).head(12).collect("pyarrow")
        )
        names += [str(name) for name in names_table[column].to_list()]
    return list(dict.fromkeys(names))[:12]


def measured(study: Study, known: Measure, who: str | None = None) -> Lazy:
    """Return a measure's values (``value``), one a game or seat; a measure of offers is averaged over a seat's.

    Of a measure of seats, `who` names those that are looked at.
    """
    if who is not None and known.per != "game":
        key = ["game_id", "player"]
        return measured(study, known).join(seats(study, who).select(*key), on=key)
    memory = study.in_memory
    if known.name in study.measure_frames:
        return study.measure_frames[known.name]
    if known.arrays and memory:
        values = study.from_pandas(known.compute(study.tables))
    else:
        values = known.in_engine(study.frames)
    values = values.rename({known.name: "value"})
    if known.per == "offer":
        in_order = study.in_order(values, ["game_id", "proposer"])
        values = aggregate(in_order, ["game_id", "proposer"], value=("value", "mean")).rename({"proposer": "player"})
    if memory:
        values = study.measure_frames[known.name] = study.keep(values)
    return values


def measure_of(study: Study, name: str) -> Measure:
    """Return the measure called `name`, with what the study says of its own: their units and kinds."""
    return metrics.measure_in(study.frames, name, study.provenance.measures)


def units(study: Study, measure: str, by: str, *, who: str | None = None, unit: Unit = "independent") -> Units:
    """Bring a measure to one value a unit and level of `by`.

    Parameters
    ----------
    study
        The study; its rows stay with its engine.
    measure
        A name in `negstats.metrics.MEASURES`.
    by
        A factor of the games, or a column that tells seats apart (kind, role, agent, player).
    who
        Whose values, for a measure of seats: a kind, role, agent or seat.
    unit
        "independent": people who are linked through games are one unit. "game": each game is one, which takes games of
        the same people as independent of each other; a note says so.

    Raises
    ------
    UsageError
        If the measure or factor is unknown, or a measure of seats needs `who`.
    DesignError
        If no value is left, or all people are linked through games so that there is one unit only.

    Examples
    --------
    >>> import negstats
    >>> found = units(negstats.load("datasets/sample"), "points", "condition", who="human")
    >>> found.unit, len(found.to_frame()), found.rows
    ('participant', 24, 24)
    """
    study = study.with_frames()
    known_factors = factors_of(study)
    check_factor(by, study, known_factors)
    if unit not in UNITS:
        raise UsageError(f"unit is {unit!r}; give {' or '.join(map(repr, UNITS))}")
    definition = measure_of(study, measure)
    of_seats = definition.per != "game"
    if by in SEAT_FACTORS and not of_seats:
        raise UsageError(f"{measure} is measured for a whole game and cannot be compared by {by!r}, which tells seats")
    if who is not None and not of_seats:
        raise UsageError(f"{measure} is measured for a whole game; leave out who={who!r}")
    by_row = who is not None and definition.per == "player" and definition.row_by_row and by not in SEAT_FACTORS
    if by_row:
        values = _measure_rows(study, definition, cast("str", who))
    else:
        values = measured(study, definition)
        if of_seats:
            values = _select_seat_values(study, definition, values, by, who)
    levels = None if by in SEAT_FACTORS else study.frame("games").select("game_id", nw.col(by).alias("level"))
    linked_games = link_games(study, unit, levels)
    is_single = by_row and linked_games.by_id and not study.in_memory and is_key(study, seats(study, who), "game_id")
    return _one_value_each(study, _group_values(study, values, levels, linked_games, is_single), linked_games, by)


def _measure_rows(study: Study, definition: Measure, who: str) -> Lazy:
    """Return the values of the picked seats, of a measure that each row of ``players`` holds by itself."""
    if study.in_memory and (definition.arrays or definition.name in study.measure_frames):
        return measured(study, definition, who)
    return definition.in_engine(study.frames, seats(study, who)).rename({definition.name: "value"})


def _select_seat_values(study: Study, definition: Measure, values: Lazy, by: str, who: str | None) -> Lazy:
    """Return the values of the picked seats, with the `level` of a factor that tells seats apart."""
    seat_rows = seats(study, who)
    if who is None and by not in SEAT_FACTORS:
        kinds = count(distinct(seat_rows, "kind"))
        if kinds > 1:
            names = ", ".join(names_of_seats(study))
            raise UsageError(f"{definition.name} is measured for each seat; say whose with who: {names}")
        return values
    level = [nw.col(by).alias("level")] if by in SEAT_FACTORS else []
    return values.join(seat_rows.select("game_id", "player", *level), on=["game_id", "player"])


def _group_values(study: Study, values: Lazy, levels: Lazy | None, linked_games: LinkedGames, is_single: bool) -> Lazy:
    """Return the mean of each unit at each level and its rows; `levels` are those of games, if games have them.

    With `is_single` no game has two values.
    """
    level = nw.col("level").cast(nw.String).alias("level")
    functions: dict[str, tuple[str, Function]] = {
        "value": ("value", "mean"),
        "rows": ("value", "len"),
        "complete": ("value", "count"),
    }
    if levels is not None and linked_games.by_id:  # a game has one level: fewer rows are joined once they are averaged
        of_games = values.select("game_id", "value")
        of_games = _count_single(of_games) if is_single else aggregate(of_games, ["game_id"], **functions)
        with_levels = of_games.join(levels, on="game_id", how="left")
        groups: Lazy = with_levels.select(nw.col("game_id").alias("unit"), level, *functions)
        return groups
    if linked_games.by_id:
        with_units = values.with_columns(nw.col("game_id").alias("unit"))
    else:  # the games' levels, if they have them, stand beside their units
        with_units = values.join(linked_games.games, on="game_id", how="left")
    rows = with_units.select("unit", level, "value")
    if study.in_memory and linked_games.what == "participant":
        rows = study.keep(rows)
        if is_key(study, rows, "unit"):  # each value is a mean already, and to count is soon done
            return _count_single(rows)
    return cast("Lazy", aggregate(rows, ["unit", "level"], **functions))


def _count_single(values: Lazy) -> Lazy:
    """Return values that each are the only one of their group as means, with their numbers of rows."""
    value = nw.col("value").cast(nw.Float64)  # as a mean is
    return values.with_columns(value, rows=nw.lit(1), complete=(~nw.col("value").is_null()).cast(nw.Int64))


def _one_value_each(study: Study, group_values: Lazy, linked_games: LinkedGames, by: str) -> Units:
    """Keep the mean of each unit at each level, and count what is left out."""
    level = nw.col("level")
    groups = study.keep(study.in_order(group_values, ["unit", "level"]))
    has_level = ~level.is_null()
    sums = {
        "rows": nw.col("rows"),
        "level": nw.when(has_level).then(0).otherwise(nw.col("rows")),
        "value": nw.when(has_level).then(nw.col("rows") - nw.col("complete")).otherwise(0),
        "complete": nw.when(has_level).then(nw.col("complete")).otherwise(0),
    }
    counts = groups.select(column.sum().alias(name) for name, column in sums.items()).collect("pyarrow")
    rows, no_level, no_value, n_complete = (int(counts[name][0] or 0) for name in sums)
    notes = list(linked_games.notes)
    if no_level:
        notes.append(f"{no_level:,} of {counted(rows, 'value')} excluded, because their {by} is not recorded")
    if no_value:
        notes.append(f"{no_value:,} of {counted(rows - no_level, 'row')} excluded, because they lack a value")
    if not n_complete:
        raise DesignError(f"nothing is left to compare ({'; '.join(notes) or 'no rows'})")
    is_complete = has_level & (nw.col("complete") > 0) & ~nw.col("unit").is_null()
    means = groups.filter(is_complete).select("unit", "level", "value")
    n_means = count(means)
    if n_means < n_complete:
        notes.append(
            f"the values of each {NOUNS.get(linked_games.what, linked_games.what)} at each level were averaged "
            f"({n_complete:,} to {n_means:,})"
        )
    return Units(means, linked_games.what, tuple(notes), n_complete, linked_games, study)
