"""What the reading of the rows says of a whole table: who repeats, what numbers the rows, sessions, choices, items."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from negstats.loaders.reading.columns import HOLDS, Codes, Column, Numbers
from negstats.loaders.reading.facts import LEAST_LEVELS, MOST_OF_CONDITION, Facts
from negstats.loaders.reading.families import pair_families, words_of_name
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.relations import (
    are_alike_somewhere,
    are_unique_together,
    code_column,
    crossed,
    determines,
    differs_by_chance,
    follows,
    joint_codes,
)
from negstats.loaders.reading.words import is_named, names_session

MOST_WORDS, MOST_FREQUENT_WORDS = 12, 40
FEWEST_OF_ITEM = 20  # rows of a word of many that people were given
_MOST_PARTS = 60  # columns at whose levels others may be missing
_REGULAR = 0.8  # share of the levels within people that a design has equally often
_MOST_ALTERNATIVES = 6
_FEWEST_UNITS = 3  # of a session
_FEWEST_ROUNDS = 2  # of people who meet others
_TOLD_AGAIN = 0.5  # of the games
_MOST_SUMMED, _MOST_COUNTED = 60, 4  # columns that are summed, and levels of those that are counted


@dataclass(eq=False)
class RowFacts:
    """What all columns of a table share once it is known what a row is.

    Attributes
    ----------
    facts : Facts
        Of the table.
    row : Hypothesis
        What a row is.
    chosen : Column or None
        What was taken among alternatives: an outcome.
    series : frozenset of Column
        Columns that stand there once for each of several decisions or items.
    """

    facts: Facts
    row: Hypothesis
    chosen: Column | None = None
    series: frozenset[Column] = frozenset()

    @property
    def is_alone(self) -> bool:
        """Whether each row is a case of its own."""
        return self.row.kind == "alone"

    @cached_property
    def units(self) -> Codes:
        """The game or the person of each row."""
        if self.row.kind in ("seats", "events"):
            return joint_codes(self.row.game)
        return np.arange(self.facts.rows) if self.repeating is None else self.repeating.codes

    @cached_property
    def has_people_again(self) -> bool:
        """Whether one row of two names people of whom each has several such rows."""
        met = self.facts.met
        return met is not None and all(each.rows_per_level >= _FEWEST_ROUNDS for each in met)

    @cached_property
    def repeating(self) -> Column | None:
        """The person of each row where a row is one of several decisions."""
        return self.row.person if self.row.kind == "repeated" else None

    @cached_property
    def people(self) -> Codes | None:
        """The person of each row where people have several."""
        person = self.row.person
        return person.codes if person is not None and not person.is_unique else None

    @property
    def within(self) -> Codes:
        """The person, or else the game, within whose rows a column may vary."""
        return self.people if self.people is not None else self.units

    @cached_property
    def unit_column(self) -> Column:
        """The units as a column."""
        return self.repeating if self.repeating is not None else code_column("unit", self.units)

    def is_told_first(self, column: Column) -> bool:
        """Whether the first row of what happened in a game tells what a column says, and no other row does."""
        if self.row.kind != "events":
            return False
        filled = column.filled & (self.units >= 0)
        _, first_rows = np.unique(self.units, return_index=True)
        is_first = np.zeros(len(self.units), bool)
        is_first[first_rows[self.units[first_rows] >= 0]] = True
        return bool((is_first & filled).sum() > HOLDS * max(is_first.sum(), filled.sum()))

    def is_told_again(self, column: Column) -> bool:
        """Whether most games tell several times what a column says, as they tell no end of theirs."""
        units = self.units[column.filled]
        times = np.bincount(units[units >= 0], minlength=self.unit_column.n_levels)
        return float(np.mean(times > 1)) > _TOLD_AGAIN

    @cached_property
    def parts(self) -> list[Column]:
        """Columns of few levels, at some of which others may be missing."""
        few = [column for column in self.facts.discrete if column.n_levels <= MOST_OF_CONDITION]
        able = [column for column in few if column.n_levels <= 6 or column.rows_per_level >= FEWEST_OF_ITEM]
        return able[:_MOST_PARTS]

    @cached_property
    def evens(self) -> list[Column]:
        """Columns of few levels, each of which stands as often as the others."""
        return [each for each in self.parts if each.is_even and not each.is_source][:MOST_WORDS]

    @cached_property
    def order(self) -> Column | None:
        """What numbers the rows of a person or a game, be it a part of what names the game."""
        in_key = (part for part in self.row.game if part.is_count and is_named(part, "order"))
        return self.row.order or next(in_key, None)

    @cached_property
    def numbering(self) -> Column | None:
        """The column that numbers the units in the order of the study."""
        if self.is_alone:
            return next((column for column in self.facts.columns if column.is_unique and column.is_count), None)
        is_numbered = self.row.kind == "seats" and len(self.row.game) == 1 and self.row.game[0].is_count
        return self.row.game[0] if is_numbered else None

    @cached_property
    def sessions(self) -> list[Column]:
        """The entities that each hold several units, as sessions do."""
        if self.is_alone:
            return []
        return [
            entity
            for entity in self.facts.entities
            if (not entity.has_numbers or names_session(entity))
            and _FEWEST_UNITS * entity.n_levels <= self.unit_column.n_levels
            and determines(self.unit_column, entity)
        ]

    @cached_property
    def choice(self) -> tuple[Column | None, Column | None]:
        """What says which alternative a person takes each time, and the sets of alternatives, if there are any.

        Just one row of each set is taken: a profile of a conjoint study in each of its tasks. One row of two may as
        well be that of a condition, unless the column is called as an outcome or follows what was drawn for each row.
        """
        person = self.repeating
        if person is None:
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
            sets = crossed(person, task)
            if not (sets.is_even and 2 <= sets.rows_per_level <= _MOST_ALTERNATIVES):
                continue
            n_taken = np.bincount(sets.codes[(taken.codes == 1) & sets.filled], minlength=sets.n_levels)
            is_one_of_many = taken.has_numbers and sets.rows_per_level > 2
            if np.mean(n_taken == 1) > HOLDS and (is_one_of_many or self._is_chosen(taken)):
                return taken, sets
        return None, None

    def _is_chosen(self, taken: Column) -> bool:
        """Whether one row of two was taken by a person, and not by those who ran the study."""
        drawn = (each for each in self.facts.discrete if each is not taken and each.n_levels <= MOST_OF_CONDITION)
        return is_named(taken, "outcome") or any(
            follows(taken, each) and differs_by_chance(self.within, each) for each in drawn
        )

    @cached_property
    def items(self) -> list[Column]:
        """What all people met once each, by which their rows are told apart: trials, tasks or pictures."""
        person = self.repeating
        if person is None:
            return []
        able = (each for each in self.facts.discrete if each is not person and each.rows_per_level >= FEWEST_OF_ITEM)
        return [each for each in able if each.n_levels >= LEAST_LEVELS and are_unique_together([person, each])]

    @cached_property
    def _counts(self) -> list[Column]:
        person = self.repeating
        return [] if person is None else [each for each in self.facts.discrete if each.is_count and each is not person]

    @cached_property
    def regular_counts(self) -> list[Column]:
        """The numbers of which each person has each level equally often, as those of blocks and of trials."""
        person = self.repeating
        return [] if person is None else [each for each in self._counts if _is_regular(person, each)]

    @cached_property
    def trial_numbers(self) -> list[Column]:
        """The numbers that may begin anew in blocks: regular ones, and those with gaps or different ends."""
        falling = [each for each in self._counts if bool((np.diff(each.sizes) <= 0).all())]
        alike = [each for each in self._counts if 2 * len(np.unique(each.sizes)) <= each.n_levels]  # but for gaps
        return list(dict.fromkeys([*self.regular_counts, *falling, *alike]))

    @cached_property
    def totals(self) -> list[Numbers]:
        """For each person sums of numbers over their rows, and how often each of a few levels stands in these.

        The last number is that of rows of nobody.
        """
        if self.people is None:
            return []
        people = self.people
        totals = []
        for column in self.facts.columns[:_MOST_SUMMED]:
            if column.numbers is not None:
                totals.append(np.bincount(people + 1, np.nan_to_num(column.numbers)))
            if column.n_levels <= _MOST_COUNTED:
                totals += [np.bincount(people + 1, column.codes == code) for code in range(column.n_levels)]
        return [np.roll(each, -1) for each in totals if np.ptp(each[1:]) > 0]

    @cached_property
    def side_by_side(self) -> tuple[frozenset[Column], frozenset[str]]:
        """What says which of two things side by side was taken, and the columns that describe both.

        The words in which names of several columns differ are what it holds: left, where there are left_ and right_.
        """
        columns = [*self.facts.columns, *self.facts.constants]
        named = pair_families(name for column in columns for name in (column.name, *column.aliases))
        families = [] if self.facts.sides is not None else [family for family in named if len(family.stems) > 1]
        taken, described = set[Column](), set[str]()
        person = self.row.person if self.people is not None else None
        # What was given equally often was set, and nobody's choice; nor is what people have in all their rows.
        able = (each for each in self.facts.columns if each.n_levels == 2 and not each.is_even)
        able = (each for each in able if person is None or not determines(person, each))
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


def _is_regular(person: Column, number: Column) -> bool:
    """Whether most levels of a number that occur in a person occur as often there as in most others."""
    codes = joint_codes([person, number])
    counts = np.bincount(codes[codes >= 0])
    return counts.size > 0 and float(np.mean(counts == np.bincount(counts).argmax())) >= _REGULAR
