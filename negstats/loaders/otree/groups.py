"""Which turns of oTree's exports belong to the same group: the games, in the order of the files."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError
from negstats.loaders.files.columns import Places, Texts
from negstats.loaders.otree.apps import App, Games
from negstats.loaders.otree.sheets import Sheets


@dataclass(frozen=True, slots=True)
class Group:
    """One group in one app and round: its place, and its members' seats by their codes."""

    place: int
    app: str
    number: int
    seats: dict[str, int]


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups in the order of their first members.

    Attributes
    ----------
    sheets : Sheets
        Where their turns stand.
    of_turn, seats : array of int
        For each turn its group (-1 for none of these), and the seat.
    first_turns : array of int
        The first turn of each group.
    names : pyarrow array
        The names of the groups.
    """

    sheets: Sheets
    of_turn: Places
    seats: Places
    first_turns: Places
    names: Texts

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.first_turns)

    def of_apps(self, wanted: Collection[str]) -> Groups:
        """Return the groups of these apps alone."""
        places = [place for place, name in enumerate(self.sheets.fields) if name in wanted]
        is_wanted = np.isin(self.sheets.turns.apps[self.first_turns], places)
        if is_wanted.all():
            return self
        new_places = np.append(np.where(is_wanted, np.cumsum(is_wanted) - 1, -1), -1)
        names = self.names.filter(pa.array(is_wanted))
        return Groups(self.sheets, new_places[self.of_turn], self.seats, self.first_turns[is_wanted], names)

    def games(self, name: str, app: App) -> Games:
        """Return the groups of one app."""
        app_place = list(self.sheets.fields).index(name)
        turns = np.flatnonzero((self.sheets.turns.apps == app_place) & (self.of_turn >= 0))
        turns = turns[np.argsort(self.of_turn[turns], kind="stable")]
        places, of_turn = np.unique(self.of_turn[turns], return_inverse=True)
        names = self.names.take(pa.array(places))
        return Games(name, app, self.sheets, places, names, self.sheets.turns.take(turns), of_turn, self.seats[turns])

    def each(self) -> Iterator[Group]:
        """Yield the groups one by one, for chat and page times."""
        turns, apps = self.sheets.turns, list(self.sheets.fields)
        seats_by_group: list[dict[str, int]] = [{} for _ in range(len(self))]
        codes = self.sheets.persons.take(turns.rows).texts().to_pylist()
        for place, code, seat in zip(self.of_turn.tolist(), codes, self.seats.tolist(), strict=True):
            if place >= 0:
                seats_by_group[place][code] = seat
        for place, (turn, seats) in enumerate(zip(self.first_turns.tolist(), seats_by_group, strict=True)):
            yield Group(place, apps[turns.apps[turn]], int(turns.numbers[turn]), seats)


def build_groups(sheets: Sheets) -> Groups:
    """Return all groups.

    Raises
    ------
    LogError
        If a seat or group is not a number, or two people have one seat.
    """
    turns = sheets.turns
    seats, numbers = (np.zeros(len(turns.rows), dtype=np.int64) for _ in range(2))
    for app in range(len(sheets.fields)):
        places = np.flatnonzero(turns.apps == app)
        of_app = turns.take(places)
        seats[places] = sheets.counted(of_app, "player.id_in_group")
        numbers[places] = sheets.counted(of_app, "group.id_in_subsession")
    of_turn = _number_together(sheets.sessions.codes[turns.rows], turns.apps, turns.numbers, numbers)
    of_seat = _number_together(of_turn, seats)
    first_of_seat = _first_places(of_seat)
    if len(first_of_seat) < len(of_seat):
        raise _seat_fault(sheets, first_of_seat[of_seat], seats)
    first_turns = _first_places(of_turn)
    return Groups(sheets, of_turn, seats, first_turns, _build_names(sheets, first_turns, numbers))


def _number_together(*columns: Places) -> Places:
    """Return a number for each combination of values, in the order in which they come."""
    together = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        codes, distinct = pd.factorize(column)
        together = pd.factorize(together * max(len(distinct), 1) + codes)[0]
    return together


def _first_places(numbers: Places) -> Places:
    """Return where each number, which come in order from 0, stands first."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1) > 0)


def _seat_fault(sheets: Sheets, first_turns: Places, seats: Places) -> LogError:
    """Return the error for the first turn whose seat another has too."""
    turn = int((first_turns != np.arange(len(first_turns))).argmax())
    file, row = sheets.place(int(sheets.turns.rows[first_turns[turn]]))
    reason = f"player {seats[turn]} of this group is also in row {row} of {file.name}"
    return sheets.turn_faults(sheets.turns, "player.id_in_group")(turn, reason)


def _build_names(sheets: Sheets, first_turns: Places, numbers: Places) -> Texts:
    turns = sheets.turns.take(first_turns)
    apps = pa.array(list(sheets.fields), pa.large_string())
    return pc.binary_join_element_wise(
        sheets.sessions.take(turns.rows).texts(),
        apps.take(pa.array(turns.apps)),
        pa.array(turns.numbers).cast(pa.large_string()),
        pa.array(numbers[first_turns]).cast(pa.large_string()),
        pa.scalar("-", pa.large_string()),
    )
