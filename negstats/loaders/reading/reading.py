"""The reading of a table as a whole: what a row is, what the columns are, and what is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from negstats.loaders.reading.amounts import OfferReading
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.facts import Facts
from negstats.loaders.reading.hypotheses import Hypothesis, Kind
from negstats.loaders.reading.questions import SUBJECTS, Option, Question, read_answer
from negstats.loaders.reading.roles import Roles


class KnownRow(NamedTuple):
    """What a row is where columns are known for what they are: those of a program, or the names of who took part."""

    kind: Kind
    game: tuple[str, ...] = ()
    seat: str | None = None
    person: str | None = None
    session: str | None = None  # in each of which people are numbered anew
    reason: str = "a program's own columns name its games and seats"


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
    missing : dict
        For a column the numbers that are likely codes for missing.
    coded : dict of str to Column
        The columns that have numbers that are likely codes for missing, with these; facts are looked for without them.
    questions : list of Question
        What is open, the costliest error first.
    answered : dict of str to Question
        The questions that were answered, by their subjects; `likely` is the answer.
    series : list of list of Column
        Families of columns that differ in a number: items of a scale, or decisions one after the other.
    thresholds : list of Column
        Those of them that are a yes or no to rising amounts.
    people_of_seats : Column or None
        Who sits in seats side by side, by session and number, where the number alone names nobody.
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
    coded: dict[str, Column] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    answered: dict[str, Question] = field(default_factory=dict)
    excluded: dict[str, str] = field(default_factory=dict)
    has_doubled_seats: bool = False
    empty_rows: Column | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    series: list[list[Column]] = field(default_factory=list)
    are_scales: bool = False
    thresholds: list[Column] = field(default_factory=list)
    people_of_seats: Column | None = None
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

    def choose(self, subject: str, text: str, *options: Option | str, likely: int = 1, is_stop: bool = False) -> int:
        """Ask a question of which one option holds; return its place, and 0 for none of them."""
        of_question = tuple(each if isinstance(each, Option) else Option(each) for each in options)
        return next(iter(self.ask(Question(subject, text, of_question, (likely,), is_stop))), 0)

    @property
    def repeats(self) -> bool:
        """Whether any reading that lies close has several rows of one person or game."""
        return any(hypothesis.kind != "alone" for hypothesis in [self.row, *self.rivals])
