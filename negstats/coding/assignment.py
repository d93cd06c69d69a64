"""Who codes which talks, in which order, under which neutral numbers; all of it follows from a seed.

A page must not tell the condition, so a game is known by a number alone and its seats by the order in which they speak.
The numbers follow from the study and the seed, not from the coder: talk 7 is the same talk on every coder's page.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from negstats.errors import UsageError, shown
from negstats.metrics.dialogue import SILENT_ACTS
from negstats.sanitize import line
from negstats.studies import Study

LONGEST_NAME = 60
_SHARED = re.compile(r"(\d+(?:\.\d+)?)\s*%|(\d+)")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a talk.

    Attributes
    ----------
    number : int
        Its place in the game, as in the table ``messages``.
    speaker : int
        1 for the seat that speaks first in the talk, 2 for the next.
    text, act : str or None
    is_unit : bool
        Whether it is coded: it has words and is no deal action. Any other message is context.
    sha256 : str
        The first 16 digits of the hash of its text.
    """

    number: int
    speaker: int
    text: str | None
    act: str | None
    is_unit: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One game's talk under its neutral number."""

    number: int
    game_id: str
    messages: tuple[Message, ...]

    @property
    def units(self) -> int:
        """How many of its messages are coded."""
        return sum(message.is_unit for message in self.messages)


@dataclass(frozen=True, slots=True)
class Talks:
    """The talks of a study that hold words, by number.

    Attributes
    ----------
    sha256 : str
        The hash of the keys, senders and texts of all messages of the study.
    seed : int
        From which the numbers follow.
    by_number : dict of int to Talk
    """

    sha256: str
    seed: int
    by_number: dict[int, Talk]

    def unit(self, talk: int, message: int) -> Message | None:
        """Return a message that is coded, or None if there is none of that number.

        Parameters
        ----------
        talk
            The neutral number of a talk, from 1.
        message
            The message's number in its game, as in the table ``messages``.

        Returns
        -------
        Message or None
            The message; None too where it is only context, or there is no such talk.
        """
        messages = self.by_number[talk].messages if talk in self.by_number else ()
        return next((row for row in messages if row.number == message and row.is_unit), None)


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which talks each coder codes, in which order; `shared` are those that all coders code."""

    shared: tuple[int, ...]
    order: dict[str, tuple[int, ...]]


def talks_of(study: Study, seed: int = 1) -> Talks:
    """Return the talks of a study under neutral numbers.

    Parameters
    ----------
    study
        A study with messages.
    seed
        The same seed gives the same numbers.

    Returns
    -------
    Talks
        The games that hold at least one message with words.

    Raises
    ------
    UsageError
        If no message has words.
    """
    rows = study.messages.sort_values(["game_id", "message"], kind="stable")
    digest, games = hashlib.sha256(), dict[str, list[Message]]()
    speakers = dict[str, dict[str, int]]()
    columns = [rows[name].astype(object).where(rows[name].notna(), None) for name in ("sender", "text", "act")]
    for game, number, sender, text, act in zip(rows["game_id"], rows["message"], *columns, strict=True):
        digest.update(json.dumps([game, int(number), sender, text]).encode() + b"\n")
        seats = speakers.setdefault(game, {})
        speaker = seats.setdefault(sender, len(seats) + 1)
        is_unit = bool(text and text.strip()) and act not in SILENT_ACTS
        games.setdefault(game, []).append(Message(int(number), speaker, text, act, is_unit, hash_text(text)))
    names = sorted(game for game, messages in games.items() if any(message.is_unit for message in messages))
    if not names:
        raise UsageError("the study has no message with words, so nothing can be coded")
    order = generator(seed, "numbers", digest.hexdigest()).permutation(len(names))
    by_number = {
        int(place) + 1: Talk(int(place) + 1, name, tuple(games[name])) for name, place in zip(names, order, strict=True)
    }
    return Talks(digest.hexdigest(), seed, dict(sorted(by_number.items())))


def hash_text(text: str | None) -> str:
    """Return the first 16 digits of the SHA-256 of a text; of no text, of an empty one."""
    return hashlib.sha256((text or "").encode("utf-8", "backslashreplace")).hexdigest()[:16]


def generator(seed: int, *words: str) -> np.random.Generator:
    """Return the generator that follows from a seed and words, on every machine."""
    text = json.dumps([seed, *words]).encode()
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text).digest()[:16], "big"))


def assign(talks: Talks, coders: Sequence[str], shared: str | int | None = None) -> Assignment:
    """Deal talks to coders: a shared subset to all, the rest to one each; each coder's order is shuffled.

    Parameters
    ----------
    talks
        Their numbers and the seed.
    coders
        The names of all coders, in any order.
    shared
        How many talks all coders code, or their share, as "20%". None: all talks.

    Returns
    -------
    Assignment
        The shared talks, and the talks of each coder in the order of the page.

    Raises
    ------
    UsageError
        If a name is empty, too long or given twice, or `shared` is not a number of talks.

    Examples
    --------
    >>> from negstats import datasets
    >>> dealt = assign(talks_of(datasets.casino()), ["Anna", "Ben"], "20%")
    >>> len(dealt.shared), [len(order) for order in dealt.order.values()]
    (206, [618, 618])
    """
    names = check_coders(coders)
    numbers = sorted(talks.by_number)
    count = len(numbers) if shared is None else count_shared(shared, len(numbers))
    dealt = [numbers[place] for place in generator(talks.seed, "deal", talks.sha256).permutation(len(numbers))]
    order = dict[str, tuple[int, ...]]()
    for place, name in enumerate(names):
        own = sorted([*dealt[:count], *dealt[count + place :: len(names)]])
        shuffled = generator(talks.seed, "order", talks.sha256, name).permutation(len(own))
        order[name] = tuple(own[number] for number in shuffled)
    return Assignment(tuple(sorted(dealt[:count])), order)


def check_coders(coders: Sequence[str]) -> list[str]:
    """Return the names of coders in order; UsageError if one is empty, too long, not one line, or there twice."""
    for name in coders:
        if not name.strip() or name != line(name, LONGEST_NAME) or name != name.strip():
            raise UsageError(f"the coder {shown(name)}: a name is one line of 1 to {LONGEST_NAME} characters")
    names = sorted(coders)
    if len({name.casefold() for name in names}) < len(names):
        raise UsageError(f"the coders are {', '.join(names)}; each coder needs a different name")
    return names


def count_shared(shared: str | int, total: int) -> int:
    """Return how many talks are shared, of so many; a share is rounded up.

    Examples
    --------
    >>> count_shared("20%", 51), count_shared(5, 51)
    (11, 5)
    """
    match = _SHARED.fullmatch(str(shared).strip())
    if match is None:
        raise UsageError(f"shared is {shown(shared)}; give a number of talks, or a share of them such as 20%")
    count = math.ceil(float(match[1]) * total / 100 - 1e-9) if match[1] else int(match[2])
    if count > total:
        raise UsageError(f"shared is {shown(shared)}, and {total} talks hold words; give fewer")
    return count
