"""The facts of a table that all readings of its rows share: columns, entities, what determines what."""

from __future__ import annotations

import itertools
import math
import re
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from negstats.loaders.reading.columns import Column, Flags
from negstats.loaders.reading.families import (
    Family,
    find_copies,
    find_cuts,
    find_members,
    find_spelled_out,
    has_one_sum,
    name_people,
    roles_begun_by,
    seat_stems,
    seats_of_rows,
    who_met,
    words_of_name,
)
from negstats.loaders.reading.relations import (
    are_others,
    are_unique_together,
    code_column,
    determination,
    determines,
    linked_codes,
    partners_among,
)
from negstats.loaders.reading.reused import ids_of_sources
from negstats.loaders.reading.sessions import LEAST_PEOPLE, units_of_sessions
from negstats.loaders.reading.words import are_acts, is_named, names_game, names_session, roles_of

MOST_COMPARED = 150  # columns with levels that are compared with each other, the most regular first
MOST_ENTITIES = 24
MOST_ROWS = 100_000  # that are all looked at; of a longer table whole units are drawn
MOST_DRAWN = 30_000  # rows of these units
_MOST_NAMES = 6  # columns that may name units, whose links are looked for
LEAST_LEVELS = 5  # of an entity
MOST_OF_CONDITION = 8  # levels
FEWEST_ROWS = 20  # below which a table has hardly any structure
_MEASURED = ("outcome", "amount", "time")
_UNIT_ROLES = (("person",), ("game",), ("seat",), ("order", "condition"))
_LEAST_ROWS, _LEAST_ROWS_NAMED = 1.5, 1.2  # of a level of what repeats
_MOSTLY_FILLED = 0.9
_TOLD_BY_KINDS = 0.85  # of where a number stands; some amounts are lost
_MOSTLY_MUTUAL = 0.8  # of those who act are also met, where rows are lost
_LEAST_OF_ACTS = 0.5  # of the rows, in which somebody acts
_LEAST_FILLED = 0.02  # of what is no mere remark
_LEAST_ROWS_OF_TALK = 2.0  # of a unit, between which talk differs


