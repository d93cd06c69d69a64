"""Which rows are independent of each other: the measure of a study brought to one value a unit and level.

A test needs independent units. Rounds of one game are not, nor are two seats of one game, nor two games of one person,
nor two people who played with the same third. So a unit is all people who are linked through games: the person, where
everybody plays with agents; the pair, where the same two meet again and again; the session, where strangers are matched
anew in each round. Where nobody's id is known, it is the game.

A seat whose person is not known (no `participant_id`) is taken for somebody who plays in no other game, while the known
people still link theirs. Where known people play several games that is a guess: the units that hang on it are named in
`Units.unsure`, and whoever tests independent groups refuses if two of them are among these.

Several values of a unit at one level are averaged, and what was averaged or left out is said in notes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats import metrics
from negstats.analysis.lazy.linked import all_linked, partners_change
from negstats.errors import DesignError, UsageError, meant, shown
from negstats.sanitize import counted
from negstats.studies import LazyStudy
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.lazy.units import LazyUnits

__all__ = ["Unit", "Units", "computed_once", "factors_of", "pairs", "seats", "units", "values_of"]

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
    frame : pandas.DataFrame
        Columns ``unit``, ``level`` and ``value``; no two rows share unit and level.
    unit : str
        What a unit is: "participant", "game", or "group" of people who are linked through games.
    notes : tuple of str
        What was averaged or left out.
    rows : int
        Values before they were averaged.
    unsure : frozenset of str
        Units that may be linked through a person who is not known.
    doubt : str
        Which seats these people had; empty if all are known.
    """

    frame: pd.DataFrame
    unit: str
    notes: tuple[str, ...]
    rows: int = 0
    unsure: frozenset[str] = frozenset()
    doubt: str = ""

    def check_linked(self, frame: pd.DataFrame) -> None:
        """Refuse units of which two may be linked through people who are not known.

        Raises
        ------
        DesignError
            Saying which seats these people had and what would do.
        """
        unsure = frame.loc[frame["unit"].isin(self.unsure), "unit"].nunique() if self.unsure else 0
        if unsure > 1:
            raise DesignError(
                f"{self.doubt}, while people who are known play in several games: {unsure} units may be linked through "
                "them. Fill in the ids, or leave those games out; unit='game' takes all games for independent"
            )


def factors_of(study: Study) -> list[str]:
    """Return what a study can be compared by: its games' factors and the columns that tell seats apart."""
    told = [name for name in SEAT_FACTORS if study.players[name].nunique() > 1]
    return [*study.factors, *told]


def check_factor(by: str, study: Study | LazyStudy, known: Sequence[str], columns: Collection[str] = ()) -> None:
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
    known = _COMPUTED.get()
    if known is None:
        return _values(study, measure)
    if (id(study), measure) not in known:
        known[id(study), measure] = (study, _values(study, measure))
    return known[id(study), measure][1].copy(deep=False)  # a write to it copies first


def _values(study: Study, measure: str) -> pd.DataFrame:
    values = metrics.measure_in(study.tables, measure).compute(study.tables)
    if "proposer" not in values.columns:
        return values
    means = values.groupby(["game_id", "proposer"], sort=False)[measure].mean()
    return means.rename_axis(["game_id", "player"]).reset_index()


# The values that were computed, with the study so that its id is not given to another.
_COMPUTED: ContextVar[dict[tuple[int, str], tuple[Study, pd.DataFrame]] | None] = ContextVar("computed", default=None)


@contextmanager
def computed_once() -> Iterator[None]:
    """Compute each measure of a study once as long as this lasts, in which nobody may change the study's tables."""
    known = _COMPUTED.get()
    token = _COMPUTED.set({} if known is None else known)
    try:
        yield
    finally:
        _COMPUTED.reset(token)


@overload
def units(study: Study, measure: str, by: str, *, who: str | None = ..., unit: Unit = ...) -> Units: ...


@overload
def units(study: LazyStudy, measure: str, by: str, *, who: str | None = ..., unit: Unit = ...) -> LazyUnits: ...


