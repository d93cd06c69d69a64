"""The section ``[[open]]`` of a mapping: what its reading left open, as text, as records of a study, and as answers.

Each question stands in it with its options, the evidence for each, and the one that the keys of the mapping hold. It is
closed by ``answer``: the number of the option that the keys hold already. Another answer changes what is read, so
`negstats map LOG --answer SUBJECT=NUMBER` writes the mapping anew.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from negstats.errors import shown
from negstats.loaders.mapping.fields import Field
from negstats.loaders.reading.questions import MOST_QUESTIONS, SUBJECTS, Question
from negstats.studies.records import Record
from negstats.toml_text import value_text

KEYS = ("subject", "question", "stop", "options", "evidence", "likely", "answer", "accepted")
_LONGEST = 300  # characters of the evidence for an option


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question of a mapping: what its keys hold until it is answered, and the answer if it was.

    Attributes
    ----------
    subject, question : str
        What it is about, and the question.
    options : tuple of str
        The readings between which it lies.
    likely : tuple of int
        The places of the options that the keys hold, from 1; () for none of them.
    is_stop : bool
        Whether nothing may be tested before it is answered.
    is_answered, is_accepted : bool
        Whether a person has answered it, or has accepted all likely answers unseen.
    """

    subject: str
    question: str
    options: tuple[str, ...]
    likely: tuple[int, ...]
    is_stop: bool
    is_answered: bool = False
    is_accepted: bool = False

    @property
    def held(self) -> str:
        """What the keys hold."""
        return "; ".join(self.options[place - 1] for place in self.likely) or "none of them"

    def record(self) -> Record:
        """Return the record of a study that was read while the question was open, or as it was answered."""
        others = " | ".join(option for place, option in enumerate(self.options, 1) if place not in self.likely)
        if not others:  # all of those of which several may hold
            others = "none of them" if len(self.options) == 1 else "some or none of them"
        if self.is_answered:
            return Record("reading_answered", self.subject, values=(self.question, self.held))
        if self.is_accepted:
            return Record("reading_accepted", self.subject, values=(self.question, self.held, others))
        kind = "reading_stop" if self.is_stop else "reading_question"
        return Record(kind, self.subject, values=(self.question, self.held, others))


def open_lines(questions: Sequence[Question], answered: Sequence[Question], log: str, *, accept: bool) -> Iterator[str]:
    """Yield the section of a mapping: what was answered, and what is open.

    Three questions are asked at most, and all of those that stop an analysis; where the likely answers are accepted,
    all are written down.
    """
    for question in answered:
        yield from ("", "[[open]]", *_question_lines(question))
        yield f"likely = {list(question.likely)}"
        yield f"answer = {list(question.likely)}"
    count = len(questions) if accept else max(MOST_QUESTIONS, sum(question.is_stop for question in questions))
    for question in questions[:count]:
        yield ""
        yield "[[open]]" + (
            "" if accept or not question.is_stop else "  # STOP: nothing is tested before it is answered"
        )
        yield from _question_lines(question)
        if question.is_stop:
            yield "stop = true"
        yield from _list_lines("evidence", [option.evidence[:_LONGEST] for option in question.options])
        held = "the keys below hold it" if question.likely else "none of them"
        yield f"likely = {list(question.likely)}  # {held}"
        if accept:
            yield "accepted = true  # by negstats map --accept: nobody has confirmed it"
            continue
        other = "COLUMN,COLUMN" if question.is_several else "2" if question.likely != (2,) else "1"
        yield f"# If the keys are right, add: answer = {list(question.likely)}"
        yield f"# If not: negstats map {shlex.quote(log)} --answer {question.subject}={other} > mapping.toml"
    left = [question.subject for question in questions[count:]]
    if left:
        yield f"# Asked after these: {', '.join(left)}"


def _question_lines(question: Question) -> Iterator[str]:
    yield f"subject = {value_text(question.subject)}"
    yield f"question = {value_text(question.text)}"
    yield from _list_lines("options", [option.words for option in question.options])


def _list_lines(name: str, words: Sequence[str]) -> Iterator[str]:
    if any(words):
        yield f"{name} = ["
        yield from (f"  {value_text(word)}," for word in words)
        yield "]"


def parse_open(content: Field) -> tuple[OpenQuestion, ...]:
    """Return the questions of a mapping's section.

    Raises
    ------
    LogError
        If it is none, or an answer is another one than the keys hold.
    """
    if not isinstance(content.value, list) or not all(isinstance(each, dict) for each in content.value):
        raise content.fault("write each question as [[open]]")
    return tuple(_parse_one(content.at((place,), each)) for place, each in enumerate(content.value))


def _parse_one(content: Field) -> OpenQuestion:
    content.known(KEYS)
    subject, options = content.value.get("subject"), content.value.get("options", [])
    if subject not in SUBJECTS:
        raise content.fault(f"subject {shown(subject)} is not one of {', '.join(SUBJECTS)}")
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise content.fault("options is a list of texts")
    likely, answer = (_read_places(content.get(key, []), len(options)) for key in ("likely", "answer"))
    is_answered = "answer" in content.value
    reason = f"is another answer than the keys of this mapping hold; negstats map LOG --answer {subject}="
    numbers = ",".join(map(str, answer)) or "none"
    is_other = is_answered and set(answer) != set(likely)
    content.refuse(("answer", is_other, f"{list(answer)} {reason}{numbers} writes the mapping anew"))
    return OpenQuestion(
        str(subject),
        str(content.value.get("question", "")),
        tuple(options),
        likely,
        content.value.get("stop") is True,
        is_answered,
        content.value.get("accepted") is True,
    )


def _read_places(content: Field, count: int) -> tuple[int, ...]:
    places = content.value if isinstance(content.value, list) else [content.value]
    for place in places:
        if not isinstance(place, int) or isinstance(place, bool) or not 1 <= place <= count:
            raise content.fault(f"{shown(place)} is not a number of an option; there are {count}")
    return tuple(places)