@dataclass(eq=False)
class Facts:
    """The columns of a table, and what follows from them alone.

    Attributes
    ----------
    columns : list of Column
        Those that vary, in the order of their names; of columns that part the rows in the same way one, with aliases.
    constants : list of Column
        Those with one level or none.
    rows : int
        How many rows were looked at.
    whole : dict of str to Column
        All rows of each column, where only some were looked at.
    twins : list of Column
        Numbers that part the rows as another column does, and have so many levels that they are measures of their own.
    complements : list of Column
        Numbers that have one sum with a column of `columns` in all rows: what one side of a pie leaves to the other.
    sides : Family or None
        The columns of the two seats of each row's game, where a row tells of both.
    met : (Column, Column) or None
        The columns that name both who met in each row.
    indexes : list of Column
        Those by which a program has numbered the rows of each file: they name nobody, and nothing is measured by them.
    members : dict of str to str
        For each of three or more seats the column that names who sat there, where a row tells of all of them.
    copies : list of (Column, list of Column)
        Columns, each with those that say again what it says in the other rows of a game; of these nothing is read.
    spelled_out : dict of str to list of Column
        For columns the ones of 0 and 1 that say what level they have; of these nothing is read.
    of_seats : dict of str to list of Column
        For what their names have in common the columns of the single seats, each by itself.
    met_once : list of (Column, Column)
        Those who act and whom they met, who are of one partition where nobody met two.
    """

    columns: list[Column]
    constants: list[Column]
    rows: int
    whole: dict[str, Column] = field(default_factory=dict)
    twins: list[Column] = field(default_factory=list)
    complements: list[Column] = field(default_factory=list)
    sides: Family | None = None
    met: tuple[Column, Column] | None = None
    indexes: list[Column] = field(default_factory=list)
    members: dict[str, str] = field(default_factory=dict)
    copies: list[tuple[Column, list[Column]]] = field(default_factory=list)
    spelled_out: dict[str, list[Column]] = field(default_factory=dict)
    of_seats: dict[str, list[Column]] = field(default_factory=dict)
    _dependents: WeakKeyDictionary[Column, list[Column]] = field(default_factory=WeakKeyDictionary)

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [name for each in [*self.columns, *self.constants] for name in (each.name, *each.aliases)]

    @cached_property
    def words_of_names(self) -> set[str]:
        """The words of all names; a number at the end of a word with it too: player1, player and 1."""
        words = {word for name in self.names for word in words_of_name(name)}
        ends = {end[0] for word in words if (end := re.search(r"[0-9]+$", word))}
        return words | ends | {role for word in words for role in roles_begun_by(word)}

    @cached_property
    def shared_out(self) -> list[Column]:
        """What each row gives to somebody and leaves of it: goods in a cell, or numbers with one sum with others."""
        return [*(column for column in self.columns if column.is_bundle), *self.complements]

    @cached_property
    def acts(self) -> list[Column]:
        """Columns whose words say what somebody did: made an offer, or accepted it."""
        return [column for column in self.discrete if are_acts(column)]

    @cached_property
    def names_of_seats(self) -> frozenset[str]:
        """The columns of single seats, where a row tells of all of them: what they say is of no row alone."""
        return frozenset(each.name for of in self.of_seats.values() for each in of)

    @cached_property
    def people_of_seats(self) -> list[Column]:
        """The columns that name who sat in each seat, where a row tells of all of them."""
        members = {*self.members.values()}
        stems = self.of_seats.items()
        return next((of for stem, of in stems if of[0].name in members or name_people(stem, of[0], of[1])), [])

    @cached_property
    def discrete(self) -> list[Column]:
        """Columns with levels that repeat, the most regular first."""
        columns = [
            column
            for column in self.columns
            if column.n_levels >= 2
            and column.rows_per_level >= self._least_rows(column)
            and not column.is_fractional
            and not column.is_prose
            and column.share_filled > _MOSTLY_FILLED
        ]
        known = ("person", "game", "order", "condition")

        def regularity(column: Column) -> tuple[bool, bool, int, str]:
            has_known_name = is_named(column, *known)
            return not has_known_name, not column.is_even, -column.n_levels, column.name

        return sorted(columns, key=regularity)[:MOST_COMPARED]

    @cached_property
    def entities(self) -> list[Column]:
        """Columns that may name people or games: levels that repeat, five at least."""
        columns = [
            column
            for column in self.discrete
            if column.n_levels >= self.least_levels(column) and not column.is_moment and column not in self.partners
        ]
        columns.sort(key=lambda each: (-(each.is_even + (not each.is_uneven)), -each.n_levels, each.name))
        return columns[:MOST_ENTITIES]

    @cached_property
    def unique(self) -> list[Column]:
        """Columns that name each row, and are not an outcome that happens to differ everywhere."""
        return [
            column
            for column in self.columns
            if column.is_unique
            and not column.is_fractional
            and not column.is_prose
            and column.share_filled > _MOSTLY_FILLED
            and column not in self.partners
            and (is_named(column, "person") or not is_named(column, "outcome", "amount", "time"))
        ]

    @cached_property
    def partners(self) -> frozenset[Column]:
        """Columns that name whom each person met: called as the one of the people is, and more, such as its partner."""
        return partners_among(self.columns)

    @cached_property
    def mutual(self) -> list[tuple[Column, Column]]:
        """Pairs of columns that name people or agents by the same names: who acts, and whom they met."""
        able = [each for each in (*self.discrete, *self.unique) if each.n_levels >= LEAST_PEOPLE]
        able = [each for each in able if not is_named(each, "order")]
        # What one gave and what the other gave change places too.
        able = [each for each in able if not each.has_numbers or each.is_even or is_named(each, "person")]
        pairs = (of for of in itertools.combinations(able, 2) if are_others(*of))
        # Whom one met is called as what was set: an opponent, a partner.
        are_met = {each for each in able if each in self.partners or is_named(each, "condition")}
        return [(other, one) if one in are_met else (one, other) for one, other in pairs]

    @cached_property
    def who_act_and_meet(self) -> list[tuple[Column, Column]]:
        """Pairs of columns of those who act and those whom they met, be it that some rows are lost."""
        able = [column for column in self.entities if not column.has_numbers or is_named(column, "person")]
        nearly = [of for of in itertools.combinations(able, 2) if are_others(*of, _MOSTLY_MUTUAL)]
        return list(dict.fromkeys([*self.mutual, *nearly]))

    def least_levels(self, column: Column) -> int:
        """Return how many levels a column must have to name units."""
        if column.is_source:
            return 2  # a file is a unit, be there two of them
        least = LEAST_PEOPLE if is_named(column, "person") else LEAST_LEVELS
        return 2 if self.is_named_unit(column) else least

    def _least_rows(self, column: Column) -> float:
        """Return how many rows a level of a column must have on average to repeat: of a name, hardly more than one."""
        if not column.is_unique and (column.has_codes or is_named(column, "person")):
            return 1.0
        return _LEAST_ROWS_NAMED if self.is_named_unit(column) else _LEAST_ROWS

    def find_joint(self, column: Column) -> Column | None:
        """Return the column that names people or games by an id and its session or source, if there is one."""
        names = (column.name, *column.aliases)
        return next((other for other in self.columns if other.parts and other.parts[-1] in names), None)

    def is_named_unit(self, column: Column) -> bool:
        """Whether a column of a table that is too short to show much is called as people or games are."""
        return self.rows < FEWEST_ROWS and (is_named(column, "person") or names_game(column))

    def determined_by(self, entity: Column) -> list[Column]:
        """Return the columns with fewer levels that are constant in each level of an entity."""
        if entity not in self._dependents:
            self._dependents[entity] = [
                other
                for other in self.discrete
                if other is not entity and other.n_levels < entity.n_levels and determines(entity, other)
            ]
        return self._dependents[entity]

    @cached_property
    def talk(self) -> list[Column]:
        """Columns that hold what somebody said: sentences in more than a few rows, which differ between a unit's rows.

        What is the same in all rows of a person or a game tells of it, as a subject of study or a scenario does.
        """
        units = [unit for unit in self.entities if unit.rows_per_level >= _LEAST_ROWS_OF_TALK]
        return [
            column
            for column in self.columns
            if column.is_prose
            and not (column.is_dialogue or column.is_form)
            and column.share_filled > _LEAST_FILLED
            and not any(determines(unit, column) for unit in units)
        ]

    def kinds_of_events(self, leave: Iterable[Column | None]) -> list[tuple[Column, Column]]:
        """Return columns of words, each with a column of numbers or goods that stands only at some of these words."""
        left = set(leave)
        partly = [each for each in self.columns if each.has_numbers or each.is_bundle]
        return [pair for pair in self.told_by_kinds(partly) if pair[0] not in left]

    @cached_property
    def who_act_at_times(self) -> list[Column]:
        """Columns of words with levels that repeat, which stand in most rows and only at some kinds of events.

        What a program did has nobody who did it.
        """
        able = [each for each in self.columns if not (each.has_numbers or each.is_bundle or each.is_prose)]
        able = [each for each in able if each not in self.discrete and each.share_filled > _LEAST_OF_ACTS]
        able = [each for each in able if each.rows_per_level >= self._least_rows(each)]
        return [column for column in able if self.told_by_kinds([column])]

    def texts_at_kinds(self) -> list[tuple[Column, Column]]:
        """Return columns of words, each with one of texts that stands only at some of these words."""
        return self.told_by_kinds([each for each in self.columns if each.is_prose])

    def told_by_kinds(self, columns: Iterable[Column]) -> list[tuple[Column, Column]]:
        """Return columns of words, each with one of these columns that stands only at some of the words."""
        partly = [each for each in columns if _LEAST_FILLED < each.share_filled < 0.95 and not each.is_in_some_files]
        return [
            (kind, column)
            for kind in self.discrete
            if 2 <= kind.n_levels <= 12 and not kind.has_numbers
            for column in partly
            if determination(kind, column.presence) > _TOLD_BY_KINDS
        ]


