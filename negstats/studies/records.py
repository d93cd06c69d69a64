"""Facts about how a log was read, as records: what was left out, what is in doubt, what somebody has to decide.

A record holds a kind, counts and a place, and no sentence: `sentence` makes it where it is printed, from the one table
`KINDS`. What weighs more than a note stays open until it is answered: by a key of the mapping (then the next load finds
nothing), or by its name in a list ``accept`` of the mapping or the plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from negstats.errors import UsageError, shown
from negstats.sanitize import counted

Weight: TypeAlias = Literal["note", "suspicion", "question", "stop"]
Value: TypeAlias = str | int | float


@dataclass(frozen=True, slots=True)
class Record:
    """One fact about the reading of a log.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    place : str
        Where it is: a column (``players.points``), a file, a game; empty for the whole study.
    count, of : int
        How many rows, games or values it concerns, and among how many; 0 where nothing is counted.
    values : tuple
        What the sentence names besides: a code, the ends of a range, the first game.
    """

    kind: str
    place: str = ""
    count: int = 0
    of: int = 0
    values: tuple[Value, ...] = ()

    @property
    def name(self) -> str:
        """What a list ``accept`` calls the record: its kind, and its place where it has one."""
        return f"{self.kind} {self.place}" if self.place else self.kind

    @property
    def weight(self) -> Weight:
        """How much the record weighs; a kind that this version does not know is a suspicion."""
        return KINDS[self.kind].weight if self.kind in KINDS else "suspicion"

    @property
    def about(self) -> str:
        """The subject that the record belongs to, such as "points"."""
        return KINDS[self.kind].about if self.kind in KINDS else "log"


@dataclass(frozen=True, slots=True)
class Kind:
    """What all records of one kind share.

    Attributes
    ----------
    weight : str
        ``note`` says what was done; ``suspicion`` is shown until it is answered, and is an alarm of an analysis;
        ``question`` is one between readings that lie close; ``stop`` refuses an analysis until it is answered.
    about : str
        The line of the checks that it stands in: source, games, seats, kind, factors, points, offers, units and
        values, time, excluded.
    words : str
        The sentence, with ``{count}``, ``{of}``, ``{place}``, ``{n}`` (the count with its noun) and ``{0}``, ``{1}``
        for the values; `_fill` has the other slots.
    noun : str
        What is counted.
    answer : str
        Which key of the mapping answers it, in the same form; empty where only the logs or ``accept`` can.
    """

    weight: Weight
    about: str
    words: str
    noun: str = ""
    answer: str = ""


MANY_DIGITS = 1e15  # a whole number of more digits than that is shown by its size
FIRST = "the first is {0}"
OFFER = "the first is offer {1} of {0}"
DIFFER = "differ in case or blanks alone"
KINDS: dict[str, Kind] = {
    "damaged_games": Kind("note", "games", "{n} {was} excluded", "damaged game"),
    "damaged_files": Kind("note", "games", "{n} {was} excluded", "damaged file"),
    "messages_telling": Kind(
        "note",
        "excluded",
        "what people said is kept as it was typed, and no rule finds every name: {count} of {of} messages may tell who "
        "somebody is{bracketed}; read them before you share the study",
    ),
    "file_without_rows": Kind("suspicion", "source", "{place}{all}{more} {has} no rows, at the most a header"),
    "last_line_open": Kind(
        "note", "source", "{place} does not end with a line break: if it was cut, its last value is"
    ),
    "trace_unfinished": Kind(
        "suspicion", "games", "{place} goes on after its last row, how it ended is not known: is the trace cut?"
    ),
    "many_damaged": Kind("suspicion", "games", "{count} of {of} {place} {was} damaged and excluded, {share}"),
    "seats_differ": Kind("suspicion", "seats", "not the same number in each game"),
    "seats_of_one": Kind("suspicion", "seats", "one person in several seats of {n}, " + FIRST, "game"),
    "people_spelled": Kind("suspicion", "seats", "{n} may count as several: {listed} " + DIFFER, "person"),
    "people_unread": Kind(
        "suspicion",
        "seats",
        "{place} repeats in {count} of {of} games and is not read: who took part in several?",
        answer='participant_id = "{place}" for the seats in the mapping',
    ),
    "levels_spelled": Kind("suspicion", "factors", "{place}: {listed} " + DIFFER, answer="levels in the mapping"),
    "roles_spelled": Kind("suspicion", "seats", "{place}: {listed} " + DIFFER, answer="levels in the mapping"),
    "scale_mean": Kind("note", "excluded", "{place} is the mean of {all}, where at least half of them were answered"),
    "decisions_mean": Kind("note", "excluded", "{place} is the mean of {all}, where at least half of them were made"),
    "columns_unread": Kind(
        "note", "excluded", "{n} {was} not read because the mapping does not name {it}: {0}", "column"
    ),
    "lone_level": Kind("suspicion", "factors", "{place} {0} has one game"),
    "points_single": Kind("suspicion", "points", "a single value"),
    "points_far": Kind("suspicion", "points", "{0} of {1} in {2} is far from all others"),
    "points_infinite": Kind("suspicion", "points", "{count} are infinite"),
    "missing_code": Kind(
        "suspicion",
        "points",
        "{count} of {of} {3} are {0}, the others {1} to {2}: missing?",
        answer="missing = [{0}] in the mapping",
    ),
    "offers_unread": Kind("suspicion", "offers", "no row holds an offer, although the mapping names columns of offers"),
    "several_accepted": Kind("suspicion", "offers", "{count} games with several accepted offers, " + FIRST),
    "none_accepted": Kind("suspicion", "offers", "{count} agreed games without an accepted offer, " + FIRST),
    "acceptance_changes": Kind(
        "suspicion",
        "offers",
        "up to about game {0} acceptance {1} with what the {2}, and after it it {3}: "
        "does the coding of accepted change there?",
    ),
    "acceptance_reversed": Kind(
        "suspicion",
        "offers",
        "acceptance {0} with what the {1}: on average {2} where accepted, {3} where rejected; "
        "is accepted coded the other way round?",
    ),
    "units_negative": Kind("suspicion", "units and values", "{count} offers with negative units, " + OFFER),
    "units_above_total": Kind("suspicion", "units and values", "{count} offers above the total, " + OFFER),
    "nothing_divided": Kind("suspicion", "units and values", "{n} {divides} nothing, " + OFFER, "offer"),
    "totals_differ": Kind(
        "suspicion", "units and values", "totals of {all} occur together: are units the same in all games?"
    ),
    "values_not_points": Kind(
        "suspicion", "units and values", "{count} accepted offers whose values are not the points, " + OFFER
    ),
    "time_before_game": Kind("suspicion", "time", "{count} {place} before the game, the first is {2} {1} of {0}"),
    "time_runs_back": Kind(
        "suspicion", "time", "{count} {place} earlier than the one before, the first is {2} {1} of {0}"
    ),
    "time_share_outside": Kind("suspicion", "time", "{count} shares of time outside 0 to 1, " + OFFER),
    "mostly_missing": Kind("suspicion", "excluded", "more than half of the cells in use are missing"),
    "reading_stop": Kind(
        "stop",
        "games",
        "{0} It was read as: {1}; or else: {2}",
        answer="negstats map LOG --answer {place}=NUMBER > mapping.toml, with a number under [[open]], and load again",
    ),
    "reading_question": Kind(
        "question",
        "games",
        "{0} It was read as: {1}; or else: {2}",
        answer="negstats map LOG --answer {place}=NUMBER > mapping.toml, with a number under [[open]], and load again",
    ),
    "reading_accepted": Kind("note", "games", "{0} Nobody has confirmed the likely answer: {1}; or else: {2}"),
    "reading_answered": Kind("note", "games", "{0} Answered: {1}"),
}
# The kinds that are found in the tables; what a loader alone knows is kept as it was stored.
OF_TABLES = frozenset(
    {
        *("many_damaged", "seats_differ", "seats_of_one", "people_spelled", "levels_spelled", "roles_spelled"),
        *("lone_level", "points_single", "points_far", "points_infinite", "missing_code", "several_accepted"),
        *("none_accepted", "acceptance_changes", "acceptance_reversed", "units_negative", "units_above_total"),
        *("nothing_divided", "totals_differ", "values_not_points", "time_before_game", "time_runs_back"),
        *("time_share_outside", "mostly_missing"),
    }
)


def sentence(record: Record) -> str:
    """Return what a record says, as a clause without a full stop.

    Examples
    --------
    >>> sentence(Record("damaged_files", count=1, of=10))
    '1 damaged file was excluded'
    """
    kind = KINDS.get(record.kind)
    if kind is None:  # written by a later version
        return " ".join(filter(None, [record.name.replace("_", " "), f"({record.count})" if record.count else ""]))
    return _fill(kind.words, record, kind.noun)


def answers_of(record: Record) -> str:
    """Return what would answer an open record, or "" for a note.

    Examples
    --------
    >>> answers_of(Record("damaged_files", count=1, of=10))
    ''
    """
    if record.weight == "note":
        return ""
    kind = KINDS.get(record.kind)
    accept = f'accept = ["{record.name}"] in the plan or the mapping'
    return f"{_fill(kind.answer, record, '')}, or {accept}" if kind is not None and kind.answer else accept


def alarm(record: Record) -> dict[str, Any]:
    """Return an open record as plain values, with its sentence and what answers it.

    Examples
    --------
    >>> alarm(Record("seats_differ"))["says"]
    'not the same number in each game'
    """
    fields = {"kind": record.kind, "place": record.place, "count": record.count, "of": record.of}
    return {**fields, "about": record.about, "says": sentence(record), "answer": answers_of(record)}


def format_number(value: float) -> str:
    """Return a number as the lines at loading have it: a whole one whole, any other with three digits."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < MANY_DIGITS else f"{value:.3g}"


