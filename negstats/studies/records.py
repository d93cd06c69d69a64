"""Facts about how a log was read, as records: what was left out, what is in doubt, what somebody has to decide.

A record holds a kind, counts and a place, and no sentence: `sentence` makes it where it is printed, from the one table
`KINDS`. What weighs more than a note stays open until it is answered: by a key of the mapping (then the next load finds
nothing), or by its name in a list ``accept`` of the mapping or the plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from negstats.errors import UsageError
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
        for the values.
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


FIRST = ", the first is {0}"
KINDS: dict[str, Kind] = {
    "damaged_games": Kind("note", "games", "{n} left out as damaged", "game"),
    "damaged_files": Kind("note", "games", "{n} left out as damaged", "file"),
    "reading_stop": Kind(
        "stop", "games", "{0} It was read as: {1}; or else: {2}", answer="negstats map LOG --answer {place}=NUMBER"
    ),
    "reading_question": Kind(
        "question", "games", "{0} It was read as: {1}; or else: {2}", answer="negstats map LOG --answer {place}=NUMBER"
    ),
    "reading_accepted": Kind("note", "games", "{0} Nobody has confirmed the likely answer: {1}; or else: {2}"),
    "reading_answered": Kind("note", "games", "{0} Answered: {1}"),
}


def sentence(record: Record) -> str:
    """Return what a record says, as a clause without a full stop.

    Examples
    --------
    >>> sentence(Record("damaged_files", count=1, of=10))
    '1 file left out as damaged'
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


def _fill(words: str, record: Record, noun: str) -> str:
    values = [f"{value:g}" if isinstance(value, float) else str(value) for value in record.values]
    return words.format(
        *values, count=record.count, of=record.of, place=record.place, n=counted(record.count, noun) if noun else ""
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
        first = stops[0]
        raise UsageError(f"{first.about} are not certain: {sentence(first)}. To answer: {answers_of(first)}")
