"""Which rows are independent of each other: the measure of a study brought to one value a unit and level.

A test needs independent units. Rounds of one game are not, nor are two seats of one game, nor two games of one person.
So the unit is the person where each game has one person whose id is known, else the game; several values of a unit at
one level are averaged, and what was averaged or left out is said in notes.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from negstats import metrics
from negstats.errors import DesignError, UsageError
from negstats.study import Study

__all__ = ["Units", "factors_of", "pairs", "seats", "units", "values_of"]

SEAT_FACTORS = ("kind", "role", "agent", "player")


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """One value a unit and level.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns ``unit``, ``level`` and ``value``; no two rows share unit and level.
    unit : str
        What a unit is: "participant" or "game".
    within_games : bool
        Whether the levels are seats of the same games, so that they are paired by the game.
    notes : tuple of str
        What was averaged or left out.
    """

    frame: pd.DataFrame
    unit: str
    within_games: bool
    notes: tuple[str, ...]


def factors_of(study: Study) -> list[str]:
    """Return what a study can be compared by: its games' factors and the columns that tell seats apart."""
    told = [name for name in SEAT_FACTORS if study.players[name].nunique() > 1]
    return [*study.factors, *told]


def seats(study: Study, who: str | None) -> pd.DataFrame:
    """Return the rows of ``players`` that `who` names: a kind, role, agent or seat; all of them for None.

    Raises
    ------
    UsageError
        If nothing is called so.
    """
    players = study.players
    if who is None:
        return players
    picked = players[(players[list(SEAT_FACTORS)] == who).any(axis=1)]
    if picked.empty:
        raise UsageError(f"no seat is called {who!r}; there are {', '.join(_names(players))}")
    return picked


def values_of(study: Study, measure: str) -> pd.DataFrame:
    """Return a measure's values: one row a game, or one a seat; a measure of offers is averaged over a seat's offers.

    Columns: ``game_id``, ``player`` for measures of seats, and one with the measure's name.

    Raises
    ------
    UsageError
        If the measure is unknown or cannot be computed for this study.
    """
    values = metrics.measure(measure).compute(study.tables)
    if "proposer" not in values.columns:
        return values
    means = values.groupby(["game_id", "proposer"], sort=False)[measure].mean()
    return means.rename_axis(["game_id", "player"]).reset_index()


def units(study: Study, measure: str, by: str, *, who: str | None = None) -> Units:
    """Bring a measure to one value a unit and level of `by`.

    Parameters
    ----------
    study
        The study.
    measure
        A name in `negstats.metrics.MEASURES`.
    by
        A factor of the games, or a column that tells seats apart (kind, role, agent, player).
    who
        Whose values, for a measure of seats: a kind, role, agent or seat.

    Raises
    ------
    UsageError
        If the measure or factor is unknown, or a measure of seats needs `who`.
    DesignError
        If no value is left.
    """
    known = factors_of(study)
    if by not in known:
        close = difflib.get_close_matches(by, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known) or 'none'}"
        raise UsageError(f"no factor is called {by!r}; {hint}")
    values = values_of(study, measure)
    of_seats = "player" in values.columns
    within_games = by in SEAT_FACTORS
    if within_games and not of_seats:
        raise UsageError(f"{measure} is measured for a whole game and cannot be compared by {by!r}, which tells seats")
    if who is not None and not of_seats:
        raise UsageError(f"{measure} is measured for a whole game; leave out who={who!r}")
    if of_seats:
        values = values.merge(_picked(study, measure, by, who), on=["game_id", "player"])
    if not within_games:
        values = values.merge(study.games[["game_id", by]].rename(columns={by: "level"}), on="game_id")
    people = _one_person_a_game(study)
    if people is None or within_games:
        unit, values["unit"] = "game", values["game_id"]
    else:
        unit, values["unit"] = "participant", values["game_id"].map(people)
    return _one_value_each(values.rename(columns={measure: "value"}), unit, within_games, study)


def _picked(study: Study, measure: str, by: str, who: str | None) -> pd.DataFrame:
    picked = seats(study, who)
    kinds = picked["kind"].nunique(dropna=False)
    if who is None and by not in SEAT_FACTORS and kinds > 1:
        raise UsageError(f"{measure} is measured for each seat; say whose with who: {', '.join(_names(study.players))}")
    keys = picked[["game_id", "player"]]
    return keys.assign(level=picked[by]) if by in SEAT_FACTORS else keys


def _names(players: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(str(name) for column in SEAT_FACTORS for name in players[column].dropna().unique()))[:12]


def _one_person_a_game(study: Study) -> pd.Series | None:
    """Return the person of each game, or None unless every game has exactly one whose id is known."""
    people = study.players.dropna(subset=["participant_id"])
    if len(people) != len(study.games) or not people["game_id"].is_unique:
        return None
    return people.set_index("game_id")["participant_id"]


def _one_value_each(values: pd.DataFrame, unit: str, within_games: bool, study: Study) -> Units:
    notes = []
    for column, what in (("level", "without a level"), ("value", "without a value")):
        gone = int(values[column].isna().sum())
        if gone:
            notes.append(f"{gone} of {len(values)} rows {what} left out")
        values = values[values[column].notna()]
    if values.empty:
        raise DesignError(f"nothing is left to compare ({'; '.join(notes) or 'no rows'})")
    values = values.assign(level=values["level"].astype("str"), value=values["value"].astype("float64"))
    frame = values.groupby(["unit", "level"], sort=False)["value"].mean().reset_index()
    if len(frame) < len(values):
        notes.append(f"{len(values)} values averaged to {len(frame)}, one a {unit} and level")
    if unit == "game":
        notes += _several_games(study)
    return Units(frame, unit, within_games, tuple(notes))


def _several_games(study: Study) -> list[str]:
    known = study.players["participant_id"].dropna()
    again = int((known.value_counts() > 1).sum())
    if again:
        return [f"{again} people play in several games, so games are not independent of each other"]
    return [] if len(known) else ["people's ids are not known; games are taken to be independent of each other"]


def pairs(found: Units, levels: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Return one row a unit with a column a level, and how many units lack a level and are left out."""
    wide = found.frame.pivot_table(index="unit", columns="level", values="value", sort=False)
    whole = wide.reindex(columns=list(levels)).dropna()
    return whole, len(wide) - len(whole)
