"""What is known while the keys of a mapping are proposed: the columns, the reading, and what is taken already."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from negstats.loaders.mapping.lexicon import Case
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.proposal import Proposal
from negstats.loaders.mapping.words import FILE, MARK, ROW, english, plain
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.families import ROLES
from negstats.loaders.reading.questions import Option
from negstats.loaders.reading.reading import Reading
from negstats.loaders.reading.relations import (
    crossed,
    determines,
    joint_codes,
    levels_within,
    opposition,
    unordered,
    varies_within,
)
from negstats.loaders.reading.spellings import PAIRS, known_as, levels_by_name
from negstats.loaders.reading.words import is_named
from negstats.toml_text import key as quoted

_MOSTLY = 0.8  # of the games: as many as may be left out and counted
_LEAST_OF_PERSON = 2  # rows of a person who comes again


@dataclass
class DraftState:
    """What is known of a log while its mapping is proposed.

    Attributes
    ----------
    log : Log
        The log.
    columns : dict of str to Column
        Its columns, all rows of each.
    reading : Reading
        What the rows and columns are.
    signs : dict of str to object
        What stands in a mapping for columns that are none of the table's: the file, folders, the row.
    proposal : Proposal
        What the mapping holds so far.
    taken : set of str
        Columns that stand behind a key, or that no key is for.
    """

    log: Log
    columns: dict[str, Column]
    reading: Reading
    signs: dict[str, object]
    proposal: Proposal = field(default_factory=Proposal)
    taken: set[str] = field(default_factory=set)

    @cached_property
    def plain(self) -> dict[str, str]:
        """For each column of the table its name in plain English."""
        names = {name: english(plain(name)) for name in self.columns if name not in self.signs}
        for name in self.log.lists:  # offers: each element is an offer
            if name in names and self.columns[name].has_numbers:
                names[name] = names[name].removesuffix("s")
        return names

    @property
    def person(self) -> Column | None:
        """The column that names who the rows are about, or who acts in them; None if none does."""
        name = self.proposal.keys.get("players.participant_id")
        is_of_events = self.reading.row.kind == "events" and isinstance(name, str)
        person = self.reading.row.person
        if is_of_events:
            return self.columns[str(name)]
        return None if person is None else self.in_all_rows(person)

    def in_all_rows(self, column: Column) -> Column:
        """Return a column of the reading in all rows: of a long table only some are looked at."""
        return self.columns.get(column.name, column)

    def is_one_of_each_person(self, column: Column) -> bool:
        """Whether a column is one thing of each person, as far as people come again."""
        person = self.person
        return person is not None and (person.is_unique or determines(person, self.in_all_rows(column)))

    def is_opposed(self, column: Column) -> bool:
        """Whether seats of a game share a number out, or one gets the more of it the less the other does."""
        return any(opposition(self.unit.codes, self.in_all_rows(column)))

    @property
    def own_row(self) -> list[object]:
        """What names a row that is a game of its own."""
        file = [FILE] if len(self.log.files) > 1 else []
        return [*file, ROW, *([MARK] if self.log.rounds and not self.log.has_seats else [])]

    @cached_property
    def unit(self) -> Column:
        """The game of each row."""
        return crossed(*(self.columns[column.name] for column in self.reading.row.game))

    @property
    def game_columns(self) -> set[str]:
        """The columns that name the game."""
        game = self.proposal.keys.get("games.game_id")
        return {name for name in game if isinstance(name, str)} if isinstance(game, list) else set()

    def value(self, column: Column) -> object:
        """Return what stands for a column in a mapping."""
        if column.name in (FILE, ROW):
            return column.name
        return self.signs.get(column.name, column.name)

    def values(self, columns: Iterable[Column]) -> list[object]:
        """Return what stands for columns in a mapping, one after the other."""
        values = map(self.value, columns)
        return [each for value in values for each in (value if isinstance(value, list) else [value])]

    def add_joint(self, column: Column) -> None:
        """Add a column of people whom numbers name only together with their session."""
        parts = [self.columns[name] for name in column.parts]
        signs = [self.signs.get(name, name) for name in column.parts]
        self.signs[column.name] = {"pair": signs} if column.is_pair else signs
        whole = unordered(*parts) if column.is_pair else crossed(*parts)
        self.columns[column.name] = replace(column, codes=whole.codes, levels=whole.levels)

    def set(self, key: str, value: object, why: str = "") -> None:
        """Put something behind a key."""
        self.proposal.keys[key] = value
        if why:
            self.proposal.evidence[key] = why
        if isinstance(value, str):
            self.taken.add(value)
        elif isinstance(value, dict) and "column" in value:
            self.taken.add(str(value["column"]))

    def set_seats(self, key: str, names: Mapping[str, str], why: str = "") -> None:
        """Put the column of each seat behind a key of these."""
        for seat, name in names.items():
            self.set(f"seats.{quoted(seat)}.{key}", name, why)

    def set_found(self, cases: Iterable[Case], holds: Callable[[str], bool] | None = None) -> None:
        """Put the first column that each case finds behind its key, where nothing stands there yet."""
        for case in cases:
            name = None if case.key in self.proposal.keys else self.find(case.patterns, case.fits, holds)
            if name is not None and case.key.endswith(tuple(PAIRS)):
                self.set_answer(case.key, name)
            elif name is not None:
                self.set(case.key, name)

    def set_answer(self, key: str, name: str) -> None:
        """Put a column behind an answer or an end; ask what numbers mean whose column's name does not say it."""
        level = key.rpartition(".")[2]
        column = self.columns[name]
        spelled = levels_by_name(name, level, column.levels)
        if spelled is None and column.has_numbers and 2 <= column.n_levels <= 3:
            accepted, rejected = PAIRS[level]
            ordered = sorted(column.levels, key=lambda word: known_as(word) != "1")
            counts = dict(zip(column.levels, column.sizes.tolist(), strict=True))
            options = [Option(f"{name} = {word} means {accepted}", f"{counts[word]} rows") for word in ordered]
            if place := self.reading.choose("answer", f"What do the numbers of {name} mean?", *options):
                yes = ordered[place - 1]
                spelled = {accepted: [yes], rejected: [word for word in column.levels if word != yes]}
        if spelled:
            self.set(key, name)
            self.proposal.levels[level] = spelled

    def is_free(self, name: str) -> bool:
        """Whether a column stands behind no key yet."""
        return name not in self.taken and name in self.plain

    def is_inside(self, name: str) -> bool:
        """Whether a column is one of the elements of the lists whose elements are the rows."""
        return any(name == one or name.startswith(f"{one}.") for one in self.log.lists)

    def find_all(
        self,
        patterns: Iterable[str],
        fits: Callable[[Column], bool],
        holds: Callable[[str], bool] | None = None,
    ) -> Iterator[str]:
        """Yield the columns that are called so, fit, stand behind no key, and for whose names something holds."""
        for pattern in patterns:
            for name, own in self.plain.items():
                is_open = name not in self.taken and re.fullmatch(pattern, own) is not None
                if is_open and fits(self.columns[name]) and (holds is None or holds(name)):
                    yield name

    def find(
        self, patterns: Iterable[str], fits: Callable[[Column], bool], holds: Callable[[str], bool] | None = None
    ) -> str | None:
        """Return the first of these columns; None for none."""
        return next(self.find_all(patterns, fits, holds), None)

    def is_of_game(self, name: str) -> bool:
        """Whether a column says one thing in each game, or nothing."""
        if self.reading.row.kind in ("alone", "repeated"):
            return True  # each row is a game
        column = self.columns[name]
        both = column.filled & self.unit.filled
        return not varies_within(self.unit.codes[both], column.codes[both])

    def is_nearly_of_game(self, name: str) -> bool:
        """Whether a column says one thing in nearly all games: a few may contradict themselves."""
        if self.is_of_game(name):
            return True
        levels = levels_within(self.unit, self.columns[name])
        levels = levels[levels > 0]
        return len(levels) > 0 and float(np.mean(levels == 1)) >= _MOSTLY

    def varies(self, name: str) -> bool:
        """Whether a column says several things in some game."""
        return not self.is_of_game(name)

    def is_of_person(self, name: str) -> bool:
        """Whether a column says one thing of most people wherever they come again; else it is what they did."""
        people = self.proposal.keys.get("players.participant_id")
        names = people if isinstance(people, list) else [people]
        key = [self.columns[each] for each in names if isinstance(each, str) and each in self.columns]
        if len(key) < len(names) or (person := crossed(*key)).rows_per_level < _LEAST_OF_PERSON:
            return True
        return float(np.mean(levels_within(person, self.columns[name]) <= 1)) > 0.5

    def is_measured_of_game(self, name: str) -> bool:
        """Whether a column says one thing in each game, and is not a condition."""
        return self.is_of_game(name) and not self.is_condition(name)

    def are_unique(self, columns: Sequence[Column]) -> bool:
        """Whether columns name each row together."""
        codes = joint_codes([self.in_all_rows(column) for column in columns])
        return bool((codes >= 0).all()) and int(codes.max()) + 1 == len(codes)

    def orders_of(self, person: Column) -> list[Column]:
        """Return the columns that may number the rows of a person, the likeliest first."""
        order = self.reading.row.order
        crossed = [
            column
            for name, column in self.columns.items()
            if name in self.plain
            and column.name != person.name
            and (column.is_count or is_named(column, "order") or name == MARK)
            and 2 - (name == MARK) < column.n_levels <= 1.5 * self.columns[person.name].sizes.max()
        ]
        return [*([order] if order is not None else []), *crossed]

    def is_condition(self, name: str) -> bool:
        """Whether the reading takes a column for a condition."""
        return any(name in (column.name, *column.aliases) for column in self.reading.roles.conditions)

    def are_roles(self, column: Column) -> bool:
        """Whether a column of seats is called a role, or its seats are called by their roles: buyer and seller."""
        if re.fullmatch(r"(.*_)?role(_?(name|label))?", self.plain.get(column.name, "")):
            return not column.has_numbers
        seats = {english(plain(level)) for level in column.levels}
        return len(seats) > 1 and seats <= ROLES