def build_facts(columns: Iterable[Column]) -> Facts:
    """Return the facts of a table out of its columns; those that part the rows alike are merged."""
    all_columns = list(columns)
    whole = {column.name: column for column in all_columns}
    drawn = _draw_units(all_columns)
    if drawn is not None:
        all_columns = [_take(column, drawn) for column in all_columns]
    rows = max((column.rows for column in all_columns), default=0)
    indexes = [column for column in all_columns if column.is_index]
    all_columns = [column for column in all_columns if not column.is_index]
    by_name = {each.name: each for each in all_columns if not each.is_source}
    copies, spelled_out = find_copies(by_name), find_spelled_out(by_name)
    families = (*(of for _, of in copies), *spelled_out.values(), find_cuts(by_name))
    said_again = {each for family in families for each in family}
    all_columns = [each for each in all_columns if each not in said_again]
    varying = sorted((column for column in all_columns if column.n_levels >= 2), key=lambda column: column.name)
    own_columns = {column.name: column for column in all_columns if not column.is_source}
    members = find_members(own_columns)
    sides = None if members else seats_of_rows(own_columns)
    stems = seat_stems(sides, members, own_columns)
    of_sides = {name for of in stems.values() for name in of}
    groups = _group_alike(sorted(varying, key=lambda column: _prominence(column, of_sides)))
    merged = [replace(group[0], aliases=tuple(other.name for other in group[1:])) for group in groups.values()]
    merged += [*units_of_sessions(merged, has_sides=sides is not None), *ids_of_sources(merged)]
    merged.sort(key=lambda column: column.name)
    constants = [column for column in all_columns if column.n_levels < 2]
    twins = [
        column
        for group in groups.values()
        for column in group[1:]
        if column.has_numbers and not (column.is_count and column.is_even) and column.n_levels > MOST_OF_CONDITION
    ]
    complements = [column for group in groups.values() for column in group[1:] if has_one_sum(group[0], column)]
    by_name = {name: each for each in merged if not each.is_source for name in (each.name, *each.aliases)}
    met = who_met(sides, by_name)
    whole = {} if drawn is None else whole
    of_seats = {stem: [own_columns[name] for name in of] for stem, of in stems.items()}
    return Facts(
        merged, constants, rows, whole, twins, complements, sides, met, indexes, members, copies, spelled_out, of_seats
    )


