"""Who plays a sheet, by name: the players that the command line and a study's tables know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from negstats.errors import UsageError, shown
from negstats.games.rulesheet import (
    GroundGame,
    OwnPayoff,
    Player,
    Rules,
    adversarial,
    game_specific,
    generic,
    ground,
    monte_carlo,
    own_payoff,
    parse,
    protocol_specific,
    random_player,
)
from negstats.games.rulesheet.induction import TIES
from negstats.simulate.rulesheet.offers import Meaning, meaning_of


@dataclass(frozen=True, eq=False)
class Prepared:
    """A sheet that is ready to be played."""

    rules: Rules
    game: GroundGame
    meaning: Meaning

    @cache  # noqa: B019 - a prepared sheet lives as long as its process
    def solved(self, ties: Any) -> OwnPayoff:
        """Return the backward induction with a rule for ties, made once."""
        return own_payoff(self.game, ties=ties)


@lru_cache(maxsize=8)
def prepared(text: str, name: str) -> Prepared:
    """Return a sheet read, checked and grounded: once in each process."""
    rules = parse(text, name=name)
    game = ground(rules)
    return Prepared(rules, game, meaning_of(rules, game))


Maker = Callable[[Prepared, str, str, np.random.Generator], Player]


def _own_payoff(sheet: Prepared, role: str, ties: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    if ties and ties not in TIES:
        raise UsageError(f"own_payoff:{ties}: ties are broken {', '.join(TIES)}")
    return game_specific(lambda state, legal: sheet.solved(ties or "first").move(role, state))  # noqa: ARG005


def _depth(sheet: Prepared, role: str, depth: str, rng: np.random.Generator) -> Player:
    return generic(sheet.game, role, depth=_whole("depth", depth, 2), rng=rng)


def _guaranteed(sheet: Prepared, role: str, argument: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return adversarial(sheet.game, role)


def _monte_carlo(sheet: Prepared, role: str, playouts: str, rng: np.random.Generator) -> Player:
    return monte_carlo(sheet.game, role, rng, playouts=_whole("monte_carlo", playouts, 100))


def _negotiator(sheet: Prepared, role: str, e: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return protocol_specific(sheet.rules, sheet.game, role, e=_number("negotiator", e))


def _uninformed(sheet: Prepared, role: str, e: str, rng: np.random.Generator) -> Player:
    return protocol_specific(sheet.rules, sheet.game, role, e=_number("hidden", e), rng=rng)


def _random(sheet: Prepared, role: str, argument: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return random_player(rng)


# A name may be followed by a colon and one argument: how ties are broken, a depth, a number of playouts, an exponent.
PLAYERS: dict[str, tuple[Maker, str]] = {
    "own_payoff": (_own_payoff, "backward induction, each for itself (ties: first, last, accept, refuse)"),
    "depth": (_depth, "the same, so many steps ahead (2)"),
    "guaranteed": (_guaranteed, "backward induction against the others as enemies"),
    "monte_carlo": (_monte_carlo, "the best mean of so many random playouts (100)"),
    "negotiator": (_negotiator, "concedes with exponent e (1), knows the partner's worths"),
    "hidden": (_uninformed, "concedes with exponent e (1), does not know them"),
    "random": (_random, "any legal move alike"),
}


def player(sheet: Prepared, role: str, name: str, rng: np.random.Generator) -> Player:
    """Return a player by name.

    Raises
    ------
    UsageError
        If there is no such player, or its argument makes no sense.
    """
    kind, _, argument = name.partition(":")
    if kind not in PLAYERS:
        raise UsageError(f"player {shown(name)} is not known; there are {', '.join(PLAYERS)}")
    return PLAYERS[kind][0](sheet, role, argument, rng)


def _whole(kind: str, text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 1_000_000):
        raise UsageError(f"{kind}:{text}: a whole number of at least 1 would do")
    return int(text)


def _number(kind: str, text: str) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        raise UsageError(f"{kind}:{text}: a number above 0 would do") from None