def _fill(words: str, record: Record, noun: str) -> str:
    values = [value if isinstance(value, str) else format_number(value) for value in record.values]
    is_one = record.count == 1
    return words.format(
        *values,
        count=record.count,
        of=record.of,
        place=record.place,
        n=counted(record.count, noun) if noun else "",
        was="was" if is_one else "were",
        it="it" if is_one else "them",
        has="has" if is_one else "have",
        divides="divides" if is_one else "divide",
        share=f"{record.count / record.of:.0%}" if record.of else "",
        all=", ".join(values),
        more=f" and {record.count - len(values)} more" if record.count > len(values) else "",
        bracketed=f" ({', '.join(values)})" if values else "",
        listed=" and ".join(map(shown, values)),
    )


def open_records(records: Iterable[Record], accepted: Collection[str] = ()) -> list[Record]:
    """Return the records that weigh more than a note and that nobody has accepted, in their order.

    Parameters
    ----------
    records
        Those of a study.
    accepted
        Names of records (`Record.name`), or of kinds, which take all records of the kind.

    Examples
    --------
    >>> doubt = Record("a_later_kind", "players.points", 3, 120)
    >>> open_records([doubt, Record("damaged_files", count=1)]) == [doubt]
    True
    >>> open_records([doubt], accepted=["a_later_kind players.points"])
    []
    """
    return [record for record in records if record.weight != "note" and not {record.name, record.kind} & set(accepted)]


def refuse_stops(records: Iterable[Record], accepted: Collection[str] = ()) -> None:
    """Refuse to draft or to test anything while a question is open without which no unit of analysis is known.

    Parameters
    ----------
    records, accepted
        As in `open_records`.

    Raises
    ------
    UsageError
        Naming the question, what the log was read as, and the line that answers it.

    Examples
    --------
    >>> refuse_stops([Record("damaged_files", count=1, of=10)])
    """
    stops = [record for record in open_records(records, accepted) if record.weight == "stop"]
    if stops:
        first_stop = stops[0]
        raise UsageError(
            f"{first_stop.about} are not certain: {sentence(first_stop)}. To answer: {answers_of(first_stop)}"
        )
