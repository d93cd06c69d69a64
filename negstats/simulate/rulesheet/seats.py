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
    searching,
    uct,
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


def _monte_carlo(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("monte_carlo", budget, 100)
    return monte_carlo(sheet.game, role, rng, playouts=playouts or 1, seconds=seconds)


def _uct(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("uct", budget, 1000)
    return uct(sheet.game, role, rng, playouts=playouts, seconds=seconds)


def _bids(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("bids", budget, 1000)
    return searching(sheet.rules, sheet.game, role, rng, playouts=playouts, seconds=seconds)


def _flat_bids(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("flat_bids", budget, 1000)
    return searching(sheet.rules, sheet.game, role, rng, playouts=playouts, seconds=seconds, tree=False)


def _negotiator(sheet: Prepared, role: str, e: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return protocol_specific(sheet.rules, sheet.game, role, e=_number("negotiator", e))


def _uninformed(sheet: Prepared, role: str, e: str, rng: np.random.Generator) -> Player:
    return protocol_specific(sheet.rules, sheet.game, role, e=_number("hidden", e), rng=rng)


def _random(sheet: Prepared, role: str, argument: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return random_player(rng)


# A name may be followed by a colon and one argument: how ties are broken, a depth, an exponent, a number of playouts,
# or (with an s) processor seconds a move, such as bids:0.5s.
PLAYERS: dict[str, tuple[Maker, str]] = {
    "own_payoff": (_own_payoff, "backward induction, each for itself (ties: first, last, accept, refuse)"),
    "depth": (_depth, "the same, so many steps ahead (2)"),
    "guaranteed": (_guaranteed, "backward induction against the others as enemies"),
    "monte_carlo": (_monte_carlo, "the best mean of so many random playouts a move (100), or of seconds (0.5s)"),
    "uct": (_uct, "tree search over the sheet's moves, so many playouts (1000) or seconds (0.5s)"),
    "bids": (_bids, "tree search over whole bids with beliefs about the partner, playouts (1000) or seconds (0.5s)"),
    "flat_bids": (_flat_bids, "the same without a tree"),
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
        raise UsageError(f"{kind}:{text}: give a whole number of at least 1")
    return int(text)


def _budget(kind: str, text: str, default: int) -> tuple[int | None, float | None]:
    """Return playouts or seconds."""
    if not text.endswith("s"):
        return _whole(kind, text, default), None
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise UsageError(f"{kind}:{text}: give a number of playouts, or seconds above 0 such as 0.5s")
    return None, seconds


def _number(kind: str, text: str) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        raise UsageError(f"{kind}:{text}: give a number above 0") from None