def units(
    study: Study | LazyStudy, measure: str, by: str, *, who: str | None = None, unit: Unit = "independent"
) -> Units | LazyUnits:
    """Bring a measure to one value a unit and level of `by`.

    Parameters
    ----------
    study
        The study; of a lazy one the values stay with its engine (`negstats.analysis.lazy.units.LazyUnits`).
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
    >>> found.unit, len(found.frame), found.rows
    ('participant', 24, 24)
    """
    if isinstance(study, LazyStudy):
        from negstats.analysis.lazy.units import units as in_engine

        return in_engine(study, measure, by, who=who, unit=unit)
    known = factors_of(study)
    check_factor(by, study, known)
    if unit not in UNITS:
        raise UsageError(f"unit is {unit!r}; give {' or '.join(map(repr, UNITS))}")
    values = values_of(study, measure).rename(columns={measure: "value"})
    of_seats = "player" in values.columns
    if by in SEAT_FACTORS and not of_seats:
        raise UsageError(f"{measure} is measured for a whole game and cannot be compared by {by!r}, which tells seats")
    if who is not None and not of_seats:
        raise UsageError(f"{measure} is measured for a whole game; leave out who={who!r}")
    if of_seats:
        values = _of_seats(study, measure, values, _picked(study, measure, by, who), by)
    games = study.games
    game = places(values["game_id"], games["game_id"])
    values = values.assign(game=game)
    if by not in SEAT_FACTORS:
        column = games[by].array
        values = values.assign(
            level=column if len(game) == len(games) and (np.diff(game) == 1).all() else column.take(game)
        )
    linked = link_games(study, unit)
    return _one_value_each(values, linked)


def _picked(study: Study, measure: str, by: str, who: str | None) -> pd.DataFrame:
    picked = seats(study, who)
    kinds = picked["kind"].nunique(dropna=False)
    if who is None and by not in SEAT_FACTORS and kinds > 1:
        raise UsageError(f"{measure} is measured for each seat; say whose with who: {', '.join(_names(study.players))}")
    return picked


def _of_seats(study: Study, measure: str, values: pd.DataFrame, picked: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the values of the picked seats, with the `level` of a factor that tells seats apart."""
    if metrics.measure_in(study.tables, measure).per == "player":  # one value a row of ``players``, in its order
        rows = study.players.index.get_indexer(picked.index)
        values = values if len(rows) == len(values) else values.take(rows)
        return values.assign(level=picked[by].array) if by in SEAT_FACTORS else values
    keys = picked[["game_id", "player"]]
    return values.merge(keys.assign(level=picked[by]) if by in SEAT_FACTORS else keys, on=["game_id", "player"])


def _names(players: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(str(name) for column in SEAT_FACTORS for name in players[column].dropna().unique()))[:12]


@dataclass(frozen=True, slots=True, eq=False)
class LinkedGames:
    """The unit of each game: its number, the units' names, what one is called, and what must be said."""

    of_game: npt.NDArray[np.intp]
    names: pd.Index
    what: str
    notes: list[str]
    unsure: npt.NDArray[np.bool_]
    doubt: str = ""


def link_games(study: Study, unit: Unit) -> LinkedGames:
    games = pd.Index(study.games["game_id"])
    alone = np.arange(len(games))
    people = study.players[study.players["kind"] != "agent"]
    known = people["participant_id"].notna().to_numpy()
    none = np.zeros(len(games), dtype=bool)
    if not known.any():
        note = "people's ids are not known; games are taken to be independent of each other"
        return LinkedGames(alone, games, "game", [note], none)
    person, names = pd.factorize(people["participant_id"].array[known])
    game = places(people["game_id"], study.games["game_id"])
    again = int((np.bincount(person) > 1).sum())
    doubt, notes = _unknown(people[~known], len(people)), []
    if doubt:
        notes.append(f"{doubt}; each is taken for somebody who plays in no other game")
    if unit == "game":
        note = f"{again} people play in several games; these are taken to be independent of each other"
        return LinkedGames(alone, games, "game", [*notes, note] if again else notes, none)
    count, label = _components(game[known], person, len(games), len(names))
    lone = int((np.bincount(label[len(games) :], minlength=count) == 0).sum())  # games in which nobody is known
    if count == 1 and len(games) > 1 and len(names) > 1:
        raise DesignError(_all_linked(study, len(names)))
    unsure = np.zeros(count, dtype=bool)
    if again:
        unsure[label[game[~known]]] = True
    what = "participant" if count == len(names) + lone else "game" if count == len(games) else "group"
    if what == "game":
        return LinkedGames(alone, games, what, notes, unsure[label[: len(games)]], doubt)
    if what == "group":
        notes.append(_groups(label, len(games), len(names), count - lone))
    first = np.full(count, -1)
    first[label[len(games) :][::-1]] = np.arange(len(names))[::-1]  # a unit is called after its first person
    first_game = np.full(count, -1)
    first_game[label[: len(games)][::-1]] = np.arange(len(games))[::-1]
    called = np.where(first >= 0, np.asarray(names)[first], ("game " + games)[first_game])
    return LinkedGames(label[: len(games)].astype(np.intp), pd.Index(called, dtype="str"), what, notes, unsure, doubt)


def _components(
    game: npt.NDArray[np.intp], person: npt.NDArray[np.intp], games: int, people: int
) -> tuple[int, npt.NDArray[np.int32]]:
    """Return how many linked components games and people form, and each one's number, in the order of first nodes."""
    if len(np.unique(game)) == len(
        game
    ):  # nobody meets anybody: a person's games are one component, others stand alone
        first = np.full(people, games)
        np.minimum.at(first, person, game)
        start = np.arange(games)
        start[game] = first[person]
        number = np.cumsum(start == np.arange(games)) - 1
        return int(number[-1]) + 1, np.concatenate([number[start], number[first]]).astype(np.int32)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = games + people
    links = coo_array((np.ones(len(person), dtype=np.int8), (game, games + person)), (nodes, nodes))
    count, label = connected_components(links, directed=False)
    return int(count), np.asarray(label)


def _unknown(seats: pd.DataFrame, people: int) -> str:
    """Say which seats have no `participant_id`: how many, called what, in how many games, the first of them."""
    if seats.empty:
        return ""
    names = list(dict.fromkeys(seats["role"].fillna(seats["player"]).unique()))
    called = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    games = seats["game_id"].nunique()
    where = shown(seats["game_id"].iloc[0]) if games == 1 else f"{games} games, {shown(seats['game_id'].iloc[0])} first"
    return f"{len(seats)} of {people} seats of people have no participant_id ({called}; {where})"


def _all_linked(study: Study, people: int) -> str:
    meet = study.players.groupby("game_id", sort=False).size()
    return all_linked(people, strangers=bool((meet > 1).any()))


def _groups(label: npt.NDArray[np.int32], games: int, people: int, groups: int) -> str:
    """Say how many people are linked, and why so few units are left where partners change."""
    units = int(label.max()) + 1
    size, played = (np.bincount(part, minlength=units) for part in (label[games:], label[:games]))
    note = f"{people} people form {groups} groups that are linked through games"
    if size.max() > 2:
        note += partners_change(int(size.max()), int(played[size == size.max()].max()))
    return note


def places(of: pd.Series, among: pd.Series) -> npt.NDArray[np.intp]:
    """Return the place of each id among others, -1 where it is not there; ids in the same order cost little."""
    # Frames of several files hold text in chunks, which equals no text in one piece: both are taken in chunks.
    asked, there = (pa.table({"id": ids})["id"] for ids in (of, among))
    if len(asked) == len(there) and asked.equals(there):
        return np.arange(len(there))
    found = pc.index_in(asked, value_set=there)
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.intp)