def _group_alike(columns: Iterable[Column]) -> dict[object, list[Column]]:
    """Return columns that part the rows in the same way together; what names each row is never merged."""
    groups: dict[object, list[Column]] = {}
    for column in columns:
        is_own = column.is_unique or column.is_prose or column.is_source
        # Whom people met is not who they are, though each met one person in all their rows.
        alike = groups.get(column.partition, []) if column.n_levels >= LEAST_PEOPLE and not is_own else []
        # Of words some may be lost; numbers that are one more than others may count the same.
        least = 1.0 if column.has_numbers else _MOSTLY_MUTUAL
        is_own = is_own or any(are_others(column, other, 1.0 if other.has_numbers else least) for other in alike)
        groups.setdefault(column.name if is_own else column.partition, []).append(column)
    return groups


def _prominence(column: Column, of_sides: Collection[str]) -> tuple[bool | int | float | str, ...]:
    """Return the place of a column among its twins: what is called as a unit goes first, and what only differs last.

    An age and a time differ, and so does a mean; of an amount and a multiple of it, which may be rounded, the one goes
    first that has fewer digits behind the point, or else is smaller. Of people and games numbers go before words, which
    begin anew nowhere; of a few levels words and amounts go before their numbers. Of two who meet only each other, whom
    columns of both sides name, neither names the game.
    """
    roles = roles_of(column.name)
    is_short = column.n_levels <= MOST_OF_CONDITION
    if not (column.is_count or (is_short and not (column.has_numbers or column.is_moment))):
        roles -= {"order"}  # a moment is called a time
    rank = next((place for place, of in enumerate(_UNIT_ROLES) if not roles.isdisjoint(of)), len(_UNIT_ROLES))
    is_other = rank == len(_UNIT_ROLES) and bool(roles - {"amount"})
    spread = float(np.ptp(column.values)) if column.has_numbers else 0.0
    rank = len(_UNIT_ROLES) if column.name in of_sides else rank
    is_word_of_unit = rank < _UNIT_ROLES.index(("seat",)) and not column.is_run
    is_number = is_short and column.is_count
    is_session = names_session(column)
    kind = (column.is_moment, column.n_decimals, rank + is_other, is_word_of_unit, is_number, not is_session)
    return *kind, spread, column.name


