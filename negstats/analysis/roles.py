"""What a factor of a study is, by its name and levels: a condition, or a split, a flag, an order, a trait."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw

from negstats.english import english_word, to_plain_letters


@dataclass(frozen=True, slots=True)
class Role:
    """What a factor is: its name, and why it is taken for that."""

    name: str
    why: str


UNCLEAR = Role("unclear", "its role is unclear")
FACTOR_OF_GAMES = Role("factor of the games", "")

_SPLITS = {"train", "training", "valid", "validation", "val", "dev", "test", "holdout"}

# In the order in which they hold: names whose words are compared whole, the role, and why.
_BY_NAME: tuple[tuple[str, Role], ...] = (
    (
        "id uuid hash key index rep replicate repetition iteration iterations trial seed batch wave",
        Role("repetition", "it numbers or repeats games"),
    ),
    ("split fold partition subset", Role("data split", "it says how the source divided its files")),
    (
        "mirrored valid complete completed finished excluded flag duplicate duplicated attention passed bot practice",
        Role("quality flag", "it marks which rows count; see [[leave_out]]"),
    ),
    (
        "total requests payoff earnings score outcome result winner deal price final accepted agreed",
        Role("derived from the outcome", "it follows from how games went"),
    ),
    (
        "round session run phase period part day week month year order sequence block",
        Role("order", "it says when, not what was done"),
    ),
    (
        "app game task scenario domain protocol category topic product",
        Role("different games", "games of other rules or payoffs have no common scale; use `only`"),
    ),
    ("role player", Role("role in the game", "roles follow from the rules")),
    ("kind", Role("role in the game", "it separates people from agents")),
    (
        "condition treatment arm group manipulation frame framing power medium channel opponent incentive",
        Role("condition", ""),
    ),
    ("agent model strategy behaviour behavior prompt persona", Role("agent or strategy", "")),
    (
        "temperature tokens rounds steps deadline size pie fee currency",
        Role("technical setting", "it sets the games up; say `role` in the mapping if it was varied on purpose"),
    ),
    (
        "age gender sex education country nationality culture ethnicity language income svo personality",
        Role("trait", "who people are was not assigned: differences are no effects"),
    ),
)  # fmt: skip


PRACTICE = frozenset({"demo", "practice", "practise", "warmup", "tutorial", "pretest"})
_OF_PRACTICE = Role("order", "it separates practice from games that count")
_OUTCOME = Role("derived from the outcome", "the mapping says that it came of how games went")
# What a mapping says by ``role = ``.
SAID: Mapping[str, Role] = {
    "condition": Role("condition", ""),
    "agent": Role("agent or strategy", ""),
    "setting": Role("technical setting", "the mapping says that it sets the games up"),
    "order": Role("order", "the mapping says that it is a time, not a decision"),
    "practice": _OF_PRACTICE,
    "split": Role("data split", "the mapping says that it divides the files"),
    "flag": Role("quality flag", "the mapping says that it marks which rows count; see [[leave_out]]"),
    "id": Role("repetition", "the mapping says that it names or numbers games"),
    "game": Role("different games", "the mapping says that games of its levels have other rules; use `only`"),
    "role": Role("role in the game", "the mapping says that it follows from the rules"),
    "trait": Role("trait", "the mapping says that nobody was assigned to it: differences are no effects"),
    "covariate": Role("covariate", "the mapping says that it is held constant, and not compared; see `covariates`"),
    "cluster": Role("cluster", "the mapping says that games of one level are not independent of each other"),
    "outcome": _OUTCOME,
}


# Words of a name, or of a unit, that say that a number is a time.
TIMES = frozenset({"duration", "seconds", "sec", "minutes", "ms", "time", "elapsed"})
LONG = 40  # letters of a level, above which it needs a label


def words_of(text: str) -> set[str]:
    """Return the words of a name or level in lower case and English, cut at case, digits and signs.

    Examples
    --------
    >>> sorted(words_of("behaviour_Blue2")), words_of("Bedingung")
    (['behaviour', 'blue'], {'condition'})
    """
    letters = to_plain_letters(text)
    return {english_word(word.lower()) for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", letters)}


def labels_of(levels: Sequence[str]) -> dict[str, str]:
    """Return short labels for levels if one is long: the first words that no other level has.

    Examples
    --------
    >>> kind, sly = "You are a kind player who is fair to all of us", "You are a sly player who is out to win it all"
    >>> list(labels_of([kind, sly]).values())
    ['kind fair', 'sly out']
    >>> labels_of(["CL", "FC"])
    {}
    """
    if not any(len(level) > LONG for level in levels):
        return {}
    words = [re.findall(r"\w+", level) for level in levels]
    labels = []
    for place, own in enumerate(words):
        others = {word.lower() for at, parts in enumerate(words) if at != place for word in parts}
        distinctive_words = [word for word in own if word.lower() not in others]
        distinctive_words = [
            word for word in distinctive_words if len(word) > 3 or word.isdigit()
        ] or distinctive_words  # rather "kind" than "are"
        labels.append(" ".join(distinctive_words[:2])[:LONG] or (levels[place][:LONG].strip() or "none"))
    unique = len(set(labels)) == len(labels)
    return {level: label if unique else f"level {place}" for place, (level, label) in
            enumerate(zip(levels, labels, strict=True), start=1)}  # fmt: skip


def is_bare(level: str) -> bool:
    """Whether a level says nothing without the name of its factor: a number, a letter, yes or no.

    Examples
    --------
    >>> [is_bare(level) for level in ("0", "2.5", "A", "TRUE", "chat")]
    [True, True, True, True, False]
    """
    return re.fullmatch(r"-?[0-9.]+|[a-z]|yes|no|true|false", level.strip().lower()) is not None


def pairs_off(games: Any, names: Sequence[str]) -> dict[str, str]:
    """Return for each factor the first one before it whose levels pair off one to one with its own.

    Parameters
    ----------
    games
        The table of games, of any engine.
    names
        The factors, in order.

    Examples
    --------
    >>> import pandas as pd
    >>> games = pd.DataFrame({"size": [1, 2, 1], "pie": [10, 20, 10], "arm": ["a", "b", "b"]})
    >>> pairs_off(games, ["size", "pie", "arm"])
    {'pie': 'size'}
    """
    frame, counterparts = nw.from_native(games).lazy(), dict[str, str]()
    for place, name in enumerate(names):
        for other in names[:place]:
            if other in counterparts:
                continue
            pairs = frame.select(other, name).drop_nulls().unique().collect("pyarrow")
            sides = [pairs[side].to_list() for side in (other, name)]
            if len(sides[0]) > 1 and all(len(set(side)) == len(side) for side in sides):
                counterparts[name] = other
                break
    return counterparts


def practice_levels(levels: Sequence[str]) -> list[str]:
    """Return the levels that are not data yet, by their words; none if all are.

    Examples
    --------
    >>> practice_levels(["CL", "Demo", "FC"]), practice_levels(["demo"]), practice_levels(["democracy", "market"])
    (['Demo'], [], [])
    """
    practice = [level for level in levels if words_of(level) & PRACTICE]
    return practice if len(practice) < len(levels) else []


def is_split(levels: Sequence[str]) -> bool:
    """Whether levels are words for parts of data, such as train and test."""
    return bool(levels) and {level.lower() for level in levels} <= _SPLITS


def role_of(
    name: str, levels: Sequence[str], *, of_games: bool, stated_role: str | None = None, source: str = "mapping"
) -> Role:
    """Return what a factor is; a column of games may be a condition though its name does not say so.

    What a mapping, or the format of a log, says (`stated_role`, by `source`) is final.

    Examples
    --------
    >>> role_of("split", ["train", "test"], of_games=True).name
    'data split'
    >>> [role_of(name, ["a", "b"], of_games=True).name for name in ("condition", "shape")]
    ['condition', 'factor of the games']
    """
    if stated_role is not None:
        role = SAID[stated_role]
        return replace(role, why=role.why.replace("the mapping says", f"the {source} says"))
    words = words_of(name)
    if is_split(levels):
        return dict(_BY_NAME)["split fold partition subset"]
    for names, role in _BY_NAME:
        if words & set(names.split()):
            return role
    if of_games and len(levels) > 1:
        return FACTOR_OF_GAMES
    return UNCLEAR
