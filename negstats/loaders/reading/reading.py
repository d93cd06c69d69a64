"""The reading of a table as a whole: what a row is, what the columns are, and what is asked.

An answer needs a lead: the best reading of the rows must lead the second by `MARGIN` points, and by `MARGIN_UNNAMED` if
no name supports it. Otherwise the reading is a question, and where anything may repeat nothing is tested before it is
answered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from negstats.errors import UsageError, meant, shown
from negstats.loaders.reading.amounts import OfferReading, Side, read_offers
from negstats.loaders.reading.clusters import find_cluster, find_unnamed_groups
from negstats.loaders.reading.columns import HOLDS, Codes, Column
from negstats.loaders.reading.contradictions import find_contradictions
from negstats.loaders.reading.facts import MOST_OF_CONDITION, Facts, build_facts, size_points
from negstats.loaders.reading.families import share_rising
from negstats.loaders.reading.hypotheses import MOST_SEATS, Hypothesis, Kind
from negstats.loaders.reading.questions import SUBJECTS, Option, Question, read_answer, read_names
from negstats.loaders.reading.relations import (
    are_unique_together,
    determination,
    determines,
    differs_in_mean,
    flag_column,
    is_set_within,
    joint_codes,
    levels_within,
)
from negstats.loaders.reading.rivals import row_hypotheses
from negstats.loaders.reading.roles import RoleReader, Roles
from negstats.loaders.reading.words import LINE, is_named
from negstats.sanitize import first_few

MARGIN, MARGIN_UNNAMED = 2.0, 3.0
_MOST_RIVALS = 3
_MOST_CONDITIONS = 12  # that are asked about; a person may name any other column
_ROW_ANSWERS = (
    "give the number of an option, or alone, person:COLUMN, seats:COLUMN,COLUMN (that name the game) or events:COLUMN"
)
_MISSING_CODES = frozenset({9, 99, 999, 9999, 98, 998, 88, 888, 77})
_MOST_OF_CODES = 10  # levels of a scale, on which the least number may be negative
_FEWEST_OF_SERIES = 3
_RISING = 0.9  # of the people turn from no to yes once, or never, as the amount that they answer rises
_MOST_GROUPS, _ALL_OF_GROUP = 12, 0.95  # words of a column, in each of which a number stands always or never
_MOST_OF_SCALE, _FEWEST_OF_SCALE = 25, 20  # levels, and cells, of a scale of which one number may be a slip


class KnownRow(NamedTuple):
    """What a row is in the tables of a known program, by the names of its columns."""

    kind: Kind
    game: tuple[str, ...] = ()
    seat: str | None = None
    person: str | None = None


@dataclass
class Reading:
    """What a table is read as.

    Attributes
    ----------
    facts : Facts
        Of its columns.
    row : Hypothesis
        What a row is, as likely as not.
    rivals : list of Hypothesis
        Other readings of the rows that lie close.
    roles : Roles
        What the columns are.
    offer : OfferReading or None
        What is offered and answered.
    excluded : dict
        For a column the level whose rows are left out, as a person has answered.
    has_doubled_seats : bool
        Whether games in which a seat stands twice are left out.
    empty_rows : Column or None
        An outcome without which a row is left out: somebody began anew.
    alternatives : tuple or None
        The column that says which alternative is taken, what each is worth, and what was taken.
    missing : dict
        For a column the numbers that are likely codes for missing.
    questions : list of Question
        What is open, the costliest error first.
    answered : dict of str to Question
        The questions that were answered, by their subjects; `likely` is the answer.
    series : list of list of Column
        Families of columns that differ in a number: items of a scale, or decisions one after the other.
    thresholds : list of Column
        Those of them that are a yes or no to rising amounts.
    cluster : Column or None
        The sessions, groups or villages whose people are not independent of each other.
    answers : dict of str to str
        What a person has answered, by the subject.
    """

    facts: Facts
    row: Hypothesis
    rivals: list[Hypothesis]
    roles: Roles = field(default_factory=Roles)
    offer: OfferReading | None = None
    missing: dict[str, list[float]] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    answered: dict[str, Question] = field(default_factory=dict)
    excluded: dict[str, str] = field(default_factory=dict)
    has_doubled_seats: bool = False
    empty_rows: Column | None = None
    alternatives: tuple[Column, Column | None, Column | None] | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    series: list[list[Column]] = field(default_factory=list)
    are_scales: bool = False
    thresholds: list[Column] = field(default_factory=list)
    cluster: Column | None = None

    def ask(self, question: Question) -> tuple[int, ...]:
        """Ask a question, or take its answer where a person has given one; return the options that hold."""
        answer = self.answers.get(question.subject)
        if answer is None:
            self.questions.append(question)
            self.questions.sort(key=lambda each: (not each.is_stop, SUBJECTS.index(each.subject)))
            return question.likely
        places = read_answer(question, answer)
        self.answered[question.subject] = replace(question, likely=places)
        return places

    @property
    def repeats(self) -> bool:
        """Whether any reading that lies close has several rows of one person or game."""
        return any(hypothesis.kind != "alone" for hypothesis in [self.row, *self.rivals])


def read_columns(
    columns: Iterable[Column],
    answers: Mapping[str, str] | None = None,
    unit: str | None = None,
    known_rows: Sequence[KnownRow] = (),
) -> Reading:
    """Return the reading of a table.

    Parameters
    ----------
    columns
        The columns of the table.
    answers
        For a subject of `SUBJECTS` the answer that a person has given, see `read_answer`.
    unit
        The column that names the rows that belong together, where the file says so: its rows are elements of lists.
    known_rows
        What a row is where a known program wrote the table; several where the games of a row stand side by side.

    Raises
    ------
    UsageError
        If an answer is none of the options.
    """
    facts = build_facts(columns)
    every_column = [*facts.columns, *facts.constants]
    unit_column = next((column for column in every_column if unit in (column.name, *column.aliases)), None)
    reading = _read_rows(facts, unit_column)
    reading.answers = answers or {}
    _Asking(reading, known_rows).ask_all()
    return reading


def _read_rows(facts: Facts, unit: Column | None) -> Reading:
    """Choose the best reading of the rows, and those that lie too close to it."""
    hypotheses = row_hypotheses(facts, unit)
    best = hypotheses[0]
    margin = MARGIN if best.has_name else MARGIN_UNNAMED
    rivals = [
        other
        for other in hypotheses[1:]
        if not _numbers_rows(facts, best, other)
        and (
            (other.score > best.score - margin and other.score > 0)
            or _crosses(facts, best, other)
            or _is_used_again(facts, best, other)
            or _may_be_time(facts, best, other)
        )
    ]
    if not rivals and unit is None and (doubts := find_contradictions(facts, best)):
        best.doubts = doubts
        able = [other for other in hypotheses[1:] if other.score > 0 or other.kind == "alone"] or hypotheses[1:]
        rivals = ([other for other in able if not find_contradictions(facts, other)] or able)[:_MOST_RIVALS]
    if rivals and best.person is not None and best.person.is_count and not facts.determined_by(best.person):
        rivals += [other for other in hypotheses[1:] if other.kind == "alone" and other not in rivals]
    joint = None if best.person is None else facts.find_joint(best.person)
    if joint is not None and joint.is_open and best.kind in ("seats", "events"):
        rivals.insert(0, replace(best, person=joint))
    if rivals and best.kind != "repeated":
        # Whatever games are asked about, rows may be what a person did on their own.
        repeated = [each for each in hypotheses if each.kind == "repeated" and each.score > 0]
        # What tells a person's rows apart may be the person: judges of wines are wines of judges.
        repeated = [
            each for each in repeated if each.score > repeated[0].score - MARGIN or each.person is repeated[0].order
        ][:2]
        rivals = [*repeated, *(each for each in rivals if each not in repeated)]
    # Where a folder or a file is the person, the other parts of the path are too.
    if best.person is not None and best.person.is_source:
        rivals += [
            other
            for other in hypotheses[1:]
            if other not in rivals and other.kind == "repeated" and other.person is not None and other.person.is_source
        ]
    return Reading(facts, best, rivals)


def _may_be_time(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether what is taken for people may be steps of time, or people whose numbers begin anew in each arm.

    A running number is all that such people have: nothing is theirs, or only an arm that was given in turn. Steps of a
    simulation are crossed with all that was set, as people are of whom each did everything. Where no name says person,
    or rows of one number are no more alike than chance allows, each row may as well be a case of its own.
    """
    person = best.person
    if best.kind != "repeated" or other.kind != "alone" or person is None:
        return False
    if not person.is_count or person.is_source or LINE in person.aliases:
        return False
    is_alike = _are_alike(facts, person, best.order)
    if of_person := facts.determined_by(person):
        return not is_alike and all(column.n_levels <= MOST_OF_CONDITION for column in of_person)
    return not (is_named(person, "person") and is_alike)


