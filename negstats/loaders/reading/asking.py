"""The questions that complete a reading: what follows from the rows is taken, and what does not is asked.

Where a reading of the rows is open and anything may repeat, nothing is tested before it is answered.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from negstats.errors import UsageError, meant, shown
from negstats.loaders.reading.amounts import OfferReading, Side, other_of, read_offers
from negstats.loaders.reading.asked_cells import (
    ask_doubled,
    ask_doubled_names,
    ask_excluded,
    ask_missing,
    ask_outliers,
    ask_partners,
    ask_people_of_seats,
    ask_series,
    ask_unnamed_groups,
    ask_who_acts,
    find_series,
)
from negstats.loaders.reading.choice import MARGIN_UNNAMED, choose_row, most_different
from negstats.loaders.reading.clusters import find_clusters
from negstats.loaders.reading.columns import HOLDS, Column
from negstats.loaders.reading.facts import MOST_OF_CONDITION, build_facts
from negstats.loaders.reading.families import are_programs
from negstats.loaders.reading.hypotheses import MOST_SEATS, Hypothesis
from negstats.loaders.reading.missing_codes import far_codes, without_codes
from negstats.loaders.reading.questions import Option, Question, read_names
from negstats.loaders.reading.reading import KnownRow, Reading
from negstats.loaders.reading.relations import (
    are_unique_together,
    crossed,
    determination,
    determines,
    is_set_within,
    levels_within,
)
from negstats.loaders.reading.rivals import row_hypotheses
from negstats.loaders.reading.roles import RoleReader
from negstats.loaders.reading.row_facts import RowFacts
from negstats.loaders.reading.sessions import are_people_again
from negstats.loaders.reading.words import LINE, is_named, names_game, names_session

_MOST_CONDITIONS = 12  # that are asked about; a person may name any other column
_ROW_ANSWERS = (
    "give the number of an option, or alone, person:COLUMN, seats:COLUMN,COLUMN (that name the game) or events:COLUMN"
)


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
    answers = answers or {}
    columns = list(columns)
    coded = {each.name: each for each in columns if far_codes(each) and not _names_units(each)}
    if answers.get("missing", "1") == "1":
        # Codes for missing hide sums and differences: facts are looked for as if they meant nothing.
        columns = [without_codes(each) if each.name in coded else each for each in columns]
    facts = build_facts(columns)
    every_column = [*facts.columns, *facts.constants]
    unit_column = next((column for column in every_column if unit in (column.name, *column.aliases)), None)
    reading = Reading(facts, *choose_row(facts, unit_column))
    reading.answers, reading.coded = answers, coded
    _Asking(reading, known_rows).ask_all()
    return reading


def _names_units(column: Column) -> bool:
    """Whether a column is called as what has any number as its name: the person 99, or the group of 9."""
    return is_named(column, "person", "order") or names_game(column) or names_session(column)


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
        reading.facts.columns += [each for each in row.game if each.is_pair and each not in reading.facts.columns]
        ask_who_acts(reading)
        used = {column for column in (*row.game, row.person, row.seat, row.order, row.event) if column is not None}
        people = row.person if row.kind == "repeated" else None
        reading.series = find_series(self.reading)
        if row.kind in ("repeated", "alone"):
            # One of several answers side by side answers no offer of the row.
            answers = {column for family in reading.series for column in family if column.n_levels <= 2}
            reading.offer = read_offers(reading.facts, people, used | answers, is_alone=row.kind == "alone")
        self._ask_offer()
        chosen = self._ask_alternatives()
        self._read_roles(chosen)
        ask_people_of_seats(reading)
        ask_missing(self.reading)
        ask_outliers(self.reading)
        self._ask_conditions()
        self._ask_cluster()
        if row.kind != "repeated":
            ask_series(self.reading, reading.series)
        ask_excluded(self.reading)
        if row.kind == "seats":
            ask_doubled(self.reading)
        of_pair = ask_partners(reading) if row.kind in ("alone", "repeated") else None
        if of_pair is not None:
            # Of seats other columns may be conditions, and other numbers are what people are.
            reading.row, reading.rivals, reading.offer = of_pair, [], None
            reading.questions = [each for each in reading.questions if each.subject in ("row", "game")]
            self._ask_columns()
        elif row.kind == "alone":
            self._ask_lone_cases()
        elif row.kind == "repeated" and "game" not in reading.answered:
            self._ask_games_of_talk()

    def _read_roles(self, chosen: Column | None) -> None:
        """Read what the columns are; `chosen` says which row of a person was taken."""
        reading, row = self.reading, self.reading.row
        in_series = frozenset(column for family in reading.series for column in family)
        reading.roles = RoleReader(RowFacts(reading.facts, row, chosen, in_series), reading.offer).read()
        reading.roles.outcomes += [column for column in reading.facts.constants if column in in_series]
        # What numbers the groups of a session or period, and names a game only together with these, was set for nobody.
        numbers = (column for column in row.game if len(row.game) > 1 and column.is_count)
        reading.roles.drop([column for column in numbers if names_game(column)])
        met = reading.facts.met
        if met is not None and reading.facts.sides is not None and not are_programs(*met):
            reading.roles.drop(met)  # who buys and who sells was set for nobody

    def _ask_lone_cases(self) -> None:
        """Ask whether cases of their own are members of groups, or one case entered twice."""
        reading = self.reading
        # Who name each other have been said to be no group, and a group that is an option of the rows has a name.
        if "game" not in reading.answered and not any(rival.kind == "seats" for rival in reading.rivals):
            ask_unnamed_groups(reading)
        ask_doubled_names(reading)

    def _ask_rows(self) -> None:
        """Ask what a row is where several readings lie close; a person may also name the columns."""
        reading = self.reading
        known = [self._known_reading(row) for row in self.known_rows]
        # A row that stands in several games is a seat of any of them, or a case of its own.
        rivals = known if len(known) > 1 else most_different(reading.row, reading.rivals)
        if len(known) > 1 and any(each.kind != "seats" for each in known):
            reading.row, *rivals = known
        reading.rivals = rivals
        options = [reading.row, *reading.rivals]
        answer = self.reading.answers.get("row")
        if answer is None and len(known) == 1:
            reading.row, reading.rivals = known[0], []
            return
        if answer is not None and not answer.isdecimal() and answer not in [each.label for each in options]:
            named = self._row_of(answer)
            options = [named, *(each for each in options if each.label != named.label)]
            reading.answers = {**reading.answers, "row": "1"}
        elif len(options) == 1 and answer is None and not reading.facts.whole:
            return
        question = Question(
            "row",
            f"What is one row?{self._note_drawn()}",
            tuple(Option(each.label, f"{each.score:.1f} points: {each.reasons}") for each in options),
            is_stop=reading.repeats or bool(reading.facts.whole),
        )
        places = reading.ask(question)
        if not places:
            raise UsageError(f"--answer row={answer}: a row is something; {_ROW_ANSWERS}")
        if answer is not None:
            reading.row, reading.rivals = options[places[0] - 1], []

    def _note_drawn(self) -> str:
        """Return how many rows of a long table were looked at: games may lie in the others, or partly there."""
        facts = self.reading.facts
        whole = next(iter(facts.whole.values()), None)
        return "" if whole is None else f" Only {facts.rows:,} of {whole.rows:,} rows were looked at."

    def _known_reading(self, row: KnownRow) -> Hypothesis:
        """Return the reading of the rows that a known program's own columns name."""
        person = None if row.person is None else self._person_of(row.person, row.session)
        seat = None if row.seat is None else self._column_of(row.seat)
        game = tuple(self._column_of(name) for name in row.game)
        hypothesis = Hypothesis(row.kind, person=person, game=game, seat=seat)
        hypothesis.add(MARGIN_UNNAMED, row.reason, of_names=True)
        return hypothesis

    def _person_of(self, name: str, session: str | None) -> Column:
        """Return the people whom a known program's column names, by their session if these number them anew."""
        columns = self.reading.facts.columns
        person = self._column_of(name)
        joint = self.reading.facts.find_joint(person)
        if session is None or are_people_again(columns, person):
            return joint or person
        of_program = replace(crossed(self._column_of(session), person), parts=(session, name))
        columns[:] = [*(column for column in columns if column is not joint), of_program]
        return of_program

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
        readings = _offer_readings(offer)
        options = [Option(_words_of_offer(offer, of), _evidence_of_offer(offer, of)) for of in readings]
        options.append(Option(f"{offer.amount.name} is not an offer"))
        # Any number may go with any answer: where neither names nor words say that something is accepted, it is likely
        # none, and so it is where it hardly goes with it.
        is_answer = offer.is_spelled or (is_named(offer.answer, "outcome") and offer.is_clear)
        is_called_so = is_named(offer.amount, "amount") and is_answer
        likely = 1 if is_called_so or offer.person is not None else len(options)
        place = self.reading.choose("offer", "Who offers what to whom?", *options, likely=likely)
        if place in (0, len(options)):
            self.reading.offer = None
            return
        person, to, accepted = readings[place - 1]
        is_certain = "offer" in self.reading.answered
        self.reading.offer = replace(offer, person=person, to=to, accepted=accepted, is_certain=is_certain)

    def _ask_conditions(self) -> None:
        """Ask which columns the experimenter set, of those that may be conditions and may be none."""
        roles = self.reading.roles
        ranked = sorted(roles.asked, key=lambda each: (-each[0], each[1].name))
        asked = [column for _, column in ranked[:_MOST_CONDITIONS]]
        # Where a condition is known, columns for which nothing speaks are not worth a question; a person may name them.
        # But why somebody put rows into tables of their own nothing else may tell.
        is_open = not roles.conditions or any(points >= 0 or self._tells_alone(column) for points, column in ranked)
        answer = self.reading.answers.get("condition")
        if answer is None and not (asked and is_open):
            # Nobody says that these were set, and what differs within units came about.
            roles.asked = [each for each in roles.asked if each[1] not in roles.outcomes]
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

    def _tells_alone(self, column: Column) -> bool:
        """Whether the name of a table tells what no column does."""
        others = [
            each for each in self.reading.facts.columns if each.n_levels == column.n_levels and not each.is_source
        ]
        return column.is_source and not (names_session(column) or any(determines(column, each) for each in others))

    def _ask_cluster(self) -> None:
        """Ask whether units that lie in one session, group or village are independent of each other."""
        reading = self.reading
        roles = reading.roles
        given = [*roles.conditions, *(column for _, column in roles.asked)]
        clusters = find_clusters(reading.facts, reading.row, given, roles.outcomes)
        joint = reading.facts.find_joint(clusters[0].column) if clusters else None
        if not clusters or (joint is not None and not joint.is_open):
            return  # what is numbered anew in each source holds nobody together
        names = [cluster.column.label for cluster in clusters]
        together = "rows of one {0} belong together: conditions are compared between levels of {0}".format
        options = [Option(together(each.column.label), each.evidence) for each in clusters]
        either = " or ".join(names)
        are_labels = f"{either} is a label: people of one {either} did not meet, and are independent"
        # Groups of people who met differ, and so do the sessions of which they are parts.
        ranked = sorted(enumerate(clusters, 1), key=lambda each: not each[1].have_met)
        likely = next((place for place, cluster in ranked if cluster.is_likely), len(options) + 1)
        text = f"Did people meet only within {either}?"
        place = reading.choose("cluster", text, *options, are_labels, likely=likely)
        if clusters[0].column.n_levels > MOST_OF_CONDITION:  # few may have been set
            roles.drop([clusters[0].column])
        if place <= len(clusters):
            reading.cluster = clusters[place - 1].column
            roles.drop([reading.cluster])

    def _column_of(self, name: str) -> Column:
        """Return a column that a person has named."""
        facts = self.reading.facts
        for column in [*facts.columns, *facts.constants]:
            if name in (column.name, *column.aliases):
                if name in (column.name, LINE):
                    return column
                return replace(
                    column, name=name, aliases=(column.name, *(each for each in column.aliases if each != name))
                )
        names = [column.name for column in facts.columns]
        raise UsageError(f"--answer: there is no column {shown(name)}; {meant(name, names, 'the log has')}")

    def _ask_alternatives(self) -> Column | None:
        """Return what says which row of a person is taken, where these are asked to be alternatives of one choice."""
        row, facts = self.reading.row, self.reading.facts
        person = row.person
        if row.kind != "repeated" or person is None or person.rows_per_level <= 2.5:
            return None
        for column in facts.discrete:
            if not column.is_binary or column in facts.determined_by(person) or self._is_one_of_a_design(column):
                continue
            taken = np.bincount(person.codes[(column.codes == 1) & person.filled], minlength=person.n_levels)
            if np.mean(taken == 1) <= 0.95:
                continue
            are_alternatives = Option(
                f"the rows of one {person.name} are the alternatives of one choice, {column.name} = 1 is the one taken",
                f"exactly one row with {column.name} = 1 in {np.mean(taken == 1):.1%}",
            )
            text = f"Are the rows of one {person.name} decisions, or alternatives of one?"
            options = (are_alternatives, "each row is a decision")
            is_choice = self.reading.choose("alternatives", text, *options, is_stop=True) == 1
            return (self._find_repeated(column, person) or column) if is_choice else None
        return None

    def _find_repeated(self, taken: Column, person: Column) -> Column | None:
        """Return the number that says on all rows of a person again what the alternative is worth that was taken."""
        numbers = [column for column in self.reading.facts.columns if column.has_numbers]
        is_taken = taken.codes == 1
        for offered, chosen in itertools.permutations(numbers, 2):
            is_same = np.mean(np.asarray(offered.numbers)[is_taken] == np.asarray(chosen.numbers)[is_taken]) > HOLDS
            if is_same and determines(person, chosen) and determination(person, offered) < 0.5:
                return chosen
        return None

    def _is_one_of_a_design(self, column: Column) -> bool:
        """Whether a column is 1 at one level of what each person has as often, as a condition spelled out is."""
        person = self.reading.row.person
        return person is not None and any(
            other.n_levels > 2 and is_set_within(person.codes, other) and determines(other, column)
            for other in self.reading.facts.discrete
            if other is not person and not determines(person, other)
        )

    def _ask_games_of_talk(self) -> None:
        """Stop where people who repeat talk, or do different things, and no column is known to name their games."""
        reading = self.reading
        facts, person = reading.facts, reading.row.person
        talk = [
            column
            for column in facts.columns
            if column is not person
            and not column.has_numbers
            and column.name not in facts.names_of_seats  # what both said in a row is no turn of one
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
        shared = self._shared_by_people(person)
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
        reading.rivals, reading.offer = [], None
        reading.questions.clear()
        self._ask_columns()
        reading.roles.drop(talk)
        reading.roles.texts = list(dict.fromkeys([*reading.roles.texts, *talk]))

    def _shared_by_people(self, person: Column) -> list[Column]:
        """Return the columns that may name what people did together: counts, and words that several people have."""
        return [
            column
            for column in self.reading.facts.discrete
            if column is not person
            and (
                column.is_count
                or (column.n_levels >= 3 and not column.has_numbers and np.median(levels_within(column, person)) >= 1.5)
            )
        ]


# Of the side that the person is, and of the one that gets the amount.
_WORDS_OF_OFFERS: dict[tuple[Side, Side], str] = {
    ("responder", "responder"): "is offered to the person",
    ("responder", "proposer"): "is what the other keeps, and the person answers",
    ("proposer", "responder"): "is what the person gives",
    ("proposer", "proposer"): "is what the person keeps",
}


def _offer_readings(offer: OfferReading) -> list[tuple[Side, Side, str]]:
    """Return which side the person may be, who gets the amount and which answer accepts, the likely ones first."""
    if offer.is_identity and offer.person is not None:  # whoever gives the amount away is on one side, or on the other
        other_side, other_to = other_of(offer.person), other_of(offer.to)
        return [(offer.person, offer.to, offer.accepted), (other_side, other_to, offer.accepted)]
    other = next(level for level in offer.answer.levels if level != offer.accepted)
    levels = [offer.accepted] if offer.is_spelled else [offer.accepted, other]
    persons: list[Side] = ["responder"] if offer.person == "responder" else ["responder", "proposer"]
    return [(person, offer.side_if(level), level) for level in levels for person in persons]


def _words_of_offer(offer: OfferReading, reading: tuple[Side, Side, str]) -> str:
    """Return what an offer is, as an option of a question."""
    person, to, accepted = reading
    return f"{offer.amount.name} {_WORDS_OF_OFFERS[person, to]}: {offer.answer.name} = {accepted} accepts"


def _evidence_of_offer(offer: OfferReading, reading: tuple[Side, Side, str]) -> str:
    """Return what an option rests on: the relation of amount and answer, and what it would mean."""
    person, to, accepted = reading
    relation = offer.evidence
    if accepted != offer.accepted:
        relation = f"{offer.answer.name} = {accepted} goes with {offer.amount.name} the other way round"
    who = "the person answers" if person == "responder" else "the person offers"
    return f"{relation}; {who}, and whoever answers accepts {'more' if to == 'responder' else 'less'} of it"
