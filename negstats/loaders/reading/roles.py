"""What each column is once it is known what a row is: a condition, an outcome, a trait, an order, talk, a name.

A column of two to eight levels is scored as a condition. From `SURE` points on it is one; a little below it is an
option of the one question which of the columns the experimenter set.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from negstats.loaders.reading.amounts import OfferReading
from negstats.loaders.reading.columns import HOLDS, Codes, Column
from negstats.loaders.reading.facts import LEAST_LEVELS, MOST_OF_CONDITION, Facts
from negstats.loaders.reading.families import pair_families, words_of_name
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.relations import (
    are_alike_somewhere,
    are_drawn_together,
    are_others,
    are_unique_together,
    begins_anew,
    code_column,
    determines,
    differs_by_chance,
    distinct,
    distinct_pairs,
    follows,
    is_set_within,
    joint_codes,
    levels_within,
)
from negstats.loaders.reading.words import is_named, names_session, roles_of, set_name

AddPoints: TypeAlias = Callable[[float, str], None]
SURE = 2.0  # points from which on a column is a condition
_ASKED, _ASKED_OF_WORDS = -1.0, -3.0  # points above which it is asked about
_LIKELY = 0.5  # points from which on columns are taken for conditions
_MOST_LIKELY = 4  # of them: more say that nothing speaks for any
_UNEQUAL, _FEWEST_UNEQUAL = 5, 20  # times as many units as the rarest level has, and units
_FEWEST_ROWS = 3
_MOST_EXCLUDED = 1 / 3  # of the rows
_MOST_WORDS = 12
_REGULAR = 0.8  # share of the levels within people that a design has equally often
_MOST_ALTERNATIVES = 6
_FEWEST_UNITS = 3  # of a session
_FEWEST_LAGS = 20  # rows that repeat an earlier one
_FEWEST_OF_SCALE = 3  # words, and columns that hold them
_FEWEST_OF_ITEM = 20  # rows of a word of many that people were given


@dataclass
class Roles:
    """The columns by what they are, and the evidence for the conditions."""

    conditions: list[Column] = field(default_factory=list)
    asked: list[tuple[float, Column]] = field(default_factory=list)
    outcomes: list[Column] = field(default_factory=list)
    traits: list[Column] = field(default_factory=list)
    orders: list[Column] = field(default_factory=list)
    flags: list[Column] = field(default_factory=list)
    texts: list[Column] = field(default_factory=list)
    names: list[Column] = field(default_factory=list)
    unread: list[Column] = field(default_factory=list)
    refused: list[Column] = field(default_factory=list)  # which a person has said to be no conditions
    evidence: dict[str, list[str]] = field(default_factory=dict)

    def drop(self, columns: Collection[Column]) -> None:
        """Leave columns unread."""
        self.conditions = [column for column in self.conditions if column not in columns]
        self.outcomes = [column for column in self.outcomes if column not in columns]
        self.asked = [each for each in self.asked if each[1] not in columns]
        self.unread += columns

    def drop_parts(self) -> None:
        """Leave unread what is one thing at each level of a condition: it is a part of it, and came of nothing."""
        sure = [each for each in self.conditions if each.n_levels <= MOST_OF_CONDITION and not each.is_source]
        settings = [
            column
            for column in [*self.outcomes, *(one for _, one in self.asked)]
            if column.n_levels <= MOST_OF_CONDITION
            and any(column.n_levels <= other.n_levels and determines(other, column) for other in sure)
        ]
        self.drop([column for column in dict.fromkeys(settings) if column not in self.conditions])

    @property
    def likely_conditions(self) -> list[Column]:
        """Of the columns that are asked about those that are taken for conditions until somebody answers.

        A study has a condition: where none is sure, these are the columns for which something speaks, and more than for
        any other, as long as they leave something that was measured.
        """
        if any(is_named(column, "condition") for column in self.conditions):
            return [column for points, column in self.asked if points >= SURE]
        most = max((points for points, _ in self.asked), default=0.0)
        is_known = bool(self.conditions) or most >= _LIKELY
        for least in () if most <= 0 else (_LIKELY, most) if is_known else (most,):
            able = [column for points, column in self.asked if points >= least]
            if len(able) <= _MOST_LIKELY:
                return able if is_known or any(column not in able for column in self.outcomes) else []
        return []


@dataclass
class RoleReader:
    """Assigns roles to the columns of one reading of the rows."""

    facts: Facts
    row: Hypothesis
    offer: OfferReading | None
    units: Codes  # the game or the person of each row
    chosen: Column | None = None  # what was taken among alternatives: an outcome
    series: frozenset[Column] = frozenset()  # columns that stand there once for each of several decisions or items

    @property
    def within(self) -> Codes:
        """The person, or else the game, within whose rows a column may vary."""
        return self.people if self.people is not None else self.units

    def __post_init__(self) -> None:
        """Note what does not depend on the column that is looked at."""
        self.roles = Roles()
        person = self.row.person
        self.people: Codes | None = person.codes if person is not None and not person.is_unique else None
        self.unit_column = (
            person if self.row.kind == "repeated" and person is not None else code_column("unit", self.units)
        )
        few = [column for column in self.facts.discrete if column.n_levels <= MOST_OF_CONDITION]
        self.parts = [column for column in few if column.n_levels <= 6 or column.rows_per_level >= _FEWEST_OF_ITEM][:60]
        self.partly_empty = [column for column in self.facts.columns if column.share_filled < 0.98]
        self.order_in_key = next((part for part in self.row.game if part.is_count and is_named(part, "order")), None)
        self.numbering = self._find_numbering()
        self.sessions = self._find_sessions()
        self.choice, self.choice_sets = self._find_choice()

    def read(self) -> Roles:
        """Return the roles of all columns."""
        row = self.row
        used = {*row.game, row.person, row.seat, row.order, row.event}
        of_offer = {self.offer.amount, self.offer.answer} if self.offer else set()
        for column in self.facts.columns:
            if column.parts:
                continue  # it is put together of columns that have roles of their own
            if self._is_measured_name(column):
                self.roles.outcomes.append(column)
            elif column in of_offer or row.game == (column,) or (column in used and not self._may_be_set(column)):
                continue
            else:
                self._assign(column)
                if column in row.game and column in self.roles.conditions and not is_named(column, "condition"):
                    self.roles.conditions.remove(column)
                    self.roles.asked.append((SURE, column))
        for column in self.facts.twins:
            self._assign(column)
        if row.order is not None:
            self.roles.orders.append(row.order)
        if row.kind == "alone":
            self._ask_about_quotas()
        else:
            self._settle_by_conditions()
        # A folder that a column's levels name again says nothing that the column does not.
        own = [column for column in self.roles.conditions if not column.is_source]
        self.roles.conditions = [
            column
            for column in self.roles.conditions
            if not (column.is_source and any(determines(column, one) and determines(one, column) for one in own))
        ]
        # Nor does a session whose people are numbered anew, beside what was set for whole sessions.
        parts = row.person.parts[:-1] if row.person is not None else ()
        sessions = [column for column in self.roles.conditions if column.name in parts]
        if sessions:
            block = code_column("session", joint_codes([each for each in self.facts.columns if each.name in parts]))
            are_labels = any(determines(block, one) for one in own if one not in sessions)
            self.roles.conditions = [
                column for column in self.roles.conditions if column not in sessions or not are_labels
            ]
        # Of files and folders the coarser one is the condition.
        coarser = [column for column in self.roles.conditions if column.is_source]
        self.roles.asked = [
            (points, column)
            for points, column in self.roles.asked
            if not (column.is_source and any(determines(column, other) for other in coarser))
            and not self._names_person(column)
        ]
        return self.roles

    def _names_person(self, column: Column) -> bool:
        """Whether each level of a column is a person with several rows, or their number within a session."""
        person = self.row.person
        if person is None or self.row.kind != "repeated":
            return False
        return column.name in person.parts[-1:] or (determines(column, person) and determines(person, column))

    def _may_be_folder(self, column: Column) -> bool:
        """Whether a column says from which of a few files or folders a row comes, be it in a key or not."""
        return column.is_source and column.n_levels <= MOST_OF_CONDITION

    def _may_be_set(self, column: Column) -> bool:
        """Whether what names games may be a condition too: a folder, or what each person had one of.

        Such a part of a key is called so, or a twin is: of two columns that name the same sessions one may be what was
        set for them.
        """
        if self._may_be_folder(column):
            return True
        is_part = len(self.row.game) > 1 and column in self.row.game
        is_named_so = any("condition" in roles_of(name) for name in (column.name, *column.aliases))
        return is_part and (is_named_so or bool(column.aliases)) and self._is_of_person(column)

    def _is_measured_name(self, column: Column) -> bool:
        """Whether a column that is different in each row is a short number: a name or an outcome, kept as both."""
        is_person = column is self.row.person and self.row.kind in ("alone", "seats")
        if not is_person or not column.is_unique or not column.is_whole or column.is_count:
            return False
        shortest = min(len(str(abs(int(value)))) for value in column.values)
        return shortest < 5 and not (is_named(column, "person") or is_named(column, "game"))

    def _assign(self, column: Column) -> None:
        roles = self.roles
        is_outcome_name = is_named(column, "outcome") or is_named(column, "amount")
        is_name = column.is_unique and not column.is_fractional and (not column.has_numbers or column.is_count)
        taken, described = self._side_by_side
        if column in (self.chosen, self.choice) or column in self.series or column in taken:
            roles.outcomes.append(column)
        elif column.name in described and not column.is_fractional:
            roles.asked.append((_LIKELY, column))
            roles.evidence[column.name] = ["describes one of two things side by side, of which one is taken"]
        elif column.is_count and self._numbers_alternatives(column):
            roles.orders.append(column)
        elif (
            column.is_moment
            or self._numbers_rows(column)
            or self._numbers_others(column)
            or self._repeats_earlier(column)
        ):
            roles.unread.append(column)
        elif (column.is_prose and not self._has_long_levels(column)) or (
            self.row.kind == "events" and is_named(column, "talk") and not (column.has_numbers or column.is_unique)
        ):
            roles.texts.append(column)
        elif self._is_order(column) and self.row.kind != "alone" and not self._is_set_beside(column):
            roles.orders.append(column)
        elif is_name and not (column.has_numbers and is_outcome_name):
            roles.names.append(column)
        elif 2 <= column.n_levels <= MOST_OF_CONDITION and column.rows_per_level >= _FEWEST_ROWS:
            self._assign_by_points(column)
        elif (
            column.is_count and (column.is_even or is_named(column, "order")) and not column.is_unique
        ) and not is_outcome_name:
            roles.orders.append(column)
        elif self._is_of_items(column):
            roles.unread.append(column)
        elif column.has_numbers:
            is_trait = is_named(column, "trait") or (self._is_of_person(column) and not is_outcome_name)
            (roles.traits if is_trait else roles.outcomes).append(column)
        elif column.rows_per_level >= _FEWEST_OF_ITEM and self._are_items(column):
            roles.conditions.append(column)
            roles.evidence[column.name] = ["no person has one of its words twice"]
        elif column.n_levels <= _MOST_WORDS or (
            is_named(column, "condition") and column.rows_per_level >= _FEWEST_ROWS
        ):
            roles.asked.append((0.0, column))
        else:
            roles.unread.append(column)

    def _is_set_beside(self, column: Column) -> bool:
        """Whether a number of few blocks or sessions is what was set for each of them, too."""
        return column.n_levels <= MOST_OF_CONDITION and set_name(column) is not None

    def _is_order(self, column: Column) -> bool:
        """Whether a column is called as an order is and counts, or is a part of one; a time in between is none.

        What people choose of a few numbers is no order, be it called a message: nothing has them equally often.
        """
        if not is_named(column, "order"):
            return self._is_part_of_order(column)
        if is_named(column, "talk"):
            return column.is_even or are_unique_together([self.unit_column, column])
        return column.is_count or (column.is_whole and not is_named(column, "time"))

    def _is_part_of_order(self, column: Column) -> bool:
        """Whether numbers rise with that of a person's rows, and with nothing else: the halves of all trials."""
        order = self.row.order
        if order is None or not column.is_count or is_named(column, "condition") or not determines(order, column):
            return False
        both = order.filled & column.filled
        rows = np.argsort(order.codes[both], kind="stable")
        return bool((np.diff(column.codes[both][rows]) >= 0).all())

    def _numbers_rows(self, column: Column) -> bool:
        """Whether a number names each row by its person's or game's and the row's behind it: 1.1, 1.2, ..., 16.15."""
        unit = self.row.person if self.row.kind == "repeated" else next(iter(self.row.game), None)
        if unit is None or not (column.has_numbers and column.is_unique):
            return False
        rows = zip(column.codes.tolist(), unit.codes.tolist(), strict=True)
        return all(column.levels[code].startswith(f"{unit.levels[of]}.") for code, of in rows if code >= 0 and of >= 0)

    def _repeats_earlier(self, column: Column) -> bool:
        """Whether a number is what another one was in a person's row before: a lag says nothing that that does not."""
        person, order = self.row.person, self.row.order or self.order_in_key
        if person is None or person.is_unique or order is None or column.numbers is None or column.share_filled == 1:
            return False
        rows = np.lexsort((order.codes, person.codes))
        is_next = np.append(False, np.diff(person.codes[rows]) == 0)
        own = column.numbers[rows]
        is_whole = is_next & ~np.isnan(own)
        if is_whole.sum() < _FEWEST_LAGS:
            return False
        for other in self.facts.columns:
            if other is column or other.numbers is None or determines(person, other):
                continue
            earlier = np.append(np.nan, other.numbers[rows][:-1])
            if np.mean(earlier[is_whole] == own[is_whole]) > HOLDS:
                return True
        return False

    def _numbers_others(self, column: Column) -> bool:
        """Whether numbers are those of whom people met: in no row a person's own, or each once in a round of a session.

        What was measured does not take turns so.
        """
        person = self.row.person
        if self.row.kind != "repeated" or person is None or not column.is_whole or self._is_of_person(column):
            return False
        if are_others(column, person):
            return True
        orders = [self.row.order] if self.row.order is not None else self._regular_counts
        parts = [each for each in self.facts.discrete if each.name in person.parts[:-1]]
        is_short = not column.is_run or column.n_levels < LEAST_LEVELS or column in orders
        return bool(parts) and not is_short and any(are_unique_together([*parts, each, column]) for each in orders)

    def _has_long_levels(self, column: Column) -> bool:
        """Whether sentences are the levels of a condition: there are few, and each person or game has one of them."""
        is_between = self.row.kind == "alone" or self._is_of_unit(column) or self._is_of_person(column)
        return column.n_levels <= MOST_OF_CONDITION and column.rows_per_level >= _FEWEST_ROWS and is_between

    def _are_items(self, column: Column) -> bool:
        """Whether a person has several of a column's words, and each once: they were set within people."""
        person = self.row.person
        return self.people is not None and person is not None and are_unique_together([person, column])

    @cached_property
    def _items(self) -> list[Column]:
        """What all people met once each, by which their rows are told apart: trials, tasks or pictures."""
        person = self.row.person
        if self.row.kind != "repeated" or person is None:
            return []
        able = (each for each in self.facts.discrete if each is not person and each.rows_per_level >= _FEWEST_OF_ITEM)
        return [each for each in able if each.n_levels >= LEAST_LEVELS and are_unique_together([person, each])]

    def _is_of_items(self, column: Column) -> bool:
        """Whether a number was set for each item, whoever met it: nobody did it."""
        is_called_done = is_named(column, "outcome") or is_named(column, "amount")
        if not column.has_numbers or is_called_done or self._is_of_person(column):
            return False
        return any(item is not column and self.facts.says_once(item, column) for item in self._items)

    def _is_of_person(self, column: Column) -> bool:
        person = self.row.person
        return self.people is not None and person is not None and self.facts.says_once(person, column)

    def _is_of_unit(self, column: Column) -> bool:
        return self.row.kind != "alone" and self.facts.says_once(self.unit_column, column)

    def _assign_by_points(self, column: Column) -> None:
        """Score a column of few levels as a condition, and put it where its points belong."""
        roles, row = self.roles, self.row
        is_of_person = self._is_of_person(column)
        # A name that the structure contradicts is not believed: a country that changes from trial to trial.
        may_be_trait = is_named(column, "trait") and (row.kind in ("alone", "seats") or is_of_person)
        given = self._absence_of(column)
        # What whole sessions have in common came of no game, whatever is asked at some of its levels only.
        of_sessions = self._session_of(column)
        followers = [other for other in self.partly_empty if other is not column and self._follows(other, column)]
        # What is called a treatment may have questions that one of its levels only is asked.
        is_set = of_sessions is not None or is_named(column, "condition")
        if (given is not None or followers) and is_set_within(self.within, column):
            given = None  # on the pages of which it is a condition
            is_set = is_set or not _are_kinds(column, followers)
        followers = [] if is_set else followers
        points = self._condition_points(column, is_of_person, may_be_trait, given, followers, of_sessions)
        is_measured = column.has_numbers or column.n_levels == 2 or is_named(column, "outcome")
        if self._is_flag(column):
            roles.flags.append(column)
            return
        is_set_beside = self._is_set_beside(column)
        numbers_blocks = self._numbers_blocks(column) and not is_set_beside
        is_spoken_against = (
            self._is_called_outcome(column)
            or self._is_of_scale(column)
            or is_named(column, "person")
            or (is_named(column, "game") and (column.has_numbers or column.n_levels >= LEAST_LEVELS))
            or (is_named(column, "seat") and (row.kind == "events" or (column.is_count and row.kind != "alone")))
            or (column.is_count and names_session(column))
            or numbers_blocks
        )
        least = _ASKED_OF_WORDS if not column.has_numbers or column.n_levels == 2 else _ASKED
        is_open = (
            column.n_levels <= 6
            and not followers
            and given is None
            and not is_named(column, "outcome")
            and not may_be_trait
        )
        if numbers_blocks:
            roles.orders.append(column)
        is_never_likely = is_spoken_against and not is_named(column, "condition") and not self._is_set_beside(column)
        if points >= SURE and not is_never_likely:
            roles.conditions.append(column)
        elif points > _ASKED or (points > least and is_open):
            roles.asked.append((-math.inf if is_never_likely else points, column))
        elif followers and not column.has_numbers and self.people is not None and self._is_drawn(column):
            roles.asked.append((_ASKED, column))  # each condition shows columns of its own, or each kind of page does
        elif may_be_trait or is_of_person:
            roles.traits.append(column)
            return
        else:
            (roles.unread if self._is_of_items(column) else roles.outcomes).append(column)
            return
        may_be_done = is_measured and not (column.is_source or numbers_blocks or self._is_of_items(column))
        if points < SURE and may_be_done:
            roles.outcomes.append(column)

    def _find_choice(self) -> tuple[Column | None, Column | None]:
        """Return what says which alternative a person takes each time, and the sets of alternatives, if there are any.

        Just one row of each set is taken: a profile of a conjoint study in each of its tasks. One row of two may as
        well be that of a condition, unless the column is called as an outcome or follows what was drawn for each row.
        """
        person = self.row.person
        if self.row.kind != "repeated" or person is None:
            return None, None
        tasks = [column for column in self.facts.discrete if column.is_count and column is not person]
        binary = [
            column
            for column in self.facts.discrete
            if column is not self.row.order and (column.is_binary or (column.n_levels == 2 and not column.has_numbers))
        ]
        for task, taken in itertools.product(tasks, binary):
            if task is taken or are_unique_together([person, task]):
                continue
            sets = code_column("set", joint_codes([person, task]))
            if not (sets.is_even and 2 <= sets.rows_per_level <= _MOST_ALTERNATIVES):
                continue
            n_taken = np.bincount(sets.codes[(taken.codes == 1) & sets.filled], minlength=sets.n_levels)
            if np.mean(n_taken == 1) > HOLDS and (
                self._is_chosen(taken) or (taken.has_numbers and sets.rows_per_level > 2)
            ):
                return taken, sets
        return None, None

    def _is_chosen(self, taken: Column) -> bool:
        """Whether one row of two was taken by a person, and not by those who ran the study."""
        drawn = (each for each in self.facts.discrete if each is not taken and each.n_levels <= MOST_OF_CONDITION)
        return is_named(taken, "outcome") or any(
            follows(taken, each) and differs_by_chance(self.within, each) for each in drawn
        )

    def _numbers_alternatives(self, column: Column) -> bool:
        """Whether a number is the place of an alternative in its set."""
        sets = self.choice_sets
        return sets is not None and are_unique_together([sets, column], least=1.0)

    def _is_of_alternatives(self, column: Column, sets: Column) -> bool:
        """Whether alternatives differ in a column, and it is not their place in the set."""
        levels = levels_within(sets, column)
        return float(np.mean(levels > 1)) > 0.2 and not self._numbers_alternatives(column)

    @cached_property
    def _regular_counts(self) -> list[Column]:
        """The numbers of which each person has each level equally often, as those of blocks and of trials."""
        person = self.row.person
        if self.row.kind != "repeated" or person is None:
            return []
        return [
            each for each in self.facts.discrete if each.is_count and each is not person and _is_regular(person, each)
        ]

    @cached_property
    def _trial_numbers(self) -> list[Column]:
        """The numbers that may begin anew in blocks: regular ones, and those with gaps or different ends."""
        person = self.row.person
        counts = [each for each in self.facts.discrete if each.is_count and each is not person]
        falling = [each for each in counts if bool((np.diff(each.sizes) <= 0).all())]
        alike = [each for each in counts if 2 * len(np.unique(each.sizes)) <= each.n_levels]  # but for gaps
        return list(dict.fromkeys([*self._regular_counts, *falling, *alike]))

    def _numbers_blocks(self, column: Column) -> bool:
        """Whether a number may be that of a block: another one, of trials, begins anew at each for each person."""
        person = self.row.person
        if self.row.kind != "repeated" or person is None or not column.is_count or self._is_of_person(column):
            return False
        inner = [
            each
            for each in self._trial_numbers
            if each is not column
            and are_unique_together([person, column, each])
            and not are_unique_together([person, each])
        ]
        if any(each is column for each in self._regular_counts):
            return bool(inner)
        blocks = code_column("block", joint_codes([person, column]))  # of different length
        return any(begins_anew(each, blocks) for each in inner)

    @cached_property
    def _side_by_side(self) -> tuple[frozenset[Column], frozenset[str]]:
        """What says which of two things side by side was taken, and the columns that describe both.

        The words in which names of several columns differ are what it holds: left, where there are left_ and right_.
        """
        columns = [*self.facts.columns, *self.facts.constants]
        named = pair_families(name for column in columns for name in (column.name, *column.aliases))
        families = [] if self.facts.sides is not None else [family for family in named if len(family.stems) > 1]
        taken, described = set[Column](), set[str]()
        # What was given equally often was set, and nobody's choice.
        able = (each for each in self.facts.columns if each.n_levels == 2 and not each.is_even)
        for column in able:
            words = {"_".join(words_of_name(level)) for level in column.levels}
            for family in (each for each in families if set(each.words) == words):
                names = {name for of in family.stems.values() for name in of}
                sides = (each for each in self.facts.columns if each.name in names)
                if column.has_numbers and not are_alike_somewhere(sides, column):
                    continue  # any two groups are called 1 and 2: what is taken depends on both sides
                taken.add(column)
                described |= names
        return frozenset(taken), frozenset(described)

    def _is_drawn(self, column: Column) -> bool:
        """Whether people have the levels of a column as often as each other, by a design or but for chance."""
        return is_set_within(self.within, column) or differs_by_chance(self.within, column)

    def _is_flag(self, column: Column) -> bool:
        """Whether a column may say which rows are no good: it is called so, and few rows are."""
        is_rare = column.sizes.min() < _MOST_EXCLUDED * column.n_filled
        return is_named(column, "noise") and column.n_levels <= 4 and bool(is_rare)

    def _condition_points(
        self,
        column: Column,
        is_of_person: bool,
        may_be_trait: bool,
        given: Column | None,
        followers: list[Column],
        of_sessions: Column | None,
    ) -> float:
        evidence: list[str] = []
        total = 0.0

        def add(points: float, reason: str) -> None:
            nonlocal total
            total += points
            evidence.append(f"{reason} ({points:+.1f})" if points else reason)

        if column.share_filled < 0.9:
            add(-1.5, "often missing")
        is_of_unit = self._is_of_unit(column)
        is_between = self.row.kind == "alone" or is_of_unit or is_of_person
        is_by_chance = not is_between and self.people is not None and differs_by_chance(self.within, column)
        if is_between:
            self._add_between(column, is_of_person, is_of_unit, add)
        elif is_set_within(self.within, column):
            add(3.0, "each unit has each level as often")
        elif self.choice_sets is not None and self._is_of_alternatives(column, self.choice_sets):
            add(3.0, "alternatives of one choice differ in it")
        elif is_by_chance:
            add(0.0, "varies within units, alike in all but for chance")
        else:
            add(-2.0, "varies within units, not by design")
        if not column.has_numbers:
            add(0.5, "words")
        elif column.n_levels > 2 and not is_between and total > 2 and not self._is_set_beside(column):
            add(-1.2, "numbers that vary within units")
        elif column.is_binary and not (is_of_unit or is_of_person or is_by_chance):
            add(-0.5, "zero and one")
        if column.has_numbers and column.n_levels > 4 and not is_by_chance:
            add(-1.5, "a scale")
        if given is not None:
            add(-4.0, f"it is missing at a level of {given.name}")
        if followers:
            add(-4.0, f"{followers[0].name} is missing where it has one level")
        if of_sessions is not None:
            is_setting = column.has_numbers and not column.is_binary  # a fee, or how many rounds there are
            add(0.5 if is_setting else 1.5, f"one in each {of_sessions.name} of several units")
        if column.is_source and all(re.search(r"\d", level) for level in column.levels):
            add(-1.5, "numbered sources: sessions?")
        of_names = self._name_points(column, may_be_trait)
        if of_names:
            add(of_names, "its name")
        # Lone cases are often written down condition by condition: there only what looks like sessions is one.
        is_order_of_study = self.row.kind != "alone" or column.has_numbers or column.has_codes
        if self.numbering is not None and column is not self.numbering and is_order_of_study:
            order = np.argsort(self.numbering.codes, kind="stable")
            runs = 1 + int((np.diff(column.codes[order]) != 0).sum())
            if runs <= column.n_levels + 0.02 * self.facts.rows:
                add(-1.5, f"in blocks of {self.numbering.name}: a session?")
        self.roles.evidence[column.name] = evidence
        return total

    def _add_between(self, column: Column, is_of_person: bool, is_of_unit: bool, add: AddPoints) -> None:
        """Add the points of a column that is one thing in each unit: how equally often its levels were given."""
        counts = np.sort(self._counts_of_units(column, is_of_person))[::-1]
        text = " / ".join(str(count) for count in counts[:4])
        others = self._crossed_with(column)
        are_drawn = len(others) > 1  # one other may be so by chance, or be a seat
        if counts.max() - counts.min() <= max(1, 0.02 * counts.max()):
            add(2.0, f"given equally often: {text}")
        elif are_drawn:
            add(1.5, text)
        elif counts.sum() >= _FEWEST_UNEQUAL and counts.max() > _UNEQUAL * counts[counts > 0].min():
            add(-0.5, f"given unequally: {text}")
        else:
            add(0.5 if is_of_unit or is_of_person else 0.0, f"one in each unit: {text}")
        if are_drawn:
            add(0.5, f"with each level of {' and of '.join(others[:2])} as often")

    def _counts_of_units(self, column: Column, is_of_person: bool) -> Codes:
        """Return to how many units each level was given."""
        whole = self.facts.whole
        person = self.row.person
        if self.row.kind == "alone":
            codes = column.codes
        elif person is not None and person.name in whole and is_of_person:
            # Of a long table the drawn people are not a balanced sample of a balanced design.
            people, levels = whole[person.name], whole[column.name]
            return np.bincount(distinct_pairs(people, levels) % levels.n_levels, minlength=levels.n_levels)
        else:
            units = self.people if is_of_person and self.people is not None else self.units
            _, first_rows = np.unique(units, return_index=True)
            codes = column.codes[first_rows]
        return np.bincount(codes[codes >= 0], minlength=column.n_levels)

    def _name_points(self, column: Column, may_be_trait: bool) -> float:
        is_against = may_be_trait or self._is_called_outcome(column) or is_named(column, "amount")
        points = 1.5 * is_named(column, "condition") - 1.5 * is_against
        return points - is_named(column, "time") - self._is_flag(column)

    def _is_of_scale(self, column: Column) -> bool:
        """Whether several columns hold the same words, as answers to the items of one scale do."""
        if column.has_numbers or column.n_levels < _FEWEST_OF_SCALE:
            return False
        return sum(each.levels == column.levels for each in self.facts.columns) >= _FEWEST_OF_SCALE

    def _is_called_outcome(self, column: Column) -> bool:
        """Whether a column is called as an outcome is, and was not drawn as often with each level of others."""
        return is_named(column, "outcome") and len(self._crossed_with(column)) <= 1

    def _absence_of(self, column: Column) -> Column | None:
        """Return the column at whose levels this one is missing, if there is one."""
        if column.share_filled >= 0.98:
            return None
        others = (other for other in self.parts if other is not column)
        return next((other for other in others if self.facts.is_missing_by(column, other)), None)

    def _session_of(self, column: Column) -> Column | None:
        """Return what holds several units, and one level of the column each: a session."""
        return next((session for session in self.sessions if column in self.facts.determined_by(session)), None)

    def _follows(self, other: Column, column: Column) -> bool:
        return column in self.parts and self.facts.is_missing_by(other, column)

    def _find_sessions(self) -> list[Column]:
        """Return the entities that each hold several units, as sessions do."""
        if self.row.kind == "alone":
            return []
        return [
            entity
            for entity in self.facts.entities
            if (not entity.has_numbers or names_session(entity))
            and _FEWEST_UNITS * entity.n_levels <= self.unit_column.n_levels
            and determines(self.unit_column, entity)
        ]

    def _find_numbering(self) -> Column | None:
        """Return the column that numbers the units in the order of the study."""
        if self.row.kind == "alone":
            return next((column for column in self.facts.columns if column.is_unique and column.is_count), None)
        is_numbered = self.row.kind == "seats" and len(self.row.game) == 1 and self.row.game[0].is_count
        return self.row.game[0] if is_numbered else None

    def _settle_by_conditions(self) -> None:
        """Settle columns that are asked about by what is sure: a design crosses its factors, what was done follows.

        What each unit has as often at each level of a condition was set too.
        """
        roles = self.roles
        sure = [column for column in roles.conditions if not column.is_source]
        settled = set[Column]()
        for points, column in roles.asked:
            if self._is_of_unit(column) or self._is_of_person(column) or column.is_source or points >= SURE:
                continue
            if points > 0 and any(self._is_crossed(column, other) for other in sure):
                roles.conditions.append(column)
                roles.outcomes = [other for other in roles.outcomes if other is not column]
                reason = "and at each level of another condition as often"
            elif self._is_of_items(column):
                reason = "set for each item"
            elif (other := next((one for one in sure if follows(column, one)), None)) is not None:
                roles.outcomes.append(column)
                reason = f"differs with {other.name}"
            else:
                continue
            settled.add(column)
            roles.evidence.setdefault(column.name, []).append(reason)
        roles.asked = [each for each in roles.asked if each[1] not in settled]
        roles.outcomes = list(dict.fromkeys(roles.outcomes))
        roles.drop_parts()

    @cached_property
    def evens(self) -> list[Column]:
        """Columns of few levels, each of which stands as often as the others."""
        return [each for each in self.parts if each.is_even and not each.is_source][:_MOST_WORDS]

    def _crossed_with(self, column: Column) -> list[str]:
        """Return the names of the columns whose levels lone cases have as often with each level of another."""
        if self.row.kind != "alone":
            return []
        return [each.name for each in self.evens if each is not column and are_drawn_together(column, each)]

    def _is_crossed(self, column: Column, other: Column) -> bool:
        """Whether units have each pair of levels of two columns as often."""
        if not (is_set_within(self.within, column) and is_set_within(self.within, other)):
            return False
        pairs = code_column("", joint_codes([column, other]))
        return pairs.n_levels == column.n_levels * other.n_levels and is_set_within(self.within, pairs)

    def _ask_about_quotas(self) -> None:
        """Ask about two columns of which only their balance speaks: one may be a quota, such as of sex."""
        bare = [
            column for column in self.roles.conditions if not is_named(column, "condition") and not column.is_source
        ]
        if len(bare) > 1:
            self.roles.asked += [(SURE, column) for column in bare]
            self.roles.conditions = [column for column in self.roles.conditions if column not in bare]


def _is_regular(person: Column, number: Column) -> bool:
    """Whether most levels of a number that occur in a person occur as often there as in most others."""
    codes = joint_codes([person, number])
    counts = np.bincount(codes[codes >= 0])
    return counts.size > 0 and float(np.mean(counts == np.bincount(counts).argmax())) >= _REGULAR


def _are_kinds(column: Column, followers: Sequence[Column]) -> bool:
    """Whether two levels have columns of their own, which stand at no other: kinds of pages or of events."""
    levels = {frozenset(distinct(column.codes[each.filled & column.filled]).tolist()) for each in followers}
    return any(one.isdisjoint(other) for one, other in itertools.combinations(levels, 2))