def _take(column: Column, rows: Flags) -> Column:
    """Return a column in the rows that are looked at; what numbers people, rounds or rows goes on numbering these."""
    taken = column.take(rows)
    return replace(taken, level_numbers=np.arange(1.0, taken.n_levels + 1)) if column.is_count else taken


def _draw_units(columns: list[Column]) -> Flags | None:
    """Return which rows of a long table are looked at: all of some units; None for all rows.

    Whole units are drawn, and never rows, so that what repeats goes on repeating. They are those within which the most
    other units lie: people and games with their session, where they have one. Numbers that nothing set may be what was
    measured, of which a part is no sample.
    """
    rows = max((column.rows for column in columns), default=0)
    if rows <= MOST_ROWS:
        return None
    able = [each for each in columns if MOST_OF_CONDITION < each.n_levels <= rows / _LEAST_ROWS]
    able = [each for each in able if not each.is_fractional and each.share_filled > _MOSTLY_FILLED]
    names = [each for each in able if not each.has_numbers or each.is_count]
    names = sorted(names, key=lambda each: (_is_regular(each), each.n_levels, each.name), reverse=True)[:_MOST_NAMES]
    linked = [code_column("", linked_codes(one.codes, other.codes)) for one, other in itertools.combinations(names, 2)]

    def rank(unit: Column) -> tuple[int, bool, bool, int, str]:
        n_within = sum(each is unit or determines(each, unit) for each in names)
        return n_within, _is_regular(unit), not unit.has_numbers or unit.is_count, unit.n_levels, unit.name

    for unit in sorted((*able, *linked), key=rank, reverse=True):
        order = sorted(range(unit.n_levels), key=lambda code: zlib.crc32(unit.levels[code].encode()))
        is_kept = np.cumsum(unit.sizes[order]) <= MOST_DRAWN
        if is_kept.sum() > MOST_OF_CONDITION:
            return np.isin(unit.codes, np.array(order)[is_kept])
    every_nth: Flags = np.arange(rows) % -(-rows // MOST_DRAWN) == 0
    return every_nth


def _is_regular(column: Column) -> bool:
    """Whether the levels of a column have about as many rows."""
    return float(column.sizes.std()) < 0.2 * float(column.sizes.mean())


def size_points(count: int) -> float:
    """Return the points of a number of levels: from -2 of one or two to 3 of 48 and more."""
    return min(max(math.log2(count / 6), -2.0), 3.0) if count else -2.0


def numbers_rounds(column: Column, person: Column) -> bool:
    """Whether a column gives each row of a person a place of its own, as the number of a round does."""
    is_number = column.is_run or is_named(column, "order") or column.is_source or (column.is_whole and column.is_even)
    return is_number and are_unique_together([person, column])
