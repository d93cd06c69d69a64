"""Rival readings of what a row is, each with a score and the evidence for it.

A row is a case of its own (*alone*), a decision of a person who has several (*repeated*), a seat of a game (*seats*),
or something that happened in a game (*events*). A reading is chosen as a whole among its rivals, and there is no
default: that rows are cases of their own must win like any other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from negstats.english import english_name, plain_name
from negstats.loaders.reading.columns import HOLDS, Codes, Column
from negstats.loaders.reading.facts import FEWEST_ROWS, Facts, size_points
from negstats.loaders.reading.families import pair_families
from negstats.loaders.reading.relations import (
    are_alike_somewhere,
    are_others,
    are_unique_together,
    begins_anew,
    code_column,
    determination,
    determines,
    distinct,
    joint_codes,
    levels_within,
    opposition,
    share_of_balanced_units,
    sum_of,
    takes_turns,
)
from negstats.loaders.reading.words import (
    LINE,
    ROUND,
    are_acts,
    are_seat_words,
    is_called_seat,
    is_named,
    names_game,
    names_session,
)

Kind: TypeAlias = Literal["alone", "repeated", "seats", "events"]
MOST_SEATS = 8
_MOST_KEYS = 12  # columns of which pairs and triples are tried as names of games
_MOST_AMOUNTS = 8  # columns whose sums are tried
_MOST_IN_GAME = 4  # people of a game that several columns name
_MOST_EVENTS = 50  # of a game, where each row has an id
_BY_CHANCE = 0.9  # share of the games in which two levels stand by chance, from which on they tell nothing
_MEASURED_NAME = 2.0  # points against a column as the name of a person or a game
_MOST_SINGLE = 0.15  # of the people, who have one row where others have several
_SEATS_AGAIN = 0.9  # share of rows in which seats must be unique: people join again


@dataclass(eq=False)
class Hypothesis:
    """One reading of the rows.

    Attributes
    ----------
    kind : str
        What a row is.
    person, game, seat, order, event : Column or columns
        Who acts, what names the game, what tells its seats apart, what numbers the rows, what tells events apart.
    score : float
        The sum of the points.
    evidence : list of (float, str)
        The points, each with the regularity that they are given for.
    has_name, has_talk : bool
        Whether a name of a column supports the reading, and whether its events are talk.
    doubts : list of str
        What cannot be if it holds.
    """

    kind: Kind
    person: Column | None = None
    game: tuple[Column, ...] = ()
    seat: Column | None = None
    order: Column | None = None
    event: Column | None = None
    score: float = 0.0
    evidence: list[tuple[float, str]] = field(default_factory=list)
    has_name: bool = False
    has_talk: bool = False
    doubts: list[str] = field(default_factory=list)

    def add(self, points: float, reason: str, *, of_names: bool = False) -> None:
        """Add points for a regularity."""
        if points:
            self.score += points
            self.evidence.append((points, reason))
            self.has_name = self.has_name or (of_names and points > 0)

    @property
    def label(self) -> str:
        """The reading in words."""
        game = " × ".join(column.label for column in self.game)
        match self.kind:
            case "alone":
                return "each row is a separate case"
            case "repeated":
                return f"each row is one of several decisions of one {self.person.label if self.person else 'person'}"
            case "seats":
                seat = f", told apart by {self.seat.name}" if self.seat else ""
                repeats = f"; {self.person.name} repeats" if self.person and not self.person.is_unique else ""
                return f"the rows of one {game} are the seats of one game{seat}{repeats}"
            case "events":
                return f"the rows of one {game} are what happened in one game"

    @property
    def reasons(self) -> str:
        """The doubts and the evidence in one line, the strongest first."""
        ordered = sorted(self.evidence, key=lambda each: -abs(each[0]))
        doubts = [f"but {doubt}" for doubt in self.doubts]
        return "; ".join([*doubts, *(f"{reason} ({points:+.1f})" for points, reason in ordered)])


def row_hypotheses(facts: Facts, unit: Column | None = None) -> list[Hypothesis]:
    """Return all readings of the rows, the best first.

    Parameters
    ----------
    facts
        Of the table.
    unit
        What names the rows that belong together, where the file says so: its rows are elements of lists.
    """
    if unit is not None:
        return _of_lists(facts, unit)
    # What tells of both seats of a game is no decision of one of them alone.
    of_seats = set() if facts.sides is None else {name for of in facts.sides.stems.values() for name in of}
    repeated = [_repeated(facts, person) for person in facts.entities if person.name not in of_seats]
    games: list[tuple[Column, ...]] = [(entity,) for entity in facts.entities]
    key_columns = _key_columns(facts)
    for size in (2, 3):
        games += list(itertools.combinations(key_columns, size))
    # Pairs of a round of a match of a session.
    parts = [column for column in key_columns if names_game(column) or is_named(column, "order")]
    games += [key for key in itertools.combinations(parts, 4) if any(map(names_session, key))]
    hypotheses: list[Hypothesis] = [_alone(facts), *repeated]
    mark = next((column for column in facts.columns if column.name == ROUND), None)
    if mark is not None:
        games = [(*(column for column in game if column is not mark), mark) for game in games if game != (mark,)]
    for game in dict.fromkeys(games):
        codes = joint_codes(game)
        is_named_row = codes >= 0
        if is_named_row.sum() < 0.9 * len(codes):
            continue
        sizes = np.bincount(codes[is_named_row])
        least = min(facts.least_levels(column) for column in game)
        if not least <= len(sizes) <= 0.67 * is_named_row.sum():
            continue
        candidate = _Game(facts, game, codes, sizes)
        if candidate.is_plausible and not game[0].parts:  # as seats, its parts are the key
            hypotheses += candidate.seat_readings(repeated, hypotheses)
        if is_named_row.sum() / len(sizes) >= 2.5:
            if len(game) == 1 and mark is None:
                hypotheses += _events(facts, game[0])
            elif candidate.is_minimal:
                hypotheses += _joint_events(facts, game, codes)
    talks = {each.game for each in hypotheses if each.kind == "events" and each.has_talk and each.seat is not None}
    for hypothesis in repeated:
        person = hypothesis.person
        if person is not None and (person,) in talks and not is_named(person, "person"):
            hypothesis.add(-2.0, "two talk in each")
    if facts.rows < FEWEST_ROWS:
        for hypothesis in hypotheses:
            if hypothesis.kind != "alone" and hypothesis.has_name:
                hypothesis.add(2.0, "a short table, of which names must say more", of_names=True)
    for hypothesis in hypotheses:
        if facts.sides is not None:
            _add_sides(hypothesis)
        if mark is not None:
            _add_line(hypothesis)
    return sorted(hypotheses, key=lambda each: (-each.score, not each.has_name, each.label))


def _add_line(hypothesis: Hypothesis) -> None:
    """Add what it means that the rounds of a row stood side by side: they are of one person or game, or of one seat."""
    person = hypothesis.person
    if hypothesis.kind == "alone":
        hypothesis.add(-3.0, "its rounds stood side by side")
    elif hypothesis.kind == "seats" or (person is not None and LINE in (person.name, *person.aliases)):
        hypothesis.add(5.0, "its rounds stood side by side")


def _add_sides(hypothesis: Hypothesis) -> None:
    """Add what it means that each row has columns of both seats: it tells of a whole game."""
    reason = "each row has columns of both seats"
    if hypothesis.kind == "seats" or (hypothesis.kind == "events" and hypothesis.seat is None):
        hypothesis.add(-3.0, reason)
    elif hypothesis.person is not None and is_named(hypothesis.person, "game") and hypothesis.kind == "repeated":
        hypothesis.add(3.0, f"{reason}, and {hypothesis.person.name} is called as a game", of_names=True)


def _of_lists(facts: Facts, unit: Column) -> list[Hypothesis]:
    """Return the readings of a table whose rows are elements of lists: seats of a game, or what happened in it."""
    sizes = unit.sizes[unit.sizes > 0]
    candidate = _Game(facts, (unit,), unit.codes, sizes)
    # A few short utterances may look like words of a design, and are none.
    has_talk = any(
        column.is_prose or (is_named(replace(column, name=name), "talk") and not column.has_numbers)
        for column in facts.columns
        for name in (column.name, *column.aliases)
    )
    readings = candidate.seat_readings([], []) if candidate.is_plausible and not has_talk else []
    events = next(_events(facts, unit), None) or Hypothesis("events", game=(unit,))
    if events.event is None:
        events.event = next((column for column in facts.columns if are_acts(column)), None)
    if events.seat is None:
        called = (each for each in facts.discrete if is_named(each, "seat") and not facts.says_once(unit, each))
        events.seat = next((each for each in called if levels_within(unit, each).max() <= MOST_SEATS), None)
    return sorted([events, *readings], key=lambda each: (-each.score, each.label))


def _alone(facts: Facts) -> Hypothesis:
    """Return the reading that each row is a case of its own."""
    hypothesis = Hypothesis("alone")
    hypothesis.add(1.5, "prior")
    names = [column for column in facts.unique if not column.is_count and not is_named(column, "order")]
    if names:
        hypothesis.add(1.5, _describe_difference(names[0]))
    elif facts.unique:
        hypothesis.add(0.5, f"{facts.unique[0].name} numbers the rows")
    else:
        parts = [column for column in facts.discrete if not (column.has_numbers or is_named(column, "order"))]
        numbers = [column for column in facts.discrete if column.is_count and not column.is_source]
        for number, part in itertools.product(numbers, parts):
            if are_unique_together([number, part]) and (part.is_source or _numbers_each(number, part)):
                hypothesis.add(2.0, f"{number.name} numbers the rows of each {part.label}")
                break
    counts = [column for column in facts.unique if not is_named(column, "order") or column.is_count]
    hypothesis.person = max(names or counts, key=lambda column: is_named(column, "person"), default=None)
    if any(is_named(column, "person") or is_named(column, "game") for column in facts.unique):
        hypothesis.add(1.5, "and is called as a person or a game is", of_names=True)
    return hypothesis


def _numbers_each(number: Column, part: Column) -> bool:
    """Whether a number begins anew in each part of the rows and ends elsewhere: 40 is another person in the next part.

    Who did several things is in each of them, up to one last number.
    """
    return not part.is_even and begins_anew(number, part)


def _describe_difference(column: Column) -> str:
    """Return in how many rows a column that names nearly each row has a level of its own."""
    n_repeated = int(column.sizes[column.sizes > 1].sum())
    return f"{column.name} is different in {f'all but {n_repeated} rows' if n_repeated else 'each row'}"


def _add_entity(facts: Facts, entity: Column, hypothesis: Hypothesis) -> None:
    """Add what speaks for a column as the name of an entity, be it a person or a game."""
    hypothesis.add(size_points(entity.n_levels), f"{entity.name} has {entity.n_levels} levels")
    if entity.is_even:
        hypothesis.add(2.0, f"each has as many rows ({entity.rows_per_level:.4g})")
    elif entity.is_uneven and entity.sizes.max() > 3 * np.median(entity.sizes):
        hypothesis.add(-3.0, "numbers of rows differ as of something that was measured")
    constant = [
        column
        for column in facts.determined_by(entity)
        if not (entity.is_source and column.is_source) and column.name not in entity.parts
    ]
    if constant:
        names = ", ".join(column.name for column in constant[:4])
        hypothesis.add(min(3.0, 1.5 * len(constant)), f"constant in it: {names}")
    if entity.has_codes and not entity.is_source:
        hypothesis.add(1.5, "codes of letters and digits")
    if entity.is_count and not is_named(entity, "person"):
        hypothesis.add(-1.0, "numbers from 1 on may be an order")


def _repeated(facts: Facts, person: Column) -> Hypothesis:
    """Return the reading that rows are decisions of a person who has several."""
    hypothesis = Hypothesis("repeated", person=person)
    _add_entity(facts, person, hypothesis)
    constant = facts.determined_by(person)
    # An order names each row together with the person.
    crossed = [
        column
        for column in facts.discrete
        if column is not person
        and column.n_levels <= 1.5 * person.sizes.max()
        and column not in constant
        and are_unique_together([person, column])
    ]
    if crossed:
        order = min(crossed, key=lambda each: (-each.is_count, -is_named(each, "order"), each.name))
        hypothesis.order = order if order.is_count and order.n_levels >= 3 else None
        hypothesis.add(1.0 if hypothesis.order else 0.5, f"with {order.name} it names each row")
    # What each person has equally often was set within people.
    balanced = [
        column
        for column in facts.discrete
        if column is not person
        and column.n_levels <= person.rows_per_level
        and column not in constant
        and share_of_balanced_units(person.codes, column) > 0.9
    ]
    if balanced:
        points = 1.5 if person.rows_per_level > 2.2 else 0.5
        hypothesis.add(points, f"each has each level of {balanced[0].name} as often")
    traits = [column for column in facts.columns if is_named(column, "trait") and column is not person]
    differing = [
        each
        for each in traits
        if each not in balanced  # the sex of those whom each person judges was set
        and float(np.mean(levels_within(person, each) > 1)) > 0.5
        and not are_unique_together([person, each])  # an age of each year names the rows
    ]
    if differing and not any(each in constant for each in traits):
        hypothesis.add(-3.0, f"{differing[0].name} differs within it")
    if person.is_source:
        hypothesis.add(-1.5, "it is a file, a folder or a sheet")
    elif (joint := facts.find_joint(person)) is not None:
        reason = f"{person.label} is used again: {joint.label} may be the person"
        hypothesis.add(-1.0 if joint.is_open else -3.0, reason)
    others = [column for column in facts.unique if not column.is_count]
    if others:
        is_person = any(is_named(column, "person") for column in others)
        hypothesis.add(-2.5 if is_person else -1.0, _describe_difference(others[0]))
    if person.rows_per_level <= 2.2:
        hypothesis.add(-1.0 if person.is_even else -2.0, "only two rows each")
    finer = [
        column
        for column in facts.entities
        if column is not person
        and person in facts.determined_by(column)
        and column.n_levels < 0.6 * column.n_filled
        and not (person.is_source and column.is_source)
    ]
    if finer:
        hypothesis.add(-3.0, f"it is constant in {finer[0].name}")
    hypothesis.add(_person_name_points(person), "its name", of_names=True)
    of_parts = {of.parts[-1] for of in facts.entities if of.parts}
    numbers = (
        each
        for each in facts.columns
        if each.name in of_parts or (is_named(each, "person") and not is_named(person, "person"))
    )
    if (met := next((each for each in numbers if are_others(person, each)), None)) is not None:
        hypothesis.add(-3.0, f"each {met.label} meets another one of them")
    is_bare = not (constant or crossed or balanced or is_named(person, "person"))
    if is_bare and person.is_whole and not are_alike_somewhere(facts.columns, person):
        hypothesis.add(-3.0, "its rows are no more alike than any others")
    if person.is_whole and not person.is_even:
        hypothesis.add(-1.0 * (not person.is_count), "numbers that name nothing in order")
        # Of people who have several rows hardly anybody has one; of what was measured the rare values have.
        if np.mean(person.sizes == 1) > _MOST_SINGLE:
            hypothesis.add(-2.0, "many occur in one row only, as measured values do")
    return hypothesis


def _person_name_points(person: Column) -> float:
    is_person = is_named(person, "person")
    points = (
        1.5 * is_person - 1.5 * is_named(person, "order") - _MEASURED_NAME * (names_session(person) and not is_person)
    )
    if not is_person:
        points -= 1.5 * is_named(person, "game")
    return points - _MEASURED_NAME * _is_called_measured(person)


def _is_called_measured(column: Column) -> bool:
    """Whether a column is called as what is measured of people and games, which names neither."""
    return any(is_named(column, role) for role in ("amount", "trait", "outcome", "time"))


def _key_columns(facts: Facts) -> list[Column]:
    """Return the columns of which two or three may name a game together: numbers, sources, sessions."""
    people = [
        column
        for column in facts.entities
        if (not column.has_numbers and not column.is_source) or is_named(column, "person")
    ]

    def is_block(column: Column) -> bool:
        """Whether a column holds people, as a session does."""
        return (
            not column.has_numbers
            and column.n_levels <= 60
            and not is_named(column, "order")
            and any(determination(person, column) > HOLDS for person in people if person.n_levels > 3 * column.n_levels)
        )

    def is_block_of_numbers(column: Column) -> bool:
        """Whether numbers begin anew in each level of a column."""
        is_block_of_words = not column.has_numbers and 2 <= column.n_levels <= 60 and not is_named(column, "condition")
        return is_block_of_words and any(begins_anew(number, column) for number in numbers if number is not column)

    numbers = [column for column in facts.entities if column.is_count]
    columns = []
    for column in facts.discrete:
        is_measured = is_named(column, "time") and not column.is_count
        if (
            column.n_levels > 400
            or is_measured
            or is_named(column, "amount")
            or is_named(column, "trait")
            or column.parts
        ):
            continue
        if column.is_source and any(
            other.is_source and column in facts.determined_by(other) for other in facts.discrete
        ):
            continue  # the file says more than a part of its name
        is_regular = column.is_count or column.is_source or column.is_even or is_named(column, "game")
        is_usable = not column.is_uneven or column.is_source or column.is_count
        if ((is_regular or column.n_levels >= 5) and is_usable) or is_block(column) or is_block_of_numbers(column):
            columns.append(column)
    columns.sort(
        key=lambda each: (
            -max(names_game(each), is_named(each, "order")),
            -each.is_even,
            -each.n_levels,
            each.name,
        )
    )
    return sorted(columns[:_MOST_KEYS], key=lambda column: column.name)


class _Game:
    """A set of columns that may name games, while its seats are looked for."""

    def __init__(self, facts: Facts, game: tuple[Column, ...], codes: Codes, sizes: Codes) -> None:
        self.facts, self.game, self.codes, self.sizes = facts, game, codes, sizes
        self.seats = int(np.bincount(sizes).argmax())
        self.share = float((sizes == self.seats).mean())
        # A column that numbers the rounds of a row whose columns stood side by side belongs to each key.
        self.is_joint = sum(column.name != ROUND for column in game) > 1
        self.has_source = any(column.is_source for column in game)

    @property
    def is_plausible(self) -> bool:
        """Whether most games have the same few rows, and no column of the key is idle."""
        if not (2 <= self.seats <= MOST_SEATS and self.share >= 0.8):
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

    def seat_readings(self, repeated: Sequence[Hypothesis], others: list[Hypothesis]) -> list[Hypothesis]:
        """Return the readings that rows are the seats of these games; of twins in `others` one stays."""
        facts, game = self.facts, self.game
        seats = [
            column
            for column in facts.discrete
            if column not in game
            and not (column.is_source or is_named(column, "amount"))
            and self.seats <= column.n_levels <= self.seats + 1
            and are_unique_together([*game, column], least=_SEATS_AGAIN)
        ]
        people = [column for column in [*facts.entities, *facts.unique] if self._may_be_person(column)]
        # A number that begins anew in each session names nobody where the number of a session does.
        people = [column for column in people if facts.find_joint(column) not in people]
        # Who sits there tells the seats apart where nothing else does.
        are_named = self.is_joint or any(person.is_unique and not person.is_count for person in people)
        without_seat: list[Column | None] = [None] if people and are_named else []
        readings = [self._reading(seat, people, repeated) for seat in [*seats] or without_seat]
        kept = [reading for reading in readings if reading is not None]
        return [reading for reading in kept if self._replaces_twin(reading, others)]

    def _may_be_person(self, column: Column) -> bool:
        """Whether a column may name who sits in a seat: another one in each row of a game."""
        if column in self.game or column.is_source or column.is_open or column.is_moment:
            return False
        if column.parts and any(part.name == column.parts[-1] for part in self.game):
            return False  # an id names no game of those whom it names in each source
        is_number_of_person = column.is_count or (column.is_whole and (column.is_unique or column.is_even))
        if column.has_numbers and not is_number_of_person and not is_named(column, "person"):
            return False
        is_enough = column.is_unique or column.n_levels >= 2 * self.seats
        return is_enough and are_unique_together([*self.game, column])

    def _reading(
        self, seat: Column | None, people: Sequence[Column], repeated: Sequence[Hypothesis]
    ) -> Hypothesis | None:
        facts, game = self.facts, self.game
        hypothesis = Hypothesis("seats", game=game, seat=seat)
        has_unique_person = any(person.is_unique for person in people)
        is_whole = not (self.is_joint and people and not has_unique_person and not self.has_source)
        share_text = f"{self.share:.0%} of {len(self.sizes)} games have {self.seats} rows"
        if not self.is_joint:
            _add_entity(facts, game[0], hypothesis)
            hypothesis.add(1.5 if self.share > 0.95 else 1.0, share_text)
        else:
            if is_whole:
                hypothesis.add(size_points(len(self.sizes)), f"{len(self.sizes)} games")
            hypothesis.add((2.0 if self.share > 0.95 else 1.0) / (1 if is_whole else 2), share_text)
        if seat is not None and not are_unique_together([*game, seat]):
            hypothesis.add(-1.0, f"{seat.name} occurs twice in some")
        if self.seats > 2:
            hypothesis.add(-0.7 * (self.seats - 2), f"{self.seats} seats")
        if seat is not None and seat.is_even:
            hypothesis.add(0.5, f"{seat.name}: each of {seat.n_levels} once in a game")
        opposes = self._add_opposition(hypothesis, seat)
        self._add_person(hypothesis, [person for person in people if person is not seat], repeated)
        adds_up = self._add_sum(hypothesis)
        if self.is_joint and not self._add_key(hypothesis, repeated, has_sum=adds_up or opposes):
            return None
        if seat is None and not self.is_joint:
            hypothesis.add(-3.0 + 1.5 * (adds_up or opposes), "only people distinguish its seats")
        if any(are_acts(column) for column in facts.discrete if column not in game):
            hypothesis.add(-3.0, "each row is an act: words for offers and answers")
        hypothesis.add(self._name_points(seat), "names", of_names=True)
        return hypothesis

    def _add_opposition(self, hypothesis: Hypothesis, seat: Column | None) -> bool:
        """Add points where seats share one sum, or more for one is less for the other; return whether they do."""
        opposed = ""
        # What is one thing of each person, whatever the game, no game has shared out among its seats.
        of_people = {
            trait for each in self.facts.entities if each not in self.game for trait in self.facts.determined_by(each)
        }
        for column in self.facts.columns:
            is_amount = column.has_numbers and column.n_levels > 3 and column not in self.game and column is not seat
            is_name = names_game(column) or any(is_named(column, role) for role in ("person", "order"))
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
        ordered = sorted(
            people,
            key=lambda each: (-is_named(each, "person"), each.is_unique and each.is_count, -each.n_levels, each.name),
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
        if is_fitting or is_code or (self.is_joint and not person.is_unique):
            hypothesis.person = person
            hypothesis.add(1.5, f"{person.name} is another in each row of a game")
        elif is_named(person, "person"):
            hypothesis.person = person

    def _add_sum(self, hypothesis: Hypothesis) -> bool:
        """Add points where a number, or the sum of two columns, is one number in each game: a public good."""
        if self.share <= 0.9 or len(self.sizes) > 4_000:
            return False
        game_column = code_column("game", self.codes)
        if self.is_joint:
            for column in self._amounts():
                if determines(game_column, column) and not any(determines(part, column) for part in self.game):
                    hypothesis.add(3.0, f"{column.name} is one number in each")
                    return True
        amounts = [column for column in self._amounts() if determination(game_column, column) < 0.5]
        for first, second in itertools.combinations(amounts, 2):
            if determines(game_column, sum_of(first, second)):
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
            return self._add_rounds_of_group(hypothesis, repeated)
        if person is None or person.is_unique:
            hypothesis.add(1.5, "numbers begin anew in each part")
            return True
        # People who repeat, with others each time: the key holds what numbers their games.
        sessions_of_person = person.parts[:-1] if is_named(person, "person") else ()
        if hypothesis.seat is not None and hypothesis.seat.name in sessions_of_person:
            return False  # people of one game are of one session
        own = next((each.score for each in repeated if each.person is person), 0.0)
        hypothesis.add(max(0.0, own) - 1.0, f"{person.name} is a person who repeats")
        unit = code_column("game", self.codes)
        sessions = [
            column
            for column in self.facts.determined_by(person)
            if (column.has_codes or column.name in person.parts or is_named(column, "condition"))
            and not is_named(column, "person")
            and column is not hypothesis.seat
        ]
        parted = [column.name for column in sessions if column not in self.game and not determines(unit, column)]
        is_impossible = any(name in sessions_of_person for name in parted)
        hypothesis.add(
            -6.0 if is_impossible else max(-6.0, -2.0 * len(parted)),
            f"people of different {', '.join(parted)} would sit in it",
        )
        order = [
            column
            for column in self.game
            if (
                column.is_count or is_named(column, "order") or column.is_source or (column.is_whole and column.is_even)
            )
            and are_unique_together([person, column])
        ]
        if not order:
            return False
        if all(column.n_levels < 5 and not is_named(column, "game") for column in self.game if column not in order):
            hypothesis.add(-2.0, "few levels apart from the order: a condition?")
            if hypothesis.seat is None and not has_sum:
                return False
        is_called_game = any(names_game(column) for column in self.game if column not in order)
        if hypothesis.seat is not None and hypothesis.seat.name in person.parts and not (has_sum or is_called_game):
            hypothesis.add(-2.0, f"{hypothesis.seat.name} numbers people, and nothing else is of the game")
        if hypothesis.seat is None and not has_sum:
            hypothesis.add(-1.0, "nothing distinguishes its seats")
            if self._has_own_answers():
                hypothesis.add(-5.0, "each row has an offer and an answer of its own")
        return True

    def _add_rounds_of_group(self, hypothesis: Hypothesis, repeated: Sequence[Hypothesis]) -> bool:
        """Add what speaks for rounds of a group in which words name the seats; return whether anything does."""
        seat = hypothesis.seat
        is_known = seat is not None and (is_named(seat, "seat") or are_seat_words(seat))
        if seat is None or seat.has_numbers or not (is_known or self.seats > 2):
            return False  # two words are mostly the two conditions of a person
        orders = [column for column in self.game if column.is_count]
        groups = [column for column in self.game if column not in orders]
        own = [each.score for each in repeated if each.person in groups]
        if len(groups) != 1 or not own:
            return False
        hypothesis.add(max(0.0, own[0]) - 1.0, f"{groups[0].name} is a group that has several rounds")
        if not is_known:
            hypothesis.add(-6.0, f"or a person who has {seat.name} in each")
        return True

    def _has_own_answers(self) -> bool:
        """Whether amounts and answers to them differ within games: each row is a decision."""
        unit = code_column("game", self.codes)
        answers = [column for column in self.facts.discrete if column.n_levels == 2 and is_named(column, "outcome")]
        amounts = [column for column in self.facts.columns if column.has_numbers and is_named(column, "amount")]
        return bool(amounts) and any(float(np.mean(levels_within(unit, answer) > 1)) > 0.2 for answer in answers)

    def _name_points(self, seat: Column | None) -> float:
        points = 1.5 * any(map(names_game, self.game))
        points -= 1.5 * any(is_named(column, "person") and not is_named(column, "game") for column in self.game)
        if seat is not None:
            points += 2.0 * are_seat_words(seat) + is_named(seat, "seat")
            points -= 2.0 * is_named(seat, "order") + 1.5 * is_named(seat, "condition")
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


def _count_numbers(game: Sequence[Column]) -> int:
    return sum(column.is_count or column.is_source for column in game)


def _joint_events(facts: Facts, game: tuple[Column, ...], codes: Codes) -> Iterator[Hypothesis]:
    """Yield the reading that rows are what happened in games that several columns name: session, round and group.

    Whatever columns are combined, small groups hold few people. So it is held against people who are permuted over the
    rows: in games these would hardly ever be just two, three or four in each.
    """
    unit = code_column("game", codes)
    people = [
        column
        for column in facts.entities
        if column not in game
        and not column.is_source
        and (not column.has_numbers or is_named(column, "person"))
        and column.n_levels >= 2 * len(game)
    ]
    rng = np.random.default_rng(0)
    for person in people:
        inside = levels_within(unit, person)
        inside = inside[inside > 0]
        usual = int(np.bincount(inside).argmax())
        share = float(np.mean(inside == usual))
        if not (2 <= usual <= _MOST_IN_GAME and share > 0.9):
            continue
        permuted = replace(person, codes=rng.permutation(person.codes))
        by_chance = float(np.mean(levels_within(unit, permuted) == usual))
        if share - by_chance < 0.5:
            continue
        hypothesis = Hypothesis("events", person=person, game=game)
        if _add_acts(facts, unit, hypothesis) is None:
            continue
        hypothesis.add(size_points(unit.n_levels), f"{unit.n_levels} games")
        hypothesis.add(2.0, f"{usual} of {person.name} in {share:.0%} of them, and by chance in {by_chance:.0%}")
        hypothesis.add(1.5 * any(map(names_game, game)), "names", of_names=True)
        hypothesis.add(-1.0 * (len(game) - 1), f"{len(game)} columns name it")
        yield hypothesis
        return


def _events(facts: Facts, game: Column) -> Iterator[Hypothesis]:
    """Yield the reading that rows are what happened in a game, if anything speaks for it."""
    hypothesis = Hypothesis("events", game=(game,))
    _add_entity(facts, game, hypothesis)
    if not game.is_even:
        hypothesis.add(1.0, "games of different length")
    if game.is_source and any(begins_anew(number, game) for number in facts.discrete if not number.is_source):
        hypothesis.add(1.5, "numbers begin anew in each")
    elif (joint := facts.find_joint(game)) is not None:
        hypothesis.add(-1.0 if joint.is_open else -3.0, f"{game.label} is used again: {joint.label} may be the game")
    has_own_actors = _add_acts(facts, game, hypothesis)
    if has_own_actors is None:
        return
    # Of hundreds of rows any two words occur in each level: a clinic or a point of a scale looks like a long game.
    cases = next((each for each in facts.unique if is_named(each, "person") or is_named(each, "game")), None)
    if cases is not None and game.rows_per_level > _MOST_EVENTS:
        hypothesis.add(-2.0, f"long games, and {cases.name} names a case in each row")
    if hypothesis.seat is None:
        hypothesis.add(-2.0, "nobody acts twice or more in it")
        wider = (each for each in facts.determined_by(game) if each in facts.entities and not each.is_source)
        few = (each for each in wider if game.n_levels <= _MOST_IN_GAME * each.n_levels)
        if hypothesis.has_talk and (together := next(few, None)) is not None:
            hypothesis.add(-3.0, f"a few of them talk in each {together.name}")
    if not (facts.determined_by(game) or is_named(game, "game") or has_own_actors):
        hypothesis.add(-4.0 if hypothesis.seat is None else -1.5, "nothing is constant in it")
    points = 1.5 * is_named(game, "game") if is_named(game, "game") else -1.5 * is_named(game, "person")
    hypothesis.add(points - _MEASURED_NAME * _is_called_measured(game), "names", of_names=True)
    yield hypothesis


def _add_acts(facts: Facts, game: Column, hypothesis: Hypothesis) -> bool | None:
    """Add who acts in each game, talk, kinds of events and endings; None if there is nothing of these.

    Else whether those who act do so in one game only.
    """
    constant = facts.determined_by(game)
    talk = [column for column in facts.columns if column.is_prose and not column.is_dialogue]
    speakers = _find_speakers(facts, game, constant, has_talk=bool(talk))
    # Two act in each game, and not merely the two levels of a design within games.
    in_pairs = [column for column in speakers if np.mean(levels_within(game, column) == 2) > 0.9]
    actors = [
        column
        for column in in_pairs
        if column.n_levels > 2
        or are_seat_words(column)
        or _names_columns(facts, column)
        or is_called_seat(column)
        or (
            share_by_chance(game, column) < _BY_CHANCE
            and (talk or share_of_balanced_units(game.codes, column) < 0.9 or not game.is_even)
        )
    ]
    orders = [*facts.discrete, *(each for each in facts.columns if each.is_moment and each not in facts.discrete)]
    in_turns = [
        column
        for column in speakers
        if column not in actors and column.n_levels <= 6 and takes_turns(game, column, orders)
    ]
    has_turns = not actors and bool(in_turns)
    actors = actors or in_turns
    has_own_actors = False
    if actors:
        seat = max(actors, key=lambda each: (is_named(each, "seat"), are_seat_words(each), each.name))
        hypothesis.seat = seat
        hypothesis.add(1.5, f"{seat.name}: two in each game")
        has_own_actors = seat.n_levels > 2 and determines(seat, game)
        if has_own_actors:
            hypothesis.add(2.0, f"each {seat.name} in one game only")
    if talk:
        hypothesis.has_talk = True
        hypothesis.add(2.0, f"{talk[0].name} is talk")
    hypothesis.event = next((column for column in facts.discrete if are_acts(column)), None)
    if hypothesis.event is not None:
        hypothesis.add(1.5, "words for offers and answers", of_names=True)
    kinds = [
        (kind, amount) for kind, amount in facts.kinds_of_events([game, hypothesis.seat]) if amount.share_filled > 0.1
    ]
    if kinds:
        hypothesis.event = hypothesis.event or kinds[0][0]
        hypothesis.add(2.0, f"{kinds[0][1].name} occurs only with some kinds of {kinds[0][0].name}")
    if not (actors or kinds or talk):
        return None
    if (kinds or actors) and (ending := _find_ending(facts, game, constant)):
        hypothesis.add(1.0, f"{ending} at most once a game")
    if has_turns and hypothesis.seat is not None:
        hypothesis.add(0.5, f"{hypothesis.seat.name} takes turns")
    return has_own_actors


def _names_columns(facts: Facts, column: Column) -> bool:
    """Whether other columns are called after the two levels of a column: info.a1.points and info.a2.points."""
    words = tuple(english_name(plain_name(level)) for level in column.levels)
    names = (name for each in [*facts.columns, *facts.constants] for name in (each.name, *each.aliases))
    return len(words) == 2 and bool(pair_families(names, [(words[0], words[1])]))


def share_by_chance(game: Column, column: Column) -> float:
    """Return in which share of the games both of two levels would stand if they were dealt to rows by chance.

    Of many rows any two sexes occur in each session, and nobody acts there because of it.
    """
    share = column.sizes[0] / max(column.n_filled, 1)
    sizes = game.sizes[game.sizes > 0]
    return float(np.mean(1 - share**sizes - (1 - share) ** sizes))


def _find_speakers(facts: Facts, game: Column, constant: Sequence[Column], *, has_talk: bool) -> list[Column]:
    """Return the columns that may say who acts: words, or in a talk two codes."""
    # Where each row has columns of both seats, none of these says who acts in it.
    of_sides = {name for of in facts.sides.stems.values() for name in of} if facts.sides else set[str]()
    return [
        column
        for column in facts.discrete
        if column is not game
        and game.name not in column.parts
        and column.name not in of_sides
        and column not in constant
        and not (column.is_source or is_named(column, "outcome") or is_named(column, "trait"))
        and (not column.has_numbers or (has_talk and column.is_binary))
    ]


def _find_ending(facts: Facts, game: Column, constant: Sequence[Column]) -> str:
    """Return what stands at most once in a game, and in more than half of the games; empty if nothing does."""
    if game.rows_per_level < 2.5:
        return ""
    for column in facts.discrete:
        if column is game or not 2 <= column.n_levels <= 12 or column in constant:
            continue
        if column.has_numbers and column.n_levels != 2:
            continue
        for level, word in enumerate(column.levels):
            times = np.bincount(game.codes[(column.codes == level) & game.filled], minlength=game.n_levels)
            if times.max() == 1 and np.mean(times == 1) > 0.5:
                return f"{column.name} = {word}"
    return ""
