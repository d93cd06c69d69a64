"""What can be said of one column once it is known what a row is: how it lies over units, what it numbers or repeats."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from negstats.loaders.reading.columns import HOLDS, Codes, Column
from negstats.loaders.reading.facts import LEAST_LEVELS, MOST_OF_CONDITION
from negstats.loaders.reading.relations import (
    are_drawn_together,
    are_others,
    are_sampled,
    are_unique_together,
    begins_anew,
    crossed,
    determines,
    differs_by_chance,
    distinct,
    distinct_pairs,
    is_missing_by,
    is_set_within,
    levels_within,
    steps_within,
    tells_rows,
)
from negstats.loaders.reading.row_facts import FEWEST_OF_ITEM, RowFacts
from negstats.loaders.reading.sessions import LEAST_PEOPLE
from negstats.loaders.reading.spellings import NO, YES, answer_of, known_as
from negstats.loaders.reading.words import holds_sexes, is_named, names_game, names_session, set_name

Lie: TypeAlias = Literal[
    "equally", "drawn", "unequally", "once", "within", "alternatives", "by chance", "of items", "freely"
]
_UNEQUAL, _FEWEST_UNEQUAL = 5, 20  # times as many units as the rarest level has, and units
FEWEST_ROWS = 3  # of a level
_MOST_EXCLUDED = 1 / 3  # of the rows
_FEWEST_LAGS = 20  # rows that repeat an earlier one
_RARE_ALTERNATIVE = 2  # times as many rows as the rarest level has
_FEWEST_OF_SCALE = 3  # words, and columns that hold them
_FEWEST_OF_CLOCK, _RUNS_ON = 20, 0.99  # levels, steps, and the share of the steps that lead on
_OF_BLOCKS = 0.02  # of the rows may stand outside of their block


@dataclass(eq=False)
class ColumnFacts:
    """One column beside the reading of the rows.

    Attributes
    ----------
    column : Column
        The column.
    of : RowFacts
        What all columns of the table share.
    """

    column: Column
    of: RowFacts

    def is_named(self, *roles: str) -> bool:
        """Whether a word of the column's name is one of some role's words."""
        return is_named(self.column, *roles)

    # How the levels lie over people and games.

    @cached_property
    def is_of_person(self) -> bool:
        """Whether each person has one level."""
        person = self.of.row.person
        return self.of.people is not None and person is not None and determines(person, self.column)

    @cached_property
    def is_of_unit(self) -> bool:
        """Whether each game, or each person with several decisions, has one level."""
        return not self.of.is_alone and (determines(self.of.unit_column, self.column) or self.is_told_first)

    @property
    def is_of_repeating_person(self) -> bool:
        """Whether each person with several decisions has one level."""
        return self.is_of_person and self.of.repeating is not None

    @property
    def is_own(self) -> bool:
        """Whether each person has one level that is theirs: what is one thing of each game came of the game."""
        return self.is_of_person and not (self.of.row.kind == "events" and self.is_of_unit)

    @property
    def is_between(self) -> bool:
        """Whether the levels lie between units, and not within them."""
        return self.of.is_alone or self.is_of_unit or self.is_of_person

    @cached_property
    def is_set_within(self) -> bool:
        """Whether units have the levels equally often, or all the same number of each."""
        return is_set_within(self.of.within, self.column)

    @cached_property
    def is_by_chance(self) -> bool:
        """Whether people differ in the shares of the levels no more than chance allows."""
        return not self.is_between and self.of.people is not None and differs_by_chance(self.of.within, self.column)

    @property
    def is_drawn_for_people(self) -> bool:
        """Whether people have the levels as often as each other, by a design or but for chance."""
        return self.is_set_within or differs_by_chance(self.of.within, self.column)

    @cached_property
    def lie(self) -> Lie:
        """How the levels lie: between units, and how equally; or within them, and how regularly."""
        if not self.is_between:
            if self.is_set_within:
                return "within"
            sets = self.of.choice[1]
            if sets is not None and self._is_of_alternatives(sets):
                return "alternatives"
            if self.is_by_chance:
                return "by chance"
            return "freely" if self.item is None else "of items"
        counts = self.unit_counts
        if counts.max() - counts.min() <= max(1, 0.02 * counts.max()):
            return "equally"
        if self.is_crossed:
            return "drawn"
        is_unequal = counts.sum() >= _FEWEST_UNEQUAL and counts.max() > _UNEQUAL * counts[counts > 0].min()
        return "unequally" if is_unequal else "once"

    @cached_property
    def item(self) -> Column | None:
        """What each person meets as often, several times, and each time with one level of the column: whom one met.

        What somebody decides anew each time hardly ever stays the same.
        """
        person = self.of.repeating
        if person is None or self.is_of_person or not self.has_levels:
            return None
        for each in self.of.facts.discrete:
            if each in (person, self.column) or each.n_levels < LEAST_LEVELS or is_named(each, "order"):
                continue
            cells = crossed(person, each)
            if cells.rows_per_level >= 2 and cells.is_even and determines(cells, self.column):
                return each
        return None

    @property
    def is_regular(self) -> bool:
        """Whether the levels vary within units by a design, and the cells are filled."""
        return self.lie in ("within", "alternatives") and self.column.share_filled >= 0.9

    @cached_property
    def unit_counts(self) -> Codes:
        """To how many units each level was given, the largest number first."""
        return np.sort(self._count_units())[::-1]

    @property
    def has_lone_number(self) -> bool:
        """Whether one of its numbers was given to one unit alone, and others to several: it came of what they did."""
        return self.column.has_numbers and int(self.unit_counts[0]) > 1 == int(self.unit_counts[-1])

    @property
    def unit_text(self) -> str:
        """The first of these numbers in words."""
        return " / ".join(str(count) for count in self.unit_counts[:4])

    def _count_units(self) -> Codes:
        of, column, whole = self.of, self.column, self.of.facts.whole
        person = of.row.person
        if of.is_alone:
            codes = column.codes
        elif person is not None and person.name in whole and self.is_of_person:
            # Of a long table the drawn people are not a balanced sample of a balanced design.
            people, levels = whole[person.name], whole[column.name]
            return np.bincount(distinct_pairs(people, levels) % levels.n_levels, minlength=levels.n_levels)
        else:
            units = of.people if self.is_of_person and of.people is not None else of.units
            # What one seat has is empty in the rows of the other.
            filled, codes = column.filled & (units >= 0), column.codes
            _, first_rows = np.unique(units[filled], return_index=True)
            codes = codes[filled][first_rows]
        return np.bincount(codes[codes >= 0], minlength=column.n_levels)

    @cached_property
    def crossed_with(self) -> list[str]:
        """The names of the columns with each level of which lone cases have its levels as often."""
        if not self.of.is_alone:
            return []
        others = (each for each in self.of.evens if each is not self.column)
        return [each.name for each in others if are_drawn_together(self.column, each)]

    @property
    def is_crossed(self) -> bool:
        """Whether there are several of these: one may be so by chance, or be a seat."""
        return len(self.crossed_with) > 1

    def is_crossed_within(self, other: Column) -> bool:
        """Whether units have each pair of levels of this column and another as often."""
        if not (self.is_set_within and is_set_within(self.of.within, other)):
            return False
        pairs = crossed(self.column, other)
        return pairs.n_levels == self.column.n_levels * other.n_levels and is_set_within(self.of.within, pairs)

    # What is missing where.

    @cached_property
    def absent_at(self) -> Column | None:
        """The column at some levels of which this one is missing; none where this is a condition of other pages."""
        if self.column.share_filled >= 0.98 or self.is_set_within:
            return None
        others = (other for other in self.of.parts if other is not self.column)
        other = next((other for other in others if is_missing_by(self.column, other)), None)
        # What one seat has is missing in the rows of the other: it is of that seat, and stands in all of its rows.
        is_of_games = self.of.row.kind == "events" and self.is_of_unit
        is_of_seat = is_of_games and (
            other is self.of.row.seat or self.of.is_told_again(self.column) or self.is_told_first
        )
        return None if is_of_seat else other

    @cached_property
    def is_told_first(self) -> bool:
        """Whether the first row of a game alone tells it: what was set, as a header does."""
        return self.of.is_told_first(self.column)

    @cached_property
    def followers(self) -> list[Column]:
        """The columns that are missing at some levels of this one, which came about and was not set.

        What whole sessions have in common came of no game, and what is called a treatment may have questions that one
        of its levels only is asked. Nor did what people have equally often, but for kinds of pages or events.
        """
        if self.session is not None or self.is_named("condition") or self.column not in self.of.parts:
            return []
        others = (each for each in self.of.facts.columns if each.share_filled < 0.98 and each is not self.column)
        followers = [each for each in others if is_missing_by(each, self.column)]
        return [] if self.is_set_within and not _are_kinds(self.column, followers) else followers

    @cached_property
    def fixed(self) -> Column | None:
        """The number that is one at one of the levels, and never the same at others: nothing without a deal."""
        column = self.column
        if not self.has_levels or self.is_named("condition") or self.is_set_within:
            return None
        for number in self.of.facts.columns:
            if not number.has_numbers or number.n_levels <= MOST_OF_CONDITION or number is column:
                continue
            if number.share_filled == 1 and number.sizes.max() < column.sizes.min():
                continue  # none of its values fills a level
            levels, values = np.divmod(distinct_pairs(column, number), number.n_levels)
            alone = values[np.isin(levels, np.flatnonzero(np.bincount(levels, minlength=column.n_levels) == 1))]
            if len(alone) == 1 and int((values == alone[0]).sum()) == 1:
                return number
        return None

    @cached_property
    def session(self) -> Column | None:
        """What holds several units, and one level of the column each."""
        able = (each for each in self.of.sessions if self.column in self.of.facts.determined_by(each))
        return next(able, None)

    # What the column numbers, names, repeats or describes.

    @cached_property
    def is_total(self) -> bool:
        """Whether a number of each person adds up, or counts, what stands in their rows: it came of what they did."""
        numbers, people = self.column.numbers, self.of.people
        if numbers is None or people is None or self.column.n_levels < LEAST_LEVELS or not self.is_of_person:
            return False
        is_told = self.column.filled & (people >= 0)
        own, own_people = numbers[is_told], people[is_told]
        return any(np.isclose(own, total[own_people]).mean() > HOLDS for total in self.of.totals)

    @property
    def is_taken(self) -> bool:
        """Whether it says which of several things was taken, or is one of several decisions side by side."""
        of, column = self.of, self.column
        return column in (of.chosen, of.choice[0]) or column in of.series or column in of.side_by_side[0]

    @property
    def is_described(self) -> bool:
        """Whether it describes one of two things side by side."""
        return self.column.name in self.of.side_by_side[1] and not self.column.is_fractional

    @property
    def numbers_alternatives(self) -> bool:
        """Whether a number is the place of an alternative in its set."""
        sets = self.of.choice[1]
        return sets is not None and are_unique_together([sets, self.column], least=1.0)

    def _is_of_alternatives(self, sets: Column) -> bool:
        """Whether alternatives differ in a column, and it is not their place in the set."""
        return float(np.mean(levels_within(sets, self.column) > 1)) > 0.2 and not self.numbers_alternatives

    @property
    def is_rare_alternative(self) -> bool:
        """Whether alternatives differ in a column of which one level stands seldom beside the others."""
        sizes = self.column.sizes
        return self.lie == "alternatives" and bool(sizes.max() > _RARE_ALTERNATIVE * sizes.min())

    @property
    def is_said_to_people(self) -> bool:
        """Whether two texts, each given as often, are called a participant: these are fewer than people would be."""
        is_text = not self.column.has_numbers and self.column.n_levels < LEAST_PEOPLE
        return is_text and self.is_named("person") and self.lie in ("equally", "drawn", "within")

    @property
    def numbers_rows(self) -> bool:
        """Whether a number names each row by its person's or game's and the row's behind it: 1.1, 1.2, ..., 16.15."""
        column, row = self.column, self.of.row
        unit = row.person if row.kind == "repeated" else next(iter(row.game), None)
        if unit is None or not (column.has_numbers and column.is_unique):
            return False
        rows = zip(column.codes.tolist(), unit.codes.tolist(), strict=True)
        return all(column.levels[code].startswith(f"{unit.levels[of]}.") for code, of in rows if code >= 0 and of >= 0)

    @property
    def ends_names(self) -> bool:
        """Whether each person's name is that of a group and the level of the column: 101b of group 101 and member b."""
        person, column = self.of.row.person, self.column
        if person is None or not self.is_of_person or not self.has_levels:
            return False
        _, first_rows = np.unique(person.codes, return_index=True)
        rows = first_rows[person.codes[first_rows] >= 0]
        names, ends = ([each.levels[each.codes[row]] for row in rows] for each in (person, column))
        if not all(name.endswith(end) and len(name) > len(end) for name, end in zip(names, ends, strict=True)):
            return False
        stems = [name.removesuffix(end).rstrip("_-. ") for name, end in zip(names, ends, strict=True)]
        groups = (each for each in self.of.facts.determined_by(person) if each.n_levels > column.n_levels)
        return any([group.levels[group.codes[row]] for row in rows] == stems for group in groups)

    @property
    def numbers_members(self) -> bool:
        """Whether it counts the three or more people of each group, of whom each has several rows and one number."""
        person, column = self.of.repeating, self.column
        if person is None or column.n_levels < LEAST_PEOPLE or not (column.is_count and self.is_of_person):
            return False
        groups = (each for each in self.of.facts.determined_by(person) if each.n_levels >= LEAST_LEVELS)
        members = (crossed(group, column) for group in groups if not determines(group, column))
        return any(each.n_levels == person.n_levels and determines(each, person) for each in members)

    @property
    def numbers_games(self) -> bool:
        """Whether it counts groups of a session, which it names with other columns: more than two, or called groups."""
        column, game = self.column, self.of.row.game
        if column.is_count and any(each.numbers_parts and determines(each, column) for each in game):
            return True  # of a group 2.1 it is the 2
        return len(game) > 1 and column in game and column.is_count and (column.n_levels > 2 or names_game(column))

    @property
    def numbers_seats(self) -> bool:
        """Whether it counts, no two rows of a game have the same number, and whoever repeats always has theirs."""
        column, row = self.column, self.of.row
        if row.kind != "seats" or self.of.people is None or not (column.is_count and self.is_of_person):
            return False
        return are_unique_together([*row.game, column])

    @property
    def runs_on(self) -> bool:
        """Whether numbers of what happened in a game rise from row to row, by steps that differ: a clock, of no unit.

        What is offered goes up and down, what is counted rises by steps of one, and what is bid begins anywhere.
        """
        column, unit = self.column, self.of.unit_column
        if not column.has_numbers or self.of.row.kind != "events" or column.n_levels < _FEWEST_OF_CLOCK:
            return False
        if not (column.is_unique or self.is_named("time", "order") or tells_rows(unit, column)):
            return False
        steps = steps_within(unit, column, None)
        return len(steps) >= _FEWEST_OF_CLOCK and bool(np.mean(steps > 0) > _RUNS_ON and np.ptp(steps) > 0)

    @property
    def numbers_others(self) -> bool:
        """Whether names are those of whom people met: in no row their own, or each once in a round of a session.

        What was measured does not take turns so.
        """
        column, person = self.column, self.of.repeating
        if self.of.row.person is not None and are_others(column, self.of.row.person):
            return True
        if person is None or not column.is_whole or self.is_of_person:
            return False
        orders = [self.of.row.order] if self.of.row.order is not None else self.of.regular_counts
        parts = [each for each in self.of.facts.discrete if each.name in person.parts[:-1]]
        is_short = not column.is_run or column.n_levels < LEAST_LEVELS or column in orders
        return bool(parts) and not is_short and any(are_unique_together([*parts, each, column]) for each in orders)

    @property
    def repeats_earlier(self) -> bool:
        """Whether a number is what another one was in a person's row before: a lag says nothing that that does not."""
        column, person, order = self.column, self.of.row.person, self.of.order
        if person is None or person.is_unique or order is None or column.numbers is None or column.share_filled == 1:
            return False
        rows = np.lexsort((order.codes, person.codes))
        is_next = np.append(False, np.diff(person.codes[rows]) == 0)
        own = column.numbers[rows]
        is_whole = is_next & ~np.isnan(own)
        if is_whole.sum() < _FEWEST_LAGS:
            return False
        for other in self.of.facts.columns:
            if other is column or other.numbers is None or determines(person, other):
                continue
            earlier = np.append(np.nan, other.numbers[rows][:-1])
            if np.mean(earlier[is_whole] == own[is_whole]) > HOLDS:
                return True
        return False

    @property
    def is_order(self) -> bool:
        """Whether it is called as an order is and counts, or is a part of one; a time in between is none.

        What people choose of a few numbers is no order, be it called a message: nothing has them equally often. Nor is
        what each person has one of: it says in which order they had what was set.
        """
        column = self.column
        if self.is_of_repeating_person or self._tells_two_rows_apart:
            return False
        if not self.is_named("order"):
            return self._is_part_of_order
        if self.is_named("talk"):
            return column.is_even or are_unique_together([self.of.unit_column, column])
        return column.is_count or (column.is_whole and not self.is_named("time"))

    @property
    def _tells_two_rows_apart(self) -> bool:
        """Whether each person has two rows that it tells apart: before and after are compared."""
        person = self.of.repeating
        return person is not None and self.column.n_levels == 2 and are_unique_together([person, self.column])

    @property
    def _is_part_of_order(self) -> bool:
        """Whether numbers rise with that of a person's rows, and with nothing else: the halves of all trials."""
        order, column = self.of.row.order, self.column
        if order is None or not column.is_count or self.is_named("condition") or not determines(order, column):
            return False
        both = order.filled & column.filled
        rows = np.argsort(order.codes[both], kind="stable")
        return bool((np.diff(column.codes[both][rows]) >= 0).all())

    @cached_property
    def numbers_blocks(self) -> bool:
        """Whether a number may be that of a block: another one, of trials, begins anew at each for each person."""
        person, column = self.of.repeating, self.column
        if person is None or not column.is_count or self.is_of_person or self.is_set_beside:
            return False
        if are_unique_together([person, column]):
            return False  # nothing is left to number in a block
        inner = [
            each
            for each in self.of.trial_numbers
            if each is not column
            and are_unique_together([person, column, each])
            and not are_unique_together([person, each])
        ]
        if any(each is column for each in self.of.regular_counts):
            return bool(inner)
        blocks = crossed(person, column)  # of different length
        return any(begins_anew(each, blocks) for each in inner)

    @property
    def stands_in_blocks(self) -> bool:
        """Whether its levels follow each other in the order of the study, as those of sessions do.

        Lone cases are often written down condition by condition: there only what looks like sessions is one.
        """
        column, numbering = self.column, self.of.numbering
        is_of_sessions = not self.of.is_alone or column.has_numbers or column.has_codes
        if numbering is None or numbering is column or not is_of_sessions:
            return False
        order = np.argsort(numbering.codes, kind="stable")
        runs = 1 + int((np.diff(column.codes[order]) != 0).sum())
        return runs <= column.n_levels + _OF_BLOCKS * self.of.facts.rows

    # What was set, asked or excluded, and what names say of it.

    @property
    def is_set_beside(self) -> bool:
        """Whether a number of few blocks or sessions is what was set for each of them, too."""
        return self.column.n_levels <= MOST_OF_CONDITION and set_name(self.column) is not None

    @property
    def says_yes_or_no(self) -> bool:
        """Whether it holds zero and one, or words for yes and no."""
        words = {known_as(level) for level in self.column.levels}
        return self.column.is_binary or (len(words) == 2 and bool(words & YES) and bool(words & NO))

    @property
    def has_levels(self) -> bool:
        """Whether there are as few levels as a condition has, with several rows each."""
        is_short = self.column.n_levels <= MOST_OF_CONDITION or self.is_spelled_out
        return self.column.n_levels >= 2 and is_short and self.column.rows_per_level >= FEWEST_ROWS

    @property
    def is_spelled_out(self) -> bool:
        """Whether columns of 0 and 1 say of its levels whether they are there, as analysts say of what was set."""
        return self.column.n_levels > 2 and self.column.name in self.of.facts.spelled_out

    @cached_property
    def says_how_games_ended(self) -> bool:
        """Whether it is one thing in each game, by what was answered there: accepted, where some row says so.

        What was set for games may decide who talks, and never whether a word that stands once in a game stands there.
        """
        row, column = self.of.row, self.column
        is_able = row.kind in ("seats", "events") and self.is_of_unit and column.n_levels == 2
        acts = {*self.of.facts.acts, row.event} if is_able else set()
        answers = [each for each in self.of.facts.discrete if is_able and all(map(answer_of, each.levels))]
        for answer in dict.fromkeys([*answers, *(each for each in acts if each is not None)]):
            for code in range(
                answer.n_levels if answer is not column and not determines(self.of.unit_column, answer) else 0
            ):
                units, is_of_game = self.of.units, self.of.units >= 0
                times = np.bincount(units[is_of_game & (answer.codes == code)], minlength=self.of.unit_column.n_levels)
                codes = np.where(is_of_game, np.minimum(times, 1)[units], -1)
                ends = replace(column, codes=codes, levels=["", answer.levels[code]])
                if times.max() == 1 and determines(ends, column) and determines(column, ends):
                    return True
        return False

    @property
    def is_text(self) -> bool:
        """Whether it holds sentences, and not the few long levels of a condition that lie between units."""
        column = self.column
        is_condition = column.n_levels <= MOST_OF_CONDITION and column.rows_per_level >= FEWEST_ROWS and self.is_between
        return column.is_prose and not is_condition

    @property
    def are_items(self) -> bool:
        """Whether a person has several of a column's words, and each once: they were set within people.

        Nobody has a rare word twice by chance, but where each person has many of them.
        """
        person, column = self.of.row.person, self.column
        if self.of.people is None or person is None or not are_unique_together([person, column]):
            return False
        return column.rows_per_level >= FEWEST_OF_ITEM or are_sampled(column, person)

    @property
    def are_as_often(self) -> bool:
        """Whether each person has each of a column's words as often, as people are given them and never do them."""
        person = self.of.row.person
        is_frequent = self.of.people is not None and self.column.rows_per_level >= FEWEST_ROWS
        return is_frequent and person is not None and is_set_within(person.codes, self.column)

    @cached_property
    def is_of_items(self) -> bool:
        """Whether a number was set for each item, whoever met it: nobody did it."""
        if not self.column.has_numbers or self.is_named("amount") or self.is_of_person:
            return False
        items = (item for item in self.of.items if item is not self.column)
        return any(determines(item, self.column) for item in items)

    @property
    def is_of_scale(self) -> bool:
        """Whether several columns hold the same words, as answers to the items of one scale do."""
        column = self.column
        if column.has_numbers or column.n_levels < _FEWEST_OF_SCALE:
            return False
        return sum(each.levels == column.levels for each in self.of.facts.columns) >= _FEWEST_OF_SCALE

    @property
    def is_flag(self) -> bool:
        """Whether it may say which rows are no good: it is called so, and few rows are."""
        is_rare = self.column.sizes.min() < _MOST_EXCLUDED * self.column.n_filled
        return self.is_named("noise") and self.column.n_levels <= 4 and bool(is_rare)

    @property
    def may_be_trait(self) -> bool:
        """Whether it is called as a trait is, or holds sexes, and the structure does not contradict that.

        What changes in a person is none.
        """
        is_called_so = self.is_named("trait") or holds_sexes(self.column)
        return is_called_so and (self.of.row.kind in ("alone", "seats") or self.is_of_person)

    @property
    def names_actor(self) -> bool:
        """Whether it names one of those who act in each game, as a winner is."""
        seat = self.of.row.seat if self.of.row.kind == "events" and self.is_of_unit else None
        return seat is not None and not self.column.has_numbers and {*self.column.levels} <= {*seat.levels}

    @property
    def is_called_outcome(self) -> bool:
        """Whether it is called as an outcome is, and was neither drawn with others as often nor set for each item."""
        return self.is_named("outcome") and not (self.is_crossed or self.is_of_items)

    @property
    def is_called_session(self) -> bool:
        """Whether it counts sessions or groups by its name, or numbers people anew in each of them."""
        person = self.of.row.person
        is_part = person is not None and self.column.name in person.parts[:-1]
        return (self.column.is_count or is_part) and names_session(self.column)


def _are_kinds(column: Column, followers: Sequence[Column]) -> bool:
    """Whether two levels have columns of their own, which stand at no other: kinds of pages or of events."""
    levels = {frozenset(distinct(column.codes[each.filled & column.filled]).tolist()) for each in followers}
    return any(one.isdisjoint(other) for one, other in itertools.combinations(levels, 2))