def _are_alike(facts: Facts, person: Column, order: Column | None) -> bool:
    """Whether rows of a person are alike in some number, beyond what columns of few levels set for each row."""
    set_columns = [each for each in facts.discrete if each is not person and are_unique_together([person, each])]
    # Trials that a number tells apart are nobody's arms, but sessions that had a condition each may be.
    are_trials = not set_columns or not any(
        each.n_levels < set_columns[0].n_levels and not determines(person, each)
        for each in facts.determined_by(set_columns[0])
    )
    if are_trials and (order is not None or not set_columns or set_columns[0].numbers is not None):
        return True
    return any(
        differs_in_mean(person, _without_codes(column), set_columns[0])
        for column in facts.columns
        if column.has_numbers and column.n_levels > 4 and column is not person and not column.numbers_rows
    )


def _far_codes(column: Column) -> list[float]:
    """Return usual codes for a missing value that stand far from all other numbers of a column."""
    values = np.unique(column.values)
    ends = (float(values[0]), float(values[-1])) if len(values) > 3 else ()
    return [code for code in ends if abs(code) in _MISSING_CODES and _is_far(code, values[values != code])]


def _without_codes(column: Column) -> Column:
    """Return a column of numbers with nothing where it has such a code."""
    places = np.flatnonzero(np.isin(column.values, _far_codes(column)))
    return replace(column, codes=np.where(np.isin(column.codes, places), -1, column.codes))


