"""Guessing the seats of a row that has columns for both: ``points_buyer``, ``points_seller``; ``gold_h``, ``gold_a``.

Two words are sides if columns stand there with the one and with the other, alike in the rest of their names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from negstats.loaders.mapping.keys import quoted
from negstats.loaders.mapping.words import english
from negstats.loaders.mapping.words import plain as to_plain

# Words for the two seats, those that say most first.
_PAIRS = (
    ("buyer", "seller"),
    ("employer", "employee"),
    ("recruiter", "candidate"),
    ("manager", "worker"),
    ("union", "management"),
    ("landlord", "tenant"),
    ("proposer", "responder"),
    ("human", "agent"),
    ("human", "bot"),
    ("human", "ai"),
    ("human", "computer"),
    ("user", "agent"),
    ("user", "bot"),
    ("person", "agent"),
    ("h", "a"),
    ("p1", "p2"),
    ("a1", "a2"),
    ("player1", "player2"),
    ("agent1", "agent2"),
    ("first", "second"),
    ("1", "2"),
    ("a", "b"),
)
ROLES = {word for pair in _PAIRS[:7] for word in pair}
_SEAT_WORDS = {
    "agent",
    "player",
    "seat",
    "side",
    "party",
    "participant",
    "negotiator",
    "user",
    "person",
    "bot",
    "model",
}
_SHORTEST = 3  # letters of a word that is cut short: cand, recr
_HUMAN, _AGENT = {"human", "user", "person", "h"}, {"agent", "bot", "ai", "computer"}
_ID = {"", "id", "participant", "participant_id", "subject", "subject_id", "worker", "worker_id", "pid", "person"}
_ID |= {"person_id", "player_id", "prolific_id", "prolific_pid", "user_id", "subj", "sub", "player"}
_POINTS = {"points", "payoff", "score", "utility", "earnings", "profit", "outcome_points", "final_points", "util"}
_POINTS |= {"reward"}
_PEOPLE = {"age", "gender", "sex", "education", "nationality", "svo", "experience"}
_AGENTS = {"agent", "strategy", "model", "bot"}
_BATNA = {"batna", "reservation", "reservation_price", "reservation_value", "rp"}
_WORTH = {"value", "values", "worth", "weight", "weights", "importance", "unit"}
_ROUND = re.compile(r"(.*_)?(round|trial|period|session|wave|day|block|phase|game|item|q|question|time|t)")
_LEAST_ROWS = 3


@dataclass(slots=True)
class Sides:
    """The two seats of each row, and for each the columns that are its own, by the keys of a mapping."""

    seats: tuple[str, str]
    keys: dict[str, object] = field(default_factory=dict)
    columns: set[str] = field(default_factory=set)
    people: bool = False
    goods: bool = False
    evidence: dict[str, str] = field(default_factory=dict)


def sides_of(plain: Mapping[str, str], values: Mapping[str, pd.Series], person: str | None) -> Sides | None:
    """Return the sides of a table's rows; None if none are told apart.

    Parameters
    ----------
    plain
        For each column its name in lower case with _ between words.
    values
        The columns' cells.
    person
        The column of a person, where the rows have one only.
    """
    for words in _PAIRS:
        stems = _stems(plain, words, values)
        if _are_seats(stems, words) or _goods(stems, values):
            return _keys(stems, words, values, person)
    return None


def columns_of_seats(
    plain: Mapping[str, str], values: Mapping[str, pd.Series], seats: tuple[str, str]
) -> tuple[dict[str, object], set[str]]:
    """Return what columns say of the seats that other rows name: `reward_buyer` beside a speaker who is the buyer.

    Parameters
    ----------
    plain
        For each column that says one thing a game its name in lower case with _ between words.
    values
        The columns' cells.
    seats
        The two seats, as the log calls them.

    Returns
    -------
    keys : dict of str to object
        The columns by the keys of a mapping; numbers of a seat that no key is for are left to be measures.
    columns : set of str
        The columns that are taken.
    """
    one, other = (english(to_plain(seat)) for seat in seats)
    keys, columns = dict[str, object](), set[str]()
    for stem, both in _stems(plain, (one, other), values).items():
        key = _key(stem, {}, both, values)
        if key not in ("points", "batna", "agent"):
            continue
        for seat, column in zip(seats, both, strict=True):
            name = f"seats.{quoted(seat)}"
            keys[f"{name}.{key}"] = column
            columns.add(column)
            if key == "agent":
                keys[f"{name}.kind"] = {"constant": "agent"}
    return keys, columns


def seat_words(words: Iterable[str]) -> bool:
    """Whether words, in any order, are those of two seats.

    Examples
    --------
    >>> seat_words(["seller", "buyer"]), seat_words(["fair", "selfish"])
    (True, False)
    """
    return set(words) in [set(pair) for pair in _PAIRS]


def told_apart(names: Iterable[str]) -> bool:
    """Whether columns that stand there with 1 and 2 are those of two seats, and not of two rounds.

    Examples
    --------
    >>> told_apart(["id_", "points_", "agent "]), told_apart(["round_ offer", "round_ points"])
    (True, False)
    """
    stems = [re.sub(r"[^a-z]+", "_", name.lower()).strip("_") for name in names]
    if any(_ROUND.fullmatch(stem) or "round" in stem or "trial" in stem for stem in stems):
        return False
    return any(stem in _ID | _AGENTS or stem in ("role", "profile", "party") for stem in stems)


def _stems(
    plain: Mapping[str, str], words: tuple[str, str], values: Mapping[str, pd.Series]
) -> dict[str, tuple[str, str]]:
    """Return for each stem the columns of both sides."""
    names_by_stem: dict[str, dict[str, str]] = defaultdict(dict)
    for name, own in plain.items():
        parts = re.sub(r"(?<=[a-z])(?=[12]$)", "_", own).split("_") if words == ("1", "2") else own.split("_")
        parts = _without_seat_word([_whole_word(english(part), words) for part in parts], words)
        for word in words:
            if parts.count(word) == 1 and (len(parts) == 1 or len(word) > 1 or parts[-1] == word or parts[0] == word):
                stem = "_".join(part for part in parts if part != word)
                names_by_stem[stem].setdefault(word, name)
    both = {stem: (of[words[0]], of[words[1]]) for stem, of in names_by_stem.items() if len(of) == 2}
    return {stem: of for stem, of in both.items() if all(values[name].notna().any() for name in of)}


def _without_seat_word(parts: list[str], words: tuple[str, str]) -> list[str]:
    """Return the parts of a name without a word for a seat before its letter or number: agent_a_score is a_score.

    Examples
    --------
    >>> _without_seat_word(["agent", "a", "score"], ("a", "b")), _without_seat_word(["agent", "a"], ("a", "b"))
    (['a', 'score'], ['agent', 'a'])
    """
    if len(words[0]) > 1 or len(parts) < 3:
        return parts  # Agent 1 names the agent
    follows = [*parts[1:], ""]
    return [part for part, after in zip(parts, follows, strict=True) if not (part in _SEAT_WORDS and after in words)]


def _whole_word(part: str, words: tuple[str, str]) -> str:
    """Return the role that a part of a name is the beginning of, else the part: cand is candidate.

    Examples
    --------
    >>> [_whole_word(part, ("recruiter", "candidate")) for part in ("recr", "cand", "can", "points")]
    ['recruiter', 'candidate', 'candidate', 'points']
    >>> _whole_word("employ", ("employer", "employee"))
    'employ'
    """
    if words[0] not in ROLES or len(part) < _SHORTEST:
        return part
    whole = [word for word in words if word.startswith(part)]
    return whole[0] if len(whole) == 1 else part


def _are_seats(stems: Mapping[str, tuple[str, str]], words: tuple[str, str]) -> bool:
    known_stems = [stem for stem in stems if stem and (stem in _ID | _POINTS | _BATNA | _AGENTS | _PEOPLE)]
    loose = len(words[0]) == 1  # a and b, 1 and 2 stand at the end of much
    if any(_ROUND.fullmatch(stem) for stem in stems) and loose:
        return False
    if words == ("a", "b") and any(stem in _POINTS for stem in stems):
        return True
    return (bool(known_stems) and (len(stems) > 1 or not loose)) or (len(stems) > 1 and not loose)


def _add_column(
    sides: Sides, at: int, stem: str, column: str, key: str | None, values: Mapping[str, pd.Series]
) -> None:
    """Add a column of one seat under its key; as a measure, if it has none and holds numbers."""
    seat = f"seats.{sides.seats[at]}"
    if key is None or (key.startswith(("answers", "person")) and f"{seat}.participant_id" not in sides.keys):
        if _is_number(values[column]):
            sides.keys[f"measures.{sides.seats[at]}_{stem or 'number'}"] = column
            sides.columns.add(column)
        return
    whole = f"values.{sides.seats[at]}.{key.removeprefix('values.')}" if key.startswith("values.") else ""
    sides.keys[whole or f"{seat}.{key}"] = column
    if key == "agent":
        sides.keys.setdefault(f"{seat}.kind", {"constant": "agent"})
    sides.columns.add(column)


def _keys(
    stems: Mapping[str, tuple[str, str]],
    words: tuple[str, str],
    values: Mapping[str, pd.Series],
    person: str | None,
) -> Sides | None:
    names = {"h": "human", "a": "agent"} if words == ("h", "a") else {word: word for word in words}
    sides = Sides((names[words[0]], names[words[1]]))
    goods = _goods(stems, values)
    ids = next((stem for stem in ("", *sorted(_ID)) if stem in stems and _are_people(stems[stem], values)), None)
    sides.people = ids is not None
    for at, word in enumerate(words):
        seat = f"seats.{sides.seats[at]}"
        if word in ROLES:
            sides.keys[f"{seat}.role"] = {"constant": word}
        if word in _HUMAN:
            sides.keys[f"{seat}.kind"] = {"constant": "human"}
            if ids is None and person is not None:
                sides.keys[f"{seat}.participant_id"] = person
                sides.columns.add(person)
        elif word in _AGENT or (word == "a" and words[0] == "h"):
            sides.keys[f"{seat}.kind"] = {"constant": "agent"}
        if ids is not None:
            sides.keys[f"{seat}.participant_id"] = stems[ids][at]
        for stem, both in stems.items():
            if stem != ids:
                _add_column(sides, at, stem, both[at], _key(stem, goods, both, values), values)
        if ids is not None:
            sides.columns.add(stems[ids][at])
    sides.goods = bool(goods)
    if goods:
        sides.evidence[f"seats.{sides.seats[0]}.items"] = "both sides' quantities add up to one number in each row"
    return sides


def _key(stem: str, goods: Mapping[str, float], both: tuple[str, str], values: Mapping[str, pd.Series]) -> str | None:
    """Return the key of a seat behind which a column stands; None if there is none."""
    parts = set(stem.split("_"))
    start = _common_words(list(goods))
    if stem in goods:
        return f"items.{stem.removeprefix(start)}"
    if stem in _BATNA:
        return "batna"
    if {"goal", "reached"} <= parts:
        return "reached_goal"
    numbers = all(_is_number(values[name]) for name in both)
    if numbers and parts & _WORTH and (issue := _issue_in(parts, goods, start)):
        return f"values.{issue}"
    if numbers and (stem in _POINTS or (parts & {"points", "payoff"} and len(parts) == 1)):
        return "points"
    if stem in _AGENTS and not numbers:
        return "agent"
    if stem == "role" and not numbers:
        return "role"
    if parts & _PEOPLE:
        return f"person.{stem}"
    return f"answers.{stem}" if (stem and values[both[0]].nunique() <= len(values[both[0]]) / 2) or numbers else None


def _issue_in(parts: set[str], goods: Iterable[str], start: str) -> str | None:
    """Return the issue that a column is called after."""
    return next((issue for good in goods if (issue := good.removeprefix(start)) in parts), None)


def _common_words(names: list[str]) -> str:
    """Return the words with which all names begin, each of which goes on: allocation_ of allocation_hat and _book.

    Examples
    --------
    >>> _common_words(["allocation_hat", "allocation_book"]), _common_words(["hat", "book"])
    ('allocation_', '')
    """
    first = names[0].split("_")[:-1] if len(names) > 1 else []
    while first and not all(name.startswith(f"{'_'.join(first)}_") for name in names):
        first.pop()
    return f"{'_'.join(first)}_" if first else ""


def _goods(stems: Mapping[str, tuple[str, str]], values: Mapping[str, pd.Series]) -> dict[str, float]:
    """Return the issues of which two sides' numbers always have the same sum, if there are two at the least."""
    sums_by_stem = {}
    for stem, (one, other) in stems.items():
        parts = set(stem.split("_"))
        if not stem or parts & (_WORTH | _POINTS | _PEOPLE) or stem in _BATNA or stem in _ID:
            continue
        if not (_is_number(values[one]) and _is_number(values[other])):
            continue
        first, second = pd.to_numeric(values[one]), pd.to_numeric(values[other])
        sums = (first + second).dropna()
        if len(sums) >= _LEAST_ROWS and sums.nunique() == 1 and first.nunique() > 1:
            sums_by_stem[stem] = float(sums.iloc[0])
    return sums_by_stem if len(sums_by_stem) > 1 else {}


def _are_people(both: tuple[str, str], values: Mapping[str, pd.Series]) -> bool:
    """Whether two columns hold names of people: many, and not the same ones in the same row."""
    one, other = (values[name] for name in both)
    least_people = max(3, len(one) // 20)
    return one.nunique() >= least_people and other.nunique() >= least_people and not bool((one == other).any())


def _is_number(values: pd.Series) -> bool:
    cells = values.dropna()
    return len(cells) > 0 and bool(pd.to_numeric(cells, errors="coerce").notna().all())
