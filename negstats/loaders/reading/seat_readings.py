"""Readings in which rows are the seats of games, which one column names or several together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cached_property, reduce

import numpy as np

from negstats.english import english_name, plain_name
from negstats.loaders.reading.columns import HOLDS, Codes, Column
from negstats.loaders.reading.facts import LEAST_LEVELS, Facts, numbers_rounds, size_points
from negstats.loaders.reading.families import find_moves
from negstats.loaders.reading.hypotheses import MOST_SEATS, Hypothesis, add_entity, is_called_measured
from negstats.loaders.reading.relations import (
    are_sampled,
    are_swapped,
    are_unique_together,
    begins_anew,
    code_column,
    crossed,
    determination,
    determines,
    distinct,
    joint_codes,
    levels_within,
    opposition,
    share_of_balanced_units,
    sum_of,
)
from negstats.loaders.reading.words import ROUND, are_seat_words, is_named, names_game, names_session

_MOST_KEYS = 12  # columns of which pairs and triples are tried as names of games
_MOST_AMOUNTS = 8  # columns whose sums are tried
_SET_WITHIN = 0.9  # share of the people who have each level as often, from which on it was set within them
_SEATS_AGAIN = 0.9  # share of rows in which seats must be unique: people join again
_MOST_LEFT = 0.6  # of the games of two are whole, be it that somebody left many of them
_MOSTLY_WHOLE, _NEARLY_WHOLE = 0.8, 0.9  # of the games have the usual number of rows, or at most one less
_ALL = 0.95  # of the games, be it that single rows are lost


def key_columns(facts: Facts) -> list[Column]:
    """Return the columns of which two or three may name a game together: numbers, sources, sessions."""
    people = [
        column
        for column in facts.entities
        if (not column.has_numbers and not column.is_source) or is_named(column, "person")
    ]
    numbers = [column for column in facts.entities if column.is_count]

    def may_be_key(column: Column) -> bool:
        is_measured = is_named(column, "time") and not column.is_count
        if column.n_levels > 400 or is_measured or is_named(column, "amount", "trait"):
            return False
        is_regular = column.is_run or column.is_source or column.is_even or names_game(column)
        # Numbers of groups are uneven where sessions have more or fewer of them.
        is_usable = not column.is_uneven or column.is_source or column.is_run
        return ((is_regular or column.n_levels >= 5) and is_usable) or _is_block(column, people, numbers)

    columns = [column for column in facts.discrete if not column.parts and may_be_key(column)]
    columns.sort(
        key=lambda each: (-max(names_game(each), is_named(each, "order")), -each.is_even, -each.n_levels, each.name)
    )
    return sorted(columns[:_MOST_KEYS], key=lambda column: column.name)


def _is_block(column: Column, people: Sequence[Column], numbers: Sequence[Column]) -> bool:
    """Whether words hold people, as a session does, or numbers begin anew in each of them."""
    if column.has_numbers or column.n_levels > 60:
        return False
    members = (person for person in people if person.n_levels > 3 * column.n_levels)
    if not is_named(column, "order") and any(determination(person, column) > HOLDS for person in members):
        return True
    return not is_named(column, "condition") and any(begins_anew(number, column) for number in numbers)


class Game:
    """A set of columns that may name games, while its seats are looked for."""

    def __init__(self, facts: Facts, game: tuple[Column, ...], codes: Codes, sizes: Codes) -> None:
        self.facts, self.game, self.codes, self.sizes = facts, game, codes, sizes
        self.seats = int(np.bincount(sizes).argmax())
        self.share = float((sizes == self.seats).mean())
        # Where those of a game have numbers or words of their own, a seat is empty in some games: somebody left.
        is_most = self.seats == int(sizes.max())
        nearly_whole = float((sizes >= self.seats - 1).mean()) if is_most else 0.0
        are_nearly_all = nearly_whole >= _NEARLY_WHOLE
        is_likely = self.seats > 2 or self.share >= _MOST_LEFT
        self.is_full = max(self.share, nearly_whole * (self.seats > 2 and self.share >= _MOSTLY_WHOLE)) > _ALL
        self.has_gaps = self.share < _MOSTLY_WHOLE and are_nearly_all and is_likely
        # Then what tells these apart must be one of the few rows by design, or the key be called as games are.
        self.has_seats = not self.has_gaps or any(names_game(column) for column in game)
        # A column that numbers the rounds of a row whose columns stood side by side belongs to each key.
        self.is_joint = sum(column.name != ROUND for column in game) > 1
        self.has_source = any(column.is_source for column in game)

    @property
    def is_plausible(self) -> bool:
        """Whether most games have the same few rows, and no column of the key is idle."""
        is_regular = self.share >= _MOSTLY_WHOLE or self.has_gaps or self.said_size is not None
        if not (2 <= self.seats <= MOST_SEATS and is_regular):
            return False
        return not self.is_joint or self.is_minimal

    @property
    def is_minimal(self) -> bool:
        """Whether no column of the key is idle."""
        least = 0.97 * len(self.sizes)
        for each in self.game:
            others = [column for column in self.game if column is not each]
            most = math.prod(column.n_levels for column in others)
            if most >= least and int(joint_codes(others).max()) + 1 >= least:
                return False
        return not any(determines(one, other) for one, other in itertools.permutations(self.game, 2))

    @cached_property
    def said_size(self) -> Column | None:
        """The column that says how many seats each game has, where these differ; None for none."""
        if self.share == 1 or int(self.sizes.min()) < 2 or int(self.sizes.max()) > MOST_SEATS:
            return None
        able = (each for each in self.facts.discrete if each not in self.game and each.n_levels <= MOST_SEATS)
        sizes = np.append(self.sizes, -1)[self.codes]
        return next(
            (each for each in able if each.numbers is not None and (each.numbers == sizes).mean() > HOLDS), None
        )

    @cached_property
    def unit(self) -> Column:
        """The game of each row."""
        return code_column("game", self.codes)

    @cached_property
    def swapped(self) -> tuple[Column, Column] | None:
        """Who acts and whom they met, in columns that change places between the two rows of a game; None for none."""
        able = self.facts.mutual if self.seats == 2 else []
        pairs = (of for of in able if not {*of} & {*self.game})
        return next((of for of in pairs if are_swapped(self.codes, *of)), None)

    def seat_readings(self, repeated: Sequence[Hypothesis], others: list[Hypothesis]) -> list[Hypothesis]:
        """Return the readings that rows are the seats of these games; of twins in `others` one stays."""
        facts, game = self.facts, self.game
        # Where people have names, a word that tells nearly all of them apart does so by chance, unless it is a role.
        able = [*facts.unique, *(each for each in facts.entities if self._may_be_person(each))]
        named = (each for each in able if is_named(each, "person"))
        have_names = any(each.is_unique or are_unique_together([*game, each], least=1.0) for each in named)
        seats = [
            column
            for column in facts.discrete
            if column not in game
            and not is_named(column, "amount")
            and (not column.is_source or are_seat_words(column))
            and self._has_level_for_each(column)
            and are_unique_together([*game, column], least=1.0 if have_names and not _is_role(column) else _SEATS_AGAIN)
        ]
        people = [column for column in [*facts.entities, *facts.unique] if self._may_be_person(column)]
        # A number that begins anew in each session names nobody where the number of a session does.
        people = [column for column in people if facts.find_joint(column) not in people]
        # Nor does a computer of a laboratory, at which somebody else sat in each session.
        of_several = {each for person in people if person.parts for each in facts.determined_by(person)}
        people = [column for column in people if column.parts or column not in of_several]
        # Who sits there tells the seats apart where nothing else does.
        are_named = self.is_joint or any(person.is_unique for person in people)
        are_named = are_named or self.swapped is not None
        are_named = are_named or any(self._samples(each) or self._is_of_round(each) for each in people)
        without_seat: list[Column | None] = [None] if people and are_named and self.has_seats else []
        readings = [self._reading(seat, people, repeated) for seat in [*seats] or without_seat]
        kept = [reading for reading in readings if reading is not None]
        return [reading for reading in kept if self._replaces_twin(reading, others)]

    def _has_level_for_each(self, seat: Column) -> bool:
        """Whether a column has a level for each seat; where games differ in size, the first of them in each."""
        if self.said_size is not None:
            is_first = seat.codes < np.append(self.sizes, 0)[self.codes]
            return seat.n_levels == int(self.sizes.max()) and float(is_first.mean()) > HOLDS
        is_numbered = self.has_seats or begins_anew(seat, code_column("", self.codes))
        return self.seats <= seat.n_levels <= self.seats + 1 and is_numbered

    def _samples(self, person: Column) -> bool:
        """Whether each game of one name has some of many people, and nobody twice, as lots have bidders."""
        return not self.is_joint and are_sampled(person, self.game[0])

    def _may_be_person(self, column: Column) -> bool:
        """Whether a column may name who sits in a seat: another one in each row of a game."""
        if column in self.game or column.is_source or column.is_moment or (column.is_open and not column.is_unique):
            return False
        if column.parts and any(part.name == column.parts[-1] for part in self.game):
            return False  # an id names no game of those whom it names in each source
        in_session = [each for each in self.game if names_session(each) and not names_game(each)]
        if column.parts and in_session and not all(each.name in column.parts for each in in_session):
            return False  # who is numbered anew in each group of a session is others in the next session
        is_number_of_person = column.is_count or (column.is_whole and (column.is_unique or column.is_even))
        if column.has_numbers and not is_number_of_person and not is_named(column, "person"):
            return False
        if is_called_measured(column) and not is_named(column, "person"):
            return False  # ages that differ in each game
        is_enough = column.is_unique or column.n_levels >= 2 * self.seats
        return is_enough and are_unique_together([*self.game, column])

    def _reading(
        self, seat: Column | None, people: Sequence[Column], repeated: Sequence[Hypothesis]
    ) -> Hypothesis | None:
        if seat is not None and any({*of} & {*self.game} and seat in of for of in self.facts.mutual):
            return None  # rows of one who acts tell of all whom they met, who sat nowhere together
        facts, game = self.facts, self.game
        hypothesis = Hypothesis("seats", game=game, seat=seat)
        has_unique_person = any(person.is_unique for person in people)
        is_whole = not (self.is_joint and people and not has_unique_person and not self.has_source)
        if not self.is_joint:
            add_entity(facts, game[0], hypothesis)
        elif is_whole:
            hypothesis.add(size_points(len(self.sizes)), f"{len(self.sizes)} games")
        self._add_share(hypothesis, is_whole=is_whole)
        if seat is not None:
            self._add_seat(hypothesis, seat)
        if self.seats > 2:
            hypothesis.add(-0.7 * (self.seats - 2), f"{self.seats} seats")
        opposes = self._add_opposition(hypothesis, seat)
        self._add_person(hypothesis, [person for person in people if person is not seat], repeated)
        if self.swapped is not None:
            joint = facts.find_joint(self.swapped[0])
            hypothesis.person = self.swapped[0] if joint is None or joint.is_open else joint
            names = " and ".join(column.name for column in self.swapped)
            hypothesis.add(4.0, f"{names} change places between its rows")
        sits_across = seat is not None and hypothesis.person is not None and seat.name in hypothesis.person.parts[:-1]
        if sits_across or (hypothesis.person is not None and self._holds_sessions(hypothesis.person)):
            return None  # people of one game are of one session
        adds_up = self._add_sum(hypothesis)
        if not self.is_joint:
            self._add_rounds(hypothesis, repeated)
        if self.is_joint and not self._add_key(hypothesis, repeated, has_sum=adds_up or opposes):
            return None
        if seat is None and not self.is_joint and self.swapped is None:
            hypothesis.add(-3.0 + 1.5 * (adds_up or opposes), "only people distinguish its seats")
        if seat is not None and (moves := find_moves(seat, facts.columns)) is not None:
            amount, answer = moves
            hypothesis.add(3.0, f"{amount.name} belongs to one {seat.name} alone, {answer.name} to the other")
        elif any(column not in game for column in facts.acts):
            hypothesis.add(-3.0, "each row is an act: words for offers and answers")
        hypothesis.add(self._name_points(seat), "names", of_names=True)
        return hypothesis

    def _add_seat(self, hypothesis: Hypothesis, seat: Column) -> None:
        """Add what the levels of a column say of it as that which tells the seats of a game apart."""
        if not are_unique_together([*self.game, seat]):
            hypothesis.add(-1.0, f"{seat.name} occurs twice in some")
        if names_session(seat) and any(begins_anew(each, seat) for each in self.game):
            hypothesis.add(-4.0, f"{seat.name} is a session, in which groups are numbered anew")
        if seat.is_even:
            hypothesis.add(0.5, f"{seat.name}: each of {seat.n_levels} once in a game")

    def _add_share(self, hypothesis: Hypothesis, *, is_whole: bool) -> None:
        """Add how many games have as many rows as is usual, or as a column says."""
        if self.said_size is not None:
            hypothesis.add(3.0, f"{self.said_size.name} is how many rows each has")
            return
        most = 2.0 if self.is_joint else 1.5
        points = (most if self.is_full else 1.0) / (1 if is_whole or not self.is_joint else 2)
        hypothesis.add(points, f"{self.share:.0%} of {len(self.sizes)} games have {self.seats} rows")

    def _add_opposition(self, hypothesis: Hypothesis, seat: Column | None) -> bool:
        """Add points where seats share one sum, or more for one is less for the other; return whether they do."""
        opposed = ""
        # What is one thing of each person, whatever the game, no game has shared out among its seats.
        of_people = {
            trait for each in self.facts.entities if each not in self.game for trait in self.facts.determined_by(each)
        }
        for column in self.facts.columns:
            is_amount = column.has_numbers and column.n_levels > 3 and column not in self.game and column is not seat
            is_name = names_game(column) or is_named(column, "person", "order")
            if not is_amount or is_name or column in of_people or (column.is_count and column.is_even):
                continue
            if column.is_unique and not column.is_fractional:
                continue
            is_constant, is_opposed = opposition(self.codes, column)
            if is_constant:
                hypothesis.add(3.0, f"{column.name} has one sum in each")
                return True
            opposed = opposed or (column.name if is_opposed else "")
        if opposed:
            hypothesis.add(1.5, f"{opposed}: more for one is less for the other")
        return bool(opposed)

    def _add_person(self, hypothesis: Hypothesis, people: Sequence[Column], repeated: Sequence[Hypothesis]) -> None:
        """Add who sits in the seats, where another one does in each row of a game."""
        # Of the numbers of people and those of their session or group these stand several times in a round.
        have_rounds = {each for each in people if any(numbers_rounds(part, each) for part in self.game)}
        ordered = sorted(
            people,
            key=lambda each: (
                each not in have_rounds,
                -is_named(each, "person"),
                each.numbers_rows or (each.is_unique and each.is_count),
                -each.n_levels,
                each.name,
            ),
        )
        if not ordered:
            return
        person = ordered[0]
        if person.parts:  # of what names people together, what most speaks for as people
            joint = [
                each for each in repeated if each.person in people and each.person is not None and each.person.parts
            ]
            best = max(joint, key=lambda each: each.score, default=None)
            person = best.person or person if best is not None else person
        is_own_name = person.is_unique and not person.is_count
        is_fitting = is_own_name and (not self.is_joint or hypothesis.seat is not None)
        # Codes of which there are as many as of people name nobody else.
        is_code = person.has_codes and not person.is_unique and person.n_levels > 0.2 * person.n_filled
        comes_again = self._samples(person) or self._is_of_round(person) or (self.is_joint and not person.is_unique)
        if is_fitting or is_code or comes_again:
            hypothesis.person = person
            hypothesis.add(1.5, f"{person.name} is another in each row of a game")
        elif is_named(person, "person") or (person.is_unique and not self.is_joint):
            hypothesis.person = person

    def _add_rounds(self, hypothesis: Hypothesis, repeated: Sequence[Hypothesis]) -> None:
        """Add that people who repeat are put together in each round: each game is of one round."""
        person, seat = hypothesis.person, hypothesis.seat
        if person is None or not self._is_of_round(person) or (seat is not None and seat.name in person.parts):
            return
        if self._parted_sessions(hypothesis):
            return  # numbers begin anew in each session: a number alone names no game
        own = next((each.score for each in repeated if each.person is person), 0.0)
        self._add_sessions(hypothesis, person, own)
        if seat is not None and seat.has_numbers and not is_named(seat, "seat") and determines(person, seat):
            hypothesis.add(-3.0, f"{seat.name} is one in each {person.name}, as a session is")

    def _is_of_round(self, person: Column) -> bool:
        """Whether each game of one name is of one round of people who repeat."""
        if self.is_joint or person.is_unique:
            return False
        rounds = (each for each in self.facts.discrete if each not in self.game and determines(self.unit, each))
        return any(numbers_rounds(each, person) for each in rounds)

    def _add_sum(self, hypothesis: Hypothesis) -> bool:
        """Add points where a number, or the sum of columns, is one number in each game: a public good."""
        for own, others in self.facts.copies:
            if len(others) + 1 == self.seats and determines(self.unit, reduce(sum_of, others, own)):
                hypothesis.add(3.0, f"{others[0].name} to {others[-1].name} are {own.name} of its other rows")
                return True
        if self.share <= 0.9 or len(self.sizes) > 4_000:
            return False
        if self.is_joint:
            # What is one number in each round of a session is of the round, whoever is put together within it.
            wider = [
                crossed(*part) for size in range(1, len(self.game)) for part in itertools.combinations(self.game, size)
            ]
            for column in self._amounts():
                if determines(self.unit, column) and not any(determines(part, column) for part in wider):
                    hypothesis.add(3.0, f"{column.name} is one number in each")
                    return True
        amounts = [column for column in self._amounts() if determination(self.unit, column) < 0.5]
        for first, second in itertools.combinations(amounts, 2):
            if determines(self.unit, sum_of(first, second)):
                hypothesis.add(3.0, f"{first.name} + {second.name} is one number in each")
                return True
        return False

    def _amounts(self) -> list[Column]:
        columns = [
            column
            for column in self.facts.columns
            if column.has_numbers and column.n_levels > 4 and not column.is_even and column not in self.game
        ]
        return columns[:_MOST_AMOUNTS]

    def _add_key(self, hypothesis: Hypothesis, repeated: Sequence[Hypothesis], *, has_sum: bool) -> bool:
        """Add what speaks for a key of several columns; return whether anything does at all."""
        person = hypothesis.person
        is_unnamed = person is None or person.is_unique
        has_names_of_seats = (
            person is not None and person.is_unique and not person.is_count and hypothesis.seat is not None
        )
        if is_unnamed and not self.has_source and not has_names_of_seats:
            has_moves = hypothesis.seat is not None and self._are_moves(hypothesis.seat)
            is_known = self._add_rounds_of_group(hypothesis, repeated) or self._add_numbered_groups(hypothesis)
            return is_known or has_moves
        if person is None or person.is_unique:
            hypothesis.add(1.5, "numbers begin anew in each part")
            return True
        own = next((each.score for each in repeated if each.person is person), 0.0)
        self._add_sessions(hypothesis, person, own)
        return self._add_games_of_person(hypothesis, person, has_sum=has_sum)

    def _add_sessions(self, hypothesis: Hypothesis, person: Column, own: float) -> None:
        """Add that people repeat, and of which sessions those of one game are."""
        sessions_of_person = person.parts[:-1] if is_named(person, "person") else ()
        hypothesis.add(max(0.0, own) - 1.0, f"{person.name} is a person who repeats")
        parted = self._parted_sessions(hypothesis)
        is_impossible = any(name in sessions_of_person for name in parted)
        hypothesis.add(
            -6.0 if is_impossible else max(-6.0, -2.0 * len(parted)),
            f"people of different {', '.join(parted)} would sit in it",
        )

    def _holds_sessions(self, person: Column) -> bool:
        """Whether games hold people of several sessions, in each of which people are numbered anew."""
        if not (person.is_unique and person.parts):
            return False
        sessions = [each for each in self.facts.columns if each.name in person.parts[:-1] and each not in self.game]
        return any(not determines(self.unit, each) for each in sessions)

    def _parted_sessions(self, hypothesis: Hypothesis) -> list[str]:
        """Return the sessions and conditions of people of which one game would hold several."""
        person = hypothesis.person
        assert person is not None  # noqa: S101 - who calls has checked
        return [
            column.name
            for column in self.facts.determined_by(person)
            if (column.has_codes or column.name in person.parts or is_named(column, "condition"))
            and not is_named(column, "person")
            and column is not hypothesis.seat
            and column not in self.game
            and not determines(self.unit, column)
        ]

    def _add_games_of_person(self, hypothesis: Hypothesis, person: Column, *, has_sum: bool) -> bool:
        """Add what numbers the games of people who meet others each time; return whether anything does."""
        order = [column for column in self.game if numbers_rounds(column, person)]
        if not order:
            return False
        if self._may_be_conditions([column for column in self.game if column not in order]):
            hypothesis.add(-2.0, "few levels apart from the order: a condition?")
            if hypothesis.seat is None and not has_sum:
                return False
        is_called_game = any(names_game(column) for column in self.game if column not in order)
        if hypothesis.seat is not None and hypothesis.seat.name in person.parts and not (has_sum or is_called_game):
            hypothesis.add(-2.0, f"{hypothesis.seat.name} numbers people, and nothing else is of the game")
        if hypothesis.seat is None and not has_sum:
            hypothesis.add(-1.0, "nothing distinguishes its seats")
            if self._are_dealt(person) and not self._parted_sessions(hypothesis):
                hypothesis.add(3.0, "nobody is in each as often, and each has as many people in each round")
            elif self._has_own_answers():
                hypothesis.add(-5.0, "each row has an offer and an answer of its own")
        return True

    def _are_dealt(self, person: Column) -> bool:
        """Whether people come to groups without a rule that a person's own rows show: they are put together anew.

        Of what was set for each row everybody has each level as often, and a group that stays together is one thing of
        each of its people.
        """
        groups = (each for each in self.game if not numbers_rounds(each, person) and not determines(person, each))
        return self.share > 0.9 and any(share_of_balanced_units(person.codes, each) < _SET_WITHIN for each in groups)

    def _may_be_conditions(self, columns: Sequence[Column]) -> bool:
        """Whether the columns of a key apart from the order have so few levels that these may be conditions.

        A group that is called so, and is numbered anew in each session, is none.
        """
        if not all(column.n_levels < LEAST_LEVELS for column in columns):
            return False
        n_units = int(joint_codes(columns).max()) + 1 if columns else 0
        is_numbered = any(names_game(each) and each.is_count for each in columns) or any(
            number.n_levels > 2 and begins_anew(number, block) for number, block in itertools.permutations(columns, 2)
        )
        is_numbered = is_numbered and n_units >= LEAST_LEVELS
        return not (is_numbered or any(is_named(each, "game") for each in columns))

    def _add_rounds_of_group(self, hypothesis: Hypothesis, repeated: Sequence[Hypothesis]) -> bool:
        """Add what speaks for rounds of a group in which words name the seats; return whether anything does."""
        seat = hypothesis.seat
        is_known = seat is not None and _is_role(seat)
        if seat is None or seat.has_numbers or not (is_known or self.seats > 2):
            return False  # two words are mostly the two conditions of a person
        groups = [column for column in self.game if not column.is_count] or self._find_blocks()
        own = [each.score for each in repeated if each.person in groups]
        if len(groups) != 1 or not own:
            return False
        numbers = ", ".join(column.name for column in self.game if column is not groups[0])
        hypothesis.add(max(0.0, own[0]) - 1.0, f"{groups[0].name} is a group of which each has several {numbers}")
        if not is_known:
            hypothesis.add(-6.0, f"or a person who has {seat.name} in each")
        return True

    def _add_numbered_groups(self, hypothesis: Hypothesis) -> bool:
        """Add that groups are numbered anew in each session, with as many people in each; return whether they are."""
        if len(self.game) != 2:
            return False
        block, number = sorted(self.game, key=lambda each: (not names_session(each), names_game(each), each.n_levels))
        if not begins_anew(number, block):
            block, number = number, block
        is_group = (number.n_levels > 2 and not names_session(number)) or names_game(number)
        if not (is_group and begins_anew(number, block)) or any(map(_is_called_condition, self.game)):
            return False
        has_moves = self.seats == 2 and hypothesis.seat is not None and self._are_moves(hypothesis.seat)
        if is_named(number, "order") or not (self.facts.unique or names_session(block) or has_moves):
            return False  # what stands in the rows of a round may be things that one person was shown
        seat = hypothesis.seat
        hypothesis.add(1.5, f"{number.name} begins anew in each {block.name}")
        names = (each for each in self.facts.unique if not each.is_moment)
        hypothesis.person = hypothesis.person or next(names, None)  # who sat in one game only
        if seat is None:
            hypothesis.add(-1.5, "only people distinguish its seats")
        elif not (self.facts.unique or _is_role(seat) or self._are_moves(seat)):
            hypothesis.add(-6.0, f"or a person who has {seat.name} in each")
        return True

    def _are_moves(self, seat: Column) -> bool:
        return find_moves(seat, self.facts.columns) is not None

    def _find_blocks(self) -> list[Column]:
        """Return the columns of a key of numbers in which all others begin anew: villages, and not their pairs.

        Something is one thing in each of them.
        """
        return [
            block
            for block in self.game
            if self.facts.determined_by(block)
            and all(begins_anew(column, block) for column in self.game if column is not block)
        ]

    def _has_own_answers(self) -> bool:
        """Whether amounts and answers to them differ within games: each row is a decision."""
        answers = [column for column in self.facts.discrete if column.n_levels == 2 and is_named(column, "outcome")]
        amounts = [column for column in self.facts.columns if column.has_numbers and is_named(column, "amount")]
        return bool(amounts) and any(float(np.mean(levels_within(self.unit, answer) > 1)) > 0.2 for answer in answers)

    def _name_points(self, seat: Column | None) -> float:
        points = 1.5 * any(map(names_game, self.game))
        are_people = [column for column in self.game if is_named(column, "person") and not is_named(column, "game")]
        # An id may be that of anything, but who is called a participant is no pair.
        is_person = are_people == [*self.game] and english_name(plain_name(self.game[0].name)) != "id"
        points -= 3.0 if is_person else 1.5 * bool(are_people)
        if seat is not None:
            points += 2.0 * are_seat_words(seat) + is_named(seat, "seat")
            points -= 2.0 * is_named(seat, "order") + 1.5 * is_named(seat, "condition")
            points -= 3.0 * (names_session(seat) and not names_game(seat))
        return points

    def _replaces_twin(self, reading: Hypothesis, others: list[Hypothesis]) -> bool:
        """Whether a reading stays beside those of the same games by another key; the lesser one is taken out."""
        if not self.is_joint:
            return True
        for other in others:
            if other.kind != "seats" or other.seat is not reading.seat or len(other.game) != len(self.game):
                continue
            codes = joint_codes(other.game)
            is_same = (
                np.array_equal(codes < 0, self.codes < 0)
                and int(codes.max()) + 2 >= len(self.sizes)
                and len(distinct(codes * len(self.sizes) + self.codes)) <= len(self.sizes) + 1
            )
            if is_same:
                if _count_numbers(self.game) <= _count_numbers(other.game):
                    return False
                others.remove(other)
                return True
        return True


def _is_role(column: Column) -> bool:
    """Whether a column is called as a seat is, or holds words for seats."""
    return is_named(column, "seat") or are_seat_words(column)


def _is_called_condition(column: Column) -> bool:
    """Whether a column is called as what was set is, and not as a group or a session, which some call a condition."""
    return is_named(column, "condition") and not (names_game(column) or names_session(column))


def _count_numbers(game: Sequence[Column]) -> int:
    return sum(column.is_count or column.is_source for column in game)