def _most_different(best: Hypothesis, rivals: list[Hypothesis]) -> list[Hypothesis]:
    """Return rivals in an order in which each kind and person comes once before any comes again."""
    times: dict[object, int] = {(best.kind, best.person): 1}
    places = []
    for rival in rivals:
        key = (rival.kind, rival.person)
        places.append(times.setdefault(key, 0))
        times[key] += 1
    return [rival for _, rival in sorted(zip(places, rivals, strict=True), key=lambda each: each[0])]


def _crosses(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether two people are rivals whose numbers of levels do not count.

    Where two entities cross, eight people with forty trials look like forty people with eight trials.
    """
    if best.kind != "repeated" or other.kind != "repeated" or best.person is None or other.person is None:
        return False

    def score(hypothesis: Hypothesis) -> float:
        return hypothesis.score - (size_points(hypothesis.person.n_levels) if hypothesis.person else 0.0)

    is_nested = other.person in facts.determined_by(best.person) or best.person in facts.determined_by(other.person)
    is_scale = other.person.n_levels <= MOST_OF_CONDITION and _has_steps(other.person)
    return score(other) > score(best) - MARGIN and not (is_nested or is_scale) and other.score > 1.5


def _has_steps(column: Column) -> bool:
    """Whether levels are numbers that lie equally far apart, and by more than one: 0, 10, 20, as only amounts do."""
    steps = np.diff(np.unique(column.values)) if column.has_numbers else np.array([])
    return len(steps) > 1 and bool(steps[0] > 1) and bool((steps == steps[0]).all())


def _numbers_rows(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether another reading takes numbers of a person's rows for people who are numbered anew in each arm.

    The people's own numbers do not begin anew there.
    """
    if best.kind != "repeated" or best.person is None or best.order is None or other.person is None:
        return False
    *arms, number = other.person.parts or (other.person.name,)
    constant = {name for each in facts.determined_by(best.person) for name in (each.name, *each.aliases)}
    return bool(arms) and number == best.order.name and constant.issuperset(arms)


def _is_used_again(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether two readings differ in whether an id that stands in several sources is one person or game in all."""
    own, others = (
        {name for column in (*each.game, each.person) if column for name in column.parts or (column.name,)}
        for each in (best, other)
    )
    return any(column.is_open and own ^ others == {column.parts[0]} for column in facts.columns)


@dataclass
class _Asking:
    """Completes a reading of the rows by what follows from it, and asks what does not."""

    reading: Reading
    known_rows: Sequence[KnownRow] = ()

    def ask_all(self) -> None:
        """Ask about the rows first: what the columns are follows from it."""
        self._ask_rows()
        self._ask_columns()

    def _ask_columns(self) -> None:
        """Ask what the columns are, of which the rows are known."""
        reading = self.reading
        row = reading.row
        units = self._units()
        used = {column for column in (*row.game, row.person, row.seat, row.order, row.event) if column is not None}
        people = row.person if row.kind == "repeated" else None
        reading.series = self._series()
        if row.kind in ("repeated", "alone"):
            # One of several answers side by side answers no offer of the row.
            answers = {column for family in reading.series for column in family if column.n_levels <= 2}
            reading.offer = read_offers(reading.facts, people, used | answers, is_alone=row.kind == "alone")
        self._ask_offer()
        self._ask_alternatives()
        chosen = reading.alternatives[2] or reading.alternatives[0] if reading.alternatives else None
        in_series = frozenset(column for family in reading.series for column in family)
        reading.roles = RoleReader(reading.facts, row, reading.offer, units, chosen, in_series).read()
        reading.roles.outcomes += [column for column in reading.facts.constants if column in in_series]
        self._ask_missing()
        self._ask_outliers()
        self._ask_conditions()
        self._ask_cluster()
        if row.kind != "repeated":
            self._ask_series(reading.series)
        self._ask_excluded()
        if row.kind == "seats":
            self._ask_doubled()
        if row.kind == "alone":
            self._ask_unnamed_groups()
            self._ask_doubled_names()
        if row.kind == "repeated":
            self._ask_games_of_talk()

    def _units(self) -> Codes:
        """Return the game or the person of each row."""
        row = self.reading.row
        if row.kind in ("seats", "events"):
            return joint_codes(row.game)
        if row.kind == "repeated" and row.person is not None:
            return row.person.codes
        return np.arange(self.reading.facts.rows)

    def _ask_rows(self) -> None:
        """Ask what a row is where several readings lie close; a person may also name the columns."""
        reading = self.reading
        known = [self._known_reading(row) for row in self.known_rows]
        # A row that stands in several games is a seat of any of them, or a case of its own.
        reading.rivals = known if len(known) > 1 else _most_different(reading.row, reading.rivals)[:_MOST_RIVALS]
        options = [reading.row, *reading.rivals]
        answer = self.reading.answers.get("row")
        if answer is None and len(known) == 1:
            reading.row, reading.rivals = known[0], []
            return
        if answer is not None and not answer.isdecimal() and answer not in [each.label for each in options]:
            named = self._row_of(answer)
            options = [named, *(each for each in options if each.label != named.label)]
            answer = "1"
        elif len(options) == 1 and answer is None:
            return
        question = Question(
            "row",
            "What is one row?",
            tuple(Option(each.label, f"{each.score:.1f} points: {each.reasons}") for each in options),
            is_stop=reading.repeats,
        )
        if answer is None:
            self.reading.ask(question)
            return
        places = read_answer(question, answer)
        if not places:
            raise UsageError(f"--answer row={self.reading.answers['row']}: a row is something; {_ROW_ANSWERS}")
        reading.answered["row"] = replace(question, likely=places)
        reading.row, reading.rivals = options[places[0] - 1], []

    def _known_reading(self, row: KnownRow) -> Hypothesis:
        """Return the reading of the rows that a known program's own columns name."""
        joint = (column for column in self.reading.facts.columns if column.parts[-1:] == (row.person,))
        person = next(joint, None) or (None if row.person is None else self._column_of(row.person))
        seat = None if row.seat is None else self._column_of(row.seat)
        game = tuple(self._column_of(name) for name in row.game)
        hypothesis = Hypothesis(row.kind, person=person, game=game, seat=seat)
        hypothesis.add(MARGIN_UNNAMED, "a program's own columns name its games and seats", of_names=True)
        return hypothesis

    def _row_of(self, answer: str) -> Hypothesis:
        """Return the reading of the rows that a person has named by its columns."""
        kind, _, names = answer.partition(":")
        columns = tuple(self._column_of(name) for name in read_names(names))
        facts = self.reading.facts
        match kind.strip(), columns:
            case "alone", ():
                hypothesis = next(each for each in row_hypotheses(facts) if each.kind == "alone")
            case "person", (person,):
                same = (each for each in row_hypotheses(facts) if each.kind == "repeated" and each.person is person)
                hypothesis = next(same, Hypothesis("repeated", person=person))
            case "seats" | "events" as rows, (_, *_):
                same = (each for each in row_hypotheses(facts) if each.kind == rows and set(each.game) == set(columns))
                hypothesis = next(same, None) or self._of_games(rows, columns)
            case _:
                raise UsageError(f"--answer row={answer}: names no kind of row; {_ROW_ANSWERS}")
        return hypothesis

    def _of_games(self, kind: Literal["seats", "events"], game: tuple[Column, ...]) -> Hypothesis:
        """Return a reading by games that a person has named, with who sits or acts in them."""
        facts = self.reading.facts
        others = [column for column in facts.columns if column not in game and not column.is_source]
        fitting = [column for column in others if kind == "events" or are_unique_together([*game, column], least=1.0)]
        seats = [column for column in fitting if is_named(column, "seat") and column.n_levels <= MOST_SEATS]
        people = [column for column in fitting if is_named(column, "person")]
        seats += [column for column in fitting if column.n_levels <= MOST_SEATS and not seats and kind == "seats"]
        return Hypothesis(kind, person=next(iter(people), None), game=game, seat=next(iter(seats), None))

    def _ask_offer(self) -> None:
        """Ask who made the offers where no identity says it, and which answer is acceptance."""
        offer = self.reading.offer
        if offer is None or offer.is_certain:
            return
        amount, answer = offer.amount.name, offer.answer.name
        other = next(level for level in offer.answer.levels if level != offer.accepted)
        accepts = f"{answer} = {offer.accepted} accepts"
        readings: list[tuple[str, tuple[Side, Side, str] | None]]
        if offer.person == "responder" and not offer.is_identity:
            readings = [
                (f"{accepts}, and {amount} is what the person gets", ("responder", "responder", offer.accepted)),
                (f"{answer} = {other} accepts, and {amount} is what the other keeps", ("responder", "proposer", other)),
            ]
        else:
            whose = "keeps" if offer.to == "proposer" else "gives"
            readings = [
                (f"{amount} is offered to the person: {accepts}", ("responder", offer.to, offer.accepted)),
                (f"{amount} is what the person {whose}: {accepts}", ("proposer", offer.to, offer.accepted)),
            ]
        readings.append((f"{amount} is not an offer", None))
        options = tuple(Option(words, offer.evidence if read else "") for words, read in readings)
        # Any number may go with any answer: where neither names nor words say that something is accepted, it is likely
        # none.
        is_called_so = (
            is_named(offer.amount, "amount") and is_named(offer.answer, "outcome")
        ) or offer.person is not None
        is_called_so = is_called_so or (offer.is_spelled and is_named(offer.amount, "amount"))
        likely = (1,) if is_called_so else (len(readings),)
        # Both readings of a person who answers say the same of the numbers; of a code, 1 is yes.
        is_mirrored = offer.person == "responder" and not offer.is_identity and not is_named(offer.amount, "amount")
        if is_mirrored and (offer.accepted, other) == ("0", "1"):
            likely = (2,)
        places = self.reading.ask(Question("offer", "Who offers what to whom?", options, likely))
        chosen = readings[places[0] - 1][1] if places else None
        if chosen is None:
            self.reading.offer = None
            return
        person, to, accepted = chosen
        is_certain = "offer" in self.reading.answered
        self.reading.offer = replace(offer, person=person, to=to, accepted=accepted, is_certain=is_certain)

    def _ask_conditions(self) -> None:
        """Ask which columns the experimenter set, of those that may be conditions and may be none."""
        roles = self.reading.roles
        ranked = sorted(roles.asked, key=lambda each: (-each[0], each[1].name))
        asked = [column for _, column in ranked[:_MOST_CONDITIONS]]
        # Where a condition is known, columns for which nothing speaks are not worth a question; a person may name them.
        is_open = not roles.conditions or any(points >= 0 for points, _ in ranked)
        answer = self.reading.answers.get("condition")
        if answer is None and not (asked and is_open):
            return
        # A person may name any column, whether it is asked about or not.
        named = [] if answer is None else [self._column_of(name) for name in read_names(answer) if not name.isdecimal()]
        offered = [*asked, *(column for column in named if column not in asked)]
        are_likely = set(roles.likely_conditions)
        likely = tuple(place for place, column in enumerate(offered, 1) if column in are_likely)
        question = Question(
            "condition",
            "Which of these did the experimenter set?",
            tuple(Option(column.name, "; ".join(roles.evidence.get(column.name, []))) for column in offered),
            likely,
            is_several=True,
        )
        chosen = [offered[place - 1] for place in self.reading.ask(question)]
        for column in chosen:
            if column not in roles.conditions:
                roles.conditions.append(column)
            roles.outcomes = [other for other in roles.outcomes if other is not column]
        if answer is not None:
            roles.refused = [column for column in asked if column not in chosen]
            roles.asked = []
            if self.reading.row.kind != "alone":
                roles.drop_parts()

    def _ask_cluster(self) -> None:
        """Ask whether units that lie in one session, group or village are independent of each other."""
        reading = self.reading
        roles = reading.roles
        given = [*roles.conditions, *(column for _, column in roles.asked)]
        cluster = find_cluster(reading.facts, reading.row, given, roles.outcomes)
        if cluster is None:
            return
        name = cluster.column.label
        options = (
            Option(f"rows of one {name} belong together: conditions are compared between levels of {name}",
                   cluster.evidence),
            Option(f"{name} is a label: people of one {name} did not meet, and are independent", ""),
        )  # fmt: skip
        question = Question(
            "cluster", f"Did people meet only within {name}?", options, (1,) if cluster.is_likely else (2,)
        )
        if reading.ask(question) == (1,):
            reading.cluster = cluster.column
        roles.drop([cluster.column])

    def _column_of(self, name: str) -> Column:
        """Return a column that a person has named."""
        facts = self.reading.facts
        for column in [*facts.columns, *facts.constants]:
            if name in (column.name, *column.aliases):
                return column if name == column.name else replace(column, name=name)
        names = [column.name for column in facts.columns]
        raise UsageError(f"--answer: there is no column {shown(name)}; {meant(name, names, 'the log has')}")

    def _ask_missing(self) -> None:
        """Ask about numbers that stand far from all others and are usual codes for a missing value."""
        reading = self.reading
        amounts = [reading.offer.amount] if reading.offer else []
        likely_codes: dict[str, list[float]] = {}
        counts = []
        measured = [*reading.roles.outcomes, *reading.roles.traits, *amounts]
        of_numbers = [column for column in measured if column.has_numbers]
        for column in of_numbers:
            values = np.unique(column.values)
            for code in (float(values[0]), float(values[-1])):
                others = values[values != code]
                if len(others) < 3:
                    continue
                is_far = code in _far_codes(column)
                is_lone = code < 0 <= others[0] and (_is_heaped(column, code) or self._stands_for_nothing(column, code))
                if is_far or is_lone:
                    likely_codes.setdefault(column.name, []).append(code)
        if not likely_codes:
            return
        marks = self._marks_of(likely_codes)
        likely_codes |= {column.name: [float(column.values[0])] for column in marks}
        for column in dict.fromkeys([*of_numbers, *marks]):
            for code in likely_codes.get(column.name, ()):
                cells = int(column.sizes[column.values == code].sum())
                counts.append(f"{code:g} in {column.name} ({cells} cells)")
        evidence = "; ".join(
            f"{name}: the others are far from it, it is the only negative number, or it is that of whole groups"
            for name in likely_codes
        )
        question = Question(
            "missing",
            "Do these numbers mean a missing value?",
            (Option("they mean missing: " + ", ".join(counts), evidence), Option("they are values", "")),
        )
        if self.reading.ask(question)[:1] == (1,):
            reading.missing = likely_codes
            reading.roles.drop(marks)

    def _marks_of(self, codes: Mapping[str, Sequence[float]]) -> list[Column]:
        """Return columns of one number besides the code for missing of several others: marks of events, no levels."""
        times = Counter(code for of in codes.values() for code in of)
        return [
            column
            for column in self.reading.facts.columns
            if column.has_numbers and column.n_levels == 2 and times[float(column.values[0])] >= _FEWEST_OF_SERIES
        ]

    def _stands_for_nothing(self, column: Column, code: float) -> bool:
        """Whether a number stands in all rows of some levels of another column and in no others: -1 of responders."""
        flag = flag_column("", np.asarray(column.numbers == code))
        words = (each for each in self.reading.facts.discrete if not each.has_numbers and each.n_levels <= _MOST_GROUPS)
        return any(determination(each, flag) > _ALL_OF_GROUP for each in words if each is not column)

    def _ask_outliers(self) -> None:
        """Ask about a number that stands alone, far from all others of a scale: 30 among offers of 1 to 5."""
        reading = self.reading
        amounts = [reading.offer.amount] if reading.offer else []
        far: dict[str, list[float]] = {}
        for column in [*amounts, *reading.roles.outcomes]:
            is_scale = (
                column.is_whole and 4 <= column.n_levels <= _MOST_OF_SCALE and column.n_filled >= _FEWEST_OF_SCALE
            )
            if not is_scale or column.name in far or column.name in reading.missing:
                continue
            values = np.unique(column.values)
            for place in (0, -1):
                others = np.delete(values, place)
                gap = float(np.min(np.abs(others - values[place])))
                is_lone = int((column.numbers == values[place]).sum()) == 1
                if is_lone and gap > 3 * (others.max() - others.min()):
                    far.setdefault(column.name, []).append(float(values[place]))
        if not far:
            return
        named = ", ".join(f"{value:g} in {name}" for name, values in far.items() for value in values)
        options = (
            Option(
                f"a value like the others: {named}",
                "it occurs once, farther from the others than three times their range",
            ),
            Option("a slip: it counts as missing", ""),
        )
        if self.reading.ask(Question("outlier", f"What is {named}?", options)) == (2,):
            reading.missing |= far

    def _series(self) -> list[list[Column]]:
        """Return the families of columns that differ in their last number, of numbers or of the same two words."""
        if self.reading.row.kind == "events":
            return []
        series: dict[tuple[str, str], list[tuple[int, Column]]] = {}
        facts = self.reading.facts
        for column in [*facts.columns, *facts.constants]:  # what everybody did is an answer too
            parts = re.fullmatch(r"(.*?)[ _.]?(\d+)([^\d.]*)", column.name)
            are_grades = column.has_numbers or all(re.match(r"\s*\d", level) for level in column.levels)
            if parts and parts[1] and (are_grades or column.n_levels <= 2) and not column.is_unique:
                series.setdefault((parts[1], parts[3]), []).append((int(parts[2]), column))
        families = [[column for _, column in sorted(of, key=lambda each: each[0])] for of in series.values()]
        person = self.reading.row.person
        if self.reading.row.kind == "repeated" and person is not None:  # items that each person has answered once
            families = [family for family in families if all(determines(person, column) for column in family)]
        return [
            family
            for family in families
            if len(family) >= _FEWEST_OF_SERIES
            and len({column.n_levels <= 2 for column in family}) == 1
            and (
                len({level for column in family for level in column.levels}) == 2
                or all(column.has_numbers or re.match(r"\s*\d", column.levels[0]) for column in family)
            )
        ]

    def _ask_series(self, families: list[list[Column]]) -> None:
        """Ask whether columns that differ in a number are items of a scale, of their own, or answers to amounts."""
        if not families:
            return
        names = "; ".join(f"{family[0].name} to {family[-1].name}" for family in families)
        options = [
            Option("items of one scale, of which the mean is taken", ""),
            Option("decisions or measures of their own, each of which is asked about", ""),
        ]
        shares = [share_rising(family) for family in families]
        rising = families[int(np.argmax(shares))]
        if max(shares) > _RISING:
            words = f"{rising[0].name} to {rising[-1].name} are a yes or no to rising amounts: the least yes counts"
            options.append(Option(words, f"no turns to yes once, or never, in {max(shares):.0%} of the rows"))
        has_numbers = any(all(column.has_numbers for column in family) for family in families)
        if len(options) == 2 and not (has_numbers and self.reading.row.person is not None):
            return  # no mean can be taken, so that no answer would change anything
        places = self.reading.ask(
            Question("decisions", f"What are the columns {names}?", tuple(options), (len(options),))
        )
        self.reading.are_scales = places == (1,)
        if places == (3,):
            self.reading.thresholds = rising

    def _ask_excluded(self) -> None:
        """Ask which rows count, where a column says that some were no good, or most hold nothing of what happened."""
        reading, flag = self.reading, next(iter(self.reading.roles.flags), None)
        rare = 0 if flag is None else int(np.argmin(flag.sizes))
        options, about = [Option("all rows count", "")], []
        if flag is not None:
            counts = f"{int(flag.sizes[rare])} of {flag.n_filled} rows"
            options.append(Option(f"rows with {flag.name} = {flag.levels[rare]} are excluded", counts))
            about.append(f"whatever {flag.name} says")
        block = self._find_empty_block() if reading.row.kind in ("alone", "repeated") else []
        if block:
            names = first_few([column.name for column in block])
            counts = f"empty together in {block[0].rows - block[0].n_filled} of {block[0].rows} rows"
            options.append(Option(f"rows without {names} are excluded", counts))
            about.append(f"also where {names} are empty")
        if not about:
            return
        places = reading.ask(Question("excluded", f"Do all rows count, {' and '.join(about)}?", tuple(options)))
        if block and places == (len(options),):
            reading.empty_rows = block[0]
        elif flag is not None and places == (2,):
            reading.excluded[flag.name] = flag.levels[rare]

    def _find_empty_block(self) -> list[Column]:
        """Return columns that are empty together in most rows, which no level of another column explains: [] for none.

        A question that one condition only is asked, or what one of two roles does, is empty by design. Where nothing
        says why, people were not there, and a zero in these rows is not a decision.
        """
        facts = self.reading.facts
        by_rows: dict[bytes, list[Column]] = {}
        for column in facts.columns:
            if 0 < column.n_filled < 0.5 * column.rows:
                by_rows.setdefault(np.packbits(column.filled).tobytes(), []).append(column)
        block = max(by_rows.values(), key=len, default=[])
        if len(block) < _FEWEST_OF_SERIES:
            return []
        for each in facts.discrete:
            if each.share_filled < 1 or each.n_levels > _MOST_GROUPS:
                continue
            shares = np.bincount(each.codes, weights=block[0].filled, minlength=each.n_levels) / each.sizes
            # An outcome that is zero where nothing happened says the same again, unless it leads to these columns.
            rest = 0.0 if each in self.reading.roles.outcomes else 1 - _ALL_OF_GROUP
            if shares.max() >= 1 - rest and bool(np.all((shares <= rest) | (shares >= 1 - rest))):
                return []
        return block

    def _ask_doubled(self) -> None:
        """Ask about rows that name a seat twice."""
        row = self.reading.row
        teller = row.seat or row.person
        if teller is None:
            return
        codes = joint_codes([*row.game, teller])
        codes = codes[codes >= 0]
        doubled = int((np.bincount(codes)[codes] > 1).sum()) if codes.size else 0
        if not doubled:
            return
        counts = f"{doubled} rows name a seat that occurs twice"
        of_games = Option("these games are excluded and counted", counts)
        empty = self._find_empty_rows([*row.game, teller])
        options = [of_games]
        if empty is not None:
            options.insert(0, Option(f"rows without {empty.name} are excluded: somebody began anew", counts))
        places = self.reading.ask(
            Question("doubled", "What should happen to seats that occur twice in a game?", tuple(options))
        )
        is_of_rows = empty is not None and places == (1,)
        self.reading.empty_rows = empty if is_of_rows else None
        self.reading.has_doubled_seats = not is_of_rows

    def _ask_unnamed_groups(self) -> None:
        """Stop where rows that stand together share what only a group has, and no column names the groups."""
        facts = self.reading.facts
        reason = None if facts.sides is not None else find_unnamed_groups(facts)
        if reason is None:
            return
        options = (
            Option("they are no group: each row is a separate case", ""),
            Option("they are one group or game, for which the log needs a column that names it", reason),
        )
        places = self.reading.ask(Question("game", f"Why do {reason}?", options, is_stop=True))
        if places == (2,):
            raise UsageError(f"--answer game=2: {reason}; add a column that names their group, and map the log again")

    def _ask_doubled_names(self) -> None:
        """Ask about rows whose name is that of another row, where a column names nearly each row."""
        name = self.reading.row.person
        if name is None or name in self.reading.roles.outcomes:
            return
        is_person, n_doubled = is_named(name, "person"), int(name.sizes[name.sizes > 1].sum())
        if not n_doubled or not (is_person or is_named(name, "game") or not name.has_numbers):
            return
        repeated = [name.levels[place] for place in np.flatnonzero(name.sizes > 1)]
        counts = f"{n_doubled} of {name.n_filled} rows: {first_few(repeated)}"
        is_of_one = is_person or not is_named(name, "game")
        separate = "cases of one person each, who is one unit" if is_of_one else "separate games"
        options = (Option(separate, counts), Option("one case entered twice: it is excluded and counted", counts))
        question = Question("doubled", f"What are the {n_doubled} rows whose {name.name} occurs twice?", options)
        self.reading.has_doubled_seats = self.reading.ask(question) == (2,)

    def _find_empty_rows(self, key: list[Column]) -> Column | None:
        """Return an outcome that is empty just in rows whose seat stands twice, and leaves each seat once."""
        codes = joint_codes(key)
        times = np.bincount(codes[codes >= 0])
        is_doubled = (codes >= 0) & (times[np.maximum(codes, 0)] > 1)
        for column in self.reading.roles.outcomes:
            is_empty = ~column.filled
            rest = codes[column.filled & (codes >= 0)]
            if is_empty.any() and bool(is_doubled[is_empty].all()) and int(np.bincount(rest).max()) == 1:
                return column
        return None

    def _ask_alternatives(self) -> None:
        """Ask whether the rows of a person are the alternatives of one choice, of which exactly one is taken."""
        row, facts = self.reading.row, self.reading.facts
        person = row.person
        if row.kind != "repeated" or person is None or person.rows_per_level <= 2.5:
            return
        for column in facts.discrete:
            if not column.is_binary or column in facts.determined_by(person) or self._is_one_of_a_design(column):
                continue
            taken = np.bincount(person.codes[(column.codes == 1) & person.filled], minlength=person.n_levels)
            if np.mean(taken == 1) <= 0.95:
                continue
            chosen, named_by = self._chosen_value(column, person)
            option = (
                f"the rows of one {person.name} are the alternatives of one choice, {column.name} = 1 is the one taken"
            )
            question = Question(
                "alternatives",
                f"Are the rows of one {person.name} decisions, or alternatives of one?",
                (
                    Option(option, f"exactly one row with {column.name} = 1 in {np.mean(taken == 1):.1%}"),
                    Option("each row is a decision", ""),
                ),
                is_stop=True,
            )
            if self.reading.ask(question) == (1,):
                self.reading.alternatives = (column, chosen, named_by)
            return

    def _is_one_of_a_design(self, column: Column) -> bool:
        """Whether a column is 1 at one level of what each person has as often, as a condition spelled out is."""
        person = self.reading.row.person
        return person is not None and any(
            other.n_levels > 2 and is_set_within(person.codes, other) and determines(other, column)
            for other in self.reading.facts.discrete
            if other is not person and not determines(person, other)
        )

    def _chosen_value(self, taken: Column, person: Column) -> tuple[Column | None, Column | None]:
        """Return the column of what each alternative is worth, and the one that repeats what was taken."""
        is_taken = taken.codes == 1
        columns = [column for column in self.reading.facts.columns if column.has_numbers]
        for offered in columns:
            for chosen in columns:
                if offered is chosen or offered.numbers is None or chosen.numbers is None:
                    continue
                is_same = np.mean(offered.numbers[is_taken] == chosen.numbers[is_taken]) > HOLDS
                if is_same and determines(person, chosen) and determination(person, offered) < 0.5:
                    return offered, chosen
        return None, None

    def _ask_games_of_talk(self) -> None:
        """Stop where people who repeat talk, or do different things, and no column is known to name their games."""
        reading = self.reading
        facts, person = reading.facts, reading.row.person
        talk = [
            column
            for column in facts.columns
            if column is not person
            and not column.has_numbers
            and column.n_levels > 0.2 * column.rows
            and not column.is_unique
            and column.share_filled > 0.5
            and not all(re.search(r"\d", level) for level in column.levels[:50])
        ]
        if person is None:
            return
        kinds = [kind for kind, _ in facts.kinds_of_events([person]) if not is_named(kind, "outcome")]
        # What each person has as often is a condition of which one level has a question of its own.
        acts = [kind for kind in kinds if not (is_set_within(person.codes, kind) or determines(person, kind))]
        if not (talk or acts):
            return
        shared = [
            column
            for column in facts.discrete
            if column is not person
            and (
                column.is_count
                or (column.n_levels >= 3 and not column.has_numbers and np.median(levels_within(column, person)) >= 1.5)
            )
        ]
        what = "talk" if talk else "different kinds of events"
        options = [Option(column.name, "each contains several people") for column in shared[:6]]
        options.append(Option("nobody else: rows are a person's own decisions", ""))
        text = f"{(talk or acts)[0].name} looks like {what}: which columns name the conversation or the game?"
        places = self.reading.ask(
            Question("game", text, tuple(options), (len(options),), is_stop=True, is_several=True)
        )
        game = tuple(shared[place - 1] for place in places if place < len(options))
        if not game:
            return
        # What happened in games is no decision of a person: who talked sat there.
        reading.row = replace(self._of_games("events", game), person=person, seat=person, has_talk=bool(talk))
        reading.rivals, reading.offer, reading.alternatives = [], None, None
        reading.questions.clear()
        self._ask_columns()
        reading.roles.drop(talk)
        reading.roles.texts = list(dict.fromkeys([*reading.roles.texts, *talk]))


def _is_heaped(column: Column, code: float) -> bool:
    """Whether a code stands oftener than nine in ten of the many other whole numbers: no value that few fall below."""
    is_code = column.is_whole and (code == -1 or abs(code) in _MISSING_CODES)
    is_scale = column.n_levels <= _MOST_OF_CODES
    if not is_code or is_scale or column.level_numbers is None:
        return False
    is_other = column.level_numbers != code
    return float(column.sizes[~is_other].sum()) > float(np.quantile(column.sizes[is_other], 0.9))


def _is_far(code: float, others: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """Whether a number lies farther from all others than half of their range."""
    return bool(np.min(np.abs(others - code)) > (others.max() - others.min()) * 0.5)
