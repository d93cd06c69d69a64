"""What a factor of a study is, by its name and levels: a condition, or a split, a flag, an order, a trait."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["UNCLEAR", "Role", "role_of"]


@dataclass(frozen=True, slots=True)
class Role:
    """What a factor is: its name, why it is taken for that, and its place among what H1 may ask (None: never)."""

    name: str
    why: str
    rank: int | None = None


UNCLEAR = Role("unclear", "its role is unclear")

_SPLITS = {"train", "training", "valid", "validation", "val", "dev", "test", "holdout"}

# In the order in which they hold: names whose words are compared whole, the role, why, and its rank for H1.
_BY_NAME: tuple[tuple[str, Role], ...] = (
    (
        "id uuid hash key index rep replicate repetition iteration iterations trial seed batch wave",
        Role("repetition", "it numbers or repeats games"),
    ),
    ("split fold partition subset", Role("data split", "it says how the source divided its files")),
    (
        "mirrored valid complete completed finished excluded flag duplicate duplicated attention passed bot practice",
        Role("quality flag", "it tells which rows count; see [[leave_out]]"),
    ),
    (
        "total requests payoff earnings score outcome result winner deal price final accepted agreed",
        Role("derived from the outcome", "it follows from how games went"),
    ),
    ("round session phase period part day order block", Role("order", "it says when, not what was done")),
    (
        "app game task scenario domain protocol",
        Role("different games", "games of other rules or payoffs have no common scale; use `only`"),
    ),
    ("role player", Role("role in the game", "roles follow from the rules")),
    (
        "condition treatment arm group manipulation frame framing power medium channel opponent incentive",
        Role("condition", "", 0),
    ),
    ("agent model strategy behaviour behavior prompt persona", Role("agent or strategy", "", 1)),
    (
        "temperature tokens rounds steps deadline size pie fee currency version config",
        Role("technical setting", "it sets the games up; say `role` in the mapping if it was varied on purpose"),
    ),
    (
        "age gender sex education country nationality culture ethnicity language income svo personality",
        Role("trait", "who people are was not assigned: differences are no effects"),
    ),
)  # fmt: skip


def role_of(name: str, levels: Sequence[str], *, of_games: bool) -> Role:
    """Return what a factor is; a column of games that nothing else explains is taken for a condition.

    Examples
    --------
    >>> role_of("split", ["train", "test"], of_games=True).name
    'data split'
    >>> role_of("condition", ["CL", "FC"], of_games=True).rank
    0
    >>> role_of("shape", ["a", "b"], of_games=True).rank, role_of("shape", ["a", "b"], of_games=False).rank
    (2, None)
    """
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    if levels and {level.lower() for level in levels} <= _SPLITS:
        return dict(_BY_NAME)["split fold partition subset"]
    for names, role in _BY_NAME:
        if words & set(names.split()):
            return role
    if of_games and 2 <= len(levels) <= 6:
        return Role("condition", "", 2)
    return UNCLEAR
