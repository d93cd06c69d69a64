"""What each column is once it is known what a row is: a condition, an outcome, a trait, an order, talk, a name.

`role_rules` says it of each column by itself. A column of a few levels has points as a condition: from `SURE` on it is
one; a little below it is an option of the one question which of the columns the experimenter set.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from negstats.loaders.reading.amounts import OfferReading
from negstats.loaders.reading.column_facts import ColumnFacts
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.facts import MOST_OF_CONDITION
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.relations import code_column, crossed, determines, follows, joint_codes
from negstats.loaders.reading.role_rules import LIKELY, is_never_likely, kind_of, score
from negstats.loaders.reading.row_facts import RowFacts
from negstats.loaders.reading.spellings import answer_of
from negstats.loaders.reading.words import is_named, roles_of

SURE = 2.0  # points from which on a column is a condition
_ASKED, _ASKED_OF_WORDS = -1.0, -3.0  # points above which it is asked about
_MOST_LIKELY = 4  # of them: more say that nothing speaks for any
_FEWEST_COMBINED, _MOST_COMBINED, _TIMES_COMBINED = 4, 4, 2  # levels, columns, and combinations for each that occurs
_MOST_PARTS = 10  # columns that may be combined
_MOST_OPEN = 6  # levels of a column that is asked about though much speaks against it


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
    decided: list[Column] = field(default_factory=list)  # without one of whose levels a number is always the same
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
            # Numbers of which several have one word may count the sessions for which it was set.
            and not any(other.is_count and determines(other, column) for other in sure if not column.has_numbers)
        ]
        self.drop([column for column in dict.fromkeys(settings) if column not in self.conditions])

    @property
    def likely_conditions(self) -> list[Column]:
        """Of the columns that are asked about those that are taken for conditions until somebody answers.

        A study has a condition: where none is sure, these are the columns for which something speaks, and more than for
        any other, as long as they leave something that was measured. Beside a sure condition a number is as likely to
        have been measured.
        """
        if any(is_named(column, "condition") for column in self.conditions):
            return [column for points, column in self.asked if points >= SURE]
        most = max((points for points, _ in self.asked), default=0.0)
        is_known = bool(self.conditions) or most >= LIKELY
        for least in () if most <= 0 else (LIKELY, most) if is_known else (most,):
            able = [
                column
                for points, column in self.asked
                if points >= least and not (self.conditions and _may_be_measured(column))
            ]
            if len(able) <= _MOST_LIKELY:
                return able if is_known or any(column not in able for column in self.outcomes) else []
        return []


def _may_be_measured(column: Column) -> bool:
    """Whether a column holds numbers or answers, and is not called as what was set is."""
    is_answer = column.has_numbers or all(map(answer_of, column.levels))
    return is_answer and not is_named(column, "condition")


def _are_combined(parts: Sequence[Column], whole: Column) -> bool:
    """Whether the combinations of several columns are the levels of another, as far as its rows have one."""
    joint = crossed(*parts)
    return joint.n_levels == whole.n_levels and determines(joint, whole)


@dataclass
class RoleReader:
    """Assigns roles to the columns of one reading of the rows."""

    shared: RowFacts
    offer: OfferReading | None
    roles: Roles = field(default_factory=Roles)
    _looked_at: dict[Column, ColumnFacts] = field(default_factory=dict)

    @property
    def row(self) -> Hypothesis:
        """What a row is."""
        return self.shared.row

    def _look_at(self, column: Column) -> ColumnFacts:
        """Return what can be said of a column."""
        return self._looked_at.setdefault(column, ColumnFacts(column, self.shared))

    def read(self) -> Roles:
        """Return the roles of all columns."""
        self._assign_columns()
        if self.row.order is not None:
            self.roles.orders.append(self.row.order)
        self._take_apart()
        if self.row.kind == "alone":
            self._ask_about_names()
            self._ask_about_quotas()
        else:
            self._settle_by_conditions()
        self._drop_folders()
        self._drop_sessions()
        self._drop_finer()
        return self.roles

    def _assign_columns(self) -> None:
        """Give each column its role that names neither rows nor an offer."""
        row, roles = self.row, self.roles
        used = {*row.game, row.person, row.seat, row.order, row.event}
        of_offer = {self.offer.amount, self.offer.answer} if self.offer else set()
        for column in self.shared.facts.columns:
            if column.parts:
                continue  # it is put together of columns that have roles of their own
            if self._is_measured_name(column):
                roles.outcomes.append(column)
            elif column in of_offer or row.game == (column,) or (column in used and not self._may_be_set(column)):
                continue
            else:
                self._assign(column)
                if column in row.game and column in roles.conditions and not is_named(column, "condition"):
                    roles.conditions.remove(column)
                    roles.asked.append((SURE, column))
        for column in self.shared.facts.twins:
            self._assign(column)

    def _take_apart(self) -> None:
        """Take what was set together for the conditions, where a column names no more than combinations of it.

        A treatment of which each level is a wage and a bonus says nothing that both do not say, and hides either.
        """
        roles = self.roles
        asked = {column: points for points, column in roles.asked}
        for whole in [*roles.conditions, *asked]:
            parts = self._parts_of(whole)
            if not parts:
                continue
            if whole in roles.conditions:
                roles.conditions += [part for part in parts if part not in roles.conditions]
            else:
                asked |= {part: max(asked[whole], asked.get(part, asked[whole])) for part in parts}
            taken = {whole, *parts}
            roles.conditions = [column for column in roles.conditions if column is not whole]
            roles.outcomes = [column for column in roles.outcomes if column not in taken]
            roles.unread = [*(column for column in roles.unread if column not in taken), whole]
            roles.asked = [
                (points, column)
                for column, points in asked.items()
                if not (column in roles.conditions or column in roles.unread)
            ]
            for part in parts:
                roles.evidence.setdefault(part.name, []).append(f"{whole.name} names their combinations")

    def _parts_of(self, whole: Column) -> tuple[Column, ...]:
        """Return two to four columns whose combinations are the levels of another; () where none are.

        Most combinations must occur: of three levels any two columns are a part each.
        """
        if whole.n_levels < _FEWEST_COMBINED or whole.is_source:
            return ()
        able = [
            column
            for column in self.shared.facts.columns
            if column.n_levels <= MOST_OF_CONDITION
            and column.n_levels < whole.n_levels
            and not column.parts
            and not column.is_source
            and determines(whole, column)
        ]
        for size in range(2, _MOST_COMBINED + 1):
            sets = sorted(
                itertools.combinations(able[:_MOST_PARTS], size),
                key=lambda of: (math.prod(each.n_levels for each in of), [each.name for each in of]),
            )
            for of in sets:
                most = math.prod(each.n_levels for each in of)
                if whole.n_levels <= most <= _TIMES_COMBINED * whole.n_levels and _are_combined(of, whole):
                    return of
        return ()

    def _drop_folders(self) -> None:
        """Take folders for no condition that a column's levels name again: they say nothing that it does not."""
        own = [column for column in self.roles.conditions if not column.is_source]
        self.roles.conditions = [
            column
            for column in self.roles.conditions
            if not (column.is_source and any(determines(column, one) and determines(one, column) for one in own))
        ]

    def _drop_sessions(self) -> None:
        """Take a session whose people are numbered anew for no condition beside what was set for whole sessions."""
        parts = self.row.person.parts[:-1] if self.row.person is not None else ()
        sessions = [column for column in self.roles.conditions if column.name in parts]
        if not sessions:
            return
        block = code_column("session", joint_codes([each for each in self.shared.facts.columns if each.name in parts]))
        others = [column for column in self.roles.conditions if column not in sessions]
        if any(determines(block, other) for other in others if not other.is_source):
            self.roles.conditions = others

    def _drop_finer(self) -> None:
        """Ask about no folder inside of one that is a condition, and about nobody's name."""
        coarser = [column for column in self.roles.conditions if column.is_source]
        self.roles.asked = [
            (points, column)
            for points, column in self.roles.asked
            if not (column.is_source and any(determines(column, other) for other in coarser))
            and not self._names_person(column)
        ]

    def _names_person(self, column: Column) -> bool:
        """Whether each level of a column is a person with several rows, or their number within a session."""
        person = self.shared.repeating
        if person is None:
            return False
        return column.name in person.parts[-1:] or (determines(column, person) and determines(person, column))

    def _may_be_set(self, column: Column) -> bool:
        """Whether what names games may be a condition too: a folder, or what each person had one of.

        Such a part of a key is called so, or a twin is, or it has a few words that no program made: of two columns that
        name the same sessions one may be what was set for them.
        """
        is_short = column.n_levels <= MOST_OF_CONDITION
        if column.is_source and is_short:
            return True
        is_part = len(self.row.game) > 1 and column in self.row.game
        is_named_so = any("condition" in roles_of(name) for name in (column.name, *column.aliases))
        has_words = is_short and not (column.has_numbers or column.has_codes or column.is_moment)
        if not (is_part and (is_named_so or column.aliases or has_words)):
            return False
        return self.shared.people is None or self._look_at(column).is_of_person

    def _is_measured_name(self, column: Column) -> bool:
        """Whether a column that is different in each row is a short number: a name or an outcome, kept as both."""
        is_person = column is self.row.person and self.row.kind in ("alone", "seats")
        if not is_person or not column.is_unique or not column.is_whole or column.is_count:
            return False
        shortest = min(len(str(abs(int(value)))) for value in column.values)
        return shortest < 5 and not is_named(column, "person", "game")

    def _assign(self, column: Column) -> None:
        """Put a column where the first rule that holds says."""
        roles, of = self.roles, self._look_at(column)
        rule = kind_of(of)
        match rule.kind:
            case "scored":
                self._assign_by_points(of)
            case "asked":
                roles.asked.append((rule.points, column))
                roles.evidence[column.name] = [rule.reason] * bool(rule.points)
            case "number":
                is_done = of.is_named("outcome", "amount") or of.is_total
                is_trait = of.is_named("trait") or (of.is_own and not is_done)
                (roles.traits if is_trait else roles.outcomes).append(column)
            case kind:
                getattr(roles, kind).append(column)
                if kind == "conditions":
                    roles.evidence[column.name] = [rule.reason]

    def _assign_by_points(self, of: ColumnFacts) -> None:
        """Score a column of few levels as a condition, and put it where its points belong."""
        roles, column = self.roles, of.column
        points, roles.evidence[column.name] = score(of)
        roles.decided += [column] * (of.fixed is not None)
        if of.is_flag:
            roles.flags.append(column)
            return
        if of.numbers_blocks:
            roles.orders.append(column)
        never = is_never_likely(of)
        may_be_done = not (column.is_source or of.numbers_blocks or of.is_of_items)
        if points >= SURE and not never:
            roles.conditions.append(column)
        elif self._is_asked(of, points) or (column.is_source and column.n_levels <= MOST_OF_CONDITION):
            roles.asked.append((points if not never or of.is_said_to_people else -math.inf, column))
        elif self._may_be_set_in_part(of):
            # Each condition shows columns of its own, or each kind of page does; what is even speaks for a condition.
            roles.asked.append((SURE if self.shared.is_alone else _ASKED, column))
        elif of.may_be_trait or (of.is_own and not of.is_total):
            roles.traits.append(column)
            return
        else:
            (roles.unread if of.is_of_items or column.is_source else roles.outcomes).append(column)
            return
        is_measured = column.has_numbers or column.is_of_two or of.is_named("outcome")
        if points < SURE and is_measured and may_be_done:
            roles.outcomes.append(column)

    def _may_be_set_in_part(self, of: ColumnFacts) -> bool:
        """Whether words that decide which columns are filled, or which some only have, were given by a design."""
        if of.column.has_numbers:
            return False
        if self.shared.is_alone:  # two levels are as often by chance, in one table of twenty or so
            is_given = of.column.is_even and of.column.n_levels > 2
            return is_given and bool(of.followers or of.absent_at is not None)
        return bool(of.followers) and self.shared.people is not None and of.is_drawn_for_people

    def _is_asked(self, of: ColumnFacts, points: float) -> bool:
        """Whether points suffice for a question: words, yes and no need fewer where nothing tells what they are."""
        column = of.column
        least = _ASKED_OF_WORDS if not column.has_numbers or column.n_levels == 2 else _ASKED
        is_told = bool(of.followers) or of.absent_at is not None or of.is_named("outcome") or of.may_be_trait
        return points > _ASKED or (points > least and column.n_levels <= _MOST_OPEN and not is_told)

    def _settle_by_conditions(self) -> None:
        """Settle columns that are asked about by what is sure: a design crosses its factors, what was done follows.

        What each unit has as often at each level of a condition was set too.
        """
        roles = self.roles
        sure = [column for column in roles.conditions if not column.is_source]
        settled = set[Column]()
        for points, column in roles.asked:
            of = self._look_at(column)
            if of.numbers_games and any(is_named(other, "condition") for other in sure):
                roles.orders.append(column)
                settled.add(column)
                continue
            if of.is_of_unit or of.is_of_person or column.is_source or points >= SURE:
                continue
            if points > 0 and any(of.is_crossed_within(other) for other in sure):
                roles.conditions.append(column)
                roles.outcomes = [other for other in roles.outcomes if other is not column]
                reason = "and at each level of another condition as often"
            elif of.lie != "of items" and (other := next((one for one in sure if follows(column, one)), None)):
                roles.outcomes.append(column)
                reason = f"differs with {other.name}"
            else:
                continue
            settled.add(column)
            roles.evidence.setdefault(column.name, []).append(reason)
        roles.asked = [each for each in roles.asked if each[1] not in settled]
        roles.outcomes = list(dict.fromkeys(roles.outcomes))
        roles.drop_parts()

    def _ask_about_names(self) -> None:
        """Ask about columns that are called conditions, where others were given more equally than chance does it.

        Who set one thing evenly hardly left another to chance, of which no more than its name speaks.
        """
        roles = self.roles
        if not any(self._look_at(column).lie == "equally" for column in roles.conditions):
            return
        left = [column for column in roles.conditions if self._look_at(column).lie == "once" and not column.is_source]
        roles.asked += [(LIKELY, column) for column in left]
        roles.conditions = [column for column in roles.conditions if column not in left]

    def _ask_about_quotas(self) -> None:
        """Ask about two columns of which only their balance speaks: one may be a quota, such as of sex.

        A number beside a condition that is called so may have come out as often by chance.
        """
        bare = [
            column for column in self.roles.conditions if not is_named(column, "condition") and not column.is_source
        ]
        is_beside = len(bare) == 1 < len(self.roles.conditions)
        if is_beside and bare[0].has_numbers and not bare[0].is_binary:
            self.roles.asked.append((LIKELY, bare[0]))
            self.roles.outcomes.append(bare[0])
        elif len(bare) > 1 or (bare and any(points >= SURE for points, _ in self.roles.asked)):
            self.roles.asked += [(SURE, column) for column in bare]
        else:
            return
        self.roles.conditions = [column for column in self.roles.conditions if column not in bare]
