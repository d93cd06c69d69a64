"""What a reading leaves open: questions with options and evidence, the costliest error first."""

from __future__ import annotations

from dataclasses import dataclass

from negstats.errors import UsageError, shown

MOST_QUESTIONS = 3  # of a table at a time
NONE = "none"
# Subjects in the order of what a wrong answer costs: a wrong unit makes every test wrong; games that a
# draft leaves out are asked about before what they are tested for.
SUBJECTS = (
    "table",
    "row",
    "measures",
    "game",
    "person",
    "cluster",
    "alternatives",
    "offer",
    "answer",
    "proposer",
    "votes",
    "events",
    "talk",
    "missing",
    "outlier",
    "contradiction",
    "doubled",
    "condition",
    "levels",
    "decisions",
    "excluded",
)


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question: its words, and what speaks for it."""

    words: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a reading leaves open.

    Attributes
    ----------
    subject : str
        One of `SUBJECTS`.
    text : str
        The question.
    options : tuple of Option
        The readings between which it lies; of `is_several` each may be chosen or not.
    likely : tuple of int
        The places of the options, from 1, that the mapping holds until somebody answers; () for none of them.
    is_stop : bool
        Whether nothing may be tested before it is answered.
    is_several : bool
        Whether several options may hold.
    """

    subject: str
    text: str
    options: tuple[Option, ...]
    likely: tuple[int, ...] = (1,)
    is_stop: bool = False
    is_several: bool = False


def read_names(answer: str) -> list[str]:
    """Return the parts of an answer that names columns; none for "none".

    Examples
    --------
    >>> read_names("medium, power"), read_names("none")
    (['medium', 'power'], [])
    """
    parts = [part.strip() for part in answer.split(",") if part.strip()]
    return [] if parts == [NONE] else parts


def read_answer(question: Question, answer: str) -> tuple[int, ...]:
    """Return the places of the options that an answer chooses: by their numbers or their words, "none" for none.

    Raises
    ------
    UsageError
        If it chooses no option, or several where one holds.

    Examples
    --------
    >>> which = Question("condition", "Which?", (Option("medium"), Option("power")), is_several=True)
    >>> read_answer(which, "1, power"), read_answer(which, "none")
    ((1, 2), ())
    """
    parts = read_names(answer)
    words = [option.words for option in question.options]
    if not answer.strip():
        able = f"a number from 1 to {len(words)}{f', or {NONE}' if question.is_several else ''}"
        raise UsageError(f"--answer {question.subject}={answer}: is empty; give {able}")
    places = []
    for part in [answer.strip()] if answer.strip() in words else parts:
        if part in words:
            places.append(words.index(part) + 1)
        elif part.isdecimal() and 1 <= int(part) <= len(words):
            places.append(int(part))
        else:
            numbered = "; ".join(f"{place} {word}" for place, word in enumerate(words, 1))
            raise UsageError(f"--answer {question.subject}: {shown(part)} is not an option; there are {numbered}")
    if len(places) > 1 and not question.is_several:
        raise UsageError(f"--answer {question.subject}={answer}: one option holds; give one number")
    return tuple(dict.fromkeys(places))