def _one_value_each(values: pd.DataFrame, linked: LinkedGames) -> Units:
    """Average what a unit has at a level; `values` has the columns ``game`` (its place), ``level`` and ``value``."""
    notes = list(linked.notes)
    for column, what in (("level", "without a level"), ("value", "without a value")):
        kept = values[column].notna().to_numpy()
        if not kept.all():
            notes.append(f"{int((~kept).sum()):,} of {counted(len(values), 'value')} {what} excluded")
            values = values[kept]
    if values.empty:
        raise DesignError(f"nothing is left to compare ({'; '.join(notes) or 'no rows'})")
    unit = linked.of_game[values["game"].to_numpy()]
    level, levels = pd.factorize(values["level"].astype("str"))
    flat = unit * len(levels) + level
    value = values["value"].to_numpy(dtype=np.float64)
    if np.bincount(flat).max() > 1:
        means = pd.Series(value).groupby(flat, sort=False).mean()
        flat, value = means.index.to_numpy(), means.to_numpy()
        notes.append(
            f"the values of each {NOUNS.get(linked.what, linked.what)} at each level were averaged "
            f"({len(values):,} to {len(flat):,})"
        )
    frame = pd.DataFrame(
        {
            "unit": linked.names.take(flat // len(levels)),
            "level": levels.take(flat % len(levels)),
            "value": value,
        }
    )
    unsure = frozenset(map(str, linked.names[linked.unsure])) if linked.unsure.any() else frozenset()
    return Units(frame, linked.what, tuple(notes), len(values), unsure, linked.doubt)


def pairs(found: Units, levels: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Return one row a unit with a column a level, and how many units lack a level and are left out."""
    wide = found.frame.pivot_table(index="unit", columns="level", values="value", sort=False)
    whole = wide.reindex(columns=list(levels)).dropna()
    return whole, len(wide) - len(whole)
