"""Factors that follow from who sat with whom and in which order.

``partner.COLUMN`` is the level at which the other seat of a game of two stands, ``pair.COLUMN`` the levels of both
seats, ``order.COLUMN`` the place of a game among all games of a person, by a column of ``games``, and ``first.COLUMN``
the level of a column of ``games`` that the person met first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw

from negstats.analysis.plan.columns import (
    COMPOSITION,
    FIRST,
    LATER,
    PLACES,
    in_order_of,
    levels_met,
)
from negstats.analysis.questions.frames import Lazy, as_number, as_text, count, home
from negstats.analysis.roles import role_of
from negstats.errors import UsageError, meant
from negstats.studies import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Factor

Tables = Callable[[str], Lazy]


def read_levels(study: Study, factor: Factor, *, games: bool = False) -> Lazy:
    """Return ``game_id``, ``player`` and ``level`` of each seat; with `games` one row a game on which all seats agree.

    A seat has no level where that does not follow: the game has not two seats, a seat's own level is not known, or two
    games of the person stand at one place of the order. The seat of an agent has the place of the people whom it meets.

    Raises
    ------
    UsageError
        If the order of texts is not that of the numbers in them, or no column or several could tell which game of a
        person was the first.
    """
    tables: Tables = study.frame
    kind, _, column_name = factor.column.partition(".")
    if kind == "order":
        levels = _places(tables, column_name, factor.column)
    elif kind == "first":
        levels = _first_met(tables, factor, order_column(study, factor))
    elif kind == "partner":
        levels = _partners(tables, column_name)
    else:
        levels = _pairs(tables, column_name, factor.level)
    if games:
        return _agreed_levels(levels)
    return _with_agents(tables, levels) if kind in ("order", "first") else levels


def _agreed_levels(levels: Lazy) -> Lazy:
    """Return the level of each game at which all its seats with a level stand."""
    known_levels = levels.drop_nulls(["level"]).group_by("game_id")
    ends = known_levels.agg(nw.col("level").min().alias("level"), nw.col("level").max().alias("last"))
    return ends.filter(nw.col("level") == nw.col("last")).select("game_id", "level")


def _with_agents(tables: Tables, levels: Lazy) -> Lazy:
    """Return the levels with those of seats of nobody, such as agents: the level of the people whom they meet there."""
    met = _agreed_levels(levels).select("game_id", nw.col("level").alias("met"))
    own = levels.select("game_id", "player", nw.col("level").alias("own"))
    seats = tables("players").select("game_id", "player", "participant_id")
    all_levels = seats.join(own, on=["game_id", "player"], how="left").join(met, on="game_id", how="left")
    level = nw.when(nw.col("participant_id").is_null()).then(nw.col("met")).otherwise(nw.col("own"))
    return all_levels.select("game_id", "player", level.alias("level"))


def read_seats(study: Study, factor: Factor) -> list[str]:
    """Return the levels that a derived factor has in a study, in order."""
    levels = home(read_levels(study, factor).select("level").drop_nulls().unique())["level"]
    return in_order_of(factor.column, list(map(str, levels)))


def order_column(study: Study, factor: Factor) -> str:
    """Return the column of games that says which game of a person was the first: as the plan names it, or the only one.

    Raises
    ------
    UsageError
        If the plan names a column that games do not have, or names none and none or several could say it.
    """
    column_names = study.frame("games").collect_schema().names()
    if factor.order is not None:
        if factor.order not in column_names:
            hint = meant(factor.order, column_names)
            raise UsageError(f"{factor.column}: games has no column {factor.order!r}; {hint}")
        return factor.order
    names = columns_of_order(column_names)
    known_values = (study.frame("games").select(name).drop_nulls().head(1) for name in names)
    candidates = [name for name, values in zip(names, known_values, strict=True)
                  if factor.column != f"first.{name}" and count(values)]  # fmt: skip
    if len(candidates) == 1:
        return candidates[0]
    what = f"{' and '.join(candidates)} could both tell" if candidates else "no column of games says"
    example = candidates[0] if candidates else "session"
    raise UsageError(f'{factor.column}: {what} which game came first; name the column: order = "{example}"')


def columns_of_order(names: Sequence[str]) -> list[str]:
    """Return those columns of games whose name says that they put games in order.

    Examples
    --------
    >>> columns_of_order(["condition", "session", "started_at", "rounds"])
    ['session', 'started_at']
    """
    return [name for name in names if name == "started_at" or role_of(name, (), of_games=True).name == "order"]


def _seats(tables: Tables, column_name: str) -> Lazy:
    """Return the level of each seat in its own column: game_id, player, level."""
    players = tables("players")
    if not column_name.startswith("answers."):
        level = as_text(column_name, players.collect_schema()[column_name]).alias("level")
        return players.select("game_id", "player", level)
    answers = tables("answers").filter(nw.col("question") == column_name.removeprefix("answers."))
    is_asked_once = not count(answers.filter(~nw.col("game_id").is_null()).head(1))
    keys = ["participant_id"] if is_asked_once else ["game_id", "participant_id"]
    answer_levels = answers.drop_nulls([*keys, "answer"]).group_by(*keys).agg(nw.col("answer").min().alias("level"))
    seat_levels = players.select("game_id", "player", "participant_id").join(answer_levels, on=keys, how="left")
    return seat_levels.select("game_id", "player", "level")


def _both(seats: Lazy) -> Lazy:
    """Return the seats of games of two."""
    sizes = seats.group_by("game_id").agg(nw.len().alias("seats")).filter(nw.col("seats") == 2)
    return seats.join(sizes.select("game_id"), on="game_id", how="semi")


def _partners(tables: Tables, column_name: str) -> Lazy:
    seats = _both(_seats(tables, column_name))
    other = seats.select("game_id", nw.col("player").alias("other"), "level")
    pairs = seats.select("game_id", "player").join(other, on="game_id")
    return pairs.filter(nw.col("player") != nw.col("other")).select("game_id", "player", "level")


def _pairs(tables: Tables, column_name: str, level: str | None) -> Lazy:
    seats = _both(_seats(tables, column_name))
    is_at_level = nw.lit(0) if level is None else nw.when(nw.col("level") == level).then(1).otherwise(0)
    known_seats = seats.drop_nulls(["level"]).with_columns(is_at_level.alias("at"))
    games = known_seats.group_by("game_id").agg(
        nw.len().alias("known"), nw.col("at").sum().alias("at"), nw.col("level").min().alias("first"),
        nw.col("level").max().alias("last"),
    ).filter(nw.col("known") == 2)  # fmt: skip
    if level is None:
        pair_level = nw.concat_str(nw.col("first"), nw.lit(" + "), nw.col("last"))
    else:
        both, single, neither = map(nw.lit, COMPOSITION)
        pair_level = (
            nw.when(nw.col("at") == 2).then(both).otherwise(nw.when(nw.col("at") == 1).then(single).otherwise(neither))
        )
    return seats.select("game_id", "player").join(games.select("game_id", pair_level.alias("level")), on="game_id")


def _first_met(tables: Tables, factor: Factor, order: str) -> Lazy:
    """Return for each seat of a person the level of a column of games in the first game of that person."""
    column_name = factor.column.partition(".")[2]
    games = tables("games")
    text = as_text(column_name, games.collect_schema()[column_name])
    game_levels = games.select("game_id", text.alias("level")).drop_nulls(["level"])
    if counted_levels := levels_met(factor):  # a level that the plan does not name is met by nobody
        game_levels = game_levels.filter(nw.col("level").is_in(counted_levels))
    keyed_levels = game_levels.join(_keyed_games(tables, order, f"{factor.column} by {order}"), on="game_id")
    met = _keyed_seats(tables, keyed_levels)
    earliest = met.group_by("participant_id").agg(nw.col("key").min().alias("key"))
    first = met.join(earliest, on=["participant_id", "key"]).group_by("participant_id").agg(
        nw.len().alias("times"), nw.col("level").min().alias("level")
    ).filter(nw.col("times") == 1)  # fmt: skip
    level = nw.concat_str(nw.col("level"), nw.lit(FIRST)).alias("level")
    seats = tables("players").select("game_id", "player", "participant_id")
    return seats.join(first.select("participant_id", level), on="participant_id").select("game_id", "player", "level")


def _keyed_seats(tables: Tables, keyed: Lazy) -> Lazy:
    """Return the seats of people in games that have a key."""
    seats = tables("players").select("game_id", "player", "participant_id").drop_nulls(["participant_id"])
    return seats.join(keyed, on="game_id")


def _keyed_games(tables: Tables, column_name: str, column: str) -> Lazy:
    """Return the games with what they are put in order by, numbers where its texts are such."""
    games = tables("games")
    kind = games.collect_schema()[column_name]
    key = nw.col(column_name)
    if kind in (nw.String, nw.Categorical, nw.Enum):
        texts = list(map(str, home(games.select(key.cast(nw.String).alias("key")).drop_nulls().unique())["key"]))
        numbers = _natural(texts, column)
        key = as_number(column_name, nw.String()) if numbers else key.cast(nw.String)
    return games.select("game_id", key.alias("key")).drop_nulls(["key"])


def _places(tables: Tables, column_name: str, column: str) -> Lazy:
    keyed_seats = _keyed_seats(tables, _keyed_games(tables, column_name, column))
    times = keyed_seats.group_by("participant_id", "key").agg(nw.len().alias("times"))
    others = times.select("participant_id", nw.col("key").alias("other"))
    earlier_games = times.join(others, on="participant_id").filter(nw.col("other") <= nw.col("key"))
    place = earlier_games.group_by("participant_id", "key").agg(
        nw.len().alias("place"), nw.col("times").min().alias("times")
    )
    words: Any = nw.lit(LATER)
    for number, word in enumerate(PLACES, start=1):
        words = nw.when(nw.col("place") == number).then(nw.lit(word)).otherwise(words)
    level = nw.when(nw.col("times") == 1).then(words)
    placed_seats = keyed_seats.join(place, on=["participant_id", "key"])
    return placed_seats.select("game_id", "player", level.alias("level"))


def _natural(texts: Sequence[str], column: str) -> bool:
    """Return whether texts are numbers; refuse those whose order is not that of the numbers in them."""
    if all(re.fullmatch(r"\s*[+-]?\d+(\.\d*)?\s*", text) for text in texts):
        return True
    natural = sorted(texts, key=lambda text: [(part.isdigit(), int(part) if part.isdigit() else 0, part)
                                              for part in re.split(r"(\d+)", text)])  # fmt: skip
    for earlier, later in itertools.pairwise(natural):
        if earlier > later:
            order = f"{earlier!r} comes after {later!r} as a text"
            raise UsageError(f"{column}: {order}; write the numbers with leading zeros")
    return False
